CREATE OR REPLACE MACRO {{function}}({{parameters}}) AS TABLE
  FROM query({{begin}}));
