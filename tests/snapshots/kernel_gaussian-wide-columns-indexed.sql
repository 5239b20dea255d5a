-- KernelGaussianProjection(k=2, seed=0, state='eNoL8GZm0WWAAEWGztbpzP+hgJdBhCEnMS8lN7E…hkI1wJpQ2YQDwBmLdiE', sample=4, degree=2, c=0.0, kernel_name='polynomial', gamma=None, t=2, variant='gaussian', bound_to=4)
-- wide rows of decimals; output = 'columns', nulls = 'error', scale = True, lowering = 'indexed'

-- ======== duckdb
WITH lists AS MATERIALIZED (SELECT list_transform(string_split(concat('1.0,2.0,-1.0;3.0,1.0,1.0;2.0,-1.0,1.0;1.0,1.0,-2.0;1.0,1.0,3.0', t), ';'), lambda e: CASE WHEN e = '' THEN [] ELSE CAST(string_split(e, ',') AS DOUBLE[]) END) AS l0, list_transform(string_split(concat('1,3,4;2,3,4;1,2,4;1,2,3;2,3,4', t), ';'), lambda e: CASE WHEN e = '' THEN [] ELSE CAST(string_split(e, ',') AS INTEGER[]) END) AS l1, list_transform(string_split(concat('-0.059,0.066,0.103,-0.059,-0.052;-0.035,0.056,-0.042,-0.035,0.056', t), ';'), lambda e: CASE WHEN e = '' THEN [] ELSE CAST(string_split(e, ',') AS DOUBLE[]) END) AS l2 FROM (VALUES ('')) v(t))
SELECT c0 AS "id", c1 AS "label", x[1]+ok AS z0, x[2]+ok AS z1
FROM (SELECT c0, c1, ok, list_transform(l2, lambda w: list_dot_product(x, w)) AS x
FROM (SELECT c0, c1, ok, list_transform(list_transform(x, lambda e: (e+0.0e0)), lambda e: e*e) AS x
FROM (SELECT c0, c1, ok, list_transform(l0, lambda w, i: coalesce(list_dot_product(list_select(x, l1[i]), w), 0)) AS x
FROM (SELECT c0, c1, ok, list_transform(coalesce(x, list_resize(CAST([] AS DOUBLE[]), 4, 0.0e0)), lambda e: coalesce(e, 0.0e0)) AS x
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 ELSE error('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''') END AS ok, [CAST("a" AS DOUBLE), CAST("b" AS DOUBLE), CAST("it's c" AS DOUBLE), CAST("d ""quoted""" AS DOUBLE)] AS x
FROM "shop"."images") s) s CROSS JOIN (SELECT l0, l1 FROM lists) l0) s) s CROSS JOIN (SELECT l2 FROM lists) l2) s

-- ======== postgresql
-- UnsupportedError: lowering = 'indexed' is not supported here: postgresql has no indexed lowering; use lowering = 'auto'

-- ======== sqlite
-- UnsupportedError: lowering = 'indexed' is not supported here: sqlite has no indexed lowering; use lowering = 'auto'

-- ======== mariadb
-- UnsupportedError: lowering = 'indexed' is not supported here: mariadb has no indexed lowering; use lowering = 'auto'

-- ======== mysql
-- UnsupportedError: lowering = 'indexed' is not supported here: mysql has no indexed lowering; use lowering = 'auto'

-- ======== clickhouse
WITH (SELECT arrayMap((p, v) -> arrayMap(i -> v[indexOf(p, i)], range(1, 5)), CAST('[[1,3,4],[2,3,4],[1,2,4],[1,2,3],[2,3,4]]' AS Array(Array(Int32))), CAST('[[1.0,2.0,-1.0],[3.0,1.0,1.0],[2.0,-1.0,1.0],[1.0,1.0,-2.0],[1.0,1.0,3.0]]' AS Array(Array(Float64))))) AS l0,
(SELECT CAST('[[1.0,2.0,-1.0],[3.0,1.0,1.0],[2.0,-1.0,1.0],[1.0,1.0,-2.0],[1.0,1.0,3.0]]' AS Array(Array(Float64)))) AS l1,
(SELECT CAST('[[1,3,4],[2,3,4],[1,2,4],[1,2,3],[2,3,4]]' AS Array(Array(Int32)))) AS l2,
(SELECT CAST('[[-0.059,0.066,0.103,-0.059,-0.052],[-0.035,0.056,-0.042,-0.035,0.056]]' AS Array(Array(Float64)))) AS l3
SELECT c0 AS `id`, c1 AS `label`, x[1]+ok AS z0, x[2]+ok AS z1
FROM (SELECT c0, c1, ok, [arrayDotProduct(x, l3[1]), arrayDotProduct(x, l3[2])] AS x
FROM (SELECT c0, c1, ok, arrayMap(e -> e*e, arrayMap(e -> (e+0.0e0), x)) AS x
FROM (SELECT c0, c1, ok, if(isFinite(arraySum(x)), [arrayDotProduct(x, l0[1]), arrayDotProduct(x, l0[2]), arrayDotProduct(x, l0[3]), arrayDotProduct(x, l0[4]), arrayDotProduct(x, l0[5])], arrayMap((p, v) -> arraySum(arrayMap((i, w) -> w * x[i], p, v)), l2, l1)) AS x
FROM (SELECT c0, c1, ok, arrayMap(e -> coalesce(e, 0.0e0), x) AS x
FROM (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 ELSE throwIf(1, 'sqlrp: a feature is NULL and nulls = \'error\': clean the row, or use nulls = \'zero\' or \'propagate\'') END AS ok, [CAST(`a` AS Float64),CAST(`b` AS Float64),CAST(`it's c` AS Float64),CAST(`d "quoted"` AS Float64)] AS x
FROM `shop`.`images`) s) s) s) s) s
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
