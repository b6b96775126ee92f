//! Specifications as they come over the wire.
#![no_main]

use coordinator::convert;
use fuzz::refused;
use prost::Message;
use proto::v1;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Ok(wire) = v1::RunSpec::decode(data) else { return };
    match convert::spec(wire) {
        Ok(spec) => assert!(spec.check().is_ok()),
        Err(error) => refused(error),
    }
});
