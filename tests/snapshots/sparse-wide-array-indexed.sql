-- SparseProjection(k=3, s=2, seed=1)
-- wide rows of doubles; output = 'array', nulls = 'zero', scale = True, lowering = 'indexed'

-- ======== duckdb
WITH lists AS MATERIALIZED (SELECT list_transform(string_split(concat(';1,2;', t), ';'), lambda e: CASE WHEN e = '' THEN [] ELSE CAST(string_split(e, ',') AS INTEGER[]) END) AS l0, list_transform(string_split(concat('2,3,4;;2', t), ';'), lambda e: CASE WHEN e = '' THEN [] ELSE CAST(string_split(e, ',') AS INTEGER[]) END) AS l1 FROM (VALUES ('')) v(t))
SELECT c0 AS "id", c1 AS "label", CAST(list_transform(x, lambda e: 0.816496581*e) AS DOUBLE[3]) AS z
FROM (SELECT c0, c1, list_transform(l0, lambda v, i: CAST((coalesce(list_sum(list_select(x, v)), 0) - coalesce(list_sum(list_select(x, l1[i])), 0)) AS DOUBLE)) AS x
FROM (SELECT "id" AS c0, "label" AS c1, [coalesce(CAST("a" AS DOUBLE),0.0e0), coalesce(CAST("b" AS DOUBLE),0.0e0), coalesce(CAST("it's c" AS DOUBLE),0.0e0), coalesce(CAST("d ""quoted""" AS DOUBLE),0.0e0)] AS x
FROM "shop"."images") s CROSS JOIN (SELECT l0, l1 FROM lists) l0) s

-- ======== postgresql
-- UnsupportedError: lowering = 'indexed' is not supported here: postgresql has no indexed lowering; use lowering = 'auto'

-- ======== sqlite
-- UnsupportedError: output = 'array' is not supported: sqlite has no arrays; use 'columns' or 'long'

-- ======== mariadb
-- UnsupportedError: output = 'array' is not supported: mariadb has no arrays; use 'columns' or 'long'

-- ======== mysql
-- UnsupportedError: output = 'array' is not supported: mysql has no arrays; use 'columns' or 'long'

-- ======== clickhouse
WITH (SELECT arrayMap((p, v) -> arrayMap(i -> v[indexOf(p, i)], range(1, 5)), CAST('[[2,3,4],[1,2],[2]]' AS Array(Array(Int32))), CAST('[[-1,-1,-1],[1,1],[-1]]' AS Array(Array(Float64))))) AS l0,
(SELECT CAST('[[-1,-1,-1],[1,1],[-1]]' AS Array(Array(Float64)))) AS l1,
(SELECT CAST('[[2,3,4],[1,2],[2]]' AS Array(Array(Int32)))) AS l2
SELECT c0 AS `id`, c1 AS `label`, arrayMap(e -> 0.816496581*e, x) AS z
FROM (SELECT c0, c1, if(isFinite(arraySum(x)), [arrayDotProduct(x, l0[1]), arrayDotProduct(x, l0[2]), arrayDotProduct(x, l0[3])], arrayMap((p, v) -> arraySum(arrayMap((i, w) -> w * x[i], p, v)), l2, l1)) AS x
FROM (SELECT c0, c1, arrayMap(e -> coalesce(e, 0.0e0), x) AS x
FROM (SELECT `id` AS c0, `label` AS c1, [coalesce(CAST(`a` AS Float64),0.0e0),coalesce(CAST(`b` AS Float64),0.0e0),coalesce(CAST(`it's c` AS Float64),0.0e0),coalesce(CAST(`d "quoted"` AS Float64),0.0e0)] AS x
FROM `shop`.`images`) s) s) s
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760, max_block_size = 25000

-- ======== spark
WITH lists AS (SELECT from_json('[[],[0,1],[]]', 'ARRAY<ARRAY<INT>>') AS l0, from_json('[[1,2,3],[],[1]]', 'ARRAY<ARRAY<INT>>') AS l1)
SELECT c0 AS `id`, c1 AS `label`, transform(x, e -> 0.816496581*e) AS z
FROM (SELECT c0, c1, transform(map_values(map_filter(map(0, l0), (a, b) -> true))[0], (v, i) -> aggregate(v, CAST(0 AS DOUBLE), (total, j) -> total + x[j]) - aggregate(l1[i], CAST(0 AS DOUBLE), (total, j) -> total + x[j])) AS x
FROM (SELECT `id` AS c0, `label` AS c1, array(coalesce(CAST(`a` AS DOUBLE),0.0e0),coalesce(CAST(`b` AS DOUBLE),0.0e0),coalesce(CAST(`it's c` AS DOUBLE),0.0e0),coalesce(CAST(`d "quoted"` AS DOUBLE),0.0e0)) AS x
FROM `shop`.`images`) s CROSS JOIN (SELECT l0, l1 FROM lists) l0) s

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
-- UnsupportedError: output = 'array' is not supported: generic has no arrays; use 'columns' or 'long'
