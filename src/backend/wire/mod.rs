//! The adapter protocol of `docs/protocol.md`: frames, tensors, requests and replies. Only this layer knows it.

mod frame;
mod hello;
mod reply;
mod request;

pub(super) use frame::{Frame, FrameFault, MAX_PAYLOAD, Message, Payload, Sent, read_frame};
#[cfg(test)]
pub(crate) use hello::schema;
pub(super) use hello::{Hello, Identity, VERSION};
pub(super) use reply::{Answer, Reply};
pub(super) use request::{
    Compile, CompileTarget, Concurrency, Request, Run, bye, compile, hello, release, run,
};

#[cfg(test)]
mod tests {
    use super::{Answer, FrameFault, MAX_PAYLOAD, Sent, read_frame};
    use crate::semantics::outcome::Phase;

    const MESSAGES: [&[u8]; 7] = [
        br#"{"type":"hello","id":0,"protocol":1,"backend":{"name":"b","version":"1"},"model":"onnx","window":4,"infer_only":false,"supports":[{"operators":["onnx >= 5"],"element_types":["f32","i4"],"bindings":["constant-static"],"attributes":{"allowzero":[1]},"limits":{"data_rank":3,"target_values":[-1,9]}}],"limits":{"rank":8,"strings":["utf-8"]},"unavailable":[{"operators":["onnx >= 5"],"element_types":["i4"],"bindings":"all","reason":"?"}]}
"#,
        br#"{"type":"compiled","id":1,"handle":7,"output_shape":[2,null,3]}
"#,
        b"{\"type\":\"reshaped\",\"id\":2,\"payload\":8,\"output\":{\"element_type\":\"f32\",\"shape\":[2,1],\"offset\":0,\"length\":8}}\n\0\0\x80\x3f\0\0\0\x40",
        b"{\"type\":\"reshaped\",\"id\":3,\"payload\":11,\"output\":{\"element_type\":\"string\",\"shape\":[2],\"offset\":0,\"length\":11}}\n\x02\0\0\0ab\x01\0\0\0c",
        br#"{"type":"reshaped","id":3,"output":{"element_type":"f32","shape":[4294967296,4294967296]}}
"#,
        br#"{"type":"rejected","id":4,"message":"no"}
"#,
        br#"{"type":"released","id":5}
{"type":"unsupported","id":6,"message":"?"}
{"type":"bye","id":7}
"#,
    ];

    #[test]
    fn mutated_messages_of_a_child_are_read_or_refused() {
        crate::mutations::of(&MESSAGES, |bytes| {
            let mut input = bytes;
            // A malformed message ends the conversation.
            loop {
                match read_frame(&mut input, MAX_PAYLOAD, &Sent::default()) {
                    Ok(frame) => {
                        drop(Answer::read(frame).and_then(|of| of.outcome(Phase::Run, None)))
                    }
                    Err(FrameFault::End | FrameFault::Malformed(_)) => return,
                }
            }
        });
    }
}
