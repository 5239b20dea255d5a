-- WhitenedComponents(k=2, seed=0, state='eNoL8GZm0WWAAEWG7Etb4/9DATeDCEN5amZ6Rkm…XAZkF7FBOIBAOU81Ro=', sample=5, bound_to=4)
-- wide rows of decimals; output = 'columns', nulls = 'zero', scale = True, lowering = 'indexed'

-- ======== duckdb
WITH lists AS MATERIALIZED (SELECT list_transform(string_split(concat('-0.238,0.369,0.165,0.291,-0.404;-0.157,0.629,-0.157', t), ';'), lambda e: CASE WHEN e = '' THEN [] ELSE CAST(string_split(e, ',') AS DOUBLE[]) END) AS l0, list_transform(string_split(concat('1,2,3,4,5;2,3,4', t), ';'), lambda e: CASE WHEN e = '' THEN [] ELSE CAST(string_split(e, ',') AS INTEGER[]) END) AS l1 FROM (VALUES ('')) v(t))
SELECT c0 AS "id", c1 AS "label", x[1] AS z0, x[2] AS z1
FROM (SELECT c0, c1, list_transform(l0, lambda w, i: coalesce(list_dot_product(list_select(x, l1[i]), w), 0)) AS x
FROM (SELECT c0, c1, list_append(x, 1.0e0) AS x
FROM (SELECT c0, c1, list_transform(coalesce(x, list_resize(CAST([] AS DOUBLE[]), 4, 0.0e0)), lambda e: coalesce(e, 0.0e0)) AS x
FROM (SELECT "id" AS c0, "label" AS c1, [coalesce(CAST("a" AS DOUBLE),0.0e0), coalesce(CAST("b" AS DOUBLE),0.0e0), coalesce(CAST("it's c" AS DOUBLE),0.0e0), coalesce(CAST("d ""quoted""" AS DOUBLE),0.0e0)] AS x
FROM "shop"."images") s) s) s CROSS JOIN (SELECT l0, l1 FROM lists) l0) s

-- ======== postgresql
-- UnsupportedError: lowering = 'indexed' is not supported here: postgresql has no indexed lowering; use lowering = 'auto'

-- ======== sqlite
-- UnsupportedError: lowering = 'indexed' is not supported here: sqlite has no indexed lowering; use lowering = 'auto'

-- ======== mariadb
-- UnsupportedError: lowering = 'indexed' is not supported here: mariadb has no indexed lowering; use lowering = 'auto'

-- ======== mysql
-- UnsupportedError: lowering = 'indexed' is not supported here: mysql has no indexed lowering; use lowering = 'auto'

-- ======== clickhouse
WITH (SELECT arrayMap((p, v) -> arrayMap(i -> v[indexOf(p, i)], range(1, 6)), CAST('[[1,2,3,4,5],[2,3,4]]' AS Array(Array(Int32))), CAST('[[-0.238,0.369,0.165,0.291,-0.404],[-0.157,0.629,-0.157]]' AS Array(Array(Float64))))) AS l0,
(SELECT CAST('[[-0.238,0.369,0.165,0.291,-0.404],[-0.157,0.629,-0.157]]' AS Array(Array(Float64)))) AS l1,
(SELECT CAST('[[1,2,3,4,5],[2,3,4]]' AS Array(Array(Int32)))) AS l2
SELECT c0 AS `id`, c1 AS `label`, x[1] AS z0, x[2] AS z1
FROM (SELECT c0, c1, if(isFinite(arraySum(x)), [arrayDotProduct(x, l0[1]), arrayDotProduct(x, l0[2])], arrayMap((p, v) -> arraySum(arrayMap((i, w) -> w * x[i], p, v)), l2, l1)) AS x
FROM (SELECT c0, c1, arrayPushBack(x, 1.0e0) AS x
FROM (SELECT c0, c1, arrayMap(e -> coalesce(e, 0.0e0), x) AS x
FROM (SELECT `id` AS c0, `label` AS c1, [coalesce(CAST(`a` AS Float64),0.0e0),coalesce(CAST(`b` AS Float64),0.0e0),coalesce(CAST(`it's c` AS Float64),0.0e0),coalesce(CAST(`d "quoted"` AS Float64),0.0e0)] AS x
FROM `shop`.`images`) s) s) s) s
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
