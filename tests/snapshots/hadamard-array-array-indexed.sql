-- HadamardProjection(k=3, seed=1, padding='power_of_two', replacement=False)
-- array rows of doubles; output = 'array', nulls = 'zero', scale = False, lowering = 'indexed'

-- ======== duckdb
WITH lists AS MATERIALIZED (SELECT list_transform(string_split(concat('2,3,4;3;4', t), ';'), lambda e: CASE WHEN e = '' THEN [] ELSE CAST(string_split(e, ',') AS INTEGER[]) END) AS l0, list_transform(string_split(concat('1;1,2,4;1,2,3', t), ';'), lambda e: CASE WHEN e = '' THEN [] ELSE CAST(string_split(e, ',') AS INTEGER[]) END) AS l1 FROM (VALUES ('')) v(t))
SELECT c0 AS "id", CAST(x AS DOUBLE[3]) AS z
FROM (SELECT c0, list_transform(l0, lambda v, i: CAST((coalesce(list_sum(list_select(x, v)), 0) - coalesce(list_sum(list_select(x, l1[i])), 0)) AS DOUBLE)) AS x
FROM (SELECT c0, coalesce(CAST(a AS DOUBLE[]), list_resize(CAST([] AS DOUBLE[]), 4, 0.0e0)) AS x
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
WITH (SELECT CAST('[[-1,1,1,1],[-1,-1,1,-1],[-1,-1,-1,1]]' AS Array(Array(Float64)))) AS l0
SELECT c0 AS `id`, x AS z
FROM (SELECT c0, [arrayDotProduct(x, l0[1]), arrayDotProduct(x, l0[2]), arrayDotProduct(x, l0[3])] AS x
FROM (SELECT c0, arrayMap(e -> coalesce(e, 0.0e0), x) AS x
FROM (SELECT c0, arrayMap(e -> CAST(e AS Float64), a) AS x
FROM (SELECT `id` AS c0, `embedding` AS a FROM `documents`) s) s) s) s
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760

-- ======== spark
WITH lists AS (SELECT from_json('[[1,2,3],[2],[3]]', 'ARRAY<ARRAY<INT>>') AS l0, from_json('[[0],[0,1,3],[0,1,2]]', 'ARRAY<ARRAY<INT>>') AS l1)
SELECT c0 AS `id`, x AS z
FROM (SELECT c0, transform(map_values(map_filter(map(0, l0), (a, b) -> true))[0], (v, i) -> aggregate(v, CAST(0 AS DOUBLE), (total, j) -> total + x[j]) - aggregate(l1[i], CAST(0 AS DOUBLE), (total, j) -> total + x[j])) AS x
FROM (SELECT c0, coalesce(transform(CAST(a AS ARRAY<DOUBLE>), e -> coalesce(e, CAST(0 AS DOUBLE))), array_repeat(CAST(0 AS DOUBLE), 4)) AS x
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
