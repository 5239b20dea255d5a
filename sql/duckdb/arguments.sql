-- -- the arguments ----------------------------------------------------------------------------------------------------------

-- The arguments, checked and completed: the words of an error are those of Python.
CREATE OR REPLACE MACRO sqlrp_whole(name, value, low) AS
  CASE WHEN typeof(value) NOT IN ('INTEGER', 'BIGINT') OR TRY_CAST(value AS BIGINT) NOT BETWEEN low AND {{last_feature}} THEN
      error(concat(name, ' = ', sqlrp_shown(value), ' must be a whole number >= ', low))
    ELSE TRY_CAST(value AS BIGINT) END;

-- The empty text, or an error for a degree or for tables that are too large, in Python's words. What is no number is refused elsewhere.
CREATE OR REPLACE MACRO sqlrp_sized(names, sizes) AS
  list_transform([{'names': list_filter(names, lambda sized_n, sized_i: sizes[sized_i] > 1), 'entries': list_aggregate(list_transform(sizes,
      lambda sized_x: greatest(coalesce(sized_x, 1), 1)), 'product'), 'degree': sizes[list_position(names, 'degree')]}], lambda sized_v:
    CASE WHEN sized_v['degree'] > {{most_degree}} THEN error(concat('degree = ', CAST(sized_v['degree'] AS HUGEINT), ' must be at most {{most_degree}}: lower degree'))
      WHEN sized_v['entries'] > {{most_stated}} THEN error(concat(sqlrp_join(sized_v['names'], ' * '), ' = ', CAST(sized_v['entries'] AS HUGEINT),
        ' must be at most {{most_stated_shown}}: lower ', sqlrp_join(sized_v['names'], ' or ')))
      ELSE '' END)[1];

CREATE OR REPLACE MACRO sqlrp_one_of(name, value, choices) AS
  CASE WHEN list_contains(choices, CAST(value AS VARCHAR)) THEN CAST(value AS VARCHAR)
    ELSE error(concat(name, ' = ', sqlrp_shown(value), ' must be one of ', sqlrp_join(choices, ', '))) END;

CREATE OR REPLACE MACRO sqlrp_names(name, value) AS
  CASE WHEN typeof(value) = 'VARCHAR' THEN
      error(concat(name, ' = ', sqlrp_shown(value), ' must be a list of column names: write [', sqlrp_shown(value), ']'))
    ELSE coalesce(TRY_CAST(value AS VARCHAR[]), []) END;

CREATE OR REPLACE MACRO sqlrp_flag(name, value) AS
  CASE WHEN typeof(value) != 'BOOLEAN' OR value IS NULL THEN error(concat(name, ' = ', sqlrp_shown(value), ' must be true or false'))
    ELSE TRY_CAST(value AS BOOLEAN) END;

-- Whether the result's numbers are of 32 bits, as the text of a flag.
CREATE OR REPLACE MACRO sqlrp_single(dtype, output) AS
  CASE CASE WHEN output = 'bits' AND sqlrp_one_of('dtype', dtype, ['auto', 'float32', 'float16']) <> 'auto'
      THEN error('dtype = ' || sqlrp_shown(dtype) || ' is for numbers, and output = ''bits'' has none: leave dtype out')
    ELSE sqlrp_one_of('dtype', dtype, ['auto', 'float32', 'float16']) END WHEN 'float16' THEN
      error('dtype = ''float16'' is not supported: duckdb has no ' || CASE output WHEN 'vector' THEN 'vectors' ELSE 'columns' END
        || ' of such floats; leave dtype out')
    WHEN 'float32' THEN 'true' ELSE CASE output WHEN 'vector' THEN 'true' ELSE 'false' END END;

-- s as SQL, given as text with the name of its type and the number of features (NULL: an open vocabulary).
CREATE OR REPLACE MACRO sqlrp_s(s, kind, n) AS
  CASE WHEN s = 'sqrt' THEN CASE WHEN n IS NULL THEN
      error('s = "sqrt" needs the number of features, which an open vocabulary does not have: '
            || 'pass n_features, or a number such as s = 3') ELSE 'sqrt(CAST(' || n || ' AS DOUBLE))' END
    WHEN kind IN ('VARCHAR', 'BOOLEAN') OR s IS NULL OR NOT coalesce(TRY_CAST(s AS DOUBLE) >= 1 AND isfinite(TRY_CAST(s AS DOUBLE)), false)
      THEN error('s = ' || CASE WHEN kind = 'VARCHAR' THEN '''' || s || '''' ELSE coalesce(s, 'NULL') END
            || ' must be a number >= 1, or "sqrt" for the square root of the number of features')
    ELSE 'CAST(''' || TRY_CAST(s AS DOUBLE) || ''' AS DOUBLE)' END;

-- What is wrong with the columns that pass through: one has the name of an output.
CREATE OR REPLACE MACRO sqlrp_taken(kept, output, k) AS
  'column ''' || list_filter(kept, lambda taken_n: CASE WHEN output IN ('array', 'vector') THEN sqlrp_fold(taken_n) = 'z'
      WHEN output = 'long' THEN sqlrp_fold(taken_n) IN ('component', 'value')
      WHEN output = 'bits' THEN regexp_matches(sqlrp_fold(taken_n), '^b(0|[1-9]\d{0,8})$') AND TRY_CAST(taken_n[2:] AS BIGINT) * {{word_bits}} < k
      ELSE regexp_matches(sqlrp_fold(taken_n), '^z(0|[1-9]\d{0,8})$') AND TRY_CAST(taken_n[2:] AS BIGINT) < k END)[1]
    || ''' of the source has an output column''s name: rename it, or choose another output';

CREATE OR REPLACE MACRO sqlrp_seed_number(seed) AS
  CASE WHEN typeof(seed) IN ('INTEGER', 'BIGINT') AND TRY_CAST(seed AS BIGINT) BETWEEN 0 AND {{last_seed}}
      THEN TRY_CAST(seed AS BIGINT)
    ELSE error('seed = ' || sqlrp_shown(seed) || ' must be a whole number from 0 to 2^53 - 1: choose one in that range') END;

-- The columns of an array or of long rows.
CREATE OR REPLACE MACRO sqlrp_others(array_column, feature, value) AS
  CASE WHEN array_column IS NOT NULL THEN [CAST(array_column AS VARCHAR)] WHEN feature IS NOT NULL OR value IS NOT NULL
    THEN [coalesce(CAST(feature AS VARCHAR), 'feature'), coalesce(CAST(value AS VARCHAR), 'value')] ELSE CAST([] AS VARCHAR[]) END;

-- What is wrong where a call names a column twice, in Python's words. `roles` says what each of `names` is.
CREATE OR REPLACE MACRO sqlrp_named_twice(name, names) AS
  concat(name, ' names the column ', sqlrp_shown(list_filter(names, lambda twice_n, twice_i: list_position(names, twice_n) < twice_i)[1]),
    ' twice: name it once');

CREATE OR REPLACE MACRO sqlrp_named_as_two(names, roles, relation) AS
  list_transform([{'n': list_transform(names, lambda two_n: sqlrp_fold(two_n)), 'exact': len(list_distinct(names)) < len(names)}], lambda two_v:
    list_transform(list_filter(list_transform(names, lambda two_n, two_i: {'first': list_position(CASE WHEN two_v['exact'] THEN names ELSE two_v['n']
      END,
        CASE WHEN two_v['exact'] THEN two_n ELSE sqlrp_fold(two_n) END), 'second': two_i}), lambda two_p: two_p['first'] < two_p['second']), lambda two_p:
          CASE
      WHEN NOT two_v['exact'] THEN concat('column ', sqlrp_shown(names[two_p['first']]), ' of ', relation,
        ' is named twice, in two spellings: name it once')
      ELSE concat('column ', sqlrp_shown(names[two_p['second']]), ' cannot be ', CASE WHEN roles[two_p['first']] = roles[two_p['second']]
        THEN 'two columns of the source'
        ELSE concat('both ', roles[two_p['first']], ' and ', roles[two_p['second']]) END, ': name it once') END)[1])[1];

-- Whether a call names a column twice. `others`: the columns of an array, or of long rows.
CREATE OR REPLACE MACRO sqlrp_twice(key, keep, features, others) AS
  list_transform([list_filter(list_transform([key] || keep || features || others, lambda twice_n: sqlrp_fold(twice_n)),
    lambda twice_n: twice_n IS NOT NULL)],
    lambda twice_v: len(list_distinct(twice_v)) < len(twice_v))[1];

-- The step that tells the error.
CREATE OR REPLACE MACRO sqlrp_once({{call_arguments}}) AS
  error(list_transform([{'names': list_filter([key] || keep || features || sqlrp_others(array_column, feature, value),
    lambda once_n: once_n IS NOT NULL),
      'roles': CASE WHEN key IS NULL THEN [] ELSE ['key'] END || list_transform(keep, lambda once_n: 'keep')
        || list_transform(features || sqlrp_others(array_column, feature, value), lambda once_n: 'a feature')}], lambda once_v: CASE
    WHEN len(list_distinct(keep)) < len(keep) THEN sqlrp_named_twice('keep', keep)
    WHEN len(list_distinct(features)) < len(features) THEN sqlrp_named_twice('features', features)
    ELSE sqlrp_named_as_two(once_v['names'], once_v['roles'], relation) END)[1]);
