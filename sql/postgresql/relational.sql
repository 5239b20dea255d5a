-- The stages as joins. The table of each stage is a subquery, joined with the cells (r, f, x) and summed. An absent cell is zero.
CREATE OR REPLACE FUNCTION sqlrp_relational(stages jsonb[], held text, q jsonb, rows text) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $f$
DECLARE
  long boolean := q ->> 'layout' = 'long';
  hashed boolean := q ->> 'hashed';
  same text := CASE WHEN long THEN 'ARRAY[%s] = ARRAY[%s]' ELSE '%s = %s' END;  -- the key of long rows may be NULL
  n bigint := q ->> 'n';
  most bigint := coalesce(n, {{last_feature}}) - 1;
  stage jsonb;
  type text;
  cells text := 'sqlrp_cells';
  g bigint;
  product text;
  joins text;
  w text;
BEGIN
  IF long THEN
    w := format('sqlrp_rows AS MATERIALIZED (SELECT r, r AS c0, %1$s AS ok FROM (SELECT %2$I AS r, count(*) AS counted, '
      'count(%3$I) AS present FROM %4$s GROUP BY %2$I) s)', CASE WHEN CAST(q ->> 'nullable' AS boolean)
      THEN format(q ->> 'ok', 'counted = present') ELSE '0' END, q ->> 'key', q ->> 'value', q ->> 'relation');
    w := w || format(', sqlrp_cells AS MATERIALIZED (SELECT %I AS r, %s AS f, CAST(%s AS %s) AS x FROM %s)', q ->> 'key',
      CASE WHEN hashed THEN format('(CAST(CAST(''x'' || substr(md5(convert_to(CAST(%I AS text), ''UTF8'')), 1, 15) '
        'AS bit(60)) AS bigint) %% {{constant_feature}})', q ->> 'feature')
      ELSE format('CASE WHEN %1$I BETWEEN 0 AND %2$s THEN CAST(%1$I AS bigint) WHEN %1$I IS NOT NULL THEN %3$s END', q ->> 'feature', most,
        sqlrp_fail(format('sqlrp: a feature in %L is outside 0 ... %s: positions count from 0; raise n_features', q ->> 'feature', most))) END,
      CASE WHEN CAST(q ->> 'boolean' AS boolean) THEN format('CAST(%I AS integer)', q ->> 'value') ELSE quote_ident(q ->> 'value') END,
      held, q ->> 'relation');
  ELSE
    w := format('sqlrp_rows AS MATERIALIZED (SELECT row_number() OVER () AS r, s.* FROM (%s) s), sqlrp_cells AS MATERIALIZED '
      '(SELECT r, o - 1 AS f, e AS x FROM sqlrp_rows CROSS JOIN LATERAL unnest(x) WITH ORDINALITY u(e, o))', rows);
  END IF;
  w := w || format(', sqlrp_features0 AS MATERIALIZED (%s)', CASE WHEN n IS NULL OR hashed THEN 'SELECT DISTINCT f FROM sqlrp_cells'
    ELSE 'SELECT f FROM ' || sqlrp_series(n, 'f') || ' s' END);
  FOR i IN 1 .. cardinality(stages) LOOP
    stage := stages[i];
    IF stage ? 'constant' THEN
      w := w || format(', sqlrp_features%s AS MATERIALIZED (SELECT f FROM sqlrp_features%s UNION ALL SELECT {{constant_feature}}), sqlrp_cells%1$s AS '
        'MATERIALIZED (SELECT r, f, x FROM sqlrp_cells UNION ALL SELECT r, {{constant_feature}}, CAST(''%3$s'' AS %4$s) FROM sqlrp_rows)',
        i, i - 1, stage ->> 'constant', held);
      cells := format('sqlrp_cells%s', i);
      CONTINUE;
    END IF;
    type := stage ->> 'type';
    IF stage ? 'map' THEN
      w := w || format(', sqlrp_cells%s AS MATERIALIZED (SELECT r, f, %s AS x FROM (SELECT s.r, e.f, coalesce(k.x, CAST(0 AS %s)) AS x FROM '
        'sqlrp_rows s CROSS JOIN sqlrp_features%s e LEFT JOIN %s k ON %s AND k.f = e.f) s), sqlrp_features%1$s AS MATERIALIZED (SELECT f FROM '
        'sqlrp_features%4$s)', i, format(stage ->> 'map', 'x'), type, i - 1, cells, format(same, 'k.r', 's.r'));
      cells := format('sqlrp_cells%s', i);
      held := type;
      CONTINUE;
    END IF;
    w := w || format(', sqlrp_table%s AS MATERIALIZED (WITH sqlrp_features AS (SELECT f FROM sqlrp_features%s) %s)', i, i - 1,
      CASE WHEN stage ->> 'text' LIKE 'WITH %' THEN format('SELECT * FROM (%s) s', stage ->> 'text') ELSE stage ->> 'text' END);
    IF CAST(stage ->> 'reflected' AS boolean) THEN
      w := w || format(', sqlrp_totals AS MATERIALIZED (SELECT r, CAST(sum(x) AS %1$s) AS m FROM sqlrp_cells GROUP BY r), sqlrp_cells%2$s AS '
        'MATERIALIZED (SELECT s.r, p.c AS f, CAST(%3$s AS %1$s) * coalesce(k.x, %4$s) - CAST(2 AS %1$s) * coalesce(t.m, %4$s) AS x '
        'FROM sqlrp_rows s CROSS JOIN sqlrp_table%2$s p LEFT JOIN sqlrp_totals t ON %5$s LEFT JOIN sqlrp_cells k ON %6$s AND k.f = p.f)',
        type, i, n, format('CAST(0 AS %s)', type), format(same, 't.r', 's.r'), format(same, 'k.r', 's.r'));
    ELSIF stage ? 'factors' THEN
      g := stage ->> 'factors';
      IF held = 'double precision' THEN
        -- An absent cell gives no product. That is wrong for 0 * inf and 0 * NaN only, so rows with these values get their zeros.
        w := w || format(', sqlrp_whole%s AS MATERIALIZED (SELECT r, f, x FROM %s UNION ALL SELECT odd.r, e.f, CAST(0 AS %s) FROM (SELECT '
          'DISTINCT r FROM %2$s WHERE x IN (''NaN'', ''Infinity'', ''-Infinity'')) odd CROSS JOIN sqlrp_features%4$s e WHERE NOT '
          'EXISTS (SELECT 1 FROM %2$s k WHERE %5$s AND k.f = e.f))', i, cells, held, i - 1, format(same, 'k.r', 'odd.r'));
        cells := format('sqlrp_whole%s', i);
      END IF;
      IF stage ->> 'text' ~ '-1' THEN
        w := w || format(', sqlrp_ones%s AS MATERIALIZED (SELECT r, f, x FROM %s UNION ALL SELECT r, -1, CAST(1 AS %s) FROM sqlrp_rows)',
          i, cells, held);
        cells := format('sqlrp_ones%s', i);
      END IF;
      SELECT string_agg(format('CAST(k%s.x AS %s)', j, type), '*' ORDER BY j), coalesce(string_agg(format(
        ' JOIN %s k%s ON k%2$s.f = i.v[%s] AND %s', cells, j, j + 1, format(same, 'k0.r', format('k%s.r', j))), '' ORDER BY j)
        FILTER (WHERE j > 0), '') INTO product, joins FROM generate_series(0, g - 1) j;
      w := w || format(', sqlrp_cells%s AS MATERIALIZED (SELECT k0.r AS r, i.c AS f, CAST(sum(CAST(i.w AS %s)*%s) AS %2$s) AS x '
        'FROM sqlrp_table%1$s i JOIN %4$s k0 ON k0.f = i.v[1]%5$s GROUP BY k0.r, i.c)', i, type, product, cells, joins);
    ELSE
      w := w || format(', sqlrp_cells%s AS MATERIALIZED (SELECT r, c AS f, CAST(sum(%s) AS %s) AS x FROM %s JOIN sqlrp_table%1$s USING (f) '
        'GROUP BY r, c)', i, format(CASE WHEN CAST(stage ->> 'weighted' AS boolean) THEN 'CAST(sign AS %2$s) * %1$s'
        ELSE 'CASE WHEN sign > 0 THEN %1$s ELSE CAST(0 AS %2$s) - %1$s END' END, CASE WHEN type = held THEN 'x'
        ELSE format('CAST(x AS %s)', type) END, type), type, cells);
    END IF;
    cells := format('sqlrp_cells%s', i);
    held := type;
    w := w || format(', sqlrp_features%s AS MATERIALIZED (SELECT f FROM %s s)', i, sqlrp_series(CAST(stage ->> 'outputs' AS bigint), 'f'));
  END LOOP;
  RETURN format('WITH %s SELECT %sCASE WHEN ok IS NOT NULL THEN z.x END AS z FROM sqlrp_rows s JOIN (SELECT s.r, array_agg(%s '
    'ORDER BY n.f) AS x FROM sqlrp_rows s CROSS JOIN generate_series(0, %s) n(f) LEFT JOIN %s z ON %s AND z.f = n.f GROUP BY s.r) z ON %s',
    w, q ->> 'carried', CASE WHEN q ->> 'factor' IS NULL THEN '' ELSE format('CAST(''%s'' AS double precision)*', q ->> 'factor') END
    || format('coalesce(z.x, CAST(0 AS %s))', held), CAST(q ->> 'k' AS bigint) - 1, cells, format(same, 'z.r', 's.r'),
    format(same, 'z.r', 's.r'));
END $f$;
