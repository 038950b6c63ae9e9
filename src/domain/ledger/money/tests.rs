//! Amounts: text, bounds, sums and shares of them.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

#[test]
fn two_decimals_always_and_no_minus_zero() {
    for (pence, text) in
        [(0, "0.00"), (-5, "-0.05"), (120_000, "1200.00"), (7, "0.07"), (-123_456, "-1234.56"), (99, "0.99")]
    {
        assert_eq!(Pence(pence).to_string(), text);
        assert_eq!(serde_json::to_string(&Money(pence)).ok().as_deref(), Some(text));
    }
    assert_eq!(Pence::parse_number("-0.00").map(|pence| pence.to_string()), Some("0.00".to_owned()));
    assert_eq!((-Pence::ZERO).to_string(), "0.00");
}

#[test]
fn the_bound_is_inclusive() {
    assert_eq!(Pence::parse_text("9999999999.99"), Some(Pence::MAX));
    assert_eq!(Pence::parse_number("-9999999999.99"), Some(-Pence::MAX));
    assert_eq!(Pence::parse_number("1e10"), None);
    assert!(Pence::MAX.is_in_range() && !(Pence::MAX + Pence(1)).is_in_range());
}

#[test]
fn what_a_float_would_read_amiss_is_refused_or_exact() {
    assert_eq!(Pence::parse_number("10.005"), None);
    assert_eq!(Pence::parse_number("1e3"), Some(Pence(100_000)));
    assert_eq!(Pence::parse_text("£5"), None);
    assert_eq!(Pence::parse_text("10.005"), None);
}

#[test]
fn proportions_round_halves_away_from_zero() {
    assert_eq!(Pence(2_000).proportion(Pence(4_000), Pence(12_001)), Pence(667));
    assert_eq!(Pence(1).proportion(Pence(1), Pence(2)), Pence(1));
    assert_eq!(Pence(-1).proportion(Pence(1), Pence(2)), Pence(-1));
    assert_eq!(Pence(5).proportion(Pence(1), Pence(-2)), Pence(-3));
    assert_eq!(Pence(5).proportion(Pence(1), Pence::ZERO), Pence::ZERO);
}

#[test]
fn sums_and_signs() {
    let total: Pence = [Pence(1), Pence(2), Pence(-7)].into_iter().sum();
    assert_eq!(total, Pence(-4));
}

#[test]
#[should_panic(expected = "out of range")]
fn a_sum_beyond_the_edge_is_none() {
    assert_eq!(Pence(i64::MAX).checked_add(Pence(1)), None);
    let _ = Pence(i64::MAX) + Pence(1);
}

#[test]
#[should_panic(expected = "out of range")]
fn a_difference_beyond_the_edge_is_none() {
    assert_eq!(Pence(i64::MIN).checked_sub(Pence(1)), None);
    let _ = Pence(i64::MIN) - Pence(1);
}

#[test]
#[should_panic(expected = "out of range")]
fn the_lowest_has_no_opposite() {
    let _ = -Pence(i64::MIN);
}

#[test]
#[should_panic(expected = "out of range")]
fn the_lowest_has_no_magnitude() {
    assert!(!Pence(i64::MIN).is_in_range());
    let _ = Pence(i64::MIN).abs();
}

#[test]
#[should_panic(expected = "out of range")]
fn a_list_beyond_the_edge_has_no_sum() {
    let _: Pence = [Pence(i64::MAX), Pence(1), Pence(-1)].into_iter().sum();
}

#[test]
#[should_panic(expected = "out of range")]
fn a_proportion_beyond_the_edge_is_none() {
    let _ = Pence(i64::MAX).proportion(Pence(2), Pence(1));
}

fn near_the_edges() -> impl Strategy<Value = i64> {
    prop_oneof![
        any::<i64>(),
        i64::MIN..=i64::MIN + 3,
        i64::MAX - 3..=i64::MAX,
        -3..=3_i64,
        -Pence::MAX.0 - 1..=-Pence::MAX.0 + 1,
        Pence::MAX.0 - 1..=Pence::MAX.0 + 1,
    ]
}

fn accepted() -> impl Strategy<Value = Pence> {
    near_the_edges().prop_map(|pence| Pence(pence.clamp(-Pence::MAX.0, Pence::MAX.0)))
}

proptest! {
    #[test]
    fn a_sum_is_exact_or_none((one, other) in (near_the_edges(), near_the_edges())) {
        let exact = |wide: i128| i64::try_from(wide).ok().map(Pence);
        let (wide_one, wide_other) = (i128::from(one), i128::from(other));
        prop_assert_eq!(Pence(one).checked_add(Pence(other)), exact(wide_one + wide_other));
        prop_assert_eq!(Pence(one).checked_sub(Pence(other)), exact(wide_one - wide_other));
    }

    #[test]
    fn the_operators_are_exact_on_accepted_amounts((one, other) in (accepted(), accepted())) {
        let (mut added, mut taken) = (one, one);
        added += other;
        taken -= other;
        prop_assert_eq!((one + other, one - other, -one), (Pence(one.0 + other.0), Pence(one.0 - other.0), Pence(-one.0)));
        prop_assert_eq!((added, taken), (one + other, one - other));
        prop_assert_eq!(one.abs().0, one.0.abs());
        prop_assert!(one.is_in_range());
    }

    #[test]
    fn the_longest_lists_of_accepted_amounts_have_exact_sums(some in vec(accepted(), 1..40), copies in 1..=200_usize) {
        let list: Vec<Pence> = some.repeat(copies);
        let exact: i128 = list.iter().map(|amount| i128::from(amount.0)).sum();
        prop_assert_eq!(i128::from(list.into_iter().sum::<Pence>().0), exact);
    }

    #[test]
    fn a_proportion_is_nearest_and_no_more_than_the_whole((of, part, whole) in (accepted(), accepted(), accepted())) {
        prop_assume!(!whole.is_zero() && part.abs() <= whole.abs());
        let result = of.proportion(part, whole);
        let wide = |amount: Pence| i128::from(amount.0);
        prop_assert!(result.abs() <= of.abs());
        let error = wide(result) * wide(whole) - wide(of) * wide(part);
        prop_assert!(2 * error.abs() <= wide(whole).abs());
    }
}
