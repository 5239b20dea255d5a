-- -- the steps of a call ----------------------------------------------------------------------------------------------------
-- A call is a chain of queries, each of which writes the next: the arguments, then the columns, then the statement. Nearly all of its
-- time is DuckDB's: it looks up every function of a step and allocates a vector for each of its values, whether or not it is used.
-- Values therefore travel from one step to the next as plain literals, one for each argument of the next macro, which cost little
-- wherever the macro names them. A field of a struct of many values costs ten times as much, and more if structs are nested.
-- DuckDB binds the argument of a macro wherever the macro names it. An argument that is long, and named often, is therefore
-- the one element of a list that goes through list_transform: through one after another, not one within another, as DuckDB 1.4
-- binds a lambda's body twice, so nested lambdas cost 2 to the depth.

-- The arguments of a call, checked: {{call_arguments}}. Of `lowering` nothing
-- is used, so only its check remains: no characters of it.
CREATE OR REPLACE MACRO sqlrp_call(relation, key, keep, features, array_column, feature, value, n_features, output, scale, nulls, lowering, dtype, told) AS
  concat(told, ', ', sqlrp_string(relation), ', CAST(', sqlrp_text(key), ' AS VARCHAR), ', sqlrp_list(sqlrp_names('keep', keep)),
    ', ', sqlrp_list(sqlrp_names('features', features)), ', CAST(', sqlrp_text(array_column), ' AS VARCHAR), CAST(', sqlrp_text(feature),
    ' AS VARCHAR), CAST(', sqlrp_text(value), ' AS VARCHAR), CAST(', CASE WHEN n_features IS NULL THEN 'NULL'
      ELSE CAST(sqlrp_whole('n_features', n_features, 1) AS VARCHAR) END, ' AS BIGINT), ',
    sqlrp_string(sqlrp_one_of('output', output, ['columns', 'array', 'vector', 'long', 'auto'])), ', ', sqlrp_single(dtype, output), ', ', sqlrp_flag('scale', scale), ', ',
    sqlrp_string(sqlrp_one_of('nulls', nulls, ['propagate', 'zero', 'error'])),
    left(sqlrp_one_of('lowering', lowering, ['auto', 'sql', 'inline', 'indexed', 'relational']), 0));

-- Whether the types are known late: when the statement runs. Before that json_serialize_plan tells them, which DuckDB-Wasm has only if
-- it loads the extension json. SET VARIABLE sqlrp_json = true, or false, chooses.
CREATE OR REPLACE MACRO sqlrp_late() AS
  NOT coalesce(TRY_CAST(getvariable('sqlrp_json') AS BOOLEAN), NOT starts_with(current_setting('duckdb_api'), 'wasm'));

CREATE OR REPLACE MACRO sqlrp_step(source, layout, method, key, keep, features, array_column, feature, value, n_features, output, scale, nulls, lowering, dtype, told) AS
  list_transform(list_transform([sqlrp_from(source)], lambda step_relation: {'relation': step_relation, 'call': sqlrp_call(step_relation, key, keep,
      features, array_column, feature, value, n_features, output, scale, nulls, lowering, dtype, told), 'method': sqlrp_string(method),
      'read': CASE WHEN sqlrp_late() THEN 'late' WHEN layout = 'wide' AND coalesce(len(TRY_CAST(features AS VARCHAR[])), 0) = 0 THEN 'plain' ELSE layout END}), lambda step_v:
    concat('FROM query(sqlrp_read_', step_v['read'], '(', CASE WHEN step_v['read'] = 'late' THEN 'NULL' ELSE sqlrp_columns(step_v['relation']) END, ', ', step_v['method'], ', ',
      CASE WHEN step_v['read'] = 'plain' THEN sqlrp_string(step_v['call']) ELSE 'CAST([] AS VARCHAR[])' END, ', ', step_v['call'], '))'))[1];

-- The stages of a saved projection are the text of a macro, which the next query reads. It may also name the features that a wide
-- source is read for, unless the call names them.
CREATE OR REPLACE MACRO sqlrp_saved(projection) AS concat('"sqlrp_plan ', lower(hex(CAST(projection AS VARCHAR))), '"()');

CREATE OR REPLACE MACRO sqlrp_saved_step(source, layout, projection, key, keep, features, array_column, feature, value, n_features, output, scale, nulls, lowering, dtype, told) AS
  CASE WHEN projection IS NULL THEN error('projection = NULL must be the name of a saved projection')
    ELSE list_transform(list_transform([sqlrp_from(source)], lambda saved_relation: {'relation': saved_relation, 'saved': sqlrp_saved(projection), 'call': sqlrp_call(saved_relation,
      key, keep, features, array_column, feature, value, n_features, output, scale, nulls, lowering, dtype, told)}), lambda saved_v:
      list_transform([concat(saved_v['saved'], '[''text''], ', saved_v['saved'], '[''names''], ', saved_v['call'], '))')], lambda saved_rest: CASE
      WHEN sqlrp_late() THEN concat('FROM query(sqlrp_read_late(NULL, ', saved_rest)
      ELSE concat('FROM query(CASE WHEN CAST(json_serialize_plan(', sqlrp_string('SELECT ' || saved_v['saved']), ')->>''$.error'' AS BOOLEAN) THEN error(',
        sqlrp_string(concat('no projection ''', projection, ''' is saved here: sqlrp.save(projection, connection, ''', projection, ''')')), ') ELSE ',
        sqlrp_string(concat('FROM query(sqlrp_read_', layout, '(', sqlrp_columns(saved_v['relation']), ', ', saved_rest)), ' END)') END)[1])[1] END;
