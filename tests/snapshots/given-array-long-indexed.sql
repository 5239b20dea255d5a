-- GivenProjection(k=2, state='eNoL8GZm0WWAAEWGtowrUv+hgJtBhKE8NTM9o6R…lVAup8JxAMAOt2wQQ==', bound_to=4)
-- array rows of integers of 8 bits; output = 'long', nulls = 'propagate', scale = True, lowering = 'indexed'

-- ======== duckdb
WITH lists AS MATERIALIZED (SELECT list_transform(string_split(concat('1.0,0.25,-0.5,1.5,1.0;0.5,-1.0,2.0,1.0,-2.0', t), ';'), lambda e: CASE WHEN e = '' THEN [] ELSE CAST(string_split(e, ',') AS DOUBLE[]) END) AS l0 FROM (VALUES ('')) v(t))
SELECT c0 AS "id", component, value+0*ok AS value
FROM (SELECT c0, ok, unnest(range(len(z))) AS component, unnest(z) AS value FROM (SELECT c0, CAST(list_transform(x, lambda e: 0.5e0*e) AS DOUBLE[2]) AS z, ok
FROM (SELECT c0, ok, list_transform(l0, lambda w: list_dot_product(x, w)) AS x
FROM (SELECT c0, ok, list_append(x, 1.0e0) AS x
FROM (SELECT c0, ok, list_transform(coalesce(x, list_resize(CAST([] AS DOUBLE[]), 4, 0.0e0)), lambda e: coalesce(e, 0.0e0)) AS x
FROM (SELECT c0, CASE WHEN a IS NOT NULL AND list_position(a, NULL) IS NULL THEN 0.5e0 END AS ok, CAST(a AS DOUBLE[]) AS x
FROM (SELECT "id" AS c0, "embedding" AS a FROM "documents") s) s) s) s CROSS JOIN (SELECT l0 FROM lists) l0) s) s) s

-- ======== postgresql
-- UnsupportedError: lowering = 'indexed' is not supported here: postgresql has no indexed lowering; use lowering = 'auto'

-- ======== sqlite
-- UnsupportedError: sqlite has no array columns, so Array(…) is not supported: use Wide(…) or Long(…); of texts such as '[0.1, 0.2]', Long(…) reads the view SELECT t.`id`, CAST(j.key AS INTEGER) AS feature, CAST(j.value AS REAL) AS value FROM `documents` t, json_each(t.`embedding`) j

-- ======== mariadb
-- UnsupportedError: mariadb has no array columns, so Array(…) is not supported: use Wide(…) or Long(…); of texts such as '[0.1, 0.2]', Long(…) reads the view SELECT t.`id`, j.feature - 1 AS feature, j.value FROM `documents` t, JSON_TABLE(t.`embedding`, '$[*]' COLUMNS (feature FOR ORDINALITY, value DOUBLE PATH '$')) j

-- ======== mysql
-- UnsupportedError: mysql has no array columns, so Array(…) is not supported: use Wide(…) or Long(…); of texts such as '[0.1, 0.2]', Long(…) reads the view SELECT t.`id`, j.feature - 1 AS feature, j.value FROM `documents` t, JSON_TABLE(t.`embedding`, '$[*]' COLUMNS (feature FOR ORDINALITY, value DOUBLE PATH '$')) j

-- ======== clickhouse
WITH (SELECT CAST('[[1.0,0.25,-0.5,1.5,1.0],[0.5,-1.0,2.0,1.0,-2.0]]' AS Array(Array(Float64)))) AS l0
SELECT c0 AS `id`, component, value+0*ok AS value
FROM (SELECT c0, ok, toInt64(o) - 1 AS component, e AS value
FROM (SELECT c0, arrayMap(e -> 0.5e0*e, x) AS z, ok
FROM (SELECT c0, ok, [arrayDotProduct(x, l0[1]), arrayDotProduct(x, l0[2])] AS x
FROM (SELECT c0, ok, arrayPushBack(x, 1.0e0) AS x
FROM (SELECT c0, ok, arrayMap(e -> coalesce(e, 0.0e0), x) AS x
FROM (SELECT c0, CASE WHEN NOT arrayExists(e -> e IS NULL, a) THEN 0.5e0 END AS ok, arrayMap(e -> CAST(e AS Float64), a) AS x
FROM (SELECT `id` AS c0, `embedding` AS a FROM `documents`) s) s) s) s) s) s ARRAY JOIN z AS e, arrayEnumerate(z) AS o) s
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
-- UnsupportedError: generic has no array columns, so Array(…) is not supported: use Wide(…) or Long(…)
