-- RandomSubspace(k=2, seed=1, densify='householder', stratified=False)
-- array rows of decimals; output = 'array', nulls = 'propagate', scale = True, lowering = 'inline'

-- ======== duckdb
SELECT c0 AS "id", CAST(CASE WHEN ok IS NOT NULL THEN [0.353553391*(4.0e0*x2-m), 0.353553391*(4.0e0*x3-m)] END AS DOUBLE[2]) AS z
FROM (SELECT c0, ok, x2, x3, 2.0e0*(x0+x1+x2+x3) AS m
FROM (SELECT c0, CASE WHEN x IS NOT NULL AND list_position(x, NULL) IS NULL THEN 0.353553391 END AS ok, CAST(x[1] AS DOUBLE) AS x0, CAST(x[2] AS DOUBLE) AS x1, CAST(x[3] AS DOUBLE) AS x2, CAST(x[4] AS DOUBLE) AS x3
FROM (SELECT "id" AS c0, "embedding" AS x FROM "documents") s) s) s

-- ======== postgresql
SELECT c0 AS "id", CASE WHEN ok IS NOT NULL THEN ARRAY[CAST('0.353553391' AS double precision)*(CAST('4.0' AS double precision)*x2-m),CAST('0.353553391' AS double precision)*(CAST('4.0' AS double precision)*x3-m)] END AS z
FROM (SELECT c0, ok, x2, x3, CAST('2.0' AS double precision)*(x0+x1+x2+x3) AS m
FROM (SELECT c0, CASE WHEN x IS NOT NULL AND array_position(x, NULL) IS NULL THEN CAST('0.353553391' AS double precision) END AS ok, CAST(x[1] AS double precision) AS x0, CAST(x[2] AS double precision) AS x1, CAST(x[3] AS double precision) AS x2, CAST(x[4] AS double precision) AS x3
FROM (SELECT "id" AS c0, ("embedding")[:] AS x FROM "documents" OFFSET '0') s OFFSET '0') s OFFSET '0') s

-- ======== sqlite
-- UnsupportedError: sqlite has no array columns, so Array(…) is not supported: use Wide(…) or Long(…); of texts such as '[0.1, 0.2]', Long(…) reads the view SELECT t.`id`, CAST(j.key AS INTEGER) AS feature, CAST(j.value AS REAL) AS value FROM `documents` t, json_each(t.`embedding`) j

-- ======== mariadb
-- UnsupportedError: mariadb has no array columns, so Array(…) is not supported: use Wide(…) or Long(…); of texts such as '[0.1, 0.2]', Long(…) reads the view SELECT t.`id`, j.feature - 1 AS feature, j.value FROM `documents` t, JSON_TABLE(t.`embedding`, '$[*]' COLUMNS (feature FOR ORDINALITY, value DOUBLE PATH '$')) j

-- ======== mysql
-- UnsupportedError: mysql has no array columns, so Array(…) is not supported: use Wide(…) or Long(…); of texts such as '[0.1, 0.2]', Long(…) reads the view SELECT t.`id`, j.feature - 1 AS feature, j.value FROM `documents` t, JSON_TABLE(t.`embedding`, '$[*]' COLUMNS (feature FOR ORDINALITY, value DOUBLE PATH '$')) j

-- ======== clickhouse
SELECT c0 AS `id`, arrayMap(e -> e + 0 * ok, [0.353553391*(4.0e0*x2-m),0.353553391*(4.0e0*x3-m)]) AS z
FROM (SELECT c0, ok, x2, x3, 2.0e0*(x0+x1+x2+x3) AS m
FROM (SELECT c0, CASE WHEN NOT arrayExists(e -> e IS NULL, x) THEN 0.353553391 END AS ok, CAST(x[1] AS Float64) AS x0, CAST(x[2] AS Float64) AS x1, CAST(x[3] AS Float64) AS x2, CAST(x[4] AS Float64) AS x3
FROM (SELECT `id` AS c0, `embedding` AS x FROM `documents`) s) s) s
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760

-- ======== spark
SELECT c0 AS `id`, CASE WHEN ok IS NOT NULL THEN array(0.353553391*(4.0e0*x2-m),0.353553391*(4.0e0*x3-m)) END AS z
FROM (SELECT c0, ok, x2, x3, 2.0e0*(x0+x1+x2+x3) AS m
FROM (SELECT c0, CAST(x[0] AS DOUBLE) AS x0, CAST(x[1] AS DOUBLE) AS x1, CAST(x[2] AS DOUBLE) AS x2, CAST(x[3] AS DOUBLE) AS x3, CASE WHEN (x IS NOT NULL AND NOT exists(x, e -> e IS NULL)) THEN 0.353553391 END AS ok
FROM (SELECT `id` AS c0, `embedding` AS x FROM `documents`) s) s) s

-- ======== snowflake
SELECT c0 AS "id", CASE WHEN ok IS NOT NULL THEN ARRAY_CONSTRUCT(0.353553391*(4.0e0*x2-m), 0.353553391*(4.0e0*x3-m)) END AS z
FROM (SELECT c0, ok, x2, x3, 2.0e0*(x0+x1+x2+x3) AS m
FROM (SELECT c0, CASE WHEN (CAST(x[0] AS DOUBLE) IS NOT NULL AND CAST(x[1] AS DOUBLE) IS NOT NULL AND CAST(x[2] AS DOUBLE) IS NOT NULL AND CAST(x[3] AS DOUBLE) IS NOT NULL) THEN 0.353553391 END AS ok, CAST(CAST(x[0] AS DOUBLE) AS DOUBLE) AS x0, CAST(CAST(x[1] AS DOUBLE) AS DOUBLE) AS x1, CAST(CAST(x[2] AS DOUBLE) AS DOUBLE) AS x2, CAST(CAST(x[3] AS DOUBLE) AS DOUBLE) AS x3
FROM (SELECT "id" AS c0, "embedding" AS x FROM "documents") s) s) s

-- ======== bigquery
SELECT c0 AS `id`, CASE WHEN ok IS NOT NULL THEN ARRAY[0.353553391*(4.0e0*x2-m), 0.353553391*(4.0e0*x3-m)] END AS z
FROM (SELECT c0, ok, x2, x3, 2.0e0*(x0+x1+x2+x3) AS m
FROM (SELECT c0, CASE WHEN (ARRAY_LENGTH(x) > 0 AND NOT EXISTS(SELECT 1 FROM UNNEST(x) e WHERE e IS NULL)) THEN 0.353553391 END AS ok, CAST(x[SAFE_OFFSET(0)] AS FLOAT64) AS x0, CAST(x[SAFE_OFFSET(1)] AS FLOAT64) AS x1, CAST(x[SAFE_OFFSET(2)] AS FLOAT64) AS x2, CAST(x[SAFE_OFFSET(3)] AS FLOAT64) AS x3
FROM (SELECT `id` AS c0, `embedding` AS x FROM `documents`) s) s) s

-- ======== redshift
SELECT c0 AS "id", CASE WHEN ok IS NOT NULL THEN ARRAY(CAST('0.353553391' AS DOUBLE PRECISION)*(CAST('4.0' AS DOUBLE PRECISION)*x2-m), CAST('0.353553391' AS DOUBLE PRECISION)*(CAST('4.0' AS DOUBLE PRECISION)*x3-m)) END AS z
FROM (SELECT c0, ok, x2, x3, CAST('2.0' AS DOUBLE PRECISION)*(x0+x1+x2+x3) AS m
FROM (SELECT c0, CASE WHEN (CAST(x[0] AS DOUBLE PRECISION) IS NOT NULL AND CAST(x[1] AS DOUBLE PRECISION) IS NOT NULL AND CAST(x[2] AS DOUBLE PRECISION) IS NOT NULL AND CAST(x[3] AS DOUBLE PRECISION) IS NOT NULL) THEN CAST('0.353553391' AS DOUBLE PRECISION) END AS ok, CAST(CAST(x[0] AS DOUBLE PRECISION) AS DOUBLE PRECISION) AS x0, CAST(CAST(x[1] AS DOUBLE PRECISION) AS DOUBLE PRECISION) AS x1, CAST(CAST(x[2] AS DOUBLE PRECISION) AS DOUBLE PRECISION) AS x2, CAST(CAST(x[3] AS DOUBLE PRECISION) AS DOUBLE PRECISION) AS x3
FROM (SELECT "id" AS c0, "embedding" AS x FROM "documents") s) s) s

-- ======== databricks
SELECT c0 AS `id`, CASE WHEN ok IS NOT NULL THEN array(0.353553391*(4.0e0*x2-m),0.353553391*(4.0e0*x3-m)) END AS z
FROM (SELECT c0, ok, x2, x3, 2.0e0*(x0+x1+x2+x3) AS m
FROM (SELECT c0, CAST(x[0] AS DOUBLE) AS x0, CAST(x[1] AS DOUBLE) AS x1, CAST(x[2] AS DOUBLE) AS x2, CAST(x[3] AS DOUBLE) AS x3, CASE WHEN (x IS NOT NULL AND size(filter(x, e -> e IS NULL)) = 0) THEN 0.353553391 END AS ok
FROM (SELECT `id` AS c0, `embedding` AS x FROM `documents`) s) s) s

-- ======== trino
SELECT c0 AS "id", CASE WHEN ok IS NOT NULL THEN ARRAY[0.353553391*(4.0e0*x2-m), 0.353553391*(4.0e0*x3-m)] END AS z
FROM (SELECT c0, ok, x2, x3, 2.0e0*(x0+x1+x2+x3) AS m
FROM (SELECT c0, CASE WHEN (x IS NOT NULL AND cardinality(filter(x, e -> e IS NULL)) = 0) THEN 0.353553391 END AS ok, CAST(element_at(x, 1) AS DOUBLE) AS x0, CAST(element_at(x, 2) AS DOUBLE) AS x1, CAST(element_at(x, 3) AS DOUBLE) AS x2, CAST(element_at(x, 4) AS DOUBLE) AS x3
FROM (SELECT "id" AS c0, "embedding" AS x FROM "documents") s) s) s

-- ======== sqlserver
SELECT c0 AS [id], CASE WHEN ok IS NOT NULL THEN CONCAT(CAST('[' AS VARCHAR(MAX)), CONCAT_WS(',', CONVERT(VARCHAR(30), 0.353553391*(4.0e0*x2-m), 3), CONVERT(VARCHAR(30), 0.353553391*(4.0e0*x3-m), 3)), ']') END AS z
FROM (SELECT c0, ok, x2, x3, 2.0e0*(x0+x1+x2+x3) AS m
FROM (SELECT c0, CASE WHEN (CAST(JSON_VALUE(x, '$[0]') AS FLOAT) IS NOT NULL AND CAST(JSON_VALUE(x, '$[1]') AS FLOAT) IS NOT NULL AND CAST(JSON_VALUE(x, '$[2]') AS FLOAT) IS NOT NULL AND CAST(JSON_VALUE(x, '$[3]') AS FLOAT) IS NOT NULL) THEN 0.353553391 END AS ok, CAST(CAST(JSON_VALUE(x, '$[0]') AS FLOAT) AS FLOAT) AS x0, CAST(CAST(JSON_VALUE(x, '$[1]') AS FLOAT) AS FLOAT) AS x1, CAST(CAST(JSON_VALUE(x, '$[2]') AS FLOAT) AS FLOAT) AS x2, CAST(CAST(JSON_VALUE(x, '$[3]') AS FLOAT) AS FLOAT) AS x3
FROM (SELECT [id] AS c0, CAST([embedding] AS NVARCHAR(MAX)) AS x FROM [documents]) s) s) s

-- ======== oracle
SELECT c0 AS "id", CASE WHEN ok IS NOT NULL THEN TO_VECTOR(JSON_ARRAY(CAST(0.353553391 AS BINARY_DOUBLE)*(CAST(4.0e0 AS BINARY_DOUBLE)*x2-m), CAST(0.353553391 AS BINARY_DOUBLE)*(CAST(4.0e0 AS BINARY_DOUBLE)*x3-m) NULL ON NULL RETURNING CLOB), 2, FLOAT64) END AS z
FROM (SELECT c0, ok, x2, x3, CAST(2.0e0 AS BINARY_DOUBLE)*(x0+x1+x2+x3) AS m
FROM (SELECT c0, CASE WHEN (CAST(JSON_VALUE(x, '$[0]' RETURNING NUMBER) AS BINARY_DOUBLE) IS NOT NULL AND CAST(JSON_VALUE(x, '$[1]' RETURNING NUMBER) AS BINARY_DOUBLE) IS NOT NULL AND CAST(JSON_VALUE(x, '$[2]' RETURNING NUMBER) AS BINARY_DOUBLE) IS NOT NULL AND CAST(JSON_VALUE(x, '$[3]' RETURNING NUMBER) AS BINARY_DOUBLE) IS NOT NULL) THEN CAST(0.353553391 AS BINARY_DOUBLE) END AS ok, CAST(CAST(JSON_VALUE(x, '$[0]' RETURNING NUMBER) AS BINARY_DOUBLE) AS BINARY_DOUBLE) AS x0, CAST(CAST(JSON_VALUE(x, '$[1]' RETURNING NUMBER) AS BINARY_DOUBLE) AS BINARY_DOUBLE) AS x1, CAST(CAST(JSON_VALUE(x, '$[2]' RETURNING NUMBER) AS BINARY_DOUBLE) AS BINARY_DOUBLE) AS x2, CAST(CAST(JSON_VALUE(x, '$[3]' RETURNING NUMBER) AS BINARY_DOUBLE) AS BINARY_DOUBLE) AS x3
FROM (SELECT "id" AS c0, FROM_VECTOR("embedding" RETURNING CLOB) AS x FROM "documents") s) s) s

-- ======== generic
-- UnsupportedError: generic has no array columns, so Array(…) is not supported: use Wide(…) or Long(…)
