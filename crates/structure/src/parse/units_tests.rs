use encoding_rs::{Encoding, SHIFT_JIS, UTF_8, WINDOWS_1252};
use proptest::prelude::*;

use super::super::path::fold;
use super::*;
use crate::parse::{Parser, Spelling};
use harvestman_core::config::ParseOptions;

fn units(html: &str) -> Vec<ContentUnit> {
    Parser::new(&ParseOptions::default()).with_units().parse(html.as_bytes(), Some("text/html; charset=utf-8")).units
}

/// Returns the hash of the words of a unit, by the definition.
fn hash(words: &[&str]) -> u64 {
    words.iter().fold(NO_WORDS, |hash, word| step(hash, fold(word.as_bytes())))
}

/// Returns the units of `text` with their words, by the definition: each ends behind its first word from the third on
/// whose hash has three leading zeros, or its 32nd, or the text's last.
fn cut(text: &str) -> Vec<(u64, u16)> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let (mut rest, mut cut) = (&words[..], Vec::new());
    while !rest.is_empty() {
        let ends = |at: &usize| step(NO_WORDS, fold(rest[*at].as_bytes())).leading_zeros() >= 3;
        let end = (2..rest.len().min(32)).find(ends).map_or(rest.len().min(32), |last| last + 1);
        cut.push((hash(&rest[..end]), end as u16));
        rest = &rest[end..];
    }
    cut
}

fn cuts(units: &[ContentUnit]) -> Vec<(u64, u16)> {
    units.iter().map(|unit| (unit.hash, unit.words)).collect()
}

/// Returns `text/a form` for each unit of a page whose texts, of a unit each, are among `texts`.
fn told(html: &str, texts: &[&str]) -> Vec<String> {
    let is = |text: &str, unit: &ContentUnit| hash(&text.split_whitespace().collect::<Vec<_>>()) == unit.hash;
    let tell = |unit: &ContentUnit| {
        let text = texts.iter().find(|text| is(text, unit)).copied().unwrap_or("?");
        let marks = [(unit.in_anchor, "/a"), (unit.in_form, "/form")];
        marks.iter().filter(|(on, _)| *on).fold(text.to_owned(), |told, (_, mark)| told + mark)
    };
    units(html).iter().map(tell).collect()
}

const ARTICLE: &str = "Once upon a time there were four little Rabbits, and their names were Flopsy, Mopsy, Cotton-tail, and \
                       Peter. They lived with their Mother in a sand-bank, underneath the root of a very big fir-tree.";

#[test]
fn text_hashes_never_change_because_they_are_persisted() {
    let found = cuts(&units(&format!("<p>a<p>It is 5 o'clock<p>&Uuml;bergr&ouml;&szlig;entr&auml;ger<p>{ARTICLE}")));
    let expected = [
        (13_753_811_533_127_677_933, 1),
        (4_767_235_792_899_275_996, 3),
        (8_608_766_830_606_252_555, 1),
        (4_225_454_142_947_566_517, 1),
        (454_075_295_109_287_129, 7),
        (10_604_133_477_889_842_341, 9),
        (17_803_664_021_067_564_843, 3),
        (8_163_211_423_180_640_883, 5),
        (5_497_359_309_591_424_592, 8),
        (10_707_429_492_933_269_913, 2),
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_text_is_cut_behind_some_of_its_words_and_its_units_know_its_length() {
    let found = units(ARTICLE);
    assert_eq!(cuts(&found), cut(ARTICLE));
    assert_eq!(found.iter().map(|unit| unit.words).sum::<u16>(), 34);
    assert!(found.len() > 1 && found.iter().all(|unit| unit.text_words == 34));
}

#[test]
fn a_unit_has_at_most_32_words_and_at_least_3_where_its_text_goes_on() {
    let ends = |word: &&String| ends_unit(fold(word.as_bytes()));
    let words: Vec<String> = (0..100).map(|number| format!("word{number}")).collect();
    let ending = words.iter().find(ends).expect("one word of eight ends a unit");
    let other = words.iter().find(|word| !ends(word)).expect("most words end none");
    let lengths = |text: &str| units(text).iter().map(|unit| unit.words).collect::<Vec<_>>();
    assert_eq!(lengths(&format!("{ending} ").repeat(7)), [3, 3, 1]);
    assert_eq!(lengths(&format!("{other} ").repeat(70)), [32, 32, 6]);
    assert_eq!(lengths(&format!("{other} {other} {ending} {other} {ending}")), [3, 2]);
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
    let counts = |html: &str| units(html).first().map(|unit| (unit.words, unit.text_words));
    assert_eq!(counts("<p> one\n two&nbsp;three "), Some((3, 3)));
    assert_eq!(counts(&"w ".repeat(70_000)), Some((WORDS_MAX, u16::MAX)));
    assert_eq!(counts("<p> \n <p>&nbsp;"), None);
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
    let long = "w ".repeat((UNITS_MAX + 1) * usize::from(WORDS_MAX));
    let found = units(&format!("<p>first{long}<p>last"));
    assert_eq!((found.len(), found.last().map(|unit| unit.text_words)), (UNITS_MAX, Some(u16::MAX)));
}

#[test]
fn a_text_hashes_alike_in_every_charset_that_can_write_it() {
    let read_as = |encoding: &'static Encoding, text: &str| {
        let (bytes, _, _) = encoding.encode(text);
        let source = Source { bytes: &bytes, encoding };
        let mut words = Words::default();
        words.read(source, &[Piece { unit: 0, from: 0, to: bytes.len(), entities: true }]);
        words.hashes
    };
    assert_eq!(read_as(WINDOWS_1252, "größer\u{a0}als"), read_as(UTF_8, "größer als"));
    assert_eq!(read_as(SHIFT_JIS, "ソ ー"), read_as(UTF_8, " ソ\u{3000}ー"));
}

#[test]
fn words_are_collected_with_their_texts_and_numbers_are_one_word() {
    let parse = |html: &str| Parser::new(&ParseOptions::default()).with_words().parse(html.as_bytes(), None);
    let texts = |html: &str| {
        let page = parse(html);
        assert!(page.units.is_empty());
        page.text.runs().map(|(run, words)| (run.in_anchor, run.in_form, words.to_vec())).collect::<Vec<_>>()
    };
    let found = texts("<p>one two<a href=/>two</a><form>in 2024 and 7b</form>");
    assert_eq!(
        found.iter().map(|text| (text.0, text.1, text.2.len())).collect::<Vec<_>>(),
        [(false, false, 2), (true, false, 1), (false, true, 4)]
    );
    assert_eq!(found[0].2[1], found[1].2[0]);
    assert_eq!((found[2].2[1], found[2].2[3]), (NUMBER, NUMBER));
    assert!(found[2].2[0] != NUMBER && parse("").text.is_empty());
    assert_eq!(texts(&format!("<p>{}<p>more", "w ".repeat(70_000))).len(), 2, "one text in two parts, and no more");
}

/// Returns `c` in one of the spellings that a page may use.
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
        words in proptest::collection::vec("[a-zA-Z0-9&<>;é£ß]{1,12}", 1..50),
        ways in proptest::collection::vec((0..6_u8, proptest::sample::select(vec![" ", "\n\t ", "&nbsp;", "\u{a0}", "&#32;", "\r\n", "\u{3000}"])), 100),
    ) {
        let mut ways = ways.iter().cycle();
        let mut html = String::from("<p>");
        for word in &words {
            html.extend(word.chars().map(|c| written(c, ways.next().unwrap().0)));
            html.push_str(ways.next().unwrap().1);
        }
        let found = units(&html);
        prop_assert_eq!(cuts(&found), cut(&words.join(" ")));
        prop_assert!(found.iter().all(|unit| usize::from(unit.text_words) == words.len()));
        // The same page in another charset, which has no three-byte blanks.
        let html = html.replace('\u{3000}', " ");
        let (latin, _, _) = WINDOWS_1252.encode(&html);
        let page = Parser::new(&ParseOptions::default()).with_units().parse(&latin, Some("text/html; charset=iso-8859-1"));
        prop_assert_eq!(&page.units, &found);
    }

    #[test]
    fn spelt_words_are_those_of_the_hashes(words in prop::collection::vec("[a-z0-9&<>;é]{1,9}", 1..40), entities in any::<bool>()) {
        let quote = |word: &String| if entities { word.replace('&', "&amp;").replace('<', "&lt;") } else { word.replace(['&', '<'], "x") };
        let html: String = words.iter().map(|word| format!("<p>{0}<b>{0}</b> a&nbsp;b {0}", quote(word))).collect();
        let page = Parser::with_spelling(&ParseOptions::default(), Spelling::On).with_words().parse(html.as_bytes(), Some("text/html; charset=utf-8"));
        let again: String = page.words.iter().map(|word| format!("{} ", word.replace('&', "&amp;").replace('<', "&lt;"))).collect();
        let hashed = Parser::new(&ParseOptions::default()).with_words().parse(again.as_bytes(), Some("text/html; charset=utf-8")).text;
        let all = |text: &PageText| text.runs().flat_map(|(_, words)| words.to_vec()).collect::<Vec<_>>();
        prop_assert_eq!(all(&page.text), all(&hashed));
        prop_assert_eq!(page.words.len(), page.text.len());
    }

    #[test]
    fn different_words_have_different_hashes(one in "[a-c ]{1,9}", other in "[a-c ]{1,9}") {
        let [one, other] = [&one, &other].map(|text| text.split_whitespace().collect::<Vec<_>>());
        prop_assert_eq!(hash(&one) == hash(&other), one == other);
    }

    #[test]
    fn a_text_shares_all_units_but_the_last_with_one_that_it_begins(words in texts(1..200), at in any::<prop::sample::Index>()) {
        let (whole, part) = (cut(&words.join(" ")), cuts(&units(&words[..=at.index(words.len())].join(" "))));
        prop_assert_eq!(&part[..part.len() - 1], &whole[..part.len() - 1]);
    }

    #[test]
    fn a_quotation_that_has_met_a_cut_of_its_source_shares_all_further_units_but_the_last(
        words in texts(1..300), from in any::<prop::sample::Index>(), to in any::<prop::sample::Index>(),
    ) {
        let (from, to) = (from.index(words.len()), to.index(words.len()));
        let quoted = cut(&words[from.min(to)..=from.max(to)].join(" "));
        let source = cuts(&units(&words.join(" ")));
        let Some(met) = quoted.iter().position(|unit| source.contains(unit)) else { return Ok(()) };
        let begin = source.iter().position(|unit| *unit == quoted[met]).unwrap();
        let shared = &quoted[met..quoted.len() - 1];
        prop_assert_eq!(shared, &source[begin..begin + shared.len()]);
    }

    #[test]
    fn each_text_is_cut_by_itself(
        before in texts(1..40), words in texts(1..100),
    ) {
        let page = units(&format!("<p>{}<p>{}", before.join(" "), words.join(" ")));
        let alone = cut(&words.join(" "));
        prop_assert_eq!(&cuts(&page)[page.len() - alone.len()..], &alone[..]);
    }
}

/// Returns different words, so that no two units of a text are the same.
fn texts(length: std::ops::Range<usize>) -> impl Strategy<Value = Vec<String>> {
    let words = proptest::collection::hash_set(0..100_000_u32, length);
    words.prop_map(|words| words.into_iter().map(|word| format!("w{word}")).collect())
}

#[test]
fn quotations_from_the_middle_meet_a_cut_of_their_source_behind_a_unit_or_two() {
    let words: Vec<String> = (0..2_000).map(|number| format!("w{number}")).collect();
    let source = cut(&words.join(" "));
    let lost = |from: usize| {
        let quoted = cut(&words[from..from + 200].join(" "));
        quoted.iter().position(|unit| source.contains(unit)).unwrap_or(quoted.len())
    };
    let lost: Vec<usize> = (0..1_800).map(lost).collect();
    let mean = lost.iter().sum::<usize>() as f64 / lost.len() as f64;
    assert!(mean < 1.5, "{mean} units are lost at the beginning of a quotation");
}
