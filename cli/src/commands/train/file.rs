//! The file of a training: TOML.
//!
//! ```toml
//! data = ["games"]
//! out = "xiangqi.net"
//!
//! [settings]
//! hidden = 128
//! epochs = 20
//! ```

use crate::output::hinted;
use anyhow::Context;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use train::Settings;

/// What to train from, where to, and how.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Plan {
    /// Folders of games, from where the file stands.
    pub(super) data: Vec<PathBuf>,
    /// The network.
    pub(super) out: PathBuf,
    /// Everything else.
    #[serde(default)]
    pub(super) settings: Settings,
}

impl Plan {
    /// Reads a file.
    ///
    /// # Errors
    /// It cannot be read, or is none: the line and what is allowed.
    pub(super) fn read(path: &Path) -> anyhow::Result<Self> {
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("cannot read {}", path.display()))?;
        let mut plan: Self = toml::from_str(&text).map_err(|error| {
            let hint = "data = [\"DIR\"], out = \"NET\", and [settings] with hidden, epochs, …";
            hinted(format_args!("{}: {error}", path.display()), hint)
        })?;
        let folder = path.parent().unwrap_or(Path::new(""));
        for path in plan.data.iter_mut().chain([&mut plan.out]) {
            *path = folder.join(&*path);
        }
        Ok(plan)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> anyhow::Result<Plan> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("net.toml");
        std::fs::write(&path, text)?;
        Plan::read(&path)
    }

    #[test]
    fn what_is_not_said_is_as_usual_and_what_is_unknown_is_named() {
        let plan =
            read("data = [\"a\", \"/b\"]\nout = \"x.net\"\n[settings]\nhidden = 64\n").unwrap();
        assert_eq!(plan.settings, Settings { hidden: 64, ..Settings::default() });
        assert!(plan.data[0].ends_with("a") && plan.data[1] == Path::new("/b"));
        for (text, part) in [
            ("data = []\nout = \"x\"\n[settings]\nhiden = 3\n", "unknown field `hiden`"),
            ("data = [", "net.toml: "),
            ("out = \"x\"", "missing field `data`"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(part) && error.contains("hint: "), "{error}");
        }
    }
}
