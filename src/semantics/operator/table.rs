//! The table: one row for each operator version.

use super::binding::Binding;
use super::clauses::{array_api, onednn, onnx, openvino};
use super::definition::Operator;
use super::family::Family;
use super::question::{Meaning, Question};
use super::rules::{AttributeKind, Rules, Strictness, TargetRule, ZeroAttribute, ZeroRule};
use crate::tensor::ElementType::{self, *};

/// The element types of an earlier version and further ones.
macro_rules! extended {
    ($earlier:ident, $($more:ident),+) => {{
        const MORE: &[ElementType] = &[$($more),+];
        const TYPES: [ElementType; $earlier.len() + MORE.len()] = concatenated($earlier, MORE);
        &TYPES
    }};
}

/// A version of ONNX, which differs from the others only in these arguments.
macro_rules! onnx {
    ($version:literal, $types:ident, $clauses:path, $rest:ident) => {
        Operator {
            name: concat!("onnx.Reshape-", $version),
            version: $version,
            element_types: $types,
            clauses: $clauses,
            ..$rest
        }
    };
}

/// Every operator, by family and version.
pub static OPERATORS: &[Operator] = &[
    Operator {
        name: "onnx.Reshape-1",
        family: Family::Onnx,
        version: 1,
        document: ONNX,
        element_types: &[F32, F16, F64],
        bindings: ATTRIBUTE_BINDINGS,
        rules: Rules {
            target: TargetRule {
                attribute: true,
                typed: false,
                missing: Strictness::Open(Question::MissingTarget),
                // The text allows an empty second input, and this version has no second input.
                empty: Strictness::Open(Question::EmptyTarget),
                ..ONNX_TARGET
            },
            ignored_attributes: &[("consumed_inputs", AttributeKind::Ints)],
            ..ONNX_RULES
        },
        clauses: onnx::ONNX_1,
    },
    onnx!(5, TYPES_5, onnx::ONNX_5, WITH_INPUT),
    onnx!(13, TYPES_13, onnx::ONNX_13, WITH_INPUT),
    onnx!(14, TYPES_13, onnx::ONNX_14, WITH_ALLOWZERO),
    onnx!(19, TYPES_19, onnx::ONNX_19, WITH_ALLOWZERO),
    onnx!(21, TYPES_21, onnx::ONNX_21, WITH_ALLOWZERO),
    onnx!(23, TYPES_23, onnx::ONNX_23, WITH_ALLOWZERO),
    onnx!(24, TYPES_24, onnx::ONNX_24, WITH_ALLOWZERO),
    onnx!(25, TYPES_25, onnx::ONNX_25, WITH_ALLOWZERO),
    Operator {
        name: "openvino.Reshape-1",
        family: Family::Openvino,
        version: 1,
        document: "OpenVINO operation specification, Reshape-1",
        // "any numeric type": those that OpenVINO has.
        element_types: &[
            F32, F16, Bf16, F64, I8, I16, I32, I64, U8, U16, U32, U64, F8e4m3fn, F8e5m2, F8e8m0,
            F4e2m1, I4, U4, U2,
        ],
        bindings: INPUT_BINDINGS,
        rules: Rules {
            zero: ZeroRule::Attribute(&SPECIAL_ZERO),
            copy_at_rank: Strictness::Open(Question::CopyAtRank),
            below_minus_one: Strictness::MustReject,
            // "any numeric type": a string is not a number.
            element_types_ruled_out: &[String],
            target: TargetRule {
                // "any supported integer type": OpenVINO's schema, and not the text, names these two.
                element_types: &[I64, I32],
                other_integers: Strictness::Open(Question::TargetTypeSupported),
                not_flat: Strictness::MustReject,
                // It lists no dimension, and the empty product is 1.
                empty: Strictness::MustAccept(Meaning::First, "a scalar"),
                ..ONNX_TARGET
            },
            ..COMMON_RULES
        },
        clauses: openvino::OPENVINO_1,
    },
    Operator {
        name: "onednn-spec.StaticReshape-1",
        family: Family::OnednnSpec,
        version: 1,
        document: "oneDNN Graph specification, StaticReshape-1",
        element_types: ONEDNN_TYPES,
        bindings: LAYOUT_BINDINGS,
        rules: Rules {
            literal_zero_with_minus_one: Strictness::MustReject,
            scalar_data: Strictness::Open(Question::ScalarData),
            ..ONEDNN_RULES
        },
        clauses: onednn::ONEDNN_SPEC_1,
    },
    Operator {
        name: "onednn.StaticReshape",
        family: Family::Onednn,
        version: 0,
        document: "oneDNN developer guide, StaticReshape",
        element_types: ONEDNN_TYPES,
        bindings: LAYOUT_BINDINGS,
        rules: ONEDNN_RULES,
        clauses: onednn::ONEDNN_GUIDE,
    },
    Operator {
        name: "array-api.reshape-2021.12",
        version: 202_112,
        element_types: ARRAY_TYPES_2021,
        clauses: array_api::ARRAY_API_2021,
        ..ARRAY_API
    },
    Operator {
        name: "array-api.reshape-2022.12",
        version: 202_212,
        clauses: array_api::ARRAY_API_2022,
        ..ARRAY_API
    },
    Operator {
        name: "array-api.reshape-2023.12",
        version: 202_312,
        clauses: array_api::ARRAY_API_2023,
        ..ARRAY_API
    },
    Operator {
        name: "array-api.reshape-2025.12",
        version: 202_512,
        clauses: array_api::ARRAY_API_2025,
        ..ARRAY_API
    },
];

const ONNX: &str = "ONNX operators, Reshape";

const ATTRIBUTE_BINDINGS: &[Binding] = &[Binding::AttributeStatic, Binding::AttributeDynamic];
/// The oneDNN texts mention memory layouts and sharing the buffer.
const LAYOUT_BINDINGS: &[Binding] = &[
    Binding::AttributeStatic,
    Binding::AttributePermuted,
    Binding::AttributePadded,
    Binding::AttributeLibraryLayout,
    Binding::AttributeInPlace,
    Binding::AttributePermutedInPlace,
];
const INPUT_BINDINGS: &[Binding] = &[
    Binding::ConstantStatic,
    Binding::ConstantDynamic,
    Binding::RuntimeStatic,
    Binding::RuntimeDynamic,
];

const TYPES_5: &[ElementType] = &[
    F32, F16, F64, I8, I16, I32, I64, U8, U16, U32, U64, Bool, String, Complex64, Complex128,
];
const TYPES_13: &[ElementType] = &[
    F32, F16, Bf16, F64, I8, I16, I32, I64, U8, U16, U32, U64, Bool, String, Complex64, Complex128,
];
const TYPES_19: &[ElementType] = extended!(TYPES_13, F8e4m3fn, F8e4m3fnuz, F8e5m2, F8e5m2fnuz);
const TYPES_21: &[ElementType] = extended!(TYPES_19, I4, U4);
const TYPES_23: &[ElementType] = extended!(TYPES_21, F4e2m1);
const TYPES_24: &[ElementType] = extended!(TYPES_23, F8e8m0);
const TYPES_25: &[ElementType] = extended!(TYPES_24, I2, U2);
const ONEDNN_TYPES: &[ElementType] = &[F32, F16, Bf16];

const ARRAY_TYPES_2021: &[ElementType] = &[F32, F64, I8, I16, I32, I64, U8, U16, U32, U64, Bool];
const ARRAY_TYPES_2022: &[ElementType] = extended!(ARRAY_TYPES_2021, Complex64, Complex128);

const fn concatenated<const N: usize>(
    first: &[ElementType],
    second: &[ElementType],
) -> [ElementType; N] {
    let mut all = [F32; N];
    let (start, end) = all.split_at_mut(first.len());
    start.copy_from_slice(first);
    end.copy_from_slice(second);
    all
}

static ALLOWZERO: ZeroAttribute = ZeroAttribute {
    name: "allowzero",
    kind: AttributeKind::Int,
    copies_when_set: false,
    copies_by_default: Some(true),
    neither_0_nor_1: Strictness::Open(Question::AllowzeroNeither),
};
static SPECIAL_ZERO: ZeroAttribute = ZeroAttribute {
    name: "special_zero",
    kind: AttributeKind::Bool,
    copies_when_set: true,
    copies_by_default: None,
    neither_0_nor_1: Strictness::MustReject,
};

const ONNX_TARGET: TargetRule = TargetRule {
    attribute: false,
    typed: true,
    element_types: &[I64],
    other_integers: Strictness::MustReject,
    not_flat: Strictness::Open(Question::TargetNotFlat),
    missing: Strictness::MustReject,
    empty: Strictness::MustAccept(Meaning::First, "a scalar"),
};

/// What most texts decide, or leave open, in the same way.
const COMMON_RULES: Rules = Rules {
    zero: ZeroRule::AlwaysCopies,
    literal_zero_with_minus_one: Strictness::Open(Question::IndeterminateDimension),
    copy_at_rank: Strictness::MustReject,
    copy_past_rank: Strictness::MustReject,
    below_minus_one: Strictness::Open(Question::BelowMinusOne),
    indeterminate_dimension: Strictness::Open(Question::IndeterminateDimension),
    count_overflows: Strictness::Open(Question::CountOverflows),
    capacity: Strictness::Open(Question::Capacity),
    scalar_data: Strictness::MustAccept(Meaning::First, "a tensor like any other"),
    element_type_outside: Strictness::Open(Question::ElementTypeOutside),
    element_types_ruled_out: &[],
    unknown_attribute: Strictness::Open(Question::UnknownAttribute),
    target: ONNX_TARGET,
    ignored_attributes: &[],
};

const ONNX_RULES: Rules = Rules {
    element_type_outside: Strictness::MustReject,
    ..COMMON_RULES
};

/// ONNX with the target as second input.
const WITH_INPUT: Operator = Operator {
    name: "",
    family: Family::Onnx,
    version: 0,
    document: ONNX,
    element_types: &[],
    bindings: INPUT_BINDINGS,
    rules: ONNX_RULES,
    clauses: &[],
};

/// ONNX with `allowzero`.
const WITH_ALLOWZERO: Operator = Operator {
    rules: ONNX_ALLOWZERO_RULES,
    ..WITH_INPUT
};

const ONNX_ALLOWZERO_RULES: Rules = Rules {
    zero: ZeroRule::Attribute(&ALLOWZERO),
    literal_zero_with_minus_one: Strictness::MustReject,
    ..ONNX_RULES
};

const ONEDNN_RULES: Rules = Rules {
    zero: ZeroRule::Attribute(&SPECIAL_ZERO),
    below_minus_one: Strictness::MustReject,
    element_type_outside: Strictness::MustReject,
    target: TargetRule {
        attribute: true,
        not_flat: Strictness::MustReject,
        empty: Strictness::Open(Question::EmptyTarget),
        ..ONNX_TARGET
    },
    ..COMMON_RULES
};

/// The Array API standard: a call of a library, whose target is a tuple of Python.
const ARRAY_API: Operator = Operator {
    name: "",
    family: Family::ArrayApi,
    version: 0,
    document: "Array API standard, reshape",
    element_types: ARRAY_TYPES_2022,
    bindings: &[Binding::Eager, Binding::EagerPermuted, Binding::EagerPadded],
    rules: Rules {
        zero: ZeroRule::AlwaysLiteral,
        ignored_attributes: &[("copy", AttributeKind::Bool)],
        target: TargetRule {
            typed: false,
            ..ONNX_TARGET
        },
        ..COMMON_RULES
    },
    clauses: &[],
};
