//! `prove`: lemmas about counts over unbounded integers, as SMT-LIB, for two solvers. They prove the formulas below.
//! The comparisons of `tests/constraints.rs` and `tests/oracle_laws.rs` show that the oracle follows the formulas.

use crate::python;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// The solvers, pinned to releases on PyPI.
const SOLVERS: [&str; 2] = ["z3-solver==5.4.0.0", "cvc5==1.4.2"];

/// Asks each solver about each file, and prints the solver and its answer.
const SCRIPT: &str = include_str!("prove.py");

/// One claim about all integers that meet its conditions.
struct Lemma {
    name: &'static str,
    description: &'static str,
    /// The integers in it.
    of: &'static [&'static str],
    given: &'static [&'static str],
    then: &'static str,
    /// Whether it holds. A false one shows that the solvers would notice a wrong lemma.
    holds: bool,
}

/// N is the data's element count, K is the product of the known target dims, and x and y are unknown lengths.
const LEMMAS: &[Lemma] = &[
    Lemma {
        name: "existence",
        description: "where K divides N, the quotient is a length that keeps the count",
        of: &["N", "K"],
        given: &["(>= N 0)", "(> K 0)", "(= (mod N K) 0)"],
        then: "(and (>= (div N K) 0) (= (* K (div N K)) N))",
        holds: true,
    },
    Lemma {
        name: "uniqueness",
        description: "where K is not 0, no two lengths keep the count",
        of: &["N", "K", "x", "y"],
        given: &["(> K 0)", "(= (* K x) N)", "(= (* K y) N)"],
        then: "(= x y)",
        holds: true,
    },
    Lemma {
        name: "none",
        description: "where K leaves a remainder, no length keeps the count",
        of: &["N", "K", "x"],
        given: &["(> K 0)", "(not (= (mod N K) 0))"],
        then: "(not (= (* K x) N))",
        holds: true,
    },
    Lemma {
        name: "any-length-fits",
        description: "where K and N are 0, every length keeps the count",
        of: &["N", "K", "x"],
        given: &["(= K 0)", "(= N 0)"],
        then: "(= (* K x) N)",
        holds: true,
    },
    Lemma {
        name: "none-over-zero",
        description: "where K is 0 and N is not, no length keeps the count",
        of: &["N", "K", "x"],
        given: &["(= K 0)", "(> N 0)"],
        then: "(not (= (* K x) N))",
        holds: true,
    },
    Lemma {
        name: "no-longer-than-the-count",
        description: "the inferred length is at most N, so it passes 2^63-1 only if the count does",
        of: &["N", "K", "x"],
        given: &["(> K 0)", "(>= x 0)", "(= (* K x) N)"],
        then: "(<= x N)",
        holds: true,
    },
    Lemma {
        name: "two-unknowns-are-not-determined",
        description: "where the quotient is more than 1, two unknown lengths have two solutions: a second -1 cannot be inferred",
        of: &["N", "K", "q"],
        given: &["(> K 0)", "(> q 1)", "(= (* K q) N)"],
        then: "(and (= (* K (* q 1)) N) (= (* K (* 1 q)) N) (not (= q 1)))",
        holds: true,
    },
    Lemma {
        name: "a-copied-length-cancels",
        description: "a length that is copied and not 0 changes nothing about the -1",
        of: &["a", "r", "k", "x"],
        given: &["(> a 0)"],
        then: "(= (= (* a r) (* a k x)) (= r (* k x)))",
        holds: true,
    },
    Lemma {
        name: "exact-within-64-bits",
        description: "counts below 2^64 that are equal modulo 2^64 are equal",
        of: &["a", "b"],
        given: &[
            "(<= 0 a)",
            "(< a 18446744073709551616)",
            "(<= 0 b)",
            "(< b 18446744073709551616)",
            "(= (mod a 18446744073709551616) (mod b 18446744073709551616))",
        ],
        then: "(= a b)",
        holds: true,
    },
    Lemma {
        name: "exact-past-64-bits",
        description: "counts that are equal modulo 2^64 differ by a multiple of 2^64, so that one of two that differ is past 64 bits",
        of: &["a", "b"],
        given: &[
            "(<= 0 a)",
            "(< a b)",
            "(= (mod a 18446744073709551616) (mod b 18446744073709551616))",
        ],
        then: "(>= b 18446744073709551616)",
        holds: true,
    },
    Lemma {
        name: "wrong-wrapped-counts",
        description: "wrong: counts that are equal modulo 2^64 are equal",
        of: &["a", "b"],
        given: &[
            "(<= 0 a)",
            "(<= 0 b)",
            "(= (mod a 18446744073709551616) (mod b 18446744073709551616))",
        ],
        then: "(= a b)",
        holds: false,
    },
    Lemma {
        name: "wrong-uniqueness",
        description: "wrong: no two lengths keep the count, whatever K is",
        of: &["N", "K", "x", "y"],
        given: &["(>= K 0)", "(= (* K x) N)", "(= (* K y) N)"],
        then: "(= x y)",
        holds: false,
    },
];

impl Lemma {
    /// The negated lemma, which has no solution if the lemma holds.
    fn smt(&self) -> String {
        let mut text = format!("; {}\n(set-logic ALL)\n", self.description);
        for name in self.of {
            text += &format!("(declare-const {name} Int)\n");
        }
        for condition in self.given {
            text += &format!("(assert {condition})\n");
        }
        text + &format!("(assert (not {}))\n(check-sat)\n", self.then)
    }

    fn expected(&self) -> &'static str {
        if self.holds { "unsat" } else { "sat" }
    }
}

pub(crate) fn run(root: &Path) -> Result<(), String> {
    let place = root.join("target/prove");
    fs::create_dir_all(&place).map_err(|error| format!("{}: {error}", place.display()))?;
    let python = python::install(&place.join("venv"), SOLVERS.into_iter())?;
    let script = place.join("prove.py");
    fs::write(&script, SCRIPT).map_err(|error| format!("{}: {error}", script.display()))?;
    let (begun, mut wrong) = (Instant::now(), Vec::new());
    for lemma in LEMMAS {
        let file = place.join(lemma.name).with_extension("smt2");
        fs::write(&file, lemma.smt()).map_err(|error| format!("{}: {error}", file.display()))?;
        let output = Command::new(&python).arg(&script).arg(&file).output();
        let output = output.map_err(|error| format!("{}: {error}", python.display()))?;
        let answers = String::from_utf8_lossy(&output.stdout);
        let good = answers.lines().count() == SOLVERS.len()
            && answers
                .lines()
                .all(|line| line.split(' ').nth(1) == Some(lemma.expected()));
        let mark = if good { "✓" } else { "✗" };
        let told = answers.lines().collect::<Vec<_>>().join(", ");
        println!("{mark} {}: {} ({told})", lemma.name, lemma.description);
        if !good {
            eprint!("{}", String::from_utf8_lossy(&output.stderr));
            wrong.push(lemma.name);
        }
    }
    let (all, seconds) = (LEMMAS.len(), begun.elapsed().as_secs_f32());
    let held = LEMMAS.iter().filter(|lemma| lemma.holds).count();
    println!(
        "{held} lemmas and {} that are wrong on purpose, {} solvers, {seconds:.1} s",
        all - held,
        SOLVERS.len()
    );
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(format!("not as expected: {}", wrong.join(", ")))
    }
}
