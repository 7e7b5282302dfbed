//! What a user waits for, measured in one run, beside what the machine must do at least: the table of docs/performance.md.
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
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant, SystemTime};

const BINARY: &str = env!("CARGO_BIN_EXE_reshape-conformance");
const ROOT: &str = env!("CARGO_MANIFEST_DIR");
const TARGETS: usize = 10_000;
const NO_ONNXRUNTIME: &str = "not available: cargo run --release -- adapters install onnxruntime";

/// One repetition: what is measured, ours and beside it; 1 if there is nothing beside it.
type Repetition<'a> = Box<dyn FnMut() -> (f64, f64) + 'a>;

/// A line of the table.
struct Row {
    what: &'static str,
    /// Empty if the goal is not a ratio.
    beside: &'static str,
    unit: Unit,
    goal: Goal,
    times: Times,
    /// Makes what a repetition needs, in this folder; or says what is not there.
    prepare: fn(&Path) -> Result<Repetition<'_>, &'static str>,
}

/// The unit of ours and theirs.
#[derive(Clone, Copy)]
enum Unit {
    Seconds,
    Bytes,
    PerSecond,
}

/// The most that ours may be; of a rate, the least.
#[derive(Clone, Copy)]
enum Goal {
    Ratio(f64),
    Ours(f64),
}

/// The number of repetitions.
#[derive(Clone, Copy)]
enum Times {
    Five,
    /// Of most of a minute each.
    Three,
    /// Of minutes, and only where words name the row.
    OnRequest,
}

const ROWS: &[Row] = &[
    Row {
        what: "whole suite on onnxruntime, one worker",
        beside: "a bare Python loop over the same models and runs",
        unit: Unit::Seconds,
        goal: Goal::Ratio(1.9),
        times: Times::Three,
        prepare: |folder| suite_beside_bare_loop(folder, &["--jobs", "1"]),
    },
    Row {
        what: "whole suite on onnxruntime, a worker for each core",
        beside: "the same loop, which uses one core",
        unit: Unit::Seconds,
        goal: Goal::Ratio(0.9),
        times: Times::Three,
        prepare: |folder| suite_beside_bare_loop(folder, &[]),
    },
    Row {
        what: "first red trial of a wrong Python function, after `hello`",
        beside: "",
        unit: Unit::Seconds,
        goal: Goal::Ours(1.0),
        times: Times::Five,
        prepare: first_red_trial,
    },
    Row {
        what: "whole suite in process, a trial",
        beside: "",
        unit: Unit::Seconds,
        goal: Goal::Ours(5e-6),
        times: Times::Five,
        prepare: |_| Ok(Box::new(|| (a_trial(&["run", "--quiet"]), 1.0))),
    },
    Row {
        what: "oracle, one target of rank 1 to 6",
        beside: "a product of the dims and a division",
        unit: Unit::Seconds,
        goal: Goal::Ratio(3.0),
        times: Times::Five,
        prepare: oracle_beside_division,
    },
    Row {
        what: "search of all small trials in process, a trial",
        beside: "",
        unit: Unit::Seconds,
        goal: Goal::Ours(2e-6),
        times: Times::Five,
        prepare: |_| Ok(Box::new(|| (search(&["--max-rank", "2"]), 1.0))),
    },
    Row {
        what: "requests to `oracle` as JSON lines, on two cores",
        beside: "on one core",
        unit: Unit::PerSecond,
        goal: Goal::Ours(400e3),
        times: Times::Five,
        prepare: json_lines,
    },
    Row {
        what: "memory of the runner, whole suite on onnxruntime",
        beside: "",
        unit: Unit::Bytes,
        goal: Goal::Ours(68e6),
        times: Times::Three,
        prepare: |_| memory_of_suite(Vec::new()),
    },
    Row {
        what: "the same with page, JUnit and stream",
        beside: "",
        unit: Unit::Bytes,
        goal: Goal::Ours(101e6),
        times: Times::Three,
        prepare: |folder| {
            let files = ["html", "junit", "events"].map(|kind| {
                [
                    format!("--{kind}"),
                    folder.join(kind).to_string_lossy().into_owned(),
                ]
            });
            memory_of_suite(files.concat())
        },
    },
    Row {
        what: "a trial of 1 GiB through the protocol",
        beside: "making the data",
        unit: Unit::Seconds,
        goal: Goal::Ratio(2.5),
        times: Times::Three,
        prepare: large,
    },
    Row {
        what: "memory of the runner meanwhile",
        beside: "the data of 1 GiB",
        unit: Unit::Bytes,
        goal: Goal::Ratio(1.2),
        times: Times::Three,
        prepare: large_memory,
    },
    Row {
        what: "100,000,000 enumerated trials, a trial",
        beside: "1,000,000",
        unit: Unit::Seconds,
        goal: Goal::Ratio(1.1),
        times: Times::OnRequest,
        prepare: |_| {
            let small = |count| search(&["--max-rank", "5", "--count", count]);
            Ok(Box::new(move || (small("100000000"), small("1000000"))))
        },
    },
    Row {
        what: "memory of 100,000,000 enumerated trials",
        beside: "of 1,000,000",
        unit: Unit::Bytes,
        goal: Goal::Ours(100e6),
        times: Times::OnRequest,
        prepare: |_| {
            let small = |count| {
                let searched = ["search", "--jobs", "1", "--element-type", "f32"];
                memory(&[&searched[..], &["--max-rank", "5", "--count", count]].concat())
            };
            Ok(Box::new(move || (small("100000000"), small("1000000"))))
        },
    },
    Row {
        what: "README's first command, cold",
        beside: "",
        unit: Unit::Seconds,
        goal: Goal::Ours(110.0),
        times: Times::OnRequest,
        prepare: |folder| {
            let first = move || seconds(|| cold(folder, &["run", "--release"]));
            Ok(Box::new(move || (first(), 1.0)))
        },
    },
    Row {
        what: "README's second command, cold, after the first",
        beside: "",
        unit: Unit::Seconds,
        goal: Goal::Ours(140.0),
        times: Times::OnRequest,
        prepare: |folder| {
            cold(folder, &["run", "--release"]);
            let second = ["test", "--release", "--workspace"];
            Ok(Box::new(move || (seconds(|| cold(folder, &second)), 1.0)))
        },
    },
];

fn main() {
    println!("| what | beside | ours | theirs | ratio | spread | goal | met |");
    println!("|---|---|---|---|---|---|---|---|");
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
    let measured = |row: &&Row| is_named || !matches!(row.times, Times::OnRequest);
    for row in ROWS.iter().filter(measured).filter(wanted) {
        row.print(folder.path());
    }
}

impl Row {
    fn print(&self, folder: &Path) {
        let (what, beside, unit) = (self.what, self.beside, self.unit);
        let goal = match self.goal {
            Goal::Ratio(goal) => format!("{goal} x"),
            Goal::Ours(goal) => unit.shown(goal),
        };
        let mut repetition = match (self.prepare)(folder) {
            Ok(repetition) => repetition,
            Err(why) => return println!("| {what} | {beside} | {why} | | | | {goal} | |"),
        };
        let times = match self.times {
            Times::Five => 5,
            Times::Three => 3,
            Times::OnRequest => 1,
        };
        let pairs: Vec<_> = (0..times).map(|_| repetition()).collect();
        let [ours, ..] = spread(pairs.iter().map(|(ours, _)| *ours));
        let [theirs, ..] = spread(pairs.iter().map(|(_, theirs)| *theirs));
        let [ratio, least, most] = spread(pairs.iter().map(|(ours, theirs)| ours / theirs));
        let is_met = match (self.goal, unit) {
            (Goal::Ratio(goal), _) => ratio <= goal,
            (Goal::Ours(goal), Unit::PerSecond) => ours >= goal,
            (Goal::Ours(goal), Unit::Seconds | Unit::Bytes) => ours <= goal,
        };
        let ours = unit.shown(ours);
        let beside_it = match beside {
            "" => format!("| | {} to {}", unit.shown(least), unit.shown(most)),
            _ => format!(
                "{} | {ratio:.2} | {least:.2} to {most:.2}",
                unit.shown(theirs)
            ),
        };
        let met = if is_met { "yes" } else { "no" };
        println!("| {what} | {beside} | {ours} | {beside_it} | {goal} | {met} |");
    }
}

impl Unit {
    /// A measured number.
    fn shown(self, number: f64) -> String {
        match self {
            Self::Seconds => duration(number),
            Self::Bytes => format!("{:.0} MB", number / 1e6),
            Self::PerSecond => format!("{:.0} k/s", number / 1e3),
        }
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

/// The median, the least and the most.
fn spread(numbers: impl Iterator<Item = f64>) -> [f64; 3] {
    let mut numbers: Vec<_> = numbers.collect();
    numbers.sort_by(f64::total_cmp);
    let last = numbers.len() - 1;
    [numbers[numbers.len() / 2], numbers[0], numbers[last]]
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
    let attributes = Attributes::new([("allowzero".to_owned(), AttributeValue::Int(1))].into());
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

/// Requests as JSON lines, and how many of them the program answers in a second.
fn json_lines(folder: &Path) -> Result<Repetition<'_>, &'static str> {
    const COPIES: usize = 20;
    let line = |request: &Request| {
        let (data_shape, shape) = (&request.data_shape, values(request));
        let attributes = json!({"allowzero": 1});
        let operator = request.operator.name;
        format!(
            "{}\n",
            json!({"operator": operator, "data_shape": data_shape, "shape": shape, "attributes": attributes})
        )
    };
    let lines: String = requests().iter().map(line).collect();
    let path = folder.join("requests.jsonl");
    fs::write(&path, lines.repeat(COPIES)).unwrap();
    let on = move |cores| {
        let mut command = Command::new("taskset");
        let command = command.args(["--cpu-list", cores, BINARY, "oracle"]);
        let command = command.stdin(fs::File::open(&path).unwrap());
        let command = command.stdout(Stdio::null());
        let took = seconds(|| assert!(command.status().unwrap().success()));
        (TARGETS * COPIES) as f64 / took
    };
    Ok(Box::new(move || (on("0,1"), on("0"))))
}

/// All that onnxruntime is asked in the suite. What all pay once is not counted: starting Python and importing onnxruntime.
fn suite_beside_bare_loop<'a>(
    folder: &'a Path,
    jobs: &'static [&str],
) -> Result<Repetition<'a>, &'static str> {
    let mut bare = bare_loop(folder)?;
    let run = |arguments: &[&str]| {
        let fixed = ["run", "--adapter", "onnxruntime", "--quiet"];
        let all = [&fixed[..], arguments, jobs].concat();
        seconds(|| drop(program(&all)))
    };
    let one = "test-reshape-one-dim/onnx.Reshape-14/f32/constant-static";
    Ok(Box::new(move || {
        (run(&[]) - run(&["--exact", one]), bare())
    }))
}

/// The bare loop over all models and runs that the suite asks of onnxruntime in one process: the seconds that it takes.
fn bare_loop(folder: &Path) -> Result<Box<dyn FnMut() -> f64 + '_>, &'static str> {
    let python = python().ok_or(NO_ONNXRUNTIME)?;
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
    if !record.exists() {
        let mut recording = Command::new(BINARY);
        recording.args(["run", "--operator", "onnx", "--quiet", "--jobs", "1"]);
        // A failure that is not known would be run again, in a process that writes a record of its own.
        recording.arg("--known-failures");
        recording.arg(format!("{adapter}/known-failures.yaml"));
        let recorder = format!("{} {ROOT}/benches/recorder.py", python.display());
        recording.args(["--adapter-command", &recorder]);
        set(&mut recording);
        let recorded = recording.output().unwrap();
        let said = String::from_utf8_lossy(&recorded.stdout);
        assert!(recorded.status.success(), "{said}");
    }
    Ok(Box::new(move || {
        let mut command = Command::new(&python);
        let script = format!("{ROOT}/benches/bare_loop.py");
        command.arg(script).arg(&record).arg(&answer);
        set(&mut command);
        let is_done = command.output().unwrap().status.success();
        assert!(is_done, "bare_loop.py failed");
        let times: Value = serde_json::from_slice(&fs::read(&answer).unwrap()).unwrap();
        let models = times["models"].as_u64().unwrap();
        assert!(models > 1000, "a record of {models} models");
        times["seconds"].as_f64().unwrap()
    }))
}

/// The time from `hello` until the first red trial of a function that copies every zero is on the terminal.
fn first_red_trial(folder: &Path) -> Result<Repetition<'_>, &'static str> {
    let python = python().ok_or(NO_ONNXRUNTIME)?;
    let imported = folder.join("imported");
    Ok(Box::new(move || {
        let _ = fs::remove_file(&imported);
        let mut command = Command::new(BINARY);
        command.args(["run", "--python-function", "one_fault:reshape"]);
        command
            .args(["--operator", "onnx", "--python"])
            .arg(&python);
        command.env("IMPORTED", &imported);
        command.env("PYTHONPATH", format!("{ROOT}/benches"));
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut lines = lines.map(Result::unwrap);
        let red = lines.find(|line| line.contains("the first red trial: "));
        let now = SystemTime::now();
        assert!(red.is_some(), "no failure");
        child.kill().unwrap();
        child.wait().unwrap();
        let begun = fs::metadata(&imported).unwrap().modified().unwrap();
        (now.duration_since(begun).unwrap().as_secs_f64(), 1.0)
    }))
}

/// The memory of the runner while it runs the suite on onnxruntime and writes reports.
fn memory_of_suite<'a>(reports: Vec<String>) -> Result<Repetition<'a>, &'static str> {
    python().ok_or(NO_ONNXRUNTIME)?;
    Ok(Box::new(move || {
        let fixed = ["run", "--adapter", "onnxruntime", "--quiet"];
        let reports = reports.iter().map(String::as_str);
        let all: Vec<_> = fixed.into_iter().chain(reports).collect();
        (memory(&all), 1.0)
    }))
}

/// A command of cargo, with a folder of its own for what it builds.
fn cold(folder: &Path, arguments: &[&str]) {
    let mut cargo = Command::new("cargo");
    cargo.args(arguments).current_dir(ROOT);
    cargo.env("CARGO_TARGET_DIR", folder.join("cold"));
    let Output {
        status,
        stdout,
        stderr,
    } = cargo.output().unwrap();
    let said = [stdout, stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(
        status.success(),
        "cargo {arguments:?}: {}{}",
        said[0],
        said[1]
    );
}

/// The arguments that run a case with data of 1 GiB.
fn large_case(folder: &Path) -> Vec<String> {
    let cases = folder.join("large.yaml");
    let case = "\
- name: large
  operators: [onnx.Reshape-14]
  covers: [same-count]
  data: {shape: [16384, 16384], element_types: [f32], fill: none}
  shape: [-1]
  expect: {shape: [268435456]}
  bindings: [constant-static]
";
    fs::write(&cases, case).unwrap();
    let fixed = ["run", "--quiet", "--jobs", "1", "--max-data", "1024"];
    let fixed = fixed.into_iter().chain(["--memory", "16384", "--cases"]);
    let mut arguments: Vec<_> = fixed.map(str::to_owned).collect();
    arguments.push(cases.to_string_lossy().into_owned());
    arguments
}

/// The same arguments, and more.
fn with<'a>(arguments: &'a [String], more: &[&'a str]) -> Vec<&'a str> {
    let all = arguments.iter().map(String::as_str);
    all.chain(more.iter().copied()).collect()
}

fn large(folder: &Path) -> Result<Repetition<'_>, &'static str> {
    let arguments = large_case(folder);
    let served = served();
    Ok(Box::new(move || {
        let all = with(&arguments, &["--adapter-command", &served]);
        let ours = seconds(|| drop(program(&all)));
        let make = || Fill::Index.tensor(ElementType::F32, vec![16384, 16384]);
        (ours, seconds(|| drop(black_box(make()))))
    }))
}

fn large_memory(folder: &Path) -> Result<Repetition<'_>, &'static str> {
    let arguments = large_case(folder);
    let served = served();
    Ok(Box::new(move || {
        let ours = memory(&with(&arguments, &["--adapter-command", &served]));
        (ours, f64::from(1 << 30))
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

/// A search, and the time that a trial takes.
fn search(arguments: &[&str]) -> f64 {
    let fixed = ["search", "--jobs", "1", "--element-type", "f32"];
    a_trial(&[&fixed[..], arguments].concat())
}

/// The time that a command takes for each trial.
fn a_trial(arguments: &[&str]) -> f64 {
    let start = Instant::now();
    let output = program(arguments);
    start.elapsed().as_secs_f64() / trials(&output)
}

/// The number of trials that it says.
fn trials(output: &Output) -> f64 {
    let said = String::from_utf8_lossy(&output.stdout);
    let (before, _) = said.split_once(" trials = ").expect("a number of trials");
    let number = before.rsplit(' ').next().unwrap().replace(',', "");
    number.parse().unwrap()
}

/// The Python of the installed onnxruntime.
fn python() -> Option<PathBuf> {
    let target = || std::env::var_os("CARGO_TARGET_DIR").map(|of| Path::new(&of).join("adapters"));
    let installed = std::env::var_os("RESHAPE_CONFORMANCE_DIR").map(PathBuf::from);
    let installed = installed.or_else(target);
    let installed = installed.unwrap_or_else(|| Path::new(ROOT).join("target/adapters"));
    let python = installed.join("onnxruntime/bin/python");
    python.exists().then_some(python)
}
