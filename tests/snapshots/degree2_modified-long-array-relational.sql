-- Degree2KernelProjection(k=2, s=1, seed=1, m=2, modified=True)
-- long rows of decimals; output = 'array', nulls = 'zero', scale = True, lowering = 'relational'

-- ======== duckdb
WITH source0 AS MATERIALIZED (SELECT r, r AS c0 FROM (SELECT "doc" AS r FROM "counts" GROUP BY "doc") s),
cells1 AS MATERIALIZED (SELECT "doc" AS r, CASE WHEN "feature" BETWEEN 0 AND 3 THEN "feature" WHEN "feature" IS NOT NULL THEN error('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features') END AS f, CAST("value" AS DOUBLE) AS x FROM "counts"),
features2 AS MATERIALIZED (SELECT CAST(range AS BIGINT) AS f FROM range(4)),
cells3 AS MATERIALIZED (SELECT r, f, x FROM cells1 UNION ALL
SELECT odd.r, e.f, 0.0e0 FROM (SELECT DISTINCT r FROM cells1 WHERE NOT isfinite(x)) odd
CROSS JOIN features2 e
WHERE NOT EXISTS (SELECT 1 FROM cells1 k WHERE (k.r IS NOT DISTINCT FROM odd.r) AND k.f = e.f)),
cells4 AS MATERIALIZED (SELECT r, f, x FROM cells3 UNION ALL SELECT r, -1, 1.0e0 FROM source0),
index_table5 AS MATERIALIZED (SELECT unnest(CAST(string_split(concat('0,1,2,3,4,5,6,7', t), ',') AS BIGINT[])) AS c, unnest(CAST(string_split(concat('0,1,2,3,0,1,2,3', t), ',') AS BIGINT[])) AS v0, unnest(CAST(string_split(concat('-1,-1,-1,-1,0,1,2,3', t), ',') AS BIGINT[])) AS v1 FROM (VALUES ('')) v(t)),
products6 AS MATERIALIZED (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS DOUBLE)*CAST(k1.x AS DOUBLE)) AS x
FROM index_table5 i JOIN cells4 k0 ON k0.f = i.v0 JOIN cells4 k1 ON k1.f = i.v1 AND (k0.r IS NOT DISTINCT FROM k1.r)
GROUP BY k0.r, i.c),
features7 AS MATERIALIZED (SELECT CAST(range AS BIGINT) AS f FROM range(8)),
signs8 AS MATERIALIZED (SELECT unnest(CAST(string_split(concat('0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3', t), ',') AS BIGINT[])) AS c, unnest(CAST(string_split(concat('0,0,0,0,1,1,1,1,2,2,2,2,3,3,3,3', t), ',') AS BIGINT[])) AS f, unnest(CAST(string_split(concat('-1,1,-1,1,1,1,1,-1,1,-1,-1,-1,1,-1,-1,-1', t), ',') AS BIGINT[])) AS sign FROM (VALUES ('')) v(t)),
sums9 AS MATERIALIZED (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM products6 JOIN signs8 USING (f)
GROUP BY r, c),
features10 AS MATERIALIZED (SELECT CAST(range AS BIGINT) AS f FROM range(6)),
cells11 AS MATERIALIZED (SELECT r, f, x FROM sums9 UNION ALL
SELECT odd.r, e.f, 0.0e0 FROM (SELECT DISTINCT r FROM sums9 WHERE NOT isfinite(x)) odd
CROSS JOIN features10 e
WHERE NOT EXISTS (SELECT 1 FROM sums9 k WHERE (k.r IS NOT DISTINCT FROM odd.r) AND k.f = e.f)),
cells12 AS MATERIALIZED (SELECT r, f, x FROM cells11 UNION ALL SELECT r, -1, 1.0e0 FROM source0),
index_table13 AS MATERIALIZED (SELECT unnest(CAST(string_split(concat('0,0,0,1,1,1', t), ',') AS BIGINT[])) AS c, unnest(CAST(string_split(concat('0,1,4,2,3,5', t), ',') AS BIGINT[])) AS v0, unnest(CAST(string_split(concat('0,1,-1,2,3,-1', t), ',') AS BIGINT[])) AS v1, unnest(CAST(string_split(concat('1,-1,1,1,-1,1', t), ',') AS BIGINT[])) AS w FROM (VALUES ('')) v(t)),
products14 AS MATERIALIZED (SELECT k0.r AS r, i.c AS f, SUM(CAST(i.w AS DOUBLE)*CAST(k0.x AS DOUBLE)*CAST(k1.x AS DOUBLE)) AS x
FROM index_table13 i JOIN cells12 k0 ON k0.f = i.v0 JOIN cells12 k1 ON k1.f = i.v1 AND (k0.r IS NOT DISTINCT FROM k1.r)
GROUP BY k0.r, i.c)
SELECT c0 AS "doc", CAST(list_transform(x, lambda e: 0.353553391*e) AS DOUBLE[2]) AS z
FROM (SELECT s.c0 AS c0, list_transform(range(2), lambda e: coalesce(z.x[list_position(z.f, CAST(e AS SMALLINT))], 0.0e0)) AS x
FROM source0 s LEFT JOIN (SELECT r, list(CAST(f AS SMALLINT)) AS f, list(CAST(x AS DOUBLE)) AS x FROM products14 GROUP BY r) z ON (z.r IS NOT DISTINCT FROM s.r)) s

-- ======== postgresql
WITH source0 AS MATERIALIZED (SELECT r, r AS c0 FROM (SELECT "doc" AS r FROM "counts" GROUP BY "doc") s),
cells1 AS MATERIALIZED (SELECT "doc" AS r, CASE WHEN "feature" BETWEEN 0 AND 3 THEN "feature" WHEN "feature" IS NOT NULL THEN CAST('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features' || left(CAST(clock_timestamp() AS text), 0) AS bigint) END AS f, CAST("value" AS double precision) AS x FROM "counts"),
features2 AS MATERIALIZED (SELECT f FROM generate_series(CAST(0 AS bigint), 3) g(f)),
cells3 AS MATERIALIZED (SELECT r, f, x FROM cells1 UNION ALL
SELECT odd.r, e.f, CAST('0.0' AS double precision) FROM (SELECT DISTINCT r FROM cells1 WHERE NOT (x NOT IN ('NaN', 'Infinity', '-Infinity'))) odd
CROSS JOIN features2 e
WHERE NOT EXISTS (SELECT 1 FROM cells1 k WHERE ARRAY[k.r] = ARRAY[odd.r] AND k.f = e.f)),
cells4 AS MATERIALIZED (SELECT r, f, x FROM cells3 UNION ALL SELECT r, -1, CAST('1.0' AS double precision) FROM source0),
index_table5 AS MATERIALIZED (SELECT unnest(CAST('{0,1,2,3,4,5,6,7}' AS bigint[])) AS c, unnest(CAST('{0,1,2,3,0,1,2,3}' AS bigint[])) AS v0, unnest(CAST('{-1,-1,-1,-1,0,1,2,3}' AS bigint[])) AS v1),
products6 AS MATERIALIZED (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS double precision)*CAST(k1.x AS double precision)) AS x
FROM index_table5 i JOIN cells4 k0 ON k0.f = i.v0 JOIN cells4 k1 ON k1.f = i.v1 AND ARRAY[k0.r] = ARRAY[k1.r]
GROUP BY k0.r, i.c),
features7 AS MATERIALIZED (SELECT f FROM generate_series(CAST(0 AS bigint), 7) g(f)),
signs8 AS MATERIALIZED (SELECT unnest(CAST('{0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3}' AS bigint[])) AS c, unnest(CAST('{0,0,0,0,1,1,1,1,2,2,2,2,3,3,3,3}' AS bigint[])) AS f, unnest(CAST('{-1,1,-1,1,1,1,1,-1,1,-1,-1,-1,1,-1,-1,-1}' AS bigint[])) AS sign),
sums9 AS MATERIALIZED (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE CAST('0.0' AS double precision) - x END) AS x
FROM products6 JOIN signs8 USING (f)
GROUP BY r, c),
features10 AS MATERIALIZED (SELECT f FROM generate_series(CAST(0 AS bigint), 5) g(f)),
cells11 AS MATERIALIZED (SELECT r, f, x FROM sums9 UNION ALL
SELECT odd.r, e.f, CAST('0.0' AS double precision) FROM (SELECT DISTINCT r FROM sums9 WHERE NOT (x NOT IN ('NaN', 'Infinity', '-Infinity'))) odd
CROSS JOIN features10 e
WHERE NOT EXISTS (SELECT 1 FROM sums9 k WHERE ARRAY[k.r] = ARRAY[odd.r] AND k.f = e.f)),
cells12 AS MATERIALIZED (SELECT r, f, x FROM cells11 UNION ALL SELECT r, -1, CAST('1.0' AS double precision) FROM source0),
index_table13 AS MATERIALIZED (SELECT unnest(CAST('{0,0,0,1,1,1}' AS bigint[])) AS c, unnest(CAST('{0,1,4,2,3,5}' AS bigint[])) AS v0, unnest(CAST('{0,1,-1,2,3,-1}' AS bigint[])) AS v1, unnest(CAST('{1,-1,1,1,-1,1}' AS bigint[])) AS w),
products14 AS MATERIALIZED (SELECT k0.r AS r, i.c AS f, SUM(CAST(i.w AS double precision)*CAST(k0.x AS double precision)*CAST(k1.x AS double precision)) AS x
FROM index_table13 i JOIN cells12 k0 ON k0.f = i.v0 JOIN cells12 k1 ON k1.f = i.v1 AND ARRAY[k0.r] = ARRAY[k1.r]
GROUP BY k0.r, i.c),
outputs15 AS MATERIALIZED (SELECT f FROM generate_series(CAST(0 AS bigint), 1) g(f)),
result16 AS MATERIALIZED (SELECT s.r AS r, n.f AS f, coalesce(z.x, CAST('0.0' AS double precision)) AS x
FROM source0 s CROSS JOIN outputs15 n
LEFT JOIN products14 z ON ARRAY[z.r] = ARRAY[s.r] AND z.f = n.f)
SELECT c0 AS "doc", ARRAY(SELECT CAST('0.353553391' AS double precision)*e FROM unnest(x) WITH ORDINALITY AS u(e, o) ORDER BY o) AS z
FROM (SELECT s.c0 AS c0, z.x AS x FROM source0 s JOIN (SELECT r, array_agg(CAST(x AS double precision) ORDER BY f) AS x FROM result16 GROUP BY r) z ON ARRAY[z.r] = ARRAY[s.r]) s

-- ======== sqlite
-- UnsupportedError: output = 'array' is not supported: sqlite has no arrays; use 'columns' or 'long'

-- ======== mariadb
-- UnsupportedError: output = 'array' is not supported: mariadb has no arrays; use 'columns' or 'long'

-- ======== mysql
-- UnsupportedError: output = 'array' is not supported: mysql has no arrays; use 'columns' or 'long'

-- ======== clickhouse
-- 35 statements: run them in this order in one session. Statement 18 returns the rows.
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_0 ENGINE = Memory AS SELECT r, r AS c0 FROM (SELECT `doc` AS r FROM `counts` GROUP BY `doc`) s
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_1 ENGINE = Memory AS SELECT `doc` AS r, CASE WHEN `feature` BETWEEN 0 AND 3 THEN `feature` WHEN `feature` IS NOT NULL THEN throwIf(1, 'sqlrp: a feature in \'feature\' is outside 0 ... 3: positions count from 0; raise n_features') END AS f, CAST(`value` AS Float64) AS x FROM `counts`
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_2 ENGINE = Memory AS SELECT toInt64(number) AS f FROM numbers(4)
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_3 ENGINE = Memory AS SELECT r, f, x FROM sqlrp_temporary_1 UNION ALL
SELECT odd.r, e.f, 0.0e0 FROM (SELECT DISTINCT r FROM sqlrp_temporary_1 WHERE NOT isFinite(x)) odd
CROSS JOIN sqlrp_temporary_2 e
WHERE NOT EXISTS (SELECT 1 FROM sqlrp_temporary_1 k WHERE (k.r IS NOT DISTINCT FROM odd.r) AND k.f = e.f)
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_4 ENGINE = Memory AS SELECT r, f, x FROM sqlrp_temporary_3 UNION ALL SELECT r, -1, 1.0e0 FROM sqlrp_temporary_0
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_5 ENGINE = Memory AS SELECT c, v0, v1 FROM (SELECT CAST('[0, 1, 2, 3, 4, 5, 6, 7]' AS Array(Int64)) AS c, CAST('[0, 1, 2, 3, 0, 1, 2, 3]' AS Array(Int64)) AS v0, CAST('[-1, -1, -1, -1, 0, 1, 2, 3]' AS Array(Int64)) AS v1) s ARRAY JOIN c, v0, v1
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_6 ENGINE = Memory AS SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS Float64)*CAST(k1.x AS Float64)) AS x
FROM sqlrp_temporary_5 i JOIN sqlrp_temporary_4 k0 ON k0.f = i.v0 JOIN sqlrp_temporary_4 k1 ON k1.f = i.v1 AND (k0.r IS NOT DISTINCT FROM k1.r)
GROUP BY k0.r, i.c
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_7 ENGINE = Memory AS SELECT toInt64(number) AS f FROM numbers(8)
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_8 ENGINE = Memory AS SELECT c, f, sign FROM (SELECT CAST('[0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3]' AS Array(Int64)) AS c, CAST('[0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]' AS Array(Int64)) AS f, CAST('[-1, 1, -1, 1, 1, 1, 1, -1, 1, -1, -1, -1, 1, -1, -1, -1]' AS Array(Int64)) AS sign) s ARRAY JOIN c, f, sign
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_9 ENGINE = Memory AS SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM sqlrp_temporary_6 JOIN sqlrp_temporary_8 USING (f)
GROUP BY r, c
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_10 ENGINE = Memory AS SELECT toInt64(number) AS f FROM numbers(6)
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_11 ENGINE = Memory AS SELECT r, f, x FROM sqlrp_temporary_9 UNION ALL
SELECT odd.r, e.f, 0.0e0 FROM (SELECT DISTINCT r FROM sqlrp_temporary_9 WHERE NOT isFinite(x)) odd
CROSS JOIN sqlrp_temporary_10 e
WHERE NOT EXISTS (SELECT 1 FROM sqlrp_temporary_9 k WHERE (k.r IS NOT DISTINCT FROM odd.r) AND k.f = e.f)
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_12 ENGINE = Memory AS SELECT r, f, x FROM sqlrp_temporary_11 UNION ALL SELECT r, -1, 1.0e0 FROM sqlrp_temporary_0
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_13 ENGINE = Memory AS SELECT c, v0, v1, w FROM (SELECT CAST('[0, 0, 0, 1, 1, 1]' AS Array(Int64)) AS c, CAST('[0, 1, 4, 2, 3, 5]' AS Array(Int64)) AS v0, CAST('[0, 1, -1, 2, 3, -1]' AS Array(Int64)) AS v1, CAST('[1, -1, 1, 1, -1, 1]' AS Array(Int64)) AS w) s ARRAY JOIN c, v0, v1, w
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_14 ENGINE = Memory AS SELECT k0.r AS r, i.c AS f, SUM(CAST(i.w AS Float64)*CAST(k0.x AS Float64)*CAST(k1.x AS Float64)) AS x
FROM sqlrp_temporary_13 i JOIN sqlrp_temporary_12 k0 ON k0.f = i.v0 JOIN sqlrp_temporary_12 k1 ON k1.f = i.v1 AND (k0.r IS NOT DISTINCT FROM k1.r)
GROUP BY k0.r, i.c
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_15 ENGINE = Memory AS SELECT toInt64(number) AS f FROM numbers(2)
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_16 ENGINE = Memory AS SELECT s.r AS r, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM sqlrp_temporary_0 s CROSS JOIN sqlrp_temporary_15 n
LEFT JOIN sqlrp_temporary_14 z ON (z.r IS NOT DISTINCT FROM s.r) AND z.f = n.f
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
SELECT c0 AS `doc`, arrayMap(e -> 0.353553391*e, x) AS z
FROM (SELECT s.c0 AS c0, z.x AS x FROM sqlrp_temporary_0 s JOIN (SELECT r, arrayMap(p -> p.2, arraySort(p -> p.1, groupArray((f, CAST(x AS Float64))))) AS x FROM sqlrp_temporary_16 GROUP BY r) z ON (z.r IS NOT DISTINCT FROM s.r)) s
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
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
WITH source0 AS (SELECT r, r AS c0 FROM (SELECT `doc` AS r FROM `counts` GROUP BY `doc`) s),
cells1 AS (SELECT `doc` AS r, CASE WHEN `feature` BETWEEN 0 AND 3 THEN `feature` WHEN `feature` IS NOT NULL THEN raise_error('sqlrp: a feature in \'feature\' is outside 0 ... 3: positions count from 0; raise n_features') END AS f, CAST(`value` AS DOUBLE) AS x FROM `counts`),
features2 AS (SELECT id AS f FROM range(4)),
cells3 AS (SELECT r, f, SUM(x) AS x FROM cells1 GROUP BY r, f),
lists4 AS (SELECT r, transform(array(collect_list(struct(CAST(f AS INT) AS o, CAST(x AS DOUBLE) AS v)) FILTER (WHERE CAST(x AS DOUBLE) IS NOT NULL)), p -> CASE WHEN size(p) = 4 THEN sort_array(p).v ELSE sort_array(concat(p, transform(array_except(sequence(0, 3), p.o), o -> struct(o, 0.0e0 AS v)))).v END)[0] AS x FROM cells3 GROUP BY r),
index_table5 AS (SELECT inline(arrays_zip(from_json('[0, 1, 2, 3, 4, 5, 6, 7]', 'ARRAY<BIGINT>'), from_json('[0, 1, 2, 3, 0, 1, 2, 3]', 'ARRAY<BIGINT>'), from_json('[4, 4, 4, 4, 0, 1, 2, 3]', 'ARRAY<BIGINT>'))) AS (c, v0, v1)),
products6 AS (SELECT k.r AS r, i.c AS f, SUM(CAST(coalesce(get(k.x, i.v0), 1.0e0) AS DOUBLE)*CAST(coalesce(get(k.x, i.v1), 1.0e0) AS DOUBLE)) AS x FROM lists4 k CROSS JOIN index_table5 i GROUP BY k.r, i.c),
features7 AS (SELECT id AS f FROM range(8)),
signs8 AS (SELECT inline(arrays_zip(from_json('[0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3]', 'ARRAY<BIGINT>'), from_json('[0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]', 'ARRAY<BIGINT>'), from_json('[-1, 1, -1, 1, 1, 1, 1, -1, 1, -1, -1, -1, 1, -1, -1, -1]', 'ARRAY<BIGINT>'))) AS (c, f, sign)),
sums9 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM products6 JOIN signs8 USING (f)
GROUP BY r, c),
features10 AS (SELECT id AS f FROM range(6)),
lists11 AS (SELECT r, transform(array(collect_list(struct(CAST(f AS INT) AS o, CAST(x AS DOUBLE) AS v)) FILTER (WHERE CAST(x AS DOUBLE) IS NOT NULL)), p -> CASE WHEN size(p) = 6 THEN sort_array(p).v ELSE sort_array(concat(p, transform(array_except(sequence(0, 5), p.o), o -> struct(o, 0.0e0 AS v)))).v END)[0] AS x FROM sums9 GROUP BY r),
index_table12 AS (SELECT inline(arrays_zip(from_json('[0, 0, 0, 1, 1, 1]', 'ARRAY<BIGINT>'), from_json('[0, 1, 4, 2, 3, 5]', 'ARRAY<BIGINT>'), from_json('[0, 1, 6, 2, 3, 6]', 'ARRAY<BIGINT>'), from_json('[1, -1, 1, 1, -1, 1]', 'ARRAY<BIGINT>'))) AS (c, v0, v1, w)),
products13 AS (SELECT k.r AS r, i.c AS f, SUM(CAST(i.w AS DOUBLE)*CAST(coalesce(get(k.x, i.v0), 1.0e0) AS DOUBLE)*CAST(coalesce(get(k.x, i.v1), 1.0e0) AS DOUBLE)) AS x FROM lists11 k CROSS JOIN index_table12 i GROUP BY k.r, i.c)
SELECT c0 AS `doc`, transform(x, e -> 0.353553391*e) AS z
FROM (SELECT s.c0 AS c0, coalesce(z.x, array_repeat(0.0e0, 2)) AS x
FROM source0 s LEFT JOIN (SELECT r, transform(array(collect_list(struct(CAST(f AS INT) AS o, CAST(x AS DOUBLE) AS v)) FILTER (WHERE CAST(x AS DOUBLE) IS NOT NULL)), p -> CASE WHEN size(p) = 2 THEN sort_array(p).v ELSE sort_array(concat(p, transform(array_except(sequence(0, 1), p.o), o -> struct(o, 0.0e0 AS v)))).v END)[0] AS x FROM products13 GROUP BY r) z ON (z.r <=> s.r)) s

-- ======== snowflake
WITH source0 AS (SELECT r, r AS c0 FROM (SELECT "doc" AS r FROM "counts" GROUP BY "doc") s),
cells1 AS (SELECT "doc" AS r, CASE WHEN "feature" BETWEEN 0 AND 3 THEN "feature" WHEN "feature" IS NOT NULL THEN CAST(concat('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features', substr(CAST(CASE WHEN "feature" > 0 THEN 1 ELSE 0 END AS VARCHAR), 1, 0)) AS BIGINT) END AS f, CAST("value" AS DOUBLE) AS x FROM "counts"),
features2 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
cells3 AS (SELECT r, f, x FROM cells1 UNION ALL
SELECT odd.r, e.f, 0.0e0 FROM (SELECT DISTINCT r FROM cells1 WHERE NOT (x - x = 0)) odd
CROSS JOIN features2 e
WHERE NOT EXISTS (SELECT 1 FROM cells1 k WHERE (k.r IS NOT DISTINCT FROM odd.r) AND k.f = e.f)),
cells4 AS (SELECT r, f, x FROM cells3 UNION ALL SELECT r, -1, 1.0e0 FROM source0),
index_table5 AS (SELECT c, v0, v1 FROM (VALUES (0, 0, -1), (1, 1, -1), (2, 2, -1), (3, 3, -1), (4, 0, 0), (5, 1, 1), (6, 2, 2), (7, 3, 3)) AS listed(c, v0, v1)),
products6 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS DOUBLE)*CAST(k1.x AS DOUBLE)) AS x
FROM index_table5 i JOIN cells4 k0 ON k0.f = i.v0 JOIN cells4 k1 ON k1.f = i.v1 AND (k0.r IS NOT DISTINCT FROM k1.r)
GROUP BY k0.r, i.c),
features7 AS (SELECT CAST(CASE WHEN 1 * d0.d < 8 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 8),
signs8 AS (SELECT c, f, sign FROM (VALUES (0, 0, -1), (1, 0, 1), (2, 0, -1), (3, 0, 1), (0, 1, 1), (1, 1, 1), (2, 1, 1), (3, 1, -1), (0, 2, 1), (1, 2, -1), (2, 2, -1), (3, 2, -1), (0, 3, 1), (1, 3, -1), (2, 3, -1), (3, 3, -1)) AS listed(c, f, sign)),
sums9 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM products6 JOIN signs8 USING (f)
GROUP BY r, c),
features10 AS (SELECT CAST(CASE WHEN 1 * d0.d < 6 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 6),
cells11 AS (SELECT r, f, x FROM sums9 UNION ALL
SELECT odd.r, e.f, 0.0e0 FROM (SELECT DISTINCT r FROM sums9 WHERE NOT (x - x = 0)) odd
CROSS JOIN features10 e
WHERE NOT EXISTS (SELECT 1 FROM sums9 k WHERE (k.r IS NOT DISTINCT FROM odd.r) AND k.f = e.f)),
cells12 AS (SELECT r, f, x FROM cells11 UNION ALL SELECT r, -1, 1.0e0 FROM source0),
index_table13 AS (SELECT c, v0, v1, w FROM (VALUES (0, 0, 0, 1), (0, 1, 1, -1), (0, 4, -1, 1), (1, 2, 2, 1), (1, 3, 3, -1), (1, 5, -1, 1)) AS listed(c, v0, v1, w)),
products14 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(i.w AS DOUBLE)*CAST(k0.x AS DOUBLE)*CAST(k1.x AS DOUBLE)) AS x
FROM index_table13 i JOIN cells12 k0 ON k0.f = i.v0 JOIN cells12 k1 ON k1.f = i.v1 AND (k0.r IS NOT DISTINCT FROM k1.r)
GROUP BY k0.r, i.c),
outputs15 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2),
result16 AS (SELECT s.r AS r, s.c0 AS c0, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM source0 s CROSS JOIN outputs15 n
LEFT JOIN products14 z ON (z.r IS NOT DISTINCT FROM s.r) AND z.f = n.f)
SELECT c0 AS "doc", ARRAY_CONSTRUCT(0.353553391*x0, 0.353553391*x1) AS z
FROM (SELECT c0, MAX(CASE WHEN f = 0 THEN CAST(x AS DOUBLE) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS DOUBLE) END) AS x1 FROM result16 GROUP BY r, c0) s

-- ======== bigquery
WITH source0 AS (SELECT r, r AS c0 FROM (SELECT `doc` AS r FROM `counts` GROUP BY `doc`) s),
cells1 AS (SELECT `doc` AS r, CASE WHEN `feature` BETWEEN 0 AND 3 THEN `feature` WHEN `feature` IS NOT NULL THEN ERROR('sqlrp: a feature in \'feature\' is outside 0 ... 3: positions count from 0; raise n_features') END AS f, CAST(`value` AS FLOAT64) AS x FROM `counts`),
features2 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS INT64) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
cells3 AS (SELECT r, f, x FROM cells1 UNION ALL
SELECT odd.r, e.f, 0.0e0 FROM (SELECT DISTINCT r FROM cells1 WHERE NOT (x - x = 0)) odd
CROSS JOIN features2 e
WHERE NOT EXISTS (SELECT 1 FROM cells1 k WHERE (k.r IS NOT DISTINCT FROM odd.r) AND k.f = e.f)),
cells4 AS (SELECT r, f, x FROM cells3 UNION ALL SELECT r, -1, 1.0e0 FROM source0),
index_table5 AS (SELECT c, v0, v1 FROM UNNEST([STRUCT(0 AS c, 0 AS v0, -1 AS v1), STRUCT(1, 1, -1), STRUCT(2, 2, -1), STRUCT(3, 3, -1), STRUCT(4, 0, 0), STRUCT(5, 1, 1), STRUCT(6, 2, 2), STRUCT(7, 3, 3)])),
products6 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS FLOAT64)*CAST(k1.x AS FLOAT64)) AS x
FROM index_table5 i JOIN cells4 k0 ON k0.f = i.v0 JOIN cells4 k1 ON k1.f = i.v1 AND (k0.r IS NOT DISTINCT FROM k1.r)
GROUP BY k0.r, i.c),
features7 AS (SELECT CAST(CASE WHEN 1 * d0.d < 8 THEN 1 * d0.d END AS INT64) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 8),
signs8 AS (SELECT c, f, sign FROM UNNEST([STRUCT(0 AS c, 0 AS f, -1 AS sign), STRUCT(1, 0, 1), STRUCT(2, 0, -1), STRUCT(3, 0, 1), STRUCT(0, 1, 1), STRUCT(1, 1, 1), STRUCT(2, 1, 1), STRUCT(3, 1, -1), STRUCT(0, 2, 1), STRUCT(1, 2, -1), STRUCT(2, 2, -1), STRUCT(3, 2, -1), STRUCT(0, 3, 1), STRUCT(1, 3, -1), STRUCT(2, 3, -1), STRUCT(3, 3, -1)])),
sums9 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM products6 JOIN signs8 USING (f)
GROUP BY r, c),
features10 AS (SELECT CAST(CASE WHEN 1 * d0.d < 6 THEN 1 * d0.d END AS INT64) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 6),
cells11 AS (SELECT r, f, x FROM sums9 UNION ALL
SELECT odd.r, e.f, 0.0e0 FROM (SELECT DISTINCT r FROM sums9 WHERE NOT (x - x = 0)) odd
CROSS JOIN features10 e
WHERE NOT EXISTS (SELECT 1 FROM sums9 k WHERE (k.r IS NOT DISTINCT FROM odd.r) AND k.f = e.f)),
cells12 AS (SELECT r, f, x FROM cells11 UNION ALL SELECT r, -1, 1.0e0 FROM source0),
index_table13 AS (SELECT c, v0, v1, w FROM UNNEST([STRUCT(0 AS c, 0 AS v0, 0 AS v1, 1 AS w), STRUCT(0, 1, 1, -1), STRUCT(0, 4, -1, 1), STRUCT(1, 2, 2, 1), STRUCT(1, 3, 3, -1), STRUCT(1, 5, -1, 1)])),
products14 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(i.w AS FLOAT64)*CAST(k0.x AS FLOAT64)*CAST(k1.x AS FLOAT64)) AS x
FROM index_table13 i JOIN cells12 k0 ON k0.f = i.v0 JOIN cells12 k1 ON k1.f = i.v1 AND (k0.r IS NOT DISTINCT FROM k1.r)
GROUP BY k0.r, i.c),
outputs15 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS INT64) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2),
result16 AS (SELECT s.r AS r, s.c0 AS c0, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM source0 s CROSS JOIN outputs15 n
LEFT JOIN products14 z ON (z.r IS NOT DISTINCT FROM s.r) AND z.f = n.f)
SELECT c0 AS `doc`, ARRAY[0.353553391*x0, 0.353553391*x1] AS z
FROM (SELECT c0, MAX(CASE WHEN f = 0 THEN CAST(x AS FLOAT64) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS FLOAT64) END) AS x1 FROM result16 GROUP BY r, c0) s

-- ======== redshift
WITH source0 AS (SELECT r, r AS c0 FROM (SELECT "doc" AS r FROM "counts" GROUP BY "doc") s),
cells1 AS (SELECT "doc" AS r, CASE WHEN "feature" BETWEEN 0 AND 3 THEN "feature" WHEN "feature" IS NOT NULL THEN CAST(concat('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features', substr(CAST(CASE WHEN "feature" > 0 THEN 1 ELSE 0 END AS VARCHAR), 1, 0)) AS BIGINT) END AS f, CAST("value" AS DOUBLE PRECISION) AS x FROM "counts"),
features2 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
cells3 AS (SELECT r, f, x FROM cells1 UNION ALL
SELECT odd.r, e.f, CAST('0.0' AS DOUBLE PRECISION) FROM (SELECT DISTINCT r FROM cells1 WHERE NOT (x - x = 0)) odd
CROSS JOIN features2 e
WHERE NOT EXISTS (SELECT 1 FROM cells1 k WHERE (k.r = odd.r OR (k.r IS NULL AND odd.r IS NULL)) AND k.f = e.f)),
cells4 AS (SELECT r, f, x FROM cells3 UNION ALL SELECT r, -1, CAST('1.0' AS DOUBLE PRECISION) FROM source0),
index_table5 AS (SELECT 0 AS c, 0 AS v0, -1 AS v1 UNION ALL SELECT 1 AS c, 1 AS v0, -1 AS v1 UNION ALL SELECT 2 AS c, 2 AS v0, -1 AS v1 UNION ALL SELECT 3 AS c, 3 AS v0, -1 AS v1 UNION ALL SELECT 4 AS c, 0 AS v0, 0 AS v1 UNION ALL SELECT 5 AS c, 1 AS v0, 1 AS v1 UNION ALL SELECT 6 AS c, 2 AS v0, 2 AS v1 UNION ALL SELECT 7 AS c, 3 AS v0, 3 AS v1),
products6 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS DOUBLE PRECISION)*CAST(k1.x AS DOUBLE PRECISION)) AS x
FROM index_table5 i JOIN cells4 k0 ON k0.f = i.v0 JOIN cells4 k1 ON k1.f = i.v1 AND (k0.r = k1.r OR (k0.r IS NULL AND k1.r IS NULL))
GROUP BY k0.r, i.c),
features7 AS (SELECT CAST(CASE WHEN 1 * d0.d < 8 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 8),
signs8 AS (SELECT 0 AS c, 0 AS f, -1 AS sign UNION ALL SELECT 1 AS c, 0 AS f, 1 AS sign UNION ALL SELECT 2 AS c, 0 AS f, -1 AS sign UNION ALL SELECT 3 AS c, 0 AS f, 1 AS sign UNION ALL SELECT 0 AS c, 1 AS f, 1 AS sign UNION ALL SELECT 1 AS c, 1 AS f, 1 AS sign UNION ALL SELECT 2 AS c, 1 AS f, 1 AS sign UNION ALL SELECT 3 AS c, 1 AS f, -1 AS sign UNION ALL SELECT 0 AS c, 2 AS f, 1 AS sign UNION ALL SELECT 1 AS c, 2 AS f, -1 AS sign UNION ALL SELECT 2 AS c, 2 AS f, -1 AS sign UNION ALL SELECT 3 AS c, 2 AS f, -1 AS sign UNION ALL SELECT 0 AS c, 3 AS f, 1 AS sign UNION ALL SELECT 1 AS c, 3 AS f, -1 AS sign UNION ALL SELECT 2 AS c, 3 AS f, -1 AS sign UNION ALL SELECT 3 AS c, 3 AS f, -1 AS sign),
sums9 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE CAST('0.0' AS DOUBLE PRECISION) - x END) AS x
FROM products6 JOIN signs8 USING (f)
GROUP BY r, c),
features10 AS (SELECT CAST(CASE WHEN 1 * d0.d < 6 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 6),
cells11 AS (SELECT r, f, x FROM sums9 UNION ALL
SELECT odd.r, e.f, CAST('0.0' AS DOUBLE PRECISION) FROM (SELECT DISTINCT r FROM sums9 WHERE NOT (x - x = 0)) odd
CROSS JOIN features10 e
WHERE NOT EXISTS (SELECT 1 FROM sums9 k WHERE (k.r = odd.r OR (k.r IS NULL AND odd.r IS NULL)) AND k.f = e.f)),
cells12 AS (SELECT r, f, x FROM cells11 UNION ALL SELECT r, -1, CAST('1.0' AS DOUBLE PRECISION) FROM source0),
index_table13 AS (SELECT 0 AS c, 0 AS v0, 0 AS v1, 1 AS w UNION ALL SELECT 0 AS c, 1 AS v0, 1 AS v1, -1 AS w UNION ALL SELECT 0 AS c, 4 AS v0, -1 AS v1, 1 AS w UNION ALL SELECT 1 AS c, 2 AS v0, 2 AS v1, 1 AS w UNION ALL SELECT 1 AS c, 3 AS v0, 3 AS v1, -1 AS w UNION ALL SELECT 1 AS c, 5 AS v0, -1 AS v1, 1 AS w),
products14 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(i.w AS DOUBLE PRECISION)*CAST(k0.x AS DOUBLE PRECISION)*CAST(k1.x AS DOUBLE PRECISION)) AS x
FROM index_table13 i JOIN cells12 k0 ON k0.f = i.v0 JOIN cells12 k1 ON k1.f = i.v1 AND (k0.r = k1.r OR (k0.r IS NULL AND k1.r IS NULL))
GROUP BY k0.r, i.c),
outputs15 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2),
result16 AS (SELECT s.r AS r, s.c0 AS c0, n.f AS f, coalesce(z.x, CAST('0.0' AS DOUBLE PRECISION)) AS x
FROM source0 s CROSS JOIN outputs15 n
LEFT JOIN products14 z ON (z.r = s.r OR (z.r IS NULL AND s.r IS NULL)) AND z.f = n.f)
SELECT c0 AS "doc", ARRAY(CAST('0.353553391' AS DOUBLE PRECISION)*x0, CAST('0.353553391' AS DOUBLE PRECISION)*x1) AS z
FROM (SELECT c0, MAX(CASE WHEN f = 0 THEN CAST(x AS DOUBLE PRECISION) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS DOUBLE PRECISION) END) AS x1 FROM result16 GROUP BY r, c0) s

-- ======== databricks
WITH source0 AS (SELECT r, r AS c0 FROM (SELECT `doc` AS r FROM `counts` GROUP BY `doc`) s),
cells1 AS (SELECT `doc` AS r, CASE WHEN `feature` BETWEEN 0 AND 3 THEN `feature` WHEN `feature` IS NOT NULL THEN raise_error('sqlrp: a feature in \'feature\' is outside 0 ... 3: positions count from 0; raise n_features') END AS f, CAST(`value` AS DOUBLE) AS x FROM `counts`),
features2 AS (SELECT id AS f FROM range(4)),
cells3 AS (SELECT r, f, SUM(x) AS x FROM cells1 GROUP BY r, f),
lists4 AS (SELECT r, transform(array(collect_list(struct(CAST(f AS INT) AS o, CAST(x AS DOUBLE) AS v)) FILTER (WHERE CAST(x AS DOUBLE) IS NOT NULL)), p -> CASE WHEN size(p) = 4 THEN sort_array(p).v ELSE sort_array(concat(p, transform(array_except(sequence(0, 3), p.o), o -> struct(o, 0.0e0 AS v)))).v END)[0] AS x FROM cells3 GROUP BY r),
index_table5 AS (SELECT c, v0, v1 FROM (VALUES (0, 0, 4), (1, 1, 4), (2, 2, 4), (3, 3, 4), (4, 0, 0), (5, 1, 1), (6, 2, 2), (7, 3, 3)) AS listed(c, v0, v1)),
products6 AS (SELECT k.r AS r, i.c AS f, SUM(CAST(coalesce(get(k.x, i.v0), 1.0e0) AS DOUBLE)*CAST(coalesce(get(k.x, i.v1), 1.0e0) AS DOUBLE)) AS x FROM lists4 k CROSS JOIN index_table5 i GROUP BY k.r, i.c),
features7 AS (SELECT id AS f FROM range(8)),
signs8 AS (SELECT c, f, sign FROM (VALUES (0, 0, -1), (1, 0, 1), (2, 0, -1), (3, 0, 1), (0, 1, 1), (1, 1, 1), (2, 1, 1), (3, 1, -1), (0, 2, 1), (1, 2, -1), (2, 2, -1), (3, 2, -1), (0, 3, 1), (1, 3, -1), (2, 3, -1), (3, 3, -1)) AS listed(c, f, sign)),
sums9 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM products6 JOIN signs8 USING (f)
GROUP BY r, c),
features10 AS (SELECT id AS f FROM range(6)),
lists11 AS (SELECT r, transform(array(collect_list(struct(CAST(f AS INT) AS o, CAST(x AS DOUBLE) AS v)) FILTER (WHERE CAST(x AS DOUBLE) IS NOT NULL)), p -> CASE WHEN size(p) = 6 THEN sort_array(p).v ELSE sort_array(concat(p, transform(array_except(sequence(0, 5), p.o), o -> struct(o, 0.0e0 AS v)))).v END)[0] AS x FROM sums9 GROUP BY r),
index_table12 AS (SELECT c, v0, v1, w FROM (VALUES (0, 0, 0, 1), (0, 1, 1, -1), (0, 4, 6, 1), (1, 2, 2, 1), (1, 3, 3, -1), (1, 5, 6, 1)) AS listed(c, v0, v1, w)),
products13 AS (SELECT k.r AS r, i.c AS f, SUM(CAST(i.w AS DOUBLE)*CAST(coalesce(get(k.x, i.v0), 1.0e0) AS DOUBLE)*CAST(coalesce(get(k.x, i.v1), 1.0e0) AS DOUBLE)) AS x FROM lists11 k CROSS JOIN index_table12 i GROUP BY k.r, i.c),
outputs14 AS (SELECT id AS f FROM range(2)),
result15 AS (SELECT s.r AS r, s.c0 AS c0, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM source0 s CROSS JOIN outputs14 n
LEFT JOIN products13 z ON (z.r IS NOT DISTINCT FROM s.r) AND z.f = n.f)
SELECT c0 AS `doc`, array(0.353553391*x0,0.353553391*x1) AS z
FROM (SELECT c0, MAX(CASE WHEN f = 0 THEN CAST(x AS DOUBLE) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS DOUBLE) END) AS x1 FROM result15 GROUP BY r, c0) s

-- ======== trino
WITH source0 AS (SELECT r, r AS c0 FROM (SELECT "doc" AS r FROM "counts" GROUP BY "doc") s),
cells1 AS (SELECT "doc" AS r, CASE WHEN "feature" BETWEEN 0 AND 3 THEN "feature" WHEN "feature" IS NOT NULL THEN CAST(concat('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features', substr(CAST(CASE WHEN "feature" > 0 THEN 1 ELSE 0 END AS VARCHAR), 1, 0)) AS BIGINT) END AS f, CAST("value" AS DOUBLE) AS x FROM "counts"),
features2 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
cells3 AS (SELECT r, f, x FROM cells1 UNION ALL
SELECT odd.r, e.f, 0.0e0 FROM (SELECT DISTINCT r FROM cells1 WHERE NOT (x - x = 0)) odd
CROSS JOIN features2 e
WHERE NOT EXISTS (SELECT 1 FROM cells1 k WHERE (k.r IS NOT DISTINCT FROM odd.r) AND k.f = e.f)),
cells4 AS (SELECT r, f, x FROM cells3 UNION ALL SELECT r, -1, 1.0e0 FROM source0),
index_table5 AS (SELECT c, v0, v1 FROM (VALUES (0, 0, -1), (1, 1, -1), (2, 2, -1), (3, 3, -1), (4, 0, 0), (5, 1, 1), (6, 2, 2), (7, 3, 3)) AS listed(c, v0, v1)),
products6 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS DOUBLE)*CAST(k1.x AS DOUBLE)) AS x
FROM index_table5 i JOIN cells4 k0 ON k0.f = i.v0 JOIN cells4 k1 ON k1.f = i.v1 AND (k0.r IS NOT DISTINCT FROM k1.r)
GROUP BY k0.r, i.c),
features7 AS (SELECT CAST(CASE WHEN 1 * d0.d < 8 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 8),
signs8 AS (SELECT c, f, sign FROM (VALUES (0, 0, -1), (1, 0, 1), (2, 0, -1), (3, 0, 1), (0, 1, 1), (1, 1, 1), (2, 1, 1), (3, 1, -1), (0, 2, 1), (1, 2, -1), (2, 2, -1), (3, 2, -1), (0, 3, 1), (1, 3, -1), (2, 3, -1), (3, 3, -1)) AS listed(c, f, sign)),
sums9 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM products6 JOIN signs8 USING (f)
GROUP BY r, c),
features10 AS (SELECT CAST(CASE WHEN 1 * d0.d < 6 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 6),
cells11 AS (SELECT r, f, x FROM sums9 UNION ALL
SELECT odd.r, e.f, 0.0e0 FROM (SELECT DISTINCT r FROM sums9 WHERE NOT (x - x = 0)) odd
CROSS JOIN features10 e
WHERE NOT EXISTS (SELECT 1 FROM sums9 k WHERE (k.r IS NOT DISTINCT FROM odd.r) AND k.f = e.f)),
cells12 AS (SELECT r, f, x FROM cells11 UNION ALL SELECT r, -1, 1.0e0 FROM source0),
index_table13 AS (SELECT c, v0, v1, w FROM (VALUES (0, 0, 0, 1), (0, 1, 1, -1), (0, 4, -1, 1), (1, 2, 2, 1), (1, 3, 3, -1), (1, 5, -1, 1)) AS listed(c, v0, v1, w)),
products14 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(i.w AS DOUBLE)*CAST(k0.x AS DOUBLE)*CAST(k1.x AS DOUBLE)) AS x
FROM index_table13 i JOIN cells12 k0 ON k0.f = i.v0 JOIN cells12 k1 ON k1.f = i.v1 AND (k0.r IS NOT DISTINCT FROM k1.r)
GROUP BY k0.r, i.c),
outputs15 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2),
result16 AS (SELECT s.r AS r, s.c0 AS c0, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM source0 s CROSS JOIN outputs15 n
LEFT JOIN products14 z ON (z.r IS NOT DISTINCT FROM s.r) AND z.f = n.f)
SELECT c0 AS "doc", ARRAY[0.353553391*x0, 0.353553391*x1] AS z
FROM (SELECT c0, MAX(CASE WHEN f = 0 THEN CAST(x AS DOUBLE) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS DOUBLE) END) AS x1 FROM result16 GROUP BY r, c0) s

-- ======== sqlserver
-- 31 statements: run them in this order in one session. Statement 16 returns the rows.
SELECT * INTO #sqlrp_temporary_0 FROM (SELECT r, r AS c0 FROM (SELECT [doc] AS r FROM [counts] GROUP BY [doc]) s) s;
SELECT * INTO #sqlrp_temporary_1 FROM (SELECT [doc] AS r, CASE WHEN [feature] BETWEEN 0 AND 3 THEN [feature] WHEN [feature] IS NOT NULL THEN CAST(CONCAT('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features', LEFT(CAST(NEWID() AS VARCHAR(36)), 0)) AS BIGINT) END AS f, CAST([value] AS FLOAT) AS x FROM [counts]) s;
SELECT * INTO #sqlrp_temporary_2 FROM (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) s;
SELECT * INTO #sqlrp_temporary_3 FROM (SELECT r, f, x FROM #sqlrp_temporary_1 UNION ALL SELECT r, -1, 1.0e0 FROM #sqlrp_temporary_0) s;
SELECT * INTO #sqlrp_temporary_4 FROM (SELECT c, v0, v1 FROM (VALUES (0, 0, -1), (1, 1, -1), (2, 2, -1), (3, 3, -1), (4, 0, 0), (5, 1, 1), (6, 2, 2), (7, 3, 3)) AS listed(c, v0, v1)) s;
SELECT * INTO #sqlrp_temporary_5 FROM (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS FLOAT)*CAST(k1.x AS FLOAT)) AS x
FROM #sqlrp_temporary_4 i JOIN #sqlrp_temporary_3 k0 ON k0.f = i.v0 JOIN #sqlrp_temporary_3 k1 ON k1.f = i.v1 AND EXISTS (SELECT k0.r INTERSECT SELECT k1.r)
GROUP BY k0.r, i.c) s;
SELECT * INTO #sqlrp_temporary_6 FROM (SELECT CAST(CASE WHEN 1 * d0.d < 8 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 8) s;
SELECT * INTO #sqlrp_temporary_7 FROM (SELECT c, f, sign FROM (VALUES (0, 0, -1), (1, 0, 1), (2, 0, -1), (3, 0, 1), (0, 1, 1), (1, 1, 1), (2, 1, 1), (3, 1, -1), (0, 2, 1), (1, 2, -1), (2, 2, -1), (3, 2, -1), (0, 3, 1), (1, 3, -1), (2, 3, -1), (3, 3, -1)) AS listed(c, f, sign)) s;
SELECT * INTO #sqlrp_temporary_8 FROM (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM #sqlrp_temporary_5 JOIN #sqlrp_temporary_7 ON #sqlrp_temporary_5.f = #sqlrp_temporary_7.f
GROUP BY r, c) s;
SELECT * INTO #sqlrp_temporary_9 FROM (SELECT CAST(CASE WHEN 1 * d0.d < 6 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 6) s;
SELECT * INTO #sqlrp_temporary_10 FROM (SELECT r, f, x FROM #sqlrp_temporary_8 UNION ALL SELECT r, -1, 1.0e0 FROM #sqlrp_temporary_0) s;
SELECT * INTO #sqlrp_temporary_11 FROM (SELECT c, v0, v1, w FROM (VALUES (0, 0, 0, 1), (0, 1, 1, -1), (0, 4, -1, 1), (1, 2, 2, 1), (1, 3, 3, -1), (1, 5, -1, 1)) AS listed(c, v0, v1, w)) s;
SELECT * INTO #sqlrp_temporary_12 FROM (SELECT k0.r AS r, i.c AS f, SUM(CAST(i.w AS FLOAT)*CAST(k0.x AS FLOAT)*CAST(k1.x AS FLOAT)) AS x
FROM #sqlrp_temporary_11 i JOIN #sqlrp_temporary_10 k0 ON k0.f = i.v0 JOIN #sqlrp_temporary_10 k1 ON k1.f = i.v1 AND EXISTS (SELECT k0.r INTERSECT SELECT k1.r)
GROUP BY k0.r, i.c) s;
SELECT * INTO #sqlrp_temporary_13 FROM (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2) s;
SELECT * INTO #sqlrp_temporary_14 FROM (SELECT s.r AS r, s.c0 AS c0, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM #sqlrp_temporary_0 s CROSS JOIN #sqlrp_temporary_13 n
LEFT JOIN #sqlrp_temporary_12 z ON EXISTS (SELECT z.r INTERSECT SELECT s.r) AND z.f = n.f) s;
SELECT c0 AS [doc], CONCAT(CAST('[' AS VARCHAR(MAX)), CONCAT_WS(',', CONVERT(VARCHAR(30), 0.353553391*x0, 3), CONVERT(VARCHAR(30), 0.353553391*x1, 3)), ']') AS z
FROM (SELECT c0, MAX(CASE WHEN f = 0 THEN CAST(x AS FLOAT) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS FLOAT) END) AS x1 FROM #sqlrp_temporary_14 GROUP BY r, c0) s;
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
WITH source0 AS (SELECT r, r AS c0 FROM (SELECT "doc" AS r FROM "counts" GROUP BY "doc") s),
cells1 AS (SELECT "doc" AS r, CASE WHEN "feature" BETWEEN 0 AND 3 THEN "feature" WHEN "feature" IS NOT NULL THEN TO_NUMBER('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features' || substr(RAWTOHEX(SYS_GUID()), 1, 0)) END AS f, CAST("value" AS BINARY_DOUBLE) AS x FROM "counts"),
features2 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS NUMBER(19)) AS f FROM (SELECT 0 AS d FROM dual UNION ALL SELECT 1 FROM dual UNION ALL SELECT 2 FROM dual UNION ALL SELECT 3 FROM dual UNION ALL SELECT 4 FROM dual UNION ALL SELECT 5 FROM dual UNION ALL SELECT 6 FROM dual UNION ALL SELECT 7 FROM dual UNION ALL SELECT 8 FROM dual UNION ALL SELECT 9 FROM dual) d0 WHERE 1 * d0.d < 4),
cells3 AS (SELECT r, f, x FROM cells1 UNION ALL
SELECT odd.r, e.f, CAST(0.0e0 AS BINARY_DOUBLE) FROM (SELECT DISTINCT r FROM cells1 WHERE NOT (x - x = 0)) odd
CROSS JOIN features2 e
WHERE NOT EXISTS (SELECT 1 FROM cells1 k WHERE (k.r = odd.r OR (k.r IS NULL AND odd.r IS NULL)) AND k.f = e.f)),
cells4 AS (SELECT r, f, x FROM cells3 UNION ALL SELECT r, -1, CAST(1.0e0 AS BINARY_DOUBLE) FROM source0),
index_table5 AS (SELECT c, v0, v1 FROM (SELECT 0 AS c, 0 AS v0, -1 AS v1 FROM dual UNION ALL SELECT 1 AS c, 1 AS v0, -1 AS v1 FROM dual UNION ALL SELECT 2 AS c, 2 AS v0, -1 AS v1 FROM dual UNION ALL SELECT 3 AS c, 3 AS v0, -1 AS v1 FROM dual UNION ALL SELECT 4 AS c, 0 AS v0, 0 AS v1 FROM dual UNION ALL SELECT 5 AS c, 1 AS v0, 1 AS v1 FROM dual UNION ALL SELECT 6 AS c, 2 AS v0, 2 AS v1 FROM dual UNION ALL SELECT 7 AS c, 3 AS v0, 3 AS v1 FROM dual) s),
products6 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS BINARY_DOUBLE)*CAST(k1.x AS BINARY_DOUBLE)) AS x
FROM index_table5 i JOIN cells4 k0 ON k0.f = i.v0 JOIN cells4 k1 ON k1.f = i.v1 AND (k0.r = k1.r OR (k0.r IS NULL AND k1.r IS NULL))
GROUP BY k0.r, i.c),
features7 AS (SELECT CAST(CASE WHEN 1 * d0.d < 8 THEN 1 * d0.d END AS NUMBER(19)) AS f FROM (SELECT 0 AS d FROM dual UNION ALL SELECT 1 FROM dual UNION ALL SELECT 2 FROM dual UNION ALL SELECT 3 FROM dual UNION ALL SELECT 4 FROM dual UNION ALL SELECT 5 FROM dual UNION ALL SELECT 6 FROM dual UNION ALL SELECT 7 FROM dual UNION ALL SELECT 8 FROM dual UNION ALL SELECT 9 FROM dual) d0 WHERE 1 * d0.d < 8),
signs8 AS (SELECT c, f, sign FROM (SELECT 0 AS c, 0 AS f, -1 AS sign FROM dual UNION ALL SELECT 1 AS c, 0 AS f, 1 AS sign FROM dual UNION ALL SELECT 2 AS c, 0 AS f, -1 AS sign FROM dual UNION ALL SELECT 3 AS c, 0 AS f, 1 AS sign FROM dual UNION ALL SELECT 0 AS c, 1 AS f, 1 AS sign FROM dual UNION ALL SELECT 1 AS c, 1 AS f, 1 AS sign FROM dual UNION ALL SELECT 2 AS c, 1 AS f, 1 AS sign FROM dual UNION ALL SELECT 3 AS c, 1 AS f, -1 AS sign FROM dual UNION ALL SELECT 0 AS c, 2 AS f, 1 AS sign FROM dual UNION ALL SELECT 1 AS c, 2 AS f, -1 AS sign FROM dual UNION ALL SELECT 2 AS c, 2 AS f, -1 AS sign FROM dual UNION ALL SELECT 3 AS c, 2 AS f, -1 AS sign FROM dual UNION ALL SELECT 0 AS c, 3 AS f, 1 AS sign FROM dual UNION ALL SELECT 1 AS c, 3 AS f, -1 AS sign FROM dual UNION ALL SELECT 2 AS c, 3 AS f, -1 AS sign FROM dual UNION ALL SELECT 3 AS c, 3 AS f, -1 AS sign FROM dual) s),
sums9 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE CAST(0.0e0 AS BINARY_DOUBLE) - x END) AS x
FROM products6 JOIN signs8 USING (f)
GROUP BY r, c),
features10 AS (SELECT CAST(CASE WHEN 1 * d0.d < 6 THEN 1 * d0.d END AS NUMBER(19)) AS f FROM (SELECT 0 AS d FROM dual UNION ALL SELECT 1 FROM dual UNION ALL SELECT 2 FROM dual UNION ALL SELECT 3 FROM dual UNION ALL SELECT 4 FROM dual UNION ALL SELECT 5 FROM dual UNION ALL SELECT 6 FROM dual UNION ALL SELECT 7 FROM dual UNION ALL SELECT 8 FROM dual UNION ALL SELECT 9 FROM dual) d0 WHERE 1 * d0.d < 6),
cells11 AS (SELECT r, f, x FROM sums9 UNION ALL
SELECT odd.r, e.f, CAST(0.0e0 AS BINARY_DOUBLE) FROM (SELECT DISTINCT r FROM sums9 WHERE NOT (x - x = 0)) odd
CROSS JOIN features10 e
WHERE NOT EXISTS (SELECT 1 FROM sums9 k WHERE (k.r = odd.r OR (k.r IS NULL AND odd.r IS NULL)) AND k.f = e.f)),
cells12 AS (SELECT r, f, x FROM cells11 UNION ALL SELECT r, -1, CAST(1.0e0 AS BINARY_DOUBLE) FROM source0),
index_table13 AS (SELECT c, v0, v1, w FROM (SELECT 0 AS c, 0 AS v0, 0 AS v1, 1 AS w FROM dual UNION ALL SELECT 0 AS c, 1 AS v0, 1 AS v1, -1 AS w FROM dual UNION ALL SELECT 0 AS c, 4 AS v0, -1 AS v1, 1 AS w FROM dual UNION ALL SELECT 1 AS c, 2 AS v0, 2 AS v1, 1 AS w FROM dual UNION ALL SELECT 1 AS c, 3 AS v0, 3 AS v1, -1 AS w FROM dual UNION ALL SELECT 1 AS c, 5 AS v0, -1 AS v1, 1 AS w FROM dual) s),
products14 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(i.w AS BINARY_DOUBLE)*CAST(k0.x AS BINARY_DOUBLE)*CAST(k1.x AS BINARY_DOUBLE)) AS x
FROM index_table13 i JOIN cells12 k0 ON k0.f = i.v0 JOIN cells12 k1 ON k1.f = i.v1 AND (k0.r = k1.r OR (k0.r IS NULL AND k1.r IS NULL))
GROUP BY k0.r, i.c),
outputs15 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS NUMBER(19)) AS f FROM (SELECT 0 AS d FROM dual UNION ALL SELECT 1 FROM dual UNION ALL SELECT 2 FROM dual UNION ALL SELECT 3 FROM dual UNION ALL SELECT 4 FROM dual UNION ALL SELECT 5 FROM dual UNION ALL SELECT 6 FROM dual UNION ALL SELECT 7 FROM dual UNION ALL SELECT 8 FROM dual UNION ALL SELECT 9 FROM dual) d0 WHERE 1 * d0.d < 2),
result16 AS (SELECT s.r AS r, s.c0 AS c0, n.f AS f, coalesce(z.x, CAST(0.0e0 AS BINARY_DOUBLE)) AS x
FROM source0 s CROSS JOIN outputs15 n
LEFT JOIN products14 z ON (z.r = s.r OR (z.r IS NULL AND s.r IS NULL)) AND z.f = n.f)
SELECT c0 AS "doc", TO_VECTOR(JSON_ARRAY(CAST(0.353553391 AS BINARY_DOUBLE)*x0, CAST(0.353553391 AS BINARY_DOUBLE)*x1 NULL ON NULL RETURNING CLOB), 2, FLOAT64) AS z
FROM (SELECT c0, MAX(CASE WHEN f = 0 THEN CAST(x AS BINARY_DOUBLE) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS BINARY_DOUBLE) END) AS x1 FROM result16 GROUP BY r, c0) s

-- ======== generic
-- UnsupportedError: output = 'array' is not supported: generic has no arrays; use 'columns' or 'long'
