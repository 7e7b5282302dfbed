//! The adapter protocol of `docs/protocol.md`: frames, tensors, requests and replies. Nothing else knows the protocol.

mod frame;
mod hello;
mod reply;
mod request;
mod tensor;

pub(super) use frame::{Frame, FrameFault, read_frame, write};
pub(super) use hello::{Hello, HelloSupports, VERSION, element_types};
pub(super) use reply::{Reply, reply};
pub(super) use request::{CompileRequest, bye, compile, hello, release, run};
pub(super) use tensor::{append, target, tensor};
