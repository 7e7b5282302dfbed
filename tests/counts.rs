//! Laws of element counts, through the public library.

#![allow(clippy::unwrap_used, reason = "a test")]

use num_bigint::BigUint;
use proptest::prelude::*;
use reshape_conformance::tensor::Count;

fn big(dims: &[u64]) -> BigUint {
    dims.iter().map(|dim| BigUint::from(*dim)).product()
}

fn dim() -> impl Strategy<Value = u64> {
    prop_oneof![0u64..9, Just(u64::MAX), Just(1 << 63), any::<u64>()]
}

proptest! {
    #[test]
    fn a_count_is_the_exact_product(dims in prop::collection::vec(dim(), 0..7)) {
        let (count, exact) = (Count::of(&dims), big(&dims));
        prop_assert_eq!(count.to_string(), exact.to_string());
        prop_assert_eq!(count.as_u64(), u64::try_from(&exact).ok());
        prop_assert_eq!(count.is_zero(), exact == BigUint::ZERO);
        prop_assert_eq!(count.exceeds_i64(), exact > BigUint::from(i64::MAX as u64));
    }

    #[test]
    fn division_is_exact_or_none(dims in prop::collection::vec(dim(), 0..7), divisor in prop::collection::vec(dim(), 0..5)) {
        let (count, exact) = (big(&dims), big(&divisor));
        let expected = (exact != BigUint::ZERO && (&count % &exact) == BigUint::ZERO).then(|| (&count / &exact).to_string());
        let divided = Count::of(&dims).divided_by(&Count::of(&divisor));
        prop_assert_eq!(divided.map(|quotient| quotient.to_string()), expected);
    }

    #[test]
    fn what_was_multiplied_in_divides(dims in prop::collection::vec(1u64.., 0..7), divisor in prop::collection::vec(1u64.., 0..5)) {
        let product = Count::of(&[dims.clone(), divisor.clone()].concat());
        prop_assert_eq!(product.divided_by(&Count::of(&divisor)), Some(Count::of(&dims)));
    }
}
