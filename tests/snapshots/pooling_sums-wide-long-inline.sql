-- BilinearPooling(k=2, s=1, seed=1, p=None, t=1, normalise=False, split=None)
-- wide rows of integers of 8 bits; output = 'long', nulls = 'propagate', scale = True, lowering = 'inline'

-- ======== duckdb
SELECT c0 AS "id", unnest(range(len(z))) AS component, unnest(z) AS value FROM (SELECT c0, [ok*y0, ok*y1] AS z
FROM (SELECT c0, CASE WHEN count(ok) = count(*) THEN 0.707106781 END AS ok, CAST(SUM(u3*u0) AS DOUBLE) AS y0, CAST(SUM(u2*u1) AS DOUBLE) AS y1
FROM (SELECT c0, ok, CAST(-w2 AS DOUBLE) AS u0, CAST(w0 AS DOUBLE) AS u1, CAST(-w1 AS DOUBLE) AS u2, CAST(w2 AS DOUBLE) AS u3
FROM (SELECT c0, ok, v0-v2 AS w0, v1+v2 AS w1, v1-v2 AS w2
FROM (SELECT c0, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2
FROM (SELECT "id" AS c0, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0.707106781 END AS ok, CAST("a" AS SMALLINT) AS x0, CAST("b" AS SMALLINT) AS x1, CAST("it's c" AS SMALLINT) AS x2, CAST("d ""quoted""" AS SMALLINT) AS x3
FROM "shop"."images") s) s) s) s GROUP BY c0) s) s

-- ======== postgresql
SELECT c0 AS "id", o - 1 AS component, e AS value
FROM (SELECT c0, ARRAY[ok*y0,ok*y1] AS z
FROM (SELECT c0, CASE WHEN count(ok) = count(*) THEN CAST('0.707106781' AS double precision) END AS ok, CAST(SUM(u3*u0) AS double precision) AS y0, CAST(SUM(u2*u1) AS double precision) AS y1
FROM (SELECT c0, ok, CAST(-w2 AS double precision) AS u0, CAST(w0 AS double precision) AS u1, CAST(-w1 AS double precision) AS u2, CAST(w2 AS double precision) AS u3
FROM (SELECT c0, ok, v0-v2 AS w0, v1+v2 AS w1, v1-v2 AS w2
FROM (SELECT c0, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2
FROM (SELECT "id" AS c0, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN CAST('0.707106781' AS double precision) END AS ok, CAST("a" AS integer) AS x0, CAST("b" AS integer) AS x1, CAST("it's c" AS integer) AS x2, CAST("d ""quoted""" AS integer) AS x3
FROM "shop"."images" OFFSET '0') s OFFSET '0') s OFFSET '0') s OFFSET '0') s GROUP BY c0) s) s, unnest(z) WITH ORDINALITY AS u(e, o)

-- ======== sqlite
WITH level0 AS (SELECT c0, ok, v0-v2 AS w0, v1+v2 AS w1, v1-v2 AS w2
FROM (SELECT c0, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2
FROM (SELECT `id` AS c0, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0.707106781 END AS ok, CASE WHEN `a` >= '' THEN json_type('{}', 'sqlrp: a feature in `a` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`a` AS REAL) END AS x0, CASE WHEN `b` >= '' THEN json_type('{}', 'sqlrp: a feature in `b` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`b` AS REAL) END AS x1, CASE WHEN `it's c` >= '' THEN json_type('{}', 'sqlrp: a feature in `it''s c` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`it's c` AS REAL) END AS x2, CASE WHEN `d "quoted"` >= '' THEN json_type('{}', 'sqlrp: a feature in `d "quoted"` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`d "quoted"` AS REAL) END AS x3
FROM `shop`.`images` LIMIT -1 OFFSET 0) s LIMIT -1 OFFSET 0) s LIMIT -1 OFFSET 0),
level1 AS (SELECT c0, ok, -w2 AS u0, w0 AS u1, -w1 AS u2, w2 AS u3
FROM level0 LIMIT -1 OFFSET 0)
SELECT c0 AS `id`, n AS component, CASE WHEN n < 1 THEN z0 ELSE z1 END AS value
FROM (SELECT c0, ok*y0 AS z0, ok*y1 AS z1
FROM (SELECT c0, CASE WHEN count(ok) = count(*) THEN 0.707106781 END AS ok, CAST(SUM(u3*u0) AS REAL) AS y0, CAST(SUM(u2*u1) AS REAL) AS y1
FROM level1 GROUP BY c0) s LIMIT -1 OFFSET 0) s CROSS JOIN (WITH RECURSIVE counted AS (SELECT 0 AS n UNION ALL SELECT n + 1 FROM counted WHERE n < 1) SELECT n FROM counted) counted

-- ======== mariadb
SELECT c0 AS `id`, n AS component, CASE WHEN n < 1 THEN z0 ELSE z1 END AS value
FROM (SELECT c0, ok*y0 AS z0, ok*y1 AS z1
FROM (SELECT c0, CASE WHEN count(ok) = count(*) THEN 0.707106781 END AS ok, CAST(SUM(u3*u0) AS DOUBLE) AS y0, CAST(SUM(u2*u1) AS DOUBLE) AS y1
FROM (SELECT c0, ok, CAST(-w2 AS DOUBLE) AS u0, CAST(w0 AS DOUBLE) AS u1, CAST(-w1 AS DOUBLE) AS u2, CAST(w2 AS DOUBLE) AS u3
FROM (SELECT c0, ok, v0-v2 AS w0, v1+v2 AS w1, v1-v2 AS w2
FROM (SELECT c0, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2
FROM (SELECT `id` AS c0, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0.707106781 END AS ok, CAST(`a` AS SIGNED) AS x0, CAST(`b` AS SIGNED) AS x1, CAST(`it's c` AS SIGNED) AS x2, CAST(`d "quoted"` AS SIGNED) AS x3
FROM `shop`.`images` LIMIT 18446744073709551615) s LIMIT 18446744073709551615) s LIMIT 18446744073709551615) s LIMIT 18446744073709551615) s GROUP BY c0) s LIMIT 18446744073709551615) s CROSS JOIN (SELECT CAST(seq AS SIGNED) AS n FROM seq_0_to_1) counted

-- ======== mysql
SELECT c0 AS `id`, n AS component, CASE WHEN n < 1 THEN z0 ELSE z1 END AS value
FROM (SELECT c0, ok*y0 AS z0, ok*y1 AS z1
FROM (SELECT c0, CASE WHEN count(ok) = count(*) THEN 0.707106781 END AS ok, CAST(SUM(u3*u0) AS DOUBLE) AS y0, CAST(SUM(u2*u1) AS DOUBLE) AS y1
FROM (SELECT c0, ok, CAST(-w2 AS DOUBLE) AS u0, CAST(w0 AS DOUBLE) AS u1, CAST(-w1 AS DOUBLE) AS u2, CAST(w2 AS DOUBLE) AS u3
FROM (SELECT c0, ok, v0-v2 AS w0, v1+v2 AS w1, v1-v2 AS w2
FROM (SELECT c0, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2
FROM (SELECT `id` AS c0, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0.707106781 END AS ok, CAST(`a` AS SIGNED) AS x0, CAST(`b` AS SIGNED) AS x1, CAST(`it's c` AS SIGNED) AS x2, CAST(`d "quoted"` AS SIGNED) AS x3
FROM `shop`.`images` LIMIT 18446744073709551615) s LIMIT 18446744073709551615) s LIMIT 18446744073709551615) s LIMIT 18446744073709551615) s GROUP BY c0) s LIMIT 18446744073709551615) s CROSS JOIN (SELECT CAST(n AS SIGNED) - 1 AS n FROM JSON_TABLE(concat('[0', repeat(',0', 1), ']'), '$[*]' COLUMNS (n FOR ORDINALITY)) listed) counted

-- ======== clickhouse
SELECT c0 AS `id`, toInt64(o) - 1 AS component, e AS value
FROM (SELECT c0, [ok*y0,ok*y1] AS z
FROM (SELECT c0, CASE WHEN count(ok) = count(*) THEN 0.707106781 END AS ok, CAST(SUM(u3*u0) AS Float64) AS y0, CAST(SUM(u2*u1) AS Float64) AS y1
FROM (SELECT c0, ok, CAST(-w2 AS Float64) AS u0, CAST(w0 AS Float64) AS u1, CAST(-w1 AS Float64) AS u2, CAST(w2 AS Float64) AS u3
FROM (SELECT c0, ok, v0-v2 AS w0, v1+v2 AS w1, v1-v2 AS w2
FROM (SELECT c0, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2
FROM (SELECT `id` AS c0, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0.707106781 END AS ok, CAST(`a` AS Int64) AS x0, CAST(`b` AS Int64) AS x1, CAST(`it's c` AS Int64) AS x2, CAST(`d "quoted"` AS Int64) AS x3
FROM `shop`.`images`) s) s) s) s GROUP BY c0) s) s ARRAY JOIN z AS e, arrayEnumerate(z) AS o
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760

-- ======== spark
SELECT c0 AS `id`, CAST(o AS BIGINT) AS component, e AS value
FROM (SELECT c0, array(ok*y0,ok*y1) AS z
FROM (SELECT c0, CASE WHEN count(ok) = count(*) THEN 0.707106781 END AS ok, CAST(SUM(u3*u0) AS DOUBLE) AS y0, CAST(SUM(u2*u1) AS DOUBLE) AS y1
FROM (SELECT c0, ok, CAST(-w2 AS DOUBLE) AS u0, CAST(w0 AS DOUBLE) AS u1, CAST(-w1 AS DOUBLE) AS u2, CAST(w2 AS DOUBLE) AS u3
FROM (SELECT c0, ok, v0-v2 AS w0, v1+v2 AS w1, v1-v2 AS w2
FROM (SELECT c0, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2
FROM (SELECT `id` AS c0, CAST(`a` AS INT) AS x0, CAST(`b` AS INT) AS x1, CAST(`it's c` AS INT) AS x2, CAST(`d "quoted"` AS INT) AS x3, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0.707106781 END AS ok
FROM `shop`.`images`) s) s) s) s GROUP BY c0) s) s LATERAL VIEW OUTER posexplode(z) u AS o, e

-- ======== snowflake, trino
SELECT c0 AS "id", n AS component, CASE WHEN n < 1 THEN z0 ELSE z1 END AS value
FROM (SELECT c0, ok*y0 AS z0, ok*y1 AS z1
FROM (SELECT c0, CASE WHEN count(ok) = count(*) THEN 0.707106781 END AS ok, CAST(SUM(u3*u0) AS DOUBLE) AS y0, CAST(SUM(u2*u1) AS DOUBLE) AS y1
FROM (SELECT c0, ok, CAST(-w2 AS DOUBLE) AS u0, CAST(w0 AS DOUBLE) AS u1, CAST(-w1 AS DOUBLE) AS u2, CAST(w2 AS DOUBLE) AS u3
FROM (SELECT c0, ok, v0-v2 AS w0, v1+v2 AS w1, v1-v2 AS w2
FROM (SELECT c0, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2
FROM (SELECT "id" AS c0, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0.707106781 END AS ok, CAST("a" AS BIGINT) AS x0, CAST("b" AS BIGINT) AS x1, CAST("it's c" AS BIGINT) AS x2, CAST("d ""quoted""" AS BIGINT) AS x3
FROM "shop"."images") s) s) s) s GROUP BY c0) s) s CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2) counted

-- ======== bigquery
SELECT c0 AS `id`, n AS component, CASE WHEN n < 1 THEN z0 ELSE z1 END AS value
FROM (SELECT c0, ok*y0 AS z0, ok*y1 AS z1
FROM (SELECT c0, CASE WHEN count(ok) = count(*) THEN 0.707106781 END AS ok, CAST(SUM(u3*u0) AS FLOAT64) AS y0, CAST(SUM(u2*u1) AS FLOAT64) AS y1
FROM (SELECT c0, ok, CAST(-w2 AS FLOAT64) AS u0, CAST(w0 AS FLOAT64) AS u1, CAST(-w1 AS FLOAT64) AS u2, CAST(w2 AS FLOAT64) AS u3
FROM (SELECT c0, ok, v0-v2 AS w0, v1+v2 AS w1, v1-v2 AS w2
FROM (SELECT c0, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2
FROM (SELECT `id` AS c0, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0.707106781 END AS ok, CAST(`a` AS INT64) AS x0, CAST(`b` AS INT64) AS x1, CAST(`it's c` AS INT64) AS x2, CAST(`d "quoted"` AS INT64) AS x3
FROM `shop`.`images`) s) s) s) s GROUP BY c0) s) s CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS INT64) AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2) counted

-- ======== redshift
SELECT c0 AS "id", n AS component, CASE WHEN n < 1 THEN z0 ELSE z1 END AS value
FROM (SELECT c0, ok*y0 AS z0, ok*y1 AS z1
FROM (SELECT c0, CASE WHEN count(ok) = count(*) THEN CAST('0.707106781' AS DOUBLE PRECISION) END AS ok, CAST(SUM(u3*u0) AS DOUBLE PRECISION) AS y0, CAST(SUM(u2*u1) AS DOUBLE PRECISION) AS y1
FROM (SELECT c0, ok, CAST(-w2 AS DOUBLE PRECISION) AS u0, CAST(w0 AS DOUBLE PRECISION) AS u1, CAST(-w1 AS DOUBLE PRECISION) AS u2, CAST(w2 AS DOUBLE PRECISION) AS u3
FROM (SELECT c0, ok, v0-v2 AS w0, v1+v2 AS w1, v1-v2 AS w2
FROM (SELECT c0, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2
FROM (SELECT "id" AS c0, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN CAST('0.707106781' AS DOUBLE PRECISION) END AS ok, CAST("a" AS BIGINT) AS x0, CAST("b" AS BIGINT) AS x1, CAST("it's c" AS BIGINT) AS x2, CAST("d ""quoted""" AS BIGINT) AS x3
FROM "shop"."images") s) s) s) s GROUP BY c0) s) s CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2) counted

-- ======== databricks
SELECT c0 AS `id`, n AS component, CASE WHEN n < 1 THEN z0 ELSE z1 END AS value
FROM (SELECT c0, ok*y0 AS z0, ok*y1 AS z1
FROM (SELECT c0, CASE WHEN count(ok) = count(*) THEN 0.707106781 END AS ok, CAST(SUM(u3*u0) AS DOUBLE) AS y0, CAST(SUM(u2*u1) AS DOUBLE) AS y1
FROM (SELECT c0, ok, CAST(-w2 AS DOUBLE) AS u0, CAST(w0 AS DOUBLE) AS u1, CAST(-w1 AS DOUBLE) AS u2, CAST(w2 AS DOUBLE) AS u3
FROM (SELECT c0, ok, v0-v2 AS w0, v1+v2 AS w1, v1-v2 AS w2
FROM (SELECT c0, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2
FROM (SELECT `id` AS c0, CAST(`a` AS BIGINT) AS x0, CAST(`b` AS BIGINT) AS x1, CAST(`it's c` AS BIGINT) AS x2, CAST(`d "quoted"` AS BIGINT) AS x3, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0.707106781 END AS ok
FROM `shop`.`images`) s) s) s) s GROUP BY c0) s) s CROSS JOIN (SELECT id AS n FROM range(2)) counted

-- ======== sqlserver
SELECT c0 AS [id], n AS component, CASE WHEN n < 1 THEN z0 ELSE z1 END AS value
FROM (SELECT c0, ok*y0 AS z0, ok*y1 AS z1
FROM (SELECT c0, CASE WHEN count(ok) = count(*) THEN 0.707106781 END AS ok, CAST(SUM(u3*u0) AS FLOAT) AS y0, CAST(SUM(u2*u1) AS FLOAT) AS y1
FROM (SELECT c0, ok, CAST(-w2 AS FLOAT) AS u0, CAST(w0 AS FLOAT) AS u1, CAST(-w1 AS FLOAT) AS u2, CAST(w2 AS FLOAT) AS u3
FROM (SELECT c0, ok, v0-v2 AS w0, v1+v2 AS w1, v1-v2 AS w2
FROM (SELECT c0, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2
FROM (SELECT [id] AS c0, CASE WHEN ([a] IS NOT NULL AND [b] IS NOT NULL AND [it's c] IS NOT NULL AND [d "quoted"] IS NOT NULL) THEN 0.707106781 END AS ok, CAST([a] AS BIGINT) AS x0, CAST([b] AS BIGINT) AS x1, CAST([it's c] AS BIGINT) AS x2, CAST([d "quoted"] AS BIGINT) AS x3
FROM [shop].[images]) s) s) s) s GROUP BY c0) s) s CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS n FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2) counted

-- ======== oracle
-- SourceError: name 'd "quoted"' holds a double quote, which oracle refuses: rename

-- ======== generic
SELECT c0 AS "id", n AS "component", CASE WHEN n < 1 THEN z0 ELSE z1 END AS value
FROM (SELECT c0, ok*y0 AS z0, ok*y1 AS z1
FROM (SELECT c0, CASE WHEN count(ok) = count(*) THEN 0.707106781 END AS ok, CAST(SUM(u3*u0) AS DOUBLE PRECISION) AS y0, CAST(SUM(u2*u1) AS DOUBLE PRECISION) AS y1
FROM (SELECT c0, ok, CAST(-w2 AS DOUBLE PRECISION) AS u0, CAST(w0 AS DOUBLE PRECISION) AS u1, CAST(-w1 AS DOUBLE PRECISION) AS u2, CAST(w2 AS DOUBLE PRECISION) AS u3
FROM (SELECT c0, ok, v0-v2 AS w0, v1+v2 AS w1, v1-v2 AS w2
FROM (SELECT c0, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2
FROM (SELECT "id" AS c0, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0.707106781 END AS ok, CAST("a" AS BIGINT) AS x0, CAST("b" AS BIGINT) AS x1, CAST("it's c" AS BIGINT) AS x2, CAST("d ""quoted""" AS BIGINT) AS x3
FROM "shop"."images") s) s) s) s GROUP BY c0) s) s CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 AS d UNION ALL SELECT 2 AS d UNION ALL SELECT 3 AS d UNION ALL SELECT 4 AS d UNION ALL SELECT 5 AS d UNION ALL SELECT 6 AS d UNION ALL SELECT 7 AS d UNION ALL SELECT 8 AS d UNION ALL SELECT 9 AS d) d0 WHERE 1 * d0.d < 2) counted
