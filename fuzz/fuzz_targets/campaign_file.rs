//! Files of campaigns.
#![no_main]

use fuzz::{refused, with_text};
use model::file::CampaignFile;

libfuzzer_sys::fuzz_target!(|data: &[u8]| with_text(data, |text| {
    if let Err(findings) = CampaignFile::parse(text) {
        refused(findings);
    }
}));
