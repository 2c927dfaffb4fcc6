//! Standard output and standard error. What a program prints holds text of sites: titles, addresses, names, headers. On
//! a terminal, control characters in it would move the cursor, rename the window or hide what was printed, and
//! directional characters would reorder it. Everything that commands print passes the writers of this module, which
//! write such characters as `\u001b`.
//!
//! JSON stays valid and keeps its values: there such characters are possible in strings only, where this notation means
//! them.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, IsTerminal as _, Write};

/// Returns standard output for a person, or for a program that reads JSON.
pub fn stdout() -> SafeWriter<io::Stdout> {
    SafeWriter::new(io::stdout())
}

/// Returns standard error.
pub fn stderr() -> SafeWriter<io::Stderr> {
    SafeWriter::new(io::stderr())
}

/// Returns standard output for data that must arrive unchanged, such as a record of a WARC file. On a terminal it is
/// [`stdout`].
pub fn data() -> Box<dyn Write + Send> {
    if io::stdout().is_terminal() { Box::new(stdout()) } else { Box::new(io::stdout()) }
}

/// Returns whether standard error is a terminal, where a line can be redrawn.
pub fn is_interactive() -> bool {
    io::stderr().is_terminal()
}

/// Returns whether standard error shows colours.
pub fn has_colours() -> bool {
    is_interactive() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// Writes a line to standard error, which may be closed.
pub fn tell(line: fmt::Arguments<'_>) {
    let _ = writeln!(stderr(), "{line}");
}

/// Writes a text of several lines to standard error that the program has coloured, if [`has_colours`] holds.
pub fn tell_coloured(text: &str) {
    let _ = io::stderr().write_all(coloured(text).as_bytes());
}

/// Writes a line of a log to standard error: whatever is in it, it stays one line.
///
/// # Errors
/// Standard error fails.
pub fn log_line(line: &str, has_colours: bool) -> io::Result<()> {
    let (line, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
    let line = if has_colours { coloured(line) } else { safe(line).into_owned() };
    io::stderr().write_all((line.replace('\n', "\\n") + end).as_bytes())
}

/// Prints panics through [`stderr`]: their messages may quote a page.
pub fn catch_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let thread = std::thread::current();
        let backtrace = std::backtrace::Backtrace::capture();
        tell(format_args!("thread '{}' {panic}", thread.name().unwrap_or("<unnamed>")));
        if backtrace.status() == std::backtrace::BacktraceStatus::Captured {
            tell(format_args!("{backtrace}"));
        }
    }));
}

/// Returns whether a character acts on a terminal, or on the order of the text around it. Line feeds and tabs do not
/// count.
const fn is_active(c: char) -> bool {
    matches!(
        c,
        '\0'..='\u{8}' | '\u{b}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}'
    )
}

/// Returns a text in which such characters are written as `\u001b`.
pub fn safe(text: &str) -> Cow<'_, str> {
    if !text.contains(is_active) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_active(c) {
            safe.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            safe.push(c);
        }
    }
    Cow::Owned(safe)
}

/// Returns [`safe`] text that keeps sequences which only change the colour or weight of letters (SGR).
fn coloured(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let mut safe_text = safe(parts.next().unwrap_or_default()).into_owned();
    for part in parts {
        let numbers = part.find(|c: char| !c.is_ascii_digit() && c != ';').unwrap_or(part.len());
        let rest = part[numbers..].strip_prefix('m');
        safe_text.push_str(if rest.is_some() { "\u{1b}[" } else { "\\u001b[" });
        safe_text.push_str(&safe(part));
    }
    safe_text
}

/// A writer of [`safe`] text. Bytes that are not UTF-8 become U+FFFD.
#[derive(Debug)]
pub struct SafeWriter<W: Write> {
    to: W,
    /// The beginning of a character whose end has not been written yet.
    cut: Vec<u8>,
}

impl<W: Write> SafeWriter<W> {
    /// Writes to `to`.
    pub const fn new(to: W) -> Self {
        Self { to, cut: Vec::new() }
    }
}

impl<W: Write> Write for SafeWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.cut.is_empty()
            && let Ok(text) = std::str::from_utf8(bytes)
        {
            self.to.write_all(safe(text).as_bytes())?;
            return Ok(bytes.len());
        }
        let joined = (!self.cut.is_empty()).then(|| [&std::mem::take(&mut self.cut), bytes].concat());
        let mut text = String::with_capacity(bytes.len());
        let mut chunks = joined.as_deref().unwrap_or(bytes).utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            text.push_str(&safe(chunk.valid()));
            let invalid = chunk.invalid();
            let is_cut =
                chunks.peek().is_none() && std::str::from_utf8(invalid).is_err_and(|error| error.error_len().is_none());
            if is_cut {
                self.cut = invalid.to_vec();
            } else if !invalid.is_empty() {
                text.push(char::REPLACEMENT_CHARACTER);
            }
        }
        self.to.write_all(text.as_bytes())?;
        Ok(bytes.len())
    }

    /// Writes a message at once, so that those of several threads do not mix.
    fn write_fmt(&mut self, message: fmt::Arguments<'_>) -> io::Result<()> {
        let mut text = String::new();
        fmt::write(&mut text, message).map_err(io::Error::other)?;
        self.write_all(text.as_bytes())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

impl<W: Write> Drop for SafeWriter<W> {
    fn drop(&mut self) {
        if !self.cut.is_empty() {
            let _ = self.to.write_all("\u{fffd}".as_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written(parts: &[&[u8]]) -> String {
        let mut out = Vec::new();
        let mut writer = SafeWriter::new(&mut out);
        parts.iter().for_each(|part| writer.write_all(part).unwrap());
        drop(writer);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn characters_that_act_on_a_terminal_are_written_as_numbers_and_all_others_stay() {
        assert_eq!(safe("a\u{1b}]0;x\u{7}b\r\u{9b}2J\u{7f}"), "a\\u001b]0;x\\u0007b\\u000d\\u009b2J\\u007f");
        assert_eq!(
            safe("\u{61c}\u{200e}\u{202a}\u{202e}\u{2066}\u{2069}"),
            "\\u061c\\u200e\\u202a\\u202e\\u2066\\u2069"
        );
        for plain in ["a\tb\nc", "häß שלום 你好 👩\u{200d}🚀", "\u{a0}\u{ad}"] {
            assert!(matches!(safe(plain), Cow::Borrowed(text) if text == plain));
        }
    }

    #[test]
    fn json_keeps_its_values() {
        let value = serde_json::json!({"\u{9b}\u{202e}": ["\u{1b}\u{7f}\n\"\\", "\u{2066}"]});
        let text = safe(&serde_json::to_string_pretty(&value).unwrap()).into_owned();
        assert!(!text.contains(is_active));
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
    }

    #[test]
    fn bytes_that_are_no_text_are_replaced() {
        assert_eq!(written(&[b"a\x9b2J\xffb\xe2\x80"]), "a\u{fffd}2J\u{fffd}b\u{fffd}");
    }

    #[test]
    fn a_log_keeps_the_colours_of_the_program_and_nothing_else() {
        assert_eq!(coloured("\u{1b}[2;1mINFO\u{1b}[0m x"), "\u{1b}[2;1mINFO\u{1b}[0m x");
        assert_eq!(coloured("\u{1b}]0;x\u{7}\u{1b}[2J\u{1b}[3"), "\\u001b]0;x\\u0007\\u001b[2J\\u001b[3");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn however_a_text_is_cut_what_is_written_is_the_same(text in "[a\u{1b}é\u{9b}\u{202e}你👩\n]{0,12}", cuts in prop::collection::vec(0_usize..40, 0..6)) {
            let bytes = text.as_bytes();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).chain([0, bytes.len()]).collect();
            cuts.sort_unstable();
            let parts: Vec<&[u8]> = cuts.windows(2).map(|cut| &bytes[cut[0]..cut[1]]).collect();
            prop_assert_eq!(written(&parts), safe(&text));
        }
    }
}
