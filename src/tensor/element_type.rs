//! The element types: one row for each.

use super::float::Format;
use crate::names::named_enum;

/// How an element's bits are read when it is shown or written as a literal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Representation {
    /// A binary float.
    Float(Format),
    /// Two's complement.
    Signed,
    /// Plain binary.
    Unsigned,
    /// One byte; 0 is false, 1 is true, and every other byte is preserved.
    Bool,
    /// Two binary floats of half the width, real part first.
    Complex(Format),
    /// A string of bytes of any length.
    String,
}

/// The properties of an element type.
struct Row(
    /// Bits of one element; 0 for strings.
    u32,
    Representation,
    Class,
    /// Number and name in ONNX's `TensorProto.DataType`.
    (i32, &'static str),
    /// OpenVINO's name for it, and the precision of a port in an IR; `None` if OpenVINO does not have it.
    Option<(&'static str, &'static str)>,
    /// The name in numpy or ml_dtypes; `None` if neither has it.
    Option<&'static str>,
);

use Representation::{Bool, Complex, Float, Signed, String, Unsigned};

named_enum! {
    /// The type of a tensor's elements, named as in the project's files and on the wire.
    #[allow(missing_docs)]
    pub enum ElementType: Row, "element type" {
        F32 = "f32" =>
            Row(32, Float(Format::F32), Class::Float, (1, "FLOAT"), Some(("f32", "FP32")), Some("float32")),
        F16 = "f16" =>
            Row(16, Float(Format::F16), Class::SmallFloat, (10, "FLOAT16"), Some(("f16", "FP16")), Some("float16")),
        Bf16 = "bf16" =>
            Row(16, Float(Format::BF16), Class::SmallFloat, (16, "BFLOAT16"), Some(("bf16", "BF16")), Some("bfloat16")),
        F64 = "f64" =>
            Row(64, Float(Format::F64), Class::Float, (11, "DOUBLE"), Some(("f64", "FP64")), Some("float64")),
        I8 = "i8" =>
            Row(8, Signed, Class::Integer, (3, "INT8"), Some(("i8", "I8")), Some("int8")),
        I16 = "i16" =>
            Row(16, Signed, Class::Integer, (5, "INT16"), Some(("i16", "I16")), Some("int16")),
        I32 = "i32" =>
            Row(32, Signed, Class::Integer, (6, "INT32"), Some(("i32", "I32")), Some("int32")),
        I64 = "i64" =>
            Row(64, Signed, Class::Integer, (7, "INT64"), Some(("i64", "I64")), Some("int64")),
        U8 = "u8" =>
            Row(8, Unsigned, Class::Integer, (2, "UINT8"), Some(("u8", "U8")), Some("uint8")),
        U16 = "u16" =>
            Row(16, Unsigned, Class::Integer, (4, "UINT16"), Some(("u16", "U16")), Some("uint16")),
        U32 = "u32" =>
            Row(32, Unsigned, Class::Integer, (12, "UINT32"), Some(("u32", "U32")), Some("uint32")),
        U64 = "u64" =>
            Row(64, Unsigned, Class::Integer, (13, "UINT64"), Some(("u64", "U64")), Some("uint64")),
        Bool = "bool" =>
            Row(8, Bool, Class::Bool, (9, "BOOL"), Some(("boolean", "BOOL")), Some("bool")),
        String = "string" =>
            Row(0, String, Class::String, (8, "STRING"), Some(("string", "STRING")), None),
        Complex64 = "complex64" =>
            Row(64, Complex(Format::F32), Class::Complex, (14, "COMPLEX64"), None, Some("complex64")),
        Complex128 = "complex128" =>
            Row(128, Complex(Format::F64), Class::Complex, (15, "COMPLEX128"), None, Some("complex128")),
        F8e4m3fn = "f8e4m3fn" =>
            Row(8, Float(Format::F8E4M3FN), Class::TinyFloat, (17, "FLOAT8E4M3FN"), Some(("f8e4m3", "F8E4M3")), Some("float8_e4m3fn")),
        F8e4m3fnuz = "f8e4m3fnuz" =>
            Row(8, Float(Format::F8E4M3FNUZ), Class::TinyFloat, (18, "FLOAT8E4M3FNUZ"), None, Some("float8_e4m3fnuz")),
        F8e5m2 = "f8e5m2" =>
            Row(8, Float(Format::F8E5M2), Class::TinyFloat, (19, "FLOAT8E5M2"), Some(("f8e5m2", "F8E5M2")), Some("float8_e5m2")),
        F8e5m2fnuz = "f8e5m2fnuz" =>
            Row(8, Float(Format::F8E5M2FNUZ), Class::TinyFloat, (20, "FLOAT8E5M2FNUZ"), None, Some("float8_e5m2fnuz")),
        F8e8m0 = "f8e8m0" =>
            Row(8, Float(Format::F8E8M0), Class::TinyFloat, (24, "FLOAT8E8M0"), Some(("f8e8m0", "F8E8M0")), Some("float8_e8m0fnu")),
        F4e2m1 = "f4e2m1" =>
            Row(4, Float(Format::F4E2M1), Class::TinyFloat, (23, "FLOAT4E2M1"), Some(("f4e2m1", "F4E2M1")), Some("float4_e2m1fn")),
        I4 = "i4" =>
            Row(4, Signed, Class::SubByteInteger, (22, "INT4"), Some(("i4", "I4")), Some("int4")),
        U4 = "u4" =>
            Row(4, Unsigned, Class::SubByteInteger, (21, "UINT4"), Some(("u4", "U4")), Some("uint4")),
        I2 = "i2" =>
            Row(2, Signed, Class::SubByteInteger, (26, "INT2"), None, Some("int2")),
        U2 = "u2" =>
            Row(2, Unsigned, Class::SubByteInteger, (25, "UINT2"), Some(("u2", "U2")), Some("uint2")),
    }
}

impl ElementType {
    /// Bits of one element; `None` for strings, whose elements have a length each.
    #[must_use]
    pub const fn bits(self) -> Option<u32> {
        match self.row().0 {
            0 => None,
            bits => Some(bits),
        }
    }

    /// Its number in ONNX's `TensorProto.DataType`.
    #[must_use]
    pub const fn onnx_number(self) -> i32 {
        self.row().3.0
    }

    /// Its name in ONNX's `TensorProto.DataType`.
    #[must_use]
    pub const fn onnx_name(self) -> &'static str {
        self.row().3.1
    }

    /// OpenVINO's name for it, and the precision of a port in an IR; `None` if OpenVINO does not have it.
    #[must_use]
    pub const fn openvino_names(self) -> Option<(&'static str, &'static str)> {
        self.row().4
    }

    /// Its name in numpy or ml_dtypes; `None` if neither has it.
    #[must_use]
    pub const fn numpy_name(self) -> Option<&'static str> {
        self.row().5
    }

    pub(crate) const fn representation(self) -> Representation {
        self.row().1
    }

    pub(crate) const fn class(self) -> Class {
        self.row().2
    }

    /// Bytes that `count` packed elements take; `None` for strings and for more bytes than a u64 counts.
    #[must_use]
    pub fn packed_bytes(self, count: u64) -> Option<u64> {
        let bits = u128::from(count) * u128::from(self.bits()?);
        u64::try_from(bits.div_ceil(8)).ok()
    }

    /// Whether it is an integer type: what the values of a target shape can be.
    #[must_use]
    pub fn is_integer(self) -> bool {
        matches!(self.representation(), Signed | Unsigned)
    }
}

named_enum! {
    /// Element types that implementations treat alike, as coverage groups them.
    pub(crate) enum Class, "class" {
        Float = "float",
        SmallFloat = "small-float",
        TinyFloat = "f8-or-f4",
        Integer = "integer",
        SubByteInteger = "sub-byte-integer",
        Bool = "bool",
        String = "string",
        Complex = "complex",
    }
}
