//! Messages on the debugging pipe: JSON texts, each ended by a NUL byte.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt};

/// Number of bytes to read at once.
const READ_BYTES: usize = 64 << 10;

/// Reads messages from a pipe.
#[derive(Debug)]
pub(super) struct Frames<R> {
    from: R,
    /// What was read and not returned.
    buffer: Vec<u8>,
    /// Number of bytes at the beginning of `buffer` that hold no NUL.
    searched: usize,
    bytes_max: usize,
}

impl<R: AsyncRead + Unpin> Frames<R> {
    /// Reads messages of at most `bytes_max` bytes each.
    pub(super) const fn new(from: R, bytes_max: usize) -> Self {
        Self { from, buffer: Vec::new(), searched: 0, bytes_max }
    }

    /// Returns the next message without its NUL; `None` at the end of the pipe.
    ///
    /// # Errors
    ///
    /// The pipe cannot be read, ends within a message, or a message is longer than the limit.
    pub(super) async fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        loop {
            if let Some(at) = self.buffer[self.searched..].iter().position(|byte| *byte == 0) {
                let rest = self.buffer.split_off(self.searched + at + 1);
                let mut message = std::mem::replace(&mut self.buffer, rest);
                message.pop();
                self.searched = 0;
                return Ok(Some(message));
            }
            self.searched = self.buffer.len();
            if self.searched > self.bytes_max {
                let why = format!("a message of the browser is longer than {} bytes", self.bytes_max);
                return Err(io::Error::new(io::ErrorKind::InvalidData, why));
            }
            self.buffer.reserve(READ_BYTES);
            if self.from.read_buf(&mut self.buffer).await? == 0 {
                let ended = if self.buffer.is_empty() { Ok(None) } else { Err(io::ErrorKind::UnexpectedEof.into()) };
                return ended;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    async fn read_all(bytes: &[u8], max: usize) -> io::Result<Vec<Vec<u8>>> {
        let mut frames = Frames::new(bytes, max);
        let mut read = Vec::new();
        while let Some(message) = frames.next().await? {
            read.push(message);
        }
        Ok(read)
    }

    fn now<T>(future: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
    }

    proptest! {
        #[test]
        fn messages_are_what_stands_between_nuls(
            messages in proptest::collection::vec(proptest::collection::vec(1_u8.., 0..300), 0..20)
        ) {
            let bytes: Vec<u8> = messages.iter().flat_map(|message| message.iter().copied().chain([0])).collect();
            prop_assert_eq!(now(read_all(&bytes, 300)).unwrap(), messages);
        }
    }

    #[test]
    fn long_and_broken_messages_are_errors() {
        assert_eq!(now(read_all(&[b'a'; 200_000], 1_000)).unwrap_err().kind(), io::ErrorKind::InvalidData);
        assert_eq!(now(read_all(b"a\0b", 1_000)).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
    }
}
