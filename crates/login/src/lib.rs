//! Log-in forms, and whether the session of a member holds.
//!
//! [`find_form`] finds the form on a page and [`LogInForm::fill`] makes the request that sends it. [`Marks`] tell by
//! the content of a page whether it was sent to a member, and [`SessionWatch`] decides by them which answers of a crawl
//! count. [`avoided_address`] and [`Page::avoided_links`] name the links that a member must not follow. Pure: pages,
//! times and answers are passed as values.
//!
//! Internal to Harvestman, without a promise of stability: other programs use `harvestman-library`.

mod avoided;
mod controls;
mod encoding;
mod form;
mod marks;
mod page;
mod problem;
mod submission;
mod watch;

pub use avoided::{avoided_address, neutral_address};
pub use form::{LogInForm, find_form};
pub use marks::{Evidence, GivenMarks, Marks};
pub use page::Page;
pub use problem::Problem;
pub use submission::{Credentials, PasswordOrigins, Submission};
pub use watch::{SessionAnswer, SessionWatch, Verdict, WatchLimits};
