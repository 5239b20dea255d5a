-- PolynomialKernelProjection(k=2, s='sqrt', seed=3, degree=2, p=None, t=1, c=0.0, minimise_repetition=True, vectors='gaussian')
-- long rows of integers of 8 bits; output = 'long', nulls = 'propagate', scale = True, lowering = 'relational'

-- ======== duckdb
WITH source0 AS MATERIALIZED (SELECT r, r AS c0, CASE WHEN counted = present THEN 0.707106781 END AS ok FROM (SELECT "doc" AS r, count(*) AS counted, count("value") AS present FROM "counts" GROUP BY "doc") s),
cells1 AS MATERIALIZED (SELECT "doc" AS r, CASE WHEN "feature" BETWEEN 0 AND 3 THEN "feature" WHEN "feature" IS NOT NULL THEN error('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features') END AS f, CAST("value" AS DOUBLE) AS x FROM "counts"),
features2 AS MATERIALIZED (SELECT CAST(range AS BIGINT) AS f FROM range(4)),
signs3 AS MATERIALIZED (SELECT unnest(CAST(string_split(concat('0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3', t), ',') AS BIGINT[])) AS c, unnest(CAST(string_split(concat('0,0,0,0,1,1,1,1,2,2,2,2,3,3,3,3', t), ',') AS BIGINT[])) AS f, unnest(CAST(string_split(concat('0.082161555,-0.0376072221,0.412145855,-0.410880502,0.172030901,-0.952740851,-1.65955209,-0.786020867,1.69455579,0.817653548,-0.359067868,-2.98155507,-0.724783879,1.35280326,0.302278223,-0.377541119', t), ',') AS DOUBLE[])) AS sign FROM (VALUES ('')) v(t)),
sums4 AS MATERIALIZED (SELECT r, c AS f, SUM(sign * x) AS x
FROM cells1 JOIN signs3 USING (f)
GROUP BY r, c),
features5 AS MATERIALIZED (SELECT CAST(range AS BIGINT) AS f FROM range(4)),
cells6 AS MATERIALIZED (SELECT r, f, x FROM sums4 UNION ALL
SELECT odd.r, e.f, 0.0e0 FROM (SELECT DISTINCT r FROM sums4 WHERE NOT isfinite(x)) odd
CROSS JOIN features5 e
WHERE NOT EXISTS (SELECT 1 FROM sums4 k WHERE (k.r IS NOT DISTINCT FROM odd.r) AND k.f = e.f)),
index_table7 AS MATERIALIZED (SELECT unnest(CAST(string_split(concat('0,1', t), ',') AS BIGINT[])) AS c, unnest(CAST(string_split(concat('2,0', t), ',') AS BIGINT[])) AS v0, unnest(CAST(string_split(concat('3,1', t), ',') AS BIGINT[])) AS v1 FROM (VALUES ('')) v(t)),
products8 AS MATERIALIZED (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS DOUBLE)*CAST(k1.x AS DOUBLE)) AS x
FROM index_table7 i JOIN cells6 k0 ON k0.f = i.v0 JOIN cells6 k1 ON k1.f = i.v1 AND (k0.r IS NOT DISTINCT FROM k1.r)
GROUP BY k0.r, i.c),
outputs9 AS MATERIALIZED (SELECT CAST(range AS BIGINT) AS f FROM range(2))
SELECT r AS "doc", f AS component, 0.707106781*CAST(x AS DOUBLE) AS value
FROM (SELECT z.r AS r, z.f AS f, z.x AS x FROM products8 z WHERE z.f <> 0 AND z.x <> 0.0e0 AND NOT EXISTS (SELECT 1 FROM source0 s WHERE (s.r IS NOT DISTINCT FROM z.r) AND s.ok IS NULL)
UNION ALL
SELECT s.r, 0, coalesce(z.x, 0.0e0)+0*s.ok FROM source0 s
LEFT JOIN (SELECT r, x FROM products8 WHERE f = 0) z ON (z.r IS NOT DISTINCT FROM s.r)
UNION ALL
SELECT s.r, n.f, 0.0e0+0*s.ok FROM source0 s CROSS JOIN outputs9 n WHERE s.ok IS NULL AND n.f <> 0) s

-- ======== postgresql
WITH source0 AS MATERIALIZED (SELECT r, r AS c0, CASE WHEN counted = present THEN CAST('0.707106781' AS double precision) END AS ok FROM (SELECT "doc" AS r, count(*) AS counted, count("value") AS present FROM "counts" GROUP BY "doc") s),
cells1 AS MATERIALIZED (SELECT "doc" AS r, CASE WHEN "feature" BETWEEN 0 AND 3 THEN "feature" WHEN "feature" IS NOT NULL THEN CAST('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features' || left(CAST(clock_timestamp() AS text), 0) AS bigint) END AS f, CAST("value" AS double precision) AS x FROM "counts"),
features2 AS MATERIALIZED (SELECT f FROM generate_series(CAST(0 AS bigint), 3) g(f)),
signs3 AS MATERIALIZED (SELECT unnest(CAST('{0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3}' AS bigint[])) AS c, unnest(CAST('{0,0,0,0,1,1,1,1,2,2,2,2,3,3,3,3}' AS bigint[])) AS f, unnest(CAST('{0.082161555,-0.0376072221,0.412145855,-0.410880502,0.172030901,-0.952740851,-1.65955209,-0.786020867,1.69455579,0.817653548,-0.359067868,-2.98155507,-0.724783879,1.35280326,0.302278223,-0.377541119}' AS double precision[])) AS sign),
sums4 AS MATERIALIZED (SELECT r, c AS f, SUM(sign * x) AS x
FROM cells1 JOIN signs3 USING (f)
GROUP BY r, c),
features5 AS MATERIALIZED (SELECT f FROM generate_series(CAST(0 AS bigint), 3) g(f)),
cells6 AS MATERIALIZED (SELECT r, f, x FROM sums4 UNION ALL
SELECT odd.r, e.f, CAST('0.0' AS double precision) FROM (SELECT DISTINCT r FROM sums4 WHERE NOT (x NOT IN ('NaN', 'Infinity', '-Infinity'))) odd
CROSS JOIN features5 e
WHERE NOT EXISTS (SELECT 1 FROM sums4 k WHERE ARRAY[k.r] = ARRAY[odd.r] AND k.f = e.f)),
index_table7 AS MATERIALIZED (SELECT unnest(CAST('{0,1}' AS bigint[])) AS c, unnest(CAST('{2,0}' AS bigint[])) AS v0, unnest(CAST('{3,1}' AS bigint[])) AS v1),
products8 AS MATERIALIZED (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS double precision)*CAST(k1.x AS double precision)) AS x
FROM index_table7 i JOIN cells6 k0 ON k0.f = i.v0 JOIN cells6 k1 ON k1.f = i.v1 AND ARRAY[k0.r] = ARRAY[k1.r]
GROUP BY k0.r, i.c),
outputs9 AS MATERIALIZED (SELECT f FROM generate_series(CAST(0 AS bigint), 1) g(f))
SELECT r AS "doc", f AS component, CAST('0.707106781' AS double precision)*CAST(x AS double precision) AS value
FROM (SELECT z.r AS r, z.f AS f, z.x AS x FROM products8 z WHERE z.f <> 0 AND z.x <> CAST('0.0' AS double precision) AND NOT EXISTS (SELECT 1 FROM source0 s WHERE ARRAY[s.r] = ARRAY[z.r] AND s.ok IS NULL)
UNION ALL
SELECT s.r, 0, coalesce(z.x, CAST('0.0' AS double precision))+0*s.ok FROM source0 s
LEFT JOIN (SELECT r, x FROM products8 WHERE f = 0) z ON ARRAY[z.r] = ARRAY[s.r]
UNION ALL
SELECT s.r, n.f, CAST('0.0' AS double precision)+0*s.ok FROM source0 s CROSS JOIN outputs9 n WHERE s.ok IS NULL AND n.f <> 0) s

-- ======== sqlite
WITH source0 AS MATERIALIZED (SELECT r, r AS c0, CASE WHEN counted = present THEN 0.707106781 END AS ok FROM (SELECT `doc` AS r, count(*) AS counted, count(`value`) AS present FROM `counts` GROUP BY `doc`) s),
cells1 AS MATERIALIZED (SELECT `doc` AS r, CASE WHEN `feature` BETWEEN 0 AND 3 THEN `feature` WHEN `feature` IS NOT NULL THEN json_type('{}', 'sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features' || substr(random(), 1, 0)) END AS f, CASE WHEN `value` >= '' THEN json_type('{}', 'sqlrp: a feature in `value` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`value` AS REAL) END AS x FROM `counts`),
features2 AS MATERIALIZED (WITH RECURSIVE counted AS (SELECT 0 AS f UNION ALL SELECT f + 1 FROM counted WHERE f < 3) SELECT f FROM counted),
signs3 AS MATERIALIZED (SELECT CAST(json_extract(value, '$[0]') AS INTEGER) AS c, CAST(json_extract(value, '$[1]') AS INTEGER) AS f, CAST(json_extract(value, '$[2]') AS REAL) AS sign FROM json_each('[[0,0,0.082161555],[1,0,-0.0376072221],[2,0,0.412145855],[3,0,-0.410880502],[0,1,0.172030901],[1,1,-0.952740851],[2,1,-1.65955209],[3,1,-0.786020867],[0,2,1.69455579],[1,2,0.817653548],[2,2,-0.359067868],[3,2,-2.98155507],[0,3,-0.724783879],[1,3,1.35280326],[2,3,0.302278223],[3,3,-0.377541119]]')),
sums4 AS MATERIALIZED (SELECT r, c AS f, SUM(sign * x) AS x
FROM cells1 JOIN signs3 USING (f)
GROUP BY r, c),
features5 AS MATERIALIZED (WITH RECURSIVE counted AS (SELECT 0 AS f UNION ALL SELECT f + 1 FROM counted WHERE f < 3) SELECT f FROM counted),
index_table6 AS MATERIALIZED (SELECT CAST(json_extract(value, '$[0]') AS INTEGER) AS c, CAST(json_extract(value, '$[1]') AS INTEGER) AS v0, CAST(json_extract(value, '$[2]') AS INTEGER) AS v1 FROM json_each('[[0,2,3],[1,0,1]]')),
products7 AS MATERIALIZED (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS REAL)*CAST(k1.x AS REAL)) AS x
FROM index_table6 i JOIN sums4 k0 ON k0.f = i.v0 JOIN sums4 k1 ON k1.f = i.v1 AND (k0.r IS k1.r)
GROUP BY k0.r, i.c),
outputs8 AS MATERIALIZED (WITH RECURSIVE counted AS (SELECT 0 AS f UNION ALL SELECT f + 1 FROM counted WHERE f < 1) SELECT f FROM counted)
SELECT r AS `doc`, f AS component, 0.707106781*CAST(x AS REAL) AS value
FROM (SELECT z.r AS r, z.f AS f, z.x AS x FROM products7 z WHERE z.f <> 0 AND z.x <> 0.0e0 AND NOT EXISTS (SELECT 1 FROM source0 s WHERE (s.r IS z.r) AND s.ok IS NULL)
UNION ALL
SELECT s.r, 0, coalesce(z.x, 0.0e0)+0*s.ok FROM source0 s
LEFT JOIN (SELECT r, x FROM products7 WHERE f = 0) z ON (z.r IS s.r)
UNION ALL
SELECT s.r, n.f, 0.0e0+0*s.ok FROM source0 s CROSS JOIN outputs8 n WHERE s.ok IS NULL AND n.f <> 0) s

-- ======== mariadb
WITH source0 AS (SELECT r, r AS c0, CASE WHEN counted = present THEN 0.707106781 END AS ok FROM (SELECT `doc` AS r, count(*) AS counted, count(`value`) AS present FROM `counts` GROUP BY `doc`) s LIMIT 18446744073709551615),
cells1 AS (SELECT `doc` AS r, CASE WHEN `feature` BETWEEN 0 AND 3 THEN `feature` WHEN `feature` IS NOT NULL THEN (9223372036854775807 + char_length(concat('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features', rand()))) END AS f, CAST(`value` AS DOUBLE) AS x FROM `counts` LIMIT 18446744073709551615),
features2 AS (SELECT CAST(seq AS SIGNED) AS f FROM seq_0_to_3 LIMIT 18446744073709551615),
signs3 AS (SELECT c, f, sign FROM JSON_TABLE('[[0,0,0.082161555],[1,0,-0.0376072221],[2,0,0.412145855],[3,0,-0.410880502],[0,1,0.172030901],[1,1,-0.952740851],[2,1,-1.65955209],[3,1,-0.786020867],[0,2,1.69455579],[1,2,0.817653548],[2,2,-0.359067868],[3,2,-2.98155507],[0,3,-0.724783879],[1,3,1.35280326],[2,3,0.302278223],[3,3,-0.377541119]]', '$[*]' COLUMNS (c BIGINT PATH '$[0]', f BIGINT PATH '$[1]', sign DOUBLE PATH '$[2]')) listed LIMIT 18446744073709551615),
sums4 AS (SELECT r, c AS f, SUM(sign * x) AS x
FROM cells1 JOIN signs3 USING (f)
GROUP BY r, c LIMIT 18446744073709551615),
features5 AS (SELECT CAST(seq AS SIGNED) AS f FROM seq_0_to_3 LIMIT 18446744073709551615),
index_table6 AS (SELECT c, v0, v1 FROM JSON_TABLE('[[0,2,3],[1,0,1]]', '$[*]' COLUMNS (c BIGINT PATH '$[0]', v0 BIGINT PATH '$[1]', v1 BIGINT PATH '$[2]')) listed LIMIT 18446744073709551615),
products7 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS DOUBLE)*CAST(k1.x AS DOUBLE)) AS x
FROM index_table6 i JOIN sums4 k0 ON k0.f = i.v0 JOIN sums4 k1 ON k1.f = i.v1 AND (k0.r <=> k1.r)
GROUP BY k0.r, i.c LIMIT 18446744073709551615),
outputs8 AS (SELECT CAST(seq AS SIGNED) AS f FROM seq_0_to_1 LIMIT 18446744073709551615)
SELECT r AS `doc`, f AS component, 0.707106781*CAST(x AS DOUBLE) AS value
FROM (SELECT z.r AS r, z.f AS f, z.x AS x FROM products7 z WHERE z.f <> 0 AND z.x <> 0.0e0 AND NOT EXISTS (SELECT 1 FROM source0 s WHERE (s.r <=> z.r) AND s.ok IS NULL)
UNION ALL
SELECT s.r, 0, coalesce(z.x, 0.0e0)+0*s.ok FROM source0 s
LEFT JOIN (SELECT r, x FROM products7 WHERE f = 0) z ON (z.r <=> s.r)
UNION ALL
SELECT s.r, n.f, 0.0e0+0*s.ok FROM source0 s CROSS JOIN outputs8 n WHERE s.ok IS NULL AND n.f <> 0) s

-- ======== mysql
WITH source0 AS (SELECT r, r AS c0, CASE WHEN counted = present THEN 0.707106781 END AS ok FROM (SELECT `doc` AS r, count(*) AS counted, count(`value`) AS present FROM `counts` GROUP BY `doc`) s),
cells1 AS (SELECT `doc` AS r, CASE WHEN `feature` BETWEEN 0 AND 3 THEN `feature` WHEN `feature` IS NOT NULL THEN (9223372036854775807 + char_length(concat('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features', rand()))) END AS f, CAST(`value` AS DOUBLE) AS x FROM `counts`),
features2 AS (SELECT CAST(n AS SIGNED) - 1 AS f FROM JSON_TABLE(concat('[0', repeat(',0', 3), ']'), '$[*]' COLUMNS (n FOR ORDINALITY)) listed),
signs3 AS (SELECT c, f, sign FROM JSON_TABLE('[[0,0,0.082161555],[1,0,-0.0376072221],[2,0,0.412145855],[3,0,-0.410880502],[0,1,0.172030901],[1,1,-0.952740851],[2,1,-1.65955209],[3,1,-0.786020867],[0,2,1.69455579],[1,2,0.817653548],[2,2,-0.359067868],[3,2,-2.98155507],[0,3,-0.724783879],[1,3,1.35280326],[2,3,0.302278223],[3,3,-0.377541119]]', '$[*]' COLUMNS (c BIGINT PATH '$[0]', f BIGINT PATH '$[1]', sign DOUBLE PATH '$[2]')) listed),
sums4 AS (SELECT r, c AS f, SUM(sign * x) AS x
FROM cells1 JOIN signs3 USING (f)
GROUP BY r, c),
features5 AS (SELECT CAST(n AS SIGNED) - 1 AS f FROM JSON_TABLE(concat('[0', repeat(',0', 3), ']'), '$[*]' COLUMNS (n FOR ORDINALITY)) listed),
index_table6 AS (SELECT c, v0, v1 FROM JSON_TABLE('[[0,2,3],[1,0,1]]', '$[*]' COLUMNS (c BIGINT PATH '$[0]', v0 BIGINT PATH '$[1]', v1 BIGINT PATH '$[2]')) listed),
products7 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS DOUBLE)*CAST(k1.x AS DOUBLE)) AS x
FROM index_table6 i JOIN sums4 k0 ON k0.f = i.v0 JOIN sums4 k1 ON k1.f = i.v1 AND (k0.r <=> k1.r)
GROUP BY k0.r, i.c),
outputs8 AS (SELECT CAST(n AS SIGNED) - 1 AS f FROM JSON_TABLE(concat('[0', repeat(',0', 1), ']'), '$[*]' COLUMNS (n FOR ORDINALITY)) listed)
SELECT r AS `doc`, f AS component, 0.707106781*CAST(x AS DOUBLE) AS value
FROM (SELECT z.r AS r, z.f AS f, z.x AS x FROM products7 z WHERE z.f <> 0 AND z.x <> 0.0e0 AND NOT EXISTS (SELECT 1 FROM source0 s WHERE (s.r <=> z.r) AND s.ok IS NULL)
UNION ALL
SELECT s.r, 0, coalesce(z.x, 0.0e0)+0*s.ok FROM source0 s
LEFT JOIN (SELECT r, x FROM products7 WHERE f = 0) z ON (z.r <=> s.r)
UNION ALL
SELECT s.r, n.f, 0.0e0+0*s.ok FROM source0 s CROSS JOIN outputs8 n WHERE s.ok IS NULL AND n.f <> 0) s

-- ======== clickhouse
-- 21 statements: run them in this order in one session. Statement 11 returns the rows.
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_0 ENGINE = Memory AS SELECT r, r AS c0, CASE WHEN counted = present THEN 0.707106781 END AS ok FROM (SELECT `doc` AS r, count(*) AS counted, count(`value`) AS present FROM `counts` GROUP BY `doc`) s
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_1 ENGINE = Memory AS SELECT `doc` AS r, CASE WHEN `feature` BETWEEN 0 AND 3 THEN `feature` WHEN `feature` IS NOT NULL THEN throwIf(1, 'sqlrp: a feature in \'feature\' is outside 0 ... 3: positions count from 0; raise n_features') END AS f, CAST(`value` AS Float64) AS x FROM `counts`
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_2 ENGINE = Memory AS SELECT toInt64(number) AS f FROM numbers(4)
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_3 ENGINE = Memory AS SELECT c, f, sign FROM (SELECT CAST('[0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3]' AS Array(Int64)) AS c, CAST('[0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]' AS Array(Int64)) AS f, CAST('[0.082161555, -0.0376072221, 0.412145855, -0.410880502, 0.172030901, -0.952740851, -1.65955209, -0.786020867, 1.69455579, 0.817653548, -0.359067868, -2.98155507, -0.724783879, 1.35280326, 0.302278223, -0.377541119]' AS Array(Float64)) AS sign) s ARRAY JOIN c, f, sign
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_4 ENGINE = Memory AS SELECT r, c AS f, SUM(sign * x) AS x
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
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_7 ENGINE = Memory AS SELECT c, v0, v1 FROM (SELECT CAST('[0, 1]' AS Array(Int64)) AS c, CAST('[2, 0]' AS Array(Int64)) AS v0, CAST('[3, 1]' AS Array(Int64)) AS v1) s ARRAY JOIN c, v0, v1
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_8 ENGINE = Memory AS SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS Float64)*CAST(k1.x AS Float64)) AS x
FROM sqlrp_temporary_7 i JOIN sqlrp_temporary_6 k0 ON k0.f = i.v0 JOIN sqlrp_temporary_6 k1 ON k1.f = i.v1 AND (k0.r IS NOT DISTINCT FROM k1.r)
GROUP BY k0.r, i.c
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_9 ENGINE = Memory AS SELECT toInt64(number) AS f FROM numbers(2)
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
SELECT r AS `doc`, f AS component, 0.707106781*CAST(x AS Float64) AS value
FROM (SELECT z.r AS r, z.f AS f, z.x AS x FROM sqlrp_temporary_8 z WHERE z.f <> 0 AND z.x <> 0.0e0 AND NOT EXISTS (SELECT 1 FROM sqlrp_temporary_0 s WHERE (s.r IS NOT DISTINCT FROM z.r) AND s.ok IS NULL)
UNION ALL
SELECT s.r, 0, coalesce(z.x, 0.0e0)+0*s.ok FROM sqlrp_temporary_0 s
LEFT JOIN (SELECT r, x FROM sqlrp_temporary_8 WHERE f = 0) z ON (z.r IS NOT DISTINCT FROM s.r)
UNION ALL
SELECT s.r, n.f, 0.0e0+0*s.ok FROM sqlrp_temporary_0 s CROSS JOIN sqlrp_temporary_9 n WHERE s.ok IS NULL AND n.f <> 0) s
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
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
WITH source0 AS (SELECT r, r AS c0, CASE WHEN counted = present THEN 0.707106781 END AS ok FROM (SELECT `doc` AS r, count(*) AS counted, count(`value`) AS present FROM `counts` GROUP BY `doc`) s),
cells1 AS (SELECT `doc` AS r, CASE WHEN `feature` BETWEEN 0 AND 3 THEN `feature` WHEN `feature` IS NOT NULL THEN raise_error('sqlrp: a feature in \'feature\' is outside 0 ... 3: positions count from 0; raise n_features') END AS f, CAST(`value` AS DOUBLE) AS x FROM `counts`),
features2 AS (SELECT id AS f FROM range(4)),
signs3 AS (SELECT inline(arrays_zip(from_json('[0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3]', 'ARRAY<BIGINT>'), from_json('[0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]', 'ARRAY<BIGINT>'), from_json('[0.082161555, -0.0376072221, 0.412145855, -0.410880502, 0.172030901, -0.952740851, -1.65955209, -0.786020867, 1.69455579, 0.817653548, -0.359067868, -2.98155507, -0.724783879, 1.35280326, 0.302278223, -0.377541119]', 'ARRAY<DOUBLE>'))) AS (c, f, sign)),
sums4 AS (SELECT r, c AS f, SUM(sign * x) AS x
FROM cells1 JOIN signs3 USING (f)
GROUP BY r, c),
features5 AS (SELECT id AS f FROM range(4)),
lists6 AS (SELECT r, transform(array(collect_list(struct(CAST(f AS INT) AS o, CAST(x AS DOUBLE) AS v)) FILTER (WHERE CAST(x AS DOUBLE) IS NOT NULL)), p -> CASE WHEN size(p) = 4 THEN sort_array(p).v ELSE sort_array(concat(p, transform(array_except(sequence(0, 3), p.o), o -> struct(o, 0.0e0 AS v)))).v END)[0] AS x FROM sums4 GROUP BY r),
index_table7 AS (SELECT inline(arrays_zip(from_json('[0, 1]', 'ARRAY<BIGINT>'), from_json('[2, 0]', 'ARRAY<BIGINT>'), from_json('[3, 1]', 'ARRAY<BIGINT>'))) AS (c, v0, v1)),
products8 AS (SELECT k.r AS r, i.c AS f, SUM(CAST(k.x[i.v0] AS DOUBLE)*CAST(k.x[i.v1] AS DOUBLE)) AS x FROM lists6 k CROSS JOIN index_table7 i GROUP BY k.r, i.c)
SELECT c0 AS `doc`, component, value+0*ok AS value
FROM (SELECT c0, ok, CAST(o AS BIGINT) AS component, e AS value
FROM (SELECT c0, transform(x, e -> 0.707106781*e) AS z, ok
FROM (SELECT s.c0 AS c0, s.ok AS ok, coalesce(z.x, array_repeat(0.0e0, 2)) AS x
FROM source0 s LEFT JOIN (SELECT r, transform(array(collect_list(struct(CAST(f AS INT) AS o, CAST(x AS DOUBLE) AS v)) FILTER (WHERE CAST(x AS DOUBLE) IS NOT NULL)), p -> CASE WHEN size(p) = 2 THEN sort_array(p).v ELSE sort_array(concat(p, transform(array_except(sequence(0, 1), p.o), o -> struct(o, 0.0e0 AS v)))).v END)[0] AS x FROM products8 GROUP BY r) z ON (z.r <=> s.r)) s) s LATERAL VIEW OUTER posexplode(z) u AS o, e) s
WHERE component = 0 OR value <> 0 OR ok IS NULL

-- ======== snowflake, trino
WITH source0 AS (SELECT r, r AS c0, CASE WHEN counted = present THEN 0.707106781 END AS ok FROM (SELECT "doc" AS r, count(*) AS counted, count("value") AS present FROM "counts" GROUP BY "doc") s),
cells1 AS (SELECT "doc" AS r, CASE WHEN "feature" BETWEEN 0 AND 3 THEN "feature" WHEN "feature" IS NOT NULL THEN CAST(concat('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features', substr(CAST(CASE WHEN "feature" > 0 THEN 1 ELSE 0 END AS VARCHAR), 1, 0)) AS BIGINT) END AS f, CAST("value" AS DOUBLE) AS x FROM "counts"),
features2 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
signs3 AS (SELECT c, f, sign FROM (VALUES (0, 0, 0.082161555), (1, 0, -0.0376072221), (2, 0, 0.412145855), (3, 0, -0.410880502), (0, 1, 0.172030901), (1, 1, -0.952740851), (2, 1, -1.65955209), (3, 1, -0.786020867), (0, 2, 1.69455579), (1, 2, 0.817653548), (2, 2, -0.359067868), (3, 2, -2.98155507), (0, 3, -0.724783879), (1, 3, 1.35280326), (2, 3, 0.302278223), (3, 3, -0.377541119)) AS listed(c, f, sign)),
sums4 AS (SELECT r, c AS f, SUM(sign * x) AS x
FROM cells1 JOIN signs3 USING (f)
GROUP BY r, c),
features5 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
cells6 AS (SELECT r, f, x FROM sums4 UNION ALL
SELECT odd.r, e.f, 0.0e0 FROM (SELECT DISTINCT r FROM sums4 WHERE NOT (x - x = 0)) odd
CROSS JOIN features5 e
WHERE NOT EXISTS (SELECT 1 FROM sums4 k WHERE (k.r IS NOT DISTINCT FROM odd.r) AND k.f = e.f)),
index_table7 AS (SELECT c, v0, v1 FROM (VALUES (0, 2, 3), (1, 0, 1)) AS listed(c, v0, v1)),
products8 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS DOUBLE)*CAST(k1.x AS DOUBLE)) AS x
FROM index_table7 i JOIN cells6 k0 ON k0.f = i.v0 JOIN cells6 k1 ON k1.f = i.v1 AND (k0.r IS NOT DISTINCT FROM k1.r)
GROUP BY k0.r, i.c),
outputs9 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2)
SELECT r AS "doc", f AS component, 0.707106781*CAST(x AS DOUBLE) AS value
FROM (SELECT z.r AS r, z.f AS f, z.x AS x FROM products8 z WHERE z.f <> 0 AND z.x <> 0.0e0 AND NOT EXISTS (SELECT 1 FROM source0 s WHERE (s.r IS NOT DISTINCT FROM z.r) AND s.ok IS NULL)
UNION ALL
SELECT s.r, 0, coalesce(z.x, 0.0e0)+0*s.ok FROM source0 s
LEFT JOIN (SELECT r, x FROM products8 WHERE f = 0) z ON (z.r IS NOT DISTINCT FROM s.r)
UNION ALL
SELECT s.r, n.f, 0.0e0+0*s.ok FROM source0 s CROSS JOIN outputs9 n WHERE s.ok IS NULL AND n.f <> 0) s

-- ======== bigquery
WITH source0 AS (SELECT r, r AS c0, CASE WHEN counted = present THEN 0.707106781 END AS ok FROM (SELECT `doc` AS r, count(*) AS counted, count(`value`) AS present FROM `counts` GROUP BY `doc`) s),
cells1 AS (SELECT `doc` AS r, CASE WHEN `feature` BETWEEN 0 AND 3 THEN `feature` WHEN `feature` IS NOT NULL THEN ERROR('sqlrp: a feature in \'feature\' is outside 0 ... 3: positions count from 0; raise n_features') END AS f, CAST(`value` AS FLOAT64) AS x FROM `counts`),
features2 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS INT64) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
signs3 AS (SELECT c, f, sign FROM UNNEST([STRUCT(0 AS c, 0 AS f, 0.082161555 AS sign), STRUCT(1, 0, -0.0376072221), STRUCT(2, 0, 0.412145855), STRUCT(3, 0, -0.410880502), STRUCT(0, 1, 0.172030901), STRUCT(1, 1, -0.952740851), STRUCT(2, 1, -1.65955209), STRUCT(3, 1, -0.786020867), STRUCT(0, 2, 1.69455579), STRUCT(1, 2, 0.817653548), STRUCT(2, 2, -0.359067868), STRUCT(3, 2, -2.98155507), STRUCT(0, 3, -0.724783879), STRUCT(1, 3, 1.35280326), STRUCT(2, 3, 0.302278223), STRUCT(3, 3, -0.377541119)])),
sums4 AS (SELECT r, c AS f, SUM(sign * x) AS x
FROM cells1 JOIN signs3 USING (f)
GROUP BY r, c),
features5 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS INT64) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
cells6 AS (SELECT r, f, x FROM sums4 UNION ALL
SELECT odd.r, e.f, 0.0e0 FROM (SELECT DISTINCT r FROM sums4 WHERE NOT (x - x = 0)) odd
CROSS JOIN features5 e
WHERE NOT EXISTS (SELECT 1 FROM sums4 k WHERE (k.r IS NOT DISTINCT FROM odd.r) AND k.f = e.f)),
index_table7 AS (SELECT c, v0, v1 FROM UNNEST([STRUCT(0 AS c, 2 AS v0, 3 AS v1), STRUCT(1, 0, 1)])),
products8 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS FLOAT64)*CAST(k1.x AS FLOAT64)) AS x
FROM index_table7 i JOIN cells6 k0 ON k0.f = i.v0 JOIN cells6 k1 ON k1.f = i.v1 AND (k0.r IS NOT DISTINCT FROM k1.r)
GROUP BY k0.r, i.c),
outputs9 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS INT64) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2)
SELECT r AS `doc`, f AS component, 0.707106781*CAST(x AS FLOAT64) AS value
FROM (SELECT z.r AS r, z.f AS f, z.x AS x FROM products8 z WHERE z.f <> 0 AND z.x <> 0.0e0 AND NOT EXISTS (SELECT 1 FROM source0 s WHERE (s.r IS NOT DISTINCT FROM z.r) AND s.ok IS NULL)
UNION ALL
SELECT s.r, 0, coalesce(z.x, 0.0e0)+0*s.ok FROM source0 s
LEFT JOIN (SELECT r, x FROM products8 WHERE f = 0) z ON (z.r IS NOT DISTINCT FROM s.r)
UNION ALL
SELECT s.r, n.f, 0.0e0+0*s.ok FROM source0 s CROSS JOIN outputs9 n WHERE s.ok IS NULL AND n.f <> 0) s

-- ======== redshift
WITH source0 AS (SELECT r, r AS c0, CASE WHEN counted = present THEN CAST('0.707106781' AS DOUBLE PRECISION) END AS ok FROM (SELECT "doc" AS r, count(*) AS counted, count("value") AS present FROM "counts" GROUP BY "doc") s),
cells1 AS (SELECT "doc" AS r, CASE WHEN "feature" BETWEEN 0 AND 3 THEN "feature" WHEN "feature" IS NOT NULL THEN CAST(concat('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features', substr(CAST(CASE WHEN "feature" > 0 THEN 1 ELSE 0 END AS VARCHAR), 1, 0)) AS BIGINT) END AS f, CAST("value" AS DOUBLE PRECISION) AS x FROM "counts"),
features2 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
signs3 AS (SELECT 0 AS c, 0 AS f, CAST('0.082161555' AS DOUBLE PRECISION) AS sign UNION ALL SELECT 1 AS c, 0 AS f, CAST('-0.0376072221' AS DOUBLE PRECISION) AS sign UNION ALL SELECT 2 AS c, 0 AS f, CAST('0.412145855' AS DOUBLE PRECISION) AS sign UNION ALL SELECT 3 AS c, 0 AS f, CAST('-0.410880502' AS DOUBLE PRECISION) AS sign UNION ALL SELECT 0 AS c, 1 AS f, CAST('0.172030901' AS DOUBLE PRECISION) AS sign UNION ALL SELECT 1 AS c, 1 AS f, CAST('-0.952740851' AS DOUBLE PRECISION) AS sign UNION ALL SELECT 2 AS c, 1 AS f, CAST('-1.65955209' AS DOUBLE PRECISION) AS sign UNION ALL SELECT 3 AS c, 1 AS f, CAST('-0.786020867' AS DOUBLE PRECISION) AS sign UNION ALL SELECT 0 AS c, 2 AS f, CAST('1.69455579' AS DOUBLE PRECISION) AS sign UNION ALL SELECT 1 AS c, 2 AS f, CAST('0.817653548' AS DOUBLE PRECISION) AS sign UNION ALL SELECT 2 AS c, 2 AS f, CAST('-0.359067868' AS DOUBLE PRECISION) AS sign UNION ALL SELECT 3 AS c, 2 AS f, CAST('-2.98155507' AS DOUBLE PRECISION) AS sign UNION ALL SELECT 0 AS c, 3 AS f, CAST('-0.724783879' AS DOUBLE PRECISION) AS sign UNION ALL SELECT 1 AS c, 3 AS f, CAST('1.35280326' AS DOUBLE PRECISION) AS sign UNION ALL SELECT 2 AS c, 3 AS f, CAST('0.302278223' AS DOUBLE PRECISION) AS sign UNION ALL SELECT 3 AS c, 3 AS f, CAST('-0.377541119' AS DOUBLE PRECISION) AS sign),
sums4 AS (SELECT r, c AS f, SUM(sign * x) AS x
FROM cells1 JOIN signs3 USING (f)
GROUP BY r, c),
features5 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
cells6 AS (SELECT r, f, x FROM sums4 UNION ALL
SELECT odd.r, e.f, CAST('0.0' AS DOUBLE PRECISION) FROM (SELECT DISTINCT r FROM sums4 WHERE NOT (x - x = 0)) odd
CROSS JOIN features5 e
WHERE NOT EXISTS (SELECT 1 FROM sums4 k WHERE (k.r = odd.r OR (k.r IS NULL AND odd.r IS NULL)) AND k.f = e.f)),
index_table7 AS (SELECT 0 AS c, 2 AS v0, 3 AS v1 UNION ALL SELECT 1 AS c, 0 AS v0, 1 AS v1),
products8 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS DOUBLE PRECISION)*CAST(k1.x AS DOUBLE PRECISION)) AS x
FROM index_table7 i JOIN cells6 k0 ON k0.f = i.v0 JOIN cells6 k1 ON k1.f = i.v1 AND (k0.r = k1.r OR (k0.r IS NULL AND k1.r IS NULL))
GROUP BY k0.r, i.c),
outputs9 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2)
SELECT r AS "doc", f AS component, CAST('0.707106781' AS DOUBLE PRECISION)*CAST(x AS DOUBLE PRECISION) AS value
FROM (SELECT z.r AS r, z.f AS f, z.x AS x FROM products8 z WHERE z.f <> 0 AND z.x <> CAST('0.0' AS DOUBLE PRECISION) AND NOT EXISTS (SELECT 1 FROM source0 s WHERE (s.r = z.r OR (s.r IS NULL AND z.r IS NULL)) AND s.ok IS NULL)
UNION ALL
SELECT s.r, 0, coalesce(z.x, CAST('0.0' AS DOUBLE PRECISION))+0*s.ok FROM source0 s
LEFT JOIN (SELECT r, x FROM products8 WHERE f = 0) z ON (z.r = s.r OR (z.r IS NULL AND s.r IS NULL))
UNION ALL
SELECT s.r, n.f, CAST('0.0' AS DOUBLE PRECISION)+0*s.ok FROM source0 s CROSS JOIN outputs9 n WHERE s.ok IS NULL AND n.f <> 0) s

-- ======== databricks
WITH source0 AS (SELECT r, r AS c0, CASE WHEN counted = present THEN 0.707106781 END AS ok FROM (SELECT `doc` AS r, count(*) AS counted, count(`value`) AS present FROM `counts` GROUP BY `doc`) s),
cells1 AS (SELECT `doc` AS r, CASE WHEN `feature` BETWEEN 0 AND 3 THEN `feature` WHEN `feature` IS NOT NULL THEN raise_error('sqlrp: a feature in \'feature\' is outside 0 ... 3: positions count from 0; raise n_features') END AS f, CAST(`value` AS DOUBLE) AS x FROM `counts`),
features2 AS (SELECT id AS f FROM range(4)),
signs3 AS (SELECT c, f, sign FROM (VALUES (0, 0, 0.082161555), (1, 0, -0.0376072221), (2, 0, 0.412145855), (3, 0, -0.410880502), (0, 1, 0.172030901), (1, 1, -0.952740851), (2, 1, -1.65955209), (3, 1, -0.786020867), (0, 2, 1.69455579), (1, 2, 0.817653548), (2, 2, -0.359067868), (3, 2, -2.98155507), (0, 3, -0.724783879), (1, 3, 1.35280326), (2, 3, 0.302278223), (3, 3, -0.377541119)) AS listed(c, f, sign)),
sums4 AS (SELECT r, c AS f, SUM(sign * x) AS x
FROM cells1 JOIN signs3 USING (f)
GROUP BY r, c),
features5 AS (SELECT id AS f FROM range(4)),
lists6 AS (SELECT r, transform(array(collect_list(struct(CAST(f AS INT) AS o, CAST(x AS DOUBLE) AS v)) FILTER (WHERE CAST(x AS DOUBLE) IS NOT NULL)), p -> CASE WHEN size(p) = 4 THEN sort_array(p).v ELSE sort_array(concat(p, transform(array_except(sequence(0, 3), p.o), o -> struct(o, 0.0e0 AS v)))).v END)[0] AS x FROM sums4 GROUP BY r),
index_table7 AS (SELECT c, v0, v1 FROM (VALUES (0, 2, 3), (1, 0, 1)) AS listed(c, v0, v1)),
products8 AS (SELECT k.r AS r, i.c AS f, SUM(CAST(k.x[i.v0] AS DOUBLE)*CAST(k.x[i.v1] AS DOUBLE)) AS x FROM lists6 k CROSS JOIN index_table7 i GROUP BY k.r, i.c),
outputs9 AS (SELECT id AS f FROM range(2))
SELECT r AS `doc`, f AS component, 0.707106781*CAST(x AS DOUBLE) AS value
FROM (SELECT z.r AS r, z.f AS f, z.x AS x FROM products8 z WHERE z.f <> 0 AND z.x <> 0.0e0 AND NOT EXISTS (SELECT 1 FROM source0 s WHERE (s.r IS NOT DISTINCT FROM z.r) AND s.ok IS NULL)
UNION ALL
SELECT s.r, 0, coalesce(z.x, 0.0e0)+0*s.ok FROM source0 s
LEFT JOIN (SELECT r, x FROM products8 WHERE f = 0) z ON (z.r IS NOT DISTINCT FROM s.r)
UNION ALL
SELECT s.r, n.f, 0.0e0+0*s.ok FROM source0 s CROSS JOIN outputs9 n WHERE s.ok IS NULL AND n.f <> 0) s

-- ======== sqlserver
-- 19 statements: run them in this order in one session. Statement 10 returns the rows.
SELECT * INTO #sqlrp_temporary_0 FROM (SELECT r, r AS c0, CASE WHEN counted = present THEN 0.707106781 END AS ok FROM (SELECT [doc] AS r, count(*) AS counted, count([value]) AS present FROM [counts] GROUP BY [doc]) s) s;
SELECT * INTO #sqlrp_temporary_1 FROM (SELECT [doc] AS r, CASE WHEN [feature] BETWEEN 0 AND 3 THEN [feature] WHEN [feature] IS NOT NULL THEN CAST(CONCAT('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features', LEFT(CAST(NEWID() AS VARCHAR(36)), 0)) AS BIGINT) END AS f, CAST([value] AS FLOAT) AS x FROM [counts]) s;
SELECT * INTO #sqlrp_temporary_2 FROM (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) s;
SELECT * INTO #sqlrp_temporary_3 FROM (SELECT c, f, sign FROM (VALUES (0, 0, 0.082161555), (1, 0, -0.0376072221), (2, 0, 0.412145855), (3, 0, -0.410880502), (0, 1, 0.172030901), (1, 1, -0.952740851), (2, 1, -1.65955209), (3, 1, -0.786020867), (0, 2, 1.69455579), (1, 2, 0.817653548), (2, 2, -0.359067868), (3, 2, -2.98155507), (0, 3, -0.724783879), (1, 3, 1.35280326), (2, 3, 0.302278223), (3, 3, -0.377541119)) AS listed(c, f, sign)) s;
SELECT * INTO #sqlrp_temporary_4 FROM (SELECT r, c AS f, SUM(sign * x) AS x
FROM #sqlrp_temporary_1 JOIN #sqlrp_temporary_3 ON #sqlrp_temporary_1.f = #sqlrp_temporary_3.f
GROUP BY r, c) s;
SELECT * INTO #sqlrp_temporary_5 FROM (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) s;
SELECT * INTO #sqlrp_temporary_6 FROM (SELECT c, v0, v1 FROM (VALUES (0, 2, 3), (1, 0, 1)) AS listed(c, v0, v1)) s;
SELECT * INTO #sqlrp_temporary_7 FROM (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS FLOAT)*CAST(k1.x AS FLOAT)) AS x
FROM #sqlrp_temporary_6 i JOIN #sqlrp_temporary_4 k0 ON k0.f = i.v0 JOIN #sqlrp_temporary_4 k1 ON k1.f = i.v1 AND EXISTS (SELECT k0.r INTERSECT SELECT k1.r)
GROUP BY k0.r, i.c) s;
SELECT * INTO #sqlrp_temporary_8 FROM (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2) s;
SELECT r AS [doc], f AS component, 0.707106781*CAST(x AS FLOAT) AS value
FROM (SELECT z.r AS r, z.f AS f, z.x AS x FROM #sqlrp_temporary_7 z WHERE z.f <> 0 AND z.x <> 0.0e0 AND NOT EXISTS (SELECT 1 FROM #sqlrp_temporary_0 s WHERE EXISTS (SELECT s.r INTERSECT SELECT z.r) AND s.ok IS NULL)
UNION ALL
SELECT s.r, 0, coalesce(z.x, 0.0e0)+0*s.ok FROM #sqlrp_temporary_0 s
LEFT JOIN (SELECT r, x FROM #sqlrp_temporary_7 WHERE f = 0) z ON EXISTS (SELECT z.r INTERSECT SELECT s.r)
UNION ALL
SELECT s.r, n.f, 0.0e0+0*s.ok FROM #sqlrp_temporary_0 s CROSS JOIN #sqlrp_temporary_8 n WHERE s.ok IS NULL AND n.f <> 0) s;
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
WITH source0 AS (SELECT r, r AS c0, CASE WHEN counted = present THEN CAST(0.707106781 AS BINARY_DOUBLE) END AS ok FROM (SELECT "doc" AS r, count(*) AS counted, count("value") AS present FROM "counts" GROUP BY "doc") s),
cells1 AS (SELECT "doc" AS r, CASE WHEN "feature" BETWEEN 0 AND 3 THEN "feature" WHEN "feature" IS NOT NULL THEN TO_NUMBER('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features' || substr(RAWTOHEX(SYS_GUID()), 1, 0)) END AS f, CAST("value" AS BINARY_DOUBLE) AS x FROM "counts"),
features2 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS NUMBER(19)) AS f FROM (SELECT 0 AS d FROM dual UNION ALL SELECT 1 FROM dual UNION ALL SELECT 2 FROM dual UNION ALL SELECT 3 FROM dual UNION ALL SELECT 4 FROM dual UNION ALL SELECT 5 FROM dual UNION ALL SELECT 6 FROM dual UNION ALL SELECT 7 FROM dual UNION ALL SELECT 8 FROM dual UNION ALL SELECT 9 FROM dual) d0 WHERE 1 * d0.d < 4),
signs3 AS (SELECT c, f, sign FROM (SELECT 0 AS c, 0 AS f, CAST(0.082161555 AS BINARY_DOUBLE) AS sign FROM dual UNION ALL SELECT 1 AS c, 0 AS f, CAST(-0.0376072221 AS BINARY_DOUBLE) AS sign FROM dual UNION ALL SELECT 2 AS c, 0 AS f, CAST(0.412145855 AS BINARY_DOUBLE) AS sign FROM dual UNION ALL SELECT 3 AS c, 0 AS f, CAST(-0.410880502 AS BINARY_DOUBLE) AS sign FROM dual UNION ALL SELECT 0 AS c, 1 AS f, CAST(0.172030901 AS BINARY_DOUBLE) AS sign FROM dual UNION ALL SELECT 1 AS c, 1 AS f, CAST(-0.952740851 AS BINARY_DOUBLE) AS sign FROM dual UNION ALL SELECT 2 AS c, 1 AS f, CAST(-1.65955209 AS BINARY_DOUBLE) AS sign FROM dual UNION ALL SELECT 3 AS c, 1 AS f, CAST(-0.786020867 AS BINARY_DOUBLE) AS sign FROM dual UNION ALL SELECT 0 AS c, 2 AS f, CAST(1.69455579 AS BINARY_DOUBLE) AS sign FROM dual UNION ALL SELECT 1 AS c, 2 AS f, CAST(0.817653548 AS BINARY_DOUBLE) AS sign FROM dual UNION ALL SELECT 2 AS c, 2 AS f, CAST(-0.359067868 AS BINARY_DOUBLE) AS sign FROM dual UNION ALL SELECT 3 AS c, 2 AS f, CAST(-2.98155507 AS BINARY_DOUBLE) AS sign FROM dual UNION ALL SELECT 0 AS c, 3 AS f, CAST(-0.724783879 AS BINARY_DOUBLE) AS sign FROM dual UNION ALL SELECT 1 AS c, 3 AS f, CAST(1.35280326 AS BINARY_DOUBLE) AS sign FROM dual UNION ALL SELECT 2 AS c, 3 AS f, CAST(0.302278223 AS BINARY_DOUBLE) AS sign FROM dual UNION ALL SELECT 3 AS c, 3 AS f, CAST(-0.377541119 AS BINARY_DOUBLE) AS sign FROM dual) s),
sums4 AS (SELECT r, c AS f, SUM(sign * x) AS x
FROM cells1 JOIN signs3 USING (f)
GROUP BY r, c),
features5 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS NUMBER(19)) AS f FROM (SELECT 0 AS d FROM dual UNION ALL SELECT 1 FROM dual UNION ALL SELECT 2 FROM dual UNION ALL SELECT 3 FROM dual UNION ALL SELECT 4 FROM dual UNION ALL SELECT 5 FROM dual UNION ALL SELECT 6 FROM dual UNION ALL SELECT 7 FROM dual UNION ALL SELECT 8 FROM dual UNION ALL SELECT 9 FROM dual) d0 WHERE 1 * d0.d < 4),
cells6 AS (SELECT r, f, x FROM sums4 UNION ALL
SELECT odd.r, e.f, CAST(0.0e0 AS BINARY_DOUBLE) FROM (SELECT DISTINCT r FROM sums4 WHERE NOT (x - x = 0)) odd
CROSS JOIN features5 e
WHERE NOT EXISTS (SELECT 1 FROM sums4 k WHERE (k.r = odd.r OR (k.r IS NULL AND odd.r IS NULL)) AND k.f = e.f)),
index_table7 AS (SELECT c, v0, v1 FROM (SELECT 0 AS c, 2 AS v0, 3 AS v1 FROM dual UNION ALL SELECT 1 AS c, 0 AS v0, 1 AS v1 FROM dual) s),
products8 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS BINARY_DOUBLE)*CAST(k1.x AS BINARY_DOUBLE)) AS x
FROM index_table7 i JOIN cells6 k0 ON k0.f = i.v0 JOIN cells6 k1 ON k1.f = i.v1 AND (k0.r = k1.r OR (k0.r IS NULL AND k1.r IS NULL))
GROUP BY k0.r, i.c),
outputs9 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS NUMBER(19)) AS f FROM (SELECT 0 AS d FROM dual UNION ALL SELECT 1 FROM dual UNION ALL SELECT 2 FROM dual UNION ALL SELECT 3 FROM dual UNION ALL SELECT 4 FROM dual UNION ALL SELECT 5 FROM dual UNION ALL SELECT 6 FROM dual UNION ALL SELECT 7 FROM dual UNION ALL SELECT 8 FROM dual UNION ALL SELECT 9 FROM dual) d0 WHERE 1 * d0.d < 2)
SELECT r AS "doc", f AS component, CAST(0.707106781 AS BINARY_DOUBLE)*CAST(x AS BINARY_DOUBLE) AS value
FROM (SELECT z.r AS r, z.f AS f, z.x AS x FROM products8 z WHERE z.f <> 0 AND z.x <> CAST(0.0e0 AS BINARY_DOUBLE) AND NOT EXISTS (SELECT 1 FROM source0 s WHERE (s.r = z.r OR (s.r IS NULL AND z.r IS NULL)) AND s.ok IS NULL)
UNION ALL
SELECT s.r, 0, coalesce(z.x, CAST(0.0e0 AS BINARY_DOUBLE))+0*s.ok FROM source0 s
LEFT JOIN (SELECT r, x FROM products8 WHERE f = 0) z ON (z.r = s.r OR (z.r IS NULL AND s.r IS NULL))
UNION ALL
SELECT s.r, n.f, CAST(0.0e0 AS BINARY_DOUBLE)+0*s.ok FROM source0 s CROSS JOIN outputs9 n WHERE s.ok IS NULL AND n.f <> 0) s

-- ======== generic
WITH source0 AS (SELECT r, r AS c0, CASE WHEN counted = present THEN 0.707106781 END AS ok FROM (SELECT "doc" AS r, count(*) AS counted, count(CASE WHEN "feature" BETWEEN 0 AND 3 OR "feature" IS NULL THEN "value" END) AS present FROM "counts" GROUP BY "doc") s),
cells1 AS (SELECT "doc" AS r, CASE WHEN "feature" BETWEEN 0 AND 3 THEN "feature" END AS f, CAST("value" AS DOUBLE PRECISION) AS x FROM "counts"),
features2 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 AS d UNION ALL SELECT 2 AS d UNION ALL SELECT 3 AS d UNION ALL SELECT 4 AS d UNION ALL SELECT 5 AS d UNION ALL SELECT 6 AS d UNION ALL SELECT 7 AS d UNION ALL SELECT 8 AS d UNION ALL SELECT 9 AS d) d0 WHERE 1 * d0.d < 4),
signs3 AS (SELECT c, f, sign FROM (SELECT 0 AS c, 0 AS f, 0.082161555 AS sign UNION ALL SELECT 1 AS c, 0 AS f, -0.0376072221 AS sign UNION ALL SELECT 2 AS c, 0 AS f, 0.412145855 AS sign UNION ALL SELECT 3 AS c, 0 AS f, -0.410880502 AS sign UNION ALL SELECT 0 AS c, 1 AS f, 0.172030901 AS sign UNION ALL SELECT 1 AS c, 1 AS f, -0.952740851 AS sign UNION ALL SELECT 2 AS c, 1 AS f, -1.65955209 AS sign UNION ALL SELECT 3 AS c, 1 AS f, -0.786020867 AS sign UNION ALL SELECT 0 AS c, 2 AS f, 1.69455579 AS sign UNION ALL SELECT 1 AS c, 2 AS f, 0.817653548 AS sign UNION ALL SELECT 2 AS c, 2 AS f, -0.359067868 AS sign UNION ALL SELECT 3 AS c, 2 AS f, -2.98155507 AS sign UNION ALL SELECT 0 AS c, 3 AS f, -0.724783879 AS sign UNION ALL SELECT 1 AS c, 3 AS f, 1.35280326 AS sign UNION ALL SELECT 2 AS c, 3 AS f, 0.302278223 AS sign UNION ALL SELECT 3 AS c, 3 AS f, -0.377541119 AS sign) s),
sums4 AS (SELECT r, c AS f, SUM(sign * x) AS x
FROM cells1 JOIN signs3 USING (f)
GROUP BY r, c),
features5 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 AS d UNION ALL SELECT 2 AS d UNION ALL SELECT 3 AS d UNION ALL SELECT 4 AS d UNION ALL SELECT 5 AS d UNION ALL SELECT 6 AS d UNION ALL SELECT 7 AS d UNION ALL SELECT 8 AS d UNION ALL SELECT 9 AS d) d0 WHERE 1 * d0.d < 4),
cells6 AS (SELECT r, f, x FROM sums4 UNION ALL
SELECT odd.r, e.f, 0.0e0 FROM (SELECT DISTINCT r FROM sums4 WHERE NOT (x - x = 0)) odd
CROSS JOIN features5 e
WHERE NOT EXISTS (SELECT 1 FROM sums4 k WHERE (k.r IS NOT DISTINCT FROM odd.r) AND k.f = e.f)),
index_table7 AS (SELECT c, v0, v1 FROM (SELECT 0 AS c, 2 AS v0, 3 AS v1 UNION ALL SELECT 1 AS c, 0 AS v0, 1 AS v1) s),
products8 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS DOUBLE PRECISION)*CAST(k1.x AS DOUBLE PRECISION)) AS x
FROM index_table7 i JOIN cells6 k0 ON k0.f = i.v0 JOIN cells6 k1 ON k1.f = i.v1 AND (k0.r IS NOT DISTINCT FROM k1.r)
GROUP BY k0.r, i.c),
outputs9 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 AS d UNION ALL SELECT 2 AS d UNION ALL SELECT 3 AS d UNION ALL SELECT 4 AS d UNION ALL SELECT 5 AS d UNION ALL SELECT 6 AS d UNION ALL SELECT 7 AS d UNION ALL SELECT 8 AS d UNION ALL SELECT 9 AS d) d0 WHERE 1 * d0.d < 2)
SELECT r AS "doc", f AS "component", 0.707106781*CAST(x AS DOUBLE PRECISION) AS value
FROM (SELECT z.r AS r, z.f AS f, z.x AS x FROM products8 z WHERE z.f <> 0 AND z.x <> 0.0e0 AND NOT EXISTS (SELECT 1 FROM source0 s WHERE (s.r IS NOT DISTINCT FROM z.r) AND s.ok IS NULL)
UNION ALL
SELECT s.r, 0, coalesce(z.x, 0.0e0)+0*s.ok FROM source0 s
LEFT JOIN (SELECT r, x FROM products8 WHERE f = 0) z ON (z.r IS NOT DISTINCT FROM s.r)
UNION ALL
SELECT s.r, n.f, 0.0e0+0*s.ok FROM source0 s CROSS JOIN outputs9 n WHERE s.ok IS NULL AND n.f <> 0) s
