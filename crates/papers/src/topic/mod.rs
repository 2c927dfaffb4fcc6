//! A crawl for the pictures of a topic, guided by user profiles (Zhang, Nasraoui: "Profile-Based Focused Crawling for
//! Social Media-Sharing Websites", 2009; sections 5 to 8). A *picture* is whatever users upload and tag: a photo, a
//! film, a question. Its page is a *detail page*; *list pages* link to detail pages and to the profiles of uploaders.
//!
//! The parts, from the inside:
//!
//! * [`PageRoles`] classifies pages by role, from sample pages: as printed by path strings, or by their templates.
//! * [`LinkRoles`] does so for links that were not followed yet: by the image or text in them, or by the URL patterns
//!   of pages whose role is known.
//! * [`TopicCrawl`] keeps what was learned: tags of pictures, profiles of users, and uploaders of detail pages. It has
//!   the two stages of section 7 and ranks links. It knows neither HTML nor the frontier.
//! * [`TopicPolicy`] is the [`Policy`](harvestman_policy::Policy). It orders waiting URLs by [`TopicForm`]: as
//!   Algorithms 3 and 4, or as OPIC with the ranks of section 8.3.
//!
//! A link that the paper discards waits behind all others, because a crawl that has nothing better left should go on.
//! So does a link that the algorithms do not mention, ahead of what they discard. Tags and users are known by the
//! addresses of their pages.

mod crawl;
mod link_roles;
mod options;
mod page_roles;
mod policy;
mod roles;
#[cfg(test)]
mod site_tests;
mod snapshot;
mod stage;
mod uploaders;

pub use crawl::{PageSeen, TopicCrawl};
pub use link_roles::LinkRoles;
pub use options::{LinkRoleRule, TopicForm, TopicLimits, TopicOptions};
pub use page_roles::{PageRoles, RoleSample};
pub use policy::TopicPolicy;
pub use roles::{PageRole, RoleLink, UrlKey};
pub use stage::{Stage, Standing};
pub use uploaders::uploaders;
