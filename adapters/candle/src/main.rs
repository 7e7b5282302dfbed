//! candle's ONNX evaluator (`candle_onnx::simple_eval`) on the CPU. It has no compilation: it looks at a node when it runs.

use candle_core::{DType, Device, Tensor as CandleTensor};
use reshape_conformance::backend::{About, Backend, Call, Supports, onnx_model, serve};
use reshape_conformance::semantics::operator::{Binding, Operator, TargetSource};
use reshape_conformance::semantics::outcome::{Outcome, Phase};
use reshape_conformance::tensor::{ElementType, Tensor};
use std::collections::HashMap;
use std::fmt::Display;
use std::io;

const VERSION: &str = "0.11.1";

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

/// The element types of the evaluator (`candle_onnx::dtype`). It takes a bool as u8.
const TYPES: &[(ElementType, DType)] = &[
    (ElementType::F64, DType::F64),
    (ElementType::F32, DType::F32),
    (ElementType::F16, DType::F16),
    (ElementType::I64, DType::I64),
    (ElementType::U32, DType::U32),
    (ElementType::U8, DType::U8),
    (ElementType::Bool, DType::U8),
];

struct Candle;

impl Backend for Candle {
    fn about(&self) -> About {
        let types: Vec<_> = TYPES.iter().map(|(ours, _)| *ours).collect();
        let mut supports = Supports::default();
        for operator in OPERATORS.iter().filter_map(|name| Operator::named(name)) {
            supports.add(operator, &types, Binding::ALL);
        }
        About { name: "candle".into(), version: VERSION.into(), supports }
    }

    fn reshape(&mut self, call: &Call<'_>) -> Outcome {
        run(call).unwrap_or_else(|outcome| outcome)
    }
}

fn run(call: &Call<'_>) -> Result<Outcome, Outcome> {
    let model = onnx_model(call.request, call.binding);
    // Through a file, because what decodes bytes is of another crate in each release.
    let file = std::env::temp_dir().join(format!("reshape-adapter-candle-{}.onnx", std::process::id()));
    std::fs::write(&file, model).expect("a folder for temporary files");
    let model = candle_onnx::read_file(&file).map_err(rejected(Phase::Compile));
    std::fs::remove_file(&file).expect("the file is there");
    let model = model?;
    let mut inputs = HashMap::from([("data".to_owned(), to_candle(call.data)?)]);
    if let (TargetSource::Runtime, Some(target)) = (call.binding.source(), &call.request.target) {
        inputs.insert("shape".to_owned(), to_candle(&target.tensor())?);
    }
    let evaluated = Outcome::of_panic(Phase::Run, || candle_onnx::simple_eval(&model, inputs))?;
    let mut outputs = evaluated.map_err(rejected(Phase::Run))?;
    Ok(from_candle(&outputs.remove("reshaped").expect("the output that the model names"), call))
}

fn rejected<E: Display>(phase: Phase) -> impl Fn(E) -> Outcome {
    move |error| Outcome::rejected(phase, error.to_string())
}

/// A tensor in candle. One that candle has no type for is none that it could be handed.
fn to_candle(tensor: &Tensor) -> Result<CandleTensor, Outcome> {
    let unsupported = |what: String| Outcome::Unsupported(what);
    let shape: Vec<_> = tensor.shape().iter().map(|dim| *dim as usize).collect();
    let mut bytes = Vec::new();
    tensor.write_bytes(&mut bytes);
    let asked = tensor.element_type();
    let found = TYPES.iter().find(|(ours, _)| *ours == asked).map(|(_, theirs)| *theirs);
    // Of i16 and i32 a target may be, in the releases that have them.
    let dtype = found.or_else(|| asked.to_string().parse().ok());
    let dtype = dtype.ok_or_else(|| unsupported(format!("candle has no {asked}")))?;
    CandleTensor::from_raw_buffer(&bytes, dtype, &shape, &Device::Cpu).map_err(|error| unsupported(error.to_string()))
}

fn from_candle(tensor: &CandleTensor, call: &Call<'_>) -> Outcome {
    let asked = call.request.element_type;
    let fits = |(ours, theirs): &&(ElementType, DType)| *theirs == tensor.dtype() && (*ours == asked || *theirs != DType::U8);
    let element_type = TYPES.iter().find(fits).map_or(ElementType::U8, |(ours, _)| *ours);
    let shape: Vec<_> = tensor.dims().iter().map(|dim| *dim as u64).collect();
    let mut bytes = Vec::new();
    tensor.write_bytes(&mut bytes).expect("a tensor on the CPU can be read");
    match Tensor::from_bytes(element_type, shape.clone(), bytes) {
        Ok(output) => output.into(),
        // It counted elements in 64 bits, and does not have them.
        Err(_) => Outcome::Claimed { element_type, shape },
    }
}

fn main() -> io::Result<()> {
    serve(&mut Candle, &mut io::stdin().lock(), &mut io::stdout().lock())
}
