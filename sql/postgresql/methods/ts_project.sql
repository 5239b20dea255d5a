-- The circular convolution of `degree` count sketches of length k.
CREATE OR REPLACE FUNCTION {{stages}}({{parameters}}, n bigint) RETURNS jsonb
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $f$
DECLARE
  stages jsonb[] := ARRAY[sqlrp_block_sums(n, degree, k, seed)];
BEGIN
  -- The sketches are convolved one after another. Those that wait are carried along.
  FOR ahead IN REVERSE degree - 2 .. 0 LOOP
    stages := stages || sqlrp_products((ahead + 1) * k, 2, k, k * k + ahead * k, true, format(
      'SELECT c * %1$s + i AS i, c, 1 AS w, ARRAY[i, %1$s + (c - i + %1$s) %% %1$s] AS v FROM %2$s c CROSS JOIN %3$s i '
      'UNION ALL SELECT %1$s * %1$s + i, %1$s + i, 1, ARRAY[2 * %1$s + i, -1] FROM %4$s i',
      k, sqlrp_series(k, 'c'), sqlrp_series(k, 'i'), sqlrp_series(ahead * k, 'i')));
  END LOOP;
  RETURN sqlrp_pipeline(stages, 1);
END $f$;
