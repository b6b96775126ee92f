//! Links of invitations, and addresses of coordinators.
#![no_main]

use fuzz::{refused, with_text};
use keys::{Address, Link};

libfuzzer_sys::fuzz_target!(|data: &[u8]| with_text(data, |text| {
    match text.parse::<Link>() {
        Ok(link) => assert_eq!(link.to_string().parse::<Link>(), Ok(link)),
        Err(error) => refused(error),
    }
    if let Ok(address) = text.parse::<Address>() {
        assert_eq!(address.to_string().parse::<Address>().ok(), Some(address));
    }
}));
