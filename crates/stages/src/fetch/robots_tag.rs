//! The directives of `X-Robots-Tag` headers that say which links are followed.

use http::HeaderMap;

use harvestman_consent::Directives;
use harvestman_core::model::RobotsDirectives;

/// Returns the directives for the robot with the product token `agent`, in any letter case: those for all robots and
/// those for this one are combined, and the stricter one wins.
pub fn directives(headers: &HeaderMap, agent: &str) -> RobotsDirectives {
    let values = headers.get_all("x-robots-tag").iter().map(|value| String::from_utf8_lossy(value.as_bytes()));
    values.map(|value| of_value(&value, agent)).fold(RobotsDirectives::default(), RobotsDirectives::and)
}

fn of_value(value: &str, agent: &str) -> RobotsDirectives {
    let found = Directives::of_header(value, agent);
    RobotsDirectives {
        noindex: found.has("noindex"),
        nofollow: found.has("nofollow"),
        noarchive: found.has("noarchive"),
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
