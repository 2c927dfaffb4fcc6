//! Vectors from the report of the TDM Reservation Protocol.

use proptest::prelude::*;

use super::*;

const LIMITS: TdmrepLimits = TdmrepLimits { bytes_max: 500 << 10, rules_max: 10_000 };

fn parse(text: &str) -> TdmrepFile {
    TdmrepFile::parse(text.as_bytes(), LIMITS)
}

/// What a file says about a path: the reservation, and the policy.
fn says(file: &TdmrepFile, path: &str) -> String {
    let statements = file.of(&UrlPath::new(path));
    statements.iter().map(|statement| statement.says.to_string()).collect::<Vec<_>>().join(" ")
}

/// The second example of the report.
const THREE_GROUPS: &str = r#"[
  {"location": "/directory-a/", "tdm-reservation": 1},
  {"location": "/directory-b/html/", "tdm-reservation": 1, "tdm-policy": "https://provider.com/policies/policy.json"},
  {"location": "/directory-b/images/*.jpg", "tdm-reservation": 0}
]"#;

#[test]
fn the_first_rule_that_matches_counts() {
    let file = parse(THREE_GROUPS);
    assert!(file.is_complete());
    for (path, expected) in [
        ("/directory-a/x.pdf", "1"),
        ("/directory-a", ""),
        ("/directory-b/html/i.html", "1 https://provider.com/policies/policy.json"),
        ("/directory-b/images/a/b.jpg?x", "0"),
        ("/directory-b/images/b.png", ""),
        ("/Directory-a/", ""),
        ("/", ""),
    ] {
        assert_eq!(says(&file, path), expected, "{path}");
    }
    let both = parse(r#"[{"location":"/a/","tdm-reservation":0},{"location":"/","tdm-reservation":1}]"#);
    assert_eq!((says(&both, "/a/x").as_str(), says(&both, "/b").as_str()), ("0", "1"));
    let reversed = parse(r#"[{"location":"/","tdm-reservation":1},{"location":"/a/","tdm-reservation":0}]"#);
    assert_eq!(says(&reversed, "/a/x"), "1");
}

#[test]
fn files_are_read_as_far_as_they_follow_the_report() {
    for (text, rules, expected, is_complete) in [
        (r#"[{"location":"/","tdm-reservation":1}]"#, 1, "1", true),
        (r#"[{"location":"*","tdm-reservation":1}]"#, 1, "1", true),
        (r#"[{"location":"/x$","tdm-reservation":1}]"#, 1, "1", true),
        (r#"[{"location":"/%78","tdm-reservation":1}]"#, 1, "1", true),
        (r#"[{"location":"/x","tdm-reservation":1,"note":{"a":[1]}}]"#, 1, "1", true),
        ("\u{feff}[{\"location\":\"/\",\"tdm-reservation\":1}]", 1, "1", true),
        // Other values of the reservation are unset.
        (r#"[{"location":"/","tdm-reservation":2}]"#, 1, "", true),
        (r#"[{"location":"/","tdm-reservation":"1"}]"#, 1, "", true),
        (r#"[{"location":"/","tdm-reservation":true}]"#, 1, "", true),
        (r#"[{"location":"/","tdm-reservation":null}]"#, 1, "", true),
        // Location and reservation are mandatory.
        (r#"[{"location":"/"},{"location":"/","tdm-reservation":1}]"#, 1, "1", true),
        (r#"[{"tdm-reservation":1}]"#, 0, "", true),
        (r#"[{"location":7,"tdm-reservation":1}]"#, 0, "", true),
        (r#"[1,"x",null,[],{"location":"/","tdm-reservation":1}]"#, 1, "1", true),
        ("[]", 0, "", true),
        // The brackets are mandatory.
        (r#"{"location":"/","tdm-reservation":1}"#, 0, "", false),
        ("", 0, "", false),
        ("<!doctype html><p>not found", 0, "", false),
        // What precedes an error is used.
        (r#"[{"location":"/","tdm-reservation":1},{"locat"#, 1, "1", false),
        (r#"[{"location":"/","tdm-reservation":1}] more"#, 1, "1", false),
    ] {
        let file = parse(text);
        assert_eq!(
            (file.len(), says(&file, "/x").as_str(), file.is_complete()),
            (rules, expected, is_complete),
            "{text}"
        );
    }
}

#[test]
fn long_files_are_read_up_to_the_limits() {
    let rule = r#"{"location":"/a/","tdm-reservation":1},"#;
    let long = format!("[{}{}", rule.repeat(10 << 20).get(..10 << 20).unwrap(), "]");
    let file = parse(&long);
    assert_eq!((file.len(), file.is_complete()), (LIMITS.rules_max, false));
    let few = TdmrepFile::parse(long.as_bytes(), TdmrepLimits { bytes_max: 100, ..LIMITS });
    assert_eq!((few.len(), says(&few, "/a/b").as_str(), few.is_complete()), (2, "1", false));
    let deep = "[".repeat(1 << 20);
    assert!(parse(&deep).is_empty());
}

#[test]
fn the_values_of_headers_and_elements_are_0_and_1() {
    let wish =
        |value: &str| reservation(value.as_bytes(), StatedIn::Header).map(|said| said.wish.map(|wish| wish.is_allowed));
    for (value, expected) in [
        ("1", Some(Some(false))),
        (" 1 ", Some(Some(false))),
        ("0", Some(Some(true))),
        ("2", Some(None)),
        ("yes", Some(None)),
        ("1, 0", Some(None)),
        ("-1", Some(None)),
        ("", None),
    ] {
        assert_eq!(wish(value), expected, "{value}");
    }
    assert_eq!(&*policy(b" https://p/ ", StatedIn::Page).says, "https://p/");
}

proptest! {
    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        TdmrepFile::parse(&bytes, LIMITS);
    }

    #[test]
    fn files_with_changes_keep_the_rules_before_them(at in 60_usize..300, by in "[\\[\\]{}\":,a-z0-9]{0,5}") {
        let mut text = THREE_GROUPS.to_owned();
        let at = at.min(text.len());
        text.replace_range(at..(at + 3).min(text.len()), &by);
        prop_assert_eq!(says(&parse(&text), "/directory-a/x"), "1");
    }
}
