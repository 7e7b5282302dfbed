//! The Reshapes in a model.

use crate::model::surroundings::Surrounding;
use crate::semantics::operator::{Operator, TargetSource};
use crate::semantics::request::{Attributes, Request, Target};
use crate::semantics::symbolic::{Statement, Symbolic};
use crate::tensor::{ElementType, Tensor};
use std::fmt;
use std::sync::Arc;

/// The most dims of the data, and values of the target, of a Reshape in a model. Each node that names a long list would
/// take as much memory as the list.
pub(crate) const MAX_DIMS: usize = 256;

/// A Reshape of a model.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Found {
    /// Its name in the model.
    pub(crate) name: String,
    /// Its request, or why that is unknown.
    pub(crate) node: Result<FoundNode, NoNode>,
    /// The surroundings of the suite that the model has around it; empty for formats other than ONNX.
    pub(crate) around: Vec<Surrounding>,
}

/// Why the request of a Reshape is unknown, in words.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum NoNode {
    /// It is unknown before the model runs, or is not read here.
    Unknown(String),
    /// It is unknown before the model runs, but what the text says about it is known.
    Stated(Box<Stated>),
    /// No model may contain such a node.
    Malformed(String),
}

/// A request with unknown dims, and what the text says about it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Stated {
    /// What is unknown, in words.
    pub(crate) unknown: String,
    pub(crate) request: Symbolic,
    pub(crate) statement: Statement,
    /// Where the target comes from.
    pub(crate) source: TargetSource,
}

impl fmt::Display for NoNode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(why) | Self::Malformed(why) => f.write_str(why),
            Self::Stated(stated) => f.write_str(&stated.unknown),
        }
    }
}

impl From<String> for NoNode {
    fn from(why: String) -> Self {
        Self::Unknown(why)
    }
}

impl From<&str> for NoNode {
    fn from(why: &str) -> Self {
        Self::Unknown(why.to_owned())
    }
}

/// The form of a node, which its format fixes for every request.
#[derive(Debug)]
pub(crate) struct Form<'a> {
    pub(crate) inputs: usize,
    pub(crate) most_inputs: usize,
    pub(crate) outputs: usize,
    /// The names of its attributes.
    pub(crate) attributes: Vec<&'a str>,
    /// The types of the data and of the output, where they are declared.
    pub(crate) types: [Option<ElementType>; 2],
}

impl Form<'_> {
    /// Checks the numbers of inputs and outputs, that no attribute occurs twice, and that the output has the data's
    /// type. The error says what is wrong.
    pub(crate) fn check(&self) -> Result<(), NoNode> {
        let fault = |why| Err(NoNode::Malformed(why));
        if self.inputs == 0 || self.inputs > self.most_inputs {
            let (inputs, most) = (self.inputs, self.most_inputs);
            return fault(format!(
                "it has {inputs} inputs; a Reshape has at most {most}, and its data is one"
            ));
        }
        if self.outputs != 1 {
            let outputs = self.outputs;
            return fault(format!("it has {outputs} outputs; a Reshape has one"));
        }
        let mut names = self.attributes.iter().enumerate();
        let second = names.find(|(at, name)| self.attributes[..*at].contains(name));
        if let Some((_, name)) = second {
            return fault(format!("a second attribute '{name}'"));
        }
        match self.types {
            [Some(data), Some(output)] if data != output => fault(format!(
                "the model declares its output as {output}, but its data is {data}"
            )),
            _ => Ok(()),
        }
    }
}

/// The request of a Reshape in a model.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FoundNode {
    /// Its operators: several if the format does not distinguish them.
    pub(crate) operators: Vec<&'static Operator>,
    pub(crate) element_type: ElementType,
    pub(crate) data_shape: Vec<u64>,
    /// The target; `None` if the node has no target.
    pub(crate) target: Option<Target>,
    pub(crate) attributes: Attributes,
    /// Where the target comes from.
    pub(crate) source: TargetSource,
    /// Whether the model leaves a dim of the data open.
    pub(crate) dynamic: bool,
    /// The elements of the data, if a run is recorded.
    pub(crate) data: Option<Arc<Tensor>>,
    pub(crate) output: Recorded,
}

/// The recorded output.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Recorded {
    Nothing,
    /// The model declares its shape.
    Shape(Vec<u64>),
    /// A run gave it.
    Tensor(Arc<Tensor>),
}

impl Recorded {
    /// The shape; `None` if nothing is recorded.
    pub(crate) fn shape(&self) -> Option<&[u64]> {
        match self {
            Self::Nothing => None,
            Self::Shape(shape) => Some(shape),
            Self::Tensor(tensor) => Some(tensor.shape()),
        }
    }
}

impl FoundNode {
    /// Its request as a node of this operator.
    pub(crate) fn request(&self, operator: &'static Operator) -> Request {
        Request {
            operator,
            element_type: self.element_type,
            data_shape: self.data_shape.clone(),
            target: self.target.clone(),
            attributes: self.attributes.clone(),
        }
    }
}

/// A file next to a model that holds the bytes of a tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct External<'a> {
    /// The file, relative to the model's folder, as the model writes it.
    pub(crate) location: &'a str,
    /// Where its bytes begin.
    pub(crate) offset: u64,
    /// How many bytes it takes.
    pub(crate) length: u64,
}

/// Reads bytes from a file next to the model.
pub(crate) type ReadExternal<'a> = &'a dyn Fn(External<'_>) -> Result<Vec<u8>, String>;
