//! `search`: trials that nobody wrote and a backend fails.

use super::environment::PartitionArg;
use super::reports::{create, write, write_events};
use super::run::{RunArgs, participants, stop_on_ctrl_c};
use crate::backend::About;
use crate::error::Error;
use crate::event::{CutShort, FORMAT, SearchFinished, SearchStarted};
use crate::exit_code;
use crate::operator::{Binding, Operator, Selector};
use crate::plan::{Group, Trial};
use crate::report::progress::Bar;
use crate::report::search::{cases, show};
use crate::report::style::{NOTE, out, paint};
use crate::runner::Participant;
use crate::search::{Bounds, Hypotheses, Random, Space, enumerate, make_smaller, run as search};
use crate::situation::trial_named;
use crate::stream::{Search, Stream};
use crate::tensor::ElementType;
use clap::Args;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// The options that say what to search.
const SEARCHING: [&str; 12] =
    ["random", "guided", "partition", "count", "time", "seed", "from", "max_rank", "max_dim", "max_value", "operator", "binding"];

/// Look for trials that nobody wrote and a backend fails; the oracle judges.
///
/// All small trials, smallest first; or with --random or --guided random ones, up to 64-bit dims. Failures of one cause are
/// one finding, with the smallest trial that shows it. Ctrl-C ends a search early, and shows what it found.
#[derive(Debug, Args)]
pub(super) struct SearchArgs {
    /// Search this adapter (a folder under adapters/) [default: the built-in reference]
    #[arg(long, value_name = "NAME", conflicts_with = "adapter_command")]
    adapter: Option<String>,
    /// Search a program that speaks the adapter protocol
    #[arg(long, value_name = "COMMAND")]
    adapter_command: Option<String>,
    /// The most dims of data and of target [default: 3, or 8 for random trials]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=32))]
    max_rank: Option<u32>,
    /// The longest data dim of small trials
    #[arg(long, value_name = "N", default_value = "3", value_parser = clap::value_parser!(u64).range(0..=64))]
    max_dim: u64,
    /// The largest target value of small trials; the smallest is -2
    #[arg(long, value_name = "N", default_value = "4", value_parser = clap::value_parser!(u64).range(0..=4096))]
    max_value: u64,
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
    /// Which random trials
    #[arg(long, value_name = "N", default_value = "1")]
    seed: u64,
    /// The number of the first random trial: where an earlier search with this seed ended
    #[arg(long, value_name = "N", default_value = "0")]
    from: u64,
    /// Search only this part, such as slice:1/3; `merge` joins the parts' events
    #[arg(long, value_name = "PART", conflicts_with = "guided")]
    partition: Option<PartitionArg>,
    /// Only this trial: its name, as an earlier search told it
    #[arg(long, value_name = "NAME", conflicts_with_all = ["random", "guided", "partition"])]
    trial: Option<String>,
    /// Search nothing: make smaller what these events of a search found, such as those that `merge` wrote
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
    let wanted = RunArgs::on(&one(&arguments.adapter), &one(&arguments.adapter_command), arguments.timeout, arguments.memory);
    let (participants, _) = participants(&wanted)?;
    let Some(participant) = participants.first() else { return Err(Error::Usage("nothing to search".to_owned())) };
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
        smaller = make_smaller(participant, &mut search, &interrupted, &mut |looked| bar.set(looked));
        bar.clear();
    }
    // What was found is not lost if nothing of it can be made smaller.
    show(&search, arguments.shrink.is_none().then(|| begun.elapsed()));
    if let (Some(path), Some(file)) = (&arguments.events, events) {
        write_events(path, file, search.events())?;
    }
    if let Some(path) = &arguments.save {
        write(path, &cases(&search))?;
        out(format!("written to {}: read the clauses before you keep a case", path.display()));
    }
    smaller?;
    Ok(exit_code::of_search(&search))
}

/// The search that a file's events are of.
fn read(path: &Path) -> Result<Search, Error> {
    let no_search = || Error::Usage(format!("{} is of a run; give it the events of a search", path.display()));
    Stream::read(path)?.search.ok_or_else(no_search)
}

type Groups = Box<dyn Iterator<Item = Group> + Send>;

impl SearchArgs {
    /// Runs the trials, and says what the failures have in common.
    fn search(&self, participant: &Participant, interrupted: &Arc<AtomicBool>) -> Result<Search, Error> {
        let operators: Vec<&'static Operator> = self.operator.iter().flat_map(|selector| selector.operators()).copied().collect();
        let jobs = self.jobs.map_or_else(super::run::cores, usize::from);
        let (cut, asked) = (Arc::default(), Arc::new(AtomicU64::new(0)));
        let (begun, mut last) = (Instant::now(), Instant::now());
        let (bar, guide, described) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        let partition = self.partition.as_ref().map(PartitionArg::partition).transpose()?;
        if self.trial.is_none() && !self.is_random() {
            self.bounds().check().map_err(Error::Usage)?;
        }
        let only = self.trial.as_deref().map(named).transpose()?;
        let groups = |about: &About| {
            let space = match &only {
                Some(trial) => Space { cells: vec![(trial.operator, trial.element_type, trial.binding)] },
                None => Space::of(about, &operators, &self.binding, self.element_type),
            };
            let _ = described.set((self.describe(&space), space.cells.is_empty()));
            let (all, length) = match only {
                Some(trial) => (Box::new(std::iter::once(Group { trials: vec![trial] })) as Groups, Some(1)),
                None => self.groups(space, &guide),
            };
            let length = length.filter(|_| partition.is_none());
            if let Some(length) = length.and_then(|length| usize::try_from(length).ok()) {
                let _ = bar.set(Bar::new(length, "trials"));
            }
            let (cut, asked, interrupted): (Arc<AtomicBool>, _, _) =
                (Arc::clone(&cut), Arc::clone(&asked), Arc::clone(interrupted));
            let time = self.time;
            // Asked of every group, whoever runs it: a part can be few and far between.
            let go_on = move |_: &Group| {
                let stopped = time.is_some_and(|time| begun.elapsed() > time) || interrupted.load(Ordering::Relaxed);
                cut.fetch_or(stopped, Ordering::Relaxed);
                !stopped
            };
            let counted = move |group: &Group| {
                asked.fetch_add(group.trials.len() as u64, Ordering::Relaxed);
            };
            let all = all.take_while(go_on).inspect(counted);
            match partition {
                Some(partition) => Box::new(partition.of(all)) as Groups,
                None => Box::new(all),
            }
        };
        let (about, kept) = search(participant, jobs, groups, &mut |result, counts| {
            if let Some(guide) = guide.get().and_then(Option::as_ref) {
                Hypotheses::learn(guide, result);
            }
            if last.elapsed() > Duration::from_millis(100) {
                last = Instant::now();
                bar.get().into_iter().for_each(|bar: &Bar| bar.set(counts.total()));
            }
        })?;
        bar.get().into_iter().for_each(Bar::clear);
        let (space, nothing) = described.get().cloned().unwrap_or_default();
        if nothing {
            let why = "the backend has nothing of what is searched; see --operator, --binding and --element-type";
            return Err(Error::NothingSelected(why.to_owned()));
        }
        let mut search = kept.search(SearchStarted {
            format: FORMAT,
            suite_version: env!("CARGO_PKG_VERSION").to_owned(),
            backend: Arc::clone(&participant.label.name),
            name: about.name.clone(),
            version: about.version.clone(),
            space,
            partition: partition.map(|partition| partition.to_string()),
        });
        // Random trials without a count have no other end than their time.
        let by_time = (!self.is_random() || self.end().is_some()).then_some(CutShort::Time);
        let by = if interrupted.load(Ordering::Relaxed) { Some(CutShort::Interrupt) } else { by_time };
        let cut_short = if cut.load(Ordering::Relaxed) { by } else { None };
        search.finished = Some(SearchFinished { counts: kept.counts().clone(), cut_short });
        if self.is_random() {
            let (from, seed, next) = (self.from, self.seed, self.from.saturating_add(asked.load(Ordering::Relaxed)));
            out(paint(NOTE, format!("seed {seed}, trials {from} to {next}; go on with --seed {seed} --from {next}")));
        }
        if let Some(left) = guide.get().and_then(Option::as_ref).map(|guide| guide.left()) {
            out(format!("{} mutants are not refuted{}{}", left.len(), if left.is_empty() { "" } else { ": " }, left.join(", ")));
        }
        Ok(search)
    }

    fn is_random(&self) -> bool {
        self.random || self.guided
    }

    fn bounds(&self) -> Bounds {
        Bounds { rank: self.max_rank.unwrap_or(3), dim: self.max_dim, value: self.max_value }
    }

    /// The number after the last random trial; `None` if only the time ends them.
    fn end(&self) -> Option<u64> {
        let count = self.count.or_else(|| self.time.is_none().then_some(10_000));
        count.map(|count| self.from.saturating_add(count))
    }

    /// What is searched, in words that are the same for every part, and for no other search.
    fn describe(&self, space: &Space) -> String {
        let Bounds { rank, dim, value } = self.bounds();
        let how = if let Some(trial) = &self.trial {
            format!("the trial {trial}")
        } else if self.is_random() {
            let end = self.end().map_or_else(|| "on".to_owned(), |end| format!("to {end}"));
            let how = if self.guided { "guided" } else { "random" };
            format!("{how} trials of seed {} from {} {end}, rank {}", self.seed, self.from, self.rank())
        } else {
            let how_many = self.count.map_or_else(|| "all".to_owned(), |count| format!("the first {count}"));
            format!("{how_many} trials of rank {rank}, dims to {dim}, values to {value}")
        };
        let cells: Vec<_> = space.cells.iter().map(|(operator, t, binding)| format!("{operator}/{t}/{binding}")).collect();
        format!("{how}, in {}", cells.join(" "))
    }

    /// The most dims of random trials.
    fn rank(&self) -> u32 {
        self.max_rank.unwrap_or(8)
    }

    /// The trials to run, and how many they are if that is known.
    fn groups(&self, space: Space, guide: &OnceLock<Option<Arc<Hypotheses>>>) -> (Groups, Option<u64>) {
        if !self.is_random() {
            let bounds = self.bounds();
            let length = bounds.count(&space);
            let mut left = self.count.map_or(usize::MAX, |count| usize::try_from(count).unwrap_or(usize::MAX));
            let first = enumerate(space, bounds).map_while(move |mut group| {
                group.trials.truncate(left);
                left -= group.trials.len();
                (!group.trials.is_empty()).then_some(group)
            });
            return (Box::new(first), length.map(|length| length.min(self.count.unwrap_or(u64::MAX))));
        }
        let guide = guide.get_or_init(|| self.guided.then(|| Arc::new(Hypotheses::new(&space)))).clone();
        let (from, end) = (self.from, self.end());
        let random = Random::new(space, self.seed, from, end.unwrap_or(u64::MAX), self.rank() as usize, guide);
        (Box::new(random), end.map(|end| end - from))
    }
}

/// The trial that an earlier search told of.
fn named(name: &str) -> Result<Trial, Error> {
    let none = || Error::NothingSelected(format!("no search makes a trial '{name}'; its name is in what a search tells"));
    trial_named(name).ok_or_else(none)
}
