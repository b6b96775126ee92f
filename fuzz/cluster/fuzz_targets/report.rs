//! Reports of workers.
#![no_main]

use coordinator::convert;
use fuzz::refused;
use prost::Message;
use proto::v1;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Ok(wire) = v1::Report::decode(data) else { return };
    let pairs = wire.pairs.len();
    match convert::report(wire) {
        Ok(report) => assert_eq!(report.pairs.len(), pairs),
        Err(error) => refused(error),
    }
});
