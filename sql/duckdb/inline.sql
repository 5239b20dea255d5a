-- -- the statements -------------------------------------------------------------------------------------------------------

-- The outputs over `relation`, one expression a component (inline) or one list column x (relational).
CREATE OR REPLACE MACRO sqlrp_shape(w, relation, z, guarded) AS
  list_transform([{'own': list_transform(w['kept'], lambda shape_n, shape_i: 'c' || (shape_i - 1) || ' AS ' || sqlrp_quote(shape_n)),
                   'c': list_transform(w['kept'], lambda shape_n, shape_i: 'c' || (shape_i - 1)),
                   'z': CASE WHEN w['factor'] IS NULL THEN z ELSE list_transform(z, lambda shape_z: w['factor'] || '*' || shape_z) END}],
    lambda shape_o: CASE w['output']
      WHEN 'columns' THEN 'SELECT ' || array_to_string(shape_o['own'] || list_transform(shape_o['z'], lambda shape_z, shape_i:
          shape_z || CASE WHEN guarded THEN '+ok' ELSE '' END || ' AS z' || (shape_i - 1)), ', ') || ' FROM ' || relation
      WHEN 'array' THEN 'SELECT ' || array_to_string(shape_o['own'] || [CASE WHEN guarded THEN 'CASE WHEN ok IS NOT NULL THEN ' ELSE '' END
          || 'CAST([' || array_to_string(shape_o['z'], ', ') || '] AS ' || w['result'] || '[' || len(shape_o['z']) || '])'
          || CASE WHEN guarded THEN ' END' ELSE '' END || ' AS z'], ', ')
          || ' FROM ' || relation
      ELSE CASE WHEN w['f']['layout'] = 'long' THEN 'SELECT * FROM (' ELSE '' END
          || 'SELECT ' || array_to_string(shape_o['own'] || ['unnest(range(len(z))) AS component', 'unnest(z) AS value'], ', ')
          || ' FROM (SELECT ' || array_to_string(shape_o['c'] || ['[' || array_to_string(list_transform(shape_o['z'], lambda shape_z:
          shape_z || CASE WHEN guarded THEN '+ok' ELSE '' END), ', ') || '] AS z'], ', ') || ' FROM ' || relation || ') s'
          || CASE WHEN w['f']['layout'] = 'long' THEN ') cells WHERE component = 0 OR value IS NULL OR value <> 0' ELSE '' END END)[1];

-- The guard: 0 for a row without NULL, else NULL or an error; NULL where no guard is needed.
CREATE OR REPLACE MACRO sqlrp_ok(nulls, complete) AS
  CASE WHEN nulls = 'zero' OR complete IS NULL THEN NULL ELSE 'CASE WHEN ' || complete || ' THEN 0'
    || CASE WHEN nulls = 'error' THEN ' ELSE error(''sqlrp: a feature is NULL and nulls = ''''error'''': clean the row, or use '
       || 'nulls = ''''zero'''' or ''''propagate'''''')' ELSE '' END || ' END' END;

-- The features of a wide or array row as expressions in the type that sums are taken in.
CREATE OR REPLACE MACRO sqlrp_values(w) AS
  list_transform(CASE WHEN w['f']['layout'] = 'array' THEN list_transform(range(w['f']['n']), lambda value_j: 'x[' || (value_j + 1) || ']')
      ELSE list_transform(w['f']['features'], lambda value_c: CASE WHEN value_c['type'] = 'BOOLEAN'
        THEN 'CAST(' || sqlrp_quote(value_c['name']) || ' AS INTEGER)' ELSE sqlrp_quote(value_c['name']) END) END,
    lambda value_x: CASE WHEN w['nulls'] = 'zero' THEN 'coalesce(CAST(' || value_x || ' AS ' || w['summing'] || '),' || w['zero'] || ')'
      ELSE 'CAST(' || value_x || ' AS ' || w['summing'] || ')' END);

-- Where the rows come from: FROM text, the carried columns, and the condition that a row is complete.
CREATE OR REPLACE MACRO sqlrp_rows(w) AS
  list_transform([list_transform(w['kept'], lambda rows_n, rows_i: sqlrp_quote(rows_n) || ' AS c' || (rows_i - 1))], lambda rows_named:
    CASE WHEN w['f']['layout'] = 'array' THEN {
        'relation': '(SELECT ' || array_to_string(rows_named || [CASE WHEN w['f']['ragged'] THEN 'CASE WHEN len('
            || sqlrp_quote(w['f']['features'][1]['name']) || ') <> ' || w['f']['n'] || ' THEN error(' || sqlrp_string('sqlrp: a list in '''
            || w['f']['features'][1]['name'] || ''' has not the ' || w['f']['n'] || ' elements of the others: pad it, or set it to NULL')
            || ') ELSE ' || sqlrp_quote(w['f']['features'][1]['name']) || ' END' ELSE sqlrp_quote(w['f']['features'][1]['name']) END || ' AS x'], ', ')
            || ' FROM ' || w['relation'] || ') s',
        'carried': list_transform(w['kept'], lambda rows_n, rows_i: 'c' || (rows_i - 1)),
        'ok': sqlrp_ok(w['nulls'], 'x IS NOT NULL AND list_position(x, NULL) IS NULL')}
      ELSE {'relation': w['relation'], 'carried': rows_named,
        'ok': sqlrp_ok(w['nulls'], list_transform([list_filter(w['f']['features'], lambda rows_c: rows_c['nullable'])], lambda rows_f:
          CASE WHEN len(rows_f) > 0 THEN sqlrp_tree(list_transform(rows_f, lambda rows_c: sqlrp_quote(rows_c['name'])
            || ' IS NOT NULL'), ' AND ') END)[1])} END)[1];

-- Inline: every output an expression, over the features as x0, x1, … and for products over the sums as v0, v1, …
CREATE OR REPLACE MACRO sqlrp_inline_shape(w, read, inputs, sums) AS
  list_transform([{'carried': list_transform(w['kept'], lambda inline_n, inline_i: 'c' || (inline_i - 1))
        || CASE WHEN read['ok'] IS NULL THEN [] ELSE ['ok'] END,
      'base': '(SELECT ' || array_to_string(read['carried'] || CASE WHEN read['ok'] IS NULL THEN [] ELSE [read['ok'] || ' AS ok'] END
        || list_transform(inputs, lambda inline_x, inline_i: inline_x || ' AS x' || (inline_i - 1)), ', ')
        || ' FROM ' || read['relation'] || ') s'}], lambda inline_b:
    CASE WHEN w['method'] = 'rp' THEN sqlrp_shape(w, inline_b['base'], sums, read['ok'] IS NOT NULL)
      ELSE sqlrp_shape(w, '(SELECT ' || array_to_string(inline_b['carried'] || list_transform(list_sort(list_distinct(flatten(w['index']))),
            lambda inline_v: CASE WHEN w['product'] IS DISTINCT FROM w['summing'] THEN 'CAST(' || sums[inline_v + 1] || ' AS ' || w['product'] || ')'
              ELSE sums[inline_v + 1] END || ' AS v' || inline_v), ', ') || ' FROM ' || inline_b['base'] || ') s',
          list_transform(w['index'], lambda inline_c: sqlrp_tree(list_transform(range(w['t']), lambda inline_i:
            array_to_string(list_transform(inline_c[inline_i * w['degree'] + 1 : (inline_i + 1) * w['degree']],
              lambda inline_v: 'v' || inline_v), '*')), '+')), read['ok'] IS NOT NULL) END)[1];
