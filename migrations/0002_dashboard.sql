-- What dashboards read: views of their own schema, so that a login that may see nothing else can
-- draw charts, and so that the tables stay free to change. Names and meanings of the columns are
-- kept; a later migration adds columns at the end or a view of a new name.
--
-- Elo here is logistic, from the pentanomial counts, with the naive 95 % interval: for charts. The
-- figures that a verdict rests on are those of the coordinator.
CREATE SCHEMA dashboard;

-- Logistic Elo of a mean score; null where it has no finite value.
CREATE FUNCTION dashboard.elo(score double precision) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS 'SELECT CASE WHEN score > 0 AND score < 1 THEN -400 * log(1 / score - 1) END';

-- Half the width of the 95 % interval of a mean score, from the five cells.
CREATE FUNCTION dashboard.score_margin(
    ll double precision, ld double precision, dd double precision, dw double precision,
    ww double precision
) RETURNS double precision
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS 'SELECT 1.959964 * sqrt(greatest(0,
        (0.0625 * ld + 0.25 * dd + 0.5625 * dw + ww) / nullif(ll + ld + dd + dw + ww, 0)
        - ((0.25 * ld + 0.5 * dd + 0.75 * dw + ww) / nullif(ll + ld + dd + dw + ww, 0)) ^ 2
    ) / nullif(ll + ld + dd + dw + ww, 0))';

-- Every run. Strength is that of a test's candidate; a tune has none.
CREATE VIEW dashboard.runs AS
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
           CASE WHEN r.kind = 'test' THEN
               (0.25 * r.ld + 0.5 * r.dd + 0.75 * r.dw + r.ww)::double precision
               / nullif(r.ll + r.ld + r.dd + r.dw + r.ww, 0)
           END AS score,
           dashboard.score_margin(r.ll, r.ld, r.dd, r.dw, r.ww) AS margin
) n;

-- How the score of a run came about, a row for each report.
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
        FROM reports
        WINDOW so_far AS (PARTITION BY run_id ORDER BY id)
    ) s
) c;

-- The climb of each game: the accepted tests in the order of their ends, their Elo summed up. The
-- margins of independent tests add as squares.
CREATE VIEW dashboard.elo_progress AS
SELECT t.game, t.ended_at, t.run_id, t.name, t.elo,
       sum(t.elo) OVER so_far AS total_elo,
       sum(t.elo) OVER so_far - sqrt(sum(((t.elo_high - t.elo_low) / 2) ^ 2) OVER so_far)
           AS total_low,
       sum(t.elo) OVER so_far + sqrt(sum(((t.elo_high - t.elo_low) / 2) ^ 2) OVER so_far)
           AS total_high
FROM dashboard.runs t
WHERE t.kind = 'test' AND t.verdict = 'accepted'
WINDOW so_far AS (PARTITION BY t.game ORDER BY t.ended_at, t.run_id);

-- The parameters of the tunes: where each began, and where it is after the last report.
CREATE VIEW dashboard.parameters AS
SELECT v.run_id, v.place, v.parameter, v.start, v.value,
       (v.value - v.start) / nullif(v.c_end, 0) AS moved_by_c_end
FROM (
    SELECT r.id AS run_id, d.place, d.definition ->> 'name' AS parameter,
           (d.definition ->> 'start')::double precision AS start,
           (d.definition ->> 'c_end')::double precision AS c_end,
           (r.point::jsonb -> 'theta' ->> (d.place - 1)::integer)::double precision AS value
    FROM runs r
    CROSS JOIN LATERAL jsonb_array_elements(r.spec -> 'job' -> 'tune' -> 'parameters')
        WITH ORDINALITY AS d (definition, place)
    WHERE r.kind = 'tune'
) v;

-- What came in and when.
CREATE VIEW dashboard.reports AS
SELECT p.id AS report_id, p.merged_at, p.run_id, r.game, r.kind, l.worker_id,
       p.ll + p.ld + p.dd + p.dw + p.ww AS pairs
FROM reports p
JOIN runs r ON r.id = p.run_id
JOIN leases l ON l.id = p.lease_id;

-- The machines, without their keys.
CREATE VIEW dashboard.workers AS
SELECT w.id AS worker_id, w.name, w.platform, w.software_version, w.cores, w.slots,
       w.first_seen_at, w.last_seen_at, coalesce(p.pairs, 0)::bigint AS pairs
FROM workers w
LEFT JOIN (SELECT worker_id, sum(merged_pairs) AS pairs FROM leases GROUP BY worker_id) p
    ON p.worker_id = w.id;

-- Charts ask for the reports of a time; they come in its order, for which a block range index is
-- enough and costs a commit nothing to speak of.
CREATE INDEX reports_by_time ON reports USING brin (merged_at);
