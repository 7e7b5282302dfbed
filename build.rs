//! Builds anew when a case changes: the suite is part of the library.
fn main() {
    println!("cargo::rerun-if-changed=cases");
}
