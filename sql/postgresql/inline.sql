-- -- the lowerings -----------------------------------------------------------------------------------------------------

-- One more subquery, which names the entries of a row x0, x1, .... If they are more than a result has columns, it makes an array.
CREATE OR REPLACE FUNCTION sqlrp_level(carried text, type text, room bigint, INOUT rows text, INOUT x text[])
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $f$
BEGIN
  IF cardinality(x) <= room THEN
    SELECT format('SELECT %sok, %s FROM (%s) s OFFSET ''0''', carried, string_agg(format('%s AS x%s', e, o - 1), ', ' ORDER BY o), rows),
      array_agg('x' || o - 1 ORDER BY o) INTO rows, x FROM unnest(x) WITH ORDINALITY u(e, o);
  ELSE
    rows := format('SELECT %sok, CAST(ARRAY[%s] AS %s[]) AS x FROM (%s) s OFFSET ''0''', carried, array_to_string(x, ','), type, rows);
    x := ARRAY(SELECT format('x[%s]', o) FROM generate_series(1, cardinality(x)) o ORDER BY o);
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
      FOR bit IN REVERSE CAST(log(2, CAST(stage ->> 'padded' AS numeric)) AS integer) - 1 .. 0 LOOP
        SELECT array_agg(CASE side WHEN 0 THEN coalesce(low.e || '+' || high.e, low.e) ELSE coalesce(low.e || '-' || high.e, low.e) END
          ORDER BY low.o + side * (1 << bit)) INTO x FROM unnest(x) WITH ORDINALITY low(e, o)
          JOIN unnest(x) WITH ORDINALITY high(e, o) ON high.o = low.o + (1 << bit) CROSS JOIN generate_series(0, 1) side
          WHERE ((low.o - 1) >> bit) % 2 = 0;
        SELECT * INTO rows, x FROM sqlrp_level(carried, type, room, rows, x);
      END LOOP;
      EXECUTE format('SELECT array_agg(e ORDER BY c) FROM (%s) s JOIN unnest($1) WITH ORDINALITY u(e, o) ON o - 1 = j',
        stage ->> 'sample') INTO x USING x;
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
