-- Chained(Scaling(k=4, state='eNoL8GZm0WWAAEWGs7y69v+hgItBhCE/La04tUQ…QiXAukiJhAPAKcOpFg=', bound_to=4), SparseProjection(k=2, s=1, seed=1), Scaling(k=2, state='eNoL8GZm0WWAAEWGL1JlJ/9DAReDCEN+Wlpxaol…IRLgXQQE4gHAGjXocI=', bound_to=2), GivenProjection(k=2, state='eNoL8GZm0WWAAEWGkCUnfvyHAm4GEYby1Mz0jJJ…sJVQDqfCcQDAIR9rE8=', bound_to=2))
-- wide rows of doubles; output = 'columns', lowering = 'relational'

-- ======== duckdb
WITH source0 AS MATERIALIZED (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 END AS ok, row_number() OVER () AS r, [(CAST("a" AS DOUBLE)-0.5e0), (CAST("b" AS DOUBLE)-1.0e0)*2.0e0, CAST("it's c" AS DOUBLE)*0.25e0, (CAST("d ""quoted""" AS DOUBLE)+1.0e0)*4.0e0] AS x FROM "shop"."images"),
cells1 AS MATERIALIZED (SELECT r, unnest(range(len(x))) AS f, unnest(x) AS x FROM source0),
features2 AS MATERIALIZED (SELECT CAST(range AS BIGINT) AS f FROM range(4)),
components3 AS MATERIALIZED (SELECT c, ((((((((1207422803*c+1554021005)*c+940132630)*c+1202754055)*c+1339085487)*c+308160061)*c+1073599193)*c+1496043970) % 2147483647) AS b0, ((((((((695715121*c+1050305301)*c+1174479125)*c+77190952)*c+1559899810)*c+98088592)*c+1491132665)*c+1612041911) % 2147483647) AS b1, ((((((((266018135*c+1347893375)*c+857912869)*c+222066450)*c+569881106)*c+1978271943)*c+144005368)*c+453062626) % 2147483647) AS b2, ((((((((712970553*c+986047398)*c+656026341)*c+305698416)*c+2144627527)*c+1358167319)*c+1969862486)*c+2023595005) % 2147483647) AS b3,
  ((((((((1832410929*c+515607408)*c+872307825)*c+512510187)*c+1572092133)*c+827115265)*c+1341515075)*c+1191955192) % 2147483647) AS b4, ((((((((440023740*c+1789843104)*c+85512086)*c+748716940)*c+828250944)*c+1719596919)*c+1783190857)*c+1714556674) % 2147483647) AS b5, ((((((((1229410488*c+1140486993)*c+930223432)*c+2069346305)*c+1577410622)*c+1795527457)*c+1372741064)*c+319245571) % 2147483647) AS b6, ((((((((977490620*c+1371363093)*c+708385131)*c+1899269072)*c+929569986)*c+345679816)*c+974472240)*c+434820976) % 2147483647) AS b7
FROM (SELECT CAST(range AS BIGINT) AS c FROM range(2)) n),
signs4 AS MATERIALIZED (SELECT CAST(c AS INTEGER) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features2 CROSS JOIN components3) drawn
WHERE h < 2147483647),
sums5 AS MATERIALIZED (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM cells1 JOIN signs4 USING (f)
GROUP BY r, c),
features6 AS MATERIALIZED (SELECT CAST(range AS BIGINT) AS f FROM range(2)),
cells7 AS MATERIALIZED (SELECT s.r AS r, e.f AS f, coalesce(CAST(k.x AS DOUBLE), 0.0e0) AS x FROM source0 s CROSS JOIN features6 e LEFT JOIN sums5 k ON k.r = s.r AND k.f = e.f),
cells8 AS MATERIALIZED (SELECT c.r AS r, c.f AS f, (c.x - t.m) * coalesce(t.w, 1.0e0) AS x FROM (SELECT * FROM cells7) c LEFT JOIN (SELECT unnest(CAST(string_split(concat('0,1', t), ',') AS BIGINT[])) AS f, unnest(CAST(string_split(concat('0.353553391,1.41421356', t), ',') AS DOUBLE[])) AS w, unnest(CAST(string_split(concat('1.41421356,0.0', t), ',') AS DOUBLE[])) AS m FROM (VALUES ('')) v(t)) t ON t.f = c.f),
normalised9 AS MATERIALIZED (SELECT r, f, x/CASE WHEN n = 0 THEN 1 ELSE n END AS x FROM (SELECT r, f, x, sqrt(SUM(x*x) OVER (PARTITION BY r)) AS n FROM cells8) s),
cells10 AS MATERIALIZED (SELECT r, f, x FROM normalised9 UNION ALL SELECT r, 2147483646, 1.0e0 FROM source0),
features11 AS MATERIALIZED (SELECT f FROM features6 UNION ALL SELECT 2147483646),
signs12 AS MATERIALIZED (SELECT unnest(CAST(string_split(concat('0,1,0,1,0,1', t), ',') AS BIGINT[])) AS c, unnest(CAST(string_split(concat('0,0,1,1,2147483646,2147483646', t), ',') AS BIGINT[])) AS f, unnest(CAST(string_split(concat('1.0,0.5,0.25,-1.0,1.0,-2.0', t), ',') AS DOUBLE[])) AS sign FROM (VALUES ('')) v(t)),
sums13 AS MATERIALIZED (SELECT r, c AS f, SUM(sign * x) AS x
FROM cells10 JOIN signs12 USING (f)
GROUP BY r, c)
SELECT c0 AS "id", c1 AS "label", x[1]+ok AS z0, x[2]+ok AS z1
FROM (SELECT s.c0 AS c0, s.c1 AS c1, s.ok AS ok, list_transform(range(2), lambda e: coalesce(z.x[list_position(z.f, CAST(e AS SMALLINT))], 0.0e0)) AS x
FROM source0 s LEFT JOIN (SELECT r, list(CAST(f AS SMALLINT)) AS f, list(CAST(x AS DOUBLE)) AS x FROM sums13 GROUP BY r) z ON z.r = s.r) s

-- ======== postgresql
WITH source0 AS MATERIALIZED (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 END AS ok, row_number() OVER () AS r, ARRAY[(CAST("a" AS double precision)-CAST('0.5' AS double precision)),(CAST("b" AS double precision)-CAST('1.0' AS double precision))*CAST('2.0' AS double precision),CAST("it's c" AS double precision)*CAST('0.25' AS double precision),(CAST("d ""quoted""" AS double precision)+CAST('1.0' AS double precision))*CAST('4.0' AS double precision)] AS x FROM "shop"."images"),
cells1 AS MATERIALIZED (SELECT r, o - 1 AS f, e AS x
FROM source0, unnest(x) WITH ORDINALITY AS u(e, o)),
features2 AS MATERIALIZED (SELECT f FROM generate_series(CAST(0 AS bigint), 3) g(f)),
components3 AS MATERIALIZED (SELECT c, ((((((((1207422803*c+1554021005)*c+940132630)*c+1202754055)*c+1339085487)*c+308160061)*c+1073599193)*c+1496043970) % 2147483647) AS b0, ((((((((695715121*c+1050305301)*c+1174479125)*c+77190952)*c+1559899810)*c+98088592)*c+1491132665)*c+1612041911) % 2147483647) AS b1, ((((((((266018135*c+1347893375)*c+857912869)*c+222066450)*c+569881106)*c+1978271943)*c+144005368)*c+453062626) % 2147483647) AS b2, ((((((((712970553*c+986047398)*c+656026341)*c+305698416)*c+2144627527)*c+1358167319)*c+1969862486)*c+2023595005) % 2147483647) AS b3,
  ((((((((1832410929*c+515607408)*c+872307825)*c+512510187)*c+1572092133)*c+827115265)*c+1341515075)*c+1191955192) % 2147483647) AS b4, ((((((((440023740*c+1789843104)*c+85512086)*c+748716940)*c+828250944)*c+1719596919)*c+1783190857)*c+1714556674) % 2147483647) AS b5, ((((((((1229410488*c+1140486993)*c+930223432)*c+2069346305)*c+1577410622)*c+1795527457)*c+1372741064)*c+319245571) % 2147483647) AS b6, ((((((((977490620*c+1371363093)*c+708385131)*c+1899269072)*c+929569986)*c+345679816)*c+974472240)*c+434820976) % 2147483647) AS b7
FROM (SELECT c FROM generate_series(CAST(0 AS bigint), 1) g(c)) n),
signs4 AS MATERIALIZED (SELECT CAST(c AS integer) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features2 CROSS JOIN components3 OFFSET '0') drawn
WHERE h < 2147483647),
sums5 AS MATERIALIZED (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE CAST('0.0' AS double precision) - x END) AS x
FROM cells1 JOIN signs4 USING (f)
GROUP BY r, c),
features6 AS MATERIALIZED (SELECT f FROM generate_series(CAST(0 AS bigint), 1) g(f)),
cells7 AS MATERIALIZED (SELECT s.r AS r, e.f AS f, coalesce(CAST(k.x AS double precision), CAST('0.0' AS double precision)) AS x FROM source0 s CROSS JOIN features6 e LEFT JOIN sums5 k ON k.r = s.r AND k.f = e.f),
cells8 AS MATERIALIZED (SELECT c.r AS r, c.f AS f, (c.x - t.m) * coalesce(t.w, CAST('1.0' AS double precision)) AS x FROM (SELECT * FROM cells7) c LEFT JOIN (SELECT unnest(CAST('{0,1}' AS bigint[])) AS f, unnest(CAST('{0.353553391,1.41421356}' AS double precision[])) AS w, unnest(CAST('{1.41421356,0.0}' AS double precision[])) AS m) t ON t.f = c.f),
normalised9 AS MATERIALIZED (SELECT r, f, x/CASE WHEN n = 0 THEN 1 ELSE n END AS x FROM (SELECT r, f, x, sqrt(SUM(x*x) OVER (PARTITION BY r)) AS n FROM cells8) s),
cells10 AS MATERIALIZED (SELECT r, f, x FROM normalised9 UNION ALL SELECT r, 2147483646, CAST('1.0' AS double precision) FROM source0),
features11 AS MATERIALIZED (SELECT f FROM features6 UNION ALL SELECT 2147483646),
signs12 AS MATERIALIZED (SELECT unnest(CAST('{0,1,0,1,0,1}' AS bigint[])) AS c, unnest(CAST('{0,0,1,1,2147483646,2147483646}' AS bigint[])) AS f, unnest(CAST('{1.0,0.5,0.25,-1.0,1.0,-2.0}' AS double precision[])) AS sign),
sums13 AS MATERIALIZED (SELECT r, c AS f, SUM(sign * x) AS x
FROM cells10 JOIN signs12 USING (f)
GROUP BY r, c),
outputs14 AS MATERIALIZED (SELECT f FROM generate_series(CAST(0 AS bigint), 1) g(f)),
result15 AS MATERIALIZED (SELECT s.r AS r, n.f AS f, coalesce(z.x, CAST('0.0' AS double precision)) AS x
FROM source0 s CROSS JOIN outputs14 n
LEFT JOIN sums13 z ON z.r = s.r AND z.f = n.f)
SELECT c0 AS "id", c1 AS "label", x[1]+ok AS z0, x[2]+ok AS z1
FROM (SELECT s.c0 AS c0, s.c1 AS c1, s.ok AS ok, z.x AS x FROM source0 s JOIN (SELECT r, array_agg(CAST(x AS double precision) ORDER BY f) AS x FROM result15 GROUP BY r) z ON z.r = s.r) s

-- ======== sqlite
WITH source0 AS MATERIALIZED (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 END AS ok, row_number() OVER () AS r, (CASE WHEN `a` >= '' THEN json_type('{}', 'sqlrp: a feature in `a` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`a` AS REAL) END-0.5e0) AS x0, (CASE WHEN `b` >= '' THEN json_type('{}', 'sqlrp: a feature in `b` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`b` AS REAL) END-1.0e0)*2.0e0 AS x1, CASE WHEN `it's c` >= '' THEN json_type('{}', 'sqlrp: a feature in `it''s c` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`it's c` AS REAL) END*0.25e0 AS x2, (CASE WHEN `d "quoted"` >= '' THEN json_type('{}', 'sqlrp: a feature in `d "quoted"` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`d "quoted"` AS REAL) END+1.0e0)*4.0e0 AS x3 FROM `shop`.`images`),
cells1 AS MATERIALIZED (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM source0 CROSS JOIN (WITH RECURSIVE counted AS (SELECT 0 AS n UNION ALL SELECT n + 1 FROM counted WHERE n < 3) SELECT n FROM counted) counted),
features2 AS MATERIALIZED (WITH RECURSIVE counted AS (SELECT 0 AS f UNION ALL SELECT f + 1 FROM counted WHERE f < 3) SELECT f FROM counted),
components3 AS MATERIALIZED (SELECT c, ((((((((1207422803*c+1554021005)*c+940132630)*c+1202754055)*c+1339085487)*c+308160061)*c+1073599193)*c+1496043970) % 2147483647) AS b0, ((((((((695715121*c+1050305301)*c+1174479125)*c+77190952)*c+1559899810)*c+98088592)*c+1491132665)*c+1612041911) % 2147483647) AS b1, ((((((((266018135*c+1347893375)*c+857912869)*c+222066450)*c+569881106)*c+1978271943)*c+144005368)*c+453062626) % 2147483647) AS b2, ((((((((712970553*c+986047398)*c+656026341)*c+305698416)*c+2144627527)*c+1358167319)*c+1969862486)*c+2023595005) % 2147483647) AS b3,
  ((((((((1832410929*c+515607408)*c+872307825)*c+512510187)*c+1572092133)*c+827115265)*c+1341515075)*c+1191955192) % 2147483647) AS b4, ((((((((440023740*c+1789843104)*c+85512086)*c+748716940)*c+828250944)*c+1719596919)*c+1783190857)*c+1714556674) % 2147483647) AS b5, ((((((((1229410488*c+1140486993)*c+930223432)*c+2069346305)*c+1577410622)*c+1795527457)*c+1372741064)*c+319245571) % 2147483647) AS b6, ((((((((977490620*c+1371363093)*c+708385131)*c+1899269072)*c+929569986)*c+345679816)*c+974472240)*c+434820976) % 2147483647) AS b7
FROM (WITH RECURSIVE counted AS (SELECT 0 AS c UNION ALL SELECT c + 1 FROM counted WHERE c < 1) SELECT c FROM counted) n),
signs4 AS MATERIALIZED (SELECT c AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features2 CROSS JOIN components3 LIMIT -1 OFFSET 0) drawn
WHERE h < 2147483647),
sums5 AS MATERIALIZED (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM cells1 JOIN signs4 USING (f)
GROUP BY r, c),
features6 AS MATERIALIZED (WITH RECURSIVE counted AS (SELECT 0 AS f UNION ALL SELECT f + 1 FROM counted WHERE f < 1) SELECT f FROM counted),
cells7 AS MATERIALIZED (SELECT s.r AS r, e.f AS f, coalesce(CAST(k.x AS REAL), 0.0e0) AS x FROM source0 s CROSS JOIN features6 e LEFT JOIN sums5 k ON k.r = s.r AND k.f = e.f),
cells8 AS MATERIALIZED (SELECT c.r AS r, c.f AS f, (c.x - t.m) * coalesce(t.w, 1.0e0) AS x FROM (SELECT * FROM cells7) c LEFT JOIN (SELECT CAST(json_extract(value, '$[0]') AS INTEGER) AS f, CAST(json_extract(value, '$[1]') AS REAL) AS w, CAST(json_extract(value, '$[2]') AS REAL) AS m FROM json_each('[[0,0.353553391,1.41421356],[1,1.41421356,0.0]]')) t ON t.f = c.f),
normalised9 AS MATERIALIZED (SELECT r, f, x/CASE WHEN n = 0 THEN 1 ELSE n END AS x FROM (SELECT r, f, x, sqrt(SUM(x*x) OVER (PARTITION BY r)) AS n FROM cells8) s),
cells10 AS MATERIALIZED (SELECT r, f, x FROM normalised9 UNION ALL SELECT r, 2147483646, 1.0e0 FROM source0),
features11 AS MATERIALIZED (SELECT f FROM features6 UNION ALL SELECT 2147483646),
signs12 AS MATERIALIZED (SELECT CAST(json_extract(value, '$[0]') AS INTEGER) AS c, CAST(json_extract(value, '$[1]') AS INTEGER) AS f, CAST(json_extract(value, '$[2]') AS REAL) AS sign FROM json_each('[[0,0,1.0],[1,0,0.5],[0,1,0.25],[1,1,-1.0],[0,2147483646,1.0],[1,2147483646,-2.0]]')),
sums13 AS MATERIALIZED (SELECT r, c AS f, SUM(sign * x) AS x
FROM cells10 JOIN signs12 USING (f)
GROUP BY r, c),
outputs14 AS MATERIALIZED (WITH RECURSIVE counted AS (SELECT 0 AS f UNION ALL SELECT f + 1 FROM counted WHERE f < 1) SELECT f FROM counted),
result15 AS MATERIALIZED (SELECT s.r AS r, s.c0 AS c0, s.c1 AS c1, s.ok AS ok, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM source0 s CROSS JOIN outputs14 n
LEFT JOIN sums13 z ON z.r = s.r AND z.f = n.f)
SELECT c0 AS `id`, c1 AS `label`, x0+ok AS z0, x1+ok AS z1
FROM (SELECT c0, c1, ok, MAX(CASE WHEN f = 0 THEN CAST(x AS REAL) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS REAL) END) AS x1 FROM result15 GROUP BY r, c0, c1, ok) s

-- ======== mariadb
-- 3 statements: run them in this order in one session. Statement 2 returns the rows.
CREATE TEMPORARY TABLE sqlrp_temporary_0 (KEY (r)) ENGINE=Aria AS SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 END AS ok, row_number() OVER () AS r, (CAST(`a` AS DOUBLE)-0.5e0) AS x0, (CAST(`b` AS DOUBLE)-1.0e0)*2.0e0 AS x1, CAST(`it's c` AS DOUBLE)*0.25e0 AS x2, (CAST(`d "quoted"` AS DOUBLE)+1.0e0)*4.0e0 AS x3 FROM `shop`.`images`;
WITH cells0 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM sqlrp_temporary_0 CROSS JOIN (SELECT CAST(seq AS SIGNED) AS n FROM seq_0_to_3) counted LIMIT 18446744073709551615),
features1 AS (SELECT CAST(seq AS SIGNED) AS f FROM seq_0_to_3 LIMIT 18446744073709551615),
components2 AS (SELECT c, ((((((((1207422803*c+1554021005)*c+940132630)*c+1202754055)*c+1339085487)*c+308160061)*c+1073599193)*c+1496043970) % 2147483647) AS b0, ((((((((695715121*c+1050305301)*c+1174479125)*c+77190952)*c+1559899810)*c+98088592)*c+1491132665)*c+1612041911) % 2147483647) AS b1, ((((((((266018135*c+1347893375)*c+857912869)*c+222066450)*c+569881106)*c+1978271943)*c+144005368)*c+453062626) % 2147483647) AS b2, ((((((((712970553*c+986047398)*c+656026341)*c+305698416)*c+2144627527)*c+1358167319)*c+1969862486)*c+2023595005) % 2147483647) AS b3,
  ((((((((1832410929*c+515607408)*c+872307825)*c+512510187)*c+1572092133)*c+827115265)*c+1341515075)*c+1191955192) % 2147483647) AS b4, ((((((((440023740*c+1789843104)*c+85512086)*c+748716940)*c+828250944)*c+1719596919)*c+1783190857)*c+1714556674) % 2147483647) AS b5, ((((((((1229410488*c+1140486993)*c+930223432)*c+2069346305)*c+1577410622)*c+1795527457)*c+1372741064)*c+319245571) % 2147483647) AS b6, ((((((((977490620*c+1371363093)*c+708385131)*c+1899269072)*c+929569986)*c+345679816)*c+974472240)*c+434820976) % 2147483647) AS b7
FROM (SELECT CAST(seq AS SIGNED) AS c FROM seq_0_to_1) n LIMIT 18446744073709551615),
signs3 AS (SELECT CAST(c AS SIGNED) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features1 CROSS JOIN components2 LIMIT 18446744073709551615) drawn
WHERE h < 2147483647 LIMIT 18446744073709551615),
sums4 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM cells0 JOIN signs3 USING (f)
GROUP BY r, c LIMIT 18446744073709551615),
features5 AS (SELECT CAST(seq AS SIGNED) AS f FROM seq_0_to_1 LIMIT 18446744073709551615),
cells6 AS (SELECT s.r AS r, e.f AS f, coalesce(CAST(k.x AS DOUBLE), 0.0e0) AS x FROM sqlrp_temporary_0 s CROSS JOIN features5 e LEFT JOIN sums4 k ON k.r = s.r AND k.f = e.f LIMIT 18446744073709551615),
cells7 AS (SELECT c.r AS r, c.f AS f, (c.x - t.m) * coalesce(t.w, 1.0e0) AS x FROM (SELECT * FROM cells6) c LEFT JOIN (SELECT f, w, m FROM JSON_TABLE('[[0,0.353553391,1.41421356],[1,1.41421356,0.0]]', '$[*]' COLUMNS (f BIGINT PATH '$[0]', w DOUBLE PATH '$[1]', m DOUBLE PATH '$[2]')) listed) t ON t.f = c.f LIMIT 18446744073709551615),
normalised8 AS (SELECT r, f, x/CASE WHEN n = 0 THEN 1 ELSE n END AS x FROM (SELECT r, f, x, sqrt(SUM(x*x) OVER (PARTITION BY r)) AS n FROM cells7) s LIMIT 18446744073709551615),
cells9 AS (SELECT r, f, x FROM normalised8 UNION ALL SELECT r, 2147483646, 1.0e0 FROM sqlrp_temporary_0 LIMIT 18446744073709551615),
features10 AS (SELECT f FROM features5 UNION ALL SELECT 2147483646 LIMIT 18446744073709551615),
signs11 AS (SELECT c, f, sign FROM JSON_TABLE('[[0,0,1.0],[1,0,0.5],[0,1,0.25],[1,1,-1.0],[0,2147483646,1.0],[1,2147483646,-2.0]]', '$[*]' COLUMNS (c BIGINT PATH '$[0]', f BIGINT PATH '$[1]', sign DOUBLE PATH '$[2]')) listed LIMIT 18446744073709551615),
sums12 AS (SELECT r, c AS f, SUM(sign * x) AS x
FROM cells9 JOIN signs11 USING (f)
GROUP BY r, c LIMIT 18446744073709551615),
outputs13 AS (SELECT CAST(seq AS SIGNED) AS f FROM seq_0_to_1 LIMIT 18446744073709551615),
result14 AS (SELECT s.r AS r, s.c0 AS c0, s.c1 AS c1, s.ok AS ok, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM sqlrp_temporary_0 s CROSS JOIN outputs13 n
LEFT JOIN sums12 z ON z.r = s.r AND z.f = n.f LIMIT 18446744073709551615)
SELECT c0 AS `id`, c1 AS `label`, x0+ok AS z0, x1+ok AS z1
FROM (SELECT c0, c1, ok, MAX(CASE WHEN f = 0 THEN CAST(x AS DOUBLE) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS DOUBLE) END) AS x1 FROM result14 GROUP BY r, c0, c1, ok) s;
DROP TEMPORARY TABLE IF EXISTS sqlrp_temporary_0;


-- ======== mysql
WITH source0 AS (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 END AS ok, row_number() OVER () AS r, (CAST(`a` AS DOUBLE)-0.5e0) AS x0, (CAST(`b` AS DOUBLE)-1.0e0)*2.0e0 AS x1, CAST(`it's c` AS DOUBLE)*0.25e0 AS x2, (CAST(`d "quoted"` AS DOUBLE)+1.0e0)*4.0e0 AS x3 FROM `shop`.`images`),
cells1 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM source0 CROSS JOIN (SELECT CAST(n AS SIGNED) - 1 AS n FROM JSON_TABLE(concat('[0', repeat(',0', 3), ']'), '$[*]' COLUMNS (n FOR ORDINALITY)) listed) counted),
features2 AS (SELECT CAST(n AS SIGNED) - 1 AS f FROM JSON_TABLE(concat('[0', repeat(',0', 3), ']'), '$[*]' COLUMNS (n FOR ORDINALITY)) listed),
components3 AS (SELECT c, ((((((((1207422803*c+1554021005)*c+940132630)*c+1202754055)*c+1339085487)*c+308160061)*c+1073599193)*c+1496043970) % 2147483647) AS b0, ((((((((695715121*c+1050305301)*c+1174479125)*c+77190952)*c+1559899810)*c+98088592)*c+1491132665)*c+1612041911) % 2147483647) AS b1, ((((((((266018135*c+1347893375)*c+857912869)*c+222066450)*c+569881106)*c+1978271943)*c+144005368)*c+453062626) % 2147483647) AS b2, ((((((((712970553*c+986047398)*c+656026341)*c+305698416)*c+2144627527)*c+1358167319)*c+1969862486)*c+2023595005) % 2147483647) AS b3,
  ((((((((1832410929*c+515607408)*c+872307825)*c+512510187)*c+1572092133)*c+827115265)*c+1341515075)*c+1191955192) % 2147483647) AS b4, ((((((((440023740*c+1789843104)*c+85512086)*c+748716940)*c+828250944)*c+1719596919)*c+1783190857)*c+1714556674) % 2147483647) AS b5, ((((((((1229410488*c+1140486993)*c+930223432)*c+2069346305)*c+1577410622)*c+1795527457)*c+1372741064)*c+319245571) % 2147483647) AS b6, ((((((((977490620*c+1371363093)*c+708385131)*c+1899269072)*c+929569986)*c+345679816)*c+974472240)*c+434820976) % 2147483647) AS b7
FROM (SELECT CAST(n AS SIGNED) - 1 AS c FROM JSON_TABLE(concat('[0', repeat(',0', 1), ']'), '$[*]' COLUMNS (n FOR ORDINALITY)) listed) n),
signs4 AS (SELECT CAST(c AS SIGNED) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features2 CROSS JOIN components3 LIMIT 18446744073709551615) drawn
WHERE h < 2147483647),
sums5 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM cells1 JOIN signs4 USING (f)
GROUP BY r, c),
features6 AS (SELECT CAST(n AS SIGNED) - 1 AS f FROM JSON_TABLE(concat('[0', repeat(',0', 1), ']'), '$[*]' COLUMNS (n FOR ORDINALITY)) listed),
cells7 AS (SELECT s.r AS r, e.f AS f, coalesce(CAST(k.x AS DOUBLE), 0.0e0) AS x FROM source0 s CROSS JOIN features6 e LEFT JOIN sums5 k ON k.r = s.r AND k.f = e.f),
cells8 AS (SELECT c.r AS r, c.f AS f, (c.x - t.m) * coalesce(t.w, 1.0e0) AS x FROM (SELECT * FROM cells7) c LEFT JOIN (SELECT f, w, m FROM JSON_TABLE('[[0,0.353553391,1.41421356],[1,1.41421356,0.0]]', '$[*]' COLUMNS (f BIGINT PATH '$[0]', w DOUBLE PATH '$[1]', m DOUBLE PATH '$[2]')) listed) t ON t.f = c.f),
normalised9 AS (SELECT r, f, x/CASE WHEN n = 0 THEN 1 ELSE n END AS x FROM (SELECT r, f, x, sqrt(SUM(x*x) OVER (PARTITION BY r)) AS n FROM cells8) s),
cells10 AS (SELECT r, f, x FROM normalised9 UNION ALL SELECT r, 2147483646, 1.0e0 FROM source0),
features11 AS (SELECT f FROM features6 UNION ALL SELECT 2147483646),
signs12 AS (SELECT c, f, sign FROM JSON_TABLE('[[0,0,1.0],[1,0,0.5],[0,1,0.25],[1,1,-1.0],[0,2147483646,1.0],[1,2147483646,-2.0]]', '$[*]' COLUMNS (c BIGINT PATH '$[0]', f BIGINT PATH '$[1]', sign DOUBLE PATH '$[2]')) listed),
sums13 AS (SELECT r, c AS f, SUM(sign * x) AS x
FROM cells10 JOIN signs12 USING (f)
GROUP BY r, c),
outputs14 AS (SELECT CAST(n AS SIGNED) - 1 AS f FROM JSON_TABLE(concat('[0', repeat(',0', 1), ']'), '$[*]' COLUMNS (n FOR ORDINALITY)) listed),
result15 AS (SELECT s.r AS r, s.c0 AS c0, s.c1 AS c1, s.ok AS ok, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM source0 s CROSS JOIN outputs14 n
LEFT JOIN sums13 z ON z.r = s.r AND z.f = n.f)
SELECT c0 AS `id`, c1 AS `label`, x0+ok AS z0, x1+ok AS z1
FROM (SELECT c0, c1, ok, MAX(CASE WHEN f = 0 THEN CAST(x AS DOUBLE) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS DOUBLE) END) AS x1 FROM result15 GROUP BY r, c0, c1, ok) s

-- ======== clickhouse
-- 33 statements: run them in this order in one session. Statement 17 returns the rows.
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_0 ENGINE = Memory AS SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 END AS ok, toInt64(row_number() OVER ()) AS r, [(CAST(`a` AS Float64)-0.5e0),(CAST(`b` AS Float64)-1.0e0)*2.0e0,CAST(`it's c` AS Float64)*0.25e0,(CAST(`d "quoted"` AS Float64)+1.0e0)*4.0e0] AS x FROM `shop`.`images`
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_1 ENGINE = Memory AS SELECT r, toInt64(o) - 1 AS f, e AS x
FROM sqlrp_temporary_0 ARRAY JOIN x AS e, arrayEnumerate(x) AS o
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_2 ENGINE = Memory AS SELECT toInt64(number) AS f FROM numbers(4)
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_3 ENGINE = Memory AS SELECT c, ((((((((1207422803*c+1554021005)*c+940132630)*c+1202754055)*c+1339085487)*c+308160061)*c+1073599193)*c+1496043970) % 2147483647) AS b0, ((((((((695715121*c+1050305301)*c+1174479125)*c+77190952)*c+1559899810)*c+98088592)*c+1491132665)*c+1612041911) % 2147483647) AS b1, ((((((((266018135*c+1347893375)*c+857912869)*c+222066450)*c+569881106)*c+1978271943)*c+144005368)*c+453062626) % 2147483647) AS b2, ((((((((712970553*c+986047398)*c+656026341)*c+305698416)*c+2144627527)*c+1358167319)*c+1969862486)*c+2023595005) % 2147483647) AS b3,
  ((((((((1832410929*c+515607408)*c+872307825)*c+512510187)*c+1572092133)*c+827115265)*c+1341515075)*c+1191955192) % 2147483647) AS b4, ((((((((440023740*c+1789843104)*c+85512086)*c+748716940)*c+828250944)*c+1719596919)*c+1783190857)*c+1714556674) % 2147483647) AS b5, ((((((((1229410488*c+1140486993)*c+930223432)*c+2069346305)*c+1577410622)*c+1795527457)*c+1372741064)*c+319245571) % 2147483647) AS b6, ((((((((977490620*c+1371363093)*c+708385131)*c+1899269072)*c+929569986)*c+345679816)*c+974472240)*c+434820976) % 2147483647) AS b7
FROM (SELECT toInt64(number) AS c FROM numbers(2)) n
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_4 ENGINE = Memory AS SELECT CAST(c AS Int64) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM sqlrp_temporary_2 CROSS JOIN sqlrp_temporary_3) drawn
WHERE h < 2147483647
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_5 ENGINE = Memory AS SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM sqlrp_temporary_1 JOIN sqlrp_temporary_4 USING (f)
GROUP BY r, c
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_6 ENGINE = Memory AS SELECT toInt64(number) AS f FROM numbers(2)
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_7 ENGINE = Memory AS SELECT s.r AS r, e.f AS f, coalesce(CAST(k.x AS Float64), 0.0e0) AS x FROM sqlrp_temporary_0 s CROSS JOIN sqlrp_temporary_6 e LEFT JOIN sqlrp_temporary_5 k ON k.r = s.r AND k.f = e.f
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_8 ENGINE = Memory AS SELECT c.r AS r, c.f AS f, (c.x - t.m) * coalesce(t.w, 1.0e0) AS x FROM (SELECT * FROM sqlrp_temporary_7) c LEFT JOIN (SELECT f, w, m FROM (SELECT CAST('[0, 1]' AS Array(Int64)) AS f, CAST('[0.353553391, 1.41421356]' AS Array(Float64)) AS w, CAST('[1.41421356, 0.0]' AS Array(Float64)) AS m) s ARRAY JOIN f, w, m) t ON t.f = c.f
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_9 ENGINE = Memory AS SELECT r, f, x/CASE WHEN n = 0 THEN 1 ELSE n END AS x FROM (SELECT r, f, x, sqrt(SUM(x*x) OVER (PARTITION BY r)) AS n FROM sqlrp_temporary_8) s
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_10 ENGINE = Memory AS SELECT r, f, x FROM sqlrp_temporary_9 UNION ALL SELECT r, 2147483646, 1.0e0 FROM sqlrp_temporary_0
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_11 ENGINE = Memory AS SELECT f FROM sqlrp_temporary_6 UNION ALL SELECT 2147483646
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_12 ENGINE = Memory AS SELECT c, f, sign FROM (SELECT CAST('[0, 1, 0, 1, 0, 1]' AS Array(Int64)) AS c, CAST('[0, 0, 1, 1, 2147483646, 2147483646]' AS Array(Int64)) AS f, CAST('[1.0, 0.5, 0.25, -1.0, 1.0, -2.0]' AS Array(Float64)) AS sign) s ARRAY JOIN c, f, sign
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_13 ENGINE = Memory AS SELECT r, c AS f, SUM(sign * x) AS x
FROM sqlrp_temporary_10 JOIN sqlrp_temporary_12 USING (f)
GROUP BY r, c
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_14 ENGINE = Memory AS SELECT toInt64(number) AS f FROM numbers(2)
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_15 ENGINE = Memory AS SELECT s.r AS r, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM sqlrp_temporary_0 s CROSS JOIN sqlrp_temporary_14 n
LEFT JOIN sqlrp_temporary_13 z ON z.r = s.r AND z.f = n.f
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
SELECT c0 AS `id`, c1 AS `label`, x[1]+ok AS z0, x[2]+ok AS z1
FROM (SELECT s.c0 AS c0, s.c1 AS c1, s.ok AS ok, z.x AS x FROM sqlrp_temporary_0 s JOIN (SELECT r, arrayMap(p -> p.2, arraySort(p -> p.1, groupArray((f, CAST(x AS Float64))))) AS x FROM sqlrp_temporary_15 GROUP BY r) z ON z.r = s.r) s
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
DROP TEMPORARY TABLE IF EXISTS sqlrp_temporary_15;
DROP TEMPORARY TABLE IF EXISTS sqlrp_temporary_14;
DROP TEMPORARY TABLE IF EXISTS sqlrp_temporary_13;
DROP TEMPORARY TABLE IF EXISTS sqlrp_temporary_12;
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
WITH source0 AS (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 END AS ok, (monotonically_increasing_id() + 1) AS r, array((CAST(`a` AS DOUBLE)-0.5e0),(CAST(`b` AS DOUBLE)-1.0e0)*2.0e0,CAST(`it's c` AS DOUBLE)*0.25e0,(CAST(`d "quoted"` AS DOUBLE)+1.0e0)*4.0e0) AS x FROM `shop`.`images`),
cells1 AS (SELECT r, CAST(o AS BIGINT) AS f, e AS x
FROM source0 LATERAL VIEW posexplode(x) u AS o, e),
features2 AS (SELECT id AS f FROM range(4)),
components3 AS (SELECT c, ((((((((1207422803*c+1554021005)*c+940132630)*c+1202754055)*c+1339085487)*c+308160061)*c+1073599193)*c+1496043970) % 2147483647) AS b0, ((((((((695715121*c+1050305301)*c+1174479125)*c+77190952)*c+1559899810)*c+98088592)*c+1491132665)*c+1612041911) % 2147483647) AS b1, ((((((((266018135*c+1347893375)*c+857912869)*c+222066450)*c+569881106)*c+1978271943)*c+144005368)*c+453062626) % 2147483647) AS b2, ((((((((712970553*c+986047398)*c+656026341)*c+305698416)*c+2144627527)*c+1358167319)*c+1969862486)*c+2023595005) % 2147483647) AS b3,
  ((((((((1832410929*c+515607408)*c+872307825)*c+512510187)*c+1572092133)*c+827115265)*c+1341515075)*c+1191955192) % 2147483647) AS b4, ((((((((440023740*c+1789843104)*c+85512086)*c+748716940)*c+828250944)*c+1719596919)*c+1783190857)*c+1714556674) % 2147483647) AS b5, ((((((((1229410488*c+1140486993)*c+930223432)*c+2069346305)*c+1577410622)*c+1795527457)*c+1372741064)*c+319245571) % 2147483647) AS b6, ((((((((977490620*c+1371363093)*c+708385131)*c+1899269072)*c+929569986)*c+345679816)*c+974472240)*c+434820976) % 2147483647) AS b7
FROM (SELECT id AS c FROM range(2)) n),
signs4 AS (SELECT CAST(c AS INT) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features2 CROSS JOIN components3) drawn
WHERE h < 2147483647),
sums5 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM cells1 JOIN signs4 USING (f)
GROUP BY r, c),
features6 AS (SELECT id AS f FROM range(2)),
cells7 AS (SELECT s.r AS r, e.f AS f, coalesce(CAST(k.x AS DOUBLE), 0.0e0) AS x FROM source0 s CROSS JOIN features6 e LEFT JOIN sums5 k ON k.r = s.r AND k.f = e.f),
cells8 AS (SELECT c.r AS r, c.f AS f, (c.x - t.m) * coalesce(t.w, 1.0e0) AS x FROM (SELECT * FROM cells7) c LEFT JOIN (SELECT inline(arrays_zip(from_json('[0, 1]', 'ARRAY<BIGINT>'), from_json('[0.353553391, 1.41421356]', 'ARRAY<DOUBLE>'), from_json('[1.41421356, 0.0]', 'ARRAY<DOUBLE>'))) AS (f, w, m)) t ON t.f = c.f),
normalised9 AS (SELECT r, f, x/CASE WHEN n = 0 THEN 1 ELSE n END AS x FROM (SELECT r, f, x, sqrt(SUM(x*x) OVER (PARTITION BY r)) AS n FROM cells8) s),
cells10 AS (SELECT r, f, x FROM normalised9 UNION ALL SELECT r, 2147483646, 1.0e0 FROM source0),
features11 AS (SELECT f FROM features6 UNION ALL SELECT 2147483646),
signs12 AS (SELECT inline(arrays_zip(from_json('[0, 1, 0, 1, 0, 1]', 'ARRAY<BIGINT>'), from_json('[0, 0, 1, 1, 2147483646, 2147483646]', 'ARRAY<BIGINT>'), from_json('[1.0, 0.5, 0.25, -1.0, 1.0, -2.0]', 'ARRAY<DOUBLE>'))) AS (c, f, sign)),
sums13 AS (SELECT r, c AS f, SUM(sign * x) AS x
FROM cells10 JOIN signs12 USING (f)
GROUP BY r, c)
SELECT c0 AS `id`, c1 AS `label`, x[0]+ok AS z0, x[1]+ok AS z1
FROM (SELECT s.c0 AS c0, s.c1 AS c1, s.ok AS ok, coalesce(z.x, array_repeat(0.0e0, 2)) AS x
FROM source0 s LEFT JOIN (SELECT r, transform(array(collect_list(struct(CAST(f AS INT) AS o, CAST(x AS DOUBLE) AS v)) FILTER (WHERE CAST(x AS DOUBLE) IS NOT NULL)), p -> CASE WHEN size(p) = 2 THEN sort_array(p).v ELSE sort_array(concat(p, transform(array_except(sequence(0, 1), p.o), o -> struct(o, 0.0e0 AS v)))).v END)[0] AS x FROM sums13 GROUP BY r) z ON z.r = s.r) s

-- ======== snowflake
-- 3 statements: run them in this order in one session. Statement 2 returns the rows.
CREATE TEMPORARY TABLE sqlrp_temporary_0 AS SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 END AS ok, row_number() OVER (ORDER BY NULL) AS r, (CAST("a" AS DOUBLE)-0.5e0) AS x0, (CAST("b" AS DOUBLE)-1.0e0)*2.0e0 AS x1, CAST("it's c" AS DOUBLE)*0.25e0 AS x2, (CAST("d ""quoted""" AS DOUBLE)+1.0e0)*4.0e0 AS x3 FROM "shop"."images";
WITH cells0 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM sqlrp_temporary_0 CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) counted),
features1 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
components2 AS (SELECT c, ((((((((1207422803*c+1554021005)*c+940132630)*c+1202754055)*c+1339085487)*c+308160061)*c+1073599193)*c+1496043970) % 2147483647) AS b0, ((((((((695715121*c+1050305301)*c+1174479125)*c+77190952)*c+1559899810)*c+98088592)*c+1491132665)*c+1612041911) % 2147483647) AS b1, ((((((((266018135*c+1347893375)*c+857912869)*c+222066450)*c+569881106)*c+1978271943)*c+144005368)*c+453062626) % 2147483647) AS b2, ((((((((712970553*c+986047398)*c+656026341)*c+305698416)*c+2144627527)*c+1358167319)*c+1969862486)*c+2023595005) % 2147483647) AS b3,
  ((((((((1832410929*c+515607408)*c+872307825)*c+512510187)*c+1572092133)*c+827115265)*c+1341515075)*c+1191955192) % 2147483647) AS b4, ((((((((440023740*c+1789843104)*c+85512086)*c+748716940)*c+828250944)*c+1719596919)*c+1783190857)*c+1714556674) % 2147483647) AS b5, ((((((((1229410488*c+1140486993)*c+930223432)*c+2069346305)*c+1577410622)*c+1795527457)*c+1372741064)*c+319245571) % 2147483647) AS b6, ((((((((977490620*c+1371363093)*c+708385131)*c+1899269072)*c+929569986)*c+345679816)*c+974472240)*c+434820976) % 2147483647) AS b7
FROM (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS c FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2) n),
signs3 AS (SELECT CAST(c AS BIGINT) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features1 CROSS JOIN components2) drawn
WHERE h < 2147483647),
sums4 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM cells0 JOIN signs3 USING (f)
GROUP BY r, c),
features5 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2),
cells6 AS (SELECT s.r AS r, e.f AS f, coalesce(CAST(k.x AS DOUBLE), 0.0e0) AS x FROM sqlrp_temporary_0 s CROSS JOIN features5 e LEFT JOIN sums4 k ON k.r = s.r AND k.f = e.f),
cells7 AS (SELECT c.r AS r, c.f AS f, (c.x - t.m) * coalesce(t.w, 1.0e0) AS x FROM (SELECT * FROM cells6) c LEFT JOIN (SELECT f, w, m FROM (VALUES (0, 0.353553391, 1.41421356), (1, 1.41421356, 0.0e0)) AS listed(f, w, m)) t ON t.f = c.f),
normalised8 AS (SELECT r, f, x/CASE WHEN n = 0 THEN 1 ELSE n END AS x FROM (SELECT r, f, x, sqrt(SUM(x*x) OVER (PARTITION BY r)) AS n FROM cells7) s),
cells9 AS (SELECT r, f, x FROM normalised8 UNION ALL SELECT r, 2147483646, 1.0e0 FROM sqlrp_temporary_0),
features10 AS (SELECT f FROM features5 UNION ALL SELECT 2147483646),
signs11 AS (SELECT c, f, sign FROM (VALUES (0, 0, 1.0e0), (1, 0, 0.5e0), (0, 1, 0.25e0), (1, 1, -1.0e0), (0, 2147483646, 1.0e0), (1, 2147483646, -2.0e0)) AS listed(c, f, sign)),
sums12 AS (SELECT r, c AS f, SUM(sign * x) AS x
FROM cells9 JOIN signs11 USING (f)
GROUP BY r, c),
outputs13 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2),
result14 AS (SELECT s.r AS r, s.c0 AS c0, s.c1 AS c1, s.ok AS ok, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM sqlrp_temporary_0 s CROSS JOIN outputs13 n
LEFT JOIN sums12 z ON z.r = s.r AND z.f = n.f)
SELECT c0 AS "id", c1 AS "label", x0+ok AS z0, x1+ok AS z1
FROM (SELECT c0, c1, ok, MAX(CASE WHEN f = 0 THEN CAST(x AS DOUBLE) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS DOUBLE) END) AS x1 FROM result14 GROUP BY r, c0, c1, ok) s;
DROP TABLE IF EXISTS sqlrp_temporary_0;


-- ======== bigquery
-- 2 statements: run them in this order in one session. Statement 2 returns the rows.
CREATE TEMPORARY TABLE sqlrp_temporary_0 AS SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 END AS ok, row_number() OVER () AS r, (CAST(`a` AS FLOAT64)-0.5e0) AS x0, (CAST(`b` AS FLOAT64)-1.0e0)*2.0e0 AS x1, CAST(`it's c` AS FLOAT64)*0.25e0 AS x2, (CAST(`d "quoted"` AS FLOAT64)+1.0e0)*4.0e0 AS x3 FROM `shop`.`images`;
WITH cells0 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM sqlrp_temporary_0 CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS INT64) AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) counted),
features1 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS INT64) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
components2 AS (SELECT c, MOD((((((((1207422803*c+1554021005)*c+940132630)*c+1202754055)*c+1339085487)*c+308160061)*c+1073599193)*c+1496043970), 2147483647) AS b0, MOD((((((((695715121*c+1050305301)*c+1174479125)*c+77190952)*c+1559899810)*c+98088592)*c+1491132665)*c+1612041911), 2147483647) AS b1, MOD((((((((266018135*c+1347893375)*c+857912869)*c+222066450)*c+569881106)*c+1978271943)*c+144005368)*c+453062626), 2147483647) AS b2, MOD((((((((712970553*c+986047398)*c+656026341)*c+305698416)*c+2144627527)*c+1358167319)*c+1969862486)*c+2023595005), 2147483647) AS b3,
  MOD((((((((1832410929*c+515607408)*c+872307825)*c+512510187)*c+1572092133)*c+827115265)*c+1341515075)*c+1191955192), 2147483647) AS b4, MOD((((((((440023740*c+1789843104)*c+85512086)*c+748716940)*c+828250944)*c+1719596919)*c+1783190857)*c+1714556674), 2147483647) AS b5, MOD((((((((1229410488*c+1140486993)*c+930223432)*c+2069346305)*c+1577410622)*c+1795527457)*c+1372741064)*c+319245571), 2147483647) AS b6, MOD((((((((977490620*c+1371363093)*c+708385131)*c+1899269072)*c+929569986)*c+345679816)*c+974472240)*c+434820976), 2147483647) AS b7
FROM (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS INT64) AS c FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2) n),
signs3 AS (SELECT CAST(c AS INT64) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, MOD((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0), 2147483647) AS h FROM features1 CROSS JOIN components2) drawn
WHERE h < 2147483647),
sums4 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM cells0 JOIN signs3 USING (f)
GROUP BY r, c),
features5 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS INT64) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2),
cells6 AS (SELECT s.r AS r, e.f AS f, coalesce(CAST(k.x AS FLOAT64), 0.0e0) AS x FROM sqlrp_temporary_0 s CROSS JOIN features5 e LEFT JOIN sums4 k ON k.r = s.r AND k.f = e.f),
cells7 AS (SELECT c.r AS r, c.f AS f, (c.x - t.m) * coalesce(t.w, 1.0e0) AS x FROM (SELECT * FROM cells6) c LEFT JOIN (SELECT f, w, m FROM UNNEST([STRUCT(0 AS f, 0.353553391 AS w, 1.41421356 AS m), STRUCT(1, 1.41421356, 0.0e0)])) t ON t.f = c.f),
normalised8 AS (SELECT r, f, x/CASE WHEN n = 0 THEN 1 ELSE n END AS x FROM (SELECT r, f, x, sqrt(SUM(x*x) OVER (PARTITION BY r)) AS n FROM cells7) s),
cells9 AS (SELECT r, f, x FROM normalised8 UNION ALL SELECT r, 2147483646, 1.0e0 FROM sqlrp_temporary_0),
features10 AS (SELECT f FROM features5 UNION ALL SELECT 2147483646),
signs11 AS (SELECT c, f, sign FROM UNNEST([STRUCT(0 AS c, 0 AS f, 1.0e0 AS sign), STRUCT(1, 0, 0.5e0), STRUCT(0, 1, 0.25e0), STRUCT(1, 1, -1.0e0), STRUCT(0, 2147483646, 1.0e0), STRUCT(1, 2147483646, -2.0e0)])),
sums12 AS (SELECT r, c AS f, SUM(sign * x) AS x
FROM cells9 JOIN signs11 USING (f)
GROUP BY r, c),
outputs13 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS INT64) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2),
result14 AS (SELECT s.r AS r, s.c0 AS c0, s.c1 AS c1, s.ok AS ok, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM sqlrp_temporary_0 s CROSS JOIN outputs13 n
LEFT JOIN sums12 z ON z.r = s.r AND z.f = n.f)
SELECT c0 AS `id`, c1 AS `label`, x0+ok AS z0, x1+ok AS z1
FROM (SELECT c0, c1, ok, MAX(CASE WHEN f = 0 THEN CAST(x AS FLOAT64) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS FLOAT64) END) AS x1 FROM result14 GROUP BY r, c0, c1, ok) s;


-- ======== redshift
-- 3 statements: run them in this order in one session. Statement 2 returns the rows.
CREATE TEMPORARY TABLE sqlrp_temporary_0 AS SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 END AS ok, row_number() OVER () AS r, (CAST("a" AS DOUBLE PRECISION)-CAST('0.5' AS DOUBLE PRECISION)) AS x0, (CAST("b" AS DOUBLE PRECISION)-CAST('1.0' AS DOUBLE PRECISION))*CAST('2.0' AS DOUBLE PRECISION) AS x1, CAST("it's c" AS DOUBLE PRECISION)*CAST('0.25' AS DOUBLE PRECISION) AS x2, (CAST("d ""quoted""" AS DOUBLE PRECISION)+CAST('1.0' AS DOUBLE PRECISION))*CAST('4.0' AS DOUBLE PRECISION) AS x3 FROM "shop"."images";
WITH cells0 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM sqlrp_temporary_0 CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) counted),
features1 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
components2 AS (SELECT c, ((((((((1207422803*c+1554021005)*c+940132630)*c+1202754055)*c+1339085487)*c+308160061)*c+1073599193)*c+1496043970) % 2147483647) AS b0, ((((((((695715121*c+1050305301)*c+1174479125)*c+77190952)*c+1559899810)*c+98088592)*c+1491132665)*c+1612041911) % 2147483647) AS b1, ((((((((266018135*c+1347893375)*c+857912869)*c+222066450)*c+569881106)*c+1978271943)*c+144005368)*c+453062626) % 2147483647) AS b2, ((((((((712970553*c+986047398)*c+656026341)*c+305698416)*c+2144627527)*c+1358167319)*c+1969862486)*c+2023595005) % 2147483647) AS b3,
  ((((((((1832410929*c+515607408)*c+872307825)*c+512510187)*c+1572092133)*c+827115265)*c+1341515075)*c+1191955192) % 2147483647) AS b4, ((((((((440023740*c+1789843104)*c+85512086)*c+748716940)*c+828250944)*c+1719596919)*c+1783190857)*c+1714556674) % 2147483647) AS b5, ((((((((1229410488*c+1140486993)*c+930223432)*c+2069346305)*c+1577410622)*c+1795527457)*c+1372741064)*c+319245571) % 2147483647) AS b6, ((((((((977490620*c+1371363093)*c+708385131)*c+1899269072)*c+929569986)*c+345679816)*c+974472240)*c+434820976) % 2147483647) AS b7
FROM (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS c FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2) n),
signs3 AS (SELECT CAST(c AS BIGINT) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features1 CROSS JOIN components2) drawn
WHERE h < 2147483647),
sums4 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE CAST('0.0' AS DOUBLE PRECISION) - x END) AS x
FROM cells0 JOIN signs3 USING (f)
GROUP BY r, c),
features5 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2),
cells6 AS (SELECT s.r AS r, e.f AS f, coalesce(CAST(k.x AS DOUBLE PRECISION), CAST('0.0' AS DOUBLE PRECISION)) AS x FROM sqlrp_temporary_0 s CROSS JOIN features5 e LEFT JOIN sums4 k ON k.r = s.r AND k.f = e.f),
cells7 AS (SELECT c.r AS r, c.f AS f, (c.x - t.m) * coalesce(t.w, CAST('1.0' AS DOUBLE PRECISION)) AS x FROM (SELECT * FROM cells6) c LEFT JOIN (SELECT 0 AS f, CAST('0.353553391' AS DOUBLE PRECISION) AS w, CAST('1.41421356' AS DOUBLE PRECISION) AS m UNION ALL SELECT 1 AS f, CAST('1.41421356' AS DOUBLE PRECISION) AS w, CAST('0.0' AS DOUBLE PRECISION) AS m) t ON t.f = c.f),
normalised8 AS (SELECT r, f, x/CASE WHEN n = 0 THEN 1 ELSE n END AS x FROM (SELECT r, f, x, sqrt(SUM(x*x) OVER (PARTITION BY r)) AS n FROM cells7) s),
cells9 AS (SELECT r, f, x FROM normalised8 UNION ALL SELECT r, 2147483646, CAST('1.0' AS DOUBLE PRECISION) FROM sqlrp_temporary_0),
features10 AS (SELECT f FROM features5 UNION ALL SELECT 2147483646),
signs11 AS (SELECT 0 AS c, 0 AS f, CAST('1.0' AS DOUBLE PRECISION) AS sign UNION ALL SELECT 1 AS c, 0 AS f, CAST('0.5' AS DOUBLE PRECISION) AS sign UNION ALL SELECT 0 AS c, 1 AS f, CAST('0.25' AS DOUBLE PRECISION) AS sign UNION ALL SELECT 1 AS c, 1 AS f, CAST('-1.0' AS DOUBLE PRECISION) AS sign UNION ALL SELECT 0 AS c, 2147483646 AS f, CAST('1.0' AS DOUBLE PRECISION) AS sign UNION ALL SELECT 1 AS c, 2147483646 AS f, CAST('-2.0' AS DOUBLE PRECISION) AS sign),
sums12 AS (SELECT r, c AS f, SUM(sign * x) AS x
FROM cells9 JOIN signs11 USING (f)
GROUP BY r, c),
outputs13 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2),
result14 AS (SELECT s.r AS r, s.c0 AS c0, s.c1 AS c1, s.ok AS ok, n.f AS f, coalesce(z.x, CAST('0.0' AS DOUBLE PRECISION)) AS x
FROM sqlrp_temporary_0 s CROSS JOIN outputs13 n
LEFT JOIN sums12 z ON z.r = s.r AND z.f = n.f)
SELECT c0 AS "id", c1 AS "label", x0+ok AS z0, x1+ok AS z1
FROM (SELECT c0, c1, ok, MAX(CASE WHEN f = 0 THEN CAST(x AS DOUBLE PRECISION) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS DOUBLE PRECISION) END) AS x1 FROM result14 GROUP BY r, c0, c1, ok) s;
DROP TABLE IF EXISTS sqlrp_temporary_0;


-- ======== databricks
-- 3 statements: run them in this order in one session. Statement 2 returns the rows.
CREATE TABLE sqlrp_temporary_0 AS SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 END AS ok, monotonically_increasing_id() AS r, (CAST(`a` AS DOUBLE)-0.5e0) AS x0, (CAST(`b` AS DOUBLE)-1.0e0)*2.0e0 AS x1, CAST(`it's c` AS DOUBLE)*0.25e0 AS x2, (CAST(`d "quoted"` AS DOUBLE)+1.0e0)*4.0e0 AS x3 FROM `shop`.`images`;
WITH cells0 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM sqlrp_temporary_0 CROSS JOIN (SELECT id AS n FROM range(4)) counted),
features1 AS (SELECT id AS f FROM range(4)),
components2 AS (SELECT c, ((((((((1207422803*c+1554021005)*c+940132630)*c+1202754055)*c+1339085487)*c+308160061)*c+1073599193)*c+1496043970) % 2147483647) AS b0, ((((((((695715121*c+1050305301)*c+1174479125)*c+77190952)*c+1559899810)*c+98088592)*c+1491132665)*c+1612041911) % 2147483647) AS b1, ((((((((266018135*c+1347893375)*c+857912869)*c+222066450)*c+569881106)*c+1978271943)*c+144005368)*c+453062626) % 2147483647) AS b2, ((((((((712970553*c+986047398)*c+656026341)*c+305698416)*c+2144627527)*c+1358167319)*c+1969862486)*c+2023595005) % 2147483647) AS b3,
  ((((((((1832410929*c+515607408)*c+872307825)*c+512510187)*c+1572092133)*c+827115265)*c+1341515075)*c+1191955192) % 2147483647) AS b4, ((((((((440023740*c+1789843104)*c+85512086)*c+748716940)*c+828250944)*c+1719596919)*c+1783190857)*c+1714556674) % 2147483647) AS b5, ((((((((1229410488*c+1140486993)*c+930223432)*c+2069346305)*c+1577410622)*c+1795527457)*c+1372741064)*c+319245571) % 2147483647) AS b6, ((((((((977490620*c+1371363093)*c+708385131)*c+1899269072)*c+929569986)*c+345679816)*c+974472240)*c+434820976) % 2147483647) AS b7
FROM (SELECT id AS c FROM range(2)) n),
signs3 AS (SELECT CAST(c AS BIGINT) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features1 CROSS JOIN components2) drawn
WHERE h < 2147483647),
sums4 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM cells0 JOIN signs3 USING (f)
GROUP BY r, c),
features5 AS (SELECT id AS f FROM range(2)),
cells6 AS (SELECT s.r AS r, e.f AS f, coalesce(CAST(k.x AS DOUBLE), 0.0e0) AS x FROM sqlrp_temporary_0 s CROSS JOIN features5 e LEFT JOIN sums4 k ON k.r = s.r AND k.f = e.f),
cells7 AS (SELECT c.r AS r, c.f AS f, (c.x - t.m) * coalesce(t.w, 1.0e0) AS x FROM (SELECT * FROM cells6) c LEFT JOIN (SELECT f, w, m FROM (VALUES (0, 0.353553391, 1.41421356), (1, 1.41421356, 0.0e0)) AS listed(f, w, m)) t ON t.f = c.f),
normalised8 AS (SELECT r, f, x/CASE WHEN n = 0 THEN 1 ELSE n END AS x FROM (SELECT r, f, x, sqrt(SUM(x*x) OVER (PARTITION BY r)) AS n FROM cells7) s),
cells9 AS (SELECT r, f, x FROM normalised8 UNION ALL SELECT r, 2147483646, 1.0e0 FROM sqlrp_temporary_0),
features10 AS (SELECT f FROM features5 UNION ALL SELECT 2147483646),
signs11 AS (SELECT c, f, sign FROM (VALUES (0, 0, 1.0e0), (1, 0, 0.5e0), (0, 1, 0.25e0), (1, 1, -1.0e0), (0, 2147483646, 1.0e0), (1, 2147483646, -2.0e0)) AS listed(c, f, sign)),
sums12 AS (SELECT r, c AS f, SUM(sign * x) AS x
FROM cells9 JOIN signs11 USING (f)
GROUP BY r, c),
outputs13 AS (SELECT id AS f FROM range(2)),
result14 AS (SELECT s.r AS r, s.c0 AS c0, s.c1 AS c1, s.ok AS ok, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM sqlrp_temporary_0 s CROSS JOIN outputs13 n
LEFT JOIN sums12 z ON z.r = s.r AND z.f = n.f)
SELECT c0 AS `id`, c1 AS `label`, x0+ok AS z0, x1+ok AS z1
FROM (SELECT c0, c1, ok, MAX(CASE WHEN f = 0 THEN CAST(x AS DOUBLE) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS DOUBLE) END) AS x1 FROM result14 GROUP BY r, c0, c1, ok) s;
DROP TABLE IF EXISTS sqlrp_temporary_0;


-- ======== trino
-- 3 statements: run them in this order in one session. Statement 2 returns the rows.
CREATE TABLE sqlrp_temporary_0 AS SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 END AS ok, row_number() OVER () AS r, (CAST("a" AS DOUBLE)-0.5e0) AS x0, (CAST("b" AS DOUBLE)-1.0e0)*2.0e0 AS x1, CAST("it's c" AS DOUBLE)*0.25e0 AS x2, (CAST("d ""quoted""" AS DOUBLE)+1.0e0)*4.0e0 AS x3 FROM "shop"."images";
WITH cells0 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM sqlrp_temporary_0 CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) counted),
features1 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
components2 AS (SELECT c, ((((((((1207422803*c+1554021005)*c+940132630)*c+1202754055)*c+1339085487)*c+308160061)*c+1073599193)*c+1496043970) % 2147483647) AS b0, ((((((((695715121*c+1050305301)*c+1174479125)*c+77190952)*c+1559899810)*c+98088592)*c+1491132665)*c+1612041911) % 2147483647) AS b1, ((((((((266018135*c+1347893375)*c+857912869)*c+222066450)*c+569881106)*c+1978271943)*c+144005368)*c+453062626) % 2147483647) AS b2, ((((((((712970553*c+986047398)*c+656026341)*c+305698416)*c+2144627527)*c+1358167319)*c+1969862486)*c+2023595005) % 2147483647) AS b3,
  ((((((((1832410929*c+515607408)*c+872307825)*c+512510187)*c+1572092133)*c+827115265)*c+1341515075)*c+1191955192) % 2147483647) AS b4, ((((((((440023740*c+1789843104)*c+85512086)*c+748716940)*c+828250944)*c+1719596919)*c+1783190857)*c+1714556674) % 2147483647) AS b5, ((((((((1229410488*c+1140486993)*c+930223432)*c+2069346305)*c+1577410622)*c+1795527457)*c+1372741064)*c+319245571) % 2147483647) AS b6, ((((((((977490620*c+1371363093)*c+708385131)*c+1899269072)*c+929569986)*c+345679816)*c+974472240)*c+434820976) % 2147483647) AS b7
FROM (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS c FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2) n),
signs3 AS (SELECT CAST(c AS BIGINT) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features1 CROSS JOIN components2) drawn
WHERE h < 2147483647),
sums4 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM cells0 JOIN signs3 USING (f)
GROUP BY r, c),
features5 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2),
cells6 AS (SELECT s.r AS r, e.f AS f, coalesce(CAST(k.x AS DOUBLE), 0.0e0) AS x FROM sqlrp_temporary_0 s CROSS JOIN features5 e LEFT JOIN sums4 k ON k.r = s.r AND k.f = e.f),
cells7 AS (SELECT c.r AS r, c.f AS f, (c.x - t.m) * coalesce(t.w, 1.0e0) AS x FROM (SELECT * FROM cells6) c LEFT JOIN (SELECT f, w, m FROM (VALUES (0, 0.353553391, 1.41421356), (1, 1.41421356, 0.0e0)) AS listed(f, w, m)) t ON t.f = c.f),
normalised8 AS (SELECT r, f, x/CASE WHEN n = 0 THEN 1 ELSE n END AS x FROM (SELECT r, f, x, sqrt(SUM(x*x) OVER (PARTITION BY r)) AS n FROM cells7) s),
cells9 AS (SELECT r, f, x FROM normalised8 UNION ALL SELECT r, 2147483646, 1.0e0 FROM sqlrp_temporary_0),
features10 AS (SELECT f FROM features5 UNION ALL SELECT 2147483646),
signs11 AS (SELECT c, f, sign FROM (VALUES (0, 0, 1.0e0), (1, 0, 0.5e0), (0, 1, 0.25e0), (1, 1, -1.0e0), (0, 2147483646, 1.0e0), (1, 2147483646, -2.0e0)) AS listed(c, f, sign)),
sums12 AS (SELECT r, c AS f, SUM(sign * x) AS x
FROM cells9 JOIN signs11 USING (f)
GROUP BY r, c),
outputs13 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2),
result14 AS (SELECT s.r AS r, s.c0 AS c0, s.c1 AS c1, s.ok AS ok, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM sqlrp_temporary_0 s CROSS JOIN outputs13 n
LEFT JOIN sums12 z ON z.r = s.r AND z.f = n.f)
SELECT c0 AS "id", c1 AS "label", x0+ok AS z0, x1+ok AS z1
FROM (SELECT c0, c1, ok, MAX(CASE WHEN f = 0 THEN CAST(x AS DOUBLE) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS DOUBLE) END) AS x1 FROM result14 GROUP BY r, c0, c1, ok) s;
DROP TABLE IF EXISTS sqlrp_temporary_0;


-- ======== sqlserver
-- 33 statements: run them in this order in one session. Statement 17 returns the rows.
SELECT * INTO #sqlrp_temporary_0 FROM (SELECT [id] AS c0, [label] AS c1, CASE WHEN ([a] IS NOT NULL AND [b] IS NOT NULL AND [it's c] IS NOT NULL AND [d "quoted"] IS NOT NULL) THEN 0 END AS ok, row_number() OVER (ORDER BY (SELECT NULL)) AS r, (CAST([a] AS FLOAT)-0.5e0) AS x0, (CAST([b] AS FLOAT)-1.0e0)*2.0e0 AS x1, CAST([it's c] AS FLOAT)*0.25e0 AS x2, (CAST([d "quoted"] AS FLOAT)+1.0e0)*4.0e0 AS x3 FROM [shop].[images]) s;
SELECT * INTO #sqlrp_temporary_1 FROM (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM #sqlrp_temporary_0 CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS n FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) counted) s;
SELECT * INTO #sqlrp_temporary_2 FROM (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) s;
SELECT * INTO #sqlrp_temporary_3 FROM (SELECT c, ((((((((1207422803*c+1554021005)*c+940132630)*c+1202754055)*c+1339085487)*c+308160061)*c+1073599193)*c+1496043970) % 2147483647) AS b0, ((((((((695715121*c+1050305301)*c+1174479125)*c+77190952)*c+1559899810)*c+98088592)*c+1491132665)*c+1612041911) % 2147483647) AS b1, ((((((((266018135*c+1347893375)*c+857912869)*c+222066450)*c+569881106)*c+1978271943)*c+144005368)*c+453062626) % 2147483647) AS b2, ((((((((712970553*c+986047398)*c+656026341)*c+305698416)*c+2144627527)*c+1358167319)*c+1969862486)*c+2023595005) % 2147483647) AS b3,
  ((((((((1832410929*c+515607408)*c+872307825)*c+512510187)*c+1572092133)*c+827115265)*c+1341515075)*c+1191955192) % 2147483647) AS b4, ((((((((440023740*c+1789843104)*c+85512086)*c+748716940)*c+828250944)*c+1719596919)*c+1783190857)*c+1714556674) % 2147483647) AS b5, ((((((((1229410488*c+1140486993)*c+930223432)*c+2069346305)*c+1577410622)*c+1795527457)*c+1372741064)*c+319245571) % 2147483647) AS b6, ((((((((977490620*c+1371363093)*c+708385131)*c+1899269072)*c+929569986)*c+345679816)*c+974472240)*c+434820976) % 2147483647) AS b7
FROM (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS c FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2) n) s;
SELECT * INTO #sqlrp_temporary_4 FROM (SELECT CAST(c AS BIGINT) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM #sqlrp_temporary_2 CROSS JOIN #sqlrp_temporary_3) drawn
WHERE h < 2147483647) s;
SELECT * INTO #sqlrp_temporary_5 FROM (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM #sqlrp_temporary_1 JOIN #sqlrp_temporary_4 ON #sqlrp_temporary_1.f = #sqlrp_temporary_4.f
GROUP BY r, c) s;
SELECT * INTO #sqlrp_temporary_6 FROM (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2) s;
SELECT * INTO #sqlrp_temporary_7 FROM (SELECT s.r AS r, e.f AS f, coalesce(CAST(k.x AS FLOAT), 0.0e0) AS x FROM #sqlrp_temporary_0 s CROSS JOIN #sqlrp_temporary_6 e LEFT JOIN #sqlrp_temporary_5 k ON k.r = s.r AND k.f = e.f) s;
SELECT * INTO #sqlrp_temporary_8 FROM (SELECT c.r AS r, c.f AS f, (c.x - t.m) * coalesce(t.w, 1.0e0) AS x FROM (SELECT * FROM #sqlrp_temporary_7) c LEFT JOIN (SELECT f, w, m FROM (VALUES (0, 0.353553391, 1.41421356), (1, 1.41421356, 0.0e0)) AS listed(f, w, m)) t ON t.f = c.f) s;
SELECT * INTO #sqlrp_temporary_9 FROM (SELECT r, f, x/CASE WHEN n = 0 THEN 1 ELSE n END AS x FROM (SELECT r, f, x, sqrt(SUM(x*x) OVER (PARTITION BY r)) AS n FROM #sqlrp_temporary_8) s) s;
SELECT * INTO #sqlrp_temporary_10 FROM (SELECT r, f, x FROM #sqlrp_temporary_9 UNION ALL SELECT r, 2147483646, 1.0e0 FROM #sqlrp_temporary_0) s;
SELECT * INTO #sqlrp_temporary_11 FROM (SELECT f FROM #sqlrp_temporary_6 UNION ALL SELECT 2147483646) s;
SELECT * INTO #sqlrp_temporary_12 FROM (SELECT c, f, sign FROM (VALUES (0, 0, 1.0e0), (1, 0, 0.5e0), (0, 1, 0.25e0), (1, 1, -1.0e0), (0, 2147483646, 1.0e0), (1, 2147483646, -2.0e0)) AS listed(c, f, sign)) s;
SELECT * INTO #sqlrp_temporary_13 FROM (SELECT r, c AS f, SUM(sign * x) AS x
FROM #sqlrp_temporary_10 JOIN #sqlrp_temporary_12 ON #sqlrp_temporary_10.f = #sqlrp_temporary_12.f
GROUP BY r, c) s;
SELECT * INTO #sqlrp_temporary_14 FROM (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2) s;
SELECT * INTO #sqlrp_temporary_15 FROM (SELECT s.r AS r, s.c0 AS c0, s.c1 AS c1, s.ok AS ok, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM #sqlrp_temporary_0 s CROSS JOIN #sqlrp_temporary_14 n
LEFT JOIN #sqlrp_temporary_13 z ON z.r = s.r AND z.f = n.f) s;
SELECT c0 AS [id], c1 AS [label], x0+ok AS z0, x1+ok AS z1
FROM (SELECT c0, c1, ok, MAX(CASE WHEN f = 0 THEN CAST(x AS FLOAT) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS FLOAT) END) AS x1 FROM #sqlrp_temporary_15 GROUP BY r, c0, c1, ok) s;
DROP TABLE IF EXISTS #sqlrp_temporary_15;
DROP TABLE IF EXISTS #sqlrp_temporary_14;
DROP TABLE IF EXISTS #sqlrp_temporary_13;
DROP TABLE IF EXISTS #sqlrp_temporary_12;
DROP TABLE IF EXISTS #sqlrp_temporary_11;
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
-- SourceError: name 'd "quoted"' holds a double quote, which oracle refuses: rename

-- ======== generic
WITH source0 AS (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 END AS ok, row_number() OVER (ORDER BY "id", "label", "a", "b", "it's c", "d ""quoted""") AS r, (CAST("a" AS DOUBLE PRECISION)-0.5e0) AS x0, (CAST("b" AS DOUBLE PRECISION)-1.0e0)*2.0e0 AS x1, CAST("it's c" AS DOUBLE PRECISION)*0.25e0 AS x2, (CAST("d ""quoted""" AS DOUBLE PRECISION)+1.0e0)*4.0e0 AS x3 FROM "shop"."images"),
cells1 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM source0 CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 AS d UNION ALL SELECT 2 AS d UNION ALL SELECT 3 AS d UNION ALL SELECT 4 AS d UNION ALL SELECT 5 AS d UNION ALL SELECT 6 AS d UNION ALL SELECT 7 AS d UNION ALL SELECT 8 AS d UNION ALL SELECT 9 AS d) d0 WHERE 1 * d0.d < 4) counted),
features2 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 AS d UNION ALL SELECT 2 AS d UNION ALL SELECT 3 AS d UNION ALL SELECT 4 AS d UNION ALL SELECT 5 AS d UNION ALL SELECT 6 AS d UNION ALL SELECT 7 AS d UNION ALL SELECT 8 AS d UNION ALL SELECT 9 AS d) d0 WHERE 1 * d0.d < 4),
components3 AS (SELECT c, MOD((((((((1207422803*c+1554021005)*c+940132630)*c+1202754055)*c+1339085487)*c+308160061)*c+1073599193)*c+1496043970), 2147483647) AS b0, MOD((((((((695715121*c+1050305301)*c+1174479125)*c+77190952)*c+1559899810)*c+98088592)*c+1491132665)*c+1612041911), 2147483647) AS b1, MOD((((((((266018135*c+1347893375)*c+857912869)*c+222066450)*c+569881106)*c+1978271943)*c+144005368)*c+453062626), 2147483647) AS b2, MOD((((((((712970553*c+986047398)*c+656026341)*c+305698416)*c+2144627527)*c+1358167319)*c+1969862486)*c+2023595005), 2147483647) AS b3,
  MOD((((((((1832410929*c+515607408)*c+872307825)*c+512510187)*c+1572092133)*c+827115265)*c+1341515075)*c+1191955192), 2147483647) AS b4, MOD((((((((440023740*c+1789843104)*c+85512086)*c+748716940)*c+828250944)*c+1719596919)*c+1783190857)*c+1714556674), 2147483647) AS b5, MOD((((((((1229410488*c+1140486993)*c+930223432)*c+2069346305)*c+1577410622)*c+1795527457)*c+1372741064)*c+319245571), 2147483647) AS b6, MOD((((((((977490620*c+1371363093)*c+708385131)*c+1899269072)*c+929569986)*c+345679816)*c+974472240)*c+434820976), 2147483647) AS b7
FROM (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS c FROM (SELECT 0 AS d UNION ALL SELECT 1 AS d UNION ALL SELECT 2 AS d UNION ALL SELECT 3 AS d UNION ALL SELECT 4 AS d UNION ALL SELECT 5 AS d UNION ALL SELECT 6 AS d UNION ALL SELECT 7 AS d UNION ALL SELECT 8 AS d UNION ALL SELECT 9 AS d) d0 WHERE 1 * d0.d < 2) n),
signs4 AS (SELECT CAST(c AS BIGINT) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, MOD((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0), 2147483647) AS h FROM features2 CROSS JOIN components3) drawn
WHERE h < 2147483647),
sums5 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM cells1 JOIN signs4 USING (f)
GROUP BY r, c),
features6 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 AS d UNION ALL SELECT 2 AS d UNION ALL SELECT 3 AS d UNION ALL SELECT 4 AS d UNION ALL SELECT 5 AS d UNION ALL SELECT 6 AS d UNION ALL SELECT 7 AS d UNION ALL SELECT 8 AS d UNION ALL SELECT 9 AS d) d0 WHERE 1 * d0.d < 2),
cells7 AS (SELECT s.r AS r, e.f AS f, coalesce(CAST(k.x AS DOUBLE PRECISION), 0.0e0) AS x FROM source0 s CROSS JOIN features6 e LEFT JOIN sums5 k ON k.r = s.r AND k.f = e.f),
cells8 AS (SELECT c.r AS r, c.f AS f, (c.x - t.m) * coalesce(t.w, 1.0e0) AS x FROM (SELECT * FROM cells7) c LEFT JOIN (SELECT f, w, m FROM (SELECT 0 AS f, 0.353553391 AS w, 1.41421356 AS m UNION ALL SELECT 1 AS f, 1.41421356 AS w, 0.0e0 AS m) s) t ON t.f = c.f),
normalised9 AS (SELECT r, f, x/CASE WHEN n = 0 THEN 1 ELSE n END AS x FROM (SELECT r, f, x, sqrt(SUM(x*x) OVER (PARTITION BY r)) AS n FROM cells8) s),
cells10 AS (SELECT r, f, x FROM normalised9 UNION ALL SELECT r, 2147483646, 1.0e0 FROM source0),
features11 AS (SELECT f FROM features6 UNION ALL SELECT 2147483646),
signs12 AS (SELECT c, f, sign FROM (SELECT 0 AS c, 0 AS f, 1.0e0 AS sign UNION ALL SELECT 1 AS c, 0 AS f, 0.5e0 AS sign UNION ALL SELECT 0 AS c, 1 AS f, 0.25e0 AS sign UNION ALL SELECT 1 AS c, 1 AS f, -1.0e0 AS sign UNION ALL SELECT 0 AS c, 2147483646 AS f, 1.0e0 AS sign UNION ALL SELECT 1 AS c, 2147483646 AS f, -2.0e0 AS sign) s),
sums13 AS (SELECT r, c AS f, SUM(sign * x) AS x
FROM cells10 JOIN signs12 USING (f)
GROUP BY r, c),
outputs14 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 AS d UNION ALL SELECT 2 AS d UNION ALL SELECT 3 AS d UNION ALL SELECT 4 AS d UNION ALL SELECT 5 AS d UNION ALL SELECT 6 AS d UNION ALL SELECT 7 AS d UNION ALL SELECT 8 AS d UNION ALL SELECT 9 AS d) d0 WHERE 1 * d0.d < 2),
result15 AS (SELECT s.r AS r, s.c0 AS c0, s.c1 AS c1, s.ok AS ok, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM source0 s CROSS JOIN outputs14 n
LEFT JOIN sums13 z ON z.r = s.r AND z.f = n.f)
SELECT c0 AS "id", c1 AS "label", x0+ok AS "z0", x1+ok AS "z1"
FROM (SELECT c0, c1, ok, MAX(CASE WHEN f = 0 THEN CAST(x AS DOUBLE PRECISION) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS DOUBLE PRECISION) END) AS x1 FROM result15 GROUP BY r, c0, c1, ok) s
