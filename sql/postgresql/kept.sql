-- A projection kept by name: `sqlrp.save(projection, connection, name, source)` in Python keeps its text, written for the
-- columns of that source, in this schema's catalogue. It works for every source with these columns. It runs with the caller's
-- rights. So it is refused if other roles may write the catalogue: other than the roles that may act as the functions' owner or
-- as the caller. A caller who trusts them can SET sqlrp.trust_schema = on.
CREATE OR REPLACE FUNCTION sqlrp_kept(projection text) RETURNS jsonb LANGUAGE plpgsql STABLE PARALLEL SAFE AS $f$
DECLARE
  catalogue regclass := to_regclass(sqlrp_schema() || '.sqlrp_catalogue');
  owner oid := (SELECT proowner FROM pg_proc WHERE oid = to_regprocedure(sqlrp_schema() || '.project_with(text, regclass)'));
  me name := current_user;
  strangers text;
  kept jsonb;
BEGIN
  IF EXISTS (SELECT 1 FROM pg_class WHERE oid = catalogue AND (relkind <> 'r' OR relrowsecurity)) THEN
    PERFORM sqlrp_refuse(sqlrp_schema() || '.sqlrp_catalogue is no plain table, so reading it could run code: drop it, install and save again',
      'insufficient_privilege');
  END IF;
  SELECT {{writers}}
    INTO strangers FROM pg_class c WHERE c.oid = catalogue;
  IF strangers IS NOT NULL AND current_setting('sqlrp.trust_schema', true) IS DISTINCT FROM 'on' THEN
    PERFORM sqlrp_refuse(format('project_with runs a text of %s.sqlrp_catalogue with your rights, and %s may write it: REVOKE INSERT, '
      'UPDATE, and roles such as pg_write_all_data, or, if you trust them, SET sqlrp.trust_schema = on', sqlrp_schema(), strangers),
      'insufficient_privilege');
  END IF;
  IF catalogue IS NOT NULL THEN
    SELECT CAST(c.definition AS jsonb) INTO kept FROM ONLY sqlrp_catalogue c WHERE c.kind = 'text' AND c.name = projection;
  END IF;
  IF kept IS NULL THEN
    PERFORM sqlrp_refuse(format('no projection %s is saved here with a source: sqlrp.save(projection, connection, %1$s, source)',
      quote_nullable(projection)), 'undefined_object');
  END IF;
  IF NOT EXISTS (SELECT FROM ONLY sqlrp_catalogue c JOIN ONLY sqlrp_catalogue t ON t.kind = 'text' AND t.name = c.name
      AND t.fingerprint = c.fingerprint WHERE c.kind = 'projection' AND c.name = projection)
    OR kept ->> 'digest' IS DISTINCT FROM left(encode(sha256(convert_to(kept ->> 'text', 'UTF8')), 'hex'), 16) THEN
    PERFORM sqlrp_refuse(format('the text of projection %s was changed since it was saved, or is that of another one: '
      'sqlrp.save(projection, connection, %1$s, source, replace=True)', quote_nullable(projection)), 'data_corrupted');
  END IF;
  RETURN kept;
END $f$;

CREATE OR REPLACE FUNCTION sqlrp_kept_text(kept jsonb, source regclass) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $f$
  SELECT replace(kept ->> 'text', kept ->> 'place', sqlrp_relation(source))
$f$;
