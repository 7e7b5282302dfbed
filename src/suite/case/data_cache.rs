//! Data that is made once: the elements of a fill are the first of every longer one of its element type.

use super::{Case, Content};
use crate::tensor::{ElementType, Fill, Tensor};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// The longest fill of each kind that was asked for, for all workers.
#[derive(Default)]
pub(crate) struct DataCache(Mutex<HashMap<(ElementType, Fill), Tensor>>);

impl DataCache {
    /// The data of a case.
    ///
    /// # Errors
    /// When a listed literal is not a value of that type.
    pub(crate) fn get(&self, case: &Case, element_type: ElementType) -> Result<Tensor, String> {
        match case.content {
            Content::Fill(fill) => Ok(self.fill(fill, element_type, &case.data_shape)),
            Content::Values(_) => case.data(element_type),
        }
    }

    /// As `Fill::tensor`.
    pub(crate) fn fill(&self, fill: Fill, element_type: ElementType, shape: &[u64]) -> Tensor {
        // A panic cannot leave the map with a wrong tensor in it.
        let mut longest = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let longest = longest.entry((element_type, fill));
        let longest = longest.or_insert_with(|| fill.tensor(element_type, vec![0]));
        if let Some(tensor) = longest.first_elements(shape.to_vec()) {
            return tensor;
        }
        let tensor = fill.tensor(element_type, shape.to_vec());
        *longest = tensor.clone();
        tensor
    }
}
