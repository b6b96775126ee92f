-- Engines of others: what authors have published, by name, and what workers fetch, by content.
--
-- The bytes lie as files in the data directory of the coordinator; a row here says that they were whole
-- once. A name stands for its newest row; runs carry artefact and manifest in their specification, so
-- that nothing that was filed changes when a name is published again.
CREATE TABLE artefacts (
    sha256    text PRIMARY KEY,
    bytes     bigint NOT NULL,
    owner     text NOT NULL,
    added_at  timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT artefacts_sha256_is_hex CHECK (sha256 ~ '^[0-9a-f]{64}$'),
    CONSTRAINT artefacts_not_empty CHECK (bytes > 0)
);

CREATE TABLE engines (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name          text NOT NULL,
    game          text NOT NULL,
    sha256        text NOT NULL REFERENCES artefacts (sha256),
    -- As its author wrote it.
    manifest      text NOT NULL,
    -- Its numbers (a list of ParameterDef as JSON), each with the engine's default as its start.
    parameters    jsonb NOT NULL,
    -- Whose name it is, from its first row on.
    owner         text NOT NULL,
    published_at  timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT engines_name_length CHECK (char_length(name) BETWEEN 1 AND 64)
);
CREATE INDEX engines_by_name ON engines (name, id);
