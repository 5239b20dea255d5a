-- RandomFourierFeatures(k=2, seed=1, gamma=0.5)
-- array rows of doubles; output = 'long', nulls = 'zero', scale = True, lowering = 'relational'

-- ======== duckdb
WITH source0 AS MATERIALIZED (SELECT "id" AS c0, row_number() OVER () AS r, CAST("embedding" AS DOUBLE[]) AS x FROM "documents"),
cells1 AS MATERIALIZED (SELECT r, unnest(range(len(x))) AS f, unnest(x) AS x FROM source0),
features2 AS MATERIALIZED (SELECT CAST(range AS BIGINT) AS f FROM range(4)),
cells3 AS MATERIALIZED (SELECT r, f, x FROM cells1 UNION ALL SELECT r, 2147483646, 1.0e0 FROM source0),
features4 AS MATERIALIZED (SELECT f FROM features2 UNION ALL SELECT 2147483646),
signs5 AS MATERIALIZED (SELECT unnest(CAST(string_split(concat('0,1,0,1,0,1,0,1,0,1', t), ',') AS BIGINT[])) AS c, unnest(CAST(string_split(concat('0,0,1,1,2,2,3,3,2147483646,2147483646', t), ',') AS BIGINT[])) AS f, unnest(CAST(string_split(concat('-1.4814588,-1.15326517,-1.36465042,1.66418794,0.340491878,-1.05451656,-0.0633549213,-0.0253829135,5.31299817,1.11914492', t), ',') AS DOUBLE[])) AS sign FROM (VALUES ('')) v(t)),
sums6 AS MATERIALIZED (SELECT r, c AS f, SUM(sign * x) AS x
FROM cells3 JOIN signs5 USING (f)
GROUP BY r, c),
features7 AS MATERIALIZED (SELECT CAST(range AS BIGINT) AS f FROM range(2)),
cells8 AS MATERIALIZED (SELECT s.r AS r, e.f AS f, coalesce(CAST(k.x AS DOUBLE), 0.0e0) AS x FROM source0 s CROSS JOIN features7 e LEFT JOIN sums6 k ON k.r = s.r AND k.f = e.f),
mapped9 AS MATERIALIZED (SELECT r, f, cos(x) AS x FROM cells8),
outputs10 AS MATERIALIZED (SELECT CAST(range AS BIGINT) AS f FROM range(2)),
result11 AS MATERIALIZED (SELECT s.r AS r, s.c0 AS c0, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM source0 s CROSS JOIN outputs10 n
LEFT JOIN mapped9 z ON z.r = s.r AND z.f = n.f)
SELECT c0 AS "id", f AS component, CAST(x AS DOUBLE) AS value
FROM result11

-- ======== postgresql
WITH source0 AS MATERIALIZED (SELECT c0, row_number() OVER () AS r, CAST(x AS double precision[]) AS x FROM (SELECT "id" AS c0, ("embedding")[:] AS x FROM "documents" OFFSET '0') s),
cells1 AS MATERIALIZED (SELECT r, o - 1 AS f, e AS x
FROM source0, unnest(x) WITH ORDINALITY AS u(e, o)),
features2 AS MATERIALIZED (SELECT f FROM generate_series(CAST(0 AS bigint), 3) g(f)),
cells3 AS MATERIALIZED (SELECT r, f, x FROM cells1 UNION ALL SELECT r, 2147483646, CAST('1.0' AS double precision) FROM source0),
features4 AS MATERIALIZED (SELECT f FROM features2 UNION ALL SELECT 2147483646),
signs5 AS MATERIALIZED (SELECT unnest(CAST('{0,1,0,1,0,1,0,1,0,1}' AS bigint[])) AS c, unnest(CAST('{0,0,1,1,2,2,3,3,2147483646,2147483646}' AS bigint[])) AS f, unnest(CAST('{-1.4814588,-1.15326517,-1.36465042,1.66418794,0.340491878,-1.05451656,-0.0633549213,-0.0253829135,5.31299817,1.11914492}' AS double precision[])) AS sign),
sums6 AS MATERIALIZED (SELECT r, c AS f, SUM(sign * x) AS x
FROM cells3 JOIN signs5 USING (f)
GROUP BY r, c),
features7 AS MATERIALIZED (SELECT f FROM generate_series(CAST(0 AS bigint), 1) g(f)),
cells8 AS MATERIALIZED (SELECT s.r AS r, e.f AS f, coalesce(CAST(k.x AS double precision), CAST('0.0' AS double precision)) AS x FROM source0 s CROSS JOIN features7 e LEFT JOIN sums6 k ON k.r = s.r AND k.f = e.f),
mapped9 AS MATERIALIZED (SELECT r, f, CASE WHEN x IN ('Infinity', '-Infinity') THEN 'NaN' ELSE cos(x) END AS x FROM cells8),
outputs10 AS MATERIALIZED (SELECT f FROM generate_series(CAST(0 AS bigint), 1) g(f)),
result11 AS MATERIALIZED (SELECT s.r AS r, s.c0 AS c0, n.f AS f, coalesce(z.x, CAST('0.0' AS double precision)) AS x
FROM source0 s CROSS JOIN outputs10 n
LEFT JOIN mapped9 z ON z.r = s.r AND z.f = n.f)
SELECT c0 AS "id", f AS component, CAST(x AS double precision) AS value
FROM result11

-- ======== sqlite
-- UnsupportedError: sqlite has no array columns, so Array(…) is not supported: use Wide(…) or Long(…); of texts such as '[0.1, 0.2]', Long(…) reads the view SELECT t.`id`, CAST(j.key AS INTEGER) AS feature, CAST(j.value AS REAL) AS value FROM `documents` t, json_each(t.`embedding`) j

-- ======== mariadb
-- UnsupportedError: mariadb has no array columns, so Array(…) is not supported: use Wide(…) or Long(…); of texts such as '[0.1, 0.2]', Long(…) reads the view SELECT t.`id`, j.feature - 1 AS feature, j.value FROM `documents` t, JSON_TABLE(t.`embedding`, '$[*]' COLUMNS (feature FOR ORDINALITY, value DOUBLE PATH '$')) j

-- ======== mysql
-- UnsupportedError: mysql has no array columns, so Array(…) is not supported: use Wide(…) or Long(…); of texts such as '[0.1, 0.2]', Long(…) reads the view SELECT t.`id`, j.feature - 1 AS feature, j.value FROM `documents` t, JSON_TABLE(t.`embedding`, '$[*]' COLUMNS (feature FOR ORDINALITY, value DOUBLE PATH '$')) j

-- ======== clickhouse
-- 25 statements: run them in this order in one session. Statement 13 returns the rows.
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_0 ENGINE = Memory AS SELECT `id` AS c0, toInt64(row_number() OVER ()) AS r, arrayMap(e -> CAST(e AS Float64), `embedding`) AS x FROM `documents`
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_1 ENGINE = Memory AS SELECT r, toInt64(o) - 1 AS f, e AS x
FROM sqlrp_temporary_0 ARRAY JOIN x AS e, arrayEnumerate(x) AS o
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_2 ENGINE = Memory AS SELECT toInt64(number) AS f FROM numbers(4)
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_3 ENGINE = Memory AS SELECT r, f, x FROM sqlrp_temporary_1 UNION ALL SELECT r, 2147483646, 1.0e0 FROM sqlrp_temporary_0
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_4 ENGINE = Memory AS SELECT f FROM sqlrp_temporary_2 UNION ALL SELECT 2147483646
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_5 ENGINE = Memory AS SELECT c, f, sign FROM (SELECT CAST('[0, 1, 0, 1, 0, 1, 0, 1, 0, 1]' AS Array(Int64)) AS c, CAST('[0, 0, 1, 1, 2, 2, 3, 3, 2147483646, 2147483646]' AS Array(Int64)) AS f, CAST('[-1.4814588, -1.15326517, -1.36465042, 1.66418794, 0.340491878, -1.05451656, -0.0633549213, -0.0253829135, 5.31299817, 1.11914492]' AS Array(Float64)) AS sign) s ARRAY JOIN c, f, sign
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_6 ENGINE = Memory AS SELECT r, c AS f, SUM(sign * x) AS x
FROM sqlrp_temporary_3 JOIN sqlrp_temporary_5 USING (f)
GROUP BY r, c
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_7 ENGINE = Memory AS SELECT toInt64(number) AS f FROM numbers(2)
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_8 ENGINE = Memory AS SELECT s.r AS r, e.f AS f, coalesce(CAST(k.x AS Float64), 0.0e0) AS x FROM sqlrp_temporary_0 s CROSS JOIN sqlrp_temporary_7 e LEFT JOIN sqlrp_temporary_6 k ON k.r = s.r AND k.f = e.f
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_9 ENGINE = Memory AS SELECT r, f, cos(x) AS x FROM sqlrp_temporary_8
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_10 ENGINE = Memory AS SELECT toInt64(number) AS f FROM numbers(2)
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_11 ENGINE = Memory AS SELECT s.r AS r, s.c0 AS c0, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM sqlrp_temporary_0 s CROSS JOIN sqlrp_temporary_10 n
LEFT JOIN sqlrp_temporary_9 z ON z.r = s.r AND z.f = n.f
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
SELECT c0 AS `id`, f AS component, CAST(x AS Float64) AS value
FROM sqlrp_temporary_11
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
WITH source0 AS (SELECT `id` AS c0, (monotonically_increasing_id() + 1) AS r, CAST(`embedding` AS ARRAY<DOUBLE>) AS x FROM `documents`),
cells1 AS (SELECT r, CAST(o AS BIGINT) AS f, e AS x
FROM source0 LATERAL VIEW posexplode(x) u AS o, e),
features2 AS (SELECT id AS f FROM range(4)),
cells3 AS (SELECT r, f, x FROM cells1 UNION ALL SELECT r, 2147483646, 1.0e0 FROM source0),
features4 AS (SELECT f FROM features2 UNION ALL SELECT 2147483646),
signs5 AS (SELECT inline(arrays_zip(from_json('[0, 1, 0, 1, 0, 1, 0, 1, 0, 1]', 'ARRAY<BIGINT>'), from_json('[0, 0, 1, 1, 2, 2, 3, 3, 2147483646, 2147483646]', 'ARRAY<BIGINT>'), from_json('[-1.4814588, -1.15326517, -1.36465042, 1.66418794, 0.340491878, -1.05451656, -0.0633549213, -0.0253829135, 5.31299817, 1.11914492]', 'ARRAY<DOUBLE>'))) AS (c, f, sign)),
sums6 AS (SELECT r, c AS f, SUM(sign * x) AS x
FROM cells3 JOIN signs5 USING (f)
GROUP BY r, c),
features7 AS (SELECT id AS f FROM range(2)),
cells8 AS (SELECT s.r AS r, e.f AS f, coalesce(CAST(k.x AS DOUBLE), 0.0e0) AS x FROM source0 s CROSS JOIN features7 e LEFT JOIN sums6 k ON k.r = s.r AND k.f = e.f),
mapped9 AS (SELECT r, f, cos(x) AS x FROM cells8)
SELECT c0 AS `id`, component, value AS value
FROM (SELECT c0, CAST(o AS BIGINT) AS component, e AS value
FROM (SELECT c0, x AS z
FROM (SELECT s.c0 AS c0, coalesce(z.x, array_repeat(0.0e0, 2)) AS x
FROM source0 s LEFT JOIN (SELECT r, transform(array(collect_list(struct(CAST(f AS INT) AS o, CAST(x AS DOUBLE) AS v)) FILTER (WHERE CAST(x AS DOUBLE) IS NOT NULL)), p -> CASE WHEN size(p) = 2 THEN sort_array(p).v ELSE sort_array(concat(p, transform(array_except(sequence(0, 1), p.o), o -> struct(o, 0.0e0 AS v)))).v END)[0] AS x FROM mapped9 GROUP BY r) z ON z.r = s.r) s) s LATERAL VIEW OUTER posexplode(z) u AS o, e) s

-- ======== snowflake
-- 3 statements: run them in this order in one session. Statement 2 returns the rows.
CREATE TEMPORARY TABLE sqlrp_temporary_0 AS SELECT c0, row_number() OVER (ORDER BY NULL) AS r, coalesce(CAST(CAST(x[0] AS DOUBLE) AS DOUBLE),0.0e0) AS x0, coalesce(CAST(CAST(x[1] AS DOUBLE) AS DOUBLE),0.0e0) AS x1, coalesce(CAST(CAST(x[2] AS DOUBLE) AS DOUBLE),0.0e0) AS x2, coalesce(CAST(CAST(x[3] AS DOUBLE) AS DOUBLE),0.0e0) AS x3 FROM (SELECT "id" AS c0, "embedding" AS x FROM "documents") s;
WITH cells0 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM sqlrp_temporary_0 CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) counted),
features1 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
cells2 AS (SELECT r, f, x FROM cells0 UNION ALL SELECT r, 2147483646, 1.0e0 FROM sqlrp_temporary_0),
features3 AS (SELECT f FROM features1 UNION ALL SELECT 2147483646),
signs4 AS (SELECT c, f, sign FROM (VALUES (0, 0, -1.4814588), (1, 0, -1.15326517), (0, 1, -1.36465042), (1, 1, 1.66418794), (0, 2, 0.340491878), (1, 2, -1.05451656), (0, 3, -0.0633549213), (1, 3, -0.0253829135), (0, 2147483646, 5.31299817), (1, 2147483646, 1.11914492)) AS listed(c, f, sign)),
sums5 AS (SELECT r, c AS f, SUM(sign * x) AS x
FROM cells2 JOIN signs4 USING (f)
GROUP BY r, c),
features6 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2),
cells7 AS (SELECT s.r AS r, e.f AS f, coalesce(CAST(k.x AS DOUBLE), 0.0e0) AS x FROM sqlrp_temporary_0 s CROSS JOIN features6 e LEFT JOIN sums5 k ON k.r = s.r AND k.f = e.f),
mapped8 AS (SELECT r, f, cos(x) AS x FROM cells7),
outputs9 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2),
result10 AS (SELECT s.r AS r, s.c0 AS c0, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM sqlrp_temporary_0 s CROSS JOIN outputs9 n
LEFT JOIN mapped8 z ON z.r = s.r AND z.f = n.f)
SELECT c0 AS "id", f AS component, CAST(x AS DOUBLE) AS value
FROM result10;
DROP TABLE IF EXISTS sqlrp_temporary_0;


-- ======== bigquery
-- 2 statements: run them in this order in one session. Statement 2 returns the rows.
CREATE TEMPORARY TABLE sqlrp_temporary_0 AS SELECT c0, row_number() OVER () AS r, coalesce(CAST(x[SAFE_OFFSET(0)] AS FLOAT64),0.0e0) AS x0, coalesce(CAST(x[SAFE_OFFSET(1)] AS FLOAT64),0.0e0) AS x1, coalesce(CAST(x[SAFE_OFFSET(2)] AS FLOAT64),0.0e0) AS x2, coalesce(CAST(x[SAFE_OFFSET(3)] AS FLOAT64),0.0e0) AS x3 FROM (SELECT `id` AS c0, `embedding` AS x FROM `documents`) s;
WITH cells0 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM sqlrp_temporary_0 CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS INT64) AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) counted),
features1 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS INT64) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
cells2 AS (SELECT r, f, x FROM cells0 UNION ALL SELECT r, 2147483646, 1.0e0 FROM sqlrp_temporary_0),
features3 AS (SELECT f FROM features1 UNION ALL SELECT 2147483646),
signs4 AS (SELECT c, f, sign FROM UNNEST([STRUCT(0 AS c, 0 AS f, -1.4814588 AS sign), STRUCT(1, 0, -1.15326517), STRUCT(0, 1, -1.36465042), STRUCT(1, 1, 1.66418794), STRUCT(0, 2, 0.340491878), STRUCT(1, 2, -1.05451656), STRUCT(0, 3, -0.0633549213), STRUCT(1, 3, -0.0253829135), STRUCT(0, 2147483646, 5.31299817), STRUCT(1, 2147483646, 1.11914492)])),
sums5 AS (SELECT r, c AS f, SUM(sign * x) AS x
FROM cells2 JOIN signs4 USING (f)
GROUP BY r, c),
features6 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS INT64) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2),
cells7 AS (SELECT s.r AS r, e.f AS f, coalesce(CAST(k.x AS FLOAT64), 0.0e0) AS x FROM sqlrp_temporary_0 s CROSS JOIN features6 e LEFT JOIN sums5 k ON k.r = s.r AND k.f = e.f),
mapped8 AS (SELECT r, f, cos(x) AS x FROM cells7),
outputs9 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS INT64) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2),
result10 AS (SELECT s.r AS r, s.c0 AS c0, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM sqlrp_temporary_0 s CROSS JOIN outputs9 n
LEFT JOIN mapped8 z ON z.r = s.r AND z.f = n.f)
SELECT c0 AS `id`, f AS component, CAST(x AS FLOAT64) AS value
FROM result10;


-- ======== redshift
-- 3 statements: run them in this order in one session. Statement 2 returns the rows.
CREATE TEMPORARY TABLE sqlrp_temporary_0 AS SELECT c0, row_number() OVER () AS r, coalesce(CAST(CAST(x[0] AS DOUBLE PRECISION) AS DOUBLE PRECISION),CAST('0.0' AS DOUBLE PRECISION)) AS x0, coalesce(CAST(CAST(x[1] AS DOUBLE PRECISION) AS DOUBLE PRECISION),CAST('0.0' AS DOUBLE PRECISION)) AS x1, coalesce(CAST(CAST(x[2] AS DOUBLE PRECISION) AS DOUBLE PRECISION),CAST('0.0' AS DOUBLE PRECISION)) AS x2, coalesce(CAST(CAST(x[3] AS DOUBLE PRECISION) AS DOUBLE PRECISION),CAST('0.0' AS DOUBLE PRECISION)) AS x3 FROM (SELECT "id" AS c0, "embedding" AS x FROM "documents") s;
WITH cells0 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM sqlrp_temporary_0 CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) counted),
features1 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
cells2 AS (SELECT r, f, x FROM cells0 UNION ALL SELECT r, 2147483646, CAST('1.0' AS DOUBLE PRECISION) FROM sqlrp_temporary_0),
features3 AS (SELECT f FROM features1 UNION ALL SELECT 2147483646),
signs4 AS (SELECT 0 AS c, 0 AS f, CAST('-1.4814588' AS DOUBLE PRECISION) AS sign UNION ALL SELECT 1 AS c, 0 AS f, CAST('-1.15326517' AS DOUBLE PRECISION) AS sign UNION ALL SELECT 0 AS c, 1 AS f, CAST('-1.36465042' AS DOUBLE PRECISION) AS sign UNION ALL SELECT 1 AS c, 1 AS f, CAST('1.66418794' AS DOUBLE PRECISION) AS sign UNION ALL SELECT 0 AS c, 2 AS f, CAST('0.340491878' AS DOUBLE PRECISION) AS sign UNION ALL SELECT 1 AS c, 2 AS f, CAST('-1.05451656' AS DOUBLE PRECISION) AS sign UNION ALL SELECT 0 AS c, 3 AS f, CAST('-0.0633549213' AS DOUBLE PRECISION) AS sign UNION ALL SELECT 1 AS c, 3 AS f, CAST('-0.0253829135' AS DOUBLE PRECISION) AS sign UNION ALL SELECT 0 AS c, 2147483646 AS f, CAST('5.31299817' AS DOUBLE PRECISION) AS sign UNION ALL SELECT 1 AS c, 2147483646 AS f, CAST('1.11914492' AS DOUBLE PRECISION) AS sign),
sums5 AS (SELECT r, c AS f, SUM(sign * x) AS x
FROM cells2 JOIN signs4 USING (f)
GROUP BY r, c),
features6 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2),
cells7 AS (SELECT s.r AS r, e.f AS f, coalesce(CAST(k.x AS DOUBLE PRECISION), CAST('0.0' AS DOUBLE PRECISION)) AS x FROM sqlrp_temporary_0 s CROSS JOIN features6 e LEFT JOIN sums5 k ON k.r = s.r AND k.f = e.f),
mapped8 AS (SELECT r, f, cos(x) AS x FROM cells7),
outputs9 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2),
result10 AS (SELECT s.r AS r, s.c0 AS c0, n.f AS f, coalesce(z.x, CAST('0.0' AS DOUBLE PRECISION)) AS x
FROM sqlrp_temporary_0 s CROSS JOIN outputs9 n
LEFT JOIN mapped8 z ON z.r = s.r AND z.f = n.f)
SELECT c0 AS "id", f AS component, CAST(x AS DOUBLE PRECISION) AS value
FROM result10;
DROP TABLE IF EXISTS sqlrp_temporary_0;


-- ======== databricks
-- 3 statements: run them in this order in one session. Statement 2 returns the rows.
CREATE TABLE sqlrp_temporary_0 AS SELECT c0, monotonically_increasing_id() AS r, coalesce(CAST(x[0] AS DOUBLE),0.0e0) AS x0, coalesce(CAST(x[1] AS DOUBLE),0.0e0) AS x1, coalesce(CAST(x[2] AS DOUBLE),0.0e0) AS x2, coalesce(CAST(x[3] AS DOUBLE),0.0e0) AS x3 FROM (SELECT `id` AS c0, `embedding` AS x FROM `documents`) s;
WITH cells0 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM sqlrp_temporary_0 CROSS JOIN (SELECT id AS n FROM range(4)) counted),
features1 AS (SELECT id AS f FROM range(4)),
cells2 AS (SELECT r, f, x FROM cells0 UNION ALL SELECT r, 2147483646, 1.0e0 FROM sqlrp_temporary_0),
features3 AS (SELECT f FROM features1 UNION ALL SELECT 2147483646),
signs4 AS (SELECT c, f, sign FROM (VALUES (0, 0, -1.4814588), (1, 0, -1.15326517), (0, 1, -1.36465042), (1, 1, 1.66418794), (0, 2, 0.340491878), (1, 2, -1.05451656), (0, 3, -0.0633549213), (1, 3, -0.0253829135), (0, 2147483646, 5.31299817), (1, 2147483646, 1.11914492)) AS listed(c, f, sign)),
sums5 AS (SELECT r, c AS f, SUM(sign * x) AS x
FROM cells2 JOIN signs4 USING (f)
GROUP BY r, c),
features6 AS (SELECT id AS f FROM range(2)),
cells7 AS (SELECT s.r AS r, e.f AS f, coalesce(CAST(k.x AS DOUBLE), 0.0e0) AS x FROM sqlrp_temporary_0 s CROSS JOIN features6 e LEFT JOIN sums5 k ON k.r = s.r AND k.f = e.f),
mapped8 AS (SELECT r, f, cos(x) AS x FROM cells7),
outputs9 AS (SELECT id AS f FROM range(2)),
result10 AS (SELECT s.r AS r, s.c0 AS c0, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM sqlrp_temporary_0 s CROSS JOIN outputs9 n
LEFT JOIN mapped8 z ON z.r = s.r AND z.f = n.f)
SELECT c0 AS `id`, f AS component, CAST(x AS DOUBLE) AS value
FROM result10;
DROP TABLE IF EXISTS sqlrp_temporary_0;


-- ======== trino
-- 3 statements: run them in this order in one session. Statement 2 returns the rows.
CREATE TABLE sqlrp_temporary_0 AS SELECT c0, row_number() OVER () AS r, coalesce(CAST(element_at(x, 1) AS DOUBLE),0.0e0) AS x0, coalesce(CAST(element_at(x, 2) AS DOUBLE),0.0e0) AS x1, coalesce(CAST(element_at(x, 3) AS DOUBLE),0.0e0) AS x2, coalesce(CAST(element_at(x, 4) AS DOUBLE),0.0e0) AS x3 FROM (SELECT "id" AS c0, "embedding" AS x FROM "documents") s;
WITH cells0 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM sqlrp_temporary_0 CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) counted),
features1 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
cells2 AS (SELECT r, f, x FROM cells0 UNION ALL SELECT r, 2147483646, 1.0e0 FROM sqlrp_temporary_0),
features3 AS (SELECT f FROM features1 UNION ALL SELECT 2147483646),
signs4 AS (SELECT c, f, sign FROM (VALUES (0, 0, -1.4814588), (1, 0, -1.15326517), (0, 1, -1.36465042), (1, 1, 1.66418794), (0, 2, 0.340491878), (1, 2, -1.05451656), (0, 3, -0.0633549213), (1, 3, -0.0253829135), (0, 2147483646, 5.31299817), (1, 2147483646, 1.11914492)) AS listed(c, f, sign)),
sums5 AS (SELECT r, c AS f, SUM(sign * x) AS x
FROM cells2 JOIN signs4 USING (f)
GROUP BY r, c),
features6 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2),
cells7 AS (SELECT s.r AS r, e.f AS f, coalesce(CAST(k.x AS DOUBLE), 0.0e0) AS x FROM sqlrp_temporary_0 s CROSS JOIN features6 e LEFT JOIN sums5 k ON k.r = s.r AND k.f = e.f),
mapped8 AS (SELECT r, f, cos(x) AS x FROM cells7),
outputs9 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2),
result10 AS (SELECT s.r AS r, s.c0 AS c0, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM sqlrp_temporary_0 s CROSS JOIN outputs9 n
LEFT JOIN mapped8 z ON z.r = s.r AND z.f = n.f)
SELECT c0 AS "id", f AS component, CAST(x AS DOUBLE) AS value
FROM result10;
DROP TABLE IF EXISTS sqlrp_temporary_0;


-- ======== sqlserver
-- 25 statements: run them in this order in one session. Statement 13 returns the rows.
SELECT * INTO #sqlrp_temporary_0 FROM (SELECT c0, row_number() OVER (ORDER BY (SELECT NULL)) AS r, coalesce(CAST(CAST(JSON_VALUE(x, '$[0]') AS FLOAT) AS FLOAT),0.0e0) AS x0, coalesce(CAST(CAST(JSON_VALUE(x, '$[1]') AS FLOAT) AS FLOAT),0.0e0) AS x1, coalesce(CAST(CAST(JSON_VALUE(x, '$[2]') AS FLOAT) AS FLOAT),0.0e0) AS x2, coalesce(CAST(CAST(JSON_VALUE(x, '$[3]') AS FLOAT) AS FLOAT),0.0e0) AS x3 FROM (SELECT [id] AS c0, CAST([embedding] AS NVARCHAR(MAX)) AS x FROM [documents]) s) s;
SELECT * INTO #sqlrp_temporary_1 FROM (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM #sqlrp_temporary_0 CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS n FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) counted) s;
SELECT * INTO #sqlrp_temporary_2 FROM (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) s;
SELECT * INTO #sqlrp_temporary_3 FROM (SELECT r, f, x FROM #sqlrp_temporary_1 UNION ALL SELECT r, 2147483646, 1.0e0 FROM #sqlrp_temporary_0) s;
SELECT * INTO #sqlrp_temporary_4 FROM (SELECT f FROM #sqlrp_temporary_2 UNION ALL SELECT 2147483646) s;
SELECT * INTO #sqlrp_temporary_5 FROM (SELECT c, f, sign FROM (VALUES (0, 0, -1.4814588), (1, 0, -1.15326517), (0, 1, -1.36465042), (1, 1, 1.66418794), (0, 2, 0.340491878), (1, 2, -1.05451656), (0, 3, -0.0633549213), (1, 3, -0.0253829135), (0, 2147483646, 5.31299817), (1, 2147483646, 1.11914492)) AS listed(c, f, sign)) s;
SELECT * INTO #sqlrp_temporary_6 FROM (SELECT r, c AS f, SUM(sign * x) AS x
FROM #sqlrp_temporary_3 JOIN #sqlrp_temporary_5 ON #sqlrp_temporary_3.f = #sqlrp_temporary_5.f
GROUP BY r, c) s;
SELECT * INTO #sqlrp_temporary_7 FROM (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2) s;
SELECT * INTO #sqlrp_temporary_8 FROM (SELECT s.r AS r, e.f AS f, coalesce(CAST(k.x AS FLOAT), 0.0e0) AS x FROM #sqlrp_temporary_0 s CROSS JOIN #sqlrp_temporary_7 e LEFT JOIN #sqlrp_temporary_6 k ON k.r = s.r AND k.f = e.f) s;
SELECT * INTO #sqlrp_temporary_9 FROM (SELECT r, f, cos(x) AS x FROM #sqlrp_temporary_8) s;
SELECT * INTO #sqlrp_temporary_10 FROM (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2) s;
SELECT * INTO #sqlrp_temporary_11 FROM (SELECT s.r AS r, s.c0 AS c0, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM #sqlrp_temporary_0 s CROSS JOIN #sqlrp_temporary_10 n
LEFT JOIN #sqlrp_temporary_9 z ON z.r = s.r AND z.f = n.f) s;
SELECT c0 AS [id], f AS component, CAST(x AS FLOAT) AS value
FROM #sqlrp_temporary_11;
DROP TABLE IF EXISTS #sqlrp_temporary_11;
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
-- 3 statements: run them in this order in one session. Statement 2 returns the rows.
CREATE PRIVATE TEMPORARY TABLE ORA$PTT_SQLRP_10AACBCC6D70_0 ON COMMIT PRESERVE DEFINITION AS SELECT c0, row_number() OVER (ORDER BY NULL) AS r, coalesce(CAST(CAST(JSON_VALUE(x, '$[0]' RETURNING NUMBER) AS BINARY_DOUBLE) AS BINARY_DOUBLE),CAST(0.0e0 AS BINARY_DOUBLE)) AS x0, coalesce(CAST(CAST(JSON_VALUE(x, '$[1]' RETURNING NUMBER) AS BINARY_DOUBLE) AS BINARY_DOUBLE),CAST(0.0e0 AS BINARY_DOUBLE)) AS x1, coalesce(CAST(CAST(JSON_VALUE(x, '$[2]' RETURNING NUMBER) AS BINARY_DOUBLE) AS BINARY_DOUBLE),CAST(0.0e0 AS BINARY_DOUBLE)) AS x2, coalesce(CAST(CAST(JSON_VALUE(x, '$[3]' RETURNING NUMBER) AS BINARY_DOUBLE) AS BINARY_DOUBLE),CAST(0.0e0 AS BINARY_DOUBLE)) AS x3 FROM (SELECT "id" AS c0, FROM_VECTOR("embedding" RETURNING CLOB) AS x FROM "documents") s;
WITH cells0 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM ORA$PTT_SQLRP_10AACBCC6D70_0 CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS NUMBER(19)) AS n FROM (SELECT 0 AS d FROM dual UNION ALL SELECT 1 FROM dual UNION ALL SELECT 2 FROM dual UNION ALL SELECT 3 FROM dual UNION ALL SELECT 4 FROM dual UNION ALL SELECT 5 FROM dual UNION ALL SELECT 6 FROM dual UNION ALL SELECT 7 FROM dual UNION ALL SELECT 8 FROM dual UNION ALL SELECT 9 FROM dual) d0 WHERE 1 * d0.d < 4) counted),
features1 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS NUMBER(19)) AS f FROM (SELECT 0 AS d FROM dual UNION ALL SELECT 1 FROM dual UNION ALL SELECT 2 FROM dual UNION ALL SELECT 3 FROM dual UNION ALL SELECT 4 FROM dual UNION ALL SELECT 5 FROM dual UNION ALL SELECT 6 FROM dual UNION ALL SELECT 7 FROM dual UNION ALL SELECT 8 FROM dual UNION ALL SELECT 9 FROM dual) d0 WHERE 1 * d0.d < 4),
cells2 AS (SELECT r, f, x FROM cells0 UNION ALL SELECT r, 2147483646, CAST(1.0e0 AS BINARY_DOUBLE) FROM ORA$PTT_SQLRP_10AACBCC6D70_0),
features3 AS (SELECT f FROM features1 UNION ALL SELECT 2147483646 FROM dual),
signs4 AS (SELECT c, f, sign FROM (SELECT 0 AS c, 0 AS f, CAST(-1.4814588 AS BINARY_DOUBLE) AS sign FROM dual UNION ALL SELECT 1 AS c, 0 AS f, CAST(-1.15326517 AS BINARY_DOUBLE) AS sign FROM dual UNION ALL SELECT 0 AS c, 1 AS f, CAST(-1.36465042 AS BINARY_DOUBLE) AS sign FROM dual UNION ALL SELECT 1 AS c, 1 AS f, CAST(1.66418794 AS BINARY_DOUBLE) AS sign FROM dual UNION ALL SELECT 0 AS c, 2 AS f, CAST(0.340491878 AS BINARY_DOUBLE) AS sign FROM dual UNION ALL SELECT 1 AS c, 2 AS f, CAST(-1.05451656 AS BINARY_DOUBLE) AS sign FROM dual UNION ALL SELECT 0 AS c, 3 AS f, CAST(-0.0633549213 AS BINARY_DOUBLE) AS sign FROM dual UNION ALL SELECT 1 AS c, 3 AS f, CAST(-0.0253829135 AS BINARY_DOUBLE) AS sign FROM dual UNION ALL SELECT 0 AS c, 2147483646 AS f, CAST(5.31299817 AS BINARY_DOUBLE) AS sign FROM dual UNION ALL SELECT 1 AS c, 2147483646 AS f, CAST(1.11914492 AS BINARY_DOUBLE) AS sign FROM dual) s),
sums5 AS (SELECT r, c AS f, SUM(sign * x) AS x
FROM cells2 JOIN signs4 USING (f)
GROUP BY r, c),
features6 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS NUMBER(19)) AS f FROM (SELECT 0 AS d FROM dual UNION ALL SELECT 1 FROM dual UNION ALL SELECT 2 FROM dual UNION ALL SELECT 3 FROM dual UNION ALL SELECT 4 FROM dual UNION ALL SELECT 5 FROM dual UNION ALL SELECT 6 FROM dual UNION ALL SELECT 7 FROM dual UNION ALL SELECT 8 FROM dual UNION ALL SELECT 9 FROM dual) d0 WHERE 1 * d0.d < 2),
cells7 AS (SELECT s.r AS r, e.f AS f, coalesce(CAST(k.x AS BINARY_DOUBLE), CAST(0.0e0 AS BINARY_DOUBLE)) AS x FROM ORA$PTT_SQLRP_10AACBCC6D70_0 s CROSS JOIN features6 e LEFT JOIN sums5 k ON k.r = s.r AND k.f = e.f),
mapped8 AS (SELECT r, f, cos(x) AS x FROM cells7),
outputs9 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS NUMBER(19)) AS f FROM (SELECT 0 AS d FROM dual UNION ALL SELECT 1 FROM dual UNION ALL SELECT 2 FROM dual UNION ALL SELECT 3 FROM dual UNION ALL SELECT 4 FROM dual UNION ALL SELECT 5 FROM dual UNION ALL SELECT 6 FROM dual UNION ALL SELECT 7 FROM dual UNION ALL SELECT 8 FROM dual UNION ALL SELECT 9 FROM dual) d0 WHERE 1 * d0.d < 2),
result10 AS (SELECT s.r AS r, s.c0 AS c0, n.f AS f, coalesce(z.x, CAST(0.0e0 AS BINARY_DOUBLE)) AS x
FROM ORA$PTT_SQLRP_10AACBCC6D70_0 s CROSS JOIN outputs9 n
LEFT JOIN mapped8 z ON z.r = s.r AND z.f = n.f)
SELECT c0 AS "id", f AS component, CAST(x AS BINARY_DOUBLE) AS value
FROM result10;
DROP TABLE ORA$PTT_SQLRP_10AACBCC6D70_0;


-- ======== generic
-- UnsupportedError: generic has no array columns, so Array(…) is not supported: use Wide(…) or Long(…)
