//! The parts of a crawl are connected by handles. A handle is complete when it is created: it has no cells that are
//! filled in later. No code accesses the field inside a handle.

use crate::exceptions::{Exception, Violations, check};
use crate::sources::{CRATES, Crate};

/// The crate that connects the parts of a crawl.
const CONNECTED_IN: &str = "pipeline";
/// Cells that are filled in after they are created.
const FILLED_LATER: &[&str] = &["OnceLock", "OnceCell"];
/// The names of variables and fields that hold handles.
const HANDLES: &[&str] = &["handle", "handles", "lines"];

/// The accesses that are excused: `FILE WORD` or `FILE HANDLE.0`.
const EXCEPTIONS: &[Exception] = &[];

fn violations(of: &Crate) -> Violations {
    let mut found = Violations::new();
    for (file, module) in of.modules() {
        let cells = FILLED_LATER.iter().filter(|word| module.words.contains(**word));
        found.extend(cells.map(|word| (format!("{file} {word}"), "is filled in later".to_owned())));
        let opened = HANDLES.iter().filter(|name| module.opened.contains(**name));
        found.extend(opened.map(|name| (format!("{file} {name}.0"), "reaches through a handle".to_owned())));
    }
    found
}

#[test]
fn handles_are_complete_and_closed() {
    let connected = CRATES.iter().filter(|of| of.name == CONNECTED_IN);
    assert_eq!(connected.clone().count(), 1);
    check(EXCEPTIONS, connected.map(|of| (of, violations(of))));
}

#[test]
fn cells_and_opened_handles_are_found() {
    let sample = Crate::sample(&[
        ("lib.rs", "mod a; mod b; mod c; mod d; #[cfg(test)] mod tests { use std::sync::OnceLock; }"),
        ("a.rs", "use std::sync::{Arc, OnceLock as Cell};"),
        (
            "b.rs",
            "struct B { cell: Arc<std::cell::OnceCell<u8>> } impl B { #[cfg(test)] fn f(lines: H) { lines.0.f() } }",
        ),
        ("c.rs", "fn f() { make!(OnceLock::new()); assert!(self.handles.0.len() > 0); other.lines.0.1.send(1); }"),
        (
            "d.rs",
            r#"
            //! OnceLock, handles.0.x
            fn f() { "OnceLock handles.0.x"; handles.frontier.0.send(2); self.0.lines; lines.1.x(); lines().0; }
            "#,
        ),
    ]);
    let found: Vec<String> = violations(&sample).into_keys().collect();
    assert_eq!(found, ["a.rs OnceLock", "b.rs OnceCell", "c.rs OnceLock", "c.rs handles.0", "c.rs lines.0"]);
}
