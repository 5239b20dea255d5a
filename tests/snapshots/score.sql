-- sqlrp.score_sql

-- ======== duckdb, snowflake, trino
SELECT c0 AS "id", c1 AS "label", d0 AS "prediction"
FROM (SELECT "id" AS c0, "label" AS c1, z0 AS d0
FROM (SELECT c0 AS "id", c1 AS "label", ((0.40824829*v0+1.63299316*v2+0.25e0*v3)-0.816496581*v1)+ok AS z0
FROM (SELECT c0, c1, ok, -(x1+x2+x3) AS v0, (x0+x1) AS v1, -x1 AS v2, 1.0e0 AS v3
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 END AS ok, CAST("a" AS DOUBLE) AS x0, CAST("b" AS DOUBLE) AS x1, CAST("it's c" AS DOUBLE) AS x2, CAST("d ""quoted""" AS DOUBLE) AS x3
FROM "shop"."images") s) s) q) s

-- ======== postgresql
SELECT c0 AS "id", c1 AS "label", d0 AS "prediction"
FROM (SELECT "id" AS c0, "label" AS c1, z0 AS d0
FROM (SELECT c0 AS "id", c1 AS "label", ((CAST('0.40824829' AS double precision)*v0+CAST('1.63299316' AS double precision)*v2+CAST('0.25' AS double precision)*v3)-CAST('0.816496581' AS double precision)*v1)+ok AS z0
FROM (SELECT c0, c1, ok, -(x1+x2+x3) AS v0, (x0+x1) AS v1, -x1 AS v2, CAST('1.0' AS double precision) AS v3
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 END AS ok, CAST("a" AS double precision) AS x0, CAST("b" AS double precision) AS x1, CAST("it's c" AS double precision) AS x2, CAST("d ""quoted""" AS double precision) AS x3
FROM "shop"."images" OFFSET '0') s OFFSET '0') s) q OFFSET '0') s

-- ======== sqlite
SELECT c0 AS `id`, c1 AS `label`, d0 AS `prediction`
FROM (SELECT `id` AS c0, `label` AS c1, z0 AS d0
FROM (SELECT c0 AS `id`, c1 AS `label`, ((0.40824829*v0+1.63299316*v2+0.25e0*v3)-0.816496581*v1)+ok AS z0
FROM (SELECT c0, c1, ok, -(x1+x2+x3) AS v0, (x0+x1) AS v1, -x1 AS v2, 1.0e0 AS v3
FROM (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 END AS ok, CASE WHEN `a` >= '' THEN json_type('{}', 'sqlrp: a feature in `a` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`a` AS REAL) END AS x0, CASE WHEN `b` >= '' THEN json_type('{}', 'sqlrp: a feature in `b` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`b` AS REAL) END AS x1, CASE WHEN `it's c` >= '' THEN json_type('{}', 'sqlrp: a feature in `it''s c` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`it's c` AS REAL) END AS x2, CASE WHEN `d "quoted"` >= '' THEN json_type('{}', 'sqlrp: a feature in `d "quoted"` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`d "quoted"` AS REAL) END AS x3
FROM `shop`.`images` LIMIT -1 OFFSET 0) s LIMIT -1 OFFSET 0) s) q LIMIT -1 OFFSET 0) s

-- ======== mariadb, mysql
SELECT c0 AS `id`, c1 AS `label`, d0 AS `prediction`
FROM (SELECT `id` AS c0, `label` AS c1, z0 AS d0
FROM (SELECT c0 AS `id`, c1 AS `label`, ((0.40824829*v0+1.63299316*v2+0.25e0*v3)-0.816496581*v1)+ok AS z0
FROM (SELECT c0, c1, ok, -(x1+x2+x3) AS v0, (x0+x1) AS v1, -x1 AS v2, 1.0e0 AS v3
FROM (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 END AS ok, CAST(`a` AS DOUBLE) AS x0, CAST(`b` AS DOUBLE) AS x1, CAST(`it's c` AS DOUBLE) AS x2, CAST(`d "quoted"` AS DOUBLE) AS x3
FROM `shop`.`images` LIMIT 18446744073709551615) s LIMIT 18446744073709551615) s) q LIMIT 18446744073709551615) s

-- ======== clickhouse
SELECT c0 AS `id`, c1 AS `label`, d0 AS `prediction`
FROM (SELECT `id` AS c0, `label` AS c1, z0 AS d0
FROM (WITH (SELECT arrayMap((p, v) -> arrayMap(i -> v[indexOf(p, i)], range(1, 5)), CAST('[[2,3,4],[1,2],[2]]' AS Array(Array(Int32))), CAST('[[-1,-1,-1],[1,1],[-1]]' AS Array(Array(Float64))))) AS l0,
(SELECT CAST('[[-1,-1,-1],[1,1],[-1]]' AS Array(Array(Float64)))) AS l1,
(SELECT CAST('[[2,3,4],[1,2],[2]]' AS Array(Array(Int32)))) AS l2,
(SELECT CAST('[[0.40824829,-0.816496581,1.63299316,0.25]]' AS Array(Array(Float64)))) AS l3
SELECT c0 AS `id`, c1 AS `label`, x[1]+ok AS z0
FROM (SELECT c0, c1, ok, [arrayDotProduct(x, l3[1])] AS x
FROM (SELECT c0, c1, ok, arrayPushBack(x, 1.0e0) AS x
FROM (SELECT c0, c1, ok, if(isFinite(arraySum(x)), [arrayDotProduct(x, l0[1]), arrayDotProduct(x, l0[2]), arrayDotProduct(x, l0[3])], arrayMap((p, v) -> arraySum(arrayMap((i, w) -> w * x[i], p, v)), l2, l1)) AS x
FROM (SELECT c0, c1, ok, arrayMap(e -> coalesce(e, 0.0e0), x) AS x
FROM (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 END AS ok, [CAST(`a` AS Float64),CAST(`b` AS Float64),CAST(`it's c` AS Float64),CAST(`d "quoted"` AS Float64)] AS x
FROM `shop`.`images`) s) s) s) s) s) q) s
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760, max_block_size = 25000

-- ======== spark, databricks
SELECT c0 AS `id`, c1 AS `label`, d0 AS `prediction`
FROM (SELECT `id` AS c0, `label` AS c1, z0 AS d0
FROM (SELECT c0 AS `id`, c1 AS `label`, ((0.40824829*v0+1.63299316*v2+0.25e0*v3)-0.816496581*v1)+ok AS z0
FROM (SELECT c0, c1, ok, -(x1+x2+x3) AS v0, (x0+x1) AS v1, -x1 AS v2, 1.0e0 AS v3
FROM (SELECT `id` AS c0, `label` AS c1, CAST(`a` AS DOUBLE) AS x0, CAST(`b` AS DOUBLE) AS x1, CAST(`it's c` AS DOUBLE) AS x2, CAST(`d "quoted"` AS DOUBLE) AS x3, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 END AS ok
FROM `shop`.`images`) s) s) q) s

-- ======== bigquery
SELECT c0 AS `id`, c1 AS `label`, d0 AS `prediction`
FROM (SELECT `id` AS c0, `label` AS c1, z0 AS d0
FROM (SELECT c0 AS `id`, c1 AS `label`, ((0.40824829*v0+1.63299316*v2+0.25e0*v3)-0.816496581*v1)+ok AS z0
FROM (SELECT c0, c1, ok, -(x1+x2+x3) AS v0, (x0+x1) AS v1, -x1 AS v2, 1.0e0 AS v3
FROM (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 END AS ok, CAST(`a` AS FLOAT64) AS x0, CAST(`b` AS FLOAT64) AS x1, CAST(`it's c` AS FLOAT64) AS x2, CAST(`d "quoted"` AS FLOAT64) AS x3
FROM `shop`.`images`) s) s) q) s

-- ======== redshift
SELECT c0 AS "id", c1 AS "label", d0 AS "prediction"
FROM (SELECT "id" AS c0, "label" AS c1, z0 AS d0
FROM (SELECT c0 AS "id", c1 AS "label", ((CAST('0.40824829' AS DOUBLE PRECISION)*v0+CAST('1.63299316' AS DOUBLE PRECISION)*v2+CAST('0.25' AS DOUBLE PRECISION)*v3)-CAST('0.816496581' AS DOUBLE PRECISION)*v1)+ok AS z0
FROM (SELECT c0, c1, ok, -(x1+x2+x3) AS v0, (x0+x1) AS v1, -x1 AS v2, CAST('1.0' AS DOUBLE PRECISION) AS v3
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 END AS ok, CAST("a" AS DOUBLE PRECISION) AS x0, CAST("b" AS DOUBLE PRECISION) AS x1, CAST("it's c" AS DOUBLE PRECISION) AS x2, CAST("d ""quoted""" AS DOUBLE PRECISION) AS x3
FROM "shop"."images") s) s) q) s

-- ======== sqlserver
SELECT c0 AS [id], c1 AS [label], d0 AS [prediction]
FROM (SELECT [id] AS c0, [label] AS c1, z0 AS d0
FROM (SELECT c0 AS [id], c1 AS [label], ((0.40824829*v0+1.63299316*v2+0.25e0*v3)-0.816496581*v1)+ok AS z0
FROM (SELECT c0, c1, ok, -(x1+x2+x3) AS v0, (x0+x1) AS v1, -x1 AS v2, 1.0e0 AS v3
FROM (SELECT [id] AS c0, [label] AS c1, CASE WHEN ([a] IS NOT NULL AND [b] IS NOT NULL AND [it's c] IS NOT NULL AND [d "quoted"] IS NOT NULL) THEN 0 END AS ok, CAST([a] AS FLOAT) AS x0, CAST([b] AS FLOAT) AS x1, CAST([it's c] AS FLOAT) AS x2, CAST([d "quoted"] AS FLOAT) AS x3
FROM [shop].[images]) s) s) q) s

-- ======== oracle
-- SourceError: name 'd "quoted"' holds a double quote, which oracle refuses: rename

-- ======== generic
SELECT c0 AS "id", c1 AS "label", d0 AS "prediction"
FROM (SELECT "id" AS c0, "label" AS c1, "z0" AS d0
FROM (SELECT c0 AS "id", c1 AS "label", ((0.40824829*v0+1.63299316*v2+0.25e0*v3)-0.816496581*v1)+ok AS "z0"
FROM (SELECT c0, c1, ok, -(x1+x2+x3) AS v0, (x0+x1) AS v1, -x1 AS v2, 1.0e0 AS v3
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 END AS ok, CAST("a" AS DOUBLE PRECISION) AS x0, CAST("b" AS DOUBLE PRECISION) AS x1, CAST("it's c" AS DOUBLE PRECISION) AS x2, CAST("d ""quoted""" AS DOUBLE PRECISION) AS x3
FROM "shop"."images") s) s) q) s
