//! `cargo xtask playground`: builds the page `docs/playground/index.html`, which contains the oracle as WebAssembly.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

const TARGET: &str = "wasm32-wasip1";

pub(crate) fn run(root: &Path) -> Result<(), String> {
    let folder = root.join("docs/playground");
    let program = STANDARD.encode(gzip(&build(root)?)?);
    let style = read(&root.join("src/report/html/page.css"))?;
    let page = read(&folder.join("page.html"))?;
    let page = page.replace("/* page.css */", style.trim_end());
    let page = page.replace("/* program */", &program);
    let file = folder.join("index.html");
    fs::write(&file, &page).map_err(|why| format!("{}: {why}", file.display()))?;
    println!("wrote docs/playground/index.html, {} bytes", page.len());
    Ok(())
}

/// The program as WebAssembly, without paths of this machine.
fn build(root: &Path) -> Result<Vec<u8>, String> {
    let home = std::env::var("CARGO_HOME").unwrap_or_else(|_| {
        let home = std::env::var("HOME").unwrap_or_default();
        format!("{home}/.cargo")
    });
    let flags = format!(
        "--remap-path-prefix={}=. --remap-path-prefix={home}/registry/src=registry",
        root.display()
    );
    let mut cargo = Command::new("cargo");
    cargo
        .args(["build", "--bin", "playground", "--profile", "playground"])
        .args(["--no-default-features", "--features", "playground"])
        .args(["--target", TARGET, "--target-dir", "target/playground"])
        .env("RUSTFLAGS", flags)
        .current_dir(root);
    let status = cargo.status().map_err(|why| format!("cargo: {why}"))?;
    if !status.success() {
        return Err(format!(
            "cargo ended with {status}; if the target is missing, `rustup target add {TARGET}` installs it"
        ));
    }
    let file = root.join(format!(
        "target/playground/{TARGET}/playground/playground.wasm"
    ));
    fs::read(&file).map_err(|why| format!("{}: {why}", file.display()))
}

fn gzip(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let failed = |why| format!("gzip: {why}");
    let mut gzip = Command::new("gzip");
    gzip.args(["-9", "-n"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut child = gzip.spawn().map_err(failed)?;
    let input = child.stdin.take();
    let output = std::thread::scope(|scope| {
        scope.spawn(move || input.map(|mut input| input.write_all(bytes)));
        child.wait_with_output()
    });
    output.map(|output| output.stdout).map_err(failed)
}

fn read(file: &Path) -> Result<String, String> {
    fs::read_to_string(file).map_err(|why| format!("{}: {why}", file.display()))
}
