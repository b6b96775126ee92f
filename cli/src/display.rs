//! Shows how a run goes: a bar where a person looks on, a line now and then where a log is kept.

use crate::output::{is_watched, say};
use crate::summary::{progress_line, standing};
use crate::tables::duration;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use model::view::{RunState, RunView};
use std::time::{Duration, Instant};

/// How often a log gets a line.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// The display of one run.
pub(crate) enum Display {
    /// On a terminal.
    Bar(ProgressBar),
    /// In a log.
    Lines {
        /// When the last line was written, and the state that it told.
        last: Option<(Instant, RunState)>,
    },
    /// For scripts: nothing.
    Silent,
}

impl Display {
    /// A bar or lines, as stderr is.
    pub(crate) fn new() -> Self {
        if !is_watched() {
            return Display::Lines { last: None };
        }
        let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr_with_hz(8));
        let style = ProgressStyle::with_template("{bar:24} {pos}/{len} pairs  {wide_msg}")
            .unwrap_or_else(|_| ProgressStyle::default_bar());
        bar.set_style(style.progress_chars("=> "));
        Display::Bar(bar)
    }

    /// Shows the run as it is now.
    pub(crate) fn update(&mut self, run: &RunView) {
        match self {
            Display::Bar(bar) => {
                bar.set_length(run.asked_pairs);
                bar.set_position(run.counted_pairs);
                bar.set_message(message(run));
            }
            Display::Lines { last } => {
                let is_due =
                    last.is_none_or(|(at, state)| at.elapsed() >= LINE_EVERY || state != run.state);
                if is_due {
                    *last = Some((Instant::now(), run.state));
                    say(progress_line(run));
                }
            }
            Display::Silent => {}
        }
    }

    /// Says something without tearing the bar.
    pub(crate) fn note(&self, text: &str) {
        match self {
            Display::Bar(bar) => bar.suspend(|| say(text)),
            Display::Lines { .. } => say(text),
            Display::Silent => {}
        }
    }

    /// Leaves the last state on the screen.
    pub(crate) fn close(&self) {
        if let Display::Bar(bar) = self {
            bar.abandon();
        }
    }
}

fn message(run: &RunView) -> String {
    let mut parts = Vec::new();
    if run.pairs_per_second > 0.0 {
        parts.push(format!("{:.1}/s", run.pairs_per_second));
    }
    if let Some(eta) = run.eta_seconds {
        parts.push(format!("{} left", duration(eta)));
    }
    match run.state {
        RunState::Paused => parts.push("paused".to_owned()),
        RunState::Stopped => parts.push("stopped".to_owned()),
        RunState::Running | RunState::Finished => {}
    }
    parts.push(standing(run));
    parts.join("  ")
}
