-- SparseEmbedding(k=4, seed=1, nnz_per_feature=2, buckets=1)
-- array rows of integers of 8 bits; output = 'columns', nulls = 'zero', scale = True, lowering = 'inline'

-- ======== duckdb
SELECT c0 AS "id", 0.707106781*-(v0+v2) AS z0, 0.707106781*v1 AS z1, 0.707106781*-v0 AS z2, 0.707106781*(v1-v2) AS z3
FROM (SELECT c0, x1 AS v0, x0 AS v1, x2-x3 AS v2
FROM (SELECT c0, coalesce(CAST(x[1] AS SMALLINT),0) AS x0, coalesce(CAST(x[2] AS SMALLINT),0) AS x1, coalesce(CAST(x[3] AS SMALLINT),0) AS x2, coalesce(CAST(x[4] AS SMALLINT),0) AS x3
FROM (SELECT "id" AS c0, "embedding" AS x FROM "documents") s) s) s

-- ======== postgresql
SELECT c0 AS "id", CAST('0.707106781' AS double precision)*-(v0+v2) AS z0, CAST('0.707106781' AS double precision)*v1 AS z1, CAST('0.707106781' AS double precision)*-v0 AS z2, CAST('0.707106781' AS double precision)*(v1-v2) AS z3
FROM (SELECT c0, x1 AS v0, x0 AS v1, x2-x3 AS v2
FROM (SELECT c0, coalesce(CAST(x[1] AS integer),0) AS x0, coalesce(CAST(x[2] AS integer),0) AS x1, coalesce(CAST(x[3] AS integer),0) AS x2, coalesce(CAST(x[4] AS integer),0) AS x3
FROM (SELECT "id" AS c0, ("embedding")[:] AS x FROM "documents" OFFSET '0') s OFFSET '0') s OFFSET '0') s

-- ======== sqlite
-- UnsupportedError: sqlite has no array columns, so Array(…) is not supported: use Wide(…) or Long(…); of texts such as '[0.1, 0.2]', Long(…) reads the view SELECT t.`id`, CAST(j.key AS INTEGER) AS feature, CAST(j.value AS REAL) AS value FROM `documents` t, json_each(t.`embedding`) j

-- ======== mariadb
-- UnsupportedError: mariadb has no array columns, so Array(…) is not supported: use Wide(…) or Long(…); of texts such as '[0.1, 0.2]', Long(…) reads the view SELECT t.`id`, j.feature - 1 AS feature, j.value FROM `documents` t, JSON_TABLE(t.`embedding`, '$[*]' COLUMNS (feature FOR ORDINALITY, value DOUBLE PATH '$')) j

-- ======== mysql
-- UnsupportedError: mysql has no array columns, so Array(…) is not supported: use Wide(…) or Long(…); of texts such as '[0.1, 0.2]', Long(…) reads the view SELECT t.`id`, j.feature - 1 AS feature, j.value FROM `documents` t, JSON_TABLE(t.`embedding`, '$[*]' COLUMNS (feature FOR ORDINALITY, value DOUBLE PATH '$')) j

-- ======== clickhouse
SELECT c0 AS `id`, 0.707106781*-(v0+v2) AS z0, 0.707106781*v1 AS z1, 0.707106781*-v0 AS z2, 0.707106781*(v1-v2) AS z3
FROM (SELECT c0, x1 AS v0, x0 AS v1, x2-x3 AS v2
FROM (SELECT c0, coalesce(CAST(x[1] AS Int64),0) AS x0, coalesce(CAST(x[2] AS Int64),0) AS x1, coalesce(CAST(x[3] AS Int64),0) AS x2, coalesce(CAST(x[4] AS Int64),0) AS x3
FROM (SELECT `id` AS c0, `embedding` AS x FROM `documents`) s) s) s
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760

-- ======== spark
SELECT c0 AS `id`, 0.707106781*-(v0+v2) AS z0, 0.707106781*v1 AS z1, 0.707106781*-v0 AS z2, 0.707106781*(v1-v2) AS z3
FROM (SELECT c0, x1 AS v0, x0 AS v1, x2-x3 AS v2
FROM (SELECT c0, coalesce(CAST(x[0] AS INT),0) AS x0, coalesce(CAST(x[1] AS INT),0) AS x1, coalesce(CAST(x[2] AS INT),0) AS x2, coalesce(CAST(x[3] AS INT),0) AS x3
FROM (SELECT `id` AS c0, `embedding` AS x FROM `documents`) s) s) s

-- ======== snowflake
SELECT c0 AS "id", 0.707106781*-(v0+v2) AS z0, 0.707106781*v1 AS z1, 0.707106781*-v0 AS z2, 0.707106781*(v1-v2) AS z3
FROM (SELECT c0, x1 AS v0, x0 AS v1, x2-x3 AS v2
FROM (SELECT c0, coalesce(CAST(CAST(x[0] AS DOUBLE) AS BIGINT),0) AS x0, coalesce(CAST(CAST(x[1] AS DOUBLE) AS BIGINT),0) AS x1, coalesce(CAST(CAST(x[2] AS DOUBLE) AS BIGINT),0) AS x2, coalesce(CAST(CAST(x[3] AS DOUBLE) AS BIGINT),0) AS x3
FROM (SELECT "id" AS c0, "embedding" AS x FROM "documents") s) s) s

-- ======== bigquery
SELECT c0 AS `id`, 0.707106781*-(v0+v2) AS z0, 0.707106781*v1 AS z1, 0.707106781*-v0 AS z2, 0.707106781*(v1-v2) AS z3
FROM (SELECT c0, x1 AS v0, x0 AS v1, x2-x3 AS v2
FROM (SELECT c0, coalesce(CAST(x[SAFE_OFFSET(0)] AS INT64),0) AS x0, coalesce(CAST(x[SAFE_OFFSET(1)] AS INT64),0) AS x1, coalesce(CAST(x[SAFE_OFFSET(2)] AS INT64),0) AS x2, coalesce(CAST(x[SAFE_OFFSET(3)] AS INT64),0) AS x3
FROM (SELECT `id` AS c0, `embedding` AS x FROM `documents`) s) s) s

-- ======== redshift
SELECT c0 AS "id", CAST('0.707106781' AS DOUBLE PRECISION)*-(v0+v2) AS z0, CAST('0.707106781' AS DOUBLE PRECISION)*v1 AS z1, CAST('0.707106781' AS DOUBLE PRECISION)*-v0 AS z2, CAST('0.707106781' AS DOUBLE PRECISION)*(v1-v2) AS z3
FROM (SELECT c0, x1 AS v0, x0 AS v1, x2-x3 AS v2
FROM (SELECT c0, coalesce(CAST(CAST(x[0] AS DOUBLE PRECISION) AS BIGINT),0) AS x0, coalesce(CAST(CAST(x[1] AS DOUBLE PRECISION) AS BIGINT),0) AS x1, coalesce(CAST(CAST(x[2] AS DOUBLE PRECISION) AS BIGINT),0) AS x2, coalesce(CAST(CAST(x[3] AS DOUBLE PRECISION) AS BIGINT),0) AS x3
FROM (SELECT "id" AS c0, "embedding" AS x FROM "documents") s) s) s

-- ======== databricks
SELECT c0 AS `id`, 0.707106781*-(v0+v2) AS z0, 0.707106781*v1 AS z1, 0.707106781*-v0 AS z2, 0.707106781*(v1-v2) AS z3
FROM (SELECT c0, x1 AS v0, x0 AS v1, x2-x3 AS v2
FROM (SELECT c0, coalesce(CAST(x[0] AS BIGINT),0) AS x0, coalesce(CAST(x[1] AS BIGINT),0) AS x1, coalesce(CAST(x[2] AS BIGINT),0) AS x2, coalesce(CAST(x[3] AS BIGINT),0) AS x3
FROM (SELECT `id` AS c0, `embedding` AS x FROM `documents`) s) s) s

-- ======== trino
SELECT c0 AS "id", 0.707106781*-(v0+v2) AS z0, 0.707106781*v1 AS z1, 0.707106781*-v0 AS z2, 0.707106781*(v1-v2) AS z3
FROM (SELECT c0, x1 AS v0, x0 AS v1, x2-x3 AS v2
FROM (SELECT c0, coalesce(CAST(element_at(x, 1) AS BIGINT),0) AS x0, coalesce(CAST(element_at(x, 2) AS BIGINT),0) AS x1, coalesce(CAST(element_at(x, 3) AS BIGINT),0) AS x2, coalesce(CAST(element_at(x, 4) AS BIGINT),0) AS x3
FROM (SELECT "id" AS c0, "embedding" AS x FROM "documents") s) s) s

-- ======== sqlserver
SELECT c0 AS [id], 0.707106781*-(v0+v2) AS z0, 0.707106781*v1 AS z1, 0.707106781*-v0 AS z2, 0.707106781*(v1-v2) AS z3
FROM (SELECT c0, x1 AS v0, x0 AS v1, x2-x3 AS v2
FROM (SELECT c0, coalesce(CAST(CAST(JSON_VALUE(x, '$[0]') AS FLOAT) AS BIGINT),0) AS x0, coalesce(CAST(CAST(JSON_VALUE(x, '$[1]') AS FLOAT) AS BIGINT),0) AS x1, coalesce(CAST(CAST(JSON_VALUE(x, '$[2]') AS FLOAT) AS BIGINT),0) AS x2, coalesce(CAST(CAST(JSON_VALUE(x, '$[3]') AS FLOAT) AS BIGINT),0) AS x3
FROM (SELECT [id] AS c0, CAST([embedding] AS NVARCHAR(MAX)) AS x FROM [documents]) s) s) s

-- ======== oracle
SELECT c0 AS "id", CAST(0.707106781 AS BINARY_DOUBLE)*-(v0+v2) AS z0, CAST(0.707106781 AS BINARY_DOUBLE)*v1 AS z1, CAST(0.707106781 AS BINARY_DOUBLE)*-v0 AS z2, CAST(0.707106781 AS BINARY_DOUBLE)*(v1-v2) AS z3
FROM (SELECT c0, x1 AS v0, x0 AS v1, x2-x3 AS v2
FROM (SELECT c0, coalesce(CAST(CAST(JSON_VALUE(x, '$[0]' RETURNING NUMBER) AS BINARY_DOUBLE) AS NUMBER(19)),0) AS x0, coalesce(CAST(CAST(JSON_VALUE(x, '$[1]' RETURNING NUMBER) AS BINARY_DOUBLE) AS NUMBER(19)),0) AS x1, coalesce(CAST(CAST(JSON_VALUE(x, '$[2]' RETURNING NUMBER) AS BINARY_DOUBLE) AS NUMBER(19)),0) AS x2, coalesce(CAST(CAST(JSON_VALUE(x, '$[3]' RETURNING NUMBER) AS BINARY_DOUBLE) AS NUMBER(19)),0) AS x3
FROM (SELECT "id" AS c0, FROM_VECTOR("embedding" RETURNING CLOB) AS x FROM "documents") s) s) s

-- ======== generic
-- UnsupportedError: generic has no array columns, so Array(…) is not supported: use Wide(…) or Long(…)
