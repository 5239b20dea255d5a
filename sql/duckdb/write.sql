-- -- the last step of a call: the whole text. `p` is what the method gives (sqlrp_pipeline) ----------------------------------

-- Names as Python lists them.
CREATE OR REPLACE MACRO sqlrp_said(names) AS '[' || sqlrp_join(list_transform(names, lambda said_n: '''' || said_n || ''''), ', ') || ']';

CREATE OR REPLACE MACRO sqlrp_differ(wanted, found) AS
  list_transform([{'missing': list_filter(wanted, lambda differ_n: NOT list_contains(found, differ_n)),
      'extra': list_filter(found, lambda differ_n: NOT list_contains(wanted, differ_n))}], lambda differ_d:
    sqlrp_join(CASE WHEN len(differ_d['missing']) > 0 THEN [len(differ_d['missing']) || ' missing: ' || sqlrp_said(differ_d['missing'])] ELSE [] END
      || CASE WHEN len(differ_d['extra']) > 0 THEN [len(differ_d['extra']) || ' extra: ' || sqlrp_said(differ_d['extra'])] ELSE [] END
      || CASE WHEN len(differ_d['missing']) + len(differ_d['extra']) = 0 THEN ['all there, in another order'] ELSE [] END, ' and '))[1];

CREATE OR REPLACE MACRO sqlrp_names_differ(w, p) AS
  CASE WHEN p['names'] IS NULL OR (w['layout'] = 'wide' AND p['names'] = w['names']) OR w['n'] IS NULL OR (w['layout'] <> 'wide' AND len(p['names']) = w['n']) THEN NULL
    WHEN w['layout'] <> 'wide' THEN 'the projection holds for ' || len(p['names']) || ' features, the source has ' || w['n'] || ': name ' || len(p['names']) || ' in features'
    ELSE 'the projection holds for ' || len(p['names']) || ' features; of the source''s ' || len(w['names']) || ' are '
      || sqlrp_differ(p['names'], w['names']) || ': name the projection''s own in features' END;

CREATE OR REPLACE MACRO sqlrp_output(w, p) AS
  CASE WHEN w['output'] <> 'auto' THEN w['output'] WHEN p['k'] + len(w['kept']) <= {{most_columns}} THEN 'columns' ELSE 'array' END;

CREATE OR REPLACE MACRO sqlrp_refused(w, p) AS
  coalesce(sqlrp_names_differ(w, p), CASE WHEN p['bound'] <> w['n'] THEN 'the projection holds for ' || p['bound'] || ' features, the source has ' || w['n'] || ': name ' || p['bound'] || ' in features'
    WHEN p['grouped'] AND (NOT w['keyed'] OR len(w['kept']) > 1 OR w['layout'] = 'long') THEN 'pooling sums the rows of a group: name the group''s column as '
      || 'group_by, keep no other, one row of features each; got ' || w['layout'] || ' rows and the columns ' || CAST(w['kept'] AS VARCHAR)
    WHEN w['output'] = 'columns' AND p['k'] + len(w['kept']) > {{most_columns}} THEN 'k = ' || p['k'] || ' makes ' || p['k'] + len(w['kept'])
      || ' columns with key and keep, more than the {{most_columns}} of a result of duckdb: use output := ''long'' or ''array'''
    WHEN w['output'] = 'vector' AND p['k'] > {{longest_vector}} THEN 'k = ' || p['k'] || ' is more than the {{longest_vector_shown}} numbers of a vector of duckdb: lower k'
    WHEN w['layout'] = 'long' AND len(list_filter(p['stages'], lambda refused_s: refused_s['kind'] = 'rescale' AND refused_s['heaviest'] > 1)) > 0
      THEN 'Prepared shifts every feature, which makes sparse rows dense: use how = ''tfidf'' or ''l2'', or wide rows' END,
    sqlrp_taken(w['kept'], sqlrp_output(w, p), p['k']));

-- The step that finds the types: a shorter one for floats. The kind of the features is an argument.
CREATE OR REPLACE MACRO sqlrp_known_base(w, p) AS
  list_transform(list_transform(list_transform([list_transform(list_distinct(CASE w['layout'] WHEN 'long' THEN w['types'][2:] ELSE w['types'] END), lambda known_t:
    sqlrp_number(regexp_replace(known_t, '\[\d*\]$', '')))], lambda known_n: sqlrp_common(known_n)), lambda known_c: sqlrp_base(known_c, p, w['n'], w['scale'])),
    lambda known_b: CASE WHEN known_b['kind'] IN ('float', 'double') THEN concat('sqlrp_float_step(''', upper(known_b['kind']), '''')
      ELSE concat('sqlrp_type_step({''kind'': ''', known_b['kind'], ''', ''bits'': ', known_b['bits'], ', ''digits'': ', known_b['digits'], '}') END)[1];

-- How many stages of a long source work on cells: those up to the first sum, or those before another stage that needs a list.
CREATE OR REPLACE MACRO sqlrp_on_cells(w, steps) AS
  CASE WHEN w['layout'] <> 'long' THEN 0 ELSE list_transform([coalesce(list_position(list_transform(steps, lambda cells_s:
      cells_s['kind'] IN ('append', 'rescale', 'normalise')), false), len(steps) + 1)], lambda cells_i:
    CASE WHEN steps[cells_i]['kind'] IN ('signs', 'weights') THEN cells_i ELSE cells_i - 1 END)[1] END;

-- A stage as SQL: the argument of the macros of its kind.
CREATE OR REPLACE MACRO sqlrp_step_text(s, first) AS
  '{''text'': ' || sqlrp_text(s['stage']['text']) || ', ''outputs'': ' || sqlrp_text(s['stage']['outputs']) || ', ''n'': ' || sqlrp_string(s['n'])
    || ', ''held'': ' || sqlrp_string(coalesce(s['held'], first)) || ', ''after'': ' || sqlrp_string(s['after']) || ', ''factors'': ' || s['stage']['factors']
    || ', ''value'': CAST(' || sqlrp_string(CAST(s['stage']['value'] AS VARCHAR)) || ' AS DOUBLE), ''dense'': ' || s['stage']['dense'] || ', ''constant'': '
    || s['constant'] || '}';

-- What the last step is told of the method, as SQL. `call`: the stage as the argument of the macros of its kind.
CREATE OR REPLACE MACRO sqlrp_typed_text(p, t) AS
  '{''k'': ' || p['k'] || ', ''factor'': ' || sqlrp_string(p['factor']) || ', ''bound'': CAST('
    || sqlrp_value(coalesce(p['bound'], len(p['names']))) || ' AS BIGINT), ''first'': ' || sqlrp_string(coalesce(t['first'], t['last'])) || ', ''last'': '
    || sqlrp_string(t['last']) || ', ''steps'': [' || sqlrp_join(list_transform(t['steps'], lambda text_s: '{''kind'': ' || sqlrp_string(text_s['stage']['kind'])
    || ', ''n'': ' || sqlrp_string(text_s['n']) || ', ''outputs'': CAST(' || sqlrp_text(text_s['stage']['outputs']) || ' AS VARCHAR), ''after'': ' || sqlrp_string(text_s['after'])
    || ', ''call'': ' || sqlrp_string(sqlrp_step_text(text_s, coalesce(t['first'], t['last']))) || '}'), ', ') || ']}';

-- The tables of the stages, as SQL.
CREATE OR REPLACE MACRO sqlrp_calls(steps, cells, own) AS
  list_transform(steps, lambda calls_s, calls_i: CASE
    WHEN calls_i <= cells THEN sqlrp_string(own || '_cells' || calls_i || ' AS MATERIALIZED (') || ' || sqlrp_' || calls_s['kind'] || '_cells('
      || sqlrp_string(own) || ', ' || sqlrp_string(own || '_cells' || (calls_i - 1)) || ', ' || calls_s['call'] || ') || '')'''
    WHEN calls_s['kind'] IN ('signs', 'weights', 'reflect', 'rescale', 'products') THEN sqlrp_string(own || '_table' || calls_i
      || ' AS MATERIALIZED (') || ' || sqlrp_' || calls_s['kind'] || '_table(' || calls_s['call'] || ') || '')''' END);

-- The rows of the source, as SQL.
CREATE OR REPLACE MACRO sqlrp_rows_call(w, w_text, t, cells, own, carried) AS
  CASE WHEN w['layout'] = 'long' THEN 'sqlrp_dense_rows(' || sqlrp_string(own) || ', ' || sqlrp_string(own || '_cells' || cells) || ', ' || sqlrp_string(carried) || ', '
      || sqlrp_string(coalesce(t['steps'][cells + 1]['n'], t['steps'][cells]['outputs'])) || ', ' || sqlrp_string(CASE WHEN t['steps'][cells]['kind'] IN
        ('signs', 'weights') THEN t['steps'][cells]['after'] ELSE t['first'] END) || ')'
    ELSE 'sqlrp_' || w['layout'] || '_rows(' || w_text || ', ' || sqlrp_string(t['first']) || ', ' || sqlrp_string(sqlrp_literal(0, t['first'])) || ')' END;

-- The calls of the stages around the rows.
CREATE OR REPLACE MACRO sqlrp_wrapped(rows, steps, cells, own, carried) AS
  sqlrp_join(list_reverse(list_transform(steps[cells + 1 :], lambda wrapped_s: 'sqlrp_' || wrapped_s['kind'] || '_rows(')), '') || rows
    || sqlrp_join(list_transform(steps, lambda wrapped_s, wrapped_i: CASE WHEN wrapped_i > cells THEN ', ' || wrapped_s['call'] || ', '
      || sqlrp_string(carried) || ', ' || sqlrp_string(own || '_table' || wrapped_i) || ')' ELSE '' END), '');

-- Whether rows carry `ok`.
CREATE OR REPLACE MACRO sqlrp_guarded(w) AS
  w['nulls'] <> 'zero' AND CASE w['layout'] WHEN 'array' THEN true WHEN 'long' THEN w['nullable'][2] ELSE list_contains(w['nullable'], true) END;

CREATE OR REPLACE MACRO sqlrp_carried(w) AS
  sqlrp_join(list_transform(w['kept'], lambda carried_n, carried_i: 'c' || (carried_i - 1)) || CASE WHEN sqlrp_guarded(w) THEN ['ok', ''] ELSE [''] END, ', ');

-- What the statement tells of its source where the types are known late. `bound`: the number of features that there must be.
CREATE OR REPLACE MACRO sqlrp_late_table(w, bound) AS
  w['late'] || ' AS MATERIALIZED (SELECT ' || coalesce('CASE WHEN n <> ' || bound || ' THEN error(''the projection holds for ' || bound
    || ' features, the source has '' || n || '': name ' || bound || ' in features'') ELSE n END AS ', '') || 'n, text, places FROM (' || w['asked'] || ') s)';

CREATE OR REPLACE MACRO sqlrp_final(w, w_text, output, t, cells, own, carried) AS
  CASE WHEN w['told'] THEN 'SELECT ' ELSE 'FROM query(' END || 'sqlrp_shape(' || sqlrp_list(w['kept']) || ', ' || (w['layout'] = 'long') || ', ' || sqlrp_string(output) || ', ' || t['k'] || ', ' || sqlrp_guarded(w) || ', '
    || CASE WHEN w['late'] IS NULL AND w['scale'] AND t['factor'] <> '1' THEN 'sqlrp_literal(' || t['factor'] || ', '
      || sqlrp_string(CASE WHEN t['last'] = 'FLOAT' THEN 'FLOAT' ELSE 'DOUBLE' END) || ')' ELSE 'CAST(NULL AS VARCHAR)' END
    || ', ' || sqlrp_string(t['last']) || ', ' || sqlrp_string(CASE WHEN w['single'] THEN 'FLOAT' WHEN w['scale'] AND t['last'] NOT IN ('FLOAT', 'DOUBLE') THEN 'DOUBLE' ELSE t['last'] END)
    || ', ' || CASE WHEN w['late'] IS NULL THEN '' ELSE '[' || sqlrp_string(sqlrp_late_table(w, t['bound'])) || '] || ' END
    || CASE WHEN w['layout'] = 'long' THEN 'sqlrp_long_tables(' || w_text || ', ' || sqlrp_string(own) || ', ' || sqlrp_string(t['first']) || ') || ' ELSE '' END
    || 'CAST([' || sqlrp_join(sqlrp_calls(t['steps'], cells, own), ', ') || '] AS VARCHAR[]), '
    || CASE WHEN w['late'] IS NOT NULL AND w['scale'] AND t['factor'] <> '1' THEN 'sqlrp_scaled_rows(' ELSE '' END
    || sqlrp_wrapped(sqlrp_rows_call(w, w_text, t, cells, own, carried), t['steps'], cells, own, carried)
    || CASE WHEN w['late'] IS NOT NULL AND w['scale'] AND t['factor'] <> '1' THEN ', ' || sqlrp_string(carried) || ', ' || sqlrp_string(t['factor']) || ')' ELSE '' END || CASE WHEN w['told'] THEN ') AS text' ELSE '))' END;

-- The step that checks the source and the method together, and finds the type of the features.
CREATE OR REPLACE MACRO sqlrp_plan(w, p, w_text, p_text) AS
  list_transform([{'w': w, 'p': p}], lambda plan_v: coalesce(error(sqlrp_refused(plan_v['w'], plan_v['p'])),
    concat('FROM query(', sqlrp_known_base(plan_v['w'], plan_v['p']), ', ', p_text, ', ', sqlrp_text(plan_v['w']['size']), ', ', plan_v['w']['scale'], ', ',
      sqlrp_string(w_text), '))')))[1];

-- The steps that find the types of the stages.
CREATE OR REPLACE MACRO sqlrp_type_step(base, p, size, scale, w_text) AS
  'FROM query(sqlrp_final_step(' || w_text || ', ' || list_transform([{'p': p, 't': sqlrp_typed(p['stages'], base, size, scale)}], lambda type_v:
    sqlrp_typed_text(type_v['p'], type_v['t']))[1] || ', ' || sqlrp_string(w_text) || '))';

CREATE OR REPLACE MACRO sqlrp_float_step(kind, p, size, scale, w_text) AS
  'FROM query(sqlrp_final_step(' || w_text || ', ' || list_transform(list_transform(list_transform([p], lambda float_p: {'p': float_p,
      'sizes': sqlrp_sizes(float_p['stages'], coalesce(size, '2147483648'))}), lambda float_a: {'p': float_a['p'],
      't': sqlrp_float_typed(float_a['p']['stages'], float_a['sizes'], kind)}), lambda float_v: sqlrp_typed_text(float_v['p'], float_v['t']))[1]
    || ', ' || sqlrp_string(w_text) || '))';

-- The step before the last: which texts stand in the statement. It writes the calls of their macros.
CREATE OR REPLACE MACRO sqlrp_final_step(w, t, w_text) AS
  list_transform(list_transform([{'w': w, 't': t}], lambda final_a: {'w': final_a['w'], 't': final_a['t'], 'output': sqlrp_output(final_a['w'], final_a['t']),
      'cells': sqlrp_on_cells(final_a['w'], final_a['t']['steps']), 'own': sqlrp_own(final_a['w']['relation']), 'carried': sqlrp_carried(final_a['w'])}), lambda final_b:
    sqlrp_final(final_b['w'], w_text, final_b['output'], final_b['t'], final_b['cells'], final_b['own'], final_b['carried']))[1];
