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
    -- A word of {{word_bits}} bits is a sum. A cast to fewer bits drops the last ones.
    SELECT string_agg(format('CAST(CAST(%s AS bigint) AS bit({{word_bits}}))', word), ' || ' ORDER BY first) INTO z FROM (
      SELECT first, sqlrp_tree(ARRAY(SELECT format('CASE WHEN %s<=0 THEN 0 ELSE %s END', x[first + i],
        CASE i WHEN 0 THEN '{{word_lowest}}' ELSE CAST(CAST(1 AS bigint) << ({{word_last}} - i) AS text) END)
        FROM generate_series(0, least({{word_last}}, cardinality(x) - first)) i ORDER BY i), '+') AS word FROM generate_series(1, cardinality(x), {{word_bits}}) first) words;
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
