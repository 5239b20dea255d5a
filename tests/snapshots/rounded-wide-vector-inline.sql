-- Chained(SparseProjection(k=2, s=1, seed=1), Rounding(k=2, state='eNoL8GZm0WWAAEUGto+lG/9DAQeDCENxSWqBXl5…sIcIN0DNhMAm+ltLw==', bound_to=2))
-- wide rows of doubles; output = 'vector', lowering = 'inline'

-- ======== duckdb
SELECT c0 AS "id", c1 AS "label", CAST(CASE WHEN ok IS NOT NULL THEN [floor((CASE WHEN u0<-127.0e0 THEN -127.0e0 WHEN u0<=127.0e0 THEN u0 WHEN u0 IS NOT NULL THEN 127.0e0 END+0.5e0)), floor((CASE WHEN u1<-127.0e0 THEN -127.0e0 WHEN u1<=127.0e0 THEN u1 WHEN u1 IS NOT NULL THEN 127.0e0 END+0.5e0))] END AS TINYINT[2]) AS z
FROM (SELECT c0, c1, ok, w0*2.82842712 AS u0, w1*2.82842712 AS u1
FROM (SELECT c0, c1, ok, (v2-v1) AS w0, (v0-v2) AS w1
FROM (SELECT c0, c1, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 END AS ok, CAST("a" AS DOUBLE) AS x0, CAST("b" AS DOUBLE) AS x1, CAST("it's c" AS DOUBLE) AS x2, CAST("d ""quoted""" AS DOUBLE) AS x3
FROM "shop"."images") s) s) s) s

-- ======== postgresql
SELECT c0 AS "id", c1 AS "label", CAST(CASE WHEN ok IS NOT NULL THEN ARRAY[floor((CASE WHEN u0<-CAST('127.0' AS double precision) THEN -CAST('127.0' AS double precision) WHEN u0<=CAST('127.0' AS double precision) THEN u0 WHEN u0 IS NOT NULL THEN CAST('127.0' AS double precision) END+CAST('0.5' AS double precision))),floor((CASE WHEN u1<-CAST('127.0' AS double precision) THEN -CAST('127.0' AS double precision) WHEN u1<=CAST('127.0' AS double precision) THEN u1 WHEN u1 IS NOT NULL THEN CAST('127.0' AS double precision) END+CAST('0.5' AS double precision)))] END AS vector(2)) AS z
FROM (SELECT c0, c1, ok, w0*CAST('2.82842712' AS double precision) AS u0, w1*CAST('2.82842712' AS double precision) AS u1
FROM (SELECT c0, c1, ok, (v2-v1) AS w0, (v0-v2) AS w1
FROM (SELECT c0, c1, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 END AS ok, CAST("a" AS double precision) AS x0, CAST("b" AS double precision) AS x1, CAST("it's c" AS double precision) AS x2, CAST("d ""quoted""" AS double precision) AS x3
FROM "shop"."images" OFFSET '0') s OFFSET '0') s OFFSET '0') s OFFSET '0') s

-- ======== sqlite
-- UnsupportedError: output = 'vector' is not supported: sqlrp knows no type of vectors of sqlite; use 'columns' or 'long'

-- ======== mariadb
SELECT c0 AS `id`, c1 AS `label`, CASE WHEN ok IS NOT NULL THEN VEC_FromText(concat('[', floor((CASE WHEN u0<-127.0e0 THEN -127.0e0 WHEN u0<=127.0e0 THEN u0 WHEN u0 IS NOT NULL THEN 127.0e0 END+0.5e0)), ',', floor((CASE WHEN u1<-127.0e0 THEN -127.0e0 WHEN u1<=127.0e0 THEN u1 WHEN u1 IS NOT NULL THEN 127.0e0 END+0.5e0)), ']')) END AS z
FROM (SELECT c0, c1, ok, w0*2.82842712 AS u0, w1*2.82842712 AS u1
FROM (SELECT c0, c1, ok, (v2-v1) AS w0, (v0-v2) AS w1
FROM (SELECT c0, c1, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2
FROM (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 END AS ok, CAST(`a` AS DOUBLE) AS x0, CAST(`b` AS DOUBLE) AS x1, CAST(`it's c` AS DOUBLE) AS x2, CAST(`d "quoted"` AS DOUBLE) AS x3
FROM `shop`.`images` LIMIT 18446744073709551615) s LIMIT 18446744073709551615) s LIMIT 18446744073709551615) s LIMIT 18446744073709551615) s

-- ======== mysql
SELECT c0 AS `id`, c1 AS `label`, CASE WHEN ok IS NOT NULL THEN STRING_TO_VECTOR(concat('[', floor((CASE WHEN u0<-127.0e0 THEN -127.0e0 WHEN u0<=127.0e0 THEN u0 WHEN u0 IS NOT NULL THEN 127.0e0 END+0.5e0)), ',', floor((CASE WHEN u1<-127.0e0 THEN -127.0e0 WHEN u1<=127.0e0 THEN u1 WHEN u1 IS NOT NULL THEN 127.0e0 END+0.5e0)), ']')) END AS z
FROM (SELECT c0, c1, ok, w0*2.82842712 AS u0, w1*2.82842712 AS u1
FROM (SELECT c0, c1, ok, (v2-v1) AS w0, (v0-v2) AS w1
FROM (SELECT c0, c1, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2
FROM (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 END AS ok, CAST(`a` AS DOUBLE) AS x0, CAST(`b` AS DOUBLE) AS x1, CAST(`it's c` AS DOUBLE) AS x2, CAST(`d "quoted"` AS DOUBLE) AS x3
FROM `shop`.`images` LIMIT 18446744073709551615) s LIMIT 18446744073709551615) s LIMIT 18446744073709551615) s LIMIT 18446744073709551615) s

-- ======== clickhouse
SELECT c0 AS `id`, c1 AS `label`, arrayMap(e -> CAST(e AS Float32), arrayMap(e -> coalesce(e, nan), arrayMap(e -> e + 0 * ok, [floor((CASE WHEN u0<-127.0e0 THEN -127.0e0 WHEN u0<=127.0e0 THEN u0 WHEN u0 IS NOT NULL THEN 127.0e0 END+0.5e0)),floor((CASE WHEN u1<-127.0e0 THEN -127.0e0 WHEN u1<=127.0e0 THEN u1 WHEN u1 IS NOT NULL THEN 127.0e0 END+0.5e0))]))) AS z
FROM (SELECT c0, c1, ok, w0*2.82842712 AS u0, w1*2.82842712 AS u1
FROM (SELECT c0, c1, ok, (v2-v1) AS w0, (v0-v2) AS w1
FROM (SELECT c0, c1, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2
FROM (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 END AS ok, CAST(`a` AS Float64) AS x0, CAST(`b` AS Float64) AS x1, CAST(`it's c` AS Float64) AS x2, CAST(`d "quoted"` AS Float64) AS x3
FROM `shop`.`images`) s) s) s) s
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760

-- ======== spark, databricks
SELECT c0 AS `id`, c1 AS `label`, CAST(CASE WHEN ok IS NOT NULL THEN array(floor((CASE WHEN u0<-127.0e0 THEN -127.0e0 WHEN u0<=127.0e0 THEN u0 WHEN u0 IS NOT NULL THEN 127.0e0 END+0.5e0)),floor((CASE WHEN u1<-127.0e0 THEN -127.0e0 WHEN u1<=127.0e0 THEN u1 WHEN u1 IS NOT NULL THEN 127.0e0 END+0.5e0))) END AS ARRAY<FLOAT>) AS z
FROM (SELECT c0, c1, ok, w0*2.82842712 AS u0, w1*2.82842712 AS u1
FROM (SELECT c0, c1, ok, (v2-v1) AS w0, (v0-v2) AS w1
FROM (SELECT c0, c1, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2
FROM (SELECT `id` AS c0, `label` AS c1, CAST(`a` AS DOUBLE) AS x0, CAST(`b` AS DOUBLE) AS x1, CAST(`it's c` AS DOUBLE) AS x2, CAST(`d "quoted"` AS DOUBLE) AS x3, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 END AS ok
FROM `shop`.`images`) s) s) s) s

-- ======== snowflake
SELECT c0 AS "id", c1 AS "label", CAST(CASE WHEN ok IS NOT NULL THEN ARRAY_CONSTRUCT(floor((CASE WHEN u0<-127.0e0 THEN -127.0e0 WHEN u0<=127.0e0 THEN u0 WHEN u0 IS NOT NULL THEN 127.0e0 END+0.5e0)), floor((CASE WHEN u1<-127.0e0 THEN -127.0e0 WHEN u1<=127.0e0 THEN u1 WHEN u1 IS NOT NULL THEN 127.0e0 END+0.5e0))) END AS VECTOR(FLOAT, 2)) AS z
FROM (SELECT c0, c1, ok, w0*2.82842712 AS u0, w1*2.82842712 AS u1
FROM (SELECT c0, c1, ok, (v2-v1) AS w0, (v0-v2) AS w1
FROM (SELECT c0, c1, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 END AS ok, CAST("a" AS DOUBLE) AS x0, CAST("b" AS DOUBLE) AS x1, CAST("it's c" AS DOUBLE) AS x2, CAST("d ""quoted""" AS DOUBLE) AS x3
FROM "shop"."images") s) s) s) s

-- ======== bigquery
SELECT c0 AS `id`, c1 AS `label`, CASE WHEN ok IS NOT NULL THEN ARRAY[floor((CASE WHEN u0<-127.0e0 THEN -127.0e0 WHEN u0<=127.0e0 THEN u0 WHEN u0 IS NOT NULL THEN 127.0e0 END+0.5e0)), floor((CASE WHEN u1<-127.0e0 THEN -127.0e0 WHEN u1<=127.0e0 THEN u1 WHEN u1 IS NOT NULL THEN 127.0e0 END+0.5e0))] END AS z
FROM (SELECT c0, c1, ok, w0*2.82842712 AS u0, w1*2.82842712 AS u1
FROM (SELECT c0, c1, ok, (v2-v1) AS w0, (v0-v2) AS w1
FROM (SELECT c0, c1, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2
FROM (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 END AS ok, CAST(`a` AS FLOAT64) AS x0, CAST(`b` AS FLOAT64) AS x1, CAST(`it's c` AS FLOAT64) AS x2, CAST(`d "quoted"` AS FLOAT64) AS x3
FROM `shop`.`images`) s) s) s) s

-- ======== redshift
SELECT c0 AS "id", c1 AS "label", CASE WHEN ok IS NOT NULL THEN ARRAY(floor((CASE WHEN u0<-CAST('127.0' AS DOUBLE PRECISION) THEN -CAST('127.0' AS DOUBLE PRECISION) WHEN u0<=CAST('127.0' AS DOUBLE PRECISION) THEN u0 WHEN u0 IS NOT NULL THEN CAST('127.0' AS DOUBLE PRECISION) END+CAST('0.5' AS DOUBLE PRECISION))), floor((CASE WHEN u1<-CAST('127.0' AS DOUBLE PRECISION) THEN -CAST('127.0' AS DOUBLE PRECISION) WHEN u1<=CAST('127.0' AS DOUBLE PRECISION) THEN u1 WHEN u1 IS NOT NULL THEN CAST('127.0' AS DOUBLE PRECISION) END+CAST('0.5' AS DOUBLE PRECISION)))) END AS z
FROM (SELECT c0, c1, ok, w0*CAST('2.82842712' AS DOUBLE PRECISION) AS u0, w1*CAST('2.82842712' AS DOUBLE PRECISION) AS u1
FROM (SELECT c0, c1, ok, (v2-v1) AS w0, (v0-v2) AS w1
FROM (SELECT c0, c1, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 END AS ok, CAST("a" AS DOUBLE PRECISION) AS x0, CAST("b" AS DOUBLE PRECISION) AS x1, CAST("it's c" AS DOUBLE PRECISION) AS x2, CAST("d ""quoted""" AS DOUBLE PRECISION) AS x3
FROM "shop"."images") s) s) s) s

-- ======== trino
SELECT c0 AS "id", c1 AS "label", CAST(CASE WHEN ok IS NOT NULL THEN ARRAY[floor((CASE WHEN u0<-127.0e0 THEN -127.0e0 WHEN u0<=127.0e0 THEN u0 WHEN u0 IS NOT NULL THEN 127.0e0 END+0.5e0)), floor((CASE WHEN u1<-127.0e0 THEN -127.0e0 WHEN u1<=127.0e0 THEN u1 WHEN u1 IS NOT NULL THEN 127.0e0 END+0.5e0))] END AS ARRAY(DOUBLE)) AS z
FROM (SELECT c0, c1, ok, w0*2.82842712 AS u0, w1*2.82842712 AS u1
FROM (SELECT c0, c1, ok, (v2-v1) AS w0, (v0-v2) AS w1
FROM (SELECT c0, c1, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 END AS ok, CAST("a" AS DOUBLE) AS x0, CAST("b" AS DOUBLE) AS x1, CAST("it's c" AS DOUBLE) AS x2, CAST("d ""quoted""" AS DOUBLE) AS x3
FROM "shop"."images") s) s) s) s

-- ======== sqlserver
SELECT c0 AS [id], c1 AS [label], CAST(CASE WHEN ok IS NOT NULL THEN CONCAT(CAST('[' AS VARCHAR(MAX)), CONCAT_WS(',', CONVERT(VARCHAR(30), CAST(floor((CASE WHEN u0<-127.0e0 THEN -127.0e0 WHEN u0<=127.0e0 THEN u0 WHEN u0 IS NOT NULL THEN 127.0e0 END+0.5e0)) AS REAL), 3), CONVERT(VARCHAR(30), CAST(floor((CASE WHEN u1<-127.0e0 THEN -127.0e0 WHEN u1<=127.0e0 THEN u1 WHEN u1 IS NOT NULL THEN 127.0e0 END+0.5e0)) AS REAL), 3)), ']') END AS VECTOR(2)) AS z
FROM (SELECT c0, c1, ok, w0*2.82842712 AS u0, w1*2.82842712 AS u1
FROM (SELECT c0, c1, ok, (v2-v1) AS w0, (v0-v2) AS w1
FROM (SELECT c0, c1, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2
FROM (SELECT [id] AS c0, [label] AS c1, CASE WHEN ([a] IS NOT NULL AND [b] IS NOT NULL AND [it's c] IS NOT NULL AND [d "quoted"] IS NOT NULL) THEN 0 END AS ok, CAST([a] AS FLOAT) AS x0, CAST([b] AS FLOAT) AS x1, CAST([it's c] AS FLOAT) AS x2, CAST([d "quoted"] AS FLOAT) AS x3
FROM [shop].[images]) s) s) s) s

-- ======== oracle
-- SourceError: name 'd "quoted"' holds a double quote, which oracle refuses: rename

-- ======== generic
-- UnsupportedError: output = 'vector' is not supported: sqlrp knows no type of vectors of generic; use 'columns' or 'long'
