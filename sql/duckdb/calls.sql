-- -- the steps of a call ----------------------------------------------------------------------------------------------------
-- DuckDB binds a lambda's body twice, so nested lambdas cost 2 to the depth. A call is therefore a chain of queries, each
-- of which writes the next: the arguments, then the columns, then the statement. Values travel from one to the other as SQL.
-- DuckDB also binds the argument of a macro wherever the macro names it. An argument that is long, and named often, is therefore
-- the one element of a list that goes through list_transform: through one after another, not one within another.

CREATE OR REPLACE MACRO sqlrp_call(source, key, keep, features, array_column, feature, value, n_features, output, scale, nulls, lowering, dtype, told) AS
  '{''told'': ' || told || ', ''relation'': ' || sqlrp_string(sqlrp_from(source)) || ', ''key'': CAST(' || sqlrp_text(key) || ' AS VARCHAR), ''own'': false, ''keep'': ' || sqlrp_list(sqlrp_names('keep', keep))
    || ', ''features'': ' || sqlrp_list(sqlrp_names('features', features)) || ', ''array_column'': CAST(' || sqlrp_text(array_column)
    || ' AS VARCHAR), ''feature'': CAST(' || sqlrp_text(feature) || ' AS VARCHAR), ''value'': CAST(' || sqlrp_text(value) || ' AS VARCHAR), ''n_features'': CAST('
    || CASE WHEN n_features IS NULL THEN 'NULL' ELSE CAST(sqlrp_whole('n_features', n_features, 1) AS VARCHAR) END || ' AS BIGINT), ''output'': '
    || sqlrp_string(sqlrp_one_of('output', output, ['columns', 'array', 'vector', 'long', 'auto'])) || ', ''single'': ' || sqlrp_single(dtype, output) || ', ''scale'': ' || sqlrp_flag('scale', scale) || ', ''nulls'': '
    || sqlrp_string(sqlrp_one_of('nulls', nulls, ['propagate', 'zero', 'error'])) || ', ''lowering'': '
    || sqlrp_string(sqlrp_one_of('lowering', lowering, ['auto', 'sql', 'inline', 'indexed', 'relational'])) || '}';

-- Whether the types are known late: when the statement runs. Before that json_serialize_plan tells them, which DuckDB-Wasm has only if
-- it loads the extension json. SET VARIABLE sqlrp_json = true, or false, chooses.
CREATE OR REPLACE MACRO sqlrp_late() AS
  NOT coalesce(TRY_CAST(getvariable('sqlrp_json') AS BOOLEAN), NOT starts_with(current_setting('duckdb_api'), 'wasm'));

CREATE OR REPLACE MACRO sqlrp_step(source, layout, call, method) AS
  list_transform([call], lambda step_call: CASE
    WHEN sqlrp_late() THEN 'FROM query(sqlrp_read_late(' || step_call || ', ' || sqlrp_string(step_call) || ', ' || sqlrp_string(method) || '))'
    ELSE 'FROM query(sqlrp_read_' || layout || '(' || step_call || ', ' || sqlrp_columns(sqlrp_from(source)) || ', ' || sqlrp_string(method) || '))' END)[1];

-- The stages of a saved projection are the text of a macro, which the next query reads. It may also name the features that a wide
-- source is read for, unless the call names them.
CREATE OR REPLACE MACRO sqlrp_saved(projection) AS '"sqlrp_plan ' || lower(hex(CAST(projection AS VARCHAR))) || '"()';

CREATE OR REPLACE MACRO sqlrp_named(q, names) AS
  {'told': q['told'], 'relation': q['relation'], 'key': q['key'], 'keep': q['keep'], 'array_column': q['array_column'], 'feature': q['feature'], 'value': q['value'],
   'features': CASE WHEN len(q['features']) = 0 AND coalesce(q['array_column'], q['feature'], q['value']) IS NULL THEN coalesce(names, []) ELSE q['features'] END,
   'own': len(q['features']) = 0,
   'n_features': q['n_features'], 'output': q['output'], 'single': q['single'], 'scale': q['scale'], 'nulls': q['nulls'], 'lowering': q['lowering']};

CREATE OR REPLACE MACRO sqlrp_saved_step(source, layout, call, projection) AS
  CASE WHEN projection IS NULL THEN error('projection = NULL must be the name of a saved projection')
    ELSE list_transform([{'saved': sqlrp_saved(projection), 'call': 'sqlrp_named(' || call || ', ' || sqlrp_saved(projection) || '[''names''])'}], lambda saved_v: CASE
      WHEN sqlrp_late() THEN 'FROM query(sqlrp_read_late(' || saved_v['call'] || ', ' || sqlrp_string(saved_v['call']) || ', ' || saved_v['saved'] || '[''text'']))'
      ELSE 'FROM query(CASE WHEN CAST(json_serialize_plan(' || sqlrp_string('SELECT ' || saved_v['saved']) || ')->>''$.error'' AS BOOLEAN) THEN error('
        || sqlrp_string('no projection ''' || projection || ''' is saved here: sqlrp.save(projection, connection, ''' || projection || ''')') || ') ELSE '
        || '''FROM query(sqlrp_read_' || layout || '(' || replace(saved_v['call'], '''', '''''') || ', ' || replace(sqlrp_columns(sqlrp_from(source)), '''', '''''')
        || ', ' || saved_v['saved'] || '[''''text'''']))'' END)' END)[1] END;
