-- Signing in to the pages, and the strength of a match in the dashboards. From the coordinator that
-- serves actions on its pages on; one from before passes these tables over.

-- Links by which a key's owner signs a browser in. Like an invitation the token is told once; this is
-- the SHA-256 of its 128 random bits.
CREATE TABLE sign_ins (
    token_sha256  bytea PRIMARY KEY,
    key_id        bigint NOT NULL REFERENCES keys (id),
    expires_at    timestamptz NOT NULL,
    used_at       timestamptz,
    CONSTRAINT sign_ins_token_is_sha256 CHECK (octet_length(token_sha256) = 32)
);

-- Browsers that are signed in: each as the key whose link it used, and no longer than that key is good.
CREATE TABLE sessions (
    token_sha256  bytea PRIMARY KEY,
    key_id        bigint NOT NULL REFERENCES keys (id),
    began_at      timestamptz NOT NULL DEFAULT now(),
    expires_at    timestamptz NOT NULL,
    CONSTRAINT sessions_token_is_sha256 CHECK (octet_length(token_sha256) = 32)
);

-- As before, but a match has a strength, too: it is a test without hypotheses.
CREATE OR REPLACE VIEW dashboard.runs AS
SELECT r.id AS run_id, r.name, r.kind, r.game, r.state, r.state_reason, r.verdict, r.created_at,
       r.ended_at,
       -- The job is an object with one field, named by the kind.
       (SELECT coalesce(job.value ->> 'pairs', job.value ->> 'max_pairs')::bigint
        FROM jsonb_each(r.spec -> 'job') job LIMIT 1) AS asked_pairs,
       n.pairs, r.wins, r.draws, r.losses, r.llr,
       dashboard.elo(n.score) AS elo,
       dashboard.elo(n.score - n.margin) AS elo_low,
       dashboard.elo(n.score + n.margin) AS elo_high
FROM runs r
CROSS JOIN LATERAL (
    SELECT r.ll + r.ld + r.dd + r.dw + r.ww AS pairs,
           CASE WHEN r.kind IN ('test', 'match') THEN
               (0.25 * r.ld + 0.5 * r.dd + 0.75 * r.dw + r.ww)::double precision
               / nullif(r.ll + r.ld + r.dd + r.dw + r.ww, 0)
           END AS score,
           dashboard.score_margin(r.ll, r.ld, r.dd, r.dw, r.ww) AS margin
) n;
