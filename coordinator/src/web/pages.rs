//! The frame of every page, the overview and the pages for what is missing.
//!
//! Pages are skeletons: what does not change while one is open is written by the server, and each
//! number that does has a place marked `data-f`, which the scripts fill.
//!
//! maud escapes all text, so a name from outside stays a name.

use super::signing::{Visit, corner};
use super::{SourceError, Web, api, run_id, run_page};
use crate::desk::Visitor;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use maud::{DOCTYPE, Markup, html};

/// `GET /`: runs and workers.
pub(super) async fn overview(Visit(visitor): Visit) -> Html<String> {
    let body = html! {
        main id="main" data-page="overview" {
            h1 .sr { "Runs and workers" }
            section .tiles aria-labelledby="tiles-title" {
            h2 .sr id="tiles-title" { "The cluster now" }
                (tile("Games per minute", "Of all runs over the last half minute; a pair is two games", html! {
                    p .big data-f="rate" { "–" }
                    svg .spark data-f="spark" viewBox="0 0 100 24" preserveAspectRatio="none" aria-hidden="true" {}
                }))
                (tile("Runs in progress", "Runs to which leases are given", html! {
                    p .big data-f="running" { "–" } p .sub data-f="run-total" {}
                }))
                (tile("Workers connected", "Workers with an open session", html! {
                    p .big data-f="connected" { "–" } p .sub data-f="worker-total" {}
                }))
                (tile("Games being played", "By all connected workers at this moment", html! {
                    p .big data-f="playing" { "–" } p .sub data-f="slots" {}
                }))
                (tile("Nodes per second", "Positions searched, as the workers say", html! {
                    p .big data-f="nodes" { "–" } p .sub { "all slots together" }
                }))
            }
            section aria-labelledby="runs-title" {
                div .cardhead {
                    h2 id="runs-title" { "Runs" }
                    form .filters role="search" data-f="filters" aria-label="Which runs" {
                        label { span .sr { "Find" } input type="search" name="q" placeholder="Name, number, reason" autocomplete="off"; }
                        label { span .sr { "State" } select name="state" {
                            option value="" { "Any state" }
                            @for state in ["running", "queued", "paused", "finished", "stopped"] { option value=(state) { (state) } }
                        } }
                        label { span .sr { "Kind" } select name="kind" {
                            option value="" { "Any kind" }
                            @for kind in ["tune", "test", "match", "race"] { option value=(kind) { (kind) } }
                        } }
                        label { span .sr { "Game" } select name="game" {
                            option value="" { "Any game" }
                            @for game in model::GameKind::ALL { option value=(game) { (game) } }
                        } }
                        output data-f="found" {}
                    }
                }
                ol .runs data-f="runs" { li .empty { "Waiting for the first numbers …" } }
                p .sub data-f="older" hidden {}
            }
            section aria-labelledby="workers-title" {
                h2 id="workers-title" { "Workers" }
                p .sub { a href="/workers" { "All workers, their owners and what they have brought" } }
                div .card.scroll tabindex="0" role="region" aria-labelledby="workers-title" {
                    table .workers {
                        thead { tr {
                            th scope="col" { "Worker" }
                            th scope="col" .wide { "Platform" }
                            th scope="col" .n { (abbr("Slots", "Games at the same time: playing of possible")) }
                            th scope="col" .n { (abbr("Nodes/s", "Positions searched in a second, all slots together")) }
                            th scope="col" .n { (abbr("Leases", "Slices of runs that it holds")) }
                            th scope="col" .n { (abbr("Pairs", "Its game pairs in the ledger")) }
                            th scope="col" .n { (abbr("Refused", "Reports that contradict their lease, themselves or the rules of the game")) }
                            th scope="col" { "Status" }
                        } }
                        tbody data-f="workers" { tr { td colspan="8" .empty { "Waiting …" } } }
                    }
                }
            }
        }
    };
    Html(layout("Runs", &["overview.js"], visitor.as_ref(), &body).into_string())
}

/// `GET /runs/{id}`: one run.
pub(super) async fn run(
    State(web): State<Web>,
    Path(id): Path<String>,
    Visit(visitor): Visit,
) -> Response {
    let found = match run_id(&id) {
        Some(id) => web.source.run(id).await,
        None => Ok(None),
    };
    match found {
        Ok(Some(run)) => Html(run_page::page(&run, visitor.as_ref()).into_string()).into_response(),
        Ok(None) => missing("There is no such run."),
        Err(error) => unreadable(&error),
    }
}

/// 404 as a page.
pub(super) fn missing(what: &str) -> Response {
    plain(StatusCode::NOT_FOUND, "404", what)
}

/// A page of one sentence, with the way back to the overview.
pub(super) fn plain(status: StatusCode, title: &str, text: &str) -> Response {
    let body = html! {
        main id="main" .lost { h1 { (title) } p { (text) } p { a href="/" { "All runs" } } }
    };
    (status, Html(layout(title, &[], None, &body).into_string())).into_response()
}

pub(super) fn unreadable(error: &SourceError) -> Response {
    // Logged and given its status and retry time as for scripts; people get a sentence.
    let (parts, _) = api::unreadable(error).into_parts();
    let body = html! {
        main id="main" .lost {
            h1 { "One moment" }
            p { "The coordinator cannot read its ledger right now. Please try again shortly." }
            p { a href="" { "Try again" } }
        }
    };
    let page = Html(layout("Try again", &[], None, &body).into_string());
    (parts.status, [(header::RETRY_AFTER, "5")], page).into_response()
}

/// What is around every page; a page without scripts has no live numbers.
pub(super) fn layout(
    title: &str,
    scripts: &[&str],
    visitor: Option<&Visitor>,
    body: &Markup,
) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) " · Elomill" }
                link rel="icon" href="/assets/icon.svg" type="image/svg+xml";
                link rel="stylesheet" href="/assets/uplot.css";
                link rel="stylesheet" href="/assets/style.css";
                // Before the first paint, so that a chosen theme does not flash.
                script src="/assets/theme.js" {}
                script src="/assets/uplot.js" defer {}
                @for script in scripts { script type="module" src={ "/assets/" (script) } {} }
            }
            body {
                a .skip href="#main" { "Skip to the content" }
                header .bar {
                    a .brand href="/" {
                        img src="/assets/icon.svg" alt="" width="28" height="28";
                        span { "Elomill" }
                    }
                    nav .places aria-label="Pages" {
                        a href="/" { "Runs" } a href="/progress" { "Progress" } a href="/workers" { "Workers" }
                    }
                    @if !scripts.is_empty() {
                        p .link role="status" aria-live="polite" data-f="link" data-link="wait" hidden { "Connecting" }
                    }
                    (corner(visitor))
                    button .theme type="button" data-f="theme" aria-label="Switch between light and dark" title="Switch between light and dark" {
                        svg viewBox="0 0 24 24" aria-hidden="true" {
                            circle cx="12" cy="12" r="8.5" fill="none" stroke="currentColor" stroke-width="2" {}
                            path d="M12 3.5a8.5 8.5 0 0 1 0 17z" fill="currentColor" {}
                        }
                    }
                }
                noscript { p .note { "This page needs scripts for its live numbers. The same numbers are at " a href="/api/runs" { "/api/runs" } "." } }
                (body)
            }
        }
    }
}

/// A word that explains itself when it is pointed at.
pub(super) fn abbr(word: &str, meaning: &str) -> Markup {
    html! { abbr title=(meaning) { (word) } }
}

/// One number of the row on top.
pub(super) fn tile(label: &str, meaning: &str, body: Markup) -> Markup {
    html! { div .tile { h3 { (abbr(label, meaning)) } (body) } }
}
