//! `harvestman inspect warc FILE`: lists the records of a WARC file and verifies it.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use harvestman_report::terminal;
use harvestman_storage::archive::reader::{DigestCheck, Limits, Record, WarcError, WarcReader};

/// List the records of a WARC file and report where it is torn or broken
///
/// Without FILE, answers JSON lines on standard input: `{"id": …, "path": "x.warc.gz"}` is answered with `{"id": …,
/// "records": 3, "types": {…}, "ok": true}`.
#[derive(Debug, clap::Args)]
pub struct WarcArgs {
    /// WARC file to read
    file: Option<PathBuf>,
    /// Also check the digests of all records
    #[arg(long)]
    verify: bool,
    /// Print one JSON object per record, and one with the totals
    #[arg(long)]
    json: bool,
    /// List only records whose target URI contains this text
    #[arg(long, value_name = "TEXT")]
    url: Option<String>,
    /// Write only the block of the record at this offset to standard output
    #[arg(long, value_name = "OFFSET", requires = "file")]
    extract: Option<u64>,
}

/// Runs the command.
///
/// # Errors
/// The file is torn or broken, or a digest is wrong.
pub fn run(args: &WarcArgs) -> anyhow::Result<()> {
    let output = BufWriter::new(terminal::stdout());
    match (&args.file, args.extract) {
        (None, _) => Ok(super::answer_lines(io::stdin().lock(), output, |question| answer(&question, args.verify))?),
        (Some(file), Some(offset)) => extract(file, offset, BufWriter::new(terminal::data())),
        (Some(file), None) => list(file, args, output),
    }
}

/// The contents of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
struct Totals {
    records: u64,
    types: BTreeMap<String, u64>,
    /// Bytes of all blocks.
    block_bytes: u64,
    /// Digests that do not match.
    digests_wrong: u64,
    /// Digests that are missing or could not be checked.
    digests_not_checked: u64,
    /// Compressed records that share a gzip member with others, which most tools cannot seek to.
    sharing_a_member: u64,
    ok: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// A listed record.
#[derive(Debug, Serialize)]
struct Listed<'a> {
    offset: u64,
    r#type: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<&'a str>,
    block_bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated: Option<&'a str>,
    digests_wrong: u64,
}

/// Reads a whole file, passes every record to `each`, and returns the totals.
fn scan(
    input: impl Read,
    verify: bool,
    mut each: impl FnMut(&Listed<'_>) -> anyhow::Result<()>,
) -> anyhow::Result<Totals> {
    let mut reader = WarcReader::new(input, Limits::default());
    let mut totals = Totals::default();
    loop {
        let read = match reader.next_record() {
            Ok(Some(record)) => scan_record(record, verify, &mut totals, &mut each)?,
            Ok(None) => break,
            Err(error) => Err(error),
        };
        if let Err(error) = read {
            totals.error = Some(error.to_string());
            break;
        }
    }
    if totals.error.is_none() && totals.records == 0 {
        totals.error = Some("the file holds no records".to_owned());
    }
    if totals.error.is_none() && totals.digests_wrong > 0 {
        totals.error = Some(format!("{} digests are wrong", totals.digests_wrong));
    }
    totals.ok = totals.error.is_none();
    Ok(totals)
}

/// Lists a record after reading it completely, so that a torn one is not listed. The inner result is an error of the
/// file, the outer one an error of `each`.
fn scan_record<R: Read>(
    mut record: Record<'_, R>,
    verify: bool,
    totals: &mut Totals,
    each: &mut impl FnMut(&Listed<'_>) -> anyhow::Result<()>,
) -> anyhow::Result<Result<(), WarcError>> {
    let header = record.header().clone();
    let record_type = header.get("WARC-Type").unwrap_or("?");
    let (offset, block_bytes) = (record.offset(), record.remaining());
    let url = record.target_uri().map(str::to_owned);
    let read = read_record(&mut record, verify).and_then(|read| record.end().map(|end| (read, end)));
    let ((status, checks), end) = match read {
        Ok(read) => read,
        Err(error) => return Ok(Err(error)),
    };
    let count = |what| checks.iter().filter(|check| **check == what).count() as u64;
    totals.records += 1;
    *totals.types.entry(record_type.to_owned()).or_default() += 1;
    totals.block_bytes += block_bytes;
    totals.digests_wrong += count(DigestCheck::Wrong);
    totals.digests_not_checked += count(DigestCheck::NotChecked);
    totals.sharing_a_member += u64::from(!end.member_ended);
    // In a revisit record, the block is truncated by design: it holds the head only.
    let truncated = header.get("WARC-Truncated").filter(|_| record_type != "revisit");
    let digests_wrong = count(DigestCheck::Wrong);
    let url = url.as_deref();
    each(&Listed { offset, r#type: record_type, status, url, block_bytes, truncated, digests_wrong })?;
    Ok(Ok(()))
}

fn read_record<R: Read>(
    record: &mut Record<'_, R>,
    verify: bool,
) -> Result<(Option<u16>, Vec<DigestCheck>), WarcError> {
    let status = match record.record_type() {
        "response" | "revisit" => status(record.peek()?),
        _ => None,
    };
    if !verify {
        return Ok((status, Vec::new()));
    }
    let verdict = record.verify()?;
    Ok((status, vec![verdict.block, verdict.payload]))
}

/// Returns the status in the first line of an HTTP response.
fn status(start: &[u8]) -> Option<u16> {
    let line = start.strip_prefix(b"HTTP/")?;
    let code = line.split(|byte| *byte == b' ').nth(1)?;
    std::str::from_utf8(code.get(..3)?).ok()?.parse().ok()
}

fn list(file: &Path, args: &WarcArgs, mut output: impl Write) -> anyhow::Result<()> {
    let totals = scan(open(file)?, args.verify, |record| {
        let wanted = args.url.as_ref().is_none_or(|text| record.url.is_some_and(|url| url.contains(text)));
        match (wanted, args.json) {
            (false, _) => Ok(()),
            (true, true) => Ok(writeln!(output, "{}", serde_json::to_string(record)?)?),
            (true, false) => Ok(write_line(record, &mut output)?),
        }
    })?;
    if args.json {
        writeln!(output, "{}", serde_json::to_string(&totals)?)?;
    } else {
        write_totals(&totals, args.verify, &mut output)?;
    }
    output.flush()?;
    match totals.error {
        None => Ok(()),
        Some(error) => bail!("{}: {error}", file.display()),
    }
}

fn write_line(record: &Listed<'_>, output: &mut impl Write) -> io::Result<()> {
    let status = record.status.map_or_else(|| "-".to_owned(), |status| status.to_string());
    let (offset, kind, length) = (record.offset, record.r#type, record.block_bytes);
    // The file is untrusted: replace control characters, which could manipulate the terminal.
    let shown = |text: &str| text.replace(char::is_control, "\u{fffd}");
    let (kind, url) = (shown(kind), shown(record.url.unwrap_or("-")));
    write!(output, "{offset:>12} {kind:<9} {status:>3} {length:>10} {url}")?;
    if let Some(why) = record.truncated {
        write!(output, " (truncated: {})", shown(why))?;
    }
    if record.digests_wrong > 0 {
        output.write_all(b" (wrong digest)")?;
    }
    writeln!(output)
}

fn write_totals(totals: &Totals, verify: bool, output: &mut impl Write) -> io::Result<()> {
    let types: Vec<_> = totals.types.iter().map(|(name, count)| format!("{count} {name}")).collect();
    writeln!(output, "{} records ({}), {} bytes", totals.records, types.join(", "), totals.block_bytes)?;
    if totals.sharing_a_member > 0 {
        writeln!(output, "{} records share a gzip member with the next", totals.sharing_a_member)?;
    }
    if verify {
        writeln!(output, "digests: {} wrong, {} not checked", totals.digests_wrong, totals.digests_not_checked)?;
    }
    Ok(())
}

fn extract(file: &Path, offset: u64, mut output: impl Write) -> anyhow::Result<()> {
    use std::io::{Seek, SeekFrom};
    let mut input = open(file)?;
    input.seek(SeekFrom::Start(offset)).with_context(|| format!("cannot seek to byte {offset}"))?;
    let mut reader = WarcReader::new(input, Limits::default());
    match reader.next_record() {
        Ok(Some(mut record)) if record.offset() == 0 => {
            io::copy(&mut record, &mut output).with_context(|| format!("the record at byte {offset} is incomplete"))?;
            Ok(output.flush()?)
        }
        _ => bail!("no record starts at byte {offset}; `harvestman inspect warc FILE` lists the offsets"),
    }
}

fn open(file: &Path) -> anyhow::Result<File> {
    File::open(file).with_context(|| format!("cannot open {}", file.display()))
}

/// A question on standard input.
#[derive(Debug, Deserialize)]
struct Question {
    #[serde(default)]
    id: Value,
    path: PathBuf,
}

#[derive(Debug, Serialize)]
struct Answer {
    id: Value,
    #[serde(flatten)]
    totals: Totals,
}

fn answer(question: &Question, verify: bool) -> Answer {
    let scanned = open(&question.path).and_then(|input| scan(input, verify, |_| Ok(())));
    let totals = scanned.unwrap_or_else(|e| Totals { error: Some(format!("{e:#}")), ..Totals::default() });
    Answer { id: question.id.clone(), totals }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORD: &[u8] = b"WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://h/\r\n\
        WARC-Block-Digest: sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ\r\nContent-Type: application/http\r\n\
        Content-Length: 19\r\n\r\nHTTP/1.1 404 No\r\n\r\n\r\n\r\n";

    #[test]
    fn totals_are_counted_and_wrong_digests_found_on_request() {
        let mut listed = Vec::new();
        let each = |record: &Listed<'_>| {
            listed.push((record.offset, record.status, record.url.map(str::to_owned)));
            Ok(())
        };
        let totals = scan(RECORD, false, each).unwrap();
        assert_eq!(listed, [(0, Some(404), Some("http://h/".to_owned()))]);
        assert!(totals.ok && totals.types["response"] == 1 && totals.block_bytes == 19);
        let verified = scan(RECORD, true, |_| Ok(())).unwrap();
        assert_eq!((verified.ok, verified.digests_wrong, verified.digests_not_checked), (false, 1, 1));
    }

    #[test]
    fn a_torn_tail_is_reported_with_its_offset_and_not_listed() {
        let torn = [RECORD, &RECORD[..100]].concat();
        let totals = scan(&torn[..], false, |_| Ok(())).unwrap();
        assert_eq!((totals.ok, totals.records), (false, 1));
        assert!(totals.error.unwrap().contains(&format!("byte {}", RECORD.len())));
        assert!(!scan(&b""[..], false, |_| Ok(())).unwrap().ok, "an empty file is not an archive");
    }

    #[test]
    fn questions_on_standard_input_are_answered_one_by_one() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.warc");
        std::fs::write(&path, RECORD).unwrap();
        let ask = |path: &Path| {
            let question = serde_json::json!({"id": 7, "path": path});
            serde_json::to_value(answer(&serde_json::from_value(question).unwrap(), false)).unwrap()
        };
        let good = ask(&path);
        assert_eq!((&good["id"], &good["records"], &good["ok"]), (&7.into(), &1.into(), &true.into()));
        assert_eq!(good["types"]["response"], 1);
        let missing = ask(&directory.path().join("b.warc"));
        assert!(missing["ok"] == false && missing["error"].as_str().unwrap().contains("b.warc"));
    }

    #[test]
    fn a_record_is_extracted_by_its_offset_and_by_no_other() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.warc");
        std::fs::write(&path, [RECORD, RECORD].concat()).unwrap();
        let mut block = Vec::new();
        extract(&path, RECORD.len() as u64, &mut block).unwrap();
        assert_eq!(block, b"HTTP/1.1 404 No\r\n\r\n");
        for wrong in [1, RECORD.len() as u64 - 1, 2 * RECORD.len() as u64, u64::MAX / 4] {
            assert!(extract(&path, wrong, &mut Vec::new()).is_err(), "{wrong}");
        }
    }
}
