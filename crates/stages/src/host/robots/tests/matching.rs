//! Which rule decides on which path (RFC 9309, sections 2.2.2 and 2.2.3).

use super::*;

#[test]
fn the_longest_rule_wins_whatever_the_order() {
    check(&["Disallow: /x/page.html", "Allow: /x/"], &["/x/", "/x/other"], &["/x/page.html"]);
    check(&["Allow: /x/page.html", "Disallow: /x/"], &["/x/page.html"], &["/x/", "/x/other"]);
    check(&["Disallow: /x", "Allow: /x/"], &["/x/", "/x/y"], &["/x", "/xy"]);
    check(&["Allow: /page", "Disallow: /*.html"], &["/page"], &["/page.html"]);
    check(&["Allow: /x/page.", "Disallow: /*.html"], &["/x/page.html"], &["/x/y.html"]);
    check(&["Allow: /p", "Disallow: /"], &["/page"], &["/other"]);
    check(&["Allow: /$", "Disallow: /"], &["/"], &["/page.html", "/?q"]);
}

#[test]
fn among_equally_long_rules_allow_wins() {
    for rules in [["Disallow: /folder", "Allow: /folder"], ["Allow: /folder", "Disallow: /folder"]] {
        check(&rules, &["/folder/page"], &[]);
    }
    check(&["Disallow: /", "Allow: /"], &["/x"], &[]);
    check(&["Disallow: /a*", "Allow: /ab"], &["/abc"], &["/ac"]);
}

#[test]
fn an_empty_rule_matches_nothing() {
    check(&["Disallow:"], &["/", "/x"], &[]);
    check(&["Disallow: /", "Allow:"], &[], &["/", "/x"]);
    check(&["Disallow: ", "Allow: "], &["/x"], &[]);
}

#[test]
fn paths_are_matched_from_their_start_and_with_their_case() {
    check(
        &["Disallow: /fish"],
        &["/Fish.asp", "/catfish", "/?id=fish", "/a/fish"],
        &["/fish", "/fish.html", "/fish/salmon", "/fishheads", "/fish.php?id=1"],
    );
    check(&["Disallow: /fish/"], &["/fish", "/fish.html", "/Fish/"], &["/fish/", "/fish/?id=1", "/fish/salmon"]);
}

#[test]
fn a_star_matches_any_characters() {
    check(&["Disallow: /fish*"], &["/catfish"], &["/fish", "/fishheads/yummy"]);
    check(
        &["Disallow: /*.php"],
        &["/", "/php/", "/windows.PHP", "/a?php"],
        &["/a.php", "/d/a.php", "/a.php?x", "//d/any.php.file.html", "/a.php/", "/a?f=a.php/"],
    );
    check(&["Disallow: /fish*.php"], &["/Fish.PHP", "/fish"], &["/fish.php", "/fishheads/catfish.php?x"]);
    check(&["Disallow: /a/*/c"], &["/a/c", "/a/bc"], &["/a/b/c", "/a//c", "/a/b/b/cd"]);
    check(&["Disallow: /a**b"], &["/a"], &["/ab", "/axb"]);
}

#[test]
fn a_pattern_that_begins_with_a_star_may_match_from_the_first_character() {
    check(&["Disallow: */print/"], &["/print", "/x"], &["/print/", "/print/1", "/x/print/"]);
    check(&["Disallow: *.gif$"], &["/a.gif?x"], &["/a.gif", "/.gif"]);
    check(&["Disallow: *"], &[], &["/", "/x"]);
    check(&["Disallow: *$"], &[], &["/", "/x"]);
}

#[test]
fn a_pattern_without_a_leading_slash_gets_one() {
    check(&["Disallow: private"], &["/x/private"], &["/private", "/private/x"]);
    check(&["Disallow: ?sort="], &["/x?sort=1"], &["/?sort=1"]);
}

#[test]
fn a_dollar_at_the_end_of_a_pattern_matches_the_end_of_the_url() {
    check(&["Disallow: /*.php$"], &["/a.php?x", "/a.php/", "/a.php5", "/aaaphpaaa"], &["/a.php", "/d/a.php"]);
    check(&["Disallow: /x$"], &["/x/", "/x?", "/xx"], &["/x"]);
    check(&["Disallow: /*ab*ab$"], &["/ab"], &["/abab", "/abxab"]);
    check(&["Disallow: /*aba*ba$"], &["/aba"], &["/ababa", "/abaxba"]);
}

#[test]
fn a_dollar_inside_a_pattern_and_special_characters_in_a_url_are_literal() {
    check(&["Disallow: /a$b"], &["/a", "/ab"], &["/a$b", "/a$bc", "/a%24b"]);
    check(&["Disallow: /file-%2A.html"], &["/file-x.html"], &["/file-*.html", "/file-%2a.html"]);
    check(&["Disallow: /foo-%24"], &["/foo-"], &["/foo-$", "/foo-%24"]);
    check(&["Disallow: /a$$"], &["/a", "/a$b"], &["/a$"]);
    check(&["Allow: /x", "Disallow: /x$"], &["/x*", "/x$"], &["/x"]);
}

#[test]
fn percent_encoding_is_normalised_on_both_sides() {
    for pattern in ["/foo/bar/ツ", "/foo/bar/%E3%83%84", "/foo/bar/%e3%83%84"] {
        let rule = format!("Disallow: {pattern}");
        check(&[&rule], &["/foo/bar/", "/foo/bar/x"], &["/foo/bar/ツ", "/foo/bar/%E3%83%84", "/foo/bar/%e3%83%84"]);
    }
    for pattern in ["/foo/bar/baz", "/foo/bar/%62%61%7A", "/foo/bar/%62a%7a"] {
        check(&[&format!("Disallow: {pattern}")], &["/foo/bar/ba"], &["/foo/bar/baz", "/foo/bar/%62%61%7A"]);
    }
    check(&["Disallow: /~joe/"], &[], &["/%7ejoe/x", "/%7Ejoe/x", "/~joe/x"]);
    check(&["Disallow: /a%3cd.html"], &[], &["/a%3cd.html", "/a%3Cd.html", "/a<d.html"]);
    check(&["Disallow: /100%"], &["/100"], &["/100%", "/100%zz"]);
    check(&["Disallow: /a b"], &["/ab"], &["/a%20b"]);
}

#[test]
fn an_encoded_slash_or_question_mark_is_a_different_character_in_a_path() {
    check(&["Disallow: /a%2fb"], &["/a/b"], &["/a%2fb", "/a%2Fb"]);
    check(&["Disallow: /a/b"], &["/a%2Fb"], &["/a/b"]);
    check(&["Disallow: /*?"], &["/wiki/Who%3F"], &["/wiki/Who?", "/?q"]);
}

#[test]
fn characters_other_than_delimiters_match_encoded_and_decoded_in_a_query() {
    let urls = ["/foo/bar?baz=https://foo.bar", "/foo/bar?baz=https%3A%2F%2Ffoo.bar", "/foo/bar?baz=https%3a//foo.bar"];
    for pattern in urls {
        check(&[&format!("Disallow: {pattern}")], &["/foo/bar?baz=http"], &urls);
    }
    for pattern in ["/*baz=https%3A%2F%2F", "/*baz=https://", "*?baz=https%3a%2f%2f"] {
        check(&[&format!("Disallow: {pattern}")], &["/foo/bar?baz=http"], &urls);
    }
    check(&["Disallow: /x?a=%26"], &["/x?a=&"], &["/x?a=%26"]);
    check(&["Disallow: /*/a%2Fb"], &["/x/a/b"], &["/x/a%2Fb", "/x?y/a%2Fb", "/x?y/a/b"]);
    check(&["Disallow: /", "Allow: /x?q=taz&u=http://h?t&p"], &["/x?q=taz&u=http://h?t&p"], &["/x?q=taz"]);
}

#[test]
fn robots_txt_itself_is_always_allowed() {
    check(&["Disallow: /", "Disallow: /robots.txt"], &["/robots.txt"], &["/robots.txt.bak", "/x/robots.txt"]);
}

#[test]
fn fragments_and_missing_slashes_do_not_matter() {
    check(&["Disallow: /x"], &["/#/x", "", "y"], &["/x#y", "x"]);
    check(&["Disallow: /$"], &["/x"], &["", "/", "#x"]);
}

#[test]
fn the_deciding_rule_is_returned() {
    let rules =
        ["Disallow: /private/", "allow: /private/open", "disallow:*.gif$", "Disallow: /k%c3%a4se", "Disallow: x"];
    let file = format!("User-agent: bot\n{}", rules.join("\n"));
    let rules = RobotsRules::parse(file.as_bytes(), "bot");
    for (path, allowed, rule) in [
        ("/private/x", false, Some("Disallow: /private/")),
        ("/private/open", true, Some("Allow: /private/open")),
        ("/a.gif", false, Some("Disallow: *.gif$")),
        ("/käse", false, Some("Disallow: /k%C3%A4se")),
        ("/x", false, Some("Disallow: /x")),
        ("/other", true, None),
        ("/robots.txt", true, None),
    ] {
        assert_eq!(rules.decide(path), Decision { allowed, rule: rule.map(str::to_owned) }, "{path}");
    }
}
