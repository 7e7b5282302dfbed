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

/// How an instance contradicts the first one of its backend; `None` if it does not. Each is a name and a version.
pub(crate) fn contradiction(first: (&str, &str), now: (&str, &str)) -> Option<String> {
    let ((first_name, first_version), (name, version)) = (first, now);
    (first != now).then(|| {
        format!(
            "is {name} {version} now, and was {first_name} {first_version} when it started first: one run is of one version"
        )
    })
}
