-- -- the statement -----------------------------------------------------------------------------------------------------
-- A row is a list x. The table of a stage is drawn once, as one row of lists of positions, and list functions pick the entries and
-- sum them. The sum of signed entries is the sum of picked entries of x || -x. Lists must have the very type that a function takes:
-- a cast within a lambda is done for every component. A lambda must pick from a list by list_select, as x[i] copies the list.

-- Sums of FLOAT are DOUBLE; a CAST back would refuse what IEEE calls infinite.
CREATE OR REPLACE MACRO sqlrp_narrow(total, kind) AS
  replace(CASE kind WHEN 'FLOAT' THEN 'coalesce(TRY_CAST(@ AS FLOAT), CAST(''inf''::DOUBLE * @ AS FLOAT))' ELSE concat('CAST(@ AS ', kind, ')') END, '@', total);

-- The guard: 0 for a row without NULL, else NULL or an error; NULL where no guard is needed.
CREATE OR REPLACE MACRO sqlrp_ok(nulls, complete) AS
  CASE WHEN nulls = 'zero' OR complete IS NULL THEN NULL ELSE 'CASE WHEN ' || complete || ' THEN 0'
    || CASE WHEN nulls = 'error' THEN ' ELSE error(''sqlrp: a feature is NULL and nulls = ''''error'''': clean the row, or use '
       || 'nulls = ''''zero'''' or ''''propagate'''''')' ELSE '' END || ' END' END;

-- The rows of a wide or array source: c0, c1, ..., ok if a guard is needed, and x, in which NULL is 0.
CREATE OR REPLACE MACRO sqlrp_wide_rows(kind, zero, {{frame_arguments}}) AS
  list_transform([{'names': names, 'types': types, 'nullable': nullable}], lambda wide_w: concat('(SELECT ', sqlrp_join(list_transform(kept, lambda wide_n, wide_i:
        concat(sqlrp_quote(wide_n), ' AS c', wide_i - 1))
    || list_filter([sqlrp_ok(nulls, CASE WHEN list_contains(wide_w['nullable'], true) THEN sqlrp_all(list_transform(list_filter(wide_w['names'],
         lambda wide_n, wide_i: wide_w['nullable'][wide_i]), lambda wide_n: sqlrp_quote(wide_n) || ' IS NOT NULL')) END) || ' AS ok'], lambda wide_o: wide_o IS NOT NULL)
    || [concat('[', sqlrp_join(list_transform(wide_w['names'], lambda wide_n, wide_i: list_transform([concat('CAST(', CASE WHEN wide_w['types'][wide_i] = 'BOOLEAN'
         THEN concat('CAST(', sqlrp_quote(wide_n), ' AS INTEGER)') ELSE sqlrp_quote(wide_n) END, ' AS ', kind, ')')], lambda wide_x:
         CASE WHEN wide_w['nullable'][wide_i] THEN concat('coalesce(', wide_x, ', ', zero, ')') ELSE wide_x END)[1]), ', '), '] AS x')], ', '),
    ' FROM ', relation, ') s'))[1];

CREATE OR REPLACE MACRO sqlrp_array_rows(kind, zero, {{frame_arguments}}) AS
  list_transform([{'carried': sqlrp_join(list_transform(kept, lambda array_n, array_i: concat('c', array_i - 1)) || [''], ', '), 'name': sqlrp_quote(names[1])}], lambda array_v:
    concat('(SELECT ', array_v['carried'], CASE WHEN nulls <> 'zero' THEN 'ok, ' END, 'coalesce(list_transform(x, lambda e: coalesce(e, ', zero, ')), list_resize(CAST([] AS ', kind, '[]), ', size, ', ', zero,
    ')) AS x FROM (SELECT ', array_v['carried'], sqlrp_ok(nulls, 'a IS NOT NULL AND list_position(a, NULL) IS NULL') || ' AS ok, ',
    'CAST(a AS ', kind, '[]) AS x FROM (SELECT ', sqlrp_join(list_transform(kept, lambda array_n, array_i: concat(sqlrp_quote(array_n), ' AS c', array_i - 1))
    || [concat(CASE WHEN types[1] LIKE '%[]' THEN concat('CASE WHEN len(', array_v['name'], ') <> ', size, ' THEN error(',
        sqlrp_string(concat('sqlrp: a list in ''', names[1], ''' has not the ')), ' || ', size, ' || ',
        ''' elements of the others: pad it, or set it to NULL'') ELSE ', CASE WHEN late IS NULL THEN array_v['name']
        ELSE concat('TRY_CAST(', array_v['name'], ' AS DOUBLE[])') END, ' END') ELSE array_v['name'] END, ' AS a')], ', '),
    ' FROM ', relation, ') s) s) s'))[1];

-- The feature number of a long row: a position, or the hash of a word. The statement tells which where the types are known late.
CREATE OR REPLACE MACRO sqlrp_hashed(name) AS
  '(CAST(''0x'' || md5(CAST(' || name || ' AS VARCHAR))[:15] AS BIGINT) % {{last_feature_and_one}})';

CREATE OR REPLACE MACRO sqlrp_counted(n, column_name, number) AS
  concat('CASE WHEN ', number, ' BETWEEN 0 AND ', coalesce(n, {{last_feature}}) - 1, ' THEN CAST(', number, ' AS BIGINT) WHEN ', number,
    ' IS NOT NULL THEN error(', sqlrp_string(concat('sqlrp: a feature in ''', column_name, ''' is outside 0 ... ',
    coalesce(n, {{last_feature}}) - 1, ': positions count from 0; raise n_features')), ') END');

CREATE OR REPLACE MACRO sqlrp_number_of(late, words, n, column_name, quoted) AS
  CASE WHEN late IS NOT NULL THEN concat('CASE WHEN (SELECT text FROM ', late, ') THEN ', sqlrp_hashed(quoted), ' ELSE ',
      sqlrp_counted(n, column_name, concat('TRY_CAST(CAST(', quoted, ' AS VARCHAR) AS BIGINT)')), ' END')
    WHEN words THEN sqlrp_hashed(quoted) ELSE sqlrp_counted(n, column_name, quoted) END;

-- The number of a long row, and the condition that no number of a row is NULL.
CREATE OR REPLACE MACRO sqlrp_cell_value(late, column_name, type, kind) AS
  concat(CASE WHEN late IS NOT NULL THEN 'TRY_' END, 'CAST(', CASE WHEN type = 'BOOLEAN' THEN concat('CAST(', sqlrp_quote(column_name), ' AS INTEGER)') ELSE sqlrp_quote(column_name) END, ' AS ', kind, ')');
CREATE OR REPLACE MACRO sqlrp_complete_cells(column_name) AS concat('count(*) = count(', sqlrp_quote(column_name), ')');

-- The tables of a long source: the rows (r, c0, ok), and the cells (r, f, x).
CREATE OR REPLACE MACRO sqlrp_long_tables(own, kind, {{frame_arguments}}) AS
  list_transform([{'key': sqlrp_quote(kept[1]), 'feature': sqlrp_quote(names[1])}], lambda long_v:
  [concat(own, '_rows AS MATERIALIZED (SELECT ', long_v['key'], ' AS r, ', long_v['key'], ' AS c0',
    ', ' || CASE WHEN nullable[2] THEN sqlrp_ok(nulls, sqlrp_complete_cells(names[2])) END || ' AS ok',
    ' FROM ', relation, ' GROUP BY ', long_v['key'], ')'),
   concat(own, '_cells0 AS MATERIALIZED (SELECT ', long_v['key'], ' AS r, ', sqlrp_number_of(late, words, n, names[1], long_v['feature']), ' AS f, ',
    sqlrp_cell_value(late, names[2], types[2], kind), ' AS x FROM ', relation, ')'),
   concat(own, '_numbers AS MATERIALIZED (', CASE WHEN n IS NULL OR words OR late IS NOT NULL THEN concat('SELECT DISTINCT f FROM ', own, '_cells0 WHERE f IS NOT NULL')
        ELSE 'SELECT f FROM ' || sqlrp_series(n, 'f') END, ')')])[1];

-- The cells after a stage of a long source.
CREATE OR REPLACE MACRO sqlrp_append_cells(own, cells, {{stage_arguments}}) AS
  'SELECT r, f, x FROM ' || cells || ' UNION ALL SELECT r, {{constant_feature}}, ' || sqlrp_literal(constant_value, held) || ' FROM ' || own || '_rows';

CREATE OR REPLACE MACRO sqlrp_rescale_cells(own, cells, {{stage_arguments}}) AS
  'SELECT r, f, x * coalesce(t.scale, ' || sqlrp_literal(constant_value, held) || ') AS x FROM ' || cells || ' LEFT JOIN (' || table_text || ') t USING (f)';

CREATE OR REPLACE MACRO sqlrp_normalise_cells(own, cells, {{stage_arguments}}) AS
  'SELECT c.r, c.f, c.x / CASE WHEN t.n = 0 THEN 1 ELSE t.n END AS x FROM ' || cells || ' c JOIN (SELECT r, sqrt(sum(x * x)) AS n FROM '
    || cells || ' GROUP BY r) t ON t.r IS NOT DISTINCT FROM c.r';

CREATE OR REPLACE MACRO sqlrp_summed_cells(own, cells, table_text, term) AS
  'WITH sqlrp_features AS (SELECT f FROM ' || own || '_numbers UNION ALL SELECT {{constant_feature}}) SELECT r, c AS f, sum(' || term || ') AS x FROM '
    || cells || ' JOIN (' || table_text || ') t USING (f) WHERE w IS NOT NULL GROUP BY r, c';

CREATE OR REPLACE MACRO sqlrp_signs_cells(own, cells, {{stage_arguments}}) AS
  sqlrp_summed_cells(own, cells, table_text, 'CASE WHEN w > 0 THEN x ELSE ' || sqlrp_literal(0, after) || ' - x END');

CREATE OR REPLACE MACRO sqlrp_weights_cells(own, cells, {{stage_arguments}}) AS
  sqlrp_summed_cells(own, cells, table_text, 'CAST(w AS ' || after || ') * x');

-- The rows of cells, each with its entries as the list x.
CREATE OR REPLACE MACRO sqlrp_dense_rows(own, cells, carried, n, kind) AS
  '(SELECT ' || carried || 'list(coalesce(' || sqlrp_narrow('z.x', kind) || ', ' || sqlrp_literal(0, kind)
    || ') ORDER BY n.f ASC) AS x FROM ' || own || '_rows s CROSS JOIN (SELECT unnest(range(CAST(' || n || ' AS BIGINT))) AS f) n LEFT JOIN (SELECT r, f, sum(x) AS x FROM '
    || cells || ' GROUP BY r, f) z ON z.r IS NOT DISTINCT FROM s.r AND z.f = n.f GROUP BY ' || carried || 's.r) s';

-- -- the tables of the stages: each one row of lists of positions, which count from 1 ---------------------------------------

-- A number that is digits, or a subquery of the column n of a table: in an expression, and what must stand beside it in FROM. So the
-- table is joined once, where a subquery would be planned again for each use.
CREATE OR REPLACE MACRO sqlrp_beside(n) AS CASE WHEN starts_with(n, '(SELECT n FROM ') THEN ', ' || n || ' n_' ELSE '' END;
CREATE OR REPLACE MACRO sqlrp_by_name(n) AS CASE WHEN starts_with(n, '(SELECT n FROM ') THEN 'n' ELSE n END;

CREATE OR REPLACE MACRO sqlrp_features_of(n, constant) AS
  'WITH sqlrp_features AS (SELECT f FROM ' || CASE WHEN constant THEN sqlrp_series(n || ' - 1', 'f') || ' UNION ALL SELECT {{constant_feature}}'
    ELSE sqlrp_series(n, 'f') END || ') ';

-- `lists` are the lists of a component, and `tables` is their list for all components.
CREATE OR REPLACE MACRO sqlrp_lists(table_text, outputs, n, constant, lists, tables) AS
  sqlrp_features_of(n, constant) || 'SELECT ' || tables || ' FROM (SELECT unnest(range(CAST(' || outputs || ' AS BIGINT))) AS c) n LEFT JOIN (SELECT c, ' || lists || ' FROM ('
    || table_text || ') t' || sqlrp_beside(n) || ' GROUP BY c) g USING (c)';

CREATE OR REPLACE MACRO sqlrp_position(n, constant) AS
  CASE WHEN constant THEN 'CASE WHEN f = {{constant_feature}} THEN ' || sqlrp_by_name(n) || ' ELSE f + 1 END' ELSE 'f + 1' END;

CREATE OR REPLACE MACRO sqlrp_signs_table({{stage_arguments}}) AS
  sqlrp_lists(table_text, outputs, n, constant, 'list(' || sqlrp_position(n, constant) || ' + CASE WHEN w > 0 THEN 0 ELSE ' || sqlrp_by_name(n)
    || ' END ORDER BY f ASC) FILTER (WHERE w IS NOT NULL) AS l',
    'list(coalesce(g.l, []) ORDER BY n.c ASC) AS l');

CREATE OR REPLACE MACRO sqlrp_weights_table({{stage_arguments}}) AS
  sqlrp_lists(table_text, outputs, n, constant, 'list(' || sqlrp_position(n, constant) || ' ORDER BY f ASC) AS l, list(CAST(w AS ' || after || ') ORDER BY f ASC) AS m',
    'list(coalesce(g.l, []) ORDER BY n.c ASC) AS l, list(coalesce(g.m, []) ORDER BY n.c ASC) AS m');

CREATE OR REPLACE MACRO sqlrp_reflect_table({{stage_arguments}}) AS
  'SELECT list(f + 1 ORDER BY c ASC) AS l FROM (' || table_text || ') t';

CREATE OR REPLACE MACRO sqlrp_rescale_table({{stage_arguments}}) AS
  'SELECT list(coalesce(t.shift, 0) ORDER BY n.f ASC) AS l, list(coalesce(t.scale, ' || constant_value || ') ORDER BY n.f ASC) AS m FROM '
    || '(SELECT unnest(range(CAST(' || n || ' AS BIGINT))) AS f) n LEFT JOIN (' || table_text || ') t USING (f)';

CREATE OR REPLACE MACRO sqlrp_products_table({{stage_arguments}}) AS
  list_transform([list_transform(range(factors), lambda table_j: CAST(table_j AS VARCHAR))], lambda table_f: sqlrp_lists(table_text, outputs, n, constant,
    sqlrp_join(list_transform(table_f, lambda table_j: 'list(CASE WHEN v[' || table_j || ' + 1] < 0 THEN ' || n || ' + 1 ELSE v[' || table_j
      || ' + 1] + 1 END ORDER BY i ASC) AS a' || table_j) || ['list(CAST(w AS ' || after || ') ORDER BY i ASC) AS w'], ', '),
    sqlrp_join(list_transform(table_f, lambda table_j: 'list(coalesce(g.a' || table_j || ', []) ORDER BY n.c ASC) AS a' || table_j), ', ')
      || ', list(coalesce(g.w, []) ORDER BY n.c ASC) AS w'))[1];

-- -- the rows after a stage: what stands before and after the text of the rows, which a macro must use only once ---------------

CREATE OR REPLACE MACRO sqlrp_after(rows, carried, tables, held, after, value, inputs) AS
  concat('(SELECT ', carried, value, ' AS x FROM ', concat('(SELECT ', carried) || inputs || ' FROM ',
    CASE WHEN held <> after THEN concat('(SELECT ', carried, 'CAST(x AS ', after, '[]) AS x FROM ') END, rows,
    CASE WHEN held <> after THEN ') s' END, CASE WHEN inputs IS NOT NULL THEN ') s' END, ', ' || tables, ') s');

CREATE OR REPLACE MACRO sqlrp_append_rows(rows, carried, tables, {{stage_arguments}}) AS
  '(SELECT ' || carried || 'list_append(x, ' || sqlrp_literal(constant_value, held) || ') AS x FROM ' || rows || ') s';

CREATE OR REPLACE MACRO sqlrp_signs_rows(rows, carried, tables, {{stage_arguments}}) AS
  sqlrp_after(rows, carried, tables, held, after, 'list_transform(l, lambda v: '
    || sqlrp_narrow('coalesce(list_sum(list_select(x, v)), 0)', after) || ')', 'x || list_transform(x, lambda e: -e) AS x');

CREATE OR REPLACE MACRO sqlrp_weights_rows(rows, carried, tables, {{stage_arguments}}) AS
  sqlrp_after(rows, carried, tables, held, after, CASE WHEN after NOT IN ('FLOAT', 'DOUBLE') THEN 'list_transform(l, lambda v, i: '
      || sqlrp_narrow('coalesce(list_sum(list_transform(list_zip(list_select(x, v), m[i]), lambda e: e[1]*e[2])), 0)', after) || ')'
    WHEN dense THEN 'list_transform(m, lambda v: list_dot_product(x, v))'
    ELSE 'list_transform(m, lambda v, i: coalesce(list_dot_product(list_select(x, l[i]), v), 0))' END, CAST(NULL AS VARCHAR));

CREATE OR REPLACE MACRO sqlrp_reflect_rows(rows, carried, tables, {{stage_arguments}}) AS
  sqlrp_after(rows, carried, tables, held, after, 'list_transform(list_select(x, l), lambda e: n * e - CAST(2 AS ' || after || ') * y)',
    'x, CAST(' || n || ' AS ' || after || ') AS n, ' || sqlrp_narrow('list_sum(x)', after) || ' AS y');

CREATE OR REPLACE MACRO sqlrp_products_value(after, factors, dense) AS
  list_transform([list_transform(range(factors), lambda rows_j: 'list_select(x, ' || CASE WHEN rows_j = 0 THEN 'v' ELSE 'a' || rows_j || '[i]' END || ')')],
    lambda rows_l: 'list_transform(a0, lambda v, i: ' || CASE
      WHEN dense AND len(rows_l) = 1 THEN sqlrp_narrow('list_sum(' || rows_l[1] || ')', after)
      WHEN dense AND len(rows_l) = 2 AND after IN ('FLOAT', 'DOUBLE') THEN 'list_dot_product(' || rows_l[1] || ', ' || rows_l[2] || ')'
      ELSE sqlrp_narrow('list_sum(list_transform(list_zip(' || sqlrp_join(rows_l || CASE WHEN dense THEN [] ELSE ['w[i]'] END, ', ') || '), lambda e: '
        || sqlrp_join(list_transform(range(1, len(rows_l) + CASE WHEN dense THEN 1 ELSE 2 END), lambda rows_j: 'e[' || rows_j || ']'), '*') || '))',
        after) END || ')')[1];

CREATE OR REPLACE MACRO sqlrp_products_rows(rows, carried, tables, {{stage_arguments}}) AS
  sqlrp_after(rows, carried, tables, held, after, sqlrp_products_value(after, factors, dense), 'list_append(x, CAST(1 AS ' || after || ')) AS x');

CREATE OR REPLACE MACRO sqlrp_rescale_rows(rows, carried, tables, {{stage_arguments}}) AS
  sqlrp_after(rows, carried, tables, held, after, 'list_transform(list_zip(x, l, m), lambda e: (e[1] - e[2]) * e[3])', CAST(NULL AS VARCHAR));

CREATE OR REPLACE MACRO sqlrp_normalise_rows(rows, carried, tables, {{stage_arguments}}) AS
  sqlrp_after(rows, carried, CAST(NULL AS VARCHAR), held, after, 'list_transform(x, lambda e: e / CASE WHEN y = 0 THEN 1 ELSE y END)', 'x, sqrt(list_dot_product(x, x)) AS y');

CREATE OR REPLACE MACRO sqlrp_map_rows(rows, carried, tables, {{stage_arguments}}) AS
  sqlrp_after(rows, carried, CAST(NULL AS VARCHAR), held, after, 'list_transform(x, lambda e: ' || replace(table_text, '@', 'e') || ')', CAST(NULL AS VARCHAR));

-- The rows of a group, summed. A group with a NULL is NULL.
CREATE OR REPLACE MACRO sqlrp_group_rows(rows, carried, tables, {{stage_arguments}}) AS
  '(SELECT ' || carried || 'list(' || sqlrp_narrow('x', after) || ' ORDER BY f ASC) AS x FROM (SELECT c0, f, sum(x) AS x'
    || CASE WHEN contains(carried, 'ok') THEN ', CASE WHEN count(*) = count(ok) THEN 0 END AS ok' ELSE '' END || ' FROM (SELECT ' || carried
    || 'unnest(range(len(x))) AS f, unnest(x) AS x FROM ' || rows || ') s GROUP BY c0, f) s GROUP BY ' || rtrim(carried, ', ') || ') s';

-- The rows times a number that only the statement can tell.
CREATE OR REPLACE MACRO sqlrp_scaled_rows(rows, carried, factor) AS
  '(SELECT ' || carried || 'list_transform(x, lambda e: g * e) AS x FROM ' || rows || ', (SELECT ' || factor || ' AS g) g_) s';

-- The outputs over rows: `z` is an output as text, of the entry @, and `ok` makes it NULL with the row.
CREATE OR REPLACE MACRO sqlrp_shape_of(long, output, k, ok, z, result) AS
  CASE output
    WHEN 'columns' THEN sqlrp_join(list_transform(range(k), lambda shape_i: concat(replace(z, '@', concat('x[', shape_i + 1, ']')), ok, ' AS z', shape_i)), ', ')
    WHEN 'bits' THEN sqlrp_join(list_transform(range(0, k, {{word_bits}}), lambda shape_w: concat('CAST(list_sum(list_transform(x[', shape_w + 1, ':', shape_w + {{word_bits}},
      '], lambda e, i: CASE WHEN ', replace(z, '@', 'e'), '<=0 THEN 0 WHEN i = 1 THEN ', sqlrp_place(1), ' ELSE CAST(1 AS BIGINT) << ({{word_bits}} - i) END)) AS BIGINT)', ok,
      ' AS b', shape_w // {{word_bits}})), ', ')
    WHEN 'long' THEN concat('unnest(range(', k, ')) AS component, unnest(list_transform(x, lambda e: ', replace(z, '@', 'e'), ok, ')) AS value')
    -- The cast is outside of CASE, which gives no ARRAY in DuckDB 1.4.
    ELSE concat('CAST(', CASE WHEN ok <> '' THEN 'CASE WHEN ok IS NOT NULL THEN ' END, CASE WHEN z = '@' THEN 'x' ELSE concat('list_transform(x, lambda e: ', replace(z, '@', 'e'), ')') END,
      CASE WHEN ok <> '' THEN ' END' END, ' AS ', result, '[', CASE WHEN k <= {{longest_vector}} THEN k END, ']) AS z') END;

CREATE OR REPLACE MACRO sqlrp_with(tables) AS coalesce('WITH ' || nullif(sqlrp_join(tables, ', '), '') || ' ', '');

CREATE OR REPLACE MACRO sqlrp_shape(kept, long, output, k, guarded, factor, kind, result, tables, rows) AS
  concat(sqlrp_with(tables), CASE WHEN output = 'long' AND long THEN 'SELECT * FROM (' END, 'SELECT ',
    sqlrp_join(list_transform(kept, lambda shape_n, shape_i: concat('c', shape_i - 1, ' AS ', sqlrp_quote(shape_n))) || [''], ', '),
    list_transform([replace(CASE WHEN CASE WHEN factor IS NULL OR kind = 'FLOAT' THEN kind ELSE 'DOUBLE' END = result THEN '#@' WHEN factor IS NULL AND sqlrp_through_double(kind, result) THEN 'CAST(CAST(#@ AS DOUBLE) AS FLOAT)' ELSE concat('CAST(#@ AS ', result, ')') END,
      '#', coalesce(factor || '*', ''))], lambda shape_v: sqlrp_shape_of(long, output, k, CASE WHEN guarded THEN '+ok' ELSE '' END, shape_v, result))[1],
    ' FROM ', rows, CASE WHEN output = 'long' AND long THEN ') cells WHERE component = 0 OR value IS NULL OR value <> 0' END);
