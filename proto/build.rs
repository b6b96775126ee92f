//! Compiles the protobuf contract in pure Rust: no `protoc` on the machine.

use std::{env, error::Error, fs, path::PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=elomill");
    let files = ["common", "worker", "control", "keys", "engines", "trust"];
    let files = files.map(|name| format!("elomill/v1/{name}.proto"));
    let descriptors = protox::compile(files, ["."])?;
    let out = PathBuf::from(env::var("OUT_DIR")?);
    // For gRPC reflection.
    let bytes = protox::prost::Message::encode_to_vec(&descriptors);
    fs::write(out.join("elomill_descriptor.bin"), bytes)?;
    tonic_prost_build::configure()
        .bytes(".")
        .codec_path("crate::codec::SmallBuffers")
        .compile_fds(descriptors)?;
    Ok(())
}
