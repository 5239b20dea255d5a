-- A column by its name, in upper or lower case.
CREATE OR REPLACE MACRO sqlrp_find(columns, wanted, role, relation) AS
  list_transform([list_filter(columns, lambda found_c: lower(found_c['name']) = lower(wanted))], lambda find_found:
    CASE WHEN len(find_found) = 0 THEN error(role || ' ''' || wanted || ''' is not a column of ' || relation
        || sqlrp_meant(wanted, list_transform(columns, lambda find_c: find_c['name'])) || CASE WHEN role = 'key'
        THEN ': name the key column, or key NULL for a table without one' ELSE ': name one of its columns' END)
      ELSE find_found[1] END)[1];

-- An array that is left out though it has more numbers than there are numeric columns, so that it may be what is meant, in
-- words; a list is taken to have 64 (sqlrp/lowering/left_out.py). NULL where there is none.
CREATE OR REPLACE MACRO sqlrp_passed_over(columns, found, key, keep) AS
  list_transform(list_filter(columns, lambda over_c: over_c['type'] LIKE '%]'
      AND sqlrp_number(regexp_replace(over_c['type'], '\[\d*\]$', '')) IS NOT NULL AND lower(over_c['name']) IS DISTINCT FROM lower(key)
      AND NOT list_contains(list_transform(keep, lambda over_k: lower(over_k)), lower(over_c['name']))
      AND found < coalesce(TRY_CAST(regexp_extract(over_c['type'], '\[(\d+)\]$', 1) AS BIGINT), 64)),
    lambda over_c: 'an array: ''' || over_c['name'] || '''. Say which holds the features. For the array: array_column := '''
      || over_c['name'] || '''. For the numeric columns: name them in features')[1];

-- Which columns hold the features of a wide source.
CREATE OR REPLACE MACRO sqlrp_wide_features(columns, features, key, keep, relation) AS
  CASE WHEN len(features) = 0 THEN list_filter(columns, lambda wide_c: sqlrp_number(wide_c['type']) IS NOT NULL
      AND lower(wide_c['name']) IS DISTINCT FROM lower(key)
      AND NOT list_contains(list_transform(keep, lambda wide_k: lower(wide_k)), lower(wide_c['name'])))
    ELSE list_transform(features, lambda wide_f: list_transform([sqlrp_find(columns, wide_f, 'feature', relation)], lambda wide_c:
      CASE WHEN sqlrp_number(wide_c['type']) IS NULL THEN error('feature ''' || wide_c['name'] || ''' of ' || relation || ' is '
          || wide_c['type'] || ', not a number: cast it, keep it, or leave it out') ELSE wide_c END)[1]) END;

-- The features that a call names. Those of a saved projection hold only if the source has all of them.
CREATE OR REPLACE MACRO sqlrp_asked(q, columns) AS
  CASE WHEN q['own'] AND len(list_filter(q['features'], lambda asked_f: NOT list_contains(list_transform(columns, lambda asked_c: lower(asked_c['name'])),
      lower(asked_f)))) > 0 THEN [] ELSE q['features'] END;

-- The layout that the arguments name.
CREATE OR REPLACE MACRO sqlrp_layout(array_column, feature, value) AS
  CASE WHEN array_column IS NOT NULL THEN 'array' WHEN feature IS NOT NULL OR value IS NOT NULL THEN 'long' ELSE 'wide' END;

-- The frame of a source, a macro for each layout: which columns hold the features, and how many there are.
CREATE OR REPLACE MACRO sqlrp_array_frame(q, columns) AS
  list_transform([sqlrp_find(columns, q['array_column'], 'array column', q['relation'])], lambda array_c:
    CASE WHEN sqlrp_number(regexp_replace(array_c['type'], '\[\d*\]$', '')) IS NULL OR array_c['type'] NOT LIKE '%]' THEN
        error('column ''' || array_c['name'] || ''' of ' || q['relation'] || ' is ' || array_c['type']
              || ', not an array of numbers: leave array_column out for plain columns, or cast it to FLOAT[n]')
      WHEN array_c['type'] LIKE '%[]' AND q['n_features'] IS NULL THEN
        error('the length of the lists in ''' || array_c['name'] || ''' of ' || q['relation'] || ' cannot be told from here: '
              || 'declare the column as an array such as FLOAT[768], or pass n_features := n in SQL')
      ELSE {'layout': 'array', 'features': [array_c], 'text': false, 'n': CASE WHEN array_c['type'] LIKE '%[]' THEN q['n_features']
            ELSE TRY_CAST(regexp_extract(array_c['type'], '\[(\d+)\]$', 1) AS BIGINT) END} END)[1];

CREATE OR REPLACE MACRO sqlrp_long_frame(q, columns) AS
  list_transform([{'feature': sqlrp_find(columns, coalesce(q['feature'], 'feature'), 'feature column', q['relation']),
                   'value': sqlrp_find(columns, coalesce(q['value'], 'value'), 'value column', q['relation'])}], lambda long_c:
    CASE WHEN q['key'] IS NULL THEN error('key = NULL does not name the rows of a long source: name its key column')
      WHEN coalesce(sqlrp_number(long_c['feature']['type'])['kind'] != 'int',
                    long_c['feature']['type'] != 'VARCHAR' AND long_c['feature']['type'] NOT LIKE 'ENUM(%') THEN
        error('feature column ''' || long_c['feature']['name'] || ''' of ' || q['relation'] || ' is ' || long_c['feature']['type']
              || ': it must hold positions (integers from 0) or names (text)')
      WHEN sqlrp_number(long_c['value']['type']) IS NULL THEN error('value column ''' || long_c['value']['name'] || ''' of ' || q['relation']
              || ' is ' || long_c['value']['type'] || ', not a number: cast it')
      ELSE {'layout': 'long', 'features': [long_c['feature'], long_c['value']], 'text': sqlrp_number(long_c['feature']['type']) IS NULL,
            'n': q['n_features']} END)[1];

CREATE OR REPLACE MACRO sqlrp_wide_frame(q, columns) AS
  list_transform(list_transform(list_transform([sqlrp_asked(q, columns)], lambda wide_asked: {'asked': len(wide_asked) > 0,
      'found': sqlrp_wide_features(columns, wide_asked, q['key'], q['keep'], q['relation'])}), lambda wide_a: {'found': wide_a['found'],
      'over': CASE WHEN NOT wide_a['asked'] THEN sqlrp_passed_over(columns, len(wide_a['found']), q['key'], q['keep']) END}), lambda wide_b:
    CASE WHEN wide_b['over'] IS NOT NULL THEN error(q['relation'] || ' has ' || len(wide_b['found']) || ' numeric column(s) besides key and keep, and ' || wide_b['over'])
      WHEN len(wide_b['found']) = 0 THEN error(q['relation'] || ' has no numeric column besides key and keep: a wide source '
        || 'needs at least one; use array_column for an array column or feature and value for (key, feature, value) rows')
      ELSE {'layout': 'wide', 'features': wide_b['found'], 'text': false, 'n': len(wide_b['found'])} END)[1];

-- Features of one type that no one named are read as one array, without their names: a text with hundreds of names takes long to bind.
CREATE OR REPLACE MACRO sqlrp_starred(q, kept, columns, f, own) AS
  CASE WHEN f['layout'] <> 'wide' OR len(q['features']) > 0 OR len(list_distinct(list_transform(f['features'], lambda star_c: star_c['type']))) > 1
      THEN {'relation': q['relation'], 'layout': f['layout'], 'features': f['features']}
    ELSE {'relation': '(SELECT ' || sqlrp_join(list_transform(kept, lambda star_k: sqlrp_quote(star_k)) || [''], ', ') || 'list_value(*COLUMNS(*'
        || CASE WHEN len(columns) = f['n'] THEN '' ELSE ' EXCLUDE (' || sqlrp_join(list_transform(list_filter(columns, lambda star_c:
          NOT list_contains(f['features'], star_c)), lambda star_c: sqlrp_quote(star_c['name'])), ', ') || ')' END || ')) AS ' || own
        || '_list FROM ' || q['relation'] || ') s', 'layout': 'array',
      'features': [{'name': own || '_list', 'type': f['features'][1]['type'] || '[' || f['n'] || ']', 'nullable': true}]} END;

-- What is known of a call and its source, as SQL: the argument of the next step.
CREATE OR REPLACE MACRO sqlrp_frame_text(q, kept, f, starred) AS
  list_transform([starred], lambda text_f: '{''told'': ' || q['told'] || ', ''relation'': ' || sqlrp_string(text_f['relation']) || ', ''output'': ' || sqlrp_string(q['output']) || ', ''single'': ' || q['single']
    || ', ''scale'': ' || q['scale'] || ', ''nulls'': ' || sqlrp_string(q['nulls']) || ', ''keyed'': ' || (q['key'] IS NOT NULL)
    || ', ''kept'': ' || sqlrp_list(kept) || ', ''layout'': ' || sqlrp_string(text_f['layout']) || ', ''text'': ' || f['text']
    || ', ''n'': CAST(' || sqlrp_value(f['n']) || ' AS BIGINT), ''size'': CAST(' || sqlrp_text(f['n'])
    || ' AS VARCHAR), ''late'': CAST(NULL AS VARCHAR), ''asked'': CAST(NULL AS VARCHAR), ''names'': ' || sqlrp_list(list_transform(text_f['features'], lambda text_c: text_c['name']))
    || ', ''types'': ' || sqlrp_list(list_transform(text_f['features'], lambda text_c: text_c['type'])) || ', ''nullable'': ['
    || sqlrp_join(list_transform(text_f['features'], lambda text_c: CAST(text_c['nullable'] AS VARCHAR)), ', ') || ']}')[1];

-- The names of the columns that pass through.
CREATE OR REPLACE MACRO sqlrp_kept(q, columns) AS
  CASE WHEN q['key'] IS NULL THEN [] ELSE [sqlrp_find(columns, q['key'], 'key', q['relation'])['name']] END
    || list_transform(q['keep'], lambda kept_n: sqlrp_find(columns, kept_n, 'keep column', q['relation'])['name']);

-- The next step of a call: the columns of its source meet the arguments. `method` is the stages as SQL, with {n} for the number of
-- features.
CREATE OR REPLACE MACRO sqlrp_read(framed, method) AS
  list_transform(list_transform(list_transform(framed, lambda read_a:
      {'q': read_a['q'], 'columns': read_a['columns'], 'f': read_a['f'], 'k': sqlrp_kept(read_a['q'], read_a['columns'])}), lambda read_b:
      {'n': read_b['f']['n'], 'text': sqlrp_frame_text(read_b['q'], read_b['k'], read_b['f'], sqlrp_starred(read_b['q'], read_b['k'], read_b['columns'], read_b['f'],
        sqlrp_own(read_b['q']['relation'] || sqlrp_join(read_b['k'], ' '))))}), lambda read_c:
      'FROM query(sqlrp_met(' || sqlrp_string(read_c['text']) || ', ' || sqlrp_string(replace(method, '{n}', 'CAST(' || sqlrp_text(read_c['n']) || ' AS VARCHAR)')) || '))')[1];

CREATE OR REPLACE MACRO sqlrp_read_array(q, columns_of, method) AS
  sqlrp_read(list_transform([{'q': q, 'columns': columns_of}], lambda array_v: {'q': array_v['q'], 'columns': array_v['columns'],
    'f': sqlrp_array_frame(array_v['q'], array_v['columns'])}), method);
CREATE OR REPLACE MACRO sqlrp_read_long(q, columns_of, method) AS
  sqlrp_read(list_transform([{'q': q, 'columns': columns_of}], lambda long_v: {'q': long_v['q'], 'columns': long_v['columns'],
    'f': sqlrp_long_frame(long_v['q'], long_v['columns'])}), method);
CREATE OR REPLACE MACRO sqlrp_read_wide(q, columns_of, method) AS
  sqlrp_read(list_transform([{'q': q, 'columns': columns_of}], lambda wide_v: {'q': wide_v['q'], 'columns': wide_v['columns'],
    'f': sqlrp_wide_frame(wide_v['q'], wide_v['columns'])}), method);

-- A step that writes a text as it is and as a string.
CREATE OR REPLACE MACRO sqlrp_met(w_text, method) AS
  'FROM query(sqlrp_plan(' || w_text || ', ' || method || ', ' || sqlrp_string(w_text) || ', ' || sqlrp_string(method) || '))';
