//! Position texts of othello.
#![no_main]

use fuzz::{claims, with_text};
use games::othello::Othello;

libfuzzer_sys::fuzz_target!(|data: &[u8]| with_text(data, claims::position::<Othello>));
