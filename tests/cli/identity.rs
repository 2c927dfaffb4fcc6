//! `harvestman identity`, and the settings of signed requests.

use std::fs;
use std::path::Path;

use data_encoding::BASE64;
use harvestman::identity::SigningKey;

use super::{run, stderr, stdout};

/// A folder with a key file.
fn key() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bot.pem").display().to_string();
    let output = run(&["identity", "new", &path]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    (folder, path)
}

/// The thumbprint of the key in a file.
fn thumbprint(path: &str) -> String {
    SigningKey::from_pem(&fs::read(path).unwrap()).unwrap().public().thumbprint().to_owned()
}

#[test]
fn a_key_is_created_once_shown_and_never_printed() {
    let (_folder, path) = key();
    let secret = fs::read_to_string(&path).unwrap().lines().nth(1).unwrap()[22..].to_owned();
    let again = run(&["identity", "new", &path]);
    assert!(again.status.code() == Some(1) && stderr(&again).contains("exists already"), "{}", stderr(&again));
    let shown = run(&["identity", "show", &path]);
    let keyid = thumbprint(&path);
    assert!(stdout(&shown).starts_with(&format!("keyid: {keyid}\njwk: {{")), "{}", stdout(&shown));
    let directory = run(&["identity", "directory", &path, "--agent", "https://bot.test"]);
    let signed = run(&["identity", "sign", &path, "https://a.test/", "--agent", "https://bot.test"]);
    for output in [again, shown, directory, signed] {
        let text = stdout(&output) + &stderr(&output);
        assert!((0..secret.len() - 10).all(|at| !text.contains(&secret[at..at + 10])), "{text}");
    }
}

#[test]
fn the_directory_is_printed_as_a_response_or_written_as_files() {
    let (folder, path) = key();
    let printed = stdout(&run(&["identity", "directory", &path, "--agent", "https://bot.test"]));
    let (head, body) = printed.split_once("\n\n").unwrap();
    assert!(head.contains("\nContent-Type: application/http-message-signatures-directory+json\n"), "{head}");
    assert!(
        head.contains("tag=\"http-message-signatures-directory\"") && body.contains(&thumbprint(&path)),
        "{printed}"
    );
    let out = folder.path().join("site");
    let arguments = ["identity", "directory", &path, "--agent", "https://bot.test", "--out", out.to_str().unwrap()];
    let said = stdout(&run(&arguments));
    assert!(said.contains("https://bot.test/.well-known/http-message-signatures-directory"), "{said}");
    assert_eq!(fs::read_to_string(out.join(".well-known/http-message-signatures-directory")).unwrap(), body);
    let headers = fs::read_to_string(out.join("http-message-signatures-directory.headers")).unwrap();
    assert_eq!(headers.lines().count(), 5, "{headers}");
}

#[test]
fn the_page_about_the_crawler_has_its_purpose_its_user_agent_and_its_key() {
    let (_folder, path) = key();
    let contact = "https://bot.test/about";
    let output = run(&["identity", "page", "--contact", contact, "--purpose", "research", "--sign-key", &path]);
    let (page, said) = (stdout(&output), stderr(&output));
    assert_eq!((output.status.code(), said.as_str()), (Some(0), ""));
    let user_agent = format!("harvestman/{} (+{contact})", env!("CARGO_PKG_VERSION"));
    for part in ["<strong>research</strong>", &user_agent, &thumbprint(&path), "User-agent: harvestman\nDisallow: /\n"]
    {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(stderr(&run(&["identity", "page"])).contains("--contact"));
}

#[test]
fn arguments_that_cannot_be_used_are_named() {
    let (_folder, path) = key();
    let cases: &[(&[&str], i32, &str)] = &[
        (&["identity", "show", "/nonexistent.pem"], 1, "/nonexistent.pem"),
        (&["identity", "show", "/"], 1, "is a directory"),
        (&["identity", "directory", &path, "--agent", "http://bot.test"], 2, "https origin"),
        (&["identity", "directory", &path, "--agent", "https://bot.test", "--valid", "400d"], 2, "from 1m to 366d"),
        (&["identity", "sign", &path, "a.test"], 2, "not a whole URL"),
        (&["identity", "sign", &path, "http://a.test/", "--accept", "s=(\"@status\")"], 1, "cannot sign as asked"),
        (&["identity", "sign", &path, "http://a.test/", "--accept", "s=(\"cookie\")"], 1, "no \"cookie\""),
        (&["crawl", "http://127.0.0.1:9/", "--out", "/nonexistent/x", "--sign-key", "/"], 2, "is a directory"),
    ];
    for (arguments, code, part) in cases {
        let output = run(arguments);
        assert!(output.status.code() == Some(*code) && stderr(&output).contains(part), "{part}: {}", stderr(&output));
    }
}

#[test]
fn a_key_in_the_place_of_its_file_is_refused_without_repeating_it() {
    let pem = SigningKey::new_pem(&[42; 32]);
    let output = run(&["config", "--sign-key", &pem]);
    let said = stdout(&output) + &stderr(&output);
    assert!(output.status.code() == Some(2) && said.contains("path of a file"), "{said}");
    assert!(!said.contains(&BASE64.encode(&[42; 12])[..12]), "{said}");
}

#[cfg(unix)]
#[test]
fn a_key_that_others_may_read_is_used_with_a_warning() {
    use std::os::unix::fs::PermissionsExt;
    let (_folder, path) = key();
    fs::set_permissions(Path::new(&path), fs::Permissions::from_mode(0o640)).unwrap();
    let output = run(&["identity", "show", &path]);
    assert!(output.status.code() == Some(0) && stderr(&output).contains("chmod 600"), "{}", stderr(&output));
}
