-- Quarrels between two workers about one pair, and the third that settles them. From the coordinator
-- that asks a third on; one from before passes open quarrels over.

-- A pair that came out otherwise is `disputed` until two workers have played it alike. Then it is
-- `matched` when the report is one of the two, and `mismatched` when it is not. `found` stays either
-- way, with `auditor_id`, who played it otherwise first.
ALTER TABLE audits DROP CONSTRAINT audits_state_known;
ALTER TABLE audits ADD CONSTRAINT audits_state_known
    CHECK (state IN ('wanted', 'disputed', 'matched', 'mismatched'));
ALTER TABLE audits DROP CONSTRAINT audits_end_has_time;
ALTER TABLE audits ADD CONSTRAINT audits_end_has_time
    CHECK ((state IN ('wanted', 'disputed')) = (ended_at IS NULL));
ALTER TABLE audits ADD CONSTRAINT audits_disputed_are_whole
    CHECK (state <> 'disputed' OR (claimed IS NOT NULL AND found IS NOT NULL));
DROP INDEX audits_wanted;
CREATE INDEX audits_open ON audits (asked_at) WHERE state IN ('wanted', 'disputed');
CREATE INDEX audits_found ON audits (auditor_id) WHERE found IS NOT NULL;

-- How those played it who were asked after the first two, in their order.
CREATE TABLE arbitrations (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run_id      bigint NOT NULL,
    pair_index  bigint NOT NULL,
    worker_id   bigint NOT NULL REFERENCES workers (id),
    -- Both games (PairRecord as JSON).
    played      text NOT NULL,
    at          timestamptz NOT NULL DEFAULT now(),
    FOREIGN KEY (run_id, pair_index) REFERENCES audits (run_id, pair_index),
    CONSTRAINT arbitrations_once_each UNIQUE (run_id, pair_index, worker_id)
);
CREATE INDEX arbitrations_of_worker ON arbitrations (worker_id);

-- Whether a worker is on hold only because its word stands against one other's, with nobody to ask.
ALTER TABLE holds ADD COLUMN disputed boolean NOT NULL DEFAULT false;
