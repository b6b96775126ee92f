//! Numbers and texts in the bytes of a shard, and a reader that names what is missing.

use crate::ShardError;

/// Appends a number, seven bits a byte, the lowest first.
pub(crate) fn number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Appends some bytes after their number.
pub(crate) fn block(bytes: &mut Vec<u8>, block: &[u8]) {
    number(bytes, block.len() as u64);
    bytes.extend_from_slice(block);
}

/// What is left to read.
pub(crate) struct Reader<'a> {
    pub(crate) rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(crate) fn take(&mut self, count: usize) -> Result<&'a [u8], ShardError> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(ShardError::Torn)?;
        self.rest = rest;
        Ok(taken)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], ShardError> {
        self.take(N)?.try_into().map_err(|_| ShardError::Torn)
    }

    pub(crate) fn number(&mut self) -> Result<u64, ShardError> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let [byte] = self.array()?;
            let part = u64::from(byte & 0x7f);
            if part << shift >> shift != part {
                return Err(ShardError::Torn);
            }
            number |= part << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(ShardError::Torn)
    }

    pub(crate) fn block(&mut self) -> Result<&'a [u8], ShardError> {
        let count = usize::try_from(self.number()?).map_err(|_| ShardError::Torn)?;
        self.take(count)
    }
}
