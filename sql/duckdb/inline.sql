-- -- the inline lowering ----------------------------------------------------------------------------------------------------------
-- The signs become the text of expressions, as in sqlrp/_lowering/inline.py, character by character. Each stage is one step: it maps the
-- expressions x of a row's entries to others, and writes the next step. x is one text, as a list of hundreds of literals takes long to bind.
-- Expressions are separated by semicolons, and one that nobody reads is empty.
--   named: whether the expressions are names of columns of `rows`, the text after FROM
--   level: how many levels of subquery have named entries so far
--   narrow: whether whole numbers are read in a narrower type than that of the result
--   carried: the columns that pass through, as the next level writes them
--   rest: the calls of the steps that follow, each without the arguments above

CREATE OR REPLACE MACRO sqlrp_follow(head, x, named, level, narrow, rows, carried, tail) AS
  concat('FROM query(', head, named, ', ', level, ', ', narrow, ', ', sqlrp_strings([x, rows, carried]), ', [', sqlrp_strings(tail), ']))');
CREATE OR REPLACE MACRO sqlrp_then(x, named, level, narrow, rows, carried, rest) AS
  sqlrp_follow(rest[1], x, named, level, narrow, rows, carried, rest[2:]);

-- Lists of lists of whole numbers as one text, and back.
CREATE OR REPLACE MACRO sqlrp_packed(lists) AS
  list_aggregate(list_transform(lists, lambda packed_l: sqlrp_join(CAST(packed_l AS VARCHAR[]), ',')), 'string_agg', ';');
CREATE OR REPLACE MACRO sqlrp_unpacked(packed) AS
  list_transform(string_split(packed, ';'), lambda unpacked_l: CASE WHEN unpacked_l = '' THEN [] ELSE CAST(string_split(unpacked_l, ',') AS INTEGER[])
    END);

-- A number as Python writes it for a type.
CREATE OR REPLACE MACRO sqlrp_written(value, type) AS
  CASE WHEN type IN ('FLOAT', 'DOUBLE') THEN concat(CASE WHEN type = 'FLOAT' THEN 'CAST(' END, regexp_replace(CAST(CAST(value AS DOUBLE) AS VARCHAR), '^[^e]*$', '\0e0'),
      CASE WHEN type = 'FLOAT' THEN ' AS FLOAT)' END)
    WHEN starts_with(type, 'DECIMAL') THEN concat('CAST(', CAST(value AS HUGEINT), ' AS ', type, ')') ELSE CAST(CAST(value AS HUGEINT) AS VARCHAR) END;

CREATE OR REPLACE MACRO sqlrp_float_zero(type) AS CASE WHEN type = 'FLOAT' THEN 'CAST(0.0e0 AS FLOAT)' ELSE '0.0e0' END;

-- Terms in chains of 32 within a tree of three levels, so up to 32,768 of them. A chain of one link has no parentheses. Each term
-- carries the operator before it, as DuckDB 1.4 joins by a constant only.
CREATE OR REPLACE MACRO sqlrp_tree(terms, operator) AS
  coalesce(substr(list_reduce([list_transform(terms, lambda tree_t: concat(operator, tree_t)), [], [], []], lambda tree_l, tree_e:
    list_transform(range(1, len(tree_l) + 1, 32), lambda tree_i: CASE WHEN tree_i < len(tree_l)
      THEN concat(operator, '(', substr(list_aggregate(tree_l[tree_i : tree_i + 31], 'string_agg', ''), length(operator) + 1), ')') ELSE tree_l[tree_i] END))[1],
    length(operator) + 1), '');

-- The sum of the first list of terms minus the sum of the second.
CREATE OR REPLACE MACRO sqlrp_difference(sides, zero) AS
  list_transform([list_transform(sides, lambda difference_s: sqlrp_tree(difference_s, '+'))], lambda difference_t: CASE
    WHEN difference_t[2] = '' THEN coalesce(nullif(difference_t[1], ''), zero) WHEN difference_t[1] = '' THEN concat('-', difference_t[2])
    ELSE concat('(', difference_t[1], '-', difference_t[2], ')') END)[1];

-- One more level of subquery. `items` are its entries.
CREATE OR REPLACE MACRO sqlrp_leveled(carried, items, rows) AS
  concat('(SELECT ', coalesce(carried || nullif(sqlrp_join(items, ', '), ''), rtrim(carried, ', ')), chr(10), 'FROM ', rows, ') s');

-- The letter of the names of a level: only neighbouring levels need different ones.
CREATE OR REPLACE MACRO sqlrp_letter(level) AS substr('xvwu', CAST(level % 4 AS BIGINT) + 1, 1);

-- The names of n entries of a level.
CREATE OR REPLACE MACRO sqlrp_names_of(level, n) AS list_transform(range(n), lambda names_i: concat(sqlrp_letter(level), names_i));

-- The expressions under names, if they have none: x as a list, `rows` and `level`. `read` are the positions that the next stage reads, NULL
-- for all, and `cast_to` is a type that is wider than theirs.
CREATE OR REPLACE MACRO sqlrp_named(x, named, level, rows, carried, read, cast_to) AS
  list_transform([{'x': string_split(x, ';'), 'read': read}], lambda named_v: CASE WHEN named AND cast_to IS NULL
    THEN {'x': named_v['x'], 'level': level, 'rows': rows}
    ELSE {'x': list_transform(named_v['x'], lambda named_e, named_i: concat(sqlrp_letter(level), named_i - 1)), 'level': level + 1,
      'rows': sqlrp_leveled(carried, list_transform(list_zip(list_select(named_v['x'], coalesce(named_v['read'], range(1, len(named_v['x']) + 1))),
        coalesce(named_v['read'], range(1, len(named_v['x']) + 1))), lambda named_e: concat(CASE WHEN cast_to IS NOT NULL THEN 'CAST(' END,
          named_e[1],
        ' AS ' || cast_to || ')', ' AS ', sqlrp_letter(level), named_e[2] - 1)), rows)} END)[1];

-- The positions that are read by lists, in their order, of those up to n.
CREATE OR REPLACE MACRO sqlrp_read_by(lists, n) AS
  list_sort(list_distinct(list_filter(list_transform(flatten(lists), lambda read_p: abs(read_p)), lambda read_p: read_p BETWEEN 1 AND n)), 'ASC');

-- -- the steps --------------------------------------------------------------------------------------------------------------------

-- The features of the source under names: those that the first sums read, whose lists are `lists`; NULL for all. `quoted`: the names of columns,
-- each in its quotes; NULL: they are the elements of an array. `zero` stands for NULL.
CREATE OR REPLACE MACRO sqlrp_feature_names(quoted, n) AS
  CASE WHEN quoted IS NULL THEN list_transform(range(1, n + 1), lambda feature_i: concat('x[', feature_i, ']')) ELSE regexp_extract_all(CAST(quoted AS VARCHAR), '"(?:[^"]|"")*"') END;

CREATE OR REPLACE MACRO sqlrp_features_text(quoted, types, n, type, zero) AS
  list_transform(sqlrp_feature_names(quoted, n), lambda features_f, features_i: concat(CASE WHEN zero IS NOT NULL THEN 'coalesce(' END,
        'CAST(',
    CASE WHEN sqlrp_element(types[least(features_i, len(types))]) = 'BOOLEAN' THEN concat('CAST(', features_f, ' AS INTEGER)') ELSE features_f END,
      ' AS ', type, ')',
    ',' || zero || ')'));

CREATE OR REPLACE MACRO sqlrp_element(type) AS regexp_replace(type, '\[\d*\]$', '');

-- Whether all partial sums of the lists fit SMALLINT. `constants` are what is appended to the features.
CREATE OR REPLACE MACRO sqlrp_fits(lists, types, n, constants) AS
  list_transform([list_transform(range(1, n + 1), lambda fits_i: pow(2, sqlrp_number(sqlrp_element(types[least(fits_i,
    len(types))]))['bits'])) || constants],
    lambda fits_v: list_max(list_transform(lists, lambda fits_l: coalesce(list_sum(list_select(fits_v, list_transform(fits_l,
      lambda fits_p: abs(fits_p)))), 0))) <= 32767)[1];

CREATE OR REPLACE MACRO sqlrp_read_inline(lists, narrow, n, quoted, type, zero, read, relation, carried, types, rest) AS
  list_transform(list_transform([lists], lambda read_l: {'l': read_l, 'live': coalesce(sqlrp_read_by(read_l, n), range(1, n + 1))}), lambda read_v:
    sqlrp_then(sqlrp_join(sqlrp_names_of(0, n), ';'), true, 1, narrow, sqlrp_leveled(read,
      list_transform(list_zip(list_select(sqlrp_features_text(quoted, types, n,
        CASE WHEN narrow THEN 'SMALLINT' ELSE type END, zero), read_v['live']), read_v['live']), lambda read_f: concat(read_f[1], ' AS x',
          read_f[2] - 1)), relation), carried,
      list_transform(rest, lambda read_r: CASE WHEN starts_with(read_r, 'sqlrp_signs_inline({lists}')
        THEN concat('sqlrp_signs_inline(', sqlrp_string(sqlrp_packed(read_v['l'])), read_r[length('sqlrp_signs_inline({lists}') + 1 :])
        ELSE read_r END)))[1];

-- The step before it for sums of whole numbers: whether SMALLINT holds them.
CREATE OR REPLACE MACRO sqlrp_narrow_inline(lists, constants, n, quoted, type, zero, read, relation, carried, types, rest) AS
  list_transform([lists], lambda narrow_l: concat('FROM query(sqlrp_read_inline(sqlrp_unpacked(', sqlrp_string(sqlrp_packed(narrow_l)), '), ',
    sqlrp_fits(narrow_l, types, n, constants), ', ', n, ', ', sqlrp_strings([quoted, type, zero, read, relation, carried]), ', ', sqlrp_each_list([types, rest]), '))'))[1];

CREATE OR REPLACE MACRO sqlrp_append_inline({{stage_inline_arguments}}, {{inline_arguments}}) AS
  sqlrp_then(concat(x, ';', sqlrp_written(value, held)), named, level, narrow, rows, carried, rest);

-- Sums of the entries with signs. `lists`: packed. Dense ones share partial sums.
CREATE OR REPLACE MACRO sqlrp_signs_inline({{stage_inline_arguments}}, {{inline_arguments}}) AS
  list_transform(list_transform(list_transform([sqlrp_unpacked(lists)], lambda signs_l: {'l': signs_l, 'zero': sqlrp_written(0, after),
    'dense': 6 * len(flatten(signs_l)) >= len(signs_l) * len(string_split(x, ';'))}),
    lambda signs_d: {'l': signs_d['l'], 'zero': signs_d['zero'], 'dense': signs_d['dense'], 'v': sqlrp_named(x, named, level, rows, carried,
      CASE WHEN named AND held = after THEN [] ELSE sqlrp_read_by(signs_d['l'], {{last_feature}}) END, sqlrp_cast_to(held, after))}), lambda signs_s: CASE
    WHEN signs_s['dense'] THEN sqlrp_then(sqlrp_join(signs_s['v']['x'], ';'), true, signs_s['v']['level'], narrow AND held = after,
      signs_s['v']['rows'], carried,
      [concat('sqlrp_shared_inline(', sqlrp_string(lists), ', ', sqlrp_string(signs_s['zero']), ', ')] || rest)
    ELSE sqlrp_then(sqlrp_signed_texts(signs_s['l'], signs_s['v']['x'], signs_s['zero']), false, signs_s['v']['level'], narrow AND held = after,
      signs_s['v']['rows'], carried, rest) END)[1];

-- The type that entries are cast to before a stage; NULL for the one that they have.
CREATE OR REPLACE MACRO sqlrp_cast_to(held, after) AS CASE WHEN held <> after THEN after END;

CREATE OR REPLACE MACRO sqlrp_signed_texts(lists, x, zero) AS
  sqlrp_join(list_transform(list_transform(lists, lambda signed_l: list_transform([1, -1], lambda signed_s: list_select(x,
      list_filter(list_transform(signed_l, lambda signed_p: signed_p * signed_s), lambda signed_p: signed_p > 0)))),
    lambda signed_t: sqlrp_difference(signed_t, zero)), ';');

-- The sums of features of one type of floats: the features are read, and summed at once unless the sums share partial sums. The first
-- call of `rest` is of these sums.
CREATE OR REPLACE MACRO sqlrp_read_sums_inline(lists, n, quoted, type, zero, read, relation, carried, types, rest) AS
  list_transform(list_transform([lists], lambda sums_l: {'l': sums_l, 'live': sqlrp_read_by(sums_l, n), 'dense': 6 * len(flatten(sums_l)) >= len(sums_l) * n}), lambda sums_v:
    sqlrp_follow(CASE WHEN sums_v['dense'] THEN concat('sqlrp_shared_inline(', sqlrp_strings([sqlrp_packed(sums_v['l']), sqlrp_float_zero(type)]), ', ') ELSE rest[2] END,
      CASE WHEN sums_v['dense'] THEN sqlrp_join(sqlrp_names_of(0, n), ';') ELSE sqlrp_signed_texts(sums_v['l'], sqlrp_names_of(0, n), sqlrp_float_zero(type)) END,
      sums_v['dense'], 1, false, sqlrp_leveled(read, list_transform(list_zip(list_select(sqlrp_features_text(quoted, types, n, type, zero), sums_v['live']), sums_v['live']),
        lambda sums_f: concat(sums_f[1], ' AS x', sums_f[2] - 1)), relation), carried, CASE WHEN sums_v['dense'] THEN rest[2:] ELSE rest[3:] END))[1];

-- Sums of products, each a weight and the positions of its factors. `lists`: a list of products for each sum.
CREATE OR REPLACE MACRO sqlrp_products_inline({{stage_inline_arguments}}, {{inline_arguments}}) AS
  list_transform(list_transform([CAST(lists AS DOUBLE[][][])], lambda products_l: {'l': products_l, 'zero': sqlrp_written(0, after), 'v': sqlrp_named(x, named, level, rows, carried,
      sqlrp_read_by(CAST(list_transform(flatten(products_l), lambda products_p: products_p[2:]) AS BIGINT[][]), {{last_feature}}),
      coalesce(sqlrp_cast_to(held, after), CASE WHEN narrow THEN after END))}),
        lambda products_s: sqlrp_then(
    sqlrp_join(list_transform(list_transform(products_s['l'], lambda products_t: list_transform([1, -1],
      lambda products_i: sqlrp_products_text(products_s['v']['x'],
        list_filter(products_t, lambda products_p: products_p[1] * products_i > 0), after))), lambda products_d: sqlrp_difference(products_d, products_s['zero'])),
          ';'),
    false, products_s['v']['level'], false, products_s['v']['rows'], carried, rest))[1];

CREATE OR REPLACE MACRO sqlrp_products_text(x, products, type) AS
  list_transform(products, lambda product_p: concat(CASE WHEN abs(product_p[1]) <> 1 THEN concat(sqlrp_written(abs(product_p[1]), type), '*') END,
    sqlrp_join(list_select(x, CAST(product_p[2:] AS BIGINT[])), '*')));

-- n times picked entries minus twice the sum of all n.
CREATE OR REPLACE MACRO sqlrp_reflect_inline({{stage_inline_arguments}}, {{inline_arguments}}) AS
  list_transform(list_transform([flatten(lists)], lambda reflect_l: {'l': reflect_l, 'n': sqlrp_written(n, after), 'two': sqlrp_written(2, after),
    'v': sqlrp_named(x, named, level, rows, carried, NULL, sqlrp_cast_to(held, after))}),
    lambda reflect_v: sqlrp_then(sqlrp_join(list_transform(list_select(reflect_v['v']['x'], reflect_v['l']), lambda reflect_e: concat('(', reflect_v['n'], '*', reflect_e, '-m)')),
        ';'), false, reflect_v['v']['level'], narrow AND held = after,
      sqlrp_leveled(carried, list_select(reflect_v['v']['x'], list_sort(list_distinct(reflect_v['l']), 'ASC')) || [concat(reflect_v['two'], '*', sqlrp_tree(reflect_v['v']['x'], '+'),
        ' AS m')], reflect_v['v']['rows']), carried, rest))[1];

-- -- the closing stages: sqlrp/_lowering/endpoints.py --------------------------------------------------------------------------------
-- Here `level` counts the levels from the sum over a group on.

-- The rows of a group, summed. `text`: of `ok` in a row without NULL; empty if rows carry none.
CREATE OR REPLACE MACRO sqlrp_group_inline({{stage_inline_arguments}}, {{inline_arguments}}) AS
  list_transform([string_split(x, ';')], lambda group_x: sqlrp_then(sqlrp_join(list_transform(group_x, lambda group_e, group_i: concat('y', group_i - 1)), ';'),
    true, 1, false, concat('(SELECT c0, ', CASE WHEN text <> '' THEN concat('CASE WHEN count(ok) = count(*) THEN ', text, ' END AS ok, ') END,
      sqlrp_join(list_transform(group_x, lambda group_e, group_i: concat(sqlrp_narrow(concat('SUM(', coalesce('CAST(' || group_e || ' AS ' || sqlrp_cast_to(held, after) || ')', group_e),
        ')'), after), ' AS y', group_i - 1)), ', '), chr(10), 'FROM ', rows, ' GROUP BY c0) s'), carried, rest))[1];

CREATE OR REPLACE MACRO sqlrp_closing_names(x, level) AS list_transform(x, lambda closing_e, closing_i: concat('y', closing_i - 1, repeat('_', level)));

-- The expressions as a level of subquery.
CREATE OR REPLACE MACRO sqlrp_closing_rows(x, level, rows, carried) AS
  sqlrp_leveled(carried, list_transform(list_zip(x, sqlrp_closing_names(x, level)), lambda closing_e: concat(closing_e[1], ' AS ', closing_e[2])), rows);

-- A formula of every entry, @: `text`.
CREATE OR REPLACE MACRO sqlrp_map_inline({{stage_inline_arguments}}, {{inline_arguments}}) AS
  list_transform([string_split(x, ';')], lambda map_x: sqlrp_then(sqlrp_join(list_transform(sqlrp_closing_names(map_x, level), lambda map_e: replace(text, '@', map_e)),
    ';'), false, level + 1, false, sqlrp_closing_rows(map_x, level, rows, carried), carried, rest))[1];

CREATE OR REPLACE MACRO sqlrp_normalise_inline({{stage_inline_arguments}}, {{inline_arguments}}) AS
  list_transform(list_transform([string_split(x, ';')], lambda normalise_x: {'x': normalise_x, 'names': sqlrp_closing_names(normalise_x, level)}), lambda normalise_v:
    sqlrp_then(sqlrp_join(list_transform(normalise_v['names'], lambda normalise_e: concat(normalise_e, '/CASE WHEN n = 0 THEN 1 ELSE n END')), ';'), false, level + 1,
      false, sqlrp_leveled(carried, normalise_v['names'] || [concat('sqrt(', sqlrp_tree(list_transform(normalise_v['names'], lambda normalise_e:
        concat(normalise_e, '*', normalise_e)), '+'), ') AS n')], sqlrp_closing_rows(normalise_v['x'], level, rows, carried)), carried, rest))[1];

-- -- shared partial sums: sqlrp/_lowering/partial_sums.py says why ------------------------------------------------------------------
-- `choice` has a list for each block of features: for each sum the entry that it takes from the block, which counts from 1, with its sign; or 0. At
-- first the blocks are single features. A round makes one block of two.

-- The lists of signs as the first choice.
CREATE OR REPLACE MACRO sqlrp_choice(lists, n) AS
  list_transform(list_transform([list_transform(list_transform(lists, lambda choice_v: list_sort(list_transform(choice_v,
    lambda choice_p: 4 * abs(choice_p)
      + CASE WHEN choice_p < 0 THEN 1 ELSE 0 END) || range(6, 4 * n + 3, 4), 'ASC')), lambda choice_v: list_filter(list_transform(list_zip([0] || choice_v,
        choice_v),
        lambda choice_e: CASE WHEN choice_e[2] % 4 = 2 THEN CASE WHEN choice_e[1] // 4 = choice_e[2] // 4
          THEN (1 - 2 * (choice_e[1] % 4)) * (choice_e[2] // 4) ELSE 0 END END),
      lambda choice_e: choice_e IS NOT NULL))], lambda choice_c: list_transform(range(1, n + 1), lambda choice_f: list_transform(choice_c,
        lambda choice_l: choice_l[choice_f]))),
    lambda choice_c: choice_c)[1];

-- A round. The key of an entry says which two it is the sum or difference of: left, right (0 for none) and 1 for a difference. `keys` are
-- those of all blocks in order, and the new choice counts them.
CREATE OR REPLACE MACRO sqlrp_round(choice) AS
  list_transform(list_transform(list_transform([list_transform(list_zip(choice[1:len(choice):2], choice[2:len(choice):2]),
    lambda round_p: list_transform(
      list_zip(round_p[1], round_p[2]), lambda round_e: CASE WHEN round_e[1] = 0 AND coalesce(round_e[2], 0) = 0 THEN 0 ELSE sign(CASE
        WHEN round_e[1] <> 0
        THEN round_e[1] ELSE round_e[2] END) * ((abs(round_e[1]) * 1048576 + abs(coalesce(round_e[2], 0))) * 2
        + CASE WHEN round_e[1] * coalesce(round_e[2], 0) < 0 THEN 1 ELSE 0 END) END))], lambda round_b: {'blocks': round_b,
          'keys': list_transform(round_b,
      lambda round_k: list_sort(list_distinct(list_filter(list_transform(round_k, lambda round_e: abs(round_e)), lambda round_e: round_e > 0)), 'ASC'))}),
        lambda round_v: {
      'blocks': round_v['blocks'], 'keys': round_v['keys'], 'starts': list_transform(round_v['keys'], lambda round_k, round_i:
        coalesce(list_sum(list_transform(round_v['keys'][:round_i - 1], lambda round_l: len(round_l))), 0))}), lambda round_v: {
    'keys': flatten(round_v['keys']), 'choice': list_transform(list_zip(round_v['blocks'], round_v['keys'], round_v['starts']),
      lambda round_z: list_transform(round_z[1],
      lambda round_e: CASE WHEN round_e = 0 THEN 0 ELSE sign(round_e) * CAST(round_z[3] + list_position(round_z[2], abs(round_e)) AS BIGINT)
        END))})[1];

-- What is known after some rounds: the entries that each made, and the additions and all terms so far.
CREATE OR REPLACE MACRO sqlrp_shared(choice, rounds, added, done) AS
  {'choice': CAST(choice AS BIGINT[][]), 'rounds': rounds, 'added': CAST(added AS BIGINT), 'done': done,
   'terms': CAST(added + len(list_filter(flatten(choice), lambda shared_e: shared_e <> 0)) AS BIGINT)};

-- The rounds that save additions, one after another: at least one term in twenty.
CREATE OR REPLACE MACRO sqlrp_rounds(choice) AS
  list_reduce(list_transform(range(20), lambda rounds_i: sqlrp_shared(CAST([] AS BIGINT[][]), CAST([] AS BIGINT[][]), 0, false)),
    lambda rounds_a, rounds_e: CASE
    WHEN rounds_a['done'] OR len(rounds_a['choice']) < 2 THEN rounds_a ELSE list_transform(list_transform([sqlrp_round(rounds_a['choice'])],
      lambda rounds_r:
      sqlrp_shared(rounds_r['choice'], rounds_a['rounds'] || [rounds_r['keys']], rounds_a['added'] + len(list_filter(rounds_r['keys'],
        lambda rounds_k: rounds_k // 2 > 1048576 AND rounds_k // 2 % 1048576 > 0)), false)), lambda rounds_s: CASE
          WHEN rounds_s['terms'] > 0.95e0 * rounds_a['terms']
        THEN sqlrp_shared(rounds_a['choice'], rounds_a['rounds'], rounds_a['added'], true) ELSE rounds_s END)[1] END, sqlrp_shared(choice,
          CAST([] AS BIGINT[][]), 0, false));

-- The entries of a round, over the names of those before it.
CREATE OR REPLACE MACRO sqlrp_paired(keys, x) AS
  list_transform(list_zip(list_select(x, list_transform(keys, lambda paired_k: paired_k // 2097152)), list_select(x, list_transform(keys,
    lambda paired_k: paired_k // 2 % 1048576)), keys),
    lambda paired_e: concat(paired_e[1], CASE WHEN paired_e[1] IS NOT NULL AND paired_e[2] IS NOT NULL THEN CASE paired_e[3] % 2 WHEN 1 THEN '-'
      ELSE '+' END END, paired_e[2]));

-- Sums over rounds, each of which is a level of subquery. `s`: their entries, and the last choice.
CREATE OR REPLACE MACRO sqlrp_over_rounds(s, zero, x, level, narrow, rows, carried, rest) AS
  list_transform(list_transform([{'s': s, 'x': x}], lambda over_v: {'choice': over_v['s']['choice'], 'rounds': over_v['s']['rounds'],
    'x': list_transform(
      [0] || list_transform(over_v['s']['rounds'], lambda over_k: len(over_k)), lambda over_n, over_i: CASE WHEN over_i = 1 THEN over_v['x']
        ELSE sqlrp_names_of(level + over_i - 2, over_n) END)}), lambda over_v: sqlrp_then(
    sqlrp_signed_texts(list_transform(range(1, len(over_v['choice'][1]) + 1), lambda over_c: list_transform(over_v['choice'],
      lambda over_l: over_l[over_c])),
      over_v['x'][-1], zero), false, level + len(over_v['rounds']), narrow,
    concat(sqlrp_join(list_reverse(list_transform(list_zip(over_v['rounds'], over_v['x'][:-2]), lambda over_r, over_i: concat('(SELECT ', carried,
      sqlrp_join(list_transform(sqlrp_paired(over_r[1], over_r[2]), lambda over_e, over_j: concat(over_e, ' AS ', sqlrp_letter(level + over_i - 1),
        over_j - 1)), ', '),
      chr(10), 'FROM '))), ''), rows, repeat(') s', len(over_v['rounds']))), carried, rest))[1];

-- Sums of named entries that share partial sums.
CREATE OR REPLACE MACRO sqlrp_shared_inline(lists, zero, {{inline_arguments}}) AS
  list_transform(list_transform([string_split(x, ';')], lambda shared_x: {'x': shared_x, 's': sqlrp_rounds(sqlrp_choice(sqlrp_unpacked(lists),
    len(shared_x)))}), lambda shared_v:
    sqlrp_over_rounds(shared_v['s'], zero, shared_v['x'], level, narrow, rows, carried, rest))[1];

-- -- the layers of a Hadamard transform: sqlrp/_lowering/butterflies.py ---------------------------------------------------------------
-- The highest bit comes first. `e` has for each position of the transform its entry, which counts from 1, with its sign; or 0 for padding.

-- The keys of a layer, with their signs, over the positions: sums and differences of entries that differ in a bit. Only those are made that the
-- sample needs, as the lower bits of a position are free. `sample`: its positions within a part, all of whose bits are in `mask`.
CREATE OR REPLACE MACRO sqlrp_layer_keys(e, layer_bit, sample, mask) AS
  list_transform([list_distinct(list_transform(sample, lambda layer_s: layer_s >> layer_bit))], lambda layer_w: list_transform(list_zip(
      list_select(e, list_transform(range(len(e)), lambda layer_i: layer_i - (layer_i & (1 << layer_bit)) + 1)),
      list_select(e, list_transform(range(len(e)), lambda layer_i: (layer_i | (1 << layer_bit)) + 1)), range(len(e))), lambda layer_z:
    CASE WHEN (layer_z[1] = 0 AND layer_z[2] = 0) OR NOT list_contains(layer_w, (layer_z[3] & mask) >> layer_bit) THEN 0
      ELSE sqlrp_layer_key(layer_z[1], layer_z[2] * (1 - 2 * ((layer_z[3] >> layer_bit) & 1))) END))[1];
CREATE OR REPLACE MACRO sqlrp_layer_key(a, b) AS
  sign(CASE WHEN a <> 0 THEN a ELSE b END) * ((abs(a) * 1048576 + abs(b)) * 2 + CASE WHEN a * b < 0 THEN 1 ELSE 0 END);

-- Their numbers: those that are 0 have none.
CREATE OR REPLACE MACRO sqlrp_layer_numbers(keys) AS
  list_transform(list_zip(keys, list_grade_up(list_grade_up(list_transform(keys, lambda numbers_k, numbers_i: CASE WHEN numbers_k = 0 THEN len(keys)
    ELSE 0 END + numbers_i), 'ASC'), 'ASC')),
    lambda numbers_z: sign(numbers_z[1]) * numbers_z[2]);

CREATE OR REPLACE MACRO sqlrp_layers(drawn) AS
  list_reduce(list_transform(range(CAST(log2(drawn['part']) AS BIGINT) - 1, -1, -1), lambda layers_b: {'e': CAST([] AS BIGINT[]),
    'rounds': CAST([] AS BIGINT[][]),
      'bit': CAST(layers_b AS BIGINT)}), lambda layers_a, layers_x: list_transform([sqlrp_layer_keys(layers_a['e'], layers_x['bit'],
        list_transform(drawn['sample'], lambda layers_s: layers_s & (drawn['part'] - 1)), drawn['part'] - 1)], lambda layers_k: {
      'e': CAST(sqlrp_layer_numbers(layers_k) AS BIGINT[]), 'rounds': layers_a['rounds'] || [CAST(list_transform(list_filter(layers_k,
        lambda layers_e: layers_e <> 0),
        lambda layers_e: abs(layers_e)) AS BIGINT[])], 'bit': layers_x['bit']})[1],
    {'e': CAST(list_transform(range(drawn['padded']), lambda layers_i: CASE WHEN layers_i < len(drawn['flips'])
      THEN (layers_i + 1) * drawn['flips'][layers_i + 1] ELSE 0 END) AS BIGINT[]),
     'rounds': CAST([] AS BIGINT[][]), 'bit': CAST(0 AS BIGINT)});

-- The sums of the parts: for each part its entry in each sampled sum, with its sign.
CREATE OR REPLACE MACRO sqlrp_parts(e, sample, part, signs) AS
  list_transform(signs, lambda parts_v, parts_p: list_transform(list_zip(list_select(e, list_transform(sample, lambda parts_j: (parts_p - 1) * part + (parts_j & (part - 1)) + 1)),
    list_select(parts_v, list_transform(sample, lambda parts_j: parts_j // part + 1))), lambda parts_z: parts_z[1] * parts_z[2]));

CREATE OR REPLACE MACRO sqlrp_butterfly_inline({{stage_inline_arguments}}, {{inline_arguments}}) AS
  list_transform(list_transform(list_transform(list_transform([lists], lambda butterfly_d: {'l': sqlrp_layers(butterfly_d), 'd': butterfly_d}), lambda butterfly_l: {
      'rounds': butterfly_l['l']['rounds'], 'parts': sqlrp_rounds(sqlrp_parts(butterfly_l['l']['e'], butterfly_l['d']['sample'], butterfly_l['d']['part'], butterfly_l['d']['signs']))}),
    lambda butterfly_l: {
      's': {'rounds': butterfly_l['rounds'] || butterfly_l['parts']['rounds'], 'choice': butterfly_l['parts']['choice']},
      'v': sqlrp_named(x, named, level, rows, carried, NULL, sqlrp_cast_to(held, after))}), lambda butterfly_v:
    sqlrp_over_rounds(butterfly_v['s'], sqlrp_written(0, after), butterfly_v['v']['x'], butterfly_v['v']['level'], narrow AND held = after, butterfly_v['v']['rows'],
      carried, rest))[1];

-- -- the last step: the whole text ------------------------------------------------------------------------------------------------

CREATE OR REPLACE MACRO sqlrp_told(told, statement) AS
  list_transform([statement], lambda told_s: CASE WHEN told THEN concat('SELECT ', sqlrp_string(told_s), ' AS text') ELSE told_s END)[1];

CREATE OR REPLACE MACRO sqlrp_kept_names(carried) AS regexp_replace(carried, 'ok, $', '');

-- A macro for each output, as DuckDB binds what a step does not need, too. `opening` and `closing` stand around each expression, and around one that is
-- narrower than the result also `cast_opening` and `cast_closing`. `written` is the type that the caller asks for.
CREATE OR REPLACE MACRO sqlrp_outputs(x, narrow, opening, closing, cast_opening, cast_closing) AS
  list_transform(string_split(x, ';'), lambda outputs_e: concat(opening, CASE WHEN narrow THEN cast_opening END, outputs_e, CASE WHEN narrow THEN cast_closing END, closing));

CREATE OR REPLACE MACRO sqlrp_columns_inline({{shape_inline_arguments}}, {{inline_arguments}}) AS
  sqlrp_told(told, concat('SELECT ', own, sqlrp_join(list_transform(sqlrp_outputs(x, narrow, opening, closing, cast_opening, cast_closing), lambda columns_e, columns_i:
    concat(columns_e, ' AS z', columns_i - 1)), ', '), chr(10), 'FROM ', rows));

CREATE OR REPLACE MACRO sqlrp_bits_inline({{shape_inline_arguments}}, {{inline_arguments}}) AS
  sqlrp_told(told, list_transform([sqlrp_outputs(x, narrow, opening, closing, cast_opening, cast_closing)], lambda bits_x: concat('SELECT ', own,
    sqlrp_join(list_transform(range(0, len(bits_x), {{word_bits}}), lambda bits_w: concat(CASE WHEN guarded THEN 'CASE WHEN ok=0 THEN ' END, 'CAST(',
      sqlrp_tree(list_transform(bits_x[bits_w + 1 : bits_w + {{word_bits}}], lambda bits_e, bits_i: concat('CASE WHEN ', bits_e, '<=0 THEN 0 ELSE ', sqlrp_place(bits_i), ' END')), '+'),
      ' AS BIGINT)', CASE WHEN guarded THEN ' END' END, ' AS b', bits_w // {{word_bits}})), ', '), chr(10), 'FROM ', rows))[1]);

CREATE OR REPLACE MACRO sqlrp_long_inline({{shape_inline_arguments}}, {{inline_arguments}}) AS
  sqlrp_told(told, concat('SELECT ', own, 'unnest(range(len(z))) AS component, unnest(z) AS value FROM (SELECT ', sqlrp_kept_names(carried), '[',
    sqlrp_join(sqlrp_outputs(x, narrow, opening, closing, cast_opening, cast_closing), ', '), '] AS z', chr(10), 'FROM ', rows, ') s'));

CREATE OR REPLACE MACRO sqlrp_array_inline({{shape_inline_arguments}}, {{inline_arguments}}) AS
  sqlrp_told(told, list_transform([sqlrp_outputs(x, narrow, opening, closing, cast_opening, cast_closing)], lambda array_x: concat('SELECT ', own, 'CAST(',
    CASE WHEN guarded THEN 'CASE WHEN ok IS NOT NULL THEN ' END, '[', sqlrp_join(array_x, ', '), ']', CASE WHEN guarded THEN ' END' END, ' AS ', written, '[',
    CASE WHEN len(array_x) <= {{longest_vector}} THEN len(array_x) END, ']) AS z', chr(10), 'FROM ', rows))[1]);

-- The call of the last step. `factor`: a literal, or NULL. `last` is the type of the expressions, `result` the one that they have times the factor.
CREATE OR REPLACE MACRO sqlrp_shape_call(told, output, factor, guarded, last, result, written, own) AS
  list_transform([CASE WHEN output = 'vector' THEN 'array' ELSE output END], lambda shape_o: list_transform([{'columns': shape_o IN ('columns', 'long'), 'cast': shape_o IN ('columns', 'long') AND result <> written,
    'double': sqlrp_through_double(result, written)}],
    lambda shape_v: concat('sqlrp_', shape_o, '_inline(', told, ', ', guarded, ', ', sqlrp_strings([concat(CASE WHEN shape_v['cast'] THEN 'CAST(' END, CASE WHEN shape_v['double'] THEN 'CAST(' END,
      CASE WHEN factor IS NULL THEN '' WHEN guarded AND shape_v['columns'] THEN 'ok*' ELSE factor || '*' END),
      concat(CASE WHEN guarded AND factor IS NULL AND shape_v['columns'] THEN '+ok' END, CASE WHEN shape_v['double'] THEN ' AS DOUBLE)' END, CASE WHEN shape_v['cast'] THEN concat(' AS ', written, ')') END),
      CASE WHEN factor IS NULL THEN 'CAST(' ELSE '' END, CASE WHEN factor IS NULL THEN concat(' AS ', last, ')') ELSE '' END, written, own]), ', '))[1])[1];

-- -- the call of the steps ----------------------------------------------------------------------------------------------------------

-- A stage as the call of its step, whose arguments are {{stage_inline_arguments}}, and what draws its lists. {lists} stands for what that gives,
-- and {unit} for what the last step knows. `call` is NULL for a stage without a text of expressions.
CREATE OR REPLACE MACRO sqlrp_inline_call(stage, n, held, after, constant) AS
  list_transform(list_transform([{'kind': stage['kind'], 'form': stage['form'], 'drawn': stage['drawn']}], lambda call_s: {'kind': call_s['form'], 'drawn': call_s['drawn'], 'step':
      CASE WHEN call_s['form'] = 'closing' THEN call_s['kind'] WHEN call_s['form'] IN ('append', 'group') THEN call_s['form']
        WHEN call_s['drawn'] IS NULL OR (call_s['form'] = 'convolution' AND after = 'DOUBLE') THEN NULL WHEN call_s['form'] = 'convolution' THEN 'products'
        WHEN call_s['form'] IN ('signs', 'butterfly', 'products', 'reflect') THEN call_s['form'] END}), lambda call_v:
    {'kind': call_v['kind'], 'value': stage['value'], 'lists': replace(call_v['drawn'], '{at}', concat(n, ', ', constant)), 'call': 'sqlrp_' || call_v['step'] ||
      concat('_inline({lists}, ''', n, ''', ', stage['value'], ', ', CASE call_v['step'] WHEN 'map' THEN sqlrp_string(stage['text']) WHEN 'group' THEN '{unit}' ELSE 'NULL' END,
        ', ''', held, ''', ''', after, ''', ')})[1];

-- The arguments lists, narrows, constants and calls of the next step. The first signs are drawn where the features are read; a transform reads all.
CREATE OR REPLACE MACRO sqlrp_inline_calls(calls, first) AS
  list_transform(list_transform([list_position(list_transform(calls, lambda calls_c: calls_c['kind'] = 'append'), false)],
    lambda calls_i: {'i': calls_i,
      'signs': calls[calls_i]['kind'] = 'signs', 'whole': calls[calls_i]['kind'] IN ('signs', 'butterfly')}), lambda calls_v: concat(
    sqlrp_string(CASE WHEN calls_v['signs'] THEN calls[calls_v['i']]['lists'] WHEN calls_v['whole'] THEN '[range(1, {n} + 1)]' ELSE 'NULL' END), ', ',
      calls_v['whole'] AND first NOT IN ('FLOAT', 'DOUBLE') AND NOT starts_with(first, 'DECIMAL'),
    ', ', sqlrp_string(CAST(list_transform(calls[:calls_v['i'] - 1], lambda calls_c: calls_c['value']) AS VARCHAR)), ', ',
      sqlrp_list(list_transform(calls, lambda calls_c, calls_i:
      CASE WHEN calls_v['signs'] AND calls_i = calls_v['i'] THEN calls_c['call'] ELSE replace(calls_c['call'], '{lists}', CASE
        WHEN calls_c['kind'] = 'signs'
        THEN concat('sqlrp_packed(', calls_c['lists'], ')') ELSE coalesce(calls_c['lists'], 'NULL') END) END))))[1];

-- The condition that no feature of a wide source is NULL.
CREATE OR REPLACE MACRO sqlrp_complete_columns(quoted, nulled) AS
  sqlrp_tree(list_transform(list_filter(regexp_extract_all(quoted, '"(?:[^"]|"")*"'), lambda complete_q, complete_i: nulled[complete_i] = '1'),
    lambda complete_q: complete_q || ' IS NOT NULL'), ' AND ');

-- An array column; a list of another length is an error.
CREATE OR REPLACE MACRO sqlrp_checked(quoted_name, name, type, n) AS
  CASE WHEN type LIKE '%[]' THEN concat('CASE WHEN len(', quoted_name, ') <> ', n, ' THEN error(', sqlrp_string(concat('sqlrp: a list in ''', name,
    ''' has not the ', n,
    ' elements of the others: pad it, or set it to NULL')), ') ELSE ', quoted_name, ' END') ELSE quoted_name END;

-- The columns that pass through, as they are called inside of the statement, and by those names.
CREATE OR REPLACE MACRO sqlrp_kept_as(kept) AS list_aggregate(list_transform(kept, lambda kept_n, kept_i: concat(sqlrp_quote(kept_n), ' AS c', kept_i - 1, ', ')), 'string_agg', '');
CREATE OR REPLACE MACRO sqlrp_kept_by(kept) AS list_aggregate(list_transform(range(len(kept)), lambda kept_i: concat('c', kept_i, ', ')), 'string_agg', '');

CREATE OR REPLACE MACRO sqlrp_inline_plan(k, factor, first, last, lists, narrows, constants, calls, guarded, complete, read_as, relation, quoted, types, n, told, output, single, scale,
    nulls, kept) AS
  list_transform(list_transform(list_transform([CAST(CASE WHEN scale THEN factor ELSE 1 END AS DOUBLE)], lambda plan_f: {'f': plan_f, 'guarded': guarded, 'result':
      CASE WHEN plan_f <> 1 AND last <> 'FLOAT' THEN 'DOUBLE' ELSE last END}), lambda plan_g: {'guarded': plan_g['guarded'], 'result': plan_g['result'],
      'factor': CASE WHEN plan_g['f'] <> 1 THEN sqlrp_written(plan_g['f'], plan_g['result']) END}), lambda plan_v:
    concat('FROM query(', CASE WHEN narrows THEN concat('sqlrp_narrow_inline(', replace(lists, '{n}', CAST(n AS VARCHAR)), ', CAST(', sqlrp_string(constants), ' AS DOUBLE[]), ')
        WHEN first IN ('FLOAT', 'DOUBLE') AND starts_with(calls[1], 'sqlrp_signs_inline({lists}') THEN concat('sqlrp_read_sums_inline(', lists, ', ')
        ELSE concat('sqlrp_read_inline(', replace(lists, '[range(1, {n} + 1)]', 'NULL'), ', false, ') END, n, ', ', sqlrp_strings([quoted, first,
      CASE WHEN nulls = 'zero' THEN sqlrp_written(0, first) END,
      concat(read_as, CASE WHEN plan_v['guarded'] THEN concat('CASE WHEN ', complete, ' THEN ', coalesce(plan_v['factor'], '0'), CASE WHEN nulls = 'error' THEN
        ' ELSE error(''sqlrp: a feature is NULL and nulls = ''''error'''': clean the row, or use nulls = ''''zero'''' or ''''propagate'''''')' END, ' END AS ok, ') END),
      relation, concat(sqlrp_kept_by(kept), CASE WHEN plan_v['guarded'] THEN 'ok, ' END)]), ', ', sqlrp_each_list([types, list_transform(calls, lambda plan_c: replace(plan_c, '{unit}', concat('''', CASE WHEN plan_v['guarded'] THEN coalesce(plan_v['factor'], '0') END, '''')))
        || [sqlrp_shape_call(told, sqlrp_output(output, k, kept), plan_v['factor'], plan_v['guarded'], last, plan_v['result'],
          CASE WHEN single THEN 'FLOAT' ELSE plan_v['result'] END, list_aggregate(list_transform(kept, lambda plan_n, plan_i: concat('c', plan_i - 1, ' AS ', sqlrp_quote(plan_n), ', ')),
          'string_agg', ''))]]), '))'))[1];

-- The step that writes the first of them, for the columns of a wide source and for an array.
CREATE OR REPLACE MACRO sqlrp_inline_columns(k, factor, first, last, lists, narrows, constants, calls, {{frame_arguments}}) AS
  sqlrp_inline_plan(k, factor, first, last, lists, narrows, constants, calls, nulls <> 'zero' AND contains(nulled, '1'), sqlrp_complete_columns(quoted, nulled),
    sqlrp_kept_as(kept), base, quoted, types, n, told, output, single, scale, nulls, kept);

CREATE OR REPLACE MACRO sqlrp_inline_array(k, factor, first, last, lists, narrows, constants, calls, {{frame_arguments}}) AS
  sqlrp_inline_plan(k, factor, first, last, lists, narrows, constants, calls, nulls <> 'zero', 'x IS NOT NULL AND list_position(x, NULL) IS NULL', sqlrp_kept_by(kept),
    concat('(SELECT ', sqlrp_kept_as(kept), sqlrp_checked(sqlrp_quote(names[1]), names[1], types[1], n), ' AS x FROM ', base, ') s'), NULL, types, n, told, output, single, scale, nulls,
    kept);
