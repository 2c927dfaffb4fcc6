//! The page templates of the photo site.

use super::super::listing::on_page;
use super::super::render::Page;
use super::super::site::Site as _;
use super::{Media, MediaRoute, PHOTO_NUMBERS};

/// Maximum number of contacts, and of favourites, of a user.
const CONTACTS_MOST: u64 = 15;

/// Writes the page of `route`.
pub(super) fn render(media: &Media, route: MediaRoute, page: &mut Page<'_>) {
    match route {
        MediaRoute::Home => home(media, page),
        MediaRoute::Login => login(media, page),
        MediaRoute::Tags => tags(media, page),
        MediaRoute::People { page: number } => people(media, number, page),
        MediaRoute::Profile(user) => profile(media, user, page),
        MediaRoute::Contacts(user) => contacts(media, user, page),
        MediaRoute::Favourites(user) => favourites(media, user, page),
        MediaRoute::Stream { user, page: number } => stream(media, user, number, page),
        MediaRoute::Sets(user) => sets(media, user, page),
        MediaRoute::Set { user, set, page: number } => self::set(media, user, set, number, page),
        MediaRoute::Tag { tag, page: number } => self::tag(media, tag, number, page),
        MediaRoute::Photo(photo) | MediaRoute::InSet(photo) | MediaRoute::Short(photo) => {
            self::photo(media, photo, page)
        }
        MediaRoute::Sizes(photo) => sizes(media, photo, page),
        // The magic number of a JPEG file, as text; nothing inspects the remainder.
        MediaRoute::File(_) => page.raw("JFIF"),
    }
}

fn open(media: &Media, page: &mut Page<'_>, class: &str, title: impl Fn(&mut Page<'_>)) {
    page.head(&title, class);
    page.raw("<div id=\"global-nav\"><div class=\"logo\">");
    page.link(media, MediaRoute::Home, "logo", "Photos");
    page.raw("</div><ul class=\"gn-links\">\n");
    page.item(media, MediaRoute::People { page: 1 }, "gn-link", |page| page.raw("People"));
    page.item(media, MediaRoute::Tags, "gn-link", |page| page.raw("Tags"));
    page.item(media, MediaRoute::Login, "gn-signin", |page| page.raw("Sign in"));
    page.raw("</ul></div>\n<div class=\"view\">\n");
}

fn close(media: &Media, page: &mut Page<'_>) {
    page.raw("</div>\n<div class=\"strip\">\n");
    for _ in 0..media.host.shape.aside() {
        let user = page.draw(media.users);
        let photo = user * PHOTO_NUMBERS + page.draw(media.arrivals(user).at_start);
        thumbnail(media, photo, page);
    }
    page.raw("</div>\n<div class=\"foot\">");
    page.link(media, MediaRoute::Home, "", "Home");
    page.network(1);
    page.raw("</div></body></html>\n");
}

/// Writes a photo as a link to it: an anchor without text.
fn thumbnail(media: &Media, photo: u64, page: &mut Page<'_>) {
    page.raw("<span class=\"photo_container\">");
    page.link_with(media, MediaRoute::Photo(photo), "thumb", |page| {
        page.raw("<img src=\"/img/");
        page.number(photo);
        page.raw("_s.gif\" alt=\"\">");
    });
    page.raw("</span>\n");
}

/// Writes the navigation bar of a user's pages.
fn user_bar(media: &Media, user: u64, page: &mut Page<'_>) {
    page.raw("<div class=\"person\"><h1>");
    page.link_with(media, MediaRoute::Profile(user), "owner", |page| page.name(user));
    page.raw("</h1><div class=\"tabs\">");
    page.link(media, MediaRoute::Stream { user, page: 1 }, "tab", "Photostream");
    page.link(media, MediaRoute::Sets(user), "tab", "Sets");
    page.link(media, MediaRoute::Favourites(user), "tab", "Favourites");
    page.link(media, MediaRoute::Contacts(user), "tab", "Contacts");
    page.raw("</div></div>\n");
}

fn home(media: &Media, page: &mut Page<'_>) {
    open(media, page, "home", |page| page.raw("Photos"));
    page.raw("<div class=\"explore\">\n");
    for user in 0..media.users.min(media.host.shape.per_page()) {
        thumbnail(media, user * PHOTO_NUMBERS, page);
    }
    page.raw("</div>\n");
    close(media, page);
}

fn people(media: &Media, number: u64, page: &mut Page<'_>) {
    open(media, page, "people", |page| page.raw("People"));
    page.raw("<div class=\"people-list\">\n");
    for user in on_page(number, media.users, media.host.shape.per_page()) {
        page.raw("<p class=\"Who\">");
        page.link_with(media, MediaRoute::Stream { user, page: 1 }, "stream", |page| page.name(user));
        page.raw(" (");
        page.link(media, MediaRoute::Profile(user), "profile", "profile");
        page.raw(")</p>\n");
    }
    page.raw("</div>\n");
    page.pager(media, number, media.list_pages(media.users), "Paginator", |page| MediaRoute::People { page });
    close(media, page);
}

fn profile(media: &Media, user: u64, page: &mut Page<'_>) {
    open(media, page, "profile", |page| page.name(user));
    user_bar(media, user, page);
    page.raw("<div class=\"bio\"><p>");
    page.prose_of(
        "profile",
        user,
        media.host.edits("profile", user, super::PROFILE_EDITS),
        media.host.shape.options.page_bytes / 4,
    );
    page.raw("</p></div>\n");
    close(media, page);
}

fn contacts(media: &Media, user: u64, page: &mut Page<'_>) {
    open(media, page, "contacts", |page| page.name(user));
    user_bar(media, user, page);
    page.raw("<table class=\"contact-list\"><tbody>\n");
    for at in 0..media.host.below("contacts", user, CONTACTS_MOST) {
        let contact = media.host.below("contact", user * CONTACTS_MOST + at, media.users);
        page.raw("<tr><td>");
        page.link_with(media, MediaRoute::Stream { user: contact, page: 1 }, "contact", |page| page.name(contact));
        page.raw("</td></tr>\n");
    }
    page.raw("</tbody></table>\n");
    close(media, page);
}

fn favourites(media: &Media, user: u64, page: &mut Page<'_>) {
    open(media, page, "favorites", |page| page.name(user));
    user_bar(media, user, page);
    page.raw("<div class=\"favs\">\n");
    let liked =
        media.host.below("favourites", user, CONTACTS_MOST) + media.host.edits("favourite", user, super::FAVOURITES);
    for at in 0..liked.min(CONTACTS_MOST) {
        let id = user * CONTACTS_MOST + at;
        let owner = media.host.below("favourite_of", id, media.users);
        thumbnail(
            media,
            owner * PHOTO_NUMBERS + media.host.below("favourite", id, media.arrivals(owner).at_start),
            page,
        );
    }
    page.raw("</div>\n");
    close(media, page);
}

fn stream(media: &Media, user: u64, number: u64, page: &mut Page<'_>) {
    open(media, page, "photostream", |page| page.name(user));
    user_bar(media, user, page);
    page.raw("<div class=\"StreamView\">\n");
    for at in on_page(number, media.photos(user), media.host.shape.per_page()) {
        let photo = user * PHOTO_NUMBERS + media.place(at, media.photos(user));
        page.raw("<div class=\"StreamItem\"><h4>");
        page.title("title", photo);
        page.raw("</h4>");
        thumbnail(media, photo, page);
        page.raw("</div>\n");
    }
    page.raw("</div>\n");
    let count = media.list_pages(media.photos(user));
    page.pager(media, number, count, "Paginator", |page| MediaRoute::Stream { user, page });
    close(media, page);
}

fn sets(media: &Media, user: u64, page: &mut Page<'_>) {
    open(media, page, "sets", |page| page.name(user));
    user_bar(media, user, page);
    page.raw("<div class=\"Sets\">\n");
    // A user has at most as many sets as photos, so that none is empty.
    for set in 0..media.sets(user) {
        page.link_with(media, MediaRoute::Set { user, set, page: 1 }, "Seta", |page| page.title("set", user * 8 + set));
        page.raw("<br>\n");
    }
    page.raw("</div>\n");
    close(media, page);
}

fn set(media: &Media, user: u64, set: u64, number: u64, page: &mut Page<'_>) {
    open(media, page, "set", |page| page.title("set", user * 8 + set));
    user_bar(media, user, page);
    page.raw("<div class=\"setThumbs\">\n");
    let photos = media.set_photos(user, set);
    for at in on_page(number, photos, media.host.shape.per_page()) {
        thumbnail(media, user * PHOTO_NUMBERS + set + media.place(at, photos) * media.sets(user), page);
    }
    page.raw("</div>\n");
    let route = |page| MediaRoute::Set { user, set, page };
    page.pager(media, number, media.list_pages(photos), "Paginator", route);
    close(media, page);
}

fn tags(media: &Media, page: &mut Page<'_>) {
    open(media, page, "tags", |page| page.raw("Tags"));
    page.raw("<p id=\"TagCloud\">\n");
    for tag in 0..media.tags {
        page.link(media, MediaRoute::Tag { tag, page: 1 }, "TagCloud", media.tag_word(tag));
        page.raw("\n");
    }
    page.raw("</p>\n");
    close(media, page);
}

fn tag(media: &Media, tag: u64, number: u64, page: &mut Page<'_>) {
    open(media, page, "tag", |page| page.raw(media.tag_word(tag)));
    page.raw("<div class=\"TagView\">\n");
    // A page of a tag covers one page of people and shows the first photo with the tag of each.
    for user in on_page(number, media.users, media.host.shape.per_page()) {
        if let Some(photo) = media.tagged(user, tag) {
            thumbnail(media, photo, page);
        }
    }
    page.raw("</div>\n");
    let count = media.list_pages(media.users);
    page.pager(media, number, count, "Paginator", |page| MediaRoute::Tag { tag, page });
    close(media, page);
}

fn photo(media: &Media, photo: u64, page: &mut Page<'_>) {
    let user = photo / PHOTO_NUMBERS;
    let tag = media.tag_of(photo);
    open(media, page, "photo", |page| page.title("title", photo));
    page.raw("<div class=\"byline\">");
    page.link_with(media, MediaRoute::Stream { user, page: 1 }, "owner-name", |page| page.name(user));
    page.raw("</div><h1 class=\"photo-title\">");
    page.title("title", photo);
    page.raw("</h1><div class=\"photo-div\"><img src=\"/img/large.gif\" alt=\"\"></div><div class=\"photo-desc\"><p>");
    page.prose("photo", photo, media.host.shape.options.page_bytes / 4);
    page.raw("</p></div><ul class=\"photo-links\">\n");
    page.item(media, MediaRoute::Tag { tag, page: 1 }, "Plain", |page| page.raw(media.tag_word(tag)));
    if let Some(set) = media.set_of(photo) {
        page.item(media, MediaRoute::Set { user, set, page: 1 }, "currentContextLink", |page| page.raw("set"));
    }
    let others = [
        (MediaRoute::InSet(photo), "context", "View in set"),
        (MediaRoute::Sizes(photo), "sizes", "All sizes"),
        (MediaRoute::Short(photo), "short", "Short link"),
        (MediaRoute::File(photo), "download", "Download"),
    ];
    for (route, class, label) in others {
        if media.exists(route) {
            page.item(media, route, class, |page| page.raw(label));
        }
    }
    page.raw("</ul>\n");
    comments(media, photo, page);
    close(media, page);
}

fn comments(media: &Media, photo: u64, page: &mut Page<'_>) {
    page.raw("<ol class=\"comments\">\n");
    for at in 0..media.comments(photo) {
        let id = photo * 16 + at;
        let author = media.host.below("commenter", id, media.users);
        page.raw("<li class=\"comment-block\">");
        page.link_with(media, MediaRoute::Stream { user: author, page: 1 }, "comment-author", |page| page.name(author));
        page.raw("<p>");
        page.prose("comment", id, media.host.shape.options.page_bytes / 16);
        page.raw("</p></li>\n");
    }
    page.raw("</ol>\n");
}

fn sizes(media: &Media, photo: u64, page: &mut Page<'_>) {
    open(media, page, "sizes", |page| page.title("title", photo));
    page.raw("<p>");
    page.link(media, MediaRoute::Photo(photo), "back", "Back to the photo");
    page.raw("</p><img src=\"/img/original.gif\" alt=\"\">\n");
    close(media, page);
}

fn login(media: &Media, page: &mut Page<'_>) {
    open(media, page, "signin", |page| page.raw("Sign in"));
    page.raw("<form method=\"post\"><input name=\"login\"><input type=\"password\" name=\"passwd\"></form>\n");
    close(media, page);
}
