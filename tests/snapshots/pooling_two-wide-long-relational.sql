-- BilinearPooling(k=2, s=1, seed=1, p=None, t=1, normalise=True, split=1)
-- wide rows of doubles; output = 'long', nulls = 'error', scale = True, lowering = 'relational'

-- ======== duckdb
WITH source0 AS MATERIALIZED (SELECT "id" AS c0, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 ELSE error('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''') END AS ok, row_number() OVER () AS r, [CAST("a" AS DOUBLE), CAST("b" AS DOUBLE), CAST("it's c" AS DOUBLE), CAST("d ""quoted""" AS DOUBLE)] AS x FROM "shop"."images"),
cells1 AS MATERIALIZED (SELECT r, unnest(range(len(x))) AS f, unnest(x) AS x FROM source0),
features2 AS MATERIALIZED (SELECT CAST(range AS BIGINT) AS f FROM range(4)),
signs3 AS MATERIALIZED (SELECT unnest(CAST(string_split(concat('0,1,2,3,4,5,6,7,4,5,6,7,4,5,6,7', t), ',') AS BIGINT[])) AS c, unnest(CAST(string_split(concat('0,0,0,0,1,1,1,1,2,2,2,2,3,3,3,3', t), ',') AS BIGINT[])) AS f, unnest(CAST(string_split(concat('-1,1,-1,1,-1,-1,1,-1,1,1,1,1,1,-1,-1,-1', t), ',') AS BIGINT[])) AS sign FROM (VALUES ('')) v(t)),
sums4 AS MATERIALIZED (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM cells1 JOIN signs3 USING (f)
GROUP BY r, c),
features5 AS MATERIALIZED (SELECT CAST(range AS BIGINT) AS f FROM range(8)),
cells6 AS MATERIALIZED (SELECT r, f, x FROM sums4 UNION ALL
SELECT odd.r, e.f, 0.0e0 FROM (SELECT DISTINCT r FROM sums4 WHERE NOT isfinite(x)) odd
CROSS JOIN features5 e
WHERE NOT EXISTS (SELECT 1 FROM sums4 k WHERE k.r = odd.r AND k.f = e.f)),
index_table7 AS MATERIALIZED (SELECT unnest(CAST(string_split(concat('0,1', t), ',') AS BIGINT[])) AS c, unnest(CAST(string_split(concat('3,2', t), ',') AS BIGINT[])) AS v0, unnest(CAST(string_split(concat('4,5', t), ',') AS BIGINT[])) AS v1 FROM (VALUES ('')) v(t)),
products8 AS MATERIALIZED (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS DOUBLE)*CAST(k1.x AS DOUBLE)) AS x
FROM index_table7 i JOIN cells6 k0 ON k0.f = i.v0 JOIN cells6 k1 ON k1.f = i.v1 AND k0.r = k1.r
GROUP BY k0.r, i.c),
groups9 AS MATERIALIZED (SELECT c0 AS r, c0, CASE WHEN count(ok) = count(*) THEN 0 END AS ok FROM source0 GROUP BY c0),
cells10 AS MATERIALIZED (SELECT s.c0 AS r, k.f AS f, CAST(SUM(k.x) AS DOUBLE) AS x FROM products8 k JOIN source0 s ON k.r = s.r GROUP BY s.c0, k.f),
outputs11 AS MATERIALIZED (SELECT CAST(range AS BIGINT) AS f FROM range(2)),
result12 AS MATERIALIZED (SELECT s.r AS r, s.c0 AS c0, s.ok AS ok, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM groups9 s CROSS JOIN outputs11 n
LEFT JOIN cells10 z ON (z.r IS NOT DISTINCT FROM s.r) AND z.f = n.f),
mapped13 AS MATERIALIZED (SELECT r, c0, ok, f, CASE WHEN x < 0 THEN -sqrt(-x) ELSE sqrt(x) END AS x FROM result12),
normalised14 AS MATERIALIZED (SELECT r, c0, ok, f, x/CASE WHEN n = 0 THEN 1 ELSE n END AS x FROM (SELECT r, c0, ok, f, x, sqrt(SUM(x*x) OVER (PARTITION BY r)) AS n FROM mapped13) s)
SELECT c0 AS "id", f AS component, CAST(x AS DOUBLE)+ok AS value
FROM normalised14

-- ======== postgresql
WITH source0 AS MATERIALIZED (SELECT "id" AS c0, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 ELSE CAST('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''' || left(CAST(clock_timestamp() AS text), 0) AS bigint) END AS ok, row_number() OVER () AS r, ARRAY[CAST("a" AS double precision),CAST("b" AS double precision),CAST("it's c" AS double precision),CAST("d ""quoted""" AS double precision)] AS x FROM "shop"."images"),
cells1 AS MATERIALIZED (SELECT r, o - 1 AS f, e AS x
FROM source0, unnest(x) WITH ORDINALITY AS u(e, o)),
features2 AS MATERIALIZED (SELECT f FROM generate_series(CAST(0 AS bigint), 3) g(f)),
signs3 AS MATERIALIZED (SELECT unnest(CAST('{0,1,2,3,4,5,6,7,4,5,6,7,4,5,6,7}' AS bigint[])) AS c, unnest(CAST('{0,0,0,0,1,1,1,1,2,2,2,2,3,3,3,3}' AS bigint[])) AS f, unnest(CAST('{-1,1,-1,1,-1,-1,1,-1,1,1,1,1,1,-1,-1,-1}' AS bigint[])) AS sign),
sums4 AS MATERIALIZED (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE CAST('0.0' AS double precision) - x END) AS x
FROM cells1 JOIN signs3 USING (f)
GROUP BY r, c),
features5 AS MATERIALIZED (SELECT f FROM generate_series(CAST(0 AS bigint), 7) g(f)),
cells6 AS MATERIALIZED (SELECT r, f, x FROM sums4 UNION ALL
SELECT odd.r, e.f, CAST('0.0' AS double precision) FROM (SELECT DISTINCT r FROM sums4 WHERE NOT (x NOT IN ('NaN', 'Infinity', '-Infinity'))) odd
CROSS JOIN features5 e
WHERE NOT EXISTS (SELECT 1 FROM sums4 k WHERE k.r = odd.r AND k.f = e.f)),
index_table7 AS MATERIALIZED (SELECT unnest(CAST('{0,1}' AS bigint[])) AS c, unnest(CAST('{3,2}' AS bigint[])) AS v0, unnest(CAST('{4,5}' AS bigint[])) AS v1),
products8 AS MATERIALIZED (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS double precision)*CAST(k1.x AS double precision)) AS x
FROM index_table7 i JOIN cells6 k0 ON k0.f = i.v0 JOIN cells6 k1 ON k1.f = i.v1 AND k0.r = k1.r
GROUP BY k0.r, i.c),
groups9 AS MATERIALIZED (SELECT c0 AS r, c0, CASE WHEN count(ok) = count(*) THEN 0 END AS ok FROM source0 GROUP BY c0),
cells10 AS MATERIALIZED (SELECT s.c0 AS r, k.f AS f, CAST(SUM(k.x) AS double precision) AS x FROM products8 k JOIN source0 s ON k.r = s.r GROUP BY s.c0, k.f),
outputs11 AS MATERIALIZED (SELECT f FROM generate_series(CAST(0 AS bigint), 1) g(f)),
result12 AS MATERIALIZED (SELECT s.r AS r, s.c0 AS c0, s.ok AS ok, n.f AS f, coalesce(z.x, CAST('0.0' AS double precision)) AS x
FROM groups9 s CROSS JOIN outputs11 n
LEFT JOIN cells10 z ON ARRAY[z.r] = ARRAY[s.r] AND z.f = n.f),
mapped13 AS MATERIALIZED (SELECT r, c0, ok, f, CASE WHEN x < 0 THEN -sqrt(-x) ELSE sqrt(x) END AS x FROM result12),
normalised14 AS MATERIALIZED (SELECT r, c0, ok, f, x/CASE WHEN n = 0 THEN 1 ELSE n END AS x FROM (SELECT r, c0, ok, f, x, sqrt(SUM(x*x) OVER (PARTITION BY r)) AS n FROM mapped13) s)
SELECT c0 AS "id", f AS component, CAST(x AS double precision)+ok AS value
FROM normalised14

-- ======== sqlite
WITH source0 AS MATERIALIZED (SELECT `id` AS c0, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 ELSE json_type('{}', 'sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''' || substr(random(), 1, 0)) END AS ok, row_number() OVER () AS r, CASE WHEN `a` >= '' THEN json_type('{}', 'sqlrp: a feature in `a` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`a` AS REAL) END AS x0, CASE WHEN `b` >= '' THEN json_type('{}', 'sqlrp: a feature in `b` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`b` AS REAL) END AS x1, CASE WHEN `it's c` >= '' THEN json_type('{}', 'sqlrp: a feature in `it''s c` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`it's c` AS REAL) END AS x2, CASE WHEN `d "quoted"` >= '' THEN json_type('{}', 'sqlrp: a feature in `d "quoted"` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`d "quoted"` AS REAL) END AS x3 FROM `shop`.`images`),
cells1 AS MATERIALIZED (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM source0 CROSS JOIN (WITH RECURSIVE counted AS (SELECT 0 AS n UNION ALL SELECT n + 1 FROM counted WHERE n < 3) SELECT n FROM counted) counted),
features2 AS MATERIALIZED (WITH RECURSIVE counted AS (SELECT 0 AS f UNION ALL SELECT f + 1 FROM counted WHERE f < 3) SELECT f FROM counted),
signs3 AS MATERIALIZED (SELECT CAST(json_extract(value, '$[0]') AS INTEGER) AS c, CAST(json_extract(value, '$[1]') AS INTEGER) AS f, CAST(json_extract(value, '$[2]') AS INTEGER) AS sign FROM json_each('[[0,0,-1],[1,0,1],[2,0,-1],[3,0,1],[4,1,-1],[5,1,-1],[6,1,1],[7,1,-1],[4,2,1],[5,2,1],[6,2,1],[7,2,1],[4,3,1],[5,3,-1],[6,3,-1],[7,3,-1]]')),
sums4 AS MATERIALIZED (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM cells1 JOIN signs3 USING (f)
GROUP BY r, c),
features5 AS MATERIALIZED (WITH RECURSIVE counted AS (SELECT 0 AS f UNION ALL SELECT f + 1 FROM counted WHERE f < 7) SELECT f FROM counted),
index_table6 AS MATERIALIZED (SELECT CAST(json_extract(value, '$[0]') AS INTEGER) AS c, CAST(json_extract(value, '$[1]') AS INTEGER) AS v0, CAST(json_extract(value, '$[2]') AS INTEGER) AS v1 FROM json_each('[[0,3,4],[1,2,5]]')),
products7 AS MATERIALIZED (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS REAL)*CAST(k1.x AS REAL)) AS x
FROM index_table6 i JOIN sums4 k0 ON k0.f = i.v0 JOIN sums4 k1 ON k1.f = i.v1 AND k0.r = k1.r
GROUP BY k0.r, i.c),
groups8 AS MATERIALIZED (SELECT c0 AS r, c0, CASE WHEN count(ok) = count(*) THEN 0 END AS ok FROM source0 GROUP BY c0),
cells9 AS MATERIALIZED (SELECT s.c0 AS r, k.f AS f, CAST(SUM(k.x) AS REAL) AS x FROM products7 k JOIN source0 s ON k.r = s.r GROUP BY s.c0, k.f),
outputs10 AS MATERIALIZED (WITH RECURSIVE counted AS (SELECT 0 AS f UNION ALL SELECT f + 1 FROM counted WHERE f < 1) SELECT f FROM counted),
result11 AS MATERIALIZED (SELECT s.r AS r, s.c0 AS c0, s.ok AS ok, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM groups8 s CROSS JOIN outputs10 n
LEFT JOIN cells9 z ON (z.r IS s.r) AND z.f = n.f),
mapped12 AS MATERIALIZED (SELECT r, c0, ok, f, CASE WHEN x < 0 THEN -sqrt(-x) ELSE sqrt(x) END AS x FROM result11),
normalised13 AS MATERIALIZED (SELECT r, c0, ok, f, x/CASE WHEN n = 0 THEN 1 ELSE n END AS x FROM (SELECT r, c0, ok, f, x, sqrt(SUM(x*x) OVER (PARTITION BY r)) AS n FROM mapped12) s)
SELECT c0 AS `id`, f AS component, CAST(x AS REAL)+ok AS value
FROM normalised13

-- ======== mariadb
-- 3 statements: run them in this order in one session. Statement 2 returns the rows.
CREATE TEMPORARY TABLE sqlrp_temporary_0 (KEY (r)) ENGINE=Aria AS SELECT `id` AS c0, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 ELSE (9223372036854775807 + char_length(concat('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''', rand()))) END AS ok, row_number() OVER () AS r, CAST(`a` AS DOUBLE) AS x0, CAST(`b` AS DOUBLE) AS x1, CAST(`it's c` AS DOUBLE) AS x2, CAST(`d "quoted"` AS DOUBLE) AS x3 FROM `shop`.`images`;
WITH cells0 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM sqlrp_temporary_0 CROSS JOIN (SELECT CAST(seq AS SIGNED) AS n FROM seq_0_to_3) counted LIMIT 18446744073709551615),
features1 AS (SELECT CAST(seq AS SIGNED) AS f FROM seq_0_to_3 LIMIT 18446744073709551615),
signs2 AS (SELECT c, f, sign FROM JSON_TABLE('[[0,0,-1],[1,0,1],[2,0,-1],[3,0,1],[4,1,-1],[5,1,-1],[6,1,1],[7,1,-1],[4,2,1],[5,2,1],[6,2,1],[7,2,1],[4,3,1],[5,3,-1],[6,3,-1],[7,3,-1]]', '$[*]' COLUMNS (c BIGINT PATH '$[0]', f BIGINT PATH '$[1]', sign BIGINT PATH '$[2]')) listed LIMIT 18446744073709551615),
sums3 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM cells0 JOIN signs2 USING (f)
GROUP BY r, c LIMIT 18446744073709551615),
features4 AS (SELECT CAST(seq AS SIGNED) AS f FROM seq_0_to_7 LIMIT 18446744073709551615),
index_table5 AS (SELECT c, v0, v1 FROM JSON_TABLE('[[0,3,4],[1,2,5]]', '$[*]' COLUMNS (c BIGINT PATH '$[0]', v0 BIGINT PATH '$[1]', v1 BIGINT PATH '$[2]')) listed LIMIT 18446744073709551615),
products6 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS DOUBLE)*CAST(k1.x AS DOUBLE)) AS x
FROM index_table5 i JOIN sums3 k0 ON k0.f = i.v0 JOIN sums3 k1 ON k1.f = i.v1 AND k0.r = k1.r
GROUP BY k0.r, i.c LIMIT 18446744073709551615),
groups7 AS (SELECT c0 AS r, c0, CASE WHEN count(ok) = count(*) THEN 0 END AS ok FROM sqlrp_temporary_0 GROUP BY c0 LIMIT 18446744073709551615),
cells8 AS (SELECT s.c0 AS r, k.f AS f, CAST(SUM(k.x) AS DOUBLE) AS x FROM products6 k JOIN sqlrp_temporary_0 s ON k.r = s.r GROUP BY s.c0, k.f LIMIT 18446744073709551615),
outputs9 AS (SELECT CAST(seq AS SIGNED) AS f FROM seq_0_to_1 LIMIT 18446744073709551615),
result10 AS (SELECT s.r AS r, s.c0 AS c0, s.ok AS ok, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM groups7 s CROSS JOIN outputs9 n
LEFT JOIN cells8 z ON (z.r <=> s.r) AND z.f = n.f LIMIT 18446744073709551615),
mapped11 AS (SELECT r, c0, ok, f, CASE WHEN x < 0 THEN -sqrt(-x) ELSE sqrt(x) END AS x FROM result10 LIMIT 18446744073709551615),
normalised12 AS (SELECT r, c0, ok, f, x/CASE WHEN n = 0 THEN 1 ELSE n END AS x FROM (SELECT r, c0, ok, f, x, sqrt(SUM(x*x) OVER (PARTITION BY r)) AS n FROM mapped11) s LIMIT 18446744073709551615)
SELECT c0 AS `id`, f AS component, CAST(x AS DOUBLE)+ok AS value
FROM normalised12;
DROP TEMPORARY TABLE IF EXISTS sqlrp_temporary_0;


-- ======== mysql
WITH source0 AS (SELECT `id` AS c0, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 ELSE (9223372036854775807 + char_length(concat('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''', rand()))) END AS ok, row_number() OVER () AS r, CAST(`a` AS DOUBLE) AS x0, CAST(`b` AS DOUBLE) AS x1, CAST(`it's c` AS DOUBLE) AS x2, CAST(`d "quoted"` AS DOUBLE) AS x3 FROM `shop`.`images`),
cells1 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM source0 CROSS JOIN (SELECT CAST(n AS SIGNED) - 1 AS n FROM JSON_TABLE(concat('[0', repeat(',0', 3), ']'), '$[*]' COLUMNS (n FOR ORDINALITY)) listed) counted),
features2 AS (SELECT CAST(n AS SIGNED) - 1 AS f FROM JSON_TABLE(concat('[0', repeat(',0', 3), ']'), '$[*]' COLUMNS (n FOR ORDINALITY)) listed),
signs3 AS (SELECT c, f, sign FROM JSON_TABLE('[[0,0,-1],[1,0,1],[2,0,-1],[3,0,1],[4,1,-1],[5,1,-1],[6,1,1],[7,1,-1],[4,2,1],[5,2,1],[6,2,1],[7,2,1],[4,3,1],[5,3,-1],[6,3,-1],[7,3,-1]]', '$[*]' COLUMNS (c BIGINT PATH '$[0]', f BIGINT PATH '$[1]', sign BIGINT PATH '$[2]')) listed),
sums4 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM cells1 JOIN signs3 USING (f)
GROUP BY r, c),
features5 AS (SELECT CAST(n AS SIGNED) - 1 AS f FROM JSON_TABLE(concat('[0', repeat(',0', 7), ']'), '$[*]' COLUMNS (n FOR ORDINALITY)) listed),
index_table6 AS (SELECT c, v0, v1 FROM JSON_TABLE('[[0,3,4],[1,2,5]]', '$[*]' COLUMNS (c BIGINT PATH '$[0]', v0 BIGINT PATH '$[1]', v1 BIGINT PATH '$[2]')) listed),
products7 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS DOUBLE)*CAST(k1.x AS DOUBLE)) AS x
FROM index_table6 i JOIN sums4 k0 ON k0.f = i.v0 JOIN sums4 k1 ON k1.f = i.v1 AND k0.r = k1.r
GROUP BY k0.r, i.c),
groups8 AS (SELECT c0 AS r, c0, CASE WHEN count(ok) = count(*) THEN 0 END AS ok FROM source0 GROUP BY c0),
cells9 AS (SELECT s.c0 AS r, k.f AS f, CAST(SUM(k.x) AS DOUBLE) AS x FROM products7 k JOIN source0 s ON k.r = s.r GROUP BY s.c0, k.f),
outputs10 AS (SELECT CAST(n AS SIGNED) - 1 AS f FROM JSON_TABLE(concat('[0', repeat(',0', 1), ']'), '$[*]' COLUMNS (n FOR ORDINALITY)) listed),
result11 AS (SELECT s.r AS r, s.c0 AS c0, s.ok AS ok, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM groups8 s CROSS JOIN outputs10 n
LEFT JOIN cells9 z ON (z.r <=> s.r) AND z.f = n.f),
mapped12 AS (SELECT r, c0, ok, f, CASE WHEN x < 0 THEN -sqrt(-x) ELSE sqrt(x) END AS x FROM result11),
normalised13 AS (SELECT r, c0, ok, f, x/CASE WHEN n = 0 THEN 1 ELSE n END AS x FROM (SELECT r, c0, ok, f, x, sqrt(SUM(x*x) OVER (PARTITION BY r)) AS n FROM mapped12) s)
SELECT c0 AS `id`, f AS component, CAST(x AS DOUBLE)+ok AS value
FROM normalised13

-- ======== clickhouse
-- 31 statements: run them in this order in one session. Statement 16 returns the rows.
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_0 ENGINE = Memory AS SELECT `id` AS c0, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 ELSE throwIf(1, 'sqlrp: a feature is NULL and nulls = \'error\': clean the row, or use nulls = \'zero\' or \'propagate\'') END AS ok, toInt64(row_number() OVER ()) AS r, [CAST(`a` AS Float64),CAST(`b` AS Float64),CAST(`it's c` AS Float64),CAST(`d "quoted"` AS Float64)] AS x FROM `shop`.`images`
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_1 ENGINE = Memory AS SELECT r, toInt64(o) - 1 AS f, e AS x
FROM sqlrp_temporary_0 ARRAY JOIN x AS e, arrayEnumerate(x) AS o
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_2 ENGINE = Memory AS SELECT toInt64(number) AS f FROM numbers(4)
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_3 ENGINE = Memory AS SELECT c, f, sign FROM (SELECT CAST('[0, 1, 2, 3, 4, 5, 6, 7, 4, 5, 6, 7, 4, 5, 6, 7]' AS Array(Int64)) AS c, CAST('[0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]' AS Array(Int64)) AS f, CAST('[-1, 1, -1, 1, -1, -1, 1, -1, 1, 1, 1, 1, 1, -1, -1, -1]' AS Array(Int64)) AS sign) s ARRAY JOIN c, f, sign
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_4 ENGINE = Memory AS SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM sqlrp_temporary_1 JOIN sqlrp_temporary_3 USING (f)
GROUP BY r, c
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_5 ENGINE = Memory AS SELECT toInt64(number) AS f FROM numbers(8)
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_6 ENGINE = Memory AS SELECT r, f, x FROM sqlrp_temporary_4 UNION ALL
SELECT odd.r, e.f, 0.0e0 FROM (SELECT DISTINCT r FROM sqlrp_temporary_4 WHERE NOT isFinite(x)) odd
CROSS JOIN sqlrp_temporary_5 e
WHERE NOT EXISTS (SELECT 1 FROM sqlrp_temporary_4 k WHERE k.r = odd.r AND k.f = e.f)
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_7 ENGINE = Memory AS SELECT c, v0, v1 FROM (SELECT CAST('[0, 1]' AS Array(Int64)) AS c, CAST('[3, 2]' AS Array(Int64)) AS v0, CAST('[4, 5]' AS Array(Int64)) AS v1) s ARRAY JOIN c, v0, v1
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_8 ENGINE = Memory AS SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS Float64)*CAST(k1.x AS Float64)) AS x
FROM sqlrp_temporary_7 i JOIN sqlrp_temporary_6 k0 ON k0.f = i.v0 JOIN sqlrp_temporary_6 k1 ON k1.f = i.v1 AND k0.r = k1.r
GROUP BY k0.r, i.c
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_9 ENGINE = Memory AS SELECT c0 AS r, c0, CASE WHEN count(ok) = count(*) THEN 0 END AS ok FROM sqlrp_temporary_0 GROUP BY c0
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_10 ENGINE = Memory AS SELECT s.c0 AS r, k.f AS f, CAST(SUM(k.x) AS Float64) AS x FROM sqlrp_temporary_8 k JOIN sqlrp_temporary_0 s ON k.r = s.r GROUP BY s.c0, k.f
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_11 ENGINE = Memory AS SELECT toInt64(number) AS f FROM numbers(2)
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_12 ENGINE = Memory AS SELECT s.r AS r, s.c0 AS c0, s.ok AS ok, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM sqlrp_temporary_9 s CROSS JOIN sqlrp_temporary_11 n
LEFT JOIN sqlrp_temporary_10 z ON (z.r IS NOT DISTINCT FROM s.r) AND z.f = n.f
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_13 ENGINE = Memory AS SELECT r, c0, ok, f, CASE WHEN x < 0 THEN -sqrt(-x) ELSE sqrt(x) END AS x FROM sqlrp_temporary_12
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_14 ENGINE = Memory AS SELECT r, c0, ok, f, x/CASE WHEN n = 0 THEN 1 ELSE n END AS x FROM (SELECT r, c0, ok, f, x, sqrt(SUM(x*x) OVER (PARTITION BY r)) AS n FROM sqlrp_temporary_13) s
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
SELECT c0 AS `id`, f AS component, CAST(x AS Float64)+ok AS value
FROM sqlrp_temporary_14
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
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
WITH source0 AS (SELECT `id` AS c0, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 ELSE raise_error('sqlrp: a feature is NULL and nulls = \'error\': clean the row, or use nulls = \'zero\' or \'propagate\'') END AS ok, (monotonically_increasing_id() + 1) AS r, array(CAST(`a` AS DOUBLE),CAST(`b` AS DOUBLE),CAST(`it's c` AS DOUBLE),CAST(`d "quoted"` AS DOUBLE)) AS x FROM `shop`.`images`),
cells1 AS (SELECT r, CAST(o AS BIGINT) AS f, e AS x
FROM source0 LATERAL VIEW posexplode(x) u AS o, e),
features2 AS (SELECT id AS f FROM range(4)),
signs3 AS (SELECT inline(arrays_zip(from_json('[0, 1, 2, 3, 4, 5, 6, 7, 4, 5, 6, 7, 4, 5, 6, 7]', 'ARRAY<BIGINT>'), from_json('[0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]', 'ARRAY<BIGINT>'), from_json('[-1, 1, -1, 1, -1, -1, 1, -1, 1, 1, 1, 1, 1, -1, -1, -1]', 'ARRAY<BIGINT>'))) AS (c, f, sign)),
sums4 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM cells1 JOIN signs3 USING (f)
GROUP BY r, c),
features5 AS (SELECT id AS f FROM range(8)),
lists6 AS (SELECT r, transform(array(collect_list(struct(CAST(f AS INT) AS o, CAST(x AS DOUBLE) AS v)) FILTER (WHERE CAST(x AS DOUBLE) IS NOT NULL)), p -> CASE WHEN size(p) = 8 THEN sort_array(p).v ELSE sort_array(concat(p, transform(array_except(sequence(0, 7), p.o), o -> struct(o, 0.0e0 AS v)))).v END)[0] AS x FROM sums4 GROUP BY r),
index_table7 AS (SELECT inline(arrays_zip(from_json('[0, 1]', 'ARRAY<BIGINT>'), from_json('[3, 2]', 'ARRAY<BIGINT>'), from_json('[4, 5]', 'ARRAY<BIGINT>'))) AS (c, v0, v1)),
products8 AS (SELECT k.r AS r, i.c AS f, SUM(CAST(k.x[i.v0] AS DOUBLE)*CAST(k.x[i.v1] AS DOUBLE)) AS x FROM lists6 k CROSS JOIN index_table7 i GROUP BY k.r, i.c),
groups9 AS (SELECT c0 AS r, c0, CASE WHEN count(ok) = count(*) THEN 0 END AS ok FROM source0 GROUP BY c0),
cells10 AS (SELECT s.c0 AS r, k.f AS f, CAST(SUM(k.x) AS DOUBLE) AS x FROM products8 k JOIN source0 s ON k.r = s.r GROUP BY s.c0, k.f),
outputs11 AS (SELECT id AS f FROM range(2)),
result12 AS (SELECT s.r AS r, s.c0 AS c0, s.ok AS ok, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM groups9 s CROSS JOIN outputs11 n
LEFT JOIN cells10 z ON (z.r <=> s.r) AND z.f = n.f),
mapped13 AS (SELECT r, c0, ok, f, CASE WHEN x < 0 THEN -sqrt(-x) ELSE sqrt(x) END AS x FROM result12),
normalised14 AS (SELECT r, c0, ok, f, x/CASE WHEN n = 0 THEN 1 ELSE n END AS x FROM (SELECT r, c0, ok, f, x, sqrt(SUM(x*x) OVER (PARTITION BY r)) AS n FROM mapped13) s)
SELECT c0 AS `id`, f AS component, CAST(x AS DOUBLE)+ok AS value
FROM normalised14

-- ======== snowflake
-- 3 statements: run them in this order in one session. Statement 2 returns the rows.
CREATE TEMPORARY TABLE sqlrp_temporary_0 AS SELECT "id" AS c0, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 ELSE CAST(concat('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''', substr(CAST(CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 1 ELSE 0 END AS VARCHAR), 1, 0)) AS BIGINT) END AS ok, row_number() OVER (ORDER BY NULL) AS r, CAST("a" AS DOUBLE) AS x0, CAST("b" AS DOUBLE) AS x1, CAST("it's c" AS DOUBLE) AS x2, CAST("d ""quoted""" AS DOUBLE) AS x3 FROM "shop"."images";
WITH cells0 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM sqlrp_temporary_0 CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) counted),
features1 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
signs2 AS (SELECT c, f, sign FROM (VALUES (0, 0, -1), (1, 0, 1), (2, 0, -1), (3, 0, 1), (4, 1, -1), (5, 1, -1), (6, 1, 1), (7, 1, -1), (4, 2, 1), (5, 2, 1), (6, 2, 1), (7, 2, 1), (4, 3, 1), (5, 3, -1), (6, 3, -1), (7, 3, -1)) AS listed(c, f, sign)),
sums3 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM cells0 JOIN signs2 USING (f)
GROUP BY r, c),
features4 AS (SELECT CAST(CASE WHEN 1 * d0.d < 8 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 8),
cells5 AS (SELECT r, f, x FROM sums3 UNION ALL
SELECT odd.r, e.f, 0.0e0 FROM (SELECT DISTINCT r FROM sums3 WHERE NOT (x - x = 0)) odd
CROSS JOIN features4 e
WHERE NOT EXISTS (SELECT 1 FROM sums3 k WHERE k.r = odd.r AND k.f = e.f)),
index_table6 AS (SELECT c, v0, v1 FROM (VALUES (0, 3, 4), (1, 2, 5)) AS listed(c, v0, v1)),
products7 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS DOUBLE)*CAST(k1.x AS DOUBLE)) AS x
FROM index_table6 i JOIN cells5 k0 ON k0.f = i.v0 JOIN cells5 k1 ON k1.f = i.v1 AND k0.r = k1.r
GROUP BY k0.r, i.c),
groups8 AS (SELECT c0 AS r, c0, CASE WHEN count(ok) = count(*) THEN 0 END AS ok FROM sqlrp_temporary_0 GROUP BY c0),
cells9 AS (SELECT s.c0 AS r, k.f AS f, CAST(SUM(k.x) AS DOUBLE) AS x FROM products7 k JOIN sqlrp_temporary_0 s ON k.r = s.r GROUP BY s.c0, k.f),
outputs10 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2),
result11 AS (SELECT s.r AS r, s.c0 AS c0, s.ok AS ok, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM groups8 s CROSS JOIN outputs10 n
LEFT JOIN cells9 z ON (z.r IS NOT DISTINCT FROM s.r) AND z.f = n.f),
mapped12 AS (SELECT r, c0, ok, f, CASE WHEN x < 0 THEN -sqrt(-x) ELSE sqrt(x) END AS x FROM result11),
normalised13 AS (SELECT r, c0, ok, f, x/CASE WHEN n = 0 THEN 1 ELSE n END AS x FROM (SELECT r, c0, ok, f, x, sqrt(SUM(x*x) OVER (PARTITION BY r)) AS n FROM mapped12) s)
SELECT c0 AS "id", f AS component, CAST(x AS DOUBLE)+ok AS value
FROM normalised13;
DROP TABLE IF EXISTS sqlrp_temporary_0;


-- ======== bigquery
-- 2 statements: run them in this order in one session. Statement 2 returns the rows.
CREATE TEMPORARY TABLE sqlrp_temporary_0 AS SELECT `id` AS c0, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 ELSE ERROR('sqlrp: a feature is NULL and nulls = \'error\': clean the row, or use nulls = \'zero\' or \'propagate\'') END AS ok, row_number() OVER () AS r, CAST(`a` AS FLOAT64) AS x0, CAST(`b` AS FLOAT64) AS x1, CAST(`it's c` AS FLOAT64) AS x2, CAST(`d "quoted"` AS FLOAT64) AS x3 FROM `shop`.`images`;
WITH cells0 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM sqlrp_temporary_0 CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS INT64) AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) counted),
features1 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS INT64) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
signs2 AS (SELECT c, f, sign FROM UNNEST([STRUCT(0 AS c, 0 AS f, -1 AS sign), STRUCT(1, 0, 1), STRUCT(2, 0, -1), STRUCT(3, 0, 1), STRUCT(4, 1, -1), STRUCT(5, 1, -1), STRUCT(6, 1, 1), STRUCT(7, 1, -1), STRUCT(4, 2, 1), STRUCT(5, 2, 1), STRUCT(6, 2, 1), STRUCT(7, 2, 1), STRUCT(4, 3, 1), STRUCT(5, 3, -1), STRUCT(6, 3, -1), STRUCT(7, 3, -1)])),
sums3 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM cells0 JOIN signs2 USING (f)
GROUP BY r, c),
features4 AS (SELECT CAST(CASE WHEN 1 * d0.d < 8 THEN 1 * d0.d END AS INT64) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 8),
cells5 AS (SELECT r, f, x FROM sums3 UNION ALL
SELECT odd.r, e.f, 0.0e0 FROM (SELECT DISTINCT r FROM sums3 WHERE NOT (x - x = 0)) odd
CROSS JOIN features4 e
WHERE NOT EXISTS (SELECT 1 FROM sums3 k WHERE k.r = odd.r AND k.f = e.f)),
index_table6 AS (SELECT c, v0, v1 FROM UNNEST([STRUCT(0 AS c, 3 AS v0, 4 AS v1), STRUCT(1, 2, 5)])),
products7 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS FLOAT64)*CAST(k1.x AS FLOAT64)) AS x
FROM index_table6 i JOIN cells5 k0 ON k0.f = i.v0 JOIN cells5 k1 ON k1.f = i.v1 AND k0.r = k1.r
GROUP BY k0.r, i.c),
groups8 AS (SELECT c0 AS r, c0, CASE WHEN count(ok) = count(*) THEN 0 END AS ok FROM sqlrp_temporary_0 GROUP BY c0),
cells9 AS (SELECT s.c0 AS r, k.f AS f, CAST(SUM(k.x) AS FLOAT64) AS x FROM products7 k JOIN sqlrp_temporary_0 s ON k.r = s.r GROUP BY s.c0, k.f),
outputs10 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS INT64) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2),
result11 AS (SELECT s.r AS r, s.c0 AS c0, s.ok AS ok, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM groups8 s CROSS JOIN outputs10 n
LEFT JOIN cells9 z ON (z.r IS NOT DISTINCT FROM s.r) AND z.f = n.f),
mapped12 AS (SELECT r, c0, ok, f, CASE WHEN x < 0 THEN -sqrt(-x) ELSE sqrt(x) END AS x FROM result11),
normalised13 AS (SELECT r, c0, ok, f, x/CASE WHEN n = 0 THEN 1 ELSE n END AS x FROM (SELECT r, c0, ok, f, x, sqrt(SUM(x*x) OVER (PARTITION BY r)) AS n FROM mapped12) s)
SELECT c0 AS `id`, f AS component, CAST(x AS FLOAT64)+ok AS value
FROM normalised13;


-- ======== redshift
-- 3 statements: run them in this order in one session. Statement 2 returns the rows.
CREATE TEMPORARY TABLE sqlrp_temporary_0 AS SELECT "id" AS c0, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 ELSE CAST(concat('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''', substr(CAST(CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 1 ELSE 0 END AS VARCHAR), 1, 0)) AS BIGINT) END AS ok, row_number() OVER () AS r, CAST("a" AS DOUBLE PRECISION) AS x0, CAST("b" AS DOUBLE PRECISION) AS x1, CAST("it's c" AS DOUBLE PRECISION) AS x2, CAST("d ""quoted""" AS DOUBLE PRECISION) AS x3 FROM "shop"."images";
WITH cells0 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM sqlrp_temporary_0 CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) counted),
features1 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
signs2 AS (SELECT 0 AS c, 0 AS f, -1 AS sign UNION ALL SELECT 1 AS c, 0 AS f, 1 AS sign UNION ALL SELECT 2 AS c, 0 AS f, -1 AS sign UNION ALL SELECT 3 AS c, 0 AS f, 1 AS sign UNION ALL SELECT 4 AS c, 1 AS f, -1 AS sign UNION ALL SELECT 5 AS c, 1 AS f, -1 AS sign UNION ALL SELECT 6 AS c, 1 AS f, 1 AS sign UNION ALL SELECT 7 AS c, 1 AS f, -1 AS sign UNION ALL SELECT 4 AS c, 2 AS f, 1 AS sign UNION ALL SELECT 5 AS c, 2 AS f, 1 AS sign UNION ALL SELECT 6 AS c, 2 AS f, 1 AS sign UNION ALL SELECT 7 AS c, 2 AS f, 1 AS sign UNION ALL SELECT 4 AS c, 3 AS f, 1 AS sign UNION ALL SELECT 5 AS c, 3 AS f, -1 AS sign UNION ALL SELECT 6 AS c, 3 AS f, -1 AS sign UNION ALL SELECT 7 AS c, 3 AS f, -1 AS sign),
sums3 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE CAST('0.0' AS DOUBLE PRECISION) - x END) AS x
FROM cells0 JOIN signs2 USING (f)
GROUP BY r, c),
features4 AS (SELECT CAST(CASE WHEN 1 * d0.d < 8 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 8),
cells5 AS (SELECT r, f, x FROM sums3 UNION ALL
SELECT odd.r, e.f, CAST('0.0' AS DOUBLE PRECISION) FROM (SELECT DISTINCT r FROM sums3 WHERE NOT (x - x = 0)) odd
CROSS JOIN features4 e
WHERE NOT EXISTS (SELECT 1 FROM sums3 k WHERE k.r = odd.r AND k.f = e.f)),
index_table6 AS (SELECT 0 AS c, 3 AS v0, 4 AS v1 UNION ALL SELECT 1 AS c, 2 AS v0, 5 AS v1),
products7 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS DOUBLE PRECISION)*CAST(k1.x AS DOUBLE PRECISION)) AS x
FROM index_table6 i JOIN cells5 k0 ON k0.f = i.v0 JOIN cells5 k1 ON k1.f = i.v1 AND k0.r = k1.r
GROUP BY k0.r, i.c),
groups8 AS (SELECT c0 AS r, c0, CASE WHEN count(ok) = count(*) THEN 0 END AS ok FROM sqlrp_temporary_0 GROUP BY c0),
cells9 AS (SELECT s.c0 AS r, k.f AS f, CAST(SUM(k.x) AS DOUBLE PRECISION) AS x FROM products7 k JOIN sqlrp_temporary_0 s ON k.r = s.r GROUP BY s.c0, k.f),
outputs10 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2),
result11 AS (SELECT s.r AS r, s.c0 AS c0, s.ok AS ok, n.f AS f, coalesce(z.x, CAST('0.0' AS DOUBLE PRECISION)) AS x
FROM groups8 s CROSS JOIN outputs10 n
LEFT JOIN cells9 z ON (z.r = s.r OR (z.r IS NULL AND s.r IS NULL)) AND z.f = n.f),
mapped12 AS (SELECT r, c0, ok, f, CASE WHEN x < 0 THEN -sqrt(-x) ELSE sqrt(x) END AS x FROM result11),
normalised13 AS (SELECT r, c0, ok, f, x/CASE WHEN n = 0 THEN 1 ELSE n END AS x FROM (SELECT r, c0, ok, f, x, sqrt(SUM(x*x) OVER (PARTITION BY r)) AS n FROM mapped12) s)
SELECT c0 AS "id", f AS component, CAST(x AS DOUBLE PRECISION)+ok AS value
FROM normalised13;
DROP TABLE IF EXISTS sqlrp_temporary_0;


-- ======== databricks
-- 3 statements: run them in this order in one session. Statement 2 returns the rows.
CREATE TABLE sqlrp_temporary_0 AS SELECT `id` AS c0, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 ELSE raise_error('sqlrp: a feature is NULL and nulls = \'error\': clean the row, or use nulls = \'zero\' or \'propagate\'') END AS ok, monotonically_increasing_id() AS r, CAST(`a` AS DOUBLE) AS x0, CAST(`b` AS DOUBLE) AS x1, CAST(`it's c` AS DOUBLE) AS x2, CAST(`d "quoted"` AS DOUBLE) AS x3 FROM `shop`.`images`;
WITH cells0 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM sqlrp_temporary_0 CROSS JOIN (SELECT id AS n FROM range(4)) counted),
features1 AS (SELECT id AS f FROM range(4)),
signs2 AS (SELECT c, f, sign FROM (VALUES (0, 0, -1), (1, 0, 1), (2, 0, -1), (3, 0, 1), (4, 1, -1), (5, 1, -1), (6, 1, 1), (7, 1, -1), (4, 2, 1), (5, 2, 1), (6, 2, 1), (7, 2, 1), (4, 3, 1), (5, 3, -1), (6, 3, -1), (7, 3, -1)) AS listed(c, f, sign)),
sums3 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM cells0 JOIN signs2 USING (f)
GROUP BY r, c),
features4 AS (SELECT id AS f FROM range(8)),
lists5 AS (SELECT r, transform(array(collect_list(struct(CAST(f AS INT) AS o, CAST(x AS DOUBLE) AS v)) FILTER (WHERE CAST(x AS DOUBLE) IS NOT NULL)), p -> CASE WHEN size(p) = 8 THEN sort_array(p).v ELSE sort_array(concat(p, transform(array_except(sequence(0, 7), p.o), o -> struct(o, 0.0e0 AS v)))).v END)[0] AS x FROM sums3 GROUP BY r),
index_table6 AS (SELECT c, v0, v1 FROM (VALUES (0, 3, 4), (1, 2, 5)) AS listed(c, v0, v1)),
products7 AS (SELECT k.r AS r, i.c AS f, SUM(CAST(k.x[i.v0] AS DOUBLE)*CAST(k.x[i.v1] AS DOUBLE)) AS x FROM lists5 k CROSS JOIN index_table6 i GROUP BY k.r, i.c),
groups8 AS (SELECT c0 AS r, c0, CASE WHEN count(ok) = count(*) THEN 0 END AS ok FROM sqlrp_temporary_0 GROUP BY c0),
cells9 AS (SELECT s.c0 AS r, k.f AS f, CAST(SUM(k.x) AS DOUBLE) AS x FROM products7 k JOIN sqlrp_temporary_0 s ON k.r = s.r GROUP BY s.c0, k.f),
outputs10 AS (SELECT id AS f FROM range(2)),
result11 AS (SELECT s.r AS r, s.c0 AS c0, s.ok AS ok, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM groups8 s CROSS JOIN outputs10 n
LEFT JOIN cells9 z ON (z.r IS NOT DISTINCT FROM s.r) AND z.f = n.f),
mapped12 AS (SELECT r, c0, ok, f, CASE WHEN x < 0 THEN -sqrt(-x) ELSE sqrt(x) END AS x FROM result11),
normalised13 AS (SELECT r, c0, ok, f, x/CASE WHEN n = 0 THEN 1 ELSE n END AS x FROM (SELECT r, c0, ok, f, x, sqrt(SUM(x*x) OVER (PARTITION BY r)) AS n FROM mapped12) s)
SELECT c0 AS `id`, f AS component, CAST(x AS DOUBLE)+ok AS value
FROM normalised13;
DROP TABLE IF EXISTS sqlrp_temporary_0;


-- ======== trino
-- 3 statements: run them in this order in one session. Statement 2 returns the rows.
CREATE TABLE sqlrp_temporary_0 AS SELECT "id" AS c0, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 ELSE CAST(concat('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''', substr(CAST(CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 1 ELSE 0 END AS VARCHAR), 1, 0)) AS BIGINT) END AS ok, row_number() OVER () AS r, CAST("a" AS DOUBLE) AS x0, CAST("b" AS DOUBLE) AS x1, CAST("it's c" AS DOUBLE) AS x2, CAST("d ""quoted""" AS DOUBLE) AS x3 FROM "shop"."images";
WITH cells0 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM sqlrp_temporary_0 CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) counted),
features1 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
signs2 AS (SELECT c, f, sign FROM (VALUES (0, 0, -1), (1, 0, 1), (2, 0, -1), (3, 0, 1), (4, 1, -1), (5, 1, -1), (6, 1, 1), (7, 1, -1), (4, 2, 1), (5, 2, 1), (6, 2, 1), (7, 2, 1), (4, 3, 1), (5, 3, -1), (6, 3, -1), (7, 3, -1)) AS listed(c, f, sign)),
sums3 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM cells0 JOIN signs2 USING (f)
GROUP BY r, c),
features4 AS (SELECT CAST(CASE WHEN 1 * d0.d < 8 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 8),
cells5 AS (SELECT r, f, x FROM sums3 UNION ALL
SELECT odd.r, e.f, 0.0e0 FROM (SELECT DISTINCT r FROM sums3 WHERE NOT (x - x = 0)) odd
CROSS JOIN features4 e
WHERE NOT EXISTS (SELECT 1 FROM sums3 k WHERE k.r = odd.r AND k.f = e.f)),
index_table6 AS (SELECT c, v0, v1 FROM (VALUES (0, 3, 4), (1, 2, 5)) AS listed(c, v0, v1)),
products7 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS DOUBLE)*CAST(k1.x AS DOUBLE)) AS x
FROM index_table6 i JOIN cells5 k0 ON k0.f = i.v0 JOIN cells5 k1 ON k1.f = i.v1 AND k0.r = k1.r
GROUP BY k0.r, i.c),
groups8 AS (SELECT c0 AS r, c0, CASE WHEN count(ok) = count(*) THEN 0 END AS ok FROM sqlrp_temporary_0 GROUP BY c0),
cells9 AS (SELECT s.c0 AS r, k.f AS f, CAST(SUM(k.x) AS DOUBLE) AS x FROM products7 k JOIN sqlrp_temporary_0 s ON k.r = s.r GROUP BY s.c0, k.f),
outputs10 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2),
result11 AS (SELECT s.r AS r, s.c0 AS c0, s.ok AS ok, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM groups8 s CROSS JOIN outputs10 n
LEFT JOIN cells9 z ON (z.r IS NOT DISTINCT FROM s.r) AND z.f = n.f),
mapped12 AS (SELECT r, c0, ok, f, CASE WHEN x < 0 THEN -sqrt(-x) ELSE sqrt(x) END AS x FROM result11),
normalised13 AS (SELECT r, c0, ok, f, x/CASE WHEN n = 0 THEN 1 ELSE n END AS x FROM (SELECT r, c0, ok, f, x, sqrt(SUM(x*x) OVER (PARTITION BY r)) AS n FROM mapped12) s)
SELECT c0 AS "id", f AS component, CAST(x AS DOUBLE)+ok AS value
FROM normalised13;
DROP TABLE IF EXISTS sqlrp_temporary_0;


-- ======== sqlserver
-- 29 statements: run them in this order in one session. Statement 15 returns the rows.
SELECT * INTO #sqlrp_temporary_0 FROM (SELECT [id] AS c0, CASE WHEN ([a] IS NOT NULL AND [b] IS NOT NULL AND [it's c] IS NOT NULL AND [d "quoted"] IS NOT NULL) THEN 0 ELSE CAST(CONCAT('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''', LEFT(CAST(NEWID() AS VARCHAR(36)), 0)) AS BIGINT) END AS ok, row_number() OVER (ORDER BY (SELECT NULL)) AS r, CAST([a] AS FLOAT) AS x0, CAST([b] AS FLOAT) AS x1, CAST([it's c] AS FLOAT) AS x2, CAST([d "quoted"] AS FLOAT) AS x3 FROM [shop].[images]) s;
SELECT * INTO #sqlrp_temporary_1 FROM (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM #sqlrp_temporary_0 CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS n FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) counted) s;
SELECT * INTO #sqlrp_temporary_2 FROM (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) s;
SELECT * INTO #sqlrp_temporary_3 FROM (SELECT c, f, sign FROM (VALUES (0, 0, -1), (1, 0, 1), (2, 0, -1), (3, 0, 1), (4, 1, -1), (5, 1, -1), (6, 1, 1), (7, 1, -1), (4, 2, 1), (5, 2, 1), (6, 2, 1), (7, 2, 1), (4, 3, 1), (5, 3, -1), (6, 3, -1), (7, 3, -1)) AS listed(c, f, sign)) s;
SELECT * INTO #sqlrp_temporary_4 FROM (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM #sqlrp_temporary_1 JOIN #sqlrp_temporary_3 ON #sqlrp_temporary_1.f = #sqlrp_temporary_3.f
GROUP BY r, c) s;
SELECT * INTO #sqlrp_temporary_5 FROM (SELECT CAST(CASE WHEN 1 * d0.d < 8 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 8) s;
SELECT * INTO #sqlrp_temporary_6 FROM (SELECT c, v0, v1 FROM (VALUES (0, 3, 4), (1, 2, 5)) AS listed(c, v0, v1)) s;
SELECT * INTO #sqlrp_temporary_7 FROM (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS FLOAT)*CAST(k1.x AS FLOAT)) AS x
FROM #sqlrp_temporary_6 i JOIN #sqlrp_temporary_4 k0 ON k0.f = i.v0 JOIN #sqlrp_temporary_4 k1 ON k1.f = i.v1 AND k0.r = k1.r
GROUP BY k0.r, i.c) s;
SELECT * INTO #sqlrp_temporary_8 FROM (SELECT c0 AS r, c0, CASE WHEN count(ok) = count(*) THEN 0 END AS ok FROM #sqlrp_temporary_0 GROUP BY c0) s;
SELECT * INTO #sqlrp_temporary_9 FROM (SELECT s.c0 AS r, k.f AS f, CAST(SUM(k.x) AS FLOAT) AS x FROM #sqlrp_temporary_7 k JOIN #sqlrp_temporary_0 s ON k.r = s.r GROUP BY s.c0, k.f) s;
SELECT * INTO #sqlrp_temporary_10 FROM (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2) s;
SELECT * INTO #sqlrp_temporary_11 FROM (SELECT s.r AS r, s.c0 AS c0, s.ok AS ok, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM #sqlrp_temporary_8 s CROSS JOIN #sqlrp_temporary_10 n
LEFT JOIN #sqlrp_temporary_9 z ON EXISTS (SELECT z.r INTERSECT SELECT s.r) AND z.f = n.f) s;
SELECT * INTO #sqlrp_temporary_12 FROM (SELECT r, c0, ok, f, CASE WHEN x < 0 THEN -sqrt(-x) ELSE sqrt(x) END AS x FROM #sqlrp_temporary_11) s;
SELECT * INTO #sqlrp_temporary_13 FROM (SELECT r, c0, ok, f, x/CASE WHEN n = 0 THEN 1 ELSE n END AS x FROM (SELECT r, c0, ok, f, x, sqrt(SUM(x*x) OVER (PARTITION BY r)) AS n FROM #sqlrp_temporary_12) s) s;
SELECT c0 AS [id], f AS component, CAST(x AS FLOAT)+ok AS value
FROM #sqlrp_temporary_13;
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
-- SourceError: name 'd "quoted"' holds a double quote, which oracle refuses: rename

-- ======== generic
-- UnsupportedError: generic knows no expression that fails on every engine, so nulls = 'error' is not supported: use 'propagate' or 'zero'
