//! Records as a corpus of ConvoKit (version 3 of its format).
//!
//! A conversation is a thread, and has the identifier of its first post, as ConvoKit expects. Each utterance but the
//! first answers another one of its conversation: a post whose parent is unknown answers the first one, and its
//! `reply_to_known` is false.

use std::collections::BTreeMap;
use std::path::Path;

use harvestman_posts::site::{Post, Thread, User, unix_seconds};
use serde::Serialize;
use serde_json::{Value, json};

use super::json_lines::LineFile;
use super::{Format, OutputError, RecordWriter, create_files};

/// The speaker of posts without an author.
const UNKNOWN: &str = "unknown";

/// The files of a corpus.
pub(super) struct Corpus {
    utterances: LineFile,
    speakers: LineFile,
    conversations: LineFile,
    corpus: LineFile,
    index: LineFile,
    by_speaker: BTreeMap<String, Speaker>,
    by_conversation: BTreeMap<String, Value>,
    /// The thread whose posts are being written, and the identifier of its first post.
    thread: (String, String),
    /// The first post of each thread.
    firsts: BTreeMap<String, String>,
}

#[derive(Serialize)]
struct Speaker {
    meta: Value,
    vectors: [(); 0],
}

#[derive(Serialize)]
struct Utterance<'p> {
    id: &'p str,
    conversation_id: &'p str,
    text: &'p str,
    speaker: &'p str,
    meta: Value,
    #[serde(rename = "reply-to")]
    reply_to: Option<&'p str>,
    timestamp: Option<i64>,
    vectors: [(); 0],
}

impl Corpus {
    pub fn create(directory: &Path) -> Result<Self, OutputError> {
        let files = create_files(directory, Format::ConvoKit.files())?;
        let [utterances, speakers, conversations, corpus, index] = files.map(LineFile::new);
        Ok(Self {
            utterances,
            speakers,
            conversations,
            corpus,
            index,
            by_speaker: BTreeMap::new(),
            by_conversation: BTreeMap::new(),
            thread: (String::new(), String::new()),
            firsts: BTreeMap::new(),
        })
    }
}

/// Returns what tells the author of a post apart from others: the address, or the name and the host.
fn speaker(url: Option<&str>, name: Option<&str>, host: &str) -> String {
    match (url, name) {
        (Some(url), _) => url.to_owned(),
        (None, Some(name)) => format!("{host}:{name}"),
        (None, None) => UNKNOWN.to_owned(),
    }
}

/// Returns the host in an identifier.
fn host_of(id: &str) -> &str {
    id.rsplit_once(":t").map_or(id, |(host, _)| host)
}

impl RecordWriter for Corpus {
    fn post(&mut self, post: &Post) -> Result<(), OutputError> {
        if self.thread.0 != post.thread_id {
            self.thread = (post.thread_id.clone(), post.id.clone());
            self.firsts.insert(post.thread_id.clone(), post.id.clone());
        }
        let first = self.thread.1.as_str();
        let known = post.parent_id.as_deref().filter(|_| post.parent_thread_id.is_none());
        let is_first = post.id == first;
        let host = host_of(&post.thread_id);
        let speaker = speaker(post.author_url.as_deref(), post.author.as_deref(), host);
        let meta = json!({ "name": post.author, "url": post.author_url });
        self.by_speaker.entry(speaker.clone()).or_insert(Speaker { meta, vectors: [] });
        self.utterances.push(&Utterance {
            id: &post.id,
            conversation_id: first,
            text: &post.text,
            speaker: &speaker,
            meta: json!({
                "url": post.url, "title": post.title, "time": post.time, "edited": post.edited, "position": post.position,
                "reply_to_known": !is_first && known.is_some(), "confidence": post.confidence, "is_gone": post.is_gone,
                "crawl_time": post.crawl_time,
            }),
            reply_to: (!is_first).then_some(known.unwrap_or(first)),
            timestamp: post.time.as_deref().and_then(unix_seconds),
            vectors: [],
        })
    }

    fn thread(&mut self, thread: &Thread) -> Result<(), OutputError> {
        if let Some(first) = self.firsts.remove(&thread.id) {
            let meta = json!({
                "thread_id": thread.id, "url": thread.url, "title": thread.title, "forums": thread.forums, "tags": thread.tags,
            });
            self.by_conversation.insert(first, json!({ "meta": meta, "vectors": [] }));
        }
        Ok(())
    }

    fn user(&mut self, user: &User) -> Result<(), OutputError> {
        let key = speaker(user.url.as_deref(), user.name.as_deref(), &user.host);
        if let Some(speaker) = self.by_speaker.get_mut(&key) {
            let shown = json!({ "name": user.name, "url": user.url, "joined": user.joined, "posts": user.posts });
            speaker.meta = shown;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), OutputError> {
        self.utterances.finish()?;
        self.speakers.push(&self.by_speaker)?;
        self.speakers.finish()?;
        self.conversations.push(&self.by_conversation)?;
        self.conversations.finish()?;
        self.corpus.push(&json!({ "meta": {}, "vectors": [] }))?;
        self.corpus.finish()?;
        self.index.push(&index())?;
        self.index.finish()
    }
}

/// Returns the names and types of metadata, by which ConvoKit reads a corpus.
fn index() -> Value {
    let (text, number, float, truth, list) =
        (["<class 'str'>"], ["<class 'int'>"], ["<class 'float'>"], ["<class 'bool'>"], ["<class 'list'>"]);
    json!({
        "utterances-index": {
            "url": text, "title": text, "time": text, "edited": text, "position": number, "reply_to_known": truth,
            "confidence": float, "is_gone": truth, "crawl_time": text,
        },
        "speakers-index": { "name": text, "url": text, "joined": text, "posts": number },
        "conversations-index": { "thread_id": text, "url": text, "title": text, "forums": list, "tags": list },
        "overall-index": {},
        "vectors": [],
        "version": 1,
    })
}
