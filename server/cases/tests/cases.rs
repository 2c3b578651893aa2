//! Every golden case comes out as its file expects.

use std::path::Path;

use flagfall_cases::check_dir;

fn folder(name: &str) -> flagfall_cases::Report {
    check_dir(&Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).expect("the folder is there")
}

#[test]
fn every_case_is_ruled_as_its_file_expects() {
    let report = folder("cases");
    assert!(report.is_clean(), "{report}");
    assert!(report.cases >= 120, "{report}");
}
