-- The functions have only pg_catalog on their search_path. They call each other, and read the catalogue, by the name of the
-- schema, which is written into them here. They run without jit, as compiling the text takes longer than running it, and with all
-- the digits of a number.
DO $do$
DECLARE
  place name := current_schema();
  own text := 'sqlrp_({{helpers}})';
  function record;
BEGIN
  PERFORM set_config('search_path', 'pg_catalog, pg_temp', true);
  EXECUTE format('CREATE OR REPLACE FUNCTION %I.sqlrp_schema() RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS %L', place,
    format('SELECT CAST(%L AS text)', quote_ident(place)));
  FOR function IN SELECT CAST(p.oid AS regprocedure) AS signature, pg_get_functiondef(p.oid) AS text
    FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname = place
    AND (p.proname ~ format('^%s$', own) OR p.proname ~ '^({{functions}}|project_with)(_sql)?$')
  LOOP
    EXECUTE regexp_replace(function.text, format('(?<![.''\w])(%s(?=\()|sqlrp_catalogue\M)', own),
      replace(quote_ident(place), '\', '\\') || '.\1', 'g');
    EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, pg_temp SET jit = off SET extra_float_digits = 1 '
      'SET standard_conforming_strings = on', function.signature);
  END LOOP;
  PERFORM set_config('search_path', quote_ident(place) || ', pg_temp', true);
END $do$;

COMMIT;
