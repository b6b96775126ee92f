//! Files of a spool, as a worker finds them on its disk.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    if let Some(good) = worker::good_bytes_of_spool(data) {
        assert!(good <= data.len());
    }
});
