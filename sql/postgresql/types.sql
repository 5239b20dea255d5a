-- The stages with the `type` that each one leaves (sqlrp/lowering/job.py). Whole numbers stay exact unless they are scaled or
-- need too many bits. `before` is the type that features are read in.
CREATE OR REPLACE FUNCTION sqlrp_typed(stages jsonb[], kind text, bits integer, digits integer, n bigint, scale boolean,
  OUT before text, OUT typed jsonb[]) LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $f$
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
      before := coalesce(before, sqlrp_type(kind, bits));
      bits := least(bits * CAST(stage ->> 'factors' AS numeric) + ceil(log(2, CAST(stage ->> 'heaviest' AS numeric))), 1000000);
      kind := CASE WHEN scale THEN 'double' ELSE kind END;
    ELSIF stage ? 'constant' THEN
      bits := greatest(bits, CAST(ceil(log(2, CAST(stage ->> 'constant' AS numeric) * power(CAST(10 AS numeric), digits) + 1)) AS integer));
    ELSE
      bits := bits + ceil(log(2, CASE WHEN CAST(stage ->> 'reflected' AS boolean) THEN 3 * size
        ELSE (size + 1) * coalesce(CAST(stage ->> 'largest' AS numeric), 1) END));
    END IF;
    IF sqlrp_type(kind, bits) IS NULL THEN
      kind := 'double';
    END IF;
    IF NOT stage ? 'constant' THEN
      before := coalesce(before, sqlrp_type(kind, bits));
    END IF;
    typed := typed || (stage || jsonb_build_object('type', sqlrp_type(kind, bits)));
    size := coalesce(CAST(stage ->> 'outputs' AS numeric), size + 1);
  END LOOP;
END $f$;
