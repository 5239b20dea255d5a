-- BilinearPooling(k=2, s=1, seed=1, p=None, t=1, normalise=False, split=None)
-- array rows of integers of 8 bits; output = 'columns', nulls = 'zero', scale = True, lowering = 'indexed'

-- ======== duckdb
WITH lists AS MATERIALIZED (SELECT list_transform(string_split(concat('2,3,4;1,2;2;1', t), ';'), lambda e: CASE WHEN e = '' THEN [] ELSE CAST(string_split(e, ',') AS INTEGER[]) END) AS l0, list_transform(string_split(concat('1;3,4;1,3,4;2,3,4', t), ';'), lambda e: CASE WHEN e = '' THEN [] ELSE CAST(string_split(e, ',') AS INTEGER[]) END) AS l1, list_transform(string_split(concat('4,1;3,2', t), ';'), lambda e: CASE WHEN e = '' THEN [] ELSE CAST(string_split(e, ',') AS INTEGER[]) END) AS l2 FROM (VALUES ('')) v(t))
SELECT c0 AS "id", 0.707106781*y0 AS z0, 0.707106781*y1 AS z1
FROM (SELECT c0, CAST(SUM(x[1]) AS DOUBLE) AS y0, CAST(SUM(x[2]) AS DOUBLE) AS y1
FROM (SELECT c0, list_transform(l2, lambda v: CAST(list_sum(list_transform(range(0, len(v), 2), lambda i: CAST(x[v[i + 1]] AS DOUBLE)*CAST(x[v[i + 2]] AS DOUBLE))) AS DOUBLE)) AS x
FROM (SELECT c0, list_transform(l0, lambda v, i: CAST((coalesce(list_sum(list_select(x, v)), 0) - coalesce(list_sum(list_select(x, l1[i])), 0)) AS INTEGER)) AS x
FROM (SELECT c0, coalesce(CAST(a AS INTEGER[]), list_resize(CAST([] AS INTEGER[]), 4, 0)) AS x
FROM (SELECT "id" AS c0, "embedding" AS a FROM "documents") s) s CROSS JOIN (SELECT l0, l1 FROM lists) l0) s CROSS JOIN (SELECT l2 FROM lists) l2) s GROUP BY c0) s

-- ======== postgresql
-- UnsupportedError: lowering = 'indexed' is not supported here: postgresql has no indexed lowering; use lowering = 'auto'

-- ======== sqlite
-- UnsupportedError: sqlite has no array columns, so Array(…) is not supported: use Wide(…) or Long(…); of texts such as '[0.1, 0.2]', Long(…) reads the view SELECT t.`id`, CAST(j.key AS INTEGER) AS feature, CAST(j.value AS REAL) AS value FROM `documents` t, json_each(t.`embedding`) j

-- ======== mariadb
-- UnsupportedError: mariadb has no array columns, so Array(…) is not supported: use Wide(…) or Long(…); of texts such as '[0.1, 0.2]', Long(…) reads the view SELECT t.`id`, j.feature - 1 AS feature, j.value FROM `documents` t, JSON_TABLE(t.`embedding`, '$[*]' COLUMNS (feature FOR ORDINALITY, value DOUBLE PATH '$')) j

-- ======== mysql
-- UnsupportedError: mysql has no array columns, so Array(…) is not supported: use Wide(…) or Long(…); of texts such as '[0.1, 0.2]', Long(…) reads the view SELECT t.`id`, j.feature - 1 AS feature, j.value FROM `documents` t, JSON_TABLE(t.`embedding`, '$[*]' COLUMNS (feature FOR ORDINALITY, value DOUBLE PATH '$')) j

-- ======== clickhouse
WITH (SELECT CAST('[[-1,1,1,1],[1,1,-1,-1],[-1,1,-1,-1],[1,-1,-1,-1]]' AS Array(Array(Int64)))) AS l0
SELECT c0 AS `id`, 0.707106781*y0 AS z0, 0.707106781*y1 AS z1
FROM (SELECT c0, CAST(SUM(x[1]) AS Float64) AS y0, CAST(SUM(x[2]) AS Float64) AS y1
FROM (SELECT c0, [x[4]*x[1],x[3]*x[2]] AS x
FROM (SELECT c0, arrayMap(e -> CAST(e AS Float64), x) AS x
FROM (SELECT c0, [arrayDotProduct(x, l0[1]), arrayDotProduct(x, l0[2]), arrayDotProduct(x, l0[3]), arrayDotProduct(x, l0[4])] AS x
FROM (SELECT c0, arrayMap(e -> coalesce(e, 0), x) AS x
FROM (SELECT c0, arrayMap(e -> CAST(e AS Int64), a) AS x
FROM (SELECT `id` AS c0, `embedding` AS a FROM `documents`) s) s) s) s) s) s GROUP BY c0) s
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760, max_block_size = 25000

-- ======== spark
WITH lists AS (SELECT from_json('[[1,2,3],[0,1],[1],[0]]', 'ARRAY<ARRAY<INT>>') AS l0, from_json('[[0],[2,3],[0,2,3],[1,2,3]]', 'ARRAY<ARRAY<INT>>') AS l1, from_json('[[3,0],[2,1]]', 'ARRAY<ARRAY<INT>>') AS l2)
SELECT c0 AS `id`, 0.707106781*y0 AS z0, 0.707106781*y1 AS z1
FROM (SELECT c0, CAST(SUM(x[0]) AS DOUBLE) AS y0, CAST(SUM(x[1]) AS DOUBLE) AS y1
FROM (SELECT c0, transform(map_values(map_filter(map(0, l2), (a, b) -> true))[0], v -> aggregate(sequence(0, size(v) - 1, 2), CAST(0 AS DOUBLE), (total, i) -> total + CAST(x[v[i + 0]] AS DOUBLE)*CAST(x[v[i + 1]] AS DOUBLE))) AS x
FROM (SELECT c0, transform(map_values(map_filter(map(0, l0), (a, b) -> true))[0], (v, i) -> aggregate(v, CAST(0 AS INT), (total, j) -> total + x[j]) - aggregate(l1[i], CAST(0 AS INT), (total, j) -> total + x[j])) AS x
FROM (SELECT c0, coalesce(transform(CAST(a AS ARRAY<INT>), e -> coalesce(e, CAST(0 AS INT))), array_repeat(CAST(0 AS INT), 4)) AS x
FROM (SELECT `id` AS c0, `embedding` AS a FROM `documents`) s) s CROSS JOIN (SELECT l0, l1 FROM lists) l0) s CROSS JOIN (SELECT l2 FROM lists) l2) s GROUP BY c0) s

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
