-- sqlrp.sql of a Join, whose features are joined

-- ======== duckdb, snowflake, trino
SELECT c0 AS "id", c1 AS "label", ok*-(x1+x2+x3+x4) AS z0, ok*((x0+x1)-x4) AS z1, ok*(x5-(x1+x4)) AS z2
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL AND "age" IS NOT NULL AND "score" IS NOT NULL) THEN 0.816496581 END AS ok, CAST("a" AS DOUBLE) AS x0, CAST("b" AS DOUBLE) AS x1, CAST("it's c" AS DOUBLE) AS x2, CAST("d ""quoted""" AS DOUBLE) AS x3, CAST("age" AS DOUBLE) AS x4, CAST("score" AS DOUBLE) AS x5
FROM (SELECT t0."id" AS "id", t0."label" AS "label", t0."a" AS "a", t0."b" AS "b", t0."it's c" AS "it's c", t0."d ""quoted""" AS "d ""quoted""", t1."age" AS "age", t1."score" AS "score"
FROM "shop"."images" t0
LEFT JOIN "customers" t1 ON t1."id" = t0."customer") joined) s

-- ======== postgresql
SELECT c0 AS "id", c1 AS "label", ok*-(x1+x2+x3+x4) AS z0, ok*((x0+x1)-x4) AS z1, ok*(x5-(x1+x4)) AS z2
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL AND "age" IS NOT NULL AND "score" IS NOT NULL) THEN CAST('0.816496581' AS double precision) END AS ok, CAST("a" AS double precision) AS x0, CAST("b" AS double precision) AS x1, CAST("it's c" AS double precision) AS x2, CAST("d ""quoted""" AS double precision) AS x3, CAST("age" AS double precision) AS x4, CAST("score" AS double precision) AS x5
FROM (SELECT t0."id" AS "id", t0."label" AS "label", t0."a" AS "a", t0."b" AS "b", t0."it's c" AS "it's c", t0."d ""quoted""" AS "d ""quoted""", t1."age" AS "age", t1."score" AS "score"
FROM "shop"."images" t0
LEFT JOIN "customers" t1 ON t1."id" = t0."customer") joined OFFSET '0') s

-- ======== sqlite
SELECT c0 AS `id`, c1 AS `label`, ok*-(x1+x2+x3+x4) AS z0, ok*((x0+x1)-x4) AS z1, ok*(x5-(x1+x4)) AS z2
FROM (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL AND `age` IS NOT NULL AND `score` IS NOT NULL) THEN 0.816496581 END AS ok, CASE WHEN `a` >= '' THEN json_type('{}', 'sqlrp: a feature in `a` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`a` AS REAL) END AS x0, CASE WHEN `b` >= '' THEN json_type('{}', 'sqlrp: a feature in `b` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`b` AS REAL) END AS x1, CASE WHEN `it's c` >= '' THEN json_type('{}', 'sqlrp: a feature in `it''s c` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`it's c` AS REAL) END AS x2, CASE WHEN `d "quoted"` >= '' THEN json_type('{}', 'sqlrp: a feature in `d "quoted"` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`d "quoted"` AS REAL) END AS x3, CASE WHEN `age` >= '' THEN json_type('{}', 'sqlrp: a feature in `age` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`age` AS REAL) END AS x4, CASE WHEN `score` >= '' THEN json_type('{}', 'sqlrp: a feature in `score` is text, not a number: clean the row, or leave the column out' || substr(random(), 1, 0)) ELSE CAST(`score` AS REAL) END AS x5
FROM (SELECT t0.`id` AS `id`, t0.`label` AS `label`, t0.`a` AS `a`, t0.`b` AS `b`, t0.`it's c` AS `it's c`, t0.`d "quoted"` AS `d "quoted"`, t1.`age` AS `age`, t1.`score` AS `score`
FROM `shop`.`images` t0
LEFT JOIN `customers` t1 ON t1.`id` = t0.`customer`) joined LIMIT -1 OFFSET 0) s

-- ======== mariadb, mysql
SELECT c0 AS `id`, c1 AS `label`, ok*-(x1+x2+x3+x4) AS z0, ok*((x0+x1)-x4) AS z1, ok*(x5-(x1+x4)) AS z2
FROM (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL AND `age` IS NOT NULL AND `score` IS NOT NULL) THEN 0.816496581 END AS ok, CAST(`a` AS DOUBLE) AS x0, CAST(`b` AS DOUBLE) AS x1, CAST(`it's c` AS DOUBLE) AS x2, CAST(`d "quoted"` AS DOUBLE) AS x3, CAST(`age` AS DOUBLE) AS x4, CAST(`score` AS DOUBLE) AS x5
FROM (SELECT t0.`id` AS `id`, t0.`label` AS `label`, t0.`a` AS `a`, t0.`b` AS `b`, t0.`it's c` AS `it's c`, t0.`d "quoted"` AS `d "quoted"`, t1.`age` AS `age`, t1.`score` AS `score`
FROM `shop`.`images` t0
LEFT JOIN `customers` t1 ON t1.`id` = t0.`customer`) joined LIMIT 18446744073709551615) s

-- ======== clickhouse
WITH (SELECT arrayMap((p, v) -> arrayMap(i -> v[indexOf(p, i)], range(1, 7)), CAST('[[2,3,4,5],[1,2,5],[2,5,6]]' AS Array(Array(Int32))), CAST('[[-1,-1,-1,-1],[1,1,-1],[-1,-1,1]]' AS Array(Array(Float64))))) AS l0,
(SELECT CAST('[[-1,-1,-1,-1],[1,1,-1],[-1,-1,1]]' AS Array(Array(Float64)))) AS l1,
(SELECT CAST('[[2,3,4,5],[1,2,5],[2,5,6]]' AS Array(Array(Int32)))) AS l2
SELECT c0 AS `id`, c1 AS `label`, ok*x[1] AS z0, ok*x[2] AS z1, ok*x[3] AS z2
FROM (SELECT c0, c1, ok, if(isFinite(arraySum(x)), [arrayDotProduct(x, l0[1]), arrayDotProduct(x, l0[2]), arrayDotProduct(x, l0[3])], arrayMap((p, v) -> arraySum(arrayMap((i, w) -> w * x[i], p, v)), l2, l1)) AS x
FROM (SELECT c0, c1, ok, arrayMap(e -> coalesce(e, 0.0e0), x) AS x
FROM (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL AND `age` IS NOT NULL AND `score` IS NOT NULL) THEN 0.816496581 END AS ok, [CAST(`a` AS Float64),CAST(`b` AS Float64),CAST(`it's c` AS Float64),CAST(`d "quoted"` AS Float64),CAST(`age` AS Float64),CAST(`score` AS Float64)] AS x
FROM (SELECT t0.`id` AS `id`, t0.`label` AS `label`, t0.`a` AS `a`, t0.`b` AS `b`, t0.`it's c` AS `it's c`, t0.`d "quoted"` AS `d "quoted"`, t1.`age` AS `age`, t1.`score` AS `score`
FROM `shop`.`images` t0
LEFT JOIN `customers` t1 ON t1.`id` = t0.`customer`) joined) s) s) s
SETTINGS prefer_column_name_to_alias = 1, cast_keep_nullable = 1, join_use_nulls = 1, merge_tree_min_rows_for_concurrent_read = 8192, merge_tree_min_bytes_for_concurrent_read = 10485760, max_block_size = 16666

-- ======== spark, databricks
SELECT c0 AS `id`, c1 AS `label`, ok*-(x1+x2+x3+x4) AS z0, ok*((x0+x1)-x4) AS z1, ok*(x5-(x1+x4)) AS z2
FROM (SELECT `id` AS c0, `label` AS c1, CAST(`a` AS DOUBLE) AS x0, CAST(`b` AS DOUBLE) AS x1, CAST(`it's c` AS DOUBLE) AS x2, CAST(`d "quoted"` AS DOUBLE) AS x3, CAST(`age` AS DOUBLE) AS x4, CAST(`score` AS DOUBLE) AS x5, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL AND `age` IS NOT NULL AND `score` IS NOT NULL) THEN 0.816496581 END AS ok
FROM (SELECT t0.`id` AS `id`, t0.`label` AS `label`, t0.`a` AS `a`, t0.`b` AS `b`, t0.`it's c` AS `it's c`, t0.`d "quoted"` AS `d "quoted"`, t1.`age` AS `age`, t1.`score` AS `score`
FROM `shop`.`images` t0
LEFT JOIN `customers` t1 ON t1.`id` = t0.`customer`) joined) s

-- ======== bigquery
SELECT c0 AS `id`, c1 AS `label`, ok*-(x1+x2+x3+x4) AS z0, ok*((x0+x1)-x4) AS z1, ok*(x5-(x1+x4)) AS z2
FROM (SELECT `id` AS c0, `label` AS c1, CASE WHEN (`a` IS NOT NULL AND `b` IS NOT NULL AND `it's c` IS NOT NULL AND `d "quoted"` IS NOT NULL AND `age` IS NOT NULL AND `score` IS NOT NULL) THEN 0.816496581 END AS ok, CAST(`a` AS FLOAT64) AS x0, CAST(`b` AS FLOAT64) AS x1, CAST(`it's c` AS FLOAT64) AS x2, CAST(`d "quoted"` AS FLOAT64) AS x3, CAST(`age` AS FLOAT64) AS x4, CAST(`score` AS FLOAT64) AS x5
FROM (SELECT t0.`id` AS `id`, t0.`label` AS `label`, t0.`a` AS `a`, t0.`b` AS `b`, t0.`it's c` AS `it's c`, t0.`d "quoted"` AS `d "quoted"`, t1.`age` AS `age`, t1.`score` AS `score`
FROM `shop`.`images` t0
LEFT JOIN `customers` t1 ON t1.`id` = t0.`customer`) joined) s

-- ======== redshift
SELECT c0 AS "id", c1 AS "label", ok*-(x1+x2+x3+x4) AS z0, ok*((x0+x1)-x4) AS z1, ok*(x5-(x1+x4)) AS z2
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL AND "age" IS NOT NULL AND "score" IS NOT NULL) THEN CAST('0.816496581' AS DOUBLE PRECISION) END AS ok, CAST("a" AS DOUBLE PRECISION) AS x0, CAST("b" AS DOUBLE PRECISION) AS x1, CAST("it's c" AS DOUBLE PRECISION) AS x2, CAST("d ""quoted""" AS DOUBLE PRECISION) AS x3, CAST("age" AS DOUBLE PRECISION) AS x4, CAST("score" AS DOUBLE PRECISION) AS x5
FROM (SELECT t0."id" AS "id", t0."label" AS "label", t0."a" AS "a", t0."b" AS "b", t0."it's c" AS "it's c", t0."d ""quoted""" AS "d ""quoted""", t1."age" AS "age", t1."score" AS "score"
FROM "shop"."images" t0
LEFT JOIN "customers" t1 ON t1."id" = t0."customer") joined) s

-- ======== sqlserver
SELECT c0 AS [id], c1 AS [label], ok*-(x1+x2+x3+x4) AS z0, ok*((x0+x1)-x4) AS z1, ok*(x5-(x1+x4)) AS z2
FROM (SELECT [id] AS c0, [label] AS c1, CASE WHEN ([a] IS NOT NULL AND [b] IS NOT NULL AND [it's c] IS NOT NULL AND [d "quoted"] IS NOT NULL AND [age] IS NOT NULL AND [score] IS NOT NULL) THEN 0.816496581 END AS ok, CAST([a] AS FLOAT) AS x0, CAST([b] AS FLOAT) AS x1, CAST([it's c] AS FLOAT) AS x2, CAST([d "quoted"] AS FLOAT) AS x3, CAST([age] AS FLOAT) AS x4, CAST([score] AS FLOAT) AS x5
FROM (SELECT t0.[id] AS [id], t0.[label] AS [label], t0.[a] AS [a], t0.[b] AS [b], t0.[it's c] AS [it's c], t0.[d "quoted"] AS [d "quoted"], t1.[age] AS [age], t1.[score] AS [score]
FROM [shop].[images] t0
LEFT JOIN [customers] t1 ON t1.[id] = t0.[customer]) joined) s

-- ======== oracle
-- SourceError: name 'd "quoted"' holds a double quote, which oracle refuses: rename

-- ======== generic
SELECT c0 AS "id", c1 AS "label", ok*-(x1+x2+x3+x4) AS "z0", ok*((x0+x1)-x4) AS "z1", ok*(x5-(x1+x4)) AS "z2"
FROM (SELECT "id" AS c0, "label" AS c1, CASE WHEN ("a" IS NOT NULL AND "b" IS NOT NULL AND "it's c" IS NOT NULL AND "d ""quoted""" IS NOT NULL AND "age" IS NOT NULL AND "score" IS NOT NULL) THEN 0.816496581 END AS ok, CAST("a" AS DOUBLE PRECISION) AS x0, CAST("b" AS DOUBLE PRECISION) AS x1, CAST("it's c" AS DOUBLE PRECISION) AS x2, CAST("d ""quoted""" AS DOUBLE PRECISION) AS x3, CAST("age" AS DOUBLE PRECISION) AS x4, CAST("score" AS DOUBLE PRECISION) AS x5
FROM (SELECT t0."id" AS "id", t0."label" AS "label", t0."a" AS "a", t0."b" AS "b", t0."it's c" AS "it's c", t0."d ""quoted""" AS "d ""quoted""", t1."age" AS "age", t1."score" AS "score"
FROM "shop"."images" t0
LEFT JOIN "customers" t1 ON t1."id" = t0."customer") joined) s
