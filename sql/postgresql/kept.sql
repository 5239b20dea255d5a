-- A projection kept by name: rp_save('name', 'source', k => 64) and its like, and `sqlrp.save` in Python, keep its text, written for
-- the columns of that source, in this schema's catalogue. It works for every source with these columns. It runs with the caller's
-- rights. So it is refused if other roles may write the catalogue: other than the roles that may act as the functions' owner or
-- as the caller. A caller who trusts them can SET sqlrp.trust_schema = on.
CREATE OR REPLACE FUNCTION sqlrp_kept(projection text) RETURNS jsonb LANGUAGE plpgsql STABLE PARALLEL SAFE AS $f$
DECLARE
  catalogue regclass := to_regclass(sqlrp_schema() || '.sqlrp_catalogue');
  owner oid := (SELECT proowner FROM pg_proc WHERE oid = to_regprocedure(sqlrp_schema() || '.project_with(text, regclass)'));
  me name := current_user;
  strangers text;
  kept jsonb;
BEGIN
  IF EXISTS (SELECT 1 FROM pg_class WHERE oid = catalogue AND (relkind <> 'r' OR relrowsecurity)) THEN
    PERFORM sqlrp_refuse(sqlrp_schema() || '.sqlrp_catalogue is no plain table, so reading it could run code: drop it, install and save again',
      'insufficient_privilege');
  END IF;
  SELECT {{writers}}
    INTO strangers FROM pg_class c WHERE c.oid = catalogue;
  IF strangers IS NOT NULL AND current_setting('sqlrp.trust_schema', true) IS DISTINCT FROM 'on' THEN
    PERFORM sqlrp_refuse(format('project_with runs a text of %s.sqlrp_catalogue with your rights, and %s may write it: REVOKE INSERT, '
      'UPDATE, and roles such as pg_write_all_data, or, if you trust them, SET sqlrp.trust_schema = on', sqlrp_schema(), strangers),
      'insufficient_privilege');
  END IF;
  IF catalogue IS NOT NULL THEN
    SELECT CAST(c.definition AS jsonb) INTO kept FROM ONLY sqlrp_catalogue c WHERE c.kind = 'text' AND c.name = projection;
  END IF;
  IF kept IS NULL THEN
    PERFORM sqlrp_refuse(format('no projection %s is saved here with a source%s: SELECT rp_save(%1$s, ''my_table'', k => 64) saves one for the '
      'columns of my_table', quote_nullable(projection), (SELECT '; saved are ' || string_agg(quote_literal(left(t.name, 60)), ', ' ORDER BY t.name)
      FROM (SELECT c.name FROM ONLY sqlrp_catalogue c WHERE c.kind = 'text' ORDER BY c.name LIMIT 10) t)), 'undefined_object');
  END IF;
  IF NOT EXISTS (SELECT FROM ONLY sqlrp_catalogue c JOIN ONLY sqlrp_catalogue t ON t.kind = 'text' AND t.name = c.name
      AND t.fingerprint = c.fingerprint WHERE c.kind = 'projection' AND c.name = projection)
    OR kept ->> 'digest' IS DISTINCT FROM sqlrp_digest(kept ->> 'text') THEN
    PERFORM sqlrp_refuse(format('the text of projection %s was changed since it was saved, or is that of another one: '
      'save it again, as by SELECT rp_save(%1$s, ''my_table'', k => 64, replace => true)', quote_nullable(projection)), 'data_corrupted');
  END IF;
  RETURN kept;
END $f$;

CREATE OR REPLACE FUNCTION sqlrp_kept_text(kept jsonb, source regclass) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $f$
  SELECT replace(kept ->> 'text', kept ->> 'place', sqlrp_relation(source))
$f$;

-- Text as Python's json writes it.
CREATE OR REPLACE FUNCTION sqlrp_json_text(words text) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $f$
  SELECT CASE WHEN words ~ '^[ -~]*$' THEN CAST(to_json(words) AS text) ELSE (SELECT '"' || coalesce(string_agg(CASE WHEN v.code < 127
      THEN substr(CAST(to_json(v.c) AS text), 2, length(CAST(to_json(v.c) AS text)) - 2) WHEN v.code < 65536 THEN '\u' || lpad(to_hex(v.code), 4, '0')
      ELSE '\u' || to_hex(55296 + ((v.code - 65536) >> 10)) || '\u' || to_hex(56320 + ((v.code - 65536) & 1023)) END, '' ORDER BY v.i), '') || '"'
    FROM (SELECT u.c, u.i, CASE octet_length(b.b) WHEN 1 THEN get_byte(b.b, 0) WHEN 2 THEN ((get_byte(b.b, 0) & 31) << 6) + (get_byte(b.b, 1) & 63)
      WHEN 3 THEN ((get_byte(b.b, 0) & 15) << 12) + ((get_byte(b.b, 1) & 63) << 6) + (get_byte(b.b, 2) & 63)
      ELSE ((get_byte(b.b, 0) & 7) << 18) + ((get_byte(b.b, 1) & 63) << 12) + ((get_byte(b.b, 2) & 63) << 6) + (get_byte(b.b, 3) & 63) END AS code
      FROM regexp_split_to_table(words, '') WITH ORDINALITY u(c, i) CROSS JOIN LATERAL (SELECT convert_to(u.c, 'UTF8') AS b) b) v) END
$f$;

CREATE OR REPLACE FUNCTION sqlrp_json_texts(words jsonb) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $f$
  SELECT '[' || coalesce(string_agg(sqlrp_json_text(e), ', ' ORDER BY i), '') || ']' FROM jsonb_array_elements_text(words) WITH ORDINALITY u(e, i)
$f$;

CREATE OR REPLACE FUNCTION sqlrp_digest(words text) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $f$
  SELECT left(encode(sha256(convert_to(words, 'UTF8')), 'hex'), 16)
$f$;

-- A method with the parameters p, bound to features, as the JSON that `to_json` of its class in Python writes.
CREATE OR REPLACE FUNCTION sqlrp_definition(method text, p jsonb, bound jsonb) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $f$
  SELECT '{' || string_agg(format('"%s": %s', e.name, e.written), ', ' ORDER BY e.name COLLATE "C") || '}'
  FROM (VALUES
{{definitions}}) v(function, vectors, class, s, parameters, floats)
  CROSS JOIN LATERAL (
    SELECT 'projection' AS name, sqlrp_json_text(v.class) AS written
    UNION ALL SELECT 'bound_to', CASE jsonb_typeof(bound) WHEN 'array' THEN sqlrp_json_texts(bound) ELSE CAST(bound AS text) END WHERE bound IS NOT NULL
    UNION ALL SELECT q.name, CASE WHEN jsonb_typeof(q.given) = 'string' THEN sqlrp_json_text(q.given #>> '{}')
        WHEN jsonb_typeof(q.given) = 'number' AND (q.name = ANY (v.floats) OR (q.name = 's' AND mod(CAST(q.given AS numeric), 1) <> 0))
          THEN (SELECT {{repr}} FROM (SELECT CAST(q.given AS double precision) AS number) n)
        ELSE CAST(q.given AS text) END
      FROM (SELECT u AS name, CASE WHEN u = 's' THEN coalesce(nullif(p -> u, 'null'), v.s) ELSE p -> u END AS given FROM unnest(v.parameters) u) q) e
  WHERE v.function = method AND (v.vectors IS NULL OR v.vectors = p ->> 'vectors')
$f$;

-- Saves a method with the parameters p for the columns of a source, as `sqlrp.save` in Python does, and returns its JSON. It writes the
-- catalogue with the caller's rights, after the same questions: a catalogue that runs code, or that others may write, is refused.
CREATE OR REPLACE FUNCTION sqlrp_save(called text, method text, source regclass, p jsonb, o jsonb, replaces boolean) RETURNS text
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE AS $f$
DECLARE
  catalogue text := sqlrp_schema() || '.sqlrp_catalogue';
  stand_in text := format('"sqlrp source %s"', md5(concat(random(), clock_timestamp())));
  text_of record;
  said text;
  print text;
  there text;
  place text;
  unsafe text;
BEGIN
  IF called IS NULL OR called !~ '\S' OR length(called) > 200 THEN
    PERFORM sqlrp_refuse(format('name = %s must be a text of 1 to 200 characters', quote_nullable(left(called, 60))));
  END IF;
  PERFORM sqlrp_flag('replace', replaces);
  PERFORM pg_advisory_xact_lock(hashtextextended('sqlrp_catalogue', 0));
  IF to_regclass(catalogue) IS NULL THEN
    PERFORM sqlrp_refuse(format('%s was dropped: install sqlrp in this schema again', catalogue), 'undefined_table');
  END IF;
  SELECT concat(u.why, ': ', u.remedy) INTO unsafe FROM ({{unsafe}}) u(why, remedy);
  IF unsafe IS NOT NULL THEN
    PERFORM sqlrp_refuse(concat(catalogue, ' ', unsafe), 'insufficient_privilege');
  END IF;
  IF (SELECT count(*) FILTER (WHERE c.name = '{{format}}') <> 1 OR count(*) <> 1 FROM ONLY sqlrp_catalogue c WHERE c.kind = 'format') THEN
    PERFORM sqlrp_refuse(format('%s is not of format {{format}}, which this release writes: sqlrp.check in Python says what to do', catalogue),
      'object_not_in_prerequisite_state');
  END IF;
  text_of := sqlrp_write(method, source, p, o || jsonb_build_object('place', stand_in));
  said := sqlrp_definition(method, p, text_of.bound);
  print := sqlrp_digest(said);
  place := format('"sqlrp source %s"', print);
  text_of.written := replace(text_of.written, stand_in, place);
  SELECT c.definition INTO there FROM ONLY sqlrp_catalogue c WHERE c.kind = 'projection' AND c.name = called FOR UPDATE;
  IF there <> said AND NOT replaces THEN
    PERFORM sqlrp_refuse(format('%L is the name of another projection, %s: replace => true puts this one in its place', called, left(there, 100)),
      'duplicate_object');
  END IF;
  INSERT INTO sqlrp_catalogue AS c (kind, name, definition, fingerprint, version) VALUES ('projection', called, said, print, '{{version}}'),
    ('text', called, format('{"text": %s, "place": %s, "key": %s, "keep": %s, "digest": "%s"}', sqlrp_json_text(text_of.written), sqlrp_json_text(place),
      coalesce(sqlrp_json_text(o ->> 'key'), 'null'), sqlrp_json_texts(o -> 'keep'), sqlrp_digest(text_of.written)), print, '{{version}}')
    ON CONFLICT (kind, name) DO UPDATE SET definition = excluded.definition, fingerprint = excluded.fingerprint, version = excluded.version;
  RETURN said;
END $f$;
