-- sqlrp.gradient_sql

-- ======== duckdb
WITH source0 AS MATERIALIZED (SELECT "image" AS c0, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0.707106781 END AS ok, row_number() OVER () AS r, [CAST("a" AS DOUBLE), CAST("b" AS DOUBLE), CAST("it's c" AS DOUBLE), CAST("d ""quoted""" AS DOUBLE)] AS x FROM "descriptors"),
cells1 AS MATERIALIZED (SELECT r, unnest(range(len(x))) AS f, unnest(x) AS x FROM source0),
features2 AS MATERIALIZED (SELECT CAST(range AS BIGINT) AS f FROM range(4)),
components3 AS MATERIALIZED (SELECT c, ((((((((1207422803*c+1554021005)*c+940132630)*c+1202754055)*c+1339085487)*c+308160061)*c+1073599193)*c+1496043970) % 2147483647) AS b0, ((((((((695715121*c+1050305301)*c+1174479125)*c+77190952)*c+1559899810)*c+98088592)*c+1491132665)*c+1612041911) % 2147483647) AS b1, ((((((((266018135*c+1347893375)*c+857912869)*c+222066450)*c+569881106)*c+1978271943)*c+144005368)*c+453062626) % 2147483647) AS b2, ((((((((712970553*c+986047398)*c+656026341)*c+305698416)*c+2144627527)*c+1358167319)*c+1969862486)*c+2023595005) % 2147483647) AS b3,
  ((((((((1832410929*c+515607408)*c+872307825)*c+512510187)*c+1572092133)*c+827115265)*c+1341515075)*c+1191955192) % 2147483647) AS b4, ((((((((440023740*c+1789843104)*c+85512086)*c+748716940)*c+828250944)*c+1719596919)*c+1783190857)*c+1714556674) % 2147483647) AS b5, ((((((((1229410488*c+1140486993)*c+930223432)*c+2069346305)*c+1577410622)*c+1795527457)*c+1372741064)*c+319245571) % 2147483647) AS b6, ((((((((977490620*c+1371363093)*c+708385131)*c+1899269072)*c+929569986)*c+345679816)*c+974472240)*c+434820976) % 2147483647) AS b7
FROM (SELECT CAST(range AS BIGINT) AS c FROM range(4)) n),
signs4 AS MATERIALIZED (SELECT CAST(c AS INTEGER) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features2 CROSS JOIN components3) drawn
WHERE h < 2147483647),
sums5 AS MATERIALIZED (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM cells1 JOIN signs4 USING (f)
GROUP BY r, c),
index_table6 AS MATERIALIZED (SELECT unnest(CAST(string_split(concat('0,1', t), ',') AS BIGINT[])) AS c, unnest(CAST(string_split(concat('3,2', t), ',') AS BIGINT[])) AS v0, unnest(CAST(string_split(concat('0,1', t), ',') AS BIGINT[])) AS v1 FROM (VALUES ('')) v(t)),
derived7 AS MATERIALIZED (SELECT r, f, SUM(x) AS x FROM (
  SELECT k.r AS r, i.v0 AS f, CAST(u."value" AS DOUBLE) * k.x AS x FROM sums5 k JOIN index_table6 i ON k.f = i.v1
  JOIN source0 s ON s.r = k.r JOIN "upstream" u ON (s.c0 IS NOT DISTINCT FROM u."image") AND u."component" = i.c
  UNION ALL
  SELECT k.r, i.v1, CAST(u."value" AS DOUBLE) * k.x FROM sums5 k JOIN index_table6 i ON k.f = i.v0
  JOIN source0 s ON s.r = k.r JOIN "upstream" u ON (s.c0 IS NOT DISTINCT FROM u."image") AND u."component" = i.c
) derived GROUP BY r, f),
gradient8 AS MATERIALIZED (SELECT k.r AS r, signs.f AS f, SUM(CASE WHEN signs.sign > 0 THEN k.x ELSE 0 - k.x END) AS x
FROM derived7 k JOIN signs4 signs ON signs.c = k.f GROUP BY k.r, signs.f)
SELECT c0 AS "image", feature, value
FROM (SELECT s.c0, e.f AS feature, 0.707106781*coalesce(g.x, 0.0e0)+0*s.ok AS value FROM source0 s CROSS JOIN features2 e LEFT JOIN gradient8 g ON g.r = s.r AND g.f = e.f) s

-- ======== postgresql
WITH source0 AS MATERIALIZED (SELECT "image" AS c0, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN CAST('0.707106781' AS double precision) END AS ok, row_number() OVER () AS r, ARRAY[CAST("a" AS double precision),CAST("b" AS double precision),CAST("it's c" AS double precision),CAST("d ""quoted""" AS double precision)] AS x FROM "descriptors"),
cells1 AS MATERIALIZED (SELECT r, o - 1 AS f, e AS x
FROM source0, unnest(x) WITH ORDINALITY AS u(e, o)),
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
index_table6 AS MATERIALIZED (SELECT unnest(CAST('{0,1}' AS bigint[])) AS c, unnest(CAST('{3,2}' AS bigint[])) AS v0, unnest(CAST('{0,1}' AS bigint[])) AS v1),
derived7 AS MATERIALIZED (SELECT r, f, SUM(x) AS x FROM (
  SELECT k.r AS r, i.v0 AS f, CAST(u."value" AS double precision) * k.x AS x FROM sums5 k JOIN index_table6 i ON k.f = i.v1
  JOIN source0 s ON s.r = k.r JOIN "upstream" u ON ARRAY[s.c0] = ARRAY[u."image"] AND u."component" = i.c
  UNION ALL
  SELECT k.r, i.v1, CAST(u."value" AS double precision) * k.x FROM sums5 k JOIN index_table6 i ON k.f = i.v0
  JOIN source0 s ON s.r = k.r JOIN "upstream" u ON ARRAY[s.c0] = ARRAY[u."image"] AND u."component" = i.c
) derived GROUP BY r, f),
gradient8 AS MATERIALIZED (SELECT k.r AS r, signs.f AS f, SUM(CASE WHEN signs.sign > 0 THEN k.x ELSE 0 - k.x END) AS x
FROM derived7 k JOIN signs4 signs ON signs.c = k.f GROUP BY k.r, signs.f)
SELECT c0 AS "image", feature, value
FROM (SELECT s.c0, e.f AS feature, CAST('0.707106781' AS double precision)*coalesce(g.x, CAST('0.0' AS double precision))+0*s.ok AS value FROM source0 s CROSS JOIN features2 e LEFT JOIN gradient8 g ON g.r = s.r AND g.f = e.f) s

-- ======== sqlite
WITH source0 AS MATERIALIZED (SELECT `image` AS c0, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0.707106781 END AS ok, row_number() OVER () AS r, CASE WHEN `a` >= '' THEN json_type('{}', 'sqlrp: a feature in `a` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`a` AS REAL) END AS x0, CASE WHEN `b` >= '' THEN json_type('{}', 'sqlrp: a feature in `b` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`b` AS REAL) END AS x1, CASE WHEN `it's c` >= '' THEN json_type('{}', 'sqlrp: a feature in `it''s c` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`it's c` AS REAL) END AS x2, CASE WHEN `d "quoted"` >= '' THEN json_type('{}', 'sqlrp: a feature in `d "quoted"` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`d "quoted"` AS REAL) END AS x3 FROM `descriptors`),
cells1 AS MATERIALIZED (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM source0 CROSS JOIN (WITH RECURSIVE counted AS (SELECT 0 AS n UNION ALL SELECT n + 1 FROM counted WHERE n < 3) SELECT n FROM counted) counted),
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
index_table6 AS MATERIALIZED (SELECT CAST(json_extract(value, '$[0]') AS INTEGER) AS c, CAST(json_extract(value, '$[1]') AS INTEGER) AS v0, CAST(json_extract(value, '$[2]') AS INTEGER) AS v1 FROM json_each('[[0,3,0],[1,2,1]]')),
derived7 AS MATERIALIZED (SELECT r, f, SUM(x) AS x FROM (
  SELECT k.r AS r, i.v0 AS f, CAST(u.`value` AS REAL) * k.x AS x FROM sums5 k JOIN index_table6 i ON k.f = i.v1
  JOIN source0 s ON s.r = k.r JOIN `upstream` u ON (s.c0 IS u.`image`) AND u.`component` = i.c
  UNION ALL
  SELECT k.r, i.v1, CAST(u.`value` AS REAL) * k.x FROM sums5 k JOIN index_table6 i ON k.f = i.v0
  JOIN source0 s ON s.r = k.r JOIN `upstream` u ON (s.c0 IS u.`image`) AND u.`component` = i.c
) derived GROUP BY r, f),
gradient8 AS MATERIALIZED (SELECT k.r AS r, signs.f AS f, SUM(CASE WHEN signs.sign > 0 THEN k.x ELSE 0 - k.x END) AS x
FROM derived7 k JOIN signs4 signs ON signs.c = k.f GROUP BY k.r, signs.f)
SELECT c0 AS `image`, feature, value
FROM (SELECT s.c0, e.f AS feature, 0.707106781*coalesce(g.x, 0.0e0)+0*s.ok AS value FROM source0 s CROSS JOIN features2 e LEFT JOIN gradient8 g ON g.r = s.r AND g.f = e.f) s

-- ======== mariadb
-- 3 statements: run them in this order in one session. Statement 2 returns the rows.
CREATE TEMPORARY TABLE sqlrp_temporary_0 (KEY (r)) ENGINE=Aria AS SELECT `image` AS c0, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0.707106781 END AS ok, row_number() OVER () AS r, CAST(`a` AS DOUBLE) AS x0, CAST(`b` AS DOUBLE) AS x1, CAST(`it's c` AS DOUBLE) AS x2, CAST(`d "quoted"` AS DOUBLE) AS x3 FROM `descriptors`;
WITH cells0 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM sqlrp_temporary_0 CROSS JOIN (SELECT CAST(seq AS SIGNED) AS n FROM seq_0_to_3) counted LIMIT 18446744073709551615),
features1 AS (SELECT CAST(seq AS SIGNED) AS f FROM seq_0_to_3 LIMIT 18446744073709551615),
components2 AS (SELECT c, ((((((((1207422803*c+1554021005)*c+940132630)*c+1202754055)*c+1339085487)*c+308160061)*c+1073599193)*c+1496043970) % 2147483647) AS b0, ((((((((695715121*c+1050305301)*c+1174479125)*c+77190952)*c+1559899810)*c+98088592)*c+1491132665)*c+1612041911) % 2147483647) AS b1, ((((((((266018135*c+1347893375)*c+857912869)*c+222066450)*c+569881106)*c+1978271943)*c+144005368)*c+453062626) % 2147483647) AS b2, ((((((((712970553*c+986047398)*c+656026341)*c+305698416)*c+2144627527)*c+1358167319)*c+1969862486)*c+2023595005) % 2147483647) AS b3,
  ((((((((1832410929*c+515607408)*c+872307825)*c+512510187)*c+1572092133)*c+827115265)*c+1341515075)*c+1191955192) % 2147483647) AS b4, ((((((((440023740*c+1789843104)*c+85512086)*c+748716940)*c+828250944)*c+1719596919)*c+1783190857)*c+1714556674) % 2147483647) AS b5, ((((((((1229410488*c+1140486993)*c+930223432)*c+2069346305)*c+1577410622)*c+1795527457)*c+1372741064)*c+319245571) % 2147483647) AS b6, ((((((((977490620*c+1371363093)*c+708385131)*c+1899269072)*c+929569986)*c+345679816)*c+974472240)*c+434820976) % 2147483647) AS b7
FROM (SELECT CAST(seq AS SIGNED) AS c FROM seq_0_to_3) n LIMIT 18446744073709551615),
signs3 AS (SELECT CAST(c AS SIGNED) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features1 CROSS JOIN components2 LIMIT 18446744073709551615) drawn
WHERE h < 2147483647 LIMIT 18446744073709551615),
sums4 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM cells0 JOIN signs3 USING (f)
GROUP BY r, c LIMIT 18446744073709551615),
index_table5 AS (SELECT c, v0, v1 FROM JSON_TABLE('[[0,3,0],[1,2,1]]', '$[*]' COLUMNS (c BIGINT PATH '$[0]', v0 BIGINT PATH '$[1]', v1 BIGINT PATH '$[2]')) listed LIMIT 18446744073709551615),
derived6 AS (SELECT r, f, SUM(x) AS x FROM (
  SELECT k.r AS r, i.v0 AS f, CAST(u.`value` AS DOUBLE) * k.x AS x FROM sums4 k JOIN index_table5 i ON k.f = i.v1
  JOIN sqlrp_temporary_0 s ON s.r = k.r JOIN `upstream` u ON (s.c0 <=> u.`image`) AND u.`component` = i.c
  UNION ALL
  SELECT k.r, i.v1, CAST(u.`value` AS DOUBLE) * k.x FROM sums4 k JOIN index_table5 i ON k.f = i.v0
  JOIN sqlrp_temporary_0 s ON s.r = k.r JOIN `upstream` u ON (s.c0 <=> u.`image`) AND u.`component` = i.c
) derived GROUP BY r, f LIMIT 18446744073709551615),
gradient7 AS (SELECT k.r AS r, signs.f AS f, SUM(CASE WHEN signs.sign > 0 THEN k.x ELSE 0 - k.x END) AS x
FROM derived6 k JOIN signs3 signs ON signs.c = k.f GROUP BY k.r, signs.f LIMIT 18446744073709551615)
SELECT c0 AS `image`, feature, value
FROM (SELECT s.c0, e.f AS feature, 0.707106781*coalesce(g.x, 0.0e0)+0*s.ok AS value FROM sqlrp_temporary_0 s CROSS JOIN features1 e LEFT JOIN gradient7 g ON g.r = s.r AND g.f = e.f) s;
DROP TEMPORARY TABLE IF EXISTS sqlrp_temporary_0;


-- ======== mysql
WITH source0 AS (SELECT `image` AS c0, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0.707106781 END AS ok, row_number() OVER () AS r, CAST(`a` AS DOUBLE) AS x0, CAST(`b` AS DOUBLE) AS x1, CAST(`it's c` AS DOUBLE) AS x2, CAST(`d "quoted"` AS DOUBLE) AS x3 FROM `descriptors`),
cells1 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM source0 CROSS JOIN (SELECT CAST(n AS SIGNED) - 1 AS n FROM JSON_TABLE(concat('[0', repeat(',0', 3), ']'), '$[*]' COLUMNS (n FOR ORDINALITY)) listed) counted),
features2 AS (SELECT CAST(n AS SIGNED) - 1 AS f FROM JSON_TABLE(concat('[0', repeat(',0', 3), ']'), '$[*]' COLUMNS (n FOR ORDINALITY)) listed),
components3 AS (SELECT c, ((((((((1207422803*c+1554021005)*c+940132630)*c+1202754055)*c+1339085487)*c+308160061)*c+1073599193)*c+1496043970) % 2147483647) AS b0, ((((((((695715121*c+1050305301)*c+1174479125)*c+77190952)*c+1559899810)*c+98088592)*c+1491132665)*c+1612041911) % 2147483647) AS b1, ((((((((266018135*c+1347893375)*c+857912869)*c+222066450)*c+569881106)*c+1978271943)*c+144005368)*c+453062626) % 2147483647) AS b2, ((((((((712970553*c+986047398)*c+656026341)*c+305698416)*c+2144627527)*c+1358167319)*c+1969862486)*c+2023595005) % 2147483647) AS b3,
  ((((((((1832410929*c+515607408)*c+872307825)*c+512510187)*c+1572092133)*c+827115265)*c+1341515075)*c+1191955192) % 2147483647) AS b4, ((((((((440023740*c+1789843104)*c+85512086)*c+748716940)*c+828250944)*c+1719596919)*c+1783190857)*c+1714556674) % 2147483647) AS b5, ((((((((1229410488*c+1140486993)*c+930223432)*c+2069346305)*c+1577410622)*c+1795527457)*c+1372741064)*c+319245571) % 2147483647) AS b6, ((((((((977490620*c+1371363093)*c+708385131)*c+1899269072)*c+929569986)*c+345679816)*c+974472240)*c+434820976) % 2147483647) AS b7
FROM (SELECT CAST(n AS SIGNED) - 1 AS c FROM JSON_TABLE(concat('[0', repeat(',0', 3), ']'), '$[*]' COLUMNS (n FOR ORDINALITY)) listed) n),
signs4 AS (SELECT CAST(c AS SIGNED) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features2 CROSS JOIN components3 LIMIT 18446744073709551615) drawn
WHERE h < 2147483647),
sums5 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM cells1 JOIN signs4 USING (f)
GROUP BY r, c),
index_table6 AS (SELECT c, v0, v1 FROM JSON_TABLE('[[0,3,0],[1,2,1]]', '$[*]' COLUMNS (c BIGINT PATH '$[0]', v0 BIGINT PATH '$[1]', v1 BIGINT PATH '$[2]')) listed),
derived7 AS (SELECT r, f, SUM(x) AS x FROM (
  SELECT k.r AS r, i.v0 AS f, CAST(u.`value` AS DOUBLE) * k.x AS x FROM sums5 k JOIN index_table6 i ON k.f = i.v1
  JOIN source0 s ON s.r = k.r JOIN `upstream` u ON (s.c0 <=> u.`image`) AND u.`component` = i.c
  UNION ALL
  SELECT k.r, i.v1, CAST(u.`value` AS DOUBLE) * k.x FROM sums5 k JOIN index_table6 i ON k.f = i.v0
  JOIN source0 s ON s.r = k.r JOIN `upstream` u ON (s.c0 <=> u.`image`) AND u.`component` = i.c
) derived GROUP BY r, f),
gradient8 AS (SELECT k.r AS r, signs.f AS f, SUM(CASE WHEN signs.sign > 0 THEN k.x ELSE 0 - k.x END) AS x
FROM derived7 k JOIN signs4 signs ON signs.c = k.f GROUP BY k.r, signs.f)
SELECT c0 AS `image`, feature, value
FROM (SELECT s.c0, e.f AS feature, 0.707106781*coalesce(g.x, 0.0e0)+0*s.ok AS value FROM source0 s CROSS JOIN features2 e LEFT JOIN gradient8 g ON g.r = s.r AND g.f = e.f) s

-- ======== clickhouse
-- 19 statements: run them in this order in one session. Statement 10 returns the rows.
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_0 ENGINE = Memory AS SELECT `image` AS c0, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0.707106781 END AS ok, toInt64(row_number() OVER ()) AS r, [CAST(`a` AS Float64),CAST(`b` AS Float64),CAST(`it's c` AS Float64),CAST(`d "quoted"` AS Float64)] AS x FROM `descriptors`
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_1 ENGINE = Memory AS SELECT r, toInt64(o) - 1 AS f, e AS x
FROM sqlrp_temporary_0 ARRAY JOIN x AS e, arrayEnumerate(x) AS o
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
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_5 ENGINE = Memory AS SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM sqlrp_temporary_1 JOIN sqlrp_temporary_4 USING (f)
GROUP BY r, c
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_6 ENGINE = Memory AS SELECT c, v0, v1 FROM (SELECT CAST('[0, 1]' AS Array(Int64)) AS c, CAST('[3, 2]' AS Array(Int64)) AS v0, CAST('[0, 1]' AS Array(Int64)) AS v1) s ARRAY JOIN c, v0, v1
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_7 ENGINE = Memory AS SELECT r, f, SUM(x) AS x FROM (
  SELECT k.r AS r, i.v0 AS f, CAST(u.`value` AS Float64) * k.x AS x FROM sqlrp_temporary_5 k JOIN sqlrp_temporary_6 i ON k.f = i.v1
  JOIN sqlrp_temporary_0 s ON s.r = k.r JOIN `upstream` u ON (s.c0 IS NOT DISTINCT FROM u.`image`) AND u.`component` = i.c
  UNION ALL
  SELECT k.r, i.v1, CAST(u.`value` AS Float64) * k.x FROM sqlrp_temporary_5 k JOIN sqlrp_temporary_6 i ON k.f = i.v0
  JOIN sqlrp_temporary_0 s ON s.r = k.r JOIN `upstream` u ON (s.c0 IS NOT DISTINCT FROM u.`image`) AND u.`component` = i.c
) derived GROUP BY r, f
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_8 ENGINE = Memory AS SELECT k.r AS r, signs.f AS f, SUM(CASE WHEN signs.sign > 0 THEN k.x ELSE 0 - k.x END) AS x
FROM sqlrp_temporary_7 k JOIN sqlrp_temporary_4 signs ON signs.c = k.f GROUP BY k.r, signs.f
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
SELECT c0 AS `image`, feature, value
FROM (SELECT s.c0, e.f AS feature, 0.707106781*coalesce(g.x, 0.0e0)+0*s.ok AS value FROM sqlrp_temporary_0 s CROSS JOIN sqlrp_temporary_2 e LEFT JOIN sqlrp_temporary_8 g ON g.r = s.r AND g.f = e.f) s;
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
WITH source0 AS (SELECT `image` AS c0, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0.707106781 END AS ok, (monotonically_increasing_id() + 1) AS r, array(CAST(`a` AS DOUBLE),CAST(`b` AS DOUBLE),CAST(`it's c` AS DOUBLE),CAST(`d "quoted"` AS DOUBLE)) AS x FROM `descriptors`),
cells1 AS (SELECT r, CAST(o AS BIGINT) AS f, e AS x
FROM source0 LATERAL VIEW posexplode(x) u AS o, e),
features2 AS (SELECT id AS f FROM range(4)),
components3 AS (SELECT c, ((((((((1207422803*c+1554021005)*c+940132630)*c+1202754055)*c+1339085487)*c+308160061)*c+1073599193)*c+1496043970) % 2147483647) AS b0, ((((((((695715121*c+1050305301)*c+1174479125)*c+77190952)*c+1559899810)*c+98088592)*c+1491132665)*c+1612041911) % 2147483647) AS b1, ((((((((266018135*c+1347893375)*c+857912869)*c+222066450)*c+569881106)*c+1978271943)*c+144005368)*c+453062626) % 2147483647) AS b2, ((((((((712970553*c+986047398)*c+656026341)*c+305698416)*c+2144627527)*c+1358167319)*c+1969862486)*c+2023595005) % 2147483647) AS b3,
  ((((((((1832410929*c+515607408)*c+872307825)*c+512510187)*c+1572092133)*c+827115265)*c+1341515075)*c+1191955192) % 2147483647) AS b4, ((((((((440023740*c+1789843104)*c+85512086)*c+748716940)*c+828250944)*c+1719596919)*c+1783190857)*c+1714556674) % 2147483647) AS b5, ((((((((1229410488*c+1140486993)*c+930223432)*c+2069346305)*c+1577410622)*c+1795527457)*c+1372741064)*c+319245571) % 2147483647) AS b6, ((((((((977490620*c+1371363093)*c+708385131)*c+1899269072)*c+929569986)*c+345679816)*c+974472240)*c+434820976) % 2147483647) AS b7
FROM (SELECT id AS c FROM range(4)) n),
signs4 AS (SELECT CAST(c AS INT) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features2 CROSS JOIN components3) drawn
WHERE h < 2147483647),
sums5 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM cells1 JOIN signs4 USING (f)
GROUP BY r, c),
index_table6 AS (SELECT inline(arrays_zip(from_json('[0, 1]', 'ARRAY<BIGINT>'), from_json('[3, 2]', 'ARRAY<BIGINT>'), from_json('[0, 1]', 'ARRAY<BIGINT>'))) AS (c, v0, v1)),
derived7 AS (SELECT r, f, SUM(x) AS x FROM (
  SELECT k.r AS r, i.v0 AS f, CAST(u.`value` AS DOUBLE) * k.x AS x FROM sums5 k JOIN index_table6 i ON k.f = i.v1
  JOIN source0 s ON s.r = k.r JOIN `upstream` u ON (s.c0 <=> u.`image`) AND u.`component` = i.c
  UNION ALL
  SELECT k.r, i.v1, CAST(u.`value` AS DOUBLE) * k.x FROM sums5 k JOIN index_table6 i ON k.f = i.v0
  JOIN source0 s ON s.r = k.r JOIN `upstream` u ON (s.c0 <=> u.`image`) AND u.`component` = i.c
) derived GROUP BY r, f),
gradient8 AS (SELECT k.r AS r, signs.f AS f, SUM(CASE WHEN signs.sign > 0 THEN k.x ELSE 0 - k.x END) AS x
FROM derived7 k JOIN signs4 signs ON signs.c = k.f GROUP BY k.r, signs.f)
SELECT c0 AS `image`, feature, value
FROM (SELECT s.c0, e.f AS feature, 0.707106781*coalesce(g.x, 0.0e0)+0*s.ok AS value FROM source0 s CROSS JOIN features2 e LEFT JOIN gradient8 g ON g.r = s.r AND g.f = e.f) s

-- ======== snowflake
-- 3 statements: run them in this order in one session. Statement 2 returns the rows.
CREATE TEMPORARY TABLE sqlrp_temporary_0 AS SELECT "image" AS c0, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0.707106781 END AS ok, row_number() OVER (ORDER BY NULL) AS r, CAST("a" AS DOUBLE) AS x0, CAST("b" AS DOUBLE) AS x1, CAST("it's c" AS DOUBLE) AS x2, CAST("d ""quoted""" AS DOUBLE) AS x3 FROM "descriptors";
WITH cells0 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM sqlrp_temporary_0 CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) counted),
features1 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
components2 AS (SELECT c, ((((((((1207422803*c+1554021005)*c+940132630)*c+1202754055)*c+1339085487)*c+308160061)*c+1073599193)*c+1496043970) % 2147483647) AS b0, ((((((((695715121*c+1050305301)*c+1174479125)*c+77190952)*c+1559899810)*c+98088592)*c+1491132665)*c+1612041911) % 2147483647) AS b1, ((((((((266018135*c+1347893375)*c+857912869)*c+222066450)*c+569881106)*c+1978271943)*c+144005368)*c+453062626) % 2147483647) AS b2, ((((((((712970553*c+986047398)*c+656026341)*c+305698416)*c+2144627527)*c+1358167319)*c+1969862486)*c+2023595005) % 2147483647) AS b3,
  ((((((((1832410929*c+515607408)*c+872307825)*c+512510187)*c+1572092133)*c+827115265)*c+1341515075)*c+1191955192) % 2147483647) AS b4, ((((((((440023740*c+1789843104)*c+85512086)*c+748716940)*c+828250944)*c+1719596919)*c+1783190857)*c+1714556674) % 2147483647) AS b5, ((((((((1229410488*c+1140486993)*c+930223432)*c+2069346305)*c+1577410622)*c+1795527457)*c+1372741064)*c+319245571) % 2147483647) AS b6, ((((((((977490620*c+1371363093)*c+708385131)*c+1899269072)*c+929569986)*c+345679816)*c+974472240)*c+434820976) % 2147483647) AS b7
FROM (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS c FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) n),
signs3 AS (SELECT CAST(c AS BIGINT) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features1 CROSS JOIN components2) drawn
WHERE h < 2147483647),
sums4 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM cells0 JOIN signs3 USING (f)
GROUP BY r, c),
index_table5 AS (SELECT c, v0, v1 FROM (VALUES (0, 3, 0), (1, 2, 1)) AS listed(c, v0, v1)),
derived6 AS (SELECT r, f, SUM(x) AS x FROM (
  SELECT k.r AS r, i.v0 AS f, CAST(u."value" AS DOUBLE) * k.x AS x FROM sums4 k JOIN index_table5 i ON k.f = i.v1
  JOIN sqlrp_temporary_0 s ON s.r = k.r JOIN "upstream" u ON (s.c0 IS NOT DISTINCT FROM u."image") AND u."component" = i.c
  UNION ALL
  SELECT k.r, i.v1, CAST(u."value" AS DOUBLE) * k.x FROM sums4 k JOIN index_table5 i ON k.f = i.v0
  JOIN sqlrp_temporary_0 s ON s.r = k.r JOIN "upstream" u ON (s.c0 IS NOT DISTINCT FROM u."image") AND u."component" = i.c
) derived GROUP BY r, f),
gradient7 AS (SELECT k.r AS r, signs.f AS f, SUM(CASE WHEN signs.sign > 0 THEN k.x ELSE 0 - k.x END) AS x
FROM derived6 k JOIN signs3 signs ON signs.c = k.f GROUP BY k.r, signs.f)
SELECT c0 AS "image", feature, value
FROM (SELECT s.c0, e.f AS feature, 0.707106781*coalesce(g.x, 0.0e0)+0*s.ok AS value FROM sqlrp_temporary_0 s CROSS JOIN features1 e LEFT JOIN gradient7 g ON g.r = s.r AND g.f = e.f) s;
DROP TABLE IF EXISTS sqlrp_temporary_0;


-- ======== bigquery
-- 2 statements: run them in this order in one session. Statement 2 returns the rows.
CREATE TEMPORARY TABLE sqlrp_temporary_0 AS SELECT `image` AS c0, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0.707106781 END AS ok, row_number() OVER () AS r, CAST(`a` AS FLOAT64) AS x0, CAST(`b` AS FLOAT64) AS x1, CAST(`it's c` AS FLOAT64) AS x2, CAST(`d "quoted"` AS FLOAT64) AS x3 FROM `descriptors`;
WITH cells0 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM sqlrp_temporary_0 CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS INT64) AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) counted),
features1 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS INT64) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
components2 AS (SELECT c, MOD((((((((1207422803*c+1554021005)*c+940132630)*c+1202754055)*c+1339085487)*c+308160061)*c+1073599193)*c+1496043970), 2147483647) AS b0, MOD((((((((695715121*c+1050305301)*c+1174479125)*c+77190952)*c+1559899810)*c+98088592)*c+1491132665)*c+1612041911), 2147483647) AS b1, MOD((((((((266018135*c+1347893375)*c+857912869)*c+222066450)*c+569881106)*c+1978271943)*c+144005368)*c+453062626), 2147483647) AS b2, MOD((((((((712970553*c+986047398)*c+656026341)*c+305698416)*c+2144627527)*c+1358167319)*c+1969862486)*c+2023595005), 2147483647) AS b3,
  MOD((((((((1832410929*c+515607408)*c+872307825)*c+512510187)*c+1572092133)*c+827115265)*c+1341515075)*c+1191955192), 2147483647) AS b4, MOD((((((((440023740*c+1789843104)*c+85512086)*c+748716940)*c+828250944)*c+1719596919)*c+1783190857)*c+1714556674), 2147483647) AS b5, MOD((((((((1229410488*c+1140486993)*c+930223432)*c+2069346305)*c+1577410622)*c+1795527457)*c+1372741064)*c+319245571), 2147483647) AS b6, MOD((((((((977490620*c+1371363093)*c+708385131)*c+1899269072)*c+929569986)*c+345679816)*c+974472240)*c+434820976), 2147483647) AS b7
FROM (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS INT64) AS c FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) n),
signs3 AS (SELECT CAST(c AS INT64) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, MOD((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0), 2147483647) AS h FROM features1 CROSS JOIN components2) drawn
WHERE h < 2147483647),
sums4 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM cells0 JOIN signs3 USING (f)
GROUP BY r, c),
index_table5 AS (SELECT c, v0, v1 FROM UNNEST([STRUCT(0 AS c, 3 AS v0, 0 AS v1), STRUCT(1, 2, 1)])),
derived6 AS (SELECT r, f, SUM(x) AS x FROM (
  SELECT k.r AS r, i.v0 AS f, CAST(u.`value` AS FLOAT64) * k.x AS x FROM sums4 k JOIN index_table5 i ON k.f = i.v1
  JOIN sqlrp_temporary_0 s ON s.r = k.r JOIN `upstream` u ON (s.c0 IS NOT DISTINCT FROM u.`image`) AND u.`component` = i.c
  UNION ALL
  SELECT k.r, i.v1, CAST(u.`value` AS FLOAT64) * k.x FROM sums4 k JOIN index_table5 i ON k.f = i.v0
  JOIN sqlrp_temporary_0 s ON s.r = k.r JOIN `upstream` u ON (s.c0 IS NOT DISTINCT FROM u.`image`) AND u.`component` = i.c
) derived GROUP BY r, f),
gradient7 AS (SELECT k.r AS r, signs.f AS f, SUM(CASE WHEN signs.sign > 0 THEN k.x ELSE 0 - k.x END) AS x
FROM derived6 k JOIN signs3 signs ON signs.c = k.f GROUP BY k.r, signs.f)
SELECT c0 AS `image`, feature, value
FROM (SELECT s.c0, e.f AS feature, 0.707106781*coalesce(g.x, 0.0e0)+0*s.ok AS value FROM sqlrp_temporary_0 s CROSS JOIN features1 e LEFT JOIN gradient7 g ON g.r = s.r AND g.f = e.f) s;


-- ======== redshift
-- 3 statements: run them in this order in one session. Statement 2 returns the rows.
CREATE TEMPORARY TABLE sqlrp_temporary_0 AS SELECT "image" AS c0, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN CAST('0.707106781' AS DOUBLE PRECISION) END AS ok, row_number() OVER () AS r, CAST("a" AS DOUBLE PRECISION) AS x0, CAST("b" AS DOUBLE PRECISION) AS x1, CAST("it's c" AS DOUBLE PRECISION) AS x2, CAST("d ""quoted""" AS DOUBLE PRECISION) AS x3 FROM "descriptors";
WITH cells0 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM sqlrp_temporary_0 CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) counted),
features1 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
components2 AS (SELECT c, ((((((((1207422803*c+1554021005)*c+940132630)*c+1202754055)*c+1339085487)*c+308160061)*c+1073599193)*c+1496043970) % 2147483647) AS b0, ((((((((695715121*c+1050305301)*c+1174479125)*c+77190952)*c+1559899810)*c+98088592)*c+1491132665)*c+1612041911) % 2147483647) AS b1, ((((((((266018135*c+1347893375)*c+857912869)*c+222066450)*c+569881106)*c+1978271943)*c+144005368)*c+453062626) % 2147483647) AS b2, ((((((((712970553*c+986047398)*c+656026341)*c+305698416)*c+2144627527)*c+1358167319)*c+1969862486)*c+2023595005) % 2147483647) AS b3,
  ((((((((1832410929*c+515607408)*c+872307825)*c+512510187)*c+1572092133)*c+827115265)*c+1341515075)*c+1191955192) % 2147483647) AS b4, ((((((((440023740*c+1789843104)*c+85512086)*c+748716940)*c+828250944)*c+1719596919)*c+1783190857)*c+1714556674) % 2147483647) AS b5, ((((((((1229410488*c+1140486993)*c+930223432)*c+2069346305)*c+1577410622)*c+1795527457)*c+1372741064)*c+319245571) % 2147483647) AS b6, ((((((((977490620*c+1371363093)*c+708385131)*c+1899269072)*c+929569986)*c+345679816)*c+974472240)*c+434820976) % 2147483647) AS b7
FROM (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS c FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) n),
signs3 AS (SELECT CAST(c AS BIGINT) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features1 CROSS JOIN components2) drawn
WHERE h < 2147483647),
sums4 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE CAST('0.0' AS DOUBLE PRECISION) - x END) AS x
FROM cells0 JOIN signs3 USING (f)
GROUP BY r, c),
index_table5 AS (SELECT 0 AS c, 3 AS v0, 0 AS v1 UNION ALL SELECT 1 AS c, 2 AS v0, 1 AS v1),
derived6 AS (SELECT r, f, SUM(x) AS x FROM (
  SELECT k.r AS r, i.v0 AS f, CAST(u."value" AS DOUBLE PRECISION) * k.x AS x FROM sums4 k JOIN index_table5 i ON k.f = i.v1
  JOIN sqlrp_temporary_0 s ON s.r = k.r JOIN "upstream" u ON (s.c0 = u."image" OR (s.c0 IS NULL AND u."image" IS NULL)) AND u."component" = i.c
  UNION ALL
  SELECT k.r, i.v1, CAST(u."value" AS DOUBLE PRECISION) * k.x FROM sums4 k JOIN index_table5 i ON k.f = i.v0
  JOIN sqlrp_temporary_0 s ON s.r = k.r JOIN "upstream" u ON (s.c0 = u."image" OR (s.c0 IS NULL AND u."image" IS NULL)) AND u."component" = i.c
) derived GROUP BY r, f),
gradient7 AS (SELECT k.r AS r, signs.f AS f, SUM(CASE WHEN signs.sign > 0 THEN k.x ELSE 0 - k.x END) AS x
FROM derived6 k JOIN signs3 signs ON signs.c = k.f GROUP BY k.r, signs.f)
SELECT c0 AS "image", feature, value
FROM (SELECT s.c0, e.f AS feature, CAST('0.707106781' AS DOUBLE PRECISION)*coalesce(g.x, CAST('0.0' AS DOUBLE PRECISION))+0*s.ok AS value FROM sqlrp_temporary_0 s CROSS JOIN features1 e LEFT JOIN gradient7 g ON g.r = s.r AND g.f = e.f) s;
DROP TABLE IF EXISTS sqlrp_temporary_0;


-- ======== databricks
-- 3 statements: run them in this order in one session. Statement 2 returns the rows.
CREATE TABLE sqlrp_temporary_0 AS SELECT `image` AS c0, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0.707106781 END AS ok, monotonically_increasing_id() AS r, CAST(`a` AS DOUBLE) AS x0, CAST(`b` AS DOUBLE) AS x1, CAST(`it's c` AS DOUBLE) AS x2, CAST(`d "quoted"` AS DOUBLE) AS x3 FROM `descriptors`;
WITH cells0 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM sqlrp_temporary_0 CROSS JOIN (SELECT id AS n FROM range(4)) counted),
features1 AS (SELECT id AS f FROM range(4)),
components2 AS (SELECT c, ((((((((1207422803*c+1554021005)*c+940132630)*c+1202754055)*c+1339085487)*c+308160061)*c+1073599193)*c+1496043970) % 2147483647) AS b0, ((((((((695715121*c+1050305301)*c+1174479125)*c+77190952)*c+1559899810)*c+98088592)*c+1491132665)*c+1612041911) % 2147483647) AS b1, ((((((((266018135*c+1347893375)*c+857912869)*c+222066450)*c+569881106)*c+1978271943)*c+144005368)*c+453062626) % 2147483647) AS b2, ((((((((712970553*c+986047398)*c+656026341)*c+305698416)*c+2144627527)*c+1358167319)*c+1969862486)*c+2023595005) % 2147483647) AS b3,
  ((((((((1832410929*c+515607408)*c+872307825)*c+512510187)*c+1572092133)*c+827115265)*c+1341515075)*c+1191955192) % 2147483647) AS b4, ((((((((440023740*c+1789843104)*c+85512086)*c+748716940)*c+828250944)*c+1719596919)*c+1783190857)*c+1714556674) % 2147483647) AS b5, ((((((((1229410488*c+1140486993)*c+930223432)*c+2069346305)*c+1577410622)*c+1795527457)*c+1372741064)*c+319245571) % 2147483647) AS b6, ((((((((977490620*c+1371363093)*c+708385131)*c+1899269072)*c+929569986)*c+345679816)*c+974472240)*c+434820976) % 2147483647) AS b7
FROM (SELECT id AS c FROM range(4)) n),
signs3 AS (SELECT CAST(c AS BIGINT) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features1 CROSS JOIN components2) drawn
WHERE h < 2147483647),
sums4 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM cells0 JOIN signs3 USING (f)
GROUP BY r, c),
index_table5 AS (SELECT c, v0, v1 FROM (VALUES (0, 3, 0), (1, 2, 1)) AS listed(c, v0, v1)),
derived6 AS (SELECT r, f, SUM(x) AS x FROM (
  SELECT k.r AS r, i.v0 AS f, CAST(u.`value` AS DOUBLE) * k.x AS x FROM sums4 k JOIN index_table5 i ON k.f = i.v1
  JOIN sqlrp_temporary_0 s ON s.r = k.r JOIN `upstream` u ON (s.c0 IS NOT DISTINCT FROM u.`image`) AND u.`component` = i.c
  UNION ALL
  SELECT k.r, i.v1, CAST(u.`value` AS DOUBLE) * k.x FROM sums4 k JOIN index_table5 i ON k.f = i.v0
  JOIN sqlrp_temporary_0 s ON s.r = k.r JOIN `upstream` u ON (s.c0 IS NOT DISTINCT FROM u.`image`) AND u.`component` = i.c
) derived GROUP BY r, f),
gradient7 AS (SELECT k.r AS r, signs.f AS f, SUM(CASE WHEN signs.sign > 0 THEN k.x ELSE 0 - k.x END) AS x
FROM derived6 k JOIN signs3 signs ON signs.c = k.f GROUP BY k.r, signs.f)
SELECT c0 AS `image`, feature, value
FROM (SELECT s.c0, e.f AS feature, 0.707106781*coalesce(g.x, 0.0e0)+0*s.ok AS value FROM sqlrp_temporary_0 s CROSS JOIN features1 e LEFT JOIN gradient7 g ON g.r = s.r AND g.f = e.f) s;
DROP TABLE IF EXISTS sqlrp_temporary_0;


-- ======== trino
-- 3 statements: run them in this order in one session. Statement 2 returns the rows.
CREATE TABLE sqlrp_temporary_0 AS SELECT "image" AS c0, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0.707106781 END AS ok, row_number() OVER () AS r, CAST("a" AS DOUBLE) AS x0, CAST("b" AS DOUBLE) AS x1, CAST("it's c" AS DOUBLE) AS x2, CAST("d ""quoted""" AS DOUBLE) AS x3 FROM "descriptors";
WITH cells0 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM sqlrp_temporary_0 CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) counted),
features1 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
components2 AS (SELECT c, ((((((((1207422803*c+1554021005)*c+940132630)*c+1202754055)*c+1339085487)*c+308160061)*c+1073599193)*c+1496043970) % 2147483647) AS b0, ((((((((695715121*c+1050305301)*c+1174479125)*c+77190952)*c+1559899810)*c+98088592)*c+1491132665)*c+1612041911) % 2147483647) AS b1, ((((((((266018135*c+1347893375)*c+857912869)*c+222066450)*c+569881106)*c+1978271943)*c+144005368)*c+453062626) % 2147483647) AS b2, ((((((((712970553*c+986047398)*c+656026341)*c+305698416)*c+2144627527)*c+1358167319)*c+1969862486)*c+2023595005) % 2147483647) AS b3,
  ((((((((1832410929*c+515607408)*c+872307825)*c+512510187)*c+1572092133)*c+827115265)*c+1341515075)*c+1191955192) % 2147483647) AS b4, ((((((((440023740*c+1789843104)*c+85512086)*c+748716940)*c+828250944)*c+1719596919)*c+1783190857)*c+1714556674) % 2147483647) AS b5, ((((((((1229410488*c+1140486993)*c+930223432)*c+2069346305)*c+1577410622)*c+1795527457)*c+1372741064)*c+319245571) % 2147483647) AS b6, ((((((((977490620*c+1371363093)*c+708385131)*c+1899269072)*c+929569986)*c+345679816)*c+974472240)*c+434820976) % 2147483647) AS b7
FROM (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS c FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) n),
signs3 AS (SELECT CAST(c AS BIGINT) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features1 CROSS JOIN components2) drawn
WHERE h < 2147483647),
sums4 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM cells0 JOIN signs3 USING (f)
GROUP BY r, c),
index_table5 AS (SELECT c, v0, v1 FROM (VALUES (0, 3, 0), (1, 2, 1)) AS listed(c, v0, v1)),
derived6 AS (SELECT r, f, SUM(x) AS x FROM (
  SELECT k.r AS r, i.v0 AS f, CAST(u."value" AS DOUBLE) * k.x AS x FROM sums4 k JOIN index_table5 i ON k.f = i.v1
  JOIN sqlrp_temporary_0 s ON s.r = k.r JOIN "upstream" u ON (s.c0 IS NOT DISTINCT FROM u."image") AND u."component" = i.c
  UNION ALL
  SELECT k.r, i.v1, CAST(u."value" AS DOUBLE) * k.x FROM sums4 k JOIN index_table5 i ON k.f = i.v0
  JOIN sqlrp_temporary_0 s ON s.r = k.r JOIN "upstream" u ON (s.c0 IS NOT DISTINCT FROM u."image") AND u."component" = i.c
) derived GROUP BY r, f),
gradient7 AS (SELECT k.r AS r, signs.f AS f, SUM(CASE WHEN signs.sign > 0 THEN k.x ELSE 0 - k.x END) AS x
FROM derived6 k JOIN signs3 signs ON signs.c = k.f GROUP BY k.r, signs.f)
SELECT c0 AS "image", feature, value
FROM (SELECT s.c0, e.f AS feature, 0.707106781*coalesce(g.x, 0.0e0)+0*s.ok AS value FROM sqlrp_temporary_0 s CROSS JOIN features1 e LEFT JOIN gradient7 g ON g.r = s.r AND g.f = e.f) s;
DROP TABLE IF EXISTS sqlrp_temporary_0;


-- ======== sqlserver
-- 19 statements: run them in this order in one session. Statement 10 returns the rows.
SELECT * INTO #sqlrp_temporary_0 FROM (SELECT [image] AS c0, CASE WHEN ([a] IS NOT NULL AND [b] IS NOT NULL AND [it's c] IS NOT NULL AND [d "quoted"] IS NOT NULL) THEN 0.707106781 END AS ok, row_number() OVER (ORDER BY (SELECT NULL)) AS r, CAST([a] AS FLOAT) AS x0, CAST([b] AS FLOAT) AS x1, CAST([it's c] AS FLOAT) AS x2, CAST([d "quoted"] AS FLOAT) AS x3 FROM [descriptors]) s;
SELECT * INTO #sqlrp_temporary_1 FROM (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM #sqlrp_temporary_0 CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS n FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) counted) s;
SELECT * INTO #sqlrp_temporary_2 FROM (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) s;
SELECT * INTO #sqlrp_temporary_3 FROM (SELECT c, ((((((((1207422803*c+1554021005)*c+940132630)*c+1202754055)*c+1339085487)*c+308160061)*c+1073599193)*c+1496043970) % 2147483647) AS b0, ((((((((695715121*c+1050305301)*c+1174479125)*c+77190952)*c+1559899810)*c+98088592)*c+1491132665)*c+1612041911) % 2147483647) AS b1, ((((((((266018135*c+1347893375)*c+857912869)*c+222066450)*c+569881106)*c+1978271943)*c+144005368)*c+453062626) % 2147483647) AS b2, ((((((((712970553*c+986047398)*c+656026341)*c+305698416)*c+2144627527)*c+1358167319)*c+1969862486)*c+2023595005) % 2147483647) AS b3,
  ((((((((1832410929*c+515607408)*c+872307825)*c+512510187)*c+1572092133)*c+827115265)*c+1341515075)*c+1191955192) % 2147483647) AS b4, ((((((((440023740*c+1789843104)*c+85512086)*c+748716940)*c+828250944)*c+1719596919)*c+1783190857)*c+1714556674) % 2147483647) AS b5, ((((((((1229410488*c+1140486993)*c+930223432)*c+2069346305)*c+1577410622)*c+1795527457)*c+1372741064)*c+319245571) % 2147483647) AS b6, ((((((((977490620*c+1371363093)*c+708385131)*c+1899269072)*c+929569986)*c+345679816)*c+974472240)*c+434820976) % 2147483647) AS b7
FROM (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS c FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) n) s;
SELECT * INTO #sqlrp_temporary_4 FROM (SELECT CAST(c AS BIGINT) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM #sqlrp_temporary_2 CROSS JOIN #sqlrp_temporary_3) drawn
WHERE h < 2147483647) s;
SELECT * INTO #sqlrp_temporary_5 FROM (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM #sqlrp_temporary_1 JOIN #sqlrp_temporary_4 ON #sqlrp_temporary_1.f = #sqlrp_temporary_4.f
GROUP BY r, c) s;
SELECT * INTO #sqlrp_temporary_6 FROM (SELECT c, v0, v1 FROM (VALUES (0, 3, 0), (1, 2, 1)) AS listed(c, v0, v1)) s;
SELECT * INTO #sqlrp_temporary_7 FROM (SELECT r, f, SUM(x) AS x FROM (
  SELECT k.r AS r, i.v0 AS f, CAST(u.[value] AS FLOAT) * k.x AS x FROM #sqlrp_temporary_5 k JOIN #sqlrp_temporary_6 i ON k.f = i.v1
  JOIN #sqlrp_temporary_0 s ON s.r = k.r JOIN [upstream] u ON EXISTS (SELECT s.c0 INTERSECT SELECT u.[image]) AND u.[component] = i.c
  UNION ALL
  SELECT k.r, i.v1, CAST(u.[value] AS FLOAT) * k.x FROM #sqlrp_temporary_5 k JOIN #sqlrp_temporary_6 i ON k.f = i.v0
  JOIN #sqlrp_temporary_0 s ON s.r = k.r JOIN [upstream] u ON EXISTS (SELECT s.c0 INTERSECT SELECT u.[image]) AND u.[component] = i.c
) derived GROUP BY r, f) s;
SELECT * INTO #sqlrp_temporary_8 FROM (SELECT k.r AS r, signs.f AS f, SUM(CASE WHEN signs.sign > 0 THEN k.x ELSE 0 - k.x END) AS x
FROM #sqlrp_temporary_7 k JOIN #sqlrp_temporary_4 signs ON signs.c = k.f GROUP BY k.r, signs.f) s;
SELECT c0 AS [image], feature, value
FROM (SELECT s.c0, e.f AS feature, 0.707106781*coalesce(g.x, 0.0e0)+0*s.ok AS value FROM #sqlrp_temporary_0 s CROSS JOIN #sqlrp_temporary_2 e LEFT JOIN #sqlrp_temporary_8 g ON g.r = s.r AND g.f = e.f) s;
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
-- SourceError: name 'd "quoted"' holds a double quote, which oracle refuses: rename

-- ======== generic
WITH source0 AS (SELECT "image" AS c0, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0.707106781 END AS ok, row_number() OVER (ORDER BY "image", "a", "b", "it's c", "d ""quoted""") AS r, CAST("a" AS DOUBLE PRECISION) AS x0, CAST("b" AS DOUBLE PRECISION) AS x1, CAST("it's c" AS DOUBLE PRECISION) AS x2, CAST("d ""quoted""" AS DOUBLE PRECISION) AS x3 FROM "descriptors"),
cells1 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM source0 CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 AS d UNION ALL SELECT 2 AS d UNION ALL SELECT 3 AS d UNION ALL SELECT 4 AS d UNION ALL SELECT 5 AS d UNION ALL SELECT 6 AS d UNION ALL SELECT 7 AS d UNION ALL SELECT 8 AS d UNION ALL SELECT 9 AS d) d0 WHERE 1 * d0.d < 4) counted),
features2 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 AS d UNION ALL SELECT 2 AS d UNION ALL SELECT 3 AS d UNION ALL SELECT 4 AS d UNION ALL SELECT 5 AS d UNION ALL SELECT 6 AS d UNION ALL SELECT 7 AS d UNION ALL SELECT 8 AS d UNION ALL SELECT 9 AS d) d0 WHERE 1 * d0.d < 4),
components3 AS (SELECT c, MOD((((((((1207422803*c+1554021005)*c+940132630)*c+1202754055)*c+1339085487)*c+308160061)*c+1073599193)*c+1496043970), 2147483647) AS b0, MOD((((((((695715121*c+1050305301)*c+1174479125)*c+77190952)*c+1559899810)*c+98088592)*c+1491132665)*c+1612041911), 2147483647) AS b1, MOD((((((((266018135*c+1347893375)*c+857912869)*c+222066450)*c+569881106)*c+1978271943)*c+144005368)*c+453062626), 2147483647) AS b2, MOD((((((((712970553*c+986047398)*c+656026341)*c+305698416)*c+2144627527)*c+1358167319)*c+1969862486)*c+2023595005), 2147483647) AS b3,
  MOD((((((((1832410929*c+515607408)*c+872307825)*c+512510187)*c+1572092133)*c+827115265)*c+1341515075)*c+1191955192), 2147483647) AS b4, MOD((((((((440023740*c+1789843104)*c+85512086)*c+748716940)*c+828250944)*c+1719596919)*c+1783190857)*c+1714556674), 2147483647) AS b5, MOD((((((((1229410488*c+1140486993)*c+930223432)*c+2069346305)*c+1577410622)*c+1795527457)*c+1372741064)*c+319245571), 2147483647) AS b6, MOD((((((((977490620*c+1371363093)*c+708385131)*c+1899269072)*c+929569986)*c+345679816)*c+974472240)*c+434820976), 2147483647) AS b7
FROM (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS c FROM (SELECT 0 AS d UNION ALL SELECT 1 AS d UNION ALL SELECT 2 AS d UNION ALL SELECT 3 AS d UNION ALL SELECT 4 AS d UNION ALL SELECT 5 AS d UNION ALL SELECT 6 AS d UNION ALL SELECT 7 AS d UNION ALL SELECT 8 AS d UNION ALL SELECT 9 AS d) d0 WHERE 1 * d0.d < 4) n),
signs4 AS (SELECT CAST(c AS BIGINT) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, MOD((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0), 2147483647) AS h FROM features2 CROSS JOIN components3) drawn
WHERE h < 2147483647),
sums5 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM cells1 JOIN signs4 USING (f)
GROUP BY r, c),
index_table6 AS (SELECT c, v0, v1 FROM (SELECT 0 AS c, 3 AS v0, 0 AS v1 UNION ALL SELECT 1 AS c, 2 AS v0, 1 AS v1) s),
derived7 AS (SELECT r, f, SUM(x) AS x FROM (
  SELECT k.r AS r, i.v0 AS f, CAST(u."value" AS DOUBLE PRECISION) * k.x AS x FROM sums5 k JOIN index_table6 i ON k.f = i.v1
  JOIN source0 s ON s.r = k.r JOIN "upstream" u ON (s.c0 IS NOT DISTINCT FROM u."image") AND u."component" = i.c
  UNION ALL
  SELECT k.r, i.v1, CAST(u."value" AS DOUBLE PRECISION) * k.x FROM sums5 k JOIN index_table6 i ON k.f = i.v0
  JOIN source0 s ON s.r = k.r JOIN "upstream" u ON (s.c0 IS NOT DISTINCT FROM u."image") AND u."component" = i.c
) derived GROUP BY r, f),
gradient8 AS (SELECT k.r AS r, signs.f AS f, SUM(CASE WHEN signs.sign > 0 THEN k.x ELSE 0 - k.x END) AS x
FROM derived7 k JOIN signs4 signs ON signs.c = k.f GROUP BY k.r, signs.f)
SELECT c0 AS "image", feature, value
FROM (SELECT s.c0, e.f AS feature, 0.707106781*coalesce(g.x, 0.0e0)+0*s.ok AS value FROM source0 s CROSS JOIN features2 e LEFT JOIN gradient8 g ON g.r = s.r AND g.f = e.f) s
