-- Chained(Scaling(k=4, state='eNoL8GZm0WWAAEWGs7y69v+hgItBhCE/La04tUQ…QiXAukiJhAPAKcOpFg=', bound_to=4), SparseProjection(k=2, s=1, seed=1), Scaling(k=2, state='eNoL8GZm0WWAAEWGL1JlJ/9DAReDCEN+Wlpxaol…IRLgXQQE4gHAGjXocI=', bound_to=2), GivenProjection(k=2, state='eNoL8GZm0WWAAEWGkCUnfvyHAm4GEYby1Mz0jJJ…sJVQDqfCcQDAIR9rE8=', bound_to=2))
-- wide rows of doubles; output = 'columns', lowering = 'inline'

-- ======== duckdb, snowflake, trino
SELECT c0 AS "id", c1 AS "label", (x0+0.25e0*x1+x2)+ok AS z0, (0.5e0*x0-(x1+2.0e0*x2))+ok AS z1
FROM (SELECT c0, c1, ok, u0/CASE WHEN m = 0 THEN 1 ELSE m END AS x0, u1/CASE WHEN m = 0 THEN 1 ELSE m END AS x1, 1.0e0 AS x2
FROM (SELECT c0, c1, ok, u0, u1, sqrt((u0*u0+u1*u1)) AS m
FROM (SELECT c0, c1, ok, (w0-1.41421356)*0.353553391 AS u0, w1*1.41421356 AS u1
FROM (SELECT c0, c1, ok, (v2-v1) AS w0, (v0-v2) AS w1
FROM (SELECT c0, c1, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 END AS ok, (CAST("a" AS DOUBLE)-0.5e0) AS x0, (CAST("b" AS DOUBLE)-1.0e0)*2.0e0 AS x1, CAST("it's c" AS DOUBLE)*0.25e0 AS x2, (CAST("d ""quoted""" AS DOUBLE)+1.0e0)*4.0e0 AS x3
FROM "shop"."images") s) s) s) s) s) s

-- ======== postgresql
SELECT c0 AS "id", c1 AS "label", (x0+CAST('0.25' AS double precision)*x1+x2)+ok AS z0, (CAST('0.5' AS double precision)*x0-(x1+CAST('2.0' AS double precision)*x2))+ok AS z1
FROM (SELECT c0, c1, ok, u0/CASE WHEN m = 0 THEN 1 ELSE m END AS x0, u1/CASE WHEN m = 0 THEN 1 ELSE m END AS x1, CAST('1.0' AS double precision) AS x2
FROM (SELECT c0, c1, ok, u0, u1, sqrt((u0*u0+u1*u1)) AS m
FROM (SELECT c0, c1, ok, (w0-CAST('1.41421356' AS double precision))*CAST('0.353553391' AS double precision) AS u0, w1*CAST('1.41421356' AS double precision) AS u1
FROM (SELECT c0, c1, ok, (v2-v1) AS w0, (v0-v2) AS w1
FROM (SELECT c0, c1, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 END AS ok, (CAST("a" AS double precision)-CAST('0.5' AS double precision)) AS x0, (CAST("b" AS double precision)-CAST('1.0' AS double precision))*CAST('2.0' AS double precision) AS x1, CAST("it's c" AS double precision)*CAST('0.25' AS double precision) AS x2, (CAST("d ""quoted""" AS double precision)+CAST('1.0' AS double precision))*CAST('4.0' AS double precision) AS x3
FROM "shop"."images" OFFSET '0') s OFFSET '0') s OFFSET '0') s OFFSET '0') s OFFSET '0') s OFFSET '0') s

-- ======== sqlite
WITH level0 AS (SELECT c0, c1, ok, (v2-v1) AS w0, (v0-v2) AS w1
FROM (SELECT c0, c1, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2
FROM (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 END AS ok, (CASE WHEN `a` >= '' THEN json_type('{}', 'sqlrp: a feature in `a` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`a` AS REAL) END-0.5e0) AS x0, (CASE WHEN `b` >= '' THEN json_type('{}', 'sqlrp: a feature in `b` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`b` AS REAL) END-1.0e0)*2.0e0 AS x1, CASE WHEN `it's c` >= '' THEN json_type('{}', 'sqlrp: a feature in `it''s c` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`it's c` AS REAL) END*0.25e0 AS x2, (CASE WHEN `d "quoted"` >= '' THEN json_type('{}', 'sqlrp: a feature in `d "quoted"` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`d "quoted"` AS REAL) END+1.0e0)*4.0e0 AS x3
FROM `shop`.`images` LIMIT -1 OFFSET 0) s LIMIT -1 OFFSET 0) s LIMIT -1 OFFSET 0),
level1 AS (SELECT c0, c1, ok, u0/CASE WHEN m = 0 THEN 1 ELSE m END AS x0, u1/CASE WHEN m = 0 THEN 1 ELSE m END AS x1, 1.0e0 AS x2
FROM (SELECT c0, c1, ok, u0, u1, sqrt((u0*u0+u1*u1)) AS m
FROM (SELECT c0, c1, ok, (w0-1.41421356)*0.353553391 AS u0, w1*1.41421356 AS u1
FROM level0 LIMIT -1 OFFSET 0) s LIMIT -1 OFFSET 0) s LIMIT -1 OFFSET 0)
SELECT c0 AS `id`, c1 AS `label`, (x0+0.25e0*x1+x2)+ok AS z0, (0.5e0*x0-(x1+2.0e0*x2))+ok AS z1
FROM level1

-- ======== mariadb, mysql
SELECT c0 AS `id`, c1 AS `label`, (x0+0.25e0*x1+x2)+ok AS z0, (0.5e0*x0-(x1+2.0e0*x2))+ok AS z1
FROM (SELECT c0, c1, ok, u0/CASE WHEN m = 0 THEN 1 ELSE m END AS x0, u1/CASE WHEN m = 0 THEN 1 ELSE m END AS x1, 1.0e0 AS x2
FROM (SELECT c0, c1, ok, u0, u1, sqrt((u0*u0+u1*u1)) AS m
FROM (SELECT c0, c1, ok, (w0-1.41421356)*0.353553391 AS u0, w1*1.41421356 AS u1
FROM (SELECT c0, c1, ok, (v2-v1) AS w0, (v0-v2) AS w1
FROM (SELECT c0, c1, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2
FROM (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 END AS ok, (CAST(`a` AS DOUBLE)-0.5e0) AS x0, (CAST(`b` AS DOUBLE)-1.0e0)*2.0e0 AS x1, CAST(`it's c` AS DOUBLE)*0.25e0 AS x2, (CAST(`d "quoted"` AS DOUBLE)+1.0e0)*4.0e0 AS x3
FROM `shop`.`images` LIMIT 18446744073709551615) s LIMIT 18446744073709551615) s LIMIT 18446744073709551615) s LIMIT 18446744073709551615) s LIMIT 18446744073709551615) s LIMIT 18446744073709551615) s

-- ======== clickhouse
SELECT c0 AS `id`, c1 AS `label`, (x0+0.25e0*x1+x2)+ok AS z0, (0.5e0*x0-(x1+2.0e0*x2))+ok AS z1
FROM (SELECT c0, c1, ok, u0/CASE WHEN m = 0 THEN 1 ELSE m END AS x0, u1/CASE WHEN m = 0 THEN 1 ELSE m END AS x1, 1.0e0 AS x2
FROM (SELECT c0, c1, ok, u0, u1, sqrt((u0*u0+u1*u1)) AS m
FROM (SELECT c0, c1, ok, (w0-1.41421356)*0.353553391 AS u0, w1*1.41421356 AS u1
FROM (SELECT c0, c1, ok, (v2-v1) AS w0, (v0-v2) AS w1
FROM (SELECT c0, c1, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2
FROM (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 END AS ok, (CAST(`a` AS Float64)-0.5e0) AS x0, (CAST(`b` AS Float64)-1.0e0)*2.0e0 AS x1, CAST(`it's c` AS Float64)*0.25e0 AS x2, (CAST(`d "quoted"` AS Float64)+1.0e0)*4.0e0 AS x3
FROM `shop`.`images`) s) s) s) s) s) s
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760

-- ======== spark, databricks
SELECT c0 AS `id`, c1 AS `label`, (x0+0.25e0*x1+x2)+ok AS z0, (0.5e0*x0-(x1+2.0e0*x2))+ok AS z1
FROM (SELECT c0, c1, ok, u0/CASE WHEN m = 0 THEN 1 ELSE m END AS x0, u1/CASE WHEN m = 0 THEN 1 ELSE m END AS x1, 1.0e0 AS x2
FROM (SELECT c0, c1, ok, u0, u1, sqrt((u0*u0+u1*u1)) AS m
FROM (SELECT c0, c1, ok, (w0-1.41421356)*0.353553391 AS u0, w1*1.41421356 AS u1
FROM (SELECT c0, c1, ok, (v2-v1) AS w0, (v0-v2) AS w1
FROM (SELECT c0, c1, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2
FROM (SELECT `id` AS c0, `label` AS c1, (CAST(`a` AS DOUBLE)-0.5e0) AS x0, (CAST(`b` AS DOUBLE)-1.0e0)*2.0e0 AS x1, CAST(`it's c` AS DOUBLE)*0.25e0 AS x2, (CAST(`d "quoted"` AS DOUBLE)+1.0e0)*4.0e0 AS x3, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 END AS ok
FROM `shop`.`images`) s) s) s) s) s) s

-- ======== bigquery
SELECT c0 AS `id`, c1 AS `label`, (x0+0.25e0*x1+x2)+ok AS z0, (0.5e0*x0-(x1+2.0e0*x2))+ok AS z1
FROM (SELECT c0, c1, ok, u0/CASE WHEN m = 0 THEN 1 ELSE m END AS x0, u1/CASE WHEN m = 0 THEN 1 ELSE m END AS x1, 1.0e0 AS x2
FROM (SELECT c0, c1, ok, u0, u1, sqrt((u0*u0+u1*u1)) AS m
FROM (SELECT c0, c1, ok, (w0-1.41421356)*0.353553391 AS u0, w1*1.41421356 AS u1
FROM (SELECT c0, c1, ok, (v2-v1) AS w0, (v0-v2) AS w1
FROM (SELECT c0, c1, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2
FROM (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 END AS ok, (CAST(`a` AS FLOAT64)-0.5e0) AS x0, (CAST(`b` AS FLOAT64)-1.0e0)*2.0e0 AS x1, CAST(`it's c` AS FLOAT64)*0.25e0 AS x2, (CAST(`d "quoted"` AS FLOAT64)+1.0e0)*4.0e0 AS x3
FROM `shop`.`images`) s) s) s) s) s) s

-- ======== redshift
SELECT c0 AS "id", c1 AS "label", (x0+CAST('0.25' AS DOUBLE PRECISION)*x1+x2)+ok AS z0, (CAST('0.5' AS DOUBLE PRECISION)*x0-(x1+CAST('2.0' AS DOUBLE PRECISION)*x2))+ok AS z1
FROM (SELECT c0, c1, ok, u0/CASE WHEN m = 0 THEN 1 ELSE m END AS x0, u1/CASE WHEN m = 0 THEN 1 ELSE m END AS x1, CAST('1.0' AS DOUBLE PRECISION) AS x2
FROM (SELECT c0, c1, ok, u0, u1, sqrt((u0*u0+u1*u1)) AS m
FROM (SELECT c0, c1, ok, (w0-CAST('1.41421356' AS DOUBLE PRECISION))*CAST('0.353553391' AS DOUBLE PRECISION) AS u0, w1*CAST('1.41421356' AS DOUBLE PRECISION) AS u1
FROM (SELECT c0, c1, ok, (v2-v1) AS w0, (v0-v2) AS w1
FROM (SELECT c0, c1, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 END AS ok, (CAST("a" AS DOUBLE PRECISION)-CAST('0.5' AS DOUBLE PRECISION)) AS x0, (CAST("b" AS DOUBLE PRECISION)-CAST('1.0' AS DOUBLE PRECISION))*CAST('2.0' AS DOUBLE PRECISION) AS x1, CAST("it's c" AS DOUBLE PRECISION)*CAST('0.25' AS DOUBLE PRECISION) AS x2, (CAST("d ""quoted""" AS DOUBLE PRECISION)+CAST('1.0' AS DOUBLE PRECISION))*CAST('4.0' AS DOUBLE PRECISION) AS x3
FROM "shop"."images") s) s) s) s) s) s

-- ======== sqlserver
SELECT c0 AS [id], c1 AS [label], (x0+0.25e0*x1+x2)+ok AS z0, (0.5e0*x0-(x1+2.0e0*x2))+ok AS z1
FROM (SELECT c0, c1, ok, u0/CASE WHEN m = 0 THEN 1 ELSE m END AS x0, u1/CASE WHEN m = 0 THEN 1 ELSE m END AS x1, 1.0e0 AS x2
FROM (SELECT c0, c1, ok, u0, u1, sqrt((u0*u0+u1*u1)) AS m
FROM (SELECT c0, c1, ok, (w0-1.41421356)*0.353553391 AS u0, w1*1.41421356 AS u1
FROM (SELECT c0, c1, ok, (v2-v1) AS w0, (v0-v2) AS w1
FROM (SELECT c0, c1, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2
FROM (SELECT [id] AS c0, [label] AS c1, CASE WHEN ([a] IS NOT NULL AND [b] IS NOT NULL AND [it's c] IS NOT NULL AND [d "quoted"] IS NOT NULL) THEN 0 END AS ok, (CAST([a] AS FLOAT)-0.5e0) AS x0, (CAST([b] AS FLOAT)-1.0e0)*2.0e0 AS x1, CAST([it's c] AS FLOAT)*0.25e0 AS x2, (CAST([d "quoted"] AS FLOAT)+1.0e0)*4.0e0 AS x3
FROM [shop].[images]) s) s) s) s) s) s

-- ======== oracle
-- SourceError: name 'd "quoted"' holds a double quote, which oracle refuses: rename

-- ======== generic
SELECT c0 AS "id", c1 AS "label", (x0+0.25e0*x1+x2)+ok AS "z0", (0.5e0*x0-(x1+2.0e0*x2))+ok AS "z1"
FROM (SELECT c0, c1, ok, u0/CASE WHEN m = 0 THEN 1 ELSE m END AS x0, u1/CASE WHEN m = 0 THEN 1 ELSE m END AS x1, 1.0e0 AS x2
FROM (SELECT c0, c1, ok, u0, u1, sqrt((u0*u0+u1*u1)) AS m
FROM (SELECT c0, c1, ok, (w0-1.41421356)*0.353553391 AS u0, w1*1.41421356 AS u1
FROM (SELECT c0, c1, ok, (v2-v1) AS w0, (v0-v2) AS w1
FROM (SELECT c0, c1, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 END AS ok, (CAST("a" AS DOUBLE PRECISION)-0.5e0) AS x0, (CAST("b" AS DOUBLE PRECISION)-1.0e0)*2.0e0 AS x1, CAST("it's c" AS DOUBLE PRECISION)*0.25e0 AS x2, (CAST("d ""quoted""" AS DOUBLE PRECISION)+1.0e0)*4.0e0 AS x3
FROM "shop"."images") s) s) s) s) s) s
