-- Where the coordinators of this ledger are, the leader and those that stand by: each writes its own
-- address again and again, and workers are told all of them.
CREATE TABLE coordinators (
    -- https://HOST:PORT#FINGERPRINT, or without the fingerprint where the roots of a system vouch.
    address  text PRIMARY KEY,
    seen_at  timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT coordinators_address_bounded CHECK (length(address) BETWEEN 1 AND 400)
);

-- Drops the partitions of moves that are older than so many whole days; how many those were. Each is a
-- table of its own, so that no row is read and nothing is left to be cleaned up. The lock on the whole
-- table is waited for briefly: reports come first, and the next attempt comes soon.
CREATE FUNCTION pair_moves_drop_days(keep_days integer) RETURNS integer
    LANGUAGE plpgsql SET lock_timeout = '1s' AS $$
DECLARE
    partition text;
    dropped integer := 0;
BEGIN
    FOR partition IN
        SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = 'pair_moves'::regclass AND c.relname ~ '^pair_moves_[0-9]{8}$'
          AND to_date(right(c.relname, 8), 'YYYYMMDD')
              < (now() AT TIME ZONE 'UTC')::date - keep_days
        ORDER BY c.relname
    LOOP
        EXECUTE format('DROP TABLE %I', partition);
        dropped := dropped + 1;
    END LOOP;
    RETURN dropped;
END $$;
