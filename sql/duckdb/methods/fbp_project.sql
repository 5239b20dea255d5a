-- All products of two features, or of one of each descriptor, summed over the rows of a group; then signed root and norm.
CREATE OR REPLACE MACRO sqlrp_fbp_text(k, split, n) AS
  'SELECT i, CASE WHEN ' || coalesce(CAST(split AS VARCHAR), '0') || ' >= ' || n || ' THEN error(''split = ' || coalesce(split, 0)
    || ' must be below the number of features = '' || ' || n || ' || '': those from split on are the second descriptor'') WHEN ' || k || ' <> a * b '
    || 'THEN error(''k = ' || k || ' must be the number of all products of '' || a || '' and '' || b || '' features: use k = '' || a * b '
    || '|| '', or BilinearPooling, which takes any k'') ELSE i END AS c, 1 AS w, [i // b, ' || n || ' - b + i % b] AS v FROM '
    || sqlrp_series(k, 'i') || ', (SELECT CAST(' || CASE WHEN split IS NULL THEN n || ' AS BIGINT) AS a, CAST(' || n
      ELSE split || ' AS BIGINT) AS a, CAST(' || n || ' - ' || split END || ' AS BIGINT) AS b) ab_';

CREATE OR REPLACE MACRO sqlrp_fbp_stages(k, normalise, split, n) AS
  sqlrp_pooled([sqlrp_stage('products', k, sqlrp_fbp_text(k, split, sqlrp_known('FullBilinearPooling', n)), factors := 2, dense := true)],
    '1', k, normalise);
