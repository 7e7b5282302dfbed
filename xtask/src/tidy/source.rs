//! A source file: its place, its imports, and its size.

/// A Rust file under `src/`, without its comments, literals and tests.
#[derive(Debug)]
pub(crate) struct File {
    /// The module's path: `["semantics", "oracle"]` for `src/semantics/oracle/mod.rs`.
    pub module: Vec<String>,
    /// The path under `src/`, without `.rs`.
    name: String,
    /// Lines of the file, all counted.
    pub lines: usize,
    /// The first sentence of its module documentation; empty without documentation.
    pub summary: String,
    /// The longest function outside of tests: its lines and its name; `None` if there is no function.
    pub longest_function: Option<(usize, String)>,
    /// What it imports by `use`.
    pub imports: Vec<Import>,
    /// Paths in its code that are not in a `use`, as written.
    pub paths: Vec<Vec<String>>,
}

/// One name that a `use` brings in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Import {
    /// The name it has here; `*` for a glob.
    pub name: String,
    /// The whole path, as written.
    pub path: Vec<String>,
    /// Whether it is re-exported.
    pub public: bool,
}

impl File {
    /// The file with this path under `src/` (without `.rs`) and this text.
    pub(crate) fn new(name: &str, text: &str) -> Self {
        let mut module: Vec<_> = name.split('/').map(str::to_owned).collect();
        if module.last().is_some_and(|last| last == "mod") {
            module.pop();
        }
        let documentation: Vec<_> = text
            .lines()
            .map_while(|line| line.strip_prefix("//!"))
            .collect();
        let is_test = module.last().is_some_and(|last| last == "tests");
        let code = if is_test {
            String::new()
        } else {
            without_tests(&blanked(text))
        };
        let tokens = tokens(&code);
        let (imports, paths) = imports_and_paths(&tokens);
        Self {
            module,
            name: name.to_owned(),
            lines: text.lines().count(),
            summary: first_sentence(&documentation),
            longest_function: longest_function(&code),
            imports,
            paths,
        }
    }

    /// `src/semantics/oracle/mod.rs`.
    pub(crate) fn path(&self) -> String {
        format!("src/{}.rs", self.name)
    }

    /// Its layer: the first part of its path.
    pub(crate) fn layer(&self) -> &str {
        &self.module[0]
    }

    /// Whether it is this file, or below it.
    pub(crate) fn is_in(&self, place: &str) -> bool {
        self.name == place || self.name.starts_with(&format!("{place}/"))
    }

    /// Whether its code names this crate.
    pub(crate) fn names_crate(&self, name: &str) -> bool {
        let imported = self.imports.iter().map(|import| &import.path);
        imported
            .chain(&self.paths)
            .any(|path| path.len() > 1 && path[0] == name)
    }
}

fn first_sentence(lines: &[&str]) -> String {
    let paragraph: Vec<_> = lines
        .iter()
        .map(|line| line.trim())
        .take_while(|line| !line.is_empty())
        .collect();
    let text = paragraph.join(" ");
    let end = text.find(". ").map_or(text.len(), |at| at + 1);
    text[..end].trim_end_matches('.').to_owned()
}

/// The text with comments and the contents of literals replaced by spaces, so that lines keep their places.
fn blanked(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let length = literal_or_comment(rest);
        if length == 0 {
            out.push(rest[0]);
            at += 1;
        } else {
            out.extend(
                rest[..length]
                    .iter()
                    .map(|byte| if *byte == b'\n' { b'\n' } else { b' ' }),
            );
            at += length;
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// The length in bytes of the comment or literal that begins here; 0 without one.
fn literal_or_comment(rest: &[u8]) -> usize {
    let until = |end: &[u8], from: usize| {
        let found = rest[from.min(rest.len())..]
            .windows(end.len())
            .position(|window| window == end);
        found.map_or(rest.len(), |found| from + found + end.len())
    };
    match rest {
        [b'/', b'/', ..] => until(b"\n", 2) - 1,
        [b'/', b'*', ..] => until(b"*/", 2),
        [b'r', b'"', ..] => until(b"\"", 2),
        [b'r', b'#', b'"', ..] => until(b"\"#", 3),
        [b'"', ..] => string(rest),
        [b'\'', b'\\', _, ..] => until(b"'", 3),
        [b'\'', _, b'\'', ..] => 3,
        _ => 0,
    }
}

fn string(rest: &[u8]) -> usize {
    let mut at = 1;
    while at < rest.len() && rest[at] != b'"' {
        at += if rest[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(rest.len())
}

/// The code without items marked `#[cfg(test)]`.
fn without_tests(code: &str) -> String {
    let mut rest = code;
    let mut kept = String::new();
    while let Some(at) = rest.find("#[cfg(test)]") {
        kept.push_str(&rest[..at]);
        let marked = &rest[at + "#[cfg(test)]".len()..];
        rest = &marked[end_of_item(marked)..];
    }
    kept + rest
}

/// The end of an item: its `;`, or the brace that closes its block.
fn end_of_item(code: &str) -> usize {
    let mut depth = 0;
    for (at, c) in code.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ';' if depth == 0 => return at + 1,
            _ => continue,
        }
        if depth == 0 {
            return at + 1;
        }
    }
    code.len()
}

/// Words, `::`, and single signs.
fn tokens(code: &str) -> Vec<&str> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut found = Vec::new();
    let mut rest = code.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = if is_word(first) {
            rest.find(|c| !is_word(c)).unwrap_or(rest.len())
        } else if rest.starts_with("::") {
            2
        } else {
            first.len_utf8()
        };
        found.push(&rest[..length]);
        rest = rest[length..].trim_start();
    }
    found
}

fn imports_and_paths(tokens: &[&str]) -> (Vec<Import>, Vec<Vec<String>>) {
    let (mut imports, mut paths) = (Vec::new(), Vec::new());
    let mut at = 0;
    while at < tokens.len() {
        if tokens[at] == "use" {
            let end = tokens[at..]
                .iter()
                .position(|token| *token == ";")
                .map_or(tokens.len(), |end| at + end);
            // `use` in `impl Trait + use<'a>` imports nothing.
            if tokens.get(at + 1) != Some(&"<") {
                let public = at > 0 && (tokens[at - 1] == "pub" || tokens[at - 1] == ")");
                tree(&tokens[at + 1..end], &[], public, &mut imports);
            }
            at = end;
        } else if is_name(tokens[at]) && tokens.get(at + 1) == Some(&"::") {
            let mut path = vec![tokens[at].to_owned()];
            while tokens.get(at + 1) == Some(&"::")
                && tokens.get(at + 2).is_some_and(|token| is_name(token))
            {
                path.push(tokens[at + 2].to_owned());
                at += 2;
            }
            paths.push(path);
        }
        at += 1;
    }
    (imports, paths)
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

/// The imports of one tree such as `a::{b, c as d}`, below `prefix`.
fn tree(tokens: &[&str], prefix: &[String], public: bool, imports: &mut Vec<Import>) {
    let mut path = prefix.to_vec();
    let mut name = None;
    let mut at = 0;
    while at < tokens.len() {
        match tokens[at] {
            "::" => {}
            "{" => {
                for part in parts(&tokens[at + 1..tokens.len() - 1]) {
                    tree(part, &path, public, imports);
                }
                return;
            }
            "as" => {
                name = tokens.get(at + 1).map(|name| (*name).to_owned());
                break;
            }
            "self" if !path.is_empty() => {}
            segment => path.push(segment.to_owned()),
        }
        at += 1;
    }
    if let Some(last) = path.last() {
        let name = name.unwrap_or_else(|| last.clone());
        imports.push(Import { name, path, public });
    }
}

/// The parts of a list, separated by commas that are not inside braces.
fn parts<'a, 'b>(tokens: &'a [&'b str]) -> Vec<&'a [&'b str]> {
    let mut depth = 0;
    let separates = |token: &&str| {
        match *token {
            "{" => depth += 1,
            "}" => depth -= 1,
            _ => {}
        }
        depth == 0 && *token == ","
    };
    tokens
        .split(separates)
        .filter(|part| !part.is_empty())
        .collect()
}

/// The longest function: rustfmt closes it with a brace at the indentation of its first line.
fn longest_function(code: &str) -> Option<(usize, String)> {
    let lines: Vec<&str> = code.lines().collect();
    let indent = |line: &str| line.len() - line.trim_start().len();
    let length = |(start, line): (usize, &&str)| {
        let words: Vec<_> = line.split_whitespace().collect();
        let at = words.iter().position(|word| *word == "fn")?;
        let name = words.get(at + 1)?.split(['(', '<']).next()?.to_owned();
        let end = lines[start..]
            .iter()
            .position(|end| end.trim() == "}" && indent(end) == indent(line))?;
        Some((end + 1, name))
    };
    lines.iter().enumerate().filter_map(length).max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_are_read_from_any_tree() {
        let file = File::new(
            "run/mod",
            "pub use a::{self, b::{C, D as E}};\nuse super::*;\nfn f() { crate::x::y(); }\n",
        );
        let imports: Vec<_> = file
            .imports
            .iter()
            .map(|one| (one.name.as_str(), one.path.join("::")))
            .collect();
        let expected = [
            ("a", "a"),
            ("C", "a::b::C"),
            ("E", "a::b::D"),
            ("*", "super::*"),
        ];
        assert_eq!(
            imports,
            expected.map(|(name, path)| (name, path.to_owned()))
        );
        assert_eq!(
            file.imports
                .iter()
                .map(|one| one.public)
                .collect::<Vec<_>>(),
            [true, true, true, false]
        );
        assert_eq!(file.paths, [["crate", "x", "y"].map(str::to_owned)]);
    }

    #[test]
    fn comments_literals_and_tests_are_not_code() {
        let text = "// crate::a::b\nconst T: &str = \"crate::c::d \\\" crate::e\";\n#[cfg(test)]\nmod tests;\nfn f() {\n}\n\
                    #[cfg(test)]\nmod more {\n    fn long() {\n        crate::g::h();\n    }\n}\n";
        let file = File::new("run/a", text);
        assert_eq!(file.paths, Vec::<Vec<String>>::new());
        assert_eq!(file.longest_function, Some((2, "f".to_owned())));
    }

    #[test]
    fn a_summary_is_the_first_sentence() {
        assert_eq!(
            File::new("a", "//! One two,\n//! three. More.\n//!\n//! Else.\n").summary,
            "One two, three"
        );
    }
}
