//! Files and URLs that are large, malformed or crafted to be expensive.

use std::fmt::Write;

use super::*;

/// Returns a group for `bot` that is padded with comments to `length` bytes and followed by `rest`.
fn padded(length: usize, rest: &str) -> Vec<u8> {
    let mut file = b"User-agent: bot\nDisallow: /first\n".to_vec();
    while file.len() + 100 < length {
        file.extend_from_slice(&[b'#'; 99]);
        file.push(b'\n');
    }
    file.extend(std::iter::repeat_n(b'#', length - file.len() - 1));
    file.push(b'\n');
    file.extend_from_slice(rest.as_bytes());
    file
}

#[test]
fn a_rule_that_ends_at_the_size_limit_counts_and_one_that_crosses_it_does_not() {
    let rule = "Disallow: /last";
    for (start, counts) in [(BYTE_LIMIT - rule.len(), true), (BYTE_LIMIT - rule.len() + 1, false)] {
        let rules = RobotsRules::parse(&padded(start, &format!("{rule}\nDisallow: /beyond\n")), "bot");
        assert!(!rules.decide("/first").allowed);
        assert_eq!(rules.decide("/last").allowed, !counts, "from {start}");
        assert!(rules.decide("/la").allowed, "a truncated rule must not become a shorter one");
        assert!(rules.decide("/beyond").allowed);
    }
}

#[test]
fn rules_fill_the_size_limit_to_its_end() {
    for line in ["Disallow:/x\n", "Disallow: /x\n", "allow:/x\n"] {
        let mut file = "User-agent: bot\n".to_owned();
        while file.len() + line.len() + 20 < BYTE_LIMIT {
            file.push_str(line);
        }
        file.push_str("Disallow: /last\n");
        assert!(file.len() <= BYTE_LIMIT);
        assert!(!RobotsRules::parse(file.as_bytes(), "bot").decide("/last").allowed, "after many {line:?}");
    }
}

#[test]
fn a_file_of_five_megabytes_is_read_up_to_the_size_limit() {
    let mut file = padded(BYTE_LIMIT, "");
    file.resize(5 << 20, b'x');
    let rules = RobotsRules::parse(&file, "bot");
    assert!(!rules.decide("/first").allowed);
    assert!(RobotsRules::parse(&vec![b'D'; 5 << 20], "bot").decide("/").allowed);
}

#[test]
fn overlong_lines_are_truncated() {
    let name = "disallow: ";
    let within = "/".to_owned() + &"a".repeat(16_663 - name.len() - 1);
    for (pattern, path, allowed) in [
        (within.clone(), within.clone(), false),
        (within.clone() + "b", within.clone(), false),
        (within.clone() + "b", within.clone() + "c", false),
        (within.clone() + "b", within[..within.len() - 1].to_owned(), true),
    ] {
        assert_eq!(allows(&format!("user-agent: bot\n{name}{pattern}\n"), "bot", &path), allowed);
    }
}

#[test]
fn a_hundred_thousand_rules_are_decided_by_the_longest() {
    let mut file = "User-agent: bot\n".to_owned();
    for n in 0..100_000 {
        writeln!(file, "Disallow: /{n}").unwrap();
    }
    let rules = RobotsRules::parse(file.as_bytes(), "bot");
    assert_eq!(rules.decide("/12345/x").rule.as_deref(), Some("Disallow: /12345"));
    assert!(rules.decide("/x").allowed);
    assert!(
        rules.decide("/99999").rule.is_some_and(|rule| rule.len() < "Disallow: /99999".len()),
        "beyond the size limit"
    );
}

#[test]
fn many_stars_against_a_long_path_do_not_take_exponential_time() {
    let pattern = "*a".repeat(5_000) + "*b$";
    let rules = vec![format!("Disallow: /{pattern}"); 30].join("\n");
    let path = "/".to_owned() + &"a".repeat(100_000);
    assert!(allows(&format!("User-agent: bot\n{rules}"), "bot", &path));
    assert!(!allows(&format!("User-agent: bot\n{rules}"), "bot", &(path + "b")));
}

#[test]
fn bytes_that_are_not_text_are_skipped() {
    let rules = RobotsRules::parse(b"\xFF\xFE\0\x01\nUser-agent: bot\nDisallow: /\xFF\nDisallow: /b\n\xC3", "bot");
    assert!(!rules.decide("/%FF").allowed && !rules.decide("/b").allowed && rules.decide("/").allowed);
}
