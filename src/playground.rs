//! The playground's program: takes a request, and returns as JSON each operator's answer and a case to complete.

use crate::semantics::operator::{ClauseOf, OPERATORS, Operator, in_short};
use crate::semantics::oracle::{self, Resolution, Step};
use crate::semantics::request::Attributes;
use crate::suite::case::{Case, Expectation, Nested, ZeroMode, check_size};
use crate::suite::stub;
use crate::tensor::{ElementType, literal};
use serde::{Deserialize, Serialize};

/// A request for every operator that can express it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    data_shape: Vec<u64>,
    element_type: ElementType,
    /// `None`: the node has no target.
    shape: Option<Nested>,
    shape_element_type: ElementType,
    /// The meaning of a 0 in the target; `None`: the node has no attribute for it.
    zero: Option<ZeroMode>,
}

#[derive(Serialize)]
struct Answered {
    answers: Vec<Answer>,
    /// The operators that cannot express the zeros, in short; empty if all can.
    without: String,
    /// The request as a case without its expectation.
    case: String,
    /// The possible element types.
    element_types: Vec<&'static str>,
    target_types: Vec<&'static str>,
}

/// The answer of the operators of one family that agree in every step.
#[derive(Serialize)]
struct Answer {
    /// The operators, in short.
    operators: String,
    names: Vec<&'static str>,
    /// The node's attributes about zeros, such as `allowzero=1`.
    attributes: Vec<String>,
    /// "reshaped", "rejected" or "open".
    kind: &'static str,
    /// The answer in short, as `new` writes it.
    #[serde(rename = "says")]
    description: String,
    steps: Vec<Explained>,
    question: Option<Asks>,
}

impl Answer {
    fn says_of_steps(&self) -> impl Iterator<Item = &str> {
        self.steps.iter().map(|step| step.description.as_str())
    }
}

/// A step, with the clauses of the newest of the operators.
#[derive(Serialize)]
struct Explained {
    #[serde(rename = "says")]
    description: String,
    fault: bool,
    clauses: Vec<Statement>,
}

#[derive(Serialize)]
struct Statement {
    id: String,
    level: &'static str,
    #[serde(rename = "says")]
    description: &'static str,
}

/// An open question, and the reference's answer.
#[derive(Serialize)]
struct Asks {
    id: &'static str,
    asks: &'static str,
    allowed: &'static str,
    choice: &'static str,
}

/// Answers a request, as JSON: `{"answers":…}`, or `{"error":…}` for an invalid request.
#[must_use]
pub fn answer(line: &str) -> String {
    let answered = asked(line).map(|case| answered(&case));
    match answered {
        Ok(answered) => serde_json::json!(answered),
        Err(error) => serde_json::json!({ "error": error }),
    }
    .to_string()
}

fn asked(line: &str) -> Result<Case, String> {
    let asked: Asked = serde_json::from_str(line).map_err(|error| error.to_string())?;
    if asked.data_shape.iter().any(|dim| *dim > i64::MAX as u64) {
        return Err("a data dim can be at most 2^63-1".to_owned());
    }
    let mut target = asked.shape.map(Nested::target).transpose()?;
    if let Some(target) = &mut target {
        target.element_type = asked.shape_element_type;
        for value in &target.values {
            literal::check_integer(*value, target.element_type)?;
        }
    }
    let operators = stub::able(asked.zero, Vec::new());
    let mut case = Case::asked("a-name", operators, asked.data_shape, target, asked.zero);
    case.element_types = Some(vec![asked.element_type]);
    let target = case.target.as_ref();
    if asked.zero.is_none() && target.is_some_and(|target| target.values.contains(&0)) {
        // The case as written: the node states nothing, even where its text requires it.
        case.attributes = Some(Attributes::default());
    }
    Ok(case)
}

fn answered(case: &Case) -> Answered {
    let mut answers: Vec<(Vec<&'static Operator>, Answer)> = Vec::new();
    for operator in &case.operators {
        let answer = of_operator(case, operator);
        let alike = answers.iter_mut().find(|(operators, other)| {
            operators[0].family == operator.family
                && (other.description == answer.description
                    && other.attributes == answer.attributes)
                && other.says_of_steps().eq(answer.says_of_steps())
        });
        match alike {
            Some((operators, other)) => {
                operators.push(operator);
                other.steps = answer.steps;
            }
            None => answers.push((vec![operator], answer)),
        }
    }
    let name = |(operators, mut answer): (Vec<&'static Operator>, Answer)| {
        answer.operators = in_short(&operators);
        answer.names = operators.iter().map(|operator| operator.name).collect();
        answer
    };
    let without = OPERATORS.iter();
    let without = without.filter(|operator| !case.operators.contains(operator));
    let types = ElementType::ALL.iter().copied();
    let integers = types.clone().filter(|of| of.is_integer());
    let asked = case.element_types.as_deref().unwrap_or_default();
    let too_large = check_size(&case.data_shape, asked).err();
    let too_large = too_large.map_or_else(String::new, |why| format!("# No case: {why}\n"));
    Answered {
        answers: answers.into_iter().map(name).collect(),
        without: in_short(&without.collect::<Vec<_>>()),
        case: too_large + &stub::of_case(case),
        element_types: types.map(ElementType::name).collect(),
        target_types: integers.map(ElementType::name).collect(),
    }
}

fn of_operator(case: &Case, operator: &'static Operator) -> Answer {
    let request = case.request(operator, case.element_types(operator)[0]);
    let (resolution, steps) = oracle::explain(&request);
    let steps = steps.into_iter();
    let (kind, question) = match &resolution {
        Resolution::Reshaped(_) => ("reshaped", None),
        Resolution::Rejected(_) => ("rejected", None),
        Resolution::Open { question, .. } => ("open", Some(*question)),
    };
    let attributes = request.attributes.iter();
    let attributes = attributes.map(|(name, value)| format!("{name}={value}"));
    Answer {
        operators: String::new(),
        names: Vec::new(),
        attributes: attributes.collect(),
        kind,
        description: Expectation::from(resolution).to_string(),
        steps: steps.map(|step| explained(operator, step)).collect(),
        question: question.map(|question| Asks {
            id: question.name(),
            asks: question.asks(),
            allowed: question.allowed(),
            choice: question.choice(),
        }),
    }
}

fn explained(operator: &'static Operator, step: Step) -> Explained {
    let description = |of: ClauseOf| Statement {
        id: of.to_string(),
        level: of.clause.level.name(),
        description: of.clause.description,
    };
    Explained {
        clauses: operator.clauses_of(step.rule).map(description).collect(),
        // The same words for every version.
        description: step.description.replace(operator.name, "the operator"),
        fault: step.fault,
    }
}
