-- Prepared(SparseProjection(k=2, s=1, seed=1), how='tfidf')
-- long rows of decimals; output = 'long', nulls = 'zero', scale = False, lowering = 'relational'

-- ======== duckdb
WITH source0 AS MATERIALIZED (SELECT r, r AS c0 FROM (SELECT "doc" AS r FROM "counts" GROUP BY "doc") s),
cells1 AS MATERIALIZED (SELECT "doc" AS r, CASE WHEN "feature" BETWEEN 0 AND 3 THEN "feature" WHEN "feature" IS NOT NULL THEN error('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features') END AS f, CAST("value" AS DOUBLE) AS x FROM "counts"),
features2 AS MATERIALIZED (SELECT CAST(range AS BIGINT) AS f FROM range(4)),
cells3 AS MATERIALIZED (SELECT c.r AS r, c.f AS f, c.x * coalesce(t.w, 2.79175947) AS x FROM (SELECT * FROM cells1) c LEFT JOIN (SELECT unnest(CAST(string_split(concat('0,1,2,3', t), ',') AS BIGINT[])) AS f, unnest(CAST(string_split(concat('2.09861229,1.69314718,1.40546511,1.18232156', t), ',') AS DOUBLE[])) AS w FROM (VALUES ('')) v(t)) t ON t.f = c.f),
cells4 AS MATERIALIZED (SELECT r, f, SUM(x) AS x FROM cells3 GROUP BY r, f),
normalised5 AS MATERIALIZED (SELECT r, f, x/CASE WHEN n = 0 THEN 1 ELSE n END AS x FROM (SELECT r, f, x, sqrt(SUM(x*x) OVER (PARTITION BY r)) AS n FROM cells4) s),
components6 AS MATERIALIZED (SELECT c, ((((((((1207422803*c+1554021005)*c+940132630)*c+1202754055)*c+1339085487)*c+308160061)*c+1073599193)*c+1496043970) % 2147483647) AS b0, ((((((((695715121*c+1050305301)*c+1174479125)*c+77190952)*c+1559899810)*c+98088592)*c+1491132665)*c+1612041911) % 2147483647) AS b1, ((((((((266018135*c+1347893375)*c+857912869)*c+222066450)*c+569881106)*c+1978271943)*c+144005368)*c+453062626) % 2147483647) AS b2, ((((((((712970553*c+986047398)*c+656026341)*c+305698416)*c+2144627527)*c+1358167319)*c+1969862486)*c+2023595005) % 2147483647) AS b3,
  ((((((((1832410929*c+515607408)*c+872307825)*c+512510187)*c+1572092133)*c+827115265)*c+1341515075)*c+1191955192) % 2147483647) AS b4, ((((((((440023740*c+1789843104)*c+85512086)*c+748716940)*c+828250944)*c+1719596919)*c+1783190857)*c+1714556674) % 2147483647) AS b5, ((((((((1229410488*c+1140486993)*c+930223432)*c+2069346305)*c+1577410622)*c+1795527457)*c+1372741064)*c+319245571) % 2147483647) AS b6, ((((((((977490620*c+1371363093)*c+708385131)*c+1899269072)*c+929569986)*c+345679816)*c+974472240)*c+434820976) % 2147483647) AS b7
FROM (SELECT CAST(range AS BIGINT) AS c FROM range(2)) n),
signs7 AS MATERIALIZED (SELECT CAST(c AS INTEGER) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features2 CROSS JOIN components6) drawn
WHERE h < 2147483647),
sums8 AS MATERIALIZED (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM normalised5 JOIN signs7 USING (f)
GROUP BY r, c)
SELECT r AS "doc", f AS component, CAST(x AS DOUBLE) AS value
FROM (SELECT z.r AS r, z.f AS f, z.x AS x FROM sums8 z WHERE z.f <> 0 AND z.x <> 0.0e0
UNION ALL
SELECT s.r, 0, coalesce(z.x, 0.0e0) FROM source0 s
LEFT JOIN (SELECT r, x FROM sums8 WHERE f = 0) z ON (z.r IS NOT DISTINCT FROM s.r)
) s

-- ======== postgresql
WITH source0 AS MATERIALIZED (SELECT r, r AS c0 FROM (SELECT "doc" AS r FROM "counts" GROUP BY "doc") s),
cells1 AS MATERIALIZED (SELECT "doc" AS r, CASE WHEN "feature" BETWEEN 0 AND 3 THEN "feature" WHEN "feature" IS NOT NULL THEN CAST('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features' || left(CAST(clock_timestamp() AS text), 0) AS bigint) END AS f, CAST("value" AS double precision) AS x FROM "counts"),
features2 AS MATERIALIZED (SELECT f FROM generate_series(CAST(0 AS bigint), 3) g(f)),
cells3 AS MATERIALIZED (SELECT c.r AS r, c.f AS f, c.x * coalesce(t.w, CAST('2.79175947' AS double precision)) AS x FROM (SELECT * FROM cells1) c LEFT JOIN (SELECT unnest(CAST('{0,1,2,3}' AS bigint[])) AS f, unnest(CAST('{2.09861229,1.69314718,1.40546511,1.18232156}' AS double precision[])) AS w) t ON t.f = c.f),
cells4 AS MATERIALIZED (SELECT r, f, SUM(x) AS x FROM cells3 GROUP BY r, f),
normalised5 AS MATERIALIZED (SELECT r, f, x/CASE WHEN n = 0 THEN 1 ELSE n END AS x FROM (SELECT r, f, x, sqrt(SUM(x*x) OVER (PARTITION BY r)) AS n FROM cells4) s),
components6 AS MATERIALIZED (SELECT c, ((((((((1207422803*c+1554021005)*c+940132630)*c+1202754055)*c+1339085487)*c+308160061)*c+1073599193)*c+1496043970) % 2147483647) AS b0, ((((((((695715121*c+1050305301)*c+1174479125)*c+77190952)*c+1559899810)*c+98088592)*c+1491132665)*c+1612041911) % 2147483647) AS b1, ((((((((266018135*c+1347893375)*c+857912869)*c+222066450)*c+569881106)*c+1978271943)*c+144005368)*c+453062626) % 2147483647) AS b2, ((((((((712970553*c+986047398)*c+656026341)*c+305698416)*c+2144627527)*c+1358167319)*c+1969862486)*c+2023595005) % 2147483647) AS b3,
  ((((((((1832410929*c+515607408)*c+872307825)*c+512510187)*c+1572092133)*c+827115265)*c+1341515075)*c+1191955192) % 2147483647) AS b4, ((((((((440023740*c+1789843104)*c+85512086)*c+748716940)*c+828250944)*c+1719596919)*c+1783190857)*c+1714556674) % 2147483647) AS b5, ((((((((1229410488*c+1140486993)*c+930223432)*c+2069346305)*c+1577410622)*c+1795527457)*c+1372741064)*c+319245571) % 2147483647) AS b6, ((((((((977490620*c+1371363093)*c+708385131)*c+1899269072)*c+929569986)*c+345679816)*c+974472240)*c+434820976) % 2147483647) AS b7
FROM (SELECT c FROM generate_series(CAST(0 AS bigint), 1) g(c)) n),
signs7 AS MATERIALIZED (SELECT CAST(c AS integer) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features2 CROSS JOIN components6 OFFSET '0') drawn
WHERE h < 2147483647),
sums8 AS MATERIALIZED (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE CAST('0.0' AS double precision) - x END) AS x
FROM normalised5 JOIN signs7 USING (f)
GROUP BY r, c)
SELECT r AS "doc", f AS component, CAST(x AS double precision) AS value
FROM (SELECT z.r AS r, z.f AS f, z.x AS x FROM sums8 z WHERE z.f <> 0 AND z.x <> CAST('0.0' AS double precision)
UNION ALL
SELECT s.r, 0, coalesce(z.x, CAST('0.0' AS double precision)) FROM source0 s
LEFT JOIN (SELECT r, x FROM sums8 WHERE f = 0) z ON ARRAY[z.r] = ARRAY[s.r]
) s

-- ======== sqlite
WITH source0 AS MATERIALIZED (SELECT r, r AS c0 FROM (SELECT `doc` AS r FROM `counts` GROUP BY `doc`) s),
cells1 AS MATERIALIZED (SELECT `doc` AS r, CASE WHEN `feature` BETWEEN 0 AND 3 THEN `feature` WHEN `feature` IS NOT NULL THEN json_type('{}', 'sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features' || substr(random(), 1, 0)) END AS f, CASE WHEN `value` >= '' THEN json_type('{}', 'sqlrp: a feature in `value` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`value` AS REAL) END AS x FROM `counts`),
features2 AS MATERIALIZED (WITH RECURSIVE counted AS (SELECT 0 AS f UNION ALL SELECT f + 1 FROM counted WHERE f < 3) SELECT f FROM counted),
cells3 AS MATERIALIZED (SELECT c.r AS r, c.f AS f, c.x * coalesce(t.w, 2.79175947) AS x FROM (SELECT * FROM cells1) c LEFT JOIN (SELECT CAST(json_extract(value, '$[0]') AS INTEGER) AS f, CAST(json_extract(value, '$[1]') AS REAL) AS w FROM json_each('[[0,2.09861229],[1,1.69314718],[2,1.40546511],[3,1.18232156]]')) t ON t.f = c.f),
cells4 AS MATERIALIZED (SELECT r, f, SUM(x) AS x FROM cells3 GROUP BY r, f),
normalised5 AS MATERIALIZED (SELECT r, f, x/CASE WHEN n = 0 THEN 1 ELSE n END AS x FROM (SELECT r, f, x, sqrt(SUM(x*x) OVER (PARTITION BY r)) AS n FROM cells4) s),
components6 AS MATERIALIZED (SELECT c, ((((((((1207422803*c+1554021005)*c+940132630)*c+1202754055)*c+1339085487)*c+308160061)*c+1073599193)*c+1496043970) % 2147483647) AS b0, ((((((((695715121*c+1050305301)*c+1174479125)*c+77190952)*c+1559899810)*c+98088592)*c+1491132665)*c+1612041911) % 2147483647) AS b1, ((((((((266018135*c+1347893375)*c+857912869)*c+222066450)*c+569881106)*c+1978271943)*c+144005368)*c+453062626) % 2147483647) AS b2, ((((((((712970553*c+986047398)*c+656026341)*c+305698416)*c+2144627527)*c+1358167319)*c+1969862486)*c+2023595005) % 2147483647) AS b3,
  ((((((((1832410929*c+515607408)*c+872307825)*c+512510187)*c+1572092133)*c+827115265)*c+1341515075)*c+1191955192) % 2147483647) AS b4, ((((((((440023740*c+1789843104)*c+85512086)*c+748716940)*c+828250944)*c+1719596919)*c+1783190857)*c+1714556674) % 2147483647) AS b5, ((((((((1229410488*c+1140486993)*c+930223432)*c+2069346305)*c+1577410622)*c+1795527457)*c+1372741064)*c+319245571) % 2147483647) AS b6, ((((((((977490620*c+1371363093)*c+708385131)*c+1899269072)*c+929569986)*c+345679816)*c+974472240)*c+434820976) % 2147483647) AS b7
FROM (WITH RECURSIVE counted AS (SELECT 0 AS c UNION ALL SELECT c + 1 FROM counted WHERE c < 1) SELECT c FROM counted) n),
signs7 AS MATERIALIZED (SELECT c AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features2 CROSS JOIN components6 LIMIT -1 OFFSET 0) drawn
WHERE h < 2147483647),
sums8 AS MATERIALIZED (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM normalised5 JOIN signs7 USING (f)
GROUP BY r, c)
SELECT r AS `doc`, f AS component, CAST(x AS REAL) AS value
FROM (SELECT z.r AS r, z.f AS f, z.x AS x FROM sums8 z WHERE z.f <> 0 AND z.x <> 0.0e0
UNION ALL
SELECT s.r, 0, coalesce(z.x, 0.0e0) FROM source0 s
LEFT JOIN (SELECT r, x FROM sums8 WHERE f = 0) z ON (z.r IS s.r)
) s

-- ======== mariadb
WITH source0 AS (SELECT r, r AS c0 FROM (SELECT `doc` AS r FROM `counts` GROUP BY `doc`) s LIMIT 18446744073709551615),
cells1 AS (SELECT `doc` AS r, CASE WHEN `feature` BETWEEN 0 AND 3 THEN `feature` WHEN `feature` IS NOT NULL THEN (9223372036854775807 + char_length(concat('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features', rand()))) END AS f, CAST(`value` AS DOUBLE) AS x FROM `counts` LIMIT 18446744073709551615),
features2 AS (SELECT CAST(seq AS SIGNED) AS f FROM seq_0_to_3 LIMIT 18446744073709551615),
cells3 AS (SELECT c.r AS r, c.f AS f, c.x * coalesce(t.w, 2.79175947) AS x FROM (SELECT * FROM cells1) c LEFT JOIN (SELECT f, w FROM JSON_TABLE('[[0,2.09861229],[1,1.69314718],[2,1.40546511],[3,1.18232156]]', '$[*]' COLUMNS (f BIGINT PATH '$[0]', w DOUBLE PATH '$[1]')) listed) t ON t.f = c.f LIMIT 18446744073709551615),
cells4 AS (SELECT r, f, SUM(x) AS x FROM cells3 GROUP BY r, f LIMIT 18446744073709551615),
normalised5 AS (SELECT r, f, x/CASE WHEN n = 0 THEN 1 ELSE n END AS x FROM (SELECT r, f, x, sqrt(SUM(x*x) OVER (PARTITION BY r)) AS n FROM cells4) s LIMIT 18446744073709551615),
components6 AS (SELECT c, ((((((((1207422803*c+1554021005)*c+940132630)*c+1202754055)*c+1339085487)*c+308160061)*c+1073599193)*c+1496043970) % 2147483647) AS b0, ((((((((695715121*c+1050305301)*c+1174479125)*c+77190952)*c+1559899810)*c+98088592)*c+1491132665)*c+1612041911) % 2147483647) AS b1, ((((((((266018135*c+1347893375)*c+857912869)*c+222066450)*c+569881106)*c+1978271943)*c+144005368)*c+453062626) % 2147483647) AS b2, ((((((((712970553*c+986047398)*c+656026341)*c+305698416)*c+2144627527)*c+1358167319)*c+1969862486)*c+2023595005) % 2147483647) AS b3,
  ((((((((1832410929*c+515607408)*c+872307825)*c+512510187)*c+1572092133)*c+827115265)*c+1341515075)*c+1191955192) % 2147483647) AS b4, ((((((((440023740*c+1789843104)*c+85512086)*c+748716940)*c+828250944)*c+1719596919)*c+1783190857)*c+1714556674) % 2147483647) AS b5, ((((((((1229410488*c+1140486993)*c+930223432)*c+2069346305)*c+1577410622)*c+1795527457)*c+1372741064)*c+319245571) % 2147483647) AS b6, ((((((((977490620*c+1371363093)*c+708385131)*c+1899269072)*c+929569986)*c+345679816)*c+974472240)*c+434820976) % 2147483647) AS b7
FROM (SELECT CAST(seq AS SIGNED) AS c FROM seq_0_to_1) n LIMIT 18446744073709551615),
signs7 AS (SELECT CAST(c AS SIGNED) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features2 CROSS JOIN components6 LIMIT 18446744073709551615) drawn
WHERE h < 2147483647 LIMIT 18446744073709551615),
sums8 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM normalised5 JOIN signs7 USING (f)
GROUP BY r, c LIMIT 18446744073709551615)
SELECT r AS `doc`, f AS component, CAST(x AS DOUBLE) AS value
FROM (SELECT z.r AS r, z.f AS f, z.x AS x FROM sums8 z WHERE z.f <> 0 AND z.x <> 0.0e0
UNION ALL
SELECT s.r, 0, coalesce(z.x, 0.0e0) FROM source0 s
LEFT JOIN (SELECT r, x FROM sums8 WHERE f = 0) z ON (z.r <=> s.r)
) s

-- ======== mysql
WITH source0 AS (SELECT r, r AS c0 FROM (SELECT `doc` AS r FROM `counts` GROUP BY `doc`) s),
cells1 AS (SELECT `doc` AS r, CASE WHEN `feature` BETWEEN 0 AND 3 THEN `feature` WHEN `feature` IS NOT NULL THEN (9223372036854775807 + char_length(concat('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features', rand()))) END AS f, CAST(`value` AS DOUBLE) AS x FROM `counts`),
features2 AS (SELECT CAST(n AS SIGNED) - 1 AS f FROM JSON_TABLE(concat('[0', repeat(',0', 3), ']'), '$[*]' COLUMNS (n FOR ORDINALITY)) listed),
cells3 AS (SELECT c.r AS r, c.f AS f, c.x * coalesce(t.w, 2.79175947) AS x FROM (SELECT * FROM cells1) c LEFT JOIN (SELECT f, w FROM JSON_TABLE('[[0,2.09861229],[1,1.69314718],[2,1.40546511],[3,1.18232156]]', '$[*]' COLUMNS (f BIGINT PATH '$[0]', w DOUBLE PATH '$[1]')) listed) t ON t.f = c.f),
cells4 AS (SELECT r, f, SUM(x) AS x FROM cells3 GROUP BY r, f),
normalised5 AS (SELECT r, f, x/CASE WHEN n = 0 THEN 1 ELSE n END AS x FROM (SELECT r, f, x, sqrt(SUM(x*x) OVER (PARTITION BY r)) AS n FROM cells4) s),
components6 AS (SELECT c, ((((((((1207422803*c+1554021005)*c+940132630)*c+1202754055)*c+1339085487)*c+308160061)*c+1073599193)*c+1496043970) % 2147483647) AS b0, ((((((((695715121*c+1050305301)*c+1174479125)*c+77190952)*c+1559899810)*c+98088592)*c+1491132665)*c+1612041911) % 2147483647) AS b1, ((((((((266018135*c+1347893375)*c+857912869)*c+222066450)*c+569881106)*c+1978271943)*c+144005368)*c+453062626) % 2147483647) AS b2, ((((((((712970553*c+986047398)*c+656026341)*c+305698416)*c+2144627527)*c+1358167319)*c+1969862486)*c+2023595005) % 2147483647) AS b3,
  ((((((((1832410929*c+515607408)*c+872307825)*c+512510187)*c+1572092133)*c+827115265)*c+1341515075)*c+1191955192) % 2147483647) AS b4, ((((((((440023740*c+1789843104)*c+85512086)*c+748716940)*c+828250944)*c+1719596919)*c+1783190857)*c+1714556674) % 2147483647) AS b5, ((((((((1229410488*c+1140486993)*c+930223432)*c+2069346305)*c+1577410622)*c+1795527457)*c+1372741064)*c+319245571) % 2147483647) AS b6, ((((((((977490620*c+1371363093)*c+708385131)*c+1899269072)*c+929569986)*c+345679816)*c+974472240)*c+434820976) % 2147483647) AS b7
FROM (SELECT CAST(n AS SIGNED) - 1 AS c FROM JSON_TABLE(concat('[0', repeat(',0', 1), ']'), '$[*]' COLUMNS (n FOR ORDINALITY)) listed) n),
signs7 AS (SELECT CAST(c AS SIGNED) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features2 CROSS JOIN components6 LIMIT 18446744073709551615) drawn
WHERE h < 2147483647),
sums8 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM normalised5 JOIN signs7 USING (f)
GROUP BY r, c)
SELECT r AS `doc`, f AS component, CAST(x AS DOUBLE) AS value
FROM (SELECT z.r AS r, z.f AS f, z.x AS x FROM sums8 z WHERE z.f <> 0 AND z.x <> 0.0e0
UNION ALL
SELECT s.r, 0, coalesce(z.x, 0.0e0) FROM source0 s
LEFT JOIN (SELECT r, x FROM sums8 WHERE f = 0) z ON (z.r <=> s.r)
) s

-- ======== clickhouse
-- 19 statements: run them in this order in one session. Statement 10 returns the rows.
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_0 ENGINE = Memory AS SELECT r, r AS c0 FROM (SELECT `doc` AS r FROM `counts` GROUP BY `doc`) s
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_1 ENGINE = Memory AS SELECT `doc` AS r, CASE WHEN `feature` BETWEEN 0 AND 3 THEN `feature` WHEN `feature` IS NOT NULL THEN throwIf(1, 'sqlrp: a feature in \'feature\' is outside 0 ... 3: positions count from 0; raise n_features') END AS f, CAST(`value` AS Float64) AS x FROM `counts`
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_2 ENGINE = Memory AS SELECT toInt64(number) AS f FROM numbers(4)
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_3 ENGINE = Memory AS SELECT c.r AS r, c.f AS f, c.x * coalesce(t.w, 2.79175947) AS x FROM (SELECT * FROM sqlrp_temporary_1) c LEFT JOIN (SELECT f, w FROM (SELECT CAST('[0, 1, 2, 3]' AS Array(Int64)) AS f, CAST('[2.09861229, 1.69314718, 1.40546511, 1.18232156]' AS Array(Float64)) AS w) s ARRAY JOIN f, w) t ON t.f = c.f
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_4 ENGINE = Memory AS SELECT r, f, SUM(x) AS x FROM sqlrp_temporary_3 GROUP BY r, f
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_5 ENGINE = Memory AS SELECT r, f, x/CASE WHEN n = 0 THEN 1 ELSE n END AS x FROM (SELECT r, f, x, sqrt(SUM(x*x) OVER (PARTITION BY r)) AS n FROM sqlrp_temporary_4) s
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_6 ENGINE = Memory AS SELECT c, ((((((((1207422803*c+1554021005)*c+940132630)*c+1202754055)*c+1339085487)*c+308160061)*c+1073599193)*c+1496043970) % 2147483647) AS b0, ((((((((695715121*c+1050305301)*c+1174479125)*c+77190952)*c+1559899810)*c+98088592)*c+1491132665)*c+1612041911) % 2147483647) AS b1, ((((((((266018135*c+1347893375)*c+857912869)*c+222066450)*c+569881106)*c+1978271943)*c+144005368)*c+453062626) % 2147483647) AS b2, ((((((((712970553*c+986047398)*c+656026341)*c+305698416)*c+2144627527)*c+1358167319)*c+1969862486)*c+2023595005) % 2147483647) AS b3,
  ((((((((1832410929*c+515607408)*c+872307825)*c+512510187)*c+1572092133)*c+827115265)*c+1341515075)*c+1191955192) % 2147483647) AS b4, ((((((((440023740*c+1789843104)*c+85512086)*c+748716940)*c+828250944)*c+1719596919)*c+1783190857)*c+1714556674) % 2147483647) AS b5, ((((((((1229410488*c+1140486993)*c+930223432)*c+2069346305)*c+1577410622)*c+1795527457)*c+1372741064)*c+319245571) % 2147483647) AS b6, ((((((((977490620*c+1371363093)*c+708385131)*c+1899269072)*c+929569986)*c+345679816)*c+974472240)*c+434820976) % 2147483647) AS b7
FROM (SELECT toInt64(number) AS c FROM numbers(2)) n
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_7 ENGINE = Memory AS SELECT CAST(c AS Int64) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM sqlrp_temporary_2 CROSS JOIN sqlrp_temporary_6) drawn
WHERE h < 2147483647
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_8 ENGINE = Memory AS SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM sqlrp_temporary_5 JOIN sqlrp_temporary_7 USING (f)
GROUP BY r, c
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
SELECT r AS `doc`, f AS component, CAST(x AS Float64) AS value
FROM (SELECT z.r AS r, z.f AS f, z.x AS x FROM sqlrp_temporary_8 z WHERE z.f <> 0 AND z.x <> 0.0e0
UNION ALL
SELECT s.r, 0, coalesce(z.x, 0.0e0) FROM sqlrp_temporary_0 s
LEFT JOIN (SELECT r, x FROM sqlrp_temporary_8 WHERE f = 0) z ON (z.r IS NOT DISTINCT FROM s.r)
) s
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
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
cells3 AS (SELECT c.r AS r, c.f AS f, c.x * coalesce(t.w, 2.79175947) AS x FROM (SELECT * FROM cells1) c LEFT JOIN (SELECT inline(arrays_zip(from_json('[0, 1, 2, 3]', 'ARRAY<BIGINT>'), from_json('[2.09861229, 1.69314718, 1.40546511, 1.18232156]', 'ARRAY<DOUBLE>'))) AS (f, w)) t ON t.f = c.f),
cells4 AS (SELECT r, f, SUM(x) AS x FROM cells3 GROUP BY r, f),
normalised5 AS (SELECT r, f, x/CASE WHEN n = 0 THEN 1 ELSE n END AS x FROM (SELECT r, f, x, sqrt(SUM(x*x) OVER (PARTITION BY r)) AS n FROM cells4) s),
components6 AS (SELECT c, ((((((((1207422803*c+1554021005)*c+940132630)*c+1202754055)*c+1339085487)*c+308160061)*c+1073599193)*c+1496043970) % 2147483647) AS b0, ((((((((695715121*c+1050305301)*c+1174479125)*c+77190952)*c+1559899810)*c+98088592)*c+1491132665)*c+1612041911) % 2147483647) AS b1, ((((((((266018135*c+1347893375)*c+857912869)*c+222066450)*c+569881106)*c+1978271943)*c+144005368)*c+453062626) % 2147483647) AS b2, ((((((((712970553*c+986047398)*c+656026341)*c+305698416)*c+2144627527)*c+1358167319)*c+1969862486)*c+2023595005) % 2147483647) AS b3,
  ((((((((1832410929*c+515607408)*c+872307825)*c+512510187)*c+1572092133)*c+827115265)*c+1341515075)*c+1191955192) % 2147483647) AS b4, ((((((((440023740*c+1789843104)*c+85512086)*c+748716940)*c+828250944)*c+1719596919)*c+1783190857)*c+1714556674) % 2147483647) AS b5, ((((((((1229410488*c+1140486993)*c+930223432)*c+2069346305)*c+1577410622)*c+1795527457)*c+1372741064)*c+319245571) % 2147483647) AS b6, ((((((((977490620*c+1371363093)*c+708385131)*c+1899269072)*c+929569986)*c+345679816)*c+974472240)*c+434820976) % 2147483647) AS b7
FROM (SELECT id AS c FROM range(2)) n),
signs7 AS (SELECT CAST(c AS INT) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features2 CROSS JOIN components6) drawn
WHERE h < 2147483647),
sums8 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM normalised5 JOIN signs7 USING (f)
GROUP BY r, c)
SELECT c0 AS `doc`, component, value AS value
FROM (SELECT c0, CAST(o AS BIGINT) AS component, e AS value
FROM (SELECT c0, x AS z
FROM (SELECT s.c0 AS c0, coalesce(z.x, array_repeat(0.0e0, 2)) AS x
FROM source0 s LEFT JOIN (SELECT r, transform(array(collect_list(struct(CAST(f AS INT) AS o, CAST(x AS DOUBLE) AS v)) FILTER (WHERE CAST(x AS DOUBLE) IS NOT NULL)), p -> CASE WHEN size(p) = 2 THEN sort_array(p).v ELSE sort_array(concat(p, transform(array_except(sequence(0, 1), p.o), o -> struct(o, 0.0e0 AS v)))).v END)[0] AS x FROM sums8 GROUP BY r) z ON (z.r <=> s.r)) s) s LATERAL VIEW OUTER posexplode(z) u AS o, e) s
WHERE component = 0 OR value <> 0

-- ======== snowflake, trino
WITH source0 AS (SELECT r, r AS c0 FROM (SELECT "doc" AS r FROM "counts" GROUP BY "doc") s),
cells1 AS (SELECT "doc" AS r, CASE WHEN "feature" BETWEEN 0 AND 3 THEN "feature" WHEN "feature" IS NOT NULL THEN CAST(concat('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features', substr(CAST(CASE WHEN "feature" > 0 THEN 1 ELSE 0 END AS VARCHAR), 1, 0)) AS BIGINT) END AS f, CAST("value" AS DOUBLE) AS x FROM "counts"),
features2 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
cells3 AS (SELECT c.r AS r, c.f AS f, c.x * coalesce(t.w, 2.79175947) AS x FROM (SELECT * FROM cells1) c LEFT JOIN (SELECT f, w FROM (VALUES (0, 2.09861229), (1, 1.69314718), (2, 1.40546511), (3, 1.18232156)) AS listed(f, w)) t ON t.f = c.f),
cells4 AS (SELECT r, f, SUM(x) AS x FROM cells3 GROUP BY r, f),
normalised5 AS (SELECT r, f, x/CASE WHEN n = 0 THEN 1 ELSE n END AS x FROM (SELECT r, f, x, sqrt(SUM(x*x) OVER (PARTITION BY r)) AS n FROM cells4) s),
components6 AS (SELECT c, ((((((((1207422803*c+1554021005)*c+940132630)*c+1202754055)*c+1339085487)*c+308160061)*c+1073599193)*c+1496043970) % 2147483647) AS b0, ((((((((695715121*c+1050305301)*c+1174479125)*c+77190952)*c+1559899810)*c+98088592)*c+1491132665)*c+1612041911) % 2147483647) AS b1, ((((((((266018135*c+1347893375)*c+857912869)*c+222066450)*c+569881106)*c+1978271943)*c+144005368)*c+453062626) % 2147483647) AS b2, ((((((((712970553*c+986047398)*c+656026341)*c+305698416)*c+2144627527)*c+1358167319)*c+1969862486)*c+2023595005) % 2147483647) AS b3,
  ((((((((1832410929*c+515607408)*c+872307825)*c+512510187)*c+1572092133)*c+827115265)*c+1341515075)*c+1191955192) % 2147483647) AS b4, ((((((((440023740*c+1789843104)*c+85512086)*c+748716940)*c+828250944)*c+1719596919)*c+1783190857)*c+1714556674) % 2147483647) AS b5, ((((((((1229410488*c+1140486993)*c+930223432)*c+2069346305)*c+1577410622)*c+1795527457)*c+1372741064)*c+319245571) % 2147483647) AS b6, ((((((((977490620*c+1371363093)*c+708385131)*c+1899269072)*c+929569986)*c+345679816)*c+974472240)*c+434820976) % 2147483647) AS b7
FROM (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS c FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2) n),
signs7 AS (SELECT CAST(c AS BIGINT) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features2 CROSS JOIN components6) drawn
WHERE h < 2147483647),
sums8 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM normalised5 JOIN signs7 USING (f)
GROUP BY r, c)
SELECT r AS "doc", f AS component, CAST(x AS DOUBLE) AS value
FROM (SELECT z.r AS r, z.f AS f, z.x AS x FROM sums8 z WHERE z.f <> 0 AND z.x <> 0.0e0
UNION ALL
SELECT s.r, 0, coalesce(z.x, 0.0e0) FROM source0 s
LEFT JOIN (SELECT r, x FROM sums8 WHERE f = 0) z ON (z.r IS NOT DISTINCT FROM s.r)
) s

-- ======== bigquery
WITH source0 AS (SELECT r, r AS c0 FROM (SELECT `doc` AS r FROM `counts` GROUP BY `doc`) s),
cells1 AS (SELECT `doc` AS r, CASE WHEN `feature` BETWEEN 0 AND 3 THEN `feature` WHEN `feature` IS NOT NULL THEN ERROR('sqlrp: a feature in \'feature\' is outside 0 ... 3: positions count from 0; raise n_features') END AS f, CAST(`value` AS FLOAT64) AS x FROM `counts`),
features2 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS INT64) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
cells3 AS (SELECT c.r AS r, c.f AS f, c.x * coalesce(t.w, 2.79175947) AS x FROM (SELECT * FROM cells1) c LEFT JOIN (SELECT f, w FROM UNNEST([STRUCT(0 AS f, 2.09861229 AS w), STRUCT(1, 1.69314718), STRUCT(2, 1.40546511), STRUCT(3, 1.18232156)])) t ON t.f = c.f),
cells4 AS (SELECT r, f, SUM(x) AS x FROM cells3 GROUP BY r, f),
normalised5 AS (SELECT r, f, x/CASE WHEN n = 0 THEN 1 ELSE n END AS x FROM (SELECT r, f, x, sqrt(SUM(x*x) OVER (PARTITION BY r)) AS n FROM cells4) s),
components6 AS (SELECT c, MOD((((((((1207422803*c+1554021005)*c+940132630)*c+1202754055)*c+1339085487)*c+308160061)*c+1073599193)*c+1496043970), 2147483647) AS b0, MOD((((((((695715121*c+1050305301)*c+1174479125)*c+77190952)*c+1559899810)*c+98088592)*c+1491132665)*c+1612041911), 2147483647) AS b1, MOD((((((((266018135*c+1347893375)*c+857912869)*c+222066450)*c+569881106)*c+1978271943)*c+144005368)*c+453062626), 2147483647) AS b2, MOD((((((((712970553*c+986047398)*c+656026341)*c+305698416)*c+2144627527)*c+1358167319)*c+1969862486)*c+2023595005), 2147483647) AS b3,
  MOD((((((((1832410929*c+515607408)*c+872307825)*c+512510187)*c+1572092133)*c+827115265)*c+1341515075)*c+1191955192), 2147483647) AS b4, MOD((((((((440023740*c+1789843104)*c+85512086)*c+748716940)*c+828250944)*c+1719596919)*c+1783190857)*c+1714556674), 2147483647) AS b5, MOD((((((((1229410488*c+1140486993)*c+930223432)*c+2069346305)*c+1577410622)*c+1795527457)*c+1372741064)*c+319245571), 2147483647) AS b6, MOD((((((((977490620*c+1371363093)*c+708385131)*c+1899269072)*c+929569986)*c+345679816)*c+974472240)*c+434820976), 2147483647) AS b7
FROM (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS INT64) AS c FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2) n),
signs7 AS (SELECT CAST(c AS INT64) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, MOD((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0), 2147483647) AS h FROM features2 CROSS JOIN components6) drawn
WHERE h < 2147483647),
sums8 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM normalised5 JOIN signs7 USING (f)
GROUP BY r, c)
SELECT r AS `doc`, f AS component, CAST(x AS FLOAT64) AS value
FROM (SELECT z.r AS r, z.f AS f, z.x AS x FROM sums8 z WHERE z.f <> 0 AND z.x <> 0.0e0
UNION ALL
SELECT s.r, 0, coalesce(z.x, 0.0e0) FROM source0 s
LEFT JOIN (SELECT r, x FROM sums8 WHERE f = 0) z ON (z.r IS NOT DISTINCT FROM s.r)
) s

-- ======== redshift
WITH source0 AS (SELECT r, r AS c0 FROM (SELECT "doc" AS r FROM "counts" GROUP BY "doc") s),
cells1 AS (SELECT "doc" AS r, CASE WHEN "feature" BETWEEN 0 AND 3 THEN "feature" WHEN "feature" IS NOT NULL THEN CAST(concat('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features', substr(CAST(CASE WHEN "feature" > 0 THEN 1 ELSE 0 END AS VARCHAR), 1, 0)) AS BIGINT) END AS f, CAST("value" AS DOUBLE PRECISION) AS x FROM "counts"),
features2 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
cells3 AS (SELECT c.r AS r, c.f AS f, c.x * coalesce(t.w, CAST('2.79175947' AS DOUBLE PRECISION)) AS x FROM (SELECT * FROM cells1) c LEFT JOIN (SELECT 0 AS f, CAST('2.09861229' AS DOUBLE PRECISION) AS w UNION ALL SELECT 1 AS f, CAST('1.69314718' AS DOUBLE PRECISION) AS w UNION ALL SELECT 2 AS f, CAST('1.40546511' AS DOUBLE PRECISION) AS w UNION ALL SELECT 3 AS f, CAST('1.18232156' AS DOUBLE PRECISION) AS w) t ON t.f = c.f),
cells4 AS (SELECT r, f, SUM(x) AS x FROM cells3 GROUP BY r, f),
normalised5 AS (SELECT r, f, x/CASE WHEN n = 0 THEN 1 ELSE n END AS x FROM (SELECT r, f, x, sqrt(SUM(x*x) OVER (PARTITION BY r)) AS n FROM cells4) s),
components6 AS (SELECT c, ((((((((1207422803*c+1554021005)*c+940132630)*c+1202754055)*c+1339085487)*c+308160061)*c+1073599193)*c+1496043970) % 2147483647) AS b0, ((((((((695715121*c+1050305301)*c+1174479125)*c+77190952)*c+1559899810)*c+98088592)*c+1491132665)*c+1612041911) % 2147483647) AS b1, ((((((((266018135*c+1347893375)*c+857912869)*c+222066450)*c+569881106)*c+1978271943)*c+144005368)*c+453062626) % 2147483647) AS b2, ((((((((712970553*c+986047398)*c+656026341)*c+305698416)*c+2144627527)*c+1358167319)*c+1969862486)*c+2023595005) % 2147483647) AS b3,
  ((((((((1832410929*c+515607408)*c+872307825)*c+512510187)*c+1572092133)*c+827115265)*c+1341515075)*c+1191955192) % 2147483647) AS b4, ((((((((440023740*c+1789843104)*c+85512086)*c+748716940)*c+828250944)*c+1719596919)*c+1783190857)*c+1714556674) % 2147483647) AS b5, ((((((((1229410488*c+1140486993)*c+930223432)*c+2069346305)*c+1577410622)*c+1795527457)*c+1372741064)*c+319245571) % 2147483647) AS b6, ((((((((977490620*c+1371363093)*c+708385131)*c+1899269072)*c+929569986)*c+345679816)*c+974472240)*c+434820976) % 2147483647) AS b7
FROM (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS c FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2) n),
signs7 AS (SELECT CAST(c AS BIGINT) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features2 CROSS JOIN components6) drawn
WHERE h < 2147483647),
sums8 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE CAST('0.0' AS DOUBLE PRECISION) - x END) AS x
FROM normalised5 JOIN signs7 USING (f)
GROUP BY r, c)
SELECT r AS "doc", f AS component, CAST(x AS DOUBLE PRECISION) AS value
FROM (SELECT z.r AS r, z.f AS f, z.x AS x FROM sums8 z WHERE z.f <> 0 AND z.x <> CAST('0.0' AS DOUBLE PRECISION)
UNION ALL
SELECT s.r, 0, coalesce(z.x, CAST('0.0' AS DOUBLE PRECISION)) FROM source0 s
LEFT JOIN (SELECT r, x FROM sums8 WHERE f = 0) z ON (z.r = s.r OR (z.r IS NULL AND s.r IS NULL))
) s

-- ======== databricks
WITH source0 AS (SELECT r, r AS c0 FROM (SELECT `doc` AS r FROM `counts` GROUP BY `doc`) s),
cells1 AS (SELECT `doc` AS r, CASE WHEN `feature` BETWEEN 0 AND 3 THEN `feature` WHEN `feature` IS NOT NULL THEN raise_error('sqlrp: a feature in \'feature\' is outside 0 ... 3: positions count from 0; raise n_features') END AS f, CAST(`value` AS DOUBLE) AS x FROM `counts`),
features2 AS (SELECT id AS f FROM range(4)),
cells3 AS (SELECT c.r AS r, c.f AS f, c.x * coalesce(t.w, 2.79175947) AS x FROM (SELECT * FROM cells1) c LEFT JOIN (SELECT f, w FROM (VALUES (0, 2.09861229), (1, 1.69314718), (2, 1.40546511), (3, 1.18232156)) AS listed(f, w)) t ON t.f = c.f),
cells4 AS (SELECT r, f, SUM(x) AS x FROM cells3 GROUP BY r, f),
normalised5 AS (SELECT r, f, x/CASE WHEN n = 0 THEN 1 ELSE n END AS x FROM (SELECT r, f, x, sqrt(SUM(x*x) OVER (PARTITION BY r)) AS n FROM cells4) s),
components6 AS (SELECT c, ((((((((1207422803*c+1554021005)*c+940132630)*c+1202754055)*c+1339085487)*c+308160061)*c+1073599193)*c+1496043970) % 2147483647) AS b0, ((((((((695715121*c+1050305301)*c+1174479125)*c+77190952)*c+1559899810)*c+98088592)*c+1491132665)*c+1612041911) % 2147483647) AS b1, ((((((((266018135*c+1347893375)*c+857912869)*c+222066450)*c+569881106)*c+1978271943)*c+144005368)*c+453062626) % 2147483647) AS b2, ((((((((712970553*c+986047398)*c+656026341)*c+305698416)*c+2144627527)*c+1358167319)*c+1969862486)*c+2023595005) % 2147483647) AS b3,
  ((((((((1832410929*c+515607408)*c+872307825)*c+512510187)*c+1572092133)*c+827115265)*c+1341515075)*c+1191955192) % 2147483647) AS b4, ((((((((440023740*c+1789843104)*c+85512086)*c+748716940)*c+828250944)*c+1719596919)*c+1783190857)*c+1714556674) % 2147483647) AS b5, ((((((((1229410488*c+1140486993)*c+930223432)*c+2069346305)*c+1577410622)*c+1795527457)*c+1372741064)*c+319245571) % 2147483647) AS b6, ((((((((977490620*c+1371363093)*c+708385131)*c+1899269072)*c+929569986)*c+345679816)*c+974472240)*c+434820976) % 2147483647) AS b7
FROM (SELECT id AS c FROM range(2)) n),
signs7 AS (SELECT CAST(c AS BIGINT) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features2 CROSS JOIN components6) drawn
WHERE h < 2147483647),
sums8 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM normalised5 JOIN signs7 USING (f)
GROUP BY r, c)
SELECT r AS `doc`, f AS component, CAST(x AS DOUBLE) AS value
FROM (SELECT z.r AS r, z.f AS f, z.x AS x FROM sums8 z WHERE z.f <> 0 AND z.x <> 0.0e0
UNION ALL
SELECT s.r, 0, coalesce(z.x, 0.0e0) FROM source0 s
LEFT JOIN (SELECT r, x FROM sums8 WHERE f = 0) z ON (z.r IS NOT DISTINCT FROM s.r)
) s

-- ======== sqlserver
-- 19 statements: run them in this order in one session. Statement 10 returns the rows.
SELECT * INTO #sqlrp_temporary_0 FROM (SELECT r, r AS c0 FROM (SELECT [doc] AS r FROM [counts] GROUP BY [doc]) s) s;
SELECT * INTO #sqlrp_temporary_1 FROM (SELECT [doc] AS r, CASE WHEN [feature] BETWEEN 0 AND 3 THEN [feature] WHEN [feature] IS NOT NULL THEN CAST(CONCAT('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features', LEFT(CAST(NEWID() AS VARCHAR(36)), 0)) AS BIGINT) END AS f, CAST([value] AS FLOAT) AS x FROM [counts]) s;
SELECT * INTO #sqlrp_temporary_2 FROM (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) s;
SELECT * INTO #sqlrp_temporary_3 FROM (SELECT c.r AS r, c.f AS f, c.x * coalesce(t.w, 2.79175947) AS x FROM (SELECT * FROM #sqlrp_temporary_1) c LEFT JOIN (SELECT f, w FROM (VALUES (0, 2.09861229), (1, 1.69314718), (2, 1.40546511), (3, 1.18232156)) AS listed(f, w)) t ON t.f = c.f) s;
SELECT * INTO #sqlrp_temporary_4 FROM (SELECT r, f, SUM(x) AS x FROM #sqlrp_temporary_3 GROUP BY r, f) s;
SELECT * INTO #sqlrp_temporary_5 FROM (SELECT r, f, x/CASE WHEN n = 0 THEN 1 ELSE n END AS x FROM (SELECT r, f, x, sqrt(SUM(x*x) OVER (PARTITION BY r)) AS n FROM #sqlrp_temporary_4) s) s;
SELECT * INTO #sqlrp_temporary_6 FROM (SELECT c, ((((((((1207422803*c+1554021005)*c+940132630)*c+1202754055)*c+1339085487)*c+308160061)*c+1073599193)*c+1496043970) % 2147483647) AS b0, ((((((((695715121*c+1050305301)*c+1174479125)*c+77190952)*c+1559899810)*c+98088592)*c+1491132665)*c+1612041911) % 2147483647) AS b1, ((((((((266018135*c+1347893375)*c+857912869)*c+222066450)*c+569881106)*c+1978271943)*c+144005368)*c+453062626) % 2147483647) AS b2, ((((((((712970553*c+986047398)*c+656026341)*c+305698416)*c+2144627527)*c+1358167319)*c+1969862486)*c+2023595005) % 2147483647) AS b3,
  ((((((((1832410929*c+515607408)*c+872307825)*c+512510187)*c+1572092133)*c+827115265)*c+1341515075)*c+1191955192) % 2147483647) AS b4, ((((((((440023740*c+1789843104)*c+85512086)*c+748716940)*c+828250944)*c+1719596919)*c+1783190857)*c+1714556674) % 2147483647) AS b5, ((((((((1229410488*c+1140486993)*c+930223432)*c+2069346305)*c+1577410622)*c+1795527457)*c+1372741064)*c+319245571) % 2147483647) AS b6, ((((((((977490620*c+1371363093)*c+708385131)*c+1899269072)*c+929569986)*c+345679816)*c+974472240)*c+434820976) % 2147483647) AS b7
FROM (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS c FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2) n) s;
SELECT * INTO #sqlrp_temporary_7 FROM (SELECT CAST(c AS BIGINT) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM #sqlrp_temporary_2 CROSS JOIN #sqlrp_temporary_6) drawn
WHERE h < 2147483647) s;
SELECT * INTO #sqlrp_temporary_8 FROM (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM #sqlrp_temporary_5 JOIN #sqlrp_temporary_7 ON #sqlrp_temporary_5.f = #sqlrp_temporary_7.f
GROUP BY r, c) s;
SELECT r AS [doc], f AS component, CAST(x AS FLOAT) AS value
FROM (SELECT z.r AS r, z.f AS f, z.x AS x FROM #sqlrp_temporary_8 z WHERE z.f <> 0 AND z.x <> 0.0e0
UNION ALL
SELECT s.r, 0, coalesce(z.x, 0.0e0) FROM #sqlrp_temporary_0 s
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
cells3 AS (SELECT c.r AS r, c.f AS f, c.x * coalesce(t.w, CAST(2.79175947 AS BINARY_DOUBLE)) AS x FROM (SELECT * FROM cells1) c LEFT JOIN (SELECT f, w FROM (SELECT 0 AS f, CAST(2.09861229 AS BINARY_DOUBLE) AS w FROM dual UNION ALL SELECT 1 AS f, CAST(1.69314718 AS BINARY_DOUBLE) AS w FROM dual UNION ALL SELECT 2 AS f, CAST(1.40546511 AS BINARY_DOUBLE) AS w FROM dual UNION ALL SELECT 3 AS f, CAST(1.18232156 AS BINARY_DOUBLE) AS w FROM dual) s) t ON t.f = c.f),
cells4 AS (SELECT r, f, SUM(x) AS x FROM cells3 GROUP BY r, f),
normalised5 AS (SELECT r, f, x/CASE WHEN n = 0 THEN 1 ELSE n END AS x FROM (SELECT r, f, x, sqrt(SUM(x*x) OVER (PARTITION BY r)) AS n FROM cells4) s),
components6 AS (SELECT c, MOD((((((((1207422803*c+1554021005)*c+940132630)*c+1202754055)*c+1339085487)*c+308160061)*c+1073599193)*c+1496043970), 2147483647) AS b0, MOD((((((((695715121*c+1050305301)*c+1174479125)*c+77190952)*c+1559899810)*c+98088592)*c+1491132665)*c+1612041911), 2147483647) AS b1, MOD((((((((266018135*c+1347893375)*c+857912869)*c+222066450)*c+569881106)*c+1978271943)*c+144005368)*c+453062626), 2147483647) AS b2, MOD((((((((712970553*c+986047398)*c+656026341)*c+305698416)*c+2144627527)*c+1358167319)*c+1969862486)*c+2023595005), 2147483647) AS b3,
  MOD((((((((1832410929*c+515607408)*c+872307825)*c+512510187)*c+1572092133)*c+827115265)*c+1341515075)*c+1191955192), 2147483647) AS b4, MOD((((((((440023740*c+1789843104)*c+85512086)*c+748716940)*c+828250944)*c+1719596919)*c+1783190857)*c+1714556674), 2147483647) AS b5, MOD((((((((1229410488*c+1140486993)*c+930223432)*c+2069346305)*c+1577410622)*c+1795527457)*c+1372741064)*c+319245571), 2147483647) AS b6, MOD((((((((977490620*c+1371363093)*c+708385131)*c+1899269072)*c+929569986)*c+345679816)*c+974472240)*c+434820976), 2147483647) AS b7
FROM (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS NUMBER(19)) AS c FROM (SELECT 0 AS d FROM dual UNION ALL SELECT 1 FROM dual UNION ALL SELECT 2 FROM dual UNION ALL SELECT 3 FROM dual UNION ALL SELECT 4 FROM dual UNION ALL SELECT 5 FROM dual UNION ALL SELECT 6 FROM dual UNION ALL SELECT 7 FROM dual UNION ALL SELECT 8 FROM dual UNION ALL SELECT 9 FROM dual) d0 WHERE 1 * d0.d < 2) n),
signs7 AS (SELECT CAST(c AS NUMBER(19)) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, MOD((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0), 2147483647) AS h FROM features2 CROSS JOIN components6) drawn
WHERE h < 2147483647),
sums8 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE CAST(0.0e0 AS BINARY_DOUBLE) - x END) AS x
FROM normalised5 JOIN signs7 USING (f)
GROUP BY r, c)
SELECT r AS "doc", f AS component, CAST(x AS BINARY_DOUBLE) AS value
FROM (SELECT z.r AS r, z.f AS f, z.x AS x FROM sums8 z WHERE z.f <> 0 AND z.x <> CAST(0.0e0 AS BINARY_DOUBLE)
UNION ALL
SELECT s.r, 0, coalesce(z.x, CAST(0.0e0 AS BINARY_DOUBLE)) FROM source0 s
LEFT JOIN (SELECT r, x FROM sums8 WHERE f = 0) z ON (z.r = s.r OR (z.r IS NULL AND s.r IS NULL))
) s

-- ======== generic
WITH source0 AS (SELECT r, r AS c0, CASE WHEN counted = present THEN 0 END AS ok FROM (SELECT "doc" AS r, count(*) AS counted, count(CASE WHEN "feature" BETWEEN 0 AND 3 OR "feature" IS NULL THEN 0 END) AS present FROM "counts" GROUP BY "doc") s),
cells1 AS (SELECT "doc" AS r, CASE WHEN "feature" BETWEEN 0 AND 3 THEN "feature" END AS f, CAST("value" AS DOUBLE PRECISION) AS x FROM "counts"),
features2 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 AS d UNION ALL SELECT 2 AS d UNION ALL SELECT 3 AS d UNION ALL SELECT 4 AS d UNION ALL SELECT 5 AS d UNION ALL SELECT 6 AS d UNION ALL SELECT 7 AS d UNION ALL SELECT 8 AS d UNION ALL SELECT 9 AS d) d0 WHERE 1 * d0.d < 4),
cells3 AS (SELECT c.r AS r, c.f AS f, c.x * coalesce(t.w, 2.79175947) AS x FROM (SELECT * FROM cells1) c LEFT JOIN (SELECT f, w FROM (SELECT 0 AS f, 2.09861229 AS w UNION ALL SELECT 1 AS f, 1.69314718 AS w UNION ALL SELECT 2 AS f, 1.40546511 AS w UNION ALL SELECT 3 AS f, 1.18232156 AS w) s) t ON t.f = c.f),
cells4 AS (SELECT r, f, SUM(x) AS x FROM cells3 GROUP BY r, f),
normalised5 AS (SELECT r, f, x/CASE WHEN n = 0 THEN 1 ELSE n END AS x FROM (SELECT r, f, x, sqrt(SUM(x*x) OVER (PARTITION BY r)) AS n FROM cells4) s),
components6 AS (SELECT c, MOD((((((((1207422803*c+1554021005)*c+940132630)*c+1202754055)*c+1339085487)*c+308160061)*c+1073599193)*c+1496043970), 2147483647) AS b0, MOD((((((((695715121*c+1050305301)*c+1174479125)*c+77190952)*c+1559899810)*c+98088592)*c+1491132665)*c+1612041911), 2147483647) AS b1, MOD((((((((266018135*c+1347893375)*c+857912869)*c+222066450)*c+569881106)*c+1978271943)*c+144005368)*c+453062626), 2147483647) AS b2, MOD((((((((712970553*c+986047398)*c+656026341)*c+305698416)*c+2144627527)*c+1358167319)*c+1969862486)*c+2023595005), 2147483647) AS b3,
  MOD((((((((1832410929*c+515607408)*c+872307825)*c+512510187)*c+1572092133)*c+827115265)*c+1341515075)*c+1191955192), 2147483647) AS b4, MOD((((((((440023740*c+1789843104)*c+85512086)*c+748716940)*c+828250944)*c+1719596919)*c+1783190857)*c+1714556674), 2147483647) AS b5, MOD((((((((1229410488*c+1140486993)*c+930223432)*c+2069346305)*c+1577410622)*c+1795527457)*c+1372741064)*c+319245571), 2147483647) AS b6, MOD((((((((977490620*c+1371363093)*c+708385131)*c+1899269072)*c+929569986)*c+345679816)*c+974472240)*c+434820976), 2147483647) AS b7
FROM (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS c FROM (SELECT 0 AS d UNION ALL SELECT 1 AS d UNION ALL SELECT 2 AS d UNION ALL SELECT 3 AS d UNION ALL SELECT 4 AS d UNION ALL SELECT 5 AS d UNION ALL SELECT 6 AS d UNION ALL SELECT 7 AS d UNION ALL SELECT 8 AS d UNION ALL SELECT 9 AS d) d0 WHERE 1 * d0.d < 2) n),
signs7 AS (SELECT CAST(c AS BIGINT) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, MOD((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0), 2147483647) AS h FROM features2 CROSS JOIN components6) drawn
WHERE h < 2147483647),
sums8 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM normalised5 JOIN signs7 USING (f)
GROUP BY r, c),
outputs9 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 AS d UNION ALL SELECT 2 AS d UNION ALL SELECT 3 AS d UNION ALL SELECT 4 AS d UNION ALL SELECT 5 AS d UNION ALL SELECT 6 AS d UNION ALL SELECT 7 AS d UNION ALL SELECT 8 AS d UNION ALL SELECT 9 AS d) d0 WHERE 1 * d0.d < 2)
SELECT r AS "doc", f AS "component", CAST(x AS DOUBLE PRECISION) AS value
FROM (SELECT z.r AS r, z.f AS f, z.x AS x FROM sums8 z WHERE z.f <> 0 AND z.x <> 0.0e0 AND NOT EXISTS (SELECT 1 FROM source0 s WHERE (s.r IS NOT DISTINCT FROM z.r) AND s.ok IS NULL)
UNION ALL
SELECT s.r, 0, coalesce(z.x, 0.0e0)+0*s.ok FROM source0 s
LEFT JOIN (SELECT r, x FROM sums8 WHERE f = 0) z ON (z.r IS NOT DISTINCT FROM s.r)
UNION ALL
SELECT s.r, n.f, 0.0e0+0*s.ok FROM source0 s CROSS JOIN outputs9 n WHERE s.ok IS NULL AND n.f <> 0) s
