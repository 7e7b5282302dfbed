//! RTen, which loads ONNX itself: a model is loaded anew for each call.
//!
//! It has four element types, and targets in 32 bits: at the load it saturates constants of 64, and at the run it takes
//! a target of i64 as i32.

use reshape_conformance::backend::{About, Backend, Call, Supports, onnx_model, serve};
use reshape_conformance::semantics::operator::{Binding, Operator, TargetSource};
use reshape_conformance::semantics::outcome::{Outcome, Phase};
use reshape_conformance::semantics::request::Target;
use reshape_conformance::tensor::{ElementType, Tensor};
use rten::{Model, Value, ValueOrView};
use rten_tensor::prelude::*;
use std::fmt::Display;
use std::io;

const VERSION: &str = "0.27.0";

const OPERATORS: &[&str] = &[
    "onnx.Reshape-5",
    "onnx.Reshape-13",
    "onnx.Reshape-14",
    "onnx.Reshape-19",
    "onnx.Reshape-21",
    "onnx.Reshape-23",
    "onnx.Reshape-24",
    "onnx.Reshape-25",
];

const TYPES: &[ElementType] = &[ElementType::F32, ElementType::I32, ElementType::I8, ElementType::U8];

struct Rten;

impl Backend for Rten {
    fn about(&self) -> About {
        let mut supports = Supports::default();
        for operator in OPERATORS.iter().filter_map(|name| Operator::named(name)) {
            supports.add(operator, TYPES, Binding::ALL);
        }
        About { name: "rten".into(), version: VERSION.into(), supports }
    }

    fn reshape(&mut self, call: &Call<'_>) -> Outcome {
        run(call).unwrap_or_else(|outcome| outcome)
    }
}

fn run(call: &Call<'_>) -> Result<Outcome, Outcome> {
    let model = onnx_model(call.request, call.binding);
    let model = Outcome::of_panic(Phase::Compile, || Model::load(model))?.map_err(rejected(Phase::Compile))?;
    let node = |name| model.find_node(name).expect("a value that the model names");
    let mut inputs = vec![(node("data"), to_rten(call.data).map_err(Outcome::Unsupported)?.into())];
    if let (TargetSource::Runtime, Some(target)) = (call.binding.source(), &call.request.target) {
        inputs.push((node("shape"), target_value(target).map_err(Outcome::Unsupported)?));
    }
    let output = [node("reshaped")];
    let outputs = Outcome::of_panic(Phase::Run, || model.run(inputs, &output, None))?.map_err(rejected(Phase::Run))?;
    Ok(from_rten(&outputs[0]))
}

fn rejected<E: Display>(phase: Phase) -> impl Fn(E) -> Outcome {
    move |error| Outcome::rejected(phase, error.to_string())
}

fn to_rten(tensor: &Tensor) -> Result<Value, String> {
    let shape: Vec<_> = tensor.shape().iter().map(|dim| *dim as usize).collect();
    let mut bytes = Vec::new();
    tensor.write_bytes(&mut bytes);
    let words = || bytes.as_chunks::<4>().0.iter();
    let value = match tensor.element_type() {
        ElementType::F32 => Value::from_shape(shape, words().map(|word| f32::from_le_bytes(*word)).collect()).map_err(text)?,
        ElementType::I32 => Value::from_shape(shape, words().map(|word| i32::from_le_bytes(*word)).collect()).map_err(text)?,
        ElementType::I8 => Value::from_shape(shape, bytes.iter().map(|byte| byte.cast_signed()).collect()).map_err(text)?,
        ElementType::U8 => Value::from_shape(shape, bytes).map_err(text)?,
        other => return Err(format!("RTen has no {other}")),
    };
    Ok(value)
}

fn text(error: impl Display) -> String {
    error.to_string()
}

/// What RTen's caller has to make of a target of i64. One of i32 would look the same, so the manifest leaves it out.
fn target_value(target: &Target) -> Result<ValueOrView<'static>, String> {
    if target.element_type == ElementType::I32 {
        return Err("a target of i32 looks like one of i64 to RTen".to_owned());
    }
    if target.element_type != ElementType::I64 {
        return Ok(to_rten(&target.tensor())?.into());
    }
    let values: Result<Vec<i32>, _> = target.values.iter().map(|value| i32::try_from(*value)).collect();
    let values = values.map_err(|_| "RTen takes no target at the run of more than 32 bits")?;
    let dims: Vec<_> = target.dims.iter().map(|dim| *dim as usize).collect();
    Ok(Value::from_shape(dims, values).map_err(text)?.into())
}

fn from_rten(value: &Value) -> Outcome {
    let (element_type, bytes) = match value {
        Value::FloatTensor(tensor) => (ElementType::F32, tensor.iter().flat_map(|x| x.to_le_bytes()).collect()),
        Value::Int32Tensor(tensor) => (ElementType::I32, tensor.iter().flat_map(|x| x.to_le_bytes()).collect()),
        Value::Int8Tensor(tensor) => (ElementType::I8, tensor.iter().map(|x| x.cast_unsigned()).collect()),
        Value::UInt8Tensor(tensor) => (ElementType::U8, tensor.iter().copied().collect::<Vec<u8>>()),
        other => panic!("a reshape gave {other:?}"),
    };
    let shape: Vec<_> = value.shape().iter().map(|dim| *dim as u64).collect();
    match Tensor::from_bytes(element_type, shape.clone(), bytes) {
        Ok(output) => output.into(),
        // It counted elements in 64 bits, and does not have them.
        Err(_) => Outcome::Claimed { element_type, shape },
    }
}

fn main() -> io::Result<()> {
    serve(&mut Rten, &mut io::stdin().lock(), &mut io::stdout().lock())
}
