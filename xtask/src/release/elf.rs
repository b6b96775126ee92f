//! Whether a program of Linux stands by itself: a 64-bit ELF file names the loader that brings its
//! libraries in a program header of the kind `PT_INTERP`, and a static one has none.

/// The kind of the header that names a loader.
const PT_INTERP: u32 = 3;

/// Whether these bytes are a 64-bit little-endian ELF file without a loader.
pub(super) fn is_static(bytes: &[u8]) -> bool {
    loader_wanted(bytes) == Some(false)
}

fn loader_wanted(bytes: &[u8]) -> Option<bool> {
    // Magic number, 64 bits, little-endian.
    bytes.starts_with(&[0x7f, b'E', b'L', b'F', 2, 1]).then_some(())?;
    let short = |at: usize| Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?));
    let word = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let long = |at: usize| Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
    let table = usize::try_from(long(0x20)?).ok()?;
    let (size, count) = (usize::from(short(0x36)?), usize::from(short(0x38)?));
    for entry in 0..count {
        if word(table.checked_add(entry * size)?)? == PT_INTERP {
            return Some(true);
        }
    }
    Some(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loader_is_found_and_other_files_are_no_programs() {
        let with = |kind: u8| {
            let mut bytes = vec![0; 64 + 56];
            bytes[..6].copy_from_slice(&[0x7f, b'E', b'L', b'F', 2, 1]);
            (bytes[0x20], bytes[0x36], bytes[0x38]) = (64, 56, 1);
            bytes[64] = kind;
            bytes
        };
        assert!(is_static(&with(1)));
        assert!(!is_static(&with(3)));
        assert!(!is_static(b"#!/bin/sh\n"));
        assert!(!is_static(&with(1)[..64]));
    }

    /// The tests themselves are linked as this system links.
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    #[test]
    fn a_program_of_this_system_asks_for_libraries() {
        let bytes = std::fs::read(std::env::current_exe().expect("known")).expect("read");
        assert_eq!(loader_wanted(&bytes), Some(true));
    }
}
