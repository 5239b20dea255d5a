-- sqlrp.vector_sql

-- ======== duckdb, snowflake, trino
WITH sqlrp_vector AS (SELECT 1.0e0 AS "f0", 2.0e0 AS "f1", 0.5e0 AS "f2", -1.0e0 AS "f3")
SELECT ok*-(x1+x2+x3) AS z0, ok*(x0+x1) AS z1, ok*-x1 AS z2
FROM (SELECT CASE WHEN ("f0" IS NOT NULL AND "f1" IS NOT NULL AND "f2" IS NOT NULL AND "f3" IS NOT NULL) THEN 0.816496581 END AS ok, CAST("f0" AS DOUBLE) AS x0, CAST("f1" AS DOUBLE) AS x1, CAST("f2" AS DOUBLE) AS x2, CAST("f3" AS DOUBLE) AS x3
FROM "sqlrp_vector") s

-- ======== postgresql
WITH sqlrp_vector AS (SELECT CAST('1.0' AS double precision) AS "f0", CAST('2.0' AS double precision) AS "f1", CAST('0.5' AS double precision) AS "f2", CAST('-1.0' AS double precision) AS "f3")
SELECT ok*-(x1+x2+x3) AS z0, ok*(x0+x1) AS z1, ok*-x1 AS z2
FROM (SELECT CASE WHEN ("f0" IS NOT NULL AND "f1" IS NOT NULL AND "f2" IS NOT NULL AND "f3" IS NOT NULL) THEN CAST('0.816496581' AS double precision) END AS ok, CAST("f0" AS double precision) AS x0, CAST("f1" AS double precision) AS x1, CAST("f2" AS double precision) AS x2, CAST("f3" AS double precision) AS x3
FROM "sqlrp_vector" OFFSET '0') s

-- ======== sqlite
WITH sqlrp_vector AS (SELECT 1.0e0 AS `f0`, 2.0e0 AS `f1`, 0.5e0 AS `f2`, -1.0e0 AS `f3`)
SELECT ok*-(x1+x2+x3) AS z0, ok*(x0+x1) AS z1, ok*-x1 AS z2
FROM (SELECT CASE WHEN (`f0` IS NOT NULL AND `f1` IS NOT NULL AND `f2` IS NOT NULL AND `f3` IS NOT NULL) THEN 0.816496581 END AS ok, CASE WHEN `f0` >= '' THEN json_type('{}', 'sqlrp: a feature in `f0` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`f0` AS REAL) END AS x0, CASE WHEN `f1` >= '' THEN json_type('{}', 'sqlrp: a feature in `f1` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`f1` AS REAL) END AS x1, CASE WHEN `f2` >= '' THEN json_type('{}', 'sqlrp: a feature in `f2` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`f2` AS REAL) END AS x2, CASE WHEN `f3` >= '' THEN json_type('{}', 'sqlrp: a feature in `f3` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`f3` AS REAL) END AS x3
FROM `sqlrp_vector` LIMIT -1 OFFSET 0) s

-- ======== mariadb, mysql
WITH sqlrp_vector AS (SELECT 1.0e0 AS `f0`, 2.0e0 AS `f1`, 0.5e0 AS `f2`, -1.0e0 AS `f3`)
SELECT ok*-(x1+x2+x3) AS z0, ok*(x0+x1) AS z1, ok*-x1 AS z2
FROM (SELECT CASE WHEN (`f0` IS NOT NULL AND `f1` IS NOT NULL AND `f2` IS NOT NULL AND `f3` IS NOT NULL) THEN 0.816496581 END AS ok, CAST(`f0` AS DOUBLE) AS x0, CAST(`f1` AS DOUBLE) AS x1, CAST(`f2` AS DOUBLE) AS x2, CAST(`f3` AS DOUBLE) AS x3
FROM `sqlrp_vector` LIMIT 18446744073709551615) s

-- ======== clickhouse
WITH sqlrp_vector AS (SELECT 1.0e0 AS `f0`, 2.0e0 AS `f1`, 0.5e0 AS `f2`, -1.0e0 AS `f3`)
SELECT ok*-(x1+x2+x3) AS z0, ok*(x0+x1) AS z1, ok*-x1 AS z2
FROM (SELECT CASE WHEN (`f0` IS NOT NULL AND `f1` IS NOT NULL AND `f2` IS NOT NULL AND `f3` IS NOT NULL) THEN 0.816496581 END AS ok, CAST(`f0` AS Float64) AS x0, CAST(`f1` AS Float64) AS x1, CAST(`f2` AS Float64) AS x2, CAST(`f3` AS Float64) AS x3
FROM `sqlrp_vector`) s
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760

-- ======== spark, databricks
WITH sqlrp_vector AS (SELECT 1.0e0 AS `f0`, 2.0e0 AS `f1`, 0.5e0 AS `f2`, -1.0e0 AS `f3`)
SELECT ok*-(x1+x2+x3) AS z0, ok*(x0+x1) AS z1, ok*-x1 AS z2
FROM (SELECT CAST(`f0` AS DOUBLE) AS x0, CAST(`f1` AS DOUBLE) AS x1, CAST(`f2` AS DOUBLE) AS x2, CAST(`f3` AS DOUBLE) AS x3, CASE WHEN (`f0` IS NOT NULL AND `f1` IS NOT NULL AND `f2` IS NOT NULL AND `f3` IS NOT NULL) THEN 0.816496581 END AS ok
FROM `sqlrp_vector`) s

-- ======== bigquery
WITH sqlrp_vector AS (SELECT 1.0e0 AS `f0`, 2.0e0 AS `f1`, 0.5e0 AS `f2`, -1.0e0 AS `f3`)
SELECT ok*-(x1+x2+x3) AS z0, ok*(x0+x1) AS z1, ok*-x1 AS z2
FROM (SELECT CASE WHEN (`f0` IS NOT NULL AND `f1` IS NOT NULL AND `f2` IS NOT NULL AND `f3` IS NOT NULL) THEN 0.816496581 END AS ok, CAST(`f0` AS FLOAT64) AS x0, CAST(`f1` AS FLOAT64) AS x1, CAST(`f2` AS FLOAT64) AS x2, CAST(`f3` AS FLOAT64) AS x3
FROM `sqlrp_vector`) s

-- ======== redshift
WITH sqlrp_vector AS (SELECT CAST('1.0' AS DOUBLE PRECISION) AS "f0", CAST('2.0' AS DOUBLE PRECISION) AS "f1", CAST('0.5' AS DOUBLE PRECISION) AS "f2", CAST('-1.0' AS DOUBLE PRECISION) AS "f3")
SELECT ok*-(x1+x2+x3) AS z0, ok*(x0+x1) AS z1, ok*-x1 AS z2
FROM (SELECT CASE WHEN ("f0" IS NOT NULL AND "f1" IS NOT NULL AND "f2" IS NOT NULL AND "f3" IS NOT NULL) THEN CAST('0.816496581' AS DOUBLE PRECISION) END AS ok, CAST("f0" AS DOUBLE PRECISION) AS x0, CAST("f1" AS DOUBLE PRECISION) AS x1, CAST("f2" AS DOUBLE PRECISION) AS x2, CAST("f3" AS DOUBLE PRECISION) AS x3
FROM "sqlrp_vector") s

-- ======== sqlserver
WITH sqlrp_vector AS (SELECT 1.0e0 AS [f0], 2.0e0 AS [f1], 0.5e0 AS [f2], -1.0e0 AS [f3])
SELECT ok*-(x1+x2+x3) AS z0, ok*(x0+x1) AS z1, ok*-x1 AS z2
FROM (SELECT CASE WHEN ([f0] IS NOT NULL AND [f1] IS NOT NULL AND [f2] IS NOT NULL AND [f3] IS NOT NULL) THEN 0.816496581 END AS ok, CAST([f0] AS FLOAT) AS x0, CAST([f1] AS FLOAT) AS x1, CAST([f2] AS FLOAT) AS x2, CAST([f3] AS FLOAT) AS x3
FROM [sqlrp_vector]) s

-- ======== oracle
WITH sqlrp_vector AS (SELECT CAST(1.0e0 AS BINARY_DOUBLE) AS "f0", CAST(2.0e0 AS BINARY_DOUBLE) AS "f1", CAST(0.5e0 AS BINARY_DOUBLE) AS "f2", CAST(-1.0e0 AS BINARY_DOUBLE) AS "f3" FROM dual)
SELECT ok*-(x1+x2+x3) AS z0, ok*(x0+x1) AS z1, ok*-x1 AS z2
FROM (SELECT CASE WHEN ("f0" IS NOT NULL AND "f1" IS NOT NULL AND "f2" IS NOT NULL AND "f3" IS NOT NULL) THEN CAST(0.816496581 AS BINARY_DOUBLE) END AS ok, CAST("f0" AS BINARY_DOUBLE) AS x0, CAST("f1" AS BINARY_DOUBLE) AS x1, CAST("f2" AS BINARY_DOUBLE) AS x2, CAST("f3" AS BINARY_DOUBLE) AS x3
FROM "sqlrp_vector") s

-- ======== generic
WITH sqlrp_vector AS (SELECT 1.0e0 AS "f0", 2.0e0 AS "f1", 0.5e0 AS "f2", -1.0e0 AS "f3")
SELECT ok*-(x1+x2+x3) AS "z0", ok*(x0+x1) AS "z1", ok*-x1 AS "z2"
FROM (SELECT CASE WHEN ("f0" IS NOT NULL AND "f1" IS NOT NULL AND "f2" IS NOT NULL AND "f3" IS NOT NULL) THEN 0.816496581 END AS ok, CAST("f0" AS DOUBLE PRECISION) AS x0, CAST("f1" AS DOUBLE PRECISION) AS x1, CAST("f2" AS DOUBLE PRECISION) AS x2, CAST("f3" AS DOUBLE PRECISION) AS x3
FROM "sqlrp_vector") s
