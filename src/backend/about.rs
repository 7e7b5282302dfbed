//! Identity and capabilities of a backend.

use super::supports::Supports;

/// The identity of a backend, and its capabilities.
#[derive(Debug, Clone)]
pub struct About {
    /// The backend's name, as reports show it.
    pub name: String,
    /// The backend's version.
    pub version: String,
    /// The backend's capabilities.
    pub supports: Supports,
}
