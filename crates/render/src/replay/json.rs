//! Reading of JSON answers within bounds.

use serde_json::Value;

use super::html::truncate;

/// Maximum length of an answer that is read, in bytes. A longer JSON text is not read at all, as its end is missing.
pub const ANSWER_BYTES_MAX: usize = 4 << 20;
/// Maximum number of values of an answer that are visited.
const VALUES_MAX: usize = 50_000;
/// Maximum depth of a value that is visited.
const DEPTH_MAX: usize = 32;

/// Parses an answer as JSON whatever its type says: sites label it as a script, wrap it in a call (`callback({…})`),
/// or put a prefix before it that keeps scripts from running it. Returns `None` if it is something else.
pub fn parse_json(body: &[u8]) -> Option<Value> {
    if body.len() > ANSWER_BYTES_MAX {
        return None;
    }
    let text = std::str::from_utf8(body).ok()?.trim_start_matches('\u{feff}').trim();
    let text = text.strip_prefix(")]}'").or_else(|| text.strip_prefix("while(1);")).unwrap_or(text).trim_start();
    if text.starts_with(['{', '[']) {
        return serde_json::from_str(text).ok();
    }
    let (function, behind) = text.split_once('(')?;
    let is_name = !function.is_empty() && function.chars().all(|c| c.is_alphanumeric() || "_$./* ".contains(c));
    let (argument, _) = behind.rsplit_once(')')?;
    let is_object = argument.trim_start().starts_with(['{', '[']);
    if is_name && is_object { serde_json::from_str(argument.trim()).ok() } else { None }
}

/// Returns an answer as text: at most [`ANSWER_BYTES_MAX`] bytes, with invalid bytes replaced.
pub fn answer_text(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(&body[..body.len().min(ANSWER_BYTES_MAX)]);
    truncate(&text, ANSWER_BYTES_MAX).to_owned()
}

/// Returns the names of the fields that lead to a value, joined by hyphens: `replies-text` for `replies.*.text`.
/// Numbers are no names: they differ from page to page.
pub fn json_field(path: &str) -> String {
    let is_name = |name: &&str| *name != "*" && !name.bytes().all(|byte| byte.is_ascii_digit());
    let names = path.split('.').filter(is_name);
    let class = names.collect::<Vec<_>>().join("-");
    class.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect()
}

/// Reports each value with its path: keys joined by dots, `*` for the elements of a list (`replies.*.id`).
pub fn visit_json(value: &Value, see: &mut dyn FnMut(&str, &Value)) {
    let mut left = VALUES_MAX;
    visit(value, &mut String::new(), 0, &mut left, see);
}

fn visit(value: &Value, path: &mut String, depth: usize, left: &mut usize, see: &mut dyn FnMut(&str, &Value)) {
    if *left == 0 || depth > DEPTH_MAX {
        return;
    }
    *left -= 1;
    see(path, value);
    let length = path.len();
    let dot = if path.is_empty() { "" } else { "." };
    match value {
        Value::Object(fields) => {
            for (key, field) in fields {
                path.push_str(dot);
                path.push_str(key);
                visit(field, path, depth + 1, left, see);
                path.truncate(length);
            }
        }
        Value::Array(elements) => {
            path.push_str(dot);
            path.push('*');
            elements.iter().for_each(|element| visit(element, path, depth + 1, left, see));
            path.truncate(length);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrapped_and_prefixed_json_is_read() {
        for text in [r#"{"a":[1]}"#, r#" )]}'  {"a":[1]}"#, r#"/**/ cb.x({"a":[1]});"#, "\u{feff}{\"a\":[1]}"] {
            let mut paths = Vec::new();
            visit_json(&parse_json(text.as_bytes()).unwrap(), &mut |path, _| paths.push(path.to_owned()));
            assert_eq!(paths, ["", "a", "a.*"], "{text}");
        }
        for text in ["", "<p>(x)</p>", "f(1)", "{", "\"a\"", "f({)", "(", ")("] {
            assert!(parse_json(text.as_bytes()).is_none(), "{text}");
        }
        assert!(parse_json(b"{\"a\":\"\xff\"}").is_none());
    }

    #[test]
    fn deep_and_large_answers_are_bounded() {
        assert!(parse_json(&b"[".repeat(1_000_000)).is_none());
        assert!(parse_json(&vec![b' '; ANSWER_BYTES_MAX + 1]).is_none());
        let nested = format!("{}{}", "[".repeat(100), "]".repeat(100));
        let mut count = 0;
        visit_json(&parse_json(nested.as_bytes()).unwrap(), &mut |_, _| count += 1);
        assert_eq!(count, DEPTH_MAX + 1);
        let long = format!("[{}0]", "0,".repeat(VALUES_MAX * 2));
        count = 0;
        visit_json(&parse_json(long.as_bytes()).unwrap(), &mut |_, _| count += 1);
        assert_eq!(count, VALUES_MAX);
    }
}
