//! Position texts of xiangqi.
#![no_main]

use fuzz::{claims, with_text};
use games::xiangqi::Xiangqi;

libfuzzer_sys::fuzz_target!(|data: &[u8]| with_text(data, claims::position::<Xiangqi>));
