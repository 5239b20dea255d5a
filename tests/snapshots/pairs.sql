-- sqlrp.pairs_sql

-- ======== duckdb
WITH sqlrp_hashed AS (SELECT c0 AS "id", c1 AS "label", n AS band, b0 AS bucket
FROM (SELECT "id" AS c0, "label" AS c1, (CASE WHEN z0 >= 0 THEN CAST(1 AS BIGINT) WHEN z0 < 0 THEN CAST(0 AS BIGINT) END+CASE WHEN z1 >= 0 THEN CAST(2 AS BIGINT) WHEN z1 < 0 THEN CAST(0 AS BIGINT) END+CASE WHEN z2 >= 0 THEN CAST(4 AS BIGINT) WHEN z2 < 0 THEN CAST(0 AS BIGINT) END) AS b0
FROM (SELECT c0 AS "id", c1 AS "label", -(x1+x2+x3)+ok AS z0, (x0+x1)+ok AS z1, -x1+ok AS z2
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 END AS ok, CAST("a" AS DOUBLE) AS x0, CAST("b" AS DOUBLE) AS x1, CAST("it's c" AS DOUBLE) AS x2, CAST("d ""quoted""" AS DOUBLE) AS x3
FROM "shop"."images") s) q) s CROSS JOIN (SELECT CAST(range AS BIGINT) AS n FROM range(1)) counted)
SELECT a, b, distance FROM (SELECT c.a AS a, c.b AS b, 1-coalesce(((sqlrp_u0*sqlrp_v0+sqlrp_u1*sqlrp_v1+sqlrp_u2*sqlrp_v2+sqlrp_u3*sqlrp_v3))/NULLIF(sqrt((sqlrp_u0*sqlrp_u0+sqlrp_u1*sqlrp_u1+sqlrp_u2*sqlrp_u2+sqlrp_u3*sqlrp_u3))*sqrt((sqlrp_v0*sqlrp_v0+sqlrp_v1*sqlrp_v1+sqlrp_v2*sqlrp_v2+sqlrp_v3*sqlrp_v3)), 0), 0.0e0) AS distance
FROM (SELECT DISTINCT h."id" AS a, g."id" AS b FROM sqlrp_hashed h JOIN sqlrp_hashed g ON h.band = g.band AND h.bucket = g.bucket
WHERE h."id" < g."id") c JOIN (SELECT "id" AS sqlrp_ukey, CAST("a" AS DOUBLE) AS sqlrp_u0, CAST("b" AS DOUBLE) AS sqlrp_u1, CAST("it's c" AS DOUBLE) AS sqlrp_u2, CAST("d ""quoted""" AS DOUBLE) AS sqlrp_u3
FROM "shop"."images") u ON u.sqlrp_ukey = c.a JOIN (SELECT "id" AS sqlrp_vkey, CAST("a" AS DOUBLE) AS sqlrp_v0, CAST("b" AS DOUBLE) AS sqlrp_v1, CAST("it's c" AS DOUBLE) AS sqlrp_v2, CAST("d ""quoted""" AS DOUBLE) AS sqlrp_v3
FROM "shop"."images") v ON v.sqlrp_vkey = c.b) sqlrp_found
WHERE distance <= 0.1

-- ======== postgresql
WITH sqlrp_hashed AS (SELECT c0 AS "id", c1 AS "label", n AS band, b0 AS bucket
FROM (SELECT "id" AS c0, "label" AS c1, (CASE WHEN z0 >= 0 THEN CAST(1 AS bigint) WHEN z0 < 0 THEN CAST(0 AS bigint) END+CASE WHEN z1 >= 0 THEN CAST(2 AS bigint) WHEN z1 < 0 THEN CAST(0 AS bigint) END+CASE WHEN z2 >= 0 THEN CAST(4 AS bigint) WHEN z2 < 0 THEN CAST(0 AS bigint) END) AS b0
FROM (SELECT c0 AS "id", c1 AS "label", -(x1+x2+x3)+ok AS z0, (x0+x1)+ok AS z1, -x1+ok AS z2
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 END AS ok, CAST("a" AS double precision) AS x0, CAST("b" AS double precision) AS x1, CAST("it's c" AS double precision) AS x2, CAST("d ""quoted""" AS double precision) AS x3
FROM "shop"."images" OFFSET '0') s) q OFFSET '0') s CROSS JOIN (SELECT n FROM generate_series(CAST(0 AS bigint), 0) g(n)) counted)
SELECT a, b, distance FROM (SELECT c.a AS a, c.b AS b, 1-coalesce(((sqlrp_u0*sqlrp_v0+sqlrp_u1*sqlrp_v1+sqlrp_u2*sqlrp_v2+sqlrp_u3*sqlrp_v3))/NULLIF(sqrt((CASE WHEN abs(sqlrp_u0)<CAST('1e-150' AS double precision) THEN 0 WHEN abs(sqlrp_u0)<CAST('1e+150' AS double precision) THEN CAST(sqlrp_u0 AS double precision)*sqlrp_u0 ELSE abs(sqlrp_u0)*CAST('inf' AS double precision) END+CASE WHEN abs(sqlrp_u1)<CAST('1e-150' AS double precision) THEN 0 WHEN abs(sqlrp_u1)<CAST('1e+150' AS double precision) THEN CAST(sqlrp_u1 AS double precision)*sqlrp_u1 ELSE abs(sqlrp_u1)*CAST('inf' AS double precision) END+CASE WHEN abs(sqlrp_u2)<CAST('1e-150' AS double precision) THEN 0 WHEN abs(sqlrp_u2)<CAST('1e+150' AS double precision) THEN CAST(sqlrp_u2 AS double precision)*sqlrp_u2 ELSE abs(sqlrp_u2)*CAST('inf' AS double precision) END+CASE WHEN abs(sqlrp_u3)<CAST('1e-150' AS double precision) THEN 0 WHEN abs(sqlrp_u3)<CAST('1e+150' AS double precision) THEN CAST(sqlrp_u3 AS double precision)*sqlrp_u3 ELSE abs(sqlrp_u3)*CAST('inf' AS double precision) END))*sqrt((CASE WHEN abs(sqlrp_v0)<CAST('1e-150' AS double precision) THEN 0 WHEN abs(sqlrp_v0)<CAST('1e+150' AS double precision) THEN CAST(sqlrp_v0 AS double precision)*sqlrp_v0 ELSE abs(sqlrp_v0)*CAST('inf' AS double precision) END+CASE WHEN abs(sqlrp_v1)<CAST('1e-150' AS double precision) THEN 0 WHEN abs(sqlrp_v1)<CAST('1e+150' AS double precision) THEN CAST(sqlrp_v1 AS double precision)*sqlrp_v1 ELSE abs(sqlrp_v1)*CAST('inf' AS double precision) END+CASE WHEN abs(sqlrp_v2)<CAST('1e-150' AS double precision) THEN 0 WHEN abs(sqlrp_v2)<CAST('1e+150' AS double precision) THEN CAST(sqlrp_v2 AS double precision)*sqlrp_v2 ELSE abs(sqlrp_v2)*CAST('inf' AS double precision) END+CASE WHEN abs(sqlrp_v3)<CAST('1e-150' AS double precision) THEN 0 WHEN abs(sqlrp_v3)<CAST('1e+150' AS double precision) THEN CAST(sqlrp_v3 AS double precision)*sqlrp_v3 ELSE abs(sqlrp_v3)*CAST('inf' AS double precision) END)), 0), CAST('0.0' AS double precision)) AS distance
FROM (SELECT DISTINCT h."id" AS a, g."id" AS b FROM sqlrp_hashed h JOIN sqlrp_hashed g ON h.band = g.band AND h.bucket = g.bucket
WHERE h."id" < g."id") c JOIN (SELECT "id" AS sqlrp_ukey, CAST("a" AS double precision) AS sqlrp_u0, CAST("b" AS double precision) AS sqlrp_u1, CAST("it's c" AS double precision) AS sqlrp_u2, CAST("d ""quoted""" AS double precision) AS sqlrp_u3
FROM "shop"."images") u ON u.sqlrp_ukey = c.a JOIN (SELECT "id" AS sqlrp_vkey, CAST("a" AS double precision) AS sqlrp_v0, CAST("b" AS double precision) AS sqlrp_v1, CAST("it's c" AS double precision) AS sqlrp_v2, CAST("d ""quoted""" AS double precision) AS sqlrp_v3
FROM "shop"."images") v ON v.sqlrp_vkey = c.b) sqlrp_found
WHERE distance <= CAST('0.1' AS double precision)

-- ======== sqlite
WITH sqlrp_hashed AS (SELECT c0 AS `id`, c1 AS `label`, n AS band, b0 AS bucket
FROM (SELECT `id` AS c0, `label` AS c1, (CASE WHEN z0 >= 0 THEN 1 WHEN z0 < 0 THEN 0 END+CASE WHEN z1 >= 0 THEN 2 WHEN z1 < 0 THEN 0 END+CASE WHEN z2 >= 0 THEN 4 WHEN z2 < 0 THEN 0 END) AS b0
FROM (SELECT c0 AS `id`, c1 AS `label`, -(x1+x2+x3)+ok AS z0, (x0+x1)+ok AS z1, -x1+ok AS z2
FROM (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 END AS ok, CASE WHEN `a` >= '' THEN json_type('{}', 'sqlrp: a feature in `a` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`a` AS REAL) END AS x0, CASE WHEN `b` >= '' THEN json_type('{}', 'sqlrp: a feature in `b` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`b` AS REAL) END AS x1, CASE WHEN `it's c` >= '' THEN json_type('{}', 'sqlrp: a feature in `it''s c` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`it's c` AS REAL) END AS x2, CASE WHEN `d "quoted"` >= '' THEN json_type('{}', 'sqlrp: a feature in `d "quoted"` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`d "quoted"` AS REAL) END AS x3
FROM `shop`.`images` LIMIT -1 OFFSET 0) s) q LIMIT -1 OFFSET 0) s CROSS JOIN (WITH RECURSIVE counted AS (SELECT 0 AS n UNION ALL SELECT n + 1 FROM counted WHERE n < 0) SELECT n FROM counted) counted)
SELECT a, b, distance FROM (SELECT c.a AS a, c.b AS b, 1-coalesce(((sqlrp_u0*sqlrp_v0+sqlrp_u1*sqlrp_v1+sqlrp_u2*sqlrp_v2+sqlrp_u3*sqlrp_v3))/NULLIF(sqrt((sqlrp_u0*sqlrp_u0+sqlrp_u1*sqlrp_u1+sqlrp_u2*sqlrp_u2+sqlrp_u3*sqlrp_u3))*sqrt((sqlrp_v0*sqlrp_v0+sqlrp_v1*sqlrp_v1+sqlrp_v2*sqlrp_v2+sqlrp_v3*sqlrp_v3)), 0), 0.0e0) AS distance
FROM (SELECT DISTINCT h.`id` AS a, g.`id` AS b FROM sqlrp_hashed h JOIN sqlrp_hashed g ON h.band = g.band AND h.bucket = g.bucket
WHERE h.`id` < g.`id`) c JOIN (SELECT `id` AS sqlrp_ukey, CASE WHEN `a` >= '' THEN json_type('{}', 'sqlrp: a feature in `a` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`a` AS REAL) END AS sqlrp_u0, CASE WHEN `b` >= '' THEN json_type('{}', 'sqlrp: a feature in `b` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`b` AS REAL) END AS sqlrp_u1, CASE WHEN `it's c` >= '' THEN json_type('{}', 'sqlrp: a feature in `it''s c` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`it's c` AS REAL) END AS sqlrp_u2, CASE WHEN `d "quoted"` >= '' THEN json_type('{}', 'sqlrp: a feature in `d "quoted"` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`d "quoted"` AS REAL) END AS sqlrp_u3
FROM `shop`.`images`) u ON u.sqlrp_ukey = c.a JOIN (SELECT `id` AS sqlrp_vkey, CASE WHEN `a` >= '' THEN json_type('{}', 'sqlrp: a feature in `a` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`a` AS REAL) END AS sqlrp_v0, CASE WHEN `b` >= '' THEN json_type('{}', 'sqlrp: a feature in `b` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`b` AS REAL) END AS sqlrp_v1, CASE WHEN `it's c` >= '' THEN json_type('{}', 'sqlrp: a feature in `it''s c` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`it's c` AS REAL) END AS sqlrp_v2, CASE WHEN `d "quoted"` >= '' THEN json_type('{}', 'sqlrp: a feature in `d "quoted"` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`d "quoted"` AS REAL) END AS sqlrp_v3
FROM `shop`.`images`) v ON v.sqlrp_vkey = c.b) sqlrp_found
WHERE distance <= 0.1

-- ======== mariadb
WITH sqlrp_hashed AS (SELECT c0 AS `id`, c1 AS `label`, n AS band, b0 AS bucket
FROM (SELECT `id` AS c0, `label` AS c1, (CASE WHEN z0 >= 0 THEN CAST(1 AS SIGNED) WHEN z0 < 0 THEN CAST(0 AS SIGNED) END+CASE WHEN z1 >= 0 THEN CAST(2 AS SIGNED) WHEN z1 < 0 THEN CAST(0 AS SIGNED) END+CASE WHEN z2 >= 0 THEN CAST(4 AS SIGNED) WHEN z2 < 0 THEN CAST(0 AS SIGNED) END) AS b0
FROM (SELECT c0 AS `id`, c1 AS `label`, -(x1+x2+x3)+ok AS z0, (x0+x1)+ok AS z1, -x1+ok AS z2
FROM (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 END AS ok, CAST(`a` AS DOUBLE) AS x0, CAST(`b` AS DOUBLE) AS x1, CAST(`it's c` AS DOUBLE) AS x2, CAST(`d "quoted"` AS DOUBLE) AS x3
FROM `shop`.`images` LIMIT 18446744073709551615) s) q LIMIT 18446744073709551615) s CROSS JOIN (SELECT CAST(seq AS SIGNED) AS n FROM seq_0_to_0) counted)
SELECT a, b, distance FROM (SELECT c.a AS a, c.b AS b, 1-coalesce(((sqlrp_u0*sqlrp_v0+sqlrp_u1*sqlrp_v1+sqlrp_u2*sqlrp_v2+sqlrp_u3*sqlrp_v3))/NULLIF(sqrt((CASE WHEN abs(sqlrp_u0)<1e150 THEN sqlrp_u0*sqlrp_u0 END+CASE WHEN abs(sqlrp_u1)<1e150 THEN sqlrp_u1*sqlrp_u1 END+CASE WHEN abs(sqlrp_u2)<1e150 THEN sqlrp_u2*sqlrp_u2 END+CASE WHEN abs(sqlrp_u3)<1e150 THEN sqlrp_u3*sqlrp_u3 END))*sqrt((CASE WHEN abs(sqlrp_v0)<1e150 THEN sqlrp_v0*sqlrp_v0 END+CASE WHEN abs(sqlrp_v1)<1e150 THEN sqlrp_v1*sqlrp_v1 END+CASE WHEN abs(sqlrp_v2)<1e150 THEN sqlrp_v2*sqlrp_v2 END+CASE WHEN abs(sqlrp_v3)<1e150 THEN sqlrp_v3*sqlrp_v3 END)), 0), 0.0e0) AS distance
FROM (SELECT DISTINCT h.`id` AS a, g.`id` AS b FROM sqlrp_hashed h JOIN sqlrp_hashed g ON h.band = g.band AND h.bucket = g.bucket
WHERE h.`id` < g.`id`) c JOIN (SELECT `id` AS sqlrp_ukey, CAST(`a` AS DOUBLE) AS sqlrp_u0, CAST(`b` AS DOUBLE) AS sqlrp_u1, CAST(`it's c` AS DOUBLE) AS sqlrp_u2, CAST(`d "quoted"` AS DOUBLE) AS sqlrp_u3
FROM `shop`.`images`) u ON u.sqlrp_ukey = c.a JOIN (SELECT `id` AS sqlrp_vkey, CAST(`a` AS DOUBLE) AS sqlrp_v0, CAST(`b` AS DOUBLE) AS sqlrp_v1, CAST(`it's c` AS DOUBLE) AS sqlrp_v2, CAST(`d "quoted"` AS DOUBLE) AS sqlrp_v3
FROM `shop`.`images`) v ON v.sqlrp_vkey = c.b) sqlrp_found
WHERE distance <= 0.1

-- ======== mysql
WITH sqlrp_hashed AS (SELECT c0 AS `id`, c1 AS `label`, n AS band, b0 AS bucket
FROM (SELECT `id` AS c0, `label` AS c1, (CASE WHEN z0 >= 0 THEN CAST(1 AS SIGNED) WHEN z0 < 0 THEN CAST(0 AS SIGNED) END+CASE WHEN z1 >= 0 THEN CAST(2 AS SIGNED) WHEN z1 < 0 THEN CAST(0 AS SIGNED) END+CASE WHEN z2 >= 0 THEN CAST(4 AS SIGNED) WHEN z2 < 0 THEN CAST(0 AS SIGNED) END) AS b0
FROM (SELECT c0 AS `id`, c1 AS `label`, -(x1+x2+x3)+ok AS z0, (x0+x1)+ok AS z1, -x1+ok AS z2
FROM (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 END AS ok, CAST(`a` AS DOUBLE) AS x0, CAST(`b` AS DOUBLE) AS x1, CAST(`it's c` AS DOUBLE) AS x2, CAST(`d "quoted"` AS DOUBLE) AS x3
FROM `shop`.`images` LIMIT 18446744073709551615) s) q LIMIT 18446744073709551615) s CROSS JOIN (SELECT CAST(n AS SIGNED) - 1 AS n FROM JSON_TABLE(concat('[0', repeat(',0', 0), ']'), '$[*]' COLUMNS (n FOR ORDINALITY)) listed) counted)
SELECT a, b, distance FROM (SELECT c.a AS a, c.b AS b, 1-coalesce(((sqlrp_u0*sqlrp_v0+sqlrp_u1*sqlrp_v1+sqlrp_u2*sqlrp_v2+sqlrp_u3*sqlrp_v3))/NULLIF(sqrt((CASE WHEN abs(sqlrp_u0)<1e150 THEN sqlrp_u0*sqlrp_u0 END+CASE WHEN abs(sqlrp_u1)<1e150 THEN sqlrp_u1*sqlrp_u1 END+CASE WHEN abs(sqlrp_u2)<1e150 THEN sqlrp_u2*sqlrp_u2 END+CASE WHEN abs(sqlrp_u3)<1e150 THEN sqlrp_u3*sqlrp_u3 END))*sqrt((CASE WHEN abs(sqlrp_v0)<1e150 THEN sqlrp_v0*sqlrp_v0 END+CASE WHEN abs(sqlrp_v1)<1e150 THEN sqlrp_v1*sqlrp_v1 END+CASE WHEN abs(sqlrp_v2)<1e150 THEN sqlrp_v2*sqlrp_v2 END+CASE WHEN abs(sqlrp_v3)<1e150 THEN sqlrp_v3*sqlrp_v3 END)), 0), 0.0e0) AS distance
FROM (SELECT DISTINCT h.`id` AS a, g.`id` AS b FROM sqlrp_hashed h JOIN sqlrp_hashed g ON h.band = g.band AND h.bucket = g.bucket
WHERE h.`id` < g.`id`) c JOIN (SELECT `id` AS sqlrp_ukey, CAST(`a` AS DOUBLE) AS sqlrp_u0, CAST(`b` AS DOUBLE) AS sqlrp_u1, CAST(`it's c` AS DOUBLE) AS sqlrp_u2, CAST(`d "quoted"` AS DOUBLE) AS sqlrp_u3
FROM `shop`.`images`) u ON u.sqlrp_ukey = c.a JOIN (SELECT `id` AS sqlrp_vkey, CAST(`a` AS DOUBLE) AS sqlrp_v0, CAST(`b` AS DOUBLE) AS sqlrp_v1, CAST(`it's c` AS DOUBLE) AS sqlrp_v2, CAST(`d "quoted"` AS DOUBLE) AS sqlrp_v3
FROM `shop`.`images`) v ON v.sqlrp_vkey = c.b) sqlrp_found
WHERE distance <= 0.1

-- ======== clickhouse
WITH sqlrp_hashed AS (SELECT c0 AS `id`, c1 AS `label`, n AS band, b0 AS bucket
FROM (SELECT `id` AS c0, `label` AS c1, (CASE WHEN z0 >= 0 THEN CAST(1 AS Int64) WHEN z0 < 0 THEN CAST(0 AS Int64) END+CASE WHEN z1 >= 0 THEN CAST(2 AS Int64) WHEN z1 < 0 THEN CAST(0 AS Int64) END+CASE WHEN z2 >= 0 THEN CAST(4 AS Int64) WHEN z2 < 0 THEN CAST(0 AS Int64) END) AS b0
FROM (SELECT c0 AS `id`, c1 AS `label`, -(x1+x2+x3)+ok AS z0, (x0+x1)+ok AS z1, -x1+ok AS z2
FROM (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 END AS ok, CAST(`a` AS Float64) AS x0, CAST(`b` AS Float64) AS x1, CAST(`it's c` AS Float64) AS x2, CAST(`d "quoted"` AS Float64) AS x3
FROM `shop`.`images`) s) q) s CROSS JOIN (SELECT toInt64(number) AS n FROM numbers(1)) counted)
SELECT a, b, distance FROM (SELECT c.a AS a, c.b AS b, 1-coalesce(((sqlrp_u0*sqlrp_v0+sqlrp_u1*sqlrp_v1+sqlrp_u2*sqlrp_v2+sqlrp_u3*sqlrp_v3))/NULLIF(sqrt((sqlrp_u0*sqlrp_u0+sqlrp_u1*sqlrp_u1+sqlrp_u2*sqlrp_u2+sqlrp_u3*sqlrp_u3))*sqrt((sqlrp_v0*sqlrp_v0+sqlrp_v1*sqlrp_v1+sqlrp_v2*sqlrp_v2+sqlrp_v3*sqlrp_v3)), 0), 0.0e0) AS distance
FROM (SELECT DISTINCT h.`id` AS a, g.`id` AS b FROM sqlrp_hashed h JOIN sqlrp_hashed g ON h.band = g.band AND h.bucket = g.bucket
WHERE h.`id` < g.`id`) c JOIN (SELECT `id` AS sqlrp_ukey, CAST(`a` AS Float64) AS sqlrp_u0, CAST(`b` AS Float64) AS sqlrp_u1, CAST(`it's c` AS Float64) AS sqlrp_u2, CAST(`d "quoted"` AS Float64) AS sqlrp_u3
FROM `shop`.`images`) u ON u.sqlrp_ukey = c.a JOIN (SELECT `id` AS sqlrp_vkey, CAST(`a` AS Float64) AS sqlrp_v0, CAST(`b` AS Float64) AS sqlrp_v1, CAST(`it's c` AS Float64) AS sqlrp_v2, CAST(`d "quoted"` AS Float64) AS sqlrp_v3
FROM `shop`.`images`) v ON v.sqlrp_vkey = c.b) sqlrp_found
WHERE distance <= 0.1
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760

-- ======== spark, databricks
WITH sqlrp_hashed AS (SELECT c0 AS `id`, c1 AS `label`, n AS band, b0 AS bucket
FROM (SELECT `id` AS c0, `label` AS c1, (CASE WHEN z0 >= 0 THEN CAST(1 AS BIGINT) WHEN z0 < 0 THEN CAST(0 AS BIGINT) END+CASE WHEN z1 >= 0 THEN CAST(2 AS BIGINT) WHEN z1 < 0 THEN CAST(0 AS BIGINT) END+CASE WHEN z2 >= 0 THEN CAST(4 AS BIGINT) WHEN z2 < 0 THEN CAST(0 AS BIGINT) END) AS b0
FROM (SELECT c0 AS `id`, c1 AS `label`, -(x1+x2+x3)+ok AS z0, (x0+x1)+ok AS z1, -x1+ok AS z2
FROM (SELECT `id` AS c0, `label` AS c1, CAST(`a` AS DOUBLE) AS x0, CAST(`b` AS DOUBLE) AS x1, CAST(`it's c` AS DOUBLE) AS x2, CAST(`d "quoted"` AS DOUBLE) AS x3, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 END AS ok
FROM `shop`.`images`) s) q) s CROSS JOIN (SELECT id AS n FROM range(1)) counted)
SELECT a, b, distance FROM (SELECT c.a AS a, c.b AS b, 1-coalesce(((sqlrp_u0*sqlrp_v0+sqlrp_u1*sqlrp_v1+sqlrp_u2*sqlrp_v2+sqlrp_u3*sqlrp_v3))/NULLIF(sqrt((sqlrp_u0*sqlrp_u0+sqlrp_u1*sqlrp_u1+sqlrp_u2*sqlrp_u2+sqlrp_u3*sqlrp_u3))*sqrt((sqlrp_v0*sqlrp_v0+sqlrp_v1*sqlrp_v1+sqlrp_v2*sqlrp_v2+sqlrp_v3*sqlrp_v3)), 0), 0.0e0) AS distance
FROM (SELECT DISTINCT h.`id` AS a, g.`id` AS b FROM sqlrp_hashed h JOIN sqlrp_hashed g ON h.band = g.band AND h.bucket = g.bucket
WHERE h.`id` < g.`id`) c JOIN (SELECT `id` AS sqlrp_ukey, CAST(`a` AS DOUBLE) AS sqlrp_u0, CAST(`b` AS DOUBLE) AS sqlrp_u1, CAST(`it's c` AS DOUBLE) AS sqlrp_u2, CAST(`d "quoted"` AS DOUBLE) AS sqlrp_u3
FROM `shop`.`images`) u ON u.sqlrp_ukey = c.a JOIN (SELECT `id` AS sqlrp_vkey, CAST(`a` AS DOUBLE) AS sqlrp_v0, CAST(`b` AS DOUBLE) AS sqlrp_v1, CAST(`it's c` AS DOUBLE) AS sqlrp_v2, CAST(`d "quoted"` AS DOUBLE) AS sqlrp_v3
FROM `shop`.`images`) v ON v.sqlrp_vkey = c.b) sqlrp_found
WHERE distance <= 0.1

-- ======== snowflake, trino
WITH sqlrp_hashed AS (SELECT c0 AS "id", c1 AS "label", n AS band, b0 AS bucket
FROM (SELECT "id" AS c0, "label" AS c1, (CASE WHEN z0 >= 0 THEN CAST(1 AS BIGINT) WHEN z0 < 0 THEN CAST(0 AS BIGINT) END+CASE WHEN z1 >= 0 THEN CAST(2 AS BIGINT) WHEN z1 < 0 THEN CAST(0 AS BIGINT) END+CASE WHEN z2 >= 0 THEN CAST(4 AS BIGINT) WHEN z2 < 0 THEN CAST(0 AS BIGINT) END) AS b0
FROM (SELECT c0 AS "id", c1 AS "label", -(x1+x2+x3)+ok AS z0, (x0+x1)+ok AS z1, -x1+ok AS z2
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 END AS ok, CAST("a" AS DOUBLE) AS x0, CAST("b" AS DOUBLE) AS x1, CAST("it's c" AS DOUBLE) AS x2, CAST("d ""quoted""" AS DOUBLE) AS x3
FROM "shop"."images") s) q) s CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 1 THEN 1 * d0.d END AS BIGINT) AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 1) counted)
SELECT a, b, distance FROM (SELECT c.a AS a, c.b AS b, 1-coalesce(((sqlrp_u0*sqlrp_v0+sqlrp_u1*sqlrp_v1+sqlrp_u2*sqlrp_v2+sqlrp_u3*sqlrp_v3))/NULLIF(sqrt((sqlrp_u0*sqlrp_u0+sqlrp_u1*sqlrp_u1+sqlrp_u2*sqlrp_u2+sqlrp_u3*sqlrp_u3))*sqrt((sqlrp_v0*sqlrp_v0+sqlrp_v1*sqlrp_v1+sqlrp_v2*sqlrp_v2+sqlrp_v3*sqlrp_v3)), 0), 0.0e0) AS distance
FROM (SELECT DISTINCT h."id" AS a, g."id" AS b FROM sqlrp_hashed h JOIN sqlrp_hashed g ON h.band = g.band AND h.bucket = g.bucket
WHERE h."id" < g."id") c JOIN (SELECT "id" AS sqlrp_ukey, CAST("a" AS DOUBLE) AS sqlrp_u0, CAST("b" AS DOUBLE) AS sqlrp_u1, CAST("it's c" AS DOUBLE) AS sqlrp_u2, CAST("d ""quoted""" AS DOUBLE) AS sqlrp_u3
FROM "shop"."images") u ON u.sqlrp_ukey = c.a JOIN (SELECT "id" AS sqlrp_vkey, CAST("a" AS DOUBLE) AS sqlrp_v0, CAST("b" AS DOUBLE) AS sqlrp_v1, CAST("it's c" AS DOUBLE) AS sqlrp_v2, CAST("d ""quoted""" AS DOUBLE) AS sqlrp_v3
FROM "shop"."images") v ON v.sqlrp_vkey = c.b) sqlrp_found
WHERE distance <= 0.1

-- ======== bigquery
WITH sqlrp_hashed AS (SELECT c0 AS `id`, c1 AS `label`, n AS band, b0 AS bucket
FROM (SELECT `id` AS c0, `label` AS c1, (CASE WHEN z0 >= 0 THEN CAST(1 AS INT64) WHEN z0 < 0 THEN CAST(0 AS INT64) END+CASE WHEN z1 >= 0 THEN CAST(2 AS INT64) WHEN z1 < 0 THEN CAST(0 AS INT64) END+CASE WHEN z2 >= 0 THEN CAST(4 AS INT64) WHEN z2 < 0 THEN CAST(0 AS INT64) END) AS b0
FROM (SELECT c0 AS `id`, c1 AS `label`, -(x1+x2+x3)+ok AS z0, (x0+x1)+ok AS z1, -x1+ok AS z2
FROM (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL) THEN 0 END AS ok, CAST(`a` AS FLOAT64) AS x0, CAST(`b` AS FLOAT64) AS x1, CAST(`it's c` AS FLOAT64) AS x2, CAST(`d "quoted"` AS FLOAT64) AS x3
FROM `shop`.`images`) s) q) s CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 1 THEN 1 * d0.d END AS INT64) AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 1) counted)
SELECT a, b, distance FROM (SELECT c.a AS a, c.b AS b, 1-coalesce(((sqlrp_u0*sqlrp_v0+sqlrp_u1*sqlrp_v1+sqlrp_u2*sqlrp_v2+sqlrp_u3*sqlrp_v3))/NULLIF(sqrt((sqlrp_u0*sqlrp_u0+sqlrp_u1*sqlrp_u1+sqlrp_u2*sqlrp_u2+sqlrp_u3*sqlrp_u3))*sqrt((sqlrp_v0*sqlrp_v0+sqlrp_v1*sqlrp_v1+sqlrp_v2*sqlrp_v2+sqlrp_v3*sqlrp_v3)), 0), 0.0e0) AS distance
FROM (SELECT DISTINCT h.`id` AS a, g.`id` AS b FROM sqlrp_hashed h JOIN sqlrp_hashed g ON h.band = g.band AND h.bucket = g.bucket
WHERE h.`id` < g.`id`) c JOIN (SELECT `id` AS sqlrp_ukey, CAST(`a` AS FLOAT64) AS sqlrp_u0, CAST(`b` AS FLOAT64) AS sqlrp_u1, CAST(`it's c` AS FLOAT64) AS sqlrp_u2, CAST(`d "quoted"` AS FLOAT64) AS sqlrp_u3
FROM `shop`.`images`) u ON u.sqlrp_ukey = c.a JOIN (SELECT `id` AS sqlrp_vkey, CAST(`a` AS FLOAT64) AS sqlrp_v0, CAST(`b` AS FLOAT64) AS sqlrp_v1, CAST(`it's c` AS FLOAT64) AS sqlrp_v2, CAST(`d "quoted"` AS FLOAT64) AS sqlrp_v3
FROM `shop`.`images`) v ON v.sqlrp_vkey = c.b) sqlrp_found
WHERE distance <= 0.1

-- ======== redshift
WITH sqlrp_hashed AS (SELECT c0 AS "id", c1 AS "label", n AS band, b0 AS bucket
FROM (SELECT "id" AS c0, "label" AS c1, (CASE WHEN z0 >= 0 THEN CAST(1 AS BIGINT) WHEN z0 < 0 THEN CAST(0 AS BIGINT) END+CASE WHEN z1 >= 0 THEN CAST(2 AS BIGINT) WHEN z1 < 0 THEN CAST(0 AS BIGINT) END+CASE WHEN z2 >= 0 THEN CAST(4 AS BIGINT) WHEN z2 < 0 THEN CAST(0 AS BIGINT) END) AS b0
FROM (SELECT c0 AS "id", c1 AS "label", -(x1+x2+x3)+ok AS z0, (x0+x1)+ok AS z1, -x1+ok AS z2
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 END AS ok, CAST("a" AS DOUBLE PRECISION) AS x0, CAST("b" AS DOUBLE PRECISION) AS x1, CAST("it's c" AS DOUBLE PRECISION) AS x2, CAST("d ""quoted""" AS DOUBLE PRECISION) AS x3
FROM "shop"."images") s) q) s CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 1 THEN 1 * d0.d END AS BIGINT) AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 1) counted)
SELECT a, b, distance FROM (SELECT c.a AS a, c.b AS b, 1-coalesce(((sqlrp_u0*sqlrp_v0+sqlrp_u1*sqlrp_v1+sqlrp_u2*sqlrp_v2+sqlrp_u3*sqlrp_v3))/NULLIF(sqrt((sqlrp_u0*sqlrp_u0+sqlrp_u1*sqlrp_u1+sqlrp_u2*sqlrp_u2+sqlrp_u3*sqlrp_u3))*sqrt((sqlrp_v0*sqlrp_v0+sqlrp_v1*sqlrp_v1+sqlrp_v2*sqlrp_v2+sqlrp_v3*sqlrp_v3)), 0), CAST('0.0' AS DOUBLE PRECISION)) AS distance
FROM (SELECT DISTINCT h."id" AS a, g."id" AS b FROM sqlrp_hashed h JOIN sqlrp_hashed g ON h.band = g.band AND h.bucket = g.bucket
WHERE h."id" < g."id") c JOIN (SELECT "id" AS sqlrp_ukey, CAST("a" AS DOUBLE PRECISION) AS sqlrp_u0, CAST("b" AS DOUBLE PRECISION) AS sqlrp_u1, CAST("it's c" AS DOUBLE PRECISION) AS sqlrp_u2, CAST("d ""quoted""" AS DOUBLE PRECISION) AS sqlrp_u3
FROM "shop"."images") u ON u.sqlrp_ukey = c.a JOIN (SELECT "id" AS sqlrp_vkey, CAST("a" AS DOUBLE PRECISION) AS sqlrp_v0, CAST("b" AS DOUBLE PRECISION) AS sqlrp_v1, CAST("it's c" AS DOUBLE PRECISION) AS sqlrp_v2, CAST("d ""quoted""" AS DOUBLE PRECISION) AS sqlrp_v3
FROM "shop"."images") v ON v.sqlrp_vkey = c.b) sqlrp_found
WHERE distance <= CAST('0.1' AS DOUBLE PRECISION)

-- ======== sqlserver
WITH sqlrp_hashed AS (SELECT c0 AS [id], c1 AS [label], n AS band, b0 AS bucket
FROM (SELECT [id] AS c0, [label] AS c1, (CASE WHEN z0 >= 0 THEN CAST(1 AS BIGINT) WHEN z0 < 0 THEN CAST(0 AS BIGINT) END+CASE WHEN z1 >= 0 THEN CAST(2 AS BIGINT) WHEN z1 < 0 THEN CAST(0 AS BIGINT) END+CASE WHEN z2 >= 0 THEN CAST(4 AS BIGINT) WHEN z2 < 0 THEN CAST(0 AS BIGINT) END) AS b0
FROM (SELECT c0 AS [id], c1 AS [label], -(x1+x2+x3)+ok AS z0, (x0+x1)+ok AS z1, -x1+ok AS z2
FROM (SELECT [id] AS c0, [label] AS c1, CASE WHEN ([a] IS NOT NULL AND [b] IS NOT NULL AND [it's c] IS NOT NULL AND [d "quoted"] IS NOT NULL) THEN 0 END AS ok, CAST([a] AS FLOAT) AS x0, CAST([b] AS FLOAT) AS x1, CAST([it's c] AS FLOAT) AS x2, CAST([d "quoted"] AS FLOAT) AS x3
FROM [shop].[images]) s) q) s CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 1 THEN 1 * d0.d END AS BIGINT) AS n FROM (SELECT CAST(0 AS BIGINT) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9) d0 WHERE 1 * d0.d < 1) counted)
SELECT a, b, distance FROM (SELECT c.a AS a, c.b AS b, 1-coalesce(((sqlrp_u0*sqlrp_v0+sqlrp_u1*sqlrp_v1+sqlrp_u2*sqlrp_v2+sqlrp_u3*sqlrp_v3))/NULLIF(sqrt((sqlrp_u0*sqlrp_u0+sqlrp_u1*sqlrp_u1+sqlrp_u2*sqlrp_u2+sqlrp_u3*sqlrp_u3))*sqrt((sqlrp_v0*sqlrp_v0+sqlrp_v1*sqlrp_v1+sqlrp_v2*sqlrp_v2+sqlrp_v3*sqlrp_v3)), 0), 0.0e0) AS distance
FROM (SELECT DISTINCT h.[id] AS a, g.[id] AS b FROM sqlrp_hashed h JOIN sqlrp_hashed g ON h.band = g.band AND h.bucket = g.bucket
WHERE h.[id] < g.[id]) c JOIN (SELECT [id] AS sqlrp_ukey, CAST([a] AS FLOAT) AS sqlrp_u0, CAST([b] AS FLOAT) AS sqlrp_u1, CAST([it's c] AS FLOAT) AS sqlrp_u2, CAST([d "quoted"] AS FLOAT) AS sqlrp_u3
FROM [shop].[images]) u ON u.sqlrp_ukey = c.a JOIN (SELECT [id] AS sqlrp_vkey, CAST([a] AS FLOAT) AS sqlrp_v0, CAST([b] AS FLOAT) AS sqlrp_v1, CAST([it's c] AS FLOAT) AS sqlrp_v2, CAST([d "quoted"] AS FLOAT) AS sqlrp_v3
FROM [shop].[images]) v ON v.sqlrp_vkey = c.b) sqlrp_found
WHERE distance <= 0.1

-- ======== oracle
-- SourceError: name 'd "quoted"' holds a double quote, which oracle refuses: rename

-- ======== generic
WITH sqlrp_hashed AS (SELECT c0 AS "id", c1 AS "label", n AS band, b0 AS bucket
FROM (SELECT "id" AS c0, "label" AS c1, (CASE WHEN "z0" >= 0 THEN CAST(1 AS BIGINT) WHEN "z0" < 0 THEN CAST(0 AS BIGINT) END+CASE WHEN "z1" >= 0 THEN CAST(2 AS BIGINT) WHEN "z1" < 0 THEN CAST(0 AS BIGINT) END+CASE WHEN "z2" >= 0 THEN CAST(4 AS BIGINT) WHEN "z2" < 0 THEN CAST(0 AS BIGINT) END) AS b0
FROM (SELECT c0 AS "id", c1 AS "label", -(x1+x2+x3)+ok AS "z0", (x0+x1)+ok AS "z1", -x1+ok AS "z2"
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL) THEN 0 END AS ok, CAST("a" AS DOUBLE PRECISION) AS x0, CAST("b" AS DOUBLE PRECISION) AS x1, CAST("it's c" AS DOUBLE PRECISION) AS x2, CAST("d ""quoted""" AS DOUBLE PRECISION) AS x3
FROM "shop"."images") s) q) s CROSS JOIN (SELECT CAST(CASE WHEN 1 * d0.d < 1 THEN 1 * d0.d END AS BIGINT) AS n FROM (SELECT 0 AS d UNION ALL SELECT 1 AS d UNION ALL SELECT 2 AS d UNION ALL SELECT 3 AS d UNION ALL SELECT 4 AS d UNION ALL SELECT 5 AS d UNION ALL SELECT 6 AS d UNION ALL SELECT 7 AS d UNION ALL SELECT 8 AS d UNION ALL SELECT 9 AS d) d0 WHERE 1 * d0.d < 1) counted)
SELECT a, b, distance FROM (SELECT c.a AS a, c.b AS b, 1-coalesce(((sqlrp_u0*sqlrp_v0+sqlrp_u1*sqlrp_v1+sqlrp_u2*sqlrp_v2+sqlrp_u3*sqlrp_v3))/NULLIF(sqrt((sqlrp_u0*sqlrp_u0+sqlrp_u1*sqlrp_u1+sqlrp_u2*sqlrp_u2+sqlrp_u3*sqlrp_u3))*sqrt((sqlrp_v0*sqlrp_v0+sqlrp_v1*sqlrp_v1+sqlrp_v2*sqlrp_v2+sqlrp_v3*sqlrp_v3)), 0), 0.0e0) AS distance
FROM (SELECT DISTINCT h."id" AS a, g."id" AS b FROM sqlrp_hashed h JOIN sqlrp_hashed g ON h.band = g.band AND h.bucket = g.bucket
WHERE h."id" < g."id") c JOIN (SELECT "id" AS sqlrp_ukey, CAST("a" AS DOUBLE PRECISION) AS sqlrp_u0, CAST("b" AS DOUBLE PRECISION) AS sqlrp_u1, CAST("it's c" AS DOUBLE PRECISION) AS sqlrp_u2, CAST("d ""quoted""" AS DOUBLE PRECISION) AS sqlrp_u3
FROM "shop"."images") u ON u.sqlrp_ukey = c.a JOIN (SELECT "id" AS sqlrp_vkey, CAST("a" AS DOUBLE PRECISION) AS sqlrp_v0, CAST("b" AS DOUBLE PRECISION) AS sqlrp_v1, CAST("it's c" AS DOUBLE PRECISION) AS sqlrp_v2, CAST("d ""quoted""" AS DOUBLE PRECISION) AS sqlrp_v3
FROM "shop"."images") v ON v.sqlrp_vkey = c.b) sqlrp_found
WHERE distance <= 0.1
