//! Questions and answers in the style of Stack Overflow: `/questions/12/some-words`.
//!
//! Its waste: the question list in several orders, the answers of a question in another order, and permalinks of answers
//! and questions that redirect to the question's page (with a fragment).

mod render;

use super::changes::{Activity, Arrivals, Happened};
use super::listing::{dealt, has_page, pages, sorted};
use super::path::{page_number, parameter, push, push_page, segments, split};
use super::render::Page;
use super::site::{Facts, Host, Routes, Site};

/// The most answers a question has.
const ANSWERS_MOST: u64 = 12;
/// Answers of question q have the numbers from q · this on.
const ANSWER_NUMBERS: u64 = 100;
/// Names of the question list's extra sort orders, the default left out.
const ORDERS: [&str; 2] = ["active", "votes"];

/// Answers to a question, and edits of questions and profiles a day.
const ANSWERS: Activity = Activity { peak: 0.7, half: 1.0, floor: 0.0005, spread: 0.8 };
const QUESTION_EDITS: Activity = Activity { peak: 0.2, half: 2.0, floor: 0.001, spread: 0.7 };
const PROFILE_EDITS: f64 = 0.001;

/// The software of one Q&A site.
#[derive(Debug)]
pub(super) struct Qa {
    host: Host,
    /// Questions at the start.
    questions_at_start: u64,
    users: u64,
    tags: u64,
}

/// A URL of a Q&A site. Pages are numbered from 1, all else from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Route {
    Home,
    Help,
    Ask,
    Login,
    List { order: u64, page: u64 },
    Question(u64),
    Sorted(u64),
    Share(u64),
    Answer { question: u64, answer: u64 },
    Tags { page: u64 },
    Tagged { tag: u64, page: u64 },
    Users { page: u64 },
    User(u64),
    UserTab(u64),
}

impl Qa {
    /// A site of `questions` questions.
    pub fn new(host: Host, questions: u64) -> Self {
        Self {
            host,
            questions_at_start: questions,
            users: questions / 2 + 3,
            tags: (questions / 20).clamp(3, 60).min(questions),
        }
    }

    fn arrivals(&self) -> Arrivals {
        Arrivals { at_start: self.questions_at_start, rate: self.questions_at_start as f64 * 0.006 }
    }

    fn questions(&self) -> u64 {
        self.host.arrived("question", self.arrivals())
    }

    fn happened(&self, what: &str, question: u64, activity: Activity) -> Happened {
        let born = self.host.arrival("question", question, self.arrivals());
        self.host.happened(what, question, born, activity)
    }

    fn answers(&self, question: u64) -> u64 {
        let at_start =
            if question < self.questions_at_start { self.host.heavy("answers", question, ANSWERS_MOST) } else { 0 };
        let later = if self.host.changes() { self.happened("answer", question, ANSWERS).events } else { 0 };
        (at_start + later).min(ANSWER_NUMBERS - 1)
    }

    /// How often the question itself was edited.
    fn edits(&self, question: u64) -> u64 {
        if self.host.changes() { self.happened("edit", question, QUESTION_EDITS).events } else { 0 }
    }

    /// The question at a position of the list: where the site changes, the latest comes first.
    fn at(&self, order: u64, at: u64) -> u64 {
        let questions = self.questions();
        let place = sorted(order, at, questions);
        if self.host.changes() { questions - 1 - place } else { place }
    }

    fn is_alive(&self, question: u64) -> bool {
        question < self.questions() && !self.host.is_dead("gone", question)
    }

    fn list_pages(&self, items: u64) -> u64 {
        pages(items, self.host.shape.per_page())
    }

    fn tag_questions(&self, tag: u64) -> u64 {
        dealt(self.questions(), self.tags, tag)
    }

    fn tag_word(&self, tag: u64) -> &str {
        self.host.shape.text.nth(self.host.seed.0 % 1_000 + tag)
    }

    /// The routes that a question brings: all of them are linked from the question's own page.
    fn question_routes(&self, question: u64) -> impl Iterator<Item = Route> + '_ {
        let answers = if self.is_alive(question) { self.answers(question) } else { 0 };
        let permalinks = (0..answers).map(move |answer| Route::Answer { question, answer });
        let optional = [Route::Sorted(question), Route::Share(question)].into_iter().chain(permalinks);
        std::iter::once(Route::Question(question)).chain(optional.filter(|route| self.exists(*route)))
    }

    fn question_path(&self, question: u64, out: &mut String) {
        out.push_str("/questions/");
        push(out, question);
        out.push('/');
        self.host.title("title", question, '-', out);
    }

    fn user_path(&self, user: u64, out: &mut String) {
        out.push_str("/users/");
        push(out, user);
        out.push('/');
        self.host.shape.text.name(self.host.seed.child("name"), user, out);
    }

    fn guess_questions(&self, parts: &[&str], query: &str) -> Option<Route> {
        let page = page_number(query);
        match parts {
            [] => {
                let order = parameter(query, "sort").and_then(|sort| ORDERS.iter().position(|order| *order == sort));
                Some(Route::List { order: order.map_or(0, |at| at as u64 + 1), page })
            }
            ["ask"] => Some(Route::Ask),
            ["tagged", word] => {
                let tag = (0..self.tags).find(|tag| self.tag_word(*tag) == *word)?;
                Some(Route::Tagged { tag, page })
            }
            [question, _slug] => {
                let question = question.parse().ok()?;
                Some(if query.is_empty() { Route::Question(question) } else { Route::Sorted(question) })
            }
            _ => None,
        }
    }

    fn guess_users(parts: &[&str], query: &str) -> Option<Route> {
        match parts {
            [] => Some(Route::Users { page: page_number(query) }),
            ["login"] => Some(Route::Login),
            [user, _name] => {
                let user = user.parse().ok()?;
                Some(if query.is_empty() { Route::User(user) } else { Route::UserTab(user) })
            }
            _ => None,
        }
    }
}

impl Site for Qa {
    type Route = Route;

    fn host(&self) -> &Host {
        &self.host
    }

    fn routes(&self) -> Routes<'_, Route> {
        let fixed = [Route::Home, Route::Help, Route::Ask, Route::Login].into_iter();
        let lists = (0..=self.host.shape.sort_orders())
            .flat_map(|order| (1..=self.list_pages(self.questions())).map(move |page| Route::List { order, page }));
        let questions = (0..self.questions()).flat_map(|question| self.question_routes(question));
        let tags = (1..=self.list_pages(self.tags)).map(|page| Route::Tags { page });
        let tagged = (0..self.tags).flat_map(|tag| {
            (1..=self.list_pages(self.tag_questions(tag))).map(move |page| Route::Tagged { tag, page })
        });
        let users = (1..=self.list_pages(self.users)).map(|page| Route::Users { page });
        let profiles = (0..self.users).flat_map(|user| [Route::User(user), Route::UserTab(user)]);
        Box::new(fixed.chain(lists).chain(questions).chain(tags).chain(tagged).chain(users).chain(profiles))
    }

    fn guess(&self, path_and_query: &str) -> Option<Route> {
        let (path, query) = split(path_and_query);
        let (parts, count) = segments(path);
        match &parts[..count] {
            [] => Some(Route::Home),
            ["help"] => Some(Route::Help),
            ["q", question] => question.parse().ok().map(Route::Share),
            ["a", number] => {
                let number: u64 = number.parse().ok()?;
                Some(Route::Answer { question: number / ANSWER_NUMBERS, answer: number % ANSWER_NUMBERS })
            }
            ["tags"] => Some(Route::Tags { page: page_number(query) }),
            ["users", rest @ ..] => Self::guess_users(rest, query),
            ["questions", rest @ ..] => self.guess_questions(rest, query),
            _ => None,
        }
    }

    fn exists(&self, route: Route) -> bool {
        let options = &self.host.shape.options;
        match route {
            Route::Home | Route::Help | Route::Ask | Route::Login => true,
            Route::List { order, page } => {
                order <= self.host.shape.sort_orders() && has_page(page, self.list_pages(self.questions()))
            }
            Route::Question(question) => question < self.questions(),
            Route::Sorted(question) => {
                self.is_alive(question)
                    && self.answers(question) > 1
                    && self.host.coin("sorted", question, options.duplicates)
            }
            Route::Share(question) => self.is_alive(question) && self.host.coin("share", question, options.redirects),
            Route::Answer { question, answer } => {
                self.is_alive(question)
                    && answer < self.answers(question)
                    && self.host.coin("answer", question * ANSWER_NUMBERS + answer, options.redirects)
            }
            Route::Tags { page } => has_page(page, self.list_pages(self.tags)),
            Route::Tagged { tag, page } => tag < self.tags && has_page(page, self.list_pages(self.tag_questions(tag))),
            Route::Users { page } => has_page(page, self.list_pages(self.users)),
            Route::User(user) | Route::UserTab(user) => user < self.users,
        }
    }

    fn write_path(&self, route: Route, out: &mut String) {
        match route {
            Route::Home => out.push('/'),
            Route::Help => out.push_str("/help"),
            Route::Ask => out.push_str("/questions/ask"),
            Route::Login => out.push_str("/users/login"),
            Route::List { order, page } => {
                out.push_str("/questions");
                if order > 0 {
                    out.push_str("?sort=");
                    out.push_str(ORDERS[order as usize - 1]);
                }
                push_page(out, if order > 0 { '&' } else { '?' }, page);
            }
            Route::Question(question) => self.question_path(question, out),
            Route::Sorted(question) => {
                self.question_path(question, out);
                out.push_str("?answertab=oldest");
            }
            Route::Share(question) => {
                out.push_str("/q/");
                push(out, question);
            }
            Route::Answer { question, answer } => {
                out.push_str("/a/");
                push(out, question * ANSWER_NUMBERS + answer);
            }
            Route::Tags { page } => {
                out.push_str("/tags");
                push_page(out, '?', page);
            }
            Route::Tagged { tag, page } => {
                out.push_str("/questions/tagged/");
                out.push_str(self.tag_word(tag));
                push_page(out, '?', page);
            }
            Route::Users { page } => {
                out.push_str("/users");
                push_page(out, '?', page);
            }
            Route::User(user) => self.user_path(user, out),
            Route::UserTab(user) => {
                self.user_path(user, out);
                out.push_str("?tab=questions");
            }
        }
    }

    fn facts(&self, route: Route) -> Facts<Route> {
        match route {
            Route::Home => Facts::page("qa:home"),
            Route::Help => Facts::page("qa:help"),
            Route::Ask => Facts::page("qa:ask").disallowed(),
            Route::Login => Facts::page("qa:login").disallowed(),
            Route::List { order: 0, .. } => Facts::page("qa:questions"),
            Route::List { page, .. } => Facts::page("qa:questions_sorted").view_of(Route::List { order: 0, page }),
            Route::Question(question) => Facts::content("qa:question").dead_if(!self.is_alive(question)),
            Route::Sorted(question) => Facts::content("qa:question_sorted").view_of(Route::Question(question)),
            Route::Share(question) => Facts::redirect("qa:share", 301, Route::Question(question)),
            Route::Answer { question, .. } => Facts::redirect("qa:answer_permalink", 302, Route::Question(question)),
            Route::Tags { .. } => Facts::page("qa:tags"),
            Route::Tagged { .. } => Facts::page("qa:tagged"),
            Route::Users { .. } => Facts::page("qa:users"),
            Route::User(_) => Facts::content("qa:user"),
            Route::UserTab(_) => Facts::page("qa:user_questions"),
        }
    }

    fn render(&self, route: Route, page: &mut Page<'_>) {
        render::render(self, route, page);
    }

    fn disallowed(&self) -> &'static [&'static str] {
        &["/questions/ask", "/users/login"]
    }

    fn main_pages(&self) -> u64 {
        self.questions()
    }

    fn main_page(&self, index: u64) -> Route {
        Route::Question(index)
    }

    fn redirect_fragment(&self, route: Route, out: &mut String) {
        if let Route::Answer { question, answer } = route {
            out.push_str("#answer-");
            push(out, question * ANSWER_NUMBERS + answer);
        }
    }
}
