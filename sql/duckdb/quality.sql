-- -- the methods, and how well they keep distances ------------------------------------------------------------------------

CREATE OR REPLACE MACRO sqlrp_methods() AS TABLE
  FROM (VALUES
{{help}}) v("function", "class", use_it_for, parameters);

-- How well `components` keep the distances of `vector`, two columns of arrays of a query's text, on the rows whose hash is lowest: the mean of
-- |z - z'|^2 / |x - x'|^2 - 1 without its sign over all pairs, and the share of the ten nearest rows that stay among the ten nearest.
CREATE OR REPLACE MACRO sqlrp_quality(query, vector, components, n_rows := 500) AS TABLE
  FROM query(CASE WHEN sqlrp_whole('n_rows', n_rows, {{least_compared}}) > {{most_compared}} THEN error(concat('n_rows = ', n_rows,
      ' must be at most {{most_compared_shown}}, as all pairs are compared: lower n_rows'))
    ELSE concat('WITH sqlrp_rows AS MATERIALIZED (SELECT row_number() OVER () AS i, x, z FROM (SELECT x, z FROM (SELECT CAST(', sqlrp_quote(vector),
      ' AS DOUBLE[]) AS x, CAST(', sqlrp_quote(components), ' AS DOUBLE[]) AS z FROM (', coalesce(query, error('query = NULL must be the text of a query, such as FROM docs')),
      ') q) s WHERE x IS NOT NULL AND z IS NOT NULL ORDER BY hash(x) ASC LIMIT ', n_rows, ') s), ',
      'sqlrp_pairs AS MATERIALIZED (SELECT a.i AS i, b.i AS j, list_distance(a.x, b.x) AS x, list_distance(a.z, b.z) AS z FROM sqlrp_rows a JOIN sqlrp_rows b ON a.i <> b.i), ',
      'sqlrp_ranks AS (SELECT row_number() OVER (PARTITION BY i ORDER BY x ASC, j ASC) AS x, row_number() OVER (PARTITION BY i ORDER BY z ASC, j ASC) AS z FROM sqlrp_pairs) ',
      'SELECT (SELECT CASE WHEN count(*) < {{least_compared}} THEN error(concat(count(*), '' rows are fewer than {{least_compared}}: give more rows with both columns'')) ELSE count(*) END ',
      'FROM sqlrp_rows) AS "rows", (SELECT avg(abs(z * z / (x * x) - 1)) FROM sqlrp_pairs WHERE x > 0) AS mean_distortion, ',
      '(SELECT CAST(count(*) FILTER (WHERE z <= 10) AS DOUBLE) / CAST(count(*) AS DOUBLE) FROM sqlrp_ranks WHERE x <= 10) AS recall_of_10') END);
