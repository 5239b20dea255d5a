-- Degree2KernelProjection(k=2, s=1, seed=1, m=2, modified=False)
-- long rows of floats; output = 'long', nulls = 'zero', scale = True, lowering = 'relational'

-- ======== duckdb
WITH source0 AS MATERIALIZED (SELECT r, r AS c0 FROM (SELECT "doc" AS r FROM "counts" GROUP BY "doc") s),
cells1 AS MATERIALIZED (SELECT "doc" AS r, CASE WHEN "feature" BETWEEN 0 AND 3 THEN "feature" WHEN "feature" IS NOT NULL THEN error('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features') END AS f, CAST("value" AS FLOAT) AS x FROM "counts"),
features2 AS MATERIALIZED (SELECT CAST(range AS BIGINT) AS f FROM range(4)),
components3 AS MATERIALIZED (SELECT c, ((((((((1207422803*c+1554021005)*c+940132630)*c+1202754055)*c+1339085487)*c+308160061)*c+1073599193)*c+1496043970) % 2147483647) AS b0, ((((((((695715121*c+1050305301)*c+1174479125)*c+77190952)*c+1559899810)*c+98088592)*c+1491132665)*c+1612041911) % 2147483647) AS b1, ((((((((266018135*c+1347893375)*c+857912869)*c+222066450)*c+569881106)*c+1978271943)*c+144005368)*c+453062626) % 2147483647) AS b2, ((((((((712970553*c+986047398)*c+656026341)*c+305698416)*c+2144627527)*c+1358167319)*c+1969862486)*c+2023595005) % 2147483647) AS b3,
  ((((((((1832410929*c+515607408)*c+872307825)*c+512510187)*c+1572092133)*c+827115265)*c+1341515075)*c+1191955192) % 2147483647) AS b4, ((((((((440023740*c+1789843104)*c+85512086)*c+748716940)*c+828250944)*c+1719596919)*c+1783190857)*c+1714556674) % 2147483647) AS b5, ((((((((1229410488*c+1140486993)*c+930223432)*c+2069346305)*c+1577410622)*c+1795527457)*c+1372741064)*c+319245571) % 2147483647) AS b6, ((((((((977490620*c+1371363093)*c+708385131)*c+1899269072)*c+929569986)*c+345679816)*c+974472240)*c+434820976) % 2147483647) AS b7
FROM (SELECT CAST(range AS BIGINT) AS c FROM range(4)) n),
signs4 AS MATERIALIZED (SELECT CAST(c AS INTEGER) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features2 CROSS JOIN components3) drawn
WHERE h < 2147483647),
sums5 AS MATERIALIZED (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE CAST(0.0e0 AS FLOAT) - x END) AS x
FROM cells1 JOIN signs4 USING (f)
GROUP BY r, c),
features6 AS MATERIALIZED (SELECT CAST(range AS BIGINT) AS f FROM range(4)),
cells7 AS MATERIALIZED (SELECT r, f, x FROM sums5 UNION ALL
SELECT odd.r, e.f, CAST(0.0e0 AS FLOAT) FROM (SELECT DISTINCT r FROM sums5 WHERE NOT isfinite(x)) odd
CROSS JOIN features6 e
WHERE NOT EXISTS (SELECT 1 FROM sums5 k WHERE (k.r IS NOT DISTINCT FROM odd.r) AND k.f = e.f)),
index_table8 AS MATERIALIZED (SELECT unnest(CAST(string_split(concat('0,0,1,1', t), ',') AS BIGINT[])) AS c, unnest(CAST(string_split(concat('0,1,2,3', t), ',') AS BIGINT[])) AS v0, unnest(CAST(string_split(concat('0,1,2,3', t), ',') AS BIGINT[])) AS v1, unnest(CAST(string_split(concat('1,-1,1,-1', t), ',') AS BIGINT[])) AS w FROM (VALUES ('')) v(t)),
products9 AS MATERIALIZED (SELECT k0.r AS r, i.c AS f, SUM(CAST(i.w AS FLOAT)*coalesce(TRY_CAST(k0.x AS FLOAT), CAST('inf'::DOUBLE * k0.x AS FLOAT))*coalesce(TRY_CAST(k1.x AS FLOAT), CAST('inf'::DOUBLE * k1.x AS FLOAT))) AS x
FROM index_table8 i JOIN cells7 k0 ON k0.f = i.v0 JOIN cells7 k1 ON k1.f = i.v1 AND (k0.r IS NOT DISTINCT FROM k1.r)
GROUP BY k0.r, i.c)
SELECT r AS "doc", f AS component, CAST(0.353553391 AS FLOAT)*coalesce(TRY_CAST(x AS FLOAT), CAST('inf'::DOUBLE * x AS FLOAT)) AS value
FROM (SELECT z.r AS r, z.f AS f, z.x AS x FROM products9 z WHERE z.f <> 0 AND z.x <> CAST(0.0e0 AS FLOAT)
UNION ALL
SELECT s.r, 0, coalesce(z.x, CAST(0.0e0 AS FLOAT)) FROM source0 s
LEFT JOIN (SELECT r, x FROM products9 WHERE f = 0) z ON (z.r IS NOT DISTINCT FROM s.r)
) s

-- ======== postgresql
WITH source0 AS MATERIALIZED (SELECT r, r AS c0 FROM (SELECT "doc" AS r FROM "counts" GROUP BY "doc") s),
cells1 AS MATERIALIZED (SELECT "doc" AS r, CASE WHEN "feature" BETWEEN 0 AND 3 THEN "feature" WHEN "feature" IS NOT NULL THEN CAST('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features' || left(CAST(clock_timestamp() AS text), 0) AS bigint) END AS f, CAST("value" AS double precision) AS x FROM "counts"),
features2 AS MATERIALIZED (SELECT f FROM generate_series(CAST(0 AS bigint), 3) g(f)),
components3 AS MATERIALIZED (SELECT c, ((((((((1207422803*c+1554021005)*c+940132630)*c+1202754055)*c+1339085487)*c+308160061)*c+1073599193)*c+1496043970) % 2147483647) AS b0, ((((((((695715121*c+1050305301)*c+1174479125)*c+77190952)*c+1559899810)*c+98088592)*c+1491132665)*c+1612041911) % 2147483647) AS b1, ((((((((266018135*c+1347893375)*c+857912869)*c+222066450)*c+569881106)*c+1978271943)*c+144005368)*c+453062626) % 2147483647) AS b2, ((((((((712970553*c+986047398)*c+656026341)*c+305698416)*c+2144627527)*c+1358167319)*c+1969862486)*c+2023595005) % 2147483647) AS b3,
  ((((((((1832410929*c+515607408)*c+872307825)*c+512510187)*c+1572092133)*c+827115265)*c+1341515075)*c+1191955192) % 2147483647) AS b4, ((((((((440023740*c+1789843104)*c+85512086)*c+748716940)*c+828250944)*c+1719596919)*c+1783190857)*c+1714556674) % 2147483647) AS b5, ((((((((1229410488*c+1140486993)*c+930223432)*c+2069346305)*c+1577410622)*c+1795527457)*c+1372741064)*c+319245571) % 2147483647) AS b6, ((((((((977490620*c+1371363093)*c+708385131)*c+1899269072)*c+929569986)*c+345679816)*c+974472240)*c+434820976) % 2147483647) AS b7
FROM (SELECT c FROM generate_series(CAST(0 AS bigint), 3) g(c)) n),
signs4 AS MATERIALIZED (SELECT CAST(c AS integer) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features2 CROSS JOIN components3 OFFSET '0') drawn
WHERE h < 2147483647),
sums5 AS MATERIALIZED (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE CAST('0.0' AS double precision) - x END) AS x
FROM cells1 JOIN signs4 USING (f)
GROUP BY r, c),
features6 AS MATERIALIZED (SELECT f FROM generate_series(CAST(0 AS bigint), 3) g(f)),
cells7 AS MATERIALIZED (SELECT r, f, x FROM sums5 UNION ALL
SELECT odd.r, e.f, CAST('0.0' AS double precision) FROM (SELECT DISTINCT r FROM sums5 WHERE NOT (x NOT IN ('NaN', 'Infinity', '-Infinity'))) odd
CROSS JOIN features6 e
WHERE NOT EXISTS (SELECT 1 FROM sums5 k WHERE ARRAY[k.r] = ARRAY[odd.r] AND k.f = e.f)),
index_table8 AS MATERIALIZED (SELECT unnest(CAST('{0,0,1,1}' AS bigint[])) AS c, unnest(CAST('{0,1,2,3}' AS bigint[])) AS v0, unnest(CAST('{0,1,2,3}' AS bigint[])) AS v1, unnest(CAST('{1,-1,1,-1}' AS bigint[])) AS w),
products9 AS MATERIALIZED (SELECT k0.r AS r, i.c AS f, SUM(CAST(i.w AS double precision)*CAST(k0.x AS double precision)*CAST(k1.x AS double precision)) AS x
FROM index_table8 i JOIN cells7 k0 ON k0.f = i.v0 JOIN cells7 k1 ON k1.f = i.v1 AND ARRAY[k0.r] = ARRAY[k1.r]
GROUP BY k0.r, i.c)
SELECT r AS "doc", f AS component, CAST('0.353553391' AS double precision)*CAST(x AS double precision) AS value
FROM (SELECT z.r AS r, z.f AS f, z.x AS x FROM products9 z WHERE z.f <> 0 AND z.x <> CAST('0.0' AS double precision)
UNION ALL
SELECT s.r, 0, coalesce(z.x, CAST('0.0' AS double precision)) FROM source0 s
LEFT JOIN (SELECT r, x FROM products9 WHERE f = 0) z ON ARRAY[z.r] = ARRAY[s.r]
) s

-- ======== sqlite
WITH source0 AS MATERIALIZED (SELECT r, r AS c0 FROM (SELECT `doc` AS r FROM `counts` GROUP BY `doc`) s),
cells1 AS MATERIALIZED (SELECT `doc` AS r, CASE WHEN `feature` BETWEEN 0 AND 3 THEN `feature` WHEN `feature` IS NOT NULL THEN json_type('{}', 'sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features' || substr(random(), 1, 0)) END AS f, CASE WHEN `value` >= '' THEN json_type('{}', 'sqlrp: a feature in `value` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`value` AS REAL) END AS x FROM `counts`),
features2 AS MATERIALIZED (WITH RECURSIVE counted AS (SELECT 0 AS f UNION ALL SELECT f + 1 FROM counted WHERE f < 3) SELECT f FROM counted),
components3 AS MATERIALIZED (SELECT c, ((((((((1207422803*c+1554021005)*c+940132630)*c+1202754055)*c+1339085487)*c+308160061)*c+1073599193)*c+1496043970) % 2147483647) AS b0, ((((((((695715121*c+1050305301)*c+1174479125)*c+77190952)*c+1559899810)*c+98088592)*c+1491132665)*c+1612041911) % 2147483647) AS b1, ((((((((266018135*c+1347893375)*c+857912869)*c+222066450)*c+569881106)*c+1978271943)*c+144005368)*c+453062626) % 2147483647) AS b2, ((((((((712970553*c+986047398)*c+656026341)*c+305698416)*c+2144627527)*c+1358167319)*c+1969862486)*c+2023595005) % 2147483647) AS b3,
  ((((((((1832410929*c+515607408)*c+872307825)*c+512510187)*c+1572092133)*c+827115265)*c+1341515075)*c+1191955192) % 2147483647) AS b4, ((((((((440023740*c+1789843104)*c+85512086)*c+748716940)*c+828250944)*c+1719596919)*c+1783190857)*c+1714556674) % 2147483647) AS b5, ((((((((1229410488*c+1140486993)*c+930223432)*c+2069346305)*c+1577410622)*c+1795527457)*c+1372741064)*c+319245571) % 2147483647) AS b6, ((((((((977490620*c+1371363093)*c+708385131)*c+1899269072)*c+929569986)*c+345679816)*c+974472240)*c+434820976) % 2147483647) AS b7
FROM (WITH RECURSIVE counted AS (SELECT 0 AS c UNION ALL SELECT c + 1 FROM counted WHERE c < 3) SELECT c FROM counted) n),
signs4 AS MATERIALIZED (SELECT c AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features2 CROSS JOIN components3 LIMIT -1 OFFSET 0) drawn
WHERE h < 2147483647),
sums5 AS MATERIALIZED (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM cells1 JOIN signs4 USING (f)
GROUP BY r, c),
features6 AS MATERIALIZED (WITH RECURSIVE counted AS (SELECT 0 AS f UNION ALL SELECT f + 1 FROM counted WHERE f < 3) SELECT f FROM counted),
index_table7 AS MATERIALIZED (SELECT CAST(json_extract(value, '$[0]') AS INTEGER) AS c, CAST(json_extract(value, '$[1]') AS INTEGER) AS v0, CAST(json_extract(value, '$[2]') AS INTEGER) AS v1, CAST(json_extract(value, '$[3]') AS INTEGER) AS w FROM json_each('[[0,0,0,1],[0,1,1,-1],[1,2,2,1],[1,3,3,-1]]')),
products8 AS MATERIALIZED (SELECT k0.r AS r, i.c AS f, SUM(CAST(i.w AS REAL)*CAST(k0.x AS REAL)*CAST(k1.x AS REAL)) AS x
FROM index_table7 i JOIN sums5 k0 ON k0.f = i.v0 JOIN sums5 k1 ON k1.f = i.v1 AND (k0.r IS k1.r)
GROUP BY k0.r, i.c)
SELECT r AS `doc`, f AS component, 0.353553391*CAST(x AS REAL) AS value
FROM (SELECT z.r AS r, z.f AS f, z.x AS x FROM products8 z WHERE z.f <> 0 AND z.x <> 0.0e0
UNION ALL
SELECT s.r, 0, coalesce(z.x, 0.0e0) FROM source0 s
LEFT JOIN (SELECT r, x FROM products8 WHERE f = 0) z ON (z.r IS s.r)
) s

-- ======== mariadb
WITH source0 AS (SELECT r, r AS c0 FROM (SELECT `doc` AS r FROM `counts` GROUP BY `doc`) s LIMIT 18446744073709551615),
cells1 AS (SELECT `doc` AS r, CASE WHEN `feature` BETWEEN 0 AND 3 THEN `feature` WHEN `feature` IS NOT NULL THEN (9223372036854775807 + char_length(concat('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features', rand()))) END AS f, CAST(`value` AS DOUBLE) AS x FROM `counts` LIMIT 18446744073709551615),
features2 AS (SELECT CAST(seq AS SIGNED) AS f FROM seq_0_to_3 LIMIT 18446744073709551615),
components3 AS (SELECT c, ((((((((1207422803*c+1554021005)*c+940132630)*c+1202754055)*c+1339085487)*c+308160061)*c+1073599193)*c+1496043970) % 2147483647) AS b0, ((((((((695715121*c+1050305301)*c+1174479125)*c+77190952)*c+1559899810)*c+98088592)*c+1491132665)*c+1612041911) % 2147483647) AS b1, ((((((((266018135*c+1347893375)*c+857912869)*c+222066450)*c+569881106)*c+1978271943)*c+144005368)*c+453062626) % 2147483647) AS b2, ((((((((712970553*c+986047398)*c+656026341)*c+305698416)*c+2144627527)*c+1358167319)*c+1969862486)*c+2023595005) % 2147483647) AS b3,
  ((((((((1832410929*c+515607408)*c+872307825)*c+512510187)*c+1572092133)*c+827115265)*c+1341515075)*c+1191955192) % 2147483647) AS b4, ((((((((440023740*c+1789843104)*c+85512086)*c+748716940)*c+828250944)*c+1719596919)*c+1783190857)*c+1714556674) % 2147483647) AS b5, ((((((((1229410488*c+1140486993)*c+930223432)*c+2069346305)*c+1577410622)*c+1795527457)*c+1372741064)*c+319245571) % 2147483647) AS b6, ((((((((977490620*c+1371363093)*c+708385131)*c+1899269072)*c+929569986)*c+345679816)*c+974472240)*c+434820976) % 2147483647) AS b7
FROM (SELECT CAST(seq AS SIGNED) AS c FROM seq_0_to_3) n LIMIT 18446744073709551615),
signs4 AS (SELECT CAST(c AS SIGNED) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features2 CROSS JOIN components3 LIMIT 18446744073709551615) drawn
WHERE h < 2147483647 LIMIT 18446744073709551615),
sums5 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE CAST(0.0e0 AS DOUBLE) - x END) AS x
FROM cells1 JOIN signs4 USING (f)
GROUP BY r, c LIMIT 18446744073709551615),
features6 AS (SELECT CAST(seq AS SIGNED) AS f FROM seq_0_to_3 LIMIT 18446744073709551615),
index_table7 AS (SELECT c, v0, v1, w FROM JSON_TABLE('[[0,0,0,1],[0,1,1,-1],[1,2,2,1],[1,3,3,-1]]', '$[*]' COLUMNS (c BIGINT PATH '$[0]', v0 BIGINT PATH '$[1]', v1 BIGINT PATH '$[2]', w BIGINT PATH '$[3]')) listed LIMIT 18446744073709551615),
products8 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(i.w AS DOUBLE)*CAST(k0.x AS DOUBLE)*CAST(k1.x AS DOUBLE)) AS x
FROM index_table7 i JOIN sums5 k0 ON k0.f = i.v0 JOIN sums5 k1 ON k1.f = i.v1 AND (k0.r <=> k1.r)
GROUP BY k0.r, i.c LIMIT 18446744073709551615)
SELECT r AS `doc`, f AS component, CAST(0.353553391 AS DOUBLE)*CAST(x AS DOUBLE) AS value
FROM (SELECT z.r AS r, z.f AS f, z.x AS x FROM products8 z WHERE z.f <> 0 AND z.x <> CAST(0.0e0 AS DOUBLE)
UNION ALL
SELECT s.r, 0, coalesce(z.x, CAST(0.0e0 AS DOUBLE)) FROM source0 s
LEFT JOIN (SELECT r, x FROM products8 WHERE f = 0) z ON (z.r <=> s.r)
) s

-- ======== mysql
WITH source0 AS (SELECT r, r AS c0 FROM (SELECT `doc` AS r FROM `counts` GROUP BY `doc`) s),
cells1 AS (SELECT `doc` AS r, CASE WHEN `feature` BETWEEN 0 AND 3 THEN `feature` WHEN `feature` IS NOT NULL THEN (9223372036854775807 + char_length(concat('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features', rand()))) END AS f, CAST(`value` AS DOUBLE) AS x FROM `counts`),
features2 AS (SELECT CAST(n AS SIGNED) - 1 AS f FROM JSON_TABLE(concat('[0', repeat(',0', 3), ']'), '$[*]' COLUMNS (n FOR ORDINALITY)) listed),
components3 AS (SELECT c, ((((((((1207422803*c+1554021005)*c+940132630)*c+1202754055)*c+1339085487)*c+308160061)*c+1073599193)*c+1496043970) % 2147483647) AS b0, ((((((((695715121*c+1050305301)*c+1174479125)*c+77190952)*c+1559899810)*c+98088592)*c+1491132665)*c+1612041911) % 2147483647) AS b1, ((((((((266018135*c+1347893375)*c+857912869)*c+222066450)*c+569881106)*c+1978271943)*c+144005368)*c+453062626) % 2147483647) AS b2, ((((((((712970553*c+986047398)*c+656026341)*c+305698416)*c+2144627527)*c+1358167319)*c+1969862486)*c+2023595005) % 2147483647) AS b3,
  ((((((((1832410929*c+515607408)*c+872307825)*c+512510187)*c+1572092133)*c+827115265)*c+1341515075)*c+1191955192) % 2147483647) AS b4, ((((((((440023740*c+1789843104)*c+85512086)*c+748716940)*c+828250944)*c+1719596919)*c+1783190857)*c+1714556674) % 2147483647) AS b5, ((((((((1229410488*c+1140486993)*c+930223432)*c+2069346305)*c+1577410622)*c+1795527457)*c+1372741064)*c+319245571) % 2147483647) AS b6, ((((((((977490620*c+1371363093)*c+708385131)*c+1899269072)*c+929569986)*c+345679816)*c+974472240)*c+434820976) % 2147483647) AS b7
FROM (SELECT CAST(n AS SIGNED) - 1 AS c FROM JSON_TABLE(concat('[0', repeat(',0', 3), ']'), '$[*]' COLUMNS (n FOR ORDINALITY)) listed) n),
signs4 AS (SELECT CAST(c AS SIGNED) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features2 CROSS JOIN components3 LIMIT 18446744073709551615) drawn
WHERE h < 2147483647),
sums5 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE CAST(0.0e0 AS DOUBLE) - x END) AS x
FROM cells1 JOIN signs4 USING (f)
GROUP BY r, c),
features6 AS (SELECT CAST(n AS SIGNED) - 1 AS f FROM JSON_TABLE(concat('[0', repeat(',0', 3), ']'), '$[*]' COLUMNS (n FOR ORDINALITY)) listed),
index_table7 AS (SELECT c, v0, v1, w FROM JSON_TABLE('[[0,0,0,1],[0,1,1,-1],[1,2,2,1],[1,3,3,-1]]', '$[*]' COLUMNS (c BIGINT PATH '$[0]', v0 BIGINT PATH '$[1]', v1 BIGINT PATH '$[2]', w BIGINT PATH '$[3]')) listed),
products8 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(i.w AS DOUBLE)*CAST(k0.x AS DOUBLE)*CAST(k1.x AS DOUBLE)) AS x
FROM index_table7 i JOIN sums5 k0 ON k0.f = i.v0 JOIN sums5 k1 ON k1.f = i.v1 AND (k0.r <=> k1.r)
GROUP BY k0.r, i.c)
SELECT r AS `doc`, f AS component, CAST(0.353553391 AS DOUBLE)*CAST(x AS DOUBLE) AS value
FROM (SELECT z.r AS r, z.f AS f, z.x AS x FROM products8 z WHERE z.f <> 0 AND z.x <> CAST(0.0e0 AS DOUBLE)
UNION ALL
SELECT s.r, 0, coalesce(z.x, CAST(0.0e0 AS DOUBLE)) FROM source0 s
LEFT JOIN (SELECT r, x FROM products8 WHERE f = 0) z ON (z.r <=> s.r)
) s

-- ======== clickhouse
-- 21 statements: run them in this order in one session. Statement 11 returns the rows.
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_0 ENGINE = Memory AS SELECT r, r AS c0 FROM (SELECT `doc` AS r FROM `counts` GROUP BY `doc`) s
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_1 ENGINE = Memory AS SELECT `doc` AS r, CASE WHEN `feature` BETWEEN 0 AND 3 THEN `feature` WHEN `feature` IS NOT NULL THEN throwIf(1, 'sqlrp: a feature in \'feature\' is outside 0 ... 3: positions count from 0; raise n_features') END AS f, CAST(`value` AS Float64) AS x FROM `counts`
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_2 ENGINE = Memory AS SELECT toInt64(number) AS f FROM numbers(4)
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_3 ENGINE = Memory AS SELECT c, ((((((((1207422803*c+1554021005)*c+940132630)*c+1202754055)*c+1339085487)*c+308160061)*c+1073599193)*c+1496043970) % 2147483647) AS b0, ((((((((695715121*c+1050305301)*c+1174479125)*c+77190952)*c+1559899810)*c+98088592)*c+1491132665)*c+1612041911) % 2147483647) AS b1, ((((((((266018135*c+1347893375)*c+857912869)*c+222066450)*c+569881106)*c+1978271943)*c+144005368)*c+453062626) % 2147483647) AS b2, ((((((((712970553*c+986047398)*c+656026341)*c+305698416)*c+2144627527)*c+1358167319)*c+1969862486)*c+2023595005) % 2147483647) AS b3,
  ((((((((1832410929*c+515607408)*c+872307825)*c+512510187)*c+1572092133)*c+827115265)*c+1341515075)*c+1191955192) % 2147483647) AS b4, ((((((((440023740*c+1789843104)*c+85512086)*c+748716940)*c+828250944)*c+1719596919)*c+1783190857)*c+1714556674) % 2147483647) AS b5, ((((((((1229410488*c+1140486993)*c+930223432)*c+2069346305)*c+1577410622)*c+1795527457)*c+1372741064)*c+319245571) % 2147483647) AS b6, ((((((((977490620*c+1371363093)*c+708385131)*c+1899269072)*c+929569986)*c+345679816)*c+974472240)*c+434820976) % 2147483647) AS b7
FROM (SELECT toInt64(number) AS c FROM numbers(4)) n
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_4 ENGINE = Memory AS SELECT CAST(c AS Int64) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM sqlrp_temporary_2 CROSS JOIN sqlrp_temporary_3) drawn
WHERE h < 2147483647
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_5 ENGINE = Memory AS SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE CAST(0.0e0 AS Float64) - x END) AS x
FROM sqlrp_temporary_1 JOIN sqlrp_temporary_4 USING (f)
GROUP BY r, c
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_6 ENGINE = Memory AS SELECT toInt64(number) AS f FROM numbers(4)
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_7 ENGINE = Memory AS SELECT r, f, x FROM sqlrp_temporary_5 UNION ALL
SELECT odd.r, e.f, CAST(0.0e0 AS Float64) FROM (SELECT DISTINCT r FROM sqlrp_temporary_5 WHERE NOT isFinite(x)) odd
CROSS JOIN sqlrp_temporary_6 e
WHERE NOT EXISTS (SELECT 1 FROM sqlrp_temporary_5 k WHERE (k.r IS NOT DISTINCT FROM odd.r) AND k.f = e.f)
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_8 ENGINE = Memory AS SELECT c, v0, v1, w FROM (SELECT CAST('[0, 0, 1, 1]' AS Array(Int64)) AS c, CAST('[0, 1, 2, 3]' AS Array(Int64)) AS v0, CAST('[0, 1, 2, 3]' AS Array(Int64)) AS v1, CAST('[1, -1, 1, -1]' AS Array(Int64)) AS w) s ARRAY JOIN c, v0, v1, w
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_9 ENGINE = Memory AS SELECT k0.r AS r, i.c AS f, SUM(CAST(i.w AS Float64)*CAST(k0.x AS Float64)*CAST(k1.x AS Float64)) AS x
FROM sqlrp_temporary_8 i JOIN sqlrp_temporary_7 k0 ON k0.f = i.v0 JOIN sqlrp_temporary_7 k1 ON k1.f = i.v1 AND (k0.r IS NOT DISTINCT FROM k1.r)
GROUP BY k0.r, i.c
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
SELECT r AS `doc`, f AS component, CAST(0.353553391 AS Float64)*CAST(x AS Float64) AS value
FROM (SELECT z.r AS r, z.f AS f, z.x AS x FROM sqlrp_temporary_9 z WHERE z.f <> 0 AND z.x <> CAST(0.0e0 AS Float64)
UNION ALL
SELECT s.r, 0, coalesce(z.x, CAST(0.0e0 AS Float64)) FROM sqlrp_temporary_0 s
LEFT JOIN (SELECT r, x FROM sqlrp_temporary_9 WHERE f = 0) z ON (z.r IS NOT DISTINCT FROM s.r)
) s
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
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
WITH source0 AS (SELECT r, r AS c0 FROM (SELECT `doc` AS r FROM `counts` GROUP BY `doc`) s),
cells1 AS (SELECT `doc` AS r, CASE WHEN `feature` BETWEEN 0 AND 3 THEN `feature` WHEN `feature` IS NOT NULL THEN raise_error('sqlrp: a feature in \'feature\' is outside 0 ... 3: positions count from 0; raise n_features') END AS f, CAST(`value` AS DOUBLE) AS x FROM `counts`),
features2 AS (SELECT id AS f FROM range(4)),
components3 AS (SELECT c, ((((((((1207422803*c+1554021005)*c+940132630)*c+1202754055)*c+1339085487)*c+308160061)*c+1073599193)*c+1496043970) % 2147483647) AS b0, ((((((((695715121*c+1050305301)*c+1174479125)*c+77190952)*c+1559899810)*c+98088592)*c+1491132665)*c+1612041911) % 2147483647) AS b1, ((((((((266018135*c+1347893375)*c+857912869)*c+222066450)*c+569881106)*c+1978271943)*c+144005368)*c+453062626) % 2147483647) AS b2, ((((((((712970553*c+986047398)*c+656026341)*c+305698416)*c+2144627527)*c+1358167319)*c+1969862486)*c+2023595005) % 2147483647) AS b3,
  ((((((((1832410929*c+515607408)*c+872307825)*c+512510187)*c+1572092133)*c+827115265)*c+1341515075)*c+1191955192) % 2147483647) AS b4, ((((((((440023740*c+1789843104)*c+85512086)*c+748716940)*c+828250944)*c+1719596919)*c+1783190857)*c+1714556674) % 2147483647) AS b5, ((((((((1229410488*c+1140486993)*c+930223432)*c+2069346305)*c+1577410622)*c+1795527457)*c+1372741064)*c+319245571) % 2147483647) AS b6, ((((((((977490620*c+1371363093)*c+708385131)*c+1899269072)*c+929569986)*c+345679816)*c+974472240)*c+434820976) % 2147483647) AS b7
FROM (SELECT id AS c FROM range(4)) n),
signs4 AS (SELECT CAST(c AS INT) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features2 CROSS JOIN components3) drawn
WHERE h < 2147483647),
sums5 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE CAST(0.0e0 AS DOUBLE) - x END) AS x
FROM cells1 JOIN signs4 USING (f)
GROUP BY r, c),
features6 AS (SELECT id AS f FROM range(4)),
lists7 AS (SELECT r, transform(array(collect_list(struct(CAST(f AS INT) AS o, CAST(x AS DOUBLE) AS v)) FILTER (WHERE CAST(x AS DOUBLE) IS NOT NULL)), p -> CASE WHEN size(p) = 4 THEN sort_array(p).v ELSE sort_array(concat(p, transform(array_except(sequence(0, 3), p.o), o -> struct(o, CAST(0.0e0 AS DOUBLE) AS v)))).v END)[0] AS x FROM sums5 GROUP BY r),
index_table8 AS (SELECT inline(arrays_zip(from_json('[0, 0, 1, 1]', 'ARRAY<BIGINT>'), from_json('[0, 1, 2, 3]', 'ARRAY<BIGINT>'), from_json('[0, 1, 2, 3]', 'ARRAY<BIGINT>'), from_json('[1, -1, 1, -1]', 'ARRAY<BIGINT>'))) AS (c, v0, v1, w)),
products9 AS (SELECT k.r AS r, i.c AS f, SUM(CAST(i.w AS DOUBLE)*CAST(k.x[i.v0] AS DOUBLE)*CAST(k.x[i.v1] AS DOUBLE)) AS x FROM lists7 k CROSS JOIN index_table8 i GROUP BY k.r, i.c)
SELECT c0 AS `doc`, component, value AS value
FROM (SELECT c0, CAST(o AS BIGINT) AS component, e AS value
FROM (SELECT c0, transform(x, e -> CAST(0.353553391 AS DOUBLE)*e) AS z
FROM (SELECT s.c0 AS c0, coalesce(z.x, array_repeat(CAST(0.0e0 AS DOUBLE), 2)) AS x
FROM source0 s LEFT JOIN (SELECT r, transform(array(collect_list(struct(CAST(f AS INT) AS o, CAST(x AS DOUBLE) AS v)) FILTER (WHERE CAST(x AS DOUBLE) IS NOT NULL)), p -> CASE WHEN size(p) = 2 THEN sort_array(p).v ELSE sort_array(concat(p, transform(array_except(sequence(0, 1), p.o), o -> struct(o, CAST(0.0e0 AS DOUBLE) AS v)))).v END)[0] AS x FROM products9 GROUP BY r) z ON (z.r <=> s.r)) s) s LATERAL VIEW OUTER posexplode(z) u AS o, e) s
WHERE component = 0 OR value <> 0

-- ======== snowflake, trino
WITH source0 AS (SELECT r, r AS c0 FROM (SELECT "doc" AS r FROM "counts" GROUP BY "doc") s),
cells1 AS (SELECT "doc" AS r, CASE WHEN "feature" BETWEEN 0 AND 3 THEN "feature" WHEN "feature" IS NOT NULL THEN CAST(concat('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features', substr(CAST(CASE WHEN "feature" > 0 THEN 1 ELSE 0 END AS VARCHAR), 1, 0)) AS BIGINT) END AS f, CAST("value" AS DOUBLE) AS x FROM "counts"),
features2 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
components3 AS (SELECT c, ((((((((1207422803*c+1554021005)*c+940132630)*c+1202754055)*c+1339085487)*c+308160061)*c+1073599193)*c+1496043970) % 2147483647) AS b0, ((((((((695715121*c+1050305301)*c+1174479125)*c+77190952)*c+1559899810)*c+98088592)*c+1491132665)*c+1612041911) % 2147483647) AS b1, ((((((((266018135*c+1347893375)*c+857912869)*c+222066450)*c+569881106)*c+1978271943)*c+144005368)*c+453062626) % 2147483647) AS b2, ((((((((712970553*c+986047398)*c+656026341)*c+305698416)*c+2144627527)*c+1358167319)*c+1969862486)*c+2023595005) % 2147483647) AS b3,
  ((((((((1832410929*c+515607408)*c+872307825)*c+512510187)*c+1572092133)*c+827115265)*c+1341515075)*c+1191955192) % 2147483647) AS b4, ((((((((440023740*c+1789843104)*c+85512086)*c+748716940)*c+828250944)*c+1719596919)*c+1783190857)*c+1714556674) % 2147483647) AS b5, ((((((((1229410488*c+1140486993)*c+930223432)*c+2069346305)*c+1577410622)*c+1795527457)*c+1372741064)*c+319245571) % 2147483647) AS b6, ((((((((977490620*c+1371363093)*c+708385131)*c+1899269072)*c+929569986)*c+345679816)*c+974472240)*c+434820976) % 2147483647) AS b7
FROM (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS c FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) n),
signs4 AS (SELECT CAST(c AS BIGINT) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features2 CROSS JOIN components3) drawn
WHERE h < 2147483647),
sums5 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE CAST(0.0e0 AS DOUBLE) - x END) AS x
FROM cells1 JOIN signs4 USING (f)
GROUP BY r, c),
features6 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
cells7 AS (SELECT r, f, x FROM sums5 UNION ALL
SELECT odd.r, e.f, CAST(0.0e0 AS DOUBLE) FROM (SELECT DISTINCT r FROM sums5 WHERE NOT (x - x = 0)) odd
CROSS JOIN features6 e
WHERE NOT EXISTS (SELECT 1 FROM sums5 k WHERE (k.r IS NOT DISTINCT FROM odd.r) AND k.f = e.f)),
index_table8 AS (SELECT c, v0, v1, w FROM (VALUES (0, 0, 0, 1), (0, 1, 1, -1), (1, 2, 2, 1), (1, 3, 3, -1)) AS listed(c, v0, v1, w)),
products9 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(i.w AS DOUBLE)*CAST(k0.x AS DOUBLE)*CAST(k1.x AS DOUBLE)) AS x
FROM index_table8 i JOIN cells7 k0 ON k0.f = i.v0 JOIN cells7 k1 ON k1.f = i.v1 AND (k0.r IS NOT DISTINCT FROM k1.r)
GROUP BY k0.r, i.c)
SELECT r AS "doc", f AS component, CAST(0.353553391 AS DOUBLE)*CAST(x AS DOUBLE) AS value
FROM (SELECT z.r AS r, z.f AS f, z.x AS x FROM products9 z WHERE z.f <> 0 AND z.x <> CAST(0.0e0 AS DOUBLE)
UNION ALL
SELECT s.r, 0, coalesce(z.x, CAST(0.0e0 AS DOUBLE)) FROM source0 s
LEFT JOIN (SELECT r, x FROM products9 WHERE f = 0) z ON (z.r IS NOT DISTINCT FROM s.r)
) s

-- ======== bigquery
WITH source0 AS (SELECT r, r AS c0 FROM (SELECT `doc` AS r FROM `counts` GROUP BY `doc`) s),
cells1 AS (SELECT `doc` AS r, CASE WHEN `feature` BETWEEN 0 AND 3 THEN `feature` WHEN `feature` IS NOT NULL THEN ERROR('sqlrp: a feature in \'feature\' is outside 0 ... 3: positions count from 0; raise n_features') END AS f, CAST(`value` AS FLOAT64) AS x FROM `counts`),
features2 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS INT64) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
components3 AS (SELECT c, MOD((((((((1207422803*c+1554021005)*c+940132630)*c+1202754055)*c+1339085487)*c+308160061)*c+1073599193)*c+1496043970), 2147483647) AS b0, MOD((((((((695715121*c+1050305301)*c+1174479125)*c+77190952)*c+1559899810)*c+98088592)*c+1491132665)*c+1612041911), 2147483647) AS b1, MOD((((((((266018135*c+1347893375)*c+857912869)*c+222066450)*c+569881106)*c+1978271943)*c+144005368)*c+453062626), 2147483647) AS b2, MOD((((((((712970553*c+986047398)*c+656026341)*c+305698416)*c+2144627527)*c+1358167319)*c+1969862486)*c+2023595005), 2147483647) AS b3,
  MOD((((((((1832410929*c+515607408)*c+872307825)*c+512510187)*c+1572092133)*c+827115265)*c+1341515075)*c+1191955192), 2147483647) AS b4, MOD((((((((440023740*c+1789843104)*c+85512086)*c+748716940)*c+828250944)*c+1719596919)*c+1783190857)*c+1714556674), 2147483647) AS b5, MOD((((((((1229410488*c+1140486993)*c+930223432)*c+2069346305)*c+1577410622)*c+1795527457)*c+1372741064)*c+319245571), 2147483647) AS b6, MOD((((((((977490620*c+1371363093)*c+708385131)*c+1899269072)*c+929569986)*c+345679816)*c+974472240)*c+434820976), 2147483647) AS b7
FROM (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS INT64) AS c FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) n),
signs4 AS (SELECT CAST(c AS INT64) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, MOD((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0), 2147483647) AS h FROM features2 CROSS JOIN components3) drawn
WHERE h < 2147483647),
sums5 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE CAST(0.0e0 AS FLOAT64) - x END) AS x
FROM cells1 JOIN signs4 USING (f)
GROUP BY r, c),
features6 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS INT64) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
cells7 AS (SELECT r, f, x FROM sums5 UNION ALL
SELECT odd.r, e.f, CAST(0.0e0 AS FLOAT64) FROM (SELECT DISTINCT r FROM sums5 WHERE NOT (x - x = 0)) odd
CROSS JOIN features6 e
WHERE NOT EXISTS (SELECT 1 FROM sums5 k WHERE (k.r IS NOT DISTINCT FROM odd.r) AND k.f = e.f)),
index_table8 AS (SELECT c, v0, v1, w FROM UNNEST([STRUCT(0 AS c, 0 AS v0, 0 AS v1, 1 AS w), STRUCT(0, 1, 1, -1), STRUCT(1, 2, 2, 1), STRUCT(1, 3, 3, -1)])),
products9 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(i.w AS FLOAT64)*CAST(k0.x AS FLOAT64)*CAST(k1.x AS FLOAT64)) AS x
FROM index_table8 i JOIN cells7 k0 ON k0.f = i.v0 JOIN cells7 k1 ON k1.f = i.v1 AND (k0.r IS NOT DISTINCT FROM k1.r)
GROUP BY k0.r, i.c)
SELECT r AS `doc`, f AS component, CAST(0.353553391 AS FLOAT64)*CAST(x AS FLOAT64) AS value
FROM (SELECT z.r AS r, z.f AS f, z.x AS x FROM products9 z WHERE z.f <> 0 AND z.x <> CAST(0.0e0 AS FLOAT64)
UNION ALL
SELECT s.r, 0, coalesce(z.x, CAST(0.0e0 AS FLOAT64)) FROM source0 s
LEFT JOIN (SELECT r, x FROM products9 WHERE f = 0) z ON (z.r IS NOT DISTINCT FROM s.r)
) s

-- ======== redshift
WITH source0 AS (SELECT r, r AS c0 FROM (SELECT "doc" AS r FROM "counts" GROUP BY "doc") s),
cells1 AS (SELECT "doc" AS r, CASE WHEN "feature" BETWEEN 0 AND 3 THEN "feature" WHEN "feature" IS NOT NULL THEN CAST(concat('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features', substr(CAST(CASE WHEN "feature" > 0 THEN 1 ELSE 0 END AS VARCHAR), 1, 0)) AS BIGINT) END AS f, CAST("value" AS DOUBLE PRECISION) AS x FROM "counts"),
features2 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
components3 AS (SELECT c, ((((((((1207422803*c+1554021005)*c+940132630)*c+1202754055)*c+1339085487)*c+308160061)*c+1073599193)*c+1496043970) % 2147483647) AS b0, ((((((((695715121*c+1050305301)*c+1174479125)*c+77190952)*c+1559899810)*c+98088592)*c+1491132665)*c+1612041911) % 2147483647) AS b1, ((((((((266018135*c+1347893375)*c+857912869)*c+222066450)*c+569881106)*c+1978271943)*c+144005368)*c+453062626) % 2147483647) AS b2, ((((((((712970553*c+986047398)*c+656026341)*c+305698416)*c+2144627527)*c+1358167319)*c+1969862486)*c+2023595005) % 2147483647) AS b3,
  ((((((((1832410929*c+515607408)*c+872307825)*c+512510187)*c+1572092133)*c+827115265)*c+1341515075)*c+1191955192) % 2147483647) AS b4, ((((((((440023740*c+1789843104)*c+85512086)*c+748716940)*c+828250944)*c+1719596919)*c+1783190857)*c+1714556674) % 2147483647) AS b5, ((((((((1229410488*c+1140486993)*c+930223432)*c+2069346305)*c+1577410622)*c+1795527457)*c+1372741064)*c+319245571) % 2147483647) AS b6, ((((((((977490620*c+1371363093)*c+708385131)*c+1899269072)*c+929569986)*c+345679816)*c+974472240)*c+434820976) % 2147483647) AS b7
FROM (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS c FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) n),
signs4 AS (SELECT CAST(c AS BIGINT) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features2 CROSS JOIN components3) drawn
WHERE h < 2147483647),
sums5 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE CAST('0.0' AS DOUBLE PRECISION) - x END) AS x
FROM cells1 JOIN signs4 USING (f)
GROUP BY r, c),
features6 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
cells7 AS (SELECT r, f, x FROM sums5 UNION ALL
SELECT odd.r, e.f, CAST('0.0' AS DOUBLE PRECISION) FROM (SELECT DISTINCT r FROM sums5 WHERE NOT (x - x = 0)) odd
CROSS JOIN features6 e
WHERE NOT EXISTS (SELECT 1 FROM sums5 k WHERE (k.r = odd.r OR (k.r IS NULL AND odd.r IS NULL)) AND k.f = e.f)),
index_table8 AS (SELECT 0 AS c, 0 AS v0, 0 AS v1, 1 AS w UNION ALL SELECT 0 AS c, 1 AS v0, 1 AS v1, -1 AS w UNION ALL SELECT 1 AS c, 2 AS v0, 2 AS v1, 1 AS w UNION ALL SELECT 1 AS c, 3 AS v0, 3 AS v1, -1 AS w),
products9 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(i.w AS DOUBLE PRECISION)*CAST(k0.x AS DOUBLE PRECISION)*CAST(k1.x AS DOUBLE PRECISION)) AS x
FROM index_table8 i JOIN cells7 k0 ON k0.f = i.v0 JOIN cells7 k1 ON k1.f = i.v1 AND (k0.r = k1.r OR (k0.r IS NULL AND k1.r IS NULL))
GROUP BY k0.r, i.c)
SELECT r AS "doc", f AS component, CAST('0.353553391' AS DOUBLE PRECISION)*CAST(x AS DOUBLE PRECISION) AS value
FROM (SELECT z.r AS r, z.f AS f, z.x AS x FROM products9 z WHERE z.f <> 0 AND z.x <> CAST('0.0' AS DOUBLE PRECISION)
UNION ALL
SELECT s.r, 0, coalesce(z.x, CAST('0.0' AS DOUBLE PRECISION)) FROM source0 s
LEFT JOIN (SELECT r, x FROM products9 WHERE f = 0) z ON (z.r = s.r OR (z.r IS NULL AND s.r IS NULL))
) s

-- ======== databricks
WITH source0 AS (SELECT r, r AS c0 FROM (SELECT `doc` AS r FROM `counts` GROUP BY `doc`) s),
cells1 AS (SELECT `doc` AS r, CASE WHEN `feature` BETWEEN 0 AND 3 THEN `feature` WHEN `feature` IS NOT NULL THEN raise_error('sqlrp: a feature in \'feature\' is outside 0 ... 3: positions count from 0; raise n_features') END AS f, CAST(`value` AS DOUBLE) AS x FROM `counts`),
features2 AS (SELECT id AS f FROM range(4)),
components3 AS (SELECT c, ((((((((1207422803*c+1554021005)*c+940132630)*c+1202754055)*c+1339085487)*c+308160061)*c+1073599193)*c+1496043970) % 2147483647) AS b0, ((((((((695715121*c+1050305301)*c+1174479125)*c+77190952)*c+1559899810)*c+98088592)*c+1491132665)*c+1612041911) % 2147483647) AS b1, ((((((((266018135*c+1347893375)*c+857912869)*c+222066450)*c+569881106)*c+1978271943)*c+144005368)*c+453062626) % 2147483647) AS b2, ((((((((712970553*c+986047398)*c+656026341)*c+305698416)*c+2144627527)*c+1358167319)*c+1969862486)*c+2023595005) % 2147483647) AS b3,
  ((((((((1832410929*c+515607408)*c+872307825)*c+512510187)*c+1572092133)*c+827115265)*c+1341515075)*c+1191955192) % 2147483647) AS b4, ((((((((440023740*c+1789843104)*c+85512086)*c+748716940)*c+828250944)*c+1719596919)*c+1783190857)*c+1714556674) % 2147483647) AS b5, ((((((((1229410488*c+1140486993)*c+930223432)*c+2069346305)*c+1577410622)*c+1795527457)*c+1372741064)*c+319245571) % 2147483647) AS b6, ((((((((977490620*c+1371363093)*c+708385131)*c+1899269072)*c+929569986)*c+345679816)*c+974472240)*c+434820976) % 2147483647) AS b7
FROM (SELECT id AS c FROM range(4)) n),
signs4 AS (SELECT CAST(c AS BIGINT) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features2 CROSS JOIN components3) drawn
WHERE h < 2147483647),
sums5 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE CAST(0.0e0 AS DOUBLE) - x END) AS x
FROM cells1 JOIN signs4 USING (f)
GROUP BY r, c),
features6 AS (SELECT id AS f FROM range(4)),
lists7 AS (SELECT r, transform(array(collect_list(struct(CAST(f AS INT) AS o, CAST(x AS DOUBLE) AS v)) FILTER (WHERE CAST(x AS DOUBLE) IS NOT NULL)), p -> CASE WHEN size(p) = 4 THEN sort_array(p).v ELSE sort_array(concat(p, transform(array_except(sequence(0, 3), p.o), o -> struct(o, CAST(0.0e0 AS DOUBLE) AS v)))).v END)[0] AS x FROM sums5 GROUP BY r),
index_table8 AS (SELECT c, v0, v1, w FROM (VALUES (0, 0, 0, 1), (0, 1, 1, -1), (1, 2, 2, 1), (1, 3, 3, -1)) AS listed(c, v0, v1, w)),
products9 AS (SELECT k.r AS r, i.c AS f, SUM(CAST(i.w AS DOUBLE)*CAST(k.x[i.v0] AS DOUBLE)*CAST(k.x[i.v1] AS DOUBLE)) AS x FROM lists7 k CROSS JOIN index_table8 i GROUP BY k.r, i.c)
SELECT r AS `doc`, f AS component, CAST(0.353553391 AS DOUBLE)*CAST(x AS DOUBLE) AS value
FROM (SELECT z.r AS r, z.f AS f, z.x AS x FROM products9 z WHERE z.f <> 0 AND z.x <> CAST(0.0e0 AS DOUBLE)
UNION ALL
SELECT s.r, 0, coalesce(z.x, CAST(0.0e0 AS DOUBLE)) FROM source0 s
LEFT JOIN (SELECT r, x FROM products9 WHERE f = 0) z ON (z.r IS NOT DISTINCT FROM s.r)
) s

-- ======== sqlserver
-- 19 statements: run them in this order in one session. Statement 10 returns the rows.
SELECT * INTO #sqlrp_temporary_0 FROM (SELECT r, r AS c0 FROM (SELECT [doc] AS r FROM [counts] GROUP BY [doc]) s) s;
SELECT * INTO #sqlrp_temporary_1 FROM (SELECT [doc] AS r, CASE WHEN [feature] BETWEEN 0 AND 3 THEN [feature] WHEN [feature] IS NOT NULL THEN CAST(CONCAT('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features', LEFT(CAST(NEWID() AS VARCHAR(36)), 0)) AS BIGINT) END AS f, CAST([value] AS FLOAT) AS x FROM [counts]) s;
SELECT * INTO #sqlrp_temporary_2 FROM (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) s;
SELECT * INTO #sqlrp_temporary_3 FROM (SELECT c, ((((((((1207422803*c+1554021005)*c+940132630)*c+1202754055)*c+1339085487)*c+308160061)*c+1073599193)*c+1496043970) % 2147483647) AS b0, ((((((((695715121*c+1050305301)*c+1174479125)*c+77190952)*c+1559899810)*c+98088592)*c+1491132665)*c+1612041911) % 2147483647) AS b1, ((((((((266018135*c+1347893375)*c+857912869)*c+222066450)*c+569881106)*c+1978271943)*c+144005368)*c+453062626) % 2147483647) AS b2, ((((((((712970553*c+986047398)*c+656026341)*c+305698416)*c+2144627527)*c+1358167319)*c+1969862486)*c+2023595005) % 2147483647) AS b3,
  ((((((((1832410929*c+515607408)*c+872307825)*c+512510187)*c+1572092133)*c+827115265)*c+1341515075)*c+1191955192) % 2147483647) AS b4, ((((((((440023740*c+1789843104)*c+85512086)*c+748716940)*c+828250944)*c+1719596919)*c+1783190857)*c+1714556674) % 2147483647) AS b5, ((((((((1229410488*c+1140486993)*c+930223432)*c+2069346305)*c+1577410622)*c+1795527457)*c+1372741064)*c+319245571) % 2147483647) AS b6, ((((((((977490620*c+1371363093)*c+708385131)*c+1899269072)*c+929569986)*c+345679816)*c+974472240)*c+434820976) % 2147483647) AS b7
FROM (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS c FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) n) s;
SELECT * INTO #sqlrp_temporary_4 FROM (SELECT CAST(c AS BIGINT) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM #sqlrp_temporary_2 CROSS JOIN #sqlrp_temporary_3) drawn
WHERE h < 2147483647) s;
SELECT * INTO #sqlrp_temporary_5 FROM (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE CAST(0.0e0 AS FLOAT) - x END) AS x
FROM #sqlrp_temporary_1 JOIN #sqlrp_temporary_4 ON #sqlrp_temporary_1.f = #sqlrp_temporary_4.f
GROUP BY r, c) s;
SELECT * INTO #sqlrp_temporary_6 FROM (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) s;
SELECT * INTO #sqlrp_temporary_7 FROM (SELECT c, v0, v1, w FROM (VALUES (0, 0, 0, 1), (0, 1, 1, -1), (1, 2, 2, 1), (1, 3, 3, -1)) AS listed(c, v0, v1, w)) s;
SELECT * INTO #sqlrp_temporary_8 FROM (SELECT k0.r AS r, i.c AS f, SUM(CAST(i.w AS FLOAT)*CAST(k0.x AS FLOAT)*CAST(k1.x AS FLOAT)) AS x
FROM #sqlrp_temporary_7 i JOIN #sqlrp_temporary_5 k0 ON k0.f = i.v0 JOIN #sqlrp_temporary_5 k1 ON k1.f = i.v1 AND EXISTS (SELECT k0.r INTERSECT SELECT k1.r)
GROUP BY k0.r, i.c) s;
SELECT r AS [doc], f AS component, CAST(0.353553391 AS FLOAT)*CAST(x AS FLOAT) AS value
FROM (SELECT z.r AS r, z.f AS f, z.x AS x FROM #sqlrp_temporary_8 z WHERE z.f <> 0 AND z.x <> CAST(0.0e0 AS FLOAT)
UNION ALL
SELECT s.r, 0, coalesce(z.x, CAST(0.0e0 AS FLOAT)) FROM #sqlrp_temporary_0 s
LEFT JOIN (SELECT r, x FROM #sqlrp_temporary_8 WHERE f = 0) z ON EXISTS (SELECT z.r INTERSECT SELECT s.r)
) s;
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
WITH source0 AS (SELECT r, r AS c0 FROM (SELECT "doc" AS r FROM "counts" GROUP BY "doc") s),
cells1 AS (SELECT "doc" AS r, CASE WHEN "feature" BETWEEN 0 AND 3 THEN "feature" WHEN "feature" IS NOT NULL THEN TO_NUMBER('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features' || substr(RAWTOHEX(SYS_GUID()), 1, 0)) END AS f, CAST("value" AS BINARY_DOUBLE) AS x FROM "counts"),
features2 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS NUMBER(19)) AS f FROM (SELECT 0 AS d FROM dual UNION ALL SELECT 1 FROM dual UNION ALL SELECT 2 FROM dual UNION ALL SELECT 3 FROM dual UNION ALL SELECT 4 FROM dual UNION ALL SELECT 5 FROM dual UNION ALL SELECT 6 FROM dual UNION ALL SELECT 7 FROM dual UNION ALL SELECT 8 FROM dual UNION ALL SELECT 9 FROM dual) d0 WHERE 1 * d0.d < 4),
components3 AS (SELECT c, MOD((((((((1207422803*c+1554021005)*c+940132630)*c+1202754055)*c+1339085487)*c+308160061)*c+1073599193)*c+1496043970), 2147483647) AS b0, MOD((((((((695715121*c+1050305301)*c+1174479125)*c+77190952)*c+1559899810)*c+98088592)*c+1491132665)*c+1612041911), 2147483647) AS b1, MOD((((((((266018135*c+1347893375)*c+857912869)*c+222066450)*c+569881106)*c+1978271943)*c+144005368)*c+453062626), 2147483647) AS b2, MOD((((((((712970553*c+986047398)*c+656026341)*c+305698416)*c+2144627527)*c+1358167319)*c+1969862486)*c+2023595005), 2147483647) AS b3,
  MOD((((((((1832410929*c+515607408)*c+872307825)*c+512510187)*c+1572092133)*c+827115265)*c+1341515075)*c+1191955192), 2147483647) AS b4, MOD((((((((440023740*c+1789843104)*c+85512086)*c+748716940)*c+828250944)*c+1719596919)*c+1783190857)*c+1714556674), 2147483647) AS b5, MOD((((((((1229410488*c+1140486993)*c+930223432)*c+2069346305)*c+1577410622)*c+1795527457)*c+1372741064)*c+319245571), 2147483647) AS b6, MOD((((((((977490620*c+1371363093)*c+708385131)*c+1899269072)*c+929569986)*c+345679816)*c+974472240)*c+434820976), 2147483647) AS b7
FROM (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS NUMBER(19)) AS c FROM (SELECT 0 AS d FROM dual UNION ALL SELECT 1 FROM dual UNION ALL SELECT 2 FROM dual UNION ALL SELECT 3 FROM dual UNION ALL SELECT 4 FROM dual UNION ALL SELECT 5 FROM dual UNION ALL SELECT 6 FROM dual UNION ALL SELECT 7 FROM dual UNION ALL SELECT 8 FROM dual UNION ALL SELECT 9 FROM dual) d0 WHERE 1 * d0.d < 4) n),
signs4 AS (SELECT CAST(c AS NUMBER(19)) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, MOD((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0), 2147483647) AS h FROM features2 CROSS JOIN components3) drawn
WHERE h < 2147483647),
sums5 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE CAST(0.0e0 AS BINARY_DOUBLE) - x END) AS x
FROM cells1 JOIN signs4 USING (f)
GROUP BY r, c),
features6 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS NUMBER(19)) AS f FROM (SELECT 0 AS d FROM dual UNION ALL SELECT 1 FROM dual UNION ALL SELECT 2 FROM dual UNION ALL SELECT 3 FROM dual UNION ALL SELECT 4 FROM dual UNION ALL SELECT 5 FROM dual UNION ALL SELECT 6 FROM dual UNION ALL SELECT 7 FROM dual UNION ALL SELECT 8 FROM dual UNION ALL SELECT 9 FROM dual) d0 WHERE 1 * d0.d < 4),
cells7 AS (SELECT r, f, x FROM sums5 UNION ALL
SELECT odd.r, e.f, CAST(0.0e0 AS BINARY_DOUBLE) FROM (SELECT DISTINCT r FROM sums5 WHERE NOT (x - x = 0)) odd
CROSS JOIN features6 e
WHERE NOT EXISTS (SELECT 1 FROM sums5 k WHERE (k.r = odd.r OR (k.r IS NULL AND odd.r IS NULL)) AND k.f = e.f)),
index_table8 AS (SELECT c, v0, v1, w FROM (SELECT 0 AS c, 0 AS v0, 0 AS v1, 1 AS w FROM dual UNION ALL SELECT 0 AS c, 1 AS v0, 1 AS v1, -1 AS w FROM dual UNION ALL SELECT 1 AS c, 2 AS v0, 2 AS v1, 1 AS w FROM dual UNION ALL SELECT 1 AS c, 3 AS v0, 3 AS v1, -1 AS w FROM dual) s),
products9 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(i.w AS BINARY_DOUBLE)*CAST(k0.x AS BINARY_DOUBLE)*CAST(k1.x AS BINARY_DOUBLE)) AS x
FROM index_table8 i JOIN cells7 k0 ON k0.f = i.v0 JOIN cells7 k1 ON k1.f = i.v1 AND (k0.r = k1.r OR (k0.r IS NULL AND k1.r IS NULL))
GROUP BY k0.r, i.c)
SELECT r AS "doc", f AS component, CAST(0.353553391 AS BINARY_DOUBLE)*CAST(x AS BINARY_DOUBLE) AS value
FROM (SELECT z.r AS r, z.f AS f, z.x AS x FROM products9 z WHERE z.f <> 0 AND z.x <> CAST(0.0e0 AS BINARY_DOUBLE)
UNION ALL
SELECT s.r, 0, coalesce(z.x, CAST(0.0e0 AS BINARY_DOUBLE)) FROM source0 s
LEFT JOIN (SELECT r, x FROM products9 WHERE f = 0) z ON (z.r = s.r OR (z.r IS NULL AND s.r IS NULL))
) s

-- ======== generic
WITH source0 AS (SELECT r, r AS c0, CASE WHEN counted = present THEN CAST(0.353553391 AS DOUBLE PRECISION) END AS ok FROM (SELECT "doc" AS r, count(*) AS counted, count(CASE WHEN "feature" BETWEEN 0 AND 3 OR "feature" IS NULL THEN 0 END) AS present FROM "counts" GROUP BY "doc") s),
cells1 AS (SELECT "doc" AS r, CASE WHEN "feature" BETWEEN 0 AND 3 THEN "feature" END AS f, CAST("value" AS DOUBLE PRECISION) AS x FROM "counts"),
features2 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 AS d UNION ALL SELECT 2 AS d UNION ALL SELECT 3 AS d UNION ALL SELECT 4 AS d UNION ALL SELECT 5 AS d UNION ALL SELECT 6 AS d UNION ALL SELECT 7 AS d UNION ALL SELECT 8 AS d UNION ALL SELECT 9 AS d) d0 WHERE 1 * d0.d < 4),
components3 AS (SELECT c, MOD((((((((1207422803*c+1554021005)*c+940132630)*c+1202754055)*c+1339085487)*c+308160061)*c+1073599193)*c+1496043970), 2147483647) AS b0, MOD((((((((695715121*c+1050305301)*c+1174479125)*c+77190952)*c+1559899810)*c+98088592)*c+1491132665)*c+1612041911), 2147483647) AS b1, MOD((((((((266018135*c+1347893375)*c+857912869)*c+222066450)*c+569881106)*c+1978271943)*c+144005368)*c+453062626), 2147483647) AS b2, MOD((((((((712970553*c+986047398)*c+656026341)*c+305698416)*c+2144627527)*c+1358167319)*c+1969862486)*c+2023595005), 2147483647) AS b3,
  MOD((((((((1832410929*c+515607408)*c+872307825)*c+512510187)*c+1572092133)*c+827115265)*c+1341515075)*c+1191955192), 2147483647) AS b4, MOD((((((((440023740*c+1789843104)*c+85512086)*c+748716940)*c+828250944)*c+1719596919)*c+1783190857)*c+1714556674), 2147483647) AS b5, MOD((((((((1229410488*c+1140486993)*c+930223432)*c+2069346305)*c+1577410622)*c+1795527457)*c+1372741064)*c+319245571), 2147483647) AS b6, MOD((((((((977490620*c+1371363093)*c+708385131)*c+1899269072)*c+929569986)*c+345679816)*c+974472240)*c+434820976), 2147483647) AS b7
FROM (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS c FROM (SELECT 0 AS d UNION ALL SELECT 1 AS d UNION ALL SELECT 2 AS d UNION ALL SELECT 3 AS d UNION ALL SELECT 4 AS d UNION ALL SELECT 5 AS d UNION ALL SELECT 6 AS d UNION ALL SELECT 7 AS d UNION ALL SELECT 8 AS d UNION ALL SELECT 9 AS d) d0 WHERE 1 * d0.d < 4) n),
signs4 AS (SELECT CAST(c AS BIGINT) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, MOD((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0), 2147483647) AS h FROM features2 CROSS JOIN components3) drawn
WHERE h < 2147483647),
sums5 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE CAST(0.0e0 AS DOUBLE PRECISION) - x END) AS x
FROM cells1 JOIN signs4 USING (f)
GROUP BY r, c),
features6 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 AS d UNION ALL SELECT 2 AS d UNION ALL SELECT 3 AS d UNION ALL SELECT 4 AS d UNION ALL SELECT 5 AS d UNION ALL SELECT 6 AS d UNION ALL SELECT 7 AS d UNION ALL SELECT 8 AS d UNION ALL SELECT 9 AS d) d0 WHERE 1 * d0.d < 4),
cells7 AS (SELECT r, f, x FROM sums5 UNION ALL
SELECT odd.r, e.f, CAST(0.0e0 AS DOUBLE PRECISION) FROM (SELECT DISTINCT r FROM sums5 WHERE NOT (x - x = 0)) odd
CROSS JOIN features6 e
WHERE NOT EXISTS (SELECT 1 FROM sums5 k WHERE (k.r IS NOT DISTINCT FROM odd.r) AND k.f = e.f)),
index_table8 AS (SELECT c, v0, v1, w FROM (SELECT 0 AS c, 0 AS v0, 0 AS v1, 1 AS w UNION ALL SELECT 0 AS c, 1 AS v0, 1 AS v1, -1 AS w UNION ALL SELECT 1 AS c, 2 AS v0, 2 AS v1, 1 AS w UNION ALL SELECT 1 AS c, 3 AS v0, 3 AS v1, -1 AS w) s),
products9 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(i.w AS DOUBLE PRECISION)*CAST(k0.x AS DOUBLE PRECISION)*CAST(k1.x AS DOUBLE PRECISION)) AS x
FROM index_table8 i JOIN cells7 k0 ON k0.f = i.v0 JOIN cells7 k1 ON k1.f = i.v1 AND (k0.r IS NOT DISTINCT FROM k1.r)
GROUP BY k0.r, i.c),
outputs10 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 AS d UNION ALL SELECT 2 AS d UNION ALL SELECT 3 AS d UNION ALL SELECT 4 AS d UNION ALL SELECT 5 AS d UNION ALL SELECT 6 AS d UNION ALL SELECT 7 AS d UNION ALL SELECT 8 AS d UNION ALL SELECT 9 AS d) d0 WHERE 1 * d0.d < 2)
SELECT r AS "doc", f AS "component", CAST(0.353553391 AS DOUBLE PRECISION)*CAST(x AS DOUBLE PRECISION) AS value
FROM (SELECT z.r AS r, z.f AS f, z.x AS x FROM products9 z WHERE z.f <> 0 AND z.x <> CAST(0.0e0 AS DOUBLE PRECISION) AND NOT EXISTS (SELECT 1 FROM source0 s WHERE (s.r IS NOT DISTINCT FROM z.r) AND s.ok IS NULL)
UNION ALL
SELECT s.r, 0, coalesce(z.x, CAST(0.0e0 AS DOUBLE PRECISION))+0*s.ok FROM source0 s
LEFT JOIN (SELECT r, x FROM products9 WHERE f = 0) z ON (z.r IS NOT DISTINCT FROM s.r)
UNION ALL
SELECT s.r, n.f, CAST(0.0e0 AS DOUBLE PRECISION)+0*s.ok FROM source0 s CROSS JOIN outputs10 n WHERE s.ok IS NULL AND n.f <> 0) s
