-- The ledger: what was asked, what was leased, what came back. Forward only.
--
-- `reports` and `pairs` are append-only: everything shown anywhere is a fold over them. `runs` and
-- `leases` carry state that moves, each row only inside a transaction that also writes its cause.
-- All ids are given out by the one leading coordinator, so that its decisions can be made without
-- asking; the primary keys refuse a second coordinator that still believes it leads.

-- Who may write. A coordinator that takes the lead counts the epoch up; every commit of a leader
-- checks that the epoch is still its own, so that a paused old leader cannot write.
CREATE TABLE leadership (
    singleton  boolean PRIMARY KEY DEFAULT true,
    epoch      bigint NOT NULL,
    taken_at   timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT leadership_one_row CHECK (singleton)
);
INSERT INTO leadership (epoch) VALUES (0);

-- Opening books by the SHA-256 of their content: one position text a line.
CREATE TABLE books (
    sha256     text PRIMARY KEY,
    game       text NOT NULL,
    positions  bigint NOT NULL,
    content    text NOT NULL,
    added_at   timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT books_sha256_is_hex CHECK (sha256 ~ '^[0-9a-f]{64}$'),
    CONSTRAINT books_not_empty CHECK (positions > 0)
);

-- Machines that play, by the key that each keeps in its state directory.
CREATE TABLE workers (
    id                bigint PRIMARY KEY,
    worker_key        bytea NOT NULL,
    name              text NOT NULL,
    platform          text NOT NULL,
    software_version  text NOT NULL,
    cores             integer NOT NULL,
    slots             integer NOT NULL,
    first_seen_at     timestamptz NOT NULL DEFAULT now(),
    last_seen_at      timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT workers_key_is_16_bytes CHECK (octet_length(worker_key) = 16),
    CONSTRAINT workers_key_unique UNIQUE (worker_key)
);

-- Jobs of the cluster. The tally and the verdict are stored so that SQL can read them; they equal
-- the fold over `reports`, which `elomill runs replay` proves.
CREATE TABLE runs (
    id               bigint PRIMARY KEY,
    kind             text NOT NULL,
    name             text NOT NULL,
    game             text NOT NULL,
    -- The whole specification (RunSpec as JSON): enough to recompute the run.
    spec             jsonb NOT NULL,
    book_sha256      text NOT NULL REFERENCES books (sha256),
    idempotency_key  text NOT NULL,
    state            text NOT NULL,
    state_reason     text NOT NULL DEFAULT '',
    verdict          text,
    created_at       timestamptz NOT NULL DEFAULT now(),
    ended_at         timestamptz,
    -- Fold over the ledger, moved in the transaction of the reports.
    ll bigint NOT NULL DEFAULT 0,
    ld bigint NOT NULL DEFAULT 0,
    dd bigint NOT NULL DEFAULT 0,
    dw bigint NOT NULL DEFAULT 0,
    ww bigint NOT NULL DEFAULT 0,
    wins bigint NOT NULL DEFAULT 0,
    draws bigint NOT NULL DEFAULT 0,
    losses bigint NOT NULL DEFAULT 0,
    llr double precision,
    -- The optimiser's point after the last report, as JSON; null in a test.
    point text,
    last_report_id bigint NOT NULL DEFAULT 0,
    CONSTRAINT runs_kind_known CHECK (kind IN ('tune', 'test')),
    CONSTRAINT runs_state_known CHECK (state IN ('running', 'paused', 'finished', 'stopped')),
    CONSTRAINT runs_verdict_known CHECK (verdict IN ('accepted', 'rejected', 'inconclusive')),
    -- A test stopped by hand never shows as passed.
    CONSTRAINT runs_verdict_needs_finish CHECK (verdict IS NULL OR state = 'finished'),
    CONSTRAINT runs_end_has_time CHECK ((state IN ('finished', 'stopped')) = (ended_at IS NOT NULL)),
    CONSTRAINT runs_idempotency_key_unique UNIQUE (idempotency_key)
);
CREATE INDEX runs_open ON runs (id) WHERE state IN ('running', 'paused');

-- Slices of runs handed to workers.
CREATE TABLE leases (
    id            bigint PRIMARY KEY,
    run_id        bigint NOT NULL REFERENCES runs (id),
    worker_id     bigint NOT NULL REFERENCES workers (id),
    -- Which issue of these pairs this is; 1 for the first.
    epoch         integer NOT NULL,
    first_pair    bigint NOT NULL,
    pairs         integer NOT NULL,
    -- The block whose perturbation these pairs play: the first pair of its first lease.
    block         bigint NOT NULL,
    -- The probe (Perturbation as JSON) in a tune; null in a test.
    probe         text,
    state         text NOT NULL DEFAULT 'active',
    merged_pairs  integer NOT NULL DEFAULT 0,
    issued_at     timestamptz NOT NULL DEFAULT now(),
    ended_at      timestamptz,
    CONSTRAINT leases_epoch_positive CHECK (epoch > 0),
    CONSTRAINT leases_pairs_positive CHECK (pairs > 0),
    CONSTRAINT leases_merged_within CHECK (merged_pairs BETWEEN 0 AND pairs),
    CONSTRAINT leases_state_known
        CHECK (state IN ('active', 'completed', 'returned', 'expired', 'revoked')),
    CONSTRAINT leases_end_has_time CHECK ((state = 'active') = (ended_at IS NULL)),
    CONSTRAINT leases_completed_is_whole CHECK (state <> 'completed' OR merged_pairs = pairs)
);
CREATE INDEX leases_by_run ON leases (run_id, state);
CREATE INDEX leases_by_worker ON leases (worker_id) WHERE state = 'active';

-- A lease ends once: neither its ending nor its terms ever change.
CREATE FUNCTION leases_end_once() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.state <> 'active' THEN
        RAISE EXCEPTION 'lease % ended as % before', OLD.id, OLD.state
            USING CONSTRAINT = 'leases_end_once', ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER leases_end_once BEFORE UPDATE ON leases
    FOR EACH ROW EXECUTE FUNCTION leases_end_once();

-- Merged reports, in the order that counts. Each row holds what was new in it.
CREATE TABLE reports (
    id         bigint PRIMARY KEY,
    run_id     bigint NOT NULL REFERENCES runs (id),
    lease_id   bigint NOT NULL REFERENCES leases (id),
    epoch      integer NOT NULL,
    sequence   integer NOT NULL,
    ll bigint NOT NULL,
    ld bigint NOT NULL,
    dd bigint NOT NULL,
    dw bigint NOT NULL,
    ww bigint NOT NULL,
    wins bigint NOT NULL,
    draws bigint NOT NULL,
    losses bigint NOT NULL,
    merged_at  timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT reports_sequence_once UNIQUE (lease_id, sequence),
    CONSTRAINT reports_games_are_whole_pairs
        CHECK (wins + draws + losses = 2 * (ll + ld + dd + dw + ww)),
    CONSTRAINT reports_not_empty CHECK (ll + ld + dd + dw + ww > 0)
);
CREATE INDEX reports_by_run ON reports (run_id, id);

-- Every pair that counts, once: the primary key is the promise.
CREATE TABLE pairs (
    run_id              bigint NOT NULL REFERENCES runs (id),
    pair_index          bigint NOT NULL,
    report_id           bigint NOT NULL REFERENCES reports (id),
    lease_id            bigint NOT NULL REFERENCES leases (id),
    -- Half-points of the candidate in each game: 0, 1, 2.
    first_score         smallint NOT NULL,
    first_termination   text NOT NULL,
    first_plies         integer NOT NULL,
    first_nodes         bigint NOT NULL,
    first_moves         text NOT NULL,
    second_score        smallint NOT NULL,
    second_termination  text NOT NULL,
    second_plies        integer NOT NULL,
    second_nodes        bigint NOT NULL,
    second_moves        text NOT NULL,
    PRIMARY KEY (run_id, pair_index),
    CONSTRAINT pairs_scores_known
        CHECK (first_score BETWEEN 0 AND 2 AND second_score BETWEEN 0 AND 2)
);
CREATE INDEX pairs_by_lease ON pairs (lease_id);

-- States of runs, each good up to one report: recovery reads the last one and the tail after it.
CREATE TABLE snapshots (
    run_id     bigint NOT NULL REFERENCES runs (id),
    report_id  bigint NOT NULL,
    state      text NOT NULL,
    taken_at   timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (run_id, report_id)
);

-- What people and the coordinator did to a run, and why.
CREATE TABLE run_events (
    id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run_id    bigint NOT NULL REFERENCES runs (id),
    at        timestamptz NOT NULL DEFAULT now(),
    event     text NOT NULL,
    reason    text NOT NULL DEFAULT ''
);
CREATE INDEX run_events_by_run ON run_events (run_id, id);
