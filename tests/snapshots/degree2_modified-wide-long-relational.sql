-- Degree2KernelProjection(k=2, s=1, seed=1, m=2, modified=True)
-- wide rows of decimals; output = 'long', nulls = 'error', scale = False, lowering = 'relational'

-- ======== duckdb
WITH source0 AS MATERIALIZED (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 ELSE error('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''') END AS ok, row_number() OVER () AS r, [CAST("a" AS DECIMAL(18,2)), CAST("b" AS DECIMAL(18,2)), CAST("it's c" AS DECIMAL(18,2)), CAST("d ""quoted""" AS DECIMAL(18,2))] AS x FROM "shop"."images"),
cells1 AS MATERIALIZED (SELECT r, unnest(range(len(x))) AS f, unnest(x) AS x FROM source0),
features2 AS MATERIALIZED (SELECT CAST(range AS BIGINT) AS f FROM range(4)),
cells3 AS MATERIALIZED (SELECT r, f, x FROM cells1 UNION ALL SELECT r, -1, CAST(1 AS DECIMAL(18,2)) FROM source0),
index_table4 AS MATERIALIZED (SELECT unnest(CAST(string_split(concat('0,1,2,3,4,5,6,7', t), ',') AS BIGINT[])) AS c, unnest(CAST(string_split(concat('0,1,2,3,0,1,2,3', t), ',') AS BIGINT[])) AS v0, unnest(CAST(string_split(concat('-1,-1,-1,-1,0,1,2,3', t), ',') AS BIGINT[])) AS v1 FROM (VALUES ('')) v(t)),
products5 AS MATERIALIZED (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS DOUBLE)*CAST(k1.x AS DOUBLE)) AS x
FROM index_table4 i JOIN cells3 k0 ON k0.f = i.v0 JOIN cells3 k1 ON k1.f = i.v1 AND k0.r = k1.r
GROUP BY k0.r, i.c),
features6 AS MATERIALIZED (SELECT CAST(range AS BIGINT) AS f FROM range(8)),
signs7 AS MATERIALIZED (SELECT unnest(CAST(string_split(concat('0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3', t), ',') AS BIGINT[])) AS c, unnest(CAST(string_split(concat('0,0,0,0,1,1,1,1,2,2,2,2,3,3,3,3', t), ',') AS BIGINT[])) AS f, unnest(CAST(string_split(concat('-1,1,-1,1,1,1,1,-1,1,-1,-1,-1,1,-1,-1,-1', t), ',') AS BIGINT[])) AS sign FROM (VALUES ('')) v(t)),
sums8 AS MATERIALIZED (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM products5 JOIN signs7 USING (f)
GROUP BY r, c),
features9 AS MATERIALIZED (SELECT CAST(range AS BIGINT) AS f FROM range(6)),
cells10 AS MATERIALIZED (SELECT r, f, x FROM sums8 UNION ALL
SELECT odd.r, e.f, 0.0e0 FROM (SELECT DISTINCT r FROM sums8 WHERE NOT isfinite(x)) odd
CROSS JOIN features9 e
WHERE NOT EXISTS (SELECT 1 FROM sums8 k WHERE k.r = odd.r AND k.f = e.f)),
cells11 AS MATERIALIZED (SELECT r, f, x FROM cells10 UNION ALL SELECT r, -1, 1.0e0 FROM source0),
index_table12 AS MATERIALIZED (SELECT unnest(CAST(string_split(concat('0,0,0,1,1,1', t), ',') AS BIGINT[])) AS c, unnest(CAST(string_split(concat('0,1,4,2,3,5', t), ',') AS BIGINT[])) AS v0, unnest(CAST(string_split(concat('0,1,-1,2,3,-1', t), ',') AS BIGINT[])) AS v1, unnest(CAST(string_split(concat('1,-1,1,1,-1,1', t), ',') AS BIGINT[])) AS w FROM (VALUES ('')) v(t)),
products13 AS MATERIALIZED (SELECT k0.r AS r, i.c AS f, SUM(CAST(i.w AS DOUBLE)*CAST(k0.x AS DOUBLE)*CAST(k1.x AS DOUBLE)) AS x
FROM index_table12 i JOIN cells11 k0 ON k0.f = i.v0 JOIN cells11 k1 ON k1.f = i.v1 AND k0.r = k1.r
GROUP BY k0.r, i.c),
outputs14 AS MATERIALIZED (SELECT CAST(range AS BIGINT) AS f FROM range(2)),
result15 AS MATERIALIZED (SELECT s.r AS r, s.c0 AS c0, s.c1 AS c1, s.ok AS ok, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM source0 s CROSS JOIN outputs14 n
LEFT JOIN products13 z ON z.r = s.r AND z.f = n.f)
SELECT c0 AS "id", c1 AS "label", f AS component, CAST(x AS DOUBLE)+ok AS value
FROM result15

-- ======== postgresql
WITH source0 AS MATERIALIZED (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 ELSE CAST('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''' || left(CAST(clock_timestamp() AS text), 0) AS bigint) END AS ok, row_number() OVER () AS r, ARRAY[CAST("a" AS numeric),CAST("b" AS numeric),CAST("it's c" AS numeric),CAST("d ""quoted""" AS numeric)] AS x FROM "shop"."images"),
cells1 AS MATERIALIZED (SELECT r, o - 1 AS f, e AS x
FROM source0, unnest(x) WITH ORDINALITY AS u(e, o)),
features2 AS MATERIALIZED (SELECT f FROM generate_series(CAST(0 AS bigint), 3) g(f)),
cells3 AS MATERIALIZED (SELECT r, f, x FROM cells1 UNION ALL SELECT r, -1, CAST(1 AS numeric) FROM source0),
index_table4 AS MATERIALIZED (SELECT unnest(CAST('{0,1,2,3,4,5,6,7}' AS bigint[])) AS c, unnest(CAST('{0,1,2,3,0,1,2,3}' AS bigint[])) AS v0, unnest(CAST('{-1,-1,-1,-1,0,1,2,3}' AS bigint[])) AS v1),
products5 AS MATERIALIZED (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS numeric)*CAST(k1.x AS numeric)) AS x
FROM index_table4 i JOIN cells3 k0 ON k0.f = i.v0 JOIN cells3 k1 ON k1.f = i.v1 AND k0.r = k1.r
GROUP BY k0.r, i.c),
features6 AS MATERIALIZED (SELECT f FROM generate_series(CAST(0 AS bigint), 7) g(f)),
cells7 AS MATERIALIZED (SELECT r, f, CAST(x AS numeric) AS x FROM products5),
signs8 AS MATERIALIZED (SELECT unnest(CAST('{0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3}' AS bigint[])) AS c, unnest(CAST('{0,0,0,0,1,1,1,1,2,2,2,2,3,3,3,3}' AS bigint[])) AS f, unnest(CAST('{-1,1,-1,1,1,1,1,-1,1,-1,-1,-1,1,-1,-1,-1}' AS bigint[])) AS sign),
sums9 AS MATERIALIZED (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE CAST(0 AS numeric) - x END) AS x
FROM cells7 JOIN signs8 USING (f)
GROUP BY r, c),
features10 AS MATERIALIZED (SELECT f FROM generate_series(CAST(0 AS bigint), 5) g(f)),
cells11 AS MATERIALIZED (SELECT r, f, x FROM sums9 UNION ALL SELECT r, -1, CAST(1 AS numeric) FROM source0),
index_table12 AS MATERIALIZED (SELECT unnest(CAST('{0,0,0,1,1,1}' AS bigint[])) AS c, unnest(CAST('{0,1,4,2,3,5}' AS bigint[])) AS v0, unnest(CAST('{0,1,-1,2,3,-1}' AS bigint[])) AS v1, unnest(CAST('{1,-1,1,1,-1,1}' AS bigint[])) AS w),
products13 AS MATERIALIZED (SELECT k0.r AS r, i.c AS f, SUM(CAST(i.w AS numeric)*CAST(k0.x AS numeric)*CAST(k1.x AS numeric)) AS x
FROM index_table12 i JOIN cells11 k0 ON k0.f = i.v0 JOIN cells11 k1 ON k1.f = i.v1 AND k0.r = k1.r
GROUP BY k0.r, i.c),
outputs14 AS MATERIALIZED (SELECT f FROM generate_series(CAST(0 AS bigint), 1) g(f)),
result15 AS MATERIALIZED (SELECT s.r AS r, s.c0 AS c0, s.c1 AS c1, s.ok AS ok, n.f AS f, coalesce(z.x, CAST(0 AS numeric)) AS x
FROM source0 s CROSS JOIN outputs14 n
LEFT JOIN products13 z ON z.r = s.r AND z.f = n.f)
SELECT c0 AS "id", c1 AS "label", f AS component, CAST(x AS numeric)+ok AS value
FROM result15

-- ======== sqlite
WITH source0 AS MATERIALIZED (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 ELSE json_type('{}', 'sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''' || substr(random(), 1, 0)) END AS ok, row_number() OVER () AS r, CASE WHEN `a` >= '' THEN json_type('{}', 'sqlrp: a feature in `a` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`a` AS REAL) END AS x0, CASE WHEN `b` >= '' THEN json_type('{}', 'sqlrp: a feature in `b` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`b` AS REAL) END AS x1, CASE WHEN `it's c` >= '' THEN json_type('{}', 'sqlrp: a feature in `it''s c` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`it's c` AS REAL) END AS x2, CASE WHEN `d "quoted"` >= '' THEN json_type('{}', 'sqlrp: a feature in `d "quoted"` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`d "quoted"` AS REAL) END AS x3 FROM `shop`.`images`),
cells1 AS MATERIALIZED (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM source0 CROSS JOIN (WITH RECURSIVE counted AS (SELECT 0 AS n UNION ALL SELECT n + 1 FROM counted WHERE n < 3) SELECT n FROM counted) counted),
features2 AS MATERIALIZED (WITH RECURSIVE counted AS (SELECT 0 AS f UNION ALL SELECT f + 1 FROM counted WHERE f < 3) SELECT f FROM counted),
cells3 AS MATERIALIZED (SELECT r, f, x FROM cells1 UNION ALL SELECT r, -1, 1.0e0 FROM source0),
index_table4 AS MATERIALIZED (SELECT CAST(json_extract(value, '$[0]') AS INTEGER) AS c, CAST(json_extract(value, '$[1]') AS INTEGER) AS v0, CAST(json_extract(value, '$[2]') AS INTEGER) AS v1 FROM json_each('[[0,0,-1],[1,1,-1],[2,2,-1],[3,3,-1],[4,0,0],[5,1,1],[6,2,2],[7,3,3]]')),
products5 AS MATERIALIZED (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS REAL)*CAST(k1.x AS REAL)) AS x
FROM index_table4 i JOIN cells3 k0 ON k0.f = i.v0 JOIN cells3 k1 ON k1.f = i.v1 AND k0.r = k1.r
GROUP BY k0.r, i.c),
features6 AS MATERIALIZED (WITH RECURSIVE counted AS (SELECT 0 AS f UNION ALL SELECT f + 1 FROM counted WHERE f < 7) SELECT f FROM counted),
signs7 AS MATERIALIZED (SELECT CAST(json_extract(value, '$[0]') AS INTEGER) AS c, CAST(json_extract(value, '$[1]') AS INTEGER) AS f, CAST(json_extract(value, '$[2]') AS INTEGER) AS sign FROM json_each('[[0,0,-1],[1,0,1],[2,0,-1],[3,0,1],[0,1,1],[1,1,1],[2,1,1],[3,1,-1],[0,2,1],[1,2,-1],[2,2,-1],[3,2,-1],[0,3,1],[1,3,-1],[2,3,-1],[3,3,-1]]')),
sums8 AS MATERIALIZED (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM products5 JOIN signs7 USING (f)
GROUP BY r, c),
features9 AS MATERIALIZED (WITH RECURSIVE counted AS (SELECT 0 AS f UNION ALL SELECT f + 1 FROM counted WHERE f < 5) SELECT f FROM counted),
cells10 AS MATERIALIZED (SELECT r, f, x FROM sums8 UNION ALL SELECT r, -1, 1.0e0 FROM source0),
index_table11 AS MATERIALIZED (SELECT CAST(json_extract(value, '$[0]') AS INTEGER) AS c, CAST(json_extract(value, '$[1]') AS INTEGER) AS v0, CAST(json_extract(value, '$[2]') AS INTEGER) AS v1, CAST(json_extract(value, '$[3]') AS INTEGER) AS w FROM json_each('[[0,0,0,1],[0,1,1,-1],[0,4,-1,1],[1,2,2,1],[1,3,3,-1],[1,5,-1,1]]')),
products12 AS MATERIALIZED (SELECT k0.r AS r, i.c AS f, SUM(CAST(i.w AS REAL)*CAST(k0.x AS REAL)*CAST(k1.x AS REAL)) AS x
FROM index_table11 i JOIN cells10 k0 ON k0.f = i.v0 JOIN cells10 k1 ON k1.f = i.v1 AND k0.r = k1.r
GROUP BY k0.r, i.c),
outputs13 AS MATERIALIZED (WITH RECURSIVE counted AS (SELECT 0 AS f UNION ALL SELECT f + 1 FROM counted WHERE f < 1) SELECT f FROM counted),
result14 AS MATERIALIZED (SELECT s.r AS r, s.c0 AS c0, s.c1 AS c1, s.ok AS ok, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM source0 s CROSS JOIN outputs13 n
LEFT JOIN products12 z ON z.r = s.r AND z.f = n.f)
SELECT c0 AS `id`, c1 AS `label`, f AS component, CAST(x AS REAL)+ok AS value
FROM result14

-- ======== mariadb
-- 3 statements: run them in this order in one session. Statement 2 returns the rows.
CREATE TEMPORARY TABLE sqlrp_temporary_0 (KEY (r)) ENGINE=Aria AS SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 ELSE (9223372036854775807 + char_length(concat('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''', rand()))) END AS ok, row_number() OVER () AS r, CAST(`a` AS DECIMAL(65,2)) AS x0, CAST(`b` AS DECIMAL(65,2)) AS x1, CAST(`it's c` AS DECIMAL(65,2)) AS x2, CAST(`d "quoted"` AS DECIMAL(65,2)) AS x3 FROM `shop`.`images`;
WITH cells0 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM sqlrp_temporary_0 CROSS JOIN (SELECT CAST(seq AS SIGNED) AS n FROM seq_0_to_3) counted LIMIT 18446744073709551615),
features1 AS (SELECT CAST(seq AS SIGNED) AS f FROM seq_0_to_3 LIMIT 18446744073709551615),
cells2 AS (SELECT r, f, x FROM cells0 UNION ALL SELECT r, -1, CAST(1 AS DECIMAL(65,2)) FROM sqlrp_temporary_0 LIMIT 18446744073709551615),
index_table3 AS (SELECT c, v0, v1 FROM JSON_TABLE('[[0,0,-1],[1,1,-1],[2,2,-1],[3,3,-1],[4,0,0],[5,1,1],[6,2,2],[7,3,3]]', '$[*]' COLUMNS (c BIGINT PATH '$[0]', v0 BIGINT PATH '$[1]', v1 BIGINT PATH '$[2]')) listed LIMIT 18446744073709551615),
products4 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS DECIMAL(65,4))*CAST(k1.x AS DECIMAL(65,4))) AS x
FROM index_table3 i JOIN cells2 k0 ON k0.f = i.v0 JOIN cells2 k1 ON k1.f = i.v1 AND k0.r = k1.r
GROUP BY k0.r, i.c LIMIT 18446744073709551615),
features5 AS (SELECT CAST(seq AS SIGNED) AS f FROM seq_0_to_7 LIMIT 18446744073709551615),
cells6 AS (SELECT r, f, CAST(x AS DECIMAL(65,4)) AS x FROM products4 LIMIT 18446744073709551615),
signs7 AS (SELECT c, f, sign FROM JSON_TABLE('[[0,0,-1],[1,0,1],[2,0,-1],[3,0,1],[0,1,1],[1,1,1],[2,1,1],[3,1,-1],[0,2,1],[1,2,-1],[2,2,-1],[3,2,-1],[0,3,1],[1,3,-1],[2,3,-1],[3,3,-1]]', '$[*]' COLUMNS (c BIGINT PATH '$[0]', f BIGINT PATH '$[1]', sign BIGINT PATH '$[2]')) listed LIMIT 18446744073709551615),
sums8 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE CAST(0 AS DECIMAL(65,4)) - x END) AS x
FROM cells6 JOIN signs7 USING (f)
GROUP BY r, c LIMIT 18446744073709551615),
features9 AS (SELECT CAST(seq AS SIGNED) AS f FROM seq_0_to_5 LIMIT 18446744073709551615),
cells10 AS (SELECT r, f, x FROM sums8 UNION ALL SELECT r, -1, CAST(1 AS DECIMAL(65,4)) FROM sqlrp_temporary_0 LIMIT 18446744073709551615),
index_table11 AS (SELECT c, v0, v1, w FROM JSON_TABLE('[[0,0,0,1],[0,1,1,-1],[0,4,-1,1],[1,2,2,1],[1,3,3,-1],[1,5,-1,1]]', '$[*]' COLUMNS (c BIGINT PATH '$[0]', v0 BIGINT PATH '$[1]', v1 BIGINT PATH '$[2]', w BIGINT PATH '$[3]')) listed LIMIT 18446744073709551615),
products12 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(i.w AS DECIMAL(65,8))*CAST(k0.x AS DECIMAL(65,8))*CAST(k1.x AS DECIMAL(65,8))) AS x
FROM index_table11 i JOIN cells10 k0 ON k0.f = i.v0 JOIN cells10 k1 ON k1.f = i.v1 AND k0.r = k1.r
GROUP BY k0.r, i.c LIMIT 18446744073709551615),
outputs13 AS (SELECT CAST(seq AS SIGNED) AS f FROM seq_0_to_1 LIMIT 18446744073709551615),
result14 AS (SELECT s.r AS r, s.c0 AS c0, s.c1 AS c1, s.ok AS ok, n.f AS f, coalesce(z.x, CAST(0 AS DECIMAL(65,8))) AS x
FROM sqlrp_temporary_0 s CROSS JOIN outputs13 n
LEFT JOIN products12 z ON z.r = s.r AND z.f = n.f LIMIT 18446744073709551615)
SELECT c0 AS `id`, c1 AS `label`, f AS component, CAST(x AS DECIMAL(65,8))+ok AS value
FROM result14;
DROP TEMPORARY TABLE IF EXISTS sqlrp_temporary_0;


-- ======== mysql
WITH source0 AS (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 ELSE (9223372036854775807 + char_length(concat('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''', rand()))) END AS ok, row_number() OVER () AS r, CAST(`a` AS DECIMAL(65,2)) AS x0, CAST(`b` AS DECIMAL(65,2)) AS x1, CAST(`it's c` AS DECIMAL(65,2)) AS x2, CAST(`d "quoted"` AS DECIMAL(65,2)) AS x3 FROM `shop`.`images`),
cells1 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM source0 CROSS JOIN (SELECT CAST(n AS SIGNED) - 1 AS n FROM JSON_TABLE(concat('[0', repeat(',0', 3), ']'), '$[*]' COLUMNS (n FOR ORDINALITY)) listed) counted),
features2 AS (SELECT CAST(n AS SIGNED) - 1 AS f FROM JSON_TABLE(concat('[0', repeat(',0', 3), ']'), '$[*]' COLUMNS (n FOR ORDINALITY)) listed),
cells3 AS (SELECT r, f, x FROM cells1 UNION ALL SELECT r, -1, CAST(1 AS DECIMAL(65,2)) FROM source0),
index_table4 AS (SELECT c, v0, v1 FROM JSON_TABLE('[[0,0,-1],[1,1,-1],[2,2,-1],[3,3,-1],[4,0,0],[5,1,1],[6,2,2],[7,3,3]]', '$[*]' COLUMNS (c BIGINT PATH '$[0]', v0 BIGINT PATH '$[1]', v1 BIGINT PATH '$[2]')) listed),
products5 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS DECIMAL(65,4))*CAST(k1.x AS DECIMAL(65,4))) AS x
FROM index_table4 i JOIN cells3 k0 ON k0.f = i.v0 JOIN cells3 k1 ON k1.f = i.v1 AND k0.r = k1.r
GROUP BY k0.r, i.c),
features6 AS (SELECT CAST(n AS SIGNED) - 1 AS f FROM JSON_TABLE(concat('[0', repeat(',0', 7), ']'), '$[*]' COLUMNS (n FOR ORDINALITY)) listed),
cells7 AS (SELECT r, f, CAST(x AS DECIMAL(65,4)) AS x FROM products5),
signs8 AS (SELECT c, f, sign FROM JSON_TABLE('[[0,0,-1],[1,0,1],[2,0,-1],[3,0,1],[0,1,1],[1,1,1],[2,1,1],[3,1,-1],[0,2,1],[1,2,-1],[2,2,-1],[3,2,-1],[0,3,1],[1,3,-1],[2,3,-1],[3,3,-1]]', '$[*]' COLUMNS (c BIGINT PATH '$[0]', f BIGINT PATH '$[1]', sign BIGINT PATH '$[2]')) listed),
sums9 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE CAST(0 AS DECIMAL(65,4)) - x END) AS x
FROM cells7 JOIN signs8 USING (f)
GROUP BY r, c),
features10 AS (SELECT CAST(n AS SIGNED) - 1 AS f FROM JSON_TABLE(concat('[0', repeat(',0', 5), ']'), '$[*]' COLUMNS (n FOR ORDINALITY)) listed),
cells11 AS (SELECT r, f, x FROM sums9 UNION ALL SELECT r, -1, CAST(1 AS DECIMAL(65,4)) FROM source0),
index_table12 AS (SELECT c, v0, v1, w FROM JSON_TABLE('[[0,0,0,1],[0,1,1,-1],[0,4,-1,1],[1,2,2,1],[1,3,3,-1],[1,5,-1,1]]', '$[*]' COLUMNS (c BIGINT PATH '$[0]', v0 BIGINT PATH '$[1]', v1 BIGINT PATH '$[2]', w BIGINT PATH '$[3]')) listed),
products13 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(i.w AS DECIMAL(65,8))*CAST(k0.x AS DECIMAL(65,8))*CAST(k1.x AS DECIMAL(65,8))) AS x
FROM index_table12 i JOIN cells11 k0 ON k0.f = i.v0 JOIN cells11 k1 ON k1.f = i.v1 AND k0.r = k1.r
GROUP BY k0.r, i.c),
outputs14 AS (SELECT CAST(n AS SIGNED) - 1 AS f FROM JSON_TABLE(concat('[0', repeat(',0', 1), ']'), '$[*]' COLUMNS (n FOR ORDINALITY)) listed),
result15 AS (SELECT s.r AS r, s.c0 AS c0, s.c1 AS c1, s.ok AS ok, n.f AS f, coalesce(z.x, CAST(0 AS DECIMAL(65,8))) AS x
FROM source0 s CROSS JOIN outputs14 n
LEFT JOIN products13 z ON z.r = s.r AND z.f = n.f)
SELECT c0 AS `id`, c1 AS `label`, f AS component, CAST(x AS DECIMAL(65,8))+ok AS value
FROM result15

-- ======== clickhouse
-- 33 statements: run them in this order in one session. Statement 17 returns the rows.
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_0 ENGINE = Memory AS SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 ELSE throwIf(1, 'sqlrp: a feature is NULL and nulls = \'error\': clean the row, or use nulls = \'zero\' or \'propagate\'') END AS ok, toInt64(row_number() OVER ()) AS r, [CAST(`a` AS Decimal(38, 2)),CAST(`b` AS Decimal(38, 2)),CAST(`it's c` AS Decimal(38, 2)),CAST(`d "quoted"` AS Decimal(38, 2))] AS x FROM `shop`.`images`
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_1 ENGINE = Memory AS SELECT r, toInt64(o) - 1 AS f, e AS x
FROM sqlrp_temporary_0 ARRAY JOIN x AS e, arrayEnumerate(x) AS o
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_2 ENGINE = Memory AS SELECT toInt64(number) AS f FROM numbers(4)
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_3 ENGINE = Memory AS SELECT r, f, x FROM sqlrp_temporary_1 UNION ALL SELECT r, -1, CAST(1 AS Decimal(38, 2)) FROM sqlrp_temporary_0
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_4 ENGINE = Memory AS SELECT c, v0, v1 FROM (SELECT CAST('[0, 1, 2, 3, 4, 5, 6, 7]' AS Array(Int64)) AS c, CAST('[0, 1, 2, 3, 0, 1, 2, 3]' AS Array(Int64)) AS v0, CAST('[-1, -1, -1, -1, 0, 1, 2, 3]' AS Array(Int64)) AS v1) s ARRAY JOIN c, v0, v1
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_5 ENGINE = Memory AS SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS Float64)*CAST(k1.x AS Float64)) AS x
FROM sqlrp_temporary_4 i JOIN sqlrp_temporary_3 k0 ON k0.f = i.v0 JOIN sqlrp_temporary_3 k1 ON k1.f = i.v1 AND k0.r = k1.r
GROUP BY k0.r, i.c
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_6 ENGINE = Memory AS SELECT toInt64(number) AS f FROM numbers(8)
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_7 ENGINE = Memory AS SELECT c, f, sign FROM (SELECT CAST('[0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3]' AS Array(Int64)) AS c, CAST('[0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]' AS Array(Int64)) AS f, CAST('[-1, 1, -1, 1, 1, 1, 1, -1, 1, -1, -1, -1, 1, -1, -1, -1]' AS Array(Int64)) AS sign) s ARRAY JOIN c, f, sign
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_8 ENGINE = Memory AS SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM sqlrp_temporary_5 JOIN sqlrp_temporary_7 USING (f)
GROUP BY r, c
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_9 ENGINE = Memory AS SELECT toInt64(number) AS f FROM numbers(6)
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_10 ENGINE = Memory AS SELECT r, f, x FROM sqlrp_temporary_8 UNION ALL
SELECT odd.r, e.f, 0.0e0 FROM (SELECT DISTINCT r FROM sqlrp_temporary_8 WHERE NOT isFinite(x)) odd
CROSS JOIN sqlrp_temporary_9 e
WHERE NOT EXISTS (SELECT 1 FROM sqlrp_temporary_8 k WHERE k.r = odd.r AND k.f = e.f)
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_11 ENGINE = Memory AS SELECT r, f, x FROM sqlrp_temporary_10 UNION ALL SELECT r, -1, 1.0e0 FROM sqlrp_temporary_0
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_12 ENGINE = Memory AS SELECT c, v0, v1, w FROM (SELECT CAST('[0, 0, 0, 1, 1, 1]' AS Array(Int64)) AS c, CAST('[0, 1, 4, 2, 3, 5]' AS Array(Int64)) AS v0, CAST('[0, 1, -1, 2, 3, -1]' AS Array(Int64)) AS v1, CAST('[1, -1, 1, 1, -1, 1]' AS Array(Int64)) AS w) s ARRAY JOIN c, v0, v1, w
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_13 ENGINE = Memory AS SELECT k0.r AS r, i.c AS f, SUM(CAST(i.w AS Float64)*CAST(k0.x AS Float64)*CAST(k1.x AS Float64)) AS x
FROM sqlrp_temporary_12 i JOIN sqlrp_temporary_11 k0 ON k0.f = i.v0 JOIN sqlrp_temporary_11 k1 ON k1.f = i.v1 AND k0.r = k1.r
GROUP BY k0.r, i.c
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_14 ENGINE = Memory AS SELECT toInt64(number) AS f FROM numbers(2)
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_15 ENGINE = Memory AS SELECT s.r AS r, s.c0 AS c0, s.c1 AS c1, s.ok AS ok, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM sqlrp_temporary_0 s CROSS JOIN sqlrp_temporary_14 n
LEFT JOIN sqlrp_temporary_13 z ON z.r = s.r AND z.f = n.f
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
SELECT c0 AS `id`, c1 AS `label`, f AS component, CAST(x AS Float64)+ok AS value
FROM sqlrp_temporary_15
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
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
WITH source0 AS (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 ELSE raise_error('sqlrp: a feature is NULL and nulls = \'error\': clean the row, or use nulls = \'zero\' or \'propagate\'') END AS ok, (monotonically_increasing_id() + 1) AS r, array(CAST(`a` AS DECIMAL(38,2)),CAST(`b` AS DECIMAL(38,2)),CAST(`it's c` AS DECIMAL(38,2)),CAST(`d "quoted"` AS DECIMAL(38,2))) AS x FROM `shop`.`images`),
cells1 AS (SELECT r, CAST(o AS BIGINT) AS f, e AS x
FROM source0 LATERAL VIEW posexplode(x) u AS o, e),
features2 AS (SELECT id AS f FROM range(4)),
lists3 AS (SELECT r, transform(array(collect_list(struct(CAST(f AS INT) AS o, CAST(x AS DECIMAL(38,2)) AS v)) FILTER (WHERE CAST(x AS DECIMAL(38,2)) IS NOT NULL)), p -> CASE WHEN size(p) = 4 THEN sort_array(p).v ELSE sort_array(concat(p, transform(array_except(sequence(0, 3), p.o), o -> struct(o, CAST(0 AS DECIMAL(38,2)) AS v)))).v END)[0] AS x FROM cells1 GROUP BY r),
index_table4 AS (SELECT inline(arrays_zip(from_json('[0, 1, 2, 3, 4, 5, 6, 7]', 'ARRAY<BIGINT>'), from_json('[0, 1, 2, 3, 0, 1, 2, 3]', 'ARRAY<BIGINT>'), from_json('[4, 4, 4, 4, 0, 1, 2, 3]', 'ARRAY<BIGINT>'))) AS (c, v0, v1)),
products5 AS (SELECT k.r AS r, i.c AS f, SUM(CAST(coalesce(get(k.x, i.v0), CAST(1 AS DECIMAL(38,2))) AS DOUBLE)*CAST(coalesce(get(k.x, i.v1), CAST(1 AS DECIMAL(38,2))) AS DOUBLE)) AS x FROM lists3 k CROSS JOIN index_table4 i GROUP BY k.r, i.c),
features6 AS (SELECT id AS f FROM range(8)),
signs7 AS (SELECT inline(arrays_zip(from_json('[0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3]', 'ARRAY<BIGINT>'), from_json('[0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]', 'ARRAY<BIGINT>'), from_json('[-1, 1, -1, 1, 1, 1, 1, -1, 1, -1, -1, -1, 1, -1, -1, -1]', 'ARRAY<BIGINT>'))) AS (c, f, sign)),
sums8 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM products5 JOIN signs7 USING (f)
GROUP BY r, c),
features9 AS (SELECT id AS f FROM range(6)),
lists10 AS (SELECT r, transform(array(collect_list(struct(CAST(f AS INT) AS o, CAST(x AS DOUBLE) AS v)) FILTER (WHERE CAST(x AS DOUBLE) IS NOT NULL)), p -> CASE WHEN size(p) = 6 THEN sort_array(p).v ELSE sort_array(concat(p, transform(array_except(sequence(0, 5), p.o), o -> struct(o, 0.0e0 AS v)))).v END)[0] AS x FROM sums8 GROUP BY r),
index_table11 AS (SELECT inline(arrays_zip(from_json('[0, 0, 0, 1, 1, 1]', 'ARRAY<BIGINT>'), from_json('[0, 1, 4, 2, 3, 5]', 'ARRAY<BIGINT>'), from_json('[0, 1, 6, 2, 3, 6]', 'ARRAY<BIGINT>'), from_json('[1, -1, 1, 1, -1, 1]', 'ARRAY<BIGINT>'))) AS (c, v0, v1, w)),
products12 AS (SELECT k.r AS r, i.c AS f, SUM(CAST(i.w AS DOUBLE)*CAST(coalesce(get(k.x, i.v0), 1.0e0) AS DOUBLE)*CAST(coalesce(get(k.x, i.v1), 1.0e0) AS DOUBLE)) AS x FROM lists10 k CROSS JOIN index_table11 i GROUP BY k.r, i.c)
SELECT c0 AS `id`, c1 AS `label`, component, value+0*ok AS value
FROM (SELECT c0, c1, ok, CAST(o AS BIGINT) AS component, e AS value
FROM (SELECT c0, c1, x AS z, ok
FROM (SELECT s.c0 AS c0, s.c1 AS c1, s.ok AS ok, coalesce(z.x, array_repeat(0.0e0, 2)) AS x
FROM source0 s LEFT JOIN (SELECT r, transform(array(collect_list(struct(CAST(f AS INT) AS o, CAST(x AS DOUBLE) AS v)) FILTER (WHERE CAST(x AS DOUBLE) IS NOT NULL)), p -> CASE WHEN size(p) = 2 THEN sort_array(p).v ELSE sort_array(concat(p, transform(array_except(sequence(0, 1), p.o), o -> struct(o, 0.0e0 AS v)))).v END)[0] AS x FROM products12 GROUP BY r) z ON z.r = s.r) s) s LATERAL VIEW OUTER posexplode(z) u AS o, e) s

-- ======== snowflake
-- 3 statements: run them in this order in one session. Statement 2 returns the rows.
CREATE TEMPORARY TABLE sqlrp_temporary_0 AS SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 ELSE CAST(concat('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''', substr(CAST(CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 1 ELSE 0 END AS VARCHAR), 1, 0)) AS BIGINT) END AS ok, row_number() OVER (ORDER BY NULL) AS r, CAST("a" AS DOUBLE) AS x0, CAST("b" AS DOUBLE) AS x1, CAST("it's c" AS DOUBLE) AS x2, CAST("d ""quoted""" AS DOUBLE) AS x3 FROM "shop"."images";
WITH cells0 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM sqlrp_temporary_0 CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) counted),
features1 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
cells2 AS (SELECT r, f, x FROM cells0 UNION ALL
SELECT odd.r, e.f, 0.0e0 FROM (SELECT DISTINCT r FROM cells0 WHERE NOT (x - x = 0)) odd
CROSS JOIN features1 e
WHERE NOT EXISTS (SELECT 1 FROM cells0 k WHERE k.r = odd.r AND k.f = e.f)),
cells3 AS (SELECT r, f, x FROM cells2 UNION ALL SELECT r, -1, 1.0e0 FROM sqlrp_temporary_0),
index_table4 AS (SELECT c, v0, v1 FROM (VALUES (0, 0, -1), (1, 1, -1), (2, 2, -1), (3, 3, -1), (4, 0, 0), (5, 1, 1), (6, 2, 2), (7, 3, 3)) AS listed(c, v0, v1)),
products5 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS DOUBLE)*CAST(k1.x AS DOUBLE)) AS x
FROM index_table4 i JOIN cells3 k0 ON k0.f = i.v0 JOIN cells3 k1 ON k1.f = i.v1 AND k0.r = k1.r
GROUP BY k0.r, i.c),
features6 AS (SELECT CAST(CASE WHEN 1 * d0.d < 8 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 8),
signs7 AS (SELECT c, f, sign FROM (VALUES (0, 0, -1), (1, 0, 1), (2, 0, -1), (3, 0, 1), (0, 1, 1), (1, 1, 1), (2, 1, 1), (3, 1, -1), (0, 2, 1), (1, 2, -1), (2, 2, -1), (3, 2, -1), (0, 3, 1), (1, 3, -1), (2, 3, -1), (3, 3, -1)) AS listed(c, f, sign)),
sums8 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM products5 JOIN signs7 USING (f)
GROUP BY r, c),
features9 AS (SELECT CAST(CASE WHEN 1 * d0.d < 6 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 6),
cells10 AS (SELECT r, f, x FROM sums8 UNION ALL
SELECT odd.r, e.f, 0.0e0 FROM (SELECT DISTINCT r FROM sums8 WHERE NOT (x - x = 0)) odd
CROSS JOIN features9 e
WHERE NOT EXISTS (SELECT 1 FROM sums8 k WHERE k.r = odd.r AND k.f = e.f)),
cells11 AS (SELECT r, f, x FROM cells10 UNION ALL SELECT r, -1, 1.0e0 FROM sqlrp_temporary_0),
index_table12 AS (SELECT c, v0, v1, w FROM (VALUES (0, 0, 0, 1), (0, 1, 1, -1), (0, 4, -1, 1), (1, 2, 2, 1), (1, 3, 3, -1), (1, 5, -1, 1)) AS listed(c, v0, v1, w)),
products13 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(i.w AS DOUBLE)*CAST(k0.x AS DOUBLE)*CAST(k1.x AS DOUBLE)) AS x
FROM index_table12 i JOIN cells11 k0 ON k0.f = i.v0 JOIN cells11 k1 ON k1.f = i.v1 AND k0.r = k1.r
GROUP BY k0.r, i.c),
outputs14 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2),
result15 AS (SELECT s.r AS r, s.c0 AS c0, s.c1 AS c1, s.ok AS ok, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM sqlrp_temporary_0 s CROSS JOIN outputs14 n
LEFT JOIN products13 z ON z.r = s.r AND z.f = n.f)
SELECT c0 AS "id", c1 AS "label", f AS component, CAST(x AS DOUBLE)+ok AS value
FROM result15;
DROP TABLE IF EXISTS sqlrp_temporary_0;


-- ======== bigquery
-- 2 statements: run them in this order in one session. Statement 2 returns the rows.
CREATE TEMPORARY TABLE sqlrp_temporary_0 AS SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 ELSE ERROR('sqlrp: a feature is NULL and nulls = \'error\': clean the row, or use nulls = \'zero\' or \'propagate\'') END AS ok, row_number() OVER () AS r, CAST(`a` AS FLOAT64) AS x0, CAST(`b` AS FLOAT64) AS x1, CAST(`it's c` AS FLOAT64) AS x2, CAST(`d "quoted"` AS FLOAT64) AS x3 FROM `shop`.`images`;
WITH cells0 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM sqlrp_temporary_0 CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS INT64) AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) counted),
features1 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS INT64) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
cells2 AS (SELECT r, f, x FROM cells0 UNION ALL
SELECT odd.r, e.f, 0.0e0 FROM (SELECT DISTINCT r FROM cells0 WHERE NOT (x - x = 0)) odd
CROSS JOIN features1 e
WHERE NOT EXISTS (SELECT 1 FROM cells0 k WHERE k.r = odd.r AND k.f = e.f)),
cells3 AS (SELECT r, f, x FROM cells2 UNION ALL SELECT r, -1, 1.0e0 FROM sqlrp_temporary_0),
index_table4 AS (SELECT c, v0, v1 FROM UNNEST([STRUCT(0 AS c, 0 AS v0, -1 AS v1), STRUCT(1, 1, -1), STRUCT(2, 2, -1), STRUCT(3, 3, -1), STRUCT(4, 0, 0), STRUCT(5, 1, 1), STRUCT(6, 2, 2), STRUCT(7, 3, 3)])),
products5 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS FLOAT64)*CAST(k1.x AS FLOAT64)) AS x
FROM index_table4 i JOIN cells3 k0 ON k0.f = i.v0 JOIN cells3 k1 ON k1.f = i.v1 AND k0.r = k1.r
GROUP BY k0.r, i.c),
features6 AS (SELECT CAST(CASE WHEN 1 * d0.d < 8 THEN 1 * d0.d END AS INT64) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 8),
signs7 AS (SELECT c, f, sign FROM UNNEST([STRUCT(0 AS c, 0 AS f, -1 AS sign), STRUCT(1, 0, 1), STRUCT(2, 0, -1), STRUCT(3, 0, 1), STRUCT(0, 1, 1), STRUCT(1, 1, 1), STRUCT(2, 1, 1), STRUCT(3, 1, -1), STRUCT(0, 2, 1), STRUCT(1, 2, -1), STRUCT(2, 2, -1), STRUCT(3, 2, -1), STRUCT(0, 3, 1), STRUCT(1, 3, -1), STRUCT(2, 3, -1), STRUCT(3, 3, -1)])),
sums8 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM products5 JOIN signs7 USING (f)
GROUP BY r, c),
features9 AS (SELECT CAST(CASE WHEN 1 * d0.d < 6 THEN 1 * d0.d END AS INT64) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 6),
cells10 AS (SELECT r, f, x FROM sums8 UNION ALL
SELECT odd.r, e.f, 0.0e0 FROM (SELECT DISTINCT r FROM sums8 WHERE NOT (x - x = 0)) odd
CROSS JOIN features9 e
WHERE NOT EXISTS (SELECT 1 FROM sums8 k WHERE k.r = odd.r AND k.f = e.f)),
cells11 AS (SELECT r, f, x FROM cells10 UNION ALL SELECT r, -1, 1.0e0 FROM sqlrp_temporary_0),
index_table12 AS (SELECT c, v0, v1, w FROM UNNEST([STRUCT(0 AS c, 0 AS v0, 0 AS v1, 1 AS w), STRUCT(0, 1, 1, -1), STRUCT(0, 4, -1, 1), STRUCT(1, 2, 2, 1), STRUCT(1, 3, 3, -1), STRUCT(1, 5, -1, 1)])),
products13 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(i.w AS FLOAT64)*CAST(k0.x AS FLOAT64)*CAST(k1.x AS FLOAT64)) AS x
FROM index_table12 i JOIN cells11 k0 ON k0.f = i.v0 JOIN cells11 k1 ON k1.f = i.v1 AND k0.r = k1.r
GROUP BY k0.r, i.c),
outputs14 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS INT64) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2),
result15 AS (SELECT s.r AS r, s.c0 AS c0, s.c1 AS c1, s.ok AS ok, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM sqlrp_temporary_0 s CROSS JOIN outputs14 n
LEFT JOIN products13 z ON z.r = s.r AND z.f = n.f)
SELECT c0 AS `id`, c1 AS `label`, f AS component, CAST(x AS FLOAT64)+ok AS value
FROM result15;


-- ======== redshift
-- 3 statements: run them in this order in one session. Statement 2 returns the rows.
CREATE TEMPORARY TABLE sqlrp_temporary_0 AS SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 ELSE CAST(concat('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''', substr(CAST(CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 1 ELSE 0 END AS VARCHAR), 1, 0)) AS BIGINT) END AS ok, row_number() OVER () AS r, CAST("a" AS DOUBLE PRECISION) AS x0, CAST("b" AS DOUBLE PRECISION) AS x1, CAST("it's c" AS DOUBLE PRECISION) AS x2, CAST("d ""quoted""" AS DOUBLE PRECISION) AS x3 FROM "shop"."images";
WITH cells0 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM sqlrp_temporary_0 CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) counted),
features1 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
cells2 AS (SELECT r, f, x FROM cells0 UNION ALL
SELECT odd.r, e.f, CAST('0.0' AS DOUBLE PRECISION) FROM (SELECT DISTINCT r FROM cells0 WHERE NOT (x - x = 0)) odd
CROSS JOIN features1 e
WHERE NOT EXISTS (SELECT 1 FROM cells0 k WHERE k.r = odd.r AND k.f = e.f)),
cells3 AS (SELECT r, f, x FROM cells2 UNION ALL SELECT r, -1, CAST('1.0' AS DOUBLE PRECISION) FROM sqlrp_temporary_0),
index_table4 AS (SELECT 0 AS c, 0 AS v0, -1 AS v1 UNION ALL SELECT 1 AS c, 1 AS v0, -1 AS v1 UNION ALL SELECT 2 AS c, 2 AS v0, -1 AS v1 UNION ALL SELECT 3 AS c, 3 AS v0, -1 AS v1 UNION ALL SELECT 4 AS c, 0 AS v0, 0 AS v1 UNION ALL SELECT 5 AS c, 1 AS v0, 1 AS v1 UNION ALL SELECT 6 AS c, 2 AS v0, 2 AS v1 UNION ALL SELECT 7 AS c, 3 AS v0, 3 AS v1),
products5 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS DOUBLE PRECISION)*CAST(k1.x AS DOUBLE PRECISION)) AS x
FROM index_table4 i JOIN cells3 k0 ON k0.f = i.v0 JOIN cells3 k1 ON k1.f = i.v1 AND k0.r = k1.r
GROUP BY k0.r, i.c),
features6 AS (SELECT CAST(CASE WHEN 1 * d0.d < 8 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 8),
signs7 AS (SELECT 0 AS c, 0 AS f, -1 AS sign UNION ALL SELECT 1 AS c, 0 AS f, 1 AS sign UNION ALL SELECT 2 AS c, 0 AS f, -1 AS sign UNION ALL SELECT 3 AS c, 0 AS f, 1 AS sign UNION ALL SELECT 0 AS c, 1 AS f, 1 AS sign UNION ALL SELECT 1 AS c, 1 AS f, 1 AS sign UNION ALL SELECT 2 AS c, 1 AS f, 1 AS sign UNION ALL SELECT 3 AS c, 1 AS f, -1 AS sign UNION ALL SELECT 0 AS c, 2 AS f, 1 AS sign UNION ALL SELECT 1 AS c, 2 AS f, -1 AS sign UNION ALL SELECT 2 AS c, 2 AS f, -1 AS sign UNION ALL SELECT 3 AS c, 2 AS f, -1 AS sign UNION ALL SELECT 0 AS c, 3 AS f, 1 AS sign UNION ALL SELECT 1 AS c, 3 AS f, -1 AS sign UNION ALL SELECT 2 AS c, 3 AS f, -1 AS sign UNION ALL SELECT 3 AS c, 3 AS f, -1 AS sign),
sums8 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE CAST('0.0' AS DOUBLE PRECISION) - x END) AS x
FROM products5 JOIN signs7 USING (f)
GROUP BY r, c),
features9 AS (SELECT CAST(CASE WHEN 1 * d0.d < 6 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 6),
cells10 AS (SELECT r, f, x FROM sums8 UNION ALL
SELECT odd.r, e.f, CAST('0.0' AS DOUBLE PRECISION) FROM (SELECT DISTINCT r FROM sums8 WHERE NOT (x - x = 0)) odd
CROSS JOIN features9 e
WHERE NOT EXISTS (SELECT 1 FROM sums8 k WHERE k.r = odd.r AND k.f = e.f)),
cells11 AS (SELECT r, f, x FROM cells10 UNION ALL SELECT r, -1, CAST('1.0' AS DOUBLE PRECISION) FROM sqlrp_temporary_0),
index_table12 AS (SELECT 0 AS c, 0 AS v0, 0 AS v1, 1 AS w UNION ALL SELECT 0 AS c, 1 AS v0, 1 AS v1, -1 AS w UNION ALL SELECT 0 AS c, 4 AS v0, -1 AS v1, 1 AS w UNION ALL SELECT 1 AS c, 2 AS v0, 2 AS v1, 1 AS w UNION ALL SELECT 1 AS c, 3 AS v0, 3 AS v1, -1 AS w UNION ALL SELECT 1 AS c, 5 AS v0, -1 AS v1, 1 AS w),
products13 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(i.w AS DOUBLE PRECISION)*CAST(k0.x AS DOUBLE PRECISION)*CAST(k1.x AS DOUBLE PRECISION)) AS x
FROM index_table12 i JOIN cells11 k0 ON k0.f = i.v0 JOIN cells11 k1 ON k1.f = i.v1 AND k0.r = k1.r
GROUP BY k0.r, i.c),
outputs14 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2),
result15 AS (SELECT s.r AS r, s.c0 AS c0, s.c1 AS c1, s.ok AS ok, n.f AS f, coalesce(z.x, CAST('0.0' AS DOUBLE PRECISION)) AS x
FROM sqlrp_temporary_0 s CROSS JOIN outputs14 n
LEFT JOIN products13 z ON z.r = s.r AND z.f = n.f)
SELECT c0 AS "id", c1 AS "label", f AS component, CAST(x AS DOUBLE PRECISION)+ok AS value
FROM result15;
DROP TABLE IF EXISTS sqlrp_temporary_0;


-- ======== databricks
-- 3 statements: run them in this order in one session. Statement 2 returns the rows.
CREATE TABLE sqlrp_temporary_0 AS SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 ELSE raise_error('sqlrp: a feature is NULL and nulls = \'error\': clean the row, or use nulls = \'zero\' or \'propagate\'') END AS ok, monotonically_increasing_id() AS r, CAST(`a` AS DOUBLE) AS x0, CAST(`b` AS DOUBLE) AS x1, CAST(`it's c` AS DOUBLE) AS x2, CAST(`d "quoted"` AS DOUBLE) AS x3 FROM `shop`.`images`;
WITH cells0 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM sqlrp_temporary_0 CROSS JOIN (SELECT id AS n FROM range(4)) counted),
features1 AS (SELECT id AS f FROM range(4)),
lists2 AS (SELECT r, transform(array(collect_list(struct(CAST(f AS INT) AS o, CAST(x AS DOUBLE) AS v)) FILTER (WHERE CAST(x AS DOUBLE) IS NOT NULL)), p -> CASE WHEN size(p) = 4 THEN sort_array(p).v ELSE sort_array(concat(p, transform(array_except(sequence(0, 3), p.o), o -> struct(o, 0.0e0 AS v)))).v END)[0] AS x FROM cells0 GROUP BY r),
index_table3 AS (SELECT c, v0, v1 FROM (VALUES (0, 0, 4), (1, 1, 4), (2, 2, 4), (3, 3, 4), (4, 0, 0), (5, 1, 1), (6, 2, 2), (7, 3, 3)) AS listed(c, v0, v1)),
products4 AS (SELECT k.r AS r, i.c AS f, SUM(CAST(coalesce(get(k.x, i.v0), 1.0e0) AS DOUBLE)*CAST(coalesce(get(k.x, i.v1), 1.0e0) AS DOUBLE)) AS x FROM lists2 k CROSS JOIN index_table3 i GROUP BY k.r, i.c),
features5 AS (SELECT id AS f FROM range(8)),
signs6 AS (SELECT c, f, sign FROM (VALUES (0, 0, -1), (1, 0, 1), (2, 0, -1), (3, 0, 1), (0, 1, 1), (1, 1, 1), (2, 1, 1), (3, 1, -1), (0, 2, 1), (1, 2, -1), (2, 2, -1), (3, 2, -1), (0, 3, 1), (1, 3, -1), (2, 3, -1), (3, 3, -1)) AS listed(c, f, sign)),
sums7 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM products4 JOIN signs6 USING (f)
GROUP BY r, c),
features8 AS (SELECT id AS f FROM range(6)),
lists9 AS (SELECT r, transform(array(collect_list(struct(CAST(f AS INT) AS o, CAST(x AS DOUBLE) AS v)) FILTER (WHERE CAST(x AS DOUBLE) IS NOT NULL)), p -> CASE WHEN size(p) = 6 THEN sort_array(p).v ELSE sort_array(concat(p, transform(array_except(sequence(0, 5), p.o), o -> struct(o, 0.0e0 AS v)))).v END)[0] AS x FROM sums7 GROUP BY r),
index_table10 AS (SELECT c, v0, v1, w FROM (VALUES (0, 0, 0, 1), (0, 1, 1, -1), (0, 4, 6, 1), (1, 2, 2, 1), (1, 3, 3, -1), (1, 5, 6, 1)) AS listed(c, v0, v1, w)),
products11 AS (SELECT k.r AS r, i.c AS f, SUM(CAST(i.w AS DOUBLE)*CAST(coalesce(get(k.x, i.v0), 1.0e0) AS DOUBLE)*CAST(coalesce(get(k.x, i.v1), 1.0e0) AS DOUBLE)) AS x FROM lists9 k CROSS JOIN index_table10 i GROUP BY k.r, i.c),
outputs12 AS (SELECT id AS f FROM range(2)),
result13 AS (SELECT s.r AS r, s.c0 AS c0, s.c1 AS c1, s.ok AS ok, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM sqlrp_temporary_0 s CROSS JOIN outputs12 n
LEFT JOIN products11 z ON z.r = s.r AND z.f = n.f)
SELECT c0 AS `id`, c1 AS `label`, f AS component, CAST(x AS DOUBLE)+ok AS value
FROM result13;
DROP TABLE IF EXISTS sqlrp_temporary_0;


-- ======== trino
-- 3 statements: run them in this order in one session. Statement 2 returns the rows.
CREATE TABLE sqlrp_temporary_0 AS SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 ELSE CAST(concat('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''', substr(CAST(CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 1 ELSE 0 END AS VARCHAR), 1, 0)) AS BIGINT) END AS ok, row_number() OVER () AS r, CAST("a" AS DOUBLE) AS x0, CAST("b" AS DOUBLE) AS x1, CAST("it's c" AS DOUBLE) AS x2, CAST("d ""quoted""" AS DOUBLE) AS x3 FROM "shop"."images";
WITH cells0 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM sqlrp_temporary_0 CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) counted),
features1 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
cells2 AS (SELECT r, f, x FROM cells0 UNION ALL
SELECT odd.r, e.f, 0.0e0 FROM (SELECT DISTINCT r FROM cells0 WHERE NOT (x - x = 0)) odd
CROSS JOIN features1 e
WHERE NOT EXISTS (SELECT 1 FROM cells0 k WHERE k.r = odd.r AND k.f = e.f)),
cells3 AS (SELECT r, f, x FROM cells2 UNION ALL SELECT r, -1, 1.0e0 FROM sqlrp_temporary_0),
index_table4 AS (SELECT c, v0, v1 FROM (VALUES (0, 0, -1), (1, 1, -1), (2, 2, -1), (3, 3, -1), (4, 0, 0), (5, 1, 1), (6, 2, 2), (7, 3, 3)) AS listed(c, v0, v1)),
products5 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS DOUBLE)*CAST(k1.x AS DOUBLE)) AS x
FROM index_table4 i JOIN cells3 k0 ON k0.f = i.v0 JOIN cells3 k1 ON k1.f = i.v1 AND k0.r = k1.r
GROUP BY k0.r, i.c),
features6 AS (SELECT CAST(CASE WHEN 1 * d0.d < 8 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 8),
signs7 AS (SELECT c, f, sign FROM (VALUES (0, 0, -1), (1, 0, 1), (2, 0, -1), (3, 0, 1), (0, 1, 1), (1, 1, 1), (2, 1, 1), (3, 1, -1), (0, 2, 1), (1, 2, -1), (2, 2, -1), (3, 2, -1), (0, 3, 1), (1, 3, -1), (2, 3, -1), (3, 3, -1)) AS listed(c, f, sign)),
sums8 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM products5 JOIN signs7 USING (f)
GROUP BY r, c),
features9 AS (SELECT CAST(CASE WHEN 1 * d0.d < 6 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 6),
cells10 AS (SELECT r, f, x FROM sums8 UNION ALL
SELECT odd.r, e.f, 0.0e0 FROM (SELECT DISTINCT r FROM sums8 WHERE NOT (x - x = 0)) odd
CROSS JOIN features9 e
WHERE NOT EXISTS (SELECT 1 FROM sums8 k WHERE k.r = odd.r AND k.f = e.f)),
cells11 AS (SELECT r, f, x FROM cells10 UNION ALL SELECT r, -1, 1.0e0 FROM sqlrp_temporary_0),
index_table12 AS (SELECT c, v0, v1, w FROM (VALUES (0, 0, 0, 1), (0, 1, 1, -1), (0, 4, -1, 1), (1, 2, 2, 1), (1, 3, 3, -1), (1, 5, -1, 1)) AS listed(c, v0, v1, w)),
products13 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(i.w AS DOUBLE)*CAST(k0.x AS DOUBLE)*CAST(k1.x AS DOUBLE)) AS x
FROM index_table12 i JOIN cells11 k0 ON k0.f = i.v0 JOIN cells11 k1 ON k1.f = i.v1 AND k0.r = k1.r
GROUP BY k0.r, i.c),
outputs14 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2),
result15 AS (SELECT s.r AS r, s.c0 AS c0, s.c1 AS c1, s.ok AS ok, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM sqlrp_temporary_0 s CROSS JOIN outputs14 n
LEFT JOIN products13 z ON z.r = s.r AND z.f = n.f)
SELECT c0 AS "id", c1 AS "label", f AS component, CAST(x AS DOUBLE)+ok AS value
FROM result15;
DROP TABLE IF EXISTS sqlrp_temporary_0;


-- ======== sqlserver
-- 31 statements: run them in this order in one session. Statement 16 returns the rows.
SELECT * INTO #sqlrp_temporary_0 FROM (SELECT [id] AS c0, [label] AS c1, CASE WHEN ([a] IS NOT NULL AND [b] IS NOT NULL AND [it's c] IS NOT NULL AND [d "quoted"] IS NOT NULL) THEN 0 ELSE CAST(CONCAT('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''', LEFT(CAST(NEWID() AS VARCHAR(36)), 0)) AS BIGINT) END AS ok, row_number() OVER (ORDER BY (SELECT NULL)) AS r, CAST([a] AS FLOAT) AS x0, CAST([b] AS FLOAT) AS x1, CAST([it's c] AS FLOAT) AS x2, CAST([d "quoted"] AS FLOAT) AS x3 FROM [shop].[images]) s;
SELECT * INTO #sqlrp_temporary_1 FROM (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM #sqlrp_temporary_0 CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS n FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) counted) s;
SELECT * INTO #sqlrp_temporary_2 FROM (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) s;
SELECT * INTO #sqlrp_temporary_3 FROM (SELECT r, f, x FROM #sqlrp_temporary_1 UNION ALL SELECT r, -1, 1.0e0 FROM #sqlrp_temporary_0) s;
SELECT * INTO #sqlrp_temporary_4 FROM (SELECT c, v0, v1 FROM (VALUES (0, 0, -1), (1, 1, -1), (2, 2, -1), (3, 3, -1), (4, 0, 0), (5, 1, 1), (6, 2, 2), (7, 3, 3)) AS listed(c, v0, v1)) s;
SELECT * INTO #sqlrp_temporary_5 FROM (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS FLOAT)*CAST(k1.x AS FLOAT)) AS x
FROM #sqlrp_temporary_4 i JOIN #sqlrp_temporary_3 k0 ON k0.f = i.v0 JOIN #sqlrp_temporary_3 k1 ON k1.f = i.v1 AND k0.r = k1.r
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
FROM #sqlrp_temporary_11 i JOIN #sqlrp_temporary_10 k0 ON k0.f = i.v0 JOIN #sqlrp_temporary_10 k1 ON k1.f = i.v1 AND k0.r = k1.r
GROUP BY k0.r, i.c) s;
SELECT * INTO #sqlrp_temporary_13 FROM (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2) s;
SELECT * INTO #sqlrp_temporary_14 FROM (SELECT s.r AS r, s.c0 AS c0, s.c1 AS c1, s.ok AS ok, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM #sqlrp_temporary_0 s CROSS JOIN #sqlrp_temporary_13 n
LEFT JOIN #sqlrp_temporary_12 z ON z.r = s.r AND z.f = n.f) s;
SELECT c0 AS [id], c1 AS [label], f AS component, CAST(x AS FLOAT)+ok AS value
FROM #sqlrp_temporary_14;
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
-- SourceError: name 'd "quoted"' holds a double quote, which oracle refuses: rename

-- ======== generic
-- UnsupportedError: generic knows no expression that fails on every engine, so nulls = 'error' is not supported: use 'propagate' or 'zero'
