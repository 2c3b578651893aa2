//! How messages are laid into buffers: a clock's frame has a few hundred bytes, and a hall has a thousand streams open.

use std::{fmt, marker::PhantomData};

use prost::Message;
use tonic::codec::{BufferSettings, Codec};
use tonic_prost::{ProstCodec, ProstDecoder, ProstEncoder};

/// Bytes that a stream sets aside in each direction before anything is said; a longer message makes its own room.
const FRAME: usize = 1_024;

/// Bytes of messages at hand that are sent together.
const TOGETHER: usize = 32 * 1_024;

/// Protobuf in gRPC as everywhere, with less room set aside for each stream.
pub(crate) struct FrameCodec<T, U>(PhantomData<(T, U)>);

impl<T, U> Default for FrameCodec<T, U> {
    fn default() -> Self {
        FrameCodec(PhantomData)
    }
}

impl<T, U> fmt::Debug for FrameCodec<T, U> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FrameCodec")
    }
}

fn room() -> BufferSettings {
    BufferSettings::new(FRAME, TOGETHER)
}

impl<T: Message + Send + 'static, U: Message + Default + Send + 'static> Codec for FrameCodec<T, U> {
    type Encode = T;
    type Decode = U;
    type Encoder = ProstEncoder<T>;
    type Decoder = ProstDecoder<U>;

    fn encoder(&mut self) -> ProstEncoder<T> {
        ProstCodec::<T, U>::raw_encoder(room())
    }

    fn decoder(&mut self) -> ProstDecoder<U> {
        ProstCodec::<T, U>::raw_decoder(room())
    }
}
