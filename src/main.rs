//! The program. The library's `cli` does its work.

fn main() -> std::process::ExitCode {
    reshape_conformance::cli::main()
}
