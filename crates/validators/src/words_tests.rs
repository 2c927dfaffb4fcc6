use proptest::prelude::*;

use super::*;
use crate::{All, Want, check_examples};

const OPTICS: &[&str] = &[
    "telescope",
    "aperture",
    "eyepiece",
    "mirror",
    "galaxy",
    "nebula",
    "finder",
    "focal",
    "collimation",
    "mount",
    "dobsonian",
    "refractor",
    "seeing",
    "planet",
    "filter",
    "tripod",
];
const BAKING: &[&str] = &[
    "sourdough",
    "flour",
    "oven",
    "crust",
    "yeast",
    "dough",
    "proofing",
    "hydration",
    "rye",
    "loaf",
    "kneading",
    "starter",
    "salt",
    "crumb",
    "scoring",
    "butter",
];
const COMMON: &[&str] = &["the", "and", "of", "with", "i", "my", "it", "is", "to", "that", "for", "in", "good", "have"];

/// A page of a site with the same menu everywhere: three in five words are those of any subject, the others are drawn
/// from a vocabulary by a linear congruential generator.
fn page(vocabulary: &[&str], number: u64, template: u64) -> String {
    let mut state = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut draw = |from: &[&str]| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        from[(state >> 33) as usize % from.len()].to_owned()
    };
    let mut paragraph =
        || (0..40).map(|at| draw(if at % 5 < 3 { COMMON } else { vocabulary })).collect::<Vec<_>>().join(" ");
    let body = if template == 0 {
        format!("<article><h1>{}</h1><p>{}</p></article>", paragraph(), paragraph())
    } else {
        format!("<table><tr><td>{}</td><td>{}</td></tr></table>", paragraph(), paragraph())
    };
    format!("<nav><p>home forum members search help</p></nav>{body}<footer>all rights reserved, contact us</footer>")
}

fn views(pages: &[String]) -> Vec<PageView<'_>> {
    pages.iter().map(|page| PageView::new("http://h.test/", page.as_bytes())).collect()
}

fn learned(pages: &[String], threshold: Option<f64>) -> Words {
    Words::learn(&views(pages), threshold).unwrap()
}

fn accepts(words: &Words, page: &str) -> bool {
    words.accepts(&PageView::new("http://h.test/1", page.as_bytes())).unwrap()
}

#[test]
fn pages_of_the_subject_are_accepted_in_any_template_and_those_of_another_are_rejected() {
    for (wanted, other) in [(OPTICS, BAKING), (BAKING, OPTICS)] {
        let examples: Vec<String> = (0..4).map(|number| page(wanted, number, 0)).collect();
        let words = learned(&examples, None);
        let accepted = |of: &[&str], template| (100..200).filter(|n| accepts(&words, &page(of, *n, template))).count();
        let [found, moved] = [accepted(wanted, 0), accepted(wanted, 1)];
        assert!(found >= 95 && moved >= 95, "{found} and {moved} of 100");
        assert_eq!([accepted(other, 0), accepted(other, 1)], [0, 0]);
    }
}

#[test]
fn what_all_pages_of_a_site_show_does_not_count() {
    let words = learned(&[page(OPTICS, 1, 0), page(OPTICS, 2, 0)], None);
    assert!(words.shared.contains("home forum members search help"));
    assert!(!words.vocabulary.contains_key("members") && words.vocabulary.contains_key("telescope"));
    let menu = "<p>home forum members search help</p><footer>all rights reserved, contact us</footer>";
    assert!(!accepts(&words, menu), "it has no words of its own");
    assert_eq!(words.accepts(&PageView::new("http://h/", b"x").with_content_type(Some("image/png"))), None);
}

#[test]
fn a_given_threshold_takes_the_place_of_the_learned_one() {
    let examples = [page(OPTICS, 1, 0), page(OPTICS, 2, 0)];
    let strict = learned(&examples, Some(1.0));
    assert_eq!((strict.threshold, strict.name()), (1.0, "words:1".to_owned()));
    assert!(!accepts(&strict, &page(OPTICS, 3, 0)) && accepts(&learned(&examples, Some(0.0)), &page(BAKING, 3, 0)));
    let error = check_examples(&strict, &views(&examples)).unwrap_err().to_string();
    assert!(error.contains("`words:1` does not accept 2 of 2 examples"), "{error}");
}

#[test]
fn fewer_than_two_examples_with_words_of_their_own_are_an_error() {
    let want: Want = "words".parse().unwrap();
    let page = page(OPTICS, 1, 0);
    for (examples, usable) in [
        (vec![], 0),
        (vec![page.clone()], 1),
        (vec![page.clone(), page.clone()], 0),
        (vec![page, "<p>short".into()], 1),
    ] {
        let error =
            want.validator(&views(&examples), jiff::civil::DateTime::MAX).err().expect("it cannot learn").to_string();
        assert!(error.contains("at least 2 example pages in files"), "{error}");
        assert!(error.contains(&format!("{} given, {usable} of them usable", examples.len())), "{error}");
    }
}

#[test]
fn it_holds_together_with_others() {
    let examples: Vec<String> = (0..3).map(|number| page(OPTICS, number, 0)).collect();
    let validators = ["words", "selector:article"].map(|want| {
        want.parse::<Want>().unwrap().validator(&views(&examples), jiff::civil::DateTime::MAX).unwrap().unwrap()
    });
    let all = All(validators.into());
    let accepts = |page: &str| all.accepts(&PageView::new("http://h.test/", page.as_bytes()));
    assert_eq!(all.name(), "words and selector:article");
    assert_eq!(accepts(&page(OPTICS, 9, 0)), Some(true));
    assert_eq!(accepts(&page(OPTICS, 9, 1)), Some(false));
    assert_eq!(accepts(&page(BAKING, 9, 0)), Some(false));
}

/// The cosine by its definition: each vector over all words, in dense form.
fn naive_likeness(words: &Words, examples: &[String], text: &str) -> f64 {
    let own = |text: &str| own_words(text, &words.shared).iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let pages: Vec<Vec<String>> = examples.iter().map(|text| own(text)).collect();
    let page = own(text);
    let all: BTreeSet<&String> = pages.iter().chain([&page]).flatten().collect();
    let windows: Vec<&[String]> = pages.iter().flat_map(|page| page.chunks(WINDOW)).collect();
    let vector = |page: &[String]| -> Vec<f64> {
        let weigh = |word: &&String| {
            let times = page.iter().filter(|other| other == word).count() as f64;
            let with = windows.iter().filter(|window| window.contains(word)).count().max(1) as f64;
            if times > 0.0 { (1.0 + times.ln()) * (1.0 + windows.len() as f64 / with).ln() } else { 0.0 }
        };
        all.iter().map(weigh).collect()
    };
    let unit = |vector: Vec<f64>| {
        let norm = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
        vector.into_iter().map(|x| x / norm).collect::<Vec<_>>()
    };
    let units: Vec<Vec<f64>> = pages.iter().map(|page| unit(vector(page))).collect();
    let centroid = unit((0..all.len()).map(|at| units.iter().map(|unit| unit[at]).sum()).collect());
    unit(vector(&page)).iter().zip(&centroid).map(|(one, other)| one * other).sum()
}

fn texts() -> impl Strategy<Value = Vec<String>> {
    let words = prop::collection::vec(prop::sample::select(vec!["a", "b", "c", "d", "e", "f", "g"]), 5..30);
    // The number keeps the examples' blocks apart.
    let texts = prop::collection::vec(words, 3..7);
    texts.prop_map(|texts| texts.iter().enumerate().map(|(at, words)| format!("own{at} {}", words.join(" "))).collect())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_likeness_is_the_cosine_with_the_centroid(mut texts in texts()) {
        let page = texts.pop().unwrap();
        let words = learned(&texts, None);
        let (fast, naive) = (words.likeness(&page).unwrap(), naive_likeness(&words, &texts, &page));
        prop_assert!((fast - naive).abs() < 1e-9, "{} {}", fast, naive);
    }

    #[test]
    fn every_example_is_accepted_and_their_order_does_not_matter(mut texts in texts()) {
        let words = learned(&texts, None);
        prop_assert!(texts.iter().all(|text| accepts(&words, text)));
        let before: Vec<f64> = texts.iter().filter_map(|text| words.likeness(text)).collect();
        texts.reverse();
        let again = learned(&texts, None);
        let after: Vec<f64> = texts.iter().rev().filter_map(|text| again.likeness(text)).collect();
        prop_assert!(before.iter().zip(&after).all(|(one, other)| (one - other).abs() < 1e-9));
        prop_assert!((words.threshold - again.threshold).abs() < 1e-9);
    }

    #[test]
    fn no_bytes_make_it_panic(examples in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..200), 0..4)) {
        let views: Vec<_> = examples.iter().map(|body| PageView::new("http://h/", body)).collect();
        if let Ok(words) = Words::learn(&views, None) {
            let again = Words::learn(&views, None).unwrap();
            prop_assert!(views.iter().all(|view| words.accepts(view) == again.accepts(view)));
        }
    }
}

#[test]
fn words_have_letters_and_a_bounded_length() {
    let text = format!("the 2nd lens, f/2.8 – größe {} 1999 x", "a".repeat(WORD_BYTES_MAX + 1));
    assert_eq!(words(&text).collect::<Vec<_>>(), ["the", "2nd", "lens", "f", "größe", "x"]);
    assert_eq!(words(&"a ".repeat(WORDS_MAX + 9)).count(), WORDS_MAX);
}
