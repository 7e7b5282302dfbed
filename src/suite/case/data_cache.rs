//! Data that is made once: the elements of a fill are the first of every longer one of its element type.

use super::{Case, Content};
use crate::tensor::{ElementType, Fill, Tensor};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// The maximum size of what is remembered, in bytes; a string counts as 16.
const MAX_BYTES: u64 = 16 << 20;

/// The longest fill of each kind that was asked for, for all workers.
#[derive(Default)]
pub(crate) struct DataCache(Mutex<Remembered>);

#[derive(Default)]
struct Remembered {
    bytes: u64,
    tensors: HashMap<(ElementType, Fill), Tensor>,
}

impl DataCache {
    /// The data of a case, made now or remembered.
    ///
    /// # Errors
    /// When a listed literal is not a value of that type.
    pub(crate) fn get(&self, case: &Case, element_type: ElementType) -> Result<Tensor, String> {
        let Content::Fill(fill) = case.content else {
            return case.data(element_type);
        };
        // A panic cannot leave a wrong tensor in it.
        let mut remembered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let longest = remembered.tensors.get(&(element_type, fill));
        let known = longest.and_then(|longest| longest.first_elements(case.data_shape.clone()));
        if let Some(tensor) = known {
            return Ok(tensor);
        }
        let tensor = case.data(element_type)?;
        let bytes = remembered.bytes - longest.map_or(0, size);
        if bytes + size(&tensor) <= MAX_BYTES {
            remembered.bytes = bytes + size(&tensor);
            remembered
                .tensors
                .insert((element_type, fill), tensor.clone());
        }
        Ok(tensor)
    }
}

/// What a tensor counts, in bytes.
fn size(tensor: &Tensor) -> u64 {
    let bits = tensor.element_type().bits().unwrap_or(128);
    tensor.len() as u64 * u64::from(bits) / 8
}
