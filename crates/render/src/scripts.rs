//! Tells pages with the same scripts from others: pure.

use std::collections::BTreeSet;

use harvestman_core::model::path_hash::{fold, step};

use crate::replay::{HtmlItem, scan_names, scan_scripts};

/// Maximum number of bytes of inline scripts that are read.
const INLINE_BYTES_MAX: usize = 64 << 10;
/// Maximum number of scripts and names.
const NAMES_MAX: usize = 1_000;
/// Words of scripts that are values.
const VALUES: [&str; 4] = ["true", "false", "null", "undefined"];

/// Returns a hash of a page's scripts: of the paths of those that it loads, without digits, and of the names in those
/// that it contains, without numbers and strings. Pages of one template have the same, whatever data they hand to their
/// scripts.
pub fn script_form(source: &[u8]) -> u64 {
    let source = String::from_utf8_lossy(source);
    let (mut names, mut inline_bytes, mut is_read) = (BTreeSet::new(), 0, false);
    let mut add = |name: &str| {
        if names.len() < NAMES_MAX && !VALUES.contains(&name) {
            names.insert(name.chars().filter(|c| !c.is_ascii_digit()).collect::<String>());
        }
    };
    scan_scripts(&source, &mut |item| match item {
        HtmlItem::Tag(_, attributes) => {
            let value = |name| attributes.iter().find(|(of, _)| of == name).map(|(_, value)| &**value);
            let path = value("src").map(|address| address.split(['?', '#']).next().unwrap_or_default());
            is_read = path.is_none() && value("type").is_none_or(is_script);
            path.into_iter().for_each(&mut add);
        }
        HtmlItem::Script(script) if is_read && inline_bytes < INLINE_BYTES_MAX => {
            inline_bytes += script.len();
            scan_names(script, &mut add);
        }
        HtmlItem::Script(_) | HtmlItem::Text(_) => {}
    });
    names.iter().fold(1, |hash, name| step(hash, fold(name.as_bytes())))
}

/// Returns whether an element of this type holds a script, and not data.
fn is_script(of: &str) -> bool {
    matches!(of, "" | "module") || of.ends_with("javascript")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn form(source: &str) -> u64 {
        script_form(source.as_bytes())
    }

    #[test]
    fn data_of_a_page_does_not_matter() {
        let page = |id: u32, name: &str, flag: bool| {
            format!(
                "<p>{name}</p><script src='/v{id}/app{id}.js?v={id}'></script><script type=\"application/json\">{{\"{name}\": 1}}\
                 </script><script>show({{id: {id}, name: \"{name}\", flag: {flag}}})</script>"
            )
        };
        assert_eq!(form(&page(1, "one", true)), form(&page(22, "t'w\\\"o", false)));
    }

    #[test]
    fn pages_with_other_scripts_are_others() {
        assert_eq!(form("<SCRIPT SRC=/a.js></SCRIPT>"), form("<script src='/a.js'></script>"));
        let pages = [
            "<p>",
            "<script src=/a.js></script>",
            "<script src=/b.js></script>",
            "<script>a(1)</script>",
            "<script>b(1)</script>",
        ];
        let forms: BTreeSet<u64> = pages.iter().map(|page| form(page)).collect();
        assert_eq!(forms.len(), pages.len());
    }

    proptest! {
        #[test]
        fn any_source_has_a_form(source in "(<script( src=.x)?>|</script>|[a-z'\"`\\\\\n]{0,5}){0,12}") {
            form(&source);
        }

        #[test]
        fn text_around_scripts_does_not_matter(before in "[a-z ]{0,20}", after in "[a-z ]{0,20}") {
            prop_assert_eq!(form(&format!("{before}<script>go(1)</script>{after}")), form("<script>go(2)</script>"));
        }
    }
}
