//! Fetching the server programs for real, on a machine that is made to have none.
//!
//! Where the registry cannot be reached, the same test asserts the one error that names the
//! package to install; it never passes without having seen one or the other.
#![cfg(unix)]

use std::{fs, os::unix::fs::PermissionsExt, time::Instant};

use pgbox::{Environment, FetchPlan, Origin, PgBox, Search, Settings, install_hint};

#[test]
fn fetched_programs_serve_or_the_error_names_the_package() {
    let dir = tempfile::tempdir().unwrap();
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o711)).unwrap();
    let env = Environment { pg_bin: None, ..Environment::read() };
    let search = Search::new(&env, dir.path()).without_system();
    assert_eq!(search.find().unwrap_err().hint, install_hint());

    let start = Instant::now();
    let plan = match FetchPlan::new(&env).and_then(|plan| plan.run(dir.path()).map(|_| plan)) {
        Ok(plan) => plan,
        Err(error) => {
            println!("not fetched: {error}");
            assert_eq!(error.hint, install_hint());
            assert!(error.to_string().contains("PyPI"));
            assert!(search.find().is_err(), "nothing half-done stays behind");
            return;
        }
    };
    println!("fetched {plan} in {:?}", start.elapsed());
    let found = search.find().unwrap();
    assert_eq!(found.best().version, plan.version);
    assert!(found.best().bin_dir.starts_with(dir.path().canonicalize().unwrap()));

    // A second run finds it in place.
    assert_eq!(plan.run(dir.path()).unwrap(), *found.best());

    let postgres = PgBox::start(Settings::new(&env, dir.path(), found)).unwrap();
    assert_eq!(postgres.origin(), Origin::Created);
    let mut psql = postgres.psql_command().unwrap();
    let output = psql.args(["-X", "-At", "-c", "SHOW server_version"]).output().unwrap();
    let version = String::from_utf8(output.stdout).unwrap();
    assert_eq!(version.trim(), plan.version.to_string());
}
