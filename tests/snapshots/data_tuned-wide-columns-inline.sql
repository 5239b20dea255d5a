-- DataTunedProjection(k=2, seed=1, state='eNoL8GZm0WWAAEWGxcsemv6HAk4GEYbizPS8Yr2…CMQmgPpw2BFANt2PDc=', sample=500, s=1, n_iter=5, bound_to=4)
-- wide rows of integers of 8 bits; output = 'columns', nulls = 'propagate', scale = False, lowering = 'inline'

-- ======== duckdb
SELECT c0 AS "id", c1 AS "label", CAST((x2-(x0+x1+x3)) AS INTEGER)+ok AS z0, CAST((x1-(x0+x2+x3)) AS INTEGER)+ok AS z1
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 END AS ok, CAST("a" AS SMALLINT) AS x0, CAST("b" AS SMALLINT) AS x1, CAST("it's c" AS SMALLINT) AS x2, CAST("d ""quoted""" AS SMALLINT) AS x3
FROM "shop"."images") s

-- ======== postgresql
SELECT c0 AS "id", c1 AS "label", (x2-(x0+x1+x3))+ok AS z0, (x1-(x0+x2+x3))+ok AS z1
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 END AS ok, CAST("a" AS integer) AS x0, CAST("b" AS integer) AS x1, CAST("it's c" AS integer) AS x2, CAST("d ""quoted""" AS integer) AS x3
FROM "shop"."images" OFFSET '0') s

-- ======== sqlite
SELECT c0 AS `id`, c1 AS `label`, CASE WHEN typeof(v0+ok) = 'real' THEN json_type('{}', 'sqlrp: a sum is ' || (v0+ok) || ', which is no exact whole number of 64 bits: clean the rows, or project a view that casts the features to REAL, for sums as floats') ELSE v0+ok END AS z0, CASE WHEN typeof(v1+ok) = 'real' THEN json_type('{}', 'sqlrp: a sum is ' || (v1+ok) || ', which is no exact whole number of 64 bits: clean the rows, or project a view that casts the features to REAL, for sums as floats') ELSE v1+ok END AS z1
FROM (SELECT c0, c1, ok, (x2-(x0+x1+x3)) AS v0, (x1-(x0+x2+x3)) AS v1
FROM (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 END AS ok, CASE WHEN `a` >= '' THEN json_type('{}', 'sqlrp: a feature in `a` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE `a` END AS x0, CASE WHEN `b` >= '' THEN json_type('{}', 'sqlrp: a feature in `b` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE `b` END AS x1, CASE WHEN `it's c` >= '' THEN json_type('{}', 'sqlrp: a feature in `it''s c` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE `it's c` END AS x2, CASE WHEN `d "quoted"` >= '' THEN json_type('{}', 'sqlrp: a feature in `d "quoted"` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE `d "quoted"` END AS x3
FROM `shop`.`images` LIMIT -1 OFFSET 0) s LIMIT -1 OFFSET 0) s

-- ======== mariadb, mysql
SELECT c0 AS `id`, c1 AS `label`, (x2-(x0+x1+x3))+ok AS z0, (x1-(x0+x2+x3))+ok AS z1
FROM (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 END AS ok, CAST(`a` AS SIGNED) AS x0, CAST(`b` AS SIGNED) AS x1, CAST(`it's c` AS SIGNED) AS x2, CAST(`d "quoted"` AS SIGNED) AS x3
FROM `shop`.`images` LIMIT 18446744073709551615) s

-- ======== clickhouse
SELECT c0 AS `id`, c1 AS `label`, (x2-(x0+x1+x3))+ok AS z0, (x1-(x0+x2+x3))+ok AS z1
FROM (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 END AS ok, CAST(`a` AS Int64) AS x0, CAST(`b` AS Int64) AS x1, CAST(`it's c` AS Int64) AS x2, CAST(`d "quoted"` AS Int64) AS x3
FROM `shop`.`images`) s
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760

-- ======== spark
SELECT c0 AS `id`, c1 AS `label`, (x2-(x0+x1+x3))+ok AS z0, (x1-(x0+x2+x3))+ok AS z1
FROM (SELECT `id` AS c0, `label` AS c1, CAST(`a` AS INT) AS x0, CAST(`b` AS INT) AS x1, CAST(`it's c` AS INT) AS x2, CAST(`d "quoted"` AS INT) AS x3, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 END AS ok
FROM `shop`.`images`) s

-- ======== snowflake, redshift, trino
SELECT c0 AS "id", c1 AS "label", (x2-(x0+x1+x3))+ok AS z0, (x1-(x0+x2+x3))+ok AS z1
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 END AS ok, CAST("a" AS BIGINT) AS x0, CAST("b" AS BIGINT) AS x1, CAST("it's c" AS BIGINT) AS x2, CAST("d ""quoted""" AS BIGINT) AS x3
FROM "shop"."images") s

-- ======== bigquery
SELECT c0 AS `id`, c1 AS `label`, (x2-(x0+x1+x3))+ok AS z0, (x1-(x0+x2+x3))+ok AS z1
FROM (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 END AS ok, CAST(`a` AS INT64) AS x0, CAST(`b` AS INT64) AS x1, CAST(`it's c` AS INT64) AS x2, CAST(`d "quoted"` AS INT64) AS x3
FROM `shop`.`images`) s

-- ======== databricks
SELECT c0 AS `id`, c1 AS `label`, (x2-(x0+x1+x3))+ok AS z0, (x1-(x0+x2+x3))+ok AS z1
FROM (SELECT `id` AS c0, `label` AS c1, CAST(`a` AS BIGINT) AS x0, CAST(`b` AS BIGINT) AS x1, CAST(`it's c` AS BIGINT) AS x2, CAST(`d "quoted"` AS BIGINT) AS x3, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 END AS ok
FROM `shop`.`images`) s

-- ======== sqlserver
SELECT c0 AS [id], c1 AS [label], (x2-(x0+x1+x3))+ok AS z0, (x1-(x0+x2+x3))+ok AS z1
FROM (SELECT [id] AS c0, [label] AS c1, CASE WHEN ([a] IS NOT NULL AND [b] IS NOT NULL AND [it's c] IS NOT NULL AND [d "quoted"] IS NOT NULL) THEN 0 END AS ok, CAST([a] AS BIGINT) AS x0, CAST([b] AS BIGINT) AS x1, CAST([it's c] AS BIGINT) AS x2, CAST([d "quoted"] AS BIGINT) AS x3
FROM [shop].[images]) s

-- ======== oracle
-- SourceError: name 'd "quoted"' holds a double quote, which oracle refuses: rename

-- ======== generic
SELECT c0 AS "id", c1 AS "label", (x2-(x0+x1+x3))+ok AS "z0", (x1-(x0+x2+x3))+ok AS "z1"
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 END AS ok, CAST("a" AS BIGINT) AS x0, CAST("b" AS BIGINT) AS x1, CAST("it's c" AS BIGINT) AS x2, CAST("d ""quoted""" AS BIGINT) AS x3
FROM "shop"."images") s
