use crate::tensor::{ElementType, Representation, literal};
use proptest::prelude::*;

#[test]
fn every_finite_pattern_reads_back_from_its_own_decimal() {
    for element_type in ElementType::ALL {
        let Representation::Float(format) = element_type.representation() else {
            continue;
        };
        if format.width() > 16 {
            continue;
        }
        for bits in 0..1u64 << format.width() {
            let value = format.value(bits);
            if value.is_finite() {
                let text = format!("{value:e}");
                assert_eq!(
                    literal::bits(&text, *element_type).ok(),
                    Some(bits.into()),
                    "{element_type} {bits:#x} {text}"
                );
            }
        }
    }
}

#[test]
fn a_decimal_is_rounded_once() {
    // Just above the middle of two f16 (or bf16) neighbours, but so little that an f64 in between forgets it.
    for (text, element_type, bits) in [
        ("1.00048828125", ElementType::F16, 0x3c00),
        (
            "1.00048828125000000000000000000000001",
            ElementType::F16,
            0x3c01,
        ),
        ("1.00390625", ElementType::Bf16, 0x3f80),
        (
            "1.00390625000000000000000000000000001",
            ElementType::Bf16,
            0x3f81,
        ),
        ("65519.999", ElementType::F16, 0x7bff),
        ("-0.0", ElementType::F16, 0x8000),
        ("1e-1000", ElementType::F64, 0),
    ] {
        assert_eq!(literal::bits(text, element_type).ok(), Some(bits), "{text}");
    }
}

#[test]
fn what_a_format_cannot_hold_is_refused() {
    for (text, element_type) in [
        ("465", ElementType::F8e4m3fn),
        ("65520", ElementType::F16),
        ("-1e39", ElementType::F32),
        ("inf", ElementType::F8e4m3fn),
        ("nan", ElementType::F4e2m1),
        ("-1", ElementType::F8e8m0),
        ("1e99999", ElementType::F64),
        ("0x1ffff", ElementType::F16),
        ("128", ElementType::I8),
        ("-9", ElementType::I4),
    ] {
        assert!(
            literal::bits(text, element_type).is_err(),
            "{text} as {element_type}"
        );
    }
}

proptest! {
    #[test]
    fn f32_and_f64_literals_are_what_the_standard_library_reads(digits in 0u64.., exponent in -330i32..330) {
        let text = format!("{digits}e{exponent}");
        let wide: f64 = text.parse().expect("a number");
        let bits = wide.is_finite().then(|| wide.to_bits().into());
        prop_assert_eq!(literal::bits(&text, ElementType::F64).ok(), bits);
        let narrow: f32 = text.parse().expect("a number");
        let bits = narrow.is_finite().then(|| narrow.to_bits().into());
        prop_assert_eq!(literal::bits(&text, ElementType::F32).ok(), bits);
    }
}
