//! `search`: trials that nobody wrote and a backend fails.

use super::environment::PartitionArg;
use super::reports::{create, write, write_events};
use super::run::{RunArgs, participants, stop_on_ctrl_c};
use crate::cli::exit_code;
use crate::error::Error;
use crate::event::stream::{SearchRecords, Stream};
use crate::report::progress::Bar;
use crate::report::search::{cases, show};
use crate::report::style::{NOTE, out, paint};
use crate::run::Participant;
use crate::search::{Bounds, Method, SearchOptions, SearchResult, search, shrink_findings};
use crate::spec::operator::{Binding, Selector};
use crate::suite::generated::trial_named;
use crate::tensor::ElementType;
use clap::Args;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// The options that say what to search.
const SEARCHING: [&str; 13] = [
    "random",
    "guided",
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
];

/// Look for trials that nobody wrote and a backend fails; the oracle judges.
///
/// All small trials, smallest first; or with --random or --guided random ones, up to 64-bit dims. Failures of one cause are
/// one finding, with the smallest trial that shows it. Ctrl-C ends a search early, and shows what it found.
#[derive(Debug, Args)]
pub(super) struct SearchArgs {
    /// SearchRecords this adapter (a folder under adapters/) [default: the built-in reference]
    #[arg(long, value_name = "NAME", conflicts_with = "adapter_command")]
    adapter: Option<String>,
    /// SearchRecords a program that speaks the adapter protocol
    #[arg(long, value_name = "COMMAND")]
    adapter_command: Option<String>,
    /// The most dims of data and of target [default: 3; of random trials the backend's limit, or 64]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=64))]
    max_rank: Option<u32>,
    /// The longest data dim of small trials [default: 3]
    #[arg(long, value_name = "N", conflicts_with_all = ["random", "guided"], value_parser = clap::value_parser!(u64).range(0..=64))]
    max_dim: Option<u64>,
    /// The largest target value of small trials; the smallest is -2 [default: 4]
    #[arg(long, value_name = "N", conflicts_with_all = ["random", "guided"], value_parser = clap::value_parser!(u64).range(0..=4096))]
    max_value: Option<u64>,
    /// Random trials instead of all small ones
    #[arg(long)]
    random: bool,
    /// Random trials, each chosen to tell apart what the backend has not refuted yet of the mutants
    #[arg(long)]
    guided: bool,
    /// Only these operators: a family, one id, or "onnx >= 14"; repeatable
    #[arg(long, value_name = "OPERATOR")]
    operator: Vec<Selector>,
    /// Only these bindings, such as runtime-dynamic; repeatable
    #[arg(long, value_name = "BINDING")]
    binding: Vec<Binding>,
    /// The data's element type [default: f32, or what the backend has]
    #[arg(long, value_name = "TYPE")]
    element_type: Option<ElementType>,
    /// How many trials [default: all small ones; 10000 random ones, or as many as --time allows]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    count: Option<u64>,
    /// Seconds after which to stop
    #[arg(long, value_name = "SECONDS", value_parser = super::run::seconds)]
    time: Option<Duration>,
    /// Which random trials [default: 1]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// The number of the first random trial: where an earlier search with this seed ended [default: 0]
    #[arg(long, value_name = "N")]
    from: Option<u64>,
    /// SearchRecords only this part, such as slice:1/3; `merge` joins the parts' events
    #[arg(long, value_name = "PART", conflicts_with = "guided")]
    partition: Option<PartitionArg>,
    /// Only this trial: its name, as an earlier search told it
    #[arg(long, value_name = "NAME", conflicts_with_all = SEARCHING, conflicts_with = "shrink")]
    trial: Option<String>,
    /// SearchRecords nothing: make smaller what these events of a search found, such as those that `merge` wrote
    #[arg(long, value_name = "EVENTS", conflicts_with_all = SEARCHING)]
    shrink: Option<PathBuf>,
    /// Write what is found here as an event stream, for `merge`
    #[arg(long, value_name = "FILE")]
    events: Option<PathBuf>,
    /// Write what is found here, as cases
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Workers [default: one a core]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Seconds to wait for one reply of an adapter [default: 30]
    #[arg(long, value_name = "SECONDS", value_parser = super::run::seconds)]
    timeout: Option<Duration>,
    /// Mebibytes that one adapter process may have resident [default: its manifest's]
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u64).range(1..=1 << 30))]
    memory: Option<u64>,
}

pub(super) fn run(arguments: &SearchArgs) -> Result<u8, Error> {
    let one = |name: &Option<String>| name.iter().cloned().collect::<Vec<_>>();
    let wanted = RunArgs::on(
        &one(&arguments.adapter),
        &one(&arguments.adapter_command),
        arguments.timeout,
        arguments.memory,
    );
    let (participants, _) = participants(&wanted)?;
    let Some(participant) = participants.first() else {
        return Err(Error::Usage("nothing to search".to_owned()));
    };
    let begun = Instant::now();
    let interrupted = Arc::default();
    stop_on_ctrl_c(&interrupted);
    let earlier = arguments.shrink.as_deref().map(read).transpose()?;
    // That it cannot be written is said before hours of search.
    let events = arguments.events.as_deref().map(create).transpose()?;
    let mut search = match earlier {
        Some(search) => search,
        None => arguments.search(participant, &interrupted)?,
    };
    let mut smaller = Ok(());
    if !search.found.is_empty() {
        let bar = Bar::new(search.found.len(), "findings made smaller");
        smaller = shrink_findings(participant, &mut search, &interrupted, &mut |looked| {
            bar.set(looked)
        });
        bar.clear();
    }
    // What was found is not lost if nothing of it can be made smaller.
    show(&search, arguments.shrink.is_none().then(|| begun.elapsed()));
    if let (Some(path), Some(file)) = (&arguments.events, events) {
        write_events(path, file, search.events())?;
    }
    if let Some(path) = &arguments.save {
        write(path, &cases(&search))?;
        out(format!(
            "written to {}: read the clauses before you keep a case",
            path.display()
        ));
    }
    smaller?;
    Ok(exit_code::of_search(&search))
}

/// The search that a file's events are of.
fn read(path: &Path) -> Result<SearchRecords, Error> {
    let no_search = || {
        Error::Usage(format!(
            "{} is of a run; give it the events of a search",
            path.display()
        ))
    };
    Stream::read(path)?.search.ok_or_else(no_search)
}

impl SearchArgs {
    fn options(&self) -> Result<SearchOptions, Error> {
        let method = if let Some(name) = &self.trial {
            let none = || {
                Error::NothingSelected(format!(
                    "no search makes a trial '{name}'; its name is in what a search tells"
                ))
            };
            Method::Single(trial_named(name).ok_or_else(none)?)
        } else if self.random || self.guided {
            // Without a count they end with their time.
            let count = self.count.or_else(|| self.time.is_none().then_some(10_000));
            let (seed, from) = (self.seed.unwrap_or(1), self.from.unwrap_or(0));
            let end = count.map(|count| from.saturating_add(count));
            Method::Random {
                seed,
                from,
                end,
                rank: self.max_rank,
                guided: self.guided,
            }
        } else if self.seed.is_some() || self.from.is_some() {
            return Err(Error::Usage(
                "--seed and --from are of --random or --guided trials".to_owned(),
            ));
        } else {
            let (rank, dim, value) = (
                self.max_rank.unwrap_or(3),
                self.max_dim.unwrap_or(3),
                self.max_value.unwrap_or(4),
            );
            Method::Small {
                bounds: Bounds::new(rank, dim, value).map_err(Error::Usage)?,
                count: self.count,
            }
        };
        Ok(SearchOptions {
            method,
            operators: self
                .operator
                .iter()
                .flat_map(|selector| selector.operators())
                .copied()
                .collect(),
            bindings: self.binding.clone(),
            element_type: self.element_type,
            partition: self
                .partition
                .as_ref()
                .map(PartitionArg::partition)
                .transpose()?,
            time: self.time,
            jobs: self.jobs.map_or_else(super::run::cores, usize::from),
        })
    }

    /// Runs the trials, and says how to go on.
    fn search(
        &self,
        participant: &Participant,
        interrupted: &Arc<AtomicBool>,
    ) -> Result<SearchRecords, Error> {
        let (options, mut bar) = (self.options()?, None);
        let SearchResult {
            records,
            next,
            not_refuted,
        } = search(participant, &options, interrupted, &mut |done, of| {
            let of = of.and_then(|of| usize::try_from(of).ok());
            bar = bar.take().or_else(|| of.map(|of| Bar::new(of, "trials")));
            bar.iter().for_each(|bar| bar.set(done));
        })?;
        bar.iter().for_each(Bar::clear);
        if let Method::Random { seed, from, .. } = options.method {
            out(paint(
                NOTE,
                format!(
                    "seed {seed}, trials {from} to {next}; go on with --seed {seed} --from {next}"
                ),
            ));
        }
        if let Some(left) = not_refuted {
            out(format!(
                "of the mutants that show in a shape {} are not refuted{}{}",
                left.len(),
                if left.is_empty() { "" } else { ": " },
                left.join(", ")
            ));
        }
        Ok(records)
    }
}
