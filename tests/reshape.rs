//! The project's own suite on its own reference, through the door that any Rust backend uses.

fn main() -> std::process::ExitCode {
    reshape_conformance::harness::run(|| reshape_conformance::backend::Reference)
}
