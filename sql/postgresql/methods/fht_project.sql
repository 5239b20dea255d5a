-- A sample of k entries of the Walsh-Hadamard transform of the row, padded with zeros and with drawn signs.
CREATE OR REPLACE FUNCTION {{stages}}({{parameters}}, n bigint) RETURNS jsonb
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $f$
DECLARE
  padded bigint;
  flips text;
  sample text;
BEGIN
  PERFORM sqlrp_known('{{class}}', n);
  padded := power(2, ceil(log(2, CAST(n AS numeric))));
  flips := format('SELECT f, sign AS flip FROM (%s) drawn', sqlrp_sign_text(seed, 1, 1, sqlrp_series(n, 'f'), {{flips}}));
  sample := format('SELECT f AS c, h %% %s AS j FROM (%s) drawn', padded, sqlrp_draw(seed, {{sample}}, 1, sqlrp_series(k, 'f')));
  -- A weight is flip(f) * (-1)^(the number of bits that f and the sampled entry share).
  RETURN sqlrp_pipeline(ARRAY[jsonb_build_object('outputs', k, 'exact', true, 'padded', padded,
    'terms', padded * greatest(log(2, CAST(padded AS numeric)), 1), 'flips', flips, 'sample', sample,
    'text', format('SELECT c, f, CASE WHEN length(replace(CAST(CAST(f & j AS bit(32)) AS text), ''0'', '''')) %% 2 = 0 '
    'THEN flip ELSE -flip END AS sign FROM (%s) flips CROSS JOIN (%s) sample', flips, sample))],
    1 / sqrt(CAST(k AS double precision)));
END $f$;
