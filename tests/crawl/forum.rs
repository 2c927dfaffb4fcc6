//! A forum with a log-in: its members see boards that guests do not. It counts what its sessions were used for.

use std::collections::HashSet;
use std::sync::Arc;

use parking_lot::Mutex;

use super::crawling;
use super::scripted::{Reply, Request, Scripted};
use harvestman::config::{Config, Period};

/// The environment variable whose value is the password: one that every process has, with characters that must be
/// encoded.
pub const PASSWORD_ENV: &str = "PATH";
pub const USER: &str = "al ice";
pub const TOPICS: usize = 12;
pub const PRIVATE: usize = 12;

/// What differs from forum to forum.
#[derive(Clone)]
pub struct Rules {
    /// After so many requests with a session, all sessions are deleted, in order.
    pub expiries: Vec<usize>,
    /// Whether each page for members has a link that ends the session without saying so.
    pub has_trap: bool,
    /// The log-ins that are accepted, from the first one on.
    pub log_ins_max: usize,
    /// The form of the log-in page, with `{csrf}` for the token.
    pub form: String,
    /// Hosts with paths, the status and the target of their redirects, with `{port}` for the port.
    pub redirects: Vec<(&'static str, u16, &'static str)>,
}

pub const FORM: &str = "<form action=/login/in method=post><input type=hidden name=csrf value={csrf}>\
    <input name=username><input type=password name=password><button name=go value=1>Log in</button></form>";

impl Default for Rules {
    fn default() -> Self {
        Self {
            expiries: Vec::new(),
            has_trap: false,
            log_ins_max: usize::MAX,
            form: FORM.to_owned(),
            redirects: Vec::new(),
        }
    }
}

#[derive(Default)]
struct State {
    sessions: HashSet<String>,
    /// Requests with a session.
    used: usize,
    log_ins: usize,
    /// Requests for pages without a session after the first log-in.
    as_guest: Vec<String>,
}

/// A running forum.
pub struct Forum {
    pub server: Scripted,
    state: Arc<Mutex<State>>,
}

impl Forum {
    pub fn start(rules: Rules) -> Self {
        let state = Arc::<Mutex<State>>::default();
        let shared = Arc::clone(&state);
        let server = Scripted::answering(move |request| answer(request, &rules, &mut shared.lock()));
        Self { server, state }
    }

    /// The settings of a crawl that logs in.
    pub fn config(&self) -> Config {
        let mut config = crawling::config(vec![self.server.url("one", "/")]);
        config.login.url = self.server.url("one", "/login");
        config.login.user = USER.to_owned();
        config.login.password_env = PASSWORD_ENV.to_owned();
        config.login.backoff = Period::millis(20);
        config.login.unsure_time = Period::millis(200);
        config
    }

    pub fn url(&self, path: &str) -> String {
        self.server.url("one", path)
    }

    /// How often the form was accepted.
    pub fn log_ins(&self) -> usize {
        self.state.lock().log_ins
    }

    /// The pages that were asked for without a session after the first log-in, but for those of the log-in itself.
    pub fn as_guest(&self) -> Vec<String> {
        self.state.lock().as_guest.clone()
    }

    /// Deletes all sessions.
    pub fn delete_sessions(&self) {
        self.state.lock().sessions.clear();
    }

    /// How often paths with this beginning were asked for.
    pub fn asked(&self, beginning: &str) -> usize {
        self.server.paths("one").iter().filter(|path| path.starts_with(beginning)).count()
    }
}

fn cookie<'r>(request: &'r Request, name: &str) -> Option<&'r str> {
    let cookies = request.headers.get("cookie")?.split("; ");
    cookies.filter_map(|pair| pair.split_once('=')).find(|(key, _)| *key == name).map(|(_, value)| value)
}

fn answer(request: &Request, rules: &Rules, state: &mut State) -> Reply {
    let session = cookie(request, "session").filter(|session| state.sessions.contains(*session)).map(str::to_owned);
    let path = request.path.split('?').next().unwrap_or_default();
    if let Some((_, status, to)) = rules.redirects.iter().find(|(from, ..)| *from == format!("{}{path}", request.host))
    {
        let port = request.headers.get("host").and_then(|host| host.split_once(':')).map_or("", |(_, port)| port);
        return Reply::redirect(*status, to.replace("{port}", port));
    }
    match path {
        "/robots.txt" => return Reply::text("User-agent: *\nDisallow: /login\n"),
        "/login" => {
            let form = rules.form.replace("{csrf}", "t0k3n-0123456789");
            return Reply::html(format!("<html><head><title>Log in</title></head><body>{form}</body></html>"))
                .with("Set-Cookie", "csrf=t0k3n-0123456789; Path=/login");
        }
        "/login/in" => return log_in(request, rules, state),
        "/bye" => {
            state.sessions.clear();
            return Reply::redirect(302, "/");
        }
        _ => {}
    }
    if session.is_some() {
        state.used += 1;
        if rules.expiries.contains(&state.used) {
            // This one is still answered.
            state.sessions.clear();
        }
    } else if state.log_ins > 0 {
        state.as_guest.push(request.path.clone());
    }
    page(path, session.as_deref(), rules.has_trap, state)
}

fn log_in(request: &Request, rules: &Rules, state: &mut State) -> Reply {
    let fields: Vec<(String, String)> = url::form_urlencoded::parse(request.body.as_bytes()).into_owned().collect();
    let password = std::env::var(PASSWORD_ENV).unwrap();
    let expected = [("csrf", "t0k3n-0123456789"), ("username", USER), ("password", &password), ("go", "1")];
    let is_right = fields.iter().map(|(key, value)| (key.as_str(), value.as_str())).eq(expected)
        && request.method == "POST"
        && cookie(request, "csrf") == Some("t0k3n-0123456789")
        && request.headers.get("referer").is_some_and(|from| from.ends_with("/login"));
    if !is_right || state.log_ins >= rules.log_ins_max {
        let form = rules.form.replace("{csrf}", "t0k3n-0123456789");
        return Reply::html(format!("<html><body><p>Wrong user or password.</p>{form}</body></html>"));
    }
    state.log_ins += 1;
    let session = format!("s{}", state.log_ins);
    state.sessions.insert(session.clone());
    Reply::redirect(303, "/").with("Set-Cookie", format!("session={session}; Path=/; HttpOnly"))
}

fn page(path: &str, session: Option<&str>, has_trap: bool, state: &mut State) -> Reply {
    let number = |prefix| path.strip_prefix(prefix).and_then(|number: &str| number.parse::<usize>().ok());
    let nav = match session {
        Some(session) => {
            let trap = if has_trap {
                format!("<a href='/leave?k={session}x0123456789abcdef'>see you</a>")
            } else {
                String::new()
            };
            format!("<a href='/bye?k={session}'>Log out</a> {trap}")
        }
        None => "<a href='/login?next=/'>Log in</a>".to_owned(),
    };
    let frame = |title: &str, body: &str| {
        Reply::html(format!(
            "<html><head><title>{title}</title></head><body><nav><a href=/>home</a> {nav}</nav>{body}</body></html>"
        ))
    };
    let links = |prefix: &str, count: usize| {
        (0..count).map(|number| format!("<p><a href='{prefix}{number}'>{prefix}{number}</a></p>")).collect::<String>()
    };
    if path == "/leave" {
        state.sessions.clear();
        return Reply::html("<html><body>You have left.</body></html>");
    }
    if path == "/" {
        let private = if session.is_some() { links("/private/", PRIVATE) } else { String::new() };
        return frame("Forum", &format!("{}{private}", links("/topic/", TOPICS)));
    }
    if let Some(number) = number("/topic/").filter(|number| *number < TOPICS) {
        let hidden = if session.is_some() { "<p>for members</p><img src=/image>" } else { "<p>log in to read</p>" };
        return frame(&format!("Topic {number}"), &format!("{hidden}<a href=/print/{number}>print</a>"));
    }
    if let Some(number) = number("/print/") {
        // Without the frame.
        let for_whom = if session.is_some() { "for members" } else { "for guests" };
        return Reply::html(format!(
            "<html><head><title>Print {number} {for_whom}</title></head><body>{for_whom}</body></html>"
        ));
    }
    if number("/private/").is_some_and(|number| number < PRIVATE) {
        return match session {
            Some(_) => frame("Private", "<p>for members</p>"),
            None => Reply::redirect(302, format!("/login?next={path}")),
        };
    }
    Reply::status(404)
}
