-- -- one vector ---------------------------------------------------------------------------------------------------------------
-- Functions of an array, for the vector of a search. Their text reads the column sqlrp_vector of the row that it is joined with. Without
-- n_features the signs are drawn for each vector, with n_features once for a statement.

-- The rows of one vector.
CREATE OR REPLACE MACRO sqlrp_vector_rows() AS
  '(SELECT CASE WHEN list_position(a, NULL) IS NULL AND a IS NOT NULL THEN 0 END AS ok, coalesce(list_transform(a, lambda e: coalesce(e, 0)), '
    || 'list_resize(CAST([] AS DOUBLE[]), n, 0)) AS x FROM (SELECT n, CASE WHEN len(sqlrp_vector) <> n THEN error(''sqlrp: vector has '' || len(sqlrp_vector) || '' numbers, and n_features = '' || n || '
    || ''': pass one number for each feature, in their order'') ELSE sqlrp_vector END AS a FROM sqlrp_given, sqlrp_source) s) s';

-- Everything is DOUBLE. A stage as calls of the macros of its kind: the text that draws its table, and what stands before and after the call of the rows.
CREATE OR REPLACE MACRO sqlrp_vector_stages(stages, sizes) AS
  list_transform(list_transform(stages, lambda stages_s, stages_i: {'kind': stages_s['kind'], 'i': stages_i, 'call': sqlrp_stage_text(stages_s, sizes[stages_i],
      'DOUBLE', 'DOUBLE', stages_i > 1 AND stages[greatest(stages_i - 1, 1)]['kind'] = 'append')}), lambda stages_v: {
    'table': CASE WHEN stages_v['kind'] IN ('signs', 'weights', 'reflect', 'rescale', 'products') THEN concat(''', sqlrp_table', stages_v['i'],
      ' AS MATERIALIZED ('' || sqlrp_', stages_v['kind'], '_table(', stages_v['call'], ') || '')'' || ') ELSE '' END,
    'before': concat('sqlrp_', stages_v['kind'], '_rows('), 'after': concat(', ''ok, '', ''sqlrp_table', stages_v['i'], ''', ', stages_v['call'], ')')});

CREATE OR REPLACE MACRO sqlrp_vector_final(p, size, scale) AS
  list_transform(list_transform([p], lambda final_p: {'p': final_p, 'scaled': scale AND final_p['factor'] <> '1', 'bound': coalesce(final_p['bound'], len(final_p['names'])),
      'stages': sqlrp_vector_stages(final_p['stages'], sqlrp_sizes(final_p['stages'], size))}), lambda final_v:
    CASE WHEN final_v['p']['grouped'] THEN error('pooling sums the rows of a group: one vector is none, so use project_with and name the group''s column as group_by')
    ELSE concat('FROM query(''WITH sqlrp_source AS MATERIALIZED (SELECT ', coalesce('CASE WHEN n <> ' || final_v['bound'] || ' THEN error(''''the projection holds for '
        || final_v['bound'] || ' features, the source has '''' || n || '''': name ' || final_v['bound'] || ' in features'''') ELSE n END AS ', ''), 'n FROM (SELECT ', CASE WHEN starts_with(size, '(') THEN '(SELECT len(sqlrp_vector) FROM sqlrp_given)' ELSE size END, ' AS n) s)'' || ',
      sqlrp_join(list_transform(final_v['stages'], lambda final_s: final_s['table']), ''), ''' SELECT CASE WHEN ok IS NOT NULL THEN CAST(x AS DOUBLE[',
      CASE WHEN final_v['p']['k'] <= {{longest_vector}} THEN final_v['p']['k'] END, ']) END AS z FROM '' || ', CASE WHEN final_v['scaled'] THEN 'sqlrp_scaled_rows(' ELSE '' END,
      sqlrp_join(list_reverse(list_transform(final_v['stages'], lambda final_s: final_s['before'])), ''), 'sqlrp_vector_rows()',
      sqlrp_join(list_transform(final_v['stages'], lambda final_s: final_s['after']), ''),
      CASE WHEN final_v['scaled'] THEN concat(', ''ok, '', ', sqlrp_string(final_v['p']['factor']), ')') ELSE '' END, ')') END)[1];

CREATE OR REPLACE MACRO sqlrp_vector_step(n_features, scale, method) AS
  replace('FROM query(sqlrp_vector_final(' || method || ', {n}, ' || sqlrp_flag('scale', scale) || '))', '{n}',
    CASE WHEN n_features IS NULL THEN '''(SELECT n FROM sqlrp_source)''' ELSE '''' || sqlrp_whole('n_features', n_features, 1) || '''' END);

CREATE OR REPLACE MACRO sqlrp_saved_vector_step(n_features, scale, projection) AS
  CASE WHEN projection IS NULL THEN error('projection = NULL must be the name of a saved projection')
    ELSE list_transform(['FROM query(sqlrp_vector_step(' || sqlrp_value(n_features) || ', ' || sqlrp_flag('scale', scale) || ', ' || sqlrp_saved(projection) || '[''text'']))'],
      lambda saved_t: CASE WHEN sqlrp_late() THEN saved_t ELSE sqlrp_if_saved(projection, sqlrp_string(saved_t), saved_t) END)[1] END;

-- The commonest projection, k sums with drawn signs times sqrt(s / k), is written in one step in place of two. Its arguments take the places
-- of {k}, {s} and so on in the end: DuckDB binds an argument of a macro wherever the macro names it. Normal weights take two steps.
CREATE OR REPLACE MACRO sqlrp_signs_vector() AS
  'WITH sqlrp_source AS MATERIALIZED (SELECT {n} AS n), sqlrp_table1 AS MATERIALIZED ('
    || sqlrp_signs_table(sqlrp_sign_text('{seed}', '{k}', '{s}', {{signs}}), '{k}', '(SELECT n FROM sqlrp_source)', 'DOUBLE', 'DOUBLE', 1, 0, false, false)
    || ') SELECT CASE WHEN ok IS NOT NULL THEN CAST(x AS DOUBLE[{length}]) END AS z FROM '
    || sqlrp_scaled_rows(sqlrp_signs_rows(sqlrp_vector_rows(), 'ok, ', 'sqlrp_table1', '', '{k}', '', 'DOUBLE', 'DOUBLE', 1, 0, false, false), 'ok, ', '{factor}');

CREATE OR REPLACE MACRO sqlrp_rp_vector_step(k, s, seed, vectors, n_features, scale) AS
  replace(replace(replace(replace(replace(replace(CASE sqlrp_one_of('vectors', vectors, {{vectors_list}}) WHEN 'gaussian' THEN
      'FROM query(sqlrp_vector_final(sqlrp_rp_stages({k}, NULL, NULL, {seed}, ''gaussian'', ''{n}''), ''{n}'', ' || sqlrp_flag('scale', scale) || '))'
      ELSE sqlrp_signs_vector() END,
    '{length}', CASE WHEN TRY_CAST(k AS BIGINT) <= {{longest_vector}} THEN '{k}' ELSE '' END),
    '{factor}', CASE WHEN sqlrp_flag('scale', scale) THEN 'sqrt({s} / {k})' ELSE '1' END),
    '{s}', CASE WHEN vectors = 'gaussian' THEN '' ELSE sqlrp_s(CAST(s AS VARCHAR), typeof(s), '(SELECT n FROM sqlrp_source)') END),
    '{n}', CASE WHEN n_features IS NULL THEN '(SELECT len(sqlrp_vector) FROM sqlrp_given)' ELSE CAST(sqlrp_whole('n_features', n_features, 1) AS VARCHAR) END),
    '{seed}', CAST(sqlrp_seed_number(seed) AS VARCHAR)), '{k}', CAST(sqlrp_whole('k', k, 1) AS VARCHAR));

{{vectors}}
