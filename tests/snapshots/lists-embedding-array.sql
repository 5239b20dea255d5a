-- SparseEmbedding(k=4, seed=1, nnz_per_feature=2, buckets=1)
-- array rows of integers of 8 bits; output = 'array', scale = False, lowering = 'indexed'

-- ======== duckdb
WITH lists AS MATERIALIZED (SELECT list_transform(string_split(concat('4;1;;1,4', t), ';'), lambda e: CASE WHEN e = '' THEN [] ELSE CAST(string_split(e, ',') AS INTEGER[]) END) AS l0, list_transform(string_split(concat('2,3;;2;3', t), ';'), lambda e: CASE WHEN e = '' THEN [] ELSE CAST(string_split(e, ',') AS INTEGER[]) END) AS l1 FROM (VALUES ('')) v(t))
SELECT c0 AS "id", CAST(CASE WHEN ok IS NOT NULL THEN x END AS INTEGER[4]) AS z
FROM (SELECT c0, ok, list_transform(l0, lambda v, i: CAST((coalesce(list_sum(list_select(x, v)), 0) - coalesce(list_sum(list_select(x, l1[i])), 0)) AS INTEGER)) AS x
FROM (SELECT c0, CASE WHEN a IS NOT NULL AND list_position(a, NULL) IS NULL THEN 0 END AS ok, CAST(a AS INTEGER[]) AS x
FROM (SELECT "id" AS c0, "embedding" AS a FROM "documents") s) s CROSS JOIN (SELECT l0, l1 FROM lists) l0) s

-- ======== postgresql
-- UnsupportedError: lowering = 'indexed' is not supported here: postgresql has no indexed lowering; use lowering = 'auto'

-- ======== sqlite
-- UnsupportedError: sqlite has no array columns, so Array(…) is not supported: use Wide(…) or Long(…); of texts such as '[0.1, 0.2]', Long(…) reads the view SELECT t.`id`, CAST(j.key AS INTEGER) AS feature, CAST(j.value AS REAL) AS value FROM `documents` t, json_each(t.`embedding`) j

-- ======== mariadb
-- UnsupportedError: mariadb has no array columns, so Array(…) is not supported: use Wide(…) or Long(…); of texts such as '[0.1, 0.2]', Long(…) reads the view SELECT t.`id`, j.feature - 1 AS feature, j.value FROM `documents` t, JSON_TABLE(t.`embedding`, '$[*]' COLUMNS (feature FOR ORDINALITY, value DOUBLE PATH '$')) j

-- ======== mysql
-- UnsupportedError: mysql has no array columns, so Array(…) is not supported: use Wide(…) or Long(…); of texts such as '[0.1, 0.2]', Long(…) reads the view SELECT t.`id`, j.feature - 1 AS feature, j.value FROM `documents` t, JSON_TABLE(t.`embedding`, '$[*]' COLUMNS (feature FOR ORDINALITY, value DOUBLE PATH '$')) j

-- ======== clickhouse
WITH (SELECT CAST('[[0,-1,-1,1],[1,0,0,0],[0,-1,0,0],[1,0,-1,1]]' AS Array(Array(Int64)))) AS l0
SELECT c0 AS `id`, arrayMap(e -> e + 0 * ok, x) AS z
FROM (SELECT c0, ok, [arrayDotProduct(x, l0[1]), arrayDotProduct(x, l0[2]), arrayDotProduct(x, l0[3]), arrayDotProduct(x, l0[4])] AS x
FROM (SELECT c0, ok, arrayMap(e -> coalesce(e, 0), x) AS x
FROM (SELECT c0, CASE WHEN NOT arrayExists(e -> e IS NULL, a) THEN 0 END AS ok, arrayMap(e -> CAST(e AS Int64), a) AS x
FROM (SELECT `id` AS c0, `embedding` AS a FROM `documents`) s) s) s) s
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760, max_block_size = 25000

-- ======== spark
WITH lists AS (SELECT from_json('[[3],[0],[],[0,3]]', 'ARRAY<ARRAY<INT>>') AS l0, from_json('[[1,2],[],[1],[2]]', 'ARRAY<ARRAY<INT>>') AS l1)
SELECT c0 AS `id`, CASE WHEN ok IS NOT NULL THEN x END AS z
FROM (SELECT c0, ok, transform(map_values(map_filter(map(0, l0), (a, b) -> true))[0], (v, i) -> aggregate(v, CAST(0 AS INT), (total, j) -> total + x[j]) - aggregate(l1[i], CAST(0 AS INT), (total, j) -> total + x[j])) AS x
FROM (SELECT c0, CASE WHEN (a IS NOT NULL AND NOT exists(a, e -> e IS NULL)) THEN 0 END AS ok, CAST(a AS ARRAY<INT>) AS x
FROM (SELECT `id` AS c0, `embedding` AS a FROM `documents`) s) s CROSS JOIN (SELECT l0, l1 FROM lists) l0) s

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
