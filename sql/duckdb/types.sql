-- The kinds of numbers: `base` of the features, `summing` of their sums, `result` of the outputs (sqlrp/lowering/job.py).
CREATE OR REPLACE MACRO sqlrp_bits(n) AS CAST(ceil(log2(coalesce(n, 2147483648) + 1)) AS INTEGER);

CREATE OR REPLACE MACRO sqlrp_base(numbers, n, scale, root) AS
  list_transform([sqlrp_common(numbers)], lambda base_n:
    CASE WHEN root IS NOT NULL AND root != floor(root) AND base_n['kind'] != 'float' THEN {'kind': 'double', 'bits': 0, 'digits': 0}
      WHEN scale AND (base_n['kind'] = 'decimal' OR (base_n['kind'] = 'int' AND base_n['bits'] + sqlrp_bits(n) > 63))
        THEN {'kind': 'double', 'bits': 0, 'digits': 0}
      WHEN base_n['kind'] = 'decimal' AND base_n['bits'] + sqlrp_bits(n) > 126 THEN {'kind': 'double', 'bits': 0, 'digits': 0}
      ELSE base_n END)[1];

-- The type of products: exact where the sums are integers and no scale follows, as long as 127 bits hold them.
CREATE OR REPLACE MACRO sqlrp_product(q, base, more, root) AS
  CASE WHEN q['method'] = 'rp' THEN sqlrp_type(base['kind'], base['bits'] + more, base['digits'])
    WHEN base['kind'] IN ('float', 'double') THEN upper(base['kind'])
    WHEN q['scale'] OR base['kind'] = 'decimal' THEN 'DOUBLE'
    ELSE list_transform([q['degree'] * (greatest(base['bits'], coalesce(length(bin(CAST(root AS BIGINT))), 0)) + more)
        + CAST(ceil(log2(q['t'])) AS BIGINT)], lambda product_bits:
      CASE WHEN product_bits > 127 THEN 'DOUBLE' ELSE sqlrp_type('int', product_bits, 0) END)[1] END;
