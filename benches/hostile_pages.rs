//! What hostile pages cost their readers: pages that are made to take much time, of 100 KB, 1 MB and 4 MB, through
//! everything that reads pages.
//!
//! Printed are, in processor time, the slowest page of each reader, and the kinds of pages whose time grows most from 1
//! MB to 4 MB. The exit code is 1 if a page takes a reader more than two seconds, or four times the bytes take more
//! than six times the time.
//!
//! `cargo bench --bench hostile_pages` takes some minutes on two processors. For a quick look, words after `--` select
//! the readers and kinds whose names have one of them, and `HARVESTMAN_BENCH_KILOBYTES` sets the size of the small
//! pages, from which the others follow.
#![expect(clippy::print_stdout, reason = "a bench's result is what it prints")]
#![expect(clippy::unwrap_used, reason = "the generator of pages is that of a test")]

#[path = "../tests/hostile/pages/mod.rs"]
mod pages;

use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use pages::{KINDS, Kind, READERS, Reader, taken};

/// Maximum time of a page.
const PAGE_MAX: Duration = Duration::from_secs(2);
/// Maximum ratio of the time of a page to that of one of a quarter of its bytes.
const RATIO_MAX: f64 = 6.0;
/// A page that takes less tells no ratio.
const TOLD_MIN: Duration = Duration::from_millis(100);
/// How often a page is read again that is too slow: the least time counts, because others use the processors too.
const AGAIN: usize = 3;
/// The sizes of pages in units of the small ones.
const SIZES: [usize; 3] = [1, 10, 40];

/// What pages of one kind took one reader, by size.
struct Measured {
    kind: &'static str,
    reader: &'static str,
    times: [Duration; 3],
}

impl Measured {
    /// How the time grows with four times the bytes; `None` where it is too short to tell.
    fn ratio(&self) -> Option<f64> {
        let [_, middle, large] = self.times.map(|time| time.as_secs_f64());
        (self.times[2] >= TOLD_MIN).then_some(large / middle)
    }

    fn is_bad(&self) -> bool {
        self.times.iter().any(|time| *time > PAGE_MAX) || self.ratio().is_some_and(|ratio| ratio > RATIO_MAX)
    }
}

fn main() -> ExitCode {
    let small = std::env::var("HARVESTMAN_BENCH_KILOBYTES").ok().and_then(|text| text.parse().ok()).unwrap_or(100);
    let sizes = SIZES.map(|size| 1_000 * small * size);
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let all_kinds: Vec<&Kind> = KINDS.into_iter().flatten().collect();
    let (kinds, readers) = (
        selected(all_kinds, &words, |kind| kind.name),
        selected(READERS.iter().collect(), &words, |reader| reader.name),
    );
    println!("{} pages, {} readers", kinds.len() * sizes.len(), readers.len());
    let measured = all(&kinds, &readers, sizes);
    for reader in readers {
        let of_reader = measured.iter().filter(|measured| measured.reader == reader.name);
        let Some(slowest) = of_reader.max_by_key(|measured| measured.times.iter().max()) else { continue };
        println!("{:28} at most {:?} ({})", reader.name, slowest.times.iter().max().unwrap(), slowest.kind);
    }
    let mut by_ratio: Vec<&Measured> = measured.iter().filter(|measured| measured.ratio().is_some()).collect();
    by_ratio.sort_by(|one, other| other.ratio().unwrap().total_cmp(&one.ratio().unwrap()));
    println!("growth of the time with four times the bytes:");
    for measured in by_ratio.iter().take(12) {
        println!("  {:.1}: {} by {}, {:?}", measured.ratio().unwrap(), measured.kind, measured.reader, measured.times);
    }
    let bad: Vec<&Measured> = measured.iter().filter(|measured| measured.is_bad()).collect();
    for Measured { kind, reader, times } in &bad {
        println!("TOO SLOW: {kind} by {reader}: {times:?}");
    }
    if bad.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Returns those whose name has one of the words; all if none has.
fn selected<T: Copy>(all: Vec<T>, words: &[String], name: impl Fn(T) -> &'static str) -> Vec<T> {
    let some: Vec<T> =
        all.iter().copied().filter(|one| words.iter().any(|word| name(*one).contains(&**word))).collect();
    if some.is_empty() { all } else { some }
}

/// Measures the kinds with the readers, on as many threads as there are processors.
fn all(kinds: &[&'static Kind], readers: &[&'static Reader], sizes: [usize; 3]) -> Vec<Measured> {
    let (next, measured) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(kind) = kinds.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let pages = sizes.map(|size| kind.page(size));
                    for reader in readers {
                        let of_kind = measure(kind, reader, &pages);
                        measured.lock().unwrap().push(of_kind);
                    }
                }
            });
        }
    });
    measured.into_inner().unwrap()
}

fn measure(kind: &'static Kind, reader: &'static Reader, pages: &[String; 3]) -> Measured {
    let mut measured = Measured { kind: kind.name, reader: reader.name, times: [Duration::ZERO; 3] };
    for round in 0..=AGAIN {
        let mut is_over = false;
        for (time, page) in measured.times.iter_mut().zip(pages) {
            // What takes a small page that long never ends on a large one.
            if is_over {
                continue;
            }
            let taken = taken(reader, page);
            *time = if round == 0 { taken } else { taken.min(*time) };
            is_over = *time > PAGE_MAX;
        }
        if !measured.is_bad() || is_over {
            break;
        }
    }
    measured
}
