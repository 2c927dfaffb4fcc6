//! Document types: which of them select the quirks rules (HTML standard, section 13.2.6.4.1).

/// Public identifiers that select the quirks rules, up to their versions.
const OLD: &[&str] = &[
    "-//w3c//dtd html 4.0 transitional//",
    "-//w3c//dtd html 4.0 frameset//",
    "-//w3c//dtd html 3",
    "-//w3c//dtd html experimental",
    "-//w3c//dtd w3 html//",
    "-//w3o//dtd w3 html",
    "-//ietf//dtd html",
    "-//microsoft//dtd internet explorer",
    "-//netscape comm. corp.//dtd",
    "-//softquad",
    "-//webtechs//dtd mozilla html",
    "-//sun microsystems corp.//dtd hotjava",
    "-//o'reilly and associates//dtd html",
    "-//advasoft ltd//dtd html",
    "-//as//dtd html 3.0",
    "-//metrius//dtd",
    "-//spyglass//dtd html",
    "-//sq//dtd html",
    "-/w3c/dtd html 4.0 transitional/en",
];
/// Public identifiers that do so if no system identifier follows.
const OLD_WITHOUT_SYSTEM: &[&str] = &["-//w3c//dtd html 4.01 transitional//", "-//w3c//dtd html 4.01 frameset//"];
/// Maximum length of a document type that is read; a longer one counts as modern.
const DOCTYPE_MAX: usize = 1 << 10;

/// Returns whether the text between `<!doctype` and `>` selects the quirks rules.
pub(super) fn is_quirky(doctype: &[u8]) -> bool {
    let text = String::from_utf8_lossy(&doctype[..doctype.len().min(DOCTYPE_MAX)]).to_ascii_lowercase();
    let text = text.trim_start();
    let name_end = text.find(|c: char| c.is_ascii_whitespace()).unwrap_or(text.len());
    let (name, rest) = text.split_at(name_end);
    if name != "html" {
        return true;
    }
    let Some(rest) = rest.trim_start().strip_prefix("public") else { return false };
    let Some((public, rest)) = quoted(rest) else { return true };
    let begins = |prefixes: &[&str]| prefixes.iter().any(|prefix| public.starts_with(prefix));
    public == "html" || begins(OLD) || (begins(OLD_WITHOUT_SYSTEM) && quoted(rest).is_none())
}

/// Returns the quoted text at the beginning of `text`, and the text behind it.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    text[1..].split_once(quote)
}

#[cfg(test)]
mod tests {
    use super::is_quirky;

    #[test]
    fn old_document_types_are_told_from_modern_ones() {
        for modern in [
            " html",
            "HTML ",
            " html SYSTEM 'about:legacy-compat'",
            " HTML PUBLIC \"-//W3C//DTD HTML 4.01//EN\" 'http://www.w3.org/TR/html4/strict.dtd'",
            " HTML PUBLIC \"-//W3C//DTD HTML 4.01 Transitional//EN\" 'http://www.w3.org/TR/html4/loose.dtd'",
            " html PUBLIC \"-//W3C//DTD XHTML 1.0 Transitional//EN\" \"x\"",
        ] {
            assert!(!is_quirky(modern.as_bytes()), "{modern}");
        }
        for old in [
            "",
            " svg",
            " html PUBLIC",
            " HTML PUBLIC \"-//W3C//DTD HTML 4.01 Transitional//EN\"",
            " HTML PUBLIC '-//W3C//DTD HTML 3.2 Final//EN'",
            " html public '-//IETF//DTD HTML//EN' 'x'",
        ] {
            assert!(is_quirky(old.as_bytes()), "{old}");
        }
    }
}
