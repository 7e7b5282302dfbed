//! The map in ARCHITECTURE.md: every file with the first sentence of its documentation.

use super::source::File;

const HEADING: &str = "## The map\n";

/// The document with its map written from the files.
///
/// # Errors
/// When it has no place for a map, or a file has no module documentation.
pub(crate) fn replaced(document: &str, files: &[File], layers: &[&str]) -> Result<String, String> {
    let missing = || {
        format!(
            "ARCHITECTURE.md has no ```text block under '{}'",
            HEADING.trim()
        )
    };
    let heading = document.find(HEADING).ok_or_else(missing)?;
    let start = document[heading..]
        .find("```text\n")
        .map(|at| heading + at + "```text\n".len())
        .ok_or_else(missing)?;
    let end = document[start..]
        .find("```")
        .map(|at| start + at)
        .ok_or_else(missing)?;
    let mut lines = Vec::new();
    for layer in layers {
        for file in files.iter().filter(|file| {
            file.layer() == *layer && file.module.last().is_some_and(|last| last != "tests")
        }) {
            if file.summary.is_empty() {
                return Err(format!(
                    "{}: no module documentation (`//!`), and the map shows its first sentence",
                    file.path()
                ));
            }
            lines.push(format!("{:42} {}\n", file.path(), file.summary));
        }
    }
    Ok(format!(
        "{}{}{}",
        &document[..start],
        lines.concat(),
        &document[end..]
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_map_shows_each_file_in_the_order_of_the_layers() {
        let files = [
            File::new("error", "//! Errors.\n"),
            File::new("cli/mod", "//! Commands. More.\n"),
        ];
        let written = replaced(
            "# A\n\n## The map\n\n```text\nold\n```\nafter",
            &files,
            &["cli", "error"],
        )
        .expect("a map");
        let cli = format!("{:42} Commands\n", "src/cli/mod.rs");
        let error = format!("{:42} Errors\n", "src/error.rs");
        assert_eq!(
            written,
            format!("# A\n\n## The map\n\n```text\n{cli}{error}```\nafter")
        );
    }
}
