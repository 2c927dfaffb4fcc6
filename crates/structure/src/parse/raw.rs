//! Elements whose content is always text: where that text ends (HTML standard, sections 13.2.5.2 ff.).

use memchr::memchr;

use super::bytes::ENDS_TAG_NAME;

/// How the content of such an element is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Raw {
    /// As written: `style`, `xmp`, `iframe`, `noembed`, `noframes`.
    Text,
    /// With entities: `title`, `textarea`.
    Escapable,
    /// A script, which may hide its end tag in a comment.
    Script,
    /// To the end of the page.
    Plain,
}

/// Returns the end of the content that begins at `from`: the end tag of `name` (lower case), or the end of the page.
pub(super) fn end_of_content(bytes: &[u8], from: usize, raw: Raw, name: &str) -> usize {
    match raw {
        Raw::Plain => bytes.len(),
        Raw::Script => end_of_script(bytes, from),
        Raw::Text | Raw::Escapable => {
            let mut at = from;
            while let Some(skip) = memchr(b'<', &bytes[at..]) {
                at += skip + 1;
                if is_tag(bytes, at, b"/", name) {
                    return at - 1;
                }
            }
            bytes.len()
        }
    }
}

/// Returns whether `prefix`, `name` in any letter case and the end of a tag's name are at `at`.
fn is_tag(bytes: &[u8], at: usize, prefix: &[u8], name: &str) -> bool {
    let Some(rest) = bytes.get(at..).and_then(|rest| rest.strip_prefix(prefix)) else { return false };
    rest.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name.as_bytes()))
        && rest.get(name.len()).is_some_and(|b| ENDS_TAG_NAME[usize::from(*b)])
}

/// Returns the end of a script. In `<!-- <script> … </script> -->` the end tag does not end the outer script.
fn end_of_script(bytes: &[u8], from: usize) -> usize {
    let (mut in_comment, mut in_inner) = (false, false);
    let mut at = from;
    while let Some(skip) = memchr::memchr2(b'<', b'>', &bytes[at..]) {
        at += skip + 1;
        if bytes[at - 1] == b'>' {
            // `<!-->` opens a comment and closes it, so the dashes may be those that opened it.
            if in_comment && bytes[..at - 1].ends_with(b"--") {
                (in_comment, in_inner) = (false, false);
            }
        } else if !in_comment && bytes[at..].starts_with(b"!--") {
            in_comment = true;
        } else if is_tag(bytes, at, b"/", "script") {
            if !in_inner {
                return at - 1;
            }
            in_inner = false;
        } else if in_comment && is_tag(bytes, at, b"", "script") {
            in_inner = true;
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_ends_at_its_own_end_tag_only() {
        let page = b"x</b><title></titles></TITLE >y";
        assert_eq!(&page[end_of_content(page, 0, Raw::Escapable, "title")..], b"</TITLE >y");
        assert_eq!(end_of_content(b"abc</title", 0, Raw::Text, "title"), 10);
        assert_eq!(end_of_content(b"a</plaintext>", 0, Raw::Plain, "plaintext"), 13);
    }

    #[test]
    fn a_script_may_hide_an_end_tag_in_a_comment() {
        let end = |script: &str| {
            let end = end_of_content(script.as_bytes(), 0, Raw::Script, "script");
            script[end..].to_owned()
        };
        assert_eq!(end("if (a</script/) <b></script>1"), "</script/) <b></script>1");
        assert_eq!(end("<!-- </script>2 -->"), "</script>2 -->");
        assert_eq!(end("<!-- <script></script> --></script>3"), "</script>3");
        assert_eq!(end("<!-- <script> --></script>4</script>"), "</script>4</script>");
        assert_eq!(end("<!--> <script></script>5</script>"), "</script>5</script>");
        assert_eq!(end("<!-- <script></script></script>6"), "</script>6");
        assert_eq!(end("<script></script>7</script>"), "</script>7</script>");
        assert_eq!(end("<!-- <script>"), "");
    }
}
