-- -- the portable draw: sqlrp/core/draw.py says why it is good ---------------------------------------------------------------

-- The first 31 bits of the fractional part of the square roots of the first 32 primes: four polynomials of degree 7.
CREATE OR REPLACE MACRO sqlrp_constants() AS
  CAST([[{{constants0}}],
   [{{constants1}}],
   [{{constants2}}],
   [{{constants3}}]] AS BIGINT[][]);

CREATE OR REPLACE MACRO sqlrp_horner(a, x) AS
  list_reduce(list_reverse(a), lambda horner_h, horner_a: (horner_h * x + horner_a) % {{prime}});

-- The 64 coefficients of a seed, as eight lists of eight. Purposes: {{purposes}}.
CREATE OR REPLACE MACRO sqlrp_seed(seed, purpose) AS
  list_transform([list_transform([1, 2], lambda seed_q: sqlrp_horner(sqlrp_constants()[seed_q],
      (sqlrp_horner(sqlrp_constants()[seed_q], CAST(seed AS BIGINT) % {{prime}})
       + CAST(seed AS BIGINT) // {{prime}}) % {{prime}}))],
    lambda seed_mixed: list_transform(range(8), lambda seed_i: list_transform(range(8), lambda seed_j:
      (sqlrp_horner(sqlrp_constants()[3], (seed_mixed[1] + 64 * purpose + 8 * seed_i + seed_j) % {{prime}})
       + sqlrp_horner(sqlrp_constants()[4], (seed_mixed[2] + 64 * purpose + 8 * seed_i + seed_j) % {{prime}})) % {{prime}})))[1];

-- The eight coefficients of a component, and the entry of a feature.
CREATE OR REPLACE MACRO sqlrp_component(a, c) AS
  list_transform(a, lambda component_u: sqlrp_horner(component_u, c));

CREATE OR REPLACE MACRO sqlrp_entry(b, f) AS
  ((((((((((((((b[8]*CAST(f AS BIGINT)+b[7])%{{prime}})*CAST(f AS BIGINT)+b[6])%{{prime}})*CAST(f AS BIGINT)+b[5])%{{prime}})*CAST(f AS BIGINT)+b[4])%{{prime}})*CAST(f AS BIGINT)+b[3])%{{prime}})*CAST(f AS BIGINT)+b[2])%{{prime}})*CAST(f AS BIGINT)+b[1])%{{prime}});

-- The entries h(c, f) of every component (a list each) over the given features.
CREATE OR REPLACE MACRO sqlrp_entries(seed, purpose, components, features) AS
  list_transform([sqlrp_seed(seed, purpose)], lambda entries_a:
    list_transform(range(components), lambda entries_c:
      list_transform([sqlrp_component(entries_a, entries_c)], lambda entries_b:
        list_transform(features, lambda entries_f: sqlrp_entry(entries_b, entries_f)))[1]))[1];

-- The numbers 0 … p-1, sorted by (entry, number).
CREATE OR REPLACE MACRO sqlrp_order(entries) AS
  list_transform(list_sort(list_transform(entries, lambda order_h, order_i: {'h': order_h, 'v': order_i - 1})), lambda order_e: order_e['v']);

-- Append one more permutation to those that are dealt. A component that takes from both gets no vector twice.
CREATE OR REPLACE MACRO sqlrp_deal(dealt, next, size) AS
  CASE WHEN len(dealt) % size = 0 THEN dealt || next ELSE
    list_transform([list_filter(next, lambda deal_v: NOT list_contains(dealt[-(len(dealt) % size):], deal_v))
                    [:size - len(dealt) % size]],
      lambda deal_head: dealt || deal_head || list_filter(next, lambda deal_v: NOT list_contains(deal_head, deal_v)))[1] END;

-- The index table: k lists of `size` distinct vectors of p.
CREATE OR REPLACE MACRO sqlrp_index(seed, p, size, k, minimise) AS
  CASE WHEN minimise THEN
    list_transform([list_reduce(
        list_transform(sqlrp_entries(seed, {{index}}, CAST(ceil(size * k / p) AS BIGINT), range(p)), lambda index_e: sqlrp_order(index_e)),
        lambda index_dealt, index_next: sqlrp_deal(index_dealt, index_next, size), CAST([] AS BIGINT[]))],
      lambda index_flat: list_transform(range(k), lambda index_c: index_flat[index_c * size + 1 : (index_c + 1) * size]))[1]
  ELSE list_transform(sqlrp_entries(seed, {{index}}, k, range(p)), lambda index_e: sqlrp_order(index_e)[:size]) END;
