//! Every example file is good, and is of the kind that its name says.

use std::path::Path;
use std::process::Command;

#[test]
fn every_example_is_accepted_by_its_command() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../examples"));
    let mut kinds = [0, 0];
    for entry in std::fs::read_dir(folder).expect("examples are there") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let stem = path.file_stem().and_then(|stem| stem.to_str()).expect("plain letters");
        let (_, kind) = stem.split_once('-').expect("GAME-KIND.toml");
        let command = if kind == "tune" { "tune" } else { "test" };
        kinds[usize::from(command == "test")] += 1;
        let output = Command::new(env!("CARGO_BIN_EXE_elomill"))
            .args([command, "--check", "--json"])
            .arg(&path)
            .output()
            .expect("the command starts");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}: {errors}", path.display());
        let spec: model::spec::RunSpec = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert_eq!(spec.job.kind(), kind);
        assert_eq!(spec.check(), Ok(()));
    }
    assert!(kinds[0] >= 2 && kinds[1] >= 2, "{kinds:?} tunes and tests");
}
