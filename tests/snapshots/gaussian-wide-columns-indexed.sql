-- GaussianProjection(k=2, seed=1)
-- wide rows of floats; output = 'columns', nulls = 'error', scale = True, lowering = 'indexed'

-- ======== duckdb
WITH lists AS MATERIALIZED (SELECT list_transform(string_split(concat('-1.4814588,-1.36465042,0.340491878,-0.0633549213;-1.15326517,1.66418794,-1.05451656,-0.0253829135', t), ';'), lambda e: CASE WHEN e = '' THEN [] ELSE CAST(string_split(e, ',') AS FLOAT[]) END) AS l0 FROM (VALUES ('')) v(t))
SELECT c0 AS "id", c1 AS "label", ok*x[1] AS z0, ok*x[2] AS z1
FROM (SELECT c0, c1, ok, list_transform(l0, lambda w: list_dot_product(x, w)) AS x
FROM (SELECT c0, c1, ok, list_transform(coalesce(x, list_resize(CAST([] AS FLOAT[]), 4, CAST(0.0e0 AS FLOAT))), lambda e: coalesce(e, CAST(0.0e0 AS FLOAT))) AS x
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN CAST(0.707106781 AS FLOAT) ELSE error('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''') END AS ok, [CAST("a" AS FLOAT), CAST("b" AS FLOAT), CAST("it's c" AS FLOAT), CAST("d ""quoted""" AS FLOAT)] AS x
FROM "shop"."images") s) s CROSS JOIN (SELECT l0 FROM lists) l0) s

-- ======== postgresql
-- UnsupportedError: lowering = 'indexed' is not supported here: postgresql has no indexed lowering; use lowering = 'auto'

-- ======== sqlite
-- UnsupportedError: lowering = 'indexed' is not supported here: sqlite has no indexed lowering; use lowering = 'auto'

-- ======== mariadb
-- UnsupportedError: lowering = 'indexed' is not supported here: mariadb has no indexed lowering; use lowering = 'auto'

-- ======== mysql
-- UnsupportedError: lowering = 'indexed' is not supported here: mysql has no indexed lowering; use lowering = 'auto'

-- ======== clickhouse
WITH (SELECT CAST('[[-1.4814588,-1.36465042,0.340491878,-0.0633549213],[-1.15326517,1.66418794,-1.05451656,-0.0253829135]]' AS Array(Array(Float64)))) AS l0
SELECT c0 AS `id`, c1 AS `label`, ok*x[1] AS z0, ok*x[2] AS z1
FROM (SELECT c0, c1, ok, [arrayDotProduct(x, l0[1]), arrayDotProduct(x, l0[2])] AS x
FROM (SELECT c0, c1, ok, arrayMap(e -> coalesce(e, CAST(0.0e0 AS Float64)), x) AS x
FROM (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN CAST(0.707106781 AS Float64) ELSE throwIf(1, 'sqlrp: a feature is NULL and nulls = \'error\': clean the row, or use nulls = \'zero\' or \'propagate\'') END AS ok, [CAST(`a` AS Float64),CAST(`b` AS Float64),CAST(`it's c` AS Float64),CAST(`d "quoted"` AS Float64)] AS x
FROM `shop`.`images`) s) s) s
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760, max_block_size = 25000

-- ======== spark
-- UnsupportedError: lowering = 'indexed' is not supported here: index lists hold signs, not weights; use lowering = 'auto'

-- ======== snowflake
-- UnsupportedError: lowering = 'indexed' is not supported here: snowflake has no indexed lowering; use lowering = 'auto'

-- ======== bigquery
-- UnsupportedError: lowering = 'indexed' is not supported here: bigquery has no indexed lowering; use lowering = 'auto'

-- ======== redshift
-- UnsupportedError: lowering = 'indexed' is not supported here: redshift has no indexed lowering; use lowering = 'auto'

-- ======== databricks
-- UnsupportedError: lowering = 'indexed' is not supported here: databricks has no indexed lowering; use lowering = 'auto'

-- ======== trino
-- UnsupportedError: lowering = 'indexed' is not supported here: trino has no indexed lowering; use lowering = 'auto'

-- ======== sqlserver
-- UnsupportedError: lowering = 'indexed' is not supported here: sqlserver has no indexed lowering; use lowering = 'auto'

-- ======== oracle
-- UnsupportedError: lowering = 'indexed' is not supported here: oracle has no indexed lowering; use lowering = 'auto'

-- ======== generic
-- UnsupportedError: lowering = 'indexed' is not supported here: generic has no indexed lowering; use lowering = 'auto'
