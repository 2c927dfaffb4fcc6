//! Actions are named by commit and container images by digest, because whoever controls a tag can move it.

use super::{nothing, root};

/// Files of this kind name images of other people.
const IMAGES: &[&str] = &["Dockerfile", "compose.yml", "compose.fleet.yml"];

fn is_hex(text: &str, digits: usize) -> bool {
    text.len() == digits && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// `uses:` lines without a commit.
fn actions_by_tag(workflow: &str) -> Vec<&str> {
    let used = workflow.lines().filter_map(|line| line.trim().trim_start_matches("- ").strip_prefix("uses: "));
    used.filter(|action| {
        let commit = action.split_once('@').map(|(_, rest)| rest.split_whitespace().next().unwrap_or_default());
        !commit.is_some_and(|commit| is_hex(commit, 40))
    })
    .collect()
}

/// Lines that name an image without its digest.
fn images_by_tag(file: &str) -> Vec<&str> {
    let named = file.lines().filter_map(|line| {
        let line = line.trim();
        line.strip_prefix("FROM ").or_else(|| line.strip_prefix("image: "))
    });
    named
        .filter(|image| {
            let digest =
                image.split_once("@sha256:").map(|(_, rest)| rest.split_whitespace().next().unwrap_or_default());
            !digest.is_some_and(|digest| is_hex(digest, 64))
        })
        .collect()
}

#[test]
fn actions_are_named_by_commit() {
    assert_eq!(
        actions_by_tag("  - uses: a/b@v4\n    uses: c/d@0123456789abcdef0123456789abcdef01234567 # v1\n"),
        ["a/b@v4"]
    );
    let mut found = Vec::new();
    for entry in std::fs::read_dir(root().join(".github/workflows")).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        found.extend(actions_by_tag(&text).into_iter().map(|action| format!("{}: {action}", path.display())));
    }
    nothing(&found);
}

#[test]
fn images_are_named_by_digest() {
    let digest = "0123456789abcdef".repeat(4);
    assert_eq!(images_by_tag(&format!("FROM a:1\nFROM b:2@sha256:{digest} AS c\n  image: d\n")), ["a:1", "d"]);
    let mut found = Vec::new();
    for name in IMAGES {
        let text = std::fs::read_to_string(root().join(name)).unwrap();
        found.extend(images_by_tag(&text).into_iter().map(|image| format!("{name}: {image}")));
    }
    nothing(&found);
}
