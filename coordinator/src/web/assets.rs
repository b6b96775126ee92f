//! Scripts, styles and pictures, carried inside the binary.
//!
//! A static table, so that a page works without a file system and without a network. A browser may
//! keep an asset but asks each time whether it is still good: the tag follows from the bytes, so an
//! upgraded coordinator never meets an old script.

use axum::extract::Path;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";

macro_rules! asset {
    ($name:literal, $kind:expr, $path:literal) => {
        ($name, $kind, include_bytes!(concat!("../../../dashboards/web/", $path)) as &[u8])
    };
}

/// Name under `/assets/`, content type, bytes.
pub(super) const ASSETS: [(&str, &str, &[u8]); 20] = [
    asset!("style.css", STYLE, "style.css"),
    asset!("theme.js", SCRIPT, "theme.js"),
    asset!("common.js", SCRIPT, "common.js"),
    asset!("charts.js", SCRIPT, "charts.js"),
    asset!("overview.js", SCRIPT, "overview.js"),
    asset!("run.js", SCRIPT, "run.js"),
    asset!("tune.js", SCRIPT, "tune.js"),
    asset!("test.js", SCRIPT, "test.js"),
    asset!("race.js", SCRIPT, "race.js"),
    asset!("breakdown.js", SCRIPT, "breakdown.js"),
    asset!("copying.js", SCRIPT, "copying.js"),
    asset!("iteration.js", SCRIPT, "iteration.js"),
    asset!("board.js", SCRIPT, "board.js"),
    asset!("pieces.js", SCRIPT, "pieces.js"),
    asset!("progress.js", SCRIPT, "progress.js"),
    asset!("workers.js", SCRIPT, "workers.js"),
    asset!("hands.js", SCRIPT, "hands.js"),
    asset!("icon.svg", "image/svg+xml", "icon.svg"),
    asset!("uplot.js", SCRIPT, "vendor/uPlot.iife.min.js"),
    asset!("uplot.css", STYLE, "vendor/uPlot.min.css"),
];

/// `GET /assets/{name}`.
pub(super) async fn serve(Path(name): Path<String>, headers: HeaderMap) -> Response {
    let Some((_, kind, bytes)) = ASSETS.into_iter().find(|(known, ..)| *known == name) else {
        return (StatusCode::NOT_FOUND, "no such asset\n").into_response();
    };
    let tag = HeaderValue::from_str(&format!("\"{:016x}\"", fnv1a(bytes)))
        .expect("hexadecimal digits in quotes are a valid header");
    let known = headers.get(header::IF_NONE_MATCH).is_some_and(|seen| *seen == tag);
    let tags = [(header::ETAG, tag), (header::CACHE_CONTROL, HeaderValue::from_static("no-cache"))];
    if known {
        (StatusCode::NOT_MODIFIED, tags).into_response()
    } else {
        (tags, [(header::CONTENT_TYPE, kind)], bytes).into_response()
    }
}

/// FNV-1a in 64 bits (G. Fowler, L. C. Noll, K.-P. Vo, 1991): tells contents apart, protects
/// nothing.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
