-- sqlrp.sql of a Join

-- ======== duckdb, snowflake, trino
SELECT c0 AS "id", c1 AS "label", ok*x0 AS z0, ok*x1 AS z1, ok*x2 AS z2
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN "sqlrp_0" IS NOT NULL THEN 0.816496581 END AS ok, CAST("sqlrp_0" AS DOUBLE) AS x0, CAST("sqlrp_1" AS DOUBLE) AS x1, CAST("sqlrp_2" AS DOUBLE) AS x2
FROM (SELECT t0."id" AS "id", t0."label" AS "label", CAST(t0."sqlrp_0" AS DOUBLE)+CAST(t1."sqlrp_0" AS DOUBLE) AS "sqlrp_0", CAST(t0."sqlrp_1" AS DOUBLE)+CAST(t1."sqlrp_1" AS DOUBLE) AS "sqlrp_1", CAST(t0."sqlrp_2" AS DOUBLE)+CAST(t1."sqlrp_2" AS DOUBLE) AS "sqlrp_2"
FROM (SELECT c0 AS "id", c1 AS "label", c2 AS "customer", -(x1+x2+x3)+ok AS "sqlrp_0", (x0+x1)+ok AS "sqlrp_1", -x1+ok AS "sqlrp_2"
FROM (SELECT "id" AS c0, "label" AS c1, "customer" AS c2, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 END AS ok, CAST("a" AS DOUBLE) AS x0, CAST("b" AS DOUBLE) AS x1, CAST("it's c" AS DOUBLE) AS x2, CAST("d ""quoted""" AS DOUBLE) AS x3
FROM "shop"."images") s) t0
LEFT JOIN (SELECT c0 AS "id", -x0+ok AS "sqlrp_0", -x0+ok AS "sqlrp_1", (x1-x0)+ok AS "sqlrp_2"
FROM (SELECT "id" AS c0, CASE WHEN ("age" IS NOT NULL AND "score" IS NOT NULL) THEN 0 END AS ok, CAST("age" AS DOUBLE) AS x0, CAST("score" AS DOUBLE) AS x1
FROM "customers") s) t1 ON t1."id" = t0."customer") joined) s

-- ======== postgresql
SELECT c0 AS "id", c1 AS "label", ok*x0 AS z0, ok*x1 AS z1, ok*x2 AS z2
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN "sqlrp_0" IS NOT NULL THEN CAST('0.816496581' AS double precision) END AS ok, CAST("sqlrp_0" AS double precision) AS x0, CAST("sqlrp_1" AS double precision) AS x1, CAST("sqlrp_2" AS double precision) AS x2
FROM (SELECT t0."id" AS "id", t0."label" AS "label", CAST(t0."sqlrp_0" AS double precision)+CAST(t1."sqlrp_0" AS double precision) AS "sqlrp_0", CAST(t0."sqlrp_1" AS double precision)+CAST(t1."sqlrp_1" AS double precision) AS "sqlrp_1", CAST(t0."sqlrp_2" AS double precision)+CAST(t1."sqlrp_2" AS double precision) AS "sqlrp_2"
FROM (SELECT c0 AS "id", c1 AS "label", c2 AS "customer", -(x1+x2+x3)+ok AS "sqlrp_0", (x0+x1)+ok AS "sqlrp_1", -x1+ok AS "sqlrp_2"
FROM (SELECT "id" AS c0, "label" AS c1, "customer" AS c2, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 END AS ok, CAST("a" AS double precision) AS x0, CAST("b" AS double precision) AS x1, CAST("it's c" AS double precision) AS x2, CAST("d ""quoted""" AS double precision) AS x3
FROM "shop"."images" OFFSET '0') s OFFSET '0') t0
LEFT JOIN (SELECT c0 AS "id", -x0+ok AS "sqlrp_0", -x0+ok AS "sqlrp_1", (x1-x0)+ok AS "sqlrp_2"
FROM (SELECT "id" AS c0, CASE WHEN ("age" IS NOT NULL AND "score" IS NOT NULL) THEN 0 END AS ok, CAST("age" AS double precision) AS x0, CAST("score" AS double precision) AS x1
FROM "customers" OFFSET '0') s OFFSET '0') t1 ON t1."id" = t0."customer") joined OFFSET '0') s

-- ======== sqlite
SELECT c0 AS `id`, c1 AS `label`, ok*x0 AS z0, ok*x1 AS z1, ok*x2 AS z2
FROM (SELECT `id` AS c0, `label` AS c1, CASE WHEN `sqlrp_0` IS NOT NULL THEN 0.816496581 END AS ok, CASE WHEN `sqlrp_0` >= '' THEN json_type('{}', 'sqlrp: a feature in `sqlrp_0` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`sqlrp_0` AS REAL) END AS x0, CASE WHEN `sqlrp_1` >= '' THEN json_type('{}', 'sqlrp: a feature in `sqlrp_1` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`sqlrp_1` AS REAL) END AS x1, CASE WHEN `sqlrp_2` >= '' THEN json_type('{}', 'sqlrp: a feature in `sqlrp_2` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`sqlrp_2` AS REAL) END AS x2
FROM (SELECT t0.`id` AS `id`, t0.`label` AS `label`, CAST(t0.`sqlrp_0` AS REAL)+CAST(t1.`sqlrp_0` AS REAL) AS `sqlrp_0`, CAST(t0.`sqlrp_1` AS REAL)+CAST(t1.`sqlrp_1` AS REAL) AS `sqlrp_1`, CAST(t0.`sqlrp_2` AS REAL)+CAST(t1.`sqlrp_2` AS REAL) AS `sqlrp_2`
FROM (SELECT c0 AS `id`, c1 AS `label`, c2 AS `customer`, -(x1+x2+x3)+ok AS `sqlrp_0`, (x0+x1)+ok AS `sqlrp_1`, -x1+ok AS `sqlrp_2`
FROM (SELECT `id` AS c0, `label` AS c1, `customer` AS c2, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 END AS ok, CASE WHEN `a` >= '' THEN json_type('{}', 'sqlrp: a feature in `a` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`a` AS REAL) END AS x0, CASE WHEN `b` >= '' THEN json_type('{}', 'sqlrp: a feature in `b` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`b` AS REAL) END AS x1, CASE WHEN `it's c` >= '' THEN json_type('{}', 'sqlrp: a feature in `it''s c` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`it's c` AS REAL) END AS x2, CASE WHEN `d "quoted"` >= '' THEN json_type('{}', 'sqlrp: a feature in `d "quoted"` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`d "quoted"` AS REAL) END AS x3
FROM `shop`.`images` LIMIT -1 OFFSET 0) s LIMIT -1 OFFSET 0) t0
LEFT JOIN (SELECT c0 AS `id`, -x0+ok AS `sqlrp_0`, -x0+ok AS `sqlrp_1`, (x1-x0)+ok AS `sqlrp_2`
FROM (SELECT `id` AS c0, CASE WHEN (`age` IS NOT NULL AND `score` IS NOT NULL) THEN 0 END AS ok, CASE WHEN `age` >= '' THEN json_type('{}', 'sqlrp: a feature in `age` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`age` AS REAL) END AS x0, CASE WHEN `score` >= '' THEN json_type('{}', 'sqlrp: a feature in `score` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`score` AS REAL) END AS x1
FROM `customers` LIMIT -1 OFFSET 0) s LIMIT -1 OFFSET 0) t1 ON t1.`id` = t0.`customer`) joined LIMIT -1 OFFSET 0) s

-- ======== mariadb, mysql
SELECT c0 AS `id`, c1 AS `label`, ok*x0 AS z0, ok*x1 AS z1, ok*x2 AS z2
FROM (SELECT `id` AS c0, `label` AS c1, CASE WHEN `sqlrp_0` IS NOT NULL THEN 0.816496581 END AS ok, CAST(`sqlrp_0` AS DOUBLE) AS x0, CAST(`sqlrp_1` AS DOUBLE) AS x1, CAST(`sqlrp_2` AS DOUBLE) AS x2
FROM (SELECT t0.`id` AS `id`, t0.`label` AS `label`, CAST(t0.`sqlrp_0` AS DOUBLE)+CAST(t1.`sqlrp_0` AS DOUBLE) AS `sqlrp_0`, CAST(t0.`sqlrp_1` AS DOUBLE)+CAST(t1.`sqlrp_1` AS DOUBLE) AS `sqlrp_1`, CAST(t0.`sqlrp_2` AS DOUBLE)+CAST(t1.`sqlrp_2` AS DOUBLE) AS `sqlrp_2`
FROM (SELECT c0 AS `id`, c1 AS `label`, c2 AS `customer`, -(x1+x2+x3)+ok AS `sqlrp_0`, (x0+x1)+ok AS `sqlrp_1`, -x1+ok AS `sqlrp_2`
FROM (SELECT `id` AS c0, `label` AS c1, `customer` AS c2, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 END AS ok, CAST(`a` AS DOUBLE) AS x0, CAST(`b` AS DOUBLE) AS x1, CAST(`it's c` AS DOUBLE) AS x2, CAST(`d "quoted"` AS DOUBLE) AS x3
FROM `shop`.`images` LIMIT 18446744073709551615) s LIMIT 18446744073709551615) t0
LEFT JOIN (SELECT c0 AS `id`, -x0+ok AS `sqlrp_0`, -x0+ok AS `sqlrp_1`, (x1-x0)+ok AS `sqlrp_2`
FROM (SELECT `id` AS c0, CASE WHEN (`age` IS NOT NULL AND `score` IS NOT NULL) THEN 0 END AS ok, CAST(`age` AS DOUBLE) AS x0, CAST(`score` AS DOUBLE) AS x1
FROM `customers` LIMIT 18446744073709551615) s LIMIT 18446744073709551615) t1 ON t1.`id` = t0.`customer`) joined LIMIT 18446744073709551615) s

-- ======== clickhouse
SELECT c0 AS `id`, c1 AS `label`, ok*x0 AS z0, ok*x1 AS z1, ok*x2 AS z2
FROM (SELECT `id` AS c0, `label` AS c1, CASE WHEN `sqlrp_0` IS NOT NULL THEN 0.816496581 END AS ok, CAST(`sqlrp_0` AS Float64) AS x0, CAST(`sqlrp_1` AS Float64) AS x1, CAST(`sqlrp_2` AS Float64) AS x2
FROM (SELECT t0.`id` AS `id`, t0.`label` AS `label`, CAST(t0.`sqlrp_0` AS Float64)+CAST(t1.`sqlrp_0` AS Float64) AS `sqlrp_0`, CAST(t0.`sqlrp_1` AS Float64)+CAST(t1.`sqlrp_1` AS Float64) AS `sqlrp_1`, CAST(t0.`sqlrp_2` AS Float64)+CAST(t1.`sqlrp_2` AS Float64) AS `sqlrp_2`
FROM (SELECT c0 AS `id`, c1 AS `label`, c2 AS `customer`, -(x1+x2+x3)+ok AS `sqlrp_0`, (x0+x1)+ok AS `sqlrp_1`, -x1+ok AS `sqlrp_2`
FROM (SELECT `id` AS c0, `label` AS c1, `customer` AS c2, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 END AS ok, CAST(`a` AS Float64) AS x0, CAST(`b` AS Float64) AS x1, CAST(`it's c` AS Float64) AS x2, CAST(`d "quoted"` AS Float64) AS x3
FROM `shop`.`images`) s) t0
LEFT JOIN (SELECT c0 AS `id`, -x0+ok AS `sqlrp_0`, -x0+ok AS `sqlrp_1`, (x1-x0)+ok AS `sqlrp_2`
FROM (SELECT `id` AS c0, CASE WHEN (`age` IS NOT NULL AND `score` IS NOT NULL) THEN 0 END AS ok, CAST(`age` AS Float64) AS x0, CAST(`score` AS Float64) AS x1
FROM `customers`) s) t1 ON t1.`id` = t0.`customer`) joined) s
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760

-- ======== spark, databricks
SELECT c0 AS `id`, c1 AS `label`, ok*x0 AS z0, ok*x1 AS z1, ok*x2 AS z2
FROM (SELECT `id` AS c0, `label` AS c1, CAST(`sqlrp_0` AS DOUBLE) AS x0, CAST(`sqlrp_1` AS DOUBLE) AS x1, CAST(`sqlrp_2` AS DOUBLE) AS x2, CASE WHEN `sqlrp_0` IS NOT NULL THEN 0.816496581 END AS ok
FROM (SELECT t0.`id` AS `id`, t0.`label` AS `label`, CAST(t0.`sqlrp_0` AS DOUBLE)+CAST(t1.`sqlrp_0` AS DOUBLE) AS `sqlrp_0`, CAST(t0.`sqlrp_1` AS DOUBLE)+CAST(t1.`sqlrp_1` AS DOUBLE) AS `sqlrp_1`, CAST(t0.`sqlrp_2` AS DOUBLE)+CAST(t1.`sqlrp_2` AS DOUBLE) AS `sqlrp_2`
FROM (SELECT c0 AS `id`, c1 AS `label`, c2 AS `customer`, -(x1+x2+x3)+ok AS `sqlrp_0`, (x0+x1)+ok AS `sqlrp_1`, -x1+ok AS `sqlrp_2`
FROM (SELECT `id` AS c0, `label` AS c1, `customer` AS c2, CAST(`a` AS DOUBLE) AS x0, CAST(`b` AS DOUBLE) AS x1, CAST(`it's c` AS DOUBLE) AS x2, CAST(`d "quoted"` AS DOUBLE) AS x3, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 END AS ok
FROM `shop`.`images`) s) t0
LEFT JOIN (SELECT c0 AS `id`, -x0+ok AS `sqlrp_0`, -x0+ok AS `sqlrp_1`, (x1-x0)+ok AS `sqlrp_2`
FROM (SELECT `id` AS c0, CAST(`age` AS DOUBLE) AS x0, CAST(`score` AS DOUBLE) AS x1, CASE WHEN (`age` IS NOT NULL AND `score` IS NOT NULL) THEN 0 END AS ok
FROM `customers`) s) t1 ON t1.`id` = t0.`customer`) joined) s

-- ======== bigquery
SELECT c0 AS `id`, c1 AS `label`, ok*x0 AS z0, ok*x1 AS z1, ok*x2 AS z2
FROM (SELECT `id` AS c0, `label` AS c1, CASE WHEN `sqlrp_0` IS NOT NULL THEN 0.816496581 END AS ok, CAST(`sqlrp_0` AS FLOAT64) AS x0, CAST(`sqlrp_1` AS FLOAT64) AS x1, CAST(`sqlrp_2` AS FLOAT64) AS x2
FROM (SELECT t0.`id` AS `id`, t0.`label` AS `label`, CAST(t0.`sqlrp_0` AS FLOAT64)+CAST(t1.`sqlrp_0` AS FLOAT64) AS `sqlrp_0`, CAST(t0.`sqlrp_1` AS FLOAT64)+CAST(t1.`sqlrp_1` AS FLOAT64) AS `sqlrp_1`, CAST(t0.`sqlrp_2` AS FLOAT64)+CAST(t1.`sqlrp_2` AS FLOAT64) AS `sqlrp_2`
FROM (SELECT c0 AS `id`, c1 AS `label`, c2 AS `customer`, -(x1+x2+x3)+ok AS `sqlrp_0`, (x0+x1)+ok AS `sqlrp_1`, -x1+ok AS `sqlrp_2`
FROM (SELECT `id` AS c0, `label` AS c1, `customer` AS c2, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 END AS ok, CAST(`a` AS FLOAT64) AS x0, CAST(`b` AS FLOAT64) AS x1, CAST(`it's c` AS FLOAT64) AS x2, CAST(`d "quoted"` AS FLOAT64) AS x3
FROM `shop`.`images`) s) t0
LEFT JOIN (SELECT c0 AS `id`, -x0+ok AS `sqlrp_0`, -x0+ok AS `sqlrp_1`, (x1-x0)+ok AS `sqlrp_2`
FROM (SELECT `id` AS c0, CASE WHEN (`age` IS NOT NULL AND `score` IS NOT NULL) THEN 0 END AS ok, CAST(`age` AS FLOAT64) AS x0, CAST(`score` AS FLOAT64) AS x1
FROM `customers`) s) t1 ON t1.`id` = t0.`customer`) joined) s

-- ======== redshift
SELECT c0 AS "id", c1 AS "label", ok*x0 AS z0, ok*x1 AS z1, ok*x2 AS z2
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN "sqlrp_0" IS NOT NULL THEN CAST('0.816496581' AS DOUBLE PRECISION) END AS ok, CAST("sqlrp_0" AS DOUBLE PRECISION) AS x0, CAST("sqlrp_1" AS DOUBLE PRECISION) AS x1, CAST("sqlrp_2" AS DOUBLE PRECISION) AS x2
FROM (SELECT t0."id" AS "id", t0."label" AS "label", CAST(t0."sqlrp_0" AS DOUBLE PRECISION)+CAST(t1."sqlrp_0" AS DOUBLE PRECISION) AS "sqlrp_0", CAST(t0."sqlrp_1" AS DOUBLE PRECISION)+CAST(t1."sqlrp_1" AS DOUBLE PRECISION) AS "sqlrp_1", CAST(t0."sqlrp_2" AS DOUBLE PRECISION)+CAST(t1."sqlrp_2" AS DOUBLE PRECISION) AS "sqlrp_2"
FROM (SELECT c0 AS "id", c1 AS "label", c2 AS "customer", -(x1+x2+x3)+ok AS "sqlrp_0", (x0+x1)+ok AS "sqlrp_1", -x1+ok AS "sqlrp_2"
FROM (SELECT "id" AS c0, "label" AS c1, "customer" AS c2, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 END AS ok, CAST("a" AS DOUBLE PRECISION) AS x0, CAST("b" AS DOUBLE PRECISION) AS x1, CAST("it's c" AS DOUBLE PRECISION) AS x2, CAST("d ""quoted""" AS DOUBLE PRECISION) AS x3
FROM "shop"."images") s) t0
LEFT JOIN (SELECT c0 AS "id", -x0+ok AS "sqlrp_0", -x0+ok AS "sqlrp_1", (x1-x0)+ok AS "sqlrp_2"
FROM (SELECT "id" AS c0, CASE WHEN ("age" IS NOT NULL AND "score" IS NOT NULL) THEN 0 END AS ok, CAST("age" AS DOUBLE PRECISION) AS x0, CAST("score" AS DOUBLE PRECISION) AS x1
FROM "customers") s) t1 ON t1."id" = t0."customer") joined) s

-- ======== sqlserver
SELECT c0 AS [id], c1 AS [label], ok*x0 AS z0, ok*x1 AS z1, ok*x2 AS z2
FROM (SELECT [id] AS c0, [label] AS c1, CASE WHEN [sqlrp_0] IS NOT NULL THEN 0.816496581 END AS ok, CAST([sqlrp_0] AS FLOAT) AS x0, CAST([sqlrp_1] AS FLOAT) AS x1, CAST([sqlrp_2] AS FLOAT) AS x2
FROM (SELECT t0.[id] AS [id], t0.[label] AS [label], CAST(t0.[sqlrp_0] AS FLOAT)+CAST(t1.[sqlrp_0] AS FLOAT) AS [sqlrp_0], CAST(t0.[sqlrp_1] AS FLOAT)+CAST(t1.[sqlrp_1] AS FLOAT) AS [sqlrp_1], CAST(t0.[sqlrp_2] AS FLOAT)+CAST(t1.[sqlrp_2] AS FLOAT) AS [sqlrp_2]
FROM (SELECT c0 AS [id], c1 AS [label], c2 AS [customer], -(x1+x2+x3)+ok AS [sqlrp_0], (x0+x1)+ok AS [sqlrp_1], -x1+ok AS [sqlrp_2]
FROM (SELECT [id] AS c0, [label] AS c1, [customer] AS c2, CASE WHEN ([a] IS NOT NULL AND [b] IS NOT NULL AND [it's c] IS NOT NULL AND [d "quoted"] IS NOT NULL) THEN 0 END AS ok, CAST([a] AS FLOAT) AS x0, CAST([b] AS FLOAT) AS x1, CAST([it's c] AS FLOAT) AS x2, CAST([d "quoted"] AS FLOAT) AS x3
FROM [shop].[images]) s) t0
LEFT JOIN (SELECT c0 AS [id], -x0+ok AS [sqlrp_0], -x0+ok AS [sqlrp_1], (x1-x0)+ok AS [sqlrp_2]
FROM (SELECT [id] AS c0, CASE WHEN ([age] IS NOT NULL AND [score] IS NOT NULL) THEN 0 END AS ok, CAST([age] AS FLOAT) AS x0, CAST([score] AS FLOAT) AS x1
FROM [customers]) s) t1 ON t1.[id] = t0.[customer]) joined) s

-- ======== oracle
-- SourceError: name 'd "quoted"' holds a double quote, which oracle refuses: rename

-- ======== generic
SELECT c0 AS "id", c1 AS "label", ok*x0 AS "z0", ok*x1 AS "z1", ok*x2 AS "z2"
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN "sqlrp_0" IS NOT NULL THEN 0.816496581 END AS ok, CAST("sqlrp_0" AS DOUBLE PRECISION) AS x0, CAST("sqlrp_1" AS DOUBLE PRECISION) AS x1, CAST("sqlrp_2" AS DOUBLE PRECISION) AS x2
FROM (SELECT t0."id" AS "id", t0."label" AS "label", CAST(t0."sqlrp_0" AS DOUBLE PRECISION)+CAST(t1."sqlrp_0" AS DOUBLE PRECISION) AS "sqlrp_0", CAST(t0."sqlrp_1" AS DOUBLE PRECISION)+CAST(t1."sqlrp_1" AS DOUBLE PRECISION) AS "sqlrp_1", CAST(t0."sqlrp_2" AS DOUBLE PRECISION)+CAST(t1."sqlrp_2" AS DOUBLE PRECISION) AS "sqlrp_2"
FROM (SELECT c0 AS "id", c1 AS "label", c2 AS "customer", -(x1+x2+x3)+ok AS "sqlrp_0", (x0+x1)+ok AS "sqlrp_1", -x1+ok AS "sqlrp_2"
FROM (SELECT "id" AS c0, "label" AS c1, "customer" AS c2, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 END AS ok, CAST("a" AS DOUBLE PRECISION) AS x0, CAST("b" AS DOUBLE PRECISION) AS x1, CAST("it's c" AS DOUBLE PRECISION) AS x2, CAST("d ""quoted""" AS DOUBLE PRECISION) AS x3
FROM "shop"."images") s) t0
LEFT JOIN (SELECT c0 AS "id", -x0+ok AS "sqlrp_0", -x0+ok AS "sqlrp_1", (x1-x0)+ok AS "sqlrp_2"
FROM (SELECT "id" AS c0, CASE WHEN ("age" IS NOT NULL AND "score" IS NOT NULL) THEN 0 END AS ok, CAST("age" AS DOUBLE PRECISION) AS x0, CAST("score" AS DOUBLE PRECISION) AS x1
FROM "customers") s) t1 ON t1."id" = t0."customer") joined) s
