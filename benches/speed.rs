//! How fast the oracle, the runner, searches and reports are, each beside what a person would use instead, or beside what limits
//! it, measured in one run: the table of docs/performance.md.
//!
//! `cargo xtask bench`, with words for the rows that have them all; the rows that need a backend say so if it is not installed.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    missing_docs,
    reason = "a benchmark"
)]

use reshape_conformance::spec::operator::Operator;
use reshape_conformance::spec::oracle::resolve;
use reshape_conformance::spec::request::{AttributeValue, Attributes, Request, Target};
use reshape_conformance::tensor::{ElementType, Fill};
use serde_json::{Value, json};
use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Instant;

const BINARY: &str = env!("CARGO_BIN_EXE_reshape-conformance");
const ROOT: &str = env!("CARGO_MANIFEST_DIR");
const TARGETS: usize = 10_000;
const REPETITIONS: usize = 5;

/// One repetition: the time for one of what is measured, ours and beside it, in seconds.
type Repetition<'a> = Box<dyn FnMut() -> (f64, f64) + 'a>;

/// A line of the table.
struct Row {
    what: &'static str,
    beside: &'static str,
    target: &'static str,
    /// Makes what a repetition needs, in this folder; or says what is not there.
    prepare: fn(&Path) -> Result<Repetition<'_>, &'static str>,
}

const ROWS: &[Row] = &[
    Row {
        what: "oracle, one target of rank 1 to 6",
        beside: "a product of the dims and a division",
        target: "30 ns",
        prepare: oracle_beside_division,
    },
    Row {
        what: "the same",
        beside: "numpy.reshape",
        target: "",
        prepare: |folder| oracle_beside(folder, "numpy"),
    },
    Row {
        what: "the same",
        beside: "strict shape inference of onnx",
        target: "",
        prepare: |folder| oracle_beside(folder, "onnx"),
    },
    Row {
        what: "whole suite on the reference, in process",
        beside: "start of the program",
        target: "250 ms",
        prepare: whole_suite,
    },
    Row {
        what: "ONNX trials through onnxruntime, one worker, a model",
        beside: "a bare Python loop",
        target: "1.2 x",
        prepare: runner,
    },
    Row {
        what: "ONNX trials through onnxruntime, one worker, a trial",
        beside: "a test of onnx's own backend-test runner",
        target: "0.1 x",
        prepare: |_| beside_backend_test(),
    },
    Row {
        what: "whole suite through the protocol, two workers",
        beside: "one worker",
        target: "0.56 x",
        prepare: two_workers,
    },
    Row {
        what: "search of all small trials in process, a trial",
        beside: "the oracle alone, and a copy of the dims",
        target: "0.5 us",
        prepare: search_in_process,
    },
    Row {
        what: "the same through the protocol",
        beside: "in process",
        target: "2 us",
        prepare: search_through_protocol,
    },
    Row {
        what: "200,000 random trials, a trial",
        beside: "20,000",
        target: "1.1 x",
        prepare: search_twice,
    },
    Row {
        what: "1,000,000 enumerated trials, a trial",
        beside: "100,000",
        target: "1.1 x",
        prepare: |_| {
            let small = |count| search(&["--max-rank", "3", "--count", count]);
            Ok(Box::new(move || (small("1000000"), small("100000"))))
        },
    },
    Row {
        what: "a trial of 64 MiB through the protocol",
        beside: "in process",
        target: "2.5 x",
        prepare: large,
    },
    Row {
        what: "comparison of 64 MiB",
        beside: "comparison of as many bytes",
        target: "1.1 x",
        prepare: |_| Ok(comparison()),
    },
    Row {
        what: "page, JUnit and SARIF of the whole suite",
        beside: "writing as many bytes",
        target: "5 x",
        prepare: reports,
    },
];

fn main() {
    println!("| what | beside | ours | theirs | ratio | its spread | target |");
    println!("|---|---|---|---|---|---|---|");
    let folder = tempfile::tempdir().unwrap();
    // Cargo itself passes `--bench`.
    let words: Vec<_> = std::env::args()
        .skip(1)
        .filter(|word| word != "--bench")
        .collect();
    let wanted = |row: &&Row| {
        words
            .iter()
            .all(|word| row.what.contains(word) || row.beside.contains(word))
    };
    for row in ROWS.iter().filter(wanted) {
        row.print(folder.path());
    }
}

impl Row {
    fn print(&self, folder: &Path) {
        let Self {
            what,
            beside,
            target,
            prepare,
        } = self;
        let mut repetition = match prepare(folder) {
            Ok(repetition) => repetition,
            Err(why) => return println!("| {what} | {beside} | {why} | | | | {target} |"),
        };
        let times: Vec<_> = (0..REPETITIONS).map(|_| repetition()).collect();
        let mut ours: Vec<_> = times.iter().map(|(ours, _)| *ours).collect();
        let mut theirs: Vec<_> = times.iter().map(|(_, theirs)| *theirs).collect();
        let mut ratios: Vec<_> = times.iter().map(|(ours, theirs)| ours / theirs).collect();
        let (ours, theirs) = (duration(median(&mut ours)), duration(median(&mut theirs)));
        let ratio = median(&mut ratios);
        let (least, most) = (ratios[0], ratios[ratios.len() - 1]);
        println!(
            "| {what} | {beside} | {ours} | {theirs} | {ratio:.2} | {least:.2} to {most:.2} | {target} |"
        );
    }
}

/// A time in its own unit.
fn duration(seconds: f64) -> String {
    match seconds {
        ..1e-6 => format!("{:.1} ns", seconds * 1e9),
        ..1e-3 => format!("{:.2} us", seconds * 1e6),
        ..1.0 => format!("{:.1} ms", seconds * 1e3),
        _ => format!("{seconds:.2} s"),
    }
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn seconds(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64()
}

/// Runs the program, which finds failures or none.
fn program(arguments: &[&str]) -> Output {
    let output = Command::new(BINARY).args(arguments).output().unwrap();
    let code = output.status.code();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        matches!(code, Some(0 | 100 | 101)),
        "{arguments:?}: {errors}"
    );
    output
}

/// A generator that is the same everywhere.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

/// Ranks 1 to 6, dims to 6; targets that regroup the dims, most with a -1, some damaged.
fn requests() -> Vec<Request> {
    let mut dice = Dice(2026);
    let operator = Operator::named("onnx.Reshape-14").unwrap();
    let attributes = Attributes::from([("allowzero".to_owned(), AttributeValue::Int(1))]);
    let one = |_| {
        let data_shape: Vec<u64> = (0..=dice.roll(5)).map(|_| 1 + dice.roll(6)).collect();
        let mut values: Vec<i64> = Vec::new();
        for dim in &data_shape {
            match values.last_mut() {
                Some(last) if dice.roll(3) == 0 => *last *= i64::try_from(*dim).unwrap(),
                _ => values.push(i64::try_from(*dim).unwrap()),
            }
        }
        let place = usize::try_from(dice.roll(values.len() as u64)).unwrap();
        match dice.roll(10) {
            0..6 => values[place] = -1,
            6 => values[place] += 1,
            7 => values.push(-1),
            _ => {}
        }
        let target = Some(Target::list(values));
        Request {
            operator,
            element_type: ElementType::F32,
            data_shape,
            target,
            attributes: attributes.clone(),
        }
    };
    (0..TARGETS).map(one).collect()
}

/// The target's values.
fn values(request: &Request) -> Vec<i64> {
    let values = request.target.iter().flat_map(|target| &target.values);
    values.map(|value| i64::try_from(*value).unwrap()).collect()
}

/// The time that a target takes, in seconds.
fn oracle(requests: &[Request]) -> f64 {
    const PASSES: usize = 20;
    let all = || {
        for _ in 0..PASSES {
            for request in requests {
                black_box(resolve(black_box(request)));
            }
        }
    };
    seconds(all) / (PASSES * requests.len()) as f64
}

/// What no oracle can do without: two products and a division.
fn oracle_beside_division(_: &Path) -> Result<Repetition<'_>, &'static str> {
    let requests = requests();
    let lists: Vec<_> = requests
        .iter()
        .map(|request| (request.data_shape.clone(), values(request)))
        .collect();
    let divide = move || {
        for (shape, values) in &lists {
            let count: u64 = black_box(shape).iter().product();
            let others = values.iter().filter(|value| **value > 0);
            let others: i64 = others.product();
            black_box(count / others.max(1).cast_unsigned());
        }
    };
    Ok(Box::new(move || {
        (oracle(&requests), seconds(&divide) / requests.len() as f64)
    }))
}

fn oracle_beside<'a>(folder: &'a Path, name: &'static str) -> Result<Repetition<'a>, &'static str> {
    let python = environment("onnx-shape-inference");
    let python = python.ok_or("not available: cargo xtask adapters onnx-shape-inference")?;
    let requests = requests();
    let line =
        |request: &Request| json!({"data_shape": request.data_shape, "shape": values(request)});
    let lines = requests
        .iter()
        .map(|request| format!("{}\n", line(request)));
    let path = folder.join("targets.jsonl");
    fs::write(&path, lines.collect::<String>()).unwrap();
    Ok(Box::new(move || {
        let mut command = Command::new(&python);
        let output = command
            .arg(format!("{ROOT}/benches/targets.py"))
            .arg(&path)
            .output();
        let times: Value = serde_json::from_slice(&output.unwrap().stdout).unwrap();
        (oracle(&requests), times[name].as_f64().unwrap() / 1e9)
    }))
}

fn whole_suite(_: &Path) -> Result<Repetition<'_>, &'static str> {
    Ok(Box::new(|| {
        let ours = seconds(|| drop(program(&["run", "--quiet"])));
        (ours, seconds(|| drop(program(&["--version"]))))
    }))
}

/// All that onnxruntime is asked in the suite. The record holds every model and every run of one worker.
fn runner(folder: &Path) -> Result<Repetition<'_>, &'static str> {
    let python = environment("onnxruntime");
    let python = python.ok_or("not available: cargo xtask adapters onnxruntime")?;
    let adapter = format!("{ROOT}/adapters/onnxruntime");
    let (record, answer) = (folder.join("record.pickle"), folder.join("bare.json"));
    let set = {
        let (adapter, record) = (adapter.clone(), record.clone());
        move |command: &mut Command| {
            command
                .env("ONNXRUNTIME_ADAPTER", &adapter)
                .env("RECORD", &record)
                .env("PYTHONPATH", format!("{ROOT}/adapters/kit/python"))
                .env("PYTHONDONTWRITEBYTECODE", "1");
        }
    };
    let mut recording = Command::new(BINARY);
    recording.args(["run", "--operator", "onnx", "--quiet", "--jobs", "1"]);
    let recorder = format!("{} {ROOT}/benches/recorder.py", python.display());
    recording.args(["--adapter-command", &recorder]);
    // A failure that is not known would be run again, in a process that writes a record of its own.
    recording.args([
        "--known-failures",
        &format!("{adapter}/known-failures.yaml"),
    ]);
    set(&mut recording);
    let recorded = recording.output().unwrap();
    let said = String::from_utf8_lossy(&recorded.stdout);
    assert!(recorded.status.success(), "{said}");
    Ok(Box::new(move || {
        let (ours, _) = onnx_trials();
        let mut command = Command::new(&python);
        command
            .arg(format!("{ROOT}/benches/bare_loop.py"))
            .arg(&record)
            .arg(&answer);
        set(&mut command);
        assert!(
            command.output().unwrap().status.success(),
            "bare_loop.py failed"
        );
        let times: Value = serde_json::from_slice(&fs::read(&answer).unwrap()).unwrap();
        let models = times["models"].as_f64().unwrap();
        assert!(models > 1000.0, "a record of {models} models");
        (ours / models, times["seconds"].as_f64().unwrap() / models)
    }))
}

/// The time that the ONNX trials take through onnxruntime with one worker, and their number. What all pay once is not counted:
/// starting Python and importing onnxruntime.
fn onnx_trials() -> (f64, f64) {
    let run = |arguments: &[&str]| {
        let fixed = ["run", "--adapter", "onnxruntime", "--quiet", "--jobs", "1"];
        let begun = Instant::now();
        let output = program(&[&fixed[..], arguments].concat());
        (begun.elapsed().as_secs_f64(), trials(&output))
    };
    let one = "test-reshape-one-dim/onnx.Reshape-14/f32/constant-static";
    let (start, _) = run(&["--exact", one]);
    let (all, trials) = run(&["--operator", "onnx"]);
    (all - start, trials)
}

fn beside_backend_test() -> Result<Repetition<'static>, &'static str> {
    let python = environment("onnxruntime");
    let python = python.ok_or("not available: cargo xtask adapters onnxruntime")?;
    Ok(Box::new(move || {
        let (ours, trials) = onnx_trials();
        let mut command = Command::new(&python);
        let output = command.arg(format!("{ROOT}/benches/backend_test.py"));
        let theirs = String::from_utf8(output.output().unwrap().stdout).unwrap();
        (ours / trials, theirs.trim().parse().unwrap())
    }))
}

/// A case with as much data as a case can have.
fn large(folder: &Path) -> Result<Repetition<'_>, &'static str> {
    let cases = folder.join("large.yaml");
    let case = "\
- name: large
  operators: [onnx.Reshape-14]
  covers: [same-count]
  data: {shape: [4096, 4096], element_types: [f32]}
  shape: [-1, 1024]
  expect: {shape: [16384, 1024]}
  bindings: [constant-static]
";
    fs::write(&cases, case).unwrap();
    let cases = cases.to_string_lossy().into_owned();
    let served = format!("{BINARY} serve reference");
    Ok(Box::new(move || {
        let run = |arguments: &[&str]| {
            let fixed = ["run", "--quiet", "--cases", &cases];
            seconds(|| drop(program(&[&fixed[..], arguments].concat())))
        };
        (run(&["--adapter-command", &served]), run(&[]))
    }))
}

fn two_workers(_: &Path) -> Result<Repetition<'_>, &'static str> {
    let run = |jobs| {
        let served = format!("{BINARY} serve reference");
        let arguments = [
            "run",
            "--quiet",
            "--jobs",
            jobs,
            "--adapter-command",
            &served,
        ];
        seconds(|| drop(program(&arguments)))
    };
    Ok(Box::new(move || (run("2"), run("1"))))
}

/// A search, and the time that a trial takes.
fn search(arguments: &[&str]) -> f64 {
    let start = Instant::now();
    let output = program(
        &[
            &["search", "--jobs", "1", "--element-type", "f32"],
            arguments,
        ]
        .concat(),
    );
    let time = start.elapsed().as_secs_f64();
    time / trials(&output)
}

/// The number of trials that it says.
fn trials(output: &Output) -> f64 {
    let said = String::from_utf8_lossy(&output.stdout);
    let (before, _) = said.split_once(" trials = ").expect("a number of trials");
    let number = before.rsplit(' ').next().unwrap().replace(',', "");
    number.parse().unwrap()
}

fn search_in_process(_: &Path) -> Result<Repetition<'_>, &'static str> {
    let requests = requests();
    Ok(Box::new(move || {
        let copies = || {
            requests
                .iter()
                .for_each(|request| drop(black_box(request.data_shape.clone())))
        };
        let copy = seconds(copies) / requests.len() as f64;
        (search(&["--max-rank", "2"]), oracle(&requests) + copy)
    }))
}

fn search_through_protocol(_: &Path) -> Result<Repetition<'_>, &'static str> {
    let served = format!("{BINARY} serve reference");
    Ok(Box::new(move || {
        let ours = search(&["--max-rank", "2", "--adapter-command", &served]);
        (ours, search(&["--max-rank", "2"]))
    }))
}

fn search_twice(_: &Path) -> Result<Repetition<'_>, &'static str> {
    let random = |count| search(&["--random", "--count", count]);
    Ok(Box::new(move || (random("200000"), random("20000"))))
}

fn comparison() -> Repetition<'static> {
    let tensor = || Fill::Index.tensor(ElementType::U8, vec![64 << 20]);
    let (mut bytes, tensor, other) = (Vec::new(), tensor(), tensor());
    tensor.write_bytes(&mut bytes);
    let same = bytes.clone();
    Box::new(move || {
        let ours = seconds(|| assert!(black_box(&tensor).same_content(&other)));
        (ours, seconds(|| assert!(black_box(&bytes) == &same)))
    })
}

fn reports(folder: &Path) -> Result<Repetition<'_>, &'static str> {
    let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let events = path("events.jsonl");
    program(&["run", "--quiet", "--events", &events]);
    let written = ["html", "junit", "sarif"].map(|kind| (format!("--{kind}"), path(kind)));
    let copy = path("copy");
    Ok(Box::new(move || {
        let mut arguments = vec!["report", "render", &events];
        for (option, file) in &written {
            arguments.extend([option.as_str(), file.as_str()]);
        }
        let ours = seconds(|| drop(program(&arguments)));
        let files = written.iter().map(|(_, file)| fs::read(file).unwrap());
        let bytes = files.collect::<Vec<_>>().concat();
        (ours, seconds(|| fs::write(&copy, &bytes).unwrap()))
    }))
}

/// The Python of an installed adapter.
fn environment(adapter: &str) -> Option<PathBuf> {
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| Path::new(ROOT).join("target"), PathBuf::from);
    let python = target.join("adapters").join(adapter).join("bin/python");
    python.exists().then_some(python)
}
