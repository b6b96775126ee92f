//! Parts of the pages of runs that are filled when they are looked at: the values as text, a tune at any
//! time, what a run is made of.

use super::pages::abbr;
use super::signing::form_to;
use crate::desk::Visitor;
use maud::{Markup, html};
use model::Role;
use model::spec::Job;
use model::view::RunView;

/// What the tune suggests, as text for other programs.
pub(super) fn copying() -> Markup {
    html! {
        details .card.copy data-f="copy" {
            summary { h2 { "Copy the values" } }
            div .stack {
                label { "Values " select data-f="copy-values" { option value="suggested" { "Suggested" } option value="now" { "Now, not rounded" } option value="start" { "Start" } } }
                label { "As " select data-f="copy-form" {} }
                textarea readonly rows="8" data-f="copy-text" aria-label="The values as text" spellcheck="false" {}
                p { button .button type="button" data-f="copy-button" { "Copy" } " " span .sub role="status" data-f="copied" {} }
            }
        }
    }
}

/// The tune at any time, with what was played next, and for authors a way on from there.
pub(super) fn iteration(run: &RunView, visitor: Option<&Visitor>) -> Markup {
    let author = visitor.filter(|visitor| visitor.role.covers(Role::Author));
    html! {
        section .card aria-labelledby="iteration-title" {
            h2 id="iteration-title" { "At any time" }
            form .filters data-f="iteration-form" {
                label { "After " input type="number" min="0" step="1" value="0" required data-f="iteration-pairs"; " pairs" }
                button .button type="submit" { "Replay the ledger to there" }
                span .sub { "A click into the traces takes its place." }
            }
            p .sub data-f="iteration-sum" role="status" {}
            div .scroll tabindex="0" role="region" aria-labelledby="iteration-title" { table {
                thead { tr {
                    th scope="col" { "Parameter" } th scope="col" .n { "Value then" }
                    th scope="col" .n { (abbr("Perturbation", "Half the distance between the two sides, on the parameter's scale; its sign is the side on which plus stands")) }
                    th scope="col" .n { "Plus" } th scope="col" .n { "Minus" }
                } }
                tbody data-f="iteration-rows" {}
            } }
            div .stack data-f="fork" hidden {
                p .sub { "A tune that goes on from there: " code data-f="fork-command" {} }
                @if let Some(author) = author {
                    (form_to(author, run.id, "fork", html! {
                        input type="hidden" name="at" value="0" data-f="fork-at";
                        label { "Its pairs " input name="pairs" type="number" min="1" step="1" required value=(run.asked_pairs); }
                    }, "Fork it"))
                }
            }
        }
    }
}

/// What a run is made of; its numbers come when it is looked at.
pub(super) fn breakdown(run: &RunView) -> Markup {
    let is_test = matches!(&run.spec.job, Job::Test(_));
    html! {
        section .stack data-f="breakdown" aria-label="What the run is made of" {
            p .sub data-f="breakdown-note" role="status" {}
            section .card aria-labelledby="workers-title" {
                h2 id="workers-title" { "By worker" }
                div .scroll tabindex="0" role="region" aria-labelledby="workers-title" { table {
                    thead { tr {
                        th scope="col" { "Worker" } th scope="col" { "Owner" } th scope="col" .n { "Pairs" } th scope="col" .n { "Share" }
                        th scope="col" .n { (abbr("Elo", "By this worker's pairs alone, with the naive 95 % interval")) }
                        th scope="col" .n { (abbr("LLR moved", "What the log-likelihood ratio is more than it were without these pairs")) }
                    } }
                    tbody data-f="by-worker" {}
                } }
                div data-f="workers-files" {}
            }
            div .split.even {
                section .card aria-labelledby="ends-title" {
                    h2 id="ends-title" { "Why games ended" }
                    div .scroll tabindex="0" role="region" aria-labelledby="ends-title" { table {
                        thead { tr { th scope="col" { "Reason" } th scope="col" .n { "Share" } th scope="col" .n { "Won" } th scope="col" .n { "Drawn" } th scope="col" .n { "Lost" } } }
                        tbody data-f="by-end" {}
                    } }
                    div data-f="terminations-files" {}
                }
                section .card aria-labelledby="late-title" {
                    h2 id="late-title" { (abbr(if is_test { "Lateness" } else { "Staleness" }, "How many pairs of the run were merged while a lease was out: in a tune, how far the optimiser had moved on when its report came")) }
                    p data-f="lateness" { "–" }
                    h2 { "History" }
                    ul .plain data-f="history" {}
                }
            }
            section .card aria-labelledby="openings-title" {
                h2 id="openings-title" { "By opening" }
                p .sub data-f="openings-sum" {}
                div .scroll.low tabindex="0" role="region" aria-labelledby="openings-title" { table {
                    thead { tr { th scope="col" { (abbr("Opening", "Those that brought most points over a half, and those that cost most")) } th scope="col" .n { "Pairs" } th scope="col" .n { "Score" } th scope="col" { "Games" } } }
                    tbody data-f="by-opening" {}
                } }
                div data-f="openings-files" {}
            }
        }
    }
}
