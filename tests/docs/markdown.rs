//! Parsing of the documents for their tests.

/// One block of code between fences.
pub(crate) struct Block {
    pub document: String,
    pub line: usize,
    pub language: String,
    pub text: String,
}

/// The blocks of a document.
pub(crate) fn blocks(document: &str, text: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for (number, line) in text.lines().enumerate() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(language), None) => {
                let (document, language) = (document.to_owned(), language.trim().to_owned());
                open = Some(Block {
                    document,
                    line: number + 1,
                    language,
                    text: String::new(),
                });
            }
            (None, Some(block)) => {
                block.text.push_str(line);
                block.text.push('\n');
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "{document}: a block is not closed");
    blocks
}

/// The text under a heading, up to the next one of its level or above.
pub(crate) fn section<'a>(text: &'a str, heading: &str) -> &'a str {
    let start = text
        .find(&format!("\n{heading}\n"))
        .unwrap_or_else(|| panic!("no heading '{heading}'"))
        + heading.len()
        + 2;
    let level = heading.bytes().take_while(|byte| *byte == b'#').count();
    let rest = &text[start..];
    let ends = (1..=level).filter_map(|level| rest.find(&format!("\n{} ", "#".repeat(level))));
    &rest[..ends.min().unwrap_or(rest.len())]
}

/// The rows of the tables in a text, without their heads; code marks are dropped.
pub(crate) fn rows(text: &str) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let head = lines.peek().is_some_and(|next| next.starts_with("|---"));
        if line.starts_with('|') && !line.starts_with("|---") && !head {
            let cells = line
                .trim()
                .trim_start_matches('|')
                .trim_end_matches('|')
                .split('|');
            rows.push(cells.map(|cell| cell.trim().replace('`', "")).collect());
        }
    }
    rows
}

/// The first cell of each row.
pub(crate) fn first_column(text: &str) -> Vec<String> {
    rows(text)
        .into_iter()
        .filter_map(|row| row.into_iter().next())
        .collect()
}

/// The targets of the links in a text, without code.
pub(crate) fn links(text: &str) -> Vec<String> {
    let mut links = Vec::new();
    let mut code = false;
    for line in text.lines() {
        code ^= line.starts_with("```");
        let prose = line.split('`').step_by(2);
        for part in prose.filter(|_| !code) {
            let targets = part
                .split("](")
                .skip(1)
                .filter_map(|rest| rest.split_once(')'));
            let targets = targets.map(|(target, _)| target.trim_matches(['<', '>']));
            links.extend(targets.map(str::to_owned));
        }
    }
    links
}

/// The anchors of the headings of a text.
pub(crate) fn anchors(text: &str) -> Vec<String> {
    let headings = text
        .lines()
        .filter(|line| line.starts_with('#'))
        .map(|line| line.trim_start_matches('#').trim());
    let kept = |c: &char| c.is_alphanumeric() || *c == ' ' || *c == '-' || *c == '_';
    headings
        .map(|heading| {
            heading
                .to_lowercase()
                .chars()
                .filter(kept)
                .collect::<String>()
                .replace(' ', "-")
        })
        .collect()
}
