-- Written by `python sql/build.py` from the parts in sql/postgresql/: change those.

-- sqlrp for PostgreSQL (12 and later), without Python: random projections and polynomial-kernel features as functions.
--
--   SET search_path = my_schema;   -- everything below goes into the first schema of the path
--   \i sql/postgresql.sql
--   SELECT * FROM rp_project('images', k => 128, s => 3, seed => 7, key => 'id', keep => ARRAY['label']);
--   SELECT * FROM pk_project('images', k => 256, degree => 2, seed => 7);
--   SELECT * FROM rp_project('docs', array_column => 'embedding', seed => 7);
--   SELECT * FROM cw_project('counts', key => 'doc', feature => 'word', value => 'n');
--   SELECT * FROM cbp_project('descriptors', k => 128, group_by => 'image');
--
-- A source is the name of a table or view. PostgreSQL says "invalid name syntax" of a query: make a view of it, and name that. A warning
-- names the columns that are left out and may be meant as features: dates, and text that reads as numbers.
--
-- Every method that needs no data to be drawn has a function, with the parameters of its class in Python:
--
--   rp_project (k, s, seed, vectors): SparseProjection
--   pk_project (k, s, seed, degree, p, t, c, minimise_repetition, vectors): PolynomialKernelProjection
--   d2pk_project (k, s, seed, m, modified): Degree2KernelProjection
--   cbp_project (k, s, seed, p, t, normalise, split, group_by): BilinearPooling
--   rmp_project (k, normalise, split, group_by, seed): MaclaurinPooling
--   tsp_project (k, normalise, split, group_by, seed): SketchPooling
--   fbp_project (k, normalise, split, group_by): FullBilinearPooling
--   rs_project (k, densify, seed, stratified): RandomSubspace
--   fht_project (k, seed, padding, replacement): HadamardProjection
--   cw_project (k, nnz_per_feature, seed, buckets): SparseEmbedding
--   rm_project (k, degree, seed): RandomMaclaurin
--   ts_project (k, degree, seed): TensorSketch
--   rff_project (k, gamma, seed): RandomFourierFeatures
--   ep_project (k, s, seed, degree, vectors): ExplicitPolynomialProjection
--
-- The +1, -1 and 0 tables are Python's to the bit. The weights of vectors => 'gaussian' are the same
-- draw by the server's own logarithm and cosine, so that their last bit may differ, as between two machines in Python.
--
-- Python's `sqlrp.install(connection, schema)` runs this file too. Run it again to replace what it left. All of it is one
-- transaction of its own, so an error leaves what was there before; installations at once wait for each other.
--
-- Install it in a schema where no one else may CREATE: others could add objects that stand in for these functions, and run
-- code with the rights of whoever calls them (SECURITY.md). The file refuses such a schema, unless you trust all who may
-- create there: SET sqlrp.trust_schema = on. It always refuses a catalogue, type or function that belongs to another role.
--
-- A function gives rows of (key text, kept jsonb, z double precision[]), as it cannot know the types of the source; the
-- columns of `keep` are the members of `kept`. Each has a twin in _sql that returns the statement itself, with the
-- columns under their own names and types, for views and tables, and output => 'array', 'columns', 'vector' (pgvector's type), 'bits' (bit(k)) or 'long',
-- and dtype => 'float32', or 'float16' for a halfvec:
--
--   SELECT 'CREATE VIEW projected AS ' || rp_project_sql('images', k => 128, output => 'columns') \gexec
--
-- (SET jit = off where such a text runs: the compiler takes longer than the sums. The functions do so themselves.)
--
-- rp_vector projects one array, such as the vector of a search, with the signs of the rows; so do the others but those that pool:
--
--   SELECT id FROM projected ORDER BY z <-> CAST(rp_vector($1, k => 128) AS vector) LIMIT 10;
--
-- rp_save keeps a projection by name, for the columns of a source, and so do the others. project_with applies it, and Python reads it:
--
--   SELECT rp_save('small', 'images', k => 128, s => 3, seed => 7);
--   SELECT * FROM project_with('small', 'images');
--
-- The source is a regclass: its name is looked up by the caller's search_path. Everything else is looked up in pg_catalog,
-- and the functions of this file by their schema, so no operator or function of another schema takes a built-in one's place.
-- They run with the caller's rights, and need USAGE on their schema and SELECT on the source.
-- sqlrp_catalogue lists them, and the projections that rp_save and `sqlrp.save` keep. To save one, a role needs INSERT and UPDATE on it.
--
-- How it works: sqlrp_write reads the source's columns, draws the signs, and writes one SELECT. Where the terms fit, the
-- signs are the text of expressions (inline); long rows, and what does not fit, are joined with them (relational). The statement is
-- the one that sqlrp.sql writes in Python; examples/postgresql.md lists what differs.
-- OFFSET '0' keeps a subquery from being merged into the one around it; unlike OFFSET 0 it lets workers share the rows.

BEGIN;
-- The text below has backslashes, and the settings of the functions are compared with what is written here.
SET LOCAL standard_conforming_strings = on;
SET LOCAL quote_all_identifiers = off;

-- Check that this schema is safe to install in. The schema is not on the search_path during the check.
DO $do$
DECLARE
  place name := pg_catalog.current_schema();
  me name := current_user;
  strangers text;
  words text;
  signature regprocedure;
BEGIN
  PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
  IF place IS NULL THEN
    RAISE EXCEPTION 'the search_path names no schema that is there: SET search_path = my_schema' USING ERRCODE = 'invalid_schema_name';
  END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended('sqlrp_catalogue', 0));

  -- A role is trusted if it may act as the role that installs: that role itself, its members and superusers.
  SELECT (SELECT CASE WHEN pg_catalog.has_schema_privilege(CAST('public' AS name), n.oid, 'CREATE') THEN 'PUBLIC' ELSE
    pg_catalog.string_agg(pg_catalog.quote_ident(r.rolname), ', ' ORDER BY r.rolname) END
    FROM pg_catalog.pg_roles r WHERE (r.rolcanlogin OR r.oid >= CAST(16384 AS oid))
    AND NOT pg_catalog.pg_has_role(r.oid, me, 'MEMBER')
    AND (pg_catalog.has_schema_privilege(r.oid, n.oid, 'CREATE') OR pg_catalog.pg_has_role(r.oid, n.nspowner, 'MEMBER')
    OR EXISTS (SELECT 1 FROM pg_catalog.pg_roles g WHERE g.oid < CAST(16384 AS oid) AND NOT g.rolcanlogin
    AND pg_catalog.has_schema_privilege(g.oid, n.oid, 'CREATE') AND pg_catalog.pg_has_role(r.oid, g.oid, 'MEMBER'))))
    INTO strangers FROM pg_namespace n WHERE n.nspname = place;
  IF strangers IS NOT NULL THEN
    words := format('others may create objects in schema %I (%s), and so run code with the rights of whoever calls the functions', place, strangers);
    IF current_setting('sqlrp.trust_schema', true) = 'on' THEN
      RAISE WARNING '%', words;
    ELSE
      RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege', MESSAGE = format('%s: install in a schema of your own, REVOKE CREATE '
        'ON SCHEMA %I FROM %s, or, if you trust them, SET sqlrp.trust_schema = on (in Python: trust_schema=True)', words, place, strangers);
    END IF;
  END IF;

  SELECT format('%s %I.%I belongs to role %I, who could change it later: drop it, or install in a schema of your own',
    o.kind, place, o.name, pg_get_userbyid(o.owner)) INTO words
    FROM (SELECT 'relation' AS kind, relname AS name, relowner AS owner FROM pg_class
      WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = place) AND relname IN ('sqlrp_catalogue', 'sqlrp_projected')
      UNION ALL SELECT 'type', typname, typowner FROM pg_type
      WHERE typnamespace = (SELECT oid FROM pg_namespace WHERE nspname = place) AND typname IN ('sqlrp_catalogue', 'sqlrp_projected')
      UNION ALL SELECT 'function', proname, proowner FROM pg_proc
      WHERE pronamespace = (SELECT oid FROM pg_namespace WHERE nspname = place) AND (proname LIKE 'sqlrp\_%'
        OR proname ~ '^(rp_project|pk_project|d2pk_project|cbp_project|rmp_project|tsp_project|fbp_project|rs_project|fht_project|cw_project|rm_project|ts_project|rff_project|ep_project|rp_save|pk_save|d2pk_save|cbp_save|rmp_save|tsp_save|fbp_save|rs_save|fht_save|cw_save|rm_save|ts_save|rff_save|ep_save|rp_vector|pk_vector|d2pk_vector|rs_vector|fht_vector|cw_vector|rm_vector|ts_vector|rff_vector|ep_vector|project_with)(_sql)?$')) o
    WHERE NOT pg_has_role(o.owner, me, 'MEMBER') ORDER BY o.kind, o.name LIMIT 1;
  IF words IS NOT NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege', MESSAGE = words;
  END IF;

  -- A function of install has settings that tell it from others of its name, which a call could find in its place.
  SELECT format('the function %s exists already, and sqlrp.install did not make it: it is never replaced; rename it, drop it, or install in '
    'another schema', CAST(p.oid AS regprocedure)) INTO words
    FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
    WHERE n.nspname = place AND (p.proname ~ '^(rp_project|pk_project|d2pk_project|cbp_project|rmp_project|tsp_project|fbp_project|rs_project|fht_project|cw_project|rm_project|ts_project|rff_project|ep_project|rp_save|pk_save|d2pk_save|cbp_save|rmp_save|tsp_save|fbp_save|rs_save|fht_save|cw_save|rm_save|ts_save|rff_save|ep_save|rp_vector|pk_vector|d2pk_vector|rs_vector|fht_vector|cw_vector|rm_vector|ts_vector|rff_vector|ep_vector|project_with)(_sql)?$' OR p.proname ~ '^sqlrp_(horner|coefficients|polynomial|draw|sign_text|signs|index_table|tree|difference|literal|fail|said|'
    'refuse|whole|sized|one_of|flag|s|relation|columns|doubt|warn_left_out|type|counted|series|'
    'vectors|fourier_sums|map|products|drawn_products|block_sums|bucket_sums|split_sums|picks|'
    'sums_and_squares|products_of|across|n_monomials|all_monomials|paley|sampled_transform|convolutions|'
    'constant|pipeline|rp_stages|pk_stages|d2pk_stages|cbp_stages|rmp_stages|tsp_stages|fbp_stages|'
    'rs_stages|fht_stages|cw_stages|rm_stages|ts_stages|rff_stages|ep_stages|vector_type|typed|number|'
    'shaped_array|shaped|level|live|weights|sums|shared|letter|butterflies|inline|block|add|numbers|'
    'listed|relational|write|run|kept|kept_text|json_text|json_texts|digest|definition|save|'
    'project_vector|methods|quality|method|schema)$')
    AND NOT coalesce(p.proconfig @> ARRAY['search_path=pg_catalog, pg_temp', 'jit=off', 'extra_float_digits=1'], p.proname = 'sqlrp_schema' AND starts_with(p.prosrc, 'SELECT CAST(')) ORDER BY CAST(CAST(p.oid AS regprocedure) AS text) COLLATE "C" ASC LIMIT 1;
  IF words IS NOT NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'duplicate_function', MESSAGE = words;
  END IF;
  -- Functions that only others of this file call may return something else in another release, so they make way. One that a view calls stays.
  FOR signature IN SELECT CAST(p.oid AS regprocedure) FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
    WHERE n.nspname = place AND starts_with(p.proname, 'sqlrp_') AND coalesce(p.proconfig @> ARRAY['search_path=pg_catalog, pg_temp', 'jit=off', 'extra_float_digits=1'], p.proname = 'sqlrp_schema' AND starts_with(p.prosrc, 'SELECT CAST('))
  LOOP
    BEGIN
      EXECUTE format('DROP FUNCTION %s', signature);
    EXCEPTION WHEN dependent_objects_still_exist THEN
      NULL;
    END;
  END LOOP;
  SELECT format('the type %I.sqlrp_projected exists already, and sqlrp.install did not make it: rename it, drop it, or install in another schema',
    place) INTO words FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace LEFT JOIN pg_class c ON c.oid = t.typrelid
    WHERE n.nspname = place AND t.typname = 'sqlrp_projected' AND (c.relkind IS DISTINCT FROM 'c' OR (SELECT string_agg(format('%s %s', a.attname,
      format_type(a.atttypid, a.atttypmod)), ', ' ORDER BY a.attnum ASC) FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0
      AND NOT a.attisdropped) IS DISTINCT FROM 'key text, kept jsonb, z double precision[]') LIMIT 1;
  IF words IS NOT NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'duplicate_object', MESSAGE = words;
  END IF;

  -- An existing catalogue must hold plain text, and run no code when it is read or written.
  SELECT format('%I.sqlrp_catalogue %s, so reading or writing it could run code: drop that, or install in another schema', place, w.why) INTO words
    FROM pg_class c CROSS JOIN LATERAL (SELECT CASE
      WHEN c.relkind <> 'r' THEN 'is no plain table'
      WHEN c.relrowsecurity THEN 'has row security'
      WHEN EXISTS (SELECT 1 FROM pg_trigger WHERE tgrelid = c.oid AND NOT tgisinternal) THEN 'has a trigger'
      WHEN EXISTS (SELECT 1 FROM pg_rewrite WHERE ev_class = c.oid) THEN 'has a rule'
      WHEN EXISTS (SELECT 1 FROM pg_attrdef WHERE adrelid = c.oid) THEN 'has a default or a generated column'
      WHEN EXISTS (SELECT 1 FROM pg_inherits WHERE c.oid IN (inhrelid, inhparent)) THEN 'has a parent or child table'
      WHEN EXISTS (SELECT 1 FROM pg_constraint WHERE conrelid = c.oid AND contype = 'c') THEN 'has a check constraint'
      WHEN EXISTS (SELECT 1 FROM pg_index WHERE indrelid = c.oid AND (indexprs IS NOT NULL OR indpred IS NOT NULL))
        THEN 'has an index of an expression'
      WHEN EXISTS (SELECT 1 FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped
        AND atttypid NOT IN (CAST('text' AS regtype), CAST('varchar' AS regtype))) THEN 'has a column that is no text' END AS why) w
    WHERE c.oid = to_regclass(format('%I.sqlrp_catalogue', place)) AND w.why IS NOT NULL;
  IF words IS NOT NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege', MESSAGE = words;
  END IF;

  IF to_regtype(format('%I.sqlrp_projected', place)) IS NULL THEN
    EXECUTE format('CREATE TYPE %I.sqlrp_projected AS (key text, kept jsonb, z double precision[])', place);
  END IF;
  IF to_regclass(format('%I.sqlrp_catalogue', place)) IS NULL THEN
    EXECUTE format('CREATE TABLE %I.sqlrp_catalogue (kind TEXT NOT NULL, name TEXT NOT NULL, definition TEXT, fingerprint TEXT, '
      'version TEXT, PRIMARY KEY (kind, name))', place);
    -- sqlrp/_store/stored.py describes the format.
    EXECUTE format('INSERT INTO %I.sqlrp_catalogue (kind, name, definition, fingerprint, version) '
      'VALUES (''format'', ''1'', '''', '''', ''0.1.0'')', place);
  END IF;
  EXECUTE format('GRANT SELECT ON %I.sqlrp_catalogue TO PUBLIC', place);
  -- Temporary tables come last: one called sqlrp_catalogue would be written otherwise.
  PERFORM set_config('search_path', quote_ident(place) || ', pg_temp', true);
END $do$;

-- -- the portable draw: sqlrp/_core/draw.py says why it is good --------------------------------------------------------------

CREATE OR REPLACE FUNCTION sqlrp_horner(a bigint[], x bigint) RETURNS bigint LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $f$
DECLARE
  h bigint := 0;
BEGIN
  FOR i IN REVERSE cardinality(a) .. 1 LOOP
    h := (h * x + a[i]) % 2147483647;
  END LOOP;
  RETURN h;
END $f$;

-- The 64 coefficients A[i][j] of a seed at 8i + j + 1, for one purpose: 0 signs, 1 index, 2 subspace, 3 flips, 4 sample, 5 blocks, 6 search, 7 normals, 8 folds, 9 phases.
CREATE OR REPLACE FUNCTION sqlrp_coefficients(seed bigint, purpose integer) RETURNS bigint[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $f$
DECLARE
  -- The first 31 bits of the fractional part of the square roots of the first 32 primes: four polynomials of degree 7.
  q0 bigint[] := '{889516851, 1572067138, 506952121, 1386740381, 679946559, 1300411462, 264367317, 770729612}';
  q1 bigint[] := '{1709035182, 827135125, 1219264685, 177731180, 865702707, 1197090115, 1837504262, 601531406}';
  q2 bigint[] := '{1462749355, 1739997929, 398042046, 915149669, 1168239147, 1907382987, 237154305, 931967384}';
  q3 bigint[] := '{1822908248, 107107080, 319742201, 738907103, 945551027, 1353227828, 578591514, 956753662}';
  m0 bigint := sqlrp_horner(q0, (sqlrp_horner(q0, seed % 2147483647) + seed / 2147483647) % 2147483647);
  m1 bigint := sqlrp_horner(q1, (sqlrp_horner(q1, seed % 2147483647) + seed / 2147483647) % 2147483647);
  a bigint[] := '{}';
BEGIN
  FOR n IN 64 * purpose .. 64 * purpose + 63 LOOP
    a := a || (sqlrp_horner(q2, (m0 + n) % 2147483647) + sqlrp_horner(q3, (m1 + n) % 2147483647)) % 2147483647;
  END LOOP;
  RETURN a;
END $f$;

-- The polynomial of the draw as text, for x below a bound. Remainders are taken only where 63 bits would not suffice.
CREATE OR REPLACE FUNCTION sqlrp_polynomial(a text[], x text, below bigint) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $f$
DECLARE
  h text := a[cardinality(a)];
  largest numeric := 2147483647 - 1;
BEGIN
  FOR i IN REVERSE cardinality(a) - 1 .. 1 LOOP
    IF largest * (below - 1) + 2147483647 - 1 >= 9223372036854775808 THEN
      h := format('(%s %% 2147483647)', h);
      largest := 2147483647 - 1;
    END IF;
    h := format('(%s*%s+%s)', h, x, a[i]);
    largest := largest * (below - 1) + 2147483647 - 1;
  END LOOP;
  RETURN format('(%s %% 2147483647)', h);
END $f$;

-- A SELECT of the entry h for every component c in 0 ... n-1 and every feature f of a relation. All integers are exact.
CREATE OR REPLACE FUNCTION sqlrp_draw(seed bigint, purpose integer, n bigint, features text) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $f$
DECLARE
  a bigint[] := sqlrp_coefficients(seed, purpose);
  b text[] := '{}';
BEGIN
  FOR i IN 0 .. 7 LOOP
    b := b || format('%s AS b%s', sqlrp_polynomial(CAST(a[8 * i + 1 : 8 * i + 8] AS text[]), 'c', n), i);
  END LOOP;
  RETURN format('WITH sqlrp_components AS MATERIALIZED (SELECT c, %s FROM generate_series(CAST(0 AS bigint), %s) g(c)) '
    'SELECT c, f, %s AS h FROM %s features CROSS JOIN sqlrp_components OFFSET ''0''', array_to_string(b, ', '), n - 1,
    sqlrp_polynomial('{b0,b1,b2,b3,b4,b5,b6,b7}', 'f', 2147483647), features);
END $f$;

-- A SELECT of the non-zero signs (c, f, sign): below P/2s the sign is +1, below P/s -1.
CREATE OR REPLACE FUNCTION sqlrp_sign_text(seed bigint, n bigint, s double precision, features text, purpose integer DEFAULT 0)
RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $f$
  SELECT format('SELECT c, f, CASE WHEN h < %s THEN 1 ELSE -1 END AS sign FROM (%s) drawn WHERE h < %s',
    CAST(floor(2147483647 / (2 * s)) AS bigint), sqlrp_draw(seed, purpose, n, features), CAST(floor(2147483647 / s) AS bigint))
$f$;

-- The non-zero signs as a table, as sqlrp.signs(n_features, n_vectors, s, seed, zeros=False) gives it in Python.
CREATE OR REPLACE FUNCTION sqlrp_signs(n_features bigint, n_vectors bigint, s double precision, seed bigint)
RETURNS TABLE (component bigint, feature bigint, sign integer) LANGUAGE plpgsql STABLE PARALLEL SAFE AS $f$
BEGIN
  RETURN QUERY EXECUTE sqlrp_sign_text(seed, n_vectors, s,
    format('(SELECT f FROM generate_series(CAST(0 AS bigint), %s) g(f))', n_features - 1)) || ' ORDER BY c, f';
END $f$;

-- The index table as one array: `size` distinct vectors of p for each of k components. To minimise repetition, they are dealt
-- from whole permutations.
CREATE OR REPLACE FUNCTION sqlrp_index_table(p bigint, size bigint, k bigint, seed bigint, minimise boolean)
RETURNS bigint[] LANGUAGE plpgsql STABLE PARALLEL SAFE AS $f$
DECLARE
  rounds bigint := CASE WHEN minimise THEN (size * k + p - 1) / p ELSE k END;
  flat bigint[] := '{}';
  next bigint[];
  mine bigint[];
  head bigint[];
  held bigint;
BEGIN
  FOR next IN EXECUTE format('SELECT array_agg(f ORDER BY h, f) FROM (%s) drawn GROUP BY c ORDER BY c', sqlrp_draw(seed, 1,
    rounds, format('(SELECT f FROM generate_series(CAST(0 AS bigint), %s) g(f))', p - 1)))
  LOOP
    IF NOT minimise THEN
      next := next[:size];
    ELSIF cardinality(flat) % size > 0 THEN
      held := cardinality(flat) % size;
      mine := flat[cardinality(flat) - held + 1 :];
      head := ARRAY(SELECT v FROM unnest(next) WITH ORDINALITY u(v, o) WHERE v <> ALL (mine) ORDER BY o LIMIT size - held);
      next := head || ARRAY(SELECT v FROM unnest(next) WITH ORDINALITY u(v, o) WHERE v <> ALL (head) ORDER BY o);
    END IF;
    flat := flat || next;
  END LOOP;
  RETURN flat[:size * k];
END $f$;

-- -- text --------------------------------------------------------------------------------------------------------------

-- Terms in chains of 32 within a tree: parsers take a short chain faster than a tree, and a long one slower.
CREATE OR REPLACE FUNCTION sqlrp_tree(terms text[], operator text) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $f$
BEGIN
  WHILE cardinality(terms) > 1 LOOP
    terms := ARRAY(SELECT CASE WHEN i < cardinality(terms) THEN '(' || array_to_string(terms[i : i + 31], operator) || ')'
      ELSE terms[i] END FROM generate_series(1, cardinality(terms), 32) i ORDER BY i);
  END LOOP;
  RETURN terms[1];
END $f$;

-- The sum of the first terms minus the sum of the second.
CREATE OR REPLACE FUNCTION sqlrp_difference(plus text[], minus text[]) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $f$
  SELECT CASE WHEN minus IS NULL THEN sqlrp_tree(plus, '+') WHEN plus IS NULL THEN '-' || sqlrp_tree(minus, '+')
    ELSE '(' || sqlrp_tree(plus, '+') || '-' || sqlrp_tree(minus, '+') || ')' END
$f$;

-- A number as Python writes it for a kind of numbers: int, decimal or double.
CREATE OR REPLACE FUNCTION sqlrp_literal(number double precision, kind text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $f$
  SELECT CASE kind WHEN 'double' THEN format('CAST(''%s'' AS double precision)', regexp_replace(CASE WHEN abs(number) >= 1e15 AND abs(number) < 1e16
      THEN CAST(CAST(CAST(number AS text) AS numeric) AS text) ELSE CAST(number AS text) END, '^(-?\d+)$', '\1.0'))
    WHEN 'decimal' THEN format('CAST(%s AS numeric)', CAST(number AS numeric))
    ELSE CAST(CAST(number AS numeric) AS text) END
$f$;

-- An expression that fails with these words when it is run, because they are no number. clock_timestamp() keeps the planner from
-- computing it earlier.
CREATE OR REPLACE FUNCTION sqlrp_fail(words text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $f$
  SELECT format('CAST(%L || left(CAST(clock_timestamp() AS text), 0) AS bigint)', words)
$f$;

-- -- the arguments -----------------------------------------------------------------------------------------------------

-- An error as the caller sees it. The words of sqlrp_fail, and of texts that Python wrote, are inside the message of a failed
-- cast: they become the message, with a code of their own. Any other error stays as it is. (An error that is raised again
-- loses its CONTEXT and the text of the statement.)
CREATE OR REPLACE FUNCTION sqlrp_said(INOUT words text, INOUT code text, INOUT detail text, hint text)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $f$
DECLARE
  own text := substring(words FROM '(sqlrp: .*).$');  -- the last character is a quote; which one depends on the language
BEGIN
  IF code = '22P02' AND own IS NOT NULL THEN
    words := own;
    code := '22000';
  END IF;
  detail := concat_ws(' ', nullif(detail, ''), nullif(hint, ''));
END $f$;

CREATE OR REPLACE FUNCTION sqlrp_refuse(words text, code text DEFAULT 'invalid_parameter_value') RETURNS void
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $f$
BEGIN
  RAISE EXCEPTION USING MESSAGE = words, ERRCODE = code;
END $f$;

CREATE OR REPLACE FUNCTION sqlrp_whole(name text, value bigint, low bigint) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $f$
BEGIN
  IF value IS NULL OR value NOT BETWEEN low AND 2147483645 THEN
    PERFORM sqlrp_refuse(format('%s = %s must be a whole number >= %s', name, coalesce(CAST(value AS text), 'NULL'), low));
  END IF;
  RETURN value;
END $f$;

-- An error for a degree or for tables that are too large, in Python's words. `p`: the parameters of a method. What is NULL or below 1 is
-- refused elsewhere.
CREATE OR REPLACE FUNCTION sqlrp_sized(p jsonb) RETURNS void LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $f$
DECLARE
  entries numeric := 1;
  names text[] := '{}';
  name text;
BEGIN
  IF CAST(p ->> 'degree' AS numeric) > 1000 THEN
    PERFORM sqlrp_refuse(format('degree = %s must be at most 1000: lower degree', p ->> 'degree'), 'program_limit_exceeded');
  END IF;
  FOREACH name IN ARRAY CAST('{k,degree,t,m,nnz_per_feature}' AS text[]) LOOP
    IF CAST(p ->> name AS numeric) > 1 THEN
      entries := entries * CAST(p ->> name AS numeric);
      names := names || name;
    END IF;
  END LOOP;
  IF entries > 16777216 THEN
    PERFORM sqlrp_refuse(format('%s = %s must be at most 16,777,216: lower %s', array_to_string(names, ' * '), entries,
      array_to_string(names, ' or ')), 'program_limit_exceeded');
  END IF;
END $f$;

CREATE OR REPLACE FUNCTION sqlrp_one_of(name text, value text, choices text[]) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $f$
BEGIN
  IF value IS NULL OR value <> ALL (choices) THEN
    PERFORM sqlrp_refuse(format('%s = %s must be one of %s', name, quote_nullable(value), array_to_string(choices, ', ')));
  END IF;
  RETURN value;
END $f$;

CREATE OR REPLACE FUNCTION sqlrp_flag(name text, value boolean) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $f$
BEGIN
  IF value IS NULL THEN
    PERFORM sqlrp_refuse(format('%s = NULL must be true or false', name));
  END IF;
  RETURN value;
END $f$;

-- s as a number. "sqrt" is the square root of the number of features; n is NULL for an open vocabulary.
CREATE OR REPLACE FUNCTION sqlrp_s(s jsonb, n bigint) RETURNS double precision
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $f$
DECLARE
  x double precision;
BEGIN
  IF s IS NULL OR s IN ('null', '"sqrt"') THEN
    IF n IS NULL THEN
      PERFORM sqlrp_refuse('s = "sqrt" needs the number of features, which an open vocabulary does not have: '
        'pass n_features, or a number such as s = 3');
    END IF;
    RETURN sqrt(CAST(n AS double precision));
  END IF;
  x := CASE WHEN jsonb_typeof(s) = 'number' THEN s #>> '{}' END;
  IF x IS NULL OR x < 1 THEN
    PERFORM sqlrp_refuse(format('s = %s must be a number >= 1, or "sqrt" for the square root of the number of features',
      CASE WHEN jsonb_typeof(s) = 'string' THEN quote_literal(s #>> '{}') ELSE s #>> '{}' END));
  END IF;
  RETURN x;
END $f$;

-- -- the source --------------------------------------------------------------------------------------------------------

-- The text of a table after FROM.
CREATE OR REPLACE FUNCTION sqlrp_relation(source regclass) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $f$
  SELECT format('"%s"."%s"', replace(n.nspname, '"', '""'), replace(c.relname, '"', '""')) FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = source
$f$;

-- The columns of the source. `kind` is int (with `bits`), decimal (with `bits` and `digits`), double, or NULL for what is no
-- number, and `quoted` the name as text of SQL. For an array, and for a type with a cast to real[] such as pgvector's, it is the kind of the elements,
-- and `size` is their number if the type states it.
CREATE OR REPLACE FUNCTION sqlrp_columns(source regclass)
RETURNS TABLE (place integer, name text, quoted text, type text, kind text, bits integer, digits integer, nullable boolean, is_array boolean,
  is_vector boolean, size bigint, is_text boolean) LANGUAGE sql STABLE PARALLEL SAFE AS $f$
  SELECT CAST(a.attnum AS integer), CAST(a.attname AS text), '"' || replace(a.attname, '"', '""') || '"', format_type(d.oid, d.modifier),
    CASE WHEN e.typname IN ('int2', 'int4', 'int8') OR (e.typname = 'bool' AND d.element = 0) THEN 'int'
      WHEN e.typname = 'numeric' AND d.modifier >= 4 AND ((d.modifier - 4) & 2047) <= 1000 THEN 'decimal'
      WHEN e.typname IN ('float4', 'float8', 'numeric') OR v.vector THEN 'double' END,
    CASE e.typname WHEN 'bool' THEN 1 WHEN 'int2' THEN 15 WHEN 'int4' THEN 31 WHEN 'int8' THEN 63
      WHEN 'numeric' THEN CAST(ceil((((d.modifier - 4) >> 16) & 65535) * 3.321928094887362) AS integer) ELSE 0 END,
    CASE WHEN e.typname = 'numeric' AND d.modifier >= 4 THEN (d.modifier - 4) & 2047 ELSE 0 END,
    NOT (a.attnotnull OR t.typnotnull), d.element <> 0 OR v.vector, v.vector,
    CAST(substring(format_type(d.oid, d.modifier) FROM '(?:vector|halfvec)\((\d+)\)$') AS bigint),
    t.typtype = 'e' OR e.typname IN ('text', 'name', 'citext', 'char', 'bpchar', 'varchar')
  FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
  CROSS JOIN LATERAL (SELECT CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE t.oid END AS oid,
    CASE WHEN t.typtype = 'd' THEN t.typtypmod ELSE a.atttypmod END AS modifier) b
  JOIN pg_type o ON o.oid = b.oid
  CROSS JOIN LATERAL (SELECT b.oid, b.modifier, CASE WHEN o.typlen = -1 THEN o.typelem ELSE 0 END AS element) d
  JOIN pg_type e ON e.oid = CASE WHEN d.element <> 0 THEN d.element ELSE d.oid END
  CROSS JOIN LATERAL (SELECT EXISTS (SELECT 1 FROM pg_cast c
    WHERE c.castsource = d.oid AND c.casttarget = CAST('real[]' AS regtype)) AND d.element = 0 AS vector) v
  WHERE a.attrelid = source AND a.attnum > 0 AND NOT a.attisdropped
  ORDER BY a.attnum
$f$;

-- Why a column of text that is left out may be meant as a feature, in words; NULL if most of its values are no numbers. As `doubt` of
-- sqlrp/_lowering/left_out.py does, it looks at the first 100 rows.
CREATE OR REPLACE FUNCTION sqlrp_doubt(source regclass, name text) RETURNS text LANGUAGE plpgsql STABLE PARALLEL RESTRICTED AS $f$
DECLARE
  texts text[];
  others text[];
  odd text;
BEGIN
  EXECUTE format('SELECT array_agg(v) FROM (SELECT btrim(CAST(%I AS text), %L) AS v FROM %s LIMIT 100) s WHERE v <> %L',
    name, E' \t\n\r', sqlrp_relation(source), '') INTO texts;
  IF texts IS NULL OR (SELECT count(DISTINCT t) FROM unnest(texts) t) < 2 THEN
    RETURN NULL;
  END IF;
  others := ARRAY(SELECT t FROM unnest(texts) WITH ORDINALITY u(t, i) WHERE t !~ '^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$' ORDER BY i ASC);
  IF 2 * cardinality(others) < cardinality(texts) THEN
    RETURN format('%L is text, and most of it reads as numbers', name) || coalesce('; it holds ' || quote_literal(left(others[1], 20)), '');
  END IF;
  odd := (SELECT (array_agg(t ORDER BY i ASC))[1] FROM unnest(others) WITH ORDINALITY u(t, i)
    WHERE t ~ '^[+-]?(\d+|\d{1,3}([. '']\d{3})+),\d+$' HAVING 2 * count(*) > cardinality(texts));
  IF odd IS NOT NULL THEN
    RETURN format('%L holds %L, a number with a decimal comma', name, odd);
  END IF;
  odd := (SELECT (array_agg(t ORDER BY i ASC))[1] FROM unnest(others) WITH ORDINALITY u(t, i)
    WHERE t ~ '^[^\d\s+-]?[+-]?[^\d\s+-]?\d{1,3}(,\d{3})+(\.\d+)?$' HAVING 2 * count(*) > cardinality(texts));
  RETURN CASE WHEN odd IS NOT NULL THEN format('%L holds %L, a number with a sign between the digits', name, odd) END;
EXCEPTION WHEN OTHERS THEN  -- such as a view that fails for some rows: the call itself reads other columns
  RETURN NULL;
END $f$;

-- Warns of the columns that are neither features nor `kept`, if no one named the features and they may be meant as such: dates, and
-- text that reads as numbers. `columns` is as in sqlrp_write, and `n` the number of features.
CREATE OR REPLACE FUNCTION sqlrp_warn_left_out(source regclass, shown text, columns jsonb, kept text[], n bigint) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED AS $f$
DECLARE
  dates text;
  doubts text;
BEGIN
  SELECT string_agg(quote_literal(c.key), ', ' ORDER BY CAST(c.value ->> 'place' AS integer) ASC) INTO dates FROM jsonb_each(columns) c
    WHERE c.key <> ALL (kept) AND c.value ->> 'type' ~ '^(date|time|interval)' AND NOT CAST(c.value ->> 'is_array' AS boolean);
  SELECT string_agg(d.words, '; ' ORDER BY d.place ASC) INTO doubts FROM (
    SELECT c.place, sqlrp_doubt(source, c.name) AS words FROM (
      SELECT key AS name, CAST(value ->> 'place' AS smallint) AS place FROM jsonb_each(columns) WHERE key <> ALL (kept)
        AND (CAST(value ->> 'is_text' AS boolean) OR value ->> 'type' ~ '^(jsonb?|money)$') AND NOT CAST(value ->> 'is_array' AS boolean)
      ORDER BY place ASC LIMIT 50) c WHERE has_column_privilege(source, c.place, 'SELECT')) d;
  IF dates IS NOT NULL OR doubts IS NOT NULL THEN
    RAISE WARNING 'the features are the % numeric columns of %; left out: %; name the features, or put what is to pass through into keep',
      n, shown, concat_ws('; ', 'date ' || dates, doubts || '; cast what is meant as a number');
  END IF;
END $f$;

-- The type for sums of whole numbers of so many bits. NULL: Arrow has no type for them.
CREATE OR REPLACE FUNCTION sqlrp_type(kind text, bits integer) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $f$
  SELECT CASE WHEN kind = 'double' THEN 'double precision' WHEN bits > 252 THEN NULL
    WHEN kind = 'decimal' OR bits > 63 THEN 'numeric' WHEN bits > 31 THEN 'bigint' ELSE 'integer' END
$f$;

-- -- the stages ---------------------------------------------------------------------------------------------------------
-- A method is a list of stages, as in sqlrp/stages. A stage is a jsonb object. `outputs` is the number of entries that it leaves,
-- `terms` the cost of one row, and `exact` tells whether integers stay integers. `text` is a SELECT of its table. For sums
-- it gives the weights (c, f, sign) over the relation sqlrp_features, which the lowering defines. For products it gives the terms.

CREATE OR REPLACE FUNCTION sqlrp_counted(n bigint, name text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $f$
  SELECT format('SELECT %2$s FROM generate_series(CAST(0 AS bigint), %1$s) g(%2$s)', n - 1, name)
$f$;

CREATE OR REPLACE FUNCTION sqlrp_series(n bigint, name text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $f$
  SELECT '(' || sqlrp_counted(n, name) || ')'
$f$;

-- The stage of `vectors` signed sums. If s is NULL, the weights are normal numbers, by Box and Muller's transform of two entries.
-- The logarithm and the cosine are the server's, so the last bit may differ from Python's. `purpose`: of another draw.
CREATE OR REPLACE FUNCTION sqlrp_vectors(n bigint, vectors bigint, s double precision, seed bigint, purpose integer DEFAULT NULL)
RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $f$
  SELECT jsonb_strip_nulls(jsonb_build_object('outputs', vectors, 'exact', s IS NOT NULL, 'weighted', s IS NULL,
    'drawn', CASE WHEN s IS NOT NULL THEN jsonb_build_object('block', 'signs', 'seed', seed, 'purpose', coalesce(purpose, 0), 'n', vectors, 'c', 'CAST(c AS integer)',
      'low', CAST(floor(2147483647 / (2 * s)) AS bigint), 'high', CAST(floor(2147483647 / s) AS bigint)) END,
    'terms', CAST(n AS double precision) * vectors / coalesce(s, 1), 'text', CASE WHEN s IS NOT NULL
    THEN sqlrp_sign_text(seed, vectors, s, 'sqlrp_features', coalesce(purpose, 0)) ELSE format('SELECT c / 2 AS c, f, sqrt(-2 * ln(min(h + CAST(0.5 AS '
      'double precision)) FILTER (WHERE c %% 2 = 0) / 2147483647)) * cos(2 * pi() * (min(h + CAST(0.5 AS double precision)) '
      'FILTER (WHERE c %% 2 = 1) / 2147483647)) AS sign FROM (%s) drawn GROUP BY c / 2, f',
      sqlrp_draw(seed, coalesce(purpose, 7), 2 * vectors, 'sqlrp_features')) END))
$f$;

-- The same with normal weights of standard deviation `width`. The weight of a constant is an angle between 0 and 2 pi.
CREATE OR REPLACE FUNCTION sqlrp_fourier_sums(n bigint, vectors bigint, width double precision, seed bigint) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $f$
  SELECT stage || jsonb_build_object('text', format('SELECT c, f, CASE WHEN f = 2147483646 THEN (h + CAST(0.5 AS double precision)) '
      '/ 2147483647 * (2 * pi()) ELSE CAST(%L AS double precision) * sign END AS sign FROM (%s) normals JOIN (SELECT c, h FROM (%s) drawn) angles USING (c)',
      width, stage ->> 'text', sqlrp_draw(seed, 9, vectors, '(SELECT CAST(0 AS bigint) AS f)')))
  FROM (SELECT sqlrp_vectors(n, vectors, NULL, seed) AS stage) s
$f$;

-- A formula of every entry, as SQL in which %1$s stands for the entry.
CREATE OR REPLACE FUNCTION sqlrp_map(outputs bigint, formula text, keeps_zero boolean) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $f$
  SELECT jsonb_build_object('map', formula, 'keeps_zero', keeps_zero, 'outputs', outputs, 'terms', 0, 'exact', false)
$f$;

-- A stage of sums of products. `text` gives (i, c, w, v): the number, component, weight and factors of every term. The factor -1
-- stands for the constant 1. `plain`: whether every weight is 1.
CREATE OR REPLACE FUNCTION sqlrp_products(outputs bigint, factors bigint, heaviest bigint, terms double precision, exact boolean,
  text text, plain boolean) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $f$
  SELECT jsonb_build_object('outputs', outputs, 'factors', factors, 'plain', plain, 'heaviest', heaviest, 'terms', factors * terms, 'exact', exact,
    'text', text)
$f$;

-- The stage of products over an index table that is drawn: each of the k components sums t products of `degree` of the p entries.
CREATE OR REPLACE FUNCTION sqlrp_drawn_products(p bigint, degree bigint, t bigint, k bigint, seed bigint, minimise boolean)
RETURNS jsonb LANGUAGE sql STABLE PARALLEL SAFE AS $f$
  SELECT sqlrp_products(k, degree, t, k * t, true, format('SELECT i, i / %s AS c, 1 AS w, a[i * %s + 1 : (i + 1) * %2$s] AS v FROM %s i '
    'CROSS JOIN (SELECT CAST(''%s'' AS bigint[]) AS a OFFSET ''0'') s', t, degree, sqlrp_series(k * t, 'i'),
    sqlrp_index_table(p, degree * t, k, seed, minimise)), true)
$f$;

-- The stage of `blocks` blocks of `size` sums. Each feature goes, with a sign, into one sum of each block. One entry is drawn for
-- each block and feature: its last bit is the sign, and the others are the place within the block.
CREATE OR REPLACE FUNCTION sqlrp_block_sums(n bigint, blocks bigint, size bigint, seed bigint) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $f$
  SELECT jsonb_build_object('outputs', blocks * size, 'exact', true, 'terms', n * blocks, 'drawn', jsonb_build_object('block', 'block_signs',
    'seed', seed, 'purpose', 5, 'n', blocks, 'size', size, 'place', format('((h / 2) %% %s)', size), 'last', '(h % 2)'), 'text', format(
    'SELECT c * %1$s + (h / 2) %% %1$s AS c, f, 1 - 2 * (h %% 2) AS sign FROM (%2$s) drawn', size,
    sqlrp_draw(seed, 5, blocks, 'sqlrp_features')))
$f$;

-- The same in `buckets` buckets: one more entry of a feature gives its bucket, which has blocks of its own.
CREATE OR REPLACE FUNCTION sqlrp_bucket_sums(n bigint, blocks bigint, size bigint, buckets bigint, seed bigint) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $f$
  SELECT jsonb_build_object('outputs', buckets * blocks * size, 'exact', true, 'terms', n * blocks, 'drawn', jsonb_build_object('block', 'bucket_signs',
    'seed', seed, 'purpose', 5, 'n', blocks + 1, 'size', size, 'place', format('((h / 2) %% %s)', size), 'last', '(h % 2)', 'count', blocks,
    'bucket', format('(g %% %s)', buckets)), 'text', format(
    'SELECT (g %% %3$s * %2$s + c) * %1$s + (h / 2) %% %1$s AS c, f, 1 - 2 * (h %% 2) AS sign FROM (SELECT c, f, h, '
    'max(CASE WHEN c = %2$s THEN h END) OVER (PARTITION BY f) AS g FROM (%4$s) drawn) entries WHERE c < %2$s', size, blocks, buckets,
    sqlrp_draw(seed, 5, blocks + 1, 'sqlrp_features')))
$f$;

-- The sums of a stage for rows of two descriptors: its first half over the features below `split`, and the rest over the others.
CREATE OR REPLACE FUNCTION sqlrp_split_sums(stage jsonb, split bigint) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $f$
  SELECT (stage - 'drawn') || jsonb_build_object('terms', CAST(stage ->> 'terms' AS double precision) / 2, 'text', format(
    'SELECT c, f, sign FROM (%s) split WHERE (c < %s) = (f < %s)', stage ->> 'text', CAST(stage ->> 'outputs' AS bigint) / 2, split))
$f$;

-- k of n features, drawn without replacement, or one from each of k equal parts, of the row or of its reflection.
CREATE OR REPLACE FUNCTION sqlrp_picks(k bigint, n bigint, seed bigint, stratified boolean, reflected boolean) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $f$
  SELECT jsonb_build_object('outputs', k, 'exact', true, 'reflected', reflected, 'terms', n + k, 'text', CASE WHEN stratified
    THEN format('SELECT f AS c, (f * %s + h * %1$s / 2147483647) / %s AS f, 1 AS sign FROM (%s) drawn', n, k,
      sqlrp_draw(seed, 2, 1, sqlrp_series(k, 'f')))
    ELSE format('SELECT row_number() OVER (ORDER BY h, f) - 1 AS c, f, 1 AS sign FROM (%s) drawn ORDER BY h, f LIMIT %s',
      sqlrp_draw(seed, 2, 1, sqlrp_series(n, 'f')), k) END)
$f$;

-- k * m signed sums of n features, and k sums of their squares: minus the weights that they have in the signed squares of the sums.
CREATE OR REPLACE FUNCTION sqlrp_sums_and_squares(k bigint, m bigint, s double precision, seed bigint, n bigint) RETURNS jsonb
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $f$
DECLARE
  largest bigint;
  text text := format('WITH signs AS MATERIALIZED (%s) SELECT c, f, sign FROM signs UNION ALL '
      'SELECT %s + c / %s, f + %s, CAST(sum(CASE WHEN c %% %3$s < %5$s THEN -1 ELSE 1 END) AS integer) FROM signs GROUP BY c / %3$s, f',
      sqlrp_sign_text(seed, k * m, s, sqlrp_series(n, 'f')), k * m, m, n, greatest(m / 2, 1));
BEGIN
  EXECUTE format('SELECT max(abs(sign)) FROM (%s) t', text) INTO largest;
  RETURN jsonb_build_object('outputs', k * m + k, 'exact', true, 'weighted', true, 'largest', coalesce(largest, 1), 'terms', 2 * n * (m + 1) * k / s,
    'text', text);
END $f$;

-- Sums of t products for each of k components, by a rule: the weight and the factors are SQL over the component c and the number j of the
-- product.
CREATE OR REPLACE FUNCTION sqlrp_products_of(k bigint, t bigint, factors bigint, exact boolean, weight text, listed text) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $f$
  SELECT sqlrp_products(k, factors, t, CAST(k * t AS double precision), exact, format(
    'SELECT c * %s + j AS i, c, %s AS w, %s AS v FROM %s c_ CROSS JOIN %s j_', t, weight, listed, sqlrp_series(k, 'c'), sqlrp_series(t, 'j')), weight ~ '^-?\d+$')
$f$;

-- The same products with their second factor from another p sums.
CREATE OR REPLACE FUNCTION sqlrp_across(products jsonb, p bigint) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $f$
  SELECT products || jsonb_build_object('text', format('SELECT i, c, w, ARRAY[v[1], v[2] + %s] AS v FROM (%s) own', p, products ->> 'text'))
$f$;

-- The number of monomials of a degree of n features; an error for more than are written out.
CREATE OR REPLACE FUNCTION sqlrp_n_monomials(n bigint, degree bigint) RETURNS bigint LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $f$
DECLARE
  monomials numeric := 1;
BEGIN
  FOR i IN 1 .. least(degree, n - 1) LOOP
    monomials := div(monomials * (greatest(degree, n - 1) + i), i);
    EXIT WHEN monomials > 1e30;
  END LOOP;
  IF monomials > 20000 THEN
    PERFORM sqlrp_refuse(format('%s features have %s monomials of degree %s, more than the 20,000 that are written out: '
      'use sqlrp.project or project_with, which draw some, or PolynomialKernelProjection', n, CASE WHEN monomials > 1e30 THEN 'over 10^30'
      ELSE to_char(monomials, 'FM999,999,999,999,999,999,999,999,999,999,999') END, degree), 'program_limit_exceeded');
  END IF;
  RETURN monomials;
END $f$;

-- All monomials in the order of their features, each with the square root of its multinomial coefficient. It is built up factor by factor,
-- as j / run.
CREATE OR REPLACE FUNCTION sqlrp_all_monomials(monomials bigint, n bigint, degree bigint) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $f$
  SELECT sqlrp_products(monomials, degree, 1, CAST(monomials AS double precision), false, format(
    'WITH RECURSIVE monomials(v, last, run, ways) AS (SELECT ARRAY[f], f, CAST(1 AS bigint), CAST(1 AS numeric) FROM %1$s s UNION ALL '
    'SELECT m.v || s.f, s.f, r.run, div(m.ways * (cardinality(m.v) + 1), r.run) FROM monomials m JOIN %1$s s ON s.f >= m.last '
    'CROSS JOIN LATERAL (SELECT CASE WHEN s.f = m.last THEN m.run + 1 ELSE 1 END AS run) r WHERE cardinality(m.v) < %2$s) '
    'SELECT row_number() OVER (ORDER BY v) - 1 AS i, row_number() OVER (ORDER BY v) - 1 AS c, sqrt(CAST(ways AS double precision)) '
    'AS w, v FROM monomials WHERE cardinality(v) = %2$s', sqlrp_series(n, 'f'), degree), false)
$f$;

-- Paley's Hadamard matrix of an order in hexadecimal digits: a bit for each entry, row by row, which is 1 for -1.
CREATE OR REPLACE FUNCTION sqlrp_paley(block bigint) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $f$
  SELECT CASE block
    WHEN 12 THEN '02b0aac8e39620af5b8c6c6e3c62b9f0a8e5'
    WHEN 20 THEN '0000505e61c92b3c798527afd0e41599bc12935761f23a4c5e85c9bb30791526bfc2e45798fc0a935f61d22b4c798539af30'
    WHEN 28 THEN '020000b0aaaaaac8f00fe3a6559a20c33fac9b56698c0cff606e5aa53032fca3b96995c0c8f0afe6a6550c23c36f9a9b563c8c0c6f696e5afc30326ca5b969fcc3c86095e6a6f00f23a3559a9bc03f8cac56696e0cff30625aa5b930fcc3a86995e6'
    WHEN 36 THEN '02000000b0aaaaaaaa08f3c3cfe09a9556a620cc0f3fa36b565a9980303ffcacae5969650cc2fcf063ba66a5953008f3c3afe99a9556cc20cc0f6fa66b565a3c83303f6c99ae5969fc0cc2fc6065ba66a5f03308f3a395e99a95c0cf20ccaf56a66b560c3f83306f5a99ae593cfc0cc26c6965ba66fcf0330863a595e99af0c3cf20ac9556a66bcc0f3f8360565a99ae303ffc0ca2596965bac0fcf033a866a595e9'
  END
$f$;

-- A sample of k entries of a Hadamard transform of the row, padded with zeros and with drawn signs. The transform is the Kronecker
-- product of Paley's matrix of order `block`, or 1, and Walsh's of order `part`.
CREATE OR REPLACE FUNCTION sqlrp_sampled_transform(k bigint, n bigint, seed bigint, padding text, replacement boolean) RETURNS jsonb
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $f$
DECLARE
  padded bigint;
  part bigint;
  block bigint;
  flips text;
  sample text;
BEGIN
  SELECT m << b, CAST(1 AS bigint) << b, m INTO padded, part, block
    FROM unnest(CASE padding WHEN 'least' THEN CAST('{1,12,20,28,36}' AS bigint[]) ELSE '{1}' END) m
    CROSS JOIN generate_series(0, 31) b WHERE m << b >= n ORDER BY m << b LIMIT 1;
  flips := format('SELECT f, sign AS flip FROM (%s) drawn', sqlrp_sign_text(seed, 1, 1, sqlrp_series(n, 'f'), 3));
  sample := CASE WHEN replacement
    THEN format('SELECT f AS c, h %% %s AS j FROM (%s) drawn', padded, sqlrp_draw(seed, 4, 1, sqlrp_series(k, 'f')))
    ELSE format('SELECT c, j FROM %s s JOIN (SELECT row_number() OVER (ORDER BY h, f) - 1 AS o, f AS j FROM (%s) drawn) p '
      'ON o = c %% %s', sqlrp_series(k, 'c'), sqlrp_draw(seed, 2, 1, sqlrp_series(padded, 'f')), padded) END;
  -- A weight is flip(f) * (-1)^(the number of bits that f and the sampled entry share within a part) * the sign of the parts.
  RETURN jsonb_build_object('outputs', k, 'exact', true, 'padded', padded, 'part', part, 'block', block,
    'whole', NOT replacement AND k = padded,
    'terms', CASE block WHEN 1 THEN padded * greatest(log(2, CAST(padded AS numeric)), 1)
      ELSE padded * (log(2, CAST(part AS numeric)) + block / 2) END, 'flips', flips, 'sample', sample,
    'text', format('SELECT c, f, CASE WHEN (length(replace(CAST(CAST(f & j & %s AS bit(32)) AS text), ''0'', ''''))%s) %% 2 = 0 '
    'THEN flip ELSE -flip END AS sign FROM (%s) flips CROSS JOIN (%s) sample', part - 1, CASE WHEN block > 1 THEN
    format(' + get_bit(decode(%L, ''hex''), CAST(j / %s * %s + f / %2$s AS integer))', sqlrp_paley(block), part, block) ELSE '' END,
    flips, sample));
END $f$;

-- The circular convolution of `degree` count sketches of length k, given side by side. They are convolved one after another, and
-- those that wait are carried along.
CREATE OR REPLACE FUNCTION sqlrp_convolutions(k bigint, degree bigint) RETURNS jsonb[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $f$
  SELECT coalesce(array_agg(sqlrp_products((ahead + 1) * k, 2, k, k * k + ahead * k, true, format(
      'SELECT c * %1$s + i AS i, c, 1 AS w, ARRAY[i, %1$s + (c - i + %1$s) %% %1$s] AS v FROM %2$s c CROSS JOIN %3$s i '
      'UNION ALL SELECT %1$s * %1$s + i, %1$s + i, 1, ARRAY[2 * %1$s + i, -1] FROM %4$s i',
      k, sqlrp_series(k, 'c'), sqlrp_series(k, 'i'), sqlrp_series(ahead * k, 'i')), true)
    || jsonb_build_object('convolved', k) ORDER BY ahead DESC), '{}')
  FROM generate_series(CAST(0 AS bigint), degree - 2) a(ahead)
$f$;

-- The stage that appends a constant to the features.
CREATE OR REPLACE FUNCTION sqlrp_constant(value double precision) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $f$
  SELECT jsonb_build_object('constant', CAST(value AS text), 'exact', value = floor(value) AND value <= 1e15)
$f$;

-- What a method's function returns. `factor` multiplies the outputs. `grouped` sums the rows of each key, and `normalised` takes
-- signed roots and divides by the Euclidean norm after that.
CREATE OR REPLACE FUNCTION sqlrp_pipeline(stages jsonb[], factor double precision, grouped boolean DEFAULT false,
  normalised boolean DEFAULT false) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $f$
  SELECT jsonb_build_object('stages', to_jsonb(stages), 'factor', factor, 'grouped', grouped, 'normalised', normalised)
$f$;

-- The stages of SparseProjection.
CREATE OR REPLACE FUNCTION sqlrp_rp_stages(k bigint, s jsonb, seed bigint, vectors text, n bigint) RETURNS jsonb
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $f$
BEGIN
  IF ((vectors = 'sign')) IS NOT TRUE AND (n IS NOT NULL) IS NOT TRUE THEN
    PERFORM sqlrp_refuse(concat('GaussianProjection needs the number of features, which an open vocabulary does not have: pass n_features, or use SparseProjection or SparseEmbedding'));
  END IF;
  RETURN sqlrp_pipeline(ARRAY[CASE WHEN (vectors = 'sign') THEN sqlrp_vectors(n, k, sqlrp_s(s, n), seed) ELSE sqlrp_vectors(n, k, NULL, seed) END], CASE WHEN (vectors = 'sign') THEN sqrt(CAST((CAST(sqlrp_s(s, n) AS double precision) / k) AS double precision)) ELSE (CAST(1 AS double precision) / sqrt(CAST(k AS double precision))) END);
END $f$;

-- The stages of PolynomialKernelProjection.
CREATE OR REPLACE FUNCTION sqlrp_pk_stages(k bigint, s jsonb, seed bigint, degree bigint, p bigint, t bigint, c double precision, minimise_repetition boolean, vectors text, n bigint) RETURNS jsonb
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $f$
BEGIN
  IF p IS NOT NULL AND (p < (degree * t)) THEN
    PERFORM sqlrp_refuse(concat('p = ', p, ' must be at least degree * t = ', (degree * t), ': raise p, or lower t or degree'));
  END IF;
  IF ((c >= 0)) IS NOT TRUE THEN
    PERFORM sqlrp_refuse(concat('c = ', coalesce(CAST(c AS text), 'NULL'), ' must be a finite number >= 0: the kernel is (<x, y> + c)^degree'));
  END IF;
  IF ((c < CAST('Infinity' AS double precision))) IS NOT TRUE THEN
    PERFORM sqlrp_refuse(concat('c = ', coalesce(CAST(c AS text), 'NULL'), ' must be a finite number >= 0: the kernel is (<x, y> + c)^degree'));
  END IF;
  IF (vectors = 'gaussian') AND (n IS NOT NULL) IS NOT TRUE THEN
    PERFORM sqlrp_refuse(concat('PolynomialKernelProjection needs the number of features, which an open vocabulary does not have: pass n_features, or use SparseProjection or SparseEmbedding'));
  END IF;
  RETURN sqlrp_pipeline(CASE WHEN ((c + 0.0e0) <> 0) THEN ARRAY[sqlrp_constant(sqrt(CAST((c + 0.0e0) AS double precision)))] ELSE CAST('{}' AS jsonb[]) END || ARRAY[CASE WHEN (vectors = 'gaussian') THEN sqlrp_vectors(n, CASE WHEN p IS NOT NULL THEN CASE WHEN minimise_repetition THEN least(p, ((degree * t) * k)) ELSE p END ELSE least(greatest((2 * k), (degree * t)), ((degree * t) * k)) END, NULL, seed) ELSE sqlrp_vectors(n, CASE WHEN p IS NOT NULL THEN CASE WHEN minimise_repetition THEN least(p, ((degree * t) * k)) ELSE p END ELSE least(greatest((2 * k), (degree * t)), ((degree * t) * k)) END, sqlrp_s(s, n), seed) END, sqlrp_drawn_products(CASE WHEN p IS NOT NULL THEN CASE WHEN minimise_repetition THEN least(p, ((degree * t) * k)) ELSE p END ELSE least(greatest((2 * k), (degree * t)), ((degree * t) * k)) END, degree, t, k, seed, minimise_repetition)], CASE WHEN (vectors = 'gaussian') THEN (CAST(power(1.0e0, (CAST(degree AS double precision) / 2)) AS double precision) / sqrt(CAST((k * t) AS double precision))) ELSE (CAST(power(sqlrp_s(s, n), (CAST(degree AS double precision) / 2)) AS double precision) / sqrt(CAST((k * t) AS double precision))) END);
END $f$;

-- The stages of Degree2KernelProjection.
CREATE OR REPLACE FUNCTION sqlrp_d2pk_stages(k bigint, s jsonb, seed bigint, m bigint, modified boolean, n bigint) RETURNS jsonb
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $f$
BEGIN
  IF (m > 1) AND ((m % 2) <> 0) THEN
    PERFORM sqlrp_refuse(concat('m = ', m, ' must be 1 or even, so that half of the signs are flipped: use ', (m + 1)));
  END IF;
  IF modified AND (n IS NOT NULL) IS NOT TRUE THEN
    PERFORM sqlrp_refuse(concat('Degree2KernelProjection needs the number of features, which an open vocabulary does not have: pass n_features, or use SparseProjection or SparseEmbedding'));
  END IF;
  RETURN sqlrp_pipeline(CASE WHEN modified THEN ARRAY[sqlrp_products_of((2 * n), 1, 2, true, CAST(1 AS text), 'ARRAY[' || 'CASE WHEN (c < ' || CAST(n AS text) || ') THEN c ELSE (c - ' || CAST(n AS text) || ') END' || ', ' || 'CASE WHEN (c < ' || CAST(n AS text) || ') THEN ' || CAST(-1 AS text) || ' ELSE (c - ' || CAST(n AS text) || ') END' || ']')] ELSE CAST('{}' AS jsonb[]) END || ARRAY[CASE WHEN modified THEN sqlrp_sums_and_squares(k, m, sqlrp_s(s, n), seed, n) ELSE sqlrp_vectors(n, (m * k), sqlrp_s(s, n), seed) END, CASE WHEN modified THEN sqlrp_products_of(k, (m + 1), 2, true, 'CASE WHEN (j < ' || CAST(m AS text) || ') THEN CASE WHEN (j < ' || CAST(greatest((m / 2), 1) AS text) || ') THEN ' || CAST(1 AS text) || ' ELSE ' || CAST(-1 AS text) || ' END ELSE ' || CAST(1 AS text) || ' END', 'ARRAY[' || 'CASE WHEN (j < ' || CAST(m AS text) || ') THEN ((c * ' || CAST(m AS text) || ') + j) ELSE (' || CAST((m * k) AS text) || ' + c) END' || ', ' || 'CASE WHEN (j < ' || CAST(m AS text) || ') THEN ((c * ' || CAST(m AS text) || ') + j) ELSE ' || CAST(-1 AS text) || ' END' || ']') ELSE sqlrp_products_of(k, m, 2, true, 'CASE WHEN (j < ' || CAST(greatest((m / 2), 1) AS text) || ') THEN ' || CAST(1 AS text) || ' ELSE ' || CAST(-1 AS text) || ' END', 'ARRAY[' || '((c * ' || CAST(m AS text) || ') + j)' || ', ' || '((c * ' || CAST(m AS text) || ') + j)' || ']') END], (CAST(sqlrp_s(s, n) AS double precision) / sqrt(CAST(((2 * m) * k) AS double precision))));
END $f$;

-- The stages of BilinearPooling.
CREATE OR REPLACE FUNCTION sqlrp_cbp_stages(k bigint, s jsonb, seed bigint, p bigint, t bigint, normalise boolean, split bigint, group_by text, n bigint) RETURNS jsonb
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $f$
BEGIN
  IF split IS NOT NULL AND p IS NOT NULL AND (p < (2 * t)) THEN
    PERFORM sqlrp_refuse(concat('p = ', p, ' must be at least degree * t = ', (2 * t), ': raise p, or lower t or degree'));
  END IF;
  IF split IS NOT NULL AND n IS NOT NULL AND (split >= n) THEN
    PERFORM sqlrp_refuse(concat('split = ', split, ' must be below the number of features = ', n, ': those from split on are the second descriptor'));
  END IF;
  IF (split IS NOT NULL) IS NOT TRUE AND p IS NOT NULL AND (p < (2 * t)) THEN
    PERFORM sqlrp_refuse(concat('p = ', p, ' must be at least degree * t = ', (2 * t), ': raise p, or lower t or degree'));
  END IF;
  RETURN sqlrp_pipeline(ARRAY[CASE WHEN split IS NOT NULL THEN CASE WHEN p IS NOT NULL THEN sqlrp_split_sums(sqlrp_vectors(n, (2 * least(p, ((2 * t) * k))), sqlrp_s(s, n), seed), split) ELSE sqlrp_split_sums(sqlrp_vectors(n, (2 * least(greatest((2 * k), (2 * t)), ((2 * t) * k))), sqlrp_s(s, n), seed), split) END ELSE sqlrp_vectors(n, CASE WHEN p IS NOT NULL THEN least(p, ((2 * t) * k)) ELSE least(greatest((2 * k), (2 * t)), ((2 * t) * k)) END, sqlrp_s(s, n), seed) END, CASE WHEN split IS NOT NULL THEN CASE WHEN p IS NOT NULL THEN sqlrp_across(sqlrp_drawn_products(least(p, ((2 * t) * k)), 2, t, k, seed, true), least(p, ((2 * t) * k))) ELSE sqlrp_across(sqlrp_drawn_products(least(greatest((2 * k), (2 * t)), ((2 * t) * k)), 2, t, k, seed, true), least(greatest((2 * k), (2 * t)), ((2 * t) * k))) END ELSE sqlrp_drawn_products(CASE WHEN p IS NOT NULL THEN least(p, ((2 * t) * k)) ELSE least(greatest((2 * k), (2 * t)), ((2 * t) * k)) END, 2, t, k, seed, true) END], CASE WHEN normalise THEN 1.0e0 ELSE (CAST(sqlrp_s(s, n) AS double precision) / sqrt(CAST((k * t) AS double precision))) END, true, normalise);
END $f$;

-- The stages of MaclaurinPooling.
CREATE OR REPLACE FUNCTION sqlrp_rmp_stages(k bigint, normalise boolean, split bigint, group_by text, seed bigint, n bigint) RETURNS jsonb
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $f$
BEGIN
  IF split IS NOT NULL AND n IS NOT NULL AND (split >= n) THEN
    PERFORM sqlrp_refuse(concat('split = ', split, ' must be below the number of features = ', n, ': those from split on are the second descriptor'));
  END IF;
  RETURN sqlrp_pipeline(ARRAY[CASE WHEN split IS NOT NULL THEN sqlrp_split_sums(sqlrp_vectors(n, (2 * k), 1, seed), split) ELSE sqlrp_vectors(n, (2 * k), 1, seed) END, CASE WHEN split IS NOT NULL THEN sqlrp_products_of(k, 1, 2, true, CAST(1 AS text), 'ARRAY[' || 'c' || ', ' || '(c + ' || CAST(k AS text) || ')' || ']') ELSE sqlrp_products_of(k, 1, 2, true, CAST(1 AS text), 'ARRAY[' || '(' || CAST(2 AS text) || ' * c)' || ', ' || '((' || CAST(2 AS text) || ' * c) + ' || CAST(1 AS text) || ')' || ']') END], CASE WHEN normalise THEN 1.0e0 ELSE (CAST(1 AS double precision) / sqrt(CAST(k AS double precision))) END, true, normalise);
END $f$;

-- The stages of SketchPooling.
CREATE OR REPLACE FUNCTION sqlrp_tsp_stages(k bigint, normalise boolean, split bigint, group_by text, seed bigint, n bigint) RETURNS jsonb
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $f$
BEGIN
  IF split IS NOT NULL AND n IS NOT NULL AND (split >= n) THEN
    PERFORM sqlrp_refuse(concat('split = ', split, ' must be below the number of features = ', n, ': those from split on are the second descriptor'));
  END IF;
  RETURN sqlrp_pipeline(ARRAY[CASE WHEN split IS NOT NULL THEN sqlrp_split_sums(sqlrp_block_sums(n, 2, k, seed), split) ELSE sqlrp_block_sums(n, 2, k, seed) END] || sqlrp_convolutions(k, 2), 1.0e0, true, normalise);
END $f$;

-- The stages of FullBilinearPooling.
CREATE OR REPLACE FUNCTION sqlrp_fbp_stages(k bigint, normalise boolean, split bigint, group_by text, n bigint) RETURNS jsonb
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $f$
BEGIN
  IF split IS NOT NULL AND (n IS NOT NULL) IS NOT TRUE THEN
    PERFORM sqlrp_refuse(concat('FullBilinearPooling needs the number of features, which an open vocabulary does not have: pass n_features, or use SparseProjection or SparseEmbedding'));
  END IF;
  IF split IS NOT NULL AND (split >= n) THEN
    PERFORM sqlrp_refuse(concat('split = ', split, ' must be below the number of features = ', n, ': those from split on are the second descriptor'));
  END IF;
  IF split IS NOT NULL AND (k <> (split * (n - split))) THEN
    PERFORM sqlrp_refuse(concat('k = ', k, ' must be the number of all products of ', split, ' and ', (n - split), ' features: use k = ', (split * (n - split)), ', or BilinearPooling, which takes any k'));
  END IF;
  IF (split IS NOT NULL) IS NOT TRUE AND (n IS NOT NULL) IS NOT TRUE THEN
    PERFORM sqlrp_refuse(concat('FullBilinearPooling needs the number of features, which an open vocabulary does not have: pass n_features, or use SparseProjection or SparseEmbedding'));
  END IF;
  IF (split IS NOT NULL) IS NOT TRUE AND (k <> (n * n)) THEN
    PERFORM sqlrp_refuse(concat('k = ', k, ' must be the number of all products of ', n, ' and ', n, ' features: use k = ', (n * n), ', or BilinearPooling, which takes any k'));
  END IF;
  RETURN sqlrp_pipeline(ARRAY[CASE WHEN split IS NOT NULL THEN sqlrp_products_of(k, 1, 2, true, CAST(1 AS text), 'ARRAY[' || '(c / ' || CAST((n - split) AS text) || ')' || ', ' || '(' || CAST((n - (n - split)) AS text) || ' + (c % ' || CAST((n - split) AS text) || '))' || ']') ELSE sqlrp_products_of(k, 1, 2, true, CAST(1 AS text), 'ARRAY[' || '(c / ' || CAST(n AS text) || ')' || ', ' || '(' || CAST((n - n) AS text) || ' + (c % ' || CAST(n AS text) || '))' || ']') END], 1.0e0, true, normalise);
END $f$;

-- The stages of RandomSubspace.
CREATE OR REPLACE FUNCTION sqlrp_rs_stages(k bigint, densify text, seed bigint, stratified boolean, n bigint) RETURNS jsonb
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $f$
BEGIN
  IF densify IS NOT NULL AND ((densify = 'householder')) IS NOT TRUE THEN
    PERFORM sqlrp_refuse(concat('densify = ', quote_nullable(densify), ' must be ''householder'', or None to pick features as they are'));
  END IF;
  IF (n IS NOT NULL) IS NOT TRUE THEN
    PERFORM sqlrp_refuse(concat('RandomSubspace needs the number of features, which an open vocabulary does not have: pass n_features, or use SparseProjection or SparseEmbedding'));
  END IF;
  IF (k > n) THEN
    PERFORM sqlrp_refuse(concat('k = ', k, ' must be at most the number of features = ', n, ': lower k'));
  END IF;
  RETURN sqlrp_pipeline(ARRAY[CASE WHEN densify IS NOT NULL THEN sqlrp_picks(k, n, seed, stratified, true) ELSE sqlrp_picks(k, n, seed, stratified, false) END], CASE WHEN densify IS NOT NULL THEN (CAST(sqrt(CAST((CAST(n AS double precision) / k) AS double precision)) AS double precision) / n) ELSE (CAST(sqrt(CAST((CAST(n AS double precision) / k) AS double precision)) AS double precision) / 1) END);
END $f$;

-- The stages of HadamardProjection.
CREATE OR REPLACE FUNCTION sqlrp_fht_stages(k bigint, seed bigint, padding text, replacement boolean, n bigint) RETURNS jsonb
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $f$
BEGIN
  IF (n IS NOT NULL) IS NOT TRUE THEN
    PERFORM sqlrp_refuse(concat('HadamardProjection needs the number of features, which an open vocabulary does not have: pass n_features, or use SparseProjection or SparseEmbedding'));
  END IF;
  RETURN sqlrp_pipeline(ARRAY[sqlrp_sampled_transform(k, n, seed, padding, replacement)], (CAST(1 AS double precision) / sqrt(CAST(k AS double precision))));
END $f$;

-- The stages of SparseEmbedding.
CREATE OR REPLACE FUNCTION sqlrp_cw_stages(k bigint, nnz_per_feature bigint, seed bigint, buckets bigint, n bigint) RETURNS jsonb
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $f$
BEGIN
  IF ((k % (nnz_per_feature * buckets)) <> 0) AND (buckets = 1) THEN
    PERFORM sqlrp_refuse(concat('k = ', k, ' must be a multiple of nnz_per_feature = ', (nnz_per_feature * buckets), ', as its blocks are of one size: use k = ', greatest((k - (k % (nnz_per_feature * buckets))), (nnz_per_feature * buckets))));
  END IF;
  IF ((k % (nnz_per_feature * buckets)) <> 0) THEN
    PERFORM sqlrp_refuse(concat('k = ', k, ' must be a multiple of nnz_per_feature * buckets = ', (nnz_per_feature * buckets), ', as its blocks are of one size: use k = ', greatest((k - (k % (nnz_per_feature * buckets))), (nnz_per_feature * buckets))));
  END IF;
  RETURN sqlrp_pipeline(ARRAY[CASE WHEN buckets > 1 THEN sqlrp_bucket_sums(n, nnz_per_feature, (k / (nnz_per_feature * buckets)), buckets, seed) ELSE sqlrp_block_sums(n, nnz_per_feature, (k / (nnz_per_feature * buckets)), seed) END], (CAST(1 AS double precision) / sqrt(CAST(nnz_per_feature AS double precision))));
END $f$;

-- The stages of RandomMaclaurin.
CREATE OR REPLACE FUNCTION sqlrp_rm_stages(k bigint, degree bigint, seed bigint, n bigint) RETURNS jsonb
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $f$
BEGIN
  RETURN sqlrp_pipeline(ARRAY[sqlrp_vectors(n, (k * degree), 1, seed), sqlrp_products_of(k, 1, degree, true, CAST(1 AS text), 'ARRAY(SELECT generate_series((c * ' || CAST(degree AS text) || '), (((c * ' || CAST(degree AS text) || ') + ' || CAST(degree AS text) || ') - ' || CAST(1 AS text) || ')))')], (CAST(1 AS double precision) / sqrt(CAST(k AS double precision))));
END $f$;

-- The stages of TensorSketch.
CREATE OR REPLACE FUNCTION sqlrp_ts_stages(k bigint, degree bigint, seed bigint, n bigint) RETURNS jsonb
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $f$
BEGIN
  RETURN sqlrp_pipeline(ARRAY[sqlrp_block_sums(n, degree, k, seed)] || sqlrp_convolutions(k, degree), 1.0e0);
END $f$;

-- The stages of RandomFourierFeatures.
CREATE OR REPLACE FUNCTION sqlrp_rff_stages(k bigint, gamma double precision, seed bigint, n bigint) RETURNS jsonb
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $f$
BEGIN
  IF ((gamma > 0)) IS NOT TRUE THEN
    PERFORM sqlrp_refuse(concat('gamma = ', coalesce(CAST(gamma AS text), 'NULL'), ' must be a finite number > 0'));
  END IF;
  IF ((gamma < CAST('Infinity' AS double precision))) IS NOT TRUE THEN
    PERFORM sqlrp_refuse(concat('gamma = ', coalesce(CAST(gamma AS text), 'NULL'), ' must be a finite number > 0'));
  END IF;
  IF (n IS NOT NULL) IS NOT TRUE THEN
    PERFORM sqlrp_refuse(concat('RandomFourierFeatures needs the number of features, which an open vocabulary does not have: pass n_features, or use SparseProjection or SparseEmbedding'));
  END IF;
  RETURN sqlrp_pipeline(ARRAY[sqlrp_constant(1.0e0), sqlrp_fourier_sums(n, k, sqrt(CAST((2 * gamma) AS double precision)), seed), sqlrp_map(k, 'CASE WHEN %1$s IN (''Infinity'', ''-Infinity'') THEN ''NaN'' ELSE cos(%1$s) END', false)], sqrt(CAST((CAST(2 AS double precision) / k) AS double precision)));
END $f$;

-- The stages of ExplicitPolynomialProjection.
CREATE OR REPLACE FUNCTION sqlrp_ep_stages(k bigint, s jsonb, seed bigint, degree bigint, vectors text, n bigint) RETURNS jsonb
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $f$
BEGIN
  IF (n IS NOT NULL) IS NOT TRUE THEN
    PERFORM sqlrp_refuse(concat('ExplicitPolynomialProjection needs the number of features, which an open vocabulary does not have: pass n_features, or use SparseProjection or SparseEmbedding'));
  END IF;
  RETURN sqlrp_pipeline(ARRAY[sqlrp_all_monomials(sqlrp_n_monomials(n, degree), n, degree), CASE WHEN (vectors = 'gaussian') THEN sqlrp_vectors(sqlrp_n_monomials(n, degree), k, NULL, seed) ELSE sqlrp_vectors(sqlrp_n_monomials(n, degree), k, sqlrp_s(s, sqlrp_n_monomials(n, degree)), seed) END], CASE WHEN (vectors = 'gaussian') THEN (CAST(1 AS double precision) / sqrt(CAST(k AS double precision))) ELSE sqrt(CAST((CAST(sqlrp_s(s, sqlrp_n_monomials(n, degree)) AS double precision) / k) AS double precision)) END);
END $f$;

-- pgvector's `vector` or `halfvec`, with the schema of the extension.
CREATE OR REPLACE FUNCTION sqlrp_vector_type(name text) RETURNS text LANGUAGE plpgsql STABLE PARALLEL SAFE AS $f$
DECLARE
  found text := (SELECT format('%I.%I', n.nspname, t.typname) FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace
    JOIN pg_depend d ON d.classid = CAST('pg_type' AS regclass) AND d.objid = t.oid AND d.deptype = 'e'
    JOIN pg_extension e ON d.refclassid = CAST('pg_extension' AS regclass) AND e.oid = d.refobjid
    WHERE t.typname = name AND e.extname = 'vector');
BEGIN
  IF found IS NULL THEN
    PERFORM sqlrp_refuse(format('output = ''vector'' needs the type %s of pgvector: run CREATE EXTENSION vector, or use output = ''array''',
      name), 'undefined_object');
  END IF;
  RETURN found;
END $f$;

-- The stages with the `type` that each one leaves (sqlrp/_lowering/job.py), its `kind` and `bits`, and the `number`, which names them. Whole numbers
-- stay exact unless they are scaled or need too many bits. `before` is what features are read in. A last stage may sum the rows of a group.
CREATE OR REPLACE FUNCTION sqlrp_typed(stages jsonb[], kind text, bits integer, digits integer, n bigint, scale boolean,
  OUT before jsonb, OUT typed jsonb[]) LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $f$
DECLARE
  stage jsonb;
  size numeric := coalesce(n, 2147483648);
  summed integer := bits + ceil(log(2, size + 1));
BEGIN
  typed := '{}';
  IF (SELECT bool_or(NOT CAST(e ->> 'exact' AS boolean)) FROM unnest(stages) e) OR sqlrp_type(kind, summed) IS NULL
    OR (scale AND (kind = 'decimal' OR summed > 63)) THEN
    kind := 'double';
  END IF;
  FOREACH stage IN ARRAY stages LOOP
    IF stage ? 'factors' THEN
      before := coalesce(before, sqlrp_number(kind, bits, digits));
      bits := least(bits * CAST(stage ->> 'factors' AS numeric) + ceil(log(2, CAST(stage ->> 'heaviest' AS numeric))), 1000000);
      digits := least(digits * CAST(stage ->> 'factors' AS numeric), 1000000);
      kind := CASE WHEN scale THEN 'double' ELSE kind END;
    ELSIF stage ? 'constant' THEN
      bits := greatest(bits, CAST(ceil(log(2, CAST(stage ->> 'constant' AS numeric) * power(CAST(10 AS numeric), digits) + 1)) AS integer));
    ELSIF stage ? 'grouped' THEN
      bits := bits + 31;
    ELSE
      bits := bits + ceil(log(2, CASE WHEN CAST(stage ->> 'reflected' AS boolean) THEN 3 * size
        ELSE (size + 1) * coalesce(CAST(stage ->> 'largest' AS numeric), 1) END));
    END IF;
    IF sqlrp_type(kind, bits) IS NULL THEN
      kind := 'double';
    END IF;
    IF NOT stage ? 'constant' THEN
      before := coalesce(before, sqlrp_number(kind, bits, digits));
    END IF;
    typed := typed || (stage || sqlrp_number(kind, bits, digits));
    size := coalesce(CAST(stage ->> 'outputs' AS numeric), size + 1);
  END LOOP;
END $f$;

CREATE OR REPLACE FUNCTION sqlrp_number(kind text, bits integer, digits integer) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $f$
  SELECT jsonb_build_object('type', sqlrp_type(kind, bits), 'kind', kind, 'bits', bits, 'number', CASE kind WHEN 'double' THEN kind
    ELSE concat_ws(':', kind, bits, digits) END)
$f$;

-- -- the result: sqlrp/_lowering/endpoints.py ------------------------------------------------------------------------------

-- The statement of the components as an array over `rows`.
CREATE OR REPLACE FUNCTION sqlrp_shaped_array(q jsonb, rows text, z text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $f$
  SELECT format(E'SELECT %s\nFROM %s', concat_ws(', ', nullif(q ->> 'own', ''), format(CASE WHEN q ->> 'output' = 'vector' THEN 'CAST(%s AS %s(%s)) AS z'
      WHEN q ->> 'dtype' = 'float32' THEN 'CAST(%s AS real[]) AS z' ELSE '%s AS z' END,
    CASE WHEN CAST(q ->> 'guarded' AS boolean) THEN format('CASE WHEN ok IS NOT NULL THEN %s END', z) ELSE z END, q ->> 'vector', q ->> 'k')), rows)
$f$;

-- The statement of the components x, whose type is `held`, over `rows`.
CREATE OR REPLACE FUNCTION sqlrp_shaped(q jsonb, rows text, x text[], held text) RETURNS text LANGUAGE plpgsql STABLE PARALLEL SAFE AS $f$
DECLARE
  own text := nullif(q ->> 'own', '');
  output text := q ->> 'output';
  guarded boolean := q ->> 'guarded';
  factor text := CASE WHEN NOT guarded THEN q ->> 'factor' WHEN q ->> 'factor' IS NOT NULL THEN 'ok' END;
  z text;
BEGIN
  IF output = 'bits' THEN
    -- A word of 64 bits is a sum. A cast to fewer bits drops the last ones.
    SELECT string_agg(format('CAST(CAST(%s AS bigint) AS bit(64))', word), ' || ' ORDER BY first) INTO z FROM (
      SELECT first, sqlrp_tree(ARRAY(SELECT format('CASE WHEN %s<=0 THEN 0 ELSE %s END', x[first + i],
        CASE i WHEN 0 THEN '(-9223372036854775807-1)' ELSE CAST(CAST(1 AS bigint) << (63 - i) AS text) END)
        FROM generate_series(0, least(63, cardinality(x) - first)) i ORDER BY i), '+') AS word FROM generate_series(1, cardinality(x), 64) first) words;
    z := format(CASE WHEN guarded THEN 'CAST(CASE WHEN ok=0 THEN CAST(%s AS bit(%s)) END AS bit(%2$s))' ELSE 'CAST(%s AS bit(%s))' END, z, cardinality(x));
    RETURN format(E'SELECT %s\nFROM %s', concat_ws(', ', own, z || ' AS z'), rows);
  ELSIF output IN ('array', 'vector') THEN
    RETURN sqlrp_shaped_array(q, rows, format('ARRAY[%s]', (SELECT string_agg(format(CASE WHEN output = 'vector' AND q ->> 'dtype' = 'auto'
      AND q ->> 'factor' IS NULL AND held <> 'double precision' THEN 'CAST(%s AS double precision)' ELSE '%s' END,
      coalesce((q ->> 'factor') || '*', '') || e), ',' ORDER BY o) FROM unnest(x) WITH ORDINALITY u(e, o))));
  END IF;
  x := ARRAY(SELECT format(CASE q ->> 'dtype' WHEN 'float32' THEN 'CAST(%s AS real)' ELSE '%s' END,
    CASE WHEN factor IS NOT NULL THEN factor || '*' || e WHEN guarded THEN e || '+ok' ELSE e END) FROM unnest(x) WITH ORDINALITY u(e, o) ORDER BY o);
  IF output = 'columns' THEN
    RETURN format(E'SELECT %s\nFROM %s', concat_ws(', ', own, (SELECT string_agg(format('%s AS z%s', e, o - 1), ', ' ORDER BY o)
      FROM unnest(x) WITH ORDINALITY u(e, o))), rows);
  END IF;
  RETURN format(E'SELECT %s\nFROM (SELECT %s\nFROM %s) s, unnest(z) WITH ORDINALITY AS u(e, o)',
    concat_ws(', ', own, 'o - 1 AS component, e AS value'), concat_ws(', ', nullif(q ->> 'names', ''), format('ARRAY[%s] AS z', array_to_string(x, ','))), rows);
END $f$;

-- -- the inline lowering --------------------------------------------------------------------------------------------------
-- The signs become the text of expressions, as in sqlrp/_lowering/inline.py, character by character. `x` are the expressions of a
-- row's entries over `rows`, the text after FROM. An entry that no later stage reads is NULL.

-- One more subquery, which names the entries. If they are more than a result has columns, it makes an array of them.
CREATE OR REPLACE FUNCTION sqlrp_level(carried text, name text, mark text, ending text, type text, room bigint, INOUT rows text, INOUT x text[])
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $f$
BEGIN
  IF cardinality(x) <= room THEN
    SELECT format(E'(SELECT %s\nFROM %s%s) s', concat_ws(', ', carried, string_agg(format('%s AS %s%s%s', e, name, o - 1, mark), ', ' ORDER BY o)
      FILTER (WHERE e IS NOT NULL)), rows, ending), array_agg(CASE WHEN e IS NOT NULL THEN name || o - 1 || mark END ORDER BY o) INTO rows, x
      FROM unnest(x) WITH ORDINALITY u(e, o);
  ELSE
    rows := format(E'(SELECT %s\nFROM %s%s) s', concat_ws(', ', carried, format('CAST(ARRAY[%s] AS %s[]) AS %s', array_to_string(x, ',', 'NULL'),
      type, name || mark)), rows, ending);
    x := ARRAY(SELECT CASE WHEN e IS NOT NULL THEN format('%s[%s]', name || mark, o) END FROM unnest(x) WITH ORDINALITY u(e, o) ORDER BY o);
  END IF;
END $f$;

-- The entries without those at other positions than these, which count from 0.
CREATE OR REPLACE FUNCTION sqlrp_live(x text[], used bigint[]) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $f$
  SELECT array_agg(CASE WHEN u.p IS NOT NULL THEN e END ORDER BY o) FROM unnest(x) WITH ORDINALITY v(e, o)
    LEFT JOIN (SELECT DISTINCT p FROM unnest(used) t(p)) u ON u.p = o - 1
$f$;

-- The weights of a stage over n entries, of which the last may be a constant: component, position of the entry, weight.
CREATE OR REPLACE FUNCTION sqlrp_weights(text text, n bigint, constant boolean, OUT c bigint[], OUT p bigint[], OUT w double precision[])
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $f$
BEGIN
  EXECUTE format('WITH sqlrp_features AS (SELECT f FROM %s s%s) SELECT coalesce(array_agg(c), ''{}''), coalesce(array_agg(CASE f WHEN '
    '2147483646 THEN %s ELSE f END), ''{}''), coalesce(array_agg(CAST(sign AS double precision)), ''{}'') FROM (%s) t WHERE sign <> 0',
    sqlrp_series(n - CAST(constant AS integer), 'f'), CASE WHEN constant THEN ' UNION ALL SELECT 2147483646' ELSE '' END, n - 1, text)
    INTO c, p, w;
END $f$;

-- The sum of each component: its terms in the order of p, each with the sign of w and the entry at e.
CREATE OR REPLACE FUNCTION sqlrp_sums(outputs bigint, kind text, c bigint[], p bigint[], w double precision[], e bigint[], x text[])
RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $f$
  SELECT array_agg(coalesce(sum, zero) ORDER BY n.c) FROM generate_series(CAST(0 AS bigint), outputs - 1) n(c)
    CROSS JOIN (SELECT sqlrp_literal(0, kind) AS zero OFFSET '0') z
    LEFT JOIN (SELECT c, sqlrp_difference(array_agg(term ORDER BY p) FILTER (WHERE w > 0), array_agg(term ORDER BY p) FILTER (WHERE w < 0)) AS sum
      FROM (SELECT t.c, t.p, t.w, CASE WHEN abs(t.w) = 1 THEN u.e ELSE CASE kind WHEN 'double' THEN format('CAST(''%s'' AS double precision)', regexp_replace(CASE WHEN abs(number) >= 1e15 AND abs(number) < 1e16
      THEN CAST(CAST(CAST(number AS text) AS numeric) AS text) ELSE CAST(number AS text) END, '^(-?\d+)$', '\1.0'))
    WHEN 'decimal' THEN format('CAST(%s AS numeric)', CAST(number AS numeric))
    ELSE CAST(CAST(number AS numeric) AS text) END || '*' || u.e END AS term
        FROM unnest(c, p, w, e) t(c, p, w, e) JOIN unnest(x) WITH ORDINALITY u(e, o) ON u.o = t.e + 1
        CROSS JOIN LATERAL (SELECT abs(t.w) AS number) v) terms GROUP BY c) s USING (c)
$f$;

-- Shared partial sums: sqlrp/_lowering/partial_sums.py says why. Each round is a level of sums of two entries. A cell (g, r, c, e, s) says
-- that component c of group g adds entry e, with the sign s, of block r. `most`: the most entries of a round.
CREATE OR REPLACE FUNCTION sqlrp_shared(carried text, type text, room bigint, most bigint, INOUT level integer, INOUT rows text, INOUT x text[],
  INOUT g bigint[], INOUT r bigint[], INOUT c bigint[], INOUT e bigint[], INOUT s double precision[])
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $f$
DECLARE
  added bigint[] := array_fill(CAST(0 AS bigint), ARRAY[CAST((SELECT max(u) + 1 FROM unnest(g) u) AS integer)]);  -- by group
  sums bigint[];  -- what the round adds to it
  pays boolean[];
  pairs record;  -- the entries of two blocks, a and b, for each component; equal ones have the same key
BEGIN
  LOOP
    SELECT array_agg(p.g) AS g, array_agg(p.r) AS r, array_agg(p.c) AS c, array_agg(p.a) AS a, array_agg(p.b) AS b, array_agg(coalesce(p.sa, p.sb)) AS s,
        array_agg((((p.g * m.r + p.r) * m.e + coalesce(p.a, -1) + 1) * m.e + coalesce(p.b, -1) + 1) * 2 + CASE WHEN p.sa * p.sb < 0 THEN 1 ELSE 0 END) AS key
      INTO pairs FROM (SELECT t.g, t.r / 2 AS r, t.c, max(t.e) FILTER (WHERE t.r % 2 = 0) AS a, max(t.e) FILTER (WHERE t.r % 2 = 1) AS b,
          max(t.s) FILTER (WHERE t.r % 2 = 0) AS sa, max(t.s) FILTER (WHERE t.r % 2 = 1) AS sb
        FROM unnest(g, r, c, e, s) t(g, r, c, e, s) GROUP BY t.g, t.r / 2, t.c) p
      CROSS JOIN (SELECT max(t.r) / 2 + 1 AS r, max(t.e) + 2 AS e FROM unnest(r, e) t(r, e)) m;
    -- A round must leave 95% of the terms at most, as it costs a level. A group that it does not pay for keeps its entries.
    SELECT array_agg(NOT (added[f.g + 1] + f.sums + f.cells > CAST(0.95 AS double precision) * (added[f.g + 1] + o.cells) OR f.entries > most) ORDER BY f.g),
        array_agg(f.sums ORDER BY f.g) INTO pays, sums
      FROM (SELECT t.g, count(*) AS cells, count(*) FILTER (WHERE t.fresh) AS entries, count(t.a + t.b) FILTER (WHERE t.fresh) AS sums
        FROM (SELECT t.g, t.a, t.b, lag(t.key) OVER (ORDER BY t.key) IS DISTINCT FROM t.key AS fresh
          FROM unnest(pairs.g, pairs.a, pairs.b, pairs.key) t(g, a, b, key)) t GROUP BY t.g) f
      JOIN (SELECT t.g, count(*) AS cells FROM unnest(g) t(g) GROUP BY t.g) o USING (g);
    EXIT WHEN NOT true = ANY (pays);
    added := ARRAY(SELECT added[o] + CASE WHEN pays[o] THEN sums[o] ELSE 0 END FROM generate_series(1, cardinality(added)) o ORDER BY o);
    SELECT array_agg(t.g), array_agg(t.r), array_agg(t.c), array_agg(t.s), array_agg(t.n - 1), array_agg(coalesce(l.e || CASE WHEN t.key % 2 = 1 THEN '-' ELSE '+' END
        || h.e, l.e, h.e) ORDER BY t.n) FILTER (WHERE t.fresh) INTO g, r, c, s, e, x
      FROM (SELECT t.*, sum(CASE WHEN t.fresh THEN 1 ELSE 0 END) OVER (ORDER BY t.g, t.key) AS n
        FROM (SELECT t.*, lag(t.key) OVER w IS DISTINCT FROM t.key OR lag(t.g) OVER w <> t.g AS fresh
          FROM (SELECT * FROM unnest(pairs.g, pairs.r, pairs.c, pairs.a, pairs.b, pairs.s, pairs.key) t(g, r, c, a, b, s, key) WHERE pays[t.g + 1]
            UNION ALL SELECT t.g, t.r, t.c, t.e, NULL, t.s, 2 * t.e FROM unnest(g, r, c, e, s) t(g, r, c, e, s) WHERE NOT pays[t.g + 1]) t
          WINDOW w AS (ORDER BY t.g, t.key)) t) t
      LEFT JOIN unnest(x) WITH ORDINALITY l(e, o) ON t.fresh AND l.o = t.a + 1 LEFT JOIN unnest(x) WITH ORDINALITY h(e, o) ON t.fresh AND h.o = t.b + 1;
    SELECT * INTO rows, x FROM sqlrp_level(carried, sqlrp_letter(level), '', ' OFFSET ''0''', type, room, rows, x);
    level := level + 1;
  END LOOP;
END $f$;

-- The letter of the names of a level: only neighbouring levels need different ones.
CREATE OR REPLACE FUNCTION sqlrp_letter(level integer) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $f$
  SELECT substr('xvwu', level % 4 + 1, 1)
$f$;

-- A sample of a Hadamard transform, in layers of sums and differences (sqlrp/_lowering/butterflies.py): only those that the sample needs.
CREATE OR REPLACE FUNCTION sqlrp_butterflies(stage jsonb, kind text, carried text, room bigint, most bigint, INOUT level integer, INOUT rows text, INOUT x text[])
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $f$
DECLARE
  part bigint := stage ->> 'part';
  padded bigint := stage ->> 'padded';
  block bigint := stage ->> 'block';
  type text := stage ->> 'type';
  outputs bigint := stage ->> 'outputs';
  table_bits bytea := decode(sqlrp_paley(block), 'hex');
  sample bigint[];  -- of each output its place in the transform
  place bigint[];  -- of each entry, and its sign
  s double precision[];
  g bigint[];
  r bigint[];
  c bigint[];
  e bigint[];
BEGIN
  EXECUTE format('SELECT array_agg(j ORDER BY c) FROM (%s) s', stage ->> 'sample') INTO sample;
  EXECUTE format('SELECT array_agg(f ORDER BY f), array_agg(CAST(flip AS double precision) ORDER BY f) FROM (%s) s', stage ->> 'flips') INTO place, s;
  -- The highest bit comes first: there most partners are padding, which costs nothing.
  FOR bit IN REVERSE CAST(log(2, CAST(part AS numeric)) AS integer) - 1 .. 0 LOOP
    SELECT array_agg(t.i ORDER BY t.i), array_agg(t.sign ORDER BY t.i), array_agg(t.text ORDER BY t.i) INTO place, s, x
      FROM (SELECT w.i, coalesce(l.sign, h.sign * w.sign) AS sign, coalesce(l.e || CASE WHEN l.sign * h.sign * w.sign > 0 THEN '+' ELSE '-' END || h.e, l.e, h.e) AS text
        FROM (SELECT i, 1 - 2 * ((i >> bit) & 1) AS sign FROM generate_series(0, padded - 1) i WHERE i % part >> bit IN (SELECT u % part >> bit FROM unnest(sample) u)) w
        LEFT JOIN unnest(place, s, x) l(at, sign, e) ON l.at = w.i & ~(CAST(1 AS bigint) << bit)
        LEFT JOIN unnest(place, s, x) h(at, sign, e) ON h.at = w.i | (CAST(1 AS bigint) << bit)) t WHERE t.text IS NOT NULL;
    SELECT * INTO rows, x FROM sqlrp_level(carried, sqlrp_letter(level), '', ' OFFSET ''0''', type, room, rows, x);
    level := level + 1;
  END LOOP;
  -- Each output adds up the entries of its place in every part, with the signs of Paley's matrix; outputs of one place share partial sums.
  SELECT array_agg(t.g - 1), array_agg(t.r - 1), array_agg(t.j), array_agg(t.e), array_agg(t.sign) INTO g, r, c, e, s
    FROM (SELECT dense_rank() OVER (ORDER BY t.first) AS g, row_number() OVER (PARTITION BY t.j ORDER BY n.at) AS r, t.j, n.o - 1 AS e,
        n.sign * CASE WHEN block > 1 AND get_bit(table_bits, CAST(t.j / part * block + n.at / part AS integer)) = 1 THEN -1 ELSE 1 END AS sign
      FROM (SELECT j, min(j) OVER (PARTITION BY j % part) AS first FROM (SELECT DISTINCT j FROM unnest(sample) u(j)) d) t
      JOIN unnest(place, s) WITH ORDINALITY n(at, sign, o) ON n.at % part = t.j % part) t;
  IF block > 1 THEN
    SELECT h.level, h.rows, h.x, h.r, h.c, h.e, h.s INTO level, rows, x, r, c, e, s
      FROM sqlrp_shared(carried, type, room, most / (SELECT max(u) + 1 FROM unnest(g) u), level, rows, x, g, r, c, e, s) h;
  END IF;
  SELECT array_agg(o.o - 1), array_agg(t.r), array_agg(t.e), array_agg(t.s) INTO c, r, e, s
    FROM unnest(c, r, e, s) t(j, r, e, s) JOIN unnest(sample) WITH ORDINALITY o(j, o) USING (j);
  x := sqlrp_sums(outputs, kind, c, r, s, e, x);
END $f$;

-- The statement of the stages. `q`: what is known of the call. Features are read as x from `rows`.
CREATE OR REPLACE FUNCTION sqlrp_inline(stages jsonb[], q jsonb, rows text, x text[]) RETURNS text LANGUAGE plpgsql STABLE PARALLEL SAFE AS $f$
DECLARE
  carried text := nullif(q ->> 'carried', '');
  room bigint := q ->> 'room';
  fence text := ' OFFSET ''0''';
  held text := q ->> 'held';
  kind text := q ->> 'kind';
  stage jsonb := stages[CASE WHEN stages[1] ? 'constant' THEN 2 ELSE 1 END];
  type text;
  level integer := 1;
  named boolean := true;
  constant boolean := false;
  c bigint[];
  p bigint[];
  w double precision[];
  e bigint[];
  t record;
BEGIN
  IF stage ? 'text' AND NOT stage ?| '{factors,padded}' AND NOT CAST(coalesce(stage ->> 'reflected', 'false') AS boolean) THEN
    SELECT * INTO c, p, w FROM sqlrp_weights(stage ->> 'text', cardinality(x) + CAST(stages[1] ? 'constant' AS integer), stages[1] ? 'constant');
    x := sqlrp_live(x, p);
  END IF;
  SELECT * INTO rows, x FROM sqlrp_level(nullif(q ->> 'read', ''), 'x', '', fence, held, room, rows, x);
  FOREACH stage IN ARRAY stages LOOP
    IF stage ? 'constant' AND CAST(stage ->> 'bits' AS bigint) <= CAST(q ->> 'bits' AS bigint) THEN
      stage := stage || jsonb_build_object('type', held, 'kind', kind);
    END IF;
    type := stage ->> 'type';
    IF stage ? 'grouped' THEN
      SELECT * INTO rows, x FROM sqlrp_level('c0' || coalesce(', ' || (q ->> 'group_ok'), ''), 'y', '', ' GROUP BY c0', type, room, rows,
        ARRAY(SELECT format(CASE WHEN type = held THEN 'CAST(SUM(%s) AS %s)' ELSE 'CAST(SUM(CAST(%s AS %s)) AS %2$s)' END, u, type)
          FROM unnest(x) WITH ORDINALITY n(u, o) ORDER BY o));
      held := type;
      kind := stage ->> 'kind';
      CONTINUE;
    END IF;
    IF type <> held THEN
      x := ARRAY(SELECT format('CAST(%s AS %s)', u, type) FROM unnest(x) WITH ORDINALITY n(u, o) ORDER BY o);
      named := false;
    END IF;
    held := type;
    kind := stage ->> 'kind';
    IF stage ? 'constant' THEN
      x := x || sqlrp_literal(CAST(stage ->> 'constant' AS double precision), kind);
      constant := true;
      CONTINUE;
    ELSIF stage ? 'factors' THEN
      EXECUTE format('SELECT array_agg(c) AS c, array_agg(i) AS i, array_agg(CAST(w AS double precision)) AS w, array_agg(f) AS f, array_agg(o) AS o '
        'FROM (%s) t LEFT JOIN LATERAL unnest(v) WITH ORDINALITY u(f, o) ON f >= 0', stage ->> 'text') INTO t;
      x := sqlrp_live(x, t.f);
    ELSIF stage ? 'text' AND NOT stage ? 'padded' THEN
      IF c IS NULL THEN
        SELECT * INTO c, p, w FROM sqlrp_weights(stage ->> 'text', cardinality(x), constant);
      END IF;
      IF NOT CAST(coalesce(stage ->> 'reflected', 'false') AS boolean) THEN
        x := sqlrp_live(x, p);
      END IF;
    END IF;
    IF NOT named THEN
      SELECT * INTO rows, x FROM sqlrp_level(carried, sqlrp_letter(level), '', fence, type, room, rows, x);
      level := level + 1;
    END IF;
    IF stage ? 'padded' THEN
      SELECT b.level, b.rows, b.x INTO level, rows, x FROM sqlrp_butterflies(stage, kind, carried, room, room - 1, level, rows, x) b;
    ELSIF stage ? 'map' THEN
      x := ARRAY(SELECT format(stage ->> 'map', u) FROM unnest(x) WITH ORDINALITY n(u, o) ORDER BY o);
    ELSIF CAST(stage ->> 'reflected' AS boolean) THEN
      rows := format(E'(SELECT %s\nFROM %s%s) s', concat_ws(', ', carried, CASE WHEN cardinality(x) <= room
        THEN (SELECT string_agg(u, ', ' ORDER BY o) FROM unnest(x) WITH ORDINALITY n(u, o) WHERE o - 1 = ANY (p))
        ELSE sqlrp_letter(level - 1) END, format('%s*%s AS m', sqlrp_literal(2, kind), sqlrp_tree(x, '+'))), rows, fence);
      SELECT array_agg(format('(%s*%s-m)', sqlrp_literal(cardinality(x), kind), x[u.p + 1]) ORDER BY u.c) INTO x FROM unnest(c, p) u(c, p);
    ELSIF stage ? 'factors' THEN
      SELECT array_agg(u.c ORDER BY u.i), array_agg(u.i ORDER BY u.i), array_agg(u.w ORDER BY u.i), array_agg(u.product ORDER BY u.i) INTO c, p, w, x
        FROM (SELECT u.c, u.i, u.w, coalesce(string_agg(n.u, '*' ORDER BY u.o), '1') AS product FROM unnest(t.c, t.i, t.w, t.f, t.o) u(c, i, w, f, o)
          LEFT JOIN unnest(x) WITH ORDINALITY n(u, o) ON n.o = u.f + 1 GROUP BY u.c, u.i, u.w) u;
      x := sqlrp_sums(CAST(stage ->> 'outputs' AS bigint), kind, c, p, w, ARRAY(SELECT generate_series(CAST(0 AS bigint), cardinality(c) - 1)), x);
    ELSE
      e := p;
      IF CAST(stage ->> 'exact' AS boolean) AND coalesce(stage ->> 'largest', '1') = '1'
        AND 6 * cardinality(p) >= cardinality(x) * CAST(stage ->> 'outputs' AS bigint) THEN
        SELECT s.level, s.rows, s.x, s.c, s.r, s.s, s.e INTO level, rows, x, c, p, w, e FROM sqlrp_shared(carried, type, room, room - 1, level, rows, x,
          array_fill(CAST(0 AS bigint), ARRAY[cardinality(c)]), p, c, e, w) s;
      END IF;
      x := sqlrp_sums(CAST(stage ->> 'outputs' AS bigint), kind, c, p, w, e, x);
    END IF;
    c := NULL;
    constant := false;
    named := false;
  END LOOP;
  IF CAST(q ->> 'normalised' AS boolean) THEN
    SELECT * INTO rows, x FROM sqlrp_level(carried, 'y', '_', fence, held, room, rows, x);
    SELECT * INTO rows, x FROM sqlrp_level(carried, 'y', '__', fence, held, room, rows,
      ARRAY(SELECT format('CASE WHEN %1$s < 0 THEN -sqrt(-%1$s) ELSE sqrt(%1$s) END', u) FROM unnest(x) WITH ORDINALITY n(u, o) ORDER BY o));
    rows := format(E'(SELECT %s\nFROM %s%s) s', concat_ws(', ', carried, CASE WHEN cardinality(x) <= room THEN array_to_string(x, ', ') ELSE 'y__' END,
      format('sqrt(%s) AS n', sqlrp_tree(ARRAY(SELECT format('%s*%1$s', u) FROM unnest(x) WITH ORDINALITY n(u, o) ORDER BY o), '+'))), rows, fence);
    x := ARRAY(SELECT u || '/CASE WHEN n = 0 THEN 1 ELSE n END' FROM unnest(x) WITH ORDINALITY n(u, o) ORDER BY o);
  END IF;
  RETURN sqlrp_shaped(q, rows, x, held);
END $f$;

-- -- the relational lowering ----------------------------------------------------------------------------------------------
-- The signs are drawn, joined with the cells (r, f, x) of the rows and summed, as in sqlrp/_lowering/relational.py, character by
-- character. An absent cell is zero.

-- A block of sql/blocks.sql, with its parts filled in.
CREATE OR REPLACE FUNCTION sqlrp_block(name text, parts jsonb) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $f$
DECLARE
  text text := CASE name
    WHEN 'components' THEN 'SELECT c, {b0} AS b0, {b1} AS b1, {b2} AS b2, {b3} AS b3,
  {b4} AS b4, {b5} AS b5, {b6} AS b6, {b7} AS b7
FROM ({numbers}) n'
    WHEN 'signs' THEN 'SELECT {c} AS c, f, CASE WHEN h < {low} THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, {entry} AS h FROM {features} CROSS JOIN {components}{fence}) drawn
WHERE h < {high}'
    WHEN 'signed_sums' THEN 'SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE {zero} - x END) AS x
FROM {cells} JOIN {signs} {by_feature}
GROUP BY r, c'
    WHEN 'block_signs' THEN 'SELECT c * {size} + {place} AS c, f, 1 - {last} * 2 AS sign
FROM (SELECT c, f, {entry} AS h FROM {features} CROSS JOIN {blocks}{fence}) drawn'
    WHEN 'bucket_signs' THEN 'SELECT ({bucket} * {count} + c) * {size} + {place} AS c, f, 1 - {last} * 2 AS sign
FROM (SELECT c, f, h, MAX(CASE WHEN c = {count} THEN h ELSE -1 END) OVER (PARTITION BY f) AS g
FROM (SELECT c, f, {entry} AS h FROM {features} CROSS JOIN {blocks}{fence}) drawn) entries
WHERE c < {count}'
    WHEN 'weighted_sums' THEN 'SELECT r, c AS f, SUM(sign * x) AS x
FROM {cells} JOIN {signs} {by_feature}
GROUP BY r, c'
    WHEN 'reflected' THEN 'SELECT s.r AS r, p.c AS f, {d} * coalesce(k.x, {zero}) - {two} * coalesce({total}, {zero}) AS x
FROM {rows} s CROSS JOIN {picks} p
LEFT JOIN {totals} t ON {same_total} LEFT JOIN {cells} k ON {same_cell} AND k.f = p.f'
    WHEN 'completed' THEN 'SELECT r, f, x FROM {cells} UNION ALL
SELECT odd.r, e.f, {zero} FROM (SELECT DISTINCT r FROM {cells} WHERE NOT {finite}) odd
CROSS JOIN {features} e
WHERE NOT EXISTS (SELECT 1 FROM {cells} k WHERE {same_row} AND k.f = e.f)'
    WHEN 'sums_of_products' THEN 'SELECT k0.r AS r, i.c AS f, SUM({product}) AS x
FROM {index} i {joins}
GROUP BY k0.r, i.c'
    WHEN 'result' THEN 'SELECT {kept}, n.f AS f, coalesce(z.x, {zero}) AS x
FROM {rows} s CROSS JOIN {components} n
LEFT JOIN {cells} z ON {same_row} AND z.f = n.f'
    WHEN 'sparse_result' THEN 'SELECT z.r AS r, z.f AS f, z.x AS x FROM {cells} z WHERE z.f <> 0 AND z.x <> {zero}{others}
UNION ALL
SELECT s.r, 0, coalesce(z.x, {zero}){ok} FROM {rows} s
LEFT JOIN (SELECT r, x FROM {cells} WHERE f = 0) z ON {same_row}'
    WHEN 'sparse_holes' THEN 'UNION ALL
SELECT s.r, n.f, {zero}{ok} FROM {rows} s CROSS JOIN {components} n WHERE s.ok IS NULL AND n.f <> 0'
  END;
  part record;
BEGIN
  FOR part IN SELECT * FROM jsonb_each_text(parts) LOOP
    text := replace(text, '{' || part.key || '}', part.value);
  END LOOP;
  RETURN text;
END $f$;

-- One more relation before the query, with its number in its name. `table_name`: of the source, which it must not hide.
CREATE OR REPLACE FUNCTION sqlrp_add(name text, text text, table_name text, INOUT w text[], OUT named text)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $f$
BEGIN
  named := name || cardinality(w) || CASE WHEN lower(table_name) = name || cardinality(w) THEN '_' ELSE '' END;
  w := w || format('%s AS MATERIALIZED (%s)', named, text);
END $f$;

-- A SELECT of columns of numbers, each given as the text of an array.
CREATE OR REPLACE FUNCTION sqlrp_numbers(type text, columns text[]) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $f$
  SELECT 'SELECT ' || string_agg(format('unnest(CAST(''{%s}'' AS %s[])) AS %s', columns[i + 1], CASE columns[i] WHEN 'w' THEN type WHEN 'sign' THEN type
    ELSE 'bigint' END, columns[i]), ', ' ORDER BY i) FROM generate_series(1, cardinality(columns), 2) i
$f$;

-- Weights as the text of an array.
CREATE OR REPLACE FUNCTION sqlrp_listed(weights double precision[], exact boolean) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $f$
  SELECT string_agg(CASE WHEN exact THEN CAST(CAST(number AS bigint) AS text) ELSE regexp_replace(CASE WHEN abs(number) >= 1e15 AND abs(number) < 1e16
      THEN CAST(CAST(CAST(number AS text) AS numeric) AS text) ELSE CAST(number AS text) END, '^(-?\d+)$', '\1.0') END, ',' ORDER BY o) FROM unnest(weights) WITH ORDINALITY u(number, o)
$f$;

-- The statement of the stages. `q`: what is known of the call.
CREATE OR REPLACE FUNCTION sqlrp_relational(stages jsonb[], q jsonb) RETURNS text LANGUAGE plpgsql STABLE PARALLEL SAFE AS $f$
DECLARE
  long boolean := q ->> 'layout' = 'long';
  hashed boolean := q ->> 'hashed';
  guarded boolean := q ->> 'guarded';
  same text := CASE WHEN long THEN 'ARRAY[%s] = ARRAY[%s]' ELSE '%s = %s' END;  -- the key of long rows, and of a group, may be NULL
  single boolean := NOT long;  -- whether each row has at most one cell for a feature
  n bigint := q ->> 'n';  -- the number of entries; NULL for an open vocabulary
  below bigint := CASE WHEN hashed THEN 2147483647 ELSE coalesce(n, 2147483647) END;
  most bigint := coalesce(n, 2147483645) - 1;
  name text := q ->> 'table_name';
  number text := q ->> 'number';  -- the kind, size and digits of the numbers, their type and kind
  held text := q ->> 'held';
  kind text := q ->> 'kind';
  bits bigint := q ->> 'bits';
  exact boolean;
  plain boolean;  -- whether all products have the weight 1
  lacking boolean;  -- whether a product has fewer factors than others
  columns text[];
  weights double precision[];
  last_type text := CASE WHEN q ->> 'factor' IS NULL THEN stages[cardinality(stages)] ->> 'type' ELSE 'double precision' END;
  last_kind text := CASE WHEN q ->> 'factor' IS NULL THEN stages[cardinality(stages)] ->> 'kind' ELSE 'double' END;
  core integer := cardinality(stages) - CASE WHEN stages[cardinality(stages)] ? 'grouped' THEN 1 ELSE 0 END;
  constant bigint;  -- the position of an appended constant whose cells still have its feature number
  stage jsonb;
  drawn jsonb;
  type text;
  w text[] := '{}';
  rows text;
  cells text;
  features text;
  other text;
  totals text;
  text text;
  t record;
  carry text := concat_ws(', ', nullif(q ->> 'names', ''), CASE WHEN guarded THEN 'ok' END);
  along text;
  value text;
BEGIN
  IF long THEN
    SELECT * INTO w, rows FROM sqlrp_add('source', format('SELECT %s FROM (SELECT %s FROM %s GROUP BY %s) s', concat_ws(', ', 'r, r AS c0', q ->> 'ok'),
      concat_ws(', ', (q ->> 'key') || ' AS r', CASE WHEN guarded THEN format('count(*) AS counted, count(%s) AS present', q ->> 'value') END),
      q ->> 'relation', q ->> 'key'), name, w);
    SELECT * INTO w, cells FROM sqlrp_add('cells', format('SELECT %s AS r, %s AS f, %s AS x FROM %s', q ->> 'key', CASE WHEN hashed
      THEN format('(CAST(CAST(''x'' || substr(md5(convert_to(CAST(%s AS text), ''UTF8'')), 1, 15) AS bit(60)) AS bigint) %% 2147483646)', q ->> 'feature')
      ELSE format('CASE WHEN %1$s BETWEEN 0 AND %2$s THEN %1$s WHEN %1$s IS NOT NULL THEN %3$s END', q ->> 'feature', most, sqlrp_fail(format(
        'sqlrp: a feature in %L is outside 0 ... %s: positions count from 0; raise n_features', q ->> 'feature_name', most))) END,
      q ->> 'x', q ->> 'relation'), name, w);
  ELSE
    SELECT * INTO w, rows FROM sqlrp_add('source', format('SELECT %s FROM %s', concat_ws(', ', nullif(q ->> 'read', ''), 'row_number() OVER () AS r',
      (q ->> 'x') || ' AS x'), q ->> 'relation'), name, w);
    SELECT * INTO w, cells FROM sqlrp_add('cells', format(E'SELECT r, o - 1 AS f, e AS x\nFROM %s, unnest(x) WITH ORDINALITY AS u(e, o)', rows), name, w);
  END IF;
  SELECT * INTO w, features FROM sqlrp_add('features', CASE WHEN n IS NULL OR hashed THEN 'SELECT DISTINCT f FROM ' || cells
    ELSE sqlrp_counted(n, 'f') END, name, w);
  FOR i IN 1 .. cardinality(stages) LOOP
    stage := stages[i];
    type := stage ->> 'type';
    exact := stage ->> 'exact';
    plain := stage ->> 'plain';
    IF stage ? 'constant' AND CAST(stage ->> 'bits' AS bigint) <= bits THEN
      stage := stage || jsonb_build_object('number', number, 'type', held, 'kind', kind);
      type := held;
    END IF;
    IF number <> stage ->> 'number' AND NOT stage ?| '{factors,grouped}' THEN
      SELECT * INTO w, cells FROM sqlrp_add('cells', format('SELECT r, f, CAST(x AS %s) AS x FROM %s', type, cells), name, w);
    END IF;
    IF stage ? 'constant' THEN
      number := stage ->> 'number';
      held := type;
      kind := stage ->> 'kind';
      SELECT * INTO w, cells FROM sqlrp_add('cells', format('SELECT r, f, x FROM %s UNION ALL SELECT r, 2147483646, %s FROM %s', cells,
        sqlrp_literal(CAST(stage ->> 'constant' AS double precision), kind), rows), name, w);
      SELECT * INTO w, features FROM sqlrp_add('features', format('SELECT f FROM %s UNION ALL SELECT 2147483646', features), name, w);
      below := 2147483647;
      constant := n;
      CONTINUE;
    END IF;
    IF constant IS NOT NULL AND (stage ? 'factors' OR CAST(stage ->> 'reflected' AS boolean)) THEN
      SELECT * INTO w, cells FROM sqlrp_add('cells', format('SELECT r, CASE WHEN f = 2147483646 THEN %s ELSE f END AS f, x FROM %s', constant, cells), name, w);
      SELECT * INTO w, features FROM sqlrp_add('features', format('SELECT CASE WHEN f = 2147483646 THEN %s ELSE f END AS f FROM %s', constant, features), name, w);
    END IF;
    IF NOT single AND (stage ? 'map' OR CAST(stage ->> 'reflected' AS boolean)) THEN
      SELECT * INTO w, cells FROM sqlrp_add('cells', format('SELECT r, f, SUM(x) AS x FROM %s GROUP BY r, f', cells), name, w);
      single := true;
    END IF;
    IF stage ? 'map' THEN
      IF NOT CAST(stage ->> 'keeps_zero' AS boolean) THEN
        SELECT * INTO w, cells FROM sqlrp_add('cells', format('SELECT s.r AS r, e.f AS f, coalesce(CAST(k.x AS %s), %s) AS x FROM %s s CROSS JOIN %s e '
          'LEFT JOIN %s k ON %s AND k.f = e.f', type, sqlrp_literal(0, stage ->> 'kind'), rows, features, cells, format(same, 'k.r', 's.r')), name, w);
      END IF;
      SELECT * INTO w, cells FROM sqlrp_add('mapped', format('SELECT r, f, %s AS x FROM %s', format(stage ->> 'map', 'x'), cells), name, w);
    ELSIF stage ? 'grouped' THEN
      other := rows;
      SELECT * INTO w, rows FROM sqlrp_add('groups', format('SELECT %s FROM %s GROUP BY c0', concat_ws(', ', 'c0 AS r, c0', q ->> 'group_ok'), rows), name, w);
      SELECT * INTO w, cells FROM sqlrp_add('cells', format('SELECT s.c0 AS r, k.f AS f, CAST(SUM(%s) AS %s) AS x FROM %s k JOIN %s s ON k.r = s.r '
        'GROUP BY s.c0, k.f', CASE WHEN held = type THEN 'k.x' ELSE format('CAST(k.x AS %s)', type) END, CASE WHEN CAST(q ->> 'normalised' AS boolean)
        THEN type ELSE last_type END, cells, other), name, w);
      same := 'ARRAY[%s] = ARRAY[%s]';
    ELSIF stage ? 'factors' THEN
      IF kind = 'double' THEN
        SELECT * INTO w, cells FROM sqlrp_add('cells', sqlrp_block('completed', jsonb_build_object('cells', cells, 'features', features, 'zero', sqlrp_literal(0, kind),
          'finite', '(x NOT IN (''NaN'', ''Infinity'', ''-Infinity''))', 'same_row', format(same, 'k.r', 'odd.r'))), name, w);
      END IF;
      -- The terms of a convolution follow from two numbers each, so that its text has no term.
      IF stage ? 'convolved' THEN
        lacking := CAST(stage ->> 'outputs' AS bigint) > CAST(stage ->> 'convolved' AS bigint);
        text := sqlrp_numbers('bigint', ARRAY['i', (SELECT string_agg(CAST(u AS text), ',' ORDER BY u) FROM generate_series(0, CAST(stage ->> 'convolved' AS bigint) - 1) u)]);
        text := format('SELECT ((a.i + b.i) %% %1$s) AS c, a.i AS v0, b.i + %1$s AS v1 FROM (%2$s) a CROSS JOIN (%2$s) b', stage ->> 'convolved', text)
          || CASE WHEN lacking THEN format(' UNION ALL SELECT c, v0, v1 FROM (%s) s', (SELECT sqlrp_numbers('bigint', ARRAY['c', string_agg(CAST(d.n + u AS text), ','
            ORDER BY u), 'v0', string_agg(CAST(2 * d.n + u AS text), ',' ORDER BY u), 'v1', string_agg('-1', ',')])
            FROM (SELECT CAST(stage ->> 'convolved' AS bigint) AS n) d CROSS JOIN LATERAL generate_series(0, CAST(stage ->> 'outputs' AS bigint) - d.n - 1) u)) ELSE '' END;
      ELSE
        EXECUTE format('SELECT ARRAY[''c'', string_agg(CAST(c AS text), '','' ORDER BY i), %s], array_agg(CAST(w AS double precision) ORDER BY i) FROM (%s) t',
          (SELECT string_agg(format('''v%s'', string_agg(CAST(coalesce(v[%s], -1) AS text), '','' ORDER BY i)', j, j + 1), ', ' ORDER BY j)
            FROM generate_series(0, CAST(stage ->> 'factors' AS bigint) - 1) j), stage ->> 'text') INTO columns, weights;
        lacking := array_to_string(columns[3:], ',') LIKE '%-1%';
        IF NOT plain THEN
          columns := columns || ARRAY['w', sqlrp_listed(weights, exact)];
        END IF;
        text := sqlrp_numbers(CASE WHEN exact THEN 'bigint' ELSE 'double precision' END, columns);
      END IF;
      IF lacking THEN
        SELECT * INTO w, cells FROM sqlrp_add('cells', format('SELECT r, f, x FROM %s UNION ALL SELECT r, -1, %s FROM %s', cells, sqlrp_literal(1, kind), rows), name, w);
      END IF;
      SELECT * INTO w, other FROM sqlrp_add('index_table', text, name, w);
      SELECT string_agg(format('CAST(k%s.x AS %s)', j, type), '*' ORDER BY j) AS product, format('JOIN %s k0 ON k0.f = i.v0', cells) || coalesce(string_agg(format(
        ' JOIN %s k%s ON k%2$s.f = i.v%2$s AND %s', cells, j, format(same, 'k0.r', format('k%s.r', j))), '' ORDER BY j) FILTER (WHERE j > 0), '') AS joins
        INTO t FROM generate_series(0, CAST(stage ->> 'factors' AS bigint) - 1) j;
      SELECT * INTO w, cells FROM sqlrp_add('products', sqlrp_block('sums_of_products', jsonb_build_object('index', other, 'joins', t.joins, 'product',
        CASE WHEN plain THEN '' ELSE format('CAST(i.w AS %s)*', type) END || t.product)), name, w);
    ELSIF CAST(stage ->> 'reflected' AS boolean) THEN
      EXECUTE format('SELECT ARRAY[''c'', string_agg(CAST(c AS text), '','' ORDER BY c), ''f'', string_agg(CAST(f AS text), '','' ORDER BY c)] '
        'FROM (%s) t', stage ->> 'text') INTO columns;
      SELECT * INTO w, other FROM sqlrp_add('picks', sqlrp_numbers('bigint', columns), name, w);
      SELECT * INTO w, totals FROM sqlrp_add('totals', format('SELECT r, SUM(x) AS m FROM %s GROUP BY r', cells), name, w);
      SELECT * INTO w, cells FROM sqlrp_add('cells', sqlrp_block('reflected', jsonb_build_object('rows', rows, 'picks', other, 'totals', totals, 'cells', cells,
        'same_total', format(same, 't.r', 's.r'), 'same_cell', format(same, 'k.r', 's.r'), 'd', sqlrp_literal(n, stage ->> 'kind'),
        'two', sqlrp_literal(2, stage ->> 'kind'), 'zero', sqlrp_literal(0, stage ->> 'kind'), 'total', format('CAST(t.m AS %s)', type))), name, w);
    ELSE
      drawn := stage -> 'drawn';
      IF drawn IS NOT NULL THEN
        SELECT * INTO w, other FROM sqlrp_add('components', sqlrp_block('components', (SELECT jsonb_object_agg('b' || b, sqlrp_polynomial(
            CAST(a[8 * b + 1 : 8 * b + 8] AS text[]), 'c', CAST(drawn ->> 'n' AS bigint))) FROM sqlrp_coefficients(CAST(drawn ->> 'seed' AS bigint),
            CAST(drawn ->> 'purpose' AS integer)) a CROSS JOIN generate_series(0, 7) b)
          || jsonb_build_object('numbers', sqlrp_counted(CAST(drawn ->> 'n' AS bigint), 'c'))), name, w);
        text := sqlrp_block(drawn ->> 'block', drawn || jsonb_build_object('features', features, 'components', other, 'blocks', other,
          'entry', sqlrp_polynomial('{b0,b1,b2,b3,b4,b5,b6,b7}', 'f', below), 'fence', ' OFFSET ''0'''));
      ELSE
        SELECT sqlrp_numbers(CASE WHEN exact THEN 'bigint' ELSE 'double precision' END, ARRAY['c', string_agg(CAST(u.c AS text), ',' ORDER BY u.p, u.c),
            'f', string_agg(CAST(CASE WHEN u.p = constant THEN 2147483646 ELSE u.p END AS text), ',' ORDER BY u.p, u.c),
            'sign', sqlrp_listed(array_agg(u.w ORDER BY u.p, u.c), exact)])
          INTO text FROM sqlrp_weights(stage ->> 'text', n + CAST(constant IS NOT NULL AS integer), constant IS NOT NULL) f
          CROSS JOIN LATERAL unnest(f.c, f.p, f.w) u(c, p, w);
      END IF;
      SELECT * INTO w, other FROM sqlrp_add('signs', text, name, w);
      SELECT * INTO w, cells FROM sqlrp_add('sums', sqlrp_block(CASE WHEN exact AND coalesce(stage ->> 'largest', '1') = '1'
        THEN 'signed_sums' ELSE 'weighted_sums' END, jsonb_build_object('cells', cells, 'signs', other, 'zero', sqlrp_literal(0, stage ->> 'kind'),
        'by_feature', 'USING (f)')), name, w);
    END IF;
    number := stage ->> 'number';
    held := type;
    kind := stage ->> 'kind';
    bits := stage ->> 'bits';
    IF NOT stage ?| '{map,grouped}' THEN
      n := stage ->> 'outputs';
      single := true;
      constant := NULL;
      IF i < core THEN
        SELECT * INTO w, features FROM sqlrp_add('features', sqlrp_counted(n, 'f'), name, w);
        below := n;
      END IF;
    END IF;
  END LOOP;
  value := format('CAST(x AS %s)', last_type);
  value := CASE WHEN q ->> 'factor' IS NULL THEN value ELSE CASE WHEN guarded AND NOT (long AND q ->> 'output' = 'long') THEN 'ok' ELSE q ->> 'factor' END || '*' || value END
    || CASE WHEN guarded AND q ->> 'factor' IS NULL AND NOT (long AND q ->> 'output' = 'long') THEN '+ok' ELSE '' END;
  value := CASE WHEN q ->> 'dtype' = 'float32' THEN format('CAST(%s AS real)', value) ELSE value END || ' AS value';
  IF long AND q ->> 'output' = 'long' THEN
    -- Outputs that are 0 are left out, except the first one of a row. A row with a NULL has NULL everywhere.
    text := '';
    IF guarded THEN
      SELECT * INTO w, other FROM sqlrp_add('outputs', sqlrp_counted(CAST(q ->> 'k' AS bigint), 'f'), name, w);
      text := sqlrp_block('sparse_holes', jsonb_build_object('rows', rows, 'components', other, 'zero', sqlrp_literal(0, last_kind), 'ok', '+0*s.ok'));
    END IF;
    RETURN format(E'WITH %s\nSELECT r AS %s, f AS component, %s\nFROM (%s\n%s) s', array_to_string(w, E',\n'), q ->> 'key', value,
      sqlrp_block('sparse_result', jsonb_build_object('rows', rows, 'cells', cells, 'zero', sqlrp_literal(0, last_kind), 'same_row', format(same, 'z.r', 's.r'),
        'ok', CASE WHEN guarded THEN '+0*s.ok' ELSE '' END, 'others', CASE WHEN guarded
        THEN format(' AND NOT EXISTS (SELECT 1 FROM %s s WHERE %s AND s.ok IS NULL)', rows, format(same, 's.r', 'z.r')) ELSE '' END)), text);
  END IF;
  along := CASE WHEN q ->> 'output' = 'long' THEN concat_ws(', ', 'r', nullif(carry, '')) ELSE 'r' END;
  SELECT * INTO w, other FROM sqlrp_add('outputs', sqlrp_counted(CAST(q ->> 'k' AS bigint), 'f'), name, w);
  SELECT * INTO w, cells FROM sqlrp_add('result', sqlrp_block('result', jsonb_build_object('kept', regexp_replace(along, '(\w+)', 's.\1 AS \1', 'g'),
    'zero', sqlrp_literal(0, last_kind), 'rows', rows, 'components', other, 'cells', cells, 'same_row', format(same, 'z.r', 's.r'))), name, w);
  IF CAST(q ->> 'normalised' AS boolean) THEN
    SELECT * INTO w, cells FROM sqlrp_add('mapped', format('SELECT %s, f, %s AS x FROM %s', along, format('CASE WHEN %1$s < 0 THEN -sqrt(-%1$s) ELSE sqrt(%1$s) END', 'x'), cells), name, w);
    SELECT * INTO w, cells FROM sqlrp_add('normalised', format('SELECT %1$s, f, x/CASE WHEN n = 0 THEN 1 ELSE n END AS x FROM (SELECT %1$s, f, x, '
      'sqrt(SUM(x*x) OVER (PARTITION BY r)) AS n FROM %2$s) s', along, cells), name, w);
  END IF;
  IF q ->> 'output' = 'long' THEN
    RETURN format(E'WITH %s\nSELECT %s\nFROM %s', array_to_string(w, E',\n'), concat_ws(', ', nullif(q ->> 'own', ''), 'f AS component', value), cells);
  END IF;
  text := format('(SELECT %s FROM %s s JOIN (SELECT r, array_agg(CAST(x AS %s) ORDER BY f) AS x FROM %s GROUP BY r) z ON %s) s',
    concat_ws(', ', nullif(regexp_replace(carry, '(\w+)', 's.\1 AS \1', 'g'), ''), 'z.x AS x'), rows, last_type, cells, format(same, 'z.r', 's.r'));
  RETURN format(E'WITH %s\n%s', array_to_string(w, E',\n'), CASE WHEN q ->> 'output' IN ('array', 'vector') THEN sqlrp_shaped_array(q, text, CASE WHEN q ->> 'factor' IS NULL
    THEN 'x' ELSE format('ARRAY(SELECT %s*e FROM unnest(x) WITH ORDINALITY AS u(e, o) ORDER BY o)', q ->> 'factor') END)
    ELSE sqlrp_shaped(q, text, ARRAY(SELECT format('x[%s]', i) FROM generate_series(1, CAST(q ->> 'k' AS bigint)) i), last_type) END);
END $f$;

-- -- the statement -----------------------------------------------------------------------------------------------------

-- One SELECT of the key, the kept columns and the outputs, and the features that it is for: their names, or their number. `p` holds the
-- method's parameters, `o` the other arguments. Its `place` is what stands for the source's name in a text that is kept.
CREATE OR REPLACE FUNCTION sqlrp_write(method text, source regclass, p jsonb, o jsonb, OUT written text, OUT bound jsonb)
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED AS $f$
DECLARE
  relation text := sqlrp_relation(source);
  shown text := (SELECT format('"%s"', replace(relname, '"', '""')) FROM pg_class WHERE oid = source);
  key text := o ->> 'key';
  keep text[] := ARRAY(SELECT e FROM jsonb_array_elements_text(CASE WHEN jsonb_typeof(o -> 'keep') = 'array'
    THEN o -> 'keep' ELSE '[]' END) WITH ORDINALITY u(e, i) ORDER BY i);
  features text[] := CASE WHEN jsonb_typeof(o -> 'features') = 'array' THEN
    ARRAY(SELECT e FROM jsonb_array_elements_text(o -> 'features') WITH ORDINALITY u(e, i) ORDER BY i) END;
  array_column text := o ->> 'array_column';
  feature text := coalesce(o ->> 'feature', 'feature');
  value text := coalesce(o ->> 'value', 'value');
  layout text := CASE WHEN array_column IS NOT NULL THEN 'array'
    WHEN o ->> 'feature' IS NOT NULL OR o ->> 'value' IS NOT NULL THEN 'long' ELSE 'wide' END;
  output text := sqlrp_one_of('output', coalesce(o ->> 'output', 'array'), '{columns,array,vector,long,bits}');
  dtype text := sqlrp_one_of('dtype', coalesce(o ->> 'dtype', 'auto'), '{auto,float32,float16}');
  scale boolean := sqlrp_flag('scale', CAST(o ->> 'scale' AS boolean)) AND output <> 'bits';  -- it changes no bit
  nulls text := sqlrp_one_of('nulls', o ->> 'nulls', '{propagate,zero,error}');
  lowering text := sqlrp_one_of('lowering', o ->> 'lowering', '{auto,inline,relational}');
  n bigint := CAST(o ->> 'n_features' AS bigint);
  k bigint := sqlrp_whole('k', CAST(p ->> 'k' AS bigint), 1);
  seed bigint := CAST(p ->> 'seed' AS bigint);
  columns jsonb;  -- by name, as sqlrp_columns tells
  frame jsonb[];  -- the features' columns: of an array one, of long rows feature and value
  kept text[];
  named text;
  kind text;
  bits integer;
  digits integer;
  projection jsonb;  -- as sqlrp_method gives it
  stages jsonb[];
  grouped boolean;
  factor double precision;
  summing jsonb;  -- the numbers that features are read in, as sqlrp_number gives them
  room bigint;  -- how many entries a subquery has columns for
  -- the text
  guard text;  -- the condition that a row has no NULL; NULL if none is asked for
  unit text;  -- the scale
  ok text;
  taken text;  -- the key and the kept columns: as they are read, and as they are carried
  carried text;
  element text;  -- the array
  inputs text[];  -- the features as they are read
  q jsonb;
  vector text;  -- the type of the result
BEGIN
  IF p ? 'seed' AND (seed IS NULL OR seed NOT BETWEEN 0 AND 9007199254740991) THEN
    PERFORM sqlrp_refuse(format('seed = %s must be a whole number from 0 to 2^53 - 1: choose one in that range',
      coalesce(CAST(seed AS text), 'NULL')));
  END IF;
  IF n IS NOT NULL AND n NOT BETWEEN 1 AND 2147483645 THEN
    PERFORM sqlrp_refuse(format('n_features = %s must be a whole number from 1 to 2^31 - 3, or NULL', n));
  END IF;

  IF output = 'bits' AND dtype <> 'auto' THEN
    PERFORM sqlrp_refuse(format('dtype = %L is for numbers, and output = ''bits'' has none: leave dtype out', dtype));
  ELSIF output = 'vector' AND k > 16000 THEN
    PERFORM sqlrp_refuse(format('k = %s is more than the 16,000 numbers of a vector of postgresql: lower k', k),
      'program_limit_exceeded');
  ELSIF output = 'vector' THEN
    vector := sqlrp_vector_type(CASE dtype WHEN 'float16' THEN 'halfvec' ELSE 'vector' END);
  ELSIF dtype = 'float16' THEN
    PERFORM sqlrp_refuse('dtype = ''float16'' is not supported: postgresql has no columns of such floats; use output = ''vector''',
      'feature_not_supported');
  END IF;

  -- the frame: which columns pass through, which are features
  SELECT coalesce(jsonb_object_agg(c.name, to_jsonb(c)), '{}') INTO columns FROM sqlrp_columns(source) c;
  kept := CASE WHEN key IS NULL THEN keep ELSE key || keep END;
  FOREACH named IN ARRAY kept LOOP
    IF named IS NULL OR NOT columns ? named THEN
      PERFORM sqlrp_refuse(format('%s %s is not a column of %s', CASE WHEN named = key THEN 'key' ELSE 'keep column' END,
        quote_nullable(named), shown) || CASE WHEN named = key
        THEN ': name the key column, or key NULL for a table without one' ELSE ': name one of its columns' END, 'undefined_column');
    ELSIF (SELECT count(*) FROM unnest(keep) u WHERE u = named) > 1 THEN
      PERFORM sqlrp_refuse(format('keep names the column %L twice: name it once', named));
    ELSIF (SELECT count(*) FROM unnest(kept) u WHERE u = named) > 1 THEN
      PERFORM sqlrp_refuse(format('column %L cannot be both key and keep: name it once', named));
    ELSIF lower(named) = ANY (CASE output WHEN 'array' THEN ARRAY['z'] WHEN 'vector' THEN ARRAY['z'] WHEN 'bits' THEN ARRAY['z'] WHEN 'long' THEN ARRAY['component', 'value'] END)
      OR (output = 'columns' AND lower(named) ~ '^z(0|[1-9][0-9]{0,8})$' AND CAST(substr(named, 2) AS bigint) < k) THEN
      PERFORM sqlrp_refuse(format('column %L of the source has an output column''s name: rename it, or choose another output',
        named), 'duplicate_column');
    END IF;
  END LOOP;
  IF features IS NOT NULL AND layout <> 'wide' THEN
    PERFORM sqlrp_refuse(format('features = %s names plain columns, and other arguments name %s: leave out one of them',
      o ->> 'features', CASE layout WHEN 'array' THEN 'an array column' ELSE 'the columns of long rows' END));
  ELSIF layout = 'array' AND coalesce(o ->> 'feature', o ->> 'value') IS NOT NULL THEN
    PERFORM sqlrp_refuse('array_column names an array column, and feature and value the columns of long rows: leave out one of them');
  ELSIF layout = 'wide' AND features IS NULL THEN
    frame := ARRAY(SELECT c.value FROM jsonb_each(columns) c WHERE c.value ->> 'kind' IS NOT NULL AND c.key <> ALL (kept)
      AND NOT CAST(c.value ->> 'is_array' AS boolean) ORDER BY CAST(c.value ->> 'place' AS integer));
    named := (SELECT c.key FROM jsonb_each(columns) c WHERE c.value ->> 'kind' IS NOT NULL AND c.key <> ALL (kept)
      AND CAST(c.value ->> 'is_array' AS boolean) AND cardinality(frame) < coalesce(CAST(c.value ->> 'size' AS bigint), 64) ORDER BY CAST(c.value ->> 'place' AS integer) LIMIT 1);
    IF named IS NOT NULL THEN  -- it may be what is meant; an array's length is taken as 64, as in sqlrp/_lowering/left_out.py
      PERFORM sqlrp_refuse(format('%s has %s numeric column(s) besides key and keep, and the array column %L: say which holds the '
        'features. For the array: array_column => %3$L. For the numeric columns: name them in features', shown, cardinality(frame), named),
        'ambiguous_column');
    END IF;
    IF cardinality(frame) = 0 THEN
      PERFORM sqlrp_refuse(format('%s has no numeric column besides key and keep: a wide source needs at least one; use '
        'array_column for an array column or feature and value for (key, feature, value) rows', shown), 'undefined_column');
    END IF;
    PERFORM sqlrp_warn_left_out(source, shown, columns, kept, cardinality(frame));
  ELSE
    features := CASE layout WHEN 'array' THEN ARRAY[array_column] WHEN 'long' THEN ARRAY[feature, value] ELSE features END;
    IF cardinality(features) = 0 THEN
      PERFORM sqlrp_refuse('features = [] names no column: leave it out to take every numeric column');
    END IF;
    FOREACH named IN ARRAY features LOOP
      IF named IS NULL OR NOT columns ? named THEN
        PERFORM sqlrp_refuse(format('%s %s is not a column of %s: name one of its columns', CASE WHEN layout = 'array'
          THEN 'array column' WHEN layout = 'wide' THEN 'feature' WHEN named = feature THEN 'feature column'
          ELSE 'value column' END, quote_nullable(named), shown), 'undefined_column');
      ELSIF named = ANY (kept) THEN
        PERFORM sqlrp_refuse(format('column %L cannot be both %s and a feature: name it once', named,
          CASE WHEN named = key THEN 'key' ELSE 'keep' END));
      ELSIF (SELECT count(*) FROM unnest(features) u WHERE u = named) > 1 THEN
        PERFORM sqlrp_refuse(format(CASE layout WHEN 'wide' THEN 'features names the column %L twice: name it once'
          ELSE 'column %L cannot be two columns of the source: name it once' END, named));
      ELSIF layout = 'wide' AND (columns #>> ARRAY[named, 'kind'] IS NULL OR CAST(columns #>> ARRAY[named, 'is_array'] AS boolean))
      THEN
        PERFORM sqlrp_refuse(format('feature %L of %s is %s, not a number: cast it, keep it, or leave it out', named, shown,
          columns #>> ARRAY[named, 'type']), 'datatype_mismatch');
      END IF;
      frame := frame || (columns -> named);
    END LOOP;
  END IF;
  IF layout = 'wide' THEN
    n := cardinality(frame);
  ELSIF layout = 'array' THEN
    named := frame[1] ->> 'name';
    IF frame[1] ->> 'kind' IS NULL OR NOT CAST(frame[1] ->> 'is_array' AS boolean) THEN
      PERFORM sqlrp_refuse(format('column %L of %s is %s, not an array of numbers: leave array_column out for plain columns, '
        'or cast it to double precision[]', named, shown, frame[1] ->> 'type'), 'datatype_mismatch');
    END IF;
    element := format(CASE WHEN CAST(frame[1] ->> 'is_vector' AS boolean) THEN 'CAST(%s AS real[])' ELSE '%s' END, frame[1] ->> 'quoted');
    IF n <> CAST(frame[1] ->> 'size' AS bigint) THEN
      PERFORM sqlrp_refuse(format('n_features = %s, but column %L of %s has %s elements: use n_features = %4$s, or leave it out', n, named, shown,
        frame[1] ->> 'size'));
    END IF;
    n := coalesce(CAST(frame[1] ->> 'size' AS bigint), n);
    IF n IS NULL THEN
      EXECUTE format('SELECT cardinality(%s) FROM %s WHERE %s IS NOT NULL LIMIT 1', element, relation, frame[1] ->> 'quoted') INTO n;
    END IF;
    IF n IS NULL OR n = 0 THEN
      PERFORM sqlrp_refuse(format(CASE WHEN n = 0 THEN 'the lists in %L of %s are empty: a projection needs at least one feature'
        ELSE 'the length of the lists in %L of %s cannot be told from here: pass n_features => n' END, named, shown));
    END IF;
  ELSE
    IF key IS NULL THEN
      PERFORM sqlrp_refuse('key = NULL does not name the rows of a long source: name its key column');
    ELSIF cardinality(keep) > 0 THEN
      PERFORM sqlrp_refuse(format('keep = %s does not hold for long rows, as a row is spread over many: join the result by its key',
        o ->> 'keep'));
    ELSIF NOT coalesce(frame[1] ->> 'kind' = 'int' AND NOT CAST(frame[1] ->> 'is_array' AS boolean),
      CAST(frame[1] ->> 'is_text' AS boolean)) THEN
      PERFORM sqlrp_refuse(format('feature column %L of %s is %s: it must hold positions (integers from 0) or names (text)',
        feature, shown, frame[1] ->> 'type'), 'datatype_mismatch');
    ELSIF frame[2] ->> 'kind' IS NULL OR CAST(frame[2] ->> 'is_array' AS boolean) THEN
      PERFORM sqlrp_refuse(format('value column %L of %s is %s, not a number: cast it', value, shown, frame[2] ->> 'type'),
        'datatype_mismatch');
    END IF;
  END IF;

  -- the method; n is NULL if features have names and n_features is not given
  projection := sqlrp_method(method, p, n);
  IF k >= n AND (method IN ('rp_project', 'rs_project', 'fht_project', 'cw_project') OR p ->> 'degree' = '1') AND projection #>> '{stages,0,whole}' IS DISTINCT FROM 'true' THEN
    RAISE WARNING 'k = % is not below the number of features = %: % does not reduce the dimensions here; lower k',
      to_char(k, 'FM999,999,999,999'), to_char(n, 'FM999,999,999,999'), CASE
        WHEN method = 'rp_project' AND p ->> 'vectors' = 'gaussian' THEN 'GaussianProjection'
        WHEN method = 'rp_project' THEN 'SparseProjection'
        WHEN method = 'pk_project' THEN 'PolynomialKernelProjection'
        WHEN method = 'd2pk_project' THEN 'Degree2KernelProjection'
        WHEN method = 'cbp_project' THEN 'BilinearPooling'
        WHEN method = 'rmp_project' THEN 'MaclaurinPooling'
        WHEN method = 'tsp_project' THEN 'SketchPooling'
        WHEN method = 'fbp_project' THEN 'FullBilinearPooling'
        WHEN method = 'rs_project' THEN 'RandomSubspace'
        WHEN method = 'fht_project' THEN 'HadamardProjection'
        WHEN method = 'cw_project' THEN 'SparseEmbedding'
        WHEN method = 'rm_project' THEN 'RandomMaclaurin'
        WHEN method = 'ts_project' THEN 'TensorSketch'
        WHEN method = 'rff_project' THEN 'RandomFourierFeatures'
        WHEN method = 'ep_project' THEN 'ExplicitPolynomialProjection'
      END;
  END IF;
  grouped := projection ->> 'grouped';
  IF grouped AND (key IS NULL OR cardinality(keep) > 0 OR layout = 'long') THEN
    PERFORM sqlrp_refuse(format('%s sums the rows of a group: name the group''s column as group_by, keep no other, one row of '
      'features each; got key = %s, keep = %s and %s rows', CASE
        WHEN method = 'rp_project' THEN 'SparseProjection'
        WHEN method = 'pk_project' THEN 'PolynomialKernelProjection'
        WHEN method = 'd2pk_project' THEN 'Degree2KernelProjection'
        WHEN method = 'cbp_project' THEN 'BilinearPooling'
        WHEN method = 'rmp_project' THEN 'MaclaurinPooling'
        WHEN method = 'tsp_project' THEN 'SketchPooling'
        WHEN method = 'fbp_project' THEN 'FullBilinearPooling'
        WHEN method = 'rs_project' THEN 'RandomSubspace'
        WHEN method = 'fht_project' THEN 'HadamardProjection'
        WHEN method = 'cw_project' THEN 'SparseEmbedding'
        WHEN method = 'rm_project' THEN 'RandomMaclaurin'
        WHEN method = 'ts_project' THEN 'TensorSketch'
        WHEN method = 'rff_project' THEN 'RandomFourierFeatures'
        WHEN method = 'ep_project' THEN 'ExplicitPolynomialProjection'
      END, quote_nullable(key), keep, layout));
  END IF;
  factor := CASE WHEN scale THEN nullif(CAST(projection ->> 'factor' AS double precision), 1) END;
  SELECT CASE WHEN bool_or(f ->> 'kind' = 'double') THEN 'double' WHEN bool_or(f ->> 'kind' = 'decimal') THEN 'decimal' ELSE 'int' END,
    max(CAST(f ->> 'digits' AS integer)) INTO kind, digits
    FROM unnest(CASE WHEN layout = 'long' THEN frame[2:] ELSE frame END) f;
  SELECT max(CAST(f ->> 'bits' AS integer) + CAST(ceil((digits - CAST(f ->> 'digits' AS integer)) * 3.321928094887362) AS integer))
    INTO bits FROM unnest(CASE WHEN layout = 'long' THEN frame[2:] ELSE frame END) f;
  SELECT t.before, t.typed INTO summing, stages FROM sqlrp_typed(ARRAY(SELECT e FROM jsonb_array_elements(projection -> 'stages')
    WITH ORDINALITY u(e, i) ORDER BY i) || CASE WHEN grouped THEN ARRAY[CAST('{"grouped": true, "exact": true}' AS jsonb)] ELSE '{}' END, CASE WHEN CAST(projection ->> 'normalised' AS boolean) THEN 'double' ELSE kind END, bits, digits,
    n, scale) t;
  room := 1664 - cardinality(kept) - 1;
  IF lowering = 'inline' AND layout = 'long' THEN
    PERFORM sqlrp_refuse('lowering = ''inline'' does not hold here: long rows are joined with the signs, which is the relational '
      'lowering; use lowering = ''auto''', 'feature_not_supported');
  END IF;
  lowering := CASE WHEN layout = 'long' THEN 'relational' WHEN lowering <> 'auto' THEN lowering
    WHEN (SELECT sum(CAST(e ->> 'terms' AS double precision)) FROM unnest(stages) e) > 1000000 OR (SELECT reltuples FROM pg_class WHERE oid = source) BETWEEN 1 AND 30 THEN 'relational' ELSE 'inline' END;
  IF output = 'columns' AND k + cardinality(kept) > 1664 THEN
    PERFORM sqlrp_refuse(format('k = %s makes %s columns with key and keep, more than the 1664 of a result of postgresql: '
      'use output = ''long'' or ''array''', k, k + cardinality(kept)), 'program_limit_exceeded');
  END IF;

  -- the text: the features as they are read, and whether a row has no NULL
  bound := CASE WHEN layout = 'wide' THEN to_jsonb(ARRAY(SELECT f ->> 'name' FROM unnest(frame) WITH ORDINALITY u(f, i) ORDER BY i))
    ELSE to_jsonb(n) END;
  relation := coalesce(o ->> 'place', relation);
  IF layout = 'array' THEN
    -- x[:] reads a stored array once and numbers its elements from 1. Each x[j] of a stored array would read all of it.
    element := format('(%s)[:]', element);
  END IF;
  IF nulls <> 'zero' THEN
    guard := CASE layout WHEN 'array' THEN 'x IS NOT NULL AND array_position(x, NULL) IS NULL'
      WHEN 'wide' THEN (SELECT sqlrp_tree(array_agg(format('%s IS NOT NULL', f ->> 'quoted') ORDER BY i), ' AND ') FROM unnest(frame) WITH ORDINALITY u(f, i)
        WHERE CAST(f ->> 'nullable' AS boolean))
      ELSE CASE WHEN CAST(frame[2] ->> 'nullable' AS boolean) THEN 'counted = present' END END;
  END IF;
  unit := CASE WHEN factor IS NOT NULL THEN sqlrp_literal(factor, 'double') END;
  ok := CASE WHEN guard IS NOT NULL THEN format('CASE WHEN %s THEN %s%s END AS ok', guard, coalesce(unit, '0'), CASE WHEN nulls = 'error' THEN ' ELSE ' || sqlrp_fail(
    'sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''') ELSE '' END) END;
  SELECT coalesce(string_agg(format('%s AS c%s', columns #>> ARRAY[u, 'quoted'], i - 1), ', ' ORDER BY i), ''),
    coalesce(string_agg(format('c%s', i - 1), ', ' ORDER BY i), ''),
    coalesce(string_agg(format('c%s AS %s', i - 1, columns #>> ARRAY[u, 'quoted']), ', ' ORDER BY i), '') INTO taken, carried, named
    FROM unnest(kept) WITH ORDINALITY u(u, i);
  inputs := ARRAY(SELECT format(CASE WHEN nulls = 'zero' AND layout <> 'long' THEN 'coalesce(CAST(%s AS %s),%s)' ELSE 'CAST(%s AS %s)' END, e, summing ->> 'type',
      sqlrp_literal(0, summing ->> 'kind'))
    FROM (SELECT i, format('x[%s]', i) AS e FROM generate_series(1, n) i WHERE layout = 'array'
      UNION ALL SELECT i, CASE WHEN f ->> 'type' = 'boolean' THEN format('CAST(%s AS integer)', f ->> 'quoted') ELSE f ->> 'quoted' END
        FROM unnest(CASE layout WHEN 'long' THEN frame[2:] ELSE frame END) WITH ORDINALITY u(f, i) WHERE layout <> 'array') e ORDER BY i);
  q := jsonb_build_object('names', carried, 'own', named, 'guarded', guard IS NOT NULL, 'factor', unit, 'carried', concat_ws(', ', nullif(carried, ''),
      CASE WHEN ok IS NOT NULL THEN 'ok' END),
    'group_ok', CASE WHEN guard IS NOT NULL THEN format('CASE WHEN count(ok) = count(*) THEN %s END AS ok', coalesce(unit, '0')) END,
    'held', summing ->> 'type', 'kind', summing ->> 'kind', 'bits', summing ->> 'bits', 'number', summing ->> 'number', 'room', room, 'output', output,
    'dtype', dtype, 'vector', vector, 'k', k, 'normalised', projection -> 'normalised');
  IF layout = 'array' THEN
    IF frame[1] ->> 'size' IS NULL THEN
      relation := format('(SELECT %s FROM %s OFFSET ''0'') s', concat_ws(', ', nullif(taken, ''), element || ' AS a0'), relation);
      taken := carried;
      element := format('CASE WHEN (CASE WHEN array_ndims(a0) > 1 THEN 0 ELSE cardinality(a0) END) <> %s THEN CASE WHEN %s = 0 THEN a0 END ELSE a0 END', n,
        sqlrp_fail(format('sqlrp: a list in %L has not the %s elements of the others: pad it, or set it to NULL', frame[1] ->> 'name', n)));
    END IF;
    relation := format('(SELECT %s FROM %s OFFSET ''0'') s', concat_ws(', ', nullif(taken, ''), element || ' AS x'), relation);
    taken := carried;
  END IF;
  q := q || jsonb_build_object('read', concat_ws(', ', nullif(taken, ''), ok));
  IF lowering = 'inline' THEN
    written := sqlrp_inline(stages, q, relation, inputs);
    RETURN;
  END IF;
  written := sqlrp_relational(stages, q || jsonb_build_object('layout', layout, 'relation', relation, 'ok', ok, 'n', n,
    'table_name', (SELECT relname FROM pg_class WHERE oid = source), 'hashed', layout = 'long' AND frame[1] ->> 'kind' IS NULL, 'key', columns #>> ARRAY[key, 'quoted'],
    'feature', frame[1] ->> 'quoted', 'feature_name', frame[1] ->> 'name', 'value', frame[2] ->> 'quoted', 'x', CASE layout WHEN 'long' THEN inputs[1]
      WHEN 'array' THEN format('CAST(x AS %s[])', summing ->> 'type') ELSE format('ARRAY[%s]', array_to_string(inputs, ',')) END));
END $f$;

-- The rows of the statement, in the type that all functions return.
CREATE OR REPLACE FUNCTION sqlrp_run(statement text, key text, keep text[]) RETURNS SETOF sqlrp_projected
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED AS $f$
BEGIN
  RETURN QUERY EXECUTE format('SELECT CAST(%s AS text), %s, CAST(q.z AS double precision[]) FROM (%s OFFSET ''0'') q',
    CASE WHEN key IS NULL THEN 'NULL' ELSE format('q.%I', key) END, CASE WHEN cardinality(keep) > 0 THEN
      format('(SELECT to_jsonb(s) FROM (SELECT %s) s)', (SELECT string_agg(format('q.%I', u), ', ') FROM unnest(keep) u))
    ELSE 'CAST(NULL AS jsonb)' END, statement);
END $f$;

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
  SELECT (SELECT CASE WHEN pg_catalog.has_any_column_privilege(CAST('public' AS name), c.oid, 'INSERT, UPDATE') THEN 'PUBLIC' ELSE
    pg_catalog.string_agg(pg_catalog.quote_ident(r.rolname), ', ' ORDER BY r.rolname) END
    FROM pg_catalog.pg_roles r WHERE (r.rolcanlogin OR r.oid >= CAST(16384 AS oid))
    AND NOT (pg_catalog.pg_has_role(r.oid, owner, 'MEMBER') OR pg_catalog.pg_has_role(r.oid, me, 'MEMBER'))
    AND (pg_catalog.has_any_column_privilege(r.oid, c.oid, 'INSERT, UPDATE') OR pg_catalog.pg_has_role(r.oid, c.relowner, 'MEMBER')
    OR EXISTS (SELECT 1 FROM pg_catalog.pg_roles g WHERE g.oid < CAST(16384 AS oid) AND NOT g.rolcanlogin
    AND pg_catalog.has_any_column_privilege(g.oid, c.oid, 'INSERT, UPDATE') AND pg_catalog.pg_has_role(r.oid, g.oid, 'MEMBER'))))
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
    ('rp_project', 'sign', 'SparseProjection', CAST('"sqrt"' AS jsonb), CAST('{k,s,seed}' AS text[]), CAST('{}' AS text[])),
    ('rp_project', 'gaussian', 'GaussianProjection', CAST(NULL AS jsonb), CAST('{k,seed}' AS text[]), CAST('{}' AS text[])),
    ('pk_project', NULL, 'PolynomialKernelProjection', CAST('"sqrt"' AS jsonb), CAST('{k,s,seed,degree,p,t,c,minimise_repetition,vectors}' AS text[]), CAST('{c}' AS text[])),
    ('d2pk_project', NULL, 'Degree2KernelProjection', CAST('3' AS jsonb), CAST('{k,s,seed,m,modified}' AS text[]), CAST('{}' AS text[])),
    ('cbp_project', NULL, 'BilinearPooling', CAST('"sqrt"' AS jsonb), CAST('{k,s,seed,p,t,normalise,split}' AS text[]), CAST('{}' AS text[])),
    ('rmp_project', NULL, 'MaclaurinPooling', CAST(NULL AS jsonb), CAST('{k,seed,normalise,split}' AS text[]), CAST('{}' AS text[])),
    ('tsp_project', NULL, 'SketchPooling', CAST(NULL AS jsonb), CAST('{k,seed,normalise,split}' AS text[]), CAST('{}' AS text[])),
    ('fbp_project', NULL, 'FullBilinearPooling', CAST(NULL AS jsonb), CAST('{k,normalise,split}' AS text[]), CAST('{}' AS text[])),
    ('rs_project', NULL, 'RandomSubspace', CAST(NULL AS jsonb), CAST('{k,seed,densify,stratified}' AS text[]), CAST('{}' AS text[])),
    ('fht_project', NULL, 'HadamardProjection', CAST(NULL AS jsonb), CAST('{k,seed,padding,replacement}' AS text[]), CAST('{}' AS text[])),
    ('cw_project', NULL, 'SparseEmbedding', CAST(NULL AS jsonb), CAST('{k,seed,nnz_per_feature,buckets}' AS text[]), CAST('{}' AS text[])),
    ('rm_project', NULL, 'RandomMaclaurin', CAST(NULL AS jsonb), CAST('{k,seed,degree}' AS text[]), CAST('{}' AS text[])),
    ('ts_project', NULL, 'TensorSketch', CAST(NULL AS jsonb), CAST('{k,seed,degree}' AS text[]), CAST('{}' AS text[])),
    ('rff_project', NULL, 'RandomFourierFeatures', CAST(NULL AS jsonb), CAST('{k,seed,gamma}' AS text[]), CAST('{gamma}' AS text[])),
    ('ep_project', NULL, 'ExplicitPolynomialProjection', CAST('"sqrt"' AS jsonb), CAST('{k,s,seed,degree,vectors}' AS text[]), CAST('{}' AS text[]))) v(function, vectors, class, s, parameters, floats)
  CROSS JOIN LATERAL (
    SELECT 'projection' AS name, sqlrp_json_text(v.class) AS written
    UNION ALL SELECT 'bound_to', CASE jsonb_typeof(bound) WHEN 'array' THEN sqlrp_json_texts(bound) ELSE CAST(bound AS text) END WHERE bound IS NOT NULL
    UNION ALL SELECT q.name, CASE WHEN jsonb_typeof(q.given) = 'string' THEN sqlrp_json_text(q.given #>> '{}')
        WHEN jsonb_typeof(q.given) = 'number' AND (q.name = ANY (v.floats) OR (q.name = 's' AND mod(CAST(q.given AS numeric), 1) <> 0))
          THEN (SELECT regexp_replace(CASE WHEN abs(number) >= 1e15 AND abs(number) < 1e16
      THEN CAST(CAST(CAST(number AS text) AS numeric) AS text) ELSE CAST(number AS text) END, '^(-?\d+)$', '\1.0') FROM (SELECT CAST(q.given AS double precision) AS number) n)
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
  SELECT concat(u.why, ': ', u.remedy) INTO unsafe FROM (SELECT coalesce(w.why, 'may be written by ' || w.others || ', who could use your rights by it'), CASE WHEN w.why IS NULL THEN 'REVOKE INSERT, UPDATE ON ' || sqlrp_schema() || '.sqlrp_catalogue' || ', and roles such as pg_write_all_data, FROM ' || w.others || ', or, if you trust them, SET sqlrp.trust_schema = on' ELSE 'drop it, or use a schema of your own' END FROM (SELECT CASE WHEN c.relkind <> 'r' THEN 'is no plain table' WHEN NOT (pg_catalog.pg_has_role(c.relowner, current_user, 'MEMBER') OR pg_catalog.pg_has_role(c.relowner, n.nspowner, 'MEMBER')) THEN 'belongs to another role' WHEN c.relrowsecurity THEN 'has row security' WHEN EXISTS (SELECT 1 FROM pg_catalog.pg_trigger t WHERE t.tgrelid = c.oid AND NOT t.tgisinternal) THEN 'has a trigger' WHEN EXISTS (SELECT 1 FROM pg_catalog.pg_rewrite r WHERE r.ev_class = c.oid) THEN 'has a rule' WHEN EXISTS (SELECT 1 FROM pg_catalog.pg_attrdef d WHERE d.adrelid = c.oid) THEN 'has a default or a generated column' WHEN EXISTS (SELECT 1 FROM pg_catalog.pg_inherits i WHERE i.inhrelid = c.oid OR i.inhparent = c.oid) THEN 'has a parent or child table' WHEN EXISTS (SELECT 1 FROM pg_catalog.pg_constraint k WHERE k.conrelid = c.oid AND k.contype = 'c') THEN 'has a check constraint' WHEN EXISTS (SELECT 1 FROM pg_catalog.pg_index x WHERE x.indrelid = c.oid AND (x.indexprs IS NOT NULL OR x.indpred IS NOT NULL)) THEN 'has an index of an expression' WHEN EXISTS (SELECT 1 FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type y ON y.oid = a.atttypid WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND NOT (y.typname IN ('text', 'varchar') AND y.oid < CAST(16384 AS oid))) THEN 'has a column that is no text' END AS why, CASE WHEN NOT coalesce(pg_catalog.current_setting('sqlrp.trust_schema', true), '') = 'on' THEN (SELECT CASE WHEN pg_catalog.has_any_column_privilege(CAST('public' AS name), c.oid, 'INSERT, UPDATE') THEN 'PUBLIC' ELSE
    pg_catalog.string_agg(pg_catalog.quote_ident(r.rolname), ', ' ORDER BY r.rolname) END
    FROM pg_catalog.pg_roles r WHERE (r.rolcanlogin OR r.oid >= CAST(16384 AS oid))
    AND NOT (pg_catalog.pg_has_role(r.oid, current_user, 'MEMBER') OR pg_catalog.pg_has_role(r.oid, n.nspowner, 'MEMBER'))
    AND (pg_catalog.has_any_column_privilege(r.oid, c.oid, 'INSERT, UPDATE') OR pg_catalog.pg_has_role(r.oid, c.relowner, 'MEMBER')
    OR EXISTS (SELECT 1 FROM pg_catalog.pg_roles g WHERE g.oid < CAST(16384 AS oid) AND NOT g.rolcanlogin
    AND pg_catalog.has_any_column_privilege(g.oid, c.oid, 'INSERT, UPDATE') AND pg_catalog.pg_has_role(r.oid, g.oid, 'MEMBER')))) END AS others FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = pg_catalog.to_regclass(sqlrp_schema() || '.sqlrp_catalogue')) w WHERE coalesce(w.why, w.others) IS NOT NULL) u(why, remedy);
  IF unsafe IS NOT NULL THEN
    PERFORM sqlrp_refuse(concat(catalogue, ' ', unsafe), 'insufficient_privilege');
  END IF;
  IF (SELECT count(*) FILTER (WHERE c.name = '1') <> 1 OR count(*) <> 1 FROM ONLY sqlrp_catalogue c WHERE c.kind = 'format') THEN
    PERFORM sqlrp_refuse(format('%s is not of format 1, which this release writes: sqlrp.check in Python says what to do', catalogue),
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
  INSERT INTO sqlrp_catalogue AS c (kind, name, definition, fingerprint, version) VALUES ('projection', called, said, print, '0.1.0'),
    ('text', called, format('{"text": %s, "place": %s, "key": %s, "keep": %s, "digest": "%s"}', sqlrp_json_text(text_of.written), sqlrp_json_text(place),
      coalesce(sqlrp_json_text(o ->> 'key'), 'null'), sqlrp_json_texts(o -> 'keep'), sqlrp_digest(text_of.written)), print, '0.1.0')
    ON CONFLICT (kind, name) DO UPDATE SET definition = excluded.definition, fingerprint = excluded.fingerprint, version = excluded.version;
  RETURN said;
END $f$;

-- One vector: the components of an array, with the signs of the rows. The statement is that of a table, whose place the array takes.
CREATE OR REPLACE FUNCTION sqlrp_project_vector(method text, vector double precision[], p jsonb, n_features bigint, scale boolean)
RETURNS double precision[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $f$
DECLARE
  place regclass := to_regclass(sqlrp_schema() || '.sqlrp_projected');  -- a type with an array named z
  z double precision[];
BEGIN
  IF n_features < 1 THEN
    PERFORM sqlrp_refuse(format('n_features = %s must be a whole number >= 1', n_features));
  ELSIF cardinality(vector) <> n_features THEN
    PERFORM sqlrp_refuse(format('vector has %s numbers, and n_features = %s: pass one number for each feature, in their order',
      cardinality(vector), n_features));
  END IF;
  IF vector IS NOT NULL THEN
    EXECUTE replace((sqlrp_write(method, place, p, jsonb_build_object('key', NULL, 'array_column', 'z', 'n_features', cardinality(vector),
        'scale', scale, 'nulls', 'propagate', 'lowering', 'relational', 'output', 'array'))).written,
      sqlrp_relation(place), '(SELECT $1 AS z) sqlrp_given') INTO z USING vector;
  END IF;
  RETURN z;
END $f$;

-- -- the methods, and how well they keep distances ---------------------------------------------------------------------

CREATE OR REPLACE FUNCTION sqlrp_methods() RETURNS TABLE (function text, class text, use_it_for text, parameters text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $f$
  VALUES
    ('rp_project', 'SparseProjection', 'distances and neighbours of any rows; begin with it', 'k = 64, s = ''sqrt'', seed = 0, vectors = ''sign'''),
    ('pk_project', 'PolynomialKernelProjection', 'products of columns, for a linear model on top', 'k = 64, s = ''sqrt'', seed = 0, degree = 2, p = NULL, t = 4, c = 0.0, minimise_repetition = true, vectors = ''sign'''),
    ('d2pk_project', 'Degree2KernelProjection', 'products of two columns, where inner products matter', 'k = 64, s = 3, seed = 0, m = 2, modified = false'),
    ('cbp_project', 'BilinearPooling', 'an image from its local descriptors', 'k = 64, s = ''sqrt'', seed = 0, p = NULL, t = 4, normalise = true, split = NULL, group_by = NULL'),
    ('rmp_project', 'MaclaurinPooling', 'an image from its descriptors; the simplest baseline', 'k = 64, normalise = true, split = NULL, group_by = NULL, seed = 0'),
    ('tsp_project', 'SketchPooling', 'an image from its descriptors, by few additions', 'k = 64, normalise = true, split = NULL, group_by = NULL, seed = 0'),
    ('fbp_project', 'FullBilinearPooling', 'an image from few descriptors, exactly', 'k = 64, normalise = true, split = NULL, group_by = NULL'),
    ('rs_project', 'RandomSubspace', 'columns drawn as they are: the fastest, for dense rows such as pixels', 'k = 64, densify = NULL, seed = 0, stratified = false'),
    ('fht_project', 'HadamardProjection', 'embeddings, their bits, and rotations without loss', 'k = 64, seed = 0, padding = ''power_of_two'', replacement = false'),
    ('cw_project', 'SparseEmbedding', 'word counts and other sparse rows: 4 additions per number that is not 0', 'k = 64, nnz_per_feature = 4, seed = 0, buckets = 1'),
    ('rm_project', 'RandomMaclaurin', 'polynomial kernels; the baseline that shares no sums', 'k = 64, degree = 2, seed = 0'),
    ('ts_project', 'TensorSketch', 'polynomial kernels of many features, by few additions', 'k = 64, degree = 2, seed = 0'),
    ('rff_project', 'RandomFourierFeatures', 'the Gaussian kernel, for a linear model on top', 'k = 64, gamma = 1.0, seed = 0'),
    ('ep_project', 'ExplicitPolynomialProjection', 'polynomial kernels of few features, through all products', 'k = 64, s = ''sqrt'', seed = 0, degree = 2, vectors = ''sign''')
$f$;

-- How well components keep the distances of vectors, given as arrays of arrays, as array_agg makes them: the mean of
-- |z - z'|^2 / |x - x'|^2 - 1 without its sign over all pairs, and the share of the ten nearest rows that stay among the ten nearest.
CREATE OR REPLACE FUNCTION sqlrp_quality(vectors double precision[], components double precision[]) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 100000 AS $f$
DECLARE
  n integer := coalesce(array_length(vectors, 1), 0);
BEGIN
  IF array_ndims(vectors) IS DISTINCT FROM 2 OR array_ndims(components) IS DISTINCT FROM 2 OR n IS DISTINCT FROM array_length(components, 1)
    OR EXISTS (SELECT FROM unnest(vectors) e WHERE e IS NULL) OR EXISTS (SELECT FROM unnest(components) e WHERE e IS NULL) THEN
    RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE =
      'vectors and components must be arrays of as many arrays, each without NULL: pass array_agg(x) and array_agg(z) of the same rows';
  ELSIF n NOT BETWEEN 11 AND 2000 THEN
    RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE =
      format('%s rows are not from 11 to 2,000, as all pairs are compared: take them from a subquery with LIMIT 200', n);
  END IF;
  RETURN (WITH r AS MATERIALIZED (
    SELECT i, ARRAY(SELECT unnest(vectors[i:i])) AS x, ARRAY(SELECT unnest(components[i:i])) AS z FROM generate_series(1, n) i
  ), half AS MATERIALIZED (
    SELECT a.i, b.i AS j, (SELECT sum((u.p - u.q) * (u.p - u.q)) FROM unnest(a.x, b.x) u(p, q)) AS x,
      (SELECT sum((u.p - u.q) * (u.p - u.q)) FROM unnest(a.z, b.z) u(p, q)) AS z FROM r a JOIN r b ON a.i < b.i
  ), ranks AS (
    SELECT row_number() OVER (PARTITION BY i ORDER BY x ASC, j ASC) AS x, row_number() OVER (PARTITION BY i ORDER BY z ASC, j ASC) AS z
    FROM (SELECT i, j, x, z FROM half UNION ALL SELECT j, i, x, z FROM half) pairs
  )
  SELECT jsonb_build_object('rows', n, 'mean_distortion', (SELECT avg(abs(z / x - 1)) FROM half WHERE x > 0),
    'recall_of_10', (SELECT CAST(count(*) FILTER (WHERE z <= 10) AS double precision) / count(*) FROM ranks WHERE x <= 10)));
END $f$;

-- -- the functions -----------------------------------------------------------------------------------------------------

-- The stages of a method with the parameters p. Whole numbers below 1, tables that are too large, and flags that are NULL, are refused here.
CREATE OR REPLACE FUNCTION sqlrp_method(method text, p jsonb, n bigint) RETURNS jsonb
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $f$
BEGIN
  PERFORM sqlrp_sized(p);
  RETURN CASE method
    WHEN 'rp_project' THEN sqlrp_rp_stages(sqlrp_whole('k', CAST(p ->> 'k' AS bigint), 1), coalesce(nullif(p -> 's', 'null'), '"sqrt"'), CAST(p ->> 'seed' AS bigint), sqlrp_one_of('vectors', CAST(p ->> 'vectors' AS text), '{sign,gaussian}'), n)
    WHEN 'pk_project' THEN sqlrp_pk_stages(sqlrp_whole('k', CAST(p ->> 'k' AS bigint), 1), coalesce(nullif(p -> 's', 'null'), '"sqrt"'), CAST(p ->> 'seed' AS bigint), sqlrp_whole('degree', CAST(p ->> 'degree' AS bigint), 1), CASE WHEN p ->> 'p' IS NOT NULL THEN sqlrp_whole('p', CAST(p ->> 'p' AS bigint), 1) END, sqlrp_whole('t', CAST(p ->> 't' AS bigint), 1), CAST(p ->> 'c' AS double precision), sqlrp_flag('minimise_repetition', CAST(p ->> 'minimise_repetition' AS boolean)), sqlrp_one_of('vectors', CAST(p ->> 'vectors' AS text), '{sign,gaussian}'), n)
    WHEN 'd2pk_project' THEN sqlrp_d2pk_stages(sqlrp_whole('k', CAST(p ->> 'k' AS bigint), 1), coalesce(nullif(p -> 's', 'null'), '3'), CAST(p ->> 'seed' AS bigint), sqlrp_whole('m', CAST(p ->> 'm' AS bigint), 1), sqlrp_flag('modified', CAST(p ->> 'modified' AS boolean)), n)
    WHEN 'cbp_project' THEN sqlrp_cbp_stages(sqlrp_whole('k', CAST(p ->> 'k' AS bigint), 1), coalesce(nullif(p -> 's', 'null'), '"sqrt"'), CAST(p ->> 'seed' AS bigint), CASE WHEN p ->> 'p' IS NOT NULL THEN sqlrp_whole('p', CAST(p ->> 'p' AS bigint), 1) END, sqlrp_whole('t', CAST(p ->> 't' AS bigint), 1), sqlrp_flag('normalise', CAST(p ->> 'normalise' AS boolean)), CASE WHEN p ->> 'split' IS NOT NULL THEN sqlrp_whole('split', CAST(p ->> 'split' AS bigint), 1) END, CAST(p ->> 'group_by' AS text), n)
    WHEN 'rmp_project' THEN sqlrp_rmp_stages(sqlrp_whole('k', CAST(p ->> 'k' AS bigint), 1), sqlrp_flag('normalise', CAST(p ->> 'normalise' AS boolean)), CASE WHEN p ->> 'split' IS NOT NULL THEN sqlrp_whole('split', CAST(p ->> 'split' AS bigint), 1) END, CAST(p ->> 'group_by' AS text), CAST(p ->> 'seed' AS bigint), n)
    WHEN 'tsp_project' THEN sqlrp_tsp_stages(sqlrp_whole('k', CAST(p ->> 'k' AS bigint), 1), sqlrp_flag('normalise', CAST(p ->> 'normalise' AS boolean)), CASE WHEN p ->> 'split' IS NOT NULL THEN sqlrp_whole('split', CAST(p ->> 'split' AS bigint), 1) END, CAST(p ->> 'group_by' AS text), CAST(p ->> 'seed' AS bigint), n)
    WHEN 'fbp_project' THEN sqlrp_fbp_stages(sqlrp_whole('k', CAST(p ->> 'k' AS bigint), 1), sqlrp_flag('normalise', CAST(p ->> 'normalise' AS boolean)), CASE WHEN p ->> 'split' IS NOT NULL THEN sqlrp_whole('split', CAST(p ->> 'split' AS bigint), 1) END, CAST(p ->> 'group_by' AS text), n)
    WHEN 'rs_project' THEN sqlrp_rs_stages(sqlrp_whole('k', CAST(p ->> 'k' AS bigint), 1), CAST(p ->> 'densify' AS text), CAST(p ->> 'seed' AS bigint), sqlrp_flag('stratified', CAST(p ->> 'stratified' AS boolean)), n)
    WHEN 'fht_project' THEN sqlrp_fht_stages(sqlrp_whole('k', CAST(p ->> 'k' AS bigint), 1), CAST(p ->> 'seed' AS bigint), sqlrp_one_of('padding', CAST(p ->> 'padding' AS text), '{power_of_two,least}'), sqlrp_flag('replacement', CAST(p ->> 'replacement' AS boolean)), n)
    WHEN 'cw_project' THEN sqlrp_cw_stages(sqlrp_whole('k', CAST(p ->> 'k' AS bigint), 1), sqlrp_whole('nnz_per_feature', CAST(p ->> 'nnz_per_feature' AS bigint), 1), CAST(p ->> 'seed' AS bigint), sqlrp_whole('buckets', CAST(p ->> 'buckets' AS bigint), 1), n)
    WHEN 'rm_project' THEN sqlrp_rm_stages(sqlrp_whole('k', CAST(p ->> 'k' AS bigint), 1), sqlrp_whole('degree', CAST(p ->> 'degree' AS bigint), 1), CAST(p ->> 'seed' AS bigint), n)
    WHEN 'ts_project' THEN sqlrp_ts_stages(sqlrp_whole('k', CAST(p ->> 'k' AS bigint), 1), sqlrp_whole('degree', CAST(p ->> 'degree' AS bigint), 1), CAST(p ->> 'seed' AS bigint), n)
    WHEN 'rff_project' THEN sqlrp_rff_stages(sqlrp_whole('k', CAST(p ->> 'k' AS bigint), 1), CAST(p ->> 'gamma' AS double precision), CAST(p ->> 'seed' AS bigint), n)
    WHEN 'ep_project' THEN sqlrp_ep_stages(sqlrp_whole('k', CAST(p ->> 'k' AS bigint), 1), coalesce(nullif(p -> 's', 'null'), '"sqrt"'), CAST(p ->> 'seed' AS bigint), sqlrp_whole('degree', CAST(p ->> 'degree' AS bigint), 1), sqlrp_one_of('vectors', CAST(p ->> 'vectors' AS text), '{sign,gaussian}'), n)
  END;
END $f$;

-- One function for each method, its twin that returns the text, one that saves it, and one of one vector. A method with s has a second pair, for s => 'sqrt'.
-- An s that is NULL stands for the method's default.
DO $do$
DECLARE
  method record;
  given record;
  signature regprocedure;
  common text := 'key text DEFAULT ''id'', keep text[] DEFAULT ''{}'', features text[] DEFAULT NULL, array_column text DEFAULT NULL, '
    'feature text DEFAULT NULL, value text DEFAULT NULL, n_features bigint DEFAULT NULL';
  options text := 'scale boolean DEFAULT true, nulls text DEFAULT ''propagate'', lowering text DEFAULT ''auto''';
  written text;
  arguments text;
  names text[];  -- of the function, its twin, the function that saves, and the function of one vector
  -- The functions for callers, which word every error for them. An error handler is a subtransaction, which PostgreSQL before 17
  -- refuses while parallel workers run. So these functions are not parallel safe; the statement that they run may be parallel.
  outermost text := $t$CREATE OR REPLACE FUNCTION %I(%s) RETURNS %s LANGUAGE plpgsql %s PARALLEL UNSAFE AS $f$
DECLARE
  words text;
  code text;
  detail text;
  hint text;
BEGIN
  %s;
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS words = MESSAGE_TEXT, code = RETURNED_SQLSTATE, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
  SELECT s.words, s.code, s.detail INTO words, code, detail FROM sqlrp_said(words, code, detail, hint) s;
  IF detail = '' THEN
    RAISE EXCEPTION USING MESSAGE = words, ERRCODE = code;
  END IF;
  RAISE EXCEPTION USING MESSAGE = words, ERRCODE = code, DETAIL = detail;
END $f$ $t$;
  others text := '''key'', key, ''keep'', to_jsonb(keep), ''features'', to_jsonb(features), ''array_column'', array_column, '
    '''feature'', feature, ''value'', value, ''n_features'', n_features';
  stated text := '''scale'', scale, ''nulls'', nulls, ''lowering'', lowering';
  saved text := '''scale'', true, ''nulls'', ''propagate'', ''lowering'', ''auto''';
BEGIN
  FOR method IN SELECT * FROM (VALUES
    ('rp_project', 'SparseProjection', 's double precision DEFAULT NULL', 'seed bigint DEFAULT 0, vectors text DEFAULT ''sign''', 'key',
      'sqlrp 0.1.0, SparseProjection. k: components of the result; s: one sign in s is not zero: a number from 1, or sqrt for the square root of the number of features; seed: which table is drawn; the same for rows that are to be compared; vectors: what weighs the sums: sign or gaussian'),
    ('pk_project', 'PolynomialKernelProjection', 's double precision DEFAULT NULL', 'seed bigint DEFAULT 0, degree bigint DEFAULT 2, p bigint DEFAULT NULL, t bigint DEFAULT 4, c double precision DEFAULT 0.0, minimise_repetition boolean DEFAULT true, vectors text DEFAULT ''sign''', 'key',
      'sqlrp 0.1.0, PolynomialKernelProjection. k: components of the result; s: one sign in s is not zero: a number from 1, or sqrt for the square root of the number of features; seed: which table is drawn; the same for rows that are to be compared; degree: of the polynomial kernel; p: signed sums that all products share; without it 2k; t: products summed for a component; c: the kernel is (<x, y> + c)^degree; minimise_repetition: use every signed sum equally often; vectors: what weighs the sums: sign or gaussian'),
    ('d2pk_project', 'Degree2KernelProjection', 's double precision DEFAULT 3', 'seed bigint DEFAULT 0, m bigint DEFAULT 2, modified boolean DEFAULT false', 'key',
      'sqlrp 0.1.0, Degree2KernelProjection. k: components of the result; s: one sign in s is not zero: a number from 1, or sqrt for the square root of the number of features; seed: which table is drawn; the same for rows that are to be compared; m: signed squares summed for a component: 1, or even; modified: take the squares out of the kernel, for few features'),
    ('cbp_project', 'BilinearPooling', 's double precision DEFAULT NULL', 'seed bigint DEFAULT 0, p bigint DEFAULT NULL, t bigint DEFAULT 4, normalise boolean DEFAULT true, split bigint DEFAULT NULL, group_by text DEFAULT NULL', 'coalesce(group_by, key)',
      'sqlrp 0.1.0, BilinearPooling. k: components of the result; s: one sign in s is not zero: a number from 1, or sqrt for the square root of the number of features; seed: which table is drawn; the same for rows that are to be compared; p: signed sums that all products share; without it 2k; t: products summed for a component; normalise: signed root and Euclidean norm 1 at the end; split: features of the first of two descriptors in a row; without it there is one; group_by: the column that names the group of a row, as key does'),
    ('rmp_project', 'MaclaurinPooling', NULL, 'normalise boolean DEFAULT true, split bigint DEFAULT NULL, group_by text DEFAULT NULL, seed bigint DEFAULT 0', 'coalesce(group_by, key)',
      'sqlrp 0.1.0, MaclaurinPooling. k: components of the result; normalise: signed root and Euclidean norm 1 at the end; split: features of the first of two descriptors in a row; without it there is one; group_by: the column that names the group of a row, as key does; seed: which table is drawn; the same for rows that are to be compared'),
    ('tsp_project', 'SketchPooling', NULL, 'normalise boolean DEFAULT true, split bigint DEFAULT NULL, group_by text DEFAULT NULL, seed bigint DEFAULT 0', 'coalesce(group_by, key)',
      'sqlrp 0.1.0, SketchPooling. k: components of the result; normalise: signed root and Euclidean norm 1 at the end; split: features of the first of two descriptors in a row; without it there is one; group_by: the column that names the group of a row, as key does; seed: which table is drawn; the same for rows that are to be compared'),
    ('fbp_project', 'FullBilinearPooling', NULL, 'normalise boolean DEFAULT true, split bigint DEFAULT NULL, group_by text DEFAULT NULL', 'coalesce(group_by, key)',
      'sqlrp 0.1.0, FullBilinearPooling. k: components of the result; normalise: signed root and Euclidean norm 1 at the end; split: features of the first of two descriptors in a row; without it there is one; group_by: the column that names the group of a row, as key does'),
    ('rs_project', 'RandomSubspace', NULL, 'densify text DEFAULT NULL, seed bigint DEFAULT 0, stratified boolean DEFAULT false', 'key',
      'sqlrp 0.1.0, RandomSubspace. k: components of the result; densify: householder reflects the rows first, for rows with few non-zeros; seed: which table is drawn; the same for rows that are to be compared; stratified: picks one feature from each of k equal parts of the list'),
    ('fht_project', 'HadamardProjection', NULL, 'seed bigint DEFAULT 0, padding text DEFAULT ''power_of_two'', replacement boolean DEFAULT false', 'key',
      'sqlrp 0.1.0, HadamardProjection. k: components of the result; seed: which table is drawn; the same for rows that are to be compared; padding: the length that rows are padded to: power_of_two, or least, which is a power of two times 1, 12, 20, 28, 36; replacement: draw the entries with replacement; without it, k = the padded length loses nothing'),
    ('cw_project', 'SparseEmbedding', NULL, 'nnz_per_feature bigint DEFAULT 4, seed bigint DEFAULT 0, buckets bigint DEFAULT 1', 'key',
      'sqlrp 0.1.0, SparseEmbedding. k: components of the result; nnz_per_feature: sums that a feature goes into; divides k; seed: which table is drawn; the same for rows that are to be compared; buckets: parts that the features are hashed to, each with sums of its own'),
    ('rm_project', 'RandomMaclaurin', NULL, 'degree bigint DEFAULT 2, seed bigint DEFAULT 0', 'key',
      'sqlrp 0.1.0, RandomMaclaurin. k: components of the result; degree: of the polynomial kernel; seed: which table is drawn; the same for rows that are to be compared'),
    ('ts_project', 'TensorSketch', NULL, 'degree bigint DEFAULT 2, seed bigint DEFAULT 0', 'key',
      'sqlrp 0.1.0, TensorSketch. k: components of the result; degree: of the polynomial kernel; seed: which table is drawn; the same for rows that are to be compared'),
    ('rff_project', 'RandomFourierFeatures', NULL, 'gamma double precision DEFAULT 1.0, seed bigint DEFAULT 0', 'key',
      'sqlrp 0.1.0, RandomFourierFeatures. k: components of the result; gamma: of the kernel exp(-gamma |x - y|^2), above 0; seed: which table is drawn; the same for rows that are to be compared'),
    ('ep_project', 'ExplicitPolynomialProjection', 's double precision DEFAULT NULL', 'seed bigint DEFAULT 0, degree bigint DEFAULT 2, vectors text DEFAULT ''sign''', 'key',
      'sqlrp 0.1.0, ExplicitPolynomialProjection. k: components of the result; s: one sign in s is not zero: a number from 1, or sqrt for the square root of the number of features; seed: which table is drawn; the same for rows that are to be compared; degree: of the polynomial kernel; vectors: what weighs the sums: sign or gaussian')) v(name, class, s, own, row_key, help)
  LOOP
    names := ARRAY[method.name, method.name || '_sql', replace(method.name, '_project', '_save'), replace(method.name, '_project', '_vector')];
    -- A function of an older release that lacks a parameter would make calls ambiguous.
    FOR signature IN SELECT CAST(p.oid AS regprocedure) FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
      WHERE n.nspname = current_schema() AND p.proname = ANY (names)
      AND NOT p.proargnames @> ARRAY(SELECT m[1] FROM regexp_matches(method.own || CASE WHEN p.proname LIKE '%\_sql' THEN ', dtype '
          WHEN p.proname LIKE '%\_vector' THEN ', n_features ' ELSE '' END,
        '(?:^|, )(\w+) ', 'g') m)
    LOOP
      EXECUTE format('DROP FUNCTION %s', signature);
    END LOOP;
    FOR given IN SELECT * FROM (VALUES
      (concat_ws(', ', 'k bigint DEFAULT 64', method.s), true),
      ('s text, k bigint DEFAULT 64', method.s IS NOT NULL)) v(first, there) WHERE there
    LOOP
      arguments := (SELECT string_agg(format('%L, %I', m[1], m[1]), ', ')
        FROM regexp_matches(given.first || ', ' || method.own, '(?:^|, )(\w+) ', 'g') m);
      written := format('%L, source, jsonb_build_object(%s), jsonb_build_object(%s', method.name, arguments,
        replace(others, ', key,', ', ' || method.row_key || ','));
      EXECUTE format(outermost, names[2], format('source regclass, %s, %s, %s, %s, output text DEFAULT ''array'', dtype text DEFAULT ''auto''',
        given.first, method.own, common, options), 'text', 'STABLE', format('RETURN (sqlrp_write(%s, %s, ''output'', output, ''dtype'', dtype))).written',
        written, stated));
      EXECUTE format(outermost, names[1], format('source regclass, %s, %s, %s, %s', given.first, method.own, common, options),
        'SETOF sqlrp_projected', 'STABLE', format('RETURN QUERY SELECT * FROM sqlrp_run((sqlrp_write(%s, %s))).written, %s, keep)', written, stated,
        method.row_key));
      EXECUTE format(outermost, names[3], format('name text, source regclass, %s, %s, %s, replace boolean DEFAULT false', given.first, method.own,
        common), 'text', 'VOLATILE', format('RETURN sqlrp_save(name, %s, %s), replace)', written, saved));
      IF method.row_key = 'key' THEN  -- not of a group
        EXECUTE format($t$CREATE OR REPLACE FUNCTION %I(vector double precision[], %s, %s, n_features bigint DEFAULT NULL, scale boolean DEFAULT true)
RETURNS double precision[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 100000 AS $f$
BEGIN
  RETURN sqlrp_project_vector(%L, vector, jsonb_build_object(%s), n_features, scale);
END $f$ $t$, names[4], given.first, method.own, method.name, arguments);
      END IF;
    END LOOP;
    FOR signature IN SELECT CAST(p.oid AS regprocedure) FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
      WHERE n.nspname = current_schema() AND p.proname = ANY (names)
    LOOP
      EXECUTE format('COMMENT ON FUNCTION %s IS %L', signature, method.help);
    END LOOP;
    INSERT INTO sqlrp_catalogue (kind, name, definition, fingerprint, version)
      SELECT 'function', e, method.class, NULL, '0.1.0' FROM unnest(names) e WHERE method.row_key = 'key' OR e NOT LIKE '%\_vector'
      ON CONFLICT (kind, name) DO UPDATE SET definition = excluded.definition, version = excluded.version;
  END LOOP;
  EXECUTE format(outermost, 'project_with_sql', 'projection text, source regclass', 'text', 'STABLE',
    'RETURN sqlrp_kept_text(sqlrp_kept(projection), source)');
  EXECUTE format(outermost, 'project_with', 'projection text, source regclass', 'SETOF sqlrp_projected', 'STABLE', 'RETURN QUERY SELECT p.* FROM '
    'sqlrp_kept(projection) k CROSS JOIN sqlrp_run(sqlrp_kept_text(k, source), k ->> ''key'', ARRAY(SELECT e FROM '
    'jsonb_array_elements_text(k -> ''keep'') WITH ORDINALITY u(e, i) ORDER BY i)) p');
  COMMENT ON FUNCTION project_with_sql(text, regclass) IS 'sqlrp 0.1.0. projection: the name of a projection that sqlrp.save stored here';
  COMMENT ON FUNCTION project_with(text, regclass) IS 'sqlrp 0.1.0. projection: the name of a projection that sqlrp.save stored here';
  INSERT INTO sqlrp_catalogue (kind, name, definition, fingerprint, version) VALUES ('function', 'project_with', NULL, NULL, '0.1.0'),
    ('function', 'project_with_sql', NULL, NULL, '0.1.0') ON CONFLICT (kind, name) DO UPDATE SET version = excluded.version;
END $do$;

-- The functions have only pg_catalog on their search_path. They call each other, and read the catalogue, by the name of the
-- schema, which is written into them here. They run without jit, as compiling the text takes longer than running it, and with all
-- the digits of a number.
DO $do$
DECLARE
  place name := current_schema();
  own text := 'sqlrp_(horner|coefficients|polynomial|draw|sign_text|signs|index_table|tree|difference|literal|fail|said|'
    'refuse|whole|sized|one_of|flag|s|relation|columns|doubt|warn_left_out|type|counted|series|'
    'vectors|fourier_sums|map|products|drawn_products|block_sums|bucket_sums|split_sums|picks|'
    'sums_and_squares|products_of|across|n_monomials|all_monomials|paley|sampled_transform|convolutions|'
    'constant|pipeline|rp_stages|pk_stages|d2pk_stages|cbp_stages|rmp_stages|tsp_stages|fbp_stages|'
    'rs_stages|fht_stages|cw_stages|rm_stages|ts_stages|rff_stages|ep_stages|vector_type|typed|number|'
    'shaped_array|shaped|level|live|weights|sums|shared|letter|butterflies|inline|block|add|numbers|'
    'listed|relational|write|run|kept|kept_text|json_text|json_texts|digest|definition|save|'
    'project_vector|methods|quality|method|schema)';
  function record;
BEGIN
  PERFORM set_config('search_path', 'pg_catalog, pg_temp', true);
  EXECUTE format('CREATE OR REPLACE FUNCTION %I.sqlrp_schema() RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS %L', place,
    format('SELECT CAST(%L AS text)', quote_ident(place)));
  FOR function IN SELECT CAST(p.oid AS regprocedure) AS signature, pg_get_functiondef(p.oid) AS text
    FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname = place
    AND (p.proname ~ format('^%s$', own) OR p.proname ~ '^(rp_project|pk_project|d2pk_project|cbp_project|rmp_project|tsp_project|fbp_project|rs_project|fht_project|cw_project|rm_project|ts_project|rff_project|ep_project|rp_save|pk_save|d2pk_save|cbp_save|rmp_save|tsp_save|fbp_save|rs_save|fht_save|cw_save|rm_save|ts_save|rff_save|ep_save|rp_vector|pk_vector|d2pk_vector|rs_vector|fht_vector|cw_vector|rm_vector|ts_vector|rff_vector|ep_vector|project_with)(_sql)?$')
  LOOP
    EXECUTE regexp_replace(function.text, format('(?<![.''\w])(%s(?=\()|sqlrp_catalogue\M)', own),
      replace(quote_ident(place), '\', '\\') || '.\1', 'g');
    EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, pg_temp SET jit = off SET extra_float_digits = 1 '
      'SET standard_conforming_strings = on', function.signature);
  END LOOP;
  PERFORM set_config('search_path', quote_ident(place) || ', pg_temp', true);
END $do$;

COMMIT;
