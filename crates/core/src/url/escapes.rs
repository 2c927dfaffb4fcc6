//! Normalised percent-encoding (RFC 3986, sections 2.1 and 6.2.2).

/// Returns whether `byte` is equivalent escaped and unescaped (RFC 3986, section 2.3).
const fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

/// Returns the value of the two hexadecimal digits that `digits` starts with.
pub(super) fn hex_pair(digits: &[u8]) -> Option<u8> {
    let [high, low, ..] = digits else { return None };
    let value = |digit: u8| char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok());
    Some(value(*high)? << 4 | value(*low)?)
}

/// Returns whether `escape`, which starts with `%`, starts with an escape that [`normalise`] leaves unchanged.
pub(super) fn is_normal(escape: &[u8]) -> bool {
    let upper_case = |digit: &u8| matches!(digit, b'0'..=b'9' | b'A'..=b'F');
    escape.len() >= 3
        && escape[1..3].iter().all(upper_case)
        && hex_pair(&escape[1..]).is_some_and(|b| !is_unreserved(b))
}

/// Appends `text` to `out` with unreserved characters unescaped and the hexadecimal digits of all other escapes in
/// upper case. A `%` that starts no escape becomes `%25`: servers read it so, and otherwise unescaping the characters
/// behind it might make it the start of one.
pub(super) fn normalise(text: &str, out: &mut String) {
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'%', rest.as_bytes()) {
        out.push_str(&rest[..at]);
        let Some(byte) = hex_pair(&rest.as_bytes()[at + 1..]) else {
            out.push_str("%25");
            rest = &rest[at + 1..];
            continue;
        };
        if is_unreserved(byte) {
            out.push(char::from(byte));
        } else {
            push_escape(byte, out);
        }
        rest = &rest[at + 3..];
    }
    out.push_str(rest);
}

/// Appends the escape of `byte`.
fn push_escape(byte: u8, out: &mut String) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    out.push('%');
    out.push(char::from(DIGITS[usize::from(byte >> 4)]));
    out.push(char::from(DIGITS[usize::from(byte & 15)]));
}

/// Appends `text` to `out` with all escapes decoded, nested ones (`%253F`) too, in one pass.
pub(super) fn decode_all_levels(text: &[u8], out: &mut Vec<u8>) {
    let mut at = 0;
    while at < text.len() {
        let mut byte = text[at];
        at += 1;
        // A decoded percent sign may itself start an escape with the following characters.
        while byte == b'%' {
            let Some(decoded) = hex_pair(&text[at..]) else { break };
            byte = decoded;
            at += 2;
        }
        out.push(byte);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normalised(text: &str) -> String {
        let mut out = String::new();
        normalise(text, &mut out);
        out
    }

    #[test]
    fn unreserved_escapes_are_decoded_and_the_others_upper_cased() {
        for (given, wanted) in [
            ("%41%7a%30%2d%2E%5f%7E", "Az0-._~"),
            ("%2f%3f%23%2b%26%20%c3%a9", "%2F%3F%23%2B%26%20%C3%A9"),
            ("100%", "100%25"),
            ("%zz%4", "%25zz%254"),
            ("%%34%31", "%2541"),
            ("%252e", "%252e"),
        ] {
            assert_eq!(normalised(given), wanted, "{given}");
            assert_eq!(normalised(wanted), wanted, "{given}");
        }
    }

    #[test]
    fn an_escape_is_normal_exactly_where_normalising_leaves_it() {
        for first in 0_u8..128 {
            for second in 0_u8..128 {
                let escape = ['%', char::from(first), char::from(second)].iter().collect::<String>();
                let left = normalised(&escape) == escape;
                assert_eq!(
                    is_normal(escape.as_bytes()),
                    left && hex_pair(&escape.as_bytes()[1..]).is_some(),
                    "{escape}"
                );
            }
        }
        assert!(!is_normal(b"%") && !is_normal(b"%2"));
    }

    #[test]
    fn nested_escapes_are_decoded_down_to_the_ground() {
        let mut out = Vec::new();
        decode_all_levels(b"a%3Fb%253Fc%25252Fd%2", &mut out);
        assert_eq!(out, b"a?b?c/d%2");
    }
}
