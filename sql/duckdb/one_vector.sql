CREATE OR REPLACE MACRO {{function}}({{parameters}}) AS
  (WITH sqlrp_given AS MATERIALIZED (SELECT CAST(vector AS DOUBLE[]) AS sqlrp_vector)
    SELECT z FROM query({{step}}));
