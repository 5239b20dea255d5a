-- GaussianProjection(k=2, seed=1)
-- wide rows of doubles; output = 'auto', lowering = 'auto'

-- ======== duckdb
WITH lists AS MATERIALIZED (SELECT list_transform(string_split(concat('-1.4814588,-1.36465042,0.340491878,-0.0633549213;-1.15326517,1.66418794,-1.05451656,-0.0253829135', t), ';'), lambda e: CASE WHEN e = '' THEN [] ELSE CAST(string_split(e, ',') AS DOUBLE[]) END) AS l0 FROM (VALUES ('')) v(t))
SELECT c0 AS "id", c1 AS "label", ok*x[1] AS z0, ok*x[2] AS z1
FROM (SELECT c0, c1, ok, list_transform(l0, lambda w: list_dot_product(x, w)) AS x
FROM (SELECT c0, c1, ok, list_transform(coalesce(x, list_resize(CAST([] AS DOUBLE[]), 4, 0.0e0)), lambda e: coalesce(e, 0.0e0)) AS x
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0.707106781 END AS ok, [CAST("a" AS DOUBLE), CAST("b" AS DOUBLE), CAST("it's c" AS DOUBLE), CAST("d ""quoted""" AS DOUBLE)] AS x
FROM "shop"."images") s) s CROSS JOIN (SELECT l0 FROM lists) l0) s

-- ======== postgresql
SELECT c0 AS "id", c1 AS "label", ok*(CAST('0.340491878' AS double precision)*x2-(CAST('1.4814588' AS double precision)*x0+CAST('1.36465042' AS double precision)*x1+CAST('0.0633549213' AS double precision)*x3)) AS z0, ok*(CAST('1.66418794' AS double precision)*x1-(CAST('1.15326517' AS double precision)*x0+CAST('1.05451656' AS double precision)*x2+CAST('0.0253829135' AS double precision)*x3)) AS z1
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN CAST('0.707106781' AS double precision) END AS ok, CAST("a" AS double precision) AS x0, CAST("b" AS double precision) AS x1, CAST("it's c" AS double precision) AS x2, CAST("d ""quoted""" AS double precision) AS x3
FROM "shop"."images" OFFSET '0') s

-- ======== sqlite
SELECT c0 AS `id`, c1 AS `label`, ok*(0.340491878*x2-(1.4814588*x0+1.36465042*x1+0.0633549213*x3)) AS z0, ok*(1.66418794*x1-(1.15326517*x0+1.05451656*x2+0.0253829135*x3)) AS z1
FROM (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0.707106781 END AS ok, CASE WHEN `a` >= '' THEN json_type('{}', 'sqlrp: a feature in `a` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`a` AS REAL) END AS x0, CASE WHEN `b` >= '' THEN json_type('{}', 'sqlrp: a feature in `b` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`b` AS REAL) END AS x1, CASE WHEN `it's c` >= '' THEN json_type('{}', 'sqlrp: a feature in `it''s c` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`it's c` AS REAL) END AS x2, CASE WHEN `d "quoted"` >= '' THEN json_type('{}', 'sqlrp: a feature in `d "quoted"` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`d "quoted"` AS REAL) END AS x3
FROM `shop`.`images` LIMIT -1 OFFSET 0) s

-- ======== mariadb, mysql
SELECT c0 AS `id`, c1 AS `label`, ok*(0.340491878*x2-(1.4814588*x0+1.36465042*x1+0.0633549213*x3)) AS z0, ok*(1.66418794*x1-(1.15326517*x0+1.05451656*x2+0.0253829135*x3)) AS z1
FROM (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0.707106781 END AS ok, CAST(`a` AS DOUBLE) AS x0, CAST(`b` AS DOUBLE) AS x1, CAST(`it's c` AS DOUBLE) AS x2, CAST(`d "quoted"` AS DOUBLE) AS x3
FROM `shop`.`images` LIMIT 18446744073709551615) s

-- ======== clickhouse
WITH (SELECT CAST('[[-1.4814588,-1.36465042,0.340491878,-0.0633549213],[-1.15326517,1.66418794,-1.05451656,-0.0253829135]]' AS Array(Array(Float64)))) AS l0
SELECT c0 AS `id`, c1 AS `label`, ok*x[1] AS z0, ok*x[2] AS z1
FROM (SELECT c0, c1, ok, [arrayDotProduct(x, l0[1]), arrayDotProduct(x, l0[2])] AS x
FROM (SELECT c0, c1, ok, arrayMap(e -> coalesce(e, 0.0e0), x) AS x
FROM (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0.707106781 END AS ok, [CAST(`a` AS Float64),CAST(`b` AS Float64),CAST(`it's c` AS Float64),CAST(`d "quoted"` AS Float64)] AS x
FROM `shop`.`images`) s) s) s
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760, max_block_size = 25000

-- ======== spark, databricks
SELECT c0 AS `id`, c1 AS `label`, ok*(0.340491878*x2-(1.4814588*x0+1.36465042*x1+0.0633549213*x3)) AS z0, ok*(1.66418794*x1-(1.15326517*x0+1.05451656*x2+0.0253829135*x3)) AS z1
FROM (SELECT `id` AS c0, `label` AS c1, CAST(`a` AS DOUBLE) AS x0, CAST(`b` AS DOUBLE) AS x1, CAST(`it's c` AS DOUBLE) AS x2, CAST(`d "quoted"` AS DOUBLE) AS x3, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0.707106781 END AS ok
FROM `shop`.`images`) s

-- ======== snowflake, trino
SELECT c0 AS "id", c1 AS "label", ok*(0.340491878*x2-(1.4814588*x0+1.36465042*x1+0.0633549213*x3)) AS z0, ok*(1.66418794*x1-(1.15326517*x0+1.05451656*x2+0.0253829135*x3)) AS z1
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0.707106781 END AS ok, CAST("a" AS DOUBLE) AS x0, CAST("b" AS DOUBLE) AS x1, CAST("it's c" AS DOUBLE) AS x2, CAST("d ""quoted""" AS DOUBLE) AS x3
FROM "shop"."images") s

-- ======== bigquery
SELECT c0 AS `id`, c1 AS `label`, ok*(0.340491878*x2-(1.4814588*x0+1.36465042*x1+0.0633549213*x3)) AS z0, ok*(1.66418794*x1-(1.15326517*x0+1.05451656*x2+0.0253829135*x3)) AS z1
FROM (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0.707106781 END AS ok, CAST(`a` AS FLOAT64) AS x0, CAST(`b` AS FLOAT64) AS x1, CAST(`it's c` AS FLOAT64) AS x2, CAST(`d "quoted"` AS FLOAT64) AS x3
FROM `shop`.`images`) s

-- ======== redshift
SELECT c0 AS "id", c1 AS "label", ok*(CAST('0.340491878' AS DOUBLE PRECISION)*x2-(CAST('1.4814588' AS DOUBLE PRECISION)*x0+CAST('1.36465042' AS DOUBLE PRECISION)*x1+CAST('0.0633549213' AS DOUBLE PRECISION)*x3)) AS z0, ok*(CAST('1.66418794' AS DOUBLE PRECISION)*x1-(CAST('1.15326517' AS DOUBLE PRECISION)*x0+CAST('1.05451656' AS DOUBLE PRECISION)*x2+CAST('0.0253829135' AS DOUBLE PRECISION)*x3)) AS z1
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN CAST('0.707106781' AS DOUBLE PRECISION) END AS ok, CAST("a" AS DOUBLE PRECISION) AS x0, CAST("b" AS DOUBLE PRECISION) AS x1, CAST("it's c" AS DOUBLE PRECISION) AS x2, CAST("d ""quoted""" AS DOUBLE PRECISION) AS x3
FROM "shop"."images") s

-- ======== sqlserver
SELECT c0 AS [id], c1 AS [label], ok*(0.340491878*x2-(1.4814588*x0+1.36465042*x1+0.0633549213*x3)) AS z0, ok*(1.66418794*x1-(1.15326517*x0+1.05451656*x2+0.0253829135*x3)) AS z1
FROM (SELECT [id] AS c0, [label] AS c1, CASE WHEN ([a] IS NOT NULL AND [b] IS NOT NULL AND [it's c] IS NOT NULL AND [d "quoted"] IS NOT NULL) THEN 0.707106781 END AS ok, CAST([a] AS FLOAT) AS x0, CAST([b] AS FLOAT) AS x1, CAST([it's c] AS FLOAT) AS x2, CAST([d "quoted"] AS FLOAT) AS x3
FROM [shop].[images]) s

-- ======== oracle
-- SourceError: name 'd "quoted"' holds a double quote, which oracle refuses: rename

-- ======== generic
SELECT c0 AS "id", c1 AS "label", ok*(0.340491878*x2-(1.4814588*x0+1.36465042*x1+0.0633549213*x3)) AS "z0", ok*(1.66418794*x1-(1.15326517*x0+1.05451656*x2+0.0253829135*x3)) AS "z1"
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0.707106781 END AS ok, CAST("a" AS DOUBLE PRECISION) AS x0, CAST("b" AS DOUBLE PRECISION) AS x1, CAST("it's c" AS DOUBLE PRECISION) AS x2, CAST("d ""quoted""" AS DOUBLE PRECISION) AS x3
FROM "shop"."images") s
