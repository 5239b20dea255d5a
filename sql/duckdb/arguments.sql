-- -- the arguments ----------------------------------------------------------------------------------------------------------

-- The arguments, checked and completed: the words of an error are those of Python.
CREATE OR REPLACE MACRO sqlrp_whole(name, value, low) AS
  CASE WHEN typeof(value) NOT IN ('INTEGER', 'BIGINT') OR TRY_CAST(value AS BIGINT) NOT BETWEEN low AND {{last_feature}} THEN
      error(concat(name, ' = ', sqlrp_shown(value), ' must be a whole number >= ', low))
    ELSE TRY_CAST(value AS BIGINT) END;

CREATE OR REPLACE MACRO sqlrp_one_of(name, value, choices) AS
  CASE WHEN list_contains(choices, CAST(value AS VARCHAR)) THEN CAST(value AS VARCHAR)
    ELSE error(concat(name, ' = ', sqlrp_shown(value), ' must be one of ', array_to_string(choices, ', '))) END;

CREATE OR REPLACE MACRO sqlrp_names(name, value) AS
  CASE WHEN typeof(value) = 'VARCHAR' THEN
      error(concat(name, ' = ', sqlrp_shown(value), ' must be a list of column names: write [', sqlrp_shown(value), ']'))
    ELSE coalesce(TRY_CAST(value AS VARCHAR[]), []) END;

CREATE OR REPLACE MACRO sqlrp_flag(name, value) AS
  CASE WHEN typeof(value) != 'BOOLEAN' OR value IS NULL THEN error(concat(name, ' = ', sqlrp_shown(value), ' must be true or false'))
    ELSE TRY_CAST(value AS BOOLEAN) END;

-- Whether the result's numbers are of 32 bits, as the text of a flag.
CREATE OR REPLACE MACRO sqlrp_single(dtype, output) AS
  CASE sqlrp_one_of('dtype', dtype, ['auto', 'float32', 'float16']) WHEN 'float16' THEN
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
  'column ''' || list_filter(kept, lambda taken_n: CASE WHEN output IN ('array', 'vector') THEN lower(taken_n) = 'z'
      WHEN output = 'long' THEN lower(taken_n) IN ('component', 'value')
      ELSE regexp_matches(lower(taken_n), '^z(0|[1-9]\d{0,8})$') AND TRY_CAST(taken_n[2:] AS BIGINT) < k END)[1]
    || ''' of the source has an output column''s name: rename it, or choose another output';

CREATE OR REPLACE MACRO sqlrp_seed_number(seed) AS
  CASE WHEN typeof(seed) IN ('INTEGER', 'BIGINT') AND TRY_CAST(seed AS BIGINT) BETWEEN 0 AND {{last_seed}}
      THEN TRY_CAST(seed AS BIGINT)
    ELSE error('seed = ' || sqlrp_shown(seed) || ' must be a whole number from 0 to 2^53 - 1: choose one in that range') END;
