-- -- the native road: the kernel of the extension ---------------------------------------------------------------------------------
-- Where the extension sqlrp is loaded, its function runs the stages as one program of bytes, which the statement makes once. Its functions are
-- named in texts only, as a macro that calls a function cannot be created where there is none. native/sqlrp.h says what a program is.

-- The next step by the road of a call. The texts are what stands before the text of the frame, which is long: it travels once.
CREATE OR REPLACE MACRO sqlrp_by_road(road, frame_text, entries, native_text, inline_text, lists_text) AS
  CASE road WHEN 'inline' THEN concat(inline_text, frame_text, '))') WHEN 'native' THEN concat(native_text, entries, frame_text, '), ', frame_text, '))')
    ELSE concat('FROM query(sqlrp_final_step(', sqlrp_string(frame_text), lists_text, entries, frame_text, '), ', frame_text, '))') END;

-- `there`: the extension is loaded. `native`: the stages that the kernel does. A lowering that was named has a step of its own, as it may be refused.
CREATE OR REPLACE MACRO sqlrp_next(there, native, terms, drawn, frame_text, entries, native_text, inline_text, lists_text, layout, lowering, told, is_late) AS
  CASE WHEN lowering NOT IN ('auto', 'sql') THEN concat('FROM query(sqlrp_by_road(sqlrp_road(', there, ', ', native, ', ', drawn, ', ', is_late, ', ''', layout, ''', ''', lowering, '''), ',
      sqlrp_strings([frame_text, entries, native_text, inline_text, lists_text]), '))')
    ELSE sqlrp_by_road(CASE WHEN layout = 'long' OR is_late THEN 'lists' WHEN there AND native > 0 AND lowering = 'auto' AND NOT told THEN 'native'
      WHEN drawn AND terms <= 30000 THEN 'inline' ELSE 'lists' END, frame_text, entries, native_text, inline_text, lists_text) END;

-- The road of a call that names its lowering. `native` is negative where the kernel has the first stage but not its numbers.
CREATE OR REPLACE MACRO sqlrp_road(there, native, drawn, is_late, layout, lowering) AS
  CASE WHEN lowering = 'native' AND there AND native > 0 AND layout <> 'long' AND NOT is_late THEN 'native'
    WHEN lowering = 'inline' AND layout <> 'long' AND NOT is_late AND drawn THEN 'inline'
    WHEN (lowering = 'indexed' AND layout <> 'long') OR (lowering = 'relational' AND layout = 'long') THEN 'lists'
    ELSE error(concat('lowering = ''', lowering, ''' is not supported here: ', CASE WHEN lowering = 'native' AND NOT is_late AND NOT there THEN 'the extension sqlrp is not loaded'
      WHEN layout = 'long' THEN 'long rows are joined with the signs, which is the relational lowering'
      WHEN lowering = 'relational' THEN 'the functions join only long rows with the signs' WHEN is_late THEN 'without DuckDB''s extension json the columns are not known'
      WHEN native < 0 AND lowering = 'native' THEN 'the results are exact decimals or whole numbers of 128 bits, and the kernel computes with 64: scale them, or cast the features to DOUBLE'
      WHEN lowering = 'native' THEN 'the kernel has no form of the first stage'
      ELSE 'a stage has no form in the functions as an expression of the inline lowering' END, '; use lowering = ''auto''')) END;

-- What draws the signs of sums: numbers and lists of sqlrp_kernel_code.
CREATE OR REPLACE MACRO sqlrp_kernel_numbers(seed, purpose, vectors, s, n, constant) AS
  [CAST(n AS BIGINT), CAST(floor({{prime}} / (2 * s)) AS BIGINT), CAST(floor({{prime}} / s) AS BIGINT), CASE WHEN constant THEN {{constant_feature}} ELSE 0 END];
CREATE OR REPLACE MACRO sqlrp_kernel_lists(seed, purpose, vectors, s, n, constant) AS sqlrp_drawn_components(seed, purpose, vectors);

-- The numbers of a convolution.
CREATE OR REPLACE MACRO sqlrp_convolution_numbers(k, ahead) AS [CAST(k AS BIGINT), ahead + 2];

-- A call that makes an operation, as SQL.
CREATE OR REPLACE MACRO sqlrp_code(name, type, numbers, lists, weights) AS
  concat('sqlrp_kernel_code(''', name, ''', ''', type, ''', [', numbers, '], ', coalesce(lists, 'NULL'), ', ', coalesce(weights, 'NULL'), ')');

-- The operation of a stage. `from_table` is the table of its lists.
CREATE OR REPLACE MACRO sqlrp_stage_code(stage, type, from_table) AS CASE stage['kind']
    WHEN 'append' THEN sqlrp_code('append', type, '', NULL, concat('[[', sqlrp_double(stage['value']), ']]'))
    WHEN 'signs' THEN CASE WHEN starts_with(stage['drawn'], 'sqlrp_drawn_signs(') THEN concat('sqlrp_kernel_code(''signs'', ''', type, ''', sqlrp_kernel_numbers(',
        stage['drawn'][19:], ', sqlrp_kernel_lists(', stage['drawn'][19:], ', NULL)')
      WHEN stage['drawn'] IS NULL THEN sqlrp_code('sums', type, stage['n'], from_table || '.l', NULL)
      WHEN stage['form'] = 'butterfly' THEN concat('list_transform([', stage['drawn'], '], lambda drawn_b: ', sqlrp_code('butterfly', type,
        stage['n'] || ', drawn_b[''padded'']', '[drawn_b[''flips''], drawn_b[''sample'']]', NULL), ')[1]')
      ELSE sqlrp_code('sums', type, stage['n'], stage['drawn'], NULL) END
    WHEN 'weights' THEN sqlrp_code('weighted', type, '', from_table || '.l', from_table || '.m')
    WHEN 'products' THEN CASE WHEN starts_with(stage['drawn'], 'sqlrp_drawn_terms(') THEN sqlrp_code('dealt', type,
        regexp_replace(stage['drawn'], '^.*\), (\d+), (\d+), (\d+), [^()]*\)$', '\3, \2, \1'), regexp_replace(stage['drawn'], '^sqlrp_drawn_terms\((.*\)), [^()]*\)$', '[\1]'), NULL)
      WHEN stage['drawn'] IS NOT NULL THEN concat('sqlrp_kernel_code(''convolve'', ''', type, ''', sqlrp_convolution_numbers(', stage['drawn'][25:], ', NULL, NULL)')
      ELSE sqlrp_code('products', type, concat(stage['n'], ', ', stage['factors'], ', ', CAST(NOT stage['dense'] AS INTEGER)),
      sqlrp_join(list_transform(range(stage['factors']), lambda code_j: concat(from_table, '.a', code_j)), ' || '),
      CASE WHEN NOT stage['dense'] THEN from_table || '.w' END) END
    WHEN 'reflect' THEN sqlrp_code('reflect', type, stage['n'], concat('[', from_table, '.l]'), NULL)
    WHEN 'rescale' THEN sqlrp_code('rescale', type, stage['n'], NULL, concat('[', from_table, '.l, ', from_table, '.m]'))
    WHEN 'normalise' THEN sqlrp_code('norm', type, '', NULL, NULL)
    ELSE sqlrp_code('root', type, '', NULL, NULL) END;

-- The table of the program. `tables`: those of lists.
CREATE OR REPLACE MACRO sqlrp_program_table(own, steps, first, tables) AS
  concat(own, '_program AS MATERIALIZED (SELECT ', sqlrp_code('head', sqlrp_tile(first), concat(steps[1]['n'], ', ', len(steps)
      + len(list_filter(steps, lambda program_s: program_s['cast'])) + len(list_filter(steps, lambda program_s: program_s['form'] = 'butterfly' AND program_s['drawn'] IS NOT NULL))), NULL, NULL),
    sqlrp_join(list_transform(steps, lambda program_s, program_i: concat(CASE WHEN program_s['cast'] THEN ' || ' || sqlrp_code('cast', program_s['tile'], '', NULL, NULL) END,
      ' || ', sqlrp_stage_code(program_s, program_s['tile'], concat(own, '_table', program_i)))), ''), ' AS sqlrp_p',
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

-- The rows of the source after the stages of the kernel. `v` is what the next macro found.
CREATE OR REPLACE MACRO sqlrp_kernel_rows(v, factor, {{frame_arguments}}) AS
  concat('(SELECT ', sqlrp_join(list_transform(kept, lambda rows_n, rows_i: concat(sqlrp_quote(rows_n), ' AS c', rows_i - 1)) || [''], ', '),
    CASE WHEN v['guarded'] THEN sqlrp_ok(nulls, CASE WHEN quoted IS NULL THEN concat(v['features'], ' IS NOT NULL AND list_position(', v['features'], ', NULL) IS NULL') ELSE sqlrp_complete(quoted, nulled) END) || ' AS ok, ' ELSE '' END,
    'sqlrp_kernel_', lower(v['listed']), '_' || v['fields'], '((SELECT sqlrp_p FROM ', v['own'], '_program), CAST(', factor, ' AS DOUBLE), ''', CASE WHEN v['guarded'] THEN 'zero' ELSE nulls END, ''', ',
    v['features'], ') AS x FROM ', base, ') s');

-- The step that writes the statement: like sqlrp_final_step, for `native` stages in the kernel, and the others around its rows.
CREATE OR REPLACE MACRO sqlrp_native_step(native, k, factor, first, last, steps, {{frame_arguments}}) AS
  list_transform(list_transform(list_transform(list_transform([steps], lambda native_s: {'steps': native_s, 'whole': native = len(native_s), 'own': sqlrp_own(relation),
      'tables': sqlrp_calls(native_s, 0, sqlrp_own(relation)), 'scaled': scale AND factor <> '1'}), lambda native_a: {'steps': native_a['steps'], 'own': native_a['own'],
      'whole': native_a['whole'], 'scaled': native_a['scaled'], 'guarded': NOT native_a['whole'] AND sqlrp_guarded(layout, nulls, nullable),
      'features': sqlrp_kernel_features(first, names, types, quoted, size), 'tables': list_transform(native_a['tables'], lambda native_t, native_i:
        CASE WHEN native_i > native OR native_a['steps'][native_i]['drawn'] IS NULL THEN native_t END),
      'fields': CASE WHEN native_a['whole'] AND sqlrp_output(output, k, kept) = 'columns' THEN list_filter([16, 32, 64, 128, 256, 512, 1024], lambda native_f: native_f >= k)[1] END,
      'listed': CASE WHEN native_a['whole'] AND native_a['scaled'] AND sqlrp_tile(last) = 'BIGINT' THEN 'DOUBLE' ELSE sqlrp_kernel_type(native_a['steps'][native]['kept']) END}), lambda native_b:
    {'v': native_b, 'result': CASE WHEN single THEN 'FLOAT' WHEN scale AND last NOT IN ('FLOAT', 'DOUBLE') THEN 'DOUBLE' ELSE last END,
     'carried': sqlrp_carried(kept, native_b['guarded']),
     'rows': sqlrp_kernel_rows(native_b, CASE WHEN native_b['whole'] AND native_b['scaled'] THEN factor ELSE '1' END, {{frame_arguments}})}), lambda native_c:
    concat(CASE WHEN told THEN 'SELECT ' ELSE 'FROM query(' END, 'sqlrp_shape(', sqlrp_list(kept), ', false, ', sqlrp_string(sqlrp_output(output, k, kept)), ', ', k, ', ', native_c['v']['guarded'], ', ',
      CASE WHEN native_c['v']['scaled'] AND NOT native_c['v']['whole'] THEN concat('sqlrp_literal(', factor, ', ', CASE WHEN last = 'FLOAT' THEN '''FLOAT''' ELSE '''DOUBLE''' END, ')')
        ELSE 'CAST(NULL AS VARCHAR)' END, ', ', sqlrp_string(CASE WHEN native_c['v']['whole'] THEN native_c['v']['listed'] ELSE last END), ', ', sqlrp_string(native_c['result']), ', CAST([',
      sqlrp_join(native_c['v']['tables'] || [sqlrp_string(sqlrp_program_table(native_c['v']['own'], native_c['v']['steps'][:native], first, native_c['v']['tables'][:native]))], ', '),
      '] AS VARCHAR[]), ', sqlrp_wrapped(sqlrp_string(native_c['rows']), native_c['v']['steps'], native, native_c['v']['own'], native_c['carried']),
      CASE WHEN told THEN ') AS text' ELSE '))' END))[1];
