-- -- the source --------------------------------------------------------------------------------------------------------

-- The text of a table after FROM.
CREATE OR REPLACE FUNCTION sqlrp_relation(source regclass) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $f$
  SELECT format('"%s"."%s"', replace(n.nspname, '"', '""'), replace(c.relname, '"', '""')) FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = source
$f$;

-- The columns of the source. `kind` is int (with `bits`), decimal (with `bits` and `digits`), double, or NULL for what is no
-- number, and `quoted` the name as text of SQL. For an array, and for a type with a cast to real[] such as pgvector's, it is the kind of the elements,
-- and `size` is their number if the type states it.
CREATE OR REPLACE FUNCTION sqlrp_columns(source regclass)
RETURNS TABLE (place integer, name text, quoted text, type text, kind text, bits integer, digits integer, nullable boolean, is_array boolean,
  is_vector boolean, size bigint, is_text boolean) LANGUAGE sql STABLE PARALLEL SAFE AS $f$
  SELECT CAST(a.attnum AS integer), CAST(a.attname AS text), '"' || replace(a.attname, '"', '""') || '"', format_type(d.oid, d.modifier),
    CASE WHEN e.typname IN ('int2', 'int4', 'int8') OR (e.typname = 'bool' AND d.element = 0) THEN 'int'
      WHEN e.typname = 'numeric' AND d.modifier >= 4 AND ((d.modifier - 4) & 2047) <= 1000 THEN 'decimal'
      WHEN e.typname IN ('float4', 'float8', 'numeric') OR v.vector THEN 'double' END,
    CASE e.typname WHEN 'bool' THEN 1 WHEN 'int2' THEN 15 WHEN 'int4' THEN 31 WHEN 'int8' THEN 63
      WHEN 'numeric' THEN CAST(ceil((((d.modifier - 4) >> 16) & 65535) * 3.321928094887362) AS integer) ELSE 0 END,
    CASE WHEN e.typname = 'numeric' AND d.modifier >= 4 THEN (d.modifier - 4) & 2047 ELSE 0 END,
    NOT (a.attnotnull OR t.typnotnull), d.element <> 0 OR v.vector, v.vector,
    CAST(substring(format_type(d.oid, d.modifier) FROM '(?:vector|halfvec)\((\d+)\)$') AS bigint),
    t.typtype = 'e' OR e.typname IN ('text', 'name', 'citext', 'char', 'bpchar', 'varchar')
  FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
  CROSS JOIN LATERAL (SELECT CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE t.oid END AS oid,
    CASE WHEN t.typtype = 'd' THEN t.typtypmod ELSE a.atttypmod END AS modifier) b
  JOIN pg_type o ON o.oid = b.oid
  CROSS JOIN LATERAL (SELECT b.oid, b.modifier, CASE WHEN o.typlen = -1 THEN o.typelem ELSE 0 END AS element) d
  JOIN pg_type e ON e.oid = CASE WHEN d.element <> 0 THEN d.element ELSE d.oid END
  CROSS JOIN LATERAL (SELECT EXISTS (SELECT 1 FROM pg_cast c
    WHERE c.castsource = d.oid AND c.casttarget = CAST('real[]' AS regtype)) AND d.element = 0 AS vector) v
  WHERE a.attrelid = source AND a.attnum > 0 AND NOT a.attisdropped
  ORDER BY a.attnum
$f$;

-- Why a column of text that is left out may be meant as a feature, in words; NULL if most of its values are no numbers. As `doubt` of
-- sqlrp/_lowering/left_out.py does, it looks at the first 100 rows.
CREATE OR REPLACE FUNCTION sqlrp_doubt(source regclass, name text) RETURNS text LANGUAGE plpgsql STABLE PARALLEL RESTRICTED AS $f$
DECLARE
  texts text[];
  others text[];
  odd text;
BEGIN
  EXECUTE format('SELECT array_agg(v) FROM (SELECT btrim(CAST(%I AS text), %L) AS v FROM %s LIMIT 100) s WHERE v <> %L',
    name, E' \t\n\r', sqlrp_relation(source), '') INTO texts;
  IF texts IS NULL OR (SELECT count(DISTINCT t) FROM unnest(texts) t) < 2 THEN
    RETURN NULL;
  END IF;
  others := ARRAY(SELECT t FROM unnest(texts) WITH ORDINALITY u(t, i) WHERE t !~ '^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$' ORDER BY i ASC);
  IF 2 * cardinality(others) < cardinality(texts) THEN
    RETURN format('%L is text, and most of it reads as numbers', name) || coalesce('; it holds ' || quote_literal(left(others[1], 20)), '');
  END IF;
  odd := (SELECT (array_agg(t ORDER BY i ASC))[1] FROM unnest(others) WITH ORDINALITY u(t, i)
    WHERE t ~ '^[+-]?(\d+|\d{1,3}([. '']\d{3})+),\d+$' HAVING 2 * count(*) > cardinality(texts));
  IF odd IS NOT NULL THEN
    RETURN format('%L holds %L, a number with a decimal comma', name, odd);
  END IF;
  odd := (SELECT (array_agg(t ORDER BY i ASC))[1] FROM unnest(others) WITH ORDINALITY u(t, i)
    WHERE t ~ '^[^\d\s+-]?[+-]?[^\d\s+-]?\d{1,3}(,\d{3})+(\.\d+)?$' HAVING 2 * count(*) > cardinality(texts));
  RETURN CASE WHEN odd IS NOT NULL THEN format('%L holds %L, a number with a sign between the digits', name, odd) END;
EXCEPTION WHEN OTHERS THEN  -- such as a view that fails for some rows: the call itself reads other columns
  RETURN NULL;
END $f$;

-- Warns of the columns that are neither features nor `kept`, if no one named the features and they may be meant as such: dates, and
-- text that reads as numbers. `columns` is as in sqlrp_write, and `n` the number of features.
CREATE OR REPLACE FUNCTION sqlrp_warn_left_out(source regclass, shown text, columns jsonb, kept text[], n bigint) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED AS $f$
DECLARE
  dates text;
  doubts text;
BEGIN
  SELECT string_agg(quote_literal(c.key), ', ' ORDER BY CAST(c.value ->> 'place' AS integer) ASC) INTO dates FROM jsonb_each(columns) c
    WHERE c.key <> ALL (kept) AND c.value ->> 'type' ~ '^(date|time|interval)' AND NOT CAST(c.value ->> 'is_array' AS boolean);
  SELECT string_agg(d.words, '; ' ORDER BY d.place ASC) INTO doubts FROM (
    SELECT c.place, sqlrp_doubt(source, c.name) AS words FROM (
      SELECT key AS name, CAST(value ->> 'place' AS smallint) AS place FROM jsonb_each(columns) WHERE key <> ALL (kept)
        AND (CAST(value ->> 'is_text' AS boolean) OR value ->> 'type' ~ '^(jsonb?|money)$') AND NOT CAST(value ->> 'is_array' AS boolean)
      ORDER BY place ASC LIMIT 50) c WHERE has_column_privilege(source, c.place, 'SELECT')) d;
  IF dates IS NOT NULL OR doubts IS NOT NULL THEN
    RAISE WARNING 'the features are the % numeric columns of %; left out: %; name the features, or put what is to pass through into keep',
      n, shown, concat_ws('; ', 'date ' || dates, doubts || '; cast what is meant as a number');
  END IF;
END $f$;

-- The type for sums of whole numbers of so many bits. NULL: Arrow has no type for them.
CREATE OR REPLACE FUNCTION sqlrp_type(kind text, bits integer) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $f$
  SELECT CASE WHEN kind = 'double' THEN 'double precision' WHEN bits > 252 THEN NULL
    WHEN kind = 'decimal' OR bits > 63 THEN 'numeric' WHEN bits > 31 THEN 'bigint' ELSE 'integer' END
$f$;
