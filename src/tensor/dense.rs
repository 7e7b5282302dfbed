//! Dense tensors: packed storage, and access to single elements.

use super::count::Count;
use super::element_type::{ElementType, Representation};
use std::sync::{Arc, LazyLock};

/// A dense tensor: its element type, its dims, and its elements in row-major order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tensor {
    element_type: ElementType,
    shape: Vec<u64>,
    elements: Elements,
}

/// The storage: little-endian bytes, with sub-byte types packed low bits first, or strings. Bytes never change, so
/// tensors with other dims share them.
#[derive(Debug, Clone)]
enum Elements {
    Packed(Arc<Vec<u8>>),
    Strings(Vec<Vec<u8>>),
    /// Those of a tensor that is made when somebody first reads them, for all that share it.
    Unread(Arc<LazyLock<Tensor, Box<dyn FnOnce() -> Tensor + Send>>>),
    /// More elements than are materialized.
    NotMaterialized,
}

impl Eq for Elements {}

impl PartialEq for Elements {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Unread(one), Self::Unread(another)) if Arc::ptr_eq(one, another) => true,
            (Self::Unread(tensor), other) | (other, Self::Unread(tensor)) => {
                tensor.elements == *other
            }
            (Self::Packed(one), Self::Packed(another)) => one == another,
            (Self::Strings(one), Self::Strings(another)) => one == another,
            (Self::NotMaterialized, Self::NotMaterialized) => true,
            _ => false,
        }
    }
}

/// Bytes or strings that do not match a shape.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct TensorError(String);

/// Strings that do not match a shape.
fn wrong_strings<T>(shape: &[u64], why: &str) -> Result<T, TensorError> {
    let why = format!("the strings of {shape:?} do not fit their bytes: {why}");
    Err(TensorError(why))
}

impl Tensor {
    fn new(element_type: ElementType, shape: Vec<u64>, elements: Elements) -> Self {
        Self {
            element_type,
            shape,
            elements,
        }
    }

    /// A tensor from its bytes on the wire: packed elements, or strings with their u32 lengths.
    ///
    /// # Errors
    /// When the bytes are not exactly what shape and element type need, or bits behind the last element are not 0.
    pub fn from_bytes(
        element_type: ElementType,
        shape: Vec<u64>,
        bytes: Vec<u8>,
    ) -> Result<Self, TensorError> {
        Self::from_shared(element_type, shape, Arc::new(bytes))
    }

    /// A tensor from bytes that others read too. Fails as [`Tensor::from_bytes`] does.
    pub(crate) fn from_shared(
        element_type: ElementType,
        shape: Vec<u64>,
        bytes: Arc<Vec<u8>>,
    ) -> Result<Self, TensorError> {
        let count = Count::of(&shape).as_u64();
        if let (ElementType::String, Some(count)) = (element_type, count) {
            return match split_strings(&bytes, count) {
                Ok(strings) => Ok(Self::of_strings(shape, strings)),
                Err(why) => wrong_strings(&shape, why),
            };
        }
        let needed = count.and_then(|count| element_type.packed_bytes(count));
        if needed.is_none() || needed != u64::try_from(bytes.len()).ok() {
            let needed = needed.map_or_else(|| "more than 2^64".to_owned(), |n| n.to_string());
            let got = bytes.len();
            return Err(TensorError(format!(
                "{element_type}{shape:?} takes {needed} bytes, got {got}"
            )));
        }
        if let Some(bits) = spare_bits(element_type, count.unwrap_or(0), &bytes) {
            return Err(TensorError(format!(
                "the unused high bits of the last byte must be 0, they are {bits}"
            )));
        }
        Ok(Self::new(element_type, shape, Elements::Packed(bytes)))
    }

    /// A tensor of strings, one for each element.
    ///
    /// # Errors
    /// When their number differs from the element count of the shape.
    pub fn from_strings(shape: Vec<u64>, strings: Vec<Vec<u8>>) -> Result<Self, TensorError> {
        if Count::of(&shape).as_u64() != u64::try_from(strings.len()).ok() {
            let why = "the number of strings is not the number of elements";
            return wrong_strings(&shape, why);
        }
        Ok(Self::of_strings(shape, strings))
    }

    /// A tensor of strings. The caller ensures that there is one for each element.
    pub(super) fn of_strings(shape: Vec<u64>, strings: Vec<Vec<u8>>) -> Self {
        Self::new(ElementType::String, shape, Elements::Strings(strings))
    }

    /// A tensor whose element `i` has the low bits of `bits(i)`, at most 128 of them.
    ///
    /// # Panics
    /// Never for types other than string, which has no bits.
    pub(crate) fn from_bits(
        element_type: ElementType,
        shape: Vec<u64>,
        bits: impl FnMut(usize) -> u128,
    ) -> Self {
        let count = count_in_memory(&shape).unwrap_or(0);
        // The compiler knows the width for each kind of element. Many trials make large data.
        let bytes = match element_type.bits().unwrap_or(8) {
            8 => whole_bytes::<1>(count, bits),
            16 => whole_bytes::<2>(count, bits),
            32 => whole_bytes::<4>(count, bits),
            64 => whole_bytes::<8>(count, bits),
            128 => whole_bytes::<16>(count, bits),
            width => parts_of_bytes(width as usize, count, bits),
        };
        Self::new(element_type, shape, Elements::Packed(Arc::new(bytes)))
    }

    /// A tensor whose elements are those that `make` gives when somebody first reads them.
    pub(crate) fn unread(
        element_type: ElementType,
        shape: Vec<u64>,
        make: impl FnOnce() -> Self + Send + 'static,
    ) -> Self {
        let elements = Elements::Unread(Arc::new(LazyLock::new(Box::new(make))));
        Self::new(element_type, shape, elements)
    }

    /// The elements, made if nobody has read them.
    fn elements(&self) -> &Elements {
        let Elements::Unread(tensor) = &self.elements else {
            return &self.elements;
        };
        &tensor.elements
    }

    /// A tensor that has an element type and dims but no elements, because they are too many to materialize.
    pub(crate) fn not_materialized(element_type: ElementType, shape: Vec<u64>) -> Self {
        Self::new(element_type, shape, Elements::NotMaterialized)
    }

    /// Whether it holds its elements.
    #[must_use]
    pub fn is_materialized(&self) -> bool {
        !matches!(self.elements, Elements::NotMaterialized)
    }

    /// The element type.
    #[must_use]
    pub fn element_type(&self) -> ElementType {
        self.element_type
    }

    /// The dims, outermost first.
    #[must_use]
    pub fn shape(&self) -> &[u64] {
        &self.shape
    }

    /// The number of elements that it holds.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.elements {
            Elements::NotMaterialized => 0,
            Elements::Strings(strings) => strings.len(),
            // The elements fit into memory, so the count does.
            Elements::Packed(_) | Elements::Unread(_) => count_in_memory(&self.shape).unwrap_or(0),
        }
    }

    /// Whether it has no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The same elements under other dims. The caller ensures that the count is the same.
    #[must_use]
    pub fn with_shape(&self, shape: Vec<u64>) -> Self {
        Self::new(self.element_type, shape, self.elements.clone())
    }

    /// Its bytes on the wire, without a copy; `None` if memory does not hold them in that form.
    pub(crate) fn shared_bytes(&self) -> Option<&Arc<Vec<u8>>> {
        match self.elements() {
            Elements::Packed(bytes) => Some(bytes),
            Elements::Strings(_) | Elements::Unread(_) | Elements::NotMaterialized => None,
        }
    }

    /// Its bytes on the wire, appended to `out`.
    pub fn write_bytes(&self, out: &mut Vec<u8>) {
        match self.elements() {
            Elements::Unread(_) | Elements::NotMaterialized => {}
            Elements::Packed(bytes) => out.extend_from_slice(bytes),
            Elements::Strings(strings) => {
                for string in strings {
                    let length = u32::try_from(string.len()).unwrap_or(u32::MAX);
                    out.extend_from_slice(&length.to_le_bytes());
                    out.extend_from_slice(string);
                }
            }
        }
    }

    /// The bits of element `index`; `None` for strings and past the end.
    #[must_use]
    #[inline]
    pub fn bits(&self, index: usize) -> Option<u128> {
        let Elements::Packed(bytes) = self.elements() else {
            return None;
        };
        let width = self.element_type.bits()? as usize;
        if width < 8 {
            let at = index * width;
            let byte = *bytes.get(at / 8)?;
            return Some(u128::from((byte >> (at % 8)) & ((1 << width) - 1)));
        }
        let wide = width / 8;
        let bytes = bytes.get(index * wide..(index + 1) * wide)?;
        // The common widths without a loop over bytes: comparisons and mutants read every element here.
        Some(match *bytes {
            [a] => a.into(),
            [a, b] => u16::from_le_bytes([a, b]).into(),
            [a, b, c, d] => u32::from_le_bytes([a, b, c, d]).into(),
            [a, b, c, d, e, f, g, h] => u64::from_le_bytes([a, b, c, d, e, f, g, h]).into(),
            _ => bytes
                .iter()
                .rev()
                .fold(0, |value, byte| value << 8 | u128::from(*byte)),
        })
    }

    /// The value of element `index` of an integer type; `None` for other types and past the end.
    pub(crate) fn integer(&self, index: usize) -> Option<i128> {
        let unused = 128 - self.element_type.bits()?;
        let bits = self.bits(index)?;
        match self.element_type.representation() {
            Representation::Signed => Some(((bits << unused) as i128) >> unused),
            Representation::Unsigned => Some(bits as i128),
            Representation::Float(_)
            | Representation::Bool
            | Representation::Complex(_)
            | Representation::String => None,
        }
    }

    /// The bytes of string element `index`; `None` for other types and past the end.
    #[must_use]
    pub fn string(&self, index: usize) -> Option<&[u8]> {
        match self.elements() {
            Elements::Strings(strings) => strings.get(index).map(Vec::as_slice),
            Elements::Packed(_) | Elements::Unread(_) | Elements::NotMaterialized => None,
        }
    }

    /// Whether both hold the same elements, bit by bit, in whatever shapes.
    #[must_use]
    pub fn same_content(&self, other: &Self) -> bool {
        self.element_type == other.element_type && self.elements == other.elements
    }

    /// A hash of the elements, bit by bit. Tensors of equal content have equal hashes, in every run of this program.
    pub(crate) fn content_hash(&self) -> u64 {
        use std::hash::{Hash, Hasher};
        let mut hasher = xxhash_rust::xxh3::Xxh3::new();
        match self.elements() {
            Elements::Unread(_) | Elements::NotMaterialized => {}
            Elements::Packed(bytes) => bytes.hash(&mut hasher),
            Elements::Strings(strings) => strings.hash(&mut hasher),
        }
        hasher.finish()
    }

    /// Whether both have an element `index`, with the same bits.
    #[must_use]
    pub fn same_element(&self, other: &Self, index: usize) -> bool {
        match (self.elements(), other.elements()) {
            (Elements::Strings(ours), Elements::Strings(theirs)) => {
                matches!((ours.get(index), theirs.get(index)), (Some(a), Some(b)) if a == b)
            }
            _ => matches!((self.bits(index), other.bits(index)), (Some(a), Some(b)) if a == b),
        }
    }
}

/// Elements of `WIDE` bytes each.
fn whole_bytes<const WIDE: usize>(count: usize, mut bits: impl FnMut(usize) -> u128) -> Vec<u8> {
    let mut bytes = vec![0; count * WIDE];
    for (index, element) in bytes.as_chunks_mut::<WIDE>().0.iter_mut().enumerate() {
        // Copying a slice would be a call for each element.
        if let Some(low) = bits(index).to_le_bytes().first_chunk() {
            *element = *low;
        }
    }
    bytes
}

/// Elements of `width` bits each, fewer than 8.
fn parts_of_bytes(width: usize, count: usize, mut bits: impl FnMut(usize) -> u128) -> Vec<u8> {
    let mut bytes = vec![0; (count * width).div_ceil(8)];
    let mask = (1u8 << width) - 1;
    let mut index = 0;
    for byte in &mut bytes {
        let mut at = 0;
        // A `while` loop, because this code is hot: at a low opt-level a range costs a call for each element.
        while at < 8 && index < count {
            *byte |= (bits(index) as u8 & mask) << at;
            at += width;
            index += 1;
        }
    }
    bytes
}

/// The element count of a shape; `None` if no memory can hold that many elements.
fn count_in_memory(shape: &[u64]) -> Option<usize> {
    usize::try_from(Count::of(shape).as_u64()?).ok()
}

/// The bits of the last byte that belong to no element, as text; `None` if they are all 0 or do not exist.
fn spare_bits(element_type: ElementType, count: u64, bytes: &[u8]) -> Option<String> {
    let width = u64::from(element_type.bits()?);
    // The last byte uses at most 8 bits, so the full product need not fit.
    let used = (count % 8) * (width % 8) % 8;
    let spare = bytes.last().filter(|_| used > 0)? >> used;
    let width = usize::try_from(8 - used).unwrap_or(0) + 2;
    (spare != 0).then(|| format!("{spare:#0width$b}"))
}

fn split_strings(mut bytes: &[u8], count: u64) -> Result<Vec<Vec<u8>>, &'static str> {
    let mut strings = Vec::new();
    for _ in 0..count {
        let parts = bytes.split_first_chunk::<4>();
        let (length, rest) = parts.ok_or("a length is cut off")?;
        let length =
            usize::try_from(u32::from_le_bytes(*length)).map_err(|_| "a length is too large")?;
        let (string, rest) = rest.split_at_checked(length).ok_or("a string is cut off")?;
        strings.push(string.to_vec());
        bytes = rest;
    }
    if bytes.is_empty() {
        Ok(strings)
    } else {
        Err("bytes are left over")
    }
}
