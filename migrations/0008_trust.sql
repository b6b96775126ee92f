-- Whose results count: exclusions of workers, games that are played again by others, workers that
-- are on hold, pairs of the base against itself, and who filed a run. For the first version that
-- checks workers by more than the rules of the game.

-- Why reports of a worker do not count. Rows are never changed; an end is a row of its own, so that
-- it can be read for ever who took back what, and why.
CREATE TABLE exclusions (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    worker_id  bigint NOT NULL REFERENCES workers (id),
    -- Null for every run, those that are filed later too.
    run_id     bigint REFERENCES runs (id),
    -- Only reports from then on; null for all.
    since      timestamptz,
    reason     text NOT NULL,
    author     text NOT NULL,
    at         timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT exclusions_have_a_reason CHECK (reason <> '')
);
CREATE INDEX exclusions_by_worker ON exclusions (worker_id);

CREATE TABLE inclusions (
    exclusion_id  bigint PRIMARY KEY REFERENCES exclusions (id),
    reason        text NOT NULL,
    author        text NOT NULL,
    at            timestamptz NOT NULL DEFAULT now()
);

CREATE FUNCTION exclusions_are_for_ever() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'exclusions and their ends are only added to'
        USING CONSTRAINT = 'exclusions_are_for_ever', ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER exclusions_are_for_ever BEFORE UPDATE OR DELETE ON exclusions
    FOR EACH ROW EXECUTE FUNCTION exclusions_are_for_ever();
CREATE TRIGGER inclusions_are_for_ever BEFORE UPDATE OR DELETE ON inclusions
    FOR EACH ROW EXECUTE FUNCTION exclusions_are_for_ever();

CREATE VIEW exclusions_in_force AS
SELECT e.* FROM exclusions e
WHERE NOT EXISTS (SELECT FROM inclusions i WHERE i.exclusion_id = e.id);

-- The ledger as it counts: what every figure is folded from.
CREATE VIEW counted_reports AS
SELECT r.*, l.worker_id
FROM reports r
JOIN leases l ON l.id = r.lease_id
WHERE NOT EXISTS (
    SELECT FROM exclusions_in_force e
    WHERE e.worker_id = l.worker_id
      AND (e.run_id IS NULL OR e.run_id = r.run_id)
      AND (e.since IS NULL OR r.merged_at >= e.since));

-- In which runs a worker has a part.
CREATE INDEX leases_of_worker ON leases (worker_id, run_id);

CREATE OR REPLACE VIEW dashboard.run_progress AS
SELECT c.run_id, c.report_id, c.merged_at, c.pairs, c.score,
       dashboard.elo(c.score) AS elo,
       dashboard.elo(c.score - c.margin) AS elo_low,
       dashboard.elo(c.score + c.margin) AS elo_high
FROM (
    SELECT s.run_id, s.report_id, s.merged_at,
           (s.ll + s.ld + s.dd + s.dw + s.ww)::bigint AS pairs,
           (0.25 * s.ld + 0.5 * s.dd + 0.75 * s.dw + s.ww)::double precision
               / nullif(s.ll + s.ld + s.dd + s.dw + s.ww, 0)::double precision AS score,
           dashboard.score_margin(
               s.ll::double precision, s.ld::double precision, s.dd::double precision,
               s.dw::double precision, s.ww::double precision
           ) AS margin
    FROM (
        SELECT run_id, id AS report_id, merged_at,
               sum(ll) OVER so_far AS ll, sum(ld) OVER so_far AS ld, sum(dd) OVER so_far AS dd,
               sum(dw) OVER so_far AS dw, sum(ww) OVER so_far AS ww
        FROM counted_reports
        WINDOW so_far AS (PARTITION BY run_id ORDER BY id)
    ) s
) c;

-- Pairs that another worker plays again. The games as they were reported stay here until they were
-- found to be the same; of two that differ both stay for ever.
CREATE TABLE audits (
    run_id      bigint NOT NULL REFERENCES runs (id),
    pair_index  bigint NOT NULL,
    -- The lease that the pair was reported for: it has the terms.
    lease_id    bigint NOT NULL REFERENCES leases (id),
    worker_id   bigint NOT NULL REFERENCES workers (id),
    -- The fingerprint of the engine that the worker said it plays with; null if it said nothing.
    bench       bigint,
    state       text NOT NULL DEFAULT 'wanted',
    -- Both games as reported (PairRecord as JSON).
    claimed     text,
    -- The lease under which it was given out last, to be played again. Its number is one of those of
    -- leases; it has no row there, because nothing of it counts.
    issued_as   bigint,
    auditor_id  bigint REFERENCES workers (id),
    -- Both games as they were played again, where they differ.
    found       text,
    asked_at    timestamptz NOT NULL DEFAULT now(),
    ended_at    timestamptz,
    PRIMARY KEY (run_id, pair_index),
    CONSTRAINT audits_state_known CHECK (state IN ('wanted', 'matched', 'mismatched')),
    CONSTRAINT audits_end_has_time CHECK ((state = 'wanted') = (ended_at IS NULL)),
    CONSTRAINT audits_by_another CHECK (auditor_id <> worker_id)
);
CREATE INDEX audits_wanted ON audits (asked_at) WHERE state = 'wanted';
CREATE INDEX audits_of_worker ON audits (worker_id, ended_at);
CREATE INDEX audits_by_lease ON audits (issued_as);

-- Workers that get no leases until a person says so.
CREATE TABLE holds (
    id               bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    worker_id        bigint NOT NULL REFERENCES workers (id),
    reason           text NOT NULL,
    at               timestamptz NOT NULL DEFAULT now(),
    released_at      timestamptz,
    released_by      text,
    released_reason  text,
    CONSTRAINT holds_end_is_whole
        CHECK ((released_at IS NULL) = (released_by IS NULL))
);
CREATE UNIQUE INDEX holds_one_at_a_time ON holds (worker_id) WHERE released_at IS NULL;

-- Leases of the base against itself: what they bring says something of the worker and nothing of the
-- run. Their numbers are those of leases.
CREATE TABLE canaries (
    id         bigint PRIMARY KEY,
    run_id     bigint NOT NULL REFERENCES runs (id),
    worker_id  bigint NOT NULL REFERENCES workers (id),
    ll bigint NOT NULL DEFAULT 0,
    ld bigint NOT NULL DEFAULT 0,
    dd bigint NOT NULL DEFAULT 0,
    dw bigint NOT NULL DEFAULT 0,
    ww bigint NOT NULL DEFAULT 0,
    issued_at  timestamptz NOT NULL DEFAULT now(),
    ended_at   timestamptz
);
CREATE INDEX canaries_of_worker ON canaries (worker_id, run_id);

-- Who filed a run: shares are even between authors first. Empty for runs from before.
ALTER TABLE runs ADD COLUMN owner text NOT NULL DEFAULT '';
