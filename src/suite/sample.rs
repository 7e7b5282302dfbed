//! Samples: the part of the trials that is asked of a backend that is too slow for all of them.

use std::fmt;
use std::str::FromStr;
use xxhash_rust::xxh3::xxh3_64;

/// A part of the trials, such as 1/16. Whether a trial is in it depends on the trial's name alone, so it is the same on every
/// machine and in every run, and does not change when trials are added. A smaller sample is part of a larger one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sample {
    part: u32,
    of: u32,
}

impl Sample {
    /// Whether the trial of this name is in it: the hash of the name is in the first `part` of `of` equal ranges.
    pub(crate) fn takes(self, trial: &str) -> bool {
        let hash = u128::from(xxh3_64(trial.as_bytes()));
        (hash * u128::from(self.of)) >> 64 < u128::from(self.part)
    }
}

impl fmt::Display for Sample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.part, self.of)
    }
}

impl FromStr for Sample {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text.split_once('/').and_then(|(part, of)| {
            let (part, of) = (part.parse().ok()?, of.parse().ok()?);
            (1..=of).contains(&part).then_some(Self { part, of })
        });
        numbers.ok_or_else(|| format!("'{text}' is no part of the trials; write one such as 1/16"))
    }
}

#[cfg(test)]
mod tests {
    use super::Sample;

    #[test]
    fn a_smaller_sample_is_part_of_a_larger_one() {
        let [small, large, all] =
            ["1/16", "1/5", "1/1"].map(|text| text.parse::<Sample>().unwrap());
        let names: Vec<_> = (0..4000)
            .map(|number| format!("case-{number}/o/f32/b"))
            .collect();
        let of = |sample: Sample| {
            names
                .iter()
                .filter(|name| sample.takes(name))
                .collect::<Vec<_>>()
        };
        assert!(of(small).iter().all(|name| large.takes(name)));
        assert_eq!(of(all).len(), 4000);
        assert!((200..300).contains(&of(small).len()), "{}", of(small).len());
        assert!((700..900).contains(&of(large).len()), "{}", of(large).len());
    }

    #[test]
    fn what_is_no_part_is_refused() {
        for text in [
            "",
            "16",
            "0/4",
            "5/4",
            "1/0",
            "-1/4",
            "1/16/2",
            "1/99999999999",
        ] {
            assert!(text.parse::<Sample>().is_err(), "{text}");
        }
    }
}
