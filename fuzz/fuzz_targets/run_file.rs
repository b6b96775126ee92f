//! Files of authors: tunes, tests, matches and races.
#![no_main]

use fuzz::{refused, with_text};
use model::file::RunFile;

libfuzzer_sys::fuzz_target!(|data: &[u8]| with_text(data, |text| {
    if let Err(findings) = RunFile::parse(text) {
        refused(findings);
    }
}));
