-- TensorSketch(k=3, seed=1, degree=2)
-- array rows of decimals; output = 'columns', nulls = 'propagate', scale = False, lowering = 'indexed'

-- ======== duckdb
WITH lists AS MATERIALIZED (SELECT list_transform(string_split(concat('1;;4;4;1;', t), ';'), lambda e: CASE WHEN e = '' THEN [] ELSE CAST(string_split(e, ',') AS INTEGER[]) END) AS l0, list_transform(string_split(concat(';2,3;;3;2;', t), ';'), lambda e: CASE WHEN e = '' THEN [] ELSE CAST(string_split(e, ',') AS INTEGER[]) END) AS l1 FROM (VALUES ('')) v(t))
SELECT c0 AS "id", x[1]+ok AS z0, x[2]+ok AS z1, x[3]+ok AS z2
FROM (SELECT c0, ok, list_concat(list_transform(range(3), lambda c: list_dot_product(a, b[3 - c:5 - c])), x[7:]) AS x
FROM (SELECT c0, ok, x, x[1:3] AS a, list_concat(list_reverse(x[4:6]), list_reverse(x[4:6])) AS b
FROM (SELECT c0, ok, CAST(x AS DOUBLE[]) AS x
FROM (SELECT c0, ok, list_transform(l0, lambda v, i: CAST((coalesce(list_sum(list_select(x, v)), 0) - coalesce(list_sum(list_select(x, l1[i])), 0)) AS DECIMAL(18,2))) AS x
FROM (SELECT c0, CASE WHEN a IS NOT NULL AND list_position(a, NULL) IS NULL THEN 0 END AS ok, CAST(a AS DECIMAL(18,2)[]) AS x
FROM (SELECT "id" AS c0, "embedding" AS a FROM "documents") s) s CROSS JOIN (SELECT l0, l1 FROM lists) l0) s) s) s) s

-- ======== postgresql
-- UnsupportedError: lowering = 'indexed' is not supported here: postgresql has no indexed lowering; use lowering = 'auto'

-- ======== sqlite
-- UnsupportedError: sqlite has no array columns, so Array(…) is not supported: use Wide(…) or Long(…); of texts such as '[0.1, 0.2]', Long(…) reads the view SELECT t.`id`, CAST(j.key AS INTEGER) AS feature, CAST(j.value AS REAL) AS value FROM `documents` t, json_each(t.`embedding`) j

-- ======== mariadb
-- UnsupportedError: mariadb has no array columns, so Array(…) is not supported: use Wide(…) or Long(…); of texts such as '[0.1, 0.2]', Long(…) reads the view SELECT t.`id`, j.feature - 1 AS feature, j.value FROM `documents` t, JSON_TABLE(t.`embedding`, '$[*]' COLUMNS (feature FOR ORDINALITY, value DOUBLE PATH '$')) j

-- ======== mysql
-- UnsupportedError: mysql has no array columns, so Array(…) is not supported: use Wide(…) or Long(…); of texts such as '[0.1, 0.2]', Long(…) reads the view SELECT t.`id`, j.feature - 1 AS feature, j.value FROM `documents` t, JSON_TABLE(t.`embedding`, '$[*]' COLUMNS (feature FOR ORDINALITY, value DOUBLE PATH '$')) j

-- ======== clickhouse
-- UnsupportedError: lowering = 'indexed' is not supported here: lists of whole numbers are not multiplied; use lowering = 'auto'

-- ======== spark
-- UnsupportedError: lowering = 'indexed' is not supported here: Convolved has no form over index lists; use lowering = 'auto'

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
