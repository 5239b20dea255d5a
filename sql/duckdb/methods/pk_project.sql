CREATE OR REPLACE MACRO pk_project({{parameters}}) AS TABLE
  FROM query(sqlrp_next('sqlrp_source', {'method': 'pk', 'degree': sqlrp_whole('degree', degree, 1),
    'p': CASE WHEN p IS NOT NULL THEN sqlrp_whole('p', p, 1)
      ELSE least(greatest(2 * TRY_CAST(k AS BIGINT), degree * t), degree * t * TRY_CAST(k AS BIGINT)) END,
    't': sqlrp_whole('t', t, 1), 'c': CAST(c AS DOUBLE), 'minimise': sqlrp_flag('minimise_repetition', minimise_repetition),
{{common}}}));
