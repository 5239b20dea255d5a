-- ExplicitPolynomialProjection(k=2, s=1, seed=1, degree=2, vectors='sign')
-- array rows of doubles; output = 'columns', nulls = 'zero', scale = True, lowering = 'relational'

-- ======== duckdb
WITH source0 AS MATERIALIZED (SELECT "id" AS c0, row_number() OVER () AS r, CAST("embedding" AS DOUBLE[]) AS x FROM "documents"),
cells1 AS MATERIALIZED (SELECT r, unnest(range(len(x))) AS f, unnest(x) AS x FROM source0),
features2 AS MATERIALIZED (SELECT CAST(range AS BIGINT) AS f FROM range(4)),
cells3 AS MATERIALIZED (SELECT r, f, x FROM cells1 UNION ALL
SELECT odd.r, e.f, 0.0e0 FROM (SELECT DISTINCT r FROM cells1 WHERE NOT isfinite(x)) odd
CROSS JOIN features2 e
WHERE NOT EXISTS (SELECT 1 FROM cells1 k WHERE k.r = odd.r AND k.f = e.f)),
index_table4 AS MATERIALIZED (SELECT unnest(CAST(string_split(concat('0,1,2,3,4,5,6,7,8,9', t), ',') AS BIGINT[])) AS c, unnest(CAST(string_split(concat('0,0,0,0,1,1,1,2,2,3', t), ',') AS BIGINT[])) AS v0, unnest(CAST(string_split(concat('0,1,2,3,1,2,3,2,3,3', t), ',') AS BIGINT[])) AS v1, unnest(CAST(string_split(concat('1.0,1.41421356,1.41421356,1.41421356,1.0,1.41421356,1.41421356,1.0,1.41421356,1.0', t), ',') AS DOUBLE[])) AS w FROM (VALUES ('')) v(t)),
products5 AS MATERIALIZED (SELECT k0.r AS r, i.c AS f, SUM(CAST(i.w AS DOUBLE)*CAST(k0.x AS DOUBLE)*CAST(k1.x AS DOUBLE)) AS x
FROM index_table4 i JOIN cells3 k0 ON k0.f = i.v0 JOIN cells3 k1 ON k1.f = i.v1 AND k0.r = k1.r
GROUP BY k0.r, i.c),
features6 AS MATERIALIZED (SELECT CAST(range AS BIGINT) AS f FROM range(10)),
components7 AS MATERIALIZED (SELECT c, ((((((((1207422803*c+1554021005)*c+940132630)*c+1202754055)*c+1339085487)*c+308160061)*c+1073599193)*c+1496043970) % 2147483647) AS b0, ((((((((695715121*c+1050305301)*c+1174479125)*c+77190952)*c+1559899810)*c+98088592)*c+1491132665)*c+1612041911) % 2147483647) AS b1, ((((((((266018135*c+1347893375)*c+857912869)*c+222066450)*c+569881106)*c+1978271943)*c+144005368)*c+453062626) % 2147483647) AS b2, ((((((((712970553*c+986047398)*c+656026341)*c+305698416)*c+2144627527)*c+1358167319)*c+1969862486)*c+2023595005) % 2147483647) AS b3,
  ((((((((1832410929*c+515607408)*c+872307825)*c+512510187)*c+1572092133)*c+827115265)*c+1341515075)*c+1191955192) % 2147483647) AS b4, ((((((((440023740*c+1789843104)*c+85512086)*c+748716940)*c+828250944)*c+1719596919)*c+1783190857)*c+1714556674) % 2147483647) AS b5, ((((((((1229410488*c+1140486993)*c+930223432)*c+2069346305)*c+1577410622)*c+1795527457)*c+1372741064)*c+319245571) % 2147483647) AS b6, ((((((((977490620*c+1371363093)*c+708385131)*c+1899269072)*c+929569986)*c+345679816)*c+974472240)*c+434820976) % 2147483647) AS b7
FROM (SELECT CAST(range AS BIGINT) AS c FROM range(2)) n),
signs8 AS MATERIALIZED (SELECT CAST(c AS INTEGER) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features6 CROSS JOIN components7) drawn
WHERE h < 2147483647),
sums9 AS MATERIALIZED (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM products5 JOIN signs8 USING (f)
GROUP BY r, c)
SELECT c0 AS "id", 0.707106781*x[1] AS z0, 0.707106781*x[2] AS z1
FROM (SELECT s.c0 AS c0, list_transform(range(2), lambda e: coalesce(z.x[list_position(z.f, CAST(e AS SMALLINT))], 0.0e0)) AS x
FROM source0 s LEFT JOIN (SELECT r, list(CAST(f AS SMALLINT)) AS f, list(CAST(x AS DOUBLE)) AS x FROM sums9 GROUP BY r) z ON z.r = s.r) s

-- ======== postgresql
WITH source0 AS MATERIALIZED (SELECT c0, row_number() OVER () AS r, CAST(x AS double precision[]) AS x FROM (SELECT "id" AS c0, ("embedding")[:] AS x FROM "documents" OFFSET '0') s),
cells1 AS MATERIALIZED (SELECT r, o - 1 AS f, e AS x
FROM source0, unnest(x) WITH ORDINALITY AS u(e, o)),
features2 AS MATERIALIZED (SELECT f FROM generate_series(CAST(0 AS bigint), 3) g(f)),
cells3 AS MATERIALIZED (SELECT r, f, x FROM cells1 UNION ALL
SELECT odd.r, e.f, CAST('0.0' AS double precision) FROM (SELECT DISTINCT r FROM cells1 WHERE NOT (x NOT IN ('NaN', 'Infinity', '-Infinity'))) odd
CROSS JOIN features2 e
WHERE NOT EXISTS (SELECT 1 FROM cells1 k WHERE k.r = odd.r AND k.f = e.f)),
index_table4 AS MATERIALIZED (SELECT unnest(CAST('{0,1,2,3,4,5,6,7,8,9}' AS bigint[])) AS c, unnest(CAST('{0,0,0,0,1,1,1,2,2,3}' AS bigint[])) AS v0, unnest(CAST('{0,1,2,3,1,2,3,2,3,3}' AS bigint[])) AS v1, unnest(CAST('{1.0,1.41421356,1.41421356,1.41421356,1.0,1.41421356,1.41421356,1.0,1.41421356,1.0}' AS double precision[])) AS w),
products5 AS MATERIALIZED (SELECT k0.r AS r, i.c AS f, SUM(CAST(i.w AS double precision)*CAST(k0.x AS double precision)*CAST(k1.x AS double precision)) AS x
FROM index_table4 i JOIN cells3 k0 ON k0.f = i.v0 JOIN cells3 k1 ON k1.f = i.v1 AND k0.r = k1.r
GROUP BY k0.r, i.c),
features6 AS MATERIALIZED (SELECT f FROM generate_series(CAST(0 AS bigint), 9) g(f)),
components7 AS MATERIALIZED (SELECT c, ((((((((1207422803*c+1554021005)*c+940132630)*c+1202754055)*c+1339085487)*c+308160061)*c+1073599193)*c+1496043970) % 2147483647) AS b0, ((((((((695715121*c+1050305301)*c+1174479125)*c+77190952)*c+1559899810)*c+98088592)*c+1491132665)*c+1612041911) % 2147483647) AS b1, ((((((((266018135*c+1347893375)*c+857912869)*c+222066450)*c+569881106)*c+1978271943)*c+144005368)*c+453062626) % 2147483647) AS b2, ((((((((712970553*c+986047398)*c+656026341)*c+305698416)*c+2144627527)*c+1358167319)*c+1969862486)*c+2023595005) % 2147483647) AS b3,
  ((((((((1832410929*c+515607408)*c+872307825)*c+512510187)*c+1572092133)*c+827115265)*c+1341515075)*c+1191955192) % 2147483647) AS b4, ((((((((440023740*c+1789843104)*c+85512086)*c+748716940)*c+828250944)*c+1719596919)*c+1783190857)*c+1714556674) % 2147483647) AS b5, ((((((((1229410488*c+1140486993)*c+930223432)*c+2069346305)*c+1577410622)*c+1795527457)*c+1372741064)*c+319245571) % 2147483647) AS b6, ((((((((977490620*c+1371363093)*c+708385131)*c+1899269072)*c+929569986)*c+345679816)*c+974472240)*c+434820976) % 2147483647) AS b7
FROM (SELECT c FROM generate_series(CAST(0 AS bigint), 1) g(c)) n),
signs8 AS MATERIALIZED (SELECT CAST(c AS integer) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features6 CROSS JOIN components7 OFFSET '0') drawn
WHERE h < 2147483647),
sums9 AS MATERIALIZED (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE CAST('0.0' AS double precision) - x END) AS x
FROM products5 JOIN signs8 USING (f)
GROUP BY r, c),
outputs10 AS MATERIALIZED (SELECT f FROM generate_series(CAST(0 AS bigint), 1) g(f)),
result11 AS MATERIALIZED (SELECT s.r AS r, n.f AS f, coalesce(z.x, CAST('0.0' AS double precision)) AS x
FROM source0 s CROSS JOIN outputs10 n
LEFT JOIN sums9 z ON z.r = s.r AND z.f = n.f)
SELECT c0 AS "id", CAST('0.707106781' AS double precision)*x[1] AS z0, CAST('0.707106781' AS double precision)*x[2] AS z1
FROM (SELECT s.c0 AS c0, z.x AS x FROM source0 s JOIN (SELECT r, array_agg(CAST(x AS double precision) ORDER BY f) AS x FROM result11 GROUP BY r) z ON z.r = s.r) s

-- ======== sqlite
-- UnsupportedError: sqlite has no array columns, so Array(…) is not supported: use Wide(…) or Long(…); of texts such as '[0.1, 0.2]', Long(…) reads the view SELECT t.`id`, CAST(j.key AS INTEGER) AS feature, CAST(j.value AS REAL) AS value FROM `documents` t, json_each(t.`embedding`) j

-- ======== mariadb
-- UnsupportedError: mariadb has no array columns, so Array(…) is not supported: use Wide(…) or Long(…); of texts such as '[0.1, 0.2]', Long(…) reads the view SELECT t.`id`, j.feature - 1 AS feature, j.value FROM `documents` t, JSON_TABLE(t.`embedding`, '$[*]' COLUMNS (feature FOR ORDINALITY, value DOUBLE PATH '$')) j

-- ======== mysql
-- UnsupportedError: mysql has no array columns, so Array(…) is not supported: use Wide(…) or Long(…); of texts such as '[0.1, 0.2]', Long(…) reads the view SELECT t.`id`, j.feature - 1 AS feature, j.value FROM `documents` t, JSON_TABLE(t.`embedding`, '$[*]' COLUMNS (feature FOR ORDINALITY, value DOUBLE PATH '$')) j

-- ======== clickhouse
-- 25 statements: run them in this order in one session. Statement 13 returns the rows.
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_0 ENGINE = Memory AS SELECT `id` AS c0, toInt64(row_number() OVER ()) AS r, arrayMap(e -> CAST(e AS Float64), `embedding`) AS x FROM `documents`
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_1 ENGINE = Memory AS SELECT r, toInt64(o) - 1 AS f, e AS x
FROM sqlrp_temporary_0 ARRAY JOIN x AS e, arrayEnumerate(x) AS o
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_2 ENGINE = Memory AS SELECT toInt64(number) AS f FROM numbers(4)
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_3 ENGINE = Memory AS SELECT r, f, x FROM sqlrp_temporary_1 UNION ALL
SELECT odd.r, e.f, 0.0e0 FROM (SELECT DISTINCT r FROM sqlrp_temporary_1 WHERE NOT isFinite(x)) odd
CROSS JOIN sqlrp_temporary_2 e
WHERE NOT EXISTS (SELECT 1 FROM sqlrp_temporary_1 k WHERE k.r = odd.r AND k.f = e.f)
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_4 ENGINE = Memory AS SELECT c, v0, v1, w FROM (SELECT CAST('[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]' AS Array(Int64)) AS c, CAST('[0, 0, 0, 0, 1, 1, 1, 2, 2, 3]' AS Array(Int64)) AS v0, CAST('[0, 1, 2, 3, 1, 2, 3, 2, 3, 3]' AS Array(Int64)) AS v1, CAST('[1.0, 1.41421356, 1.41421356, 1.41421356, 1.0, 1.41421356, 1.41421356, 1.0, 1.41421356, 1.0]' AS Array(Float64)) AS w) s ARRAY JOIN c, v0, v1, w
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_5 ENGINE = Memory AS SELECT k0.r AS r, i.c AS f, SUM(CAST(i.w AS Float64)*CAST(k0.x AS Float64)*CAST(k1.x AS Float64)) AS x
FROM sqlrp_temporary_4 i JOIN sqlrp_temporary_3 k0 ON k0.f = i.v0 JOIN sqlrp_temporary_3 k1 ON k1.f = i.v1 AND k0.r = k1.r
GROUP BY k0.r, i.c
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_6 ENGINE = Memory AS SELECT toInt64(number) AS f FROM numbers(10)
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_7 ENGINE = Memory AS SELECT c, ((((((((1207422803*c+1554021005)*c+940132630)*c+1202754055)*c+1339085487)*c+308160061)*c+1073599193)*c+1496043970) % 2147483647) AS b0, ((((((((695715121*c+1050305301)*c+1174479125)*c+77190952)*c+1559899810)*c+98088592)*c+1491132665)*c+1612041911) % 2147483647) AS b1, ((((((((266018135*c+1347893375)*c+857912869)*c+222066450)*c+569881106)*c+1978271943)*c+144005368)*c+453062626) % 2147483647) AS b2, ((((((((712970553*c+986047398)*c+656026341)*c+305698416)*c+2144627527)*c+1358167319)*c+1969862486)*c+2023595005) % 2147483647) AS b3,
  ((((((((1832410929*c+515607408)*c+872307825)*c+512510187)*c+1572092133)*c+827115265)*c+1341515075)*c+1191955192) % 2147483647) AS b4, ((((((((440023740*c+1789843104)*c+85512086)*c+748716940)*c+828250944)*c+1719596919)*c+1783190857)*c+1714556674) % 2147483647) AS b5, ((((((((1229410488*c+1140486993)*c+930223432)*c+2069346305)*c+1577410622)*c+1795527457)*c+1372741064)*c+319245571) % 2147483647) AS b6, ((((((((977490620*c+1371363093)*c+708385131)*c+1899269072)*c+929569986)*c+345679816)*c+974472240)*c+434820976) % 2147483647) AS b7
FROM (SELECT toInt64(number) AS c FROM numbers(2)) n
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_8 ENGINE = Memory AS SELECT CAST(c AS Int64) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM sqlrp_temporary_6 CROSS JOIN sqlrp_temporary_7) drawn
WHERE h < 2147483647
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_9 ENGINE = Memory AS SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM sqlrp_temporary_5 JOIN sqlrp_temporary_8 USING (f)
GROUP BY r, c
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_10 ENGINE = Memory AS SELECT toInt64(number) AS f FROM numbers(2)
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_11 ENGINE = Memory AS SELECT s.r AS r, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM sqlrp_temporary_0 s CROSS JOIN sqlrp_temporary_10 n
LEFT JOIN sqlrp_temporary_9 z ON z.r = s.r AND z.f = n.f
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
SELECT c0 AS `id`, 0.707106781*x[1] AS z0, 0.707106781*x[2] AS z1
FROM (SELECT s.c0 AS c0, z.x AS x FROM sqlrp_temporary_0 s JOIN (SELECT r, arrayMap(p -> p.2, arraySort(p -> p.1, groupArray((f, CAST(x AS Float64))))) AS x FROM sqlrp_temporary_11 GROUP BY r) z ON z.r = s.r) s
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
DROP TEMPORARY TABLE IF EXISTS sqlrp_temporary_11;
DROP TEMPORARY TABLE IF EXISTS sqlrp_temporary_10;
DROP TEMPORARY TABLE IF EXISTS sqlrp_temporary_9;
DROP TEMPORARY TABLE IF EXISTS sqlrp_temporary_8;
DROP TEMPORARY TABLE IF EXISTS sqlrp_temporary_7;
DROP TEMPORARY TABLE IF EXISTS sqlrp_temporary_6;
DROP TEMPORARY TABLE IF EXISTS sqlrp_temporary_5;
DROP TEMPORARY TABLE IF EXISTS sqlrp_temporary_4;
DROP TEMPORARY TABLE IF EXISTS sqlrp_temporary_3;
DROP TEMPORARY TABLE IF EXISTS sqlrp_temporary_2;
DROP TEMPORARY TABLE IF EXISTS sqlrp_temporary_1;
DROP TEMPORARY TABLE IF EXISTS sqlrp_temporary_0;


-- ======== spark
WITH source0 AS (SELECT `id` AS c0, (monotonically_increasing_id() + 1) AS r, CAST(`embedding` AS ARRAY<DOUBLE>) AS x FROM `documents`),
cells1 AS (SELECT r, CAST(o AS BIGINT) AS f, e AS x
FROM source0 LATERAL VIEW posexplode(x) u AS o, e),
features2 AS (SELECT id AS f FROM range(4)),
lists3 AS (SELECT r, transform(array(collect_list(struct(CAST(f AS INT) AS o, CAST(x AS DOUBLE) AS v)) FILTER (WHERE CAST(x AS DOUBLE) IS NOT NULL)), p -> CASE WHEN size(p) = 4 THEN sort_array(p).v ELSE sort_array(concat(p, transform(array_except(sequence(0, 3), p.o), o -> struct(o, 0.0e0 AS v)))).v END)[0] AS x FROM cells1 GROUP BY r),
index_table4 AS (SELECT inline(arrays_zip(from_json('[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]', 'ARRAY<BIGINT>'), from_json('[0, 0, 0, 0, 1, 1, 1, 2, 2, 3]', 'ARRAY<BIGINT>'), from_json('[0, 1, 2, 3, 1, 2, 3, 2, 3, 3]', 'ARRAY<BIGINT>'), from_json('[1.0, 1.41421356, 1.41421356, 1.41421356, 1.0, 1.41421356, 1.41421356, 1.0, 1.41421356, 1.0]', 'ARRAY<DOUBLE>'))) AS (c, v0, v1, w)),
products5 AS (SELECT k.r AS r, i.c AS f, SUM(CAST(i.w AS DOUBLE)*CAST(k.x[i.v0] AS DOUBLE)*CAST(k.x[i.v1] AS DOUBLE)) AS x FROM lists3 k CROSS JOIN index_table4 i GROUP BY k.r, i.c),
features6 AS (SELECT id AS f FROM range(10)),
components7 AS (SELECT c, ((((((((1207422803*c+1554021005)*c+940132630)*c+1202754055)*c+1339085487)*c+308160061)*c+1073599193)*c+1496043970) % 2147483647) AS b0, ((((((((695715121*c+1050305301)*c+1174479125)*c+77190952)*c+1559899810)*c+98088592)*c+1491132665)*c+1612041911) % 2147483647) AS b1, ((((((((266018135*c+1347893375)*c+857912869)*c+222066450)*c+569881106)*c+1978271943)*c+144005368)*c+453062626) % 2147483647) AS b2, ((((((((712970553*c+986047398)*c+656026341)*c+305698416)*c+2144627527)*c+1358167319)*c+1969862486)*c+2023595005) % 2147483647) AS b3,
  ((((((((1832410929*c+515607408)*c+872307825)*c+512510187)*c+1572092133)*c+827115265)*c+1341515075)*c+1191955192) % 2147483647) AS b4, ((((((((440023740*c+1789843104)*c+85512086)*c+748716940)*c+828250944)*c+1719596919)*c+1783190857)*c+1714556674) % 2147483647) AS b5, ((((((((1229410488*c+1140486993)*c+930223432)*c+2069346305)*c+1577410622)*c+1795527457)*c+1372741064)*c+319245571) % 2147483647) AS b6, ((((((((977490620*c+1371363093)*c+708385131)*c+1899269072)*c+929569986)*c+345679816)*c+974472240)*c+434820976) % 2147483647) AS b7
FROM (SELECT id AS c FROM range(2)) n),
signs8 AS (SELECT CAST(c AS INT) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features6 CROSS JOIN components7) drawn
WHERE h < 2147483647),
sums9 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM products5 JOIN signs8 USING (f)
GROUP BY r, c)
SELECT c0 AS `id`, 0.707106781*x[0] AS z0, 0.707106781*x[1] AS z1
FROM (SELECT s.c0 AS c0, coalesce(z.x, array_repeat(0.0e0, 2)) AS x
FROM source0 s LEFT JOIN (SELECT r, transform(array(collect_list(struct(CAST(f AS INT) AS o, CAST(x AS DOUBLE) AS v)) FILTER (WHERE CAST(x AS DOUBLE) IS NOT NULL)), p -> CASE WHEN size(p) = 2 THEN sort_array(p).v ELSE sort_array(concat(p, transform(array_except(sequence(0, 1), p.o), o -> struct(o, 0.0e0 AS v)))).v END)[0] AS x FROM sums9 GROUP BY r) z ON z.r = s.r) s

-- ======== snowflake
-- 3 statements: run them in this order in one session. Statement 2 returns the rows.
CREATE TEMPORARY TABLE sqlrp_temporary_0 AS SELECT c0, row_number() OVER (ORDER BY NULL) AS r, coalesce(CAST(CAST(x[0] AS DOUBLE) AS DOUBLE),0.0e0) AS x0, coalesce(CAST(CAST(x[1] AS DOUBLE) AS DOUBLE),0.0e0) AS x1, coalesce(CAST(CAST(x[2] AS DOUBLE) AS DOUBLE),0.0e0) AS x2, coalesce(CAST(CAST(x[3] AS DOUBLE) AS DOUBLE),0.0e0) AS x3 FROM (SELECT "id" AS c0, "embedding" AS x FROM "documents") s;
WITH cells0 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM sqlrp_temporary_0 CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) counted),
features1 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
cells2 AS (SELECT r, f, x FROM cells0 UNION ALL
SELECT odd.r, e.f, 0.0e0 FROM (SELECT DISTINCT r FROM cells0 WHERE NOT (x - x = 0)) odd
CROSS JOIN features1 e
WHERE NOT EXISTS (SELECT 1 FROM cells0 k WHERE k.r = odd.r AND k.f = e.f)),
index_table3 AS (SELECT c, v0, v1, w FROM (VALUES (0, 0, 0, 1.0e0), (1, 0, 1, 1.41421356), (2, 0, 2, 1.41421356), (3, 0, 3, 1.41421356), (4, 1, 1, 1.0e0), (5, 1, 2, 1.41421356), (6, 1, 3, 1.41421356), (7, 2, 2, 1.0e0), (8, 2, 3, 1.41421356), (9, 3, 3, 1.0e0)) AS listed(c, v0, v1, w)),
products4 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(i.w AS DOUBLE)*CAST(k0.x AS DOUBLE)*CAST(k1.x AS DOUBLE)) AS x
FROM index_table3 i JOIN cells2 k0 ON k0.f = i.v0 JOIN cells2 k1 ON k1.f = i.v1 AND k0.r = k1.r
GROUP BY k0.r, i.c),
features5 AS (SELECT CAST(CASE WHEN 1 * d0.d < 10 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 10),
components6 AS (SELECT c, ((((((((1207422803*c+1554021005)*c+940132630)*c+1202754055)*c+1339085487)*c+308160061)*c+1073599193)*c+1496043970) % 2147483647) AS b0, ((((((((695715121*c+1050305301)*c+1174479125)*c+77190952)*c+1559899810)*c+98088592)*c+1491132665)*c+1612041911) % 2147483647) AS b1, ((((((((266018135*c+1347893375)*c+857912869)*c+222066450)*c+569881106)*c+1978271943)*c+144005368)*c+453062626) % 2147483647) AS b2, ((((((((712970553*c+986047398)*c+656026341)*c+305698416)*c+2144627527)*c+1358167319)*c+1969862486)*c+2023595005) % 2147483647) AS b3,
  ((((((((1832410929*c+515607408)*c+872307825)*c+512510187)*c+1572092133)*c+827115265)*c+1341515075)*c+1191955192) % 2147483647) AS b4, ((((((((440023740*c+1789843104)*c+85512086)*c+748716940)*c+828250944)*c+1719596919)*c+1783190857)*c+1714556674) % 2147483647) AS b5, ((((((((1229410488*c+1140486993)*c+930223432)*c+2069346305)*c+1577410622)*c+1795527457)*c+1372741064)*c+319245571) % 2147483647) AS b6, ((((((((977490620*c+1371363093)*c+708385131)*c+1899269072)*c+929569986)*c+345679816)*c+974472240)*c+434820976) % 2147483647) AS b7
FROM (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS c FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2) n),
signs7 AS (SELECT CAST(c AS BIGINT) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features5 CROSS JOIN components6) drawn
WHERE h < 2147483647),
sums8 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM products4 JOIN signs7 USING (f)
GROUP BY r, c),
outputs9 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2),
result10 AS (SELECT s.r AS r, s.c0 AS c0, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM sqlrp_temporary_0 s CROSS JOIN outputs9 n
LEFT JOIN sums8 z ON z.r = s.r AND z.f = n.f)
SELECT c0 AS "id", 0.707106781*x0 AS z0, 0.707106781*x1 AS z1
FROM (SELECT c0, MAX(CASE WHEN f = 0 THEN CAST(x AS DOUBLE) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS DOUBLE) END) AS x1 FROM result10 GROUP BY r, c0) s;
DROP TABLE IF EXISTS sqlrp_temporary_0;


-- ======== bigquery
-- 2 statements: run them in this order in one session. Statement 2 returns the rows.
CREATE TEMPORARY TABLE sqlrp_temporary_0 AS SELECT c0, row_number() OVER () AS r, coalesce(CAST(x[SAFE_OFFSET(0)] AS FLOAT64),0.0e0) AS x0, coalesce(CAST(x[SAFE_OFFSET(1)] AS FLOAT64),0.0e0) AS x1, coalesce(CAST(x[SAFE_OFFSET(2)] AS FLOAT64),0.0e0) AS x2, coalesce(CAST(x[SAFE_OFFSET(3)] AS FLOAT64),0.0e0) AS x3 FROM (SELECT `id` AS c0, `embedding` AS x FROM `documents`) s;
WITH cells0 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM sqlrp_temporary_0 CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS INT64) AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) counted),
features1 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS INT64) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
cells2 AS (SELECT r, f, x FROM cells0 UNION ALL
SELECT odd.r, e.f, 0.0e0 FROM (SELECT DISTINCT r FROM cells0 WHERE NOT (x - x = 0)) odd
CROSS JOIN features1 e
WHERE NOT EXISTS (SELECT 1 FROM cells0 k WHERE k.r = odd.r AND k.f = e.f)),
index_table3 AS (SELECT c, v0, v1, w FROM UNNEST([STRUCT(0 AS c, 0 AS v0, 0 AS v1, 1.0e0 AS w), STRUCT(1, 0, 1, 1.41421356), STRUCT(2, 0, 2, 1.41421356), STRUCT(3, 0, 3, 1.41421356), STRUCT(4, 1, 1, 1.0e0), STRUCT(5, 1, 2, 1.41421356), STRUCT(6, 1, 3, 1.41421356), STRUCT(7, 2, 2, 1.0e0), STRUCT(8, 2, 3, 1.41421356), STRUCT(9, 3, 3, 1.0e0)])),
products4 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(i.w AS FLOAT64)*CAST(k0.x AS FLOAT64)*CAST(k1.x AS FLOAT64)) AS x
FROM index_table3 i JOIN cells2 k0 ON k0.f = i.v0 JOIN cells2 k1 ON k1.f = i.v1 AND k0.r = k1.r
GROUP BY k0.r, i.c),
features5 AS (SELECT CAST(CASE WHEN 1 * d0.d < 10 THEN 1 * d0.d END AS INT64) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 10),
components6 AS (SELECT c, MOD((((((((1207422803*c+1554021005)*c+940132630)*c+1202754055)*c+1339085487)*c+308160061)*c+1073599193)*c+1496043970), 2147483647) AS b0, MOD((((((((695715121*c+1050305301)*c+1174479125)*c+77190952)*c+1559899810)*c+98088592)*c+1491132665)*c+1612041911), 2147483647) AS b1, MOD((((((((266018135*c+1347893375)*c+857912869)*c+222066450)*c+569881106)*c+1978271943)*c+144005368)*c+453062626), 2147483647) AS b2, MOD((((((((712970553*c+986047398)*c+656026341)*c+305698416)*c+2144627527)*c+1358167319)*c+1969862486)*c+2023595005), 2147483647) AS b3,
  MOD((((((((1832410929*c+515607408)*c+872307825)*c+512510187)*c+1572092133)*c+827115265)*c+1341515075)*c+1191955192), 2147483647) AS b4, MOD((((((((440023740*c+1789843104)*c+85512086)*c+748716940)*c+828250944)*c+1719596919)*c+1783190857)*c+1714556674), 2147483647) AS b5, MOD((((((((1229410488*c+1140486993)*c+930223432)*c+2069346305)*c+1577410622)*c+1795527457)*c+1372741064)*c+319245571), 2147483647) AS b6, MOD((((((((977490620*c+1371363093)*c+708385131)*c+1899269072)*c+929569986)*c+345679816)*c+974472240)*c+434820976), 2147483647) AS b7
FROM (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS INT64) AS c FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2) n),
signs7 AS (SELECT CAST(c AS INT64) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, MOD((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0), 2147483647) AS h FROM features5 CROSS JOIN components6) drawn
WHERE h < 2147483647),
sums8 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM products4 JOIN signs7 USING (f)
GROUP BY r, c),
outputs9 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS INT64) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2),
result10 AS (SELECT s.r AS r, s.c0 AS c0, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM sqlrp_temporary_0 s CROSS JOIN outputs9 n
LEFT JOIN sums8 z ON z.r = s.r AND z.f = n.f)
SELECT c0 AS `id`, 0.707106781*x0 AS z0, 0.707106781*x1 AS z1
FROM (SELECT c0, MAX(CASE WHEN f = 0 THEN CAST(x AS FLOAT64) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS FLOAT64) END) AS x1 FROM result10 GROUP BY r, c0) s;


-- ======== redshift
-- 3 statements: run them in this order in one session. Statement 2 returns the rows.
CREATE TEMPORARY TABLE sqlrp_temporary_0 AS SELECT c0, row_number() OVER () AS r, coalesce(CAST(CAST(x[0] AS DOUBLE PRECISION) AS DOUBLE PRECISION),CAST('0.0' AS DOUBLE PRECISION)) AS x0, coalesce(CAST(CAST(x[1] AS DOUBLE PRECISION) AS DOUBLE PRECISION),CAST('0.0' AS DOUBLE PRECISION)) AS x1, coalesce(CAST(CAST(x[2] AS DOUBLE PRECISION) AS DOUBLE PRECISION),CAST('0.0' AS DOUBLE PRECISION)) AS x2, coalesce(CAST(CAST(x[3] AS DOUBLE PRECISION) AS DOUBLE PRECISION),CAST('0.0' AS DOUBLE PRECISION)) AS x3 FROM (SELECT "id" AS c0, "embedding" AS x FROM "documents") s;
WITH cells0 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM sqlrp_temporary_0 CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) counted),
features1 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
cells2 AS (SELECT r, f, x FROM cells0 UNION ALL
SELECT odd.r, e.f, CAST('0.0' AS DOUBLE PRECISION) FROM (SELECT DISTINCT r FROM cells0 WHERE NOT (x - x = 0)) odd
CROSS JOIN features1 e
WHERE NOT EXISTS (SELECT 1 FROM cells0 k WHERE k.r = odd.r AND k.f = e.f)),
index_table3 AS (SELECT 0 AS c, 0 AS v0, 0 AS v1, CAST('1.0' AS DOUBLE PRECISION) AS w UNION ALL SELECT 1 AS c, 0 AS v0, 1 AS v1, CAST('1.41421356' AS DOUBLE PRECISION) AS w UNION ALL SELECT 2 AS c, 0 AS v0, 2 AS v1, CAST('1.41421356' AS DOUBLE PRECISION) AS w UNION ALL SELECT 3 AS c, 0 AS v0, 3 AS v1, CAST('1.41421356' AS DOUBLE PRECISION) AS w UNION ALL SELECT 4 AS c, 1 AS v0, 1 AS v1, CAST('1.0' AS DOUBLE PRECISION) AS w UNION ALL SELECT 5 AS c, 1 AS v0, 2 AS v1, CAST('1.41421356' AS DOUBLE PRECISION) AS w UNION ALL SELECT 6 AS c, 1 AS v0, 3 AS v1, CAST('1.41421356' AS DOUBLE PRECISION) AS w UNION ALL SELECT 7 AS c, 2 AS v0, 2 AS v1, CAST('1.0' AS DOUBLE PRECISION) AS w UNION ALL SELECT 8 AS c, 2 AS v0, 3 AS v1, CAST('1.41421356' AS DOUBLE PRECISION) AS w UNION ALL SELECT 9 AS c, 3 AS v0, 3 AS v1, CAST('1.0' AS DOUBLE PRECISION) AS w),
products4 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(i.w AS DOUBLE PRECISION)*CAST(k0.x AS DOUBLE PRECISION)*CAST(k1.x AS DOUBLE PRECISION)) AS x
FROM index_table3 i JOIN cells2 k0 ON k0.f = i.v0 JOIN cells2 k1 ON k1.f = i.v1 AND k0.r = k1.r
GROUP BY k0.r, i.c),
features5 AS (SELECT CAST(CASE WHEN 1 * d0.d < 10 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 10),
components6 AS (SELECT c, ((((((((1207422803*c+1554021005)*c+940132630)*c+1202754055)*c+1339085487)*c+308160061)*c+1073599193)*c+1496043970) % 2147483647) AS b0, ((((((((695715121*c+1050305301)*c+1174479125)*c+77190952)*c+1559899810)*c+98088592)*c+1491132665)*c+1612041911) % 2147483647) AS b1, ((((((((266018135*c+1347893375)*c+857912869)*c+222066450)*c+569881106)*c+1978271943)*c+144005368)*c+453062626) % 2147483647) AS b2, ((((((((712970553*c+986047398)*c+656026341)*c+305698416)*c+2144627527)*c+1358167319)*c+1969862486)*c+2023595005) % 2147483647) AS b3,
  ((((((((1832410929*c+515607408)*c+872307825)*c+512510187)*c+1572092133)*c+827115265)*c+1341515075)*c+1191955192) % 2147483647) AS b4, ((((((((440023740*c+1789843104)*c+85512086)*c+748716940)*c+828250944)*c+1719596919)*c+1783190857)*c+1714556674) % 2147483647) AS b5, ((((((((1229410488*c+1140486993)*c+930223432)*c+2069346305)*c+1577410622)*c+1795527457)*c+1372741064)*c+319245571) % 2147483647) AS b6, ((((((((977490620*c+1371363093)*c+708385131)*c+1899269072)*c+929569986)*c+345679816)*c+974472240)*c+434820976) % 2147483647) AS b7
FROM (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS c FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2) n),
signs7 AS (SELECT CAST(c AS BIGINT) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features5 CROSS JOIN components6) drawn
WHERE h < 2147483647),
sums8 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE CAST('0.0' AS DOUBLE PRECISION) - x END) AS x
FROM products4 JOIN signs7 USING (f)
GROUP BY r, c),
outputs9 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2),
result10 AS (SELECT s.r AS r, s.c0 AS c0, n.f AS f, coalesce(z.x, CAST('0.0' AS DOUBLE PRECISION)) AS x
FROM sqlrp_temporary_0 s CROSS JOIN outputs9 n
LEFT JOIN sums8 z ON z.r = s.r AND z.f = n.f)
SELECT c0 AS "id", CAST('0.707106781' AS DOUBLE PRECISION)*x0 AS z0, CAST('0.707106781' AS DOUBLE PRECISION)*x1 AS z1
FROM (SELECT c0, MAX(CASE WHEN f = 0 THEN CAST(x AS DOUBLE PRECISION) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS DOUBLE PRECISION) END) AS x1 FROM result10 GROUP BY r, c0) s;
DROP TABLE IF EXISTS sqlrp_temporary_0;


-- ======== databricks
-- 3 statements: run them in this order in one session. Statement 2 returns the rows.
CREATE TABLE sqlrp_temporary_0 AS SELECT c0, monotonically_increasing_id() AS r, coalesce(CAST(x[0] AS DOUBLE),0.0e0) AS x0, coalesce(CAST(x[1] AS DOUBLE),0.0e0) AS x1, coalesce(CAST(x[2] AS DOUBLE),0.0e0) AS x2, coalesce(CAST(x[3] AS DOUBLE),0.0e0) AS x3 FROM (SELECT `id` AS c0, `embedding` AS x FROM `documents`) s;
WITH cells0 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM sqlrp_temporary_0 CROSS JOIN (SELECT id AS n FROM range(4)) counted),
features1 AS (SELECT id AS f FROM range(4)),
lists2 AS (SELECT r, transform(array(collect_list(struct(CAST(f AS INT) AS o, CAST(x AS DOUBLE) AS v)) FILTER (WHERE CAST(x AS DOUBLE) IS NOT NULL)), p -> CASE WHEN size(p) = 4 THEN sort_array(p).v ELSE sort_array(concat(p, transform(array_except(sequence(0, 3), p.o), o -> struct(o, 0.0e0 AS v)))).v END)[0] AS x FROM cells0 GROUP BY r),
index_table3 AS (SELECT c, v0, v1, w FROM (VALUES (0, 0, 0, 1.0e0), (1, 0, 1, 1.41421356), (2, 0, 2, 1.41421356), (3, 0, 3, 1.41421356), (4, 1, 1, 1.0e0), (5, 1, 2, 1.41421356), (6, 1, 3, 1.41421356), (7, 2, 2, 1.0e0), (8, 2, 3, 1.41421356), (9, 3, 3, 1.0e0)) AS listed(c, v0, v1, w)),
products4 AS (SELECT k.r AS r, i.c AS f, SUM(CAST(i.w AS DOUBLE)*CAST(k.x[i.v0] AS DOUBLE)*CAST(k.x[i.v1] AS DOUBLE)) AS x FROM lists2 k CROSS JOIN index_table3 i GROUP BY k.r, i.c),
features5 AS (SELECT id AS f FROM range(10)),
components6 AS (SELECT c, ((((((((1207422803*c+1554021005)*c+940132630)*c+1202754055)*c+1339085487)*c+308160061)*c+1073599193)*c+1496043970) % 2147483647) AS b0, ((((((((695715121*c+1050305301)*c+1174479125)*c+77190952)*c+1559899810)*c+98088592)*c+1491132665)*c+1612041911) % 2147483647) AS b1, ((((((((266018135*c+1347893375)*c+857912869)*c+222066450)*c+569881106)*c+1978271943)*c+144005368)*c+453062626) % 2147483647) AS b2, ((((((((712970553*c+986047398)*c+656026341)*c+305698416)*c+2144627527)*c+1358167319)*c+1969862486)*c+2023595005) % 2147483647) AS b3,
  ((((((((1832410929*c+515607408)*c+872307825)*c+512510187)*c+1572092133)*c+827115265)*c+1341515075)*c+1191955192) % 2147483647) AS b4, ((((((((440023740*c+1789843104)*c+85512086)*c+748716940)*c+828250944)*c+1719596919)*c+1783190857)*c+1714556674) % 2147483647) AS b5, ((((((((1229410488*c+1140486993)*c+930223432)*c+2069346305)*c+1577410622)*c+1795527457)*c+1372741064)*c+319245571) % 2147483647) AS b6, ((((((((977490620*c+1371363093)*c+708385131)*c+1899269072)*c+929569986)*c+345679816)*c+974472240)*c+434820976) % 2147483647) AS b7
FROM (SELECT id AS c FROM range(2)) n),
signs7 AS (SELECT CAST(c AS BIGINT) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features5 CROSS JOIN components6) drawn
WHERE h < 2147483647),
sums8 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM products4 JOIN signs7 USING (f)
GROUP BY r, c),
outputs9 AS (SELECT id AS f FROM range(2)),
result10 AS (SELECT s.r AS r, s.c0 AS c0, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM sqlrp_temporary_0 s CROSS JOIN outputs9 n
LEFT JOIN sums8 z ON z.r = s.r AND z.f = n.f)
SELECT c0 AS `id`, 0.707106781*x0 AS z0, 0.707106781*x1 AS z1
FROM (SELECT c0, MAX(CASE WHEN f = 0 THEN CAST(x AS DOUBLE) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS DOUBLE) END) AS x1 FROM result10 GROUP BY r, c0) s;
DROP TABLE IF EXISTS sqlrp_temporary_0;


-- ======== trino
-- 3 statements: run them in this order in one session. Statement 2 returns the rows.
CREATE TABLE sqlrp_temporary_0 AS SELECT c0, row_number() OVER () AS r, coalesce(CAST(element_at(x, 1) AS DOUBLE),0.0e0) AS x0, coalesce(CAST(element_at(x, 2) AS DOUBLE),0.0e0) AS x1, coalesce(CAST(element_at(x, 3) AS DOUBLE),0.0e0) AS x2, coalesce(CAST(element_at(x, 4) AS DOUBLE),0.0e0) AS x3 FROM (SELECT "id" AS c0, "embedding" AS x FROM "documents") s;
WITH cells0 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM sqlrp_temporary_0 CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) counted),
features1 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
cells2 AS (SELECT r, f, x FROM cells0 UNION ALL
SELECT odd.r, e.f, 0.0e0 FROM (SELECT DISTINCT r FROM cells0 WHERE NOT (x - x = 0)) odd
CROSS JOIN features1 e
WHERE NOT EXISTS (SELECT 1 FROM cells0 k WHERE k.r = odd.r AND k.f = e.f)),
index_table3 AS (SELECT c, v0, v1, w FROM (VALUES (0, 0, 0, 1.0e0), (1, 0, 1, 1.41421356), (2, 0, 2, 1.41421356), (3, 0, 3, 1.41421356), (4, 1, 1, 1.0e0), (5, 1, 2, 1.41421356), (6, 1, 3, 1.41421356), (7, 2, 2, 1.0e0), (8, 2, 3, 1.41421356), (9, 3, 3, 1.0e0)) AS listed(c, v0, v1, w)),
products4 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(i.w AS DOUBLE)*CAST(k0.x AS DOUBLE)*CAST(k1.x AS DOUBLE)) AS x
FROM index_table3 i JOIN cells2 k0 ON k0.f = i.v0 JOIN cells2 k1 ON k1.f = i.v1 AND k0.r = k1.r
GROUP BY k0.r, i.c),
features5 AS (SELECT CAST(CASE WHEN 1 * d0.d < 10 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 10),
components6 AS (SELECT c, ((((((((1207422803*c+1554021005)*c+940132630)*c+1202754055)*c+1339085487)*c+308160061)*c+1073599193)*c+1496043970) % 2147483647) AS b0, ((((((((695715121*c+1050305301)*c+1174479125)*c+77190952)*c+1559899810)*c+98088592)*c+1491132665)*c+1612041911) % 2147483647) AS b1, ((((((((266018135*c+1347893375)*c+857912869)*c+222066450)*c+569881106)*c+1978271943)*c+144005368)*c+453062626) % 2147483647) AS b2, ((((((((712970553*c+986047398)*c+656026341)*c+305698416)*c+2144627527)*c+1358167319)*c+1969862486)*c+2023595005) % 2147483647) AS b3,
  ((((((((1832410929*c+515607408)*c+872307825)*c+512510187)*c+1572092133)*c+827115265)*c+1341515075)*c+1191955192) % 2147483647) AS b4, ((((((((440023740*c+1789843104)*c+85512086)*c+748716940)*c+828250944)*c+1719596919)*c+1783190857)*c+1714556674) % 2147483647) AS b5, ((((((((1229410488*c+1140486993)*c+930223432)*c+2069346305)*c+1577410622)*c+1795527457)*c+1372741064)*c+319245571) % 2147483647) AS b6, ((((((((977490620*c+1371363093)*c+708385131)*c+1899269072)*c+929569986)*c+345679816)*c+974472240)*c+434820976) % 2147483647) AS b7
FROM (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS c FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2) n),
signs7 AS (SELECT CAST(c AS BIGINT) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features5 CROSS JOIN components6) drawn
WHERE h < 2147483647),
sums8 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM products4 JOIN signs7 USING (f)
GROUP BY r, c),
outputs9 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2),
result10 AS (SELECT s.r AS r, s.c0 AS c0, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM sqlrp_temporary_0 s CROSS JOIN outputs9 n
LEFT JOIN sums8 z ON z.r = s.r AND z.f = n.f)
SELECT c0 AS "id", 0.707106781*x0 AS z0, 0.707106781*x1 AS z1
FROM (SELECT c0, MAX(CASE WHEN f = 0 THEN CAST(x AS DOUBLE) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS DOUBLE) END) AS x1 FROM result10 GROUP BY r, c0) s;
DROP TABLE IF EXISTS sqlrp_temporary_0;


-- ======== sqlserver
-- 23 statements: run them in this order in one session. Statement 12 returns the rows.
SELECT * INTO #sqlrp_temporary_0 FROM (SELECT c0, row_number() OVER (ORDER BY (SELECT NULL)) AS r, coalesce(CAST(CAST(JSON_VALUE(x, '$[0]') AS FLOAT) AS FLOAT),0.0e0) AS x0, coalesce(CAST(CAST(JSON_VALUE(x, '$[1]') AS FLOAT) AS FLOAT),0.0e0) AS x1, coalesce(CAST(CAST(JSON_VALUE(x, '$[2]') AS FLOAT) AS FLOAT),0.0e0) AS x2, coalesce(CAST(CAST(JSON_VALUE(x, '$[3]') AS FLOAT) AS FLOAT),0.0e0) AS x3 FROM (SELECT [id] AS c0, CAST([embedding] AS NVARCHAR(MAX)) AS x FROM [documents]) s) s;
SELECT * INTO #sqlrp_temporary_1 FROM (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM #sqlrp_temporary_0 CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS n FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) counted) s;
SELECT * INTO #sqlrp_temporary_2 FROM (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) s;
SELECT * INTO #sqlrp_temporary_3 FROM (SELECT c, v0, v1, w FROM (VALUES (0, 0, 0, 1.0e0), (1, 0, 1, 1.41421356), (2, 0, 2, 1.41421356), (3, 0, 3, 1.41421356), (4, 1, 1, 1.0e0), (5, 1, 2, 1.41421356), (6, 1, 3, 1.41421356), (7, 2, 2, 1.0e0), (8, 2, 3, 1.41421356), (9, 3, 3, 1.0e0)) AS listed(c, v0, v1, w)) s;
SELECT * INTO #sqlrp_temporary_4 FROM (SELECT k0.r AS r, i.c AS f, SUM(CAST(i.w AS FLOAT)*CAST(k0.x AS FLOAT)*CAST(k1.x AS FLOAT)) AS x
FROM #sqlrp_temporary_3 i JOIN #sqlrp_temporary_1 k0 ON k0.f = i.v0 JOIN #sqlrp_temporary_1 k1 ON k1.f = i.v1 AND k0.r = k1.r
GROUP BY k0.r, i.c) s;
SELECT * INTO #sqlrp_temporary_5 FROM (SELECT CAST(CASE WHEN 1 * d0.d < 10 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 10) s;
SELECT * INTO #sqlrp_temporary_6 FROM (SELECT c, ((((((((1207422803*c+1554021005)*c+940132630)*c+1202754055)*c+1339085487)*c+308160061)*c+1073599193)*c+1496043970) % 2147483647) AS b0, ((((((((695715121*c+1050305301)*c+1174479125)*c+77190952)*c+1559899810)*c+98088592)*c+1491132665)*c+1612041911) % 2147483647) AS b1, ((((((((266018135*c+1347893375)*c+857912869)*c+222066450)*c+569881106)*c+1978271943)*c+144005368)*c+453062626) % 2147483647) AS b2, ((((((((712970553*c+986047398)*c+656026341)*c+305698416)*c+2144627527)*c+1358167319)*c+1969862486)*c+2023595005) % 2147483647) AS b3,
  ((((((((1832410929*c+515607408)*c+872307825)*c+512510187)*c+1572092133)*c+827115265)*c+1341515075)*c+1191955192) % 2147483647) AS b4, ((((((((440023740*c+1789843104)*c+85512086)*c+748716940)*c+828250944)*c+1719596919)*c+1783190857)*c+1714556674) % 2147483647) AS b5, ((((((((1229410488*c+1140486993)*c+930223432)*c+2069346305)*c+1577410622)*c+1795527457)*c+1372741064)*c+319245571) % 2147483647) AS b6, ((((((((977490620*c+1371363093)*c+708385131)*c+1899269072)*c+929569986)*c+345679816)*c+974472240)*c+434820976) % 2147483647) AS b7
FROM (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS c FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2) n) s;
SELECT * INTO #sqlrp_temporary_7 FROM (SELECT CAST(c AS BIGINT) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM #sqlrp_temporary_5 CROSS JOIN #sqlrp_temporary_6) drawn
WHERE h < 2147483647) s;
SELECT * INTO #sqlrp_temporary_8 FROM (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM #sqlrp_temporary_4 JOIN #sqlrp_temporary_7 ON #sqlrp_temporary_4.f = #sqlrp_temporary_7.f
GROUP BY r, c) s;
SELECT * INTO #sqlrp_temporary_9 FROM (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2) s;
SELECT * INTO #sqlrp_temporary_10 FROM (SELECT s.r AS r, s.c0 AS c0, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM #sqlrp_temporary_0 s CROSS JOIN #sqlrp_temporary_9 n
LEFT JOIN #sqlrp_temporary_8 z ON z.r = s.r AND z.f = n.f) s;
SELECT c0 AS [id], 0.707106781*x0 AS z0, 0.707106781*x1 AS z1
FROM (SELECT c0, MAX(CASE WHEN f = 0 THEN CAST(x AS FLOAT) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS FLOAT) END) AS x1 FROM #sqlrp_temporary_10 GROUP BY r, c0) s;
DROP TABLE IF EXISTS #sqlrp_temporary_10;
DROP TABLE IF EXISTS #sqlrp_temporary_9;
DROP TABLE IF EXISTS #sqlrp_temporary_8;
DROP TABLE IF EXISTS #sqlrp_temporary_7;
DROP TABLE IF EXISTS #sqlrp_temporary_6;
DROP TABLE IF EXISTS #sqlrp_temporary_5;
DROP TABLE IF EXISTS #sqlrp_temporary_4;
DROP TABLE IF EXISTS #sqlrp_temporary_3;
DROP TABLE IF EXISTS #sqlrp_temporary_2;
DROP TABLE IF EXISTS #sqlrp_temporary_1;
DROP TABLE IF EXISTS #sqlrp_temporary_0;


-- ======== oracle
-- 3 statements: run them in this order in one session. Statement 2 returns the rows.
CREATE PRIVATE TEMPORARY TABLE ORA$PTT_SQLRP_19EEC2E994AB_0 ON COMMIT PRESERVE DEFINITION AS SELECT c0, row_number() OVER (ORDER BY NULL) AS r, coalesce(CAST(CAST(JSON_VALUE(x, '$[0]' RETURNING NUMBER) AS BINARY_DOUBLE) AS BINARY_DOUBLE),CAST(0.0e0 AS BINARY_DOUBLE)) AS x0, coalesce(CAST(CAST(JSON_VALUE(x, '$[1]' RETURNING NUMBER) AS BINARY_DOUBLE) AS BINARY_DOUBLE),CAST(0.0e0 AS BINARY_DOUBLE)) AS x1, coalesce(CAST(CAST(JSON_VALUE(x, '$[2]' RETURNING NUMBER) AS BINARY_DOUBLE) AS BINARY_DOUBLE),CAST(0.0e0 AS BINARY_DOUBLE)) AS x2, coalesce(CAST(CAST(JSON_VALUE(x, '$[3]' RETURNING NUMBER) AS BINARY_DOUBLE) AS BINARY_DOUBLE),CAST(0.0e0 AS BINARY_DOUBLE)) AS x3 FROM (SELECT "id" AS c0, FROM_VECTOR("embedding" RETURNING CLOB) AS x FROM "documents") s;
WITH cells0 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM ORA$PTT_SQLRP_19EEC2E994AB_0 CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS NUMBER(19)) AS n FROM (SELECT 0 AS d FROM dual UNION ALL SELECT 1 FROM dual UNION ALL SELECT 2 FROM dual UNION ALL SELECT 3 FROM dual UNION ALL SELECT 4 FROM dual UNION ALL SELECT 5 FROM dual UNION ALL SELECT 6 FROM dual UNION ALL SELECT 7 FROM dual UNION ALL SELECT 8 FROM dual UNION ALL SELECT 9 FROM dual) d0 WHERE 1 * d0.d < 4) counted),
features1 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS NUMBER(19)) AS f FROM (SELECT 0 AS d FROM dual UNION ALL SELECT 1 FROM dual UNION ALL SELECT 2 FROM dual UNION ALL SELECT 3 FROM dual UNION ALL SELECT 4 FROM dual UNION ALL SELECT 5 FROM dual UNION ALL SELECT 6 FROM dual UNION ALL SELECT 7 FROM dual UNION ALL SELECT 8 FROM dual UNION ALL SELECT 9 FROM dual) d0 WHERE 1 * d0.d < 4),
cells2 AS (SELECT r, f, x FROM cells0 UNION ALL
SELECT odd.r, e.f, CAST(0.0e0 AS BINARY_DOUBLE) FROM (SELECT DISTINCT r FROM cells0 WHERE NOT (x - x = 0)) odd
CROSS JOIN features1 e
WHERE NOT EXISTS (SELECT 1 FROM cells0 k WHERE k.r = odd.r AND k.f = e.f)),
index_table3 AS (SELECT c, v0, v1, w FROM (SELECT 0 AS c, 0 AS v0, 0 AS v1, CAST(1.0e0 AS BINARY_DOUBLE) AS w FROM dual UNION ALL SELECT 1 AS c, 0 AS v0, 1 AS v1, CAST(1.41421356 AS BINARY_DOUBLE) AS w FROM dual UNION ALL SELECT 2 AS c, 0 AS v0, 2 AS v1, CAST(1.41421356 AS BINARY_DOUBLE) AS w FROM dual UNION ALL SELECT 3 AS c, 0 AS v0, 3 AS v1, CAST(1.41421356 AS BINARY_DOUBLE) AS w FROM dual UNION ALL SELECT 4 AS c, 1 AS v0, 1 AS v1, CAST(1.0e0 AS BINARY_DOUBLE) AS w FROM dual UNION ALL SELECT 5 AS c, 1 AS v0, 2 AS v1, CAST(1.41421356 AS BINARY_DOUBLE) AS w FROM dual UNION ALL SELECT 6 AS c, 1 AS v0, 3 AS v1, CAST(1.41421356 AS BINARY_DOUBLE) AS w FROM dual UNION ALL SELECT 7 AS c, 2 AS v0, 2 AS v1, CAST(1.0e0 AS BINARY_DOUBLE) AS w FROM dual UNION ALL SELECT 8 AS c, 2 AS v0, 3 AS v1, CAST(1.41421356 AS BINARY_DOUBLE) AS w FROM dual UNION ALL SELECT 9 AS c, 3 AS v0, 3 AS v1, CAST(1.0e0 AS BINARY_DOUBLE) AS w FROM dual) s),
products4 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(i.w AS BINARY_DOUBLE)*CAST(k0.x AS BINARY_DOUBLE)*CAST(k1.x AS BINARY_DOUBLE)) AS x
FROM index_table3 i JOIN cells2 k0 ON k0.f = i.v0 JOIN cells2 k1 ON k1.f = i.v1 AND k0.r = k1.r
GROUP BY k0.r, i.c),
features5 AS (SELECT CAST(CASE WHEN 1 * d0.d < 10 THEN 1 * d0.d END AS NUMBER(19)) AS f FROM (SELECT 0 AS d FROM dual UNION ALL SELECT 1 FROM dual UNION ALL SELECT 2 FROM dual UNION ALL SELECT 3 FROM dual UNION ALL SELECT 4 FROM dual UNION ALL SELECT 5 FROM dual UNION ALL SELECT 6 FROM dual UNION ALL SELECT 7 FROM dual UNION ALL SELECT 8 FROM dual UNION ALL SELECT 9 FROM dual) d0 WHERE 1 * d0.d < 10),
components6 AS (SELECT c, MOD((((((((1207422803*c+1554021005)*c+940132630)*c+1202754055)*c+1339085487)*c+308160061)*c+1073599193)*c+1496043970), 2147483647) AS b0, MOD((((((((695715121*c+1050305301)*c+1174479125)*c+77190952)*c+1559899810)*c+98088592)*c+1491132665)*c+1612041911), 2147483647) AS b1, MOD((((((((266018135*c+1347893375)*c+857912869)*c+222066450)*c+569881106)*c+1978271943)*c+144005368)*c+453062626), 2147483647) AS b2, MOD((((((((712970553*c+986047398)*c+656026341)*c+305698416)*c+2144627527)*c+1358167319)*c+1969862486)*c+2023595005), 2147483647) AS b3,
  MOD((((((((1832410929*c+515607408)*c+872307825)*c+512510187)*c+1572092133)*c+827115265)*c+1341515075)*c+1191955192), 2147483647) AS b4, MOD((((((((440023740*c+1789843104)*c+85512086)*c+748716940)*c+828250944)*c+1719596919)*c+1783190857)*c+1714556674), 2147483647) AS b5, MOD((((((((1229410488*c+1140486993)*c+930223432)*c+2069346305)*c+1577410622)*c+1795527457)*c+1372741064)*c+319245571), 2147483647) AS b6, MOD((((((((977490620*c+1371363093)*c+708385131)*c+1899269072)*c+929569986)*c+345679816)*c+974472240)*c+434820976), 2147483647) AS b7
FROM (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS NUMBER(19)) AS c FROM (SELECT 0 AS d FROM dual UNION ALL SELECT 1 FROM dual UNION ALL SELECT 2 FROM dual UNION ALL SELECT 3 FROM dual UNION ALL SELECT 4 FROM dual UNION ALL SELECT 5 FROM dual UNION ALL SELECT 6 FROM dual UNION ALL SELECT 7 FROM dual UNION ALL SELECT 8 FROM dual UNION ALL SELECT 9 FROM dual) d0 WHERE 1 * d0.d < 2) n),
signs7 AS (SELECT CAST(c AS NUMBER(19)) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, MOD((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0), 2147483647) AS h FROM features5 CROSS JOIN components6) drawn
WHERE h < 2147483647),
sums8 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE CAST(0.0e0 AS BINARY_DOUBLE) - x END) AS x
FROM products4 JOIN signs7 USING (f)
GROUP BY r, c),
outputs9 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS NUMBER(19)) AS f FROM (SELECT 0 AS d FROM dual UNION ALL SELECT 1 FROM dual UNION ALL SELECT 2 FROM dual UNION ALL SELECT 3 FROM dual UNION ALL SELECT 4 FROM dual UNION ALL SELECT 5 FROM dual UNION ALL SELECT 6 FROM dual UNION ALL SELECT 7 FROM dual UNION ALL SELECT 8 FROM dual UNION ALL SELECT 9 FROM dual) d0 WHERE 1 * d0.d < 2),
result10 AS (SELECT s.r AS r, s.c0 AS c0, n.f AS f, coalesce(z.x, CAST(0.0e0 AS BINARY_DOUBLE)) AS x
FROM ORA$PTT_SQLRP_19EEC2E994AB_0 s CROSS JOIN outputs9 n
LEFT JOIN sums8 z ON z.r = s.r AND z.f = n.f)
SELECT c0 AS "id", CAST(0.707106781 AS BINARY_DOUBLE)*x0 AS z0, CAST(0.707106781 AS BINARY_DOUBLE)*x1 AS z1
FROM (SELECT c0, MAX(CASE WHEN f = 0 THEN CAST(x AS BINARY_DOUBLE) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS BINARY_DOUBLE) END) AS x1 FROM result10 GROUP BY r, c0) s;
DROP TABLE ORA$PTT_SQLRP_19EEC2E994AB_0;


-- ======== generic
-- UnsupportedError: generic has no array columns, so Array(…) is not supported: use Wide(…) or Long(…)
