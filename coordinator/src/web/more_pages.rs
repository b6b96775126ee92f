//! The pages beside the runs: games, progress, workers and their owners.
//!
//! Skeletons as the others; the list of games, which does not move, is written whole by the server.

use super::holds::hold;
use super::pages::{abbr, layout, missing, tile, unreadable};
use super::run_page::grouped;
use super::signing::Visit;
use super::{SourceError, Web, run_id};
use axum::extract::{Path, Query, State};
use axum::response::{Html, IntoResponse, Response};
use maud::{Markup, html};
use model::lease::PairIndex;
use model::view::{GameView, PairView, RunView};
use model::{GameScore, Role, RunId};
use serde::Deserialize;

/// Pairs of one page of games.
const PAGE: u32 = 50;

/// Where a list of games begins.
#[derive(Deserialize)]
pub(super) struct From {
    #[serde(default)]
    from: u64,
}

/// `GET /runs/{id}/games`: the pairs of a run, page by page.
pub(super) async fn games(
    State(web): State<Web>,
    Path(id): Path<String>,
    Query(From { from }): Query<From>,
    Visit(visitor): Visit,
) -> Response {
    let (Some(insight), Some(id)) = (&web.insight, run_id(&id)) else {
        return missing("There is no such run.");
    };
    let run = match web.source.run(id).await {
        Ok(Some(run)) => run,
        Ok(None) => return missing("There is no such run."),
        Err(error) => return unreadable(&error),
    };
    let pairs = match insight.pairs(id, PairIndex(from), PAGE).await {
        Ok(pairs) => pairs,
        Err(error) => return unreadable(&SourceError(Box::new(error))),
    };
    let body = games_list(&run, from, &pairs);
    let title = format!("Games of run {id}");
    Html(layout(&title, &["common.js"], visitor.as_ref(), &body).into_string()).into_response()
}

fn games_list(run: &RunView, from: u64, pairs: &[PairView]) -> Markup {
    let next = pairs.last().filter(|_| pairs.len() == PAGE as usize).map(|last| last.pair.0 + 1);
    let sides = if run.kind == "tune" { ["plus", "minus"] } else { ["candidate", "base"] };
    html! {
        main id="main" data-page="games" {
            header .head {
                (crumbs(run.id, "Games"))
                h1 { "Games of " (run.spec.name) }
                p .facts { span { (grouped(run.counted_pairs)) " pairs in the ledger" } span { (run.spec.game) } }
            }
            section .card.scroll tabindex="0" role="region" aria-label="Pairs of games" {
                table {
                    thead { tr {
                        th scope="col" .n { "Pair" }
                        th scope="col" { (abbr("First game", "The one in which the first side below made the first move")) }
                        th scope="col" .n.wide { "Plies" }
                        th scope="col" { "Second game" }
                        th scope="col" .n.wide { "Plies" }
                        th scope="col" .wide { "Worker" }
                        th scope="col" .wide { "Opening" }
                    } }
                    tbody {
                        @for pair in pairs { (game_row(run.id, pair, sides)) }
                        @if pairs.is_empty() { tr { td colspan="7" .empty { "There are no pairs from here on." } } }
                    }
                }
            }
            nav .pager aria-label="More games" {
                @if from > 0 { a .button href={ "/runs/" (run.id) "/games?from=" (from.saturating_sub(u64::from(PAGE))) } { "Earlier pairs" } }
                @if let Some(next) = next { a .button href={ "/runs/" (run.id) "/games?from=" (next) } { "Later pairs" } }
            }
        }
    }
}

fn game_row(run: RunId, pair: &PairView, sides: [&str; 2]) -> Markup {
    let one = |number: u8, game: &GameView| {
        let result = match game.score {
            GameScore::Win => format!("{} wins", sides[0]),
            GameScore::Draw => "drawn".to_owned(),
            GameScore::Loss => format!("{} wins", sides[1]),
        };
        html! {
            td { a href={ "/runs/" (run) "/games/" (pair.pair) "?game=" (number) } { (result) } " " span .dim { (game.termination.name()) } }
            td .n.wide { (game.plies) }
        }
    };
    html! {
        tr {
            th scope="row" .n { (pair.pair) }
            (one(1, &pair.candidate_first))
            (one(2, &pair.base_first))
            td .wide { a href={ "/workers/" (pair.worker) } { (pair.worker) } }
            td .wide { code .clip title=(pair.opening) { (pair.opening) } }
        }
    }
}

/// `GET /runs/{id}/games/{pair}`: the board.
pub(super) async fn board(
    State(web): State<Web>,
    Path((id, pair)): Path<(String, String)>,
    Visit(visitor): Visit,
) -> Response {
    let (Some(id), Ok(index)) = (run_id(&id), pair.parse::<u64>()) else {
        return missing("There is no such game.");
    };
    let run = match web.source.run(id).await {
        Ok(Some(run)) => run,
        Ok(None) => return missing("There is no such run."),
        Err(error) => return unreadable(&error),
    };
    match web.source.pair(id, PairIndex(index)).await {
        Ok(Some(_)) => {}
        Ok(None) => return missing("The ledger has no such pair."),
        Err(error) => return unreadable(&error),
    }
    let body = html! {
        main id="main" data-page="board" data-run=(id) data-pair=(index) data-kind=(run.kind) {
            header .head {
                p .crumbs { a href="/" { "Runs" } " / " a href={ "/runs/" (id) } { "#" (id) } " / " a href={ "/runs/" (id) "/games?from=" (index) } { "Games" } " / " span { "pair " (index) } }
                h1 { "Pair " (index) " of " (run.spec.name) }
                p .facts {
                    span data-f="players" {} span data-f="ending" {}
                    span .toggle role="group" aria-label="Which of the two games" {
                        button type="button" data-game="1" { "First game" }
                        button type="button" data-game="2" { "Second game" }
                    }
                }
            }
            div .boardroom {
                section .card aria-label="Board" {
                    div .board data-f="board" role="img" aria-label="Board" {}
                    div .moves-nav role="group" aria-label="Go through the game" {
                        button .button type="button" data-go="first" aria-label="To the opening" { "|◀" }
                        button .button type="button" data-go="back" aria-label="One move back" { "◀" }
                        button .button type="button" data-go="on" aria-label="One move on" { "▶" }
                        button .button type="button" data-go="last" aria-label="To the end" { "▶|" }
                        button .button type="button" data-go="turn" aria-label="Turn the board" { "⟳" }
                    }
                    p .sub { "Arrow keys, Home and End go through the game." }
                    p .sr role="status" aria-live="polite" data-f="said" {}
                }
                section .card aria-labelledby="moves-title" {
                    h2 id="moves-title" { "Moves" }
                    p .sub data-f="position-text" {}
                    ol .moves data-f="moves" {}
                    p .sub data-f="no-moves" hidden { "The moves of this game are not kept; `keep` of the run says which are." }
                }
                section .card.evals aria-labelledby="evals-title" data-f="evals" hidden {
                    h2 id="evals-title" { "What the searches said" }
                    div .chart data-f="eval-chart" role="img" aria-label="Score for the candidate over the moves" {}
                    details .numbers data-f="numbers" { summary { "The numbers of the chart" } div .scroll tabindex="0" role="region" aria-label="The numbers of the chart" { table { thead {} tbody {} } } }
                }
            }
            p .facts {
                a .button download href={ "/api/runs/" (id) "/pairs/" (index) "/pgn" } { "Both games as PGN" }
                a .button download href={ "/api/runs/" (id) "/pairs/" (index) "/record" } { (own_form(run.spec.game)) }
                a .button href={ "/api/runs/" (id) "/pairs/" (index) "/replay" } { "JSON" }
            }
        }
    };
    let title = format!("Pair {index} of run {id}");
    Html(layout(&title, &["board.js"], visitor.as_ref(), &body).into_string()).into_response()
}

fn own_form(game: model::GameKind) -> &'static str {
    match game {
        model::GameKind::Othello => "As GGF",
        model::GameKind::Shogi => "As USI lines",
        model::GameKind::Xiangqi => "As UCCI lines",
        model::GameKind::Chess | model::GameKind::TicTacToe => "As UCI lines",
    }
}

fn crumbs(run: RunId, here: &str) -> Markup {
    html! { p .crumbs { a href="/" { "Runs" } " / " a href={ "/runs/" (run) } { "#" (run) } " / " span { (here) } } }
}

/// `GET /progress`: the lineages of champions.
pub(super) async fn progress(Visit(visitor): Visit) -> Html<String> {
    let body = html! {
        main id="main" data-page="progress" {
            header .head {
                h1 { "Progress" }
                p .sub { "Champions, each accepted by a test against the one before it. Gains are corrected for the stopping rule and added up; tests that pass have luck on their side, so that the sum is more than was gained. Matches of a fixed length against the start say what was." }
            }
            div .stack data-f="lineages" { p .empty { "Looking through the ledger …" } }
        }
    };
    Html(layout("Progress", &["progress.js"], visitor.as_ref(), &body).into_string())
}

/// `GET /workers`: every worker.
pub(super) async fn workers(Visit(visitor): Visit) -> Html<String> {
    let body = html! {
        main id="main" data-page="workers" {
            header .head { h1 { "Workers" } }
            form .filters role="search" data-f="filters" aria-label="Which workers" {
                label { span .sr { "Find" } input type="search" name="q" placeholder="Name, owner, platform, status" autocomplete="off"; }
                label { span .sr { "Which" } select name="which" {
                    option value="" { "All workers" } option value="here" { "Connected" } option value="idle" { "Idle" }
                    option value="refused" { "With refused reports" }
                } }
                output data-f="found" {}
            }
            section .card.scroll tabindex="0" role="region" aria-label="Workers" {
                table .workers {
                    thead { tr {
                        th scope="col" { "Worker" }
                        th scope="col" { "Owner" }
                        th scope="col" .wide { "Platform" }
                        th scope="col" .n { (abbr("Slots", "Games at the same time: playing of possible")) }
                        th scope="col" .n { (abbr("Nodes/s", "Positions searched in a second, all slots together")) }
                        th scope="col" .n.wide { "Leases" }
                        th scope="col" .n { "Pairs" }
                        th scope="col" .n { (abbr("Audited", "Share of its pairs that another worker played again, and that came out the same")) }
                        th scope="col" .wide { (abbr("Residual", "By how many Elo candidates do better on it than on other machines of its kind in the same runs, with the 95 % interval, and the evidence that this is no chance")) }
                        th scope="col" .n { (abbr("Refused", "Reports that contradict their lease, themselves or the rules of the game")) }
                        th scope="col" { "Status" }
                    } }
                    tbody data-f="workers" {}
                }
            }
        }
    };
    Html(layout("Workers", &["workers.js"], visitor.as_ref(), &body).into_string())
}

/// `GET /workers/{id}`: one worker.
pub(super) async fn worker(
    State(web): State<Web>,
    Path(id): Path<String>,
    Visit(visitor): Visit,
) -> Response {
    let (Some(insight), Ok(number)) = (&web.insight, id.parse()) else {
        return missing("There is no such worker.");
    };
    match insight.worker(model::WorkerId(number)).await {
        Ok(Some(hands)) => {
            let name = hands.workers.first().map_or("", |worker| worker.name.as_str());
            let body = hands_page(
                &format!("/api/workers/{number}"),
                name,
                hands.owner.as_deref(),
                visitor
                    .as_ref()
                    .filter(|visitor| visitor.role.covers(Role::Author))
                    .map(|_| number),
                html! { @if let Some(worker) = hands.workers.first() { (hold(worker, visitor.as_ref())) } },
            );
            let title = format!("Worker {name}");
            Html(layout(&title, &["hands.js"], visitor.as_ref(), &body).into_string())
                .into_response()
        }
        Ok(None) => missing("There is no such worker."),
        Err(error) => unreadable(&SourceError(Box::new(error))),
    }
}

/// `GET /owners/{name}`: the workers of one owner, and what they have brought.
pub(super) async fn owner(
    State(web): State<Web>,
    Path(name): Path<String>,
    Visit(visitor): Visit,
) -> Response {
    let Some(insight) = &web.insight else { return missing("There is no such owner.") };
    match insight.owner(&name).await {
        Ok(Some(_)) => {
            let path = format!("/api/owners/{}", percent(&name));
            let body = hands_page(&path, &name, None, None, html! {});
            Html(layout(&name, &["hands.js"], visitor.as_ref(), &body).into_string())
                .into_response()
        }
        Ok(None) => missing("There is no such owner, or none of their workers has come."),
        Err(error) => unreadable(&SourceError(Box::new(error))),
    }
}

/// A name as a part of a path (RFC 3986).
pub(super) fn percent(name: &str) -> String {
    name.bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                char::from(byte).to_string()
            }
            other => format!("%{other:02X}"),
        })
        .collect()
}

/// `worker` is the number of the one worker that an author may exclude from here, `held` what is said of
/// its hold.
fn hands_page(
    path: &str,
    name: &str,
    owner: Option<&str>,
    worker: Option<i64>,
    held: Markup,
) -> Markup {
    html! {
        main id="main" data-page="hands" data-path=(path) {
            header .head {
                p .crumbs { a href="/workers" { "Workers" } " / " span { (name) } }
                h1 { (name) }
                @if let Some(owner) = owner { p .facts { span { "of " a href={ "/owners/" (percent(owner)) } { (owner) } } } }
                @if let Some(worker) = worker {
                    p .facts {
                        a .button href={ "/workers/" (worker) "/exclude" } { "Exclude, with a preview" }
                        a .button href={ "/workers/" (worker) "/include" } { "Include again" }
                    }
                }
            }
            (held)
            section .tiles aria-labelledby="tiles-title" {
            h2 .sr id="tiles-title" { "Now" }
                (tile("Connected", "Workers with an open session", html! { p .big data-f="connected" { "–" } p .sub data-f="idle" {} }))
                (tile("Games being played", "At this moment, of the slots there are", html! { p .big data-f="playing" { "–" } p .sub data-f="slots" {} }))
                (tile("Nodes per second", "Positions searched, as the workers say", html! { p .big data-f="nodes" { "–" } }))
                (tile("Pairs", "Game pairs in the ledger", html! { p .big data-f="pairs" { "–" } p .sub data-f="refused" {} }))
                (tile("Audited", "Share of the pairs that another worker played again, and that came out the same", html! { p .big data-f="audited" { "–" } p .sub data-f="differ" {} }))
            }
            section .card aria-labelledby="out-title" {
                h2 id="out-title" { "Playing now" }
                div .scroll tabindex="0" role="region" aria-labelledby="out-title" { table { thead { tr { th scope="col" { "Run" } th scope="col" { "Worker" } th scope="col" .n { "Leases" } th scope="col" .n { (abbr("Pairs out", "Leased and not in the ledger yet")) } } } tbody data-f="out" {} } }
            }
            section .card aria-labelledby="shares-title" {
                h2 id="shares-title" { "Contribution" }
                div .scroll tabindex="0" role="region" aria-labelledby="shares-title" { table {
                    thead { tr {
                        th scope="col" { "Run" } th scope="col" .wide { "Worker" } th scope="col" .n { "Pairs" }
                        th scope="col" .wide { "W / D / L" }
                        th scope="col" { "What it did" } th scope="col" .wide { "Last" }
                    } }
                    tbody data-f="shares" {}
                } }
            }
            section .card aria-labelledby="refusals-title" data-f="refusals-card" hidden {
                h2 id="refusals-title" { "Refused reports" }
                ul .plain data-f="refusals" {}
            }
            section .card aria-labelledby="machines-title" {
                h2 id="machines-title" { "Machines" }
                div .scroll tabindex="0" role="region" aria-labelledby="machines-title" { table { thead { tr { th scope="col" { "Worker" } th scope="col" { "Platform" } th scope="col" { "Version" } th scope="col" .n { "Cores" } th scope="col" .n { "Slots" } th scope="col" .wide { (abbr("Residual", "By how many Elo candidates do better on it than on other machines of its kind in the same runs, with the 95 % interval, and the evidence that this is no chance")) } th scope="col" { "Status" } } } tbody data-f="machines" {} } }
            }
        }
    }
}
