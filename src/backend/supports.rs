//! The capabilities of a backend, and the limits on requests to it.

use crate::model::surroundings::Surrounding;
use crate::names::{Joined, named_enum};
use crate::semantics::operator::{Binding, OPERATORS, Operator};
use crate::semantics::oracle::{Resolution, resolve};
use crate::semantics::request::{AttributeValue, MAX_DATA_BYTES, Request, is_too_large};
use crate::suite::partition::Sample;
use crate::suite::trial::Trial;
use crate::tensor::{Count, ElementType, Tensor};
use crate::yaml::read::{each, names, number, texts};
#[cfg(test)]
use crate::yaml::schema::{count, integers, strings};
use crate::yaml::{Faults, Node, mapping};
use std::collections::{BTreeMap, BTreeSet};

/// The operators × element types × bindings that a backend supports.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Supports {
    /// The element types that any entry has, by operator and binding.
    pub(crate) cells: BTreeMap<(&'static str, Binding), BTreeSet<ElementType>>,
    /// The entries. A request is supported if a single entry covers it.
    pub(crate) entries: Vec<Entry>,
    pub(crate) limits: Limits,
    /// What this machine cannot do, and why.
    unavailable: Vec<(Cells, String)>,
    /// Whether the backend is only similar to the operators, and does not claim to implement them.
    pub(crate) only_similar: bool,
    /// Whether the backend rewrites models, which another one runs.
    pub(crate) rewrites: bool,
    /// Whether these entries are only what can be asked. `unsupported` is then no failure where the run shows no such ability.
    pub(crate) claims_nothing: bool,
    /// The surroundings that reach it.
    pub(crate) surroundings: Vec<Surrounding>,
    /// The sample of its claim that it is asked; `None` for everything.
    pub(crate) sample: Option<Sample>,
    /// What it can be asked about data that is too large to materialize.
    pub(crate) compiled_only: CompiledOnly,
    /// The largest data to materialize, in bytes; `None` for the default.
    pub(crate) most_data: Option<u64>,
}

/// What a backend can be asked about data that is too large to materialize: whether its inferred shape is right.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum CompiledOnly {
    /// It does not report what it infers.
    #[default]
    Nothing,
    /// Requests that need not be rejected, because it may reject only at the run, which never comes.
    Accepted,
    /// It rejects at the compilation, or never.
    Everything,
}

/// Element types × bindings of one operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cells {
    pub operator: &'static Operator,
    pub element_types: Vec<ElementType>,
    pub bindings: Vec<Binding>,
}

impl Cells {
    /// Ignores bindings that the operator does not have.
    fn new(operator: &'static Operator, types: &[ElementType], bindings: &[Binding]) -> Self {
        let has = |binding: &&Binding| operator.bindings.contains(binding);
        Self {
            operator,
            element_types: types.to_vec(),
            bindings: bindings.iter().filter(has).copied().collect(),
        }
    }

    fn cover(&self, request: &Request, binding: Binding) -> bool {
        self.operator.name == request.operator.name
            && self.element_types.contains(&request.element_type)
            && self.bindings.contains(&binding)
    }
}

/// How a request reaches a backend: the binding and the surrounding; `None` for the node alone.
type Way = (Binding, Option<Surrounding>);

/// The support for some cells: the allowed values of attributes, and other limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub cells: Cells,
    pub attributes: BTreeMap<String, Vec<i64>>,
    /// In addition to the limits of all entries.
    pub limits: Limits,
}

impl Entry {
    fn covers(&self, request: &Request, (binding, surrounding): Way) -> bool {
        let mut attributes = self.attributes.iter();
        let has_value = |(name, values): (&String, &Vec<i64>)| {
            let value = request.attributes.get(name);
            matches!(value, Some(AttributeValue::Int(value)) if values.contains(value))
        };
        self.cells.cover(request, binding)
            && self.limits.allow_surrounding(surrounding)
            && attributes.all(has_value)
            && self.limits.allow(request)
    }
}

mapping! {
    /// Limits on what can be passed to a backend, for all entries or for one. `None` means no limit.
    #[derive(PartialEq, Eq, serde::Serialize)]
    pub struct Limits, "`limits`", "" {
        /// The highest rank of data and target.
        pub rank: Option<u64> = optional(number::<u64>, count()),
        /// The highest rank of the data.
        pub data_rank: Option<u64> = optional(number::<u64>, count()),
        /// The ranks of the target itself: 1 is a list, 0 a scalar.
        pub target_ranks: Option<Vec<u64>> = optional(each(number::<u64>), integers()),
        /// The element types of the target.
        pub target_types: Option<Vec<ElementType>> =
            optional(names::<ElementType>("an element type"), strings()),
        /// The attributes that a node can carry.
        pub attributes: Option<Vec<String>> = optional(texts, strings()),
        /// The lowest and the highest target value.
        pub target_values: Option<[i128; 2]> = optional(lowest_and_highest, integers()),
        /// The ranks that data without elements may have.
        pub empty_data_ranks: Option<Vec<u64>> = optional(each(number::<u64>), integers()),
        /// The longest dim of the data.
        pub data_dim: Option<u64> = optional(number::<u64>, count()),
        /// The most bytes of the data.
        pub data_bytes: Option<u64> = optional(number::<u64>, count()),
        /// What strings must be.
        pub strings: Vec<StringLimit> = optional(names::<StringLimit>("a limit of strings"), strings()),
        /// The surroundings that can be passed.
        pub surroundings: Option<Vec<Surrounding>> =
            optional(names::<Surrounding>("a surrounding"), strings()),
        /// The most resident memory of the process, in MiB.
        pub memory_mib: Option<u64> = optional(number::<u64>, count()),
    }
}

/// What a manifest would state, of a program that has none. Its `hello` states the rest.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stated {
    /// Each replaces the limit of that name in `hello`.
    pub(crate) limits: Limits,
    /// Whether the backend is only similar to the operators.
    pub(crate) only_similar: bool,
    /// The sample of its claim that it is asked; `None` for everything.
    pub(crate) sample: Option<Sample>,
}

/// Two numbers, the lower first.
fn lowest_and_highest(faults: &mut Faults<'_>, node: &Node, name: &str) -> Option<[i128; 2]> {
    let both: Option<[i128; 2]> = each(number)(faults, node, name)?.try_into().ok();
    let message = "`target_values` is the lowest and the highest target value";
    let both = both.filter(|[lowest, highest]| lowest <= highest);
    // No target has a value past these.
    let both = both.map(|both| both.map(|of| of.clamp(i64::MIN.into(), u64::MAX.into())));
    let hint = "write a list of two numbers, the lower first";
    both.or_else(|| faults.wrong(node, message, hint))
}

named_enum! {
    /// What a string must be to be passed to a backend.
    pub enum StringLimit, "limit of strings" {
        /// It is valid UTF-8.
        Utf8 = "utf-8",
        /// Its last byte is not NUL.
        NoNulAtTheEnd = "no-nul-at-the-end",
    }
}

impl StringLimit {
    fn allows(self, string: &[u8]) -> bool {
        match self {
            Self::Utf8 => std::str::from_utf8(string).is_ok(),
            Self::NoNulAtTheEnd => string.last() != Some(&0),
        }
    }
}

impl Limits {
    /// Each limit, or the other one of that name.
    fn or(self, other: Self) -> Self {
        Self {
            rank: self.rank.or(other.rank),
            data_rank: self.data_rank.or(other.data_rank),
            target_ranks: self.target_ranks.or(other.target_ranks),
            target_types: self.target_types.or(other.target_types),
            attributes: self.attributes.or(other.attributes),
            target_values: self.target_values.or(other.target_values),
            empty_data_ranks: self.empty_data_ranks.or(other.empty_data_ranks),
            data_dim: self.data_dim.or(other.data_dim),
            data_bytes: self.data_bytes.or(other.data_bytes),
            strings: if self.strings.is_empty() {
                other.strings
            } else {
                self.strings
            },
            surroundings: self.surroundings.or(other.surroundings),
            memory_mib: self.memory_mib.or(other.memory_mib),
        }
    }

    /// Whether a request is within the limits.
    fn allow(&self, request: &Request) -> bool {
        fn within(limit: Option<u64>, rank: usize) -> bool {
            limit.is_none_or(|limit| rank as u64 <= limit)
        }
        fn listed<T: PartialEq>(list: Option<&Vec<T>>, item: &T) -> bool {
            list.is_none_or(|list| list.contains(item))
        }
        let data_rank = request.data_shape.len();
        let target = request.target.as_ref().is_none_or(|target| {
            let in_range = |value: &i128| {
                let range = self.target_values;
                range.is_none_or(|[lowest, highest]| (lowest..=highest).contains(value))
            };
            within(self.rank, target.values.len())
                && target.values.iter().all(in_range)
                && listed(self.target_ranks.as_ref(), &(target.dims.len() as u64))
                && listed(self.target_types.as_ref(), &target.element_type)
        });
        target
            && within(self.rank, data_rank)
            && within(self.data_rank, data_rank)
            && self.allow_dims(request)
            && (request.attributes.keys()).all(|name| listed(self.attributes.as_ref(), name))
    }

    fn allow_dims(&self, request: &Request) -> bool {
        let dims = || request.data_shape.iter().copied();
        let ranks = self.empty_data_ranks.as_ref();
        let rank = request.data_shape.len() as u64;
        let is_passed =
            ranks.is_none_or(|ranks| ranks.contains(&rank) || dims().all(|dim| dim > 0));
        // A dim of 0 counts as 1, and an element of less than a byte as one byte.
        let element = request.element_type.bits().map_or(1, u64::from).div_ceil(8);
        let bytes: Count = dims().map(|dim| dim.max(1)).chain([element]).collect();
        is_passed
            && dims().all(|dim| self.data_dim.is_none_or(|longest| dim <= longest))
            && self.data_bytes.is_none_or(|most| bytes.is_at_most(most))
    }

    fn allow_surrounding(&self, surrounding: Option<Surrounding>) -> bool {
        let allowed = self.surroundings.as_ref();
        surrounding.is_none_or(|of| allowed.is_none_or(|allowed| allowed.contains(&of)))
    }

    fn allow_content(&self, data: &Tensor) -> bool {
        // Without a limit nothing is read, because data can be large.
        self.strings.is_empty()
            || (0..data.len())
                .filter_map(|index| data.string(index))
                .all(|string| self.strings.iter().all(|limit| limit.allows(string)))
    }
}

impl Supports {
    /// Every operator and binding with every element type, including those that the operator's text does not list.
    #[must_use]
    pub fn everything() -> Self {
        let mut supports = Self::default();
        for operator in OPERATORS {
            supports.add(operator, ElementType::ALL, operator.bindings);
        }
        let one_at_a_time = Surrounding::ALL.iter().filter(|of| !of.is_concurrent());
        supports.surroundings = one_at_a_time.copied().collect();
        supports
    }

    /// These operators with the element types that their texts list, through every binding.
    #[must_use]
    pub fn operators(operators: &[&'static Operator]) -> Self {
        let mut supports = Self::default();
        for operator in operators {
            supports.add(operator, operator.element_types, operator.bindings);
        }
        supports
    }

    /// Adds element types × bindings of one operator. Ignores bindings that the operator does not have.
    pub fn add(
        &mut self,
        operator: &'static Operator,
        types: &[ElementType],
        bindings: &[Binding],
    ) {
        let (attributes, limits) = (BTreeMap::new(), Limits::default());
        self.add_limited(operator, types, bindings, attributes, limits);
    }

    /// Adds element types × bindings of one operator, for requests within these limits. If a node has an integer
    /// attribute of these names, it must have one of these values. A node without the attribute is not covered. Other
    /// entries are independent.
    pub fn add_limited(
        &mut self,
        operator: &'static Operator,
        types: &[ElementType],
        bindings: &[Binding],
        attributes: BTreeMap<String, Vec<i64>>,
        limits: Limits,
    ) {
        let cells = Cells::new(operator, types, bindings);
        for binding in &cells.bindings {
            let cell = self.cells.entry((operator.name, *binding));
            cell.or_default().extend(types);
        }
        self.entries.push(Entry {
            cells,
            attributes,
            limits,
        });
    }

    /// Sets the limits of all entries.
    pub fn limit(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// The capabilities with what is stated elsewhere than in `hello`.
    pub(crate) fn stated(mut self, stated: &Stated) -> Self {
        self.limits = stated.limits.clone().or(self.limits);
        self.only_similar = stated.only_similar;
        self.sample = stated.sample;
        self
    }

    /// Removes what this machine cannot do, except bindings that the operator lacks. Fails for what is not supported.
    pub(crate) fn narrow(
        &mut self,
        operator: &'static Operator,
        types: &[ElementType],
        bindings: &[Binding],
        reason: &str,
    ) -> Result<(), String> {
        let cells = Cells::new(operator, types, bindings);
        for binding in &cells.bindings {
            let cell = self.cells.entry((operator.name, *binding)).or_default();
            for element_type in types {
                if !cell.remove(element_type) {
                    return Err(format!(
                        "`unavailable` names {operator} {element_type} {binding}, but `supports` does not"
                    ));
                }
            }
        }
        self.unavailable.push((cells, reason.to_owned()));
        Ok(())
    }

    /// Why this machine cannot do something that is otherwise supported; `None` if it can, or if it is not supported.
    pub(crate) fn unavailable(&self, request: &Request, way: Way) -> Option<&str> {
        let mut all = self.unavailable.iter();
        let (_, reason) = all.find(|(cells, _)| cells.cover(request, way.0))?;
        self.claims(request, way).then_some(reason.as_str())
    }

    /// What this machine cannot do: each reason once.
    pub(crate) fn reasons_unavailable(&self) -> BTreeSet<&str> {
        let reasons = self.unavailable.iter();
        reasons.map(|(_, reason)| reason.as_str()).collect()
    }

    /// Adds concurrent runs of one model, for a backend that makes them on its own threads
    /// ([`crate::backend::Backend::reshape_concurrently`]).
    pub fn add_concurrent_runs(&mut self) {
        let concurrent = Surrounding::ALL.iter().filter(|of| of.is_concurrent());
        self.surroundings.extend(concurrent);
    }

    /// The largest data to materialize, in bytes.
    pub(crate) fn most_data(&self) -> u64 {
        self.most_data.unwrap_or(MAX_DATA_BYTES)
    }

    /// Whether the data of a request can be materialized, or need not be.
    fn takes_size(&self, request: &Request) -> bool {
        !is_too_large(&request.data_shape, request.element_type, self.most_data())
            || match self.compiled_only {
                CompiledOnly::Nothing => false,
                CompiledOnly::Accepted => !matches!(resolve(request), Resolution::Rejected(_)),
                CompiledOnly::Everything => true,
            }
    }

    /// Whether a request is supported in this way.
    pub(crate) fn covers(&self, request: &Request, way: Way) -> bool {
        self.claims(request, way) && self.unavailable(request, way).is_none()
    }

    /// Whether a trial is supported.
    pub(crate) fn takes(&self, trial: &Trial) -> bool {
        self.covers(trial.request(), (trial.binding, trial.surrounding))
    }

    /// Whether a surrounding reaches the backend, within the limits of all entries.
    pub(crate) fn reaches(&self, surrounding: Surrounding) -> bool {
        self.surroundings.contains(&surrounding) && self.limits.allow_surrounding(Some(surrounding))
    }

    /// Whether a request is claimed, available or not.
    fn claims(&self, request: &Request, way: Way) -> bool {
        way.1.is_none_or(|of| self.reaches(of))
            && self.limits.allow(request)
            && self.takes_size(request)
            && self.entries.iter().any(|entry| entry.covers(request, way))
    }

    /// Whether a claimed trial is also claimed with this data.
    pub(crate) fn takes_data(&self, trial: &Trial, data: &Tensor) -> bool {
        if data.element_type() != ElementType::String {
            // No other limit concerns the data.
            return true;
        }
        self.limits.allow_content(data)
            && self.entries.iter().any(|entry| {
                entry.covers(trial.request(), (trial.binding, trial.surrounding))
                    && entry.limits.allow_content(data)
            })
    }

    /// Whether a handshake that states limits or attribute values states those of this manifest.
    fn states_the_limits_of(&self, manifest: &Self) -> bool {
        let none = Limits::default();
        let is_limited = |of: &Entry| of.limits != none || !of.attributes.is_empty();
        let is_same = |one: &Entry, other: &Entry| {
            one.cells.operator.name == other.cells.operator.name
                && (&one.attributes, &one.limits) == (&other.attributes, &other.limits)
        };
        let states = |all: &Self, one: &Entry| all.entries.iter().any(|of| is_same(of, one));
        let same = self.entries.iter().all(|of| states(manifest, of))
            && manifest.entries.iter().all(|of| states(self, of));
        // The process does not limit its own memory.
        let limits = Limits {
            memory_mib: None,
            ..manifest.limits.clone()
        };
        (self.limits == none || self.limits == limits)
            && (same || !self.entries.iter().any(is_limited))
    }

    /// The first operator and binding whose element types differ between this manifest and a handshake, as text; `None`
    /// if there is no such difference.
    pub(crate) fn difference(&self, handshake: &Self) -> Option<String> {
        let none = BTreeSet::new();
        let mut keys = self.cells.keys().chain(handshake.cells.keys());
        let of_cells = keys.find_map(|key| {
            let ours = self.cells.get(key).unwrap_or(&none);
            let theirs = handshake.cells.get(key).unwrap_or(&none);
            let parts = [
                ("manifest", ours.difference(theirs).joined(", ")),
                ("handshake", theirs.difference(ours).joined(", ")),
            ];
            let parts = parts.iter().filter(|(_, types)| !types.is_empty());
            let parts = parts.map(|(place, types)| format!("only the {place} has {types}"));
            let (operator, binding) = key;
            (ours != theirs).then(|| format!("{operator} {binding}: {}", parts.joined("; ")))
        });
        of_cells.or_else(|| {
            let what = "`limits` or `attributes` in the handshake are not those of the manifest; leave them out there, or state the same";
            (!handshake.states_the_limits_of(self)).then(|| what.to_owned())
        })
    }
}
