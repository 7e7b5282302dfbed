//! Formatting of case files: one order of fields, uniform spacing, comments kept in place.

use super::fields::CASE;
use crate::error::{Fault, Source};
use crate::yaml::{Node, Value, tree};
use std::path::Path;

/// A field of a case as the file writes it.
struct Block<'a> {
    /// Its index among the fields of a case.
    order: usize,
    /// The comments before it, and blank lines between them.
    before: Vec<&'a str>,
    /// Its lines, from the key on.
    lines: Vec<&'a str>,
    /// The column of its key, from 0, in bytes.
    column: usize,
}

/// The text of a file of cases, formatted without a change of meaning. Fails when that is impossible: the file is not a
/// list of cases with each field on its own lines.
pub(crate) fn format(source: &Source) -> Result<String, Fault> {
    let ending = Path::new(&*source.file).extension();
    if !ending.is_some_and(|of| of.eq_ignore_ascii_case("yaml") || of.eq_ignore_ascii_case("yml")) {
        return Err(not_a_case_file(source));
    }
    let before = tree(source)?;
    let (cases, end) = blocks(source, &keys(source, &before)?);
    let mut text = String::new();
    for case in cases {
        if !text.is_empty() {
            text.push('\n');
        }
        write_case(&mut text, case);
    }
    let end = paragraphs(&end);
    if !end.is_empty() && !text.is_empty() {
        text.push('\n');
    }
    text.push_str(&end);
    text.truncate(text.trim_end().len());
    text.push('\n');
    let formatted = Source::new(&source.file, &text);
    let changed = match tree(&formatted) {
        Ok(after) => changed_case(&before, &after),
        Err(_) => Some(&before),
    };
    let is_commented = comments(&source.text) == comments(&text);
    match changed.or((!is_commented).then_some(&before)) {
        None => Ok(text),
        Some(at) => Err(
            Fault::new(source, at.span(), "this cannot be formatted").hint(
                "avoid anchors, tags, `?` before a key, a dash or `...` alone on its line, a comment after a dash, and \
                 ` #` in a text over several lines",
            ),
        ),
    }
}

/// Where a field begins.
struct Key {
    /// The index of its case.
    case: usize,
    /// Its line, from 0.
    line: usize,
    column: usize,
    order: usize,
}

/// The fields of all cases, in the order of the file.
fn keys(source: &Source, file: &Node) -> Result<Vec<Key>, Fault> {
    let Value::List(cases) = &file.value else {
        return Err(Fault::new(source, 0..0, "this is not a list of cases"));
    };
    let ends = source.text.match_indices('\n').map(|(at, _)| at + 1);
    let starts: Vec<usize> = std::iter::once(0).chain(ends).collect();
    let mut keys: Vec<Key> = Vec::new();
    for (index, case) in cases.iter().enumerate() {
        let Value::Map(fields) = &case.value else {
            return Err(Fault::new(source, case.span(), "this is not a case"));
        };
        for (at, (key, _)) in fields.iter().enumerate() {
            let name = |key: &Node| &source.text[key.span()];
            if fields[..at]
                .iter()
                .any(|(other, _)| name(other) == name(key))
            {
                let fault = Fault::new(source, key.span(), "this case has the field twice");
                return Err(fault.hint("remove one, or write `- ` before another case"));
            }
            let start = key.span().start;
            let line = starts.partition_point(|begins| *begins <= start) - 1;
            if keys.last().is_some_and(|last| last.line >= line) {
                let message = "two fields on one line";
                return Err(Fault::new(source, key.span(), message)
                    .hint("write each field of a case on a line of its own"));
            }
            keys.push(Key {
                case: index,
                line,
                column: start - starts[line],
                order: order(key),
            });
        }
    }
    Ok(keys)
}

/// A case as its lines.
#[derive(Default)]
struct Lines<'a> {
    fields: Vec<Block<'a>>,
    /// The comments after its last field.
    end: Vec<&'a str>,
}

/// The cases of a file as its lines, and the lines after the last case.
fn blocks<'a>(source: &'a Source, keys: &[Key]) -> (Vec<Lines<'a>>, Vec<&'a str>) {
    let lines: Vec<&str> = source.text.split('\n').map(str::trim_end).collect();
    let mut cases: Vec<Lines<'a>> = Vec::new();
    let first = keys.first().map_or(lines.len(), |key| key.line);
    let mut before = lines[..first].to_vec();
    for (index, key) in keys.iter().enumerate() {
        let following = keys.get(index + 1);
        let next = following.map_or(lines.len(), |next| next.line);
        let is_content = |line: &&str| !line.is_empty() && !is_comment(line);
        let content = lines[key.line..next].iter().rposition(is_content);
        let content = key.line + content.unwrap_or(0) + 1;
        // A comment that is indented further than the key belongs to the value above it.
        let own = lines[content..next].iter();
        let own = own.take_while(|line| is_comment(line) && indent(line) > key.column);
        let end = content + own.count();
        // After the last field, the case ends with the last comment that is indented like its fields.
        let ends_case = following.is_none_or(|next| next.case != key.case);
        let is_inside = |line: &&str| is_comment(line) && indent(line) + 2 > key.column;
        let inside = lines[end..next].iter().rposition(is_inside);
        let inside = inside.filter(|_| ends_case).map_or(0, |last| last + 1);
        let (of_case, rest) = lines[end..next].split_at(inside);
        cases.resize_with(key.case + 1, Lines::default);
        let case = &mut cases[key.case];
        case.fields.push(Block {
            order: key.order,
            before: std::mem::replace(&mut before, rest.to_vec()),
            lines: lines[key.line..end].to_vec(),
            column: key.column,
        });
        case.end = of_case.to_vec();
    }
    (cases, before)
}

/// The index of a field among those of a case.
fn order(key: &Node) -> usize {
    let known = CASE.iter().position(|field| key.is_word(field.name));
    known.unwrap_or(CASE.len())
}

fn write_case(text: &mut String, case: Lines<'_>) {
    let Lines { mut fields, end } = case;
    let heading = fields.first_mut();
    let heading = heading.map(|first| std::mem::take(&mut first.before));
    let mut heading = heading.unwrap_or_default();
    fields.sort_by_key(|field| field.order);
    if let Some(first) = fields.first_mut() {
        heading.append(&mut first.before);
    }
    text.push_str(&paragraphs(&heading));
    for (index, field) in fields.iter().enumerate() {
        write_comments(text, &field.before);
        text.push_str(if index == 0 { "- " } else { "  " });
        let mut spaces = Spaces::default();
        for (index, line) in field.lines.iter().enumerate() {
            let from = match index {
                0 => field.column,
                // The indent relative to the key stays.
                _ => field.column.min(indent(line)),
            };
            if index > 0 && !line.is_empty() {
                text.push_str("  ");
            }
            spaces.write(text, &line[from..]);
            text.push('\n');
        }
    }
    write_comments(text, &end);
}

/// The spaces before a line.
fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Comments of a field.
fn write_comments(text: &mut String, lines: &[&str]) {
    for line in lines.iter().filter(|line| !line.is_empty()) {
        text.push_str("  ");
        text.push_str(line.trim_start());
        text.push('\n');
    }
}

/// Comments between cases: one blank line between paragraphs, and one after a comment that one separates from the case.
fn paragraphs(lines: &[&str]) -> String {
    let mut text = String::new();
    for line in lines {
        match line.is_empty() {
            true if text.is_empty() || text.ends_with("\n\n") => {}
            true => text.push('\n'),
            false => {
                text.push_str(line.trim_start());
                text.push('\n');
            }
        }
    }
    text
}

/// Writes lines of one value with uniform spaces in bracketed lists and mappings.
#[derive(Default)]
struct Spaces {
    /// The open quote, if there is one.
    quote: Option<char>,
    /// The number of open brackets.
    depth: usize,
}

impl Spaces {
    fn write(&mut self, text: &mut String, line: &str) {
        let (indent, line) = line.split_at(indent(line));
        text.push_str(indent);
        let begin = text.len();
        let mut chars = line.chars().peekable();
        while let Some(c) = chars.next() {
            let last = text[begin..].chars().next_back();
            if let Some(quote) = self.quote {
                text.push(c);
                self.quote = Some(quote).filter(|_| c != quote);
                continue;
            }
            let starts_word = last.is_none_or(|last| " [{,".contains(last));
            match c {
                '"' | '\'' if starts_word => self.quote = Some(c),
                '#' if starts_word => {
                    if last.is_some() {
                        text.truncate(text.trim_end_matches(' ').len());
                        text.push_str("  ");
                    }
                    text.push(c);
                    text.extend(chars);
                    return;
                }
                '[' | '{' if self.depth > 0 || starts_word => self.depth += 1,
                ']' | '}' | ',' if self.depth > 0 => {
                    text.truncate(begin + text[begin..].trim_end_matches(' ').len());
                    self.depth -= usize::from(c != ',');
                }
                _ => {}
            }
            text.push(c);
            let is_separator = match c {
                ',' => self.depth > 0,
                ':' => chars.peek() == Some(&' '),
                _ => false,
            };
            let is_opening = self.depth > 0 && matches!(c, '[' | '{');
            if is_separator || is_opening {
                while chars.next_if_eq(&' ').is_some() {}
                if is_separator && chars.peek().is_some() {
                    text.push(' ');
                }
            }
        }
    }
}

/// The first case that differs in the other file, its fields in any order; the whole file if one has more cases.
fn changed_case<'n>(file: &'n Node, other: &Node) -> Option<&'n Node> {
    let (Value::List(cases), Value::List(others)) = (&file.value, &other.value) else {
        return Some(file);
    };
    let sorted = |case: &Node| match &case.value {
        Value::Map(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_by_key(|(key, _)| order(key));
            let fields = fields.iter();
            let fields = fields.map(|(key, value)| (written(key), written(value)));
            fields.collect()
        }
        Value::Nothing | Value::Scalar(_) | Value::List(_) => Vec::new(),
    };
    if cases.len() != others.len() {
        return Some(file);
    }
    let mut pairs = cases.iter().zip(others);
    let changed = pairs.find(|(case, other)| sorted(case) != sorted(other));
    changed.map(|(case, _)| case)
}

/// A value in a canonical spelling.
fn written(node: &Node) -> String {
    match &node.value {
        Value::Nothing => "~".to_owned(),
        Value::Scalar(scalar) => format!("{:?} {:?}", scalar.text, scalar.kind),
        Value::List(all) => format!("{:?}", all.iter().map(written).collect::<Vec<_>>()),
        Value::Map(all) => {
            let pairs = all.iter();
            let pairs = pairs.map(|(key, value)| (written(key), written(value)));
            format!("{{{:?}}}", pairs.collect::<Vec<_>>())
        }
    }
}

/// The number of comment lines.
fn comments(text: &str) -> usize {
    text.lines().filter(|line| is_comment(line)).count()
}

fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with('#')
}

/// The fault of a file whose name is not that of a case file.
pub(in crate::suite::case) fn not_a_case_file(source: &Source) -> Fault {
    Fault::new(source, 0..0, "not a case file").hint("a case file ends in .yaml, .yml or .xml")
}
