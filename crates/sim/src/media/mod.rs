//! Photo sharing in the style of Flickr: `/photos/name-17/17004/`.
//!
//! Its redundant URLs: the same photo again in the context of a set, pages of sizes, and short links that redirect.

mod render;

use super::changes::{Activity, Arrivals};
use super::host::Host;
use super::listing::{dealt, has_page, pages};
use super::path::{Routing, page_number, push, push_page, segments, split, trailing_number};
use super::render::Page;
use super::site::{Facts, Routes, Site};

/// Minimum number of photos of a user, and maximum number of additional ones.
const PHOTOS: (u64, u64) = (3, 60);
/// Photos of user u are numbered from u times this.
const PHOTO_NUMBERS: u64 = 1_000;
/// Exclusive upper bound of the number of sets of a user.
const SETS_END: u64 = 4;

/// Comments on a photo, and edits of a profile, per day; and photos per day of the busiest users.
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

/// A URL of a photo site. Pages are numbered from 1, everything else from 0; a photo by user and number, as in URLs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MediaRoute {
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
    /// Creates a site with `users` users.
    pub fn new(host: Host, users: u64) -> Self {
        Self { host, users, tags: (users / 2).clamp(3, 60) }
    }

    /// Returns the rate of new photos: a few users add some every day, most hardly ever.
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

    /// Returns the index of an entry in a list of `count`: in a changing site, the latest entry is first.
    fn place(&self, at: u64, count: u64) -> u64 {
        if self.host.changes() { count - 1 - at } else { at }
    }

    fn sets(&self, user: u64) -> u64 {
        self.host.below("sets", user, SETS_END)
    }

    /// Returns the set of a photo, if its user has sets.
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

    /// Returns the first photo of `user` with tag `tag`, which the pages of the tag show for that user.
    fn tagged(&self, user: u64, tag: u64) -> Option<u64> {
        let first = (tag + self.tags - user % self.tags) % self.tags;
        (first < self.photos(user)).then_some(user * PHOTO_NUMBERS + first)
    }

    fn tag_word(&self, tag: u64) -> &str {
        self.host.shape.text.nth(self.host.seed.0 % 1_000 + tag)
    }

    fn user_routes(&self, user: u64) -> impl Iterator<Item = MediaRoute> + '_ {
        let fixed = [
            MediaRoute::Profile(user),
            MediaRoute::Contacts(user),
            MediaRoute::Favourites(user),
            MediaRoute::Sets(user),
        ];
        let stream = (1..=self.list_pages(self.photos(user))).map(move |page| MediaRoute::Stream { user, page });
        let sets = (0..self.sets(user)).flat_map(move |set| {
            (1..=self.list_pages(self.set_photos(user, set))).map(move |page| MediaRoute::Set { user, set, page })
        });
        let photos = (0..self.photos(user)).flat_map(move |number| self.photo_routes(user * PHOTO_NUMBERS + number));
        fixed.into_iter().chain(stream).chain(sets).chain(photos)
    }

    /// Returns the routes of a photo: all except the photo itself are linked from its page only.
    fn photo_routes(&self, photo: u64) -> impl Iterator<Item = MediaRoute> + '_ {
        [
            MediaRoute::Photo(photo),
            MediaRoute::InSet(photo),
            MediaRoute::Sizes(photo),
            MediaRoute::Short(photo),
            MediaRoute::File(photo),
        ]
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

    fn guess_stream(user: u64, rest: &[&str]) -> Option<MediaRoute> {
        match rest {
            [] => Some(MediaRoute::Stream { user, page: 1 }),
            ["favorites"] => Some(MediaRoute::Favourites(user)),
            ["sets"] => Some(MediaRoute::Sets(user)),
            ["sets", set] => Some(MediaRoute::Set { user, set: set.parse().ok()?, page: 1 }),
            ["sets", set, page] => Some(MediaRoute::Set { user, set: set.parse().ok()?, page: folder_page(page)? }),
            [photo, "sizes"] => photo.parse().ok().map(MediaRoute::Sizes),
            [photo, "in", _set] => photo.parse().ok().map(MediaRoute::InSet),
            [last] => match folder_page(last) {
                Some(page) => Some(MediaRoute::Stream { user, page }),
                None => last.parse().ok().map(MediaRoute::Photo),
            },
            _ => None,
        }
    }

    fn guess_tag(&self, word: &str, rest: &[&str]) -> Option<MediaRoute> {
        let tag = (0..self.tags).find(|tag| self.tag_word(*tag) == word)?;
        let page = rest.first().map_or(Some(1), |page| folder_page(page))?;
        Some(MediaRoute::Tag { tag, page })
    }
}

/// Returns the number in `page2`.
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

impl Routing for Media {
    type Route = MediaRoute;

    fn write_path(&self, route: MediaRoute, out: &mut String) {
        match route {
            MediaRoute::Home => out.push('/'),
            MediaRoute::Login => out.push_str("/login"),
            MediaRoute::Tags => out.push_str("/photos/tags/"),
            MediaRoute::People { page } => {
                out.push_str("/people/");
                push_page(out, '?', page);
            }
            MediaRoute::Profile(user) => self.people_folder(user, out),
            MediaRoute::Contacts(user) => {
                self.people_folder(user, out);
                out.push_str("contacts/");
            }
            MediaRoute::Favourites(user) => {
                self.stream_folder(user, out);
                out.push_str("favorites/");
            }
            MediaRoute::Stream { user, page } => {
                self.stream_folder(user, out);
                push_folder_page(out, page);
            }
            MediaRoute::Sets(user) => {
                self.stream_folder(user, out);
                out.push_str("sets/");
            }
            MediaRoute::Set { user, set, page } => {
                self.stream_folder(user, out);
                out.push_str("sets/");
                push(out, set);
                out.push('/');
                push_folder_page(out, page);
            }
            MediaRoute::Tag { tag, page } => {
                out.push_str("/photos/tags/");
                out.push_str(self.tag_word(tag));
                out.push('/');
                push_folder_page(out, page);
            }
            MediaRoute::Photo(photo) | MediaRoute::InSet(photo) | MediaRoute::Sizes(photo) => {
                self.photo_folder(photo, out);
                self.write_photo_tail(route, out);
            }
            MediaRoute::Short(photo) => {
                out.push_str("/p/");
                push(out, photo);
            }
            MediaRoute::File(photo) => {
                out.push_str("/files/");
                push(out, photo);
                out.push_str(".jpg");
            }
        }
    }
}

impl Site for Media {
    fn host(&self) -> &Host {
        &self.host
    }

    fn routes(&self) -> Routes<'_, MediaRoute> {
        let fixed = [MediaRoute::Home, MediaRoute::Login, MediaRoute::Tags].into_iter();
        let people = (1..=self.list_pages(self.users)).map(|page| MediaRoute::People { page });
        let tags = (0..self.tags)
            .flat_map(|tag| (1..=self.list_pages(self.users)).map(move |page| MediaRoute::Tag { tag, page }));
        let users = (0..self.users).flat_map(|user| self.user_routes(user));
        Box::new(fixed.chain(people).chain(tags).chain(users))
    }

    fn guess(&self, path_and_query: &str) -> Option<MediaRoute> {
        let (path, query) = split(path_and_query);
        let (parts, count) = segments(path);
        match &parts[..count] {
            [] => Some(MediaRoute::Home),
            ["login"] => Some(MediaRoute::Login),
            ["people"] => Some(MediaRoute::People { page: page_number(query) }),
            ["people", user] => trailing_number(user, '-').map(MediaRoute::Profile),
            ["people", user, "contacts"] => trailing_number(user, '-').map(MediaRoute::Contacts),
            ["p", photo] => photo.parse().ok().map(MediaRoute::Short),
            ["files", file] => file.strip_suffix(".jpg")?.parse().ok().map(MediaRoute::File),
            ["photos", "tags"] => Some(MediaRoute::Tags),
            ["photos", "tags", word, rest @ ..] => self.guess_tag(word, rest),
            ["photos", user, rest @ ..] => Self::guess_stream(trailing_number(user, '-')?, rest),
            _ => None,
        }
    }

    fn exists(&self, route: MediaRoute) -> bool {
        let options = &self.host.shape.options;
        match route {
            MediaRoute::Home | MediaRoute::Login | MediaRoute::Tags => true,
            MediaRoute::People { page } => has_page(page, self.list_pages(self.users)),
            MediaRoute::Profile(user)
            | MediaRoute::Contacts(user)
            | MediaRoute::Favourites(user)
            | MediaRoute::Sets(user) => user < self.users,
            MediaRoute::Stream { user, page } => {
                user < self.users && has_page(page, self.list_pages(self.photos(user)))
            }
            MediaRoute::Set { user, set, page } => {
                user < self.users
                    && set < self.sets(user)
                    && has_page(page, self.list_pages(self.set_photos(user, set)))
            }
            MediaRoute::Tag { tag, page } => tag < self.tags && has_page(page, self.list_pages(self.users)),
            MediaRoute::Photo(photo) => self.is_photo(photo),
            MediaRoute::InSet(photo) => {
                self.is_alive(photo)
                    && self.set_of(photo).is_some()
                    && self.host.coin("in_set", photo, options.duplicates)
            }
            MediaRoute::Sizes(photo) => self.is_alive(photo) && self.host.coin("sizes", photo, options.duplicates),
            MediaRoute::Short(photo) => self.is_alive(photo) && self.host.coin("short", photo, options.redirects),
            MediaRoute::File(photo) => options.non_html && self.is_alive(photo) && self.host.coin("file", photo, 0.2),
        }
    }

    fn facts(&self, route: MediaRoute) -> Facts<MediaRoute> {
        match route {
            MediaRoute::Home => Facts::page("media:home"),
            MediaRoute::Login => Facts::page("media:login").disallowed(),
            MediaRoute::Tags => Facts::page("media:tags"),
            MediaRoute::People { .. } => Facts::page("media:people"),
            MediaRoute::Profile(_) => Facts::content("media:profile"),
            MediaRoute::Contacts(_) => Facts::page("media:contacts"),
            MediaRoute::Favourites(_) => Facts::page("media:favourites"),
            MediaRoute::Stream { .. } => Facts::content("media:stream"),
            MediaRoute::Sets(_) => Facts::page("media:sets"),
            MediaRoute::Set { .. } => Facts::page("media:set"),
            MediaRoute::Tag { .. } => Facts::page("media:tag"),
            MediaRoute::Photo(photo) => Facts::content("media:photo").dead_if(!self.is_alive(photo)),
            MediaRoute::InSet(photo) => Facts::content("media:photo_in_set").view_of(MediaRoute::Photo(photo)),
            MediaRoute::Sizes(_) => Facts::page("media:sizes").disallowed(),
            MediaRoute::Short(photo) => Facts::redirect("media:short_link", 302, MediaRoute::Photo(photo)),
            MediaRoute::File(_) => Facts::file("media:file", "image/jpeg"),
        }
    }

    fn render(&self, route: MediaRoute, page: &mut Page<'_>) {
        render::render(self, route, page);
    }

    fn tags(&self, route: MediaRoute) -> Vec<String> {
        match route {
            MediaRoute::Photo(photo) | MediaRoute::InSet(photo) if self.is_alive(photo) => {
                vec![self.tag_word(self.tag_of(photo)).to_owned()]
            }
            _ => Vec::new(),
        }
    }

    fn disallowed(&self) -> &'static [&'static str] {
        &["/login$", "/photos/*/sizes/"]
    }

    fn main_pages(&self) -> u64 {
        self.users
    }

    fn main_page(&self, index: u64) -> MediaRoute {
        MediaRoute::Stream { user: index, page: 1 }
    }
}

impl Media {
    fn write_photo_tail(&self, route: MediaRoute, out: &mut String) {
        match route {
            MediaRoute::InSet(photo) => {
                out.push_str("in/set-");
                push(out, self.set_of(photo).unwrap_or(0));
                out.push('/');
            }
            MediaRoute::Sizes(_) => out.push_str("sizes/"),
            _ => {}
        }
    }
}
