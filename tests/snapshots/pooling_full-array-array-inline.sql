-- FullBilinearPooling(k=4, normalise=True, split=2)
-- array rows of decimals; output = 'array', nulls = 'error', scale = True, lowering = 'inline'

-- ======== duckdb
SELECT c0 AS "id", CAST(CASE WHEN ok IS NOT NULL THEN [y0__/CASE WHEN n = 0 THEN 1 ELSE n END, y1__/CASE WHEN n = 0 THEN 1 ELSE n END, y2__/CASE WHEN n = 0 THEN 1 ELSE n END, y3__/CASE WHEN n = 0 THEN 1 ELSE n END] END AS DOUBLE[4]) AS z
FROM (SELECT c0, ok, y0__, y1__, y2__, y3__, sqrt((y0__*y0__+y1__*y1__+y2__*y2__+y3__*y3__)) AS n
FROM (SELECT c0, ok, CASE WHEN y0_ < 0 THEN -sqrt(-y0_) ELSE sqrt(y0_) END AS y0__, CASE WHEN y1_ < 0 THEN -sqrt(-y1_) ELSE sqrt(y1_) END AS y1__, CASE WHEN y2_ < 0 THEN -sqrt(-y2_) ELSE sqrt(y2_) END AS y2__, CASE WHEN y3_ < 0 THEN -sqrt(-y3_) ELSE sqrt(y3_) END AS y3__
FROM (SELECT c0, ok, y0 AS y0_, y1 AS y1_, y2 AS y2_, y3 AS y3_
FROM (SELECT c0, CASE WHEN count(ok) = count(*) THEN 0 END AS ok, CAST(SUM(x0*x2) AS DOUBLE) AS y0, CAST(SUM(x0*x3) AS DOUBLE) AS y1, CAST(SUM(x1*x2) AS DOUBLE) AS y2, CAST(SUM(x1*x3) AS DOUBLE) AS y3
FROM (SELECT c0, CASE WHEN x IS NOT NULL AND list_position(x, NULL) IS NULL THEN 0 ELSE error('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''') END AS ok, CAST(x[1] AS DOUBLE) AS x0, CAST(x[2] AS DOUBLE) AS x1, CAST(x[3] AS DOUBLE) AS x2, CAST(x[4] AS DOUBLE) AS x3
FROM (SELECT "id" AS c0, "embedding" AS x FROM "documents") s) s GROUP BY c0) s) s) s) s

-- ======== postgresql
SELECT c0 AS "id", CASE WHEN ok IS NOT NULL THEN ARRAY[y0__/CASE WHEN n = 0 THEN 1 ELSE n END,y1__/CASE WHEN n = 0 THEN 1 ELSE n END,y2__/CASE WHEN n = 0 THEN 1 ELSE n END,y3__/CASE WHEN n = 0 THEN 1 ELSE n END] END AS z
FROM (SELECT c0, ok, y0__, y1__, y2__, y3__, sqrt((y0__*y0__+y1__*y1__+y2__*y2__+y3__*y3__)) AS n
FROM (SELECT c0, ok, CASE WHEN y0_ < 0 THEN -sqrt(-y0_) ELSE sqrt(y0_) END AS y0__, CASE WHEN y1_ < 0 THEN -sqrt(-y1_) ELSE sqrt(y1_) END AS y1__, CASE WHEN y2_ < 0 THEN -sqrt(-y2_) ELSE sqrt(y2_) END AS y2__, CASE WHEN y3_ < 0 THEN -sqrt(-y3_) ELSE sqrt(y3_) END AS y3__
FROM (SELECT c0, ok, y0 AS y0_, y1 AS y1_, y2 AS y2_, y3 AS y3_
FROM (SELECT c0, CASE WHEN count(ok) = count(*) THEN 0 END AS ok, CAST(SUM(x0*x2) AS double precision) AS y0, CAST(SUM(x0*x3) AS double precision) AS y1, CAST(SUM(x1*x2) AS double precision) AS y2, CAST(SUM(x1*x3) AS double precision) AS y3
FROM (SELECT c0, CASE WHEN x IS NOT NULL AND array_position(x, NULL) IS NULL THEN 0 ELSE CAST('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''' || left(CAST(clock_timestamp() AS text), 0) AS bigint) END AS ok, CAST(x[1] AS double precision) AS x0, CAST(x[2] AS double precision) AS x1, CAST(x[3] AS double precision) AS x2, CAST(x[4] AS double precision) AS x3
FROM (SELECT "id" AS c0, ("embedding")[:] AS x FROM "documents" OFFSET '0') s OFFSET '0') s GROUP BY c0) s OFFSET '0') s OFFSET '0') s OFFSET '0') s

-- ======== sqlite
-- UnsupportedError: sqlite has no array columns, so Array(…) is not supported: use Wide(…) or Long(…); of texts such as '[0.1, 0.2]', Long(…) reads the view SELECT t.`id`, CAST(j.key AS INTEGER) AS feature, CAST(j.value AS REAL) AS value FROM `documents` t, json_each(t.`embedding`) j

-- ======== mariadb
-- UnsupportedError: mariadb has no array columns, so Array(…) is not supported: use Wide(…) or Long(…); of texts such as '[0.1, 0.2]', Long(…) reads the view SELECT t.`id`, j.feature - 1 AS feature, j.value FROM `documents` t, JSON_TABLE(t.`embedding`, '$[*]' COLUMNS (feature FOR ORDINALITY, value DOUBLE PATH '$')) j

-- ======== mysql
-- UnsupportedError: mysql has no array columns, so Array(…) is not supported: use Wide(…) or Long(…); of texts such as '[0.1, 0.2]', Long(…) reads the view SELECT t.`id`, j.feature - 1 AS feature, j.value FROM `documents` t, JSON_TABLE(t.`embedding`, '$[*]' COLUMNS (feature FOR ORDINALITY, value DOUBLE PATH '$')) j

-- ======== clickhouse
SELECT c0 AS `id`, arrayMap(e -> e + 0 * ok, [y0__/CASE WHEN n = 0 THEN 1 ELSE n END,y1__/CASE WHEN n = 0 THEN 1 ELSE n END,y2__/CASE WHEN n = 0 THEN 1 ELSE n END,y3__/CASE WHEN n = 0 THEN 1 ELSE n END]) AS z
FROM (SELECT c0, ok, y0__, y1__, y2__, y3__, sqrt((y0__*y0__+y1__*y1__+y2__*y2__+y3__*y3__)) AS n
FROM (SELECT c0, ok, CASE WHEN y0_ < 0 THEN -sqrt(-y0_) ELSE sqrt(y0_) END AS y0__, CASE WHEN y1_ < 0 THEN -sqrt(-y1_) ELSE sqrt(y1_) END AS y1__, CASE WHEN y2_ < 0 THEN -sqrt(-y2_) ELSE sqrt(y2_) END AS y2__, CASE WHEN y3_ < 0 THEN -sqrt(-y3_) ELSE sqrt(y3_) END AS y3__
FROM (SELECT c0, ok, y0 AS y0_, y1 AS y1_, y2 AS y2_, y3 AS y3_
FROM (SELECT c0, CASE WHEN count(ok) = count(*) THEN 0 END AS ok, CAST(SUM(x0*x2) AS Float64) AS y0, CAST(SUM(x0*x3) AS Float64) AS y1, CAST(SUM(x1*x2) AS Float64) AS y2, CAST(SUM(x1*x3) AS Float64) AS y3
FROM (SELECT c0, CASE WHEN NOT arrayExists(e -> e IS NULL, x) THEN 0 ELSE throwIf(1, 'sqlrp: a feature is NULL and nulls = \'error\': clean the row, or use nulls = \'zero\' or \'propagate\'') END AS ok, CAST(x[1] AS Float64) AS x0, CAST(x[2] AS Float64) AS x1, CAST(x[3] AS Float64) AS x2, CAST(x[4] AS Float64) AS x3
FROM (SELECT `id` AS c0, `embedding` AS x FROM `documents`) s) s GROUP BY c0) s) s) s) s
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760

-- ======== spark
SELECT c0 AS `id`, CASE WHEN ok IS NOT NULL THEN array(y0__/CASE WHEN n = 0 THEN 1 ELSE n END,y1__/CASE WHEN n = 0 THEN 1 ELSE n END,y2__/CASE WHEN n = 0 THEN 1 ELSE n END,y3__/CASE WHEN n = 0 THEN 1 ELSE n END) END AS z
FROM (SELECT c0, ok, y0__, y1__, y2__, y3__, sqrt((y0__*y0__+y1__*y1__+y2__*y2__+y3__*y3__)) AS n
FROM (SELECT c0, ok, CASE WHEN y0_ < 0 THEN -sqrt(-y0_) ELSE sqrt(y0_) END AS y0__, CASE WHEN y1_ < 0 THEN -sqrt(-y1_) ELSE sqrt(y1_) END AS y1__, CASE WHEN y2_ < 0 THEN -sqrt(-y2_) ELSE sqrt(y2_) END AS y2__, CASE WHEN y3_ < 0 THEN -sqrt(-y3_) ELSE sqrt(y3_) END AS y3__
FROM (SELECT c0, ok, y0 AS y0_, y1 AS y1_, y2 AS y2_, y3 AS y3_
FROM (SELECT c0, CASE WHEN count(ok) = count(*) THEN 0 END AS ok, CAST(SUM(x0*x2) AS DOUBLE) AS y0, CAST(SUM(x0*x3) AS DOUBLE) AS y1, CAST(SUM(x1*x2) AS DOUBLE) AS y2, CAST(SUM(x1*x3) AS DOUBLE) AS y3
FROM (SELECT c0, CAST(x[0] AS DOUBLE) AS x0, CAST(x[1] AS DOUBLE) AS x1, CAST(x[2] AS DOUBLE) AS x2, CAST(x[3] AS DOUBLE) AS x3, CASE WHEN (x IS NOT NULL AND NOT exists(x, e -> e IS NULL)) THEN 0 ELSE raise_error('sqlrp: a feature is NULL and nulls = \'error\': clean the row, or use nulls = \'zero\' or \'propagate\'') END AS ok
FROM (SELECT `id` AS c0, `embedding` AS x FROM `documents`) s) s GROUP BY c0) s) s) s) s

-- ======== snowflake
SELECT c0 AS "id", CASE WHEN ok IS NOT NULL THEN ARRAY_CONSTRUCT(y0__/CASE WHEN n = 0 THEN 1 ELSE n END, y1__/CASE WHEN n = 0 THEN 1 ELSE n END, y2__/CASE WHEN n = 0 THEN 1 ELSE n END, y3__/CASE WHEN n = 0 THEN 1 ELSE n END) END AS z
FROM (SELECT c0, ok, y0__, y1__, y2__, y3__, sqrt((y0__*y0__+y1__*y1__+y2__*y2__+y3__*y3__)) AS n
FROM (SELECT c0, ok, CASE WHEN y0_ < 0 THEN -sqrt(-y0_) ELSE sqrt(y0_) END AS y0__, CASE WHEN y1_ < 0 THEN -sqrt(-y1_) ELSE sqrt(y1_) END AS y1__, CASE WHEN y2_ < 0 THEN -sqrt(-y2_) ELSE sqrt(y2_) END AS y2__, CASE WHEN y3_ < 0 THEN -sqrt(-y3_) ELSE sqrt(y3_) END AS y3__
FROM (SELECT c0, ok, y0 AS y0_, y1 AS y1_, y2 AS y2_, y3 AS y3_
FROM (SELECT c0, CASE WHEN count(ok) = count(*) THEN 0 END AS ok, CAST(SUM(x0*x2) AS DOUBLE) AS y0, CAST(SUM(x0*x3) AS DOUBLE) AS y1, CAST(SUM(x1*x2) AS DOUBLE) AS y2, CAST(SUM(x1*x3) AS DOUBLE) AS y3
FROM (SELECT c0, CASE WHEN (CAST(x[0] AS DOUBLE) IS NOT NULL AND CAST(x[1] AS DOUBLE) IS NOT NULL AND CAST(x[2] AS DOUBLE) IS NOT NULL AND CAST(x[3] AS DOUBLE) IS NOT NULL) THEN 0 ELSE CAST(concat('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''', substr(CAST(CASE WHEN (CAST(x[0] AS DOUBLE) IS NOT NULL AND CAST(x[1] AS DOUBLE) IS NOT NULL AND CAST(x[2] AS DOUBLE) IS NOT NULL AND CAST(x[3] AS DOUBLE) IS NOT NULL) THEN 1 ELSE 0 END AS VARCHAR), 1, 0)) AS BIGINT) END AS ok, CAST(CAST(x[0] AS DOUBLE) AS DOUBLE) AS x0, CAST(CAST(x[1] AS DOUBLE) AS DOUBLE) AS x1, CAST(CAST(x[2] AS DOUBLE) AS DOUBLE) AS x2, CAST(CAST(x[3] AS DOUBLE) AS DOUBLE) AS x3
FROM (SELECT "id" AS c0, "embedding" AS x FROM "documents") s) s GROUP BY c0) s) s) s) s

-- ======== bigquery
SELECT c0 AS `id`, CASE WHEN ok IS NOT NULL THEN ARRAY[y0__/CASE WHEN n = 0 THEN 1 ELSE n END, y1__/CASE WHEN n = 0 THEN 1 ELSE n END, y2__/CASE WHEN n = 0 THEN 1 ELSE n END, y3__/CASE WHEN n = 0 THEN 1 ELSE n END] END AS z
FROM (SELECT c0, ok, y0__, y1__, y2__, y3__, sqrt((y0__*y0__+y1__*y1__+y2__*y2__+y3__*y3__)) AS n
FROM (SELECT c0, ok, CASE WHEN y0_ < 0 THEN -sqrt(-y0_) ELSE sqrt(y0_) END AS y0__, CASE WHEN y1_ < 0 THEN -sqrt(-y1_) ELSE sqrt(y1_) END AS y1__, CASE WHEN y2_ < 0 THEN -sqrt(-y2_) ELSE sqrt(y2_) END AS y2__, CASE WHEN y3_ < 0 THEN -sqrt(-y3_) ELSE sqrt(y3_) END AS y3__
FROM (SELECT c0, ok, y0 AS y0_, y1 AS y1_, y2 AS y2_, y3 AS y3_
FROM (SELECT c0, CASE WHEN count(ok) = count(*) THEN 0 END AS ok, CAST(SUM(x0*x2) AS FLOAT64) AS y0, CAST(SUM(x0*x3) AS FLOAT64) AS y1, CAST(SUM(x1*x2) AS FLOAT64) AS y2, CAST(SUM(x1*x3) AS FLOAT64) AS y3
FROM (SELECT c0, CASE WHEN (ARRAY_LENGTH(x) > 0 AND NOT EXISTS(SELECT 1 FROM UNNEST(x) e WHERE e IS NULL)) THEN 0 ELSE ERROR('sqlrp: a feature is NULL and nulls = \'error\': clean the row, or use nulls = \'zero\' or \'propagate\'') END AS ok, CAST(x[SAFE_OFFSET(0)] AS FLOAT64) AS x0, CAST(x[SAFE_OFFSET(1)] AS FLOAT64) AS x1, CAST(x[SAFE_OFFSET(2)] AS FLOAT64) AS x2, CAST(x[SAFE_OFFSET(3)] AS FLOAT64) AS x3
FROM (SELECT `id` AS c0, `embedding` AS x FROM `documents`) s) s GROUP BY c0) s) s) s) s

-- ======== redshift
SELECT c0 AS "id", CASE WHEN ok IS NOT NULL THEN ARRAY(y0__/CASE WHEN n = 0 THEN 1 ELSE n END, y1__/CASE WHEN n = 0 THEN 1 ELSE n END, y2__/CASE WHEN n = 0 THEN 1 ELSE n END, y3__/CASE WHEN n = 0 THEN 1 ELSE n END) END AS z
FROM (SELECT c0, ok, y0__, y1__, y2__, y3__, sqrt((y0__*y0__+y1__*y1__+y2__*y2__+y3__*y3__)) AS n
FROM (SELECT c0, ok, CASE WHEN y0_ < 0 THEN -sqrt(-y0_) ELSE sqrt(y0_) END AS y0__, CASE WHEN y1_ < 0 THEN -sqrt(-y1_) ELSE sqrt(y1_) END AS y1__, CASE WHEN y2_ < 0 THEN -sqrt(-y2_) ELSE sqrt(y2_) END AS y2__, CASE WHEN y3_ < 0 THEN -sqrt(-y3_) ELSE sqrt(y3_) END AS y3__
FROM (SELECT c0, ok, y0 AS y0_, y1 AS y1_, y2 AS y2_, y3 AS y3_
FROM (SELECT c0, CASE WHEN count(ok) = count(*) THEN 0 END AS ok, CAST(SUM(x0*x2) AS DOUBLE PRECISION) AS y0, CAST(SUM(x0*x3) AS DOUBLE PRECISION) AS y1, CAST(SUM(x1*x2) AS DOUBLE PRECISION) AS y2, CAST(SUM(x1*x3) AS DOUBLE PRECISION) AS y3
FROM (SELECT c0, CASE WHEN (CAST(x[0] AS DOUBLE PRECISION) IS NOT NULL AND CAST(x[1] AS DOUBLE PRECISION) IS NOT NULL AND CAST(x[2] AS DOUBLE PRECISION) IS NOT NULL AND CAST(x[3] AS DOUBLE PRECISION) IS NOT NULL) THEN 0 ELSE CAST(concat('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''', substr(CAST(CASE WHEN (CAST(x[0] AS DOUBLE PRECISION) IS NOT NULL AND CAST(x[1] AS DOUBLE PRECISION) IS NOT NULL AND CAST(x[2] AS DOUBLE PRECISION) IS NOT NULL AND CAST(x[3] AS DOUBLE PRECISION) IS NOT NULL) THEN 1 ELSE 0 END AS VARCHAR), 1, 0)) AS BIGINT) END AS ok, CAST(CAST(x[0] AS DOUBLE PRECISION) AS DOUBLE PRECISION) AS x0, CAST(CAST(x[1] AS DOUBLE PRECISION) AS DOUBLE PRECISION) AS x1, CAST(CAST(x[2] AS DOUBLE PRECISION) AS DOUBLE PRECISION) AS x2, CAST(CAST(x[3] AS DOUBLE PRECISION) AS DOUBLE PRECISION) AS x3
FROM (SELECT "id" AS c0, "embedding" AS x FROM "documents") s) s GROUP BY c0) s) s) s) s

-- ======== databricks
SELECT c0 AS `id`, CASE WHEN ok IS NOT NULL THEN array(y0__/CASE WHEN n = 0 THEN 1 ELSE n END,y1__/CASE WHEN n = 0 THEN 1 ELSE n END,y2__/CASE WHEN n = 0 THEN 1 ELSE n END,y3__/CASE WHEN n = 0 THEN 1 ELSE n END) END AS z
FROM (SELECT c0, ok, y0__, y1__, y2__, y3__, sqrt((y0__*y0__+y1__*y1__+y2__*y2__+y3__*y3__)) AS n
FROM (SELECT c0, ok, CASE WHEN y0_ < 0 THEN -sqrt(-y0_) ELSE sqrt(y0_) END AS y0__, CASE WHEN y1_ < 0 THEN -sqrt(-y1_) ELSE sqrt(y1_) END AS y1__, CASE WHEN y2_ < 0 THEN -sqrt(-y2_) ELSE sqrt(y2_) END AS y2__, CASE WHEN y3_ < 0 THEN -sqrt(-y3_) ELSE sqrt(y3_) END AS y3__
FROM (SELECT c0, ok, y0 AS y0_, y1 AS y1_, y2 AS y2_, y3 AS y3_
FROM (SELECT c0, CASE WHEN count(ok) = count(*) THEN 0 END AS ok, CAST(SUM(x0*x2) AS DOUBLE) AS y0, CAST(SUM(x0*x3) AS DOUBLE) AS y1, CAST(SUM(x1*x2) AS DOUBLE) AS y2, CAST(SUM(x1*x3) AS DOUBLE) AS y3
FROM (SELECT c0, CAST(x[0] AS DOUBLE) AS x0, CAST(x[1] AS DOUBLE) AS x1, CAST(x[2] AS DOUBLE) AS x2, CAST(x[3] AS DOUBLE) AS x3, CASE WHEN (x IS NOT NULL AND size(filter(x, e -> e IS NULL)) = 0) THEN 0 ELSE raise_error('sqlrp: a feature is NULL and nulls = \'error\': clean the row, or use nulls = \'zero\' or \'propagate\'') END AS ok
FROM (SELECT `id` AS c0, `embedding` AS x FROM `documents`) s) s GROUP BY c0) s) s) s) s

-- ======== trino
SELECT c0 AS "id", CASE WHEN ok IS NOT NULL THEN ARRAY[y0__/CASE WHEN n = 0 THEN 1 ELSE n END, y1__/CASE WHEN n = 0 THEN 1 ELSE n END, y2__/CASE WHEN n = 0 THEN 1 ELSE n END, y3__/CASE WHEN n = 0 THEN 1 ELSE n END] END AS z
FROM (SELECT c0, ok, y0__, y1__, y2__, y3__, sqrt((y0__*y0__+y1__*y1__+y2__*y2__+y3__*y3__)) AS n
FROM (SELECT c0, ok, CASE WHEN y0_ < 0 THEN -sqrt(-y0_) ELSE sqrt(y0_) END AS y0__, CASE WHEN y1_ < 0 THEN -sqrt(-y1_) ELSE sqrt(y1_) END AS y1__, CASE WHEN y2_ < 0 THEN -sqrt(-y2_) ELSE sqrt(y2_) END AS y2__, CASE WHEN y3_ < 0 THEN -sqrt(-y3_) ELSE sqrt(y3_) END AS y3__
FROM (SELECT c0, ok, y0 AS y0_, y1 AS y1_, y2 AS y2_, y3 AS y3_
FROM (SELECT c0, CASE WHEN count(ok) = count(*) THEN 0 END AS ok, CAST(SUM(x0*x2) AS DOUBLE) AS y0, CAST(SUM(x0*x3) AS DOUBLE) AS y1, CAST(SUM(x1*x2) AS DOUBLE) AS y2, CAST(SUM(x1*x3) AS DOUBLE) AS y3
FROM (SELECT c0, CASE WHEN (x IS NOT NULL AND cardinality(filter(x, e -> e IS NULL)) = 0) THEN 0 ELSE CAST(concat('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''', substr(CAST(CASE WHEN (x IS NOT NULL AND cardinality(filter(x, e -> e IS NULL)) = 0) THEN 1 ELSE 0 END AS VARCHAR), 1, 0)) AS BIGINT) END AS ok, CAST(element_at(x, 1) AS DOUBLE) AS x0, CAST(element_at(x, 2) AS DOUBLE) AS x1, CAST(element_at(x, 3) AS DOUBLE) AS x2, CAST(element_at(x, 4) AS DOUBLE) AS x3
FROM (SELECT "id" AS c0, "embedding" AS x FROM "documents") s) s GROUP BY c0) s) s) s) s

-- ======== sqlserver
SELECT c0 AS [id], CASE WHEN ok IS NOT NULL THEN CONCAT(CAST('[' AS VARCHAR(MAX)), CONCAT_WS(',', CONVERT(VARCHAR(30), y0__/CASE WHEN n = 0 THEN 1 ELSE n END, 3), CONVERT(VARCHAR(30), y1__/CASE WHEN n = 0 THEN 1 ELSE n END, 3), CONVERT(VARCHAR(30), y2__/CASE WHEN n = 0 THEN 1 ELSE n END, 3), CONVERT(VARCHAR(30), y3__/CASE WHEN n = 0 THEN 1 ELSE n END, 3)), ']') END AS z
FROM (SELECT c0, ok, y0__, y1__, y2__, y3__, sqrt((y0__*y0__+y1__*y1__+y2__*y2__+y3__*y3__)) AS n
FROM (SELECT c0, ok, CASE WHEN y0_ < 0 THEN -sqrt(-y0_) ELSE sqrt(y0_) END AS y0__, CASE WHEN y1_ < 0 THEN -sqrt(-y1_) ELSE sqrt(y1_) END AS y1__, CASE WHEN y2_ < 0 THEN -sqrt(-y2_) ELSE sqrt(y2_) END AS y2__, CASE WHEN y3_ < 0 THEN -sqrt(-y3_) ELSE sqrt(y3_) END AS y3__
FROM (SELECT c0, ok, y0 AS y0_, y1 AS y1_, y2 AS y2_, y3 AS y3_
FROM (SELECT c0, CASE WHEN count(ok) = count(*) THEN 0 END AS ok, CAST(SUM(x0*x2) AS FLOAT) AS y0, CAST(SUM(x0*x3) AS FLOAT) AS y1, CAST(SUM(x1*x2) AS FLOAT) AS y2, CAST(SUM(x1*x3) AS FLOAT) AS y3
FROM (SELECT c0, CASE WHEN (CAST(JSON_VALUE(x, '$[0]') AS FLOAT) IS NOT NULL AND CAST(JSON_VALUE(x, '$[1]') AS FLOAT) IS NOT NULL AND CAST(JSON_VALUE(x, '$[2]') AS FLOAT) IS NOT NULL AND CAST(JSON_VALUE(x, '$[3]') AS FLOAT) IS NOT NULL) THEN 0 ELSE CAST(CONCAT('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''', LEFT(CAST(NEWID() AS VARCHAR(36)), 0)) AS BIGINT) END AS ok, CAST(CAST(JSON_VALUE(x, '$[0]') AS FLOAT) AS FLOAT) AS x0, CAST(CAST(JSON_VALUE(x, '$[1]') AS FLOAT) AS FLOAT) AS x1, CAST(CAST(JSON_VALUE(x, '$[2]') AS FLOAT) AS FLOAT) AS x2, CAST(CAST(JSON_VALUE(x, '$[3]') AS FLOAT) AS FLOAT) AS x3
FROM (SELECT [id] AS c0, CAST([embedding] AS NVARCHAR(MAX)) AS x FROM [documents]) s) s GROUP BY c0) s) s) s) s

-- ======== oracle
SELECT c0 AS "id", CASE WHEN ok IS NOT NULL THEN TO_VECTOR(JSON_ARRAY(y0__/CASE WHEN n = 0 THEN 1 ELSE n END, y1__/CASE WHEN n = 0 THEN 1 ELSE n END, y2__/CASE WHEN n = 0 THEN 1 ELSE n END, y3__/CASE WHEN n = 0 THEN 1 ELSE n END NULL ON NULL RETURNING CLOB), 4, FLOAT64) END AS z
FROM (SELECT c0, ok, y0__, y1__, y2__, y3__, sqrt((y0__*y0__+y1__*y1__+y2__*y2__+y3__*y3__)) AS n
FROM (SELECT c0, ok, CASE WHEN y0_ < 0 THEN -sqrt(-y0_) ELSE sqrt(y0_) END AS y0__, CASE WHEN y1_ < 0 THEN -sqrt(-y1_) ELSE sqrt(y1_) END AS y1__, CASE WHEN y2_ < 0 THEN -sqrt(-y2_) ELSE sqrt(y2_) END AS y2__, CASE WHEN y3_ < 0 THEN -sqrt(-y3_) ELSE sqrt(y3_) END AS y3__
FROM (SELECT c0, ok, y0 AS y0_, y1 AS y1_, y2 AS y2_, y3 AS y3_
FROM (SELECT c0, CASE WHEN count(ok) = count(*) THEN 0 END AS ok, CAST(SUM(x0*x2) AS BINARY_DOUBLE) AS y0, CAST(SUM(x0*x3) AS BINARY_DOUBLE) AS y1, CAST(SUM(x1*x2) AS BINARY_DOUBLE) AS y2, CAST(SUM(x1*x3) AS BINARY_DOUBLE) AS y3
FROM (SELECT c0, CASE WHEN (CAST(JSON_VALUE(x, '$[0]' RETURNING NUMBER) AS BINARY_DOUBLE) IS NOT NULL AND CAST(JSON_VALUE(x, '$[1]' RETURNING NUMBER) AS BINARY_DOUBLE) IS NOT NULL AND CAST(JSON_VALUE(x, '$[2]' RETURNING NUMBER) AS BINARY_DOUBLE) IS NOT NULL AND CAST(JSON_VALUE(x, '$[3]' RETURNING NUMBER) AS BINARY_DOUBLE) IS NOT NULL) THEN 0 ELSE TO_NUMBER('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''' || substr(RAWTOHEX(SYS_GUID()), 1, 0)) END AS ok, CAST(CAST(JSON_VALUE(x, '$[0]' RETURNING NUMBER) AS BINARY_DOUBLE) AS BINARY_DOUBLE) AS x0, CAST(CAST(JSON_VALUE(x, '$[1]' RETURNING NUMBER) AS BINARY_DOUBLE) AS BINARY_DOUBLE) AS x1, CAST(CAST(JSON_VALUE(x, '$[2]' RETURNING NUMBER) AS BINARY_DOUBLE) AS BINARY_DOUBLE) AS x2, CAST(CAST(JSON_VALUE(x, '$[3]' RETURNING NUMBER) AS BINARY_DOUBLE) AS BINARY_DOUBLE) AS x3
FROM (SELECT "id" AS c0, FROM_VECTOR("embedding" RETURNING CLOB) AS x FROM "documents") s) s GROUP BY c0) s) s) s) s

-- ======== generic
-- UnsupportedError: generic has no array columns, so Array(…) is not supported: use Wide(…) or Long(…)
