-- HadamardProjection(k=3, seed=1, padding='power_of_two', replacement=False)
-- long rows of doubles; output = 'auto', lowering = 'auto'

-- ======== duckdb
WITH source0 AS MATERIALIZED (SELECT r, r AS c0, CASE WHEN counted = present THEN 0.577350269 END AS ok FROM (SELECT "doc" AS r, count(*) AS counted, count("value") AS present FROM "counts" GROUP BY "doc") s),
cells1 AS MATERIALIZED (SELECT "doc" AS r, CASE WHEN "feature" BETWEEN 0 AND 3 THEN "feature" WHEN "feature" IS NOT NULL THEN error('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features') END AS f, CAST("value" AS DOUBLE) AS x FROM "counts"),
features2 AS MATERIALIZED (SELECT CAST(range AS BIGINT) AS f FROM range(4)),
signs3 AS MATERIALIZED (SELECT unnest(CAST(string_split(concat('0,1,2,0,1,2,0,1,2,0,1,2', t), ',') AS BIGINT[])) AS c, unnest(CAST(string_split(concat('0,0,0,1,1,1,2,2,2,3,3,3', t), ',') AS BIGINT[])) AS f, unnest(CAST(string_split(concat('-1,-1,-1,1,-1,-1,1,1,-1,1,-1,1', t), ',') AS BIGINT[])) AS sign FROM (VALUES ('')) v(t)),
sums4 AS MATERIALIZED (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM cells1 JOIN signs3 USING (f)
GROUP BY r, c)
SELECT c0 AS "doc", ok*x[1] AS z0, ok*x[2] AS z1, ok*x[3] AS z2
FROM (SELECT s.c0 AS c0, s.ok AS ok, list_transform(range(3), lambda e: coalesce(z.x[list_position(z.f, CAST(e AS SMALLINT))], 0.0e0)) AS x
FROM source0 s LEFT JOIN (SELECT r, list(CAST(f AS SMALLINT)) AS f, list(CAST(x AS DOUBLE)) AS x FROM sums4 GROUP BY r) z ON (z.r IS NOT DISTINCT FROM s.r)) s

-- ======== postgresql
WITH source0 AS MATERIALIZED (SELECT r, r AS c0, CASE WHEN counted = present THEN CAST('0.577350269' AS double precision) END AS ok FROM (SELECT "doc" AS r, count(*) AS counted, count("value") AS present FROM "counts" GROUP BY "doc") s),
cells1 AS MATERIALIZED (SELECT "doc" AS r, CASE WHEN "feature" BETWEEN 0 AND 3 THEN "feature" WHEN "feature" IS NOT NULL THEN CAST('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features' || left(CAST(clock_timestamp() AS text), 0) AS bigint) END AS f, CAST("value" AS double precision) AS x FROM "counts"),
features2 AS MATERIALIZED (SELECT f FROM generate_series(CAST(0 AS bigint), 3) g(f)),
signs3 AS MATERIALIZED (SELECT unnest(CAST('{0,1,2,0,1,2,0,1,2,0,1,2}' AS bigint[])) AS c, unnest(CAST('{0,0,0,1,1,1,2,2,2,3,3,3}' AS bigint[])) AS f, unnest(CAST('{-1,-1,-1,1,-1,-1,1,1,-1,1,-1,1}' AS bigint[])) AS sign),
sums4 AS MATERIALIZED (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE CAST('0.0' AS double precision) - x END) AS x
FROM cells1 JOIN signs3 USING (f)
GROUP BY r, c),
outputs5 AS MATERIALIZED (SELECT f FROM generate_series(CAST(0 AS bigint), 2) g(f)),
result6 AS MATERIALIZED (SELECT s.r AS r, n.f AS f, coalesce(z.x, CAST('0.0' AS double precision)) AS x
FROM source0 s CROSS JOIN outputs5 n
LEFT JOIN sums4 z ON ARRAY[z.r] = ARRAY[s.r] AND z.f = n.f)
SELECT c0 AS "doc", ok*x[1] AS z0, ok*x[2] AS z1, ok*x[3] AS z2
FROM (SELECT s.c0 AS c0, s.ok AS ok, z.x AS x FROM source0 s JOIN (SELECT r, array_agg(CAST(x AS double precision) ORDER BY f) AS x FROM result6 GROUP BY r) z ON ARRAY[z.r] = ARRAY[s.r]) s

-- ======== sqlite
WITH source0 AS MATERIALIZED (SELECT r, r AS c0, CASE WHEN counted = present THEN 0.577350269 END AS ok FROM (SELECT `doc` AS r, count(*) AS counted, count(`value`) AS present FROM `counts` GROUP BY `doc`) s),
cells1 AS MATERIALIZED (SELECT `doc` AS r, CASE WHEN `feature` BETWEEN 0 AND 3 THEN `feature` WHEN `feature` IS NOT NULL THEN json_type('{}', 'sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features' || substr(random(), 1, 0)) END AS f, CASE WHEN `value` >= '' THEN json_type('{}', 'sqlrp: a feature in `value` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`value` AS REAL) END AS x FROM `counts`),
features2 AS MATERIALIZED (WITH RECURSIVE counted AS (SELECT 0 AS f UNION ALL SELECT f + 1 FROM counted WHERE f < 3) SELECT f FROM counted),
signs3 AS MATERIALIZED (SELECT CAST(json_extract(value, '$[0]') AS INTEGER) AS c, CAST(json_extract(value, '$[1]') AS INTEGER) AS f, CAST(json_extract(value, '$[2]') AS INTEGER) AS sign FROM json_each('[[0,0,-1],[1,0,-1],[2,0,-1],[0,1,1],[1,1,-1],[2,1,-1],[0,2,1],[1,2,1],[2,2,-1],[0,3,1],[1,3,-1],[2,3,1]]')),
sums4 AS MATERIALIZED (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM cells1 JOIN signs3 USING (f)
GROUP BY r, c),
outputs5 AS MATERIALIZED (WITH RECURSIVE counted AS (SELECT 0 AS f UNION ALL SELECT f + 1 FROM counted WHERE f < 2) SELECT f FROM counted),
result6 AS MATERIALIZED (SELECT s.r AS r, s.c0 AS c0, s.ok AS ok, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM source0 s CROSS JOIN outputs5 n
LEFT JOIN sums4 z ON (z.r IS s.r) AND z.f = n.f)
SELECT c0 AS `doc`, ok*x0 AS z0, ok*x1 AS z1, ok*x2 AS z2
FROM (SELECT c0, ok, MAX(CASE WHEN f = 0 THEN CAST(x AS REAL) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS REAL) END) AS x1, MAX(CASE WHEN f = 2 THEN CAST(x AS REAL) END) AS x2 FROM result6 GROUP BY r, c0, ok) s

-- ======== mariadb
WITH source0 AS (SELECT r, r AS c0, CASE WHEN counted = present THEN 0.577350269 END AS ok FROM (SELECT `doc` AS r, count(*) AS counted, count(`value`) AS present FROM `counts` GROUP BY `doc`) s LIMIT 18446744073709551615),
cells1 AS (SELECT `doc` AS r, CASE WHEN `feature` BETWEEN 0 AND 3 THEN `feature` WHEN `feature` IS NOT NULL THEN (9223372036854775807 + char_length(concat('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features', rand()))) END AS f, CAST(`value` AS DOUBLE) AS x FROM `counts` LIMIT 18446744073709551615),
features2 AS (SELECT CAST(seq AS SIGNED) AS f FROM seq_0_to_3 LIMIT 18446744073709551615),
signs3 AS (SELECT c, f, sign FROM JSON_TABLE('[[0,0,-1],[1,0,-1],[2,0,-1],[0,1,1],[1,1,-1],[2,1,-1],[0,2,1],[1,2,1],[2,2,-1],[0,3,1],[1,3,-1],[2,3,1]]', '$[*]' COLUMNS (c BIGINT PATH '$[0]', f BIGINT PATH '$[1]', sign BIGINT PATH '$[2]')) listed LIMIT 18446744073709551615),
sums4 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM cells1 JOIN signs3 USING (f)
GROUP BY r, c LIMIT 18446744073709551615),
outputs5 AS (SELECT CAST(seq AS SIGNED) AS f FROM seq_0_to_2 LIMIT 18446744073709551615),
result6 AS (SELECT s.r AS r, s.c0 AS c0, s.ok AS ok, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM source0 s CROSS JOIN outputs5 n
LEFT JOIN sums4 z ON (z.r <=> s.r) AND z.f = n.f LIMIT 18446744073709551615)
SELECT c0 AS `doc`, ok*x0 AS z0, ok*x1 AS z1, ok*x2 AS z2
FROM (SELECT c0, ok, MAX(CASE WHEN f = 0 THEN CAST(x AS DOUBLE) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS DOUBLE) END) AS x1, MAX(CASE WHEN f = 2 THEN CAST(x AS DOUBLE) END) AS x2 FROM result6 GROUP BY r, c0, ok) s

-- ======== mysql
WITH source0 AS (SELECT r, r AS c0, CASE WHEN counted = present THEN 0.577350269 END AS ok FROM (SELECT `doc` AS r, count(*) AS counted, count(`value`) AS present FROM `counts` GROUP BY `doc`) s),
cells1 AS (SELECT `doc` AS r, CASE WHEN `feature` BETWEEN 0 AND 3 THEN `feature` WHEN `feature` IS NOT NULL THEN (9223372036854775807 + char_length(concat('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features', rand()))) END AS f, CAST(`value` AS DOUBLE) AS x FROM `counts`),
features2 AS (SELECT CAST(n AS SIGNED) - 1 AS f FROM JSON_TABLE(concat('[0', repeat(',0', 3), ']'), '$[*]' COLUMNS (n FOR ORDINALITY)) listed),
signs3 AS (SELECT c, f, sign FROM JSON_TABLE('[[0,0,-1],[1,0,-1],[2,0,-1],[0,1,1],[1,1,-1],[2,1,-1],[0,2,1],[1,2,1],[2,2,-1],[0,3,1],[1,3,-1],[2,3,1]]', '$[*]' COLUMNS (c BIGINT PATH '$[0]', f BIGINT PATH '$[1]', sign BIGINT PATH '$[2]')) listed),
sums4 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM cells1 JOIN signs3 USING (f)
GROUP BY r, c),
outputs5 AS (SELECT CAST(n AS SIGNED) - 1 AS f FROM JSON_TABLE(concat('[0', repeat(',0', 2), ']'), '$[*]' COLUMNS (n FOR ORDINALITY)) listed),
result6 AS (SELECT s.r AS r, s.c0 AS c0, s.ok AS ok, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM source0 s CROSS JOIN outputs5 n
LEFT JOIN sums4 z ON (z.r <=> s.r) AND z.f = n.f)
SELECT c0 AS `doc`, ok*x0 AS z0, ok*x1 AS z1, ok*x2 AS z2
FROM (SELECT c0, ok, MAX(CASE WHEN f = 0 THEN CAST(x AS DOUBLE) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS DOUBLE) END) AS x1, MAX(CASE WHEN f = 2 THEN CAST(x AS DOUBLE) END) AS x2 FROM result6 GROUP BY r, c0, ok) s

-- ======== clickhouse
-- 15 statements: run them in this order in one session. Statement 8 returns the rows.
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_0 ENGINE = Memory AS SELECT r, r AS c0, CASE WHEN counted = present THEN 0.577350269 END AS ok FROM (SELECT `doc` AS r, count(*) AS counted, count(`value`) AS present FROM `counts` GROUP BY `doc`) s
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_1 ENGINE = Memory AS SELECT `doc` AS r, CASE WHEN `feature` BETWEEN 0 AND 3 THEN `feature` WHEN `feature` IS NOT NULL THEN throwIf(1, 'sqlrp: a feature in \'feature\' is outside 0 ... 3: positions count from 0; raise n_features') END AS f, CAST(`value` AS Float64) AS x FROM `counts`
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_2 ENGINE = Memory AS SELECT toInt64(number) AS f FROM numbers(4)
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_3 ENGINE = Memory AS SELECT c, f, sign FROM (SELECT CAST('[0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2]' AS Array(Int64)) AS c, CAST('[0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]' AS Array(Int64)) AS f, CAST('[-1, -1, -1, 1, -1, -1, 1, 1, -1, 1, -1, 1]' AS Array(Int64)) AS sign) s ARRAY JOIN c, f, sign
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_4 ENGINE = Memory AS SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM sqlrp_temporary_1 JOIN sqlrp_temporary_3 USING (f)
GROUP BY r, c
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_5 ENGINE = Memory AS SELECT toInt64(number) AS f FROM numbers(3)
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_6 ENGINE = Memory AS SELECT s.r AS r, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM sqlrp_temporary_0 s CROSS JOIN sqlrp_temporary_5 n
LEFT JOIN sqlrp_temporary_4 z ON (z.r IS NOT DISTINCT FROM s.r) AND z.f = n.f
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
SELECT c0 AS `doc`, ok*x[1] AS z0, ok*x[2] AS z1, ok*x[3] AS z2
FROM (SELECT s.c0 AS c0, s.ok AS ok, z.x AS x FROM sqlrp_temporary_0 s JOIN (SELECT r, arrayMap(p -> p.2, arraySort(p -> p.1, groupArray((f, CAST(x AS Float64))))) AS x FROM sqlrp_temporary_6 GROUP BY r) z ON (z.r IS NOT DISTINCT FROM s.r)) s
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
DROP TEMPORARY TABLE IF EXISTS sqlrp_temporary_6;
DROP TEMPORARY TABLE IF EXISTS sqlrp_temporary_5;
DROP TEMPORARY TABLE IF EXISTS sqlrp_temporary_4;
DROP TEMPORARY TABLE IF EXISTS sqlrp_temporary_3;
DROP TEMPORARY TABLE IF EXISTS sqlrp_temporary_2;
DROP TEMPORARY TABLE IF EXISTS sqlrp_temporary_1;
DROP TEMPORARY TABLE IF EXISTS sqlrp_temporary_0;


-- ======== spark
WITH source0 AS (SELECT r, r AS c0, CASE WHEN counted = present THEN 0.577350269 END AS ok FROM (SELECT `doc` AS r, count(*) AS counted, count(`value`) AS present FROM `counts` GROUP BY `doc`) s),
cells1 AS (SELECT `doc` AS r, CASE WHEN `feature` BETWEEN 0 AND 3 THEN `feature` WHEN `feature` IS NOT NULL THEN raise_error('sqlrp: a feature in \'feature\' is outside 0 ... 3: positions count from 0; raise n_features') END AS f, CAST(`value` AS DOUBLE) AS x FROM `counts`),
features2 AS (SELECT id AS f FROM range(4)),
signs3 AS (SELECT inline(arrays_zip(from_json('[0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2]', 'ARRAY<BIGINT>'), from_json('[0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]', 'ARRAY<BIGINT>'), from_json('[-1, -1, -1, 1, -1, -1, 1, 1, -1, 1, -1, 1]', 'ARRAY<BIGINT>'))) AS (c, f, sign)),
sums4 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM cells1 JOIN signs3 USING (f)
GROUP BY r, c)
SELECT c0 AS `doc`, ok*x[0] AS z0, ok*x[1] AS z1, ok*x[2] AS z2
FROM (SELECT s.c0 AS c0, s.ok AS ok, coalesce(z.x, array_repeat(0.0e0, 3)) AS x
FROM source0 s LEFT JOIN (SELECT r, transform(array(collect_list(struct(CAST(f AS INT) AS o, CAST(x AS DOUBLE) AS v)) FILTER (WHERE CAST(x AS DOUBLE) IS NOT NULL)), p -> CASE WHEN size(p) = 3 THEN sort_array(p).v ELSE sort_array(concat(p, transform(array_except(sequence(0, 2), p.o), o -> struct(o, 0.0e0 AS v)))).v END)[0] AS x FROM sums4 GROUP BY r) z ON (z.r <=> s.r)) s

-- ======== snowflake, trino
WITH source0 AS (SELECT r, r AS c0, CASE WHEN counted = present THEN 0.577350269 END AS ok FROM (SELECT "doc" AS r, count(*) AS counted, count("value") AS present FROM "counts" GROUP BY "doc") s),
cells1 AS (SELECT "doc" AS r, CASE WHEN "feature" BETWEEN 0 AND 3 THEN "feature" WHEN "feature" IS NOT NULL THEN CAST(concat('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features', substr(CAST(CASE WHEN "feature" > 0 THEN 1 ELSE 0 END AS VARCHAR), 1, 0)) AS BIGINT) END AS f, CAST("value" AS DOUBLE) AS x FROM "counts"),
features2 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
signs3 AS (SELECT c, f, sign FROM (VALUES (0, 0, -1), (1, 0, -1), (2, 0, -1), (0, 1, 1), (1, 1, -1), (2, 1, -1), (0, 2, 1), (1, 2, 1), (2, 2, -1), (0, 3, 1), (1, 3, -1), (2, 3, 1)) AS listed(c, f, sign)),
sums4 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM cells1 JOIN signs3 USING (f)
GROUP BY r, c),
outputs5 AS (SELECT CAST(CASE WHEN 1 * d0.d < 3 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 3),
result6 AS (SELECT s.r AS r, s.c0 AS c0, s.ok AS ok, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM source0 s CROSS JOIN outputs5 n
LEFT JOIN sums4 z ON (z.r IS NOT DISTINCT FROM s.r) AND z.f = n.f)
SELECT c0 AS "doc", ok*x0 AS z0, ok*x1 AS z1, ok*x2 AS z2
FROM (SELECT c0, ok, MAX(CASE WHEN f = 0 THEN CAST(x AS DOUBLE) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS DOUBLE) END) AS x1, MAX(CASE WHEN f = 2 THEN CAST(x AS DOUBLE) END) AS x2 FROM result6 GROUP BY r, c0, ok) s

-- ======== bigquery
WITH source0 AS (SELECT r, r AS c0, CASE WHEN counted = present THEN 0.577350269 END AS ok FROM (SELECT `doc` AS r, count(*) AS counted, count(`value`) AS present FROM `counts` GROUP BY `doc`) s),
cells1 AS (SELECT `doc` AS r, CASE WHEN `feature` BETWEEN 0 AND 3 THEN `feature` WHEN `feature` IS NOT NULL THEN ERROR('sqlrp: a feature in \'feature\' is outside 0 ... 3: positions count from 0; raise n_features') END AS f, CAST(`value` AS FLOAT64) AS x FROM `counts`),
features2 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS INT64) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
signs3 AS (SELECT c, f, sign FROM UNNEST([STRUCT(0 AS c, 0 AS f, -1 AS sign), STRUCT(1, 0, -1), STRUCT(2, 0, -1), STRUCT(0, 1, 1), STRUCT(1, 1, -1), STRUCT(2, 1, -1), STRUCT(0, 2, 1), STRUCT(1, 2, 1), STRUCT(2, 2, -1), STRUCT(0, 3, 1), STRUCT(1, 3, -1), STRUCT(2, 3, 1)])),
sums4 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM cells1 JOIN signs3 USING (f)
GROUP BY r, c),
outputs5 AS (SELECT CAST(CASE WHEN 1 * d0.d < 3 THEN 1 * d0.d END AS INT64) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 3),
result6 AS (SELECT s.r AS r, s.c0 AS c0, s.ok AS ok, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM source0 s CROSS JOIN outputs5 n
LEFT JOIN sums4 z ON (z.r IS NOT DISTINCT FROM s.r) AND z.f = n.f)
SELECT c0 AS `doc`, ok*x0 AS z0, ok*x1 AS z1, ok*x2 AS z2
FROM (SELECT c0, ok, MAX(CASE WHEN f = 0 THEN CAST(x AS FLOAT64) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS FLOAT64) END) AS x1, MAX(CASE WHEN f = 2 THEN CAST(x AS FLOAT64) END) AS x2 FROM result6 GROUP BY r, c0, ok) s

-- ======== redshift
WITH source0 AS (SELECT r, r AS c0, CASE WHEN counted = present THEN CAST('0.577350269' AS DOUBLE PRECISION) END AS ok FROM (SELECT "doc" AS r, count(*) AS counted, count("value") AS present FROM "counts" GROUP BY "doc") s),
cells1 AS (SELECT "doc" AS r, CASE WHEN "feature" BETWEEN 0 AND 3 THEN "feature" WHEN "feature" IS NOT NULL THEN CAST(concat('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features', substr(CAST(CASE WHEN "feature" > 0 THEN 1 ELSE 0 END AS VARCHAR), 1, 0)) AS BIGINT) END AS f, CAST("value" AS DOUBLE PRECISION) AS x FROM "counts"),
features2 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
signs3 AS (SELECT 0 AS c, 0 AS f, -1 AS sign UNION ALL SELECT 1 AS c, 0 AS f, -1 AS sign UNION ALL SELECT 2 AS c, 0 AS f, -1 AS sign UNION ALL SELECT 0 AS c, 1 AS f, 1 AS sign UNION ALL SELECT 1 AS c, 1 AS f, -1 AS sign UNION ALL SELECT 2 AS c, 1 AS f, -1 AS sign UNION ALL SELECT 0 AS c, 2 AS f, 1 AS sign UNION ALL SELECT 1 AS c, 2 AS f, 1 AS sign UNION ALL SELECT 2 AS c, 2 AS f, -1 AS sign UNION ALL SELECT 0 AS c, 3 AS f, 1 AS sign UNION ALL SELECT 1 AS c, 3 AS f, -1 AS sign UNION ALL SELECT 2 AS c, 3 AS f, 1 AS sign),
sums4 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE CAST('0.0' AS DOUBLE PRECISION) - x END) AS x
FROM cells1 JOIN signs3 USING (f)
GROUP BY r, c),
outputs5 AS (SELECT CAST(CASE WHEN 1 * d0.d < 3 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 3),
result6 AS (SELECT s.r AS r, s.c0 AS c0, s.ok AS ok, n.f AS f, coalesce(z.x, CAST('0.0' AS DOUBLE PRECISION)) AS x
FROM source0 s CROSS JOIN outputs5 n
LEFT JOIN sums4 z ON (z.r = s.r OR (z.r IS NULL AND s.r IS NULL)) AND z.f = n.f)
SELECT c0 AS "doc", ok*x0 AS z0, ok*x1 AS z1, ok*x2 AS z2
FROM (SELECT c0, ok, MAX(CASE WHEN f = 0 THEN CAST(x AS DOUBLE PRECISION) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS DOUBLE PRECISION) END) AS x1, MAX(CASE WHEN f = 2 THEN CAST(x AS DOUBLE PRECISION) END) AS x2 FROM result6 GROUP BY r, c0, ok) s

-- ======== databricks
WITH source0 AS (SELECT r, r AS c0, CASE WHEN counted = present THEN 0.577350269 END AS ok FROM (SELECT `doc` AS r, count(*) AS counted, count(`value`) AS present FROM `counts` GROUP BY `doc`) s),
cells1 AS (SELECT `doc` AS r, CASE WHEN `feature` BETWEEN 0 AND 3 THEN `feature` WHEN `feature` IS NOT NULL THEN raise_error('sqlrp: a feature in \'feature\' is outside 0 ... 3: positions count from 0; raise n_features') END AS f, CAST(`value` AS DOUBLE) AS x FROM `counts`),
features2 AS (SELECT id AS f FROM range(4)),
signs3 AS (SELECT c, f, sign FROM (VALUES (0, 0, -1), (1, 0, -1), (2, 0, -1), (0, 1, 1), (1, 1, -1), (2, 1, -1), (0, 2, 1), (1, 2, 1), (2, 2, -1), (0, 3, 1), (1, 3, -1), (2, 3, 1)) AS listed(c, f, sign)),
sums4 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM cells1 JOIN signs3 USING (f)
GROUP BY r, c),
outputs5 AS (SELECT id AS f FROM range(3)),
result6 AS (SELECT s.r AS r, s.c0 AS c0, s.ok AS ok, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM source0 s CROSS JOIN outputs5 n
LEFT JOIN sums4 z ON (z.r IS NOT DISTINCT FROM s.r) AND z.f = n.f)
SELECT c0 AS `doc`, ok*x0 AS z0, ok*x1 AS z1, ok*x2 AS z2
FROM (SELECT c0, ok, MAX(CASE WHEN f = 0 THEN CAST(x AS DOUBLE) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS DOUBLE) END) AS x1, MAX(CASE WHEN f = 2 THEN CAST(x AS DOUBLE) END) AS x2 FROM result6 GROUP BY r, c0, ok) s

-- ======== sqlserver
-- 15 statements: run them in this order in one session. Statement 8 returns the rows.
SELECT * INTO #sqlrp_temporary_0 FROM (SELECT r, r AS c0, CASE WHEN counted = present THEN 0.577350269 END AS ok FROM (SELECT [doc] AS r, count(*) AS counted, count([value]) AS present FROM [counts] GROUP BY [doc]) s) s;
SELECT * INTO #sqlrp_temporary_1 FROM (SELECT [doc] AS r, CASE WHEN [feature] BETWEEN 0 AND 3 THEN [feature] WHEN [feature] IS NOT NULL THEN CAST(CONCAT('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features', LEFT(CAST(NEWID() AS VARCHAR(36)), 0)) AS BIGINT) END AS f, CAST([value] AS FLOAT) AS x FROM [counts]) s;
SELECT * INTO #sqlrp_temporary_2 FROM (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) s;
SELECT * INTO #sqlrp_temporary_3 FROM (SELECT c, f, sign FROM (VALUES (0, 0, -1), (1, 0, -1), (2, 0, -1), (0, 1, 1), (1, 1, -1), (2, 1, -1), (0, 2, 1), (1, 2, 1), (2, 2, -1), (0, 3, 1), (1, 3, -1), (2, 3, 1)) AS listed(c, f, sign)) s;
SELECT * INTO #sqlrp_temporary_4 FROM (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM #sqlrp_temporary_1 JOIN #sqlrp_temporary_3 ON #sqlrp_temporary_1.f = #sqlrp_temporary_3.f
GROUP BY r, c) s;
SELECT * INTO #sqlrp_temporary_5 FROM (SELECT CAST(CASE WHEN 1 * d0.d < 3 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 3) s;
SELECT * INTO #sqlrp_temporary_6 FROM (SELECT s.r AS r, s.c0 AS c0, s.ok AS ok, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM #sqlrp_temporary_0 s CROSS JOIN #sqlrp_temporary_5 n
LEFT JOIN #sqlrp_temporary_4 z ON EXISTS (SELECT z.r INTERSECT SELECT s.r) AND z.f = n.f) s;
SELECT c0 AS [doc], ok*x0 AS z0, ok*x1 AS z1, ok*x2 AS z2
FROM (SELECT c0, ok, MAX(CASE WHEN f = 0 THEN CAST(x AS FLOAT) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS FLOAT) END) AS x1, MAX(CASE WHEN f = 2 THEN CAST(x AS FLOAT) END) AS x2 FROM #sqlrp_temporary_6 GROUP BY r, c0, ok) s;
DROP TABLE IF EXISTS #sqlrp_temporary_6;
DROP TABLE IF EXISTS #sqlrp_temporary_5;
DROP TABLE IF EXISTS #sqlrp_temporary_4;
DROP TABLE IF EXISTS #sqlrp_temporary_3;
DROP TABLE IF EXISTS #sqlrp_temporary_2;
DROP TABLE IF EXISTS #sqlrp_temporary_1;
DROP TABLE IF EXISTS #sqlrp_temporary_0;


-- ======== oracle
WITH source0 AS (SELECT r, r AS c0, CASE WHEN counted = present THEN CAST(0.577350269 AS BINARY_DOUBLE) END AS ok FROM (SELECT "doc" AS r, count(*) AS counted, count("value") AS present FROM "counts" GROUP BY "doc") s),
cells1 AS (SELECT "doc" AS r, CASE WHEN "feature" BETWEEN 0 AND 3 THEN "feature" WHEN "feature" IS NOT NULL THEN TO_NUMBER('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features' || substr(RAWTOHEX(SYS_GUID()), 1, 0)) END AS f, CAST("value" AS BINARY_DOUBLE) AS x FROM "counts"),
features2 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS NUMBER(19)) AS f FROM (SELECT 0 AS d FROM dual UNION ALL SELECT 1 FROM dual UNION ALL SELECT 2 FROM dual UNION ALL SELECT 3 FROM dual UNION ALL SELECT 4 FROM dual UNION ALL SELECT 5 FROM dual UNION ALL SELECT 6 FROM dual UNION ALL SELECT 7 FROM dual UNION ALL SELECT 8 FROM dual UNION ALL SELECT 9 FROM dual) d0 WHERE 1 * d0.d < 4),
signs3 AS (SELECT c, f, sign FROM (SELECT 0 AS c, 0 AS f, -1 AS sign FROM dual UNION ALL SELECT 1 AS c, 0 AS f, -1 AS sign FROM dual UNION ALL SELECT 2 AS c, 0 AS f, -1 AS sign FROM dual UNION ALL SELECT 0 AS c, 1 AS f, 1 AS sign FROM dual UNION ALL SELECT 1 AS c, 1 AS f, -1 AS sign FROM dual UNION ALL SELECT 2 AS c, 1 AS f, -1 AS sign FROM dual UNION ALL SELECT 0 AS c, 2 AS f, 1 AS sign FROM dual UNION ALL SELECT 1 AS c, 2 AS f, 1 AS sign FROM dual UNION ALL SELECT 2 AS c, 2 AS f, -1 AS sign FROM dual UNION ALL SELECT 0 AS c, 3 AS f, 1 AS sign FROM dual UNION ALL SELECT 1 AS c, 3 AS f, -1 AS sign FROM dual UNION ALL SELECT 2 AS c, 3 AS f, 1 AS sign FROM dual) s),
sums4 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE CAST(0.0e0 AS BINARY_DOUBLE) - x END) AS x
FROM cells1 JOIN signs3 USING (f)
GROUP BY r, c),
outputs5 AS (SELECT CAST(CASE WHEN 1 * d0.d < 3 THEN 1 * d0.d END AS NUMBER(19)) AS f FROM (SELECT 0 AS d FROM dual UNION ALL SELECT 1 FROM dual UNION ALL SELECT 2 FROM dual UNION ALL SELECT 3 FROM dual UNION ALL SELECT 4 FROM dual UNION ALL SELECT 5 FROM dual UNION ALL SELECT 6 FROM dual UNION ALL SELECT 7 FROM dual UNION ALL SELECT 8 FROM dual UNION ALL SELECT 9 FROM dual) d0 WHERE 1 * d0.d < 3),
result6 AS (SELECT s.r AS r, s.c0 AS c0, s.ok AS ok, n.f AS f, coalesce(z.x, CAST(0.0e0 AS BINARY_DOUBLE)) AS x
FROM source0 s CROSS JOIN outputs5 n
LEFT JOIN sums4 z ON (z.r = s.r OR (z.r IS NULL AND s.r IS NULL)) AND z.f = n.f)
SELECT c0 AS "doc", ok*x0 AS z0, ok*x1 AS z1, ok*x2 AS z2
FROM (SELECT c0, ok, MAX(CASE WHEN f = 0 THEN CAST(x AS BINARY_DOUBLE) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS BINARY_DOUBLE) END) AS x1, MAX(CASE WHEN f = 2 THEN CAST(x AS BINARY_DOUBLE) END) AS x2 FROM result6 GROUP BY r, c0, ok) s

-- ======== generic
SELECT c0 AS "doc", ok*-w1 AS "z0", ok*-w2 AS "z1", ok*-w0 AS "z2"
FROM (SELECT c0, ok, v0+v1 AS w0, v2-v3 AS w1, v2+v3 AS w2
FROM (SELECT c0, ok, x0+x2 AS v0, x1-x3 AS v1, x0-x2 AS v2, x1+x3 AS v3
FROM (SELECT c0, CASE WHEN counted = present THEN 0.577350269 END AS ok, f0 AS x0, f1 AS x1, f2 AS x2, f3 AS x3
FROM (SELECT "doc" AS c0, CAST(SUM(CASE WHEN "feature" = 0 THEN CAST("value" AS DOUBLE PRECISION) ELSE 0.0e0 END) AS DOUBLE PRECISION) AS f0, CAST(SUM(CASE WHEN "feature" = 1 THEN CAST("value" AS DOUBLE PRECISION) ELSE 0.0e0 END) AS DOUBLE PRECISION) AS f1, CAST(SUM(CASE WHEN "feature" = 2 THEN CAST("value" AS DOUBLE PRECISION) ELSE 0.0e0 END) AS DOUBLE PRECISION) AS f2, CAST(SUM(CASE WHEN "feature" = 3 THEN CAST("value" AS DOUBLE PRECISION) ELSE 0.0e0 END) AS DOUBLE PRECISION) AS f3, count(*) AS counted, count(CASE WHEN "feature" BETWEEN 0 AND 3 OR "feature" IS NULL THEN "value" END) AS present
FROM "counts" GROUP BY "doc") s) s) s) s
