//! The table: one row an operator version.

use super::{
    AttributeKind, Binding, Family, Operator, Question, Rules, Strictness, TargetRule,
    ZeroAttribute, ZeroRule, clauses,
};
use crate::tensor::ElementType::{self, *};

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
                missing: Strictness::Open(Question::MissingTarget),
                ..ONNX_TARGET
            },
            ignored_attributes: &[("consumed_inputs", AttributeKind::Ints)],
            ..ONNX_RULES
        },
        clauses: clauses::ONNX_1,
    },
    Operator {
        name: "onnx.Reshape-5",
        version: 5,
        element_types: ONNX_TYPES_5,
        clauses: clauses::ONNX_5,
        ..ONNX_INPUT
    },
    Operator {
        name: "onnx.Reshape-13",
        version: 13,
        element_types: ONNX_TYPES_13,
        clauses: clauses::ONNX_13,
        ..ONNX_INPUT
    },
    Operator {
        name: "onnx.Reshape-14",
        version: 14,
        element_types: ONNX_TYPES_13,
        clauses: clauses::ONNX_14,
        ..ONNX_ALLOWZERO
    },
    Operator {
        name: "onnx.Reshape-19",
        version: 19,
        element_types: ONNX_TYPES_19,
        clauses: clauses::ONNX_19,
        ..ONNX_ALLOWZERO
    },
    Operator {
        name: "onnx.Reshape-21",
        version: 21,
        element_types: ONNX_TYPES_21,
        clauses: clauses::ONNX_21,
        ..ONNX_ALLOWZERO
    },
    Operator {
        name: "onnx.Reshape-23",
        version: 23,
        element_types: ONNX_TYPES_23,
        clauses: clauses::ONNX_23,
        ..ONNX_ALLOWZERO
    },
    Operator {
        name: "onnx.Reshape-24",
        version: 24,
        element_types: ONNX_TYPES_24,
        clauses: clauses::ONNX_24,
        ..ONNX_ALLOWZERO
    },
    Operator {
        name: "onnx.Reshape-25",
        version: 25,
        element_types: ONNX_TYPES_25,
        clauses: clauses::ONNX_25,
        ..ONNX_ALLOWZERO
    },
    Operator {
        name: "openvino.Reshape-1",
        family: Family::Openvino,
        version: 1,
        document: "OpenVINO operation specification, Reshape-1",
        // "any numeric type": the ones OpenVINO has.
        element_types: &[
            F32, F16, Bf16, F64, I8, I16, I32, I64, U8, U16, U32, U64, F8e4m3fn, F8e5m2, F8e8m0,
            F4e2m1, I4, U4, U2,
        ],
        bindings: INPUT_BINDINGS,
        rules: Rules {
            zero: ZeroRule::Attribute(&SPECIAL_ZERO),
            literal_zero_forbids_minus_one: false,
            below_minus_one: Strictness::MustReject,
            element_type_outside: Strictness::Open(Question::ElementTypeOutside),
            target: TargetRule {
                attribute: false,
                // "any supported integer type": the ones OpenVINO has.
                element_types: &[I64, I32, I16, I8, U64, U32, U16, U8, I4, U4, U2],
                not_flat: Strictness::MustReject,
                missing: Strictness::MustReject,
                empty: Some(Question::EmptyTarget),
            },
            ignored_attributes: &[],
        },
        clauses: clauses::OPENVINO_1,
    },
    Operator {
        name: "onednn-spec.StaticReshape-1",
        family: Family::OnednnSpec,
        version: 1,
        document: "oneDNN Graph specification, StaticReshape-1",
        element_types: ONEDNN_TYPES,
        bindings: LAYOUT_BINDINGS,
        rules: Rules {
            literal_zero_forbids_minus_one: true,
            below_minus_one: Strictness::MustReject,
            ..ONEDNN_RULES
        },
        clauses: clauses::ONEDNN_SPEC_1,
    },
    Operator {
        name: "onednn.StaticReshape",
        family: Family::Onednn,
        version: 0,
        document: "oneDNN developer guide, StaticReshape",
        element_types: ONEDNN_TYPES,
        bindings: LAYOUT_BINDINGS,
        rules: ONEDNN_RULES,
        clauses: clauses::ONEDNN_GUIDE,
    },
];

const ONNX: &str = "ONNX operators, Reshape";

const ATTRIBUTE_BINDINGS: &[Binding] = &[Binding::AttributeStatic, Binding::AttributeDynamic];
/// The oneDNN texts speak of memory layouts and of sharing the buffer.
const LAYOUT_BINDINGS: &[Binding] = &[
    Binding::AttributeStatic,
    Binding::AttributePermuted,
    Binding::AttributePadded,
    Binding::AttributeLibraryLayout,
    Binding::AttributeInPlace,
];
const INPUT_BINDINGS: &[Binding] = &[
    Binding::ConstantStatic,
    Binding::ConstantDynamic,
    Binding::RuntimeStatic,
    Binding::RuntimeDynamic,
];

const ONNX_TYPES_5: &[ElementType] = &[
    F32, F16, F64, I8, I16, I32, I64, U8, U16, U32, U64, Bool, String, Complex64, Complex128,
];
const ONNX_TYPES_13: &[ElementType] = &[
    F32, F16, Bf16, F64, I8, I16, I32, I64, U8, U16, U32, U64, Bool, String, Complex64, Complex128,
];
const ONNX_TYPES_25: &[ElementType] = &[
    F32, F16, Bf16, F64, I8, I16, I32, I64, U8, U16, U32, U64, Bool, String, Complex64, Complex128,
    F8e4m3fn, F8e4m3fnuz, F8e5m2, F8e5m2fnuz, I4, U4, F4e2m1, F8e8m0, I2, U2,
];
// Each version from 19 on lists what stood before and a few more at the end.
const ONNX_TYPES_19: &[ElementType] = ONNX_TYPES_25.split_at(20).0;
const ONNX_TYPES_21: &[ElementType] = ONNX_TYPES_25.split_at(22).0;
const ONNX_TYPES_23: &[ElementType] = ONNX_TYPES_25.split_at(23).0;
const ONNX_TYPES_24: &[ElementType] = ONNX_TYPES_25.split_at(24).0;
const ONEDNN_TYPES: &[ElementType] = &[F32, F16, Bf16];

static ALLOWZERO: ZeroAttribute = ZeroAttribute {
    name: "allowzero",
    kind: AttributeKind::Int,
    copies_when_set: false,
    copies_by_default: Some(true),
};
static SPECIAL_ZERO: ZeroAttribute = ZeroAttribute {
    name: "special_zero",
    kind: AttributeKind::Bool,
    copies_when_set: true,
    copies_by_default: None,
};

const ONNX_TARGET: TargetRule = TargetRule {
    attribute: false,
    element_types: &[I64],
    not_flat: Strictness::Open(Question::TargetNotFlat),
    missing: Strictness::MustReject,
    empty: None,
};

const ONNX_RULES: Rules = Rules {
    zero: ZeroRule::AlwaysCopies,
    literal_zero_forbids_minus_one: false,
    below_minus_one: Strictness::Open(Question::BelowMinusOne),
    element_type_outside: Strictness::MustReject,
    target: ONNX_TARGET,
    ignored_attributes: &[],
};

/// ONNX with the target as second input.
const ONNX_INPUT: Operator = Operator {
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
const ONNX_ALLOWZERO: Operator = Operator {
    rules: Rules {
        zero: ZeroRule::Attribute(&ALLOWZERO),
        literal_zero_forbids_minus_one: true,
        ..ONNX_RULES
    },
    ..ONNX_INPUT
};

const ONEDNN_RULES: Rules = Rules {
    zero: ZeroRule::Attribute(&SPECIAL_ZERO),
    literal_zero_forbids_minus_one: false,
    below_minus_one: Strictness::Open(Question::BelowMinusOne),
    element_type_outside: Strictness::Open(Question::ElementTypeOutside),
    target: TargetRule {
        attribute: true,
        element_types: &[I64],
        not_flat: Strictness::MustReject,
        missing: Strictness::MustReject,
        empty: Some(Question::EmptyTarget),
    },
    ignored_attributes: &[],
};
