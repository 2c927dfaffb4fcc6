//! What archiving one page costs: digests, record framing and compression, for a page of 15 KB of forum HTML.
//!
//! Cases: by compression level, and a body that came content-encoded; reading records back. Times are processor time of
//! the thread where the system tells it (Linux), so that they mean something on a busy machine too.

use std::hint::black_box;
use std::sync::Arc;

use bytes::Bytes;
use criterion::measurement::{Measurement, ValueFormatter, WallTime};
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use harvestman::archive::reader::{Limits, WarcReader};
use harvestman::archive::{PageFacts, RecordEncoder, RevisitIndex, RunId};
use harvestman::clock::Instant;
use harvestman::config::ByteSize;
use harvestman::config::archive::ArchiveOptions;
use harvestman::model::{Answer, Apath, Exchange, LinkClass, RequestSignature, ScheduledUrl, Timings};
use harvestman::seed::Seed;
use harvestman::url::CanonicalUrl;
use http::{HeaderMap, HeaderValue, Version};
use rand::Rng;

const PAGE_BYTES: usize = 15_000;

/// Nanoseconds that the thread has run; wall time where the system does not tell.
struct CpuTime;

impl CpuTime {
    fn of_thread() -> Option<f64> {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        text.split_ascii_whitespace().next()?.parse().ok()
    }
}

impl Measurement for CpuTime {
    type Intermediate = (<WallTime as Measurement>::Intermediate, Option<f64>);
    type Value = f64;

    fn start(&self) -> Self::Intermediate {
        (WallTime.start(), Self::of_thread())
    }

    fn end(&self, (wall, cpu): Self::Intermediate) -> f64 {
        match (cpu, Self::of_thread()) {
            (Some(start), Some(end)) => (end - start).max(1.0),
            _ => WallTime.end(wall).as_nanos() as f64,
        }
    }

    fn add(&self, a: &f64, b: &f64) -> f64 {
        a + b
    }

    fn zero(&self) -> f64 {
        0.0
    }

    fn to_f64(&self, value: &f64) -> f64 {
        *value
    }

    fn formatter(&self) -> &dyn ValueFormatter {
        WallTime.formatter()
    }
}

/// Forum-like HTML: repeated markup around words of a Zipf-like vocabulary.
fn html() -> Vec<u8> {
    let mut rng = Seed(5).rng();
    let mut page = String::from("<!DOCTYPE html><html><head><title>Topic</title></head><body>");
    while page.len() < PAGE_BYTES {
        let id: u32 = rng.random_range(1..100_000);
        page.push_str(&format!("<div class=\"post card mb-3\" id=\"p{id}\"><a href=\"/topic/{id}/\">"));
        for _ in 0..rng.random_range(20..60) {
            let rank: f64 = rng.random::<f64>();
            let word = (1.0 / (rank + 0.0005)) as u32;
            page.push_str(&format!("w{word:x}rd{} ", word % 7));
        }
        page.push_str("</a></div>\n");
    }
    page.truncate(PAGE_BYTES);
    page.into_bytes()
}

fn exchange(body: Bytes, encoding: Option<&'static str>) -> (Exchange, ScheduledUrl) {
    let mut headers = HeaderMap::new();
    headers.insert("content-type", HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert("server", HeaderValue::from_static("nginx/1.24"));
    if let Some(encoding) = encoding {
        headers.insert("content-encoding", HeaderValue::from_static(encoding));
    }
    let url = CanonicalUrl::from_canonical("http://forum.test/topic/12345?page=2");
    let at = Instant::from_micros(1_800_000_000_000_000);
    let answer = Answer {
        status: 200,
        version: Version::HTTP_11,
        headers,
        body,
        truncated: None,
        remote: None,
        reservation: None,
    };
    let timings = Timings { started: at, first_byte: Some(at), ended: at };
    let exchange = Exchange {
        url: url.clone(),
        request_headers: HeaderMap::new(),
        signature: RequestSignature::default(),
        result: Ok(answer),
        timings,
    };
    let class = LinkClass::unclassified(Apath::SEED);
    (
        exchange,
        ScheduledUrl {
            depth: 3,
            attempts: 1,
            via: Some("http://forum.test/".into()),
            ..ScheduledUrl::found(url, class)
        },
    )
}

fn encoder(options: &ArchiveOptions) -> RecordEncoder {
    let run = RunId::new(Seed(1), Instant::EPOCH);
    RecordEncoder::new(options, run.ids(0), Arc::new(RevisitIndex::new(ByteSize::mib(1))))
}

fn encode(c: &mut Criterion<CpuTime>) {
    let mut group = c.benchmark_group("archive/encode");
    group.throughput(Throughput::Elements(1));
    let body = html();
    let gzip = {
        let mut compressor = libdeflater::Compressor::new(libdeflater::CompressionLvl::default());
        let mut out = vec![0; compressor.gzip_compress_bound(body.len())];
        let length = compressor.gzip_compress(&body, &mut out).expect("bound");
        out.truncate(length);
        out
    };
    let plain = exchange(Bytes::from(body), None);
    let encoded = exchange(Bytes::from(gzip), Some("gzip"));
    let one_record = ArchiveOptions { request_records: false, metadata_records: false, ..ArchiveOptions::default() };
    let cases = [
        ("level_0", ArchiveOptions { level: 0, ..Default::default() }, &plain),
        ("level_1", ArchiveOptions::default(), &plain),
        ("level_6", ArchiveOptions { level: 6, ..Default::default() }, &plain),
        ("level_1/response_only", one_record, &plain),
        ("uncompressed", ArchiveOptions { compress: false, ..Default::default() }, &plain),
        ("came_gzip_encoded", ArchiveOptions::default(), &encoded),
    ];
    for (name, options, (exchange, item)) in cases {
        let mut encoder = encoder(&options);
        let facts = PageFacts { title: Some("Topic"), links: Some(90), ..PageFacts::default() };
        let size = encoder.encode(exchange, item, &facts).map_or(0, |page| page.bytes.len());
        group.bench_function(format!("{name}/{size}_bytes"), |b| {
            b.iter(|| encoder.encode(black_box(exchange), item, &facts));
        });
    }
    group.finish();
}

fn read(c: &mut Criterion<CpuTime>) {
    let mut group = c.benchmark_group("archive/read");
    let (exchange, item) = exchange(Bytes::from(html()), None);
    for (name, compress) in [("gzip", true), ("plain", false)] {
        let mut encoder = encoder(&ArchiveOptions { compress, ..Default::default() });
        let page = encoder.encode(&exchange, &item, &PageFacts::default()).expect("an answer");
        let file = page.bytes.repeat(200);
        group.throughput(Throughput::Elements(200));
        group.bench_function(format!("{name}/pages"), |b| {
            b.iter_batched(Vec::new, |block| read_all(&file, block), BatchSize::SmallInput);
        });
    }
    group.finish();
}

fn read_all(file: &[u8], mut block: Vec<u8>) -> usize {
    let mut reader = WarcReader::new(file, Limits::default());
    let mut bytes = 0;
    while let Some(mut record) = reader.next_record().expect("a valid file") {
        record.read_block(&mut block, u64::MAX).expect("a whole record");
        bytes += block.len();
    }
    bytes
}

criterion_group! {
    name = benches;
    config = Criterion::default().with_measurement(CpuTime);
    targets = encode, read
}
criterion_main!(benches);
