//! Nothing: what this package is for stands in its package.toml.
