-- -- the statement -----------------------------------------------------------------------------------------------------
-- A row is a list x. The table of a stage is drawn once, as one row of lists of positions, and list functions pick the entries and
-- sum them. The sum of signed entries is the sum of picked entries of x || -x. Lists must have the very type that a function takes:
-- a cast within a lambda is done for every component. A lambda must pick from a list by list_select, as x[i] copies the list.

-- Sums of FLOAT are DOUBLE; a CAST back would refuse what IEEE calls infinite.
CREATE OR REPLACE MACRO sqlrp_narrow(total, kind) AS
  CASE WHEN kind = 'FLOAT' THEN 'coalesce(TRY_CAST(' || total || ' AS FLOAT), CAST(CAST(''inf'' AS DOUBLE) * ' || total || ' AS FLOAT))'
    ELSE 'CAST(' || total || ' AS ' || kind || ')' END;

-- The guard: 0 for a row without NULL, else NULL or an error; NULL where no guard is needed.
CREATE OR REPLACE MACRO sqlrp_ok(nulls, complete) AS
  CASE WHEN nulls = 'zero' OR complete IS NULL THEN NULL ELSE 'CASE WHEN ' || complete || ' THEN 0'
    || CASE WHEN nulls = 'error' THEN ' ELSE error(''sqlrp: a feature is NULL and nulls = ''''error'''': clean the row, or use '
       || 'nulls = ''''zero'''' or ''''propagate'''''')' ELSE '' END || ' END' END;

-- The rows of a wide or array source: c0, c1, ..., ok if a guard is needed, and x, in which NULL is 0.
CREATE OR REPLACE MACRO sqlrp_wide_rows_of(w, kind, zero) AS
  '(SELECT ' || sqlrp_join(list_transform(w['kept'], lambda wide_n, wide_i: sqlrp_quote(wide_n) || ' AS c' || (wide_i - 1))
    || list_filter([sqlrp_ok(w['nulls'], CASE WHEN list_contains(w['nullable'], true) THEN sqlrp_all(list_transform(list_filter(w['names'],
         lambda wide_n, wide_i: w['nullable'][wide_i]), lambda wide_n: sqlrp_quote(wide_n) || ' IS NOT NULL')) END) || ' AS ok'], lambda wide_o: wide_o IS NOT NULL)
    || ['[' || sqlrp_join(list_transform(w['names'], lambda wide_n, wide_i: list_transform(['CAST(' || CASE WHEN w['types'][wide_i] = 'BOOLEAN'
         THEN 'CAST(' || sqlrp_quote(wide_n) || ' AS INTEGER)' ELSE sqlrp_quote(wide_n) END || ' AS ' || kind || ')'], lambda wide_x:
         CASE WHEN w['nullable'][wide_i] THEN 'coalesce(' || wide_x || ', ' || zero || ')' ELSE wide_x END)[1]), ', ') || '] AS x'], ', ')
    || ' FROM ' || w['relation'] || ') s';

CREATE OR REPLACE MACRO sqlrp_wide_rows(w, kind, zero) AS
  list_transform([w], lambda rows_w: sqlrp_wide_rows_of(rows_w, kind, zero))[1];

CREATE OR REPLACE MACRO sqlrp_array_rows_of(w, kind, zero) AS
  list_transform([sqlrp_join(list_transform(w['kept'], lambda array_n, array_i: 'c' || (array_i - 1)) || [''], ', ')], lambda array_c:
    '(SELECT ' || array_c || CASE WHEN w['nulls'] = 'zero' THEN '' ELSE 'ok, ' END || 'coalesce(list_transform(x, lambda e: coalesce(e, ' || zero || ')), list_resize(CAST([] AS ' || kind || '[]), ' || w['size'] || ', ' || zero
    || ')) AS x FROM (SELECT ' || array_c || coalesce(sqlrp_ok(w['nulls'], 'a IS NOT NULL AND list_position(a, NULL) IS NULL') || ' AS ok, ', '')
    || 'CAST(a AS ' || kind || '[]) AS x FROM (SELECT ' || sqlrp_join(list_transform(w['kept'], lambda array_n, array_i: sqlrp_quote(array_n) || ' AS c' || (array_i - 1))
    || [CASE WHEN w['types'][1] LIKE '%[]' THEN 'CASE WHEN len(' || sqlrp_quote(w['names'][1]) || ') <> ' || w['size'] || ' THEN error('
        || sqlrp_string('sqlrp: a list in ''' || w['names'][1] || ''' has not the ') || ' || ' || w['size'] || ' || '
        || ''' elements of the others: pad it, or set it to NULL'') ELSE ' || CASE WHEN w['late'] IS NULL THEN sqlrp_quote(w['names'][1])
        ELSE 'TRY_CAST(' || sqlrp_quote(w['names'][1]) || ' AS DOUBLE[])' END || ' END' ELSE sqlrp_quote(w['names'][1]) END || ' AS a'], ', ')
    || ' FROM ' || w['relation'] || ') s) s) s')[1];

CREATE OR REPLACE MACRO sqlrp_array_rows(w, kind, zero) AS
  list_transform([w], lambda rows_w: sqlrp_array_rows_of(rows_w, kind, zero))[1];

-- The feature number of a long row: a position, or the hash of a word. The statement tells which where the types are known late.
CREATE OR REPLACE MACRO sqlrp_hashed(name) AS
  '(CAST(''0x'' || md5(CAST(' || name || ' AS VARCHAR))[:15] AS BIGINT) % {{last_feature_and_one}})';

CREATE OR REPLACE MACRO sqlrp_counted(w, name) AS
  'CASE WHEN ' || name || ' BETWEEN 0 AND ' || (coalesce(w['n'], {{last_feature}}) - 1) || ' THEN CAST(' || name || ' AS BIGINT) WHEN ' || name
    || ' IS NOT NULL THEN error(' || sqlrp_string('sqlrp: a feature in ''' || w['names'][1] || ''' is outside 0 ... '
    || (coalesce(w['n'], {{last_feature}}) - 1) || ': positions count from 0; raise n_features') || ') END';

CREATE OR REPLACE MACRO sqlrp_number_of(w, name) AS
  CASE WHEN w['late'] IS NOT NULL THEN 'CASE WHEN (SELECT text FROM ' || w['late'] || ') THEN ' || sqlrp_hashed(name) || ' ELSE '
      || sqlrp_counted(w, 'TRY_CAST(CAST(' || name || ' AS VARCHAR) AS BIGINT)') || ' END'
    WHEN w['text'] THEN sqlrp_hashed(name) ELSE sqlrp_counted(w, name) END;

-- The tables of a long source: the rows (r, c0, ok), and the cells (r, f, x).
CREATE OR REPLACE MACRO sqlrp_long_tables_of(w, own, kind, key, value) AS
  [own || '_rows AS MATERIALIZED (SELECT ' || key || ' AS r, ' || key || ' AS c0'
    || coalesce(', ' || CASE WHEN w['nullable'][2] THEN sqlrp_ok(w['nulls'], 'count(*) = count(' || value || ')') END || ' AS ok', '')
    || ' FROM ' || w['relation'] || ' GROUP BY ' || key || ')',
   own || '_cells0 AS MATERIALIZED (SELECT ' || key || ' AS r, ' || sqlrp_number_of(w, sqlrp_quote(w['names'][1])) || ' AS f, '
    || CASE WHEN w['late'] IS NULL THEN '' ELSE 'TRY_' END || 'CAST(' || CASE WHEN w['types'][2] = 'BOOLEAN' THEN 'CAST(' || value || ' AS INTEGER)' ELSE value END || ' AS ' || kind || ') AS x FROM '
    || w['relation'] || ')',
   own || '_numbers AS MATERIALIZED (' || CASE WHEN w['n'] IS NULL OR w['text'] OR w['late'] IS NOT NULL THEN 'SELECT DISTINCT f FROM ' || own || '_cells0 WHERE f IS NOT NULL'
        ELSE 'SELECT f FROM ' || sqlrp_series(w['n'], 'f') END || ')'];

CREATE OR REPLACE MACRO sqlrp_long_tables(w, own, kind) AS
  list_transform([w], lambda long_w: sqlrp_long_tables_of(long_w, own, kind, sqlrp_quote(long_w['kept'][1]), sqlrp_quote(long_w['names'][2])))[1];

-- The cells after a stage of a long source.
CREATE OR REPLACE MACRO sqlrp_append_cells(own, cells, step) AS
  'SELECT r, f, x FROM ' || cells || ' UNION ALL SELECT r, {{constant_feature}}, ' || sqlrp_literal(step['value'], step['held']) || ' FROM ' || own || '_rows';

CREATE OR REPLACE MACRO sqlrp_rescale_cells(own, cells, step) AS
  'SELECT r, f, x * coalesce(t.scale, ' || sqlrp_literal(step['value'], step['held']) || ') AS x FROM ' || cells || ' LEFT JOIN (' || step['text'] || ') t USING (f)';

CREATE OR REPLACE MACRO sqlrp_normalise_cells(own, cells, step) AS
  'SELECT c.r, c.f, c.x / CASE WHEN t.n = 0 THEN 1 ELSE t.n END AS x FROM ' || cells || ' c JOIN (SELECT r, sqrt(sum(x * x)) AS n FROM '
    || cells || ' GROUP BY r) t ON t.r IS NOT DISTINCT FROM c.r';

CREATE OR REPLACE MACRO sqlrp_summed_cells(own, cells, step, term) AS
  'WITH sqlrp_features AS (SELECT f FROM ' || own || '_numbers UNION ALL SELECT {{constant_feature}}) SELECT r, c AS f, sum(' || term || ') AS x FROM '
    || cells || ' JOIN (' || step['text'] || ') t USING (f) WHERE w IS NOT NULL GROUP BY r, c';

CREATE OR REPLACE MACRO sqlrp_signs_cells(own, cells, step) AS
  sqlrp_summed_cells(own, cells, step, 'CASE WHEN w > 0 THEN x ELSE ' || sqlrp_literal(0, step['after']) || ' - x END');

CREATE OR REPLACE MACRO sqlrp_weights_cells(own, cells, step) AS
  sqlrp_summed_cells(own, cells, step, 'CAST(w AS ' || step['after'] || ') * x');

-- The rows of cells, each with its entries as the list x.
CREATE OR REPLACE MACRO sqlrp_dense_rows(own, cells, carried, n, kind) AS
  '(SELECT ' || carried || 'list(coalesce(' || sqlrp_narrow('z.x', kind) || ', ' || sqlrp_literal(0, kind)
    || ') ORDER BY n.f) AS x FROM ' || own || '_rows s CROSS JOIN (SELECT unnest(range(CAST(' || n || ' AS BIGINT))) AS f) n LEFT JOIN (SELECT r, f, sum(x) AS x FROM '
    || cells || ' GROUP BY r, f) z ON z.r IS NOT DISTINCT FROM s.r AND z.f = n.f GROUP BY ' || carried || 's.r) s';

-- -- the tables of the stages: each one row of lists of positions, which count from 1 ---------------------------------------

-- A number that is digits, or a subquery of the column n of a table: in an expression, and what must stand beside it in FROM. So the
-- table is joined once, where a subquery would be planned again for each use.
CREATE OR REPLACE MACRO sqlrp_beside(n) AS CASE WHEN starts_with(n, '(SELECT n FROM ') THEN ', ' || n || ' n_' ELSE '' END;
CREATE OR REPLACE MACRO sqlrp_by_name(n) AS CASE WHEN starts_with(n, '(SELECT n FROM ') THEN 'n' ELSE n END;

CREATE OR REPLACE MACRO sqlrp_features_of(step) AS
  'WITH sqlrp_features AS (SELECT f FROM ' || CASE WHEN step['constant'] THEN sqlrp_series(step['n'] || ' - 1', 'f') || ' UNION ALL SELECT {{constant_feature}}'
    ELSE sqlrp_series(step['n'], 'f') END || ') ';

-- `lists` are the lists of a component, and `tables` is their list for all components.
CREATE OR REPLACE MACRO sqlrp_lists(step, lists, tables) AS
  sqlrp_features_of(step) || 'SELECT ' || tables || ' FROM (SELECT unnest(range(CAST(' || step['outputs'] || ' AS BIGINT))) AS c) n LEFT JOIN (SELECT c, ' || lists || ' FROM ('
    || step['text'] || ') t' || sqlrp_beside(step['n']) || ' GROUP BY c) g USING (c)';

CREATE OR REPLACE MACRO sqlrp_position(step) AS
  CASE WHEN step['constant'] THEN 'CASE WHEN f = {{constant_feature}} THEN ' || sqlrp_by_name(step['n']) || ' ELSE f + 1 END' ELSE 'f + 1' END;

CREATE OR REPLACE MACRO sqlrp_signs_table(step) AS
  sqlrp_lists(step, 'list(' || sqlrp_position(step) || ' + CASE WHEN w > 0 THEN 0 ELSE ' || sqlrp_by_name(step['n'])
    || ' END ORDER BY f) FILTER (WHERE w IS NOT NULL) AS l',
    'list(coalesce(g.l, []) ORDER BY n.c) AS l');

CREATE OR REPLACE MACRO sqlrp_weights_table(step) AS
  sqlrp_lists(step, 'list(' || sqlrp_position(step) || ' ORDER BY f) AS l, list(CAST(w AS ' || step['after'] || ') ORDER BY f) AS m',
    'list(coalesce(g.l, []) ORDER BY n.c) AS l, list(coalesce(g.m, []) ORDER BY n.c) AS m');

CREATE OR REPLACE MACRO sqlrp_reflect_table(step) AS
  'SELECT list(f + 1 ORDER BY c) AS l FROM (' || step['text'] || ') t';

CREATE OR REPLACE MACRO sqlrp_rescale_table(step) AS
  'SELECT list(coalesce(t.shift, 0) ORDER BY n.f) AS l, list(coalesce(t.scale, ' || step['value'] || ') ORDER BY n.f) AS m FROM '
    || '(SELECT unnest(range(CAST(' || step['n'] || ' AS BIGINT))) AS f) n LEFT JOIN (' || step['text'] || ') t USING (f)';

CREATE OR REPLACE MACRO sqlrp_products_table(step) AS
  list_transform([list_transform(range(step['factors']), lambda table_j: CAST(table_j AS VARCHAR))], lambda table_f: sqlrp_lists(step,
    sqlrp_join(list_transform(table_f, lambda table_j: 'list(CASE WHEN v[' || table_j || ' + 1] < 0 THEN ' || step['n'] || ' + 1 ELSE v[' || table_j
      || ' + 1] + 1 END ORDER BY i) AS a' || table_j) || ['list(CAST(w AS ' || step['after'] || ') ORDER BY i) AS w'], ', '),
    sqlrp_join(list_transform(table_f, lambda table_j: 'list(coalesce(g.a' || table_j || ', []) ORDER BY n.c) AS a' || table_j), ', ')
      || ', list(coalesce(g.w, []) ORDER BY n.c) AS w'))[1];

-- -- the rows after a stage: what stands before and after the text of the rows, which a macro must use only once ---------------

CREATE OR REPLACE MACRO sqlrp_after(rows, step, carried, value, inputs, tables) AS
  '(SELECT ' || carried || value || ' AS x FROM ' || coalesce('(SELECT ' || carried || inputs || ' FROM ', '')
    || CASE WHEN step['held'] = step['after'] THEN '' ELSE '(SELECT ' || carried || 'CAST(x AS ' || step['after'] || '[]) AS x FROM ' END || rows
    || CASE WHEN step['held'] = step['after'] THEN '' ELSE ') s' END || CASE WHEN inputs IS NULL THEN '' ELSE ') s' END || coalesce(', ' || tables, '') || ') s';

CREATE OR REPLACE MACRO sqlrp_append_rows(rows, step, carried, tables) AS
  '(SELECT ' || carried || 'list_append(x, ' || sqlrp_literal(step['value'], step['held']) || ') AS x FROM ' || rows || ') s';

CREATE OR REPLACE MACRO sqlrp_signs_rows(rows, step, carried, tables) AS
  sqlrp_after(rows, step, carried, 'list_transform(l, lambda v: '
    || sqlrp_narrow('coalesce(list_sum(list_select(x, v)), 0)', step['after']) || ')', 'x || list_transform(x, lambda e: -e) AS x', tables);

CREATE OR REPLACE MACRO sqlrp_weights_rows(rows, step, carried, tables) AS
  sqlrp_after(rows, step, carried, CASE WHEN step['after'] NOT IN ('FLOAT', 'DOUBLE') THEN 'list_transform(l, lambda v, i: '
      || sqlrp_narrow('coalesce(list_sum(list_transform(list_zip(list_select(x, v), m[i]), lambda e: e[1]*e[2])), 0)', step['after']) || ')'
    WHEN step['dense'] THEN 'list_transform(m, lambda v: list_dot_product(x, v))'
    ELSE 'list_transform(m, lambda v, i: coalesce(list_dot_product(list_select(x, l[i]), v), 0))' END, CAST(NULL AS VARCHAR), tables);

CREATE OR REPLACE MACRO sqlrp_reflect_rows(rows, step, carried, tables) AS
  sqlrp_after(rows, step, carried, 'list_transform(list_select(x, l), lambda e: n * e - CAST(2 AS ' || step['after'] || ') * y)',
    'x, CAST(' || step['n'] || ' AS ' || step['after'] || ') AS n, ' || sqlrp_narrow('list_sum(x)', step['after']) || ' AS y', tables);

CREATE OR REPLACE MACRO sqlrp_products_value(step) AS
  list_transform([list_transform(range(step['factors']), lambda rows_j: 'list_select(x, ' || CASE WHEN rows_j = 0 THEN 'v' ELSE 'a' || rows_j || '[i]' END || ')')],
    lambda rows_l: 'list_transform(a0, lambda v, i: ' || CASE
      WHEN step['dense'] AND len(rows_l) = 1 THEN sqlrp_narrow('list_sum(' || rows_l[1] || ')', step['after'])
      WHEN step['dense'] AND len(rows_l) = 2 AND step['after'] IN ('FLOAT', 'DOUBLE') THEN 'list_dot_product(' || rows_l[1] || ', ' || rows_l[2] || ')'
      ELSE sqlrp_narrow('list_sum(list_transform(list_zip(' || sqlrp_join(rows_l || CASE WHEN step['dense'] THEN [] ELSE ['w[i]'] END, ', ') || '), lambda e: '
        || sqlrp_join(list_transform(range(1, len(rows_l) + CASE WHEN step['dense'] THEN 1 ELSE 2 END), lambda rows_j: 'e[' || rows_j || ']'), '*') || '))',
        step['after']) END || ')')[1];

CREATE OR REPLACE MACRO sqlrp_products_rows(rows, step, carried, tables) AS
  sqlrp_after(rows, step, carried, sqlrp_products_value(step), 'list_append(x, CAST(1 AS ' || step['after'] || ')) AS x', tables);

CREATE OR REPLACE MACRO sqlrp_rescale_rows(rows, step, carried, tables) AS
  sqlrp_after(rows, step, carried, 'list_transform(list_zip(x, l, m), lambda e: (e[1] - e[2]) * e[3])', CAST(NULL AS VARCHAR), tables);

CREATE OR REPLACE MACRO sqlrp_normalise_rows(rows, step, carried, tables) AS
  sqlrp_after(rows, step, carried, 'list_transform(x, lambda e: e / CASE WHEN y = 0 THEN 1 ELSE y END)', 'x, sqrt(list_dot_product(x, x)) AS y', CAST(NULL AS VARCHAR));

CREATE OR REPLACE MACRO sqlrp_root_rows(rows, step, carried, tables) AS
  sqlrp_after(rows, step, carried, 'list_transform(x, lambda e: CASE WHEN e < 0 THEN -sqrt(-e) ELSE sqrt(e) END)', CAST(NULL AS VARCHAR), CAST(NULL AS VARCHAR));

CREATE OR REPLACE MACRO sqlrp_power_rows(rows, step, carried, tables) AS
  sqlrp_after(rows, step, carried, 'list_transform(x, lambda e: ' || sqlrp_join(list_transform(range(step['factors']), lambda rows_j:
    '(e+' || sqlrp_literal(step['value'], step['after']) || ')'), '*') || ')', CAST(NULL AS VARCHAR), CAST(NULL AS VARCHAR));

CREATE OR REPLACE MACRO sqlrp_exponential_rows(rows, step, carried, tables) AS
  sqlrp_after(rows, step, carried, 'list_transform(x, lambda e: exp(e))', CAST(NULL AS VARCHAR), CAST(NULL AS VARCHAR));

-- The rows of a group, summed. A group with a NULL is NULL.
CREATE OR REPLACE MACRO sqlrp_group_rows(rows, step, carried, tables) AS
  '(SELECT ' || carried || 'list(' || sqlrp_narrow('x', step['after']) || ' ORDER BY f) AS x FROM (SELECT c0, f, sum(x) AS x'
    || CASE WHEN contains(carried, 'ok') THEN ', CASE WHEN count(*) = count(ok) THEN 0 END AS ok' ELSE '' END || ' FROM (SELECT ' || carried
    || 'unnest(range(len(x))) AS f, unnest(x) AS x FROM ' || rows || ') s GROUP BY c0, f) s GROUP BY ' || rtrim(carried, ', ') || ') s';

-- The rows times a number that only the statement can tell.
CREATE OR REPLACE MACRO sqlrp_scaled_rows(rows, carried, factor) AS
  '(SELECT ' || carried || 'list_transform(x, lambda e: g * e) AS x FROM ' || rows || ', (SELECT ' || factor || ' AS g) g_) s';

-- The outputs over `rows`, whose list x has the type `kind`.
CREATE OR REPLACE MACRO sqlrp_shape_of(own, long, output, k, ok, z, result) AS
  CASE output
    WHEN 'columns' THEN 'SELECT ' || own || sqlrp_join(list_transform(range(k), lambda shape_i:
        replace(z, '@', 'x[' || (shape_i + 1) || ']') || ok || ' AS z' || shape_i), ', ')
    WHEN 'long' THEN CASE WHEN long THEN 'SELECT * FROM (' ELSE '' END || 'SELECT ' || own || 'unnest(range(' || k || ')) AS component, '
        || 'unnest(list_transform(x, lambda e: ' || replace(z, '@', 'e') || ok || ')) AS value'
    ELSE 'SELECT ' || own || CASE WHEN ok <> '' THEN 'CASE WHEN ok IS NOT NULL THEN ' ELSE '' END || 'CAST('
        || CASE WHEN z = '@' THEN 'x' ELSE 'list_transform(x, lambda e: ' || replace(z, '@', 'e') || ')' END || ' AS ' || result || '['
        || CASE WHEN k <= {{longest_vector}} THEN CAST(k AS VARCHAR) ELSE '' END || '])' || CASE WHEN ok <> '' THEN ' END' ELSE '' END || ' AS z' END || ' FROM ';

CREATE OR REPLACE MACRO sqlrp_with(tables) AS
  list_transform([tables], lambda with_t: CASE WHEN len(with_t) = 0 THEN '' ELSE 'WITH ' || sqlrp_join(with_t, ', ') || ' ' END)[1];

CREATE OR REPLACE MACRO sqlrp_shape(kept, long, output, k, guarded, factor, kind, result, tables, rows) AS
  sqlrp_with(tables) || sqlrp_shape_of(sqlrp_join(list_transform(kept, lambda shape_n, shape_i: 'c' || (shape_i - 1) || ' AS ' || sqlrp_quote(shape_n)) || [''], ', '),
    long, output, k, CASE WHEN guarded THEN '+ok' ELSE '' END,
    CASE WHEN CASE WHEN factor IS NULL OR kind = 'FLOAT' THEN kind ELSE 'DOUBLE' END = result THEN coalesce(factor || '*', '') || '@'
      ELSE 'CAST(' || coalesce(factor || '*', '') || '@ AS ' || result || ')' END, result)
  || rows || CASE WHEN output = 'long' AND long THEN ') cells WHERE component = 0 OR value IS NULL OR value <> 0' ELSE '' END;
