-- PolynomialKernelProjection(k=2, s=1, seed=3, degree=2, p=None, t=2, c=1.0, minimise_repetition=True, vectors='sign')
-- long rows of decimals; output = 'array', nulls = 'zero', scale = True, lowering = 'indexed'

-- ======== duckdb, clickhouse
-- UnsupportedError: lowering = 'indexed' is not supported here: long rows are joined with the signs, which is the relational lowering; use lowering = 'auto'

-- ======== postgresql
-- UnsupportedError: lowering = 'indexed' is not supported here: postgresql has no indexed lowering; use lowering = 'auto'

-- ======== sqlite
-- UnsupportedError: output = 'array' is not supported: sqlite has no arrays; use 'columns' or 'long'

-- ======== mariadb
-- UnsupportedError: output = 'array' is not supported: mariadb has no arrays; use 'columns' or 'long'

-- ======== mysql
-- UnsupportedError: output = 'array' is not supported: mysql has no arrays; use 'columns' or 'long'

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
SELECT c0 AS `doc`, transform(x, e -> 0.5e0*e) AS z
FROM (SELECT c0, transform(map_values(map_filter(map(0, l0), (a, b) -> true))[0], v -> aggregate(sequence(0, size(v) - 1, 2), CAST(0 AS DOUBLE), (total, i) -> total + CAST(x[v[i + 0]] AS DOUBLE)*CAST(x[v[i + 1]] AS DOUBLE))) AS x
FROM (SELECT r AS c0, sums AS x FROM summed4) s CROSS JOIN (SELECT l0 FROM lists) l0) s

-- ======== snowflake
-- UnsupportedError: lowering = 'indexed' is not supported here: snowflake has no indexed lowering; use lowering = 'auto'

-- ======== bigquery
-- UnsupportedError: lowering = 'indexed' is not supported here: bigquery has no indexed lowering; use lowering = 'auto'

-- ======== redshift
-- UnsupportedError: lowering = 'indexed' is not supported here: redshift has no indexed lowering; use lowering = 'auto'

-- ======== databricks
-- UnsupportedError: lowering = 'indexed' is not supported here: databricks has no indexed lowering; use lowering = 'auto'

-- ======== trino
-- UnsupportedError: lowering = 'indexed' is not supported here: trino has no indexed lowering; use lowering = 'auto'

-- ======== sqlserver
-- UnsupportedError: lowering = 'indexed' is not supported here: sqlserver has no indexed lowering; use lowering = 'auto'

-- ======== oracle
-- UnsupportedError: lowering = 'indexed' is not supported here: oracle has no indexed lowering; use lowering = 'auto'

-- ======== generic
-- UnsupportedError: output = 'array' is not supported: generic has no arrays; use 'columns' or 'long'
