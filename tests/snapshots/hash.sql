-- sqlrp.hash_sql

-- ======== duckdb
SELECT c0 AS "id", c1 AS "label", n AS band, b0 AS bucket
FROM (SELECT "id" AS c0, "label" AS c1, (CASE WHEN z0 >= 0 THEN CAST(1 AS BIGINT) WHEN z0 < 0 THEN CAST(0 AS BIGINT) END+CASE WHEN z1 >= 0 THEN CAST(2 AS BIGINT) WHEN z1 < 0 THEN CAST(0 AS BIGINT) END+CASE WHEN z2 >= 0 THEN CAST(4 AS BIGINT) WHEN z2 < 0 THEN CAST(0 AS BIGINT) END) AS b0
FROM (SELECT c0 AS "id", c1 AS "label", -(x1+x2+x3)+ok AS z0, (x0+x1)+ok AS z1, -x1+ok AS z2
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 END AS ok, CAST("a" AS DOUBLE) AS x0, CAST("b" AS DOUBLE) AS x1, CAST("it's c" AS DOUBLE) AS x2, CAST("d ""quoted""" AS DOUBLE) AS x3
FROM "shop"."images") s) q) s CROSS JOIN (SELECT CAST(range AS BIGINT) AS n FROM range(1)) counted

-- ======== postgresql
SELECT c0 AS "id", c1 AS "label", n AS band, b0 AS bucket
FROM (SELECT "id" AS c0, "label" AS c1, (CASE WHEN z0 >= 0 THEN CAST(1 AS bigint) WHEN z0 < 0 THEN CAST(0 AS bigint) END+CASE WHEN z1 >= 0 THEN CAST(2 AS bigint) WHEN z1 < 0 THEN CAST(0 AS bigint) END+CASE WHEN z2 >= 0 THEN CAST(4 AS bigint) WHEN z2 < 0 THEN CAST(0 AS bigint) END) AS b0
FROM (SELECT c0 AS "id", c1 AS "label", -(x1+x2+x3)+ok AS z0, (x0+x1)+ok AS z1, -x1+ok AS z2
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 END AS ok, CAST("a" AS double precision) AS x0, CAST("b" AS double precision) AS x1, CAST("it's c" AS double precision) AS x2, CAST("d ""quoted""" AS double precision) AS x3
FROM "shop"."images" OFFSET '0') s) q OFFSET '0') s CROSS JOIN (SELECT n FROM generate_series(CAST(0 AS bigint), 0) g(n)) counted

-- ======== sqlite
SELECT c0 AS `id`, c1 AS `label`, n AS band, b0 AS bucket
FROM (SELECT `id` AS c0, `label` AS c1, (CASE WHEN z0 >= 0 THEN 1 WHEN z0 < 0 THEN 0 END+CASE WHEN z1 >= 0 THEN 2 WHEN z1 < 0 THEN 0 END+CASE WHEN z2 >= 0 THEN 4 WHEN z2 < 0 THEN 0 END) AS b0
FROM (SELECT c0 AS `id`, c1 AS `label`, -(x1+x2+x3)+ok AS z0, (x0+x1)+ok AS z1, -x1+ok AS z2
FROM (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 END AS ok, CASE WHEN `a` >= '' THEN json_type('{}', 'sqlrp: a feature in `a` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`a` AS REAL) END AS x0, CASE WHEN `b` >= '' THEN json_type('{}', 'sqlrp: a feature in `b` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`b` AS REAL) END AS x1, CASE WHEN `it's c` >= '' THEN json_type('{}', 'sqlrp: a feature in `it''s c` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`it's c` AS REAL) END AS x2, CASE WHEN `d "quoted"` >= '' THEN json_type('{}', 'sqlrp: a feature in `d "quoted"` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`d "quoted"` AS REAL) END AS x3
FROM `shop`.`images` LIMIT -1 OFFSET 0) s) q LIMIT -1 OFFSET 0) s CROSS JOIN (WITH RECURSIVE counted AS (SELECT 0 AS n UNION ALL SELECT n + 1 FROM counted WHERE n < 0) SELECT n FROM counted) counted

-- ======== mariadb
SELECT c0 AS `id`, c1 AS `label`, n AS band, b0 AS bucket
FROM (SELECT `id` AS c0, `label` AS c1, (CASE WHEN z0 >= 0 THEN CAST(1 AS SIGNED) WHEN z0 < 0 THEN CAST(0 AS SIGNED) END+CASE WHEN z1 >= 0 THEN CAST(2 AS SIGNED) WHEN z1 < 0 THEN CAST(0 AS SIGNED) END+CASE WHEN z2 >= 0 THEN CAST(4 AS SIGNED) WHEN z2 < 0 THEN CAST(0 AS SIGNED) END) AS b0
FROM (SELECT c0 AS `id`, c1 AS `label`, -(x1+x2+x3)+ok AS z0, (x0+x1)+ok AS z1, -x1+ok AS z2
FROM (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 END AS ok, CAST(`a` AS DOUBLE) AS x0, CAST(`b` AS DOUBLE) AS x1, CAST(`it's c` AS DOUBLE) AS x2, CAST(`d "quoted"` AS DOUBLE) AS x3
FROM `shop`.`images` LIMIT 18446744073709551615) s) q LIMIT 18446744073709551615) s CROSS JOIN (SELECT CAST(seq AS SIGNED) AS n FROM seq_0_to_0) counted

-- ======== mysql
SELECT c0 AS `id`, c1 AS `label`, n AS band, b0 AS bucket
FROM (SELECT `id` AS c0, `label` AS c1, (CASE WHEN z0 >= 0 THEN CAST(1 AS SIGNED) WHEN z0 < 0 THEN CAST(0 AS SIGNED) END+CASE WHEN z1 >= 0 THEN CAST(2 AS SIGNED) WHEN z1 < 0 THEN CAST(0 AS SIGNED) END+CASE WHEN z2 >= 0 THEN CAST(4 AS SIGNED) WHEN z2 < 0 THEN CAST(0 AS SIGNED) END) AS b0
FROM (SELECT c0 AS `id`, c1 AS `label`, -(x1+x2+x3)+ok AS z0, (x0+x1)+ok AS z1, -x1+ok AS z2
FROM (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 END AS ok, CAST(`a` AS DOUBLE) AS x0, CAST(`b` AS DOUBLE) AS x1, CAST(`it's c` AS DOUBLE) AS x2, CAST(`d "quoted"` AS DOUBLE) AS x3
FROM `shop`.`images` LIMIT 18446744073709551615) s) q LIMIT 18446744073709551615) s CROSS JOIN (SELECT CAST(n AS SIGNED) - 1 AS n FROM JSON_TABLE(concat('[0', repeat(',0', 0), ']'), '$[*]' COLUMNS (n FOR ORDINALITY)) listed) counted

-- ======== clickhouse
SELECT c0 AS `id`, c1 AS `label`, n AS band, b0 AS bucket
FROM (SELECT `id` AS c0, `label` AS c1, (CASE WHEN z0 >= 0 THEN CAST(1 AS Int64) WHEN z0 < 0 THEN CAST(0 AS Int64) END+CASE WHEN z1 >= 0 THEN CAST(2 AS Int64) WHEN z1 < 0 THEN CAST(0 AS Int64) END+CASE WHEN z2 >= 0 THEN CAST(4 AS Int64) WHEN z2 < 0 THEN CAST(0 AS Int64) END) AS b0
FROM (SELECT c0 AS `id`, c1 AS `label`, -(x1+x2+x3)+ok AS z0, (x0+x1)+ok AS z1, -x1+ok AS z2
FROM (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 END AS ok, CAST(`a` AS Float64) AS x0, CAST(`b` AS Float64) AS x1, CAST(`it's c` AS Float64) AS x2, CAST(`d "quoted"` AS Float64) AS x3
FROM `shop`.`images`) s) q) s CROSS JOIN (SELECT toInt64(number) AS n FROM numbers(1)) counted
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760

-- ======== spark, databricks
SELECT c0 AS `id`, c1 AS `label`, n AS band, b0 AS bucket
FROM (SELECT `id` AS c0, `label` AS c1, (CASE WHEN z0 >= 0 THEN CAST(1 AS BIGINT) WHEN z0 < 0 THEN CAST(0 AS BIGINT) END+CASE WHEN z1 >= 0 THEN CAST(2 AS BIGINT) WHEN z1 < 0 THEN CAST(0 AS BIGINT) END+CASE WHEN z2 >= 0 THEN CAST(4 AS BIGINT) WHEN z2 < 0 THEN CAST(0 AS BIGINT) END) AS b0
FROM (SELECT c0 AS `id`, c1 AS `label`, -(x1+x2+x3)+ok AS z0, (x0+x1)+ok AS z1, -x1+ok AS z2
FROM (SELECT `id` AS c0, `label` AS c1, CAST(`a` AS DOUBLE) AS x0, CAST(`b` AS DOUBLE) AS x1, CAST(`it's c` AS DOUBLE) AS x2, CAST(`d "quoted"` AS DOUBLE) AS x3, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 END AS ok
FROM `shop`.`images`) s) q) s CROSS JOIN (SELECT id AS n FROM range(1)) counted

-- ======== snowflake, trino
SELECT c0 AS "id", c1 AS "label", n AS band, b0 AS bucket
FROM (SELECT "id" AS c0, "label" AS c1, (CASE WHEN z0 >= 0 THEN CAST(1 AS BIGINT) WHEN z0 < 0 THEN CAST(0 AS BIGINT) END+CASE WHEN z1 >= 0 THEN CAST(2 AS BIGINT) WHEN z1 < 0 THEN CAST(0 AS BIGINT) END+CASE WHEN z2 >= 0 THEN CAST(4 AS BIGINT) WHEN z2 < 0 THEN CAST(0 AS BIGINT) END) AS b0
FROM (SELECT c0 AS "id", c1 AS "label", -(x1+x2+x3)+ok AS z0, (x0+x1)+ok AS z1, -x1+ok AS z2
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 END AS ok, CAST("a" AS DOUBLE) AS x0, CAST("b" AS DOUBLE) AS x1, CAST("it's c" AS DOUBLE) AS x2, CAST("d ""quoted""" AS DOUBLE) AS x3
FROM "shop"."images") s) q) s CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 1 THEN 1 * d0.d END AS BIGINT) AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 1) counted

-- ======== bigquery
SELECT c0 AS `id`, c1 AS `label`, n AS band, b0 AS bucket
FROM (SELECT `id` AS c0, `label` AS c1, (CASE WHEN z0 >= 0 THEN CAST(1 AS INT64) WHEN z0 < 0 THEN CAST(0 AS INT64) END+CASE WHEN z1 >= 0 THEN CAST(2 AS INT64) WHEN z1 < 0 THEN CAST(0 AS INT64) END+CASE WHEN z2 >= 0 THEN CAST(4 AS INT64) WHEN z2 < 0 THEN CAST(0 AS INT64) END) AS b0
FROM (SELECT c0 AS `id`, c1 AS `label`, -(x1+x2+x3)+ok AS z0, (x0+x1)+ok AS z1, -x1+ok AS z2
FROM (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 END AS ok, CAST(`a` AS FLOAT64) AS x0, CAST(`b` AS FLOAT64) AS x1, CAST(`it's c` AS FLOAT64) AS x2, CAST(`d "quoted"` AS FLOAT64) AS x3
FROM `shop`.`images`) s) q) s CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 1 THEN 1 * d0.d END AS INT64) AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 1) counted

-- ======== redshift
SELECT c0 AS "id", c1 AS "label", n AS band, b0 AS bucket
FROM (SELECT "id" AS c0, "label" AS c1, (CASE WHEN z0 >= 0 THEN CAST(1 AS BIGINT) WHEN z0 < 0 THEN CAST(0 AS BIGINT) END+CASE WHEN z1 >= 0 THEN CAST(2 AS BIGINT) WHEN z1 < 0 THEN CAST(0 AS BIGINT) END+CASE WHEN z2 >= 0 THEN CAST(4 AS BIGINT) WHEN z2 < 0 THEN CAST(0 AS BIGINT) END) AS b0
FROM (SELECT c0 AS "id", c1 AS "label", -(x1+x2+x3)+ok AS z0, (x0+x1)+ok AS z1, -x1+ok AS z2
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 END AS ok, CAST("a" AS DOUBLE PRECISION) AS x0, CAST("b" AS DOUBLE PRECISION) AS x1, CAST("it's c" AS DOUBLE PRECISION) AS x2, CAST("d ""quoted""" AS DOUBLE PRECISION) AS x3
FROM "shop"."images") s) q) s CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 1 THEN 1 * d0.d END AS BIGINT) AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 1) counted

-- ======== sqlserver
SELECT c0 AS [id], c1 AS [label], n AS band, b0 AS bucket
FROM (SELECT [id] AS c0, [label] AS c1, (CASE WHEN z0 >= 0 THEN CAST(1 AS BIGINT) WHEN z0 < 0 THEN CAST(0 AS BIGINT) END+CASE WHEN z1 >= 0 THEN CAST(2 AS BIGINT) WHEN z1 < 0 THEN CAST(0 AS BIGINT) END+CASE WHEN z2 >= 0 THEN CAST(4 AS BIGINT) WHEN z2 < 0 THEN CAST(0 AS BIGINT) END) AS b0
FROM (SELECT c0 AS [id], c1 AS [label], -(x1+x2+x3)+ok AS z0, (x0+x1)+ok AS z1, -x1+ok AS z2
FROM (SELECT [id] AS c0, [label] AS c1, CASE WHEN ([a] IS NOT NULL AND [b] IS NOT NULL AND [it's c] IS NOT NULL AND [d "quoted"] IS NOT NULL) THEN 0 END AS ok, CAST([a] AS FLOAT) AS x0, CAST([b] AS FLOAT) AS x1, CAST([it's c] AS FLOAT) AS x2, CAST([d "quoted"] AS FLOAT) AS x3
FROM [shop].[images]) s) q) s CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 1 THEN 1 * d0.d END AS BIGINT) AS n FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 1) counted

-- ======== oracle
-- SourceError: name 'd "quoted"' holds a double quote, which oracle refuses: rename

-- ======== generic
SELECT c0 AS "id", c1 AS "label", n AS band, b0 AS bucket
FROM (SELECT "id" AS c0, "label" AS c1, (CASE WHEN "z0" >= 0 THEN CAST(1 AS BIGINT) WHEN "z0" < 0 THEN CAST(0 AS BIGINT) END+CASE WHEN "z1" >= 0 THEN CAST(2 AS BIGINT) WHEN "z1" < 0 THEN CAST(0 AS BIGINT) END+CASE WHEN "z2" >= 0 THEN CAST(4 AS BIGINT) WHEN "z2" < 0 THEN CAST(0 AS BIGINT) END) AS b0
FROM (SELECT c0 AS "id", c1 AS "label", -(x1+x2+x3)+ok AS "z0", (x0+x1)+ok AS "z1", -x1+ok AS "z2"
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 END AS ok, CAST("a" AS DOUBLE PRECISION) AS x0, CAST("b" AS DOUBLE PRECISION) AS x1, CAST("it's c" AS DOUBLE PRECISION) AS x2, CAST("d ""quoted""" AS DOUBLE PRECISION) AS x3
FROM "shop"."images") s) q) s CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 1 THEN 1 * d0.d END AS BIGINT) AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 AS d UNION ALL SELECT 2 AS d UNION ALL SELECT 3 AS d UNION ALL SELECT 4 AS d UNION ALL SELECT 5 AS d UNION ALL SELECT 6 AS d UNION ALL SELECT 7 AS d UNION ALL SELECT 8 AS d UNION ALL SELECT 9 AS d) d0 WHERE 1 * d0.d < 1) counted
