//! The data of neighbouring trials, which is made once: most trials of a case differ in operator and binding only.

use super::Case;
use crate::tensor::{ElementType, Tensor};
use std::cell::RefCell;
use std::sync::Arc;

/// The maximum size of what is remembered, in bytes; a string counts as 16.
const MAX_BYTES: u64 = 16 << 20;

/// The data of the case that was asked for last.
#[derive(Default)]
pub(crate) struct DataCache(RefCell<CaseData>);

#[derive(Default)]
struct CaseData {
    /// `None` before the first.
    case: Option<Arc<Case>>,
    bytes: u64,
    tensors: Vec<(ElementType, Arc<Tensor>)>,
}

impl DataCache {
    /// The data of a case, made now or remembered.
    ///
    /// # Errors
    /// When a listed literal is not a value of that type.
    pub(crate) fn get(
        &self,
        case: &Arc<Case>,
        element_type: ElementType,
    ) -> Result<Arc<Tensor>, String> {
        let mut last = self.0.borrow_mut();
        if !last
            .case
            .as_ref()
            .is_some_and(|last| Arc::ptr_eq(last, case))
        {
            *last = CaseData {
                case: Some(Arc::clone(case)),
                ..CaseData::default()
            };
        }
        let known = last.tensors.iter().find(|(of, _)| *of == element_type);
        if let Some((_, tensor)) = known {
            return Ok(Arc::clone(tensor));
        }
        let tensor = Arc::new(case.data(element_type)?);
        let bits = tensor.len() as u64 * u64::from(element_type.bits().unwrap_or(128));
        if last.bytes + bits / 8 <= MAX_BYTES {
            last.bytes += bits / 8;
            last.tensors.push((element_type, Arc::clone(&tensor)));
        }
        Ok(tensor)
    }
}
