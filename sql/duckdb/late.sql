-- -- a source whose types are known late ----------------------------------------------------------------------------------------
-- The statement describes its source when it runs. The features are read as DOUBLE, and so are the results. A table of one row holds
-- the number of features `n`, `text`: whether the features of long rows are words, and the `places` of the features among the columns.

-- The columns that may be features.
CREATE OR REPLACE MACRO sqlrp_late_columns(kept) AS
  'COLUMNS(lambda late_c: NOT list_contains(' || sqlrp_list(list_transform(kept, lambda late_k: sqlrp_fold(late_k))) || ', ' || sqlrp_fold_text('late_c') || '))';

-- The kept columns, and the features of a wide source as one list.
CREATE OR REPLACE MACRO sqlrp_late_relation(layout, kept, own, relation, features) AS
  list_transform([sqlrp_join(list_transform(kept, lambda relation_n: sqlrp_quote(relation_n)) || [''], ', ')], lambda relation_kept:
    CASE WHEN layout <> 'wide' THEN relation
      WHEN len(features) > 0 THEN concat('(SELECT ', relation_kept, '[', sqlrp_join(list_transform(features, lambda relation_f:
          concat('TRY_CAST(', sqlrp_quote(relation_f), ' AS DOUBLE)')), ', '), '] AS ', own, '_list FROM ', relation, ') s')
      ELSE concat('(SELECT ', relation_kept, 'list_select(list_value(*', sqlrp_late_columns(kept), '), (SELECT places FROM ', own, '_source)) AS ',
          own, '_list FROM (SELECT ', relation_kept, 'TRY_CAST(', sqlrp_late_columns(kept), ' AS DOUBLE) FROM ', relation, ') s) s') END)[1];

-- What tells the number and the places of the features, by the macro of the layout's frame, whose arguments after the columns are `told_of`.
CREATE OR REPLACE MACRO sqlrp_late_asked(layout, kept, relation, told_of) AS
  concat('SELECT f[''n''] AS n, f[''text''] AS text, list_transform(f[''features''], lambda late_p: list_position(names, late_p[''name''])) AS places ',
    'FROM (SELECT sqlrp_', layout, '_frame(columns, ', told_of, ') AS f, list_transform(list_filter(columns, lambda late_c: NOT list_contains(',
    sqlrp_list(list_transform(kept, lambda late_k: sqlrp_fold(late_k))), ', ', sqlrp_fold_text('late_c[''name'']'), ')), lambda late_c: late_c[''name'']) AS names FROM (SELECT ',
    'list({''name'': column_name, ''type'': column_type, ''nullable'': true} ORDER BY place ASC) AS columns FROM (SELECT *, row_number() OVER () AS place FROM ',
    '(DESCRIBE SELECT * FROM ', relation, '))) d) d');

CREATE OR REPLACE MACRO sqlrp_late_told(layout, relation, key, keep, features, array_column, feature, value, n_features, names) AS
  concat(sqlrp_string(relation), ', CAST(', CASE layout
    WHEN 'wide' THEN concat(sqlrp_text(key), ' AS VARCHAR), ', sqlrp_list(keep), ', ', sqlrp_list(features), ', ', sqlrp_list(names))
    WHEN 'array' THEN concat(sqlrp_text(array_column), ' AS VARCHAR), CAST(', sqlrp_value(n_features), ' AS BIGINT)')
    ELSE concat(sqlrp_text(key), ' AS VARCHAR), CAST(', sqlrp_text(feature), ' AS VARCHAR), CAST(', sqlrp_text(value), ' AS VARCHAR), CAST(',
      sqlrp_value(n_features), ' AS BIGINT)') END);

-- What is known of a call and its source, as SQL: {{frame_arguments}}.
CREATE OR REPLACE MACRO sqlrp_read_late(columns_of, method, names, {{call_arguments}}) AS
  list_transform(list_transform(list_transform([CASE WHEN key IS NULL THEN [] ELSE [key] END || keep], lambda late_kept: {'kept': late_kept,
      'own': sqlrp_own(relation || sqlrp_join(late_kept, ' ')), 'layout': sqlrp_layout(array_column, feature, value)}), lambda late_v: {
      'kept': late_v['kept'], 'layout': CASE late_v['layout'] WHEN 'long' THEN 'long' ELSE 'array' END,
      'source': late_v['own'] || '_source',
      'relation': sqlrp_late_relation(late_v['layout'], late_v['kept'], late_v['own'], relation, CASE WHEN len(features) = 0 OR (len(names) > 0 AND sqlrp_all_in(names, features)) THEN coalesce(names, []) ELSE features END),
      'n': CASE late_v['layout'] WHEN 'long' THEN sqlrp_value(n_features) ELSE 'NULL' END,
      'size': CASE late_v['layout'] WHEN 'long' THEN sqlrp_text(n_features) ELSE sqlrp_string(concat('(SELECT n FROM ', late_v['own'], '_source)')) END,
      'asked': sqlrp_late_asked(late_v['layout'], late_v['kept'], relation,
        sqlrp_late_told(late_v['layout'], relation, key, keep, features, array_column, feature, value, n_features, names)),
      'names': CASE late_v['layout'] WHEN 'long' THEN [coalesce(feature, 'feature'), coalesce(value, 'value')] ELSE [coalesce(array_column, late_v['own'] || '_list')] END}),
    lambda late_w: sqlrp_met(concat(told, ', ', single, ', ', scale, ', ', key IS NOT NULL, ', false, CAST(', late_w['n'], ' AS BIGINT), ', sqlrp_list(late_w['kept']), ', ',
        sqlrp_list(late_w['names']), ', [''DOUBLE[]'', ''DOUBLE''], [true, true], ', sqlrp_strings([late_w['source'], late_w['asked'], late_w['relation'], output, nulls, late_w['layout']]),
        ', CAST(', late_w['size'], ' AS VARCHAR), ', sqlrp_strings(['', NULL, NULL, lowering])),
      replace(method, '{n}', concat('CAST(', late_w['size'], ' AS VARCHAR)')), 'false'))[1];
