-- -- what the kernel of the extension does ----------------------------------------------------------------------------------------

-- Whether the types are known late: when the statement runs. Before that json_serialize_plan tells them, which DuckDB-Wasm has only if
-- it loads the extension json. SET VARIABLE sqlrp_json = true, or false, chooses.
CREATE OR REPLACE MACRO sqlrp_late() AS
  NOT coalesce(TRY_CAST(getvariable('sqlrp_json') AS BOOLEAN), NOT starts_with(current_setting('duckdb_api'), 'wasm'));

-- Whether the extension is loaded, as SQL.
CREATE OR REPLACE MACRO sqlrp_kernel_there() AS
  'NOT CAST(json_serialize_plan(''SELECT sqlrp_kernel_code(NULL, NULL, NULL, NULL, NULL)'')->>''$.error'' AS BOOLEAN)';

-- The type of a tile, and of a list that the kernel makes; NULL for numbers that it does not compute with.
CREATE OR REPLACE MACRO sqlrp_tile(type) AS
  CASE WHEN type IN ('FLOAT', 'DOUBLE') THEN type WHEN type IN ('TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT') THEN 'BIGINT' END;
CREATE OR REPLACE MACRO sqlrp_kernel_type(type) AS CASE WHEN sqlrp_tile(type) = 'BIGINT' AND type <> 'BIGINT' THEN 'INTEGER' ELSE type END;

-- What the kernel makes a stage from, if it needs no table: what draws signs, normal weights, a Hadamard transform without Paley's matrix, products of dealt
-- factors or a convolution, what gives full weights as a list, or the formula of a map.
CREATE OR REPLACE MACRO sqlrp_kernel_drawn(kind, form, drawn, formula) AS
  CASE WHEN kind = 'map' THEN formula WHEN (kind = 'signs' AND (form = 'signs' OR regexp_matches(drawn, '^sqlrp_drawn_butterfly\(\d+, \d+, \d+, 1,')))
    OR (kind = 'weights' AND form = 'weights')
    OR (kind = 'products' AND regexp_matches(drawn, '^sqlrp_drawn_(terms|convolution)\(')) THEN drawn END;

-- Whether the kernel has an operation for a formula: a signed root, a sum with a constant, or a power of at most 256. (A pattern that counts so far
-- takes 2 ms to read.)
CREATE OR REPLACE MACRO sqlrp_has_map(formula) AS formula = {{formula_signed_root}} OR (len(formula) < 512 AND regexp_full_match(formula, '\(@\+[-+.e\d]+\)|@(\*@)*'));

-- That operation, its numbers and its weights; NULL if there is none.
CREATE OR REPLACE MACRO sqlrp_kernel_map(formula) AS CASE WHEN formula = {{formula_signed_root}} THEN ['root', '', 'NULL'] WHEN NOT sqlrp_has_map(formula) THEN NULL
  WHEN formula[1] = '(' THEN ['power', '1', concat('[[', formula[4:-2], ']]')] ELSE ['power', CAST((len(formula) + 1) // 2 AS VARCHAR), '[[0e0]]'] END;

-- Whether the kernel has an operation for a stage.
CREATE OR REPLACE MACRO sqlrp_in_kernel(stage) AS
  stage['kind'] IN ('append', 'signs', 'weights', 'products', 'reflect', 'rescale', 'normalise') OR (stage['kind'] = 'map' AND sqlrp_has_map(stage['text']));

-- How many stages the kernel does: the first ones, up to one that it has not, or whose numbers it does not compute with. It is -1 where these
-- are those of the first stage. `first` is the type that the features are read in.
CREATE OR REPLACE MACRO sqlrp_kernel_stages(stages, first, types) AS
  CASE WHEN sqlrp_in_kernel(stages[1]) AND (sqlrp_tile(first) IS NULL OR sqlrp_tile(types[1]) IS NULL) THEN -1 WHEN sqlrp_tile(first) IS NULL THEN 0 ELSE coalesce(list_position(list_transform(stages, lambda able_s, able_i: sqlrp_in_kernel(able_s) AND sqlrp_tile(types[able_i]) IS NOT NULL), false),
    len(stages) + 1) - 1 END;

-- The same where all numbers are floats.
CREATE OR REPLACE MACRO sqlrp_kernel_floats(stages) AS
  coalesce(list_position(list_transform(stages, lambda able_s: sqlrp_in_kernel(able_s)), false), len(stages) + 1) - 1;

-- The type of the entries after a stage: a constant is appended to those that are held.
CREATE OR REPLACE MACRO sqlrp_kept_type(kind, held, after) AS CASE WHEN kind = 'append' THEN held ELSE after END;
