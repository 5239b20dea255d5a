-- -- text ---------------------------------------------------------------------------------------------------------------

CREATE OR REPLACE MACRO sqlrp_quote(name) AS '"' || replace(name, '"', '""') || '"';
CREATE OR REPLACE MACRO sqlrp_string(words) AS '''' || replace(words, '''', '''''') || '''';
CREATE OR REPLACE MACRO sqlrp_join(parts, separator) AS coalesce(array_to_string(parts, separator), '');

-- Terms in chains of 32 within a tree of two levels: never as deep as the parser's limit.
CREATE OR REPLACE MACRO sqlrp_tree(terms, operator) AS
  CASE WHEN len(terms) = 1 THEN terms[1]
    WHEN len(terms) <= 32 THEN '(' || array_to_string(terms, operator) || ')'
    ELSE '(' || array_to_string(list_transform(range(0, len(terms), 32), lambda tree_i:
      '(' || array_to_string(terms[tree_i + 1 : tree_i + 32], operator) || ')'), operator) || ')' END;

-- A number as a literal of the given type.
CREATE OR REPLACE MACRO sqlrp_literal(value, kind) AS
  CASE WHEN kind IN ('FLOAT', 'DOUBLE') THEN
    list_transform([CAST(CAST(value AS DOUBLE) AS VARCHAR)], lambda literal_v: list_transform(
      [CASE WHEN contains(literal_v, 'e') THEN literal_v ELSE literal_v || 'e0' END],
      lambda literal_e: CASE WHEN kind = 'FLOAT' THEN 'CAST(' || literal_e || ' AS FLOAT)' ELSE literal_e END)[1])[1]
  WHEN starts_with(kind, 'DECIMAL') THEN 'CAST(' || CAST(CAST(value AS HUGEINT) AS VARCHAR) || ' AS ' || kind || ')'
  ELSE CAST(CAST(value AS HUGEINT) AS VARCHAR) END;

-- A value as an error message shows it.
CREATE OR REPLACE MACRO sqlrp_shown(value) AS
  CASE WHEN value IS NULL THEN 'NULL' WHEN typeof(value) = 'VARCHAR' THEN '''' || CAST(value AS VARCHAR) || ''''
    ELSE CAST(value AS VARCHAR) END;

-- Signed sums as text, from one list of entries a vector: below `low` the sign is +1, below `high` -1.
CREATE OR REPLACE MACRO sqlrp_sums(entries, x, low, high, zero) AS
  list_transform([x], lambda sums_x: list_transform(entries, lambda sums_e: list_transform([{
      'plus': list_filter(sums_x, lambda sums_v, sums_i: sums_e[sums_i] < low),
      'minus': list_filter(sums_x, lambda sums_v, sums_i: sums_e[sums_i] >= low AND sums_e[sums_i] < high)}],
    lambda sums_s: CASE
      WHEN len(sums_s['plus']) > 0 AND len(sums_s['minus']) > 0
        THEN '(' || sqlrp_tree(sums_s['plus'], '+') || '-' || sqlrp_tree(sums_s['minus'], '+') || ')'
      WHEN len(sums_s['plus']) > 0 THEN sqlrp_tree(sums_s['plus'], '+')
      WHEN len(sums_s['minus']) > 0 THEN '-' || sqlrp_tree(sums_s['minus'], '+')
      ELSE zero END)[1]))[1];
