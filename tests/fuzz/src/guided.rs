//! The targets for cargo-fuzz; `bash tests/fuzz/guided --help`. Which one is run stands in `FLAGFALL_FUZZ_TARGET`.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(
    init: {
        assert!(flagfall_fuzz::targets::named(&name()).is_some(), "FLAGFALL_FUZZ_TARGET names no target");
    },
    |bytes: &[u8]| {
        if let Some(target) = TARGET.get_or_init(|| flagfall_fuzz::targets::named(&name())) {
            (target.run)(bytes);
        }
    }
);

#[cfg(fuzzing)]
static TARGET: std::sync::OnceLock<Option<&'static flagfall_fuzz::Target>> = std::sync::OnceLock::new();

#[cfg(fuzzing)]
fn name() -> String {
    std::env::var("FLAGFALL_FUZZ_TARGET").unwrap_or_default()
}

#[cfg(not(fuzzing))]
fn main() {
    println!("built without coverage: bash tests/fuzz/guided TARGET SECONDS");
}
