//! Settings of earlier versions whose values are constants now.
//!
//! A configuration file or a crawl directory may still name one. With the value that is now fixed it is accepted. With
//! any other value it is an error where the user wrote it, so that nothing is ignored silently; a crawl directory,
//! which an earlier version wrote, can still be read and resumed, and the caller warns ([`overridden`]).

use std::fmt;

use toml::{Table, Value};

use super::{ByteSize, Period};

/// A value that was a setting.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Fixed {
    Number(f64),
    Switch(bool),
    Size(ByteSize),
    Time(Period),
    Text(&'static str),
    List(&'static [&'static str]),
}

use Fixed::{List, Number, Size, Switch, Text, Time};

/// All of them: section, key, the value that is fixed.
#[rustfmt::skip]
pub(super) const RETIRED: &[(&str, &str, Fixed)] = &[
    ("url", "link_bytes_max", Size(ByteSize::kib(64))),
    ("scope", "pattern_memory_max", Size(ByteSize::mib(10))),
    ("scope", "url_length_max", Number(2_048.0)),
    ("scope", "path_segments_max", Number(32.0)),
    ("scope", "trap_segment_repeats", Number(4.0)),
    ("scope", "trap_sequence_repeats", Number(3.0)),
    ("scope", "trap_self_nesting", Number(2.0)),
    ("scope", "escape_levels_max", Number(3.0)),
    ("scope", "query_parameters_max", Number(64.0)),
    ("scope", "trap_parameter_repeats", Number(8.0)),
    ("robots", "unavailable_allow_after", Time(Period::secs(30 * 86_400))),
    ("robots", "max_bytes", Size(ByteSize::kib(500))),
    ("robots", "max_redirects", Number(5.0)),
    ("robots", "sitemap_max_ratio", Number(400.0)),
    ("robots", "sitemap_max_urls", Number(50_000.0)),
    ("robots", "sitemap_max_url_bytes", Size(ByteSize::kib(8))),
    ("robots", "sitemap_max_nesting", Number(64.0)),
    ("robots", "sitemap_max_depth", Number(3.0)),
    ("signals", "tdmrep_max_bytes", Size(ByteSize::kib(500))),
    ("signals", "tdmrep_max_rules", Number(10_000.0)),
    ("fetch", "cookies_per_domain", Number(50.0)),
    ("fetch", "cookies_max", Number(20_000.0)),
    ("fetch", "cookie_bytes_max", Size(ByteSize::kib(4))),
    ("fetch", "drain_max", Size(ByteSize::kib(64))),
    ("fetch", "head_max", Size(ByteSize::kib(64))),
    ("fetch", "headers_max", Number(256.0)),
    ("fetch", "decoded_ratio_max", Number(500.0)),
    ("fetch", "codings_max", Number(3.0)),
    ("fetch", "resolve_timeout", Time(Period::secs(10))),
    ("fetch", "tls_timeout", Time(Period::secs(10))),
    ("fetch", "low_speed_window", Time(Period::secs(15))),
    ("fetch", "addresses_max", Number(4.0)),
    ("fetch", "idle_timeout", Time(Period::secs(30))),
    ("fetch", "idle_per_host", Number(2.0)),
    ("fetch", "resend_unanswered", Switch(true)),
    ("fetch", "dns_cache", Number(8_192.0)),
    ("parse", "scripting", Switch(false)),
    ("parse", "links_max", Number(20_000.0)),
    ("parse", "leaf_paths_max", Number(10_000.0)),
    ("parse", "depth_max", Number(512.0)),
    ("parse", "title_max", Number(300.0)),
    ("parse", "attribute_max", Size(ByteSize::kib(8))),
    ("parse", "charset_sniff_max", Size(ByteSize::kib(16))),
    ("identity", "accept_max", Size(ByteSize::kib(8))),
    ("identity", "hosts_max", Number(10_000.0)),
    ("login", "max", Number(100.0)),
    ("policy", "by", Text("url")),
    ("render", "assets", Size(ByteSize::mib(64))),
    ("frontier", "classes_max", Number(16_384.0)),
    ("frontier", "explore_every", Number(20.0)),
    ("policy", "publish_pages", Number(20.0)),
    ("policy", "publish_interval", Time(Period::millis(250))),
    ("search", "results", Number(10.0)),
    ("policy", "variant", Text("default")),
    ("search", "queries_max", Number(40.0)),
    ("search", "tokens", Number(12.0)),
    ("search", "length", Number(3.0)),
    ("search", "site_requests", Number(300.0)),
    ("search", "site_share", Number(0.1)),
    ("recrawl", "ahead", Number(4.0)),
    ("filter", "redirects_max", Number(10.0)),
    ("archive", "level_encoded", Number(0.0)),
    ("archive", "flush_every", Time(Period::secs(1))),
    ("archive", "flush_size", Size(ByteSize::kib(256))),
    ("archive", "reserve", Size(ByteSize::mib(1))),
    ("archive", "queue_max", Number(256.0)),
    ("archive", "queue_bytes_max", Size(ByteSize::mib(32))),
    ("archive", "sync_every", Time(Period::secs(10))),
    ("archive", "revisit_body_min", Size(ByteSize::kib(1))),
    ("host", "sleep_after", Time(Period::secs(30))),
    ("host", "retry_share", Number(0.2)),
    ("host", "breaker_openings_max", Number(3.0)),
    ("host", "block_pauses_max", Number(8.0)),
    ("state", "commit_pages", Number(256.0)),
    ("login", "unsure_max", Number(8.0)),
    ("budget", "early_stop_requests", Number(200.0)),
    ("url", "strip_session_parameters", List(&["sid", "s", "session", "sessionid", "session_id", "zenid", "oscsid"])),
    ("url", "strip_path_parameters", List(&["jsessionid", "phpsessid"])),
    ("fetch", "accept", Text("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8")),
    ("fetch", "accept_encoding", Text("gzip, br, zstd, deflate")),
    ("fleet", "balance", Time(Period::secs(10))),
    ("search", "sites_max", Number(20.0)),
    ("archive", "hostname", Switch(false)),
    ("archive", "links_compress", Text("gzip")),
    ("fetch", "low_speed_min", Size(ByteSize(0))),
    ("fetch", "idle_max", Number(1_024.0)),
    ("render", "page_bytes", Size(ByteSize::mib(20))),
    ("fleet", "renew", Time(Period::secs(1))),
    ("fleet", "commit_every", Time(Period::secs(1))),
];

/// A retired setting.
#[derive(Debug, Clone, Copy)]
pub(super) struct Retired {
    section: &'static str,
    key: &'static str,
    value: Fixed,
}

impl Retired {
    /// Returns whether a value, as written, is the one that is fixed.
    pub(super) fn is_value(&self, value: &Value) -> bool {
        match self.value {
            Number(number) => value.as_float().or_else(|| value.as_integer().map(|value| value as f64)) == Some(number),
            Switch(switch) => value.as_bool() == Some(switch),
            Size(size) => value.clone().try_into() == Ok(size),
            Time(period) => value.clone().try_into() == Ok(period),
            Text(text) => value.as_str() == Some(text),
            List(list) => {
                let values = value.as_array().map(|values| values.iter().map(Value::as_str));
                values.is_some_and(|values| values.eq(list.iter().copied().map(Some)))
            }
        }
    }
}

impl fmt::Display for Retired {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}.{}` is no longer a setting: its value is fixed at ", self.section, self.key)?;
        match self.value {
            Number(number) => write!(f, "{number}"),
            Switch(switch) => write!(f, "{switch}"),
            Size(size) => write!(f, "{size}"),
            Time(period) => write!(f, "{period}"),
            Text(text) => write!(f, "\"{text}\""),
            List(list) => write!(f, "{list:?}"),
        }
    }
}

/// Returns the retired setting of this name.
pub(super) fn find(section: &str, key: &str) -> Option<Retired> {
    let is_named = |(its_section, its_key, _): &&(&str, &str, Fixed)| (*its_section, *its_key) == (section, key);
    RETIRED.iter().find(is_named).map(|(section, key, value)| Retired { section, key, value: *value })
}

/// Removes retired settings from the settings in `table`, whatever their values.
pub(super) fn remove(table: &mut Table) {
    for (section, settings) in table {
        let Some(settings) = settings.as_table_mut() else { continue };
        settings.retain(|key, _| find(section, key).is_none());
    }
}

/// Returns a sentence for each retired setting that the text of a configuration gives another value than the one that
/// is fixed.
pub fn overridden(text: &str) -> Vec<String> {
    let written: Table = text.parse().unwrap_or_default();
    let of_section = |(section, settings): (&String, &Value)| -> Vec<String> {
        let settings = settings.as_table().into_iter().flatten();
        let other = |(key, value): (&String, &Value)| {
            let retired = find(section, key).filter(|retired| !retired.is_value(value))?;
            Some(format!("{retired}, not {value}"))
        };
        settings.filter_map(other).collect()
    };
    written.iter().flat_map(of_section).collect()
}

#[cfg(test)]
#[path = "retired_tests.rs"]
mod tests;
