//! The program under test, and the Python that its adapters run on.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

/// The path of the program.
pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_reshape-conformance");

/// A script for Python that runs a command on a terminal. It answers each question with such an end with the next of
/// these lines.
pub(crate) const TERMINAL: &str = r#"
import os, pty, sys
prompt, answers, *command = sys.argv[1:]
child, terminal = pty.fork()
if child == 0:
    os.execvp(command[0], command)
said, asked = b"", 0
try:
    while part := os.read(terminal, 4096):
        said += part
        for answer in answers.splitlines(True)[asked : said.count(prompt.encode())]:
            os.write(terminal, answer.encode())
            asked += 1
except OSError:
    pass  # it has ended
os.write(1, said)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"#;

/// A command of the program, without arguments. It is started by its name, so it prints commands that begin with it.
pub(crate) fn program() -> Command {
    let mut command = Command::new(BINARY);
    #[cfg(unix)]
    std::os::unix::process::CommandExt::arg0(&mut command, "reshape-conformance");
    with_python(command)
}

/// The command, with the interpreter itself as its `python3`. The script of a version manager takes longer to start,
/// and the tests start it a thousand times.
pub(crate) fn with_python(mut command: Command) -> Command {
    static PATH: OnceLock<Option<OsString>> = OnceLock::new();
    if let Some(path) = PATH.get_or_init(path_with_python) {
        command.env("PATH", path);
    }
    // Python compiles what it imports once, also where it may not write beside it.
    command.env_remove("PYTHONDONTWRITEBYTECODE");
    command.env(
        "PYTHONPYCACHEPREFIX",
        concat!(env!("CARGO_TARGET_TMPDIR"), "/python"),
    );
    command
}

/// Whether to try everything that a test repeats, as CI does, and not only a sample of it.
pub(crate) fn is_thorough() -> bool {
    std::env::var_os("THOROUGH").is_some()
}

/// Whether there is a `python3`. Without it, tests that need it are skipped.
pub(crate) fn python_is_there() -> bool {
    static THERE: OnceLock<bool> = OnceLock::new();
    *THERE.get_or_init(|| {
        let mut python = with_python(Command::new("python3"));
        let version = python.arg("--version").output();
        version.is_ok_and(|output| output.status.success())
    })
}

/// `None` if there is no `python3`.
fn path_with_python() -> Option<OsString> {
    let mut python = Command::new("python3");
    let output = python
        .args(["-c", "import sys; print(sys.executable)"])
        .output();
    let output = output.ok().filter(|output| output.status.success())?;
    let interpreter = String::from_utf8(output.stdout).ok()?;
    let folder = Path::new(interpreter.trim()).parent()?.to_path_buf();
    let others = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths([folder].into_iter().chain(std::env::split_paths(&others))).ok()
}

/// The beginning of an adapter in front of the served reference, which its first argument names. `messages()` are the
/// runner's, `forward` asks the reference, and `reply` answers the runner. `relay_one_by_one` does all of this; its
/// `ask` may change each message, and its `change` gives the payload of each answer.
const RELAY: &str = r#"
import json, subprocess, sys
child = subprocess.Popen([sys.argv[1], "serve", "reference"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

def messages():
    for line in sys.stdin.buffer:
        message = json.loads(line)
        yield message, sys.stdin.buffer.read(message.get("payload", 0))

def forward(message, payload):
    message.pop("more", None)
    child.stdin.write(json.dumps(message).encode() + b"\n" + payload)
    child.stdin.flush()
    reply = json.loads(child.stdout.readline())
    return reply, child.stdout.read(reply.get("payload", 0))

def reply(message, body=b""):
    sys.stdout.buffer.write(json.dumps(message).encode() + b"\n" + body)
    sys.stdout.buffer.flush()

def relay_one_by_one(change=lambda message, answer, body: body, ask=lambda message: None):
    for message, payload in messages():
        ask(message)
        answer, body = forward(message, payload)
        if message["type"] == "hello":
            answer |= {"window": 1, "concurrent_runs": False}
        reply(answer, change(message, answer, body))
"#;

/// Writes `it.py`, the relay and then this, into a folder.
pub(crate) fn write_relay(folder: &Path, script: &str) {
    std::fs::write(folder.join("it.py"), format!("{RELAY}{script}"))
        .expect("a folder that can be written");
}
