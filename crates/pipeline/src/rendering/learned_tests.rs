//! Tests of what is kept over a restart.

use proptest::prelude::*;

use super::*;
use harvestman_core::url::CanonicalUrl;
use harvestman_render::{ActionNote, Gain, Suspicion, Turn};

fn class(form: u64) -> RenderClass {
    RenderClass::of(&CanonicalUrl::from_canonical("http://h.test/t/1"), form)
}

/// Meets a page of a class, and renders it if that is its turn.
fn page(learned: &Learned, form: u64, links: u32) {
    let class = class(form);
    learned.met.lock().meet(class, &format!("http://h.test/t/{form}"));
    let mut needs = learned.needs.lock();
    if needs.wants(class, Suspicion::Strong) && needs.turn(&class, Suspicion::Strong, false) == Turn::Render {
        needs.learn(&class, Gain { links, words: 3 });
        learned.met.lock().count_rendered(class);
        let gain = Gain { links, words: 0 };
        let note = ActionNote { path: format!("button.{form}"), clicks: 1, gain, navigations: 0 };
        learned.actions.lock().learn(class, &[note]);
    }
}

/// Returns what is kept, written and read.
fn stored(learned: &Learned) -> KeptRendering {
    KeptRendering::from_bytes(&learned.kept().to_bytes().unwrap()).unwrap()
}

proptest! {
    #[test]
    fn what_is_kept_is_read_as_it_was_written(pages in proptest::collection::vec((0_u64..6, 0_u32..9), 0..60)) {
        let learned = Learned::default();
        pages.iter().for_each(|(form, links)| page(&learned, *form, *links));
        let kept = stored(&learned);
        prop_assert_eq!(&kept, &learned.kept());
        let next = kept.restored();
        prop_assert_eq!(next.kept(), learned.kept());
        prop_assert_eq!(next.summary(9), learned.summary(9));
    }

    #[test]
    fn no_text_makes_it_panic(text in "\\PC{0,40}", cut in 0_usize..2_000) {
        let _ = KeptRendering::from_bytes(text.as_bytes());
        let learned = Learned::default();
        (0..9).for_each(|number| page(&learned, number % 3, 2));
        let bytes = learned.kept().to_bytes().unwrap();
        prop_assert_eq!(KeptRendering::from_bytes(&bytes[..cut.min(bytes.len())]).is_ok(), cut >= bytes.len());
    }
}

#[test]
fn a_summary_has_the_largest_classes() {
    let learned = Learned::default();
    (0..30).for_each(|number| page(&learned, u64::from(number % 10 > 6), 4));
    let RenderingSummary { rendered, replayed, known, classes } = learned.summary(1);
    assert_eq!((rendered, replayed, known, classes.len()), (30, 0, 2, 1));
    let expected = RenderClassSummary {
        class: class(0).name(),
        example: "http://h.test/t/0".to_owned(),
        pages: 21,
        rendered: 21,
        need: "needed".into(),
        gain: 4.3,
        ..RenderClassSummary::default()
    };
    assert_eq!(classes, [expected]);
}

#[test]
fn another_format_is_an_error_that_names_it() {
    let text = String::from_utf8(Learned::default().kept().to_bytes().unwrap()).unwrap();
    let other = text.replace("\"format\":1", "\"format\":2");
    assert!(KeptRendering::from_bytes(other.as_bytes()).unwrap_err().contains("format 2"));
    assert!(KeptRendering::from_bytes(text.as_bytes()).is_ok());
    for garbage in ["", "{}", "[]", "\0\0\0", "{\"format\":1}"] {
        assert!(KeptRendering::from_bytes(garbage.as_bytes()).is_err(), "{garbage}");
    }
}
