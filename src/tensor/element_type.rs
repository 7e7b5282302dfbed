//! The element types: one row for each.

use super::float::Format;
use crate::names::{columns, named_enum};

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

columns! {
    Row of ElementType {
        /// Bits of one element; 0 for strings.
        width: u32,
        pub(crate) representation: Representation,
        pub(crate) class: Class,
        /// Its number in ONNX's `TensorProto.DataType`.
        pub onnx_number: i32,
        /// Its name in ONNX's `TensorProto.DataType`.
        pub onnx_name: &'static str,
        /// OpenVINO's name for it, and the precision of a port in an IR; `None` if OpenVINO does not have it.
        pub openvino_names: Option<(&'static str, &'static str)>,
        /// Its name in numpy or ml_dtypes; `None` if neither has it.
        pub numpy_name: Option<&'static str>,
    }
}

use Representation::{Bool, Complex, Float, Signed, String, Unsigned};

named_enum! {
    /// The type of a tensor's elements, named as in the project's files and on the wire.
    #[allow(missing_docs)]
    pub enum ElementType: Row, "element type" {
        F32 = "f32" =>
            row(32, Float(Format::F32), Class::Float, 1, "FLOAT", Some(("f32", "FP32")), Some("float32")),
        F16 = "f16" =>
            row(16, Float(Format::F16), Class::SmallFloat, 10, "FLOAT16", Some(("f16", "FP16")), Some("float16")),
        Bf16 = "bf16" =>
            row(16, Float(Format::BF16), Class::SmallFloat, 16, "BFLOAT16", Some(("bf16", "BF16")), Some("bfloat16")),
        F64 = "f64" =>
            row(64, Float(Format::F64), Class::Float, 11, "DOUBLE", Some(("f64", "FP64")), Some("float64")),
        I8 = "i8" => row(8, Signed, Class::Integer, 3, "INT8", Some(("i8", "I8")), Some("int8")),
        I16 = "i16" => row(16, Signed, Class::Integer, 5, "INT16", Some(("i16", "I16")), Some("int16")),
        I32 = "i32" => row(32, Signed, Class::Integer, 6, "INT32", Some(("i32", "I32")), Some("int32")),
        I64 = "i64" => row(64, Signed, Class::Integer, 7, "INT64", Some(("i64", "I64")), Some("int64")),
        U8 = "u8" => row(8, Unsigned, Class::Integer, 2, "UINT8", Some(("u8", "U8")), Some("uint8")),
        U16 = "u16" => row(16, Unsigned, Class::Integer, 4, "UINT16", Some(("u16", "U16")), Some("uint16")),
        U32 = "u32" => row(32, Unsigned, Class::Integer, 12, "UINT32", Some(("u32", "U32")), Some("uint32")),
        U64 = "u64" => row(64, Unsigned, Class::Integer, 13, "UINT64", Some(("u64", "U64")), Some("uint64")),
        Bool = "bool" => row(8, Bool, Class::Bool, 9, "BOOL", Some(("boolean", "BOOL")), Some("bool")),
        String = "string" => row(0, String, Class::String, 8, "STRING", Some(("string", "STRING")), None),
        Complex64 = "complex64" =>
            row(64, Complex(Format::F32), Class::Complex, 14, "COMPLEX64", None, Some("complex64")),
        Complex128 = "complex128" =>
            row(128, Complex(Format::F64), Class::Complex, 15, "COMPLEX128", None, Some("complex128")),
        F8e4m3fn = "f8e4m3fn" =>
            row(8, Float(Format::F8E4M3FN), Class::TinyFloat, 17, "FLOAT8E4M3FN", Some(("f8e4m3", "F8E4M3")), Some("float8_e4m3fn")),
        F8e4m3fnuz = "f8e4m3fnuz" =>
            row(8, Float(Format::F8E4M3FNUZ), Class::TinyFloat, 18, "FLOAT8E4M3FNUZ", None, Some("float8_e4m3fnuz")),
        F8e5m2 = "f8e5m2" =>
            row(8, Float(Format::F8E5M2), Class::TinyFloat, 19, "FLOAT8E5M2", Some(("f8e5m2", "F8E5M2")), Some("float8_e5m2")),
        F8e5m2fnuz = "f8e5m2fnuz" =>
            row(8, Float(Format::F8E5M2FNUZ), Class::TinyFloat, 20, "FLOAT8E5M2FNUZ", None, Some("float8_e5m2fnuz")),
        F8e8m0 = "f8e8m0" =>
            row(8, Float(Format::F8E8M0), Class::TinyFloat, 24, "FLOAT8E8M0", Some(("f8e8m0", "F8E8M0")), Some("float8_e8m0fnu")),
        F4e2m1 = "f4e2m1" =>
            row(4, Float(Format::F4E2M1), Class::TinyFloat, 23, "FLOAT4E2M1", Some(("f4e2m1", "F4E2M1")), Some("float4_e2m1fn")),
        I4 = "i4" => row(4, Signed, Class::SubByteInteger, 22, "INT4", Some(("i4", "I4")), Some("int4")),
        U4 = "u4" => row(4, Unsigned, Class::SubByteInteger, 21, "UINT4", Some(("u4", "U4")), Some("uint4")),
        I2 = "i2" => row(2, Signed, Class::SubByteInteger, 26, "INT2", None, Some("int2")),
        U2 = "u2" => row(2, Unsigned, Class::SubByteInteger, 25, "UINT2", Some(("u2", "U2")), Some("uint2")),
    }
}

impl ElementType {
    /// Bits of one element; `None` for strings, whose elements have a length each.
    #[must_use]
    pub const fn bits(self) -> Option<u32> {
        match self.width() {
            0 => None,
            bits => Some(bits),
        }
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
