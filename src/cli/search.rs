//! `search`: generated trials that a backend fails.

use super::environment::PartitionArg;
use super::exit_code;
use super::interrupt::stop_on_ctrl_c;
use super::output_file::{Identity, prepare};
use super::reports::{write, write_events};
use super::run_args::{RunArgs, Seconds, WaitArgs, circuit_breaker, mib, workers};
use super::selection::operators;
use super::streams::{create, read_search, read_unless_stopped};
use crate::error::Error;
use crate::event::stream::SearchRecords;
use crate::model::surroundings::Surrounding;
use crate::names::UnknownName;
use crate::report::progress::Bar;
use crate::report::search::{cases, show};
use crate::report::style::{NOTE, out, paint};
use crate::run::Participant;
use crate::search::{Bounds, Method, SearchOptions, search, shrink_findings};
use crate::semantics::operator::{Binding, OPERATORS, Operator, Selector};
use crate::suite::generated::trial_named;
use crate::tensor::ElementType;
use clap::Args;
use std::collections::BTreeSet;
use std::num::NonZeroU64;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// The options that define the space of a search.
const SEARCHING: [&str; 13] = [
    "random",
    "partition",
    "count",
    "time",
    "seed",
    "from",
    "max_rank",
    "max_dim",
    "max_value",
    "operator",
    "binding",
    "element_type",
    "surrounding",
];

/// Search generated trials, beyond the suite, for failures of a backend. The oracle judges them.
///
/// By default it runs all small trials, smallest first. With --random it runs random trials with dims up to
/// 64 bits. Failures with the same cause are one finding, with the smallest trial that shows it. Ctrl-C ends a search
/// and shows its findings.
#[derive(Debug, Args)]
pub(super) struct SearchArgs {
    /// Search this adapter (`adapters` lists them) [default: the built-in reference]
    #[arg(long, value_name = "NAME", conflicts_with = "adapter_command")]
    adapter: Option<String>,
    /// Search a program that speaks the adapter protocol
    #[arg(long, value_name = "COMMAND")]
    adapter_command: Option<String>,
    /// The most dims of data and target [default: 3; for random trials the backend's limit, or 64]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=64))]
    max_rank: Option<u32>,
    /// The longest data dim of small trials [default: 3]
    #[arg(long, value_name = "N", conflicts_with = "random", value_parser = clap::value_parser!(u64).range(0..=64))]
    max_dim: Option<u64>,
    /// The largest target value of small trials; the smallest is -2 [default: 4]
    #[arg(long, value_name = "N", conflicts_with = "random", value_parser = clap::value_parser!(u64).range(0..=4096))]
    max_value: Option<u64>,
    /// Run random trials instead of all small ones
    #[arg(long)]
    random: bool,
    /// Use only these operators: a family, one id, or "onnx >= 14"; repeatable
    #[arg(long, value_name = "OPERATOR")]
    operator: Vec<Selector>,
    /// Use only these bindings, such as runtime-dynamic; repeatable
    #[arg(long, value_name = "BINDING")]
    binding: Vec<Binding>,
    /// Use only these element types of the data; repeatable [default: the types that the backend supports, in turn:
    /// each pair of operator and binding takes the next one]
    #[arg(long, value_name = "TYPE")]
    element_type: Vec<ElementType>,
    /// Search in this surrounding instead of the node alone; `all` for every graph and every sequence; repeatable. A graph
    /// gets one static and one dynamic binding, a sequence every binding
    #[arg(long, value_name = "NAME", value_parser = surroundings)]
    surrounding: Vec<&'static [Surrounding]>,
    /// The number of trials [default: all small ones; 10000 random ones, or as many as --time allows]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    count: Option<u64>,
    /// Stop after this many seconds
    #[arg(long, value_name = "SECONDS")]
    time: Option<Seconds>,
    /// The seed of the random trials [default: 1]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// The number of the first random trial; an earlier search prints the number with which to continue [default: 0]
    #[arg(long, value_name = "N")]
    from: Option<u64>,
    /// Search only this part, such as slice:1/3; `merge` merges the events of the parts
    #[arg(long, value_name = "PART")]
    partition: Option<PartitionArg>,
    /// Run only this trial, by its name in the output of an earlier search
    #[arg(long, value_name = "NAME", conflicts_with_all = SEARCHING, conflicts_with = "shrink")]
    trial: Option<String>,
    /// Do not search, but shrink the findings in these events of a search, for example after `merge`
    #[arg(long, value_name = "EVENTS", conflicts_with_all = SEARCHING)]
    shrink: Option<PathBuf>,
    /// Write the findings here as an event stream, for `merge`
    #[arg(long, value_name = "FILE")]
    events: Option<PathBuf>,
    /// Write the findings here as cases
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Number of workers [default: one for each core]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Stop after N crashes, hangs and other process failures in a row with the same message; 0 for never [default: 10]
    #[arg(long, value_name = "N")]
    give_up_after: Option<usize>,
    #[command(flatten)]
    wait: WaitArgs,
    /// Memory limit of one adapter process, in MiB of resident memory [default: the manifest's limit; 4096 for
    /// --adapter-command]
    #[arg(long, value_name = "MIB", value_parser = mib(1 << 30))]
    memory: Option<NonZeroU64>,
}

pub(super) fn run(arguments: &SearchArgs) -> Result<u8, Error> {
    let interrupted = stop_on_ctrl_c();
    // A search that is shrunk may be replaced by its own result.
    let is_read =
        |path: &&PathBuf| arguments.shrink.as_deref().map(Identity::of) == Some(Identity::of(path));
    let written = [&arguments.events, &arguments.save].into_iter().flatten();
    let mut written = written.filter(|path| !is_read(path));
    written.try_for_each(|path| prepare(path))?;
    let backends = RunArgs {
        adapter: arguments.adapter.iter().cloned().collect(),
        adapter_command: arguments.adapter_command.iter().cloned().collect(),
        timeout: arguments.wait.timeout,
        handshake_timeout: arguments.wait.handshake_timeout,
        memory: arguments.memory,
        no_known_failures: true,
        stop: Arc::clone(&interrupted),
        ..RunArgs::default()
    };
    let (participants, _) = backends.participants()?;
    let Some(participant) = participants.first() else {
        return Err(Error::Usage("nothing to search".to_owned()));
    };
    let begun = Instant::now();
    let earlier = read_unless_stopped(arguments.shrink.as_ref(), &interrupted, read_search)?;
    // Create the file before the search, so that an error shows before hours of search.
    let events = arguments.events.as_deref().map(create).transpose()?;
    let mut search = match earlier {
        Some(search) => search,
        None => arguments.search(participant, &interrupted)?,
    };
    let made_smaller = shrink(participant, &mut search, &interrupted);
    // Show and save the findings even if they cannot be shrunk.
    show(&search, arguments.shrink.is_none().then(|| begun.elapsed()));
    if let (Some(path), Some(file)) = (&arguments.events, events) {
        write_events(path, file, search.events())?;
    }
    if let Some(path) = &arguments.save {
        write(path, &cases(&search))?;
        out(format!(
            "written to {}: check each case against its clauses before you keep it",
            path.display()
        ));
    }
    made_smaller?;
    Ok(exit_code::of_search(&search))
}

/// Shrinks the smallest trial of each finding.
fn shrink(
    participant: &Participant,
    search: &mut SearchRecords,
    interrupted: &Arc<AtomicBool>,
) -> Result<(), Error> {
    if search.found.is_empty() {
        return Ok(());
    }
    let bar = Bar::new(search.found.len(), "findings shrunk");
    let done = shrink_findings(participant, search, interrupted, &mut |looked| {
        bar.set(looked)
    });
    bar.clear();
    done
}

/// The surroundings that a word names.
fn surroundings(text: &str) -> Result<&'static [Surrounding], UnknownName> {
    if text == "all" {
        return Ok(Surrounding::ALL);
    }
    let named: Surrounding = text.parse()?;
    let mut each = Surrounding::ALL.chunks(1);
    Ok(each.find(|of| of.contains(&named)).unwrap_or_default())
}

impl SearchArgs {
    fn options(&self) -> Result<SearchOptions, Error> {
        let partition = self.partition.as_ref().map(PartitionArg::partition);
        let operators = operators(&self.operator);
        Ok(SearchOptions {
            method: self.method()?,
            surroundings: self.surroundings(&operators)?,
            operators,
            bindings: self.binding.clone(),
            element_types: self.element_type.clone(),
            partition: partition.transpose()?,
            time: self.time.map(|of| of.0),
            jobs: workers(self.jobs),
            circuit_breaker: circuit_breaker(self.give_up_after),
        })
    }

    /// The surroundings to search, each once. Fails when none of these operators (or of all) is tested in one of them.
    fn surroundings(&self, operators: &[&'static Operator]) -> Result<Vec<Surrounding>, Error> {
        let is_chosen = |of: &&Operator| operators.is_empty() || operators.contains(of);
        for named in &self.surrounding {
            let mut chosen = OPERATORS.iter().filter(is_chosen);
            if let [of] = named
                && !chosen.any(|operator| of.tests(operator))
            {
                return Err(Error::NothingSelected(format!(
                    "no operator of this search is tested in the surrounding {of}; `docs cases` says which are"
                )));
            }
        }
        let all: BTreeSet<_> = self.surrounding.iter().copied().flatten().collect();
        Ok(all.into_iter().copied().collect())
    }

    /// The trials to search.
    fn method(&self) -> Result<Method, Error> {
        if let Some(name) = &self.trial {
            return trial_named(name).map(Method::Single).ok_or_else(|| {
                Error::NothingSelected(format!(
                    "no search generates a trial '{name}'; searches print the names of their trials"
                ))
            });
        }
        if self.random {
            // Without a count they end by time.
            let count = self.count.or_else(|| self.time.is_none().then_some(10_000));
            let from = self.from.unwrap_or(0);
            return Ok(Method::Random {
                seed: self.seed.unwrap_or(1),
                from,
                end: count.map(|count| from.saturating_add(count)),
                rank: self.max_rank,
            });
        }
        if self.seed.is_some() || self.from.is_some() {
            return Err(Error::Usage("--seed and --from need --random".to_owned()));
        }
        let (rank, dim) = (self.max_rank.unwrap_or(3), self.max_dim.unwrap_or(3));
        Ok(Method::Small {
            bounds: Bounds::new(rank, dim, self.max_value.unwrap_or(4)).map_err(Error::Usage)?,
            count: self.count,
        })
    }

    /// Runs the trials, and prints how to continue.
    fn search(
        &self,
        participant: &Participant,
        interrupted: &Arc<AtomicBool>,
    ) -> Result<SearchRecords, Error> {
        let (options, mut bar) = (self.options()?, None::<Bar>);
        let (records, next) = search(participant, &options, interrupted, &mut |done, of| {
            let of = of.and_then(|of| usize::try_from(of).ok());
            bar.get_or_insert_with(|| Bar::new(of, "trials")).set(done);
        })?;
        bar.iter().for_each(Bar::clear);
        if let Method::Random { seed, from, .. } = options.method {
            let again = format!("--seed {seed} --from {next}");
            let note = format!("seed {seed}, trials {from} to {next}; continue with {again}");
            out(paint(NOTE, note));
        }
        Ok(records)
    }
}
