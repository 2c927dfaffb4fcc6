//! Declaration of a section of settings: each field, its type, its default and its documentation in one place, from
//! which the struct, `Default`, the keys of the configuration file and the printed reference are generated.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// One setting in the reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OptionDoc {
    /// Key within its section.
    pub key: &'static str,
    /// Its effect and the cost of raising it, by lines.
    pub doc: &'static [&'static str],
    /// Whether it can be changed while a crawl runs.
    pub live: bool,
}

/// A section of the configuration file.
pub trait Section: Serialize + DeserializeOwned + Default + Clone {
    /// The section's name in the configuration file.
    const NAME: &'static str;
    /// A description of the section.
    const ABOUT: &'static [&'static str];
    /// Its settings, in the order in which they are printed.
    const OPTIONS: &'static [OptionDoc];
}

/// Declares a section of settings. `[live]` before a key says that the setting can be changed while a crawl runs.
///
/// ```
/// harvestman_core::options! {
///     /// Brewing.
///     pub struct BrewOptions in "brew" {
///         /// Cups a minute.
///         [live] cups: u32 = 3,
///     }
/// }
/// assert_eq!(BrewOptions::default().cups, 3);
/// ```
#[macro_export]
macro_rules! options {
    (
        $(#[doc = $about:literal])+
        pub struct $name:ident in $section:literal {
            $( $(#[doc = $doc:literal])+ $([$live:ident])? $key:ident : $type:ty = $default:expr ),+ $(,)?
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Debug, Clone, PartialEq, ::serde::Serialize, ::serde::Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct $name {
            $( $(#[doc = $doc])+ pub $key: $type, )+
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $( $key: $default, )+ }
            }
        }

        impl $crate::config::options::Section for $name {
            const NAME: &'static str = $section;
            const ABOUT: &'static [&'static str] = &[$($about),+];
            const OPTIONS: &'static [$crate::config::options::OptionDoc] = &[
                $( $crate::config::options::OptionDoc {
                    key: stringify!($key),
                    doc: &[$($doc),+],
                    live: !<[&str]>::is_empty(&[$(stringify!($live))?]),
                }, )+
            ];
        }
    };
}
