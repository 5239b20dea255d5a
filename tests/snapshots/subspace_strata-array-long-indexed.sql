-- RandomSubspace(k=2, seed=1, densify=None, stratified=True)
-- array rows of decimals; output = 'long', nulls = 'propagate', scale = True, lowering = 'indexed'

-- ======== duckdb
WITH lists AS MATERIALIZED (SELECT list_transform(string_split(concat('2;4', t), ';'), lambda e: CASE WHEN e = '' THEN [] ELSE CAST(string_split(e, ',') AS INTEGER[]) END) AS l0, list_transform(string_split(concat(';', t), ';'), lambda e: CASE WHEN e = '' THEN [] ELSE CAST(string_split(e, ',') AS INTEGER[]) END) AS l1 FROM (VALUES ('')) v(t))
SELECT c0 AS "id", component, value+0*ok AS value
FROM (SELECT c0, ok, unnest(range(len(z))) AS component, unnest(z) AS value FROM (SELECT c0, CAST(list_transform(x, lambda e: 1.41421356*e) AS DOUBLE[2]) AS z, ok
FROM (SELECT c0, ok, list_transform(l0, lambda v, i: CAST((coalesce(list_sum(list_select(x, v)), 0) - coalesce(list_sum(list_select(x, l1[i])), 0)) AS DOUBLE)) AS x
FROM (SELECT c0, CASE WHEN a IS NOT NULL AND list_position(a, NULL) IS NULL THEN 1.41421356 END AS ok, CAST(a AS DOUBLE[]) AS x
FROM (SELECT "id" AS c0, "embedding" AS a FROM "documents") s) s CROSS JOIN (SELECT l0, l1 FROM lists) l0) s) s) s

-- ======== postgresql
-- UnsupportedError: lowering = 'indexed' is not supported here: postgresql has no indexed lowering; use lowering = 'auto'

-- ======== sqlite
-- UnsupportedError: sqlite has no array columns, so Array(…) is not supported: use Wide(…) or Long(…); of texts such as '[0.1, 0.2]', Long(…) reads the view SELECT t.`id`, CAST(j.key AS INTEGER) AS feature, CAST(j.value AS REAL) AS value FROM `documents` t, json_each(t.`embedding`) j

-- ======== mariadb
-- UnsupportedError: mariadb has no array columns, so Array(…) is not supported: use Wide(…) or Long(…); of texts such as '[0.1, 0.2]', Long(…) reads the view SELECT t.`id`, j.feature - 1 AS feature, j.value FROM `documents` t, JSON_TABLE(t.`embedding`, '$[*]' COLUMNS (feature FOR ORDINALITY, value DOUBLE PATH '$')) j

-- ======== mysql
-- UnsupportedError: mysql has no array columns, so Array(…) is not supported: use Wide(…) or Long(…); of texts such as '[0.1, 0.2]', Long(…) reads the view SELECT t.`id`, j.feature - 1 AS feature, j.value FROM `documents` t, JSON_TABLE(t.`embedding`, '$[*]' COLUMNS (feature FOR ORDINALITY, value DOUBLE PATH '$')) j

-- ======== clickhouse
WITH (SELECT arrayMap((p, v) -> arrayMap(i -> v[indexOf(p, i)], range(1, 5)), CAST('[[2],[4]]' AS Array(Array(Int32))), CAST('[[1],[1]]' AS Array(Array(Float64))))) AS l0,
(SELECT CAST('[[1],[1]]' AS Array(Array(Float64)))) AS l1,
(SELECT CAST('[[2],[4]]' AS Array(Array(Int32)))) AS l2
SELECT c0 AS `id`, component, value+0*ok AS value
FROM (SELECT c0, ok, toInt64(o) - 1 AS component, e AS value
FROM (SELECT c0, arrayMap(e -> 1.41421356*e, x) AS z, ok
FROM (SELECT c0, ok, if(isFinite(arraySum(x)), [arrayDotProduct(x, l0[1]), arrayDotProduct(x, l0[2])], arrayMap((p, v) -> arraySum(arrayMap((i, w) -> w * x[i], p, v)), l2, l1)) AS x
FROM (SELECT c0, ok, arrayMap(e -> coalesce(e, 0.0e0), x) AS x
FROM (SELECT c0, CASE WHEN NOT arrayExists(e -> e IS NULL, a) THEN 1.41421356 END AS ok, arrayMap(e -> CAST(e AS Float64), a) AS x
FROM (SELECT `id` AS c0, `embedding` AS a FROM `documents`) s) s) s) s) s ARRAY JOIN z AS e, arrayEnumerate(z) AS o) s
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760, max_block_size = 25000

-- ======== spark
WITH lists AS (SELECT from_json('[[1],[3]]', 'ARRAY<ARRAY<INT>>') AS l0, from_json('[[],[]]', 'ARRAY<ARRAY<INT>>') AS l1)
SELECT c0 AS `id`, component, value+0*ok AS value
FROM (SELECT c0, ok, CAST(o AS BIGINT) AS component, e AS value
FROM (SELECT c0, transform(x, e -> 1.41421356*e) AS z, ok
FROM (SELECT c0, ok, transform(map_values(map_filter(map(0, l0), (a, b) -> true))[0], (v, i) -> aggregate(v, CAST(0 AS DOUBLE), (total, j) -> total + x[j]) - aggregate(l1[i], CAST(0 AS DOUBLE), (total, j) -> total + x[j])) AS x
FROM (SELECT c0, CASE WHEN (a IS NOT NULL AND NOT exists(a, e -> e IS NULL)) THEN 1.41421356 END AS ok, CAST(a AS ARRAY<DOUBLE>) AS x
FROM (SELECT `id` AS c0, `embedding` AS a FROM `documents`) s) s CROSS JOIN (SELECT l0, l1 FROM lists) l0) s) s LATERAL VIEW OUTER posexplode(z) u AS o, e) s

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
