-- PolynomialKernelProjection(k=2, s=2, seed=3, degree=3, p=None, t=1, c=0.0, minimise_repetition=True, vectors='sign')
-- wide rows of doubles; output = 'long', nulls = 'error', scale = True, lowering = 'inline'

-- ======== duckdb
SELECT c0 AS "id", c1 AS "label", unnest(range(len(z))) AS component, unnest(z) AS value FROM (SELECT c0, c1, [ok*v2*v3*v0, ok*v1*v2*v0] AS z
FROM (SELECT c0, c1, ok, (x3-(x0+x1)) AS v0, (x3-(x1+x2)) AS v1, (x1+x2) AS v2, (x1-x0) AS v3
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 2.0e0 ELSE error('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''') END AS ok, CAST("a" AS DOUBLE) AS x0, CAST("b" AS DOUBLE) AS x1, CAST("it's c" AS DOUBLE) AS x2, CAST("d ""quoted""" AS DOUBLE) AS x3
FROM "shop"."images") s) s) s

-- ======== postgresql
SELECT c0 AS "id", c1 AS "label", o - 1 AS component, e AS value
FROM (SELECT c0, c1, ARRAY[ok*v2*v3*v0,ok*v1*v2*v0] AS z
FROM (SELECT c0, c1, ok, (x3-(x0+x1)) AS v0, (x3-(x1+x2)) AS v1, (x1+x2) AS v2, (x1-x0) AS v3
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN CAST('2.0' AS double precision) ELSE CAST('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''' || left(CAST(clock_timestamp() AS text), 0) AS bigint) END AS ok, CAST("a" AS double precision) AS x0, CAST("b" AS double precision) AS x1, CAST("it's c" AS double precision) AS x2, CAST("d ""quoted""" AS double precision) AS x3
FROM "shop"."images" OFFSET '0') s OFFSET '0') s) s, unnest(z) WITH ORDINALITY AS u(e, o)

-- ======== sqlite
SELECT c0 AS `id`, c1 AS `label`, n AS component, CASE WHEN n < 1 THEN z0 ELSE z1 END AS value
FROM (SELECT c0, c1, ok*v2*v3*v0 AS z0, ok*v1*v2*v0 AS z1
FROM (SELECT c0, c1, ok, (x3-(x0+x1)) AS v0, (x3-(x1+x2)) AS v1, (x1+x2) AS v2, (x1-x0) AS v3
FROM (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 2.0e0 ELSE json_type('{}', 'sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''' || substr(random(), 1, 0)) END AS ok, CASE WHEN `a` >= '' THEN json_type('{}', 'sqlrp: a feature in `a` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`a` AS REAL) END AS x0, CASE WHEN `b` >= '' THEN json_type('{}', 'sqlrp: a feature in `b` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`b` AS REAL) END AS x1, CASE WHEN `it's c` >= '' THEN json_type('{}', 'sqlrp: a feature in `it''s c` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`it's c` AS REAL) END AS x2, CASE WHEN `d "quoted"` >= '' THEN json_type('{}', 'sqlrp: a feature in `d "quoted"` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`d "quoted"` AS REAL) END AS x3
FROM `shop`.`images` LIMIT -1 OFFSET 0) s LIMIT -1 OFFSET 0) s LIMIT -1 OFFSET 0) s CROSS JOIN (WITH RECURSIVE counted AS (SELECT 0 AS n UNION ALL SELECT n + 1 FROM counted WHERE n < 1) SELECT n FROM counted) counted

-- ======== mariadb
SELECT c0 AS `id`, c1 AS `label`, n AS component, CASE WHEN n < 1 THEN z0 ELSE z1 END AS value
FROM (SELECT c0, c1, ok*v2*v3*v0 AS z0, ok*v1*v2*v0 AS z1
FROM (SELECT c0, c1, ok, (x3-(x0+x1)) AS v0, (x3-(x1+x2)) AS v1, (x1+x2) AS v2, (x1-x0) AS v3
FROM (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 2.0e0 ELSE (9223372036854775807 + char_length(concat('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''', rand()))) END AS ok, CAST(`a` AS DOUBLE) AS x0, CAST(`b` AS DOUBLE) AS x1, CAST(`it's c` AS DOUBLE) AS x2, CAST(`d "quoted"` AS DOUBLE) AS x3
FROM `shop`.`images` LIMIT 18446744073709551615) s LIMIT 18446744073709551615) s LIMIT 18446744073709551615) s CROSS JOIN (SELECT CAST(seq AS SIGNED) AS n FROM seq_0_to_1) counted

-- ======== mysql
SELECT c0 AS `id`, c1 AS `label`, n AS component, CASE WHEN n < 1 THEN z0 ELSE z1 END AS value
FROM (SELECT c0, c1, ok*v2*v3*v0 AS z0, ok*v1*v2*v0 AS z1
FROM (SELECT c0, c1, ok, (x3-(x0+x1)) AS v0, (x3-(x1+x2)) AS v1, (x1+x2) AS v2, (x1-x0) AS v3
FROM (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 2.0e0 ELSE (9223372036854775807 + char_length(concat('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''', rand()))) END AS ok, CAST(`a` AS DOUBLE) AS x0, CAST(`b` AS DOUBLE) AS x1, CAST(`it's c` AS DOUBLE) AS x2, CAST(`d "quoted"` AS DOUBLE) AS x3
FROM `shop`.`images` LIMIT 18446744073709551615) s LIMIT 18446744073709551615) s LIMIT 18446744073709551615) s CROSS JOIN (SELECT CAST(n AS SIGNED) - 1 AS n FROM JSON_TABLE(concat('[0', repeat(',0', 1), ']'), '$[*]' COLUMNS (n FOR ORDINALITY)) listed) counted

-- ======== clickhouse
SELECT c0 AS `id`, c1 AS `label`, toInt64(o) - 1 AS component, e AS value
FROM (SELECT c0, c1, [ok*v2*v3*v0,ok*v1*v2*v0] AS z
FROM (SELECT c0, c1, ok, (x3-(x0+x1)) AS v0, (x3-(x1+x2)) AS v1, (x1+x2) AS v2, (x1-x0) AS v3
FROM (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 2.0e0 ELSE throwIf(1, 'sqlrp: a feature is NULL and nulls = \'error\': clean the row, or use nulls = \'zero\' or \'propagate\'') END AS ok, CAST(`a` AS Float64) AS x0, CAST(`b` AS Float64) AS x1, CAST(`it's c` AS Float64) AS x2, CAST(`d "quoted"` AS Float64) AS x3
FROM `shop`.`images`) s) s) s ARRAY JOIN z AS e, arrayEnumerate(z) AS o
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760

-- ======== spark
SELECT c0 AS `id`, c1 AS `label`, CAST(o AS BIGINT) AS component, e AS value
FROM (SELECT c0, c1, array(ok*v2*v3*v0,ok*v1*v2*v0) AS z
FROM (SELECT c0, c1, ok, (x3-(x0+x1)) AS v0, (x3-(x1+x2)) AS v1, (x1+x2) AS v2, (x1-x0) AS v3
FROM (SELECT `id` AS c0, `label` AS c1, CAST(`a` AS DOUBLE) AS x0, CAST(`b` AS DOUBLE) AS x1, CAST(`it's c` AS DOUBLE) AS x2, CAST(`d "quoted"` AS DOUBLE) AS x3, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 2.0e0 ELSE raise_error('sqlrp: a feature is NULL and nulls = \'error\': clean the row, or use nulls = \'zero\' or \'propagate\'') END AS ok
FROM `shop`.`images`) s) s) s LATERAL VIEW OUTER posexplode(z) u AS o, e

-- ======== snowflake, trino
SELECT c0 AS "id", c1 AS "label", n AS component, CASE WHEN n < 1 THEN z0 ELSE z1 END AS value
FROM (SELECT c0, c1, ok*v2*v3*v0 AS z0, ok*v1*v2*v0 AS z1
FROM (SELECT c0, c1, ok, (x3-(x0+x1)) AS v0, (x3-(x1+x2)) AS v1, (x1+x2) AS v2, (x1-x0) AS v3
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 2.0e0 ELSE CAST(concat('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''', substr(CAST(CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 1 ELSE 0 END AS VARCHAR), 1, 0)) AS BIGINT) END AS ok, CAST("a" AS DOUBLE) AS x0, CAST("b" AS DOUBLE) AS x1, CAST("it's c" AS DOUBLE) AS x2, CAST("d ""quoted""" AS DOUBLE) AS x3
FROM "shop"."images") s) s) s CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2) counted

-- ======== bigquery
SELECT c0 AS `id`, c1 AS `label`, n AS component, CASE WHEN n < 1 THEN z0 ELSE z1 END AS value
FROM (SELECT c0, c1, ok*v2*v3*v0 AS z0, ok*v1*v2*v0 AS z1
FROM (SELECT c0, c1, ok, (x3-(x0+x1)) AS v0, (x3-(x1+x2)) AS v1, (x1+x2) AS v2, (x1-x0) AS v3
FROM (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 2.0e0 ELSE ERROR('sqlrp: a feature is NULL and nulls = \'error\': clean the row, or use nulls = \'zero\' or \'propagate\'') END AS ok, CAST(`a` AS FLOAT64) AS x0, CAST(`b` AS FLOAT64) AS x1, CAST(`it's c` AS FLOAT64) AS x2, CAST(`d "quoted"` AS FLOAT64) AS x3
FROM `shop`.`images`) s) s) s CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS INT64) AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2) counted

-- ======== redshift
SELECT c0 AS "id", c1 AS "label", n AS component, CASE WHEN n < 1 THEN z0 ELSE z1 END AS value
FROM (SELECT c0, c1, ok*v2*v3*v0 AS z0, ok*v1*v2*v0 AS z1
FROM (SELECT c0, c1, ok, (x3-(x0+x1)) AS v0, (x3-(x1+x2)) AS v1, (x1+x2) AS v2, (x1-x0) AS v3
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN CAST('2.0' AS DOUBLE PRECISION) ELSE CAST(concat('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''', substr(CAST(CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 1 ELSE 0 END AS VARCHAR), 1, 0)) AS BIGINT) END AS ok, CAST("a" AS DOUBLE PRECISION) AS x0, CAST("b" AS DOUBLE PRECISION) AS x1, CAST("it's c" AS DOUBLE PRECISION) AS x2, CAST("d ""quoted""" AS DOUBLE PRECISION) AS x3
FROM "shop"."images") s) s) s CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2) counted

-- ======== databricks
SELECT c0 AS `id`, c1 AS `label`, n AS component, CASE WHEN n < 1 THEN z0 ELSE z1 END AS value
FROM (SELECT c0, c1, ok*v2*v3*v0 AS z0, ok*v1*v2*v0 AS z1
FROM (SELECT c0, c1, ok, (x3-(x0+x1)) AS v0, (x3-(x1+x2)) AS v1, (x1+x2) AS v2, (x1-x0) AS v3
FROM (SELECT `id` AS c0, `label` AS c1, CAST(`a` AS DOUBLE) AS x0, CAST(`b` AS DOUBLE) AS x1, CAST(`it's c` AS DOUBLE) AS x2, CAST(`d "quoted"` AS DOUBLE) AS x3, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 2.0e0 ELSE raise_error('sqlrp: a feature is NULL and nulls = \'error\': clean the row, or use nulls = \'zero\' or \'propagate\'') END AS ok
FROM `shop`.`images`) s) s) s CROSS JOIN (SELECT id AS n FROM range(2)) counted

-- ======== sqlserver
SELECT c0 AS [id], c1 AS [label], n AS component, CASE WHEN n < 1 THEN z0 ELSE z1 END AS value
FROM (SELECT c0, c1, ok*v2*v3*v0 AS z0, ok*v1*v2*v0 AS z1
FROM (SELECT c0, c1, ok, (x3-(x0+x1)) AS v0, (x3-(x1+x2)) AS v1, (x1+x2) AS v2, (x1-x0) AS v3
FROM (SELECT [id] AS c0, [label] AS c1, CASE WHEN ([a] IS NOT NULL AND [b] IS NOT NULL AND [it's c] IS NOT NULL AND [d "quoted"] IS NOT NULL) THEN 2.0e0 ELSE CAST(CONCAT('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''', LEFT(CAST(NEWID() AS VARCHAR(36)), 0)) AS BIGINT) END AS ok, CAST([a] AS FLOAT) AS x0, CAST([b] AS FLOAT) AS x1, CAST([it's c] AS FLOAT) AS x2, CAST([d "quoted"] AS FLOAT) AS x3
FROM [shop].[images]) s) s) s CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS n FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2) counted

-- ======== oracle
-- SourceError: name 'd "quoted"' holds a double quote, which oracle refuses: rename

-- ======== generic
-- UnsupportedError: generic knows no expression that fails on every engine, so nulls = 'error' is not supported: use 'propagate' or 'zero'
