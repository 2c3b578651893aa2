//! flagfall
fn main() {}
