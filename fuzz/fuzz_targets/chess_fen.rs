//! Position texts of chess.
#![no_main]

use fuzz::{claims, with_text};
use games::chess::Chess;

libfuzzer_sys::fuzz_target!(|data: &[u8]| with_text(data, claims::position::<Chess>));
