-- -- the lowerings -----------------------------------------------------------------------------------------------------

-- One more subquery, which names the entries of a row x0, x1, .... If they are more than a result has columns, it makes an array.
-- An entry that is NULL stands for 0 and gets no name.
CREATE OR REPLACE FUNCTION sqlrp_level(carried text, type text, room bigint, INOUT rows text, INOUT x text[])
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $f$
BEGIN
  IF cardinality(x) <= room THEN
    SELECT format('SELECT %sok, %s FROM (%s) s OFFSET ''0''', carried, string_agg(format('%s AS x%s', e, o - 1), ', ' ORDER BY o)
      FILTER (WHERE e IS NOT NULL), rows), array_agg(CASE WHEN e IS NOT NULL THEN 'x' || o - 1 END ORDER BY o) INTO rows, x
      FROM unnest(x) WITH ORDINALITY u(e, o);
  ELSE
    rows := format('SELECT %sok, CAST(ARRAY[%s] AS %s[]) AS x FROM (%s) s OFFSET ''0''', carried, array_to_string(x, ',', 'NULL'), type, rows);
    x := ARRAY(SELECT CASE WHEN e IS NOT NULL THEN format('x[%s]', o) END FROM unnest(x) WITH ORDINALITY u(e, o) ORDER BY o);
  END IF;
END $f$;

-- The stages as expressions over the entries x of `rows`, whose type is `held`. The signs are in the text, so nothing is joined.
CREATE OR REPLACE FUNCTION sqlrp_inline(stages jsonb[], carried text, held text, room bigint, INOUT rows text, INOUT x text[])
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $f$
DECLARE
  stage jsonb;
  type text;
  n bigint := cardinality(x);  -- a constant has a feature number of its own
  named boolean := true;
  bits integer;
  bit integer;
  inputs text := 'WITH sqlrp_inputs AS MATERIALIZED (SELECT CASE WHEN o > $2 THEN {{constant_feature}} ELSE o - 1 END AS f, e '
    'FROM unnest($1) WITH ORDINALITY u(e, o)), sqlrp_features AS (SELECT f FROM sqlrp_inputs) SELECT array_agg(%s ORDER BY c) FROM ';
  weight text := 'CASE WHEN abs(%1$s) = 1 THEN '''' ELSE format(''CAST(%%L AS %2$s)*'', abs(%1$s)) END';
  total text := replace(sqlrp_schema(), '%', '%%') || '.sqlrp_signed' || '(array_agg(e ORDER BY %1$s) FILTER (WHERE %2$s > 0), array_agg(e ORDER BY %1$s) FILTER (WHERE %2$s < 0)) AS e';
BEGIN
  FOREACH stage IN ARRAY stages LOOP
    IF stage ? 'constant' THEN
      x := x || format('CAST(''%s'' AS %s)', stage ->> 'constant', held);
      CONTINUE;
    END IF;
    type := stage ->> 'type';
    IF type <> held THEN
      x := ARRAY(SELECT format('CAST(%s AS %s)', e, type) FROM unnest(x) WITH ORDINALITY u(e, o) ORDER BY o);
    END IF;
    IF type <> held OR NOT named THEN
      SELECT * INTO rows, x FROM sqlrp_level(carried, type, room, rows, x);
    END IF;
    IF stage ? 'padded' THEN
      -- Layers of sums and differences. The highest bit comes first: its partners are mostly padding, which costs nothing.
      EXECUTE format('SELECT array_agg(CASE WHEN flip < 0 THEN ''(-'' || e || '')'' ELSE e END ORDER BY f) FROM (%s) s '
        'JOIN unnest($1) WITH ORDINALITY u(e, o) ON o - 1 = f', stage ->> 'flips') INTO x USING x;
      x := x || array_fill(CAST(NULL AS text), ARRAY[CAST(stage ->> 'padded' AS integer) - cardinality(x)]);
      bits := log(2, CAST(stage ->> 'part' AS numeric));
      FOR bit IN SELECT * FROM generate_series(bits - 1, 0, -1) UNION ALL SELECT bits WHERE CAST(stage ->> 'block' AS bigint) > 1 LOOP
        SELECT array_agg(CASE side WHEN 0 THEN coalesce(low.e || '+' || high.e, low.e) ELSE coalesce(low.e || '-' || high.e, low.e) END
          ORDER BY low.o + side * (1 << bit)) INTO x FROM unnest(x) WITH ORDINALITY low(e, o)
          JOIN unnest(x) WITH ORDINALITY high(e, o) ON high.o = low.o + (1 << bit) CROSS JOIN generate_series(0, 1) side
          WHERE ((low.o - 1) >> bit) % 2 = 0;
        SELECT * INTO rows, x FROM sqlrp_level(carried, type, room, rows, x);
      END LOOP;
      IF CAST(stage ->> 'block' AS bigint) = 1 THEN
        EXECUTE format('SELECT array_agg(e ORDER BY c) FROM (%s) s JOIN unnest($1) WITH ORDINALITY u(e, o) ON o - 1 = j',
          stage ->> 'sample') INTO x USING x;
      ELSE
        -- The last layer has summed the parts in pairs: an output adds or subtracts the sum or the difference of each pair.
        EXECUTE format('SELECT array_agg(e ORDER BY c) FROM (SELECT c, %s FROM (SELECT c, o, e, 1 - 2 * first AS sign FROM (SELECT c, j, p, '
          'get_bit($2, CAST(j / %s * %s + p AS integer)) AS first, get_bit($2, CAST(j / %2$s * %3$s + p + 1 AS integer)) AS second '
          'FROM (%s) s CROSS JOIN generate_series(0, %3$s - 2, 2) p) s JOIN unnest($1) WITH ORDINALITY u(e, o) '
          'ON o - 1 = (p + (first # second)) * %2$s + j %% %2$s WHERE e IS NOT NULL) s GROUP BY c) s', format(total, 'o', 'sign'),
          stage ->> 'part', stage ->> 'block', stage ->> 'sample') INTO x USING x, decode(sqlrp_paley(CAST(stage ->> 'block' AS bigint)), 'hex');
      END IF;
    ELSIF stage ? 'map' THEN
      x := ARRAY(SELECT format(stage ->> 'map', e) FROM unnest(x) WITH ORDINALITY u(e, o) ORDER BY o);
    ELSIF CAST(stage ->> 'reflected' AS boolean) THEN
      rows := format('SELECT *, CAST(2 AS %s)*%s AS m FROM (%s) s OFFSET ''0''', type, sqlrp_tree(x, '+'), rows);
      EXECUTE format('SELECT array_agg(format(''(CAST(%s AS %s)*%%s-m)'', e) ORDER BY c) FROM (%s) s '
        'JOIN unnest($1) WITH ORDINALITY u(e, o) ON o - 1 = f', cardinality(x), type, stage ->> 'text') INTO x USING x;
    ELSIF stage ? 'factors' THEN
      EXECUTE format(inputs, 'e') || format('(SELECT c, %s FROM (SELECT i, c, w, %s || string_agg(e, ''*'' ORDER BY o) AS e FROM (%s) t '
        'CROSS JOIN LATERAL unnest(v) WITH ORDINALITY u(f, o) JOIN sqlrp_inputs USING (f) GROUP BY i, c, w) s GROUP BY c) s',
        format(total, 'i', 'w'), format(weight, 'w', type), stage ->> 'text') INTO x USING x, n;
    ELSE
      EXECUTE format(inputs, format('coalesce(e, ''CAST(0 AS %s)'')', type)) || format('%s n LEFT JOIN (SELECT c, %s FROM (SELECT c, f, sign, '
        '%s || e AS e FROM (%s) t JOIN sqlrp_inputs USING (f)) s GROUP BY c) s USING (c)', sqlrp_series(CAST(stage ->> 'outputs' AS bigint), 'c'),
        format(total, 'f', 'sign'), format(weight, 'sign', type), stage ->> 'text') INTO x USING x, n;
    END IF;
    n := cardinality(x);
    held := type;
    named := false;
  END LOOP;
END $f$;
