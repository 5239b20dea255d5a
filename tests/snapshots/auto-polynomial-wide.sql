-- PolynomialKernelProjection(k=2, s=1, seed=3, degree=2, p=None, t=2, c=1.0, minimise_repetition=True, vectors='sign')
-- wide rows of doubles; output = 'auto', lowering = 'auto'

-- ======== duckdb, snowflake, trino
SELECT c0 AS "id", c1 AS "label", ok*(w2*w3+w0*w1) AS z0, ok*(w2*w1+w0*w3) AS z1
FROM (SELECT c0, c1, ok, (v0-(v3+v4)) AS w0, ((v2+v4)-v1) AS w1, ((v3+v4)-v1) AS w2, (v0-(v2+v4)) AS w3
FROM (SELECT c0, c1, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2, x2-x3 AS v3, 1.0e0 AS v4
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0.5e0 END AS ok, CAST("a" AS DOUBLE) AS x0, CAST("b" AS DOUBLE) AS x1, CAST("it's c" AS DOUBLE) AS x2, CAST("d ""quoted""" AS DOUBLE) AS x3
FROM "shop"."images") s) s) s

-- ======== postgresql
SELECT c0 AS "id", c1 AS "label", ok*(w2*w3+w0*w1) AS z0, ok*(w2*w1+w0*w3) AS z1
FROM (SELECT c0, c1, ok, (v0-(v3+v4)) AS w0, ((v2+v4)-v1) AS w1, ((v3+v4)-v1) AS w2, (v0-(v2+v4)) AS w3
FROM (SELECT c0, c1, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2, x2-x3 AS v3, CAST('1.0' AS double precision) AS v4
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN CAST('0.5' AS double precision) END AS ok, CAST("a" AS double precision) AS x0, CAST("b" AS double precision) AS x1, CAST("it's c" AS double precision) AS x2, CAST("d ""quoted""" AS double precision) AS x3
FROM "shop"."images" OFFSET '0') s OFFSET '0') s OFFSET '0') s

-- ======== sqlite
SELECT c0 AS `id`, c1 AS `label`, ok*(w2*w3+w0*w1) AS z0, ok*(w2*w1+w0*w3) AS z1
FROM (SELECT c0, c1, ok, (v0-(v3+v4)) AS w0, ((v2+v4)-v1) AS w1, ((v3+v4)-v1) AS w2, (v0-(v2+v4)) AS w3
FROM (SELECT c0, c1, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2, x2-x3 AS v3, 1.0e0 AS v4
FROM (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0.5e0 END AS ok, CASE WHEN `a` >= '' THEN json_type('{}', 'sqlrp: a feature in `a` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`a` AS REAL) END AS x0, CASE WHEN `b` >= '' THEN json_type('{}', 'sqlrp: a feature in `b` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`b` AS REAL) END AS x1, CASE WHEN `it's c` >= '' THEN json_type('{}', 'sqlrp: a feature in `it''s c` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`it's c` AS REAL) END AS x2, CASE WHEN `d "quoted"` >= '' THEN json_type('{}', 'sqlrp: a feature in `d "quoted"` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`d "quoted"` AS REAL) END AS x3
FROM `shop`.`images` LIMIT -1 OFFSET 0) s LIMIT -1 OFFSET 0) s LIMIT -1 OFFSET 0) s

-- ======== mariadb, mysql
SELECT c0 AS `id`, c1 AS `label`, ok*(w2*w3+w0*w1) AS z0, ok*(w2*w1+w0*w3) AS z1
FROM (SELECT c0, c1, ok, (v0-(v3+v4)) AS w0, ((v2+v4)-v1) AS w1, ((v3+v4)-v1) AS w2, (v0-(v2+v4)) AS w3
FROM (SELECT c0, c1, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2, x2-x3 AS v3, 1.0e0 AS v4
FROM (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0.5e0 END AS ok, CAST(`a` AS DOUBLE) AS x0, CAST(`b` AS DOUBLE) AS x1, CAST(`it's c` AS DOUBLE) AS x2, CAST(`d "quoted"` AS DOUBLE) AS x3
FROM `shop`.`images` LIMIT 18446744073709551615) s LIMIT 18446744073709551615) s LIMIT 18446744073709551615) s

-- ======== clickhouse
WITH (SELECT CAST('[[1,1,-1,1,-1],[-1,1,1,1,1],[-1,1,1,-1,1],[1,1,-1,-1,-1]]' AS Array(Array(Float64)))) AS l0
SELECT c0 AS `id`, c1 AS `label`, ok*x[1] AS z0, ok*x[2] AS z1
FROM (SELECT c0, c1, ok, [(x[3]*x[4]+x[1]*x[2]),(x[3]*x[2]+x[1]*x[4])] AS x
FROM (SELECT c0, c1, ok, [arrayDotProduct(x, l0[1]), arrayDotProduct(x, l0[2]), arrayDotProduct(x, l0[3]), arrayDotProduct(x, l0[4])] AS x
FROM (SELECT c0, c1, ok, arrayPushBack(x, 1.0e0) AS x
FROM (SELECT c0, c1, ok, arrayMap(e -> coalesce(e, 0.0e0), x) AS x
FROM (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0.5e0 END AS ok, [CAST(`a` AS Float64),CAST(`b` AS Float64),CAST(`it's c` AS Float64),CAST(`d "quoted"` AS Float64)] AS x
FROM `shop`.`images`) s) s) s) s) s
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760, max_block_size = 25000

-- ======== spark, databricks
SELECT c0 AS `id`, c1 AS `label`, ok*(w2*w3+w0*w1) AS z0, ok*(w2*w1+w0*w3) AS z1
FROM (SELECT c0, c1, ok, (v0-(v3+v4)) AS w0, ((v2+v4)-v1) AS w1, ((v3+v4)-v1) AS w2, (v0-(v2+v4)) AS w3
FROM (SELECT c0, c1, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2, x2-x3 AS v3, 1.0e0 AS v4
FROM (SELECT `id` AS c0, `label` AS c1, CAST(`a` AS DOUBLE) AS x0, CAST(`b` AS DOUBLE) AS x1, CAST(`it's c` AS DOUBLE) AS x2, CAST(`d "quoted"` AS DOUBLE) AS x3, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0.5e0 END AS ok
FROM `shop`.`images`) s) s) s

-- ======== bigquery
SELECT c0 AS `id`, c1 AS `label`, ok*(w2*w3+w0*w1) AS z0, ok*(w2*w1+w0*w3) AS z1
FROM (SELECT c0, c1, ok, (v0-(v3+v4)) AS w0, ((v2+v4)-v1) AS w1, ((v3+v4)-v1) AS w2, (v0-(v2+v4)) AS w3
FROM (SELECT c0, c1, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2, x2-x3 AS v3, 1.0e0 AS v4
FROM (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0.5e0 END AS ok, CAST(`a` AS FLOAT64) AS x0, CAST(`b` AS FLOAT64) AS x1, CAST(`it's c` AS FLOAT64) AS x2, CAST(`d "quoted"` AS FLOAT64) AS x3
FROM `shop`.`images`) s) s) s

-- ======== redshift
SELECT c0 AS "id", c1 AS "label", ok*(w2*w3+w0*w1) AS z0, ok*(w2*w1+w0*w3) AS z1
FROM (SELECT c0, c1, ok, (v0-(v3+v4)) AS w0, ((v2+v4)-v1) AS w1, ((v3+v4)-v1) AS w2, (v0-(v2+v4)) AS w3
FROM (SELECT c0, c1, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2, x2-x3 AS v3, CAST('1.0' AS DOUBLE PRECISION) AS v4
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN CAST('0.5' AS DOUBLE PRECISION) END AS ok, CAST("a" AS DOUBLE PRECISION) AS x0, CAST("b" AS DOUBLE PRECISION) AS x1, CAST("it's c" AS DOUBLE PRECISION) AS x2, CAST("d ""quoted""" AS DOUBLE PRECISION) AS x3
FROM "shop"."images") s) s) s

-- ======== sqlserver
SELECT c0 AS [id], c1 AS [label], ok*(w2*w3+w0*w1) AS z0, ok*(w2*w1+w0*w3) AS z1
FROM (SELECT c0, c1, ok, (v0-(v3+v4)) AS w0, ((v2+v4)-v1) AS w1, ((v3+v4)-v1) AS w2, (v0-(v2+v4)) AS w3
FROM (SELECT c0, c1, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2, x2-x3 AS v3, 1.0e0 AS v4
FROM (SELECT [id] AS c0, [label] AS c1, CASE WHEN ([a] IS NOT NULL AND [b] IS NOT NULL AND [it's c] IS NOT NULL AND [d "quoted"] IS NOT NULL) THEN 0.5e0 END AS ok, CAST([a] AS FLOAT) AS x0, CAST([b] AS FLOAT) AS x1, CAST([it's c] AS FLOAT) AS x2, CAST([d "quoted"] AS FLOAT) AS x3
FROM [shop].[images]) s) s) s

-- ======== oracle
-- SourceError: name 'd "quoted"' holds a double quote, which oracle refuses: rename

-- ======== generic
SELECT c0 AS "id", c1 AS "label", ok*(w2*w3+w0*w1) AS "z0", ok*(w2*w1+w0*w3) AS "z1"
FROM (SELECT c0, c1, ok, (v0-(v3+v4)) AS w0, ((v2+v4)-v1) AS w1, ((v3+v4)-v1) AS w2, (v0-(v2+v4)) AS w3
FROM (SELECT c0, c1, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2, x2-x3 AS v3, 1.0e0 AS v4
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0.5e0 END AS ok, CAST("a" AS DOUBLE PRECISION) AS x0, CAST("b" AS DOUBLE PRECISION) AS x1, CAST("it's c" AS DOUBLE PRECISION) AS x2, CAST("d ""quoted""" AS DOUBLE PRECISION) AS x3
FROM "shop"."images") s) s) s
