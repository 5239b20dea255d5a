-- One vector: the components of an array, with the signs of the rows. The statement is that of a table, whose place the array takes.
CREATE OR REPLACE FUNCTION sqlrp_project_vector(method text, vector double precision[], p jsonb, n_features bigint, scale boolean)
RETURNS double precision[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $f$
DECLARE
  place regclass := to_regclass(sqlrp_schema() || '.sqlrp_projected');  -- a type with an array named z
  z double precision[];
BEGIN
  IF n_features < 1 THEN
    PERFORM sqlrp_refuse(format('n_features = %s must be a whole number >= 1', n_features));
  ELSIF cardinality(vector) <> n_features THEN
    PERFORM sqlrp_refuse(format('vector has %s numbers, and n_features = %s: pass one number for each feature, in their order',
      cardinality(vector), n_features));
  END IF;
  IF vector IS NOT NULL THEN
    EXECUTE replace((sqlrp_write(method, place, p, jsonb_build_object('key', NULL, 'array_column', 'z', 'n_features', cardinality(vector),
        'scale', scale, 'nulls', 'propagate', 'lowering', 'relational', 'output', 'array'))).written,
      sqlrp_relation(place), '(SELECT $1 AS z) sqlrp_given') INTO z USING vector;
  END IF;
  RETURN z;
END $f$;
