-- KernelGaussianProjection(k=2, seed=0, state='eNoL8GZm0WWAAEWGztbpzP+hgJdBhCEnMS8lN7E…hkI1wJpQ2YQDwBmLdiE', sample=4, degree=2, c=0.0, kernel_name='polynomial', gamma=None, t=2, variant='gaussian', bound_to=4)
-- array rows of decimals; output = 'array', nulls = 'zero', scale = True, lowering = 'relational'

-- ======== duckdb
WITH source0 AS MATERIALIZED (SELECT "id" AS c0, row_number() OVER () AS r, CAST("embedding" AS DOUBLE[]) AS x FROM "documents"),
cells1 AS MATERIALIZED (SELECT r, unnest(range(len(x))) AS f, unnest(x) AS x FROM source0),
features2 AS MATERIALIZED (SELECT CAST(range AS BIGINT) AS f FROM range(4)),
signs3 AS MATERIALIZED (SELECT unnest(CAST(string_split(concat('0,2,3,1,2,3,4,0,1,3,4,0,1,2,4', t), ',') AS BIGINT[])) AS c, unnest(CAST(string_split(concat('0,0,0,1,1,1,1,2,2,2,2,3,3,3,3', t), ',') AS BIGINT[])) AS f, unnest(CAST(string_split(concat('1.0,2.0,1.0,3.0,-1.0,1.0,1.0,2.0,1.0,-2.0,1.0,-1.0,1.0,1.0,3.0', t), ',') AS DOUBLE[])) AS sign FROM (VALUES ('')) v(t)),
sums4 AS MATERIALIZED (SELECT r, c AS f, SUM(sign * x) AS x
FROM cells1 JOIN signs3 USING (f)
GROUP BY r, c),
features5 AS MATERIALIZED (SELECT CAST(range AS BIGINT) AS f FROM range(5)),
mapped6 AS MATERIALIZED (SELECT r, f, (x+0.0e0) AS x FROM sums4),
mapped7 AS MATERIALIZED (SELECT r, f, x*x AS x FROM mapped6),
signs8 AS MATERIALIZED (SELECT unnest(CAST(string_split(concat('0,1,0,1,0,1,0,1,0,1', t), ',') AS BIGINT[])) AS c, unnest(CAST(string_split(concat('0,0,1,1,2,2,3,3,4,4', t), ',') AS BIGINT[])) AS f, unnest(CAST(string_split(concat('-0.059,-0.035,0.066,0.056,0.103,-0.042,-0.059,-0.035,-0.052,0.056', t), ',') AS DOUBLE[])) AS sign FROM (VALUES ('')) v(t)),
sums9 AS MATERIALIZED (SELECT r, c AS f, SUM(sign * x) AS x
FROM mapped7 JOIN signs8 USING (f)
GROUP BY r, c)
SELECT c0 AS "id", CAST(x AS DOUBLE[2]) AS z
FROM (SELECT s.c0 AS c0, list_transform(range(2), lambda e: coalesce(z.x[list_position(z.f, CAST(e AS SMALLINT))], 0.0e0)) AS x
FROM source0 s LEFT JOIN (SELECT r, list(CAST(f AS SMALLINT)) AS f, list(CAST(x AS DOUBLE)) AS x FROM sums9 GROUP BY r) z ON z.r = s.r) s

-- ======== postgresql
WITH source0 AS MATERIALIZED (SELECT c0, row_number() OVER () AS r, CAST(x AS double precision[]) AS x FROM (SELECT "id" AS c0, ("embedding")[:] AS x FROM "documents" OFFSET '0') s),
cells1 AS MATERIALIZED (SELECT r, o - 1 AS f, e AS x
FROM source0, unnest(x) WITH ORDINALITY AS u(e, o)),
features2 AS MATERIALIZED (SELECT f FROM generate_series(CAST(0 AS bigint), 3) g(f)),
signs3 AS MATERIALIZED (SELECT unnest(CAST('{0,2,3,1,2,3,4,0,1,3,4,0,1,2,4}' AS bigint[])) AS c, unnest(CAST('{0,0,0,1,1,1,1,2,2,2,2,3,3,3,3}' AS bigint[])) AS f, unnest(CAST('{1.0,2.0,1.0,3.0,-1.0,1.0,1.0,2.0,1.0,-2.0,1.0,-1.0,1.0,1.0,3.0}' AS double precision[])) AS sign),
sums4 AS MATERIALIZED (SELECT r, c AS f, SUM(sign * x) AS x
FROM cells1 JOIN signs3 USING (f)
GROUP BY r, c),
features5 AS MATERIALIZED (SELECT f FROM generate_series(CAST(0 AS bigint), 4) g(f)),
mapped6 AS MATERIALIZED (SELECT r, f, (x+CAST('0.0' AS double precision)) AS x FROM sums4),
mapped7 AS MATERIALIZED (SELECT r, f, x*x AS x FROM mapped6),
signs8 AS MATERIALIZED (SELECT unnest(CAST('{0,1,0,1,0,1,0,1,0,1}' AS bigint[])) AS c, unnest(CAST('{0,0,1,1,2,2,3,3,4,4}' AS bigint[])) AS f, unnest(CAST('{-0.059,-0.035,0.066,0.056,0.103,-0.042,-0.059,-0.035,-0.052,0.056}' AS double precision[])) AS sign),
sums9 AS MATERIALIZED (SELECT r, c AS f, SUM(sign * x) AS x
FROM mapped7 JOIN signs8 USING (f)
GROUP BY r, c),
outputs10 AS MATERIALIZED (SELECT f FROM generate_series(CAST(0 AS bigint), 1) g(f)),
result11 AS MATERIALIZED (SELECT s.r AS r, n.f AS f, coalesce(z.x, CAST('0.0' AS double precision)) AS x
FROM source0 s CROSS JOIN outputs10 n
LEFT JOIN sums9 z ON z.r = s.r AND z.f = n.f)
SELECT c0 AS "id", x AS z
FROM (SELECT s.c0 AS c0, z.x AS x FROM source0 s JOIN (SELECT r, array_agg(CAST(x AS double precision) ORDER BY f) AS x FROM result11 GROUP BY r) z ON z.r = s.r) s

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
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_3 ENGINE = Memory AS SELECT c, f, sign FROM (SELECT CAST('[0, 2, 3, 1, 2, 3, 4, 0, 1, 3, 4, 0, 1, 2, 4]' AS Array(Int64)) AS c, CAST('[0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]' AS Array(Int64)) AS f, CAST('[1.0, 2.0, 1.0, 3.0, -1.0, 1.0, 1.0, 2.0, 1.0, -2.0, 1.0, -1.0, 1.0, 1.0, 3.0]' AS Array(Float64)) AS sign) s ARRAY JOIN c, f, sign
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_4 ENGINE = Memory AS SELECT r, c AS f, SUM(sign * x) AS x
FROM sqlrp_temporary_1 JOIN sqlrp_temporary_3 USING (f)
GROUP BY r, c
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_5 ENGINE = Memory AS SELECT toInt64(number) AS f FROM numbers(5)
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_6 ENGINE = Memory AS SELECT r, f, (x+0.0e0) AS x FROM sqlrp_temporary_4
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_7 ENGINE = Memory AS SELECT r, f, x*x AS x FROM sqlrp_temporary_6
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_8 ENGINE = Memory AS SELECT c, f, sign FROM (SELECT CAST('[0, 1, 0, 1, 0, 1, 0, 1, 0, 1]' AS Array(Int64)) AS c, CAST('[0, 0, 1, 1, 2, 2, 3, 3, 4, 4]' AS Array(Int64)) AS f, CAST('[-0.059, -0.035, 0.066, 0.056, 0.103, -0.042, -0.059, -0.035, -0.052, 0.056]' AS Array(Float64)) AS sign) s ARRAY JOIN c, f, sign
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_9 ENGINE = Memory AS SELECT r, c AS f, SUM(sign * x) AS x
FROM sqlrp_temporary_7 JOIN sqlrp_temporary_8 USING (f)
GROUP BY r, c
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_10 ENGINE = Memory AS SELECT toInt64(number) AS f FROM numbers(2)
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_11 ENGINE = Memory AS SELECT s.r AS r, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM sqlrp_temporary_0 s CROSS JOIN sqlrp_temporary_10 n
LEFT JOIN sqlrp_temporary_9 z ON z.r = s.r AND z.f = n.f
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
SELECT c0 AS `id`, x AS z
FROM (SELECT s.c0 AS c0, z.x AS x FROM sqlrp_temporary_0 s JOIN (SELECT r, arrayMap(p -> p.2, arraySort(p -> p.1, groupArray((f, CAST(x AS Float64))))) AS x FROM sqlrp_temporary_11 GROUP BY r) z ON z.r = s.r) s
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
signs3 AS (SELECT inline(arrays_zip(from_json('[0, 2, 3, 1, 2, 3, 4, 0, 1, 3, 4, 0, 1, 2, 4]', 'ARRAY<BIGINT>'), from_json('[0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]', 'ARRAY<BIGINT>'), from_json('[1.0, 2.0, 1.0, 3.0, -1.0, 1.0, 1.0, 2.0, 1.0, -2.0, 1.0, -1.0, 1.0, 1.0, 3.0]', 'ARRAY<DOUBLE>'))) AS (c, f, sign)),
sums4 AS (SELECT r, c AS f, SUM(sign * x) AS x
FROM cells1 JOIN signs3 USING (f)
GROUP BY r, c),
features5 AS (SELECT id AS f FROM range(5)),
mapped6 AS (SELECT r, f, (x+0.0e0) AS x FROM sums4),
mapped7 AS (SELECT r, f, x*x AS x FROM mapped6),
signs8 AS (SELECT inline(arrays_zip(from_json('[0, 1, 0, 1, 0, 1, 0, 1, 0, 1]', 'ARRAY<BIGINT>'), from_json('[0, 0, 1, 1, 2, 2, 3, 3, 4, 4]', 'ARRAY<BIGINT>'), from_json('[-0.059, -0.035, 0.066, 0.056, 0.103, -0.042, -0.059, -0.035, -0.052, 0.056]', 'ARRAY<DOUBLE>'))) AS (c, f, sign)),
sums9 AS (SELECT r, c AS f, SUM(sign * x) AS x
FROM mapped7 JOIN signs8 USING (f)
GROUP BY r, c)
SELECT c0 AS `id`, x AS z
FROM (SELECT s.c0 AS c0, coalesce(z.x, array_repeat(0.0e0, 2)) AS x
FROM source0 s LEFT JOIN (SELECT r, transform(array(collect_list(struct(CAST(f AS INT) AS o, CAST(x AS DOUBLE) AS v)) FILTER (WHERE CAST(x AS DOUBLE) IS NOT NULL)), p -> CASE WHEN size(p) = 2 THEN sort_array(p).v ELSE sort_array(concat(p, transform(array_except(sequence(0, 1), p.o), o -> struct(o, 0.0e0 AS v)))).v END)[0] AS x FROM sums9 GROUP BY r) z ON z.r = s.r) s

-- ======== snowflake
-- 3 statements: run them in this order in one session. Statement 2 returns the rows.
CREATE TEMPORARY TABLE sqlrp_temporary_0 AS SELECT c0, row_number() OVER (ORDER BY NULL) AS r, coalesce(CAST(CAST(x[0] AS DOUBLE) AS DOUBLE),0.0e0) AS x0, coalesce(CAST(CAST(x[1] AS DOUBLE) AS DOUBLE),0.0e0) AS x1, coalesce(CAST(CAST(x[2] AS DOUBLE) AS DOUBLE),0.0e0) AS x2, coalesce(CAST(CAST(x[3] AS DOUBLE) AS DOUBLE),0.0e0) AS x3 FROM (SELECT "id" AS c0, "embedding" AS x FROM "documents") s;
WITH cells0 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM sqlrp_temporary_0 CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) counted),
features1 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
signs2 AS (SELECT c, f, sign FROM (VALUES (0, 0, 1.0e0), (2, 0, 2.0e0), (3, 0, 1.0e0), (1, 1, 3.0e0), (2, 1, -1.0e0), (3, 1, 1.0e0), (4, 1, 1.0e0), (0, 2, 2.0e0), (1, 2, 1.0e0), (3, 2, -2.0e0), (4, 2, 1.0e0), (0, 3, -1.0e0), (1, 3, 1.0e0), (2, 3, 1.0e0), (4, 3, 3.0e0)) AS listed(c, f, sign)),
sums3 AS (SELECT r, c AS f, SUM(sign * x) AS x
FROM cells0 JOIN signs2 USING (f)
GROUP BY r, c),
features4 AS (SELECT CAST(CASE WHEN 1 * d0.d < 5 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 5),
mapped5 AS (SELECT r, f, (x+0.0e0) AS x FROM sums3),
mapped6 AS (SELECT r, f, x*x AS x FROM mapped5),
signs7 AS (SELECT c, f, sign FROM (VALUES (0, 0, -0.059e0), (1, 0, -0.035e0), (0, 1, 0.066e0), (1, 1, 0.056e0), (0, 2, 0.103e0), (1, 2, -0.042e0), (0, 3, -0.059e0), (1, 3, -0.035e0), (0, 4, -0.052e0), (1, 4, 0.056e0)) AS listed(c, f, sign)),
sums8 AS (SELECT r, c AS f, SUM(sign * x) AS x
FROM mapped6 JOIN signs7 USING (f)
GROUP BY r, c),
outputs9 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2),
result10 AS (SELECT s.r AS r, s.c0 AS c0, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM sqlrp_temporary_0 s CROSS JOIN outputs9 n
LEFT JOIN sums8 z ON z.r = s.r AND z.f = n.f)
SELECT c0 AS "id", ARRAY_CONSTRUCT(x0, x1) AS z
FROM (SELECT c0, MAX(CASE WHEN f = 0 THEN CAST(x AS DOUBLE) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS DOUBLE) END) AS x1 FROM result10 GROUP BY r, c0) s;
DROP TABLE IF EXISTS sqlrp_temporary_0;


-- ======== bigquery
-- 2 statements: run them in this order in one session. Statement 2 returns the rows.
CREATE TEMPORARY TABLE sqlrp_temporary_0 AS SELECT c0, row_number() OVER () AS r, coalesce(CAST(x[SAFE_OFFSET(0)] AS FLOAT64),0.0e0) AS x0, coalesce(CAST(x[SAFE_OFFSET(1)] AS FLOAT64),0.0e0) AS x1, coalesce(CAST(x[SAFE_OFFSET(2)] AS FLOAT64),0.0e0) AS x2, coalesce(CAST(x[SAFE_OFFSET(3)] AS FLOAT64),0.0e0) AS x3 FROM (SELECT `id` AS c0, `embedding` AS x FROM `documents`) s;
WITH cells0 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM sqlrp_temporary_0 CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS INT64) AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) counted),
features1 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS INT64) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
signs2 AS (SELECT c, f, sign FROM UNNEST([STRUCT(0 AS c, 0 AS f, 1.0e0 AS sign), STRUCT(2, 0, 2.0e0), STRUCT(3, 0, 1.0e0), STRUCT(1, 1, 3.0e0), STRUCT(2, 1, -1.0e0), STRUCT(3, 1, 1.0e0), STRUCT(4, 1, 1.0e0), STRUCT(0, 2, 2.0e0), STRUCT(1, 2, 1.0e0), STRUCT(3, 2, -2.0e0), STRUCT(4, 2, 1.0e0), STRUCT(0, 3, -1.0e0), STRUCT(1, 3, 1.0e0), STRUCT(2, 3, 1.0e0), STRUCT(4, 3, 3.0e0)])),
sums3 AS (SELECT r, c AS f, SUM(sign * x) AS x
FROM cells0 JOIN signs2 USING (f)
GROUP BY r, c),
features4 AS (SELECT CAST(CASE WHEN 1 * d0.d < 5 THEN 1 * d0.d END AS INT64) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 5),
mapped5 AS (SELECT r, f, (x+0.0e0) AS x FROM sums3),
mapped6 AS (SELECT r, f, x*x AS x FROM mapped5),
signs7 AS (SELECT c, f, sign FROM UNNEST([STRUCT(0 AS c, 0 AS f, -0.059e0 AS sign), STRUCT(1, 0, -0.035e0), STRUCT(0, 1, 0.066e0), STRUCT(1, 1, 0.056e0), STRUCT(0, 2, 0.103e0), STRUCT(1, 2, -0.042e0), STRUCT(0, 3, -0.059e0), STRUCT(1, 3, -0.035e0), STRUCT(0, 4, -0.052e0), STRUCT(1, 4, 0.056e0)])),
sums8 AS (SELECT r, c AS f, SUM(sign * x) AS x
FROM mapped6 JOIN signs7 USING (f)
GROUP BY r, c),
outputs9 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS INT64) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2),
result10 AS (SELECT s.r AS r, s.c0 AS c0, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM sqlrp_temporary_0 s CROSS JOIN outputs9 n
LEFT JOIN sums8 z ON z.r = s.r AND z.f = n.f)
SELECT c0 AS `id`, ARRAY[x0, x1] AS z
FROM (SELECT c0, MAX(CASE WHEN f = 0 THEN CAST(x AS FLOAT64) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS FLOAT64) END) AS x1 FROM result10 GROUP BY r, c0) s;


-- ======== redshift
-- 3 statements: run them in this order in one session. Statement 2 returns the rows.
CREATE TEMPORARY TABLE sqlrp_temporary_0 AS SELECT c0, row_number() OVER () AS r, coalesce(CAST(CAST(x[0] AS DOUBLE PRECISION) AS DOUBLE PRECISION),CAST('0.0' AS DOUBLE PRECISION)) AS x0, coalesce(CAST(CAST(x[1] AS DOUBLE PRECISION) AS DOUBLE PRECISION),CAST('0.0' AS DOUBLE PRECISION)) AS x1, coalesce(CAST(CAST(x[2] AS DOUBLE PRECISION) AS DOUBLE PRECISION),CAST('0.0' AS DOUBLE PRECISION)) AS x2, coalesce(CAST(CAST(x[3] AS DOUBLE PRECISION) AS DOUBLE PRECISION),CAST('0.0' AS DOUBLE PRECISION)) AS x3 FROM (SELECT "id" AS c0, "embedding" AS x FROM "documents") s;
WITH cells0 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM sqlrp_temporary_0 CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) counted),
features1 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
signs2 AS (SELECT 0 AS c, 0 AS f, CAST('1.0' AS DOUBLE PRECISION) AS sign UNION ALL SELECT 2 AS c, 0 AS f, CAST('2.0' AS DOUBLE PRECISION) AS sign UNION ALL SELECT 3 AS c, 0 AS f, CAST('1.0' AS DOUBLE PRECISION) AS sign UNION ALL SELECT 1 AS c, 1 AS f, CAST('3.0' AS DOUBLE PRECISION) AS sign UNION ALL SELECT 2 AS c, 1 AS f, CAST('-1.0' AS DOUBLE PRECISION) AS sign UNION ALL SELECT 3 AS c, 1 AS f, CAST('1.0' AS DOUBLE PRECISION) AS sign UNION ALL SELECT 4 AS c, 1 AS f, CAST('1.0' AS DOUBLE PRECISION) AS sign UNION ALL SELECT 0 AS c, 2 AS f, CAST('2.0' AS DOUBLE PRECISION) AS sign UNION ALL SELECT 1 AS c, 2 AS f, CAST('1.0' AS DOUBLE PRECISION) AS sign UNION ALL SELECT 3 AS c, 2 AS f, CAST('-2.0' AS DOUBLE PRECISION) AS sign UNION ALL SELECT 4 AS c, 2 AS f, CAST('1.0' AS DOUBLE PRECISION) AS sign UNION ALL SELECT 0 AS c, 3 AS f, CAST('-1.0' AS DOUBLE PRECISION) AS sign UNION ALL SELECT 1 AS c, 3 AS f, CAST('1.0' AS DOUBLE PRECISION) AS sign UNION ALL SELECT 2 AS c, 3 AS f, CAST('1.0' AS DOUBLE PRECISION) AS sign UNION ALL SELECT 4 AS c, 3 AS f, CAST('3.0' AS DOUBLE PRECISION) AS sign),
sums3 AS (SELECT r, c AS f, SUM(sign * x) AS x
FROM cells0 JOIN signs2 USING (f)
GROUP BY r, c),
features4 AS (SELECT CAST(CASE WHEN 1 * d0.d < 5 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 5),
mapped5 AS (SELECT r, f, (x+CAST('0.0' AS DOUBLE PRECISION)) AS x FROM sums3),
mapped6 AS (SELECT r, f, x*x AS x FROM mapped5),
signs7 AS (SELECT 0 AS c, 0 AS f, CAST('-0.059' AS DOUBLE PRECISION) AS sign UNION ALL SELECT 1 AS c, 0 AS f, CAST('-0.035' AS DOUBLE PRECISION) AS sign UNION ALL SELECT 0 AS c, 1 AS f, CAST('0.066' AS DOUBLE PRECISION) AS sign UNION ALL SELECT 1 AS c, 1 AS f, CAST('0.056' AS DOUBLE PRECISION) AS sign UNION ALL SELECT 0 AS c, 2 AS f, CAST('0.103' AS DOUBLE PRECISION) AS sign UNION ALL SELECT 1 AS c, 2 AS f, CAST('-0.042' AS DOUBLE PRECISION) AS sign UNION ALL SELECT 0 AS c, 3 AS f, CAST('-0.059' AS DOUBLE PRECISION) AS sign UNION ALL SELECT 1 AS c, 3 AS f, CAST('-0.035' AS DOUBLE PRECISION) AS sign UNION ALL SELECT 0 AS c, 4 AS f, CAST('-0.052' AS DOUBLE PRECISION) AS sign UNION ALL SELECT 1 AS c, 4 AS f, CAST('0.056' AS DOUBLE PRECISION) AS sign),
sums8 AS (SELECT r, c AS f, SUM(sign * x) AS x
FROM mapped6 JOIN signs7 USING (f)
GROUP BY r, c),
outputs9 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2),
result10 AS (SELECT s.r AS r, s.c0 AS c0, n.f AS f, coalesce(z.x, CAST('0.0' AS DOUBLE PRECISION)) AS x
FROM sqlrp_temporary_0 s CROSS JOIN outputs9 n
LEFT JOIN sums8 z ON z.r = s.r AND z.f = n.f)
SELECT c0 AS "id", ARRAY(x0, x1) AS z
FROM (SELECT c0, MAX(CASE WHEN f = 0 THEN CAST(x AS DOUBLE PRECISION) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS DOUBLE PRECISION) END) AS x1 FROM result10 GROUP BY r, c0) s;
DROP TABLE IF EXISTS sqlrp_temporary_0;


-- ======== databricks
-- 3 statements: run them in this order in one session. Statement 2 returns the rows.
CREATE TABLE sqlrp_temporary_0 AS SELECT c0, monotonically_increasing_id() AS r, coalesce(CAST(x[0] AS DOUBLE),0.0e0) AS x0, coalesce(CAST(x[1] AS DOUBLE),0.0e0) AS x1, coalesce(CAST(x[2] AS DOUBLE),0.0e0) AS x2, coalesce(CAST(x[3] AS DOUBLE),0.0e0) AS x3 FROM (SELECT `id` AS c0, `embedding` AS x FROM `documents`) s;
WITH cells0 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM sqlrp_temporary_0 CROSS JOIN (SELECT id AS n FROM range(4)) counted),
features1 AS (SELECT id AS f FROM range(4)),
signs2 AS (SELECT c, f, sign FROM (VALUES (0, 0, 1.0e0), (2, 0, 2.0e0), (3, 0, 1.0e0), (1, 1, 3.0e0), (2, 1, -1.0e0), (3, 1, 1.0e0), (4, 1, 1.0e0), (0, 2, 2.0e0), (1, 2, 1.0e0), (3, 2, -2.0e0), (4, 2, 1.0e0), (0, 3, -1.0e0), (1, 3, 1.0e0), (2, 3, 1.0e0), (4, 3, 3.0e0)) AS listed(c, f, sign)),
sums3 AS (SELECT r, c AS f, SUM(sign * x) AS x
FROM cells0 JOIN signs2 USING (f)
GROUP BY r, c),
features4 AS (SELECT id AS f FROM range(5)),
mapped5 AS (SELECT r, f, (x+0.0e0) AS x FROM sums3),
mapped6 AS (SELECT r, f, x*x AS x FROM mapped5),
signs7 AS (SELECT c, f, sign FROM (VALUES (0, 0, -0.059e0), (1, 0, -0.035e0), (0, 1, 0.066e0), (1, 1, 0.056e0), (0, 2, 0.103e0), (1, 2, -0.042e0), (0, 3, -0.059e0), (1, 3, -0.035e0), (0, 4, -0.052e0), (1, 4, 0.056e0)) AS listed(c, f, sign)),
sums8 AS (SELECT r, c AS f, SUM(sign * x) AS x
FROM mapped6 JOIN signs7 USING (f)
GROUP BY r, c),
outputs9 AS (SELECT id AS f FROM range(2)),
result10 AS (SELECT s.r AS r, s.c0 AS c0, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM sqlrp_temporary_0 s CROSS JOIN outputs9 n
LEFT JOIN sums8 z ON z.r = s.r AND z.f = n.f)
SELECT c0 AS `id`, array(x0,x1) AS z
FROM (SELECT c0, MAX(CASE WHEN f = 0 THEN CAST(x AS DOUBLE) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS DOUBLE) END) AS x1 FROM result10 GROUP BY r, c0) s;
DROP TABLE IF EXISTS sqlrp_temporary_0;


-- ======== trino
-- 3 statements: run them in this order in one session. Statement 2 returns the rows.
CREATE TABLE sqlrp_temporary_0 AS SELECT c0, row_number() OVER () AS r, coalesce(CAST(element_at(x, 1) AS DOUBLE),0.0e0) AS x0, coalesce(CAST(element_at(x, 2) AS DOUBLE),0.0e0) AS x1, coalesce(CAST(element_at(x, 3) AS DOUBLE),0.0e0) AS x2, coalesce(CAST(element_at(x, 4) AS DOUBLE),0.0e0) AS x3 FROM (SELECT "id" AS c0, "embedding" AS x FROM "documents") s;
WITH cells0 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM sqlrp_temporary_0 CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) counted),
features1 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
signs2 AS (SELECT c, f, sign FROM (VALUES (0, 0, 1.0e0), (2, 0, 2.0e0), (3, 0, 1.0e0), (1, 1, 3.0e0), (2, 1, -1.0e0), (3, 1, 1.0e0), (4, 1, 1.0e0), (0, 2, 2.0e0), (1, 2, 1.0e0), (3, 2, -2.0e0), (4, 2, 1.0e0), (0, 3, -1.0e0), (1, 3, 1.0e0), (2, 3, 1.0e0), (4, 3, 3.0e0)) AS listed(c, f, sign)),
sums3 AS (SELECT r, c AS f, SUM(sign * x) AS x
FROM cells0 JOIN signs2 USING (f)
GROUP BY r, c),
features4 AS (SELECT CAST(CASE WHEN 1 * d0.d < 5 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 5),
mapped5 AS (SELECT r, f, (x+0.0e0) AS x FROM sums3),
mapped6 AS (SELECT r, f, x*x AS x FROM mapped5),
signs7 AS (SELECT c, f, sign FROM (VALUES (0, 0, -0.059e0), (1, 0, -0.035e0), (0, 1, 0.066e0), (1, 1, 0.056e0), (0, 2, 0.103e0), (1, 2, -0.042e0), (0, 3, -0.059e0), (1, 3, -0.035e0), (0, 4, -0.052e0), (1, 4, 0.056e0)) AS listed(c, f, sign)),
sums8 AS (SELECT r, c AS f, SUM(sign * x) AS x
FROM mapped6 JOIN signs7 USING (f)
GROUP BY r, c),
outputs9 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2),
result10 AS (SELECT s.r AS r, s.c0 AS c0, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM sqlrp_temporary_0 s CROSS JOIN outputs9 n
LEFT JOIN sums8 z ON z.r = s.r AND z.f = n.f)
SELECT c0 AS "id", ARRAY[x0, x1] AS z
FROM (SELECT c0, MAX(CASE WHEN f = 0 THEN CAST(x AS DOUBLE) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS DOUBLE) END) AS x1 FROM result10 GROUP BY r, c0) s;
DROP TABLE IF EXISTS sqlrp_temporary_0;


-- ======== sqlserver
-- 25 statements: run them in this order in one session. Statement 13 returns the rows.
SELECT * INTO #sqlrp_temporary_0 FROM (SELECT c0, row_number() OVER (ORDER BY (SELECT NULL)) AS r, coalesce(CAST(CAST(JSON_VALUE(x, '$[0]') AS FLOAT) AS FLOAT),0.0e0) AS x0, coalesce(CAST(CAST(JSON_VALUE(x, '$[1]') AS FLOAT) AS FLOAT),0.0e0) AS x1, coalesce(CAST(CAST(JSON_VALUE(x, '$[2]') AS FLOAT) AS FLOAT),0.0e0) AS x2, coalesce(CAST(CAST(JSON_VALUE(x, '$[3]') AS FLOAT) AS FLOAT),0.0e0) AS x3 FROM (SELECT [id] AS c0, CAST([embedding] AS NVARCHAR(MAX)) AS x FROM [documents]) s) s;
SELECT * INTO #sqlrp_temporary_1 FROM (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM #sqlrp_temporary_0 CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS n FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) counted) s;
SELECT * INTO #sqlrp_temporary_2 FROM (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) s;
SELECT * INTO #sqlrp_temporary_3 FROM (SELECT c, f, sign FROM (VALUES (0, 0, 1.0e0), (2, 0, 2.0e0), (3, 0, 1.0e0), (1, 1, 3.0e0), (2, 1, -1.0e0), (3, 1, 1.0e0), (4, 1, 1.0e0), (0, 2, 2.0e0), (1, 2, 1.0e0), (3, 2, -2.0e0), (4, 2, 1.0e0), (0, 3, -1.0e0), (1, 3, 1.0e0), (2, 3, 1.0e0), (4, 3, 3.0e0)) AS listed(c, f, sign)) s;
SELECT * INTO #sqlrp_temporary_4 FROM (SELECT r, c AS f, SUM(sign * x) AS x
FROM #sqlrp_temporary_1 JOIN #sqlrp_temporary_3 ON #sqlrp_temporary_1.f = #sqlrp_temporary_3.f
GROUP BY r, c) s;
SELECT * INTO #sqlrp_temporary_5 FROM (SELECT CAST(CASE WHEN 1 * d0.d < 5 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 5) s;
SELECT * INTO #sqlrp_temporary_6 FROM (SELECT r, f, (x+0.0e0) AS x FROM #sqlrp_temporary_4) s;
SELECT * INTO #sqlrp_temporary_7 FROM (SELECT r, f, x*x AS x FROM #sqlrp_temporary_6) s;
SELECT * INTO #sqlrp_temporary_8 FROM (SELECT c, f, sign FROM (VALUES (0, 0, -0.059e0), (1, 0, -0.035e0), (0, 1, 0.066e0), (1, 1, 0.056e0), (0, 2, 0.103e0), (1, 2, -0.042e0), (0, 3, -0.059e0), (1, 3, -0.035e0), (0, 4, -0.052e0), (1, 4, 0.056e0)) AS listed(c, f, sign)) s;
SELECT * INTO #sqlrp_temporary_9 FROM (SELECT r, c AS f, SUM(sign * x) AS x
FROM #sqlrp_temporary_7 JOIN #sqlrp_temporary_8 ON #sqlrp_temporary_7.f = #sqlrp_temporary_8.f
GROUP BY r, c) s;
SELECT * INTO #sqlrp_temporary_10 FROM (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2) s;
SELECT * INTO #sqlrp_temporary_11 FROM (SELECT s.r AS r, s.c0 AS c0, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM #sqlrp_temporary_0 s CROSS JOIN #sqlrp_temporary_10 n
LEFT JOIN #sqlrp_temporary_9 z ON z.r = s.r AND z.f = n.f) s;
SELECT c0 AS [id], CONCAT(CAST('[' AS VARCHAR(MAX)), CONCAT_WS(',', CONVERT(VARCHAR(30), x0, 3), CONVERT(VARCHAR(30), x1, 3)), ']') AS z
FROM (SELECT c0, MAX(CASE WHEN f = 0 THEN CAST(x AS FLOAT) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS FLOAT) END) AS x1 FROM #sqlrp_temporary_11 GROUP BY r, c0) s;
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
CREATE PRIVATE TEMPORARY TABLE ORA$PTT_SQLRP_BB18ECA0BF28_0 ON COMMIT PRESERVE DEFINITION AS SELECT c0, row_number() OVER (ORDER BY NULL) AS r, coalesce(CAST(CAST(JSON_VALUE(x, '$[0]' RETURNING NUMBER) AS BINARY_DOUBLE) AS BINARY_DOUBLE),CAST(0.0e0 AS BINARY_DOUBLE)) AS x0, coalesce(CAST(CAST(JSON_VALUE(x, '$[1]' RETURNING NUMBER) AS BINARY_DOUBLE) AS BINARY_DOUBLE),CAST(0.0e0 AS BINARY_DOUBLE)) AS x1, coalesce(CAST(CAST(JSON_VALUE(x, '$[2]' RETURNING NUMBER) AS BINARY_DOUBLE) AS BINARY_DOUBLE),CAST(0.0e0 AS BINARY_DOUBLE)) AS x2, coalesce(CAST(CAST(JSON_VALUE(x, '$[3]' RETURNING NUMBER) AS BINARY_DOUBLE) AS BINARY_DOUBLE),CAST(0.0e0 AS BINARY_DOUBLE)) AS x3 FROM (SELECT "id" AS c0, FROM_VECTOR("embedding" RETURNING CLOB) AS x FROM "documents") s;
WITH cells0 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM ORA$PTT_SQLRP_BB18ECA0BF28_0 CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS NUMBER(19)) AS n FROM (SELECT 0 AS d FROM dual UNION ALL SELECT 1 FROM dual UNION ALL SELECT 2 FROM dual UNION ALL SELECT 3 FROM dual UNION ALL SELECT 4 FROM dual UNION ALL SELECT 5 FROM dual UNION ALL SELECT 6 FROM dual UNION ALL SELECT 7 FROM dual UNION ALL SELECT 8 FROM dual UNION ALL SELECT 9 FROM dual) d0 WHERE 1 * d0.d < 4) counted),
features1 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS NUMBER(19)) AS f FROM (SELECT 0 AS d FROM dual UNION ALL SELECT 1 FROM dual UNION ALL SELECT 2 FROM dual UNION ALL SELECT 3 FROM dual UNION ALL SELECT 4 FROM dual UNION ALL SELECT 5 FROM dual UNION ALL SELECT 6 FROM dual UNION ALL SELECT 7 FROM dual UNION ALL SELECT 8 FROM dual UNION ALL SELECT 9 FROM dual) d0 WHERE 1 * d0.d < 4),
signs2 AS (SELECT c, f, sign FROM (SELECT 0 AS c, 0 AS f, CAST(1.0e0 AS BINARY_DOUBLE) AS sign FROM dual UNION ALL SELECT 2 AS c, 0 AS f, CAST(2.0e0 AS BINARY_DOUBLE) AS sign FROM dual UNION ALL SELECT 3 AS c, 0 AS f, CAST(1.0e0 AS BINARY_DOUBLE) AS sign FROM dual UNION ALL SELECT 1 AS c, 1 AS f, CAST(3.0e0 AS BINARY_DOUBLE) AS sign FROM dual UNION ALL SELECT 2 AS c, 1 AS f, CAST(-1.0e0 AS BINARY_DOUBLE) AS sign FROM dual UNION ALL SELECT 3 AS c, 1 AS f, CAST(1.0e0 AS BINARY_DOUBLE) AS sign FROM dual UNION ALL SELECT 4 AS c, 1 AS f, CAST(1.0e0 AS BINARY_DOUBLE) AS sign FROM dual UNION ALL SELECT 0 AS c, 2 AS f, CAST(2.0e0 AS BINARY_DOUBLE) AS sign FROM dual UNION ALL SELECT 1 AS c, 2 AS f, CAST(1.0e0 AS BINARY_DOUBLE) AS sign FROM dual UNION ALL SELECT 3 AS c, 2 AS f, CAST(-2.0e0 AS BINARY_DOUBLE) AS sign FROM dual UNION ALL SELECT 4 AS c, 2 AS f, CAST(1.0e0 AS BINARY_DOUBLE) AS sign FROM dual UNION ALL SELECT 0 AS c, 3 AS f, CAST(-1.0e0 AS BINARY_DOUBLE) AS sign FROM dual UNION ALL SELECT 1 AS c, 3 AS f, CAST(1.0e0 AS BINARY_DOUBLE) AS sign FROM dual UNION ALL SELECT 2 AS c, 3 AS f, CAST(1.0e0 AS BINARY_DOUBLE) AS sign FROM dual UNION ALL SELECT 4 AS c, 3 AS f, CAST(3.0e0 AS BINARY_DOUBLE) AS sign FROM dual) s),
sums3 AS (SELECT r, c AS f, SUM(sign * x) AS x
FROM cells0 JOIN signs2 USING (f)
GROUP BY r, c),
features4 AS (SELECT CAST(CASE WHEN 1 * d0.d < 5 THEN 1 * d0.d END AS NUMBER(19)) AS f FROM (SELECT 0 AS d FROM dual UNION ALL SELECT 1 FROM dual UNION ALL SELECT 2 FROM dual UNION ALL SELECT 3 FROM dual UNION ALL SELECT 4 FROM dual UNION ALL SELECT 5 FROM dual UNION ALL SELECT 6 FROM dual UNION ALL SELECT 7 FROM dual UNION ALL SELECT 8 FROM dual UNION ALL SELECT 9 FROM dual) d0 WHERE 1 * d0.d < 5),
mapped5 AS (SELECT r, f, (x+CAST(0.0e0 AS BINARY_DOUBLE)) AS x FROM sums3),
mapped6 AS (SELECT r, f, x*x AS x FROM mapped5),
signs7 AS (SELECT c, f, sign FROM (SELECT 0 AS c, 0 AS f, CAST(-0.059e0 AS BINARY_DOUBLE) AS sign FROM dual UNION ALL SELECT 1 AS c, 0 AS f, CAST(-0.035e0 AS BINARY_DOUBLE) AS sign FROM dual UNION ALL SELECT 0 AS c, 1 AS f, CAST(0.066e0 AS BINARY_DOUBLE) AS sign FROM dual UNION ALL SELECT 1 AS c, 1 AS f, CAST(0.056e0 AS BINARY_DOUBLE) AS sign FROM dual UNION ALL SELECT 0 AS c, 2 AS f, CAST(0.103e0 AS BINARY_DOUBLE) AS sign FROM dual UNION ALL SELECT 1 AS c, 2 AS f, CAST(-0.042e0 AS BINARY_DOUBLE) AS sign FROM dual UNION ALL SELECT 0 AS c, 3 AS f, CAST(-0.059e0 AS BINARY_DOUBLE) AS sign FROM dual UNION ALL SELECT 1 AS c, 3 AS f, CAST(-0.035e0 AS BINARY_DOUBLE) AS sign FROM dual UNION ALL SELECT 0 AS c, 4 AS f, CAST(-0.052e0 AS BINARY_DOUBLE) AS sign FROM dual UNION ALL SELECT 1 AS c, 4 AS f, CAST(0.056e0 AS BINARY_DOUBLE) AS sign FROM dual) s),
sums8 AS (SELECT r, c AS f, SUM(sign * x) AS x
FROM mapped6 JOIN signs7 USING (f)
GROUP BY r, c),
outputs9 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS NUMBER(19)) AS f FROM (SELECT 0 AS d FROM dual UNION ALL SELECT 1 FROM dual UNION ALL SELECT 2 FROM dual UNION ALL SELECT 3 FROM dual UNION ALL SELECT 4 FROM dual UNION ALL SELECT 5 FROM dual UNION ALL SELECT 6 FROM dual UNION ALL SELECT 7 FROM dual UNION ALL SELECT 8 FROM dual UNION ALL SELECT 9 FROM dual) d0 WHERE 1 * d0.d < 2),
result10 AS (SELECT s.r AS r, s.c0 AS c0, n.f AS f, coalesce(z.x, CAST(0.0e0 AS BINARY_DOUBLE)) AS x
FROM ORA$PTT_SQLRP_BB18ECA0BF28_0 s CROSS JOIN outputs9 n
LEFT JOIN sums8 z ON z.r = s.r AND z.f = n.f)
SELECT c0 AS "id", TO_VECTOR(JSON_ARRAY(x0, x1 NULL ON NULL RETURNING CLOB), 2, FLOAT64) AS z
FROM (SELECT c0, MAX(CASE WHEN f = 0 THEN CAST(x AS BINARY_DOUBLE) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS BINARY_DOUBLE) END) AS x1 FROM result10 GROUP BY r, c0) s;
DROP TABLE ORA$PTT_SQLRP_BB18ECA0BF28_0;


-- ======== generic
-- UnsupportedError: generic has no array columns, so Array(…) is not supported: use Wide(…) or Long(…)
