//! Makes the cluster, and guards it against programs of another major version.

use std::{
    fs::{self, File},
    os::unix::fs::PermissionsExt,
    path::Path,
    process::Stdio,
};

use crate::{
    Binaries, Error, Found, USER,
    account::Account,
    layout::{Layout, last_lines},
    settings::Durability,
    template::Template,
};

const WORK_PREFIX: &str = "pg.init-";

/// The major version that an existing cluster was made by; `None` where there is none yet.
///
/// # Errors
/// [`Error::NotACluster`] when the directory holds something else.
pub(crate) fn cluster_version(cluster: &Path) -> Result<Option<u32>, Error> {
    if let Some(major) = fs::read_to_string(cluster.join("PG_VERSION"))
        .ok()
        .and_then(|text| text.trim().parse().ok())
    {
        return Ok(Some(major));
    }
    let filled = fs::read_dir(cluster).is_ok_and(|mut entries| entries.next().is_some());
    if filled { Err(Error::NotACluster { path: cluster.to_path_buf() }) } else { Ok(None) }
}

/// The programs that can open the cluster, or the preferred ones where it is yet to be made.
pub(crate) fn binaries_for<'a>(
    cluster: &Path,
    version: Option<u32>,
    found: &'a Found,
) -> Result<&'a Binaries, Error> {
    let Some(major) = version else { return Ok(found.best()) };
    found.for_major(major).ok_or_else(|| {
        let mut majors: Vec<u32> = found.all().map(|binaries| binaries.version.major).collect();
        majors.sort_unstable();
        majors.dedup();
        let available: Vec<String> = majors.iter().map(u32::to_string).collect();
        Error::VersionMismatch {
            path: cluster.to_path_buf(),
            cluster: major,
            available: available.join(", "),
        }
    })
}

/// Makes the cluster beside its place and renames it when it is complete, so that a kill at any
/// moment leaves either no cluster or a whole one.
pub(crate) fn create(
    layout: &Layout,
    account: &Account,
    binaries: &Binaries,
    durability: Durability,
) -> Result<(), Error> {
    sweep(layout);
    let work = tempfile::Builder::new()
        .prefix(WORK_PREFIX)
        .tempdir_in(layout.root())
        .map_err(Error::io("create a directory in", layout.root()))?;
    fs::set_permissions(work.path(), fs::Permissions::from_mode(0o700))
        .map_err(Error::io("set the mode of", work.path()))?;
    account.give(work.path())?;

    match durability {
        Durability::Durable => {
            let flags = if sync::AT_ONCE { &["-k", "--no-sync"][..] } else { &["-k"] };
            initdb(work.path(), account, binaries, flags)?;
            sync::all(work.path()).map_err(Error::io("sync", work.path()))?;
        }
        Durability::Throwaway => {
            let template = Template::new(account, binaries);
            if !template.unpack_into(work.path(), account) {
                // Small log segments: sixteen megabytes less to write for each server.
                let flags = &["--no-sync", "--wal-segsize=1"];
                initdb(work.path(), account, binaries, flags)?;
                template.pack(work.path(), account);
            }
        }
    }

    let cluster = layout.cluster();
    // An empty directory may stand there, from a mount or a careful administrator.
    let _ = fs::remove_dir(&cluster);
    let work = work.keep();
    fs::rename(&work, &cluster).map_err(Error::io("create", &cluster))?;
    if durability == Durability::Durable {
        File::open(layout.root())
            .and_then(|dir| dir.sync_all())
            .map_err(Error::io("sync", layout.root()))?;
    }
    Ok(())
}

fn initdb(
    work: &Path,
    account: &Account,
    binaries: &Binaries,
    flags: &[&str],
) -> Result<(), Error> {
    let program = binaries.program("initdb");
    let output = account
        .command(&program)
        .arg("-D")
        .arg(work)
        .args(["-U", USER, "-A", "trust", "-E", "UTF8", "--locale=C", "--no-instructions"])
        .args(flags)
        .stdin(Stdio::null())
        .output()
        .map_err(Error::io("run", program))?;
    if output.status.success() {
        return Ok(());
    }
    let text = [output.stdout, output.stderr].concat();
    let mut output_end = last_lines(&String::from_utf8_lossy(&text));
    // Containers like to run under a bare number; Postgres insists on a name.
    if output_end.contains("could not look up effective user ID") {
        output_end.push_str(
            "\nhint: give this user a line in /etc/passwd, or use --database-url with a Postgres \
             that runs elsewhere",
        );
    }
    Err(Error::Initdb { status: output.status.to_string(), output: output_end })
}

/// Linux can put a whole file system on disk with one call, which takes a fraction of the time of
/// initdb's thousand single ones.
#[cfg(target_os = "linux")]
mod sync {
    pub(super) const AT_ONCE: bool = true;

    pub(super) fn all(dir: &std::path::Path) -> std::io::Result<()> {
        Ok(rustix::fs::syncfs(std::fs::File::open(dir)?)?)
    }
}

/// Elsewhere initdb syncs file by file.
#[cfg(not(target_os = "linux"))]
mod sync {
    pub(super) const AT_ONCE: bool = false;

    pub(super) fn all(_dir: &std::path::Path) -> std::io::Result<()> {
        Ok(())
    }
}

/// Removes what killed starts left. An initdb that outlived its parent loses its directory and
/// ends with an error; if it still writes while this removes, the next start removes the rest.
fn sweep(layout: &Layout) {
    for entry in fs::read_dir(layout.root()).into_iter().flatten().filter_map(Result::ok) {
        if entry.file_name().to_str().is_some_and(|name| name.starts_with(WORK_PREFIX)) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}
