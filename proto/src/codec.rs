//! How messages are put into bytes: as everywhere with gRPC, in buffers that begin small.
//!
//! A stream has two such buffers as long as it lives. A coordinator has a stream for each of its workers,
//! whose messages are short; a long one makes its buffer grow.

use prost::Message;
use std::marker::PhantomData;
use tonic::codec::{BufferSettings, Codec};
use tonic_prost::{ProstCodec, ProstDecoder, ProstEncoder};

/// What a buffer begins with, in bytes.
const BUFFER: usize = 1024;
/// So many bytes are written at once at most, if there are several messages; as usual.
const AT_ONCE: usize = 32 * 1024;

/// Writes `T` and reads `U`.
#[derive(Clone, Debug)]
pub(crate) struct SmallBuffers<T, U>(PhantomData<(T, U)>);

impl<T, U> Default for SmallBuffers<T, U> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<T, U> Codec for SmallBuffers<T, U>
where
    T: Message + Send + 'static,
    U: Message + Default + Send + 'static,
{
    type Encode = T;
    type Decode = U;
    type Encoder = ProstEncoder<T>;
    type Decoder = ProstDecoder<U>;

    fn encoder(&mut self) -> Self::Encoder {
        ProstCodec::<T, U>::raw_encoder(BufferSettings::new(BUFFER, AT_ONCE))
    }

    fn decoder(&mut self) -> Self::Decoder {
        ProstCodec::<T, U>::raw_decoder(BufferSettings::new(BUFFER, AT_ONCE))
    }
}
