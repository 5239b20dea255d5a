-- PartialLeastSquares(k=2, state='eNoL8GZm0WWAAEUGv6xDF/5DATeDCEN5amZ6Rkm…hkIVwHpfiYQDwCkaq8L', bound_to=4)
-- wide rows of floats; output = 'array', nulls = 'zero', scale = False, lowering = 'inline'

-- ======== duckdb
SELECT c0 AS "id", c1 AS "label", CAST([((x0+CAST(0.25e0 AS FLOAT)*x1+CAST(1.5e0 AS FLOAT)*x3+CAST(0.5e0 AS FLOAT)*CAST(1.0e0 AS FLOAT))-CAST(0.5e0 AS FLOAT)*x2), ((CAST(0.5e0 AS FLOAT)*x0+CAST(2.0e0 AS FLOAT)*x2+x3+CAST(2.0e0 AS FLOAT)*CAST(1.0e0 AS FLOAT))-x1)] AS FLOAT[2]) AS z
FROM (SELECT "id" AS c0, "label" AS c1, coalesce(CAST("a" AS FLOAT),CAST(0.0e0 AS FLOAT)) AS x0, coalesce(CAST("b" AS FLOAT),CAST(0.0e0 AS FLOAT)) AS x1, coalesce(CAST("it's c" AS FLOAT),CAST(0.0e0 AS FLOAT)) AS x2, coalesce(CAST("d ""quoted""" AS FLOAT),CAST(0.0e0 AS FLOAT)) AS x3
FROM "shop"."images") s

-- ======== postgresql
SELECT c0 AS "id", c1 AS "label", ARRAY[((x0+CAST('0.25' AS double precision)*x1+CAST('1.5' AS double precision)*x3+CAST('0.5' AS double precision)*CAST('1.0' AS double precision))-CAST('0.5' AS double precision)*x2),((CAST('0.5' AS double precision)*x0+CAST('2.0' AS double precision)*x2+x3+CAST('2.0' AS double precision)*CAST('1.0' AS double precision))-x1)] AS z
FROM (SELECT "id" AS c0, "label" AS c1, coalesce(CAST("a" AS double precision),CAST('0.0' AS double precision)) AS x0, coalesce(CAST("b" AS double precision),CAST('0.0' AS double precision)) AS x1, coalesce(CAST("it's c" AS double precision),CAST('0.0' AS double precision)) AS x2, coalesce(CAST("d ""quoted""" AS double precision),CAST('0.0' AS double precision)) AS x3
FROM "shop"."images" OFFSET '0') s

-- ======== sqlite
-- UnsupportedError: output = 'array' is not supported: sqlite has no arrays; use 'columns' or 'long'

-- ======== mariadb
-- UnsupportedError: output = 'array' is not supported: mariadb has no arrays; use 'columns' or 'long'

-- ======== mysql
-- UnsupportedError: output = 'array' is not supported: mysql has no arrays; use 'columns' or 'long'

-- ======== clickhouse
SELECT c0 AS `id`, c1 AS `label`, [((x0+CAST(0.25e0 AS Float64)*x1+CAST(1.5e0 AS Float64)*x3+CAST(0.5e0 AS Float64)*CAST(1.0e0 AS Float64))-CAST(0.5e0 AS Float64)*x2),((CAST(0.5e0 AS Float64)*x0+CAST(2.0e0 AS Float64)*x2+x3+CAST(2.0e0 AS Float64)*CAST(1.0e0 AS Float64))-x1)] AS z
FROM (SELECT `id` AS c0, `label` AS c1, coalesce(CAST(`a` AS Float64),CAST(0.0e0 AS Float64)) AS x0, coalesce(CAST(`b` AS Float64),CAST(0.0e0 AS Float64)) AS x1, coalesce(CAST(`it's c` AS Float64),CAST(0.0e0 AS Float64)) AS x2, coalesce(CAST(`d "quoted"` AS Float64),CAST(0.0e0 AS Float64)) AS x3
FROM `shop`.`images`) s
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760

-- ======== spark, databricks
SELECT c0 AS `id`, c1 AS `label`, array(((x0+CAST(0.25e0 AS DOUBLE)*x1+CAST(1.5e0 AS DOUBLE)*x3+CAST(0.5e0 AS DOUBLE)*CAST(1.0e0 AS DOUBLE))-CAST(0.5e0 AS DOUBLE)*x2),((CAST(0.5e0 AS DOUBLE)*x0+CAST(2.0e0 AS DOUBLE)*x2+x3+CAST(2.0e0 AS DOUBLE)*CAST(1.0e0 AS DOUBLE))-x1)) AS z
FROM (SELECT `id` AS c0, `label` AS c1, coalesce(CAST(`a` AS DOUBLE),CAST(0.0e0 AS DOUBLE)) AS x0, coalesce(CAST(`b` AS DOUBLE),CAST(0.0e0 AS DOUBLE)) AS x1, coalesce(CAST(`it's c` AS DOUBLE),CAST(0.0e0 AS DOUBLE)) AS x2, coalesce(CAST(`d "quoted"` AS DOUBLE),CAST(0.0e0 AS DOUBLE)) AS x3
FROM `shop`.`images`) s

-- ======== snowflake
SELECT c0 AS "id", c1 AS "label", ARRAY_CONSTRUCT(((x0+CAST(0.25e0 AS DOUBLE)*x1+CAST(1.5e0 AS DOUBLE)*x3+CAST(0.5e0 AS DOUBLE)*CAST(1.0e0 AS DOUBLE))-CAST(0.5e0 AS DOUBLE)*x2), ((CAST(0.5e0 AS DOUBLE)*x0+CAST(2.0e0 AS DOUBLE)*x2+x3+CAST(2.0e0 AS DOUBLE)*CAST(1.0e0 AS DOUBLE))-x1)) AS z
FROM (SELECT "id" AS c0, "label" AS c1, coalesce(CAST("a" AS DOUBLE),CAST(0.0e0 AS DOUBLE)) AS x0, coalesce(CAST("b" AS DOUBLE),CAST(0.0e0 AS DOUBLE)) AS x1, coalesce(CAST("it's c" AS DOUBLE),CAST(0.0e0 AS DOUBLE)) AS x2, coalesce(CAST("d ""quoted""" AS DOUBLE),CAST(0.0e0 AS DOUBLE)) AS x3
FROM "shop"."images") s

-- ======== bigquery
SELECT c0 AS `id`, c1 AS `label`, ARRAY[((x0+CAST(0.25e0 AS FLOAT64)*x1+CAST(1.5e0 AS FLOAT64)*x3+CAST(0.5e0 AS FLOAT64)*CAST(1.0e0 AS FLOAT64))-CAST(0.5e0 AS FLOAT64)*x2), ((CAST(0.5e0 AS FLOAT64)*x0+CAST(2.0e0 AS FLOAT64)*x2+x3+CAST(2.0e0 AS FLOAT64)*CAST(1.0e0 AS FLOAT64))-x1)] AS z
FROM (SELECT `id` AS c0, `label` AS c1, coalesce(CAST(`a` AS FLOAT64),CAST(0.0e0 AS FLOAT64)) AS x0, coalesce(CAST(`b` AS FLOAT64),CAST(0.0e0 AS FLOAT64)) AS x1, coalesce(CAST(`it's c` AS FLOAT64),CAST(0.0e0 AS FLOAT64)) AS x2, coalesce(CAST(`d "quoted"` AS FLOAT64),CAST(0.0e0 AS FLOAT64)) AS x3
FROM `shop`.`images`) s

-- ======== redshift
SELECT c0 AS "id", c1 AS "label", ARRAY(((x0+CAST('0.25' AS DOUBLE PRECISION)*x1+CAST('1.5' AS DOUBLE PRECISION)*x3+CAST('0.5' AS DOUBLE PRECISION)*CAST('1.0' AS DOUBLE PRECISION))-CAST('0.5' AS DOUBLE PRECISION)*x2), ((CAST('0.5' AS DOUBLE PRECISION)*x0+CAST('2.0' AS DOUBLE PRECISION)*x2+x3+CAST('2.0' AS DOUBLE PRECISION)*CAST('1.0' AS DOUBLE PRECISION))-x1)) AS z
FROM (SELECT "id" AS c0, "label" AS c1, coalesce(CAST("a" AS DOUBLE PRECISION),CAST('0.0' AS DOUBLE PRECISION)) AS x0, coalesce(CAST("b" AS DOUBLE PRECISION),CAST('0.0' AS DOUBLE PRECISION)) AS x1, coalesce(CAST("it's c" AS DOUBLE PRECISION),CAST('0.0' AS DOUBLE PRECISION)) AS x2, coalesce(CAST("d ""quoted""" AS DOUBLE PRECISION),CAST('0.0' AS DOUBLE PRECISION)) AS x3
FROM "shop"."images") s

-- ======== trino
SELECT c0 AS "id", c1 AS "label", ARRAY[((x0+CAST(0.25e0 AS DOUBLE)*x1+CAST(1.5e0 AS DOUBLE)*x3+CAST(0.5e0 AS DOUBLE)*CAST(1.0e0 AS DOUBLE))-CAST(0.5e0 AS DOUBLE)*x2), ((CAST(0.5e0 AS DOUBLE)*x0+CAST(2.0e0 AS DOUBLE)*x2+x3+CAST(2.0e0 AS DOUBLE)*CAST(1.0e0 AS DOUBLE))-x1)] AS z
FROM (SELECT "id" AS c0, "label" AS c1, coalesce(CAST("a" AS DOUBLE),CAST(0.0e0 AS DOUBLE)) AS x0, coalesce(CAST("b" AS DOUBLE),CAST(0.0e0 AS DOUBLE)) AS x1, coalesce(CAST("it's c" AS DOUBLE),CAST(0.0e0 AS DOUBLE)) AS x2, coalesce(CAST("d ""quoted""" AS DOUBLE),CAST(0.0e0 AS DOUBLE)) AS x3
FROM "shop"."images") s

-- ======== sqlserver
SELECT c0 AS [id], c1 AS [label], CONCAT(CAST('[' AS VARCHAR(MAX)), CONCAT_WS(',', CONVERT(VARCHAR(30), ((x0+CAST(0.25e0 AS FLOAT)*x1+CAST(1.5e0 AS FLOAT)*x3+CAST(0.5e0 AS FLOAT)*CAST(1.0e0 AS FLOAT))-CAST(0.5e0 AS FLOAT)*x2), 3), CONVERT(VARCHAR(30), ((CAST(0.5e0 AS FLOAT)*x0+CAST(2.0e0 AS FLOAT)*x2+x3+CAST(2.0e0 AS FLOAT)*CAST(1.0e0 AS FLOAT))-x1), 3)), ']') AS z
FROM (SELECT [id] AS c0, [label] AS c1, coalesce(CAST([a] AS FLOAT),CAST(0.0e0 AS FLOAT)) AS x0, coalesce(CAST([b] AS FLOAT),CAST(0.0e0 AS FLOAT)) AS x1, coalesce(CAST([it's c] AS FLOAT),CAST(0.0e0 AS FLOAT)) AS x2, coalesce(CAST([d "quoted"] AS FLOAT),CAST(0.0e0 AS FLOAT)) AS x3
FROM [shop].[images]) s

-- ======== oracle
-- SourceError: name 'd "quoted"' holds a double quote, which oracle refuses: rename

-- ======== generic
-- UnsupportedError: output = 'array' is not supported: generic has no arrays; use 'columns' or 'long'
