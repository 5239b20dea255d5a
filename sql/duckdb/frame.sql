-- A column by its name, in upper or lower case.
CREATE OR REPLACE MACRO sqlrp_find(columns, wanted, role, relation) AS
  list_transform([list_filter(columns, lambda found_c: sqlrp_fold(found_c['name']) = sqlrp_fold(wanted))], lambda find_found:
    CASE WHEN len(find_found) = 0 THEN error(role || ' ''' || wanted || ''' is not a column of ' || relation
        || sqlrp_meant(wanted, list_transform(columns, lambda find_c: find_c['name'])) || CASE WHEN role = 'key'
        THEN ': name the key column, or key NULL for a table without one' ELSE ': name one of its columns' END)
      ELSE find_found[1] END)[1];

-- The columns of several names. Those of the source are folded once: for each name again they take 14 s for 2,000.
CREATE OR REPLACE MACRO sqlrp_find_each(columns, names, first_role, role, relation) AS
  list_transform([list_transform(columns, lambda each_c: sqlrp_fold(each_c['name']))], lambda each_v:
    list_transform(names, lambda each_n, each_i: coalesce(columns[list_position(each_v, sqlrp_fold(each_n))],
      sqlrp_find(columns, each_n, CASE WHEN each_i = 1 THEN first_role ELSE role END, relation))))[1];

-- An array that is left out though it has more numbers than there are numeric columns, so that it may be what is meant, in
-- words; a list is taken to have 64 (sqlrp/_lowering/left_out.py). NULL where there is none.
CREATE OR REPLACE MACRO sqlrp_passed_over(columns, found, key, keep) AS
  list_transform(list_filter(columns, lambda over_c: over_c['type'] LIKE '%]'
      AND sqlrp_is_number(regexp_replace(over_c['type'], '\[\d*\]$', '')) AND sqlrp_fold(over_c['name']) IS DISTINCT FROM sqlrp_fold(key)
      AND NOT list_contains(list_transform(keep, lambda over_k: sqlrp_fold(over_k)), sqlrp_fold(over_c['name']))
      AND found < coalesce(TRY_CAST(regexp_extract(over_c['type'], '\[(\d+)\]$', 1) AS BIGINT), 64)),
    lambda over_c: 'an array: ''' || over_c['name'] || '''. Say which holds the features. For the array: array_column := '''
      || over_c['name'] || '''. For the numeric columns: name them in features')[1];

-- Which columns hold the features of a wide source.
CREATE OR REPLACE MACRO sqlrp_wide_features(columns, features, key, keep, relation) AS
  CASE WHEN len(features) = 0 THEN list_filter(columns, lambda wide_c: sqlrp_is_number(wide_c['type'])
      AND sqlrp_fold(wide_c['name']) IS DISTINCT FROM sqlrp_fold(key)
      AND NOT list_contains(list_transform(keep, lambda wide_k: sqlrp_fold(wide_k)), sqlrp_fold(wide_c['name'])))
    ELSE list_transform(sqlrp_find_each(columns, features, 'feature', 'feature', relation), lambda wide_c:
      CASE WHEN NOT sqlrp_is_number(wide_c['type']) THEN error(concat('feature ''', wide_c['name'], ''' of ', relation, ' is ',
          wide_c['type'], ', not a number: cast it, keep it, or leave it out')) ELSE wide_c END) END;

-- Whether all of some names are among others, in upper or lower case; NULL for no names.
CREATE OR REPLACE MACRO sqlrp_all_in(names, others) AS
  list_has_all(list_transform(others, lambda all_n: sqlrp_fold(all_n)), list_transform(names, lambda all_n: sqlrp_fold(all_n)));

-- The features that a call names, or else those of a saved projection, which hold only if the source has all of them. If the call names
-- them all, they are taken in the projection's order.
CREATE OR REPLACE MACRO sqlrp_asked(columns, features, names) AS
  CASE WHEN len(features) > 0 AND NOT (coalesce(len(names), 0) > 0 AND sqlrp_all_in(names, features)
      AND sqlrp_all_in(features, list_transform(columns, lambda asked_c: asked_c['name']))) THEN features
    WHEN NOT sqlrp_all_in(names, list_transform(columns, lambda asked_c: asked_c['name'])) THEN [] ELSE coalesce(names, []) END;

-- The layout that the arguments name.
CREATE OR REPLACE MACRO sqlrp_layout(array_column, feature, value) AS
  CASE WHEN array_column IS NOT NULL THEN 'array' WHEN feature IS NOT NULL OR value IS NOT NULL THEN 'long' ELSE 'wide' END;

-- The frame of a source, a macro for each layout: which columns hold the features, and how many there are.
CREATE OR REPLACE MACRO sqlrp_array_frame(columns, relation, array_column, n_features) AS
  list_transform([sqlrp_find(columns, array_column, 'array column', relation)], lambda array_c:
    CASE WHEN array_c['type'] NOT LIKE '%]' OR NOT sqlrp_is_number(regexp_replace(array_c['type'], '\[\d*\]$', '')) THEN
        error(concat('column ''', array_c['name'], ''' of ', relation, ' is ', array_c['type'],
              ', not an array of numbers: leave array_column out for plain columns, or make a view that casts it to FLOAT[n]'))
      WHEN array_c['type'] LIKE '%[]' AND n_features IS NULL THEN
        error(concat('the length of the lists in ''', array_c['name'], ''' of ', relation, ' cannot be told from here: ',
              'declare the column as an array such as FLOAT[768], or pass n_features := n in SQL'))
      ELSE {'features': [array_c], 'text': false, 'n': CASE WHEN array_c['type'] LIKE '%[]' THEN n_features
            ELSE TRY_CAST(regexp_extract(array_c['type'], '\[(\d+)\]$', 1) AS BIGINT) END} END)[1];

CREATE OR REPLACE MACRO sqlrp_long_frame(columns, relation, key, feature, value, n_features) AS
  list_transform([[sqlrp_find(columns, coalesce(feature, 'feature'), 'feature column', relation),
                   sqlrp_find(columns, coalesce(value, 'value'), 'value column', relation)]], lambda long_c:
    CASE WHEN key IS NULL THEN error('key = NULL does not name the rows of a long source: name its key column')
      WHEN NOT (sqlrp_is_whole(long_c[1]['type']) OR long_c[1]['type'] = 'VARCHAR' OR long_c[1]['type'] LIKE 'ENUM(%') THEN
        error(concat('feature column ''', long_c[1]['name'], ''' of ', relation, ' is ', long_c[1]['type'],
              ': it must hold positions (integers from 0) or names (text)'))
      WHEN NOT sqlrp_is_number(long_c[2]['type']) THEN error(concat('value column ''', long_c[2]['name'], ''' of ', relation,
              ' is ', long_c[2]['type'], ', not a number: cast it'))
      ELSE {'features': long_c, 'text': NOT sqlrp_is_whole(long_c[1]['type']), 'n': n_features} END)[1];

CREATE OR REPLACE MACRO sqlrp_wide_frame(columns, relation, key, keep, features, names) AS
  list_transform(list_transform(list_transform([sqlrp_asked(columns, features, names)], lambda wide_asked: {'asked': len(wide_asked) > 0,
      'found': sqlrp_wide_features(columns, wide_asked, key, keep, relation)}), lambda wide_a: {'found': wide_a['found'],
      'over': CASE WHEN NOT wide_a['asked'] THEN sqlrp_passed_over(columns, len(wide_a['found']), key, keep) END}), lambda wide_b:
    CASE WHEN wide_b['over'] IS NOT NULL THEN error(concat(relation, ' has ', len(wide_b['found']), ' numeric column(s) besides key and keep, and ', wide_b['over']))
      WHEN len(wide_b['found']) = 0 THEN error(concat(relation, ' has no numeric column besides key and keep: a wide source ',
        'needs at least one; use array_column for an array column or feature and value for (key, feature, value) rows'))
      ELSE {'features': wide_b['found'], 'text': false, 'n': len(wide_b['found'])} END)[1];

-- Features of one type that no one named are read as one array, without their names: a text with hundreds of names takes long to bind.
CREATE OR REPLACE MACRO sqlrp_one_list(found, own) AS
  {'name': own || '_list', 'type': concat(found[1]['type'], '[', len(found), ']'), 'nullable': true};

CREATE OR REPLACE MACRO sqlrp_listed(relation, kept, columns, found, own) AS
  concat('(SELECT ', sqlrp_join(list_transform(kept, lambda star_k: sqlrp_quote(star_k)) || [''], ', '), 'list_value(*COLUMNS(*',
    CASE WHEN len(columns) = len(found) THEN '' ELSE concat(' EXCLUDE (', sqlrp_join(list_transform(list_filter(columns, lambda star_c:
      NOT list_contains(found, star_c)), lambda star_c: sqlrp_quote(star_c['name'])), ', '), ')') END, ')) AS ', own, '_list FROM ', relation, ') s');

CREATE OR REPLACE MACRO sqlrp_starred(relation, named, kept, columns, found, own) AS
  CASE WHEN named OR len(list_distinct(list_transform(found, lambda star_c: star_c['type']))) > 1
      THEN {'relation': relation, 'layout': 'wide', 'features': found}
    ELSE {'relation': sqlrp_listed(relation, kept, columns, found, own), 'layout': 'array', 'features': [sqlrp_one_list(found, own)]} END;

-- The names of the columns that pass through.
CREATE OR REPLACE MACRO sqlrp_kept(columns, relation, key, keep) AS
  list_transform(sqlrp_find_each(columns, CASE WHEN key IS NULL THEN [] ELSE [key] END || keep,
    CASE WHEN key IS NULL THEN 'keep column' ELSE 'key' END, 'keep column', relation), lambda kept_c: kept_c['name']);

-- The number of rows of a source, as SQL, where DuckDB's plan of a count has it; else NULL. The source's name stands in its check
-- (sqlrp_same), which the text of a view has not: its source may grow.
CREATE OR REPLACE MACRO sqlrp_count(relation) AS
  list_transform([regexp_extract(relation, '\(DESCRIBE SELECT \* FROM (.*?)\)\)\)', 1)], lambda count_r: CASE WHEN count_r = '' THEN 'NULL' ELSE concat('TRY_CAST(json_serialize_plan(',
    sqlrp_string('SELECT count(*) FROM ' || count_r), ', optimize := true, skip_null := true, skip_empty := true, skip_default := true)->>''$.plans[0].children[0].expressions[0][0].value.value'' AS BIGINT)') END)[1];

-- A step that writes texts as they are and as strings. `few`: whether there are so few rows that lists compute them, as SQL.
CREATE OR REPLACE MACRO sqlrp_met(frame_text, method, few) AS
  concat('FROM query(sqlrp_stated(', sqlrp_string(frame_text), ', ', sqlrp_string(method), ', ', few, '))');
CREATE OR REPLACE MACRO sqlrp_stated(frame_text, method, few) AS
  concat('FROM query(sqlrp_', CASE WHEN few THEN 'few' ELSE 'plan' END, '(', method, ', ', sqlrp_string(method), ', ', sqlrp_string(frame_text), ', ', frame_text, '))');

-- What is known of a call and its source, as SQL: arguments of the next steps, in the order of {{frame_arguments}}.
-- `method` is the stages as SQL, with {n} for the number of features.
-- `found`: the features of a wide source, whose table is `base`; NULL for other sources. A list of hundreds of literals takes long to bind,
-- so their names travel as one text, and so does whether each may be NULL.
CREATE OR REPLACE MACRO sqlrp_read_as(method, kept, layout, words, n, reads, names, types, nullable, told, output, single, scale, nulls, key, lowering, base, found) AS
  sqlrp_met(concat(told, ', ', single, ', ', scale, ', ', key IS NOT NULL, ', ', words, ', CAST(', sqlrp_value(n), ' AS BIGINT), ', sqlrp_each_list([kept, names, types]), ', ', nullable, ', ', sqlrp_strings([NULL, NULL, reads, output, nulls, layout, CAST(n AS VARCHAR), base,
        list_aggregate(list_transform(found, lambda text_c: sqlrp_quote(text_c['name'])), 'string_agg', ','),
        list_aggregate(list_transform(found, lambda text_c: CASE WHEN text_c['nullable'] THEN '1' ELSE '0' END), 'string_agg', ''), lowering])),
    replace(method, '{n}', concat('CAST(', sqlrp_text(n), ' AS VARCHAR)')),
    CASE WHEN layout <> 'long' AND lowering IN ('auto', 'sql') AND NOT regexp_matches(method, '^({{transforms}})\(') THEN concat(sqlrp_count(base), ' <= {{few_rows}}') ELSE 'false' END);

CREATE OR REPLACE MACRO sqlrp_read(method, kept, layout, words, n, reads, features, told, output, single, scale, nulls, key, lowering, base, found) AS
  sqlrp_read_as(method, kept, layout, words, n, reads, list_transform(features, lambda text_c: text_c['name']), list_transform(features, lambda text_c: text_c['type']),
    CAST(list_transform(features, lambda text_c: text_c['nullable']) AS VARCHAR), told, output, single, scale, nulls, key, lowering, base, found);

-- The source in a statement that runs, with a condition: the statement fails if the columns are others than those that it was written for. A view reads
-- the table that is in its own schema, and json_serialize_plan tells the columns of the one that the session finds. Two threads would mix up more
-- than 2,048 columns, so they are numbered. The text stands after FROM, and only GROUP BY may follow it. A subquery of all columns in its place
-- would bind each of them once more.
CREATE OR REPLACE MACRO sqlrp_same(told, relation, columns) AS
  CASE WHEN told THEN relation ELSE concat(relation, ' WHERE (SELECT CASE WHEN md5(string_agg(concat(column_name, '' '', column_type), '', '' ORDER BY place ASC)) = ''',
    md5(sqlrp_join(list_transform(columns, lambda same_c: concat(same_c['name'], ' ', same_c['type'])), ', ')), ''' THEN true ELSE error(', sqlrp_string(concat('sqlrp: the columns of ',
      relation, ' are not those that this call was written for: a view reads the table in its own schema, and here another table has that name; write the database and the schema in the name')),
    ') END FROM (SELECT *, row_number() OVER () AS place FROM (DESCRIBE SELECT * FROM ', relation, ')))') END;

-- The error of a call that names plain columns, and `others`.
CREATE OR REPLACE MACRO sqlrp_two_layouts(features, others) AS
  error(concat('features = [', sqlrp_join(features, ', '), '] names plain columns, and other arguments name ', others, ': leave out one of them'));

-- The next step of a call: the columns of its source meet the arguments.
CREATE OR REPLACE MACRO sqlrp_read_array(columns_of, method, names, {{call_arguments}}) AS
  list_transform(list_transform([columns_of], lambda array_v: {'f': sqlrp_array_frame(array_v, relation, array_column, n_features),
      'kept': CASE WHEN len(features) > 0 THEN sqlrp_two_layouts(features, 'an array column')
        WHEN coalesce(feature, value) IS NOT NULL
          THEN error('array_column names an array column, and feature and value the columns of long rows: leave out one of them')
        ELSE sqlrp_kept(array_v, relation, key, keep) END, 'same': sqlrp_same(told, relation, array_v)}), lambda array_r:
    sqlrp_read(method, array_r['kept'], 'array', false, array_r['f']['n'], array_r['same'], array_r['f']['features'], told, output, single, scale, nulls, key,
      lowering, array_r['same'], CAST(NULL AS STRUCT(name VARCHAR, nullable BOOLEAN)[])))[1];

CREATE OR REPLACE MACRO sqlrp_read_long(columns_of, method, names, {{call_arguments}}) AS
  list_transform(list_transform([columns_of], lambda long_v: {'f': sqlrp_long_frame(long_v, relation, key, feature, value, n_features),
      'kept': CASE WHEN len(features) > 0 THEN sqlrp_two_layouts(features, 'the columns of long rows')
        WHEN len(keep) > 0 THEN error(concat('keep = [', sqlrp_join(keep, ', '),
        '] does not hold for long rows, as a row is spread over many: join the result by its key'))
        ELSE sqlrp_kept(long_v, relation, key, keep) END, 'same': sqlrp_same(told, relation, long_v)}), lambda long_r:
    sqlrp_read(method, long_r['kept'], 'long', long_r['f']['text'], long_r['f']['n'], long_r['same'], long_r['f']['features'], told, output, single, scale, nulls, key,
      lowering, long_r['same'], CAST(NULL AS STRUCT(name VARCHAR, nullable BOOLEAN)[])))[1];

-- The common case of an array: it is of numbers, and nothing is to be said of the columns. Else sqlrp_read_array reads them, which `called` has the arguments for.
CREATE OR REPLACE MACRO sqlrp_read_plain_array(columns_of, called, method, names, {{call_arguments}}) AS
  list_transform(list_transform([columns_of], lambda plain_c: {'same': sqlrp_same(told, relation, plain_c), 'array': list_filter(plain_c, lambda plain_f: sqlrp_fold(plain_f['name']) = sqlrp_fold(array_column))[1],
      'kept': CASE WHEN key IS NULL THEN [] ELSE [list_filter(plain_c, lambda plain_f: sqlrp_fold(plain_f['name']) = sqlrp_fold(key))[1]['name']] END}), lambda plain_r: CASE
    WHEN coalesce(regexp_full_match(plain_r['array']['type'], '(FLOAT|DOUBLE|[A-Z]*INT(EGER)?)\[\d+\]'), false) AND list_position(plain_r['kept'], NULL) IS NULL
      THEN sqlrp_read_as(method, plain_r['kept'], 'array', false, CAST(regexp_extract(plain_r['array']['type'], '\d+') AS BIGINT), plain_r['same'], [plain_r['array']['name']], [plain_r['array']['type']],
        CAST([plain_r['array']['nullable']] AS VARCHAR), told, output, single, scale, nulls, key, lowering, plain_r['same'], CAST(NULL AS STRUCT(name VARCHAR, nullable BOOLEAN)[]))
    ELSE concat('FROM query(sqlrp_read_array(', sqlrp_columns(relation), ', ', sqlrp_string(method), ', ', called, '))') END)[1];

-- The common case of it: all numeric columns are features, of one type, those of a saved projection in their order if it has `names`, and nothing is to be
-- said of the columns. Else sqlrp_read_wide reads them, which `called` has the other arguments for.
CREATE OR REPLACE MACRO sqlrp_read_plain(columns_of, called, method, names, {{call_arguments}}) AS
  list_transform(list_transform(list_transform([columns_of], lambda plain_c: {'columns': plain_c, 'passed': list_transform(CASE WHEN key IS NULL THEN [] ELSE [key] END || keep,
      lambda plain_n: sqlrp_fold(plain_n))}), lambda plain_v: {'columns': plain_v['columns'], 'same': sqlrp_same(told, relation, plain_v['columns']),
      'kept': list_transform(plain_v['passed'], lambda plain_n: list_filter(plain_v['columns'], lambda plain_c: sqlrp_fold(plain_c['name']) = plain_n)[1]['name']),
      'found': list_filter(plain_v['columns'], lambda plain_c: NOT list_contains(plain_v['passed'], sqlrp_fold(plain_c['name'])) AND sqlrp_is_number(plain_c['type'])),
      'listed': len(list_filter(plain_v['columns'], lambda plain_c: plain_c['type'] LIKE '%]')) > 0}), lambda plain_r: CASE
    WHEN plain_r['listed'] OR list_position(plain_r['kept'], NULL) IS NOT NULL OR len(list_distinct(list_transform(plain_r['found'], lambda plain_c: plain_c['type']))) <> 1
        OR names <> list_transform(plain_r['found'], lambda plain_c: plain_c['name'])
      THEN concat('FROM query(sqlrp_read_wide(', sqlrp_columns(relation), ', ', sqlrp_string(method), ', ', called, '))')
    ELSE list_transform([sqlrp_own(relation || sqlrp_join(plain_r['kept'], ' '))], lambda plain_own: sqlrp_read_as(method, plain_r['kept'], 'array', false, len(plain_r['found']),
      sqlrp_listed(plain_r['same'], plain_r['kept'], plain_r['columns'], plain_r['found'], plain_own),
      [plain_own || '_list'], [concat(plain_r['found'][1]['type'], '[', len(plain_r['found']), ']')], '[true]', told, output, single, scale, nulls, key, lowering, plain_r['same'], plain_r['found']))[1] END)[1];

CREATE OR REPLACE MACRO sqlrp_read_wide(columns_of, method, names, {{call_arguments}}) AS
  list_transform(list_transform(list_transform([columns_of], lambda wide_v: {'columns': wide_v, 'same': sqlrp_same(told, relation, wide_v),
      'found': sqlrp_wide_frame(wide_v, relation, key, keep, features, names)['features'], 'kept': sqlrp_kept(wide_v, relation, key, keep)}), lambda wide_s:
      {'kept': wide_s['kept'], 'n': len(wide_s['found']), 'found': wide_s['found'], 'same': wide_s['same'], 'read': sqlrp_starred(wide_s['same'], len(features) > 0 OR coalesce(len(names) > 0, false), wide_s['kept'],
        wide_s['columns'], wide_s['found'], sqlrp_own(relation || sqlrp_join(wide_s['kept'], ' ')))}), lambda wide_r:
    sqlrp_read(method, wide_r['kept'], wide_r['read']['layout'], false, wide_r['n'], wide_r['read']['relation'], wide_r['read']['features'],
      told, output, single, scale, nulls, key, lowering, wide_r['same'], wide_r['found']))[1];
