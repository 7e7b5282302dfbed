//! `explain`: the oracle's trace of a case, or of a request typed by hand.

use super::exit_code;
use super::inquiry::{Filter, Inquiry};
use super::run_args::{RunArgs, WaitArgs};
use super::selection::{SuiteArgs, operators};
use crate::backend::Backend;
use crate::error::Error;
use crate::report::explanation;
use crate::report::style::out;
use crate::semantics::operator::{Operator, Selector};
use crate::semantics::request::{AttributeValue, Attributes, Request, Target, check_attributes};
use crate::tensor::{ElementType, literal};
use clap::Args;

/// Trace what the specifications say about a case, or about a request given as options.
///
/// Either `explain CASE`, or `explain --operator onnx.Reshape-14 --data 3,4,5 --shape 0,-1 --attribute allowzero=0`.
#[derive(Debug, Args)]
#[command(
    override_usage = "reshape-conformance explain <CASE> [OPTIONS]\n       \
                            reshape-conformance explain --operator <OPERATOR> --data <DIMS> [OPTIONS]"
)]
pub(super) struct ExplainArgs {
    /// The name of a case, of one of its trials, or of a trial of a search
    #[arg(required_unless_present = "data", conflicts_with_all = ["data", "shape", "attribute"])]
    case: Option<String>,
    /// The operator, or several: a family, one id, or "onnx >= 14" [default: all of the case]
    #[arg(long, value_name = "OPERATOR", required_unless_present = "case")]
    operator: Vec<Selector>,
    /// The data dims, such as 3,4,5; empty for a scalar
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
    /// Ask this adapter too (a folder under adapters/), and show where its answer deviates; repeatable
    #[arg(long, value_name = "NAME")]
    adapter: Vec<String>,
    /// Ask a program that speaks the adapter protocol too; repeatable
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
    /// The target's values, such as 0,-1; empty for an empty target; without this option the node has no target
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
        Some(name) => {
            let cases = arguments.suite.option();
            let filter = Filter {
                cases: &cases,
                operators: &operators,
                element_type: arguments.element_type,
            };
            Inquiry::named(name, || arguments.suite.load(), &filter)?
        }
        None => typed(arguments, &operators)?,
    };
    let mut backends = start_backends(arguments)?;
    // A backend may answer differently in each version.
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
    }
    Ok(exit_code::AS_EXPECTED)
}

/// The backends to ask: none if no option names one.
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
    participants
        .iter()
        .map(|participant| (participant.start)())
        .collect()
}

fn typed(arguments: &ExplainArgs, operators: &[&'static Operator]) -> Result<Vec<Inquiry>, Error> {
    let data_shape = numbers::<u64>(arguments.data.as_deref().unwrap_or_default(), "--data")?;
    if data_shape.iter().any(|dim| i64::try_from(*dim).is_err()) {
        return Err(Error::Usage("--data: a dim is at most 2^63-1".to_owned()));
    }
    let target = arguments.target.target()?;
    let attributes: Attributes = arguments.attribute.iter().cloned().collect();
    if attributes.len() < arguments.attribute.len() {
        return Err(Error::Usage(
            "--attribute: a node cannot have two attributes of one name".to_owned(),
        ));
    }
    for operator in operators {
        check_attributes(operator, &attributes)
            .map_err(|why| Error::Usage(format!("--attribute: {why}")))?;
    }
    let request = |operator: &&'static Operator| Request {
        operator,
        element_type: arguments.element_type.unwrap_or(ElementType::F32),
        data_shape: data_shape.clone(),
        target: target.clone(),
        attributes: attributes.clone(),
    };
    Ok(operators.iter().map(request).map(Inquiry::typed).collect())
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
                Err(_) => "is not an integer of 64 bits",
            };
            Error::Usage(format!("{option}: '{part}' {what}"))
        })
    };
    let text = text.strip_suffix(',').unwrap_or(text);
    text.split(',').map(number).collect()
}
