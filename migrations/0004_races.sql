-- Races and matches: several candidates against one base, and tests without hypotheses. From the
-- coordinator that files them on; one from before never sees the new kinds.

ALTER TABLE runs DROP CONSTRAINT runs_kind_known;
ALTER TABLE runs ADD CONSTRAINT runs_kind_known
    CHECK (kind IN ('tune', 'test', 'match', 'race'));

-- The place of the candidate that these pairs play, from 0; null except in a race.
ALTER TABLE leases ADD COLUMN candidate integer;
ALTER TABLE leases ADD CONSTRAINT leases_candidate_not_negative CHECK (candidate >= 0);

COMMENT ON COLUMN runs.point IS
    'The optimiser''s point after the last report, as JSON; in a race, its candidates with their counts; null in a test';
