CREATE OR REPLACE MACRO rp_project({{parameters}}) AS TABLE
  FROM query(sqlrp_next('sqlrp_source', {'method': 'rp', 'degree': 1, 'p': sqlrp_whole('k', k, 1), 't': 1, 'c': 0.0, 'minimise': true,
{{common}}}));
