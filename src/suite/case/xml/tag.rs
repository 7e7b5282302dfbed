//! Start tags, their attributes, and the XML declaration.

use super::element::XmlFault;
use super::element::{Attribute, Element};
use super::element::{is_char, is_name, is_space};
use quick_xml::escape::unescape;
use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

/// An element, without children yet. `source` is its whole start tag, from `<` to `>`.
pub(super) fn start_tag(source: &str, span: Range<usize>) -> Result<Element<'_>, XmlFault> {
    let name = tag_name(source);
    if !is_name(name) {
        return Err(XmlFault::new(
            span,
            format!("'{name}' is not a name of an element"),
        ));
    }
    let end = source.len() - if source.ends_with("/>") { 2 } else { 1 };
    let inside = &source[1 + name.len()..end];
    let attributes = attributes(inside, span.start + 1 + name.len(), name == "layer")?;
    Ok(Element {
        name,
        attributes,
        children: Vec::new(),
        span,
    })
}

fn tag_name(source: &str) -> &str {
    let name = source.strip_prefix('<').unwrap_or(source);
    &name[..name
        .find(|c| is_space(c) || matches!(c, '/' | '>'))
        .unwrap_or(name.len())]
}

pub(super) fn between<'a>(source: &'a str, before: &str, after: &str) -> &'a str {
    source
        .strip_prefix(before)
        .and_then(|rest| rest.strip_suffix(after))
        .unwrap_or_default()
}

/// The attributes in the rest of a tag after its name. `at` is the offset of `source` in the text.
fn attributes(source: &str, at: usize, may_omit: bool) -> Result<Vec<Attribute<'_>>, XmlFault> {
    let mut attributes = Vec::new();
    let mut names = HashSet::new();
    let mut rest = source;
    loop {
        let trimmed = rest.trim_start_matches(is_space);
        if trimmed.is_empty() {
            return Ok(attributes);
        }
        let offset = |rest: &str| at + source.len() - rest.len();
        let start = offset(trimmed);
        let end = trimmed.find(|c| is_space(c) || c == '=');
        let name = &trimmed[..end.unwrap_or(trimmed.len())];
        let name_span = start..start + name.len();
        let fault = |message: String| XmlFault::new(name_span.clone(), message);
        if trimmed.len() == rest.len() {
            return Err(fault("a space is missing before this".to_owned()));
        }
        rest = &trimmed[name.len()..];
        if may_omit && name == "..." {
            continue;
        }
        if !is_name(name) {
            return Err(fault(format!("'{name}' is not a name of an attribute")));
        }
        if !names.insert(name) {
            return Err(fault(format!("a second attribute '{name}'")));
        }
        let (raw, after) = quoted_value(rest, name, &fault)?;
        let start = offset(after) - 1 - raw.len();
        let span = start..start + raw.len();
        if raw.contains('<') {
            return Err(
                XmlFault::new(span, "a '<' is not allowed in an attribute").hint("write &lt;")
            );
        }
        attributes.push(Attribute {
            name,
            value: unescaped(raw, &span)?,
            span,
            name_span,
        });
        rest = after;
    }
}

/// The value in quotes after the name of an attribute, and what follows it.
fn quoted_value<'a>(
    rest: &'a str,
    name: &str,
    fault: &dyn Fn(String) -> XmlFault,
) -> Result<(&'a str, &'a str), XmlFault> {
    let value = rest
        .trim_start_matches(is_space)
        .strip_prefix('=')
        .map(|value| value.trim_start_matches(is_space));
    let quote = value
        .and_then(|value| value.chars().next())
        .filter(|quote| matches!(quote, '"' | '\''));
    let (Some(value), Some(quote)) = (value, quote) else {
        return Err(
            fault(format!("the attribute '{name}' has no value in quotes"))
                .hint(format!("write {name}=\"…\"")),
        );
    };
    value[1..]
        .split_once(quote)
        .ok_or_else(|| fault(format!("the value of '{name}' is not closed")))
}

pub(super) fn unescaped<'a>(raw: &'a str, span: &Range<usize>) -> Result<Cow<'a, str>, XmlFault> {
    let hint =
        "write &amp; for an `&`; &lt; &gt; &quot; &apos; and character references are known too";
    let message = "what follows an `&` is no reference";
    let text = unescape(raw).map_err(|_| XmlFault::new(span.clone(), message).hint(hint))?;
    match text.chars().find(|c| !is_char(*c)) {
        Some(bad) => Err(XmlFault::new(
            span.clone(),
            format!(
                "the character U+{:04X} is not allowed in XML",
                u32::from(bad)
            ),
        )),
        None => Ok(text),
    }
}

/// Whether a text in this encoding is one in UTF-8.
fn is_read(encoding: &str) -> bool {
    ["utf-8", "utf8", "us-ascii"].contains(&encoding.to_ascii_lowercase().as_str())
}

pub(super) fn check_declaration(source: &str, span: &Range<usize>) -> Result<(), XmlFault> {
    let fault = |message| {
        Err(XmlFault::new(span.clone(), message)
            .hint("write <?xml version=\"1.0\"?> at the very start"))
    };
    let attributes = attributes(
        between(source, "<?xml", "?>"),
        span.start + "<?xml".len(),
        false,
    )?;
    match attributes.split_first() {
        Some((version, rest)) if version.name == "version" && version.value.starts_with("1.") => {
            let named = rest.iter().find(|attribute| attribute.name == "encoding");
            if let Some(other) = named.filter(|of| !is_read(&of.value)) {
                let message = format!("the encoding {} is not read", other.value);
                let fault = XmlFault::new(other.span.clone(), message);
                return Err(fault.hint("save the file as UTF-8, and say so"));
            }
            if rest
                .iter()
                .all(|attribute| matches!(attribute.name, "encoding" | "standalone"))
            {
                return Ok(());
            }
            fault("an unknown word in the XML declaration")
        }
        _ => fault("an XML declaration without its version"),
    }
}
