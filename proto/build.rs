//! Compiles the contract with protox, so that no protoc is needed on any machine.

use std::path::PathBuf;

use prost::Message;

const FILES: [&str; 7] = [
    "flagfall/clock/v1/face.proto",
    "flagfall/clock/v1/clock.proto",
    "flagfall/journal/v1/adjournment.proto",
    "flagfall/journal/v1/journal.proto",
    "flagfall/journal/v1/event.proto",
    "flagfall/desk/v1/desk.proto",
    "flagfall/desk/v1/event.proto",
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for file in FILES {
        println!("cargo:rerun-if-changed={file}");
    }
    let set = protox::compile(FILES, ["."])?;
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    std::fs::write(out.join("descriptors.bin"), set.encode_to_vec())?;
    tonic_prost_build::configure().codec_path("crate::codec::FrameCodec").compile_fds(set)?;
    Ok(())
}
