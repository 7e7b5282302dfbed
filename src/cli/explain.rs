//! `explain`: the oracle's trace of a case or a typed request, and the answers of backends.

use super::exit_code;
use super::run_args::{RunArgs, WaitArgs};
use super::selection::{SuiteArgs, operators};
use crate::backend::{About, Backend};
use crate::error::Error;
use crate::model::call::Call;
use crate::model::surroundings::Surrounding;
use crate::names::UnknownName;
use crate::report::explanation::{self, Answered};
use crate::report::style::{out, tame_line};
use crate::run::run_calls;
use crate::semantics::operator::{Binding, Operator, Selector, in_short};
use crate::semantics::oracle::{self, Resolution};
use crate::semantics::request::{AttributeValue, Attributes, Request, Target, check_attributes};
use crate::semantics::symbolic::{Symbolic, Term};
use crate::suite::case::Expectation;
use crate::suite::generated::trial_named;
use crate::suite::plan::Plan;
use crate::suite::selection::Selection;
use crate::suite::trial::Trial;
use crate::tensor::{Count, ElementType, Fill, Tensor, literal};
use crate::verdict::diagnosis::mutants_explaining;
use crate::verdict::judge::{judge, judge_trial};
use clap::Args;
use std::sync::Arc;

/// Trace what the specifications say about a case, or about a request given as options.
///
/// Use `explain CASE`, or `explain --operator onnx.Reshape-14 --data 3,4,5 --shape 0,-1 --attribute allowzero=0`.
#[derive(Debug, Args)]
#[command(
    override_usage = "reshape-conformance explain <CASE> [OPTIONS]\n       \
                            reshape-conformance explain --operator <OPERATOR> --data <DIMS> [OPTIONS]"
)]
pub(super) struct ExplainArgs {
    /// The name of a case, of one of its trials, or of a trial of a search
    #[arg(required_unless_present = "data", conflicts_with_all = ["data", "shape", "attribute"])]
    case: Option<String>,
    /// The operators: a family, one id, or "onnx >= 14"; repeatable [default: all operators of the case]
    #[arg(long, value_name = "OPERATOR", required_unless_present = "case")]
    operator: Vec<Selector>,
    /// The data dims, such as 3,4,5; empty for a scalar. A name or a ? is an unknown dim: N,3,?
    #[arg(long, value_name = "DIMS", requires = "operator")]
    data: Option<String>,
    #[command(flatten)]
    target: TargetArgs,
    /// An attribute of the node, such as allowzero=1 or special_zero=true; repeatable
    #[arg(long, value_name = "NAME=VALUE", value_parser = attribute)]
    attribute: Vec<(String, AttributeValue)>,
    /// The data's element type [default: the case's first, or f32]
    #[arg(long, value_name = "TYPE")]
    element_type: Option<ElementType>,
    /// Also ask this adapter (`adapters` lists them), and show where its answer deviates; repeatable
    #[arg(long, value_name = "NAME")]
    adapter: Vec<String>,
    /// Also ask a program that speaks the adapter protocol; repeatable
    #[arg(long, value_name = "COMMAND")]
    adapter_command: Vec<String>,
    #[command(flatten)]
    wait: WaitArgs,
    #[command(flatten)]
    suite: SuiteArgs,
}

/// The options that state a target.
#[derive(Debug, Args)]
pub(super) struct TargetArgs {
    /// The target's values, such as 0,-1, or names of dims; empty for an empty target. Without this option the node has no
    /// target
    #[arg(long, value_name = "VALUES", allow_hyphen_values = true)]
    shape: Option<String>,
    /// The type of the target's values
    #[arg(long, value_name = "TYPE", default_value = "i64", requires = "shape")]
    shape_element_type: ElementType,
}

impl TargetArgs {
    /// The target; `None` for a node without one.
    pub(super) fn target(&self) -> Result<Option<Target>, Error> {
        let Some(shape) = &self.shape else {
            return Ok(None);
        };
        let element_type = self.shape_element_type;
        let values = numbers::<i128>(shape, "--shape")?;
        let wrong = values.iter().find_map(|value| {
            let range = element_type.is_integer().then_some(element_type);
            literal::check_integer(*value, range.unwrap_or(ElementType::I64)).err()
        });
        if let Some(why) = wrong {
            return Err(Error::Usage(format!("--shape: {why}")));
        }
        Ok(Some(Target {
            element_type,
            dims: vec![values.len() as u64],
            values,
        }))
    }
}

fn attribute(text: &str) -> Result<(String, AttributeValue), String> {
    let (name, value) = text.split_once('=').ok_or("write NAME=VALUE")?;
    let value = match (value, value.parse::<i64>(), value.parse::<f64>()) {
        ("true", ..) => AttributeValue::Bool(true),
        ("false", ..) => AttributeValue::Bool(false),
        (_, Ok(integer), _) => AttributeValue::Int(integer),
        (_, _, Ok(float)) => AttributeValue::Float(float),
        _ => AttributeValue::String(value.to_owned()),
    };
    Ok((name.to_owned(), value))
}

pub(super) fn run(arguments: &ExplainArgs) -> Result<u8, Error> {
    let operators = operators(&arguments.operator);
    let inquiries = match &arguments.case {
        Some(name) => Inquiry::named(name, arguments, &operators)?,
        None if is_unknown(arguments) => return for_all_dims(arguments, &operators),
        None => {
            let data = arguments.data.as_deref().unwrap_or_default();
            let target = arguments.target.target()?;
            let requests = typed(arguments, &operators, &numbers(data, "--data")?, target)?;
            requests.into_iter().map(Inquiry::typed).collect()
        }
    };
    let mut backends = start_backends(arguments)?;
    // A backend may answer each version differently.
    let is_alike = |one: &Inquiry, other: &Inquiry| {
        backends.is_empty() && explanation::is_alike(&one.request, &other.request)
    };
    let alike: Vec<_> = inquiries.chunk_by(is_alike).collect();
    for (index, inquiries) in alike.iter().enumerate() {
        if index > 0 {
            out("");
        }
        let Some((newest, older)) = inquiries.split_last() else {
            continue;
        };
        let mut answers = Vec::new();
        for backend in &mut backends {
            answers.extend(newest.ask(backend.as_mut())?);
        }
        let older: Vec<_> = older.iter().map(|of| of.request.operator).collect();
        out(explanation::render(&newest.request, &older, &answers));
        // What becomes of an element is no part of a request.
        if let Expectation::Open { question, .. } = &*newest.expectation
            && let Resolution::Reshaped(_) = oracle::resolve(&newest.request)
        {
            out(format!("    open ({question}): {}", question.asks()));
        }
    }
    Ok(exit_code::AS_EXPECTED)
}

/// The backends to ask; empty if no option names one.
fn start_backends(arguments: &ExplainArgs) -> Result<Vec<Box<dyn Backend + Send>>, Error> {
    if arguments.adapter.is_empty() && arguments.adapter_command.is_empty() {
        return Ok(Vec::new());
    }
    let backends = RunArgs {
        adapter: arguments.adapter.clone(),
        adapter_command: arguments.adapter_command.clone(),
        timeout: arguments.wait.timeout,
        handshake_timeout: arguments.wait.handshake_timeout,
        no_known_failures: true,
        ..RunArgs::default()
    };
    let (participants, _) = backends.participants()?;
    let participants = participants.iter().map(|participant| (participant.start)());
    participants.collect()
}

/// Whether a dim has a name, or is a ?.
fn is_unknown(arguments: &ExplainArgs) -> bool {
    let texts = [&arguments.data, &arguments.target.shape];
    let mut texts = texts.into_iter().flatten();
    texts.any(|text| text.contains(|of: char| of.is_alphabetic() || of == '?'))
}

/// Prints what the texts say about a typed request for all lengths of its unknown dims.
fn for_all_dims(arguments: &ExplainArgs, operators: &[&'static Operator]) -> Result<u8, Error> {
    if !arguments.adapter.is_empty() || !arguments.adapter_command.is_empty() {
        let why =
            "a backend answers a request of known dims: write numbers, or leave the adapter out";
        return Err(Error::Usage(why.to_owned()));
    }
    let data = arguments.data.as_deref().unwrap_or_default();
    let mut data = numbers::<Term>(data, "--data")?;
    let shape = arguments.target.shape.as_deref();
    let mut values = numbers::<Term>(shape.unwrap_or_default(), "--shape")?;
    let any = Term::from((0, "?".into()));
    let mut known = data.iter().filter_map(Term::known);
    if values.contains(&any) || known.any(|dim| dim < 0) {
        let why = "a dim is at least 0, and a value is a number or a name";
        return Err(Error::Usage(why.to_owned()));
    }
    // In the order in which they are given.
    let all = [&data[..], &values].concat();
    let both = data.iter_mut().chain(&mut values).enumerate();
    for (index, dim) in both.filter(|(_, dim)| dim.known().is_none()) {
        let first = all.iter().position(|of| of == dim && *of != any);
        let text = first.map_or_else(|| format!("data[{index}]"), |_| dim.to_string());
        *dim = Term::from((first.unwrap_or(index), text.into()));
    }
    let target = shape.map(|_| Target {
        element_type: arguments.target.shape_element_type,
        ..Target::list(values.iter().map(|_| 1))
    });
    for known in typed(arguments, operators, &vec![1; data.len()], target)? {
        let symbolic = Symbolic {
            known,
            data: data.clone(),
            values: values.clone(),
        };
        let asks = explanation::asks_for(&symbolic.known, symbolic.shapes());
        let statement = symbolic.statement();
        let statement = statement.map_or("undecided".to_owned(), |of| of.to_string());
        let operator = symbolic.known.operator;
        for line in [format!("{operator}: {asks}"), format!("  = {statement}")] {
            out(tame_line(&line));
        }
    }
    Ok(exit_code::AS_EXPECTED)
}

fn typed(
    arguments: &ExplainArgs,
    operators: &[&'static Operator],
    data_shape: &[u64],
    target: Option<Target>,
) -> Result<Vec<Request>, Error> {
    if data_shape.iter().any(|dim| i64::try_from(*dim).is_err()) {
        let why = "--data: a dim can be at most 2^63-1";
        return Err(Error::Usage(why.to_owned()));
    }
    let attributes = Attributes::new(arguments.attribute.iter().cloned().collect());
    if attributes.len() < arguments.attribute.len() {
        let why = "--attribute: a node cannot have two attributes with the same name";
        return Err(Error::Usage(why.to_owned()));
    }
    for operator in operators {
        let checked = check_attributes(operator, &attributes);
        checked.map_err(|why| Error::Usage(format!("--attribute: {why}")))?;
    }
    let request = |operator: &&'static Operator| Request {
        operator,
        element_type: arguments.element_type.unwrap_or(ElementType::F32),
        data_shape: data_shape.to_vec(),
        target: target.clone(),
        attributes: attributes.clone(),
    };
    Ok(operators.iter().map(request).collect())
}

/// Numbers separated by commas, with or without brackets around them.
pub(super) fn numbers<T: std::str::FromStr>(text: &str, option: &str) -> Result<Vec<T>, Error> {
    let text = text.trim();
    let mut brackets = [('[', ']'), ('(', ')')].into_iter();
    let inside = brackets.find_map(|(open, close)| text.strip_prefix(open)?.strip_suffix(close));
    let text = inside.unwrap_or(text).trim();
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let number = |part: &str| {
        let part = part.trim();
        part.parse().map_err(|_| {
            let what = match part.parse::<i64>() {
                Ok(_) => "is below 0",
                Err(_) => "is not a 64-bit integer",
            };
            Error::Usage(format!("{option}: '{part}' {what}"))
        })
    };
    let text = text.strip_suffix(',').unwrap_or(text);
    text.split(',').map(number).collect()
}

/// The most elements of the data when a backend answers a typed request.
const MAX_ELEMENTS: u64 = 1 << 20;

/// A request to explain.
struct Inquiry {
    request: Arc<Request>,
    expectation: Arc<Expectation>,
    /// The bindings to ask backends with, each with its trial; `None` for a typed request.
    asked: Vec<(Binding, Option<Trial>)>,
}

impl Inquiry {
    /// A typed request.
    fn typed(request: Request) -> Self {
        let bindings = request.operator.bindings.iter();
        Self {
            asked: bindings.map(|binding| (*binding, None)).collect(),
            expectation: Arc::new(oracle::resolve(&request).into()),
            request: Arc::new(request),
        }
    }

    /// The request of these trials, which differ only in the binding; `None` without a trial.
    fn of_trials(trials: Vec<Trial>) -> Option<Self> {
        let first = trials.first()?;
        Some(Self {
            request: Arc::clone(first.request()),
            expectation: Arc::clone(first.expectation()),
            asked: trials
                .into_iter()
                .map(|of| (of.binding, Some(of)))
                .collect(),
        })
    }

    /// The requests for a name: of a case, a trial, or one that a search generates. It loads the suite only if needed.
    fn named(
        name: &str,
        arguments: &ExplainArgs,
        operators: &[&'static Operator],
    ) -> Result<Vec<Self>, Error> {
        let takes = |of: &'static Operator| operators.is_empty() || operators.contains(&of);
        let takes_type = |of| arguments.element_type.is_none_or(|wanted| wanted == of);
        if let Some(trial) = trial_named(name) {
            if !takes(trial.operator) || !takes_type(trial.element_type) {
                let why = "the trial has another operator or element type than the options name";
                return Err(nothing(name, why));
            }
            return Ok(Self::of_trials(vec![trial]).into_iter().collect());
        }
        let suite = arguments.suite.load()?;
        let case = super::list::find(&suite, name)?;
        let mut parts: Vec<_> = name.split('/').collect();
        check_parts(&parts, &takes_type).map_err(|why| nothing(name, &why))?;
        let is_trial = parts.len() == 4;
        parts.resize(4, "*");
        let selection = Selection::new(&[parts.join("/")], is_trial, None).map_err(Error::Usage)?;
        let plan = Plan::new(&suite, &selection, None);
        let inquiry = |operator: &&'static Operator| {
            let trials = plan.trials().filter(|of| of.operator == *operator);
            let trials: Vec<_> = trials.filter(|of| takes_type(of.element_type)).collect();
            let mut types = case.element_types(operator).iter();
            let is_of = |element_type| trials.iter().any(|of| of.element_type == element_type);
            let first = *types.find(|of| is_of(**of))?;
            // In the order of the case.
            let bindings = case.bindings(operator).filter_map(|binding| {
                let mut trials = trials.iter();
                trials.find(|of| (of.element_type, of.binding) == (first, binding))
            });
            Self::of_trials(bindings.map(|trial| Trial::clone(trial)).collect())
        };
        let operators = || case.operators.iter().filter(|of| takes(of));
        let inquiries: Vec<_> = operators().filter_map(inquiry).collect();
        if inquiries.is_empty() {
            let is_one = |of: &&&Operator| parts[1] == "*" || parts[1] == of.name;
            let about = match operators().find(is_one) {
                // The case lacks the other parts.
                Some(operator) => format!("the case has other trials of {operator}"),
                None => format!("the case has the operators {}", in_short(&case.operators)),
            };
            let (case, cases) = (&case.name, arguments.suite.option());
            let why = format!("{about}; `list '{case}/**'{cases}` shows its trials");
            return Err(nothing(name, &why));
        }
        Ok(inquiries)
    }

    /// A backend's answers under the bindings that it supports; equal answers are joined.
    fn ask(&self, backend: &mut dyn Backend) -> Result<Vec<Answered>, Error> {
        let (about, data) = (backend.about(), self.data()?);
        let mut answers: Vec<Answered> = Vec::new();
        for (binding, trial) in &self.asked {
            let surrounding = trial.as_ref().and_then(|trial| trial.surrounding);
            if !(about.supports).covers(&self.request, (*binding, surrounding)) {
                continue;
            }
            let call = Call {
                request: &self.request,
                binding: *binding,
                surrounding,
                data: &data,
            };
            let mut outcome = None;
            run_calls(backend, &[call], &mut |_, done| outcome = Some(done));
            if let Some(what) = backend.gone() {
                let adapter = about.name;
                return Err(Error::AdapterStart { adapter, what });
            }
            let Some(outcome) = outcome else { continue };
            match answers.iter_mut().find(|answer| answer.outcome == outcome) {
                Some(same) => same.bindings.push(*binding),
                None => answers.push(Answered {
                    backend: format!("{} {}", about.name, about.version),
                    bindings: vec![*binding],
                    verdict: trial.as_ref().map_or_else(
                        || judge(&self.expectation, &data, &outcome),
                        |trial| judge_trial(trial, &data, &outcome),
                    ),
                    alike: trial
                        .as_ref()
                        .map_or_else(Vec::new, |trial| mutants_explaining(trial, &outcome)),
                    outcome,
                }),
            }
        }
        if answers.is_empty() {
            let About { name, version, .. } = &about;
            out(format!("{name} {version} does not claim this"));
        }
        Ok(answers)
    }

    fn data(&self) -> Result<Tensor, Error> {
        let request = &self.request;
        if let Some((_, Some(trial))) = self.asked.first() {
            return trial.case.data(request.element_type).map_err(Error::Usage);
        }
        if !Count::of(&request.data_shape).is_at_most(MAX_ELEMENTS) {
            let why =
                format!("--data: a backend can be asked with at most {MAX_ELEMENTS} elements");
            return Err(Error::Usage(why));
        }
        Ok(Fill::Index.tensor(request.element_type, request.data_shape.clone()))
    }
}

/// Checks the parts of a trial's name after the case's, as many as it has.
fn check_parts(parts: &[&str], takes_type: &dyn Fn(ElementType) -> bool) -> Result<(), String> {
    let in_words = |why: UnknownName| why.to_string();
    let element_type = parts.get(2).map(|name| name.parse::<ElementType>());
    let element_type = element_type.transpose().map_err(in_words)?;
    if let Some(way) = parts.get(3) {
        let (binding, surrounding) = way.split_once('+').unzip();
        let binding = binding.unwrap_or(way).parse::<Binding>();
        binding.map_err(in_words)?;
        let surrounding = surrounding.map(|name: &str| name.parse::<Surrounding>());
        surrounding.transpose().map_err(in_words)?;
    }
    match parts.len() > 4 || !element_type.is_none_or(takes_type) {
        true => Err("a trial's name is case/operator/element type/binding, and --element-type must agree with it".to_owned()),
        false => Ok(()),
    }
}

fn nothing(name: &str, why: &str) -> Error {
    Error::NothingSelected(format!("{name}: {why}"))
}
