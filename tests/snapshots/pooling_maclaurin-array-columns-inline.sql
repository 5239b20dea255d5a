-- MaclaurinPooling(k=2, seed=1, normalise=True, split=None)
-- array rows of integers of 8 bits; output = 'columns', nulls = 'propagate', scale = True, lowering = 'inline'

-- ======== duckdb
SELECT c0 AS "id", y0__/CASE WHEN n = 0 THEN 1 ELSE n END+ok AS z0, y1__/CASE WHEN n = 0 THEN 1 ELSE n END+ok AS z1
FROM (SELECT c0, ok, y0__, y1__, sqrt((y0__*y0__+y1__*y1__)) AS n
FROM (SELECT c0, ok, CASE WHEN y0_ < 0 THEN -sqrt(-y0_) ELSE sqrt(y0_) END AS y0__, CASE WHEN y1_ < 0 THEN -sqrt(-y1_) ELSE sqrt(y1_) END AS y1__
FROM (SELECT c0, ok, y0 AS y0_, y1 AS y1_
FROM (SELECT c0, CASE WHEN count(ok) = count(*) THEN 0 END AS ok, CAST(SUM(u0*u1) AS DOUBLE) AS y0, CAST(SUM(u2*u3) AS DOUBLE) AS y1
FROM (SELECT c0, ok, -w2 AS u0, w0 AS u1, -w1 AS u2, w2 AS u3
FROM (SELECT c0, ok, v0-v2 AS w0, v1+v2 AS w1, v1-v2 AS w2
FROM (SELECT c0, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2
FROM (SELECT c0, CASE WHEN x IS NOT NULL AND list_position(x, NULL) IS NULL THEN 0 END AS ok, CAST(x[1] AS DOUBLE) AS x0, CAST(x[2] AS DOUBLE) AS x1, CAST(x[3] AS DOUBLE) AS x2, CAST(x[4] AS DOUBLE) AS x3
FROM (SELECT "id" AS c0, "embedding" AS x FROM "documents") s) s) s) s) s GROUP BY c0) s) s) s) s

-- ======== postgresql
SELECT c0 AS "id", y0__/CASE WHEN n = 0 THEN 1 ELSE n END+ok AS z0, y1__/CASE WHEN n = 0 THEN 1 ELSE n END+ok AS z1
FROM (SELECT c0, ok, y0__, y1__, sqrt((y0__*y0__+y1__*y1__)) AS n
FROM (SELECT c0, ok, CASE WHEN y0_ < 0 THEN -sqrt(-y0_) ELSE sqrt(y0_) END AS y0__, CASE WHEN y1_ < 0 THEN -sqrt(-y1_) ELSE sqrt(y1_) END AS y1__
FROM (SELECT c0, ok, y0 AS y0_, y1 AS y1_
FROM (SELECT c0, CASE WHEN count(ok) = count(*) THEN 0 END AS ok, CAST(SUM(u0*u1) AS double precision) AS y0, CAST(SUM(u2*u3) AS double precision) AS y1
FROM (SELECT c0, ok, -w2 AS u0, w0 AS u1, -w1 AS u2, w2 AS u3
FROM (SELECT c0, ok, v0-v2 AS w0, v1+v2 AS w1, v1-v2 AS w2
FROM (SELECT c0, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2
FROM (SELECT c0, CASE WHEN x IS NOT NULL AND array_position(x, NULL) IS NULL THEN 0 END AS ok, CAST(x[1] AS double precision) AS x0, CAST(x[2] AS double precision) AS x1, CAST(x[3] AS double precision) AS x2, CAST(x[4] AS double precision) AS x3
FROM (SELECT "id" AS c0, ("embedding")[:] AS x FROM "documents" OFFSET '0') s OFFSET '0') s OFFSET '0') s OFFSET '0') s OFFSET '0') s GROUP BY c0) s OFFSET '0') s OFFSET '0') s OFFSET '0') s

-- ======== sqlite
-- UnsupportedError: sqlite has no array columns, so Array(…) is not supported: use Wide(…) or Long(…); of texts such as '[0.1, 0.2]', Long(…) reads the view SELECT t.`id`, CAST(j.key AS INTEGER) AS feature, CAST(j.value AS REAL) AS value FROM `documents` t, json_each(t.`embedding`) j

-- ======== mariadb
-- UnsupportedError: mariadb has no array columns, so Array(…) is not supported: use Wide(…) or Long(…); of texts such as '[0.1, 0.2]', Long(…) reads the view SELECT t.`id`, j.feature - 1 AS feature, j.value FROM `documents` t, JSON_TABLE(t.`embedding`, '$[*]' COLUMNS (feature FOR ORDINALITY, value DOUBLE PATH '$')) j

-- ======== mysql
-- UnsupportedError: mysql has no array columns, so Array(…) is not supported: use Wide(…) or Long(…); of texts such as '[0.1, 0.2]', Long(…) reads the view SELECT t.`id`, j.feature - 1 AS feature, j.value FROM `documents` t, JSON_TABLE(t.`embedding`, '$[*]' COLUMNS (feature FOR ORDINALITY, value DOUBLE PATH '$')) j

-- ======== clickhouse
SELECT c0 AS `id`, y0__/CASE WHEN n = 0 THEN 1 ELSE n END+ok AS z0, y1__/CASE WHEN n = 0 THEN 1 ELSE n END+ok AS z1
FROM (SELECT c0, ok, y0__, y1__, sqrt((y0__*y0__+y1__*y1__)) AS n
FROM (SELECT c0, ok, CASE WHEN y0_ < 0 THEN -sqrt(-y0_) ELSE sqrt(y0_) END AS y0__, CASE WHEN y1_ < 0 THEN -sqrt(-y1_) ELSE sqrt(y1_) END AS y1__
FROM (SELECT c0, ok, y0 AS y0_, y1 AS y1_
FROM (SELECT c0, CASE WHEN count(ok) = count(*) THEN 0 END AS ok, CAST(SUM(u0*u1) AS Float64) AS y0, CAST(SUM(u2*u3) AS Float64) AS y1
FROM (SELECT c0, ok, -w2 AS u0, w0 AS u1, -w1 AS u2, w2 AS u3
FROM (SELECT c0, ok, v0-v2 AS w0, v1+v2 AS w1, v1-v2 AS w2
FROM (SELECT c0, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2
FROM (SELECT c0, CASE WHEN NOT arrayExists(e -> e IS NULL, x) THEN 0 END AS ok, CAST(x[1] AS Float64) AS x0, CAST(x[2] AS Float64) AS x1, CAST(x[3] AS Float64) AS x2, CAST(x[4] AS Float64) AS x3
FROM (SELECT `id` AS c0, `embedding` AS x FROM `documents`) s) s) s) s) s GROUP BY c0) s) s) s) s
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760

-- ======== spark
SELECT c0 AS `id`, y0__/CASE WHEN n = 0 THEN 1 ELSE n END+ok AS z0, y1__/CASE WHEN n = 0 THEN 1 ELSE n END+ok AS z1
FROM (SELECT c0, ok, y0__, y1__, sqrt((y0__*y0__+y1__*y1__)) AS n
FROM (SELECT c0, ok, CASE WHEN y0_ < 0 THEN -sqrt(-y0_) ELSE sqrt(y0_) END AS y0__, CASE WHEN y1_ < 0 THEN -sqrt(-y1_) ELSE sqrt(y1_) END AS y1__
FROM (SELECT c0, ok, y0 AS y0_, y1 AS y1_
FROM (SELECT c0, CASE WHEN count(ok) = count(*) THEN 0 END AS ok, CAST(SUM(u0*u1) AS DOUBLE) AS y0, CAST(SUM(u2*u3) AS DOUBLE) AS y1
FROM (SELECT c0, ok, -w2 AS u0, w0 AS u1, -w1 AS u2, w2 AS u3
FROM (SELECT c0, ok, v0-v2 AS w0, v1+v2 AS w1, v1-v2 AS w2
FROM (SELECT c0, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2
FROM (SELECT c0, CAST(x[0] AS DOUBLE) AS x0, CAST(x[1] AS DOUBLE) AS x1, CAST(x[2] AS DOUBLE) AS x2, CAST(x[3] AS DOUBLE) AS x3, CASE WHEN (x IS NOT NULL AND NOT exists(x, e -> e IS NULL)) THEN 0 END AS ok
FROM (SELECT `id` AS c0, `embedding` AS x FROM `documents`) s) s) s) s) s GROUP BY c0) s) s) s) s

-- ======== snowflake
SELECT c0 AS "id", y0__/CASE WHEN n = 0 THEN 1 ELSE n END+ok AS z0, y1__/CASE WHEN n = 0 THEN 1 ELSE n END+ok AS z1
FROM (SELECT c0, ok, y0__, y1__, sqrt((y0__*y0__+y1__*y1__)) AS n
FROM (SELECT c0, ok, CASE WHEN y0_ < 0 THEN -sqrt(-y0_) ELSE sqrt(y0_) END AS y0__, CASE WHEN y1_ < 0 THEN -sqrt(-y1_) ELSE sqrt(y1_) END AS y1__
FROM (SELECT c0, ok, y0 AS y0_, y1 AS y1_
FROM (SELECT c0, CASE WHEN count(ok) = count(*) THEN 0 END AS ok, CAST(SUM(u0*u1) AS DOUBLE) AS y0, CAST(SUM(u2*u3) AS DOUBLE) AS y1
FROM (SELECT c0, ok, -w2 AS u0, w0 AS u1, -w1 AS u2, w2 AS u3
FROM (SELECT c0, ok, v0-v2 AS w0, v1+v2 AS w1, v1-v2 AS w2
FROM (SELECT c0, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2
FROM (SELECT c0, CASE WHEN (CAST(x[0] AS DOUBLE) IS NOT NULL AND CAST(x[1] AS DOUBLE) IS NOT NULL AND CAST(x[2] AS DOUBLE) IS NOT NULL AND CAST(x[3] AS DOUBLE) IS NOT NULL) THEN 0 END AS ok, CAST(CAST(x[0] AS DOUBLE) AS DOUBLE) AS x0, CAST(CAST(x[1] AS DOUBLE) AS DOUBLE) AS x1, CAST(CAST(x[2] AS DOUBLE) AS DOUBLE) AS x2, CAST(CAST(x[3] AS DOUBLE) AS DOUBLE) AS x3
FROM (SELECT "id" AS c0, "embedding" AS x FROM "documents") s) s) s) s) s GROUP BY c0) s) s) s) s

-- ======== bigquery
SELECT c0 AS `id`, y0__/CASE WHEN n = 0 THEN 1 ELSE n END+ok AS z0, y1__/CASE WHEN n = 0 THEN 1 ELSE n END+ok AS z1
FROM (SELECT c0, ok, y0__, y1__, sqrt((y0__*y0__+y1__*y1__)) AS n
FROM (SELECT c0, ok, CASE WHEN y0_ < 0 THEN -sqrt(-y0_) ELSE sqrt(y0_) END AS y0__, CASE WHEN y1_ < 0 THEN -sqrt(-y1_) ELSE sqrt(y1_) END AS y1__
FROM (SELECT c0, ok, y0 AS y0_, y1 AS y1_
FROM (SELECT c0, CASE WHEN count(ok) = count(*) THEN 0 END AS ok, CAST(SUM(u0*u1) AS FLOAT64) AS y0, CAST(SUM(u2*u3) AS FLOAT64) AS y1
FROM (SELECT c0, ok, -w2 AS u0, w0 AS u1, -w1 AS u2, w2 AS u3
FROM (SELECT c0, ok, v0-v2 AS w0, v1+v2 AS w1, v1-v2 AS w2
FROM (SELECT c0, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2
FROM (SELECT c0, CASE WHEN (ARRAY_LENGTH(x) > 0 AND NOT EXISTS(SELECT 1 FROM UNNEST(x) e WHERE e IS NULL)) THEN 0 END AS ok, CAST(x[SAFE_OFFSET(0)] AS FLOAT64) AS x0, CAST(x[SAFE_OFFSET(1)] AS FLOAT64) AS x1, CAST(x[SAFE_OFFSET(2)] AS FLOAT64) AS x2, CAST(x[SAFE_OFFSET(3)] AS FLOAT64) AS x3
FROM (SELECT `id` AS c0, `embedding` AS x FROM `documents`) s) s) s) s) s GROUP BY c0) s) s) s) s

-- ======== redshift
SELECT c0 AS "id", y0__/CASE WHEN n = 0 THEN 1 ELSE n END+ok AS z0, y1__/CASE WHEN n = 0 THEN 1 ELSE n END+ok AS z1
FROM (SELECT c0, ok, y0__, y1__, sqrt((y0__*y0__+y1__*y1__)) AS n
FROM (SELECT c0, ok, CASE WHEN y0_ < 0 THEN -sqrt(-y0_) ELSE sqrt(y0_) END AS y0__, CASE WHEN y1_ < 0 THEN -sqrt(-y1_) ELSE sqrt(y1_) END AS y1__
FROM (SELECT c0, ok, y0 AS y0_, y1 AS y1_
FROM (SELECT c0, CASE WHEN count(ok) = count(*) THEN 0 END AS ok, CAST(SUM(u0*u1) AS DOUBLE PRECISION) AS y0, CAST(SUM(u2*u3) AS DOUBLE PRECISION) AS y1
FROM (SELECT c0, ok, -w2 AS u0, w0 AS u1, -w1 AS u2, w2 AS u3
FROM (SELECT c0, ok, v0-v2 AS w0, v1+v2 AS w1, v1-v2 AS w2
FROM (SELECT c0, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2
FROM (SELECT c0, CASE WHEN (CAST(x[0] AS DOUBLE PRECISION) IS NOT NULL AND CAST(x[1] AS DOUBLE PRECISION) IS NOT NULL AND CAST(x[2] AS DOUBLE PRECISION) IS NOT NULL AND CAST(x[3] AS DOUBLE PRECISION) IS NOT NULL) THEN 0 END AS ok, CAST(CAST(x[0] AS DOUBLE PRECISION) AS DOUBLE PRECISION) AS x0, CAST(CAST(x[1] AS DOUBLE PRECISION) AS DOUBLE PRECISION) AS x1, CAST(CAST(x[2] AS DOUBLE PRECISION) AS DOUBLE PRECISION) AS x2, CAST(CAST(x[3] AS DOUBLE PRECISION) AS DOUBLE PRECISION) AS x3
FROM (SELECT "id" AS c0, "embedding" AS x FROM "documents") s) s) s) s) s GROUP BY c0) s) s) s) s

-- ======== databricks
SELECT c0 AS `id`, y0__/CASE WHEN n = 0 THEN 1 ELSE n END+ok AS z0, y1__/CASE WHEN n = 0 THEN 1 ELSE n END+ok AS z1
FROM (SELECT c0, ok, y0__, y1__, sqrt((y0__*y0__+y1__*y1__)) AS n
FROM (SELECT c0, ok, CASE WHEN y0_ < 0 THEN -sqrt(-y0_) ELSE sqrt(y0_) END AS y0__, CASE WHEN y1_ < 0 THEN -sqrt(-y1_) ELSE sqrt(y1_) END AS y1__
FROM (SELECT c0, ok, y0 AS y0_, y1 AS y1_
FROM (SELECT c0, CASE WHEN count(ok) = count(*) THEN 0 END AS ok, CAST(SUM(u0*u1) AS DOUBLE) AS y0, CAST(SUM(u2*u3) AS DOUBLE) AS y1
FROM (SELECT c0, ok, -w2 AS u0, w0 AS u1, -w1 AS u2, w2 AS u3
FROM (SELECT c0, ok, v0-v2 AS w0, v1+v2 AS w1, v1-v2 AS w2
FROM (SELECT c0, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2
FROM (SELECT c0, CAST(x[0] AS DOUBLE) AS x0, CAST(x[1] AS DOUBLE) AS x1, CAST(x[2] AS DOUBLE) AS x2, CAST(x[3] AS DOUBLE) AS x3, CASE WHEN (x IS NOT NULL AND size(filter(x, e -> e IS NULL)) = 0) THEN 0 END AS ok
FROM (SELECT `id` AS c0, `embedding` AS x FROM `documents`) s) s) s) s) s GROUP BY c0) s) s) s) s

-- ======== trino
SELECT c0 AS "id", y0__/CASE WHEN n = 0 THEN 1 ELSE n END+ok AS z0, y1__/CASE WHEN n = 0 THEN 1 ELSE n END+ok AS z1
FROM (SELECT c0, ok, y0__, y1__, sqrt((y0__*y0__+y1__*y1__)) AS n
FROM (SELECT c0, ok, CASE WHEN y0_ < 0 THEN -sqrt(-y0_) ELSE sqrt(y0_) END AS y0__, CASE WHEN y1_ < 0 THEN -sqrt(-y1_) ELSE sqrt(y1_) END AS y1__
FROM (SELECT c0, ok, y0 AS y0_, y1 AS y1_
FROM (SELECT c0, CASE WHEN count(ok) = count(*) THEN 0 END AS ok, CAST(SUM(u0*u1) AS DOUBLE) AS y0, CAST(SUM(u2*u3) AS DOUBLE) AS y1
FROM (SELECT c0, ok, -w2 AS u0, w0 AS u1, -w1 AS u2, w2 AS u3
FROM (SELECT c0, ok, v0-v2 AS w0, v1+v2 AS w1, v1-v2 AS w2
FROM (SELECT c0, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2
FROM (SELECT c0, CASE WHEN (x IS NOT NULL AND cardinality(filter(x, e -> e IS NULL)) = 0) THEN 0 END AS ok, CAST(element_at(x, 1) AS DOUBLE) AS x0, CAST(element_at(x, 2) AS DOUBLE) AS x1, CAST(element_at(x, 3) AS DOUBLE) AS x2, CAST(element_at(x, 4) AS DOUBLE) AS x3
FROM (SELECT "id" AS c0, "embedding" AS x FROM "documents") s) s) s) s) s GROUP BY c0) s) s) s) s

-- ======== sqlserver
SELECT c0 AS [id], y0__/CASE WHEN n = 0 THEN 1 ELSE n END+ok AS z0, y1__/CASE WHEN n = 0 THEN 1 ELSE n END+ok AS z1
FROM (SELECT c0, ok, y0__, y1__, sqrt((y0__*y0__+y1__*y1__)) AS n
FROM (SELECT c0, ok, CASE WHEN y0_ < 0 THEN -sqrt(-y0_) ELSE sqrt(y0_) END AS y0__, CASE WHEN y1_ < 0 THEN -sqrt(-y1_) ELSE sqrt(y1_) END AS y1__
FROM (SELECT c0, ok, y0 AS y0_, y1 AS y1_
FROM (SELECT c0, CASE WHEN count(ok) = count(*) THEN 0 END AS ok, CAST(SUM(u0*u1) AS FLOAT) AS y0, CAST(SUM(u2*u3) AS FLOAT) AS y1
FROM (SELECT c0, ok, -w2 AS u0, w0 AS u1, -w1 AS u2, w2 AS u3
FROM (SELECT c0, ok, v0-v2 AS w0, v1+v2 AS w1, v1-v2 AS w2
FROM (SELECT c0, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2
FROM (SELECT c0, CASE WHEN (CAST(JSON_VALUE(x, '$[0]') AS FLOAT) IS NOT NULL AND CAST(JSON_VALUE(x, '$[1]') AS FLOAT) IS NOT NULL AND CAST(JSON_VALUE(x, '$[2]') AS FLOAT) IS NOT NULL AND CAST(JSON_VALUE(x, '$[3]') AS FLOAT) IS NOT NULL) THEN 0 END AS ok, CAST(CAST(JSON_VALUE(x, '$[0]') AS FLOAT) AS FLOAT) AS x0, CAST(CAST(JSON_VALUE(x, '$[1]') AS FLOAT) AS FLOAT) AS x1, CAST(CAST(JSON_VALUE(x, '$[2]') AS FLOAT) AS FLOAT) AS x2, CAST(CAST(JSON_VALUE(x, '$[3]') AS FLOAT) AS FLOAT) AS x3
FROM (SELECT [id] AS c0, CAST([embedding] AS NVARCHAR(MAX)) AS x FROM [documents]) s) s) s) s) s GROUP BY c0) s) s) s) s

-- ======== oracle
SELECT c0 AS "id", y0__/CASE WHEN n = 0 THEN 1 ELSE n END+ok AS z0, y1__/CASE WHEN n = 0 THEN 1 ELSE n END+ok AS z1
FROM (SELECT c0, ok, y0__, y1__, sqrt((y0__*y0__+y1__*y1__)) AS n
FROM (SELECT c0, ok, CASE WHEN y0_ < 0 THEN -sqrt(-y0_) ELSE sqrt(y0_) END AS y0__, CASE WHEN y1_ < 0 THEN -sqrt(-y1_) ELSE sqrt(y1_) END AS y1__
FROM (SELECT c0, ok, y0 AS y0_, y1 AS y1_
FROM (SELECT c0, CASE WHEN count(ok) = count(*) THEN 0 END AS ok, CAST(SUM(u0*u1) AS BINARY_DOUBLE) AS y0, CAST(SUM(u2*u3) AS BINARY_DOUBLE) AS y1
FROM (SELECT c0, ok, -w2 AS u0, w0 AS u1, -w1 AS u2, w2 AS u3
FROM (SELECT c0, ok, v0-v2 AS w0, v1+v2 AS w1, v1-v2 AS w2
FROM (SELECT c0, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2
FROM (SELECT c0, CASE WHEN (CAST(JSON_VALUE(x, '$[0]' RETURNING NUMBER) AS BINARY_DOUBLE) IS NOT NULL AND CAST(JSON_VALUE(x, '$[1]' RETURNING NUMBER) AS BINARY_DOUBLE) IS NOT NULL AND CAST(JSON_VALUE(x, '$[2]' RETURNING NUMBER) AS BINARY_DOUBLE) IS NOT NULL AND CAST(JSON_VALUE(x, '$[3]' RETURNING NUMBER) AS BINARY_DOUBLE) IS NOT NULL) THEN 0 END AS ok, CAST(CAST(JSON_VALUE(x, '$[0]' RETURNING NUMBER) AS BINARY_DOUBLE) AS BINARY_DOUBLE) AS x0, CAST(CAST(JSON_VALUE(x, '$[1]' RETURNING NUMBER) AS BINARY_DOUBLE) AS BINARY_DOUBLE) AS x1, CAST(CAST(JSON_VALUE(x, '$[2]' RETURNING NUMBER) AS BINARY_DOUBLE) AS BINARY_DOUBLE) AS x2, CAST(CAST(JSON_VALUE(x, '$[3]' RETURNING NUMBER) AS BINARY_DOUBLE) AS BINARY_DOUBLE) AS x3
FROM (SELECT "id" AS c0, FROM_VECTOR("embedding" RETURNING CLOB) AS x FROM "documents") s) s) s) s) s GROUP BY c0) s) s) s) s

-- ======== generic
-- UnsupportedError: generic has no array columns, so Array(…) is not supported: use Wide(…) or Long(…)
