-- Written by `python sql/build.py` from the parts in sql/duckdb/: change those.

-- sqlrp for DuckDB, without Python: random projections and polynomial-kernel features as table functions.
--
--   .read sql/duckdb.sql
--   FROM rp_project('images', k := 128, s := 3, seed := 7);
--   FROM pk_project('images', k := 256, degree := 2, p := 512, t := 4, c := 1, seed := 7, keep := ['label']);
--   FROM rp_project('docs', array_column := 'embedding');
--   FROM rp_project('counts', s := 3, key := 'doc', feature := 'word', value := 'n');
--
-- The same functions and the same numbers as Python's `sqlrp.install`, which may replace them at any time, as this file
-- may replace its. (Gaussian vectors are drawn in Python. They and the other methods are only there.) They work in views and
-- CREATE TABLE AS, and see temporary and uncommitted tables. To take them away:
-- DROP MACRO TABLE rp_project; DROP MACRO TABLE pk_project;
--
-- How it works: a macro is one `query(…)` over a constant text. json_serialize_plan, binding in the caller's transaction,
-- tells the columns of the source; list functions draw the signs and write the text. A macro's argument is copied to
-- every use, so a value used twice is bound by a lambda first: list_transform([value], lambda v: …)[1]. A lambda within a
-- macro hides the caller's names that its argument mentions, hence the long names in the innermost ones. Fields are
-- written v['field'], as a table function takes v.field for a string.

-- -- the portable draw: sqlrp/core/draw.py says why it is good ---------------------------------------------------------------

-- The first 31 bits of the fractional part of the square roots of the first 32 primes: four polynomials of degree 7.
CREATE OR REPLACE MACRO sqlrp_constants() AS
  CAST([[889516851, 1572067138, 506952121, 1386740381, 679946559, 1300411462, 264367317, 770729612],
   [1709035182, 827135125, 1219264685, 177731180, 865702707, 1197090115, 1837504262, 601531406],
   [1462749355, 1739997929, 398042046, 915149669, 1168239147, 1907382987, 237154305, 931967384],
   [1822908248, 107107080, 319742201, 738907103, 945551027, 1353227828, 578591514, 956753662]] AS BIGINT[][]);

CREATE OR REPLACE MACRO sqlrp_horner(a, x) AS
  list_reduce(list_reverse(a), lambda horner_h, horner_a: (horner_h * x + horner_a) % 2147483647);

-- The 64 coefficients of a seed, as eight lists of eight. Purposes: 0 signs, 1 index, 2 subspace, 3 flips, 4 sample, 5 blocks, 6 search, 7 normals.
CREATE OR REPLACE MACRO sqlrp_seed(seed, purpose) AS
  list_transform([list_transform([1, 2], lambda seed_q: sqlrp_horner(sqlrp_constants()[seed_q],
      (sqlrp_horner(sqlrp_constants()[seed_q], CAST(seed AS BIGINT) % 2147483647)
       + CAST(seed AS BIGINT) // 2147483647) % 2147483647))],
    lambda seed_mixed: list_transform(range(8), lambda seed_i: list_transform(range(8), lambda seed_j:
      (sqlrp_horner(sqlrp_constants()[3], (seed_mixed[1] + 64 * purpose + 8 * seed_i + seed_j) % 2147483647)
       + sqlrp_horner(sqlrp_constants()[4], (seed_mixed[2] + 64 * purpose + 8 * seed_i + seed_j) % 2147483647)) % 2147483647)))[1];

-- The eight coefficients of a component, and the entry of a feature.
CREATE OR REPLACE MACRO sqlrp_component(a, c) AS
  list_transform(a, lambda component_u: sqlrp_horner(component_u, c));

CREATE OR REPLACE MACRO sqlrp_entry(b, f) AS
  ((((((((((((((b[8]*CAST(f AS BIGINT)+b[7])%2147483647)*CAST(f AS BIGINT)+b[6])%2147483647)*CAST(f AS BIGINT)+b[5])%2147483647)*CAST(f AS BIGINT)+b[4])%2147483647)*CAST(f AS BIGINT)+b[3])%2147483647)*CAST(f AS BIGINT)+b[2])%2147483647)*CAST(f AS BIGINT)+b[1])%2147483647);

-- The entries h(c, f) of every component (a list each) over the given features.
CREATE OR REPLACE MACRO sqlrp_entries(seed, purpose, components, features) AS
  list_transform([sqlrp_seed(seed, purpose)], lambda entries_a:
    list_transform(range(components), lambda entries_c:
      list_transform([sqlrp_component(entries_a, entries_c)], lambda entries_b:
        list_transform(features, lambda entries_f: sqlrp_entry(entries_b, entries_f)))[1]))[1];

-- The numbers 0 … p-1, sorted by (entry, number).
CREATE OR REPLACE MACRO sqlrp_order(entries) AS
  list_transform(list_sort(list_transform(entries, lambda order_h, order_i: {'h': order_h, 'v': order_i - 1})), lambda order_e: order_e['v']);

-- Append one more permutation to those that are dealt. A component that takes from both gets no vector twice.
CREATE OR REPLACE MACRO sqlrp_deal(dealt, next, size) AS
  CASE WHEN len(dealt) % size = 0 THEN dealt || next ELSE
    list_transform([list_filter(next, lambda deal_v: NOT list_contains(dealt[-(len(dealt) % size):], deal_v))
                    [:size - len(dealt) % size]],
      lambda deal_head: dealt || deal_head || list_filter(next, lambda deal_v: NOT list_contains(deal_head, deal_v)))[1] END;

-- The index table: k lists of `size` distinct vectors of p.
CREATE OR REPLACE MACRO sqlrp_index(seed, p, size, k, minimise) AS
  CASE WHEN minimise THEN
    list_transform([list_reduce(
        list_transform(sqlrp_entries(seed, 1, CAST(ceil(size * k / p) AS BIGINT), range(p)), lambda index_e: sqlrp_order(index_e)),
        lambda index_dealt, index_next: sqlrp_deal(index_dealt, index_next, size), CAST([] AS BIGINT[]))],
      lambda index_flat: list_transform(range(k), lambda index_c: index_flat[index_c * size + 1 : (index_c + 1) * size]))[1]
  ELSE list_transform(sqlrp_entries(seed, 1, k, range(p)), lambda index_e: sqlrp_order(index_e)[:size]) END;

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

-- -- the source -----------------------------------------------------------------------------------------------------------

-- The source as it stands after FROM: a file's path, or quoted parts.
CREATE OR REPLACE MACRO sqlrp_from(source) AS
  CASE WHEN source IS NULL OR trim(source) = '' THEN
      error('table name ' || sqlrp_shown(source) || ' is empty: name a table, a view or a file')
    WHEN regexp_matches(lower(source), '\.(parquet|csv|tsv|csv\.gz|json|jsonl|ndjson|arrow)$') AND NOT contains(source, '"')
      THEN sqlrp_string(source)
    ELSE list_transform([regexp_extract_all(source, '(?:^|\.)("(?:[^"]|"")*"|[^".][^.]*)', 1)], lambda from_parts:
      CASE WHEN array_to_string(from_parts, '.') IS DISTINCT FROM source THEN
          error('table name ' || sqlrp_shown(source) || ' has an empty part or an open quote: write schema.table, '
                || 'or quote it "like this"')
        ELSE array_to_string(list_transform(from_parts, lambda from_part:
          CASE WHEN from_part[1] = '"' THEN from_part ELSE sqlrp_quote(from_part) END), '.') END)[1] END;

-- Its columns: a list of {name, type, nullable}. DESCRIBE is planned, not run, and its rows stand in the plan.
CREATE OR REPLACE MACRO sqlrp_columns(relation) AS
  list_transform([json_serialize_plan('DESCRIBE SELECT * FROM ' || relation)], lambda columns_plan:
    CASE WHEN CAST(columns_plan->>'$.error' AS BOOLEAN) THEN
        error('source ' || relation || ' cannot be read: ' || string_split(columns_plan->>'$.error_message', chr(10))[1])
      ELSE list_transform(
        [list_transform([0, 1, 2], lambda columns_i: list_transform(CAST(columns_plan->('$.plans[0].children[0].collection.values[' || columns_i || ']')
          AS JSON[]), lambda columns_cell: columns_cell->>'$.value'))],
        lambda columns_v: list_transform(columns_v[1], lambda columns_name, columns_i: {'name': columns_name, 'type': columns_v[2][columns_i], 'nullable': columns_v[3][columns_i] != 'NO'}))[1]
    END)[1];

-- What kind of number a type is: integers of `bits` bits, decimals of `bits` bits in units of 10^-digits.
CREATE OR REPLACE MACRO sqlrp_number(type) AS
  CASE WHEN type IN ('FLOAT', 'DOUBLE') THEN {'kind': lower(type), 'bits': 0, 'digits': 0}
    WHEN type = 'BIGNUM' THEN {'kind': 'double', 'bits': 0, 'digits': 0}
    WHEN starts_with(type, 'DECIMAL(') AND NOT ends_with(type, ']') THEN {
      'kind': 'decimal', 'bits': CAST(ceil(CAST(regexp_extract(type, '(\d+),', 1) AS INTEGER) * log2(10)) AS INTEGER),
      'digits': CAST(regexp_extract(type, ',(\d+)', 1) AS INTEGER)}
    WHEN type IN ('BOOLEAN', 'TINYINT', 'UTINYINT', 'SMALLINT', 'USMALLINT', 'INTEGER', 'UINTEGER', 'BIGINT', 'UBIGINT',
                  'HUGEINT', 'UHUGEINT') THEN {
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

-- -- the arguments ----------------------------------------------------------------------------------------------------------

-- The arguments, checked and completed: the words of an error are those of Python.
CREATE OR REPLACE MACRO sqlrp_whole(name, value, low) AS
  CASE WHEN typeof(value) NOT IN ('INTEGER', 'BIGINT') OR TRY_CAST(value AS BIGINT) NOT BETWEEN low AND 2147483645 THEN
      error(name || ' = ' || sqlrp_shown(value) || ' must be a whole number >= ' || low)
    ELSE TRY_CAST(value AS BIGINT) END;

CREATE OR REPLACE MACRO sqlrp_one_of(name, value, choices) AS
  CASE WHEN value IS NULL OR NOT list_contains(choices, CAST(value AS VARCHAR)) THEN
      error(name || ' = ' || sqlrp_shown(value) || ' must be one of ' || array_to_string(choices, ', '))
    ELSE CAST(value AS VARCHAR) END;

CREATE OR REPLACE MACRO sqlrp_names(name, value) AS
  CASE WHEN typeof(value) = 'VARCHAR' THEN
      error(name || ' = ' || sqlrp_shown(value) || ' must be a list of column names: write [' || sqlrp_shown(value) || ']')
    ELSE coalesce(TRY_CAST(TRY_CAST(value AS JSON) AS VARCHAR[]), []) END;

CREATE OR REPLACE MACRO sqlrp_flag(name, value) AS
  CASE WHEN typeof(value) != 'BOOLEAN' OR value IS NULL THEN error(name || ' = ' || sqlrp_shown(value) || ' must be true or false')
    ELSE TRY_CAST(value AS BOOLEAN) END;

-- s as a number, given as text with the name of its type and the number of features (NULL: an open vocabulary).
CREATE OR REPLACE MACRO sqlrp_s(s, kind, n) AS
  CASE WHEN s = 'sqrt' THEN CASE WHEN n IS NULL THEN
      error('s = "sqrt" needs the number of features, which an open vocabulary does not have: '
            || 'pass n_features, or a number such as s = 3') ELSE sqrt(CAST(n AS DOUBLE)) END
    WHEN kind IN ('VARCHAR', 'BOOLEAN') OR s IS NULL OR NOT coalesce(TRY_CAST(s AS DOUBLE) >= 1 AND isfinite(TRY_CAST(s AS DOUBLE)), false)
      THEN error('s = ' || CASE WHEN kind = 'VARCHAR' THEN '''' || s || '''' ELSE coalesce(s, 'NULL') END
            || ' must be a number >= 1, or "sqrt" for the square root of the number of features')
    ELSE TRY_CAST(s AS DOUBLE) END;

-- The columns that pass through, none with the name of an output.
CREATE OR REPLACE MACRO sqlrp_free(kept, output, k) AS
  list_transform(kept, lambda free_n: CASE WHEN CASE output WHEN 'array' THEN lower(free_n) = 'z'
      WHEN 'long' THEN lower(free_n) IN ('component', 'value')
      ELSE regexp_matches(lower(free_n), '^z(0|[1-9]\d{0,8})$') AND TRY_CAST(free_n[2:] AS BIGINT) < k END
    THEN error('column ''' || free_n || ''' of the source has an output column''s name: rename it, or choose another output')
    ELSE free_n END);

CREATE OR REPLACE MACRO sqlrp_check(q) AS
  CASE WHEN q['p'] < q['degree'] * q['t'] THEN error('p = ' || q['p'] || ' must be at least degree * t = ' || q['degree'] * q['t']
        || ': raise p, or lower t or degree')
    WHEN q['p'] > q['degree'] * q['t'] * q['k'] THEN error('p = ' || q['p'] || ' must be at most degree * t * k = '
        || q['degree'] * q['t'] * q['k'] || ', all that are used: lower p')
    WHEN NOT coalesce(q['c'] >= 0 AND isfinite(q['c']), false) THEN error('c = ' || coalesce(CAST(q['c'] AS VARCHAR), 'NULL')
        || ' must be a finite number >= 0: the kernel is (<x, y> + c)^degree')
    ELSE q END;

CREATE OR REPLACE MACRO sqlrp_seed_number(seed) AS
  CASE WHEN typeof(seed) IN ('INTEGER', 'BIGINT') AND TRY_CAST(seed AS BIGINT) BETWEEN 0 AND 9007199254740991
      THEN TRY_CAST(seed AS BIGINT)
    ELSE error('seed = ' || sqlrp_shown(seed) || ' must be a whole number from 0 to 2^53 - 1: choose one in that range') END;

-- A column by its name, in upper or lower case.
CREATE OR REPLACE MACRO sqlrp_find(columns, wanted, role, relation) AS
  list_transform([list_filter(columns, lambda found_c: lower(found_c['name']) = lower(wanted))], lambda find_found:
    CASE WHEN len(find_found) = 0 THEN error(role || ' ''' || wanted || ''' is not a column of ' || relation || ': name one of its columns')
      ELSE find_found[1] END)[1];

-- An array that is left out though it has more numbers than there are numeric columns, so that it may be what is meant, in
-- words; a list is taken to have 64 (sqlrp/lowering/left_out.py). NULL where there is none.
CREATE OR REPLACE MACRO sqlrp_passed_over(columns, found, key, keep) AS
  list_transform(list_filter(columns, lambda over_c: over_c['type'] LIKE '%]'
      AND sqlrp_number(regexp_replace(over_c['type'], '\[\d*\]$', '')) IS NOT NULL AND lower(over_c['name']) IS DISTINCT FROM lower(key)
      AND NOT list_contains(list_transform(keep, lambda over_k: lower(over_k)), lower(over_c['name']))
      AND found < coalesce(TRY_CAST(regexp_extract(over_c['type'], '\[(\d+)\]$', 1) AS BIGINT), 64)),
    lambda over_c: 'the array column ''' || over_c['name'] || ''': say which holds the features. For the array: array_column := '''
      || over_c['name'] || '''. For the numeric columns: name them in features')[1];

-- Which columns hold the features, in which layout: the frame of a source.
CREATE OR REPLACE MACRO sqlrp_wide_features(columns, features, key, keep, relation) AS
  CASE WHEN len(features) = 0 THEN list_filter(columns, lambda wide_c: sqlrp_number(wide_c['type']) IS NOT NULL
      AND lower(wide_c['name']) IS DISTINCT FROM lower(key)
      AND NOT list_contains(list_transform(keep, lambda wide_k: lower(wide_k)), lower(wide_c['name'])))
    ELSE list_transform(features, lambda wide_f: list_transform([sqlrp_find(columns, wide_f, 'feature', relation)], lambda wide_c:
      CASE WHEN sqlrp_number(wide_c['type']) IS NULL THEN error('feature ''' || wide_c['name'] || ''' of ' || relation || ' is '
          || wide_c['type'] || ', not a number: cast it, keep it, or leave it out') ELSE wide_c END)[1]) END;

CREATE OR REPLACE MACRO sqlrp_frame(q, columns) AS
  CASE WHEN q['array_column'] IS NOT NULL THEN
    list_transform([sqlrp_find(columns, q['array_column'], 'array column', q['relation'])], lambda array_c:
      CASE WHEN sqlrp_number(regexp_replace(array_c['type'], '\[\d*\]$', '')) IS NULL OR array_c['type'] NOT LIKE '%]' THEN
          error('column ''' || array_c['name'] || ''' of ' || q['relation'] || ' is ' || array_c['type']
                || ', not an array of numbers: leave array_column out for plain columns, or cast it to FLOAT[n]')
        WHEN array_c['type'] LIKE '%[]' AND q['n_features'] IS NULL THEN
          error('the length of the lists in ''' || array_c['name'] || ''' of ' || q['relation'] || ' cannot be told from here: '
                || 'declare the column as an array such as FLOAT[768], or pass n_features := n in SQL')
        ELSE {'layout': 'array', 'features': [array_c], 'text': false, 'ragged': array_c['type'] LIKE '%[]',
              'n': CASE WHEN array_c['type'] LIKE '%[]' THEN q['n_features']
                   ELSE TRY_CAST(regexp_extract(array_c['type'], '\[(\d+)\]$', 1) AS BIGINT) END,
              'numbers': [sqlrp_number(regexp_replace(array_c['type'], '\[\d*\]$', ''))]} END)[1]
  WHEN q['feature'] IS NOT NULL OR q['value'] IS NOT NULL THEN
    list_transform([{'feature': sqlrp_find(columns, coalesce(q['feature'], 'feature'), 'feature column', q['relation']),
                     'value': sqlrp_find(columns, coalesce(q['value'], 'value'), 'value column', q['relation'])}], lambda long_c:
      CASE WHEN q['key'] IS NULL THEN error('key = NULL does not name the rows of a long source: name its key column')
        WHEN coalesce(sqlrp_number(long_c['feature']['type'])['kind'] != 'int',
                      long_c['feature']['type'] != 'VARCHAR' AND long_c['feature']['type'] NOT LIKE 'ENUM(%') THEN
          error('feature column ''' || long_c['feature']['name'] || ''' of ' || q['relation'] || ' is ' || long_c['feature']['type']
                || ': it must hold positions (integers from 0) or names (text)')
        WHEN sqlrp_number(long_c['value']['type']) IS NULL THEN error('value column ''' || long_c['value']['name'] || ''' of ' || q['relation']
                || ' is ' || long_c['value']['type'] || ', not a number: cast it')
        ELSE {'layout': 'long', 'features': [long_c['feature'], long_c['value']], 'text': sqlrp_number(long_c['feature']['type']) IS NULL,
              'ragged': false, 'n': q['n_features'], 'numbers': [sqlrp_number(long_c['value']['type'])]} END)[1]
  ELSE
    list_transform([sqlrp_wide_features(columns, q['features'], q['key'], q['keep'], q['relation'])], lambda wide_found:
      CASE WHEN len(q['features']) = 0 AND sqlrp_passed_over(columns, len(wide_found), q['key'], q['keep']) IS NOT NULL THEN
          error(q['relation'] || ' has ' || len(wide_found) || ' numeric column(s) besides key and keep, and '
          || sqlrp_passed_over(columns, len(wide_found), q['key'], q['keep']))
        WHEN len(wide_found) = 0 THEN error(q['relation'] || ' has no numeric column besides key and keep: a wide source '
          || 'needs at least one; use array_column for an array column or feature and value for (key, feature, value) rows')
        ELSE {'layout': 'wide', 'features': wide_found, 'text': false, 'ragged': false, 'n': len(wide_found),
              'numbers': list_transform(wide_found, lambda wide_c: sqlrp_number(wide_c['type']))} END)[1] END;

-- The kinds of numbers: `base` of the features, `summing` of their sums, `result` of the outputs (sqlrp/lowering/job.py).
CREATE OR REPLACE MACRO sqlrp_bits(n) AS CAST(ceil(log2(coalesce(n, 2147483648) + 1)) AS INTEGER);

CREATE OR REPLACE MACRO sqlrp_base(numbers, n, scale, root) AS
  list_transform([sqlrp_common(numbers)], lambda base_n:
    CASE WHEN root IS NOT NULL AND root != floor(root) AND base_n['kind'] != 'float' THEN {'kind': 'double', 'bits': 0, 'digits': 0}
      WHEN scale AND (base_n['kind'] = 'decimal' OR (base_n['kind'] = 'int' AND base_n['bits'] + sqlrp_bits(n) > 63))
        THEN {'kind': 'double', 'bits': 0, 'digits': 0}
      WHEN base_n['kind'] = 'decimal' AND base_n['bits'] + sqlrp_bits(n) > 126 THEN {'kind': 'double', 'bits': 0, 'digits': 0}
      ELSE base_n END)[1];

-- The type of products: exact where the sums are integers and no scale follows, as long as 127 bits hold them.
CREATE OR REPLACE MACRO sqlrp_product(q, base, more, root) AS
  CASE WHEN q['method'] = 'rp' THEN sqlrp_type(base['kind'], base['bits'] + more, base['digits'])
    WHEN base['kind'] IN ('float', 'double') THEN upper(base['kind'])
    WHEN q['scale'] OR base['kind'] = 'decimal' THEN 'DOUBLE'
    ELSE list_transform([q['degree'] * (greatest(base['bits'], coalesce(length(bin(CAST(root AS BIGINT))), 0)) + more)
        + CAST(ceil(log2(q['t'])) AS BIGINT)], lambda product_bits:
      CASE WHEN product_bits > 127 THEN 'DOUBLE' ELSE sqlrp_type('int', product_bits, 0) END)[1] END;

-- -- the statements -------------------------------------------------------------------------------------------------------

-- The outputs over `relation`, one expression a component (inline) or one list column x (relational).
CREATE OR REPLACE MACRO sqlrp_shape(w, relation, z, guarded) AS
  list_transform([{'own': list_transform(w['kept'], lambda shape_n, shape_i: 'c' || (shape_i - 1) || ' AS ' || sqlrp_quote(shape_n)),
                   'c': list_transform(w['kept'], lambda shape_n, shape_i: 'c' || (shape_i - 1)),
                   'z': CASE WHEN w['factor'] IS NULL THEN z ELSE list_transform(z, lambda shape_z: w['factor'] || '*' || shape_z) END}],
    lambda shape_o: CASE w['output']
      WHEN 'columns' THEN 'SELECT ' || array_to_string(shape_o['own'] || list_transform(shape_o['z'], lambda shape_z, shape_i:
          shape_z || CASE WHEN guarded THEN '+ok' ELSE '' END || ' AS z' || (shape_i - 1)), ', ') || ' FROM ' || relation
      WHEN 'array' THEN 'SELECT ' || array_to_string(shape_o['own'] || [CASE WHEN guarded THEN 'CASE WHEN ok IS NOT NULL THEN ' ELSE '' END
          || 'CAST([' || array_to_string(shape_o['z'], ', ') || '] AS ' || w['result'] || '[' || len(shape_o['z']) || '])'
          || CASE WHEN guarded THEN ' END' ELSE '' END || ' AS z'], ', ')
          || ' FROM ' || relation
      ELSE CASE WHEN w['f']['layout'] = 'long' THEN 'SELECT * FROM (' ELSE '' END
          || 'SELECT ' || array_to_string(shape_o['own'] || ['unnest(range(len(z))) AS component', 'unnest(z) AS value'], ', ')
          || ' FROM (SELECT ' || array_to_string(shape_o['c'] || ['[' || array_to_string(list_transform(shape_o['z'], lambda shape_z:
          shape_z || CASE WHEN guarded THEN '+ok' ELSE '' END), ', ') || '] AS z'], ', ') || ' FROM ' || relation || ') s'
          || CASE WHEN w['f']['layout'] = 'long' THEN ') cells WHERE component = 0 OR value IS NULL OR value <> 0' ELSE '' END END)[1];

-- The guard: 0 for a row without NULL, else NULL or an error; NULL where no guard is needed.
CREATE OR REPLACE MACRO sqlrp_ok(nulls, complete) AS
  CASE WHEN nulls = 'zero' OR complete IS NULL THEN NULL ELSE 'CASE WHEN ' || complete || ' THEN 0'
    || CASE WHEN nulls = 'error' THEN ' ELSE error(''sqlrp: a feature is NULL and nulls = ''''error'''': clean the row, or use '
       || 'nulls = ''''zero'''' or ''''propagate'''''')' ELSE '' END || ' END' END;

-- The features of a wide or array row as expressions in the type that sums are taken in.
CREATE OR REPLACE MACRO sqlrp_values(w) AS
  list_transform(CASE WHEN w['f']['layout'] = 'array' THEN list_transform(range(w['f']['n']), lambda value_j: 'x[' || (value_j + 1) || ']')
      ELSE list_transform(w['f']['features'], lambda value_c: CASE WHEN value_c['type'] = 'BOOLEAN'
        THEN 'CAST(' || sqlrp_quote(value_c['name']) || ' AS INTEGER)' ELSE sqlrp_quote(value_c['name']) END) END,
    lambda value_x: CASE WHEN w['nulls'] = 'zero' THEN 'coalesce(CAST(' || value_x || ' AS ' || w['summing'] || '),' || w['zero'] || ')'
      ELSE 'CAST(' || value_x || ' AS ' || w['summing'] || ')' END);

-- Where the rows come from: FROM text, the carried columns, and the condition that a row is complete.
CREATE OR REPLACE MACRO sqlrp_rows(w) AS
  list_transform([list_transform(w['kept'], lambda rows_n, rows_i: sqlrp_quote(rows_n) || ' AS c' || (rows_i - 1))], lambda rows_named:
    CASE WHEN w['f']['layout'] = 'array' THEN {
        'relation': '(SELECT ' || array_to_string(rows_named || [CASE WHEN w['f']['ragged'] THEN 'CASE WHEN len('
            || sqlrp_quote(w['f']['features'][1]['name']) || ') <> ' || w['f']['n'] || ' THEN error(' || sqlrp_string('sqlrp: a list in '''
            || w['f']['features'][1]['name'] || ''' has not the ' || w['f']['n'] || ' elements of the others: pad it, or set it to NULL')
            || ') ELSE ' || sqlrp_quote(w['f']['features'][1]['name']) || ' END' ELSE sqlrp_quote(w['f']['features'][1]['name']) END || ' AS x'], ', ')
            || ' FROM ' || w['relation'] || ') s',
        'carried': list_transform(w['kept'], lambda rows_n, rows_i: 'c' || (rows_i - 1)),
        'ok': sqlrp_ok(w['nulls'], 'x IS NOT NULL AND list_position(x, NULL) IS NULL')}
      ELSE {'relation': w['relation'], 'carried': rows_named,
        'ok': sqlrp_ok(w['nulls'], list_transform([list_filter(w['f']['features'], lambda rows_c: rows_c['nullable'])], lambda rows_f:
          CASE WHEN len(rows_f) > 0 THEN sqlrp_tree(list_transform(rows_f, lambda rows_c: sqlrp_quote(rows_c['name'])
            || ' IS NOT NULL'), ' AND ') END)[1])} END)[1];

-- Inline: every output an expression, over the features as x0, x1, … and for products over the sums as v0, v1, …
CREATE OR REPLACE MACRO sqlrp_inline_shape(w, read, inputs, sums) AS
  list_transform([{'carried': list_transform(w['kept'], lambda inline_n, inline_i: 'c' || (inline_i - 1))
        || CASE WHEN read['ok'] IS NULL THEN [] ELSE ['ok'] END,
      'base': '(SELECT ' || array_to_string(read['carried'] || CASE WHEN read['ok'] IS NULL THEN [] ELSE [read['ok'] || ' AS ok'] END
        || list_transform(inputs, lambda inline_x, inline_i: inline_x || ' AS x' || (inline_i - 1)), ', ')
        || ' FROM ' || read['relation'] || ') s'}], lambda inline_b:
    CASE WHEN w['method'] = 'rp' THEN sqlrp_shape(w, inline_b['base'], sums, read['ok'] IS NOT NULL)
      ELSE sqlrp_shape(w, '(SELECT ' || array_to_string(inline_b['carried'] || list_transform(list_sort(list_distinct(flatten(w['index']))),
            lambda inline_v: CASE WHEN w['product'] IS DISTINCT FROM w['summing'] THEN 'CAST(' || sums[inline_v + 1] || ' AS ' || w['product'] || ')'
              ELSE sums[inline_v + 1] END || ' AS v' || inline_v), ', ') || ' FROM ' || inline_b['base'] || ') s',
          list_transform(w['index'], lambda inline_c: sqlrp_tree(list_transform(range(w['t']), lambda inline_i:
            array_to_string(list_transform(inline_c[inline_i * w['degree'] + 1 : (inline_i + 1) * w['degree']],
              lambda inline_v: 'v' || inline_v), '*')), '+')), read['ok'] IS NOT NULL) END)[1];

-- Relational: the signs are drawn as rows within the statement, joined on the feature and summed.
CREATE OR REPLACE MACRO sqlrp_horner_text(a, x) AS
  list_reduce(list_reverse(list_transform(a, lambda text_a: CAST(text_a AS VARCHAR))),
    lambda text_h, text_b: '((' || text_h || '*' || x || '+' || text_b || ') % 2147483647)');

CREATE OR REPLACE MACRO sqlrp_number_of(w, name) AS
  CASE WHEN w['f']['text'] THEN '(CAST(''0x'' || md5(' || name || ')[:15] AS BIGINT) % 2147483646)'
    ELSE 'CASE WHEN ' || name || ' BETWEEN 0 AND ' || (coalesce(w['f']['n'], 2147483645) - 1) || ' THEN ' || name || ' WHEN ' || name
      || ' IS NOT NULL THEN error(' || sqlrp_string('sqlrp: a feature in ''' || w['f']['features'][1]['name'] || ''' is outside 0 ... '
      || (coalesce(w['f']['n'], 2147483645) - 1) || ': positions count from 0; raise n_features') || ') END' END;

-- Sums of FLOAT are DOUBLE; a CAST back would refuse what IEEE calls infinite.
CREATE OR REPLACE MACRO sqlrp_narrow(total, kind) AS
  CASE WHEN kind = 'FLOAT' THEN 'coalesce(TRY_CAST(' || total || ' AS FLOAT), CAST(CAST(''inf'' AS DOUBLE) * ' || total || ' AS FLOAT))'
    ELSE 'CAST(' || total || ' AS ' || kind || ')' END;

CREATE OR REPLACE MACRO sqlrp_long_rows(w, key, feature, value) AS
  list_transform([CASE WHEN w['f']['features'][2]['nullable'] THEN sqlrp_ok(w['nulls'], 'count(*) = count(' || value || ')') END], lambda long_ok:
    {'ok': long_ok IS NOT NULL, 'text': 'sqlrp_source AS MATERIALIZED (SELECT ' || key || ' AS r, ' || key || ' AS c0'
      || coalesce(', ' || long_ok || ' AS ok', '') || ' FROM ' || w['relation'] || ' GROUP BY ' || key || '),
sqlrp_cells AS MATERIALIZED (SELECT ' || key || ' AS r, ' || sqlrp_number_of(w, feature) || ' AS f, CAST('
      || CASE WHEN w['f']['features'][2]['type'] = 'BOOLEAN' THEN 'CAST(' || value || ' AS INTEGER)' ELSE value END || ' AS '
      || w['summing'] || ') AS x FROM ' || w['relation'] || '),
sqlrp_features AS MATERIALIZED (' || CASE WHEN w['f']['n'] IS NULL OR w['f']['text'] THEN 'SELECT DISTINCT f FROM sqlrp_cells'
        ELSE 'SELECT range AS f FROM range(' || w['f']['n'] || ')' END || ')'})[1];

CREATE OR REPLACE MACRO sqlrp_table_rows(w) AS
  list_transform([sqlrp_rows(w)], lambda table_r: {'ok': table_r['ok'] IS NOT NULL,
    'text': 'sqlrp_source AS MATERIALIZED (SELECT ' || array_to_string(table_r['carried']
      || CASE WHEN table_r['ok'] IS NULL THEN [] ELSE [table_r['ok'] || ' AS ok'] END
      || ['row_number() OVER () AS r', '[' || array_to_string(sqlrp_values(w), ', ') || '] AS x'], ', ')
      || ' FROM ' || table_r['relation'] || '),
sqlrp_cells AS MATERIALIZED (SELECT r, unnest(range(len(x))) AS f, unnest(x) AS x FROM sqlrp_source),
sqlrp_features AS MATERIALIZED (SELECT range AS f FROM range(' || w['f']['n'] || '))'})[1];

CREATE OR REPLACE MACRO sqlrp_relational_text(w) AS
  list_transform([CASE WHEN w['f']['layout'] = 'long' THEN sqlrp_long_rows(w, sqlrp_quote(w['kept'][1]),
      sqlrp_quote(w['f']['features'][1]['name']), sqlrp_quote(w['f']['features'][2]['name'])) ELSE sqlrp_table_rows(w) END], lambda relational_r:
    list_transform([{'carried': ['r'] || list_transform(w['kept'], lambda rel_n, rel_i: 'c' || (rel_i - 1))
        || CASE WHEN relational_r['ok'] THEN ['ok'] ELSE [] END,
      'same': CASE WHEN w['f']['layout'] = 'long' THEN ' IS NOT DISTINCT FROM ' ELSE ' = ' END}], lambda relational_g:
    'WITH ' || relational_r['text'] || CASE WHEN w['root'] IS NULL THEN '' ELSE ',
sqlrp_more_cells AS MATERIALIZED (FROM sqlrp_cells UNION ALL SELECT r, 2147483646, ' || sqlrp_literal(w['root'], w['summing']) || ' FROM sqlrp_source),
sqlrp_more_features AS MATERIALIZED (FROM sqlrp_features UNION ALL SELECT 2147483646)' END || ',
sqlrp_components AS MATERIALIZED (SELECT c, ' || array_to_string(list_transform(sqlrp_seed(w['seed'], 0), lambda rel_a, rel_i:
        sqlrp_horner_text(rel_a, 'c') || ' AS b' || (rel_i - 1)), ', ') || ' FROM (SELECT range AS c FROM range(' || w['p'] || ')) n),
sqlrp_signs AS MATERIALIZED (SELECT c, f, CASE WHEN h < ' || w['low'] || ' THEN 1 ELSE -1 END AS sign FROM (SELECT c, f, '
      || sqlrp_horner_text(['b0', 'b1', 'b2', 'b3', 'b4', 'b5', 'b6', 'b7'], 'f') || ' AS h FROM '
      || CASE WHEN w['root'] IS NULL THEN 'sqlrp_features' ELSE 'sqlrp_more_features' END || ' CROSS JOIN sqlrp_components) drawn WHERE h < ' || w['high'] || '),
sqlrp_sums AS MATERIALIZED (SELECT r, c AS f, sum(CASE WHEN sign > 0 THEN x ELSE ' || w['zero'] || ' - x END) AS x FROM '
      || CASE WHEN w['root'] IS NULL THEN 'sqlrp_cells' ELSE 'sqlrp_more_cells' END || ' JOIN sqlrp_signs USING (f) GROUP BY r, c)'
      || CASE WHEN w['index'] IS NULL THEN '' ELSE ',
sqlrp_whole_sums AS MATERIALIZED (FROM sqlrp_sums' || CASE WHEN w['product'] NOT IN ('FLOAT', 'DOUBLE') THEN '' ELSE
        ' UNION ALL SELECT odd.r, e.f, ' || w['zero'] || ' FROM (SELECT DISTINCT r FROM sqlrp_sums WHERE NOT isfinite(CAST(x AS DOUBLE))) odd '
        || 'CROSS JOIN (SELECT range AS f FROM range(' || w['p'] || ')) e WHERE NOT EXISTS (SELECT 1 FROM sqlrp_sums k WHERE k.r'
        || relational_g['same'] || 'odd.r AND k.f = e.f)' END || '),
sqlrp_index_table AS MATERIALIZED (SELECT unnest(range(' || w['k'] * w['t'] || ')) // ' || w['t'] || ' AS c, '
        || array_to_string(list_transform(range(w['degree']), lambda rel_j: 'unnest(CAST(''' || CAST(list_transform(range(w['k'] * w['t']),
          lambda rel_i: w['index'][rel_i // w['t'] + 1][(rel_i % w['t']) * w['degree'] + rel_j + 1]) AS VARCHAR) || ''' AS BIGINT[])) AS v' || rel_j), ', ') || '),
sqlrp_products AS MATERIALIZED (SELECT k0.r AS r, i.c AS f, sum('
        || array_to_string(list_transform(range(w['degree']), lambda rel_j: sqlrp_narrow('k' || rel_j || '.x', w['product'])), '*')
        || ') AS x FROM sqlrp_index_table i JOIN sqlrp_whole_sums k0 ON k0.f = i.v0' || array_to_string(list_transform(range(1, w['degree']), lambda rel_j:
          ' JOIN sqlrp_whole_sums k' || rel_j || ' ON k' || rel_j || '.f = i.v' || rel_j || ' AND k0.r' || relational_g['same'] || 'k' || rel_j || '.r'), '')
        || ' GROUP BY k0.r, i.c)' END || ',
sqlrp_results AS MATERIALIZED (SELECT ' || array_to_string(list_transform(relational_g['carried'], lambda rel_c: 's.' || rel_c), ', ')
      || ', n.f AS f, coalesce(z.x, 0) AS x FROM sqlrp_source s CROSS JOIN (SELECT range AS f FROM range(' || w['k'] || ')) n LEFT JOIN '
      || CASE WHEN w['index'] IS NULL THEN 'sqlrp_sums' ELSE 'sqlrp_products' END || ' z ON z.r' || relational_g['same'] || 's.r AND z.f = n.f)
' || sqlrp_shape(w, '(SELECT ' || array_to_string(relational_g['carried'][2:] || ['list(' || sqlrp_narrow('x', w['result']) || ' ORDER BY f) AS x'], ', ')
        || ' FROM sqlrp_results GROUP BY ' || array_to_string(relational_g['carried'], ', ') || ') s',
      list_transform(range(w['k']), lambda rel_i: 'x[' || (rel_i + 1) || ']'), relational_r['ok']))[1])[1];

-- -- the stages of a call ----------------------------------------------------------------------------------------------------
-- DuckDB binds a lambda's body twice, so nested lambdas cost 2 to the depth. A call is therefore a chain of queries, each
-- of which writes the next: the arguments, then the frame, then the plan travel as JSON from one to the other.

CREATE OR REPLACE MACRO sqlrp_next(stage, value) AS
  'FROM query(' || stage || '(' || sqlrp_string(CAST(to_json(value) AS VARCHAR)) || '))';

CREATE OR REPLACE MACRO sqlrp_shape_of_arguments() AS
  '{"method": "VARCHAR", "relation": "VARCHAR", "k": "BIGINT", "s": "VARCHAR", "s_type": "VARCHAR", "seed": "BIGINT",
    "degree": "BIGINT", "p": "BIGINT", "t": "BIGINT", "c": "DOUBLE", "minimise": "BOOLEAN", "key": "VARCHAR",
    "keep": ["VARCHAR"], "features": ["VARCHAR"], "array_column": "VARCHAR", "feature": "VARCHAR", "value": "VARCHAR",
    "n_features": "BIGINT", "output": "VARCHAR", "scale": "BOOLEAN", "nulls": "VARCHAR", "lowering": "VARCHAR"}';

CREATE OR REPLACE MACRO sqlrp_shape_of_frame() AS
  '{"layout": "VARCHAR", "features": [{"name": "VARCHAR", "type": "VARCHAR", "nullable": "BOOLEAN"}], "text": "BOOLEAN",
    "ragged": "BOOLEAN", "n": "BIGINT", "numbers": [{"kind": "VARCHAR", "bits": "BIGINT", "digits": "BIGINT"}]}';

-- The arguments meet the columns: which of them pass through, which are features.
CREATE OR REPLACE MACRO sqlrp_source(arguments) AS
  list_transform([sqlrp_check(from_json(arguments, sqlrp_shape_of_arguments()))], lambda q:
  list_transform([sqlrp_columns(q['relation'])], lambda columns:
    sqlrp_next('sqlrp_plan', {'q': q, 'f': sqlrp_frame(q, columns),
      'kept': CASE WHEN q['key'] IS NULL THEN [] ELSE [sqlrp_find(columns, q['key'], 'key', q['relation'])['name']] END
        || list_transform(q['keep'], lambda write_n: sqlrp_find(columns, write_n, 'keep column', q['relation'])['name'])}))[1])[1];

-- s as a number, and the constant feature of an inhomogeneous kernel.
CREATE OR REPLACE MACRO sqlrp_shape_of_source() AS
  '{"q": ' || sqlrp_shape_of_arguments() || ', "f": ' || sqlrp_shape_of_frame() || ', "kept": ["VARCHAR"], "root": "DOUBLE", "s": "DOUBLE"}';

CREATE OR REPLACE MACRO sqlrp_plan(arguments) AS
  list_transform([from_json(arguments, sqlrp_shape_of_source())], lambda a:
    sqlrp_next('sqlrp_kinds', {'q': a['q'], 'f': a['f'], 'kept': sqlrp_free(a['kept'], a['q']['output'], a['q']['k']),
      'root': CASE WHEN a['q']['c'] > 0 THEN sqrt(a['q']['c']) END,
      's': sqlrp_s(a['q']['s'], a['q']['s_type'], a['f']['n'])}))[1];

-- The types of sums and products (sqlrp/lowering/job.py).
CREATE OR REPLACE MACRO sqlrp_kinds(arguments) AS
  list_transform([from_json(arguments, sqlrp_shape_of_source())], lambda a:
  list_transform([sqlrp_base(a['f']['numbers'], a['f']['n'], a['q']['scale'], a['root'])], lambda base:
    sqlrp_next('sqlrp_choose', {'a': a, 'summing': sqlrp_type(base['kind'], base['bits'] + sqlrp_bits(a['f']['n']), base['digits']),
      'product': sqlrp_product(a['q'], base, sqlrp_bits(a['f']['n']), a['root'])}))[1])[1];

-- The thresholds, the scale, the index table, and which lowering.
CREATE OR REPLACE MACRO sqlrp_choose(arguments) AS
  list_transform([from_json(arguments, '{"a": ' || sqlrp_shape_of_source() || ', "summing": "VARCHAR", "product": "VARCHAR"}')], lambda v:
    sqlrp_next(CASE WHEN v['a']['q']['lowering'] = 'relational' OR v['a']['f']['layout'] = 'long'
          OR (v['a']['q']['lowering'] = 'auto' AND v['a']['q']['p'] * v['a']['f']['n'] / v['a']['s'] > 100000)
        THEN 'sqlrp_relational' ELSE 'sqlrp_inline' END,
      {'method': v['a']['q']['method'], 'k': v['a']['q']['k'], 'p': v['a']['q']['p'], 't': v['a']['q']['t'],
       'degree': v['a']['q']['degree'], 'seed': v['a']['q']['seed'], 'nulls': v['a']['q']['nulls'], 'output': v['a']['q']['output'],
       'relation': v['a']['q']['relation'], 'f': v['a']['f'], 'kept': v['a']['kept'], 'root': v['a']['root'],
       'summing': v['summing'], 'product': v['product'], 'zero': sqlrp_literal(0, v['summing']),
       'low': CAST(floor(2147483647 / (2 * v['a']['s'])) AS BIGINT), 'high': CAST(floor(2147483647 / v['a']['s']) AS BIGINT),
       'result': CASE WHEN v['a']['q']['scale'] AND v['product'] NOT IN ('FLOAT', 'DOUBLE') THEN 'DOUBLE' ELSE v['product'] END,
       'factor': CASE WHEN v['a']['q']['scale'] THEN sqlrp_literal(CASE WHEN v['a']['q']['method'] = 'rp'
           THEN sqrt(v['a']['s'] / v['a']['q']['k'])
           ELSE pow(v['a']['s'], v['a']['q']['degree'] / 2) / sqrt(v['a']['q']['k'] * v['a']['q']['t']) END,
         CASE WHEN v['product'] = 'FLOAT' THEN 'FLOAT' ELSE 'DOUBLE' END) END,
       'index': CASE WHEN v['a']['q']['method'] = 'pk' THEN sqlrp_index(v['a']['q']['seed'], v['a']['q']['p'],
         v['a']['q']['degree'] * v['a']['q']['t'], v['a']['q']['k'], v['a']['q']['minimise']) END}))[1];

CREATE OR REPLACE MACRO sqlrp_shape_of_plan() AS
  '{"method": "VARCHAR", "k": "BIGINT", "p": "BIGINT", "t": "BIGINT", "degree": "BIGINT", "seed": "BIGINT", "nulls": "VARCHAR",
    "output": "VARCHAR", "relation": "VARCHAR", "kept": ["VARCHAR"], "root": "DOUBLE", "summing": "VARCHAR", "product": "VARCHAR",
    "zero": "VARCHAR", "low": "BIGINT", "high": "BIGINT", "result": "VARCHAR", "factor": "VARCHAR", "index": [["BIGINT"]],
    "f": ' || sqlrp_shape_of_frame() || '}';

CREATE OR REPLACE MACRO sqlrp_inline(plan) AS
  list_transform([from_json(plan, sqlrp_shape_of_plan())], lambda w: sqlrp_next('sqlrp_inline_text', {'w': w, 'rows': sqlrp_rows(w),
    'values': sqlrp_values(w), 'sums': sqlrp_sums(
      sqlrp_entries(w['seed'], 0, w['p'], range(w['f']['n']) || CASE WHEN w['root'] IS NULL THEN [] ELSE [2147483646] END),
      list_transform(range(w['f']['n']), lambda inline_j: 'x' || inline_j)
        || CASE WHEN w['root'] IS NULL THEN [] ELSE [sqlrp_literal(w['root'], w['summing'])] END,
      w['low'], w['high'], w['zero'])}))[1];

CREATE OR REPLACE MACRO sqlrp_inline_text(parts) AS
  list_transform([from_json(parts, '{"w": ' || sqlrp_shape_of_plan() || ', "values": ["VARCHAR"], "sums": ["VARCHAR"], '
    || '"rows": {"relation": "VARCHAR", "carried": ["VARCHAR"], "ok": "VARCHAR"}}')], lambda v: sqlrp_inline_shape(v['w'],
      v['rows'], v['values'], v['sums']))[1];

CREATE OR REPLACE MACRO sqlrp_relational(plan) AS
  list_transform([from_json(plan, sqlrp_shape_of_plan())], lambda relational_w: sqlrp_relational_text(relational_w))[1];

-- -- the table functions ----------------------------------------------------------------------------------------------------

CREATE OR REPLACE MACRO rp_project(source, k := 64, s := 'sqrt', seed := 0, vectors := 'sign', key := 'id', keep := [], features := [],
    array_column := NULL, feature := NULL, value := NULL, n_features := NULL, output := 'columns',
    scale := true, nulls := 'propagate', lowering := 'auto') AS TABLE
  FROM query(sqlrp_next('sqlrp_source', {'method': 'rp', 'degree': 1, 'p': sqlrp_whole('k', k, 1), 't': 1, 'c': 0.0, 'minimise': true,
    'vectors': sqlrp_one_of('vectors', vectors, ['sign']), 'relation': sqlrp_from(source), 'k': sqlrp_whole('k', k, 1),
    's': CAST(s AS VARCHAR), 's_type': typeof(s), 'seed': sqlrp_seed_number(seed), 'key': CAST(key AS VARCHAR),
    'keep': sqlrp_names('keep', keep), 'features': sqlrp_names('features', features),
    'array_column': CAST(array_column AS VARCHAR), 'feature': CAST(feature AS VARCHAR), 'value': CAST(value AS VARCHAR),
    'n_features': CAST(n_features AS BIGINT), 'output': sqlrp_one_of('output', output, ['columns', 'array', 'long']),
    'scale': sqlrp_flag('scale', scale), 'nulls': sqlrp_one_of('nulls', nulls, ['propagate', 'zero', 'error']),
    'lowering': sqlrp_one_of('lowering', lowering, ['auto', 'inline', 'relational'])}));

CREATE OR REPLACE MACRO pk_project(source, k := 64, s := 'sqrt', seed := 0, degree := 2, p := NULL, t := 4, c := 0.0,
    minimise_repetition := true, vectors := 'sign', key := 'id', keep := [], features := [],
    array_column := NULL, feature := NULL, value := NULL, n_features := NULL, output := 'columns',
    scale := true, nulls := 'propagate', lowering := 'auto') AS TABLE
  FROM query(sqlrp_next('sqlrp_source', {'method': 'pk', 'degree': sqlrp_whole('degree', degree, 1),
    'p': CASE WHEN p IS NOT NULL THEN sqlrp_whole('p', p, 1)
      ELSE least(greatest(2 * TRY_CAST(k AS BIGINT), degree * t), degree * t * TRY_CAST(k AS BIGINT)) END,
    't': sqlrp_whole('t', t, 1), 'c': CAST(c AS DOUBLE), 'minimise': sqlrp_flag('minimise_repetition', minimise_repetition),
    'vectors': sqlrp_one_of('vectors', vectors, ['sign']), 'relation': sqlrp_from(source), 'k': sqlrp_whole('k', k, 1),
    's': CAST(s AS VARCHAR), 's_type': typeof(s), 'seed': sqlrp_seed_number(seed), 'key': CAST(key AS VARCHAR),
    'keep': sqlrp_names('keep', keep), 'features': sqlrp_names('features', features),
    'array_column': CAST(array_column AS VARCHAR), 'feature': CAST(feature AS VARCHAR), 'value': CAST(value AS VARCHAR),
    'n_features': CAST(n_features AS BIGINT), 'output': sqlrp_one_of('output', output, ['columns', 'array', 'long']),
    'scale': sqlrp_flag('scale', scale), 'nulls': sqlrp_one_of('nulls', nulls, ['propagate', 'zero', 'error']),
    'lowering': sqlrp_one_of('lowering', lowering, ['auto', 'inline', 'relational'])}));
