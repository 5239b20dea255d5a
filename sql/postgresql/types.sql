-- pgvector's `vector` or `halfvec`, with the schema of the extension.
CREATE OR REPLACE FUNCTION sqlrp_vector_type(name text) RETURNS text LANGUAGE plpgsql STABLE PARALLEL SAFE AS $f$
DECLARE
  found text := (SELECT format('%I.%I', n.nspname, t.typname) FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace
    JOIN pg_depend d ON d.classid = CAST('pg_type' AS regclass) AND d.objid = t.oid AND d.deptype = 'e'
    JOIN pg_extension e ON d.refclassid = CAST('pg_extension' AS regclass) AND e.oid = d.refobjid
    WHERE t.typname = name AND e.extname = 'vector');
BEGIN
  IF found IS NULL THEN
    PERFORM sqlrp_refuse(format('output = ''vector'' needs the type %s of pgvector: run CREATE EXTENSION vector, or use output = ''array''',
      name), 'undefined_object');
  END IF;
  RETURN found;
END $f$;

-- The stages with the `type` that each one leaves (sqlrp/_lowering/job.py), its `kind` and `bits`, and the `number`, which names them. Whole numbers
-- stay exact unless they are scaled or need too many bits. `before` is what features are read in. A last stage may sum the rows of a group.
CREATE OR REPLACE FUNCTION sqlrp_typed(stages jsonb[], kind text, bits integer, digits integer, n bigint, scale boolean,
  OUT before jsonb, OUT typed jsonb[]) LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $f$
DECLARE
  stage jsonb;
  size numeric := coalesce(n, 2147483648);
  summed integer := bits + ceil(log(2, size + 1));
BEGIN
  typed := '{}';
  IF (SELECT bool_or(NOT CAST(e ->> 'exact' AS boolean)) FROM unnest(stages) e) OR sqlrp_type(kind, summed) IS NULL
    OR (scale AND (kind = 'decimal' OR summed > 63)) THEN
    kind := 'double';
  END IF;
  FOREACH stage IN ARRAY stages LOOP
    IF stage ? 'factors' THEN
      before := coalesce(before, sqlrp_number(kind, bits, digits));
      bits := least(bits * CAST(stage ->> 'factors' AS numeric) + ceil(log(2, CAST(stage ->> 'heaviest' AS numeric))), 1000000);
      digits := least(digits * CAST(stage ->> 'factors' AS numeric), 1000000);
      kind := CASE WHEN scale THEN 'double' ELSE kind END;
    ELSIF stage ? 'constant' THEN
      bits := greatest(bits, CAST(ceil(log(2, CAST(stage ->> 'constant' AS numeric) * power(CAST(10 AS numeric), digits) + 1)) AS integer));
    ELSIF stage ? 'grouped' THEN
      bits := bits + 31;
    ELSE
      bits := bits + ceil(log(2, CASE WHEN CAST(stage ->> 'reflected' AS boolean) THEN 3 * size
        ELSE (size + 1) * coalesce(CAST(stage ->> 'largest' AS numeric), 1) END));
    END IF;
    IF sqlrp_type(kind, bits) IS NULL THEN
      kind := 'double';
    END IF;
    IF NOT stage ? 'constant' THEN
      before := coalesce(before, sqlrp_number(kind, bits, digits));
    END IF;
    typed := typed || (stage || sqlrp_number(kind, bits, digits));
    size := coalesce(CAST(stage ->> 'outputs' AS numeric), size + 1);
  END LOOP;
END $f$;

CREATE OR REPLACE FUNCTION sqlrp_number(kind text, bits integer, digits integer) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $f$
  SELECT jsonb_build_object('type', sqlrp_type(kind, bits), 'kind', kind, 'bits', bits, 'number', CASE kind WHEN 'double' THEN kind
    ELSE concat_ws(':', kind, bits, digits) END)
$f$;
