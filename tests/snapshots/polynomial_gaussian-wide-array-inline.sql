-- PolynomialKernelProjection(k=2, s='sqrt', seed=3, degree=2, p=None, t=1, c=0.0, minimise_repetition=True, vectors='gaussian')
-- wide rows of integers of 8 bits; output = 'array', nulls = 'error', scale = False, lowering = 'inline'

-- ======== duckdb
SELECT c0 AS "id", c1 AS "label", CAST(CASE WHEN ok IS NOT NULL THEN [v2*v3, v0*v1] END AS DOUBLE[2]) AS z
FROM (SELECT c0, c1, ok, ((0.082161555*x0+0.172030901*x1+1.69455579*x2)-0.724783879*x3) AS v0, ((0.817653548*x2+1.35280326*x3)-(0.0376072221*x0+0.952740851*x1)) AS v1, ((0.412145855*x0+0.302278223*x3)-(1.65955209*x1+0.359067868*x2)) AS v2, -(0.410880502*x0+0.786020867*x1+2.98155507*x2+0.377541119*x3) AS v3
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 ELSE error('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''') END AS ok, CAST("a" AS DOUBLE) AS x0, CAST("b" AS DOUBLE) AS x1, CAST("it's c" AS DOUBLE) AS x2, CAST("d ""quoted""" AS DOUBLE) AS x3
FROM "shop"."images") s) s

-- ======== postgresql
SELECT c0 AS "id", c1 AS "label", CASE WHEN ok IS NOT NULL THEN ARRAY[v2*v3,v0*v1] END AS z
FROM (SELECT c0, c1, ok, ((CAST('0.082161555' AS double precision)*x0+CAST('0.172030901' AS double precision)*x1+CAST('1.69455579' AS double precision)*x2)-CAST('0.724783879' AS double precision)*x3) AS v0, ((CAST('0.817653548' AS double precision)*x2+CAST('1.35280326' AS double precision)*x3)-(CAST('0.0376072221' AS double precision)*x0+CAST('0.952740851' AS double precision)*x1)) AS v1, ((CAST('0.412145855' AS double precision)*x0+CAST('0.302278223' AS double precision)*x3)-(CAST('1.65955209' AS double precision)*x1+CAST('0.359067868' AS double precision)*x2)) AS v2, -(CAST('0.410880502' AS double precision)*x0+CAST('0.786020867' AS double precision)*x1+CAST('2.98155507' AS double precision)*x2+CAST('0.377541119' AS double precision)*x3) AS v3
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 ELSE CAST('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''' || left(CAST(clock_timestamp() AS text), 0) AS bigint) END AS ok, CAST("a" AS double precision) AS x0, CAST("b" AS double precision) AS x1, CAST("it's c" AS double precision) AS x2, CAST("d ""quoted""" AS double precision) AS x3
FROM "shop"."images" OFFSET '0') s OFFSET '0') s

-- ======== sqlite
-- UnsupportedError: output = 'array' is not supported: sqlite has no arrays; use 'columns' or 'long'

-- ======== mariadb
-- UnsupportedError: output = 'array' is not supported: mariadb has no arrays; use 'columns' or 'long'

-- ======== mysql
-- UnsupportedError: output = 'array' is not supported: mysql has no arrays; use 'columns' or 'long'

-- ======== clickhouse
SELECT c0 AS `id`, c1 AS `label`, arrayMap(e -> e + 0 * ok, [v2*v3,v0*v1]) AS z
FROM (SELECT c0, c1, ok, ((0.082161555*x0+0.172030901*x1+1.69455579*x2)-0.724783879*x3) AS v0, ((0.817653548*x2+1.35280326*x3)-(0.0376072221*x0+0.952740851*x1)) AS v1, ((0.412145855*x0+0.302278223*x3)-(1.65955209*x1+0.359067868*x2)) AS v2, -(0.410880502*x0+0.786020867*x1+2.98155507*x2+0.377541119*x3) AS v3
FROM (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 ELSE throwIf(1, 'sqlrp: a feature is NULL and nulls = \'error\': clean the row, or use nulls = \'zero\' or \'propagate\'') END AS ok, CAST(`a` AS Float64) AS x0, CAST(`b` AS Float64) AS x1, CAST(`it's c` AS Float64) AS x2, CAST(`d "quoted"` AS Float64) AS x3
FROM `shop`.`images`) s) s
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760

-- ======== spark, databricks
SELECT c0 AS `id`, c1 AS `label`, CASE WHEN ok IS NOT NULL THEN array(v2*v3,v0*v1) END AS z
FROM (SELECT c0, c1, ok, ((0.082161555*x0+0.172030901*x1+1.69455579*x2)-0.724783879*x3) AS v0, ((0.817653548*x2+1.35280326*x3)-(0.0376072221*x0+0.952740851*x1)) AS v1, ((0.412145855*x0+0.302278223*x3)-(1.65955209*x1+0.359067868*x2)) AS v2, -(0.410880502*x0+0.786020867*x1+2.98155507*x2+0.377541119*x3) AS v3
FROM (SELECT `id` AS c0, `label` AS c1, CAST(`a` AS DOUBLE) AS x0, CAST(`b` AS DOUBLE) AS x1, CAST(`it's c` AS DOUBLE) AS x2, CAST(`d "quoted"` AS DOUBLE) AS x3, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 ELSE raise_error('sqlrp: a feature is NULL and nulls = \'error\': clean the row, or use nulls = \'zero\' or \'propagate\'') END AS ok
FROM `shop`.`images`) s) s

-- ======== snowflake
SELECT c0 AS "id", c1 AS "label", CASE WHEN ok IS NOT NULL THEN ARRAY_CONSTRUCT(v2*v3, v0*v1) END AS z
FROM (SELECT c0, c1, ok, ((0.082161555*x0+0.172030901*x1+1.69455579*x2)-0.724783879*x3) AS v0, ((0.817653548*x2+1.35280326*x3)-(0.0376072221*x0+0.952740851*x1)) AS v1, ((0.412145855*x0+0.302278223*x3)-(1.65955209*x1+0.359067868*x2)) AS v2, -(0.410880502*x0+0.786020867*x1+2.98155507*x2+0.377541119*x3) AS v3
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 ELSE CAST(concat('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''', substr(CAST(CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 1 ELSE 0 END AS VARCHAR), 1, 0)) AS BIGINT) END AS ok, CAST("a" AS DOUBLE) AS x0, CAST("b" AS DOUBLE) AS x1, CAST("it's c" AS DOUBLE) AS x2, CAST("d ""quoted""" AS DOUBLE) AS x3
FROM "shop"."images") s) s

-- ======== bigquery
SELECT c0 AS `id`, c1 AS `label`, CASE WHEN ok IS NOT NULL THEN ARRAY[v2*v3, v0*v1] END AS z
FROM (SELECT c0, c1, ok, ((0.082161555*x0+0.172030901*x1+1.69455579*x2)-0.724783879*x3) AS v0, ((0.817653548*x2+1.35280326*x3)-(0.0376072221*x0+0.952740851*x1)) AS v1, ((0.412145855*x0+0.302278223*x3)-(1.65955209*x1+0.359067868*x2)) AS v2, -(0.410880502*x0+0.786020867*x1+2.98155507*x2+0.377541119*x3) AS v3
FROM (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 ELSE ERROR('sqlrp: a feature is NULL and nulls = \'error\': clean the row, or use nulls = \'zero\' or \'propagate\'') END AS ok, CAST(`a` AS FLOAT64) AS x0, CAST(`b` AS FLOAT64) AS x1, CAST(`it's c` AS FLOAT64) AS x2, CAST(`d "quoted"` AS FLOAT64) AS x3
FROM `shop`.`images`) s) s

-- ======== redshift
SELECT c0 AS "id", c1 AS "label", CASE WHEN ok IS NOT NULL THEN ARRAY(v2*v3, v0*v1) END AS z
FROM (SELECT c0, c1, ok, ((CAST('0.082161555' AS DOUBLE PRECISION)*x0+CAST('0.172030901' AS DOUBLE PRECISION)*x1+CAST('1.69455579' AS DOUBLE PRECISION)*x2)-CAST('0.724783879' AS DOUBLE PRECISION)*x3) AS v0, ((CAST('0.817653548' AS DOUBLE PRECISION)*x2+CAST('1.35280326' AS DOUBLE PRECISION)*x3)-(CAST('0.0376072221' AS DOUBLE PRECISION)*x0+CAST('0.952740851' AS DOUBLE PRECISION)*x1)) AS v1, ((CAST('0.412145855' AS DOUBLE PRECISION)*x0+CAST('0.302278223' AS DOUBLE PRECISION)*x3)-(CAST('1.65955209' AS DOUBLE PRECISION)*x1+CAST('0.359067868' AS DOUBLE PRECISION)*x2)) AS v2, -(CAST('0.410880502' AS DOUBLE PRECISION)*x0+CAST('0.786020867' AS DOUBLE PRECISION)*x1+CAST('2.98155507' AS DOUBLE PRECISION)*x2+CAST('0.377541119' AS DOUBLE PRECISION)*x3) AS v3
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 ELSE CAST(concat('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''', substr(CAST(CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 1 ELSE 0 END AS VARCHAR), 1, 0)) AS BIGINT) END AS ok, CAST("a" AS DOUBLE PRECISION) AS x0, CAST("b" AS DOUBLE PRECISION) AS x1, CAST("it's c" AS DOUBLE PRECISION) AS x2, CAST("d ""quoted""" AS DOUBLE PRECISION) AS x3
FROM "shop"."images") s) s

-- ======== trino
SELECT c0 AS "id", c1 AS "label", CASE WHEN ok IS NOT NULL THEN ARRAY[v2*v3, v0*v1] END AS z
FROM (SELECT c0, c1, ok, ((0.082161555*x0+0.172030901*x1+1.69455579*x2)-0.724783879*x3) AS v0, ((0.817653548*x2+1.35280326*x3)-(0.0376072221*x0+0.952740851*x1)) AS v1, ((0.412145855*x0+0.302278223*x3)-(1.65955209*x1+0.359067868*x2)) AS v2, -(0.410880502*x0+0.786020867*x1+2.98155507*x2+0.377541119*x3) AS v3
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 ELSE CAST(concat('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''', substr(CAST(CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 1 ELSE 0 END AS VARCHAR), 1, 0)) AS BIGINT) END AS ok, CAST("a" AS DOUBLE) AS x0, CAST("b" AS DOUBLE) AS x1, CAST("it's c" AS DOUBLE) AS x2, CAST("d ""quoted""" AS DOUBLE) AS x3
FROM "shop"."images") s) s

-- ======== sqlserver
SELECT c0 AS [id], c1 AS [label], CASE WHEN ok IS NOT NULL THEN CONCAT(CAST('[' AS VARCHAR(MAX)), CONCAT_WS(',', CONVERT(VARCHAR(30), v2*v3, 3), CONVERT(VARCHAR(30), v0*v1, 3)), ']') END AS z
FROM (SELECT c0, c1, ok, ((0.082161555*x0+0.172030901*x1+1.69455579*x2)-0.724783879*x3) AS v0, ((0.817653548*x2+1.35280326*x3)-(0.0376072221*x0+0.952740851*x1)) AS v1, ((0.412145855*x0+0.302278223*x3)-(1.65955209*x1+0.359067868*x2)) AS v2, -(0.410880502*x0+0.786020867*x1+2.98155507*x2+0.377541119*x3) AS v3
FROM (SELECT [id] AS c0, [label] AS c1, CASE WHEN ([a] IS NOT NULL AND [b] IS NOT NULL AND [it's c] IS NOT NULL AND [d "quoted"] IS NOT NULL) THEN 0 ELSE CAST(CONCAT('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''', LEFT(CAST(NEWID() AS VARCHAR(36)), 0)) AS BIGINT) END AS ok, CAST([a] AS FLOAT) AS x0, CAST([b] AS FLOAT) AS x1, CAST([it's c] AS FLOAT) AS x2, CAST([d "quoted"] AS FLOAT) AS x3
FROM [shop].[images]) s) s

-- ======== oracle
-- SourceError: name 'd "quoted"' holds a double quote, which oracle refuses: rename

-- ======== generic
-- UnsupportedError: output = 'array' is not supported: generic has no arrays; use 'columns' or 'long'
