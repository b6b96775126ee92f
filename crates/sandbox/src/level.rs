//! What of the sandbox is in force, and why the rest is not.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A kind of protection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    /// It cannot gain rights by starting something, and has none beyond its user's.
    Privileges,
    /// It reads the system's libraries and its own folder, and writes its scratch folder alone.
    Files,
    /// It reaches nobody, this machine included.
    Network,
    /// It starts, signals and looks into no other process.
    Processes,
    /// It makes no system call that an engine has no use for.
    Calls,
    /// Its memory, its files and their number are bounded.
    Memory,
    /// It ends with who started it.
    Orphans,
    /// It inherits no environment and no open file.
    Leftovers,
}

impl Layer {
    /// Every layer.
    pub const ALL: [Layer; 8] = [
        Layer::Privileges,
        Layer::Files,
        Layer::Network,
        Layer::Processes,
        Layer::Calls,
        Layer::Memory,
        Layer::Orphans,
        Layer::Leftovers,
    ];

    /// As in tables and in the words of a helper.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Layer::Privileges => "privileges",
            Layer::Files => "files",
            Layer::Network => "network",
            Layer::Processes => "processes",
            Layer::Calls => "calls",
            Layer::Memory => "memory",
            Layer::Orphans => "orphans",
            Layer::Leftovers => "leftovers",
        }
    }

    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|layer| layer.name() == name)
    }
}

/// How far a layer is in force.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "state", content = "reason")]
pub enum State {
    /// All of it.
    InForce,
    /// Most of it; what is not, and why.
    Weaker(String),
    /// Nothing of it; why.
    Missing(String),
}

/// A layer and how far it is in force.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Standing {
    /// Which.
    pub layer: Layer,
    /// How far.
    #[serde(flatten)]
    pub state: State,
}

/// How far a machine shuts programs in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Level(Vec<Standing>);

impl Level {
    pub(crate) fn new(mut of: impl FnMut(Layer) -> State) -> Self {
        Self(Layer::ALL.map(|layer| Standing { layer, state: of(layer) }).into())
    }

    /// Every layer, in order.
    #[must_use]
    pub fn standings(&self) -> &[Standing] {
        &self.0
    }

    /// `full`, `partial` or `none`.
    #[must_use]
    pub fn word(&self) -> &'static str {
        if self.0.iter().all(|standing| standing.state == State::InForce) {
            "full"
        } else if self.in_force().next().is_none() {
            "none"
        } else {
            "partial"
        }
    }

    /// The layers that are there, whole or not.
    pub fn in_force(&self) -> impl Iterator<Item = Layer> {
        let is_there = |standing: &&Standing| !matches!(standing.state, State::Missing(_));
        self.0.iter().filter(is_there).map(|standing| standing.layer)
    }
}

/// `full`, or what is not in force with its reasons, in one line.
impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())?;
        let mut before = ": ";
        for Standing { layer, state } in &self.0 {
            match state {
                State::InForce => continue,
                State::Weaker(reason) => write!(f, "{before}{} weaker ({reason})", layer.name())?,
                State::Missing(reason) => write!(f, "{before}no {} ({reason})", layer.name())?,
            }
            before = ", ";
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_said_with_its_reason() {
        let full = Level::new(|_| State::InForce);
        assert_eq!((full.to_string().as_str(), full.in_force().count()), ("full", 8));
        let missing = || State::Missing("this kernel has no Landlock".to_owned());
        let some = Level::new(|layer| match layer {
            Layer::Files => missing(),
            Layer::Memory => State::Weaker("half of it".to_owned()),
            _ => State::InForce,
        });
        let said = "partial: no files (this kernel has no Landlock), memory weaker (half of it)";
        assert_eq!((some.to_string().as_str(), some.in_force().count()), (said, 7));
        assert_eq!(Level::new(|_| missing()).word(), "none");
        let text = serde_json::to_string(&some).expect("JSON");
        assert_eq!(serde_json::from_str::<Level>(&text).expect("a level"), some);
    }
}
