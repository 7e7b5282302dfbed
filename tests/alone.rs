//! The program alone, away from its source tree: its adapters, their installation, and the kits.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test")]

use crate::program::{BINARY, TERMINAL, program, python_is_there, with_python};
use crate::reports::{FAULT_CASES, FAULTS, ended, read};
use reshape_conformance::backend::{Adapter, known_adapters};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::{TempDir, tempdir};

/// Makes a wheel of a module, and prints its line for a requirements.txt.
const WHEEL: &str = r#"
import hashlib, sys, zipfile
folder, version = sys.argv[1:]
path = f"{folder}/mine-{version}-py3-none-any.whl"
info = f"mine-{version}.dist-info"
with zipfile.ZipFile(path, "w") as wheel:
    wheel.writestr("mine.py", f"version = '{version}'\n")
    wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: mine\nVersion: {version}\n")
    wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: a test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
    wheel.writestr(f"{info}/RECORD", f"mine.py,,\n{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n")
print(f"mine=={version} --hash=sha256:{hashlib.sha256(open(path, 'rb').read()).hexdigest()}")
"#;

/// A folder with an adapter of which the packages are in a folder of wheels, and without a network.
fn place() -> TempDir {
    let place = tempdir().unwrap();
    let folder = place.path().join("adapters/mine");
    fs::create_dir_all(&folder).unwrap();
    fs::create_dir(place.path().join("wheels")).unwrap();
    let manifest = "name: mine\nabout: A test\nmodel: none\ninstall: {python: [mine==1.0], oldest_python: '3.8'}\n\
         command: ['{env}/bin/python', '{adapter}/main.py']\nsupports:\n\
         - {operators: [onnx.Reshape-14], element_types: [f32], bindings: [constant-static, runtime-dynamic]}\n";
    fs::write(folder.join("adapter.yaml"), manifest).unwrap();
    let faults = Path::new(FAULTS).parent().unwrap().display();
    let shim = format!(
        "import mine, sys\nsys.path.insert(0, '{faults}')\nsys.argv[1:] = ['behaves']\nimport faulty\nfaulty.main()\n"
    );
    fs::write(folder.join("main.py"), shim).unwrap();
    let line = wheel(&place, "1.0");
    fs::write(folder.join("requirements.txt"), line).unwrap();
    place
}

fn wheel(place: &TempDir, version: &str) -> String {
    let mut python = with_python(Command::new("python3"));
    let wheels = place.path().join("wheels");
    let made = python.args(["-c", WHEEL]).arg(wheels).arg(version);
    let made = made.output().unwrap();
    assert!(made.status.success(), "{made:?}");
    String::from_utf8(made.stdout).unwrap()
}

fn command(place: &TempDir, arguments: &[&str]) -> Command {
    in_place(program(), place, arguments)
}

fn in_place(mut command: Command, place: &TempDir, arguments: &[&str]) -> Command {
    let here = place.path();
    command.args(arguments).current_dir(here);
    let (wheels, cache) = (here.join("wheels"), here.join("cache"));
    command
        .env("PIP_NO_INDEX", "1")
        .env("PIP_FIND_LINKS", wheels);
    command
        .env("PIP_NO_CACHE_DIR", "1")
        .env("XDG_CACHE_HOME", cache);
    for name in [
        "RESHAPE_CONFORMANCE_DIR",
        "CARGO_TARGET_DIR",
        "VIRTUAL_ENV",
        "CARGO",
        "UV",
    ] {
        command.env_remove(name);
    }
    command
}

fn run(place: &TempDir, arguments: &[&str]) -> (i32, String) {
    ended(&command(place, arguments).output().unwrap())
}

const RUN: &[&str] = &["run", "-q", "--cases", FAULT_CASES, "--adapter", "mine"];

#[test]
fn an_adapter_is_installed_by_its_checksums_run_and_removed() {
    if !python_is_there() {
        return;
    }
    let place = place();
    // What is not installed says how it is.
    let (code, said) = run(&place, RUN);
    assert!(
        code == 102 && said.contains("`reshape-conformance adapters install mine`"),
        "{said}"
    );
    // In the way in which the program was started: uvx runs it in uv's cache.
    let cached = place.path().join("uv/archive-v0/a/reshape-conformance");
    fs::create_dir_all(cached.parent().unwrap()).unwrap();
    fs::copy(BINARY, &cached).unwrap();
    let mut uvx = in_place(Command::new(cached), &place, RUN);
    let output = uvx.env("UV", "uv").output().unwrap();
    let (_, said) = ended(&output);
    assert!(
        said.contains("`uvx reshape-conformance adapters install mine`"),
        "{said}"
    );
    let (code, said) = run(&place, &["adapters", "install", "mine"]);
    assert!(
        code == 0 && said.contains("mine: installed into"),
        "{code} {said}"
    );
    assert_eq!(run(&place, RUN).0, 0);
    let (code, said) = run(&place, &["adapters", "list"]);
    assert!(code == 0 && said.contains("installed: 1.0"), "{said}");
    // Another release is installed in addition, without the checksums of the pinned one.
    wheel(&place, "2.0");
    let (code, said) = run(&place, &["adapters", "install", "mine@2.0", "mine"]);
    assert!(
        code == 0 && said.ends_with("mine: installed\n"),
        "{code} {said}"
    );
    let (_, said) = run(&place, &["adapters"]);
    let line = said
        .lines()
        .find(|line| line.starts_with("mine@2.0"))
        .unwrap();
    assert!(line.contains("installed: 2.0"), "{line}");
    let path = run(&place, &["adapters", "path", "mine@2.0"]).1;
    assert!(Path::new(path.trim()).join("bin/python").exists(), "{path}");
    // Only installations are removed.
    let others = place.path().join("target/adapters/others");
    fs::create_dir(&others).unwrap();
    assert!(
        run(&place, &["adapters", "remove", "mine@2.0"])
            .1
            .contains("removed")
    );
    assert!(!Path::new(path.trim()).exists());
    assert_eq!(run(&place, &["adapters", "clean"]).0, 0);
    assert!(others.exists() && run(&place, RUN).0 == 102);
}

#[test]
fn an_installation_that_cannot_end_says_why_and_leaves_nothing_that_runs() {
    if !python_is_there() {
        return;
    }
    let place = place();
    let install = ["adapters", "install", "mine", "--dir", "elsewhere"];
    let elsewhere = place.path().join("elsewhere/mine");
    // Too old a Python: before anything is made.
    let old = place.path().join("old");
    fs::write(&old, "#!/bin/sh\necho 2 7\n").unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(&old, mode).unwrap();
    let (code, said) = run(&place, &[&install[..], &["--python", "./old"]].concat());
    let wanted = "./old is Python 2.7, and its packages need 3.8 or newer";
    assert!(code == 102 && said.contains(wanted), "{code} {said}");
    assert!(!elsewhere.join("pyvenv.cfg").exists());
    // A folder of somebody else's is not cleared.
    fs::write(elsewhere.join("theirs"), "").unwrap();
    let (code, said) = run(&place, &install);
    assert!(
        code == 102 && said.contains("is no installation"),
        "{code} {said}"
    );
    fs::remove_file(elsewhere.join("theirs")).unwrap();
    // A package with another checksum.
    let requirements = place.path().join("adapters/mine/requirements.txt");
    let good = fs::read_to_string(&requirements).unwrap();
    let (head, _) = good.split_once("sha256:").unwrap();
    fs::write(&requirements, format!("{head}sha256:{}\n", "0".repeat(64))).unwrap();
    let (code, said) = run(&place, &install);
    assert!(
        code == 102 && said.to_lowercase().contains("hash"),
        "{code} {said}"
    );
    let (code, said) = run(&place, &[RUN, &["--dir", "elsewhere"]].concat());
    assert!(
        code == 102 && said.contains("adapters install mine --dir "),
        "{code} {said}"
    );
    // No package, and no network.
    fs::write(&requirements, &good).unwrap();
    fs::remove_dir_all(place.path().join("wheels")).unwrap();
    fs::create_dir(place.path().join("wheels")).unwrap();
    let (code, said) = run(&place, &install);
    assert!(
        code == 102 && said.contains("it needs mine==1.0."),
        "{code} {said}"
    );
    // It begins again where it ended.
    fs::write(&requirements, wheel(&place, "1.0")).unwrap();
    assert_eq!(run(&place, &install).0, 0);
    assert_eq!(run(&place, &[RUN, &["--dir", "elsewhere"]].concat()).0, 0);
}

#[test]
fn a_shim_runs_in_an_environment_of_the_user_and_nothing_is_installed() {
    if !python_is_there() {
        return;
    }
    let place = place();
    let own = [RUN, &["--python", "python3"]].concat();
    let (code, said) = run(&place, &own);
    assert!(
        code == 102 && said.contains("No module named 'mine'"),
        "{code} {said}"
    );
    fs::write(place.path().join("mine.py"), "").unwrap();
    let mut with_package = command(&place, &own);
    let (code, said) = ended(
        &with_package
            .env("PYTHONPATH", place.path())
            .output()
            .unwrap(),
    );
    assert_eq!(code, 0, "{said}");
    assert!(!place.path().join("target").exists());
    // A failure is run again in the same environment.
    let (_, said) = run(
        &place,
        &[
            &RUN[..1],
            &RUN[2..],
            &["--python", "./a b/python", "--events", "e.jsonl"],
        ]
        .concat(),
    );
    assert!(said.contains("a b/python"), "{said}");
}

#[test]
fn on_a_terminal_run_asks_whether_to_install() {
    if !python_is_there() {
        return;
    }
    let place = place();
    // The second answer is Ctrl-C.
    for (answer, wanted) in [("n\n", 102), ("\u{3}", 5), ("y\n", 0)] {
        let mut asked = in_place(with_python(Command::new("python3")), &place, &[]);
        asked
            .args(["-c", TERMINAL, "[Y/n]", answer, BINARY])
            .args(RUN);
        asked.env_remove("CI");
        let (code, said) = ended(&asked.output().unwrap());
        assert!(
            said.contains("is not installed. Install it (mine==1.0 and"),
            "{said}"
        );
        assert_eq!(code, wanted, "{said}");
    }
}

/// The files under a folder, each with its path in it, without those that the program does not hold.
fn files(folder: &Path, root: &Path, into: &mut Vec<(PathBuf, Vec<u8>)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let is_held = !name.starts_with(['.', '_'])
            && !name.starts_with("test_")
            && !name.contains(".test.")
            && name != "target"
            && name != "node_modules";
        if is_held && path.is_dir() {
            files(&path, root, into);
        } else if is_held {
            let inside = path.strip_prefix(root).unwrap().to_owned();
            into.push((inside, fs::read(&path).unwrap()));
        }
    }
    into.sort();
}

#[test]
fn the_program_holds_every_adapter_and_no_path_of_its_tree() {
    let tree = env!("CARGO_MANIFEST_DIR");
    let place = tempdir().unwrap();
    // Whether it starts or not, the shim is written.
    run(
        &place,
        &["run", "-q", "--adapter", "numpy", "--python", "no-python"],
    );
    let installations = run(&place, &["adapters", "path"]).1;
    let installations = Path::new(installations.trim());
    assert!(
        installations.ends_with("cache/reshape-conformance/adapters"),
        "{installations:?}"
    );
    let written = fs::read_dir(installations).unwrap();
    let written = written.map(|entry| entry.unwrap().path().join("adapters"));
    let written: Vec<_> = written.filter(|path| path.is_dir()).collect();
    let [written] = &written[..] else {
        panic!("{written:?}")
    };
    let (mut held, mut there) = (Vec::new(), Vec::new());
    files(written, written, &mut held);
    let adapters = Path::new(tree).join("adapters");
    files(&adapters, &adapters, &mut there);
    let differ = |of: &[(PathBuf, Vec<u8>)], from: &[(PathBuf, Vec<u8>)]| -> Vec<PathBuf> {
        let others = of.iter().filter(|file| !from.contains(file));
        others.map(|(path, _)| path.clone()).collect()
    };
    let (only_held, only_there) = (differ(&held, &there), differ(&there, &held));
    assert!(
        only_held.is_empty() && only_there.is_empty(),
        "touch build.rs, which does not see new files: {only_there:?} {only_held:?}"
    );
    let binary = fs::read(BINARY).unwrap();
    let found = binary
        .windows(tree.len())
        .any(|part| part == tree.as_bytes());
    assert!(!found, "the program holds the path {tree}");
}

#[test]
fn a_kit_is_written_and_replaces_nothing() {
    let place = tempdir().unwrap();
    for (language, file, first, command) in [
        (
            "python",
            "reshape_adapter.py",
            "It needs numpy: python3 -m pip install numpy",
            "\"python3 kit/example.py\"",
        ),
        (
            "c",
            "reshape_adapter.h",
            "Build it: cc -std=c11 -o kit/example kit/example.c",
            "\"kit/example\"",
        ),
        (
            "node",
            "reshape_adapter.mjs",
            "It needs Node.js 18 or newer.",
            "\"node kit/example.mjs\"",
        ),
    ] {
        let (code, said) = run(&place, &["kit", language, "kit"]);
        let next = [
            &format!("kit/{file}\n"),
            first,
            &format!("  reshape-conformance adapter check {command}\n"),
            &format!("  reshape-conformance run --core --adapter-command {command}\n"),
            &format!("as the top of kit/{file} explains"),
        ];
        assert!(
            code == 0 && next.iter().all(|part| said.contains(*part)),
            "{code} {said}"
        );
        let tree = format!(
            "{}/adapters/kit/{language}/{file}",
            env!("CARGO_MANIFEST_DIR")
        );
        assert_eq!(
            read(&place, &format!("kit/{file}")),
            fs::read_to_string(tree).unwrap()
        );
        assert_eq!(run(&place, &["kit", language, "kit"]).0, 105);
    }
    // What is printed runs, whatever the folder is called.
    let (_, said) = run(&place, &["kit", "c", "my kit's"]);
    let line = said
        .lines()
        .find_map(|line| line.strip_prefix("  reshape-conformance adapter check "));
    let words = shlex::split(line.unwrap()).unwrap();
    assert_eq!(
        shlex::split(&words.join(" ")).unwrap(),
        ["my kit's/example"]
    );
    let (code, said) = run(&place, &["completions", "bash"]);
    assert!(code == 0 && said.contains("--adapter-command"), "{said}");
}

#[test]
fn every_package_of_python_is_locked_with_checksums() {
    let adapters = Path::new(env!("CARGO_MANIFEST_DIR")).join("adapters");
    for name in known_adapters(&adapters) {
        let adapter = Adapter::read(&adapters, &name).unwrap();
        let locked = adapter.locked().unwrap();
        assert!(
            locked.is_some() || adapter.python.is_empty(),
            "`cargo xtask lock {name}`"
        );
    }
}

#[test]
fn the_program_its_wheel_and_its_module_name_the_version_of_the_suite() {
    let place = tempdir().unwrap();
    let changelog = include_str!("../cases/CHANGELOG.md");
    let suite = changelog
        .split("\n## ")
        .nth(1)
        .unwrap()
        .lines()
        .next()
        .unwrap();
    let (code, said) = run(&place, &["--version"]);
    assert!(
        code == 0 && said.ends_with(&format!(" (suite {suite})\n")),
        "{said}"
    );
    let read =
        |file: &str| fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap();
    assert!(read("pyproject.toml").contains(&format!(", with suite {suite}.\"")));
    assert!(
        read("python/reshape_conformance/__init__.py").contains(&format!("SUITE = \"{suite}\""))
    );
}
