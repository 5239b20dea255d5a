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
    '{{constant_feature}} THEN %s ELSE f END), ''{}''), coalesce(array_agg(CAST(sign AS double precision)), ''{}'') FROM (%s) t WHERE sign <> 0',
    sqlrp_series(n - CAST(constant AS integer), 'f'), CASE WHEN constant THEN ' UNION ALL SELECT {{constant_feature}}' ELSE '' END, n - 1, text)
    INTO c, p, w;
END $f$;

-- The sum of each component: its terms in the order of p, each with the sign of w and the entry at e.
CREATE OR REPLACE FUNCTION sqlrp_sums(outputs bigint, kind text, c bigint[], p bigint[], w double precision[], e bigint[], x text[])
RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $f$
  SELECT array_agg(coalesce(sum, zero) ORDER BY n.c) FROM generate_series(CAST(0 AS bigint), outputs - 1) n(c)
    CROSS JOIN (SELECT sqlrp_literal(0, kind) AS zero OFFSET '0') z
    LEFT JOIN (SELECT c, sqlrp_difference(array_agg(term ORDER BY p) FILTER (WHERE w > 0), array_agg(term ORDER BY p) FILTER (WHERE w < 0)) AS sum
      FROM (SELECT t.c, t.p, t.w, CASE WHEN abs(t.w) = 1 THEN u.e ELSE {{literal}} || '*' || u.e END AS term
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
      ARRAY(SELECT format({{formula_signed_root}}, u) FROM unnest(x) WITH ORDINALITY n(u, o) ORDER BY o));
    rows := format(E'(SELECT %s\nFROM %s%s) s', concat_ws(', ', carried, CASE WHEN cardinality(x) <= room THEN array_to_string(x, ', ') ELSE 'y__' END,
      format('sqrt(%s) AS n', sqlrp_tree(ARRAY(SELECT format('%s*%1$s', u) FROM unnest(x) WITH ORDINALITY n(u, o) ORDER BY o), '+'))), rows, fence);
    x := ARRAY(SELECT u || '/CASE WHEN n = 0 THEN 1 ELSE n END' FROM unnest(x) WITH ORDINALITY n(u, o) ORDER BY o);
  END IF;
  RETURN sqlrp_shaped(q, rows, x, held);
END $f$;
