//! Engines of others in runs of the cluster: those that speak UCCI and USI, and those whose source is a
//! commit of a repository.

use crate::cluster_engines::{SCRIPT, endings, manifest, played, sha256};
use crate::support::{data_dir, elomill, file, git, object, up};

/// The project's engine, published as a program of somebody else, meets itself as it is built in.
#[test]
fn xiangqi_by_ucci_and_shogi_by_usi_are_played_by_workers() {
    let program = crate::engines::engine();
    let folder = data_dir();
    let folder = folder.path();
    std::fs::copy(&program, folder.join("engine")).expect("a copy");
    let house = up(folder);
    let build = format!("[build]\nfile = \"engine\"\nsha256 = \"{}\"\n", sha256(&program));
    for (game, protocol, limit) in [
        ("xiangqi", "ucci", "nodes = 300"),
        ("shogi", "usi", "nodes = 300"),
        ("xiangqi", "ucci", "movetime = 0.05\nmargin = 20"),
        ("shogi", "usi", "clock = \"1+0.02\"\nmargin = 20"),
    ] {
        let spoken = format!("arguments = \"--game {game}\"\nprotocol = \"{protocol}\"\n");
        let path = manifest(folder, protocol, game, &format!("{spoken}{build}"));
        let said = object(folder, &["engine", "publish", path.to_str().expect("plain"), "--json"]);
        assert!(said["parameters"].as_u64() > Some(0), "{protocol}: {said}");
        let run = played(
            folder,
            "test",
            &format!(
                "name = \"{protocol}\"\ngame = \"{game}\"\nseed = 8\nlease_pairs = 1\n\
                 candidate_engine = \"{protocol}\"\n[limit]\n{limit}\nmax_plies = 30\n\
                 [candidate]\n[base]\n[test]\npairs = 2\n"
            ),
        );
        assert_eq!(
            (&run["state"], &run["counted_pairs"]),
            (&"finished".into(), &2.into()),
            "{run}"
        );
        let endings = endings(folder, &run);
        assert_eq!(endings.len(), 4, "{protocol}");
        let faults = ["illegal_move", "stall", "disconnect", "time_forfeit", "resignation"];
        assert!(!endings.iter().any(|ending| faults.contains(&ending.as_str())), "{endings:?}");
    }
    assert!(house.interrupt().success());
}

/// The author names a commit; workers get its source and build that, whatever becomes of the branch.
#[test]
fn a_commit_is_built_by_the_workers_and_proven_by_its_bench() {
    let folder = data_dir();
    let folder = folder.path();
    let source = folder.join("repository");
    std::fs::create_dir(&source).expect("a folder");
    let commit = |skill: u32, nodes: u32| {
        let bench = format!(
            "import sys\nif sys.argv[1:] == [\"bench\"]:\n    print(\"{nodes} nodes\")\n    sys.exit()\n"
        );
        let script = SCRIPT
            .replace("import sys, time\n", &format!("import sys, time\n{bench}"))
            .replace("default 5", &format!("default {skill}"));
        file(&source, "engine.py", &script);
        file(&source, "build.sh", "cp engine.py out\nchmod 755 out\n");
        git(&source, &["add", "."]);
        git(&source, &["commit", "--quiet", "-m", "as it is now"]);
        git(&source, &["rev-parse", "HEAD"])
    };
    git(&source, &["init", "--quiet"]);
    let (first, second) = (commit(3, 4242), commit(4, 5000));
    let manifest = |commit: &str, signature: u32| {
        let build = format!(
            "[build]\ngit = \"repository\"\ncommit = \"{commit}\"\n\
             command = [\"/bin/sh\", \"build.sh\"]\nresult = \"out\"\n\
             [bench]\nsignature = {signature}\n"
        );
        let path = manifest(folder, "committed", "tictactoe", &build);
        path.to_str().expect("plain").to_owned()
    };
    let house = up(folder);
    let path = manifest(&first, 5000);
    let refused = elomill(folder, &["engine", "publish", &path]).output().expect("it starts");
    let errors = String::from_utf8_lossy(&refused.stderr);
    assert!(!refused.status.success() && errors.contains("4242"), "{errors}");

    let mut published = Vec::new();
    for (commit, nodes) in [(&first, 4242), (&second, 5000)] {
        let path = manifest(commit, nodes);
        let said = object(folder, &["engine", "publish", &path, "--json"]);
        assert_eq!((&said["name"], &said["parameters"]), (&"committed".into(), &3.into()));
        let run = played(
            folder,
            "test",
            "name = \"committed\"\ngame = \"tictactoe\"\nseed = 5\nlease_pairs = 2\n\
             engine = \"committed\"\n[limit]\nnodes = 50\n[candidate]\nSkill_Level = 7\n[base]\n\
             [test]\npairs = 4\n",
        );
        assert_eq!(
            (&run["state"], &run["counted_pairs"]),
            (&"finished".into(), &4.into()),
            "{run}"
        );
        assert!(endings(folder, &run).iter().all(|ending| ending == "board"));
        let players = &run["spec"]["players"];
        published.push(players["candidate"]["engine"]["external"]["artefact"].clone());
    }
    assert!(published[0].is_string() && published[0] != published[1], "{published:?}");
    assert!(house.interrupt().success());
}
