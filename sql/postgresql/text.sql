-- -- text --------------------------------------------------------------------------------------------------------------

-- Terms in chains of 32 within a tree: parsers take a short chain faster than a tree, and a long one slower.
CREATE OR REPLACE FUNCTION sqlrp_tree(terms text[], operator text) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $f$
BEGIN
  WHILE cardinality(terms) > 1 LOOP
    terms := ARRAY(SELECT CASE WHEN i < cardinality(terms) THEN '(' || array_to_string(terms[i : i + 31], operator) || ')'
      ELSE terms[i] END FROM generate_series(1, cardinality(terms), 32) i ORDER BY i);
  END LOOP;
  RETURN terms[1];
END $f$;

-- The sum of the first terms minus the sum of the second.
CREATE OR REPLACE FUNCTION sqlrp_difference(plus text[], minus text[]) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $f$
  SELECT CASE WHEN minus IS NULL THEN sqlrp_tree(plus, '+') WHEN plus IS NULL THEN '-' || sqlrp_tree(minus, '+')
    ELSE '(' || sqlrp_tree(plus, '+') || '-' || sqlrp_tree(minus, '+') || ')' END
$f$;

-- A number as Python writes it for a kind of numbers: int, decimal or double.
CREATE OR REPLACE FUNCTION sqlrp_literal(number double precision, kind text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $f$
  SELECT {{literal}}
$f$;

-- An expression that fails with these words when it is run, because they are no number. clock_timestamp() keeps the planner from
-- computing it earlier.
CREATE OR REPLACE FUNCTION sqlrp_fail(words text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $f$
  SELECT format('CAST(%L || left(CAST(clock_timestamp() AS text), 0) AS bigint)', words)
$f$;
