//! Watches a run to its end, through restarts of the coordinator.

use crate::client::{Control, explain};
use crate::convert::run_from_wire;
use crate::display::Display;
use crate::endpoint::Locator;
use crate::interrupt::Interrupt;
use model::RunId;
use model::view::RunView;
use std::time::Duration;
use tonic::{Code, Status};

/// The first wait before a new connection, and the longest.
const WAITS: (Duration, Duration) = (Duration::from_millis(250), Duration::from_secs(5));

/// How a watch ended.
#[derive(Clone, Debug)]
pub(crate) enum Followed {
    /// The run is over: as it stood then.
    Over(Box<RunView>),
    /// The watcher was asked to end first.
    Interrupted,
}

/// Hands every state of a run to `each` until the run is over or the watcher is interrupted.
///
/// # Errors
/// There is no such run, the answer cannot be read, or `each` fails.
pub(crate) async fn follow(
    locator: &Locator,
    run: RunId,
    interrupt: &Interrupt,
    display: &mut Display,
    mut each: impl FnMut(&RunView) -> anyhow::Result<()>,
) -> anyhow::Result<Followed> {
    let mut wait = WAITS.0;
    let mut is_first = true;
    loop {
        let watched = tokio::select! {
            watched = watch_once(locator, run, is_first, display, &mut each) => watched?,
            () = interrupt.finish.cancelled() => return Ok(Followed::Interrupted),
        };
        match watched {
            Watched::Over(run) => {
                display.close();
                return Ok(Followed::Over(run));
            }
            Watched::Lost { was_heard } => {
                if was_heard {
                    wait = WAITS.0;
                    display.note("the coordinator went away; waiting for it");
                }
            }
        }
        is_first = false;
        tokio::select! {
            () = tokio::time::sleep(wait) => {}
            () = interrupt.finish.cancelled() => return Ok(Followed::Interrupted),
        }
        wait = (2 * wait).min(WAITS.1);
    }
}

enum Watched {
    Over(Box<RunView>),
    Lost { was_heard: bool },
}

/// One connection's worth of watching. The first connection must succeed; later ones may fail while
/// the coordinator is being restarted.
async fn watch_once(
    locator: &Locator,
    run: RunId,
    is_first: bool,
    display: &mut Display,
    each: &mut impl FnMut(&RunView) -> anyhow::Result<()>,
) -> anyhow::Result<Watched> {
    let mut control = match Control::connect(locator).await {
        Ok(control) => control,
        Err(error) if is_first => return Err(error),
        Err(_) => return Ok(Watched::Lost { was_heard: false }),
    };
    let mut stream = match control.watch(run).await {
        Ok(stream) => stream,
        Err(status) if is_transient(&status) => return Ok(Watched::Lost { was_heard: is_first }),
        Err(status) => return Err(explain(status)),
    };
    let mut was_heard = false;
    loop {
        let message = match stream.message().await {
            Ok(Some(message)) => message,
            // Ended without an end of the run: the coordinator is going down.
            Ok(None) => return Ok(Watched::Lost { was_heard }),
            Err(status) if is_transient(&status) => return Ok(Watched::Lost { was_heard }),
            Err(status) => return Err(explain(status)),
        };
        was_heard = true;
        let Some(wire) = message.run else { continue };
        let view = run_from_wire(wire)?;
        display.update(&view);
        each(&view)?;
        if view.state.is_over() {
            return Ok(Watched::Over(Box::new(view)));
        }
    }
}

fn is_transient(status: &Status) -> bool {
    // A connection that is cut in the middle of a stream comes as `unknown` or `internal`.
    matches!(
        status.code(),
        Code::Unavailable | Code::Cancelled | Code::Aborted | Code::Unknown | Code::Internal
    )
}
