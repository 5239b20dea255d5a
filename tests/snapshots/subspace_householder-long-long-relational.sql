-- RandomSubspace(k=2, seed=1, densify='householder', stratified=False)
-- long rows of decimals; output = 'long', nulls = 'error', scale = True, lowering = 'relational'

-- ======== duckdb
WITH source0 AS MATERIALIZED (SELECT r, r AS c0, CASE WHEN counted = present THEN 0.353553391 ELSE error('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''') END AS ok FROM (SELECT "doc" AS r, count(*) AS counted, count("value") AS present FROM "counts" GROUP BY "doc") s),
cells1 AS MATERIALIZED (SELECT "doc" AS r, CASE WHEN "feature" BETWEEN 0 AND 3 THEN "feature" WHEN "feature" IS NOT NULL THEN error('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features') END AS f, CAST("value" AS DOUBLE) AS x FROM "counts"),
features2 AS MATERIALIZED (SELECT CAST(range AS BIGINT) AS f FROM range(4)),
cells3 AS MATERIALIZED (SELECT r, f, SUM(x) AS x FROM cells1 GROUP BY r, f),
picks4 AS MATERIALIZED (SELECT unnest(CAST(string_split(concat('0,1', t), ',') AS BIGINT[])) AS c, unnest(CAST(string_split(concat('2,3', t), ',') AS BIGINT[])) AS f FROM (VALUES ('')) v(t)),
totals5 AS MATERIALIZED (SELECT r, SUM(x) AS m FROM cells3 GROUP BY r),
cells6 AS MATERIALIZED (SELECT s.r AS r, p.c AS f, 4.0e0 * coalesce(k.x, 0.0e0) - 2.0e0 * coalesce(CAST(t.m AS DOUBLE), 0.0e0) AS x
FROM source0 s CROSS JOIN picks4 p
LEFT JOIN totals5 t ON (t.r IS NOT DISTINCT FROM s.r) LEFT JOIN cells3 k ON (k.r IS NOT DISTINCT FROM s.r) AND k.f = p.f),
outputs7 AS MATERIALIZED (SELECT CAST(range AS BIGINT) AS f FROM range(2))
SELECT r AS "doc", f AS component, 0.353553391*CAST(x AS DOUBLE) AS value
FROM (SELECT z.r AS r, z.f AS f, z.x AS x FROM cells6 z WHERE z.f <> 0 AND z.x <> 0.0e0 AND NOT EXISTS (SELECT 1 FROM source0 s WHERE (s.r IS NOT DISTINCT FROM z.r) AND s.ok IS NULL)
UNION ALL
SELECT s.r, 0, coalesce(z.x, 0.0e0)+0*s.ok FROM source0 s
LEFT JOIN (SELECT r, x FROM cells6 WHERE f = 0) z ON (z.r IS NOT DISTINCT FROM s.r)
UNION ALL
SELECT s.r, n.f, 0.0e0+0*s.ok FROM source0 s CROSS JOIN outputs7 n WHERE s.ok IS NULL AND n.f <> 0) s

-- ======== postgresql
WITH source0 AS MATERIALIZED (SELECT r, r AS c0, CASE WHEN counted = present THEN CAST('0.353553391' AS double precision) ELSE CAST('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''' || left(CAST(clock_timestamp() AS text), 0) AS bigint) END AS ok FROM (SELECT "doc" AS r, count(*) AS counted, count("value") AS present FROM "counts" GROUP BY "doc") s),
cells1 AS MATERIALIZED (SELECT "doc" AS r, CASE WHEN "feature" BETWEEN 0 AND 3 THEN "feature" WHEN "feature" IS NOT NULL THEN CAST('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features' || left(CAST(clock_timestamp() AS text), 0) AS bigint) END AS f, CAST("value" AS double precision) AS x FROM "counts"),
features2 AS MATERIALIZED (SELECT f FROM generate_series(CAST(0 AS bigint), 3) g(f)),
cells3 AS MATERIALIZED (SELECT r, f, SUM(x) AS x FROM cells1 GROUP BY r, f),
picks4 AS MATERIALIZED (SELECT unnest(CAST('{0,1}' AS bigint[])) AS c, unnest(CAST('{2,3}' AS bigint[])) AS f),
totals5 AS MATERIALIZED (SELECT r, SUM(x) AS m FROM cells3 GROUP BY r),
cells6 AS MATERIALIZED (SELECT s.r AS r, p.c AS f, CAST('4.0' AS double precision) * coalesce(k.x, CAST('0.0' AS double precision)) - CAST('2.0' AS double precision) * coalesce(CAST(t.m AS double precision), CAST('0.0' AS double precision)) AS x
FROM source0 s CROSS JOIN picks4 p
LEFT JOIN totals5 t ON ARRAY[t.r] = ARRAY[s.r] LEFT JOIN cells3 k ON ARRAY[k.r] = ARRAY[s.r] AND k.f = p.f),
outputs7 AS MATERIALIZED (SELECT f FROM generate_series(CAST(0 AS bigint), 1) g(f))
SELECT r AS "doc", f AS component, CAST('0.353553391' AS double precision)*CAST(x AS double precision) AS value
FROM (SELECT z.r AS r, z.f AS f, z.x AS x FROM cells6 z WHERE z.f <> 0 AND z.x <> CAST('0.0' AS double precision) AND NOT EXISTS (SELECT 1 FROM source0 s WHERE ARRAY[s.r] = ARRAY[z.r] AND s.ok IS NULL)
UNION ALL
SELECT s.r, 0, coalesce(z.x, CAST('0.0' AS double precision))+0*s.ok FROM source0 s
LEFT JOIN (SELECT r, x FROM cells6 WHERE f = 0) z ON ARRAY[z.r] = ARRAY[s.r]
UNION ALL
SELECT s.r, n.f, CAST('0.0' AS double precision)+0*s.ok FROM source0 s CROSS JOIN outputs7 n WHERE s.ok IS NULL AND n.f <> 0) s

-- ======== sqlite
WITH source0 AS MATERIALIZED (SELECT r, r AS c0, CASE WHEN counted = present THEN 0.353553391 ELSE json_type('{}', 'sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''' || substr(random(), 1, 0)) END AS ok FROM (SELECT `doc` AS r, count(*) AS counted, count(`value`) AS present FROM `counts` GROUP BY `doc`) s),
cells1 AS MATERIALIZED (SELECT `doc` AS r, CASE WHEN `feature` BETWEEN 0 AND 3 THEN `feature` WHEN `feature` IS NOT NULL THEN json_type('{}', 'sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features' || substr(random(), 1, 0)) END AS f, CASE WHEN `value` >= '' THEN json_type('{}', 'sqlrp: a feature in `value` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`value` AS REAL) END AS x FROM `counts`),
features2 AS MATERIALIZED (WITH RECURSIVE counted AS (SELECT 0 AS f UNION ALL SELECT f + 1 FROM counted WHERE f < 3) SELECT f FROM counted),
cells3 AS MATERIALIZED (SELECT r, f, SUM(x) AS x FROM cells1 GROUP BY r, f),
picks4 AS MATERIALIZED (SELECT CAST(json_extract(value, '$[0]') AS INTEGER) AS c, CAST(json_extract(value, '$[1]') AS INTEGER) AS f FROM json_each('[[0,2],[1,3]]')),
totals5 AS MATERIALIZED (SELECT r, SUM(x) AS m FROM cells3 GROUP BY r),
cells6 AS MATERIALIZED (SELECT s.r AS r, p.c AS f, 4.0e0 * coalesce(k.x, 0.0e0) - 2.0e0 * coalesce(CAST(t.m AS REAL), 0.0e0) AS x
FROM source0 s CROSS JOIN picks4 p
LEFT JOIN totals5 t ON (t.r IS s.r) LEFT JOIN cells3 k ON (k.r IS s.r) AND k.f = p.f),
outputs7 AS MATERIALIZED (WITH RECURSIVE counted AS (SELECT 0 AS f UNION ALL SELECT f + 1 FROM counted WHERE f < 1) SELECT f FROM counted)
SELECT r AS `doc`, f AS component, 0.353553391*CAST(x AS REAL) AS value
FROM (SELECT z.r AS r, z.f AS f, z.x AS x FROM cells6 z WHERE z.f <> 0 AND z.x <> 0.0e0 AND NOT EXISTS (SELECT 1 FROM source0 s WHERE (s.r IS z.r) AND s.ok IS NULL)
UNION ALL
SELECT s.r, 0, coalesce(z.x, 0.0e0)+0*s.ok FROM source0 s
LEFT JOIN (SELECT r, x FROM cells6 WHERE f = 0) z ON (z.r IS s.r)
UNION ALL
SELECT s.r, n.f, 0.0e0+0*s.ok FROM source0 s CROSS JOIN outputs7 n WHERE s.ok IS NULL AND n.f <> 0) s

-- ======== mariadb
WITH source0 AS (SELECT r, r AS c0, CASE WHEN counted = present THEN 0.353553391 ELSE (9223372036854775807 + char_length(concat('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''', rand()))) END AS ok FROM (SELECT `doc` AS r, count(*) AS counted, count(`value`) AS present FROM `counts` GROUP BY `doc`) s LIMIT 18446744073709551615),
cells1 AS (SELECT `doc` AS r, CASE WHEN `feature` BETWEEN 0 AND 3 THEN `feature` WHEN `feature` IS NOT NULL THEN (9223372036854775807 + char_length(concat('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features', rand()))) END AS f, CAST(`value` AS DOUBLE) AS x FROM `counts` LIMIT 18446744073709551615),
features2 AS (SELECT CAST(seq AS SIGNED) AS f FROM seq_0_to_3 LIMIT 18446744073709551615),
cells3 AS (SELECT r, f, SUM(x) AS x FROM cells1 GROUP BY r, f LIMIT 18446744073709551615),
picks4 AS (SELECT c, f FROM JSON_TABLE('[[0,2],[1,3]]', '$[*]' COLUMNS (c BIGINT PATH '$[0]', f BIGINT PATH '$[1]')) listed LIMIT 18446744073709551615),
totals5 AS (SELECT r, SUM(x) AS m FROM cells3 GROUP BY r LIMIT 18446744073709551615),
cells6 AS (SELECT s.r AS r, p.c AS f, 4.0e0 * coalesce(k.x, 0.0e0) - 2.0e0 * coalesce(CAST(t.m AS DOUBLE), 0.0e0) AS x
FROM source0 s CROSS JOIN picks4 p
LEFT JOIN totals5 t ON (t.r <=> s.r) LEFT JOIN cells3 k ON (k.r <=> s.r) AND k.f = p.f LIMIT 18446744073709551615),
outputs7 AS (SELECT CAST(seq AS SIGNED) AS f FROM seq_0_to_1 LIMIT 18446744073709551615)
SELECT r AS `doc`, f AS component, 0.353553391*CAST(x AS DOUBLE) AS value
FROM (SELECT z.r AS r, z.f AS f, z.x AS x FROM cells6 z WHERE z.f <> 0 AND z.x <> 0.0e0 AND NOT EXISTS (SELECT 1 FROM source0 s WHERE (s.r <=> z.r) AND s.ok IS NULL)
UNION ALL
SELECT s.r, 0, coalesce(z.x, 0.0e0)+0*s.ok FROM source0 s
LEFT JOIN (SELECT r, x FROM cells6 WHERE f = 0) z ON (z.r <=> s.r)
UNION ALL
SELECT s.r, n.f, 0.0e0+0*s.ok FROM source0 s CROSS JOIN outputs7 n WHERE s.ok IS NULL AND n.f <> 0) s

-- ======== mysql
WITH source0 AS (SELECT r, r AS c0, CASE WHEN counted = present THEN 0.353553391 ELSE (9223372036854775807 + char_length(concat('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''', rand()))) END AS ok FROM (SELECT `doc` AS r, count(*) AS counted, count(`value`) AS present FROM `counts` GROUP BY `doc`) s),
cells1 AS (SELECT `doc` AS r, CASE WHEN `feature` BETWEEN 0 AND 3 THEN `feature` WHEN `feature` IS NOT NULL THEN (9223372036854775807 + char_length(concat('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features', rand()))) END AS f, CAST(`value` AS DOUBLE) AS x FROM `counts`),
features2 AS (SELECT CAST(n AS SIGNED) - 1 AS f FROM JSON_TABLE(concat('[0', repeat(',0', 3), ']'), '$[*]' COLUMNS (n FOR ORDINALITY)) listed),
cells3 AS (SELECT r, f, SUM(x) AS x FROM cells1 GROUP BY r, f),
picks4 AS (SELECT c, f FROM JSON_TABLE('[[0,2],[1,3]]', '$[*]' COLUMNS (c BIGINT PATH '$[0]', f BIGINT PATH '$[1]')) listed),
totals5 AS (SELECT r, SUM(x) AS m FROM cells3 GROUP BY r),
cells6 AS (SELECT s.r AS r, p.c AS f, 4.0e0 * coalesce(k.x, 0.0e0) - 2.0e0 * coalesce(CAST(t.m AS DOUBLE), 0.0e0) AS x
FROM source0 s CROSS JOIN picks4 p
LEFT JOIN totals5 t ON (t.r <=> s.r) LEFT JOIN cells3 k ON (k.r <=> s.r) AND k.f = p.f),
outputs7 AS (SELECT CAST(n AS SIGNED) - 1 AS f FROM JSON_TABLE(concat('[0', repeat(',0', 1), ']'), '$[*]' COLUMNS (n FOR ORDINALITY)) listed)
SELECT r AS `doc`, f AS component, 0.353553391*CAST(x AS DOUBLE) AS value
FROM (SELECT z.r AS r, z.f AS f, z.x AS x FROM cells6 z WHERE z.f <> 0 AND z.x <> 0.0e0 AND NOT EXISTS (SELECT 1 FROM source0 s WHERE (s.r <=> z.r) AND s.ok IS NULL)
UNION ALL
SELECT s.r, 0, coalesce(z.x, 0.0e0)+0*s.ok FROM source0 s
LEFT JOIN (SELECT r, x FROM cells6 WHERE f = 0) z ON (z.r <=> s.r)
UNION ALL
SELECT s.r, n.f, 0.0e0+0*s.ok FROM source0 s CROSS JOIN outputs7 n WHERE s.ok IS NULL AND n.f <> 0) s

-- ======== clickhouse
-- 17 statements: run them in this order in one session. Statement 9 returns the rows.
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_0 ENGINE = Memory AS SELECT r, r AS c0, CASE WHEN counted = present THEN 0.353553391 ELSE throwIf(1, 'sqlrp: a feature is NULL and nulls = \'error\': clean the row, or use nulls = \'zero\' or \'propagate\'') END AS ok FROM (SELECT `doc` AS r, count(*) AS counted, count(`value`) AS present FROM `counts` GROUP BY `doc`) s
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_1 ENGINE = Memory AS SELECT `doc` AS r, CASE WHEN `feature` BETWEEN 0 AND 3 THEN `feature` WHEN `feature` IS NOT NULL THEN throwIf(1, 'sqlrp: a feature in \'feature\' is outside 0 ... 3: positions count from 0; raise n_features') END AS f, CAST(`value` AS Float64) AS x FROM `counts`
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_2 ENGINE = Memory AS SELECT toInt64(number) AS f FROM numbers(4)
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_3 ENGINE = Memory AS SELECT r, f, SUM(x) AS x FROM sqlrp_temporary_1 GROUP BY r, f
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_4 ENGINE = Memory AS SELECT c, f FROM (SELECT CAST('[0, 1]' AS Array(Int64)) AS c, CAST('[2, 3]' AS Array(Int64)) AS f) s ARRAY JOIN c, f
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_5 ENGINE = Memory AS SELECT r, SUM(x) AS m FROM sqlrp_temporary_3 GROUP BY r
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_6 ENGINE = Memory AS SELECT s.r AS r, p.c AS f, 4.0e0 * coalesce(k.x, 0.0e0) - 2.0e0 * coalesce(CAST(t.m AS Float64), 0.0e0) AS x
FROM sqlrp_temporary_0 s CROSS JOIN sqlrp_temporary_4 p
LEFT JOIN sqlrp_temporary_5 t ON (t.r IS NOT DISTINCT FROM s.r) LEFT JOIN sqlrp_temporary_3 k ON (k.r IS NOT DISTINCT FROM s.r) AND k.f = p.f
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_7 ENGINE = Memory AS SELECT toInt64(number) AS f FROM numbers(2)
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
SELECT r AS `doc`, f AS component, 0.353553391*CAST(x AS Float64) AS value
FROM (SELECT z.r AS r, z.f AS f, z.x AS x FROM sqlrp_temporary_6 z WHERE z.f <> 0 AND z.x <> 0.0e0 AND NOT EXISTS (SELECT 1 FROM sqlrp_temporary_0 s WHERE (s.r IS NOT DISTINCT FROM z.r) AND s.ok IS NULL)
UNION ALL
SELECT s.r, 0, coalesce(z.x, 0.0e0)+0*s.ok FROM sqlrp_temporary_0 s
LEFT JOIN (SELECT r, x FROM sqlrp_temporary_6 WHERE f = 0) z ON (z.r IS NOT DISTINCT FROM s.r)
UNION ALL
SELECT s.r, n.f, 0.0e0+0*s.ok FROM sqlrp_temporary_0 s CROSS JOIN sqlrp_temporary_7 n WHERE s.ok IS NULL AND n.f <> 0) s
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
DROP TEMPORARY TABLE IF EXISTS sqlrp_temporary_7;
DROP TEMPORARY TABLE IF EXISTS sqlrp_temporary_6;
DROP TEMPORARY TABLE IF EXISTS sqlrp_temporary_5;
DROP TEMPORARY TABLE IF EXISTS sqlrp_temporary_4;
DROP TEMPORARY TABLE IF EXISTS sqlrp_temporary_3;
DROP TEMPORARY TABLE IF EXISTS sqlrp_temporary_2;
DROP TEMPORARY TABLE IF EXISTS sqlrp_temporary_1;
DROP TEMPORARY TABLE IF EXISTS sqlrp_temporary_0;


-- ======== spark
WITH source0 AS (SELECT r, r AS c0, CASE WHEN counted = present THEN 0.353553391 ELSE raise_error('sqlrp: a feature is NULL and nulls = \'error\': clean the row, or use nulls = \'zero\' or \'propagate\'') END AS ok FROM (SELECT `doc` AS r, count(*) AS counted, count(`value`) AS present FROM `counts` GROUP BY `doc`) s),
cells1 AS (SELECT `doc` AS r, CASE WHEN `feature` BETWEEN 0 AND 3 THEN `feature` WHEN `feature` IS NOT NULL THEN raise_error('sqlrp: a feature in \'feature\' is outside 0 ... 3: positions count from 0; raise n_features') END AS f, CAST(`value` AS DOUBLE) AS x FROM `counts`),
features2 AS (SELECT id AS f FROM range(4)),
cells3 AS (SELECT r, f, SUM(x) AS x FROM cells1 GROUP BY r, f),
picks4 AS (SELECT inline(arrays_zip(from_json('[0, 1]', 'ARRAY<BIGINT>'), from_json('[2, 3]', 'ARRAY<BIGINT>'))) AS (c, f)),
totals5 AS (SELECT r, SUM(x) AS m FROM cells3 GROUP BY r),
cells6 AS (SELECT s.r AS r, p.c AS f, 4.0e0 * coalesce(k.x, 0.0e0) - 2.0e0 * coalesce(CAST(t.m AS DOUBLE), 0.0e0) AS x
FROM source0 s CROSS JOIN picks4 p
LEFT JOIN totals5 t ON (t.r <=> s.r) LEFT JOIN cells3 k ON (k.r <=> s.r) AND k.f = p.f)
SELECT c0 AS `doc`, component, value+0*ok AS value
FROM (SELECT c0, ok, CAST(o AS BIGINT) AS component, e AS value
FROM (SELECT c0, transform(x, e -> 0.353553391*e) AS z, ok
FROM (SELECT s.c0 AS c0, s.ok AS ok, coalesce(z.x, array_repeat(0.0e0, 2)) AS x
FROM source0 s LEFT JOIN (SELECT r, transform(array(collect_list(struct(CAST(f AS INT) AS o, CAST(x AS DOUBLE) AS v)) FILTER (WHERE CAST(x AS DOUBLE) IS NOT NULL)), p -> CASE WHEN size(p) = 2 THEN sort_array(p).v ELSE sort_array(concat(p, transform(array_except(sequence(0, 1), p.o), o -> struct(o, 0.0e0 AS v)))).v END)[0] AS x FROM cells6 GROUP BY r) z ON (z.r <=> s.r)) s) s LATERAL VIEW OUTER posexplode(z) u AS o, e) s
WHERE component = 0 OR value <> 0 OR ok IS NULL

-- ======== snowflake, trino
WITH source0 AS (SELECT r, r AS c0, CASE WHEN counted = present THEN 0.353553391 ELSE CAST(concat('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''', substr(CAST(CASE WHEN counted = present THEN 1 ELSE 0 END AS VARCHAR), 1, 0)) AS BIGINT) END AS ok FROM (SELECT "doc" AS r, count(*) AS counted, count("value") AS present FROM "counts" GROUP BY "doc") s),
cells1 AS (SELECT "doc" AS r, CASE WHEN "feature" BETWEEN 0 AND 3 THEN "feature" WHEN "feature" IS NOT NULL THEN CAST(concat('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features', substr(CAST(CASE WHEN "feature" > 0 THEN 1 ELSE 0 END AS VARCHAR), 1, 0)) AS BIGINT) END AS f, CAST("value" AS DOUBLE) AS x FROM "counts"),
features2 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
cells3 AS (SELECT r, f, SUM(x) AS x FROM cells1 GROUP BY r, f),
picks4 AS (SELECT c, f FROM (VALUES (0, 2), (1, 3)) AS listed(c, f)),
totals5 AS (SELECT r, SUM(x) AS m FROM cells3 GROUP BY r),
cells6 AS (SELECT s.r AS r, p.c AS f, 4.0e0 * coalesce(k.x, 0.0e0) - 2.0e0 * coalesce(CAST(t.m AS DOUBLE), 0.0e0) AS x
FROM source0 s CROSS JOIN picks4 p
LEFT JOIN totals5 t ON (t.r IS NOT DISTINCT FROM s.r) LEFT JOIN cells3 k ON (k.r IS NOT DISTINCT FROM s.r) AND k.f = p.f),
outputs7 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2)
SELECT r AS "doc", f AS component, 0.353553391*CAST(x AS DOUBLE) AS value
FROM (SELECT z.r AS r, z.f AS f, z.x AS x FROM cells6 z WHERE z.f <> 0 AND z.x <> 0.0e0 AND NOT EXISTS (SELECT 1 FROM source0 s WHERE (s.r IS NOT DISTINCT FROM z.r) AND s.ok IS NULL)
UNION ALL
SELECT s.r, 0, coalesce(z.x, 0.0e0)+0*s.ok FROM source0 s
LEFT JOIN (SELECT r, x FROM cells6 WHERE f = 0) z ON (z.r IS NOT DISTINCT FROM s.r)
UNION ALL
SELECT s.r, n.f, 0.0e0+0*s.ok FROM source0 s CROSS JOIN outputs7 n WHERE s.ok IS NULL AND n.f <> 0) s

-- ======== bigquery
WITH source0 AS (SELECT r, r AS c0, CASE WHEN counted = present THEN 0.353553391 ELSE ERROR('sqlrp: a feature is NULL and nulls = \'error\': clean the row, or use nulls = \'zero\' or \'propagate\'') END AS ok FROM (SELECT `doc` AS r, count(*) AS counted, count(`value`) AS present FROM `counts` GROUP BY `doc`) s),
cells1 AS (SELECT `doc` AS r, CASE WHEN `feature` BETWEEN 0 AND 3 THEN `feature` WHEN `feature` IS NOT NULL THEN ERROR('sqlrp: a feature in \'feature\' is outside 0 ... 3: positions count from 0; raise n_features') END AS f, CAST(`value` AS FLOAT64) AS x FROM `counts`),
features2 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS INT64) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
cells3 AS (SELECT r, f, SUM(x) AS x FROM cells1 GROUP BY r, f),
picks4 AS (SELECT c, f FROM UNNEST([STRUCT(0 AS c, 2 AS f), STRUCT(1, 3)])),
totals5 AS (SELECT r, SUM(x) AS m FROM cells3 GROUP BY r),
cells6 AS (SELECT s.r AS r, p.c AS f, 4.0e0 * coalesce(k.x, 0.0e0) - 2.0e0 * coalesce(CAST(t.m AS FLOAT64), 0.0e0) AS x
FROM source0 s CROSS JOIN picks4 p
LEFT JOIN totals5 t ON (t.r IS NOT DISTINCT FROM s.r) LEFT JOIN cells3 k ON (k.r IS NOT DISTINCT FROM s.r) AND k.f = p.f),
outputs7 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS INT64) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2)
SELECT r AS `doc`, f AS component, 0.353553391*CAST(x AS FLOAT64) AS value
FROM (SELECT z.r AS r, z.f AS f, z.x AS x FROM cells6 z WHERE z.f <> 0 AND z.x <> 0.0e0 AND NOT EXISTS (SELECT 1 FROM source0 s WHERE (s.r IS NOT DISTINCT FROM z.r) AND s.ok IS NULL)
UNION ALL
SELECT s.r, 0, coalesce(z.x, 0.0e0)+0*s.ok FROM source0 s
LEFT JOIN (SELECT r, x FROM cells6 WHERE f = 0) z ON (z.r IS NOT DISTINCT FROM s.r)
UNION ALL
SELECT s.r, n.f, 0.0e0+0*s.ok FROM source0 s CROSS JOIN outputs7 n WHERE s.ok IS NULL AND n.f <> 0) s

-- ======== redshift
WITH source0 AS (SELECT r, r AS c0, CASE WHEN counted = present THEN CAST('0.353553391' AS DOUBLE PRECISION) ELSE CAST(concat('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''', substr(CAST(CASE WHEN counted = present THEN 1 ELSE 0 END AS VARCHAR), 1, 0)) AS BIGINT) END AS ok FROM (SELECT "doc" AS r, count(*) AS counted, count("value") AS present FROM "counts" GROUP BY "doc") s),
cells1 AS (SELECT "doc" AS r, CASE WHEN "feature" BETWEEN 0 AND 3 THEN "feature" WHEN "feature" IS NOT NULL THEN CAST(concat('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features', substr(CAST(CASE WHEN "feature" > 0 THEN 1 ELSE 0 END AS VARCHAR), 1, 0)) AS BIGINT) END AS f, CAST("value" AS DOUBLE PRECISION) AS x FROM "counts"),
features2 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
cells3 AS (SELECT r, f, SUM(x) AS x FROM cells1 GROUP BY r, f),
picks4 AS (SELECT 0 AS c, 2 AS f UNION ALL SELECT 1 AS c, 3 AS f),
totals5 AS (SELECT r, SUM(x) AS m FROM cells3 GROUP BY r),
cells6 AS (SELECT s.r AS r, p.c AS f, CAST('4.0' AS DOUBLE PRECISION) * coalesce(k.x, CAST('0.0' AS DOUBLE PRECISION)) - CAST('2.0' AS DOUBLE PRECISION) * coalesce(CAST(t.m AS DOUBLE PRECISION), CAST('0.0' AS DOUBLE PRECISION)) AS x
FROM source0 s CROSS JOIN picks4 p
LEFT JOIN totals5 t ON (t.r = s.r OR (t.r IS NULL AND s.r IS NULL)) LEFT JOIN cells3 k ON (k.r = s.r OR (k.r IS NULL AND s.r IS NULL)) AND k.f = p.f),
outputs7 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2)
SELECT r AS "doc", f AS component, CAST('0.353553391' AS DOUBLE PRECISION)*CAST(x AS DOUBLE PRECISION) AS value
FROM (SELECT z.r AS r, z.f AS f, z.x AS x FROM cells6 z WHERE z.f <> 0 AND z.x <> CAST('0.0' AS DOUBLE PRECISION) AND NOT EXISTS (SELECT 1 FROM source0 s WHERE (s.r = z.r OR (s.r IS NULL AND z.r IS NULL)) AND s.ok IS NULL)
UNION ALL
SELECT s.r, 0, coalesce(z.x, CAST('0.0' AS DOUBLE PRECISION))+0*s.ok FROM source0 s
LEFT JOIN (SELECT r, x FROM cells6 WHERE f = 0) z ON (z.r = s.r OR (z.r IS NULL AND s.r IS NULL))
UNION ALL
SELECT s.r, n.f, CAST('0.0' AS DOUBLE PRECISION)+0*s.ok FROM source0 s CROSS JOIN outputs7 n WHERE s.ok IS NULL AND n.f <> 0) s

-- ======== databricks
WITH source0 AS (SELECT r, r AS c0, CASE WHEN counted = present THEN 0.353553391 ELSE raise_error('sqlrp: a feature is NULL and nulls = \'error\': clean the row, or use nulls = \'zero\' or \'propagate\'') END AS ok FROM (SELECT `doc` AS r, count(*) AS counted, count(`value`) AS present FROM `counts` GROUP BY `doc`) s),
cells1 AS (SELECT `doc` AS r, CASE WHEN `feature` BETWEEN 0 AND 3 THEN `feature` WHEN `feature` IS NOT NULL THEN raise_error('sqlrp: a feature in \'feature\' is outside 0 ... 3: positions count from 0; raise n_features') END AS f, CAST(`value` AS DOUBLE) AS x FROM `counts`),
features2 AS (SELECT id AS f FROM range(4)),
cells3 AS (SELECT r, f, SUM(x) AS x FROM cells1 GROUP BY r, f),
picks4 AS (SELECT c, f FROM (VALUES (0, 2), (1, 3)) AS listed(c, f)),
totals5 AS (SELECT r, SUM(x) AS m FROM cells3 GROUP BY r),
cells6 AS (SELECT s.r AS r, p.c AS f, 4.0e0 * coalesce(k.x, 0.0e0) - 2.0e0 * coalesce(CAST(t.m AS DOUBLE), 0.0e0) AS x
FROM source0 s CROSS JOIN picks4 p
LEFT JOIN totals5 t ON (t.r IS NOT DISTINCT FROM s.r) LEFT JOIN cells3 k ON (k.r IS NOT DISTINCT FROM s.r) AND k.f = p.f),
outputs7 AS (SELECT id AS f FROM range(2))
SELECT r AS `doc`, f AS component, 0.353553391*CAST(x AS DOUBLE) AS value
FROM (SELECT z.r AS r, z.f AS f, z.x AS x FROM cells6 z WHERE z.f <> 0 AND z.x <> 0.0e0 AND NOT EXISTS (SELECT 1 FROM source0 s WHERE (s.r IS NOT DISTINCT FROM z.r) AND s.ok IS NULL)
UNION ALL
SELECT s.r, 0, coalesce(z.x, 0.0e0)+0*s.ok FROM source0 s
LEFT JOIN (SELECT r, x FROM cells6 WHERE f = 0) z ON (z.r IS NOT DISTINCT FROM s.r)
UNION ALL
SELECT s.r, n.f, 0.0e0+0*s.ok FROM source0 s CROSS JOIN outputs7 n WHERE s.ok IS NULL AND n.f <> 0) s

-- ======== sqlserver
-- 17 statements: run them in this order in one session. Statement 9 returns the rows.
SELECT * INTO #sqlrp_temporary_0 FROM (SELECT r, r AS c0, CASE WHEN counted = present THEN 0.353553391 ELSE CAST(CONCAT('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''', LEFT(CAST(NEWID() AS VARCHAR(36)), 0)) AS BIGINT) END AS ok FROM (SELECT [doc] AS r, count(*) AS counted, count([value]) AS present FROM [counts] GROUP BY [doc]) s) s;
SELECT * INTO #sqlrp_temporary_1 FROM (SELECT [doc] AS r, CASE WHEN [feature] BETWEEN 0 AND 3 THEN [feature] WHEN [feature] IS NOT NULL THEN CAST(CONCAT('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features', LEFT(CAST(NEWID() AS VARCHAR(36)), 0)) AS BIGINT) END AS f, CAST([value] AS FLOAT) AS x FROM [counts]) s;
SELECT * INTO #sqlrp_temporary_2 FROM (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) s;
SELECT * INTO #sqlrp_temporary_3 FROM (SELECT r, f, SUM(x) AS x FROM #sqlrp_temporary_1 GROUP BY r, f) s;
SELECT * INTO #sqlrp_temporary_4 FROM (SELECT c, f FROM (VALUES (0, 2), (1, 3)) AS listed(c, f)) s;
SELECT * INTO #sqlrp_temporary_5 FROM (SELECT r, SUM(x) AS m FROM #sqlrp_temporary_3 GROUP BY r) s;
SELECT * INTO #sqlrp_temporary_6 FROM (SELECT s.r AS r, p.c AS f, 4.0e0 * coalesce(k.x, 0.0e0) - 2.0e0 * coalesce(CAST(t.m AS FLOAT), 0.0e0) AS x
FROM #sqlrp_temporary_0 s CROSS JOIN #sqlrp_temporary_4 p
LEFT JOIN #sqlrp_temporary_5 t ON EXISTS (SELECT t.r INTERSECT SELECT s.r) LEFT JOIN #sqlrp_temporary_3 k ON EXISTS (SELECT k.r INTERSECT SELECT s.r) AND k.f = p.f) s;
SELECT * INTO #sqlrp_temporary_7 FROM (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2) s;
SELECT r AS [doc], f AS component, 0.353553391*CAST(x AS FLOAT) AS value
FROM (SELECT z.r AS r, z.f AS f, z.x AS x FROM #sqlrp_temporary_6 z WHERE z.f <> 0 AND z.x <> 0.0e0 AND NOT EXISTS (SELECT 1 FROM #sqlrp_temporary_0 s WHERE EXISTS (SELECT s.r INTERSECT SELECT z.r) AND s.ok IS NULL)
UNION ALL
SELECT s.r, 0, coalesce(z.x, 0.0e0)+0*s.ok FROM #sqlrp_temporary_0 s
LEFT JOIN (SELECT r, x FROM #sqlrp_temporary_6 WHERE f = 0) z ON EXISTS (SELECT z.r INTERSECT SELECT s.r)
UNION ALL
SELECT s.r, n.f, 0.0e0+0*s.ok FROM #sqlrp_temporary_0 s CROSS JOIN #sqlrp_temporary_7 n WHERE s.ok IS NULL AND n.f <> 0) s;
DROP TABLE IF EXISTS #sqlrp_temporary_7;
DROP TABLE IF EXISTS #sqlrp_temporary_6;
DROP TABLE IF EXISTS #sqlrp_temporary_5;
DROP TABLE IF EXISTS #sqlrp_temporary_4;
DROP TABLE IF EXISTS #sqlrp_temporary_3;
DROP TABLE IF EXISTS #sqlrp_temporary_2;
DROP TABLE IF EXISTS #sqlrp_temporary_1;
DROP TABLE IF EXISTS #sqlrp_temporary_0;


-- ======== oracle
WITH source0 AS (SELECT r, r AS c0, CASE WHEN counted = present THEN CAST(0.353553391 AS BINARY_DOUBLE) ELSE TO_NUMBER('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''' || substr(RAWTOHEX(SYS_GUID()), 1, 0)) END AS ok FROM (SELECT "doc" AS r, count(*) AS counted, count("value") AS present FROM "counts" GROUP BY "doc") s),
cells1 AS (SELECT "doc" AS r, CASE WHEN "feature" BETWEEN 0 AND 3 THEN "feature" WHEN "feature" IS NOT NULL THEN TO_NUMBER('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features' || substr(RAWTOHEX(SYS_GUID()), 1, 0)) END AS f, CAST("value" AS BINARY_DOUBLE) AS x FROM "counts"),
features2 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS NUMBER(19)) AS f FROM (SELECT 0 AS d FROM dual UNION ALL SELECT 1 FROM dual UNION ALL SELECT 2 FROM dual UNION ALL SELECT 3 FROM dual UNION ALL SELECT 4 FROM dual UNION ALL SELECT 5 FROM dual UNION ALL SELECT 6 FROM dual UNION ALL SELECT 7 FROM dual UNION ALL SELECT 8 FROM dual UNION ALL SELECT 9 FROM dual) d0 WHERE 1 * d0.d < 4),
cells3 AS (SELECT r, f, SUM(x) AS x FROM cells1 GROUP BY r, f),
picks4 AS (SELECT c, f FROM (SELECT 0 AS c, 2 AS f FROM dual UNION ALL SELECT 1 AS c, 3 AS f FROM dual) s),
totals5 AS (SELECT r, SUM(x) AS m FROM cells3 GROUP BY r),
cells6 AS (SELECT s.r AS r, p.c AS f, CAST(4.0e0 AS BINARY_DOUBLE) * coalesce(k.x, CAST(0.0e0 AS BINARY_DOUBLE)) - CAST(2.0e0 AS BINARY_DOUBLE) * coalesce(CAST(t.m AS BINARY_DOUBLE), CAST(0.0e0 AS BINARY_DOUBLE)) AS x
FROM source0 s CROSS JOIN picks4 p
LEFT JOIN totals5 t ON (t.r = s.r OR (t.r IS NULL AND s.r IS NULL)) LEFT JOIN cells3 k ON (k.r = s.r OR (k.r IS NULL AND s.r IS NULL)) AND k.f = p.f),
outputs7 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS NUMBER(19)) AS f FROM (SELECT 0 AS d FROM dual UNION ALL SELECT 1 FROM dual UNION ALL SELECT 2 FROM dual UNION ALL SELECT 3 FROM dual UNION ALL SELECT 4 FROM dual UNION ALL SELECT 5 FROM dual UNION ALL SELECT 6 FROM dual UNION ALL SELECT 7 FROM dual UNION ALL SELECT 8 FROM dual UNION ALL SELECT 9 FROM dual) d0 WHERE 1 * d0.d < 2)
SELECT r AS "doc", f AS component, CAST(0.353553391 AS BINARY_DOUBLE)*CAST(x AS BINARY_DOUBLE) AS value
FROM (SELECT z.r AS r, z.f AS f, z.x AS x FROM cells6 z WHERE z.f <> 0 AND z.x <> CAST(0.0e0 AS BINARY_DOUBLE) AND NOT EXISTS (SELECT 1 FROM source0 s WHERE (s.r = z.r OR (s.r IS NULL AND z.r IS NULL)) AND s.ok IS NULL)
UNION ALL
SELECT s.r, 0, coalesce(z.x, CAST(0.0e0 AS BINARY_DOUBLE))+0*s.ok FROM source0 s
LEFT JOIN (SELECT r, x FROM cells6 WHERE f = 0) z ON (z.r = s.r OR (z.r IS NULL AND s.r IS NULL))
UNION ALL
SELECT s.r, n.f, CAST(0.0e0 AS BINARY_DOUBLE)+0*s.ok FROM source0 s CROSS JOIN outputs7 n WHERE s.ok IS NULL AND n.f <> 0) s

-- ======== generic
-- UnsupportedError: generic knows no expression that fails on every engine, so nulls = 'error' is not supported: use 'propagate' or 'zero'
