-- Paley's Hadamard matrix of an order in hexadecimal digits: a bit for each entry, row by row, which is 1 for -1.
CREATE OR REPLACE FUNCTION sqlrp_paley(block bigint) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $f$
  SELECT CASE block
{{paley}}
  END
$f$;

-- A sample of k entries of a Hadamard transform of the row, padded with zeros and with drawn signs. The transform is the Kronecker
-- product of Paley's matrix of order `block`, or 1, and Walsh's of order `part`.
CREATE OR REPLACE FUNCTION {{stages}}({{parameters}}, n bigint) RETURNS jsonb
LANGUAGE plpgsql STABLE PARALLEL SAFE AS $f$
DECLARE
  padded bigint;
  part bigint;
  block bigint;
  flips text;
  sample text;
BEGIN
  PERFORM sqlrp_known('{{class}}', n);
  PERFORM sqlrp_one_of('padding', padding, '{{{paddings}}}');
  SELECT m << b, CAST(1 AS bigint) << b, m INTO padded, part, block
    FROM unnest(CASE padding WHEN 'least' THEN CAST('{1,{{paley_orders}}}' AS bigint[]) ELSE '{1}' END) m
    CROSS JOIN generate_series(0, 31) b WHERE m << b >= n ORDER BY m << b LIMIT 1;
  flips := format('SELECT f, sign AS flip FROM (%s) drawn', sqlrp_sign_text(seed, 1, 1, sqlrp_series(n, 'f'), {{flips}}));
  sample := CASE WHEN replacement
    THEN format('SELECT f AS c, h %% %s AS j FROM (%s) drawn', padded, sqlrp_draw(seed, {{sample}}, 1, sqlrp_series(k, 'f')))
    ELSE format('SELECT c, j FROM %s s JOIN (SELECT row_number() OVER (ORDER BY h, f) - 1 AS o, f AS j FROM (%s) drawn) p '
      'ON o = c %% %s', sqlrp_series(k, 'c'), sqlrp_draw(seed, {{subspace}}, 1, sqlrp_series(padded, 'f')), padded) END;
  -- A weight is flip(f) * (-1)^(the number of bits that f and the sampled entry share within a part) * the sign of the parts.
  RETURN sqlrp_pipeline(ARRAY[jsonb_build_object('outputs', k, 'exact', true, 'padded', padded, 'part', part, 'block', block,
    'whole', NOT replacement AND k = padded,
    'terms', CASE block WHEN 1 THEN padded * greatest(log(2, CAST(padded AS numeric)), 1)
      ELSE padded * (log(2, CAST(part AS numeric)) + block / 2) END, 'flips', flips, 'sample', sample,
    'text', format('SELECT c, f, CASE WHEN (length(replace(CAST(CAST(f & j & %s AS bit(32)) AS text), ''0'', ''''))%s) %% 2 = 0 '
    'THEN flip ELSE -flip END AS sign FROM (%s) flips CROSS JOIN (%s) sample', part - 1, CASE WHEN block > 1 THEN
    format(' + get_bit(decode(%L, ''hex''), CAST(j / %s * %s + f / %2$s AS integer))', sqlrp_paley(block), part, block) ELSE '' END,
    flips, sample))],
    1 / sqrt(CAST(k AS double precision)));
END $f$;
