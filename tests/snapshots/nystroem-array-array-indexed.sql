-- NystroemProjection(k=2, seed=0, state='eNoL8GZm0WWAAEWG5O8bhf5DAS+DCENOYl5KbmJ…EBYAqTvgM0GAPtciJk=', sample=4, degree=2, c=1.0, kernel_name='polynomial', gamma=None, bound_to=4)
-- array rows of floats; output = 'array', nulls = 'propagate', scale = True, lowering = 'indexed'

-- ======== duckdb
WITH lists AS MATERIALIZED (SELECT list_transform(string_split(concat('2.0,-1.0,1.0;3.0,1.0,1.0', t), ';'), lambda e: CASE WHEN e = '' THEN [] ELSE CAST(string_split(e, ',') AS FLOAT[]) END) AS l0, list_transform(string_split(concat('1,2,4;2,3,4', t), ';'), lambda e: CASE WHEN e = '' THEN [] ELSE CAST(string_split(e, ',') AS INTEGER[]) END) AS l1, list_transform(string_split(concat('0.143,-0.001;-0.001,0.083', t), ';'), lambda e: CASE WHEN e = '' THEN [] ELSE CAST(string_split(e, ',') AS FLOAT[]) END) AS l2 FROM (VALUES ('')) v(t))
SELECT c0 AS "id", CAST(CASE WHEN ok IS NOT NULL THEN x END AS FLOAT[2]) AS z
FROM (SELECT c0, ok, list_transform(l2, lambda w: list_dot_product(x, w)) AS x
FROM (SELECT c0, ok, list_transform(list_transform(x, lambda e: (e+CAST(1.0e0 AS FLOAT))), lambda e: e*e) AS x
FROM (SELECT c0, ok, list_transform(l0, lambda w, i: coalesce(list_dot_product(list_select(x, l1[i]), w), 0)) AS x
FROM (SELECT c0, ok, list_transform(coalesce(x, list_resize(CAST([] AS FLOAT[]), 4, CAST(0.0e0 AS FLOAT))), lambda e: coalesce(e, CAST(0.0e0 AS FLOAT))) AS x
FROM (SELECT c0, CASE WHEN a IS NOT NULL AND list_position(a, NULL) IS NULL THEN 0 END AS ok, CAST(a AS FLOAT[]) AS x
FROM (SELECT "id" AS c0, "embedding" AS a FROM "documents") s) s) s CROSS JOIN (SELECT l0, l1 FROM lists) l0) s) s CROSS JOIN (SELECT l2 FROM lists) l2) s

-- ======== postgresql
-- UnsupportedError: lowering = 'indexed' is not supported here: postgresql has no indexed lowering; use lowering = 'auto'

-- ======== sqlite
-- UnsupportedError: sqlite has no array columns, so Array(…) is not supported: use Wide(…) or Long(…); of texts such as '[0.1, 0.2]', Long(…) reads the view SELECT t.`id`, CAST(j.key AS INTEGER) AS feature, CAST(j.value AS REAL) AS value FROM `documents` t, json_each(t.`embedding`) j

-- ======== mariadb
-- UnsupportedError: mariadb has no array columns, so Array(…) is not supported: use Wide(…) or Long(…); of texts such as '[0.1, 0.2]', Long(…) reads the view SELECT t.`id`, j.feature - 1 AS feature, j.value FROM `documents` t, JSON_TABLE(t.`embedding`, '$[*]' COLUMNS (feature FOR ORDINALITY, value DOUBLE PATH '$')) j

-- ======== mysql
-- UnsupportedError: mysql has no array columns, so Array(…) is not supported: use Wide(…) or Long(…); of texts such as '[0.1, 0.2]', Long(…) reads the view SELECT t.`id`, j.feature - 1 AS feature, j.value FROM `documents` t, JSON_TABLE(t.`embedding`, '$[*]' COLUMNS (feature FOR ORDINALITY, value DOUBLE PATH '$')) j

-- ======== clickhouse
WITH (SELECT arrayMap((p, v) -> arrayMap(i -> v[indexOf(p, i)], range(1, 5)), CAST('[[1,2,4],[2,3,4]]' AS Array(Array(Int32))), CAST('[[2.0,-1.0,1.0],[3.0,1.0,1.0]]' AS Array(Array(Float64))))) AS l0,
(SELECT CAST('[[2.0,-1.0,1.0],[3.0,1.0,1.0]]' AS Array(Array(Float64)))) AS l1,
(SELECT CAST('[[1,2,4],[2,3,4]]' AS Array(Array(Int32)))) AS l2,
(SELECT CAST('[[0.143,-0.001],[-0.001,0.083]]' AS Array(Array(Float64)))) AS l3
SELECT c0 AS `id`, arrayMap(e -> e + 0 * ok, x) AS z
FROM (SELECT c0, ok, [arrayDotProduct(x, l3[1]), arrayDotProduct(x, l3[2])] AS x
FROM (SELECT c0, ok, arrayMap(e -> e*e, arrayMap(e -> (e+CAST(1.0e0 AS Float64)), x)) AS x
FROM (SELECT c0, ok, if(isFinite(arraySum(x)), [arrayDotProduct(x, l0[1]), arrayDotProduct(x, l0[2])], arrayMap((p, v) -> arraySum(arrayMap((i, w) -> w * x[i], p, v)), l2, l1)) AS x
FROM (SELECT c0, ok, arrayMap(e -> coalesce(e, CAST(0.0e0 AS Float64)), x) AS x
FROM (SELECT c0, CASE WHEN NOT arrayExists(e -> e IS NULL, a) THEN 0 END AS ok, arrayMap(e -> CAST(e AS Float64), a) AS x
FROM (SELECT `id` AS c0, `embedding` AS a FROM `documents`) s) s) s) s) s) s
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
