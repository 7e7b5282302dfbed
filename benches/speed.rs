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

use reshape_conformance::semantics::operator::Operator;
use reshape_conformance::semantics::oracle::resolve;
use reshape_conformance::semantics::request::{AttributeValue, Attributes, Request, Target};
use reshape_conformance::tensor::{ElementType, Fill};
use serde_json::{Value, json};
use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

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
    measures: Measures,
    /// Makes what a repetition needs, in this folder; or says what is not there.
    prepare: fn(&Path) -> Result<Repetition<'_>, &'static str>,
}

/// What a repetition measures.
#[derive(Clone, Copy)]
enum Measures {
    /// Seconds.
    Time,
    /// Seconds, in one repetition of minutes, which is only done when words name it.
    LongTime,
    /// Bytes, at most resident.
    Memory,
    /// The same, in one repetition of minutes.
    LongMemory,
}

const ROWS: &[Row] = &[
    Row {
        what: "oracle, one target of rank 1 to 6",
        beside: "a product of the dims and a division",
        target: "30 ns",
        measures: Measures::Time,
        prepare: oracle_beside_division,
    },
    Row {
        what: "the same",
        beside: "numpy.reshape",
        target: "",
        measures: Measures::Time,
        prepare: |folder| oracle_beside(folder, "numpy"),
    },
    Row {
        what: "the same",
        beside: "strict shape inference of onnx",
        target: "",
        measures: Measures::Time,
        prepare: |folder| oracle_beside(folder, "onnx"),
    },
    Row {
        what: "whole suite on the reference, in process",
        beside: "start of the program",
        target: "250 ms",
        measures: Measures::Time,
        prepare: whole_suite,
    },
    Row {
        what: "ONNX trials through onnxruntime, one worker, a model",
        beside: "a bare Python loop",
        target: "1.2 x",
        measures: Measures::Time,
        prepare: runner,
    },
    Row {
        what: "ONNX trials through onnxruntime, one worker, a trial",
        beside: "a test of onnx's own backend-test runner",
        target: "0.1 x",
        measures: Measures::Time,
        prepare: |_| beside_backend_test(),
    },
    Row {
        what: "whole suite through the protocol, two workers",
        beside: "one worker",
        target: "0.56 x",
        measures: Measures::Time,
        prepare: two_workers,
    },
    Row {
        what: "search of all small trials in process, a trial",
        beside: "the oracle alone, and a copy of the dims",
        target: "0.5 us",
        measures: Measures::Time,
        prepare: search_in_process,
    },
    Row {
        what: "the same through the protocol",
        beside: "in process",
        target: "2 us",
        measures: Measures::Time,
        prepare: search_through_protocol,
    },
    Row {
        what: "the same through the C kit's example",
        beside: "in process",
        target: "2 us",
        measures: Measures::Time,
        prepare: search_through_c,
    },
    Row {
        what: "the same, targets at run and dims undeclared, through the C kit's example",
        beside: "in process",
        target: "2 us",
        measures: Measures::Time,
        prepare: |folder| search_undeclared_beside_itself(&c_example(folder)?),
    },
    Row {
        what: "the same through the protocol",
        beside: "in process",
        target: "2 us",
        measures: Measures::Time,
        prepare: |_| search_undeclared_beside_itself(&served()),
    },
    Row {
        what: "the same through onnxruntime",
        beside: "a bare Python loop",
        target: "1.3 x",
        measures: Measures::Time,
        prepare: search_through_onnxruntime,
    },
    Row {
        what: "200,000 random trials, a trial",
        beside: "20,000",
        target: "1.1 x",
        measures: Measures::Time,
        prepare: search_twice,
    },
    Row {
        what: "1,000,000 enumerated trials, a trial",
        beside: "100,000",
        target: "1.1 x",
        measures: Measures::Time,
        prepare: |_| {
            let small = |count| search(&["--max-rank", "3", "--count", count]);
            Ok(Box::new(move || (small("1000000"), small("100000"))))
        },
    },
    Row {
        what: "100,000,000 enumerated trials, a trial",
        beside: "1,000,000",
        target: "1.1 x",
        measures: Measures::LongTime,
        prepare: |_| {
            let small = |count| search(&["--max-rank", "5", "--count", count]);
            Ok(Box::new(move || (small("100000000"), small("1000000"))))
        },
    },
    Row {
        what: "memory of 100,000,000 enumerated trials",
        beside: "of 1,000,000",
        target: "100 MB",
        measures: Measures::LongMemory,
        prepare: |_| {
            let small = |count| {
                let searched = ["search", "--jobs", "1", "--element-type", "f32"];
                memory(&[&searched[..], &["--max-rank", "5", "--count", count]].concat())
            };
            Ok(Box::new(move || (small("100000000"), small("1000000"))))
        },
    },
    Row {
        what: "a trial of 64 MiB through the protocol",
        beside: "in process",
        target: "2.5 x",
        measures: Measures::Time,
        prepare: |folder| large(folder, "[4096, 4096]"),
    },
    Row {
        what: "a trial of 1 GiB through the protocol",
        beside: "in process",
        target: "2.5 x",
        measures: Measures::Time,
        prepare: |folder| large(folder, "[16384, 16384]"),
    },
    Row {
        what: "memory of the runner meanwhile",
        beside: "the data of 1 GiB",
        target: "1.2 x",
        measures: Measures::Memory,
        prepare: large_memory,
    },
    Row {
        what: "a trial of 1 GiB through onnxruntime",
        beside: "a Python program that makes the data, runs the model and compares",
        target: "2.5 x",
        measures: Measures::Time,
        prepare: large_through_onnxruntime,
    },
    Row {
        what: "comparison of 64 MiB",
        beside: "comparison of as many bytes",
        target: "1.1 x",
        measures: Measures::Time,
        prepare: |_| Ok(comparison(64 << 20)),
    },
    Row {
        what: "comparison of 1 GiB",
        beside: "comparison of as many bytes",
        target: "1.1 x",
        measures: Measures::Time,
        prepare: |_| Ok(comparison(1 << 30)),
    },
    Row {
        what: "page, JUnit and SARIF of the whole suite",
        beside: "writing as many bytes",
        target: "5 x",
        measures: Measures::Time,
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
    let is_named = !words.is_empty();
    let measured = |row: &&Row| is_named || row.repetitions() > 1;
    for row in ROWS.iter().filter(measured).filter(wanted) {
        row.print(folder.path());
    }
}

impl Row {
    fn repetitions(&self) -> usize {
        match self.measures {
            Measures::Time | Measures::Memory => REPETITIONS,
            Measures::LongTime | Measures::LongMemory => 1,
        }
    }

    /// A measured number in its own unit.
    fn shown(&self, number: f64) -> String {
        match self.measures {
            Measures::Time | Measures::LongTime => duration(number),
            Measures::Memory | Measures::LongMemory => format!("{:.0} MB", number / 1e6),
        }
    }

    fn print(&self, folder: &Path) {
        let Self {
            what,
            beside,
            target,
            prepare,
            ..
        } = self;
        let mut repetition = match prepare(folder) {
            Ok(repetition) => repetition,
            Err(why) => return println!("| {what} | {beside} | {why} | | | | {target} |"),
        };
        let times: Vec<_> = (0..self.repetitions()).map(|_| repetition()).collect();
        let mut ours: Vec<_> = times.iter().map(|(ours, _)| *ours).collect();
        let mut theirs: Vec<_> = times.iter().map(|(_, theirs)| *theirs).collect();
        let mut ratios: Vec<_> = times.iter().map(|(ours, theirs)| ours / theirs).collect();
        let (ours, theirs) = (
            self.shown(median(&mut ours)),
            self.shown(median(&mut theirs)),
        );
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
    let python = python
        .ok_or("not available: cargo run --release -- adapters install onnx-shape-inference")?;
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

/// All that onnxruntime is asked in the suite.
fn runner(folder: &Path) -> Result<Repetition<'_>, &'static str> {
    // A failure that is not known would be run again, in a process that writes a record of its own.
    let known = format!("{ROOT}/adapters/onnxruntime/known-failures.yaml");
    let suite = ["run", "--operator", "onnx", "--quiet", "--jobs", "1"];
    let suite = [&suite[..], &["--known-failures", &known]].concat();
    let mut bare = bare_loop(folder, &suite)?;
    Ok(Box::new(move || {
        let (ours, _) = onnx_trials();
        let Bare {
            seconds, models, ..
        } = bare();
        assert!(models > 1000.0, "a record of {models} models");
        (ours / models, seconds / models)
    }))
}

/// What a bare loop did: seconds, models and calls.
struct Bare {
    seconds: f64,
    models: f64,
    calls: f64,
}

/// The bare loop over all models and calls that the program, with these arguments, asks onnxruntime in one process.
fn bare_loop<'a>(
    folder: &'a Path,
    arguments: &[&str],
) -> Result<Box<dyn FnMut() -> Bare + 'a>, &'static str> {
    let python = environment("onnxruntime");
    let python =
        python.ok_or("not available: cargo run --release -- adapters install onnxruntime")?;
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
    recording.args(arguments);
    let recorder = format!("{} {ROOT}/benches/recorder.py", python.display());
    recording.args(["--adapter-command", &recorder]);
    set(&mut recording);
    let recorded = recording.output().unwrap();
    let said = String::from_utf8_lossy(&recorded.stdout);
    assert!(recorded.status.success(), "{said}");
    Ok(Box::new(move || {
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
        let number = |name: &str| times[name].as_f64().unwrap();
        Bare {
            seconds: number("seconds"),
            models: number("models"),
            calls: number("calls"),
        }
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
    let python =
        python.ok_or("not available: cargo run --release -- adapters install onnxruntime")?;
    Ok(Box::new(move || {
        let (ours, trials) = onnx_trials();
        let mut command = Command::new(&python);
        let output = command.arg(format!("{ROOT}/benches/backend_test.py"));
        let theirs = String::from_utf8(output.output().unwrap().stdout).unwrap();
        (ours / trials, theirs.trim().parse().unwrap())
    }))
}

/// The arguments that run a case with this much data.
fn large_case(folder: &Path, data: &str) -> Vec<String> {
    let cases = folder.join("large.yaml");
    let case = format!(
        "\
- name: large
  operators: [onnx.Reshape-14]
  covers: [same-count]
  data: {{shape: {data}, element_types: [f32]{}}}
  shape: [-1]
  expect: {{shape: [{}]}}
  bindings: [constant-static]
",
        if data == LARGEST { ", fill: none" } else { "" },
        if data == LARGEST { 1 << 28 } else { 1 << 24 }
    );
    fs::write(&cases, case).unwrap();
    let fixed = ["run", "--quiet", "--jobs", "1", "--max-data", "1024"];
    let fixed = fixed.into_iter().chain(["--memory", "16384", "--cases"]);
    let mut arguments: Vec<_> = fixed.map(str::to_owned).collect();
    arguments.push(cases.to_string_lossy().into_owned());
    arguments
}

/// The data of 1 GiB.
const LARGEST: &str = "[16384, 16384]";

/// The same arguments, and more.
fn with<'a>(arguments: &'a [String], more: &[&'a str]) -> Vec<&'a str> {
    let all = arguments.iter().map(String::as_str);
    all.chain(more.iter().copied()).collect()
}

fn large<'a>(folder: &Path, data: &str) -> Result<Repetition<'a>, &'static str> {
    let arguments = large_case(folder, data);
    let served = served();
    Ok(Box::new(move || {
        let run = |more: &[&str]| seconds(|| drop(program(&with(&arguments, more))));
        (run(&["--adapter-command", &served]), run(&[]))
    }))
}

fn large_memory(folder: &Path) -> Result<Repetition<'_>, &'static str> {
    let arguments = large_case(folder, LARGEST);
    let served = served();
    Ok(Box::new(move || {
        let ours = memory(&with(&arguments, &["--adapter-command", &served]));
        (ours, f64::from(1 << 30))
    }))
}

fn large_through_onnxruntime(folder: &Path) -> Result<Repetition<'_>, &'static str> {
    let python = environment("onnxruntime");
    let python =
        python.ok_or("not available: cargo run --release -- adapters install onnxruntime")?;
    let arguments = large_case(folder, LARGEST);
    Ok(Box::new(move || {
        let all = with(&arguments, &["--adapter", "onnxruntime"]);
        let ours = seconds(|| drop(program(&all)));
        let mut command = Command::new(&python);
        command.arg(format!("{ROOT}/benches/large.py"));
        let theirs = seconds(|| {
            let output = command.output().unwrap();
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{errors}");
        });
        (ours, theirs)
    }))
}

/// The most bytes that the program has resident while it runs.
fn memory(arguments: &[&str]) -> f64 {
    let mut command = Command::new(BINARY);
    let silent = command.args(arguments).stdout(Stdio::null());
    let mut child = silent.stderr(Stdio::null()).spawn().unwrap();
    let mut most = 0.0;
    let status = format!("/proc/{}/status", child.id());
    while child.try_wait().unwrap().is_none() {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.split_whitespace().next());
        most = kilobytes.map_or(most, |of| of.parse::<f64>().unwrap() * 1024.0);
        std::thread::sleep(Duration::from_millis(5));
    }
    most
}

/// The reference as a program that speaks the protocol.
fn served() -> String {
    format!("{BINARY} serve reference")
}

/// The C kit's example, compiled.
fn c_example(folder: &Path) -> Result<String, &'static str> {
    let example = folder.join("example");
    let mut compiler = Command::new("cc");
    compiler.args(["-O2", "-std=c11", "-o"]).arg(&example);
    compiler.arg(format!("{ROOT}/adapters/kit/c/example.c"));
    let done = compiler.status().map_err(|_| "not available: cc")?;
    assert!(done.success(), "example.c does not compile");
    Ok(example.to_string_lossy().into_owned())
}

fn search_through_c(folder: &Path) -> Result<Repetition<'_>, &'static str> {
    let example = c_example(folder)?;
    Ok(Box::new(move || {
        let only = ["--max-rank", "2", "--operator", "onnx.Reshape-14"];
        let through = [&only[..], &["--adapter-command", &example]].concat();
        (search(&through), search(&only))
    }))
}

/// A search in which one model serves all data shapes of a rank and all targets of a length.
const UNDECLARED: [&str; 4] = ["--binding", "runtime-dynamic", "--max-rank", "3"];
const COUNT: [&str; 2] = ["--count", "40000"];

fn search_undeclared_beside_itself<'a>(command: &str) -> Result<Repetition<'a>, &'static str> {
    let command = command.to_owned();
    Ok(Box::new(move || {
        let only = [&UNDECLARED[..], &COUNT, &["--operator", "onnx.Reshape-14"]].concat();
        let through = [&only[..], &["--adapter-command", &command]].concat();
        (search(&through), search(&only))
    }))
}

fn search_through_onnxruntime(folder: &Path) -> Result<Repetition<'_>, &'static str> {
    let searched = ["search", "--jobs", "1", "--element-type", "f32"];
    // onnxruntime passes all trials of this version: a failure would be run again in a process that writes a record of its own.
    let only = ["--operator", "onnx.Reshape-13"];
    let searched = [&searched[..], &UNDECLARED, &only].concat();
    let mut bare = bare_loop(folder, &[&searched[..], &COUNT].concat())?;
    Ok(Box::new(move || {
        let ours = |count: &[&str]| {
            let arguments = [&searched[..], &["--adapter", "onnxruntime"], count].concat();
            let begun = Instant::now();
            let output = program(&arguments);
            (begun.elapsed().as_secs_f64(), trials(&output))
        };
        let (start, _) = ours(&["--count", "1"]);
        let (all, trials) = ours(&COUNT);
        let theirs = bare();
        // One for each rank of the data and length of the target, each 0 to 3.
        assert!(theirs.models <= 16.0, "{} models", theirs.models);
        ((all - start) / trials, theirs.seconds / theirs.calls)
    }))
}

fn two_workers(_: &Path) -> Result<Repetition<'_>, &'static str> {
    let run = |jobs| {
        let served = served();
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
    let served = served();
    Ok(Box::new(move || {
        let ours = search(&["--max-rank", "2", "--adapter-command", &served]);
        (ours, search(&["--max-rank", "2"]))
    }))
}

fn search_twice(_: &Path) -> Result<Repetition<'_>, &'static str> {
    let random = |count| search(&["--random", "--count", count]);
    Ok(Box::new(move || (random("200000"), random("20000"))))
}

fn comparison(size: u64) -> Repetition<'static> {
    let tensor = || Fill::Index.tensor(ElementType::U8, vec![size]);
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
