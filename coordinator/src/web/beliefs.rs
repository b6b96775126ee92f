//! Whose results count, as authors decide it on the pages: what an exclusion would change is shown before
//! it is made, and it can be taken back.

use super::pages::{abbr, layout, missing, plain};
use super::signing::{Visit, refused, signed_form};
use super::{Web, run_id};
use crate::desk::{Belief, Effects, Visitor};
use axum::extract::{Path, Query, Request, State};
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Redirect, Response};
use maud::{Markup, html};
use model::{Role, RunId, WorkerId};
use proto::v1;
use serde::Deserialize;

/// In which run; everywhere without one.
#[derive(Deserialize)]
pub(super) struct Where {
    #[serde(default)]
    run: String,
}

/// `GET /workers/{id}/{belief}`: what it would change, with the form that does it.
pub(super) async fn preview(
    State(web): State<Web>,
    Path((worker, belief)): Path<(String, String)>,
    Query(Where { run }): Query<Where>,
    Visit(visitor): Visit,
) -> Response {
    let (Some(desk), Some((belief, worker))) = (&web.desk, asked(&belief, &worker)) else {
        return missing("There is no such page.");
    };
    let Some(visitor) = visitor else {
        let why = "Sign in first: `elomill login` prints a link.";
        return plain(StatusCode::UNAUTHORIZED, "Who asks?", why);
    };
    let run = run_id(&run);
    match desk.believe(&visitor, belief, worker, run, None).await {
        Ok(effects) => {
            let body = page(&visitor, belief, worker, run, &effects);
            let title = format!("{} worker {worker}", belief_word(belief));
            Html(layout(&title, &["common.js"], Some(&visitor), &body).into_string())
                .into_response()
        }
        Err(error) => refused(&error),
    }
}

/// `POST /workers/{id}/{belief}`: does it.
pub(super) async fn carry_out(
    State(web): State<Web>,
    Path((worker, belief)): Path<(String, String)>,
    request: Request,
) -> Response {
    let (Some(desk), Some((belief, worker))) = (&web.desk, asked(&belief, &worker)) else {
        return missing("There is no such page.");
    };
    let (visitor, fields) = match signed_form(&web, request).await {
        Ok(signed) => signed,
        Err(answer) => return answer,
    };
    let run = fields.get("run").and_then(|text| run_id(text));
    let reason = fields.get("reason").map(String::as_str).unwrap_or_default();
    match desk.believe(&visitor, belief, worker, run, Some(reason)).await {
        Ok(_) => match run {
            Some(run) => Redirect::to(&format!("/runs/{run}")).into_response(),
            None => Redirect::to(&format!("/workers/{worker}")).into_response(),
        },
        Err(error) => refused(&error),
    }
}

fn asked(belief: &str, worker: &str) -> Option<(Belief, WorkerId)> {
    let belief = match belief {
        "exclude" => Belief::Exclude,
        "include" => Belief::Include,
        _ => return None,
    };
    Some((belief, WorkerId(worker.parse().ok()?)))
}

fn belief_word(belief: Belief) -> &'static str {
    match belief {
        Belief::Exclude => "Exclude",
        Belief::Include => "Include",
    }
}

fn page(
    visitor: &Visitor,
    belief: Belief,
    worker: WorkerId,
    run: Option<RunId>,
    (effects, more): &Effects,
) -> Markup {
    let word = belief_word(belief);
    let path = format!("/workers/{worker}/{}", word.to_lowercase());
    html! {
        main id="main" data-page="belief" {
            header .head {
                p .crumbs { a href="/workers" { "Workers" } " / " a href={ "/workers/" (worker) } { "#" (worker) } " / " span { (word) } }
                h1 { (word) " worker #" (worker) @match run { Some(run) => { " in run #" (run) } None => { " in every run" } } }
                p .sub {
                    @match belief {
                        Belief::Exclude => { "Its results no longer count, and it gets no more pairs there. The ledger keeps them: it can be included again, and every figure is then what it was." }
                        Belief::Include => { "Its results count again, as if it had never been excluded." }
                    }
                }
            }
            section .card aria-labelledby="effects-title" {
                h2 id="effects-title" { "What that changes" }
                div .scroll tabindex="0" role="region" aria-labelledby="effects-title" { table {
                    thead { tr {
                        th scope="col" { "Run" } th scope="col" .n { "Pairs" } th scope="col" .n { "then" }
                        th scope="col" .n { (abbr("LLR", "Log-likelihood ratio of a test")) } th scope="col" .n { "then" }
                        th scope="col" .n { "Elo" } th scope="col" .n { "then" }
                    } }
                    tbody {
                        @for effect in effects { (row(effect)) }
                        @if effects.is_empty() { tr { td colspan="7" .empty { "It has no part in any run." } } }
                    }
                } }
                @if *more > 0 { p .sub { (more) " more runs change, too." } }
            }
            form .card.stack method="post" action=(path) {
                input type="hidden" name="form" value=(visitor.form_token);
                @if let Some(run) = run { input type="hidden" name="run" value=(run); }
                label { "Reason " input name="reason" required maxlength="250" autocomplete="off" placeholder="for whoever asks later"; }
                p { button .button.main type="submit" { (word) } }
                @if run.is_none() && !visitor.role.covers(Role::Admin) {
                    p .sub { "Only an admin decides for every run; open this from the page of one run." }
                }
            }
        }
    }
}

fn row(effect: &v1::ExclusionEffect) -> Markup {
    let empty = v1::Run::default();
    let (before, after) =
        (effect.before.as_ref().unwrap_or(&empty), effect.after.as_ref().unwrap_or(&empty));
    let test = |run: &v1::Run| match &run.progress {
        Some(v1::run::Progress::Test(test)) => Some(test.clone()),
        _ => None,
    };
    let number =
        |value: Option<f64>| value.map_or("–".to_owned(), |value| format!("{value:+.2}"));
    let llr = |run| number(test(run).map(|test| test.llr));
    let elo = |run| number(test(run).map(|test| test.elo));
    let pairs = |run: &v1::Run| {
        run.tally.as_ref().map_or(0, |tally| tally.pentanomial_pairs.iter().sum::<u64>())
    };
    let name = before.spec.as_ref().map_or("", |spec| spec.name.as_str());
    html! {
        tr {
            th scope="row" { a href={ "/runs/" (before.run_id) } { "#" (before.run_id) " " (name) } }
            td .n { (pairs(before)) } td .n.strong { (pairs(after)) }
            td .n { (llr(before)) } td .n.strong { (llr(after)) }
            td .n { (elo(before)) } td .n.strong { (elo(after)) }
        }
    }
}
