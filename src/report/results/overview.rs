//! The first screen: what is tested, the faults by project, and a row with the number of causes for each backend.

use super::backend::{self, ACCIDENT, accidents};
use super::cause::{Adapter, Cause, adapter_of, is_judged, unjudged};
use super::questions::{Answers, answers, is_inconsistent, limits};
use crate::event::stream::Stream;
use crate::event::{RunStarted, Severity};
use crate::names::{Grouped, Joined};
use crate::report::digest::Digest;
use crate::report::markdown::{label, text};
use crate::report::number::{counted, day, grouped};
use crate::semantics::operator::Family;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// A column of a table: the causes of one kind.
type Column = (Severity, &'static str);

/// The columns that count faults, after the backend, its project and its share of trials.
const FAULTS: &[Column] = &[
    (Severity::Memory, "memory"),
    (Severity::Crash, "crash or hang"),
    (Severity::WrongResult, "wrong result"),
    (Severity::RefusesValid, "refuses valid"),
    (Severity::WrongInference, "infers wrong"),
];
/// The column after the faults and a line.
const INVALID: &[Column] = &[(Severity::AcceptsInvalid, "accepts invalid")];
/// The columns of the table of everything else.
const OTHERS: &[Column] = &[
    (Severity::Lenient, "lenient"),
    (Severity::Undefined, "undefined"),
    (Severity::Inconsistent, "inconsistent"),
    (Severity::Limit, "limits"),
    (Severity::BesideReshape, "beside Reshape"),
    (Severity::ByDesign, "by design"),
    (Severity::Reading, "by our reading"),
];
/// The percentage of its operators' trials that a row needs to stand among the others. A sample stands apart, too.
const LEAST_SHARE: usize = 25;

/// Writes the sentences, the tables, and the facts of the run.
pub(super) fn write(
    page: &mut String,
    stream: &Stream,
    adapters: &[Adapter<'_>],
    not_available: &[String],
) {
    sentences(page, stream, adapters);
    for backend in adapters.iter().flat_map(|of| &of.configurations) {
        for why in unjudged(backend) {
            *page += &format!("{} {why}.\n\n", label(backend));
        }
    }
    let rows = |is: fn(&Adapter<'_>) -> bool| {
        let of = adapters.iter().filter(move |of| is(of));
        of.flat_map(|of| of.configurations.iter().map(move |backend| (of, *backend)))
    };
    let running = rows(|of| !of.only_similar && !of.rewrites);
    let (whole, part) = running.partition::<Vec<_>, _>(|(_, backend)| {
        backend.verdicts.sampled().is_none() && share(backend) >= LEAST_SHARE
    });
    let rewriters = rows(|of| of.rewrites).collect();
    let similar = rows(|of| of.only_similar).collect();
    page.push_str(BEFORE);
    let part_heading = format!(
        "These were asked only a sample of their operators' trials, or less than {LEAST_SHARE} % of them, so a 0 says little, and \
        the [reports](upstream/README.md) may know more"
    );
    let similar_heading = "Not counted above are similar functions, which do not claim to implement the operators: their \
        numbers are differences, not faults";
    let tables = [
        ("", whole),
        (part_heading.as_str(), part),
        (REWRITERS, rewriters),
        (similar_heading, similar),
    ];
    let mut everyone = Vec::new();
    for (heading, rows) in tables {
        let rows = sorted(rows);
        faults(page, heading, &rows, adapters);
        everyone.extend(rows);
    }
    page.push_str(POLICY);
    page.push_str(LEGEND);
    others(page, stream, &everyone);
    if !not_available.is_empty() {
        let names = not_available.join(", ");
        *page += &format!("Not available when this was written: {names}.\n\n");
    }
}

/// The heading of the table of rewriters.
const REWRITERS: &str = "These rewrite models before a runtime sees them: simplifiers, optimizers and inferrers of \
    shapes. A *wrong result*, a valid model that now computes something else, is \
    worse than a refusal, which somebody notices. A rewriter may assume a valid model: *accepts invalid* says only that an \
    invalid one now runs";

/// What a reader has to know about invalid input.
const POLICY: &str = "This suite's policy is that an implementation refuses invalid input; no text defines what it \
    does then ([why](oracle.md#decided-and-why)).\n\n";

/// What no backend is blamed for.
const LEFT_OUT: &str = "Not run: what a backend lacks altogether, such as targets that arrive at the run, and what its adapter \
    cannot build, such as graphs around the node. Neither counts as a fault, unless the backend says that it follows the text that \
    demands it.\n\n";

/// What a reader can do who finds a line wrong, or reads a text differently.
const DISPUTE: &str = "Is a line wrong, or do you read a text differently? [Dispute it](../.github/ISSUE_TEMPLATE/dispute.md): it is \
    [answered with the clause, or withdrawn](../CONTRIBUTING.md#disputes).\n\n";

/// What a reader has to know before the first tables.
const BEFORE: &str = "Numbers count causes, not trials, and link to them. **asked** is the share of the trials for a \
    backend's operators that ran. A 0 says that none was seen in that share, so rows of different shares do not compare. (1 valid): \
    1 of them shows with a valid node. Left of the │ are faults. Right of it are the causes that let invalid nodes run; one that \
    is no fault of another kind is no fault ([more](#how-to-read-the-tables)). The adapters with the fewest **faults** in their default configuration come first, then \
    those with the fewest in each next column, and then those that were asked more. A name with a colon is another configuration, \
    behind its adapter's default one.\n\n";

/// How to read the first tables.
const LEGEND: &str = "### How to read the tables\n\n\
    - A cause is one fault or deviation. Several rows can show the same one, so the columns do not add up; a project after a + owns \
    one that the row shows. Code that a project bundles, such as torch-mlir in IREE, counts as its own, unless the bundled \
    project has a section here, such as onnxoptimizer in onnxsim and OpenVINO in onnxruntime-openvino.\n\
    - **asked**: the share of its operators' trials that the backend ran, and that could be judged. Its section says what its adapter \
    leaves out, such as element types or bindings, and the [table of surroundings](#surroundings-and-backends) where.\n\
    - **faults**: all in the columns up to the │; one of several kinds counts once.\n\
    - **memory**: it reads or writes memory that is not its own. **crash or hang**: it ends its process, hangs, or takes too much memory \
    (deaths that no single trial repeats are in the [appendix](#appendix-trials)). These two count with any node; *valid* counts \
    those that show with a valid node.\n\
    - The other faults count with a valid node, or an **open** one, whose result the text leaves open.\n\
    - **+ n old**: n more, which are gone in a newer release of the project at fault; the backend's newest release may still \
    bundle an older one. They do not affect the order.\n\
    - What no trial shows, such as a fault that an adapter avoids, is only in the [reports](upstream/README.md). A kind that only a \
    cause's own script shows counts, too, but no wrong result of an open node. Its line says that no trial asks it.\n\
    - **reported: not yet**: nobody has reported just this, as far as the search in the tracker shows. *See also* lists threads near \
    it.\n\
    - A name without a colon is its adapter's default configuration. After a version, in parentheses, is what decides its \
    results, such as the precision of OpenVINO's inference (bf16), and what its adapter avoids.\n\n";

/// How to read the table of everything else.
const OTHERS_LEGEND: &str = "**lenient**: it does not check a type, and gives the intended result; it does not ask for a \
    required attribute, and reads its default; or it only infers, and does not compare the counts. **undefined**: it honors an attribute that the version \
    does not have. **inconsistent**: open questions that it answers differently for different bindings, or in its \
    inference and its run. **limits**: sizes past [this suite's bar](oracle.md#questions) (a dim past 2^31-1, more than 8 dims, \
    or more than 2^31 elements; no text names one), which it refuses (the number of cases) or cuts, or which end only after a trial's \
    time. **beside Reshape**: faults and missing features of other nodes, of \
    constants or of its API. **by design**: on purpose, as its authors say in public. **by our reading**: what this suite reads in a text that \
    does not name the point ([all readings](oracle.md#decided-and-why)). **by accident**: internal errors, by message, by \
    which it rejects what it should reject. The row of a rewriter counts what the runtime behind it does, too. No number \
    counts a fault of an adapter.\n\n";

/// The suite; if there are several, each with the backends that ran with it.
fn suites(stream: &Stream) -> String {
    let started = stream.backends.iter().map(|backend| &backend.started);
    let suites = started.filter_map(|of| Some((of.suite.as_deref()?, &*of.backend)));
    let suites = suites.grouped();
    if suites.is_empty() {
        return stream.run.suite_in_full();
    }
    let suites = suites.iter();
    let suites = suites.map(|(suite, backends)| format!("{suite} for {}", backends.join(", ")));
    let suites = suites.joined("; suite ");
    format!("{suites} (each was asked its own suite)")
}

/// The commit, the day and the processor, if the stream has them.
fn facts(run: &RunStarted) -> String {
    let commit = run.job.commit.as_ref();
    let commit =
        commit.map(|commit| format!("commit {}", text(commit.get(..12).unwrap_or(commit))));
    let day = (run.started > 0).then(|| format!("run on {}", day(run.started)));
    let processor = run.processor.as_ref().map(|model| text(model));
    let facts = [commit, day, processor].into_iter().flatten();
    facts.map(|fact| format!(", {fact}")).collect()
}

/// What is tested, and the faults, by project.
fn sentences(page: &mut String, stream: &Stream, all: &[Adapter<'_>]) {
    let adapters: Vec<_> = all.iter().filter(|of| !of.only_similar).collect();
    let every = || {
        let adapters = adapters.iter().copied();
        adapters.flat_map(|of| of.causes.iter().map(move |cause| (of, cause)))
    };
    // A cause that shows through other backends counts once, also if its owner does not show it.
    let own = |(_, of): &(&Adapter<'_>, &Cause<'_>)| {
        let first = || every().find(|(_, other)| other.id == of.id);
        let is_first = || first().is_some_and(|(_, first)| std::ptr::eq(first, *of));
        of.told_by(all).is_none() && (of.owner(all).is_none() || is_first())
    };
    let is_fault = |of: &Cause<'_>| of.severity().is_some_and(Severity::is_fault);
    let current = || every().filter(own).filter(|(_, of)| of.absent_in.is_none());
    let count = |is: &dyn Fn(&Cause<'_>) -> bool| current().filter(|(_, of)| is(of)).count();
    // The number of such causes of each project that has some, the most first.
    let by_project = |is: &dyn Fn(&Cause<'_>) -> bool| {
        let those = current().filter(|(_, cause)| is(cause));
        let owned = those.filter_map(|(shown, cause)| {
            let owner = cause.owner(all).unwrap_or(shown);
            Some((project(owner.configurations.first()?), ()))
        });
        let owned = owned.sorted().into_iter();
        let mut owned: Vec<(String, usize)> = owned.map(|(name, of)| (name, of.len())).collect();
        owned.sort_by_key(|(_, faults)| Reverse(*faults));
        owned
    };
    let listed = |of: &[(String, usize)]| {
        let projects = of
            .iter()
            .map(|(name, faults)| format!("{} {faults}", text(name)));
        projects.joined(", ")
    };
    let whose = |severity: Severity| {
        let list = listed(&by_project(&|of| of.severities.contains(&severity)));
        if list.is_empty() {
            list
        } else {
            format!(": {list}")
        }
    };
    let faulty = by_project(&is_fault);
    // The projects with a configuration of which this is true.
    let projects = |is: &dyn Fn(&Adapter<'_>, &Digest<'_>) -> bool| -> BTreeSet<String> {
        let those = adapters.iter().flat_map(|of| {
            let configurations = of.configurations.iter();
            configurations.filter(|backend| is(of, backend))
        });
        those.map(|backend| project(backend)).collect()
    };
    let unjudged = projects(&|_, of| !is_judged(of));
    let most_asked = |project_name: &str| {
        let all = adapters.iter().flat_map(|of| &of.configurations);
        let own = all.filter(|of| project(of) == project_name);
        own.map(|of| share(of)).max().unwrap_or_default()
    };
    let projects = projects(&|_, _| true);
    let is_sound =
        |of: &&String| !faulty.iter().any(|(name, _)| name == *of) && !unjudged.contains(*of);
    let sound = projects.iter().filter(is_sound);
    let sound = sound.map(|name| format!("{} ({} %)", text(name), most_asked(name)));
    let sound = sound.joined(", ");
    let faults = count(&is_fault);
    let old = every().filter(own).filter(|(_, of)| is_fault(of)).count() - faults;
    let of = |severity: Severity| count(&|of| of.severities.contains(&severity));
    let valid = |severity: Severity| count(&|of| of.severities.contains(&severity) && of.harms());
    let harmless = |severity: Severity| count(&|of| of.severity() == Some(severity));
    *page += &format!(
        "Reshape gives a tensor a new shape and keeps its elements. This page shows what {} with {}, which people wrote \
         from the texts of {}. Each case runs in many settings, which makes {} trials. Suite {}{}, {}.\n\n",
        match projects.len() {
            1 => "1 project does".to_owned(),
            projects => format!("{projects} projects (named in the tables) do"),
        },
        counted(stream.run.cases, "case"),
        Family::titles(),
        grouped(stream.run.trials),
        text(&suites(stream)),
        facts(&stream.run),
        text(&stream.run.system)
    );
    if !faulty.is_empty() {
        *page += &format!(
            "**{} of these projects {} {}**, in all tables below. A fault of several kinds counts in each:\n\n\
             - {} read or write memory that is not their own ({} with a valid node){}\n\
             - {} crash, hang or take too much memory ({} with a valid node){}\n\
             - {} give a wrong result\n- {} refuse a valid node\n- {} infer a wrong shape\n\n\
             {} are of one of the first two kinds, or of both. By project, in all tables, each fault once: {}.\n\n",
            faulty.len(),
            if faulty.len() == 1 {
                "has"
            } else {
                "together have"
            },
            counted(faults, "fault"),
            of(Severity::Memory),
            valid(Severity::Memory),
            whose(Severity::Memory),
            of(Severity::Crash),
            valid(Severity::Crash),
            whose(Severity::Crash),
            of(Severity::WrongResult),
            of(Severity::RefusesValid),
            of(Severity::WrongInference),
            count(&|of| of.severity() <= Some(Severity::Crash)),
            listed(&faulty),
        );
        if !sound.is_empty() {
            *page += &format!(
                "No current fault was seen in the share of the trials that these were asked: {sound}.\n\n"
            );
        }
    } else if unjudged.is_empty() && !projects.is_empty() {
        page.push_str("**No fault.**\n\n");
    }
    let old = match old {
        0 => String::new(),
        _ => format!(
            ", and {}, which newer releases of the project at fault no longer have (**old** in the tables)",
            counted(old, "fault")
        ),
    };
    *page += &format!(
        "Not counted: [faults that an adapter avoids](upstream/README.md#faults-that-adapters-avoid){old}. \
         To run what a text calls invalid is no fault unless it crashes or harms memory, because no text says what happens \
         then: {} do only this.\n\n",
        counted(harmless(Severity::AcceptsInvalid), "cause"),
    );
    page.push_str(LEFT_OUT);
    page.push_str(DISPUTE);
}

/// The name of a backend's project: its repository. Without a tracker, its adapter's name.
fn project(backend: &Digest<'_>) -> String {
    let tracker = backend.records.started.tracker.as_deref();
    let names = tracker.map(|of| of.trim_end_matches("/issues").rsplit('/'));
    let name = names.and_then(|mut names| names.next());
    name.unwrap_or_else(|| adapter_of(backend.name)).to_owned()
}

/// A row of a table: an adapter, and a configuration of it.
type Row<'a> = (&'a Adapter<'a>, &'a Digest<'a>);

/// The adapters with the fewest faults in their default configuration first; among equals, those that were asked more.
fn sorted(mut rows: Vec<Row<'_>>) -> Vec<Row<'_>> {
    rows.sort_by_cached_key(|(of, backend)| {
        let default = of.configurations.iter().find(|one| one.name == of.name);
        let default = default.unwrap_or(backend);
        let counts = FAULTS.iter().chain(INVALID);
        let counts = counts.map(|(severity, _)| count(of, default, *severity).0);
        let counts: Vec<_> = [total(of, default)].into_iter().chain(counts).collect();
        (counts, Reverse(share(default)), of.name, backend.name)
    });
    rows
}

/// Writes the table of the faults and of the accepted invalid nodes.
fn faults(page: &mut String, heading: &str, rows: &[Row<'_>], all: &[Adapter<'_>]) {
    if rows.is_empty() {
        return;
    }
    if !heading.is_empty() {
        *page += &format!("{heading}:\n\n");
    }
    let (faults, invalid) = (titles(FAULTS), titles(INVALID));
    *page += &format!("| backend | project | asked | faults |{faults} │ |{invalid}\n");
    let aligned = "--:|".repeat(FAULTS.len() + 2);
    *page += &format!("|---|---|{aligned}:-:|{}\n", "--:|".repeat(INVALID.len()));
    for (of, backend) in rows {
        let sampled = backend.verdicts.sampled().map_or("", |_| ", a sample");
        // A cause of another adapter is a fault of that one's project.
        let causes = of.causes.iter();
        let others = causes.filter_map(|cause| cause.owner(all)?.configurations.first());
        let own = project(backend);
        let others = others.map(|of| project(of)).filter(|of| *of != own);
        let others: BTreeSet<_> = others.collect();
        let projects = [own].iter().chain(&others).map(|of| text(of)).joined(" + ");
        let label = label(backend);
        let (share, total) = (share(backend), total(of, backend));
        *page += &format!("| {label} | {projects} | {share} %{sampled} | **{total}** |");
        let cell = |(severity, _): &Column| cell(of, backend, *severity, 0);
        page.extend(FAULTS.iter().map(cell));
        page.push_str(" │ |");
        page.extend(INVALID.iter().map(cell));
        page.push('\n');
    }
    page.push('\n');
}

/// Writes the table of everything else that the backends do.
fn others(page: &mut String, stream: &Stream, rows: &[Row<'_>]) {
    let aligned = "--:|".repeat(OTHERS.len() + 1);
    *page += &format!(
        "## Besides faults\n\n{OTHERS_LEGEND}| backend |{} by accident |\n|---|{aligned}\n",
        titles(OTHERS)
    );
    for (of, backend) in rows {
        *page += &format!("| {} |", label(backend));
        let answers = answers(backend);
        for (severity, _) in OTHERS {
            let answered = if *severity == Severity::Inconsistent {
                inconsistent(stream, of, backend, &answers)
            } else if *severity == Severity::Limit {
                limits(&answers)
            } else {
                0
            };
            *page += &cell(of, backend, *severity, answered);
        }
        let anchor = backend::anchor(of.name, ACCIDENT);
        *page += &linked(accidents(backend).len(), "", 0, &anchor);
        page.push('\n');
    }
    page.push('\n');
}

fn titles(of: &[Column]) -> String {
    of.iter().map(|(_, title)| format!(" {title} |")).collect()
}

/// The questions that a backend answers in different ways, except those that a cause already describes.
fn inconsistent(
    stream: &Stream,
    of: &Adapter<'_>,
    backend: &Digest<'_>,
    answers: &Answers<'_>,
) -> usize {
    let described: BTreeSet<&str> = causes(of, backend, Severity::Inconsistent)
        .flat_map(|cause| cause.of(backend))
        .filter_map(|trial| stream.case(trial)?.1.question())
        .collect();
    let others = answers.iter().filter(|(id, _)| !described.contains(*id));
    others.filter(|(_, of)| is_inconsistent(of)).count()
}

/// The percentage that it was asked, rounded, of all trials of the operators of which it was asked at least one.
fn share(backend: &Digest<'_>) -> usize {
    let operators = backend::operators(backend);
    let all = backend.records.trials.iter();
    let all = all.filter(|trial| operators.contains(trial.operator()));
    let asked = all.clone().filter(|trial| trial.verdict.is_asked());
    let (asked, all) = (asked.count(), all.count());
    (asked * 100 + all / 2) / all.max(1)
}

/// The number of causes of a kind, and of questions that are answered in that way.
fn cell(of: &Adapter<'_>, backend: &Digest<'_>, severity: Severity, answered: usize) -> String {
    let (current, old) = count(of, backend, severity);
    let ids = (1..).zip(&of.causes);
    let those = ids.filter(|(_, cause)| shows(cause, backend, severity));
    let first = those.min_by_key(|(_, cause)| cause.absent_in.is_some());
    let anchor = match (first, answered) {
        (Some((id, _)), 0) => backend::anchor(of.name, &id.to_string()),
        _ => "open-questions".to_owned(),
    };
    let harms = |cause: &&Cause<'_>| cause.harms() && cause.absent_in.is_none();
    let harming = causes(of, backend, severity).filter(harms);
    let valid = match (severity, harming.count()) {
        (Severity::Memory | Severity::Crash, count @ 1..) => format!(" ({count} valid)"),
        _ => String::new(),
    };
    linked(current + answered, &valid, old, &anchor)
}

fn linked(current: usize, of_these: &str, old: usize, anchor: &str) -> String {
    match (current, old) {
        (0, 0) => " 0 |".to_owned(),
        (_, 0) => format!(" [{current}{of_these}](#{anchor}) |"),
        (_, _) => format!(" [{current}{of_these} + {old} old](#{anchor}) |"),
    }
}

/// The number of causes with trials of this kind in a configuration; and of those that a newer release no longer has.
fn count(of: &Adapter<'_>, backend: &Digest<'_>, severity: Severity) -> (usize, usize) {
    let causes = causes(of, backend, severity);
    let (old, current): (Vec<_>, Vec<_>) = causes.partition(|of| of.absent_in.is_some());
    (current.len(), old.len())
}

/// The number of current faults with trials in a configuration. One of several kinds counts once.
fn total(of: &Adapter<'_>, backend: &Digest<'_>) -> usize {
    let current = of.causes.iter().filter(|of| of.absent_in.is_none());
    let is_fault = |cause: &&Cause<'_>| FAULTS.iter().any(|of| shows(cause, backend, of.0));
    current.filter(is_fault).count()
}

/// The causes with trials of this kind in a configuration.
fn causes<'a>(
    of: &'a Adapter<'a>,
    backend: &'a Digest<'a>,
    severity: Severity,
) -> impl Iterator<Item = &'a Cause<'a>> {
    let causes = of.causes.iter();
    causes.filter(move |cause| shows(cause, backend, severity))
}

/// Whether a cause has a trial of this kind in a configuration.
fn shows<'a>(cause: &Cause<'a>, backend: &Digest<'a>, severity: Severity) -> bool {
    let mut trials = cause.of(backend);
    trials.any(|trial| trial.severities().any(|of| of == severity))
}
