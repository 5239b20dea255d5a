-- -- the portable draw: sqlrp/_core/draw.py says why it is good ---------------------------------------------------------------

-- The first 31 bits of the fractional part of the square roots of the first 32 primes: four polynomials of degree 7, the highest power first.
CREATE OR REPLACE MACRO sqlrp_constants() AS
  CAST('[[{{falling0}}],
   [{{falling1}}],
   [{{falling2}}],
   [{{falling3}}]]' AS BIGINT[][]);

-- The polynomial with the coefficients a, the highest power first.
CREATE OR REPLACE MACRO sqlrp_horner(a, x) AS
  list_reduce(a, lambda horner_h, horner_a: (horner_h * x + horner_a) % {{prime}});

-- The 64 coefficients of a seed, as one list `a` from the last to the first. Purposes: {{purposes}}.
CREATE OR REPLACE MACRO sqlrp_seed(seed, purpose) AS TABLE
  SELECT list_transform(range(64 * purpose + 63, 64 * purpose - 1, -1), lambda seed_i:
    (sqlrp_horner(sqlrp_constants()[3], (m[1] + seed_i) % {{prime}}) + sqlrp_horner(sqlrp_constants()[4], (m[2] + seed_i) % {{prime}})) % {{prime}}) AS a
  FROM (SELECT list_transform(sqlrp_constants()[1:2], lambda seed_a, seed_i: sqlrp_horner(seed_a, (m[seed_i] + high) % {{prime}})) AS m
    FROM (SELECT list_transform(sqlrp_constants()[1:2], lambda seed_a: sqlrp_horner(seed_a, low)) AS m, high
      FROM (SELECT CAST(seed AS BIGINT) % {{prime}} AS low, CAST(seed AS BIGINT) // {{prime}} AS high) s) s) s;

-- The eight coefficients of components 0 ... n-1, one row each.
CREATE OR REPLACE MACRO sqlrp_components(seed, purpose, n) AS TABLE
  SELECT c, b[8] AS b0, b[7] AS b1, b[6] AS b2, b[5] AS b3, b[4] AS b4, b[3] AS b5, b[2] AS b6, b[1] AS b7
  FROM (SELECT c, list_transform(range(1, 65, 8), lambda components_i: sqlrp_horner(a[components_i : components_i + 7], c)) AS b
    FROM (SELECT a, unnest(range(CAST(n AS BIGINT))) AS c FROM sqlrp_seed(seed, purpose)) n) n;

-- The entry h(c, f) of a component and a feature f. A remainder takes longer than a product, and below 1024 three of them do.
CREATE OR REPLACE MACRO sqlrp_entry(b0, b1, b2, b3, b4, b5, b6, b7, f) AS
  CASE WHEN f < 1024 THEN (((((((b7*f+b6)*f+b5)*f+b4)%{{prime}}*f+b3)*f+b2)*f+b1)%{{prime}}*f+b0)%{{prime}}
    ELSE ((((((((((((((b7*f+b6)%{{prime}})*f+b5)%{{prime}})*f+b4)%{{prime}})*f+b3)%{{prime}})*f+b2)%{{prime}})*f+b1)%{{prime}})*f+b0)%{{prime}}) END;

-- A SELECT of the entry h for every component c in 0 ... n-1 and every feature f of sqlrp_features.
CREATE OR REPLACE MACRO sqlrp_drawn(seed, purpose, n) AS
  '(SELECT c, f, sqlrp_entry(b0, b1, b2, b3, b4, b5, b6, b7, f) AS h FROM sqlrp_features CROSS JOIN sqlrp_components('
    || seed || ', ' || purpose || ', ' || n || ')) drawn';

-- Append one more permutation to those that are dealt. A component that takes from both gets no vector twice.
CREATE OR REPLACE MACRO sqlrp_deal(dealt, next, size) AS
  CASE WHEN len(dealt) % size = 0 THEN dealt || next ELSE
    list_transform([list_filter(next, lambda deal_v: NOT list_contains(dealt[-(len(dealt) % size):], deal_v))
                    [:size - len(dealt) % size]],
      lambda deal_head: dealt || deal_head || list_filter(next, lambda deal_v: NOT list_contains(deal_head, deal_v)))[1] END;

-- The index table: `size` distinct vectors of p for each of k components, as one list of size*k.
CREATE OR REPLACE MACRO sqlrp_index_table(p, size, k, seed, minimise) AS TABLE
  SELECT CASE WHEN minimise THEN list_reduce(list(v ORDER BY c ASC), lambda index_dealt, index_next:
      sqlrp_deal(index_dealt, index_next, size))[:size * k] ELSE flatten(list(v[:size] ORDER BY c ASC)) END AS a
  FROM (SELECT c, list(f ORDER BY h ASC, f ASC) AS v FROM (SELECT c, f, sqlrp_entry(b0, b1, b2, b3, b4, b5, b6, b7, f) AS h
      FROM sqlrp_components(seed, {{index}}, CASE WHEN minimise THEN CAST(ceil(size * k / p) AS BIGINT) ELSE k END),
      (SELECT unnest(range(CAST(p AS BIGINT))) AS f) n) drawn GROUP BY c) dealt;
