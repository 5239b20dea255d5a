-- TensorSketch(k=3, seed=1, degree=2)
-- array rows of decimals; output = 'long', nulls = 'zero', scale = True, lowering = 'inline'

-- ======== duckdb
SELECT c0 AS "id", unnest(range(len(z))) AS component, unnest(z) AS value FROM (SELECT c0, [(v0*v3+v1*v5+v2*v4), (v0*v4+v1*v3+v2*v5), (v0*v5+v1*v4+v2*v3)] AS z
FROM (SELECT c0, x0 AS v0, -(x1+x2) AS v1, x3 AS v2, (x3-x2) AS v3, (x0-x1) AS v4, 0.0e0 AS v5
FROM (SELECT c0, coalesce(CAST(x[1] AS DOUBLE),0.0e0) AS x0, coalesce(CAST(x[2] AS DOUBLE),0.0e0) AS x1, coalesce(CAST(x[3] AS DOUBLE),0.0e0) AS x2, coalesce(CAST(x[4] AS DOUBLE),0.0e0) AS x3
FROM (SELECT "id" AS c0, "embedding" AS x FROM "documents") s) s) s) s

-- ======== postgresql
SELECT c0 AS "id", o - 1 AS component, e AS value
FROM (SELECT c0, ARRAY[(v0*v3+v1*v5+v2*v4),(v0*v4+v1*v3+v2*v5),(v0*v5+v1*v4+v2*v3)] AS z
FROM (SELECT c0, x0 AS v0, -(x1+x2) AS v1, x3 AS v2, (x3-x2) AS v3, (x0-x1) AS v4, CAST('0.0' AS double precision) AS v5
FROM (SELECT c0, coalesce(CAST(x[1] AS double precision),CAST('0.0' AS double precision)) AS x0, coalesce(CAST(x[2] AS double precision),CAST('0.0' AS double precision)) AS x1, coalesce(CAST(x[3] AS double precision),CAST('0.0' AS double precision)) AS x2, coalesce(CAST(x[4] AS double precision),CAST('0.0' AS double precision)) AS x3
FROM (SELECT "id" AS c0, ("embedding")[:] AS x FROM "documents" OFFSET '0') s OFFSET '0') s OFFSET '0') s) s, unnest(z) WITH ORDINALITY AS u(e, o)

-- ======== sqlite
-- UnsupportedError: sqlite has no array columns, so Array(…) is not supported: use Wide(…) or Long(…); of texts such as '[0.1, 0.2]', Long(…) reads the view SELECT t.`id`, CAST(j.key AS INTEGER) AS feature, CAST(j.value AS REAL) AS value FROM `documents` t, json_each(t.`embedding`) j

-- ======== mariadb
-- UnsupportedError: mariadb has no array columns, so Array(…) is not supported: use Wide(…) or Long(…); of texts such as '[0.1, 0.2]', Long(…) reads the view SELECT t.`id`, j.feature - 1 AS feature, j.value FROM `documents` t, JSON_TABLE(t.`embedding`, '$[*]' COLUMNS (feature FOR ORDINALITY, value DOUBLE PATH '$')) j

-- ======== mysql
-- UnsupportedError: mysql has no array columns, so Array(…) is not supported: use Wide(…) or Long(…); of texts such as '[0.1, 0.2]', Long(…) reads the view SELECT t.`id`, j.feature - 1 AS feature, j.value FROM `documents` t, JSON_TABLE(t.`embedding`, '$[*]' COLUMNS (feature FOR ORDINALITY, value DOUBLE PATH '$')) j

-- ======== clickhouse
SELECT c0 AS `id`, toInt64(o) - 1 AS component, e AS value
FROM (SELECT c0, [(v0*v3+v1*v5+v2*v4),(v0*v4+v1*v3+v2*v5),(v0*v5+v1*v4+v2*v3)] AS z
FROM (SELECT c0, x0 AS v0, -(x1+x2) AS v1, x3 AS v2, (x3-x2) AS v3, (x0-x1) AS v4, 0.0e0 AS v5
FROM (SELECT c0, coalesce(CAST(x[1] AS Float64),0.0e0) AS x0, coalesce(CAST(x[2] AS Float64),0.0e0) AS x1, coalesce(CAST(x[3] AS Float64),0.0e0) AS x2, coalesce(CAST(x[4] AS Float64),0.0e0) AS x3
FROM (SELECT `id` AS c0, `embedding` AS x FROM `documents`) s) s) s) s ARRAY JOIN z AS e, arrayEnumerate(z) AS o
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760

-- ======== spark
SELECT c0 AS `id`, CAST(o AS BIGINT) AS component, e AS value
FROM (SELECT c0, array((v0*v3+v1*v5+v2*v4),(v0*v4+v1*v3+v2*v5),(v0*v5+v1*v4+v2*v3)) AS z
FROM (SELECT c0, x0 AS v0, -(x1+x2) AS v1, x3 AS v2, (x3-x2) AS v3, (x0-x1) AS v4, 0.0e0 AS v5
FROM (SELECT c0, coalesce(CAST(x[0] AS DOUBLE),0.0e0) AS x0, coalesce(CAST(x[1] AS DOUBLE),0.0e0) AS x1, coalesce(CAST(x[2] AS DOUBLE),0.0e0) AS x2, coalesce(CAST(x[3] AS DOUBLE),0.0e0) AS x3
FROM (SELECT `id` AS c0, `embedding` AS x FROM `documents`) s) s) s) s LATERAL VIEW OUTER posexplode(z) u AS o, e

-- ======== snowflake
SELECT c0 AS "id", n AS component, CASE WHEN n < 1 THEN z0 ELSE CASE WHEN n < 2 THEN z1 ELSE z2 END END AS value
FROM (SELECT c0, (v0*v3+v1*v5+v2*v4) AS z0, (v0*v4+v1*v3+v2*v5) AS z1, (v0*v5+v1*v4+v2*v3) AS z2
FROM (SELECT c0, x0 AS v0, -(x1+x2) AS v1, x3 AS v2, (x3-x2) AS v3, (x0-x1) AS v4, 0.0e0 AS v5
FROM (SELECT c0, coalesce(CAST(CAST(x[0] AS DOUBLE) AS DOUBLE),0.0e0) AS x0, coalesce(CAST(CAST(x[1] AS DOUBLE) AS DOUBLE),0.0e0) AS x1, coalesce(CAST(CAST(x[2] AS DOUBLE) AS DOUBLE),0.0e0) AS x2, coalesce(CAST(CAST(x[3] AS DOUBLE) AS DOUBLE),0.0e0) AS x3
FROM (SELECT "id" AS c0, "embedding" AS x FROM "documents") s) s) s) s CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 3 THEN 1 * d0.d END AS BIGINT) AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 3) counted

-- ======== bigquery
SELECT c0 AS `id`, n AS component, CASE WHEN n < 1 THEN z0 ELSE CASE WHEN n < 2 THEN z1 ELSE z2 END END AS value
FROM (SELECT c0, (v0*v3+v1*v5+v2*v4) AS z0, (v0*v4+v1*v3+v2*v5) AS z1, (v0*v5+v1*v4+v2*v3) AS z2
FROM (SELECT c0, x0 AS v0, -(x1+x2) AS v1, x3 AS v2, (x3-x2) AS v3, (x0-x1) AS v4, 0.0e0 AS v5
FROM (SELECT c0, coalesce(CAST(x[SAFE_OFFSET(0)] AS FLOAT64),0.0e0) AS x0, coalesce(CAST(x[SAFE_OFFSET(1)] AS FLOAT64),0.0e0) AS x1, coalesce(CAST(x[SAFE_OFFSET(2)] AS FLOAT64),0.0e0) AS x2, coalesce(CAST(x[SAFE_OFFSET(3)] AS FLOAT64),0.0e0) AS x3
FROM (SELECT `id` AS c0, `embedding` AS x FROM `documents`) s) s) s) s CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 3 THEN 1 * d0.d END AS INT64) AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 3) counted

-- ======== redshift
SELECT c0 AS "id", n AS component, CASE WHEN n < 1 THEN z0 ELSE CASE WHEN n < 2 THEN z1 ELSE z2 END END AS value
FROM (SELECT c0, (v0*v3+v1*v5+v2*v4) AS z0, (v0*v4+v1*v3+v2*v5) AS z1, (v0*v5+v1*v4+v2*v3) AS z2
FROM (SELECT c0, x0 AS v0, -(x1+x2) AS v1, x3 AS v2, (x3-x2) AS v3, (x0-x1) AS v4, CAST('0.0' AS DOUBLE PRECISION) AS v5
FROM (SELECT c0, coalesce(CAST(CAST(x[0] AS DOUBLE PRECISION) AS DOUBLE PRECISION),CAST('0.0' AS DOUBLE PRECISION)) AS x0, coalesce(CAST(CAST(x[1] AS DOUBLE PRECISION) AS DOUBLE PRECISION),CAST('0.0' AS DOUBLE PRECISION)) AS x1, coalesce(CAST(CAST(x[2] AS DOUBLE PRECISION) AS DOUBLE PRECISION),CAST('0.0' AS DOUBLE PRECISION)) AS x2, coalesce(CAST(CAST(x[3] AS DOUBLE PRECISION) AS DOUBLE PRECISION),CAST('0.0' AS DOUBLE PRECISION)) AS x3
FROM (SELECT "id" AS c0, "embedding" AS x FROM "documents") s) s) s) s CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 3 THEN 1 * d0.d END AS BIGINT) AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 3) counted

-- ======== databricks
SELECT c0 AS `id`, n AS component, CASE WHEN n < 1 THEN z0 ELSE CASE WHEN n < 2 THEN z1 ELSE z2 END END AS value
FROM (SELECT c0, (v0*v3+v1*v5+v2*v4) AS z0, (v0*v4+v1*v3+v2*v5) AS z1, (v0*v5+v1*v4+v2*v3) AS z2
FROM (SELECT c0, x0 AS v0, -(x1+x2) AS v1, x3 AS v2, (x3-x2) AS v3, (x0-x1) AS v4, 0.0e0 AS v5
FROM (SELECT c0, coalesce(CAST(x[0] AS DOUBLE),0.0e0) AS x0, coalesce(CAST(x[1] AS DOUBLE),0.0e0) AS x1, coalesce(CAST(x[2] AS DOUBLE),0.0e0) AS x2, coalesce(CAST(x[3] AS DOUBLE),0.0e0) AS x3
FROM (SELECT `id` AS c0, `embedding` AS x FROM `documents`) s) s) s) s CROSS JOIN (SELECT id AS n FROM range(3)) counted

-- ======== trino
SELECT c0 AS "id", n AS component, CASE WHEN n < 1 THEN z0 ELSE CASE WHEN n < 2 THEN z1 ELSE z2 END END AS value
FROM (SELECT c0, (v0*v3+v1*v5+v2*v4) AS z0, (v0*v4+v1*v3+v2*v5) AS z1, (v0*v5+v1*v4+v2*v3) AS z2
FROM (SELECT c0, x0 AS v0, -(x1+x2) AS v1, x3 AS v2, (x3-x2) AS v3, (x0-x1) AS v4, 0.0e0 AS v5
FROM (SELECT c0, coalesce(CAST(element_at(x, 1) AS DOUBLE),0.0e0) AS x0, coalesce(CAST(element_at(x, 2) AS DOUBLE),0.0e0) AS x1, coalesce(CAST(element_at(x, 3) AS DOUBLE),0.0e0) AS x2, coalesce(CAST(element_at(x, 4) AS DOUBLE),0.0e0) AS x3
FROM (SELECT "id" AS c0, "embedding" AS x FROM "documents") s) s) s) s CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 3 THEN 1 * d0.d END AS BIGINT) AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 3) counted

-- ======== sqlserver
SELECT c0 AS [id], n AS component, CASE WHEN n < 1 THEN z0 ELSE CASE WHEN n < 2 THEN z1 ELSE z2 END END AS value
FROM (SELECT c0, (v0*v3+v1*v5+v2*v4) AS z0, (v0*v4+v1*v3+v2*v5) AS z1, (v0*v5+v1*v4+v2*v3) AS z2
FROM (SELECT c0, x0 AS v0, -(x1+x2) AS v1, x3 AS v2, (x3-x2) AS v3, (x0-x1) AS v4, 0.0e0 AS v5
FROM (SELECT c0, coalesce(CAST(CAST(JSON_VALUE(x, '$[0]') AS FLOAT) AS FLOAT),0.0e0) AS x0, coalesce(CAST(CAST(JSON_VALUE(x, '$[1]') AS FLOAT) AS FLOAT),0.0e0) AS x1, coalesce(CAST(CAST(JSON_VALUE(x, '$[2]') AS FLOAT) AS FLOAT),0.0e0) AS x2, coalesce(CAST(CAST(JSON_VALUE(x, '$[3]') AS FLOAT) AS FLOAT),0.0e0) AS x3
FROM (SELECT [id] AS c0, CAST([embedding] AS NVARCHAR(MAX)) AS x FROM [documents]) s) s) s) s CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 3 THEN 1 * d0.d END AS BIGINT) AS n FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 3) counted

-- ======== oracle
SELECT c0 AS "id", n AS component, CASE WHEN n < 1 THEN z0 ELSE CASE WHEN n < 2 THEN z1 ELSE z2 END END AS value
FROM (SELECT c0, (v0*v3+v1*v5+v2*v4) AS z0, (v0*v4+v1*v3+v2*v5) AS z1, (v0*v5+v1*v4+v2*v3) AS z2
FROM (SELECT c0, x0 AS v0, -(x1+x2) AS v1, x3 AS v2, (x3-x2) AS v3, (x0-x1) AS v4, CAST(0.0e0 AS BINARY_DOUBLE) AS v5
FROM (SELECT c0, coalesce(CAST(CAST(JSON_VALUE(x, '$[0]' RETURNING NUMBER) AS BINARY_DOUBLE) AS BINARY_DOUBLE),CAST(0.0e0 AS BINARY_DOUBLE)) AS x0, coalesce(CAST(CAST(JSON_VALUE(x, '$[1]' RETURNING NUMBER) AS BINARY_DOUBLE) AS BINARY_DOUBLE),CAST(0.0e0 AS BINARY_DOUBLE)) AS x1, coalesce(CAST(CAST(JSON_VALUE(x, '$[2]' RETURNING NUMBER) AS BINARY_DOUBLE) AS BINARY_DOUBLE),CAST(0.0e0 AS BINARY_DOUBLE)) AS x2, coalesce(CAST(CAST(JSON_VALUE(x, '$[3]' RETURNING NUMBER) AS BINARY_DOUBLE) AS BINARY_DOUBLE),CAST(0.0e0 AS BINARY_DOUBLE)) AS x3
FROM (SELECT "id" AS c0, FROM_VECTOR("embedding" RETURNING CLOB) AS x FROM "documents") s) s) s) s CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 3 THEN 1 * d0.d END AS NUMBER(19)) AS n FROM (SELECT 0 AS d FROM dual UNION ALL SELECT 1 FROM dual UNION ALL SELECT 2 FROM dual UNION ALL SELECT 3 FROM dual UNION ALL SELECT 4 FROM dual UNION ALL SELECT 5 FROM dual UNION ALL SELECT 6 FROM dual UNION ALL SELECT 7 FROM dual UNION ALL SELECT 8 FROM dual UNION ALL SELECT 9 FROM dual) d0 WHERE 1 * d0.d < 3) counted

-- ======== generic
-- UnsupportedError: generic has no array columns, so Array(…) is not supported: use Wide(…) or Long(…)
