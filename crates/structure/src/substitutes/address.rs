//! The shape of an address, and what it names.

use smallvec::SmallVec;

use harvestman_core::model::path_hash::{fold_run, step};

/// Segments and parameters that are looked at; the rest of a longer address does not count.
const PARTS_MAX: usize = 24;
/// Length from which a segment is a name, not a word of the site's own.
const NAME_MIN: usize = 20;

/// An address by its form and by what its variable parts name: `/topic/42/an-old-boat?page=2` has the form
/// `/topic/*/*?page`, and names `42` and `an-old-boat`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// The hash of its form.
    pub(super) form: u64,
    /// The hashes of its names: variable segments of the path, or the parameters if there are none.
    names: SmallVec<[u64; 4]>,
}

impl Address {
    /// Returns the address with this path and query of a canonical URL.
    pub fn of(path_and_query: &str) -> Self {
        let (path, query) = path_and_query.split_once('?').unwrap_or((path_and_query, ""));
        let (mut form, mut names) = (1, SmallVec::new());
        for segment in path.split('/').take(PARTS_MAX) {
            if is_name(segment) {
                form = step(form, 1);
                names.push(fold_run(segment.as_bytes()));
            } else {
                form = step(form, fold_run(segment.as_bytes()));
            }
        }
        let by_query = names.is_empty();
        for parameter in query.split('&').filter(|parameter| !parameter.is_empty()).take(PARTS_MAX) {
            let key = parameter.split('=').next().unwrap_or_default();
            form = step(form, fold_run(key.as_bytes()));
            if by_query {
                names.push(fold_run(parameter.as_bytes()));
            }
        }
        if names.is_empty() {
            names.push(fold_run(path.as_bytes()));
        }
        Self { form, names }
    }

    /// Returns whether both name the same thing, so that it is no surprise if they show the same.
    pub fn is_related(&self, other: &Self) -> bool {
        self.names.iter().any(|name| other.names.contains(name))
    }
}

/// Returns whether a segment names one thing of many: it has a digit or a separator of words, or is long.
fn is_name(segment: &str) -> bool {
    segment.len() > NAME_MIN
        || segment.bytes().any(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'_' | b'%' | b'~' | b'@'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_one_form_differ_in_names_and_values() {
        let form = |address| Address::of(address).form;
        assert_eq!(form("/topic/42/an-old-boat?page=2"), form("/topic/7/new_sails?page=31"));
        assert_eq!(form("/u/a%20b/"), form("/u/seventy-two/"));
        for other in ["/topic/42/an-old-boat", "/topic/42/print?page=2", "/user/42/an-old-boat?page=2", "/topic/42/"] {
            assert_ne!(form("/topic/42/an-old-boat?page=2"), form(other), "{other}");
        }
    }

    #[test]
    fn addresses_are_related_if_they_name_the_same() {
        let related = |left, right| Address::of(left).is_related(&Address::of(right));
        assert!(related("/topic/42/an-old-boat?page=2", "/topic/42/an-old-boat/print"));
        assert!(related("/index.php?topic=42&page=2", "/index.php?topic=42&page=3"));
        assert!(related("/rules", "/rules"));
        for (left, right) in [
            ("/topic/42/an-old-boat?page=2", "/topic/43/a-new-boat?page=2"),
            ("/index.php?topic=42", "/index.php?topic=43"),
            ("/rules", "/help"),
        ] {
            assert!(!related(left, right), "{left} {right}");
        }
    }

    #[test]
    fn the_cost_of_an_address_is_bounded() {
        let long = format!("/{}?{}", "a1/".repeat(10_000), "b=1&".repeat(10_000));
        assert!(Address::of(&long).names.len() <= PARTS_MAX);
    }
}
