//! As much of a shell as examples use: words, quotes, comments, lines that go on, and what stands between commands.

/// The commands of a text, each as its words; redirections are left out.
pub fn commands(text: &str) -> Vec<Vec<String>> {
    let mut reader = Reader::default();
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match (reader.quote, char) {
            (Some(quote), char) if char == quote => reader.quote = None,
            (Some('\''), char) => reader.push(char),
            (_, '\\') => match chars.next() {
                Some('\n') | None => {}
                Some(next) => reader.push(next),
            },
            (Some(_), char) => reader.push(char),
            (None, '\'' | '"') => reader.open(char),
            (None, '#') if reader.word.is_none() => while chars.next_if(|next| *next != '\n').is_some() {},
            (None, '>' | '<') => reader.redirect(),
            (None, '&') if reader.redirects => reader.push('&'), // 2>&1
            (None, '\n' | ';' | '|' | '&' | '(' | ')') => reader.end_command(),
            (None, char) if char.is_whitespace() => reader.end_word(),
            (None, char) => reader.push(char),
        }
    }
    reader.end_command();
    reader.commands
}

#[derive(Default)]
struct Reader {
    commands: Vec<Vec<String>>,
    words: Vec<String>,
    word: Option<String>,
    quote: Option<char>,
    /// Whether the next word is a file that is redirected to.
    redirects: bool,
}

impl Reader {
    fn push(&mut self, char: char) {
        self.word.get_or_insert_default().push(char);
    }

    fn open(&mut self, quote: char) {
        self.quote = Some(quote);
        self.word.get_or_insert_default();
    }

    fn end_word(&mut self) {
        if let Some(word) = self.word.take() {
            let is_file = std::mem::take(&mut self.redirects);
            self.words.extend((!is_file).then_some(word));
        }
    }

    /// A number right before the arrow belongs to it.
    fn redirect(&mut self) {
        if self.word.as_ref().is_some_and(|word| word.chars().all(|char| char.is_ascii_digit())) {
            self.word = None;
        }
        self.end_word();
        self.redirects = true;
    }

    fn end_command(&mut self) {
        self.end_word();
        self.redirects = false;
        self.commands.extend(Some(std::mem::take(&mut self.words)).filter(|words| !words.is_empty()));
    }
}

#[test]
fn commands_are_told_apart_as_a_shell_does() {
    let text = "# not this\na 'b | c' \"d e\" \\\n   f > out 2>&1 | g # and not this\nh#i && (cd x; j)\n";
    let expected: [&[&str]; 5] = [&["a", "b | c", "d e", "f"], &["g"], &["h#i"], &["cd", "x"], &["j"]];
    assert_eq!(commands(text), expected);
}
