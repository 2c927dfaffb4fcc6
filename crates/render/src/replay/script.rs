//! A scanner of scripts and JSON texts for `key: value` and `key = value`, linear in the length of its input.
//!
//! It knows strings, numbers, comments and brackets, but no grammar: a script with unusual syntax gives fewer or odd
//! values, and learning then finds that they explain nothing.

/// Maximum depth of brackets whose keys are remembered; deeper keys have the name of the last one remembered.
const DEPTH_MAX: usize = 16;
/// Maximum length of a key or a value, in bytes; longer ones are skipped.
const TEXT_BYTES_MAX: usize = 2_048;
/// Number of enclosing keys that belong to the name of a value.
const KEYS_NAMED: usize = 2;

/// Marks with an equals sign that assign nothing.
const COMPARISONS: [&str; 5] = ["==", "=>", "!=", "<=", ">="];

/// Reads a script.
struct Scan<'s> {
    rest: &'s str,
    /// Keys of the open brackets, and whether they enclose a list of values or arguments.
    open: Vec<(String, bool)>,
    /// Number of open brackets beyond [`DEPTH_MAX`].
    deeper: usize,
    /// The last name or string, which may become a key.
    last: Option<String>,
    /// The key whose value is expected.
    key: Option<String>,
}

/// Reports the name and text of each string and number that a key or a call has. The name consists of the key and up
/// to two enclosing ones, joined by dots: `window.data={"topic":{"id":17}}` has `window.data.topic.id`. Arguments of a
/// call have the name `function()`.
pub fn scan_script(script: &str, see: &mut dyn FnMut(&str, &str)) {
    let mut scan = Scan { rest: script, open: Vec::new(), deeper: 0, last: None, key: None };
    while let Some(first) = scan.rest.chars().next() {
        scan.step(first, see);
    }
}

/// Reports the names in a script: what is neither a number nor in a string or a comment.
pub fn scan_names(script: &str, see: &mut dyn FnMut(&str)) {
    let mut rest = script;
    while let Some(first) = rest.chars().next() {
        rest = match first {
            '"' | '\'' | '`' => &rest[string(rest, first).1..],
            _ if is_word(first) => {
                let (word, behind) = rest.split_at(rest.find(|c| !is_word(c)).unwrap_or(rest.len()));
                if !first.is_ascii_digit() {
                    see(word);
                }
                behind
            }
            _ => after_comment(rest).unwrap_or(&rest[first.len_utf8()..]),
        };
    }
}

/// Reports the strings in a script.
pub fn scan_strings(script: &str, see: &mut dyn FnMut(&str)) {
    let mut rest = script;
    while let Some(first) = rest.chars().next() {
        rest = match first {
            '"' | '\'' | '`' => {
                let (text, length) = string(rest, first);
                see(&text);
                &rest[length..]
            }
            _ => after_comment(rest).unwrap_or(&rest[first.len_utf8()..]),
        };
    }
}

/// Returns what follows the comment at the start of a text, if there is one.
fn after_comment(text: &str) -> Option<&str> {
    if text.starts_with("//") {
        Some(&text[text.find('\n').unwrap_or(text.len())..])
    } else if text.starts_with("/*") {
        Some(text.find("*/").map_or("", |at| &text[at + 2..]))
    } else {
        None
    }
}

impl Scan<'_> {
    fn step(&mut self, first: char, see: &mut dyn FnMut(&str, &str)) {
        let rest = self.rest;
        match first {
            '"' | '\'' | '`' => {
                let (text, length) = string(rest, first);
                self.rest = &rest[length..];
                self.value_or_name(text, true, see);
            }
            c if is_word(c) || c == '-' => {
                let length = c.len_utf8();
                let end = rest[length..].find(|c| !is_word(c)).map_or(rest.len(), |at| at + length);
                self.rest = &rest[end..];
                let is_number = rest[..end].trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit());
                self.value_or_name(rest[..end].to_owned(), is_number, see);
            }
            '=' | '!' | '<' | '>' if COMPARISONS.iter().any(|mark| rest.starts_with(mark)) => {
                self.rest = rest[2..].trim_start_matches('=');
            }
            _ => match after_comment(rest) {
                Some(behind) => self.rest = behind,
                None => {
                    self.rest = &rest[first.len_utf8()..];
                    self.punctuation(first);
                }
            },
        }
    }

    fn punctuation(&mut self, mark: char) {
        match mark {
            ':' | '=' => self.key = self.last.take(),
            '{' | '[' => {
                let key = self.key.take().unwrap_or_default();
                self.push(key, mark == '[');
            }
            '(' => {
                let key = self.last.take().map(|name| name + "()").unwrap_or_default();
                self.push(key, true);
            }
            '}' | ']' | ')' => self.pop(),
            ',' | ';' => (self.key, self.last) = (None, None),
            _ => {}
        }
    }

    fn push(&mut self, key: String, is_list: bool) {
        (self.key, self.last) = (None, None);
        if self.open.len() < DEPTH_MAX {
            self.open.push((key, is_list));
        } else {
            self.deeper += 1;
        }
    }

    fn pop(&mut self) {
        (self.key, self.last) = (None, None);
        if self.deeper > 0 {
            self.deeper -= 1;
        } else {
            self.open.pop();
        }
    }

    /// Takes a text as the value of a key or element of a list, or remembers it as a name.
    fn value_or_name(&mut self, text: String, is_value: bool, see: &mut dyn FnMut(&str, &str)) {
        if is_value
            && (self.key.is_some() || self.open.last().is_some_and(|(key, is_list)| *is_list && !key.is_empty()))
        {
            let names = self.open.iter().rev().map(|(name, _)| name.as_str()).filter(|name| !name.is_empty());
            let mut path: Vec<&str> = names.take(KEYS_NAMED).collect();
            path.reverse();
            path.extend(self.key.as_deref());
            if text.len() <= TEXT_BYTES_MAX {
                see(&path.join("."), &text);
            }
            self.key = None;
        }
        self.last = Some(text).filter(|text| text.len() <= TEXT_BYTES_MAX);
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$' | '.')
}

/// Returns the content of the string at the start of a text, and its length with the quotes in bytes. A string that is
/// not closed ends with its line.
fn string(text: &str, quote: char) -> (String, usize) {
    let (mut content, mut chars) = (String::new(), text.char_indices().skip(1));
    while let Some((at, c)) = chars.next() {
        match c {
            c if c == quote => return (content, at + 1),
            '\n' if quote != '`' => return (content, at),
            '\\' => match chars.next().map_or(' ', |(_, c)| c) {
                'n' | 'r' | 't' => content.push(' '),
                'u' => {
                    let code: String = chars.by_ref().take(4).map(|(_, c)| c).collect();
                    content.extend(u32::from_str_radix(&code, 16).ok().and_then(char::from_u32));
                }
                c => content.push(c),
            },
            c => content.push(c),
        }
    }
    (content, text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(script: &str) -> Vec<String> {
        let mut found = Vec::new();
        scan_script(script, &mut |name, value| found.push(format!("{name}={value}")));
        found
    }

    #[test]
    fn values_have_the_names_of_their_keys() {
        assert_eq!(values(r#"window.__DATA__={"topicId":17}"#), ["window.__DATA__.topicId=17"]);
        assert_eq!(
            values("var a = 'x\\/y', b=2; // c = 3\n/* d=4 */ e={f:[1,{g:-5}]}"),
            ["a=x/y", "b=2", "e.f=1", "e.f.g=-5"]
        );
        assert_eq!(values("load(17, \"s\"); if (a == 5) x = y"), ["load()=17", "load()=s", "if()=5"]);
    }

    #[test]
    fn unfinished_scripts_end() {
        for script in ["'", "a='\\", "a='\\u12", "/*", "//", "-", "a:", "((((", "))))", "é='é", "-é"] {
            assert!(values(script).len() <= 1, "{script}");
        }
        assert!(values(&"{a:[".repeat(100_000)).is_empty());
    }
}
