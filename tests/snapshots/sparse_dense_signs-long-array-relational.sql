-- SparseProjection(k=6, s=1, seed=2)
-- long rows of integers of 8 bits; output = 'array', nulls = 'error', scale = True, lowering = 'relational'

-- ======== duckdb
WITH source0 AS MATERIALIZED (SELECT r, r AS c0, CASE WHEN counted = present THEN 0.40824829 ELSE error('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''') END AS ok FROM (SELECT "doc" AS r, count(*) AS counted, count("value") AS present FROM "counts" GROUP BY "doc") s),
cells1 AS MATERIALIZED (SELECT "doc" AS r, CASE WHEN "feature" BETWEEN 0 AND 3 THEN "feature" WHEN "feature" IS NOT NULL THEN error('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features') END AS f, CAST("value" AS INTEGER) AS x FROM "counts"),
features2 AS MATERIALIZED (SELECT CAST(range AS BIGINT) AS f FROM range(4)),
components3 AS MATERIALIZED (SELECT c, ((((((((160027122*c+1695050774)*c+691646973)*c+1772949147)*c+2036596356)*c+1178013506)*c+1131891293)*c+167768482) % 2147483647) AS b0, ((((((((1028911897*c+387106903)*c+1158697718)*c+1410517853)*c+1901464037)*c+727281908)*c+273356357)*c+1346638072) % 2147483647) AS b1, ((((((((2516419*c+1266648952)*c+823108136)*c+873800961)*c+865998424)*c+498617425)*c+1319090240)*c+1109305941) % 2147483647) AS b2, ((((((((127253082*c+1655554502)*c+764799208)*c+1604649441)*c+2045163376)*c+967276540)*c+1163871966)*c+2049923453) % 2147483647) AS b3,
  ((((((((906578094*c+1957939919)*c+571915167)*c+1710830582)*c+712807019)*c+1526561936)*c+1806998017)*c+1347088059) % 2147483647) AS b4, ((((((((721338909*c+39342049)*c+2080505444)*c+698072413)*c+985283689)*c+1427531362)*c+64842228)*c+1683305738) % 2147483647) AS b5, ((((((((697172436*c+310961723)*c+275090164)*c+326035413)*c+1084824904)*c+1883819384)*c+296474188)*c+453464508) % 2147483647) AS b6, ((((((((591629876*c+174357512)*c+1314908924)*c+750821949)*c+32360979)*c+2061731519)*c+2060306352)*c+1522086033) % 2147483647) AS b7
FROM (SELECT CAST(range AS BIGINT) AS c FROM range(6)) n),
signs4 AS MATERIALIZED (SELECT CAST(c AS INTEGER) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features2 CROSS JOIN components3) drawn
WHERE h < 2147483647),
sums5 AS MATERIALIZED (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0 - x END) AS x
FROM cells1 JOIN signs4 USING (f)
GROUP BY r, c)
SELECT c0 AS "doc", CAST(CASE WHEN ok IS NOT NULL THEN list_transform(x, lambda e: 0.40824829*e) END AS DOUBLE[6]) AS z
FROM (SELECT s.c0 AS c0, s.ok AS ok, list_transform(range(6), lambda e: coalesce(z.x[list_position(z.f, CAST(e AS SMALLINT))], 0.0e0)) AS x
FROM source0 s LEFT JOIN (SELECT r, list(CAST(f AS SMALLINT)) AS f, list(CAST(x AS DOUBLE)) AS x FROM sums5 GROUP BY r) z ON (z.r IS NOT DISTINCT FROM s.r)) s

-- ======== postgresql
WITH source0 AS MATERIALIZED (SELECT r, r AS c0, CASE WHEN counted = present THEN CAST('0.40824829' AS double precision) ELSE CAST('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''' || left(CAST(clock_timestamp() AS text), 0) AS bigint) END AS ok FROM (SELECT "doc" AS r, count(*) AS counted, count("value") AS present FROM "counts" GROUP BY "doc") s),
cells1 AS MATERIALIZED (SELECT "doc" AS r, CASE WHEN "feature" BETWEEN 0 AND 3 THEN "feature" WHEN "feature" IS NOT NULL THEN CAST('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features' || left(CAST(clock_timestamp() AS text), 0) AS bigint) END AS f, CAST("value" AS integer) AS x FROM "counts"),
features2 AS MATERIALIZED (SELECT f FROM generate_series(CAST(0 AS bigint), 3) g(f)),
components3 AS MATERIALIZED (SELECT c, ((((((((160027122*c+1695050774)*c+691646973)*c+1772949147)*c+2036596356)*c+1178013506)*c+1131891293)*c+167768482) % 2147483647) AS b0, ((((((((1028911897*c+387106903)*c+1158697718)*c+1410517853)*c+1901464037)*c+727281908)*c+273356357)*c+1346638072) % 2147483647) AS b1, ((((((((2516419*c+1266648952)*c+823108136)*c+873800961)*c+865998424)*c+498617425)*c+1319090240)*c+1109305941) % 2147483647) AS b2, ((((((((127253082*c+1655554502)*c+764799208)*c+1604649441)*c+2045163376)*c+967276540)*c+1163871966)*c+2049923453) % 2147483647) AS b3,
  ((((((((906578094*c+1957939919)*c+571915167)*c+1710830582)*c+712807019)*c+1526561936)*c+1806998017)*c+1347088059) % 2147483647) AS b4, ((((((((721338909*c+39342049)*c+2080505444)*c+698072413)*c+985283689)*c+1427531362)*c+64842228)*c+1683305738) % 2147483647) AS b5, ((((((((697172436*c+310961723)*c+275090164)*c+326035413)*c+1084824904)*c+1883819384)*c+296474188)*c+453464508) % 2147483647) AS b6, ((((((((591629876*c+174357512)*c+1314908924)*c+750821949)*c+32360979)*c+2061731519)*c+2060306352)*c+1522086033) % 2147483647) AS b7
FROM (SELECT c FROM generate_series(CAST(0 AS bigint), 5) g(c)) n),
signs4 AS MATERIALIZED (SELECT CAST(c AS integer) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features2 CROSS JOIN components3 OFFSET '0') drawn
WHERE h < 2147483647),
sums5 AS MATERIALIZED (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0 - x END) AS x
FROM cells1 JOIN signs4 USING (f)
GROUP BY r, c),
outputs6 AS MATERIALIZED (SELECT f FROM generate_series(CAST(0 AS bigint), 5) g(f)),
result7 AS MATERIALIZED (SELECT s.r AS r, n.f AS f, coalesce(z.x, CAST('0.0' AS double precision)) AS x
FROM source0 s CROSS JOIN outputs6 n
LEFT JOIN sums5 z ON ARRAY[z.r] = ARRAY[s.r] AND z.f = n.f)
SELECT c0 AS "doc", CASE WHEN ok IS NOT NULL THEN ARRAY(SELECT CAST('0.40824829' AS double precision)*e FROM unnest(x) WITH ORDINALITY AS u(e, o) ORDER BY o) END AS z
FROM (SELECT s.c0 AS c0, s.ok AS ok, z.x AS x FROM source0 s JOIN (SELECT r, array_agg(CAST(x AS double precision) ORDER BY f) AS x FROM result7 GROUP BY r) z ON ARRAY[z.r] = ARRAY[s.r]) s

-- ======== sqlite
-- UnsupportedError: output = 'array' is not supported: sqlite has no arrays; use 'columns' or 'long'

-- ======== mariadb
-- UnsupportedError: output = 'array' is not supported: mariadb has no arrays; use 'columns' or 'long'

-- ======== mysql
-- UnsupportedError: output = 'array' is not supported: mysql has no arrays; use 'columns' or 'long'

-- ======== clickhouse
-- 17 statements: run them in this order in one session. Statement 9 returns the rows.
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_0 ENGINE = Memory AS SELECT r, r AS c0, CASE WHEN counted = present THEN 0.40824829 ELSE throwIf(1, 'sqlrp: a feature is NULL and nulls = \'error\': clean the row, or use nulls = \'zero\' or \'propagate\'') END AS ok FROM (SELECT `doc` AS r, count(*) AS counted, count(`value`) AS present FROM `counts` GROUP BY `doc`) s
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_1 ENGINE = Memory AS SELECT `doc` AS r, CASE WHEN `feature` BETWEEN 0 AND 3 THEN `feature` WHEN `feature` IS NOT NULL THEN throwIf(1, 'sqlrp: a feature in \'feature\' is outside 0 ... 3: positions count from 0; raise n_features') END AS f, CAST(`value` AS Int64) AS x FROM `counts`
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_2 ENGINE = Memory AS SELECT toInt64(number) AS f FROM numbers(4)
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_3 ENGINE = Memory AS SELECT c, ((((((((160027122*c+1695050774)*c+691646973)*c+1772949147)*c+2036596356)*c+1178013506)*c+1131891293)*c+167768482) % 2147483647) AS b0, ((((((((1028911897*c+387106903)*c+1158697718)*c+1410517853)*c+1901464037)*c+727281908)*c+273356357)*c+1346638072) % 2147483647) AS b1, ((((((((2516419*c+1266648952)*c+823108136)*c+873800961)*c+865998424)*c+498617425)*c+1319090240)*c+1109305941) % 2147483647) AS b2, ((((((((127253082*c+1655554502)*c+764799208)*c+1604649441)*c+2045163376)*c+967276540)*c+1163871966)*c+2049923453) % 2147483647) AS b3,
  ((((((((906578094*c+1957939919)*c+571915167)*c+1710830582)*c+712807019)*c+1526561936)*c+1806998017)*c+1347088059) % 2147483647) AS b4, ((((((((721338909*c+39342049)*c+2080505444)*c+698072413)*c+985283689)*c+1427531362)*c+64842228)*c+1683305738) % 2147483647) AS b5, ((((((((697172436*c+310961723)*c+275090164)*c+326035413)*c+1084824904)*c+1883819384)*c+296474188)*c+453464508) % 2147483647) AS b6, ((((((((591629876*c+174357512)*c+1314908924)*c+750821949)*c+32360979)*c+2061731519)*c+2060306352)*c+1522086033) % 2147483647) AS b7
FROM (SELECT toInt64(number) AS c FROM numbers(6)) n
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_4 ENGINE = Memory AS SELECT CAST(c AS Int64) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM sqlrp_temporary_2 CROSS JOIN sqlrp_temporary_3) drawn
WHERE h < 2147483647
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_5 ENGINE = Memory AS SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0 - x END) AS x
FROM sqlrp_temporary_1 JOIN sqlrp_temporary_4 USING (f)
GROUP BY r, c
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_6 ENGINE = Memory AS SELECT toInt64(number) AS f FROM numbers(6)
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
CREATE OR REPLACE TEMPORARY TABLE sqlrp_temporary_7 ENGINE = Memory AS SELECT s.r AS r, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM sqlrp_temporary_0 s CROSS JOIN sqlrp_temporary_6 n
LEFT JOIN sqlrp_temporary_5 z ON (z.r IS NOT DISTINCT FROM s.r) AND z.f = n.f
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760;
SELECT c0 AS `doc`, arrayMap(e -> e + 0 * ok, arrayMap(e -> 0.40824829*e, x)) AS z
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
WITH source0 AS (SELECT r, r AS c0, CASE WHEN counted = present THEN 0.40824829 ELSE raise_error('sqlrp: a feature is NULL and nulls = \'error\': clean the row, or use nulls = \'zero\' or \'propagate\'') END AS ok FROM (SELECT `doc` AS r, count(*) AS counted, count(`value`) AS present FROM `counts` GROUP BY `doc`) s),
cells1 AS (SELECT `doc` AS r, CASE WHEN `feature` BETWEEN 0 AND 3 THEN `feature` WHEN `feature` IS NOT NULL THEN raise_error('sqlrp: a feature in \'feature\' is outside 0 ... 3: positions count from 0; raise n_features') END AS f, CAST(`value` AS INT) AS x FROM `counts`),
features2 AS (SELECT id AS f FROM range(4)),
components3 AS (SELECT c, ((((((((160027122*c+1695050774)*c+691646973)*c+1772949147)*c+2036596356)*c+1178013506)*c+1131891293)*c+167768482) % 2147483647) AS b0, ((((((((1028911897*c+387106903)*c+1158697718)*c+1410517853)*c+1901464037)*c+727281908)*c+273356357)*c+1346638072) % 2147483647) AS b1, ((((((((2516419*c+1266648952)*c+823108136)*c+873800961)*c+865998424)*c+498617425)*c+1319090240)*c+1109305941) % 2147483647) AS b2, ((((((((127253082*c+1655554502)*c+764799208)*c+1604649441)*c+2045163376)*c+967276540)*c+1163871966)*c+2049923453) % 2147483647) AS b3,
  ((((((((906578094*c+1957939919)*c+571915167)*c+1710830582)*c+712807019)*c+1526561936)*c+1806998017)*c+1347088059) % 2147483647) AS b4, ((((((((721338909*c+39342049)*c+2080505444)*c+698072413)*c+985283689)*c+1427531362)*c+64842228)*c+1683305738) % 2147483647) AS b5, ((((((((697172436*c+310961723)*c+275090164)*c+326035413)*c+1084824904)*c+1883819384)*c+296474188)*c+453464508) % 2147483647) AS b6, ((((((((591629876*c+174357512)*c+1314908924)*c+750821949)*c+32360979)*c+2061731519)*c+2060306352)*c+1522086033) % 2147483647) AS b7
FROM (SELECT id AS c FROM range(6)) n),
signs4 AS (SELECT CAST(c AS INT) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features2 CROSS JOIN components3) drawn
WHERE h < 2147483647),
sums5 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0 - x END) AS x
FROM cells1 JOIN signs4 USING (f)
GROUP BY r, c)
SELECT c0 AS `doc`, CASE WHEN ok IS NOT NULL THEN transform(x, e -> 0.40824829*e) END AS z
FROM (SELECT s.c0 AS c0, s.ok AS ok, coalesce(z.x, array_repeat(0.0e0, 6)) AS x
FROM source0 s LEFT JOIN (SELECT r, transform(array(collect_list(struct(CAST(f AS INT) AS o, CAST(x AS DOUBLE) AS v)) FILTER (WHERE CAST(x AS DOUBLE) IS NOT NULL)), p -> CASE WHEN size(p) = 6 THEN sort_array(p).v ELSE sort_array(concat(p, transform(array_except(sequence(0, 5), p.o), o -> struct(o, 0.0e0 AS v)))).v END)[0] AS x FROM sums5 GROUP BY r) z ON (z.r <=> s.r)) s

-- ======== snowflake
WITH source0 AS (SELECT r, r AS c0, CASE WHEN counted = present THEN 0.40824829 ELSE CAST(concat('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''', substr(CAST(CASE WHEN counted = present THEN 1 ELSE 0 END AS VARCHAR), 1, 0)) AS BIGINT) END AS ok FROM (SELECT "doc" AS r, count(*) AS counted, count("value") AS present FROM "counts" GROUP BY "doc") s),
cells1 AS (SELECT "doc" AS r, CASE WHEN "feature" BETWEEN 0 AND 3 THEN "feature" WHEN "feature" IS NOT NULL THEN CAST(concat('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features', substr(CAST(CASE WHEN "feature" > 0 THEN 1 ELSE 0 END AS VARCHAR), 1, 0)) AS BIGINT) END AS f, CAST("value" AS BIGINT) AS x FROM "counts"),
features2 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
components3 AS (SELECT c, ((((((((160027122*c+1695050774)*c+691646973)*c+1772949147)*c+2036596356)*c+1178013506)*c+1131891293)*c+167768482) % 2147483647) AS b0, ((((((((1028911897*c+387106903)*c+1158697718)*c+1410517853)*c+1901464037)*c+727281908)*c+273356357)*c+1346638072) % 2147483647) AS b1, ((((((((2516419*c+1266648952)*c+823108136)*c+873800961)*c+865998424)*c+498617425)*c+1319090240)*c+1109305941) % 2147483647) AS b2, ((((((((127253082*c+1655554502)*c+764799208)*c+1604649441)*c+2045163376)*c+967276540)*c+1163871966)*c+2049923453) % 2147483647) AS b3,
  ((((((((906578094*c+1957939919)*c+571915167)*c+1710830582)*c+712807019)*c+1526561936)*c+1806998017)*c+1347088059) % 2147483647) AS b4, ((((((((721338909*c+39342049)*c+2080505444)*c+698072413)*c+985283689)*c+1427531362)*c+64842228)*c+1683305738) % 2147483647) AS b5, ((((((((697172436*c+310961723)*c+275090164)*c+326035413)*c+1084824904)*c+1883819384)*c+296474188)*c+453464508) % 2147483647) AS b6, ((((((((591629876*c+174357512)*c+1314908924)*c+750821949)*c+32360979)*c+2061731519)*c+2060306352)*c+1522086033) % 2147483647) AS b7
FROM (SELECT CAST(CASE WHEN 1 * d0.d < 6 THEN 1 * d0.d END AS BIGINT) AS c FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 6) n),
signs4 AS (SELECT CAST(c AS BIGINT) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features2 CROSS JOIN components3) drawn
WHERE h < 2147483647),
sums5 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0 - x END) AS x
FROM cells1 JOIN signs4 USING (f)
GROUP BY r, c),
outputs6 AS (SELECT CAST(CASE WHEN 1 * d0.d < 6 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 6),
result7 AS (SELECT s.r AS r, s.c0 AS c0, s.ok AS ok, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM source0 s CROSS JOIN outputs6 n
LEFT JOIN sums5 z ON (z.r IS NOT DISTINCT FROM s.r) AND z.f = n.f)
SELECT c0 AS "doc", CASE WHEN ok IS NOT NULL THEN ARRAY_CONSTRUCT(0.40824829*x0, 0.40824829*x1, 0.40824829*x2, 0.40824829*x3, 0.40824829*x4, 0.40824829*x5) END AS z
FROM (SELECT c0, ok, MAX(CASE WHEN f = 0 THEN CAST(x AS DOUBLE) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS DOUBLE) END) AS x1, MAX(CASE WHEN f = 2 THEN CAST(x AS DOUBLE) END) AS x2, MAX(CASE WHEN f = 3 THEN CAST(x AS DOUBLE) END) AS x3, MAX(CASE WHEN f = 4 THEN CAST(x AS DOUBLE) END) AS x4, MAX(CASE WHEN f = 5 THEN CAST(x AS DOUBLE) END) AS x5 FROM result7 GROUP BY r, c0, ok) s

-- ======== bigquery
WITH source0 AS (SELECT r, r AS c0, CASE WHEN counted = present THEN 0.40824829 ELSE ERROR('sqlrp: a feature is NULL and nulls = \'error\': clean the row, or use nulls = \'zero\' or \'propagate\'') END AS ok FROM (SELECT `doc` AS r, count(*) AS counted, count(`value`) AS present FROM `counts` GROUP BY `doc`) s),
cells1 AS (SELECT `doc` AS r, CASE WHEN `feature` BETWEEN 0 AND 3 THEN `feature` WHEN `feature` IS NOT NULL THEN ERROR('sqlrp: a feature in \'feature\' is outside 0 ... 3: positions count from 0; raise n_features') END AS f, CAST(`value` AS INT64) AS x FROM `counts`),
features2 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS INT64) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
components3 AS (SELECT c, MOD((((((((160027122*c+1695050774)*c+691646973)*c+1772949147)*c+2036596356)*c+1178013506)*c+1131891293)*c+167768482), 2147483647) AS b0, MOD((((((((1028911897*c+387106903)*c+1158697718)*c+1410517853)*c+1901464037)*c+727281908)*c+273356357)*c+1346638072), 2147483647) AS b1, MOD((((((((2516419*c+1266648952)*c+823108136)*c+873800961)*c+865998424)*c+498617425)*c+1319090240)*c+1109305941), 2147483647) AS b2, MOD((((((((127253082*c+1655554502)*c+764799208)*c+1604649441)*c+2045163376)*c+967276540)*c+1163871966)*c+2049923453), 2147483647) AS b3,
  MOD((((((((906578094*c+1957939919)*c+571915167)*c+1710830582)*c+712807019)*c+1526561936)*c+1806998017)*c+1347088059), 2147483647) AS b4, MOD((((((((721338909*c+39342049)*c+2080505444)*c+698072413)*c+985283689)*c+1427531362)*c+64842228)*c+1683305738), 2147483647) AS b5, MOD((((((((697172436*c+310961723)*c+275090164)*c+326035413)*c+1084824904)*c+1883819384)*c+296474188)*c+453464508), 2147483647) AS b6, MOD((((((((591629876*c+174357512)*c+1314908924)*c+750821949)*c+32360979)*c+2061731519)*c+2060306352)*c+1522086033), 2147483647) AS b7
FROM (SELECT CAST(CASE WHEN 1 * d0.d < 6 THEN 1 * d0.d END AS INT64) AS c FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 6) n),
signs4 AS (SELECT CAST(c AS INT64) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, MOD((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0), 2147483647) AS h FROM features2 CROSS JOIN components3) drawn
WHERE h < 2147483647),
sums5 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0 - x END) AS x
FROM cells1 JOIN signs4 USING (f)
GROUP BY r, c),
outputs6 AS (SELECT CAST(CASE WHEN 1 * d0.d < 6 THEN 1 * d0.d END AS INT64) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 6),
result7 AS (SELECT s.r AS r, s.c0 AS c0, s.ok AS ok, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM source0 s CROSS JOIN outputs6 n
LEFT JOIN sums5 z ON (z.r IS NOT DISTINCT FROM s.r) AND z.f = n.f)
SELECT c0 AS `doc`, CASE WHEN ok IS NOT NULL THEN ARRAY[0.40824829*x0, 0.40824829*x1, 0.40824829*x2, 0.40824829*x3, 0.40824829*x4, 0.40824829*x5] END AS z
FROM (SELECT c0, ok, MAX(CASE WHEN f = 0 THEN CAST(x AS FLOAT64) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS FLOAT64) END) AS x1, MAX(CASE WHEN f = 2 THEN CAST(x AS FLOAT64) END) AS x2, MAX(CASE WHEN f = 3 THEN CAST(x AS FLOAT64) END) AS x3, MAX(CASE WHEN f = 4 THEN CAST(x AS FLOAT64) END) AS x4, MAX(CASE WHEN f = 5 THEN CAST(x AS FLOAT64) END) AS x5 FROM result7 GROUP BY r, c0, ok) s

-- ======== redshift
WITH source0 AS (SELECT r, r AS c0, CASE WHEN counted = present THEN CAST('0.40824829' AS DOUBLE PRECISION) ELSE CAST(concat('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''', substr(CAST(CASE WHEN counted = present THEN 1 ELSE 0 END AS VARCHAR), 1, 0)) AS BIGINT) END AS ok FROM (SELECT "doc" AS r, count(*) AS counted, count("value") AS present FROM "counts" GROUP BY "doc") s),
cells1 AS (SELECT "doc" AS r, CASE WHEN "feature" BETWEEN 0 AND 3 THEN "feature" WHEN "feature" IS NOT NULL THEN CAST(concat('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features', substr(CAST(CASE WHEN "feature" > 0 THEN 1 ELSE 0 END AS VARCHAR), 1, 0)) AS BIGINT) END AS f, CAST("value" AS BIGINT) AS x FROM "counts"),
features2 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
components3 AS (SELECT c, ((((((((160027122*c+1695050774)*c+691646973)*c+1772949147)*c+2036596356)*c+1178013506)*c+1131891293)*c+167768482) % 2147483647) AS b0, ((((((((1028911897*c+387106903)*c+1158697718)*c+1410517853)*c+1901464037)*c+727281908)*c+273356357)*c+1346638072) % 2147483647) AS b1, ((((((((2516419*c+1266648952)*c+823108136)*c+873800961)*c+865998424)*c+498617425)*c+1319090240)*c+1109305941) % 2147483647) AS b2, ((((((((127253082*c+1655554502)*c+764799208)*c+1604649441)*c+2045163376)*c+967276540)*c+1163871966)*c+2049923453) % 2147483647) AS b3,
  ((((((((906578094*c+1957939919)*c+571915167)*c+1710830582)*c+712807019)*c+1526561936)*c+1806998017)*c+1347088059) % 2147483647) AS b4, ((((((((721338909*c+39342049)*c+2080505444)*c+698072413)*c+985283689)*c+1427531362)*c+64842228)*c+1683305738) % 2147483647) AS b5, ((((((((697172436*c+310961723)*c+275090164)*c+326035413)*c+1084824904)*c+1883819384)*c+296474188)*c+453464508) % 2147483647) AS b6, ((((((((591629876*c+174357512)*c+1314908924)*c+750821949)*c+32360979)*c+2061731519)*c+2060306352)*c+1522086033) % 2147483647) AS b7
FROM (SELECT CAST(CASE WHEN 1 * d0.d < 6 THEN 1 * d0.d END AS BIGINT) AS c FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 6) n),
signs4 AS (SELECT CAST(c AS BIGINT) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features2 CROSS JOIN components3) drawn
WHERE h < 2147483647),
sums5 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0 - x END) AS x
FROM cells1 JOIN signs4 USING (f)
GROUP BY r, c),
outputs6 AS (SELECT CAST(CASE WHEN 1 * d0.d < 6 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 6),
result7 AS (SELECT s.r AS r, s.c0 AS c0, s.ok AS ok, n.f AS f, coalesce(z.x, CAST('0.0' AS DOUBLE PRECISION)) AS x
FROM source0 s CROSS JOIN outputs6 n
LEFT JOIN sums5 z ON (z.r = s.r OR (z.r IS NULL AND s.r IS NULL)) AND z.f = n.f)
SELECT c0 AS "doc", CASE WHEN ok IS NOT NULL THEN ARRAY(CAST('0.40824829' AS DOUBLE PRECISION)*x0, CAST('0.40824829' AS DOUBLE PRECISION)*x1, CAST('0.40824829' AS DOUBLE PRECISION)*x2, CAST('0.40824829' AS DOUBLE PRECISION)*x3, CAST('0.40824829' AS DOUBLE PRECISION)*x4, CAST('0.40824829' AS DOUBLE PRECISION)*x5) END AS z
FROM (SELECT c0, ok, MAX(CASE WHEN f = 0 THEN CAST(x AS DOUBLE PRECISION) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS DOUBLE PRECISION) END) AS x1, MAX(CASE WHEN f = 2 THEN CAST(x AS DOUBLE PRECISION) END) AS x2, MAX(CASE WHEN f = 3 THEN CAST(x AS DOUBLE PRECISION) END) AS x3, MAX(CASE WHEN f = 4 THEN CAST(x AS DOUBLE PRECISION) END) AS x4, MAX(CASE WHEN f = 5 THEN CAST(x AS DOUBLE PRECISION) END) AS x5 FROM result7 GROUP BY r, c0, ok) s

-- ======== databricks
WITH source0 AS (SELECT r, r AS c0, CASE WHEN counted = present THEN 0.40824829 ELSE raise_error('sqlrp: a feature is NULL and nulls = \'error\': clean the row, or use nulls = \'zero\' or \'propagate\'') END AS ok FROM (SELECT `doc` AS r, count(*) AS counted, count(`value`) AS present FROM `counts` GROUP BY `doc`) s),
cells1 AS (SELECT `doc` AS r, CASE WHEN `feature` BETWEEN 0 AND 3 THEN `feature` WHEN `feature` IS NOT NULL THEN raise_error('sqlrp: a feature in \'feature\' is outside 0 ... 3: positions count from 0; raise n_features') END AS f, CAST(`value` AS BIGINT) AS x FROM `counts`),
features2 AS (SELECT id AS f FROM range(4)),
components3 AS (SELECT c, ((((((((160027122*c+1695050774)*c+691646973)*c+1772949147)*c+2036596356)*c+1178013506)*c+1131891293)*c+167768482) % 2147483647) AS b0, ((((((((1028911897*c+387106903)*c+1158697718)*c+1410517853)*c+1901464037)*c+727281908)*c+273356357)*c+1346638072) % 2147483647) AS b1, ((((((((2516419*c+1266648952)*c+823108136)*c+873800961)*c+865998424)*c+498617425)*c+1319090240)*c+1109305941) % 2147483647) AS b2, ((((((((127253082*c+1655554502)*c+764799208)*c+1604649441)*c+2045163376)*c+967276540)*c+1163871966)*c+2049923453) % 2147483647) AS b3,
  ((((((((906578094*c+1957939919)*c+571915167)*c+1710830582)*c+712807019)*c+1526561936)*c+1806998017)*c+1347088059) % 2147483647) AS b4, ((((((((721338909*c+39342049)*c+2080505444)*c+698072413)*c+985283689)*c+1427531362)*c+64842228)*c+1683305738) % 2147483647) AS b5, ((((((((697172436*c+310961723)*c+275090164)*c+326035413)*c+1084824904)*c+1883819384)*c+296474188)*c+453464508) % 2147483647) AS b6, ((((((((591629876*c+174357512)*c+1314908924)*c+750821949)*c+32360979)*c+2061731519)*c+2060306352)*c+1522086033) % 2147483647) AS b7
FROM (SELECT id AS c FROM range(6)) n),
signs4 AS (SELECT CAST(c AS BIGINT) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features2 CROSS JOIN components3) drawn
WHERE h < 2147483647),
sums5 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0 - x END) AS x
FROM cells1 JOIN signs4 USING (f)
GROUP BY r, c),
outputs6 AS (SELECT id AS f FROM range(6)),
result7 AS (SELECT s.r AS r, s.c0 AS c0, s.ok AS ok, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM source0 s CROSS JOIN outputs6 n
LEFT JOIN sums5 z ON (z.r IS NOT DISTINCT FROM s.r) AND z.f = n.f)
SELECT c0 AS `doc`, CASE WHEN ok IS NOT NULL THEN array(0.40824829*x0,0.40824829*x1,0.40824829*x2,0.40824829*x3,0.40824829*x4,0.40824829*x5) END AS z
FROM (SELECT c0, ok, MAX(CASE WHEN f = 0 THEN CAST(x AS DOUBLE) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS DOUBLE) END) AS x1, MAX(CASE WHEN f = 2 THEN CAST(x AS DOUBLE) END) AS x2, MAX(CASE WHEN f = 3 THEN CAST(x AS DOUBLE) END) AS x3, MAX(CASE WHEN f = 4 THEN CAST(x AS DOUBLE) END) AS x4, MAX(CASE WHEN f = 5 THEN CAST(x AS DOUBLE) END) AS x5 FROM result7 GROUP BY r, c0, ok) s

-- ======== trino
WITH source0 AS (SELECT r, r AS c0, CASE WHEN counted = present THEN 0.40824829 ELSE CAST(concat('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''', substr(CAST(CASE WHEN counted = present THEN 1 ELSE 0 END AS VARCHAR), 1, 0)) AS BIGINT) END AS ok FROM (SELECT "doc" AS r, count(*) AS counted, count("value") AS present FROM "counts" GROUP BY "doc") s),
cells1 AS (SELECT "doc" AS r, CASE WHEN "feature" BETWEEN 0 AND 3 THEN "feature" WHEN "feature" IS NOT NULL THEN CAST(concat('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features', substr(CAST(CASE WHEN "feature" > 0 THEN 1 ELSE 0 END AS VARCHAR), 1, 0)) AS BIGINT) END AS f, CAST("value" AS BIGINT) AS x FROM "counts"),
features2 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4),
components3 AS (SELECT c, ((((((((160027122*c+1695050774)*c+691646973)*c+1772949147)*c+2036596356)*c+1178013506)*c+1131891293)*c+167768482) % 2147483647) AS b0, ((((((((1028911897*c+387106903)*c+1158697718)*c+1410517853)*c+1901464037)*c+727281908)*c+273356357)*c+1346638072) % 2147483647) AS b1, ((((((((2516419*c+1266648952)*c+823108136)*c+873800961)*c+865998424)*c+498617425)*c+1319090240)*c+1109305941) % 2147483647) AS b2, ((((((((127253082*c+1655554502)*c+764799208)*c+1604649441)*c+2045163376)*c+967276540)*c+1163871966)*c+2049923453) % 2147483647) AS b3,
  ((((((((906578094*c+1957939919)*c+571915167)*c+1710830582)*c+712807019)*c+1526561936)*c+1806998017)*c+1347088059) % 2147483647) AS b4, ((((((((721338909*c+39342049)*c+2080505444)*c+698072413)*c+985283689)*c+1427531362)*c+64842228)*c+1683305738) % 2147483647) AS b5, ((((((((697172436*c+310961723)*c+275090164)*c+326035413)*c+1084824904)*c+1883819384)*c+296474188)*c+453464508) % 2147483647) AS b6, ((((((((591629876*c+174357512)*c+1314908924)*c+750821949)*c+32360979)*c+2061731519)*c+2060306352)*c+1522086033) % 2147483647) AS b7
FROM (SELECT CAST(CASE WHEN 1 * d0.d < 6 THEN 1 * d0.d END AS BIGINT) AS c FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 6) n),
signs4 AS (SELECT CAST(c AS BIGINT) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM features2 CROSS JOIN components3) drawn
WHERE h < 2147483647),
sums5 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0 - x END) AS x
FROM cells1 JOIN signs4 USING (f)
GROUP BY r, c),
outputs6 AS (SELECT CAST(CASE WHEN 1 * d0.d < 6 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 6),
result7 AS (SELECT s.r AS r, s.c0 AS c0, s.ok AS ok, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM source0 s CROSS JOIN outputs6 n
LEFT JOIN sums5 z ON (z.r IS NOT DISTINCT FROM s.r) AND z.f = n.f)
SELECT c0 AS "doc", CASE WHEN ok IS NOT NULL THEN ARRAY[0.40824829*x0, 0.40824829*x1, 0.40824829*x2, 0.40824829*x3, 0.40824829*x4, 0.40824829*x5] END AS z
FROM (SELECT c0, ok, MAX(CASE WHEN f = 0 THEN CAST(x AS DOUBLE) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS DOUBLE) END) AS x1, MAX(CASE WHEN f = 2 THEN CAST(x AS DOUBLE) END) AS x2, MAX(CASE WHEN f = 3 THEN CAST(x AS DOUBLE) END) AS x3, MAX(CASE WHEN f = 4 THEN CAST(x AS DOUBLE) END) AS x4, MAX(CASE WHEN f = 5 THEN CAST(x AS DOUBLE) END) AS x5 FROM result7 GROUP BY r, c0, ok) s

-- ======== sqlserver
-- 17 statements: run them in this order in one session. Statement 9 returns the rows.
SELECT * INTO #sqlrp_temporary_0 FROM (SELECT r, r AS c0, CASE WHEN counted = present THEN 0.40824829 ELSE CAST(CONCAT('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''', LEFT(CAST(NEWID() AS VARCHAR(36)), 0)) AS BIGINT) END AS ok FROM (SELECT [doc] AS r, count(*) AS counted, count([value]) AS present FROM [counts] GROUP BY [doc]) s) s;
SELECT * INTO #sqlrp_temporary_1 FROM (SELECT [doc] AS r, CASE WHEN [feature] BETWEEN 0 AND 3 THEN [feature] WHEN [feature] IS NOT NULL THEN CAST(CONCAT('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features', LEFT(CAST(NEWID() AS VARCHAR(36)), 0)) AS BIGINT) END AS f, CAST([value] AS BIGINT) AS x FROM [counts]) s;
SELECT * INTO #sqlrp_temporary_2 FROM (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 4) s;
SELECT * INTO #sqlrp_temporary_3 FROM (SELECT c, ((((((((160027122*c+1695050774)*c+691646973)*c+1772949147)*c+2036596356)*c+1178013506)*c+1131891293)*c+167768482) % 2147483647) AS b0, ((((((((1028911897*c+387106903)*c+1158697718)*c+1410517853)*c+1901464037)*c+727281908)*c+273356357)*c+1346638072) % 2147483647) AS b1, ((((((((2516419*c+1266648952)*c+823108136)*c+873800961)*c+865998424)*c+498617425)*c+1319090240)*c+1109305941) % 2147483647) AS b2, ((((((((127253082*c+1655554502)*c+764799208)*c+1604649441)*c+2045163376)*c+967276540)*c+1163871966)*c+2049923453) % 2147483647) AS b3,
  ((((((((906578094*c+1957939919)*c+571915167)*c+1710830582)*c+712807019)*c+1526561936)*c+1806998017)*c+1347088059) % 2147483647) AS b4, ((((((((721338909*c+39342049)*c+2080505444)*c+698072413)*c+985283689)*c+1427531362)*c+64842228)*c+1683305738) % 2147483647) AS b5, ((((((((697172436*c+310961723)*c+275090164)*c+326035413)*c+1084824904)*c+1883819384)*c+296474188)*c+453464508) % 2147483647) AS b6, ((((((((591629876*c+174357512)*c+1314908924)*c+750821949)*c+32360979)*c+2061731519)*c+2060306352)*c+1522086033) % 2147483647) AS b7
FROM (SELECT CAST(CASE WHEN 1 * d0.d < 6 THEN 1 * d0.d END AS BIGINT) AS c FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 6) n) s;
SELECT * INTO #sqlrp_temporary_4 FROM (SELECT CAST(c AS BIGINT) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, ((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0) % 2147483647) AS h FROM #sqlrp_temporary_2 CROSS JOIN #sqlrp_temporary_3) drawn
WHERE h < 2147483647) s;
SELECT * INTO #sqlrp_temporary_5 FROM (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0 - x END) AS x
FROM #sqlrp_temporary_1 JOIN #sqlrp_temporary_4 ON #sqlrp_temporary_1.f = #sqlrp_temporary_4.f
GROUP BY r, c) s;
SELECT * INTO #sqlrp_temporary_6 FROM (SELECT CAST(CASE WHEN 1 * d0.d < 6 THEN 1 * d0.d END AS BIGINT) AS f FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 6) s;
SELECT * INTO #sqlrp_temporary_7 FROM (SELECT s.r AS r, s.c0 AS c0, s.ok AS ok, n.f AS f, coalesce(z.x, 0.0e0) AS x
FROM #sqlrp_temporary_0 s CROSS JOIN #sqlrp_temporary_6 n
LEFT JOIN #sqlrp_temporary_5 z ON EXISTS (SELECT z.r INTERSECT SELECT s.r) AND z.f = n.f) s;
SELECT c0 AS [doc], CASE WHEN ok IS NOT NULL THEN CONCAT(CAST('[' AS VARCHAR(MAX)), CONCAT_WS(',', CONVERT(VARCHAR(30), 0.40824829*x0, 3), CONVERT(VARCHAR(30), 0.40824829*x1, 3), CONVERT(VARCHAR(30), 0.40824829*x2, 3), CONVERT(VARCHAR(30), 0.40824829*x3, 3), CONVERT(VARCHAR(30), 0.40824829*x4, 3), CONVERT(VARCHAR(30), 0.40824829*x5, 3)), ']') END AS z
FROM (SELECT c0, ok, MAX(CASE WHEN f = 0 THEN CAST(x AS FLOAT) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS FLOAT) END) AS x1, MAX(CASE WHEN f = 2 THEN CAST(x AS FLOAT) END) AS x2, MAX(CASE WHEN f = 3 THEN CAST(x AS FLOAT) END) AS x3, MAX(CASE WHEN f = 4 THEN CAST(x AS FLOAT) END) AS x4, MAX(CASE WHEN f = 5 THEN CAST(x AS FLOAT) END) AS x5 FROM #sqlrp_temporary_7 GROUP BY r, c0, ok) s;
DROP TABLE IF EXISTS #sqlrp_temporary_7;
DROP TABLE IF EXISTS #sqlrp_temporary_6;
DROP TABLE IF EXISTS #sqlrp_temporary_5;
DROP TABLE IF EXISTS #sqlrp_temporary_4;
DROP TABLE IF EXISTS #sqlrp_temporary_3;
DROP TABLE IF EXISTS #sqlrp_temporary_2;
DROP TABLE IF EXISTS #sqlrp_temporary_1;
DROP TABLE IF EXISTS #sqlrp_temporary_0;


-- ======== oracle
WITH source0 AS (SELECT r, r AS c0, CASE WHEN counted = present THEN CAST(0.40824829 AS BINARY_DOUBLE) ELSE TO_NUMBER('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''' || substr(RAWTOHEX(SYS_GUID()), 1, 0)) END AS ok FROM (SELECT "doc" AS r, count(*) AS counted, count("value") AS present FROM "counts" GROUP BY "doc") s),
cells1 AS (SELECT "doc" AS r, CASE WHEN "feature" BETWEEN 0 AND 3 THEN "feature" WHEN "feature" IS NOT NULL THEN TO_NUMBER('sqlrp: a feature in ''feature'' is outside 0 ... 3: positions count from 0; raise n_features' || substr(RAWTOHEX(SYS_GUID()), 1, 0)) END AS f, CAST("value" AS NUMBER(19)) AS x FROM "counts"),
features2 AS (SELECT CAST(CASE WHEN 1 * d0.d < 4 THEN 1 * d0.d END AS NUMBER(19)) AS f FROM (SELECT 0 AS d FROM dual UNION ALL SELECT 1 FROM dual UNION ALL SELECT 2 FROM dual UNION ALL SELECT 3 FROM dual UNION ALL SELECT 4 FROM dual UNION ALL SELECT 5 FROM dual UNION ALL SELECT 6 FROM dual UNION ALL SELECT 7 FROM dual UNION ALL SELECT 8 FROM dual UNION ALL SELECT 9 FROM dual) d0 WHERE 1 * d0.d < 4),
components3 AS (SELECT c, MOD((((((((160027122*c+1695050774)*c+691646973)*c+1772949147)*c+2036596356)*c+1178013506)*c+1131891293)*c+167768482), 2147483647) AS b0, MOD((((((((1028911897*c+387106903)*c+1158697718)*c+1410517853)*c+1901464037)*c+727281908)*c+273356357)*c+1346638072), 2147483647) AS b1, MOD((((((((2516419*c+1266648952)*c+823108136)*c+873800961)*c+865998424)*c+498617425)*c+1319090240)*c+1109305941), 2147483647) AS b2, MOD((((((((127253082*c+1655554502)*c+764799208)*c+1604649441)*c+2045163376)*c+967276540)*c+1163871966)*c+2049923453), 2147483647) AS b3,
  MOD((((((((906578094*c+1957939919)*c+571915167)*c+1710830582)*c+712807019)*c+1526561936)*c+1806998017)*c+1347088059), 2147483647) AS b4, MOD((((((((721338909*c+39342049)*c+2080505444)*c+698072413)*c+985283689)*c+1427531362)*c+64842228)*c+1683305738), 2147483647) AS b5, MOD((((((((697172436*c+310961723)*c+275090164)*c+326035413)*c+1084824904)*c+1883819384)*c+296474188)*c+453464508), 2147483647) AS b6, MOD((((((((591629876*c+174357512)*c+1314908924)*c+750821949)*c+32360979)*c+2061731519)*c+2060306352)*c+1522086033), 2147483647) AS b7
FROM (SELECT CAST(CASE WHEN 1 * d0.d < 6 THEN 1 * d0.d END AS NUMBER(19)) AS c FROM (SELECT 0 AS d FROM dual UNION ALL SELECT 1 FROM dual UNION ALL SELECT 2 FROM dual UNION ALL SELECT 3 FROM dual UNION ALL SELECT 4 FROM dual UNION ALL SELECT 5 FROM dual UNION ALL SELECT 6 FROM dual UNION ALL SELECT 7 FROM dual UNION ALL SELECT 8 FROM dual UNION ALL SELECT 9 FROM dual) d0 WHERE 1 * d0.d < 6) n),
signs4 AS (SELECT CAST(c AS NUMBER(19)) AS c, f, CASE WHEN h < 1073741823 THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, MOD((((((((b7*f+b6)*f+b5)*f+b4)*f+b3)*f+b2)*f+b1)*f+b0), 2147483647) AS h FROM features2 CROSS JOIN components3) drawn
WHERE h < 2147483647),
sums5 AS (SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE 0 - x END) AS x
FROM cells1 JOIN signs4 USING (f)
GROUP BY r, c),
outputs6 AS (SELECT CAST(CASE WHEN 1 * d0.d < 6 THEN 1 * d0.d END AS NUMBER(19)) AS f FROM (SELECT 0 AS d FROM dual UNION ALL SELECT 1 FROM dual UNION ALL SELECT 2 FROM dual UNION ALL SELECT 3 FROM dual UNION ALL SELECT 4 FROM dual UNION ALL SELECT 5 FROM dual UNION ALL SELECT 6 FROM dual UNION ALL SELECT 7 FROM dual UNION ALL SELECT 8 FROM dual UNION ALL SELECT 9 FROM dual) d0 WHERE 1 * d0.d < 6),
result7 AS (SELECT s.r AS r, s.c0 AS c0, s.ok AS ok, n.f AS f, coalesce(z.x, CAST(0.0e0 AS BINARY_DOUBLE)) AS x
FROM source0 s CROSS JOIN outputs6 n
LEFT JOIN sums5 z ON (z.r = s.r OR (z.r IS NULL AND s.r IS NULL)) AND z.f = n.f)
SELECT c0 AS "doc", CASE WHEN ok IS NOT NULL THEN TO_VECTOR(JSON_ARRAY(CAST(0.40824829 AS BINARY_DOUBLE)*x0, CAST(0.40824829 AS BINARY_DOUBLE)*x1, CAST(0.40824829 AS BINARY_DOUBLE)*x2, CAST(0.40824829 AS BINARY_DOUBLE)*x3, CAST(0.40824829 AS BINARY_DOUBLE)*x4, CAST(0.40824829 AS BINARY_DOUBLE)*x5 NULL ON NULL RETURNING CLOB), 6, FLOAT64) END AS z
FROM (SELECT c0, ok, MAX(CASE WHEN f = 0 THEN CAST(x AS BINARY_DOUBLE) END) AS x0, MAX(CASE WHEN f = 1 THEN CAST(x AS BINARY_DOUBLE) END) AS x1, MAX(CASE WHEN f = 2 THEN CAST(x AS BINARY_DOUBLE) END) AS x2, MAX(CASE WHEN f = 3 THEN CAST(x AS BINARY_DOUBLE) END) AS x3, MAX(CASE WHEN f = 4 THEN CAST(x AS BINARY_DOUBLE) END) AS x4, MAX(CASE WHEN f = 5 THEN CAST(x AS BINARY_DOUBLE) END) AS x5 FROM result7 GROUP BY r, c0, ok) s

-- ======== generic
-- UnsupportedError: output = 'array' is not supported: generic has no arrays; use 'columns' or 'long'
