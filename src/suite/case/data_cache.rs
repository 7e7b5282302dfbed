//! A cache of data: a fill is a prefix of every longer one of its element type.

use super::{Case, Content};
use crate::semantics::request::is_too_large;
use crate::tensor::{ElementType, Fill, Tensor};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// The maximum size of the cache, in bytes; a string counts as 16.
const MAX_BYTES: u64 = 16 << 20;

/// The longest requested fill of each kind, shared by all workers.
#[derive(Default)]
pub(crate) struct DataCache {
    remembered: Mutex<Remembered>,
    /// The largest data to materialize for a case that does not state its elements, in bytes; 0 by default.
    most: u64,
}

#[derive(Default)]
struct Remembered {
    bytes: u64,
    tensors: HashMap<(ElementType, Fill), Tensor>,
}

impl DataCache {
    /// Also materializes data of up to `most` bytes for cases that do not state their elements.
    pub(crate) fn up_to(most: u64) -> Self {
        Self {
            most,
            ..Self::default()
        }
    }

    /// The data of a case, computed or cached. Fails when a listed literal is not a value of that type.
    pub(crate) fn get(&self, case: &Case, element_type: ElementType) -> Result<Tensor, String> {
        let shape = &case.data_shape;
        let fill = match case.content {
            Content::Fill(fill) => fill,
            Content::NotMaterialized if !is_too_large(shape, element_type, self.most) => {
                Fill::Index
            }
            Content::NotMaterialized | Content::Values(_) => return case.data(element_type),
        };
        // A panic cannot leave a wrong tensor in the cache.
        let remembered = self.remembered.lock();
        let mut remembered = remembered.unwrap_or_else(PoisonError::into_inner);
        let longest = remembered.tensors.get(&(element_type, fill));
        let known = longest.and_then(|longest| longest.first_elements(shape.clone()));
        if let Some(tensor) = known {
            return Ok(tensor);
        }
        let tensor = fill.tensor(element_type, shape.clone());
        let bytes = remembered.bytes - longest.map_or(0, size);
        if bytes + size(&tensor) <= MAX_BYTES {
            remembered.bytes = bytes + size(&tensor);
            let key = (element_type, fill);
            remembered.tensors.insert(key, tensor.clone());
        }
        Ok(tensor)
    }
}

/// The size of a tensor, in bytes.
fn size(tensor: &Tensor) -> u64 {
    let bits = tensor.element_type().bits().unwrap_or(128);
    tensor.len() as u64 * u64::from(bits) / 8
}
