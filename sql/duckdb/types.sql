-- -- the types -----------------------------------------------------------------------------------------------------------
-- The types of sums and products (sqlrp/_lowering/job.py). Whole numbers stay exact unless they are scaled or need too many bits.

CREATE OR REPLACE MACRO sqlrp_bits(terms) AS CAST(ceil(log2(greatest(terms, 1))) AS BIGINT);

-- The most entries, where their number is text.
CREATE OR REPLACE MACRO sqlrp_most(size) AS coalesce(TRY_CAST(size AS BIGINT), 2147483648);

-- The kind of number after a stage, where `a` is what is known before it.
CREATE OR REPLACE MACRO sqlrp_grown(stage, a, scale) AS
  CASE WHEN a['kind'] IN ('float', 'double') THEN {'kind': a['kind'], 'bits': 0, 'digits': 0}
    WHEN stage['kind'] = 'products' AND scale THEN {'kind': 'double', 'bits': 0, 'digits': 0}
    ELSE list_transform([{'kind': a['kind'], 'bits': CAST(CASE stage['kind']
          WHEN 'signs' THEN a['bits'] + sqlrp_bits(sqlrp_most(a['size']) + 1)
          WHEN 'weights' THEN a['bits'] + sqlrp_bits((sqlrp_most(a['size']) + 1) * stage['largest'])
          WHEN 'reflect' THEN a['bits'] + sqlrp_bits(3 * sqlrp_most(a['size'])) WHEN 'group' THEN a['bits'] + 31
          WHEN 'products' THEN a['bits'] * stage['factors'] + sqlrp_bits(stage['heaviest'])
          WHEN 'append' THEN greatest(a['bits'], CAST(floor(log2(greatest(stage['value'] * pow(10, a['digits']), 1))) AS BIGINT) + 1)
          ELSE a['bits'] END AS BIGINT),
        'digits': CASE WHEN stage['kind'] = 'products' THEN a['digits'] * stage['factors'] ELSE a['digits'] END}], lambda grown_g:
      CASE WHEN sqlrp_type(grown_g['kind'], grown_g['bits'], grown_g['digits']) IS NULL OR ((stage['largest'] <> 1
          OR stage['kind'] IN ('products', 'reflect')) AND (grown_g['kind'] <> 'int' OR grown_g['bits'] > 127))
        THEN {'kind': 'double', 'bits': 0, 'digits': 0} ELSE grown_g END)[1] END;

-- One stage more. `held` is the type of the entries before it; NULL before the first stage that needs a type of its own.
CREATE OR REPLACE MACRO sqlrp_typed_stage(stage, a, scale) AS
  list_transform(list_transform([sqlrp_grown(stage, a, scale)], lambda typed_g: {'g': typed_g, 'after': sqlrp_type(typed_g['kind'], typed_g['bits'], typed_g['digits'])}),
    lambda typed_v: {'stage': stage, 'kind': typed_v['g']['kind'], 'bits': CAST(typed_v['g']['bits'] AS BIGINT), 'digits': CAST(typed_v['g']['digits'] AS BIGINT),
       'size': coalesce(stage['outputs'], CASE WHEN stage['kind'] = 'append' THEN sqlrp_plus_one(a['size']) ELSE a['size'] END),
       'held': CASE WHEN stage['kind'] = 'append' THEN a['held'] ELSE typed_v['after'] END,
       'first': coalesce(a['first'], CASE WHEN stage['kind'] = 'append' THEN NULL WHEN stage['kind'] IN ('signs', 'weights', 'reflect') THEN typed_v['after']
         ELSE sqlrp_type(a['kind'], a['bits'], a['digits']) END),
       'last': typed_v['after'],
       'steps': a['steps'] || [{'stage': stage, 'held': a['held'], 'after': typed_v['after'], 'n': a['size'], 'constant': a['constant']}],
       'constant': stage['kind'] = 'append'})[1];

CREATE OR REPLACE MACRO sqlrp_before(number, n, stage) AS
  {'stage': stage, 'kind': number['kind'], 'bits': CAST(number['bits'] AS BIGINT), 'digits': CAST(number['digits'] AS BIGINT),
   'size': coalesce(CAST(n AS VARCHAR), '2147483648'), 'held': CAST(NULL AS VARCHAR), 'first': CAST(NULL AS VARCHAR), 'last': CAST(NULL AS VARCHAR),
   'steps': CAST([] AS STRUCT(stage STRUCT(kind VARCHAR, outputs VARCHAR, text VARCHAR, exact BOOLEAN, largest BIGINT, factors BIGINT,
      heaviest BIGINT, value DOUBLE, dense BOOLEAN, drawn VARCHAR, terms VARCHAR, form VARCHAR), held VARCHAR, after VARCHAR, n VARCHAR, constant BOOLEAN)[]),
   'constant': false};

-- The stages with the type that each one leaves, and `first`, the type that features are read in.
CREATE OR REPLACE MACRO sqlrp_typed(stages, number, n, scale) AS
  list_reduce(list_transform(stages, lambda typed_s: sqlrp_before(number, n, typed_s)), lambda typed_a, typed_e:
    sqlrp_typed_stage(typed_e['stage'], typed_a, scale),
    sqlrp_before(number, n, stages[1]));

-- The kind of features that are whole numbers or decimals, as the stages take them.
CREATE OR REPLACE MACRO sqlrp_base(number, stages, n, scale) AS
  list_transform([{'n': number, 'bits': number['bits'] + sqlrp_bits(coalesce(n, 2147483648) + 1)}], lambda base_b:
    CASE WHEN list_contains(list_transform(stages, lambda base_s: base_s['exact']), false)
        OR (scale AND (base_b['n']['kind'] = 'decimal' OR base_b['bits'] > 63)) OR sqlrp_type(base_b['n']['kind'], base_b['bits'], base_b['n']['digits']) IS NULL
      THEN {'kind': 'double', 'bits': 0, 'digits': 0} ELSE base_b['n'] END)[1];

-- The number of entries before each stage and after the last.
CREATE OR REPLACE MACRO sqlrp_sizes(stages, size) AS
  list_reduce(list_transform(stages, lambda sizes_s: [CASE WHEN sizes_s['kind'] = 'append' THEN '+' ELSE sizes_s['outputs'] END]), lambda sizes_a, sizes_e:
    sizes_a || [CASE WHEN sizes_e[1] = '+' THEN sqlrp_plus_one(sizes_a[-1]) ELSE coalesce(sizes_e[1], sizes_a[-1]) END], [size]);
