//! The memory that the messages of a model take, counted before they are decoded: an empty node takes two bytes of a file
//! and more than a hundred in memory.

use super::proto::{
    Attribute, Dimension, Entry, Function, Graph, Model, Node, OperatorSet, Shape, TensorProto,
    TensorType, Type, ValueInfo,
};
use prost::encoding::{DecodeContext, WireType, decode_key, decode_varint, skip_field};

/// The most bytes of memory that the messages of a file may take, without the bytes of their tensors.
const MOST: usize = 256 << 20;
/// How deep the decoder goes.
const DEEPEST: usize = 100;

/// A message, by the fields of it that hold others.
#[derive(Clone, Copy)]
enum Kind {
    Model,
    Function,
    Graph,
    Node,
    Attribute,
    Tensor,
    ValueInfo,
    Type,
    TensorType,
    Shape,
    /// One without messages in it, that takes so many bytes.
    Leaf(usize),
}

impl Kind {
    /// The message in a field; `None` for text, numbers, and what is not read.
    const fn child(self, tag: u32) -> Option<Self> {
        match (self, tag) {
            (Self::Model, 7) | (Self::Attribute, 6 | 11) => Some(Self::Graph),
            (Self::Model, 8) => Some(Self::Leaf(size_of::<OperatorSet>())),
            (Self::Model, 25) => Some(Self::Function),
            (Self::Function, 7) | (Self::Graph, 1) => Some(Self::Node),
            (Self::Graph, 5) | (Self::Attribute, 5) => Some(Self::Tensor),
            (Self::Graph, 11..=13) => Some(Self::ValueInfo),
            (Self::Node, 5) => Some(Self::Attribute),
            (Self::Tensor, 13) => Some(Self::Leaf(size_of::<Entry>())),
            (Self::ValueInfo, 2) => Some(Self::Type),
            (Self::Type, 1) => Some(Self::TensorType),
            (Self::TensorType, 2) => Some(Self::Shape),
            (Self::Shape, 1) => Some(Self::Leaf(size_of::<Dimension>())),
            _ => None,
        }
    }

    const fn size(self) -> usize {
        match self {
            Self::Model => size_of::<Model>(),
            Self::Function => size_of::<Function>(),
            Self::Graph => size_of::<Graph>(),
            Self::Node => size_of::<Node>(),
            Self::Attribute => size_of::<Attribute>(),
            Self::Tensor => size_of::<TensorProto>(),
            Self::ValueInfo => size_of::<ValueInfo>(),
            Self::Type => size_of::<Type>(),
            Self::TensorType => size_of::<TensorType>(),
            Self::Shape => size_of::<Shape>(),
            Self::Leaf(size) => size,
        }
    }
}

/// Checks that the messages of a model do not take more memory than any model needs. What is no model, the decoder says.
///
/// # Errors
/// When they do.
pub(super) fn check(model: &[u8]) -> Result<(), String> {
    let mut total = 0;
    match add(Kind::Model, model, 0, &mut total) {
        Some(()) => Ok(()),
        None => Err(format!(
            "its nodes, attributes and the like would take more than {} MiB of memory",
            MOST >> 20
        )),
    }
}

/// Adds what a message and those in it take; `None` if it is too much.
fn add(kind: Kind, mut bytes: &[u8], depth: usize, total: &mut usize) -> Option<()> {
    *total += kind.size();
    while !bytes.is_empty() && depth < DEEPEST {
        let Ok((tag, wire)) = decode_key(&mut bytes) else {
            break;
        };
        if wire != WireType::LengthDelimited {
            let context = DecodeContext::default();
            if skip_field(wire, tag, &mut bytes, context).is_err() {
                break;
            }
            continue;
        }
        let length = decode_varint(&mut bytes).ok();
        let length = length.and_then(|length| usize::try_from(length).ok());
        let Some((body, rest)) = length.and_then(|length| bytes.split_at_checked(length)) else {
            break;
        };
        bytes = rest;
        match kind.child(tag) {
            Some(child) => add(child, body, depth + 1, total)?,
            None => *total += size_of::<String>(),
        }
        if *total > MOST {
            return None;
        }
    }
    Some(())
}
