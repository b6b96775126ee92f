//! The pages as somebody who signs in meets them: a link that is good once, a session that dies with
//! its key, forms that no other site can send, and the roles of the keys.

use anyhow::{Context, Result};
use keys::{Address, SecretKey, Token};
use proto::v1;
use std::sync::Arc;
use testkit::{Database, House, admit, key, specs};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::rustls::pki_types::ServerName;

/// An answer.
struct Answer {
    status: u16,
    head: String,
    body: String,
}

/// A browser: it keeps one cookie, and says of each form that it is of its own origin.
struct Browser<'a> {
    house: &'a House,
    cookie: String,
    encrypted: bool,
}

const OWN: &str = "sec-fetch-site: same-origin\r\n";

impl<'a> Browser<'a> {
    fn new(house: &'a House) -> Self {
        Self { house, cookie: String::new(), encrypted: false }
    }

    async fn ask(&mut self, method: &str, path: &str, head: &str, body: &str) -> Result<Answer> {
        let address: Address = self.house.url().parse()?;
        let cookie = match self.cookie.as_str() {
            "" => String::new(),
            cookie => format!("cookie: other=1; {cookie}\r\n"),
        };
        let length = body.len();
        let text = format!(
            "{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n\
             content-length: {length}\r\n{cookie}{head}\r\n{body}",
            address.authority()
        );
        let socket = TcpStream::connect(address.authority()).await?;
        let answer = match self.encrypted {
            false => exchange(socket, &text).await?,
            true => {
                let pin = address.fingerprint.context("a fingerprint")?;
                // As browsers do, it has no certificate of its own.
                let mut client = keys::client_config(Some(pin), None)?;
                client.alpn_protocols = vec![b"http/1.1".to_vec()];
                let name = ServerName::try_from(address.host.clone())?;
                let tls = tokio_rustls::TlsConnector::from(Arc::new(client));
                exchange(tls.connect(name, socket).await?, &text).await?
            }
        };
        if let Some(set) = answer.head.lines().find_map(|line| line.strip_prefix("set-cookie: ")) {
            self.cookie = set.split(';').next().unwrap_or_default().to_owned();
        }
        Ok(answer)
    }

    async fn get(&mut self, path: &str) -> Result<Answer> {
        self.ask("GET", path, "", "").await
    }

    async fn post(&mut self, path: &str, body: &str) -> Result<Answer> {
        self.ask("POST", path, OWN, body).await
    }

    /// Signs in with a new link of a key.
    async fn sign_in(&mut self, key: &SecretKey) -> Result<Answer> {
        let token = link(self.house, key).await?;
        self.post("/sign-in", &format!("token={token}")).await
    }

    /// What the forms of a page bring along.
    async fn form(&mut self, page: &str) -> Result<String> {
        let page = self.get(page).await?.body;
        let token = page.split("name=\"form\" value=\"").nth(1).context("a form")?;
        Ok(token.split('"').next().unwrap_or_default().to_owned())
    }
}

async fn exchange(mut stream: impl AsyncRead + AsyncWrite + Unpin, text: &str) -> Result<Answer> {
    stream.write_all(text.as_bytes()).await?;
    let mut bytes = Vec::new();
    // A server that closes without the goodbye of TLS has said all the same.
    let _ = stream.read_to_end(&mut bytes).await;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let (head, body) = text.split_once("\r\n\r\n").context("an answer")?;
    let status = head.split(' ').nth(1).context("a status")?.parse()?;
    Ok(Answer { status, head: head.to_owned(), body: body.to_owned() })
}

/// What `elomill login` asks for.
async fn link(house: &House, key: &SecretKey) -> Result<Token> {
    let answer = house.keys(key).await?.sign_in(v1::SignInRequest {}).await?.into_inner();
    assert!(answer.expires_at_unix_ms > 0);
    let bytes = <[u8; 16]>::try_from(&answer.token[..]).context("16 bytes")?;
    Ok(Token::from_bytes(bytes))
}

#[tokio::test]
async fn a_link_signs_one_browser_in_and_no_other_site_does() -> Result<()> {
    let database = Database::start().await?;
    let house = House::start(&database).await?;
    let author = key(1);
    admit(house.url(), &author, v1::Role::Author).await?;
    let token = link(&house, &author).await?;
    let mut browser = Browser::new(&house);

    // To look at it uses nothing up.
    for _ in 0..2 {
        let page = browser.get(&format!("/sign-in/{token}")).await?;
        assert_eq!(page.status, 200);
        assert!(page.body.contains("<strong>tests</strong>") && page.body.contains("author"));
        assert!(!page.head.contains("set-cookie"), "{}", page.head);
    }
    let form = format!("token={token}");
    for strange in [
        "",
        "sec-fetch-site: cross-site\r\n",
        "sec-fetch-site: same-site\r\n",
        "origin: https://evil.example\r\n",
        "origin: null\r\n",
    ] {
        let answer = browser.ask("POST", "/sign-in", strange, &form).await?;
        assert_eq!(answer.status, 403, "{strange}");
    }
    let answer = browser.post("/sign-in", &form).await?;
    assert_eq!(answer.status, 303);
    let set = answer.head.lines().find(|line| line.starts_with("set-cookie: ")).context("one")?;
    for word in ["elomill-session=", "; HttpOnly", "; SameSite=Strict", "; Path=/"] {
        assert!(set.contains(word), "{set}");
    }
    assert!(!set.contains("Secure"), "a plain connection keeps no such cookie: {set}");
    assert!(browser.get("/").await?.body.contains("tests · author"));

    // Used up, for whoever comes second; so is nonsense.
    let mut second = Browser::new(&house);
    assert_eq!(second.post("/sign-in", &form).await?.status, 410);
    assert_eq!(second.get(&format!("/sign-in/{token}")).await?.status, 410);
    assert_eq!(second.get("/sign-in/nonsense").await?.status, 410);
    assert!(second.cookie.is_empty());
    assert!(second.get("/").await?.body.contains("href=\"/sign-in\""));

    // The ledger keeps neither token, only what they hash to.
    let session: Token = browser
        .cookie
        .split_once('=')
        .context("a cookie")?
        .1
        .parse()
        .map_err(|()| anyhow::anyhow!("no token"))?;
    let mut connection = database.connection().await?;
    let kept: Vec<Vec<u8>> = sqlx::query_scalar(
        "SELECT token_sha256 FROM sign_ins UNION ALL SELECT token_sha256 FROM sessions",
    )
    .fetch_all(&mut connection)
    .await?;
    assert_eq!(kept, [token.sha256().to_vec(), session.sha256().to_vec()]);

    // A link that has expired.
    let late = link(&house, &author).await?;
    sqlx::query(
        "UPDATE sign_ins SET expires_at = now() - interval '1 second' WHERE used_at IS NULL",
    )
    .execute(&mut connection)
    .await?;
    assert_eq!(second.get(&format!("/sign-in/{late}")).await?.status, 410);
    assert_eq!(second.post("/sign-in", &format!("token={late}")).await?.status, 410);
    house.stop().await
}

#[tokio::test]
async fn what_is_asked_of_a_run_is_done_once_for_those_who_may() -> Result<()> {
    let database = Database::start().await?;
    let house = House::start(&database).await?;
    let (author, reader) = (key(1), key(2));
    admit(house.url(), &author, v1::Role::Author).await?;
    admit(house.url(), &reader, v1::Role::ReadOnly).await?;
    let run = house.create(specs::test(500, 8), &specs::book_text()).await?;
    let page = format!("/runs/{run}");
    let path = |action: &str| format!("/runs/{run}/{action}");

    let mut stranger = Browser::new(&house);
    assert!(!stranger.get(&page).await?.body.contains("name=\"reason\""));
    assert_eq!(stranger.post(&path("pause"), "reason=x&form=").await?.status, 401);

    let mut browser = Browser::new(&house);
    browser.sign_in(&author).await?;
    let form = browser.form(&page).await?;
    assert_eq!(browser.post(&path("pause"), "reason=x").await?.status, 403, "no token");
    let foreign = format!("reason=x&form={}", "0".repeat(32));
    assert_eq!(browser.post(&path("pause"), &foreign).await?.status, 403, "another token");
    let good = |fields: &str| format!("{fields}&form={form}");
    let answer = browser
        .ask("POST", &path("pause"), "sec-fetch-site: cross-site\r\n", &good("reason=x"))
        .await?;
    assert_eq!(answer.status, 403, "another site");
    assert_eq!(browser.post(&path("pause"), &good("reason=+")).await?.status, 422, "no reason");
    assert_eq!(browser.post(&path("invent"), &good("reason=x")).await?.status, 400);
    assert_eq!(house.run(run).await?.state(), v1::RunState::Running, "nothing was done");

    assert_eq!(browser.post(&path("pause"), &good("reason=too+%3Cweak%3E")).await?.status, 303);
    let seen = house.run(run).await?;
    assert_eq!((seen.state(), &*seen.state_reason), (v1::RunState::Paused, "too <weak> (tests)"));
    assert_eq!(browser.post(&path("pause"), &good("reason=again")).await?.status, 409);
    assert_eq!(browser.post(&path("resume"), &good("")).await?.status, 303);
    for (weight, status) in [("2.5", 303), ("0", 409), ("NaN", 409), ("much", 400)] {
        let answer = browser.post(&path("weigh"), &good(&format!("weight={weight}"))).await?;
        assert_eq!(answer.status, status, "{weight}: {}", answer.body);
    }
    assert!((house.run(run).await?.spec.context("a spec")?.weight - 2.5).abs() < 1e-12);

    // A reader sees who they are, and no form but the way out.
    let mut other = Browser::new(&house);
    other.sign_in(&reader).await?;
    let seen = other.get(&page).await?.body;
    assert!(seen.contains("tests · read-only") && !seen.contains("name=\"reason\""));
    let own = other.form("/").await?;
    assert_eq!(other.post(&path("stop"), &format!("reason=x&form={own}")).await?.status, 403);
    // The token of one session is nothing in another.
    assert_eq!(other.post(&path("stop"), &good("reason=x")).await?.status, 403);

    // Stopped by hand it has no verdict, whatever its results.
    assert_eq!(browser.post(&path("stop"), &good("reason=enough")).await?.status, 303);
    let seen = house.run(run).await?;
    assert_eq!(seen.state(), v1::RunState::Stopped);
    let Some(v1::run::Progress::Test(test)) = &seen.progress else { anyhow::bail!("a test") };
    assert_eq!(test.verdict(), v1::Verdict::Unspecified);
    assert_eq!(browser.post(&path("resume"), &good("")).await?.status, 409);
    house.stop().await
}

#[tokio::test]
async fn a_session_ends_by_hand_with_its_time_and_with_its_key() -> Result<()> {
    let database = Database::start().await?;
    let house = House::start(&database).await?;
    let author = key(1);
    admit(house.url(), &author, v1::Role::Author).await?;
    let run = house.create(specs::test(500, 8), &specs::book_text()).await?;
    let page = format!("/runs/{run}");
    let pause = format!("/runs/{run}/pause");

    // By hand: the cookie goes, and a copy of it is worth nothing.
    let mut browser = Browser::new(&house);
    browser.sign_in(&author).await?;
    let (copy, form) = (browser.cookie.clone(), browser.form(&page).await?);
    assert_eq!(browser.post("/sign-out", "form=0").await?.status, 403);
    assert_eq!(browser.post("/sign-out", &format!("form={form}")).await?.status, 303);
    assert_eq!(browser.cookie, "elomill-session=");
    browser.cookie = copy;
    assert_eq!(browser.post(&pause, &format!("reason=x&form={form}")).await?.status, 401);

    // With its time.
    browser.sign_in(&author).await?;
    let form = browser.form(&page).await?;
    let mut connection = database.connection().await?;
    sqlx::query("UPDATE sessions SET expires_at = now() - interval '1 second'")
        .execute(&mut connection)
        .await?;
    assert_eq!(browser.post(&pause, &format!("reason=x&form={form}")).await?.status, 401);

    // With its key; the links of the key, too.
    browser.sign_in(&author).await?;
    let form = browser.form(&page).await?;
    let unused = link(&house, &author).await?;
    house.revoke(author.public()).await?;
    assert_eq!(browser.post(&pause, &format!("reason=x&form={form}")).await?.status, 401);
    assert!(browser.get("/").await?.body.contains("href=\"/sign-in\""));
    assert_eq!(browser.post("/sign-in", &format!("token={unused}")).await?.status, 410);
    assert_eq!(house.run(run).await?.state(), v1::RunState::Running);
    house.stop().await
}

#[tokio::test]
async fn an_exclusion_is_shown_before_it_is_made_and_can_be_taken_back() -> Result<()> {
    let database = Database::start().await?;
    let house = House::start(&database).await?;
    let author = key(1);
    admit(house.url(), &author, v1::Role::Author).await?;
    let run = house.create(specs::test(500, 8), &specs::book_text()).await?;
    let (mut first, mut second) = (house.puppet(5).await?, house.puppet(6).await?);
    first.play_one(specs::outcome).await?;
    second.play_one(specs::outcome).await?;
    let counted = || async {
        let tally = house.run(run).await?.tally.context("a tally")?;
        anyhow::Ok(tally.pentanomial_pairs.iter().sum::<u64>())
    };
    // What was merged is shown a moment later.
    while counted().await? < 16 {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    let path = |belief: &str| format!("/workers/{}/{belief}", second.worker_id);
    let here = |belief: &str| format!("{}?run={run}", path(belief));

    let mut browser = Browser::new(&house);
    assert_eq!(browser.get(&here("exclude")).await?.status, 401);
    browser.sign_in(&author).await?;
    let page = browser.get(&here("exclude")).await?;
    assert!(
        page.body.contains("<td class=\"n\">16</td><td class=\"n strong\">8</td>"),
        "{}",
        page.body
    );
    assert_eq!(counted().await?, 16, "looking changes nothing");
    let form = browser.form(&here("exclude")).await?;
    let fields = format!("run={run}&reason=odd+results&form={form}");
    let strange = browser.post(&path("exclude"), &format!("run={run}&reason=x")).await?;
    assert_eq!(strange.status, 403);
    let silent = browser.post(&path("exclude"), &format!("run={run}&reason=&form={form}")).await?;
    assert_eq!(silent.status, 422);
    let everywhere = browser.post(&path("exclude"), &format!("reason=x&form={form}")).await?;
    assert_eq!(everywhere.status, 403, "an author decides for one run");
    assert_eq!(counted().await?, 16);
    assert_eq!(browser.post(&path("exclude"), &fields).await?.status, 303);
    assert_eq!(counted().await?, 8);
    assert_eq!(browser.post(&path("include"), &fields).await?.status, 303);
    assert_eq!(counted().await?, 16);
    assert_eq!(browser.post(&path("include"), &fields).await?.status, 409, "nothing to include");
    assert_eq!(browser.get("/workers/99/exclude").await?.status, 404);
    house.stop().await
}

#[tokio::test]
async fn a_tune_is_forked_once_and_by_authors() -> Result<()> {
    let database = Database::start().await?;
    let house = House::start(&database).await?;
    let (author, reader) = (key(1), key(2));
    admit(house.url(), &author, v1::Role::Author).await?;
    admit(house.url(), &reader, v1::Role::ReadOnly).await?;
    let run = house.create(specs::tune(1_000, 4), &specs::book_text()).await?;
    let mut puppet = house.puppet(5).await?;
    for _ in 0..3 {
        puppet.play_one(specs::outcome).await?;
    }
    let (page, path) = (format!("/runs/{run}"), format!("/runs/{run}/fork"));

    let mut other = Browser::new(&house);
    other.sign_in(&reader).await?;
    assert!(!other.get(&page).await?.body.contains("name=\"at\""));
    let form = other.form("/").await?;
    assert_eq!(other.post(&path, &format!("at=8&pairs=40&form={form}")).await?.status, 403);

    let mut browser = Browser::new(&house);
    browser.sign_in(&author).await?;
    assert!(browser.get(&page).await?.body.contains("name=\"at\""));
    let form = browser.form(&page).await?;
    assert_eq!(browser.post(&path, "at=8&pairs=40").await?.status, 403, "no token");
    let fork = |at: &str, pairs: &str| format!("at={at}&pairs={pairs}&form={form}");
    assert_eq!(browser.post(&path, &fork("8", "many")).await?.status, 400);
    assert_eq!(browser.post(&path, &fork("8", "0")).await?.status, 422);
    let answer = browser.post(&path, &fork("9", "40")).await?;
    assert_eq!(answer.status, 303, "{}", answer.body);
    let again = browser.post(&path, &fork("9", "40")).await?;
    let to = |answer: &Answer| {
        let line = answer.head.lines().find_map(|line| line.strip_prefix("location: /runs/"));
        line.and_then(|id| id.parse().ok()).context("the new run")
    };
    assert_eq!(to(&answer)?, to(&again)?, "asked twice, made once");
    let forked = house.run(model::RunId(to(&answer)?)).await?;
    let Some(v1::run_spec::Job::Tune(tune)) = forked.spec.context("a spec")?.job else {
        anyhow::bail!("a tune")
    };
    let from = tune.forked_from.context("a fork")?;
    assert_eq!((from.run_id, from.pairs, tune.pairs), (run.0, 8, 40));
    let test = house.create(specs::test(500, 8), &specs::book_text()).await?;
    let answer = browser.post(&format!("/runs/{test}/fork"), &fork("0", "40")).await?;
    assert_eq!(answer.status, 409, "{}", answer.body);
    house.stop().await
}

#[tokio::test]
async fn who_is_on_hold_is_let_play_again_by_an_admin_alone() -> Result<()> {
    let database = Database::start().await?;
    let house = House::start(&database).await?;
    let author = key(1);
    admit(house.url(), &author, v1::Role::Author).await?;
    let worker = house.puppet(5).await?.worker_id;
    // As a mismatch writes it; who is held is read when a coordinator begins to lead.
    house.stop().await?;
    sqlx::query("INSERT INTO holds (worker_id, reason) VALUES ($1, 'came out <otherwise>')")
        .bind(worker)
        .execute(&mut database.connection().await?)
        .await?;
    let house = House::start(&database).await?;
    let (page, path) = (format!("/workers/{worker}"), format!("/workers/{worker}/release"));

    let mut browser = Browser::new(&house);
    assert!(browser.get(&page).await?.body.contains("came out &lt;otherwise&gt;"));
    assert_eq!(browser.post(&path, "reason=x&form=").await?.status, 401);
    browser.sign_in(&author).await?;
    let seen = browser.get(&page).await?.body;
    assert!(seen.contains("On hold") && !seen.contains("/release"), "{seen}");
    let form = browser.form("/").await?;
    assert_eq!(browser.post(&path, &format!("reason=x&form={form}")).await?.status, 403);

    let mut admin = Browser::new(&house);
    admin.sign_in(&testkit::admin()).await?;
    assert!(admin.get(&page).await?.body.contains("/release"));
    let form = admin.form(&page).await?;
    assert_eq!(admin.post(&path, "reason=x").await?.status, 403, "no token");
    assert_eq!(admin.post(&path, &format!("reason=+&form={form}")).await?.status, 422);
    assert_eq!(admin.post(&path, &format!("reason=new+memory&form={form}")).await?.status, 303);
    let why =
        "SELECT count(*) FROM holds WHERE released_by = 'tests' AND released_reason = 'new memory'";
    assert_eq!(database.number(why).await?, 1);
    assert_eq!(admin.post(&path, &format!("reason=again&form={form}")).await?.status, 409);
    house.stop().await
}

#[tokio::test]
async fn over_tls_the_cookie_is_for_tls_alone() -> Result<()> {
    let database = Database::start().await?;
    let house = House::start(&database).await?;
    let author = key(1);
    admit(house.url(), &author, v1::Role::Author).await?;
    let mut browser = Browser { encrypted: true, ..Browser::new(&house) };
    let answer = browser.sign_in(&author).await?;
    assert_eq!(answer.status, 303);
    let set = answer.head.lines().find(|line| line.starts_with("set-cookie: ")).context("one")?;
    assert!(set.contains("__Host-elomill-session=") && set.contains("; Secure"), "{set}");
    assert!(browser.get("/").await?.body.contains("tests · author"));
    let form = browser.form("/").await?;
    assert_eq!(browser.post("/sign-out", &format!("form={form}")).await?.status, 303);
    assert_eq!(browser.cookie, "__Host-elomill-session=");
    house.stop().await
}
