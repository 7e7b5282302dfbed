//! The messages of an ONNX model that this program writes or reads, with the field numbers of `onnx.proto`.
//!
//! Presence matters there (proto2): a dim of 0 or an attribute of 0 is written, and an unset field is absent.

use prost::Message;
use prost::encoding::{DecodeContext, WireType, decode_key, decode_varint, skip_field};

/// Declares messages. Each field has what prost needs to know of it.
macro_rules! messages {
    ($($(#[$about:meta])* $Message:ident {
        $($(#[$about_field:meta])* $field:ident: $Type:ty = ($($encoding:tt)+),)+
    })+) => {$(
        $(#[$about])*
        #[derive(Clone, PartialEq, Message)]
        pub(super) struct $Message {
            $($(#[$about_field])* #[prost($($encoding)+)] pub(super) $field: $Type),+
        }
    )+};
}

messages! {
    Model {
        ir_version: Option<i64> = (int64, optional, tag = "1"),
        producer_name: String = (string, tag = "2"),
        producer_version: String = (string, tag = "3"),
        graph: Option<Graph> = (message, optional, tag = "7"),
        opset_import: Vec<OperatorSet> = (message, repeated, tag = "8"),
        functions: Vec<Function> = (message, repeated, tag = "25"),
    }

    /// An operator that the model defines itself.
    Function {
        name: String = (string, tag = "1"),
        input: Vec<String> = (string, repeated, tag = "4"),
        output: Vec<String> = (string, repeated, tag = "5"),
        node: Vec<Node> = (message, repeated, tag = "7"),
        opset_import: Vec<OperatorSet> = (message, repeated, tag = "9"),
        domain: String = (string, tag = "10"),
    }

    OperatorSet {
        domain: Option<String> = (string, optional, tag = "1"),
        version: Option<i64> = (int64, optional, tag = "2"),
    }

    Graph {
        node: Vec<Node> = (message, repeated, tag = "1"),
        name: String = (string, tag = "2"),
        initializer: Vec<TensorProto> = (message, repeated, tag = "5"),
        input: Vec<ValueInfo> = (message, repeated, tag = "11"),
        output: Vec<ValueInfo> = (message, repeated, tag = "12"),
        value_info: Vec<ValueInfo> = (message, repeated, tag = "13"),
    }

    Node {
        input: Vec<String> = (string, repeated, tag = "1"),
        output: Vec<String> = (string, repeated, tag = "2"),
        name: String = (string, tag = "3"),
        op_type: String = (string, tag = "4"),
        attribute: Vec<Attribute> = (message, repeated, tag = "5"),
        domain: String = (string, tag = "7"),
    }

    Attribute {
        name: String = (string, tag = "1"),
        f: Option<f32> = (float, optional, tag = "2"),
        i: Option<i64> = (int64, optional, tag = "3"),
        s: Option<Vec<u8>> = (bytes = "vec", optional, tag = "4"),
        t: Option<TensorProto> = (message, optional, tag = "5"),
        g: Option<Box<Graph>> = (message, optional, boxed, tag = "6"),
        floats: Vec<f32> = (float, repeated, packed = "false", tag = "7"),
        ints: Vec<i64> = (int64, repeated, packed = "false", tag = "8"),
        strings: Vec<Vec<u8>> = (bytes = "vec", repeated, tag = "9"),
        graphs: Vec<Graph> = (message, repeated, tag = "11"),
        r#type: i32 = (int32, tag = "20"),
        /// The attribute of the function whose value this is.
        ref_attr_name: String = (string, tag = "21"),
    }

    TensorProto {
        dims: Vec<i64> = (int64, repeated, packed = "false", tag = "1"),
        data_type: Option<i32> = (int32, optional, tag = "2"),
        float_data: Vec<f32> = (float, repeated, tag = "4"),
        int32_data: Vec<i32> = (int32, repeated, tag = "5"),
        string_data: Vec<Vec<u8>> = (bytes = "vec", repeated, tag = "6"),
        int64_data: Vec<i64> = (int64, repeated, tag = "7"),
        name: String = (string, tag = "8"),
        raw_data: Option<Vec<u8>> = (bytes = "vec", optional, tag = "9"),
        double_data: Vec<f64> = (double, repeated, tag = "10"),
        uint64_data: Vec<u64> = (uint64, repeated, tag = "11"),
        external_data: Vec<Entry> = (message, repeated, tag = "13"),
        data_location: Option<i32> = (int32, optional, tag = "14"),
    }

    /// `StringStringEntryProto`.
    Entry {
        key: String = (string, tag = "1"),
        value: String = (string, tag = "2"),
    }

    ValueInfo {
        name: String = (string, tag = "1"),
        r#type: Option<Type> = (message, optional, tag = "2"),
    }

    Type {
        tensor_type: Option<TensorType> = (message, optional, tag = "1"),
    }

    TensorType {
        elem_type: Option<i32> = (int32, optional, tag = "1"),
        shape: Option<Shape> = (message, optional, tag = "2"),
    }

    Shape {
        dim: Vec<Dimension> = (message, repeated, tag = "1"),
    }

    /// A `oneof` in ONNX: at most one of its two fields is written.
    Dimension {
        dim_value: Option<i64> = (int64, optional, tag = "1"),
        dim_param: Option<String> = (string, optional, tag = "2"),
    }
}

impl TensorProto {
    /// `data_location` of a tensor whose bytes are in another file.
    pub(super) const EXTERNAL: i32 = 1;
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

/// A message: the memory that it takes, and its fields that hold messages. Only these count.
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
