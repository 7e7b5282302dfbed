//! Globs over names with parts separated by `/`.
//!
//! `*` and `?` stay within a part; `**` as a whole part does not. `[a-z]`, `[!a]` and `{a,b}` have their common
//! meanings, and `\` escapes.

/// A checked pattern.
#[derive(Debug, Clone)]
pub(crate) struct Glob {
    pub(crate) pattern: String,
    /// What the names begin with that it can match: one of these. Most names are told apart by it.
    starts: Vec<String>,
}

impl Glob {
    /// Checks a pattern. The error says what is wrong with it.
    pub(crate) fn new(pattern: &str) -> Result<Self, String> {
        let fault = |why: String| format!("error parsing glob '{pattern}': {why}");
        fast_glob::validate(pattern).map_err(|error| fault(error.to_string()))?;
        if let Some(why) = overlooked(pattern) {
            return Err(fault(why.to_owned()));
        }
        // The library negates a pattern that starts with `!`.
        let escape = if pattern.starts_with('!') { "\\" } else { "" };
        let pattern = format!("{escape}{pattern}");
        let starts = starts(&pattern);
        Ok(Self { pattern, starts })
    }

    /// Whether it matches the name of a trial. A pattern without a `+` means only nodes alone.
    pub(crate) fn matches_trial(&self, name: &str) -> bool {
        let mut starts = self.starts.iter();
        starts.any(|start| name.starts_with(start.as_str()))
            && means(&self.pattern, name)
            && self.is_match(name)
    }

    /// Whether it can match a name whose first part is this one.
    pub(crate) fn can_match_first_part(&self, part: &str) -> bool {
        let first = self.pattern.split('/').next().unwrap_or_default();
        // Braces and brackets may hold a slash.
        first.contains(['{', '[', '\\'])
            || first.contains("**")
            || fast_glob::glob_match(first, part)
    }

    pub(crate) fn is_match(&self, name: &str) -> bool {
        fast_glob::glob_match(&self.pattern, name)
    }
}

/// Whether a pattern can mean a trial of this name: in surroundings, both have a `+`.
pub(crate) fn means(pattern: &str, name: &str) -> bool {
    pattern.contains('+') || !name.contains('+')
}

/// The texts of which one begins each name that a pattern matches.
fn starts(pattern: &str) -> Vec<String> {
    let is_special = |c: char| "*?[]{}\\".contains(c);
    let (plain, rest) = pattern.split_at(pattern.find(is_special).unwrap_or(pattern.len()));
    let choice = rest.strip_prefix('{').and_then(|of| of.split_once('}'));
    match choice.filter(|(choice, _)| !choice.contains(is_special)) {
        Some((choice, _)) => choice.split(',').map(|of| format!("{plain}{of}")).collect(),
        None => vec![plain.to_owned()],
    }
}

/// The fault that the library overlooks: a `}` without a `{`, a range that runs backwards.
fn overlooked(pattern: &str) -> Option<&'static str> {
    let mut open = 0_usize;
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => drop(chars.next()),
            '[' => {
                // A `]` in the first place is a member of the class.
                let first = chars.next();
                let rest = chars.by_ref().take_while(|c| *c != ']');
                let class: Vec<char> = first.into_iter().chain(rest).collect();
                if class.windows(3).any(|c| c[1] == '-' && c[0] > c[2]) {
                    return Some("invalid character range");
                }
            }
            '{' => open += 1,
            '}' if open == 0 => {
                return Some(
                    "unopened alternate group; missing '{' (maybe escape '}' with '[}]'?)",
                );
            }
            '}' => open -= 1,
            _ => {}
        }
    }
    None
}
