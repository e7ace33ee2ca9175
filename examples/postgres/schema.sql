-- Spans that a fleet of hosts shares, with the rules of the built-in store.
--
-- A span is seen by its session only, under a short handle. Its address is a
-- hash over the session's nonce and the span: the same span twice in a session
-- is one row, and in another session has another address, so that an address
-- says nothing about what others hold.

CREATE TABLE session (
    name  text PRIMARY KEY,
    -- 244 random bits.
    nonce bytea NOT NULL DEFAULT uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())
);

CREATE TABLE span (
    session text NOT NULL REFERENCES session ON DELETE CASCADE,
    handle  text NOT NULL,
    address text NOT NULL,
    -- Bytes, because a text has the encoding of its database.
    span    bytea NOT NULL,
    UNIQUE (session, handle),
    UNIQUE (session, address)
);

CREATE FUNCTION span_address(nonce bytea, span bytea) RETURNS text
LANGUAGE sql IMMUTABLE AS $$ SELECT encode(sha256(nonce || span), 'hex') $$;

-- Keeps a span and returns its handle: the shortest prefix of its address, of 8
-- characters or more, that nothing else in the session has. Models copy long
-- handles badly, and every character is paid for.
CREATE FUNCTION mint_span(of_session text, new_span bytea) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
    new_address text;
    issued text;
BEGIN
    INSERT INTO session (name) VALUES (of_session) ON CONFLICT DO NOTHING;
    SELECT span_address(nonce, new_span) INTO STRICT new_address FROM session WHERE name = of_session;
    FOR length IN 8..64 LOOP
        -- Waits for whoever is inserting the same span, or the same handle.
        INSERT INTO span VALUES (of_session, left(new_address, length), new_address, new_span)
        ON CONFLICT DO NOTHING;
        SELECT handle INTO issued FROM span WHERE session = of_session AND address = new_address;
        IF FOUND THEN
            RETURN issued;
        END IF;
    END LOOP;
    RAISE 'every prefix of % is taken in its session', new_address;
END $$;

-- The span under a handle as it was issued, never under a prefix of one, or
-- under a whole address; NULL if this session has none. What was changed since
-- it was minted is refused.
CREATE FUNCTION fetch_span(of_session text, wanted text) RETURNS bytea
LANGUAGE plpgsql STABLE AS $$
DECLARE
    bare text := regexp_replace(wanted, '^(compaction|spill):', '');
    found_span bytea;
    intact boolean;
BEGIN
    SELECT span, address = span_address(nonce, span) AND starts_with(address, handle)
    INTO found_span, intact
    FROM span JOIN session ON session.name = span.session
    WHERE span.session = of_session AND (handle = bare OR address = bare);
    IF NOT intact THEN
        RAISE data_corrupted USING MESSAGE = format('the span under %s was changed after it was minted', bare);
    END IF;
    RETURN found_span;
END $$;

-- To forget a session with all its spans: DELETE FROM session WHERE name = …
