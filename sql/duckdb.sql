-- Written by `python sql/build.py` from the parts in sql/duckdb/: change those.

-- sqlrp for DuckDB (1.4, 1.5, 2.0 and DuckDB-Wasm): random projections and polynomial-kernel features as table functions, in plain SQL.
--
--   .read sql/duckdb.sql
--   FROM rp_project('images', k := 128, s := 3, seed := 7);
--   FROM pk_project('images', k := 256, degree := 2, p := 512, t := 4, c := 1, seed := 7, keep := ['label']);
--   FROM rp_project('docs', array_column := 'embedding');
--   FROM rp_project('counts', s := 3, key := 'doc', feature := 'word', value := 'n');
--   FROM project_with('a saved projection', 'images');
--
-- A source is the name of a table, a view or a file, and its numeric columns are the features, but for `key` and `keep`. A macro cannot
-- warn of text that reads as numbers, or of k above the number of features: `SELECT rp_project_sql('images')` names the columns that are
-- read, and sqlrp.explain in Python says what is left out.
--
-- Python's `sqlrp.install` runs this file too. The functions stay in the database: a view that calls them needs no Python. They see
-- temporary and uncommitted tables. `lowering` is 'inline' (expressions, as sqlrp.sql writes them), 'indexed' (lists of signs, which are read at
-- run time), 'relational' (long rows), or 'auto': expressions for wide rows and arrays unless there are few rows
-- or too many terms.
--
-- How it works: a macro is one `query(...)` over a constant text, which is written in steps (calls.sql). json_serialize_plan, binding
-- in the caller's transaction, tells the columns of the source; without the extension json, the statement itself does (late.sql). Expressions are
-- written from signs that are drawn while the statement binds (drawn.sql, inline.sql); for lists it draws them when it runs.
-- A macro's argument is copied to every use, so a value used twice is bound by a lambda first:
-- list_transform([value], lambda v: ...)[1]. A lambda within a macro hides the caller's names that its argument mentions, hence the
-- long names in the innermost ones. Fields are written v['field'], as a table function takes v.field for a string.

-- -- the portable draw: sqlrp/_core/draw.py says why it is good ---------------------------------------------------------------

-- The first 31 bits of the fractional part of the square roots of the first 32 primes: four polynomials of degree 7, the highest power first.
CREATE OR REPLACE MACRO sqlrp_constants() AS
  CAST('[[770729612, 264367317, 1300411462, 679946559, 1386740381, 506952121, 1572067138, 889516851],
   [601531406, 1837504262, 1197090115, 865702707, 177731180, 1219264685, 827135125, 1709035182],
   [931967384, 237154305, 1907382987, 1168239147, 915149669, 398042046, 1739997929, 1462749355],
   [956753662, 578591514, 1353227828, 945551027, 738907103, 319742201, 107107080, 1822908248]]' AS BIGINT[][]);

-- The polynomial with the coefficients a, the highest power first.
CREATE OR REPLACE MACRO sqlrp_horner(a, x) AS
  list_reduce(a, lambda horner_h, horner_a: (horner_h * x + horner_a) % 2147483647);

-- The 64 coefficients of a seed, as one list `a` from the last to the first. Purposes: 0 signs, 1 index, 2 subspace, 3 flips, 4 sample, 5 blocks, 6 search, 7 normals, 8 folds, 9 phases.
CREATE OR REPLACE MACRO sqlrp_seed(seed, purpose) AS TABLE
  SELECT list_transform(range(64 * purpose + 63, 64 * purpose - 1, -1), lambda seed_i:
    (sqlrp_horner(sqlrp_constants()[3], (m[1] + seed_i) % 2147483647) + sqlrp_horner(sqlrp_constants()[4], (m[2] + seed_i) % 2147483647)) % 2147483647) AS a
  FROM (SELECT list_transform(sqlrp_constants()[1:2], lambda seed_a, seed_i: sqlrp_horner(seed_a, (m[seed_i] + high) % 2147483647)) AS m
    FROM (SELECT list_transform(sqlrp_constants()[1:2], lambda seed_a: sqlrp_horner(seed_a, low)) AS m, high
      FROM (SELECT CAST(seed AS BIGINT) % 2147483647 AS low, CAST(seed AS BIGINT) // 2147483647 AS high) s) s) s;

-- The eight coefficients of components 0 ... n-1, one row each.
CREATE OR REPLACE MACRO sqlrp_components(seed, purpose, n) AS TABLE
  SELECT c, b[8] AS b0, b[7] AS b1, b[6] AS b2, b[5] AS b3, b[4] AS b4, b[3] AS b5, b[2] AS b6, b[1] AS b7
  FROM (SELECT c, list_transform(range(1, 65, 8), lambda components_i: sqlrp_horner(a[components_i : components_i + 7], c)) AS b
    FROM (SELECT a, unnest(range(CAST(n AS BIGINT))) AS c FROM sqlrp_seed(seed, purpose)) n) n;

-- The entry h(c, f) of a component and a feature f. A remainder takes longer than a product, and below 1024 three of them do.
CREATE OR REPLACE MACRO sqlrp_entry(b0, b1, b2, b3, b4, b5, b6, b7, f) AS
  CASE WHEN f < 1024 THEN (((((((b7*f+b6)*f+b5)*f+b4)%2147483647*f+b3)*f+b2)*f+b1)%2147483647*f+b0)%2147483647
    ELSE ((((((((((((((b7*f+b6)%2147483647)*f+b5)%2147483647)*f+b4)%2147483647)*f+b3)%2147483647)*f+b2)%2147483647)*f+b1)%2147483647)*f+b0)%2147483647) END;

-- A SELECT of the entry h for every component c in 0 ... n-1 and every feature f of sqlrp_features.
CREATE OR REPLACE MACRO sqlrp_drawn(seed, purpose, n) AS
  '(SELECT c, f, sqlrp_entry(b0, b1, b2, b3, b4, b5, b6, b7, f) AS h FROM sqlrp_features CROSS JOIN sqlrp_components('
    || seed || ', ' || purpose || ', ' || n || ')) drawn';

-- Append one more permutation to those that are dealt. A component that takes from both gets no vector twice.
CREATE OR REPLACE MACRO sqlrp_deal(dealt, next, size) AS
  CASE WHEN len(dealt) % size = 0 THEN dealt || next ELSE
    list_transform([list_filter(next, lambda deal_v: NOT list_contains(dealt[-(len(dealt) % size):], deal_v))
                    [:size - len(dealt) % size]],
      lambda deal_head: dealt || deal_head || list_filter(next, lambda deal_v: NOT list_contains(deal_head, deal_v)))[1] END;

-- The index table: `size` distinct vectors of p for each of k components, as one list of size*k.
CREATE OR REPLACE MACRO sqlrp_index_table(p, size, k, seed, minimise) AS TABLE
  SELECT CASE WHEN minimise THEN list_reduce(list(v ORDER BY c ASC), lambda index_dealt, index_next:
      sqlrp_deal(index_dealt, index_next, size))[:size * k] ELSE flatten(list(v[:size] ORDER BY c ASC)) END AS a
  FROM (SELECT c, list(f ORDER BY h ASC, f ASC) AS v FROM (SELECT c, f, sqlrp_entry(b0, b1, b2, b3, b4, b5, b6, b7, f) AS h
      FROM sqlrp_components(seed, 1, CASE WHEN minimise THEN CAST(ceil(size * k / p) AS BIGINT) ELSE k END),
      (SELECT unnest(range(CAST(p AS BIGINT))) AS f) n) drawn GROUP BY c) dealt;

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
  CASE WHEN i = 1 THEN '(-9223372036854775807-1)' ELSE CAST(CAST(1 AS BIGINT) << (64 - i) AS VARCHAR) END;

-- A value as an error message shows it.
CREATE OR REPLACE MACRO sqlrp_shown(value) AS
  CASE WHEN value IS NULL THEN 'NULL' WHEN typeof(value) = 'VARCHAR' THEN '''' || CAST(value AS VARCHAR) || ''''
    ELSE CAST(value AS VARCHAR) END;

-- A name that is near to the one that was asked for, in words.
CREATE OR REPLACE MACRO sqlrp_meant(asked, names) AS
  coalesce(' (did you mean ''' || list_transform(list_sort(list_filter(list_transform(names, lambda meant_n:
    {'near': jaro_winkler_similarity(lower(asked), lower(meant_n)), 'name': meant_n}),
    lambda meant_p: meant_p['near'] >= 0.8), 'DESC'), lambda meant_p: meant_p['name'])[1] || '''?)', '');

-- -- the source -----------------------------------------------------------------------------------------------------------

-- The source as it stands after FROM: a file's path, or quoted parts.
CREATE OR REPLACE MACRO sqlrp_from(source) AS
  CASE WHEN source IS NULL OR trim(source) = '' THEN
      error('table name ' || sqlrp_shown(source) || ' is empty: name a table, a view or a file')
    WHEN regexp_matches(lower(source), '\.(parquet|csv|tsv|csv\.gz|json|jsonl|ndjson|arrow)$') AND NOT contains(source, '"')
      THEN sqlrp_string(source)
    ELSE list_transform([regexp_extract_all(source, '(?:^|\.)("(?:[^"]|"")*"|[^".][^.]*)', 1)], lambda from_parts:
      CASE WHEN sqlrp_join(from_parts, '.') IS DISTINCT FROM source THEN
          error('table name ' || sqlrp_shown(source) || ' has an empty part or an open quote: write schema.table, '
                || 'or quote it "like this"')
        ELSE sqlrp_join(list_transform(from_parts, lambda from_part:
          CASE WHEN from_part[1] = '"' THEN from_part ELSE sqlrp_quote(from_part) END), '.') END)[1] END;

-- Whether the types are known late: when the statement runs. Before that json_serialize_plan tells them, which DuckDB-Wasm has only if
-- it loads the extension json. SET VARIABLE sqlrp_json = true, or false, chooses.
CREATE OR REPLACE MACRO sqlrp_late() AS
  NOT coalesce(TRY_CAST(getvariable('sqlrp_json') AS BOOLEAN), NOT starts_with(current_setting('duckdb_api'), 'wasm'));

-- Whether a call can be bound, as SQL: of a function of the extension, which may not be loaded. NULL for no call.
CREATE OR REPLACE MACRO sqlrp_found(call) AS
  'NOT CAST(json_serialize_plan(''SELECT ' || call || ''')->>''$.error'' AS BOOLEAN)';

-- The start of the names of the statement's tables, none of which is the source.
CREATE OR REPLACE MACRO sqlrp_own(relation) AS
  CASE WHEN contains(lower(relation), 'sqlrp') THEN 'sqlrp_' || md5(relation) ELSE 'sqlrp' END;

-- Its columns, as SQL: a list of {name, type, nullable}. DESCRIBE is planned, not run, and its rows stand in the plan. This is text,
-- as a macro that calls a function of the extension json cannot be created where there is none. What the plan does not say takes no time to read.
CREATE OR REPLACE MACRO sqlrp_columns(relation) AS
  'list_transform([json_serialize_plan(' || sqlrp_string('DESCRIBE SELECT * FROM ' || relation) || ', skip_null := true, skip_empty := true, skip_default := true)], lambda columns_plan: '
    || 'CASE WHEN CAST(columns_plan->>''$.error'' AS BOOLEAN) THEN error(' || sqlrp_string('source ' || relation || ' cannot be read: ')
    || ' || ' || CASE WHEN regexp_matches(relation, '^"\s*\(?\s*(select|from|with|values)\s', 'i') THEN sqlrp_string('a source is the name of a table or a view, and this is a query: make a view of it, and name that')
      ELSE 'replace(split_part(columns_plan->>''$.error_message'', chr(10) || chr(10) || ''LINE'', 1), chr(10), '' '')' END || ') '
    || 'ELSE list_transform(list_zip(columns_plan->>''$.plans[0].children[0].collection.values[0][*].value'', '
    || 'columns_plan->>''$.plans[0].children[0].collection.values[1][*].value'', columns_plan->>''$.plans[0].children[0].collection.values[2][*].value''), '
    || 'lambda columns_c: {''name'': columns_c[1], ''type'': columns_c[2], ''nullable'': columns_c[3] != ''NO''}) END)[1]';

-- Whether a type is one of whole numbers, or of any numbers.
CREATE OR REPLACE MACRO sqlrp_is_whole(type) AS
  type IN ('BOOLEAN', 'TINYINT', 'UTINYINT', 'SMALLINT', 'USMALLINT', 'INTEGER', 'UINTEGER', 'BIGINT', 'UBIGINT', 'HUGEINT', 'UHUGEINT');
CREATE OR REPLACE MACRO sqlrp_is_number(type) AS
  sqlrp_is_whole(type) OR type IN ('FLOAT', 'DOUBLE', 'BIGNUM') OR (type LIKE 'DECIMAL(%' AND type NOT LIKE '%]');

-- What kind of number a type is: integers of `bits` bits, decimals of `bits` bits in units of 10^-digits.
CREATE OR REPLACE MACRO sqlrp_number(type) AS
  CASE WHEN type IN ('FLOAT', 'DOUBLE') THEN {'kind': lower(type), 'bits': 0, 'digits': 0}
    WHEN type = 'BIGNUM' THEN {'kind': 'double', 'bits': 0, 'digits': 0}
    WHEN starts_with(type, 'DECIMAL(') AND NOT ends_with(type, ']') THEN {
      'kind': 'decimal', 'bits': CAST(ceil(CAST(regexp_extract(type, '(\d+),', 1) AS INTEGER) * log2(10)) AS INTEGER),
      'digits': CAST(regexp_extract(type, ',(\d+)', 1) AS INTEGER)}
    WHEN sqlrp_is_whole(type) THEN {
      'kind': 'int', 'digits': 0, 'bits': CASE type WHEN 'BOOLEAN' THEN 1 WHEN 'TINYINT' THEN 7 WHEN 'UTINYINT' THEN 8
        WHEN 'SMALLINT' THEN 15 WHEN 'USMALLINT' THEN 16 WHEN 'INTEGER' THEN 31 WHEN 'UINTEGER' THEN 32 WHEN 'BIGINT' THEN 63
        WHEN 'UBIGINT' THEN 64 WHEN 'HUGEINT' THEN 127 ELSE 128 END} END;

-- The narrowest kind that holds all numbers.
CREATE OR REPLACE MACRO sqlrp_common(numbers) AS
  CASE WHEN len(list_filter(numbers, lambda common_n: common_n['kind'] != 'int')) = 0
      THEN {'kind': 'int', 'bits': list_max(list_transform(numbers, lambda common_n: common_n['bits'])), 'digits': 0}
    WHEN len(list_filter(numbers, lambda common_n: common_n['kind'] NOT IN ('int', 'decimal'))) = 0 THEN
      list_transform([list_max(list_transform(numbers, lambda common_n: common_n['digits']))], lambda common_most: {'kind': 'decimal',
        'bits': list_max(list_transform(numbers, lambda common_n: CAST(common_n['bits'] + ceil((common_most - common_n['digits']) * log2(10)) AS INTEGER))),
        'digits': common_most})[1]
    WHEN len(list_filter(numbers, lambda common_n: common_n['kind'] != 'float' AND (common_n['kind'] != 'int' OR common_n['bits'] > 24))) = 0
      THEN {'kind': 'float', 'bits': 0, 'digits': 0}
    ELSE {'kind': 'double', 'bits': 0, 'digits': 0} END;

-- The type for sums of such numbers; NULL for a decimal of more than 38 digits.
CREATE OR REPLACE MACRO sqlrp_type(kind, bits, digits) AS
  CASE kind WHEN 'float' THEN 'FLOAT' WHEN 'double' THEN 'DOUBLE'
    WHEN 'decimal' THEN CASE WHEN bits <= 59 THEN 'DECIMAL(18,' || digits || ')'
      WHEN bits <= 126 THEN 'DECIMAL(38,' || digits || ')' END
    ELSE CASE WHEN bits <= 31 THEN 'INTEGER' WHEN bits <= 63 THEN 'BIGINT' WHEN bits <= 127 THEN 'HUGEINT'
      ELSE 'BIGNUM' END END;

-- Whether a cast goes by way of DOUBLE: DuckDB casts BIGNUM to DOUBLE, and not to FLOAT.
CREATE OR REPLACE MACRO sqlrp_through_double(have, want) AS have = 'BIGNUM' AND want = 'FLOAT';

-- -- the arguments ----------------------------------------------------------------------------------------------------------

-- The arguments, checked and completed: the words of an error are those of Python.
CREATE OR REPLACE MACRO sqlrp_whole(name, value, low) AS
  CASE WHEN typeof(value) NOT IN ('INTEGER', 'BIGINT') OR TRY_CAST(value AS BIGINT) NOT BETWEEN low AND 2147483645 THEN
      error(concat(name, ' = ', sqlrp_shown(value), ' must be a whole number >= ', low))
    ELSE TRY_CAST(value AS BIGINT) END;

-- The empty text, or an error for a degree or for tables that are too large, in Python's words. What is no number is refused elsewhere.
CREATE OR REPLACE MACRO sqlrp_sized(names, sizes) AS
  list_transform([{'names': list_filter(names, lambda sized_n, sized_i: sizes[sized_i] > 1), 'entries': list_aggregate(list_transform(sizes,
      lambda sized_x: greatest(coalesce(sized_x, 1), 1)), 'product'), 'degree': sizes[list_position(names, 'degree')]}], lambda sized_v:
    CASE WHEN sized_v['degree'] > 1000 THEN error(concat('degree = ', CAST(sized_v['degree'] AS HUGEINT), ' must be at most 1000: lower degree'))
      WHEN sized_v['entries'] > 16777216 THEN error(concat(sqlrp_join(sized_v['names'], ' * '), ' = ', CAST(sized_v['entries'] AS HUGEINT),
        ' must be at most 16,777,216: lower ', sqlrp_join(sized_v['names'], ' or ')))
      ELSE '' END)[1];

CREATE OR REPLACE MACRO sqlrp_one_of(name, value, choices) AS
  CASE WHEN list_contains(choices, CAST(value AS VARCHAR)) THEN CAST(value AS VARCHAR)
    ELSE error(concat(name, ' = ', sqlrp_shown(value), ' must be one of ', sqlrp_join(choices, ', '))) END;

CREATE OR REPLACE MACRO sqlrp_names(name, value) AS
  CASE WHEN typeof(value) = 'VARCHAR' THEN
      error(concat(name, ' = ', sqlrp_shown(value), ' must be a list of column names: write [', sqlrp_shown(value), ']'))
    ELSE coalesce(TRY_CAST(value AS VARCHAR[]), []) END;

CREATE OR REPLACE MACRO sqlrp_flag(name, value) AS
  CASE WHEN typeof(value) != 'BOOLEAN' OR value IS NULL THEN error(concat(name, ' = ', sqlrp_shown(value), ' must be true or false'))
    ELSE TRY_CAST(value AS BOOLEAN) END;

-- Whether the result's numbers are of 32 bits, as the text of a flag.
CREATE OR REPLACE MACRO sqlrp_single(dtype, output) AS
  CASE CASE WHEN output = 'bits' AND sqlrp_one_of('dtype', dtype, ['auto', 'float32', 'float16']) <> 'auto'
      THEN error('dtype = ' || sqlrp_shown(dtype) || ' is for numbers, and output = ''bits'' has none: leave dtype out')
    ELSE sqlrp_one_of('dtype', dtype, ['auto', 'float32', 'float16']) END WHEN 'float16' THEN
      error('dtype = ''float16'' is not supported: duckdb has no ' || CASE output WHEN 'vector' THEN 'vectors' ELSE 'columns' END
        || ' of such floats; leave dtype out')
    WHEN 'float32' THEN 'true' ELSE CASE output WHEN 'vector' THEN 'true' ELSE 'false' END END;

-- s as SQL, given as text with the name of its type and the number of features (NULL: an open vocabulary).
CREATE OR REPLACE MACRO sqlrp_s(s, kind, n) AS
  CASE WHEN s = 'sqrt' THEN CASE WHEN n IS NULL THEN
      error('s = "sqrt" needs the number of features, which an open vocabulary does not have: '
            || 'pass n_features, or a number such as s = 3') ELSE 'sqrt(CAST(' || n || ' AS DOUBLE))' END
    WHEN kind IN ('VARCHAR', 'BOOLEAN') OR s IS NULL OR NOT coalesce(TRY_CAST(s AS DOUBLE) >= 1 AND isfinite(TRY_CAST(s AS DOUBLE)), false)
      THEN error('s = ' || CASE WHEN kind = 'VARCHAR' THEN '''' || s || '''' ELSE coalesce(s, 'NULL') END
            || ' must be a number >= 1, or "sqrt" for the square root of the number of features')
    ELSE 'CAST(''' || TRY_CAST(s AS DOUBLE) || ''' AS DOUBLE)' END;

-- What is wrong with the columns that pass through: one has the name of an output.
CREATE OR REPLACE MACRO sqlrp_taken(kept, output, k) AS
  'column ''' || list_filter(kept, lambda taken_n: CASE WHEN output IN ('array', 'vector') THEN sqlrp_fold(taken_n) = 'z'
      WHEN output = 'long' THEN sqlrp_fold(taken_n) IN ('component', 'value')
      WHEN output = 'bits' THEN regexp_matches(sqlrp_fold(taken_n), '^b(0|[1-9]\d{0,8})$') AND TRY_CAST(taken_n[2:] AS BIGINT) * 64 < k
      ELSE regexp_matches(sqlrp_fold(taken_n), '^z(0|[1-9]\d{0,8})$') AND TRY_CAST(taken_n[2:] AS BIGINT) < k END)[1]
    || ''' of the source has an output column''s name: rename it, or choose another output';

CREATE OR REPLACE MACRO sqlrp_seed_number(seed) AS
  CASE WHEN typeof(seed) IN ('INTEGER', 'BIGINT') AND TRY_CAST(seed AS BIGINT) BETWEEN 0 AND 9007199254740991
      THEN TRY_CAST(seed AS BIGINT)
    ELSE error('seed = ' || sqlrp_shown(seed) || ' must be a whole number from 0 to 2^53 - 1: choose one in that range') END;

-- The columns of an array or of long rows.
CREATE OR REPLACE MACRO sqlrp_others(array_column, feature, value) AS
  CASE WHEN array_column IS NOT NULL THEN [CAST(array_column AS VARCHAR)] WHEN feature IS NOT NULL OR value IS NOT NULL
    THEN [coalesce(CAST(feature AS VARCHAR), 'feature'), coalesce(CAST(value AS VARCHAR), 'value')] ELSE CAST([] AS VARCHAR[]) END;

-- What is wrong where a call names a column twice, in Python's words. `roles` says what each of `names` is.
CREATE OR REPLACE MACRO sqlrp_named_twice(name, names) AS
  concat(name, ' names the column ', sqlrp_shown(list_filter(names, lambda twice_n, twice_i: list_position(names, twice_n) < twice_i)[1]),
    ' twice: name it once');

CREATE OR REPLACE MACRO sqlrp_named_as_two(names, roles, relation) AS
  list_transform([{'n': list_transform(names, lambda two_n: sqlrp_fold(two_n)), 'exact': len(list_distinct(names)) < len(names)}], lambda two_v:
    list_transform(list_filter(list_transform(names, lambda two_n, two_i: {'first': list_position(CASE WHEN two_v['exact'] THEN names ELSE two_v['n']
      END,
        CASE WHEN two_v['exact'] THEN two_n ELSE sqlrp_fold(two_n) END), 'second': two_i}), lambda two_p: two_p['first'] < two_p['second']), lambda two_p:
          CASE
      WHEN NOT two_v['exact'] THEN concat('column ', sqlrp_shown(names[two_p['first']]), ' of ', relation,
        ' is named twice, in two spellings: name it once')
      ELSE concat('column ', sqlrp_shown(names[two_p['second']]), ' cannot be ', CASE WHEN roles[two_p['first']] = roles[two_p['second']]
        THEN 'two columns of the source'
        ELSE concat('both ', roles[two_p['first']], ' and ', roles[two_p['second']]) END, ': name it once') END)[1])[1];

-- Whether a call names a column twice. `others`: the columns of an array, or of long rows.
CREATE OR REPLACE MACRO sqlrp_twice(key, keep, features, others) AS
  list_transform([list_filter(list_transform([key] || keep || features || others, lambda twice_n: sqlrp_fold(twice_n)),
    lambda twice_n: twice_n IS NOT NULL)],
    lambda twice_v: len(list_distinct(twice_v)) < len(twice_v))[1];

-- The step that tells the error.
CREATE OR REPLACE MACRO sqlrp_once(told, relation, key, keep, features, array_column, feature, value, n_features, output, single, scale, nulls, lowering) AS
  error(list_transform([{'names': list_filter([key] || keep || features || sqlrp_others(array_column, feature, value),
    lambda once_n: once_n IS NOT NULL),
      'roles': CASE WHEN key IS NULL THEN [] ELSE ['key'] END || list_transform(keep, lambda once_n: 'keep')
        || list_transform(features || sqlrp_others(array_column, feature, value), lambda once_n: 'a feature')}], lambda once_v: CASE
    WHEN len(list_distinct(keep)) < len(keep) THEN sqlrp_named_twice('keep', keep)
    WHEN len(list_distinct(features)) < len(features) THEN sqlrp_named_twice('features', features)
    ELSE sqlrp_named_as_two(once_v['names'], once_v['roles'], relation) END)[1]);

-- A column by its name, in upper or lower case.
CREATE OR REPLACE MACRO sqlrp_find(columns, wanted, role, relation) AS
  list_transform([list_filter(columns, lambda found_c: sqlrp_fold(found_c['name']) = sqlrp_fold(wanted))], lambda find_found:
    CASE WHEN len(find_found) = 0 THEN error(role || ' ''' || wanted || ''' is not a column of ' || relation
        || sqlrp_meant(wanted, list_transform(columns, lambda find_c: find_c['name'])) || CASE WHEN role = 'key'
        THEN ': name the key column, or key NULL for a table without one' ELSE ': name one of its columns' END)
      ELSE find_found[1] END)[1];

-- The columns of several names. Those of the source are folded once: for each name again they take 14 s for 2,000.
CREATE OR REPLACE MACRO sqlrp_find_each(columns, names, first_role, role, relation) AS
  list_transform([list_transform(columns, lambda each_c: sqlrp_fold(each_c['name']))], lambda each_v:
    list_transform(names, lambda each_n, each_i: coalesce(columns[list_position(each_v, sqlrp_fold(each_n))],
      sqlrp_find(columns, each_n, CASE WHEN each_i = 1 THEN first_role ELSE role END, relation))))[1];

-- An array that is left out though it has more numbers than there are numeric columns, so that it may be what is meant, in
-- words; a list is taken to have 64 (sqlrp/_lowering/left_out.py). NULL where there is none.
CREATE OR REPLACE MACRO sqlrp_passed_over(columns, found, key, keep) AS
  list_transform(list_filter(columns, lambda over_c: over_c['type'] LIKE '%]'
      AND sqlrp_is_number(regexp_replace(over_c['type'], '\[\d*\]$', '')) AND sqlrp_fold(over_c['name']) IS DISTINCT FROM sqlrp_fold(key)
      AND NOT list_contains(list_transform(keep, lambda over_k: sqlrp_fold(over_k)), sqlrp_fold(over_c['name']))
      AND found < coalesce(TRY_CAST(regexp_extract(over_c['type'], '\[(\d+)\]$', 1) AS BIGINT), 64)),
    lambda over_c: 'an array: ''' || over_c['name'] || '''. Say which holds the features. For the array: array_column := '''
      || over_c['name'] || '''. For the numeric columns: name them in features')[1];

-- Which columns hold the features of a wide source.
CREATE OR REPLACE MACRO sqlrp_wide_features(columns, features, key, keep, relation) AS
  CASE WHEN len(features) = 0 THEN list_filter(columns, lambda wide_c: sqlrp_is_number(wide_c['type'])
      AND sqlrp_fold(wide_c['name']) IS DISTINCT FROM sqlrp_fold(key)
      AND NOT list_contains(list_transform(keep, lambda wide_k: sqlrp_fold(wide_k)), sqlrp_fold(wide_c['name'])))
    ELSE list_transform(sqlrp_find_each(columns, features, 'feature', 'feature', relation), lambda wide_c:
      CASE WHEN NOT sqlrp_is_number(wide_c['type']) THEN error(concat('feature ''', wide_c['name'], ''' of ', relation, ' is ',
          wide_c['type'], ', not a number: cast it, keep it, or leave it out')) ELSE wide_c END) END;

-- Whether all of some names are among others, in upper or lower case; NULL for no names.
CREATE OR REPLACE MACRO sqlrp_all_in(names, others) AS
  list_has_all(list_transform(others, lambda all_n: sqlrp_fold(all_n)), list_transform(names, lambda all_n: sqlrp_fold(all_n)));

-- The features that a call names, or else those of a saved projection, which hold only if the source has all of them. If the call names
-- them all, they are taken in the projection's order.
CREATE OR REPLACE MACRO sqlrp_asked(columns, features, names) AS
  CASE WHEN len(features) > 0 AND NOT (coalesce(len(names), 0) > 0 AND sqlrp_all_in(names, features)
      AND sqlrp_all_in(features, list_transform(columns, lambda asked_c: asked_c['name']))) THEN features
    WHEN NOT sqlrp_all_in(names, list_transform(columns, lambda asked_c: asked_c['name'])) THEN [] ELSE coalesce(names, []) END;

-- The layout that the arguments name.
CREATE OR REPLACE MACRO sqlrp_layout(array_column, feature, value) AS
  CASE WHEN array_column IS NOT NULL THEN 'array' WHEN feature IS NOT NULL OR value IS NOT NULL THEN 'long' ELSE 'wide' END;

-- The frame of a source, a macro for each layout: which columns hold the features, and how many there are.
CREATE OR REPLACE MACRO sqlrp_array_frame(columns, relation, array_column, n_features) AS
  list_transform([sqlrp_find(columns, array_column, 'array column', relation)], lambda array_c:
    CASE WHEN array_c['type'] NOT LIKE '%]' OR NOT sqlrp_is_number(regexp_replace(array_c['type'], '\[\d*\]$', '')) THEN
        error(concat('column ''', array_c['name'], ''' of ', relation, ' is ', array_c['type'],
              ', not an array of numbers: leave array_column out for plain columns, or make a view that casts it to FLOAT[n]'))
      WHEN array_c['type'] LIKE '%[]' AND n_features IS NULL THEN
        error(concat('the length of the lists in ''', array_c['name'], ''' of ', relation, ' cannot be told from here: ',
              'declare the column as an array such as FLOAT[768], or pass n_features := n in SQL'))
      ELSE {'features': [array_c], 'text': false, 'n': CASE WHEN array_c['type'] LIKE '%[]' THEN n_features
            ELSE TRY_CAST(regexp_extract(array_c['type'], '\[(\d+)\]$', 1) AS BIGINT) END} END)[1];

CREATE OR REPLACE MACRO sqlrp_long_frame(columns, relation, key, feature, value, n_features) AS
  list_transform([[sqlrp_find(columns, coalesce(feature, 'feature'), 'feature column', relation),
                   sqlrp_find(columns, coalesce(value, 'value'), 'value column', relation)]], lambda long_c:
    CASE WHEN key IS NULL THEN error('key = NULL does not name the rows of a long source: name its key column')
      WHEN NOT (sqlrp_is_whole(long_c[1]['type']) OR long_c[1]['type'] = 'VARCHAR' OR long_c[1]['type'] LIKE 'ENUM(%') THEN
        error(concat('feature column ''', long_c[1]['name'], ''' of ', relation, ' is ', long_c[1]['type'],
              ': it must hold positions (integers from 0) or names (text)'))
      WHEN NOT sqlrp_is_number(long_c[2]['type']) THEN error(concat('value column ''', long_c[2]['name'], ''' of ', relation,
              ' is ', long_c[2]['type'], ', not a number: cast it'))
      ELSE {'features': long_c, 'text': NOT sqlrp_is_whole(long_c[1]['type']), 'n': n_features} END)[1];

CREATE OR REPLACE MACRO sqlrp_wide_frame(columns, relation, key, keep, features, names) AS
  list_transform(list_transform(list_transform([sqlrp_asked(columns, features, names)], lambda wide_asked: {'asked': len(wide_asked) > 0,
      'found': sqlrp_wide_features(columns, wide_asked, key, keep, relation)}), lambda wide_a: {'found': wide_a['found'],
      'over': CASE WHEN NOT wide_a['asked'] THEN sqlrp_passed_over(columns, len(wide_a['found']), key, keep) END}), lambda wide_b:
    CASE WHEN wide_b['over'] IS NOT NULL THEN error(concat(relation, ' has ', len(wide_b['found']), ' numeric column(s) besides key and keep, and ', wide_b['over']))
      WHEN len(wide_b['found']) = 0 THEN error(concat(relation, ' has no numeric column besides key and keep: a wide source ',
        'needs at least one; use array_column for an array column or feature and value for (key, feature, value) rows'))
      ELSE {'features': wide_b['found'], 'text': false, 'n': len(wide_b['found'])} END)[1];

-- Features of one type that no one named are read as one array, without their names: a text with hundreds of names takes long to bind.
CREATE OR REPLACE MACRO sqlrp_one_list(found, own) AS
  {'name': own || '_list', 'type': concat(found[1]['type'], '[', len(found), ']'), 'nullable': true};

CREATE OR REPLACE MACRO sqlrp_listed(relation, kept, columns, found, own) AS
  concat('(SELECT ', sqlrp_join(list_transform(kept, lambda star_k: sqlrp_quote(star_k)) || [''], ', '), 'list_value(*COLUMNS(*',
    CASE WHEN len(columns) = len(found) THEN '' ELSE concat(' EXCLUDE (', sqlrp_join(list_transform(list_filter(columns, lambda star_c:
      NOT list_contains(found, star_c)), lambda star_c: sqlrp_quote(star_c['name'])), ', '), ')') END, ')) AS ', own, '_list FROM ', relation, ') s');

CREATE OR REPLACE MACRO sqlrp_starred(relation, named, kept, columns, found, own) AS
  CASE WHEN named OR len(list_distinct(list_transform(found, lambda star_c: star_c['type']))) > 1
      THEN {'relation': relation, 'layout': 'wide', 'features': found}
    ELSE {'relation': sqlrp_listed(relation, kept, columns, found, own), 'layout': 'array', 'features': [sqlrp_one_list(found, own)]} END;

-- The names of the columns that pass through.
CREATE OR REPLACE MACRO sqlrp_kept(columns, relation, key, keep) AS
  list_transform(sqlrp_find_each(columns, CASE WHEN key IS NULL THEN [] ELSE [key] END || keep,
    CASE WHEN key IS NULL THEN 'keep column' ELSE 'key' END, 'keep column', relation), lambda kept_c: kept_c['name']);

-- The number of rows of a source, as SQL, where DuckDB's plan of a count has it; else NULL. The source's name stands in its check
-- (sqlrp_same), which the text of a view has not: its source may grow.
CREATE OR REPLACE MACRO sqlrp_count(relation) AS
  list_transform([regexp_extract(relation, '\(DESCRIBE SELECT \* FROM (.*?)\)\)\)', 1)], lambda count_r: CASE WHEN count_r = '' THEN 'NULL' ELSE concat('TRY_CAST(json_serialize_plan(',
    sqlrp_string('SELECT count(*) FROM ' || count_r), ', optimize := true, skip_null := true, skip_empty := true, skip_default := true)->>''$.plans[0].children[0].expressions[0][0].value.value'' AS BIGINT)') END)[1];

-- A step that writes texts as they are and as strings. `few`: whether there are so few rows that lists compute them, as SQL.
CREATE OR REPLACE MACRO sqlrp_met(frame_text, method, few) AS
  concat('FROM query(sqlrp_stated(', sqlrp_string(frame_text), ', ', sqlrp_string(method), ', ', few, '))');
CREATE OR REPLACE MACRO sqlrp_stated(frame_text, method, few) AS
  concat('FROM query(sqlrp_', CASE WHEN few THEN 'few' ELSE 'plan' END, '(', method, ', ', sqlrp_string(method), ', ', sqlrp_string(frame_text), ', ', frame_text, '))');

-- What is known of a call and its source, as SQL: arguments of the next steps, in the order of told, single, scale, keyed, words, n, kept, names, types, nullable, late, asked, relation, output, nulls, layout, size, base, quoted, nulled, lowering.
-- `method` is the stages as SQL, with {n} for the number of features.
-- `found`: the features of a wide source, whose table is `base`; NULL for other sources. A list of hundreds of literals takes long to bind,
-- so their names travel as one text, and so does whether each may be NULL.
CREATE OR REPLACE MACRO sqlrp_read_as(method, kept, layout, words, n, reads, names, types, nullable, told, output, single, scale, nulls, key, lowering, base, found) AS
  sqlrp_met(concat(told, ', ', single, ', ', scale, ', ', key IS NOT NULL, ', ', words, ', CAST(', sqlrp_value(n), ' AS BIGINT), ', sqlrp_each_list([kept, names, types]), ', ', nullable, ', ', sqlrp_strings([NULL, NULL, reads, output, nulls, layout, CAST(n AS VARCHAR), base,
        list_aggregate(list_transform(found, lambda text_c: sqlrp_quote(text_c['name'])), 'string_agg', ','),
        list_aggregate(list_transform(found, lambda text_c: CASE WHEN text_c['nullable'] THEN '1' ELSE '0' END), 'string_agg', ''), lowering])),
    replace(method, '{n}', concat('CAST(', sqlrp_text(n), ' AS VARCHAR)')),
    CASE WHEN layout <> 'long' AND lowering IN ('auto', 'sql') AND NOT regexp_matches(method, '^(sqlrp_fht_stages)\(') THEN concat(sqlrp_count(base), ' <= 2000') ELSE 'false' END);

CREATE OR REPLACE MACRO sqlrp_read(method, kept, layout, words, n, reads, features, told, output, single, scale, nulls, key, lowering, base, found) AS
  sqlrp_read_as(method, kept, layout, words, n, reads, list_transform(features, lambda text_c: text_c['name']), list_transform(features, lambda text_c: text_c['type']),
    CAST(list_transform(features, lambda text_c: text_c['nullable']) AS VARCHAR), told, output, single, scale, nulls, key, lowering, base, found);

-- The source in a statement that runs, with a condition: the statement fails if the columns are others than those that it was written for. A view reads
-- the table that is in its own schema, and json_serialize_plan tells the columns of the one that the session finds. Two threads would mix up more
-- than 2,048 columns, so they are numbered. The text stands after FROM, and only GROUP BY may follow it. A subquery of all columns in its place
-- would bind each of them once more.
CREATE OR REPLACE MACRO sqlrp_same(told, relation, columns) AS
  CASE WHEN told THEN relation ELSE concat(relation, ' WHERE (SELECT CASE WHEN md5(string_agg(concat(column_name, '' '', column_type), '', '' ORDER BY place ASC)) = ''',
    md5(sqlrp_join(list_transform(columns, lambda same_c: concat(same_c['name'], ' ', same_c['type'])), ', ')), ''' THEN true ELSE error(', sqlrp_string(concat('sqlrp: the columns of ',
      relation, ' are not those that this call was written for: a view reads the table in its own schema, and here another table has that name; write the database and the schema in the name')),
    ') END FROM (SELECT *, row_number() OVER () AS place FROM (DESCRIBE SELECT * FROM ', relation, ')))') END;

-- The error of a call that names plain columns, and `others`.
CREATE OR REPLACE MACRO sqlrp_two_layouts(features, others) AS
  error(concat('features = [', sqlrp_join(features, ', '), '] names plain columns, and other arguments name ', others, ': leave out one of them'));

-- The next step of a call: the columns of its source meet the arguments.
CREATE OR REPLACE MACRO sqlrp_read_array(columns_of, method, names, told, relation, key, keep, features, array_column, feature, value, n_features, output, single, scale, nulls, lowering) AS
  list_transform(list_transform([columns_of], lambda array_v: {'f': sqlrp_array_frame(array_v, relation, array_column, n_features),
      'kept': CASE WHEN len(features) > 0 THEN sqlrp_two_layouts(features, 'an array column')
        WHEN coalesce(feature, value) IS NOT NULL
          THEN error('array_column names an array column, and feature and value the columns of long rows: leave out one of them')
        ELSE sqlrp_kept(array_v, relation, key, keep) END, 'same': sqlrp_same(told, relation, array_v)}), lambda array_r:
    sqlrp_read(method, array_r['kept'], 'array', false, array_r['f']['n'], array_r['same'], array_r['f']['features'], told, output, single, scale, nulls, key,
      lowering, array_r['same'], CAST(NULL AS STRUCT(name VARCHAR, nullable BOOLEAN)[])))[1];

CREATE OR REPLACE MACRO sqlrp_read_long(columns_of, method, names, told, relation, key, keep, features, array_column, feature, value, n_features, output, single, scale, nulls, lowering) AS
  list_transform(list_transform([columns_of], lambda long_v: {'f': sqlrp_long_frame(long_v, relation, key, feature, value, n_features),
      'kept': CASE WHEN len(features) > 0 THEN sqlrp_two_layouts(features, 'the columns of long rows')
        WHEN len(keep) > 0 THEN error(concat('keep = [', sqlrp_join(keep, ', '),
        '] does not hold for long rows, as a row is spread over many: join the result by its key'))
        ELSE sqlrp_kept(long_v, relation, key, keep) END, 'same': sqlrp_same(told, relation, long_v)}), lambda long_r:
    sqlrp_read(method, long_r['kept'], 'long', long_r['f']['text'], long_r['f']['n'], long_r['same'], long_r['f']['features'], told, output, single, scale, nulls, key,
      lowering, long_r['same'], CAST(NULL AS STRUCT(name VARCHAR, nullable BOOLEAN)[])))[1];

-- The common case of an array: it is of numbers, and nothing is to be said of the columns. Else sqlrp_read_array reads them, which `called` has the arguments for.
CREATE OR REPLACE MACRO sqlrp_read_plain_array(columns_of, called, method, names, told, relation, key, keep, features, array_column, feature, value, n_features, output, single, scale, nulls, lowering) AS
  list_transform(list_transform([columns_of], lambda plain_c: {'same': sqlrp_same(told, relation, plain_c), 'array': list_filter(plain_c, lambda plain_f: sqlrp_fold(plain_f['name']) = sqlrp_fold(array_column))[1],
      'kept': CASE WHEN key IS NULL THEN [] ELSE [list_filter(plain_c, lambda plain_f: sqlrp_fold(plain_f['name']) = sqlrp_fold(key))[1]['name']] END}), lambda plain_r: CASE
    WHEN coalesce(regexp_full_match(plain_r['array']['type'], '(FLOAT|DOUBLE|[A-Z]*INT(EGER)?)\[\d+\]'), false) AND list_position(plain_r['kept'], NULL) IS NULL
      THEN sqlrp_read_as(method, plain_r['kept'], 'array', false, CAST(regexp_extract(plain_r['array']['type'], '\d+') AS BIGINT), plain_r['same'], [plain_r['array']['name']], [plain_r['array']['type']],
        CAST([plain_r['array']['nullable']] AS VARCHAR), told, output, single, scale, nulls, key, lowering, plain_r['same'], CAST(NULL AS STRUCT(name VARCHAR, nullable BOOLEAN)[]))
    ELSE concat('FROM query(sqlrp_read_array(', sqlrp_columns(relation), ', ', sqlrp_string(method), ', ', called, '))') END)[1];

-- The common case of it: all numeric columns are features, of one type, those of a saved projection in their order if it has `names`, and nothing is to be
-- said of the columns. Else sqlrp_read_wide reads them, which `called` has the other arguments for.
CREATE OR REPLACE MACRO sqlrp_read_plain(columns_of, called, method, names, told, relation, key, keep, features, array_column, feature, value, n_features, output, single, scale, nulls, lowering) AS
  list_transform(list_transform(list_transform([columns_of], lambda plain_c: {'columns': plain_c, 'passed': list_transform(CASE WHEN key IS NULL THEN [] ELSE [key] END || keep,
      lambda plain_n: sqlrp_fold(plain_n))}), lambda plain_v: {'columns': plain_v['columns'], 'same': sqlrp_same(told, relation, plain_v['columns']),
      'kept': list_transform(plain_v['passed'], lambda plain_n: list_filter(plain_v['columns'], lambda plain_c: sqlrp_fold(plain_c['name']) = plain_n)[1]['name']),
      'found': list_filter(plain_v['columns'], lambda plain_c: NOT list_contains(plain_v['passed'], sqlrp_fold(plain_c['name'])) AND sqlrp_is_number(plain_c['type'])),
      'listed': len(list_filter(plain_v['columns'], lambda plain_c: plain_c['type'] LIKE '%]')) > 0}), lambda plain_r: CASE
    WHEN plain_r['listed'] OR list_position(plain_r['kept'], NULL) IS NOT NULL OR len(list_distinct(list_transform(plain_r['found'], lambda plain_c: plain_c['type']))) <> 1
        OR names <> list_transform(plain_r['found'], lambda plain_c: plain_c['name'])
      THEN concat('FROM query(sqlrp_read_wide(', sqlrp_columns(relation), ', ', sqlrp_string(method), ', ', called, '))')
    ELSE list_transform([sqlrp_own(relation || sqlrp_join(plain_r['kept'], ' '))], lambda plain_own: sqlrp_read_as(method, plain_r['kept'], 'array', false, len(plain_r['found']),
      sqlrp_listed(plain_r['same'], plain_r['kept'], plain_r['columns'], plain_r['found'], plain_own),
      [plain_own || '_list'], [concat(plain_r['found'][1]['type'], '[', len(plain_r['found']), ']')], '[true]', told, output, single, scale, nulls, key, lowering, plain_r['same'], plain_r['found']))[1] END)[1];

CREATE OR REPLACE MACRO sqlrp_read_wide(columns_of, method, names, told, relation, key, keep, features, array_column, feature, value, n_features, output, single, scale, nulls, lowering) AS
  list_transform(list_transform(list_transform([columns_of], lambda wide_v: {'columns': wide_v, 'same': sqlrp_same(told, relation, wide_v),
      'found': sqlrp_wide_frame(wide_v, relation, key, keep, features, names)['features'], 'kept': sqlrp_kept(wide_v, relation, key, keep)}), lambda wide_s:
      {'kept': wide_s['kept'], 'n': len(wide_s['found']), 'found': wide_s['found'], 'same': wide_s['same'], 'read': sqlrp_starred(wide_s['same'], len(features) > 0 OR coalesce(len(names) > 0, false), wide_s['kept'],
        wide_s['columns'], wide_s['found'], sqlrp_own(relation || sqlrp_join(wide_s['kept'], ' ')))}), lambda wide_r:
    sqlrp_read(method, wide_r['kept'], wide_r['read']['layout'], false, wide_r['n'], wide_r['read']['relation'], wide_r['read']['features'],
      told, output, single, scale, nulls, key, lowering, wide_r['same'], wide_r['found']))[1];

-- -- the stages ---------------------------------------------------------------------------------------------------------
-- A method is a list of stages, as in sqlrp/stages. The number of features, `n`, is SQL text: digits, or a subquery where only the
-- statement can tell it; NULL if the vocabulary is open. So are `s`, the factor, and `outputs`, the number of entries that a stage
-- leaves (NULL if it stays).
-- `text` is a SELECT of its table. For sums it gives the weights (c, f, w) over the relation sqlrp_features, which the statement
-- defines. For products it gives the terms (i, c, w, v): number, component, weight and factors, where the factor -1 is the
-- constant 1. For `rescale` it gives (f, shift, scale). `dense`: no weight is 0; of products: all weights are 1.
-- `drawn` is a call that draws the same as lists while the statement binds (drawn.sql), with {at} for the number of features and whether the
-- last is a constant; NULL if there is none. `terms` is their number as SQL, with @ for the number of features; dense signs
-- share sums, and 64 zeros take as long to draw as a term to plan. `form` is the name of its step there, if not that of its kind.

CREATE OR REPLACE MACRO sqlrp_stage(kind, outputs := NULL, text := NULL, exact := true, largest := 1, factors := 1, heaviest := 1,
    value := 0, dense := false, drawn := NULL, terms := NULL, form := NULL) AS
  CAST({'kind': kind, 'outputs': outputs, 'text': text, 'exact': exact, 'largest': largest, 'factors': factors, 'heaviest': heaviest, 'value': value, 'dense': dense,
    'drawn': drawn, 'terms': terms, 'form': coalesce(form, kind)} AS STRUCT(kind VARCHAR, outputs VARCHAR, text VARCHAR, exact BOOLEAN, largest BIGINT, factors BIGINT,
    heaviest BIGINT, value DOUBLE, dense BOOLEAN, drawn VARCHAR, terms VARCHAR, form VARCHAR));

-- An expression of the column n, as SQL: a number if n is known.
CREATE OR REPLACE MACRO sqlrp_of(n, expression) AS '(SELECT ' || expression || ' FROM (SELECT CAST(' || n || ' AS BIGINT) AS n) n_)';

-- A number of entries and one more.
CREATE OR REPLACE MACRO sqlrp_plus_one(n) AS coalesce(CAST(TRY_CAST(n AS BIGINT) + 1 AS VARCHAR), '(' || n || ' + 1)');

-- A SELECT of the numbers 0 ... n-1.
CREATE OR REPLACE MACRO sqlrp_series(n, name) AS '(SELECT unnest(range(CAST(' || n || ' AS BIGINT))) AS ' || name || ') ' || name || '_';

-- The signs (c, f, w): below P/2s the sign is +1, below P/s -1, else NULL. A WHERE would compute h twice.
CREATE OR REPLACE MACRO sqlrp_sign_text(seed, vectors, s, purpose) AS
  replace('SELECT c, f, CASE WHEN h < CAST(floor(2147483647 / (2 * @)) AS BIGINT) THEN 1 WHEN h < CAST(floor(2147483647 / @) AS BIGINT) THEN -1 END AS w FROM ', '@', s)
    || sqlrp_drawn(seed, purpose, vectors);

-- `vectors` signed sums. `purpose`: of another draw of a method than the first.
CREATE OR REPLACE MACRO sqlrp_signed_sums(vectors, s, seed, purpose := 0) AS
  sqlrp_stage('signs', vectors, sqlrp_sign_text(seed, vectors, s, purpose),
    drawn := concat('sqlrp_drawn_signs(', seed, ', ', purpose, ', ', vectors, ', ', s, ', {at})'),
    terms := concat(vectors, ' * @ / least(greatest(', s, ', 4), 64)'));

-- `vectors` sums whose weights are normal numbers, by Box and Muller's transform of two entries. The logarithm and the cosine are
-- DuckDB's, so the last bit may differ from Python's.
CREATE OR REPLACE MACRO sqlrp_normal_sums(vectors, seed, purpose := 7) AS
  sqlrp_stage('weights', vectors, 'SELECT c // 2 AS c, f, sqrt(-2 * ln(min((h + 0.5e0) / 2147483647) FILTER (WHERE c % 2 = 0))) '
    || '* cos(2 * pi() * min((h + 0.5e0) / 2147483647) FILTER (WHERE c % 2 = 1)) AS w FROM '
    || sqlrp_drawn(seed, purpose, 2 * vectors) || ' GROUP BY c // 2, f', exact := false, dense := true);

-- The same with weights of standard deviation `width`. The weight of a constant is an angle between 0 and 2 pi.
CREATE OR REPLACE MACRO sqlrp_fourier_sums(vectors, width, seed) AS
  sqlrp_stage('weights', vectors, concat('SELECT c, f, CASE WHEN f = 2147483646 THEN (b0 + 0.5e0) / 2147483647 * (2 * pi()) ELSE ', width,
    ' * w END AS w FROM (', sqlrp_normal_sums(vectors, seed)['text'], ') normals_ JOIN sqlrp_components(', seed, ', 9, ', vectors,
    ') phases_ USING (c)'), exact := false, dense := true);

-- A formula of every entry, as SQL over @. Parameters are numbers in its text.
CREATE OR REPLACE MACRO sqlrp_map(formula) AS sqlrp_stage('map', text := formula, exact := false);

-- Blocks of `size` sums: each feature goes, with a sign, into one sum of each block. The last bit of an entry is the sign, and the
-- others are the place within the block.
CREATE OR REPLACE MACRO sqlrp_block_sums(blocks, size, seed) AS
  sqlrp_stage('signs', blocks * size, 'SELECT c * ' || size || ' + (h // 2) % ' || size || ' AS c, f, 1 - 2 * (h % 2) AS w FROM '
    || sqlrp_drawn(seed, 5, blocks), drawn := concat('sqlrp_drawn_blocks(', seed, ', ', blocks, ', ', size, ', 1, {at})'), terms := concat(blocks, ' * @'));

-- The same in `buckets` buckets: one more entry of a feature gives its bucket, which has blocks of its own.
CREATE OR REPLACE MACRO sqlrp_bucket_sums(blocks, size, buckets, seed) AS
  sqlrp_stage('signs', buckets * blocks * size, 'SELECT (g % ' || buckets || ' * ' || blocks || ' + c) * ' || size || ' + (h // 2) % ' || size
    || ' AS c, f, 1 - 2 * (h % 2) AS w FROM (SELECT c, f, h, max(CASE WHEN c = ' || blocks || ' THEN h END) OVER (PARTITION BY f) AS g FROM '
    || sqlrp_drawn(seed, 5, blocks + 1) || ') entries WHERE c < ' || blocks,
    drawn := concat('sqlrp_drawn_blocks(', seed, ', ', blocks, ', ', size, ', ', buckets, ', {at})'), terms := concat(blocks, ' * @'));

-- The sums of a stage for rows of two descriptors: its first half over the features below `split`, and the rest over the others. Where only
-- the statement can tell n, it checks it.
CREATE OR REPLACE MACRO sqlrp_split_sums(stage, sums, split, n) AS
  sqlrp_stage(stage['kind'], stage['outputs'], concat('SELECT c', CASE WHEN TRY_CAST(n AS BIGINT) IS NULL THEN ' + 0 * ' || n END, ' AS c, f, w FROM (',
    stage['text'], ') s_ WHERE (c < ', sums // 2, ') = (f < ', split, ')'), terms := '(' || stage['terms'] || ') / 2',
    drawn := concat('sqlrp_drawn_split(', sums // 2, ', ', split, ', ', stage['drawn'], ', {at})'));

-- k of n features, drawn without replacement, or one from each of k equal parts, of the row or of its reflection.
CREATE OR REPLACE MACRO sqlrp_picks(k, n, seed, stratified, reflected) AS
  sqlrp_stage(CASE WHEN reflected THEN 'reflect' ELSE 'signs' END, k, 'SELECT ' || CASE WHEN stratified
      THEN 'f AS c, (f * ' || n || ' + h * ' || n || ' // 2147483647) // ' || k || ' AS f' ELSE 'row_number() OVER (ORDER BY h ASC, f ASC) - 1 AS c, f' END
    || ', 1 AS w FROM (WITH sqlrp_features AS (SELECT f FROM ' || sqlrp_series(CASE WHEN stratified THEN CAST(k AS VARCHAR) ELSE n END, 'f')
    || ') SELECT f, h FROM ' || sqlrp_drawn(seed, 2, 1) || ') d ORDER BY h ASC, f ASC LIMIT ' || k,
    drawn := concat('sqlrp_drawn_picks(', k, ', ', stratified, ', ', seed, ', {at})'), terms := concat('@ + ', k));

-- Whether no square has a weight of more than 1: half of m signs have a minus, and without zeros they cancel.
CREATE OR REPLACE MACRO sqlrp_weighs_one(m, s) AS m <= 2 OR contains(s, '''1.0''');

-- k * m signed sums of n features, and k sums of their squares: minus the weights that they have in the signed squares of the sums.
CREATE OR REPLACE MACRO sqlrp_sums_and_squares(k, m, s, seed, n) AS
  sqlrp_stage('weights', k * m + k, 'SELECT c, f, w FROM (WITH sqlrp_features AS (SELECT f FROM ' || sqlrp_series(n, 'f')
      || '), signs AS MATERIALIZED (SELECT c, f, w FROM (' || sqlrp_sign_text(seed, k * m, s, 0) || ') s_ WHERE w IS NOT NULL) SELECT c, f, w FROM signs UNION ALL SELECT ' || k * m
      || ' + c // ' || m || ', f + ' || n || ', CAST(sum(CASE WHEN c % ' || m || ' < ' || greatest(m // 2, 1)
      || ' THEN -1 ELSE 1 END) AS INTEGER) FROM signs GROUP BY c // ' || m || ', f) both_ WHERE w <> 0', largest := CASE WHEN sqlrp_weighs_one(m, s) THEN 1 ELSE m // 2 END,
    form := CASE WHEN sqlrp_weighs_one(m, s) THEN 'signs' ELSE 'products' END, terms := concat(k * m, ' * @ / 2 / least(greatest(', s, ' / 2, 4), 64)'),
    drawn := concat(CASE WHEN sqlrp_weighs_one(m, s) THEN 'sqlrp_signs_of' ELSE 'sqlrp_terms_of' END, '(sqlrp_drawn_removed(', k, ', ', m, ', ', seed, ', ', s, ', ', n, '))'));

-- Sums of t products for each component, by a rule: the weight and the factors are SQL over the component c and the number j of the product.
-- `places` is the list of factors counted from 1, with 0 for the constant 1.
CREATE OR REPLACE MACRO sqlrp_products_of(outputs, t, number, weight, factors, places, plain, exact) AS
  sqlrp_stage('products', outputs, concat('SELECT c * ', t, ' + j AS i, c, ', weight, ' AS w, ', factors, ' AS v FROM ', sqlrp_series(outputs, 'c'), ', ', sqlrp_series(t, 'j')),
    exact := exact, factors := number, heaviest := t, dense := plain, terms := concat('(', outputs, ') * ', t * number),
    drawn := concat('list_transform(range(CAST(', outputs, ' AS BIGINT)), lambda c: list_transform(range(CAST(', t, ' AS BIGINT)), lambda j: [CAST(', weight, ' AS ',
      CASE WHEN exact THEN 'BIGINT' ELSE 'DOUBLE' END, ')] || ', places, '))'));

-- The same products with their second factor from another p sums.
CREATE OR REPLACE MACRO sqlrp_across(products, p) AS
  sqlrp_stage('products', products['outputs'], 'SELECT i, c, w, [v[1], v[2] + ' || p || '] AS v FROM (' || products['text'] || ') s_', factors := 2,
    heaviest := products['heaviest'], dense := true, terms := products['terms'],
    drawn := replace(products['drawn'], 'sqlrp_drawn_terms(', concat('sqlrp_drawn_across(', p, ', ')));

-- The number of monomials of a degree of n features, as text; an error for more than are written out.
CREATE OR REPLACE MACRO sqlrp_monomials_of(degree, n) AS
  list_transform([list_reduce(range(1, least(degree, n - 1) + 1), lambda monomials_m, monomials_i:
        CASE WHEN monomials_m > 1e30 THEN monomials_m ELSE round(monomials_m * (greatest(degree, n - 1) + monomials_i) / monomials_i) END,
        CAST(1 AS DOUBLE))], lambda ep_m:
      CASE WHEN ep_m > 20000 THEN error(n || ' features have ' || CASE WHEN ep_m > 1e15 THEN 'over 10^15'
          ELSE format('{:,}', CAST(ep_m AS BIGINT)) END || ' monomials of degree ' || degree || ', more than the 20,000 that are '
          || 'written out: use sqlrp.project or project_with, which draw some, or PolynomialKernelProjection')
        ELSE CAST(ep_m AS BIGINT) END)[1];
CREATE OR REPLACE MACRO sqlrp_n_monomials(degree, n) AS
  CASE WHEN TRY_CAST(n AS BIGINT) IS NULL THEN sqlrp_of(n, 'sqlrp_monomials_of(' || degree || ', n)')
    ELSE CAST(sqlrp_monomials_of(degree, TRY_CAST(n AS BIGINT)) AS VARCHAR) END;

-- All monomials in the order of their features. The coefficient is built up factor by factor, as j / run.
CREATE OR REPLACE MACRO sqlrp_monomials_text(degree, n) AS
  'SELECT row_number() OVER (ORDER BY v ASC) - 1 AS i, row_number() OVER (ORDER BY v ASC) - 1 AS c, sqrt(CAST(ways AS DOUBLE)) AS w, v FROM ('
    || 'WITH RECURSIVE monomials(v, prior, run, ways) AS (SELECT [f], f, CAST(1 AS BIGINT), CAST(1 AS HUGEINT) FROM ' || sqlrp_series(n, 'f')
    || ' UNION ALL SELECT v || [f], f, CASE WHEN f = prior THEN run + 1 ELSE 1 END, ways * (len(v) + 1) // CASE WHEN f = prior THEN run + 1 '
    || 'ELSE 1 END FROM monomials, ' || sqlrp_series(n, 'f') || ' WHERE f >= prior AND len(v) < ' || degree || ') SELECT v, ways FROM monomials WHERE len(v) = '
    || degree || ') m';
CREATE OR REPLACE MACRO sqlrp_all_monomials(count, n, degree) AS
  list_transform([count], lambda monomials_n: sqlrp_stage('products', monomials_n, sqlrp_monomials_text(degree, n || ' + 0 * ' || monomials_n), exact := false,
    factors := degree, terms := concat(monomials_n, ' * ', degree), drawn := concat('sqlrp_monomials(', degree, ', ', n, ')')))[1];

-- Sums over the table that a table macro gives. `signs`: its weights are +1 and -1.
CREATE OR REPLACE MACRO sqlrp_given_sums(outputs, source, signs, exact, largest) AS
  sqlrp_stage(CASE WHEN signs THEN 'signs' ELSE 'weights' END, outputs, 'SELECT c, CASE WHEN f < 0 THEN 2147483646 ELSE f END AS f, w FROM '
    || source, exact := exact, largest := largest);

-- The same where no weight is 0: the table macro gives one list, l, of the n weights of each sum in turn. `constant`: the last feature is one.
CREATE OR REPLACE MACRO sqlrp_full_sums(outputs, n, constant, source, signs, exact, largest) AS
  sqlrp_stage(CASE WHEN signs THEN 'signs' ELSE 'weights' END, outputs, concat('SELECT i // ', n, ' AS c, ', CASE WHEN constant THEN concat('CASE WHEN i % ', n, ' = ', n - 1,
    ' THEN 2147483646 ELSE i % ', n, ' END') ELSE concat('i % ', n) END, ' AS f, w FROM (SELECT unnest(range(', outputs * n, ')) AS i, unnest(l) AS w FROM ', source, ') w_'),
    exact := exact, largest := largest, dense := true);

-- Sums of products over the table that a table macro gives.
CREATE OR REPLACE MACRO sqlrp_given_products(outputs, factors, heaviest, exact, plain, source) AS
  sqlrp_stage('products', outputs, 'SELECT i, c, w, v FROM ' || source, exact := exact, factors := factors, heaviest := heaviest, dense := plain);

-- t products of `degree` of the p entries for each of k components, over an index table that is drawn.
CREATE OR REPLACE MACRO sqlrp_drawn_products(p, k, t, degree, seed, minimise) AS
  sqlrp_stage('products', k, 'SELECT i, i // ' || t || ' AS c, 1 AS w, a[i * ' || degree || ' + 1 : (i + 1) * ' || degree
    || '] AS v FROM ' || sqlrp_series(k * t, 'i') || ', sqlrp_index_table(' || p || ', ' || degree * t || ', ' || k || ', ' || seed || ', '
    || minimise || ')', factors := degree, heaviest := t, dense := true,
    terms := k * t * degree,
    drawn := concat('sqlrp_drawn_terms(', CASE WHEN minimise AND p % (degree * t) = 0  -- no component takes from two permutations
      THEN concat('list_slice(flatten(sqlrp_drawn_permutations(', seed, ', 1, ', CAST(ceil(degree * t * k / p) AS BIGINT), ', ', p, ')), 1, ', degree * t * k, ')')
      ELSE concat('sqlrp_drawn_indexes(', p, ', ', degree * t, ', ', k, ', ', seed, ', ', minimise, ')') END, ', ', k, ', ', t, ', ', degree, ', {at})'));

-- -- a Hadamard transform ------------------------------------------------------------------------------------------------------

-- Paley's Hadamard matrix of an order in hexadecimal digits: a bit for each entry, row by row, which is 1 for -1. The lowest bit of a
-- byte comes first.
CREATE OR REPLACE MACRO sqlrp_paley(block) AS CASE block
    WHEN 12 THEN '02b0aac8e39620af5b8c6c6e3c62b9f0a8e5'
    WHEN 20 THEN '0000505e61c92b3c798527afd0e41599bc12935761f23a4c5e85c9bb30791526bfc2e45798fc0a935f61d22b4c798539af30'
    WHEN 28 THEN '020000b0aaaaaac8f00fe3a6559a20c33fac9b56698c0cff606e5aa53032fca3b96995c0c8f0afe6a6550c23c36f9a9b563c8c0c6f696e5afc30326ca5b969fcc3c86095e6a6f00f23a3559a9bc03f8cac56696e0cff30625aa5b930fcc3a86995e6'
    WHEN 36 THEN '02000000b0aaaaaaaa08f3c3cfe09a9556a620cc0f3fa36b565a9980303ffcacae5969650cc2fcf063ba66a5953008f3c3afe99a9556cc20cc0f6fa66b565a3c83303f6c99ae5969fc0cc2fc6065ba66a5f03308f3a395e99a95c0cf20ccaf56a66b560c3f83306f5a99ae593cfc0cc26c6965ba66fcf0330863a595e99af0c3cf20ac9556a66bcc0f3f8360565a99ae303ffc0ca2596965bac0fcf033a866a595e9'
  END;

-- Whether an entry of the matrix is -1: 1 or 0. The order 1 has none.
CREATE OR REPLACE MACRO sqlrp_paley_bit(block, entry) AS
  coalesce((CAST('0x' || sqlrp_paley(block)[2 * (entry // 8) + 1 : 2 * (entry // 8) + 2] AS BIGINT) >> (entry % 8)) & 1, 0);

-- The matrix as a list of its columns.
CREATE OR REPLACE MACRO sqlrp_paley_signs(block) AS
  list_transform(range(CAST(block AS BIGINT)), lambda paley_c: list_transform(range(CAST(block AS BIGINT)), lambda paley_r:
    1 - 2 * sqlrp_paley_bit(block, paley_r * block + paley_c)));

-- The length of the transform, and the order of Paley's block.
CREATE OR REPLACE MACRO sqlrp_length(padding, n) AS
  list_sort(list_transform(CASE WHEN padding = 'least' THEN [1, 12,20,28,36] ELSE [1] END, lambda length_m:
    {'padded': length_m * CAST(pow(2, greatest(ceil(log2(n / length_m)), 0)) AS BIGINT), 'block': length_m}), 'ASC')[1];

-- One of both as SQL.
CREATE OR REPLACE MACRO sqlrp_length_text(padding, n, name) AS
  CASE WHEN padding <> 'least' AND name = 'block' THEN '1'
    WHEN TRY_CAST(n AS BIGINT) IS NULL THEN sqlrp_of(n, 'sqlrp_length(' || sqlrp_string(padding) || ', n)[' || sqlrp_string(name) || ']')
    ELSE CAST(sqlrp_length(padding, TRY_CAST(n AS BIGINT))[name] AS VARCHAR) END;

-- A sample of k entries of a Hadamard transform of the row, padded with zeros and with drawn signs. The transform is the Kronecker
-- product of Paley's matrix of order `block`, or 1, and Walsh's of order `part`. A weight is flip(f) * (-1)^(the number of bits that f
-- and the sampled entry share within a part) * the sign of the parts.
CREATE OR REPLACE MACRO sqlrp_sample(k, seed, padded, replacement) AS
  CASE WHEN replacement THEN '(WITH sqlrp_features AS (SELECT f FROM ' || sqlrp_series(k, 'f') || ') SELECT f AS c, h % ' || padded || ' AS j FROM '
      || sqlrp_drawn(seed, 4, 1) || ')'
    ELSE '(SELECT c, j FROM ' || sqlrp_series(k, 'c') || ' JOIN (WITH sqlrp_features AS (SELECT f FROM ' || sqlrp_series(padded, 'f')
      || ') SELECT row_number() OVER (ORDER BY h ASC, f ASC) - 1 AS o, f AS j FROM ' || sqlrp_drawn(seed, 2, 1) || ') p ON o = c % ' || padded || ')' END;

CREATE OR REPLACE MACRO sqlrp_transform(k, seed, n, padded, block, replacement) AS
  sqlrp_stage('signs', k, 'SELECT s.c, d.f, CASE WHEN (bit_count(d.f & s.j & (' || padded || ' // ' || block || ' - 1))' || CASE WHEN block = '1' THEN '' ELSE ' + '
      || 'sqlrp_paley_bit(' || block || ', s.j // (' || padded || ' // ' || block || ') * ' || block || ' + d.f // (' || padded || ' // ' || block || '))' END
    || ') % 2 = 0 THEN d.w ELSE -d.w END AS w FROM (WITH sqlrp_features AS (SELECT f FROM ' || sqlrp_series(n, 'f') || ') '
    || sqlrp_sign_text(seed, 1, '1e0', 3) || ') d CROSS JOIN ' || sqlrp_sample(k, seed, padded, replacement) || ' s',
    -- Half of the terms: lists would add up all features for each component, so that expressions are faster for longer than those of other stages.
    form := 'butterfly', terms := concat('(', padded, ' * log2(greatest(', padded, ' / ', block, ', 2))', CASE WHEN block <> '1' THEN concat(' + ', k, ' * ', block) END, ') / 2'),
    drawn := concat('sqlrp_drawn_butterfly(', k, ', ', seed, ', ', padded, ', ', block, ', ', replacement, ', {at})'));

CREATE OR REPLACE MACRO sqlrp_sampled_transform(k, n, seed, padding, replacement) AS
  sqlrp_transform(k, seed, n, sqlrp_length_text(padding, n, 'padded'), sqlrp_length_text(padding, n, 'block'), replacement);

-- -- a constant, and what a method gives ------------------------------------------------------------------------------------

CREATE OR REPLACE MACRO sqlrp_constant(value) AS
  sqlrp_stage('append', value := value, exact := value = floor(value));

-- What a method gives. `factor` multiplies the outputs; `bound` is the features that a saved projection is for.
CREATE OR REPLACE MACRO sqlrp_pipeline(stages, factor, k, grouped := false, prepared := false, names := NULL, bound := NULL) AS
  {'stages': stages, 'factor': CAST(factor AS VARCHAR), 'k': CAST(k AS BIGINT), 'grouped': grouped, 'prepared': prepared,
   'names': CAST(names AS VARCHAR[]), 'bound': CAST(bound AS BIGINT)};

-- What pooling gives: the stages of a row, the sum over the group, then the signed root and the norm.
CREATE OR REPLACE MACRO sqlrp_pooled(stages, factor, k, normalise) AS
  sqlrp_pipeline(stages || [sqlrp_stage('group', terms := 8 * k)]  -- a sum, a root and a quotient take as long to plan as eight terms
    || CASE WHEN normalise THEN [sqlrp_stage('map', text := 'CASE WHEN @ < 0 THEN -sqrt(-@) ELSE sqrt(@) END', exact := false, form := 'closing'),
      sqlrp_stage('normalise', exact := false, form := 'closing')] ELSE [] END,
    factor, k, grouped := true);

-- The circular convolution of `degree` count sketches of length k, given side by side. They are convolved one after another, and
-- those that wait are carried along.
CREATE OR REPLACE MACRO sqlrp_convolutions(k, degree) AS
  list_transform(range(degree - 2, -1, -1), lambda ahead: sqlrp_stage('products', (ahead + 1) * k, 'SELECT c * ' || k || ' + i AS i, c, 1 AS w, '
    || '[i, ' || k || ' + (c - i + ' || k || ') % ' || k || '] AS v FROM ' || sqlrp_series(k, 'c') || ', ' || sqlrp_series(k, 'i')
    || ' UNION ALL SELECT ' || k || ' * ' || k || ' + i, ' || k || ' + i, 1, [2 * ' || k || ' + i, -1] FROM ' || sqlrp_series(ahead * k, 'i'),
    factors := 2, heaviest := k, dense := true, terms := 2 * k * (k + ahead),
    drawn := concat('sqlrp_drawn_convolution(', k, ', ', ahead, ')'), form := CASE WHEN k IN (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 25, 26, 27, 29, 31, 33, 35, 37, 39, 41, 43, 45, 47, 49, 51, 53, 55, 57, 59, 61, 63, 65, 67, 69, 71, 73, 75, 77, 79, 81) THEN 'products' ELSE 'convolution' END));

-- A saved method with stages before its own.
CREATE OR REPLACE MACRO sqlrp_prepared(stages, pipeline) AS
  list_transform([pipeline], lambda prepared_p: sqlrp_pipeline(stages || prepared_p['stages'], prepared_p['factor'], prepared_p['k'],
    grouped := prepared_p['grouped'], prepared := true))[1];

-- A saved projection with the features that it is for: their names, or their number.
CREATE OR REPLACE MACRO sqlrp_bound(pipeline, names, bound) AS
  list_transform([pipeline], lambda bound_p: sqlrp_pipeline(bound_p['stages'], bound_p['factor'], bound_p['k'], grouped := bound_p['grouped'],
    prepared := bound_p['prepared'], names := names, bound := bound))[1];

-- The stages of SparseProjection.
CREATE OR REPLACE MACRO sqlrp_rp_stages(k, s, s_type, seed, vectors, n) AS
  CASE WHEN ((vectors = 'sign')) IS NOT TRUE AND (n IS NOT NULL) IS NOT TRUE THEN error(concat('GaussianProjection needs the number of features, which an open vocabulary does not have: pass n_features, or use SparseProjection or SparseEmbedding')) ELSE sqlrp_pipeline([CASE WHEN (vectors = 'sign') THEN sqlrp_signed_sums(k, sqlrp_s(s, s_type, n), seed) ELSE sqlrp_normal_sums(k, seed) END], (CASE WHEN (vectors = 'sign') THEN 'sqrt(CAST((CAST(' || sqlrp_s(s, s_type, n) || ' AS DOUBLE) / ' || sqlrp_value(k) || ') AS DOUBLE))' ELSE '(CAST(1 AS DOUBLE) / sqrt(CAST(' || sqlrp_value(k) || ' AS DOUBLE)))' END), k) END;

-- The stages of SparseProjection.
CREATE OR REPLACE MACRO sqlrp_rp_sign_stages(k, s, s_type, seed, vectors, n) AS
  list_transform([sqlrp_s(s, s_type, n)], lambda stated_s: sqlrp_pipeline([sqlrp_signed_sums(k, stated_s, seed)], 'sqrt(CAST((CAST(' || stated_s || ' AS DOUBLE) / ' || sqlrp_value(k) || ') AS DOUBLE))', k))[1];

-- The stages of PolynomialKernelProjection.
CREATE OR REPLACE MACRO sqlrp_pk_stages(k, s, s_type, seed, degree, p, t, c, minimise_repetition, vectors, n) AS
  CASE WHEN p IS NOT NULL AND (p < (degree * t)) THEN error(concat('p = ', p, ' must be at least degree * t = ', (degree * t), ': raise p, or lower t or degree')) WHEN ((c >= 0)) IS NOT TRUE THEN error(concat('c = ', sqlrp_shown(c), ' must be a finite number >= 0: the kernel is (<x, y> + c)^degree')) WHEN ((c < CAST('Infinity' AS double precision))) IS NOT TRUE THEN error(concat('c = ', sqlrp_shown(c), ' must be a finite number >= 0: the kernel is (<x, y> + c)^degree')) WHEN (vectors = 'gaussian') AND (n IS NOT NULL) IS NOT TRUE THEN error(concat('PolynomialKernelProjection needs the number of features, which an open vocabulary does not have: pass n_features, or use SparseProjection or SparseEmbedding')) ELSE sqlrp_pipeline(CASE WHEN ((c + 0.0e0) <> 0) THEN [sqlrp_constant(sqrt(CAST((c + 0.0e0) AS double precision)))] ELSE [] END || [CASE WHEN (vectors = 'gaussian') THEN sqlrp_normal_sums(CASE WHEN p IS NOT NULL THEN CASE WHEN minimise_repetition THEN least(p, ((degree * t) * k)) ELSE p END ELSE least(greatest((2 * k), (degree * t)), ((degree * t) * k)) END, seed) ELSE sqlrp_signed_sums(CASE WHEN p IS NOT NULL THEN CASE WHEN minimise_repetition THEN least(p, ((degree * t) * k)) ELSE p END ELSE least(greatest((2 * k), (degree * t)), ((degree * t) * k)) END, sqlrp_s(s, s_type, n), seed) END, sqlrp_drawn_products(CASE WHEN p IS NOT NULL THEN CASE WHEN minimise_repetition THEN least(p, ((degree * t) * k)) ELSE p END ELSE least(greatest((2 * k), (degree * t)), ((degree * t) * k)) END, k, t, degree, seed, minimise_repetition)], (CASE WHEN (vectors = 'gaussian') THEN '(CAST(pow(1, (CAST(' || sqlrp_value(degree) || ' AS DOUBLE) / 2)) AS DOUBLE) / sqrt(CAST(' || sqlrp_value((k * t)) || ' AS DOUBLE)))' ELSE '(CAST(pow(' || sqlrp_s(s, s_type, n) || ', (CAST(' || sqlrp_value(degree) || ' AS DOUBLE) / 2)) AS DOUBLE) / sqrt(CAST(' || sqlrp_value((k * t)) || ' AS DOUBLE)))' END), k) END;

-- The stages of PolynomialKernelProjection.
CREATE OR REPLACE MACRO sqlrp_pk_sign_stages(k, s, s_type, seed, degree, p, t, c, minimise_repetition, vectors, n) AS
  CASE WHEN p IS NOT NULL AND (p < (degree * t)) THEN error(concat('p = ', p, ' must be at least degree * t = ', (degree * t), ': raise p, or lower t or degree')) WHEN ((c >= 0)) IS NOT TRUE THEN error(concat('c = ', sqlrp_shown(c), ' must be a finite number >= 0: the kernel is (<x, y> + c)^degree')) WHEN ((c < CAST('Infinity' AS double precision))) IS NOT TRUE THEN error(concat('c = ', sqlrp_shown(c), ' must be a finite number >= 0: the kernel is (<x, y> + c)^degree')) ELSE list_transform([sqlrp_s(s, s_type, n)], lambda stated_s: sqlrp_pipeline(CASE WHEN ((c + 0.0e0) <> 0) THEN [sqlrp_constant(sqrt(CAST((c + 0.0e0) AS double precision)))] ELSE [] END || [sqlrp_signed_sums(CASE WHEN p IS NOT NULL THEN CASE WHEN minimise_repetition THEN least(p, ((degree * t) * k)) ELSE p END ELSE least(greatest((2 * k), (degree * t)), ((degree * t) * k)) END, stated_s, seed), sqlrp_drawn_products(CASE WHEN p IS NOT NULL THEN CASE WHEN minimise_repetition THEN least(p, ((degree * t) * k)) ELSE p END ELSE least(greatest((2 * k), (degree * t)), ((degree * t) * k)) END, k, t, degree, seed, minimise_repetition)], '(CAST(pow(' || stated_s || ', (CAST(' || sqlrp_value(degree) || ' AS DOUBLE) / 2)) AS DOUBLE) / sqrt(CAST(' || sqlrp_value((k * t)) || ' AS DOUBLE)))', k))[1] END;

-- The stages of Degree2KernelProjection.
CREATE OR REPLACE MACRO sqlrp_d2pk_stages(k, s, s_type, seed, m, modified, n) AS
  CASE WHEN (m > 1) AND ((m % 2) <> 0) THEN error(concat('m = ', m, ' must be 1 or even, so that half of the signs are flipped: use ', (m + 1))) WHEN modified AND (n IS NOT NULL) IS NOT TRUE THEN error(concat('Degree2KernelProjection needs the number of features, which an open vocabulary does not have: pass n_features, or use SparseProjection or SparseEmbedding')) ELSE sqlrp_pipeline(CASE WHEN modified THEN [sqlrp_products_of(coalesce(CAST((2 * TRY_CAST(n AS BIGINT)) AS VARCHAR), '(2 * ' || n || ')'), 1, 2, '1', '[' || 'CASE WHEN (c < ' || n || ') THEN c ELSE (c - ' || n || ') END' || ', ' || 'CASE WHEN (c < ' || n || ') THEN -1 ELSE (c - ' || n || ') END' || ']', '[' || '(CASE WHEN (c < ' || n || ') THEN c ELSE (c - ' || n || ') END + 1)' || ', ' || '(CASE WHEN (c < ' || n || ') THEN -1 ELSE (c - ' || n || ') END + 1)' || ']', true, true)] ELSE [] END || [CASE WHEN modified THEN sqlrp_sums_and_squares(k, m, sqlrp_s(s, s_type, n), seed, n) ELSE sqlrp_signed_sums((m * k), sqlrp_s(s, s_type, n), seed) END, CASE WHEN modified THEN sqlrp_products_of(k, (m + 1), 2, 'CASE WHEN (j < ' || sqlrp_value(m) || ') THEN CASE WHEN (j < ' || sqlrp_value(greatest((m // 2), 1)) || ') THEN 1 ELSE -1 END ELSE 1 END', '[' || 'CASE WHEN (j < ' || sqlrp_value(m) || ') THEN ((c * ' || sqlrp_value(m) || ') + j) ELSE (' || sqlrp_value((m * k)) || ' + c) END' || ', ' || 'CASE WHEN (j < ' || sqlrp_value(m) || ') THEN ((c * ' || sqlrp_value(m) || ') + j) ELSE -1 END' || ']', '[' || '(CASE WHEN (j < ' || sqlrp_value(m) || ') THEN ((c * ' || sqlrp_value(m) || ') + j) ELSE (' || sqlrp_value((m * k)) || ' + c) END + 1)' || ', ' || '(CASE WHEN (j < ' || sqlrp_value(m) || ') THEN ((c * ' || sqlrp_value(m) || ') + j) ELSE -1 END + 1)' || ']', false, true) ELSE sqlrp_products_of(k, m, 2, 'CASE WHEN (j < ' || sqlrp_value(greatest((m // 2), 1)) || ') THEN 1 ELSE -1 END', '[' || '((c * ' || sqlrp_value(m) || ') + j)' || ', ' || '((c * ' || sqlrp_value(m) || ') + j)' || ']', '[' || '(((c * ' || sqlrp_value(m) || ') + j) + 1)' || ', ' || '(((c * ' || sqlrp_value(m) || ') + j) + 1)' || ']', false, true) END], '(CAST(' || sqlrp_s(s, s_type, n) || ' AS DOUBLE) / sqrt(CAST(' || sqlrp_value(((2 * m) * k)) || ' AS DOUBLE)))', k) END;

-- The stages of BilinearPooling.
CREATE OR REPLACE MACRO sqlrp_cbp_stages(k, s, s_type, seed, p, t, normalise, split, n) AS
  CASE WHEN split IS NOT NULL AND p IS NOT NULL AND (p < (2 * t)) THEN error(concat('p = ', p, ' must be at least degree * t = ', (2 * t), ': raise p, or lower t or degree')) WHEN (split IS NOT NULL) IS NOT TRUE AND p IS NOT NULL AND (p < (2 * t)) THEN error(concat('p = ', p, ' must be at least degree * t = ', (2 * t), ': raise p, or lower t or degree')) ELSE list_transform([CASE WHEN n IS NULL THEN NULL WHEN TRY_CAST(n AS BIGINT) IS NULL THEN sqlrp_of(n, 'CASE WHEN ' || sqlrp_value(split IS NOT NULL) || ' AND ' || sqlrp_value(n IS NOT NULL) || ' AND (' || sqlrp_value(split) || ' >= ' || n || ') THEN error(concat(''split = '', ' || sqlrp_value(split) || ', '' must be below the number of features = '', ' || n || ', '': those from split on are the second descriptor'')) ELSE n END') WHEN split IS NOT NULL AND n IS NOT NULL AND (split >= TRY_CAST(n AS BIGINT)) THEN error(concat('split = ', split, ' must be below the number of features = ', TRY_CAST(n AS BIGINT), ': those from split on are the second descriptor')) ELSE n END], lambda stated_n: sqlrp_pooled([CASE WHEN split IS NOT NULL THEN CASE WHEN p IS NOT NULL THEN sqlrp_split_sums(sqlrp_signed_sums((2 * least(p, ((2 * t) * k))), sqlrp_s(s, s_type, stated_n), seed), (2 * least(p, ((2 * t) * k))), split, stated_n) ELSE sqlrp_split_sums(sqlrp_signed_sums((2 * least(greatest((2 * k), (2 * t)), ((2 * t) * k))), sqlrp_s(s, s_type, stated_n), seed), (2 * least(greatest((2 * k), (2 * t)), ((2 * t) * k))), split, stated_n) END ELSE sqlrp_signed_sums(CASE WHEN p IS NOT NULL THEN least(p, ((2 * t) * k)) ELSE least(greatest((2 * k), (2 * t)), ((2 * t) * k)) END, sqlrp_s(s, s_type, stated_n), seed) END, CASE WHEN split IS NOT NULL THEN CASE WHEN p IS NOT NULL THEN sqlrp_across(sqlrp_drawn_products(least(p, ((2 * t) * k)), k, t, 2, seed, true), least(p, ((2 * t) * k))) ELSE sqlrp_across(sqlrp_drawn_products(least(greatest((2 * k), (2 * t)), ((2 * t) * k)), k, t, 2, seed, true), least(greatest((2 * k), (2 * t)), ((2 * t) * k))) END ELSE sqlrp_drawn_products(CASE WHEN p IS NOT NULL THEN least(p, ((2 * t) * k)) ELSE least(greatest((2 * k), (2 * t)), ((2 * t) * k)) END, k, t, 2, seed, true) END], (CASE WHEN normalise THEN '1' ELSE '(CAST(' || sqlrp_s(s, s_type, stated_n) || ' AS DOUBLE) / sqrt(CAST(' || sqlrp_value((k * t)) || ' AS DOUBLE)))' END), k, normalise))[1] END;

-- The stages of MaclaurinPooling.
CREATE OR REPLACE MACRO sqlrp_rmp_stages(k, normalise, split, seed, n) AS
  list_transform([CASE WHEN n IS NULL THEN NULL WHEN TRY_CAST(n AS BIGINT) IS NULL THEN sqlrp_of(n, 'CASE WHEN ' || sqlrp_value(split IS NOT NULL) || ' AND ' || sqlrp_value(n IS NOT NULL) || ' AND (' || sqlrp_value(split) || ' >= ' || n || ') THEN error(concat(''split = '', ' || sqlrp_value(split) || ', '' must be below the number of features = '', ' || n || ', '': those from split on are the second descriptor'')) ELSE n END') WHEN split IS NOT NULL AND n IS NOT NULL AND (split >= TRY_CAST(n AS BIGINT)) THEN error(concat('split = ', split, ' must be below the number of features = ', TRY_CAST(n AS BIGINT), ': those from split on are the second descriptor')) ELSE n END], lambda stated_n: sqlrp_pooled([CASE WHEN split IS NOT NULL THEN sqlrp_split_sums(sqlrp_signed_sums((2 * k), '1.0e0', seed), (2 * k), split, stated_n) ELSE sqlrp_signed_sums((2 * k), '1.0e0', seed) END, CASE WHEN split IS NOT NULL THEN sqlrp_products_of(k, 1, 2, '1', '[' || 'c' || ', ' || '(c + ' || sqlrp_value(k) || ')' || ']', '[' || '(c + 1)' || ', ' || '((c + ' || sqlrp_value(k) || ') + 1)' || ']', true, true) ELSE sqlrp_products_of(k, 1, 2, '1', '[' || '(2 * c)' || ', ' || '((2 * c) + 1)' || ']', '[' || '((2 * c) + 1)' || ', ' || '(((2 * c) + 1) + 1)' || ']', true, true) END], (CASE WHEN normalise THEN '1' ELSE '(CAST(1 AS DOUBLE) / sqrt(CAST(' || sqlrp_value(k) || ' AS DOUBLE)))' END), k, normalise))[1];

-- The stages of SketchPooling.
CREATE OR REPLACE MACRO sqlrp_tsp_stages(k, normalise, split, seed, n) AS
  list_transform([CASE WHEN n IS NULL THEN NULL WHEN TRY_CAST(n AS BIGINT) IS NULL THEN sqlrp_of(n, 'CASE WHEN ' || sqlrp_value(split IS NOT NULL) || ' AND ' || sqlrp_value(n IS NOT NULL) || ' AND (' || sqlrp_value(split) || ' >= ' || n || ') THEN error(concat(''split = '', ' || sqlrp_value(split) || ', '' must be below the number of features = '', ' || n || ', '': those from split on are the second descriptor'')) ELSE n END') WHEN split IS NOT NULL AND n IS NOT NULL AND (split >= TRY_CAST(n AS BIGINT)) THEN error(concat('split = ', split, ' must be below the number of features = ', TRY_CAST(n AS BIGINT), ': those from split on are the second descriptor')) ELSE n END], lambda stated_n: sqlrp_pooled([CASE WHEN split IS NOT NULL THEN sqlrp_split_sums(sqlrp_block_sums(2, k, seed), (2 * k), split, stated_n) ELSE sqlrp_block_sums(2, k, seed) END] || sqlrp_convolutions(k, 2), '1', k, normalise))[1];

-- The stages of FullBilinearPooling.
CREATE OR REPLACE MACRO sqlrp_fbp_stages(k, normalise, split, n) AS
  CASE WHEN split IS NOT NULL AND (n IS NOT NULL) IS NOT TRUE THEN error(concat('FullBilinearPooling needs the number of features, which an open vocabulary does not have: pass n_features, or use SparseProjection or SparseEmbedding')) WHEN (split IS NOT NULL) IS NOT TRUE AND (n IS NOT NULL) IS NOT TRUE THEN error(concat('FullBilinearPooling needs the number of features, which an open vocabulary does not have: pass n_features, or use SparseProjection or SparseEmbedding')) ELSE list_transform([CASE WHEN n IS NULL THEN NULL WHEN TRY_CAST(n AS BIGINT) IS NULL THEN sqlrp_of(n, 'CASE WHEN ' || sqlrp_value(split IS NOT NULL) || ' AND (' || sqlrp_value(split) || ' >= ' || n || ') THEN error(concat(''split = '', ' || sqlrp_value(split) || ', '' must be below the number of features = '', ' || n || ', '': those from split on are the second descriptor'')) WHEN ' || sqlrp_value(split IS NOT NULL) || ' AND (' || sqlrp_value(k) || ' <> (' || sqlrp_value(split) || ' * (' || n || ' - ' || sqlrp_value(split) || '))) THEN error(concat(''k = '', ' || sqlrp_value(k) || ', '' must be the number of all products of '', ' || sqlrp_value(split) || ', '' and '', (' || n || ' - ' || sqlrp_value(split) || '), '' features: use k = '', (' || sqlrp_value(split) || ' * (' || n || ' - ' || sqlrp_value(split) || ')), '', or BilinearPooling, which takes any k'')) WHEN ' || sqlrp_value((split IS NOT NULL) IS NOT TRUE) || ' AND (' || sqlrp_value(k) || ' <> (' || n || ' * ' || n || ')) THEN error(concat(''k = '', ' || sqlrp_value(k) || ', '' must be the number of all products of '', ' || n || ', '' and '', ' || n || ', '' features: use k = '', (' || n || ' * ' || n || '), '', or BilinearPooling, which takes any k'')) ELSE n END') WHEN split IS NOT NULL AND (split >= TRY_CAST(n AS BIGINT)) THEN error(concat('split = ', split, ' must be below the number of features = ', TRY_CAST(n AS BIGINT), ': those from split on are the second descriptor')) WHEN split IS NOT NULL AND (k <> (split * (TRY_CAST(n AS BIGINT) - split))) THEN error(concat('k = ', k, ' must be the number of all products of ', split, ' and ', (TRY_CAST(n AS BIGINT) - split), ' features: use k = ', (split * (TRY_CAST(n AS BIGINT) - split)), ', or BilinearPooling, which takes any k')) WHEN (split IS NOT NULL) IS NOT TRUE AND (k <> (TRY_CAST(n AS BIGINT) * TRY_CAST(n AS BIGINT))) THEN error(concat('k = ', k, ' must be the number of all products of ', TRY_CAST(n AS BIGINT), ' and ', TRY_CAST(n AS BIGINT), ' features: use k = ', (TRY_CAST(n AS BIGINT) * TRY_CAST(n AS BIGINT)), ', or BilinearPooling, which takes any k')) ELSE n END], lambda stated_n: sqlrp_pooled([CASE WHEN split IS NOT NULL THEN sqlrp_products_of(k, 1, 2, '1', '[' || '(c // (' || stated_n || ' - ' || sqlrp_value(split) || '))' || ', ' || '((' || stated_n || ' - (' || stated_n || ' - ' || sqlrp_value(split) || ')) + (c % (' || stated_n || ' - ' || sqlrp_value(split) || ')))' || ']', '[' || '((c // (' || stated_n || ' - ' || sqlrp_value(split) || ')) + 1)' || ', ' || '(((' || stated_n || ' - (' || stated_n || ' - ' || sqlrp_value(split) || ')) + (c % (' || stated_n || ' - ' || sqlrp_value(split) || '))) + 1)' || ']', true, true) ELSE sqlrp_products_of(k, 1, 2, '1', '[' || '(c // ' || stated_n || ')' || ', ' || '((' || stated_n || ' - ' || stated_n || ') + (c % ' || stated_n || '))' || ']', '[' || '((c // ' || stated_n || ') + 1)' || ', ' || '(((' || stated_n || ' - ' || stated_n || ') + (c % ' || stated_n || ')) + 1)' || ']', true, true) END], '1', k, normalise))[1] END;

-- The stages of RandomSubspace.
CREATE OR REPLACE MACRO sqlrp_rs_stages(k, densify, seed, stratified, n) AS
  CASE WHEN densify IS NOT NULL AND ((densify = 'householder')) IS NOT TRUE THEN error(concat('densify = ', sqlrp_shown(densify), ' must be ''householder'', or None to pick features as they are')) WHEN (n IS NOT NULL) IS NOT TRUE THEN error(concat('RandomSubspace needs the number of features, which an open vocabulary does not have: pass n_features, or use SparseProjection or SparseEmbedding')) ELSE list_transform([CASE WHEN n IS NULL THEN NULL WHEN TRY_CAST(n AS BIGINT) IS NULL THEN sqlrp_of(n, 'CASE WHEN (' || sqlrp_value(k) || ' > ' || n || ') THEN error(concat(''k = '', ' || sqlrp_value(k) || ', '' must be at most the number of features = '', ' || n || ', '': lower k'')) ELSE n END') WHEN (k > TRY_CAST(n AS BIGINT)) THEN error(concat('k = ', k, ' must be at most the number of features = ', TRY_CAST(n AS BIGINT), ': lower k')) ELSE n END], lambda stated_n: sqlrp_pipeline([CASE WHEN densify IS NOT NULL THEN sqlrp_picks(k, stated_n, seed, stratified, true) ELSE sqlrp_picks(k, stated_n, seed, stratified, false) END], (CASE WHEN densify IS NOT NULL THEN '(CAST(sqrt(CAST((CAST(' || stated_n || ' AS DOUBLE) / ' || sqlrp_value(k) || ') AS DOUBLE)) AS DOUBLE) / ' || stated_n || ')' ELSE '(CAST(sqrt(CAST((CAST(' || stated_n || ' AS DOUBLE) / ' || sqlrp_value(k) || ') AS DOUBLE)) AS DOUBLE) / 1)' END), k))[1] END;

-- The stages of HadamardProjection.
CREATE OR REPLACE MACRO sqlrp_fht_stages(k, seed, padding, replacement, n) AS
  CASE WHEN (n IS NOT NULL) IS NOT TRUE THEN error(concat('HadamardProjection needs the number of features, which an open vocabulary does not have: pass n_features, or use SparseProjection or SparseEmbedding')) ELSE sqlrp_pipeline([sqlrp_sampled_transform(k, n, seed, padding, replacement)], '(CAST(1 AS DOUBLE) / sqrt(CAST(' || sqlrp_value(k) || ' AS DOUBLE)))', k) END;

-- The stages of SparseEmbedding.
CREATE OR REPLACE MACRO sqlrp_cw_stages(k, nnz_per_feature, seed, buckets, n) AS
  CASE WHEN ((k % (nnz_per_feature * buckets)) <> 0) AND (buckets = 1) THEN error(concat('k = ', k, ' must be a multiple of nnz_per_feature = ', (nnz_per_feature * buckets), ', as its blocks are of one size: use k = ', greatest((k - (k % (nnz_per_feature * buckets))), (nnz_per_feature * buckets)))) WHEN ((k % (nnz_per_feature * buckets)) <> 0) THEN error(concat('k = ', k, ' must be a multiple of nnz_per_feature * buckets = ', (nnz_per_feature * buckets), ', as its blocks are of one size: use k = ', greatest((k - (k % (nnz_per_feature * buckets))), (nnz_per_feature * buckets)))) ELSE sqlrp_pipeline([CASE WHEN buckets > 1 THEN sqlrp_bucket_sums(nnz_per_feature, (k // (nnz_per_feature * buckets)), buckets, seed) ELSE sqlrp_block_sums(nnz_per_feature, (k // (nnz_per_feature * buckets)), seed) END], '(CAST(1 AS DOUBLE) / sqrt(CAST(' || sqlrp_value(nnz_per_feature) || ' AS DOUBLE)))', k) END;

-- The stages of RandomMaclaurin.
CREATE OR REPLACE MACRO sqlrp_rm_stages(k, degree, seed, n) AS
  sqlrp_pipeline([sqlrp_signed_sums((k * degree), '1.0e0', seed), sqlrp_products_of(k, 1, degree, '1', 'range((c * ' || sqlrp_value(degree) || '), ((c * ' || sqlrp_value(degree) || ') + ' || sqlrp_value(degree) || '))', 'range(((c * ' || sqlrp_value(degree) || ') + 1), (((c * ' || sqlrp_value(degree) || ') + 1) + ' || sqlrp_value(degree) || '))', true, true)], '(CAST(1 AS DOUBLE) / sqrt(CAST(' || sqlrp_value(k) || ' AS DOUBLE)))', k);

-- The stages of TensorSketch.
CREATE OR REPLACE MACRO sqlrp_ts_stages(k, degree, seed, n) AS
  sqlrp_pipeline([sqlrp_block_sums(degree, k, seed)] || sqlrp_convolutions(k, degree), '1', k);

-- The stages of RandomFourierFeatures.
CREATE OR REPLACE MACRO sqlrp_rff_stages(k, gamma, seed, n) AS
  CASE WHEN ((gamma > 0)) IS NOT TRUE THEN error(concat('gamma = ', sqlrp_shown(gamma), ' must be a finite number > 0')) WHEN ((gamma < CAST('Infinity' AS double precision))) IS NOT TRUE THEN error(concat('gamma = ', sqlrp_shown(gamma), ' must be a finite number > 0')) WHEN (n IS NOT NULL) IS NOT TRUE THEN error(concat('RandomFourierFeatures needs the number of features, which an open vocabulary does not have: pass n_features, or use SparseProjection or SparseEmbedding')) ELSE sqlrp_pipeline([sqlrp_constant(1.0e0), sqlrp_fourier_sums(k, 'sqrt(CAST((2 * ' || sqlrp_double(gamma) || ') AS DOUBLE))', seed), sqlrp_map('cos(@)')], 'sqrt(CAST((CAST(2 AS DOUBLE) / ' || sqlrp_value(k) || ') AS DOUBLE))', k) END;

-- The stages of ExplicitPolynomialProjection.
CREATE OR REPLACE MACRO sqlrp_ep_stages(k, s, s_type, seed, degree, vectors, n) AS
  CASE WHEN (n IS NOT NULL) IS NOT TRUE THEN error(concat('ExplicitPolynomialProjection needs the number of features, which an open vocabulary does not have: pass n_features, or use SparseProjection or SparseEmbedding')) ELSE sqlrp_pipeline([sqlrp_all_monomials(sqlrp_n_monomials(degree, n), n, degree), CASE WHEN (vectors = 'gaussian') THEN sqlrp_normal_sums(k, seed) ELSE sqlrp_signed_sums(k, sqlrp_s(s, s_type, sqlrp_n_monomials(degree, n)), seed) END], (CASE WHEN (vectors = 'gaussian') THEN '(CAST(1 AS DOUBLE) / sqrt(CAST(' || sqlrp_value(k) || ' AS DOUBLE)))' ELSE 'sqrt(CAST((CAST(' || sqlrp_s(s, s_type, sqlrp_n_monomials(degree, n)) || ' AS DOUBLE) / ' || sqlrp_value(k) || ') AS DOUBLE))' END), k) END;

-- The stages of ExplicitPolynomialProjection.
CREATE OR REPLACE MACRO sqlrp_ep_sign_stages(k, s, s_type, seed, degree, vectors, n) AS
  CASE WHEN (n IS NOT NULL) IS NOT TRUE THEN error(concat('ExplicitPolynomialProjection needs the number of features, which an open vocabulary does not have: pass n_features, or use SparseProjection or SparseEmbedding')) ELSE sqlrp_pipeline([sqlrp_all_monomials(sqlrp_n_monomials(degree, n), n, degree), sqlrp_signed_sums(k, sqlrp_s(s, s_type, sqlrp_n_monomials(degree, n)), seed)], 'sqrt(CAST((CAST(' || sqlrp_s(s, s_type, sqlrp_n_monomials(degree, n)) || ' AS DOUBLE) / ' || sqlrp_value(k) || ') AS DOUBLE))', k) END;

-- -- the types -----------------------------------------------------------------------------------------------------------
-- The types of sums and products (sqlrp/_lowering/job.py). Whole numbers stay exact unless they are scaled or need too many bits.

CREATE OR REPLACE MACRO sqlrp_bits(terms) AS CAST(ceil(log2(greatest(terms, 1))) AS BIGINT);

-- The most entries, where their number is text.
CREATE OR REPLACE MACRO sqlrp_most(size) AS coalesce(TRY_CAST(size AS BIGINT), 2147483648);

-- The kind of number after a stage, where `a` is what is known before it.
CREATE OR REPLACE MACRO sqlrp_grown(stage, a, scale) AS
  CASE WHEN a['kind'] IN ('float', 'double') THEN {'kind': a['kind'], 'bits': 0, 'digits': 0}
    WHEN stage['kind'] = 'products' AND scale THEN {'kind': 'double', 'bits': 0, 'digits': 0}
    ELSE list_transform([{'kind': a['kind'], 'bits': CAST(CASE stage['kind']
          WHEN 'signs' THEN a['bits'] + sqlrp_bits(sqlrp_most(a['size']) + 1)
          WHEN 'weights' THEN a['bits'] + sqlrp_bits((sqlrp_most(a['size']) + 1) * stage['largest'])
          WHEN 'reflect' THEN a['bits'] + sqlrp_bits(3 * sqlrp_most(a['size'])) WHEN 'group' THEN a['bits'] + 31
          WHEN 'products' THEN a['bits'] * stage['factors'] + sqlrp_bits(stage['heaviest'])
          WHEN 'append' THEN greatest(a['bits'], CAST(floor(log2(greatest(stage['value'] * pow(10, a['digits']), 1))) AS BIGINT) + 1)
          ELSE a['bits'] END AS BIGINT),
        'digits': CASE WHEN stage['kind'] = 'products' THEN a['digits'] * stage['factors'] ELSE a['digits'] END}], lambda grown_g:
      CASE WHEN sqlrp_type(grown_g['kind'], grown_g['bits'], grown_g['digits']) IS NULL OR ((stage['largest'] <> 1
          OR stage['kind'] IN ('products', 'reflect')) AND (grown_g['kind'] <> 'int' OR grown_g['bits'] > 127))
        THEN {'kind': 'double', 'bits': 0, 'digits': 0} ELSE grown_g END)[1] END;

-- One stage more. `held` is the type of the entries before it; NULL before the first stage that needs a type of its own.
CREATE OR REPLACE MACRO sqlrp_typed_stage(stage, a, scale) AS
  list_transform(list_transform([sqlrp_grown(stage, a, scale)], lambda typed_g: {'g': typed_g, 'after': sqlrp_type(typed_g['kind'], typed_g['bits'], typed_g['digits'])}),
    lambda typed_v: {'stage': stage, 'kind': typed_v['g']['kind'], 'bits': CAST(typed_v['g']['bits'] AS BIGINT), 'digits': CAST(typed_v['g']['digits'] AS BIGINT),
       'size': coalesce(stage['outputs'], CASE WHEN stage['kind'] = 'append' THEN sqlrp_plus_one(a['size']) ELSE a['size'] END),
       'held': CASE WHEN stage['kind'] = 'append' THEN a['held'] ELSE typed_v['after'] END,
       'first': coalesce(a['first'], CASE WHEN stage['kind'] = 'append' THEN NULL WHEN stage['kind'] IN ('signs', 'weights', 'reflect') THEN typed_v['after']
         ELSE sqlrp_type(a['kind'], a['bits'], a['digits']) END),
       'last': typed_v['after'],
       'steps': a['steps'] || [{'stage': stage, 'held': a['held'], 'after': typed_v['after'], 'n': a['size'], 'constant': a['constant']}],
       'constant': stage['kind'] = 'append'})[1];

CREATE OR REPLACE MACRO sqlrp_before(number, n, stage) AS
  {'stage': stage, 'kind': number['kind'], 'bits': CAST(number['bits'] AS BIGINT), 'digits': CAST(number['digits'] AS BIGINT),
   'size': coalesce(CAST(n AS VARCHAR), '2147483648'), 'held': CAST(NULL AS VARCHAR), 'first': CAST(NULL AS VARCHAR), 'last': CAST(NULL AS VARCHAR),
   'steps': CAST([] AS STRUCT(stage STRUCT(kind VARCHAR, outputs VARCHAR, text VARCHAR, exact BOOLEAN, largest BIGINT, factors BIGINT,
      heaviest BIGINT, value DOUBLE, dense BOOLEAN, drawn VARCHAR, terms VARCHAR, form VARCHAR), held VARCHAR, after VARCHAR, n VARCHAR, constant BOOLEAN)[]),
   'constant': false};

-- The stages with the type that each one leaves, and `first`, the type that features are read in.
CREATE OR REPLACE MACRO sqlrp_typed(stages, number, n, scale) AS
  list_reduce(list_transform(stages, lambda typed_s: sqlrp_before(number, n, typed_s)), lambda typed_a, typed_e:
    sqlrp_typed_stage(typed_e['stage'], typed_a, scale),
    sqlrp_before(number, n, stages[1]));

-- The kind of features that are whole numbers or decimals, as the stages take them.
CREATE OR REPLACE MACRO sqlrp_base(number, stages, n, scale) AS
  list_transform([{'n': number, 'bits': number['bits'] + sqlrp_bits(coalesce(n, 2147483648) + 1)}], lambda base_b:
    CASE WHEN list_contains(list_transform(stages, lambda base_s: base_s['exact']), false)
        OR (scale AND (base_b['n']['kind'] = 'decimal' OR base_b['bits'] > 63)) OR sqlrp_type(base_b['n']['kind'], base_b['bits'], base_b['n']['digits']) IS NULL
      THEN {'kind': 'double', 'bits': 0, 'digits': 0} ELSE base_b['n'] END)[1];

-- The number of entries before each stage and after the last.
CREATE OR REPLACE MACRO sqlrp_sizes(stages, size) AS
  list_reduce(list_transform(stages, lambda sizes_s: [CASE WHEN sizes_s['kind'] = 'append' THEN '+' ELSE sizes_s['outputs'] END]), lambda sizes_a, sizes_e:
    sizes_a || [CASE WHEN sizes_e[1] = '+' THEN sqlrp_plus_one(sizes_a[-1]) ELSE coalesce(sizes_e[1], sizes_a[-1]) END], [size]);

-- -- the statement -----------------------------------------------------------------------------------------------------
-- A row is a list x. The table of a stage is drawn once, as one row of lists of positions, and list functions pick the entries and
-- sum them. The sum of signed entries is the sum of picked entries of x || -x. Lists must have the very type that a function takes:
-- a cast within a lambda is done for every component. A lambda must pick from a list by list_select, as x[i] copies the list.

-- Sums of FLOAT are DOUBLE; a CAST back would refuse what IEEE calls infinite.
CREATE OR REPLACE MACRO sqlrp_narrow(total, kind) AS
  replace(CASE kind WHEN 'FLOAT' THEN 'coalesce(TRY_CAST(@ AS FLOAT), CAST(''inf''::DOUBLE * @ AS FLOAT))' ELSE concat('CAST(@ AS ', kind, ')') END, '@', total);

-- The guard: 0 for a row without NULL, else NULL or an error; NULL where no guard is needed.
CREATE OR REPLACE MACRO sqlrp_ok(nulls, complete) AS
  CASE WHEN nulls = 'zero' OR complete IS NULL THEN NULL ELSE 'CASE WHEN ' || complete || ' THEN 0'
    || CASE WHEN nulls = 'error' THEN ' ELSE error(''sqlrp: a feature is NULL and nulls = ''''error'''': clean the row, or use '
       || 'nulls = ''''zero'''' or ''''propagate'''''')' ELSE '' END || ' END' END;

-- The rows of a wide or array source: c0, c1, ..., ok if a guard is needed, and x, in which NULL is 0.
CREATE OR REPLACE MACRO sqlrp_wide_rows(kind, zero, told, single, scale, keyed, words, n, kept, names, types, nullable, late, asked, relation, output, nulls, layout, size, base, quoted, nulled, lowering) AS
  list_transform([{'names': names, 'types': types, 'nullable': nullable}], lambda wide_w: concat('(SELECT ', sqlrp_join(list_transform(kept, lambda wide_n, wide_i:
        concat(sqlrp_quote(wide_n), ' AS c', wide_i - 1))
    || list_filter([sqlrp_ok(nulls, CASE WHEN list_contains(wide_w['nullable'], true) THEN sqlrp_all(list_transform(list_filter(wide_w['names'],
         lambda wide_n, wide_i: wide_w['nullable'][wide_i]), lambda wide_n: sqlrp_quote(wide_n) || ' IS NOT NULL')) END) || ' AS ok'], lambda wide_o: wide_o IS NOT NULL)
    || [concat('[', sqlrp_join(list_transform(wide_w['names'], lambda wide_n, wide_i: list_transform([concat('CAST(', CASE WHEN wide_w['types'][wide_i] = 'BOOLEAN'
         THEN concat('CAST(', sqlrp_quote(wide_n), ' AS INTEGER)') ELSE sqlrp_quote(wide_n) END, ' AS ', kind, ')')], lambda wide_x:
         CASE WHEN wide_w['nullable'][wide_i] THEN concat('coalesce(', wide_x, ', ', zero, ')') ELSE wide_x END)[1]), ', '), '] AS x')], ', '),
    ' FROM ', relation, ') s'))[1];

CREATE OR REPLACE MACRO sqlrp_array_rows(kind, zero, told, single, scale, keyed, words, n, kept, names, types, nullable, late, asked, relation, output, nulls, layout, size, base, quoted, nulled, lowering) AS
  list_transform([{'carried': sqlrp_join(list_transform(kept, lambda array_n, array_i: concat('c', array_i - 1)) || [''], ', '), 'name': sqlrp_quote(names[1])}], lambda array_v:
    concat('(SELECT ', array_v['carried'], CASE WHEN nulls <> 'zero' THEN 'ok, ' END, 'coalesce(list_transform(x, lambda e: coalesce(e, ', zero, ')), list_resize(CAST([] AS ', kind, '[]), ', size, ', ', zero,
    ')) AS x FROM (SELECT ', array_v['carried'], sqlrp_ok(nulls, 'a IS NOT NULL AND list_position(a, NULL) IS NULL') || ' AS ok, ',
    'CAST(a AS ', kind, '[]) AS x FROM (SELECT ', sqlrp_join(list_transform(kept, lambda array_n, array_i: concat(sqlrp_quote(array_n), ' AS c', array_i - 1))
    || [concat(CASE WHEN types[1] LIKE '%[]' THEN concat('CASE WHEN len(', array_v['name'], ') <> ', size, ' THEN error(',
        sqlrp_string(concat('sqlrp: a list in ''', names[1], ''' has not the ')), ' || ', size, ' || ',
        ''' elements of the others: pad it, or set it to NULL'') ELSE ', CASE WHEN late IS NULL THEN array_v['name']
        ELSE concat('TRY_CAST(', array_v['name'], ' AS DOUBLE[])') END, ' END') ELSE array_v['name'] END, ' AS a')], ', '),
    ' FROM ', relation, ') s) s) s'))[1];

-- The feature number of a long row: a position, or the hash of a word. The statement tells which where the types are known late.
CREATE OR REPLACE MACRO sqlrp_hashed(name) AS
  '(CAST(''0x'' || md5(CAST(' || name || ' AS VARCHAR))[:15] AS BIGINT) % 2147483646)';

CREATE OR REPLACE MACRO sqlrp_counted(n, column_name, number) AS
  concat('CASE WHEN ', number, ' BETWEEN 0 AND ', coalesce(n, 2147483645) - 1, ' THEN CAST(', number, ' AS BIGINT) WHEN ', number,
    ' IS NOT NULL THEN error(', sqlrp_string(concat('sqlrp: a feature in ''', column_name, ''' is outside 0 ... ',
    coalesce(n, 2147483645) - 1, ': positions count from 0; raise n_features')), ') END');

CREATE OR REPLACE MACRO sqlrp_number_of(late, words, n, column_name, quoted) AS
  CASE WHEN late IS NOT NULL THEN concat('CASE WHEN (SELECT text FROM ', late, ') THEN ', sqlrp_hashed(quoted), ' ELSE ',
      sqlrp_counted(n, column_name, concat('TRY_CAST(CAST(', quoted, ' AS VARCHAR) AS BIGINT)')), ' END')
    WHEN words THEN sqlrp_hashed(quoted) ELSE sqlrp_counted(n, column_name, quoted) END;

-- The number of a long row, and the condition that no number of a row is NULL.
CREATE OR REPLACE MACRO sqlrp_cell_value(late, column_name, type, kind) AS
  concat(CASE WHEN late IS NOT NULL THEN 'TRY_' END, 'CAST(', CASE WHEN type = 'BOOLEAN' THEN concat('CAST(', sqlrp_quote(column_name), ' AS INTEGER)') ELSE sqlrp_quote(column_name) END, ' AS ', kind, ')');
CREATE OR REPLACE MACRO sqlrp_complete_cells(column_name) AS concat('count(*) = count(', sqlrp_quote(column_name), ')');

-- The tables of a long source: the rows (r, c0, ok), and the cells (r, f, x).
CREATE OR REPLACE MACRO sqlrp_long_tables(own, kind, told, single, scale, keyed, words, n, kept, names, types, nullable, late, asked, relation, output, nulls, layout, size, base, quoted, nulled, lowering) AS
  list_transform([{'key': sqlrp_quote(kept[1]), 'feature': sqlrp_quote(names[1])}], lambda long_v:
  [concat(own, '_rows AS MATERIALIZED (SELECT ', long_v['key'], ' AS r, ', long_v['key'], ' AS c0',
    ', ' || CASE WHEN nullable[2] THEN sqlrp_ok(nulls, sqlrp_complete_cells(names[2])) END || ' AS ok',
    ' FROM ', relation, ' GROUP BY ', long_v['key'], ')'),
   concat(own, '_cells0 AS MATERIALIZED (SELECT ', long_v['key'], ' AS r, ', sqlrp_number_of(late, words, n, names[1], long_v['feature']), ' AS f, ',
    sqlrp_cell_value(late, names[2], types[2], kind), ' AS x FROM ', relation, ')'),
   concat(own, '_numbers AS MATERIALIZED (', CASE WHEN n IS NULL OR words OR late IS NOT NULL THEN concat('SELECT DISTINCT f FROM ', own, '_cells0 WHERE f IS NOT NULL')
        ELSE 'SELECT f FROM ' || sqlrp_series(n, 'f') END, ')')])[1];

-- The cells after a stage of a long source.
CREATE OR REPLACE MACRO sqlrp_append_cells(own, cells, table_text, outputs, n, held, after, factors, constant_value, dense, constant) AS
  'SELECT r, f, x FROM ' || cells || ' UNION ALL SELECT r, 2147483646, ' || sqlrp_literal(constant_value, held) || ' FROM ' || own || '_rows';

CREATE OR REPLACE MACRO sqlrp_rescale_cells(own, cells, table_text, outputs, n, held, after, factors, constant_value, dense, constant) AS
  'SELECT r, f, x * coalesce(t.scale, ' || sqlrp_literal(constant_value, held) || ') AS x FROM ' || cells || ' LEFT JOIN (' || table_text || ') t USING (f)';

CREATE OR REPLACE MACRO sqlrp_normalise_cells(own, cells, table_text, outputs, n, held, after, factors, constant_value, dense, constant) AS
  'SELECT c.r, c.f, c.x / CASE WHEN t.n = 0 THEN 1 ELSE t.n END AS x FROM ' || cells || ' c JOIN (SELECT r, sqrt(sum(x * x)) AS n FROM '
    || cells || ' GROUP BY r) t ON t.r IS NOT DISTINCT FROM c.r';

CREATE OR REPLACE MACRO sqlrp_summed_cells(own, cells, table_text, term) AS
  'WITH sqlrp_features AS (SELECT f FROM ' || own || '_numbers UNION ALL SELECT 2147483646) SELECT r, c AS f, sum(' || term || ') AS x FROM '
    || cells || ' JOIN (' || table_text || ') t USING (f) WHERE w IS NOT NULL GROUP BY r, c';

CREATE OR REPLACE MACRO sqlrp_signs_cells(own, cells, table_text, outputs, n, held, after, factors, constant_value, dense, constant) AS
  sqlrp_summed_cells(own, cells, table_text, 'CASE WHEN w > 0 THEN x ELSE ' || sqlrp_literal(0, after) || ' - x END');

CREATE OR REPLACE MACRO sqlrp_weights_cells(own, cells, table_text, outputs, n, held, after, factors, constant_value, dense, constant) AS
  sqlrp_summed_cells(own, cells, table_text, 'CAST(w AS ' || after || ') * x');

-- The rows of cells, each with its entries as the list x.
CREATE OR REPLACE MACRO sqlrp_dense_rows(own, cells, carried, n, kind) AS
  '(SELECT ' || carried || 'list(coalesce(' || sqlrp_narrow('z.x', kind) || ', ' || sqlrp_literal(0, kind)
    || ') ORDER BY n.f ASC) AS x FROM ' || own || '_rows s CROSS JOIN (SELECT unnest(range(CAST(' || n || ' AS BIGINT))) AS f) n LEFT JOIN (SELECT r, f, sum(x) AS x FROM '
    || cells || ' GROUP BY r, f) z ON z.r IS NOT DISTINCT FROM s.r AND z.f = n.f GROUP BY ' || carried || 's.r) s';

-- -- the tables of the stages: each one row of lists of positions, which count from 1 ---------------------------------------

-- A number that is digits, or a subquery of the column n of a table: in an expression, and what must stand beside it in FROM. So the
-- table is joined once, where a subquery would be planned again for each use.
CREATE OR REPLACE MACRO sqlrp_beside(n) AS CASE WHEN starts_with(n, '(SELECT n FROM ') THEN ', ' || n || ' n_' ELSE '' END;
CREATE OR REPLACE MACRO sqlrp_by_name(n) AS CASE WHEN starts_with(n, '(SELECT n FROM ') THEN 'n' ELSE n END;

CREATE OR REPLACE MACRO sqlrp_features_of(n, constant) AS
  'WITH sqlrp_features AS (SELECT f FROM ' || CASE WHEN constant THEN sqlrp_series(n || ' - 1', 'f') || ' UNION ALL SELECT 2147483646'
    ELSE sqlrp_series(n, 'f') END || ') ';

-- `lists` are the lists of a component, and `tables` is their list for all components.
CREATE OR REPLACE MACRO sqlrp_lists(table_text, outputs, n, constant, lists, tables) AS
  sqlrp_features_of(n, constant) || 'SELECT ' || tables || ' FROM (SELECT unnest(range(CAST(' || outputs || ' AS BIGINT))) AS c) n LEFT JOIN (SELECT c, ' || lists || ' FROM ('
    || table_text || ') t' || sqlrp_beside(n) || ' GROUP BY c) g USING (c)';

CREATE OR REPLACE MACRO sqlrp_position(n, constant) AS
  CASE WHEN constant THEN 'CASE WHEN f = 2147483646 THEN ' || sqlrp_by_name(n) || ' ELSE f + 1 END' ELSE 'f + 1' END;

CREATE OR REPLACE MACRO sqlrp_signs_table(table_text, outputs, n, held, after, factors, constant_value, dense, constant) AS
  sqlrp_lists(table_text, outputs, n, constant, 'list(' || sqlrp_position(n, constant) || ' + CASE WHEN w > 0 THEN 0 ELSE ' || sqlrp_by_name(n)
    || ' END ORDER BY f ASC) FILTER (WHERE w IS NOT NULL) AS l',
    'list(coalesce(g.l, []) ORDER BY n.c ASC) AS l');

CREATE OR REPLACE MACRO sqlrp_weights_table(table_text, outputs, n, held, after, factors, constant_value, dense, constant) AS
  sqlrp_lists(table_text, outputs, n, constant, 'list(' || sqlrp_position(n, constant) || ' ORDER BY f ASC) AS l, list(CAST(w AS ' || after || ') ORDER BY f ASC) AS m',
    'list(coalesce(g.l, []) ORDER BY n.c ASC) AS l, list(coalesce(g.m, []) ORDER BY n.c ASC) AS m');

CREATE OR REPLACE MACRO sqlrp_reflect_table(table_text, outputs, n, held, after, factors, constant_value, dense, constant) AS
  'SELECT list(f + 1 ORDER BY c ASC) AS l FROM (' || table_text || ') t';

CREATE OR REPLACE MACRO sqlrp_rescale_table(table_text, outputs, n, held, after, factors, constant_value, dense, constant) AS
  'SELECT list(coalesce(t.shift, 0) ORDER BY n.f ASC) AS l, list(coalesce(t.scale, ' || constant_value || ') ORDER BY n.f ASC) AS m FROM '
    || '(SELECT unnest(range(CAST(' || n || ' AS BIGINT))) AS f) n LEFT JOIN (' || table_text || ') t USING (f)';

CREATE OR REPLACE MACRO sqlrp_products_table(table_text, outputs, n, held, after, factors, constant_value, dense, constant) AS
  list_transform([list_transform(range(factors), lambda table_j: CAST(table_j AS VARCHAR))], lambda table_f: sqlrp_lists(table_text, outputs, n, constant,
    sqlrp_join(list_transform(table_f, lambda table_j: 'list(CASE WHEN v[' || table_j || ' + 1] < 0 THEN ' || n || ' + 1 ELSE v[' || table_j
      || ' + 1] + 1 END ORDER BY i ASC) AS a' || table_j) || ['list(CAST(w AS ' || after || ') ORDER BY i ASC) AS w'], ', '),
    sqlrp_join(list_transform(table_f, lambda table_j: 'list(coalesce(g.a' || table_j || ', []) ORDER BY n.c ASC) AS a' || table_j), ', ')
      || ', list(coalesce(g.w, []) ORDER BY n.c ASC) AS w'))[1];

-- -- the rows after a stage: what stands before and after the text of the rows, which a macro must use only once ---------------

CREATE OR REPLACE MACRO sqlrp_after(rows, carried, tables, held, after, value, inputs) AS
  concat('(SELECT ', carried, value, ' AS x FROM ', concat('(SELECT ', carried) || inputs || ' FROM ',
    CASE WHEN held <> after THEN concat('(SELECT ', carried, 'CAST(x AS ', after, '[]) AS x FROM ') END, rows,
    CASE WHEN held <> after THEN ') s' END, CASE WHEN inputs IS NOT NULL THEN ') s' END, ', ' || tables, ') s');

CREATE OR REPLACE MACRO sqlrp_append_rows(rows, carried, tables, table_text, outputs, n, held, after, factors, constant_value, dense, constant) AS
  '(SELECT ' || carried || 'list_append(x, ' || sqlrp_literal(constant_value, held) || ') AS x FROM ' || rows || ') s';

CREATE OR REPLACE MACRO sqlrp_signs_rows(rows, carried, tables, table_text, outputs, n, held, after, factors, constant_value, dense, constant) AS
  sqlrp_after(rows, carried, tables, held, after, 'list_transform(l, lambda v: '
    || sqlrp_narrow('coalesce(list_sum(list_select(x, v)), 0)', after) || ')', 'x || list_transform(x, lambda e: -e) AS x');

CREATE OR REPLACE MACRO sqlrp_weights_rows(rows, carried, tables, table_text, outputs, n, held, after, factors, constant_value, dense, constant) AS
  sqlrp_after(rows, carried, tables, held, after, CASE WHEN after NOT IN ('FLOAT', 'DOUBLE') THEN 'list_transform(l, lambda v, i: '
      || sqlrp_narrow('coalesce(list_sum(list_transform(list_zip(list_select(x, v), m[i]), lambda e: e[1]*e[2])), 0)', after) || ')'
    WHEN dense THEN 'list_transform(m, lambda v: list_dot_product(x, v))'
    ELSE 'list_transform(m, lambda v, i: coalesce(list_dot_product(list_select(x, l[i]), v), 0))' END, CAST(NULL AS VARCHAR));

CREATE OR REPLACE MACRO sqlrp_reflect_rows(rows, carried, tables, table_text, outputs, n, held, after, factors, constant_value, dense, constant) AS
  sqlrp_after(rows, carried, tables, held, after, 'list_transform(list_select(x, l), lambda e: n * e - CAST(2 AS ' || after || ') * y)',
    'x, CAST(' || n || ' AS ' || after || ') AS n, ' || sqlrp_narrow('list_sum(x)', after) || ' AS y');

CREATE OR REPLACE MACRO sqlrp_products_value(after, factors, dense) AS
  list_transform([list_transform(range(factors), lambda rows_j: 'list_select(x, ' || CASE WHEN rows_j = 0 THEN 'v' ELSE 'a' || rows_j || '[i]' END || ')')],
    lambda rows_l: 'list_transform(a0, lambda v, i: ' || CASE
      WHEN dense AND len(rows_l) = 1 THEN sqlrp_narrow('list_sum(' || rows_l[1] || ')', after)
      WHEN dense AND len(rows_l) = 2 AND after IN ('FLOAT', 'DOUBLE') THEN 'list_dot_product(' || rows_l[1] || ', ' || rows_l[2] || ')'
      ELSE sqlrp_narrow('list_sum(list_transform(list_zip(' || sqlrp_join(rows_l || CASE WHEN dense THEN [] ELSE ['w[i]'] END, ', ') || '), lambda e: '
        || sqlrp_join(list_transform(range(1, len(rows_l) + CASE WHEN dense THEN 1 ELSE 2 END), lambda rows_j: 'e[' || rows_j || ']'), '*') || '))',
        after) END || ')')[1];

CREATE OR REPLACE MACRO sqlrp_products_rows(rows, carried, tables, table_text, outputs, n, held, after, factors, constant_value, dense, constant) AS
  sqlrp_after(rows, carried, tables, held, after, sqlrp_products_value(after, factors, dense), 'list_append(x, CAST(1 AS ' || after || ')) AS x');

CREATE OR REPLACE MACRO sqlrp_rescale_rows(rows, carried, tables, table_text, outputs, n, held, after, factors, constant_value, dense, constant) AS
  sqlrp_after(rows, carried, tables, held, after, 'list_transform(list_zip(x, l, m), lambda e: (e[1] - e[2]) * e[3])', CAST(NULL AS VARCHAR));

CREATE OR REPLACE MACRO sqlrp_normalise_rows(rows, carried, tables, table_text, outputs, n, held, after, factors, constant_value, dense, constant) AS
  sqlrp_after(rows, carried, CAST(NULL AS VARCHAR), held, after, 'list_transform(x, lambda e: e / CASE WHEN y = 0 THEN 1 ELSE y END)', 'x, sqrt(list_dot_product(x, x)) AS y');

CREATE OR REPLACE MACRO sqlrp_map_rows(rows, carried, tables, table_text, outputs, n, held, after, factors, constant_value, dense, constant) AS
  sqlrp_after(rows, carried, CAST(NULL AS VARCHAR), held, after, 'list_transform(x, lambda e: ' || replace(table_text, '@', 'e') || ')', CAST(NULL AS VARCHAR));

-- The rows of a group, summed. A group with a NULL is NULL.
CREATE OR REPLACE MACRO sqlrp_group_rows(rows, carried, tables, table_text, outputs, n, held, after, factors, constant_value, dense, constant) AS
  '(SELECT ' || carried || 'list(' || sqlrp_narrow('x', after) || ' ORDER BY f ASC) AS x FROM (SELECT c0, f, sum(x) AS x'
    || CASE WHEN contains(carried, 'ok') THEN ', CASE WHEN count(*) = count(ok) THEN 0 END AS ok' ELSE '' END || ' FROM (SELECT ' || carried
    || 'unnest(range(len(x))) AS f, unnest(x) AS x FROM ' || rows || ') s GROUP BY c0, f) s GROUP BY ' || rtrim(carried, ', ') || ') s';

-- The rows times a number that only the statement can tell.
CREATE OR REPLACE MACRO sqlrp_scaled_rows(rows, carried, factor) AS
  '(SELECT ' || carried || 'list_transform(x, lambda e: g * e) AS x FROM ' || rows || ', (SELECT ' || factor || ' AS g) g_) s';

-- The outputs over rows: `z` is an output as text, of the entry @, and `ok` makes it NULL with the row.
CREATE OR REPLACE MACRO sqlrp_shape_of(long, output, k, ok, z, result) AS
  CASE output
    WHEN 'columns' THEN sqlrp_join(list_transform(range(k), lambda shape_i: concat(replace(z, '@', concat('x[', shape_i + 1, ']')), ok, ' AS z', shape_i)), ', ')
    WHEN 'bits' THEN sqlrp_join(list_transform(range(0, k, 64), lambda shape_w: concat('CAST(list_sum(list_transform(x[', shape_w + 1, ':', shape_w + 64,
      '], lambda e, i: CASE WHEN ', replace(z, '@', 'e'), '<=0 THEN 0 WHEN i = 1 THEN ', sqlrp_place(1), ' ELSE CAST(1 AS BIGINT) << (64 - i) END)) AS BIGINT)', ok,
      ' AS b', shape_w // 64)), ', ')
    WHEN 'long' THEN concat('unnest(range(', k, ')) AS component, unnest(list_transform(x, lambda e: ', replace(z, '@', 'e'), ok, ')) AS value')
    -- The cast is outside of CASE, which gives no ARRAY in DuckDB 1.4.
    ELSE concat('CAST(', CASE WHEN ok <> '' THEN 'CASE WHEN ok IS NOT NULL THEN ' END, CASE WHEN z = '@' THEN 'x' ELSE concat('list_transform(x, lambda e: ', replace(z, '@', 'e'), ')') END,
      CASE WHEN ok <> '' THEN ' END' END, ' AS ', result, '[', CASE WHEN k <= 100000 THEN k END, ']) AS z') END;

CREATE OR REPLACE MACRO sqlrp_with(tables) AS coalesce('WITH ' || nullif(sqlrp_join(tables, ', '), '') || ' ', '');

CREATE OR REPLACE MACRO sqlrp_shape(kept, long, output, k, guarded, factor, kind, result, tables, rows) AS
  concat(sqlrp_with(tables), CASE WHEN output = 'long' AND long THEN 'SELECT * FROM (' END, 'SELECT ',
    sqlrp_join(list_transform(kept, lambda shape_n, shape_i: concat('c', shape_i - 1, ' AS ', sqlrp_quote(shape_n))) || [''], ', '),
    list_transform([replace(CASE WHEN CASE WHEN factor IS NULL OR kind = 'FLOAT' THEN kind ELSE 'DOUBLE' END = result THEN '#@' WHEN factor IS NULL AND sqlrp_through_double(kind, result) THEN 'CAST(CAST(#@ AS DOUBLE) AS FLOAT)' ELSE concat('CAST(#@ AS ', result, ')') END,
      '#', coalesce(factor || '*', ''))], lambda shape_v: sqlrp_shape_of(long, output, k, CASE WHEN guarded THEN '+ok' ELSE '' END, shape_v, result))[1],
    ' FROM ', rows, CASE WHEN output = 'long' AND long THEN ') cells WHERE component = 0 OR value IS NULL OR value <> 0' END);

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
  CASE WHEN output <> 'auto' THEN output WHEN k + len(kept) <= 32000 THEN 'columns' ELSE 'array' END;

CREATE OR REPLACE MACRO sqlrp_refused(p, output, keyed, kept, layout, n, names) AS
  coalesce(sqlrp_names_differ(p, layout, n, names), CASE WHEN p['bound'] <> n THEN concat('the projection holds for ', p['bound'], ' features, the source has ', n, ': name ', p['bound'], ' in features')
    WHEN p['grouped'] AND (NOT keyed OR len(kept) > 1 OR layout = 'long') THEN concat('pooling sums the rows of a group: name the group''s column as ',
      'group_by, keep no other, one row of features each; got ', layout, ' rows and the columns ', CAST(kept AS VARCHAR))
    WHEN output = 'columns' AND p['k'] + len(kept) > 32000 THEN concat('k = ', p['k'], ' makes ', p['k'] + len(kept),
      ' columns with key and keep, more than the 32000 of a result of duckdb: use output := ''long'' or ''array''')
    WHEN output = 'vector' AND p['k'] > 100000 THEN concat('k = ', p['k'], ' is more than the 100,000 numbers of a vector of duckdb: lower k')
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

-- A stage as SQL: table_text, outputs, n, held, after, factors, constant_value, dense, constant, which are arguments of the macros of its kind.
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
CREATE OR REPLACE MACRO sqlrp_final(v, frame_text, k, factor, bound, first, last, told, single, scale, keyed, words, n, kept, names, types, nullable, late, asked, relation, output, nulls, layout, size, base, quoted, nulled, lowering) AS
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
  CASE WHEN NOT drawn OR layout = 'long' OR is_late OR terms IS NULL OR terms > 30000 THEN false WHEN terms <= 200 THEN true ELSE coalesce(rows > 2000, true) END;

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

CREATE OR REPLACE MACRO sqlrp_float_entries(pipeline, kind, told, single, scale, keyed, words, n, kept, names, types, nullable, late, asked, relation, output, nulls, layout, size, base, quoted, nulled, lowering) AS
  list_transform([pipeline], lambda float_p: sqlrp_entries(sqlrp_float_steps(float_p['stages'], size, kind), kind))[1];

CREATE OR REPLACE MACRO sqlrp_float_step(p, method, size, kind, frame_text, layout, lowering, late, quoted, relation) AS
  list_transform(list_transform([sqlrp_float_steps(p['stages'], size, kind)], lambda float_v: {'sizes': list_transform(float_v, lambda float_s: float_s['n']),
      'calls': list_transform(float_v, lambda float_s: sqlrp_inline_call(float_s['stage'], float_s['n'], kind, kind, float_s['constant']))}), lambda float_v:
    sqlrp_typed_step(p, kind, kind, concat('sqlrp_float_entries(', method, ', ''', kind, ''', '), float_v['calls'], float_v['sizes'],
      frame_text, layout, lowering, late, quoted, relation))[1];

-- The kind of numbers that the stages take, and the stages with the types that follow, where there is no one type of floats.
CREATE OR REPLACE MACRO sqlrp_base_of(stages, layout, types, n, scale) AS
  list_transform([sqlrp_common_kind(layout, types)], lambda type_c: CASE WHEN type_c['kind'] IN ('float', 'double') THEN type_c ELSE sqlrp_base(type_c, stages, n, scale) END)[1];

CREATE OR REPLACE MACRO sqlrp_whole_entries(pipeline, told, single, scale, keyed, words, n, kept, names, types, nullable, late, asked, relation, output, nulls, layout, size, base, quoted, nulled, lowering) AS
  list_transform(list_transform([pipeline], lambda whole_p: sqlrp_typed(whole_p['stages'], sqlrp_base_of(whole_p['stages'], layout, types, n, scale), size, scale)),
    lambda whole_t: sqlrp_entries(whole_t['steps'], coalesce(whole_t['first'], whole_t['last'])))[1];

-- The step of a source whose features are not of one type of floats. It finds the types of the stages.
CREATE OR REPLACE MACRO sqlrp_type_step(pipeline, method, frame_text, told, single, scale, keyed, words, n, kept, names, types, nullable, late, asked, relation, output, nulls, layout, size, base, quoted, nulled, lowering) AS
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
CREATE OR REPLACE MACRO sqlrp_check_step(pipeline, method, frame_text, told, single, scale, keyed, words, n, kept, names, types, nullable, late, asked, relation, output, nulls, layout, size, base, quoted, nulled, lowering) AS
  list_transform([pipeline], lambda check_p: coalesce(error(sqlrp_refused(check_p, output, keyed, kept, layout, n, names)), CASE
    WHEN sqlrp_float_kind(check_p['prepared'], layout, types) IS NULL THEN concat('FROM query(sqlrp_type_step(', method, ', ', sqlrp_string(method), ', ', sqlrp_string(frame_text), ', ', frame_text, '))')
    ELSE sqlrp_float_step(check_p, method, size, sqlrp_float_kind(check_p['prepared'], layout, types), frame_text, layout, lowering, late, quoted, relation) END))[1];

-- Whether something may be wrong, which sqlrp_check_step finds.
CREATE OR REPLACE MACRO sqlrp_doubted(p, keyed, kept, layout, n, output) AS
  (p['names'] IS NOT NULL
      AND (layout = 'wide' OR len(p['names']) <> n)) OR p['bound'] <> n OR (p['grouped'] AND (NOT keyed OR len(kept) > 1 OR layout = 'long')) OR (p['prepared'] AND layout = 'long') OR (output = 'columns' AND p['k'] + len(kept) > 32000)
      OR (output = 'vector' AND p['k'] > 100000)
      OR len(list_filter(kept, lambda doubted_n: regexp_matches(sqlrp_fold(doubted_n), '^([bz]\d*|component|value)$'))) > 0;

-- The step where the source and the method meet. What is rare has steps of its own, as DuckDB binds what a step does not need, too.
CREATE OR REPLACE MACRO sqlrp_plan(pipeline, method, frame_text, told, single, scale, keyed, words, n, kept, names, types, nullable, late, asked, relation, output, nulls, layout, size, base, quoted, nulled, lowering) AS
  list_transform(list_transform([pipeline], lambda plan_p: {'p': plan_p, 'kind': sqlrp_float_kind(plan_p['prepared'], layout, types), 'doubt': sqlrp_doubted(plan_p, keyed, kept, layout, n, output)}), lambda plan_v:
    CASE WHEN plan_v['doubt'] OR plan_v['kind'] IS NULL THEN concat('FROM query(sqlrp_', CASE WHEN plan_v['doubt'] THEN 'check' ELSE 'type' END, '_step(', method, ', ',
        sqlrp_string(method), ', ', sqlrp_string(frame_text), ', ', frame_text, '))')
      ELSE sqlrp_float_step(plan_v['p'], method, size, plan_v['kind'], frame_text, layout, lowering, late, quoted, relation) END)[1];

-- The step before the last: which texts stand in the statement. It writes the calls of their macros.
CREATE OR REPLACE MACRO sqlrp_final_step(frame_text, k, factor, bound, first, last, steps, told, single, scale, keyed, words, n, kept, names, types, nullable, late, asked, relation, output, nulls, layout, size, base, quoted, nulled, lowering) AS
  list_transform(list_transform(list_transform([steps], lambda final_s: {'steps': final_s, 'guarded': sqlrp_guarded(layout, nulls, nullable)}),
      lambda final_c: {'guarded': final_c['guarded'], 'carried': sqlrp_carried(kept, final_c['guarded']), 'output': sqlrp_output(output, k, kept),
        'scaled': scale AND factor <> '1', 'cells': sqlrp_on_cells(layout, final_c['steps']), 'own': sqlrp_own(relation), 'steps': final_c['steps']}), lambda final_v:
    sqlrp_final(final_v, frame_text, k, factor, bound, first, last, told, single, scale, keyed, words, n, kept, names, types, nullable, late, asked, relation, output, nulls, layout, size, base, quoted, nulled, lowering))[1];

-- The step where a source of few rows and the method meet: lists compute them, unless a stage takes lists long or something is to be said.
CREATE OR REPLACE MACRO sqlrp_few(pipeline, method, frame_text, told, single, scale, keyed, words, n, kept, names, types, nullable, late, asked, relation, output, nulls, layout, size, base, quoted, nulled, lowering) AS
  list_transform(list_transform([pipeline], lambda few_p: {'p': few_p, 'kind': sqlrp_float_kind(few_p['prepared'], layout, types), 'other': sqlrp_doubted(few_p, keyed, kept, layout, n, output)
      OR list_contains(list_transform(few_p['stages'], lambda few_s: few_s['form']), 'butterfly')}), lambda few_v:
    CASE WHEN few_v['other'] OR few_v['kind'] IS NULL THEN concat('FROM query(sqlrp_', CASE WHEN few_v['other'] THEN 'plan(' ELSE 'few_whole(' END, method, ', ', sqlrp_string(method), ', ',
        sqlrp_string(frame_text), ', ', frame_text, '))')
      ELSE sqlrp_final_step(frame_text, few_v['p']['k'], few_v['p']['factor'], coalesce(few_v['p']['bound'], len(few_v['p']['names'])), few_v['kind'], few_v['kind'],
        sqlrp_entries(sqlrp_float_steps(few_v['p']['stages'], size, few_v['kind']), few_v['kind']), told, single, scale, keyed, words, n, kept, names, types, nullable, late, asked, relation, output, nulls, layout, size, base, quoted, nulled, lowering) END)[1];

-- The same for features that are not of one type of floats.
CREATE OR REPLACE MACRO sqlrp_few_whole(pipeline, method, frame_text, told, single, scale, keyed, words, n, kept, names, types, nullable, late, asked, relation, output, nulls, layout, size, base, quoted, nulled, lowering) AS
  list_transform(list_transform(list_transform(list_transform([pipeline], lambda few_p: {'p': few_p, 'base': sqlrp_base_of(few_p['stages'], layout, types, n, scale)}), lambda few_b: {'p': few_b['p'],
      'float': upper(few_b['base']['kind']) IN ('FLOAT', 'DOUBLE'), 'kind': upper(few_b['base']['kind']), 't': sqlrp_typed(few_b['p']['stages'], few_b['base'], size, scale)}), lambda few_t: {'p': few_t['p'],
      'first': CASE WHEN few_t['float'] THEN few_t['kind'] ELSE coalesce(few_t['t']['first'], few_t['t']['last']) END, 'last': CASE WHEN few_t['float'] THEN few_t['kind'] ELSE few_t['t']['last'] END,
      'entries': CASE WHEN few_t['float'] THEN sqlrp_entries(sqlrp_float_steps(few_t['p']['stages'], size, few_t['kind']), few_t['kind'])
        ELSE sqlrp_entries(few_t['t']['steps'], coalesce(few_t['t']['first'], few_t['t']['last'])) END}), lambda few_v:
    sqlrp_final_step(frame_text, few_v['p']['k'], few_v['p']['factor'], coalesce(few_v['p']['bound'], len(few_v['p']['names'])), few_v['first'], few_v['last'], few_v['entries'], told, single, scale, keyed, words, n, kept, names, types, nullable, late, asked, relation, output, nulls, layout, size, base, quoted, nulled, lowering))[1];

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

-- What is known of a call and its source, as SQL: told, single, scale, keyed, words, n, kept, names, types, nullable, late, asked, relation, output, nulls, layout, size, base, quoted, nulled, lowering.
CREATE OR REPLACE MACRO sqlrp_read_late(columns_of, method, names, told, relation, key, keep, features, array_column, feature, value, n_features, output, single, scale, nulls, lowering) AS
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

-- -- what is drawn while a statement binds --------------------------------------------------------------------------------------
-- The draw of draw.sql as lists, which DuckDB computes while it binds a call: a constant expression may hold no query. They are what the
-- text of the inline lowering is written from. A list of signs is the positions of the features of a sum, which count from 1: negative ones
-- are subtracted. A product is its weight and the positions of its factors; 0 stands for the constant 1.

-- The 64 coefficients of a seed, from the last to the first.
CREATE OR REPLACE MACRO sqlrp_drawn_seed(seed, purpose) AS
  list_transform(list_transform(list_transform([CAST(seed AS BIGINT)], lambda drawn_s: list_transform(sqlrp_constants()[1:2], lambda drawn_a:
      sqlrp_horner(drawn_a, (sqlrp_horner(drawn_a, drawn_s % 2147483647) + drawn_s // 2147483647) % 2147483647))), lambda drawn_m:
    list_transform(range(64 * purpose + 63, 64 * purpose - 1, -1), lambda drawn_i: (sqlrp_horner(sqlrp_constants()[3],
      (drawn_m[1] + drawn_i) % 2147483647)
      + sqlrp_horner(sqlrp_constants()[4], (drawn_m[2] + drawn_i) % 2147483647)) % 2147483647)), lambda drawn_a: drawn_a)[1];

-- The eight coefficients of components 0 ... n-1, a list each.
CREATE OR REPLACE MACRO sqlrp_drawn_components(seed, purpose, n) AS
  list_transform([sqlrp_drawn_seed(seed, purpose)], lambda drawn_a: list_transform(range(CAST(n AS BIGINT)), lambda drawn_c:
    list_transform(range(57, 0, -8), lambda drawn_i: sqlrp_horner(drawn_a[drawn_i : drawn_i + 7], drawn_c))))[1];

-- The entries h of components 0 ... n-1: a list each, over feature numbers.
CREATE OR REPLACE MACRO sqlrp_drawn_entries(seed, purpose, n, numbers) AS
  list_transform(sqlrp_drawn_components(seed, purpose, n), lambda drawn_b: list_transform(numbers, lambda drawn_f:
    sqlrp_entry(drawn_b[1], drawn_b[2], drawn_b[3], drawn_b[4], drawn_b[5], drawn_b[6], drawn_b[7], drawn_b[8], drawn_f)));

-- The numbers of n features, the last of which may be a constant.
CREATE OR REPLACE MACRO sqlrp_drawn_numbers(n, constant) AS
  CASE WHEN constant THEN range(CAST(n AS BIGINT) - 1) || [CAST(2147483646 AS BIGINT)] ELSE range(CAST(n AS BIGINT)) END;

-- The lists of `vectors` sums with drawn signs.
CREATE OR REPLACE MACRO sqlrp_drawn_signs(seed, purpose, vectors, s, n, constant) AS
  list_transform([{'low': CAST(floor(2147483647 / (2 * s)) AS BIGINT), 'high': CAST(floor(2147483647 / s) AS BIGINT)}], lambda signs_t:
    list_transform(sqlrp_drawn_entries(seed, purpose, vectors, sqlrp_drawn_numbers(n, constant)), lambda signs_h:
      list_filter(list_transform(signs_h, lambda signs_e, signs_i: CASE WHEN signs_e < signs_t['low'] THEN signs_i WHEN signs_e < signs_t['high']
        THEN -signs_i END),
        lambda signs_p: signs_p IS NOT NULL)))[1];

-- The lists of block sums, in buckets if there are several: a code is the sum that a feature goes into, which counts from 1, with its sign.
CREATE OR REPLACE MACRO sqlrp_drawn_codes(blocks, size, buckets, entries) AS
  list_transform([entries], lambda codes_h: list_transform(codes_h[:blocks], lambda codes_e, codes_b: list_transform(list_zip(codes_e,
    codes_h[blocks + 1]),
    lambda codes_v: (1 - 2 * (codes_v[1] % 2)) * ((codes_v[2] % buckets * blocks + codes_b - 1) * size + (codes_v[1] // 2) % size + 1))))[1];

CREATE OR REPLACE MACRO sqlrp_drawn_blocks(seed, blocks, size, buckets, n, constant) AS
  list_transform([sqlrp_drawn_codes(blocks, size, buckets, sqlrp_drawn_entries(seed, 5, blocks + 1, sqlrp_drawn_numbers(n, constant)))],
    lambda blocks_v:
    list_transform(range(1, CAST(blocks * size * buckets AS BIGINT) + 1), lambda blocks_c: list_filter(list_transform(blocks_v[(blocks_c - 1) // size
      % blocks + 1],
      lambda blocks_e, blocks_i: CASE WHEN blocks_e = blocks_c THEN blocks_i WHEN blocks_e = -blocks_c THEN -blocks_i END),
        lambda blocks_p: blocks_p IS NOT NULL)))[1];

-- The lists of sums of two descriptors: the first half over the features below `split`, and the rest over the others.
CREATE OR REPLACE MACRO sqlrp_drawn_split(half, split, lists, n, constant) AS
  list_transform(lists, lambda split_v, split_c: list_filter(split_v, lambda split_p: (split_c <= half) = (abs(split_p) <= split)));

-- The numbers 0 ... n-1 in random order, for components 0 ... k-1: sorted by (entry, number).
CREATE OR REPLACE MACRO sqlrp_drawn_permutations(seed, purpose, k, n) AS
  list_transform(sqlrp_drawn_entries(seed, purpose, k, range(CAST(n AS BIGINT))), lambda permuted_h:
    list_transform(list_sort(list_transform(permuted_h,
    lambda permuted_e, permuted_i: permuted_e * 2147483646 + permuted_i - 1), 'ASC'),
      lambda permuted_v: permuted_v % 2147483646));

-- The products of an index table, as sqlrp_index_table draws it.
CREATE OR REPLACE MACRO sqlrp_drawn_indexes(p, size, k, seed, minimise) AS
  CASE WHEN minimise THEN list_reduce(sqlrp_drawn_permutations(seed, 1, CAST(ceil(size * k / p) AS BIGINT), p), lambda indexes_d, indexes_n:
      sqlrp_deal(indexes_d, indexes_n, size))[:size * k]
    ELSE flatten(list_transform(sqlrp_drawn_permutations(seed, 1, k, p), lambda indexes_v: indexes_v[:size])) END;

-- An index table as the terms of the products of k components.
CREATE OR REPLACE MACRO sqlrp_drawn_terms(indexes, k, t, degree, n, constant) AS
  list_transform(list_transform([indexes], lambda terms_a: list_transform(range(CAST(k AS BIGINT)),
    lambda terms_c: terms_a[terms_c * t * degree + 1 : (terms_c + 1) * t * degree])), lambda terms_l: list_transform(terms_l, lambda terms_v:
      list_transform(range(CAST(t AS BIGINT)), lambda terms_i: [CAST(1 AS BIGINT)] || list_transform(terms_v[terms_i * degree + 1 : (terms_i + 1) *
        degree],
        lambda terms_e: terms_e + 1))))[1];

-- The same with the second factor of each product from another p sums.
CREATE OR REPLACE MACRO sqlrp_drawn_across(p, indexes, k, t, degree, n, constant) AS
  list_transform(sqlrp_drawn_terms(indexes, k, t, degree, n, constant), lambda across_v: list_transform(across_v, lambda across_t:
    [across_t[1], across_t[2], across_t[3] + p]));

-- -- what is not drawn, as the same lists ------------------------------------------------------------------------------------------

-- Lists of weights as the lists of their terms: signs, or products of one factor.
CREATE OR REPLACE MACRO sqlrp_signs_of(weights) AS
  list_transform(weights, lambda signs_w: list_filter(list_transform(signs_w, lambda signs_e, signs_i: CASE WHEN signs_e <> 0 THEN signs_e * signs_i END),
    lambda signs_p: signs_p IS NOT NULL));
CREATE OR REPLACE MACRO sqlrp_terms_of(weights) AS
  list_transform(weights, lambda terms_w: list_filter(list_transform(terms_w, lambda terms_e, terms_i: CASE WHEN terms_e <> 0 THEN [terms_e, terms_i] END),
    lambda terms_p: terms_p IS NOT NULL));

-- k * m sums of n features with drawn signs, and k sums of their squares: minus the weights that they have in the signed squares of the sums.
CREATE OR REPLACE MACRO sqlrp_drawn_removed(k, m, seed, s, n) AS
  list_transform(list_transform([sqlrp_drawn_entries(seed, 0, k * m, range(CAST(n AS BIGINT)))], lambda removed_h: {
      'low': CAST(floor(2147483647 / (2 * s)) AS BIGINT), 'high': CAST(floor(2147483647 / s) AS BIGINT), 'h': removed_h}), lambda removed_v:
    list_transform(removed_v['h'], lambda removed_h: list_transform(removed_h, lambda removed_e: CASE WHEN removed_e < removed_v['low'] THEN 1
      WHEN removed_e < removed_v['high'] THEN -1 ELSE 0 END))
    || list_transform(range(CAST(k AS BIGINT)), lambda removed_c: list_reduce(list_transform(removed_v['h'][removed_c * m + 1 : (removed_c + 1) * m],
      lambda removed_h, removed_i: [0 for removed_f in range(CAST(n AS BIGINT))] || list_transform(removed_h, lambda removed_e: CASE WHEN removed_e >= removed_v['high'] THEN 0
        WHEN removed_i <= greatest(m // 2, 1) THEN -1 ELSE 1 END)), lambda removed_a, removed_b: list_transform(list_zip(removed_a, removed_b),
          lambda removed_e: removed_e[1] + removed_e[2]))))[1];

-- The circular convolution of the first two of `ahead` + 2 vectors of k entries; the others pass.
CREATE OR REPLACE MACRO sqlrp_drawn_convolution(k, ahead) AS
  list_transform(range(CAST(k AS BIGINT)), lambda convolution_c: list_transform(range(CAST(k AS BIGINT)), lambda convolution_i:
      [CAST(1 AS BIGINT), convolution_i + 1, k + (convolution_c - convolution_i + k) % k + 1]))
    || list_transform(range(CAST(ahead * k AS BIGINT)), lambda convolution_c: [[CAST(1 AS BIGINT), 2 * k + convolution_c + 1]]);

-- All monomials of a degree in the order of their features, each with the square root of its multinomial coefficient, which is built up factor
-- by factor, as j / run.
CREATE OR REPLACE MACRO sqlrp_monomials(degree, n) AS
  list_transform(list_reduce(list_transform(range(CAST(degree AS BIGINT)), lambda monomials_i: CASE WHEN monomials_i = 0
      THEN list_transform(range(CAST(n AS BIGINT)), lambda monomials_f: {'v': [monomials_f + 1], 'run': CAST(1 AS BIGINT), 'ways': CAST(1 AS HUGEINT)})
      ELSE [] END), lambda monomials_a, monomials_e: flatten(list_transform(monomials_a, lambda monomials_m:
        list_transform(range(monomials_m['v'][-1], CAST(n AS BIGINT) + 1), lambda monomials_f: list_transform([CASE WHEN monomials_f = monomials_m['v'][-1]
          THEN monomials_m['run'] + 1 ELSE 1 END], lambda monomials_r: {'v': monomials_m['v'] || [monomials_f], 'run': monomials_r,
            'ways': CAST(monomials_m['ways'] * (len(monomials_m['v']) + 1) // monomials_r AS HUGEINT)})[1])))),
    lambda monomials_m: [[sqrt(CAST(monomials_m['ways'] AS DOUBLE))] || monomials_m['v']]);

-- The positions of k of n features, drawn without replacement, or one of each of k equal parts: as the lists of sums of one feature.
CREATE OR REPLACE MACRO sqlrp_drawn_picks(k, stratified, seed, n, constant) AS
  list_transform(CASE WHEN stratified THEN list_transform(sqlrp_drawn_entries(seed, 2, 1, range(CAST(k AS BIGINT)))[1], lambda picks_h, picks_i:
        ((picks_i - 1) * n + picks_h * n // 2147483647) // k)
      ELSE sqlrp_drawn_permutations(seed, 2, 1, n)[1][:k] END, lambda picks_f: [CAST(picks_f + 1 AS BIGINT)]);

-- A sample of k entries of a Hadamard transform of `padded` entries, which count from 0, and the signs of the features before it. `block` is the order
-- of Paley's matrix, whose columns are `signs`.
CREATE OR REPLACE MACRO sqlrp_drawn_butterfly(k, seed, padded, block, replacement, n, constant) AS
  {'padded': CAST(padded AS BIGINT), 'part': CAST(padded // block AS BIGINT), 'signs': sqlrp_paley_signs(block), 'flips': list_transform(sqlrp_drawn_entries(seed, 3, 1, range(CAST(n AS BIGINT)))[1], lambda butterfly_h:
      CASE WHEN butterfly_h < 2147483647 // 2 THEN 1 ELSE -1 END), 'sample': CASE WHEN replacement
    THEN list_transform(sqlrp_drawn_entries(seed, 4, 1, range(CAST(k AS BIGINT)))[1], lambda butterfly_h: butterfly_h % padded)
    ELSE list_transform([sqlrp_drawn_permutations(seed, 2, 1, padded)[1]], lambda butterfly_p: list_select(butterfly_p,
      list_transform(range(CAST(k AS BIGINT)), lambda butterfly_c: butterfly_c % padded + 1)))[1] END};

-- -- the inline lowering ----------------------------------------------------------------------------------------------------------
-- The signs become the text of expressions, as in sqlrp/_lowering/inline.py, character by character. Each stage is one step: it maps the
-- expressions x of a row's entries to others, and writes the next step. x is one text, as a list of hundreds of literals takes long to bind.
-- Expressions are separated by semicolons, and one that nobody reads is empty.
--   named: whether the expressions are names of columns of `rows`, the text after FROM
--   level: how many levels of subquery have named entries so far
--   narrow: whether whole numbers are read in a narrower type than that of the result
--   carried: the columns that pass through, as the next level writes them
--   rest: the calls of the steps that follow, each without the arguments above

CREATE OR REPLACE MACRO sqlrp_follow(head, x, named, level, narrow, rows, carried, tail) AS
  concat('FROM query(', head, named, ', ', level, ', ', narrow, ', ', sqlrp_strings([x, rows, carried]), ', [', sqlrp_strings(tail), ']))');
CREATE OR REPLACE MACRO sqlrp_then(x, named, level, narrow, rows, carried, rest) AS
  sqlrp_follow(rest[1], x, named, level, narrow, rows, carried, rest[2:]);

-- Lists of lists of whole numbers as one text, and back.
CREATE OR REPLACE MACRO sqlrp_packed(lists) AS
  list_aggregate(list_transform(lists, lambda packed_l: sqlrp_join(CAST(packed_l AS VARCHAR[]), ',')), 'string_agg', ';');
CREATE OR REPLACE MACRO sqlrp_unpacked(packed) AS
  list_transform(string_split(packed, ';'), lambda unpacked_l: CASE WHEN unpacked_l = '' THEN [] ELSE CAST(string_split(unpacked_l, ',') AS INTEGER[])
    END);

-- A number as Python writes it for a type.
CREATE OR REPLACE MACRO sqlrp_written(value, type) AS
  CASE WHEN type IN ('FLOAT', 'DOUBLE') THEN concat(CASE WHEN type = 'FLOAT' THEN 'CAST(' END, regexp_replace(CAST(CAST(value AS DOUBLE) AS VARCHAR), '^[^e]*$', '\0e0'),
      CASE WHEN type = 'FLOAT' THEN ' AS FLOAT)' END)
    WHEN starts_with(type, 'DECIMAL') THEN concat('CAST(', CAST(value AS HUGEINT), ' AS ', type, ')') ELSE CAST(CAST(value AS HUGEINT) AS VARCHAR) END;

CREATE OR REPLACE MACRO sqlrp_float_zero(type) AS CASE WHEN type = 'FLOAT' THEN 'CAST(0.0e0 AS FLOAT)' ELSE '0.0e0' END;

-- Terms in chains of 32 within a tree of three levels, so up to 32,768 of them. A chain of one link has no parentheses. Each term
-- carries the operator before it, as DuckDB 1.4 joins by a constant only.
CREATE OR REPLACE MACRO sqlrp_tree(terms, operator) AS
  coalesce(substr(list_reduce([list_transform(terms, lambda tree_t: concat(operator, tree_t)), [], [], []], lambda tree_l, tree_e:
    list_transform(range(1, len(tree_l) + 1, 32), lambda tree_i: CASE WHEN tree_i < len(tree_l)
      THEN concat(operator, '(', substr(list_aggregate(tree_l[tree_i : tree_i + 31], 'string_agg', ''), length(operator) + 1), ')') ELSE tree_l[tree_i] END))[1],
    length(operator) + 1), '');

-- The sum of the first list of terms minus the sum of the second.
CREATE OR REPLACE MACRO sqlrp_difference(sides, zero) AS
  list_transform([list_transform(sides, lambda difference_s: sqlrp_tree(difference_s, '+'))], lambda difference_t: CASE
    WHEN difference_t[2] = '' THEN coalesce(nullif(difference_t[1], ''), zero) WHEN difference_t[1] = '' THEN concat('-', difference_t[2])
    ELSE concat('(', difference_t[1], '-', difference_t[2], ')') END)[1];

-- One more level of subquery. `items` are its entries.
CREATE OR REPLACE MACRO sqlrp_leveled(carried, items, rows) AS
  concat('(SELECT ', coalesce(carried || nullif(sqlrp_join(items, ', '), ''), rtrim(carried, ', ')), chr(10), 'FROM ', rows, ') s');

-- The letter of the names of a level: only neighbouring levels need different ones.
CREATE OR REPLACE MACRO sqlrp_letter(level) AS substr('xvwu', CAST(level % 4 AS BIGINT) + 1, 1);

-- The names of n entries of a level.
CREATE OR REPLACE MACRO sqlrp_names_of(level, n) AS list_transform(range(n), lambda names_i: concat(sqlrp_letter(level), names_i));

-- The expressions under names, if they have none: x as a list, `rows` and `level`. `read` are the positions that the next stage reads, NULL
-- for all, and `cast_to` is a type that is wider than theirs.
CREATE OR REPLACE MACRO sqlrp_named(x, named, level, rows, carried, read, cast_to) AS
  list_transform([{'x': string_split(x, ';'), 'read': read}], lambda named_v: CASE WHEN named AND cast_to IS NULL
    THEN {'x': named_v['x'], 'level': level, 'rows': rows}
    ELSE {'x': list_transform(named_v['x'], lambda named_e, named_i: concat(sqlrp_letter(level), named_i - 1)), 'level': level + 1,
      'rows': sqlrp_leveled(carried, list_transform(list_zip(list_select(named_v['x'], coalesce(named_v['read'], range(1, len(named_v['x']) + 1))),
        coalesce(named_v['read'], range(1, len(named_v['x']) + 1))), lambda named_e: concat(CASE WHEN cast_to IS NOT NULL THEN 'CAST(' END,
          named_e[1],
        ' AS ' || cast_to || ')', ' AS ', sqlrp_letter(level), named_e[2] - 1)), rows)} END)[1];

-- The positions that are read by lists, in their order, of those up to n.
CREATE OR REPLACE MACRO sqlrp_read_by(lists, n) AS
  list_sort(list_distinct(list_filter(list_transform(flatten(lists), lambda read_p: abs(read_p)), lambda read_p: read_p BETWEEN 1 AND n)), 'ASC');

-- -- the steps --------------------------------------------------------------------------------------------------------------------

-- The features of the source under names: those that the first sums read, whose lists are `lists`; NULL for all. `quoted`: the names of columns,
-- each in its quotes; NULL: they are the elements of an array. `zero` stands for NULL.
CREATE OR REPLACE MACRO sqlrp_feature_names(quoted, n) AS
  CASE WHEN quoted IS NULL THEN list_transform(range(1, n + 1), lambda feature_i: concat('x[', feature_i, ']')) ELSE regexp_extract_all(CAST(quoted AS VARCHAR), '"(?:[^"]|"")*"') END;

CREATE OR REPLACE MACRO sqlrp_features_text(quoted, types, n, type, zero) AS
  list_transform(sqlrp_feature_names(quoted, n), lambda features_f, features_i: concat(CASE WHEN zero IS NOT NULL THEN 'coalesce(' END,
        'CAST(',
    CASE WHEN sqlrp_element(types[least(features_i, len(types))]) = 'BOOLEAN' THEN concat('CAST(', features_f, ' AS INTEGER)') ELSE features_f END,
      ' AS ', type, ')',
    ',' || zero || ')'));

CREATE OR REPLACE MACRO sqlrp_element(type) AS regexp_replace(type, '\[\d*\]$', '');

-- Whether all partial sums of the lists fit SMALLINT. `constants` are what is appended to the features.
CREATE OR REPLACE MACRO sqlrp_fits(lists, types, n, constants) AS
  list_transform([list_transform(range(1, n + 1), lambda fits_i: pow(2, sqlrp_number(sqlrp_element(types[least(fits_i,
    len(types))]))['bits'])) || constants],
    lambda fits_v: list_max(list_transform(lists, lambda fits_l: coalesce(list_sum(list_select(fits_v, list_transform(fits_l,
      lambda fits_p: abs(fits_p)))), 0))) <= 32767)[1];

CREATE OR REPLACE MACRO sqlrp_read_inline(lists, narrow, n, quoted, type, zero, read, relation, carried, types, rest) AS
  list_transform(list_transform([lists], lambda read_l: {'l': read_l, 'live': coalesce(sqlrp_read_by(read_l, n), range(1, n + 1))}), lambda read_v:
    sqlrp_then(sqlrp_join(sqlrp_names_of(0, n), ';'), true, 1, narrow, sqlrp_leveled(read,
      list_transform(list_zip(list_select(sqlrp_features_text(quoted, types, n,
        CASE WHEN narrow THEN 'SMALLINT' ELSE type END, zero), read_v['live']), read_v['live']), lambda read_f: concat(read_f[1], ' AS x',
          read_f[2] - 1)), relation), carried,
      list_transform(rest, lambda read_r: CASE WHEN starts_with(read_r, 'sqlrp_signs_inline({lists}')
        THEN concat('sqlrp_signs_inline(', sqlrp_string(sqlrp_packed(read_v['l'])), read_r[length('sqlrp_signs_inline({lists}') + 1 :])
        ELSE read_r END)))[1];

-- The step before it for sums of whole numbers: whether SMALLINT holds them.
CREATE OR REPLACE MACRO sqlrp_narrow_inline(lists, constants, n, quoted, type, zero, read, relation, carried, types, rest) AS
  list_transform([lists], lambda narrow_l: concat('FROM query(sqlrp_read_inline(sqlrp_unpacked(', sqlrp_string(sqlrp_packed(narrow_l)), '), ',
    sqlrp_fits(narrow_l, types, n, constants), ', ', n, ', ', sqlrp_strings([quoted, type, zero, read, relation, carried]), ', ', sqlrp_each_list([types, rest]), '))'))[1];

CREATE OR REPLACE MACRO sqlrp_append_inline(lists, n, value, text, held, after, named, level, narrow, x, rows, carried, rest) AS
  sqlrp_then(concat(x, ';', sqlrp_written(value, held)), named, level, narrow, rows, carried, rest);

-- Sums of the entries with signs. `lists`: packed. Dense ones share partial sums.
CREATE OR REPLACE MACRO sqlrp_signs_inline(lists, n, value, text, held, after, named, level, narrow, x, rows, carried, rest) AS
  list_transform(list_transform(list_transform([sqlrp_unpacked(lists)], lambda signs_l: {'l': signs_l, 'zero': sqlrp_written(0, after),
    'dense': 6 * len(flatten(signs_l)) >= len(signs_l) * len(string_split(x, ';'))}),
    lambda signs_d: {'l': signs_d['l'], 'zero': signs_d['zero'], 'dense': signs_d['dense'], 'v': sqlrp_named(x, named, level, rows, carried,
      CASE WHEN named AND held = after THEN [] ELSE sqlrp_read_by(signs_d['l'], 2147483645) END, sqlrp_cast_to(held, after))}), lambda signs_s: CASE
    WHEN signs_s['dense'] THEN sqlrp_then(sqlrp_join(signs_s['v']['x'], ';'), true, signs_s['v']['level'], narrow AND held = after,
      signs_s['v']['rows'], carried,
      [concat('sqlrp_shared_inline(', sqlrp_string(lists), ', ', sqlrp_string(signs_s['zero']), ', ')] || rest)
    ELSE sqlrp_then(sqlrp_signed_texts(signs_s['l'], signs_s['v']['x'], signs_s['zero']), false, signs_s['v']['level'], narrow AND held = after,
      signs_s['v']['rows'], carried, rest) END)[1];

-- The type that entries are cast to before a stage; NULL for the one that they have.
CREATE OR REPLACE MACRO sqlrp_cast_to(held, after) AS CASE WHEN held <> after THEN after END;

CREATE OR REPLACE MACRO sqlrp_signed_texts(lists, x, zero) AS
  sqlrp_join(list_transform(list_transform(lists, lambda signed_l: list_transform([1, -1], lambda signed_s: list_select(x,
      list_filter(list_transform(signed_l, lambda signed_p: signed_p * signed_s), lambda signed_p: signed_p > 0)))),
    lambda signed_t: sqlrp_difference(signed_t, zero)), ';');

-- The sums of features of one type of floats: the features are read, and summed at once unless the sums share partial sums. The first
-- call of `rest` is of these sums.
CREATE OR REPLACE MACRO sqlrp_read_sums_inline(lists, n, quoted, type, zero, read, relation, carried, types, rest) AS
  list_transform(list_transform([lists], lambda sums_l: {'l': sums_l, 'live': sqlrp_read_by(sums_l, n), 'dense': 6 * len(flatten(sums_l)) >= len(sums_l) * n}), lambda sums_v:
    sqlrp_follow(CASE WHEN sums_v['dense'] THEN concat('sqlrp_shared_inline(', sqlrp_strings([sqlrp_packed(sums_v['l']), sqlrp_float_zero(type)]), ', ') ELSE rest[2] END,
      CASE WHEN sums_v['dense'] THEN sqlrp_join(sqlrp_names_of(0, n), ';') ELSE sqlrp_signed_texts(sums_v['l'], sqlrp_names_of(0, n), sqlrp_float_zero(type)) END,
      sums_v['dense'], 1, false, sqlrp_leveled(read, list_transform(list_zip(list_select(sqlrp_features_text(quoted, types, n, type, zero), sums_v['live']), sums_v['live']),
        lambda sums_f: concat(sums_f[1], ' AS x', sums_f[2] - 1)), relation), carried, CASE WHEN sums_v['dense'] THEN rest[2:] ELSE rest[3:] END))[1];

-- Sums of products, each a weight and the positions of its factors. `lists`: a list of products for each sum.
CREATE OR REPLACE MACRO sqlrp_products_inline(lists, n, value, text, held, after, named, level, narrow, x, rows, carried, rest) AS
  list_transform(list_transform([CAST(lists AS DOUBLE[][][])], lambda products_l: {'l': products_l, 'zero': sqlrp_written(0, after), 'v': sqlrp_named(x, named, level, rows, carried,
      sqlrp_read_by(CAST(list_transform(flatten(products_l), lambda products_p: products_p[2:]) AS BIGINT[][]), 2147483645),
      coalesce(sqlrp_cast_to(held, after), CASE WHEN narrow THEN after END))}),
        lambda products_s: sqlrp_then(
    sqlrp_join(list_transform(list_transform(products_s['l'], lambda products_t: list_transform([1, -1],
      lambda products_i: sqlrp_products_text(products_s['v']['x'],
        list_filter(products_t, lambda products_p: products_p[1] * products_i > 0), after))), lambda products_d: sqlrp_difference(products_d, products_s['zero'])),
          ';'),
    false, products_s['v']['level'], false, products_s['v']['rows'], carried, rest))[1];

CREATE OR REPLACE MACRO sqlrp_products_text(x, products, type) AS
  list_transform(products, lambda product_p: concat(CASE WHEN abs(product_p[1]) <> 1 THEN concat(sqlrp_written(abs(product_p[1]), type), '*') END,
    sqlrp_join(list_select(x, CAST(product_p[2:] AS BIGINT[])), '*')));

-- n times picked entries minus twice the sum of all n.
CREATE OR REPLACE MACRO sqlrp_reflect_inline(lists, n, value, text, held, after, named, level, narrow, x, rows, carried, rest) AS
  list_transform(list_transform([flatten(lists)], lambda reflect_l: {'l': reflect_l, 'n': sqlrp_written(n, after), 'two': sqlrp_written(2, after),
    'v': sqlrp_named(x, named, level, rows, carried, NULL, sqlrp_cast_to(held, after))}),
    lambda reflect_v: sqlrp_then(sqlrp_join(list_transform(list_select(reflect_v['v']['x'], reflect_v['l']), lambda reflect_e: concat('(', reflect_v['n'], '*', reflect_e, '-m)')),
        ';'), false, reflect_v['v']['level'], narrow AND held = after,
      sqlrp_leveled(carried, list_select(reflect_v['v']['x'], list_sort(list_distinct(reflect_v['l']), 'ASC')) || [concat(reflect_v['two'], '*', sqlrp_tree(reflect_v['v']['x'], '+'),
        ' AS m')], reflect_v['v']['rows']), carried, rest))[1];

-- -- the closing stages: sqlrp/_lowering/endpoints.py --------------------------------------------------------------------------------
-- Here `level` counts the levels from the sum over a group on.

-- The rows of a group, summed. `text`: of `ok` in a row without NULL; empty if rows carry none.
CREATE OR REPLACE MACRO sqlrp_group_inline(lists, n, value, text, held, after, named, level, narrow, x, rows, carried, rest) AS
  list_transform([string_split(x, ';')], lambda group_x: sqlrp_then(sqlrp_join(list_transform(group_x, lambda group_e, group_i: concat('y', group_i - 1)), ';'),
    true, 1, false, concat('(SELECT c0, ', CASE WHEN text <> '' THEN concat('CASE WHEN count(ok) = count(*) THEN ', text, ' END AS ok, ') END,
      sqlrp_join(list_transform(group_x, lambda group_e, group_i: concat(sqlrp_narrow(concat('SUM(', coalesce('CAST(' || group_e || ' AS ' || sqlrp_cast_to(held, after) || ')', group_e),
        ')'), after), ' AS y', group_i - 1)), ', '), chr(10), 'FROM ', rows, ' GROUP BY c0) s'), carried, rest))[1];

CREATE OR REPLACE MACRO sqlrp_closing_names(x, level) AS list_transform(x, lambda closing_e, closing_i: concat('y', closing_i - 1, repeat('_', level)));

-- The expressions as a level of subquery.
CREATE OR REPLACE MACRO sqlrp_closing_rows(x, level, rows, carried) AS
  sqlrp_leveled(carried, list_transform(list_zip(x, sqlrp_closing_names(x, level)), lambda closing_e: concat(closing_e[1], ' AS ', closing_e[2])), rows);

-- A formula of every entry, @: `text`.
CREATE OR REPLACE MACRO sqlrp_map_inline(lists, n, value, text, held, after, named, level, narrow, x, rows, carried, rest) AS
  list_transform([string_split(x, ';')], lambda map_x: sqlrp_then(sqlrp_join(list_transform(sqlrp_closing_names(map_x, level), lambda map_e: replace(text, '@', map_e)),
    ';'), false, level + 1, false, sqlrp_closing_rows(map_x, level, rows, carried), carried, rest))[1];

CREATE OR REPLACE MACRO sqlrp_normalise_inline(lists, n, value, text, held, after, named, level, narrow, x, rows, carried, rest) AS
  list_transform(list_transform([string_split(x, ';')], lambda normalise_x: {'x': normalise_x, 'names': sqlrp_closing_names(normalise_x, level)}), lambda normalise_v:
    sqlrp_then(sqlrp_join(list_transform(normalise_v['names'], lambda normalise_e: concat(normalise_e, '/CASE WHEN n = 0 THEN 1 ELSE n END')), ';'), false, level + 1,
      false, sqlrp_leveled(carried, normalise_v['names'] || [concat('sqrt(', sqlrp_tree(list_transform(normalise_v['names'], lambda normalise_e:
        concat(normalise_e, '*', normalise_e)), '+'), ') AS n')], sqlrp_closing_rows(normalise_v['x'], level, rows, carried)), carried, rest))[1];

-- -- shared partial sums: sqlrp/_lowering/partial_sums.py says why ------------------------------------------------------------------
-- `choice` has a list for each block of features: for each sum the entry that it takes from the block, which counts from 1, with its sign; or 0. At
-- first the blocks are single features. A round makes one block of two.

-- The lists of signs as the first choice.
CREATE OR REPLACE MACRO sqlrp_choice(lists, n) AS
  list_transform(list_transform([list_transform(list_transform(lists, lambda choice_v: list_sort(list_transform(choice_v,
    lambda choice_p: 4 * abs(choice_p)
      + CASE WHEN choice_p < 0 THEN 1 ELSE 0 END) || range(6, 4 * n + 3, 4), 'ASC')), lambda choice_v: list_filter(list_transform(list_zip([0] || choice_v,
        choice_v),
        lambda choice_e: CASE WHEN choice_e[2] % 4 = 2 THEN CASE WHEN choice_e[1] // 4 = choice_e[2] // 4
          THEN (1 - 2 * (choice_e[1] % 4)) * (choice_e[2] // 4) ELSE 0 END END),
      lambda choice_e: choice_e IS NOT NULL))], lambda choice_c: list_transform(range(1, n + 1), lambda choice_f: list_transform(choice_c,
        lambda choice_l: choice_l[choice_f]))),
    lambda choice_c: choice_c)[1];

-- A round. The key of an entry says which two it is the sum or difference of: left, right (0 for none) and 1 for a difference. `keys` are
-- those of all blocks in order, and the new choice counts them.
CREATE OR REPLACE MACRO sqlrp_round(choice) AS
  list_transform(list_transform(list_transform([list_transform(list_zip(choice[1:len(choice):2], choice[2:len(choice):2]),
    lambda round_p: list_transform(
      list_zip(round_p[1], round_p[2]), lambda round_e: CASE WHEN round_e[1] = 0 AND coalesce(round_e[2], 0) = 0 THEN 0 ELSE sign(CASE
        WHEN round_e[1] <> 0
        THEN round_e[1] ELSE round_e[2] END) * ((abs(round_e[1]) * 1048576 + abs(coalesce(round_e[2], 0))) * 2
        + CASE WHEN round_e[1] * coalesce(round_e[2], 0) < 0 THEN 1 ELSE 0 END) END))], lambda round_b: {'blocks': round_b,
          'keys': list_transform(round_b,
      lambda round_k: list_sort(list_distinct(list_filter(list_transform(round_k, lambda round_e: abs(round_e)), lambda round_e: round_e > 0)), 'ASC'))}),
        lambda round_v: {
      'blocks': round_v['blocks'], 'keys': round_v['keys'], 'starts': list_transform(round_v['keys'], lambda round_k, round_i:
        coalesce(list_sum(list_transform(round_v['keys'][:round_i - 1], lambda round_l: len(round_l))), 0))}), lambda round_v: {
    'keys': flatten(round_v['keys']), 'choice': list_transform(list_zip(round_v['blocks'], round_v['keys'], round_v['starts']),
      lambda round_z: list_transform(round_z[1],
      lambda round_e: CASE WHEN round_e = 0 THEN 0 ELSE sign(round_e) * CAST(round_z[3] + list_position(round_z[2], abs(round_e)) AS BIGINT)
        END))})[1];

-- What is known after some rounds: the entries that each made, and the additions and all terms so far.
CREATE OR REPLACE MACRO sqlrp_shared(choice, rounds, added, done) AS
  {'choice': CAST(choice AS BIGINT[][]), 'rounds': rounds, 'added': CAST(added AS BIGINT), 'done': done,
   'terms': CAST(added + len(list_filter(flatten(choice), lambda shared_e: shared_e <> 0)) AS BIGINT)};

-- The rounds that save additions, one after another: at least one term in twenty.
CREATE OR REPLACE MACRO sqlrp_rounds(choice) AS
  list_reduce(list_transform(range(20), lambda rounds_i: sqlrp_shared(CAST([] AS BIGINT[][]), CAST([] AS BIGINT[][]), 0, false)),
    lambda rounds_a, rounds_e: CASE
    WHEN rounds_a['done'] OR len(rounds_a['choice']) < 2 THEN rounds_a ELSE list_transform(list_transform([sqlrp_round(rounds_a['choice'])],
      lambda rounds_r:
      sqlrp_shared(rounds_r['choice'], rounds_a['rounds'] || [rounds_r['keys']], rounds_a['added'] + len(list_filter(rounds_r['keys'],
        lambda rounds_k: rounds_k // 2 > 1048576 AND rounds_k // 2 % 1048576 > 0)), false)), lambda rounds_s: CASE
          WHEN rounds_s['terms'] > 0.95e0 * rounds_a['terms']
        THEN sqlrp_shared(rounds_a['choice'], rounds_a['rounds'], rounds_a['added'], true) ELSE rounds_s END)[1] END, sqlrp_shared(choice,
          CAST([] AS BIGINT[][]), 0, false));

-- The entries of a round, over the names of those before it.
CREATE OR REPLACE MACRO sqlrp_paired(keys, x) AS
  list_transform(list_zip(list_select(x, list_transform(keys, lambda paired_k: paired_k // 2097152)), list_select(x, list_transform(keys,
    lambda paired_k: paired_k // 2 % 1048576)), keys),
    lambda paired_e: concat(paired_e[1], CASE WHEN paired_e[1] IS NOT NULL AND paired_e[2] IS NOT NULL THEN CASE paired_e[3] % 2 WHEN 1 THEN '-'
      ELSE '+' END END, paired_e[2]));

-- Sums over rounds, each of which is a level of subquery. `s`: their entries, and the last choice.
CREATE OR REPLACE MACRO sqlrp_over_rounds(s, zero, x, level, narrow, rows, carried, rest) AS
  list_transform(list_transform([{'s': s, 'x': x}], lambda over_v: {'choice': over_v['s']['choice'], 'rounds': over_v['s']['rounds'],
    'x': list_transform(
      [0] || list_transform(over_v['s']['rounds'], lambda over_k: len(over_k)), lambda over_n, over_i: CASE WHEN over_i = 1 THEN over_v['x']
        ELSE sqlrp_names_of(level + over_i - 2, over_n) END)}), lambda over_v: sqlrp_then(
    sqlrp_signed_texts(list_transform(range(1, len(over_v['choice'][1]) + 1), lambda over_c: list_transform(over_v['choice'],
      lambda over_l: over_l[over_c])),
      over_v['x'][-1], zero), false, level + len(over_v['rounds']), narrow,
    concat(sqlrp_join(list_reverse(list_transform(list_zip(over_v['rounds'], over_v['x'][:-2]), lambda over_r, over_i: concat('(SELECT ', carried,
      sqlrp_join(list_transform(sqlrp_paired(over_r[1], over_r[2]), lambda over_e, over_j: concat(over_e, ' AS ', sqlrp_letter(level + over_i - 1),
        over_j - 1)), ', '),
      chr(10), 'FROM '))), ''), rows, repeat(') s', len(over_v['rounds']))), carried, rest))[1];

-- Sums of named entries that share partial sums.
CREATE OR REPLACE MACRO sqlrp_shared_inline(lists, zero, named, level, narrow, x, rows, carried, rest) AS
  list_transform(list_transform([string_split(x, ';')], lambda shared_x: {'x': shared_x, 's': sqlrp_rounds(sqlrp_choice(sqlrp_unpacked(lists),
    len(shared_x)))}), lambda shared_v:
    sqlrp_over_rounds(shared_v['s'], zero, shared_v['x'], level, narrow, rows, carried, rest))[1];

-- -- the layers of a Hadamard transform: sqlrp/_lowering/butterflies.py ---------------------------------------------------------------
-- The highest bit comes first. `e` has for each position of the transform its entry, which counts from 1, with its sign; or 0 for padding.

-- The keys of a layer, with their signs, over the positions: sums and differences of entries that differ in a bit. Only those are made that the
-- sample needs, as the lower bits of a position are free. `sample`: its positions within a part, all of whose bits are in `mask`.
CREATE OR REPLACE MACRO sqlrp_layer_keys(e, layer_bit, sample, mask) AS
  list_transform([list_distinct(list_transform(sample, lambda layer_s: layer_s >> layer_bit))], lambda layer_w: list_transform(list_zip(
      list_select(e, list_transform(range(len(e)), lambda layer_i: layer_i - (layer_i & (1 << layer_bit)) + 1)),
      list_select(e, list_transform(range(len(e)), lambda layer_i: (layer_i | (1 << layer_bit)) + 1)), range(len(e))), lambda layer_z:
    CASE WHEN (layer_z[1] = 0 AND layer_z[2] = 0) OR NOT list_contains(layer_w, (layer_z[3] & mask) >> layer_bit) THEN 0
      ELSE sqlrp_layer_key(layer_z[1], layer_z[2] * (1 - 2 * ((layer_z[3] >> layer_bit) & 1))) END))[1];
CREATE OR REPLACE MACRO sqlrp_layer_key(a, b) AS
  sign(CASE WHEN a <> 0 THEN a ELSE b END) * ((abs(a) * 1048576 + abs(b)) * 2 + CASE WHEN a * b < 0 THEN 1 ELSE 0 END);

-- Their numbers: those that are 0 have none.
CREATE OR REPLACE MACRO sqlrp_layer_numbers(keys) AS
  list_transform(list_zip(keys, list_grade_up(list_grade_up(list_transform(keys, lambda numbers_k, numbers_i: CASE WHEN numbers_k = 0 THEN len(keys)
    ELSE 0 END + numbers_i), 'ASC'), 'ASC')),
    lambda numbers_z: sign(numbers_z[1]) * numbers_z[2]);

CREATE OR REPLACE MACRO sqlrp_layers(drawn) AS
  list_reduce(list_transform(range(CAST(log2(drawn['part']) AS BIGINT) - 1, -1, -1), lambda layers_b: {'e': CAST([] AS BIGINT[]),
    'rounds': CAST([] AS BIGINT[][]),
      'bit': CAST(layers_b AS BIGINT)}), lambda layers_a, layers_x: list_transform([sqlrp_layer_keys(layers_a['e'], layers_x['bit'],
        list_transform(drawn['sample'], lambda layers_s: layers_s & (drawn['part'] - 1)), drawn['part'] - 1)], lambda layers_k: {
      'e': CAST(sqlrp_layer_numbers(layers_k) AS BIGINT[]), 'rounds': layers_a['rounds'] || [CAST(list_transform(list_filter(layers_k,
        lambda layers_e: layers_e <> 0),
        lambda layers_e: abs(layers_e)) AS BIGINT[])], 'bit': layers_x['bit']})[1],
    {'e': CAST(list_transform(range(drawn['padded']), lambda layers_i: CASE WHEN layers_i < len(drawn['flips'])
      THEN (layers_i + 1) * drawn['flips'][layers_i + 1] ELSE 0 END) AS BIGINT[]),
     'rounds': CAST([] AS BIGINT[][]), 'bit': CAST(0 AS BIGINT)});

-- The sums of the parts: for each part its entry in each sampled sum, with its sign.
CREATE OR REPLACE MACRO sqlrp_parts(e, sample, part, signs) AS
  list_transform(signs, lambda parts_v, parts_p: list_transform(list_zip(list_select(e, list_transform(sample, lambda parts_j: (parts_p - 1) * part + (parts_j & (part - 1)) + 1)),
    list_select(parts_v, list_transform(sample, lambda parts_j: parts_j // part + 1))), lambda parts_z: parts_z[1] * parts_z[2]));

CREATE OR REPLACE MACRO sqlrp_butterfly_inline(lists, n, value, text, held, after, named, level, narrow, x, rows, carried, rest) AS
  list_transform(list_transform(list_transform(list_transform([lists], lambda butterfly_d: {'l': sqlrp_layers(butterfly_d), 'd': butterfly_d}), lambda butterfly_l: {
      'rounds': butterfly_l['l']['rounds'], 'parts': sqlrp_rounds(sqlrp_parts(butterfly_l['l']['e'], butterfly_l['d']['sample'], butterfly_l['d']['part'], butterfly_l['d']['signs']))}),
    lambda butterfly_l: {
      's': {'rounds': butterfly_l['rounds'] || butterfly_l['parts']['rounds'], 'choice': butterfly_l['parts']['choice']},
      'v': sqlrp_named(x, named, level, rows, carried, NULL, sqlrp_cast_to(held, after))}), lambda butterfly_v:
    sqlrp_over_rounds(butterfly_v['s'], sqlrp_written(0, after), butterfly_v['v']['x'], butterfly_v['v']['level'], narrow AND held = after, butterfly_v['v']['rows'],
      carried, rest))[1];

-- -- the last step: the whole text ------------------------------------------------------------------------------------------------

CREATE OR REPLACE MACRO sqlrp_told(told, statement) AS
  list_transform([statement], lambda told_s: CASE WHEN told THEN concat('SELECT ', sqlrp_string(told_s), ' AS text') ELSE told_s END)[1];

CREATE OR REPLACE MACRO sqlrp_kept_names(carried) AS regexp_replace(carried, 'ok, $', '');

-- A macro for each output, as DuckDB binds what a step does not need, too. `opening` and `closing` stand around each expression, and around one that is
-- narrower than the result also `cast_opening` and `cast_closing`. `written` is the type that the caller asks for.
CREATE OR REPLACE MACRO sqlrp_outputs(x, narrow, opening, closing, cast_opening, cast_closing) AS
  list_transform(string_split(x, ';'), lambda outputs_e: concat(opening, CASE WHEN narrow THEN cast_opening END, outputs_e, CASE WHEN narrow THEN cast_closing END, closing));

CREATE OR REPLACE MACRO sqlrp_columns_inline(told, guarded, opening, closing, cast_opening, cast_closing, written, own, named, level, narrow, x, rows, carried, rest) AS
  sqlrp_told(told, concat('SELECT ', own, sqlrp_join(list_transform(sqlrp_outputs(x, narrow, opening, closing, cast_opening, cast_closing), lambda columns_e, columns_i:
    concat(columns_e, ' AS z', columns_i - 1)), ', '), chr(10), 'FROM ', rows));

CREATE OR REPLACE MACRO sqlrp_bits_inline(told, guarded, opening, closing, cast_opening, cast_closing, written, own, named, level, narrow, x, rows, carried, rest) AS
  sqlrp_told(told, list_transform([sqlrp_outputs(x, narrow, opening, closing, cast_opening, cast_closing)], lambda bits_x: concat('SELECT ', own,
    sqlrp_join(list_transform(range(0, len(bits_x), 64), lambda bits_w: concat(CASE WHEN guarded THEN 'CASE WHEN ok=0 THEN ' END, 'CAST(',
      sqlrp_tree(list_transform(bits_x[bits_w + 1 : bits_w + 64], lambda bits_e, bits_i: concat('CASE WHEN ', bits_e, '<=0 THEN 0 ELSE ', sqlrp_place(bits_i), ' END')), '+'),
      ' AS BIGINT)', CASE WHEN guarded THEN ' END' END, ' AS b', bits_w // 64)), ', '), chr(10), 'FROM ', rows))[1]);

CREATE OR REPLACE MACRO sqlrp_long_inline(told, guarded, opening, closing, cast_opening, cast_closing, written, own, named, level, narrow, x, rows, carried, rest) AS
  sqlrp_told(told, concat('SELECT ', own, 'unnest(range(len(z))) AS component, unnest(z) AS value FROM (SELECT ', sqlrp_kept_names(carried), '[',
    sqlrp_join(sqlrp_outputs(x, narrow, opening, closing, cast_opening, cast_closing), ', '), '] AS z', chr(10), 'FROM ', rows, ') s'));

CREATE OR REPLACE MACRO sqlrp_array_inline(told, guarded, opening, closing, cast_opening, cast_closing, written, own, named, level, narrow, x, rows, carried, rest) AS
  sqlrp_told(told, list_transform([sqlrp_outputs(x, narrow, opening, closing, cast_opening, cast_closing)], lambda array_x: concat('SELECT ', own, 'CAST(',
    CASE WHEN guarded THEN 'CASE WHEN ok IS NOT NULL THEN ' END, '[', sqlrp_join(array_x, ', '), ']', CASE WHEN guarded THEN ' END' END, ' AS ', written, '[',
    CASE WHEN len(array_x) <= 100000 THEN len(array_x) END, ']) AS z', chr(10), 'FROM ', rows))[1]);

-- The call of the last step. `factor`: a literal, or NULL. `last` is the type of the expressions, `result` the one that they have times the factor.
CREATE OR REPLACE MACRO sqlrp_shape_call(told, output, factor, guarded, last, result, written, own) AS
  list_transform([CASE WHEN output = 'vector' THEN 'array' ELSE output END], lambda shape_o: list_transform([{'columns': shape_o IN ('columns', 'long'), 'cast': shape_o IN ('columns', 'long') AND result <> written,
    'double': sqlrp_through_double(result, written)}],
    lambda shape_v: concat('sqlrp_', shape_o, '_inline(', told, ', ', guarded, ', ', sqlrp_strings([concat(CASE WHEN shape_v['cast'] THEN 'CAST(' END, CASE WHEN shape_v['double'] THEN 'CAST(' END,
      CASE WHEN factor IS NULL THEN '' WHEN guarded AND shape_v['columns'] THEN 'ok*' ELSE factor || '*' END),
      concat(CASE WHEN guarded AND factor IS NULL AND shape_v['columns'] THEN '+ok' END, CASE WHEN shape_v['double'] THEN ' AS DOUBLE)' END, CASE WHEN shape_v['cast'] THEN concat(' AS ', written, ')') END),
      CASE WHEN factor IS NULL THEN 'CAST(' ELSE '' END, CASE WHEN factor IS NULL THEN concat(' AS ', last, ')') ELSE '' END, written, own]), ', '))[1])[1];

-- -- the call of the steps ----------------------------------------------------------------------------------------------------------

-- A stage as the call of its step, whose arguments are lists, n, value, text, held, after, and what draws its lists. {lists} stands for what that gives,
-- and {unit} for what the last step knows. `call` is NULL for a stage without a text of expressions.
CREATE OR REPLACE MACRO sqlrp_inline_call(stage, n, held, after, constant) AS
  list_transform(list_transform([{'kind': stage['kind'], 'form': stage['form'], 'drawn': stage['drawn']}], lambda call_s: {'kind': call_s['form'], 'drawn': call_s['drawn'], 'step':
      CASE WHEN call_s['form'] = 'closing' THEN call_s['kind'] WHEN call_s['form'] IN ('append', 'group') THEN call_s['form']
        WHEN call_s['drawn'] IS NULL OR (call_s['form'] = 'convolution' AND after = 'DOUBLE') THEN NULL WHEN call_s['form'] = 'convolution' THEN 'products'
        WHEN call_s['form'] IN ('signs', 'butterfly', 'products', 'reflect') THEN call_s['form'] END}), lambda call_v:
    {'kind': call_v['kind'], 'value': stage['value'], 'lists': replace(call_v['drawn'], '{at}', concat(n, ', ', constant)), 'call': 'sqlrp_' || call_v['step'] ||
      concat('_inline({lists}, ''', n, ''', ', stage['value'], ', ', CASE call_v['step'] WHEN 'map' THEN sqlrp_string(stage['text']) WHEN 'group' THEN '{unit}' ELSE 'NULL' END,
        ', ''', held, ''', ''', after, ''', ')})[1];

-- The arguments lists, narrows, constants and calls of the next step. The first signs are drawn where the features are read; a transform reads all.
CREATE OR REPLACE MACRO sqlrp_inline_calls(calls, first) AS
  list_transform(list_transform([list_position(list_transform(calls, lambda calls_c: calls_c['kind'] = 'append'), false)],
    lambda calls_i: {'i': calls_i,
      'signs': calls[calls_i]['kind'] = 'signs', 'whole': calls[calls_i]['kind'] IN ('signs', 'butterfly')}), lambda calls_v: concat(
    sqlrp_string(CASE WHEN calls_v['signs'] THEN calls[calls_v['i']]['lists'] WHEN calls_v['whole'] THEN '[range(1, {n} + 1)]' ELSE 'NULL' END), ', ',
      calls_v['whole'] AND first NOT IN ('FLOAT', 'DOUBLE') AND NOT starts_with(first, 'DECIMAL'),
    ', ', sqlrp_string(CAST(list_transform(calls[:calls_v['i'] - 1], lambda calls_c: calls_c['value']) AS VARCHAR)), ', ',
      sqlrp_list(list_transform(calls, lambda calls_c, calls_i:
      CASE WHEN calls_v['signs'] AND calls_i = calls_v['i'] THEN calls_c['call'] ELSE replace(calls_c['call'], '{lists}', CASE
        WHEN calls_c['kind'] = 'signs'
        THEN concat('sqlrp_packed(', calls_c['lists'], ')') ELSE coalesce(calls_c['lists'], 'NULL') END) END))))[1];

-- The condition that no feature of a wide source is NULL.
CREATE OR REPLACE MACRO sqlrp_complete_columns(quoted, nulled) AS
  sqlrp_tree(list_transform(list_filter(regexp_extract_all(quoted, '"(?:[^"]|"")*"'), lambda complete_q, complete_i: nulled[complete_i] = '1'),
    lambda complete_q: complete_q || ' IS NOT NULL'), ' AND ');

-- An array column; a list of another length is an error.
CREATE OR REPLACE MACRO sqlrp_checked(quoted_name, name, type, n) AS
  CASE WHEN type LIKE '%[]' THEN concat('CASE WHEN len(', quoted_name, ') <> ', n, ' THEN error(', sqlrp_string(concat('sqlrp: a list in ''', name,
    ''' has not the ', n,
    ' elements of the others: pad it, or set it to NULL')), ') ELSE ', quoted_name, ' END') ELSE quoted_name END;

-- The columns that pass through, as they are called inside of the statement, and by those names.
CREATE OR REPLACE MACRO sqlrp_kept_as(kept) AS list_aggregate(list_transform(kept, lambda kept_n, kept_i: concat(sqlrp_quote(kept_n), ' AS c', kept_i - 1, ', ')), 'string_agg', '');
CREATE OR REPLACE MACRO sqlrp_kept_by(kept) AS list_aggregate(list_transform(range(len(kept)), lambda kept_i: concat('c', kept_i, ', ')), 'string_agg', '');

CREATE OR REPLACE MACRO sqlrp_inline_plan(k, factor, first, last, lists, narrows, constants, calls, guarded, complete, read_as, relation, quoted, types, n, told, output, single, scale,
    nulls, kept) AS
  list_transform(list_transform(list_transform([CAST(CASE WHEN scale THEN factor ELSE 1 END AS DOUBLE)], lambda plan_f: {'f': plan_f, 'guarded': guarded, 'result':
      CASE WHEN plan_f <> 1 AND last <> 'FLOAT' THEN 'DOUBLE' ELSE last END}), lambda plan_g: {'guarded': plan_g['guarded'], 'result': plan_g['result'],
      'factor': CASE WHEN plan_g['f'] <> 1 THEN sqlrp_written(plan_g['f'], plan_g['result']) END}), lambda plan_v:
    concat('FROM query(', CASE WHEN narrows THEN concat('sqlrp_narrow_inline(', replace(lists, '{n}', CAST(n AS VARCHAR)), ', CAST(', sqlrp_string(constants), ' AS DOUBLE[]), ')
        WHEN first IN ('FLOAT', 'DOUBLE') AND starts_with(calls[1], 'sqlrp_signs_inline({lists}') THEN concat('sqlrp_read_sums_inline(', lists, ', ')
        ELSE concat('sqlrp_read_inline(', replace(lists, '[range(1, {n} + 1)]', 'NULL'), ', false, ') END, n, ', ', sqlrp_strings([quoted, first,
      CASE WHEN nulls = 'zero' THEN sqlrp_written(0, first) END,
      concat(read_as, CASE WHEN plan_v['guarded'] THEN concat('CASE WHEN ', complete, ' THEN ', coalesce(plan_v['factor'], '0'), CASE WHEN nulls = 'error' THEN
        ' ELSE error(''sqlrp: a feature is NULL and nulls = ''''error'''': clean the row, or use nulls = ''''zero'''' or ''''propagate'''''')' END, ' END AS ok, ') END),
      relation, concat(sqlrp_kept_by(kept), CASE WHEN plan_v['guarded'] THEN 'ok, ' END)]), ', ', sqlrp_each_list([types, list_transform(calls, lambda plan_c: replace(plan_c, '{unit}', concat('''', CASE WHEN plan_v['guarded'] THEN coalesce(plan_v['factor'], '0') END, '''')))
        || [sqlrp_shape_call(told, sqlrp_output(output, k, kept), plan_v['factor'], plan_v['guarded'], last, plan_v['result'],
          CASE WHEN single THEN 'FLOAT' ELSE plan_v['result'] END, list_aggregate(list_transform(kept, lambda plan_n, plan_i: concat('c', plan_i - 1, ' AS ', sqlrp_quote(plan_n), ', ')),
          'string_agg', ''))]]), '))'))[1];

-- The step that writes the first of them, for the columns of a wide source and for an array.
CREATE OR REPLACE MACRO sqlrp_inline_columns(k, factor, first, last, lists, narrows, constants, calls, told, single, scale, keyed, words, n, kept, names, types, nullable, late, asked, relation, output, nulls, layout, size, base, quoted, nulled, lowering) AS
  sqlrp_inline_plan(k, factor, first, last, lists, narrows, constants, calls, nulls <> 'zero' AND contains(nulled, '1'), sqlrp_complete_columns(quoted, nulled),
    sqlrp_kept_as(kept), base, quoted, types, n, told, output, single, scale, nulls, kept);

CREATE OR REPLACE MACRO sqlrp_inline_array(k, factor, first, last, lists, narrows, constants, calls, told, single, scale, keyed, words, n, kept, names, types, nullable, late, asked, relation, output, nulls, layout, size, base, quoted, nulled, lowering) AS
  sqlrp_inline_plan(k, factor, first, last, lists, narrows, constants, calls, nulls <> 'zero', 'x IS NOT NULL AND list_position(x, NULL) IS NULL', sqlrp_kept_by(kept),
    concat('(SELECT ', sqlrp_kept_as(kept), sqlrp_checked(sqlrp_quote(names[1]), names[1], types[1], n), ' AS x FROM ', base, ') s'), NULL, types, n, told, output, single, scale, nulls,
    kept);

-- -- the steps of a call ----------------------------------------------------------------------------------------------------
-- A call is a chain of queries, each of which writes the next: the arguments, then the columns, then the statement. Nearly all of its
-- time is DuckDB's: it looks up every function of a step and allocates a vector for each of its values, whether or not it is used.
-- Values therefore travel from one step to the next as plain literals, one for each argument of the next macro, which cost little
-- wherever the macro names them. A field of a struct of many values costs ten times as much, and more if structs are nested.
-- DuckDB binds the argument of a macro wherever the macro names it. An argument that is long, and named often, is therefore
-- the one element of a list that goes through list_transform: through one after another, not one within another, as DuckDB 1.4
-- binds a lambda's body twice, so nested lambdas cost 2 to the depth.

-- The arguments of a call, checked: told, relation, key, keep, features, array_column, feature, value, n_features, output, single, scale, nulls, lowering.
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

-- -- the table functions ----------------------------------------------------------------------------------------------------

CREATE OR REPLACE MACRO sqlrp_rp_step(source, k, s, seed, vectors, key, array_column, feature, value, n_features, output, scale, nulls, lowering, dtype, keep, features, told) AS
  sqlrp_step(source, sqlrp_layout(array_column, feature, value), sqlrp_sized(['k'], [TRY_CAST(k AS DOUBLE)]) || 'sqlrp_rp_stages(' || sqlrp_whole('k', k, 1) || ', ' || sqlrp_text(s) || ', ' || sqlrp_string(typeof(s)) || ', ' || sqlrp_seed_number(seed) || ', ' || sqlrp_string(sqlrp_one_of('vectors', vectors, ['sign', 'gaussian'])) || ', {n})', key, keep, features, array_column, feature, value, n_features, output, scale, nulls, lowering, dtype, told);

CREATE OR REPLACE MACRO sqlrp_rp_open(source, k, s, seed, vectors, key, array_column, feature, value, n_features, output, scale, nulls, lowering, dtype, keep, features, told) AS
  sqlrp_open([[typeof(source), CAST(source AS VARCHAR)], [typeof(k), CAST(k AS VARCHAR)], [typeof(s), CAST(s AS VARCHAR)], [typeof(seed), CAST(seed AS VARCHAR)], [typeof(vectors), CAST(vectors AS VARCHAR)], [typeof(key), CAST(key AS VARCHAR)], [typeof(array_column), CAST(array_column AS VARCHAR)], [typeof(feature), CAST(feature AS VARCHAR)], [typeof(value), CAST(value AS VARCHAR)], [typeof(n_features), CAST(n_features AS VARCHAR)], [typeof(output), CAST(output AS VARCHAR)], [typeof(scale), CAST(scale AS VARCHAR)], [typeof(nulls), CAST(nulls AS VARCHAR)], [typeof(lowering), CAST(lowering AS VARCHAR)], [typeof(dtype), CAST(dtype AS VARCHAR)]], 'VARCHAR [A-Za-z_]\w*; (INTEGER|BIGINT) [1-9]\d{0,5}; (VARCHAR sqrt|(INTEGER|BIGINT|DOUBLE|DECIMAL\(\d+,\d+\)) [1-9]\d{0,14}(\.\d+)?); (INTEGER|BIGINT) \d{1,15}; VARCHAR (sign); [^;]*; ("NULL" NULL|VARCHAR [A-Za-z_]\w*); "NULL" NULL; "NULL" NULL; "NULL" NULL; VARCHAR (columns|array|vector|long|auto); BOOLEAN (true|false); VARCHAR (propagate|zero|error); VARCHAR (auto|sql|native|inline|indexed|relational); VARCHAR (auto|float32); [^;]*\[\]\[\]; [^;]*\[\]\[\]', true, concat('sqlrp_rp_sign_stages(', k, ', ', '''', s, ''', ''', typeof(s), ''', ', seed, ', ', '''', vectors, ''', ', '{n})'), 'sqlrp_rp_step', source, key, array_column, keep, features, output, scale, nulls, lowering, dtype, told);

CREATE OR REPLACE MACRO sqlrp_pk_step(source, k, s, seed, degree, p, t, c, minimise_repetition, vectors, key, array_column, feature, value, n_features, output, scale, nulls, lowering, dtype, keep, features, told) AS
  sqlrp_step(source, sqlrp_layout(array_column, feature, value), sqlrp_sized(['k', 'degree', 't'], [TRY_CAST(k AS DOUBLE), TRY_CAST(degree AS DOUBLE), TRY_CAST(t AS DOUBLE)]) || 'sqlrp_pk_stages(' || sqlrp_whole('k', k, 1) || ', ' || sqlrp_text(s) || ', ' || sqlrp_string(typeof(s)) || ', ' || sqlrp_seed_number(seed) || ', ' || sqlrp_whole('degree', degree, 1) || ', ' || CASE WHEN p IS NULL THEN 'NULL' ELSE CAST(sqlrp_whole('p', p, 1) AS VARCHAR) END || ', ' || sqlrp_whole('t', t, 1) || ', ' || sqlrp_double(c) || ', ' || sqlrp_flag('minimise_repetition', minimise_repetition) || ', ' || sqlrp_string(sqlrp_one_of('vectors', vectors, ['sign', 'gaussian'])) || ', {n})', key, keep, features, array_column, feature, value, n_features, output, scale, nulls, lowering, dtype, told);

CREATE OR REPLACE MACRO sqlrp_pk_open(source, k, s, seed, degree, p, t, c, minimise_repetition, vectors, key, array_column, feature, value, n_features, output, scale, nulls, lowering, dtype, keep, features, told) AS
  sqlrp_open([[typeof(source), CAST(source AS VARCHAR)], [typeof(k), CAST(k AS VARCHAR)], [typeof(s), CAST(s AS VARCHAR)], [typeof(seed), CAST(seed AS VARCHAR)], [typeof(degree), CAST(degree AS VARCHAR)], [typeof(p), CAST(p AS VARCHAR)], [typeof(t), CAST(t AS VARCHAR)], [typeof(c), CAST(c AS VARCHAR)], [typeof(minimise_repetition), CAST(minimise_repetition AS VARCHAR)], [typeof(vectors), CAST(vectors AS VARCHAR)], [typeof(key), CAST(key AS VARCHAR)], [typeof(array_column), CAST(array_column AS VARCHAR)], [typeof(feature), CAST(feature AS VARCHAR)], [typeof(value), CAST(value AS VARCHAR)], [typeof(n_features), CAST(n_features AS VARCHAR)], [typeof(output), CAST(output AS VARCHAR)], [typeof(scale), CAST(scale AS VARCHAR)], [typeof(nulls), CAST(nulls AS VARCHAR)], [typeof(lowering), CAST(lowering AS VARCHAR)], [typeof(dtype), CAST(dtype AS VARCHAR)]], 'VARCHAR [A-Za-z_]\w*; (INTEGER|BIGINT) [1-9]\d{0,5}; (VARCHAR sqrt|(INTEGER|BIGINT|DOUBLE|DECIMAL\(\d+,\d+\)) [1-9]\d{0,14}(\.\d+)?); (INTEGER|BIGINT) \d{1,15}; (INTEGER|BIGINT) [1-9]\d{0,2}; ("NULL" NULL|(INTEGER|BIGINT) [1-9]\d{0,5}); (INTEGER|BIGINT) [1-9]\d{0,5}; (INTEGER|BIGINT|DOUBLE|DECIMAL\(\d+,\d+\)) [-+.e\d]+; BOOLEAN (true|false); VARCHAR (sign); [^;]*; ("NULL" NULL|VARCHAR [A-Za-z_]\w*); "NULL" NULL; "NULL" NULL; "NULL" NULL; VARCHAR (columns|array|vector|long|auto); BOOLEAN (true|false); VARCHAR (propagate|zero|error); VARCHAR (auto|sql|native|inline|indexed|relational); VARCHAR (auto|float32); [^;]*\[\]\[\]; [^;]*\[\]\[\]', TRY_CAST(k AS DOUBLE) * TRY_CAST(degree AS DOUBLE) * TRY_CAST(t AS DOUBLE) <= 16777216, concat('sqlrp_pk_sign_stages(', k, ', ', '''', s, ''', ''', typeof(s), ''', ', seed, ', ', degree, ', ', sqlrp_value(p), ', ', t, ', ', sqlrp_double(c), ', ', minimise_repetition, ', ', '''', vectors, ''', ', '{n})'), 'sqlrp_pk_step', source, key, array_column, keep, features, output, scale, nulls, lowering, dtype, told);

CREATE OR REPLACE MACRO sqlrp_d2pk_step(source, k, s, seed, m, modified, key, array_column, feature, value, n_features, output, scale, nulls, lowering, dtype, keep, features, told) AS
  sqlrp_step(source, sqlrp_layout(array_column, feature, value), sqlrp_sized(['k', 'm'], [TRY_CAST(k AS DOUBLE), TRY_CAST(m AS DOUBLE)]) || 'sqlrp_d2pk_stages(' || sqlrp_whole('k', k, 1) || ', ' || sqlrp_text(s) || ', ' || sqlrp_string(typeof(s)) || ', ' || sqlrp_seed_number(seed) || ', ' || sqlrp_whole('m', m, 1) || ', ' || sqlrp_flag('modified', modified) || ', {n})', key, keep, features, array_column, feature, value, n_features, output, scale, nulls, lowering, dtype, told);

CREATE OR REPLACE MACRO sqlrp_d2pk_open(source, k, s, seed, m, modified, key, array_column, feature, value, n_features, output, scale, nulls, lowering, dtype, keep, features, told) AS
  sqlrp_open([[typeof(source), CAST(source AS VARCHAR)], [typeof(k), CAST(k AS VARCHAR)], [typeof(s), CAST(s AS VARCHAR)], [typeof(seed), CAST(seed AS VARCHAR)], [typeof(m), CAST(m AS VARCHAR)], [typeof(modified), CAST(modified AS VARCHAR)], [typeof(key), CAST(key AS VARCHAR)], [typeof(array_column), CAST(array_column AS VARCHAR)], [typeof(feature), CAST(feature AS VARCHAR)], [typeof(value), CAST(value AS VARCHAR)], [typeof(n_features), CAST(n_features AS VARCHAR)], [typeof(output), CAST(output AS VARCHAR)], [typeof(scale), CAST(scale AS VARCHAR)], [typeof(nulls), CAST(nulls AS VARCHAR)], [typeof(lowering), CAST(lowering AS VARCHAR)], [typeof(dtype), CAST(dtype AS VARCHAR)]], 'VARCHAR [A-Za-z_]\w*; (INTEGER|BIGINT) [1-9]\d{0,5}; (VARCHAR sqrt|(INTEGER|BIGINT|DOUBLE|DECIMAL\(\d+,\d+\)) [1-9]\d{0,14}(\.\d+)?); (INTEGER|BIGINT) \d{1,15}; (INTEGER|BIGINT) [1-9]\d{0,5}; BOOLEAN (true|false); [^;]*; ("NULL" NULL|VARCHAR [A-Za-z_]\w*); "NULL" NULL; "NULL" NULL; "NULL" NULL; VARCHAR (columns|array|vector|long|auto); BOOLEAN (true|false); VARCHAR (propagate|zero|error); VARCHAR (auto|sql|native|inline|indexed|relational); VARCHAR (auto|float32); [^;]*\[\]\[\]; [^;]*\[\]\[\]', TRY_CAST(k AS DOUBLE) * TRY_CAST(m AS DOUBLE) <= 16777216, concat('sqlrp_d2pk_stages(', k, ', ', '''', s, ''', ''', typeof(s), ''', ', seed, ', ', m, ', ', modified, ', ', '{n})'), 'sqlrp_d2pk_step', source, key, array_column, keep, features, output, scale, nulls, lowering, dtype, told);

CREATE OR REPLACE MACRO sqlrp_cbp_step(source, k, s, seed, p, t, normalise, split, group_by, key, array_column, feature, value, n_features, output, scale, nulls, lowering, dtype, keep, features, told) AS
  sqlrp_step(source, sqlrp_layout(array_column, feature, value), sqlrp_sized(['k', 't'], [TRY_CAST(k AS DOUBLE), TRY_CAST(t AS DOUBLE)]) || 'sqlrp_cbp_stages(' || sqlrp_whole('k', k, 1) || ', ' || sqlrp_text(s) || ', ' || sqlrp_string(typeof(s)) || ', ' || sqlrp_seed_number(seed) || ', ' || CASE WHEN p IS NULL THEN 'NULL' ELSE CAST(sqlrp_whole('p', p, 1) AS VARCHAR) END || ', ' || sqlrp_whole('t', t, 1) || ', ' || sqlrp_flag('normalise', normalise) || ', ' || CASE WHEN split IS NULL THEN 'NULL' ELSE CAST(sqlrp_whole('split', split, 1) AS VARCHAR) END || ', {n})', coalesce(group_by, key), keep, features, array_column, feature, value, n_features, output, scale, nulls, lowering, dtype, told);

CREATE OR REPLACE MACRO sqlrp_cbp_open(source, k, s, seed, p, t, normalise, split, group_by, key, array_column, feature, value, n_features, output, scale, nulls, lowering, dtype, keep, features, told) AS
  sqlrp_open([[typeof(source), CAST(source AS VARCHAR)], [typeof(k), CAST(k AS VARCHAR)], [typeof(s), CAST(s AS VARCHAR)], [typeof(seed), CAST(seed AS VARCHAR)], [typeof(p), CAST(p AS VARCHAR)], [typeof(t), CAST(t AS VARCHAR)], [typeof(normalise), CAST(normalise AS VARCHAR)], [typeof(split), CAST(split AS VARCHAR)], [typeof(group_by), CAST(group_by AS VARCHAR)], [typeof(key), CAST(key AS VARCHAR)], [typeof(array_column), CAST(array_column AS VARCHAR)], [typeof(feature), CAST(feature AS VARCHAR)], [typeof(value), CAST(value AS VARCHAR)], [typeof(n_features), CAST(n_features AS VARCHAR)], [typeof(output), CAST(output AS VARCHAR)], [typeof(scale), CAST(scale AS VARCHAR)], [typeof(nulls), CAST(nulls AS VARCHAR)], [typeof(lowering), CAST(lowering AS VARCHAR)], [typeof(dtype), CAST(dtype AS VARCHAR)]], 'VARCHAR [A-Za-z_]\w*; (INTEGER|BIGINT) [1-9]\d{0,5}; (VARCHAR sqrt|(INTEGER|BIGINT|DOUBLE|DECIMAL\(\d+,\d+\)) [1-9]\d{0,14}(\.\d+)?); (INTEGER|BIGINT) \d{1,15}; ("NULL" NULL|(INTEGER|BIGINT) [1-9]\d{0,5}); (INTEGER|BIGINT) [1-9]\d{0,5}; BOOLEAN (true|false); ("NULL" NULL|(INTEGER|BIGINT) [1-9]\d{0,5}); [^;]*; [^;]*; ("NULL" NULL|VARCHAR [A-Za-z_]\w*); "NULL" NULL; "NULL" NULL; "NULL" NULL; VARCHAR (columns|array|vector|long|auto); BOOLEAN (true|false); VARCHAR (propagate|zero|error); VARCHAR (auto|sql|native|inline|indexed|relational); VARCHAR (auto|float32); [^;]*\[\]\[\]; [^;]*\[\]\[\]', TRY_CAST(k AS DOUBLE) * TRY_CAST(t AS DOUBLE) <= 16777216, concat('sqlrp_cbp_stages(', k, ', ', '''', s, ''', ''', typeof(s), ''', ', seed, ', ', sqlrp_value(p), ', ', t, ', ', normalise, ', ', sqlrp_value(split), ', ', '{n})'), 'sqlrp_cbp_step', source, coalesce(group_by, key), array_column, keep, features, output, scale, nulls, lowering, dtype, told);

CREATE OR REPLACE MACRO sqlrp_rmp_step(source, k, normalise, split, group_by, seed, key, array_column, feature, value, n_features, output, scale, nulls, lowering, dtype, keep, features, told) AS
  sqlrp_step(source, sqlrp_layout(array_column, feature, value), sqlrp_sized(['k'], [TRY_CAST(k AS DOUBLE)]) || 'sqlrp_rmp_stages(' || sqlrp_whole('k', k, 1) || ', ' || sqlrp_flag('normalise', normalise) || ', ' || CASE WHEN split IS NULL THEN 'NULL' ELSE CAST(sqlrp_whole('split', split, 1) AS VARCHAR) END || ', ' || sqlrp_seed_number(seed) || ', {n})', coalesce(group_by, key), keep, features, array_column, feature, value, n_features, output, scale, nulls, lowering, dtype, told);

CREATE OR REPLACE MACRO sqlrp_rmp_open(source, k, normalise, split, group_by, seed, key, array_column, feature, value, n_features, output, scale, nulls, lowering, dtype, keep, features, told) AS
  sqlrp_open([[typeof(source), CAST(source AS VARCHAR)], [typeof(k), CAST(k AS VARCHAR)], [typeof(normalise), CAST(normalise AS VARCHAR)], [typeof(split), CAST(split AS VARCHAR)], [typeof(group_by), CAST(group_by AS VARCHAR)], [typeof(seed), CAST(seed AS VARCHAR)], [typeof(key), CAST(key AS VARCHAR)], [typeof(array_column), CAST(array_column AS VARCHAR)], [typeof(feature), CAST(feature AS VARCHAR)], [typeof(value), CAST(value AS VARCHAR)], [typeof(n_features), CAST(n_features AS VARCHAR)], [typeof(output), CAST(output AS VARCHAR)], [typeof(scale), CAST(scale AS VARCHAR)], [typeof(nulls), CAST(nulls AS VARCHAR)], [typeof(lowering), CAST(lowering AS VARCHAR)], [typeof(dtype), CAST(dtype AS VARCHAR)]], 'VARCHAR [A-Za-z_]\w*; (INTEGER|BIGINT) [1-9]\d{0,5}; BOOLEAN (true|false); ("NULL" NULL|(INTEGER|BIGINT) [1-9]\d{0,5}); [^;]*; (INTEGER|BIGINT) \d{1,15}; [^;]*; ("NULL" NULL|VARCHAR [A-Za-z_]\w*); "NULL" NULL; "NULL" NULL; "NULL" NULL; VARCHAR (columns|array|vector|long|auto); BOOLEAN (true|false); VARCHAR (propagate|zero|error); VARCHAR (auto|sql|native|inline|indexed|relational); VARCHAR (auto|float32); [^;]*\[\]\[\]; [^;]*\[\]\[\]', true, concat('sqlrp_rmp_stages(', k, ', ', normalise, ', ', sqlrp_value(split), ', ', seed, ', ', '{n})'), 'sqlrp_rmp_step', source, coalesce(group_by, key), array_column, keep, features, output, scale, nulls, lowering, dtype, told);

CREATE OR REPLACE MACRO sqlrp_tsp_step(source, k, normalise, split, group_by, seed, key, array_column, feature, value, n_features, output, scale, nulls, lowering, dtype, keep, features, told) AS
  sqlrp_step(source, sqlrp_layout(array_column, feature, value), sqlrp_sized(['k'], [TRY_CAST(k AS DOUBLE)]) || 'sqlrp_tsp_stages(' || sqlrp_whole('k', k, 1) || ', ' || sqlrp_flag('normalise', normalise) || ', ' || CASE WHEN split IS NULL THEN 'NULL' ELSE CAST(sqlrp_whole('split', split, 1) AS VARCHAR) END || ', ' || sqlrp_seed_number(seed) || ', {n})', coalesce(group_by, key), keep, features, array_column, feature, value, n_features, output, scale, nulls, lowering, dtype, told);

CREATE OR REPLACE MACRO sqlrp_tsp_open(source, k, normalise, split, group_by, seed, key, array_column, feature, value, n_features, output, scale, nulls, lowering, dtype, keep, features, told) AS
  sqlrp_open([[typeof(source), CAST(source AS VARCHAR)], [typeof(k), CAST(k AS VARCHAR)], [typeof(normalise), CAST(normalise AS VARCHAR)], [typeof(split), CAST(split AS VARCHAR)], [typeof(group_by), CAST(group_by AS VARCHAR)], [typeof(seed), CAST(seed AS VARCHAR)], [typeof(key), CAST(key AS VARCHAR)], [typeof(array_column), CAST(array_column AS VARCHAR)], [typeof(feature), CAST(feature AS VARCHAR)], [typeof(value), CAST(value AS VARCHAR)], [typeof(n_features), CAST(n_features AS VARCHAR)], [typeof(output), CAST(output AS VARCHAR)], [typeof(scale), CAST(scale AS VARCHAR)], [typeof(nulls), CAST(nulls AS VARCHAR)], [typeof(lowering), CAST(lowering AS VARCHAR)], [typeof(dtype), CAST(dtype AS VARCHAR)]], 'VARCHAR [A-Za-z_]\w*; (INTEGER|BIGINT) [1-9]\d{0,5}; BOOLEAN (true|false); ("NULL" NULL|(INTEGER|BIGINT) [1-9]\d{0,5}); [^;]*; (INTEGER|BIGINT) \d{1,15}; [^;]*; ("NULL" NULL|VARCHAR [A-Za-z_]\w*); "NULL" NULL; "NULL" NULL; "NULL" NULL; VARCHAR (columns|array|vector|long|auto); BOOLEAN (true|false); VARCHAR (propagate|zero|error); VARCHAR (auto|sql|native|inline|indexed|relational); VARCHAR (auto|float32); [^;]*\[\]\[\]; [^;]*\[\]\[\]', true, concat('sqlrp_tsp_stages(', k, ', ', normalise, ', ', sqlrp_value(split), ', ', seed, ', ', '{n})'), 'sqlrp_tsp_step', source, coalesce(group_by, key), array_column, keep, features, output, scale, nulls, lowering, dtype, told);

CREATE OR REPLACE MACRO sqlrp_fbp_step(source, k, normalise, split, group_by, key, array_column, feature, value, n_features, output, scale, nulls, lowering, dtype, keep, features, told) AS
  sqlrp_step(source, sqlrp_layout(array_column, feature, value), sqlrp_sized(['k'], [TRY_CAST(k AS DOUBLE)]) || 'sqlrp_fbp_stages(' || sqlrp_whole('k', k, 1) || ', ' || sqlrp_flag('normalise', normalise) || ', ' || CASE WHEN split IS NULL THEN 'NULL' ELSE CAST(sqlrp_whole('split', split, 1) AS VARCHAR) END || ', {n})', coalesce(group_by, key), keep, features, array_column, feature, value, n_features, output, scale, nulls, lowering, dtype, told);

CREATE OR REPLACE MACRO sqlrp_fbp_open(source, k, normalise, split, group_by, key, array_column, feature, value, n_features, output, scale, nulls, lowering, dtype, keep, features, told) AS
  sqlrp_open([[typeof(source), CAST(source AS VARCHAR)], [typeof(k), CAST(k AS VARCHAR)], [typeof(normalise), CAST(normalise AS VARCHAR)], [typeof(split), CAST(split AS VARCHAR)], [typeof(group_by), CAST(group_by AS VARCHAR)], [typeof(key), CAST(key AS VARCHAR)], [typeof(array_column), CAST(array_column AS VARCHAR)], [typeof(feature), CAST(feature AS VARCHAR)], [typeof(value), CAST(value AS VARCHAR)], [typeof(n_features), CAST(n_features AS VARCHAR)], [typeof(output), CAST(output AS VARCHAR)], [typeof(scale), CAST(scale AS VARCHAR)], [typeof(nulls), CAST(nulls AS VARCHAR)], [typeof(lowering), CAST(lowering AS VARCHAR)], [typeof(dtype), CAST(dtype AS VARCHAR)]], 'VARCHAR [A-Za-z_]\w*; (INTEGER|BIGINT) [1-9]\d{0,5}; BOOLEAN (true|false); ("NULL" NULL|(INTEGER|BIGINT) [1-9]\d{0,5}); [^;]*; [^;]*; ("NULL" NULL|VARCHAR [A-Za-z_]\w*); "NULL" NULL; "NULL" NULL; "NULL" NULL; VARCHAR (columns|array|vector|long|auto); BOOLEAN (true|false); VARCHAR (propagate|zero|error); VARCHAR (auto|sql|native|inline|indexed|relational); VARCHAR (auto|float32); [^;]*\[\]\[\]; [^;]*\[\]\[\]', true, concat('sqlrp_fbp_stages(', k, ', ', normalise, ', ', sqlrp_value(split), ', ', '{n})'), 'sqlrp_fbp_step', source, coalesce(group_by, key), array_column, keep, features, output, scale, nulls, lowering, dtype, told);

CREATE OR REPLACE MACRO sqlrp_rs_step(source, k, densify, seed, stratified, key, array_column, feature, value, n_features, output, scale, nulls, lowering, dtype, keep, features, told) AS
  sqlrp_step(source, sqlrp_layout(array_column, feature, value), sqlrp_sized(['k'], [TRY_CAST(k AS DOUBLE)]) || 'sqlrp_rs_stages(' || sqlrp_whole('k', k, 1) || ', ' || sqlrp_text(densify) || ', ' || sqlrp_seed_number(seed) || ', ' || sqlrp_flag('stratified', stratified) || ', {n})', key, keep, features, array_column, feature, value, n_features, output, scale, nulls, lowering, dtype, told);

CREATE OR REPLACE MACRO sqlrp_rs_open(source, k, densify, seed, stratified, key, array_column, feature, value, n_features, output, scale, nulls, lowering, dtype, keep, features, told) AS
  sqlrp_open([[typeof(source), CAST(source AS VARCHAR)], [typeof(k), CAST(k AS VARCHAR)], [typeof(densify), CAST(densify AS VARCHAR)], [typeof(seed), CAST(seed AS VARCHAR)], [typeof(stratified), CAST(stratified AS VARCHAR)], [typeof(key), CAST(key AS VARCHAR)], [typeof(array_column), CAST(array_column AS VARCHAR)], [typeof(feature), CAST(feature AS VARCHAR)], [typeof(value), CAST(value AS VARCHAR)], [typeof(n_features), CAST(n_features AS VARCHAR)], [typeof(output), CAST(output AS VARCHAR)], [typeof(scale), CAST(scale AS VARCHAR)], [typeof(nulls), CAST(nulls AS VARCHAR)], [typeof(lowering), CAST(lowering AS VARCHAR)], [typeof(dtype), CAST(dtype AS VARCHAR)]], 'VARCHAR [A-Za-z_]\w*; (INTEGER|BIGINT) [1-9]\d{0,5}; [^;]*; (INTEGER|BIGINT) \d{1,15}; BOOLEAN (true|false); [^;]*; ("NULL" NULL|VARCHAR [A-Za-z_]\w*); "NULL" NULL; "NULL" NULL; "NULL" NULL; VARCHAR (columns|array|vector|long|auto); BOOLEAN (true|false); VARCHAR (propagate|zero|error); VARCHAR (auto|sql|native|inline|indexed|relational); VARCHAR (auto|float32); [^;]*\[\]\[\]; [^;]*\[\]\[\]', true, concat('sqlrp_rs_stages(', k, ', ', sqlrp_text(densify), ', ', seed, ', ', stratified, ', ', '{n})'), 'sqlrp_rs_step', source, key, array_column, keep, features, output, scale, nulls, lowering, dtype, told);

CREATE OR REPLACE MACRO sqlrp_fht_step(source, k, seed, padding, replacement, key, array_column, feature, value, n_features, output, scale, nulls, lowering, dtype, keep, features, told) AS
  sqlrp_step(source, sqlrp_layout(array_column, feature, value), sqlrp_sized(['k'], [TRY_CAST(k AS DOUBLE)]) || 'sqlrp_fht_stages(' || sqlrp_whole('k', k, 1) || ', ' || sqlrp_seed_number(seed) || ', ' || sqlrp_string(sqlrp_one_of('padding', padding, ['power_of_two', 'least'])) || ', ' || sqlrp_flag('replacement', replacement) || ', {n})', key, keep, features, array_column, feature, value, n_features, output, scale, nulls, lowering, dtype, told);

CREATE OR REPLACE MACRO sqlrp_fht_open(source, k, seed, padding, replacement, key, array_column, feature, value, n_features, output, scale, nulls, lowering, dtype, keep, features, told) AS
  sqlrp_open([[typeof(source), CAST(source AS VARCHAR)], [typeof(k), CAST(k AS VARCHAR)], [typeof(seed), CAST(seed AS VARCHAR)], [typeof(padding), CAST(padding AS VARCHAR)], [typeof(replacement), CAST(replacement AS VARCHAR)], [typeof(key), CAST(key AS VARCHAR)], [typeof(array_column), CAST(array_column AS VARCHAR)], [typeof(feature), CAST(feature AS VARCHAR)], [typeof(value), CAST(value AS VARCHAR)], [typeof(n_features), CAST(n_features AS VARCHAR)], [typeof(output), CAST(output AS VARCHAR)], [typeof(scale), CAST(scale AS VARCHAR)], [typeof(nulls), CAST(nulls AS VARCHAR)], [typeof(lowering), CAST(lowering AS VARCHAR)], [typeof(dtype), CAST(dtype AS VARCHAR)]], 'VARCHAR [A-Za-z_]\w*; (INTEGER|BIGINT) [1-9]\d{0,5}; (INTEGER|BIGINT) \d{1,15}; VARCHAR (power_of_two|least); BOOLEAN (true|false); [^;]*; ("NULL" NULL|VARCHAR [A-Za-z_]\w*); "NULL" NULL; "NULL" NULL; "NULL" NULL; VARCHAR (columns|array|vector|long|auto); BOOLEAN (true|false); VARCHAR (propagate|zero|error); VARCHAR (auto|sql|native|inline|indexed|relational); VARCHAR (auto|float32); [^;]*\[\]\[\]; [^;]*\[\]\[\]', true, concat('sqlrp_fht_stages(', k, ', ', seed, ', ', '''', padding, ''', ', replacement, ', ', '{n})'), 'sqlrp_fht_step', source, key, array_column, keep, features, output, scale, nulls, lowering, dtype, told);

CREATE OR REPLACE MACRO sqlrp_cw_step(source, k, nnz_per_feature, seed, buckets, key, array_column, feature, value, n_features, output, scale, nulls, lowering, dtype, keep, features, told) AS
  sqlrp_step(source, sqlrp_layout(array_column, feature, value), sqlrp_sized(['k', 'nnz_per_feature'], [TRY_CAST(k AS DOUBLE), TRY_CAST(nnz_per_feature AS DOUBLE)]) || 'sqlrp_cw_stages(' || sqlrp_whole('k', k, 1) || ', ' || sqlrp_whole('nnz_per_feature', nnz_per_feature, 1) || ', ' || sqlrp_seed_number(seed) || ', ' || sqlrp_whole('buckets', buckets, 1) || ', {n})', key, keep, features, array_column, feature, value, n_features, output, scale, nulls, lowering, dtype, told);

CREATE OR REPLACE MACRO sqlrp_cw_open(source, k, nnz_per_feature, seed, buckets, key, array_column, feature, value, n_features, output, scale, nulls, lowering, dtype, keep, features, told) AS
  sqlrp_open([[typeof(source), CAST(source AS VARCHAR)], [typeof(k), CAST(k AS VARCHAR)], [typeof(nnz_per_feature), CAST(nnz_per_feature AS VARCHAR)], [typeof(seed), CAST(seed AS VARCHAR)], [typeof(buckets), CAST(buckets AS VARCHAR)], [typeof(key), CAST(key AS VARCHAR)], [typeof(array_column), CAST(array_column AS VARCHAR)], [typeof(feature), CAST(feature AS VARCHAR)], [typeof(value), CAST(value AS VARCHAR)], [typeof(n_features), CAST(n_features AS VARCHAR)], [typeof(output), CAST(output AS VARCHAR)], [typeof(scale), CAST(scale AS VARCHAR)], [typeof(nulls), CAST(nulls AS VARCHAR)], [typeof(lowering), CAST(lowering AS VARCHAR)], [typeof(dtype), CAST(dtype AS VARCHAR)]], 'VARCHAR [A-Za-z_]\w*; (INTEGER|BIGINT) [1-9]\d{0,5}; (INTEGER|BIGINT) [1-9]\d{0,5}; (INTEGER|BIGINT) \d{1,15}; (INTEGER|BIGINT) [1-9]\d{0,5}; [^;]*; ("NULL" NULL|VARCHAR [A-Za-z_]\w*); "NULL" NULL; "NULL" NULL; "NULL" NULL; VARCHAR (columns|array|vector|long|auto); BOOLEAN (true|false); VARCHAR (propagate|zero|error); VARCHAR (auto|sql|native|inline|indexed|relational); VARCHAR (auto|float32); [^;]*\[\]\[\]; [^;]*\[\]\[\]', TRY_CAST(k AS DOUBLE) * TRY_CAST(nnz_per_feature AS DOUBLE) <= 16777216, concat('sqlrp_cw_stages(', k, ', ', nnz_per_feature, ', ', seed, ', ', buckets, ', ', '{n})'), 'sqlrp_cw_step', source, key, array_column, keep, features, output, scale, nulls, lowering, dtype, told);

CREATE OR REPLACE MACRO sqlrp_rm_step(source, k, degree, seed, key, array_column, feature, value, n_features, output, scale, nulls, lowering, dtype, keep, features, told) AS
  sqlrp_step(source, sqlrp_layout(array_column, feature, value), sqlrp_sized(['k', 'degree'], [TRY_CAST(k AS DOUBLE), TRY_CAST(degree AS DOUBLE)]) || 'sqlrp_rm_stages(' || sqlrp_whole('k', k, 1) || ', ' || sqlrp_whole('degree', degree, 1) || ', ' || sqlrp_seed_number(seed) || ', {n})', key, keep, features, array_column, feature, value, n_features, output, scale, nulls, lowering, dtype, told);

CREATE OR REPLACE MACRO sqlrp_rm_open(source, k, degree, seed, key, array_column, feature, value, n_features, output, scale, nulls, lowering, dtype, keep, features, told) AS
  sqlrp_open([[typeof(source), CAST(source AS VARCHAR)], [typeof(k), CAST(k AS VARCHAR)], [typeof(degree), CAST(degree AS VARCHAR)], [typeof(seed), CAST(seed AS VARCHAR)], [typeof(key), CAST(key AS VARCHAR)], [typeof(array_column), CAST(array_column AS VARCHAR)], [typeof(feature), CAST(feature AS VARCHAR)], [typeof(value), CAST(value AS VARCHAR)], [typeof(n_features), CAST(n_features AS VARCHAR)], [typeof(output), CAST(output AS VARCHAR)], [typeof(scale), CAST(scale AS VARCHAR)], [typeof(nulls), CAST(nulls AS VARCHAR)], [typeof(lowering), CAST(lowering AS VARCHAR)], [typeof(dtype), CAST(dtype AS VARCHAR)]], 'VARCHAR [A-Za-z_]\w*; (INTEGER|BIGINT) [1-9]\d{0,5}; (INTEGER|BIGINT) [1-9]\d{0,2}; (INTEGER|BIGINT) \d{1,15}; [^;]*; ("NULL" NULL|VARCHAR [A-Za-z_]\w*); "NULL" NULL; "NULL" NULL; "NULL" NULL; VARCHAR (columns|array|vector|long|auto); BOOLEAN (true|false); VARCHAR (propagate|zero|error); VARCHAR (auto|sql|native|inline|indexed|relational); VARCHAR (auto|float32); [^;]*\[\]\[\]; [^;]*\[\]\[\]', TRY_CAST(k AS DOUBLE) * TRY_CAST(degree AS DOUBLE) <= 16777216, concat('sqlrp_rm_stages(', k, ', ', degree, ', ', seed, ', ', '{n})'), 'sqlrp_rm_step', source, key, array_column, keep, features, output, scale, nulls, lowering, dtype, told);

CREATE OR REPLACE MACRO sqlrp_ts_step(source, k, degree, seed, key, array_column, feature, value, n_features, output, scale, nulls, lowering, dtype, keep, features, told) AS
  sqlrp_step(source, sqlrp_layout(array_column, feature, value), sqlrp_sized(['k', 'degree'], [TRY_CAST(k AS DOUBLE), TRY_CAST(degree AS DOUBLE)]) || 'sqlrp_ts_stages(' || sqlrp_whole('k', k, 1) || ', ' || sqlrp_whole('degree', degree, 1) || ', ' || sqlrp_seed_number(seed) || ', {n})', key, keep, features, array_column, feature, value, n_features, output, scale, nulls, lowering, dtype, told);

CREATE OR REPLACE MACRO sqlrp_ts_open(source, k, degree, seed, key, array_column, feature, value, n_features, output, scale, nulls, lowering, dtype, keep, features, told) AS
  sqlrp_open([[typeof(source), CAST(source AS VARCHAR)], [typeof(k), CAST(k AS VARCHAR)], [typeof(degree), CAST(degree AS VARCHAR)], [typeof(seed), CAST(seed AS VARCHAR)], [typeof(key), CAST(key AS VARCHAR)], [typeof(array_column), CAST(array_column AS VARCHAR)], [typeof(feature), CAST(feature AS VARCHAR)], [typeof(value), CAST(value AS VARCHAR)], [typeof(n_features), CAST(n_features AS VARCHAR)], [typeof(output), CAST(output AS VARCHAR)], [typeof(scale), CAST(scale AS VARCHAR)], [typeof(nulls), CAST(nulls AS VARCHAR)], [typeof(lowering), CAST(lowering AS VARCHAR)], [typeof(dtype), CAST(dtype AS VARCHAR)]], 'VARCHAR [A-Za-z_]\w*; (INTEGER|BIGINT) [1-9]\d{0,5}; (INTEGER|BIGINT) [1-9]\d{0,2}; (INTEGER|BIGINT) \d{1,15}; [^;]*; ("NULL" NULL|VARCHAR [A-Za-z_]\w*); "NULL" NULL; "NULL" NULL; "NULL" NULL; VARCHAR (columns|array|vector|long|auto); BOOLEAN (true|false); VARCHAR (propagate|zero|error); VARCHAR (auto|sql|native|inline|indexed|relational); VARCHAR (auto|float32); [^;]*\[\]\[\]; [^;]*\[\]\[\]', TRY_CAST(k AS DOUBLE) * TRY_CAST(degree AS DOUBLE) <= 16777216, concat('sqlrp_ts_stages(', k, ', ', degree, ', ', seed, ', ', '{n})'), 'sqlrp_ts_step', source, key, array_column, keep, features, output, scale, nulls, lowering, dtype, told);

CREATE OR REPLACE MACRO sqlrp_rff_step(source, k, gamma, seed, key, array_column, feature, value, n_features, output, scale, nulls, lowering, dtype, keep, features, told) AS
  sqlrp_step(source, sqlrp_layout(array_column, feature, value), sqlrp_sized(['k'], [TRY_CAST(k AS DOUBLE)]) || 'sqlrp_rff_stages(' || sqlrp_whole('k', k, 1) || ', ' || sqlrp_double(gamma) || ', ' || sqlrp_seed_number(seed) || ', {n})', key, keep, features, array_column, feature, value, n_features, output, scale, nulls, lowering, dtype, told);

CREATE OR REPLACE MACRO sqlrp_rff_open(source, k, gamma, seed, key, array_column, feature, value, n_features, output, scale, nulls, lowering, dtype, keep, features, told) AS
  sqlrp_open([[typeof(source), CAST(source AS VARCHAR)], [typeof(k), CAST(k AS VARCHAR)], [typeof(gamma), CAST(gamma AS VARCHAR)], [typeof(seed), CAST(seed AS VARCHAR)], [typeof(key), CAST(key AS VARCHAR)], [typeof(array_column), CAST(array_column AS VARCHAR)], [typeof(feature), CAST(feature AS VARCHAR)], [typeof(value), CAST(value AS VARCHAR)], [typeof(n_features), CAST(n_features AS VARCHAR)], [typeof(output), CAST(output AS VARCHAR)], [typeof(scale), CAST(scale AS VARCHAR)], [typeof(nulls), CAST(nulls AS VARCHAR)], [typeof(lowering), CAST(lowering AS VARCHAR)], [typeof(dtype), CAST(dtype AS VARCHAR)]], 'VARCHAR [A-Za-z_]\w*; (INTEGER|BIGINT) [1-9]\d{0,5}; (INTEGER|BIGINT|DOUBLE|DECIMAL\(\d+,\d+\)) [-+.e\d]+; (INTEGER|BIGINT) \d{1,15}; [^;]*; ("NULL" NULL|VARCHAR [A-Za-z_]\w*); "NULL" NULL; "NULL" NULL; "NULL" NULL; VARCHAR (columns|array|vector|long|auto); BOOLEAN (true|false); VARCHAR (propagate|zero|error); VARCHAR (auto|sql|native|inline|indexed|relational); VARCHAR (auto|float32); [^;]*\[\]\[\]; [^;]*\[\]\[\]', true, concat('sqlrp_rff_stages(', k, ', ', sqlrp_double(gamma), ', ', seed, ', ', '{n})'), 'sqlrp_rff_step', source, key, array_column, keep, features, output, scale, nulls, lowering, dtype, told);

CREATE OR REPLACE MACRO sqlrp_ep_step(source, k, s, seed, degree, vectors, key, array_column, feature, value, n_features, output, scale, nulls, lowering, dtype, keep, features, told) AS
  sqlrp_step(source, sqlrp_layout(array_column, feature, value), sqlrp_sized(['k', 'degree'], [TRY_CAST(k AS DOUBLE), TRY_CAST(degree AS DOUBLE)]) || 'sqlrp_ep_stages(' || sqlrp_whole('k', k, 1) || ', ' || sqlrp_text(s) || ', ' || sqlrp_string(typeof(s)) || ', ' || sqlrp_seed_number(seed) || ', ' || sqlrp_whole('degree', degree, 1) || ', ' || sqlrp_string(sqlrp_one_of('vectors', vectors, ['sign', 'gaussian'])) || ', {n})', key, keep, features, array_column, feature, value, n_features, output, scale, nulls, lowering, dtype, told);

CREATE OR REPLACE MACRO sqlrp_ep_open(source, k, s, seed, degree, vectors, key, array_column, feature, value, n_features, output, scale, nulls, lowering, dtype, keep, features, told) AS
  sqlrp_open([[typeof(source), CAST(source AS VARCHAR)], [typeof(k), CAST(k AS VARCHAR)], [typeof(s), CAST(s AS VARCHAR)], [typeof(seed), CAST(seed AS VARCHAR)], [typeof(degree), CAST(degree AS VARCHAR)], [typeof(vectors), CAST(vectors AS VARCHAR)], [typeof(key), CAST(key AS VARCHAR)], [typeof(array_column), CAST(array_column AS VARCHAR)], [typeof(feature), CAST(feature AS VARCHAR)], [typeof(value), CAST(value AS VARCHAR)], [typeof(n_features), CAST(n_features AS VARCHAR)], [typeof(output), CAST(output AS VARCHAR)], [typeof(scale), CAST(scale AS VARCHAR)], [typeof(nulls), CAST(nulls AS VARCHAR)], [typeof(lowering), CAST(lowering AS VARCHAR)], [typeof(dtype), CAST(dtype AS VARCHAR)]], 'VARCHAR [A-Za-z_]\w*; (INTEGER|BIGINT) [1-9]\d{0,5}; (VARCHAR sqrt|(INTEGER|BIGINT|DOUBLE|DECIMAL\(\d+,\d+\)) [1-9]\d{0,14}(\.\d+)?); (INTEGER|BIGINT) \d{1,15}; (INTEGER|BIGINT) [1-9]\d{0,2}; VARCHAR (sign); [^;]*; ("NULL" NULL|VARCHAR [A-Za-z_]\w*); "NULL" NULL; "NULL" NULL; "NULL" NULL; VARCHAR (columns|array|vector|long|auto); BOOLEAN (true|false); VARCHAR (propagate|zero|error); VARCHAR (auto|sql|native|inline|indexed|relational); VARCHAR (auto|float32); [^;]*\[\]\[\]; [^;]*\[\]\[\]', TRY_CAST(k AS DOUBLE) * TRY_CAST(degree AS DOUBLE) <= 16777216, concat('sqlrp_ep_sign_stages(', k, ', ', '''', s, ''', ''', typeof(s), ''', ', seed, ', ', degree, ', ', '''', vectors, ''', ', '{n})'), 'sqlrp_ep_step', source, key, array_column, keep, features, output, scale, nulls, lowering, dtype, told);

CREATE OR REPLACE MACRO rp_project(source, k := 64, s := 'sqrt', seed := 0, vectors := 'sign', key := 'id', keep := [], features := [],
    array_column := NULL, feature := NULL, value := NULL, n_features := NULL, output := 'columns',
    scale := true, nulls := 'propagate', lowering := 'auto', dtype := 'auto') AS TABLE
  FROM query(sqlrp_begin('rp_project', 'sqlrp_rp_open', [typeof(source), CAST(source AS VARCHAR), typeof(k), CAST(k AS VARCHAR), typeof(s), CAST(s AS VARCHAR), typeof(seed), CAST(seed AS VARCHAR), typeof(vectors), CAST(vectors AS VARCHAR), typeof(key), CAST(key AS VARCHAR), typeof(array_column), CAST(array_column AS VARCHAR), typeof(feature), CAST(feature AS VARCHAR), typeof(value), CAST(value AS VARCHAR), typeof(n_features), CAST(n_features AS VARCHAR), typeof(output), CAST(output AS VARCHAR), typeof(scale), CAST(scale AS VARCHAR), typeof(nulls), CAST(nulls AS VARCHAR), typeof(lowering), CAST(lowering AS VARCHAR), typeof(dtype), CAST(dtype AS VARCHAR), typeof(keep), CAST(keep AS VARCHAR), typeof(features), CAST(features AS VARCHAR)], source, NULL, keep, features));
COMMENT ON MACRO TABLE rp_project IS 'sqlrp 0.1.0, SparseProjection. k: components of the result; s: one sign in s is not zero: a number from 1, or sqrt for the square root of the number of features; seed: which table is drawn; the same for rows that are to be compared; vectors: what weighs the sums: sign or gaussian';

CREATE OR REPLACE MACRO pk_project(source, k := 64, s := 'sqrt', seed := 0, degree := 2, p := NULL, t := 4, c := 0.0,
    minimise_repetition := true, vectors := 'sign', key := 'id', keep := [], features := [],
    array_column := NULL, feature := NULL, value := NULL, n_features := NULL, output := 'columns',
    scale := true, nulls := 'propagate', lowering := 'auto', dtype := 'auto') AS TABLE
  FROM query(sqlrp_begin('pk_project', 'sqlrp_pk_open', [typeof(source), CAST(source AS VARCHAR), typeof(k), CAST(k AS VARCHAR), typeof(s), CAST(s AS VARCHAR), typeof(seed), CAST(seed AS VARCHAR), typeof(degree), CAST(degree AS VARCHAR), typeof(p), CAST(p AS VARCHAR), typeof(t), CAST(t AS VARCHAR), typeof(c), CAST(c AS VARCHAR), typeof(minimise_repetition), CAST(minimise_repetition AS VARCHAR), typeof(vectors), CAST(vectors AS VARCHAR), typeof(key), CAST(key AS VARCHAR), typeof(array_column), CAST(array_column AS VARCHAR), typeof(feature), CAST(feature AS VARCHAR), typeof(value), CAST(value AS VARCHAR), typeof(n_features), CAST(n_features AS VARCHAR), typeof(output), CAST(output AS VARCHAR), typeof(scale), CAST(scale AS VARCHAR), typeof(nulls), CAST(nulls AS VARCHAR), typeof(lowering), CAST(lowering AS VARCHAR), typeof(dtype), CAST(dtype AS VARCHAR), typeof(keep), CAST(keep AS VARCHAR), typeof(features), CAST(features AS VARCHAR)], source, NULL, keep, features));
COMMENT ON MACRO TABLE pk_project IS 'sqlrp 0.1.0, PolynomialKernelProjection. k: components of the result; s: one sign in s is not zero: a number from 1, or sqrt for the square root of the number of features; seed: which table is drawn; the same for rows that are to be compared; degree: of the polynomial kernel; p: signed sums that all products share; without it 2k; t: products summed for a component; c: the kernel is (<x, y> + c)^degree; minimise_repetition: use every signed sum equally often; vectors: what weighs the sums: sign or gaussian';

CREATE OR REPLACE MACRO d2pk_project(source, k := 64, s := 3, seed := 0, m := 2, modified := false, key := 'id', keep := [], features := [],
    array_column := NULL, feature := NULL, value := NULL, n_features := NULL, output := 'columns',
    scale := true, nulls := 'propagate', lowering := 'auto', dtype := 'auto') AS TABLE
  FROM query(sqlrp_begin('d2pk_project', 'sqlrp_d2pk_open', [typeof(source), CAST(source AS VARCHAR), typeof(k), CAST(k AS VARCHAR), typeof(s), CAST(s AS VARCHAR), typeof(seed), CAST(seed AS VARCHAR), typeof(m), CAST(m AS VARCHAR), typeof(modified), CAST(modified AS VARCHAR), typeof(key), CAST(key AS VARCHAR), typeof(array_column), CAST(array_column AS VARCHAR), typeof(feature), CAST(feature AS VARCHAR), typeof(value), CAST(value AS VARCHAR), typeof(n_features), CAST(n_features AS VARCHAR), typeof(output), CAST(output AS VARCHAR), typeof(scale), CAST(scale AS VARCHAR), typeof(nulls), CAST(nulls AS VARCHAR), typeof(lowering), CAST(lowering AS VARCHAR), typeof(dtype), CAST(dtype AS VARCHAR), typeof(keep), CAST(keep AS VARCHAR), typeof(features), CAST(features AS VARCHAR)], source, NULL, keep, features));
COMMENT ON MACRO TABLE d2pk_project IS 'sqlrp 0.1.0, Degree2KernelProjection. k: components of the result; s: one sign in s is not zero: a number from 1, or sqrt for the square root of the number of features; seed: which table is drawn; the same for rows that are to be compared; m: signed squares summed for a component: 1, or even; modified: take the squares out of the kernel, for few features';

CREATE OR REPLACE MACRO cbp_project(source, k := 64, s := 'sqrt', seed := 0, p := NULL, t := 4, normalise := true, split := NULL,
    group_by := NULL, key := 'id', keep := [], features := [], array_column := NULL, feature := NULL,
    value := NULL, n_features := NULL, output := 'columns', scale := true, nulls := 'propagate',
    lowering := 'auto', dtype := 'auto') AS TABLE
  FROM query(sqlrp_begin('cbp_project', 'sqlrp_cbp_open', [typeof(source), CAST(source AS VARCHAR), typeof(k), CAST(k AS VARCHAR), typeof(s), CAST(s AS VARCHAR), typeof(seed), CAST(seed AS VARCHAR), typeof(p), CAST(p AS VARCHAR), typeof(t), CAST(t AS VARCHAR), typeof(normalise), CAST(normalise AS VARCHAR), typeof(split), CAST(split AS VARCHAR), typeof(group_by), CAST(group_by AS VARCHAR), typeof(key), CAST(key AS VARCHAR), typeof(array_column), CAST(array_column AS VARCHAR), typeof(feature), CAST(feature AS VARCHAR), typeof(value), CAST(value AS VARCHAR), typeof(n_features), CAST(n_features AS VARCHAR), typeof(output), CAST(output AS VARCHAR), typeof(scale), CAST(scale AS VARCHAR), typeof(nulls), CAST(nulls AS VARCHAR), typeof(lowering), CAST(lowering AS VARCHAR), typeof(dtype), CAST(dtype AS VARCHAR), typeof(keep), CAST(keep AS VARCHAR), typeof(features), CAST(features AS VARCHAR)], source, NULL, keep, features));
COMMENT ON MACRO TABLE cbp_project IS 'sqlrp 0.1.0, BilinearPooling. k: components of the result; s: one sign in s is not zero: a number from 1, or sqrt for the square root of the number of features; seed: which table is drawn; the same for rows that are to be compared; p: signed sums that all products share; without it 2k; t: products summed for a component; normalise: signed root and Euclidean norm 1 at the end; split: features of the first of two descriptors in a row; without it there is one; group_by: the column that names the group of a row, as key does';

CREATE OR REPLACE MACRO rmp_project(source, k := 64, normalise := true, split := NULL, group_by := NULL, seed := 0, key := 'id', keep := [],
    features := [], array_column := NULL, feature := NULL, value := NULL, n_features := NULL,
    output := 'columns', scale := true, nulls := 'propagate', lowering := 'auto', dtype := 'auto') AS TABLE
  FROM query(sqlrp_begin('rmp_project', 'sqlrp_rmp_open', [typeof(source), CAST(source AS VARCHAR), typeof(k), CAST(k AS VARCHAR), typeof(normalise), CAST(normalise AS VARCHAR), typeof(split), CAST(split AS VARCHAR), typeof(group_by), CAST(group_by AS VARCHAR), typeof(seed), CAST(seed AS VARCHAR), typeof(key), CAST(key AS VARCHAR), typeof(array_column), CAST(array_column AS VARCHAR), typeof(feature), CAST(feature AS VARCHAR), typeof(value), CAST(value AS VARCHAR), typeof(n_features), CAST(n_features AS VARCHAR), typeof(output), CAST(output AS VARCHAR), typeof(scale), CAST(scale AS VARCHAR), typeof(nulls), CAST(nulls AS VARCHAR), typeof(lowering), CAST(lowering AS VARCHAR), typeof(dtype), CAST(dtype AS VARCHAR), typeof(keep), CAST(keep AS VARCHAR), typeof(features), CAST(features AS VARCHAR)], source, NULL, keep, features));
COMMENT ON MACRO TABLE rmp_project IS 'sqlrp 0.1.0, MaclaurinPooling. k: components of the result; normalise: signed root and Euclidean norm 1 at the end; split: features of the first of two descriptors in a row; without it there is one; group_by: the column that names the group of a row, as key does; seed: which table is drawn; the same for rows that are to be compared';

CREATE OR REPLACE MACRO tsp_project(source, k := 64, normalise := true, split := NULL, group_by := NULL, seed := 0, key := 'id', keep := [],
    features := [], array_column := NULL, feature := NULL, value := NULL, n_features := NULL,
    output := 'columns', scale := true, nulls := 'propagate', lowering := 'auto', dtype := 'auto') AS TABLE
  FROM query(sqlrp_begin('tsp_project', 'sqlrp_tsp_open', [typeof(source), CAST(source AS VARCHAR), typeof(k), CAST(k AS VARCHAR), typeof(normalise), CAST(normalise AS VARCHAR), typeof(split), CAST(split AS VARCHAR), typeof(group_by), CAST(group_by AS VARCHAR), typeof(seed), CAST(seed AS VARCHAR), typeof(key), CAST(key AS VARCHAR), typeof(array_column), CAST(array_column AS VARCHAR), typeof(feature), CAST(feature AS VARCHAR), typeof(value), CAST(value AS VARCHAR), typeof(n_features), CAST(n_features AS VARCHAR), typeof(output), CAST(output AS VARCHAR), typeof(scale), CAST(scale AS VARCHAR), typeof(nulls), CAST(nulls AS VARCHAR), typeof(lowering), CAST(lowering AS VARCHAR), typeof(dtype), CAST(dtype AS VARCHAR), typeof(keep), CAST(keep AS VARCHAR), typeof(features), CAST(features AS VARCHAR)], source, NULL, keep, features));
COMMENT ON MACRO TABLE tsp_project IS 'sqlrp 0.1.0, SketchPooling. k: components of the result; normalise: signed root and Euclidean norm 1 at the end; split: features of the first of two descriptors in a row; without it there is one; group_by: the column that names the group of a row, as key does; seed: which table is drawn; the same for rows that are to be compared';

CREATE OR REPLACE MACRO fbp_project(source, k := 64, normalise := true, split := NULL, group_by := NULL, key := 'id', keep := [],
    features := [], array_column := NULL, feature := NULL, value := NULL, n_features := NULL,
    output := 'columns', scale := true, nulls := 'propagate', lowering := 'auto', dtype := 'auto') AS TABLE
  FROM query(sqlrp_begin('fbp_project', 'sqlrp_fbp_open', [typeof(source), CAST(source AS VARCHAR), typeof(k), CAST(k AS VARCHAR), typeof(normalise), CAST(normalise AS VARCHAR), typeof(split), CAST(split AS VARCHAR), typeof(group_by), CAST(group_by AS VARCHAR), typeof(key), CAST(key AS VARCHAR), typeof(array_column), CAST(array_column AS VARCHAR), typeof(feature), CAST(feature AS VARCHAR), typeof(value), CAST(value AS VARCHAR), typeof(n_features), CAST(n_features AS VARCHAR), typeof(output), CAST(output AS VARCHAR), typeof(scale), CAST(scale AS VARCHAR), typeof(nulls), CAST(nulls AS VARCHAR), typeof(lowering), CAST(lowering AS VARCHAR), typeof(dtype), CAST(dtype AS VARCHAR), typeof(keep), CAST(keep AS VARCHAR), typeof(features), CAST(features AS VARCHAR)], source, NULL, keep, features));
COMMENT ON MACRO TABLE fbp_project IS 'sqlrp 0.1.0, FullBilinearPooling. k: components of the result; normalise: signed root and Euclidean norm 1 at the end; split: features of the first of two descriptors in a row; without it there is one; group_by: the column that names the group of a row, as key does';

CREATE OR REPLACE MACRO rs_project(source, k := 64, densify := NULL, seed := 0, stratified := false, key := 'id', keep := [],
    features := [], array_column := NULL, feature := NULL, value := NULL, n_features := NULL,
    output := 'columns', scale := true, nulls := 'propagate', lowering := 'auto', dtype := 'auto') AS TABLE
  FROM query(sqlrp_begin('rs_project', 'sqlrp_rs_open', [typeof(source), CAST(source AS VARCHAR), typeof(k), CAST(k AS VARCHAR), typeof(densify), CAST(densify AS VARCHAR), typeof(seed), CAST(seed AS VARCHAR), typeof(stratified), CAST(stratified AS VARCHAR), typeof(key), CAST(key AS VARCHAR), typeof(array_column), CAST(array_column AS VARCHAR), typeof(feature), CAST(feature AS VARCHAR), typeof(value), CAST(value AS VARCHAR), typeof(n_features), CAST(n_features AS VARCHAR), typeof(output), CAST(output AS VARCHAR), typeof(scale), CAST(scale AS VARCHAR), typeof(nulls), CAST(nulls AS VARCHAR), typeof(lowering), CAST(lowering AS VARCHAR), typeof(dtype), CAST(dtype AS VARCHAR), typeof(keep), CAST(keep AS VARCHAR), typeof(features), CAST(features AS VARCHAR)], source, NULL, keep, features));
COMMENT ON MACRO TABLE rs_project IS 'sqlrp 0.1.0, RandomSubspace. k: components of the result; densify: householder reflects the rows first, for rows with few non-zeros; seed: which table is drawn; the same for rows that are to be compared; stratified: picks one feature from each of k equal parts of the list';

CREATE OR REPLACE MACRO fht_project(source, k := 64, seed := 0, padding := 'power_of_two', replacement := false, key := 'id', keep := [],
    features := [], array_column := NULL, feature := NULL, value := NULL, n_features := NULL,
    output := 'columns', scale := true, nulls := 'propagate', lowering := 'auto', dtype := 'auto') AS TABLE
  FROM query(sqlrp_begin('fht_project', 'sqlrp_fht_open', [typeof(source), CAST(source AS VARCHAR), typeof(k), CAST(k AS VARCHAR), typeof(seed), CAST(seed AS VARCHAR), typeof(padding), CAST(padding AS VARCHAR), typeof(replacement), CAST(replacement AS VARCHAR), typeof(key), CAST(key AS VARCHAR), typeof(array_column), CAST(array_column AS VARCHAR), typeof(feature), CAST(feature AS VARCHAR), typeof(value), CAST(value AS VARCHAR), typeof(n_features), CAST(n_features AS VARCHAR), typeof(output), CAST(output AS VARCHAR), typeof(scale), CAST(scale AS VARCHAR), typeof(nulls), CAST(nulls AS VARCHAR), typeof(lowering), CAST(lowering AS VARCHAR), typeof(dtype), CAST(dtype AS VARCHAR), typeof(keep), CAST(keep AS VARCHAR), typeof(features), CAST(features AS VARCHAR)], source, NULL, keep, features));
COMMENT ON MACRO TABLE fht_project IS 'sqlrp 0.1.0, HadamardProjection. k: components of the result; seed: which table is drawn; the same for rows that are to be compared; padding: the length that rows are padded to: power_of_two, or least, which is a power of two times 1, 12, 20, 28, 36; replacement: draw the entries with replacement; without it, k = the padded length loses nothing';

CREATE OR REPLACE MACRO cw_project(source, k := 64, nnz_per_feature := 4, seed := 0, buckets := 1, key := 'id', keep := [], features := [],
    array_column := NULL, feature := NULL, value := NULL, n_features := NULL, output := 'columns',
    scale := true, nulls := 'propagate', lowering := 'auto', dtype := 'auto') AS TABLE
  FROM query(sqlrp_begin('cw_project', 'sqlrp_cw_open', [typeof(source), CAST(source AS VARCHAR), typeof(k), CAST(k AS VARCHAR), typeof(nnz_per_feature), CAST(nnz_per_feature AS VARCHAR), typeof(seed), CAST(seed AS VARCHAR), typeof(buckets), CAST(buckets AS VARCHAR), typeof(key), CAST(key AS VARCHAR), typeof(array_column), CAST(array_column AS VARCHAR), typeof(feature), CAST(feature AS VARCHAR), typeof(value), CAST(value AS VARCHAR), typeof(n_features), CAST(n_features AS VARCHAR), typeof(output), CAST(output AS VARCHAR), typeof(scale), CAST(scale AS VARCHAR), typeof(nulls), CAST(nulls AS VARCHAR), typeof(lowering), CAST(lowering AS VARCHAR), typeof(dtype), CAST(dtype AS VARCHAR), typeof(keep), CAST(keep AS VARCHAR), typeof(features), CAST(features AS VARCHAR)], source, NULL, keep, features));
COMMENT ON MACRO TABLE cw_project IS 'sqlrp 0.1.0, SparseEmbedding. k: components of the result; nnz_per_feature: sums that a feature goes into; divides k; seed: which table is drawn; the same for rows that are to be compared; buckets: parts that the features are hashed to, each with sums of its own';

CREATE OR REPLACE MACRO rm_project(source, k := 64, degree := 2, seed := 0, key := 'id', keep := [], features := [], array_column := NULL,
    feature := NULL, value := NULL, n_features := NULL, output := 'columns', scale := true,
    nulls := 'propagate', lowering := 'auto', dtype := 'auto') AS TABLE
  FROM query(sqlrp_begin('rm_project', 'sqlrp_rm_open', [typeof(source), CAST(source AS VARCHAR), typeof(k), CAST(k AS VARCHAR), typeof(degree), CAST(degree AS VARCHAR), typeof(seed), CAST(seed AS VARCHAR), typeof(key), CAST(key AS VARCHAR), typeof(array_column), CAST(array_column AS VARCHAR), typeof(feature), CAST(feature AS VARCHAR), typeof(value), CAST(value AS VARCHAR), typeof(n_features), CAST(n_features AS VARCHAR), typeof(output), CAST(output AS VARCHAR), typeof(scale), CAST(scale AS VARCHAR), typeof(nulls), CAST(nulls AS VARCHAR), typeof(lowering), CAST(lowering AS VARCHAR), typeof(dtype), CAST(dtype AS VARCHAR), typeof(keep), CAST(keep AS VARCHAR), typeof(features), CAST(features AS VARCHAR)], source, NULL, keep, features));
COMMENT ON MACRO TABLE rm_project IS 'sqlrp 0.1.0, RandomMaclaurin. k: components of the result; degree: of the polynomial kernel; seed: which table is drawn; the same for rows that are to be compared';

CREATE OR REPLACE MACRO ts_project(source, k := 64, degree := 2, seed := 0, key := 'id', keep := [], features := [], array_column := NULL,
    feature := NULL, value := NULL, n_features := NULL, output := 'columns', scale := true,
    nulls := 'propagate', lowering := 'auto', dtype := 'auto') AS TABLE
  FROM query(sqlrp_begin('ts_project', 'sqlrp_ts_open', [typeof(source), CAST(source AS VARCHAR), typeof(k), CAST(k AS VARCHAR), typeof(degree), CAST(degree AS VARCHAR), typeof(seed), CAST(seed AS VARCHAR), typeof(key), CAST(key AS VARCHAR), typeof(array_column), CAST(array_column AS VARCHAR), typeof(feature), CAST(feature AS VARCHAR), typeof(value), CAST(value AS VARCHAR), typeof(n_features), CAST(n_features AS VARCHAR), typeof(output), CAST(output AS VARCHAR), typeof(scale), CAST(scale AS VARCHAR), typeof(nulls), CAST(nulls AS VARCHAR), typeof(lowering), CAST(lowering AS VARCHAR), typeof(dtype), CAST(dtype AS VARCHAR), typeof(keep), CAST(keep AS VARCHAR), typeof(features), CAST(features AS VARCHAR)], source, NULL, keep, features));
COMMENT ON MACRO TABLE ts_project IS 'sqlrp 0.1.0, TensorSketch. k: components of the result; degree: of the polynomial kernel; seed: which table is drawn; the same for rows that are to be compared';

CREATE OR REPLACE MACRO rff_project(source, k := 64, gamma := 1.0, seed := 0, key := 'id', keep := [], features := [], array_column := NULL,
    feature := NULL, value := NULL, n_features := NULL, output := 'columns', scale := true,
    nulls := 'propagate', lowering := 'auto', dtype := 'auto') AS TABLE
  FROM query(sqlrp_begin('rff_project', 'sqlrp_rff_open', [typeof(source), CAST(source AS VARCHAR), typeof(k), CAST(k AS VARCHAR), typeof(gamma), CAST(gamma AS VARCHAR), typeof(seed), CAST(seed AS VARCHAR), typeof(key), CAST(key AS VARCHAR), typeof(array_column), CAST(array_column AS VARCHAR), typeof(feature), CAST(feature AS VARCHAR), typeof(value), CAST(value AS VARCHAR), typeof(n_features), CAST(n_features AS VARCHAR), typeof(output), CAST(output AS VARCHAR), typeof(scale), CAST(scale AS VARCHAR), typeof(nulls), CAST(nulls AS VARCHAR), typeof(lowering), CAST(lowering AS VARCHAR), typeof(dtype), CAST(dtype AS VARCHAR), typeof(keep), CAST(keep AS VARCHAR), typeof(features), CAST(features AS VARCHAR)], source, NULL, keep, features));
COMMENT ON MACRO TABLE rff_project IS 'sqlrp 0.1.0, RandomFourierFeatures. k: components of the result; gamma: of the kernel exp(-gamma |x - y|^2), above 0; seed: which table is drawn; the same for rows that are to be compared';

CREATE OR REPLACE MACRO ep_project(source, k := 64, s := 'sqrt', seed := 0, degree := 2, vectors := 'sign', key := 'id', keep := [],
    features := [], array_column := NULL, feature := NULL, value := NULL, n_features := NULL,
    output := 'columns', scale := true, nulls := 'propagate', lowering := 'auto', dtype := 'auto') AS TABLE
  FROM query(sqlrp_begin('ep_project', 'sqlrp_ep_open', [typeof(source), CAST(source AS VARCHAR), typeof(k), CAST(k AS VARCHAR), typeof(s), CAST(s AS VARCHAR), typeof(seed), CAST(seed AS VARCHAR), typeof(degree), CAST(degree AS VARCHAR), typeof(vectors), CAST(vectors AS VARCHAR), typeof(key), CAST(key AS VARCHAR), typeof(array_column), CAST(array_column AS VARCHAR), typeof(feature), CAST(feature AS VARCHAR), typeof(value), CAST(value AS VARCHAR), typeof(n_features), CAST(n_features AS VARCHAR), typeof(output), CAST(output AS VARCHAR), typeof(scale), CAST(scale AS VARCHAR), typeof(nulls), CAST(nulls AS VARCHAR), typeof(lowering), CAST(lowering AS VARCHAR), typeof(dtype), CAST(dtype AS VARCHAR), typeof(keep), CAST(keep AS VARCHAR), typeof(features), CAST(features AS VARCHAR)], source, NULL, keep, features));
COMMENT ON MACRO TABLE ep_project IS 'sqlrp 0.1.0, ExplicitPolynomialProjection. k: components of the result; s: one sign in s is not zero: a number from 1, or sqrt for the square root of the number of features; seed: which table is drawn; the same for rows that are to be compared; degree: of the polynomial kernel; vectors: what weighs the sums: sign or gaussian';

CREATE OR REPLACE MACRO project_with(projection, source, key := 'id', keep := [], features := [], array_column := NULL, feature := NULL,
    value := NULL, n_features := NULL, output := 'columns', scale := true, nulls := 'propagate',
    lowering := 'auto', dtype := 'auto') AS TABLE
  FROM query(sqlrp_begin('project_with', 'sqlrp_saved_open', [typeof(projection), CAST(projection AS VARCHAR), typeof(source), CAST(source AS VARCHAR), typeof(key), CAST(key AS VARCHAR), typeof(array_column), CAST(array_column AS VARCHAR), typeof(feature), CAST(feature AS VARCHAR), typeof(value), CAST(value AS VARCHAR), typeof(n_features), CAST(n_features AS VARCHAR), typeof(output), CAST(output AS VARCHAR), typeof(scale), CAST(scale AS VARCHAR), typeof(nulls), CAST(nulls AS VARCHAR), typeof(lowering), CAST(lowering AS VARCHAR), typeof(dtype), CAST(dtype AS VARCHAR), typeof(keep), CAST(keep AS VARCHAR), typeof(features), CAST(features AS VARCHAR)], source, sqlrp_saved_call(projection), keep, features));
COMMENT ON MACRO TABLE project_with IS 'sqlrp 0.1.0. projection: the name of a projection that sqlrp.save stored here';

-- The same statements as text, for views that cost little to open. The text calls the macros that draw the signs.

CREATE OR REPLACE MACRO rp_project_sql(source, k := 64, s := 'sqrt', seed := 0, vectors := 'sign', key := 'id', keep := [], features := [],
    array_column := NULL, feature := NULL, value := NULL, n_features := NULL, output := 'columns',
    scale := true, nulls := 'propagate', lowering := 'auto', dtype := 'auto') AS
  (SELECT text FROM query(sqlrp_open([[typeof(source), CAST(source AS VARCHAR)], [typeof(k), CAST(k AS VARCHAR)], [typeof(s), CAST(s AS VARCHAR)], [typeof(seed), CAST(seed AS VARCHAR)], [typeof(vectors), CAST(vectors AS VARCHAR)], [typeof(key), CAST(key AS VARCHAR)], [typeof(array_column), CAST(array_column AS VARCHAR)], [typeof(feature), CAST(feature AS VARCHAR)], [typeof(value), CAST(value AS VARCHAR)], [typeof(n_features), CAST(n_features AS VARCHAR)], [typeof(output), CAST(output AS VARCHAR)], [typeof(scale), CAST(scale AS VARCHAR)], [typeof(nulls), CAST(nulls AS VARCHAR)], [typeof(lowering), CAST(lowering AS VARCHAR)], [typeof(dtype), CAST(dtype AS VARCHAR)]], 'VARCHAR [A-Za-z_]\w*; (INTEGER|BIGINT) [1-9]\d{0,5}; (VARCHAR sqrt|(INTEGER|BIGINT|DOUBLE|DECIMAL\(\d+,\d+\)) [1-9]\d{0,14}(\.\d+)?); (INTEGER|BIGINT) \d{1,15}; VARCHAR (sign); [^;]*; ("NULL" NULL|VARCHAR [A-Za-z_]\w*); "NULL" NULL; "NULL" NULL; "NULL" NULL; VARCHAR (columns|array|vector|long|auto); BOOLEAN (true|false); VARCHAR (propagate|zero|error); VARCHAR (auto|sql|native|inline|indexed|relational); VARCHAR (auto|float32); [^;]*\[\]\[\]; [^;]*\[\]\[\]', true, concat('sqlrp_rp_sign_stages(', k, ', ', '''', s, ''', ''', typeof(s), ''', ', seed, ', ', '''', vectors, ''', ', '{n})'), 'sqlrp_rp_step', source, key, array_column, keep, features, output, scale, nulls, lowering, dtype, true)));
COMMENT ON MACRO rp_project_sql IS 'sqlrp 0.1.0, SparseProjection. k: components of the result; s: one sign in s is not zero: a number from 1, or sqrt for the square root of the number of features; seed: which table is drawn; the same for rows that are to be compared; vectors: what weighs the sums: sign or gaussian';

CREATE OR REPLACE MACRO pk_project_sql(source, k := 64, s := 'sqrt', seed := 0, degree := 2, p := NULL, t := 4, c := 0.0,
    minimise_repetition := true, vectors := 'sign', key := 'id', keep := [], features := [],
    array_column := NULL, feature := NULL, value := NULL, n_features := NULL, output := 'columns',
    scale := true, nulls := 'propagate', lowering := 'auto', dtype := 'auto') AS
  (SELECT text FROM query(sqlrp_open([[typeof(source), CAST(source AS VARCHAR)], [typeof(k), CAST(k AS VARCHAR)], [typeof(s), CAST(s AS VARCHAR)], [typeof(seed), CAST(seed AS VARCHAR)], [typeof(degree), CAST(degree AS VARCHAR)], [typeof(p), CAST(p AS VARCHAR)], [typeof(t), CAST(t AS VARCHAR)], [typeof(c), CAST(c AS VARCHAR)], [typeof(minimise_repetition), CAST(minimise_repetition AS VARCHAR)], [typeof(vectors), CAST(vectors AS VARCHAR)], [typeof(key), CAST(key AS VARCHAR)], [typeof(array_column), CAST(array_column AS VARCHAR)], [typeof(feature), CAST(feature AS VARCHAR)], [typeof(value), CAST(value AS VARCHAR)], [typeof(n_features), CAST(n_features AS VARCHAR)], [typeof(output), CAST(output AS VARCHAR)], [typeof(scale), CAST(scale AS VARCHAR)], [typeof(nulls), CAST(nulls AS VARCHAR)], [typeof(lowering), CAST(lowering AS VARCHAR)], [typeof(dtype), CAST(dtype AS VARCHAR)]], 'VARCHAR [A-Za-z_]\w*; (INTEGER|BIGINT) [1-9]\d{0,5}; (VARCHAR sqrt|(INTEGER|BIGINT|DOUBLE|DECIMAL\(\d+,\d+\)) [1-9]\d{0,14}(\.\d+)?); (INTEGER|BIGINT) \d{1,15}; (INTEGER|BIGINT) [1-9]\d{0,2}; ("NULL" NULL|(INTEGER|BIGINT) [1-9]\d{0,5}); (INTEGER|BIGINT) [1-9]\d{0,5}; (INTEGER|BIGINT|DOUBLE|DECIMAL\(\d+,\d+\)) [-+.e\d]+; BOOLEAN (true|false); VARCHAR (sign); [^;]*; ("NULL" NULL|VARCHAR [A-Za-z_]\w*); "NULL" NULL; "NULL" NULL; "NULL" NULL; VARCHAR (columns|array|vector|long|auto); BOOLEAN (true|false); VARCHAR (propagate|zero|error); VARCHAR (auto|sql|native|inline|indexed|relational); VARCHAR (auto|float32); [^;]*\[\]\[\]; [^;]*\[\]\[\]', TRY_CAST(k AS DOUBLE) * TRY_CAST(degree AS DOUBLE) * TRY_CAST(t AS DOUBLE) <= 16777216, concat('sqlrp_pk_sign_stages(', k, ', ', '''', s, ''', ''', typeof(s), ''', ', seed, ', ', degree, ', ', sqlrp_value(p), ', ', t, ', ', sqlrp_double(c), ', ', minimise_repetition, ', ', '''', vectors, ''', ', '{n})'), 'sqlrp_pk_step', source, key, array_column, keep, features, output, scale, nulls, lowering, dtype, true)));
COMMENT ON MACRO pk_project_sql IS 'sqlrp 0.1.0, PolynomialKernelProjection. k: components of the result; s: one sign in s is not zero: a number from 1, or sqrt for the square root of the number of features; seed: which table is drawn; the same for rows that are to be compared; degree: of the polynomial kernel; p: signed sums that all products share; without it 2k; t: products summed for a component; c: the kernel is (<x, y> + c)^degree; minimise_repetition: use every signed sum equally often; vectors: what weighs the sums: sign or gaussian';

CREATE OR REPLACE MACRO d2pk_project_sql(source, k := 64, s := 3, seed := 0, m := 2, modified := false, key := 'id', keep := [], features := [],
    array_column := NULL, feature := NULL, value := NULL, n_features := NULL, output := 'columns',
    scale := true, nulls := 'propagate', lowering := 'auto', dtype := 'auto') AS
  (SELECT text FROM query(sqlrp_open([[typeof(source), CAST(source AS VARCHAR)], [typeof(k), CAST(k AS VARCHAR)], [typeof(s), CAST(s AS VARCHAR)], [typeof(seed), CAST(seed AS VARCHAR)], [typeof(m), CAST(m AS VARCHAR)], [typeof(modified), CAST(modified AS VARCHAR)], [typeof(key), CAST(key AS VARCHAR)], [typeof(array_column), CAST(array_column AS VARCHAR)], [typeof(feature), CAST(feature AS VARCHAR)], [typeof(value), CAST(value AS VARCHAR)], [typeof(n_features), CAST(n_features AS VARCHAR)], [typeof(output), CAST(output AS VARCHAR)], [typeof(scale), CAST(scale AS VARCHAR)], [typeof(nulls), CAST(nulls AS VARCHAR)], [typeof(lowering), CAST(lowering AS VARCHAR)], [typeof(dtype), CAST(dtype AS VARCHAR)]], 'VARCHAR [A-Za-z_]\w*; (INTEGER|BIGINT) [1-9]\d{0,5}; (VARCHAR sqrt|(INTEGER|BIGINT|DOUBLE|DECIMAL\(\d+,\d+\)) [1-9]\d{0,14}(\.\d+)?); (INTEGER|BIGINT) \d{1,15}; (INTEGER|BIGINT) [1-9]\d{0,5}; BOOLEAN (true|false); [^;]*; ("NULL" NULL|VARCHAR [A-Za-z_]\w*); "NULL" NULL; "NULL" NULL; "NULL" NULL; VARCHAR (columns|array|vector|long|auto); BOOLEAN (true|false); VARCHAR (propagate|zero|error); VARCHAR (auto|sql|native|inline|indexed|relational); VARCHAR (auto|float32); [^;]*\[\]\[\]; [^;]*\[\]\[\]', TRY_CAST(k AS DOUBLE) * TRY_CAST(m AS DOUBLE) <= 16777216, concat('sqlrp_d2pk_stages(', k, ', ', '''', s, ''', ''', typeof(s), ''', ', seed, ', ', m, ', ', modified, ', ', '{n})'), 'sqlrp_d2pk_step', source, key, array_column, keep, features, output, scale, nulls, lowering, dtype, true)));
COMMENT ON MACRO d2pk_project_sql IS 'sqlrp 0.1.0, Degree2KernelProjection. k: components of the result; s: one sign in s is not zero: a number from 1, or sqrt for the square root of the number of features; seed: which table is drawn; the same for rows that are to be compared; m: signed squares summed for a component: 1, or even; modified: take the squares out of the kernel, for few features';

CREATE OR REPLACE MACRO cbp_project_sql(source, k := 64, s := 'sqrt', seed := 0, p := NULL, t := 4, normalise := true, split := NULL,
    group_by := NULL, key := 'id', keep := [], features := [], array_column := NULL, feature := NULL,
    value := NULL, n_features := NULL, output := 'columns', scale := true, nulls := 'propagate',
    lowering := 'auto', dtype := 'auto') AS
  (SELECT text FROM query(sqlrp_open([[typeof(source), CAST(source AS VARCHAR)], [typeof(k), CAST(k AS VARCHAR)], [typeof(s), CAST(s AS VARCHAR)], [typeof(seed), CAST(seed AS VARCHAR)], [typeof(p), CAST(p AS VARCHAR)], [typeof(t), CAST(t AS VARCHAR)], [typeof(normalise), CAST(normalise AS VARCHAR)], [typeof(split), CAST(split AS VARCHAR)], [typeof(group_by), CAST(group_by AS VARCHAR)], [typeof(key), CAST(key AS VARCHAR)], [typeof(array_column), CAST(array_column AS VARCHAR)], [typeof(feature), CAST(feature AS VARCHAR)], [typeof(value), CAST(value AS VARCHAR)], [typeof(n_features), CAST(n_features AS VARCHAR)], [typeof(output), CAST(output AS VARCHAR)], [typeof(scale), CAST(scale AS VARCHAR)], [typeof(nulls), CAST(nulls AS VARCHAR)], [typeof(lowering), CAST(lowering AS VARCHAR)], [typeof(dtype), CAST(dtype AS VARCHAR)]], 'VARCHAR [A-Za-z_]\w*; (INTEGER|BIGINT) [1-9]\d{0,5}; (VARCHAR sqrt|(INTEGER|BIGINT|DOUBLE|DECIMAL\(\d+,\d+\)) [1-9]\d{0,14}(\.\d+)?); (INTEGER|BIGINT) \d{1,15}; ("NULL" NULL|(INTEGER|BIGINT) [1-9]\d{0,5}); (INTEGER|BIGINT) [1-9]\d{0,5}; BOOLEAN (true|false); ("NULL" NULL|(INTEGER|BIGINT) [1-9]\d{0,5}); [^;]*; [^;]*; ("NULL" NULL|VARCHAR [A-Za-z_]\w*); "NULL" NULL; "NULL" NULL; "NULL" NULL; VARCHAR (columns|array|vector|long|auto); BOOLEAN (true|false); VARCHAR (propagate|zero|error); VARCHAR (auto|sql|native|inline|indexed|relational); VARCHAR (auto|float32); [^;]*\[\]\[\]; [^;]*\[\]\[\]', TRY_CAST(k AS DOUBLE) * TRY_CAST(t AS DOUBLE) <= 16777216, concat('sqlrp_cbp_stages(', k, ', ', '''', s, ''', ''', typeof(s), ''', ', seed, ', ', sqlrp_value(p), ', ', t, ', ', normalise, ', ', sqlrp_value(split), ', ', '{n})'), 'sqlrp_cbp_step', source, coalesce(group_by, key), array_column, keep, features, output, scale, nulls, lowering, dtype, true)));
COMMENT ON MACRO cbp_project_sql IS 'sqlrp 0.1.0, BilinearPooling. k: components of the result; s: one sign in s is not zero: a number from 1, or sqrt for the square root of the number of features; seed: which table is drawn; the same for rows that are to be compared; p: signed sums that all products share; without it 2k; t: products summed for a component; normalise: signed root and Euclidean norm 1 at the end; split: features of the first of two descriptors in a row; without it there is one; group_by: the column that names the group of a row, as key does';

CREATE OR REPLACE MACRO rmp_project_sql(source, k := 64, normalise := true, split := NULL, group_by := NULL, seed := 0, key := 'id', keep := [],
    features := [], array_column := NULL, feature := NULL, value := NULL, n_features := NULL,
    output := 'columns', scale := true, nulls := 'propagate', lowering := 'auto', dtype := 'auto') AS
  (SELECT text FROM query(sqlrp_open([[typeof(source), CAST(source AS VARCHAR)], [typeof(k), CAST(k AS VARCHAR)], [typeof(normalise), CAST(normalise AS VARCHAR)], [typeof(split), CAST(split AS VARCHAR)], [typeof(group_by), CAST(group_by AS VARCHAR)], [typeof(seed), CAST(seed AS VARCHAR)], [typeof(key), CAST(key AS VARCHAR)], [typeof(array_column), CAST(array_column AS VARCHAR)], [typeof(feature), CAST(feature AS VARCHAR)], [typeof(value), CAST(value AS VARCHAR)], [typeof(n_features), CAST(n_features AS VARCHAR)], [typeof(output), CAST(output AS VARCHAR)], [typeof(scale), CAST(scale AS VARCHAR)], [typeof(nulls), CAST(nulls AS VARCHAR)], [typeof(lowering), CAST(lowering AS VARCHAR)], [typeof(dtype), CAST(dtype AS VARCHAR)]], 'VARCHAR [A-Za-z_]\w*; (INTEGER|BIGINT) [1-9]\d{0,5}; BOOLEAN (true|false); ("NULL" NULL|(INTEGER|BIGINT) [1-9]\d{0,5}); [^;]*; (INTEGER|BIGINT) \d{1,15}; [^;]*; ("NULL" NULL|VARCHAR [A-Za-z_]\w*); "NULL" NULL; "NULL" NULL; "NULL" NULL; VARCHAR (columns|array|vector|long|auto); BOOLEAN (true|false); VARCHAR (propagate|zero|error); VARCHAR (auto|sql|native|inline|indexed|relational); VARCHAR (auto|float32); [^;]*\[\]\[\]; [^;]*\[\]\[\]', true, concat('sqlrp_rmp_stages(', k, ', ', normalise, ', ', sqlrp_value(split), ', ', seed, ', ', '{n})'), 'sqlrp_rmp_step', source, coalesce(group_by, key), array_column, keep, features, output, scale, nulls, lowering, dtype, true)));
COMMENT ON MACRO rmp_project_sql IS 'sqlrp 0.1.0, MaclaurinPooling. k: components of the result; normalise: signed root and Euclidean norm 1 at the end; split: features of the first of two descriptors in a row; without it there is one; group_by: the column that names the group of a row, as key does; seed: which table is drawn; the same for rows that are to be compared';

CREATE OR REPLACE MACRO tsp_project_sql(source, k := 64, normalise := true, split := NULL, group_by := NULL, seed := 0, key := 'id', keep := [],
    features := [], array_column := NULL, feature := NULL, value := NULL, n_features := NULL,
    output := 'columns', scale := true, nulls := 'propagate', lowering := 'auto', dtype := 'auto') AS
  (SELECT text FROM query(sqlrp_open([[typeof(source), CAST(source AS VARCHAR)], [typeof(k), CAST(k AS VARCHAR)], [typeof(normalise), CAST(normalise AS VARCHAR)], [typeof(split), CAST(split AS VARCHAR)], [typeof(group_by), CAST(group_by AS VARCHAR)], [typeof(seed), CAST(seed AS VARCHAR)], [typeof(key), CAST(key AS VARCHAR)], [typeof(array_column), CAST(array_column AS VARCHAR)], [typeof(feature), CAST(feature AS VARCHAR)], [typeof(value), CAST(value AS VARCHAR)], [typeof(n_features), CAST(n_features AS VARCHAR)], [typeof(output), CAST(output AS VARCHAR)], [typeof(scale), CAST(scale AS VARCHAR)], [typeof(nulls), CAST(nulls AS VARCHAR)], [typeof(lowering), CAST(lowering AS VARCHAR)], [typeof(dtype), CAST(dtype AS VARCHAR)]], 'VARCHAR [A-Za-z_]\w*; (INTEGER|BIGINT) [1-9]\d{0,5}; BOOLEAN (true|false); ("NULL" NULL|(INTEGER|BIGINT) [1-9]\d{0,5}); [^;]*; (INTEGER|BIGINT) \d{1,15}; [^;]*; ("NULL" NULL|VARCHAR [A-Za-z_]\w*); "NULL" NULL; "NULL" NULL; "NULL" NULL; VARCHAR (columns|array|vector|long|auto); BOOLEAN (true|false); VARCHAR (propagate|zero|error); VARCHAR (auto|sql|native|inline|indexed|relational); VARCHAR (auto|float32); [^;]*\[\]\[\]; [^;]*\[\]\[\]', true, concat('sqlrp_tsp_stages(', k, ', ', normalise, ', ', sqlrp_value(split), ', ', seed, ', ', '{n})'), 'sqlrp_tsp_step', source, coalesce(group_by, key), array_column, keep, features, output, scale, nulls, lowering, dtype, true)));
COMMENT ON MACRO tsp_project_sql IS 'sqlrp 0.1.0, SketchPooling. k: components of the result; normalise: signed root and Euclidean norm 1 at the end; split: features of the first of two descriptors in a row; without it there is one; group_by: the column that names the group of a row, as key does; seed: which table is drawn; the same for rows that are to be compared';

CREATE OR REPLACE MACRO fbp_project_sql(source, k := 64, normalise := true, split := NULL, group_by := NULL, key := 'id', keep := [],
    features := [], array_column := NULL, feature := NULL, value := NULL, n_features := NULL,
    output := 'columns', scale := true, nulls := 'propagate', lowering := 'auto', dtype := 'auto') AS
  (SELECT text FROM query(sqlrp_open([[typeof(source), CAST(source AS VARCHAR)], [typeof(k), CAST(k AS VARCHAR)], [typeof(normalise), CAST(normalise AS VARCHAR)], [typeof(split), CAST(split AS VARCHAR)], [typeof(group_by), CAST(group_by AS VARCHAR)], [typeof(key), CAST(key AS VARCHAR)], [typeof(array_column), CAST(array_column AS VARCHAR)], [typeof(feature), CAST(feature AS VARCHAR)], [typeof(value), CAST(value AS VARCHAR)], [typeof(n_features), CAST(n_features AS VARCHAR)], [typeof(output), CAST(output AS VARCHAR)], [typeof(scale), CAST(scale AS VARCHAR)], [typeof(nulls), CAST(nulls AS VARCHAR)], [typeof(lowering), CAST(lowering AS VARCHAR)], [typeof(dtype), CAST(dtype AS VARCHAR)]], 'VARCHAR [A-Za-z_]\w*; (INTEGER|BIGINT) [1-9]\d{0,5}; BOOLEAN (true|false); ("NULL" NULL|(INTEGER|BIGINT) [1-9]\d{0,5}); [^;]*; [^;]*; ("NULL" NULL|VARCHAR [A-Za-z_]\w*); "NULL" NULL; "NULL" NULL; "NULL" NULL; VARCHAR (columns|array|vector|long|auto); BOOLEAN (true|false); VARCHAR (propagate|zero|error); VARCHAR (auto|sql|native|inline|indexed|relational); VARCHAR (auto|float32); [^;]*\[\]\[\]; [^;]*\[\]\[\]', true, concat('sqlrp_fbp_stages(', k, ', ', normalise, ', ', sqlrp_value(split), ', ', '{n})'), 'sqlrp_fbp_step', source, coalesce(group_by, key), array_column, keep, features, output, scale, nulls, lowering, dtype, true)));
COMMENT ON MACRO fbp_project_sql IS 'sqlrp 0.1.0, FullBilinearPooling. k: components of the result; normalise: signed root and Euclidean norm 1 at the end; split: features of the first of two descriptors in a row; without it there is one; group_by: the column that names the group of a row, as key does';

CREATE OR REPLACE MACRO rs_project_sql(source, k := 64, densify := NULL, seed := 0, stratified := false, key := 'id', keep := [],
    features := [], array_column := NULL, feature := NULL, value := NULL, n_features := NULL,
    output := 'columns', scale := true, nulls := 'propagate', lowering := 'auto', dtype := 'auto') AS
  (SELECT text FROM query(sqlrp_open([[typeof(source), CAST(source AS VARCHAR)], [typeof(k), CAST(k AS VARCHAR)], [typeof(densify), CAST(densify AS VARCHAR)], [typeof(seed), CAST(seed AS VARCHAR)], [typeof(stratified), CAST(stratified AS VARCHAR)], [typeof(key), CAST(key AS VARCHAR)], [typeof(array_column), CAST(array_column AS VARCHAR)], [typeof(feature), CAST(feature AS VARCHAR)], [typeof(value), CAST(value AS VARCHAR)], [typeof(n_features), CAST(n_features AS VARCHAR)], [typeof(output), CAST(output AS VARCHAR)], [typeof(scale), CAST(scale AS VARCHAR)], [typeof(nulls), CAST(nulls AS VARCHAR)], [typeof(lowering), CAST(lowering AS VARCHAR)], [typeof(dtype), CAST(dtype AS VARCHAR)]], 'VARCHAR [A-Za-z_]\w*; (INTEGER|BIGINT) [1-9]\d{0,5}; [^;]*; (INTEGER|BIGINT) \d{1,15}; BOOLEAN (true|false); [^;]*; ("NULL" NULL|VARCHAR [A-Za-z_]\w*); "NULL" NULL; "NULL" NULL; "NULL" NULL; VARCHAR (columns|array|vector|long|auto); BOOLEAN (true|false); VARCHAR (propagate|zero|error); VARCHAR (auto|sql|native|inline|indexed|relational); VARCHAR (auto|float32); [^;]*\[\]\[\]; [^;]*\[\]\[\]', true, concat('sqlrp_rs_stages(', k, ', ', sqlrp_text(densify), ', ', seed, ', ', stratified, ', ', '{n})'), 'sqlrp_rs_step', source, key, array_column, keep, features, output, scale, nulls, lowering, dtype, true)));
COMMENT ON MACRO rs_project_sql IS 'sqlrp 0.1.0, RandomSubspace. k: components of the result; densify: householder reflects the rows first, for rows with few non-zeros; seed: which table is drawn; the same for rows that are to be compared; stratified: picks one feature from each of k equal parts of the list';

CREATE OR REPLACE MACRO fht_project_sql(source, k := 64, seed := 0, padding := 'power_of_two', replacement := false, key := 'id', keep := [],
    features := [], array_column := NULL, feature := NULL, value := NULL, n_features := NULL,
    output := 'columns', scale := true, nulls := 'propagate', lowering := 'auto', dtype := 'auto') AS
  (SELECT text FROM query(sqlrp_open([[typeof(source), CAST(source AS VARCHAR)], [typeof(k), CAST(k AS VARCHAR)], [typeof(seed), CAST(seed AS VARCHAR)], [typeof(padding), CAST(padding AS VARCHAR)], [typeof(replacement), CAST(replacement AS VARCHAR)], [typeof(key), CAST(key AS VARCHAR)], [typeof(array_column), CAST(array_column AS VARCHAR)], [typeof(feature), CAST(feature AS VARCHAR)], [typeof(value), CAST(value AS VARCHAR)], [typeof(n_features), CAST(n_features AS VARCHAR)], [typeof(output), CAST(output AS VARCHAR)], [typeof(scale), CAST(scale AS VARCHAR)], [typeof(nulls), CAST(nulls AS VARCHAR)], [typeof(lowering), CAST(lowering AS VARCHAR)], [typeof(dtype), CAST(dtype AS VARCHAR)]], 'VARCHAR [A-Za-z_]\w*; (INTEGER|BIGINT) [1-9]\d{0,5}; (INTEGER|BIGINT) \d{1,15}; VARCHAR (power_of_two|least); BOOLEAN (true|false); [^;]*; ("NULL" NULL|VARCHAR [A-Za-z_]\w*); "NULL" NULL; "NULL" NULL; "NULL" NULL; VARCHAR (columns|array|vector|long|auto); BOOLEAN (true|false); VARCHAR (propagate|zero|error); VARCHAR (auto|sql|native|inline|indexed|relational); VARCHAR (auto|float32); [^;]*\[\]\[\]; [^;]*\[\]\[\]', true, concat('sqlrp_fht_stages(', k, ', ', seed, ', ', '''', padding, ''', ', replacement, ', ', '{n})'), 'sqlrp_fht_step', source, key, array_column, keep, features, output, scale, nulls, lowering, dtype, true)));
COMMENT ON MACRO fht_project_sql IS 'sqlrp 0.1.0, HadamardProjection. k: components of the result; seed: which table is drawn; the same for rows that are to be compared; padding: the length that rows are padded to: power_of_two, or least, which is a power of two times 1, 12, 20, 28, 36; replacement: draw the entries with replacement; without it, k = the padded length loses nothing';

CREATE OR REPLACE MACRO cw_project_sql(source, k := 64, nnz_per_feature := 4, seed := 0, buckets := 1, key := 'id', keep := [], features := [],
    array_column := NULL, feature := NULL, value := NULL, n_features := NULL, output := 'columns',
    scale := true, nulls := 'propagate', lowering := 'auto', dtype := 'auto') AS
  (SELECT text FROM query(sqlrp_open([[typeof(source), CAST(source AS VARCHAR)], [typeof(k), CAST(k AS VARCHAR)], [typeof(nnz_per_feature), CAST(nnz_per_feature AS VARCHAR)], [typeof(seed), CAST(seed AS VARCHAR)], [typeof(buckets), CAST(buckets AS VARCHAR)], [typeof(key), CAST(key AS VARCHAR)], [typeof(array_column), CAST(array_column AS VARCHAR)], [typeof(feature), CAST(feature AS VARCHAR)], [typeof(value), CAST(value AS VARCHAR)], [typeof(n_features), CAST(n_features AS VARCHAR)], [typeof(output), CAST(output AS VARCHAR)], [typeof(scale), CAST(scale AS VARCHAR)], [typeof(nulls), CAST(nulls AS VARCHAR)], [typeof(lowering), CAST(lowering AS VARCHAR)], [typeof(dtype), CAST(dtype AS VARCHAR)]], 'VARCHAR [A-Za-z_]\w*; (INTEGER|BIGINT) [1-9]\d{0,5}; (INTEGER|BIGINT) [1-9]\d{0,5}; (INTEGER|BIGINT) \d{1,15}; (INTEGER|BIGINT) [1-9]\d{0,5}; [^;]*; ("NULL" NULL|VARCHAR [A-Za-z_]\w*); "NULL" NULL; "NULL" NULL; "NULL" NULL; VARCHAR (columns|array|vector|long|auto); BOOLEAN (true|false); VARCHAR (propagate|zero|error); VARCHAR (auto|sql|native|inline|indexed|relational); VARCHAR (auto|float32); [^;]*\[\]\[\]; [^;]*\[\]\[\]', TRY_CAST(k AS DOUBLE) * TRY_CAST(nnz_per_feature AS DOUBLE) <= 16777216, concat('sqlrp_cw_stages(', k, ', ', nnz_per_feature, ', ', seed, ', ', buckets, ', ', '{n})'), 'sqlrp_cw_step', source, key, array_column, keep, features, output, scale, nulls, lowering, dtype, true)));
COMMENT ON MACRO cw_project_sql IS 'sqlrp 0.1.0, SparseEmbedding. k: components of the result; nnz_per_feature: sums that a feature goes into; divides k; seed: which table is drawn; the same for rows that are to be compared; buckets: parts that the features are hashed to, each with sums of its own';

CREATE OR REPLACE MACRO rm_project_sql(source, k := 64, degree := 2, seed := 0, key := 'id', keep := [], features := [], array_column := NULL,
    feature := NULL, value := NULL, n_features := NULL, output := 'columns', scale := true,
    nulls := 'propagate', lowering := 'auto', dtype := 'auto') AS
  (SELECT text FROM query(sqlrp_open([[typeof(source), CAST(source AS VARCHAR)], [typeof(k), CAST(k AS VARCHAR)], [typeof(degree), CAST(degree AS VARCHAR)], [typeof(seed), CAST(seed AS VARCHAR)], [typeof(key), CAST(key AS VARCHAR)], [typeof(array_column), CAST(array_column AS VARCHAR)], [typeof(feature), CAST(feature AS VARCHAR)], [typeof(value), CAST(value AS VARCHAR)], [typeof(n_features), CAST(n_features AS VARCHAR)], [typeof(output), CAST(output AS VARCHAR)], [typeof(scale), CAST(scale AS VARCHAR)], [typeof(nulls), CAST(nulls AS VARCHAR)], [typeof(lowering), CAST(lowering AS VARCHAR)], [typeof(dtype), CAST(dtype AS VARCHAR)]], 'VARCHAR [A-Za-z_]\w*; (INTEGER|BIGINT) [1-9]\d{0,5}; (INTEGER|BIGINT) [1-9]\d{0,2}; (INTEGER|BIGINT) \d{1,15}; [^;]*; ("NULL" NULL|VARCHAR [A-Za-z_]\w*); "NULL" NULL; "NULL" NULL; "NULL" NULL; VARCHAR (columns|array|vector|long|auto); BOOLEAN (true|false); VARCHAR (propagate|zero|error); VARCHAR (auto|sql|native|inline|indexed|relational); VARCHAR (auto|float32); [^;]*\[\]\[\]; [^;]*\[\]\[\]', TRY_CAST(k AS DOUBLE) * TRY_CAST(degree AS DOUBLE) <= 16777216, concat('sqlrp_rm_stages(', k, ', ', degree, ', ', seed, ', ', '{n})'), 'sqlrp_rm_step', source, key, array_column, keep, features, output, scale, nulls, lowering, dtype, true)));
COMMENT ON MACRO rm_project_sql IS 'sqlrp 0.1.0, RandomMaclaurin. k: components of the result; degree: of the polynomial kernel; seed: which table is drawn; the same for rows that are to be compared';

CREATE OR REPLACE MACRO ts_project_sql(source, k := 64, degree := 2, seed := 0, key := 'id', keep := [], features := [], array_column := NULL,
    feature := NULL, value := NULL, n_features := NULL, output := 'columns', scale := true,
    nulls := 'propagate', lowering := 'auto', dtype := 'auto') AS
  (SELECT text FROM query(sqlrp_open([[typeof(source), CAST(source AS VARCHAR)], [typeof(k), CAST(k AS VARCHAR)], [typeof(degree), CAST(degree AS VARCHAR)], [typeof(seed), CAST(seed AS VARCHAR)], [typeof(key), CAST(key AS VARCHAR)], [typeof(array_column), CAST(array_column AS VARCHAR)], [typeof(feature), CAST(feature AS VARCHAR)], [typeof(value), CAST(value AS VARCHAR)], [typeof(n_features), CAST(n_features AS VARCHAR)], [typeof(output), CAST(output AS VARCHAR)], [typeof(scale), CAST(scale AS VARCHAR)], [typeof(nulls), CAST(nulls AS VARCHAR)], [typeof(lowering), CAST(lowering AS VARCHAR)], [typeof(dtype), CAST(dtype AS VARCHAR)]], 'VARCHAR [A-Za-z_]\w*; (INTEGER|BIGINT) [1-9]\d{0,5}; (INTEGER|BIGINT) [1-9]\d{0,2}; (INTEGER|BIGINT) \d{1,15}; [^;]*; ("NULL" NULL|VARCHAR [A-Za-z_]\w*); "NULL" NULL; "NULL" NULL; "NULL" NULL; VARCHAR (columns|array|vector|long|auto); BOOLEAN (true|false); VARCHAR (propagate|zero|error); VARCHAR (auto|sql|native|inline|indexed|relational); VARCHAR (auto|float32); [^;]*\[\]\[\]; [^;]*\[\]\[\]', TRY_CAST(k AS DOUBLE) * TRY_CAST(degree AS DOUBLE) <= 16777216, concat('sqlrp_ts_stages(', k, ', ', degree, ', ', seed, ', ', '{n})'), 'sqlrp_ts_step', source, key, array_column, keep, features, output, scale, nulls, lowering, dtype, true)));
COMMENT ON MACRO ts_project_sql IS 'sqlrp 0.1.0, TensorSketch. k: components of the result; degree: of the polynomial kernel; seed: which table is drawn; the same for rows that are to be compared';

CREATE OR REPLACE MACRO rff_project_sql(source, k := 64, gamma := 1.0, seed := 0, key := 'id', keep := [], features := [], array_column := NULL,
    feature := NULL, value := NULL, n_features := NULL, output := 'columns', scale := true,
    nulls := 'propagate', lowering := 'auto', dtype := 'auto') AS
  (SELECT text FROM query(sqlrp_open([[typeof(source), CAST(source AS VARCHAR)], [typeof(k), CAST(k AS VARCHAR)], [typeof(gamma), CAST(gamma AS VARCHAR)], [typeof(seed), CAST(seed AS VARCHAR)], [typeof(key), CAST(key AS VARCHAR)], [typeof(array_column), CAST(array_column AS VARCHAR)], [typeof(feature), CAST(feature AS VARCHAR)], [typeof(value), CAST(value AS VARCHAR)], [typeof(n_features), CAST(n_features AS VARCHAR)], [typeof(output), CAST(output AS VARCHAR)], [typeof(scale), CAST(scale AS VARCHAR)], [typeof(nulls), CAST(nulls AS VARCHAR)], [typeof(lowering), CAST(lowering AS VARCHAR)], [typeof(dtype), CAST(dtype AS VARCHAR)]], 'VARCHAR [A-Za-z_]\w*; (INTEGER|BIGINT) [1-9]\d{0,5}; (INTEGER|BIGINT|DOUBLE|DECIMAL\(\d+,\d+\)) [-+.e\d]+; (INTEGER|BIGINT) \d{1,15}; [^;]*; ("NULL" NULL|VARCHAR [A-Za-z_]\w*); "NULL" NULL; "NULL" NULL; "NULL" NULL; VARCHAR (columns|array|vector|long|auto); BOOLEAN (true|false); VARCHAR (propagate|zero|error); VARCHAR (auto|sql|native|inline|indexed|relational); VARCHAR (auto|float32); [^;]*\[\]\[\]; [^;]*\[\]\[\]', true, concat('sqlrp_rff_stages(', k, ', ', sqlrp_double(gamma), ', ', seed, ', ', '{n})'), 'sqlrp_rff_step', source, key, array_column, keep, features, output, scale, nulls, lowering, dtype, true)));
COMMENT ON MACRO rff_project_sql IS 'sqlrp 0.1.0, RandomFourierFeatures. k: components of the result; gamma: of the kernel exp(-gamma |x - y|^2), above 0; seed: which table is drawn; the same for rows that are to be compared';

CREATE OR REPLACE MACRO ep_project_sql(source, k := 64, s := 'sqrt', seed := 0, degree := 2, vectors := 'sign', key := 'id', keep := [],
    features := [], array_column := NULL, feature := NULL, value := NULL, n_features := NULL,
    output := 'columns', scale := true, nulls := 'propagate', lowering := 'auto', dtype := 'auto') AS
  (SELECT text FROM query(sqlrp_open([[typeof(source), CAST(source AS VARCHAR)], [typeof(k), CAST(k AS VARCHAR)], [typeof(s), CAST(s AS VARCHAR)], [typeof(seed), CAST(seed AS VARCHAR)], [typeof(degree), CAST(degree AS VARCHAR)], [typeof(vectors), CAST(vectors AS VARCHAR)], [typeof(key), CAST(key AS VARCHAR)], [typeof(array_column), CAST(array_column AS VARCHAR)], [typeof(feature), CAST(feature AS VARCHAR)], [typeof(value), CAST(value AS VARCHAR)], [typeof(n_features), CAST(n_features AS VARCHAR)], [typeof(output), CAST(output AS VARCHAR)], [typeof(scale), CAST(scale AS VARCHAR)], [typeof(nulls), CAST(nulls AS VARCHAR)], [typeof(lowering), CAST(lowering AS VARCHAR)], [typeof(dtype), CAST(dtype AS VARCHAR)]], 'VARCHAR [A-Za-z_]\w*; (INTEGER|BIGINT) [1-9]\d{0,5}; (VARCHAR sqrt|(INTEGER|BIGINT|DOUBLE|DECIMAL\(\d+,\d+\)) [1-9]\d{0,14}(\.\d+)?); (INTEGER|BIGINT) \d{1,15}; (INTEGER|BIGINT) [1-9]\d{0,2}; VARCHAR (sign); [^;]*; ("NULL" NULL|VARCHAR [A-Za-z_]\w*); "NULL" NULL; "NULL" NULL; "NULL" NULL; VARCHAR (columns|array|vector|long|auto); BOOLEAN (true|false); VARCHAR (propagate|zero|error); VARCHAR (auto|sql|native|inline|indexed|relational); VARCHAR (auto|float32); [^;]*\[\]\[\]; [^;]*\[\]\[\]', TRY_CAST(k AS DOUBLE) * TRY_CAST(degree AS DOUBLE) <= 16777216, concat('sqlrp_ep_sign_stages(', k, ', ', '''', s, ''', ''', typeof(s), ''', ', seed, ', ', degree, ', ', '''', vectors, ''', ', '{n})'), 'sqlrp_ep_step', source, key, array_column, keep, features, output, scale, nulls, lowering, dtype, true)));
COMMENT ON MACRO ep_project_sql IS 'sqlrp 0.1.0, ExplicitPolynomialProjection. k: components of the result; s: one sign in s is not zero: a number from 1, or sqrt for the square root of the number of features; seed: which table is drawn; the same for rows that are to be compared; degree: of the polynomial kernel; vectors: what weighs the sums: sign or gaussian';

CREATE OR REPLACE MACRO project_with_sql(projection, source, key := 'id', keep := [], features := [], array_column := NULL, feature := NULL,
    value := NULL, n_features := NULL, output := 'columns', scale := true, nulls := 'propagate',
    lowering := 'auto', dtype := 'auto') AS
  (SELECT text FROM query(sqlrp_saved_step(source, sqlrp_layout(array_column, feature, value), projection, key, keep, features, array_column, feature, value, n_features, output, scale, nulls, lowering, dtype, true)));
COMMENT ON MACRO project_with_sql IS 'sqlrp 0.1.0. projection: the name of a projection that sqlrp.save stored here';

-- -- one vector ---------------------------------------------------------------------------------------------------------------
-- Functions of an array, for the vector of a search. Their text reads the column sqlrp_vector of the row that it is joined with. Without
-- n_features the signs are drawn for each vector, with n_features once for a statement.

-- The rows of one vector.
CREATE OR REPLACE MACRO sqlrp_vector_rows() AS
  '(SELECT CASE WHEN list_position(a, NULL) IS NULL AND a IS NOT NULL THEN 0 END AS ok, coalesce(list_transform(a, lambda e: coalesce(e, 0)), '
    || 'list_resize(CAST([] AS DOUBLE[]), n, 0)) AS x FROM (SELECT n, CASE WHEN len(sqlrp_vector) <> n THEN error(''sqlrp: vector has '' || len(sqlrp_vector) || '' numbers, and n_features = '' || n || '
    || ''': pass one number for each feature, in their order'') ELSE sqlrp_vector END AS a FROM sqlrp_given, sqlrp_source) s) s';

-- Everything is DOUBLE. A stage as calls of the macros of its kind: the text that draws its table, and what stands before and after the call of the rows.
CREATE OR REPLACE MACRO sqlrp_vector_stages(stages, sizes) AS
  list_transform(list_transform(stages, lambda stages_s, stages_i: {'kind': stages_s['kind'], 'i': stages_i, 'call': sqlrp_stage_text(stages_s, sizes[stages_i],
      'DOUBLE', 'DOUBLE', stages_i > 1 AND stages[greatest(stages_i - 1, 1)]['kind'] = 'append')}), lambda stages_v: {
    'table': CASE WHEN stages_v['kind'] IN ('signs', 'weights', 'reflect', 'rescale', 'products') THEN concat(''', sqlrp_table', stages_v['i'],
      ' AS MATERIALIZED ('' || sqlrp_', stages_v['kind'], '_table(', stages_v['call'], ') || '')'' || ') ELSE '' END,
    'before': concat('sqlrp_', stages_v['kind'], '_rows('), 'after': concat(', ''ok, '', ''sqlrp_table', stages_v['i'], ''', ', stages_v['call'], ')')});

CREATE OR REPLACE MACRO sqlrp_vector_final(p, size, scale) AS
  list_transform(list_transform([p], lambda final_p: {'p': final_p, 'scaled': scale AND final_p['factor'] <> '1', 'bound': coalesce(final_p['bound'], len(final_p['names'])),
      'stages': sqlrp_vector_stages(final_p['stages'], sqlrp_sizes(final_p['stages'], size))}), lambda final_v:
    CASE WHEN final_v['p']['grouped'] THEN error('pooling sums the rows of a group: one vector is none, so use project_with and name the group''s column as group_by')
    ELSE concat('FROM query(''WITH sqlrp_source AS MATERIALIZED (SELECT ', coalesce('CASE WHEN n <> ' || final_v['bound'] || ' THEN error(''''the projection holds for '
        || final_v['bound'] || ' features, the source has '''' || n || '''': name ' || final_v['bound'] || ' in features'''') ELSE n END AS ', ''), 'n FROM (SELECT ', CASE WHEN starts_with(size, '(') THEN '(SELECT len(sqlrp_vector) FROM sqlrp_given)' ELSE size END, ' AS n) s)'' || ',
      sqlrp_join(list_transform(final_v['stages'], lambda final_s: final_s['table']), ''), ''' SELECT CASE WHEN ok IS NOT NULL THEN CAST(x AS DOUBLE[',
      CASE WHEN final_v['p']['k'] <= 100000 THEN final_v['p']['k'] END, ']) END AS z FROM '' || ', CASE WHEN final_v['scaled'] THEN 'sqlrp_scaled_rows(' ELSE '' END,
      sqlrp_join(list_reverse(list_transform(final_v['stages'], lambda final_s: final_s['before'])), ''), 'sqlrp_vector_rows()',
      sqlrp_join(list_transform(final_v['stages'], lambda final_s: final_s['after']), ''),
      CASE WHEN final_v['scaled'] THEN concat(', ''ok, '', ', sqlrp_string(final_v['p']['factor']), ')') ELSE '' END, ')') END)[1];

CREATE OR REPLACE MACRO sqlrp_vector_step(n_features, scale, method) AS
  replace('FROM query(sqlrp_vector_final(' || method || ', {n}, ' || sqlrp_flag('scale', scale) || '))', '{n}',
    CASE WHEN n_features IS NULL THEN '''(SELECT n FROM sqlrp_source)''' ELSE '''' || sqlrp_whole('n_features', n_features, 1) || '''' END);

CREATE OR REPLACE MACRO sqlrp_saved_vector_step(n_features, scale, projection) AS
  CASE WHEN projection IS NULL THEN error('projection = NULL must be the name of a saved projection')
    ELSE list_transform(['FROM query(sqlrp_vector_step(' || sqlrp_value(n_features) || ', ' || sqlrp_flag('scale', scale) || ', ' || sqlrp_saved(projection) || '[''text'']))'],
      lambda saved_t: CASE WHEN sqlrp_late() THEN saved_t ELSE sqlrp_if_saved(projection, sqlrp_string(saved_t), saved_t) END)[1] END;

-- The commonest projection, k sums with drawn signs times sqrt(s / k), is written in one step in place of two. Its arguments take the places
-- of {k}, {s} and so on in the end: DuckDB binds an argument of a macro wherever the macro names it. Normal weights take two steps.
CREATE OR REPLACE MACRO sqlrp_signs_vector() AS
  'WITH sqlrp_source AS MATERIALIZED (SELECT {n} AS n), sqlrp_table1 AS MATERIALIZED ('
    || sqlrp_signs_table(sqlrp_sign_text('{seed}', '{k}', '{s}', 0), '{k}', '(SELECT n FROM sqlrp_source)', 'DOUBLE', 'DOUBLE', 1, 0, false, false)
    || ') SELECT CASE WHEN ok IS NOT NULL THEN CAST(x AS DOUBLE[{length}]) END AS z FROM '
    || sqlrp_scaled_rows(sqlrp_signs_rows(sqlrp_vector_rows(), 'ok, ', 'sqlrp_table1', '', '{k}', '', 'DOUBLE', 'DOUBLE', 1, 0, false, false), 'ok, ', '{factor}');

CREATE OR REPLACE MACRO sqlrp_rp_vector_step(k, s, seed, vectors, n_features, scale) AS
  replace(replace(replace(replace(replace(replace(CASE sqlrp_one_of('vectors', vectors, ['sign', 'gaussian']) WHEN 'gaussian' THEN
      'FROM query(sqlrp_vector_final(sqlrp_rp_stages({k}, NULL, NULL, {seed}, ''gaussian'', ''{n}''), ''{n}'', ' || sqlrp_flag('scale', scale) || '))'
      ELSE sqlrp_signs_vector() END,
    '{length}', CASE WHEN TRY_CAST(k AS BIGINT) <= 100000 THEN '{k}' ELSE '' END),
    '{factor}', CASE WHEN sqlrp_flag('scale', scale) THEN 'sqrt({s} / {k})' ELSE '1' END),
    '{s}', CASE WHEN vectors = 'gaussian' THEN '' ELSE sqlrp_s(CAST(s AS VARCHAR), typeof(s), '(SELECT n FROM sqlrp_source)') END),
    '{n}', CASE WHEN n_features IS NULL THEN '(SELECT len(sqlrp_vector) FROM sqlrp_given)' ELSE CAST(sqlrp_whole('n_features', n_features, 1) AS VARCHAR) END),
    '{seed}', CAST(sqlrp_seed_number(seed) AS VARCHAR)), '{k}', CAST(sqlrp_whole('k', k, 1) AS VARCHAR));

CREATE OR REPLACE MACRO rp_vector(vector, k := 64, s := 'sqrt', seed := 0, vectors := 'sign', n_features := NULL, scale := true) AS
  (WITH sqlrp_given AS MATERIALIZED (SELECT CAST(vector AS DOUBLE[]) AS sqlrp_vector)
    SELECT z FROM query(sqlrp_sized(['k'], [TRY_CAST(k AS DOUBLE)]) || sqlrp_rp_vector_step(k, s, seed, vectors, n_features, scale)));
COMMENT ON MACRO rp_vector IS 'sqlrp 0.1.0, SparseProjection. k: components of the result; s: one sign in s is not zero: a number from 1, or sqrt for the square root of the number of features; seed: which table is drawn; the same for rows that are to be compared; vectors: what weighs the sums: sign or gaussian';

CREATE OR REPLACE MACRO pk_vector(vector, k := 64, s := 'sqrt', seed := 0, degree := 2, p := NULL, t := 4, c := 0.0,
    minimise_repetition := true, vectors := 'sign', n_features := NULL, scale := true) AS
  (WITH sqlrp_given AS MATERIALIZED (SELECT CAST(vector AS DOUBLE[]) AS sqlrp_vector)
    SELECT z FROM query(sqlrp_vector_step(n_features, scale, sqlrp_sized(['k', 'degree', 't'], [TRY_CAST(k AS DOUBLE), TRY_CAST(degree AS DOUBLE), TRY_CAST(t AS DOUBLE)]) || 'sqlrp_pk_stages(' || sqlrp_whole('k', k, 1) || ', ' || sqlrp_text(s) || ', ' || sqlrp_string(typeof(s)) || ', ' || sqlrp_seed_number(seed) || ', ' || sqlrp_whole('degree', degree, 1) || ', ' || CASE WHEN p IS NULL THEN 'NULL' ELSE CAST(sqlrp_whole('p', p, 1) AS VARCHAR) END || ', ' || sqlrp_whole('t', t, 1) || ', ' || sqlrp_double(c) || ', ' || sqlrp_flag('minimise_repetition', minimise_repetition) || ', ' || sqlrp_string(sqlrp_one_of('vectors', vectors, ['sign', 'gaussian'])) || ', {n})')));
COMMENT ON MACRO pk_vector IS 'sqlrp 0.1.0, PolynomialKernelProjection. k: components of the result; s: one sign in s is not zero: a number from 1, or sqrt for the square root of the number of features; seed: which table is drawn; the same for rows that are to be compared; degree: of the polynomial kernel; p: signed sums that all products share; without it 2k; t: products summed for a component; c: the kernel is (<x, y> + c)^degree; minimise_repetition: use every signed sum equally often; vectors: what weighs the sums: sign or gaussian';

CREATE OR REPLACE MACRO d2pk_vector(vector, k := 64, s := 3, seed := 0, m := 2, modified := false, n_features := NULL, scale := true) AS
  (WITH sqlrp_given AS MATERIALIZED (SELECT CAST(vector AS DOUBLE[]) AS sqlrp_vector)
    SELECT z FROM query(sqlrp_vector_step(n_features, scale, sqlrp_sized(['k', 'm'], [TRY_CAST(k AS DOUBLE), TRY_CAST(m AS DOUBLE)]) || 'sqlrp_d2pk_stages(' || sqlrp_whole('k', k, 1) || ', ' || sqlrp_text(s) || ', ' || sqlrp_string(typeof(s)) || ', ' || sqlrp_seed_number(seed) || ', ' || sqlrp_whole('m', m, 1) || ', ' || sqlrp_flag('modified', modified) || ', {n})')));
COMMENT ON MACRO d2pk_vector IS 'sqlrp 0.1.0, Degree2KernelProjection. k: components of the result; s: one sign in s is not zero: a number from 1, or sqrt for the square root of the number of features; seed: which table is drawn; the same for rows that are to be compared; m: signed squares summed for a component: 1, or even; modified: take the squares out of the kernel, for few features';

CREATE OR REPLACE MACRO rs_vector(vector, k := 64, densify := NULL, seed := 0, stratified := false, n_features := NULL, scale := true) AS
  (WITH sqlrp_given AS MATERIALIZED (SELECT CAST(vector AS DOUBLE[]) AS sqlrp_vector)
    SELECT z FROM query(sqlrp_vector_step(n_features, scale, sqlrp_sized(['k'], [TRY_CAST(k AS DOUBLE)]) || 'sqlrp_rs_stages(' || sqlrp_whole('k', k, 1) || ', ' || sqlrp_text(densify) || ', ' || sqlrp_seed_number(seed) || ', ' || sqlrp_flag('stratified', stratified) || ', {n})')));
COMMENT ON MACRO rs_vector IS 'sqlrp 0.1.0, RandomSubspace. k: components of the result; densify: householder reflects the rows first, for rows with few non-zeros; seed: which table is drawn; the same for rows that are to be compared; stratified: picks one feature from each of k equal parts of the list';

CREATE OR REPLACE MACRO fht_vector(vector, k := 64, seed := 0, padding := 'power_of_two', replacement := false, n_features := NULL,
    scale := true) AS
  (WITH sqlrp_given AS MATERIALIZED (SELECT CAST(vector AS DOUBLE[]) AS sqlrp_vector)
    SELECT z FROM query(sqlrp_vector_step(n_features, scale, sqlrp_sized(['k'], [TRY_CAST(k AS DOUBLE)]) || 'sqlrp_fht_stages(' || sqlrp_whole('k', k, 1) || ', ' || sqlrp_seed_number(seed) || ', ' || sqlrp_string(sqlrp_one_of('padding', padding, ['power_of_two', 'least'])) || ', ' || sqlrp_flag('replacement', replacement) || ', {n})')));
COMMENT ON MACRO fht_vector IS 'sqlrp 0.1.0, HadamardProjection. k: components of the result; seed: which table is drawn; the same for rows that are to be compared; padding: the length that rows are padded to: power_of_two, or least, which is a power of two times 1, 12, 20, 28, 36; replacement: draw the entries with replacement; without it, k = the padded length loses nothing';

CREATE OR REPLACE MACRO cw_vector(vector, k := 64, nnz_per_feature := 4, seed := 0, buckets := 1, n_features := NULL, scale := true) AS
  (WITH sqlrp_given AS MATERIALIZED (SELECT CAST(vector AS DOUBLE[]) AS sqlrp_vector)
    SELECT z FROM query(sqlrp_vector_step(n_features, scale, sqlrp_sized(['k', 'nnz_per_feature'], [TRY_CAST(k AS DOUBLE), TRY_CAST(nnz_per_feature AS DOUBLE)]) || 'sqlrp_cw_stages(' || sqlrp_whole('k', k, 1) || ', ' || sqlrp_whole('nnz_per_feature', nnz_per_feature, 1) || ', ' || sqlrp_seed_number(seed) || ', ' || sqlrp_whole('buckets', buckets, 1) || ', {n})')));
COMMENT ON MACRO cw_vector IS 'sqlrp 0.1.0, SparseEmbedding. k: components of the result; nnz_per_feature: sums that a feature goes into; divides k; seed: which table is drawn; the same for rows that are to be compared; buckets: parts that the features are hashed to, each with sums of its own';

CREATE OR REPLACE MACRO rm_vector(vector, k := 64, degree := 2, seed := 0, n_features := NULL, scale := true) AS
  (WITH sqlrp_given AS MATERIALIZED (SELECT CAST(vector AS DOUBLE[]) AS sqlrp_vector)
    SELECT z FROM query(sqlrp_vector_step(n_features, scale, sqlrp_sized(['k', 'degree'], [TRY_CAST(k AS DOUBLE), TRY_CAST(degree AS DOUBLE)]) || 'sqlrp_rm_stages(' || sqlrp_whole('k', k, 1) || ', ' || sqlrp_whole('degree', degree, 1) || ', ' || sqlrp_seed_number(seed) || ', {n})')));
COMMENT ON MACRO rm_vector IS 'sqlrp 0.1.0, RandomMaclaurin. k: components of the result; degree: of the polynomial kernel; seed: which table is drawn; the same for rows that are to be compared';

CREATE OR REPLACE MACRO ts_vector(vector, k := 64, degree := 2, seed := 0, n_features := NULL, scale := true) AS
  (WITH sqlrp_given AS MATERIALIZED (SELECT CAST(vector AS DOUBLE[]) AS sqlrp_vector)
    SELECT z FROM query(sqlrp_vector_step(n_features, scale, sqlrp_sized(['k', 'degree'], [TRY_CAST(k AS DOUBLE), TRY_CAST(degree AS DOUBLE)]) || 'sqlrp_ts_stages(' || sqlrp_whole('k', k, 1) || ', ' || sqlrp_whole('degree', degree, 1) || ', ' || sqlrp_seed_number(seed) || ', {n})')));
COMMENT ON MACRO ts_vector IS 'sqlrp 0.1.0, TensorSketch. k: components of the result; degree: of the polynomial kernel; seed: which table is drawn; the same for rows that are to be compared';

CREATE OR REPLACE MACRO rff_vector(vector, k := 64, gamma := 1.0, seed := 0, n_features := NULL, scale := true) AS
  (WITH sqlrp_given AS MATERIALIZED (SELECT CAST(vector AS DOUBLE[]) AS sqlrp_vector)
    SELECT z FROM query(sqlrp_vector_step(n_features, scale, sqlrp_sized(['k'], [TRY_CAST(k AS DOUBLE)]) || 'sqlrp_rff_stages(' || sqlrp_whole('k', k, 1) || ', ' || sqlrp_double(gamma) || ', ' || sqlrp_seed_number(seed) || ', {n})')));
COMMENT ON MACRO rff_vector IS 'sqlrp 0.1.0, RandomFourierFeatures. k: components of the result; gamma: of the kernel exp(-gamma |x - y|^2), above 0; seed: which table is drawn; the same for rows that are to be compared';

CREATE OR REPLACE MACRO ep_vector(vector, k := 64, s := 'sqrt', seed := 0, degree := 2, vectors := 'sign', n_features := NULL,
    scale := true) AS
  (WITH sqlrp_given AS MATERIALIZED (SELECT CAST(vector AS DOUBLE[]) AS sqlrp_vector)
    SELECT z FROM query(sqlrp_vector_step(n_features, scale, sqlrp_sized(['k', 'degree'], [TRY_CAST(k AS DOUBLE), TRY_CAST(degree AS DOUBLE)]) || 'sqlrp_ep_stages(' || sqlrp_whole('k', k, 1) || ', ' || sqlrp_text(s) || ', ' || sqlrp_string(typeof(s)) || ', ' || sqlrp_seed_number(seed) || ', ' || sqlrp_whole('degree', degree, 1) || ', ' || sqlrp_string(sqlrp_one_of('vectors', vectors, ['sign', 'gaussian'])) || ', {n})')));
COMMENT ON MACRO ep_vector IS 'sqlrp 0.1.0, ExplicitPolynomialProjection. k: components of the result; s: one sign in s is not zero: a number from 1, or sqrt for the square root of the number of features; seed: which table is drawn; the same for rows that are to be compared; degree: of the polynomial kernel; vectors: what weighs the sums: sign or gaussian';

CREATE OR REPLACE MACRO vector_with(projection, vector, n_features := NULL, scale := true) AS
  (WITH sqlrp_given AS MATERIALIZED (SELECT CAST(vector AS DOUBLE[]) AS sqlrp_vector)
    SELECT z FROM query(sqlrp_saved_vector_step(n_features, scale, projection)));
COMMENT ON MACRO vector_with IS 'sqlrp 0.1.0. projection: the name of a projection that sqlrp.save stored here';

-- -- the methods, and how well they keep distances ------------------------------------------------------------------------

CREATE OR REPLACE MACRO sqlrp_methods() AS TABLE
  FROM (VALUES
    ('rp_project', 'SparseProjection', 'distances and neighbours of any rows; begin with it', 'k = 64, s = ''sqrt'', seed = 0, vectors = ''sign'''),
    ('pk_project', 'PolynomialKernelProjection', 'products of columns, for a linear model on top', 'k = 64, s = ''sqrt'', seed = 0, degree = 2, p = NULL, t = 4, c = 0.0, minimise_repetition = true, vectors = ''sign'''),
    ('d2pk_project', 'Degree2KernelProjection', 'products of two columns, where inner products matter', 'k = 64, s = 3, seed = 0, m = 2, modified = false'),
    ('cbp_project', 'BilinearPooling', 'an image from its local descriptors', 'k = 64, s = ''sqrt'', seed = 0, p = NULL, t = 4, normalise = true, split = NULL, group_by = NULL'),
    ('rmp_project', 'MaclaurinPooling', 'an image from its descriptors; the simplest baseline', 'k = 64, normalise = true, split = NULL, group_by = NULL, seed = 0'),
    ('tsp_project', 'SketchPooling', 'an image from its descriptors, by few additions', 'k = 64, normalise = true, split = NULL, group_by = NULL, seed = 0'),
    ('fbp_project', 'FullBilinearPooling', 'an image from few descriptors, exactly', 'k = 64, normalise = true, split = NULL, group_by = NULL'),
    ('rs_project', 'RandomSubspace', 'columns drawn as they are: the fastest, for dense rows such as pixels', 'k = 64, densify = NULL, seed = 0, stratified = false'),
    ('fht_project', 'HadamardProjection', 'embeddings, their bits, and rotations without loss', 'k = 64, seed = 0, padding = ''power_of_two'', replacement = false'),
    ('cw_project', 'SparseEmbedding', 'word counts and other sparse rows: 4 additions per number that is not 0', 'k = 64, nnz_per_feature = 4, seed = 0, buckets = 1'),
    ('rm_project', 'RandomMaclaurin', 'polynomial kernels; the baseline that shares no sums', 'k = 64, degree = 2, seed = 0'),
    ('ts_project', 'TensorSketch', 'polynomial kernels of many features, by few additions', 'k = 64, degree = 2, seed = 0'),
    ('rff_project', 'RandomFourierFeatures', 'the Gaussian kernel, for a linear model on top', 'k = 64, gamma = 1.0, seed = 0'),
    ('ep_project', 'ExplicitPolynomialProjection', 'polynomial kernels of few features, through all products', 'k = 64, s = ''sqrt'', seed = 0, degree = 2, vectors = ''sign''')) v("function", "class", use_it_for, parameters);

-- How well `components` keep the distances of `vector`, two columns of arrays of a query's text, on the rows whose hash is lowest: the mean of
-- |z - z'|^2 / |x - x'|^2 - 1 without its sign over all pairs, and the share of the ten nearest rows that stay among the ten nearest.
CREATE OR REPLACE MACRO sqlrp_quality(query, vector, components, n_rows := 500) AS TABLE
  FROM query(CASE WHEN sqlrp_whole('n_rows', n_rows, 11) > 2000 THEN error(concat('n_rows = ', n_rows,
      ' must be at most 2,000, as all pairs are compared: lower n_rows'))
    ELSE concat('WITH sqlrp_rows AS MATERIALIZED (SELECT row_number() OVER () AS i, x, z FROM (SELECT x, z FROM (SELECT CAST(', sqlrp_quote(vector),
      ' AS DOUBLE[]) AS x, CAST(', sqlrp_quote(components), ' AS DOUBLE[]) AS z FROM (', coalesce(query, error('query = NULL must be the text of a query, such as FROM docs')),
      ') q) s WHERE x IS NOT NULL AND z IS NOT NULL ORDER BY hash(x) ASC LIMIT ', n_rows, ') s), ',
      'sqlrp_pairs AS MATERIALIZED (SELECT a.i AS i, b.i AS j, list_distance(a.x, b.x) AS x, list_distance(a.z, b.z) AS z FROM sqlrp_rows a JOIN sqlrp_rows b ON a.i <> b.i), ',
      'sqlrp_ranks AS (SELECT row_number() OVER (PARTITION BY i ORDER BY x ASC, j ASC) AS x, row_number() OVER (PARTITION BY i ORDER BY z ASC, j ASC) AS z FROM sqlrp_pairs) ',
      'SELECT (SELECT CASE WHEN count(*) < 11 THEN error(concat(count(*), '' rows are fewer than 11: give more rows with both columns'')) ELSE count(*) END ',
      'FROM sqlrp_rows) AS "rows", (SELECT avg(abs(z * z / (x * x) - 1)) FROM sqlrp_pairs WHERE x > 0) AS mean_distortion, ',
      '(SELECT CAST(count(*) FILTER (WHERE z <= 10) AS DOUBLE) / CAST(count(*) AS DOUBLE) FROM sqlrp_ranks WHERE x <= 10) AS recall_of_10') END);
