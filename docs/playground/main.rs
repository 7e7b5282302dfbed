//! The playground's program, for WebAssembly: one line of JSON on standard input, one on standard output.

#![allow(clippy::print_stdout, reason = "a command line program")]

fn main() -> std::io::Result<()> {
    let request = std::io::read_to_string(std::io::stdin())?;
    println!("{}", reshape_conformance::playground::answer(&request));
    Ok(())
}
