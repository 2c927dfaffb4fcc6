//! The decoded bytes of a file that is either plain or a sequence of gzip members, with their file offsets.

use std::io::{self, BufRead, BufReader, Read};

use flate2::bufread::GzDecoder;

const INPUT_BUFFER: usize = 256 << 10;
const DECODED_BUFFER: usize = 64 << 10;

/// Reads decoded bytes, member by member. A plain file counts as one member.
pub(super) struct MemberReader<R> {
    input: Input<R>,
    member_offset: u64,
    /// Decoded bytes of a gzip member. Not used for plain files, which are read from the input's own buffer.
    decoded: Vec<u8>,
    next: usize,
    end: usize,
}

enum Input<R> {
    /// Nothing has been read yet.
    Unknown(Counted<R>),
    Plain(Counted<R>),
    Member(Box<GzDecoder<Counted<R>>>),
    /// The last member ended here.
    Between(Counted<R>),
    /// A placeholder during a state transition.
    Moving,
}

impl<R: Read> MemberReader<R> {
    pub fn new(input: R) -> Self {
        let input = Counted { inner: BufReader::with_capacity(INPUT_BUFFER, input), count: 0 };
        Self { input: Input::Unknown(input), member_offset: 0, decoded: Vec::new(), next: 0, end: 0 }
    }

    pub fn is_gzip(&self) -> bool {
        matches!(self.input, Input::Member(_) | Input::Between(_))
    }

    /// Returns decoded bytes of the current member; empty at its end (its checksum has been verified then).
    pub fn fill(&mut self) -> io::Result<&[u8]> {
        if matches!(self.input, Input::Unknown(_)) {
            self.begin()?;
        }
        if self.next == self.end
            && let Input::Member(member) = &mut self.input
        {
            self.decoded.resize(DECODED_BUFFER, 0);
            (self.next, self.end) = (0, 0);
            self.end = member.read(&mut self.decoded)?;
            if self.end == 0 {
                self.leave_member();
            }
        }
        match &mut self.input {
            Input::Plain(input) => input.fill_buf(),
            _ => Ok(&self.decoded[self.next..self.end]),
        }
    }

    pub fn consume(&mut self, length: usize) {
        match &mut self.input {
            Input::Plain(input) => input.consume(length),
            _ => self.next += length,
        }
    }

    /// Advances to the next member after the end of the current one. Returns `false` at the end of the file.
    pub fn next_member(&mut self) -> io::Result<bool> {
        if let Input::Between(input) = &mut self.input
            && !input.fill_buf()?.is_empty()
        {
            self.enter_member();
            return Ok(true);
        }
        Ok(false)
    }

    /// Returns the file offset by which a record can be located: that of the current member, or of the next byte of a
    /// plain file.
    pub fn piece_offset(&self) -> u64 {
        match &self.input {
            Input::Plain(input) => input.count,
            _ => self.member_offset,
        }
    }

    /// Returns how many bytes of the file were consumed. This is exact in a plain file and after the end of a member.
    pub fn offset(&self) -> u64 {
        match &self.input {
            Input::Unknown(input) | Input::Plain(input) | Input::Between(input) => input.count,
            Input::Member(member) => member.get_ref().count,
            Input::Moving => 0,
        }
    }

    /// Determines from the first byte whether the file is compressed or plain.
    fn begin(&mut self) -> io::Result<()> {
        let Input::Unknown(input) = &mut self.input else { return Ok(()) };
        let gzip = input.fill_buf()?.first() == Some(&0x1f);
        self.input = match std::mem::replace(&mut self.input, Input::Moving) {
            Input::Unknown(input) if gzip => Input::Between(input),
            Input::Unknown(input) => Input::Plain(input),
            other => other,
        };
        if gzip {
            self.enter_member();
        }
        Ok(())
    }

    fn enter_member(&mut self) {
        self.input = match std::mem::replace(&mut self.input, Input::Moving) {
            Input::Between(input) => {
                self.member_offset = input.count;
                Input::Member(Box::new(GzDecoder::new(input)))
            }
            other => other,
        };
    }

    fn leave_member(&mut self) {
        self.input = match std::mem::replace(&mut self.input, Input::Moving) {
            Input::Member(member) => Input::Between(member.into_inner()),
            other => other,
        };
    }
}

/// A reader that counts the consumed bytes.
struct Counted<R> {
    inner: BufReader<R>,
    count: u64,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.inner.read(buffer)?;
        self.count += length as u64;
        Ok(length)
    }
}

impl<R: Read> BufRead for Counted<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.inner.fill_buf()
    }

    fn consume(&mut self, length: usize) {
        self.count += length as u64;
        self.inner.consume(length);
    }
}
