use proptest::prelude::*;

use super::*;

fn groups(written: &[&str]) -> Result<HostGroups, Error> {
    HostGroups::new(&written.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>())
}

fn problems(written: &[&str]) -> Vec<(String, String)> {
    let Err(Error::Entries(entries)) = groups(written) else { return Vec::new() };
    assert!(entries.iter().all(|entry| entry.setting == "host.groups"));
    entries.into_iter().map(|entry| (entry.value, entry.problem)).collect()
}

#[test]
fn hosts_are_grouped_by_name_by_port_and_by_what_they_are_below() {
    let groups = groups(&["Shop.example *.shop.example", "h:8080 [::1]  10.0.0.1", "*.b.c"]).unwrap();
    for (origin, group) in [
        ("http://shop.example", Some(0)),
        ("https://shop.example:81", Some(0)),
        ("https://a.b.shop.example", Some(0)),
        ("http://workshop.example", None),
        ("http://h:8080", Some(1)),
        ("http://h", None),
        ("http://[::1]:81", Some(1)),
        ("http://10.0.0.1", Some(1)),
        ("http://b.c", None),
        ("http://a.b.c:5", Some(2)),
        ("http://c", None),
    ] {
        assert_eq!(groups.of(&HostKey::from_origin(origin)), group.map(HostGroup), "{origin}");
    }
}

#[test]
fn hosts_of_a_group_have_one_representative_and_others_are_their_own() {
    let groups = groups(&["*.shop.example shop.example", "a:1 b"]).unwrap();
    for (authority, representative) in
        [("x.shop.example:9", "*.shop.example"), ("shop.example", "*.shop.example"), ("b:7", "a:1"), ("c:7", "c:7")]
    {
        assert_eq!(groups.representative(authority), representative);
    }
    assert_eq!(HostGroups::default().representative("c:7"), "c:7");
}

#[test]
fn a_host_in_two_groups_is_refused_however_it_is_named() {
    for (one, other) in [
        ("a.x", "A.x."),
        ("a.x", "a.x:8080"),
        ("a.x:8080", "b a.x"),
        ("a.x:8080", "a.x:8080"),
        ("*.x", "a.x"),
        ("a.x:81", "*.x"),
        ("*.x", "*.b.x"),
        ("*.b.x", "*.x"),
    ] {
        let problems = problems(&[one, other]);
        assert_eq!(problems.len(), 1, "{one} | {other}");
        assert!(problems[0].1.contains("in group 1 by") && problems[0].1.contains("in group 2"), "{problems:?}");
        // Within one group a duplicate is allowed.
        assert!(groups(&[&format!("{one} {other}")]).is_ok());
    }
    assert!(groups(&["a.x:81", "a.x:82", "*.a.x", "x", "*.c.x"]).is_ok());
}

#[test]
fn what_is_no_pattern_is_named_and_so_is_what_there_is_too_much_of() {
    let names: Vec<String> = problems(&["ok http://h/", "", "*.", "a,b"]).into_iter().map(|(value, _)| value).collect();
    assert_eq!(names, ["http://h/", "", "*.", "a,b"]);
    let many = |count: usize| (0..count).map(|n| format!("h{n} ")).collect::<String>();
    assert!(groups(&[&many(GROUPED_MAX)]).is_ok());
    assert!(problems(&[&many(GROUPED_MAX), "one"])[0].1.contains("more than"));
}

#[test]
fn groups_are_written_and_read_as_they_stand_in_the_settings() {
    let some = groups(&["a *.b", "c"]).unwrap();
    let text = serde_json::to_string(&some).unwrap();
    assert_eq!(text, r#"["a *.b","c"]"#);
    assert_eq!(serde_json::from_str::<HostGroups>(&text).unwrap(), some);
    assert!(groups(&[]).unwrap().is_empty() && groups(&[]).unwrap() == HostGroups::default() && !some.is_empty());
    assert!(serde_json::from_str::<HostGroups>(r#"["a","a"]"#).is_err());
}

/// Returns names of few letters, so that they overlap.
fn pattern() -> impl Strategy<Value = String> {
    prop_oneof!["(\\*\\.)?[ab](\\.[ab]){0,2}", "[ab](\\.[ab]){0,1}:[12]"]
}

proptest! {
    /// The look-up finds what a check of each pattern finds, and never two groups.
    #[test]
    fn a_look_up_finds_what_looking_at_each_pattern_finds(
        written in prop::collection::vec(prop::collection::vec(pattern(), 1..3), 0..4),
        authority in "[ab](\\.[ab]){0,3}(:[12])?",
    ) {
        let joined: Vec<String> = written.iter().map(|group| group.join(" ")).collect();
        let matches = |group: &Vec<String>| {
            group.iter().any(|one| HostPattern::parse(one).unwrap().matches(&authority))
        };
        let naive: Vec<u16> = (0..).zip(&written).filter(|(_, group)| matches(group)).map(|(n, _)| n).collect();
        match HostGroups::new(&joined) {
            Ok(groups) => {
                prop_assert!(naive.len() <= 1);
                prop_assert_eq!(groups.of_authority(&authority), naive.first().copied().map(HostGroup));
            }
            // Two groups overlap: a host is in both.
            Err(_) => prop_assert!(written.len() > 1),
        }
    }
}
