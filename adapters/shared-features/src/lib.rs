//! Nothing: what this package is for stands in its Cargo.toml.
