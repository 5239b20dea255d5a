-- sqlrp.drift_sql, of three parts

-- ======== duckdb, snowflake, trino
SELECT m AS compared_rows, t AS statistic, b AS bound, CASE WHEN t > b THEN 1 WHEN t <= b THEN 0 END AS drifted
FROM (SELECT m, CASE WHEN t0/(8.67929919) >= t1/(5.9539463) AND t0/(8.67929919) >= t2/(5.9539463) THEN t0 WHEN t1/(5.9539463) >= t2/(5.9539463) THEN t1 ELSE t2 END AS t, CASE WHEN t0/(8.67929919) >= t1/(5.9539463) AND t0/(8.67929919) >= t2/(5.9539463) THEN (8.67929919) WHEN t1/(5.9539463) >= t2/(5.9539463) THEN (5.9539463) ELSE (5.9539463) END AS b
FROM (SELECT m, CASE WHEN m > 4 THEN (m*(90.0e0)/(m + (90.0e0)))*(w0*w0+w1*w1) END AS t0, CASE WHEN m > 4 THEN (m*(90.0e0)/(m + (90.0e0)))*w2*w2 END AS t1, CASE WHEN m > 4 THEN (m*(90.0e0)/(m + (90.0e0)))*w3*w3 END AS t2
FROM (SELECT m, (0.994428926)*a0 AS w0, (0.497214463)*a1 AS w1, (1.98885785)*a2 AS w2, (0.994428926)*a3 AS w3
FROM (SELECT m, (s0/m - (0.5e0)) AS a0, (s1/m - (20.0e0)) AS a1, (s2/m - (-3.0e0)) AS a2, (s3/m - (0.25e0)) AS a3
FROM (SELECT count(*) AS m, sum(x0) AS s0, sum(x1) AS s1, sum(x2) AS s2, sum(x3) AS s3
FROM (SELECT (CAST(z0 AS DOUBLE)) AS x0, (CAST(z1 AS DOUBLE)) AS x1, (CAST(z2 AS DOUBLE)) AS x2, (CAST(z3 AS DOUBLE)) AS x3
FROM (SELECT c0 AS "id", c1 AS "label", w0+ok AS z0, w1 AS z1, (w0*w0+w1*w1) AS z2, w0*w0 AS z3
FROM (SELECT c0, c1, ok, v0 AS w0, v1 AS w1
FROM (SELECT c0, c1, ok, x0+x1 AS v0, x0-x1 AS v1
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 END AS ok, (CAST("it's c" AS DOUBLE)-CAST("a" AS DOUBLE)) AS x0, (CAST("b" AS DOUBLE)-CAST("d ""quoted""" AS DOUBLE)) AS x1
FROM "shop"."images") s) s) s) q WHERE z0 IS NOT NULL) s) s) s) s) s) s

-- ======== postgresql
SELECT m AS compared_rows, t AS statistic, b AS bound, CASE WHEN t > b THEN 1 WHEN t <= b THEN 0 END AS drifted
FROM (SELECT m, CASE WHEN t0/(CAST('8.67929919' AS double precision)) >= t1/(CAST('5.9539463' AS double precision)) AND t0/(CAST('8.67929919' AS double precision)) >= t2/(CAST('5.9539463' AS double precision)) THEN t0 WHEN t1/(CAST('5.9539463' AS double precision)) >= t2/(CAST('5.9539463' AS double precision)) THEN t1 ELSE t2 END AS t, CASE WHEN t0/(CAST('8.67929919' AS double precision)) >= t1/(CAST('5.9539463' AS double precision)) AND t0/(CAST('8.67929919' AS double precision)) >= t2/(CAST('5.9539463' AS double precision)) THEN (CAST('8.67929919' AS double precision)) WHEN t1/(CAST('5.9539463' AS double precision)) >= t2/(CAST('5.9539463' AS double precision)) THEN (CAST('5.9539463' AS double precision)) ELSE (CAST('5.9539463' AS double precision)) END AS b
FROM (SELECT m, CASE WHEN m > 4 THEN (m*(CAST('90.0' AS double precision))/(m + (CAST('90.0' AS double precision))))*(w0*w0+w1*w1) END AS t0, CASE WHEN m > 4 THEN (m*(CAST('90.0' AS double precision))/(m + (CAST('90.0' AS double precision))))*w2*w2 END AS t1, CASE WHEN m > 4 THEN (m*(CAST('90.0' AS double precision))/(m + (CAST('90.0' AS double precision))))*w3*w3 END AS t2
FROM (SELECT m, (CAST('0.994428926' AS double precision))*a0 AS w0, (CAST('0.497214463' AS double precision))*a1 AS w1, (CAST('1.98885785' AS double precision))*a2 AS w2, (CAST('0.994428926' AS double precision))*a3 AS w3
FROM (SELECT m, (s0/m - (CAST('0.5' AS double precision))) AS a0, (s1/m - (CAST('20.0' AS double precision))) AS a1, (s2/m - (CAST('-3.0' AS double precision))) AS a2, (s3/m - (CAST('0.25' AS double precision))) AS a3
FROM (SELECT count(*) AS m, sum(x0) AS s0, sum(x1) AS s1, sum(x2) AS s2, sum(x3) AS s3
FROM (SELECT (CAST(z0 AS double precision)) AS x0, (CAST(z1 AS double precision)) AS x1, (CAST(z2 AS double precision)) AS x2, (CAST(z3 AS double precision)) AS x3
FROM (SELECT c0 AS "id", c1 AS "label", w0+ok AS z0, w1 AS z1, (w0*w0+w1*w1) AS z2, w0*w0 AS z3
FROM (SELECT c0, c1, ok, v0 AS w0, v1 AS w1
FROM (SELECT c0, c1, ok, x0+x1 AS v0, x0-x1 AS v1
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 END AS ok, (CAST("it's c" AS double precision)-CAST("a" AS double precision)) AS x0, (CAST("b" AS double precision)-CAST("d ""quoted""" AS double precision)) AS x1
FROM "shop"."images" OFFSET '0') s OFFSET '0') s OFFSET '0') s OFFSET '0') q WHERE z0 IS NOT NULL OFFSET '0') s OFFSET '0') s OFFSET '0') s OFFSET '0') s OFFSET '0') s OFFSET '0') s

-- ======== sqlite
SELECT m AS compared_rows, t AS statistic, b AS bound, CASE WHEN t > b THEN 1 WHEN t <= b THEN 0 END AS drifted
FROM (SELECT m, CASE WHEN t0/(8.67929919) >= t1/(5.9539463) AND t0/(8.67929919) >= t2/(5.9539463) THEN t0 WHEN t1/(5.9539463) >= t2/(5.9539463) THEN t1 ELSE t2 END AS t, CASE WHEN t0/(8.67929919) >= t1/(5.9539463) AND t0/(8.67929919) >= t2/(5.9539463) THEN (8.67929919) WHEN t1/(5.9539463) >= t2/(5.9539463) THEN (5.9539463) ELSE (5.9539463) END AS b
FROM (SELECT m, CASE WHEN m > 4 THEN (m*(90.0e0)/(m + (90.0e0)))*(w0*w0+w1*w1) END AS t0, CASE WHEN m > 4 THEN (m*(90.0e0)/(m + (90.0e0)))*w2*w2 END AS t1, CASE WHEN m > 4 THEN (m*(90.0e0)/(m + (90.0e0)))*w3*w3 END AS t2
FROM (SELECT m, (0.994428926)*a0 AS w0, (0.497214463)*a1 AS w1, (1.98885785)*a2 AS w2, (0.994428926)*a3 AS w3
FROM (SELECT m, (s0/m - (0.5e0)) AS a0, (s1/m - (20.0e0)) AS a1, (s2/m - (-3.0e0)) AS a2, (s3/m - (0.25e0)) AS a3
FROM (SELECT count(*) AS m, sum(x0) AS s0, sum(x1) AS s1, sum(x2) AS s2, sum(x3) AS s3
FROM (SELECT (CAST(z0 AS REAL)) AS x0, (CAST(z1 AS REAL)) AS x1, (CAST(z2 AS REAL)) AS x2, (CAST(z3 AS REAL)) AS x3
FROM (SELECT c0 AS `id`, c1 AS `label`, w0+ok AS z0, w1 AS z1, (w0*w0+w1*w1) AS z2, w0*w0 AS z3
FROM (SELECT c0, c1, ok, v0 AS w0, v1 AS w1
FROM (SELECT c0, c1, ok, x0+x1 AS v0, x0-x1 AS v1
FROM (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 END AS ok, (CASE WHEN `it's c` >= '' THEN json_type('{}', 'sqlrp: a feature in `it''s c` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`it's c` AS REAL) END-CASE WHEN `a` >= '' THEN json_type('{}', 'sqlrp: a feature in `a` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`a` AS REAL) END) AS x0, (CASE WHEN `b` >= '' THEN json_type('{}', 'sqlrp: a feature in `b` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`b` AS REAL) END-CASE WHEN `d "quoted"` >= '' THEN json_type('{}', 'sqlrp: a feature in `d "quoted"` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`d "quoted"` AS REAL) END) AS x1
FROM `shop`.`images` LIMIT -1 OFFSET 0) s LIMIT -1 OFFSET 0) s LIMIT -1 OFFSET 0) s LIMIT -1 OFFSET 0) q WHERE z0 IS NOT NULL LIMIT -1 OFFSET 0) s LIMIT -1 OFFSET 0) s LIMIT -1 OFFSET 0) s LIMIT -1 OFFSET 0) s LIMIT -1 OFFSET 0) s LIMIT -1 OFFSET 0) s

-- ======== mariadb, mysql
SELECT m AS compared_rows, t AS statistic, b AS bound, CASE WHEN t > b THEN 1 WHEN t <= b THEN 0 END AS drifted
FROM (SELECT m, CASE WHEN t0/(8.67929919) >= t1/(5.9539463) AND t0/(8.67929919) >= t2/(5.9539463) THEN t0 WHEN t1/(5.9539463) >= t2/(5.9539463) THEN t1 ELSE t2 END AS t, CASE WHEN t0/(8.67929919) >= t1/(5.9539463) AND t0/(8.67929919) >= t2/(5.9539463) THEN (8.67929919) WHEN t1/(5.9539463) >= t2/(5.9539463) THEN (5.9539463) ELSE (5.9539463) END AS b
FROM (SELECT m, CASE WHEN m > 4 THEN (m*(90.0e0)/(m + (90.0e0)))*(w0*w0+w1*w1) END AS t0, CASE WHEN m > 4 THEN (m*(90.0e0)/(m + (90.0e0)))*w2*w2 END AS t1, CASE WHEN m > 4 THEN (m*(90.0e0)/(m + (90.0e0)))*w3*w3 END AS t2
FROM (SELECT m, (0.994428926)*a0 AS w0, (0.497214463)*a1 AS w1, (1.98885785)*a2 AS w2, (0.994428926)*a3 AS w3
FROM (SELECT m, (s0/m - (0.5e0)) AS a0, (s1/m - (20.0e0)) AS a1, (s2/m - (-3.0e0)) AS a2, (s3/m - (0.25e0)) AS a3
FROM (SELECT count(*) AS m, sum(x0) AS s0, sum(x1) AS s1, sum(x2) AS s2, sum(x3) AS s3
FROM (SELECT (CAST(z0 AS DOUBLE)) AS x0, (CAST(z1 AS DOUBLE)) AS x1, (CAST(z2 AS DOUBLE)) AS x2, (CAST(z3 AS DOUBLE)) AS x3
FROM (SELECT c0 AS `id`, c1 AS `label`, w0+ok AS z0, w1 AS z1, (w0*w0+w1*w1) AS z2, w0*w0 AS z3
FROM (SELECT c0, c1, ok, v0 AS w0, v1 AS w1
FROM (SELECT c0, c1, ok, x0+x1 AS v0, x0-x1 AS v1
FROM (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 END AS ok, (CAST(`it's c` AS DOUBLE)-CAST(`a` AS DOUBLE)) AS x0, (CAST(`b` AS DOUBLE)-CAST(`d "quoted"` AS DOUBLE)) AS x1
FROM `shop`.`images` LIMIT 18446744073709551615) s LIMIT 18446744073709551615) s LIMIT 18446744073709551615) s LIMIT 18446744073709551615) q WHERE z0 IS NOT NULL LIMIT 18446744073709551615) s LIMIT 18446744073709551615) s LIMIT 18446744073709551615) s LIMIT 18446744073709551615) s LIMIT 18446744073709551615) s LIMIT 18446744073709551615) s

-- ======== clickhouse
SELECT m AS compared_rows, t AS statistic, b AS bound, CASE WHEN t > b THEN 1 WHEN t <= b THEN 0 END AS drifted
FROM (SELECT m, CASE WHEN t0/(8.67929919) >= t1/(5.9539463) AND t0/(8.67929919) >= t2/(5.9539463) THEN t0 WHEN t1/(5.9539463) >= t2/(5.9539463) THEN t1 ELSE t2 END AS t, CASE WHEN t0/(8.67929919) >= t1/(5.9539463) AND t0/(8.67929919) >= t2/(5.9539463) THEN (8.67929919) WHEN t1/(5.9539463) >= t2/(5.9539463) THEN (5.9539463) ELSE (5.9539463) END AS b
FROM (SELECT m, CASE WHEN m > 4 THEN (m*(90.0e0)/(m + (90.0e0)))*(w0*w0+w1*w1) END AS t0, CASE WHEN m > 4 THEN (m*(90.0e0)/(m + (90.0e0)))*w2*w2 END AS t1, CASE WHEN m > 4 THEN (m*(90.0e0)/(m + (90.0e0)))*w3*w3 END AS t2
FROM (SELECT m, (0.994428926)*a0 AS w0, (0.497214463)*a1 AS w1, (1.98885785)*a2 AS w2, (0.994428926)*a3 AS w3
FROM (SELECT m, (s0/m - (0.5e0)) AS a0, (s1/m - (20.0e0)) AS a1, (s2/m - (-3.0e0)) AS a2, (s3/m - (0.25e0)) AS a3
FROM (SELECT count(*) AS m, sum(x0) AS s0, sum(x1) AS s1, sum(x2) AS s2, sum(x3) AS s3
FROM (SELECT (CAST(z0 AS Float64)) AS x0, (CAST(z1 AS Float64)) AS x1, (CAST(z2 AS Float64)) AS x2, (CAST(z3 AS Float64)) AS x3
FROM (SELECT c0 AS `id`, c1 AS `label`, w0+ok AS z0, w1 AS z1, (w0*w0+w1*w1) AS z2, w0*w0 AS z3
FROM (SELECT c0, c1, ok, v0 AS w0, v1 AS w1
FROM (SELECT c0, c1, ok, x0+x1 AS v0, x0-x1 AS v1
FROM (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 END AS ok, (CAST(`it's c` AS Float64)-CAST(`a` AS Float64)) AS x0, (CAST(`b` AS Float64)-CAST(`d "quoted"` AS Float64)) AS x1
FROM `shop`.`images`) s) s) s) q WHERE z0 IS NOT NULL) s) s) s) s) s) s
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760

-- ======== spark, databricks
SELECT m AS compared_rows, t AS statistic, b AS bound, CASE WHEN t > b THEN 1 WHEN t <= b THEN 0 END AS drifted
FROM (SELECT m, CASE WHEN t0/(8.67929919) >= t1/(5.9539463) AND t0/(8.67929919) >= t2/(5.9539463) THEN t0 WHEN t1/(5.9539463) >= t2/(5.9539463) THEN t1 ELSE t2 END AS t, CASE WHEN t0/(8.67929919) >= t1/(5.9539463) AND t0/(8.67929919) >= t2/(5.9539463) THEN (8.67929919) WHEN t1/(5.9539463) >= t2/(5.9539463) THEN (5.9539463) ELSE (5.9539463) END AS b
FROM (SELECT m, CASE WHEN m > 4 THEN (m*(90.0e0)/(m + (90.0e0)))*(w0*w0+w1*w1) END AS t0, CASE WHEN m > 4 THEN (m*(90.0e0)/(m + (90.0e0)))*w2*w2 END AS t1, CASE WHEN m > 4 THEN (m*(90.0e0)/(m + (90.0e0)))*w3*w3 END AS t2
FROM (SELECT m, (0.994428926)*a0 AS w0, (0.497214463)*a1 AS w1, (1.98885785)*a2 AS w2, (0.994428926)*a3 AS w3
FROM (SELECT m, (s0/m - (0.5e0)) AS a0, (s1/m - (20.0e0)) AS a1, (s2/m - (-3.0e0)) AS a2, (s3/m - (0.25e0)) AS a3
FROM (SELECT count(*) AS m, sum(x0) AS s0, sum(x1) AS s1, sum(x2) AS s2, sum(x3) AS s3
FROM (SELECT (CAST(z0 AS DOUBLE)) AS x0, (CAST(z1 AS DOUBLE)) AS x1, (CAST(z2 AS DOUBLE)) AS x2, (CAST(z3 AS DOUBLE)) AS x3
FROM (SELECT c0 AS `id`, c1 AS `label`, u0+ok AS z0, u1 AS z1, (u0*u0+u1*u1) AS z2, u0*u0 AS z3
FROM (SELECT c0, c1, ok, w0 AS u0, w1 AS u1
FROM (SELECT c0, c1, ok, v0+v1 AS w0, v0-v1 AS w1
FROM (SELECT c0, c1, ok, (x2-x0) AS v0, (x1-x3) AS v1
FROM (SELECT `id` AS c0, `label` AS c1, CAST(`a` AS DOUBLE) AS x0, CAST(`b` AS DOUBLE) AS x1, CAST(`it's c` AS DOUBLE) AS x2, CAST(`d "quoted"` AS DOUBLE) AS x3, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 END AS ok
FROM `shop`.`images`) s) s) s) s) q WHERE z0 IS NOT NULL) s) s) s) s) s) s

-- ======== bigquery
SELECT m AS compared_rows, t AS statistic, b AS bound, CASE WHEN t > b THEN 1 WHEN t <= b THEN 0 END AS drifted
FROM (SELECT m, CASE WHEN t0/(8.67929919) >= t1/(5.9539463) AND t0/(8.67929919) >= t2/(5.9539463) THEN t0 WHEN t1/(5.9539463) >= t2/(5.9539463) THEN t1 ELSE t2 END AS t, CASE WHEN t0/(8.67929919) >= t1/(5.9539463) AND t0/(8.67929919) >= t2/(5.9539463) THEN (8.67929919) WHEN t1/(5.9539463) >= t2/(5.9539463) THEN (5.9539463) ELSE (5.9539463) END AS b
FROM (SELECT m, CASE WHEN m > 4 THEN (m*(90.0e0)/(m + (90.0e0)))*(w0*w0+w1*w1) END AS t0, CASE WHEN m > 4 THEN (m*(90.0e0)/(m + (90.0e0)))*w2*w2 END AS t1, CASE WHEN m > 4 THEN (m*(90.0e0)/(m + (90.0e0)))*w3*w3 END AS t2
FROM (SELECT m, (0.994428926)*a0 AS w0, (0.497214463)*a1 AS w1, (1.98885785)*a2 AS w2, (0.994428926)*a3 AS w3
FROM (SELECT m, (s0/m - (0.5e0)) AS a0, (s1/m - (20.0e0)) AS a1, (s2/m - (-3.0e0)) AS a2, (s3/m - (0.25e0)) AS a3
FROM (SELECT count(*) AS m, sum(x0) AS s0, sum(x1) AS s1, sum(x2) AS s2, sum(x3) AS s3
FROM (SELECT (CAST(z0 AS FLOAT64)) AS x0, (CAST(z1 AS FLOAT64)) AS x1, (CAST(z2 AS FLOAT64)) AS x2, (CAST(z3 AS FLOAT64)) AS x3
FROM (SELECT c0 AS `id`, c1 AS `label`, w0+ok AS z0, w1 AS z1, (w0*w0+w1*w1) AS z2, w0*w0 AS z3
FROM (SELECT c0, c1, ok, v0 AS w0, v1 AS w1
FROM (SELECT c0, c1, ok, x0+x1 AS v0, x0-x1 AS v1
FROM (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 END AS ok, (CAST(`it's c` AS FLOAT64)-CAST(`a` AS FLOAT64)) AS x0, (CAST(`b` AS FLOAT64)-CAST(`d "quoted"` AS FLOAT64)) AS x1
FROM `shop`.`images`) s) s) s) q WHERE z0 IS NOT NULL) s) s) s) s) s) s

-- ======== redshift
SELECT m AS compared_rows, t AS statistic, b AS bound, CASE WHEN t > b THEN 1 WHEN t <= b THEN 0 END AS drifted
FROM (SELECT m, CASE WHEN t0/(CAST('8.67929919' AS DOUBLE PRECISION)) >= t1/(CAST('5.9539463' AS DOUBLE PRECISION)) AND t0/(CAST('8.67929919' AS DOUBLE PRECISION)) >= t2/(CAST('5.9539463' AS DOUBLE PRECISION)) THEN t0 WHEN t1/(CAST('5.9539463' AS DOUBLE PRECISION)) >= t2/(CAST('5.9539463' AS DOUBLE PRECISION)) THEN t1 ELSE t2 END AS t, CASE WHEN t0/(CAST('8.67929919' AS DOUBLE PRECISION)) >= t1/(CAST('5.9539463' AS DOUBLE PRECISION)) AND t0/(CAST('8.67929919' AS DOUBLE PRECISION)) >= t2/(CAST('5.9539463' AS DOUBLE PRECISION)) THEN (CAST('8.67929919' AS DOUBLE PRECISION)) WHEN t1/(CAST('5.9539463' AS DOUBLE PRECISION)) >= t2/(CAST('5.9539463' AS DOUBLE PRECISION)) THEN (CAST('5.9539463' AS DOUBLE PRECISION)) ELSE (CAST('5.9539463' AS DOUBLE PRECISION)) END AS b
FROM (SELECT m, CASE WHEN m > 4 THEN (m*(CAST('90.0' AS DOUBLE PRECISION))/(m + (CAST('90.0' AS DOUBLE PRECISION))))*(w0*w0+w1*w1) END AS t0, CASE WHEN m > 4 THEN (m*(CAST('90.0' AS DOUBLE PRECISION))/(m + (CAST('90.0' AS DOUBLE PRECISION))))*w2*w2 END AS t1, CASE WHEN m > 4 THEN (m*(CAST('90.0' AS DOUBLE PRECISION))/(m + (CAST('90.0' AS DOUBLE PRECISION))))*w3*w3 END AS t2
FROM (SELECT m, (CAST('0.994428926' AS DOUBLE PRECISION))*a0 AS w0, (CAST('0.497214463' AS DOUBLE PRECISION))*a1 AS w1, (CAST('1.98885785' AS DOUBLE PRECISION))*a2 AS w2, (CAST('0.994428926' AS DOUBLE PRECISION))*a3 AS w3
FROM (SELECT m, (s0/m - (CAST('0.5' AS DOUBLE PRECISION))) AS a0, (s1/m - (CAST('20.0' AS DOUBLE PRECISION))) AS a1, (s2/m - (CAST('-3.0' AS DOUBLE PRECISION))) AS a2, (s3/m - (CAST('0.25' AS DOUBLE PRECISION))) AS a3
FROM (SELECT count(*) AS m, sum(x0) AS s0, sum(x1) AS s1, sum(x2) AS s2, sum(x3) AS s3
FROM (SELECT (CAST(z0 AS DOUBLE PRECISION)) AS x0, (CAST(z1 AS DOUBLE PRECISION)) AS x1, (CAST(z2 AS DOUBLE PRECISION)) AS x2, (CAST(z3 AS DOUBLE PRECISION)) AS x3
FROM (SELECT c0 AS "id", c1 AS "label", w0+ok AS z0, w1 AS z1, (w0*w0+w1*w1) AS z2, w0*w0 AS z3
FROM (SELECT c0, c1, ok, v0 AS w0, v1 AS w1
FROM (SELECT c0, c1, ok, x0+x1 AS v0, x0-x1 AS v1
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 END AS ok, (CAST("it's c" AS DOUBLE PRECISION)-CAST("a" AS DOUBLE PRECISION)) AS x0, (CAST("b" AS DOUBLE PRECISION)-CAST("d ""quoted""" AS DOUBLE PRECISION)) AS x1
FROM "shop"."images") s) s) s) q WHERE z0 IS NOT NULL) s) s) s) s) s) s

-- ======== sqlserver
SELECT m AS compared_rows, t AS statistic, b AS bound, CASE WHEN t > b THEN 1 WHEN t <= b THEN 0 END AS drifted
FROM (SELECT m, CASE WHEN t0/(8.67929919) >= t1/(5.9539463) AND t0/(8.67929919) >= t2/(5.9539463) THEN t0 WHEN t1/(5.9539463) >= t2/(5.9539463) THEN t1 ELSE t2 END AS t, CASE WHEN t0/(8.67929919) >= t1/(5.9539463) AND t0/(8.67929919) >= t2/(5.9539463) THEN (8.67929919) WHEN t1/(5.9539463) >= t2/(5.9539463) THEN (5.9539463) ELSE (5.9539463) END AS b
FROM (SELECT m, CASE WHEN m > 4 THEN (m*(90.0e0)/(m + (90.0e0)))*(w0*w0+w1*w1) END AS t0, CASE WHEN m > 4 THEN (m*(90.0e0)/(m + (90.0e0)))*w2*w2 END AS t1, CASE WHEN m > 4 THEN (m*(90.0e0)/(m + (90.0e0)))*w3*w3 END AS t2
FROM (SELECT m, (0.994428926)*a0 AS w0, (0.497214463)*a1 AS w1, (1.98885785)*a2 AS w2, (0.994428926)*a3 AS w3
FROM (SELECT m, (s0/m - (0.5e0)) AS a0, (s1/m - (20.0e0)) AS a1, (s2/m - (-3.0e0)) AS a2, (s3/m - (0.25e0)) AS a3
FROM (SELECT count(*) AS m, sum(x0) AS s0, sum(x1) AS s1, sum(x2) AS s2, sum(x3) AS s3
FROM (SELECT (CAST(z0 AS FLOAT)) AS x0, (CAST(z1 AS FLOAT)) AS x1, (CAST(z2 AS FLOAT)) AS x2, (CAST(z3 AS FLOAT)) AS x3
FROM (SELECT c0 AS [id], c1 AS [label], w0+ok AS z0, w1 AS z1, (w0*w0+w1*w1) AS z2, w0*w0 AS z3
FROM (SELECT c0, c1, ok, v0 AS w0, v1 AS w1
FROM (SELECT c0, c1, ok, x0+x1 AS v0, x0-x1 AS v1
FROM (SELECT [id] AS c0, [label] AS c1, CASE WHEN ([a] IS NOT NULL AND [b] IS NOT NULL AND [it's c] IS NOT NULL AND [d "quoted"] IS NOT NULL) THEN 0 END AS ok, (CAST([it's c] AS FLOAT)-CAST([a] AS FLOAT)) AS x0, (CAST([b] AS FLOAT)-CAST([d "quoted"] AS FLOAT)) AS x1
FROM [shop].[images]) s) s) s) q WHERE z0 IS NOT NULL) s) s) s) s) s) s

-- ======== oracle
-- SourceError: name 'd "quoted"' holds a double quote, which oracle refuses: rename

-- ======== generic
SELECT m AS compared_rows, t AS statistic, b AS bound, CASE WHEN t > b THEN 1 WHEN t <= b THEN 0 END AS drifted
FROM (SELECT m, CASE WHEN t0/(8.67929919) >= t1/(5.9539463) AND t0/(8.67929919) >= t2/(5.9539463) THEN t0 WHEN t1/(5.9539463) >= t2/(5.9539463) THEN t1 ELSE t2 END AS t, CASE WHEN t0/(8.67929919) >= t1/(5.9539463) AND t0/(8.67929919) >= t2/(5.9539463) THEN (8.67929919) WHEN t1/(5.9539463) >= t2/(5.9539463) THEN (5.9539463) ELSE (5.9539463) END AS b
FROM (SELECT m, CASE WHEN m > 4 THEN (m*(90.0e0)/(m + (90.0e0)))*(w0*w0+w1*w1) END AS t0, CASE WHEN m > 4 THEN (m*(90.0e0)/(m + (90.0e0)))*w2*w2 END AS t1, CASE WHEN m > 4 THEN (m*(90.0e0)/(m + (90.0e0)))*w3*w3 END AS t2
FROM (SELECT m, (0.994428926)*a0 AS w0, (0.497214463)*a1 AS w1, (1.98885785)*a2 AS w2, (0.994428926)*a3 AS w3
FROM (SELECT m, (s0/m - (0.5e0)) AS a0, (s1/m - (20.0e0)) AS a1, (s2/m - (-3.0e0)) AS a2, (s3/m - (0.25e0)) AS a3
FROM (SELECT count(*) AS m, sum(x0) AS s0, sum(x1) AS s1, sum(x2) AS s2, sum(x3) AS s3
FROM (SELECT (CAST("z0" AS DOUBLE PRECISION)) AS x0, (CAST("z1" AS DOUBLE PRECISION)) AS x1, (CAST("z2" AS DOUBLE PRECISION)) AS x2, (CAST("z3" AS DOUBLE PRECISION)) AS x3
FROM (SELECT c0 AS "id", c1 AS "label", w0+ok AS "z0", w1 AS "z1", (w0*w0+w1*w1) AS "z2", w0*w0 AS "z3"
FROM (SELECT c0, c1, ok, v0 AS w0, v1 AS w1
FROM (SELECT c0, c1, ok, x0+x1 AS v0, x0-x1 AS v1
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 END AS ok, (CAST("it's c" AS DOUBLE PRECISION)-CAST("a" AS DOUBLE PRECISION)) AS x0, (CAST("b" AS DOUBLE PRECISION)-CAST("d ""quoted""" AS DOUBLE PRECISION)) AS x1
FROM "shop"."images") s) s) s) q WHERE "z0" IS NOT NULL) s) s) s) s) s) s
