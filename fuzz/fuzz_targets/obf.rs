//! Lines of othello board files.
#![no_main]

use fuzz::{claims, with_text};

libfuzzer_sys::fuzz_target!(|data: &[u8]| with_text(data, claims::obf));
