-- -- text ---------------------------------------------------------------------------------------------------------------

-- The parts, joined. array_to_string is a macro that copies its argument, so that texts within texts would be bound many times. DuckDB 1.4
-- takes a constant separator only.
CREATE OR REPLACE MACRO sqlrp_join(parts, separator) AS coalesce(list_aggregate(parts, 'string_agg', separator), '');

-- The text that two names share if they are the same to DuckDB, which folds the case of ASCII letters alone; and the same as SQL.
CREATE OR REPLACE MACRO sqlrp_fold(name) AS translate(name, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz');
CREATE OR REPLACE MACRO sqlrp_fold_text(name) AS concat('translate(', name, ', ''ABCDEFGHIJKLMNOPQRSTUVWXYZ'', ''abcdefghijklmnopqrstuvwxyz'')');

CREATE OR REPLACE MACRO sqlrp_quote(name) AS '"' || replace(name, '"', '""') || '"';
CREATE OR REPLACE MACRO sqlrp_string(words) AS '''' || replace(words, '''', '''''') || '''';

-- Values as SQL. An argument of another type than the function takes is told by its error before.
CREATE OR REPLACE MACRO sqlrp_text(value) AS coalesce(sqlrp_string(CAST(value AS VARCHAR)), 'NULL');
CREATE OR REPLACE MACRO sqlrp_value(value) AS coalesce(CAST(value AS VARCHAR), 'NULL');
CREATE OR REPLACE MACRO sqlrp_double(value) AS
  CASE WHEN value IS NULL THEN 'NULL' ELSE 'CAST(''' || CAST(value AS DOUBLE) || ''' AS DOUBLE)' END;
-- Texts as literals with commas between. One lambda for many texts: each call of sqlrp_string is bound for itself.
CREATE OR REPLACE MACRO sqlrp_strings(texts) AS
  list_aggregate(list_transform(texts, lambda string_t: coalesce('''' || replace(string_t, '''', '''''') || '''', 'CAST(NULL AS VARCHAR)')), 'string_agg', ', ');
CREATE OR REPLACE MACRO sqlrp_list(texts) AS concat('CAST([', sqlrp_strings(texts), '] AS VARCHAR[])');
-- Lists with commas between. A list of hundreds of literals takes long to bind, so that a long one is one text, which is split at a character that
-- no text has.
CREATE OR REPLACE MACRO sqlrp_each_list(lists) AS
  list_aggregate(list_transform(list_transform(lists, lambda each_l: {'l': each_l, 'text': CASE WHEN len(each_l) > 16 THEN list_aggregate(each_l, 'string_agg', chr(31)) END}),
    lambda each_v: CASE WHEN length(each_v['text']) - length(replace(each_v['text'], chr(31), '')) = len(each_v['l']) - 1
      THEN concat('string_split(', sqlrp_string(each_v['text']), ', chr(31))') ELSE sqlrp_list(each_v['l']) END), 'string_agg', ', ');

-- A chain of conditions in a tree of two levels: never as deep as the parser's limit.
CREATE OR REPLACE MACRO sqlrp_all(conditions) AS
  CASE WHEN len(conditions) <= 32 THEN '(' || sqlrp_join(conditions, ' AND ') || ')'
    ELSE '(' || sqlrp_join(list_transform(range(0, len(conditions), 32), lambda all_i:
      '(' || sqlrp_join(conditions[all_i + 1 : all_i + 32], ' AND ') || ')'), ' AND ') || ')' END;

-- A number as a literal of the given type.
CREATE OR REPLACE MACRO sqlrp_literal(value, kind) AS
  'CAST(''' || CASE WHEN kind IN ('FLOAT', 'DOUBLE') THEN CAST(CAST(value AS DOUBLE) AS VARCHAR)
    ELSE CAST(CAST(value AS HUGEINT) AS VARCHAR) END || ''' AS ' || kind || ')';

-- The number that stands for bit i of a word with a sign, from 1. DuckDB does not read the lowest number as one literal.
CREATE OR REPLACE MACRO sqlrp_place(i) AS
  CASE WHEN i = 1 THEN '{{word_lowest}}' ELSE CAST(CAST(1 AS BIGINT) << ({{word_bits}} - i) AS VARCHAR) END;

-- A value as an error message shows it.
CREATE OR REPLACE MACRO sqlrp_shown(value) AS
  CASE WHEN value IS NULL THEN 'NULL' WHEN typeof(value) = 'VARCHAR' THEN '''' || CAST(value AS VARCHAR) || ''''
    ELSE CAST(value AS VARCHAR) END;

-- A name that is near to the one that was asked for, in words.
CREATE OR REPLACE MACRO sqlrp_meant(asked, names) AS
  coalesce(' (did you mean ''' || list_transform(list_sort(list_filter(list_transform(names, lambda meant_n:
    {'near': jaro_winkler_similarity(lower(asked), lower(meant_n)), 'name': meant_n}),
    lambda meant_p: meant_p['near'] >= 0.8), 'DESC'), lambda meant_p: meant_p['name'])[1] || '''?)', '');
