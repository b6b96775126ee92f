-- Reports and their pairs packed: a row for the reports that one commit merged into one run. For the
-- first version that merges thousands of reports in a second; one from before cannot write here.
--
-- A row for each report and one for each of its pairs, with their keys and references, took five times
-- the bytes and most of the time of a commit. `reports` and `pairs` are views from now on, with what
-- they had as tables; rows from before stay where they are, under another name.
DROP VIEW dashboard.run_progress;
DROP VIEW dashboard.reports;
DROP VIEW counted_reports;
ALTER TABLE reports RENAME TO reports_by_row;
ALTER TABLE pairs RENAME TO pairs_by_row;

-- Append-only. That the leases are there is seen to by the statement that takes the pairs into them. The
-- lists have an element for each report, in the order that counts.
CREATE TABLE report_groups (
    -- Numbers of reports are those of one sequence for all runs, as before.
    last_id    bigint PRIMARY KEY,
    run_id     bigint NOT NULL,
    merged_at  timestamptz NOT NULL DEFAULT now(),
    -- The first and the last of its pairs.
    min_pair   bigint NOT NULL,
    max_pair   bigint NOT NULL,
    pairs      integer NOT NULL,
    reports    smallint NOT NULL,
    -- How far before `last_id` the number of each report is.
    before     smallint[] NOT NULL,
    leases     bigint[] NOT NULL,
    -- The pairs of each report by their cell, and the games that the candidate won: draws and losses
    -- follow from these.
    ll smallint[] NOT NULL,
    ld smallint[] NOT NULL,
    dd smallint[] NOT NULL,
    dw smallint[] NOT NULL,
    ww smallint[] NOT NULL,
    wins smallint[] NOT NULL,
    -- Seven numbers for each pair, report by report, as `unpack_pairs` reads them.
    packed     bytea NOT NULL,
    CONSTRAINT report_groups_not_empty CHECK (reports > 0 AND pairs >= reports),
    CONSTRAINT report_groups_lists_are_whole CHECK (
        cardinality(before) = reports AND cardinality(leases) = reports
        AND cardinality(ll) = reports AND cardinality(ld) = reports
        AND cardinality(dd) = reports AND cardinality(dw) = reports
        AND cardinality(ww) = reports AND cardinality(wins) = reports),
    CONSTRAINT report_groups_range CHECK (min_pair <= max_pair)
);
CREATE INDEX report_groups_by_run ON report_groups (run_id, last_id);
-- Games are read in the order of the pairs, from wherever a reader wants.
CREATE INDEX report_groups_by_pair ON report_groups (run_id, min_pair, max_pair);
CREATE INDEX report_groups_by_time ON report_groups USING brin (merged_at);

-- The pairs of a group. Numbers are written seven bits to a byte, low ones first, the highest bit of a
-- byte saying that more follow (LEB128). Of a pair they are: twice the step from the index of the pair
-- before (0 in front of the first), folded so that small steps back are small numbers, plus one where a
-- report begins; then for each game three times its end plus the half-points of the candidate; the
-- half-moves of each game; the nodes of each game. `place` is that of the report in the lists.
CREATE FUNCTION unpack_pairs(
    packed bytea,
    OUT place integer, OUT pair_index bigint,
    OUT first_score smallint, OUT first_termination text, OUT first_plies integer,
    OUT first_nodes bigint,
    OUT second_score smallint, OUT second_termination text, OUT second_plies integer,
    OUT second_nodes bigint
) RETURNS SETOF record LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    -- In the order of `model::Termination::ALL`, to which ends are only added.
    ends CONSTANT text[] := ARRAY[
        'no_move', 'stalemate', 'repetition', 'perpetual_check', 'perpetual_chase', 'move_limit',
        'dead_position', 'board', 'impasse', 'ply_limit', 'time_forfeit', 'stall', 'disconnect',
        'illegal_move', 'resignation', 'adjudication', 'tablebase'];
    numbers bigint[] := '{}';
    number bigint := 0;
    shift integer := 0;
    byte integer;
    step bigint;
BEGIN
    place := 0;
    pair_index := 0;
    FOR at IN 0 .. octet_length(packed) - 1 LOOP
        byte := get_byte(packed, at);
        number := number | ((byte & 127)::bigint << shift);
        shift := shift + 7;
        CONTINUE WHEN byte > 127;
        numbers := numbers || number;
        number := 0;
        shift := 0;
        CONTINUE WHEN cardinality(numbers) < 7;
        place := place + (numbers[1] & 1)::integer;
        step := numbers[1] >> 1;
        pair_index := pair_index + CASE WHEN step & 1 = 0 THEN step >> 1 ELSE -(step >> 1) - 1 END;
        first_score := numbers[2] % 3;
        first_termination := ends[numbers[2] / 3 + 1];
        second_score := numbers[3] % 3;
        second_termination := ends[numbers[3] / 3 + 1];
        first_plies := numbers[4];
        second_plies := numbers[5];
        first_nodes := numbers[6];
        second_nodes := numbers[7];
        RETURN NEXT;
        numbers := '{}';
    END LOOP;
END $$;

-- Merged reports, in the order that counts. Each row holds what was new in it.
CREATE VIEW reports AS
SELECT id, run_id, lease_id, ll, ld, dd, dw, ww, wins, draws, losses, merged_at FROM reports_by_row
UNION ALL
SELECT g.last_id - r.before, g.run_id, r.lease_id,
       r.ll::bigint, r.ld::bigint, r.dd::bigint, r.dw::bigint, r.ww::bigint, r.wins::bigint,
       (r.ld + 2 * r.dd + 3 * r.dw + 4 * r.ww - 2 * r.wins)::bigint,
       (2 * r.ll + r.ld - r.dw - 2 * r.ww + r.wins)::bigint,
       g.merged_at
FROM report_groups g
CROSS JOIN LATERAL unnest(g.before, g.leases, g.ll, g.ld, g.dd, g.dw, g.ww, g.wins)
    AS r (before, lease_id, ll, ld, dd, dw, ww, wins);

-- Every pair that counts, once: `leases` sees to that.
CREATE VIEW pairs AS
SELECT run_id, pair_index, report_id, lease_id,
       first_score, first_termination, first_plies, first_nodes, first_moves,
       second_score, second_termination, second_plies, second_nodes, second_moves
FROM pairs_by_row
UNION ALL
SELECT g.run_id, p.pair_index, g.last_id - g.before[p.place], g.leases[p.place],
       p.first_score, p.first_termination, p.first_plies, p.first_nodes, NULL,
       p.second_score, p.second_termination, p.second_plies, p.second_nodes, NULL
FROM report_groups g
CROSS JOIN LATERAL unpack_pairs(g.packed) p;

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

CREATE VIEW dashboard.run_progress AS
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

CREATE VIEW dashboard.reports AS
SELECT p.id AS report_id, p.merged_at, p.run_id, r.game, r.kind, l.worker_id,
       p.ll + p.ld + p.dd + p.dw + p.ww AS pairs
FROM reports p
JOIN runs r ON r.id = p.run_id
JOIN leases l ON l.id = p.lease_id;

-- What was granted of the views went with them.
DO $$ BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'elomill_dashboard') THEN
        GRANT SELECT ON dashboard.run_progress, dashboard.reports TO elomill_dashboard;
    END IF;
END $$;

-- A lease knows which of its pairs are merged. With every report its row takes in the new ones, and the
-- statement refuses those that it has, those of other leases, and a number that does not grow: that is
-- what keeps a pair from counting twice. A start needs nothing else of what is out.
ALTER TABLE leases
    ADD COLUMN last_sequence integer NOT NULL DEFAULT 0,
    -- Null for none, and for all once it is completed.
    ADD COLUMN merged_set int8multirange,
    -- Cells and won games, as in `report_groups`; null for none, and once it is over.
    ADD COLUMN merged_tally smallint[];

-- Says why a report cannot be merged into its lease: called for one that its statement has passed over.
CREATE FUNCTION leases_refuse(lease bigint, fresh int8multirange, pairs bigint)
    RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    known leases%ROWTYPE;
    why text;
BEGIN
    SELECT * INTO known FROM leases WHERE id = lease;
    why := CASE
        WHEN known.id IS NULL THEN 'leases_known'
        WHEN NOT int8range(known.first_pair, known.first_pair + known.pairs) @> fresh
            THEN 'leases_own_pairs'
        WHEN coalesce(known.merged_set, '{}') && fresh
            OR pairs <> (SELECT coalesce(sum(upper(r) - lower(r)), 0) FROM unnest(fresh) r)
            THEN 'leases_pairs_once'
        ELSE 'leases_sequence_grows' END;
    RAISE EXCEPTION 'a report of lease % is refused', lease
        USING CONSTRAINT = why, ERRCODE = 'check_violation';
END $$;

-- How many leases a run has had and how they ended, and its reports, so that nobody counts rows for it.
ALTER TABLE runs
    ADD COLUMN reports bigint NOT NULL DEFAULT 0,
    ADD COLUMN leases_given bigint NOT NULL DEFAULT 0,
    ADD COLUMN leases_completed bigint NOT NULL DEFAULT 0,
    ADD COLUMN leases_returned bigint NOT NULL DEFAULT 0,
    ADD COLUMN leases_expired bigint NOT NULL DEFAULT 0,
    ADD COLUMN leases_revoked bigint NOT NULL DEFAULT 0;
UPDATE runs r
SET reports = (SELECT count(*) FROM reports_by_row p WHERE p.run_id = r.id),
    leases_given = l.given, leases_completed = l.completed, leases_returned = l.returned,
    leases_expired = l.expired, leases_revoked = l.revoked
FROM (
    SELECT run_id, count(*) AS given,
           count(*) FILTER (WHERE state = 'completed') AS completed,
           count(*) FILTER (WHERE state = 'returned') AS returned,
           count(*) FILTER (WHERE state = 'expired') AS expired,
           count(*) FILTER (WHERE state = 'revoked') AS revoked
    FROM leases GROUP BY run_id
) l
WHERE l.run_id = r.id;

-- Neither the ending of a lease nor its terms ever change; asked here, so that the function is called
-- for what it refuses alone.
DROP TRIGGER leases_end_once ON leases;
UPDATE leases l
SET last_sequence = p.sequence, merged_set = p.merged,
    merged_tally = CASE WHEN l.state = 'active' THEN p.tally END
FROM (
    SELECT r.lease_id, max(r.sequence) AS sequence,
           (SELECT range_agg(int8range(pair_index, pair_index + 1))
            FROM pairs_by_row q WHERE q.lease_id = r.lease_id) AS merged,
           ARRAY[sum(r.ll), sum(r.ld), sum(r.dd), sum(r.dw), sum(r.ww), sum(r.wins)]::smallint[]
               AS tally
    FROM reports_by_row r GROUP BY r.lease_id
) p
WHERE p.lease_id = l.id AND l.state <> 'completed';
CREATE TRIGGER leases_end_once BEFORE UPDATE ON leases
    FOR EACH ROW WHEN (OLD.state <> 'active') EXECUTE FUNCTION leases_end_once();

-- Each new version of a row finds its place beside the old one as long as no index has to be told, and
-- what is left of the old ones is soon used again.
ALTER TABLE leases SET (
    fillfactor = 85, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05);
DROP INDEX leases_by_run;
-- The row of a run is written with every commit. While somebody reads an old state of the ledger its
-- versions pile up, and each lease that is written would look through them; only the coordinator that has
-- the run gives leases of it.
ALTER TABLE leases DROP CONSTRAINT leases_run_id_fkey;
-- No pairs are given twice at the same time.
CREATE UNIQUE INDEX leases_given_once ON leases (run_id, first_pair, epoch);
-- What came back, and what was given again.
CREATE INDEX leases_that_came_back ON leases (run_id)
    WHERE state IN ('returned', 'expired', 'revoked') OR epoch > 1;
