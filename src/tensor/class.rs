//! Classes of element types.

use crate::names::named_enum;

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
