-- SketchPooling(k=2, seed=1, normalise=False, split=2)
-- array rows of floats; output = 'columns', nulls = 'zero', scale = True, lowering = 'relational'

-- ======== duckdb
WITH source0 AS MATERIALIZED (SELECT "id" AS c0, row_number() OVER () AS r, CAST("embedding" AS FLOAT[]) AS x FROM "documents"),
cells1 AS MATERIALIZED (SELECT r, unnest(range(len(x))) AS f, unnest(x) AS x FROM source0),
features2 AS MATERIALIZED (SELECT CAST(range AS BIGINT) AS f FROM range(4)),
signs3 AS MATERIALIZED (SELECT unnest(CAST(string_split(concat('1,0,3,3', t), ',') AS BIGINT[])) AS c, unnest(CAST(string_split(concat('0,1,2,3', t), ',') AS BIGINT[])) AS f, unnest(CAST(string_split(concat('1,-1,-1,1', t), ',') AS BIGINT[])) AS sign FROM (VALUES ('')) v(t)),
sums4 AS MATERIALIZED (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE CAST(0.0e0 AS FLOAT) - x END) AS x
FROM cells1 JOIN signs3 USING (f)
GROUP BY r, c),
features5 AS MATERIALIZED (SELECT CAST(range AS BIGINT) AS f FROM range(4)),
cells6 AS MATERIALIZED (SELECT r, f, x FROM sums4 UNION ALL
SELECT odd.r, e.f, CAST(0.0e0 AS FLOAT) FROM (SELECT DISTINCT r FROM sums4 WHERE NOT isfinite(x)) odd
CROSS JOIN features5 e
WHERE NOT EXISTS (SELECT 1 FROM sums4 k WHERE k.r = odd.r AND k.f = e.f)),
index_table7 AS MATERIALIZED (SELECT ((a.i + b.i) % 2) AS c, a.i AS v0, b.i + 2 AS v1 FROM (SELECT unnest(CAST(string_split(concat('0,1', t), ',') AS BIGINT[])) AS i FROM (VALUES ('')) v(t)) a CROSS JOIN (SELECT unnest(CAST(string_split(concat('0,1', t), ',') AS BIGINT[])) AS i FROM (VALUES ('')) v(t)) b),
products8 AS MATERIALIZED (SELECT k0.r AS r, i.c AS f, SUM(coalesce(TRY_CAST(k0.x AS FLOAT), CAST('inf'::DOUBLE * k0.x AS FLOAT))*coalesce(TRY_CAST(k1.x AS FLOAT), CAST('inf'::DOUBLE * k1.x AS FLOAT))) AS x
FROM index_table7 i JOIN cells6 k0 ON k0.f = i.v0 JOIN cells6 k1 ON k1.f = i.v1 AND k0.r = k1.r
GROUP BY k0.r, i.c),
groups9 AS MATERIALIZED (SELECT c0 AS r, c0 FROM source0 GROUP BY c0),
cells10 AS MATERIALIZED (SELECT s.c0 AS r, k.f AS f, coalesce(TRY_CAST(SUM(k.x) AS FLOAT), CAST('inf'::DOUBLE * SUM(k.x) AS FLOAT)) AS x FROM products8 k JOIN source0 s ON k.r = s.r GROUP BY s.c0, k.f),
outputs11 AS MATERIALIZED (SELECT CAST(range AS BIGINT) AS f FROM range(2)),
result12 AS MATERIALIZED (SELECT s.r AS r, n.f AS f, coalesce(z.x, CAST(0.0e0 AS FLOAT)) AS x
FROM groups9 s CROSS JOIN outputs11 n
LEFT JOIN cells10 z ON (z.r IS NOT DISTINCT FROM s.r) AND z.f = n.f)
SELECT c0 AS "id", x[1] AS z0, x[2] AS z1
FROM (SELECT s.c0 AS c0, z.x AS x FROM groups9 s JOIN (SELECT r, list(coalesce(TRY_CAST(x AS FLOAT), CAST('inf'::DOUBLE * x AS FLOAT)) ORDER BY f ASC) AS x FROM result12 GROUP BY r) z ON (z.r IS NOT DISTINCT FROM s.r)) s

-- ======== postgresql
WITH source0 AS MATERIALIZED (SELECT c0, row_number() OVER () AS r, CAST(x AS double precision[]) AS x FROM (SELECT "id" AS c0, ("embedding")[:] AS x FROM "documents" OFFSET '0') s),
cells1 AS MATERIALIZED (SELECT r, o - 1 AS f, e AS x
FROM source0, unnest(x) WITH ORDINALITY AS u(e, o)),
features2 AS MATERIALIZED (SELECT f FROM generate_series(CAST(0 AS bigint), 3) g(f)),
signs3 AS MATERIALIZED (SELECT unnest(CAST('{1,0,3,3}' AS bigint[])) AS c, unnest(CAST('{0,1,2,3}' AS bigint[])) AS f, unnest(CAST('{1,-1,-1,1}' AS bigint[])) AS sign),
sums4 AS MATERIALIZED (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE CAST('0.0' AS double precision) - x END) AS x
FROM cells1 JOIN signs3 USING (f)
GROUP BY r, c),
features5 AS MATERIALIZED (SELECT f FROM generate_series(CAST(0 AS bigint), 3) g(f)),
cells6 AS MATERIALIZED (SELECT r, f, x FROM sums4 UNION ALL
SELECT odd.r, e.f, CAST('0.0' AS double precision) FROM (SELECT DISTINCT r FROM sums4 WHERE NOT (x NOT IN ('NaN', 'Infinity', '-Infinity'))) odd
CROSS JOIN features5 e
WHERE NOT EXISTS (SELECT 1 FROM sums4 k WHERE k.r = odd.r AND k.f = e.f)),
index_table7 AS MATERIALIZED (SELECT ((a.i + b.i) % 2) AS c, a.i AS v0, b.i + 2 AS v1 FROM (SELECT unnest(CAST('{0,1}' AS bigint[])) AS i) a CROSS JOIN (SELECT unnest(CAST('{0,1}' AS bigint[])) AS i) b),
products8 AS MATERIALIZED (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS double precision)*CAST(k1.x AS double precision)) AS x
FROM index_table7 i JOIN cells6 k0 ON k0.f = i.v0 JOIN cells6 k1 ON k1.f = i.v1 AND k0.r = k1.r
GROUP BY k0.r, i.c),
groups9 AS MATERIALIZED (SELECT c0 AS r, c0 FROM source0 GROUP BY c0),
cells10 AS MATERIALIZED (SELECT s.c0 AS r, k.f AS f, CAST(SUM(k.x) AS double precision) AS x FROM products8 k JOIN source0 s ON k.r = s.r GROUP BY s.c0, k.f),
outputs11 AS MATERIALIZED (SELECT f FROM generate_series(CAST(0 AS bigint), 1) g(f)),
result12 AS MATERIALIZED (SELECT s.r AS r, n.f AS f, coalesce(z.x, CAST('0.0' AS double precision)) AS x
FROM groups9 s CROSS JOIN outputs11 n
LEFT JOIN cells10 z ON ARRAY[z.r] = ARRAY[s.r] AND z.f = n.f)
SELECT c0 AS "id", x[1] AS z0, x[2] AS z1
FROM (SELECT s.c0 AS c0, z.x AS x FROM groups9 s JOIN (SELECT r, array_agg(CAST(x AS double precision) ORDER BY f) AS x FROM result12 GROUP BY r) z ON ARRAY[z.r] = ARRAY[s.r]) s

-- ======== sqlite
-- UnsupportedError: sqlite has no array columns, so Array(…) is not supported: use Wide(…) or Long(…); of texts such as '[0.1, 0.2]', Long(…) reads the view SELECT t.`id`, CAST(j.key AS INTEGER) AS feature, CAST(j.value AS REAL) AS value FROM `documents` t, json_each(t.`embedding`) j

-- ======== mariadb
-- UnsupportedError: mariadb has no array columns, so Array(…) is not supported: use Wide(…) or Long(…); of texts such as '[0.1, 0.2]', Long(…) reads the view SELECT t.`id`, j.feature - 1 AS feature, j.value FROM `documents` t, JSON_TABLE(t.`embedding`, '$[*]' COLUMNS (feature FOR ORDINALITY, value DOUBLE PATH '$')) j

-- ======== mysql
-- UnsupportedError: mysql has no array columns, so Array(…) is not supported: use Wide(…) or Long(…); of texts such as '[0.1, 0.2]', Long(…) reads the view SELECT t.`id`, j.feature - 1 AS feature, j.value FROM `documents` t, JSON_TABLE(t.`embedding`, '$[*]' COLUMNS (feature FOR ORDINALITY, value DOUBLE PATH '$')) j

-- ======== clickhouse
-- 27 statements: run them in this order in one session. Statement 14 returns the rows.
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_0 ENGINE = Memory AS SELECT `id` AS c0, toInt64(row_number() OVER ()) AS r, arrayMap(e -> CAST(e AS Float64), `embedding`) AS x FROM `documents`
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_1 ENGINE = Memory AS SELECT r, toInt64(o) - 1 AS f, e AS x
FROM sqlrp_temporary_0 ARRAY JOIN x AS e, arrayEnumerate(x) AS o
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_2 ENGINE = Memory AS SELECT toInt64(number) AS f FROM numbers(4)
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_3 ENGINE = Memory AS SELECT c, f, sign FROM (SELECT CAST('[1, 0, 3, 3]' AS Array(Int64)) AS c, CAST('[0, 1, 2, 3]' AS Array(Int64)) AS f, CAST('[1, -1, -1, 1]' AS Array(Int64)) AS sign) s ARRAY JOIN c, f, sign
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_4 ENGINE = Memory AS SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE CAST(0.0e0 AS Float64) - x END) AS x
FROM sqlrp_temporary_1 JOIN sqlrp_temporary_3 USING (f)
GROUP BY r, c
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_5 ENGINE = Memory AS SELECT toInt64(number) AS f FROM numbers(4)
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_6 ENGINE = Memory AS SELECT r, f, x FROM sqlrp_temporary_4 UNION ALL
SELECT odd.r, e.f, CAST(0.0e0 AS Float64) FROM (SELECT DISTINCT r FROM sqlrp_temporary_4 WHERE NOT isFinite(x)) odd
CROSS JOIN sqlrp_temporary_5 e
WHERE NOT EXISTS (SELECT 1 FROM sqlrp_temporary_4 k WHERE k.r = odd.r AND k.f = e.f)
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_7 ENGINE = Memory AS SELECT ((a.i + b.i) % 2) AS c, a.i AS v0, b.i + 2 AS v1 FROM (SELECT i FROM (SELECT CAST('[0, 1]' AS Array(Int64)) AS i) s ARRAY JOIN i) a CROSS JOIN (SELECT i FROM (SELECT CAST('[0, 1]' AS Array(Int64)) AS i) s ARRAY JOIN i) b
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_8 ENGINE = Memory AS SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS Float64)*CAST(k1.x AS Float64)) AS x
FROM sqlrp_temporary_7 i JOIN sqlrp_temporary_6 k0 ON k0.f = i.v0 JOIN sqlrp_temporary_6 k1 ON k1.f = i.v1 AND k0.r = k1.r
GROUP BY k0.r, i.c
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_9 ENGINE = Memory AS SELECT c0 AS r, c0 FROM sqlrp_temporary_0 GROUP BY c0
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_10 ENGINE = Memory AS SELECT s.c0 AS r, k.f AS f, CAST(SUM(k.x) AS Float64) AS x FROM sqlrp_temporary_8 k JOIN sqlrp_temporary_0 s ON k.r = s.r GROUP BY s.c0, k.f
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_11 ENGINE = Memory AS SELECT toInt64(number) AS f FROM numbers(2)
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_12 ENGINE = Memory AS SELECT s.r AS r, n.f AS f, coalesce(z.x, CAST(0.0e0 AS Float64)) AS x
FROM sqlrp_temporary_9 s CROSS JOIN sqlrp_temporary_11 n
LEFT JOIN sqlrp_temporary_10 z ON (z.r IS NOT DISTINCT FROM s.r) AND z.f = n.f
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
SELECT c0 AS `id`, x[1] AS z0, x[2] AS z1
FROM (SELECT s.c0 AS c0, z.x AS x FROM sqlrp_temporary_9 s JOIN (SELECT r, arrayMap(p -> p.2, arraySort(p -> p.1, groupArray((f, CAST(x AS Float64))))) AS x FROM sqlrp_temporary_12 GROUP BY r) z ON (z.r IS NOT DISTINCT FROM s.r)) s
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
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
signs3 AS (SELECT inline(arrays_zip(from_json('[1, 0, 3, 3]', 'ARRAY<BIGINT>'), from_json('[0, 1, 2, 3]', 'ARRAY<BIGINT>'), from_json('[1, -1, -1, 1]', 'ARRAY<BIGINT>'))) AS (c, f, sign)),
sums4 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE CAST(0.0e0 AS DOUBLE) - x END) AS x
FROM cells1 JOIN signs3 USING (f)
GROUP BY r, c),
features5 AS (SELECT id AS f FROM range(4)),
lists6 AS (SELECT r, transform(array(collect_list(struct(CAST(f AS INT) AS o, CAST(x AS DOUBLE) AS v)) FILTER (WHERE CAST(x AS DOUBLE) IS NOT NULL)), p -> CASE WHEN size(p) = 4 THEN sort_array(p).v ELSE sort_array(concat(p, transform(array_except(sequence(0, 3), p.o), o -> struct(o, CAST(0.0e0 AS DOUBLE) AS v)))).v END)[0] AS x FROM sums4 GROUP BY r),
index_table7 AS (SELECT ((a.i + b.i) % 2) AS c, a.i AS v0, b.i + 2 AS v1 FROM (SELECT inline(arrays_zip(from_json('[0, 1]', 'ARRAY<BIGINT>'))) AS (i)) a CROSS JOIN (SELECT inline(arrays_zip(from_json('[0, 1]', 'ARRAY<BIGINT>'))) AS (i)) b),
products8 AS (SELECT k.r AS r, i.c AS f, SUM(CAST(k.x[i.v0] AS DOUBLE)*CAST(k.x[i.v1] AS DOUBLE)) AS x FROM lists6 k CROSS JOIN index_table7 i GROUP BY k.r, i.c),
groups9 AS (SELECT c0 AS r, c0 FROM source0 GROUP BY c0),
cells10 AS (SELECT s.c0 AS r, k.f AS f, CAST(SUM(k.x) AS DOUBLE) AS x FROM products8 k JOIN source0 s ON k.r = s.r GROUP BY s.c0, k.f),
outputs11 AS (SELECT id AS f FROM range(2)),
result12 AS (SELECT s.r AS r, n.f AS f, coalesce(z.x, CAST(0.0e0 AS DOUBLE)) AS x
FROM groups9 s CROSS JOIN outputs11 n
LEFT JOIN cells10 z ON (z.r <=> s.r) AND z.f = n.f)
SELECT c0 AS `id`, x[0] AS z0, x[1] AS z1
FROM (SELECT s.c0 AS c0, z.x AS x FROM groups9 s JOIN (SELECT r, sort_array(collect_list(struct(f AS o, CAST(x AS DOUBLE) AS v))).v AS x FROM result12 GROUP BY r) z ON (z.r <=> s.r)) s

-- ======== snowflake
-- 3 statements: run them in this order in one session. Statement 2 returns the rows.
CREATE TEMPORARY TABLE sqlrp_temporary_0 AS SELECT c0, row_number() OVER (ORDER BY NULL) AS r, coalesce(CAST(CAST(x[0] AS DOUBLE) AS DOUBLE),CAST(0.0e0 AS DOUBLE)) AS x0, coalesce(CAST(CAST(x[1] AS DOUBLE) AS DOUBLE),CAST(0.0e0 AS DOUBLE)) AS x1, coalesce(CAST(CAST(x[2] AS DOUBLE) AS DOUBLE),CAST(0.0e0 AS DOUBLE)) AS x2, coalesce(CAST(CAST(x[3] AS DOUBLE) AS DOUBLE),CAST(0.0e0 AS DOUBLE)) AS x3 FROM (SELECT "id" AS c0, "embedding" AS x FROM "documents") s;
WITH cells0 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM sqlrp_temporary_0 CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) counted),
features1 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
signs2 AS (SELECT c, f, sign FROM (VALUES (1, 0, 1), (0, 1, -1), (3, 2, -1), (3, 3, 1)) AS listed(c, f, sign)),
sums3 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE CAST(0.0e0 AS DOUBLE) - x END) AS x
FROM cells0 JOIN signs2 USING (f)
GROUP BY r, c),
features4 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
cells5 AS (SELECT r, f, x FROM sums3 UNION ALL
SELECT odd.r, e.f, CAST(0.0e0 AS DOUBLE) FROM (SELECT DISTINCT r FROM sums3 WHERE NOT (x - x = 0)) odd
CROSS JOIN features4 e
WHERE NOT EXISTS (SELECT 1 FROM sums3 k WHERE k.r = odd.r AND k.f = e.f)),
index_table6 AS (SELECT ((a.i + b.i) % 2) AS c, a.i AS v0, b.i + 2 AS v1 FROM (SELECT i FROM (VALUES (0), (1)) AS listed(i)) a CROSS JOIN (SELECT i FROM (VALUES (0), (1)) AS listed(i)) b),
products7 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS DOUBLE)*CAST(k1.x AS DOUBLE)) AS x
FROM index_table6 i JOIN cells5 k0 ON k0.f = i.v0 JOIN cells5 k1 ON k1.f = i.v1 AND k0.r = k1.r
GROUP BY k0.r, i.c),
groups8 AS (SELECT c0 AS r, c0 FROM sqlrp_temporary_0 GROUP BY c0),
cells9 AS (SELECT s.c0 AS r, k.f AS f, CAST(SUM(k.x) AS DOUBLE) AS x FROM products7 k JOIN sqlrp_temporary_0 s ON k.r = s.r GROUP BY s.c0, k.f),
outputs10 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2),
result11 AS (SELECT s.r AS r, s.c0 AS c0, n.f AS f, coalesce(z.x, CAST(0.0e0 AS DOUBLE)) AS x
FROM groups8 s CROSS JOIN outputs10 n
LEFT JOIN cells9 z ON (z.r IS NOT DISTINCT FROM s.r) AND z.f = n.f)
SELECT c0 AS "id", x0 AS z0, x1 AS z1
FROM (SELECT c0, MAX(CASE WHEN f = 0 THEN CAST(x AS DOUBLE) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS DOUBLE) END) AS x1 FROM result11 GROUP BY r, c0) s;
DROP TABLE IF EXISTS sqlrp_temporary_0;


-- ======== bigquery
-- 2 statements: run them in this order in one session. Statement 2 returns the rows.
CREATE TEMPORARY TABLE sqlrp_temporary_0 AS SELECT c0, row_number() OVER () AS r, coalesce(CAST(x[SAFE_OFFSET(0)] AS FLOAT64),CAST(0.0e0 AS FLOAT64)) AS x0, coalesce(CAST(x[SAFE_OFFSET(1)] AS FLOAT64),CAST(0.0e0 AS FLOAT64)) AS x1, coalesce(CAST(x[SAFE_OFFSET(2)] AS FLOAT64),CAST(0.0e0 AS FLOAT64)) AS x2, coalesce(CAST(x[SAFE_OFFSET(3)] AS FLOAT64),CAST(0.0e0 AS FLOAT64)) AS x3 FROM (SELECT `id` AS c0, `embedding` AS x FROM `documents`) s;
WITH cells0 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM sqlrp_temporary_0 CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS INT64) AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) counted),
features1 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS INT64) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
signs2 AS (SELECT c, f, sign FROM UNNEST([STRUCT(1 AS c, 0 AS f, 1 AS sign), STRUCT(0, 1, -1), STRUCT(3, 2, -1), STRUCT(3, 3, 1)])),
sums3 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE CAST(0.0e0 AS FLOAT64) - x END) AS x
FROM cells0 JOIN signs2 USING (f)
GROUP BY r, c),
features4 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS INT64) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
cells5 AS (SELECT r, f, x FROM sums3 UNION ALL
SELECT odd.r, e.f, CAST(0.0e0 AS FLOAT64) FROM (SELECT DISTINCT r FROM sums3 WHERE NOT (x - x = 0)) odd
CROSS JOIN features4 e
WHERE NOT EXISTS (SELECT 1 FROM sums3 k WHERE k.r = odd.r AND k.f = e.f)),
index_table6 AS (SELECT MOD((a.i + b.i), 2) AS c, a.i AS v0, b.i + 2 AS v1 FROM (SELECT i FROM UNNEST([STRUCT(0 AS i), STRUCT(1)])) a CROSS JOIN (SELECT i FROM UNNEST([STRUCT(0 AS i), STRUCT(1)])) b),
products7 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS FLOAT64)*CAST(k1.x AS FLOAT64)) AS x
FROM index_table6 i JOIN cells5 k0 ON k0.f = i.v0 JOIN cells5 k1 ON k1.f = i.v1 AND k0.r = k1.r
GROUP BY k0.r, i.c),
groups8 AS (SELECT c0 AS r, c0 FROM sqlrp_temporary_0 GROUP BY c0),
cells9 AS (SELECT s.c0 AS r, k.f AS f, CAST(SUM(k.x) AS FLOAT64) AS x FROM products7 k JOIN sqlrp_temporary_0 s ON k.r = s.r GROUP BY s.c0, k.f),
outputs10 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS INT64) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2),
result11 AS (SELECT s.r AS r, s.c0 AS c0, n.f AS f, coalesce(z.x, CAST(0.0e0 AS FLOAT64)) AS x
FROM groups8 s CROSS JOIN outputs10 n
LEFT JOIN cells9 z ON (z.r IS NOT DISTINCT FROM s.r) AND z.f = n.f)
SELECT c0 AS `id`, x0 AS z0, x1 AS z1
FROM (SELECT c0, MAX(CASE WHEN f = 0 THEN CAST(x AS FLOAT64) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS FLOAT64) END) AS x1 FROM result11 GROUP BY r, c0) s;


-- ======== redshift
-- 3 statements: run them in this order in one session. Statement 2 returns the rows.
CREATE TEMPORARY TABLE sqlrp_temporary_0 AS SELECT c0, row_number() OVER () AS r, coalesce(CAST(CAST(x[0] AS DOUBLE PRECISION) AS DOUBLE PRECISION),CAST('0.0' AS DOUBLE PRECISION)) AS x0, coalesce(CAST(CAST(x[1] AS DOUBLE PRECISION) AS DOUBLE PRECISION),CAST('0.0' AS DOUBLE PRECISION)) AS x1, coalesce(CAST(CAST(x[2] AS DOUBLE PRECISION) AS DOUBLE PRECISION),CAST('0.0' AS DOUBLE PRECISION)) AS x2, coalesce(CAST(CAST(x[3] AS DOUBLE PRECISION) AS DOUBLE PRECISION),CAST('0.0' AS DOUBLE PRECISION)) AS x3 FROM (SELECT "id" AS c0, "embedding" AS x FROM "documents") s;
WITH cells0 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM sqlrp_temporary_0 CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) counted),
features1 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
signs2 AS (SELECT 1 AS c, 0 AS f, 1 AS sign UNION ALL SELECT 0 AS c, 1 AS f, -1 AS sign UNION ALL SELECT 3 AS c, 2 AS f, -1 AS sign UNION ALL SELECT 3 AS c, 3 AS f, 1 AS sign),
sums3 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE CAST('0.0' AS DOUBLE PRECISION) - x END) AS x
FROM cells0 JOIN signs2 USING (f)
GROUP BY r, c),
features4 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
cells5 AS (SELECT r, f, x FROM sums3 UNION ALL
SELECT odd.r, e.f, CAST('0.0' AS DOUBLE PRECISION) FROM (SELECT DISTINCT r FROM sums3 WHERE NOT (x - x = 0)) odd
CROSS JOIN features4 e
WHERE NOT EXISTS (SELECT 1 FROM sums3 k WHERE k.r = odd.r AND k.f = e.f)),
index_table6 AS (SELECT ((a.i + b.i) % 2) AS c, a.i AS v0, b.i + 2 AS v1 FROM (SELECT 0 AS i UNION ALL SELECT 1 AS i) a CROSS JOIN (SELECT 0 AS i UNION ALL SELECT 1 AS i) b),
products7 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS DOUBLE PRECISION)*CAST(k1.x AS DOUBLE PRECISION)) AS x
FROM index_table6 i JOIN cells5 k0 ON k0.f = i.v0 JOIN cells5 k1 ON k1.f = i.v1 AND k0.r = k1.r
GROUP BY k0.r, i.c),
groups8 AS (SELECT c0 AS r, c0 FROM sqlrp_temporary_0 GROUP BY c0),
cells9 AS (SELECT s.c0 AS r, k.f AS f, CAST(SUM(k.x) AS DOUBLE PRECISION) AS x FROM products7 k JOIN sqlrp_temporary_0 s ON k.r = s.r GROUP BY s.c0, k.f),
outputs10 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2),
result11 AS (SELECT s.r AS r, s.c0 AS c0, n.f AS f, coalesce(z.x, CAST('0.0' AS DOUBLE PRECISION)) AS x
FROM groups8 s CROSS JOIN outputs10 n
LEFT JOIN cells9 z ON (z.r = s.r OR (z.r IS NULL AND s.r IS NULL)) AND z.f = n.f)
SELECT c0 AS "id", x0 AS z0, x1 AS z1
FROM (SELECT c0, MAX(CASE WHEN f = 0 THEN CAST(x AS DOUBLE PRECISION) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS DOUBLE PRECISION) END) AS x1 FROM result11 GROUP BY r, c0) s;
DROP TABLE IF EXISTS sqlrp_temporary_0;


-- ======== databricks
-- 3 statements: run them in this order in one session. Statement 2 returns the rows.
CREATE TABLE sqlrp_temporary_0 AS SELECT c0, monotonically_increasing_id() AS r, coalesce(CAST(x[0] AS DOUBLE),CAST(0.0e0 AS DOUBLE)) AS x0, coalesce(CAST(x[1] AS DOUBLE),CAST(0.0e0 AS DOUBLE)) AS x1, coalesce(CAST(x[2] AS DOUBLE),CAST(0.0e0 AS DOUBLE)) AS x2, coalesce(CAST(x[3] AS DOUBLE),CAST(0.0e0 AS DOUBLE)) AS x3 FROM (SELECT `id` AS c0, `embedding` AS x FROM `documents`) s;
WITH cells0 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM sqlrp_temporary_0 CROSS JOIN (SELECT id AS n FROM range(4)) counted),
features1 AS (SELECT id AS f FROM range(4)),
signs2 AS (SELECT c, f, sign FROM (VALUES (1, 0, 1), (0, 1, -1), (3, 2, -1), (3, 3, 1)) AS listed(c, f, sign)),
sums3 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE CAST(0.0e0 AS DOUBLE) - x END) AS x
FROM cells0 JOIN signs2 USING (f)
GROUP BY r, c),
features4 AS (SELECT id AS f FROM range(4)),
lists5 AS (SELECT r, transform(array(collect_list(struct(CAST(f AS INT) AS o, CAST(x AS DOUBLE) AS v)) FILTER (WHERE CAST(x AS DOUBLE) IS NOT NULL)), p -> CASE WHEN size(p) = 4 THEN sort_array(p).v ELSE sort_array(concat(p, transform(array_except(sequence(0, 3), p.o), o -> struct(o, CAST(0.0e0 AS DOUBLE) AS v)))).v END)[0] AS x FROM sums3 GROUP BY r),
index_table6 AS (SELECT ((a.i + b.i) % 2) AS c, a.i AS v0, b.i + 2 AS v1 FROM (SELECT i FROM (VALUES (0), (1)) AS listed(i)) a CROSS JOIN (SELECT i FROM (VALUES (0), (1)) AS listed(i)) b),
products7 AS (SELECT k.r AS r, i.c AS f, SUM(CAST(k.x[i.v0] AS DOUBLE)*CAST(k.x[i.v1] AS DOUBLE)) AS x FROM lists5 k CROSS JOIN index_table6 i GROUP BY k.r, i.c),
groups8 AS (SELECT c0 AS r, c0 FROM sqlrp_temporary_0 GROUP BY c0),
cells9 AS (SELECT s.c0 AS r, k.f AS f, CAST(SUM(k.x) AS DOUBLE) AS x FROM products7 k JOIN sqlrp_temporary_0 s ON k.r = s.r GROUP BY s.c0, k.f),
outputs10 AS (SELECT id AS f FROM range(2)),
result11 AS (SELECT s.r AS r, s.c0 AS c0, n.f AS f, coalesce(z.x, CAST(0.0e0 AS DOUBLE)) AS x
FROM groups8 s CROSS JOIN outputs10 n
LEFT JOIN cells9 z ON (z.r IS NOT DISTINCT FROM s.r) AND z.f = n.f)
SELECT c0 AS `id`, x0 AS z0, x1 AS z1
FROM (SELECT c0, MAX(CASE WHEN f = 0 THEN CAST(x AS DOUBLE) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS DOUBLE) END) AS x1 FROM result11 GROUP BY r, c0) s;
DROP TABLE IF EXISTS sqlrp_temporary_0;


-- ======== trino
-- 3 statements: run them in this order in one session. Statement 2 returns the rows.
CREATE TABLE sqlrp_temporary_0 AS SELECT c0, row_number() OVER () AS r, coalesce(CAST(element_at(x, 1) AS DOUBLE),CAST(0.0e0 AS DOUBLE)) AS x0, coalesce(CAST(element_at(x, 2) AS DOUBLE),CAST(0.0e0 AS DOUBLE)) AS x1, coalesce(CAST(element_at(x, 3) AS DOUBLE),CAST(0.0e0 AS DOUBLE)) AS x2, coalesce(CAST(element_at(x, 4) AS DOUBLE),CAST(0.0e0 AS DOUBLE)) AS x3 FROM (SELECT "id" AS c0, "embedding" AS x FROM "documents") s;
WITH cells0 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM sqlrp_temporary_0 CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) counted),
features1 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
signs2 AS (SELECT c, f, sign FROM (VALUES (1, 0, 1), (0, 1, -1), (3, 2, -1), (3, 3, 1)) AS listed(c, f, sign)),
sums3 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE CAST(0.0e0 AS DOUBLE) - x END) AS x
FROM cells0 JOIN signs2 USING (f)
GROUP BY r, c),
features4 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
cells5 AS (SELECT r, f, x FROM sums3 UNION ALL
SELECT odd.r, e.f, CAST(0.0e0 AS DOUBLE) FROM (SELECT DISTINCT r FROM sums3 WHERE NOT (x - x = 0)) odd
CROSS JOIN features4 e
WHERE NOT EXISTS (SELECT 1 FROM sums3 k WHERE k.r = odd.r AND k.f = e.f)),
index_table6 AS (SELECT ((a.i + b.i) % 2) AS c, a.i AS v0, b.i + 2 AS v1 FROM (SELECT i FROM (VALUES (0), (1)) AS listed(i)) a CROSS JOIN (SELECT i FROM (VALUES (0), (1)) AS listed(i)) b),
products7 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS DOUBLE)*CAST(k1.x AS DOUBLE)) AS x
FROM index_table6 i JOIN cells5 k0 ON k0.f = i.v0 JOIN cells5 k1 ON k1.f = i.v1 AND k0.r = k1.r
GROUP BY k0.r, i.c),
groups8 AS (SELECT c0 AS r, c0 FROM sqlrp_temporary_0 GROUP BY c0),
cells9 AS (SELECT s.c0 AS r, k.f AS f, CAST(SUM(k.x) AS DOUBLE) AS x FROM products7 k JOIN sqlrp_temporary_0 s ON k.r = s.r GROUP BY s.c0, k.f),
outputs10 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2),
result11 AS (SELECT s.r AS r, s.c0 AS c0, n.f AS f, coalesce(z.x, CAST(0.0e0 AS DOUBLE)) AS x
FROM groups8 s CROSS JOIN outputs10 n
LEFT JOIN cells9 z ON (z.r IS NOT DISTINCT FROM s.r) AND z.f = n.f)
SELECT c0 AS "id", x0 AS z0, x1 AS z1
FROM (SELECT c0, MAX(CASE WHEN f = 0 THEN CAST(x AS DOUBLE) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS DOUBLE) END) AS x1 FROM result11 GROUP BY r, c0) s;
DROP TABLE IF EXISTS sqlrp_temporary_0;


-- ======== sqlserver
-- 25 statements: run them in this order in one session. Statement 13 returns the rows.
SELECT * INTO #sqlrp_temporary_0 FROM (SELECT c0, row_number() OVER (ORDER BY (SELECT NULL)) AS r, coalesce(CAST(CAST(JSON_VALUE(x, '$[0]') AS FLOAT) AS FLOAT),CAST(0.0e0 AS FLOAT)) AS x0, coalesce(CAST(CAST(JSON_VALUE(x, '$[1]') AS FLOAT) AS FLOAT),CAST(0.0e0 AS FLOAT)) AS x1, coalesce(CAST(CAST(JSON_VALUE(x, '$[2]') AS FLOAT) AS FLOAT),CAST(0.0e0 AS FLOAT)) AS x2, coalesce(CAST(CAST(JSON_VALUE(x, '$[3]') AS FLOAT) AS FLOAT),CAST(0.0e0 AS FLOAT)) AS x3 FROM (SELECT [id] AS c0, CAST([embedding] AS NVARCHAR(MAX)) AS x FROM [documents]) s) s;
SELECT * INTO #sqlrp_temporary_1 FROM (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM #sqlrp_temporary_0 CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS n FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) counted) s;
SELECT * INTO #sqlrp_temporary_2 FROM (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) s;
SELECT * INTO #sqlrp_temporary_3 FROM (SELECT c, f, sign FROM (VALUES (1, 0, 1), (0, 1, -1), (3, 2, -1), (3, 3, 1)) AS listed(c, f, sign)) s;
SELECT * INTO #sqlrp_temporary_4 FROM (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE CAST(0.0e0 AS FLOAT) - x END) AS x
FROM #sqlrp_temporary_1 JOIN #sqlrp_temporary_3 ON #sqlrp_temporary_1.f = #sqlrp_temporary_3.f
GROUP BY r, c) s;
SELECT * INTO #sqlrp_temporary_5 FROM (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) s;
SELECT * INTO #sqlrp_temporary_6 FROM (SELECT ((a.i + b.i) % 2) AS c, a.i AS v0, b.i + 2 AS v1 FROM (SELECT i FROM (VALUES (0), (1)) AS listed(i)) a CROSS JOIN (SELECT i FROM (VALUES (0), (1)) AS listed(i)) b) s;
SELECT * INTO #sqlrp_temporary_7 FROM (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS FLOAT)*CAST(k1.x AS FLOAT)) AS x
FROM #sqlrp_temporary_6 i JOIN #sqlrp_temporary_4 k0 ON k0.f = i.v0 JOIN #sqlrp_temporary_4 k1 ON k1.f = i.v1 AND k0.r = k1.r
GROUP BY k0.r, i.c) s;
SELECT * INTO #sqlrp_temporary_8 FROM (SELECT c0 AS r, c0 FROM #sqlrp_temporary_0 GROUP BY c0) s;
SELECT * INTO #sqlrp_temporary_9 FROM (SELECT s.c0 AS r, k.f AS f, CAST(SUM(k.x) AS FLOAT) AS x FROM #sqlrp_temporary_7 k JOIN #sqlrp_temporary_0 s ON k.r = s.r GROUP BY s.c0, k.f) s;
SELECT * INTO #sqlrp_temporary_10 FROM (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2) s;
SELECT * INTO #sqlrp_temporary_11 FROM (SELECT s.r AS r, s.c0 AS c0, n.f AS f, coalesce(z.x, CAST(0.0e0 AS FLOAT)) AS x
FROM #sqlrp_temporary_8 s CROSS JOIN #sqlrp_temporary_10 n
LEFT JOIN #sqlrp_temporary_9 z ON EXISTS (SELECT z.r INTERSECT SELECT s.r) AND z.f = n.f) s;
SELECT c0 AS [id], x0 AS z0, x1 AS z1
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
CREATE PRIVATE TEMPORARY TABLE ORA$PTT_SQLRP_9ABB89EBB8AA_0 ON COMMIT PRESERVE DEFINITION AS SELECT c0, row_number() OVER (ORDER BY NULL) AS r, coalesce(CAST(CAST(JSON_VALUE(x, '$[0]' RETURNING NUMBER) AS BINARY_DOUBLE) AS BINARY_DOUBLE),CAST(0.0e0 AS BINARY_DOUBLE)) AS x0, coalesce(CAST(CAST(JSON_VALUE(x, '$[1]' RETURNING NUMBER) AS BINARY_DOUBLE) AS BINARY_DOUBLE),CAST(0.0e0 AS BINARY_DOUBLE)) AS x1, coalesce(CAST(CAST(JSON_VALUE(x, '$[2]' RETURNING NUMBER) AS BINARY_DOUBLE) AS BINARY_DOUBLE),CAST(0.0e0 AS BINARY_DOUBLE)) AS x2, coalesce(CAST(CAST(JSON_VALUE(x, '$[3]' RETURNING NUMBER) AS BINARY_DOUBLE) AS BINARY_DOUBLE),CAST(0.0e0 AS BINARY_DOUBLE)) AS x3 FROM (SELECT "id" AS c0, FROM_VECTOR("embedding" RETURNING CLOB) AS x FROM "documents") s;
WITH cells0 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM ORA$PTT_SQLRP_9ABB89EBB8AA_0 CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS NUMBER(19)) AS n FROM (SELECT 0 AS d FROM dual UNION ALL SELECT 1 FROM dual UNION ALL SELECT 2 FROM dual UNION ALL SELECT 3 FROM dual UNION ALL SELECT 4 FROM dual UNION ALL SELECT 5 FROM dual UNION ALL SELECT 6 FROM dual UNION ALL SELECT 7 FROM dual UNION ALL SELECT 8 FROM dual UNION ALL SELECT 9 FROM dual) d0 WHERE 1 * d0.d < 4) counted),
features1 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS NUMBER(19)) AS f FROM (SELECT 0 AS d FROM dual UNION ALL SELECT 1 FROM dual UNION ALL SELECT 2 FROM dual UNION ALL SELECT 3 FROM dual UNION ALL SELECT 4 FROM dual UNION ALL SELECT 5 FROM dual UNION ALL SELECT 6 FROM dual UNION ALL SELECT 7 FROM dual UNION ALL SELECT 8 FROM dual UNION ALL SELECT 9 FROM dual) d0 WHERE 1 * d0.d < 4),
signs2 AS (SELECT c, f, sign FROM (SELECT 1 AS c, 0 AS f, 1 AS sign FROM dual UNION ALL SELECT 0 AS c, 1 AS f, -1 AS sign FROM dual UNION ALL SELECT 3 AS c, 2 AS f, -1 AS sign FROM dual UNION ALL SELECT 3 AS c, 3 AS f, 1 AS sign FROM dual) s),
sums3 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE CAST(0.0e0 AS BINARY_DOUBLE) - x END) AS x
FROM cells0 JOIN signs2 USING (f)
GROUP BY r, c),
features4 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS NUMBER(19)) AS f FROM (SELECT 0 AS d FROM dual UNION ALL SELECT 1 FROM dual UNION ALL SELECT 2 FROM dual UNION ALL SELECT 3 FROM dual UNION ALL SELECT 4 FROM dual UNION ALL SELECT 5 FROM dual UNION ALL SELECT 6 FROM dual UNION ALL SELECT 7 FROM dual UNION ALL SELECT 8 FROM dual UNION ALL SELECT 9 FROM dual) d0 WHERE 1 * d0.d < 4),
cells5 AS (SELECT r, f, x FROM sums3 UNION ALL
SELECT odd.r, e.f, CAST(0.0e0 AS BINARY_DOUBLE) FROM (SELECT DISTINCT r FROM sums3 WHERE NOT (x - x = 0)) odd
CROSS JOIN features4 e
WHERE NOT EXISTS (SELECT 1 FROM sums3 k WHERE k.r = odd.r AND k.f = e.f)),
index_table6 AS (SELECT MOD((a.i + b.i), 2) AS c, a.i AS v0, b.i + 2 AS v1 FROM (SELECT i FROM (SELECT 0 AS i FROM dual UNION ALL SELECT 1 AS i FROM dual) s) a CROSS JOIN (SELECT i FROM (SELECT 0 AS i FROM dual UNION ALL SELECT 1 AS i FROM dual) s) b),
products7 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS BINARY_DOUBLE)*CAST(k1.x AS BINARY_DOUBLE)) AS x
FROM index_table6 i JOIN cells5 k0 ON k0.f = i.v0 JOIN cells5 k1 ON k1.f = i.v1 AND k0.r = k1.r
GROUP BY k0.r, i.c),
groups8 AS (SELECT c0 AS r, c0 FROM ORA$PTT_SQLRP_9ABB89EBB8AA_0 GROUP BY c0),
cells9 AS (SELECT s.c0 AS r, k.f AS f, CAST(SUM(k.x) AS BINARY_DOUBLE) AS x FROM products7 k JOIN ORA$PTT_SQLRP_9ABB89EBB8AA_0 s ON k.r = s.r GROUP BY s.c0, k.f),
outputs10 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS NUMBER(19)) AS f FROM (SELECT 0 AS d FROM dual UNION ALL SELECT 1 FROM dual UNION ALL SELECT 2 FROM dual UNION ALL SELECT 3 FROM dual UNION ALL SELECT 4 FROM dual UNION ALL SELECT 5 FROM dual UNION ALL SELECT 6 FROM dual UNION ALL SELECT 7 FROM dual UNION ALL SELECT 8 FROM dual UNION ALL SELECT 9 FROM dual) d0 WHERE 1 * d0.d < 2),
result11 AS (SELECT s.r AS r, s.c0 AS c0, n.f AS f, coalesce(z.x, CAST(0.0e0 AS BINARY_DOUBLE)) AS x
FROM groups8 s CROSS JOIN outputs10 n
LEFT JOIN cells9 z ON (z.r = s.r OR (z.r IS NULL AND s.r IS NULL)) AND z.f = n.f)
SELECT c0 AS "id", x0 AS z0, x1 AS z1
FROM (SELECT c0, MAX(CASE WHEN f = 0 THEN CAST(x AS BINARY_DOUBLE) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS BINARY_DOUBLE) END) AS x1 FROM result11 GROUP BY r, c0) s;
DROP TABLE ORA$PTT_SQLRP_9ABB89EBB8AA_0;


-- ======== generic
-- UnsupportedError: generic has no array columns, so Array(…) is not supported: use Wide(…) or Long(…)
