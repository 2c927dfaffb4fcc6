//! The contents of a page's forms.

use super::builder::Builder;
use super::text::Source;
use super::tokens::TagToken;

impl Builder {
    /// Counts a `form` that is opened.
    pub fn form(&mut self, source: Source<'_>, tag: &TagToken<'_>) {
        let [method] = Self::attributes(source, tag).pick(["method"]);
        if method.is_some_and(|method| method.eq_ignore_ascii_case(b"post")) {
            self.forms.post_forms = self.forms.post_forms.saturating_add(1);
        }
    }

    /// Counts an `input`.
    pub fn input(&mut self, source: Source<'_>, tag: &TagToken<'_>) {
        let [kind] = Self::attributes(source, tag).pick(["type"]);
        if !self.in_template() && kind.is_some_and(|kind| kind.eq_ignore_ascii_case(b"password")) {
            self.forms.password_fields = self.forms.password_fields.saturating_add(1);
        }
    }

    /// Counts a `textarea`.
    pub fn text_area(&mut self) {
        if !self.in_template() {
            self.forms.text_areas = self.forms.text_areas.saturating_add(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::parse::Parser;
    use harvestman_core::config::ParseOptions;
    use harvestman_core::model::FormFacts;

    fn facts(html: &str) -> FormFacts {
        Parser::new(&ParseOptions::default()).parse(html.as_bytes(), None).forms
    }

    #[test]
    fn controls_are_counted_wherever_they_may_stand() {
        let html = "<FORM Method=POST><input type=Password><input><input type=text><textarea></textarea></form>\
                    <form></form><form method=get></form><table><form method=post><tr><td><input type=password></table>";
        assert_eq!(facts(html), FormFacts { password_fields: 2, text_areas: 1, post_forms: 2 });
    }

    #[test]
    fn what_is_no_element_of_the_page_does_not_count() {
        let html = "<template><form method=post><input type=password><textarea></textarea></template>\
                    <!-- <input type=password> --><form><form method=post>";
        assert_eq!(facts(html), FormFacts::default());
    }

    #[test]
    fn a_page_of_nothing_but_controls_is_counted_up_to_what_fits() {
        assert_eq!(facts(&"<input type=password>".repeat(70_000)).password_fields, u16::MAX);
    }
}
