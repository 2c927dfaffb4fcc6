//! Registrable domains, by the public suffix list.

/// Returns the registrable domain of `host` (lower case, ASCII): `example.co.uk` for `www.example.co.uk`. Addresses,
/// single labels (`localhost`) and public suffixes are returned unchanged. Names below `localhost` are sites of their
/// own, as if `localhost` were a public suffix; so are names below any other top-level label that the list does not
/// contain.
pub fn registrable_domain(host: &str) -> &str {
    if is_address(host) {
        return host;
    }
    harvestman_domains::registrable(host).unwrap_or(host)
}

/// Returns whether `host` (lower case, ASCII) is a public suffix.
pub fn is_public_suffix(host: &str) -> bool {
    harvestman_domains::is_public_suffix(host)
}

/// Returns whether `host` is an IP address in the form of a canonical URL. Host names whose last label is a number are
/// not valid.
pub(super) fn is_address(host: &str) -> bool {
    host.starts_with('[')
        || host.rsplit('.').next().is_some_and(|label| label.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Returns whether `host` is `ancestor` or a name below it.
pub(super) fn is_within(host: &str, ancestor: &str) -> bool {
    host.strip_suffix(ancestor).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// Returns whether `host` is a single label that is not a top-level domain: a machine of the local network.
pub(super) fn is_local_label(host: &str) -> bool {
    !host.contains('.') && !is_address(host) && !harvestman_domains::is_listed(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_registrable_domain_is_one_label_below_the_public_suffix() {
        for (host, domain) in [
            ("www.example.co.uk", "example.co.uk"),
            ("example.org", "example.org"),
            ("co.uk", "co.uk"),
            ("a.b.alice.github.io", "alice.github.io"),
            ("github.io", "github.io"),
            ("www.city.kawasaki.jp", "city.kawasaki.jp"),
            ("x.a.localhost", "a.localhost"),
            ("a.localhost", "a.localhost"),
            ("localhost", "localhost"),
            ("127.0.0.1", "127.0.0.1"),
            ("[2001:db8::1]", "[2001:db8::1]"),
            ("www.xn--bcher-kva.de", "xn--bcher-kva.de"),
        ] {
            assert_eq!(registrable_domain(host), domain);
        }
    }

    #[test]
    fn only_single_labels_outside_the_list_are_local() {
        assert!(is_local_label("localhost") && is_local_label("intranet"));
        assert!(!is_local_label("com") && !is_local_label("a.localhost") && !is_local_label("127.0.0.1"));
    }

    #[test]
    fn a_name_is_within_another_only_at_a_dot() {
        assert!(is_within("a.example.org", "example.org") && is_within("example.org", "example.org"));
        assert!(!is_within("badexample.org", "example.org") && !is_within("org", "example.org"));
    }
}
