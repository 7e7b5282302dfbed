//! Properties of trials, which distinguish the failures from the passes.

use crate::model::surroundings::Surrounding;
use crate::names::{Joined, table};
use crate::semantics::operator::TargetSource;
use crate::semantics::oracle::copies_zero;
use crate::suite::trial::Trial;
use crate::tensor::{Count, ElementType, Representation};
use std::cmp::Ordering;
use std::collections::BTreeSet;

use Surrounding::{
    AfterCast, SharedData, TargetFromReshape, TargetFromReshapeDeclared, TypedFields,
};

/// The most names to list.
const MAX_NAMES: usize = 4;
/// The most cases to name instead of what they have in common.
const MAX_CASES: usize = 2;

/// Whether a trial has a property.
pub(super) type Has = fn(&Trial) -> bool;

/// Properties that a surrounding gives.
const COMPUTED: &str = "another node gives the target";
const NOT_CONSTANT: &str = "the target arrives at the run, or another node gives it";

/// Properties of any trial, to be read after "where".
pub(super) const GENERAL: &[(&str, Has)] = table! {
    "the target arrives at the run" => |of| of.binding.source() == TargetSource::Runtime,
    "the target arrives at the run, and at the node as it is" =>
        |of| of.binding.source() == TargetSource::Runtime && !is_computed(of),
    "the target is a constant" => |of| of.binding.source() == TargetSource::Constant,
    "the target is not known before the run" =>
        |of| of.binding.source() == TargetSource::Runtime || reads_shape(of) && of.binding.dynamic(),
    COMPUTED => is_computed,
    NOT_CONSTANT => |of| of.binding.source() == TargetSource::Runtime || is_computed(of),
    "another node takes the data too" => |of| of.surrounding == Some(SharedData) || reads_shape(of),
    "the target is in the model" => |of| of.binding.source() != TargetSource::Runtime,
    // A scalar has no dims that could be left open.
    "data dims are not declared" => |of| of.binding.dynamic() && !dims(of).is_empty(),
    "data dims are declared" => |of| !of.binding.dynamic(),
    "other runs of the model come first" => |of| of.is_in_sequence() && !of.is_concurrent(),
    "the model makes other runs" => Trial::is_in_sequence,
    "the model makes many runs, some at the same time" => Trial::is_concurrent,
    "the text rejects the node" => Trial::is_rejected,
    "the text accepts the node" => Trial::is_accepted,
    "the text allows an output" => |of| !of.is_rejected(),
    "the data has no element" => |of| elements(of) == Some(0),
    "the data has an element" => |of| elements(of) != Some(0),
    "the data has an odd number of elements" => |of| elements(of).is_some_and(|count| count % 2 == 1),
    "the data holds a NaN or an infinity" => |of| holds(of, |value| !value.is_finite()),
    "the data holds a NaN" => |of| holds(of, f64::is_nan),
    "the data holds an infinity" => |of| holds(of, f64::is_infinite),
    "the data holds an empty string" => |of| has_string(of, <[u8]>::is_empty),
    "the data holds a string of more than 255 bytes" => |of| has_string(of, |text| text.len() > 255),
    "the data holds a string past ASCII" => |of| has_string(of, |text| !text.is_ascii()),
    "the target holds a -1" => |of| values(of).contains(&-1),
    "the target holds two -1s" => |of| values(of).iter().filter(|value| **value == -1).count() == 2,
    "the target holds a 0" => |of| values(of).contains(&0),
    "the target has no value" => |of| of.request().target.as_ref().is_some_and(|target| target.values.is_empty()),
    "the target is of i32" =>
        |of| of.request().target.as_ref().is_some_and(|target| target.element_type == ElementType::I32),
    "the target holds only 0 and -1" => |of| values(of).iter().all(|value| [0, -1].contains(value)),
    "the target begins with a -1" => |of| values(of).first() == Some(&-1),
    "the target ends with a -1" => |of| values(of).last() == Some(&-1),
    "the target begins with a 0" => |of| values(of).first() == Some(&0),
    "the target ends with a 0" => |of| values(of).last() == Some(&0),
    "the target has a 0 at the data's last dim" =>
        |of| dims(of).len().checked_sub(1).and_then(|last| values(of).get(last)) == Some(&0),
    "zeros copy" => |of| copies(of) && values(of).contains(&0),
    "allowzero is set" => |of| is_literal_by(of, "allowzero"),
    "special_zero is false" => |of| is_literal_by(of, "special_zero"),
    "zeros are literal" => |of| copies_zero(of.request()) == Some(false),
    "a 0 copies past the second place" => |of| copies_past(of, 2),
    "a 0 copies past the fourth place" => |of| copies_past(of, 4),
    "a 0 copies behind a -1" =>
        |of| values(of).iter().position(|value| *value == -1).is_some_and(|first| copies_past(of, first)),
    "a 0 of the target copies a dim of 0" =>
        |of| copies(of) && values(of).iter().zip(dims(of)).any(|pair| pair == (&0, &0)),
    "the target has more values than the data has dims" => |of| values(of).len() > dims(of).len(),
    "the target has fewer values than the data has dims" => |of| values(of).len() < dims(of).len(),
    "the target has as many values as the data has dims" => |of| values(of).len() == dims(of).len(),
    "the target has another number of values than the data has dims" => |of| values(of).len() != dims(of).len(),
    "the target has fewer elements than the data" => |of| target_elements(of) == Some(Ordering::Less),
    "the target has more elements than the data" => |of| target_elements(of) == Some(Ordering::Greater),
    "the target lists the data's dims" => |of| (of.request().dims_as_values()).eq(values(of).iter().copied()),
    "the output has the data's dims" => |of| of.expectation().shape() == Some(dims(of)),
    "the output has the data's dims in another order" => |of| {
        of.expectation().shape().is_some_and(|output| {
            let mut both = [output, dims(of)].map(<[u64]>::to_vec);
            both.iter_mut().for_each(|dims| dims.sort_unstable());
            both[0] == both[1] && output != dims(of)
        })
    },
    "the output has the data's dims reversed" =>
        |of| of.expectation().shape().is_some_and(|output| output.iter().rev().eq(dims(of))),
    "the output begins with a 1" => |of| of.expectation().shape().and_then(|output| output.first()) == Some(&1),
    "a data dim is 1" => |of| dims(of).contains(&1),
    "the data's last dim is odd" => |of| dims(of).last().is_some_and(|last| last % 2 == 1),
    "the target holds a value past 32 bits" => |of| values(of).iter().any(|value| i32::try_from(*value).is_err()),
    "a data dim is past 32 bits" => |of| dims(of).iter().any(|dim| i32::try_from(*dim).is_err()),
};

/// The kind of a feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Operator,
    ElementType,
    Binding,
    Surrounding,
    DataDims,
    /// Its words are complete.
    Other,
}

impl Kind {
    /// The words before a value.
    pub(super) fn description(self) -> &'static str {
        match self {
            Self::Operator => "the operator is ",
            Self::ElementType => "the element type is ",
            Self::Binding => "the binding is ",
            Self::Surrounding => "the surrounding is ",
            Self::DataDims => "the data's number of dims is ",
            Self::Other => "",
        }
    }

    /// A trial's value of this kind, if that is a name; else empty.
    pub(super) fn name(self, trial: &Trial) -> &str {
        match self {
            Self::Operator => trial.operator.name,
            Self::ElementType => trial.element_type.name(),
            Self::Binding => trial.binding.name(),
            Self::Surrounding => trial.surrounding.map_or("", |of| of.name()),
            Self::DataDims | Self::Other => "",
        }
    }

    /// The word that joins its values.
    pub(super) fn conjunction(self) -> &'static str {
        if self == Self::Operator { "and" } else { "or" }
    }

    /// The manifest's field that lists the claimed values; `None` without such a field.
    pub(super) fn manifest_field(self) -> Option<&'static str> {
        match self {
            Self::Operator => Some("operators"),
            Self::ElementType => Some("element_types"),
            Self::Binding => Some("bindings"),
            Self::Surrounding => Some("limits.surroundings"),
            Self::DataDims | Self::Other => None,
        }
    }
}

/// A number of a trial: its subject, its unit, and its value.
pub(super) type Number = (&'static str, &'static str, fn(&Trial) -> u64);

/// Numbers of a trial.
pub(super) const NUMBERS: &[Number] = &[
    ("the target", "values", |trial| values(trial).len() as u64),
    ("the data", "dims", |trial| dims(trial).len() as u64),
    ("data or target", "dims", |trial| {
        dims(trial).len().max(values(trial).len()) as u64
    }),
    ("the data", "elements", |trial| {
        elements(trial).unwrap_or(u64::MAX)
    }),
    ("the data", "bytes", bytes),
];

/// Sizes in bytes; a faulty backend may assume that the data is a multiple of one of them.
pub(super) const UNITS: &[u64] = &[2, 4, 8, 16, 32, 64];

/// A property that all of some trials have.
pub(super) struct Property<'a> {
    /// To be read after "where".
    pub(super) description: String,
    pub(super) has: Box<dyn Fn(&Trial) -> bool + 'a>,
    /// The number of names that it lists. The more, the more of them are there by chance.
    pub(super) names: usize,
    /// The number of which it wants at least so much; `None` for another property.
    at_least: Option<(&'static Number, u64)>,
}

impl<'a> Property<'a> {
    fn new(description: String, names: usize, has: impl Fn(&Trial) -> bool + 'a) -> Self {
        Self {
            description,
            has: Box::new(has),
            names,
            at_least: None,
        }
    }

    /// The description of one of these properties. Of a number that it wants at least, it tells what the passes with all the
    /// others still have, if that is not the number before.
    pub(super) fn told(&self, all: &[&Self], passes: &[&Trial]) -> String {
        let words = &self.description;
        let Some(((_, _, number), least)) = self.at_least else {
            return words.clone();
        };
        let others = || all.iter().filter(|of| of.description != *words);
        let passes = passes
            .iter()
            .filter(|pass| others().all(|of| (of.has)(pass)));
        let most = passes
            .map(|pass| number(pass))
            .filter(|of| *of < least)
            .max();
        let most = most.filter(|most| most + 1 < least);
        most.map_or_else(
            || words.clone(),
            |most| format!("{words} (it passes with {most})"),
        )
    }

    /// The properties that all these trials share, and the numbers that `all` have, which may be more. For very few cases
    /// only their names and places count, and a number that no other trial reaches, because it is unknown which of their
    /// other properties matters.
    pub(super) fn shared_by(trials: &[&'a Trial], all: &[&Trial]) -> Vec<Self> {
        let places = places(trials).into_iter();
        let places = places.chain(surroundings(trials));
        if let Some(case) = one_of("the case is", trials, MAX_CASES, |of| &of.case.name) {
            let numbers = NUMBERS.iter().filter_map(|of| at_least(of, all));
            return places.chain(numbers).chain([case]).collect();
        }
        let shared = general(trials)
            .into_iter()
            .chain(places)
            .chain(numbers(all));
        shared.chain(odd_size(trials)).collect()
    }

    /// As `shared_by`, without their names and places, and without their other runs, which are no part of the request.
    pub(super) fn of_requests(trials: &[&Trial]) -> Vec<Property<'static>> {
        let lone = trials.first().map(|trial| trial.of_lone_node());
        let all = general(trials).into_iter().chain(numbers(trials));
        let all = all.chain(odd_size(trials));
        let all = all.filter(|of| {
            [COMPUTED, NOT_CONSTANT].contains(&of.description.as_str())
                || lone.iter().all(|lone| (of.has)(lone))
        });
        all.chain(surroundings(trials)).collect()
    }

    /// As `shared_by`, for so few trials that other properties may be there by chance.
    pub(super) fn of_few(trials: &[&'a Trial], all: &[&Trial]) -> Vec<Self> {
        let numbers = NUMBERS.iter().filter_map(|of| at_least(of, all));
        places(trials).into_iter().chain(numbers).collect()
    }
}

/// Whether a trial has all these properties.
pub(super) fn has_all(properties: &[Property<'_>], trial: &Trial) -> bool {
    properties.iter().all(|of| (of.has)(trial))
}

/// The properties of [`GENERAL`] that all these trials share.
fn general(trials: &[&Trial]) -> Vec<Property<'static>> {
    let general = GENERAL.iter();
    let shared = general.filter(|(_, has)| trials.iter().all(|trial| has(trial)));
    let shared = shared.map(|(words, has)| Property::new((*words).to_owned(), 0, has));
    shared.collect()
}

/// The properties of having as many of something as all these trials, or at least as many.
fn numbers(trials: &[&Trial]) -> Vec<Property<'static>> {
    let numbers = NUMBERS.iter();
    let numbers = numbers.flat_map(|of| [exactly(of, trials), at_least(of, trials)]);
    numbers.flatten().collect()
}

/// The element types, operators and bindings of these trials, and why they are rejected, if these are few.
fn places<'a>(trials: &[&'a Trial]) -> Vec<Property<'a>> {
    let places = [
        named(Kind::ElementType, trials),
        one_of("the text rejects because", trials, MAX_CASES, |of| {
            of.why_rejected()
        }),
        named(Kind::Operator, trials),
        named(Kind::Binding, trials),
    ];
    places.into_iter().flatten().collect()
}

/// The surroundings that these trials are in, if they are few and no trial is of a lone node.
fn surroundings(trials: &[&Trial]) -> Option<Property<'static>> {
    let all: Option<BTreeSet<Surrounding>> = trials.iter().map(|of| of.surrounding).collect();
    let all = all.filter(|of| of.len() <= MAX_NAMES)?;
    let description = match all.first() {
        Some(one) if all.len() == 1 => one.description().to_owned(),
        _ => {
            let names = all.iter().map(|of| of.name()).joined(" or ");
            format!("{}{names}", Kind::Surrounding.description())
        }
    };
    let count = all.len();
    let has = move |of: &Trial| of.surrounding.is_some_and(|of| all.contains(&of));
    Some(Property::new(description, count, has))
}

/// The names of a kind that these trials have, if they are few.
fn named<'a>(kind: Kind, trials: &[&'a Trial]) -> Option<Property<'a>> {
    let description = kind.description().trim_end();
    one_of(description, trials, MAX_NAMES, move |of: &Trial| {
        kind.name(of)
    })
}

/// The property of having one of the names of these trials; `None` if there are too many, or a trial has no name.
fn one_of<'a>(
    description: &str,
    trials: &[&'a Trial],
    most: usize,
    name: impl for<'t> Fn(&'t Trial) -> &'t str + 'a,
) -> Option<Property<'a>> {
    let names: BTreeSet<&str> = trials.iter().map(|trial| name(trial)).collect();
    if names.len() > most || names.contains("") {
        return None;
    }
    let listed: Vec<_> = names.iter().copied().collect();
    let description = format!("{description} {}", listed.join(" or "));
    let count = names.len();
    let has = move |trial: &Trial| names.contains(name(trial));
    Some(Property::new(description, count, has))
}

/// The property of having as many of something as each of these trials; `None` if their numbers differ.
fn exactly<'a>((of, what, number): &'static Number, trials: &[&Trial]) -> Option<Property<'a>> {
    let mut numbers = trials.iter().map(|trial| number(trial));
    let all = numbers
        .next()
        .filter(|all| numbers.all(|one| one == *all))?;
    let one = what.strip_suffix('s').filter(|_| all == 1);
    let description = format!("{of} has {all} {}", one.unwrap_or(what));
    let has = move |trial: &Trial| number(trial) == all;
    Some(Property::new(description, 0, has))
}

/// The property of having at least as many of something as the smallest of these trials; `None` if that is one or none.
fn at_least<'a>(of_what: &'static Number, trials: &[&Trial]) -> Option<Property<'a>> {
    let (of, what, number) = of_what;
    let numbers = trials.iter().map(|trial| number(trial));
    let least = numbers.min().filter(|least| *least > 1)?;
    let description = format!("{of} has at least {least} {what}");
    let has = move |trial: &Trial| number(trial) >= least;
    Some(Property {
        at_least: Some((of_what, least)),
        ..Property::new(description, 0, has)
    })
}

/// The property that the data's size is not a multiple of some unit: the smallest such unit for these trials.
fn odd_size<'a>(trials: &[&Trial]) -> Option<Property<'a>> {
    let is_odd = |unit: u64| move |trial: &Trial| is_no_multiple(trial, unit);
    let mut units = UNITS.iter().copied();
    let unit = units.find(|unit| trials.iter().all(|trial| is_odd(*unit)(trial)))?;
    let description = format!("the data's bytes are no multiple of {unit}");
    Some(Property::new(description, 0, is_odd(unit)))
}

/// Whether the bytes of the data are not a multiple of this; no if the elements are strings.
pub(super) fn is_no_multiple(trial: &Trial, unit: u64) -> bool {
    trial.element_type != ElementType::String && !bytes(trial).is_multiple_of(unit)
}

/// Whether one of the numbers that the case gives the data is such a value.
fn holds(trial: &Trial, wanted: fn(f64) -> bool) -> bool {
    let (Representation::Float(format) | Representation::Complex(format)) =
        trial.element_type.representation()
    else {
        return false;
    };
    if trial.case.content.is_by_index() {
        return false;
    }
    let data = trial.case.data(trial.element_type);
    data.is_ok_and(|data| {
        let count = data.len() * usize::from(data.is_materialized());
        // A complex element has two numbers.
        let numbers = |bits| {
            [bits, bits >> format.width()].map(|of| of & (u128::MAX >> (128 - format.width())))
        };
        let mut numbers = (0..count).filter_map(|at| data.bits(at)).flat_map(numbers);
        numbers.any(|bits| wanted(format.value(bits as u64)))
    })
}

/// Whether the data of a case of strings has such a string.
fn has_string(trial: &Trial, is: fn(&[u8]) -> bool) -> bool {
    let data = trial.case.data(trial.element_type);
    trial.element_type == ElementType::String
        && !trial.case.content.is_by_index()
        && data.is_ok_and(|of| (0..of.len()).any(|at| of.string(at).is_some_and(is)))
}

/// How the number of elements that the target states compares with the data's; `None` if the target holds a negative
/// value, or copies a dim that the data does not have.
fn target_elements(trial: &Trial) -> Option<Ordering> {
    let (copies, dims) = (copies(trial), dims(trial));
    let lengths = values(trial).iter().enumerate();
    let lengths = lengths.map(|(at, value)| match value {
        0 if copies => dims.get(at).copied(),
        _ => u64::try_from(*value).ok(),
    });
    let lengths: Vec<u64> = lengths.collect::<Option<_>>()?;
    Some(Count::of(&lengths).cmp(&Count::of(dims)))
}

/// Whether a 0 of the target copies.
fn copies(trial: &Trial) -> bool {
    copies_zero(trial.request()) == Some(true)
}

/// Whether the attribute of this name makes zeros literal.
fn is_literal_by(trial: &Trial, name: &str) -> bool {
    let attribute = trial.operator.zero_attribute();
    copies_zero(trial.request()) == Some(false) && attribute.is_some_and(|of| of.name == name)
}

/// Whether a 0 copies from this index on.
fn copies_past(trial: &Trial, index: usize) -> bool {
    copies(trial) && values(trial).iter().skip(index).any(|value| *value == 0)
}

/// Whether the target is computed from the Shape of the data.
fn reads_shape(trial: &Trial) -> bool {
    let within = trial.surrounding;
    within != Some(Surrounding::ComputedTargetNone)
        && within.is_some_and(|of| Surrounding::JOINED.contains(&of))
}

/// Whether another node gives the target.
fn is_computed(trial: &Trial) -> bool {
    match trial.surrounding {
        Some(AfterCast | TypedFields) => trial.binding.dynamic(),
        Some(TargetFromReshape | TargetFromReshapeDeclared) => true,
        within => within.is_some_and(|of| Surrounding::JOINED.contains(&of)),
    }
}

fn elements(trial: &Trial) -> Option<u64> {
    Count::of(dims(trial)).as_u64()
}

/// The bytes of the data; for strings, their number.
fn bytes(trial: &Trial) -> u64 {
    let bits = trial.element_type.bits().unwrap_or(8);
    let count = elements(trial).unwrap_or(u64::MAX);
    count.saturating_mul(bits.into()).div_ceil(8)
}

/// The data dims.
pub(super) fn dims(trial: &Trial) -> &[u64] {
    &trial.request().data_shape
}

/// The target's values; empty without a target.
pub(super) fn values(trial: &Trial) -> &[i128] {
    trial.request().values()
}
