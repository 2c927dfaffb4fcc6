//! Reads persons from the items of a page.

use super::address::{absolute, is_address};
use super::dates::read_date;
use super::items::{ItemIndex, ItemValue, Items, local_name};
use super::postings::plain;
use crate::parsed_page::Page;
use crate::records::PageUser;

/// Maximum number of users of a page: each is compared with all others.
const USERS_MAX: usize = 1_000;
/// Maximum length of a name, in bytes.
const NAME_BYTES_MAX: usize = 200;
/// Kinds of interactions that are posts.
const WRITING: [&str; 5] = ["WriteAction", "CommentAction", "UserComments", "ReplyAction", "CreateAction"];

/// Returns the persons of a page: those whom it describes by more than that they wrote one of its posts.
pub(super) fn users(items: &Items<'_>, page: &Page) -> Vec<PageUser> {
    let mut users: Vec<PageUser> = Vec::new();
    for (at, item) in items.all().filter(|(_, item)| item.is_a(&["Person"])) {
        if users.len() >= USERS_MAX {
            break;
        }
        let Some(user) = user(items, at, page) else { continue };
        let is_author = item.owner.as_ref().is_some_and(|(_, name)| name != "mainEntity" && name != "child");
        let is_described = user.joined.is_some() || user.posts.is_some();
        let is_known = users.iter().any(|known| known.name == user.name && known.url == user.url);
        if (is_described || !is_author) && !is_known {
            users.push(user);
        }
    }
    users
}

fn user(items: &Items<'_>, at: ItemIndex, page: &Page) -> Option<PageUser> {
    let name = items.text(at, &["name", "alternateName", "givenName"]).map(|name| plain(&name).0);
    let name = name.filter(|name| (1..=NAME_BYTES_MAX).contains(&name.len()))?;
    // The page of a profile was created when its person joined.
    let profile =
        items.item(at).owner.as_ref().filter(|(_, property)| property == "mainEntity").map(|(owner, _)| *owner);
    let profile = profile.filter(|owner| items.item(*owner).is_a(&["ProfilePage"]));
    let joined = profile.into_iter().chain([at]).find_map(|item| items.text(item, &["dateCreated", "memberSince"]));
    let joined = joined.and_then(|text| read_date(&text, page.fetched));
    let url = items.address(at, &["url", "uid"]).or_else(|| items.item(at).id.clone().filter(|id| is_address(id)));
    let url = url.and_then(|url| absolute(page, &url)).or_else(|| profile.map(|_| page.url.to_string()));
    Some(PageUser { url, name, joined, posts: posts(items, at) })
}

/// Returns the number of posts that a person wrote.
fn posts(items: &Items<'_>, at: ItemIndex) -> Option<u64> {
    ["agentInteractionStatistic", "interactionStatistic"].into_iter().find_map(|name| {
        items.values(at, &[name]).find_map(|value| {
            let ItemValue::Item(counter) = value else { return None };
            let kind =
                items.child(*counter, &["interactionType"]).and_then(|kind| items.item(kind).types.first().cloned());
            let kind = kind.or_else(|| items.address(*counter, &["interactionType"]))?;
            let is_writing = WRITING.contains(&local_name(&kind));
            let count = items.text(*counter, &["userInteractionCount"]).filter(|_| is_writing)?;
            count.replace([',', '.', ' '], "").parse().ok()
        })
    })
}
