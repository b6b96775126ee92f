//! Games of othello in GGF.
#![no_main]

use fuzz::{claims, with_text};

libfuzzer_sys::fuzz_target!(|data: &[u8]| with_text(data, claims::ggf));
