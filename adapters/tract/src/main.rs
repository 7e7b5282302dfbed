//! tract's ONNX frontend: a model is read, optimised and made runnable anew for each call. It names only what several
//! releases of tract have, so that each of them can be built.

use reshape_conformance::backend::{About, Backend, Call, Supports, onnx_model, serve};
use reshape_conformance::semantics::operator::{Binding, Operator};
use reshape_conformance::semantics::outcome::{Outcome, Phase};
use reshape_conformance::tensor::{ElementType, Tensor};
use std::io;
use tract_onnx::prelude::tract_ndarray::ArrayD;
use tract_onnx::prelude::*;
use tract_onnx::prelude::{DatumType, Tensor as TractTensor};

const VERSION: &str = "0.23.9";

/// In tract a reshape's target must be known when a model is made, and the count must be shown to match by the declared
/// dims: symbols match symbols alone. A user of tract declares the dims before the model is optimised.
const BINDINGS: &[Binding] = &[Binding::ConstantStatic];

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

const TYPES: &[(ElementType, DatumType)] = &[
    (ElementType::F64, DatumType::F64),
    (ElementType::F32, DatumType::F32),
    (ElementType::F16, DatumType::F16),
    (ElementType::I64, DatumType::I64),
    (ElementType::I32, DatumType::I32),
    (ElementType::I16, DatumType::I16),
    (ElementType::I8, DatumType::I8),
    (ElementType::U64, DatumType::U64),
    (ElementType::U32, DatumType::U32),
    (ElementType::U16, DatumType::U16),
    (ElementType::U8, DatumType::U8),
    (ElementType::Bool, DatumType::Bool),
    (ElementType::String, DatumType::String),
];

struct Tract;

impl Backend for Tract {
    fn about(&self) -> About {
        let types: Vec<_> = TYPES.iter().map(|(ours, _)| *ours).collect();
        let mut supports = Supports::default();
        for operator in OPERATORS.iter().filter_map(|name| Operator::named(name)) {
            supports.add(operator, &types, BINDINGS);
        }
        About { name: "tract".into(), version: VERSION.into(), supports }
    }

    fn reshape(&mut self, call: &Call<'_>) -> Outcome {
        let rejected = |phase| move |error| Outcome::rejected(phase, format!("{error:#}"));
        let outcome = || {
            let model = onnx_model(call.request, call.binding);
            let plan = || tract_onnx::onnx().model_for_read(&mut &*model)?.into_optimized()?.into_runnable();
            let plan = Outcome::of_panic(Phase::Compile, plan)?.map_err(rejected(Phase::Compile))?;
            let data = to_tract(call.data)?;
            let outputs = Outcome::of_panic(Phase::Run, || plan.run(tvec!(data.into())))?.map_err(rejected(Phase::Run))?;
            Ok(from_tract(&outputs[0]))
        };
        outcome().unwrap_or_else(|outcome| outcome)
    }
}

fn to_tract(tensor: &Tensor) -> Result<TractTensor, Outcome> {
    let cannot = |what: &str| Outcome::Unsupported(what.to_owned());
    let shape: Vec<_> = tensor.shape().iter().map(|dim| *dim as usize).collect();
    if tensor.element_type() == ElementType::String {
        let text = |index| String::from_utf8(tensor.string(index).unwrap_or_default().to_vec());
        let texts: Result<Vec<_>, _> = (0..tensor.len()).map(text).collect();
        let texts = texts.map_err(|_| cannot("tract takes no string that is not UTF-8"))?;
        return Ok(ArrayD::from_shape_vec(shape, texts).map_err(|error| cannot(&error.to_string()))?.into());
    }
    let (_, datum) = TYPES.iter().find(|(ours, _)| *ours == tensor.element_type()).ok_or_else(|| cannot("tract has no such type"))?;
    let mut bytes = Vec::new();
    tensor.write_bytes(&mut bytes);
    if *datum == DatumType::Bool {
        // Older releases make no tensor of zeros of it.
        let bools = bytes.iter().map(|byte| *byte != 0).collect();
        return Ok(ArrayD::<bool>::from_shape_vec(shape, bools).map_err(|error| cannot(&error.to_string()))?.into());
    }
    let mut made = TractTensor::zero_dt(*datum, &shape)
        .map_err(|error| Outcome::rejected(Phase::Run, format!("{error:#}")))?;
    made.as_bytes_mut().copy_from_slice(&bytes);
    Ok(made)
}

fn from_tract(tensor: &TractTensor) -> Outcome {
    let shape: Vec<_> = tensor.shape().iter().map(|dim| *dim as u64).collect();
    let (element_type, _) = TYPES.iter().find(|(_, theirs)| *theirs == tensor.datum_type()).expect("a type of the table");
    if *element_type == ElementType::String {
        let text = |nth| Ok(tensor.nth(nth)?.to_scalar_mut::<String>()?.clone().into_bytes());
        let texts = (0..tensor.len()).map(text).collect::<TractResult<_>>().expect("strings");
        return reshaped(*element_type, shape.clone(), Tensor::from_strings(shape, texts));
    }
    let bytes = tensor.as_bytes().to_vec();
    reshaped(*element_type, shape.clone(), Tensor::from_bytes(*element_type, shape, bytes))
}

/// An output, or the shape alone where tract does not have its elements.
fn reshaped<E>(element_type: ElementType, shape: Vec<u64>, output: Result<Tensor, E>) -> Outcome {
    match output {
        Ok(output) => output.into(),
        Err(_) => Outcome::Claimed { element_type, shape },
    }
}

fn main() -> io::Result<()> {
    serve(&mut Tract, &mut io::stdin().lock(), &mut io::stdout().lock())
}
