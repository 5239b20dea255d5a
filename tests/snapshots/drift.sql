-- sqlrp.drift_sql

-- ======== duckdb, snowflake, trino
SELECT g AS "day", m AS compared_rows, t AS statistic, (8.31506175) AS bound, CASE WHEN t > (8.31506175) THEN 1 WHEN t <= (8.31506175) THEN 0 END AS drifted
FROM (SELECT g, m, CASE WHEN m > 3 THEN (m*(90.0e0)/(m + (90.0e0)))*(w0*w0+w1*w1+w2*w2) END AS t
FROM (SELECT g, m, (0.994428926)*a0 AS w0, (0.497214463)*a1 AS w1, (1.98885785)*a2 AS w2
FROM (SELECT g, m, (s0/m - (0.5e0)) AS a0, (s1/m - (20.0e0)) AS a1, (s2/m - (-3.0e0)) AS a2
FROM (SELECT g, count(*) AS m, sum(x0) AS s0, sum(x1) AS s1, sum(x2) AS s2
FROM (SELECT "day" AS g, (CAST(z0 AS DOUBLE)) AS x0, (CAST(z1 AS DOUBLE)) AS x1, (CAST(z2 AS DOUBLE)) AS x2
FROM (SELECT c0 AS "id", c1 AS "day", ok*-(x1+x2+x3) AS z0, ok*(x0+x1) AS z1, ok*-x1 AS z2
FROM (SELECT "id" AS c0, "day" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0.816496581 END AS ok, CAST("a" AS DOUBLE) AS x0, CAST("b" AS DOUBLE) AS x1, CAST("it's c" AS DOUBLE) AS x2, CAST("d ""quoted""" AS DOUBLE) AS x3
FROM "shop"."images") s) q WHERE z0 IS NOT NULL AND "day" IS NOT NULL) s GROUP BY g) s) s) s) s

-- ======== postgresql
SELECT g AS "day", m AS compared_rows, t AS statistic, (CAST('8.31506175' AS double precision)) AS bound, CASE WHEN t > (CAST('8.31506175' AS double precision)) THEN 1 WHEN t <= (CAST('8.31506175' AS double precision)) THEN 0 END AS drifted
FROM (SELECT g, m, CASE WHEN m > 3 THEN (m*(CAST('90.0' AS double precision))/(m + (CAST('90.0' AS double precision))))*(w0*w0+w1*w1+w2*w2) END AS t
FROM (SELECT g, m, (CAST('0.994428926' AS double precision))*a0 AS w0, (CAST('0.497214463' AS double precision))*a1 AS w1, (CAST('1.98885785' AS double precision))*a2 AS w2
FROM (SELECT g, m, (s0/m - (CAST('0.5' AS double precision))) AS a0, (s1/m - (CAST('20.0' AS double precision))) AS a1, (s2/m - (CAST('-3.0' AS double precision))) AS a2
FROM (SELECT g, count(*) AS m, sum(x0) AS s0, sum(x1) AS s1, sum(x2) AS s2
FROM (SELECT "day" AS g, (CAST(z0 AS double precision)) AS x0, (CAST(z1 AS double precision)) AS x1, (CAST(z2 AS double precision)) AS x2
FROM (SELECT c0 AS "id", c1 AS "day", ok*-(x1+x2+x3) AS z0, ok*(x0+x1) AS z1, ok*-x1 AS z2
FROM (SELECT "id" AS c0, "day" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN CAST('0.816496581' AS double precision) END AS ok, CAST("a" AS double precision) AS x0, CAST("b" AS double precision) AS x1, CAST("it's c" AS double precision) AS x2, CAST("d ""quoted""" AS double precision) AS x3
FROM "shop"."images" OFFSET '0') s OFFSET '0') q WHERE z0 IS NOT NULL AND "day" IS NOT NULL OFFSET '0') s GROUP BY g OFFSET '0') s OFFSET '0') s OFFSET '0') s OFFSET '0') s

-- ======== sqlite
SELECT g AS `day`, m AS compared_rows, t AS statistic, (8.31506175) AS bound, CASE WHEN t > (8.31506175) THEN 1 WHEN t <= (8.31506175) THEN 0 END AS drifted
FROM (SELECT g, m, CASE WHEN m > 3 THEN (m*(90.0e0)/(m + (90.0e0)))*(w0*w0+w1*w1+w2*w2) END AS t
FROM (SELECT g, m, (0.994428926)*a0 AS w0, (0.497214463)*a1 AS w1, (1.98885785)*a2 AS w2
FROM (SELECT g, m, (s0/m - (0.5e0)) AS a0, (s1/m - (20.0e0)) AS a1, (s2/m - (-3.0e0)) AS a2
FROM (SELECT g, count(*) AS m, sum(x0) AS s0, sum(x1) AS s1, sum(x2) AS s2
FROM (SELECT `day` AS g, (CAST(z0 AS REAL)) AS x0, (CAST(z1 AS REAL)) AS x1, (CAST(z2 AS REAL)) AS x2
FROM (SELECT c0 AS `id`, c1 AS `day`, ok*-(x1+x2+x3) AS z0, ok*(x0+x1) AS z1, ok*-x1 AS z2
FROM (SELECT `id` AS c0, `day` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0.816496581 END AS ok, CASE WHEN `a` >= '' THEN json_type('{}', 'sqlrp: a feature in `a` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`a` AS REAL) END AS x0, CASE WHEN `b` >= '' THEN json_type('{}', 'sqlrp: a feature in `b` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`b` AS REAL) END AS x1, CASE WHEN `it's c` >= '' THEN json_type('{}', 'sqlrp: a feature in `it''s c` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`it's c` AS REAL) END AS x2, CASE WHEN `d "quoted"` >= '' THEN json_type('{}', 'sqlrp: a feature in `d "quoted"` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`d "quoted"` AS REAL) END AS x3
FROM `shop`.`images` LIMIT -1 OFFSET 0) s LIMIT -1 OFFSET 0) q WHERE z0 IS NOT NULL AND `day` IS NOT NULL LIMIT -1 OFFSET 0) s GROUP BY g LIMIT -1 OFFSET 0) s LIMIT -1 OFFSET 0) s LIMIT -1 OFFSET 0) s LIMIT -1 OFFSET 0) s

-- ======== mariadb, mysql
SELECT g AS `day`, m AS compared_rows, t AS statistic, (8.31506175) AS bound, CASE WHEN t > (8.31506175) THEN 1 WHEN t <= (8.31506175) THEN 0 END AS drifted
FROM (SELECT g, m, CASE WHEN m > 3 THEN (m*(90.0e0)/(m + (90.0e0)))*(w0*w0+w1*w1+w2*w2) END AS t
FROM (SELECT g, m, (0.994428926)*a0 AS w0, (0.497214463)*a1 AS w1, (1.98885785)*a2 AS w2
FROM (SELECT g, m, (s0/m - (0.5e0)) AS a0, (s1/m - (20.0e0)) AS a1, (s2/m - (-3.0e0)) AS a2
FROM (SELECT g, count(*) AS m, sum(x0) AS s0, sum(x1) AS s1, sum(x2) AS s2
FROM (SELECT `day` AS g, (CAST(z0 AS DOUBLE)) AS x0, (CAST(z1 AS DOUBLE)) AS x1, (CAST(z2 AS DOUBLE)) AS x2
FROM (SELECT c0 AS `id`, c1 AS `day`, ok*-(x1+x2+x3) AS z0, ok*(x0+x1) AS z1, ok*-x1 AS z2
FROM (SELECT `id` AS c0, `day` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0.816496581 END AS ok, CAST(`a` AS DOUBLE) AS x0, CAST(`b` AS DOUBLE) AS x1, CAST(`it's c` AS DOUBLE) AS x2, CAST(`d "quoted"` AS DOUBLE) AS x3
FROM `shop`.`images` LIMIT 18446744073709551615) s LIMIT 18446744073709551615) q WHERE z0 IS NOT NULL AND `day` IS NOT NULL LIMIT 18446744073709551615) s GROUP BY g LIMIT 18446744073709551615) s LIMIT 18446744073709551615) s LIMIT 18446744073709551615) s LIMIT 18446744073709551615) s

-- ======== clickhouse
SELECT g AS `day`, m AS compared_rows, t AS statistic, (8.31506175) AS bound, CASE WHEN t > (8.31506175) THEN 1 WHEN t <= (8.31506175) THEN 0 END AS drifted
FROM (SELECT g, m, CASE WHEN m > 3 THEN (m*(90.0e0)/(m + (90.0e0)))*(w0*w0+w1*w1+w2*w2) END AS t
FROM (SELECT g, m, (0.994428926)*a0 AS w0, (0.497214463)*a1 AS w1, (1.98885785)*a2 AS w2
FROM (SELECT g, m, (s0/m - (0.5e0)) AS a0, (s1/m - (20.0e0)) AS a1, (s2/m - (-3.0e0)) AS a2
FROM (SELECT g, count(*) AS m, sum(x0) AS s0, sum(x1) AS s1, sum(x2) AS s2
FROM (SELECT `day` AS g, (CAST(z0 AS Float64)) AS x0, (CAST(z1 AS Float64)) AS x1, (CAST(z2 AS Float64)) AS x2
FROM (SELECT c0 AS `id`, c1 AS `day`, ok*-(x1+x2+x3) AS z0, ok*(x0+x1) AS z1, ok*-x1 AS z2
FROM (SELECT `id` AS c0, `day` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0.816496581 END AS ok, CAST(`a` AS Float64) AS x0, CAST(`b` AS Float64) AS x1, CAST(`it's c` AS Float64) AS x2, CAST(`d "quoted"` AS Float64) AS x3
FROM `shop`.`images`) s) q WHERE z0 IS NOT NULL AND `day` IS NOT NULL) s GROUP BY g) s) s) s) s
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760

-- ======== spark, databricks
SELECT g AS `day`, m AS compared_rows, t AS statistic, (8.31506175) AS bound, CASE WHEN t > (8.31506175) THEN 1 WHEN t <= (8.31506175) THEN 0 END AS drifted
FROM (SELECT g, m, CASE WHEN m > 3 THEN (m*(90.0e0)/(m + (90.0e0)))*(w0*w0+w1*w1+w2*w2) END AS t
FROM (SELECT g, m, (0.994428926)*a0 AS w0, (0.497214463)*a1 AS w1, (1.98885785)*a2 AS w2
FROM (SELECT g, m, (s0/m - (0.5e0)) AS a0, (s1/m - (20.0e0)) AS a1, (s2/m - (-3.0e0)) AS a2
FROM (SELECT g, count(*) AS m, sum(x0) AS s0, sum(x1) AS s1, sum(x2) AS s2
FROM (SELECT `day` AS g, (CAST(z0 AS DOUBLE)) AS x0, (CAST(z1 AS DOUBLE)) AS x1, (CAST(z2 AS DOUBLE)) AS x2
FROM (SELECT c0 AS `id`, c1 AS `day`, ok*-(x1+x2+x3) AS z0, ok*(x0+x1) AS z1, ok*-x1 AS z2
FROM (SELECT `id` AS c0, `day` AS c1, CAST(`a` AS DOUBLE) AS x0, CAST(`b` AS DOUBLE) AS x1, CAST(`it's c` AS DOUBLE) AS x2, CAST(`d "quoted"` AS DOUBLE) AS x3, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0.816496581 END AS ok
FROM `shop`.`images`) s) q WHERE z0 IS NOT NULL AND `day` IS NOT NULL) s GROUP BY g) s) s) s) s

-- ======== bigquery
SELECT g AS `day`, m AS compared_rows, t AS statistic, (8.31506175) AS bound, CASE WHEN t > (8.31506175) THEN 1 WHEN t <= (8.31506175) THEN 0 END AS drifted
FROM (SELECT g, m, CASE WHEN m > 3 THEN (m*(90.0e0)/(m + (90.0e0)))*(w0*w0+w1*w1+w2*w2) END AS t
FROM (SELECT g, m, (0.994428926)*a0 AS w0, (0.497214463)*a1 AS w1, (1.98885785)*a2 AS w2
FROM (SELECT g, m, (s0/m - (0.5e0)) AS a0, (s1/m - (20.0e0)) AS a1, (s2/m - (-3.0e0)) AS a2
FROM (SELECT g, count(*) AS m, sum(x0) AS s0, sum(x1) AS s1, sum(x2) AS s2
FROM (SELECT `day` AS g, (CAST(z0 AS FLOAT64)) AS x0, (CAST(z1 AS FLOAT64)) AS x1, (CAST(z2 AS FLOAT64)) AS x2
FROM (SELECT c0 AS `id`, c1 AS `day`, ok*-(x1+x2+x3) AS z0, ok*(x0+x1) AS z1, ok*-x1 AS z2
FROM (SELECT `id` AS c0, `day` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0.816496581 END AS ok, CAST(`a` AS FLOAT64) AS x0, CAST(`b` AS FLOAT64) AS x1, CAST(`it's c` AS FLOAT64) AS x2, CAST(`d "quoted"` AS FLOAT64) AS x3
FROM `shop`.`images`) s) q WHERE z0 IS NOT NULL AND `day` IS NOT NULL) s GROUP BY g) s) s) s) s

-- ======== redshift
SELECT g AS "day", m AS compared_rows, t AS statistic, (CAST('8.31506175' AS DOUBLE PRECISION)) AS bound, CASE WHEN t > (CAST('8.31506175' AS DOUBLE PRECISION)) THEN 1 WHEN t <= (CAST('8.31506175' AS DOUBLE PRECISION)) THEN 0 END AS drifted
FROM (SELECT g, m, CASE WHEN m > 3 THEN (m*(CAST('90.0' AS DOUBLE PRECISION))/(m + (CAST('90.0' AS DOUBLE PRECISION))))*(w0*w0+w1*w1+w2*w2) END AS t
FROM (SELECT g, m, (CAST('0.994428926' AS DOUBLE PRECISION))*a0 AS w0, (CAST('0.497214463' AS DOUBLE PRECISION))*a1 AS w1, (CAST('1.98885785' AS DOUBLE PRECISION))*a2 AS w2
FROM (SELECT g, m, (s0/m - (CAST('0.5' AS DOUBLE PRECISION))) AS a0, (s1/m - (CAST('20.0' AS DOUBLE PRECISION))) AS a1, (s2/m - (CAST('-3.0' AS DOUBLE PRECISION))) AS a2
FROM (SELECT g, count(*) AS m, sum(x0) AS s0, sum(x1) AS s1, sum(x2) AS s2
FROM (SELECT "day" AS g, (CAST(z0 AS DOUBLE PRECISION)) AS x0, (CAST(z1 AS DOUBLE PRECISION)) AS x1, (CAST(z2 AS DOUBLE PRECISION)) AS x2
FROM (SELECT c0 AS "id", c1 AS "day", ok*-(x1+x2+x3) AS z0, ok*(x0+x1) AS z1, ok*-x1 AS z2
FROM (SELECT "id" AS c0, "day" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN CAST('0.816496581' AS DOUBLE PRECISION) END AS ok, CAST("a" AS DOUBLE PRECISION) AS x0, CAST("b" AS DOUBLE PRECISION) AS x1, CAST("it's c" AS DOUBLE PRECISION) AS x2, CAST("d ""quoted""" AS DOUBLE PRECISION) AS x3
FROM "shop"."images") s) q WHERE z0 IS NOT NULL AND "day" IS NOT NULL) s GROUP BY g) s) s) s) s

-- ======== sqlserver
SELECT g AS [day], m AS compared_rows, t AS statistic, (8.31506175) AS bound, CASE WHEN t > (8.31506175) THEN 1 WHEN t <= (8.31506175) THEN 0 END AS drifted
FROM (SELECT g, m, CASE WHEN m > 3 THEN (m*(90.0e0)/(m + (90.0e0)))*(w0*w0+w1*w1+w2*w2) END AS t
FROM (SELECT g, m, (0.994428926)*a0 AS w0, (0.497214463)*a1 AS w1, (1.98885785)*a2 AS w2
FROM (SELECT g, m, (s0/m - (0.5e0)) AS a0, (s1/m - (20.0e0)) AS a1, (s2/m - (-3.0e0)) AS a2
FROM (SELECT g, count(*) AS m, sum(x0) AS s0, sum(x1) AS s1, sum(x2) AS s2
FROM (SELECT [day] AS g, (CAST(z0 AS FLOAT)) AS x0, (CAST(z1 AS FLOAT)) AS x1, (CAST(z2 AS FLOAT)) AS x2
FROM (SELECT c0 AS [id], c1 AS [day], ok*-(x1+x2+x3) AS z0, ok*(x0+x1) AS z1, ok*-x1 AS z2
FROM (SELECT [id] AS c0, [day] AS c1, CASE WHEN ([a] IS NOT NULL AND [b] IS NOT NULL AND [it's c] IS NOT NULL AND [d "quoted"] IS NOT NULL) THEN 0.816496581 END AS ok, CAST([a] AS FLOAT) AS x0, CAST([b] AS FLOAT) AS x1, CAST([it's c] AS FLOAT) AS x2, CAST([d "quoted"] AS FLOAT) AS x3
FROM [shop].[images]) s) q WHERE z0 IS NOT NULL AND [day] IS NOT NULL) s GROUP BY g) s) s) s) s

-- ======== oracle
-- SourceError: name 'd "quoted"' holds a double quote, which oracle refuses: rename

-- ======== generic
SELECT g AS "day", m AS compared_rows, t AS statistic, (8.31506175) AS bound, CASE WHEN t > (8.31506175) THEN 1 WHEN t <= (8.31506175) THEN 0 END AS drifted
FROM (SELECT g, m, CASE WHEN m > 3 THEN (m*(90.0e0)/(m + (90.0e0)))*(w0*w0+w1*w1+w2*w2) END AS t
FROM (SELECT g, m, (0.994428926)*a0 AS w0, (0.497214463)*a1 AS w1, (1.98885785)*a2 AS w2
FROM (SELECT g, m, (s0/m - (0.5e0)) AS a0, (s1/m - (20.0e0)) AS a1, (s2/m - (-3.0e0)) AS a2
FROM (SELECT g, count(*) AS m, sum(x0) AS s0, sum(x1) AS s1, sum(x2) AS s2
FROM (SELECT "day" AS g, (CAST("z0" AS DOUBLE PRECISION)) AS x0, (CAST("z1" AS DOUBLE PRECISION)) AS x1, (CAST("z2" AS DOUBLE PRECISION)) AS x2
FROM (SELECT c0 AS "id", c1 AS "day", ok*-(x1+x2+x3) AS "z0", ok*(x0+x1) AS "z1", ok*-x1 AS "z2"
FROM (SELECT "id" AS c0, "day" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0.816496581 END AS ok, CAST("a" AS DOUBLE PRECISION) AS x0, CAST("b" AS DOUBLE PRECISION) AS x1, CAST("it's c" AS DOUBLE PRECISION) AS x2, CAST("d ""quoted""" AS DOUBLE PRECISION) AS x3
FROM "shop"."images") s) q WHERE "z0" IS NOT NULL AND "day" IS NOT NULL) s GROUP BY g) s) s) s) s
