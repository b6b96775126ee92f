//! The one line that tells this system's user how to install Postgres.
//!
//! Error messages end with it, so that "not found" is also the mend.

use std::fs;

/// The command that installs a Postgres server on this system, such as
/// `apt-get install postgresql`.
pub fn install_hint() -> String {
    let os_release = fs::read_to_string("/etc/os-release")
        .or_else(|_| fs::read_to_string("/usr/lib/os-release"))
        .unwrap_or_default();
    hint_for(std::env::consts::OS, &os_release).to_owned()
}

/// Decides by `ID` and then by each word of `ID_LIKE` of an os-release file.
fn hint_for(os: &str, os_release: &str) -> &'static str {
    match os {
        "macos" => return "brew install postgresql@17",
        "freebsd" => return "pkg install postgresql17-server",
        "windows" => return "start Elomill with --database-url and a Postgres of your own",
        _ => {}
    }
    let value = |key: &str| {
        os_release
            .lines()
            .find_map(|line| line.strip_prefix(key)?.strip_prefix('='))
            .map(|value| value.trim().trim_matches(['"', '\'']))
            .unwrap_or_default()
    };
    std::iter::once(value("ID"))
        .chain(value("ID_LIKE").split_whitespace())
        .find_map(|id| match id {
            "debian" | "ubuntu" => Some("apt-get install postgresql"),
            "fedora" | "rhel" | "centos" => Some("dnf install postgresql-server"),
            "arch" => Some("pacman -S postgresql"),
            "alpine" => Some("apk add postgresql"),
            "suse" | "opensuse" | "opensuse-leap" | "opensuse-tumbleweed" => {
                Some("zypper install postgresql-server")
            }
            "gentoo" => Some("emerge dev-db/postgresql"),
            "void" => Some("xbps-install postgresql17"),
            "nixos" => Some("nix-shell -p postgresql"),
            _ => None,
        })
        .unwrap_or("install the package with the PostgreSQL server (often named `postgresql`)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hint_names_the_package_of_the_system() {
        for (os, os_release, expected) in [
            ("linux", "NAME=\"Debian GNU/Linux\"\nID=debian\n", "apt-get install postgresql"),
            ("linux", "ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n", "apt-get install postgresql"),
            ("linux", "ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n", "dnf install"),
            ("linux", "ID=fedora\n", "dnf install postgresql-server"),
            ("linux", "ID=arch\n", "pacman -S postgresql"),
            ("linux", "ID=alpine\nVERSION_ID=3.20.0\n", "apk add postgresql"),
            ("linux", "ID_OTHER=debian\n", "often named `postgresql`"),
            ("linux", "", "often named `postgresql`"),
            ("macos", "ID=debian\n", "brew install postgresql"),
        ] {
            let hint = hint_for(os, os_release);
            assert!(hint.contains(expected), "{os} {os_release:?} gave {hint:?}");
        }
    }
}
