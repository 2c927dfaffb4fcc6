//! An external merge sort of lines: sorted runs in temporary files are merged at the end.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Seek as _, Write};
use std::path::{Path, PathBuf};

/// Maximum number of runs per level. A full level is merged into one run of the next level. This bounds open files and
/// read buffers: the runs of each level are 32 times as long as those of the previous one.
const RUNS_MAX: usize = 32;
const BUFFER: usize = 64 << 10;

/// Sorts lines by their bytes.
///
/// Uses `memory` bytes for lines, and at most 32 files per level: with 64 MiB and lines of 300 bytes, 7 million lines
/// need one level, 200 million two. The files are unnamed, so that a killed process leaves none behind.
#[derive(Debug)]
pub struct LineSorter {
    directory: PathBuf,
    memory: usize,
    bytes: Vec<u8>,
    /// Start and end of each line in `bytes`.
    lines: Vec<(u32, u32)>,
    levels: Vec<Vec<File>>,
}

impl LineSorter {
    /// Creates a sorter that uses up to `memory` bytes (less than 2 GiB) and writes its runs to `directory`.
    pub fn new(directory: &Path, memory: usize) -> Self {
        let memory = memory.clamp(1, i32::MAX as usize);
        Self { directory: directory.to_owned(), memory, bytes: Vec::new(), lines: Vec::new(), levels: Vec::new() }
    }

    /// Adds a line, which must end with its only line break and be shorter than 2 GiB.
    pub fn push(&mut self, line: &[u8]) -> io::Result<()> {
        debug_assert_eq!(memchr::memchr(b'\n', line), Some(line.len() - 1), "one line");
        let held = self.bytes.len() + self.lines.len() * size_of::<(u32, u32)>();
        if held + line.len() > self.memory && !self.lines.is_empty() {
            self.write_run()?;
        }
        let start = self.bytes.len() as u32;
        self.bytes.extend_from_slice(line);
        self.lines.push((start, self.bytes.len() as u32));
        Ok(())
    }

    /// Writes all lines to `out` in sorted order.
    pub fn finish(mut self, out: &mut impl Write) -> io::Result<()> {
        if self.levels.is_empty() {
            return self.write_sorted(out);
        }
        self.write_run()?;
        (self.bytes, self.lines) = (Vec::new(), Vec::new());
        merge(self.levels.into_iter().flatten().collect(), out)
    }

    fn write_sorted(&mut self, out: &mut impl Write) -> io::Result<()> {
        let (bytes, lines) = (&self.bytes, &mut self.lines);
        let line = |&(start, end): &(u32, u32)| &bytes[start as usize..end as usize];
        lines.sort_unstable_by(|a, b| line(a).cmp(line(b)));
        lines.iter().try_for_each(|at| out.write_all(line(at)))
    }

    /// Writes the lines in memory to a run. Merges full levels into a run of the next level.
    fn write_run(&mut self) -> io::Result<()> {
        let mut run = self.run()?;
        self.write_sorted(&mut run)?;
        self.bytes.clear();
        self.lines.clear();
        let mut run = finished(run)?;
        let mut level = 0;
        loop {
            if self.levels.len() == level {
                self.levels.push(Vec::new());
            }
            self.levels[level].push(run);
            if self.levels[level].len() < RUNS_MAX {
                return Ok(());
            }
            let mut merged = self.run()?;
            merge(std::mem::take(&mut self.levels[level]), &mut merged)?;
            run = finished(merged)?;
            level += 1;
        }
    }

    fn run(&self) -> io::Result<BufWriter<File>> {
        Ok(BufWriter::with_capacity(BUFFER, tempfile::tempfile_in(&self.directory)?))
    }
}

/// Finishes writing a run and rewinds it for reading.
fn finished(run: BufWriter<File>) -> io::Result<File> {
    let mut file = run.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.rewind()?;
    Ok(file)
}

fn merge(runs: Vec<File>, out: &mut impl Write) -> io::Result<()> {
    let mut inputs: Vec<_> = runs.into_iter().map(|run| BufReader::with_capacity(BUFFER, run)).collect();
    let mut firsts = BinaryHeap::with_capacity(inputs.len());
    for (place, input) in inputs.iter_mut().enumerate() {
        let mut line = Vec::new();
        if input.read_until(b'\n', &mut line)? > 0 {
            firsts.push(Reverse((line, place)));
        }
    }
    while let Some(mut first) = firsts.peek_mut() {
        let Reverse((line, place)) = &mut *first;
        out.write_all(line)?;
        line.clear();
        if inputs[*place].read_until(b'\n', line)? == 0 {
            std::collections::binary_heap::PeekMut::pop(first);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sorted(lines: &[Vec<u8>], memory: usize) -> Vec<u8> {
        let directory = tempfile::tempdir().unwrap();
        let mut sorter = LineSorter::new(directory.path(), memory);
        lines.iter().for_each(|line| sorter.push(line).unwrap());
        let mut out = Vec::new();
        sorter.finish(&mut out).unwrap();
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0, "nothing is left behind");
        out
    }

    proptest! {
        #[test]
        fn lines_are_sorted_by_their_bytes_with_any_memory(
            texts in prop::collection::vec("[a-c\\x01 é]{0,6}", 0..200),
            memory in 1_usize..400,
        ) {
            let mut lines: Vec<Vec<u8>> = texts.iter().map(|text| format!("{text}\n").into_bytes()).collect();
            let out = sorted(&lines, memory);
            lines.sort();
            prop_assert_eq!(out, lines.concat());
        }
    }

    #[test]
    fn full_levels_are_merged_into_a_run_of_the_next_level() {
        let count = RUNS_MAX * RUNS_MAX + 7;
        let lines: Vec<Vec<u8>> = (0..count).map(|n| format!("{:05}\n", n * 7_919 % count).into_bytes()).collect();
        let directory = tempfile::tempdir().unwrap();
        let mut sorter = LineSorter::new(directory.path(), 1);
        lines.iter().for_each(|line| sorter.push(line).unwrap());
        assert_eq!(sorter.levels.iter().map(Vec::len).collect::<Vec<_>>(), [6, 0, 1]);
        let mut out = Vec::new();
        sorter.finish(&mut out).unwrap();
        let expected: Vec<u8> = (0..count).flat_map(|n| format!("{n:05}\n").into_bytes()).collect();
        assert_eq!(out, expected);
    }
}
