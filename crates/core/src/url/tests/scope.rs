//! The scope of a crawl, setting by setting.

use proptest::prelude::*;

use super::{canonical, url_like};
use crate::config::url::{ScopeMode, ScopeOptions};
use crate::url::{Error, OutOfScope, Scope};

fn scope(options: ScopeOptions, seeds: &[&str]) -> Scope {
    let seeds: Vec<_> = seeds.iter().map(|seed| canonical(seed)).collect();
    Scope::new(&options, &seeds).unwrap()
}

fn of_mode(mode: ScopeMode, seeds: &[&str]) -> Scope {
    scope(ScopeOptions { mode, ..ScopeOptions::default() }, seeds)
}

#[track_caller]
fn check(scope: &Scope, cases: &[(&str, Result<(), OutOfScope>)]) {
    for (url, wanted) in cases {
        assert_eq!(scope.check(canonical(url).as_str()), *wanted, "{url}");
    }
}

const OFF_HOST: Result<(), OutOfScope> = Err(OutOfScope::Host);

#[test]
fn by_default_the_crawl_stays_on_its_seeds_hosts_and_ports() {
    let scope = of_mode(ScopeMode::Host, &["http://example.org/forum/", "http://127.0.0.1:8101/"]);
    check(
        &scope,
        &[
            ("http://example.org/", Ok(())),
            ("https://example.org/x", Ok(())),
            ("http://127.0.0.1:8101/x", Ok(())),
            ("http://www.example.org/", OFF_HOST),
            ("http://example.org:8080/", OFF_HOST),
            ("http://127.0.0.1:8102/", OFF_HOST),
            ("http://127.0.0.1/", OFF_HOST),
            ("http://example.org.evil.net/", OFF_HOST),
        ],
    );
}

#[test]
fn domain_scope_reaches_all_hosts_of_one_owner_and_no_other() {
    let scope =
        of_mode(ScopeMode::Domain, &["http://www.example.co.uk/", "http://alice.github.io/", "http://127.0.0.1:1/"]);
    check(
        &scope,
        &[
            ("https://example.co.uk/", Ok(())),
            ("http://a.b.example.co.uk:8080/", Ok(())),
            ("http://x.alice.github.io/", Ok(())),
            ("http://127.0.0.1:2/", Ok(())),
            ("http://other.co.uk/", OFF_HOST),
            ("http://badexample.co.uk/", OFF_HOST),
            ("http://bob.github.io/", OFF_HOST),
            ("http://github.io/", OFF_HOST),
            ("http://10.0.0.1/", OFF_HOST),
        ],
    );
}

#[test]
fn a_public_suffix_within_a_domain_ends_it() {
    let scope = of_mode(ScopeMode::Domain, &["http://www.amazonaws.com/"]);
    check(&scope, &[("http://docs.amazonaws.com/", Ok(())), ("http://bucket.s3.amazonaws.com/", OFF_HOST)]);
    check(&of_mode(ScopeMode::Domain, &["http://github.io/"]), &[("http://a.github.io/", OFF_HOST)]);
}

#[test]
fn names_below_localhost_are_sites_of_their_own_unless_localhost_is_the_seed() {
    let one = of_mode(ScopeMode::Domain, &["http://a.localhost:8000/"]);
    check(
        &one,
        &[
            ("http://b.a.localhost:9000/", Ok(())),
            ("http://b.localhost:8000/", OFF_HOST),
            ("http://localhost:8000/", OFF_HOST),
        ],
    );
    let all = of_mode(ScopeMode::Domain, &["http://localhost:8000/"]);
    check(&all, &[("http://a.localhost:8000/", Ok(())), ("http://localhost/", Ok(())), ("http://host/", OFF_HOST)]);
}

#[test]
fn prefix_scope_keeps_to_the_seeds_directories() {
    let scope = of_mode(ScopeMode::Prefix, &["http://h/forum/index.php?x=/y/", "http://g:81"]);
    check(
        &scope,
        &[
            ("https://h/forum/topic/1", Ok(())),
            ("http://h/forum/", Ok(())),
            ("http://h/forum", Err(OutOfScope::Prefix)),
            ("http://h/forums/", Err(OutOfScope::Prefix)),
            ("http://g:81/x", Ok(())),
            ("http://g/x", OFF_HOST),
        ],
    );
}

#[test]
fn hosts_may_be_added_by_name_by_port_and_by_suffix() {
    let hosts = ["Example.ORG", "h:8080", "*.bücher.de", "[::1]", "10.0.0.1:80"].map(str::to_owned).to_vec();
    let scope = scope(ScopeOptions { hosts, ..ScopeOptions::default() }, &["http://seed/"]);
    check(
        &scope,
        &[
            ("http://seed/", Ok(())),
            ("http://example.org:81/", Ok(())),
            ("http://h:8080/", Ok(())),
            ("http://h/", OFF_HOST),
            ("http://a.b.bücher.de/", Ok(())),
            ("http://bücher.de/", OFF_HOST),
            ("http://[::1]:9/", Ok(())),
        ],
    );
}

#[test]
fn patterns_include_and_exclude_and_exclusion_wins() {
    let options = ScopeOptions {
        mode: ScopeMode::Any,
        include: vec!["/topic/".into(), "/user/".into()],
        exclude: vec![r"[?&]sort=".into()],
        ..ScopeOptions::default()
    };
    check(
        &scope(options, &[]),
        &[
            ("http://anywhere/topic/1", Ok(())),
            ("http://anywhere/forum/1", Err(OutOfScope::NotIncluded)),
            ("http://anywhere/topic/1?sort=a", Err(OutOfScope::Excluded)),
        ],
    );
}

#[test]
fn all_mistakes_are_reported_together_and_say_what_to_do() {
    let options = ScopeOptions {
        include: vec!["(".into(), "fine".into()],
        exclude: vec!["[z-a]".into(), r"\w{1000}{1000}".into()],
        hosts: vec!["a b".into(), "*.".into(), "h:x".into(), "*.h:80".into(), "http://h/".into(), "ok.org".into()],
        ..ScopeOptions::default()
    };
    let Error::Entries(entries) = Scope::new(&options, &[]).unwrap_err();
    let values: Vec<_> = entries.iter().map(|entry| (entry.setting, entry.value.as_str())).collect();
    assert_eq!(
        values,
        [
            ("scope.hosts", "a b"),
            ("scope.hosts", "*."),
            ("scope.hosts", "h:x"),
            ("scope.hosts", "*.h:80"),
            ("scope.hosts", "http://h/"),
            ("scope.include", "("),
            ("scope.exclude", "[z-a]"),
            ("scope.exclude", r"\w{1000}{1000}"),
        ]
    );
    assert!(entries[5].problem.contains("unclosed group"), "{}", entries[5].problem);
    assert!(entries[7].problem.contains("compiles to more than"), "{}", entries[7].problem);
}

#[test]
fn patterns_that_are_too_large_together_are_refused() {
    let include = (0..100).map(|n| format!(r"\d{{200}}{n}")).collect();
    let options = ScopeOptions { include, ..ScopeOptions::default() };
    let error = Scope::new(&options, &[]).unwrap_err().to_string();
    assert!(error.starts_with("scope.include: `100 patterns`: compiles to more than"), "{error}");
}

#[test]
fn length_and_traps_are_refused_from_their_limits_on() {
    let scope = of_mode(ScopeMode::Any, &[]);
    let url = |length: usize| format!("http://h/{}", "x".repeat(length - 9));
    assert_eq!(scope.check(&url(2048)), Ok(()));
    assert_eq!(scope.check(&url(2049)), Err(OutOfScope::TooLong));
    assert_eq!(scope.check("http://h/a/b/a/b/a/b"), Err(OutOfScope::Trap));
    let unguarded = ScopeOptions { trap_guard: false, mode: ScopeMode::Any, ..ScopeOptions::default() };
    assert_eq!(super::scope::scope(unguarded, &[]).check("http://h/a/b/a/b/a/b"), Ok(()));
}

proptest! {
    #[test]
    fn no_text_makes_a_check_panic(url in prop_oneof![url_like(), any::<String>()], any_text in any::<String>()) {
        for mode in [ScopeMode::Host, ScopeMode::Domain, ScopeMode::Prefix, ScopeMode::Any] {
            let scope = of_mode(mode, &["http://www.example.org/a/b"]);
            let _ = scope.check(&url);
            let _ = scope.check(&any_text);
        }
    }

    #[test]
    fn every_seed_is_on_a_host_of_its_own_scope(seed in url_like()) {
        let Ok(seed) = super::canonicaliser().parse(&seed) else { return Ok(()) };
        for mode in [ScopeMode::Host, ScopeMode::Domain, ScopeMode::Prefix] {
            let outcome = of_mode(mode, &[seed.as_str()]).check(seed.as_str());
            prop_assert!(!matches!(outcome, Err(OutOfScope::Host | OutOfScope::Prefix)), "{} {:?}", seed, mode);
        }
    }
}
