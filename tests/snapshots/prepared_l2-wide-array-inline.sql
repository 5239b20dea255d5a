-- Prepared(SparseProjection(k=2, s=1, seed=1), how='l2')
-- wide rows of floats; output = 'array', nulls = 'error', scale = True, lowering = 'inline'

-- ======== duckdb
SELECT c0 AS "id", c1 AS "label", CAST(CASE WHEN ok IS NOT NULL THEN [0.707106781*(w2-w1), 0.707106781*(w0-w2)] END AS DOUBLE[2]) AS z
FROM (SELECT c0, c1, ok, v0+v1 AS w0, v0-v1 AS w1, v2+v3 AS w2
FROM (SELECT c0, c1, ok, x0/CASE WHEN m = 0 THEN 1 ELSE m END AS v0, x1/CASE WHEN m = 0 THEN 1 ELSE m END AS v1, x2/CASE WHEN m = 0 THEN 1 ELSE m END AS v2, x3/CASE WHEN m = 0 THEN 1 ELSE m END AS v3
FROM (SELECT c0, c1, ok, x0, x1, x2, x3, sqrt((x0*x0+x1*x1+x2*x2+x3*x3)) AS m
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0.707106781 ELSE error('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''') END AS ok, CAST("a" AS DOUBLE) AS x0, CAST("b" AS DOUBLE) AS x1, CAST("it's c" AS DOUBLE) AS x2, CAST("d ""quoted""" AS DOUBLE) AS x3
FROM "shop"."images") s) s) s) s

-- ======== postgresql
SELECT c0 AS "id", c1 AS "label", CASE WHEN ok IS NOT NULL THEN ARRAY[CAST('0.707106781' AS double precision)*(w2-w1),CAST('0.707106781' AS double precision)*(w0-w2)] END AS z
FROM (SELECT c0, c1, ok, v0+v1 AS w0, v0-v1 AS w1, v2+v3 AS w2
FROM (SELECT c0, c1, ok, x0/CASE WHEN m = 0 THEN 1 ELSE m END AS v0, x1/CASE WHEN m = 0 THEN 1 ELSE m END AS v1, x2/CASE WHEN m = 0 THEN 1 ELSE m END AS v2, x3/CASE WHEN m = 0 THEN 1 ELSE m END AS v3
FROM (SELECT c0, c1, ok, x0, x1, x2, x3, sqrt((x0*x0+x1*x1+x2*x2+x3*x3)) AS m
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN CAST('0.707106781' AS double precision) ELSE CAST('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''' || left(CAST(clock_timestamp() AS text), 0) AS bigint) END AS ok, CAST("a" AS double precision) AS x0, CAST("b" AS double precision) AS x1, CAST("it's c" AS double precision) AS x2, CAST("d ""quoted""" AS double precision) AS x3
FROM "shop"."images" OFFSET '0') s OFFSET '0') s OFFSET '0') s OFFSET '0') s

-- ======== sqlite
-- UnsupportedError: output = 'array' is not supported: sqlite has no arrays; use 'columns' or 'long'

-- ======== mariadb
-- UnsupportedError: output = 'array' is not supported: mariadb has no arrays; use 'columns' or 'long'

-- ======== mysql
-- UnsupportedError: output = 'array' is not supported: mysql has no arrays; use 'columns' or 'long'

-- ======== clickhouse
SELECT c0 AS `id`, c1 AS `label`, arrayMap(e -> e + 0 * ok, [0.707106781*(w2-w1),0.707106781*(w0-w2)]) AS z
FROM (SELECT c0, c1, ok, v0+v1 AS w0, v0-v1 AS w1, v2+v3 AS w2
FROM (SELECT c0, c1, ok, x0/CASE WHEN m = 0 THEN 1 ELSE m END AS v0, x1/CASE WHEN m = 0 THEN 1 ELSE m END AS v1, x2/CASE WHEN m = 0 THEN 1 ELSE m END AS v2, x3/CASE WHEN m = 0 THEN 1 ELSE m END AS v3
FROM (SELECT c0, c1, ok, x0, x1, x2, x3, sqrt((x0*x0+x1*x1+x2*x2+x3*x3)) AS m
FROM (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0.707106781 ELSE throwIf(1, 'sqlrp: a feature is NULL and nulls = \'error\': clean the row, or use nulls = \'zero\' or \'propagate\'') END AS ok, CAST(`a` AS Float64) AS x0, CAST(`b` AS Float64) AS x1, CAST(`it's c` AS Float64) AS x2, CAST(`d "quoted"` AS Float64) AS x3
FROM `shop`.`images`) s) s) s) s
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760

-- ======== spark, databricks
SELECT c0 AS `id`, c1 AS `label`, CASE WHEN ok IS NOT NULL THEN array(0.707106781*(w2-w1),0.707106781*(w0-w2)) END AS z
FROM (SELECT c0, c1, ok, v0+v1 AS w0, v0-v1 AS w1, v2+v3 AS w2
FROM (SELECT c0, c1, ok, x0/CASE WHEN m = 0 THEN 1 ELSE m END AS v0, x1/CASE WHEN m = 0 THEN 1 ELSE m END AS v1, x2/CASE WHEN m = 0 THEN 1 ELSE m END AS v2, x3/CASE WHEN m = 0 THEN 1 ELSE m END AS v3
FROM (SELECT c0, c1, ok, x0, x1, x2, x3, sqrt((x0*x0+x1*x1+x2*x2+x3*x3)) AS m
FROM (SELECT `id` AS c0, `label` AS c1, CAST(`a` AS DOUBLE) AS x0, CAST(`b` AS DOUBLE) AS x1, CAST(`it's c` AS DOUBLE) AS x2, CAST(`d "quoted"` AS DOUBLE) AS x3, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0.707106781 ELSE raise_error('sqlrp: a feature is NULL and nulls = \'error\': clean the row, or use nulls = \'zero\' or \'propagate\'') END AS ok
FROM `shop`.`images`) s) s) s) s

-- ======== snowflake
SELECT c0 AS "id", c1 AS "label", CASE WHEN ok IS NOT NULL THEN ARRAY_CONSTRUCT(0.707106781*(w2-w1), 0.707106781*(w0-w2)) END AS z
FROM (SELECT c0, c1, ok, v0+v1 AS w0, v0-v1 AS w1, v2+v3 AS w2
FROM (SELECT c0, c1, ok, x0/CASE WHEN m = 0 THEN 1 ELSE m END AS v0, x1/CASE WHEN m = 0 THEN 1 ELSE m END AS v1, x2/CASE WHEN m = 0 THEN 1 ELSE m END AS v2, x3/CASE WHEN m = 0 THEN 1 ELSE m END AS v3
FROM (SELECT c0, c1, ok, x0, x1, x2, x3, sqrt((x0*x0+x1*x1+x2*x2+x3*x3)) AS m
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0.707106781 ELSE CAST(concat('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''', substr(CAST(CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 1 ELSE 0 END AS VARCHAR), 1, 0)) AS BIGINT) END AS ok, CAST("a" AS DOUBLE) AS x0, CAST("b" AS DOUBLE) AS x1, CAST("it's c" AS DOUBLE) AS x2, CAST("d ""quoted""" AS DOUBLE) AS x3
FROM "shop"."images") s) s) s) s

-- ======== bigquery
SELECT c0 AS `id`, c1 AS `label`, CASE WHEN ok IS NOT NULL THEN ARRAY[0.707106781*(w2-w1), 0.707106781*(w0-w2)] END AS z
FROM (SELECT c0, c1, ok, v0+v1 AS w0, v0-v1 AS w1, v2+v3 AS w2
FROM (SELECT c0, c1, ok, x0/CASE WHEN m = 0 THEN 1 ELSE m END AS v0, x1/CASE WHEN m = 0 THEN 1 ELSE m END AS v1, x2/CASE WHEN m = 0 THEN 1 ELSE m END AS v2, x3/CASE WHEN m = 0 THEN 1 ELSE m END AS v3
FROM (SELECT c0, c1, ok, x0, x1, x2, x3, sqrt((x0*x0+x1*x1+x2*x2+x3*x3)) AS m
FROM (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0.707106781 ELSE ERROR('sqlrp: a feature is NULL and nulls = \'error\': clean the row, or use nulls = \'zero\' or \'propagate\'') END AS ok, CAST(`a` AS FLOAT64) AS x0, CAST(`b` AS FLOAT64) AS x1, CAST(`it's c` AS FLOAT64) AS x2, CAST(`d "quoted"` AS FLOAT64) AS x3
FROM `shop`.`images`) s) s) s) s

-- ======== redshift
SELECT c0 AS "id", c1 AS "label", CASE WHEN ok IS NOT NULL THEN ARRAY(CAST('0.707106781' AS DOUBLE PRECISION)*(w2-w1), CAST('0.707106781' AS DOUBLE PRECISION)*(w0-w2)) END AS z
FROM (SELECT c0, c1, ok, v0+v1 AS w0, v0-v1 AS w1, v2+v3 AS w2
FROM (SELECT c0, c1, ok, x0/CASE WHEN m = 0 THEN 1 ELSE m END AS v0, x1/CASE WHEN m = 0 THEN 1 ELSE m END AS v1, x2/CASE WHEN m = 0 THEN 1 ELSE m END AS v2, x3/CASE WHEN m = 0 THEN 1 ELSE m END AS v3
FROM (SELECT c0, c1, ok, x0, x1, x2, x3, sqrt((x0*x0+x1*x1+x2*x2+x3*x3)) AS m
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN CAST('0.707106781' AS DOUBLE PRECISION) ELSE CAST(concat('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''', substr(CAST(CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 1 ELSE 0 END AS VARCHAR), 1, 0)) AS BIGINT) END AS ok, CAST("a" AS DOUBLE PRECISION) AS x0, CAST("b" AS DOUBLE PRECISION) AS x1, CAST("it's c" AS DOUBLE PRECISION) AS x2, CAST("d ""quoted""" AS DOUBLE PRECISION) AS x3
FROM "shop"."images") s) s) s) s

-- ======== trino
SELECT c0 AS "id", c1 AS "label", CASE WHEN ok IS NOT NULL THEN ARRAY[0.707106781*(w2-w1), 0.707106781*(w0-w2)] END AS z
FROM (SELECT c0, c1, ok, v0+v1 AS w0, v0-v1 AS w1, v2+v3 AS w2
FROM (SELECT c0, c1, ok, x0/CASE WHEN m = 0 THEN 1 ELSE m END AS v0, x1/CASE WHEN m = 0 THEN 1 ELSE m END AS v1, x2/CASE WHEN m = 0 THEN 1 ELSE m END AS v2, x3/CASE WHEN m = 0 THEN 1 ELSE m END AS v3
FROM (SELECT c0, c1, ok, x0, x1, x2, x3, sqrt((x0*x0+x1*x1+x2*x2+x3*x3)) AS m
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0.707106781 ELSE CAST(concat('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''', substr(CAST(CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 1 ELSE 0 END AS VARCHAR), 1, 0)) AS BIGINT) END AS ok, CAST("a" AS DOUBLE) AS x0, CAST("b" AS DOUBLE) AS x1, CAST("it's c" AS DOUBLE) AS x2, CAST("d ""quoted""" AS DOUBLE) AS x3
FROM "shop"."images") s) s) s) s

-- ======== sqlserver
SELECT c0 AS [id], c1 AS [label], CASE WHEN ok IS NOT NULL THEN CONCAT(CAST('[' AS VARCHAR(MAX)), CONCAT_WS(',', CONVERT(VARCHAR(30), 0.707106781*(w2-w1), 3), CONVERT(VARCHAR(30), 0.707106781*(w0-w2), 3)), ']') END AS z
FROM (SELECT c0, c1, ok, v0+v1 AS w0, v0-v1 AS w1, v2+v3 AS w2
FROM (SELECT c0, c1, ok, x0/CASE WHEN m = 0 THEN 1 ELSE m END AS v0, x1/CASE WHEN m = 0 THEN 1 ELSE m END AS v1, x2/CASE WHEN m = 0 THEN 1 ELSE m END AS v2, x3/CASE WHEN m = 0 THEN 1 ELSE m END AS v3
FROM (SELECT c0, c1, ok, x0, x1, x2, x3, sqrt((x0*x0+x1*x1+x2*x2+x3*x3)) AS m
FROM (SELECT [id] AS c0, [label] AS c1, CASE WHEN ([a] IS NOT NULL AND [b] IS NOT NULL AND [it's c] IS NOT NULL AND [d "quoted"] IS NOT NULL) THEN 0.707106781 ELSE CAST(CONCAT('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''', LEFT(CAST(NEWID() AS VARCHAR(36)), 0)) AS BIGINT) END AS ok, CAST([a] AS FLOAT) AS x0, CAST([b] AS FLOAT) AS x1, CAST([it's c] AS FLOAT) AS x2, CAST([d "quoted"] AS FLOAT) AS x3
FROM [shop].[images]) s) s) s) s

-- ======== oracle
-- SourceError: name 'd "quoted"' holds a double quote, which oracle refuses: rename

-- ======== generic
-- UnsupportedError: output = 'array' is not supported: generic has no arrays; use 'columns' or 'long'
