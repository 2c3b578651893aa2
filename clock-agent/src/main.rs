//! clock
fn main() {}
