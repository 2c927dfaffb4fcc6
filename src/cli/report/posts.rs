//! Reads the posts that crawls wrote.

use std::path::PathBuf;

use crate::cli::lines::{Lines, Next};
use harvestman_extraction::POSTS_FILE;
use harvestman_posts::site::unix_seconds;
use harvestman_report::document::{PostFigures, PostReading, Sources};

/// Returns the figures of the posts of all directories; `None` if none has any. Notes what cannot be read.
pub(super) fn read(paths: &[PathBuf], all: &mut [Sources]) -> Option<PostFigures> {
    let mut reading = PostReading::new(unix_seconds);
    let mut is_any = false;
    for (path, sources) in paths.iter().zip(all) {
        match Lines::open(path, POSTS_FILE) {
            Ok(None) => {}
            Ok(Some(lines)) => {
                is_any = true;
                sources.notes.extend(read_all(lines, &mut reading));
            }
            Err(error) => sources.notes.push(format!("The posts are skipped: {error:#}.")),
        }
    }
    is_any.then(|| reading.finish())
}

/// Reads all lines. Returns a note if they cannot be read to their end. A line that is being written is left out.
fn read_all(mut lines: Lines, reading: &mut PostReading) -> Option<String> {
    loop {
        match lines.step() {
            Ok(Next::Line(line)) => reading.add(line),
            Ok(Next::TooLong) => reading.damaged(),
            Ok(Next::Torn | Next::End) => return None,
            Err(error) => return Some(format!("{POSTS_FILE} cannot be read to its end: {error}.")),
        }
    }
}
