-- SumsAndProducts(k=7, seed=1, p=4, sums=3)
-- long rows of decimals; output = 'array', nulls = 'error', scale = True, lowering = 'relational'

-- ======== duckdb
WITH source0 AS MATERIALIZED (SELECT r, r AS c0, CASE WHEN counted = present THEN 0 ELSE error('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''') END AS ok FROM (SELECT "doc" AS r, count(*) AS counted, count("value") AS present FROM "counts" GROUP BY "doc") s),
cells1 AS MATERIALIZED (SELECT "doc" AS r, CASE WHEN "feature" BETWEEN 0 AND 3 THEN "feature" WHEN "feature" IS NOT NULL THEN error('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features') END AS f, CAST("value" AS DOUBLE) AS x FROM "counts"),
features2 AS MATERIALIZED (SELECT CAST(range AS BIGINT) AS f FROM range(4)),
signs3 AS MATERIALIZED (SELECT unnest(CAST(string_split(concat('0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3', t), ',') AS BIGINT[])) AS c, unnest(CAST(string_split(concat('0,0,0,0,1,1,1,1,2,2,2,2,3,3,3,3', t), ',') AS BIGINT[])) AS f, unnest(CAST(string_split(concat('-1,-1,-1,-1,1,-1,1,-1,-1,-1,1,1,-1,1,1,-1', t), ',') AS BIGINT[])) AS sign FROM (VALUES ('')) v(t)),
sums4 AS MATERIALIZED (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM cells1 JOIN signs3 USING (f)
GROUP BY r, c),
features5 AS MATERIALIZED (SELECT CAST(range AS BIGINT) AS f FROM range(4)),
cells6 AS MATERIALIZED (SELECT r, f, x FROM sums4 UNION ALL
SELECT odd.r, e.f, 0.0e0 FROM (SELECT DISTINCT r FROM sums4 WHERE NOT isfinite(x)) odd
CROSS JOIN features5 e
WHERE NOT EXISTS (SELECT 1 FROM sums4 k WHERE (k.r IS NOT DISTINCT FROM odd.r) AND k.f = e.f)),
cells7 AS MATERIALIZED (SELECT r, f, x FROM cells6 UNION ALL SELECT r, -1, 1.0e0 FROM source0),
index_table8 AS MATERIALIZED (SELECT unnest(CAST(string_split(concat('0,1,2,3,3,3,3,4,5,6', t), ',') AS BIGINT[])) AS c, unnest(CAST(string_split(concat('0,1,2,0,1,2,3,2,1,1', t), ',') AS BIGINT[])) AS v0, unnest(CAST(string_split(concat('-1,-1,-1,0,1,2,3,2,3,1', t), ',') AS BIGINT[])) AS v1 FROM (VALUES ('')) v(t)),
products9 AS MATERIALIZED (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS DOUBLE)*CAST(k1.x AS DOUBLE)) AS x
FROM index_table8 i JOIN cells7 k0 ON k0.f = i.v0 JOIN cells7 k1 ON k1.f = i.v1 AND (k0.r IS NOT DISTINCT FROM k1.r)
GROUP BY k0.r, i.c)
SELECT c0 AS "doc", CAST(CASE WHEN ok IS NOT NULL THEN x END AS DOUBLE[7]) AS z
FROM (SELECT s.c0 AS c0, s.ok AS ok, list_transform(range(7), lambda e: coalesce(z.x[list_position(z.f, CAST(e AS SMALLINT))], 0.0e0)) AS x
FROM source0 s LEFT JOIN (SELECT r, list(CAST(f AS SMALLINT)) AS f, list(CAST(x AS DOUBLE)) AS x FROM products9 GROUP BY r) z ON (z.r IS NOT DISTINCT FROM s.r)) s

-- ======== postgresql
WITH source0 AS MATERIALIZED (SELECT r, r AS c0, CASE WHEN counted = present THEN 0 ELSE CAST('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''' || left(CAST(clock_timestamp() AS text), 0) AS bigint) END AS ok FROM (SELECT "doc" AS r, count(*) AS counted, count("value") AS present FROM "counts" GROUP BY "doc") s),
cells1 AS MATERIALIZED (SELECT "doc" AS r, CASE WHEN "feature" BETWEEN 0 AND 3 THEN "feature" WHEN "feature" IS NOT NULL THEN CAST('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features' || left(CAST(clock_timestamp() AS text), 0) AS bigint) END AS f, CAST("value" AS double precision) AS x FROM "counts"),
features2 AS MATERIALIZED (SELECT f FROM generate_series(CAST(0 AS bigint), 3) g(f)),
signs3 AS MATERIALIZED (SELECT unnest(CAST('{0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3}' AS bigint[])) AS c, unnest(CAST('{0,0,0,0,1,1,1,1,2,2,2,2,3,3,3,3}' AS bigint[])) AS f, unnest(CAST('{-1,-1,-1,-1,1,-1,1,-1,-1,-1,1,1,-1,1,1,-1}' AS bigint[])) AS sign),
sums4 AS MATERIALIZED (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE CAST('0.0' AS double precision) - x END) AS x
FROM cells1 JOIN signs3 USING (f)
GROUP BY r, c),
features5 AS MATERIALIZED (SELECT f FROM generate_series(CAST(0 AS bigint), 3) g(f)),
cells6 AS MATERIALIZED (SELECT r, f, x FROM sums4 UNION ALL
SELECT odd.r, e.f, CAST('0.0' AS double precision) FROM (SELECT DISTINCT r FROM sums4 WHERE NOT (x NOT IN ('NaN', 'Infinity', '-Infinity'))) odd
CROSS JOIN features5 e
WHERE NOT EXISTS (SELECT 1 FROM sums4 k WHERE ARRAY[k.r] = ARRAY[odd.r] AND k.f = e.f)),
cells7 AS MATERIALIZED (SELECT r, f, x FROM cells6 UNION ALL SELECT r, -1, CAST('1.0' AS double precision) FROM source0),
index_table8 AS MATERIALIZED (SELECT unnest(CAST('{0,1,2,3,3,3,3,4,5,6}' AS bigint[])) AS c, unnest(CAST('{0,1,2,0,1,2,3,2,1,1}' AS bigint[])) AS v0, unnest(CAST('{-1,-1,-1,0,1,2,3,2,3,1}' AS bigint[])) AS v1),
products9 AS MATERIALIZED (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS double precision)*CAST(k1.x AS double precision)) AS x
FROM index_table8 i JOIN cells7 k0 ON k0.f = i.v0 JOIN cells7 k1 ON k1.f = i.v1 AND ARRAY[k0.r] = ARRAY[k1.r]
GROUP BY k0.r, i.c),
outputs10 AS MATERIALIZED (SELECT f FROM generate_series(CAST(0 AS bigint), 6) g(f)),
result11 AS MATERIALIZED (SELECT s.r AS r, n.f AS f, coalesce(z.x, CAST('0.0' AS double precision)) AS x
FROM source0 s CROSS JOIN outputs10 n
LEFT JOIN products9 z ON ARRAY[z.r] = ARRAY[s.r] AND z.f = n.f)
SELECT c0 AS "doc", CASE WHEN ok IS NOT NULL THEN x END AS z
FROM (SELECT s.c0 AS c0, s.ok AS ok, z.x AS x FROM source0 s JOIN (SELECT r, array_agg(CAST(x AS double precision) ORDER BY f) AS x FROM result11 GROUP BY r) z ON ARRAY[z.r] = ARRAY[s.r]) s

-- ======== sqlite
-- UnsupportedError: output = 'array' is not supported: sqlite has no arrays; use 'columns' or 'long'

-- ======== mariadb
-- UnsupportedError: output = 'array' is not supported: mariadb has no arrays; use 'columns' or 'long'

-- ======== mysql
-- UnsupportedError: output = 'array' is not supported: mysql has no arrays; use 'columns' or 'long'

-- ======== clickhouse
-- 25 statements: run them in this order in one session. Statement 13 returns the rows.
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_0 ENGINE = Memory AS SELECT r, r AS c0, CASE WHEN counted = present THEN 0 ELSE throwIf(1, 'sqlrp: a feature is NULL and nulls = \'error\': clean the row, or use nulls = \'zero\' or \'propagate\'') END AS ok FROM (SELECT `doc` AS r, count(*) AS counted, count(`value`) AS present FROM `counts` GROUP BY `doc`) s
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_1 ENGINE = Memory AS SELECT `doc` AS r, CASE WHEN `feature` BETWEEN 0 AND 3 THEN `feature` WHEN `feature` IS NOT NULL THEN throwIf(1, 'sqlrp: a feature in \'feature\' is outside 0 ... 3: positions count from 0; raise n_features') END AS f, CAST(`value` AS Float64) AS x FROM `counts`
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_2 ENGINE = Memory AS SELECT toInt64(number) AS f FROM numbers(4)
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_3 ENGINE = Memory AS SELECT c, f, sign FROM (SELECT CAST('[0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3]' AS Array(Int64)) AS c, CAST('[0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]' AS Array(Int64)) AS f, CAST('[-1, -1, -1, -1, 1, -1, 1, -1, -1, -1, 1, 1, -1, 1, 1, -1]' AS Array(Int64)) AS sign) s ARRAY JOIN c, f, sign
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_4 ENGINE = Memory AS SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM sqlrp_temporary_1 JOIN sqlrp_temporary_3 USING (f)
GROUP BY r, c
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_5 ENGINE = Memory AS SELECT toInt64(number) AS f FROM numbers(4)
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_6 ENGINE = Memory AS SELECT r, f, x FROM sqlrp_temporary_4 UNION ALL
SELECT odd.r, e.f, 0.0e0 FROM (SELECT DISTINCT r FROM sqlrp_temporary_4 WHERE NOT isFinite(x)) odd
CROSS JOIN sqlrp_temporary_5 e
WHERE NOT EXISTS (SELECT 1 FROM sqlrp_temporary_4 k WHERE (k.r IS NOT DISTINCT FROM odd.r) AND k.f = e.f)
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_7 ENGINE = Memory AS SELECT r, f, x FROM sqlrp_temporary_6 UNION ALL SELECT r, -1, 1.0e0 FROM sqlrp_temporary_0
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_8 ENGINE = Memory AS SELECT c, v0, v1 FROM (SELECT CAST('[0, 1, 2, 3, 3, 3, 3, 4, 5, 6]' AS Array(Int64)) AS c, CAST('[0, 1, 2, 0, 1, 2, 3, 2, 1, 1]' AS Array(Int64)) AS v0, CAST('[-1, -1, -1, 0, 1, 2, 3, 2, 3, 1]' AS Array(Int64)) AS v1) s ARRAY JOIN c, v0, v1
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_9 ENGINE = Memory AS SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS Float64)*CAST(k1.x AS Float64)) AS x
FROM sqlrp_temporary_8 i JOIN sqlrp_temporary_7 k0 ON k0.f = i.v0 JOIN sqlrp_temporary_7 k1 ON k1.f = i.v1 AND (k0.r IS NOT DISTINCT FROM k1.r)
GROUP BY k0.r, i.c
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_10 ENGINE = Memory AS SELECT toInt64(number) AS f FROM numbers(7)
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_11 ENGINE = Memory AS SELECT s.r AS r, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM sqlrp_temporary_0 s CROSS JOIN sqlrp_temporary_10 n
LEFT JOIN sqlrp_temporary_9 z ON (z.r IS NOT DISTINCT FROM s.r) AND z.f = n.f
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
SELECT c0 AS `doc`, arrayMap(e -> e + 0 * ok, x) AS z
FROM (SELECT s.c0 AS c0, s.ok AS ok, z.x AS x FROM sqlrp_temporary_0 s JOIN (SELECT r, arrayMap(p -> p.2, arraySort(p -> p.1, groupArray((f, CAST(x AS Float64))))) AS x FROM sqlrp_temporary_11 GROUP BY r) z ON (z.r IS NOT DISTINCT FROM s.r)) s
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
DROP TEMPORARY TABLE IF EXISTS sqlrp_temporary_11;
DROP TEMPORARY TABLE IF EXISTS sqlrp_temporary_10;
DROP TEMPORARY TABLE IF EXISTS sqlrp_temporary_9;
DROP TEMPORARY TABLE IF EXISTS sqlrp_temporary_8;
DROP TEMPORARY TABLE IF EXISTS sqlrp_temporary_7;
DROP TEMPORARY TABLE IF EXISTS sqlrp_temporary_6;
DROP TEMPORARY TABLE IF EXISTS sqlrp_temporary_5;
DROP TEMPORARY TABLE IF EXISTS sqlrp_temporary_4;
DROP TEMPORARY TABLE IF EXISTS sqlrp_temporary_3;
DROP TEMPORARY TABLE IF EXISTS sqlrp_temporary_2;
DROP TEMPORARY TABLE IF EXISTS sqlrp_temporary_1;
DROP TEMPORARY TABLE IF EXISTS sqlrp_temporary_0;


-- ======== spark
WITH source0 AS (SELECT r, r AS c0, CASE WHEN counted = present THEN 0 ELSE raise_error('sqlrp: a feature is NULL and nulls = \'error\': clean the row, or use nulls = \'zero\' or \'propagate\'') END AS ok FROM (SELECT `doc` AS r, count(*) AS counted, count(`value`) AS present FROM `counts` GROUP BY `doc`) s),
cells1 AS (SELECT `doc` AS r, CASE WHEN `feature` BETWEEN 0 AND 3 THEN `feature` WHEN `feature` IS NOT NULL THEN raise_error('sqlrp: a feature in \'feature\' is outside 0 ... 3: positions count from 0; raise n_features') END AS f, CAST(`value` AS DOUBLE) AS x FROM `counts`),
features2 AS (SELECT id AS f FROM range(4)),
signs3 AS (SELECT inline(arrays_zip(from_json('[0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3]', 'ARRAY<BIGINT>'), from_json('[0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]', 'ARRAY<BIGINT>'), from_json('[-1, -1, -1, -1, 1, -1, 1, -1, -1, -1, 1, 1, -1, 1, 1, -1]', 'ARRAY<BIGINT>'))) AS (c, f, sign)),
sums4 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM cells1 JOIN signs3 USING (f)
GROUP BY r, c),
features5 AS (SELECT id AS f FROM range(4)),
lists6 AS (SELECT r, transform(array(collect_list(struct(CAST(f AS INT) AS o, CAST(x AS DOUBLE) AS v)) FILTER (WHERE CAST(x AS DOUBLE) IS NOT NULL)), p -> CASE WHEN size(p) = 4 THEN sort_array(p).v ELSE sort_array(concat(p, transform(array_except(sequence(0, 3), p.o), o -> struct(o, 0.0e0 AS v)))).v END)[0] AS x FROM sums4 GROUP BY r),
index_table7 AS (SELECT inline(arrays_zip(from_json('[0, 1, 2, 3, 3, 3, 3, 4, 5, 6]', 'ARRAY<BIGINT>'), from_json('[0, 1, 2, 0, 1, 2, 3, 2, 1, 1]', 'ARRAY<BIGINT>'), from_json('[4, 4, 4, 0, 1, 2, 3, 2, 3, 1]', 'ARRAY<BIGINT>'))) AS (c, v0, v1)),
products8 AS (SELECT k.r AS r, i.c AS f, SUM(CAST(coalesce(get(k.x, i.v0), 1.0e0) AS DOUBLE)*CAST(coalesce(get(k.x, i.v1), 1.0e0) AS DOUBLE)) AS x FROM lists6 k CROSS JOIN index_table7 i GROUP BY k.r, i.c)
SELECT c0 AS `doc`, CASE WHEN ok IS NOT NULL THEN x END AS z
FROM (SELECT s.c0 AS c0, s.ok AS ok, coalesce(z.x, array_repeat(0.0e0, 7)) AS x
FROM source0 s LEFT JOIN (SELECT r, transform(array(collect_list(struct(CAST(f AS INT) AS o, CAST(x AS DOUBLE) AS v)) FILTER (WHERE CAST(x AS DOUBLE) IS NOT NULL)), p -> CASE WHEN size(p) = 7 THEN sort_array(p).v ELSE sort_array(concat(p, transform(array_except(sequence(0, 6), p.o), o -> struct(o, 0.0e0 AS v)))).v END)[0] AS x FROM products8 GROUP BY r) z ON (z.r <=> s.r)) s

-- ======== snowflake
WITH source0 AS (SELECT r, r AS c0, CASE WHEN counted = present THEN 0 ELSE CAST(concat('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''', substr(CAST(CASE WHEN counted = present THEN 1 ELSE 0 END AS VARCHAR), 1, 0)) AS BIGINT) END AS ok FROM (SELECT "doc" AS r, count(*) AS counted, count("value") AS present FROM "counts" GROUP BY "doc") s),
cells1 AS (SELECT "doc" AS r, CASE WHEN "feature" BETWEEN 0 AND 3 THEN "feature" WHEN "feature" IS NOT NULL THEN CAST(concat('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features', substr(CAST(CASE WHEN "feature" > 0 THEN 1 ELSE 0 END AS VARCHAR), 1, 0)) AS BIGINT) END AS f, CAST("value" AS DOUBLE) AS x FROM "counts"),
features2 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
signs3 AS (SELECT c, f, sign FROM (VALUES (0, 0, -1), (1, 0, -1), (2, 0, -1), (3, 0, -1), (0, 1, 1), (1, 1, -1), (2, 1, 1), (3, 1, -1), (0, 2, -1), (1, 2, -1), (2, 2, 1), (3, 2, 1), (0, 3, -1), (1, 3, 1), (2, 3, 1), (3, 3, -1)) AS listed(c, f, sign)),
sums4 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM cells1 JOIN signs3 USING (f)
GROUP BY r, c),
features5 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
cells6 AS (SELECT r, f, x FROM sums4 UNION ALL
SELECT odd.r, e.f, 0.0e0 FROM (SELECT DISTINCT r FROM sums4 WHERE NOT (x - x = 0)) odd
CROSS JOIN features5 e
WHERE NOT EXISTS (SELECT 1 FROM sums4 k WHERE (k.r IS NOT DISTINCT FROM odd.r) AND k.f = e.f)),
cells7 AS (SELECT r, f, x FROM cells6 UNION ALL SELECT r, -1, 1.0e0 FROM source0),
index_table8 AS (SELECT c, v0, v1 FROM (VALUES (0, 0, -1), (1, 1, -1), (2, 2, -1), (3, 0, 0), (3, 1, 1), (3, 2, 2), (3, 3, 3), (4, 2, 2), (5, 1, 3), (6, 1, 1)) AS listed(c, v0, v1)),
products9 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS DOUBLE)*CAST(k1.x AS DOUBLE)) AS x
FROM index_table8 i JOIN cells7 k0 ON k0.f = i.v0 JOIN cells7 k1 ON k1.f = i.v1 AND (k0.r IS NOT DISTINCT FROM k1.r)
GROUP BY k0.r, i.c),
outputs10 AS (SELECT CAST(CASE WHEN 1 * d0.d < 7 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 7),
result11 AS (SELECT s.r AS r, s.c0 AS c0, s.ok AS ok, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM source0 s CROSS JOIN outputs10 n
LEFT JOIN products9 z ON (z.r IS NOT DISTINCT FROM s.r) AND z.f = n.f)
SELECT c0 AS "doc", CASE WHEN ok IS NOT NULL THEN ARRAY_CONSTRUCT(x0, x1, x2, x3, x4, x5, x6) END AS z
FROM (SELECT c0, ok, MAX(CASE WHEN f = 0 THEN CAST(x AS DOUBLE) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS DOUBLE) END) AS x1, MAX(CASE WHEN f = 2 THEN CAST(x AS DOUBLE) END) AS x2, MAX(CASE WHEN f = 3 THEN CAST(x AS DOUBLE) END) AS x3, MAX(CASE WHEN f = 4 THEN CAST(x AS DOUBLE) END) AS x4, MAX(CASE WHEN f = 5 THEN CAST(x AS DOUBLE) END) AS x5, MAX(CASE WHEN f = 6 THEN CAST(x AS DOUBLE) END) AS x6 FROM result11 GROUP BY r, c0, ok) s

-- ======== bigquery
WITH source0 AS (SELECT r, r AS c0, CASE WHEN counted = present THEN 0 ELSE ERROR('sqlrp: a feature is NULL and nulls = \'error\': clean the row, or use nulls = \'zero\' or \'propagate\'') END AS ok FROM (SELECT `doc` AS r, count(*) AS counted, count(`value`) AS present FROM `counts` GROUP BY `doc`) s),
cells1 AS (SELECT `doc` AS r, CASE WHEN `feature` BETWEEN 0 AND 3 THEN `feature` WHEN `feature` IS NOT NULL THEN ERROR('sqlrp: a feature in \'feature\' is outside 0 ... 3: positions count from 0; raise n_features') END AS f, CAST(`value` AS FLOAT64) AS x FROM `counts`),
features2 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS INT64) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
signs3 AS (SELECT c, f, sign FROM UNNEST([STRUCT(0 AS c, 0 AS f, -1 AS sign), STRUCT(1, 0, -1), STRUCT(2, 0, -1), STRUCT(3, 0, -1), STRUCT(0, 1, 1), STRUCT(1, 1, -1), STRUCT(2, 1, 1), STRUCT(3, 1, -1), STRUCT(0, 2, -1), STRUCT(1, 2, -1), STRUCT(2, 2, 1), STRUCT(3, 2, 1), STRUCT(0, 3, -1), STRUCT(1, 3, 1), STRUCT(2, 3, 1), STRUCT(3, 3, -1)])),
sums4 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM cells1 JOIN signs3 USING (f)
GROUP BY r, c),
features5 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS INT64) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
cells6 AS (SELECT r, f, x FROM sums4 UNION ALL
SELECT odd.r, e.f, 0.0e0 FROM (SELECT DISTINCT r FROM sums4 WHERE NOT (x - x = 0)) odd
CROSS JOIN features5 e
WHERE NOT EXISTS (SELECT 1 FROM sums4 k WHERE (k.r IS NOT DISTINCT FROM odd.r) AND k.f = e.f)),
cells7 AS (SELECT r, f, x FROM cells6 UNION ALL SELECT r, -1, 1.0e0 FROM source0),
index_table8 AS (SELECT c, v0, v1 FROM UNNEST([STRUCT(0 AS c, 0 AS v0, -1 AS v1), STRUCT(1, 1, -1), STRUCT(2, 2, -1), STRUCT(3, 0, 0), STRUCT(3, 1, 1), STRUCT(3, 2, 2), STRUCT(3, 3, 3), STRUCT(4, 2, 2), STRUCT(5, 1, 3), STRUCT(6, 1, 1)])),
products9 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS FLOAT64)*CAST(k1.x AS FLOAT64)) AS x
FROM index_table8 i JOIN cells7 k0 ON k0.f = i.v0 JOIN cells7 k1 ON k1.f = i.v1 AND (k0.r IS NOT DISTINCT FROM k1.r)
GROUP BY k0.r, i.c),
outputs10 AS (SELECT CAST(CASE WHEN 1 * d0.d < 7 THEN 1 * d0.d END AS INT64) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 7),
result11 AS (SELECT s.r AS r, s.c0 AS c0, s.ok AS ok, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM source0 s CROSS JOIN outputs10 n
LEFT JOIN products9 z ON (z.r IS NOT DISTINCT FROM s.r) AND z.f = n.f)
SELECT c0 AS `doc`, CASE WHEN ok IS NOT NULL THEN ARRAY[x0, x1, x2, x3, x4, x5, x6] END AS z
FROM (SELECT c0, ok, MAX(CASE WHEN f = 0 THEN CAST(x AS FLOAT64) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS FLOAT64) END) AS x1, MAX(CASE WHEN f = 2 THEN CAST(x AS FLOAT64) END) AS x2, MAX(CASE WHEN f = 3 THEN CAST(x AS FLOAT64) END) AS x3, MAX(CASE WHEN f = 4 THEN CAST(x AS FLOAT64) END) AS x4, MAX(CASE WHEN f = 5 THEN CAST(x AS FLOAT64) END) AS x5, MAX(CASE WHEN f = 6 THEN CAST(x AS FLOAT64) END) AS x6 FROM result11 GROUP BY r, c0, ok) s

-- ======== redshift
WITH source0 AS (SELECT r, r AS c0, CASE WHEN counted = present THEN 0 ELSE CAST(concat('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''', substr(CAST(CASE WHEN counted = present THEN 1 ELSE 0 END AS VARCHAR), 1, 0)) AS BIGINT) END AS ok FROM (SELECT "doc" AS r, count(*) AS counted, count("value") AS present FROM "counts" GROUP BY "doc") s),
cells1 AS (SELECT "doc" AS r, CASE WHEN "feature" BETWEEN 0 AND 3 THEN "feature" WHEN "feature" IS NOT NULL THEN CAST(concat('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features', substr(CAST(CASE WHEN "feature" > 0 THEN 1 ELSE 0 END AS VARCHAR), 1, 0)) AS BIGINT) END AS f, CAST("value" AS DOUBLE PRECISION) AS x FROM "counts"),
features2 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
signs3 AS (SELECT 0 AS c, 0 AS f, -1 AS sign UNION ALL SELECT 1 AS c, 0 AS f, -1 AS sign UNION ALL SELECT 2 AS c, 0 AS f, -1 AS sign UNION ALL SELECT 3 AS c, 0 AS f, -1 AS sign UNION ALL SELECT 0 AS c, 1 AS f, 1 AS sign UNION ALL SELECT 1 AS c, 1 AS f, -1 AS sign UNION ALL SELECT 2 AS c, 1 AS f, 1 AS sign UNION ALL SELECT 3 AS c, 1 AS f, -1 AS sign UNION ALL SELECT 0 AS c, 2 AS f, -1 AS sign UNION ALL SELECT 1 AS c, 2 AS f, -1 AS sign UNION ALL SELECT 2 AS c, 2 AS f, 1 AS sign UNION ALL SELECT 3 AS c, 2 AS f, 1 AS sign UNION ALL SELECT 0 AS c, 3 AS f, -1 AS sign UNION ALL SELECT 1 AS c, 3 AS f, 1 AS sign UNION ALL SELECT 2 AS c, 3 AS f, 1 AS sign UNION ALL SELECT 3 AS c, 3 AS f, -1 AS sign),
sums4 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE CAST('0.0' AS DOUBLE PRECISION) - x END) AS x
FROM cells1 JOIN signs3 USING (f)
GROUP BY r, c),
features5 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
cells6 AS (SELECT r, f, x FROM sums4 UNION ALL
SELECT odd.r, e.f, CAST('0.0' AS DOUBLE PRECISION) FROM (SELECT DISTINCT r FROM sums4 WHERE NOT (x - x = 0)) odd
CROSS JOIN features5 e
WHERE NOT EXISTS (SELECT 1 FROM sums4 k WHERE (k.r = odd.r OR (k.r IS NULL AND odd.r IS NULL)) AND k.f = e.f)),
cells7 AS (SELECT r, f, x FROM cells6 UNION ALL SELECT r, -1, CAST('1.0' AS DOUBLE PRECISION) FROM source0),
index_table8 AS (SELECT 0 AS c, 0 AS v0, -1 AS v1 UNION ALL SELECT 1 AS c, 1 AS v0, -1 AS v1 UNION ALL SELECT 2 AS c, 2 AS v0, -1 AS v1 UNION ALL SELECT 3 AS c, 0 AS v0, 0 AS v1 UNION ALL SELECT 3 AS c, 1 AS v0, 1 AS v1 UNION ALL SELECT 3 AS c, 2 AS v0, 2 AS v1 UNION ALL SELECT 3 AS c, 3 AS v0, 3 AS v1 UNION ALL SELECT 4 AS c, 2 AS v0, 2 AS v1 UNION ALL SELECT 5 AS c, 1 AS v0, 3 AS v1 UNION ALL SELECT 6 AS c, 1 AS v0, 1 AS v1),
products9 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS DOUBLE PRECISION)*CAST(k1.x AS DOUBLE PRECISION)) AS x
FROM index_table8 i JOIN cells7 k0 ON k0.f = i.v0 JOIN cells7 k1 ON k1.f = i.v1 AND (k0.r = k1.r OR (k0.r IS NULL AND k1.r IS NULL))
GROUP BY k0.r, i.c),
outputs10 AS (SELECT CAST(CASE WHEN 1 * d0.d < 7 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 7),
result11 AS (SELECT s.r AS r, s.c0 AS c0, s.ok AS ok, n.f AS f, coalesce(z.x, CAST('0.0' AS DOUBLE PRECISION)) AS x
FROM source0 s CROSS JOIN outputs10 n
LEFT JOIN products9 z ON (z.r = s.r OR (z.r IS NULL AND s.r IS NULL)) AND z.f = n.f)
SELECT c0 AS "doc", CASE WHEN ok IS NOT NULL THEN ARRAY(x0, x1, x2, x3, x4, x5, x6) END AS z
FROM (SELECT c0, ok, MAX(CASE WHEN f = 0 THEN CAST(x AS DOUBLE PRECISION) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS DOUBLE PRECISION) END) AS x1, MAX(CASE WHEN f = 2 THEN CAST(x AS DOUBLE PRECISION) END) AS x2, MAX(CASE WHEN f = 3 THEN CAST(x AS DOUBLE PRECISION) END) AS x3, MAX(CASE WHEN f = 4 THEN CAST(x AS DOUBLE PRECISION) END) AS x4, MAX(CASE WHEN f = 5 THEN CAST(x AS DOUBLE PRECISION) END) AS x5, MAX(CASE WHEN f = 6 THEN CAST(x AS DOUBLE PRECISION) END) AS x6 FROM result11 GROUP BY r, c0, ok) s

-- ======== databricks
WITH source0 AS (SELECT r, r AS c0, CASE WHEN counted = present THEN 0 ELSE raise_error('sqlrp: a feature is NULL and nulls = \'error\': clean the row, or use nulls = \'zero\' or \'propagate\'') END AS ok FROM (SELECT `doc` AS r, count(*) AS counted, count(`value`) AS present FROM `counts` GROUP BY `doc`) s),
cells1 AS (SELECT `doc` AS r, CASE WHEN `feature` BETWEEN 0 AND 3 THEN `feature` WHEN `feature` IS NOT NULL THEN raise_error('sqlrp: a feature in \'feature\' is outside 0 ... 3: positions count from 0; raise n_features') END AS f, CAST(`value` AS DOUBLE) AS x FROM `counts`),
features2 AS (SELECT id AS f FROM range(4)),
signs3 AS (SELECT c, f, sign FROM (VALUES (0, 0, -1), (1, 0, -1), (2, 0, -1), (3, 0, -1), (0, 1, 1), (1, 1, -1), (2, 1, 1), (3, 1, -1), (0, 2, -1), (1, 2, -1), (2, 2, 1), (3, 2, 1), (0, 3, -1), (1, 3, 1), (2, 3, 1), (3, 3, -1)) AS listed(c, f, sign)),
sums4 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM cells1 JOIN signs3 USING (f)
GROUP BY r, c),
features5 AS (SELECT id AS f FROM range(4)),
lists6 AS (SELECT r, transform(array(collect_list(struct(CAST(f AS INT) AS o, CAST(x AS DOUBLE) AS v)) FILTER (WHERE CAST(x AS DOUBLE) IS NOT NULL)), p -> CASE WHEN size(p) = 4 THEN sort_array(p).v ELSE sort_array(concat(p, transform(array_except(sequence(0, 3), p.o), o -> struct(o, 0.0e0 AS v)))).v END)[0] AS x FROM sums4 GROUP BY r),
index_table7 AS (SELECT c, v0, v1 FROM (VALUES (0, 0, 4), (1, 1, 4), (2, 2, 4), (3, 0, 0), (3, 1, 1), (3, 2, 2), (3, 3, 3), (4, 2, 2), (5, 1, 3), (6, 1, 1)) AS listed(c, v0, v1)),
products8 AS (SELECT k.r AS r, i.c AS f, SUM(CAST(coalesce(get(k.x, i.v0), 1.0e0) AS DOUBLE)*CAST(coalesce(get(k.x, i.v1), 1.0e0) AS DOUBLE)) AS x FROM lists6 k CROSS JOIN index_table7 i GROUP BY k.r, i.c),
outputs9 AS (SELECT id AS f FROM range(7)),
result10 AS (SELECT s.r AS r, s.c0 AS c0, s.ok AS ok, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM source0 s CROSS JOIN outputs9 n
LEFT JOIN products8 z ON (z.r IS NOT DISTINCT FROM s.r) AND z.f = n.f)
SELECT c0 AS `doc`, CASE WHEN ok IS NOT NULL THEN array(x0,x1,x2,x3,x4,x5,x6) END AS z
FROM (SELECT c0, ok, MAX(CASE WHEN f = 0 THEN CAST(x AS DOUBLE) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS DOUBLE) END) AS x1, MAX(CASE WHEN f = 2 THEN CAST(x AS DOUBLE) END) AS x2, MAX(CASE WHEN f = 3 THEN CAST(x AS DOUBLE) END) AS x3, MAX(CASE WHEN f = 4 THEN CAST(x AS DOUBLE) END) AS x4, MAX(CASE WHEN f = 5 THEN CAST(x AS DOUBLE) END) AS x5, MAX(CASE WHEN f = 6 THEN CAST(x AS DOUBLE) END) AS x6 FROM result10 GROUP BY r, c0, ok) s

-- ======== trino
WITH source0 AS (SELECT r, r AS c0, CASE WHEN counted = present THEN 0 ELSE CAST(concat('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''', substr(CAST(CASE WHEN counted = present THEN 1 ELSE 0 END AS VARCHAR), 1, 0)) AS BIGINT) END AS ok FROM (SELECT "doc" AS r, count(*) AS counted, count("value") AS present FROM "counts" GROUP BY "doc") s),
cells1 AS (SELECT "doc" AS r, CASE WHEN "feature" BETWEEN 0 AND 3 THEN "feature" WHEN "feature" IS NOT NULL THEN CAST(concat('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features', substr(CAST(CASE WHEN "feature" > 0 THEN 1 ELSE 0 END AS VARCHAR), 1, 0)) AS BIGINT) END AS f, CAST("value" AS DOUBLE) AS x FROM "counts"),
features2 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
signs3 AS (SELECT c, f, sign FROM (VALUES (0, 0, -1), (1, 0, -1), (2, 0, -1), (3, 0, -1), (0, 1, 1), (1, 1, -1), (2, 1, 1), (3, 1, -1), (0, 2, -1), (1, 2, -1), (2, 2, 1), (3, 2, 1), (0, 3, -1), (1, 3, 1), (2, 3, 1), (3, 3, -1)) AS listed(c, f, sign)),
sums4 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM cells1 JOIN signs3 USING (f)
GROUP BY r, c),
features5 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
cells6 AS (SELECT r, f, x FROM sums4 UNION ALL
SELECT odd.r, e.f, 0.0e0 FROM (SELECT DISTINCT r FROM sums4 WHERE NOT (x - x = 0)) odd
CROSS JOIN features5 e
WHERE NOT EXISTS (SELECT 1 FROM sums4 k WHERE (k.r IS NOT DISTINCT FROM odd.r) AND k.f = e.f)),
cells7 AS (SELECT r, f, x FROM cells6 UNION ALL SELECT r, -1, 1.0e0 FROM source0),
index_table8 AS (SELECT c, v0, v1 FROM (VALUES (0, 0, -1), (1, 1, -1), (2, 2, -1), (3, 0, 0), (3, 1, 1), (3, 2, 2), (3, 3, 3), (4, 2, 2), (5, 1, 3), (6, 1, 1)) AS listed(c, v0, v1)),
products9 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS DOUBLE)*CAST(k1.x AS DOUBLE)) AS x
FROM index_table8 i JOIN cells7 k0 ON k0.f = i.v0 JOIN cells7 k1 ON k1.f = i.v1 AND (k0.r IS NOT DISTINCT FROM k1.r)
GROUP BY k0.r, i.c),
outputs10 AS (SELECT CAST(CASE WHEN 1 * d0.d < 7 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 7),
result11 AS (SELECT s.r AS r, s.c0 AS c0, s.ok AS ok, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM source0 s CROSS JOIN outputs10 n
LEFT JOIN products9 z ON (z.r IS NOT DISTINCT FROM s.r) AND z.f = n.f)
SELECT c0 AS "doc", CASE WHEN ok IS NOT NULL THEN ARRAY[x0, x1, x2, x3, x4, x5, x6] END AS z
FROM (SELECT c0, ok, MAX(CASE WHEN f = 0 THEN CAST(x AS DOUBLE) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS DOUBLE) END) AS x1, MAX(CASE WHEN f = 2 THEN CAST(x AS DOUBLE) END) AS x2, MAX(CASE WHEN f = 3 THEN CAST(x AS DOUBLE) END) AS x3, MAX(CASE WHEN f = 4 THEN CAST(x AS DOUBLE) END) AS x4, MAX(CASE WHEN f = 5 THEN CAST(x AS DOUBLE) END) AS x5, MAX(CASE WHEN f = 6 THEN CAST(x AS DOUBLE) END) AS x6 FROM result11 GROUP BY r, c0, ok) s

-- ======== sqlserver
-- 23 statements: run them in this order in one session. Statement 12 returns the rows.
SELECT * INTO #sqlrp_temporary_0 FROM (SELECT r, r AS c0, CASE WHEN counted = present THEN 0 ELSE CAST(CONCAT('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''', LEFT(CAST(NEWID() AS VARCHAR(36)), 0)) AS BIGINT) END AS ok FROM (SELECT [doc] AS r, count(*) AS counted, count([value]) AS present FROM [counts] GROUP BY [doc]) s) s;
SELECT * INTO #sqlrp_temporary_1 FROM (SELECT [doc] AS r, CASE WHEN [feature] BETWEEN 0 AND 3 THEN [feature] WHEN [feature] IS NOT NULL THEN CAST(CONCAT('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features', LEFT(CAST(NEWID() AS VARCHAR(36)), 0)) AS BIGINT) END AS f, CAST([value] AS FLOAT) AS x FROM [counts]) s;
SELECT * INTO #sqlrp_temporary_2 FROM (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) s;
SELECT * INTO #sqlrp_temporary_3 FROM (SELECT c, f, sign FROM (VALUES (0, 0, -1), (1, 0, -1), (2, 0, -1), (3, 0, -1), (0, 1, 1), (1, 1, -1), (2, 1, 1), (3, 1, -1), (0, 2, -1), (1, 2, -1), (2, 2, 1), (3, 2, 1), (0, 3, -1), (1, 3, 1), (2, 3, 1), (3, 3, -1)) AS listed(c, f, sign)) s;
SELECT * INTO #sqlrp_temporary_4 FROM (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM #sqlrp_temporary_1 JOIN #sqlrp_temporary_3 ON #sqlrp_temporary_1.f = #sqlrp_temporary_3.f
GROUP BY r, c) s;
SELECT * INTO #sqlrp_temporary_5 FROM (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) s;
SELECT * INTO #sqlrp_temporary_6 FROM (SELECT r, f, x FROM #sqlrp_temporary_4 UNION ALL SELECT r, -1, 1.0e0 FROM #sqlrp_temporary_0) s;
SELECT * INTO #sqlrp_temporary_7 FROM (SELECT c, v0, v1 FROM (VALUES (0, 0, -1), (1, 1, -1), (2, 2, -1), (3, 0, 0), (3, 1, 1), (3, 2, 2), (3, 3, 3), (4, 2, 2), (5, 1, 3), (6, 1, 1)) AS listed(c, v0, v1)) s;
SELECT * INTO #sqlrp_temporary_8 FROM (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS FLOAT)*CAST(k1.x AS FLOAT)) AS x
FROM #sqlrp_temporary_7 i JOIN #sqlrp_temporary_6 k0 ON k0.f = i.v0 JOIN #sqlrp_temporary_6 k1 ON k1.f = i.v1 AND EXISTS (SELECT k0.r INTERSECT SELECT k1.r)
GROUP BY k0.r, i.c) s;
SELECT * INTO #sqlrp_temporary_9 FROM (SELECT CAST(CASE WHEN 1 * d0.d < 7 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 7) s;
SELECT * INTO #sqlrp_temporary_10 FROM (SELECT s.r AS r, s.c0 AS c0, s.ok AS ok, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM #sqlrp_temporary_0 s CROSS JOIN #sqlrp_temporary_9 n
LEFT JOIN #sqlrp_temporary_8 z ON EXISTS (SELECT z.r INTERSECT SELECT s.r) AND z.f = n.f) s;
SELECT c0 AS [doc], CASE WHEN ok IS NOT NULL THEN CONCAT(CAST('[' AS VARCHAR(MAX)), CONCAT_WS(',', CONVERT(VARCHAR(30), x0, 3), CONVERT(VARCHAR(30), x1, 3), CONVERT(VARCHAR(30), x2, 3), CONVERT(VARCHAR(30), x3, 3), CONVERT(VARCHAR(30), x4, 3), CONVERT(VARCHAR(30), x5, 3), CONVERT(VARCHAR(30), x6, 3)), ']') END AS z
FROM (SELECT c0, ok, MAX(CASE WHEN f = 0 THEN CAST(x AS FLOAT) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS FLOAT) END) AS x1, MAX(CASE WHEN f = 2 THEN CAST(x AS FLOAT) END) AS x2, MAX(CASE WHEN f = 3 THEN CAST(x AS FLOAT) END) AS x3, MAX(CASE WHEN f = 4 THEN CAST(x AS FLOAT) END) AS x4, MAX(CASE WHEN f = 5 THEN CAST(x AS FLOAT) END) AS x5, MAX(CASE WHEN f = 6 THEN CAST(x AS FLOAT) END) AS x6 FROM #sqlrp_temporary_10 GROUP BY r, c0, ok) s;
DROP TABLE IF EXISTS #sqlrp_temporary_10;
DROP TABLE IF EXISTS #sqlrp_temporary_9;
DROP TABLE IF EXISTS #sqlrp_temporary_8;
DROP TABLE IF EXISTS #sqlrp_temporary_7;
DROP TABLE IF EXISTS #sqlrp_temporary_6;
DROP TABLE IF EXISTS #sqlrp_temporary_5;
DROP TABLE IF EXISTS #sqlrp_temporary_4;
DROP TABLE IF EXISTS #sqlrp_temporary_3;
DROP TABLE IF EXISTS #sqlrp_temporary_2;
DROP TABLE IF EXISTS #sqlrp_temporary_1;
DROP TABLE IF EXISTS #sqlrp_temporary_0;


-- ======== oracle
WITH source0 AS (SELECT r, r AS c0, CASE WHEN counted = present THEN 0 ELSE TO_NUMBER('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''' || substr(RAWTOHEX(SYS_GUID()), 1, 0)) END AS ok FROM (SELECT "doc" AS r, count(*) AS counted, count("value") AS present FROM "counts" GROUP BY "doc") s),
cells1 AS (SELECT "doc" AS r, CASE WHEN "feature" BETWEEN 0 AND 3 THEN "feature" WHEN "feature" IS NOT NULL THEN TO_NUMBER('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features' || substr(RAWTOHEX(SYS_GUID()), 1, 0)) END AS f, CAST("value" AS BINARY_DOUBLE) AS x FROM "counts"),
features2 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS NUMBER(19)) AS f FROM (SELECT 0 AS d FROM dual UNION ALL SELECT 1 FROM dual UNION ALL SELECT 2 FROM dual UNION ALL SELECT 3 FROM dual UNION ALL SELECT 4 FROM dual UNION ALL SELECT 5 FROM dual UNION ALL SELECT 6 FROM dual UNION ALL SELECT 7 FROM dual UNION ALL SELECT 8 FROM dual UNION ALL SELECT 9 FROM dual) d0 WHERE 1 * d0.d < 4),
signs3 AS (SELECT c, f, sign FROM (SELECT 0 AS c, 0 AS f, -1 AS sign FROM dual UNION ALL SELECT 1 AS c, 0 AS f, -1 AS sign FROM dual UNION ALL SELECT 2 AS c, 0 AS f, -1 AS sign FROM dual UNION ALL SELECT 3 AS c, 0 AS f, -1 AS sign FROM dual UNION ALL SELECT 0 AS c, 1 AS f, 1 AS sign FROM dual UNION ALL SELECT 1 AS c, 1 AS f, -1 AS sign FROM dual UNION ALL SELECT 2 AS c, 1 AS f, 1 AS sign FROM dual UNION ALL SELECT 3 AS c, 1 AS f, -1 AS sign FROM dual UNION ALL SELECT 0 AS c, 2 AS f, -1 AS sign FROM dual UNION ALL SELECT 1 AS c, 2 AS f, -1 AS sign FROM dual UNION ALL SELECT 2 AS c, 2 AS f, 1 AS sign FROM dual UNION ALL SELECT 3 AS c, 2 AS f, 1 AS sign FROM dual UNION ALL SELECT 0 AS c, 3 AS f, -1 AS sign FROM dual UNION ALL SELECT 1 AS c, 3 AS f, 1 AS sign FROM dual UNION ALL SELECT 2 AS c, 3 AS f, 1 AS sign FROM dual UNION ALL SELECT 3 AS c, 3 AS f, -1 AS sign FROM dual) s),
sums4 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE CAST(0.0e0 AS BINARY_DOUBLE) - x END) AS x
FROM cells1 JOIN signs3 USING (f)
GROUP BY r, c),
features5 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS NUMBER(19)) AS f FROM (SELECT 0 AS d FROM dual UNION ALL SELECT 1 FROM dual UNION ALL SELECT 2 FROM dual UNION ALL SELECT 3 FROM dual UNION ALL SELECT 4 FROM dual UNION ALL SELECT 5 FROM dual UNION ALL SELECT 6 FROM dual UNION ALL SELECT 7 FROM dual UNION ALL SELECT 8 FROM dual UNION ALL SELECT 9 FROM dual) d0 WHERE 1 * d0.d < 4),
cells6 AS (SELECT r, f, x FROM sums4 UNION ALL
SELECT odd.r, e.f, CAST(0.0e0 AS BINARY_DOUBLE) FROM (SELECT DISTINCT r FROM sums4 WHERE NOT (x - x = 0)) odd
CROSS JOIN features5 e
WHERE NOT EXISTS (SELECT 1 FROM sums4 k WHERE (k.r = odd.r OR (k.r IS NULL AND odd.r IS NULL)) AND k.f = e.f)),
cells7 AS (SELECT r, f, x FROM cells6 UNION ALL SELECT r, -1, CAST(1.0e0 AS BINARY_DOUBLE) FROM source0),
index_table8 AS (SELECT c, v0, v1 FROM (SELECT 0 AS c, 0 AS v0, -1 AS v1 FROM dual UNION ALL SELECT 1 AS c, 1 AS v0, -1 AS v1 FROM dual UNION ALL SELECT 2 AS c, 2 AS v0, -1 AS v1 FROM dual UNION ALL SELECT 3 AS c, 0 AS v0, 0 AS v1 FROM dual UNION ALL SELECT 3 AS c, 1 AS v0, 1 AS v1 FROM dual UNION ALL SELECT 3 AS c, 2 AS v0, 2 AS v1 FROM dual UNION ALL SELECT 3 AS c, 3 AS v0, 3 AS v1 FROM dual UNION ALL SELECT 4 AS c, 2 AS v0, 2 AS v1 FROM dual UNION ALL SELECT 5 AS c, 1 AS v0, 3 AS v1 FROM dual UNION ALL SELECT 6 AS c, 1 AS v0, 1 AS v1 FROM dual) s),
products9 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS BINARY_DOUBLE)*CAST(k1.x AS BINARY_DOUBLE)) AS x
FROM index_table8 i JOIN cells7 k0 ON k0.f = i.v0 JOIN cells7 k1 ON k1.f = i.v1 AND (k0.r = k1.r OR (k0.r IS NULL AND k1.r IS NULL))
GROUP BY k0.r, i.c),
outputs10 AS (SELECT CAST(CASE WHEN 1 * d0.d < 7 THEN 1 * d0.d END AS NUMBER(19)) AS f FROM (SELECT 0 AS d FROM dual UNION ALL SELECT 1 FROM dual UNION ALL SELECT 2 FROM dual UNION ALL SELECT 3 FROM dual UNION ALL SELECT 4 FROM dual UNION ALL SELECT 5 FROM dual UNION ALL SELECT 6 FROM dual UNION ALL SELECT 7 FROM dual UNION ALL SELECT 8 FROM dual UNION ALL SELECT 9 FROM dual) d0 WHERE 1 * d0.d < 7),
result11 AS (SELECT s.r AS r, s.c0 AS c0, s.ok AS ok, n.f AS f, coalesce(z.x, CAST(0.0e0 AS BINARY_DOUBLE)) AS x
FROM source0 s CROSS JOIN outputs10 n
LEFT JOIN products9 z ON (z.r = s.r OR (z.r IS NULL AND s.r IS NULL)) AND z.f = n.f)
SELECT c0 AS "doc", CASE WHEN ok IS NOT NULL THEN TO_VECTOR(JSON_ARRAY(x0, x1, x2, x3, x4, x5, x6 NULL ON NULL RETURNING CLOB), 7, FLOAT64) END AS z
FROM (SELECT c0, ok, MAX(CASE WHEN f = 0 THEN CAST(x AS BINARY_DOUBLE) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS BINARY_DOUBLE) END) AS x1, MAX(CASE WHEN f = 2 THEN CAST(x AS BINARY_DOUBLE) END) AS x2, MAX(CASE WHEN f = 3 THEN CAST(x AS BINARY_DOUBLE) END) AS x3, MAX(CASE WHEN f = 4 THEN CAST(x AS BINARY_DOUBLE) END) AS x4, MAX(CASE WHEN f = 5 THEN CAST(x AS BINARY_DOUBLE) END) AS x5, MAX(CASE WHEN f = 6 THEN CAST(x AS BINARY_DOUBLE) END) AS x6 FROM result11 GROUP BY r, c0, ok) s

-- ======== generic
-- UnsupportedError: output = 'array' is not supported: generic has no arrays; use 'columns' or 'long'
