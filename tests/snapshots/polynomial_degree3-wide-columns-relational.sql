-- PolynomialKernelProjection(k=2, s=2, seed=3, degree=3, p=None, t=1, c=0.0, minimise_repetition=True, vectors='sign')
-- wide rows of doubles; output = 'columns', nulls = 'zero', scale = True, lowering = 'relational'

-- ======== duckdb
WITH source0 AS MATERIALIZED (SELECT "id" AS c0, "label" AS c1, row_number() OVER () AS r, [coalesce(CAST("a" AS DOUBLE),0.0e0), coalesce(CAST("b" AS DOUBLE),0.0e0), coalesce(CAST("it's c" AS DOUBLE),0.0e0), coalesce(CAST("d ""quoted""" AS DOUBLE),0.0e0)] AS x FROM "shop"."images"),
cells1 AS MATERIALIZED (SELECT r, unnest(range(len(x))) AS f, unnest(x) AS x FROM source0),
features2 AS MATERIALIZED (SELECT CAST(range AS BIGINT) AS f FROM range(4)),
components3 AS MATERIALIZED (SELECT c, ((((((((1574893309*c+942081650)*c+1092796033)*c+322452265)*c+86370456)*c+1110696561)*c+448051154)*c+856258980) % 2147483647) AS b0, ((((((((2056226372*c+1511295235)*c+539795458)*c+1159429077)*c+1053340421)*c+901923700)*c+1089424396)*c+1311171650) % 2147483647) AS b1, ((((((((777863992*c+367405606)*c+1650369878)*c+798028340)*c+2001434510)*c+1882049785)*c+1099353589)*c+846700147) % 2147483647) AS b2, ((((((((311309982*c+1149598721)*c+1023396328)*c+1533247230)*c+1959065055)*c+1769436734)*c+1578108253)*c+1041103719) % 2147483647) AS b3,
  ((((((((514913104*c+366078430)*c+1225065059)*c+338158126)*c+804154756)*c+187762281)*c+369983030)*c+621715357) % 2147483647) AS b4, ((((((((2063910851*c+120900845)*c+722046603)*c+1322361769)*c+109934394)*c+1005860937)*c+413945999)*c+1458259688) % 2147483647) AS b5, ((((((((225408579*c+721434976)*c+575616254)*c+227350401)*c+23079792)*c+345595115)*c+1987942659)*c+970419334) % 2147483647) AS b6, ((((((((253159133*c+246347483)*c+1289542640)*c+250933439)*c+2074216698)*c+222556151)*c+1631786136)*c+177031234) % 2147483647) AS b7
FROM (SELECT CAST(range AS BIGINT) AS c FROM range(4)) n),
signs4 AS MATERIALIZED (SELECT CAST(c AS INTEGER) AS c, f, CASE WHEN h < 536870911 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features2 CROSS JOIN components3) drawn
WHERE h < 1073741823),
sums5 AS MATERIALIZED (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM cells1 JOIN signs4 USING (f)
GROUP BY r, c),
features6 AS MATERIALIZED (SELECT CAST(range AS BIGINT) AS f FROM range(4)),
cells7 AS MATERIALIZED (SELECT r, f, x FROM sums5 UNION ALL
SELECT odd.r, e.f, 0.0e0 FROM (SELECT DISTINCT r FROM sums5 WHERE NOT isfinite(x)) odd
CROSS JOIN features6 e
WHERE NOT EXISTS (SELECT 1 FROM sums5 k WHERE k.r = odd.r AND k.f = e.f)),
index_table8 AS MATERIALIZED (SELECT unnest(CAST(string_split(concat('0,1', t), ',') AS BIGINT[])) AS c, unnest(CAST(string_split(concat('2,1', t), ',') AS BIGINT[])) AS v0, unnest(CAST(string_split(concat('3,2', t), ',') AS BIGINT[])) AS v1, unnest(CAST(string_split(concat('0,0', t), ',') AS BIGINT[])) AS v2 FROM (VALUES ('')) v(t)),
products9 AS MATERIALIZED (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS DOUBLE)*CAST(k1.x AS DOUBLE)*CAST(k2.x AS DOUBLE)) AS x
FROM index_table8 i JOIN cells7 k0 ON k0.f = i.v0 JOIN cells7 k1 ON k1.f = i.v1 AND k0.r = k1.r JOIN cells7 k2 ON k2.f = i.v2 AND k0.r = k2.r
GROUP BY k0.r, i.c)
SELECT c0 AS "id", c1 AS "label", 2.0e0*x[1] AS z0, 2.0e0*x[2] AS z1
FROM (SELECT s.c0 AS c0, s.c1 AS c1, list_transform(range(2), lambda e: coalesce(z.x[list_position(z.f, CAST(e AS SMALLINT))], 0.0e0)) AS x
FROM source0 s LEFT JOIN (SELECT r, list(CAST(f AS SMALLINT)) AS f, list(CAST(x AS DOUBLE)) AS x FROM products9 GROUP BY r) z ON z.r = s.r) s

-- ======== postgresql
WITH source0 AS MATERIALIZED (SELECT "id" AS c0, "label" AS c1, row_number() OVER () AS r, ARRAY[coalesce(CAST("a" AS double precision),CAST('0.0' AS double precision)),coalesce(CAST("b" AS double precision),CAST('0.0' AS double precision)),coalesce(CAST("it's c" AS double precision),CAST('0.0' AS double precision)),coalesce(CAST("d ""quoted""" AS double precision),CAST('0.0' AS double precision))] AS x FROM "shop"."images"),
cells1 AS MATERIALIZED (SELECT r, o - 1 AS f, e AS x
FROM source0, unnest(x) WITH ORDINALITY AS u(e, o)),
features2 AS MATERIALIZED (SELECT f FROM generate_series(CAST(0 AS bigint), 3) g(f)),
components3 AS MATERIALIZED (SELECT c, ((((((((1574893309*c+942081650)*c+1092796033)*c+322452265)*c+86370456)*c+1110696561)*c+448051154)*c+856258980) % 2147483647) AS b0, ((((((((2056226372*c+1511295235)*c+539795458)*c+1159429077)*c+1053340421)*c+901923700)*c+1089424396)*c+1311171650) % 2147483647) AS b1, ((((((((777863992*c+367405606)*c+1650369878)*c+798028340)*c+2001434510)*c+1882049785)*c+1099353589)*c+846700147) % 2147483647) AS b2, ((((((((311309982*c+1149598721)*c+1023396328)*c+1533247230)*c+1959065055)*c+1769436734)*c+1578108253)*c+1041103719) % 2147483647) AS b3,
  ((((((((514913104*c+366078430)*c+1225065059)*c+338158126)*c+804154756)*c+187762281)*c+369983030)*c+621715357) % 2147483647) AS b4, ((((((((2063910851*c+120900845)*c+722046603)*c+1322361769)*c+109934394)*c+1005860937)*c+413945999)*c+1458259688) % 2147483647) AS b5, ((((((((225408579*c+721434976)*c+575616254)*c+227350401)*c+23079792)*c+345595115)*c+1987942659)*c+970419334) % 2147483647) AS b6, ((((((((253159133*c+246347483)*c+1289542640)*c+250933439)*c+2074216698)*c+222556151)*c+1631786136)*c+177031234) % 2147483647) AS b7
FROM (SELECT c FROM generate_series(CAST(0 AS bigint), 3) g(c)) n),
signs4 AS MATERIALIZED (SELECT CAST(c AS integer) AS c, f, CASE WHEN h < 536870911 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features2 CROSS JOIN components3 OFFSET '0') drawn
WHERE h < 1073741823),
sums5 AS MATERIALIZED (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE CAST('0.0' AS double precision) - x END) AS x
FROM cells1 JOIN signs4 USING (f)
GROUP BY r, c),
features6 AS MATERIALIZED (SELECT f FROM generate_series(CAST(0 AS bigint), 3) g(f)),
cells7 AS MATERIALIZED (SELECT r, f, x FROM sums5 UNION ALL
SELECT odd.r, e.f, CAST('0.0' AS double precision) FROM (SELECT DISTINCT r FROM sums5 WHERE NOT (x NOT IN ('NaN', 'Infinity', '-Infinity'))) odd
CROSS JOIN features6 e
WHERE NOT EXISTS (SELECT 1 FROM sums5 k WHERE k.r = odd.r AND k.f = e.f)),
index_table8 AS MATERIALIZED (SELECT unnest(CAST('{0,1}' AS bigint[])) AS c, unnest(CAST('{2,1}' AS bigint[])) AS v0, unnest(CAST('{3,2}' AS bigint[])) AS v1, unnest(CAST('{0,0}' AS bigint[])) AS v2),
products9 AS MATERIALIZED (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS double precision)*CAST(k1.x AS double precision)*CAST(k2.x AS double precision)) AS x
FROM index_table8 i JOIN cells7 k0 ON k0.f = i.v0 JOIN cells7 k1 ON k1.f = i.v1 AND k0.r = k1.r JOIN cells7 k2 ON k2.f = i.v2 AND k0.r = k2.r
GROUP BY k0.r, i.c),
outputs10 AS MATERIALIZED (SELECT f FROM generate_series(CAST(0 AS bigint), 1) g(f)),
result11 AS MATERIALIZED (SELECT s.r AS r, n.f AS f, coalesce(z.x, CAST('0.0' AS double precision)) AS x
FROM source0 s CROSS JOIN outputs10 n
LEFT JOIN products9 z ON z.r = s.r AND z.f = n.f)
SELECT c0 AS "id", c1 AS "label", CAST('2.0' AS double precision)*x[1] AS z0, CAST('2.0' AS double precision)*x[2] AS z1
FROM (SELECT s.c0 AS c0, s.c1 AS c1, z.x AS x FROM source0 s JOIN (SELECT r, array_agg(CAST(x AS double precision) ORDER BY f) AS x FROM result11 GROUP BY r) z ON z.r = s.r) s

-- ======== sqlite
WITH source0 AS MATERIALIZED (SELECT `id` AS c0, `label` AS c1, row_number() OVER () AS r, coalesce(CASE WHEN `a` >= '' THEN json_type('{}', 'sqlrp: a feature in `a` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`a` AS REAL) END,0.0e0) AS x0, coalesce(CASE WHEN `b` >= '' THEN json_type('{}', 'sqlrp: a feature in `b` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`b` AS REAL) END,0.0e0) AS x1, coalesce(CASE WHEN `it's c` >= '' THEN json_type('{}', 'sqlrp: a feature in `it''s c` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`it's c` AS REAL) END,0.0e0) AS x2, coalesce(CASE WHEN `d "quoted"` >= '' THEN json_type('{}', 'sqlrp: a feature in `d "quoted"` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`d "quoted"` AS REAL) END,0.0e0) AS x3 FROM `shop`.`images`),
cells1 AS MATERIALIZED (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM source0 CROSS JOIN (WITH RECURSIVE counted AS (SELECT 0 AS n UNION ALL SELECT n + 1 FROM counted WHERE n < 3) SELECT n FROM counted) counted),
features2 AS MATERIALIZED (WITH RECURSIVE counted AS (SELECT 0 AS f UNION ALL SELECT f + 1 FROM counted WHERE f < 3) SELECT f FROM counted),
components3 AS MATERIALIZED (SELECT c, ((((((((1574893309*c+942081650)*c+1092796033)*c+322452265)*c+86370456)*c+1110696561)*c+448051154)*c+856258980) % 2147483647) AS b0, ((((((((2056226372*c+1511295235)*c+539795458)*c+1159429077)*c+1053340421)*c+901923700)*c+1089424396)*c+1311171650) % 2147483647) AS b1, ((((((((777863992*c+367405606)*c+1650369878)*c+798028340)*c+2001434510)*c+1882049785)*c+1099353589)*c+846700147) % 2147483647) AS b2, ((((((((311309982*c+1149598721)*c+1023396328)*c+1533247230)*c+1959065055)*c+1769436734)*c+1578108253)*c+1041103719) % 2147483647) AS b3,
  ((((((((514913104*c+366078430)*c+1225065059)*c+338158126)*c+804154756)*c+187762281)*c+369983030)*c+621715357) % 2147483647) AS b4, ((((((((2063910851*c+120900845)*c+722046603)*c+1322361769)*c+109934394)*c+1005860937)*c+413945999)*c+1458259688) % 2147483647) AS b5, ((((((((225408579*c+721434976)*c+575616254)*c+227350401)*c+23079792)*c+345595115)*c+1987942659)*c+970419334) % 2147483647) AS b6, ((((((((253159133*c+246347483)*c+1289542640)*c+250933439)*c+2074216698)*c+222556151)*c+1631786136)*c+177031234) % 2147483647) AS b7
FROM (WITH RECURSIVE counted AS (SELECT 0 AS c UNION ALL SELECT c + 1 FROM counted WHERE c < 3) SELECT c FROM counted) n),
signs4 AS MATERIALIZED (SELECT c AS c, f, CASE WHEN h < 536870911 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features2 CROSS JOIN components3 LIMIT -1 OFFSET 0) drawn
WHERE h < 1073741823),
sums5 AS MATERIALIZED (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM cells1 JOIN signs4 USING (f)
GROUP BY r, c),
features6 AS MATERIALIZED (WITH RECURSIVE counted AS (SELECT 0 AS f UNION ALL SELECT f + 1 FROM counted WHERE f < 3) SELECT f FROM counted),
index_table7 AS MATERIALIZED (SELECT CAST(json_extract(value, '$[0]') AS INTEGER) AS c, CAST(json_extract(value, '$[1]') AS INTEGER) AS v0, CAST(json_extract(value, '$[2]') AS INTEGER) AS v1, CAST(json_extract(value, '$[3]') AS INTEGER) AS v2 FROM json_each('[[0,2,3,0],[1,1,2,0]]')),
products8 AS MATERIALIZED (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS REAL)*CAST(k1.x AS REAL)*CAST(k2.x AS REAL)) AS x
FROM index_table7 i JOIN sums5 k0 ON k0.f = i.v0 JOIN sums5 k1 ON k1.f = i.v1 AND k0.r = k1.r JOIN sums5 k2 ON k2.f = i.v2 AND k0.r = k2.r
GROUP BY k0.r, i.c),
outputs9 AS MATERIALIZED (WITH RECURSIVE counted AS (SELECT 0 AS f UNION ALL SELECT f + 1 FROM counted WHERE f < 1) SELECT f FROM counted),
result10 AS MATERIALIZED (SELECT s.r AS r, s.c0 AS c0, s.c1 AS c1, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM source0 s CROSS JOIN outputs9 n
LEFT JOIN products8 z ON z.r = s.r AND z.f = n.f)
SELECT c0 AS `id`, c1 AS `label`, 2.0e0*x0 AS z0, 2.0e0*x1 AS z1
FROM (SELECT c0, c1, MAX(CASE WHEN f = 0 THEN CAST(x AS REAL) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS REAL) END) AS x1 FROM result10 GROUP BY r, c0, c1) s

-- ======== mariadb
-- 3 statements: run them in this order in one session. Statement 2 returns the rows.
CREATE TEMPORARY TABLE sqlrp_temporary_0 (KEY (r)) ENGINE=Aria AS SELECT `id` AS c0, `label` AS c1, row_number() OVER () AS r, coalesce(CAST(`a` AS DOUBLE),0.0e0) AS x0, coalesce(CAST(`b` AS DOUBLE),0.0e0) AS x1, coalesce(CAST(`it's c` AS DOUBLE),0.0e0) AS x2, coalesce(CAST(`d "quoted"` AS DOUBLE),0.0e0) AS x3 FROM `shop`.`images`;
WITH cells0 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM sqlrp_temporary_0 CROSS JOIN (SELECT CAST(seq AS SIGNED) AS n FROM seq_0_to_3) counted LIMIT 18446744073709551615),
features1 AS (SELECT CAST(seq AS SIGNED) AS f FROM seq_0_to_3 LIMIT 18446744073709551615),
components2 AS (SELECT c, ((((((((1574893309*c+942081650)*c+1092796033)*c+322452265)*c+86370456)*c+1110696561)*c+448051154)*c+856258980) % 2147483647) AS b0, ((((((((2056226372*c+1511295235)*c+539795458)*c+1159429077)*c+1053340421)*c+901923700)*c+1089424396)*c+1311171650) % 2147483647) AS b1, ((((((((777863992*c+367405606)*c+1650369878)*c+798028340)*c+2001434510)*c+1882049785)*c+1099353589)*c+846700147) % 2147483647) AS b2, ((((((((311309982*c+1149598721)*c+1023396328)*c+1533247230)*c+1959065055)*c+1769436734)*c+1578108253)*c+1041103719) % 2147483647) AS b3,
  ((((((((514913104*c+366078430)*c+1225065059)*c+338158126)*c+804154756)*c+187762281)*c+369983030)*c+621715357) % 2147483647) AS b4, ((((((((2063910851*c+120900845)*c+722046603)*c+1322361769)*c+109934394)*c+1005860937)*c+413945999)*c+1458259688) % 2147483647) AS b5, ((((((((225408579*c+721434976)*c+575616254)*c+227350401)*c+23079792)*c+345595115)*c+1987942659)*c+970419334) % 2147483647) AS b6, ((((((((253159133*c+246347483)*c+1289542640)*c+250933439)*c+2074216698)*c+222556151)*c+1631786136)*c+177031234) % 2147483647) AS b7
FROM (SELECT CAST(seq AS SIGNED) AS c FROM seq_0_to_3) n LIMIT 18446744073709551615),
signs3 AS (SELECT CAST(c AS SIGNED) AS c, f, CASE WHEN h < 536870911 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features1 CROSS JOIN components2 LIMIT 18446744073709551615) drawn
WHERE h < 1073741823 LIMIT 18446744073709551615),
sums4 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM cells0 JOIN signs3 USING (f)
GROUP BY r, c LIMIT 18446744073709551615),
features5 AS (SELECT CAST(seq AS SIGNED) AS f FROM seq_0_to_3 LIMIT 18446744073709551615),
index_table6 AS (SELECT c, v0, v1, v2 FROM JSON_TABLE('[[0,2,3,0],[1,1,2,0]]', '$[*]' COLUMNS (c BIGINT PATH '$[0]', v0 BIGINT PATH '$[1]', v1 BIGINT PATH '$[2]', v2 BIGINT PATH '$[3]')) listed LIMIT 18446744073709551615),
products7 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS DOUBLE)*CAST(k1.x AS DOUBLE)*CAST(k2.x AS DOUBLE)) AS x
FROM index_table6 i JOIN sums4 k0 ON k0.f = i.v0 JOIN sums4 k1 ON k1.f = i.v1 AND k0.r = k1.r JOIN sums4 k2 ON k2.f = i.v2 AND k0.r = k2.r
GROUP BY k0.r, i.c LIMIT 18446744073709551615),
outputs8 AS (SELECT CAST(seq AS SIGNED) AS f FROM seq_0_to_1 LIMIT 18446744073709551615),
result9 AS (SELECT s.r AS r, s.c0 AS c0, s.c1 AS c1, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM sqlrp_temporary_0 s CROSS JOIN outputs8 n
LEFT JOIN products7 z ON z.r = s.r AND z.f = n.f LIMIT 18446744073709551615)
SELECT c0 AS `id`, c1 AS `label`, 2.0e0*x0 AS z0, 2.0e0*x1 AS z1
FROM (SELECT c0, c1, MAX(CASE WHEN f = 0 THEN CAST(x AS DOUBLE) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS DOUBLE) END) AS x1 FROM result9 GROUP BY r, c0, c1) s;
DROP TEMPORARY TABLE IF EXISTS sqlrp_temporary_0;


-- ======== mysql
WITH source0 AS (SELECT `id` AS c0, `label` AS c1, row_number() OVER () AS r, coalesce(CAST(`a` AS DOUBLE),0.0e0) AS x0, coalesce(CAST(`b` AS DOUBLE),0.0e0) AS x1, coalesce(CAST(`it's c` AS DOUBLE),0.0e0) AS x2, coalesce(CAST(`d "quoted"` AS DOUBLE),0.0e0) AS x3 FROM `shop`.`images`),
cells1 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM source0 CROSS JOIN (SELECT CAST(n AS SIGNED) - 1 AS n FROM JSON_TABLE(concat('[0', repeat(',0', 3), ']'), '$[*]' COLUMNS (n FOR ORDINALITY)) listed) counted),
features2 AS (SELECT CAST(n AS SIGNED) - 1 AS f FROM JSON_TABLE(concat('[0', repeat(',0', 3), ']'), '$[*]' COLUMNS (n FOR ORDINALITY)) listed),
components3 AS (SELECT c, ((((((((1574893309*c+942081650)*c+1092796033)*c+322452265)*c+86370456)*c+1110696561)*c+448051154)*c+856258980) % 2147483647) AS b0, ((((((((2056226372*c+1511295235)*c+539795458)*c+1159429077)*c+1053340421)*c+901923700)*c+1089424396)*c+1311171650) % 2147483647) AS b1, ((((((((777863992*c+367405606)*c+1650369878)*c+798028340)*c+2001434510)*c+1882049785)*c+1099353589)*c+846700147) % 2147483647) AS b2, ((((((((311309982*c+1149598721)*c+1023396328)*c+1533247230)*c+1959065055)*c+1769436734)*c+1578108253)*c+1041103719) % 2147483647) AS b3,
  ((((((((514913104*c+366078430)*c+1225065059)*c+338158126)*c+804154756)*c+187762281)*c+369983030)*c+621715357) % 2147483647) AS b4, ((((((((2063910851*c+120900845)*c+722046603)*c+1322361769)*c+109934394)*c+1005860937)*c+413945999)*c+1458259688) % 2147483647) AS b5, ((((((((225408579*c+721434976)*c+575616254)*c+227350401)*c+23079792)*c+345595115)*c+1987942659)*c+970419334) % 2147483647) AS b6, ((((((((253159133*c+246347483)*c+1289542640)*c+250933439)*c+2074216698)*c+222556151)*c+1631786136)*c+177031234) % 2147483647) AS b7
FROM (SELECT CAST(n AS SIGNED) - 1 AS c FROM JSON_TABLE(concat('[0', repeat(',0', 3), ']'), '$[*]' COLUMNS (n FOR ORDINALITY)) listed) n),
signs4 AS (SELECT CAST(c AS SIGNED) AS c, f, CASE WHEN h < 536870911 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features2 CROSS JOIN components3 LIMIT 18446744073709551615) drawn
WHERE h < 1073741823),
sums5 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM cells1 JOIN signs4 USING (f)
GROUP BY r, c),
features6 AS (SELECT CAST(n AS SIGNED) - 1 AS f FROM JSON_TABLE(concat('[0', repeat(',0', 3), ']'), '$[*]' COLUMNS (n FOR ORDINALITY)) listed),
index_table7 AS (SELECT c, v0, v1, v2 FROM JSON_TABLE('[[0,2,3,0],[1,1,2,0]]', '$[*]' COLUMNS (c BIGINT PATH '$[0]', v0 BIGINT PATH '$[1]', v1 BIGINT PATH '$[2]', v2 BIGINT PATH '$[3]')) listed),
products8 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS DOUBLE)*CAST(k1.x AS DOUBLE)*CAST(k2.x AS DOUBLE)) AS x
FROM index_table7 i JOIN sums5 k0 ON k0.f = i.v0 JOIN sums5 k1 ON k1.f = i.v1 AND k0.r = k1.r JOIN sums5 k2 ON k2.f = i.v2 AND k0.r = k2.r
GROUP BY k0.r, i.c),
outputs9 AS (SELECT CAST(n AS SIGNED) - 1 AS f FROM JSON_TABLE(concat('[0', repeat(',0', 1), ']'), '$[*]' COLUMNS (n FOR ORDINALITY)) listed),
result10 AS (SELECT s.r AS r, s.c0 AS c0, s.c1 AS c1, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM source0 s CROSS JOIN outputs9 n
LEFT JOIN products8 z ON z.r = s.r AND z.f = n.f)
SELECT c0 AS `id`, c1 AS `label`, 2.0e0*x0 AS z0, 2.0e0*x1 AS z1
FROM (SELECT c0, c1, MAX(CASE WHEN f = 0 THEN CAST(x AS DOUBLE) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS DOUBLE) END) AS x1 FROM result10 GROUP BY r, c0, c1) s

-- ======== clickhouse
-- 25 statements: run them in this order in one session. Statement 13 returns the rows.
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_0 ENGINE = Memory AS SELECT `id` AS c0, `label` AS c1, toInt64(row_number() OVER ()) AS r, [coalesce(CAST(`a` AS Float64),0.0e0),coalesce(CAST(`b` AS Float64),0.0e0),coalesce(CAST(`it's c` AS Float64),0.0e0),coalesce(CAST(`d "quoted"` AS Float64),0.0e0)] AS x FROM `shop`.`images`
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_1 ENGINE = Memory AS SELECT r, toInt64(o) - 1 AS f, e AS x
FROM sqlrp_temporary_0 ARRAY JOIN x AS e, arrayEnumerate(x) AS o
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_2 ENGINE = Memory AS SELECT toInt64(number) AS f FROM numbers(4)
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_3 ENGINE = Memory AS SELECT c, ((((((((1574893309*c+942081650)*c+1092796033)*c+322452265)*c+86370456)*c+1110696561)*c+448051154)*c+856258980) % 2147483647) AS b0, ((((((((2056226372*c+1511295235)*c+539795458)*c+1159429077)*c+1053340421)*c+901923700)*c+1089424396)*c+1311171650) % 2147483647) AS b1, ((((((((777863992*c+367405606)*c+1650369878)*c+798028340)*c+2001434510)*c+1882049785)*c+1099353589)*c+846700147) % 2147483647) AS b2, ((((((((311309982*c+1149598721)*c+1023396328)*c+1533247230)*c+1959065055)*c+1769436734)*c+1578108253)*c+1041103719) % 2147483647) AS b3,
  ((((((((514913104*c+366078430)*c+1225065059)*c+338158126)*c+804154756)*c+187762281)*c+369983030)*c+621715357) % 2147483647) AS b4, ((((((((2063910851*c+120900845)*c+722046603)*c+1322361769)*c+109934394)*c+1005860937)*c+413945999)*c+1458259688) % 2147483647) AS b5, ((((((((225408579*c+721434976)*c+575616254)*c+227350401)*c+23079792)*c+345595115)*c+1987942659)*c+970419334) % 2147483647) AS b6, ((((((((253159133*c+246347483)*c+1289542640)*c+250933439)*c+2074216698)*c+222556151)*c+1631786136)*c+177031234) % 2147483647) AS b7
FROM (SELECT toInt64(number) AS c FROM numbers(4)) n
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_4 ENGINE = Memory AS SELECT CAST(c AS Int64) AS c, f, CASE WHEN h < 536870911 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM sqlrp_temporary_2 CROSS JOIN sqlrp_temporary_3) drawn
WHERE h < 1073741823
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_5 ENGINE = Memory AS SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM sqlrp_temporary_1 JOIN sqlrp_temporary_4 USING (f)
GROUP BY r, c
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_6 ENGINE = Memory AS SELECT toInt64(number) AS f FROM numbers(4)
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_7 ENGINE = Memory AS SELECT r, f, x FROM sqlrp_temporary_5 UNION ALL
SELECT odd.r, e.f, 0.0e0 FROM (SELECT DISTINCT r FROM sqlrp_temporary_5 WHERE NOT isFinite(x)) odd
CROSS JOIN sqlrp_temporary_6 e
WHERE NOT EXISTS (SELECT 1 FROM sqlrp_temporary_5 k WHERE k.r = odd.r AND k.f = e.f)
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_8 ENGINE = Memory AS SELECT c, v0, v1, v2 FROM (SELECT CAST('[0, 1]' AS Array(Int64)) AS c, CAST('[2, 1]' AS Array(Int64)) AS v0, CAST('[3, 2]' AS Array(Int64)) AS v1, CAST('[0, 0]' AS Array(Int64)) AS v2) s ARRAY JOIN c, v0, v1, v2
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_9 ENGINE = Memory AS SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS Float64)*CAST(k1.x AS Float64)*CAST(k2.x AS Float64)) AS x
FROM sqlrp_temporary_8 i JOIN sqlrp_temporary_7 k0 ON k0.f = i.v0 JOIN sqlrp_temporary_7 k1 ON k1.f = i.v1 AND k0.r = k1.r JOIN sqlrp_temporary_7 k2 ON k2.f = i.v2 AND k0.r = k2.r
GROUP BY k0.r, i.c
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_10 ENGINE = Memory AS SELECT toInt64(number) AS f FROM numbers(2)
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_11 ENGINE = Memory AS SELECT s.r AS r, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM sqlrp_temporary_0 s CROSS JOIN sqlrp_temporary_10 n
LEFT JOIN sqlrp_temporary_9 z ON z.r = s.r AND z.f = n.f
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
SELECT c0 AS `id`, c1 AS `label`, 2.0e0*x[1] AS z0, 2.0e0*x[2] AS z1
FROM (SELECT s.c0 AS c0, s.c1 AS c1, z.x AS x FROM sqlrp_temporary_0 s JOIN (SELECT r, arrayMap(p -> p.2, arraySort(p -> p.1, groupArray((f, CAST(x AS Float64))))) AS x FROM sqlrp_temporary_11 GROUP BY r) z ON z.r = s.r) s
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
WITH source0 AS (SELECT `id` AS c0, `label` AS c1, (monotonically_increasing_id() + 1) AS r, array(coalesce(CAST(`a` AS DOUBLE),0.0e0),coalesce(CAST(`b` AS DOUBLE),0.0e0),coalesce(CAST(`it's c` AS DOUBLE),0.0e0),coalesce(CAST(`d "quoted"` AS DOUBLE),0.0e0)) AS x FROM `shop`.`images`),
cells1 AS (SELECT r, CAST(o AS BIGINT) AS f, e AS x
FROM source0 LATERAL VIEW posexplode(x) u AS o, e),
features2 AS (SELECT id AS f FROM range(4)),
components3 AS (SELECT c, ((((((((1574893309*c+942081650)*c+1092796033)*c+322452265)*c+86370456)*c+1110696561)*c+448051154)*c+856258980) % 2147483647) AS b0, ((((((((2056226372*c+1511295235)*c+539795458)*c+1159429077)*c+1053340421)*c+901923700)*c+1089424396)*c+1311171650) % 2147483647) AS b1, ((((((((777863992*c+367405606)*c+1650369878)*c+798028340)*c+2001434510)*c+1882049785)*c+1099353589)*c+846700147) % 2147483647) AS b2, ((((((((311309982*c+1149598721)*c+1023396328)*c+1533247230)*c+1959065055)*c+1769436734)*c+1578108253)*c+1041103719) % 2147483647) AS b3,
  ((((((((514913104*c+366078430)*c+1225065059)*c+338158126)*c+804154756)*c+187762281)*c+369983030)*c+621715357) % 2147483647) AS b4, ((((((((2063910851*c+120900845)*c+722046603)*c+1322361769)*c+109934394)*c+1005860937)*c+413945999)*c+1458259688) % 2147483647) AS b5, ((((((((225408579*c+721434976)*c+575616254)*c+227350401)*c+23079792)*c+345595115)*c+1987942659)*c+970419334) % 2147483647) AS b6, ((((((((253159133*c+246347483)*c+1289542640)*c+250933439)*c+2074216698)*c+222556151)*c+1631786136)*c+177031234) % 2147483647) AS b7
FROM (SELECT id AS c FROM range(4)) n),
signs4 AS (SELECT CAST(c AS INT) AS c, f, CASE WHEN h < 536870911 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features2 CROSS JOIN components3) drawn
WHERE h < 1073741823),
sums5 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM cells1 JOIN signs4 USING (f)
GROUP BY r, c),
features6 AS (SELECT id AS f FROM range(4)),
lists7 AS (SELECT r, transform(array(collect_list(struct(CAST(f AS INT) AS o, CAST(x AS DOUBLE) AS v)) FILTER (WHERE CAST(x AS DOUBLE) IS NOT NULL)), p -> CASE WHEN size(p) = 4 THEN sort_array(p).v ELSE sort_array(concat(p, transform(array_except(sequence(0, 3), p.o), o -> struct(o, 0.0e0 AS v)))).v END)[0] AS x FROM sums5 GROUP BY r),
index_table8 AS (SELECT inline(arrays_zip(from_json('[0, 1]', 'ARRAY<BIGINT>'), from_json('[2, 1]', 'ARRAY<BIGINT>'), from_json('[3, 2]', 'ARRAY<BIGINT>'), from_json('[0, 0]', 'ARRAY<BIGINT>'))) AS (c, v0, v1, v2)),
products9 AS (SELECT k.r AS r, i.c AS f, SUM(CAST(k.x[i.v0] AS DOUBLE)*CAST(k.x[i.v1] AS DOUBLE)*CAST(k.x[i.v2] AS DOUBLE)) AS x FROM lists7 k CROSS JOIN index_table8 i GROUP BY k.r, i.c)
SELECT c0 AS `id`, c1 AS `label`, 2.0e0*x[0] AS z0, 2.0e0*x[1] AS z1
FROM (SELECT s.c0 AS c0, s.c1 AS c1, coalesce(z.x, array_repeat(0.0e0, 2)) AS x
FROM source0 s LEFT JOIN (SELECT r, transform(array(collect_list(struct(CAST(f AS INT) AS o, CAST(x AS DOUBLE) AS v)) FILTER (WHERE CAST(x AS DOUBLE) IS NOT NULL)), p -> CASE WHEN size(p) = 2 THEN sort_array(p).v ELSE sort_array(concat(p, transform(array_except(sequence(0, 1), p.o), o -> struct(o, 0.0e0 AS v)))).v END)[0] AS x FROM products9 GROUP BY r) z ON z.r = s.r) s

-- ======== snowflake
-- 3 statements: run them in this order in one session. Statement 2 returns the rows.
CREATE TEMPORARY TABLE sqlrp_temporary_0 AS SELECT "id" AS c0, "label" AS c1, row_number() OVER (ORDER BY NULL) AS r, coalesce(CAST("a" AS DOUBLE),0.0e0) AS x0, coalesce(CAST("b" AS DOUBLE),0.0e0) AS x1, coalesce(CAST("it's c" AS DOUBLE),0.0e0) AS x2, coalesce(CAST("d ""quoted""" AS DOUBLE),0.0e0) AS x3 FROM "shop"."images";
WITH cells0 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM sqlrp_temporary_0 CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) counted),
features1 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
components2 AS (SELECT c, ((((((((1574893309*c+942081650)*c+1092796033)*c+322452265)*c+86370456)*c+1110696561)*c+448051154)*c+856258980) % 2147483647) AS b0, ((((((((2056226372*c+1511295235)*c+539795458)*c+1159429077)*c+1053340421)*c+901923700)*c+1089424396)*c+1311171650) % 2147483647) AS b1, ((((((((777863992*c+367405606)*c+1650369878)*c+798028340)*c+2001434510)*c+1882049785)*c+1099353589)*c+846700147) % 2147483647) AS b2, ((((((((311309982*c+1149598721)*c+1023396328)*c+1533247230)*c+1959065055)*c+1769436734)*c+1578108253)*c+1041103719) % 2147483647) AS b3,
  ((((((((514913104*c+366078430)*c+1225065059)*c+338158126)*c+804154756)*c+187762281)*c+369983030)*c+621715357) % 2147483647) AS b4, ((((((((2063910851*c+120900845)*c+722046603)*c+1322361769)*c+109934394)*c+1005860937)*c+413945999)*c+1458259688) % 2147483647) AS b5, ((((((((225408579*c+721434976)*c+575616254)*c+227350401)*c+23079792)*c+345595115)*c+1987942659)*c+970419334) % 2147483647) AS b6, ((((((((253159133*c+246347483)*c+1289542640)*c+250933439)*c+2074216698)*c+222556151)*c+1631786136)*c+177031234) % 2147483647) AS b7
FROM (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS c FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) n),
signs3 AS (SELECT CAST(c AS BIGINT) AS c, f, CASE WHEN h < 536870911 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features1 CROSS JOIN components2) drawn
WHERE h < 1073741823),
sums4 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM cells0 JOIN signs3 USING (f)
GROUP BY r, c),
features5 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
cells6 AS (SELECT r, f, x FROM sums4 UNION ALL
SELECT odd.r, e.f, 0.0e0 FROM (SELECT DISTINCT r FROM sums4 WHERE NOT (x - x = 0)) odd
CROSS JOIN features5 e
WHERE NOT EXISTS (SELECT 1 FROM sums4 k WHERE k.r = odd.r AND k.f = e.f)),
index_table7 AS (SELECT c, v0, v1, v2 FROM (VALUES (0, 2, 3, 0), (1, 1, 2, 0)) AS listed(c, v0, v1, v2)),
products8 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS DOUBLE)*CAST(k1.x AS DOUBLE)*CAST(k2.x AS DOUBLE)) AS x
FROM index_table7 i JOIN cells6 k0 ON k0.f = i.v0 JOIN cells6 k1 ON k1.f = i.v1 AND k0.r = k1.r JOIN cells6 k2 ON k2.f = i.v2 AND k0.r = k2.r
GROUP BY k0.r, i.c),
outputs9 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2),
result10 AS (SELECT s.r AS r, s.c0 AS c0, s.c1 AS c1, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM sqlrp_temporary_0 s CROSS JOIN outputs9 n
LEFT JOIN products8 z ON z.r = s.r AND z.f = n.f)
SELECT c0 AS "id", c1 AS "label", 2.0e0*x0 AS z0, 2.0e0*x1 AS z1
FROM (SELECT c0, c1, MAX(CASE WHEN f = 0 THEN CAST(x AS DOUBLE) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS DOUBLE) END) AS x1 FROM result10 GROUP BY r, c0, c1) s;
DROP TABLE IF EXISTS sqlrp_temporary_0;


-- ======== bigquery
-- 2 statements: run them in this order in one session. Statement 2 returns the rows.
CREATE TEMPORARY TABLE sqlrp_temporary_0 AS SELECT `id` AS c0, `label` AS c1, row_number() OVER () AS r, coalesce(CAST(`a` AS FLOAT64),0.0e0) AS x0, coalesce(CAST(`b` AS FLOAT64),0.0e0) AS x1, coalesce(CAST(`it's c` AS FLOAT64),0.0e0) AS x2, coalesce(CAST(`d "quoted"` AS FLOAT64),0.0e0) AS x3 FROM `shop`.`images`;
WITH cells0 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM sqlrp_temporary_0 CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS INT64) AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) counted),
features1 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS INT64) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
components2 AS (SELECT c, MOD((((((((1574893309*c+942081650)*c+1092796033)*c+322452265)*c+86370456)*c+1110696561)*c+448051154)*c+856258980), 2147483647) AS b0, MOD((((((((2056226372*c+1511295235)*c+539795458)*c+1159429077)*c+1053340421)*c+901923700)*c+1089424396)*c+1311171650), 2147483647) AS b1, MOD((((((((777863992*c+367405606)*c+1650369878)*c+798028340)*c+2001434510)*c+1882049785)*c+1099353589)*c+846700147), 2147483647) AS b2, MOD((((((((311309982*c+1149598721)*c+1023396328)*c+1533247230)*c+1959065055)*c+1769436734)*c+1578108253)*c+1041103719), 2147483647) AS b3,
  MOD((((((((514913104*c+366078430)*c+1225065059)*c+338158126)*c+804154756)*c+187762281)*c+369983030)*c+621715357), 2147483647) AS b4, MOD((((((((2063910851*c+120900845)*c+722046603)*c+1322361769)*c+109934394)*c+1005860937)*c+413945999)*c+1458259688), 2147483647) AS b5, MOD((((((((225408579*c+721434976)*c+575616254)*c+227350401)*c+23079792)*c+345595115)*c+1987942659)*c+970419334), 2147483647) AS b6, MOD((((((((253159133*c+246347483)*c+1289542640)*c+250933439)*c+2074216698)*c+222556151)*c+1631786136)*c+177031234), 2147483647) AS b7
FROM (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS INT64) AS c FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) n),
signs3 AS (SELECT CAST(c AS INT64) AS c, f, CASE WHEN h < 536870911 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, MOD((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0), 2147483647) AS h FROM features1 CROSS JOIN components2) drawn
WHERE h < 1073741823),
sums4 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM cells0 JOIN signs3 USING (f)
GROUP BY r, c),
features5 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS INT64) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
cells6 AS (SELECT r, f, x FROM sums4 UNION ALL
SELECT odd.r, e.f, 0.0e0 FROM (SELECT DISTINCT r FROM sums4 WHERE NOT (x - x = 0)) odd
CROSS JOIN features5 e
WHERE NOT EXISTS (SELECT 1 FROM sums4 k WHERE k.r = odd.r AND k.f = e.f)),
index_table7 AS (SELECT c, v0, v1, v2 FROM UNNEST([STRUCT(0 AS c, 2 AS v0, 3 AS v1, 0 AS v2), STRUCT(1, 1, 2, 0)])),
products8 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS FLOAT64)*CAST(k1.x AS FLOAT64)*CAST(k2.x AS FLOAT64)) AS x
FROM index_table7 i JOIN cells6 k0 ON k0.f = i.v0 JOIN cells6 k1 ON k1.f = i.v1 AND k0.r = k1.r JOIN cells6 k2 ON k2.f = i.v2 AND k0.r = k2.r
GROUP BY k0.r, i.c),
outputs9 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS INT64) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2),
result10 AS (SELECT s.r AS r, s.c0 AS c0, s.c1 AS c1, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM sqlrp_temporary_0 s CROSS JOIN outputs9 n
LEFT JOIN products8 z ON z.r = s.r AND z.f = n.f)
SELECT c0 AS `id`, c1 AS `label`, 2.0e0*x0 AS z0, 2.0e0*x1 AS z1
FROM (SELECT c0, c1, MAX(CASE WHEN f = 0 THEN CAST(x AS FLOAT64) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS FLOAT64) END) AS x1 FROM result10 GROUP BY r, c0, c1) s;


-- ======== redshift
-- 3 statements: run them in this order in one session. Statement 2 returns the rows.
CREATE TEMPORARY TABLE sqlrp_temporary_0 AS SELECT "id" AS c0, "label" AS c1, row_number() OVER () AS r, coalesce(CAST("a" AS DOUBLE PRECISION),CAST('0.0' AS DOUBLE PRECISION)) AS x0, coalesce(CAST("b" AS DOUBLE PRECISION),CAST('0.0' AS DOUBLE PRECISION)) AS x1, coalesce(CAST("it's c" AS DOUBLE PRECISION),CAST('0.0' AS DOUBLE PRECISION)) AS x2, coalesce(CAST("d ""quoted""" AS DOUBLE PRECISION),CAST('0.0' AS DOUBLE PRECISION)) AS x3 FROM "shop"."images";
WITH cells0 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM sqlrp_temporary_0 CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) counted),
features1 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
components2 AS (SELECT c, ((((((((1574893309*c+942081650)*c+1092796033)*c+322452265)*c+86370456)*c+1110696561)*c+448051154)*c+856258980) % 2147483647) AS b0, ((((((((2056226372*c+1511295235)*c+539795458)*c+1159429077)*c+1053340421)*c+901923700)*c+1089424396)*c+1311171650) % 2147483647) AS b1, ((((((((777863992*c+367405606)*c+1650369878)*c+798028340)*c+2001434510)*c+1882049785)*c+1099353589)*c+846700147) % 2147483647) AS b2, ((((((((311309982*c+1149598721)*c+1023396328)*c+1533247230)*c+1959065055)*c+1769436734)*c+1578108253)*c+1041103719) % 2147483647) AS b3,
  ((((((((514913104*c+366078430)*c+1225065059)*c+338158126)*c+804154756)*c+187762281)*c+369983030)*c+621715357) % 2147483647) AS b4, ((((((((2063910851*c+120900845)*c+722046603)*c+1322361769)*c+109934394)*c+1005860937)*c+413945999)*c+1458259688) % 2147483647) AS b5, ((((((((225408579*c+721434976)*c+575616254)*c+227350401)*c+23079792)*c+345595115)*c+1987942659)*c+970419334) % 2147483647) AS b6, ((((((((253159133*c+246347483)*c+1289542640)*c+250933439)*c+2074216698)*c+222556151)*c+1631786136)*c+177031234) % 2147483647) AS b7
FROM (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS c FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) n),
signs3 AS (SELECT CAST(c AS BIGINT) AS c, f, CASE WHEN h < 536870911 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features1 CROSS JOIN components2) drawn
WHERE h < 1073741823),
sums4 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE CAST('0.0' AS DOUBLE PRECISION) - x END) AS x
FROM cells0 JOIN signs3 USING (f)
GROUP BY r, c),
features5 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
cells6 AS (SELECT r, f, x FROM sums4 UNION ALL
SELECT odd.r, e.f, CAST('0.0' AS DOUBLE PRECISION) FROM (SELECT DISTINCT r FROM sums4 WHERE NOT (x - x = 0)) odd
CROSS JOIN features5 e
WHERE NOT EXISTS (SELECT 1 FROM sums4 k WHERE k.r = odd.r AND k.f = e.f)),
index_table7 AS (SELECT 0 AS c, 2 AS v0, 3 AS v1, 0 AS v2 UNION ALL SELECT 1 AS c, 1 AS v0, 2 AS v1, 0 AS v2),
products8 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS DOUBLE PRECISION)*CAST(k1.x AS DOUBLE PRECISION)*CAST(k2.x AS DOUBLE PRECISION)) AS x
FROM index_table7 i JOIN cells6 k0 ON k0.f = i.v0 JOIN cells6 k1 ON k1.f = i.v1 AND k0.r = k1.r JOIN cells6 k2 ON k2.f = i.v2 AND k0.r = k2.r
GROUP BY k0.r, i.c),
outputs9 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2),
result10 AS (SELECT s.r AS r, s.c0 AS c0, s.c1 AS c1, n.f AS f, coalesce(z.x, CAST('0.0' AS DOUBLE PRECISION)) AS x
FROM sqlrp_temporary_0 s CROSS JOIN outputs9 n
LEFT JOIN products8 z ON z.r = s.r AND z.f = n.f)
SELECT c0 AS "id", c1 AS "label", CAST('2.0' AS DOUBLE PRECISION)*x0 AS z0, CAST('2.0' AS DOUBLE PRECISION)*x1 AS z1
FROM (SELECT c0, c1, MAX(CASE WHEN f = 0 THEN CAST(x AS DOUBLE PRECISION) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS DOUBLE PRECISION) END) AS x1 FROM result10 GROUP BY r, c0, c1) s;
DROP TABLE IF EXISTS sqlrp_temporary_0;


-- ======== databricks
-- 3 statements: run them in this order in one session. Statement 2 returns the rows.
CREATE TABLE sqlrp_temporary_0 AS SELECT `id` AS c0, `label` AS c1, monotonically_increasing_id() AS r, coalesce(CAST(`a` AS DOUBLE),0.0e0) AS x0, coalesce(CAST(`b` AS DOUBLE),0.0e0) AS x1, coalesce(CAST(`it's c` AS DOUBLE),0.0e0) AS x2, coalesce(CAST(`d "quoted"` AS DOUBLE),0.0e0) AS x3 FROM `shop`.`images`;
WITH cells0 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM sqlrp_temporary_0 CROSS JOIN (SELECT id AS n FROM range(4)) counted),
features1 AS (SELECT id AS f FROM range(4)),
components2 AS (SELECT c, ((((((((1574893309*c+942081650)*c+1092796033)*c+322452265)*c+86370456)*c+1110696561)*c+448051154)*c+856258980) % 2147483647) AS b0, ((((((((2056226372*c+1511295235)*c+539795458)*c+1159429077)*c+1053340421)*c+901923700)*c+1089424396)*c+1311171650) % 2147483647) AS b1, ((((((((777863992*c+367405606)*c+1650369878)*c+798028340)*c+2001434510)*c+1882049785)*c+1099353589)*c+846700147) % 2147483647) AS b2, ((((((((311309982*c+1149598721)*c+1023396328)*c+1533247230)*c+1959065055)*c+1769436734)*c+1578108253)*c+1041103719) % 2147483647) AS b3,
  ((((((((514913104*c+366078430)*c+1225065059)*c+338158126)*c+804154756)*c+187762281)*c+369983030)*c+621715357) % 2147483647) AS b4, ((((((((2063910851*c+120900845)*c+722046603)*c+1322361769)*c+109934394)*c+1005860937)*c+413945999)*c+1458259688) % 2147483647) AS b5, ((((((((225408579*c+721434976)*c+575616254)*c+227350401)*c+23079792)*c+345595115)*c+1987942659)*c+970419334) % 2147483647) AS b6, ((((((((253159133*c+246347483)*c+1289542640)*c+250933439)*c+2074216698)*c+222556151)*c+1631786136)*c+177031234) % 2147483647) AS b7
FROM (SELECT id AS c FROM range(4)) n),
signs3 AS (SELECT CAST(c AS BIGINT) AS c, f, CASE WHEN h < 536870911 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features1 CROSS JOIN components2) drawn
WHERE h < 1073741823),
sums4 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM cells0 JOIN signs3 USING (f)
GROUP BY r, c),
features5 AS (SELECT id AS f FROM range(4)),
lists6 AS (SELECT r, transform(array(collect_list(struct(CAST(f AS INT) AS o, CAST(x AS DOUBLE) AS v)) FILTER (WHERE CAST(x AS DOUBLE) IS NOT NULL)), p -> CASE WHEN size(p) = 4 THEN sort_array(p).v ELSE sort_array(concat(p, transform(array_except(sequence(0, 3), p.o), o -> struct(o, 0.0e0 AS v)))).v END)[0] AS x FROM sums4 GROUP BY r),
index_table7 AS (SELECT c, v0, v1, v2 FROM (VALUES (0, 2, 3, 0), (1, 1, 2, 0)) AS listed(c, v0, v1, v2)),
products8 AS (SELECT k.r AS r, i.c AS f, SUM(CAST(k.x[i.v0] AS DOUBLE)*CAST(k.x[i.v1] AS DOUBLE)*CAST(k.x[i.v2] AS DOUBLE)) AS x FROM lists6 k CROSS JOIN index_table7 i GROUP BY k.r, i.c),
outputs9 AS (SELECT id AS f FROM range(2)),
result10 AS (SELECT s.r AS r, s.c0 AS c0, s.c1 AS c1, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM sqlrp_temporary_0 s CROSS JOIN outputs9 n
LEFT JOIN products8 z ON z.r = s.r AND z.f = n.f)
SELECT c0 AS `id`, c1 AS `label`, 2.0e0*x0 AS z0, 2.0e0*x1 AS z1
FROM (SELECT c0, c1, MAX(CASE WHEN f = 0 THEN CAST(x AS DOUBLE) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS DOUBLE) END) AS x1 FROM result10 GROUP BY r, c0, c1) s;
DROP TABLE IF EXISTS sqlrp_temporary_0;


-- ======== trino
-- 3 statements: run them in this order in one session. Statement 2 returns the rows.
CREATE TABLE sqlrp_temporary_0 AS SELECT "id" AS c0, "label" AS c1, row_number() OVER () AS r, coalesce(CAST("a" AS DOUBLE),0.0e0) AS x0, coalesce(CAST("b" AS DOUBLE),0.0e0) AS x1, coalesce(CAST("it's c" AS DOUBLE),0.0e0) AS x2, coalesce(CAST("d ""quoted""" AS DOUBLE),0.0e0) AS x3 FROM "shop"."images";
WITH cells0 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM sqlrp_temporary_0 CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) counted),
features1 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
components2 AS (SELECT c, ((((((((1574893309*c+942081650)*c+1092796033)*c+322452265)*c+86370456)*c+1110696561)*c+448051154)*c+856258980) % 2147483647) AS b0, ((((((((2056226372*c+1511295235)*c+539795458)*c+1159429077)*c+1053340421)*c+901923700)*c+1089424396)*c+1311171650) % 2147483647) AS b1, ((((((((777863992*c+367405606)*c+1650369878)*c+798028340)*c+2001434510)*c+1882049785)*c+1099353589)*c+846700147) % 2147483647) AS b2, ((((((((311309982*c+1149598721)*c+1023396328)*c+1533247230)*c+1959065055)*c+1769436734)*c+1578108253)*c+1041103719) % 2147483647) AS b3,
  ((((((((514913104*c+366078430)*c+1225065059)*c+338158126)*c+804154756)*c+187762281)*c+369983030)*c+621715357) % 2147483647) AS b4, ((((((((2063910851*c+120900845)*c+722046603)*c+1322361769)*c+109934394)*c+1005860937)*c+413945999)*c+1458259688) % 2147483647) AS b5, ((((((((225408579*c+721434976)*c+575616254)*c+227350401)*c+23079792)*c+345595115)*c+1987942659)*c+970419334) % 2147483647) AS b6, ((((((((253159133*c+246347483)*c+1289542640)*c+250933439)*c+2074216698)*c+222556151)*c+1631786136)*c+177031234) % 2147483647) AS b7
FROM (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS c FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) n),
signs3 AS (SELECT CAST(c AS BIGINT) AS c, f, CASE WHEN h < 536870911 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features1 CROSS JOIN components2) drawn
WHERE h < 1073741823),
sums4 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM cells0 JOIN signs3 USING (f)
GROUP BY r, c),
features5 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
cells6 AS (SELECT r, f, x FROM sums4 UNION ALL
SELECT odd.r, e.f, 0.0e0 FROM (SELECT DISTINCT r FROM sums4 WHERE NOT (x - x = 0)) odd
CROSS JOIN features5 e
WHERE NOT EXISTS (SELECT 1 FROM sums4 k WHERE k.r = odd.r AND k.f = e.f)),
index_table7 AS (SELECT c, v0, v1, v2 FROM (VALUES (0, 2, 3, 0), (1, 1, 2, 0)) AS listed(c, v0, v1, v2)),
products8 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS DOUBLE)*CAST(k1.x AS DOUBLE)*CAST(k2.x AS DOUBLE)) AS x
FROM index_table7 i JOIN cells6 k0 ON k0.f = i.v0 JOIN cells6 k1 ON k1.f = i.v1 AND k0.r = k1.r JOIN cells6 k2 ON k2.f = i.v2 AND k0.r = k2.r
GROUP BY k0.r, i.c),
outputs9 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2),
result10 AS (SELECT s.r AS r, s.c0 AS c0, s.c1 AS c1, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM sqlrp_temporary_0 s CROSS JOIN outputs9 n
LEFT JOIN products8 z ON z.r = s.r AND z.f = n.f)
SELECT c0 AS "id", c1 AS "label", 2.0e0*x0 AS z0, 2.0e0*x1 AS z1
FROM (SELECT c0, c1, MAX(CASE WHEN f = 0 THEN CAST(x AS DOUBLE) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS DOUBLE) END) AS x1 FROM result10 GROUP BY r, c0, c1) s;
DROP TABLE IF EXISTS sqlrp_temporary_0;


-- ======== sqlserver
-- 23 statements: run them in this order in one session. Statement 12 returns the rows.
SELECT * INTO #sqlrp_temporary_0 FROM (SELECT [id] AS c0, [label] AS c1, row_number() OVER (ORDER BY (SELECT NULL)) AS r, coalesce(CAST([a] AS FLOAT),0.0e0) AS x0, coalesce(CAST([b] AS FLOAT),0.0e0) AS x1, coalesce(CAST([it's c] AS FLOAT),0.0e0) AS x2, coalesce(CAST([d "quoted"] AS FLOAT),0.0e0) AS x3 FROM [shop].[images]) s;
SELECT * INTO #sqlrp_temporary_1 FROM (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM #sqlrp_temporary_0 CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS n FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) counted) s;
SELECT * INTO #sqlrp_temporary_2 FROM (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) s;
SELECT * INTO #sqlrp_temporary_3 FROM (SELECT c, ((((((((1574893309*c+942081650)*c+1092796033)*c+322452265)*c+86370456)*c+1110696561)*c+448051154)*c+856258980) % 2147483647) AS b0, ((((((((2056226372*c+1511295235)*c+539795458)*c+1159429077)*c+1053340421)*c+901923700)*c+1089424396)*c+1311171650) % 2147483647) AS b1, ((((((((777863992*c+367405606)*c+1650369878)*c+798028340)*c+2001434510)*c+1882049785)*c+1099353589)*c+846700147) % 2147483647) AS b2, ((((((((311309982*c+1149598721)*c+1023396328)*c+1533247230)*c+1959065055)*c+1769436734)*c+1578108253)*c+1041103719) % 2147483647) AS b3,
  ((((((((514913104*c+366078430)*c+1225065059)*c+338158126)*c+804154756)*c+187762281)*c+369983030)*c+621715357) % 2147483647) AS b4, ((((((((2063910851*c+120900845)*c+722046603)*c+1322361769)*c+109934394)*c+1005860937)*c+413945999)*c+1458259688) % 2147483647) AS b5, ((((((((225408579*c+721434976)*c+575616254)*c+227350401)*c+23079792)*c+345595115)*c+1987942659)*c+970419334) % 2147483647) AS b6, ((((((((253159133*c+246347483)*c+1289542640)*c+250933439)*c+2074216698)*c+222556151)*c+1631786136)*c+177031234) % 2147483647) AS b7
FROM (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS c FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) n) s;
SELECT * INTO #sqlrp_temporary_4 FROM (SELECT CAST(c AS BIGINT) AS c, f, CASE WHEN h < 536870911 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM #sqlrp_temporary_2 CROSS JOIN #sqlrp_temporary_3) drawn
WHERE h < 1073741823) s;
SELECT * INTO #sqlrp_temporary_5 FROM (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM #sqlrp_temporary_1 JOIN #sqlrp_temporary_4 ON #sqlrp_temporary_1.f = #sqlrp_temporary_4.f
GROUP BY r, c) s;
SELECT * INTO #sqlrp_temporary_6 FROM (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) s;
SELECT * INTO #sqlrp_temporary_7 FROM (SELECT c, v0, v1, v2 FROM (VALUES (0, 2, 3, 0), (1, 1, 2, 0)) AS listed(c, v0, v1, v2)) s;
SELECT * INTO #sqlrp_temporary_8 FROM (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS FLOAT)*CAST(k1.x AS FLOAT)*CAST(k2.x AS FLOAT)) AS x
FROM #sqlrp_temporary_7 i JOIN #sqlrp_temporary_5 k0 ON k0.f = i.v0 JOIN #sqlrp_temporary_5 k1 ON k1.f = i.v1 AND k0.r = k1.r JOIN #sqlrp_temporary_5 k2 ON k2.f = i.v2 AND k0.r = k2.r
GROUP BY k0.r, i.c) s;
SELECT * INTO #sqlrp_temporary_9 FROM (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2) s;
SELECT * INTO #sqlrp_temporary_10 FROM (SELECT s.r AS r, s.c0 AS c0, s.c1 AS c1, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM #sqlrp_temporary_0 s CROSS JOIN #sqlrp_temporary_9 n
LEFT JOIN #sqlrp_temporary_8 z ON z.r = s.r AND z.f = n.f) s;
SELECT c0 AS [id], c1 AS [label], 2.0e0*x0 AS z0, 2.0e0*x1 AS z1
FROM (SELECT c0, c1, MAX(CASE WHEN f = 0 THEN CAST(x AS FLOAT) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS FLOAT) END) AS x1 FROM #sqlrp_temporary_10 GROUP BY r, c0, c1) s;
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
WITH source0 AS (SELECT "id" AS c0, "label" AS c1, row_number() OVER (ORDER BY "id", "label", "a", "b", "it's c", "d ""quoted""") AS r, coalesce(CAST("a" AS DOUBLE PRECISION),0.0e0) AS x0, coalesce(CAST("b" AS DOUBLE PRECISION),0.0e0) AS x1, coalesce(CAST("it's c" AS DOUBLE PRECISION),0.0e0) AS x2, coalesce(CAST("d ""quoted""" AS DOUBLE PRECISION),0.0e0) AS x3 FROM "shop"."images"),
cells1 AS (SELECT r, n AS f, CASE WHEN n < 2 THEN CASE WHEN n < 1 THEN x0 ELSE x1 END ELSE CASE WHEN n < 3 THEN x2 ELSE x3 END END AS x
FROM source0 CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 AS d UNION ALL SELECT 2 AS d UNION ALL SELECT 3 AS d UNION ALL SELECT 4 AS d UNION ALL SELECT 5 AS d UNION ALL SELECT 6 AS d UNION ALL SELECT 7 AS d UNION ALL SELECT 8 AS d UNION ALL SELECT 9 AS d) d0 WHERE 1 * d0.d < 4) counted),
features2 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 AS d UNION ALL SELECT 2 AS d UNION ALL SELECT 3 AS d UNION ALL SELECT 4 AS d UNION ALL SELECT 5 AS d UNION ALL SELECT 6 AS d UNION ALL SELECT 7 AS d UNION ALL SELECT 8 AS d UNION ALL SELECT 9 AS d) d0 WHERE 1 * d0.d < 4),
components3 AS (SELECT c, MOD((((((((1574893309*c+942081650)*c+1092796033)*c+322452265)*c+86370456)*c+1110696561)*c+448051154)*c+856258980), 2147483647) AS b0, MOD((((((((2056226372*c+1511295235)*c+539795458)*c+1159429077)*c+1053340421)*c+901923700)*c+1089424396)*c+1311171650), 2147483647) AS b1, MOD((((((((777863992*c+367405606)*c+1650369878)*c+798028340)*c+2001434510)*c+1882049785)*c+1099353589)*c+846700147), 2147483647) AS b2, MOD((((((((311309982*c+1149598721)*c+1023396328)*c+1533247230)*c+1959065055)*c+1769436734)*c+1578108253)*c+1041103719), 2147483647) AS b3,
  MOD((((((((514913104*c+366078430)*c+1225065059)*c+338158126)*c+804154756)*c+187762281)*c+369983030)*c+621715357), 2147483647) AS b4, MOD((((((((2063910851*c+120900845)*c+722046603)*c+1322361769)*c+109934394)*c+1005860937)*c+413945999)*c+1458259688), 2147483647) AS b5, MOD((((((((225408579*c+721434976)*c+575616254)*c+227350401)*c+23079792)*c+345595115)*c+1987942659)*c+970419334), 2147483647) AS b6, MOD((((((((253159133*c+246347483)*c+1289542640)*c+250933439)*c+2074216698)*c+222556151)*c+1631786136)*c+177031234), 2147483647) AS b7
FROM (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS c FROM (SELECT 0 AS d UNION ALL SELECT 1 AS d UNION ALL SELECT 2 AS d UNION ALL SELECT 3 AS d UNION ALL SELECT 4 AS d UNION ALL SELECT 5 AS d UNION ALL SELECT 6 AS d UNION ALL SELECT 7 AS d UNION ALL SELECT 8 AS d UNION ALL SELECT 9 AS d) d0 WHERE 1 * d0.d < 4) n),
signs4 AS (SELECT CAST(c AS BIGINT) AS c, f, CASE WHEN h < 536870911 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, MOD((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0), 2147483647) AS h FROM features2 CROSS JOIN components3) drawn
WHERE h < 1073741823),
sums5 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM cells1 JOIN signs4 USING (f)
GROUP BY r, c),
features6 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 AS d UNION ALL SELECT 2 AS d UNION ALL SELECT 3 AS d UNION ALL SELECT 4 AS d UNION ALL SELECT 5 AS d UNION ALL SELECT 6 AS d UNION ALL SELECT 7 AS d UNION ALL SELECT 8 AS d UNION ALL SELECT 9 AS d) d0 WHERE 1 * d0.d < 4),
cells7 AS (SELECT r, f, x FROM sums5 UNION ALL
SELECT odd.r, e.f, 0.0e0 FROM (SELECT DISTINCT r FROM sums5 WHERE NOT (x - x = 0)) odd
CROSS JOIN features6 e
WHERE NOT EXISTS (SELECT 1 FROM sums5 k WHERE k.r = odd.r AND k.f = e.f)),
index_table8 AS (SELECT c, v0, v1, v2 FROM (SELECT 0 AS c, 2 AS v0, 3 AS v1, 0 AS v2 UNION ALL SELECT 1 AS c, 1 AS v0, 2 AS v1, 0 AS v2) s),
products9 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS DOUBLE PRECISION)*CAST(k1.x AS DOUBLE PRECISION)*CAST(k2.x AS DOUBLE PRECISION)) AS x
FROM index_table8 i JOIN cells7 k0 ON k0.f = i.v0 JOIN cells7 k1 ON k1.f = i.v1 AND k0.r = k1.r JOIN cells7 k2 ON k2.f = i.v2 AND k0.r = k2.r
GROUP BY k0.r, i.c),
outputs10 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 AS d UNION ALL SELECT 2 AS d UNION ALL SELECT 3 AS d UNION ALL SELECT 4 AS d UNION ALL SELECT 5 AS d UNION ALL SELECT 6 AS d UNION ALL SELECT 7 AS d UNION ALL SELECT 8 AS d UNION ALL SELECT 9 AS d) d0 WHERE 1 * d0.d < 2),
result11 AS (SELECT s.r AS r, s.c0 AS c0, s.c1 AS c1, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM source0 s CROSS JOIN outputs10 n
LEFT JOIN products9 z ON z.r = s.r AND z.f = n.f)
SELECT c0 AS "id", c1 AS "label", 2.0e0*x0 AS "z0", 2.0e0*x1 AS "z1"
FROM (SELECT c0, c1, MAX(CASE WHEN f = 0 THEN CAST(x AS DOUBLE PRECISION) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS DOUBLE PRECISION) END) AS x1 FROM result11 GROUP BY r, c0, c1) s
