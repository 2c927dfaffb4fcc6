//! Writes results to a file or standard output.

use std::fmt;
use std::io::{self, Write as _};
use std::path::Path;

use super::exit::{Exit, Failure};
use harvestman_report::terminal;

/// Writes a text to a file; `-` is standard output.
pub fn write_text(text: &str, path: &Path) -> Result<(), Failure> {
    let written = if is_stdout(path) { print_text(text) } else { std::fs::write(path, text) };
    written.map_err(|error| Failure::new(Exit::Output, format!("cannot write {}: {error}", path.display())))
}

/// Prints a text. A closed pipe is not an error.
pub fn print_text(text: &str) -> io::Result<()> {
    let mut out = terminal::stdout();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

/// Returns whether a path means standard output.
pub fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Writes a line with a name and a value.
pub fn fact(f: &mut fmt::Formatter<'_>, name: &str, value: impl fmt::Display) -> fmt::Result {
    writeln!(f, "  {name:<10} {value}")
}
