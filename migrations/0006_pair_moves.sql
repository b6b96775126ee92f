-- The moves of games, apart from the ledger of what counts: they are many bytes that a run may do
-- without, and go by days.
--
-- A row is written in the transaction of its pair, whose primary key keeps it from coming twice. The
-- bytes are those of `games::movecode` and `model::evals`; opening and length stand in the ledger.
-- Rows of pairs from before have their moves as text in `pairs`, which stays empty from now on.
ALTER TABLE pairs ALTER COLUMN first_moves DROP NOT NULL;
ALTER TABLE pairs ALTER COLUMN second_moves DROP NOT NULL;

CREATE TABLE pair_moves (
    -- The day of the report in UTC, by the clock of the database.
    day           date NOT NULL DEFAULT (now() AT TIME ZONE 'UTC')::date,
    run_id        bigint NOT NULL,
    pair_index    bigint NOT NULL,
    first_moves   bytea NOT NULL,
    second_moves  bytea NOT NULL,
    -- Null where what the searches said is not kept.
    first_evals   bytea,
    second_evals  bytea,
    PRIMARY KEY (run_id, pair_index, day)
) PARTITION BY RANGE (day);

-- Makes the partitions of today and the next two days, those that are not there. Old days are dropped
-- as whole tables.
CREATE FUNCTION pair_moves_make_days() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    from_day date;
    partition text;
BEGIN
    FOR ahead IN 0..2 LOOP
        from_day := (now() AT TIME ZONE 'UTC')::date + ahead;
        partition := 'pair_moves_' || to_char(from_day, 'YYYYMMDD');
        IF to_regclass(partition) IS NULL THEN
            EXECUTE format(
                'CREATE TABLE IF NOT EXISTS %I PARTITION OF pair_moves FOR VALUES FROM (%L) TO (%L)',
                partition, from_day, from_day + 1);
        END IF;
    END LOOP;
END $$;
