use reshape_conformance::backend::{About, Backend, Call, Supports};
use reshape_conformance::semantics::operator::Operator;
use reshape_conformance::semantics::outcome::{Outcome, Phase};

struct Mine;

impl Backend for Mine {
    fn about(&self) -> About {
        let operators: Vec<_> = Operator::named("onnx.Reshape-14").into_iter().collect();
        About {
            name: "mine".into(),
            version: "1.0".into(),
            supports: Supports::operators(&operators),
        }
    }

    fn reshape(&mut self, call: &Call<'_>) -> Outcome {
        // Hand call.data, call.request.target and call.request.attributes to your runtime.
        let target = call
            .request
            .target
            .as_ref()
            .map_or(&[][..], |target| &target.values);
        let shape: Result<Vec<u64>, _> = target.iter().map(|value| u64::try_from(*value)).collect();
        match shape {
            Ok(shape) => call.data.with_shape(shape).into(),
            Err(error) => Outcome::rejected(Phase::Run, error.to_string()),
        }
    }
}

fn main() -> std::process::ExitCode {
    reshape_conformance::harness::run(|| Mine)
}
