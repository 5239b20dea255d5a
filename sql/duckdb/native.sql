-- -- the native road: the kernel of the extension ---------------------------------------------------------------------------------
-- Where the extension sqlrp is loaded, its function runs the stages as one program of bytes, which the statement makes once. Its functions are
-- named in texts only, as a macro that calls a function cannot be created where there is none. native/sqlrp.h says what a program is.

-- The next step for lists.
CREATE OR REPLACE MACRO sqlrp_lists_call(frame_text, entries, lists_text) AS
  concat('FROM query(sqlrp_final_step(', sqlrp_string(frame_text), lists_text, entries, frame_text, '), ', frame_text, '))');

-- The next step by the road of a call. The texts are what stands before the text of the frame, which is long: it travels once.
CREATE OR REPLACE MACRO sqlrp_by_road(road, frame_text, entries, native_text, inline_text, lists_text) AS
  CASE road WHEN 'inline' THEN concat(inline_text, frame_text, '))') WHEN 'native' THEN concat(native_text, entries, frame_text, '), ', frame_text, '))')
    WHEN 'cells' THEN concat(native_text, sqlrp_strings([concat(entries, frame_text, '), ', frame_text, '))'), sqlrp_lists_call(frame_text, entries, lists_text)]), ', ', entries, frame_text, '), ', frame_text, '))')
    ELSE sqlrp_lists_call(frame_text, entries, lists_text) END;

-- `there`: the extension is loaded. `native`: the stages that the kernel does. A lowering that was named has a step of its own, as it may be refused.
CREATE OR REPLACE MACRO sqlrp_next(there, native, terms, drawn, frame_text, entries, native_text, inline_text, lists_text, layout, lowering, told, is_late) AS
  CASE WHEN lowering NOT IN ('auto', 'sql') THEN concat('FROM query(sqlrp_by_road(sqlrp_road(', there, ', ', native, ', ', drawn, ', ', is_late, ', ''', layout, ''', ''', lowering, '''), ',
      sqlrp_strings([frame_text, entries, native_text, inline_text, lists_text]), '))')
    ELSE sqlrp_by_road(CASE WHEN is_late THEN 'lists' WHEN there AND native > 0 AND lowering = 'auto' AND NOT told THEN CASE layout WHEN 'long' THEN 'cells' ELSE 'native' END
      WHEN layout <> 'long' AND drawn AND terms <= 30000 THEN 'inline' ELSE 'lists' END, frame_text, entries, native_text, inline_text, lists_text) END;

CREATE OR REPLACE MACRO sqlrp_unsupported(lowering, reason) AS
  error(concat('lowering = ''', lowering, ''' is not supported here: ', reason, '; use lowering = ''auto'''));

-- The road of a call that names its lowering. `native` is negative where the kernel has the first stage but not its numbers.
CREATE OR REPLACE MACRO sqlrp_road(there, native, drawn, is_late, layout, lowering) AS
  CASE WHEN lowering = 'native' AND there AND native > 0 AND NOT is_late THEN CASE layout WHEN 'long' THEN 'cells' ELSE 'native' END
    WHEN lowering = 'inline' AND layout <> 'long' AND NOT is_late AND drawn THEN 'inline'
    WHEN (lowering = 'indexed' AND layout <> 'long') OR (lowering = 'relational' AND layout = 'long') THEN 'lists'
    ELSE sqlrp_unsupported(lowering, CASE WHEN lowering = 'native' AND NOT is_late AND NOT there THEN 'the extension sqlrp is not loaded'
      WHEN layout = 'long' AND lowering <> 'native' THEN 'long rows are joined with the signs, which is the relational lowering'
      WHEN lowering = 'relational' THEN 'the functions join only long rows with the signs' WHEN is_late THEN 'without DuckDB''s extension json the columns are not known'
      WHEN native < 0 AND lowering = 'native' THEN 'the results are exact decimals or whole numbers of 128 bits, and the kernel computes with 64: scale them, or cast the features to DOUBLE'
      WHEN lowering = 'native' THEN 'the kernel has no form of the first stage'
      ELSE 'a stage has no form in the functions as an expression of the inline lowering' END) END;

-- What draws the signs of sums: numbers and lists of sqlrp_kernel_code.
CREATE OR REPLACE MACRO sqlrp_kernel_numbers(seed, purpose, vectors, s, n, constant) AS
  [CAST(n AS BIGINT), CAST(floor({{prime}} / (2 * s)) AS BIGINT), CAST(floor({{prime}} / s) AS BIGINT), CASE WHEN constant THEN {{constant_feature}} ELSE 0 END];
CREATE OR REPLACE MACRO sqlrp_kernel_lists(seed, purpose, vectors, s, n, constant) AS sqlrp_drawn_components(seed, purpose, vectors);

-- What draws normal weights.
CREATE OR REPLACE MACRO sqlrp_normal_numbers(seed, vectors, n, constant) AS [CAST(vectors AS BIGINT), n, CASE WHEN constant THEN {{constant_feature}} ELSE 0 END];
CREATE OR REPLACE MACRO sqlrp_normal_lists(seed, vectors, n, constant) AS sqlrp_drawn_components(seed, {{normals}}, 2 * vectors);

-- The numbers of a convolution.
CREATE OR REPLACE MACRO sqlrp_convolution_numbers(k, ahead) AS [CAST(k AS BIGINT), ahead + 2];

-- A call that makes an operation, as SQL.
CREATE OR REPLACE MACRO sqlrp_code(name, type, numbers, lists, weights) AS
  concat('sqlrp_kernel_code(''', name, ''', ''', type, ''', [', numbers, '], ', coalesce(lists, 'NULL'), ', ', coalesce(weights, 'NULL'), ')');

-- The operation of weighted sums, or of products, over a table of terms.
CREATE OR REPLACE MACRO sqlrp_terms_code(name, type, numbers, from_table, weighted) AS
  sqlrp_code(name, type, numbers, concat('[', from_table, '.c, ', from_table, '.l]'), CASE WHEN weighted THEN concat('[', from_table, '.m]') END);

-- The operation of a stage. `from_table` is the table of its lists.
CREATE OR REPLACE MACRO sqlrp_stage_code(stage, type, from_table) AS CASE stage['kind']
    WHEN 'append' THEN sqlrp_code('append', type, '', NULL, concat('[[', sqlrp_double(stage['value']), ']]'))
    WHEN 'signs' THEN CASE WHEN starts_with(stage['drawn'], 'sqlrp_drawn_signs(') THEN concat('sqlrp_kernel_code(''signs'', ''', type, ''', sqlrp_kernel_numbers(',
        stage['drawn'][19:], ', sqlrp_kernel_lists(', stage['drawn'][19:], ', NULL)')
      WHEN stage['drawn'] IS NULL THEN sqlrp_code('sums', type, stage['n'], from_table || '.l', NULL)
      WHEN stage['form'] = 'butterfly' THEN concat('list_transform([', stage['drawn'], '], lambda drawn_b: ', sqlrp_code('butterfly', type,
        stage['n'] || ', drawn_b[''padded'']', '[drawn_b[''flips''], drawn_b[''sample'']]', NULL), ')[1]')
      ELSE sqlrp_code('sums', type, stage['n'], stage['drawn'], NULL) END
    WHEN 'weights' THEN CASE WHEN stage['drawn'] IS NULL THEN sqlrp_terms_code('weighted', type, stage['outputs'], from_table, true)
      WHEN starts_with(stage['drawn'], 'sqlrp_drawn_normals(') THEN concat('sqlrp_kernel_code(''full'', ''', type, ''', sqlrp_normal_numbers(', stage['drawn'][21:],
        ', sqlrp_normal_lists(', stage['drawn'][21:], ', NULL)')
      ELSE sqlrp_code('full', type, concat(stage['outputs'], ', ', stage['n']), NULL, concat('[', stage['drawn'], ']')) END
    WHEN 'products' THEN CASE WHEN starts_with(stage['drawn'], 'sqlrp_drawn_terms(') THEN list_transform(['^sqlrp_drawn_terms\((.*\)), (\d+), (\d+), (\d+), [^()]*\)$'], lambda code_p:
        sqlrp_code('products', type, regexp_replace(stage['drawn'], code_p, '\2, \4'), regexp_replace(stage['drawn'], code_p,
          '[list_transform(range(\2 * \3), lambda dealt_i: dealt_i // \3), \1]'), NULL))[1]
      WHEN stage['drawn'] IS NOT NULL THEN concat('sqlrp_kernel_code(''convolve'', ''', type, ''', sqlrp_convolution_numbers(', stage['drawn'][25:], ', NULL, NULL)')
      ELSE sqlrp_terms_code('products', type, concat(stage['outputs'], ', ', stage['factors']), from_table, NOT stage['dense']) END
    WHEN 'reflect' THEN sqlrp_code('reflect', type, '', concat('[', from_table, '.l]'), concat('[[', stage['n'], ']]'))
    WHEN 'rescale' THEN sqlrp_code('rescale', type, stage['n'], NULL, concat('[', from_table, '.l, ', from_table, '.m]'))
    WHEN 'normalise' THEN sqlrp_code('norm', type, '', NULL, NULL)
    ELSE list_transform([sqlrp_kernel_map(stage['drawn'])], lambda code_m: sqlrp_code(code_m[1], type, code_m[2], NULL, code_m[3]))[1] END;

-- The table of the program over n entries. `tables`: those of lists; they count from `before`. `weights` is the table of cells, as SQL.
CREATE OR REPLACE MACRO sqlrp_program_table(own, weights, n, before, steps, first, tables) AS
  concat(own, '_program AS MATERIALIZED (SELECT ', weights, sqlrp_code('head', sqlrp_tile(first), concat(n, ', ', len(steps)
      + len(list_filter(steps, lambda program_s: program_s['cast'])) + len(list_filter(steps, lambda program_s: program_s['form'] = 'butterfly' AND program_s['drawn'] IS NOT NULL))), NULL, NULL),
    sqlrp_join(list_transform(steps, lambda program_s, program_i: concat(CASE WHEN program_s['cast'] THEN ' || ' || sqlrp_code('cast', program_s['tile'], '', NULL, NULL) END,
      ' || ', sqlrp_stage_code(program_s, program_s['tile'], concat(own, '_table', before + program_i)))), ''), ' AS sqlrp_p',
    coalesce(' FROM ' || nullif(sqlrp_join(list_transform(tables, lambda program_t, program_i: CASE WHEN program_t IS NOT NULL THEN concat(own, '_table', program_i) END), ', '), ''), ''), ')');

-- A number that the kernel reads, as SQL.
CREATE OR REPLACE MACRO sqlrp_kernel_read(quoted_name, type, first) AS
  CASE WHEN regexp_replace(type, '\[\d*\]$', '') IN ('BOOLEAN', 'TINYINT', 'UTINYINT', 'SMALLINT', 'USMALLINT', 'INTEGER', 'UINTEGER', 'BIGINT', 'UBIGINT', 'FLOAT', 'DOUBLE')
    THEN quoted_name ELSE concat('CAST(', quoted_name, ' AS ', first, CASE WHEN type LIKE '%]' THEN '[]' ELSE '' END, ')') END;

-- The features as arguments of the kernel. Those of one type, which no one named, are told as one array.
CREATE OR REPLACE MACRO sqlrp_kernel_features(first, names, types, quoted, n) AS
  CASE WHEN quoted IS NULL THEN sqlrp_kernel_read(sqlrp_checked(sqlrp_quote(names[1]), names[1], types[1], n), types[1], first)
    ELSE sqlrp_join(list_transform(regexp_extract_all(quoted, '"(?:[^"]|"")*"'), lambda features_q, features_i: sqlrp_kernel_read(features_q,
      CASE WHEN types[1] LIKE '%]' THEN regexp_replace(types[1], '\[\d*\]$', '') ELSE types[features_i] END, first)), ', ') END;

-- A call of the kernel. `v` is what sqlrp_native_known found.
CREATE OR REPLACE MACRO sqlrp_kernel_call(v, nulls, given) AS
  concat('sqlrp_kernel_', lower(v['listed']), '_' || v['fields'], '((SELECT sqlrp_p FROM ', v['own'], '_program), CAST(', v['factor'], ' AS DOUBLE), ''',
    CASE WHEN v['guarded'] THEN 'zero' ELSE nulls END, ''', ', given, ') AS x');

-- The rows of the source after the stages of the kernel.
CREATE OR REPLACE MACRO sqlrp_kernel_rows(v, read, {{frame_arguments}}) AS
  concat('(SELECT ', sqlrp_join(list_transform(kept, lambda rows_n, rows_i: concat(sqlrp_quote(rows_n), ' AS c', rows_i - 1)) || [''], ', '),
    CASE WHEN v['guarded'] THEN sqlrp_ok(nulls, CASE WHEN quoted IS NULL THEN concat(read, ' IS NOT NULL AND list_position(', read, ', NULL) IS NULL') ELSE sqlrp_complete(quoted, nulled) END) || ' AS ok, ' ELSE '' END,
    sqlrp_kernel_call(v, nulls, read), ' FROM ', base, ') s');

-- What a statement of `native` stages in the kernel is written from. `tables`: those of lists.
CREATE OR REPLACE MACRO sqlrp_native_known(native, k, factor, last, steps, {{frame_arguments}}) AS
  list_transform(list_transform([steps], lambda native_s: {'steps': native_s, 'whole': native = len(native_s), 'own': sqlrp_own(relation),
      'tables': sqlrp_calls(native_s, 0, sqlrp_own(relation)), 'scaled': scale AND factor <> '1', 'guarded': native < len(native_s) AND sqlrp_guarded(layout, nulls, nullable)}), lambda native_a:
    {'steps': native_a['steps'], 'own': native_a['own'], 'whole': native_a['whole'], 'guarded': native_a['guarded'], 'carried': sqlrp_carried(kept, native_a['guarded']),
      'tables': list_transform(native_a['tables'], lambda native_t, native_i: CASE WHEN native_i > native THEN native_t WHEN native_a['steps'][native_i]['drawn'] IS NULL
        THEN regexp_replace(native_t, 'sqlrp_(weights|products)_table\(', 'sqlrp_\1_terms(') END),
      'factor': CASE WHEN native_a['whole'] AND native_a['scaled'] THEN factor ELSE '1' END, 'scaled': native_a['scaled'] AND NOT native_a['whole'],
      'fields': CASE WHEN native_a['whole'] AND sqlrp_output(output, k, kept) = 'columns' THEN list_filter([16, 32, 64, 128, 256, 512, 1024], lambda native_f: native_f >= k)[1] END,
      'listed': CASE WHEN native_a['whole'] AND native_a['scaled'] AND sqlrp_tile(last) = 'BIGINT' THEN 'DOUBLE' ELSE sqlrp_kernel_type(native_a['steps'][native]['kept']) END})[1];

-- The statement around the rows of the kernel. `tables`: all that it has, as SQL.
CREATE OR REPLACE MACRO sqlrp_native_text(v, tables, rows, native, k, factor, last, {{frame_arguments}}) AS
  concat(CASE WHEN told THEN 'SELECT ' ELSE 'FROM query(' END, 'sqlrp_shape(', sqlrp_list(kept), ', ', layout = 'long', ', ', sqlrp_string(sqlrp_output(output, k, kept)), ', ', k, ', ', v['guarded'], ', ',
    CASE WHEN v['scaled'] THEN concat('sqlrp_literal(', factor, ', ', CASE WHEN last = 'FLOAT' THEN '''FLOAT''' ELSE '''DOUBLE''' END, ')') ELSE 'CAST(NULL AS VARCHAR)' END, ', ',
    sqlrp_string(CASE WHEN v['whole'] THEN v['listed'] ELSE last END), ', ', sqlrp_string(CASE WHEN single THEN 'FLOAT' WHEN scale AND last NOT IN ('FLOAT', 'DOUBLE') THEN 'DOUBLE' ELSE last END), ', CAST([',
    sqlrp_join(tables, ', '), '] AS VARCHAR[]), ', sqlrp_wrapped(sqlrp_string(rows), v['steps'], native, v['own'], v['carried']), CASE WHEN told THEN ') AS text' ELSE '))' END);

-- The step that writes the statement: like sqlrp_final_step, for `native` stages in the kernel, and the others around its rows.
CREATE OR REPLACE MACRO sqlrp_native_step(native, k, factor, first, last, steps, {{frame_arguments}}) AS
  list_transform(list_transform([sqlrp_native_known(native, k, factor, last, steps, {{frame_arguments}})], lambda native_v: {'v': native_v,
      'rows': sqlrp_kernel_rows(native_v, sqlrp_kernel_features(first, names, types, quoted, size), {{frame_arguments}}),
      'tables': native_v['tables'] || [sqlrp_string(sqlrp_program_table(native_v['own'], '', native_v['steps'][1]['n'], 0, native_v['steps'][:native], first, native_v['tables'][:native]))]}), lambda native_w:
    sqlrp_native_text(native_w['v'], native_w['tables'], native_w['rows'], native, k, factor, last, {{frame_arguments}}))[1];

-- -- long rows on the native road: the kernel takes the features and the values of a row as two lists -----------------------------

-- How many stages take cells: the first sums, and a constant before them.
CREATE OR REPLACE MACRO sqlrp_cells_sums(steps) AS CASE WHEN steps[1]['kind'] = 'append' THEN 2 ELSE 1 END;

-- Whether the weights of the first sums are signs that the kernel draws.
CREATE OR REPLACE MACRO sqlrp_cells_drawn(step) AS coalesce(starts_with(step['drawn'], 'sqlrp_drawn_signs('), false);

-- Why the kernel does not take the cells of a call; NULL if it does. `weights`: how many there may be.
CREATE OR REPLACE MACRO sqlrp_cells_refused(native, sums, step, weights, words, n) AS
  CASE WHEN native < sums OR step['kind'] NOT IN ('signs', 'weights') THEN 'the kernel has no form of the first stage for long rows'
    WHEN words OR n IS NULL THEN 'the kernel reads the features of long rows by their positions: they must be integers, and n_features their number'
    WHEN weights > CASE WHEN sqlrp_cells_drawn(step) THEN 256e6 ELSE 16e6 END THEN 'the features have too many weights for the kernel''s table' END;

-- The next step of long rows: `rest` is that of the step in the kernel, and `lists_text` that of lists. Drawn signs are mostly 0, so that more may be drawn than are kept.
CREATE OR REPLACE MACRO sqlrp_cells_road(native, k, factor, first, last, rest, lists_text, steps, {{frame_arguments}}) AS
  list_transform(list_transform([{'steps': steps, 'sums': sqlrp_cells_sums(steps)}], lambda road_s: {'sums': road_s['sums'], 'step': road_s['steps'][road_s['sums']],
      'weights': CAST(road_s['steps'][road_s['sums']]['n'] AS DOUBLE) * CAST(road_s['steps'][road_s['sums']]['outputs'] AS DOUBLE)}), lambda road_v:
    concat('FROM query(list_transform([', coalesce(sqlrp_string(sqlrp_cells_refused(native, road_v['sums'], road_v['step'], road_v['weights'], words, n)), CASE WHEN road_v['weights'] > 16e6
        THEN concat('CASE WHEN ', road_v['weights'], ' / {{prime}} * sqlrp_kernel_numbers(', road_v['step']['drawn'][19:], '[3] > 16e6 THEN ''the features have too many weights for the kernel''''s table'' END')
        ELSE 'CAST(NULL AS VARCHAR)' END),
      '], lambda road_r: CASE WHEN road_r IS NULL THEN ', sqlrp_string(concat('FROM query(sqlrp_cells_step(', native, ', ', k, ', ', sqlrp_string(factor), ', ''', first, ''', ''', last, ''', ', rest)),
      ' ELSE ', CASE WHEN lowering = 'native' THEN 'sqlrp_unsupported(''native'', road_r)' ELSE sqlrp_string(lists_text) END, ' END)[1])'))[1];

-- The weights of the first sums of cells: the sums that each feature goes into.
CREATE OR REPLACE MACRO sqlrp_cells_weights(step, own, sums) AS
  concat(sqlrp_code('head', 'DOUBLE', concat(step['outputs'], ', 1'), NULL, NULL), ' || ', CASE WHEN sqlrp_cells_drawn(step) THEN concat('sqlrp_kernel_code(''signs'', ''DOUBLE'', sqlrp_kernel_numbers(',
      step['drawn'][19:], ' || [CAST(1 AS BIGINT)], sqlrp_kernel_lists(', step['drawn'][19:], ', NULL)')
    ELSE sqlrp_terms_code('weighted', 'DOUBLE', step['n'], concat(own, '_table', sums), true) END, ' AS sqlrp_t, ');

-- The rows of the source. `appended`: the constant; NULL without one.
CREATE OR REPLACE MACRO sqlrp_cells_rows(v, type, appended, {{frame_arguments}}) AS
  concat('(SELECT ', v['carried'], sqlrp_kernel_call(v, nulls, concat('(SELECT sqlrp_t FROM ', v['own'], '_program), f, v')), ' FROM (SELECT ', sqlrp_quote(kept[1]), ' AS c0, ',
    CASE WHEN v['guarded'] THEN sqlrp_ok(nulls, sqlrp_complete_cells(names[2])) || ' AS ok, ' ELSE '' END,
    sqlrp_cell_list(sqlrp_number_of(late, words, n, names[1], sqlrp_quote(names[1])), 'CAST(' || n || ' AS BIGINT)', appended), ' AS f, ',
    sqlrp_cell_list(sqlrp_cell_value(late, names[2], types[2], type), sqlrp_literal(appended, type), appended), ' AS v FROM ', relation, ' GROUP BY ', sqlrp_quote(kept[1]), ') s) s');
CREATE OR REPLACE MACRO sqlrp_cell_list(cells, more, appended) AS
  CASE WHEN appended IS NULL THEN concat('list(', cells, ')') ELSE concat('list_append(list(', cells, '), ', more, ')') END;

-- The step that writes the statement of long rows.
CREATE OR REPLACE MACRO sqlrp_cells_step(native, k, factor, first, last, steps, {{frame_arguments}}) AS
  list_transform(list_transform(list_transform([sqlrp_native_known(native, k, factor, last, steps, {{frame_arguments}})], lambda cells_v: {'v': cells_v, 'sums': sqlrp_cells_sums(cells_v['steps'])}), lambda cells_w: {'v': cells_w['v'],
      'sums': cells_w['sums'], 'step': cells_w['v']['steps'][cells_w['sums']], 'made': list_transform(sqlrp_calls(cells_w['v']['steps'], 0, cells_w['v']['own']), lambda cells_t, cells_i:
        CASE WHEN cells_i <> cells_w['sums'] THEN cells_w['v']['tables'][cells_i] WHEN NOT sqlrp_cells_drawn(cells_w['v']['steps'][cells_i])
        THEN regexp_replace(cells_t, 'sqlrp_(signs|weights)_table\(', 'sqlrp_cells_terms(') END)}), lambda cells_w:
    sqlrp_native_text(cells_w['v'], cells_w['made'] || [sqlrp_string(sqlrp_program_table(cells_w['v']['own'], sqlrp_cells_weights(cells_w['step'], cells_w['v']['own'], cells_w['sums']),
        cells_w['step']['outputs'], cells_w['sums'], cells_w['v']['steps'][cells_w['sums'] + 1 : native], first, cells_w['made'][:native]))],
      sqlrp_cells_rows(cells_w['v'], sqlrp_tile(first), CASE WHEN cells_w['sums'] = 2 THEN cells_w['v']['steps'][1]['value'] END, {{frame_arguments}}), native, k, factor, last, {{frame_arguments}}))[1];
