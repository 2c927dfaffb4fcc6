//! Answers that are no answers: bodies without end, heads without end, bombs, lies about lengths, broken connections.

use std::io::Write;
use std::thread::sleep;
use std::time::Duration;

use super::crawl::Crawl;
use super::site::{Peer, Site, Then};

const HTML: &str = "Content-Type: text/html\r\n";

/// Crawls a site whose start page links to these hostile pages, and holds each to its fate.
fn crawl(expected: &[(&str, &str)], hostile: impl Fn(&str, &mut Peer) -> Then + Send + Sync + 'static) {
    let links: Vec<&str> = expected.iter().map(|(path, _)| *path).collect();
    let site = Site::with_links(&links, hostile);
    // Failure after failure is what this site is made of: it is not to be given up.
    let outcome = Crawl::of(&site).set("host.breaker_failures=100000").finish();
    outcome.assert_fates(&site, expected);
    outcome.assert_healthy(&site);
}

#[test]
fn bodies_without_end_or_in_drops_are_cut_off_where_the_limits_say() {
    let expected = [
        ("/endless", "fetched (length)"),
        ("/endless-chunks", "fetched (length)"),
        ("/tiny-chunks", "fetched (length)"),
        ("/dripping", "fetched (time)"),
        ("/huge-length", "fetched (length)"),
        ("/stops", "fetched (time)"),
    ];
    crawl(&expected, |target, peer| {
        let head = format!("HTTP/1.1 200 OK\r\n{HTML}");
        let chunked = format!("{head}Transfer-Encoding: chunked\r\n\r\n");
        match target {
            "/endless" => {
                peer.send(format!("{head}\r\n"));
                peer.flood([b'x'; 65_536])
            }
            "/endless-chunks" => {
                peer.send(chunked);
                peer.flood(format!("1000\r\n{}\r\n", "x".repeat(4_096)))
            }
            "/tiny-chunks" => {
                peer.send(chunked);
                peer.flood("20\r\nthirty-two bytes in every chunk.\r\n".repeat(1_000))
            }
            "/dripping" => {
                peer.send(format!("{head}\r\n<p>"));
                peer.drip("x", Duration::from_millis(50))
            }
            "/huge-length" => {
                peer.send(format!("{head}Content-Length: 9000000000000000000\r\n\r\n"));
                peer.flood([b'x'; 65_536])
            }
            _ => {
                peer.send(format!("{head}Content-Length: 100\r\n\r\n<p>"));
                peer.stall()
            }
        }
    });
}

#[test]
fn heads_that_are_slow_huge_or_no_http_fail_and_nothing_else_does() {
    let expected = [
        ("/silent", "failed: first_byte_timeout"),
        ("/slow", "failed: first_byte_timeout"),
        ("/flood", "failed: head_too_large"),
        ("/one-long-line", "failed: head_too_large"),
        ("/many-headers", "failed: head_too_large"),
        ("/endless-status", "failed: head_too_large"),
        ("/http09", "failed: protocol"),
        ("/garbage", "failed: protocol"),
        ("/tls", "failed: protocol"),
        ("/negative-length", "failed: protocol"),
        ("/two-lengths", "failed: protocol"),
        ("/chunk-too-large", "fetched (disconnect)"),
        ("/no-chunk", "fetched (disconnect)"),
    ];
    crawl(&expected, |target, peer| {
        let ok = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n";
        match target {
            "/silent" => peer.stall(),
            "/slow" => peer.drip("H", Duration::from_millis(100)),
            "/flood" => {
                peer.send(ok);
                peer.flood(format!("X-Flood: {}\r\n", "x".repeat(1_000)))
            }
            "/one-long-line" => {
                peer.send(format!("{ok}X-Long: "));
                peer.flood([b'x'; 65_536])
            }
            "/many-headers" => peer.raw(format!("{ok}{}\r\n", "X: y\r\n".repeat(5_000))),
            "/endless-status" => {
                peer.send("HTTP/1.1 200 ");
                peer.flood([b'O'; 65_536])
            }
            "/http09" => peer.raw("<html>an answer without a head</html>"),
            "/garbage" => peer.raw([0xff, 0x00, 0x16, 0x80].repeat(500)),
            "/tls" => peer.raw([0x15, 0x03, 0x01, 0x00, 0x02, 0x02, 0x46]),
            "/negative-length" => peer.raw(format!("{ok}Content-Length: -5\r\n\r\nhello")),
            "/two-lengths" => peer.raw(format!("{ok}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!")),
            "/chunk-too-large" => {
                peer.raw(format!("{ok}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nfffffffffffffffff\r\nx"))
            }
            _ => peer.raw(format!("{ok}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nzz\r\nx")),
        }
    });
}

#[test]
fn connections_that_break_at_any_stage_cost_their_page_only() {
    let expected = [
        ("/closed", "failed: disconnected"),
        ("/reset", "failed: disconnected"),
        ("/closed-in-head", "failed: disconnected"),
        ("/reset-in-head", "failed: disconnected"),
        ("/closed-in-body", "fetched (disconnect)"),
        ("/closed-in-chunk", "fetched (disconnect)"),
        ("/too-much", "fetched"),
        ("/keeps-and-closes", "fetched"),
        ("/keeps-and-resets", "fetched"),
        ("/second-answer-unasked", "fetched"),
    ];
    crawl(&expected, |target, peer| {
        let head = format!("HTTP/1.1 200 OK\r\n{HTML}");
        match target {
            "/closed" => Then::Close,
            "/reset" => Then::Reset,
            "/closed-in-head" => peer.raw("HTTP/1.1 200 OK\r\nContent-Ty"),
            "/reset-in-head" => {
                peer.send("HTTP/1.1 200 OK\r\nContent-Ty");
                sleep(Duration::from_millis(20));
                Then::Reset
            }
            "/closed-in-body" => peer.raw(format!("{head}Content-Length: 1000\r\n\r\nten bytes!")),
            "/closed-in-chunk" => peer.raw(format!("{head}Transfer-Encoding: chunked\r\n\r\n100\r\nten bytes!")),
            // More than was announced: the rest must not be taken for the next page's answer.
            "/too-much" => {
                peer.send(format!("{head}Content-Length: 5\r\n\r\nhello, and what is more <a href=/not-here>"));
                Then::Keep
            }
            // It says that it keeps the connection, and does not.
            "/keeps-and-closes" => peer.raw(format!("{head}Connection: keep-alive\r\nContent-Length: 5\r\n\r\nhello")),
            "/keeps-and-resets" => {
                peer.send(format!("{head}Connection: keep-alive\r\nContent-Length: 5\r\n\r\nhello"));
                sleep(Duration::from_millis(20));
                Then::Reset
            }
            _ => {
                let other = format!("{head}Content-Length: 24\r\n\r\n<a href=/not-here>no</a>");
                peer.send(format!("{head}Content-Length: 5\r\n\r\nhello{other}{other}"));
                Then::Keep
            }
        }
    });
}

#[test]
fn statuses_out_of_the_ordinary_have_a_fate_each() {
    let expected = [
        ("/status/0", "failed: protocol"),
        ("/status/99", "failed: protocol"),
        ("/status/204", "fetched"),
        ("/status/205", "fetched"),
        ("/status/206", "fetched"),
        ("/status/299", "fetched"),
        ("/status/300", "failed: bad_redirect"),
        ("/status/304", "failed: http_304"),
        ("/status/399", "failed: bad_redirect"),
        ("/status/418", "failed: http_4xx"),
        ("/status/451", "failed: http_4xx"),
        ("/status/599", "failed: http_5xx"),
        ("/status/600", "failed: http_other"),
        ("/status/999", "failed: http_other"),
        ("/status/1000", "failed: protocol"),
        ("/continues", "fetched"),
        ("/continues-for-ever", "failed: head_too_large"),
        ("/switches", "failed: http_other"),
    ];
    crawl(&expected, |target, peer| match target.rsplit_once('/') {
        Some(("/status", status @ ("204" | "304"))) => {
            peer.send(format!("HTTP/1.1 {status} X\r\n{HTML}\r\n"));
            Then::Keep
        }
        Some(("/status", status)) => peer.answer(&format!("{status} X"), HTML, b"<p>hello"),
        _ if target == "/continues" => {
            peer.send("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n");
            peer.page("<p>at last")
        }
        _ if target == "/switches" => {
            peer.raw("HTTP/1.1 101 Switching Protocols\r\nUpgrade: chaos\r\nConnection: upgrade\r\n\r\nchaos")
        }
        _ => peer.flood("HTTP/1.1 100 Continue\r\n\r\n".repeat(100)),
    });
}

/// `mib` MiB of blanks under a content coding.
fn bomb(coding: &str, mib: usize) -> Vec<u8> {
    let piece = vec![b' '; 1 << 20];
    match coding {
        "gzip" => {
            let mut coder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
            (0..mib).for_each(|_| coder.write_all(&piece).unwrap());
            coder.finish().unwrap()
        }
        "deflate" => {
            let mut coder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
            (0..mib).for_each(|_| coder.write_all(&piece).unwrap());
            coder.finish().unwrap()
        }
        _ => {
            let mut coder = zstd::stream::write::Encoder::new(Vec::new(), 19).unwrap();
            (0..mib).for_each(|_| coder.write_all(&piece).unwrap());
            coder.finish().unwrap()
        }
    }
}

#[test]
fn decompression_bombs_are_pages_like_any_other_and_take_no_memory() {
    let gzip = bomb("gzip", 200);
    let twice = {
        let mut coder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        coder.write_all(&gzip).unwrap();
        coder.finish().unwrap()
    };
    let (deflate, zstd) = (bomb("deflate", 200), bomb("zstd", 1_000));
    // 16 MiB of zeros in 27 bytes.
    let brotli = [
        0xcb, 0xff, 0xff, 0x3f, 0xf8, 0x27, 0x00, 0xe2, 0xb1, 0x40, 0x20, 0xf7, 0xfe, 0x8f, 0xff, 0xff, 0x7f, 0xf0,
        0x4f, 0x00, 0xc4, 0x61, 0x11, 0x80, 0xee, 0xfd, 0xdf,
    ];
    let expected = ["/gzip", "/deflate", "/zstd", "/br", "/gzip-gzip", "/stack", "/false", "/cut", "/unknown"];
    let expected = expected.map(|path| (path, if path == "/stack" { "failed: content_coding" } else { "fetched" }));
    crawl(&expected, move |target, peer| {
        let coded = |coding: &str| format!("{HTML}Content-Encoding: {coding}\r\n");
        match target {
            "/gzip" => peer.answer("200 OK", &coded("gzip"), &gzip),
            "/deflate" => peer.answer("200 OK", &coded("deflate"), &deflate),
            "/zstd" => peer.answer("200 OK", &coded("zstd"), &zstd),
            "/br" => peer.answer("200 OK", &coded("br"), &brotli),
            "/gzip-gzip" => peer.answer("200 OK", &coded("gzip, gzip"), &twice),
            "/stack" => peer.answer("200 OK", &coded(&["gzip"; 500].join(", ")), &gzip),
            "/false" => peer.answer("200 OK", &coded("gzip"), b"<p>this is not gzip"),
            "/cut" => peer.answer("200 OK", &coded("gzip"), &gzip[..gzip.len() / 2]),
            _ => peer.answer("200 OK", &coded("compress, x-chaos"), &gzip),
        }
    });
}

#[test]
fn charsets_and_types_that_lie_cost_no_page() {
    let text = "Grüße, <a href=\"/ok/1\">здравствуйте</a>";
    let utf16: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let noise: Vec<u8> = (0..500_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let paths = [
        "/utf-16",
        "/utf-8",
        "/utf-7",
        "/unknown",
        "/none",
        "/noise",
        "/noise-xml",
        "/half",
        "/nul",
        "/replacement",
        "/long-type",
    ];
    crawl(&paths.map(|path| (path, "fetched")), move |target, peer| {
        let typed = |kind: &str| format!("Content-Type: {kind}\r\n");
        let text = text.as_bytes();
        match target {
            "/utf-16" => peer.answer("200 OK", &typed("text/html; charset=utf-16le"), text),
            "/utf-8" => peer.answer("200 OK", &typed("text/html; charset=utf-8"), &utf16),
            "/utf-7" => peer.answer("200 OK", &typed("text/html; charset=utf-7"), text),
            "/unknown" => peer.answer("200 OK", &typed("text/html; charset=\"; charset=klingon"), text),
            "/none" => peer.answer("200 OK", "", &noise),
            "/noise" => peer.answer("200 OK", &typed("text/html"), &noise),
            "/noise-xml" => peer.answer("200 OK", &typed("application/xml"), &noise),
            "/half" => {
                peer.answer("200 OK", &typed("text/html; charset=shift_jis"), &[b"<a href=\"", &noise[..9]].concat())
            }
            "/nul" => peer.answer("200 OK", &typed("text/html"), &[0; 100_000]),
            "/replacement" => peer.answer("200 OK", &typed("text/html; charset=iso-2022-cn"), text),
            _ => peer.answer("200 OK", &typed(&format!("text/html; charset={}", "x".repeat(30_000))), text),
        }
    });
}

#[test]
fn pages_made_to_wear_out_a_parser_are_parsed_in_bounded_time() {
    let paths =
        ["/deep", "/deep-formatting", "/attributes", "/unclosed", "/tables", "/comments", "/entities", "/long-link"];
    crawl(&paths.map(|path| (path, "fetched")), |target, peer| match target {
        "/deep" => peer.page(&"<div>".repeat(200_000)),
        "/deep-formatting" => peer.page(&"<b><i><a href=/ok/1><p>".repeat(20_000)),
        "/attributes" => peer.page(&format!("<a {}>", "a=b ".repeat(200_000))),
        "/unclosed" => peer.page(&"<a href=\"".repeat(100_000)),
        "/tables" => peer.page(&"<table><td>".repeat(80_000)),
        "/comments" => peer.page(&"<!--".repeat(200_000)),
        "/entities" => peer.page(&"&NotEqualTilde;&#x10ffff;&#0;&".repeat(30_000)),
        _ => peer.page(&format!("<a href=\"/{}\">x</a><a href=/ok/2>y</a>", "x".repeat(900_000))),
    });
}

#[test]
fn a_page_of_50_mb_in_one_line_is_parsed_whole_and_a_link_of_5_mb_is_refused() {
    let site = Site::with_links(&["/line", "/link"], |target, peer| {
        if target == "/link" {
            return peer.page(&format!("<a href=\"/{}\">x</a><a href=/after>y</a>", "x".repeat(5_000_000)));
        }
        if target.starts_with("/after") {
            return peer.page("<p>found");
        }
        let line = "<p class=x>some words in a row, and more of them to be read</p>".repeat(800_000);
        peer.page(&format!("{line}<a href=/after-50-mb>y</a>"))
    });
    let crawl = Crawl::of(&site).set("fetch.body_max=64MiB").set("fetch.decoded_max=64MiB");
    let crawl = crawl.set("fetch.whole_timeout=30s").memory_max_mib(600);
    let outcome = crawl.finish();
    outcome.assert_fates(&site, &[("/line", "fetched"), ("/after-50-mb", "fetched"), ("/after", "fetched")]);
    outcome.assert_healthy(&site);
}

#[test]
fn a_flood_of_cookies_into_the_jar_is_bounded_and_the_next_request_is_a_normal_one() {
    let cookies: String = (0..200).map(|n| format!("Set-Cookie: c{n}={}; Path=/\r\n", "x".repeat(200))).collect();
    let site = Site::with_links(&["/cookies/1", "/cookies/2", "/cookies/3"], move |_, peer| {
        peer.answer("200 OK", &format!("{HTML}{cookies}"), b"<a href=/cookies/4>x</a>")
    });
    let outcome = Crawl::of(&site).set("fetch.cookie_jar=true").finish();
    outcome.assert_healthy(&site);
    outcome.assert_fates(&site, &[("/cookies/1", "fetched"), ("/cookies/4", "fetched")]);
    assert!(site.requests().iter().any(|head| head.to_lowercase().contains("cookie: c")), "the jar was on");
    assert!(site.requests().iter().all(|head| head.len() < 12_288), "at most fifty cookies of 200 bytes each are sent");
}
