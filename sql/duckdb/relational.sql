-- Relational: the signs are drawn as rows within the statement, joined on the feature and summed.
CREATE OR REPLACE MACRO sqlrp_horner_text(a, x) AS
  list_reduce(list_reverse(list_transform(a, lambda text_a: CAST(text_a AS VARCHAR))),
    lambda text_h, text_b: '((' || text_h || '*' || x || '+' || text_b || ') % {{prime}})');

CREATE OR REPLACE MACRO sqlrp_number_of(w, name) AS
  CASE WHEN w['f']['text'] THEN '(CAST(''0x'' || md5(' || name || ')[:15] AS BIGINT) % {{constant_feature}})'
    ELSE 'CASE WHEN ' || name || ' BETWEEN 0 AND ' || (coalesce(w['f']['n'], {{last_feature}}) - 1) || ' THEN ' || name || ' WHEN ' || name
      || ' IS NOT NULL THEN error(' || sqlrp_string('sqlrp: a feature in ''' || w['f']['features'][1]['name'] || ''' is outside 0 ... '
      || (coalesce(w['f']['n'], {{last_feature}}) - 1) || ': positions count from 0; raise n_features') || ') END' END;

-- Sums of FLOAT are DOUBLE; a CAST back would refuse what IEEE calls infinite.
CREATE OR REPLACE MACRO sqlrp_narrow(total, kind) AS
  CASE WHEN kind = 'FLOAT' THEN 'coalesce(TRY_CAST(' || total || ' AS FLOAT), CAST(CAST(''inf'' AS DOUBLE) * ' || total || ' AS FLOAT))'
    ELSE 'CAST(' || total || ' AS ' || kind || ')' END;

CREATE OR REPLACE MACRO sqlrp_long_rows(w, key, feature, value) AS
  list_transform([CASE WHEN w['f']['features'][2]['nullable'] THEN sqlrp_ok(w['nulls'], 'count(*) = count(' || value || ')') END], lambda long_ok:
    {'ok': long_ok IS NOT NULL, 'text': 'sqlrp_source AS MATERIALIZED (SELECT ' || key || ' AS r, ' || key || ' AS c0'
      || coalesce(', ' || long_ok || ' AS ok', '') || ' FROM ' || w['relation'] || ' GROUP BY ' || key || '),
sqlrp_cells AS MATERIALIZED (SELECT ' || key || ' AS r, ' || sqlrp_number_of(w, feature) || ' AS f, CAST('
      || CASE WHEN w['f']['features'][2]['type'] = 'BOOLEAN' THEN 'CAST(' || value || ' AS INTEGER)' ELSE value END || ' AS '
      || w['summing'] || ') AS x FROM ' || w['relation'] || '),
sqlrp_features AS MATERIALIZED (' || CASE WHEN w['f']['n'] IS NULL OR w['f']['text'] THEN 'SELECT DISTINCT f FROM sqlrp_cells'
        ELSE 'SELECT range AS f FROM range(' || w['f']['n'] || ')' END || ')'})[1];

CREATE OR REPLACE MACRO sqlrp_table_rows(w) AS
  list_transform([sqlrp_rows(w)], lambda table_r: {'ok': table_r['ok'] IS NOT NULL,
    'text': 'sqlrp_source AS MATERIALIZED (SELECT ' || array_to_string(table_r['carried']
      || CASE WHEN table_r['ok'] IS NULL THEN [] ELSE [table_r['ok'] || ' AS ok'] END
      || ['row_number() OVER () AS r', '[' || array_to_string(sqlrp_values(w), ', ') || '] AS x'], ', ')
      || ' FROM ' || table_r['relation'] || '),
sqlrp_cells AS MATERIALIZED (SELECT r, unnest(range(len(x))) AS f, unnest(x) AS x FROM sqlrp_source),
sqlrp_features AS MATERIALIZED (SELECT range AS f FROM range(' || w['f']['n'] || '))'})[1];

CREATE OR REPLACE MACRO sqlrp_relational_text(w) AS
  list_transform([CASE WHEN w['f']['layout'] = 'long' THEN sqlrp_long_rows(w, sqlrp_quote(w['kept'][1]),
      sqlrp_quote(w['f']['features'][1]['name']), sqlrp_quote(w['f']['features'][2]['name'])) ELSE sqlrp_table_rows(w) END], lambda relational_r:
    list_transform([{'carried': ['r'] || list_transform(w['kept'], lambda rel_n, rel_i: 'c' || (rel_i - 1))
        || CASE WHEN relational_r['ok'] THEN ['ok'] ELSE [] END,
      'same': CASE WHEN w['f']['layout'] = 'long' THEN ' IS NOT DISTINCT FROM ' ELSE ' = ' END}], lambda relational_g:
    'WITH ' || relational_r['text'] || CASE WHEN w['root'] IS NULL THEN '' ELSE ',
sqlrp_more_cells AS MATERIALIZED (FROM sqlrp_cells UNION ALL SELECT r, {{constant_feature}}, ' || sqlrp_literal(w['root'], w['summing']) || ' FROM sqlrp_source),
sqlrp_more_features AS MATERIALIZED (FROM sqlrp_features UNION ALL SELECT {{constant_feature}})' END || ',
sqlrp_components AS MATERIALIZED (SELECT c, ' || array_to_string(list_transform(sqlrp_seed(w['seed'], {{signs}}), lambda rel_a, rel_i:
        sqlrp_horner_text(rel_a, 'c') || ' AS b' || (rel_i - 1)), ', ') || ' FROM (SELECT range AS c FROM range(' || w['p'] || ')) n),
sqlrp_signs AS MATERIALIZED (SELECT c, f, CASE WHEN h < ' || w['low'] || ' THEN 1 ELSE -1 END AS sign FROM (SELECT c, f, '
      || sqlrp_horner_text(['b0', 'b1', 'b2', 'b3', 'b4', 'b5', 'b6', 'b7'], 'f') || ' AS h FROM '
      || CASE WHEN w['root'] IS NULL THEN 'sqlrp_features' ELSE 'sqlrp_more_features' END || ' CROSS JOIN sqlrp_components) drawn WHERE h < ' || w['high'] || '),
sqlrp_sums AS MATERIALIZED (SELECT r, c AS f, sum(CASE WHEN sign > 0 THEN x ELSE ' || w['zero'] || ' - x END) AS x FROM '
      || CASE WHEN w['root'] IS NULL THEN 'sqlrp_cells' ELSE 'sqlrp_more_cells' END || ' JOIN sqlrp_signs USING (f) GROUP BY r, c)'
      || CASE WHEN w['index'] IS NULL THEN '' ELSE ',
sqlrp_whole_sums AS MATERIALIZED (FROM sqlrp_sums' || CASE WHEN w['product'] NOT IN ('FLOAT', 'DOUBLE') THEN '' ELSE
        ' UNION ALL SELECT odd.r, e.f, ' || w['zero'] || ' FROM (SELECT DISTINCT r FROM sqlrp_sums WHERE NOT isfinite(CAST(x AS DOUBLE))) odd '
        || 'CROSS JOIN (SELECT range AS f FROM range(' || w['p'] || ')) e WHERE NOT EXISTS (SELECT 1 FROM sqlrp_sums k WHERE k.r'
        || relational_g['same'] || 'odd.r AND k.f = e.f)' END || '),
sqlrp_index_table AS MATERIALIZED (SELECT unnest(range(' || w['k'] * w['t'] || ')) // ' || w['t'] || ' AS c, '
        || array_to_string(list_transform(range(w['degree']), lambda rel_j: 'unnest(CAST(''' || CAST(list_transform(range(w['k'] * w['t']),
          lambda rel_i: w['index'][rel_i // w['t'] + 1][(rel_i % w['t']) * w['degree'] + rel_j + 1]) AS VARCHAR) || ''' AS BIGINT[])) AS v' || rel_j), ', ') || '),
sqlrp_products AS MATERIALIZED (SELECT k0.r AS r, i.c AS f, sum('
        || array_to_string(list_transform(range(w['degree']), lambda rel_j: sqlrp_narrow('k' || rel_j || '.x', w['product'])), '*')
        || ') AS x FROM sqlrp_index_table i JOIN sqlrp_whole_sums k0 ON k0.f = i.v0' || array_to_string(list_transform(range(1, w['degree']), lambda rel_j:
          ' JOIN sqlrp_whole_sums k' || rel_j || ' ON k' || rel_j || '.f = i.v' || rel_j || ' AND k0.r' || relational_g['same'] || 'k' || rel_j || '.r'), '')
        || ' GROUP BY k0.r, i.c)' END || ',
sqlrp_results AS MATERIALIZED (SELECT ' || array_to_string(list_transform(relational_g['carried'], lambda rel_c: 's.' || rel_c), ', ')
      || ', n.f AS f, coalesce(z.x, 0) AS x FROM sqlrp_source s CROSS JOIN (SELECT range AS f FROM range(' || w['k'] || ')) n LEFT JOIN '
      || CASE WHEN w['index'] IS NULL THEN 'sqlrp_sums' ELSE 'sqlrp_products' END || ' z ON z.r' || relational_g['same'] || 's.r AND z.f = n.f)
' || sqlrp_shape(w, '(SELECT ' || array_to_string(relational_g['carried'][2:] || ['list(' || sqlrp_narrow('x', w['result']) || ' ORDER BY f) AS x'], ', ')
        || ' FROM sqlrp_results GROUP BY ' || array_to_string(relational_g['carried'], ', ') || ') s',
      list_transform(range(w['k']), lambda rel_i: 'x[' || (rel_i + 1) || ']'), relational_r['ok']))[1])[1];
