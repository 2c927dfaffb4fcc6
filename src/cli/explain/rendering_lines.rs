//! How a page was rendered, as text for people.

use std::fmt;

use super::rendering::PageRendering;
use super::text::fact;
use harvestman_report::render_class_facts;

impl fmt::Display for PageRendering {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let outcome = match self.outcome.as_deref() {
            None => "not rendered: the page counts as the server sent it",
            Some("rendered") => "rendered by a browser",
            Some("replayed") => "replayed: plain requests completed the page",
            Some(why) => why,
        };
        fact(f, "outcome", outcome)?;
        if let Some(class) = &self.class {
            fact(f, "class", class)?;
        }
        match (&self.known, &self.unknown) {
            (Some(known), _) => {
                fact(f, "like", &known.example)?;
                render_class_facts(known).iter().try_for_each(|(name, value)| fact(f, name, value))
            }
            (None, Some(why)) => fact(f, "", why),
            (None, None) => fact(f, "", "nothing is stored of this class"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use harvestman_core::model::PageRecord;

    fn page(rendered: Option<&str>, class: Option<&str>) -> PageRecord {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        PageRecord { rendered: owned(rendered), render_class: owned(class), ..PageRecord::default() }
    }

    #[test]
    fn a_page_has_the_outcome_and_what_is_known_of_its_class() {
        let dir = tempfile::tempdir().unwrap();
        let class = "00000000000000ff";
        let stored = r#"{"format":1,"rendered":6,"replayed":1,"budget":{"earned":0.0,"advance":4.0},"templates":[],"gains":[],"classes":[
            {"class":"00000000000000ff","pages":{"example":"http://h.test/t/1","pages":9,"rendered":6,"replayed":1},
             "need":{"need":"needed","trials":6,"gain":4.25},"replay":null,"actions":null}]}"#;
        std::fs::write(dir.path().join("render.json"), stored).unwrap();
        let text = PageRendering::of(dir.path(), &page(Some("replayed"), Some(class))).unwrap().to_string();
        for part in
            ["plain requests completed", class, "http://h.test/t/1", "9, 6 rendered, 1 replayed", "adds 4.2 links"]
        {
            assert!(text.contains(part), "{part} is not in\n{text}");
        }
        let other = PageRendering::of(dir.path(), &page(None, Some("0000000000000001"))).unwrap().to_string();
        assert!(other.contains("not rendered") && other.contains("nothing is stored"), "{other}");
        assert!(PageRendering::of(dir.path(), &page(None, None)).is_none());
        std::fs::write(dir.path().join("render.json"), "torn").unwrap();
        let text = PageRendering::of(dir.path(), &page(Some("hung"), Some(class))).unwrap().to_string();
        assert!(text.contains("hung") && text.contains("render.json"), "{text}");
    }
}
