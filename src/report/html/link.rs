//! Links within the page.

/// A link to the trials that match these filters, written as the page's data are.
pub(super) fn link(filters: &[(&str, &str)]) -> String {
    let encode = |text: &str| {
        let safe = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        text.bytes()
            .map(|b| {
                if safe(b) {
                    char::from(b).to_string()
                } else {
                    format!("%{b:02X}")
                }
            })
            .collect::<String>()
    };
    let pairs: Vec<_> = filters
        .iter()
        .map(|(name, value)| format!("{name}={}", encode(value)))
        .collect();
    format!("#{}", pairs.join("&"))
}
