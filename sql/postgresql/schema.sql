-- Check that this schema is safe to install in. The schema is not on the search_path during the check.
DO $do$
DECLARE
  place name := pg_catalog.current_schema();
  me name := current_user;
  strangers text;
  words text;
  signature regprocedure;
BEGIN
  PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
  IF place IS NULL THEN
    RAISE EXCEPTION 'the search_path names no schema that is there: SET search_path = my_schema' USING ERRCODE = 'invalid_schema_name';
  END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended('sqlrp_catalogue', 0));

  -- A role is trusted if it may act as the role that installs: that role itself, its members and superusers.
  SELECT {{creators}}
    INTO strangers FROM pg_namespace n WHERE n.nspname = place;
  IF strangers IS NOT NULL THEN
    words := format('others may create objects in schema %I (%s), and so run code with the rights of whoever calls the functions', place, strangers);
    IF current_setting('sqlrp.trust_schema', true) = 'on' THEN
      RAISE WARNING '%', words;
    ELSE
      RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege', MESSAGE = format('%s: install in a schema of your own, REVOKE CREATE '
        'ON SCHEMA %I FROM %s, or, if you trust them, SET sqlrp.trust_schema = on (in Python: trust_schema=True)', words, place, strangers);
    END IF;
  END IF;

  SELECT format('%s %I.%I belongs to role %I, who could change it later: drop it, or install in a schema of your own',
    o.kind, place, o.name, pg_get_userbyid(o.owner)) INTO words
    FROM (SELECT 'relation' AS kind, relname AS name, relowner AS owner FROM pg_class
      WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = place) AND relname IN ('sqlrp_catalogue', 'sqlrp_projected')
      UNION ALL SELECT 'type', typname, typowner FROM pg_type
      WHERE typnamespace = (SELECT oid FROM pg_namespace WHERE nspname = place) AND typname IN ('sqlrp_catalogue', 'sqlrp_projected')
      UNION ALL SELECT 'function', proname, proowner FROM pg_proc
      WHERE pronamespace = (SELECT oid FROM pg_namespace WHERE nspname = place) AND (proname LIKE 'sqlrp\_%'
        OR proname ~ '^({{functions}}|project_with)(_sql)?$')) o
    WHERE NOT pg_has_role(o.owner, me, 'MEMBER') ORDER BY o.kind, o.name LIMIT 1;
  IF words IS NOT NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege', MESSAGE = words;
  END IF;

  -- A function of install has settings that tell it from others of its name, which a call could find in its place.
  SELECT format('the function %s exists already, and sqlrp.install did not make it: it is never replaced; rename it, drop it, or install in '
    'another schema', CAST(p.oid AS regprocedure)) INTO words
    FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
    WHERE n.nspname = place AND (p.proname ~ '^({{functions}}|project_with)(_sql)?$' OR p.proname ~ '^sqlrp_({{helpers}})$')
    AND NOT {{own_function}} ORDER BY CAST(CAST(p.oid AS regprocedure) AS text) COLLATE "C" ASC LIMIT 1;
  IF words IS NOT NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'duplicate_function', MESSAGE = words;
  END IF;
  -- Functions that only others of this file call may return something else in another release, so they make way. One that a view calls stays.
  FOR signature IN SELECT CAST(p.oid AS regprocedure) FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
    WHERE n.nspname = place AND starts_with(p.proname, 'sqlrp_') AND {{own_function}}
  LOOP
    BEGIN
      EXECUTE format('DROP FUNCTION %s', signature);
    EXCEPTION WHEN dependent_objects_still_exist THEN
      NULL;
    END;
  END LOOP;
  SELECT format('the type %I.sqlrp_projected exists already, and sqlrp.install did not make it: rename it, drop it, or install in another schema',
    place) INTO words FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace LEFT JOIN pg_class c ON c.oid = t.typrelid
    WHERE n.nspname = place AND t.typname = 'sqlrp_projected' AND (c.relkind IS DISTINCT FROM 'c' OR (SELECT string_agg(format('%s %s', a.attname,
      format_type(a.atttypid, a.atttypmod)), ', ' ORDER BY a.attnum ASC) FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0
      AND NOT a.attisdropped) IS DISTINCT FROM 'key text, kept jsonb, z double precision[]') LIMIT 1;
  IF words IS NOT NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'duplicate_object', MESSAGE = words;
  END IF;

  -- An existing catalogue must hold plain text, and run no code when it is read or written.
  SELECT format('%I.sqlrp_catalogue %s, so reading or writing it could run code: drop that, or install in another schema', place, w.why) INTO words
    FROM pg_class c CROSS JOIN LATERAL (SELECT CASE
      WHEN c.relkind <> 'r' THEN 'is no plain table'
      WHEN c.relrowsecurity THEN 'has row security'
      WHEN EXISTS (SELECT 1 FROM pg_trigger WHERE tgrelid = c.oid AND NOT tgisinternal) THEN 'has a trigger'
      WHEN EXISTS (SELECT 1 FROM pg_rewrite WHERE ev_class = c.oid) THEN 'has a rule'
      WHEN EXISTS (SELECT 1 FROM pg_attrdef WHERE adrelid = c.oid) THEN 'has a default or a generated column'
      WHEN EXISTS (SELECT 1 FROM pg_inherits WHERE c.oid IN (inhrelid, inhparent)) THEN 'has a parent or child table'
      WHEN EXISTS (SELECT 1 FROM pg_constraint WHERE conrelid = c.oid AND contype = 'c') THEN 'has a check constraint'
      WHEN EXISTS (SELECT 1 FROM pg_index WHERE indrelid = c.oid AND (indexprs IS NOT NULL OR indpred IS NOT NULL))
        THEN 'has an index of an expression'
      WHEN EXISTS (SELECT 1 FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped
        AND atttypid NOT IN (CAST('text' AS regtype), CAST('varchar' AS regtype))) THEN 'has a column that is no text' END AS why) w
    WHERE c.oid = to_regclass(format('%I.sqlrp_catalogue', place)) AND w.why IS NOT NULL;
  IF words IS NOT NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege', MESSAGE = words;
  END IF;

  IF to_regtype(format('%I.sqlrp_projected', place)) IS NULL THEN
    EXECUTE format('CREATE TYPE %I.sqlrp_projected AS (key text, kept jsonb, z double precision[])', place);
  END IF;
  IF to_regclass(format('%I.sqlrp_catalogue', place)) IS NULL THEN
    EXECUTE format('CREATE TABLE %I.sqlrp_catalogue (kind TEXT NOT NULL, name TEXT NOT NULL, definition TEXT, fingerprint TEXT, '
      'version TEXT, PRIMARY KEY (kind, name))', place);
    -- sqlrp/_store/stored.py describes the format.
    EXECUTE format('INSERT INTO %I.sqlrp_catalogue (kind, name, definition, fingerprint, version) '
      'VALUES (''format'', ''{{format}}'', '''', '''', ''{{version}}'')', place);
  END IF;
  EXECUTE format('GRANT SELECT ON %I.sqlrp_catalogue TO PUBLIC', place);
  -- Temporary tables come last: one called sqlrp_catalogue would be written otherwise.
  PERFORM set_config('search_path', quote_ident(place) || ', pg_temp', true);
END $do$;
