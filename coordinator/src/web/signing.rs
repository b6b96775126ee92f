//! Signing in and out, and the forms by which signed-in people act.
//!
//! Plain forms that work without scripts: what was done is seen on the page that they lead back to. A
//! request that changes something has to come from a page of this origin, and to bring the token of the
//! session's forms. Opening a link signs nobody in: only its button does, so that a preview of a
//! messenger does not use it up.

use super::pages::{layout, missing, plain};
use super::{Web, run_id};
use crate::desk::{Action, DeskError, SESSION_LASTS, Visitor};
use crate::door::Peer;
use axum::body::to_bytes;
use axum::extract::{ConnectInfo, FromRequestParts, Path, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Redirect, Response};
use keys::Token;
use maud::{Markup, html};
use model::view::{RunState, RunView};
use model::{Pairs, Role, RunId};
use std::collections::BTreeMap;
use std::convert::Infallible;

/// The cookie of a session; a browser takes one with this prefix only from TLS, for the whole host.
const COOKIE: (&str, &str) = ("elomill-session", "__Host-elomill-session");
/// Most bytes of a form.
const MAX_FORM: usize = 16 * 1024;

/// Who asks for a page, if they are signed in.
pub(super) struct Visit(pub(super) Option<Visitor>);

impl FromRequestParts<Web> for Visit {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, web: &Web) -> Result<Self, Infallible> {
        Ok(Self(visitor(web, &parts.headers).await))
    }
}

async fn visitor(web: &Web, headers: &HeaderMap) -> Option<Visitor> {
    let (desk, session) = (web.desk.as_ref()?, session(headers)?);
    match desk.visitor(&session).await {
        Ok(visitor) => visitor,
        // Whoever cannot be known is a stranger for now; pages are shown to strangers, too.
        Err(error) => {
            tracing::warn!(error = %crate::core::chain(&error), "a session cannot be looked up");
            None
        }
    }
}

/// The token in the session's cookie.
fn session(headers: &HeaderMap) -> Option<Token> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs =
        cookies.flat_map(|line| line.split(';')).filter_map(|c| c.trim().split_once('='));
    pairs.find_map(|(name, value)| {
        (name == COOKIE.0 || name == COOKIE.1).then(|| value.parse().ok()).flatten()
    })
}

/// `GET /sign-in`: how to sign in.
pub(super) async fn how(State(web): State<Web>, Visit(visitor): Visit) -> Response {
    if web.desk.is_none() {
        return missing("There is no such page.");
    }
    let body = html! {
        main id="main" .lost {
            h1 { "Sign in" }
            p { "Type " code { "elomill login" } " where your key is: on the machine of the coordinator, or where you once redeemed the link of an author." }
            p { "It prints a link that signs one browser in. It is good for ten minutes." }
            p { a href="/" { "All runs" } }
        }
    };
    Html(layout("Sign in", &[], visitor.as_ref(), &body).into_string()).into_response()
}

/// `GET /sign-in/{token}`: whom the link would sign in, with the button that does it.
pub(super) async fn offer(State(web): State<Web>, Path(text): Path<String>) -> Response {
    let Some(desk) = &web.desk else { return missing("There is no such page.") };
    let found = match text.parse::<Token>() {
        Ok(link) => desk.invited(&link).await,
        Err(()) => Ok(None),
    };
    let invited = match found {
        Ok(Some(invited)) => invited,
        Ok(None) => return used_up(),
        Err(error) => return refused(&error),
    };
    let body = html! {
        main id="main" .lost {
            h1 { "Sign in" }
            p { "This browser will act as " strong { (invited.owner) } " with the role " strong { (invited.role.name()) } "." }
            form method="post" action="/sign-in" {
                input type="hidden" name="token" value=(text);
                button .button.main type="submit" { "Sign in" }
            }
        }
    };
    Html(layout("Sign in", &[], None, &body).into_string()).into_response()
}

/// `POST /sign-in`: uses the link up and gives the session's cookie.
pub(super) async fn sign_in(State(web): State<Web>, request: Request) -> Response {
    let Some(desk) = &web.desk else { return missing("There is no such page.") };
    let encrypted = request
        .extensions()
        .get::<ConnectInfo<Peer>>()
        .is_some_and(|ConnectInfo(peer)| peer.encrypted);
    let fields = match form(request).await {
        Ok(fields) => fields,
        Err(answer) => return answer,
    };
    let link = fields.get("token").and_then(|text| text.parse::<Token>().ok());
    let begun = match link {
        Some(link) => desk.sign_in(&link).await,
        None => Ok(None),
    };
    match begun {
        Ok(Some(session)) => {
            let age = SESSION_LASTS.as_secs();
            with_cookie(Redirect::to("/").into_response(), encrypted, &session.to_string(), age)
        }
        Ok(None) => used_up(),
        Err(error) => refused(&error),
    }
}

/// `POST /sign-out`.
pub(super) async fn sign_out(State(web): State<Web>, request: Request) -> Response {
    let (Some(desk), Some(session)) = (&web.desk, session(request.headers())) else {
        return Redirect::to("/").into_response();
    };
    let encrypted = session_is_encrypted(request.headers());
    if let Err(answer) = signed_form(&web, request).await {
        return answer;
    }
    match desk.sign_out(&session).await {
        Ok(()) => with_cookie(Redirect::to("/").into_response(), encrypted, "", 0),
        Err(error) => refused(&error),
    }
}

/// `POST /runs/{id}/{action}`.
pub(super) async fn act(
    State(web): State<Web>,
    Path((id, action)): Path<(String, String)>,
    request: Request,
) -> Response {
    let (Some(desk), Some(run)) = (&web.desk, run_id(&id)) else {
        return missing("There is no such run.");
    };
    let (visitor, fields) = match signed_form(&web, request).await {
        Ok(signed) => signed,
        Err(answer) => return answer,
    };
    if action == "fork" {
        let number = |name: &str| fields.get(name)?.trim().parse().ok().map(Pairs);
        let (Some(at), Some(pairs)) = (number("at"), number("pairs")) else {
            let why = "The form is not one of this page, or its pairs are no number.";
            return plain(StatusCode::BAD_REQUEST, "Nothing was done", why);
        };
        return match desk.fork(&visitor, run, at, pairs).await {
            Ok(forked) => Redirect::to(&format!("/runs/{forked}")).into_response(),
            Err(error) => refused(&error),
        };
    }
    let Some(action) = asked(&action, &fields) else {
        return plain(
            StatusCode::BAD_REQUEST,
            "Nothing was done",
            "The form is not one of this page, or its weight is no number.",
        );
    };
    match desk.act(&visitor, run, action).await {
        Ok(()) => Redirect::to(&format!("/runs/{run}")).into_response(),
        Err(error) => refused(&error),
    }
}

fn asked(name: &str, fields: &Fields) -> Option<Action> {
    let reason = || fields.get("reason").cloned().unwrap_or_default();
    Some(match name {
        "pause" => Action::Pause { reason: reason() },
        "resume" => Action::Resume,
        "stop" => Action::Stop { reason: reason() },
        "weigh" => Action::Weigh { weight: fields.get("weight")?.trim().parse().ok()? },
        _ => return None,
    })
}

/// The fields of a form.
type Fields = BTreeMap<String, String>;

/// Who sent a form of their own session, and its fields; or what is answered in its place.
pub(super) async fn signed_form(
    web: &Web,
    request: Request,
) -> Result<(Visitor, Fields), Response> {
    let headers = request.headers().clone();
    let fields = form(request).await?;
    Ok((known(web, &headers, &fields).await?, fields))
}

/// The fields of a form that a page of this origin sent.
async fn form(request: Request) -> Result<Fields, Response> {
    let (parts, body) = request.into_parts();
    if !is_own(&parts) {
        let why = "The form came from a page of another site.";
        return Err(plain(StatusCode::FORBIDDEN, "Nothing was done", why));
    }
    let bytes = to_bytes(body, MAX_FORM).await.map_err(|_| {
        plain(StatusCode::PAYLOAD_TOO_LARGE, "Nothing was done", "The form is too long.")
    })?;
    Ok(form_urlencoded::parse(&bytes).into_owned().collect())
}

/// Whether a request comes from a page of this origin, as the browser says; one that says nothing is
/// no browser's, or one from before 2020.
fn is_own(parts: &Parts) -> bool {
    let text = |name: header::HeaderName| parts.headers.get(name).and_then(|v| v.to_str().ok());
    if let Some(site) = parts.headers.get("sec-fetch-site") {
        return site == "same-origin";
    }
    let host = parts.uri.authority().map(|a| a.as_str()).or_else(|| text(header::HOST));
    let origin = text(header::ORIGIN).and_then(|origin| origin.split_once("://"));
    matches!((origin, host), (Some((_, from)), Some(host)) if from == host)
}

/// Who is signed in, if the form is one of their session.
async fn known(web: &Web, headers: &HeaderMap, fields: &Fields) -> Result<Visitor, Response> {
    let Some(visitor) = visitor(web, headers).await else {
        let why = "You are not signed in, or not any more. `elomill login` prints a link.";
        return Err(plain(StatusCode::UNAUTHORIZED, "Nothing was done", why));
    };
    if fields.get("form") != Some(&visitor.form_token) {
        let why = "The form is one of an older session. Open the page again.";
        return Err(plain(StatusCode::FORBIDDEN, "Nothing was done", why));
    }
    Ok(visitor)
}

fn session_is_encrypted(headers: &HeaderMap) -> bool {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    cookies.flat_map(|line| line.split(';')).any(|cookie| cookie.trim().starts_with(COOKIE.1))
}

fn with_cookie(mut answer: Response, encrypted: bool, value: &str, age: u64) -> Response {
    let (name, secure) = if encrypted { (COOKIE.1, "; Secure") } else { (COOKIE.0, "") };
    let cookie =
        format!("{name}={value}; Path=/; Max-Age={age}; HttpOnly; SameSite=Strict{secure}");
    let cookie = HeaderValue::from_str(&cookie).expect("hexadecimal digits and plain words");
    answer.headers_mut().insert(header::SET_COOKIE, cookie);
    answer
}

fn used_up() -> Response {
    let why = "The link was used before, or has expired. `elomill login` prints another.";
    plain(StatusCode::GONE, "This link signs nobody in", why)
}

pub(super) fn refused(error: &DeskError) -> Response {
    use crate::core::CoreError;
    let status = match error {
        DeskError::Role { .. } => StatusCode::FORBIDDEN,
        DeskError::NoReason => StatusCode::UNPROCESSABLE_ENTITY,
        DeskError::Call(status) => match status.code() {
            tonic::Code::PermissionDenied => StatusCode::FORBIDDEN,
            tonic::Code::NotFound => StatusCode::NOT_FOUND,
            tonic::Code::InvalidArgument => StatusCode::UNPROCESSABLE_ENTITY,
            tonic::Code::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
            _ => StatusCode::CONFLICT,
        },
        DeskError::Core(CoreError::Control(_) | CoreError::Spec(_)) => StatusCode::CONFLICT,
        DeskError::Core(_) | DeskError::Store(_) | DeskError::NoRandomness => {
            tracing::warn!(error = %crate::core::chain(error), "a form was not carried out");
            StatusCode::SERVICE_UNAVAILABLE
        }
    };
    plain(status, "Nothing was done", &format!("{error}."))
}

/// Who is signed in, with the way out; for everybody else the way in.
pub(super) fn corner(visitor: Option<&Visitor>) -> Markup {
    html! {
        @match visitor {
            Some(visitor) => {
                form .corner method="post" action="/sign-out" {
                    input type="hidden" name="form" value=(visitor.form_token);
                    span data-f="visitor" data-author[visitor.role.covers(Role::Author)] { (visitor.owner) " · " (visitor.role.name()) }
                    button .button type="submit" { "Sign out" }
                }
            }
            None => { a .corner href="/sign-in" { "Sign in" } }
        }
    }
}

/// What an author can do to a run now; `data-when` says in which states, and the script keeps to it.
pub(super) fn actions(run: &RunView, visitor: Option<&Visitor>) -> Markup {
    let Some(visitor) = visitor.filter(|visitor| visitor.role.covers(Role::Author)) else {
        return html! {};
    };
    let hidden = |when: &[RunState]| !when.contains(&run.state);
    let open = [RunState::Running, RunState::Paused];
    let form =
        |name: &str, fields: Markup, button: &str| form_to(visitor, run.id, name, fields, button);
    let reason = html! {
        label { "Reason " input name="reason" required maxlength="250" autocomplete="off" placeholder="for whoever looks later"; }
    };
    html! {
        section .actions aria-label="Actions" hidden[hidden(&open)] data-when="running paused" {
            details hidden[hidden(&[RunState::Running])] data-when="running" {
                summary .button { "Pause" }
                (form("pause", html! { (reason) }, "Pause the run"))
            }
            div hidden[hidden(&[RunState::Paused])] data-when="paused" { (form("resume", html! {}, "Resume")) }
            details {
                summary .button { "Stop" }
                (form("stop", html! {
                    p .sub { "For good. A test that is stopped has no verdict, and never shows as passed." }
                    (reason)
                }, "Stop the run"))
            }
            details {
                summary .button { "Weight" }
                (form("weigh", html! {
                    label { "Share against other runs " input name="weight" type="number" min="0.001" max="1000" step="any" required value=(run.spec.weight); }
                }, "Set the weight"))
            }
        }
    }
}

pub(super) fn form_to(
    visitor: &Visitor,
    run: RunId,
    name: &str,
    fields: Markup,
    button: &str,
) -> Markup {
    html! {
        form method="post" action={ "/runs/" (run) "/" (name) } {
            input type="hidden" name="form" value=(visitor.form_token);
            (fields)
            button .button.main type="submit" { (button) }
        }
    }
}
