//! What is searched deeper.

use crate::tunables::tunables;

tunables! {
    /// What is searched deeper.
    pub struct Extension in Extension {
        check_extension: i32 = 1, 0 => 1, c_end 0.5,
            "Plies added to a node in check.";
    }
}
