-- -- a source whose types are known late ----------------------------------------------------------------------------------------
-- The statement describes its source when it runs. The features are read as DOUBLE, and so are the results. A table of one row holds
-- the number of features `n`, `text`: whether the features of long rows are words, and the `places` of the features among the columns.

-- The columns that may be features.
CREATE OR REPLACE MACRO sqlrp_late_columns(kept) AS
  'COLUMNS(lambda late_c: NOT list_contains(' || sqlrp_list(list_transform(kept, lambda late_k: lower(late_k))) || ', lower(late_c)))';

-- The kept columns, and the features of a wide source as one list.
CREATE OR REPLACE MACRO sqlrp_late_relation(q, kept, own) AS
  list_transform([sqlrp_join(list_transform(kept, lambda relation_n: sqlrp_quote(relation_n)) || [''], ', ')], lambda relation_kept:
    CASE WHEN coalesce(q['array_column'], q['feature'], q['value']) IS NOT NULL THEN q['relation']
      WHEN len(q['features']) > 0 THEN '(SELECT ' || relation_kept || '[' || sqlrp_join(list_transform(q['features'], lambda relation_f:
          'TRY_CAST(' || sqlrp_quote(relation_f) || ' AS DOUBLE)'), ', ') || '] AS ' || own || '_list FROM ' || q['relation'] || ') s'
      ELSE '(SELECT ' || relation_kept || 'list_select(list_value(*' || sqlrp_late_columns(kept) || '), (SELECT places FROM ' || own || '_source)) AS '
          || own || '_list FROM (SELECT ' || relation_kept || 'TRY_CAST(' || sqlrp_late_columns(kept) || ' AS DOUBLE) FROM ' || q['relation'] || ') s) s' END)[1];

CREATE OR REPLACE MACRO sqlrp_late_asked(q, q_text, kept) AS
  'SELECT f[''n''] AS n, f[''text''] AS text, list_transform(f[''features''], lambda late_p: list_position(list_transform(list_filter(columns, '
    || 'lambda late_c: NOT list_contains(' || sqlrp_list(list_transform(kept, lambda late_k: lower(late_k))) || ', lower(late_c[''name'']))), '
    || 'lambda late_c: late_c[''name'']), late_p[''name''])) AS places FROM (SELECT sqlrp_' || sqlrp_layout(q['array_column'], q['feature'], q['value']) || '_frame(q, columns) AS f, columns FROM (SELECT ' || q_text
    || ' AS q, list({''name'': column_name, ''type'': column_type, ''nullable'': true}) AS columns FROM (DESCRIBE SELECT * FROM ' || q['relation']
    || ')) d) d';

-- What is known of a call, as SQL: the argument of the next step.
CREATE OR REPLACE MACRO sqlrp_late_text(q, q_text, kept, own) AS
  list_transform([coalesce(q['feature'], q['value']) IS NOT NULL AND q['array_column'] IS NULL], lambda late_long:
    '{''told'': ' || q['told'] || ', ''relation'': ' || sqlrp_string(sqlrp_late_relation(q, kept, own)) || ', ''output'': ' || sqlrp_string(q['output']) || ', ''single'': ' || q['single']
    || ', ''scale'': ' || q['scale'] || ', ''nulls'': ' || sqlrp_string(q['nulls']) || ', ''keyed'': ' || (q['key'] IS NOT NULL)
    || ', ''kept'': ' || sqlrp_list(kept) || ', ''layout'': ' || CASE WHEN late_long THEN '''long''' ELSE '''array''' END || ', ''text'': false'
    || ', ''n'': CAST(' || CASE WHEN late_long THEN sqlrp_value(q['n_features']) ELSE 'NULL' END || ' AS BIGINT), ''size'': CAST('
    || CASE WHEN late_long THEN sqlrp_text(q['n_features']) ELSE sqlrp_string('(SELECT n FROM ' || own || '_source)') END
    || ' AS VARCHAR), ''late'': ' || sqlrp_string(own || '_source') || ', ''asked'': ' || sqlrp_string(sqlrp_late_asked(q, q_text, kept))
    || ', ''names'': ' || sqlrp_list(CASE WHEN late_long THEN [coalesce(q['feature'], 'feature'), coalesce(q['value'], 'value')]
      ELSE [coalesce(q['array_column'], own || '_list')] END) || ', ''types'': [''DOUBLE[]'', ''DOUBLE''], ''nullable'': [true, true]}')[1];

CREATE OR REPLACE MACRO sqlrp_read_late(q, q_text, method) AS
  list_transform([CASE WHEN q['key'] IS NULL THEN [] ELSE [q['key']] END || q['keep']], lambda late_kept:
    list_transform([sqlrp_own(q['relation'] || sqlrp_join(late_kept, ' '))], lambda late_own:
      sqlrp_met(sqlrp_late_text(q, q_text, late_kept, late_own), replace(method, '{n}', 'CAST(' || CASE
          WHEN coalesce(q['feature'], q['value']) IS NOT NULL AND q['array_column'] IS NULL THEN sqlrp_text(q['n_features'])
          ELSE sqlrp_string('(SELECT n FROM ' || late_own || '_source)') END || ' AS VARCHAR)')))[1])[1];
