-- NystroemProjection(k=2, seed=0, state='eNoL8GZm0WWAAEWG9MSrQv+hgJdBhCEnMS8lN7E…JiAsARI3wGbDQA7c5rz', sample=4, degree=2, c=0.0, kernel_name='cosine', gamma=None, bound_to=4)
-- array rows of floats; output = 'long', nulls = 'error', scale = True, lowering = 'inline'

-- ======== duckdb
SELECT c0 AS "id", unnest(range(len(z))) AS component, unnest(z) AS value FROM (SELECT c0, [((CAST(0.835584e0 AS FLOAT)*v0+CAST(0.038656e0 AS FLOAT)*v2+CAST(0.456448e0 AS FLOAT)*v3)-CAST(0.301952e0 AS FLOAT)*v1)+ok, (CAST(0.104448e0 AS FLOAT)*v0+CAST(0.874496e0 AS FLOAT)*v1+CAST(0.309248e0 AS FLOAT)*v2+CAST(0.361472e0 AS FLOAT)*v3)+ok] AS z
FROM (SELECT c0, ok, x0/CASE WHEN m = 0 THEN 1 ELSE m END AS v0, x1/CASE WHEN m = 0 THEN 1 ELSE m END AS v1, x2/CASE WHEN m = 0 THEN 1 ELSE m END AS v2, x3/CASE WHEN m = 0 THEN 1 ELSE m END AS v3
FROM (SELECT c0, ok, x0, x1, x2, x3, sqrt((x0*x0+x1*x1+x2*x2+x3*x3)) AS m
FROM (SELECT c0, CASE WHEN x IS NOT NULL AND list_position(x, NULL) IS NULL THEN 0 ELSE error('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''') END AS ok, CAST(x[1] AS FLOAT) AS x0, CAST(x[2] AS FLOAT) AS x1, CAST(x[3] AS FLOAT) AS x2, CAST(x[4] AS FLOAT) AS x3
FROM (SELECT "id" AS c0, "embedding" AS x FROM "documents") s) s) s) s) s

-- ======== postgresql
SELECT c0 AS "id", o - 1 AS component, e AS value
FROM (SELECT c0, ARRAY[((CAST('0.835584' AS double precision)*v0+CAST('0.038656' AS double precision)*v2+CAST('0.456448' AS double precision)*v3)-CAST('0.301952' AS double precision)*v1)+ok,(CAST('0.104448' AS double precision)*v0+CAST('0.874496' AS double precision)*v1+CAST('0.309248' AS double precision)*v2+CAST('0.361472' AS double precision)*v3)+ok] AS z
FROM (SELECT c0, ok, x0/CASE WHEN m = 0 THEN 1 ELSE m END AS v0, x1/CASE WHEN m = 0 THEN 1 ELSE m END AS v1, x2/CASE WHEN m = 0 THEN 1 ELSE m END AS v2, x3/CASE WHEN m = 0 THEN 1 ELSE m END AS v3
FROM (SELECT c0, ok, x0, x1, x2, x3, sqrt((x0*x0+x1*x1+x2*x2+x3*x3)) AS m
FROM (SELECT c0, CASE WHEN x IS NOT NULL AND array_position(x, NULL) IS NULL THEN 0 ELSE CAST('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''' || left(CAST(clock_timestamp() AS text), 0) AS bigint) END AS ok, CAST(x[1] AS double precision) AS x0, CAST(x[2] AS double precision) AS x1, CAST(x[3] AS double precision) AS x2, CAST(x[4] AS double precision) AS x3
FROM (SELECT "id" AS c0, ("embedding")[:] AS x FROM "documents" OFFSET '0') s OFFSET '0') s OFFSET '0') s OFFSET '0') s) s, unnest(z) WITH ORDINALITY AS u(e, o)

-- ======== sqlite
-- UnsupportedError: sqlite has no array columns, so Array(…) is not supported: use Wide(…) or Long(…); of texts such as '[0.1, 0.2]', Long(…) reads the view SELECT t.`id`, CAST(j.key AS INTEGER) AS feature, CAST(j.value AS REAL) AS value FROM `documents` t, json_each(t.`embedding`) j

-- ======== mariadb
-- UnsupportedError: mariadb has no array columns, so Array(…) is not supported: use Wide(…) or Long(…); of texts such as '[0.1, 0.2]', Long(…) reads the view SELECT t.`id`, j.feature - 1 AS feature, j.value FROM `documents` t, JSON_TABLE(t.`embedding`, '$[*]' COLUMNS (feature FOR ORDINALITY, value DOUBLE PATH '$')) j

-- ======== mysql
-- UnsupportedError: mysql has no array columns, so Array(…) is not supported: use Wide(…) or Long(…); of texts such as '[0.1, 0.2]', Long(…) reads the view SELECT t.`id`, j.feature - 1 AS feature, j.value FROM `documents` t, JSON_TABLE(t.`embedding`, '$[*]' COLUMNS (feature FOR ORDINALITY, value DOUBLE PATH '$')) j

-- ======== clickhouse
SELECT c0 AS `id`, toInt64(o) - 1 AS component, e AS value
FROM (SELECT c0, [((CAST(0.835584e0 AS Float64)*v0+CAST(0.038656e0 AS Float64)*v2+CAST(0.456448e0 AS Float64)*v3)-CAST(0.301952e0 AS Float64)*v1)+ok,(CAST(0.104448e0 AS Float64)*v0+CAST(0.874496e0 AS Float64)*v1+CAST(0.309248e0 AS Float64)*v2+CAST(0.361472e0 AS Float64)*v3)+ok] AS z
FROM (SELECT c0, ok, x0/CASE WHEN m = 0 THEN 1 ELSE m END AS v0, x1/CASE WHEN m = 0 THEN 1 ELSE m END AS v1, x2/CASE WHEN m = 0 THEN 1 ELSE m END AS v2, x3/CASE WHEN m = 0 THEN 1 ELSE m END AS v3
FROM (SELECT c0, ok, x0, x1, x2, x3, sqrt((x0*x0+x1*x1+x2*x2+x3*x3)) AS m
FROM (SELECT c0, CASE WHEN NOT arrayExists(e -> e IS NULL, x) THEN 0 ELSE throwIf(1, 'sqlrp: a feature is NULL and nulls = \'error\': clean the row, or use nulls = \'zero\' or \'propagate\'') END AS ok, CAST(x[1] AS Float64) AS x0, CAST(x[2] AS Float64) AS x1, CAST(x[3] AS Float64) AS x2, CAST(x[4] AS Float64) AS x3
FROM (SELECT `id` AS c0, `embedding` AS x FROM `documents`) s) s) s) s) s ARRAY JOIN z AS e, arrayEnumerate(z) AS o
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760

-- ======== spark
SELECT c0 AS `id`, CAST(o AS BIGINT) AS component, e AS value
FROM (SELECT c0, array(((CAST(0.835584e0 AS DOUBLE)*v0+CAST(0.038656e0 AS DOUBLE)*v2+CAST(0.456448e0 AS DOUBLE)*v3)-CAST(0.301952e0 AS DOUBLE)*v1)+ok,(CAST(0.104448e0 AS DOUBLE)*v0+CAST(0.874496e0 AS DOUBLE)*v1+CAST(0.309248e0 AS DOUBLE)*v2+CAST(0.361472e0 AS DOUBLE)*v3)+ok) AS z
FROM (SELECT c0, ok, x0/CASE WHEN m = 0 THEN 1 ELSE m END AS v0, x1/CASE WHEN m = 0 THEN 1 ELSE m END AS v1, x2/CASE WHEN m = 0 THEN 1 ELSE m END AS v2, x3/CASE WHEN m = 0 THEN 1 ELSE m END AS v3
FROM (SELECT c0, ok, x0, x1, x2, x3, sqrt((x0*x0+x1*x1+x2*x2+x3*x3)) AS m
FROM (SELECT c0, CAST(x[0] AS DOUBLE) AS x0, CAST(x[1] AS DOUBLE) AS x1, CAST(x[2] AS DOUBLE) AS x2, CAST(x[3] AS DOUBLE) AS x3, CASE WHEN (x IS NOT NULL AND NOT exists(x, e -> e IS NULL)) THEN 0 ELSE raise_error('sqlrp: a feature is NULL and nulls = \'error\': clean the row, or use nulls = \'zero\' or \'propagate\'') END AS ok
FROM (SELECT `id` AS c0, `embedding` AS x FROM `documents`) s) s) s) s) s LATERAL VIEW OUTER posexplode(z) u AS o, e

-- ======== snowflake
SELECT c0 AS "id", n AS component, CASE WHEN n < 1 THEN z0 ELSE z1 END AS value
FROM (SELECT c0, ((CAST(0.835584e0 AS DOUBLE)*v0+CAST(0.038656e0 AS DOUBLE)*v2+CAST(0.456448e0 AS DOUBLE)*v3)-CAST(0.301952e0 AS DOUBLE)*v1)+ok AS z0, (CAST(0.104448e0 AS DOUBLE)*v0+CAST(0.874496e0 AS DOUBLE)*v1+CAST(0.309248e0 AS DOUBLE)*v2+CAST(0.361472e0 AS DOUBLE)*v3)+ok AS z1
FROM (SELECT c0, ok, x0/CASE WHEN m = 0 THEN 1 ELSE m END AS v0, x1/CASE WHEN m = 0 THEN 1 ELSE m END AS v1, x2/CASE WHEN m = 0 THEN 1 ELSE m END AS v2, x3/CASE WHEN m = 0 THEN 1 ELSE m END AS v3
FROM (SELECT c0, ok, x0, x1, x2, x3, sqrt((x0*x0+x1*x1+x2*x2+x3*x3)) AS m
FROM (SELECT c0, CASE WHEN (CAST(x[0] AS DOUBLE) IS NOT NULL AND CAST(x[1] AS DOUBLE) IS NOT NULL AND CAST(x[2] AS DOUBLE) IS NOT NULL AND CAST(x[3] AS DOUBLE) IS NOT NULL) THEN 0 ELSE CAST(concat('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''', substr(CAST(CASE WHEN (CAST(x[0] AS DOUBLE) IS NOT NULL AND CAST(x[1] AS DOUBLE) IS NOT NULL AND CAST(x[2] AS DOUBLE) IS NOT NULL AND CAST(x[3] AS DOUBLE) IS NOT NULL) THEN 1 ELSE 0 END AS VARCHAR), 1, 0)) AS BIGINT) END AS ok, CAST(CAST(x[0] AS DOUBLE) AS DOUBLE) AS x0, CAST(CAST(x[1] AS DOUBLE) AS DOUBLE) AS x1, CAST(CAST(x[2] AS DOUBLE) AS DOUBLE) AS x2, CAST(CAST(x[3] AS DOUBLE) AS DOUBLE) AS x3
FROM (SELECT "id" AS c0, "embedding" AS x FROM "documents") s) s) s) s) s CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2) counted

-- ======== bigquery
SELECT c0 AS `id`, n AS component, CASE WHEN n < 1 THEN z0 ELSE z1 END AS value
FROM (SELECT c0, ((CAST(0.835584e0 AS FLOAT64)*v0+CAST(0.038656e0 AS FLOAT64)*v2+CAST(0.456448e0 AS FLOAT64)*v3)-CAST(0.301952e0 AS FLOAT64)*v1)+ok AS z0, (CAST(0.104448e0 AS FLOAT64)*v0+CAST(0.874496e0 AS FLOAT64)*v1+CAST(0.309248e0 AS FLOAT64)*v2+CAST(0.361472e0 AS FLOAT64)*v3)+ok AS z1
FROM (SELECT c0, ok, x0/CASE WHEN m = 0 THEN 1 ELSE m END AS v0, x1/CASE WHEN m = 0 THEN 1 ELSE m END AS v1, x2/CASE WHEN m = 0 THEN 1 ELSE m END AS v2, x3/CASE WHEN m = 0 THEN 1 ELSE m END AS v3
FROM (SELECT c0, ok, x0, x1, x2, x3, sqrt((x0*x0+x1*x1+x2*x2+x3*x3)) AS m
FROM (SELECT c0, CASE WHEN (ARRAY_LENGTH(x) > 0 AND NOT EXISTS(SELECT 1 FROM UNNEST(x) e WHERE e IS NULL)) THEN 0 ELSE ERROR('sqlrp: a feature is NULL and nulls = \'error\': clean the row, or use nulls = \'zero\' or \'propagate\'') END AS ok, CAST(x[SAFE_OFFSET(0)] AS FLOAT64) AS x0, CAST(x[SAFE_OFFSET(1)] AS FLOAT64) AS x1, CAST(x[SAFE_OFFSET(2)] AS FLOAT64) AS x2, CAST(x[SAFE_OFFSET(3)] AS FLOAT64) AS x3
FROM (SELECT `id` AS c0, `embedding` AS x FROM `documents`) s) s) s) s) s CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS INT64) AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2) counted

-- ======== redshift
SELECT c0 AS "id", n AS component, CASE WHEN n < 1 THEN z0 ELSE z1 END AS value
FROM (SELECT c0, ((CAST('0.835584' AS DOUBLE PRECISION)*v0+CAST('0.038656' AS DOUBLE PRECISION)*v2+CAST('0.456448' AS DOUBLE PRECISION)*v3)-CAST('0.301952' AS DOUBLE PRECISION)*v1)+ok AS z0, (CAST('0.104448' AS DOUBLE PRECISION)*v0+CAST('0.874496' AS DOUBLE PRECISION)*v1+CAST('0.309248' AS DOUBLE PRECISION)*v2+CAST('0.361472' AS DOUBLE PRECISION)*v3)+ok AS z1
FROM (SELECT c0, ok, x0/CASE WHEN m = 0 THEN 1 ELSE m END AS v0, x1/CASE WHEN m = 0 THEN 1 ELSE m END AS v1, x2/CASE WHEN m = 0 THEN 1 ELSE m END AS v2, x3/CASE WHEN m = 0 THEN 1 ELSE m END AS v3
FROM (SELECT c0, ok, x0, x1, x2, x3, sqrt((x0*x0+x1*x1+x2*x2+x3*x3)) AS m
FROM (SELECT c0, CASE WHEN (CAST(x[0] AS DOUBLE PRECISION) IS NOT NULL AND CAST(x[1] AS DOUBLE PRECISION) IS NOT NULL AND CAST(x[2] AS DOUBLE PRECISION) IS NOT NULL AND CAST(x[3] AS DOUBLE PRECISION) IS NOT NULL) THEN 0 ELSE CAST(concat('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''', substr(CAST(CASE WHEN (CAST(x[0] AS DOUBLE PRECISION) IS NOT NULL AND CAST(x[1] AS DOUBLE PRECISION) IS NOT NULL AND CAST(x[2] AS DOUBLE PRECISION) IS NOT NULL AND CAST(x[3] AS DOUBLE PRECISION) IS NOT NULL) THEN 1 ELSE 0 END AS VARCHAR), 1, 0)) AS BIGINT) END AS ok, CAST(CAST(x[0] AS DOUBLE PRECISION) AS DOUBLE PRECISION) AS x0, CAST(CAST(x[1] AS DOUBLE PRECISION) AS DOUBLE PRECISION) AS x1, CAST(CAST(x[2] AS DOUBLE PRECISION) AS DOUBLE PRECISION) AS x2, CAST(CAST(x[3] AS DOUBLE PRECISION) AS DOUBLE PRECISION) AS x3
FROM (SELECT "id" AS c0, "embedding" AS x FROM "documents") s) s) s) s) s CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2) counted

-- ======== databricks
SELECT c0 AS `id`, n AS component, CASE WHEN n < 1 THEN z0 ELSE z1 END AS value
FROM (SELECT c0, ((CAST(0.835584e0 AS DOUBLE)*v0+CAST(0.038656e0 AS DOUBLE)*v2+CAST(0.456448e0 AS DOUBLE)*v3)-CAST(0.301952e0 AS DOUBLE)*v1)+ok AS z0, (CAST(0.104448e0 AS DOUBLE)*v0+CAST(0.874496e0 AS DOUBLE)*v1+CAST(0.309248e0 AS DOUBLE)*v2+CAST(0.361472e0 AS DOUBLE)*v3)+ok AS z1
FROM (SELECT c0, ok, x0/CASE WHEN m = 0 THEN 1 ELSE m END AS v0, x1/CASE WHEN m = 0 THEN 1 ELSE m END AS v1, x2/CASE WHEN m = 0 THEN 1 ELSE m END AS v2, x3/CASE WHEN m = 0 THEN 1 ELSE m END AS v3
FROM (SELECT c0, ok, x0, x1, x2, x3, sqrt((x0*x0+x1*x1+x2*x2+x3*x3)) AS m
FROM (SELECT c0, CAST(x[0] AS DOUBLE) AS x0, CAST(x[1] AS DOUBLE) AS x1, CAST(x[2] AS DOUBLE) AS x2, CAST(x[3] AS DOUBLE) AS x3, CASE WHEN (x IS NOT NULL AND size(filter(x, e -> e IS NULL)) = 0) THEN 0 ELSE raise_error('sqlrp: a feature is NULL and nulls = \'error\': clean the row, or use nulls = \'zero\' or \'propagate\'') END AS ok
FROM (SELECT `id` AS c0, `embedding` AS x FROM `documents`) s) s) s) s) s CROSS JOIN (SELECT id AS n FROM range(2)) counted

-- ======== trino
SELECT c0 AS "id", n AS component, CASE WHEN n < 1 THEN z0 ELSE z1 END AS value
FROM (SELECT c0, ((CAST(0.835584e0 AS DOUBLE)*v0+CAST(0.038656e0 AS DOUBLE)*v2+CAST(0.456448e0 AS DOUBLE)*v3)-CAST(0.301952e0 AS DOUBLE)*v1)+ok AS z0, (CAST(0.104448e0 AS DOUBLE)*v0+CAST(0.874496e0 AS DOUBLE)*v1+CAST(0.309248e0 AS DOUBLE)*v2+CAST(0.361472e0 AS DOUBLE)*v3)+ok AS z1
FROM (SELECT c0, ok, x0/CASE WHEN m = 0 THEN 1 ELSE m END AS v0, x1/CASE WHEN m = 0 THEN 1 ELSE m END AS v1, x2/CASE WHEN m = 0 THEN 1 ELSE m END AS v2, x3/CASE WHEN m = 0 THEN 1 ELSE m END AS v3
FROM (SELECT c0, ok, x0, x1, x2, x3, sqrt((x0*x0+x1*x1+x2*x2+x3*x3)) AS m
FROM (SELECT c0, CASE WHEN (x IS NOT NULL AND cardinality(filter(x, e -> e IS NULL)) = 0) THEN 0 ELSE CAST(concat('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''', substr(CAST(CASE WHEN (x IS NOT NULL AND cardinality(filter(x, e -> e IS NULL)) = 0) THEN 1 ELSE 0 END AS VARCHAR), 1, 0)) AS BIGINT) END AS ok, CAST(element_at(x, 1) AS DOUBLE) AS x0, CAST(element_at(x, 2) AS DOUBLE) AS x1, CAST(element_at(x, 3) AS DOUBLE) AS x2, CAST(element_at(x, 4) AS DOUBLE) AS x3
FROM (SELECT "id" AS c0, "embedding" AS x FROM "documents") s) s) s) s) s CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2) counted

-- ======== sqlserver
SELECT c0 AS [id], n AS component, CASE WHEN n < 1 THEN z0 ELSE z1 END AS value
FROM (SELECT c0, ((CAST(0.835584e0 AS FLOAT)*v0+CAST(0.038656e0 AS FLOAT)*v2+CAST(0.456448e0 AS FLOAT)*v3)-CAST(0.301952e0 AS FLOAT)*v1)+ok AS z0, (CAST(0.104448e0 AS FLOAT)*v0+CAST(0.874496e0 AS FLOAT)*v1+CAST(0.309248e0 AS FLOAT)*v2+CAST(0.361472e0 AS FLOAT)*v3)+ok AS z1
FROM (SELECT c0, ok, x0/CASE WHEN m = 0 THEN 1 ELSE m END AS v0, x1/CASE WHEN m = 0 THEN 1 ELSE m END AS v1, x2/CASE WHEN m = 0 THEN 1 ELSE m END AS v2, x3/CASE WHEN m = 0 THEN 1 ELSE m END AS v3
FROM (SELECT c0, ok, x0, x1, x2, x3, sqrt((x0*x0+x1*x1+x2*x2+x3*x3)) AS m
FROM (SELECT c0, CASE WHEN (CAST(JSON_VALUE(x, '$[0]') AS FLOAT) IS NOT NULL AND CAST(JSON_VALUE(x, '$[1]') AS FLOAT) IS NOT NULL AND CAST(JSON_VALUE(x, '$[2]') AS FLOAT) IS NOT NULL AND CAST(JSON_VALUE(x, '$[3]') AS FLOAT) IS NOT NULL) THEN 0 ELSE CAST(CONCAT('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''', LEFT(CAST(NEWID() AS VARCHAR(36)), 0)) AS BIGINT) END AS ok, CAST(CAST(JSON_VALUE(x, '$[0]') AS FLOAT) AS FLOAT) AS x0, CAST(CAST(JSON_VALUE(x, '$[1]') AS FLOAT) AS FLOAT) AS x1, CAST(CAST(JSON_VALUE(x, '$[2]') AS FLOAT) AS FLOAT) AS x2, CAST(CAST(JSON_VALUE(x, '$[3]') AS FLOAT) AS FLOAT) AS x3
FROM (SELECT [id] AS c0, CAST([embedding] AS NVARCHAR(MAX)) AS x FROM [documents]) s) s) s) s) s CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS n FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2) counted

-- ======== oracle
SELECT c0 AS "id", n AS component, CASE WHEN n < 1 THEN z0 ELSE z1 END AS value
FROM (SELECT c0, ((CAST(0.835584e0 AS BINARY_DOUBLE)*v0+CAST(0.038656e0 AS BINARY_DOUBLE)*v2+CAST(0.456448e0 AS BINARY_DOUBLE)*v3)-CAST(0.301952e0 AS BINARY_DOUBLE)*v1)+ok AS z0, (CAST(0.104448e0 AS BINARY_DOUBLE)*v0+CAST(0.874496e0 AS BINARY_DOUBLE)*v1+CAST(0.309248e0 AS BINARY_DOUBLE)*v2+CAST(0.361472e0 AS BINARY_DOUBLE)*v3)+ok AS z1
FROM (SELECT c0, ok, x0/CASE WHEN m = 0 THEN 1 ELSE m END AS v0, x1/CASE WHEN m = 0 THEN 1 ELSE m END AS v1, x2/CASE WHEN m = 0 THEN 1 ELSE m END AS v2, x3/CASE WHEN m = 0 THEN 1 ELSE m END AS v3
FROM (SELECT c0, ok, x0, x1, x2, x3, sqrt((x0*x0+x1*x1+x2*x2+x3*x3)) AS m
FROM (SELECT c0, CASE WHEN (CAST(JSON_VALUE(x, '$[0]' RETURNING NUMBER) AS BINARY_DOUBLE) IS NOT NULL AND CAST(JSON_VALUE(x, '$[1]' RETURNING NUMBER) AS BINARY_DOUBLE) IS NOT NULL AND CAST(JSON_VALUE(x, '$[2]' RETURNING NUMBER) AS BINARY_DOUBLE) IS NOT NULL AND CAST(JSON_VALUE(x, '$[3]' RETURNING NUMBER) AS BINARY_DOUBLE) IS NOT NULL) THEN 0 ELSE TO_NUMBER('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''' || substr(RAWTOHEX(SYS_GUID()), 1, 0)) END AS ok, CAST(CAST(JSON_VALUE(x, '$[0]' RETURNING NUMBER) AS BINARY_DOUBLE) AS BINARY_DOUBLE) AS x0, CAST(CAST(JSON_VALUE(x, '$[1]' RETURNING NUMBER) AS BINARY_DOUBLE) AS BINARY_DOUBLE) AS x1, CAST(CAST(JSON_VALUE(x, '$[2]' RETURNING NUMBER) AS BINARY_DOUBLE) AS BINARY_DOUBLE) AS x2, CAST(CAST(JSON_VALUE(x, '$[3]' RETURNING NUMBER) AS BINARY_DOUBLE) AS BINARY_DOUBLE) AS x3
FROM (SELECT "id" AS c0, FROM_VECTOR("embedding" RETURNING CLOB) AS x FROM "documents") s) s) s) s) s CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS NUMBER(19)) AS n FROM (SELECT 0 AS d FROM dual UNION ALL SELECT 1 FROM dual UNION ALL SELECT 2 FROM dual UNION ALL SELECT 3 FROM dual UNION ALL SELECT 4 FROM dual UNION ALL SELECT 5 FROM dual UNION ALL SELECT 6 FROM dual UNION ALL SELECT 7 FROM dual UNION ALL SELECT 8 FROM dual UNION ALL SELECT 9 FROM dual) d0 WHERE 1 * d0.d < 2) counted

-- ======== generic
-- UnsupportedError: generic has no array columns, so Array(…) is not supported: use Wide(…) or Long(…)
