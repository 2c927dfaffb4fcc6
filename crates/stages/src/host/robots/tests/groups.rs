//! Lines, groups and agents (RFC 9309, sections 2.1 and 2.2.1).

use super::*;

#[test]
fn a_file_without_rules_allows_everything() {
    for file in
        ["", "\n\n", "# nothing\n", "User-agent: *\n", "User-agent: *\nDisallow:\n", "<html><p>not found</html>"]
    {
        assert!(allows(file, "bot", "/x"), "{file:?}");
    }
}

#[test]
fn the_example_of_the_rfc_is_read_as_explained_there() {
    let file = "User-Agent: *\nDisallow: *.gif$\nDisallow: /example/\nAllow: /publications/\n\n\
                User-Agent: foobot\nDisallow:/\nAllow:/example/page.html\nAllow:/example/allowed.gif\n\n\
                User-Agent: barbot\nUser-Agent: bazbot\nDisallow: /example/page.html\n\n\
                User-Agent: quxbot\n";
    let fetchable = |agent: &str| {
        ["/", "/a.gif", "/example/page.html", "/example/allowed.gif", "/publications/a"]
            .map(|path| allows(file, agent, path))
    };
    assert_eq!(fetchable("anybot"), [true, false, false, false, true]);
    assert_eq!(fetchable("foobot"), [false, false, true, true, false]);
    assert_eq!(fetchable("barbot"), [true, true, false, true, true]);
    assert_eq!(fetchable("bazbot"), [true, true, false, true, true]);
    assert_eq!(fetchable("quxbot"), [true; 5]);
}

#[test]
fn groups_of_the_same_agent_are_merged() {
    let file = "user-agent: a\ndisallow: /1\n\nuser-agent: b\ndisallow: /2\n\nuser-agent: A\ndisallow: /3\n";
    let refused = |path| !allows(file, "a", path);
    assert_eq!(["/1", "/2", "/3"].map(refused), [true, false, true]);
}

#[test]
fn rules_apply_to_all_agents_named_before_them_whatever_is_between() {
    for between in ["\n\n", "# comment\n", "Sitemap: http://h/s.xml\n", "Host: h\nunknown line\n", " \t\r\n"] {
        let file = format!("User-agent: a\n{between}User-agent: b\n{between}Disallow: /x\n{between}Disallow: /y\n");
        for (agent, allowed) in [("a", false), ("b", false), ("c", true)] {
            assert_eq!(allows(&file, agent, "/x"), allowed, "{agent} with {between:?}");
            assert_eq!(allows(&file, agent, "/y"), allowed, "{agent} with {between:?}");
        }
    }
}

#[test]
fn an_agent_after_a_rule_starts_a_new_group_even_if_the_rule_is_empty() {
    let file = "user-agent: a\ndisallow:\nuser-agent: b\ndisallow: /\n";
    assert!(allows(file, "a", "/x"));
    assert!(!allows(file, "b", "/x"));
}

#[test]
fn rules_before_the_first_group_are_ignored() {
    let file = "disallow: /x\nuser-agent: a\ndisallow: /y\n";
    assert!(allows(file, "a", "/x"));
    assert!(!allows(file, "a", "/y"));
}

#[test]
fn the_star_group_applies_only_to_agents_without_their_own_group() {
    let file = "user-agent: *\ndisallow: /all\n\nuser-agent: a\ndisallow: /own\n";
    assert_eq!(["/all", "/own"].map(|path| allows(file, "a", path)), [true, false]);
    assert_eq!(["/all", "/own"].map(|path| allows(file, "b", path)), [false, true]);
    assert!(allows("user-agent: a\ndisallow: /\n", "b", "/"));
    for star in ["*", "* ", "* all others", "*\t"] {
        assert!(!allows(&format!("user-agent: {star}\ndisallow: /\n"), "b", "/"), "{star:?}");
    }
    for not_star in ["*bot", "**", "*/2"] {
        assert!(allows(&format!("user-agent: {not_star}\ndisallow: /\n"), "b", "/"), "{not_star:?}");
    }
}

#[test]
fn agents_are_matched_by_product_token_ignoring_case_and_version() {
    for value in
        ["FooBot", "foobot", "FOOBOT", "FooBot/1.2", "foobot/1.2 (+http://h/)", "FooBot Images", "foobot*", "foobot\tx"]
    {
        assert!(!allows(&format!("User-agent: {value}\nDisallow: /\n"), "FooBot", "/"), "{value:?}");
    }
    for value in ["foobot-news", "foobot_x", "foo", "afoobot", "foob", ""] {
        assert!(allows(&format!("User-agent: {value}\nDisallow: /\n"), "FooBot", "/"), "{value:?}");
    }
}

#[test]
fn the_crawlers_own_name_may_have_a_version_or_digits_but_no_spaces() {
    let file = "user-agent: *\ndisallow: /\nuser-agent: foo bar\nallow: /\nuser-agent: bot9000\nallow: /\n";
    for (agent, allowed) in
        [("foo", true), ("Foo/2.1", true), ("foo bar", false), ("bot9000", true), ("bot", true), ("", false)]
    {
        assert_eq!(allows(file, agent, "/x"), allowed, "{agent:?}");
    }
    assert!(allows("user-agent: foo\ndisallow: /\n", "", "/x"));
}

#[test]
fn names_are_accepted_in_any_case_with_any_whitespace_and_with_common_mistakes() {
    for (agent, rule) in [
        ("USER-AGENT: bot", "DISALLOW: /x"),
        ("uSeR-aGeNt:bot", "dIsAlLoW:/x"),
        ("  User-agent \t: \t bot  ", "\tDisallow :  /x  "),
        ("User-agent bot", "Disallow /x"),
        ("user agent: bot", "Dissallow: /x"),
        ("user agent bot", "Dissalow: /x"),
        ("useragent: bot", "Disalow: /x"),
        ("useragent\tbot", "Diasllow: /x"),
        ("User-agent: bot # comment", "Disallow: /x# comment"),
        ("User-agent: bot#comment", "Disallow: /x #comment"),
    ] {
        let file = format!("{agent}\n{rule}\n");
        assert!(!allows(&file, "bot", "/x/1"), "{file:?}");
        assert!(allows(&file, "bot", "/y"), "{file:?}");
    }
    for rule in ["Alow: /x/1", "ALLOW /x/1", "allaw: /x/1"] {
        assert!(rules_allow(&["Disallow: /x", rule], "/x/1"), "{rule}");
    }
    for rule in ["Disallowed: /x", "noindex: /x", "Disallow", "/x", ": /x", "Disallow=/x", "#Disallow: /x"] {
        assert!(rules_allow(&[rule], "/x/1"), "{rule}");
    }
}

#[test]
fn all_line_endings_and_byte_order_marks_are_accepted() {
    for end in ["\n", "\r\n", "\r", "\r\r\n", "\n\n\r\n", "\0"] {
        for mark in [&b""[..], b"\xEF\xBB\xBF", b"\xEF\xBB", b"\xEF"] {
            let text = format!("User-agent: bot{end}Disallow: /x{end}Allow: /x/1");
            let rules = RobotsRules::parse(&[mark, text.as_bytes()].concat(), "bot");
            assert!(!rules.decide("/x/2").allowed && rules.decide("/x/1").allowed, "{end:?} {mark:x?}");
        }
    }
    let garbled = RobotsRules::parse(b"\xEF\x11User-agent: bot\nDisallow: /\n", "bot");
    assert!(garbled.decide("/").allowed, "the first line is invalid, so the rule is in no group");
    let marked_inside = RobotsRules::parse(b"User-agent: bot\n\xEF\xBB\xBFDisallow: /\n", "bot");
    assert!(marked_inside.decide("/").allowed);
}

#[test]
fn sitemaps_are_found_anywhere_as_written_and_each_once() {
    let file = "Sitemap: https://h/1.xml\nUser-agent: a\nSITEMAP:https://h/2.xml\nDisallow: /\nsite-map: /3.xml # x\n\
                Sitemap https://h/1.xml\nSitemap:\nSitemap: http://h/a?b=%3A&c=$d\n";
    let rules = RobotsRules::parse(file.as_bytes(), "b");
    assert_eq!(rules.sitemaps(), ["https://h/1.xml", "https://h/2.xml", "/3.xml", "http://h/a?b=%3A&c=$d"]);
}

#[test]
fn crawl_delays_may_be_fractions_and_invalid_ones_are_ignored() {
    let delay = |lines: &str| RobotsRules::parse(format!("User-agent: bot\n{lines}").as_bytes(), "bot").crawl_delay();
    for (line, millis) in
        [("Crawl-delay: 5", 5_000), ("crawl-delay:0.25", 250), ("CRAWLDELAY 1.5 # s", 1_500), ("crawl delay: 0", 0)]
    {
        assert_eq!(delay(line), Some(Duration::from_millis(millis)), "{line}");
    }
    for line in [
        "Crawl-delay:",
        "Crawl-delay: -1",
        "Crawl-delay: soon",
        "Crawl-delay: 1e400",
        "Crawl-delay: NaN",
        "Crawl-delay: 10s",
    ] {
        assert_eq!(delay(line), None, "{line}");
    }
    assert_eq!(delay("Crawl-delay: x\nCrawl-delay: 7\nCrawl-delay: 9"), Some(Duration::from_secs(7)));
    assert!(delay("Crawl-delay: 1e15").unwrap() > Duration::from_secs(1 << 49));
}

#[test]
fn a_group_ends_where_a_user_agent_line_follows_a_rule() {
    let file =
        "User-agent: *\nDisallow:\nCrawl-delay: 10\nUser-agent: badbot\nDisallow: /\nUser-agent: a\nCrawl-delay: 2\n";
    let of = |agent: &str| RobotsRules::parse(file.as_bytes(), agent);
    assert_eq!(of("b").crawl_delay(), Some(Duration::from_secs(10)));
    assert!(of("b").decide("/").allowed);
    assert_eq!(of("badbot").crawl_delay(), None);
    assert!(!of("badbot").decide("/").allowed);
    assert_eq!(of("a").crawl_delay(), Some(Duration::from_secs(2)));
}
