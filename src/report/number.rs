//! Counts in words and digits.

/// A count with a comma before each three digits, as the page's script writes it: `24,333`.
pub(crate) fn grouped(count: usize) -> String {
    let digits = count.to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A count of something: `1 fault`, `2 faults`.
pub(crate) fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn thousands_are_apart() {
        let counts = [0, 7, 999, 1_000, 24_333, 1_234_567].map(grouped);
        assert_eq!(counts, ["0", "7", "999", "1,000", "24,333", "1,234,567"]);
    }
}
