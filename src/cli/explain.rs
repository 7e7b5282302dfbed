//! `explain`: the oracle's trace of a case, or of a request typed by hand.

use super::SuiteArgs;
use super::run::{RunArgs, participants};
use crate::backend::Backend;
use crate::error::Error;
use crate::report::explanation::{self, Answered};
use crate::report::style::out;
use crate::run::run_calls;
use crate::spec::operator::{Binding, Operator, Selector};
use crate::spec::oracle;
use crate::spec::request::{AttributeValue, Attributes, Call, Request, Target};
use crate::suite::case::{Case, Expectation};
use crate::suite::generated::trial_named;
use crate::suite::trial::Trial;
use crate::tensor::{Count, ElementType, Fill};
use crate::verdict::diagnosis::alike;
use crate::verdict::judge::judge;
use clap::Args;
use std::sync::Arc;
use std::time::Duration;

/// Trace what the texts say of a case, or of a request typed by hand.
///
/// Either `explain CASE`, or `explain --operator onnx.Reshape-14 --data 3,4,5 --shape 0,-1 --attribute allowzero=0`.
#[derive(Debug, Args)]
pub(super) struct ExplainArgs {
    /// The case's name, or that of one of its trials, or of a trial that a search told
    #[arg(required_unless_present = "data", conflicts_with_all = ["data", "shape", "attribute"])]
    case: Option<String>,
    /// The operator, or several: a family, one id, or "onnx >= 14" [default: all that the case has]
    #[arg(long, value_name = "OPERATOR", required_unless_present = "case")]
    operator: Vec<Selector>,
    /// The data dims, such as 3,4,5; empty for a scalar
    #[arg(long, value_name = "DIMS", requires = "operator")]
    data: Option<String>,
    /// The target's values, such as 0,-1; empty for an empty target; left out for none
    #[arg(long, value_name = "VALUES", allow_hyphen_values = true)]
    shape: Option<String>,
    /// An attribute of the node, such as allowzero=1 or special_zero=true; repeatable
    #[arg(long, value_name = "NAME=VALUE", value_parser = attribute)]
    attribute: Vec<(String, AttributeValue)>,
    /// The data's element type [default: the case's first, or f32]
    #[arg(long, value_name = "TYPE")]
    element_type: Option<ElementType>,
    /// Ask this adapter too (a folder under adapters/), and show where its answer leaves the text; repeatable
    #[arg(long, value_name = "NAME")]
    adapter: Vec<String>,
    /// Ask a program that speaks the adapter protocol too; repeatable
    #[arg(long, value_name = "COMMAND")]
    adapter_command: Vec<String>,
    /// Seconds to wait for one reply of an adapter [default: 30]
    #[arg(long, value_name = "SECONDS", value_parser = super::run::seconds)]
    timeout: Option<Duration>,
    #[command(flatten)]
    suite: SuiteArgs,
}

/// The most elements of data that a backend is asked with for a request typed by hand.
const MOST_ELEMENTS: u64 = 1 << 20;

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
    let wanted: Vec<_> = arguments
        .operator
        .iter()
        .flat_map(|selector| selector.operators())
        .copied()
        .collect();
    let asked = match &arguments.case {
        Some(name) => of_case(arguments, name, &wanted)?,
        None => typed(arguments, &wanted)?
            .into_iter()
            .map(Inquiry::typed)
            .collect(),
    };
    let mut backends = Vec::new();
    if !arguments.adapter.is_empty() || !arguments.adapter_command.is_empty() {
        let (participants, _) = participants(&RunArgs::on(
            &arguments.adapter,
            &arguments.adapter_command,
            arguments.timeout,
            None,
        ))?;
        for participant in participants {
            backends.push((participant.start)()?);
        }
    }
    for (index, asked) in asked.iter().enumerate() {
        if index > 0 {
            out("");
        }
        let mut answers = Vec::new();
        for backend in &mut backends {
            answers.extend(asked.ask(backend.as_mut())?);
        }
        out(explanation::render(&asked.request, &answers));
    }
    Ok(crate::cli::exit_code::AS_EXPECTED)
}

/// What is explained.
struct Inquiry {
    request: Request,
    expectation: Expectation,
    /// The case it is of, if it is of one.
    case: Option<Arc<Case>>,
    bindings: Vec<Binding>,
}

impl Inquiry {
    fn typed(request: Request) -> Self {
        let expectation = oracle::resolve(&request).into();
        let bindings = request.operator.bindings.to_vec();
        Self {
            request,
            expectation,
            case: None,
            bindings,
        }
    }

    /// What a backend answers, each answer once.
    fn ask(&self, backend: &mut dyn Backend) -> Result<Vec<Answered>, Error> {
        let (about, request) = (backend.about(), &self.request);
        let data = match &self.case {
            Some(case) => case.data(request.element_type).map_err(Error::Usage)?,
            None if Count::of(&request.data_shape)
                .as_u64()
                .is_none_or(|count| count > MOST_ELEMENTS) =>
            {
                return Err(Error::Usage(format!(
                    "--data: a backend is asked with at most {MOST_ELEMENTS} elements"
                )));
            }
            None => Fill::Index.tensor(request.element_type, request.data_shape.clone()),
        };
        let mut answers: Vec<Answered> = Vec::new();
        for binding in self
            .bindings
            .iter()
            .copied()
            .filter(|binding| about.supports.covers(request, *binding))
        {
            let mut outcome = None;
            run_calls(
                backend,
                &[Call {
                    request,
                    binding,
                    data: &data,
                }],
                &mut |_, done| outcome = Some(done),
            );
            let Some(outcome) = outcome else { continue };
            if let Some(same) = answers.iter_mut().find(|answer| answer.outcome == outcome) {
                same.bindings.push(binding);
                continue;
            }
            let verdict = judge(&self.expectation, &data, &outcome);
            let trial = self.case.as_ref().map(|case| {
                Trial::new(
                    Arc::clone(case),
                    request.operator,
                    request.element_type,
                    binding,
                )
            });
            let alike = trial.map_or_else(Vec::new, |trial| alike(&trial, &outcome));
            let backend = format!("{} {}", about.name, about.version);
            answers.push(Answered {
                backend,
                bindings: vec![binding],
                outcome,
                verdict,
                alike,
            });
        }
        if answers.is_empty() {
            out(format!(
                "{} {} does not claim this",
                about.name, about.version
            ));
        }
        Ok(answers)
    }
}

/// A case for its operators; with a trial's name, that trial alone.
fn of_case(
    arguments: &ExplainArgs,
    name: &str,
    wanted: &[&'static Operator],
) -> Result<Vec<Inquiry>, Error> {
    let none = |what: &str| Error::NothingSelected(format!("{name}: {what}"));
    let is_wanted = |operator: &&'static Operator| wanted.is_empty() || wanted.contains(operator);
    if let Some(trial) = trial_named(name) {
        if !is_wanted(&trial.operator)
            || arguments
                .element_type
                .is_some_and(|wanted| wanted != trial.element_type)
        {
            return Err(none(
                "the trial is of another operator or element type than those asked for",
            ));
        }
        let (request, expectation) = (
            Request::clone(trial.request()),
            Expectation::clone(trial.case.expectation(trial.operator)),
        );
        return Ok(vec![Inquiry {
            request,
            expectation,
            bindings: vec![trial.binding],
            case: Some(trial.case),
        }]);
    }
    let suite = arguments.suite.load()?;
    let case = super::show::find(&suite, name)?;
    let mut parts = name.split('/').skip(1);
    let (operator, element_type, binding, more) =
        (parts.next(), parts.next(), parts.next(), parts.next());
    let named = element_type
        .map(str::parse)
        .transpose()
        .map_err(|why: crate::tensor::UnknownElementType| none(&why.to_string()))?;
    if more.is_some()
        || (named.is_some()
            && arguments
                .element_type
                .is_some_and(|wanted| Some(wanted) != named))
    {
        return Err(none(
            "a trial is named case/operator/element type/binding, and --element-type says no other",
        ));
    }
    let operators = case.operators.iter().filter(|one| is_wanted(one));
    let operators = operators.filter(|one| operator.is_none_or(|name| one.name == name));
    let asked = operators.filter_map(|operator| {
        let types = case.element_types(operator);
        let element_type = match named.or(arguments.element_type) {
            Some(wanted) => types.contains(&wanted).then_some(wanted)?,
            None => types.first().copied().unwrap_or(ElementType::F32),
        };
        let bindings: Vec<_> = case
            .bindings(operator)
            .filter(|one| binding.is_none_or(|name| one.to_string() == name))
            .collect();
        let expectation = Expectation::clone(case.expectation(operator));
        let asked = Inquiry {
            request: case.request(operator, element_type),
            expectation,
            case: Some(Arc::clone(case)),
            bindings,
        };
        (!asked.bindings.is_empty()).then_some(asked)
    });
    let asked: Vec<_> = asked.collect();
    if asked.is_empty() {
        return Err(none(
            "the case has no such trial; `list` shows those it has",
        ));
    }
    Ok(asked)
}

fn typed(arguments: &ExplainArgs, operators: &[&'static Operator]) -> Result<Vec<Request>, Error> {
    let data_shape = numbers::<u64>(arguments.data.as_deref().unwrap_or_default(), "--data")?;
    if data_shape.iter().any(|dim| i64::try_from(*dim).is_err()) {
        return Err(Error::Usage("--data: a dim is at most 2^63-1".to_owned()));
    }
    let target = arguments
        .shape
        .as_deref()
        .map(|shape| numbers::<i64>(shape, "--shape"))
        .transpose()?
        .map(Target::list);
    let attributes: Attributes = arguments.attribute.iter().cloned().collect();
    if attributes.len() < arguments.attribute.len() {
        return Err(Error::Usage(
            "--attribute: a node has one attribute of a name".to_owned(),
        ));
    }
    let request = |operator: &&'static Operator| Request {
        operator,
        element_type: arguments.element_type.unwrap_or(ElementType::F32),
        data_shape: data_shape.clone(),
        target: target.clone(),
        attributes: attributes.clone(),
    };
    Ok(operators.iter().map(request).collect())
}

/// Numbers with commas between, brackets around them or not.
fn numbers<T: std::str::FromStr>(text: &str, option: &str) -> Result<Vec<T>, Error> {
    let text = text
        .trim()
        .trim_start_matches(['[', '('])
        .trim_end_matches([']', ')']);
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let number = |part: &str| {
        part.trim().parse().map_err(|_| {
            Error::Usage(format!(
                "{option}: '{}' is no whole number within 64 bits",
                part.trim()
            ))
        })
    };
    text.trim_end_matches(',').split(',').map(number).collect()
}
