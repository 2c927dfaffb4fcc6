//! Any bytes as a WARC file: the reader ends, with records or an error.
#![no_main]

use harvestman::archive::reader::{Limits, WarcReader};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut reader = WarcReader::new(bytes, Limits::default());
    let mut records = 0;
    while let Ok(Some(mut record)) = reader.next_record() {
        let _ = record.target_uri();
        let _ = record.read_block(&mut Vec::new(), 1 << 20);
        records += 1;
        assert!(records <= bytes.len(), "every record takes at least a byte");
    }
});
