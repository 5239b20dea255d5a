-- GivenRadialFeatures(k=2, state='eNoL8GZm0WWAAEUG/pJ/R/5DAS+DCENqRUF+Xmp…QhLgPQfsNkA8nuDBg==', bound_to=4)
-- wide rows of decimals; output = 'columns', nulls = 'error', scale = True, lowering = 'inline'

-- ======== duckdb
SELECT c0 AS "id", c1 AS "label", (u0+0.25e0*u1)+ok AS z0, (0.5e0*u0-u1)+ok AS z1
FROM (SELECT c0, c1, ok, exp(w0) AS u0, exp(w1) AS u1
FROM (SELECT c0, c1, ok, ((0.5e0*v0+v2)-(0.5e0*v3+0.25e0*v4+1.5e0*v5)) AS w0, ((1.5e0*v1+0.5e0*v2+0.5e0*v3)-(0.25e0*v4+2.75e0*v5)) AS w1
FROM (SELECT c0, c1, ok, x0 AS v0, x1 AS v1, x2 AS v2, x3 AS v3, (x0*x0+x1*x1+x2*x2+x3*x3) AS v4, 1.0e0 AS v5
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 ELSE error('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''') END AS ok, CAST("a" AS DOUBLE) AS x0, CAST("b" AS DOUBLE) AS x1, CAST("it's c" AS DOUBLE) AS x2, CAST("d ""quoted""" AS DOUBLE) AS x3
FROM "shop"."images") s) s) s) s

-- ======== postgresql
SELECT c0 AS "id", c1 AS "label", (u0+CAST('0.25' AS double precision)*u1)+ok AS z0, (CAST('0.5' AS double precision)*u0-u1)+ok AS z1
FROM (SELECT c0, c1, ok, CASE WHEN w0 < -700 THEN 0 ELSE exp(w0) END AS u0, CASE WHEN w1 < -700 THEN 0 ELSE exp(w1) END AS u1
FROM (SELECT c0, c1, ok, ((CAST('0.5' AS double precision)*v0+v2)-(CAST('0.5' AS double precision)*v3+CAST('0.25' AS double precision)*v4+CAST('1.5' AS double precision)*v5)) AS w0, ((CAST('1.5' AS double precision)*v1+CAST('0.5' AS double precision)*v2+CAST('0.5' AS double precision)*v3)-(CAST('0.25' AS double precision)*v4+CAST('2.75' AS double precision)*v5)) AS w1
FROM (SELECT c0, c1, ok, x0 AS v0, x1 AS v1, x2 AS v2, x3 AS v3, (x0*x0+x1*x1+x2*x2+x3*x3) AS v4, CAST('1.0' AS double precision) AS v5
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 ELSE CAST('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''' || left(CAST(clock_timestamp() AS text), 0) AS bigint) END AS ok, CAST("a" AS double precision) AS x0, CAST("b" AS double precision) AS x1, CAST("it's c" AS double precision) AS x2, CAST("d ""quoted""" AS double precision) AS x3
FROM "shop"."images" OFFSET '0') s OFFSET '0') s OFFSET '0') s OFFSET '0') s

-- ======== sqlite
WITH level0 AS (SELECT c0, c1, ok, ((0.5e0*v0+v2)-(0.5e0*v3+0.25e0*v4+1.5e0*v5)) AS w0, ((1.5e0*v1+0.5e0*v2+0.5e0*v3)-(0.25e0*v4+2.75e0*v5)) AS w1
FROM (SELECT c0, c1, ok, x0 AS v0, x1 AS v1, x2 AS v2, x3 AS v3, (x0*x0+x1*x1+x2*x2+x3*x3) AS v4, 1.0e0 AS v5
FROM (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 ELSE json_type('{}', 'sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''' || substr(random(), 1, 0)) END AS ok, CASE WHEN `a` >= '' THEN json_type('{}', 'sqlrp: a feature in `a` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`a` AS REAL) END AS x0, CASE WHEN `b` >= '' THEN json_type('{}', 'sqlrp: a feature in `b` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`b` AS REAL) END AS x1, CASE WHEN `it's c` >= '' THEN json_type('{}', 'sqlrp: a feature in `it''s c` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`it's c` AS REAL) END AS x2, CASE WHEN `d "quoted"` >= '' THEN json_type('{}', 'sqlrp: a feature in `d "quoted"` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`d "quoted"` AS REAL) END AS x3
FROM `shop`.`images` LIMIT -1 OFFSET 0) s LIMIT -1 OFFSET 0) s LIMIT -1 OFFSET 0),
level1 AS (SELECT c0, c1, ok, exp(w0) AS u0, exp(w1) AS u1
FROM level0 LIMIT -1 OFFSET 0)
SELECT c0 AS `id`, c1 AS `label`, (u0+0.25e0*u1)+ok AS z0, (0.5e0*u0-u1)+ok AS z1
FROM level1

-- ======== mariadb, mysql
SELECT c0 AS `id`, c1 AS `label`, (u0+0.25e0*u1)+ok AS z0, (0.5e0*u0-u1)+ok AS z1
FROM (SELECT c0, c1, ok, exp(w0) AS u0, exp(w1) AS u1
FROM (SELECT c0, c1, ok, ((0.5e0*v0+v2)-(0.5e0*v3+0.25e0*v4+1.5e0*v5)) AS w0, ((1.5e0*v1+0.5e0*v2+0.5e0*v3)-(0.25e0*v4+2.75e0*v5)) AS w1
FROM (SELECT c0, c1, ok, x0 AS v0, x1 AS v1, x2 AS v2, x3 AS v3, (x0*x0+x1*x1+x2*x2+x3*x3) AS v4, 1.0e0 AS v5
FROM (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 ELSE (9223372036854775807 + char_length(concat('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''', rand()))) END AS ok, CAST(`a` AS DOUBLE) AS x0, CAST(`b` AS DOUBLE) AS x1, CAST(`it's c` AS DOUBLE) AS x2, CAST(`d "quoted"` AS DOUBLE) AS x3
FROM `shop`.`images` LIMIT 18446744073709551615) s LIMIT 18446744073709551615) s LIMIT 18446744073709551615) s LIMIT 18446744073709551615) s

-- ======== clickhouse
SELECT c0 AS `id`, c1 AS `label`, (u0+0.25e0*u1)+ok AS z0, (0.5e0*u0-u1)+ok AS z1
FROM (SELECT c0, c1, ok, exp(w0) AS u0, exp(w1) AS u1
FROM (SELECT c0, c1, ok, ((0.5e0*v0+v2)-(0.5e0*v3+0.25e0*v4+1.5e0*v5)) AS w0, ((1.5e0*v1+0.5e0*v2+0.5e0*v3)-(0.25e0*v4+2.75e0*v5)) AS w1
FROM (SELECT c0, c1, ok, x0 AS v0, x1 AS v1, x2 AS v2, x3 AS v3, (x0*x0+x1*x1+x2*x2+x3*x3) AS v4, 1.0e0 AS v5
FROM (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 ELSE throwIf(1, 'sqlrp: a feature is NULL and nulls = \'error\': clean the row, or use nulls = \'zero\' or \'propagate\'') END AS ok, CAST(`a` AS Float64) AS x0, CAST(`b` AS Float64) AS x1, CAST(`it's c` AS Float64) AS x2, CAST(`d "quoted"` AS Float64) AS x3
FROM `shop`.`images`) s) s) s) s
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760

-- ======== spark, databricks
SELECT c0 AS `id`, c1 AS `label`, (u0+0.25e0*u1)+ok AS z0, (0.5e0*u0-u1)+ok AS z1
FROM (SELECT c0, c1, ok, exp(w0) AS u0, exp(w1) AS u1
FROM (SELECT c0, c1, ok, ((0.5e0*v0+v2)-(0.5e0*v3+0.25e0*v4+1.5e0*v5)) AS w0, ((1.5e0*v1+0.5e0*v2+0.5e0*v3)-(0.25e0*v4+2.75e0*v5)) AS w1
FROM (SELECT c0, c1, ok, x0 AS v0, x1 AS v1, x2 AS v2, x3 AS v3, (x0*x0+x1*x1+x2*x2+x3*x3) AS v4, 1.0e0 AS v5
FROM (SELECT `id` AS c0, `label` AS c1, CAST(`a` AS DOUBLE) AS x0, CAST(`b` AS DOUBLE) AS x1, CAST(`it's c` AS DOUBLE) AS x2, CAST(`d "quoted"` AS DOUBLE) AS x3, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 ELSE raise_error('sqlrp: a feature is NULL and nulls = \'error\': clean the row, or use nulls = \'zero\' or \'propagate\'') END AS ok
FROM `shop`.`images`) s) s) s) s

-- ======== snowflake, trino
SELECT c0 AS "id", c1 AS "label", (u0+0.25e0*u1)+ok AS z0, (0.5e0*u0-u1)+ok AS z1
FROM (SELECT c0, c1, ok, exp(w0) AS u0, exp(w1) AS u1
FROM (SELECT c0, c1, ok, ((0.5e0*v0+v2)-(0.5e0*v3+0.25e0*v4+1.5e0*v5)) AS w0, ((1.5e0*v1+0.5e0*v2+0.5e0*v3)-(0.25e0*v4+2.75e0*v5)) AS w1
FROM (SELECT c0, c1, ok, x0 AS v0, x1 AS v1, x2 AS v2, x3 AS v3, (x0*x0+x1*x1+x2*x2+x3*x3) AS v4, 1.0e0 AS v5
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 ELSE CAST(concat('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''', substr(CAST(CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 1 ELSE 0 END AS VARCHAR), 1, 0)) AS BIGINT) END AS ok, CAST("a" AS DOUBLE) AS x0, CAST("b" AS DOUBLE) AS x1, CAST("it's c" AS DOUBLE) AS x2, CAST("d ""quoted""" AS DOUBLE) AS x3
FROM "shop"."images") s) s) s) s

-- ======== bigquery
SELECT c0 AS `id`, c1 AS `label`, (u0+0.25e0*u1)+ok AS z0, (0.5e0*u0-u1)+ok AS z1
FROM (SELECT c0, c1, ok, exp(w0) AS u0, exp(w1) AS u1
FROM (SELECT c0, c1, ok, ((0.5e0*v0+v2)-(0.5e0*v3+0.25e0*v4+1.5e0*v5)) AS w0, ((1.5e0*v1+0.5e0*v2+0.5e0*v3)-(0.25e0*v4+2.75e0*v5)) AS w1
FROM (SELECT c0, c1, ok, x0 AS v0, x1 AS v1, x2 AS v2, x3 AS v3, (x0*x0+x1*x1+x2*x2+x3*x3) AS v4, 1.0e0 AS v5
FROM (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 ELSE ERROR('sqlrp: a feature is NULL and nulls = \'error\': clean the row, or use nulls = \'zero\' or \'propagate\'') END AS ok, CAST(`a` AS FLOAT64) AS x0, CAST(`b` AS FLOAT64) AS x1, CAST(`it's c` AS FLOAT64) AS x2, CAST(`d "quoted"` AS FLOAT64) AS x3
FROM `shop`.`images`) s) s) s) s

-- ======== redshift
SELECT c0 AS "id", c1 AS "label", (u0+CAST('0.25' AS DOUBLE PRECISION)*u1)+ok AS z0, (CAST('0.5' AS DOUBLE PRECISION)*u0-u1)+ok AS z1
FROM (SELECT c0, c1, ok, exp(w0) AS u0, exp(w1) AS u1
FROM (SELECT c0, c1, ok, ((CAST('0.5' AS DOUBLE PRECISION)*v0+v2)-(CAST('0.5' AS DOUBLE PRECISION)*v3+CAST('0.25' AS DOUBLE PRECISION)*v4+CAST('1.5' AS DOUBLE PRECISION)*v5)) AS w0, ((CAST('1.5' AS DOUBLE PRECISION)*v1+CAST('0.5' AS DOUBLE PRECISION)*v2+CAST('0.5' AS DOUBLE PRECISION)*v3)-(CAST('0.25' AS DOUBLE PRECISION)*v4+CAST('2.75' AS DOUBLE PRECISION)*v5)) AS w1
FROM (SELECT c0, c1, ok, x0 AS v0, x1 AS v1, x2 AS v2, x3 AS v3, (x0*x0+x1*x1+x2*x2+x3*x3) AS v4, CAST('1.0' AS DOUBLE PRECISION) AS v5
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 ELSE CAST(concat('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''', substr(CAST(CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 1 ELSE 0 END AS VARCHAR), 1, 0)) AS BIGINT) END AS ok, CAST("a" AS DOUBLE PRECISION) AS x0, CAST("b" AS DOUBLE PRECISION) AS x1, CAST("it's c" AS DOUBLE PRECISION) AS x2, CAST("d ""quoted""" AS DOUBLE PRECISION) AS x3
FROM "shop"."images") s) s) s) s

-- ======== sqlserver
SELECT c0 AS [id], c1 AS [label], (u0+0.25e0*u1)+ok AS z0, (0.5e0*u0-u1)+ok AS z1
FROM (SELECT c0, c1, ok, exp(w0) AS u0, exp(w1) AS u1
FROM (SELECT c0, c1, ok, ((0.5e0*v0+v2)-(0.5e0*v3+0.25e0*v4+1.5e0*v5)) AS w0, ((1.5e0*v1+0.5e0*v2+0.5e0*v3)-(0.25e0*v4+2.75e0*v5)) AS w1
FROM (SELECT c0, c1, ok, x0 AS v0, x1 AS v1, x2 AS v2, x3 AS v3, (x0*x0+x1*x1+x2*x2+x3*x3) AS v4, 1.0e0 AS v5
FROM (SELECT [id] AS c0, [label] AS c1, CASE WHEN ([a] IS NOT NULL AND [b] IS NOT NULL AND [it's c] IS NOT NULL AND [d "quoted"] IS NOT NULL) THEN 0 ELSE CAST(CONCAT('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''', LEFT(CAST(NEWID() AS VARCHAR(36)), 0)) AS BIGINT) END AS ok, CAST([a] AS FLOAT) AS x0, CAST([b] AS FLOAT) AS x1, CAST([it's c] AS FLOAT) AS x2, CAST([d "quoted"] AS FLOAT) AS x3
FROM [shop].[images]) s) s) s) s

-- ======== oracle
-- SourceError: name 'd "quoted"' holds a double quote, which oracle refuses: rename

-- ======== generic
-- UnsupportedError: generic knows no expression that fails on every engine, so nulls = 'error' is not supported: use 'propagate' or 'zero'
