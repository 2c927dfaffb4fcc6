//! Files that hold secrets: who follows the documentation creates them so that other users cannot read them.

use super::markdown::Page;
use super::{found, nothing};

/// The folder of the service's settings. Its files of this ending are environments, which hold what must not be read.
const FOLDER: &str = "/etc/harvestman/";
const ENDING: &str = ".env";

/// Files with secrets that a text names and never creates with mode 0600.
fn open_to_others(text: &str) -> Vec<String> {
    let is_part = |char: char| char.is_ascii_alphanumeric() || "/.-_".contains(char);
    let words = text.split(|char| !is_part(char)).filter(|word| word.starts_with(FOLDER) && word.ends_with(ENDING));
    let mut open: Vec<String> =
        words.filter(|file| !text.contains(&format!("install -m 600 /dev/null {file}\n"))).map(str::to_owned).collect();
    open.dedup();
    open
}

#[test]
fn files_with_secrets_are_created_with_a_mode_that_keeps_others_out() {
    let named = "Cookies are in `/etc/harvestman/forum.env`.\n";
    assert_eq!(open_to_others(named), ["/etc/harvestman/forum.env"]);
    let created = "```sh\nsudo install -m 600 /dev/null /etc/harvestman/forum.env\n```\n";
    assert_eq!(open_to_others(&(named.to_owned() + created)), [""; 0]);
    nothing(&found(|page: &Page| open_to_others(&std::fs::read_to_string(&page.path).unwrap())));
}
