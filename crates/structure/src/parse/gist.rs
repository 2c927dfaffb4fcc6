//! The gist of a page: hashes of what it shows, without numbers. It suffices to tell whether a page shows anything that
//! others did not.
//!
//! Each text is one hash of its bytes as written, except that words that a program counts or generates – numbers,
//! dates, times, session ids, addresses – all count as the same word. So *March 2031* adds nothing where *March 2030*
//! was seen, and *alice* does where *bob* was. An image is represented by its address without the query, since a
//! picture may say more than the words of its page.

use xxhash_rust::xxh3::xxh3_64;

use super::path::step;

/// The word that stands for all counted or generated words; it is one of them.
const MADE_UP: u8 = b'0';
/// The initial value of the hashes of images.
const IMAGE: u64 = 0x0069_6d61_6765;
/// Minimum length of a word with a digit that counts as an identifier.
const IDENTIFIER_MIN: usize = 16;
/// Maximum number of images of one page that are looked at.
const IMAGES_MAX: usize = 1_024;

/// Collects the gist.
#[derive(Debug, Default)]
pub(super) struct Gist {
    /// Whether the gist is wanted.
    pub on: bool,
    /// The hashes of this page.
    pub hashes: Vec<u64>,
    /// The texts of this page as they are written, with numbers: the number of each and its hash.
    pub texts: Vec<(u32, u64)>,
    known: Known,
    /// Buffer for a text with its words normalised.
    spelt: Vec<u8>,
}

/// Recent texts: the hashes of the text as written and of its normalised form. Most texts of a page are also on the
/// page before. Entries are overwritten, but no text is taken for another unless both have the same hash.
#[derive(Debug, Default)]
struct Known(Box<[(u64, u64)]>);

/// Number of texts remembered: 64 KiB of memory, allocated once a gist is wanted.
const KNOWN_MAX: usize = 1 << 12;

impl Known {
    /// Returns the hash of the normalised text whose hash as written is `written`: the remembered one or the result of
    /// `find`.
    fn get(&mut self, written: u64, find: impl FnOnce() -> u64) -> u64 {
        if self.0.is_empty() {
            self.0 = vec![(0, 0); KNOWN_MAX].into_boxed_slice();
        }
        let slot = &mut self.0[written as usize % KNOWN_MAX];
        if slot.0 != written || written == 0 {
            *slot = (written, find());
        }
        slot.1
    }
}

impl Gist {
    pub fn clear(&mut self) {
        self.hashes.clear();
        self.texts.clear();
    }

    /// Records an image with the address `address`, as written.
    pub fn image(&mut self, address: &[u8]) {
        if self.on && self.hashes.len() < IMAGES_MAX {
            let end = memchr::memchr(b'?', address).unwrap_or(address.len());
            self.hashes.push(step(IMAGE, xxh3_64(&address[..end])));
        }
    }

    /// Records the text of this number, as written, which shows something.
    pub fn text(&mut self, number: u32, text: &[u8]) {
        let text = text.trim_ascii();
        let (written, spelt) = (xxh3_64(text), &mut self.spelt);
        self.texts.push((number, written));
        let said = self.known.get(written, || {
            // Most texts have no such byte.
            let plain = !text.iter().fold(false, |any, byte| any | marks(*byte));
            if plain { written } else { words(text, spelt) }
        });
        self.hashes.push(said);
    }

    /// Returns the page's gist: images, then texts in page order.
    pub fn finish(&mut self) -> Vec<u64> {
        self.hashes.as_slice().to_vec()
    }
}

/// Returns whether a word with this byte may be counted or generated.
const fn marks(byte: u8) -> bool {
    byte.is_ascii_digit() | (byte == b'/') | (byte == b'=') | (byte == b'%') | (byte == b'?')
}

/// Returns the hash of a text by its words, independent of their spacing: the text is written again with one space
/// between words and with [`MADE_UP`] for each counted or generated word. Changes are rare enough for the text to be
/// copied in pieces. The text has no white space at its ends.
fn words(text: &[u8], spelt: &mut Vec<u8>) -> u64 {
    spelt.clear();
    // The text before the first position is written; the text between both stays as it is.
    let (mut from, mut at) = (0, 0);
    while at < text.len() {
        let (len, made_up) = read_word(&text[at..]);
        let end = at + len;
        if made_up {
            spelt.extend_from_slice(&text[from..at]);
            spelt.push(MADE_UP);
            from = end;
        }
        at = end + text[end..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        if at > end && (at > end + 1 || text[end] != b' ') {
            spelt.extend_from_slice(&text[from..end]);
            spelt.push(b' ');
            from = at;
        }
    }
    spelt.extend_from_slice(&text[from..]);
    xxh3_64(spelt)
}

const SPACE: u8 = 1;
const DIGIT: u8 = 2;
const ADDRESS: u8 = 4;
const LETTER: u8 = 8;
/// The properties of each byte of a word, in one look-up.
const CHAR_FLAGS: [u8; 256] = {
    let mut char_flags = [0; 256];
    let mut at = 0;
    while at < char_flags.len() {
        char_flags[at] = match at as u8 {
            b' ' | b'\t' | b'\n' | b'\r' | 0x0c => SPACE,
            b'0'..=b'9' => DIGIT,
            b'/' | b'=' | b'%' | b'?' => ADDRESS,
            b'a'..=b'z' | b'A'..=b'Z' | 0x80.. => LETTER,
            _ => 0,
        };
        at += 1;
    }
    char_flags
};

/// Returns the length of the word that `text` begins with, and whether it is a number with at most two letters about it
/// (`2031`, `12:30`, `1,204`, `#7`, `3rd`, `0.2s`), an identifier, or an address.
fn read_word(text: &[u8]) -> (usize, bool) {
    let (mut char_flags, mut letters, mut len) = (0, 0, 0);
    for byte in text {
        let kind = CHAR_FLAGS[usize::from(*byte)];
        if kind == SPACE {
            break;
        }
        char_flags |= kind;
        letters += usize::from(kind / LETTER);
        len += 1;
    }
    let counted = char_flags & DIGIT != 0 && (letters <= 2 || len >= IDENTIFIER_MIN);
    (len, if char_flags & ADDRESS != 0 { len > 1 } else { counted })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::parse::Parser;
    use harvestman_core::config::ParseOptions;

    fn gist(page: &str) -> Vec<u64> {
        let mut parser = Parser::new(&ParseOptions::default());
        parser.set_texts(false, false, true);
        let page = parser.parse(page.as_bytes(), Some("text/html; charset=utf-8"));
        assert!(page.units.is_empty(), "nobody asked for units");
        page.gist
    }

    #[test]
    fn numbers_dates_identifiers_and_addresses_are_one_word_and_names_are_not() {
        for made_up in
            ["2031", "12:30", "1,204.50", "#7", "3rd", "0.2s", "10am", "0123456789abcdef", "/login?next=x", "5\u{b0}"]
        {
            assert_eq!(read_word(made_up.as_bytes()), (made_up.len(), true), "{made_up}");
        }
        for said in ["March", "alice", "bob1972", "x2go", "?", "-", "2nd-hand"] {
            assert_eq!(read_word(said.as_bytes()), (said.len(), false), "{said}");
        }
    }

    #[test]
    fn pages_that_differ_in_numbers_alone_have_one_gist() {
        let month = |year: u32| gist(&format!("<body><h1>March {year}</h1><p>{} visits<table><td>1<td>2", year * 7));
        assert_eq!(month(2030), month(2031));
        assert_ne!(gist("<p>alice, 3 posts"), gist("<p>bob, 4 posts"));
    }

    #[test]
    fn an_image_is_the_address_that_it_is_taken_from() {
        let photo = |src: &str| gist(&format!("<body><img src=\"{src}\">Photo 1"));
        assert_ne!(photo("/p/1.jpg"), photo("/p/2.jpg"));
        assert_eq!(photo("/p/1.jpg?v=1"), photo("/p/1.jpg?v=2"));
    }

    #[test]
    fn asking_for_the_gist_leaves_the_units_as_they_are() {
        let page = b"<body><p>one two three four five six seven eight nine ten<a href=x>11 twelve</a>";
        let mut parser = Parser::new(&ParseOptions::default()).with_units();
        let plain = parser.parse(page, None);
        parser.set_texts(false, true, true);
        let both = parser.parse(page, None);
        assert_eq!(both.units, plain.units);
        assert!(plain.gist.is_empty() && !both.gist.is_empty());
    }
    /// Returns whether a word is counted or generated, by the definition.
    fn is_made_up(word: &[u8]) -> bool {
        let digits = word.iter().any(u8::is_ascii_digit);
        let letters = word.iter().filter(|byte| byte.is_ascii_alphabetic() || !byte.is_ascii()).count();
        let address = word.iter().any(|byte| b"/=%?".contains(byte));
        if address { word.len() > 1 } else { digits && (letters <= 2 || word.len() >= IDENTIFIER_MIN) }
    }

    /// Returns the normalised text, by the definition: its words, with `None` for each counted or generated word; or
    /// the text itself if no byte marks any.
    fn twin(text: &str) -> Result<&[u8], Vec<Option<&[u8]>>> {
        let text = text.as_bytes().trim_ascii();
        if !text.iter().any(|byte| marks(*byte)) {
            return Ok(text);
        }
        let words = text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        Err(words.map(|word| (!is_made_up(word)).then_some(word)).collect())
    }

    fn hash(text: &str) -> u64 {
        let mut gist = Gist::default();
        gist.text(0, text.as_bytes());
        gist.text(1, text.as_bytes());
        assert_eq!(gist.hashes[0], gist.hashes[1], "as remembered and as found");
        gist.hashes[0]
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn two_short_texts_are_one_where_their_words_are(one in "[ab07/% \n]{0,7}", other in "[ab07/% \n]{0,7}") {
            prop_assert_eq!(hash(&one) == hash(&other), twin(&one) == twin(&other));
        }

        #[test]
        fn texts_of_any_length_are_one_where_their_words_are(
            words in proptest::collection::vec("[a-z]{1,9}|[a-z\u{e9}]{1,6}[0-9]{0,3}|[0-9:.]{1,6}|[?%=/]{1,2}|0123456789abcdefg", 0..60),
            spaces in proptest::collection::vec(" {1,2}|\n|\t ?|\u{b} ", 60), changed in 0_usize..60, by in "[0-9]{1,3}|[a-z]{1,3}|[?]",
        ) {
            let spell = |words: &[String], space: &dyn Fn(usize) -> String| -> String {
                words.iter().enumerate().flat_map(|(at, word)| [space(at), word.clone()]).collect()
            };
            let mut others = words.clone();
            if let Some(word) = others.get_mut(changed) {
                *word = by;
            }
            let spaced = |at: usize| spaces[at].clone();
            let texts = [spell(&words, &spaced), spell(&words, &|_| " ".to_owned()), spell(&others, &spaced)];
            for one in &texts {
                for other in &texts {
                    prop_assert_eq!(hash(one) == hash(other), twin(one) == twin(other), "{:?} {:?}", one, other);
                }
            }
        }
    }
}
