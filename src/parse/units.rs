//! Units of content: the texts that a page shows, cut into runs of some eight words, as hashes of these words.
//!
//! While the page is read only the places of its texts are noted; what they say is read once, at its end. So a text that
//! comes in pieces is whole by then, and most are hashed where they stand, without a copy. The hashes are persisted:
//! **changing anything here invalidates models that were learnt before.**

use super::path::{fold_run, step};
use super::text::Source;
use crate::page::ContentUnit;

/// Most units of one page; further texts are left out.
const UNITS_MAX: usize = 4_096;
/// Most pieces in which all of them come; a text is cut where there are more.
const PIECES_MAX: usize = 4 * UNITS_MAX;
/// Words of a unit: at least, where its text goes on, and at most.
const WORDS_MIN: u16 = 3;
const WORDS_MAX: u16 = 32;
/// The number of a text that is no unit.
pub(super) const NONE: u32 = u32::MAX;
/// The hash of no words.
const NO_WORDS: u64 = 0x776f_7264_7320_6f66;

/// What stands around a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub in_anchor: bool,
    pub in_form: bool,
}

/// A part of the page that belongs to the text `unit`.
#[derive(Debug, Clone, Copy)]
struct Piece {
    unit: u32,
    from: usize,
    to: usize,
    entities: bool,
}

#[derive(Debug, Default)]
pub(super) struct Units {
    /// Whether units are asked for.
    pub on: bool,
    places: Vec<Place>,
    pieces: Vec<Piece>,
}

impl Units {
    pub fn clear(&mut self) {
        self.places.clear();
        self.pieces.clear();
    }

    /// Begins a unit with `text`; returns its number.
    pub fn begin(&mut self, place: Place, source: Source<'_>, text: &[u8], entities: bool) -> u32 {
        if self.places.len() >= UNITS_MAX {
            return NONE;
        }
        let number = self.places.len() as u32;
        self.places.push(place);
        self.append(number, source, text, entities);
        number
    }

    /// Notes that `text` goes on what the text `unit` began.
    #[inline(always)]
    pub fn append(&mut self, unit: u32, source: Source<'_>, text: &[u8], entities: bool) {
        if self.on && unit != NONE {
            let from = source.offset(text);
            self.put(Piece { unit, from, to: from + text.len(), entities });
        }
    }

    #[inline(never)]
    fn put(&mut self, piece: Piece) {
        let room = self.pieces.len() < PIECES_MAX;
        match self.pieces.last_mut() {
            Some(last) if last.unit == piece.unit && last.to == piece.from && last.entities == piece.entities => {
                last.to = piece.to;
            }
            _ if room => self.pieces.push(piece),
            _ => {}
        }
    }

    /// The units, in page order.
    pub fn finish(&mut self, source: Source<'_>) -> Vec<ContentUnit> {
        // A text before a table may go on behind the table's texts.
        self.pieces.sort_by_key(|piece| piece.unit);
        let mut units = Vec::new();
        for pieces in self.pieces.chunk_by(|one, other| one.unit == other.unit) {
            let Place { in_anchor, in_form } = self.places[pieces[0].unit as usize];
            let first = units.len();
            let mut cut = |(hash, words)| {
                if units.len() < UNITS_MAX {
                    units.push(ContentUnit { hash, words, text_words: 0, in_anchor, in_form });
                }
            };
            let text_words = match pieces {
                &[Piece { from, to, entities, .. }] => read(source, &source.bytes[from..to], entities, &mut cut),
                _ => {
                    let shown = |piece: &Piece| source.shown(&source.bytes[piece.from..piece.to], piece.entities);
                    let text: String = pieces.iter().map(shown).collect();
                    of_words(text.split_whitespace().map(str::as_bytes), &mut cut)
                }
            };
            units[first..].iter_mut().for_each(|unit| unit.text_words = text_words);
        }
        units
    }
}

/// Cuts the text `raw` into units; returns how many words it has.
fn read(source: Source<'_>, raw: &[u8], entities: bool, cut: &mut impl FnMut((u64, u16))) -> u16 {
    let as_written = raw.is_ascii() && memchr::memchr2(0, if entities { b'&' } else { 0 }, raw).is_none();
    if as_written {
        return of_words(raw.split(|b| matches!(b, b'\t'..=b'\r' | b' ')).filter(|word| !word.is_empty()), cut);
    }
    of_words(source.shown(raw, entities).split_whitespace().map(str::as_bytes), cut)
}

/// Cuts a text behind words that their own hash says, so that the same run of words is cut alike wherever it stands: an
/// excerpt shares all its units but the last with the text that it is from.
fn of_words<'t>(words: impl Iterator<Item = &'t [u8]>, cut: &mut impl FnMut((u64, u16))) -> u16 {
    let (mut hash, mut count, mut all) = (NO_WORDS, 0, 0_u16);
    for word in words {
        let word = fold_run(word);
        hash = step(hash, word);
        count += 1;
        all = all.saturating_add(1);
        if count >= WORDS_MAX || (count >= WORDS_MIN && ends_unit(word)) {
            cut((hash, count));
            (hash, count) = (NO_WORDS, 0);
        }
    }
    if count > 0 {
        cut((hash, count));
    }
    all
}

/// Whether a unit ends behind the word with this hash: one word of eight does so.
const fn ends_unit(word: u64) -> bool {
    step(NO_WORDS, word) >> 61 == 0
}

#[cfg(test)]
mod tests {
    use encoding_rs::{Encoding, SHIFT_JIS, UTF_8, WINDOWS_1252};
    use proptest::prelude::*;

    use super::*;
    use crate::config::ParseOptions;
    use crate::parse::Parser;

    fn units(html: &str) -> Vec<ContentUnit> {
        Parser::new(&ParseOptions::default())
            .with_units()
            .parse(html.as_bytes(), Some("text/html; charset=utf-8"))
            .units
    }

    /// The hash of the words of `text`, from their definition.
    fn hash(text: &str) -> u64 {
        text.split_whitespace().fold(NO_WORDS, |hash, word| step(hash, super::super::path::fold(word.as_bytes())))
    }

    /// `text/a form` for each unit of a page whose texts are among `texts`.
    fn told(html: &str, texts: &[&str]) -> Vec<String> {
        let tell = |unit: &ContentUnit| {
            let text = texts.iter().find(|text| hash(text) == unit.hash).copied().unwrap_or("?");
            let marks = [(unit.in_anchor, "/a"), (unit.in_form, "/form")];
            marks.iter().filter(|(on, _)| *on).fold(text.to_owned(), |told, (_, mark)| told + mark)
        };
        units(html).iter().map(tell).collect()
    }

    #[test]
    fn text_hashes_never_change_because_they_are_persisted() {
        let hashes: Vec<u64> = units("<p>a<p>It is 5 o'clock<p>&Uuml;bergr&ouml;&szlig;entr&auml;ger")
            .iter()
            .map(|unit| unit.hash)
            .collect();
        assert_eq!(hashes, [13_753_811_533_127_677_933, 5_073_675_223_067_145_508, 4_225_454_142_947_566_517]);
    }

    #[test]
    fn a_unit_is_a_text_that_is_shown_and_knows_what_is_around_it() {
        let html = "<title>t</title><script>s</script><p>one <b>two</b><a href=/>three</a>\
                    <form>four<a>five</a><textarea>no</textarea><button>no</button>\
                    <select><option>no</select><option>no</option></form><noscript>no</noscript>six<xmp>&amp;</xmp>";
        let texts = ["one", "two", "three", "four", "five", "six", "&amp;", "no", "t", "s"];
        assert_eq!(told(html, &texts), ["one", "two", "three/a", "four/form", "five/a/form", "six", "&amp;"]);
    }

    #[test]
    fn units_are_off_unless_asked_for() {
        assert_eq!(Parser::new(&ParseOptions::default()).parse(b"<p>text", None).units, []);
    }

    #[test]
    fn words_are_counted_up_to_what_fits() {
        assert_eq!(units("<p> one\n two&nbsp;three ")[0].words, 3);
        assert_eq!(units(&"w ".repeat(70_000))[0].words, u16::MAX);
    }

    #[test]
    fn a_text_in_pieces_is_one_unit() {
        for whole in ["1 < 2 <3", "a</>b", "a</y>b", "a</y> </z>b", "<svg>a<![CDATA[&amp;b]]></svg>", "a\0b"] {
            let text = match whole {
                "1 < 2 <3" => "1 < 2 <3",
                "a</y> </z>b" => "a b",
                "<svg>a<![CDATA[&amp;b]]></svg>" => "a&amp;b",
                _ => "ab",
            };
            assert_eq!(told(whole, &[text]), [text], "{whole}");
        }
    }

    #[test]
    fn text_that_a_table_puts_out_goes_on_the_text_before_it() {
        let html = "<div>a<table>b<tr><td>c</td></tr>d</table>e</div><table>f<tr><td>g";
        assert_eq!(told(html, &["abd", "c", "e", "f", "g"]), ["abd", "c", "e", "f", "g"]);
    }

    #[test]
    fn units_beyond_the_limit_are_left_out() {
        let page = |texts: usize| units(&"<p>t".repeat(texts)).len();
        assert_eq!((page(UNITS_MAX), page(UNITS_MAX + 1)), (UNITS_MAX, UNITS_MAX));
        assert_eq!(units(&"a</y>".repeat(2 * PIECES_MAX)).len(), 1);
    }

    #[test]
    fn a_text_hashes_alike_in_every_charset_that_can_write_it() {
        let read_as = |encoding: &'static Encoding, text: &str| {
            let (bytes, _, _) = encoding.encode(text);
            let source = Source { bytes: &bytes, encoding };
            let mut units = Vec::new();
            read(source, &bytes, true, &mut |unit| units.push(unit));
            units
        };
        assert_eq!(read_as(WINDOWS_1252, "größer\u{a0}als"), read_as(UTF_8, "größer als"));
        assert_eq!(read_as(SHIFT_JIS, "ソ ー"), read_as(UTF_8, " ソ\u{3000}ー"));
    }

    /// `c` in one of the ways in which a page may write it.
    fn written(c: char, way: u8) -> String {
        match way {
            0 => format!("&#{};", u32::from(c)),
            1 => format!("&#x{:X};", u32::from(c)),
            _ if c == '&' => "&amp;".to_owned(),
            _ if c == '<' => "&lt".to_owned() + ";",
            _ => c.to_string(),
        }
    }

    proptest! {
        #[test]
        fn equal_texts_have_equal_hashes_however_they_are_written(
            words in proptest::collection::vec("[a-zA-Z0-9&<>;é£ß]{1,12}", 1..8),
            ways in proptest::collection::vec((0..6_u8, proptest::sample::select(vec![" ", "\n\t ", "&nbsp;", "\u{a0}", "&#32;", "\r\n", "\u{3000}"])), 100),
        ) {
            let mut ways = ways.iter().cycle();
            let mut html = String::from("<p>");
            for word in &words {
                html.extend(word.chars().map(|c| written(c, ways.next().unwrap().0)));
                html.push_str(ways.next().unwrap().1);
            }
            let text = words.join(" ");
            let found = units(&html);
            prop_assert_eq!(found.len(), 1);
            prop_assert_eq!((found[0].hash, usize::from(found[0].words)), (hash(&text), words.len()));
            // The same page in another charset; three-byte blanks do not exist in it.
            let html = html.replace('\u{3000}', " ");
            let (latin, _, _) = WINDOWS_1252.encode(&html);
            let page = Parser::new(&ParseOptions::default()).with_units().parse(&latin, Some("text/html; charset=iso-8859-1"));
            prop_assert_eq!(&page.units, &found);
        }

        #[test]
        fn different_words_have_different_hashes(one in "[a-c ]{1,9}", other in "[a-c ]{1,9}") {
            let squeeze = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            prop_assert_eq!(hash(&one) == hash(&other), squeeze(&one) == squeeze(&other));
        }
    }
}
