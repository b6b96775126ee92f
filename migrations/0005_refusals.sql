-- Reports that were refused because they contradict their lease, themselves or the rules of the game.
--
-- They count against their worker and move nothing else. The sum is kept for ever in the worker's row;
-- of the rows here the newest hundred of each worker stay, so that nobody can fill the disk with them.
ALTER TABLE workers ADD COLUMN refused_reports bigint NOT NULL DEFAULT 0;

CREATE TABLE refusals (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    worker_id  bigint NOT NULL REFERENCES workers (id),
    run_id     bigint NOT NULL REFERENCES runs (id),
    lease_id   bigint NOT NULL REFERENCES leases (id),
    epoch      integer NOT NULL,
    sequence   integer NOT NULL,
    reason     text NOT NULL,
    detail     text NOT NULL,
    at         timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT refusals_reason_known CHECK (reason IN (
        'contradiction', 'illegal_move', 'after_the_end', 'unfinished', 'wrong_result',
        'wrong_termination', 'wrong_length'))
);
CREATE INDEX refusals_by_worker ON refusals (worker_id, id);
