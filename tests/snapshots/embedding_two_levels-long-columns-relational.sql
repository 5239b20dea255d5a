-- SparseEmbedding(k=4, seed=1, nnz_per_feature=1, buckets=2)
-- long rows of floats; output = 'columns', nulls = 'propagate', scale = True, lowering = 'relational'

-- ======== duckdb
WITH source0 AS MATERIALIZED (SELECT r, r AS c0, CASE WHEN counted = present THEN 0 END AS ok FROM (SELECT "doc" AS r, count(*) AS counted, count("value") AS present FROM "counts" GROUP BY "doc") s),
cells1 AS MATERIALIZED (SELECT "doc" AS r, CASE WHEN "feature" BETWEEN 0 AND 3 THEN "feature" WHEN "feature" IS NOT NULL THEN error('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features') END AS f, CAST("value" AS FLOAT) AS x FROM "counts"),
features2 AS MATERIALIZED (SELECT CAST(range AS BIGINT) AS f FROM range(4)),
components3 AS MATERIALIZED (SELECT c, ((((((((86057821*c+35441655)*c+50959854)*c+1702898876)*c+1662641172)*c+731566417)*c+137824059)*c+774298026) % 2147483647) AS b0, ((((((((1415233499*c+1562905726)*c+904454205)*c+71962176)*c+1478852194)*c+1545567310)*c+1572863081)*c+1396423721) % 2147483647) AS b1, ((((((((1573563469*c+88992673)*c+154443857)*c+1353500167)*c+222423864)*c+250026418)*c+1037928591)*c+1621884172) % 2147483647) AS b2, ((((((((1146035237*c+1961288988)*c+1996702231)*c+800183552)*c+415712159)*c+1162812795)*c+1513709210)*c+561607856) % 2147483647) AS b3,
  ((((((((1802476924*c+906197210)*c+672508506)*c+1648126357)*c+1722562433)*c+1527194989)*c+214600808)*c+1586436761) % 2147483647) AS b4, ((((((((20816524*c+833668822)*c+364396262)*c+113192427)*c+659094459)*c+1863934148)*c+1213969898)*c+1677553116) % 2147483647) AS b5, ((((((((956373040*c+1179019708)*c+149577481)*c+242595841)*c+1205537718)*c+1827732760)*c+1061979933)*c+1387218409) % 2147483647) AS b6, ((((((((80182409*c+1926497078)*c+1155710814)*c+1949830863)*c+1121989022)*c+58002289)*c+245682120)*c+212696780) % 2147483647) AS b7
FROM (SELECT CAST(range AS BIGINT) AS c FROM range(2)) n),
signs4 AS MATERIALIZED (SELECT ((g % 2) * 1 + c) * 2 + ((h // 2) % 2) AS c, f, 1 - (h % 2) * 2 AS sign
FROM (SELECT c, f, h, MAX(CASE WHEN c = 1 THEN h ELSE -1 END) OVER (PARTITION BY f) AS g
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features2 CROSS JOIN components3) drawn) entries
WHERE c < 1),
sums5 AS MATERIALIZED (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE CAST(0.0e0 AS FLOAT) - x END) AS x
FROM cells1 JOIN signs4 USING (f)
GROUP BY r, c)
SELECT c0 AS "doc", x[1]+ok AS z0, x[2]+ok AS z1, x[3]+ok AS z2, x[4]+ok AS z3
FROM (SELECT s.c0 AS c0, s.ok AS ok, list_transform(range(4), lambda e: coalesce(z.x[list_position(z.f, CAST(e AS SMALLINT))], CAST(0.0e0 AS FLOAT))) AS x
FROM source0 s LEFT JOIN (SELECT r, list(CAST(f AS SMALLINT)) AS f, list(coalesce(TRY_CAST(x AS FLOAT), CAST('inf'::DOUBLE * x AS FLOAT))) AS x FROM sums5 GROUP BY r) z ON (z.r IS NOT DISTINCT FROM s.r)) s

-- ======== postgresql
WITH source0 AS MATERIALIZED (SELECT r, r AS c0, CASE WHEN counted = present THEN 0 END AS ok FROM (SELECT "doc" AS r, count(*) AS counted, count("value") AS present FROM "counts" GROUP BY "doc") s),
cells1 AS MATERIALIZED (SELECT "doc" AS r, CASE WHEN "feature" BETWEEN 0 AND 3 THEN "feature" WHEN "feature" IS NOT NULL THEN CAST('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features' || left(CAST(clock_timestamp() AS text), 0) AS bigint) END AS f, CAST("value" AS double precision) AS x FROM "counts"),
features2 AS MATERIALIZED (SELECT f FROM generate_series(CAST(0 AS bigint), 3) g(f)),
components3 AS MATERIALIZED (SELECT c, ((((((((86057821*c+35441655)*c+50959854)*c+1702898876)*c+1662641172)*c+731566417)*c+137824059)*c+774298026) % 2147483647) AS b0, ((((((((1415233499*c+1562905726)*c+904454205)*c+71962176)*c+1478852194)*c+1545567310)*c+1572863081)*c+1396423721) % 2147483647) AS b1, ((((((((1573563469*c+88992673)*c+154443857)*c+1353500167)*c+222423864)*c+250026418)*c+1037928591)*c+1621884172) % 2147483647) AS b2, ((((((((1146035237*c+1961288988)*c+1996702231)*c+800183552)*c+415712159)*c+1162812795)*c+1513709210)*c+561607856) % 2147483647) AS b3,
  ((((((((1802476924*c+906197210)*c+672508506)*c+1648126357)*c+1722562433)*c+1527194989)*c+214600808)*c+1586436761) % 2147483647) AS b4, ((((((((20816524*c+833668822)*c+364396262)*c+113192427)*c+659094459)*c+1863934148)*c+1213969898)*c+1677553116) % 2147483647) AS b5, ((((((((956373040*c+1179019708)*c+149577481)*c+242595841)*c+1205537718)*c+1827732760)*c+1061979933)*c+1387218409) % 2147483647) AS b6, ((((((((80182409*c+1926497078)*c+1155710814)*c+1949830863)*c+1121989022)*c+58002289)*c+245682120)*c+212696780) % 2147483647) AS b7
FROM (SELECT c FROM generate_series(CAST(0 AS bigint), 1) g(c)) n),
signs4 AS MATERIALIZED (SELECT ((g % 2) * 1 + c) * 2 + ((h / 2) % 2) AS c, f, 1 - (h % 2) * 2 AS sign
FROM (SELECT c, f, h, MAX(CASE WHEN c = 1 THEN h ELSE -1 END) OVER (PARTITION BY f) AS g
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features2 CROSS JOIN components3 OFFSET '0') drawn) entries
WHERE c < 1),
sums5 AS MATERIALIZED (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE CAST('0.0' AS double precision) - x END) AS x
FROM cells1 JOIN signs4 USING (f)
GROUP BY r, c),
outputs6 AS MATERIALIZED (SELECT f FROM generate_series(CAST(0 AS bigint), 3) g(f)),
result7 AS MATERIALIZED (SELECT s.r AS r, n.f AS f, coalesce(z.x, CAST('0.0' AS double precision)) AS x
FROM source0 s CROSS JOIN outputs6 n
LEFT JOIN sums5 z ON ARRAY[z.r] = ARRAY[s.r] AND z.f = n.f)
SELECT c0 AS "doc", x[1]+ok AS z0, x[2]+ok AS z1, x[3]+ok AS z2, x[4]+ok AS z3
FROM (SELECT s.c0 AS c0, s.ok AS ok, z.x AS x FROM source0 s JOIN (SELECT r, array_agg(CAST(x AS double precision) ORDER BY f) AS x FROM result7 GROUP BY r) z ON ARRAY[z.r] = ARRAY[s.r]) s

-- ======== sqlite
WITH source0 AS MATERIALIZED (SELECT r, r AS c0, CASE WHEN counted = present THEN 0 END AS ok FROM (SELECT `doc` AS r, count(*) AS counted, count(`value`) AS present FROM `counts` GROUP BY `doc`) s),
cells1 AS MATERIALIZED (SELECT `doc` AS r, CASE WHEN `feature` BETWEEN 0 AND 3 THEN `feature` WHEN `feature` IS NOT NULL THEN json_type('{}', 'sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features' || substr(random(), 1, 0)) END AS f, CASE WHEN `value` >= '' THEN json_type('{}', 'sqlrp: a feature in `value` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`value` AS REAL) END AS x FROM `counts`),
features2 AS MATERIALIZED (WITH RECURSIVE counted AS (SELECT 0 AS f UNION ALL SELECT f + 1 FROM counted WHERE f < 3) SELECT f FROM counted),
components3 AS MATERIALIZED (SELECT c, ((((((((86057821*c+35441655)*c+50959854)*c+1702898876)*c+1662641172)*c+731566417)*c+137824059)*c+774298026) % 2147483647) AS b0, ((((((((1415233499*c+1562905726)*c+904454205)*c+71962176)*c+1478852194)*c+1545567310)*c+1572863081)*c+1396423721) % 2147483647) AS b1, ((((((((1573563469*c+88992673)*c+154443857)*c+1353500167)*c+222423864)*c+250026418)*c+1037928591)*c+1621884172) % 2147483647) AS b2, ((((((((1146035237*c+1961288988)*c+1996702231)*c+800183552)*c+415712159)*c+1162812795)*c+1513709210)*c+561607856) % 2147483647) AS b3,
  ((((((((1802476924*c+906197210)*c+672508506)*c+1648126357)*c+1722562433)*c+1527194989)*c+214600808)*c+1586436761) % 2147483647) AS b4, ((((((((20816524*c+833668822)*c+364396262)*c+113192427)*c+659094459)*c+1863934148)*c+1213969898)*c+1677553116) % 2147483647) AS b5, ((((((((956373040*c+1179019708)*c+149577481)*c+242595841)*c+1205537718)*c+1827732760)*c+1061979933)*c+1387218409) % 2147483647) AS b6, ((((((((80182409*c+1926497078)*c+1155710814)*c+1949830863)*c+1121989022)*c+58002289)*c+245682120)*c+212696780) % 2147483647) AS b7
FROM (WITH RECURSIVE counted AS (SELECT 0 AS c UNION ALL SELECT c + 1 FROM counted WHERE c < 1) SELECT c FROM counted) n),
signs4 AS MATERIALIZED (SELECT ((g % 2) * 1 + c) * 2 + ((h / 2) % 2) AS c, f, 1 - (h % 2) * 2 AS sign
FROM (SELECT c, f, h, MAX(CASE WHEN c = 1 THEN h ELSE -1 END) OVER (PARTITION BY f) AS g
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features2 CROSS JOIN components3 LIMIT -1 OFFSET 0) drawn) entries
WHERE c < 1),
sums5 AS MATERIALIZED (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0.0e0 - x END) AS x
FROM cells1 JOIN signs4 USING (f)
GROUP BY r, c),
outputs6 AS MATERIALIZED (WITH RECURSIVE counted AS (SELECT 0 AS f UNION ALL SELECT f + 1 FROM counted WHERE f < 3) SELECT f FROM counted),
result7 AS MATERIALIZED (SELECT s.r AS r, s.c0 AS c0, s.ok AS ok, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM source0 s CROSS JOIN outputs6 n
LEFT JOIN sums5 z ON (z.r IS s.r) AND z.f = n.f)
SELECT c0 AS `doc`, x0+ok AS z0, x1+ok AS z1, x2+ok AS z2, x3+ok AS z3
FROM (SELECT c0, ok, MAX(CASE WHEN f = 0 THEN CAST(x AS REAL) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS REAL) END) AS x1, MAX(CASE WHEN f = 2 THEN CAST(x AS REAL) END) AS x2, MAX(CASE WHEN f = 3 THEN CAST(x AS REAL) END) AS x3 FROM result7 GROUP BY r, c0, ok) s

-- ======== mariadb
WITH source0 AS (SELECT r, r AS c0, CASE WHEN counted = present THEN 0 END AS ok FROM (SELECT `doc` AS r, count(*) AS counted, count(`value`) AS present FROM `counts` GROUP BY `doc`) s LIMIT 18446744073709551615),
cells1 AS (SELECT `doc` AS r, CASE WHEN `feature` BETWEEN 0 AND 3 THEN `feature` WHEN `feature` IS NOT NULL THEN (9223372036854775807 + char_length(concat('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features', rand()))) END AS f, CAST(`value` AS DOUBLE) AS x FROM `counts` LIMIT 18446744073709551615),
features2 AS (SELECT CAST(seq AS SIGNED) AS f FROM seq_0_to_3 LIMIT 18446744073709551615),
components3 AS (SELECT c, ((((((((86057821*c+35441655)*c+50959854)*c+1702898876)*c+1662641172)*c+731566417)*c+137824059)*c+774298026) % 2147483647) AS b0, ((((((((1415233499*c+1562905726)*c+904454205)*c+71962176)*c+1478852194)*c+1545567310)*c+1572863081)*c+1396423721) % 2147483647) AS b1, ((((((((1573563469*c+88992673)*c+154443857)*c+1353500167)*c+222423864)*c+250026418)*c+1037928591)*c+1621884172) % 2147483647) AS b2, ((((((((1146035237*c+1961288988)*c+1996702231)*c+800183552)*c+415712159)*c+1162812795)*c+1513709210)*c+561607856) % 2147483647) AS b3,
  ((((((((1802476924*c+906197210)*c+672508506)*c+1648126357)*c+1722562433)*c+1527194989)*c+214600808)*c+1586436761) % 2147483647) AS b4, ((((((((20816524*c+833668822)*c+364396262)*c+113192427)*c+659094459)*c+1863934148)*c+1213969898)*c+1677553116) % 2147483647) AS b5, ((((((((956373040*c+1179019708)*c+149577481)*c+242595841)*c+1205537718)*c+1827732760)*c+1061979933)*c+1387218409) % 2147483647) AS b6, ((((((((80182409*c+1926497078)*c+1155710814)*c+1949830863)*c+1121989022)*c+58002289)*c+245682120)*c+212696780) % 2147483647) AS b7
FROM (SELECT CAST(seq AS SIGNED) AS c FROM seq_0_to_1) n LIMIT 18446744073709551615),
signs4 AS (SELECT ((g % 2) * 1 + c) * 2 + (CAST((h - h % 2) / 2 AS SIGNED) % 2) AS c, f, 1 - (h % 2) * 2 AS sign
FROM (SELECT c, f, h, MAX(CASE WHEN c = 1 THEN h ELSE -1 END) OVER (PARTITION BY f) AS g
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features2 CROSS JOIN components3 LIMIT 18446744073709551615) drawn) entries
WHERE c < 1 LIMIT 18446744073709551615),
sums5 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE CAST(0.0e0 AS DOUBLE) - x END) AS x
FROM cells1 JOIN signs4 USING (f)
GROUP BY r, c LIMIT 18446744073709551615),
outputs6 AS (SELECT CAST(seq AS SIGNED) AS f FROM seq_0_to_3 LIMIT 18446744073709551615),
result7 AS (SELECT s.r AS r, s.c0 AS c0, s.ok AS ok, n.f AS f, coalesce(z.x, CAST(0.0e0 AS DOUBLE)) AS x
FROM source0 s CROSS JOIN outputs6 n
LEFT JOIN sums5 z ON (z.r <=> s.r) AND z.f = n.f LIMIT 18446744073709551615)
SELECT c0 AS `doc`, x0+ok AS z0, x1+ok AS z1, x2+ok AS z2, x3+ok AS z3
FROM (SELECT c0, ok, MAX(CASE WHEN f = 0 THEN CAST(x AS DOUBLE) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS DOUBLE) END) AS x1, MAX(CASE WHEN f = 2 THEN CAST(x AS DOUBLE) END) AS x2, MAX(CASE WHEN f = 3 THEN CAST(x AS DOUBLE) END) AS x3 FROM result7 GROUP BY r, c0, ok) s

-- ======== mysql
WITH source0 AS (SELECT r, r AS c0, CASE WHEN counted = present THEN 0 END AS ok FROM (SELECT `doc` AS r, count(*) AS counted, count(`value`) AS present FROM `counts` GROUP BY `doc`) s),
cells1 AS (SELECT `doc` AS r, CASE WHEN `feature` BETWEEN 0 AND 3 THEN `feature` WHEN `feature` IS NOT NULL THEN (9223372036854775807 + char_length(concat('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features', rand()))) END AS f, CAST(`value` AS DOUBLE) AS x FROM `counts`),
features2 AS (SELECT CAST(n AS SIGNED) - 1 AS f FROM JSON_TABLE(concat('[0', repeat(',0', 3), ']'), '$[*]' COLUMNS (n FOR ORDINALITY)) listed),
components3 AS (SELECT c, ((((((((86057821*c+35441655)*c+50959854)*c+1702898876)*c+1662641172)*c+731566417)*c+137824059)*c+774298026) % 2147483647) AS b0, ((((((((1415233499*c+1562905726)*c+904454205)*c+71962176)*c+1478852194)*c+1545567310)*c+1572863081)*c+1396423721) % 2147483647) AS b1, ((((((((1573563469*c+88992673)*c+154443857)*c+1353500167)*c+222423864)*c+250026418)*c+1037928591)*c+1621884172) % 2147483647) AS b2, ((((((((1146035237*c+1961288988)*c+1996702231)*c+800183552)*c+415712159)*c+1162812795)*c+1513709210)*c+561607856) % 2147483647) AS b3,
  ((((((((1802476924*c+906197210)*c+672508506)*c+1648126357)*c+1722562433)*c+1527194989)*c+214600808)*c+1586436761) % 2147483647) AS b4, ((((((((20816524*c+833668822)*c+364396262)*c+113192427)*c+659094459)*c+1863934148)*c+1213969898)*c+1677553116) % 2147483647) AS b5, ((((((((956373040*c+1179019708)*c+149577481)*c+242595841)*c+1205537718)*c+1827732760)*c+1061979933)*c+1387218409) % 2147483647) AS b6, ((((((((80182409*c+1926497078)*c+1155710814)*c+1949830863)*c+1121989022)*c+58002289)*c+245682120)*c+212696780) % 2147483647) AS b7
FROM (SELECT CAST(n AS SIGNED) - 1 AS c FROM JSON_TABLE(concat('[0', repeat(',0', 1), ']'), '$[*]' COLUMNS (n FOR ORDINALITY)) listed) n),
signs4 AS (SELECT ((g % 2) * 1 + c) * 2 + (CAST((h - h % 2) / 2 AS SIGNED) % 2) AS c, f, 1 - (h % 2) * 2 AS sign
FROM (SELECT c, f, h, MAX(CASE WHEN c = 1 THEN h ELSE -1 END) OVER (PARTITION BY f) AS g
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features2 CROSS JOIN components3 LIMIT 18446744073709551615) drawn) entries
WHERE c < 1),
sums5 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE CAST(0.0e0 AS DOUBLE) - x END) AS x
FROM cells1 JOIN signs4 USING (f)
GROUP BY r, c),
outputs6 AS (SELECT CAST(n AS SIGNED) - 1 AS f FROM JSON_TABLE(concat('[0', repeat(',0', 3), ']'), '$[*]' COLUMNS (n FOR ORDINALITY)) listed),
result7 AS (SELECT s.r AS r, s.c0 AS c0, s.ok AS ok, n.f AS f, coalesce(z.x, CAST(0.0e0 AS DOUBLE)) AS x
FROM source0 s CROSS JOIN outputs6 n
LEFT JOIN sums5 z ON (z.r <=> s.r) AND z.f = n.f)
SELECT c0 AS `doc`, x0+ok AS z0, x1+ok AS z1, x2+ok AS z2, x3+ok AS z3
FROM (SELECT c0, ok, MAX(CASE WHEN f = 0 THEN CAST(x AS DOUBLE) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS DOUBLE) END) AS x1, MAX(CASE WHEN f = 2 THEN CAST(x AS DOUBLE) END) AS x2, MAX(CASE WHEN f = 3 THEN CAST(x AS DOUBLE) END) AS x3 FROM result7 GROUP BY r, c0, ok) s

-- ======== clickhouse
-- 17 statements: run them in this order in one session. Statement 9 returns the rows.
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_0 ENGINE = Memory AS SELECT r, r AS c0, CASE WHEN counted = present THEN 0 END AS ok FROM (SELECT `doc` AS r, count(*) AS counted, count(`value`) AS present FROM `counts` GROUP BY `doc`) s
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_1 ENGINE = Memory AS SELECT `doc` AS r, CASE WHEN `feature` BETWEEN 0 AND 3 THEN `feature` WHEN `feature` IS NOT NULL THEN throwIf(1, 'sqlrp: a feature in \'feature\' is outside 0 ... 3: positions count from 0; raise n_features') END AS f, CAST(`value` AS Float64) AS x FROM `counts`
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_2 ENGINE = Memory AS SELECT toInt64(number) AS f FROM numbers(4)
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_3 ENGINE = Memory AS SELECT c, ((((((((86057821*c+35441655)*c+50959854)*c+1702898876)*c+1662641172)*c+731566417)*c+137824059)*c+774298026) % 2147483647) AS b0, ((((((((1415233499*c+1562905726)*c+904454205)*c+71962176)*c+1478852194)*c+1545567310)*c+1572863081)*c+1396423721) % 2147483647) AS b1, ((((((((1573563469*c+88992673)*c+154443857)*c+1353500167)*c+222423864)*c+250026418)*c+1037928591)*c+1621884172) % 2147483647) AS b2, ((((((((1146035237*c+1961288988)*c+1996702231)*c+800183552)*c+415712159)*c+1162812795)*c+1513709210)*c+561607856) % 2147483647) AS b3,
  ((((((((1802476924*c+906197210)*c+672508506)*c+1648126357)*c+1722562433)*c+1527194989)*c+214600808)*c+1586436761) % 2147483647) AS b4, ((((((((20816524*c+833668822)*c+364396262)*c+113192427)*c+659094459)*c+1863934148)*c+1213969898)*c+1677553116) % 2147483647) AS b5, ((((((((956373040*c+1179019708)*c+149577481)*c+242595841)*c+1205537718)*c+1827732760)*c+1061979933)*c+1387218409) % 2147483647) AS b6, ((((((((80182409*c+1926497078)*c+1155710814)*c+1949830863)*c+1121989022)*c+58002289)*c+245682120)*c+212696780) % 2147483647) AS b7
FROM (SELECT toInt64(number) AS c FROM numbers(2)) n
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_4 ENGINE = Memory AS SELECT ((g % 2) * 1 + c) * 2 + (intDiv(h, 2) % 2) AS c, f, 1 - (h % 2) * 2 AS sign
FROM (SELECT c, f, h, MAX(CASE WHEN c = 1 THEN h ELSE -1 END) OVER (PARTITION BY f) AS g
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM sqlrp_temporary_2 CROSS JOIN sqlrp_temporary_3) drawn) entries
WHERE c < 1
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_5 ENGINE = Memory AS SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE CAST(0.0e0 AS Float64) - x END) AS x
FROM sqlrp_temporary_1 JOIN sqlrp_temporary_4 USING (f)
GROUP BY r, c
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_6 ENGINE = Memory AS SELECT toInt64(number) AS f FROM numbers(4)
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_7 ENGINE = Memory AS SELECT s.r AS r, n.f AS f, coalesce(z.x, CAST(0.0e0 AS Float64)) AS x
FROM sqlrp_temporary_0 s CROSS JOIN sqlrp_temporary_6 n
LEFT JOIN sqlrp_temporary_5 z ON (z.r IS NOT DISTINCT FROM s.r) AND z.f = n.f
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
SELECT c0 AS `doc`, x[1]+ok AS z0, x[2]+ok AS z1, x[3]+ok AS z2, x[4]+ok AS z3
FROM (SELECT s.c0 AS c0, s.ok AS ok, z.x AS x FROM sqlrp_temporary_0 s JOIN (SELECT r, arrayMap(p -> p.2, arraySort(p -> p.1, groupArray((f, CAST(x AS Float64))))) AS x FROM sqlrp_temporary_7 GROUP BY r) z ON (z.r IS NOT DISTINCT FROM s.r)) s
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
DROP TEMPORARY TABLE IF EXISTS sqlrp_temporary_7;
DROP TEMPORARY TABLE IF EXISTS sqlrp_temporary_6;
DROP TEMPORARY TABLE IF EXISTS sqlrp_temporary_5;
DROP TEMPORARY TABLE IF EXISTS sqlrp_temporary_4;
DROP TEMPORARY TABLE IF EXISTS sqlrp_temporary_3;
DROP TEMPORARY TABLE IF EXISTS sqlrp_temporary_2;
DROP TEMPORARY TABLE IF EXISTS sqlrp_temporary_1;
DROP TEMPORARY TABLE IF EXISTS sqlrp_temporary_0;


-- ======== spark
WITH source0 AS (SELECT r, r AS c0, CASE WHEN counted = present THEN 0 END AS ok FROM (SELECT `doc` AS r, count(*) AS counted, count(`value`) AS present FROM `counts` GROUP BY `doc`) s),
cells1 AS (SELECT `doc` AS r, CASE WHEN `feature` BETWEEN 0 AND 3 THEN `feature` WHEN `feature` IS NOT NULL THEN raise_error('sqlrp: a feature in \'feature\' is outside 0 ... 3: positions count from 0; raise n_features') END AS f, CAST(`value` AS DOUBLE) AS x FROM `counts`),
features2 AS (SELECT id AS f FROM range(4)),
components3 AS (SELECT c, ((((((((86057821*c+35441655)*c+50959854)*c+1702898876)*c+1662641172)*c+731566417)*c+137824059)*c+774298026) % 2147483647) AS b0, ((((((((1415233499*c+1562905726)*c+904454205)*c+71962176)*c+1478852194)*c+1545567310)*c+1572863081)*c+1396423721) % 2147483647) AS b1, ((((((((1573563469*c+88992673)*c+154443857)*c+1353500167)*c+222423864)*c+250026418)*c+1037928591)*c+1621884172) % 2147483647) AS b2, ((((((((1146035237*c+1961288988)*c+1996702231)*c+800183552)*c+415712159)*c+1162812795)*c+1513709210)*c+561607856) % 2147483647) AS b3,
  ((((((((1802476924*c+906197210)*c+672508506)*c+1648126357)*c+1722562433)*c+1527194989)*c+214600808)*c+1586436761) % 2147483647) AS b4, ((((((((20816524*c+833668822)*c+364396262)*c+113192427)*c+659094459)*c+1863934148)*c+1213969898)*c+1677553116) % 2147483647) AS b5, ((((((((956373040*c+1179019708)*c+149577481)*c+242595841)*c+1205537718)*c+1827732760)*c+1061979933)*c+1387218409) % 2147483647) AS b6, ((((((((80182409*c+1926497078)*c+1155710814)*c+1949830863)*c+1121989022)*c+58002289)*c+245682120)*c+212696780) % 2147483647) AS b7
FROM (SELECT id AS c FROM range(2)) n),
signs4 AS (SELECT ((g % 2) * 1 + c) * 2 + ((h div 2) % 2) AS c, f, 1 - (h % 2) * 2 AS sign
FROM (SELECT c, f, h, MAX(CASE WHEN c = 1 THEN h ELSE -1 END) OVER (PARTITION BY f) AS g
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features2 CROSS JOIN components3) drawn) entries
WHERE c < 1),
sums5 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE CAST(0.0e0 AS DOUBLE) - x END) AS x
FROM cells1 JOIN signs4 USING (f)
GROUP BY r, c)
SELECT c0 AS `doc`, x[0]+ok AS z0, x[1]+ok AS z1, x[2]+ok AS z2, x[3]+ok AS z3
FROM (SELECT s.c0 AS c0, s.ok AS ok, coalesce(z.x, array_repeat(CAST(0.0e0 AS DOUBLE), 4)) AS x
FROM source0 s LEFT JOIN (SELECT r, transform(array(collect_list(struct(CAST(f AS INT) AS o, CAST(x AS DOUBLE) AS v)) FILTER (WHERE CAST(x AS DOUBLE) IS NOT NULL)), p -> CASE WHEN size(p) = 4 THEN sort_array(p).v ELSE sort_array(concat(p, transform(array_except(sequence(0, 3), p.o), o -> struct(o, CAST(0.0e0 AS DOUBLE) AS v)))).v END)[0] AS x FROM sums5 GROUP BY r) z ON (z.r <=> s.r)) s

-- ======== snowflake, trino
WITH source0 AS (SELECT r, r AS c0, CASE WHEN counted = present THEN 0 END AS ok FROM (SELECT "doc" AS r, count(*) AS counted, count("value") AS present FROM "counts" GROUP BY "doc") s),
cells1 AS (SELECT "doc" AS r, CASE WHEN "feature" BETWEEN 0 AND 3 THEN "feature" WHEN "feature" IS NOT NULL THEN CAST(concat('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features', substr(CAST(CASE WHEN "feature" > 0 THEN 1 ELSE 0 END AS VARCHAR), 1, 0)) AS BIGINT) END AS f, CAST("value" AS DOUBLE) AS x FROM "counts"),
features2 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
components3 AS (SELECT c, ((((((((86057821*c+35441655)*c+50959854)*c+1702898876)*c+1662641172)*c+731566417)*c+137824059)*c+774298026) % 2147483647) AS b0, ((((((((1415233499*c+1562905726)*c+904454205)*c+71962176)*c+1478852194)*c+1545567310)*c+1572863081)*c+1396423721) % 2147483647) AS b1, ((((((((1573563469*c+88992673)*c+154443857)*c+1353500167)*c+222423864)*c+250026418)*c+1037928591)*c+1621884172) % 2147483647) AS b2, ((((((((1146035237*c+1961288988)*c+1996702231)*c+800183552)*c+415712159)*c+1162812795)*c+1513709210)*c+561607856) % 2147483647) AS b3,
  ((((((((1802476924*c+906197210)*c+672508506)*c+1648126357)*c+1722562433)*c+1527194989)*c+214600808)*c+1586436761) % 2147483647) AS b4, ((((((((20816524*c+833668822)*c+364396262)*c+113192427)*c+659094459)*c+1863934148)*c+1213969898)*c+1677553116) % 2147483647) AS b5, ((((((((956373040*c+1179019708)*c+149577481)*c+242595841)*c+1205537718)*c+1827732760)*c+1061979933)*c+1387218409) % 2147483647) AS b6, ((((((((80182409*c+1926497078)*c+1155710814)*c+1949830863)*c+1121989022)*c+58002289)*c+245682120)*c+212696780) % 2147483647) AS b7
FROM (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS c FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2) n),
signs4 AS (SELECT ((g % 2) * 1 + c) * 2 + (CAST(FLOOR(h / 2) AS BIGINT) % 2) AS c, f, 1 - (h % 2) * 2 AS sign
FROM (SELECT c, f, h, MAX(CASE WHEN c = 1 THEN h ELSE -1 END) OVER (PARTITION BY f) AS g
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features2 CROSS JOIN components3) drawn) entries
WHERE c < 1),
sums5 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE CAST(0.0e0 AS DOUBLE) - x END) AS x
FROM cells1 JOIN signs4 USING (f)
GROUP BY r, c),
outputs6 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
result7 AS (SELECT s.r AS r, s.c0 AS c0, s.ok AS ok, n.f AS f, coalesce(z.x, CAST(0.0e0 AS DOUBLE)) AS x
FROM source0 s CROSS JOIN outputs6 n
LEFT JOIN sums5 z ON (z.r IS NOT DISTINCT FROM s.r) AND z.f = n.f)
SELECT c0 AS "doc", x0+ok AS z0, x1+ok AS z1, x2+ok AS z2, x3+ok AS z3
FROM (SELECT c0, ok, MAX(CASE WHEN f = 0 THEN CAST(x AS DOUBLE) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS DOUBLE) END) AS x1, MAX(CASE WHEN f = 2 THEN CAST(x AS DOUBLE) END) AS x2, MAX(CASE WHEN f = 3 THEN CAST(x AS DOUBLE) END) AS x3 FROM result7 GROUP BY r, c0, ok) s

-- ======== bigquery
WITH source0 AS (SELECT r, r AS c0, CASE WHEN counted = present THEN 0 END AS ok FROM (SELECT `doc` AS r, count(*) AS counted, count(`value`) AS present FROM `counts` GROUP BY `doc`) s),
cells1 AS (SELECT `doc` AS r, CASE WHEN `feature` BETWEEN 0 AND 3 THEN `feature` WHEN `feature` IS NOT NULL THEN ERROR('sqlrp: a feature in \'feature\' is outside 0 ... 3: positions count from 0; raise n_features') END AS f, CAST(`value` AS FLOAT64) AS x FROM `counts`),
features2 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS INT64) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
components3 AS (SELECT c, MOD((((((((86057821*c+35441655)*c+50959854)*c+1702898876)*c+1662641172)*c+731566417)*c+137824059)*c+774298026), 2147483647) AS b0, MOD((((((((1415233499*c+1562905726)*c+904454205)*c+71962176)*c+1478852194)*c+1545567310)*c+1572863081)*c+1396423721), 2147483647) AS b1, MOD((((((((1573563469*c+88992673)*c+154443857)*c+1353500167)*c+222423864)*c+250026418)*c+1037928591)*c+1621884172), 2147483647) AS b2, MOD((((((((1146035237*c+1961288988)*c+1996702231)*c+800183552)*c+415712159)*c+1162812795)*c+1513709210)*c+561607856), 2147483647) AS b3,
  MOD((((((((1802476924*c+906197210)*c+672508506)*c+1648126357)*c+1722562433)*c+1527194989)*c+214600808)*c+1586436761), 2147483647) AS b4, MOD((((((((20816524*c+833668822)*c+364396262)*c+113192427)*c+659094459)*c+1863934148)*c+1213969898)*c+1677553116), 2147483647) AS b5, MOD((((((((956373040*c+1179019708)*c+149577481)*c+242595841)*c+1205537718)*c+1827732760)*c+1061979933)*c+1387218409), 2147483647) AS b6, MOD((((((((80182409*c+1926497078)*c+1155710814)*c+1949830863)*c+1121989022)*c+58002289)*c+245682120)*c+212696780), 2147483647) AS b7
FROM (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS INT64) AS c FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2) n),
signs4 AS (SELECT (MOD(g, 2) * 1 + c) * 2 + MOD(CAST(FLOOR(h / 2) AS INT64), 2) AS c, f, 1 - MOD(h, 2) * 2 AS sign
FROM (SELECT c, f, h, MAX(CASE WHEN c = 1 THEN h ELSE -1 END) OVER (PARTITION BY f) AS g
FROM (SELECT c, f, MOD((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0), 2147483647) AS h FROM features2 CROSS JOIN components3) drawn) entries
WHERE c < 1),
sums5 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE CAST(0.0e0 AS FLOAT64) - x END) AS x
FROM cells1 JOIN signs4 USING (f)
GROUP BY r, c),
outputs6 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS INT64) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
result7 AS (SELECT s.r AS r, s.c0 AS c0, s.ok AS ok, n.f AS f, coalesce(z.x, CAST(0.0e0 AS FLOAT64)) AS x
FROM source0 s CROSS JOIN outputs6 n
LEFT JOIN sums5 z ON (z.r IS NOT DISTINCT FROM s.r) AND z.f = n.f)
SELECT c0 AS `doc`, x0+ok AS z0, x1+ok AS z1, x2+ok AS z2, x3+ok AS z3
FROM (SELECT c0, ok, MAX(CASE WHEN f = 0 THEN CAST(x AS FLOAT64) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS FLOAT64) END) AS x1, MAX(CASE WHEN f = 2 THEN CAST(x AS FLOAT64) END) AS x2, MAX(CASE WHEN f = 3 THEN CAST(x AS FLOAT64) END) AS x3 FROM result7 GROUP BY r, c0, ok) s

-- ======== redshift
WITH source0 AS (SELECT r, r AS c0, CASE WHEN counted = present THEN 0 END AS ok FROM (SELECT "doc" AS r, count(*) AS counted, count("value") AS present FROM "counts" GROUP BY "doc") s),
cells1 AS (SELECT "doc" AS r, CASE WHEN "feature" BETWEEN 0 AND 3 THEN "feature" WHEN "feature" IS NOT NULL THEN CAST(concat('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features', substr(CAST(CASE WHEN "feature" > 0 THEN 1 ELSE 0 END AS VARCHAR), 1, 0)) AS BIGINT) END AS f, CAST("value" AS DOUBLE PRECISION) AS x FROM "counts"),
features2 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
components3 AS (SELECT c, ((((((((86057821*c+35441655)*c+50959854)*c+1702898876)*c+1662641172)*c+731566417)*c+137824059)*c+774298026) % 2147483647) AS b0, ((((((((1415233499*c+1562905726)*c+904454205)*c+71962176)*c+1478852194)*c+1545567310)*c+1572863081)*c+1396423721) % 2147483647) AS b1, ((((((((1573563469*c+88992673)*c+154443857)*c+1353500167)*c+222423864)*c+250026418)*c+1037928591)*c+1621884172) % 2147483647) AS b2, ((((((((1146035237*c+1961288988)*c+1996702231)*c+800183552)*c+415712159)*c+1162812795)*c+1513709210)*c+561607856) % 2147483647) AS b3,
  ((((((((1802476924*c+906197210)*c+672508506)*c+1648126357)*c+1722562433)*c+1527194989)*c+214600808)*c+1586436761) % 2147483647) AS b4, ((((((((20816524*c+833668822)*c+364396262)*c+113192427)*c+659094459)*c+1863934148)*c+1213969898)*c+1677553116) % 2147483647) AS b5, ((((((((956373040*c+1179019708)*c+149577481)*c+242595841)*c+1205537718)*c+1827732760)*c+1061979933)*c+1387218409) % 2147483647) AS b6, ((((((((80182409*c+1926497078)*c+1155710814)*c+1949830863)*c+1121989022)*c+58002289)*c+245682120)*c+212696780) % 2147483647) AS b7
FROM (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS c FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2) n),
signs4 AS (SELECT ((g % 2) * 1 + c) * 2 + (CAST(FLOOR(h / 2) AS BIGINT) % 2) AS c, f, 1 - (h % 2) * 2 AS sign
FROM (SELECT c, f, h, MAX(CASE WHEN c = 1 THEN h ELSE -1 END) OVER (PARTITION BY f) AS g
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features2 CROSS JOIN components3) drawn) entries
WHERE c < 1),
sums5 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE CAST('0.0' AS DOUBLE PRECISION) - x END) AS x
FROM cells1 JOIN signs4 USING (f)
GROUP BY r, c),
outputs6 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
result7 AS (SELECT s.r AS r, s.c0 AS c0, s.ok AS ok, n.f AS f, coalesce(z.x, CAST('0.0' AS DOUBLE PRECISION)) AS x
FROM source0 s CROSS JOIN outputs6 n
LEFT JOIN sums5 z ON (z.r = s.r OR (z.r IS NULL AND s.r IS NULL)) AND z.f = n.f)
SELECT c0 AS "doc", x0+ok AS z0, x1+ok AS z1, x2+ok AS z2, x3+ok AS z3
FROM (SELECT c0, ok, MAX(CASE WHEN f = 0 THEN CAST(x AS DOUBLE PRECISION) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS DOUBLE PRECISION) END) AS x1, MAX(CASE WHEN f = 2 THEN CAST(x AS DOUBLE PRECISION) END) AS x2, MAX(CASE WHEN f = 3 THEN CAST(x AS DOUBLE PRECISION) END) AS x3 FROM result7 GROUP BY r, c0, ok) s

-- ======== databricks
WITH source0 AS (SELECT r, r AS c0, CASE WHEN counted = present THEN 0 END AS ok FROM (SELECT `doc` AS r, count(*) AS counted, count(`value`) AS present FROM `counts` GROUP BY `doc`) s),
cells1 AS (SELECT `doc` AS r, CASE WHEN `feature` BETWEEN 0 AND 3 THEN `feature` WHEN `feature` IS NOT NULL THEN raise_error('sqlrp: a feature in \'feature\' is outside 0 ... 3: positions count from 0; raise n_features') END AS f, CAST(`value` AS DOUBLE) AS x FROM `counts`),
features2 AS (SELECT id AS f FROM range(4)),
components3 AS (SELECT c, ((((((((86057821*c+35441655)*c+50959854)*c+1702898876)*c+1662641172)*c+731566417)*c+137824059)*c+774298026) % 2147483647) AS b0, ((((((((1415233499*c+1562905726)*c+904454205)*c+71962176)*c+1478852194)*c+1545567310)*c+1572863081)*c+1396423721) % 2147483647) AS b1, ((((((((1573563469*c+88992673)*c+154443857)*c+1353500167)*c+222423864)*c+250026418)*c+1037928591)*c+1621884172) % 2147483647) AS b2, ((((((((1146035237*c+1961288988)*c+1996702231)*c+800183552)*c+415712159)*c+1162812795)*c+1513709210)*c+561607856) % 2147483647) AS b3,
  ((((((((1802476924*c+906197210)*c+672508506)*c+1648126357)*c+1722562433)*c+1527194989)*c+214600808)*c+1586436761) % 2147483647) AS b4, ((((((((20816524*c+833668822)*c+364396262)*c+113192427)*c+659094459)*c+1863934148)*c+1213969898)*c+1677553116) % 2147483647) AS b5, ((((((((956373040*c+1179019708)*c+149577481)*c+242595841)*c+1205537718)*c+1827732760)*c+1061979933)*c+1387218409) % 2147483647) AS b6, ((((((((80182409*c+1926497078)*c+1155710814)*c+1949830863)*c+1121989022)*c+58002289)*c+245682120)*c+212696780) % 2147483647) AS b7
FROM (SELECT id AS c FROM range(2)) n),
signs4 AS (SELECT ((g % 2) * 1 + c) * 2 + (CAST(FLOOR(h / 2) AS BIGINT) % 2) AS c, f, 1 - (h % 2) * 2 AS sign
FROM (SELECT c, f, h, MAX(CASE WHEN c = 1 THEN h ELSE -1 END) OVER (PARTITION BY f) AS g
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features2 CROSS JOIN components3) drawn) entries
WHERE c < 1),
sums5 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE CAST(0.0e0 AS DOUBLE) - x END) AS x
FROM cells1 JOIN signs4 USING (f)
GROUP BY r, c),
outputs6 AS (SELECT id AS f FROM range(4)),
result7 AS (SELECT s.r AS r, s.c0 AS c0, s.ok AS ok, n.f AS f, coalesce(z.x, CAST(0.0e0 AS DOUBLE)) AS x
FROM source0 s CROSS JOIN outputs6 n
LEFT JOIN sums5 z ON (z.r IS NOT DISTINCT FROM s.r) AND z.f = n.f)
SELECT c0 AS `doc`, x0+ok AS z0, x1+ok AS z1, x2+ok AS z2, x3+ok AS z3
FROM (SELECT c0, ok, MAX(CASE WHEN f = 0 THEN CAST(x AS DOUBLE) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS DOUBLE) END) AS x1, MAX(CASE WHEN f = 2 THEN CAST(x AS DOUBLE) END) AS x2, MAX(CASE WHEN f = 3 THEN CAST(x AS DOUBLE) END) AS x3 FROM result7 GROUP BY r, c0, ok) s

-- ======== sqlserver
-- 17 statements: run them in this order in one session. Statement 9 returns the rows.
SELECT * INTO #sqlrp_temporary_0 FROM (SELECT r, r AS c0, CASE WHEN counted = present THEN 0 END AS ok FROM (SELECT [doc] AS r, count(*) AS counted, count([value]) AS present FROM [counts] GROUP BY [doc]) s) s;
SELECT * INTO #sqlrp_temporary_1 FROM (SELECT [doc] AS r, CASE WHEN [feature] BETWEEN 0 AND 3 THEN [feature] WHEN [feature] IS NOT NULL THEN CAST(CONCAT('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features', LEFT(CAST(NEWID() AS VARCHAR(36)), 0)) AS BIGINT) END AS f, CAST([value] AS FLOAT) AS x FROM [counts]) s;
SELECT * INTO #sqlrp_temporary_2 FROM (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) s;
SELECT * INTO #sqlrp_temporary_3 FROM (SELECT c, ((((((((86057821*c+35441655)*c+50959854)*c+1702898876)*c+1662641172)*c+731566417)*c+137824059)*c+774298026) % 2147483647) AS b0, ((((((((1415233499*c+1562905726)*c+904454205)*c+71962176)*c+1478852194)*c+1545567310)*c+1572863081)*c+1396423721) % 2147483647) AS b1, ((((((((1573563469*c+88992673)*c+154443857)*c+1353500167)*c+222423864)*c+250026418)*c+1037928591)*c+1621884172) % 2147483647) AS b2, ((((((((1146035237*c+1961288988)*c+1996702231)*c+800183552)*c+415712159)*c+1162812795)*c+1513709210)*c+561607856) % 2147483647) AS b3,
  ((((((((1802476924*c+906197210)*c+672508506)*c+1648126357)*c+1722562433)*c+1527194989)*c+214600808)*c+1586436761) % 2147483647) AS b4, ((((((((20816524*c+833668822)*c+364396262)*c+113192427)*c+659094459)*c+1863934148)*c+1213969898)*c+1677553116) % 2147483647) AS b5, ((((((((956373040*c+1179019708)*c+149577481)*c+242595841)*c+1205537718)*c+1827732760)*c+1061979933)*c+1387218409) % 2147483647) AS b6, ((((((((80182409*c+1926497078)*c+1155710814)*c+1949830863)*c+1121989022)*c+58002289)*c+245682120)*c+212696780) % 2147483647) AS b7
FROM (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS c FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 2) n) s;
SELECT * INTO #sqlrp_temporary_4 FROM (SELECT ((g % 2) * 1 + c) * 2 + (CAST(FLOOR(h / 2) AS BIGINT) % 2) AS c, f, 1 - (h % 2) * 2 AS sign
FROM (SELECT c, f, h, MAX(CASE WHEN c = 1 THEN h ELSE -1 END) OVER (PARTITION BY f) AS g
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM #sqlrp_temporary_2 CROSS JOIN #sqlrp_temporary_3) drawn) entries
WHERE c < 1) s;
SELECT * INTO #sqlrp_temporary_5 FROM (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE CAST(0.0e0 AS FLOAT) - x END) AS x
FROM #sqlrp_temporary_1 JOIN #sqlrp_temporary_4 ON #sqlrp_temporary_1.f = #sqlrp_temporary_4.f
GROUP BY r, c) s;
SELECT * INTO #sqlrp_temporary_6 FROM (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) s;
SELECT * INTO #sqlrp_temporary_7 FROM (SELECT s.r AS r, s.c0 AS c0, s.ok AS ok, n.f AS f, coalesce(z.x, CAST(0.0e0 AS FLOAT)) AS x
FROM #sqlrp_temporary_0 s CROSS JOIN #sqlrp_temporary_6 n
LEFT JOIN #sqlrp_temporary_5 z ON EXISTS (SELECT z.r INTERSECT SELECT s.r) AND z.f = n.f) s;
SELECT c0 AS [doc], x0+ok AS z0, x1+ok AS z1, x2+ok AS z2, x3+ok AS z3
FROM (SELECT c0, ok, MAX(CASE WHEN f = 0 THEN CAST(x AS FLOAT) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS FLOAT) END) AS x1, MAX(CASE WHEN f = 2 THEN CAST(x AS FLOAT) END) AS x2, MAX(CASE WHEN f = 3 THEN CAST(x AS FLOAT) END) AS x3 FROM #sqlrp_temporary_7 GROUP BY r, c0, ok) s;
DROP TABLE IF EXISTS #sqlrp_temporary_7;
DROP TABLE IF EXISTS #sqlrp_temporary_6;
DROP TABLE IF EXISTS #sqlrp_temporary_5;
DROP TABLE IF EXISTS #sqlrp_temporary_4;
DROP TABLE IF EXISTS #sqlrp_temporary_3;
DROP TABLE IF EXISTS #sqlrp_temporary_2;
DROP TABLE IF EXISTS #sqlrp_temporary_1;
DROP TABLE IF EXISTS #sqlrp_temporary_0;


-- ======== oracle
WITH source0 AS (SELECT r, r AS c0, CASE WHEN counted = present THEN 0 END AS ok FROM (SELECT "doc" AS r, count(*) AS counted, count("value") AS present FROM "counts" GROUP BY "doc") s),
cells1 AS (SELECT "doc" AS r, CASE WHEN "feature" BETWEEN 0 AND 3 THEN "feature" WHEN "feature" IS NOT NULL THEN TO_NUMBER('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features' || substr(RAWTOHEX(SYS_GUID()), 1, 0)) END AS f, CAST("value" AS BINARY_DOUBLE) AS x FROM "counts"),
features2 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS NUMBER(19)) AS f FROM (SELECT 0 AS d FROM dual UNION ALL SELECT 1 FROM dual UNION ALL SELECT 2 FROM dual UNION ALL SELECT 3 FROM dual UNION ALL SELECT 4 FROM dual UNION ALL SELECT 5 FROM dual UNION ALL SELECT 6 FROM dual UNION ALL SELECT 7 FROM dual UNION ALL SELECT 8 FROM dual UNION ALL SELECT 9 FROM dual) d0 WHERE 1 * d0.d < 4),
components3 AS (SELECT c, MOD((((((((86057821*c+35441655)*c+50959854)*c+1702898876)*c+1662641172)*c+731566417)*c+137824059)*c+774298026), 2147483647) AS b0, MOD((((((((1415233499*c+1562905726)*c+904454205)*c+71962176)*c+1478852194)*c+1545567310)*c+1572863081)*c+1396423721), 2147483647) AS b1, MOD((((((((1573563469*c+88992673)*c+154443857)*c+1353500167)*c+222423864)*c+250026418)*c+1037928591)*c+1621884172), 2147483647) AS b2, MOD((((((((1146035237*c+1961288988)*c+1996702231)*c+800183552)*c+415712159)*c+1162812795)*c+1513709210)*c+561607856), 2147483647) AS b3,
  MOD((((((((1802476924*c+906197210)*c+672508506)*c+1648126357)*c+1722562433)*c+1527194989)*c+214600808)*c+1586436761), 2147483647) AS b4, MOD((((((((20816524*c+833668822)*c+364396262)*c+113192427)*c+659094459)*c+1863934148)*c+1213969898)*c+1677553116), 2147483647) AS b5, MOD((((((((956373040*c+1179019708)*c+149577481)*c+242595841)*c+1205537718)*c+1827732760)*c+1061979933)*c+1387218409), 2147483647) AS b6, MOD((((((((80182409*c+1926497078)*c+1155710814)*c+1949830863)*c+1121989022)*c+58002289)*c+245682120)*c+212696780), 2147483647) AS b7
FROM (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS NUMBER(19)) AS c FROM (SELECT 0 AS d FROM dual UNION ALL SELECT 1 FROM dual UNION ALL SELECT 2 FROM dual UNION ALL SELECT 3 FROM dual UNION ALL SELECT 4 FROM dual UNION ALL SELECT 5 FROM dual UNION ALL SELECT 6 FROM dual UNION ALL SELECT 7 FROM dual UNION ALL SELECT 8 FROM dual UNION ALL SELECT 9 FROM dual) d0 WHERE 1 * d0.d < 2) n),
signs4 AS (SELECT (MOD(g, 2) * 1 + c) * 2 + MOD(CAST(FLOOR(h / 2) AS NUMBER(19)), 2) AS c, f, 1 - MOD(h, 2) * 2 AS sign
FROM (SELECT c, f, h, MAX(CASE WHEN c = 1 THEN h ELSE -1 END) OVER (PARTITION BY f) AS g
FROM (SELECT c, f, MOD((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0), 2147483647) AS h FROM features2 CROSS JOIN components3) drawn) entries
WHERE c < 1),
sums5 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE CAST(0.0e0 AS BINARY_DOUBLE) - x END) AS x
FROM cells1 JOIN signs4 USING (f)
GROUP BY r, c),
outputs6 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS NUMBER(19)) AS f FROM (SELECT 0 AS d FROM dual UNION ALL SELECT 1 FROM dual UNION ALL SELECT 2 FROM dual UNION ALL SELECT 3 FROM dual UNION ALL SELECT 4 FROM dual UNION ALL SELECT 5 FROM dual UNION ALL SELECT 6 FROM dual UNION ALL SELECT 7 FROM dual UNION ALL SELECT 8 FROM dual UNION ALL SELECT 9 FROM dual) d0 WHERE 1 * d0.d < 4),
result7 AS (SELECT s.r AS r, s.c0 AS c0, s.ok AS ok, n.f AS f, coalesce(z.x, CAST(0.0e0 AS BINARY_DOUBLE)) AS x
FROM source0 s CROSS JOIN outputs6 n
LEFT JOIN sums5 z ON (z.r = s.r OR (z.r IS NULL AND s.r IS NULL)) AND z.f = n.f)
SELECT c0 AS "doc", x0+ok AS z0, x1+ok AS z1, x2+ok AS z2, x3+ok AS z3
FROM (SELECT c0, ok, MAX(CASE WHEN f = 0 THEN CAST(x AS BINARY_DOUBLE) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS BINARY_DOUBLE) END) AS x1, MAX(CASE WHEN f = 2 THEN CAST(x AS BINARY_DOUBLE) END) AS x2, MAX(CASE WHEN f = 3 THEN CAST(x AS BINARY_DOUBLE) END) AS x3 FROM result7 GROUP BY r, c0, ok) s

-- ======== generic
WITH source0 AS (SELECT r, r AS c0, CASE WHEN counted = present THEN 0 END AS ok FROM (SELECT "doc" AS r, count(*) AS counted, count(CASE WHEN "feature" BETWEEN 0 AND 3 OR "feature" IS NULL THEN "value" END) AS present FROM "counts" GROUP BY "doc") s),
cells1 AS (SELECT "doc" AS r, CASE WHEN "feature" BETWEEN 0 AND 3 THEN "feature" END AS f, CAST("value" AS DOUBLE PRECISION) AS x FROM "counts"),
features2 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 AS d UNION ALL SELECT 2 AS d UNION ALL SELECT 3 AS d UNION ALL SELECT 4 AS d UNION ALL SELECT 5 AS d UNION ALL SELECT 6 AS d UNION ALL SELECT 7 AS d UNION ALL SELECT 8 AS d UNION ALL SELECT 9 AS d) d0 WHERE 1 * d0.d < 4),
components3 AS (SELECT c, MOD((((((((86057821*c+35441655)*c+50959854)*c+1702898876)*c+1662641172)*c+731566417)*c+137824059)*c+774298026), 2147483647) AS b0, MOD((((((((1415233499*c+1562905726)*c+904454205)*c+71962176)*c+1478852194)*c+1545567310)*c+1572863081)*c+1396423721), 2147483647) AS b1, MOD((((((((1573563469*c+88992673)*c+154443857)*c+1353500167)*c+222423864)*c+250026418)*c+1037928591)*c+1621884172), 2147483647) AS b2, MOD((((((((1146035237*c+1961288988)*c+1996702231)*c+800183552)*c+415712159)*c+1162812795)*c+1513709210)*c+561607856), 2147483647) AS b3,
  MOD((((((((1802476924*c+906197210)*c+672508506)*c+1648126357)*c+1722562433)*c+1527194989)*c+214600808)*c+1586436761), 2147483647) AS b4, MOD((((((((20816524*c+833668822)*c+364396262)*c+113192427)*c+659094459)*c+1863934148)*c+1213969898)*c+1677553116), 2147483647) AS b5, MOD((((((((956373040*c+1179019708)*c+149577481)*c+242595841)*c+1205537718)*c+1827732760)*c+1061979933)*c+1387218409), 2147483647) AS b6, MOD((((((((80182409*c+1926497078)*c+1155710814)*c+1949830863)*c+1121989022)*c+58002289)*c+245682120)*c+212696780), 2147483647) AS b7
FROM (SELECT CAST(CASE WHEN 1 * d0.d < 2 THEN 1 * d0.d END AS BIGINT) AS c FROM (SELECT 0 AS d UNION ALL SELECT 1 AS d UNION ALL SELECT 2 AS d UNION ALL SELECT 3 AS d UNION ALL SELECT 4 AS d UNION ALL SELECT 5 AS d UNION ALL SELECT 6 AS d UNION ALL SELECT 7 AS d UNION ALL SELECT 8 AS d UNION ALL SELECT 9 AS d) d0 WHERE 1 * d0.d < 2) n),
signs4 AS (SELECT (MOD(g, 2) * 1 + c) * 2 + MOD(CAST((h - MOD(h, 2)) / 2 AS BIGINT), 2) AS c, f, 1 - MOD(h, 2) * 2 AS sign
FROM (SELECT c, f, h, MAX(CASE WHEN c = 1 THEN h ELSE -1 END) OVER (PARTITION BY f) AS g
FROM (SELECT c, f, MOD((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0), 2147483647) AS h FROM features2 CROSS JOIN components3) drawn) entries
WHERE c < 1),
sums5 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE CAST(0.0e0 AS DOUBLE PRECISION) - x END) AS x
FROM cells1 JOIN signs4 USING (f)
GROUP BY r, c),
outputs6 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 AS d UNION ALL SELECT 2 AS d UNION ALL SELECT 3 AS d UNION ALL SELECT 4 AS d UNION ALL SELECT 5 AS d UNION ALL SELECT 6 AS d UNION ALL SELECT 7 AS d UNION ALL SELECT 8 AS d UNION ALL SELECT 9 AS d) d0 WHERE 1 * d0.d < 4),
result7 AS (SELECT s.r AS r, s.c0 AS c0, s.ok AS ok, n.f AS f, coalesce(z.x, CAST(0.0e0 AS DOUBLE PRECISION)) AS x
FROM source0 s CROSS JOIN outputs6 n
LEFT JOIN sums5 z ON (z.r IS NOT DISTINCT FROM s.r) AND z.f = n.f)
SELECT c0 AS "doc", x0+ok AS "z0", x1+ok AS "z1", x2+ok AS "z2", x3+ok AS "z3"
FROM (SELECT c0, ok, MAX(CASE WHEN f = 0 THEN CAST(x AS DOUBLE PRECISION) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS DOUBLE PRECISION) END) AS x1, MAX(CASE WHEN f = 2 THEN CAST(x AS DOUBLE PRECISION) END) AS x2, MAX(CASE WHEN f = 3 THEN CAST(x AS DOUBLE PRECISION) END) AS x3 FROM result7 GROUP BY r, c0, ok) s
