//! Backends in child processes. No other module starts processes.
//!
//! Each file uses only the files above it in this list: `options`, `log`, `resources`, `child` (bytes, frames, resources,
//! the end of the process), `pipeline` (requests and replies of one child), `supervisor` (handshakes and restarts), `backend`
//! (the [`crate::backend::Backend`], and which call caused a failure).
//!
//! Whatever the child does (crash, hang, write garbage, end inside a reply), every call gets exactly one outcome.

mod backend;
mod child;
mod log;
mod options;
mod pipeline;
mod resources;
mod supervisor;

pub use backend::ProcessBackend;
pub use options::ProcessOptions;
pub(crate) use resources::is_reported as memory_is_reported;
