//! Files: robots.txt, sitemaps, tdmrep.json, WARC, cookies, site models, records of the state.

use harvestman::archive::reader::{Limits, WarcReader};
use harvestman::fetch::fuzzing;
use harvestman::host::robots::RobotsRules;
use harvestman::host::sitemap::{self, SitemapLimits};
use harvestman::policy::learned::SiteModel;
use harvestman::store;
use harvestman_consent::{TdmrepFile, TdmrepLimits, UrlPath};

const SITEMAP: SitemapLimits = SitemapLimits { bytes: 1 << 16, ratio: 50, urls: 100, url_bytes: 200, nesting: 20 };
const TDMREP: TdmrepLimits = TdmrepLimits { bytes_max: 1 << 16, rules_max: 50 };

/// Any robots.txt and any path: robots.txt itself stays allowed. The first line is the path, the rest the file.
pub fn robots(input: &[u8]) {
    let (path, file) = input.split_at(input.iter().position(|&byte| byte == b'\n').unwrap_or(0));
    let rules = RobotsRules::parse(file, "harvestman");
    let decision = rules.decide(&String::from_utf8_lossy(path));
    assert!(decision.allowed || decision.rule.is_some());
    assert!(rules.decide("/robots.txt").allowed);
    let _ = (rules.crawl_delay(), rules.sitemaps());
}

/// Any document: no more URLs than the limits allow.
pub fn sitemap(input: &[u8]) {
    if let Ok(contents) = sitemap::parse(input, "https://h.example/sitemap.xml", Some("text/xml"), SITEMAP) {
        assert!(contents.urls.len() + contents.sitemaps.len() <= SITEMAP.urls);
    }
}

/// Any file: no more rules than the limit allows, and the same answer each time. The first line is the path, the rest
/// the file.
pub fn tdmrep(input: &[u8]) {
    let (path, file) = input.split_at(input.iter().position(|&byte| byte == b'\n').unwrap_or(0));
    let rules = TdmrepFile::parse(file, TDMREP);
    assert!(rules.len() <= TDMREP.rules_max);
    let path = UrlPath::new(&String::from_utf8_lossy(path));
    assert_eq!(rules.of(&path), TdmrepFile::parse(file, TDMREP).of(&path));
}

/// Any bytes as a WARC file: the reader ends, with records or an error.
pub fn warc_read(bytes: &[u8]) {
    let mut reader = WarcReader::new(bytes, Limits::default());
    let mut records = 0;
    while let Ok(Some(mut record)) = reader.next_record() {
        let _ = record.target_uri();
        let _ = record.read_block(&mut Vec::new(), 1 << 20);
        records += 1;
        assert!(records <= bytes.len(), "every record takes at least a byte");
    }
}

/// Any cookie file: a line is a cookie, an error or neither, and no error repeats what may be a secret.
pub fn cookie_file(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (cookies, errors) = fuzzing::cookie_file(&text);
    assert!(cookies + errors.len() <= text.split(['\n', '\r']).count());
    assert!(errors.iter().all(|error| error.len() < 200), "an error repeats the line");
}

/// Any bytes as a site model: what is accepted can be written and read again.
pub fn site_model(bytes: &[u8]) {
    if let Ok(model) = SiteModel::from_bytes(bytes) {
        let written = model.to_bytes().expect("what was read can be written");
        assert!(SiteModel::from_bytes(&written).is_ok());
    }
}

/// Any bytes as a record of the state: reading ends.
pub fn state_record(bytes: &[u8]) {
    let _: Option<u64> = store::decode(bytes);
    let _: Option<Vec<String>> = store::decode(bytes);
    let _: Option<harvestman::model::Fate> = store::decode(bytes);
}
