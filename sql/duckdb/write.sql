-- -- the last step of a call: the whole text. `p` is what the method gives (sqlrp_pipeline) ----------------------------------

-- Names as Python lists them.
CREATE OR REPLACE MACRO sqlrp_said(names) AS '[' || sqlrp_join(list_transform(names, lambda said_n: '''' || said_n || ''''), ', ') || ']';

CREATE OR REPLACE MACRO sqlrp_differ(wanted, found) AS
  list_transform([{'missing': list_filter(wanted, lambda differ_n: NOT list_contains(found, differ_n)),
      'extra': list_filter(found, lambda differ_n: NOT list_contains(wanted, differ_n))}], lambda differ_d:
    sqlrp_join(CASE WHEN len(differ_d['missing']) > 0 THEN [len(differ_d['missing']) || ' missing: ' || sqlrp_said(differ_d['missing'])] ELSE [] END
      || CASE WHEN len(differ_d['extra']) > 0 THEN [len(differ_d['extra']) || ' extra: ' || sqlrp_said(differ_d['extra'])] ELSE [] END
      || CASE WHEN len(differ_d['missing']) + len(differ_d['extra']) = 0 THEN ['all there, in another order'] ELSE [] END, ' and '))[1];

CREATE OR REPLACE MACRO sqlrp_names_differ(p, layout, n, names) AS
  CASE WHEN p['names'] IS NOT NULL THEN list_transform([{'wanted': p['names'], 'found': names}], lambda names_v: CASE
    WHEN n IS NULL OR (CASE layout WHEN 'wide' THEN names_v['wanted'] = names_v['found'] ELSE len(names_v['wanted']) = n END) THEN NULL
    ELSE concat('the projection holds for ', len(names_v['wanted']), CASE WHEN layout <> 'wide' THEN concat(' features, the source has ', n, ': name ', len(names_v['wanted']), ' in features')
      ELSE concat(' features; of the source''s ', len(names_v['found']), ' are ', sqlrp_differ(names_v['wanted'], names_v['found']), ': name the projection''s own in features') END) END)[1] END;

CREATE OR REPLACE MACRO sqlrp_output(output, k, kept) AS
  CASE WHEN output <> 'auto' THEN output WHEN k + len(kept) <= {{most_columns}} THEN 'columns' ELSE 'array' END;

CREATE OR REPLACE MACRO sqlrp_refused(p, output, keyed, kept, layout, n, names) AS
  coalesce(sqlrp_names_differ(p, layout, n, names), CASE WHEN p['bound'] <> n THEN concat('the projection holds for ', p['bound'], ' features, the source has ', n, ': name ', p['bound'], ' in features')
    WHEN p['grouped'] AND (NOT keyed OR len(kept) > 1 OR layout = 'long') THEN concat('pooling sums the rows of a group: name the group''s column as ',
      'group_by, keep no other, one row of features each; got ', layout, ' rows and the columns ', CAST(kept AS VARCHAR))
    WHEN output = 'columns' AND p['k'] + len(kept) > {{most_columns}} THEN concat('k = ', p['k'], ' makes ', p['k'] + len(kept),
      ' columns with key and keep, more than the {{most_columns}} of a result of duckdb: use output := ''long'' or ''array''')
    WHEN output = 'vector' AND p['k'] > {{longest_vector}} THEN concat('k = ', p['k'], ' is more than the {{longest_vector_shown}} numbers of a vector of duckdb: lower k')
    WHEN layout = 'long' AND len(list_filter(p['stages'], lambda refused_s: refused_s['kind'] = 'rescale' AND refused_s['heaviest'] > 1)) > 0
      THEN 'Prepared shifts every feature, which makes sparse rows dense: use how = ''tfidf'' or ''l2'', or wide rows' END,
    sqlrp_taken(kept, sqlrp_output(output, p['k'], kept), p['k']));

-- The one type of the features if it is FLOAT or DOUBLE: every stage then leaves the type that it takes. A prepared source is DOUBLE.
CREATE OR REPLACE MACRO sqlrp_float_kind(prepared, layout, types) AS
  CASE WHEN prepared THEN 'DOUBLE' ELSE list_transform([list_distinct(list_transform(CASE layout WHEN 'long' THEN types[2:] ELSE types END, lambda float_t:
    regexp_replace(float_t, '\[\d*\]$', '')))], lambda float_d: CASE WHEN len(float_d) = 1 AND float_d[1] IN ('FLOAT', 'DOUBLE') THEN float_d[1] END)[1] END;

-- The kind of numbers that hold those of all types.
CREATE OR REPLACE MACRO sqlrp_common_kind(layout, types) AS
  sqlrp_common(list_transform(list_distinct(CASE layout WHEN 'long' THEN types[2:] ELSE types END), lambda kind_t:
    sqlrp_number(regexp_replace(kind_t, '\[\d*\]$', ''))));

-- How many stages of a long source work on cells: those up to the first sum, or those before another stage that needs a list.
CREATE OR REPLACE MACRO sqlrp_on_cells(layout, steps) AS
  CASE WHEN layout <> 'long' THEN 0 ELSE list_transform([coalesce(list_position(list_transform(steps, lambda cells_s:
      cells_s['kind'] IN ('append', 'rescale', 'normalise')), false), len(steps) + 1)], lambda cells_i:
    CASE WHEN steps[cells_i]['kind'] IN ('signs', 'weights') THEN cells_i ELSE cells_i - 1 END)[1] END;

-- A stage as SQL: {{stage_arguments}}, which are arguments of the macros of its kind.
CREATE OR REPLACE MACRO sqlrp_stage_text(stage, n, held, after, constant) AS
  concat('CAST(', sqlrp_text(stage['text']), ' AS VARCHAR), CAST(', sqlrp_text(stage['outputs']), ' AS VARCHAR), ', sqlrp_string(n), ', ', sqlrp_string(held), ', ', sqlrp_string(after), ', ',
    stage['factors'], ', CAST(''', stage['value'], ''' AS DOUBLE), ', stage['dense'], ', ', constant);

-- What the last step of lists knows of each stage.
CREATE OR REPLACE MACRO sqlrp_entries(steps, first) AS
  list_transform(steps, lambda entry_s: {'kind': entry_s['stage']['kind'], 'n': entry_s['n'], 'outputs': entry_s['stage']['outputs'], 'after': entry_s['after'],
    'call': sqlrp_stage_text(entry_s['stage'], entry_s['n'], coalesce(entry_s['held'], first), entry_s['after'], entry_s['constant'])});

-- The tables of the stages, as SQL.
CREATE OR REPLACE MACRO sqlrp_calls(steps, cells, own) AS
  list_transform(steps, lambda calls_s, calls_i: CASE
    WHEN calls_i <= cells THEN concat(sqlrp_string(concat(own, '_cells', calls_i, ' AS MATERIALIZED (')), ' || sqlrp_', calls_s['kind'], '_cells(',
      sqlrp_string(own), ', ', sqlrp_string(concat(own, '_cells', calls_i - 1)), ', ', calls_s['call'], ') || '')''')
    WHEN calls_s['kind'] IN ('signs', 'weights', 'reflect', 'rescale', 'products') THEN concat(sqlrp_string(concat(own, '_table', calls_i,
      ' AS MATERIALIZED (')), ' || sqlrp_', calls_s['kind'], '_table(', calls_s['call'], ') || '')''') END);

-- The rows of the source, as SQL.
CREATE OR REPLACE MACRO sqlrp_rows_call(layout, frame_text, first, steps, cells, own, carried) AS
  CASE WHEN layout = 'long' THEN concat('sqlrp_dense_rows(', sqlrp_string(own), ', ', sqlrp_string(concat(own, '_cells', cells)), ', ', sqlrp_string(carried), ', ',
      sqlrp_string(coalesce(steps[cells + 1]['n'], steps[cells]['outputs'])), ', ', sqlrp_string(CASE WHEN steps[cells]['kind'] IN
        ('signs', 'weights') THEN steps[cells]['after'] ELSE first END), ')')
    ELSE concat('sqlrp_', layout, '_rows(', sqlrp_string(first), ', ', sqlrp_string(sqlrp_literal(0, first)), ', ', frame_text, ')') END;

-- The calls of the stages around the rows.
CREATE OR REPLACE MACRO sqlrp_wrapped(rows, steps, cells, own, carried) AS
  concat(sqlrp_join(list_reverse(list_transform(steps[cells + 1 :], lambda wrapped_s: concat('sqlrp_', wrapped_s['kind'], '_rows('))), ''), rows,
    sqlrp_join(list_transform(steps, lambda wrapped_s, wrapped_i: CASE WHEN wrapped_i > cells THEN concat(', ', sqlrp_string(carried), ', ',
      sqlrp_string(concat(own, '_table', wrapped_i)), ', ', wrapped_s['call'], ')') ELSE '' END), ''));

-- Whether rows carry `ok`.
CREATE OR REPLACE MACRO sqlrp_guarded(layout, nulls, nullable) AS
  nulls <> 'zero' AND CASE layout WHEN 'array' THEN true WHEN 'long' THEN nullable[2] ELSE list_contains(nullable, true) END;

CREATE OR REPLACE MACRO sqlrp_carried(kept, guarded) AS
  sqlrp_join(list_transform(kept, lambda carried_n, carried_i: 'c' || (carried_i - 1)) || CASE WHEN guarded THEN ['ok', ''] ELSE [''] END, ', ');

-- What the statement tells of its source where the types are known late. `bound`: the number of features that there must be.
CREATE OR REPLACE MACRO sqlrp_late_table(late, asked, bound) AS
  concat(late, ' AS MATERIALIZED (SELECT ', 'CASE WHEN n <> ' || bound || ' THEN error(''the projection holds for ' || bound
    || ' features, the source has '' || n || '': name ' || bound || ' in features'') ELSE n END AS ', 'n, text, places FROM (', asked, ') s)');

-- `v` is a struct of what the step before found.
CREATE OR REPLACE MACRO sqlrp_final(v, frame_text, k, factor, bound, first, last, {{frame_arguments}}) AS
  concat(CASE WHEN told THEN 'SELECT ' ELSE 'FROM query(' END, 'sqlrp_shape(', sqlrp_list(kept), ', ', layout = 'long', ', ', sqlrp_string(v['output']), ', ', k, ', ', v['guarded'], ', ',
    CASE WHEN late IS NULL AND v['scaled'] THEN concat('sqlrp_literal(', factor, ', ', CASE WHEN last = 'FLOAT' THEN '''FLOAT''' ELSE '''DOUBLE''' END, ')')
      ELSE 'CAST(NULL AS VARCHAR)' END,
    ', ', sqlrp_string(last), ', ', sqlrp_string(CASE WHEN single THEN 'FLOAT' WHEN scale AND last NOT IN ('FLOAT', 'DOUBLE') THEN 'DOUBLE' ELSE last END),
    ', ', CASE WHEN late IS NOT NULL THEN concat('[', sqlrp_string(sqlrp_late_table(late, asked, bound)), '] || ') END,
    CASE WHEN layout = 'long' THEN concat('sqlrp_long_tables(', sqlrp_string(v['own']), ', ', sqlrp_string(first), ', ', frame_text, ') || ') END,
    'CAST([', sqlrp_join(sqlrp_calls(v['steps'], v['cells'], v['own']), ', '), '] AS VARCHAR[]), ',
    CASE WHEN late IS NOT NULL AND v['scaled'] THEN 'sqlrp_scaled_rows(' END,
    sqlrp_wrapped(sqlrp_rows_call(layout, frame_text, first, v['steps'], v['cells'], v['own'], v['carried']), v['steps'], v['cells'], v['own'], v['carried']),
    CASE WHEN late IS NOT NULL AND v['scaled'] THEN concat(', ', sqlrp_string(v['carried']), ', ', sqlrp_string(factor), ')') END,
    CASE WHEN told THEN ') AS text' ELSE '))' END);

-- The number of terms of all stages, as SQL; NULL where only the statement can tell the number of features.
CREATE OR REPLACE MACRO sqlrp_terms(stages, sizes) AS
  list_transform([sqlrp_join(list_transform(stages, lambda terms_s, terms_i: replace(coalesce(terms_s['terms'], '0'), '@', sizes[terms_i])), ' + ')],
    lambda terms_t: CASE WHEN contains(terms_t, 'SELECT') THEN 'NULL' ELSE terms_t END)[1];

-- What multiplies the number of rows, as SQL: lists add up all features for each entry of a transform, each in a quarter of the time that a term is counted for.
CREATE OR REPLACE MACRO sqlrp_picked(stages, sizes) AS
  list_aggregate(list_transform(stages, lambda picked_s, picked_i: CASE WHEN picked_s['form'] = 'butterfly'
    THEN concat(' * (', picked_s['outputs'], ' * ', sizes[picked_i], ' / 4 / (', replace(picked_s['terms'], '@', sizes[picked_i]), '))') END), 'string_agg', '');

-- Whether a call is written as expressions (inline.sql), and not as lists. To plan a term of an expression takes as long as lists take for it in some
-- 2,000 rows. By default at most 30,000 terms are expressions. `drawn`: every stage has such a form. Columns that are known late have none. The `rows`
-- are only counted where that matters.
CREATE OR REPLACE MACRO sqlrp_is_inline(terms, drawn, layout, is_late, rows) AS
  CASE WHEN NOT drawn OR layout = 'long' OR is_late OR terms IS NULL OR terms > 30000 THEN false WHEN terms <= 200 THEN true ELSE coalesce(rows > {{few_rows}}, true) END;

-- The last step. The texts are what stands before the text of the frame, which is long: it travels once.
CREATE OR REPLACE MACRO sqlrp_last(is_inline, frame_text, entries, inline_text, lists_text) AS
  CASE WHEN is_inline THEN concat(inline_text, frame_text, '))')
    ELSE concat('FROM query(sqlrp_final_step(', sqlrp_string(frame_text), lists_text, entries, frame_text, '), ', frame_text, '))') END;

-- The same for a call that names its lowering, which may be refused. `there`: the extension is loaded.
CREATE OR REPLACE MACRO sqlrp_last_named(lowering, there, drawn, layout, is_late, frame_text, entries, inline_text, lists_text) AS
  CASE WHEN (lowering = 'inline' AND drawn AND layout <> 'long' AND NOT is_late) OR lowering = CASE layout WHEN 'long' THEN 'relational' ELSE 'indexed' END
      THEN sqlrp_last(lowering = 'inline', frame_text, entries, inline_text, lists_text)
    ELSE error(concat('lowering = ''', lowering, ''' is not supported here: ', CASE WHEN lowering = 'native' AND NOT is_late AND NOT there THEN 'the extension sqlrp is not loaded'
      WHEN layout = 'long' AND lowering <> 'native' THEN 'long rows are joined with the signs, which is the relational lowering' WHEN lowering = 'relational' THEN 'the functions join only long rows with the signs'
      WHEN is_late THEN 'without DuckDB''s extension json the columns are not known' WHEN lowering = 'native' THEN 'the extension leaves this call to SQL: it computes floats, and whole numbers and '
        || 'decimals of up to 63 bits (scale them, or cast the features to DOUBLE), and sums the features of long rows first' ELSE 'a stage has no form in the functions as an expression of the inline lowering' END,
      '; use lowering = ''auto''')) END;

-- The next step. It is told of the method k, factor, bound, first, last and its stages: `entries` begins a call that gives them for lists, and `calls` are those
-- for expressions. It binds only one of both.
CREATE OR REPLACE MACRO sqlrp_typed_step(p, first, last, entries, calls, sizes, frame_text, layout, lowering, late, quoted, relation) AS
  list_transform(list_transform([concat('''', first, ''', ''', last, ''', ')], lambda typed_t: {'drawn': list_position(list_transform(calls, lambda typed_c: typed_c['call'] IS NULL), true) IS NULL,
      'texts': sqlrp_strings([frame_text, entries, concat('FROM query(sqlrp_inline_', CASE WHEN quoted IS NULL THEN 'array(' ELSE 'columns(' END, p['k'], ', ', p['factor'], ', ', typed_t, sqlrp_inline_calls(calls, first), ', '),
        concat(', ', p['k'], ', ', sqlrp_string(p['factor']), ', CAST(', sqlrp_value(coalesce(p['bound'], len(p['names']))), ' AS BIGINT), ', typed_t)])}), lambda typed_v:
    concat('FROM query(', CASE WHEN lowering IN ('auto', 'sql') THEN concat('sqlrp_last(sqlrp_is_inline(', sqlrp_terms(p['stages'], sizes), ', ', typed_v['drawn'], ', ''', layout, ''', ', late IS NOT NULL,
        ', ', CASE WHEN late IS NOT NULL THEN 'NULL' ELSE concat(sqlrp_count(relation), sqlrp_picked(p['stages'], sizes)) END, ')')
      ELSE concat('sqlrp_last_named(''', lowering, ''', ', sqlrp_found('sqlrp_relation(NULL)'), ', ', typed_v['drawn'], ', ''', layout, ''', ', late IS NOT NULL) END, ', ', typed_v['texts'], '))'))[1];

-- The stages with the types before and after them, where all numbers are of one type of floats.
CREATE OR REPLACE MACRO sqlrp_float_steps(stages, size, kind) AS
  list_transform([sqlrp_sizes(stages, coalesce(size, '2147483648'))], lambda float_sizes: list_transform(stages, lambda float_s, float_i: {'stage': float_s,
    'n': float_sizes[float_i], 'held': kind, 'after': kind, 'constant': float_i > 1 AND stages[greatest(float_i - 1, 1)]['kind'] = 'append'}))[1];

CREATE OR REPLACE MACRO sqlrp_float_entries(pipeline, kind, {{frame_arguments}}) AS
  list_transform([pipeline], lambda float_p: sqlrp_entries(sqlrp_float_steps(float_p['stages'], size, kind), kind))[1];

CREATE OR REPLACE MACRO sqlrp_float_step(p, method, size, kind, frame_text, layout, lowering, late, quoted, relation) AS
  list_transform(list_transform([sqlrp_float_steps(p['stages'], size, kind)], lambda float_v: {'sizes': list_transform(float_v, lambda float_s: float_s['n']),
      'calls': list_transform(float_v, lambda float_s: sqlrp_inline_call(float_s['stage'], float_s['n'], kind, kind, float_s['constant']))}), lambda float_v:
    sqlrp_typed_step(p, kind, kind, concat('sqlrp_float_entries(', method, ', ''', kind, ''', '), float_v['calls'], float_v['sizes'],
      frame_text, layout, lowering, late, quoted, relation))[1];

-- The kind of numbers that the stages take, and the stages with the types that follow, where there is no one type of floats.
CREATE OR REPLACE MACRO sqlrp_base_of(stages, layout, types, n, scale) AS
  list_transform([sqlrp_common_kind(layout, types)], lambda type_c: CASE WHEN type_c['kind'] IN ('float', 'double') THEN type_c ELSE sqlrp_base(type_c, stages, n, scale) END)[1];

CREATE OR REPLACE MACRO sqlrp_whole_entries(pipeline, {{frame_arguments}}) AS
  list_transform(list_transform([pipeline], lambda whole_p: sqlrp_typed(whole_p['stages'], sqlrp_base_of(whole_p['stages'], layout, types, n, scale), size, scale)),
    lambda whole_t: sqlrp_entries(whole_t['steps'], coalesce(whole_t['first'], whole_t['last'])))[1];

-- The step of a source whose features are not of one type of floats. It finds the types of the stages.
CREATE OR REPLACE MACRO sqlrp_type_step(pipeline, method, frame_text, {{frame_arguments}}) AS
  list_transform(list_transform([pipeline], lambda type_p: {'p': type_p, 'base': sqlrp_base_of(type_p['stages'], layout, types, n, scale)}), lambda type_v:
    CASE WHEN type_v['base']['kind'] IN ('float', 'double') THEN sqlrp_float_step(type_v['p'], method, size, upper(type_v['base']['kind']), frame_text, layout, lowering, late, quoted, relation)
      ELSE sqlrp_whole_step(type_v['p'], method, sqlrp_typed(type_v['p']['stages'], type_v['base'], size, scale), frame_text, layout, lowering, late, quoted, relation) END)[1];

-- The same for whole numbers and decimals.
CREATE OR REPLACE MACRO sqlrp_whole_step(p, method, typed, frame_text, layout, lowering, late, quoted, relation) AS
  list_transform(list_transform(list_transform([typed], lambda whole_t: {'t': whole_t, 'first': coalesce(whole_t['first'], whole_t['last'])}), lambda whole_v: {
      't': whole_v['t'], 'first': whole_v['first'],
      'calls': list_transform(whole_v['t']['steps'], lambda whole_s: sqlrp_inline_call(whole_s['stage'], whole_s['n'],
        coalesce(whole_s['held'], whole_v['first']), whole_s['after'], whole_s['constant']))}), lambda whole_v:
    sqlrp_typed_step(p, whole_v['first'], whole_v['t']['last'], concat('sqlrp_whole_entries(', method, ', '), whole_v['calls'],
      list_transform(whole_v['t']['steps'], lambda whole_s: whole_s['n']),
      frame_text, layout, lowering, late, quoted, relation))[1];

-- The step that finds what is wrong, or nothing.
CREATE OR REPLACE MACRO sqlrp_check_step(pipeline, method, frame_text, {{frame_arguments}}) AS
  list_transform([pipeline], lambda check_p: coalesce(error(sqlrp_refused(check_p, output, keyed, kept, layout, n, names)), CASE
    WHEN sqlrp_float_kind(check_p['prepared'], layout, types) IS NULL THEN concat('FROM query(sqlrp_type_step(', method, ', ', sqlrp_string(method), ', ', sqlrp_string(frame_text), ', ', frame_text, '))')
    ELSE sqlrp_float_step(check_p, method, size, sqlrp_float_kind(check_p['prepared'], layout, types), frame_text, layout, lowering, late, quoted, relation) END))[1];

-- Whether something may be wrong, which sqlrp_check_step finds.
CREATE OR REPLACE MACRO sqlrp_doubted(p, keyed, kept, layout, n, output) AS
  (p['names'] IS NOT NULL
      AND (layout = 'wide' OR len(p['names']) <> n)) OR p['bound'] <> n OR (p['grouped'] AND (NOT keyed OR len(kept) > 1 OR layout = 'long')) OR (p['prepared'] AND layout = 'long') OR (output = 'columns' AND p['k'] + len(kept) > {{most_columns}})
      OR (output = 'vector' AND p['k'] > {{longest_vector}})
      OR len(list_filter(kept, lambda doubted_n: regexp_matches(sqlrp_fold(doubted_n), '^([bz]\d*|component|value)$'))) > 0;

-- The step where the source and the method meet. What is rare has steps of its own, as DuckDB binds what a step does not need, too.
CREATE OR REPLACE MACRO sqlrp_plan(pipeline, method, frame_text, {{frame_arguments}}) AS
  list_transform(list_transform([pipeline], lambda plan_p: {'p': plan_p, 'kind': sqlrp_float_kind(plan_p['prepared'], layout, types), 'doubt': sqlrp_doubted(plan_p, keyed, kept, layout, n, output)}), lambda plan_v:
    CASE WHEN plan_v['doubt'] OR plan_v['kind'] IS NULL THEN concat('FROM query(sqlrp_', CASE WHEN plan_v['doubt'] THEN 'check' ELSE 'type' END, '_step(', method, ', ',
        sqlrp_string(method), ', ', sqlrp_string(frame_text), ', ', frame_text, '))')
      ELSE sqlrp_float_step(plan_v['p'], method, size, plan_v['kind'], frame_text, layout, lowering, late, quoted, relation) END)[1];

-- The step before the last: which texts stand in the statement. It writes the calls of their macros.
CREATE OR REPLACE MACRO sqlrp_final_step(frame_text, k, factor, bound, first, last, steps, {{frame_arguments}}) AS
  list_transform(list_transform(list_transform([steps], lambda final_s: {'steps': final_s, 'guarded': sqlrp_guarded(layout, nulls, nullable)}),
      lambda final_c: {'guarded': final_c['guarded'], 'carried': sqlrp_carried(kept, final_c['guarded']), 'output': sqlrp_output(output, k, kept),
        'scaled': scale AND factor <> '1', 'cells': sqlrp_on_cells(layout, final_c['steps']), 'own': sqlrp_own(relation), 'steps': final_c['steps']}), lambda final_v:
    sqlrp_final(final_v, frame_text, k, factor, bound, first, last, {{frame_arguments}}))[1];

-- The step where a source of few rows and the method meet: lists compute them, unless a stage takes lists long or something is to be said.
CREATE OR REPLACE MACRO sqlrp_few(pipeline, method, frame_text, {{frame_arguments}}) AS
  list_transform(list_transform([pipeline], lambda few_p: {'p': few_p, 'kind': sqlrp_float_kind(few_p['prepared'], layout, types), 'other': sqlrp_doubted(few_p, keyed, kept, layout, n, output)
      OR list_contains(list_transform(few_p['stages'], lambda few_s: few_s['form']), 'butterfly')}), lambda few_v:
    CASE WHEN few_v['other'] OR few_v['kind'] IS NULL THEN concat('FROM query(sqlrp_', CASE WHEN few_v['other'] THEN 'plan(' ELSE 'few_whole(' END, method, ', ', sqlrp_string(method), ', ',
        sqlrp_string(frame_text), ', ', frame_text, '))')
      ELSE sqlrp_final_step(frame_text, few_v['p']['k'], few_v['p']['factor'], coalesce(few_v['p']['bound'], len(few_v['p']['names'])), few_v['kind'], few_v['kind'],
        sqlrp_entries(sqlrp_float_steps(few_v['p']['stages'], size, few_v['kind']), few_v['kind']), {{frame_arguments}}) END)[1];

-- The same for features that are not of one type of floats.
CREATE OR REPLACE MACRO sqlrp_few_whole(pipeline, method, frame_text, {{frame_arguments}}) AS
  list_transform(list_transform(list_transform(list_transform([pipeline], lambda few_p: {'p': few_p, 'base': sqlrp_base_of(few_p['stages'], layout, types, n, scale)}), lambda few_b: {'p': few_b['p'],
      'float': upper(few_b['base']['kind']) IN ('FLOAT', 'DOUBLE'), 'kind': upper(few_b['base']['kind']), 't': sqlrp_typed(few_b['p']['stages'], few_b['base'], size, scale)}), lambda few_t: {'p': few_t['p'],
      'first': CASE WHEN few_t['float'] THEN few_t['kind'] ELSE coalesce(few_t['t']['first'], few_t['t']['last']) END, 'last': CASE WHEN few_t['float'] THEN few_t['kind'] ELSE few_t['t']['last'] END,
      'entries': CASE WHEN few_t['float'] THEN sqlrp_entries(sqlrp_float_steps(few_t['p']['stages'], size, few_t['kind']), few_t['kind'])
        ELSE sqlrp_entries(few_t['t']['steps'], coalesce(few_t['t']['first'], few_t['t']['last'])) END}), lambda few_v:
    sqlrp_final_step(frame_text, few_v['p']['k'], few_v['p']['factor'], coalesce(few_v['p']['bound'], len(few_v['p']['names'])), few_v['first'], few_v['last'], few_v['entries'], {{frame_arguments}}))[1];
