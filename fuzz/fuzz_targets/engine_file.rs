//! Manifests of engines.
#![no_main]

use fuzz::{refused, with_text};
use model::file::EngineFile;

libfuzzer_sys::fuzz_target!(|data: &[u8]| with_text(data, |text| {
    if let Err(findings) = EngineFile::parse(text) {
        refused(findings);
    }
}));
