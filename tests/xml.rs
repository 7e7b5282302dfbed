//! Cases in XML, and IRs that `import` reads: what is read, where a fault points, and that another parser agrees about
//! well-formedness.

#![allow(clippy::unwrap_used, reason = "a test")]

use crate::program::program;
use std::fmt::Write;
use std::path::Path;
use tempfile::TempDir;

/// OpenVINO's documentation, Reshape-1, examples 1 and 2, verbatim.
const DOCUMENTED: &str = r#"<cases>
  <case name="example-1" covers="openvino.Reshape-1/example/1 literal-zero" about="an &lt;empty&gt; tensor">
 <layer ... type="Reshape" ...>
     <data special_zero="false"/>
     <input>
         <port id="0">
             <dim>2</dim>
             <dim>5</dim>
             <dim>5</dim>
             <dim>0</dim>
         </port>
         <port id="1">
             <dim>2</dim>   <!--The tensor contains 2 elements: 0, 4 -->
         </port>
     </input>
     <output>
         <port id="2">
             <dim>0</dim>
             <dim>4</dim>
         </port>
     </output>
 </layer>
  </case>
  <case name="two" covers="same-count" element-types="f32 f16">
 <layer ... type="Reshape" ...>
     <data special_zero="maybe"/>
     <input>
         <port id="0"><dim>2</dim></port>
         <port id="1" precision="I32"><dim>1</dim><!--The tensor contains 1 element: -1--></port>
     </input>
 </layer>
    <expect rejected="attribute-type"/>
  </case>
</cases>
"#;

/// As OpenVINO 2026.4 saves it, less the Result and its edge.
const IR: &str = r#"<?xml version="1.0"?>
<net name="m" version="11">
	<layers>
		<layer id="0" name="data" type="Parameter" version="opset1">
			<data shape="2,3,4" element_type="f32" />
			<output><port id="0" precision="FP32" names="data"><dim>2</dim><dim>3</dim><dim>4</dim></port></output>
		</layer>
		<layer id="1" name="Constant_2" type="Const" version="opset1">
			<data element_type="i64" shape="2" offset="8" size="16" />
			<output><port id="0" precision="I64"><dim>2</dim></port></output>
		</layer>
		<layer id="2" name="Net/Reshape_3" type="Reshape" version="opset1">
			<data special_zero="true" />
			<rt_info><attribute name="fused_names" version="0" value="r" /></rt_info>
			<input>
				<port id="0" precision="FP32"><dim>2</dim><dim>3</dim><dim>4</dim></port>
				<port id="1" precision="I64"><dim>2</dim></port>
			</input>
			<output><port id="2" precision="FP32" names="reshaped"><dim>2</dim><dim>12</dim></port></output>
		</layer>
	</layers>
	<edges>
		<edge from-layer="0" from-port="0" to-layer="2" to-port="0" />
		<edge from-layer="1" from-port="0" to-layer="2" to-port="1" />
	</edges>
	<rt_info><info name="OpenVINO Runtime" value="2026.4.1" /></rt_info>
</net>
"#;

/// What `IR` takes its target from.
fn weights() -> Vec<u8> {
    let values = [7i64, 0, -1].iter();
    values.flat_map(|value| value.to_le_bytes()).collect()
}

/// A folder with a file of cases and, for an IR, its weights.
fn folder(name: &str, text: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(name), text).unwrap();
    let weights_of = Path::new(name).with_extension("bin");
    std::fs::write(folder.path().join(weights_of), weights()).unwrap();
    folder
}

/// What the program prints, and its errors.
fn run(folder: &TempDir, arguments: &[&str]) -> (String, String) {
    let mut command = program();
    let command = command.args(arguments).current_dir(folder.path());
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let errors = text(output.stderr);
    assert!(!errors.contains("panicked"), "{errors}");
    (text(output.stdout), errors)
}

/// The first error of `lint`.
fn first_error(folder: &TempDir, name: &str) -> String {
    error_of(folder, &["lint", name])
}

/// The first error of a command.
fn error_of(folder: &TempDir, arguments: &[&str]) -> String {
    let (_, errors) = run(folder, arguments);
    let Some((_, first)) = errors.split_once("error: ") else {
        return "no error\n".to_owned();
    };
    let first = first.split("\nerror: ").next().unwrap();
    let lines = first.lines().filter(|line| !line.contains(" fault"));
    lines.map(|line| format!("    {line}\n")).collect()
}

/// A case as `show` prints it: its facts, the ids of its clauses, and its layer.
fn shown(folder: &TempDir, name: &str, case: &str) -> String {
    let (text, errors) = run(folder, &["show", "--cases", name, case]);
    let (text, _) = text.split_once("\nas numpy").unwrap_or((&text, ""));
    let (facts, layer) = text.split_once("\nas ").unwrap_or((text, ""));
    let mut shown = String::new();
    for line in facts
        .lines()
        .filter(|line| !line.contains("in surroundings"))
    {
        let (id, level) = line.split_once(" (").unwrap_or((line, ""));
        let is_clause = ["must)", "should)", "may)"]
            .iter()
            .any(|of| level.starts_with(of));
        let _ = writeln!(shown, "    {}", if is_clause { id } else { line });
    }
    let layer: String = layer.lines().map(str::trim).collect();
    shown + "    " + &layer + "\n" + &errors
}

/// The text with each replacement, in one text of what `show` or `lint` says about it.
fn each(text: &str, replacements: &[(&str, &str)], say: impl Fn(&str) -> String) -> String {
    let say = |(from, to): &(&str, &str)| {
        assert!(text.contains(from), "{from}");
        format!("{from} -> {to}\n{}\n", say(&text.replacen(from, to, 1)))
    };
    replacements.iter().map(say).collect()
}

#[test]
fn a_documented_layer_is_read_verbatim_with_what_stands_next_to_it() {
    let two_reasons =
        DOCUMENTED.replace("\"attribute-type\"", "\"volume-mismatch attribute-type\"");
    let folder = folder("c.xml", &two_reasons);
    let cases = ["example-1", "two"].map(|case| shown(&folder, "c.xml", case));
    insta::assert_snapshot!("xml-documented", cases.concat());
}

#[test]
fn a_layer_can_be_malformed_on_purpose() {
    let malformed = [
        (
            "<port id=\"1\" precision=\"I32\"><dim>1</dim><!--The tensor contains 1 element: -1--></port>",
            "",
        ),
        ("<data special_zero=\"maybe\"/>", ""),
        ("<dim>1</dim><!--The", "<!--The"),
        (
            "<dim>1</dim><!--The tensor contains 1 element: -1",
            "<dim>2</dim><dim>0</dim><!--The tensor contains 0 elements",
        ),
        (
            "precision=\"I32\"><dim>1</dim><!--The tensor contains 1 element: -1",
            "precision=\"U64\"><dim>1</dim><!--The tensor contains 1 element: 18446744073709551615",
        ),
        ("rejected=\"attribute-type\"", "open=\"empty-target\""),
    ];
    let cases = each(DOCUMENTED, &malformed, |text| {
        shown(&folder("c.xml", text), "c.xml", "two")
    });
    insta::assert_snapshot!("xml-malformed-on-purpose", cases);
}

#[test]
fn a_fault_has_its_place() {
    let replacements = [
        ("<cases>", r#"<!DOCTYPE a [<!ENTITY b "c">]><cases>"#),
        ("</cases>", ""),
        ("</cases>", "</cases> more"),
        ("</cases>", "</cases><cases/>"),
        ("</case>", "</cose>"),
        ("&lt;empty", "&empty;"),
        ("<cases>", "<cases>\u{1}"),
        ("<cases>", "<cases kind='x'>"),
        ("<cases>", "<cases><casa/>"),
        ("<case name", "<case ... name"),
        (r#"name="two""#, r#"name="two" name='x'"#),
        (r#"name="two""#, "name=two"),
        (r#"name="two""#, ""),
        (r#"name="two""#, r#"name="<""#),
        ("f32 f16", "f32 f17"),
        ("f32 f16", " "),
        (r#"type="Reshape""#, r#"type="Reshap""#),
        ("<input>", "<input>5"),
        ("<input>", "<imput/><input>"),
        (r#"<port id="1">"#, r#"<port id="2">"#),
        (r#"<port id="1">"#, r#"<port id="0">"#),
        (r#"<port id="1">"#, "<port>"),
        ("<dim>5</dim>", "<dim>-1</dim>"),
        ("<dim>5</dim>", "<dim>9223372036854775808</dim>"),
        ("<dim>5</dim>", "<dim>+5</dim>"),
        ("<dim>5</dim>", "<dim/>"),
        ("<!--The tensor contains 2 elements: 0, 4 -->", ""),
        ("2 elements: 0, 4", "3 elements: 0, 4"),
        ("2 elements: 0, 4", "3 elements: 0, 4, 1"),
        ("2 elements: 0, 4", "2 elements: 0, x"),
        ("2 elements: 0, 4", "2 elements: 0,"),
        ("2 elements: 0, 4", "two elements: 0, 4"),
        (": 0, 4 ", ": 0, 18446744073709551616 "),
        (": 0, 4 ", ": 0, 9223372036854775808 "),
        (r#"precision="I32""#, r#"precision="I33""#),
        (r#"rejected="attribute-type""#, ""),
        ("rejected=", "open='x' rejected="),
        ("rejected=", "reject="),
        (r#"<expect rejected="attribute-type"/>"#, ""),
        (r#"name="two""#, r#"name="Two""#),
        (r#"covers="same-count""#, r#"covers="same-cont""#),
        (r#"covers="same-count""#, r#"covers=" ""#),
        (r#""attribute-type""#, r#""volume""#),
        (r#"rejected="attribute-type""#, "open='what'"),
        (
            r#"<port id="0"><dim>2</dim></port>"#,
            r#"<port id="0"><dim>9223372036854775807</dim></port>"#,
        ),
    ];
    let faults = each(DOCUMENTED, &replacements, |text| {
        first_error(&folder("c.xml", text), "c.xml")
    });
    insta::assert_snapshot!("xml-faults", faults);
}

/// A case that `import` makes of an IR, as `show` prints it.
fn imported(folder: &TempDir, name: &str, case: &str) -> String {
    let (_, said) = run(folder, &["import", name, "--output", "imported.yaml"]);
    assert!(said.contains("every expectation agrees"), "{said}");
    shown(folder, "imported.yaml", case)
}

#[test]
fn a_reshape_layer_with_a_constant_target_becomes_a_case() {
    let precision = "precision=\"FP32\"><dim>2</dim><dim>3</dim><dim>4</dim></port>\n\t\t\t\t<port";
    let typed = "shape=\"2,3,4\" element_type=\"f32\"";
    // An old IR has the element type elsewhere or nowhere.
    let untyped = IR.replace(precision, &precision.replacen("precision=\"FP32\"", "", 1));
    let nowhere = untyped.replace(typed, "shape=\"2,3,4\"");
    let on_the_layer = nowhere.replace("_3\" type", "_3\" precision=\"FP16\" type");
    assert!(untyped != IR && nowhere != untyped && on_the_layer != nowhere);
    let without = error_of(&folder("m.xml", &nowhere), &["import", "m.xml"]);
    assert!(without.contains("no Reshape of these files"), "{without}");
    let all = [IR, &untyped, &on_the_layer].map(|text| {
        let folder = folder("My_Model.xml", text);
        imported(&folder, "My_Model.xml", "my-model-net-reshape-3") + "\n"
    });
    insta::assert_snapshot!("xml-ir", all.concat());
}

#[test]
fn an_ir_is_no_file_of_cases() {
    let found = first_error(&folder("m.xml", IR), "m.xml");
    assert!(found.contains("`reshape-conformance import`"), "{found}");
}

#[test]
fn special_zero_is_read_as_openvino_reads_it() {
    let facts = ["True", "1", "FALSE", "0"].map(|value| {
        let text = IR.replace(
            "special_zero=\"true\"",
            &format!("special_zero=\"{value}\""),
        );
        let folder = folder("m.xml", &text);
        run(&folder, &["import", "m.xml", "--output", "imported.yaml"]);
        let cases = std::fs::read_to_string(folder.path().join("imported.yaml")).unwrap();
        let read = cases.lines().find(|line| line.contains("  zero: "));
        format!("{value}: {}", read.unwrap().trim())
    });
    let expected = [
        "True: zero: copy",
        "1: zero: copy",
        "FALSE: zero: literal",
        "0: zero: literal",
    ];
    assert_eq!(facts, expected);
}

#[test]
fn layers_that_are_not_cases_are_named_with_the_reason() {
    for (from, to) in [
        (r#"type="Const""#, r#"type="Parameter""#),
        (r#"element_type="i64""#, r#"element_type="f32""#),
        (
            r#"<edge from-layer="1" from-port="0" to-layer="2" to-port="1" />"#,
            "",
        ),
        (
            r#"<port id="0" precision="FP32"><dim>"#,
            r#"<port id="0" precision="NF4"><dim>"#,
        ),
        (
            "version=\"opset1\">\n\t\t\t<data special_zero",
            "version=\"mine\">\n\t\t\t<data special_zero",
        ),
    ] {
        assert!(IR.contains(from), "{from}");
        let folder = folder("m.xml", &IR.replacen(from, to, 1));
        let error = error_of(&folder, &["import", "m.xml"]);
        let why = "no Reshape of these files is a case";
        assert!(error.contains(why), "{to}: {error}");
    }
}

#[test]
fn equal_names_become_different() {
    let layer = &IR[IR.find("<layer id=\"2\"").unwrap()..IR.find("\t</layers>").unwrap()];
    let edge = "<edge from-layer=\"1\" from-port=\"0\" to-layer=\"2\" to-port=\"1\" />";
    let other = layer.replace("id=\"2\" name=\"Net/", "id=\"9\" name=\"Net.");
    let to_other = edge.replace("to-layer=\"2\"", "to-layer=\"9\"");
    let text = IR.replace("\t</layers>", &format!("{other}</layers>"));
    let folder = folder("m.xml", &text.replace(edge, &format!("{edge}{to_other}")));
    let (cases, _) = run(&folder, &["import", "m.xml"]);
    let names: Vec<_> = cases
        .lines()
        .filter_map(|line| line.strip_prefix("- name: "))
        .collect();
    assert_eq!(names, ["m-net-reshape-3", "m-net-reshape-3-2"]);
}

#[test]
fn an_ir_takes_its_target_from_the_bin_next_to_it_or_is_refused() {
    let replacements = [
        (r#"size="16""#, r#"size="17""#),
        (r#"offset="8""#, r#"offset="18446744073709551615""#),
        (r#"offset="8""#, r#"offset="-8""#),
        (r#"offset="8""#, r#"offset="16""#),
        (r#"shape="2" "#, r#"shape="9223372036854775807,4" "#),
        (r#"shape="2" "#, r#"shape="?" "#),
        (r#"element_type="i64""#, r#"element_type="f33""#),
        (r#"<layer id="1""#, r#"<layer id="0""#),
        (
            r#"shape="2" offset="8" size="16""#,
            r#"shape="2305843009213693951" offset="8" size="18446744073709551608""#,
        ),
    ];
    let mut faults = each(IR, &replacements, |text| {
        error_of(&folder("m.xml", text), &["import", "m.xml"])
    });
    let missing = folder("m.xml", IR);
    std::fs::remove_file(missing.path().join("m.bin")).unwrap();
    faults = faults + "without m.bin\n" + &error_of(&missing, &["import", "m.xml"]);
    insta::assert_snapshot!("xml-faults-of-an-ir", faults);
}

#[test]
fn our_own_ir_reads_back() {
    for element_type in ["i4", "i8", "i32", "i64"] {
        let case = format!(
            "- {{name: own, operators: [openvino], covers: [copied-zero, inferred-minus-one], zero: copy, \
             data: {{shape: [2, 6], element_types: [f8e4m3fn]}}, shape: [0, -1, 1], \
             shape_element_type: {element_type}, expect: {{shape: [2, 6, 1]}}}}\n"
        );
        let folder = folder("own.yaml", &case);
        let trial = "own/openvino.Reshape-1/f8e4m3fn/constant-static";
        run(
            &folder,
            &["export", "openvino-ir", "out", "--cases", "own.yaml", trial],
        );
        let stem = "out/reshaped/own__openvino_reshape_1__f8e4m3fn__constant_static";
        let read = |suffix| std::fs::read(folder.path().join(format!("{stem}{suffix}"))).unwrap();
        let xml = String::from_utf8(read(".xml")).unwrap();
        std::fs::write(folder.path().join("m.bin"), read(".bin")).unwrap();
        let output = "<port id=\"2\" precision=\"F8E4M3\" names=\"reshaped\"/>";
        let dims =
            "<port id=\"2\" precision=\"F8E4M3\"><dim>2</dim><dim>6</dim><dim>1</dim></port>";
        assert!(xml.contains(output), "its output is not declared: {xml}");
        std::fs::write(folder.path().join("m.xml"), xml.replace(output, dims)).unwrap();
        let layer = |name: &str, case: &str| {
            let shown = shown(&folder, name, case);
            let facts = ["data ", "special_zero=", "of the node alone", "<layer "];
            let lines = shown
                .lines()
                .filter(|line| facts.iter().any(|fact| line.contains(fact)));
            lines.map(str::to_owned).collect::<Vec<_>>()
        };
        run(&folder, &["import", "m.xml", "--output", "imported.yaml"]);
        let list = ["list", "--by-case", "--cases", "imported.yaml"];
        let (list, _) = run(&folder, &list);
        let name = list.split_whitespace().nth(1).unwrap();
        assert_eq!(
            layer("imported.yaml", name),
            layer("own.yaml", "own"),
            "{element_type}"
        );
    }
}

#[test]
fn elements_are_at_most_64_deep() {
    let nested = |depth: usize| format!("{}{}", "<a>".repeat(depth), "</a>".repeat(depth));
    for (text, error) in [
        (nested(64), "the root is <a>"),
        (nested(65), "elements are nested more than 64 deep"),
        (
            "<a>".repeat(1 << 20),
            "elements are nested more than 64 deep",
        ),
    ] {
        let found = first_error(&folder("m.xml", &text), "m.xml");
        assert!(found.contains(error), "{found}");
    }
}

/// The text is well-formed exactly if the fault is its root.
#[test]
fn another_parser_agrees_on_what_is_well_formed() {
    for text in [
        "<a/>",
        " <a/> ",
        "<a />",
        "<a></a >",
        "<?xml version='1.0'?><a/>",
        "\u{feff}<?xml version=\"1.0\"?><a/>",
        "<a><!-- b --></a>",
        "<!--b--><a/><!--c-->",
        "<?b c?><a/>",
        "<a b='c' d=\"e'\"/>",
        "<a b = 'c'/>",
        "<a>&lt;&#65;&#x42;</a>",
        "<a><![CDATA[<]]></a>",
        "<a b='&amp;'/>",
        "<é/>",
        "<a b='>'/>",
        "<a>]]</a>",
        "<a>></a>",
        "<?xml version='1.0' encoding='UTF-8' standalone='yes'?><a/>",
        "",
        " ",
        "<a>",
        "</a>",
        "<a></b>",
        "<a/><b/>",
        "<a/>text",
        "text<a/>",
        "<a/><![CDATA[b]]>",
        "<a><b></a></b>",
        "<>",
        "< a/>",
        "<1/>",
        "<a b/>",
        "<a b=c/>",
        "<a b='c'd='e'/>",
        "<a b='c' b='d'/>",
        "<a b='<'/>",
        "<a b='c/>",
        "<a>&b;</a>",
        "<a>&</a>",
        "<a>&#0;</a>",
        "<a>&#x1;</a>",
        "<a>&amp</a>",
        "<a b='&c;'/>",
        "<a>\u{1}</a>",
        "<a>]]></a>",
        "<a><!-- -- --></a>",
        "<a><!--b---></a>",
        "<a><!-- </a>",
        "<a><?xml version='1.0'?></a>",
        " <?xml version='1.0'?><a/>",
        "<a><![CDATA[</a>",
        "<a",
        "<a/",
        "<a b='c' />/>",
        "<a/b>",
        "<<a>/>",
        "&lt;<a/>",
        "<a/>&lt;",
        "<a><?b</a>",
        "<a><? b?></a>",
        "<a \u{a0}b='c'/>",
    ] {
        let found = first_error(&folder("m.xml", text), "m.xml");
        let theirs = roxmltree::Document::parse(text).map(drop);
        let ours = found.contains("    the root is <");
        assert_eq!(ours, theirs.is_ok(), "{text:?}: {found}{theirs:?}");
    }
}
