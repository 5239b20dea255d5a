-- -- the relational lowering ----------------------------------------------------------------------------------------------
-- The signs are drawn, joined with the cells (r, f, x) of the rows and summed, as in sqlrp/_lowering/relational.py, character by
-- character. An absent cell is zero.

-- A block of sql/blocks.sql, with its parts filled in.
CREATE OR REPLACE FUNCTION sqlrp_block(name text, parts jsonb) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $f$
DECLARE
  text text := CASE name
{{named_blocks}}
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
  SELECT string_agg(CASE WHEN exact THEN CAST(CAST(number AS bigint) AS text) ELSE {{repr}} END, ',' ORDER BY o) FROM unnest(weights) WITH ORDINALITY u(number, o)
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
  below bigint := CASE WHEN hashed THEN {{prime}} ELSE coalesce(n, {{prime}}) END;
  most bigint := coalesce(n, {{last_feature}}) - 1;
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
      THEN format('(CAST(CAST(''x'' || substr(md5(convert_to(CAST(%s AS text), ''UTF8'')), 1, 15) AS bit(60)) AS bigint) %% {{constant_feature}})', q ->> 'feature')
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
      SELECT * INTO w, cells FROM sqlrp_add('cells', format('SELECT r, f, x FROM %s UNION ALL SELECT r, {{constant_feature}}, %s FROM %s', cells,
        sqlrp_literal(CAST(stage ->> 'constant' AS double precision), kind), rows), name, w);
      SELECT * INTO w, features FROM sqlrp_add('features', format('SELECT f FROM %s UNION ALL SELECT {{constant_feature}}', features), name, w);
      below := {{prime}};
      constant := n;
      CONTINUE;
    END IF;
    IF constant IS NOT NULL AND (stage ? 'factors' OR CAST(stage ->> 'reflected' AS boolean)) THEN
      SELECT * INTO w, cells FROM sqlrp_add('cells', format('SELECT r, CASE WHEN f = {{constant_feature}} THEN %s ELSE f END AS f, x FROM %s', constant, cells), name, w);
      SELECT * INTO w, features FROM sqlrp_add('features', format('SELECT CASE WHEN f = {{constant_feature}} THEN %s ELSE f END AS f FROM %s', constant, features), name, w);
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
            'f', string_agg(CAST(CASE WHEN u.p = constant THEN {{constant_feature}} ELSE u.p END AS text), ',' ORDER BY u.p, u.c),
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
    SELECT * INTO w, cells FROM sqlrp_add('mapped', format('SELECT %s, f, %s AS x FROM %s', along, format({{formula_signed_root}}, 'x'), cells), name, w);
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
