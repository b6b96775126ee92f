//! The page of a race: its verdict, a table of its candidates, what each of them changes.

use super::pages::{abbr, tile};
use super::run_page::{
    as_asked, fact, games_tile, grouped, hypotheses, ledger, numbers, pace_tiles, pentanomial,
    value,
};
use super::run_parts::breakdown;
use maud::{Markup, html};
use model::spec::{RaceSpec, RaceStop};
use model::view::RunView;
use std::collections::BTreeSet;

/// What stands below the head of the page.
pub(super) fn body(run: &RunView, race: &RaceSpec) -> Markup {
    html! {
        section .card.verdict data-f="verdict" data-verdict="open" aria-label="Verdict" {
            div { h2 data-f="verdict-word" aria-live="polite" { "–" } p data-f="verdict-why" {} }
        }
        section .tiles aria-labelledby="tiles-title" {
            h2 .sr id="tiles-title" { "Results" }
            (tile("Candidates", "Open ones play on; a candidate that is rejected plays no more", html! {
                p .big data-f="open" { "–" } p .sub data-f="decided" {}
            }))
            (pace_tiles())
            (games_tile("Games of all candidates together against the base"))
        }
        section .card aria-labelledby="candidates-title" {
            h2 id="candidates-title" { "Candidates against the base" }
            div .scroll tabindex="0" role="region" aria-labelledby="candidates-title" { (candidates(race)) }
        }
        section .card aria-labelledby="llr-title" {
            div .cardhead {
                h2 id="llr-title" { "LLR of each candidate over its pairs" }
                p .readout data-f="readout" {}
            }
            div .chart data-f="chart" role="img" aria-label="Log-likelihood ratio of each candidate over its own pairs" {}
            (numbers())
        }
        div .split.even {
            div .stack { (pentanomial()) (ledger()) }
            section .card aria-labelledby="values-title" {
                h2 id="values-title" { "What they play" }
                div .scroll tabindex="0" role="region" aria-labelledby="values-title" { (values(race)) }
            }
            (as_asked(&run.spec, html! {
                (hypotheses(&race.sprt))
                (fact("Error rates", "α: chance to accept any candidate that is no better than H0 (S. Holm, 1979: with K candidates of which j are accepted, each further one is accepted at α/(K − j)). β: chance to reject a candidate at H1.", html! {
                    "α " (race.sprt.alpha) " in all, β " (race.sprt.beta) " each"
                }))
                (fact("Ends", "When the race is over, if its budget does not end it", html! {
                    (match race.stop {
                        RaceStop::First => "with the first accepted",
                        RaceStop::All => "when all are decided",
                    })
                }))
                (fact("Budget", "Pairs of all candidates together", html! { (grouped(race.max_pairs.0)) " pairs" }))
            }))
        }
        (breakdown(run))
    }
}

fn candidates(race: &RaceSpec) -> Markup {
    html! {
        table {
            thead { tr {
                th scope="col" { "Candidate" }
                th scope="col" { "State" }
                th scope="col" .n { "Pairs" }
                th scope="col" .n { (abbr("LLR", "Log-likelihood ratio: how much more probable the results are under the second hypothesis than under the first")) }
                th scope="col" .n.wide { (abbr("Rejects", "At this LLR or below")) }
                th scope="col" .n.wide { (abbr("Accepts", "At this LLR or above, at the level that the family leaves it")) }
                th scope="col" .n { (abbr("Elo", "Logistic Elo over the base with its 95 % interval, corrected for the candidate's own stopping")) }
                th scope="col" .n.wide { "95 % from" }
                th scope="col" .n.wide { "to" }
            } }
            tbody data-f="candidates" { @for candidate in &race.candidates {
                tr {
                    th scope="row" {
                        (candidate.name)
                        @if let Some(from) = candidate.run { " " a href={ "/runs/" (from) } { "run #" (from) } }
                    }
                    td { span .state data-c="state" { "–" } }
                    td .n data-c="pairs" { "–" }
                    td .n.strong data-c="llr" { "–" }
                    td .n.dim.wide data-c="lower" { "–" }
                    td .n.dim.wide data-c="upper" { "–" }
                    td .n.strong data-c="elo" { "–" }
                    td .n.dim.wide data-c="from" { "–" }
                    td .n.dim.wide data-c="to" { "–" }
                }
            } }
        }
    }
}

/// Every parameter that any of them changes.
fn values(race: &RaceSpec) -> Markup {
    let sets = race.candidates.iter().map(|candidate| &candidate.values).chain([&race.base]);
    let names: BTreeSet<&str> = sets.flat_map(|set| set.0.keys()).map(String::as_str).collect();
    html! {
        table {
            thead { tr {
                th scope="col" { "Parameter" }
                @for candidate in &race.candidates { th scope="col" .n { (candidate.name) } }
                th scope="col" .n { "Base" }
            } }
            tbody { @for name in names {
                tr {
                    th scope="row" { (name) }
                    @for candidate in &race.candidates { td .n.strong { (value(&candidate.values, name)) } }
                    td .n { (value(&race.base, name)) }
                }
            } }
        }
    }
}
