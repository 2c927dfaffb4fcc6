//! Values with a unit, in their usual notation: `250ms`, `1.5s`, `10m`, `24h`; `64KiB`, `16MiB`, `2GB`.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A duration in the configuration. Its notation is `250ms`, `1.5s`, `10m`, `24h`, `7d`; a bare number is seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Period(pub Duration);

/// A number of bytes in the configuration. Its notation is `64KiB`, `16MiB`, `2GB`; a bare number is bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct ByteSize(pub u64);

impl Period {
    /// Creates a period of `millis` milliseconds.
    pub const fn millis(millis: u64) -> Self {
        Self(Duration::from_millis(millis))
    }

    /// Creates a period of `secs` seconds.
    pub const fn secs(secs: u64) -> Self {
        Self(Duration::from_secs(secs))
    }
}

impl ByteSize {
    /// Creates a size of `n` KiB.
    pub const fn kib(n: u64) -> Self {
        Self(n << 10)
    }

    /// Creates a size of `n` MiB.
    pub const fn mib(n: u64) -> Self {
        Self(n << 20)
    }

    /// Returns the number of bytes, for sizes in memory.
    pub fn as_usize(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

const PERIOD_UNITS: &[(&str, u64)] =
    &[("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1), ("", 1_000)];
const SIZE_UNITS: &[(&str, u64)] = &[
    ("TiB", 1 << 40),
    ("GiB", 1 << 30),
    ("MiB", 1 << 20),
    ("KiB", 1 << 10),
    ("TB", 1_000_000_000_000),
    ("GB", 1_000_000_000),
    ("MB", 1_000_000),
    ("kB", 1_000),
    ("KB", 1_000),
    ("B", 1),
    ("", 1),
];

/// Splits a value such as `16MiB` into number and unit and multiplies. The result is rounded to whole multiples of the
/// smallest unit.
fn scaled(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let text = text.trim();
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.' && c != '_').unwrap_or(text.len());
    let (number, unit) = (text[..split].replace('_', ""), text[split..].trim());
    let factor = units.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit))?.1;
    if let Ok(whole) = number.parse::<u64>() {
        return whole.checked_mul(factor);
    }
    let product = number.parse::<f64>().ok()? * factor as f64;
    (0.0..9e18).contains(&product).then_some(product.round() as u64)
}

impl FromStr for Period {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        scaled(text, PERIOD_UNITS)
            .map(Self::millis)
            .ok_or_else(|| format!("`{text}` is not a duration; write it as 250ms, 1.5s, 10m or 24h"))
    }
}

impl FromStr for ByteSize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        scaled(text, SIZE_UNITS)
            .map(Self)
            .ok_or_else(|| format!("`{text}` is not a size; write it as 65536, 64KiB, 16MiB or 2GB"))
    }
}

/// Writes `value` in the largest of `units` that divides it.
fn in_largest_unit(value: u64, units: &[(&str, u64)], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let unit =
        units.iter().find(|(name, factor)| !name.is_empty() && value.is_multiple_of(*factor) && value >= *factor);
    match unit {
        Some((name, factor)) => write!(f, "{}{name}", value / factor),
        None => write!(f, "{value}"),
    }
}

impl fmt::Display for Period {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let millis = u64::try_from(self.0.as_millis()).unwrap_or(u64::MAX);
        if millis == 0 { f.write_str("0s") } else { in_largest_unit(millis, PERIOD_UNITS, f) }
    }
}

impl fmt::Display for ByteSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        in_largest_unit(self.0, &SIZE_UNITS[..4], f)
    }
}

macro_rules! as_text {
    ($type:ident) => {
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                #[derive(Deserialize)]
                #[serde(untagged)]
                enum Written {
                    Whole(u64),
                    Fraction(f64),
                    Text(String),
                }
                let text = match Written::deserialize(deserializer)? {
                    Written::Whole(n) => n.to_string(),
                    Written::Fraction(n) => n.to_string(),
                    Written::Text(text) => text,
                };
                text.parse().map_err(de::Error::custom)
            }
        }
    };
}

as_text!(Period);
as_text!(ByteSize);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn periods_and_sizes_read_as_people_write_them() {
        for (text, millis) in [("250ms", 250), ("1.5s", 1_500), ("10m", 600_000), ("24h", 86_400_000), ("3", 3_000)] {
            assert_eq!(text.parse::<Period>().unwrap(), Period::millis(millis), "{text}");
        }
        for (text, bytes) in [("64KiB", 65_536), ("16MiB", 16 << 20), ("2GB", 2_000_000_000), ("1_000", 1_000)] {
            assert_eq!(text.parse::<ByteSize>().unwrap(), ByteSize(bytes), "{text}");
        }
        for bad in ["", "fast", "-1s", "1 fortnight", "1e400s"] {
            assert!(bad.parse::<Period>().is_err(), "{bad}");
        }
    }

    #[test]
    fn what_is_written_reads_back_as_the_same_value() {
        for period in [0, 1, 250, 1_500, 60_000, 86_400_000].map(Period::millis) {
            assert_eq!(period.to_string().parse::<Period>().unwrap(), period);
        }
        for size in [0, 1, 1_023, 65_536, 1 << 34].map(ByteSize) {
            assert_eq!(size.to_string().parse::<ByteSize>().unwrap(), size);
        }
    }
}
