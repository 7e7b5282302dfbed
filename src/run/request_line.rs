//! A request in one line.

use crate::event::shorten::shorten;
use crate::semantics::request::{Request, Target};
use crate::tensor::ElementType;

/// The most characters of the data dims, and of the target.
const MAX_SHAPE: usize = 120;

/// A request without its operator and element type: `[2, 3] to [0, -1], allowzero=1`. The type of the target's values
/// is named unless it is i64: `[2, 3] to u8[6]`.
pub(crate) fn request_line(request: &Request) -> String {
    let target = request.target.as_ref();
    let target = target.map_or_else(|| "no target".to_owned(), target_in_words);
    let attributes = request.attributes.iter();
    let attributes = attributes.map(|(name, value)| format!(", {name}={value}"));
    let attributes: String = attributes.collect();
    format!(
        "{} to {}{attributes}",
        shorten(&format!("{:?}", request.data_shape), MAX_SHAPE),
        shorten(&target, MAX_SHAPE)
    )
}

/// The values of a target, after their type unless that is i64.
fn target_in_words(target: &Target) -> String {
    let element_type = target.element_type;
    if element_type == ElementType::I64 {
        target.to_string()
    } else if target.dims.is_empty() {
        // A bare integer has no brackets after the name of its type.
        format!("{element_type} {target}")
    } else {
        format!("{element_type}{target}")
    }
}
