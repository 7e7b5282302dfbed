//! The command line. All it does is in the library's `cli`.

fn main() -> std::process::ExitCode {
    reshape_conformance::cli::main()
}
