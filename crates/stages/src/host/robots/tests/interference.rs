//! Lines outside the protocol do not interfere with the grouping of the others (RFC 9309, section 2.2.4).

use super::*;

/// Lines that are neither `User-agent` nor a rule.
const OTHERS: &[&str] = &[
    "Crawl-delay: 3",
    "crawl delay 3",
    "Crawl-delay:",
    "Sitemap: http://h/s.xml",
    "Request-rate: 1/10",
    "Visit-time: 0200-0630",
    "Host: h.test",
    "Clean-param: ref /some/",
    "Noindex: /y",
    "Content-Signal: ai-train=no",
    "author: somebody",
    "disallowed: /y",
    "# comment",
    "   ",
    "<p>",
    "",
];

fn delay(file: &str, agent: &str) -> Option<u64> {
    RobotsRules::parse(file.as_bytes(), agent).crawl_delay().map(|delay| delay.as_secs())
}

#[test]
fn only_a_rule_ends_a_run_of_agents() {
    for other in OTHERS {
        for end in ["\n", "\r", "\r\n", "\r\r\n", "\r\r", "\n\r\n", "\0"] {
            let lines = ["User-agent: a", other, "User-agent: b", other, "Disallow: /x", other, "Allow: /x/1", ""];
            let file = lines.join(end);
            for agent in ["a", "b"] {
                let fetchable = ["/x", "/x/1", "/y"].map(|path| allows(&file, agent, path));
                assert_eq!(fetchable, [false, true, true], "{agent} {file:?}");
            }
            assert!(allows(&file, "c", "/x"), "{file:?}");
        }
    }
}

#[test]
fn line_endings_may_be_mixed() {
    let file = "\u{feff}User-agent: a\r\r\nCrawl-delay: 4\rUser-agent: b\n\r\nDisallow: /x\r\r\n\rDisallow: /y\r\nUser-agent: c\r";
    for agent in ["a", "b"] {
        assert_eq!(["/x", "/y", "/z"].map(|path| allows(file, agent, path)), [false, false, true], "{agent}");
        assert_eq!(delay(file, agent), Some(4));
    }
    assert!(allows(file, "c", "/x") && delay(file, "c").is_none());
}

#[test]
fn a_crawl_delay_applies_to_all_agents_of_its_group() {
    for file in [
        "User-agent: a\nCrawl-delay: 3\nUser-agent: b\nDisallow: /x\n",
        "User-agent: a\nUser-agent: b\nCrawl-delay: 3\nDisallow: /x\n",
        "User-agent: a\nUser-agent: b\nDisallow: /x\nCrawl-delay: 3\n",
        "User-agent: a\nUser-agent: b\nDisallow: /x\nCrawl-delay: 3\nDisallow: /y\n\nUser-agent: c\nDisallow: /\n",
    ] {
        assert_eq!(["a", "b", "c"].map(|agent| delay(file, agent)), [Some(3), Some(3), None], "{file}");
        assert!(["a", "b"].iter().all(|agent| !allows(file, agent, "/x")), "{file}");
    }
}

#[test]
fn with_several_delays_in_a_group_an_agent_uses_the_next_after_its_name() {
    let file = "User-agent: a\nCrawl-delay: 10\nUser-agent: b\nUser-agent: c\nCrawl-delay: 5\nUser-agent: *\n\
                Disallow: /x\nUser-agent: d\nCrawl-delay: 1\n";
    assert_eq!(["a", "b", "c", "d"].map(|agent| delay(file, agent)), [Some(10), Some(5), Some(5), Some(1)]);
    assert_eq!(delay(file, "e"), Some(10), "the longest, if none follows the name");
    assert_eq!(["a", "b", "c", "d", "e"].map(|agent| allows(file, agent, "/x")), [false, false, false, true, false]);
}

#[test]
fn the_delays_of_several_groups_of_one_agent_are_merged_to_the_shortest() {
    let file = "User-agent: a\nCrawl-delay: 9\nDisallow: /x\nUser-agent: b\nCrawl-delay: 2\nDisallow: /\n\
                User-agent: A\nDisallow: /y\nCrawl-delay: 7\n";
    assert_eq!(["a", "b", "c"].map(|agent| delay(file, agent)), [Some(7), Some(2), None]);
    assert_eq!(["/x", "/y", "/z"].map(|path| allows(file, "a", path)), [false, false, true]);
}

#[test]
fn a_crawl_delay_before_the_first_group_is_ignored() {
    let file = "Crawl-delay: 9\nUser-agent: a\nDisallow: /x\n";
    assert_eq!((delay(file, "a"), delay(file, "b")), (None, None));
}
