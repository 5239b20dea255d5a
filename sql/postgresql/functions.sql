-- -- the functions -----------------------------------------------------------------------------------------------------

-- The stages of a method with the parameters p. Whole numbers below 1, tables that are too large, and flags that are NULL, are refused here.
CREATE OR REPLACE FUNCTION sqlrp_method(method text, p jsonb, n bigint) RETURNS jsonb
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $f$
BEGIN
  PERFORM sqlrp_sized(p);
  RETURN CASE method
{{calls}}
  END;
END $f$;

-- One function for each method, its twin that returns the text, one that saves it, and one of one vector. A method with s has a second pair, for s => 'sqrt'.
-- An s that is NULL stands for the method's default.
DO $do$
DECLARE
  method record;
  given record;
  signature regprocedure;
  common text := 'key text DEFAULT ''id'', keep text[] DEFAULT ''{}'', features text[] DEFAULT NULL, array_column text DEFAULT NULL, '
    'feature text DEFAULT NULL, value text DEFAULT NULL, n_features bigint DEFAULT NULL';
  options text := 'scale boolean DEFAULT true, nulls text DEFAULT ''propagate'', lowering text DEFAULT ''auto''';
  written text;
  arguments text;
  names text[];  -- of the function, its twin, the function that saves, and the function of one vector
  -- The functions for callers, which word every error for them. An error handler is a subtransaction, which PostgreSQL before 17
  -- refuses while parallel workers run. So these functions are not parallel safe; the statement that they run may be parallel.
  outermost text := $t$CREATE OR REPLACE FUNCTION %I(%s) RETURNS %s LANGUAGE plpgsql %s PARALLEL UNSAFE AS $f$
DECLARE
  words text;
  code text;
  detail text;
  hint text;
BEGIN
  %s;
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS words = MESSAGE_TEXT, code = RETURNED_SQLSTATE, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
  SELECT s.words, s.code, s.detail INTO words, code, detail FROM sqlrp_said(words, code, detail, hint) s;
  IF detail = '' THEN
    RAISE EXCEPTION USING MESSAGE = words, ERRCODE = code;
  END IF;
  RAISE EXCEPTION USING MESSAGE = words, ERRCODE = code, DETAIL = detail;
END $f$ $t$;
  others text := '''key'', key, ''keep'', to_jsonb(keep), ''features'', to_jsonb(features), ''array_column'', array_column, '
    '''feature'', feature, ''value'', value, ''n_features'', n_features';
  stated text := '''scale'', scale, ''nulls'', nulls, ''lowering'', lowering';
  saved text := '''scale'', true, ''nulls'', ''propagate'', ''lowering'', ''auto''';
BEGIN
  FOR method IN SELECT * FROM (VALUES
{{methods}}) v(name, class, s, own, row_key, help)
  LOOP
    names := ARRAY[method.name, method.name || '_sql', replace(method.name, '_project', '_save'), replace(method.name, '_project', '_vector')];
    -- A function of an older release that lacks a parameter would make calls ambiguous.
    FOR signature IN SELECT CAST(p.oid AS regprocedure) FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
      WHERE n.nspname = current_schema() AND p.proname = ANY (names)
      AND NOT p.proargnames @> ARRAY(SELECT m[1] FROM regexp_matches(method.own || CASE WHEN p.proname LIKE '%\_sql' THEN ', dtype '
          WHEN p.proname LIKE '%\_vector' THEN ', n_features ' ELSE '' END,
        '(?:^|, )(\w+) ', 'g') m)
    LOOP
      EXECUTE format('DROP FUNCTION %s', signature);
    END LOOP;
    FOR given IN SELECT * FROM (VALUES
      (concat_ws(', ', 'k bigint DEFAULT 64', method.s), true),
      ('s text, k bigint DEFAULT 64', method.s IS NOT NULL)) v(first, there) WHERE there
    LOOP
      arguments := (SELECT string_agg(format('%L, %I', m[1], m[1]), ', ')
        FROM regexp_matches(given.first || ', ' || method.own, '(?:^|, )(\w+) ', 'g') m);
      written := format('%L, source, jsonb_build_object(%s), jsonb_build_object(%s', method.name, arguments,
        replace(others, ', key,', ', ' || method.row_key || ','));
      EXECUTE format(outermost, names[2], format('source regclass, %s, %s, %s, %s, output text DEFAULT ''array'', dtype text DEFAULT ''auto''',
        given.first, method.own, common, options), 'text', 'STABLE', format('RETURN (sqlrp_write(%s, %s, ''output'', output, ''dtype'', dtype))).written',
        written, stated));
      EXECUTE format(outermost, names[1], format('source regclass, %s, %s, %s, %s', given.first, method.own, common, options),
        'SETOF sqlrp_projected', 'STABLE', format('RETURN QUERY SELECT * FROM sqlrp_run((sqlrp_write(%s, %s))).written, %s, keep)', written, stated,
        method.row_key));
      EXECUTE format(outermost, names[3], format('name text, source regclass, %s, %s, %s, replace boolean DEFAULT false', given.first, method.own,
        common), 'text', 'VOLATILE', format('RETURN sqlrp_save(name, %s, %s), replace)', written, saved));
      IF method.row_key = 'key' THEN  -- not of a group
        EXECUTE format($t$CREATE OR REPLACE FUNCTION %I(vector double precision[], %s, %s, n_features bigint DEFAULT NULL, scale boolean DEFAULT true)
RETURNS double precision[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 100000 AS $f$
BEGIN
  RETURN sqlrp_project_vector(%L, vector, jsonb_build_object(%s), n_features, scale);
END $f$ $t$, names[4], given.first, method.own, method.name, arguments);
      END IF;
    END LOOP;
    FOR signature IN SELECT CAST(p.oid AS regprocedure) FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
      WHERE n.nspname = current_schema() AND p.proname = ANY (names)
    LOOP
      EXECUTE format('COMMENT ON FUNCTION %s IS %L', signature, method.help);
    END LOOP;
    INSERT INTO sqlrp_catalogue (kind, name, definition, fingerprint, version)
      SELECT 'function', e, method.class, NULL, '{{version}}' FROM unnest(names) e WHERE method.row_key = 'key' OR e NOT LIKE '%\_vector'
      ON CONFLICT (kind, name) DO UPDATE SET definition = excluded.definition, version = excluded.version;
  END LOOP;
  EXECUTE format(outermost, 'project_with_sql', 'projection text, source regclass', 'text', 'STABLE',
    'RETURN sqlrp_kept_text(sqlrp_kept(projection), source)');
  EXECUTE format(outermost, 'project_with', 'projection text, source regclass', 'SETOF sqlrp_projected', 'STABLE', 'RETURN QUERY SELECT p.* FROM '
    'sqlrp_kept(projection) k CROSS JOIN sqlrp_run(sqlrp_kept_text(k, source), k ->> ''key'', ARRAY(SELECT e FROM '
    'jsonb_array_elements_text(k -> ''keep'') WITH ORDINALITY u(e, i) ORDER BY i)) p');
  COMMENT ON FUNCTION project_with_sql(text, regclass) IS {{saved}};
  COMMENT ON FUNCTION project_with(text, regclass) IS {{saved}};
  INSERT INTO sqlrp_catalogue (kind, name, definition, fingerprint, version) VALUES ('function', 'project_with', NULL, NULL, '{{version}}'),
    ('function', 'project_with_sql', NULL, NULL, '{{version}}') ON CONFLICT (kind, name) DO UPDATE SET version = excluded.version;
END $do$;
