//! Parses robots directives in the `X-Robots-Tag` header.
//!
//! `X-Robots-Tag: noindex, nofollow` addresses all robots; `X-Robots-Tag: somebot: noindex, nofollow` addresses one. A
//! name applies to the rest of its header line, or up to the next name (a proxy may have joined several lines with
//! commas). Directives for all robots and for this one are combined: the stricter one wins. There is no standard; this
//! follows the documentation of the search engines that introduced the header.

use http::HeaderMap;

use harvestman_core::model::RobotsDirectives;

/// Returns the directives for the robot with the product token `agent`, in any letter case.
pub fn directives(headers: &HeaderMap, agent: &str) -> RobotsDirectives {
    let values = headers.get_all("x-robots-tag").iter().map(|value| String::from_utf8_lossy(value.as_bytes()));
    values.map(|value| of_value(&value, agent)).fold(RobotsDirectives::default(), RobotsDirectives::and)
}

fn of_value(value: &str, agent: &str) -> RobotsDirectives {
    let mut found = RobotsDirectives::default();
    let mut addressed = true;
    for part in value.split(',') {
        let directive = match part.split_once(':') {
            // `unavailable_after: date` and `max-snippet: 5` are directives with a value, not names.
            Some((name, _)) if takes_value(name.trim()) => continue,
            Some((name, rest)) if is_name(name.trim()) => {
                addressed = name.trim() == "*" || name.trim().eq_ignore_ascii_case(agent);
                rest
            }
            _ => part,
        };
        if addressed {
            found = found.and(of_directive(directive.trim()));
        }
    }
    found
}

/// Returns whether `name` can name a robot. The time in a date with a comma (`unavailable_after: Friday, 25-Jun-30
/// 15:00:00 PST`) cannot.
fn is_name(name: &str) -> bool {
    let starts = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b'*' | b'_' | b'-');
    name.as_bytes().first().is_some_and(starts) && !name.contains(char::is_whitespace)
}

fn takes_value(name: &str) -> bool {
    const WITH_VALUE: [&str; 4] = ["unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"];
    WITH_VALUE.iter().any(|known| name.eq_ignore_ascii_case(known))
}

fn of_directive(directive: &str) -> RobotsDirectives {
    let is = |name: &str| directive.eq_ignore_ascii_case(name);
    RobotsDirectives {
        noindex: is("noindex") || is("none"),
        nofollow: is("nofollow") || is("none"),
        noarchive: is("noarchive"),
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;
    use proptest::prelude::*;

    use super::*;

    fn of(values: &[&str]) -> (bool, bool, bool) {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append("x-robots-tag", HeaderValue::from_str(value).unwrap());
        }
        let found = directives(&headers, "harvestman");
        (found.noindex, found.nofollow, found.noarchive)
    }

    #[test]
    fn directives_for_all_robots_and_for_this_one_apply_and_those_for_others_do_not() {
        assert_eq!(of(&[]), (false, false, false));
        assert_eq!(of(&["NoIndex , nofollow"]), (true, true, false));
        assert_eq!(of(&["none"]), (true, true, false));
        assert_eq!(of(&["otherbot: noindex, nofollow"]), (false, false, false));
        assert_eq!(of(&["Harvestman: nofollow, noarchive"]), (false, true, true));
        assert_eq!(of(&["otherbot: none", "noarchive"]), (false, false, true));
        assert_eq!(of(&["otherbot: none, harvestman: nofollow"]), (false, true, false));
        assert_eq!(of(&["unavailable_after: 25 Jun 2030 15:00:00 PST, nofollow"]), (false, true, false));
        assert_eq!(of(&["max-snippet: 5, noindex"]), (true, false, false));
        assert_eq!(of(&["unavailable_after: Friday, 25-Jun-30 15:00:00 PST, nofollow"]), (false, true, false));
        assert_eq!(of(&["harvestman: unavailable_after: Fri, 25 Jun 30 15:00:00 PST, none"]), (true, true, false));
        assert_eq!(of(&["otherbot: unavailable_after: Fri, 25 Jun 30 15:00:00 PST, none"]), (false, false, false));
        assert_eq!(of(&["otherbot: noindex", "harvestman: nofollow", "*: noarchive"]), (false, true, true));
        assert_eq!(of(&["noindex, f\u{fc}r alle"]), (true, false, false));
    }

    proptest! {
        #[test]
        fn no_value_makes_parsing_panic(value in proptest::collection::vec(any::<u8>(), 0..60)) {
            if let Ok(value) = HeaderValue::from_bytes(&value) {
                let mut headers = HeaderMap::new();
                headers.append("x-robots-tag", value);
                directives(&headers, "harvestman");
            }
        }
    }
}
