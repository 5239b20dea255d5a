-- The named blocks of the relational lowering. Placeholders are typed: {x:name} is a relation of the
-- statement, {x:int} a whole number, {x:sql} trusted text of the engine's. Every block is one SELECT.

-- block: components
-- The eight coefficients of each component's polynomial, from the 64 of the seed.
SELECT c, {b0:sql} AS b0, {b1:sql} AS b1, {b2:sql} AS b2, {b3:sql} AS b3,
  {b4:sql} AS b4, {b5:sql} AS b5, {b6:sql} AS b6, {b7:sql} AS b7
FROM ({numbers:sql}) n

-- block: signs
-- The ±1 entries of every component and feature: integer comparisons, no float.
SELECT {c:sql} AS c, f, CASE WHEN h < {low:int} THEN 1 ELSE -1 END AS sign
FROM (SELECT c, f, {entry:sql} AS h FROM {features:name} CROSS JOIN {components:name}{fence:sql}) drawn
WHERE h < {high:int}

-- block: sign_vectors
-- The same entries as lists of the signs of neighbouring components, those of nothing but zeros left out; b is a
-- list's first component.
SELECT f, b, {collected:sql} AS v
FROM (SELECT c, f, c - {place:sql} AS b,
CAST(CASE WHEN h < {low:int} THEN 1 WHEN h < {high:int} THEN -1 ELSE 0 END AS SMALLINT) AS sign
FROM (SELECT c, f, {entry:sql} AS h FROM {features:name} CROSS JOIN {components:name}{fence:sql}) drawn) entries
GROUP BY f, b HAVING MIN(sign) <> 0 OR MAX(sign) <> 0

-- block: signed_sums
-- K[c] = sum of sign(c, f) * x_f: additions and subtractions only.
SELECT r, c AS f, SUM(CASE WHEN sign > 0 THEN x ELSE {zero:sql} - x END) AS x
FROM {cells:name} JOIN {signs:name} {by_feature:sql}
GROUP BY r, c

-- block: block_signs
-- One entry for each block and feature: its last bit is the sign, the others the place within the block.
SELECT c * {size:int} + {place:sql} AS c, f, 1 - {last:sql} * 2 AS sign
FROM (SELECT c, f, {entry:sql} AS h FROM {features:name} CROSS JOIN {blocks:name}{fence:sql}) drawn

-- block: bucket_signs
-- The same in the feature's bucket, which one more entry of it gives.
SELECT ({bucket:sql} * {count:int} + c) * {size:int} + {place:sql} AS c, f, 1 - {last:sql} * 2 AS sign
FROM (SELECT c, f, h, MAX(CASE WHEN c = {count:int} THEN h ELSE -1 END) OVER (PARTITION BY f) AS g
FROM (SELECT c, f, {entry:sql} AS h FROM {features:name} CROSS JOIN {blocks:name}{fence:sql}) drawn) entries
WHERE c < {count:int}

-- block: weighted_sums
-- K[c] = sum of w(c, f) * x_f: the baselines multiply.
SELECT r, c AS f, SUM(sign * x) AS x
FROM {cells:name} JOIN {signs:name} {by_feature:sql}
GROUP BY r, c

-- block: reflected
-- d * x_j - 2 * sum of x, for the picked features only; absent cells are 0.
SELECT s.r AS r, p.c AS f, {d:sql} * coalesce(k.x, {zero:sql}) - {two:sql} * coalesce({total:sql}, {zero:sql}) AS x
FROM {rows:name} s CROSS JOIN {picks:name} p
LEFT JOIN {totals:name} t ON {same_total:sql} LEFT JOIN {cells:name} k ON {same_cell:sql} AND k.f = p.f

-- block: completed
-- Zero sums are left out, which is right for every product but 0 * inf and 0 * NaN: rows with those get them.
SELECT r, f, x FROM {cells:name} UNION ALL
SELECT odd.r, e.f, {zero:sql} FROM (SELECT DISTINCT r FROM {cells:name} WHERE NOT {finite:sql}) odd
CROSS JOIN {features:name} e
WHERE NOT EXISTS (SELECT 1 FROM {cells:name} k WHERE {same_row:sql} AND k.f = e.f)

-- block: sums_of_products
-- z[c] = sum of products of the sums that the index table names.
SELECT k0.r AS r, i.c AS f, SUM({product:sql}) AS x
FROM {index:name} i {joins:sql}
GROUP BY k0.r, i.c

-- block: derived_products
-- Each product gives its derivative to both of its factors: the other one, times the upstream of its component.
SELECT r, f, SUM(x) AS x FROM (
  SELECT k.r AS r, i.v0 AS f, {value:sql} * k.x AS x FROM {cells:name} k JOIN {index:name} i ON k.f = i.v1
  JOIN {rows:name} s ON s.r = k.r JOIN {upstream:sql} u ON {same_group:sql} AND {component:sql} = i.c
  UNION ALL
  SELECT k.r, i.v1, {value:sql} * k.x FROM {cells:name} k JOIN {index:name} i ON k.f = i.v0
  JOIN {rows:name} s ON s.r = k.r JOIN {upstream:sql} u ON {same_group:sql} AND {component:sql} = i.c
) derived GROUP BY r, f

-- block: derived_features
-- Back over the same signs.
SELECT k.r AS r, signs.f AS f, SUM(CASE WHEN signs.sign > 0 THEN k.x ELSE 0 - k.x END) AS x
FROM {cells:name} k JOIN {signs:name} signs ON signs.c = k.f GROUP BY k.r, signs.f

-- block: result
-- Every component of every row: what no non-zero entry met is 0.
SELECT {kept:sql}, n.f AS f, coalesce(z.x, {zero:sql}) AS x
FROM {rows:name} s CROSS JOIN {components:name} n
LEFT JOIN {cells:name} z ON {same_row:sql} AND z.f = n.f

-- block: sparse_result
-- What is not 0; the first component of every row, too, so that no row vanishes. A row with a NULL is `others`'.
SELECT z.r AS r, z.f AS f, z.x AS x FROM {cells:name} z WHERE z.f <> 0 AND z.x <> {zero:sql}{others:sql}
UNION ALL
SELECT s.r, 0, coalesce(z.x, {zero:sql}){ok:sql} FROM {rows:name} s
LEFT JOIN (SELECT r, x FROM {cells:name} WHERE f = 0) z ON {same_row:sql}

-- block: sparse_holes
-- The other components of a row with a NULL.
UNION ALL
SELECT s.r, n.f, {zero:sql}{ok:sql} FROM {rows:name} s CROSS JOIN {components:name} n WHERE s.ok IS NULL AND n.f <> 0
