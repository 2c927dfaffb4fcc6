//! Photo sharing in the style of Flickr: `/photos/name-17/17004/`.
//!
//! Its waste: the same photo again in the context of a set, pages of sizes, and short links that redirect.

mod render;

use super::changes::{Activity, Arrivals};
use super::listing::{dealt, has_page, pages};
use super::path::{page_number, push, push_page, segments, split, trailing_number};
use super::render::Page;
use super::site::{Facts, Host, Routes, Site};

/// The fewest photos a user has, and how many more at most.
const PHOTOS: (u64, u64) = (3, 60);
/// Photos of user u have the numbers from u · this on.
const PHOTO_NUMBERS: u64 = 1_000;
/// A user has fewer sets than this.
const SETS_END: u64 = 4;

/// Comments on a photo, and edits of a profile, a day; and how many photos a day the busiest users add.
const COMMENTS: Activity = Activity { peak: 0.5, half: 1.0, floor: 0.0008, spread: 1.0 };
const PROFILE_EDITS: f64 = 0.001;
const FAVOURITES: f64 = 0.02;
const UPLOADS_MOST: f64 = 1.0;

/// The software of one photo site.
#[derive(Debug)]
pub(super) struct Media {
    host: Host,
    users: u64,
    tags: u64,
}

/// A URL of a photo site. Pages are numbered from 1, all else from 0; a photo by user and number, as it stands in URLs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Route {
    Home,
    Login,
    Tags,
    People { page: u64 },
    Profile(u64),
    Contacts(u64),
    Favourites(u64),
    Stream { user: u64, page: u64 },
    Sets(u64),
    Set { user: u64, set: u64, page: u64 },
    Tag { tag: u64, page: u64 },
    Photo(u64),
    InSet(u64),
    Sizes(u64),
    Short(u64),
    File(u64),
}

impl Media {
    /// A site of `users` users.
    pub fn new(host: Host, users: u64) -> Self {
        Self { host, users, tags: (users / 2).clamp(3, 60) }
    }

    /// A few users add photos every day, most hardly ever.
    fn arrivals(&self, user: u64) -> Arrivals {
        let draw = self.host.below("pace", user, 1_000) as f64 / 1_000.0;
        Arrivals {
            at_start: PHOTOS.0 + self.host.heavy("photos", user, PHOTOS.1),
            rate: (UPLOADS_MOST * draw.powi(6)).max(0.001),
        }
    }

    fn photos(&self, user: u64) -> u64 {
        self.host.arrived(&format!("photos of {user}"), self.arrivals(user)).min(PHOTO_NUMBERS)
    }

    fn comments(&self, photo: u64) -> u64 {
        let (user, number) = (photo / PHOTO_NUMBERS, photo % PHOTO_NUMBERS);
        let arrivals = self.arrivals(user);
        let at_start = if number < arrivals.at_start { self.host.heavy("comments", photo, 12) } else { 0 };
        if !self.host.changes() {
            return at_start;
        }
        let born = self.host.arrival(&format!("photos of {user}"), number, arrivals);
        (at_start + self.host.happened("comment", photo, born, COMMENTS).events).min(16)
    }

    /// The place of an entry in a list of `count`: where the site changes, the latest comes first.
    fn place(&self, at: u64, count: u64) -> u64 {
        if self.host.changes() { count - 1 - at } else { at }
    }

    fn sets(&self, user: u64) -> u64 {
        self.host.below("sets", user, SETS_END)
    }

    /// The set that a photo is in, where its user has sets.
    fn set_of(&self, photo: u64) -> Option<u64> {
        (photo % PHOTO_NUMBERS).checked_rem(self.sets(photo / PHOTO_NUMBERS))
    }

    fn set_photos(&self, user: u64, set: u64) -> u64 {
        dealt(self.photos(user), self.sets(user), set)
    }

    fn is_photo(&self, photo: u64) -> bool {
        photo / PHOTO_NUMBERS < self.users && photo % PHOTO_NUMBERS < self.photos(photo / PHOTO_NUMBERS)
    }

    fn is_alive(&self, photo: u64) -> bool {
        self.is_photo(photo) && !self.host.is_dead("gone", photo)
    }

    fn list_pages(&self, items: u64) -> u64 {
        pages(items, self.host.shape.per_page())
    }

    fn tag_of(&self, photo: u64) -> u64 {
        (photo / PHOTO_NUMBERS + photo % PHOTO_NUMBERS) % self.tags
    }

    /// The first photo of `user` with tag `tag`: what the tag's pages show of that user.
    fn tagged(&self, user: u64, tag: u64) -> Option<u64> {
        let first = (tag + self.tags - user % self.tags) % self.tags;
        (first < self.photos(user)).then_some(user * PHOTO_NUMBERS + first)
    }

    fn tag_word(&self, tag: u64) -> &str {
        self.host.shape.text.nth(self.host.seed.0 % 1_000 + tag)
    }

    fn user_routes(&self, user: u64) -> impl Iterator<Item = Route> + '_ {
        let fixed = [Route::Profile(user), Route::Contacts(user), Route::Favourites(user), Route::Sets(user)];
        let stream = (1..=self.list_pages(self.photos(user))).map(move |page| Route::Stream { user, page });
        let sets = (0..self.sets(user)).flat_map(move |set| {
            (1..=self.list_pages(self.set_photos(user, set))).map(move |page| Route::Set { user, set, page })
        });
        let photos = (0..self.photos(user)).flat_map(move |number| self.photo_routes(user * PHOTO_NUMBERS + number));
        fixed.into_iter().chain(stream).chain(sets).chain(photos)
    }

    /// The routes that a photo brings: all but the photo itself are linked from its page only.
    fn photo_routes(&self, photo: u64) -> impl Iterator<Item = Route> + '_ {
        [Route::Photo(photo), Route::InSet(photo), Route::Sizes(photo), Route::Short(photo), Route::File(photo)]
            .into_iter()
            .filter(|route| self.exists(*route))
    }

    fn user_name(&self, user: u64, out: &mut String) {
        self.host.shape.text.name(self.host.seed.child("name"), user, out);
        out.push('-');
        push(out, user);
        out.push('/');
    }

    fn stream_folder(&self, user: u64, out: &mut String) {
        out.push_str("/photos/");
        self.user_name(user, out);
    }

    fn people_folder(&self, user: u64, out: &mut String) {
        out.push_str("/people/");
        self.user_name(user, out);
    }

    fn photo_folder(&self, photo: u64, out: &mut String) {
        self.stream_folder(photo / PHOTO_NUMBERS, out);
        push(out, photo);
        out.push('/');
    }

    fn guess_stream(user: u64, rest: &[&str]) -> Option<Route> {
        match rest {
            [] => Some(Route::Stream { user, page: 1 }),
            ["favorites"] => Some(Route::Favourites(user)),
            ["sets"] => Some(Route::Sets(user)),
            ["sets", set] => Some(Route::Set { user, set: set.parse().ok()?, page: 1 }),
            ["sets", set, page] => Some(Route::Set { user, set: set.parse().ok()?, page: folder_page(page)? }),
            [photo, "sizes"] => photo.parse().ok().map(Route::Sizes),
            [photo, "in", _set] => photo.parse().ok().map(Route::InSet),
            [last] => match folder_page(last) {
                Some(page) => Some(Route::Stream { user, page }),
                None => last.parse().ok().map(Route::Photo),
            },
            _ => None,
        }
    }

    fn guess_tag(&self, word: &str, rest: &[&str]) -> Option<Route> {
        let tag = (0..self.tags).find(|tag| self.tag_word(*tag) == word)?;
        let page = rest.first().map_or(Some(1), |page| folder_page(page))?;
        Some(Route::Tag { tag, page })
    }
}

/// The number in `page2`.
fn folder_page(segment: &str) -> Option<u64> {
    segment.strip_prefix("page")?.parse().ok()
}

/// Appends `page2/`, or nothing for the first page.
fn push_folder_page(out: &mut String, page: u64) {
    if page > 1 {
        out.push_str("page");
        push(out, page);
        out.push('/');
    }
}

impl Site for Media {
    type Route = Route;

    fn host(&self) -> &Host {
        &self.host
    }

    fn routes(&self) -> Routes<'_, Route> {
        let fixed = [Route::Home, Route::Login, Route::Tags].into_iter();
        let people = (1..=self.list_pages(self.users)).map(|page| Route::People { page });
        let tags =
            (0..self.tags).flat_map(|tag| (1..=self.list_pages(self.users)).map(move |page| Route::Tag { tag, page }));
        let users = (0..self.users).flat_map(|user| self.user_routes(user));
        Box::new(fixed.chain(people).chain(tags).chain(users))
    }

    fn guess(&self, path_and_query: &str) -> Option<Route> {
        let (path, query) = split(path_and_query);
        let (parts, count) = segments(path);
        match &parts[..count] {
            [] => Some(Route::Home),
            ["login"] => Some(Route::Login),
            ["people"] => Some(Route::People { page: page_number(query) }),
            ["people", user] => trailing_number(user, '-').map(Route::Profile),
            ["people", user, "contacts"] => trailing_number(user, '-').map(Route::Contacts),
            ["p", photo] => photo.parse().ok().map(Route::Short),
            ["files", file] => file.strip_suffix(".jpg")?.parse().ok().map(Route::File),
            ["photos", "tags"] => Some(Route::Tags),
            ["photos", "tags", word, rest @ ..] => self.guess_tag(word, rest),
            ["photos", user, rest @ ..] => Self::guess_stream(trailing_number(user, '-')?, rest),
            _ => None,
        }
    }

    fn exists(&self, route: Route) -> bool {
        let options = &self.host.shape.options;
        match route {
            Route::Home | Route::Login | Route::Tags => true,
            Route::People { page } => has_page(page, self.list_pages(self.users)),
            Route::Profile(user) | Route::Contacts(user) | Route::Favourites(user) | Route::Sets(user) => {
                user < self.users
            }
            Route::Stream { user, page } => user < self.users && has_page(page, self.list_pages(self.photos(user))),
            Route::Set { user, set, page } => {
                user < self.users
                    && set < self.sets(user)
                    && has_page(page, self.list_pages(self.set_photos(user, set)))
            }
            Route::Tag { tag, page } => tag < self.tags && has_page(page, self.list_pages(self.users)),
            Route::Photo(photo) => self.is_photo(photo),
            Route::InSet(photo) => {
                self.is_alive(photo)
                    && self.set_of(photo).is_some()
                    && self.host.coin("in_set", photo, options.duplicates)
            }
            Route::Sizes(photo) => self.is_alive(photo) && self.host.coin("sizes", photo, options.duplicates),
            Route::Short(photo) => self.is_alive(photo) && self.host.coin("short", photo, options.redirects),
            Route::File(photo) => options.non_html && self.is_alive(photo) && self.host.coin("file", photo, 0.2),
        }
    }

    fn write_path(&self, route: Route, out: &mut String) {
        match route {
            Route::Home => out.push('/'),
            Route::Login => out.push_str("/login"),
            Route::Tags => out.push_str("/photos/tags/"),
            Route::People { page } => {
                out.push_str("/people/");
                push_page(out, '?', page);
            }
            Route::Profile(user) => self.people_folder(user, out),
            Route::Contacts(user) => {
                self.people_folder(user, out);
                out.push_str("contacts/");
            }
            Route::Favourites(user) => {
                self.stream_folder(user, out);
                out.push_str("favorites/");
            }
            Route::Stream { user, page } => {
                self.stream_folder(user, out);
                push_folder_page(out, page);
            }
            Route::Sets(user) => {
                self.stream_folder(user, out);
                out.push_str("sets/");
            }
            Route::Set { user, set, page } => {
                self.stream_folder(user, out);
                out.push_str("sets/");
                push(out, set);
                out.push('/');
                push_folder_page(out, page);
            }
            Route::Tag { tag, page } => {
                out.push_str("/photos/tags/");
                out.push_str(self.tag_word(tag));
                out.push('/');
                push_folder_page(out, page);
            }
            Route::Photo(photo) | Route::InSet(photo) | Route::Sizes(photo) => {
                self.photo_folder(photo, out);
                self.write_photo_tail(route, out);
            }
            Route::Short(photo) => {
                out.push_str("/p/");
                push(out, photo);
            }
            Route::File(photo) => {
                out.push_str("/files/");
                push(out, photo);
                out.push_str(".jpg");
            }
        }
    }

    fn facts(&self, route: Route) -> Facts<Route> {
        match route {
            Route::Home => Facts::page("media:home"),
            Route::Login => Facts::page("media:login").disallowed(),
            Route::Tags => Facts::page("media:tags"),
            Route::People { .. } => Facts::page("media:people"),
            Route::Profile(_) => Facts::content("media:profile"),
            Route::Contacts(_) => Facts::page("media:contacts"),
            Route::Favourites(_) => Facts::page("media:favourites"),
            Route::Stream { .. } => Facts::content("media:stream"),
            Route::Sets(_) => Facts::page("media:sets"),
            Route::Set { .. } => Facts::page("media:set"),
            Route::Tag { .. } => Facts::page("media:tag"),
            Route::Photo(photo) => Facts::content("media:photo").dead_if(!self.is_alive(photo)),
            Route::InSet(photo) => Facts::content("media:photo_in_set").view_of(Route::Photo(photo)),
            Route::Sizes(_) => Facts::page("media:sizes").disallowed(),
            Route::Short(photo) => Facts::redirect("media:short_link", 302, Route::Photo(photo)),
            Route::File(_) => Facts::file("media:file", "image/jpeg"),
        }
    }

    fn render(&self, route: Route, page: &mut Page<'_>) {
        render::render(self, route, page);
    }

    fn disallowed(&self) -> &'static [&'static str] {
        &["/login$", "/photos/*/sizes/"]
    }

    fn main_pages(&self) -> u64 {
        self.users
    }

    fn main_page(&self, index: u64) -> Route {
        Route::Stream { user: index, page: 1 }
    }
}

impl Media {
    fn write_photo_tail(&self, route: Route, out: &mut String) {
        match route {
            Route::InSet(photo) => {
                out.push_str("in/set-");
                push(out, self.set_of(photo).unwrap_or(0));
                out.push('/');
            }
            Route::Sizes(_) => out.push_str("sizes/"),
            _ => {}
        }
    }
}
