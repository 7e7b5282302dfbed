//! `explain`: the oracle's trace of a case, or of a request typed by hand.

use super::SuiteArgs;
use crate::error::Error;
use crate::operator::Selector;
use crate::report::explanation;
use crate::report::style::out;
use crate::request::{AttributeValue, Attributes, Request, Target};
use crate::tensor::ElementType;
use clap::Args;

/// Trace what the texts say of a case, or of a request typed by hand.
///
/// Either `explain CASE`, or `explain --operator onnx.Reshape-14 --data 3,4,5 --shape 0,-1 --attribute allowzero=0`.
#[derive(Debug, Args)]
pub(super) struct ExplainArgs {
    /// The case's name
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
    /// The data's element type
    #[arg(long, value_name = "TYPE", default_value = "f32")]
    element_type: ElementType,
    #[command(flatten)]
    suite: SuiteArgs,
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
    let wanted: Vec<_> = arguments.operator.iter().flat_map(|selector| selector.operators()).copied().collect();
    let requests: Vec<Request> = match &arguments.case {
        Some(name) => {
            let suite = arguments.suite.load()?;
            let case = super::show::find(&suite, name)?;
            let operators = case.operators.iter().filter(|operator| wanted.is_empty() || wanted.contains(operator));
            let first = |operator| case.element_types(operator).first().copied().unwrap_or(arguments.element_type);
            operators.map(|operator| case.request(operator, first(operator))).collect()
        }
        None => typed(arguments, &wanted)?,
    };
    if requests.is_empty() {
        return Err(Error::NothingSelected("the case does not run on these operators".to_owned()));
    }
    for (index, request) in requests.iter().enumerate() {
        if index > 0 {
            out("");
        }
        out(explanation::render(request));
    }
    Ok(crate::exit_code::AS_EXPECTED)
}

fn typed(arguments: &ExplainArgs, operators: &[&'static crate::operator::Operator]) -> Result<Vec<Request>, Error> {
    let data_shape = numbers::<u64>(arguments.data.as_deref().unwrap_or_default(), "--data")?;
    if data_shape.iter().any(|dim| i64::try_from(*dim).is_err()) {
        return Err(Error::Usage("--data: a dim is at most 2^63-1".to_owned()));
    }
    let target = arguments.shape.as_deref().map(|shape| numbers::<i64>(shape, "--shape")).transpose()?.map(Target::list);
    let attributes: Attributes = arguments.attribute.iter().cloned().collect();
    let request = |operator: &&'static crate::operator::Operator| Request {
        operator,
        element_type: arguments.element_type,
        data_shape: data_shape.clone(),
        target: target.clone(),
        attributes: attributes.clone(),
    };
    Ok(operators.iter().map(request).collect())
}

/// Numbers with commas between, brackets around them or not.
fn numbers<T: std::str::FromStr>(text: &str, option: &str) -> Result<Vec<T>, Error> {
    let text = text.trim().trim_start_matches(['[', '(']).trim_end_matches([']', ')']);
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let number = |part: &str| {
        part.trim().parse().map_err(|_| Error::Usage(format!("{option}: '{}' is no whole number within 64 bits", part.trim())))
    };
    text.trim_end_matches(',').split(',').map(number).collect()
}
