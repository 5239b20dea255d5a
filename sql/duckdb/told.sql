CREATE OR REPLACE MACRO {{function}}_sql({{parameters}}) AS
  (SELECT text FROM query({{open}}true)));
