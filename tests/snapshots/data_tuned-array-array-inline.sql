-- DataTunedProjection(k=2, seed=1, state='eNoL8GZm0WWAAEWGxcsemv6HAk4GEYbizPS8Yr2…CMQmgPpw2BFANt2PDc=', sample=500, s=1, n_iter=5, bound_to=4)
-- array rows of integers of 8 bits; output = 'array', nulls = 'error', scale = True, lowering = 'inline'

-- ======== duckdb
SELECT c0 AS "id", CAST(CASE WHEN ok IS NOT NULL THEN [0.707106781*(x2-(x0+x1+x3)), 0.707106781*(x1-(x0+x2+x3))] END AS DOUBLE[2]) AS z
FROM (SELECT c0, CASE WHEN x IS NOT NULL AND list_position(x, NULL) IS NULL THEN 0.707106781 ELSE error('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''') END AS ok, CAST(x[1] AS SMALLINT) AS x0, CAST(x[2] AS SMALLINT) AS x1, CAST(x[3] AS SMALLINT) AS x2, CAST(x[4] AS SMALLINT) AS x3
FROM (SELECT "id" AS c0, "embedding" AS x FROM "documents") s) s

-- ======== postgresql
SELECT c0 AS "id", CASE WHEN ok IS NOT NULL THEN ARRAY[CAST('0.707106781' AS double precision)*(x2-(x0+x1+x3)),CAST('0.707106781' AS double precision)*(x1-(x0+x2+x3))] END AS z
FROM (SELECT c0, CASE WHEN x IS NOT NULL AND array_position(x, NULL) IS NULL THEN CAST('0.707106781' AS double precision) ELSE CAST('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''' || left(CAST(clock_timestamp() AS text), 0) AS bigint) END AS ok, CAST(x[1] AS integer) AS x0, CAST(x[2] AS integer) AS x1, CAST(x[3] AS integer) AS x2, CAST(x[4] AS integer) AS x3
FROM (SELECT "id" AS c0, ("embedding")[:] AS x FROM "documents" OFFSET '0') s OFFSET '0') s

-- ======== sqlite
-- UnsupportedError: sqlite has no array columns, so Array(…) is not supported: use Wide(…) or Long(…); of texts such as '[0.1, 0.2]', Long(…) reads the view SELECT t.`id`, CAST(j.key AS INTEGER) AS feature, CAST(j.value AS REAL) AS value FROM `documents` t, json_each(t.`embedding`) j

-- ======== mariadb
-- UnsupportedError: mariadb has no array columns, so Array(…) is not supported: use Wide(…) or Long(…); of texts such as '[0.1, 0.2]', Long(…) reads the view SELECT t.`id`, j.feature - 1 AS feature, j.value FROM `documents` t, JSON_TABLE(t.`embedding`, '$[*]' COLUMNS (feature FOR ORDINALITY, value DOUBLE PATH '$')) j

-- ======== mysql
-- UnsupportedError: mysql has no array columns, so Array(…) is not supported: use Wide(…) or Long(…); of texts such as '[0.1, 0.2]', Long(…) reads the view SELECT t.`id`, j.feature - 1 AS feature, j.value FROM `documents` t, JSON_TABLE(t.`embedding`, '$[*]' COLUMNS (feature FOR ORDINALITY, value DOUBLE PATH '$')) j

-- ======== clickhouse
SELECT c0 AS `id`, arrayMap(e -> e + 0 * ok, [0.707106781*(x2-(x0+x1+x3)),0.707106781*(x1-(x0+x2+x3))]) AS z
FROM (SELECT c0, CASE WHEN NOT arrayExists(e -> e IS NULL, x) THEN 0.707106781 ELSE throwIf(1, 'sqlrp: a feature is NULL and nulls = \'error\': clean the row, or use nulls = \'zero\' or \'propagate\'') END AS ok, CAST(x[1] AS Int64) AS x0, CAST(x[2] AS Int64) AS x1, CAST(x[3] AS Int64) AS x2, CAST(x[4] AS Int64) AS x3
FROM (SELECT `id` AS c0, `embedding` AS x FROM `documents`) s) s
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760

-- ======== spark
SELECT c0 AS `id`, CASE WHEN ok IS NOT NULL THEN array(0.707106781*(x2-(x0+x1+x3)),0.707106781*(x1-(x0+x2+x3))) END AS z
FROM (SELECT c0, CAST(x[0] AS INT) AS x0, CAST(x[1] AS INT) AS x1, CAST(x[2] AS INT) AS x2, CAST(x[3] AS INT) AS x3, CASE WHEN (x IS NOT NULL AND NOT exists(x, e -> e IS NULL)) THEN 0.707106781 ELSE raise_error('sqlrp: a feature is NULL and nulls = \'error\': clean the row, or use nulls = \'zero\' or \'propagate\'') END AS ok
FROM (SELECT `id` AS c0, `embedding` AS x FROM `documents`) s) s

-- ======== snowflake
SELECT c0 AS "id", CASE WHEN ok IS NOT NULL THEN ARRAY_CONSTRUCT(0.707106781*(x2-(x0+x1+x3)), 0.707106781*(x1-(x0+x2+x3))) END AS z
FROM (SELECT c0, CASE WHEN (CAST(x[0] AS DOUBLE) IS NOT NULL AND CAST(x[1] AS DOUBLE) IS NOT NULL AND CAST(x[2] AS DOUBLE) IS NOT NULL AND CAST(x[3] AS DOUBLE) IS NOT NULL) THEN 0.707106781 ELSE CAST(concat('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''', substr(CAST(CASE WHEN (CAST(x[0] AS DOUBLE) IS NOT NULL AND CAST(x[1] AS DOUBLE) IS NOT NULL AND CAST(x[2] AS DOUBLE) IS NOT NULL AND CAST(x[3] AS DOUBLE) IS NOT NULL) THEN 1 ELSE 0 END AS VARCHAR), 1, 0)) AS BIGINT) END AS ok, CAST(CAST(x[0] AS DOUBLE) AS BIGINT) AS x0, CAST(CAST(x[1] AS DOUBLE) AS BIGINT) AS x1, CAST(CAST(x[2] AS DOUBLE) AS BIGINT) AS x2, CAST(CAST(x[3] AS DOUBLE) AS BIGINT) AS x3
FROM (SELECT "id" AS c0, "embedding" AS x FROM "documents") s) s

-- ======== bigquery
SELECT c0 AS `id`, CASE WHEN ok IS NOT NULL THEN ARRAY[0.707106781*(x2-(x0+x1+x3)), 0.707106781*(x1-(x0+x2+x3))] END AS z
FROM (SELECT c0, CASE WHEN (ARRAY_LENGTH(x) > 0 AND NOT EXISTS(SELECT 1 FROM UNNEST(x) e WHERE e IS NULL)) THEN 0.707106781 ELSE ERROR('sqlrp: a feature is NULL and nulls = \'error\': clean the row, or use nulls = \'zero\' or \'propagate\'') END AS ok, CAST(x[SAFE_OFFSET(0)] AS INT64) AS x0, CAST(x[SAFE_OFFSET(1)] AS INT64) AS x1, CAST(x[SAFE_OFFSET(2)] AS INT64) AS x2, CAST(x[SAFE_OFFSET(3)] AS INT64) AS x3
FROM (SELECT `id` AS c0, `embedding` AS x FROM `documents`) s) s

-- ======== redshift
SELECT c0 AS "id", CASE WHEN ok IS NOT NULL THEN ARRAY(CAST('0.707106781' AS DOUBLE PRECISION)*(x2-(x0+x1+x3)), CAST('0.707106781' AS DOUBLE PRECISION)*(x1-(x0+x2+x3))) END AS z
FROM (SELECT c0, CASE WHEN (CAST(x[0] AS DOUBLE PRECISION) IS NOT NULL AND CAST(x[1] AS DOUBLE PRECISION) IS NOT NULL AND CAST(x[2] AS DOUBLE PRECISION) IS NOT NULL AND CAST(x[3] AS DOUBLE PRECISION) IS NOT NULL) THEN CAST('0.707106781' AS DOUBLE PRECISION) ELSE CAST(concat('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''', substr(CAST(CASE WHEN (CAST(x[0] AS DOUBLE PRECISION) IS NOT NULL AND CAST(x[1] AS DOUBLE PRECISION) IS NOT NULL AND CAST(x[2] AS DOUBLE PRECISION) IS NOT NULL AND CAST(x[3] AS DOUBLE PRECISION) IS NOT NULL) THEN 1 ELSE 0 END AS VARCHAR), 1, 0)) AS BIGINT) END AS ok, CAST(CAST(x[0] AS DOUBLE PRECISION) AS BIGINT) AS x0, CAST(CAST(x[1] AS DOUBLE PRECISION) AS BIGINT) AS x1, CAST(CAST(x[2] AS DOUBLE PRECISION) AS BIGINT) AS x2, CAST(CAST(x[3] AS DOUBLE PRECISION) AS BIGINT) AS x3
FROM (SELECT "id" AS c0, "embedding" AS x FROM "documents") s) s

-- ======== databricks
SELECT c0 AS `id`, CASE WHEN ok IS NOT NULL THEN array(0.707106781*(x2-(x0+x1+x3)),0.707106781*(x1-(x0+x2+x3))) END AS z
FROM (SELECT c0, CAST(x[0] AS BIGINT) AS x0, CAST(x[1] AS BIGINT) AS x1, CAST(x[2] AS BIGINT) AS x2, CAST(x[3] AS BIGINT) AS x3, CASE WHEN (x IS NOT NULL AND size(filter(x, e -> e IS NULL)) = 0) THEN 0.707106781 ELSE raise_error('sqlrp: a feature is NULL and nulls = \'error\': clean the row, or use nulls = \'zero\' or \'propagate\'') END AS ok
FROM (SELECT `id` AS c0, `embedding` AS x FROM `documents`) s) s

-- ======== trino
SELECT c0 AS "id", CASE WHEN ok IS NOT NULL THEN ARRAY[0.707106781*(x2-(x0+x1+x3)), 0.707106781*(x1-(x0+x2+x3))] END AS z
FROM (SELECT c0, CASE WHEN (x IS NOT NULL AND cardinality(filter(x, e -> e IS NULL)) = 0) THEN 0.707106781 ELSE CAST(concat('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''', substr(CAST(CASE WHEN (x IS NOT NULL AND cardinality(filter(x, e -> e IS NULL)) = 0) THEN 1 ELSE 0 END AS VARCHAR), 1, 0)) AS BIGINT) END AS ok, CAST(element_at(x, 1) AS BIGINT) AS x0, CAST(element_at(x, 2) AS BIGINT) AS x1, CAST(element_at(x, 3) AS BIGINT) AS x2, CAST(element_at(x, 4) AS BIGINT) AS x3
FROM (SELECT "id" AS c0, "embedding" AS x FROM "documents") s) s

-- ======== sqlserver
SELECT c0 AS [id], CASE WHEN ok IS NOT NULL THEN CONCAT(CAST('[' AS VARCHAR(MAX)), CONCAT_WS(',', CONVERT(VARCHAR(30), 0.707106781*(x2-(x0+x1+x3)), 3), CONVERT(VARCHAR(30), 0.707106781*(x1-(x0+x2+x3)), 3)), ']') END AS z
FROM (SELECT c0, CASE WHEN (CAST(JSON_VALUE(x, '$[0]') AS FLOAT) IS NOT NULL AND CAST(JSON_VALUE(x, '$[1]') AS FLOAT) IS NOT NULL AND CAST(JSON_VALUE(x, '$[2]') AS FLOAT) IS NOT NULL AND CAST(JSON_VALUE(x, '$[3]') AS FLOAT) IS NOT NULL) THEN 0.707106781 ELSE CAST(CONCAT('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''', LEFT(CAST(NEWID() AS VARCHAR(36)), 0)) AS BIGINT) END AS ok, CAST(CAST(JSON_VALUE(x, '$[0]') AS FLOAT) AS BIGINT) AS x0, CAST(CAST(JSON_VALUE(x, '$[1]') AS FLOAT) AS BIGINT) AS x1, CAST(CAST(JSON_VALUE(x, '$[2]') AS FLOAT) AS BIGINT) AS x2, CAST(CAST(JSON_VALUE(x, '$[3]') AS FLOAT) AS BIGINT) AS x3
FROM (SELECT [id] AS c0, CAST([embedding] AS NVARCHAR(MAX)) AS x FROM [documents]) s) s

-- ======== oracle
SELECT c0 AS "id", CASE WHEN ok IS NOT NULL THEN TO_VECTOR(JSON_ARRAY(CAST(0.707106781 AS BINARY_DOUBLE)*(x2-(x0+x1+x3)), CAST(0.707106781 AS BINARY_DOUBLE)*(x1-(x0+x2+x3)) NULL ON NULL RETURNING CLOB), 2, FLOAT64) END AS z
FROM (SELECT c0, CASE WHEN (CAST(JSON_VALUE(x, '$[0]' RETURNING NUMBER) AS BINARY_DOUBLE) IS NOT NULL AND CAST(JSON_VALUE(x, '$[1]' RETURNING NUMBER) AS BINARY_DOUBLE) IS NOT NULL AND CAST(JSON_VALUE(x, '$[2]' RETURNING NUMBER) AS BINARY_DOUBLE) IS NOT NULL AND CAST(JSON_VALUE(x, '$[3]' RETURNING NUMBER) AS BINARY_DOUBLE) IS NOT NULL) THEN CAST(0.707106781 AS BINARY_DOUBLE) ELSE TO_NUMBER('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''' || substr(RAWTOHEX(SYS_GUID()), 1, 0)) END AS ok, CAST(CAST(JSON_VALUE(x, '$[0]' RETURNING NUMBER) AS BINARY_DOUBLE) AS NUMBER(19)) AS x0, CAST(CAST(JSON_VALUE(x, '$[1]' RETURNING NUMBER) AS BINARY_DOUBLE) AS NUMBER(19)) AS x1, CAST(CAST(JSON_VALUE(x, '$[2]' RETURNING NUMBER) AS BINARY_DOUBLE) AS NUMBER(19)) AS x2, CAST(CAST(JSON_VALUE(x, '$[3]' RETURNING NUMBER) AS BINARY_DOUBLE) AS NUMBER(19)) AS x3
FROM (SELECT "id" AS c0, FROM_VECTOR("embedding" RETURNING CLOB) AS x FROM "documents") s) s

-- ======== generic
-- UnsupportedError: generic has no array columns, so Array(…) is not supported: use Wide(…) or Long(…)
