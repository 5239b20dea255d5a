-- -- the statement -----------------------------------------------------------------------------------------------------

-- One SELECT of the key, the kept columns and the outputs, and the features that it is for: their names, or their number. `p` holds the
-- method's parameters, `o` the other arguments. Its `place` is what stands for the source's name in a text that is kept.
CREATE OR REPLACE FUNCTION sqlrp_write(method text, source regclass, p jsonb, o jsonb, OUT written text, OUT bound jsonb)
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED AS $f$
DECLARE
  relation text := sqlrp_relation(source);
  shown text := (SELECT format('"%s"', replace(relname, '"', '""')) FROM pg_class WHERE oid = source);
  key text := o ->> 'key';
  keep text[] := ARRAY(SELECT e FROM jsonb_array_elements_text(CASE WHEN jsonb_typeof(o -> 'keep') = 'array'
    THEN o -> 'keep' ELSE '[]' END) WITH ORDINALITY u(e, i) ORDER BY i);
  features text[] := CASE WHEN jsonb_typeof(o -> 'features') = 'array' THEN
    ARRAY(SELECT e FROM jsonb_array_elements_text(o -> 'features') WITH ORDINALITY u(e, i) ORDER BY i) END;
  array_column text := o ->> 'array_column';
  feature text := coalesce(o ->> 'feature', 'feature');
  value text := coalesce(o ->> 'value', 'value');
  layout text := CASE WHEN array_column IS NOT NULL THEN 'array'
    WHEN o ->> 'feature' IS NOT NULL OR o ->> 'value' IS NOT NULL THEN 'long' ELSE 'wide' END;
  output text := sqlrp_one_of('output', coalesce(o ->> 'output', 'array'), '{columns,array,vector,long,bits}');
  dtype text := sqlrp_one_of('dtype', coalesce(o ->> 'dtype', 'auto'), '{auto,float32,float16}');
  scale boolean := sqlrp_flag('scale', CAST(o ->> 'scale' AS boolean)) AND output <> 'bits';  -- it changes no bit
  nulls text := sqlrp_one_of('nulls', o ->> 'nulls', '{propagate,zero,error}');
  lowering text := sqlrp_one_of('lowering', o ->> 'lowering', '{auto,inline,relational}');
  n bigint := CAST(o ->> 'n_features' AS bigint);
  k bigint := sqlrp_whole('k', CAST(p ->> 'k' AS bigint), 1);
  seed bigint := CAST(p ->> 'seed' AS bigint);
  columns jsonb;  -- by name, as sqlrp_columns tells
  frame jsonb[];  -- the features' columns: of an array one, of long rows feature and value
  kept text[];
  named text;
  kind text;
  bits integer;
  digits integer;
  projection jsonb;  -- as sqlrp_method gives it
  stages jsonb[];
  grouped boolean;
  factor double precision;
  summing jsonb;  -- the numbers that features are read in, as sqlrp_number gives them
  room bigint;  -- how many entries a subquery has columns for
  -- the text
  guard text;  -- the condition that a row has no NULL; NULL if none is asked for
  unit text;  -- the scale
  ok text;
  taken text;  -- the key and the kept columns: as they are read, and as they are carried
  carried text;
  element text;  -- the array
  inputs text[];  -- the features as they are read
  q jsonb;
  vector text;  -- the type of the result
BEGIN
  IF p ? 'seed' AND (seed IS NULL OR seed NOT BETWEEN 0 AND {{last_seed}}) THEN
    PERFORM sqlrp_refuse(format('seed = %s must be a whole number from 0 to 2^53 - 1: choose one in that range',
      coalesce(CAST(seed AS text), 'NULL')));
  END IF;
  IF n IS NOT NULL AND n NOT BETWEEN 1 AND {{last_feature}} THEN
    PERFORM sqlrp_refuse(format('n_features = %s must be a whole number from 1 to 2^31 - 3, or NULL', n));
  END IF;

  IF output = 'bits' AND dtype <> 'auto' THEN
    PERFORM sqlrp_refuse(format('dtype = %L is for numbers, and output = ''bits'' has none: leave dtype out', dtype));
  ELSIF output = 'vector' AND k > {{longest_vector}} THEN
    PERFORM sqlrp_refuse(format('k = %s is more than the {{longest_vector_shown}} numbers of a vector of postgresql: lower k', k),
      'program_limit_exceeded');
  ELSIF output = 'vector' THEN
    vector := sqlrp_vector_type(CASE dtype WHEN 'float16' THEN 'halfvec' ELSE 'vector' END);
  ELSIF dtype = 'float16' THEN
    PERFORM sqlrp_refuse('dtype = ''float16'' is not supported: postgresql has no columns of such floats; use output = ''vector''',
      'feature_not_supported');
  END IF;

  -- the frame: which columns pass through, which are features
  SELECT coalesce(jsonb_object_agg(c.name, to_jsonb(c)), '{}') INTO columns FROM sqlrp_columns(source) c;
  kept := CASE WHEN key IS NULL THEN keep ELSE key || keep END;
  FOREACH named IN ARRAY kept LOOP
    IF named IS NULL OR NOT columns ? named THEN
      PERFORM sqlrp_refuse(format('%s %s is not a column of %s', CASE WHEN named = key THEN 'key' ELSE 'keep column' END,
        quote_nullable(named), shown) || CASE WHEN named = key
        THEN ': name the key column, or key NULL for a table without one' ELSE ': name one of its columns' END, 'undefined_column');
    ELSIF (SELECT count(*) FROM unnest(keep) u WHERE u = named) > 1 THEN
      PERFORM sqlrp_refuse(format('keep names the column %L twice: name it once', named));
    ELSIF (SELECT count(*) FROM unnest(kept) u WHERE u = named) > 1 THEN
      PERFORM sqlrp_refuse(format('column %L cannot be both key and keep: name it once', named));
    ELSIF lower(named) = ANY (CASE output WHEN 'array' THEN ARRAY['z'] WHEN 'vector' THEN ARRAY['z'] WHEN 'bits' THEN ARRAY['z'] WHEN 'long' THEN ARRAY['component', 'value'] END)
      OR (output = 'columns' AND lower(named) ~ '^z(0|[1-9][0-9]{0,8})$' AND CAST(substr(named, 2) AS bigint) < k) THEN
      PERFORM sqlrp_refuse(format('column %L of the source has an output column''s name: rename it, or choose another output',
        named), 'duplicate_column');
    END IF;
  END LOOP;
  IF features IS NOT NULL AND layout <> 'wide' THEN
    PERFORM sqlrp_refuse(format('features = %s names plain columns, and other arguments name %s: leave out one of them',
      o ->> 'features', CASE layout WHEN 'array' THEN 'an array column' ELSE 'the columns of long rows' END));
  ELSIF layout = 'array' AND coalesce(o ->> 'feature', o ->> 'value') IS NOT NULL THEN
    PERFORM sqlrp_refuse('array_column names an array column, and feature and value the columns of long rows: leave out one of them');
  ELSIF layout = 'wide' AND features IS NULL THEN
    frame := ARRAY(SELECT c.value FROM jsonb_each(columns) c WHERE c.value ->> 'kind' IS NOT NULL AND c.key <> ALL (kept)
      AND NOT CAST(c.value ->> 'is_array' AS boolean) ORDER BY CAST(c.value ->> 'place' AS integer));
    named := (SELECT c.key FROM jsonb_each(columns) c WHERE c.value ->> 'kind' IS NOT NULL AND c.key <> ALL (kept)
      AND CAST(c.value ->> 'is_array' AS boolean) AND cardinality(frame) < coalesce(CAST(c.value ->> 'size' AS bigint), 64) ORDER BY CAST(c.value ->> 'place' AS integer) LIMIT 1);
    IF named IS NOT NULL THEN  -- it may be what is meant; an array's length is taken as 64, as in sqlrp/_lowering/left_out.py
      PERFORM sqlrp_refuse(format('%s has %s numeric column(s) besides key and keep, and the array column %L: say which holds the '
        'features. For the array: array_column => %3$L. For the numeric columns: name them in features', shown, cardinality(frame), named),
        'ambiguous_column');
    END IF;
    IF cardinality(frame) = 0 THEN
      PERFORM sqlrp_refuse(format('%s has no numeric column besides key and keep: a wide source needs at least one; use '
        'array_column for an array column or feature and value for (key, feature, value) rows', shown), 'undefined_column');
    END IF;
    PERFORM sqlrp_warn_left_out(source, shown, columns, kept, cardinality(frame));
  ELSE
    features := CASE layout WHEN 'array' THEN ARRAY[array_column] WHEN 'long' THEN ARRAY[feature, value] ELSE features END;
    IF cardinality(features) = 0 THEN
      PERFORM sqlrp_refuse('features = [] names no column: leave it out to take every numeric column');
    END IF;
    FOREACH named IN ARRAY features LOOP
      IF named IS NULL OR NOT columns ? named THEN
        PERFORM sqlrp_refuse(format('%s %s is not a column of %s: name one of its columns', CASE WHEN layout = 'array'
          THEN 'array column' WHEN layout = 'wide' THEN 'feature' WHEN named = feature THEN 'feature column'
          ELSE 'value column' END, quote_nullable(named), shown), 'undefined_column');
      ELSIF named = ANY (kept) THEN
        PERFORM sqlrp_refuse(format('column %L cannot be both %s and a feature: name it once', named,
          CASE WHEN named = key THEN 'key' ELSE 'keep' END));
      ELSIF (SELECT count(*) FROM unnest(features) u WHERE u = named) > 1 THEN
        PERFORM sqlrp_refuse(format(CASE layout WHEN 'wide' THEN 'features names the column %L twice: name it once'
          ELSE 'column %L cannot be two columns of the source: name it once' END, named));
      ELSIF layout = 'wide' AND (columns #>> ARRAY[named, 'kind'] IS NULL OR CAST(columns #>> ARRAY[named, 'is_array'] AS boolean))
      THEN
        PERFORM sqlrp_refuse(format('feature %L of %s is %s, not a number: cast it, keep it, or leave it out', named, shown,
          columns #>> ARRAY[named, 'type']), 'datatype_mismatch');
      END IF;
      frame := frame || (columns -> named);
    END LOOP;
  END IF;
  IF layout = 'wide' THEN
    n := cardinality(frame);
  ELSIF layout = 'array' THEN
    named := frame[1] ->> 'name';
    IF frame[1] ->> 'kind' IS NULL OR NOT CAST(frame[1] ->> 'is_array' AS boolean) THEN
      PERFORM sqlrp_refuse(format('column %L of %s is %s, not an array of numbers: leave array_column out for plain columns, '
        'or cast it to double precision[]', named, shown, frame[1] ->> 'type'), 'datatype_mismatch');
    END IF;
    element := format(CASE WHEN CAST(frame[1] ->> 'is_vector' AS boolean) THEN 'CAST(%s AS real[])' ELSE '%s' END, frame[1] ->> 'quoted');
    IF n <> CAST(frame[1] ->> 'size' AS bigint) THEN
      PERFORM sqlrp_refuse(format('n_features = %s, but column %L of %s has %s elements: use n_features = %4$s, or leave it out', n, named, shown,
        frame[1] ->> 'size'));
    END IF;
    n := coalesce(CAST(frame[1] ->> 'size' AS bigint), n);
    IF n IS NULL THEN
      EXECUTE format('SELECT cardinality(%s) FROM %s WHERE %s IS NOT NULL LIMIT 1', element, relation, frame[1] ->> 'quoted') INTO n;
    END IF;
    IF n IS NULL OR n = 0 THEN
      PERFORM sqlrp_refuse(format(CASE WHEN n = 0 THEN 'the lists in %L of %s are empty: a projection needs at least one feature'
        ELSE 'the length of the lists in %L of %s cannot be told from here: pass n_features => n' END, named, shown));
    END IF;
  ELSE
    IF key IS NULL THEN
      PERFORM sqlrp_refuse('key = NULL does not name the rows of a long source: name its key column');
    ELSIF cardinality(keep) > 0 THEN
      PERFORM sqlrp_refuse(format('keep = %s does not hold for long rows, as a row is spread over many: join the result by its key',
        o ->> 'keep'));
    ELSIF NOT coalesce(frame[1] ->> 'kind' = 'int' AND NOT CAST(frame[1] ->> 'is_array' AS boolean),
      CAST(frame[1] ->> 'is_text' AS boolean)) THEN
      PERFORM sqlrp_refuse(format('feature column %L of %s is %s: it must hold positions (integers from 0) or names (text)',
        feature, shown, frame[1] ->> 'type'), 'datatype_mismatch');
    ELSIF frame[2] ->> 'kind' IS NULL OR CAST(frame[2] ->> 'is_array' AS boolean) THEN
      PERFORM sqlrp_refuse(format('value column %L of %s is %s, not a number: cast it', value, shown, frame[2] ->> 'type'),
        'datatype_mismatch');
    END IF;
  END IF;

  -- the method; n is NULL if features have names and n_features is not given
  projection := sqlrp_method(method, p, n);
  IF k >= n AND (method IN ({{linear}}) OR p ->> 'degree' = '1') AND projection #>> '{stages,0,whole}' IS DISTINCT FROM 'true' THEN
    RAISE WARNING 'k = % is not below the number of features = %: % does not reduce the dimensions here; lower k',
      to_char(k, 'FM999,999,999,999'), to_char(n, 'FM999,999,999,999'), CASE
        WHEN method = 'rp_project' AND p ->> 'vectors' = 'gaussian' THEN 'GaussianProjection'
{{classes}}
      END;
  END IF;
  grouped := projection ->> 'grouped';
  IF grouped AND (key IS NULL OR cardinality(keep) > 0 OR layout = 'long') THEN
    PERFORM sqlrp_refuse(format('%s sums the rows of a group: name the group''s column as group_by, keep no other, one row of '
      'features each; got key = %s, keep = %s and %s rows', CASE
{{classes}}
      END, quote_nullable(key), keep, layout));
  END IF;
  factor := CASE WHEN scale THEN nullif(CAST(projection ->> 'factor' AS double precision), 1) END;
  SELECT CASE WHEN bool_or(f ->> 'kind' = 'double') THEN 'double' WHEN bool_or(f ->> 'kind' = 'decimal') THEN 'decimal' ELSE 'int' END,
    max(CAST(f ->> 'digits' AS integer)) INTO kind, digits
    FROM unnest(CASE WHEN layout = 'long' THEN frame[2:] ELSE frame END) f;
  SELECT max(CAST(f ->> 'bits' AS integer) + CAST(ceil((digits - CAST(f ->> 'digits' AS integer)) * 3.321928094887362) AS integer))
    INTO bits FROM unnest(CASE WHEN layout = 'long' THEN frame[2:] ELSE frame END) f;
  SELECT t.before, t.typed INTO summing, stages FROM sqlrp_typed(ARRAY(SELECT e FROM jsonb_array_elements(projection -> 'stages')
    WITH ORDINALITY u(e, i) ORDER BY i) || CASE WHEN grouped THEN ARRAY[CAST('{"grouped": true, "exact": true}' AS jsonb)] ELSE '{}' END, CASE WHEN CAST(projection ->> 'normalised' AS boolean) THEN 'double' ELSE kind END, bits, digits,
    n, scale) t;
  room := 1664 - cardinality(kept) - 1;
  IF lowering = 'inline' AND layout = 'long' THEN
    PERFORM sqlrp_refuse('lowering = ''inline'' does not hold here: long rows are joined with the signs, which is the relational '
      'lowering; use lowering = ''auto''', 'feature_not_supported');
  END IF;
  lowering := CASE WHEN layout = 'long' THEN 'relational' WHEN lowering <> 'auto' THEN lowering
    WHEN (SELECT sum(CAST(e ->> 'terms' AS double precision)) FROM unnest(stages) e) > 1000000 OR (SELECT reltuples FROM pg_class WHERE oid = source) BETWEEN 1 AND 30 THEN 'relational' ELSE 'inline' END;
  IF output = 'columns' AND k + cardinality(kept) > 1664 THEN
    PERFORM sqlrp_refuse(format('k = %s makes %s columns with key and keep, more than the 1664 of a result of postgresql: '
      'use output = ''long'' or ''array''', k, k + cardinality(kept)), 'program_limit_exceeded');
  END IF;

  -- the text: the features as they are read, and whether a row has no NULL
  bound := CASE WHEN layout = 'wide' THEN to_jsonb(ARRAY(SELECT f ->> 'name' FROM unnest(frame) WITH ORDINALITY u(f, i) ORDER BY i))
    ELSE to_jsonb(n) END;
  relation := coalesce(o ->> 'place', relation);
  IF layout = 'array' THEN
    -- x[:] reads a stored array once and numbers its elements from 1. Each x[j] of a stored array would read all of it.
    element := format('(%s)[:]', element);
  END IF;
  IF nulls <> 'zero' THEN
    guard := CASE layout WHEN 'array' THEN 'x IS NOT NULL AND array_position(x, NULL) IS NULL'
      WHEN 'wide' THEN (SELECT sqlrp_tree(array_agg(format('%s IS NOT NULL', f ->> 'quoted') ORDER BY i), ' AND ') FROM unnest(frame) WITH ORDINALITY u(f, i)
        WHERE CAST(f ->> 'nullable' AS boolean))
      ELSE CASE WHEN CAST(frame[2] ->> 'nullable' AS boolean) THEN 'counted = present' END END;
  END IF;
  unit := CASE WHEN factor IS NOT NULL THEN sqlrp_literal(factor, 'double') END;
  ok := CASE WHEN guard IS NOT NULL THEN format('CASE WHEN %s THEN %s%s END AS ok', guard, coalesce(unit, '0'), CASE WHEN nulls = 'error' THEN ' ELSE ' || sqlrp_fail(
    'sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''') ELSE '' END) END;
  SELECT coalesce(string_agg(format('%s AS c%s', columns #>> ARRAY[u, 'quoted'], i - 1), ', ' ORDER BY i), ''),
    coalesce(string_agg(format('c%s', i - 1), ', ' ORDER BY i), ''),
    coalesce(string_agg(format('c%s AS %s', i - 1, columns #>> ARRAY[u, 'quoted']), ', ' ORDER BY i), '') INTO taken, carried, named
    FROM unnest(kept) WITH ORDINALITY u(u, i);
  inputs := ARRAY(SELECT format(CASE WHEN nulls = 'zero' AND layout <> 'long' THEN 'coalesce(CAST(%s AS %s),%s)' ELSE 'CAST(%s AS %s)' END, e, summing ->> 'type',
      sqlrp_literal(0, summing ->> 'kind'))
    FROM (SELECT i, format('x[%s]', i) AS e FROM generate_series(1, n) i WHERE layout = 'array'
      UNION ALL SELECT i, CASE WHEN f ->> 'type' = 'boolean' THEN format('CAST(%s AS integer)', f ->> 'quoted') ELSE f ->> 'quoted' END
        FROM unnest(CASE layout WHEN 'long' THEN frame[2:] ELSE frame END) WITH ORDINALITY u(f, i) WHERE layout <> 'array') e ORDER BY i);
  q := jsonb_build_object('names', carried, 'own', named, 'guarded', guard IS NOT NULL, 'factor', unit, 'carried', concat_ws(', ', nullif(carried, ''),
      CASE WHEN ok IS NOT NULL THEN 'ok' END),
    'group_ok', CASE WHEN guard IS NOT NULL THEN format('CASE WHEN count(ok) = count(*) THEN %s END AS ok', coalesce(unit, '0')) END,
    'held', summing ->> 'type', 'kind', summing ->> 'kind', 'bits', summing ->> 'bits', 'number', summing ->> 'number', 'room', room, 'output', output,
    'dtype', dtype, 'vector', vector, 'k', k, 'normalised', projection -> 'normalised');
  IF layout = 'array' THEN
    IF frame[1] ->> 'size' IS NULL THEN
      relation := format('(SELECT %s FROM %s OFFSET ''0'') s', concat_ws(', ', nullif(taken, ''), element || ' AS a0'), relation);
      taken := carried;
      element := format('CASE WHEN (CASE WHEN array_ndims(a0) > 1 THEN 0 ELSE cardinality(a0) END) <> %s THEN CASE WHEN %s = 0 THEN a0 END ELSE a0 END', n,
        sqlrp_fail(format('sqlrp: a list in %L has not the %s elements of the others: pad it, or set it to NULL', frame[1] ->> 'name', n)));
    END IF;
    relation := format('(SELECT %s FROM %s OFFSET ''0'') s', concat_ws(', ', nullif(taken, ''), element || ' AS x'), relation);
    taken := carried;
  END IF;
  q := q || jsonb_build_object('read', concat_ws(', ', nullif(taken, ''), ok));
  IF lowering = 'inline' THEN
    written := sqlrp_inline(stages, q, relation, inputs);
    RETURN;
  END IF;
  written := sqlrp_relational(stages, q || jsonb_build_object('layout', layout, 'relation', relation, 'ok', ok, 'n', n,
    'table_name', (SELECT relname FROM pg_class WHERE oid = source), 'hashed', layout = 'long' AND frame[1] ->> 'kind' IS NULL, 'key', columns #>> ARRAY[key, 'quoted'],
    'feature', frame[1] ->> 'quoted', 'feature_name', frame[1] ->> 'name', 'value', frame[2] ->> 'quoted', 'x', CASE layout WHEN 'long' THEN inputs[1]
      WHEN 'array' THEN format('CAST(x AS %s[])', summing ->> 'type') ELSE format('ARRAY[%s]', array_to_string(inputs, ',')) END));
END $f$;

-- The rows of the statement, in the type that all functions return.
CREATE OR REPLACE FUNCTION sqlrp_run(statement text, key text, keep text[]) RETURNS SETOF sqlrp_projected
LANGUAGE plpgsql STABLE PARALLEL RESTRICTED AS $f$
BEGIN
  RETURN QUERY EXECUTE format('SELECT CAST(%s AS text), %s, CAST(q.z AS double precision[]) FROM (%s OFFSET ''0'') q',
    CASE WHEN key IS NULL THEN 'NULL' ELSE format('q.%I', key) END, CASE WHEN cardinality(keep) > 0 THEN
      format('(SELECT to_jsonb(s) FROM (SELECT %s) s)', (SELECT string_agg(format('q.%I', u), ', ') FROM unnest(keep) u))
    ELSE 'CAST(NULL AS jsonb)' END, statement);
END $f$;
