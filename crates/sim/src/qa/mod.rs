//! Questions and answers in the style of Stack Overflow: `/questions/12/some-words`.
//!
//! Its redundant URLs: the question list in several orders, the answers of a question in another order, and permalinks
//! of answers and questions that redirect to the page of the question (with a fragment).

mod render;

use super::changes::{Activity, Arrivals, Happened};
use super::host::Host;
use super::listing::{dealt, has_page, pages, sorted};
use super::path::{Routing, page_number, parameter, push, push_page, segments, split};
use super::render::Page;
use super::site::{Facts, Routes, Site};

/// Maximum number of answers to a question.
const ANSWERS_MOST: u64 = 12;
/// Answers of question q are numbered from q times this.
const ANSWER_NUMBERS: u64 = 100;
/// Names of the additional sort orders of the question list, without the default.
const ORDERS: [&str; 2] = ["active", "votes"];

/// Answers to a question, and edits of questions and profiles, per day.
const ANSWERS: Activity = Activity { peak: 0.7, half: 1.0, floor: 0.0005, spread: 0.8 };
const QUESTION_EDITS: Activity = Activity { peak: 0.2, half: 2.0, floor: 0.001, spread: 0.7 };
const PROFILE_EDITS: f64 = 0.001;

/// The software of one Q&A site.
#[derive(Debug)]
pub(super) struct Qa {
    host: Host,
    /// Number of questions at the start.
    questions_at_start: u64,
    users: u64,
    tags: u64,
}

/// A URL of a Q&A site. Pages are numbered from 1, everything else from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum QaRoute {
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
    /// Creates a site with `questions` questions.
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

    /// Returns how often the question itself was edited.
    fn edits(&self, question: u64) -> u64 {
        if self.host.changes() { self.happened("edit", question, QUESTION_EDITS).events } else { 0 }
    }

    /// Returns the question at a position of the list: in a changing site, the latest is first.
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

    /// Returns the routes of a question: all of them are linked from its own page.
    fn question_routes(&self, question: u64) -> impl Iterator<Item = QaRoute> + '_ {
        let answers = if self.is_alive(question) { self.answers(question) } else { 0 };
        let permalinks = (0..answers).map(move |answer| QaRoute::Answer { question, answer });
        let optional = [QaRoute::Sorted(question), QaRoute::Share(question)].into_iter().chain(permalinks);
        std::iter::once(QaRoute::Question(question)).chain(optional.filter(|route| self.exists(*route)))
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

    fn guess_questions(&self, parts: &[&str], query: &str) -> Option<QaRoute> {
        let page = page_number(query);
        match parts {
            [] => {
                let order = parameter(query, "sort").and_then(|sort| ORDERS.iter().position(|order| *order == sort));
                Some(QaRoute::List { order: order.map_or(0, |at| at as u64 + 1), page })
            }
            ["ask"] => Some(QaRoute::Ask),
            ["tagged", word] => {
                let tag = (0..self.tags).find(|tag| self.tag_word(*tag) == *word)?;
                Some(QaRoute::Tagged { tag, page })
            }
            [question, _slug] => {
                let question = question.parse().ok()?;
                Some(if query.is_empty() { QaRoute::Question(question) } else { QaRoute::Sorted(question) })
            }
            _ => None,
        }
    }

    fn guess_users(parts: &[&str], query: &str) -> Option<QaRoute> {
        match parts {
            [] => Some(QaRoute::Users { page: page_number(query) }),
            ["login"] => Some(QaRoute::Login),
            [user, _name] => {
                let user = user.parse().ok()?;
                Some(if query.is_empty() { QaRoute::User(user) } else { QaRoute::UserTab(user) })
            }
            _ => None,
        }
    }
}

impl Routing for Qa {
    type Route = QaRoute;

    fn write_path(&self, route: QaRoute, out: &mut String) {
        match route {
            QaRoute::Home => out.push('/'),
            QaRoute::Help => out.push_str("/help"),
            QaRoute::Ask => out.push_str("/questions/ask"),
            QaRoute::Login => out.push_str("/users/login"),
            QaRoute::List { order, page } => {
                out.push_str("/questions");
                if order > 0 {
                    out.push_str("?sort=");
                    out.push_str(ORDERS[order as usize - 1]);
                }
                push_page(out, if order > 0 { '&' } else { '?' }, page);
            }
            QaRoute::Question(question) => self.question_path(question, out),
            QaRoute::Sorted(question) => {
                self.question_path(question, out);
                out.push_str("?answertab=oldest");
            }
            QaRoute::Share(question) => {
                out.push_str("/q/");
                push(out, question);
            }
            QaRoute::Answer { question, answer } => {
                out.push_str("/a/");
                push(out, question * ANSWER_NUMBERS + answer);
            }
            QaRoute::Tags { page } => {
                out.push_str("/tags");
                push_page(out, '?', page);
            }
            QaRoute::Tagged { tag, page } => {
                out.push_str("/questions/tagged/");
                out.push_str(self.tag_word(tag));
                push_page(out, '?', page);
            }
            QaRoute::Users { page } => {
                out.push_str("/users");
                push_page(out, '?', page);
            }
            QaRoute::User(user) => self.user_path(user, out),
            QaRoute::UserTab(user) => {
                self.user_path(user, out);
                out.push_str("?tab=questions");
            }
        }
    }
}

impl Site for Qa {
    fn host(&self) -> &Host {
        &self.host
    }

    fn routes(&self) -> Routes<'_, QaRoute> {
        let fixed = [QaRoute::Home, QaRoute::Help, QaRoute::Ask, QaRoute::Login].into_iter();
        let lists = (0..=self.host.shape.sort_orders())
            .flat_map(|order| (1..=self.list_pages(self.questions())).map(move |page| QaRoute::List { order, page }));
        let questions = (0..self.questions()).flat_map(|question| self.question_routes(question));
        let tags = (1..=self.list_pages(self.tags)).map(|page| QaRoute::Tags { page });
        let tagged = (0..self.tags).flat_map(|tag| {
            (1..=self.list_pages(self.tag_questions(tag))).map(move |page| QaRoute::Tagged { tag, page })
        });
        let users = (1..=self.list_pages(self.users)).map(|page| QaRoute::Users { page });
        let profiles = (0..self.users).flat_map(|user| [QaRoute::User(user), QaRoute::UserTab(user)]);
        Box::new(fixed.chain(lists).chain(questions).chain(tags).chain(tagged).chain(users).chain(profiles))
    }

    fn guess(&self, path_and_query: &str) -> Option<QaRoute> {
        let (path, query) = split(path_and_query);
        let (parts, count) = segments(path);
        match &parts[..count] {
            [] => Some(QaRoute::Home),
            ["help"] => Some(QaRoute::Help),
            ["q", question] => question.parse().ok().map(QaRoute::Share),
            ["a", number] => {
                let number: u64 = number.parse().ok()?;
                Some(QaRoute::Answer { question: number / ANSWER_NUMBERS, answer: number % ANSWER_NUMBERS })
            }
            ["tags"] => Some(QaRoute::Tags { page: page_number(query) }),
            ["users", rest @ ..] => Self::guess_users(rest, query),
            ["questions", rest @ ..] => self.guess_questions(rest, query),
            _ => None,
        }
    }

    fn exists(&self, route: QaRoute) -> bool {
        let options = &self.host.shape.options;
        match route {
            QaRoute::Home | QaRoute::Help | QaRoute::Ask | QaRoute::Login => true,
            QaRoute::List { order, page } => {
                order <= self.host.shape.sort_orders() && has_page(page, self.list_pages(self.questions()))
            }
            QaRoute::Question(question) => question < self.questions(),
            QaRoute::Sorted(question) => {
                self.is_alive(question)
                    && self.answers(question) > 1
                    && self.host.coin("sorted", question, options.duplicates)
            }
            QaRoute::Share(question) => self.is_alive(question) && self.host.coin("share", question, options.redirects),
            QaRoute::Answer { question, answer } => {
                self.is_alive(question)
                    && answer < self.answers(question)
                    && self.host.coin("answer", question * ANSWER_NUMBERS + answer, options.redirects)
            }
            QaRoute::Tags { page } => has_page(page, self.list_pages(self.tags)),
            QaRoute::Tagged { tag, page } => {
                tag < self.tags && has_page(page, self.list_pages(self.tag_questions(tag)))
            }
            QaRoute::Users { page } => has_page(page, self.list_pages(self.users)),
            QaRoute::User(user) | QaRoute::UserTab(user) => user < self.users,
        }
    }

    fn facts(&self, route: QaRoute) -> Facts<QaRoute> {
        match route {
            QaRoute::Home => Facts::page("qa:home"),
            QaRoute::Help => Facts::page("qa:help"),
            QaRoute::Ask => Facts::page("qa:ask").disallowed(),
            QaRoute::Login => Facts::page("qa:login").disallowed(),
            QaRoute::List { order: 0, .. } => Facts::page("qa:questions"),
            QaRoute::List { page, .. } => Facts::page("qa:questions_sorted").view_of(QaRoute::List { order: 0, page }),
            QaRoute::Question(question) => Facts::content("qa:question").dead_if(!self.is_alive(question)),
            QaRoute::Sorted(question) => Facts::content("qa:question_sorted").view_of(QaRoute::Question(question)),
            QaRoute::Share(question) => Facts::redirect("qa:share", 301, QaRoute::Question(question)),
            QaRoute::Answer { question, .. } => {
                Facts::redirect("qa:answer_permalink", 302, QaRoute::Question(question))
            }
            QaRoute::Tags { .. } => Facts::page("qa:tags"),
            QaRoute::Tagged { .. } => Facts::page("qa:tagged"),
            QaRoute::Users { .. } => Facts::page("qa:users"),
            QaRoute::User(_) => Facts::content("qa:user"),
            QaRoute::UserTab(_) => Facts::page("qa:user_questions"),
        }
    }

    fn render(&self, route: QaRoute, page: &mut Page<'_>) {
        render::render(self, route, page);
    }

    fn disallowed(&self) -> &'static [&'static str] {
        &["/questions/ask", "/users/login"]
    }

    fn main_pages(&self) -> u64 {
        self.questions()
    }

    fn main_page(&self, index: u64) -> QaRoute {
        QaRoute::Question(index)
    }

    fn redirect_fragment(&self, route: QaRoute, out: &mut String) {
        if let QaRoute::Answer { question, answer } = route {
            out.push_str("#answer-");
            push(out, question * ANSWER_NUMBERS + answer);
        }
    }
}
