-- -- the arguments -----------------------------------------------------------------------------------------------------

-- An error as the caller sees it. The words of sqlrp_fail, and of texts that Python wrote, are inside the message of a failed
-- cast: they become the message, with a code of their own. Any other error stays as it is. (An error that is raised again
-- loses its CONTEXT and the text of the statement.)
CREATE OR REPLACE FUNCTION sqlrp_said(INOUT words text, INOUT code text, INOUT detail text, hint text)
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $f$
DECLARE
  own text := substring(words FROM '(sqlrp: .*).$');  -- the last character is a quote; which one depends on the language
BEGIN
  IF code = '22P02' AND own IS NOT NULL THEN
    words := own;
    code := '22000';
  END IF;
  detail := concat_ws(' ', nullif(detail, ''), nullif(hint, ''));
END $f$;

CREATE OR REPLACE FUNCTION sqlrp_refuse(words text, code text DEFAULT 'invalid_parameter_value') RETURNS void
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $f$
BEGIN
  RAISE EXCEPTION USING MESSAGE = words, ERRCODE = code;
END $f$;

CREATE OR REPLACE FUNCTION sqlrp_whole(name text, value bigint, low bigint) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $f$
BEGIN
  IF value IS NULL OR value NOT BETWEEN low AND {{last_feature}} THEN
    PERFORM sqlrp_refuse(format('%s = %s must be a whole number >= %s', name, coalesce(CAST(value AS text), 'NULL'), low));
  END IF;
  RETURN value;
END $f$;

-- An error for a degree or for tables that are too large, in Python's words. `p`: the parameters of a method. What is NULL or below 1 is
-- refused elsewhere.
CREATE OR REPLACE FUNCTION sqlrp_sized(p jsonb) RETURNS void LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $f$
DECLARE
  entries numeric := 1;
  names text[] := '{}';
  name text;
BEGIN
  IF CAST(p ->> 'degree' AS numeric) > {{most_degree}} THEN
    PERFORM sqlrp_refuse(format('degree = %s must be at most {{most_degree}}: lower degree', p ->> 'degree'), 'program_limit_exceeded');
  END IF;
  FOREACH name IN ARRAY CAST('{{{sizes}}}' AS text[]) LOOP
    IF CAST(p ->> name AS numeric) > 1 THEN
      entries := entries * CAST(p ->> name AS numeric);
      names := names || name;
    END IF;
  END LOOP;
  IF entries > {{most_stated}} THEN
    PERFORM sqlrp_refuse(format('%s = %s must be at most {{most_stated_shown}}: lower %s', array_to_string(names, ' * '), entries,
      array_to_string(names, ' or ')), 'program_limit_exceeded');
  END IF;
END $f$;

CREATE OR REPLACE FUNCTION sqlrp_one_of(name text, value text, choices text[]) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $f$
BEGIN
  IF value IS NULL OR value <> ALL (choices) THEN
    PERFORM sqlrp_refuse(format('%s = %s must be one of %s', name, quote_nullable(value), array_to_string(choices, ', ')));
  END IF;
  RETURN value;
END $f$;

CREATE OR REPLACE FUNCTION sqlrp_flag(name text, value boolean) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $f$
BEGIN
  IF value IS NULL THEN
    PERFORM sqlrp_refuse(format('%s = NULL must be true or false', name));
  END IF;
  RETURN value;
END $f$;

-- s as a number. "sqrt" is the square root of the number of features; n is NULL for an open vocabulary.
CREATE OR REPLACE FUNCTION sqlrp_s(s jsonb, n bigint) RETURNS double precision
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $f$
DECLARE
  x double precision;
BEGIN
  IF s IS NULL OR s IN ('null', '"sqrt"') THEN
    IF n IS NULL THEN
      PERFORM sqlrp_refuse('s = "sqrt" needs the number of features, which an open vocabulary does not have: '
        'pass n_features, or a number such as s = 3');
    END IF;
    RETURN sqrt(CAST(n AS double precision));
  END IF;
  x := CASE WHEN jsonb_typeof(s) = 'number' THEN s #>> '{}' END;
  IF x IS NULL OR x < 1 THEN
    PERFORM sqlrp_refuse(format('s = %s must be a number >= 1, or "sqrt" for the square root of the number of features',
      CASE WHEN jsonb_typeof(s) = 'string' THEN quote_literal(s #>> '{}') ELSE s #>> '{}' END));
  END IF;
  RETURN x;
END $f$;
