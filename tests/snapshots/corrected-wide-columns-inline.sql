-- Chained(SparseProjection(k=2, s=1, seed=1), Rounding(k=2, state='eNoL8GZm0WWAAEUGto+lG/9DAQeDCENxSWqBXl5…sIcIN0DNhMAm+ltLw==', bound_to=2))
-- wide rows of doubles; output = 'columns', correct = True, lowering = 'inline'

-- ======== duckdb
SELECT "id", "label", "z0", "z1", CAST(CASE WHEN sqlrp_along<=3e+38 THEN sqlrp_along WHEN sqlrp_along IS NOT NULL THEN 3e+38 END AS FLOAT) AS sqlrp_factor, CAST(CASE WHEN sqlrp_apart<=3e+38 THEN sqlrp_apart WHEN sqlrp_apart IS NOT NULL THEN 3e+38 END AS FLOAT) AS sqlrp_square
FROM (SELECT c0 AS "id", c1 AS "label", floor((CASE WHEN sqlrp_x0<-127.0e0 THEN -127.0e0 WHEN sqlrp_x0<=127.0e0 THEN sqlrp_x0 WHEN sqlrp_x0 IS NOT NULL THEN 127.0e0 END+0.5e0)) AS z0, floor((CASE WHEN sqlrp_x1<-127.0e0 THEN -127.0e0 WHEN sqlrp_x1<=127.0e0 THEN sqlrp_x1 WHEN sqlrp_x1 IS NOT NULL THEN 127.0e0 END+0.5e0)) AS z1, coalesce((sqlrp_x0*sqlrp_x0+sqlrp_x1*sqlrp_x1)/NULLIF((sqlrp_x0*(floor((CASE WHEN sqlrp_x0<-127.0e0 THEN -127.0e0 WHEN sqlrp_x0<=127.0e0 THEN sqlrp_x0 WHEN sqlrp_x0 IS NOT NULL THEN 127.0e0 END+0.5e0)))+sqlrp_x1*(floor((CASE WHEN sqlrp_x1<-127.0e0 THEN -127.0e0 WHEN sqlrp_x1<=127.0e0 THEN sqlrp_x1 WHEN sqlrp_x1 IS NOT NULL THEN 127.0e0 END+0.5e0)))), 0), 0*sqlrp_x0) AS sqlrp_along, (sqlrp_x0*sqlrp_x0+sqlrp_x1*sqlrp_x1) AS sqlrp_apart
FROM (SELECT "id" AS c0, "label" AS c1, "z0" AS sqlrp_x0, "z1" AS sqlrp_x1
FROM (SELECT c0 AS "id", c1 AS "label", w0*2.82842712+ok AS z0, w1*2.82842712+ok AS z1
FROM (SELECT c0, c1, ok, (v2-v1) AS w0, (v0-v2) AS w1
FROM (SELECT c0, c1, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 END AS ok, CAST("a" AS DOUBLE) AS x0, CAST("b" AS DOUBLE) AS x1, CAST("it's c" AS DOUBLE) AS x2, CAST("d ""quoted""" AS DOUBLE) AS x3
FROM "shop"."images") s) s) s) s) s) s

-- ======== postgresql
SELECT "id", "label", "z0", "z1", CAST(CASE WHEN sqlrp_along<=CAST('3e+38' AS double precision) THEN sqlrp_along WHEN sqlrp_along IS NOT NULL THEN CAST('3e+38' AS double precision) END AS real) AS sqlrp_factor, CAST(CASE WHEN sqlrp_apart<=CAST('3e+38' AS double precision) THEN sqlrp_apart WHEN sqlrp_apart IS NOT NULL THEN CAST('3e+38' AS double precision) END AS real) AS sqlrp_square
FROM (SELECT c0 AS "id", c1 AS "label", floor((CASE WHEN sqlrp_x0<-CAST('127.0' AS double precision) THEN -CAST('127.0' AS double precision) WHEN sqlrp_x0<=CAST('127.0' AS double precision) THEN sqlrp_x0 WHEN sqlrp_x0 IS NOT NULL THEN CAST('127.0' AS double precision) END+CAST('0.5' AS double precision))) AS z0, floor((CASE WHEN sqlrp_x1<-CAST('127.0' AS double precision) THEN -CAST('127.0' AS double precision) WHEN sqlrp_x1<=CAST('127.0' AS double precision) THEN sqlrp_x1 WHEN sqlrp_x1 IS NOT NULL THEN CAST('127.0' AS double precision) END+CAST('0.5' AS double precision))) AS z1, coalesce((CASE WHEN abs(sqlrp_x0)<CAST('1e-150' AS double precision) THEN 0 WHEN abs(sqlrp_x0)<CAST('1e+150' AS double precision) THEN CAST(sqlrp_x0 AS double precision)*sqlrp_x0 ELSE abs(sqlrp_x0)*CAST('inf' AS double precision) END+CASE WHEN abs(sqlrp_x1)<CAST('1e-150' AS double precision) THEN 0 WHEN abs(sqlrp_x1)<CAST('1e+150' AS double precision) THEN CAST(sqlrp_x1 AS double precision)*sqlrp_x1 ELSE abs(sqlrp_x1)*CAST('inf' AS double precision) END)/NULLIF((sqlrp_x0*(floor((CASE WHEN sqlrp_x0<-CAST('127.0' AS double precision) THEN -CAST('127.0' AS double precision) WHEN sqlrp_x0<=CAST('127.0' AS double precision) THEN sqlrp_x0 WHEN sqlrp_x0 IS NOT NULL THEN CAST('127.0' AS double precision) END+CAST('0.5' AS double precision))))+sqlrp_x1*(floor((CASE WHEN sqlrp_x1<-CAST('127.0' AS double precision) THEN -CAST('127.0' AS double precision) WHEN sqlrp_x1<=CAST('127.0' AS double precision) THEN sqlrp_x1 WHEN sqlrp_x1 IS NOT NULL THEN CAST('127.0' AS double precision) END+CAST('0.5' AS double precision))))), 0), 0*sqlrp_x0) AS sqlrp_along, (CASE WHEN abs(sqlrp_x0)<CAST('1e-150' AS double precision) THEN 0 WHEN abs(sqlrp_x0)<CAST('1e+150' AS double precision) THEN CAST(sqlrp_x0 AS double precision)*sqlrp_x0 ELSE abs(sqlrp_x0)*CAST('inf' AS double precision) END+CASE WHEN abs(sqlrp_x1)<CAST('1e-150' AS double precision) THEN 0 WHEN abs(sqlrp_x1)<CAST('1e+150' AS double precision) THEN CAST(sqlrp_x1 AS double precision)*sqlrp_x1 ELSE abs(sqlrp_x1)*CAST('inf' AS double precision) END) AS sqlrp_apart
FROM (SELECT "id" AS c0, "label" AS c1, "z0" AS sqlrp_x0, "z1" AS sqlrp_x1
FROM (SELECT c0 AS "id", c1 AS "label", w0*CAST('2.82842712' AS double precision)+ok AS z0, w1*CAST('2.82842712' AS double precision)+ok AS z1
FROM (SELECT c0, c1, ok, (v2-v1) AS w0, (v0-v2) AS w1
FROM (SELECT c0, c1, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 END AS ok, CAST("a" AS double precision) AS x0, CAST("b" AS double precision) AS x1, CAST("it's c" AS double precision) AS x2, CAST("d ""quoted""" AS double precision) AS x3
FROM "shop"."images" OFFSET '0') s OFFSET '0') s OFFSET '0') s) s OFFSET '0') s OFFSET '0') s

-- ======== sqlite
SELECT `id`, `label`, `z0`, `z1`, CAST(CASE WHEN sqlrp_along<=3e+38 THEN sqlrp_along WHEN sqlrp_along IS NOT NULL THEN 3e+38 END AS REAL) AS sqlrp_factor, CAST(CASE WHEN sqlrp_apart<=3e+38 THEN sqlrp_apart WHEN sqlrp_apart IS NOT NULL THEN 3e+38 END AS REAL) AS sqlrp_square
FROM (SELECT c0 AS `id`, c1 AS `label`, CASE WHEN (CASE WHEN sqlrp_x0<-127.0e0 THEN -127.0e0 WHEN sqlrp_x0<=127.0e0 THEN sqlrp_x0 WHEN sqlrp_x0 IS NOT NULL THEN 127.0e0 END+0.5e0) IS NOT NULL THEN floor((CASE WHEN sqlrp_x0<-127.0e0 THEN -127.0e0 WHEN sqlrp_x0<=127.0e0 THEN sqlrp_x0 WHEN sqlrp_x0 IS NOT NULL THEN 127.0e0 END+0.5e0)) END AS z0, CASE WHEN (CASE WHEN sqlrp_x1<-127.0e0 THEN -127.0e0 WHEN sqlrp_x1<=127.0e0 THEN sqlrp_x1 WHEN sqlrp_x1 IS NOT NULL THEN 127.0e0 END+0.5e0) IS NOT NULL THEN floor((CASE WHEN sqlrp_x1<-127.0e0 THEN -127.0e0 WHEN sqlrp_x1<=127.0e0 THEN sqlrp_x1 WHEN sqlrp_x1 IS NOT NULL THEN 127.0e0 END+0.5e0)) END AS z1, coalesce((sqlrp_x0*sqlrp_x0+sqlrp_x1*sqlrp_x1)/NULLIF((sqlrp_x0*(CASE WHEN (CASE WHEN sqlrp_x0<-127.0e0 THEN -127.0e0 WHEN sqlrp_x0<=127.0e0 THEN sqlrp_x0 WHEN sqlrp_x0 IS NOT NULL THEN 127.0e0 END+0.5e0) IS NOT NULL THEN floor((CASE WHEN sqlrp_x0<-127.0e0 THEN -127.0e0 WHEN sqlrp_x0<=127.0e0 THEN sqlrp_x0 WHEN sqlrp_x0 IS NOT NULL THEN 127.0e0 END+0.5e0)) END)+sqlrp_x1*(CASE WHEN (CASE WHEN sqlrp_x1<-127.0e0 THEN -127.0e0 WHEN sqlrp_x1<=127.0e0 THEN sqlrp_x1 WHEN sqlrp_x1 IS NOT NULL THEN 127.0e0 END+0.5e0) IS NOT NULL THEN floor((CASE WHEN sqlrp_x1<-127.0e0 THEN -127.0e0 WHEN sqlrp_x1<=127.0e0 THEN sqlrp_x1 WHEN sqlrp_x1 IS NOT NULL THEN 127.0e0 END+0.5e0)) END)), 0), 0*sqlrp_x0) AS sqlrp_along, (sqlrp_x0*sqlrp_x0+sqlrp_x1*sqlrp_x1) AS sqlrp_apart
FROM (SELECT `id` AS c0, `label` AS c1, `z0` AS sqlrp_x0, `z1` AS sqlrp_x1
FROM (SELECT c0 AS `id`, c1 AS `label`, w0*2.82842712+ok AS z0, w1*2.82842712+ok AS z1
FROM (SELECT c0, c1, ok, (v2-v1) AS w0, (v0-v2) AS w1
FROM (SELECT c0, c1, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2
FROM (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 END AS ok, CASE WHEN `a` >= '' THEN json_type('{}', 'sqlrp: a feature in `a` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`a` AS REAL) END AS x0, CASE WHEN `b` >= '' THEN json_type('{}', 'sqlrp: a feature in `b` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`b` AS REAL) END AS x1, CASE WHEN `it's c` >= '' THEN json_type('{}', 'sqlrp: a feature in `it''s c` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`it's c` AS REAL) END AS x2, CASE WHEN `d "quoted"` >= '' THEN json_type('{}', 'sqlrp: a feature in `d "quoted"` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`d "quoted"` AS REAL) END AS x3
FROM `shop`.`images` LIMIT -1 OFFSET 0) s LIMIT -1 OFFSET 0) s LIMIT -1 OFFSET 0) s) s LIMIT -1 OFFSET 0) s LIMIT -1 OFFSET 0) s

-- ======== mariadb
SELECT `id`, `label`, `z0`, `z1`, CAST((CASE WHEN sqlrp_along<=3e+38 THEN sqlrp_along WHEN sqlrp_along IS NOT NULL THEN 3e+38 END)*5.28294531e+269/5.28294531e+269 AS FLOAT) AS sqlrp_factor, CAST((CASE WHEN sqlrp_apart<=3e+38 THEN sqlrp_apart WHEN sqlrp_apart IS NOT NULL THEN 3e+38 END)*5.28294531e+269/5.28294531e+269 AS FLOAT) AS sqlrp_square
FROM (SELECT c0 AS `id`, c1 AS `label`, floor((CASE WHEN sqlrp_x0<-127.0e0 THEN -127.0e0 WHEN sqlrp_x0<=127.0e0 THEN sqlrp_x0 WHEN sqlrp_x0 IS NOT NULL THEN 127.0e0 END+0.5e0)) AS z0, floor((CASE WHEN sqlrp_x1<-127.0e0 THEN -127.0e0 WHEN sqlrp_x1<=127.0e0 THEN sqlrp_x1 WHEN sqlrp_x1 IS NOT NULL THEN 127.0e0 END+0.5e0)) AS z1, coalesce((CASE WHEN abs(sqlrp_x0)<1e150 THEN sqlrp_x0*sqlrp_x0 END+CASE WHEN abs(sqlrp_x1)<1e150 THEN sqlrp_x1*sqlrp_x1 END)/NULLIF((sqlrp_x0*(floor((CASE WHEN sqlrp_x0<-127.0e0 THEN -127.0e0 WHEN sqlrp_x0<=127.0e0 THEN sqlrp_x0 WHEN sqlrp_x0 IS NOT NULL THEN 127.0e0 END+0.5e0)))+sqlrp_x1*(floor((CASE WHEN sqlrp_x1<-127.0e0 THEN -127.0e0 WHEN sqlrp_x1<=127.0e0 THEN sqlrp_x1 WHEN sqlrp_x1 IS NOT NULL THEN 127.0e0 END+0.5e0)))), 0), 0*sqlrp_x0) AS sqlrp_along, (CASE WHEN abs(sqlrp_x0)<1e150 THEN sqlrp_x0*sqlrp_x0 END+CASE WHEN abs(sqlrp_x1)<1e150 THEN sqlrp_x1*sqlrp_x1 END) AS sqlrp_apart
FROM (SELECT `id` AS c0, `label` AS c1, `z0` AS sqlrp_x0, `z1` AS sqlrp_x1
FROM (SELECT c0 AS `id`, c1 AS `label`, w0*2.82842712+ok AS z0, w1*2.82842712+ok AS z1
FROM (SELECT c0, c1, ok, (v2-v1) AS w0, (v0-v2) AS w1
FROM (SELECT c0, c1, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2
FROM (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 END AS ok, CAST(`a` AS DOUBLE) AS x0, CAST(`b` AS DOUBLE) AS x1, CAST(`it's c` AS DOUBLE) AS x2, CAST(`d "quoted"` AS DOUBLE) AS x3
FROM `shop`.`images` LIMIT 18446744073709551615) s LIMIT 18446744073709551615) s LIMIT 18446744073709551615) s) s LIMIT 18446744073709551615) s LIMIT 18446744073709551615) s

-- ======== mysql
SELECT `id`, `label`, `z0`, `z1`, CAST(CASE WHEN sqlrp_along<=3e+38 THEN sqlrp_along WHEN sqlrp_along IS NOT NULL THEN 3e+38 END AS FLOAT) AS sqlrp_factor, CAST(CASE WHEN sqlrp_apart<=3e+38 THEN sqlrp_apart WHEN sqlrp_apart IS NOT NULL THEN 3e+38 END AS FLOAT) AS sqlrp_square
FROM (SELECT c0 AS `id`, c1 AS `label`, floor((CASE WHEN sqlrp_x0<-127.0e0 THEN -127.0e0 WHEN sqlrp_x0<=127.0e0 THEN sqlrp_x0 WHEN sqlrp_x0 IS NOT NULL THEN 127.0e0 END+0.5e0)) AS z0, floor((CASE WHEN sqlrp_x1<-127.0e0 THEN -127.0e0 WHEN sqlrp_x1<=127.0e0 THEN sqlrp_x1 WHEN sqlrp_x1 IS NOT NULL THEN 127.0e0 END+0.5e0)) AS z1, coalesce((CASE WHEN abs(sqlrp_x0)<1e150 THEN sqlrp_x0*sqlrp_x0 END+CASE WHEN abs(sqlrp_x1)<1e150 THEN sqlrp_x1*sqlrp_x1 END)/NULLIF((sqlrp_x0*(floor((CASE WHEN sqlrp_x0<-127.0e0 THEN -127.0e0 WHEN sqlrp_x0<=127.0e0 THEN sqlrp_x0 WHEN sqlrp_x0 IS NOT NULL THEN 127.0e0 END+0.5e0)))+sqlrp_x1*(floor((CASE WHEN sqlrp_x1<-127.0e0 THEN -127.0e0 WHEN sqlrp_x1<=127.0e0 THEN sqlrp_x1 WHEN sqlrp_x1 IS NOT NULL THEN 127.0e0 END+0.5e0)))), 0), 0*sqlrp_x0) AS sqlrp_along, (CASE WHEN abs(sqlrp_x0)<1e150 THEN sqlrp_x0*sqlrp_x0 END+CASE WHEN abs(sqlrp_x1)<1e150 THEN sqlrp_x1*sqlrp_x1 END) AS sqlrp_apart
FROM (SELECT `id` AS c0, `label` AS c1, `z0` AS sqlrp_x0, `z1` AS sqlrp_x1
FROM (SELECT c0 AS `id`, c1 AS `label`, w0*2.82842712+ok AS z0, w1*2.82842712+ok AS z1
FROM (SELECT c0, c1, ok, (v2-v1) AS w0, (v0-v2) AS w1
FROM (SELECT c0, c1, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2
FROM (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 END AS ok, CAST(`a` AS DOUBLE) AS x0, CAST(`b` AS DOUBLE) AS x1, CAST(`it's c` AS DOUBLE) AS x2, CAST(`d "quoted"` AS DOUBLE) AS x3
FROM `shop`.`images` LIMIT 18446744073709551615) s LIMIT 18446744073709551615) s LIMIT 18446744073709551615) s) s LIMIT 18446744073709551615) s LIMIT 18446744073709551615) s

-- ======== clickhouse
SELECT `id`, `label`, `z0`, `z1`, CAST(CASE WHEN sqlrp_along<=3e+38 THEN sqlrp_along WHEN sqlrp_along IS NOT NULL THEN 3e+38 END AS Float32) AS sqlrp_factor, CAST(CASE WHEN sqlrp_apart<=3e+38 THEN sqlrp_apart WHEN sqlrp_apart IS NOT NULL THEN 3e+38 END AS Float32) AS sqlrp_square
FROM (SELECT c0 AS `id`, c1 AS `label`, floor((CASE WHEN sqlrp_x0<-127.0e0 THEN -127.0e0 WHEN sqlrp_x0<=127.0e0 THEN sqlrp_x0 WHEN sqlrp_x0 IS NOT NULL THEN 127.0e0 END+0.5e0)) AS z0, floor((CASE WHEN sqlrp_x1<-127.0e0 THEN -127.0e0 WHEN sqlrp_x1<=127.0e0 THEN sqlrp_x1 WHEN sqlrp_x1 IS NOT NULL THEN 127.0e0 END+0.5e0)) AS z1, coalesce((sqlrp_x0*sqlrp_x0+sqlrp_x1*sqlrp_x1)/NULLIF((sqlrp_x0*(floor((CASE WHEN sqlrp_x0<-127.0e0 THEN -127.0e0 WHEN sqlrp_x0<=127.0e0 THEN sqlrp_x0 WHEN sqlrp_x0 IS NOT NULL THEN 127.0e0 END+0.5e0)))+sqlrp_x1*(floor((CASE WHEN sqlrp_x1<-127.0e0 THEN -127.0e0 WHEN sqlrp_x1<=127.0e0 THEN sqlrp_x1 WHEN sqlrp_x1 IS NOT NULL THEN 127.0e0 END+0.5e0)))), 0), 0*sqlrp_x0) AS sqlrp_along, (sqlrp_x0*sqlrp_x0+sqlrp_x1*sqlrp_x1) AS sqlrp_apart
FROM (SELECT `id` AS c0, `label` AS c1, `z0` AS sqlrp_x0, `z1` AS sqlrp_x1
FROM (SELECT c0 AS `id`, c1 AS `label`, w0*2.82842712+ok AS z0, w1*2.82842712+ok AS z1
FROM (SELECT c0, c1, ok, (v2-v1) AS w0, (v0-v2) AS w1
FROM (SELECT c0, c1, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2
FROM (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 END AS ok, CAST(`a` AS Float64) AS x0, CAST(`b` AS Float64) AS x1, CAST(`it's c` AS Float64) AS x2, CAST(`d "quoted"` AS Float64) AS x3
FROM `shop`.`images`) s) s) s) s) s) s
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760

-- ======== spark, databricks
SELECT `id`, `label`, `z0`, `z1`, CAST(CASE WHEN sqlrp_along<=3e+38 THEN sqlrp_along WHEN sqlrp_along IS NOT NULL THEN 3e+38 END AS FLOAT) AS sqlrp_factor, CAST(CASE WHEN sqlrp_apart<=3e+38 THEN sqlrp_apart WHEN sqlrp_apart IS NOT NULL THEN 3e+38 END AS FLOAT) AS sqlrp_square
FROM (SELECT c0 AS `id`, c1 AS `label`, floor((CASE WHEN sqlrp_x0<-127.0e0 THEN -127.0e0 WHEN sqlrp_x0<=127.0e0 THEN sqlrp_x0 WHEN sqlrp_x0 IS NOT NULL THEN 127.0e0 END+0.5e0)) AS z0, floor((CASE WHEN sqlrp_x1<-127.0e0 THEN -127.0e0 WHEN sqlrp_x1<=127.0e0 THEN sqlrp_x1 WHEN sqlrp_x1 IS NOT NULL THEN 127.0e0 END+0.5e0)) AS z1, coalesce((sqlrp_x0*sqlrp_x0+sqlrp_x1*sqlrp_x1)/NULLIF((sqlrp_x0*(floor((CASE WHEN sqlrp_x0<-127.0e0 THEN -127.0e0 WHEN sqlrp_x0<=127.0e0 THEN sqlrp_x0 WHEN sqlrp_x0 IS NOT NULL THEN 127.0e0 END+0.5e0)))+sqlrp_x1*(floor((CASE WHEN sqlrp_x1<-127.0e0 THEN -127.0e0 WHEN sqlrp_x1<=127.0e0 THEN sqlrp_x1 WHEN sqlrp_x1 IS NOT NULL THEN 127.0e0 END+0.5e0)))), 0), 0*sqlrp_x0) AS sqlrp_along, (sqlrp_x0*sqlrp_x0+sqlrp_x1*sqlrp_x1) AS sqlrp_apart
FROM (SELECT `id` AS c0, `label` AS c1, `z0` AS sqlrp_x0, `z1` AS sqlrp_x1
FROM (SELECT c0 AS `id`, c1 AS `label`, w0*2.82842712+ok AS z0, w1*2.82842712+ok AS z1
FROM (SELECT c0, c1, ok, (v2-v1) AS w0, (v0-v2) AS w1
FROM (SELECT c0, c1, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2
FROM (SELECT `id` AS c0, `label` AS c1, CAST(`a` AS DOUBLE) AS x0, CAST(`b` AS DOUBLE) AS x1, CAST(`it's c` AS DOUBLE) AS x2, CAST(`d "quoted"` AS DOUBLE) AS x3, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 END AS ok
FROM `shop`.`images`) s) s) s) s) s) s

-- ======== snowflake
SELECT "id", "label", "z0", "z1", CAST(CASE WHEN sqlrp_along<=3e+38 THEN sqlrp_along WHEN sqlrp_along IS NOT NULL THEN 3e+38 END AS DOUBLE) AS sqlrp_factor, CAST(CASE WHEN sqlrp_apart<=3e+38 THEN sqlrp_apart WHEN sqlrp_apart IS NOT NULL THEN 3e+38 END AS DOUBLE) AS sqlrp_square
FROM (SELECT c0 AS "id", c1 AS "label", floor((CASE WHEN sqlrp_x0<-127.0e0 THEN -127.0e0 WHEN sqlrp_x0<=127.0e0 THEN sqlrp_x0 WHEN sqlrp_x0 IS NOT NULL THEN 127.0e0 END+0.5e0)) AS z0, floor((CASE WHEN sqlrp_x1<-127.0e0 THEN -127.0e0 WHEN sqlrp_x1<=127.0e0 THEN sqlrp_x1 WHEN sqlrp_x1 IS NOT NULL THEN 127.0e0 END+0.5e0)) AS z1, coalesce((sqlrp_x0*sqlrp_x0+sqlrp_x1*sqlrp_x1)/NULLIF((sqlrp_x0*(floor((CASE WHEN sqlrp_x0<-127.0e0 THEN -127.0e0 WHEN sqlrp_x0<=127.0e0 THEN sqlrp_x0 WHEN sqlrp_x0 IS NOT NULL THEN 127.0e0 END+0.5e0)))+sqlrp_x1*(floor((CASE WHEN sqlrp_x1<-127.0e0 THEN -127.0e0 WHEN sqlrp_x1<=127.0e0 THEN sqlrp_x1 WHEN sqlrp_x1 IS NOT NULL THEN 127.0e0 END+0.5e0)))), 0), 0*sqlrp_x0) AS sqlrp_along, (sqlrp_x0*sqlrp_x0+sqlrp_x1*sqlrp_x1) AS sqlrp_apart
FROM (SELECT "id" AS c0, "label" AS c1, "z0" AS sqlrp_x0, "z1" AS sqlrp_x1
FROM (SELECT c0 AS "id", c1 AS "label", w0*2.82842712+ok AS z0, w1*2.82842712+ok AS z1
FROM (SELECT c0, c1, ok, (v2-v1) AS w0, (v0-v2) AS w1
FROM (SELECT c0, c1, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 END AS ok, CAST("a" AS DOUBLE) AS x0, CAST("b" AS DOUBLE) AS x1, CAST("it's c" AS DOUBLE) AS x2, CAST("d ""quoted""" AS DOUBLE) AS x3
FROM "shop"."images") s) s) s) s) s) s

-- ======== bigquery
SELECT `id`, `label`, `z0`, `z1`, CAST(CASE WHEN sqlrp_along<=3e+38 THEN sqlrp_along WHEN sqlrp_along IS NOT NULL THEN 3e+38 END AS FLOAT64) AS sqlrp_factor, CAST(CASE WHEN sqlrp_apart<=3e+38 THEN sqlrp_apart WHEN sqlrp_apart IS NOT NULL THEN 3e+38 END AS FLOAT64) AS sqlrp_square
FROM (SELECT c0 AS `id`, c1 AS `label`, floor((CASE WHEN sqlrp_x0<-127.0e0 THEN -127.0e0 WHEN sqlrp_x0<=127.0e0 THEN sqlrp_x0 WHEN sqlrp_x0 IS NOT NULL THEN 127.0e0 END+0.5e0)) AS z0, floor((CASE WHEN sqlrp_x1<-127.0e0 THEN -127.0e0 WHEN sqlrp_x1<=127.0e0 THEN sqlrp_x1 WHEN sqlrp_x1 IS NOT NULL THEN 127.0e0 END+0.5e0)) AS z1, coalesce((sqlrp_x0*sqlrp_x0+sqlrp_x1*sqlrp_x1)/NULLIF((sqlrp_x0*(floor((CASE WHEN sqlrp_x0<-127.0e0 THEN -127.0e0 WHEN sqlrp_x0<=127.0e0 THEN sqlrp_x0 WHEN sqlrp_x0 IS NOT NULL THEN 127.0e0 END+0.5e0)))+sqlrp_x1*(floor((CASE WHEN sqlrp_x1<-127.0e0 THEN -127.0e0 WHEN sqlrp_x1<=127.0e0 THEN sqlrp_x1 WHEN sqlrp_x1 IS NOT NULL THEN 127.0e0 END+0.5e0)))), 0), 0*sqlrp_x0) AS sqlrp_along, (sqlrp_x0*sqlrp_x0+sqlrp_x1*sqlrp_x1) AS sqlrp_apart
FROM (SELECT `id` AS c0, `label` AS c1, `z0` AS sqlrp_x0, `z1` AS sqlrp_x1
FROM (SELECT c0 AS `id`, c1 AS `label`, w0*2.82842712+ok AS z0, w1*2.82842712+ok AS z1
FROM (SELECT c0, c1, ok, (v2-v1) AS w0, (v0-v2) AS w1
FROM (SELECT c0, c1, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2
FROM (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 END AS ok, CAST(`a` AS FLOAT64) AS x0, CAST(`b` AS FLOAT64) AS x1, CAST(`it's c` AS FLOAT64) AS x2, CAST(`d "quoted"` AS FLOAT64) AS x3
FROM `shop`.`images`) s) s) s) s) s) s

-- ======== redshift
SELECT "id", "label", "z0", "z1", CAST(CASE WHEN sqlrp_along<=CAST('3e+38' AS DOUBLE PRECISION) THEN sqlrp_along WHEN sqlrp_along IS NOT NULL THEN CAST('3e+38' AS DOUBLE PRECISION) END AS REAL) AS sqlrp_factor, CAST(CASE WHEN sqlrp_apart<=CAST('3e+38' AS DOUBLE PRECISION) THEN sqlrp_apart WHEN sqlrp_apart IS NOT NULL THEN CAST('3e+38' AS DOUBLE PRECISION) END AS REAL) AS sqlrp_square
FROM (SELECT c0 AS "id", c1 AS "label", floor((CASE WHEN sqlrp_x0<-CAST('127.0' AS DOUBLE PRECISION) THEN -CAST('127.0' AS DOUBLE PRECISION) WHEN sqlrp_x0<=CAST('127.0' AS DOUBLE PRECISION) THEN sqlrp_x0 WHEN sqlrp_x0 IS NOT NULL THEN CAST('127.0' AS DOUBLE PRECISION) END+CAST('0.5' AS DOUBLE PRECISION))) AS z0, floor((CASE WHEN sqlrp_x1<-CAST('127.0' AS DOUBLE PRECISION) THEN -CAST('127.0' AS DOUBLE PRECISION) WHEN sqlrp_x1<=CAST('127.0' AS DOUBLE PRECISION) THEN sqlrp_x1 WHEN sqlrp_x1 IS NOT NULL THEN CAST('127.0' AS DOUBLE PRECISION) END+CAST('0.5' AS DOUBLE PRECISION))) AS z1, coalesce((sqlrp_x0*sqlrp_x0+sqlrp_x1*sqlrp_x1)/NULLIF((sqlrp_x0*(floor((CASE WHEN sqlrp_x0<-CAST('127.0' AS DOUBLE PRECISION) THEN -CAST('127.0' AS DOUBLE PRECISION) WHEN sqlrp_x0<=CAST('127.0' AS DOUBLE PRECISION) THEN sqlrp_x0 WHEN sqlrp_x0 IS NOT NULL THEN CAST('127.0' AS DOUBLE PRECISION) END+CAST('0.5' AS DOUBLE PRECISION))))+sqlrp_x1*(floor((CASE WHEN sqlrp_x1<-CAST('127.0' AS DOUBLE PRECISION) THEN -CAST('127.0' AS DOUBLE PRECISION) WHEN sqlrp_x1<=CAST('127.0' AS DOUBLE PRECISION) THEN sqlrp_x1 WHEN sqlrp_x1 IS NOT NULL THEN CAST('127.0' AS DOUBLE PRECISION) END+CAST('0.5' AS DOUBLE PRECISION))))), 0), 0*sqlrp_x0) AS sqlrp_along, (sqlrp_x0*sqlrp_x0+sqlrp_x1*sqlrp_x1) AS sqlrp_apart
FROM (SELECT "id" AS c0, "label" AS c1, "z0" AS sqlrp_x0, "z1" AS sqlrp_x1
FROM (SELECT c0 AS "id", c1 AS "label", w0*CAST('2.82842712' AS DOUBLE PRECISION)+ok AS z0, w1*CAST('2.82842712' AS DOUBLE PRECISION)+ok AS z1
FROM (SELECT c0, c1, ok, (v2-v1) AS w0, (v0-v2) AS w1
FROM (SELECT c0, c1, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 END AS ok, CAST("a" AS DOUBLE PRECISION) AS x0, CAST("b" AS DOUBLE PRECISION) AS x1, CAST("it's c" AS DOUBLE PRECISION) AS x2, CAST("d ""quoted""" AS DOUBLE PRECISION) AS x3
FROM "shop"."images") s) s) s) s) s) s

-- ======== trino
SELECT "id", "label", "z0", "z1", CAST(CASE WHEN sqlrp_along<=3e+38 THEN sqlrp_along WHEN sqlrp_along IS NOT NULL THEN 3e+38 END AS REAL) AS sqlrp_factor, CAST(CASE WHEN sqlrp_apart<=3e+38 THEN sqlrp_apart WHEN sqlrp_apart IS NOT NULL THEN 3e+38 END AS REAL) AS sqlrp_square
FROM (SELECT c0 AS "id", c1 AS "label", floor((CASE WHEN sqlrp_x0<-127.0e0 THEN -127.0e0 WHEN sqlrp_x0<=127.0e0 THEN sqlrp_x0 WHEN sqlrp_x0 IS NOT NULL THEN 127.0e0 END+0.5e0)) AS z0, floor((CASE WHEN sqlrp_x1<-127.0e0 THEN -127.0e0 WHEN sqlrp_x1<=127.0e0 THEN sqlrp_x1 WHEN sqlrp_x1 IS NOT NULL THEN 127.0e0 END+0.5e0)) AS z1, coalesce((sqlrp_x0*sqlrp_x0+sqlrp_x1*sqlrp_x1)/NULLIF((sqlrp_x0*(floor((CASE WHEN sqlrp_x0<-127.0e0 THEN -127.0e0 WHEN sqlrp_x0<=127.0e0 THEN sqlrp_x0 WHEN sqlrp_x0 IS NOT NULL THEN 127.0e0 END+0.5e0)))+sqlrp_x1*(floor((CASE WHEN sqlrp_x1<-127.0e0 THEN -127.0e0 WHEN sqlrp_x1<=127.0e0 THEN sqlrp_x1 WHEN sqlrp_x1 IS NOT NULL THEN 127.0e0 END+0.5e0)))), 0), 0*sqlrp_x0) AS sqlrp_along, (sqlrp_x0*sqlrp_x0+sqlrp_x1*sqlrp_x1) AS sqlrp_apart
FROM (SELECT "id" AS c0, "label" AS c1, "z0" AS sqlrp_x0, "z1" AS sqlrp_x1
FROM (SELECT c0 AS "id", c1 AS "label", w0*2.82842712+ok AS z0, w1*2.82842712+ok AS z1
FROM (SELECT c0, c1, ok, (v2-v1) AS w0, (v0-v2) AS w1
FROM (SELECT c0, c1, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 END AS ok, CAST("a" AS DOUBLE) AS x0, CAST("b" AS DOUBLE) AS x1, CAST("it's c" AS DOUBLE) AS x2, CAST("d ""quoted""" AS DOUBLE) AS x3
FROM "shop"."images") s) s) s) s) s) s

-- ======== sqlserver
SELECT [id], [label], [z0], [z1], CAST(CASE WHEN sqlrp_along<=3e+38 THEN sqlrp_along WHEN sqlrp_along IS NOT NULL THEN 3e+38 END AS REAL) AS sqlrp_factor, CAST(CASE WHEN sqlrp_apart<=3e+38 THEN sqlrp_apart WHEN sqlrp_apart IS NOT NULL THEN 3e+38 END AS REAL) AS sqlrp_square
FROM (SELECT c0 AS [id], c1 AS [label], floor((CASE WHEN sqlrp_x0<-127.0e0 THEN -127.0e0 WHEN sqlrp_x0<=127.0e0 THEN sqlrp_x0 WHEN sqlrp_x0 IS NOT NULL THEN 127.0e0 END+0.5e0)) AS z0, floor((CASE WHEN sqlrp_x1<-127.0e0 THEN -127.0e0 WHEN sqlrp_x1<=127.0e0 THEN sqlrp_x1 WHEN sqlrp_x1 IS NOT NULL THEN 127.0e0 END+0.5e0)) AS z1, coalesce((sqlrp_x0*sqlrp_x0+sqlrp_x1*sqlrp_x1)/NULLIF((sqlrp_x0*(floor((CASE WHEN sqlrp_x0<-127.0e0 THEN -127.0e0 WHEN sqlrp_x0<=127.0e0 THEN sqlrp_x0 WHEN sqlrp_x0 IS NOT NULL THEN 127.0e0 END+0.5e0)))+sqlrp_x1*(floor((CASE WHEN sqlrp_x1<-127.0e0 THEN -127.0e0 WHEN sqlrp_x1<=127.0e0 THEN sqlrp_x1 WHEN sqlrp_x1 IS NOT NULL THEN 127.0e0 END+0.5e0)))), 0), 0*sqlrp_x0) AS sqlrp_along, (sqlrp_x0*sqlrp_x0+sqlrp_x1*sqlrp_x1) AS sqlrp_apart
FROM (SELECT [id] AS c0, [label] AS c1, [z0] AS sqlrp_x0, [z1] AS sqlrp_x1
FROM (SELECT c0 AS [id], c1 AS [label], w0*2.82842712+ok AS z0, w1*2.82842712+ok AS z1
FROM (SELECT c0, c1, ok, (v2-v1) AS w0, (v0-v2) AS w1
FROM (SELECT c0, c1, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2
FROM (SELECT [id] AS c0, [label] AS c1, CASE WHEN ([a] IS NOT NULL AND [b] IS NOT NULL AND [it's c] IS NOT NULL AND [d "quoted"] IS NOT NULL) THEN 0 END AS ok, CAST([a] AS FLOAT) AS x0, CAST([b] AS FLOAT) AS x1, CAST([it's c] AS FLOAT) AS x2, CAST([d "quoted"] AS FLOAT) AS x3
FROM [shop].[images]) s) s) s) s) s) s

-- ======== oracle
-- SourceError: name 'd "quoted"' holds a double quote, which oracle refuses: rename

-- ======== generic
SELECT "id", "label", "z0", "z1", CAST(CASE WHEN sqlrp_along<=3e+38 THEN sqlrp_along WHEN sqlrp_along IS NOT NULL THEN 3e+38 END AS REAL) AS sqlrp_factor, CAST(CASE WHEN sqlrp_apart<=3e+38 THEN sqlrp_apart WHEN sqlrp_apart IS NOT NULL THEN 3e+38 END AS REAL) AS sqlrp_square
FROM (SELECT c0 AS "id", c1 AS "label", floor((CASE WHEN sqlrp_x0<-127.0e0 THEN -127.0e0 WHEN sqlrp_x0<=127.0e0 THEN sqlrp_x0 WHEN sqlrp_x0 IS NOT NULL THEN 127.0e0 END+0.5e0)) AS "z0", floor((CASE WHEN sqlrp_x1<-127.0e0 THEN -127.0e0 WHEN sqlrp_x1<=127.0e0 THEN sqlrp_x1 WHEN sqlrp_x1 IS NOT NULL THEN 127.0e0 END+0.5e0)) AS "z1", coalesce((sqlrp_x0*sqlrp_x0+sqlrp_x1*sqlrp_x1)/NULLIF((sqlrp_x0*(floor((CASE WHEN sqlrp_x0<-127.0e0 THEN -127.0e0 WHEN sqlrp_x0<=127.0e0 THEN sqlrp_x0 WHEN sqlrp_x0 IS NOT NULL THEN 127.0e0 END+0.5e0)))+sqlrp_x1*(floor((CASE WHEN sqlrp_x1<-127.0e0 THEN -127.0e0 WHEN sqlrp_x1<=127.0e0 THEN sqlrp_x1 WHEN sqlrp_x1 IS NOT NULL THEN 127.0e0 END+0.5e0)))), 0), 0*sqlrp_x0) AS sqlrp_along, (sqlrp_x0*sqlrp_x0+sqlrp_x1*sqlrp_x1) AS sqlrp_apart
FROM (SELECT "id" AS c0, "label" AS c1, "z0" AS sqlrp_x0, "z1" AS sqlrp_x1
FROM (SELECT c0 AS "id", c1 AS "label", w0*2.82842712+ok AS "z0", w1*2.82842712+ok AS "z1"
FROM (SELECT c0, c1, ok, (v2-v1) AS w0, (v0-v2) AS w1
FROM (SELECT c0, c1, ok, x0+x1 AS v0, x0-x1 AS v1, x2+x3 AS v2
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 END AS ok, CAST("a" AS DOUBLE PRECISION) AS x0, CAST("b" AS DOUBLE PRECISION) AS x1, CAST("it's c" AS DOUBLE PRECISION) AS x2, CAST("d ""quoted""" AS DOUBLE PRECISION) AS x3
FROM "shop"."images") s) s) s) s) s) s
