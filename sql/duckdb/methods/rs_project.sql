-- k of the features, drawn without replacement; 'householder' reflects each row first.
CREATE OR REPLACE MACRO sqlrp_rs_text(k, seed, n) AS
  'SELECT CASE WHEN ' || k || ' > ' || n || ' THEN error(''k = ' || k || ' must be at most the number of features = '' || ' || n
    || ' || '': lower k'') ELSE row_number() OVER (ORDER BY h, f) - 1 END AS c, f, 1 AS w FROM (WITH sqlrp_features AS (SELECT f FROM '
    || sqlrp_series(n, 'f') || ') SELECT f, h FROM ' || sqlrp_drawn(seed, {{subspace}}, 1) || ') d ORDER BY h, f LIMIT ' || k;

CREATE OR REPLACE MACRO sqlrp_rs_stages(k, densify, seed, n) AS
  sqlrp_pipeline([CASE WHEN densify <> 'householder' THEN
        error('densify = ''' || densify || ''' must be ''householder'', or NULL to pick features as they are')
      ELSE sqlrp_stage(CASE WHEN densify IS NULL THEN 'signs' ELSE 'reflect' END, k, sqlrp_rs_text(k, seed, sqlrp_known('RandomSubspace', n))) END],
    'sqrt(CAST(' || n || ' AS DOUBLE) / ' || k || ') / ' || CASE WHEN densify IS NULL THEN '1' ELSE n END, k);
