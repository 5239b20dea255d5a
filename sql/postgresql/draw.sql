-- -- the portable draw: sqlrp/_core/draw.py says why it is good --------------------------------------------------------------

CREATE OR REPLACE FUNCTION sqlrp_horner(a bigint[], x bigint) RETURNS bigint LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $f$
DECLARE
  h bigint := 0;
BEGIN
  FOR i IN REVERSE cardinality(a) .. 1 LOOP
    h := (h * x + a[i]) % {{prime}};
  END LOOP;
  RETURN h;
END $f$;

-- The 64 coefficients A[i][j] of a seed at 8i + j + 1, for one purpose: {{purposes}}.
CREATE OR REPLACE FUNCTION sqlrp_coefficients(seed bigint, purpose integer) RETURNS bigint[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $f$
DECLARE
  -- The first 31 bits of the fractional part of the square roots of the first 32 primes: four polynomials of degree 7.
  q0 bigint[] := '{{{constants0}}}';
  q1 bigint[] := '{{{constants1}}}';
  q2 bigint[] := '{{{constants2}}}';
  q3 bigint[] := '{{{constants3}}}';
  m0 bigint := sqlrp_horner(q0, (sqlrp_horner(q0, seed % {{prime}}) + seed / {{prime}}) % {{prime}});
  m1 bigint := sqlrp_horner(q1, (sqlrp_horner(q1, seed % {{prime}}) + seed / {{prime}}) % {{prime}});
  a bigint[] := '{}';
BEGIN
  FOR n IN 64 * purpose .. 64 * purpose + 63 LOOP
    a := a || (sqlrp_horner(q2, (m0 + n) % {{prime}}) + sqlrp_horner(q3, (m1 + n) % {{prime}})) % {{prime}};
  END LOOP;
  RETURN a;
END $f$;

-- The polynomial of the draw as text, for x below a bound. Remainders are taken only where 63 bits would not suffice.
CREATE OR REPLACE FUNCTION sqlrp_polynomial(a text[], x text, below bigint) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $f$
DECLARE
  h text := a[cardinality(a)];
  largest numeric := {{prime}} - 1;
BEGIN
  FOR i IN REVERSE cardinality(a) - 1 .. 1 LOOP
    IF largest * (below - 1) + {{prime}} - 1 >= 9223372036854775808 THEN
      h := format('(%s %% {{prime}})', h);
      largest := {{prime}} - 1;
    END IF;
    h := format('(%s*%s+%s)', h, x, a[i]);
    largest := largest * (below - 1) + {{prime}} - 1;
  END LOOP;
  RETURN format('(%s %% {{prime}})', h);
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
    sqlrp_polynomial('{b0,b1,b2,b3,b4,b5,b6,b7}', 'f', {{prime}}), features);
END $f$;

-- A SELECT of the non-zero signs (c, f, sign): below P/2s the sign is +1, below P/s -1.
CREATE OR REPLACE FUNCTION sqlrp_sign_text(seed bigint, n bigint, s double precision, features text, purpose integer DEFAULT {{signs}})
RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $f$
  SELECT format('SELECT c, f, CASE WHEN h < %s THEN 1 ELSE -1 END AS sign FROM (%s) drawn WHERE h < %s',
    CAST(floor({{prime}} / (2 * s)) AS bigint), sqlrp_draw(seed, purpose, n, features), CAST(floor({{prime}} / s) AS bigint))
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
  FOR next IN EXECUTE format('SELECT array_agg(f ORDER BY h, f) FROM (%s) drawn GROUP BY c ORDER BY c', sqlrp_draw(seed, {{index}},
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
