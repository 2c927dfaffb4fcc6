//! The pages of a crawl as a stream.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::thread;
use std::time::Duration;

use futures_core::Stream;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::Page;
use harvestman_report::StopFlag;

/// How long a stopped crawl waits for a reader of its pages.
const READER_MAX: Duration = Duration::from_secs(1);
/// The pauses while the stream is full.
const PAUSE: Duration = Duration::from_millis(5);

/// The pages of a crawl, in the order in which they are processed. Ends with the crawl.
///
/// The stream is bounded: while nobody reads it, the crawl waits. Dropping it lets the crawl continue without it. A
/// crawl that was stopped waits a second for its reader; the pages that are then left wait to be fetched again by
/// [`Crawl::resume`](crate::Crawl::resume).
#[derive(Debug)]
pub struct Pages {
    receiver: Receiver<Page>,
}

impl Pages {
    /// Returns a stream that has ended.
    pub(crate) fn ended() -> Self {
        Self { receiver: channel(1).1 }
    }

    /// Waits for the next page. Needs no asynchronous runtime. `None` at the end of the crawl.
    ///
    /// # Panics
    /// In asynchronous code, whose thread it would block: there this is a [`Stream`].
    pub fn next_blocking(&mut self) -> Option<Page> {
        self.receiver.blocking_recv()
    }
}

impl Stream for Pages {
    type Item = Page;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Page>> {
        self.receiver.poll_recv(context)
    }
}

/// The other end of the stream.
pub(crate) struct PageSender {
    /// `None` once nothing is sent any more.
    sender: Option<Sender<Page>>,
    /// Whether nobody reads it: then it takes everything.
    is_off: bool,
    stop: StopFlag,
}

impl PageSender {
    /// Creates a stream with room for so many pages, of a crawl that `stop` ends.
    pub(crate) fn new(room: usize, stop: StopFlag) -> (Self, Pages) {
        let (sender, receiver) = channel(room.max(1));
        (Self { sender: Some(sender), is_off: false, stop }, Pages { receiver })
    }

    /// Sends a page; blocks while the stream is full. Returns false if nobody read the stream of a stopped crawl, which
    /// ends it. A stream that was dropped takes everything.
    pub(crate) fn send(&mut self, mut page: Page) -> bool {
        let Some(sender) = &self.sender else { return self.is_off };
        let mut waited = Duration::ZERO;
        loop {
            match sender.try_send(page) {
                Ok(()) | Err(TrySendError::Closed(_)) => return true,
                Err(TrySendError::Full(back)) if waited < READER_MAX => page = back,
                Err(TrySendError::Full(_)) => {
                    self.sender = None;
                    return false;
                }
            }
            thread::sleep(PAUSE);
            if self.stop.requested() {
                waited += PAUSE;
            }
        }
    }

    /// Ends the stream of a crawl that has none.
    pub(crate) fn turn_off(&mut self) {
        (self.sender, self.is_off) = (None, true);
    }

    /// Ends the stream.
    pub(crate) fn end(&mut self) {
        self.sender = None;
    }
}
