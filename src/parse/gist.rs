//! The gist of a page: what it shows, numbers left out, as hashes; enough to tell whether it shows anything that others did not.
//!
//! Each text is one hash, of its bytes as written; but words that a program counts or makes up – numbers, dates, times, session ids,
//! addresses – are all one word. So *March 2031* says nothing new where *March 2030* was met, and *alice* does where *bob* was. An
//! image is the address that it is taken from, without its query: a picture says more than its page's words.

use xxhash_rust::xxh3::xxh3_64;

use super::path::step;

/// The word that stands for all that are counted or made up.
const MADE_UP: u64 = 0x6e75_6d62_6572;
/// What the hashes of images start from.
const IMAGE: u64 = 0x0069_6d61_6765;
/// From this length on a word with a digit in it is taken for an identifier.
const IDENTIFIER_MIN: usize = 16;
/// Images of one page that are looked at.
const IMAGES_MAX: usize = 1_024;

/// Collects the gist.
#[derive(Debug, Default)]
pub(super) struct Gist {
    /// Whether it is asked for.
    pub on: bool,
    /// What was met on this page.
    pub hashes: Vec<u64>,
}

impl Gist {
    pub fn clear(&mut self) {
        self.hashes.clear();
    }

    /// Notes an image that is taken from `address`, as written.
    pub fn image(&mut self, address: &[u8]) {
        if self.on && self.hashes.len() < IMAGES_MAX {
            let end = memchr::memchr(b'?', address).unwrap_or(address.len());
            self.hashes.push(step(IMAGE, xxh3_64(&address[..end])));
        }
    }

    /// Notes a text, as written, that shows something.
    pub fn text(&mut self, text: &[u8]) {
        let text = text.trim_ascii();
        // Few texts have any such byte.
        let plain = !text.iter().fold(false, |any, byte| any | marks(*byte));
        self.hashes.push(if plain { xxh3_64(text) } else { words(text) });
    }

    /// The page's gist: images, then texts in page order.
    pub fn finish(&mut self) -> Vec<u64> {
        self.hashes.as_slice().to_vec()
    }
}

/// Whether a word with this byte in it may be counted or made up.
const fn marks(byte: u8) -> bool {
    byte.is_ascii_digit() | (byte == b'/') | (byte == b'=') | (byte == b'%') | (byte == b'?')
}

fn words(text: &[u8]) -> u64 {
    let words = text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    words.fold(0, |above, text| step(above, word(text)))
}

/// The hash of a word, which is the same for all that are counted or made up.
fn word(word: &[u8]) -> u64 {
    if is_made_up(word) { MADE_UP } else { xxh3_64(word) }
}

/// Whether a word is a number with at most two letters about it (`2031`, `12:30`, `1,204`, `#7`, `3rd`, `0.2s`), an identifier, or
/// an address.
fn is_made_up(word: &[u8]) -> bool {
    let (mut digits, mut letters) = (false, 0);
    for byte in word {
        match byte {
            b'0'..=b'9' => digits = true,
            b'/' | b'=' | b'%' | b'?' => return word.len() > 1,
            b'a'..=b'z' | b'A'..=b'Z' | 0x80.. => letters += 1,
            _ => {}
        }
    }
    digits && (letters <= 2 || word.len() >= IDENTIFIER_MIN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::ParseOptions;
    use crate::parse::Parser;

    fn gist(page: &str) -> Vec<u64> {
        let mut parser = Parser::new(&ParseOptions::default());
        parser.set_texts(false, true);
        let page = parser.parse(page.as_bytes(), Some("text/html; charset=utf-8"));
        assert!(page.units.is_empty(), "nobody asked for units");
        page.gist
    }

    #[test]
    fn numbers_dates_identifiers_and_addresses_are_one_word_and_names_are_not() {
        for made_up in
            ["2031", "12:30", "1,204.50", "#7", "3rd", "0.2s", "10am", "0123456789abcdef", "/login?next=x", "5\u{b0}"]
        {
            assert_eq!(word(made_up.as_bytes()), MADE_UP, "{made_up}");
        }
        for said in ["March", "alice", "bob1972", "x2go", "?", "-", "2nd-hand"] {
            assert_ne!(word(said.as_bytes()), MADE_UP, "{said}");
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
        parser.set_texts(true, true);
        let both = parser.parse(page, None);
        assert_eq!(both.units, plain.units);
        assert!(plain.gist.is_empty() && !both.gist.is_empty());
    }
}
