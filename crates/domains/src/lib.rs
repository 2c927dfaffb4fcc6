//! Registrable domains, by the public suffix list.
//!
//! Host names are in lower case and ASCII, without a dot at the end.
//!
//! Internal to Harvestman, without a promise of stability: other programs use `harvestman-library`.

/// Returns the registrable domain of `host`: the public suffix and one label before it. `None` where `host` is itself
/// a public suffix.
#[inline(never)]
pub fn registrable(host: &str) -> Option<&str> {
    psl::domain_str(host)
}

/// Returns whether `host` is a public suffix: `co.uk`, `github.io`, and every single label.
#[inline(never)]
pub fn is_public_suffix(host: &str) -> bool {
    psl::suffix_str(host) == Some(host)
}

/// Returns whether the public suffix of `host` is in the list. The last label of a name outside the list counts as its
/// suffix.
#[inline(never)]
pub fn is_listed(host: &str) -> bool {
    psl::suffix(host.as_bytes()).is_some_and(|suffix| suffix.is_known())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_registrable_domain_is_one_label_below_its_suffix() {
        assert_eq!(registrable("www.example.co.uk"), Some("example.co.uk"));
        assert_eq!(registrable("a.b.alice.github.io"), Some("alice.github.io"));
        assert_eq!(registrable("co.uk"), None);
    }

    #[test]
    fn a_suffix_is_public_or_listed_or_neither() {
        assert!(is_public_suffix("co.uk") && is_public_suffix("intranet") && !is_public_suffix("example.org"));
        assert!(is_listed("co.uk") && is_listed("example.org") && !is_listed("intranet"));
    }
}
