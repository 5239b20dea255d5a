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
    || ' || ' || CASE WHEN regexp_matches(relation, '^"\s*\(?\s*(select|from|with|values)\s', 'i') THEN sqlrp_string({{query_words}})
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
