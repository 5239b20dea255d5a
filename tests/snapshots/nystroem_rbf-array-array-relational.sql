-- NystroemProjection(k=2, seed=0, state='eNoL8GZm0WWAAEWG5O8bhf5DAS+DCENOYl5KbmJ…sLVQHo+E4gHAF8guEI=', sample=4, degree=2, c=0.0, kernel_name='rbf', gamma=0.25, bound_to=4)
-- array rows of integers of 8 bits; output = 'array', nulls = 'zero', scale = True, lowering = 'relational'

-- ======== duckdb
WITH source0 AS MATERIALIZED (SELECT "id" AS c0, row_number() OVER () AS r, CAST("embedding" AS DOUBLE[]) AS x FROM "documents"),
cells1 AS MATERIALIZED (SELECT r, unnest(range(len(x))) AS f, unnest(x) AS x FROM source0),
features2 AS MATERIALIZED (SELECT CAST(range AS BIGINT) AS f FROM range(4)),
cells3 AS MATERIALIZED (SELECT r, f, x FROM cells1 UNION ALL
SELECT odd.r, e.f, 0.0e0 FROM (SELECT DISTINCT r FROM cells1 WHERE NOT isfinite(x)) odd
CROSS JOIN features2 e
WHERE NOT EXISTS (SELECT 1 FROM cells1 k WHERE k.r = odd.r AND k.f = e.f)),
cells4 AS MATERIALIZED (SELECT r, f, x FROM cells3 UNION ALL SELECT r, -1, 1.0e0 FROM source0),
index_table5 AS MATERIALIZED (SELECT unnest(CAST(string_split(concat('0,1,2,3,4,4,4,4', t), ',') AS BIGINT[])) AS c, unnest(CAST(string_split(concat('0,1,2,3,0,1,2,3', t), ',') AS BIGINT[])) AS v0, unnest(CAST(string_split(concat('-1,-1,-1,-1,0,1,2,3', t), ',') AS BIGINT[])) AS v1 FROM (VALUES ('')) v(t)),
products6 AS MATERIALIZED (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS DOUBLE)*CAST(k1.x AS DOUBLE)) AS x
FROM index_table5 i JOIN cells4 k0 ON k0.f = i.v0 JOIN cells4 k1 ON k1.f = i.v1 AND k0.r = k1.r
GROUP BY k0.r, i.c),
features7 AS MATERIALIZED (SELECT CAST(range AS BIGINT) AS f FROM range(5)),
cells8 AS MATERIALIZED (SELECT r, f, x FROM products6 UNION ALL SELECT r, 2147483646, 1.0e0 FROM source0),
features9 AS MATERIALIZED (SELECT f FROM features7 UNION ALL SELECT 2147483646),
signs10 AS MATERIALIZED (SELECT unnest(CAST(string_split(concat('0,0,1,1,0,1,0,1,0,1', t), ',') AS BIGINT[])) AS c, unnest(CAST(string_split(concat('0,1,1,2,3,3,4,4,2147483646,2147483646', t), ',') AS BIGINT[])) AS f, unnest(CAST(string_split(concat('1.0,-0.5,1.5,0.5,0.5,0.5,-0.25,-0.25,-1.5,-2.75', t), ',') AS DOUBLE[])) AS sign FROM (VALUES ('')) v(t)),
sums11 AS MATERIALIZED (SELECT r, c AS f, SUM(sign * x) AS x
FROM cells8 JOIN signs10 USING (f)
GROUP BY r, c),
features12 AS MATERIALIZED (SELECT CAST(range AS BIGINT) AS f FROM range(2)),
cells13 AS MATERIALIZED (SELECT s.r AS r, e.f AS f, coalesce(CAST(k.x AS DOUBLE), 0.0e0) AS x FROM source0 s CROSS JOIN features12 e LEFT JOIN sums11 k ON k.r = s.r AND k.f = e.f),
mapped14 AS MATERIALIZED (SELECT r, f, exp(x) AS x FROM cells13),
signs15 AS MATERIALIZED (SELECT unnest(CAST(string_split(concat('0,1,0,1', t), ',') AS BIGINT[])) AS c, unnest(CAST(string_split(concat('0,0,1,1', t), ',') AS BIGINT[])) AS f, unnest(CAST(string_split(concat('1.0,-0.003,-0.003,1.0', t), ',') AS DOUBLE[])) AS sign FROM (VALUES ('')) v(t)),
sums16 AS MATERIALIZED (SELECT r, c AS f, SUM(sign * x) AS x
FROM mapped14 JOIN signs15 USING (f)
GROUP BY r, c)
SELECT c0 AS "id", CAST(x AS DOUBLE[2]) AS z
FROM (SELECT s.c0 AS c0, list_transform(range(2), lambda e: coalesce(z.x[list_position(z.f, CAST(e AS SMALLINT))], 0.0e0)) AS x
FROM source0 s LEFT JOIN (SELECT r, list(CAST(f AS SMALLINT)) AS f, list(CAST(x AS DOUBLE)) AS x FROM sums16 GROUP BY r) z ON z.r = s.r) s

-- ======== postgresql
WITH source0 AS MATERIALIZED (SELECT c0, row_number() OVER () AS r, CAST(x AS double precision[]) AS x FROM (SELECT "id" AS c0, ("embedding")[:] AS x FROM "documents" OFFSET '0') s),
cells1 AS MATERIALIZED (SELECT r, o - 1 AS f, e AS x
FROM source0, unnest(x) WITH ORDINALITY AS u(e, o)),
features2 AS MATERIALIZED (SELECT f FROM generate_series(CAST(0 AS bigint), 3) g(f)),
cells3 AS MATERIALIZED (SELECT r, f, x FROM cells1 UNION ALL
SELECT odd.r, e.f, CAST('0.0' AS double precision) FROM (SELECT DISTINCT r FROM cells1 WHERE NOT (x NOT IN ('NaN', 'Infinity', '-Infinity'))) odd
CROSS JOIN features2 e
WHERE NOT EXISTS (SELECT 1 FROM cells1 k WHERE k.r = odd.r AND k.f = e.f)),
cells4 AS MATERIALIZED (SELECT r, f, x FROM cells3 UNION ALL SELECT r, -1, CAST('1.0' AS double precision) FROM source0),
index_table5 AS MATERIALIZED (SELECT unnest(CAST('{0,1,2,3,4,4,4,4}' AS bigint[])) AS c, unnest(CAST('{0,1,2,3,0,1,2,3}' AS bigint[])) AS v0, unnest(CAST('{-1,-1,-1,-1,0,1,2,3}' AS bigint[])) AS v1),
products6 AS MATERIALIZED (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS double precision)*CAST(k1.x AS double precision)) AS x
FROM index_table5 i JOIN cells4 k0 ON k0.f = i.v0 JOIN cells4 k1 ON k1.f = i.v1 AND k0.r = k1.r
GROUP BY k0.r, i.c),
features7 AS MATERIALIZED (SELECT f FROM generate_series(CAST(0 AS bigint), 4) g(f)),
cells8 AS MATERIALIZED (SELECT r, f, x FROM products6 UNION ALL SELECT r, 2147483646, CAST('1.0' AS double precision) FROM source0),
features9 AS MATERIALIZED (SELECT f FROM features7 UNION ALL SELECT 2147483646),
signs10 AS MATERIALIZED (SELECT unnest(CAST('{0,0,1,1,0,1,0,1,0,1}' AS bigint[])) AS c, unnest(CAST('{0,1,1,2,3,3,4,4,2147483646,2147483646}' AS bigint[])) AS f, unnest(CAST('{1.0,-0.5,1.5,0.5,0.5,0.5,-0.25,-0.25,-1.5,-2.75}' AS double precision[])) AS sign),
sums11 AS MATERIALIZED (SELECT r, c AS f, SUM(sign * x) AS x
FROM cells8 JOIN signs10 USING (f)
GROUP BY r, c),
features12 AS MATERIALIZED (SELECT f FROM generate_series(CAST(0 AS bigint), 1) g(f)),
cells13 AS MATERIALIZED (SELECT s.r AS r, e.f AS f, coalesce(CAST(k.x AS double precision), CAST('0.0' AS double precision)) AS x FROM source0 s CROSS JOIN features12 e LEFT JOIN sums11 k ON k.r = s.r AND k.f = e.f),
mapped14 AS MATERIALIZED (SELECT r, f, CASE WHEN x < -700 THEN 0 ELSE exp(x) END AS x FROM cells13),
signs15 AS MATERIALIZED (SELECT unnest(CAST('{0,1,0,1}' AS bigint[])) AS c, unnest(CAST('{0,0,1,1}' AS bigint[])) AS f, unnest(CAST('{1.0,-0.003,-0.003,1.0}' AS double precision[])) AS sign),
sums16 AS MATERIALIZED (SELECT r, c AS f, SUM(sign * x) AS x
FROM mapped14 JOIN signs15 USING (f)
GROUP BY r, c),
outputs17 AS MATERIALIZED (SELECT f FROM generate_series(CAST(0 AS bigint), 1) g(f)),
result18 AS MATERIALIZED (SELECT s.r AS r, n.f AS f, coalesce(z.x, CAST('0.0' AS double precision)) AS x
FROM source0 s CROSS JOIN outputs17 n
LEFT JOIN sums16 z ON z.r = s.r AND z.f = n.f)
SELECT c0 AS "id", x AS z
FROM (SELECT s.c0 AS c0, z.x AS x FROM source0 s JOIN (SELECT r, array_agg(CAST(x AS double precision) ORDER BY f) AS x FROM result18 GROUP BY r) z ON z.r = s.r) s

-- ======== sqlite
-- UnsupportedError: sqlite has no array columns, so Array(…) is not supported: use Wide(…) or Long(…); of texts such as '[0.1, 0.2]', Long(…) reads the view SELECT t.`id`, CAST(j.key AS INTEGER) AS feature, CAST(j.value AS REAL) AS value FROM `documents` t, json_each(t.`embedding`) j

-- ======== mariadb
-- UnsupportedError: mariadb has no array columns, so Array(…) is not supported: use Wide(…) or Long(…); of texts such as '[0.1, 0.2]', Long(…) reads the view SELECT t.`id`, j.feature - 1 AS feature, j.value FROM `documents` t, JSON_TABLE(t.`embedding`, '$[*]' COLUMNS (feature FOR ORDINALITY, value DOUBLE PATH '$')) j

-- ======== mysql
-- UnsupportedError: mysql has no array columns, so Array(…) is not supported: use Wide(…) or Long(…); of texts such as '[0.1, 0.2]', Long(…) reads the view SELECT t.`id`, j.feature - 1 AS feature, j.value FROM `documents` t, JSON_TABLE(t.`embedding`, '$[*]' COLUMNS (feature FOR ORDINALITY, value DOUBLE PATH '$')) j

-- ======== clickhouse
-- 39 statements: run them in this order in one session. Statement 20 returns the rows.
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_0 ENGINE = Memory AS SELECT `id` AS c0, toInt64(row_number() OVER ()) AS r, arrayMap(e -> CAST(e AS Float64), `embedding`) AS x FROM `documents`
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_1 ENGINE = Memory AS SELECT r, toInt64(o) - 1 AS f, e AS x
FROM sqlrp_temporary_0 ARRAY JOIN x AS e, arrayEnumerate(x) AS o
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_2 ENGINE = Memory AS SELECT toInt64(number) AS f FROM numbers(4)
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_3 ENGINE = Memory AS SELECT r, f, x FROM sqlrp_temporary_1 UNION ALL
SELECT odd.r, e.f, 0.0e0 FROM (SELECT DISTINCT r FROM sqlrp_temporary_1 WHERE NOT isFinite(x)) odd
CROSS JOIN sqlrp_temporary_2 e
WHERE NOT EXISTS (SELECT 1 FROM sqlrp_temporary_1 k WHERE k.r = odd.r AND k.f = e.f)
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_4 ENGINE = Memory AS SELECT r, f, x FROM sqlrp_temporary_3 UNION ALL SELECT r, -1, 1.0e0 FROM sqlrp_temporary_0
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_5 ENGINE = Memory AS SELECT c, v0, v1 FROM (SELECT CAST('[0, 1, 2, 3, 4, 4, 4, 4]' AS Array(Int64)) AS c, CAST('[0, 1, 2, 3, 0, 1, 2, 3]' AS Array(Int64)) AS v0, CAST('[-1, -1, -1, -1, 0, 1, 2, 3]' AS Array(Int64)) AS v1) s ARRAY JOIN c, v0, v1
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_6 ENGINE = Memory AS SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS Float64)*CAST(k1.x AS Float64)) AS x
FROM sqlrp_temporary_5 i JOIN sqlrp_temporary_4 k0 ON k0.f = i.v0 JOIN sqlrp_temporary_4 k1 ON k1.f = i.v1 AND k0.r = k1.r
GROUP BY k0.r, i.c
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_7 ENGINE = Memory AS SELECT toInt64(number) AS f FROM numbers(5)
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_8 ENGINE = Memory AS SELECT r, f, x FROM sqlrp_temporary_6 UNION ALL SELECT r, 2147483646, 1.0e0 FROM sqlrp_temporary_0
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_9 ENGINE = Memory AS SELECT f FROM sqlrp_temporary_7 UNION ALL SELECT 2147483646
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_10 ENGINE = Memory AS SELECT c, f, sign FROM (SELECT CAST('[0, 0, 1, 1, 0, 1, 0, 1, 0, 1]' AS Array(Int64)) AS c, CAST('[0, 1, 1, 2, 3, 3, 4, 4, 2147483646, 2147483646]' AS Array(Int64)) AS f, CAST('[1.0, -0.5, 1.5, 0.5, 0.5, 0.5, -0.25, -0.25, -1.5, -2.75]' AS Array(Float64)) AS sign) s ARRAY JOIN c, f, sign
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_11 ENGINE = Memory AS SELECT r, c AS f, SUM(sign * x) AS x
FROM sqlrp_temporary_8 JOIN sqlrp_temporary_10 USING (f)
GROUP BY r, c
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_12 ENGINE = Memory AS SELECT toInt64(number) AS f FROM numbers(2)
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_13 ENGINE = Memory AS SELECT s.r AS r, e.f AS f, coalesce(CAST(k.x AS Float64), 0.0e0) AS x FROM sqlrp_temporary_0 s CROSS JOIN sqlrp_temporary_12 e LEFT JOIN sqlrp_temporary_11 k ON k.r = s.r AND k.f = e.f
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_14 ENGINE = Memory AS SELECT r, f, exp(x) AS x FROM sqlrp_temporary_13
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_15 ENGINE = Memory AS SELECT c, f, sign FROM (SELECT CAST('[0, 1, 0, 1]' AS Array(Int64)) AS c, CAST('[0, 0, 1, 1]' AS Array(Int64)) AS f, CAST('[1.0, -0.003, -0.003, 1.0]' AS Array(Float64)) AS sign) s ARRAY JOIN c, f, sign
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_16 ENGINE = Memory AS SELECT r, c AS f, SUM(sign * x) AS x
FROM sqlrp_temporary_14 JOIN sqlrp_temporary_15 USING (f)
GROUP BY r, c
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_17 ENGINE = Memory AS SELECT toInt64(number) AS f FROM numbers(2)
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_18 ENGINE = Memory AS SELECT s.r AS r, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM sqlrp_temporary_0 s CROSS JOIN sqlrp_temporary_17 n
LEFT JOIN sqlrp_temporary_16 z ON z.r = s.r AND z.f = n.f
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
SELECT c0 AS `id`, x AS z
FROM (SELECT s.c0 AS c0, z.x AS x FROM sqlrp_temporary_0 s JOIN (SELECT r, arrayMap(p -> p.2, arraySort(p -> p.1, groupArray((f, CAST(x AS Float64))))) AS x FROM sqlrp_temporary_18 GROUP BY r) z ON z.r = s.r) s
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
DROP TEMPORARY TABLE IF EXISTS sqlrp_temporary_18;
DROP TEMPORARY TABLE IF EXISTS sqlrp_temporary_17;
DROP TEMPORARY TABLE IF EXISTS sqlrp_temporary_16;
DROP TEMPORARY TABLE IF EXISTS sqlrp_temporary_15;
DROP TEMPORARY TABLE IF EXISTS sqlrp_temporary_14;
DROP TEMPORARY TABLE IF EXISTS sqlrp_temporary_13;
DROP TEMPORARY TABLE IF EXISTS sqlrp_temporary_12;
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
lists3 AS (SELECT r, transform(array(collect_list(struct(CAST(f AS INT) AS o, CAST(x AS DOUBLE) AS v)) FILTER (WHERE CAST(x AS DOUBLE) IS NOT NULL)), p -> CASE WHEN size(p) = 4 THEN sort_array(p).v ELSE sort_array(concat(p, transform(array_except(sequence(0, 3), p.o), o -> struct(o, 0.0e0 AS v)))).v END)[0] AS x FROM cells1 GROUP BY r),
index_table4 AS (SELECT inline(arrays_zip(from_json('[0, 1, 2, 3, 4, 4, 4, 4]', 'ARRAY<BIGINT>'), from_json('[0, 1, 2, 3, 0, 1, 2, 3]', 'ARRAY<BIGINT>'), from_json('[4, 4, 4, 4, 0, 1, 2, 3]', 'ARRAY<BIGINT>'))) AS (c, v0, v1)),
products5 AS (SELECT k.r AS r, i.c AS f, SUM(CAST(coalesce(get(k.x, i.v0), 1.0e0) AS DOUBLE)*CAST(coalesce(get(k.x, i.v1), 1.0e0) AS DOUBLE)) AS x FROM lists3 k CROSS JOIN index_table4 i GROUP BY k.r, i.c),
features6 AS (SELECT id AS f FROM range(5)),
cells7 AS (SELECT r, f, x FROM products5 UNION ALL SELECT r, 2147483646, 1.0e0 FROM source0),
features8 AS (SELECT f FROM features6 UNION ALL SELECT 2147483646),
signs9 AS (SELECT inline(arrays_zip(from_json('[0, 0, 1, 1, 0, 1, 0, 1, 0, 1]', 'ARRAY<BIGINT>'), from_json('[0, 1, 1, 2, 3, 3, 4, 4, 2147483646, 2147483646]', 'ARRAY<BIGINT>'), from_json('[1.0, -0.5, 1.5, 0.5, 0.5, 0.5, -0.25, -0.25, -1.5, -2.75]', 'ARRAY<DOUBLE>'))) AS (c, f, sign)),
sums10 AS (SELECT r, c AS f, SUM(sign * x) AS x
FROM cells7 JOIN signs9 USING (f)
GROUP BY r, c),
features11 AS (SELECT id AS f FROM range(2)),
cells12 AS (SELECT s.r AS r, e.f AS f, coalesce(CAST(k.x AS DOUBLE), 0.0e0) AS x FROM source0 s CROSS JOIN features11 e LEFT JOIN sums10 k ON k.r = s.r AND k.f = e.f),
mapped13 AS (SELECT r, f, exp(x) AS x FROM cells12),
signs14 AS (SELECT inline(arrays_zip(from_json('[0, 1, 0, 1]', 'ARRAY<BIGINT>'), from_json('[0, 0, 1, 1]', 'ARRAY<BIGINT>'), from_json('[1.0, -0.003, -0.003, 1.0]', 'ARRAY<DOUBLE>'))) AS (c, f, sign)),
sums15 AS (SELECT r, c AS f, SUM(sign * x) AS x
FROM mapped13 JOIN signs14 USING (f)
GROUP BY r, c)
SELECT c0 AS `id`, x AS z
FROM (SELECT s.c0 AS c0, coalesce(z.x, array_repeat(0.0e0, 2)) AS x
FROM source0 s LEFT JOIN (SELECT r, transform(array(collect_list(struct(CAST(f AS INT) AS o, CAST(x AS DOUBLE) AS v)) FILTER (WHERE CAST(x AS DOUBLE) IS NOT NULL)), p -> CASE WHEN size(p) = 2 THEN sort_array(p).v ELSE sort_array(concat(p, transform(array_except(sequence(0, 1), p.o), o -> struct(o, 0.0e0 AS v)))).v END)[0] AS x FROM sums15 GROUP BY r) z ON z.r = s.r) s

-- ======== snowflake
-- 3 statements: run them in this order in one session. Statement 2 returns the rows.
CREATE TEMPORARY TABLE sqlrp_temporary_0 AS SELECT c0, row_number() OVER (ORDER BY NULL) AS r, coalesce(CAST(CAST(x[0] AS DOUBLE) AS DOUBLE),0.0e0) AS x0, coalesce(CAST(CAST(x[1] AS DOUBLE) AS DOUBLE),0.0e0) AS x1, coalesce(CAST(CAST(x[2] AS DOUBLE) AS DOUBLE),0.0e0) AS x2, coalesce(CAST(CAST(x[3] AS DOUBLE) AS DOUBLE),0.0e0) AS x3 FROM (SELECT "id" AS c0, "embedding" AS x FROM "documents") s;
WITH cells0 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM sqlrp_temporary_0 CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) counted),
features1 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
cells2 AS (SELECT r, f, x FROM cells0 UNION ALL
SELECT odd.r, e.f, 0.0e0 FROM (SELECT DISTINCT r FROM cells0 WHERE NOT (x - x = 0)) odd
CROSS JOIN features1 e
WHERE NOT EXISTS (SELECT 1 FROM cells0 k WHERE k.r = odd.r AND k.f = e.f)),
cells3 AS (SELECT r, f, x FROM cells2 UNION ALL SELECT r, -1, 1.0e0 FROM sqlrp_temporary_0),
index_table4 AS (SELECT c, v0, v1 FROM (VALUES (0, 0, -1), (1, 1, -1), (2, 2, -1), (3, 3, -1), (4, 0, 0), (4, 1, 1), (4, 2, 2), (4, 3, 3)) AS listed(c, v0, v1)),
products5 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS DOUBLE)*CAST(k1.x AS DOUBLE)) AS x
FROM index_table4 i JOIN cells3 k0 ON k0.f = i.v0 JOIN cells3 k1 ON k1.f = i.v1 AND k0.r = k1.r
GROUP BY k0.r, i.c),
features6 AS (SELECT CAST(CASE WHEN 1 * d0.d < 5 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 5),
cells7 AS (SELECT r, f, x FROM products5 UNION ALL SELECT r, 2147483646, 1.0e0 FROM sqlrp_temporary_0),
features8 AS (SELECT f FROM features6 UNION ALL SELECT 2147483646),
signs9 AS (SELECT c, f, sign FROM (VALUES (0, 0, 1.0e0), (0, 1, -0.5e0), (1, 1, 1.5e0), (1, 2, 0.5e0), (0, 3, 0.5e0), (1, 3, 0.5e0), (0, 4, -0.25e0), (1, 4, -0.25e0), (0, 2147483646, -1.5e0), (1, 2147483646, -2.75e0)) AS listed(c, f, sign)),
sums10 AS (SELECT r, c AS f, SUM(sign * x) AS x
FROM cells7 JOIN signs9 USING (f)
GROUP BY r, c),
features11 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2),
cells12 AS (SELECT s.r AS r, e.f AS f, coalesce(CAST(k.x AS DOUBLE), 0.0e0) AS x FROM sqlrp_temporary_0 s CROSS JOIN features11 e LEFT JOIN sums10 k ON k.r = s.r AND k.f = e.f),
mapped13 AS (SELECT r, f, exp(x) AS x FROM cells12),
signs14 AS (SELECT c, f, sign FROM (VALUES (0, 0, 1.0e0), (1, 0, -0.003e0), (0, 1, -0.003e0), (1, 1, 1.0e0)) AS listed(c, f, sign)),
sums15 AS (SELECT r, c AS f, SUM(sign * x) AS x
FROM mapped13 JOIN signs14 USING (f)
GROUP BY r, c),
outputs16 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2),
result17 AS (SELECT s.r AS r, s.c0 AS c0, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM sqlrp_temporary_0 s CROSS JOIN outputs16 n
LEFT JOIN sums15 z ON z.r = s.r AND z.f = n.f)
SELECT c0 AS "id", ARRAY_CONSTRUCT(x0, x1) AS z
FROM (SELECT c0, MAX(CASE WHEN f = 0 THEN CAST(x AS DOUBLE) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS DOUBLE) END) AS x1 FROM result17 GROUP BY r, c0) s;
DROP TABLE IF EXISTS sqlrp_temporary_0;


-- ======== bigquery
-- 2 statements: run them in this order in one session. Statement 2 returns the rows.
CREATE TEMPORARY TABLE sqlrp_temporary_0 AS SELECT c0, row_number() OVER () AS r, coalesce(CAST(x[SAFE_OFFSET(0)] AS FLOAT64),0.0e0) AS x0, coalesce(CAST(x[SAFE_OFFSET(1)] AS FLOAT64),0.0e0) AS x1, coalesce(CAST(x[SAFE_OFFSET(2)] AS FLOAT64),0.0e0) AS x2, coalesce(CAST(x[SAFE_OFFSET(3)] AS FLOAT64),0.0e0) AS x3 FROM (SELECT `id` AS c0, `embedding` AS x FROM `documents`) s;
WITH cells0 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM sqlrp_temporary_0 CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS INT64) AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) counted),
features1 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS INT64) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
cells2 AS (SELECT r, f, x FROM cells0 UNION ALL
SELECT odd.r, e.f, 0.0e0 FROM (SELECT DISTINCT r FROM cells0 WHERE NOT (x - x = 0)) odd
CROSS JOIN features1 e
WHERE NOT EXISTS (SELECT 1 FROM cells0 k WHERE k.r = odd.r AND k.f = e.f)),
cells3 AS (SELECT r, f, x FROM cells2 UNION ALL SELECT r, -1, 1.0e0 FROM sqlrp_temporary_0),
index_table4 AS (SELECT c, v0, v1 FROM UNNEST([STRUCT(0 AS c, 0 AS v0, -1 AS v1), STRUCT(1, 1, -1), STRUCT(2, 2, -1), STRUCT(3, 3, -1), STRUCT(4, 0, 0), STRUCT(4, 1, 1), STRUCT(4, 2, 2), STRUCT(4, 3, 3)])),
products5 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS FLOAT64)*CAST(k1.x AS FLOAT64)) AS x
FROM index_table4 i JOIN cells3 k0 ON k0.f = i.v0 JOIN cells3 k1 ON k1.f = i.v1 AND k0.r = k1.r
GROUP BY k0.r, i.c),
features6 AS (SELECT CAST(CASE WHEN 1 * d0.d < 5 THEN 1 * d0.d END AS INT64) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 5),
cells7 AS (SELECT r, f, x FROM products5 UNION ALL SELECT r, 2147483646, 1.0e0 FROM sqlrp_temporary_0),
features8 AS (SELECT f FROM features6 UNION ALL SELECT 2147483646),
signs9 AS (SELECT c, f, sign FROM UNNEST([STRUCT(0 AS c, 0 AS f, 1.0e0 AS sign), STRUCT(0, 1, -0.5e0), STRUCT(1, 1, 1.5e0), STRUCT(1, 2, 0.5e0), STRUCT(0, 3, 0.5e0), STRUCT(1, 3, 0.5e0), STRUCT(0, 4, -0.25e0), STRUCT(1, 4, -0.25e0), STRUCT(0, 2147483646, -1.5e0), STRUCT(1, 2147483646, -2.75e0)])),
sums10 AS (SELECT r, c AS f, SUM(sign * x) AS x
FROM cells7 JOIN signs9 USING (f)
GROUP BY r, c),
features11 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS INT64) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2),
cells12 AS (SELECT s.r AS r, e.f AS f, coalesce(CAST(k.x AS FLOAT64), 0.0e0) AS x FROM sqlrp_temporary_0 s CROSS JOIN features11 e LEFT JOIN sums10 k ON k.r = s.r AND k.f = e.f),
mapped13 AS (SELECT r, f, exp(x) AS x FROM cells12),
signs14 AS (SELECT c, f, sign FROM UNNEST([STRUCT(0 AS c, 0 AS f, 1.0e0 AS sign), STRUCT(1, 0, -0.003e0), STRUCT(0, 1, -0.003e0), STRUCT(1, 1, 1.0e0)])),
sums15 AS (SELECT r, c AS f, SUM(sign * x) AS x
FROM mapped13 JOIN signs14 USING (f)
GROUP BY r, c),
outputs16 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS INT64) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2),
result17 AS (SELECT s.r AS r, s.c0 AS c0, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM sqlrp_temporary_0 s CROSS JOIN outputs16 n
LEFT JOIN sums15 z ON z.r = s.r AND z.f = n.f)
SELECT c0 AS `id`, ARRAY[x0, x1] AS z
FROM (SELECT c0, MAX(CASE WHEN f = 0 THEN CAST(x AS FLOAT64) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS FLOAT64) END) AS x1 FROM result17 GROUP BY r, c0) s;


-- ======== redshift
-- 3 statements: run them in this order in one session. Statement 2 returns the rows.
CREATE TEMPORARY TABLE sqlrp_temporary_0 AS SELECT c0, row_number() OVER () AS r, coalesce(CAST(CAST(x[0] AS DOUBLE PRECISION) AS DOUBLE PRECISION),CAST('0.0' AS DOUBLE PRECISION)) AS x0, coalesce(CAST(CAST(x[1] AS DOUBLE PRECISION) AS DOUBLE PRECISION),CAST('0.0' AS DOUBLE PRECISION)) AS x1, coalesce(CAST(CAST(x[2] AS DOUBLE PRECISION) AS DOUBLE PRECISION),CAST('0.0' AS DOUBLE PRECISION)) AS x2, coalesce(CAST(CAST(x[3] AS DOUBLE PRECISION) AS DOUBLE PRECISION),CAST('0.0' AS DOUBLE PRECISION)) AS x3 FROM (SELECT "id" AS c0, "embedding" AS x FROM "documents") s;
WITH cells0 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM sqlrp_temporary_0 CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) counted),
features1 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
cells2 AS (SELECT r, f, x FROM cells0 UNION ALL
SELECT odd.r, e.f, CAST('0.0' AS DOUBLE PRECISION) FROM (SELECT DISTINCT r FROM cells0 WHERE NOT (x - x = 0)) odd
CROSS JOIN features1 e
WHERE NOT EXISTS (SELECT 1 FROM cells0 k WHERE k.r = odd.r AND k.f = e.f)),
cells3 AS (SELECT r, f, x FROM cells2 UNION ALL SELECT r, -1, CAST('1.0' AS DOUBLE PRECISION) FROM sqlrp_temporary_0),
index_table4 AS (SELECT 0 AS c, 0 AS v0, -1 AS v1 UNION ALL SELECT 1 AS c, 1 AS v0, -1 AS v1 UNION ALL SELECT 2 AS c, 2 AS v0, -1 AS v1 UNION ALL SELECT 3 AS c, 3 AS v0, -1 AS v1 UNION ALL SELECT 4 AS c, 0 AS v0, 0 AS v1 UNION ALL SELECT 4 AS c, 1 AS v0, 1 AS v1 UNION ALL SELECT 4 AS c, 2 AS v0, 2 AS v1 UNION ALL SELECT 4 AS c, 3 AS v0, 3 AS v1),
products5 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS DOUBLE PRECISION)*CAST(k1.x AS DOUBLE PRECISION)) AS x
FROM index_table4 i JOIN cells3 k0 ON k0.f = i.v0 JOIN cells3 k1 ON k1.f = i.v1 AND k0.r = k1.r
GROUP BY k0.r, i.c),
features6 AS (SELECT CAST(CASE WHEN 1 * d0.d < 5 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 5),
cells7 AS (SELECT r, f, x FROM products5 UNION ALL SELECT r, 2147483646, CAST('1.0' AS DOUBLE PRECISION) FROM sqlrp_temporary_0),
features8 AS (SELECT f FROM features6 UNION ALL SELECT 2147483646),
signs9 AS (SELECT 0 AS c, 0 AS f, CAST('1.0' AS DOUBLE PRECISION) AS sign UNION ALL SELECT 0 AS c, 1 AS f, CAST('-0.5' AS DOUBLE PRECISION) AS sign UNION ALL SELECT 1 AS c, 1 AS f, CAST('1.5' AS DOUBLE PRECISION) AS sign UNION ALL SELECT 1 AS c, 2 AS f, CAST('0.5' AS DOUBLE PRECISION) AS sign UNION ALL SELECT 0 AS c, 3 AS f, CAST('0.5' AS DOUBLE PRECISION) AS sign UNION ALL SELECT 1 AS c, 3 AS f, CAST('0.5' AS DOUBLE PRECISION) AS sign UNION ALL SELECT 0 AS c, 4 AS f, CAST('-0.25' AS DOUBLE PRECISION) AS sign UNION ALL SELECT 1 AS c, 4 AS f, CAST('-0.25' AS DOUBLE PRECISION) AS sign UNION ALL SELECT 0 AS c, 2147483646 AS f, CAST('-1.5' AS DOUBLE PRECISION) AS sign UNION ALL SELECT 1 AS c, 2147483646 AS f, CAST('-2.75' AS DOUBLE PRECISION) AS sign),
sums10 AS (SELECT r, c AS f, SUM(sign * x) AS x
FROM cells7 JOIN signs9 USING (f)
GROUP BY r, c),
features11 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2),
cells12 AS (SELECT s.r AS r, e.f AS f, coalesce(CAST(k.x AS DOUBLE PRECISION), CAST('0.0' AS DOUBLE PRECISION)) AS x FROM sqlrp_temporary_0 s CROSS JOIN features11 e LEFT JOIN sums10 k ON k.r = s.r AND k.f = e.f),
mapped13 AS (SELECT r, f, exp(x) AS x FROM cells12),
signs14 AS (SELECT 0 AS c, 0 AS f, CAST('1.0' AS DOUBLE PRECISION) AS sign UNION ALL SELECT 1 AS c, 0 AS f, CAST('-0.003' AS DOUBLE PRECISION) AS sign UNION ALL SELECT 0 AS c, 1 AS f, CAST('-0.003' AS DOUBLE PRECISION) AS sign UNION ALL SELECT 1 AS c, 1 AS f, CAST('1.0' AS DOUBLE PRECISION) AS sign),
sums15 AS (SELECT r, c AS f, SUM(sign * x) AS x
FROM mapped13 JOIN signs14 USING (f)
GROUP BY r, c),
outputs16 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2),
result17 AS (SELECT s.r AS r, s.c0 AS c0, n.f AS f, coalesce(z.x, CAST('0.0' AS DOUBLE PRECISION)) AS x
FROM sqlrp_temporary_0 s CROSS JOIN outputs16 n
LEFT JOIN sums15 z ON z.r = s.r AND z.f = n.f)
SELECT c0 AS "id", ARRAY(x0, x1) AS z
FROM (SELECT c0, MAX(CASE WHEN f = 0 THEN CAST(x AS DOUBLE PRECISION) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS DOUBLE PRECISION) END) AS x1 FROM result17 GROUP BY r, c0) s;
DROP TABLE IF EXISTS sqlrp_temporary_0;


-- ======== databricks
-- 3 statements: run them in this order in one session. Statement 2 returns the rows.
CREATE TABLE sqlrp_temporary_0 AS SELECT c0, monotonically_increasing_id() AS r, coalesce(CAST(x[0] AS DOUBLE),0.0e0) AS x0, coalesce(CAST(x[1] AS DOUBLE),0.0e0) AS x1, coalesce(CAST(x[2] AS DOUBLE),0.0e0) AS x2, coalesce(CAST(x[3] AS DOUBLE),0.0e0) AS x3 FROM (SELECT `id` AS c0, `embedding` AS x FROM `documents`) s;
WITH cells0 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM sqlrp_temporary_0 CROSS JOIN (SELECT id AS n FROM range(4)) counted),
features1 AS (SELECT id AS f FROM range(4)),
lists2 AS (SELECT r, transform(array(collect_list(struct(CAST(f AS INT) AS o, CAST(x AS DOUBLE) AS v)) FILTER (WHERE CAST(x AS DOUBLE) IS NOT NULL)), p -> CASE WHEN size(p) = 4 THEN sort_array(p).v ELSE sort_array(concat(p, transform(array_except(sequence(0, 3), p.o), o -> struct(o, 0.0e0 AS v)))).v END)[0] AS x FROM cells0 GROUP BY r),
index_table3 AS (SELECT c, v0, v1 FROM (VALUES (0, 0, 4), (1, 1, 4), (2, 2, 4), (3, 3, 4), (4, 0, 0), (4, 1, 1), (4, 2, 2), (4, 3, 3)) AS listed(c, v0, v1)),
products4 AS (SELECT k.r AS r, i.c AS f, SUM(CAST(coalesce(get(k.x, i.v0), 1.0e0) AS DOUBLE)*CAST(coalesce(get(k.x, i.v1), 1.0e0) AS DOUBLE)) AS x FROM lists2 k CROSS JOIN index_table3 i GROUP BY k.r, i.c),
features5 AS (SELECT id AS f FROM range(5)),
cells6 AS (SELECT r, f, x FROM products4 UNION ALL SELECT r, 2147483646, 1.0e0 FROM sqlrp_temporary_0),
features7 AS (SELECT f FROM features5 UNION ALL SELECT 2147483646),
signs8 AS (SELECT c, f, sign FROM (VALUES (0, 0, 1.0e0), (0, 1, -0.5e0), (1, 1, 1.5e0), (1, 2, 0.5e0), (0, 3, 0.5e0), (1, 3, 0.5e0), (0, 4, -0.25e0), (1, 4, -0.25e0), (0, 2147483646, -1.5e0), (1, 2147483646, -2.75e0)) AS listed(c, f, sign)),
sums9 AS (SELECT r, c AS f, SUM(sign * x) AS x
FROM cells6 JOIN signs8 USING (f)
GROUP BY r, c),
features10 AS (SELECT id AS f FROM range(2)),
cells11 AS (SELECT s.r AS r, e.f AS f, coalesce(CAST(k.x AS DOUBLE), 0.0e0) AS x FROM sqlrp_temporary_0 s CROSS JOIN features10 e LEFT JOIN sums9 k ON k.r = s.r AND k.f = e.f),
mapped12 AS (SELECT r, f, exp(x) AS x FROM cells11),
signs13 AS (SELECT c, f, sign FROM (VALUES (0, 0, 1.0e0), (1, 0, -0.003e0), (0, 1, -0.003e0), (1, 1, 1.0e0)) AS listed(c, f, sign)),
sums14 AS (SELECT r, c AS f, SUM(sign * x) AS x
FROM mapped12 JOIN signs13 USING (f)
GROUP BY r, c),
outputs15 AS (SELECT id AS f FROM range(2)),
result16 AS (SELECT s.r AS r, s.c0 AS c0, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM sqlrp_temporary_0 s CROSS JOIN outputs15 n
LEFT JOIN sums14 z ON z.r = s.r AND z.f = n.f)
SELECT c0 AS `id`, array(x0,x1) AS z
FROM (SELECT c0, MAX(CASE WHEN f = 0 THEN CAST(x AS DOUBLE) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS DOUBLE) END) AS x1 FROM result16 GROUP BY r, c0) s;
DROP TABLE IF EXISTS sqlrp_temporary_0;


-- ======== trino
-- 3 statements: run them in this order in one session. Statement 2 returns the rows.
CREATE TABLE sqlrp_temporary_0 AS SELECT c0, row_number() OVER () AS r, coalesce(CAST(element_at(x, 1) AS DOUBLE),0.0e0) AS x0, coalesce(CAST(element_at(x, 2) AS DOUBLE),0.0e0) AS x1, coalesce(CAST(element_at(x, 3) AS DOUBLE),0.0e0) AS x2, coalesce(CAST(element_at(x, 4) AS DOUBLE),0.0e0) AS x3 FROM (SELECT "id" AS c0, "embedding" AS x FROM "documents") s;
WITH cells0 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM sqlrp_temporary_0 CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) counted),
features1 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
cells2 AS (SELECT r, f, x FROM cells0 UNION ALL
SELECT odd.r, e.f, 0.0e0 FROM (SELECT DISTINCT r FROM cells0 WHERE NOT (x - x = 0)) odd
CROSS JOIN features1 e
WHERE NOT EXISTS (SELECT 1 FROM cells0 k WHERE k.r = odd.r AND k.f = e.f)),
cells3 AS (SELECT r, f, x FROM cells2 UNION ALL SELECT r, -1, 1.0e0 FROM sqlrp_temporary_0),
index_table4 AS (SELECT c, v0, v1 FROM (VALUES (0, 0, -1), (1, 1, -1), (2, 2, -1), (3, 3, -1), (4, 0, 0), (4, 1, 1), (4, 2, 2), (4, 3, 3)) AS listed(c, v0, v1)),
products5 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS DOUBLE)*CAST(k1.x AS DOUBLE)) AS x
FROM index_table4 i JOIN cells3 k0 ON k0.f = i.v0 JOIN cells3 k1 ON k1.f = i.v1 AND k0.r = k1.r
GROUP BY k0.r, i.c),
features6 AS (SELECT CAST(CASE WHEN 1 * d0.d < 5 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 5),
cells7 AS (SELECT r, f, x FROM products5 UNION ALL SELECT r, 2147483646, 1.0e0 FROM sqlrp_temporary_0),
features8 AS (SELECT f FROM features6 UNION ALL SELECT 2147483646),
signs9 AS (SELECT c, f, sign FROM (VALUES (0, 0, 1.0e0), (0, 1, -0.5e0), (1, 1, 1.5e0), (1, 2, 0.5e0), (0, 3, 0.5e0), (1, 3, 0.5e0), (0, 4, -0.25e0), (1, 4, -0.25e0), (0, 2147483646, -1.5e0), (1, 2147483646, -2.75e0)) AS listed(c, f, sign)),
sums10 AS (SELECT r, c AS f, SUM(sign * x) AS x
FROM cells7 JOIN signs9 USING (f)
GROUP BY r, c),
features11 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2),
cells12 AS (SELECT s.r AS r, e.f AS f, coalesce(CAST(k.x AS DOUBLE), 0.0e0) AS x FROM sqlrp_temporary_0 s CROSS JOIN features11 e LEFT JOIN sums10 k ON k.r = s.r AND k.f = e.f),
mapped13 AS (SELECT r, f, exp(x) AS x FROM cells12),
signs14 AS (SELECT c, f, sign FROM (VALUES (0, 0, 1.0e0), (1, 0, -0.003e0), (0, 1, -0.003e0), (1, 1, 1.0e0)) AS listed(c, f, sign)),
sums15 AS (SELECT r, c AS f, SUM(sign * x) AS x
FROM mapped13 JOIN signs14 USING (f)
GROUP BY r, c),
outputs16 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2),
result17 AS (SELECT s.r AS r, s.c0 AS c0, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM sqlrp_temporary_0 s CROSS JOIN outputs16 n
LEFT JOIN sums15 z ON z.r = s.r AND z.f = n.f)
SELECT c0 AS "id", ARRAY[x0, x1] AS z
FROM (SELECT c0, MAX(CASE WHEN f = 0 THEN CAST(x AS DOUBLE) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS DOUBLE) END) AS x1 FROM result17 GROUP BY r, c0) s;
DROP TABLE IF EXISTS sqlrp_temporary_0;


-- ======== sqlserver
-- 37 statements: run them in this order in one session. Statement 19 returns the rows.
SELECT * INTO #sqlrp_temporary_0 FROM (SELECT c0, row_number() OVER (ORDER BY (SELECT NULL)) AS r, coalesce(CAST(CAST(JSON_VALUE(x, '$[0]') AS FLOAT) AS FLOAT),0.0e0) AS x0, coalesce(CAST(CAST(JSON_VALUE(x, '$[1]') AS FLOAT) AS FLOAT),0.0e0) AS x1, coalesce(CAST(CAST(JSON_VALUE(x, '$[2]') AS FLOAT) AS FLOAT),0.0e0) AS x2, coalesce(CAST(CAST(JSON_VALUE(x, '$[3]') AS FLOAT) AS FLOAT),0.0e0) AS x3 FROM (SELECT [id] AS c0, CAST([embedding] AS NVARCHAR(MAX)) AS x FROM [documents]) s) s;
SELECT * INTO #sqlrp_temporary_1 FROM (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM #sqlrp_temporary_0 CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS n FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) counted) s;
SELECT * INTO #sqlrp_temporary_2 FROM (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) s;
SELECT * INTO #sqlrp_temporary_3 FROM (SELECT r, f, x FROM #sqlrp_temporary_1 UNION ALL SELECT r, -1, 1.0e0 FROM #sqlrp_temporary_0) s;
SELECT * INTO #sqlrp_temporary_4 FROM (SELECT c, v0, v1 FROM (VALUES (0, 0, -1), (1, 1, -1), (2, 2, -1), (3, 3, -1), (4, 0, 0), (4, 1, 1), (4, 2, 2), (4, 3, 3)) AS listed(c, v0, v1)) s;
SELECT * INTO #sqlrp_temporary_5 FROM (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS FLOAT)*CAST(k1.x AS FLOAT)) AS x
FROM #sqlrp_temporary_4 i JOIN #sqlrp_temporary_3 k0 ON k0.f = i.v0 JOIN #sqlrp_temporary_3 k1 ON k1.f = i.v1 AND k0.r = k1.r
GROUP BY k0.r, i.c) s;
SELECT * INTO #sqlrp_temporary_6 FROM (SELECT CAST(CASE WHEN 1 * d0.d < 5 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 5) s;
SELECT * INTO #sqlrp_temporary_7 FROM (SELECT r, f, x FROM #sqlrp_temporary_5 UNION ALL SELECT r, 2147483646, 1.0e0 FROM #sqlrp_temporary_0) s;
SELECT * INTO #sqlrp_temporary_8 FROM (SELECT f FROM #sqlrp_temporary_6 UNION ALL SELECT 2147483646) s;
SELECT * INTO #sqlrp_temporary_9 FROM (SELECT c, f, sign FROM (VALUES (0, 0, 1.0e0), (0, 1, -0.5e0), (1, 1, 1.5e0), (1, 2, 0.5e0), (0, 3, 0.5e0), (1, 3, 0.5e0), (0, 4, -0.25e0), (1, 4, -0.25e0), (0, 2147483646, -1.5e0), (1, 2147483646, -2.75e0)) AS listed(c, f, sign)) s;
SELECT * INTO #sqlrp_temporary_10 FROM (SELECT r, c AS f, SUM(sign * x) AS x
FROM #sqlrp_temporary_7 JOIN #sqlrp_temporary_9 ON #sqlrp_temporary_7.f = #sqlrp_temporary_9.f
GROUP BY r, c) s;
SELECT * INTO #sqlrp_temporary_11 FROM (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2) s;
SELECT * INTO #sqlrp_temporary_12 FROM (SELECT s.r AS r, e.f AS f, coalesce(CAST(k.x AS FLOAT), 0.0e0) AS x FROM #sqlrp_temporary_0 s CROSS JOIN #sqlrp_temporary_11 e LEFT JOIN #sqlrp_temporary_10 k ON k.r = s.r AND k.f = e.f) s;
SELECT * INTO #sqlrp_temporary_13 FROM (SELECT r, f, exp(x) AS x FROM #sqlrp_temporary_12) s;
SELECT * INTO #sqlrp_temporary_14 FROM (SELECT c, f, sign FROM (VALUES (0, 0, 1.0e0), (1, 0, -0.003e0), (0, 1, -0.003e0), (1, 1, 1.0e0)) AS listed(c, f, sign)) s;
SELECT * INTO #sqlrp_temporary_15 FROM (SELECT r, c AS f, SUM(sign * x) AS x
FROM #sqlrp_temporary_13 JOIN #sqlrp_temporary_14 ON #sqlrp_temporary_13.f = #sqlrp_temporary_14.f
GROUP BY r, c) s;
SELECT * INTO #sqlrp_temporary_16 FROM (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2) s;
SELECT * INTO #sqlrp_temporary_17 FROM (SELECT s.r AS r, s.c0 AS c0, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM #sqlrp_temporary_0 s CROSS JOIN #sqlrp_temporary_16 n
LEFT JOIN #sqlrp_temporary_15 z ON z.r = s.r AND z.f = n.f) s;
SELECT c0 AS [id], CONCAT(CAST('[' AS VARCHAR(MAX)), CONCAT_WS(',', CONVERT(VARCHAR(30), x0, 3), CONVERT(VARCHAR(30), x1, 3)), ']') AS z
FROM (SELECT c0, MAX(CASE WHEN f = 0 THEN CAST(x AS FLOAT) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS FLOAT) END) AS x1 FROM #sqlrp_temporary_17 GROUP BY r, c0) s;
DROP TABLE IF EXISTS #sqlrp_temporary_17;
DROP TABLE IF EXISTS #sqlrp_temporary_16;
DROP TABLE IF EXISTS #sqlrp_temporary_15;
DROP TABLE IF EXISTS #sqlrp_temporary_14;
DROP TABLE IF EXISTS #sqlrp_temporary_13;
DROP TABLE IF EXISTS #sqlrp_temporary_12;
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
CREATE PRIVATE TEMPORARY TABLE ORA$PTT_SQLRP_E6ACE93B46E0_0 ON COMMIT PRESERVE DEFINITION AS SELECT c0, row_number() OVER (ORDER BY NULL) AS r, coalesce(CAST(CAST(JSON_VALUE(x, '$[0]' RETURNING NUMBER) AS BINARY_DOUBLE) AS BINARY_DOUBLE),CAST(0.0e0 AS BINARY_DOUBLE)) AS x0, coalesce(CAST(CAST(JSON_VALUE(x, '$[1]' RETURNING NUMBER) AS BINARY_DOUBLE) AS BINARY_DOUBLE),CAST(0.0e0 AS BINARY_DOUBLE)) AS x1, coalesce(CAST(CAST(JSON_VALUE(x, '$[2]' RETURNING NUMBER) AS BINARY_DOUBLE) AS BINARY_DOUBLE),CAST(0.0e0 AS BINARY_DOUBLE)) AS x2, coalesce(CAST(CAST(JSON_VALUE(x, '$[3]' RETURNING NUMBER) AS BINARY_DOUBLE) AS BINARY_DOUBLE),CAST(0.0e0 AS BINARY_DOUBLE)) AS x3 FROM (SELECT "id" AS c0, FROM_VECTOR("embedding" RETURNING CLOB) AS x FROM "documents") s;
WITH cells0 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM ORA$PTT_SQLRP_E6ACE93B46E0_0 CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS NUMBER(19)) AS n FROM (SELECT 0 AS d FROM dual UNION ALL SELECT 1 FROM dual UNION ALL SELECT 2 FROM dual UNION ALL SELECT 3 FROM dual UNION ALL SELECT 4 FROM dual UNION ALL SELECT 5 FROM dual UNION ALL SELECT 6 FROM dual UNION ALL SELECT 7 FROM dual UNION ALL SELECT 8 FROM dual UNION ALL SELECT 9 FROM dual) d0 WHERE 1 * d0.d < 4) counted),
features1 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS NUMBER(19)) AS f FROM (SELECT 0 AS d FROM dual UNION ALL SELECT 1 FROM dual UNION ALL SELECT 2 FROM dual UNION ALL SELECT 3 FROM dual UNION ALL SELECT 4 FROM dual UNION ALL SELECT 5 FROM dual UNION ALL SELECT 6 FROM dual UNION ALL SELECT 7 FROM dual UNION ALL SELECT 8 FROM dual UNION ALL SELECT 9 FROM dual) d0 WHERE 1 * d0.d < 4),
cells2 AS (SELECT r, f, x FROM cells0 UNION ALL
SELECT odd.r, e.f, CAST(0.0e0 AS BINARY_DOUBLE) FROM (SELECT DISTINCT r FROM cells0 WHERE NOT (x - x = 0)) odd
CROSS JOIN features1 e
WHERE NOT EXISTS (SELECT 1 FROM cells0 k WHERE k.r = odd.r AND k.f = e.f)),
cells3 AS (SELECT r, f, x FROM cells2 UNION ALL SELECT r, -1, CAST(1.0e0 AS BINARY_DOUBLE) FROM ORA$PTT_SQLRP_E6ACE93B46E0_0),
index_table4 AS (SELECT c, v0, v1 FROM (SELECT 0 AS c, 0 AS v0, -1 AS v1 FROM dual UNION ALL SELECT 1 AS c, 1 AS v0, -1 AS v1 FROM dual UNION ALL SELECT 2 AS c, 2 AS v0, -1 AS v1 FROM dual UNION ALL SELECT 3 AS c, 3 AS v0, -1 AS v1 FROM dual UNION ALL SELECT 4 AS c, 0 AS v0, 0 AS v1 FROM dual UNION ALL SELECT 4 AS c, 1 AS v0, 1 AS v1 FROM dual UNION ALL SELECT 4 AS c, 2 AS v0, 2 AS v1 FROM dual UNION ALL SELECT 4 AS c, 3 AS v0, 3 AS v1 FROM dual) s),
products5 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS BINARY_DOUBLE)*CAST(k1.x AS BINARY_DOUBLE)) AS x
FROM index_table4 i JOIN cells3 k0 ON k0.f = i.v0 JOIN cells3 k1 ON k1.f = i.v1 AND k0.r = k1.r
GROUP BY k0.r, i.c),
features6 AS (SELECT CAST(CASE WHEN 1 * d0.d < 5 THEN 1 * d0.d END AS NUMBER(19)) AS f FROM (SELECT 0 AS d FROM dual UNION ALL SELECT 1 FROM dual UNION ALL SELECT 2 FROM dual UNION ALL SELECT 3 FROM dual UNION ALL SELECT 4 FROM dual UNION ALL SELECT 5 FROM dual UNION ALL SELECT 6 FROM dual UNION ALL SELECT 7 FROM dual UNION ALL SELECT 8 FROM dual UNION ALL SELECT 9 FROM dual) d0 WHERE 1 * d0.d < 5),
cells7 AS (SELECT r, f, x FROM products5 UNION ALL SELECT r, 2147483646, CAST(1.0e0 AS BINARY_DOUBLE) FROM ORA$PTT_SQLRP_E6ACE93B46E0_0),
features8 AS (SELECT f FROM features6 UNION ALL SELECT 2147483646 FROM dual),
signs9 AS (SELECT c, f, sign FROM (SELECT 0 AS c, 0 AS f, CAST(1.0e0 AS BINARY_DOUBLE) AS sign FROM dual UNION ALL SELECT 0 AS c, 1 AS f, CAST(-0.5e0 AS BINARY_DOUBLE) AS sign FROM dual UNION ALL SELECT 1 AS c, 1 AS f, CAST(1.5e0 AS BINARY_DOUBLE) AS sign FROM dual UNION ALL SELECT 1 AS c, 2 AS f, CAST(0.5e0 AS BINARY_DOUBLE) AS sign FROM dual UNION ALL SELECT 0 AS c, 3 AS f, CAST(0.5e0 AS BINARY_DOUBLE) AS sign FROM dual UNION ALL SELECT 1 AS c, 3 AS f, CAST(0.5e0 AS BINARY_DOUBLE) AS sign FROM dual UNION ALL SELECT 0 AS c, 4 AS f, CAST(-0.25e0 AS BINARY_DOUBLE) AS sign FROM dual UNION ALL SELECT 1 AS c, 4 AS f, CAST(-0.25e0 AS BINARY_DOUBLE) AS sign FROM dual UNION ALL SELECT 0 AS c, 2147483646 AS f, CAST(-1.5e0 AS BINARY_DOUBLE) AS sign FROM dual UNION ALL SELECT 1 AS c, 2147483646 AS f, CAST(-2.75e0 AS BINARY_DOUBLE) AS sign FROM dual) s),
sums10 AS (SELECT r, c AS f, SUM(sign * x) AS x
FROM cells7 JOIN signs9 USING (f)
GROUP BY r, c),
features11 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS NUMBER(19)) AS f FROM (SELECT 0 AS d FROM dual UNION ALL SELECT 1 FROM dual UNION ALL SELECT 2 FROM dual UNION ALL SELECT 3 FROM dual UNION ALL SELECT 4 FROM dual UNION ALL SELECT 5 FROM dual UNION ALL SELECT 6 FROM dual UNION ALL SELECT 7 FROM dual UNION ALL SELECT 8 FROM dual UNION ALL SELECT 9 FROM dual) d0 WHERE 1 * d0.d < 2),
cells12 AS (SELECT s.r AS r, e.f AS f, coalesce(CAST(k.x AS BINARY_DOUBLE), CAST(0.0e0 AS BINARY_DOUBLE)) AS x FROM ORA$PTT_SQLRP_E6ACE93B46E0_0 s CROSS JOIN features11 e LEFT JOIN sums10 k ON k.r = s.r AND k.f = e.f),
mapped13 AS (SELECT r, f, exp(x) AS x FROM cells12),
signs14 AS (SELECT c, f, sign FROM (SELECT 0 AS c, 0 AS f, CAST(1.0e0 AS BINARY_DOUBLE) AS sign FROM dual UNION ALL SELECT 1 AS c, 0 AS f, CAST(-0.003e0 AS BINARY_DOUBLE) AS sign FROM dual UNION ALL SELECT 0 AS c, 1 AS f, CAST(-0.003e0 AS BINARY_DOUBLE) AS sign FROM dual UNION ALL SELECT 1 AS c, 1 AS f, CAST(1.0e0 AS BINARY_DOUBLE) AS sign FROM dual) s),
sums15 AS (SELECT r, c AS f, SUM(sign * x) AS x
FROM mapped13 JOIN signs14 USING (f)
GROUP BY r, c),
outputs16 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS NUMBER(19)) AS f FROM (SELECT 0 AS d FROM dual UNION ALL SELECT 1 FROM dual UNION ALL SELECT 2 FROM dual UNION ALL SELECT 3 FROM dual UNION ALL SELECT 4 FROM dual UNION ALL SELECT 5 FROM dual UNION ALL SELECT 6 FROM dual UNION ALL SELECT 7 FROM dual UNION ALL SELECT 8 FROM dual UNION ALL SELECT 9 FROM dual) d0 WHERE 1 * d0.d < 2),
result17 AS (SELECT s.r AS r, s.c0 AS c0, n.f AS f, coalesce(z.x, CAST(0.0e0 AS BINARY_DOUBLE)) AS x
FROM ORA$PTT_SQLRP_E6ACE93B46E0_0 s CROSS JOIN outputs16 n
LEFT JOIN sums15 z ON z.r = s.r AND z.f = n.f)
SELECT c0 AS "id", TO_VECTOR(JSON_ARRAY(x0, x1 NULL ON NULL RETURNING CLOB), 2, FLOAT64) AS z
FROM (SELECT c0, MAX(CASE WHEN f = 0 THEN CAST(x AS BINARY_DOUBLE) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS BINARY_DOUBLE) END) AS x1 FROM result17 GROUP BY r, c0) s;
DROP TABLE ORA$PTT_SQLRP_E6ACE93B46E0_0;


-- ======== generic
-- UnsupportedError: generic has no array columns, so Array(…) is not supported: use Wide(…) or Long(…)
