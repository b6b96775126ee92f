-- Who may do what: owners, their keys, and the invitations that keys were admitted by. For the first
-- version in which a coordinator asks for keys.

-- People and machines that answer for what is done with their keys.
CREATE TABLE owners (
    id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name      text NOT NULL,
    since     timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT owners_name_unique UNIQUE (name),
    CONSTRAINT owners_name_length CHECK (char_length(name) BETWEEN 1 AND 80)
);

-- Invitations. The token itself is told once and kept by nobody: 128 random bits, of which this is
-- the SHA-256.
CREATE TABLE invites (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    token_sha256  bytea NOT NULL,
    owner_id      bigint NOT NULL REFERENCES owners (id),
    role          text NOT NULL,
    uses          integer NOT NULL,
    used          integer NOT NULL DEFAULT 0,
    made_at       timestamptz NOT NULL DEFAULT now(),
    expires_at    timestamptz NOT NULL,
    CONSTRAINT invites_token_unique UNIQUE (token_sha256),
    CONSTRAINT invites_token_is_sha256 CHECK (octet_length(token_sha256) = 32),
    CONSTRAINT invites_role_known CHECK (role IN ('admin', 'author', 'worker', 'read-only')),
    CONSTRAINT invites_used_within CHECK (used BETWEEN 0 AND uses)
);

-- Ed25519 public keys. A key is never deleted: a revoked one must stay known as revoked.
CREATE TABLE keys (
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    public_key      bytea NOT NULL,
    owner_id        bigint NOT NULL REFERENCES owners (id),
    role            text NOT NULL,
    label           text NOT NULL,
    -- Null for the keys that a coordinator is started with.
    invite_id       bigint REFERENCES invites (id),
    created_at      timestamptz NOT NULL DEFAULT now(),
    revoked_at      timestamptz,
    revoked_reason  text NOT NULL DEFAULT '',
    CONSTRAINT keys_public_key_unique UNIQUE (public_key),
    CONSTRAINT keys_public_key_is_32_bytes CHECK (octet_length(public_key) = 32),
    CONSTRAINT keys_role_known CHECK (role IN ('admin', 'author', 'worker', 'read-only'))
);

-- Counts up with every change of a key, so that a coordinator sees by one number that it must read
-- them again, whoever changed them.
CREATE TABLE keyring (
    singleton  boolean PRIMARY KEY DEFAULT true,
    version    bigint NOT NULL,
    CONSTRAINT keyring_one_row CHECK (singleton)
);
INSERT INTO keyring (version) VALUES (1);
CREATE FUNCTION keyring_moves() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE keyring SET version = version + 1;
    RETURN NULL;
END $$;
CREATE TRIGGER keyring_moves AFTER INSERT OR UPDATE OR DELETE ON keys
    FOR EACH STATEMENT EXECUTE FUNCTION keyring_moves();

-- A revoked key stays revoked.
CREATE FUNCTION keys_revoked_once() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.revoked_at IS NOT NULL AND NEW.revoked_at IS NULL THEN
        RAISE EXCEPTION 'key % was revoked', OLD.id
            USING CONSTRAINT = 'keys_revoked_once', ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER keys_revoked_once BEFORE UPDATE ON keys
    FOR EACH ROW EXECUTE FUNCTION keys_revoked_once();

-- A worker is named by its public key from now on; those of before stay in the lists.
ALTER TABLE workers DROP CONSTRAINT workers_key_is_16_bytes;
ALTER TABLE workers ADD CONSTRAINT workers_key_is_known_length
    CHECK (octet_length(worker_key) IN (16, 32));
