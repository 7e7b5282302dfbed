//! The messages of an ONNX model that this program writes or reads, with the field numbers of `onnx.proto`.
//!
//! Presence matters there (proto2): a dim of 0 or an attribute of 0 is written, and an unset field is absent.

use prost::Message;
use prost::encoding::{DecodeContext, WireType, decode_key, decode_varint, skip_field};

#[derive(Clone, PartialEq, Message)]
pub(super) struct Model {
    #[prost(int64, optional, tag = "1")]
    pub(super) ir_version: Option<i64>,
    #[prost(string, tag = "2")]
    pub(super) producer_name: String,
    #[prost(string, tag = "3")]
    pub(super) producer_version: String,
    #[prost(message, optional, tag = "7")]
    pub(super) graph: Option<Graph>,
    #[prost(message, repeated, tag = "8")]
    pub(super) opset_import: Vec<OperatorSet>,
    #[prost(message, repeated, tag = "25")]
    pub(super) functions: Vec<Function>,
}

/// An operator that the model defines itself.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Function {
    #[prost(string, tag = "1")]
    pub(super) name: String,
    #[prost(string, repeated, tag = "4")]
    pub(super) input: Vec<String>,
    #[prost(string, repeated, tag = "5")]
    pub(super) output: Vec<String>,
    #[prost(message, repeated, tag = "7")]
    pub(super) node: Vec<Node>,
    #[prost(message, repeated, tag = "9")]
    pub(super) opset_import: Vec<OperatorSet>,
    #[prost(string, tag = "10")]
    pub(super) domain: String,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct OperatorSet {
    #[prost(string, optional, tag = "1")]
    pub(super) domain: Option<String>,
    #[prost(int64, optional, tag = "2")]
    pub(super) version: Option<i64>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Graph {
    #[prost(message, repeated, tag = "1")]
    pub(super) node: Vec<Node>,
    #[prost(string, tag = "2")]
    pub(super) name: String,
    #[prost(message, repeated, tag = "5")]
    pub(super) initializer: Vec<TensorProto>,
    #[prost(message, repeated, tag = "11")]
    pub(super) input: Vec<ValueInfo>,
    #[prost(message, repeated, tag = "12")]
    pub(super) output: Vec<ValueInfo>,
    #[prost(message, repeated, tag = "13")]
    pub(super) value_info: Vec<ValueInfo>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Node {
    #[prost(string, repeated, tag = "1")]
    pub(super) input: Vec<String>,
    #[prost(string, repeated, tag = "2")]
    pub(super) output: Vec<String>,
    #[prost(string, tag = "3")]
    pub(super) name: String,
    #[prost(string, tag = "4")]
    pub(super) op_type: String,
    #[prost(message, repeated, tag = "5")]
    pub(super) attribute: Vec<Attribute>,
    #[prost(string, tag = "7")]
    pub(super) domain: String,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Attribute {
    #[prost(string, tag = "1")]
    pub(super) name: String,
    #[prost(float, optional, tag = "2")]
    pub(super) f: Option<f32>,
    #[prost(int64, optional, tag = "3")]
    pub(super) i: Option<i64>,
    #[prost(bytes = "vec", optional, tag = "4")]
    pub(super) s: Option<Vec<u8>>,
    #[prost(message, optional, tag = "5")]
    pub(super) t: Option<TensorProto>,
    #[prost(message, optional, boxed, tag = "6")]
    pub(super) g: Option<Box<Graph>>,
    #[prost(float, repeated, packed = "false", tag = "7")]
    pub(super) floats: Vec<f32>,
    #[prost(int64, repeated, packed = "false", tag = "8")]
    pub(super) ints: Vec<i64>,
    #[prost(bytes = "vec", repeated, tag = "9")]
    pub(super) strings: Vec<Vec<u8>>,
    #[prost(message, repeated, tag = "11")]
    pub(super) graphs: Vec<Graph>,
    #[prost(int32, tag = "20")]
    pub(super) r#type: i32,
    /// The attribute of the function whose value this is.
    #[prost(string, tag = "21")]
    pub(super) ref_attr_name: String,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct TensorProto {
    #[prost(int64, repeated, packed = "false", tag = "1")]
    pub(super) dims: Vec<i64>,
    #[prost(int32, optional, tag = "2")]
    pub(super) data_type: Option<i32>,
    #[prost(float, repeated, tag = "4")]
    pub(super) float_data: Vec<f32>,
    #[prost(int32, repeated, tag = "5")]
    pub(super) int32_data: Vec<i32>,
    #[prost(bytes = "vec", repeated, tag = "6")]
    pub(super) string_data: Vec<Vec<u8>>,
    #[prost(int64, repeated, tag = "7")]
    pub(super) int64_data: Vec<i64>,
    #[prost(string, tag = "8")]
    pub(super) name: String,
    #[prost(bytes = "vec", optional, tag = "9")]
    pub(super) raw_data: Option<Vec<u8>>,
    #[prost(double, repeated, tag = "10")]
    pub(super) double_data: Vec<f64>,
    #[prost(uint64, repeated, tag = "11")]
    pub(super) uint64_data: Vec<u64>,
    #[prost(message, repeated, tag = "13")]
    pub(super) external_data: Vec<Entry>,
    #[prost(int32, optional, tag = "14")]
    pub(super) data_location: Option<i32>,
}

impl TensorProto {
    /// `data_location` of a tensor whose bytes are in another file.
    pub(super) const EXTERNAL: i32 = 1;
}

/// `StringStringEntryProto`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Entry {
    #[prost(string, tag = "1")]
    pub(super) key: String,
    #[prost(string, tag = "2")]
    pub(super) value: String,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct ValueInfo {
    #[prost(string, tag = "1")]
    pub(super) name: String,
    #[prost(message, optional, tag = "2")]
    pub(super) r#type: Option<Type>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Type {
    #[prost(message, optional, tag = "1")]
    pub(super) tensor_type: Option<TensorType>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct TensorType {
    #[prost(int32, optional, tag = "1")]
    pub(super) elem_type: Option<i32>,
    #[prost(message, optional, tag = "2")]
    pub(super) shape: Option<Shape>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Shape {
    #[prost(message, repeated, tag = "1")]
    pub(super) dim: Vec<Dimension>,
}

/// A `oneof` in ONNX: at most one of its two fields is written.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Dimension {
    #[prost(int64, optional, tag = "1")]
    pub(super) dim_value: Option<i64>,
    #[prost(string, optional, tag = "2")]
    pub(super) dim_param: Option<String>,
}

/// `AttributeProto.AttributeType`.
pub(super) mod kind {
    pub(in super::super) const FLOAT: i32 = 1;
    pub(in super::super) const INT: i32 = 2;
    pub(in super::super) const STRING: i32 = 3;
    pub(in super::super) const GRAPH: i32 = 5;
    pub(in super::super) const FLOATS: i32 = 6;
    pub(in super::super) const INTS: i32 = 7;
    pub(in super::super) const STRINGS: i32 = 8;
    /// The difference between the kind of a value and the kind of a list of such values.
    pub(in super::super) const TO_LIST: i32 = FLOATS - FLOAT;
}

/// The most memory for the messages of a file, in bytes, without the bytes of their tensors.
const MAX: usize = 256 << 20;
/// The maximum depth of the decoder.
const DEEPEST: usize = 100;

/// A message: the memory that it takes, and its fields that hold messages. Text, numbers, and ignored fields do not
/// count.
struct Kind {
    size: usize,
    children: &'static [(u32, &'static Kind)],
}

const fn kind_of<T>(children: &'static [(u32, &'static Kind)]) -> Kind {
    let size = size_of::<T>();
    Kind { size, children }
}

static MODEL: Kind = kind_of::<Model>(&[(7, &GRAPH), (8, &OPERATOR_SET), (25, &FUNCTION)]);
static OPERATOR_SET: Kind = kind_of::<OperatorSet>(&[]);
static FUNCTION: Kind = kind_of::<Function>(&[(7, &NODE), (9, &OPERATOR_SET)]);
static GRAPH: Kind = kind_of::<Graph>(&[
    (1, &NODE),
    (5, &TENSOR),
    (11, &VALUE_INFO),
    (12, &VALUE_INFO),
    (13, &VALUE_INFO),
]);
static NODE: Kind = kind_of::<Node>(&[(5, &ATTRIBUTE)]);
static ATTRIBUTE: Kind = kind_of::<Attribute>(&[(5, &TENSOR), (6, &GRAPH), (11, &GRAPH)]);
static TENSOR: Kind = kind_of::<TensorProto>(&[(13, &ENTRY)]);
static ENTRY: Kind = kind_of::<Entry>(&[]);
static VALUE_INFO: Kind = kind_of::<ValueInfo>(&[(2, &TYPE)]);
static TYPE: Kind = kind_of::<Type>(&[(1, &TENSOR_TYPE)]);
static TENSOR_TYPE: Kind = kind_of::<TensorType>(&[(2, &SHAPE)]);
static SHAPE: Kind = kind_of::<Shape>(&[(1, &DIMENSION)]);
static DIMENSION: Kind = kind_of::<Dimension>(&[]);

/// Checks that the messages of a model do not take more memory than any model needs. The decoder reports what is not a
/// model. Fails when they take more.
pub(super) fn check(model: &[u8]) -> Result<(), String> {
    let mut total = 0;
    match add(&MODEL, model, 0, &mut total) {
        Some(()) => Ok(()),
        None => Err(format!(
            "its nodes, attributes and the like would take more than {} MiB of memory",
            MAX >> 20
        )),
    }
}

/// Adds the memory of a message and of those in it; `None` if it is too much.
fn add(kind: &Kind, mut bytes: &[u8], depth: usize, total: &mut usize) -> Option<()> {
    *total += kind.size;
    while !bytes.is_empty() && depth < DEEPEST {
        let Ok((tag, wire)) = decode_key(&mut bytes) else {
            break;
        };
        if wire != WireType::LengthDelimited {
            if skip_field(wire, tag, &mut bytes, DecodeContext::default()).is_err() {
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
        match kind.children.iter().find(|(field, _)| *field == tag) {
            Some((_, child)) => add(child, body, depth + 1, total)?,
            None => *total += size_of::<String>(),
        }
        if *total > MAX {
            return None;
        }
    }
    Some(())
}
