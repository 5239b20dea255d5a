-- -- the stages of a call ----------------------------------------------------------------------------------------------------
-- DuckDB binds a lambda's body twice, so nested lambdas cost 2 to the depth. A call is therefore a chain of queries, each
-- of which writes the next: the arguments, then the frame, then the plan travel as JSON from one to the other.

CREATE OR REPLACE MACRO sqlrp_next(stage, value) AS
  'FROM query(' || stage || '(' || sqlrp_string(CAST(to_json(value) AS VARCHAR)) || '))';

CREATE OR REPLACE MACRO sqlrp_shape_of_arguments() AS
  '{"method": "VARCHAR", "relation": "VARCHAR", "k": "BIGINT", "s": "VARCHAR", "s_type": "VARCHAR", "seed": "BIGINT",
    "degree": "BIGINT", "p": "BIGINT", "t": "BIGINT", "c": "DOUBLE", "minimise": "BOOLEAN", "key": "VARCHAR",
    "keep": ["VARCHAR"], "features": ["VARCHAR"], "array_column": "VARCHAR", "feature": "VARCHAR", "value": "VARCHAR",
    "n_features": "BIGINT", "output": "VARCHAR", "scale": "BOOLEAN", "nulls": "VARCHAR", "lowering": "VARCHAR"}';

CREATE OR REPLACE MACRO sqlrp_shape_of_frame() AS
  '{"layout": "VARCHAR", "features": [{"name": "VARCHAR", "type": "VARCHAR", "nullable": "BOOLEAN"}], "text": "BOOLEAN",
    "ragged": "BOOLEAN", "n": "BIGINT", "numbers": [{"kind": "VARCHAR", "bits": "BIGINT", "digits": "BIGINT"}]}';

-- The arguments meet the columns: which of them pass through, which are features.
CREATE OR REPLACE MACRO sqlrp_source(arguments) AS
  list_transform([sqlrp_check(from_json(arguments, sqlrp_shape_of_arguments()))], lambda q:
  list_transform([sqlrp_columns(q['relation'])], lambda columns:
    sqlrp_next('sqlrp_plan', {'q': q, 'f': sqlrp_frame(q, columns),
      'kept': CASE WHEN q['key'] IS NULL THEN [] ELSE [sqlrp_find(columns, q['key'], 'key', q['relation'])['name']] END
        || list_transform(q['keep'], lambda write_n: sqlrp_find(columns, write_n, 'keep column', q['relation'])['name'])}))[1])[1];

-- s as a number, and the constant feature of an inhomogeneous kernel.
CREATE OR REPLACE MACRO sqlrp_shape_of_source() AS
  '{"q": ' || sqlrp_shape_of_arguments() || ', "f": ' || sqlrp_shape_of_frame() || ', "kept": ["VARCHAR"], "root": "DOUBLE", "s": "DOUBLE"}';

CREATE OR REPLACE MACRO sqlrp_plan(arguments) AS
  list_transform([from_json(arguments, sqlrp_shape_of_source())], lambda a:
    sqlrp_next('sqlrp_kinds', {'q': a['q'], 'f': a['f'], 'kept': sqlrp_free(a['kept'], a['q']['output'], a['q']['k']),
      'root': CASE WHEN a['q']['c'] > 0 THEN sqrt(a['q']['c']) END,
      's': sqlrp_s(a['q']['s'], a['q']['s_type'], a['f']['n'])}))[1];

-- The types of sums and products (sqlrp/lowering/job.py).
CREATE OR REPLACE MACRO sqlrp_kinds(arguments) AS
  list_transform([from_json(arguments, sqlrp_shape_of_source())], lambda a:
  list_transform([sqlrp_base(a['f']['numbers'], a['f']['n'], a['q']['scale'], a['root'])], lambda base:
    sqlrp_next('sqlrp_choose', {'a': a, 'summing': sqlrp_type(base['kind'], base['bits'] + sqlrp_bits(a['f']['n']), base['digits']),
      'product': sqlrp_product(a['q'], base, sqlrp_bits(a['f']['n']), a['root'])}))[1])[1];

-- The thresholds, the scale, the index table, and which lowering.
CREATE OR REPLACE MACRO sqlrp_choose(arguments) AS
  list_transform([from_json(arguments, '{"a": ' || sqlrp_shape_of_source() || ', "summing": "VARCHAR", "product": "VARCHAR"}')], lambda v:
    sqlrp_next(CASE WHEN v['a']['q']['lowering'] = 'relational' OR v['a']['f']['layout'] = 'long'
          OR (v['a']['q']['lowering'] = 'auto' AND v['a']['q']['p'] * v['a']['f']['n'] / v['a']['s'] > 100000)
        THEN 'sqlrp_relational' ELSE 'sqlrp_inline' END,
      {'method': v['a']['q']['method'], 'k': v['a']['q']['k'], 'p': v['a']['q']['p'], 't': v['a']['q']['t'],
       'degree': v['a']['q']['degree'], 'seed': v['a']['q']['seed'], 'nulls': v['a']['q']['nulls'], 'output': v['a']['q']['output'],
       'relation': v['a']['q']['relation'], 'f': v['a']['f'], 'kept': v['a']['kept'], 'root': v['a']['root'],
       'summing': v['summing'], 'product': v['product'], 'zero': sqlrp_literal(0, v['summing']),
       'low': CAST(floor({{prime}} / (2 * v['a']['s'])) AS BIGINT), 'high': CAST(floor({{prime}} / v['a']['s']) AS BIGINT),
       'result': CASE WHEN v['a']['q']['scale'] AND v['product'] NOT IN ('FLOAT', 'DOUBLE') THEN 'DOUBLE' ELSE v['product'] END,
       'factor': CASE WHEN v['a']['q']['scale'] THEN sqlrp_literal(CASE WHEN v['a']['q']['method'] = 'rp'
           THEN sqrt(v['a']['s'] / v['a']['q']['k'])
           ELSE pow(v['a']['s'], v['a']['q']['degree'] / 2) / sqrt(v['a']['q']['k'] * v['a']['q']['t']) END,
         CASE WHEN v['product'] = 'FLOAT' THEN 'FLOAT' ELSE 'DOUBLE' END) END,
       'index': CASE WHEN v['a']['q']['method'] = 'pk' THEN sqlrp_index(v['a']['q']['seed'], v['a']['q']['p'],
         v['a']['q']['degree'] * v['a']['q']['t'], v['a']['q']['k'], v['a']['q']['minimise']) END}))[1];

CREATE OR REPLACE MACRO sqlrp_shape_of_plan() AS
  '{"method": "VARCHAR", "k": "BIGINT", "p": "BIGINT", "t": "BIGINT", "degree": "BIGINT", "seed": "BIGINT", "nulls": "VARCHAR",
    "output": "VARCHAR", "relation": "VARCHAR", "kept": ["VARCHAR"], "root": "DOUBLE", "summing": "VARCHAR", "product": "VARCHAR",
    "zero": "VARCHAR", "low": "BIGINT", "high": "BIGINT", "result": "VARCHAR", "factor": "VARCHAR", "index": [["BIGINT"]],
    "f": ' || sqlrp_shape_of_frame() || '}';

CREATE OR REPLACE MACRO sqlrp_inline(plan) AS
  list_transform([from_json(plan, sqlrp_shape_of_plan())], lambda w: sqlrp_next('sqlrp_inline_text', {'w': w, 'rows': sqlrp_rows(w),
    'values': sqlrp_values(w), 'sums': sqlrp_sums(
      sqlrp_entries(w['seed'], {{signs}}, w['p'], range(w['f']['n']) || CASE WHEN w['root'] IS NULL THEN [] ELSE [{{constant_feature}}] END),
      list_transform(range(w['f']['n']), lambda inline_j: 'x' || inline_j)
        || CASE WHEN w['root'] IS NULL THEN [] ELSE [sqlrp_literal(w['root'], w['summing'])] END,
      w['low'], w['high'], w['zero'])}))[1];

CREATE OR REPLACE MACRO sqlrp_inline_text(parts) AS
  list_transform([from_json(parts, '{"w": ' || sqlrp_shape_of_plan() || ', "values": ["VARCHAR"], "sums": ["VARCHAR"], '
    || '"rows": {"relation": "VARCHAR", "carried": ["VARCHAR"], "ok": "VARCHAR"}}')], lambda v: sqlrp_inline_shape(v['w'],
      v['rows'], v['values'], v['sums']))[1];

CREATE OR REPLACE MACRO sqlrp_relational(plan) AS
  list_transform([from_json(plan, sqlrp_shape_of_plan())], lambda relational_w: sqlrp_relational_text(relational_w))[1];

-- -- the table functions ----------------------------------------------------------------------------------------------------
