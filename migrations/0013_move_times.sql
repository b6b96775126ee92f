-- What each move took, where what the searches said is kept, in the bytes of `model::evals`. Null in rows
-- from before, and empty where a worker from before played.
ALTER TABLE pair_moves
    ADD COLUMN first_times   bytea,
    ADD COLUMN second_times  bytea;
