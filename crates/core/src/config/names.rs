//! Finds a setting by its name, and suggests the name that was probably meant if there is none.

use super::retired;
use super::sections::{SECTIONS, SectionInfo};

/// Minimum similarity of two names (Jaro-Winkler, 0 to 1) for one to be suggested for the other.
const ALIKE: f64 = 0.8;

/// Splits `section.key`. The key may not be empty.
pub fn split(name: &str) -> Option<(&str, &str)> {
    name.split_once('.').filter(|(section, key)| !section.is_empty() && !key.is_empty())
}

/// Returns the section called `name`.
///
/// # Errors
///
/// A message for the user.
pub fn find_section(name: &str) -> Result<&'static SectionInfo, String> {
    SECTIONS.iter().find(|section| section.name == name).ok_or_else(|| {
        let names = SECTIONS.iter().map(|section| section.name);
        let known = names.clone().collect::<Vec<_>>().join(", ");
        match nearest(name, names) {
            Some(meant) => format!("unknown section `{name}`; did you mean `{meant}`?"),
            None => format!("unknown section `{name}`; the sections are {known}"),
        }
    })
}

/// Finds the setting `section.key`.
///
/// # Errors
///
/// A message that suggests what was probably meant.
pub fn find_key(section: &str, key: &str) -> Result<(&'static SectionInfo, &'static str), String> {
    let found = find_section(section)?;
    if let Some(option) = found.options.iter().find(|option| option.key == key) {
        return Ok((found, option.key));
    }
    if let Some(retired) = retired::find(section, key) {
        return Err(format!("{retired}; remove it"));
    }
    let unknown = format!("unknown setting `{section}.{key}`");
    if let Some(meant) = nearest(key, found.options.iter().map(|option| option.key)) {
        return Err(format!("{unknown}; did you mean `{section}.{meant}`?"));
    }
    match SECTIONS.iter().find(|other| other.has(key)) {
        Some(other) => Err(format!("{unknown}; did you mean `{}.{key}`?", other.name)),
        None => Err(format!("{unknown}; `harvestman config --defaults` prints all settings")),
    }
}

fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    known
        .map(|candidate| (strsim::jaro_winkler(name, candidate), candidate))
        .filter(|(likeness, _)| *likeness >= ALIKE)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_name_gets_the_nearest_one_suggested() {
        assert!(find_key("budget", "page").unwrap_err().ends_with("did you mean `budget.pages`?"));
        assert!(find_key("bugdet", "pages").unwrap_err().ends_with("did you mean `budget`?"));
    }

    #[test]
    fn a_key_in_the_wrong_section_is_sent_to_the_right_one() {
        assert!(find_key("crawl", "pages_per_host").unwrap_err().ends_with("did you mean `budget.pages_per_host`?"));
    }

    #[test]
    fn where_nothing_is_alike_the_way_to_the_list_is_named() {
        assert!(find_key("crawl", "zzz").unwrap_err().contains("config --defaults"));
        assert!(find_section("zzz").unwrap_err().contains("crawl, budget"));
    }

    #[test]
    fn a_name_has_two_parts() {
        assert_eq!(split("budget.pages"), Some(("budget", "pages")));
        assert_eq!(split("fetch.a.b"), Some(("fetch", "a.b")));
        assert!(["budget", "budget.", ".pages", ""].into_iter().all(|name| split(name).is_none()));
    }
}
