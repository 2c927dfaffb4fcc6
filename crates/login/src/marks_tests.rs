use super::*;

const GUEST: &str = "<nav><a href=/>home</a> <a href='/user/login?next=/'>Log in</a> <a href=/user/join>Register</a></nav>\
    <a href=/topic/1>Topic</a>";
const MEMBER: &str = "<nav><a href=/>home</a> <a href=/user/al>al</a> <a href='/end?k=a1b2c3d4e5f6&next=/'>Log out</a></nav>\
    <a href=/topic/1>Topic</a>";

fn page(html: &str) -> Page {
    Page::read("http://h.test/", html.as_bytes(), None).unwrap()
}

fn url(text: &str) -> Url {
    Url::parse(text).unwrap()
}

fn learn(given: &GivenMarks, before: &str, after: &str) -> Result<Marks, Problem> {
    Marks::learn(given, "Al", &url("http://h.test/user/login"), &page(before), &page(after))
}

fn marks() -> Marks {
    learn(&GivenMarks::default(), GUEST, MEMBER).unwrap()
}

#[test]
fn the_end_of_the_session_tells_members_and_the_log_in_tells_guests() {
    let marks = marks();
    assert!(marks.holds_on(&page(MEMBER)) && !marks.holds_on(&page(GUEST)));
    let evidence = |html: &str| marks.evidence(&page(html));
    assert_eq!(evidence(MEMBER), Evidence::Member);
    // The token of the link and the page to return to differ from page to page.
    assert_eq!(evidence("<a href='/end?next=/topic/7&k=ffffeeee1111'>x</a><p>post"), Evidence::Member);
    assert_eq!(evidence(GUEST), Evidence::Guest);
    assert_eq!(evidence("<a href=/user/join?next=/x>join us</a>"), Evidence::Guest);
    assert_eq!(evidence("<form action=/x method=post><input name=u><input type=password></form>"), Evidence::Guest);
    assert_eq!(evidence("<p>printed page by al"), Evidence::None);
    // A member writes a link to the log-in page.
    assert_eq!(evidence(&format!("{MEMBER}<a href=/user/login/>go there</a>")), Evidence::Guest);
}

#[test]
fn the_address_that_ends_the_session_may_differ_from_session_to_session() {
    for (first, second) in [
        ("/bye?k=s1", "/bye?k=s2"),
        ("/index.php?action=logout;ab1=x", "/index.php?action=logout;cd2=y"),
        ("/?logout=7", "/?logout=8"),
    ] {
        let member = |address: &str| format!("<nav><a href='{address}'>Log out</a></nav>");
        let marks = learn(&GivenMarks::default(), GUEST, &member(first)).unwrap();
        assert!(marks.holds_on(&page(&member(second))), "{first}");
        assert!(!marks.holds_on(&page(GUEST)), "{first}");
    }
}

#[test]
fn redirects_to_the_log_in_page_tell_guests() {
    let marks = marks();
    assert_eq!(marks.evidence_of_redirect(&url("http://h.test/user/login/?next=/topic/1")), Evidence::Guest);
    assert_eq!(marks.evidence_of_redirect(&url("http://h.test/topic/1")), Evidence::None);
}

#[test]
fn of_one_script_for_everything_the_parameters_count() {
    let log_in = url("http://h.test/ucp.php?mode=login&redirect=index.php");
    let before = page("<a href='/ucp.php?mode=login'>Login</a>");
    let after =
        page("<a href='/ucp.php?i=pm'>Messages</a><a href='/ucp.php?mode=logout&sid=0a1b2c3d4e5f'>Logout [ al ]</a>");
    let marks = Marks::learn(&GivenMarks::default(), "al", &log_in, &before, &after).unwrap();
    assert_eq!(marks.evidence(&after), Evidence::Member);
    assert_eq!(marks.evidence(&before), Evidence::Guest);
    assert_eq!(marks.evidence_of_redirect(&url("http://h.test/ucp.php?mode=login&redirect=t")), Evidence::Guest);
    assert_eq!(marks.evidence_of_redirect(&url("http://h.test/ucp.php?i=pm")), Evidence::None);
}

#[test]
fn a_form_by_post_that_ends_the_session_is_a_sign_too() {
    let after = "<nav><form method=post action=/user/logout/><button>x</button></form></nav>";
    let marks = learn(&GivenMarks::default(), GUEST, after).unwrap();
    assert_eq!(marks.evidence(&page(after)), Evidence::Member);
}

#[test]
fn the_name_of_the_user_counts_on_the_check_page_only() {
    let after = "<nav>Hello Al</nav><a href=/topic/1>Topic</a>";
    let marks = learn(&GivenMarks::default(), GUEST, after).unwrap();
    assert!(marks.holds_on(&page(after)));
    assert!(!marks.holds_on(&page(GUEST)) && !marks.holds_on(&page("<p>Alan and Sal")));
    assert_eq!(marks.evidence(&page(after)), Evidence::None);
    // The list of members, as guests see it.
    assert!(!marks.holds_on(&page(&format!("{GUEST}<p>al"))));
}

#[test]
fn what_the_user_gives_is_verified() {
    let text = |text: &str| GivenMarks { text: text.to_owned(), link: String::new() };
    let link = |link: &str| GivenMarks { text: String::new(), link: link.to_owned() };
    let marks = learn(&text("LOG  out"), GUEST, MEMBER).unwrap();
    assert_eq!(
        (marks.evidence(&page(MEMBER)), marks.evidence(&page("<p>Log out"))),
        (Evidence::Member, Evidence::Member)
    );
    assert_eq!(learn(&link("/end?"), GUEST, MEMBER).unwrap().evidence(&page(MEMBER)), Evidence::Member);
    assert!(matches!(learn(&text("home"), GUEST, MEMBER), Err(Problem::WrongMark(_))));
    assert!(matches!(learn(&link("/nowhere"), GUEST, MEMBER), Err(Problem::WrongMark(_))));
}

#[test]
fn nothing_is_learned_where_nothing_differs() {
    assert!(matches!(learn(&GivenMarks::default(), GUEST, GUEST), Err(Problem::NoMark(_))));
    // A link that ends the session is no sign if guests have it, too.
    assert!(matches!(learn(&GivenMarks::default(), MEMBER, MEMBER), Err(Problem::NoMark(_))));
}

#[test]
fn a_link_to_the_users_own_page_tells_members_where_nothing_tells_guests() {
    let after = "<nav>Signed in as <a href=/user/7/>al</a></nav><a href=/topic/1>Topic</a>";
    let marks = learn(&GivenMarks::default(), GUEST, after).unwrap();
    assert_eq!(marks.evidence(&page(after)), Evidence::Member);
    assert_eq!(marks.evidence(&page(&format!("{GUEST}<p>by <a href=/user/7/>al</a>"))), Evidence::Guest);
}
