//! A backend's words without details of the machine and the time: folders, thread ids, addresses, backtraces, times.

/// The most lines to show.
const MAX_LINES: usize = 14;

/// The lines to show, with a mark if there are more.
pub(super) fn quoted<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<String> {
    let is_frame = |line: &str| {
        let (number, rest) = line.trim_start().split_once(':').unwrap_or(("", ""));
        !number.is_empty() && number.chars().all(|c| c.is_ascii_digit()) && rest.starts_with(' ')
    };
    let is_left_out = |line: &str| {
        line.trim() == "stack backtrace:"
            || line.contains("RUST_BACKTRACE")
            || line.trim_start().starts_with("at /")
            || is_frame(line)
    };
    let lines = lines.filter(|line| !is_left_out(line)).map(cleaned);
    let mut lines: Vec<_> = lines.collect();
    let more = lines.len().saturating_sub(MAX_LINES);
    if more > 0 {
        lines.truncate(MAX_LINES);
        lines.push(format!("… ({more} more lines)"));
    }
    lines
}

/// A line without folders of the machine, thread ids and addresses.
fn cleaned(line: &str) -> String {
    let is_end = |c: char| c.is_whitespace() || "\"'`(),;<>".contains(c);
    let words = line.split_inclusive(is_end).map(|word| {
        let bare = word.trim_end_matches(is_end);
        let (kept, rest) = (without_folders(bare), &word[bare.len()..]);
        format!("{}{rest}", without_time(&without_address(&kept)))
    });
    without_thread(&words.collect::<String>())
}

/// A path from its package on, or its last part.
fn without_folders(word: &str) -> String {
    let begins_path = |start: &usize| {
        let before = word[..*start].chars().next_back();
        !before.is_some_and(char::is_alphanumeric) && is_path(&word[*start..])
    };
    let Some(start) = word.find('/').filter(begins_path) else {
        return word.to_owned();
    };
    let (before, path) = word.split_at(start);
    for packages in ["/site-packages/", "/node_modules/", "/index.crates.io-"] {
        if let Some((_, inside)) = path.rsplit_once(packages) {
            let of_registry = inside.split_once('/').filter(|_| packages.ends_with('-'));
            let inside = of_registry.map_or(inside, |(_, rest)| rest);
            return format!("{before}{inside}");
        }
    }
    format!("{before}{}", path.rsplit('/').next().unwrap_or(path))
}

/// An absolute path of at least two folders.
fn is_path(text: &str) -> bool {
    text.starts_with('/') && text.matches('/').count() > 2 && !text.starts_with("//")
}

/// A log's time of day, `[16:05:00]`, differs in each run.
fn without_time(word: &str) -> String {
    let time = word.strip_prefix('[');
    let time = time.and_then(|rest| rest.strip_suffix(']'));
    let is_two_digits = |part: &str| part.len() == 2 && part.bytes().all(|b| b.is_ascii_digit());
    let is_time = |time: &str| time.split(':').count() == 3 && time.split(':').all(is_two_digits);
    match time.is_some_and(is_time) {
        true => "[…]".to_owned(),
        false => word.to_owned(),
    }
}

/// The bits of an element have 2, 4, 8, 16 or 32 digits; an address has some number between.
fn without_address(word: &str) -> String {
    match word.strip_prefix("0x") {
        Some(digits)
            if (9..16).contains(&digits.len()) && digits.chars().all(|c| c.is_ascii_hexdigit()) =>
        {
            "0x…".to_owned()
        }
        _ => word.to_owned(),
    }
}

/// Rust writes `thread 'main' (4711) panicked`.
fn without_thread(line: &str) -> String {
    let parts = line.split_once("' (");
    let Some((before, rest)) = parts.filter(|(before, _)| before.contains("thread '")) else {
        return line.to_owned();
    };
    match rest.split_once(") ") {
        Some((number, after)) if number.chars().all(|c| c.is_ascii_digit()) => {
            format!("{before}' {after}")
        }
        _ => line.to_owned(),
    }
}
