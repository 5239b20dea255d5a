-- -- the steps of a call ----------------------------------------------------------------------------------------------------
-- A call is a chain of queries, each of which writes the next: the arguments, then the columns, then the statement. Nearly all of its
-- time is DuckDB's: it looks up every function of a step and allocates a vector for each of its values, whether or not it is used.
-- Values therefore travel from one step to the next as plain literals, one for each argument of the next macro, which cost little
-- wherever the macro names them. A field of a struct of many values costs ten times as much, and more if structs are nested.
-- DuckDB binds the argument of a macro wherever the macro names it. An argument that is long, and named often, is therefore
-- the one element of a list that goes through list_transform: through one after another, not one within another, as DuckDB 1.4
-- binds a lambda's body twice, so nested lambdas cost 2 to the depth.

-- The arguments of a call, checked: {{call_arguments}}.
CREATE OR REPLACE MACRO sqlrp_call(relation, key, keep, features, array_column, feature, value, n_features, output, scale, nulls, lowering, dtype, told) AS
  concat(told, ', ', sqlrp_string(relation), ', CAST(', sqlrp_text(key), ' AS VARCHAR), ', sqlrp_each_list([sqlrp_names('keep', keep), sqlrp_names('features', features)]),
    ', CAST(', sqlrp_text(array_column), ' AS VARCHAR), CAST(', sqlrp_text(feature),
    ' AS VARCHAR), CAST(', sqlrp_text(value), ' AS VARCHAR), CAST(', CASE WHEN n_features IS NULL THEN 'NULL'
      ELSE CAST(sqlrp_whole('n_features', n_features, 1) AS VARCHAR) END, ' AS BIGINT), ',
    sqlrp_string(sqlrp_one_of('output', output, ['columns', 'array', 'vector', 'long', 'bits', 'auto'])), ', ', sqlrp_single(dtype, output), ', ',
    sqlrp_flag('scale', scale) AND output <> 'bits', ', ',
    sqlrp_string(sqlrp_one_of('nulls', nulls, ['propagate', 'zero', 'error'])),
    ', ', sqlrp_string(sqlrp_one_of('lowering', lowering, ['auto', 'sql', 'native', 'inline', 'indexed', 'relational'])));

-- Two texts for the next step. A view of a database that is attached finds its functions and its tables there, and json_serialize_plan finds
-- what the session finds. If the session has no functions, the view's statement describes its source itself.
CREATE OR REPLACE MACRO sqlrp_here(here, there) AS
  concat('FROM query(CASE WHEN CAST(json_serialize_plan(''SELECT sqlrp_late()'')->>''$.error'' AS BOOLEAN) THEN ', sqlrp_string(there), ' ELSE ', here, ' END)');

-- The macro sqlrp_read_… that reads the columns. A wide source whose features no one names may be plain.
CREATE OR REPLACE MACRO sqlrp_way(layout, features) AS
  CASE WHEN layout = 'wide' AND coalesce(len(TRY_CAST(features AS VARCHAR[])), 0) = 0 THEN 'plain' ELSE layout END;

CREATE OR REPLACE MACRO sqlrp_step(source, layout, method, key, keep, features, array_column, feature, value, n_features, output, scale, nulls, lowering, dtype, told) AS
  list_transform(list_transform([sqlrp_from(source)], lambda step_relation: {'relation': step_relation, 'call': sqlrp_call(step_relation, key, keep,
      features, array_column, feature, value, n_features, output, scale, nulls, lowering, dtype, told), 'method': sqlrp_string(method),
      'read': CASE WHEN sqlrp_late() THEN 'late' ELSE sqlrp_way(layout, features) END}), lambda step_v:
    CASE WHEN sqlrp_twice(CAST(key AS VARCHAR), sqlrp_names('keep', keep), sqlrp_names('features', features), sqlrp_others(array_column, feature, value))
      THEN concat('FROM query(sqlrp_once(', step_v['call'], '))')
      ELSE list_transform([concat('FROM query(sqlrp_read_late(NULL, ', step_v['method'], ', CAST([] AS VARCHAR[]), ', step_v['call'], '))')], lambda step_late:
        CASE WHEN step_v['read'] = 'late' THEN step_late ELSE sqlrp_here(sqlrp_string(concat('FROM query(sqlrp_read_', step_v['read'], '(', sqlrp_columns(step_v['relation']), ', ',
          CASE WHEN step_v['read'] = 'plain' THEN sqlrp_string('CAST(NULL AS VARCHAR[]), ' || step_v['call']) || ', ' END, step_v['method'], ', CAST(NULL AS VARCHAR[]), ', step_v['call'], '))')), step_late) END)[1] END)[1];

-- A list of names as SQL. What is no list is told by its error later.
CREATE OR REPLACE MACRO sqlrp_named_list(names) AS
  CASE WHEN typeof(names) = 'VARCHAR' THEN sqlrp_text(names) ELSE sqlrp_list(TRY_CAST(names AS VARCHAR[])) END;

-- The first step of a call. Its text asks whether the extension is there, whose C writes the statement, or gives back what the macros begin with. `given`: the type
-- and the text of each argument in turn, also of `keep` and `features`, whose names are given besides. DESCRIBE is planned, not run, and its rows stand in the plan.
-- `saved`: the macro of a saved projection that C reads, and NULL for a method; if it is not there, the macros do the call. They do not look at the last two arguments.
CREATE OR REPLACE MACRO sqlrp_begin(function, opening, given, source, saved, keep, features) AS
  list_transform([concat('''', function, ''', ''', opening, ''', [', sqlrp_strings(given), ']', list_aggregate(list_transform([TRY_CAST(keep AS VARCHAR[]), TRY_CAST(features AS VARCHAR[])],
      lambda begin_n: concat(', CAST([', sqlrp_strings(begin_n), '] AS VARCHAR[])')), 'string_agg', ''))], lambda begin_g: CASE WHEN sqlrp_late() THEN concat('FROM query(sqlrp_macros(', begin_g, ', NULL, NULL))')
    ELSE concat('FROM query(CASE WHEN ', sqlrp_found('sqlrp_relation(NULL)'), ' AND ' || sqlrp_found(saved), ' THEN ''FROM query(sqlrp_statement('' ELSE ''FROM query(sqlrp_macros('' END || ',
      sqlrp_string(concat(begin_g, ', json_serialize_plan(concat(''DESCRIBE SELECT * FROM '', sqlrp_relation(', sqlrp_text(source), ')), skip_null := true, skip_empty := true, skip_default := true), ',
        coalesce(saved, 'NULL'), '))')), ')') END)[1];

-- The first step of the macros, whose arguments are written as they were given. A text in the place of a list of names is told by its error later.
CREATE OR REPLACE MACRO sqlrp_macros(function, opening, given, keep, features, plan, saved) AS
  concat('FROM query(', opening, '(', list_aggregate(list_transform(range(1, len(given) - 4, 2), lambda macros_i: CASE WHEN given[macros_i + 1] IS NULL THEN 'NULL' WHEN given[macros_i] IN ('INTEGER', 'BOOLEAN')
    THEN given[macros_i + 1] ELSE concat('CAST(', sqlrp_string(given[macros_i + 1]), ' AS ', given[macros_i], ')') END), 'string_agg', ', '),
    list_aggregate(list_transform([{'kind': given[-4], 'text': given[-3], 'names': keep}, {'kind': given[-2], 'text': given[-1], 'names': features}], lambda macros_n:
      ', ' || CASE WHEN macros_n['kind'] = 'VARCHAR' THEN sqlrp_text(macros_n['text']) ELSE sqlrp_list(macros_n['names']) END), 'string_agg', ''), ', false))');

-- How a call begins. `given`: the type and the text of each argument. Most calls are plain: they match a pattern of the method, which allows no wrong
-- value and no other source than a wide one or an array of a simple name, and their next step is written at once. The others take `step`, which checks each argument.
CREATE OR REPLACE MACRO sqlrp_open(given, pattern, small, method, step, source, key, array_column, keep, features, output, scale, nulls, lowering, dtype, told) AS
  list_transform([given], lambda open_g: CASE WHEN small AND NOT sqlrp_late() AND regexp_full_match(list_aggregate(list_transform(open_g, lambda open_a:
      concat(open_a[1], ' ', coalesce(open_a[2], 'NULL'))), 'string_agg', '; ') || concat('; ', typeof(keep), CAST(keep AS VARCHAR), '; ', typeof(features), CAST(features AS VARCHAR)), pattern)
      AND coalesce(sqlrp_fold(CAST(key AS VARCHAR)) <> sqlrp_fold(CAST(array_column AS VARCHAR)), true)
    THEN concat('FROM query(sqlrp_plain_step(CAST(json_serialize_plan(''SELECT sqlrp_late()'')->>''$.error'' AS BOOLEAN), ', sqlrp_strings([CASE WHEN array_column IS NULL THEN 'plain' ELSE 'plain_array' END, concat('"', source, '"'), method,
      concat(told, ', ''"', source, '"'', CAST(', sqlrp_text(key), ' AS VARCHAR), CAST([] AS VARCHAR[]), CAST([] AS VARCHAR[]), CAST(', sqlrp_text(array_column), ' AS VARCHAR), CAST(NULL AS VARCHAR), ',
      'CAST(NULL AS VARCHAR), CAST(NULL AS BIGINT), ''', output, ''', ', dtype = 'float32' OR output = 'vector', ', ', scale, ', ''', nulls, ''', ''', lowering, '''')]), '))')
    ELSE concat('FROM query(', step, '(', list_aggregate(list_transform(open_g, lambda open_a: coalesce('CAST(' || sqlrp_string(open_a[2]) || ' AS ' || open_a[1] || ')', 'NULL')),
      'string_agg', ', '), ', ', sqlrp_named_list(keep), ', ', sqlrp_named_list(features), ', ', told, '))') END)[1];

-- The next step of a plain call, which is sqlrp_read_… of `way`. `late`: the session has no functions.
CREATE OR REPLACE MACRO sqlrp_plain_step(late, way, relation, method, call) AS
  CASE WHEN late THEN concat('FROM query(sqlrp_read_late(NULL, ', sqlrp_string(method), ', CAST([] AS VARCHAR[]), ', call, '))')
    ELSE concat('FROM query(sqlrp_read_', way, '(', sqlrp_columns(relation), ', ', sqlrp_strings(['CAST(NULL AS VARCHAR[]), ' || call, method]), ', CAST(NULL AS VARCHAR[]), ', call, '))') END;

-- The stages of a saved projection are the text of a macro, which the next query reads. It may also name the features that a wide
-- source is read for, unless the call names them.
CREATE OR REPLACE MACRO sqlrp_saved(projection) AS concat('"sqlrp_plan ', lower(hex(CAST(projection AS VARCHAR))), '"()');

-- Two texts for the next step, of which the first needs the macro of a saved projection: an error says that it is not there. `late`: see sqlrp_here.
CREATE OR REPLACE MACRO sqlrp_if_saved(projection, next, late) AS
  sqlrp_here(concat('CASE WHEN CAST(json_serialize_plan(', sqlrp_string('SELECT ' || sqlrp_saved(projection)), ')->>''$.error'' AS BOOLEAN) THEN error(',
    sqlrp_string(concat('no projection ''', projection, ''' is saved here: in SQL, CREATE MACRO mine(t) AS TABLE FROM rp_project(t, k := 64) keeps one; ',
      'sqlrp.save in Python does; or USE the database of the view that reads it')), ') ELSE ', next, ' END'), late);

CREATE OR REPLACE MACRO sqlrp_saved_step(source, layout, projection, key, keep, features, array_column, feature, value, n_features, output, scale, nulls, lowering, dtype, told) AS
  CASE WHEN projection IS NULL THEN error('projection = NULL must be the name of a saved projection')
    ELSE list_transform(list_transform([sqlrp_from(source)], lambda saved_relation: {'relation': saved_relation, 'saved': sqlrp_saved(projection), 'call': sqlrp_call(saved_relation,
      key, keep, features, array_column, feature, value, n_features, output, scale, nulls, lowering, dtype, told)}), lambda saved_v:
      list_transform([concat(saved_v['saved'], '[''text''], ', saved_v['saved'], '[''names''], ', saved_v['call'], '))')], lambda saved_rest: CASE
      WHEN sqlrp_twice(CAST(key AS VARCHAR), sqlrp_names('keep', keep), sqlrp_names('features', features), sqlrp_others(array_column, feature, value))
        THEN concat('FROM query(sqlrp_once(', saved_v['call'], '))')
      WHEN sqlrp_late() THEN concat('FROM query(sqlrp_read_late(NULL, ', saved_rest)
      ELSE sqlrp_if_saved(projection, sqlrp_string(concat('FROM query(sqlrp_read_', sqlrp_way(layout, features), '(', sqlrp_columns(saved_v['relation']), ', ',
          CASE WHEN sqlrp_way(layout, features) = 'plain' THEN sqlrp_string(concat(saved_v['saved'], '[''names''], ', saved_v['call'])) || ', ' END, saved_rest)),
        concat('FROM query(sqlrp_read_late(NULL, ', saved_rest)) END)[1])[1] END;

-- The same with the arguments as they are written by sqlrp_macros.
CREATE OR REPLACE MACRO sqlrp_saved_open(projection, source, key, array_column, feature, value, n_features, output, scale, nulls, lowering, dtype, keep, features, told) AS
  sqlrp_saved_step(source, sqlrp_layout(array_column, feature, value), projection, key, keep, features, array_column, feature, value, n_features, output, scale, nulls, lowering, dtype, told);

-- The macro of a saved projection that the extension reads: the function of its method with the arguments, and the stages whose numbers were saved.
CREATE OR REPLACE MACRO sqlrp_saved_call(projection) AS concat('"sqlrp_call ', lower(hex(CAST(projection AS VARCHAR))), '"()');
