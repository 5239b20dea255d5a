-- PolynomialKernelProjection(k=2, s=1, seed=3, degree=2, p=None, t=2, c=1.0, minimise_repetition=True, vectors='sign')
-- long rows of doubles; output = 'auto', lowering = 'auto'

-- ======== duckdb
WITH source0 AS MATERIALIZED (SELECT r, r AS c0, CASE WHEN counted = present THEN 0.5e0 END AS ok FROM (SELECT "doc" AS r, count(*) AS counted, count("value") AS present FROM "counts" GROUP BY "doc") s),
cells1 AS MATERIALIZED (SELECT "doc" AS r, CASE WHEN "feature" BETWEEN 0 AND 3 THEN "feature" WHEN "feature" IS NOT NULL THEN error('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features') END AS f, CAST("value" AS DOUBLE) AS x FROM "counts"),
features2 AS MATERIALIZED (SELECT CAST(range AS BIGINT) AS f FROM range(4)),
cells3 AS MATERIALIZED (SELECT r, f, x FROM cells1 UNION ALL SELECT r, 2147483646, 1.0e0 FROM source0),
features4 AS MATERIALIZED (SELECT f FROM features2 UNION ALL SELECT 2147483646),
components5 AS MATERIALIZED (SELECT c, ((((((((1574893309*c+942081650)*c+1092796033)*c+322452265)*c+86370456)*c+1110696561)*c+448051154)*c+856258980) % 2147483647) AS b0, ((((((((2056226372*c+1511295235)*c+539795458)*c+1159429077)*c+1053340421)*c+901923700)*c+1089424396)*c+1311171650) % 2147483647) AS b1, ((((((((777863992*c+367405606)*c+1650369878)*c+798028340)*c+2001434510)*c+1882049785)*c+1099353589)*c+846700147) % 2147483647) AS b2, ((((((((311309982*c+1149598721)*c+1023396328)*c+1533247230)*c+1959065055)*c+1769436734)*c+1578108253)*c+1041103719) % 2147483647) AS b3,
  ((((((((514913104*c+366078430)*c+1225065059)*c+338158126)*c+804154756)*c+187762281)*c+369983030)*c+621715357) % 2147483647) AS b4, ((((((((2063910851*c+120900845)*c+722046603)*c+1322361769)*c+109934394)*c+1005860937)*c+413945999)*c+1458259688) % 2147483647) AS b5, ((((((((225408579*c+721434976)*c+575616254)*c+227350401)*c+23079792)*c+345595115)*c+1987942659)*c+970419334) % 2147483647) AS b6, ((((((((253159133*c+246347483)*c+1289542640)*c+250933439)*c+2074216698)*c+222556151)*c+1631786136)*c+177031234) % 2147483647) AS b7
FROM (SELECT CAST(range AS BIGINT) AS c FROM range(4)) n),
signs6 AS MATERIALIZED (SELECT CAST(c AS INTEGER) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((((((((b7*f+b6) % 2147483647)*f+b5) % 2147483647)*f+b4) % 2147483647)*f+b3) % 2147483647)*f+b2) % 2147483647)*f+b1) % 2147483647)*f+b0) % 2147483647) AS h FROM features4 CROSS JOIN components5) drawn
WHERE h < 2147483647),
sums7 AS MATERIALIZED (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM cells3 JOIN signs6 USING (f)
GROUP BY r, c),
features8 AS MATERIALIZED (SELECT CAST(range AS BIGINT) AS f FROM range(4)),
cells9 AS MATERIALIZED (SELECT r, f, x FROM sums7 UNION ALL
SELECT odd.r, e.f, 0.0e0 FROM (SELECT DISTINCT r FROM sums7 WHERE NOT isfinite(x)) odd
CROSS JOIN features8 e
WHERE NOT EXISTS (SELECT 1 FROM sums7 k WHERE (k.r IS NOT DISTINCT FROM odd.r) AND k.f = e.f)),
index_table10 AS MATERIALIZED (SELECT unnest(CAST(string_split(concat('0,0,1,1', t), ',') AS BIGINT[])) AS c, unnest(CAST(string_split(concat('2,0,2,0', t), ',') AS BIGINT[])) AS v0, unnest(CAST(string_split(concat('3,1,1,3', t), ',') AS BIGINT[])) AS v1 FROM (VALUES ('')) v(t)),
products11 AS MATERIALIZED (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS DOUBLE)*CAST(k1.x AS DOUBLE)) AS x
FROM index_table10 i JOIN cells9 k0 ON k0.f = i.v0 JOIN cells9 k1 ON k1.f = i.v1 AND (k0.r IS NOT DISTINCT FROM k1.r)
GROUP BY k0.r, i.c)
SELECT c0 AS "doc", ok*x[1] AS z0, ok*x[2] AS z1
FROM (SELECT s.c0 AS c0, s.ok AS ok, list_transform(range(2), lambda e: coalesce(z.x[list_position(z.f, CAST(e AS SMALLINT))], 0.0e0)) AS x
FROM source0 s LEFT JOIN (SELECT r, list(CAST(f AS SMALLINT)) AS f, list(CAST(x AS DOUBLE)) AS x FROM products11 GROUP BY r) z ON (z.r IS NOT DISTINCT FROM s.r)) s

-- ======== postgresql
WITH source0 AS MATERIALIZED (SELECT r, r AS c0, CASE WHEN counted = present THEN CAST('0.5' AS double precision) END AS ok FROM (SELECT "doc" AS r, count(*) AS counted, count("value") AS present FROM "counts" GROUP BY "doc") s),
cells1 AS MATERIALIZED (SELECT "doc" AS r, CASE WHEN "feature" BETWEEN 0 AND 3 THEN "feature" WHEN "feature" IS NOT NULL THEN CAST('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features' || left(CAST(clock_timestamp() AS text), 0) AS bigint) END AS f, CAST("value" AS double precision) AS x FROM "counts"),
features2 AS MATERIALIZED (SELECT f FROM generate_series(CAST(0 AS bigint), 3) g(f)),
cells3 AS MATERIALIZED (SELECT r, f, x FROM cells1 UNION ALL SELECT r, 2147483646, CAST('1.0' AS double precision) FROM source0),
features4 AS MATERIALIZED (SELECT f FROM features2 UNION ALL SELECT 2147483646),
components5 AS MATERIALIZED (SELECT c, ((((((((1574893309*c+942081650)*c+1092796033)*c+322452265)*c+86370456)*c+1110696561)*c+448051154)*c+856258980) % 2147483647) AS b0, ((((((((2056226372*c+1511295235)*c+539795458)*c+1159429077)*c+1053340421)*c+901923700)*c+1089424396)*c+1311171650) % 2147483647) AS b1, ((((((((777863992*c+367405606)*c+1650369878)*c+798028340)*c+2001434510)*c+1882049785)*c+1099353589)*c+846700147) % 2147483647) AS b2, ((((((((311309982*c+1149598721)*c+1023396328)*c+1533247230)*c+1959065055)*c+1769436734)*c+1578108253)*c+1041103719) % 2147483647) AS b3,
  ((((((((514913104*c+366078430)*c+1225065059)*c+338158126)*c+804154756)*c+187762281)*c+369983030)*c+621715357) % 2147483647) AS b4, ((((((((2063910851*c+120900845)*c+722046603)*c+1322361769)*c+109934394)*c+1005860937)*c+413945999)*c+1458259688) % 2147483647) AS b5, ((((((((225408579*c+721434976)*c+575616254)*c+227350401)*c+23079792)*c+345595115)*c+1987942659)*c+970419334) % 2147483647) AS b6, ((((((((253159133*c+246347483)*c+1289542640)*c+250933439)*c+2074216698)*c+222556151)*c+1631786136)*c+177031234) % 2147483647) AS b7
FROM (SELECT c FROM generate_series(CAST(0 AS bigint), 3) g(c)) n),
signs6 AS MATERIALIZED (SELECT CAST(c AS integer) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((((((((b7*f+b6) % 2147483647)*f+b5) % 2147483647)*f+b4) % 2147483647)*f+b3) % 2147483647)*f+b2) % 2147483647)*f+b1) % 2147483647)*f+b0) % 2147483647) AS h FROM features4 CROSS JOIN components5 OFFSET '0') drawn
WHERE h < 2147483647),
sums7 AS MATERIALIZED (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE CAST('0.0' AS double precision) - x END) AS x
FROM cells3 JOIN signs6 USING (f)
GROUP BY r, c),
features8 AS MATERIALIZED (SELECT f FROM generate_series(CAST(0 AS bigint), 3) g(f)),
cells9 AS MATERIALIZED (SELECT r, f, x FROM sums7 UNION ALL
SELECT odd.r, e.f, CAST('0.0' AS double precision) FROM (SELECT DISTINCT r FROM sums7 WHERE NOT (x NOT IN ('NaN', 'Infinity', '-Infinity'))) odd
CROSS JOIN features8 e
WHERE NOT EXISTS (SELECT 1 FROM sums7 k WHERE ARRAY[k.r] = ARRAY[odd.r] AND k.f = e.f)),
index_table10 AS MATERIALIZED (SELECT unnest(CAST('{0,0,1,1}' AS bigint[])) AS c, unnest(CAST('{2,0,2,0}' AS bigint[])) AS v0, unnest(CAST('{3,1,1,3}' AS bigint[])) AS v1),
products11 AS MATERIALIZED (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS double precision)*CAST(k1.x AS double precision)) AS x
FROM index_table10 i JOIN cells9 k0 ON k0.f = i.v0 JOIN cells9 k1 ON k1.f = i.v1 AND ARRAY[k0.r] = ARRAY[k1.r]
GROUP BY k0.r, i.c),
outputs12 AS MATERIALIZED (SELECT f FROM generate_series(CAST(0 AS bigint), 1) g(f)),
result13 AS MATERIALIZED (SELECT s.r AS r, n.f AS f, coalesce(z.x, CAST('0.0' AS double precision)) AS x
FROM source0 s CROSS JOIN outputs12 n
LEFT JOIN products11 z ON ARRAY[z.r] = ARRAY[s.r] AND z.f = n.f)
SELECT c0 AS "doc", ok*x[1] AS z0, ok*x[2] AS z1
FROM (SELECT s.c0 AS c0, s.ok AS ok, z.x AS x FROM source0 s JOIN (SELECT r, array_agg(CAST(x AS double precision) ORDER BY f) AS x FROM result13 GROUP BY r) z ON ARRAY[z.r] = ARRAY[s.r]) s

-- ======== sqlite
WITH source0 AS MATERIALIZED (SELECT r, r AS c0, CASE WHEN counted = present THEN 0.5e0 END AS ok FROM (SELECT `doc` AS r, count(*) AS counted, count(`value`) AS present FROM `counts` GROUP BY `doc`) s),
cells1 AS MATERIALIZED (SELECT `doc` AS r, CASE WHEN `feature` BETWEEN 0 AND 3 THEN `feature` WHEN `feature` IS NOT NULL THEN json_type('{}', 'sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features' || substr(random(), 1, 0)) END AS f, CASE WHEN `value` >= '' THEN json_type('{}', 'sqlrp: a feature in `value` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`value` AS REAL) END AS x FROM `counts`),
features2 AS MATERIALIZED (WITH RECURSIVE counted AS (SELECT 0 AS f UNION ALL SELECT f + 1 FROM counted WHERE f < 3) SELECT f FROM counted),
cells3 AS MATERIALIZED (SELECT r, f, x FROM cells1 UNION ALL SELECT r, 2147483646, 1.0e0 FROM source0),
features4 AS MATERIALIZED (SELECT f FROM features2 UNION ALL SELECT 2147483646),
components5 AS MATERIALIZED (SELECT c, ((((((((1574893309*c+942081650)*c+1092796033)*c+322452265)*c+86370456)*c+1110696561)*c+448051154)*c+856258980) % 2147483647) AS b0, ((((((((2056226372*c+1511295235)*c+539795458)*c+1159429077)*c+1053340421)*c+901923700)*c+1089424396)*c+1311171650) % 2147483647) AS b1, ((((((((777863992*c+367405606)*c+1650369878)*c+798028340)*c+2001434510)*c+1882049785)*c+1099353589)*c+846700147) % 2147483647) AS b2, ((((((((311309982*c+1149598721)*c+1023396328)*c+1533247230)*c+1959065055)*c+1769436734)*c+1578108253)*c+1041103719) % 2147483647) AS b3,
  ((((((((514913104*c+366078430)*c+1225065059)*c+338158126)*c+804154756)*c+187762281)*c+369983030)*c+621715357) % 2147483647) AS b4, ((((((((2063910851*c+120900845)*c+722046603)*c+1322361769)*c+109934394)*c+1005860937)*c+413945999)*c+1458259688) % 2147483647) AS b5, ((((((((225408579*c+721434976)*c+575616254)*c+227350401)*c+23079792)*c+345595115)*c+1987942659)*c+970419334) % 2147483647) AS b6, ((((((((253159133*c+246347483)*c+1289542640)*c+250933439)*c+2074216698)*c+222556151)*c+1631786136)*c+177031234) % 2147483647) AS b7
FROM (WITH RECURSIVE counted AS (SELECT 0 AS c UNION ALL SELECT c + 1 FROM counted WHERE c < 3) SELECT c FROM counted) n),
signs6 AS MATERIALIZED (SELECT c AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((((((((b7*f+b6) % 2147483647)*f+b5) % 2147483647)*f+b4) % 2147483647)*f+b3) % 2147483647)*f+b2) % 2147483647)*f+b1) % 2147483647)*f+b0) % 2147483647) AS h FROM features4 CROSS JOIN components5 LIMIT -1 OFFSET 0) drawn
WHERE h < 2147483647),
sums7 AS MATERIALIZED (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM cells3 JOIN signs6 USING (f)
GROUP BY r, c),
features8 AS MATERIALIZED (WITH RECURSIVE counted AS (SELECT 0 AS f UNION ALL SELECT f + 1 FROM counted WHERE f < 3) SELECT f FROM counted),
index_table9 AS MATERIALIZED (SELECT CAST(json_extract(value, '$[0]') AS INTEGER) AS c, CAST(json_extract(value, '$[1]') AS INTEGER) AS v0, CAST(json_extract(value, '$[2]') AS INTEGER) AS v1 FROM json_each('[[0,2,3],[0,0,1],[1,2,1],[1,0,3]]')),
products10 AS MATERIALIZED (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS REAL)*CAST(k1.x AS REAL)) AS x
FROM index_table9 i JOIN sums7 k0 ON k0.f = i.v0 JOIN sums7 k1 ON k1.f = i.v1 AND (k0.r IS k1.r)
GROUP BY k0.r, i.c),
outputs11 AS MATERIALIZED (WITH RECURSIVE counted AS (SELECT 0 AS f UNION ALL SELECT f + 1 FROM counted WHERE f < 1) SELECT f FROM counted),
result12 AS MATERIALIZED (SELECT s.r AS r, s.c0 AS c0, s.ok AS ok, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM source0 s CROSS JOIN outputs11 n
LEFT JOIN products10 z ON (z.r IS s.r) AND z.f = n.f)
SELECT c0 AS `doc`, ok*x0 AS z0, ok*x1 AS z1
FROM (SELECT c0, ok, MAX(CASE WHEN f = 0 THEN CAST(x AS REAL) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS REAL) END) AS x1 FROM result12 GROUP BY r, c0, ok) s

-- ======== mariadb
WITH source0 AS (SELECT r, r AS c0, CASE WHEN counted = present THEN 0.5e0 END AS ok FROM (SELECT `doc` AS r, count(*) AS counted, count(`value`) AS present FROM `counts` GROUP BY `doc`) s LIMIT 18446744073709551615),
cells1 AS (SELECT `doc` AS r, CASE WHEN `feature` BETWEEN 0 AND 3 THEN `feature` WHEN `feature` IS NOT NULL THEN (9223372036854775807 + char_length(concat('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features', rand()))) END AS f, CAST(`value` AS DOUBLE) AS x FROM `counts` LIMIT 18446744073709551615),
features2 AS (SELECT CAST(seq AS SIGNED) AS f FROM seq_0_to_3 LIMIT 18446744073709551615),
cells3 AS (SELECT r, f, x FROM cells1 UNION ALL SELECT r, 2147483646, 1.0e0 FROM source0 LIMIT 18446744073709551615),
features4 AS (SELECT f FROM features2 UNION ALL SELECT 2147483646 LIMIT 18446744073709551615),
components5 AS (SELECT c, ((((((((1574893309*c+942081650)*c+1092796033)*c+322452265)*c+86370456)*c+1110696561)*c+448051154)*c+856258980) % 2147483647) AS b0, ((((((((2056226372*c+1511295235)*c+539795458)*c+1159429077)*c+1053340421)*c+901923700)*c+1089424396)*c+1311171650) % 2147483647) AS b1, ((((((((777863992*c+367405606)*c+1650369878)*c+798028340)*c+2001434510)*c+1882049785)*c+1099353589)*c+846700147) % 2147483647) AS b2, ((((((((311309982*c+1149598721)*c+1023396328)*c+1533247230)*c+1959065055)*c+1769436734)*c+1578108253)*c+1041103719) % 2147483647) AS b3,
  ((((((((514913104*c+366078430)*c+1225065059)*c+338158126)*c+804154756)*c+187762281)*c+369983030)*c+621715357) % 2147483647) AS b4, ((((((((2063910851*c+120900845)*c+722046603)*c+1322361769)*c+109934394)*c+1005860937)*c+413945999)*c+1458259688) % 2147483647) AS b5, ((((((((225408579*c+721434976)*c+575616254)*c+227350401)*c+23079792)*c+345595115)*c+1987942659)*c+970419334) % 2147483647) AS b6, ((((((((253159133*c+246347483)*c+1289542640)*c+250933439)*c+2074216698)*c+222556151)*c+1631786136)*c+177031234) % 2147483647) AS b7
FROM (SELECT CAST(seq AS SIGNED) AS c FROM seq_0_to_3) n LIMIT 18446744073709551615),
signs6 AS (SELECT CAST(c AS SIGNED) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((((((((b7*f+b6) % 2147483647)*f+b5) % 2147483647)*f+b4) % 2147483647)*f+b3) % 2147483647)*f+b2) % 2147483647)*f+b1) % 2147483647)*f+b0) % 2147483647) AS h FROM features4 CROSS JOIN components5 LIMIT 18446744073709551615) drawn
WHERE h < 2147483647 LIMIT 18446744073709551615),
sums7 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM cells3 JOIN signs6 USING (f)
GROUP BY r, c LIMIT 18446744073709551615),
features8 AS (SELECT CAST(seq AS SIGNED) AS f FROM seq_0_to_3 LIMIT 18446744073709551615),
index_table9 AS (SELECT c, v0, v1 FROM JSON_TABLE('[[0,2,3],[0,0,1],[1,2,1],[1,0,3]]', '$[*]' COLUMNS (c BIGINT PATH '$[0]', v0 BIGINT PATH '$[1]', v1 BIGINT PATH '$[2]')) listed LIMIT 18446744073709551615),
products10 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS DOUBLE)*CAST(k1.x AS DOUBLE)) AS x
FROM index_table9 i JOIN sums7 k0 ON k0.f = i.v0 JOIN sums7 k1 ON k1.f = i.v1 AND (k0.r <=> k1.r)
GROUP BY k0.r, i.c LIMIT 18446744073709551615),
outputs11 AS (SELECT CAST(seq AS SIGNED) AS f FROM seq_0_to_1 LIMIT 18446744073709551615),
result12 AS (SELECT s.r AS r, s.c0 AS c0, s.ok AS ok, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM source0 s CROSS JOIN outputs11 n
LEFT JOIN products10 z ON (z.r <=> s.r) AND z.f = n.f LIMIT 18446744073709551615)
SELECT c0 AS `doc`, ok*x0 AS z0, ok*x1 AS z1
FROM (SELECT c0, ok, MAX(CASE WHEN f = 0 THEN CAST(x AS DOUBLE) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS DOUBLE) END) AS x1 FROM result12 GROUP BY r, c0, ok) s

-- ======== mysql
WITH source0 AS (SELECT r, r AS c0, CASE WHEN counted = present THEN 0.5e0 END AS ok FROM (SELECT `doc` AS r, count(*) AS counted, count(`value`) AS present FROM `counts` GROUP BY `doc`) s),
cells1 AS (SELECT `doc` AS r, CASE WHEN `feature` BETWEEN 0 AND 3 THEN `feature` WHEN `feature` IS NOT NULL THEN (9223372036854775807 + char_length(concat('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features', rand()))) END AS f, CAST(`value` AS DOUBLE) AS x FROM `counts`),
features2 AS (SELECT CAST(n AS SIGNED) - 1 AS f FROM JSON_TABLE(concat('[0', repeat(',0', 3), ']'), '$[*]' COLUMNS (n FOR ORDINALITY)) listed),
cells3 AS (SELECT r, f, x FROM cells1 UNION ALL SELECT r, 2147483646, 1.0e0 FROM source0),
features4 AS (SELECT f FROM features2 UNION ALL SELECT 2147483646),
components5 AS (SELECT c, ((((((((1574893309*c+942081650)*c+1092796033)*c+322452265)*c+86370456)*c+1110696561)*c+448051154)*c+856258980) % 2147483647) AS b0, ((((((((2056226372*c+1511295235)*c+539795458)*c+1159429077)*c+1053340421)*c+901923700)*c+1089424396)*c+1311171650) % 2147483647) AS b1, ((((((((777863992*c+367405606)*c+1650369878)*c+798028340)*c+2001434510)*c+1882049785)*c+1099353589)*c+846700147) % 2147483647) AS b2, ((((((((311309982*c+1149598721)*c+1023396328)*c+1533247230)*c+1959065055)*c+1769436734)*c+1578108253)*c+1041103719) % 2147483647) AS b3,
  ((((((((514913104*c+366078430)*c+1225065059)*c+338158126)*c+804154756)*c+187762281)*c+369983030)*c+621715357) % 2147483647) AS b4, ((((((((2063910851*c+120900845)*c+722046603)*c+1322361769)*c+109934394)*c+1005860937)*c+413945999)*c+1458259688) % 2147483647) AS b5, ((((((((225408579*c+721434976)*c+575616254)*c+227350401)*c+23079792)*c+345595115)*c+1987942659)*c+970419334) % 2147483647) AS b6, ((((((((253159133*c+246347483)*c+1289542640)*c+250933439)*c+2074216698)*c+222556151)*c+1631786136)*c+177031234) % 2147483647) AS b7
FROM (SELECT CAST(n AS SIGNED) - 1 AS c FROM JSON_TABLE(concat('[0', repeat(',0', 3), ']'), '$[*]' COLUMNS (n FOR ORDINALITY)) listed) n),
signs6 AS (SELECT CAST(c AS SIGNED) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((((((((b7*f+b6) % 2147483647)*f+b5) % 2147483647)*f+b4) % 2147483647)*f+b3) % 2147483647)*f+b2) % 2147483647)*f+b1) % 2147483647)*f+b0) % 2147483647) AS h FROM features4 CROSS JOIN components5 LIMIT 18446744073709551615) drawn
WHERE h < 2147483647),
sums7 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM cells3 JOIN signs6 USING (f)
GROUP BY r, c),
features8 AS (SELECT CAST(n AS SIGNED) - 1 AS f FROM JSON_TABLE(concat('[0', repeat(',0', 3), ']'), '$[*]' COLUMNS (n FOR ORDINALITY)) listed),
index_table9 AS (SELECT c, v0, v1 FROM JSON_TABLE('[[0,2,3],[0,0,1],[1,2,1],[1,0,3]]', '$[*]' COLUMNS (c BIGINT PATH '$[0]', v0 BIGINT PATH '$[1]', v1 BIGINT PATH '$[2]')) listed),
products10 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS DOUBLE)*CAST(k1.x AS DOUBLE)) AS x
FROM index_table9 i JOIN sums7 k0 ON k0.f = i.v0 JOIN sums7 k1 ON k1.f = i.v1 AND (k0.r <=> k1.r)
GROUP BY k0.r, i.c),
outputs11 AS (SELECT CAST(n AS SIGNED) - 1 AS f FROM JSON_TABLE(concat('[0', repeat(',0', 1), ']'), '$[*]' COLUMNS (n FOR ORDINALITY)) listed),
result12 AS (SELECT s.r AS r, s.c0 AS c0, s.ok AS ok, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM source0 s CROSS JOIN outputs11 n
LEFT JOIN products10 z ON (z.r <=> s.r) AND z.f = n.f)
SELECT c0 AS `doc`, ok*x0 AS z0, ok*x1 AS z1
FROM (SELECT c0, ok, MAX(CASE WHEN f = 0 THEN CAST(x AS DOUBLE) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS DOUBLE) END) AS x1 FROM result12 GROUP BY r, c0, ok) s

-- ======== clickhouse
-- 29 statements: run them in this order in one session. Statement 15 returns the rows.
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_0 ENGINE = Memory AS SELECT r, r AS c0, CASE WHEN counted = present THEN 0.5e0 END AS ok FROM (SELECT `doc` AS r, count(*) AS counted, count(`value`) AS present FROM `counts` GROUP BY `doc`) s
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_1 ENGINE = Memory AS SELECT `doc` AS r, CASE WHEN `feature` BETWEEN 0 AND 3 THEN `feature` WHEN `feature` IS NOT NULL THEN throwIf(1, 'sqlrp: a feature in \'feature\' is outside 0 ... 3: positions count from 0; raise n_features') END AS f, CAST(`value` AS Float64) AS x FROM `counts`
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_2 ENGINE = Memory AS SELECT toInt64(number) AS f FROM numbers(4)
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_3 ENGINE = Memory AS SELECT r, f, x FROM sqlrp_temporary_1 UNION ALL SELECT r, 2147483646, 1.0e0 FROM sqlrp_temporary_0
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_4 ENGINE = Memory AS SELECT f FROM sqlrp_temporary_2 UNION ALL SELECT 2147483646
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_5 ENGINE = Memory AS SELECT c, ((((((((1574893309*c+942081650)*c+1092796033)*c+322452265)*c+86370456)*c+1110696561)*c+448051154)*c+856258980) % 2147483647) AS b0, ((((((((2056226372*c+1511295235)*c+539795458)*c+1159429077)*c+1053340421)*c+901923700)*c+1089424396)*c+1311171650) % 2147483647) AS b1, ((((((((777863992*c+367405606)*c+1650369878)*c+798028340)*c+2001434510)*c+1882049785)*c+1099353589)*c+846700147) % 2147483647) AS b2, ((((((((311309982*c+1149598721)*c+1023396328)*c+1533247230)*c+1959065055)*c+1769436734)*c+1578108253)*c+1041103719) % 2147483647) AS b3,
  ((((((((514913104*c+366078430)*c+1225065059)*c+338158126)*c+804154756)*c+187762281)*c+369983030)*c+621715357) % 2147483647) AS b4, ((((((((2063910851*c+120900845)*c+722046603)*c+1322361769)*c+109934394)*c+1005860937)*c+413945999)*c+1458259688) % 2147483647) AS b5, ((((((((225408579*c+721434976)*c+575616254)*c+227350401)*c+23079792)*c+345595115)*c+1987942659)*c+970419334) % 2147483647) AS b6, ((((((((253159133*c+246347483)*c+1289542640)*c+250933439)*c+2074216698)*c+222556151)*c+1631786136)*c+177031234) % 2147483647) AS b7
FROM (SELECT toInt64(number) AS c FROM numbers(4)) n
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_6 ENGINE = Memory AS SELECT CAST(c AS Int64) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((((((((b7*f+b6) % 2147483647)*f+b5) % 2147483647)*f+b4) % 2147483647)*f+b3) % 2147483647)*f+b2) % 2147483647)*f+b1) % 2147483647)*f+b0) % 2147483647) AS h FROM sqlrp_temporary_4 CROSS JOIN sqlrp_temporary_5) drawn
WHERE h < 2147483647
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_7 ENGINE = Memory AS SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM sqlrp_temporary_3 JOIN sqlrp_temporary_6 USING (f)
GROUP BY r, c
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_8 ENGINE = Memory AS SELECT toInt64(number) AS f FROM numbers(4)
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_9 ENGINE = Memory AS SELECT r, f, x FROM sqlrp_temporary_7 UNION ALL
SELECT odd.r, e.f, 0.0e0 FROM (SELECT DISTINCT r FROM sqlrp_temporary_7 WHERE NOT isFinite(x)) odd
CROSS JOIN sqlrp_temporary_8 e
WHERE NOT EXISTS (SELECT 1 FROM sqlrp_temporary_7 k WHERE (k.r IS NOT DISTINCT FROM odd.r) AND k.f = e.f)
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_10 ENGINE = Memory AS SELECT c, v0, v1 FROM (SELECT CAST('[0, 0, 1, 1]' AS Array(Int64)) AS c, CAST('[2, 0, 2, 0]' AS Array(Int64)) AS v0, CAST('[3, 1, 1, 3]' AS Array(Int64)) AS v1) s ARRAY JOIN c, v0, v1
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_11 ENGINE = Memory AS SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS Float64)*CAST(k1.x AS Float64)) AS x
FROM sqlrp_temporary_10 i JOIN sqlrp_temporary_9 k0 ON k0.f = i.v0 JOIN sqlrp_temporary_9 k1 ON k1.f = i.v1 AND (k0.r IS NOT DISTINCT FROM k1.r)
GROUP BY k0.r, i.c
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_12 ENGINE = Memory AS SELECT toInt64(number) AS f FROM numbers(2)
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_13 ENGINE = Memory AS SELECT s.r AS r, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM sqlrp_temporary_0 s CROSS JOIN sqlrp_temporary_12 n
LEFT JOIN sqlrp_temporary_11 z ON (z.r IS NOT DISTINCT FROM s.r) AND z.f = n.f
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
SELECT c0 AS `doc`, ok*x[1] AS z0, ok*x[2] AS z1
FROM (SELECT s.c0 AS c0, s.ok AS ok, z.x AS x FROM sqlrp_temporary_0 s JOIN (SELECT r, arrayMap(p -> p.2, arraySort(p -> p.1, groupArray((f, CAST(x AS Float64))))) AS x FROM sqlrp_temporary_13 GROUP BY r) z ON (z.r IS NOT DISTINCT FROM s.r)) s
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
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
WITH lists AS (SELECT from_json('[[2,3,0,1],[2,1,0,3]]', 'ARRAY<ARRAY<INT>>') AS l0),
cells0 AS (SELECT `doc` AS r, CASE WHEN `feature` BETWEEN 0 AND 3 THEN `feature` WHEN `feature` IS NOT NULL THEN raise_error('sqlrp: a feature in \'feature\' is outside 0 ... 3: positions count from 0; raise n_features') END AS f, CAST(`value` AS DOUBLE) AS x FROM `counts`),
features1 AS (SELECT id AS f FROM range(4)),
components2 AS (SELECT c, ((((((((1574893309*c+942081650)*c+1092796033)*c+322452265)*c+86370456)*c+1110696561)*c+448051154)*c+856258980) % 2147483647) AS b0, ((((((((2056226372*c+1511295235)*c+539795458)*c+1159429077)*c+1053340421)*c+901923700)*c+1089424396)*c+1311171650) % 2147483647) AS b1, ((((((((777863992*c+367405606)*c+1650369878)*c+798028340)*c+2001434510)*c+1882049785)*c+1099353589)*c+846700147) % 2147483647) AS b2, ((((((((311309982*c+1149598721)*c+1023396328)*c+1533247230)*c+1959065055)*c+1769436734)*c+1578108253)*c+1041103719) % 2147483647) AS b3,
  ((((((((514913104*c+366078430)*c+1225065059)*c+338158126)*c+804154756)*c+187762281)*c+369983030)*c+621715357) % 2147483647) AS b4, ((((((((2063910851*c+120900845)*c+722046603)*c+1322361769)*c+109934394)*c+1005860937)*c+413945999)*c+1458259688) % 2147483647) AS b5, ((((((((225408579*c+721434976)*c+575616254)*c+227350401)*c+23079792)*c+345595115)*c+1987942659)*c+970419334) % 2147483647) AS b6, ((((((((253159133*c+246347483)*c+1289542640)*c+250933439)*c+2074216698)*c+222556151)*c+1631786136)*c+177031234) % 2147483647) AS b7
FROM (SELECT id AS c FROM range(4)) n),
vectors3 AS (SELECT f, b, sort_array(collect_list(struct(c AS o, sign AS v))).v AS v
FROM (SELECT c, f, c - (c % 4) AS b,
CAST(CASE WHEN h < 1073741823 THEN 1 WHEN h < 2147483647 THEN -1 ELSE 0 END AS SMALLINT) AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features1 CROSS JOIN components2) drawn) entries
GROUP BY f, b HAVING MIN(sign) <> 0 OR MAX(sign) <> 0),
summed4 AS (SELECT r, counted, present, zip_with(slice(flatten(transform(sequence(0, 3, 4), b -> coalesce(found[b], array_repeat(CAST(0 AS DOUBLE), 4)))), 1, 4), array(-1.0e0,1.0e0,1.0e0,-1.0e0), (a, b) -> CAST(a + b AS DOUBLE)) AS sums
FROM (SELECT r, SUM(counted) AS counted, SUM(present) AS present, map_from_entries(collect_list(struct(b, sums)) FILTER (WHERE b IS NOT NULL)) AS found
FROM (SELECT /*+ BROADCAST(vectors3) */ r, b, count(*) AS counted, count(x) AS present, array(CAST(coalesce(SUM(CASE WHEN v[0] > 0 THEN x WHEN v[0] < 0 THEN CAST(0 AS DOUBLE) - x END), CAST(0 AS DOUBLE)) AS DOUBLE), CAST(coalesce(SUM(CASE WHEN v[1] > 0 THEN x WHEN v[1] < 0 THEN CAST(0 AS DOUBLE) - x END), CAST(0 AS DOUBLE)) AS DOUBLE), CAST(coalesce(SUM(CASE WHEN v[2] > 0 THEN x WHEN v[2] < 0 THEN CAST(0 AS DOUBLE) - x END), CAST(0 AS DOUBLE)) AS DOUBLE), CAST(coalesce(SUM(CASE WHEN v[3] > 0 THEN x WHEN v[3] < 0 THEN CAST(0 AS DOUBLE) - x END), CAST(0 AS DOUBLE)) AS DOUBLE)) AS sums
FROM (SELECT r, f, x FROM cells0 DISTRIBUTE BY r) met LEFT JOIN vectors3 USING (f)
GROUP BY r, b) blocks GROUP BY r) s)
SELECT c0 AS `doc`, ok*x[0] AS z0, ok*x[1] AS z1
FROM (SELECT c0, ok, transform(map_values(map_filter(map(0, l0), (a, b) -> true))[0], v -> aggregate(sequence(0, size(v) - 1, 2), CAST(0 AS DOUBLE), (total, i) -> total + CAST(x[v[i + 0]] AS DOUBLE)*CAST(x[v[i + 1]] AS DOUBLE))) AS x
FROM (SELECT r AS c0, CASE WHEN counted = present THEN 0.5e0 END AS ok, sums AS x FROM summed4) s CROSS JOIN (SELECT l0 FROM lists) l0) s

-- ======== snowflake, trino
WITH source0 AS (SELECT r, r AS c0, CASE WHEN counted = present THEN 0.5e0 END AS ok FROM (SELECT "doc" AS r, count(*) AS counted, count("value") AS present FROM "counts" GROUP BY "doc") s),
cells1 AS (SELECT "doc" AS r, CASE WHEN "feature" BETWEEN 0 AND 3 THEN "feature" WHEN "feature" IS NOT NULL THEN CAST(concat('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features', substr(CAST(CASE WHEN "feature" > 0 THEN 1 ELSE 0 END AS VARCHAR), 1, 0)) AS BIGINT) END AS f, CAST("value" AS DOUBLE) AS x FROM "counts"),
features2 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
cells3 AS (SELECT r, f, x FROM cells1 UNION ALL SELECT r, 2147483646, 1.0e0 FROM source0),
features4 AS (SELECT f FROM features2 UNION ALL SELECT 2147483646),
components5 AS (SELECT c, ((((((((1574893309*c+942081650)*c+1092796033)*c+322452265)*c+86370456)*c+1110696561)*c+448051154)*c+856258980) % 2147483647) AS b0, ((((((((2056226372*c+1511295235)*c+539795458)*c+1159429077)*c+1053340421)*c+901923700)*c+1089424396)*c+1311171650) % 2147483647) AS b1, ((((((((777863992*c+367405606)*c+1650369878)*c+798028340)*c+2001434510)*c+1882049785)*c+1099353589)*c+846700147) % 2147483647) AS b2, ((((((((311309982*c+1149598721)*c+1023396328)*c+1533247230)*c+1959065055)*c+1769436734)*c+1578108253)*c+1041103719) % 2147483647) AS b3,
  ((((((((514913104*c+366078430)*c+1225065059)*c+338158126)*c+804154756)*c+187762281)*c+369983030)*c+621715357) % 2147483647) AS b4, ((((((((2063910851*c+120900845)*c+722046603)*c+1322361769)*c+109934394)*c+1005860937)*c+413945999)*c+1458259688) % 2147483647) AS b5, ((((((((225408579*c+721434976)*c+575616254)*c+227350401)*c+23079792)*c+345595115)*c+1987942659)*c+970419334) % 2147483647) AS b6, ((((((((253159133*c+246347483)*c+1289542640)*c+250933439)*c+2074216698)*c+222556151)*c+1631786136)*c+177031234) % 2147483647) AS b7
FROM (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS c FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) n),
signs6 AS (SELECT CAST(c AS BIGINT) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((((((((b7*f+b6) % 2147483647)*f+b5) % 2147483647)*f+b4) % 2147483647)*f+b3) % 2147483647)*f+b2) % 2147483647)*f+b1) % 2147483647)*f+b0) % 2147483647) AS h FROM features4 CROSS JOIN components5) drawn
WHERE h < 2147483647),
sums7 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM cells3 JOIN signs6 USING (f)
GROUP BY r, c),
features8 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
cells9 AS (SELECT r, f, x FROM sums7 UNION ALL
SELECT odd.r, e.f, 0.0e0 FROM (SELECT DISTINCT r FROM sums7 WHERE NOT (x - x = 0)) odd
CROSS JOIN features8 e
WHERE NOT EXISTS (SELECT 1 FROM sums7 k WHERE (k.r IS NOT DISTINCT FROM odd.r) AND k.f = e.f)),
index_table10 AS (SELECT c, v0, v1 FROM (VALUES (0, 2, 3), (0, 0, 1), (1, 2, 1), (1, 0, 3)) AS listed(c, v0, v1)),
products11 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS DOUBLE)*CAST(k1.x AS DOUBLE)) AS x
FROM index_table10 i JOIN cells9 k0 ON k0.f = i.v0 JOIN cells9 k1 ON k1.f = i.v1 AND (k0.r IS NOT DISTINCT FROM k1.r)
GROUP BY k0.r, i.c),
outputs12 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2),
result13 AS (SELECT s.r AS r, s.c0 AS c0, s.ok AS ok, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM source0 s CROSS JOIN outputs12 n
LEFT JOIN products11 z ON (z.r IS NOT DISTINCT FROM s.r) AND z.f = n.f)
SELECT c0 AS "doc", ok*x0 AS z0, ok*x1 AS z1
FROM (SELECT c0, ok, MAX(CASE WHEN f = 0 THEN CAST(x AS DOUBLE) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS DOUBLE) END) AS x1 FROM result13 GROUP BY r, c0, ok) s

-- ======== bigquery
WITH source0 AS (SELECT r, r AS c0, CASE WHEN counted = present THEN 0.5e0 END AS ok FROM (SELECT `doc` AS r, count(*) AS counted, count(`value`) AS present FROM `counts` GROUP BY `doc`) s),
cells1 AS (SELECT `doc` AS r, CASE WHEN `feature` BETWEEN 0 AND 3 THEN `feature` WHEN `feature` IS NOT NULL THEN ERROR('sqlrp: a feature in \'feature\' is outside 0 ... 3: positions count from 0; raise n_features') END AS f, CAST(`value` AS FLOAT64) AS x FROM `counts`),
features2 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS INT64) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
cells3 AS (SELECT r, f, x FROM cells1 UNION ALL SELECT r, 2147483646, 1.0e0 FROM source0),
features4 AS (SELECT f FROM features2 UNION ALL SELECT 2147483646),
components5 AS (SELECT c, MOD((((((((1574893309*c+942081650)*c+1092796033)*c+322452265)*c+86370456)*c+1110696561)*c+448051154)*c+856258980), 2147483647) AS b0, MOD((((((((2056226372*c+1511295235)*c+539795458)*c+1159429077)*c+1053340421)*c+901923700)*c+1089424396)*c+1311171650), 2147483647) AS b1, MOD((((((((777863992*c+367405606)*c+1650369878)*c+798028340)*c+2001434510)*c+1882049785)*c+1099353589)*c+846700147), 2147483647) AS b2, MOD((((((((311309982*c+1149598721)*c+1023396328)*c+1533247230)*c+1959065055)*c+1769436734)*c+1578108253)*c+1041103719), 2147483647) AS b3,
  MOD((((((((514913104*c+366078430)*c+1225065059)*c+338158126)*c+804154756)*c+187762281)*c+369983030)*c+621715357), 2147483647) AS b4, MOD((((((((2063910851*c+120900845)*c+722046603)*c+1322361769)*c+109934394)*c+1005860937)*c+413945999)*c+1458259688), 2147483647) AS b5, MOD((((((((225408579*c+721434976)*c+575616254)*c+227350401)*c+23079792)*c+345595115)*c+1987942659)*c+970419334), 2147483647) AS b6, MOD((((((((253159133*c+246347483)*c+1289542640)*c+250933439)*c+2074216698)*c+222556151)*c+1631786136)*c+177031234), 2147483647) AS b7
FROM (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS INT64) AS c FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) n),
signs6 AS (SELECT CAST(c AS INT64) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, MOD((MOD((MOD((MOD((MOD((MOD((MOD((b7*f+b6), 2147483647)*f+b5), 2147483647)*f+b4), 2147483647)*f+b3), 2147483647)*f+b2), 2147483647)*f+b1), 2147483647)*f+b0), 2147483647) AS h FROM features4 CROSS JOIN components5) drawn
WHERE h < 2147483647),
sums7 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM cells3 JOIN signs6 USING (f)
GROUP BY r, c),
features8 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS INT64) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
cells9 AS (SELECT r, f, x FROM sums7 UNION ALL
SELECT odd.r, e.f, 0.0e0 FROM (SELECT DISTINCT r FROM sums7 WHERE NOT (x - x = 0)) odd
CROSS JOIN features8 e
WHERE NOT EXISTS (SELECT 1 FROM sums7 k WHERE (k.r IS NOT DISTINCT FROM odd.r) AND k.f = e.f)),
index_table10 AS (SELECT c, v0, v1 FROM UNNEST([STRUCT(0 AS c, 2 AS v0, 3 AS v1), STRUCT(0, 0, 1), STRUCT(1, 2, 1), STRUCT(1, 0, 3)])),
products11 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS FLOAT64)*CAST(k1.x AS FLOAT64)) AS x
FROM index_table10 i JOIN cells9 k0 ON k0.f = i.v0 JOIN cells9 k1 ON k1.f = i.v1 AND (k0.r IS NOT DISTINCT FROM k1.r)
GROUP BY k0.r, i.c),
outputs12 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS INT64) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2),
result13 AS (SELECT s.r AS r, s.c0 AS c0, s.ok AS ok, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM source0 s CROSS JOIN outputs12 n
LEFT JOIN products11 z ON (z.r IS NOT DISTINCT FROM s.r) AND z.f = n.f)
SELECT c0 AS `doc`, ok*x0 AS z0, ok*x1 AS z1
FROM (SELECT c0, ok, MAX(CASE WHEN f = 0 THEN CAST(x AS FLOAT64) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS FLOAT64) END) AS x1 FROM result13 GROUP BY r, c0, ok) s

-- ======== redshift
WITH source0 AS (SELECT r, r AS c0, CASE WHEN counted = present THEN CAST('0.5' AS DOUBLE PRECISION) END AS ok FROM (SELECT "doc" AS r, count(*) AS counted, count("value") AS present FROM "counts" GROUP BY "doc") s),
cells1 AS (SELECT "doc" AS r, CASE WHEN "feature" BETWEEN 0 AND 3 THEN "feature" WHEN "feature" IS NOT NULL THEN CAST(concat('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features', substr(CAST(CASE WHEN "feature" > 0 THEN 1 ELSE 0 END AS VARCHAR), 1, 0)) AS BIGINT) END AS f, CAST("value" AS DOUBLE PRECISION) AS x FROM "counts"),
features2 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
cells3 AS (SELECT r, f, x FROM cells1 UNION ALL SELECT r, 2147483646, CAST('1.0' AS DOUBLE PRECISION) FROM source0),
features4 AS (SELECT f FROM features2 UNION ALL SELECT 2147483646),
components5 AS (SELECT c, ((((((((1574893309*c+942081650)*c+1092796033)*c+322452265)*c+86370456)*c+1110696561)*c+448051154)*c+856258980) % 2147483647) AS b0, ((((((((2056226372*c+1511295235)*c+539795458)*c+1159429077)*c+1053340421)*c+901923700)*c+1089424396)*c+1311171650) % 2147483647) AS b1, ((((((((777863992*c+367405606)*c+1650369878)*c+798028340)*c+2001434510)*c+1882049785)*c+1099353589)*c+846700147) % 2147483647) AS b2, ((((((((311309982*c+1149598721)*c+1023396328)*c+1533247230)*c+1959065055)*c+1769436734)*c+1578108253)*c+1041103719) % 2147483647) AS b3,
  ((((((((514913104*c+366078430)*c+1225065059)*c+338158126)*c+804154756)*c+187762281)*c+369983030)*c+621715357) % 2147483647) AS b4, ((((((((2063910851*c+120900845)*c+722046603)*c+1322361769)*c+109934394)*c+1005860937)*c+413945999)*c+1458259688) % 2147483647) AS b5, ((((((((225408579*c+721434976)*c+575616254)*c+227350401)*c+23079792)*c+345595115)*c+1987942659)*c+970419334) % 2147483647) AS b6, ((((((((253159133*c+246347483)*c+1289542640)*c+250933439)*c+2074216698)*c+222556151)*c+1631786136)*c+177031234) % 2147483647) AS b7
FROM (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS c FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) n),
signs6 AS (SELECT CAST(c AS BIGINT) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((((((((b7*f+b6) % 2147483647)*f+b5) % 2147483647)*f+b4) % 2147483647)*f+b3) % 2147483647)*f+b2) % 2147483647)*f+b1) % 2147483647)*f+b0) % 2147483647) AS h FROM features4 CROSS JOIN components5) drawn
WHERE h < 2147483647),
sums7 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE CAST('0.0' AS DOUBLE PRECISION) - x END) AS x
FROM cells3 JOIN signs6 USING (f)
GROUP BY r, c),
features8 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
cells9 AS (SELECT r, f, x FROM sums7 UNION ALL
SELECT odd.r, e.f, CAST('0.0' AS DOUBLE PRECISION) FROM (SELECT DISTINCT r FROM sums7 WHERE NOT (x - x = 0)) odd
CROSS JOIN features8 e
WHERE NOT EXISTS (SELECT 1 FROM sums7 k WHERE (k.r = odd.r OR (k.r IS NULL AND odd.r IS NULL)) AND k.f = e.f)),
index_table10 AS (SELECT 0 AS c, 2 AS v0, 3 AS v1 UNION ALL SELECT 0 AS c, 0 AS v0, 1 AS v1 UNION ALL SELECT 1 AS c, 2 AS v0, 1 AS v1 UNION ALL SELECT 1 AS c, 0 AS v0, 3 AS v1),
products11 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS DOUBLE PRECISION)*CAST(k1.x AS DOUBLE PRECISION)) AS x
FROM index_table10 i JOIN cells9 k0 ON k0.f = i.v0 JOIN cells9 k1 ON k1.f = i.v1 AND (k0.r = k1.r OR (k0.r IS NULL AND k1.r IS NULL))
GROUP BY k0.r, i.c),
outputs12 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2),
result13 AS (SELECT s.r AS r, s.c0 AS c0, s.ok AS ok, n.f AS f, coalesce(z.x, CAST('0.0' AS DOUBLE PRECISION)) AS x
FROM source0 s CROSS JOIN outputs12 n
LEFT JOIN products11 z ON (z.r = s.r OR (z.r IS NULL AND s.r IS NULL)) AND z.f = n.f)
SELECT c0 AS "doc", ok*x0 AS z0, ok*x1 AS z1
FROM (SELECT c0, ok, MAX(CASE WHEN f = 0 THEN CAST(x AS DOUBLE PRECISION) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS DOUBLE PRECISION) END) AS x1 FROM result13 GROUP BY r, c0, ok) s

-- ======== databricks
WITH source0 AS (SELECT r, r AS c0, CASE WHEN counted = present THEN 0.5e0 END AS ok FROM (SELECT `doc` AS r, count(*) AS counted, count(`value`) AS present FROM `counts` GROUP BY `doc`) s),
cells1 AS (SELECT `doc` AS r, CASE WHEN `feature` BETWEEN 0 AND 3 THEN `feature` WHEN `feature` IS NOT NULL THEN raise_error('sqlrp: a feature in \'feature\' is outside 0 ... 3: positions count from 0; raise n_features') END AS f, CAST(`value` AS DOUBLE) AS x FROM `counts`),
features2 AS (SELECT id AS f FROM range(4)),
cells3 AS (SELECT r, f, x FROM cells1 UNION ALL SELECT r, 2147483646, 1.0e0 FROM source0),
features4 AS (SELECT f FROM features2 UNION ALL SELECT 2147483646),
components5 AS (SELECT c, ((((((((1574893309*c+942081650)*c+1092796033)*c+322452265)*c+86370456)*c+1110696561)*c+448051154)*c+856258980) % 2147483647) AS b0, ((((((((2056226372*c+1511295235)*c+539795458)*c+1159429077)*c+1053340421)*c+901923700)*c+1089424396)*c+1311171650) % 2147483647) AS b1, ((((((((777863992*c+367405606)*c+1650369878)*c+798028340)*c+2001434510)*c+1882049785)*c+1099353589)*c+846700147) % 2147483647) AS b2, ((((((((311309982*c+1149598721)*c+1023396328)*c+1533247230)*c+1959065055)*c+1769436734)*c+1578108253)*c+1041103719) % 2147483647) AS b3,
  ((((((((514913104*c+366078430)*c+1225065059)*c+338158126)*c+804154756)*c+187762281)*c+369983030)*c+621715357) % 2147483647) AS b4, ((((((((2063910851*c+120900845)*c+722046603)*c+1322361769)*c+109934394)*c+1005860937)*c+413945999)*c+1458259688) % 2147483647) AS b5, ((((((((225408579*c+721434976)*c+575616254)*c+227350401)*c+23079792)*c+345595115)*c+1987942659)*c+970419334) % 2147483647) AS b6, ((((((((253159133*c+246347483)*c+1289542640)*c+250933439)*c+2074216698)*c+222556151)*c+1631786136)*c+177031234) % 2147483647) AS b7
FROM (SELECT id AS c FROM range(4)) n),
signs6 AS (SELECT CAST(c AS BIGINT) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((((((((b7*f+b6) % 2147483647)*f+b5) % 2147483647)*f+b4) % 2147483647)*f+b3) % 2147483647)*f+b2) % 2147483647)*f+b1) % 2147483647)*f+b0) % 2147483647) AS h FROM features4 CROSS JOIN components5) drawn
WHERE h < 2147483647),
sums7 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM cells3 JOIN signs6 USING (f)
GROUP BY r, c),
features8 AS (SELECT id AS f FROM range(4)),
lists9 AS (SELECT r, transform(array(collect_list(struct(CAST(f AS INT) AS o, CAST(x AS DOUBLE) AS v)) FILTER (WHERE CAST(x AS DOUBLE) IS NOT NULL)), p -> CASE WHEN size(p) = 4 THEN sort_array(p).v ELSE sort_array(concat(p, transform(array_except(sequence(0, 3), p.o), o -> struct(o, 0.0e0 AS v)))).v END)[0] AS x FROM sums7 GROUP BY r),
index_table10 AS (SELECT c, v0, v1 FROM (VALUES (0, 2, 3), (0, 0, 1), (1, 2, 1), (1, 0, 3)) AS listed(c, v0, v1)),
products11 AS (SELECT k.r AS r, i.c AS f, SUM(CAST(k.x[i.v0] AS DOUBLE)*CAST(k.x[i.v1] AS DOUBLE)) AS x FROM lists9 k CROSS JOIN index_table10 i GROUP BY k.r, i.c),
outputs12 AS (SELECT id AS f FROM range(2)),
result13 AS (SELECT s.r AS r, s.c0 AS c0, s.ok AS ok, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM source0 s CROSS JOIN outputs12 n
LEFT JOIN products11 z ON (z.r IS NOT DISTINCT FROM s.r) AND z.f = n.f)
SELECT c0 AS `doc`, ok*x0 AS z0, ok*x1 AS z1
FROM (SELECT c0, ok, MAX(CASE WHEN f = 0 THEN CAST(x AS DOUBLE) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS DOUBLE) END) AS x1 FROM result13 GROUP BY r, c0, ok) s

-- ======== sqlserver
-- 27 statements: run them in this order in one session. Statement 14 returns the rows.
SELECT * INTO #sqlrp_temporary_0 FROM (SELECT r, r AS c0, CASE WHEN counted = present THEN 0.5e0 END AS ok FROM (SELECT [doc] AS r, count(*) AS counted, count([value]) AS present FROM [counts] GROUP BY [doc]) s) s;
SELECT * INTO #sqlrp_temporary_1 FROM (SELECT [doc] AS r, CASE WHEN [feature] BETWEEN 0 AND 3 THEN [feature] WHEN [feature] IS NOT NULL THEN CAST(CONCAT('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features', LEFT(CAST(NEWID() AS VARCHAR(36)), 0)) AS BIGINT) END AS f, CAST([value] AS FLOAT) AS x FROM [counts]) s;
SELECT * INTO #sqlrp_temporary_2 FROM (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) s;
SELECT * INTO #sqlrp_temporary_3 FROM (SELECT r, f, x FROM #sqlrp_temporary_1 UNION ALL SELECT r, 2147483646, 1.0e0 FROM #sqlrp_temporary_0) s;
SELECT * INTO #sqlrp_temporary_4 FROM (SELECT f FROM #sqlrp_temporary_2 UNION ALL SELECT 2147483646) s;
SELECT * INTO #sqlrp_temporary_5 FROM (SELECT c, ((((((((1574893309*c+942081650)*c+1092796033)*c+322452265)*c+86370456)*c+1110696561)*c+448051154)*c+856258980) % 2147483647) AS b0, ((((((((2056226372*c+1511295235)*c+539795458)*c+1159429077)*c+1053340421)*c+901923700)*c+1089424396)*c+1311171650) % 2147483647) AS b1, ((((((((777863992*c+367405606)*c+1650369878)*c+798028340)*c+2001434510)*c+1882049785)*c+1099353589)*c+846700147) % 2147483647) AS b2, ((((((((311309982*c+1149598721)*c+1023396328)*c+1533247230)*c+1959065055)*c+1769436734)*c+1578108253)*c+1041103719) % 2147483647) AS b3,
  ((((((((514913104*c+366078430)*c+1225065059)*c+338158126)*c+804154756)*c+187762281)*c+369983030)*c+621715357) % 2147483647) AS b4, ((((((((2063910851*c+120900845)*c+722046603)*c+1322361769)*c+109934394)*c+1005860937)*c+413945999)*c+1458259688) % 2147483647) AS b5, ((((((((225408579*c+721434976)*c+575616254)*c+227350401)*c+23079792)*c+345595115)*c+1987942659)*c+970419334) % 2147483647) AS b6, ((((((((253159133*c+246347483)*c+1289542640)*c+250933439)*c+2074216698)*c+222556151)*c+1631786136)*c+177031234) % 2147483647) AS b7
FROM (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS c FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) n) s;
SELECT * INTO #sqlrp_temporary_6 FROM (SELECT CAST(c AS BIGINT) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((((((((b7*f+b6) % 2147483647)*f+b5) % 2147483647)*f+b4) % 2147483647)*f+b3) % 2147483647)*f+b2) % 2147483647)*f+b1) % 2147483647)*f+b0) % 2147483647) AS h FROM #sqlrp_temporary_4 CROSS JOIN #sqlrp_temporary_5) drawn
WHERE h < 2147483647) s;
SELECT * INTO #sqlrp_temporary_7 FROM (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM #sqlrp_temporary_3 JOIN #sqlrp_temporary_6 ON #sqlrp_temporary_3.f = #sqlrp_temporary_6.f
GROUP BY r, c) s;
SELECT * INTO #sqlrp_temporary_8 FROM (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) s;
SELECT * INTO #sqlrp_temporary_9 FROM (SELECT c, v0, v1 FROM (VALUES (0, 2, 3), (0, 0, 1), (1, 2, 1), (1, 0, 3)) AS listed(c, v0, v1)) s;
SELECT * INTO #sqlrp_temporary_10 FROM (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS FLOAT)*CAST(k1.x AS FLOAT)) AS x
FROM #sqlrp_temporary_9 i JOIN #sqlrp_temporary_7 k0 ON k0.f = i.v0 JOIN #sqlrp_temporary_7 k1 ON k1.f = i.v1 AND EXISTS (SELECT k0.r INTERSECT SELECT k1.r)
GROUP BY k0.r, i.c) s;
SELECT * INTO #sqlrp_temporary_11 FROM (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2) s;
SELECT * INTO #sqlrp_temporary_12 FROM (SELECT s.r AS r, s.c0 AS c0, s.ok AS ok, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM #sqlrp_temporary_0 s CROSS JOIN #sqlrp_temporary_11 n
LEFT JOIN #sqlrp_temporary_10 z ON EXISTS (SELECT z.r INTERSECT SELECT s.r) AND z.f = n.f) s;
SELECT c0 AS [doc], ok*x0 AS z0, ok*x1 AS z1
FROM (SELECT c0, ok, MAX(CASE WHEN f = 0 THEN CAST(x AS FLOAT) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS FLOAT) END) AS x1 FROM #sqlrp_temporary_12 GROUP BY r, c0, ok) s;
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
WITH source0 AS (SELECT r, r AS c0, CASE WHEN counted = present THEN CAST(0.5e0 AS BINARY_DOUBLE) END AS ok FROM (SELECT "doc" AS r, count(*) AS counted, count("value") AS present FROM "counts" GROUP BY "doc") s),
cells1 AS (SELECT "doc" AS r, CASE WHEN "feature" BETWEEN 0 AND 3 THEN "feature" WHEN "feature" IS NOT NULL THEN TO_NUMBER('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features' || substr(RAWTOHEX(SYS_GUID()), 1, 0)) END AS f, CAST("value" AS BINARY_DOUBLE) AS x FROM "counts"),
features2 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS NUMBER(19)) AS f FROM (SELECT 0 AS d FROM dual UNION ALL SELECT 1 FROM dual UNION ALL SELECT 2 FROM dual UNION ALL SELECT 3 FROM dual UNION ALL SELECT 4 FROM dual UNION ALL SELECT 5 FROM dual UNION ALL SELECT 6 FROM dual UNION ALL SELECT 7 FROM dual UNION ALL SELECT 8 FROM dual UNION ALL SELECT 9 FROM dual) d0 WHERE 1 * d0.d < 4),
cells3 AS (SELECT r, f, x FROM cells1 UNION ALL SELECT r, 2147483646, CAST(1.0e0 AS BINARY_DOUBLE) FROM source0),
features4 AS (SELECT f FROM features2 UNION ALL SELECT 2147483646 FROM dual),
components5 AS (SELECT c, MOD((((((((1574893309*c+942081650)*c+1092796033)*c+322452265)*c+86370456)*c+1110696561)*c+448051154)*c+856258980), 2147483647) AS b0, MOD((((((((2056226372*c+1511295235)*c+539795458)*c+1159429077)*c+1053340421)*c+901923700)*c+1089424396)*c+1311171650), 2147483647) AS b1, MOD((((((((777863992*c+367405606)*c+1650369878)*c+798028340)*c+2001434510)*c+1882049785)*c+1099353589)*c+846700147), 2147483647) AS b2, MOD((((((((311309982*c+1149598721)*c+1023396328)*c+1533247230)*c+1959065055)*c+1769436734)*c+1578108253)*c+1041103719), 2147483647) AS b3,
  MOD((((((((514913104*c+366078430)*c+1225065059)*c+338158126)*c+804154756)*c+187762281)*c+369983030)*c+621715357), 2147483647) AS b4, MOD((((((((2063910851*c+120900845)*c+722046603)*c+1322361769)*c+109934394)*c+1005860937)*c+413945999)*c+1458259688), 2147483647) AS b5, MOD((((((((225408579*c+721434976)*c+575616254)*c+227350401)*c+23079792)*c+345595115)*c+1987942659)*c+970419334), 2147483647) AS b6, MOD((((((((253159133*c+246347483)*c+1289542640)*c+250933439)*c+2074216698)*c+222556151)*c+1631786136)*c+177031234), 2147483647) AS b7
FROM (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS NUMBER(19)) AS c FROM (SELECT 0 AS d FROM dual UNION ALL SELECT 1 FROM dual UNION ALL SELECT 2 FROM dual UNION ALL SELECT 3 FROM dual UNION ALL SELECT 4 FROM dual UNION ALL SELECT 5 FROM dual UNION ALL SELECT 6 FROM dual UNION ALL SELECT 7 FROM dual UNION ALL SELECT 8 FROM dual UNION ALL SELECT 9 FROM dual) d0 WHERE 1 * d0.d < 4) n),
signs6 AS (SELECT CAST(c AS NUMBER(19)) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, MOD((MOD((MOD((MOD((MOD((MOD((MOD((b7*f+b6), 2147483647)*f+b5), 2147483647)*f+b4), 2147483647)*f+b3), 2147483647)*f+b2), 2147483647)*f+b1), 2147483647)*f+b0), 2147483647) AS h FROM features4 CROSS JOIN components5) drawn
WHERE h < 2147483647),
sums7 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE CAST(0.0e0 AS BINARY_DOUBLE) - x END) AS x
FROM cells3 JOIN signs6 USING (f)
GROUP BY r, c),
features8 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS NUMBER(19)) AS f FROM (SELECT 0 AS d FROM dual UNION ALL SELECT 1 FROM dual UNION ALL SELECT 2 FROM dual UNION ALL SELECT 3 FROM dual UNION ALL SELECT 4 FROM dual UNION ALL SELECT 5 FROM dual UNION ALL SELECT 6 FROM dual UNION ALL SELECT 7 FROM dual UNION ALL SELECT 8 FROM dual UNION ALL SELECT 9 FROM dual) d0 WHERE 1 * d0.d < 4),
cells9 AS (SELECT r, f, x FROM sums7 UNION ALL
SELECT odd.r, e.f, CAST(0.0e0 AS BINARY_DOUBLE) FROM (SELECT DISTINCT r FROM sums7 WHERE NOT (x - x = 0)) odd
CROSS JOIN features8 e
WHERE NOT EXISTS (SELECT 1 FROM sums7 k WHERE (k.r = odd.r OR (k.r IS NULL AND odd.r IS NULL)) AND k.f = e.f)),
index_table10 AS (SELECT c, v0, v1 FROM (SELECT 0 AS c, 2 AS v0, 3 AS v1 FROM dual UNION ALL SELECT 0 AS c, 0 AS v0, 1 AS v1 FROM dual UNION ALL SELECT 1 AS c, 2 AS v0, 1 AS v1 FROM dual UNION ALL SELECT 1 AS c, 0 AS v0, 3 AS v1 FROM dual) s),
products11 AS (SELECT k0.r AS r, i.c AS f, SUM(CAST(k0.x AS BINARY_DOUBLE)*CAST(k1.x AS BINARY_DOUBLE)) AS x
FROM index_table10 i JOIN cells9 k0 ON k0.f = i.v0 JOIN cells9 k1 ON k1.f = i.v1 AND (k0.r = k1.r OR (k0.r IS NULL AND k1.r IS NULL))
GROUP BY k0.r, i.c),
outputs12 AS (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS NUMBER(19)) AS f FROM (SELECT 0 AS d FROM dual UNION ALL SELECT 1 FROM dual UNION ALL SELECT 2 FROM dual UNION ALL SELECT 3 FROM dual UNION ALL SELECT 4 FROM dual UNION ALL SELECT 5 FROM dual UNION ALL SELECT 6 FROM dual UNION ALL SELECT 7 FROM dual UNION ALL SELECT 8 FROM dual UNION ALL SELECT 9 FROM dual) d0 WHERE 1 * d0.d < 2),
result13 AS (SELECT s.r AS r, s.c0 AS c0, s.ok AS ok, n.f AS f, coalesce(z.x, CAST(0.0e0 AS BINARY_DOUBLE)) AS x
FROM source0 s CROSS JOIN outputs12 n
LEFT JOIN products11 z ON (z.r = s.r OR (z.r IS NULL AND s.r IS NULL)) AND z.f = n.f)
SELECT c0 AS "doc", ok*x0 AS z0, ok*x1 AS z1
FROM (SELECT c0, ok, MAX(CASE WHEN f = 0 THEN CAST(x AS BINARY_DOUBLE) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS BINARY_DOUBLE) END) AS x1 FROM result13 GROUP BY r, c0, ok) s

-- ======== generic
SELECT c0 AS "doc", ok*(w2*w3+w0*w1) AS "z0", ok*(w2*w1+w0*w3) AS "z1"
FROM (SELECT c0, ok, (v0-(v3+v4)) AS w0, ((v2+v4)-v1) AS w1, ((v3+v4)-v1) AS w2, (v0-(v2+v4)) AS w3
FROM (SELECT c0, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2, x2-x3 AS v3, 1.0e0 AS v4
FROM (SELECT c0, CASE WHEN counted = present THEN 0.5e0 END AS ok, f0 AS x0, f1 AS x1, f2 AS x2, f3 AS x3
FROM (SELECT "doc" AS c0, CAST(SUM(CASE WHEN "feature" = 0 THEN CAST("value" AS DOUBLE PRECISION) ELSE 0.0e0 END) AS DOUBLE PRECISION) AS f0, CAST(SUM(CASE WHEN "feature" = 1 THEN CAST("value" AS DOUBLE PRECISION) ELSE 0.0e0 END) AS DOUBLE PRECISION) AS f1, CAST(SUM(CASE WHEN "feature" = 2 THEN CAST("value" AS DOUBLE PRECISION) ELSE 0.0e0 END) AS DOUBLE PRECISION) AS f2, CAST(SUM(CASE WHEN "feature" = 3 THEN CAST("value" AS DOUBLE PRECISION) ELSE 0.0e0 END) AS DOUBLE PRECISION) AS f3, count(*) AS counted, count(CASE WHEN "feature" BETWEEN 0 AND 3 OR "feature" IS NULL THEN "value" END) AS present
FROM "counts" GROUP BY "doc") s) s) s) s
