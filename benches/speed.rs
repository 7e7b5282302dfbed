//! How fast the oracle and the runner are, beside what a person would use instead, measured in one run.
//!
//! `cargo bench`; the rows that need a backend say so if it is not installed.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    missing_docs,
    reason = "a benchmark"
)]

use reshape_conformance::spec::operator::Operator;
use reshape_conformance::spec::oracle::{Resolution, resolve};
use reshape_conformance::spec::request::{AttributeValue, Attributes, Request, Target};
use reshape_conformance::tensor::ElementType;
use serde_json::{Value, json};
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

const BINARY: &str = env!("CARGO_BIN_EXE_reshape-conformance");
const ROOT: &str = env!("CARGO_MANIFEST_DIR");
const TARGETS: usize = 10_000;
const REPETITIONS: usize = 5;

fn main() {
    let folder = tempfile::tempdir().unwrap();
    targets(folder.path());
    runner(folder.path());
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

fn targets(folder: &Path) {
    let requests = requests();
    let reshaped = requests
        .iter()
        .filter(|request| matches!(resolve(request), Resolution::Reshaped(_)))
        .count();
    println!(
        "{TARGETS} targets ({reshaped} good), median of {REPETITIONS} interleaved repetitions"
    );
    let lines: String = requests
        .iter()
        .map(|request| {
            let values: Vec<i64> = request.target.iter().flat_map(|t| &t.values).map(|v| i64::try_from(*v).unwrap()).collect();
            let line = json!({"operator": request.operator.name, "data_shape": request.data_shape, "shape": values,
                "attributes": {"allowzero": 1}});
            format!("{line}\n")
        })
        .collect();
    let path = folder.join("targets.jsonl");
    std::fs::write(&path, lines).unwrap();
    let python = environment("onnx-shape-inference");
    let (mut oracle, mut command, mut numpy, mut onnx) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for _ in 0..REPETITIONS {
        let start = Instant::now();
        const PASSES: usize = 20;
        for _ in 0..PASSES {
            for request in &requests {
                black_box(resolve(black_box(request)));
            }
        }
        oracle.push(start.elapsed().as_secs_f64() * 1e9 / (PASSES * TARGETS) as f64);
        let start = Instant::now();
        let input = std::fs::File::open(&path).unwrap();
        let status = Command::new(BINARY)
            .arg("oracle")
            .stdin(input)
            .stdout(Stdio::null())
            .status()
            .unwrap();
        assert!(status.success());
        command.push(start.elapsed().as_secs_f64() * 1e9 / TARGETS as f64);
        if let Some(python) = &python {
            let output = Command::new(python)
                .arg(format!("{ROOT}/benches/targets.py"))
                .arg(&path)
                .output()
                .unwrap();
            let times: Value =
                serde_json::from_slice(&output.stdout).expect("targets.py prints its times");
            numpy.push(times["numpy"].as_f64().unwrap());
            onnx.push(times["onnx"].as_f64().unwrap());
        }
    }
    let base = median(&mut oracle);
    let row = |what: &str, times: &mut Vec<f64>| match times.is_empty() {
        true => println!("  {what:34} not available: cargo xtask adapters onnx-shape-inference"),
        false => {
            let time = median(times);
            println!("  {what:34} {time:10.0} ns a target  {:8.1} x", time / base);
        }
    };
    row("oracle, in process", &mut oracle);
    row("oracle, JSON lines, with start", &mut command);
    row("numpy.reshape", &mut numpy);
    row("onnx.shape_inference", &mut onnx);
}

fn runner(folder: &Path) {
    let Some(python) = environment("onnxruntime") else {
        println!("runner beside a bare loop: not available: cargo xtask adapters onnxruntime");
        return;
    };
    let adapter = format!("{ROOT}/adapters/onnxruntime");
    let record = folder.join("record.pickle");
    let set = |command: &mut Command| {
        command
            .env("ONNXRUNTIME_ADAPTER", &adapter)
            .env("RECORD", &record);
        command
            .env("PYTHONPATH", format!("{ROOT}/adapters/kit/python"))
            .env("PYTHONDONTWRITEBYTECODE", "1");
    };
    // All that onnxruntime is asked in the suite. The record holds every model and every run of one worker.
    let operators = ["--operator", "onnx", "--quiet"];
    let mut recording = Command::new(BINARY);
    recording.args(["run", "--jobs", "1"]).args(operators);
    recording.args([
        "--adapter-command",
        &format!("{} {ROOT}/benches/recorder.py", python.display()),
    ]);
    set(&mut recording);
    drop(recording.output().unwrap());
    let (mut through, mut all, mut bare, mut calls) = (Vec::new(), Vec::new(), Vec::new(), 0);
    let mut models = 0;
    for _ in 0..REPETITIONS {
        let seconds = |arguments: &[&str]| {
            let start = Instant::now();
            let output = Command::new(BINARY)
                .args(["run", "--adapter", "onnxruntime"])
                .args(arguments)
                .output()
                .unwrap();
            assert!(
                output
                    .status
                    .code()
                    .is_some_and(|code| code == 0 || code == 100 || code == 101)
            );
            start.elapsed().as_secs_f64()
        };
        // What all pay once, and the loop does not count: starting Python and importing onnxruntime.
        let start = seconds(&[
            "--quiet",
            "--exact",
            "test-reshape-one-dim/onnx.Reshape-14/f32/constant-static",
        ]);
        through.push(seconds(&[&operators[..], &["--jobs", "1"]].concat()) - start);
        all.push(seconds(&operators) - start);
        let mut command = Command::new(&python);
        let answer = folder.join("bare.json");
        command
            .arg(format!("{ROOT}/benches/bare_loop.py"))
            .arg(&record)
            .arg(&answer);
        set(&mut command);
        let output = command.output().unwrap();
        assert!(
            output.status.success(),
            "bare_loop.py failed: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        let times: Value = serde_json::from_slice(&std::fs::read(&answer).unwrap()).unwrap();
        bare.push(times["seconds"].as_f64().unwrap());
        calls = times["calls"].as_u64().unwrap();
        models = times["models"].as_u64().unwrap();
    }
    let (through, all, bare) = (median(&mut through), median(&mut all), median(&mut bare));
    println!(
        "{models} models, {calls} calls through onnxruntime, without start, median of {REPETITIONS}"
    );
    let each = |seconds: f64| seconds * 1e6 / models as f64;
    println!(
        "  {:34} {:10.0} us a model",
        "a bare Python loop",
        each(bare)
    );
    println!(
        "  {:34} {:10.0} us a model  {:8.2} x",
        "the runner, one worker",
        each(through),
        through / bare
    );
    println!(
        "  {:34} {:10.0} us a model  {:8.2} x",
        "the runner, a worker a core",
        each(all),
        all / bare
    );
}

/// The Python of an installed adapter.
fn environment(adapter: &str) -> Option<PathBuf> {
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| Path::new(ROOT).join("target"), PathBuf::from);
    let python = target.join("adapters").join(adapter).join("bin/python");
    python.exists().then_some(python)
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
