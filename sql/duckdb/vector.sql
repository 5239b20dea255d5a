-- -- one vector ---------------------------------------------------------------------------------------------------------------
-- Functions of an array, for the vector of a search. Their text reads the column sqlrp_vector of the row that it is joined with. Without
-- n_features the signs are drawn for each vector, with n_features once for a statement.

CREATE OR REPLACE MACRO sqlrp_vector_size(n_features) AS
  CASE WHEN n_features IS NULL THEN '''(SELECT n FROM sqlrp_source)''' ELSE sqlrp_string(CAST(sqlrp_whole('n_features', n_features, 1) AS VARCHAR)) END;

CREATE OR REPLACE MACRO sqlrp_vector_text(n_features, scale) AS
  '{''told'': false, ''relation'': ''(SELECT sqlrp_vector AS sqlrp_list FROM sqlrp_given) s'', ''output'': ''array'', ''scale'': ' || sqlrp_flag('scale', scale) || ', ''nulls'': ''propagate'', ''keyed'': false'
    || ', ''kept'': CAST([] AS VARCHAR[]), ''layout'': ''array'', ''text'': false, ''n'': CAST(NULL AS BIGINT), ''size'': ' || sqlrp_vector_size(n_features)
    || ', ''late'': ''sqlrp_source'', ''asked'': ''SELECT ' || coalesce(CAST(n_features AS VARCHAR), '(SELECT len(sqlrp_vector) FROM sqlrp_given)') || ' AS n, false AS text, NULL AS places'''
    || ', ''names'': [''sqlrp_list''], ''types'': [''DOUBLE[]''], ''nullable'': [true]}';

CREATE OR REPLACE MACRO sqlrp_vector_step(n_features, scale, method) AS
  sqlrp_met(sqlrp_vector_text(n_features, scale), replace(method, '{n}', sqlrp_vector_size(n_features)));

CREATE OR REPLACE MACRO sqlrp_saved_vector_step(n_features, scale, projection) AS
  CASE WHEN projection IS NULL THEN error('projection = NULL must be the name of a saved projection')
    ELSE 'FROM query(sqlrp_vector_step(' || sqlrp_value(n_features) || ', ' || sqlrp_flag('scale', scale) || ', ' || sqlrp_saved(projection) || '[''text'']))' END;

{{vectors}}
