//! Counts in words and digits, and calendar days.

/// A count with a comma before every three digits, like the page's script: `24,333`.
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

/// The day (UTC) of a time in milliseconds since 1970: `2026-11-22`.
pub(super) fn day(milliseconds: u64) -> String {
    let days = milliseconds / 86_400_000;
    // Counted from 0000-03-01, so that a leap day is the last of its year; an era has 400 years.
    let days = days + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let (month, next) = match from_march {
        0..=9 => (from_march + 3, 0),
        _ => (from_march - 9, 1),
    };
    format!("{:04}-{month:02}-{day:02}", era * 400 + year_of_era + next)
}
