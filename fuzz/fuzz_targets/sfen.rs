//! Position texts of shogi.
#![no_main]

use fuzz::{claims, with_text};
use games::shogi::Shogi;

libfuzzer_sys::fuzz_target!(|data: &[u8]| with_text(data, claims::position::<Shogi>));
