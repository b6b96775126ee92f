//! Workers that wait for a person: why, and the form by which an admin lets them play again.

use super::Web;
use super::pages::missing;
use super::signing::{refused, signed_form};
use crate::desk::Visitor;
use axum::extract::{Path, Request, State};
use axum::response::{IntoResponse, Redirect, Response};
use maud::{Markup, html};
use model::view::WorkerView;
use model::{Role, WorkerId};

/// `POST /workers/{id}/release`.
pub(super) async fn release(
    State(web): State<Web>,
    Path(worker): Path<String>,
    request: Request,
) -> Response {
    let (Some(desk), Ok(worker)) = (&web.desk, worker.parse().map(WorkerId)) else {
        return missing("There is no such worker.");
    };
    let (visitor, fields) = match signed_form(&web, request).await {
        Ok(signed) => signed,
        Err(answer) => return answer,
    };
    let reason = fields.get("reason").map(String::as_str).unwrap_or_default();
    match desk.release(&visitor, worker, reason).await {
        Ok(()) => Redirect::to(&format!("/workers/{worker}")).into_response(),
        Err(error) => refused(&error),
    }
}

/// Why a worker gets nothing, and for admins the way out of it.
pub(super) fn hold(worker: &WorkerView, visitor: Option<&Visitor>) -> Markup {
    if worker.on_hold.is_empty() {
        return html! {};
    }
    let admin = visitor.filter(|visitor| visitor.role.covers(Role::Admin));
    html! {
        section .card.stack aria-labelledby="hold-title" {
            h2 id="hold-title" { "On hold" }
            p .reason { (worker.on_hold) }
            p .sub { "It gets no pairs until an admin lets it play again. Look at what differed first: " code { "elomill workers show " (worker.id) } }
            @if let Some(admin) = admin {
                form .filters method="post" action={ "/workers/" (worker.id) "/release" } {
                    input type="hidden" name="form" value=(admin.form_token);
                    label { "Reason " input name="reason" required maxlength="250" autocomplete="off" placeholder="for whoever asks later"; }
                    button .button.main type="submit" { "Let it play again" }
                }
            }
        }
    }
}
