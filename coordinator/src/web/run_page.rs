//! The page of one run, as a skeleton: a tune with its traces and parameters, a test with its
//! verdict and charts, and what both have in common.

use super::pages::{abbr, layout, tile};
use super::race_page;
use super::run_parts::{breakdown, copying, iteration};
use super::signing::actions;
use crate::desk::Visitor;
use maud::{Markup, html};
use model::ParameterSet;
use model::spec::{
    BqrSettings, EloModel, Job, OptimizerKind, OptimizerSpec, RunSpec, SprtSpec, SpsaSettings,
    TestSpec, TuneSpec,
};
use model::view::{MOST_SHOWN, RunView};
use std::collections::BTreeSet;

/// The five cells of the pentanomial: short name, what it means.
const CELLS: [(&str, &str); 5] = [
    ("LL", "both games of the pair lost"),
    ("LD", "one loss and one draw"),
    ("LW + DD", "one win and one loss, or two draws"),
    ("DW", "one draw and one win"),
    ("WW", "both games of the pair won"),
];

/// The whole page.
pub(super) fn page(run: &RunView, visitor: Option<&Visitor>) -> Markup {
    let spec = &run.spec;
    let body = html! {
        main id="main" data-page="run" data-run=(run.id) {
            header .head {
                p .crumbs { a href="/" { "Runs" } " / " span { "#" (run.id) } }
                h1 { (spec.name) }
                p .facts {
                    span .state data-f="state" data-state=(run.state.name()) { (run.state.name()) }
                    span .tag { (run.kind) }
                    span { (spec.game) }
                    @match &spec.players {
                        None => span { (abbr(&format!("{} nodes", grouped(spec.limit.nodes.0)), "Positions that each side may search for one move")) " a move" },
                        Some(players) => span { (abbr(&players.to_string(), "Who plays, and what each side may spend on its moves")) },
                    }
                    span { "started " time data-ms=(run.created_at_unix_ms) {} }
                    span data-f="ended" hidden {}
                    a href={ "/runs/" (run.id) "/games" } { "games" }
                }
                p .reason data-f="reason" hidden {}
                p .reason data-f="warning" role="status" hidden {}
                (actions(run, visitor))
            }
            @match &spec.job {
                Job::Tune(tune) => (tune_body(run, tune, visitor)),
                Job::Test(test) => (test_body(run, test)),
                Job::Race(race) => (race_page::body(run, race)),
            }
        }
    };
    let script = match spec.job {
        Job::Tune(_) => "tune.js",
        Job::Test(_) => "test.js",
        Job::Race(_) => "race.js",
    };
    layout(&spec.name, &[script], visitor, &body)
}

fn tune_body(run: &RunView, tune: &TuneSpec, visitor: Option<&Visitor>) -> Markup {
    html! {
        section .tiles aria-labelledby="tiles-title" {
            h2 .sr id="tiles-title" { "Progress" }
            (pace_tiles()) (games_tile("Games of the plus side against the minus side. In a tune both are perturbed, so this tells about the noise, not about strength."))
            (tile("Verdict", "Whether the tune has converged, by the rule of its optimiser: docs/tuning.md has it.", html! {
                p .big data-f="convergence" { "–" } p .sub data-f="convergence-why" {}
            }))
            @if knows(tune) {
                (tile("Predicted gain", "Elo of the suggested values above the start, by the fitted surface, and what it is at least with 97.5 %. A test against the start proves it.", html! {
                    p .big data-f="gain" { "–" } p .sub data-f="gain-range" {} p .sub data-f="gain-left" {}
                }))
            } @else {
                (tile("Estimated gain", "Elo of the present point above the start with its 95 % interval: a quadratic and cubic surface, fitted to every report of this tune as bqr does it; spsa itself does not know it. A test against the start proves it.", html! {
                    p .big data-f="gain" { "–" } p .sub data-f="gain-range" {} p .sub data-f="gain-left" {}
                }))
            }
        }
        section .card aria-labelledby="trace-title" {
            div .cardhead {
                h2 id="trace-title" { "Parameter traces" }
                p .readout data-f="readout" {}
                label { span .sr { "Parameters whose name contains" } input type="search" data-f="filter" data-of=(tune.parameters.len()) placeholder="Filter by name" autocomplete="off"; }
                label { span .sr { "Which come first where they are too many" } select data-f="order" {
                    option value="moved" { "Moved most" } option value="signal" { "Signal to noise" } option value="file" { "As in the file" }
                } }
                output .sub data-f="found" {}
                div .toggle role="group" aria-label="Scale" {
                    button type="button" data-scale="relative" aria-pressed="true" title="Distance from the start, in units of the parameter's c_end" { "Relative" }
                    button type="button" data-scale="absolute" aria-pressed="false" title="The values themselves" { "Absolute" }
                }
            }
            div .chart.tall data-f="chart" role="img" aria-label="Lines of the parameters over the pairs played" {}
            div .chips data-f="chips" role="group" aria-label="Show or hide parameters" {}
            (numbers())
        }
        div .split {
            div .stack {
                section .card aria-labelledby="params-title" {
                    h2 id="params-title" { "Parameters" }
                    @if tune.parameters.len() > MOST_SHOWN {
                        p .sub { "At most " (MOST_SHOWN) " of " (grouped(tune.parameters.len() as u64)) " are shown at a time; the filter above finds the others." }
                    }
                    p .sub data-f="choices" hidden {}
                    div .scroll tabindex="0" role="region" aria-labelledby="params-title" { (parameter_table(tune)) }
                }
                (as_asked(&run.spec, html! {
                    (fact("Optimiser", "What moves the parameters: spsa follows noisy slopes (J. C. Spall, 1992), bqr fits a surface to every report by Bayesian regression", html! {
                        (tune.acting().kind()) @if let Some(why) = tune.handed_over() { ": " (why) }
                    }))
                    @match tune.acting() {
                        OptimizerSpec::Spsa(SpsaSettings { alpha, gamma, a_ratio, gains }) => {
                            (fact("SPSA gains", "Exponents of the step (α) and of the perturbation (γ), the stability constant A as a share of the budget (J. C. Spall, 1998), and whose rule makes the gains of them", html! {
                                "α " (alpha) ", γ " (gamma) ", A " (a_ratio) ", as " (gains.name())
                            }))
                        }
                        OptimizerSpec::Bqr(BqrSettings { scale_limit, forget, reach, .. }) => {
                            (fact("Regression", "How far the probes may leave c_end, how fast old reports lose weight, how far from the start the optimum is expected, in c_end", html! {
                                "probes ×" (scale_limit) ", forgetting " (forget) ", reach " @match reach { Some(reach) => { (reach) } None => { "as usual" } }
                            }))
                        }
                    }
                    @if let Some(fork) = tune.forked_from {
                        (fact("Forked from", "The run whose state this one began with, and the pairs in that state", html! {
                            a href={ "/runs/" (fork.run) } { "run #" (fork.run) } " at " (grouped(fork.pairs.0)) " pairs"
                        }))
                    }
                    @for (name, value) in &tune.fixed.0 {
                        (fact(&format!("{name}, fixed"), "This parameter stays at this value", html! { (value) }))
                    }
                }))
            }
            div .stack { (copying()) (pentanomial()) (ledger()) }
        }
        (iteration(run, visitor))
        (breakdown(run))
    }
}

/// Whether the optimiser says how sure it is.
fn knows(tune: &TuneSpec) -> bool {
    tune.acting().kind() == OptimizerKind::Bqr
}

fn parameter_table(tune: &TuneSpec) -> Markup {
    html! {
        table .params {
            thead { tr {
                th scope="col" { "Name" }
                th scope="col" .n.wide { (abbr("Min", "Smallest allowed value")) }
                th scope="col" .way.wide { "Range" }
                th scope="col" .n.wide { (abbr("Max", "Largest allowed value")) }
                th scope="col" .n { "Start" }
                th scope="col" .n { "Now" }
                th scope="col" .n.wide { (abbr("Moved", "Way from the start in units of c_end, the perturbation at the end of the tune")) }
                th scope="col" .n { (abbr("Suggested", "What to set: the present point, integers rounded")) }
                th scope="col" .wide { (abbr("Effect", "Placebo: one that does nothing would look so with a chance of at least 1 %. A young tune calls all of them so.")) }
                th scope="col" .n.wide { (abbr("±", if knows(tune) { "Standard deviation of the optimum, as the optimiser knows it" } else { "Standard deviation of the way that noise alone would have carried a parameter that does nothing" })) }
                th scope="col" .n.wide { (abbr("S/N", "Signal to noise: the way from the start over that deviation")) }
            } }
            // Which of very many they are, the first event says.
            tbody data-f="params" { @for p in tune.parameters.iter().take(MOST_SHOWN) {
                tr {
                    th scope="row" data-c="name" { (p.name) }
                    td .n.dim.wide data-c="min" { (p.min) }
                    td .way.wide { span .range aria-hidden="true" { i .span {} i .from {} i .now {} } }
                    td .n.dim.wide data-c="max" { (p.max) }
                    td .n data-c="start" { (p.start) }
                    td .n data-c="now" { "–" }
                    td .n.wide data-c="moved" { "–" }
                    td .n.strong data-c="suggested" { "–" }
                    td .dim.wide data-c="effect" { "–" }
                    td .n.dim.wide data-c="deviation" { "–" }
                    td .n.dim.wide data-c="signal" { "–" }
                }
            } }
        }
    }
}

/// A test; without hypotheses a match, which has no verdict and nothing to correct for.
fn test_body(run: &RunView, test: &TestSpec) -> Markup {
    let sprt = test.sprt.as_ref();
    let logistic = sprt.filter(|sprt| sprt.model == EloModel::Logistic);
    html! {
        section .card.verdict data-f="verdict" data-verdict="open" aria-label=(if sprt.is_some() { "Verdict" } else { "Match" }) {
            // The word is announced when it changes; the sentence changes too often to be read out.
            div { h2 data-f="verdict-word" aria-live="polite" { "–" } p data-f="verdict-why" {} }
            @if sprt.is_some() { (gauge()) }
        }
        section .tiles aria-labelledby="tiles-title" {
            h2 .sr id="tiles-title" { "Results" }
            (tile("Elo, 95 % interval", if sprt.is_some() { "Logistic Elo of the candidate over the base. Naive: not corrected for the stopping rule." } else { "Logistic Elo of the candidate over the base. All pairs are played, so that there is no stopping rule to correct for." }, html! {
                p .big data-f="elo" { "–" } p .sub data-f="elo-range" {}
            }))
            @if sprt.is_some() {
                (tile("Elo, corrected", "Logistic Elo freed of the bias of stopping: the strength at which the seen outcome is the median one (D. Siegmund, 1978).", html! {
                    p .big data-f="corrected" { "–" } p .sub data-f="corrected-range" {}
                }))
            }
            (tile("nElo · LOS", "Normalised Elo: strength in standard deviations of one game (M. Van den Bergh, 2020). LOS: likelihood that the candidate is stronger at all.", html! {
                p .big data-f="nelo" { "–" } p .sub data-f="nelo-corrected" {} p .sub data-f="los" {}
            }))
            @if sprt.is_some() {
                (tile("Outlook", "Chance to pass, and games until the verdict: mean, and what 95 of 100 such tests stay below. From the results so far and a prior about the hypotheses, if the budget does not end the test.", html! {
                    p .big data-f="passes" { "–" } p .sub data-f="remaining" {}
                }))
            }
            (pace_tiles())
            (games_tile("Games of the candidate against the base"))
        }
        div .charts {
            @if sprt.is_some() {
                section .card aria-labelledby="llr-title" {
                    div .cardhead {
                        h2 id="llr-title" { (abbr("LLR", "Log-likelihood ratio: how much more probable the results are under the second hypothesis than under the first")) " against its bounds" }
                        p .readout data-f="llr-readout" {}
                    }
                    div .chart data-f="llr-chart" role="img" aria-label="Log-likelihood ratio over the pairs played" {}
                }
            }
            section .card aria-labelledby="elo-title" {
                div .cardhead {
                    h2 id="elo-title" { "Elo with its 95 % interval" }
                    p .readout data-f="elo-readout" {}
                }
                div .chart data-f="elo-chart" role="img" aria-label="Elo with its interval over the pairs played" data-elo0=[logistic.map(|sprt| sprt.elo0)] data-elo1=[logistic.map(|sprt| sprt.elo1)] {}
            }
        }
        section .card.slim { (numbers()) }
        div .split.even {
            div .stack { (pentanomial()) (ledger()) }
            section .card aria-labelledby="sides-title" {
                h2 id="sides-title" { "Candidate against base" }
                div .scroll tabindex="0" role="region" aria-labelledby="sides-title" { table {
                    thead { tr { th scope="col" { "Parameter" } th scope="col" .n { "Candidate" } th scope="col" .n { "Base" } } }
                    tbody { @for name in names(test) {
                        tr { th scope="row" { (name) } td .n.strong { (value(&test.candidate, name)) } td .n { (value(&test.base, name)) } }
                    } }
                } }
            }
            (as_asked(&run.spec, html! {
                @match sprt {
                    Some(sprt) => {
                        (hypotheses(sprt))
                        (fact("Error rates", "α: chance to accept at H0. β: chance to reject at H1.", html! { "α " (sprt.alpha) ", β " (sprt.beta) }))
                    }
                    None => { (fact("Length", "A match has no hypotheses and no verdict: all its pairs are played", html! { (grouped(test.max_pairs.0)) " pairs" })) }
                }
                @if test.futility > 0.0 {
                    (fact("Futility", "The test ends without a verdict when a candidate as strong as H1 would be accepted within the budget with a probability below this", html! { (test.futility) }))
                }
                @if let Some(from) = test.candidate_run {
                    (fact("Candidate from", "The run whose result the candidate is", html! { a href={ "/runs/" (from) } { "run #" (from) } }))
                }
            }))
        }
        (breakdown(run))
    }
}

/// Where the LLR stands between its bounds.
fn gauge() -> Markup {
    html! {
        div .gauge data-f="gauge" aria-hidden="true" {
            span .low { "reject" } span .high { "accept" }
            div .rail { i .zero {} i .fill {} i .dot {} }
        }
    }
}

pub(super) fn hypotheses(sprt: &SprtSpec) -> Markup {
    let unit = match sprt.model {
        EloModel::Normalized => "nElo",
        EloModel::Logistic => "Elo",
    };
    fact(
        "Hypotheses",
        "Sequential probability ratio test (A. Wald, 1945): the candidate is accepted if H1 explains the results much better than H0",
        html! { "H0 " (sprt.elo0) ", H1 " (sprt.elo1) " " (unit) },
    )
}

fn names(test: &TestSpec) -> BTreeSet<&str> {
    test.candidate.0.keys().chain(test.base.0.keys()).map(String::as_str).collect()
}

pub(super) fn value(set: &ParameterSet, name: &str) -> Markup {
    match set.get(name) {
        Some(value) => html! { (value) },
        None => html! { span .dim { "default" } },
    }
}

pub(super) fn pace_tiles() -> Markup {
    html! {
        (tile("Progress", "Pairs in the ledger, of those asked for. A test may end before.", html! {
            p .big { span data-f="share" { "–" } }
            div .meter aria-hidden="true" { i data-f="bar" {} i .leased data-f="bar-leased" {} }
            p .sub data-f="pairs" {}
        }))
        (tile("Pairs per second", "Over the last half minute. The line begins when this page was opened.", html! {
            p .big data-f="rate" { "–" }
            svg .spark data-f="spark" viewBox="0 0 100 24" preserveAspectRatio="none" aria-hidden="true" {}
            p .sub data-f="eta" {}
        }))
    }
}

pub(super) fn games_tile(meaning: &str) -> Markup {
    tile(
        "Games: W / D / L",
        meaning,
        html! {
            p .big data-f="wdl" { "–" }
            div .wdl aria-hidden="true" { i .w data-f="bar-w" {} i .d data-f="bar-d" {} i .l data-f="bar-l" {} }
            p .sub data-f="score" {}
        },
    )
}

pub(super) fn pentanomial() -> Markup {
    html! {
        section .card aria-labelledby="penta-title" {
            h2 id="penta-title" { (abbr("Pentanomial", "Game pairs by their score. A pair is two games from one opening with the sides swapped: the unit of evidence.")) }
            ol .penta data-f="penta" { @for (short, meaning) in CELLS {
                li { (abbr(short, meaning)) span .track aria-hidden="true" { i {} } b { "–" } span .dim data-c="share" {} }
            } }
            p .sub data-f="pair-deviation" {}
        }
    }
}

pub(super) fn ledger() -> Markup {
    html! {
        section .card aria-labelledby="leases-title" {
            h2 id="leases-title" { (abbr("Leases", "Slices of the run handed to workers")) }
            dl .counts data-f="leases" {
                @for (name, meaning) in [("active", "Being played"), ("completed", "Every pair merged"), ("returned", "Given back"), ("expired", "Leased again after silence"), ("revoked", "Ended with their run")] {
                    div { dt { (abbr(name, meaning)) } dd data-lease=(name) { "–" } }
                }
                div { dt { (abbr("pairs out", "Pairs leased and not in the ledger yet")) } dd data-f="leased" { "–" } }
                div { dt { (abbr("reports", "Messages with results merged into the ledger")) } dd data-f="reports" { "–" } }
                div { dt { (abbr("audited", "Pairs that another worker played again and that came out the same")) } dd data-f="audited" { "–" } }
            }
        }
    }
}

/// The specification: what the job adds, then what every run has.
pub(super) fn as_asked(spec: &RunSpec, of_the_job: Markup) -> Markup {
    let book = spec.book.chars().take(12).collect::<String>();
    html! {
        section .card {
            h2 { "As asked" }
            dl .spec {
                (of_the_job)
                (fact("Seed", "Everything random in the run comes from this number", html! { (spec.seed) }))
                (fact("Weight", "Share of the cluster against other runs", html! { (spec.weight) }))
                (fact("Pairs per lease", "A lease is a slice of the run handed to one worker", html! { (spec.lease_pairs) }))
                (fact("Longest game", "A game that reaches this many half-moves is a draw", html! { (spec.limit.max_plies) " plies" }))
                (fact("Hash table", "Transposition table of each engine", html! { (grouped(u64::from(spec.limit.hash_kib))) " KiB" }))
                (fact("Book", "SHA-256 of the opening book", html! { code title=(spec.book) { (book) "…" } }))
            }
        }
    }
}

pub(super) fn fact(name: &str, meaning: &str, value: Markup) -> Markup {
    html! { div { dt { (abbr(name, meaning)) } dd { (value) } } }
}

/// The data of the charts for those who do not see them, filled when it is opened.
pub(super) fn numbers() -> Markup {
    html! {
        details .numbers data-f="numbers" {
            summary { "The numbers of the charts" }
            div .scroll tabindex="0" role="region" aria-label="The numbers of the charts" { table { thead {} tbody {} } }
        }
    }
}

/// `1234567` as `1,234,567`.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
