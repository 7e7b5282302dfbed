//! The models that `export` writes: an IR as its text, and an ONNX model as its fields with the numbers of `onnx.proto`.

#![allow(clippy::unwrap_used, reason = "a test")]

use crate::program::program;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// The paths of the files under a folder, in order.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = folder.read_dir().unwrap().map(|of| of.unwrap().path());
    let mut found: Vec<_> = entries
        .flat_map(|path| match path.is_dir() {
            true => files(&path),
            false => vec![path],
        })
        .collect();
    found.sort();
    found
}

/// What `export` says of these trials, then the files of each, as `show` shows those that it can.
fn exported(format: &str, arguments: &[&str], show: fn(&Path) -> Option<String>) -> String {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("there");
    let mut command = program();
    command.args(["export", format]).arg(&folder);
    let output = command.args(arguments).output().unwrap();
    let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    let mut all = said.replace(&format!("{}/", folder.display()), "");
    for path in files(&folder) {
        if let Some(shown) = show(&path) {
            let name = path.strip_prefix(&folder).unwrap().display();
            write!(all, "\n# {name}\n{shown}").unwrap();
        }
    }
    all
}

fn hexadecimal(bytes: &[u8]) -> String {
    let digits = bytes.iter().map(|byte| format!("{byte:02x}"));
    digits.collect()
}

/// The layers of an IR, an element a line, or the bytes of its constants.
fn ir(path: &Path) -> Option<String> {
    let bytes = fs::read(path).unwrap();
    match path.extension()?.to_str()? {
        "xml" => {
            let text = String::from_utf8(bytes).unwrap();
            let (_, layers) = text.split_once("<layers>\n").unwrap();
            let (layers, _) = layers.split_once("\t</layers>").unwrap();
            let lines = layers.lines().filter(|line| !line.contains("\t</"));
            let lines = lines.map(|line| format!("{}\n", line.replace('\t', " ")));
            Some(lines.collect())
        }
        "bin" if bytes.is_empty() => None,
        "bin" => Some(format!("{}\n", hexadecimal(&bytes))),
        _ => None,
    }
}

/// A case of OpenVINO's Reshape, of [2, 3] to [6].
fn case(name: &str, element_type: &str, more: &str) -> String {
    format!(
        "- {{name: {name}, operators: [openvino], covers: [same-content], shape: [6], {more},\n   \
         data: {{shape: [2, 3], element_types: [{element_type}]}}, expect: {{rejected: attribute-type}}}}\n"
    )
}

#[test]
fn an_ir_has_the_layers_of_its_request() {
    let place = tempfile::tempdir().unwrap();
    // XML holds some attributes, and OpenVINO has some element types.
    let cases = [
        case(
            "of-marks",
            "f16",
            r#"attributes: {special_zero: "\"<&", more: ""}"#,
        ),
        case(
            "of-text",
            "f16",
            "shape_element_type: string, attributes: {special_zero: true}",
        ),
        case(
            "a-space",
            "f16",
            r#"attributes: {special_zero: "1", a b: c}"#,
        ),
        case(
            "no-name",
            "f16",
            r#"attributes: {special_zero: "1", "": c}"#,
        ),
        case(
            "a-nul",
            "f16",
            r#"attributes: {special_zero: "1", a: "\0"}"#,
        ),
        case(
            "another-type",
            "complex64",
            r#"attributes: {special_zero: "1"}"#,
        ),
    ];
    let path = place.path().join("cases.yaml");
    fs::write(&path, cases.concat()).unwrap();
    let own = ["--cases", path.to_str().unwrap(), "*/*/*/constant-static"];
    let shown = [
        exported(
            "openvino-ir",
            &["copied-zero-first/openvino*/f8e4m3fn/*"],
            ir,
        ),
        exported(
            "openvino-ir",
            &["{bare-integer,target-missing,nested-t*}/openvino*/f32/*-static"],
            ir,
        ),
        exported("openvino-ir", &own, ir),
    ];
    insta::assert_snapshot!("ir", shown.concat());
}

/// The number at the start of these bytes, which are then those after it.
fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (first, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(first & 0x7f) << shift;
        if first & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

fn taken<'b>(bytes: &mut &'b [u8], length: u64) -> Option<&'b [u8]> {
    let (taken, rest) = bytes.split_at_checked(usize::try_from(length).ok()?)?;
    *bytes = rest;
    Some(taken)
}

/// The fields of a protobuf message; `None` for other bytes.
fn message(mut bytes: &[u8]) -> Option<String> {
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes)?;
        let value = match key & 7 {
            0 => varint(&mut bytes)?.cast_signed().to_string(),
            2 => {
                let length = varint(&mut bytes)?;
                bytes_of(taken(&mut bytes, length)?)
            }
            5 => f32::from_le_bytes(taken(&mut bytes, 4)?.try_into().ok()?).to_string() + "f",
            _ => return None,
        };
        fields.push(format!("{}: {value}", (key >> 3 > 0).then_some(key >> 3)?));
    }
    Some(fields.join(", "))
}

/// Bytes as a text, as a message, or in hexadecimal.
fn bytes_of(bytes: &[u8]) -> String {
    let is_text = bytes.iter().all(|byte| matches!(byte, b' '..=b'~'));
    match message(bytes) {
        _ if is_text => format!("{:?}", String::from_utf8_lossy(bytes)),
        Some(fields) => format!("{{{fields}}}"),
        None => hexadecimal(bytes),
    }
}

/// The fields of a model, those of its graph a line each; of a tensor that a run passes, nothing.
fn onnx(path: &Path) -> Option<String> {
    let bytes = fs::read(path)
        .ok()
        .filter(|_| path.ends_with("model.onnx"))?;
    let of_model = message(&bytes)?.replace(env!("CARGO_PKG_VERSION"), "VERSION");
    let in_lines = ["7: {1: {", "5: {", "11: {", "12: {"];
    let shown = in_lines.iter().fold(of_model, |shown, field| {
        shown.replace(&format!(", {field}"), &format!("\n  {field}"))
    });
    Some(format!("{shown}\n"))
}

#[test]
fn an_onnx_model_has_the_fields_of_its_request() {
    let of = |trials: &str| exported("onnx", &[trials], onnx);
    let shown = [
        // Before IR 4, an initializer is an input, whose value the caller may replace.
        of("special-zero-on-an-onnx-node/*/f32/constant-dynamic"),
        of("{target-of-i32,allowzero-left-out}/onnx.Reshape-14/f32/*"),
        of("{target-of-string,target-missing}/onnx.Reshape-14/f32/{constant,runtime}-static"),
        of("allowzero-is-a-{float,string,list}/onnx.Reshape-14/f32/constant-static"),
        of("{target-missing,bare-integer,consumed-inputs}/onnx.Reshape-1/f32/*"),
    ];
    insta::assert_snapshot!("onnx", shown.concat());
}
