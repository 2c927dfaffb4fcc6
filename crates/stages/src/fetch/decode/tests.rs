use std::io::Write;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use proptest::prelude::*;

use super::coding::{Cut, RATIO_FREE_BYTES};
use super::*;

const LIMITS: DecodeLimits = DecodeLimits { bytes_max: 8 << 20, ratio_max: 100, codings_max: 3 };

fn gzip(data: &[u8]) -> Bytes {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap().into()
}

fn zlib(data: &[u8]) -> Bytes {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap().into()
}

fn raw_deflate(data: &[u8]) -> Bytes {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap().into()
}

fn zstd(data: &[u8]) -> Bytes {
    ::zstd::encode_all(data, 3).unwrap().into()
}

/// Writes stored blocks only, which is enough to test a decoder.
fn brotli(data: &[u8]) -> Bytes {
    brotli_stored::encode(data).into()
}

mod brotli_stored {
    /// A brotli stream of uncompressed meta-blocks (RFC 7932, section 9.2).
    pub(super) fn encode(data: &[u8]) -> Vec<u8> {
        let mut out = Bits::default();
        out.put(0, 1); // WBITS 16
        for chunk in data.chunks(1 << 16) {
            out.put(0, 1); // ISLAST
            out.put(0, 2); // MNIBBLES 4
            out.put(chunk.len() as u64 - 1, 16);
            out.put(1, 1); // ISUNCOMPRESSED
            out.align();
            out.bytes.extend_from_slice(chunk);
        }
        out.put(3, 2); // ISLAST, ISLASTEMPTY
        out.align();
        out.bytes
    }

    #[derive(Default)]
    struct Bits {
        bytes: Vec<u8>,
        pending: u64,
        count: u32,
    }

    impl Bits {
        fn put(&mut self, value: u64, bits: u32) {
            self.pending |= value << self.count;
            self.count += bits;
            while self.count >= 8 {
                self.bytes.push(self.pending as u8);
                self.pending >>= 8;
                self.count -= 8;
            }
        }

        fn align(&mut self) {
            if self.count > 0 {
                self.bytes.push(self.pending as u8);
                (self.pending, self.count) = (0, 0);
            }
        }
    }
}

type Encode = fn(&[u8]) -> Bytes;
const CODINGS: &[(&str, Encode)] = &[
    ("gzip", gzip),
    ("x-gzip", gzip),
    ("GZIP", gzip),
    ("deflate", zlib),
    ("deflate", raw_deflate),
    ("br", brotli),
    ("zstd", zstd),
];

#[test]
fn every_coding_is_removed() {
    let text = "All work and no play. ".repeat(3_000);
    for (name, encode) in CODINGS {
        let decoded = decode(&encode(text.as_bytes()), Some(name), &LIMITS);
        assert_eq!((decoded.cut, decoded.error), (None, None), "{name}");
        assert_eq!(decoded.bytes, text.as_bytes(), "{name}");
    }
}

#[test]
fn no_coding_means_no_copy() {
    let body = Bytes::from(vec![7; 1_000]);
    for encoding in [None, Some(""), Some("identity"), Some(" Identity , ")] {
        assert_eq!(decode(&body, encoding, &LIMITS).bytes.as_ptr(), body.as_ptr());
    }
}

#[test]
fn codings_stack_up_to_the_limit() {
    let text = b"stacked".repeat(100);
    let thrice = zstd(&brotli(&gzip(&text)));
    assert_eq!(decode(&thrice, Some("gzip, br, zstd"), &LIMITS).bytes, text);
    let four_times = gzip(&thrice);
    let refused = decode(&four_times, Some("gzip, br, zstd, gzip"), &LIMITS);
    assert_eq!(refused.error, Some(DecodeError::TooMany));
    assert!(refused.bytes.is_empty());
}

#[test]
fn several_content_encoding_lines_are_one_list() {
    let mut headers = http::HeaderMap::new();
    headers.append(CONTENT_ENCODING, "gzip".parse().unwrap());
    headers.append(CONTENT_ENCODING, "br, zstd".parse().unwrap());
    let body = zstd(&brotli(&gzip(b"text")));
    let answer = Answer {
        status: 200,
        version: http::Version::HTTP_11,
        headers,
        body,
        truncated: None,
        remote: None,
        reservation: None,
    };
    assert_eq!(decode_answer(&answer, &LIMITS).bytes, "text");
    let plain = Answer { headers: http::HeaderMap::new(), body: Bytes::from_static(b"text"), ..answer };
    assert_eq!(decode_answer(&plain, &LIMITS).bytes, "text");
}

#[test]
fn an_unknown_coding_changes_nothing_and_is_an_error_only_if_the_body_is_not_plain() {
    let page = Bytes::from_static(b"<p>Gr\xf6\xdfe</p>");
    for names in ["none", "UTF-8", "binary", "*", "none, identity", "sdch, x-what"] {
        let decoded = decode(&page, Some(names), &LIMITS);
        assert_eq!((&decoded.bytes, &decoded.error), (&page, &None), "{names}");
        assert_eq!(decoded.bytes.as_ptr(), page.as_ptr(), "{names}: no copy");
    }
    let secret = Bytes::from_static(b"\x01\x02\x03");
    let unknown = decode(&secret, Some("sdch"), &LIMITS);
    assert_eq!((&unknown.bytes, &unknown.error), (&secret, &Some(DecodeError::Unknown("sdch".to_owned()))));
    assert!(unknown.is_unreadable());
    let empty = decode(&Bytes::new(), Some("gzip, sdch"), &LIMITS);
    assert_eq!(empty, Decoded { bytes: Bytes::new(), cut: None, error: None });
}

#[test]
fn known_codings_are_removed_beside_unknown_ones() {
    let text = b"<p>some text</p>".repeat(20);
    for names in ["none, gzip", "gzip, utf-8", "gzip,, none", "brotli, GZIP"] {
        let decoded = decode(&gzip(&text), Some(names), &LIMITS);
        assert_eq!((decoded.bytes.as_ref(), decoded.error), (text.as_slice(), None), "{names}");
    }
    for (coded, name) in
        [(gzip(&text), "gzip;q=1"), (zstd(&text), "zst"), (brotli(&text), "brotli"), (zlib(&text), "zlib")]
    {
        let decoded = decode(&coded, Some(name), &LIMITS);
        assert_eq!((decoded.bytes.as_ref(), decoded.error), (text.as_slice(), None), "{name}");
    }
}

#[test]
fn a_plain_body_is_read_whatever_coding_is_named() {
    let pages: [&[u8]; 6] = [
        b"<!doctype html><p>plain</p>",
        b"Search and find: plain text",
        "{\"größe\": 1}".as_bytes(),
        b"\xff\xfe<\0p\0>\0",
        b"<p>\xcd\xe0",
        b"x",
    ];
    for page in pages {
        for name in ["gzip", "deflate", "br", "zstd", "gzip, br", "deflate, gzip"] {
            let decoded = decode(&Bytes::from_static(page), Some(name), &LIMITS);
            assert_eq!((decoded.bytes.as_ref(), decoded.error), (page, None), "{name}");
        }
    }
    let twice_named = decode(&gzip(b"<p>once</p>"), Some("gzip, gzip"), &LIMITS);
    assert_eq!((twice_named.bytes.as_ref(), twice_named.error), (&b"<p>once</p>"[..], None));
}

#[test]
fn a_body_in_another_coding_than_the_named_one_is_read() {
    let text = "<p>All work and no play, größer</p>".repeat(50);
    for (name, _) in CODINGS {
        for (other, encode) in CODINGS {
            let decoded = decode(&encode(text.as_bytes()), Some(name), &LIMITS);
            assert_eq!((decoded.bytes.as_ref(), decoded.error), (text.as_bytes(), None), "{other} named {name}");
        }
    }
    let noise = Bytes::from([0x11, 0x00, 0xff].repeat(100));
    for (name, _) in CODINGS {
        assert!(decode(&noise, Some(name), &LIMITS).error.is_some(), "{name}");
    }
}

#[test]
fn a_compressed_page_is_read_though_no_coding_is_named() {
    let text = b"<p>page</p>".repeat(9);
    let of = |media: &'static str, body: Bytes| {
        let headers = http::HeaderMap::from_iter([(http::header::CONTENT_TYPE, media.parse().unwrap())]);
        let version = http::Version::HTTP_11;
        let answer = Answer { status: 200, version, headers, body, truncated: None, remote: None, reservation: None };
        decode_answer(&answer, &LIMITS).bytes
    };
    assert_eq!(of("text/html", gzip(&text)), text);
    let file = gzip(&text);
    assert_eq!(of("application/gzip", file.clone()), file);
}

#[test]
fn a_gzip_body_may_have_several_members_and_padding_behind_them() {
    let mut body = gzip(b"one, ").to_vec();
    body.extend_from_slice(&gzip(b"two"));
    assert_eq!(decode(&body.clone().into(), Some("gzip"), &LIMITS).bytes, "one, two");
    body.extend_from_slice(&[0; 512]);
    let padded = decode(&body.into(), Some("gzip"), &LIMITS);
    assert_eq!((padded.bytes.as_ref(), padded.error), (&b"one, two"[..], None));
}

#[test]
fn truncated_or_broken_data_yield_what_could_be_decoded() {
    let text: Vec<u8> = (0..200_000u32).flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
    for (name, encode) in CODINGS {
        let whole = encode(&text);
        let half = decode(&whole.slice(..whole.len() / 2), Some(name), &LIMITS);
        assert!(half.bytes.len() > text.len() / 4 && text.starts_with(&half.bytes), "{name}: {}", half.bytes.len());
        assert!(half.error.is_some(), "{name}");
        let nonsense = decode(&Bytes::from_static(b"\x01this is no coding at all"), Some(name), &LIMITS);
        assert!(nonsense.error.is_some(), "{name}");
    }
}

#[test]
fn a_bomb_is_cut_by_ratio_and_by_length() {
    // 32 MiB of zeros, which gzip compresses 1,000 : 1 and zstd more than 10,000 : 1.
    let zeros = vec![0; 32 << 20];
    let encoders: [(&str, Encode); 4] =
        [("gzip", gzip), ("deflate", zlib), ("zstd", zstd), ("br", |_| BROTLI_BOMB.into())];
    for (name, encode) in encoders {
        let bomb = encode(&zeros);
        let by_ratio = decode(&bomb, Some(name), &LIMITS);
        let expected = (bomb.len() * 100).max(RATIO_FREE_BYTES);
        assert_eq!((by_ratio.bytes.len(), by_ratio.cut), (expected, Some(Cut::Ratio)), "{name}");
        let by_length = decode(&bomb, Some(name), &DecodeLimits { ratio_max: u32::MAX, ..LIMITS });
        assert_eq!((by_length.bytes.len(), by_length.cut), (8 << 20, Some(Cut::Length)), "{name}");
    }
    let nested = decode(&gzip(&gzip(&zeros)), Some("gzip, gzip"), &LIMITS);
    assert!(nested.bytes.len() <= RATIO_FREE_BYTES && nested.cut == Some(Cut::Ratio));
}

/// 16 MiB of zeros as brotli: 621,000 : 1.
const BROTLI_BOMB: &[u8] = &[
    0xcb, 0xff, 0xff, 0x3f, 0xf8, 0x27, 0x00, 0xe2, 0xb1, 0x40, 0x20, 0xf7, 0xfe, 0x8f, 0xff, 0xff, 0x7f, 0xf0, 0x4f,
    0x00, 0xc4, 0x61, 0x11, 0x80, 0xee, 0xfd, 0xdf,
];

#[test]
fn a_body_at_the_limit_is_whole_and_one_byte_more_is_cut() {
    let text = vec![b'x'; 10_000];
    for (name, encode) in CODINGS {
        let body = encode(&text);
        let exact = decode(&body, Some(name), &DecodeLimits { bytes_max: 10_000, ..LIMITS });
        assert_eq!((exact.bytes.len(), exact.cut, exact.error), (10_000, None, None), "{name}");
        let short = decode(&body, Some(name), &DecodeLimits { bytes_max: 9_999, ..LIMITS });
        assert_eq!((short.bytes.len(), short.cut, short.error), (9_999, Some(Cut::Length), None), "{name}");
    }
}

proptest! {
    #[test]
    fn encoded_data_decode_to_the_original(
        data in proptest::collection::vec(any::<u8>(), 0..3_000),
        which in 0..CODINGS.len(),
    ) {
        let (name, encode) = CODINGS[which];
        let decoded = decode(&encode(&data), Some(name), &LIMITS);
        prop_assert_eq!((decoded.bytes.as_ref(), decoded.cut, decoded.error), (data.as_slice(), None, None));
    }

    #[test]
    fn no_bytes_make_decoding_panic_or_exceed_the_limits(
        data in proptest::collection::vec(any::<u8>(), 0..300),
        header in "(gzip|br|zstd|deflate|identity|,| |x){0,6}",
    ) {
        let limits = DecodeLimits { bytes_max: 1_000, ..LIMITS };
        prop_assert!(decode(&data.into(), Some(&header), &limits).bytes.len() <= 1_000);
    }

    #[test]
    fn damaged_streams_never_panic(
        data in proptest::collection::vec(any::<u8>(), 1..2_000),
        at in any::<prop::sample::Index>(),
        byte: u8,
        which in 0..CODINGS.len(),
    ) {
        let (name, encode) = CODINGS[which];
        let mut body = encode(&data).to_vec();
        let at = at.index(body.len());
        body[at] = byte;
        prop_assert!(decode(&body.into(), Some(name), &LIMITS).bytes.len() <= LIMITS.bytes_max);
    }
}

#[test]
fn text_in_any_charset_is_plain_and_compressed_data_are_not() {
    let latin_1 = b"Gr\xf6\xdfe ".repeat(64);
    for plain in [b"".as_slice(), b"<p>\xd1\xe0\xe9\xf2", "größer\t\r\n".as_bytes(), b"\xff\xfe<\0", &latin_1] {
        assert!(is_plain(plain), "{plain:?}");
    }
    let cut_in_a_letter = "ä".repeat(LOOKED_AT);
    assert!(is_plain(&cut_in_a_letter.as_bytes()[1..]) && is_plain(&cut_in_a_letter.as_bytes()[..LOOKED_AT - 1]));
    for coded in [GZIP_MAGIC, b"\x78\x9c\x03\x00", b"a\0", b"Gr\xf6\xdfe"] {
        assert!(!is_plain(coded), "{coded:?}");
    }
}
