//! A request in one line.

use crate::event::shorten::shorten;
use crate::spec::request::Request;

/// The most characters of the data dims, and of the target.
const MAX_SHAPE: usize = 120;

/// A request without its operator and element type: `[2, 3] to [0, -1], allowzero=1`.
pub(crate) fn request_line(request: &Request) -> String {
    let target = request.target.as_ref();
    let target = target.map_or_else(|| "no target".to_owned(), ToString::to_string);
    let attributes: String = request
        .attributes
        .iter()
        .map(|(name, value)| format!(", {name}={value}"))
        .collect();
    format!(
        "{} to {}{attributes}",
        shorten(&format!("{:?}", request.data_shape), MAX_SHAPE),
        shorten(&target, MAX_SHAPE)
    )
}
