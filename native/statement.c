/* The statement of a call: the source, the rows after the kernel, the stages after its own, and the results. */
#include "statement.h"

#include <math.h>

#include "sqlrp_methods.h"

/* Up to so many numbers are drawn where a call of the kernel takes them. */
#define FEW_NUMBERS 16384

/* -- the rows after the kernel ------------------------------------------------------------------------------------------------ */

static void say_type(text *to, const char *type) {
    for (; *type; type++) say(to, "%c", *type >= 'A' && *type <= 'Z' ? *type + 32 : *type);
}

/* A stage of the kernel, with a cast before one of other numbers. Decimals are whole numbers in their units, and so are the constants beside them. */
static void say_stage(text *to, const plan *p, int64_t at) {
    const char *before = p->held[at], *after = p->held[at + 1];
    int decimals = is_decimal(before);
    if (strcmp(tile_of(before), tile_of(after)) != 0) {
        if (decimals)
            say(to, "(units %lld)", (long long)p->digits);
        else
            say(to, "(cast %s)", tile_of(after));
    }
    if (p->stages[at].kind == APPEND && decimals)
        say(to, "(append %.0f.0)", p->stages[at].constant * pow(10, (double)p->digits));
    else
        say_words(to, p->stages[at].said);
}

/* A call of sqlrp_program. `given`: with the operations that were saved, of numbers of this type; NULL without. */
static void say_drawn(text *to, const call *c, const text *stages, const char *given) {
    say(to, "sqlrp_program("), say_quoted(to, (words){stages->data, stages->length}, '\'');
    if (given)
        say(to, ", \"sqlrp_bytes %.*s\"('%s'))", (int)c->saved.name.length, c->saved.name.at, given);
    else
        say(to, ", NULL)");
    to->failed |= stages->failed;
}

/* Operations that were saved: those of the stages from `first` to the one before `end`. */
static void say_given(text *to, const call *c, const plan *p, int64_t first, int64_t end) {
    long long before = 0;
    for (int64_t i = 0; i < first; i++) before += p->stages[i].given;
    say(to, "(given %lld %lld %lld %lld)", (long long)c->frame.n, before, (long long)(end - first), (long long)p->stages[end - 1].outputs);
}

/* The weights of the sums of cells, as a table. */
static void say_weights(text *to, const call *c, const plan *p) {
    text said = {0};
    const stage *s = p->stages + p->cells - 1;
    if (p->open)
        say(&said, "DOUBLE 0 (open ");
    else
        say(&said, "DOUBLE %lld (turned %d ", (long long)s->inputs, p->cells > 1);
    if (p->given)
        say_given(&said, c, p, p->cells - 1, p->cells);
    else
        say_words(&said, s->said);
    say(&said, ")");
    say_drawn(to, c, &said, p->given ? "DOUBLE" : NULL), say(to, " AS sqlrp_t, ");
    free(said.data);
}

/* The program of the stages from `first` to the one before `end`, over so many entries. */
static void say_operations(text *to, const call *c, const plan *p, int64_t first, int64_t end, int64_t entries) {
    text said = {0};
    int saved = 0;
    say(&said, "%s %lld ", tile_of(p->held[first]), (long long)entries);
    for (int64_t i = first, from = first; i < end; from = ++i) {
        while (i + 1 < end && p->stages[i].given && p->stages[i + 1].given) i++;
        saved |= p->stages[i].given;
        if (p->stages[i].given)
            say_given(&said, c, p, from, i + 1);
        else
            say_stage(&said, p, i);
    }
    say_drawn(to, c, &said, saved ? tile_of(p->held[0]) : NULL);
    free(said.data);
}

/* The stage after those that the kernel does in one call from stage `at`. */
static int64_t end_of_kernel(const plan *p, int64_t at) {
    while (at < p->count && p->stages[at].kind < MAP) at++;
    return at;
}

/* Whether a call of the kernel begins with a stage that stands after a formula. */
static int is_again(const plan *p, int64_t at) { return at > p->native && p->stages[at].kind < MAP && p->stages[at - 1].kind >= MAP; }

/* The program of the call of the kernel that begins with stage `at`. The first call has the stages after those of cells. */
static void say_program_from(text *to, const call *c, const plan *p, int64_t at) {
    if (at > p->cells)
        say_operations(to, c, p, at, end_of_kernel(p, at), p->stages[at].inputs);
    else
        say_operations(to, c, p, at, p->native, p->cells ? p->stages[p->cells - 1].outputs : c->frame.n);
}

/* Whether the programs are drawn where the kernel takes them: a table for them takes longer to plan than few numbers to draw. */
static int has_few_numbers(const plan *p) {
    double drawn = 0;
    for (int64_t i = 0; i < p->count; i++) {
        const stage *s = p->stages + i;
        drawn += (double)s->outputs * (double)(s->kind == PRODUCTS ? s->heaviest * s->factors : s->kind < PRODUCTS ? s->inputs : 1);
    }
    return !p->cells && !p->given && drawn <= FEW_NUMBERS;
}

/* The programs, one for each call of the kernel, as a table. Each is read once. DuckDB computes all columns below a MATERIALIZED one where a
 * query asks for none, as count(*) does. */
static void say_programs(text *to, const call *c, const plan *p) {
    if (has_few_numbers(p)) return;
    say(to, "WITH %s_program AS NOT MATERIALIZED (SELECT ", p->own);
    if (p->cells) say_weights(to, c, p);
    say_program_from(to, c, p, p->cells), say(to, " AS sqlrp_p%lld", (long long)p->cells);
    for (int64_t i = p->native; i < p->count; i++)
        if (is_again(p, i)) say(to, ", "), say_program_from(to, c, p, i), say(to, " AS sqlrp_p%lld", (long long)i);
    say(to, ") ");
}

/* The program of the call that begins with stage `at`, as an argument of the kernel. */
static void say_program(text *to, const call *c, const plan *p, int64_t at) {
    if (has_few_numbers(p))
        say_program_from(to, c, p, at);
    else
        say(to, "(SELECT sqlrp_p%lld FROM %s_program)", (long long)at, p->own);
}

static int has_units(const plan *p) { return is_decimal(p->held[0]); }

/* Whether the kernel reads numbers of a type. Decimals must be in the units of all. */
static int is_readable(const column *c, const plan *p) {
    static const char *const types[] = {"BOOLEAN", "TINYINT",  "UTINYINT", "SMALLINT", "USMALLINT", "INTEGER",
                                        "UINTEGER", "BIGINT", "UBIGINT",  "FLOAT",    "DOUBLE",    NULL};
    number n = number_of_type(base_type(c->type));
    if (has_units(p)) return n.kind == DECIMALS && n.digits == p->digits;
    return is_one_of(base_type(c->type), types);
}

/* All columns of the source but those that are no features, as arguments of the kernel. Their types stand before them, as run.c checks them: to name
 * and describe hundreds of columns takes as long as to plan the rest. */
static void say_all(text *to, const call *c) {
    const frame *f = &c->frame;
    text types = {0}, others = {0};
    for (int64_t i = 0, from = 0; i < f->count; i++)
        if (i + 1 == f->count || !same_words(f->features[i]->type, f->features[i + 1]->type)) {
            say(&types, from ? ", %lld " : "%lld ", (long long)(i + 1 - from));
            say_words(&types, f->features[i]->type);
            from = i + 1;
        }
    say(&types, " of "), say_relation(&types, word_of(c, "source"));
    for (int64_t i = 0, next = 0; i < c->source.count; i++) {
        if (next < f->count && f->features[next] == c->source.columns + i && ++next) continue;
        say(&others, others.length ? ", " : ""), say_quoted(&others, c->source.columns[i].name, '"');
    }
    say(to, ", "), say_quoted(to, (words){types.data, types.length}, '\'');
    say(to, ", *COLUMNS(*");
    if (others.length) say(to, " EXCLUDE ("), say_words(to, (words){others.data, others.length}), say(to, ")");
    say(to, ")");
    to->failed |= types.failed || others.failed;
    free(types.data), free(others.data);
}

/* What stands after a number to cast it: to units, or to the type that the kernel takes. */
static void say_cast(text *to, const column *c, int array, const plan *p) {
    if (!has_units(p)) say(to, " AS %s%s)", p->held[0], array ? "[]" : "");
    if (has_units(p) && number_of_type(c->type).kind == DECIMALS) say(to, " AS DECIMAL(18,%lld))", (long long)p->digits);
    if (has_units(p) && number_of_type(c->type).kind == INTEGERS) say(to, " AS BIGINT) * %.0f", pow(10, (double)p->digits));
}

/* A column as an argument of the kernel, which casts the types that it does not read. */
static void say_feature(text *to, const column *c, const frame *f, const plan *p) {
    int cast = !is_readable(c, p);
    text quoted = {0};
    say_quoted(&quoted, c->name, '"');
    words name = {quoted.data, quoted.length};
    if (cast) say(to, "CAST(");
    if (f->array && is_list(c->type)) {
        text message = {0};
        say(&message, "sqlrp: a list in '");
        say_words(&message, c->name);
        say(&message, "' has not the %lld elements of the others: pad it, or set it to NULL", (long long)f->n);
        say(to, "CASE WHEN len("), say_words(to, name), say(to, ") <> %lld THEN error(", (long long)f->n);
        say_quoted(to, (words){message.data, message.length}, '\'');
        say(to, ") ELSE "), say_words(to, name), say(to, " END");
        to->failed |= message.failed;
        free(message.data);
    } else
        say_words(to, name);
    if (cast) say_cast(to, c, f->array, p);
    to->failed |= quoted.failed;
    free(quoted.data);
}

/* The source, with a condition: the statement fails if the columns are others than those that it was written for. A view reads the table
 * that is in its own schema, and json_serialize_plan tells the columns of the one that the session finds. Two threads would mix up more
 * than 2,048 columns, so they are numbered. `checked`: the kernel does that. */
static void say_source(text *to, const call *c, int checked) {
    text relation = {0}, names = {0}, message = {0};
    if (checked) {
        say_relation(to, word_of(c, "source"));
        return;
    }
    say_relation(&relation, word_of(c, "source"));
    words source = {relation.data, relation.length};
    for (int64_t i = 0; i < c->source.count; i++) {
        say(&names, i ? ", " : ""), say_words(&names, c->source.columns[i].name);
        say(&names, " "), say_words(&names, c->source.columns[i].type);
    }
    say(&message, "sqlrp: the columns of "), say_words(&message, source);
    say(&message, " are not those that this call was written for: a view reads the table in its own schema, and here another table has that name; "
                  "write the database and the schema in the name");
    say_words(to, source);
    say(to, " WHERE (SELECT CASE WHEN string_agg(concat(column_name, ' ', column_type), ', ' ORDER BY place ASC) = ");
    say_quoted(to, (words){names.data, names.length}, '\'');
    say(to, " THEN true ELSE error("), say_quoted(to, (words){message.data, message.length}, '\'');
    say(to, ") END FROM (SELECT *, row_number() OVER () AS place FROM (DESCRIBE SELECT * FROM "), say_words(to, source), say(to, ")))");
    to->failed |= relation.failed || names.failed || message.failed;
    free(relation.data), free(names.data), free(message.data);
}

/* Whether no feature of a row is NULL: a condition in groups, as a long chain is too deep for the parser. */
static void say_complete(text *to, const call *c) {
    int64_t said = 0;
    for (int64_t i = 0; i < c->frame.count; i++) {
        const column *f = c->frame.features[i];
        if (!f->nullable && !c->frame.array) continue;
        say(to, said % 32 ? " AND " : said ? ") AND (" : "(");
        say_quoted(to, f->name, '"'), say(to, " IS NOT NULL");
        if (c->frame.array) say(to, " AND list_position("), say_quoted(to, f->name, '"'), say(to, ", NULL) IS NULL");
        said++;
    }
    say(to, ")");
}

static void say_ok(text *to, const call *c, const plan *p) {
    say(to, "CASE WHEN ");
    if (p->cells)
        say(to, "count(*) = count("), say_quoted(to, c->frame.features[0]->name, '"'), say(to, ")");
    else
        say_complete(to, c);
    say(to, " THEN 0 ");
    if (is(p->nulls, "error"))
        say(to, "ELSE error('sqlrp: a feature is NULL and nulls = ''error'': clean the row, or use nulls = ''zero'' or ''propagate''') ");
    say(to, "END AS ok, ");
}

/* A column's name, and words after it. */
static void say_name(text *to, const column *c, const char *after) { say_quoted(to, c->name, '"'), say(to, "%s", after); }

/* The number of the feature of a cell: the hash of a word, or one of those that are told. */
static void say_place(text *to, const frame *f) {
    text message = {0};
    const column *place = f->place;
    long long last = (f->n ? (long long)f->n : SQLRP_LAST_FEATURE) - 1;
    if (f->words) {
        say(to, "(CAST('0x' || md5(CAST("), say_name(to, place, " AS VARCHAR))[:15] AS BIGINT) % ");
        say(to, "%lld)", (long long)SQLRP_LAST_FEATURE + 1);
        return;
    }
    say(&message, "sqlrp: a feature in '"), say_words(&message, place->name);
    say(&message, "' is outside 0 ... %lld: positions count from 0; raise n_features", last);
    say(to, "CASE WHEN "), say_name(to, place, ""), say(to, " BETWEEN 0 AND %lld THEN CAST(", last), say_name(to, place, " AS BIGINT) WHEN ");
    say_name(to, place, " IS NOT NULL THEN error("), say_quoted(to, (words){message.data, message.length}, '\''), say(to, ") END");
    to->failed |= message.failed;
    free(message.data);
}

/* The number of a cell, or a constant, as the type that the kernel takes. */
static void say_cell(text *to, const column *value, const plan *p, double constant) {
    char type[24];
    if (has_units(p))
        snprintf(type, sizeof type, "DECIMAL(18,%d)", (int)p->digits);
    else
        snprintf(type, sizeof type, "%s", tile_of(p->held[0]));
    say(to, value && is(value->type, "BOOLEAN") ? "CAST(CAST(" : "CAST(");
    if (value)
        say_name(to, value, is(value->type, "BOOLEAN") ? " AS INTEGER) AS " : " AS ");
    else
        say_real(to, constant), say(to, " AS ");
    say(to, "%s)", type);
}

/* Long rows: those of a key as two lists, of features and of values. */
static void say_cells(text *to, const call *c, const plan *p) {
    const column *value = c->frame.features[0];
    const char *list = p->cells > 1 ? "list_append(list(" : "list(";
    say(to, "(SELECT "), say_name(to, c->frame.kept[0], " AS c0, ");
    if (p->guarded) say_ok(to, c, p);
    say(to, "%s", list), say_place(to, &c->frame);
    if (p->cells > 1) say(to, "), CAST(%lld AS BIGINT)", p->open ? (long long)SQLRP_LAST_FEATURE + 1 : (long long)c->frame.n);
    say(to, ") AS f, %s", list);
    say_cell(to, value, p, 0);
    if (p->cells > 1) say(to, "), "), say_cell(to, NULL, p, p->stages[0].constant);
    say(to, ") AS v FROM "), say_source(to, c, 0);
    say(to, " GROUP BY "), say_name(to, c->frame.kept[0], ") s");
}

static void say_carried(text *to, const call *c, const plan *p) {
    for (int64_t i = 0; i < c->frame.kept_count; i++) say(to, "c%lld, ", (long long)i);
    if (p->guarded) say(to, "ok, ");
}

/* The rows of the source after the stages of the kernel: c0, c1, …, ok and x. */
static void say_rows(text *to, const call *c, const plan *p) {
    say(to, "(SELECT ");
    for (int64_t i = 0; i < c->frame.kept_count && !p->cells; i++) {
        say_quoted(to, c->frame.kept[i]->name, '"');
        say(to, " AS c%lld, ", (long long)i);
    }
    if (p->cells)
        say_carried(to, c, p);
    else if (p->guarded)
        say_ok(to, c, p);
    say(to, "sqlrp_kernel_"), say_type(to, is_decimal(p->listed) ? "BIGINT" : p->listed);
    if (p->fields) say(to, "_%lld", (long long)p->fields);
    words nulls = p->guarded ? of_text("zero") : p->nulls;
    say(to, "("), say_program(to, c, p, p->cells), say(to, ", CAST('"), say_real(to, p->times && p->native == p->count ? p->factor : 1);
    say(to, "' AS DOUBLE), '%.*s'", (int)nulls.length, nulls.at);
    if (p->cells) {
        say(to, ", (SELECT sqlrp_t FROM %s_program), f, v) AS x FROM ", p->own);
        say_cells(to, c, p);
        say(to, ") s");
        return;
    }
    int all = c->frame.all;
    for (int64_t i = 0; i < c->frame.count; i++) all &= is_readable(c->frame.features[i], p);
    for (int64_t i = 0; i < c->frame.count && !all; i++) {
        say(to, ", ");
        say_feature(to, c->frame.features[i], &c->frame, p);
    }
    if (all) say_all(to, c);
    say(to, ") AS x FROM ");
    say_source(to, c, all);
    say(to, ") s");
}

/* -- the stages after the kernel's -------------------------------------------------------------------------------------------- */

/* The formula over e. */
static void say_formula(text *to, words formula) {
    for (int64_t i = 1; i < formula.length - 1; i++) say(to, "%c", formula.at[i] == '@' ? 'e' : formula.at[i]);
}

/* What stands before the rows of a group, which are summed entry by entry. Sums of FLOAT are DOUBLE, and a cast would refuse what IEEE
 * calls infinite. */
static void open_group(text *to, const call *c, const plan *p, const char *after) {
    say(to, "(SELECT "), say_carried(to, c, p);
    if (strcmp(after, "FLOAT") != 0)
        say(to, "list(CAST(x AS %s)", is_decimal(after) ? "BIGINT" : after);
    else
        say(to, "list(coalesce(TRY_CAST(x AS FLOAT), CAST('inf'::DOUBLE * x AS FLOAT))");
    say(to, " ORDER BY f ASC) AS x FROM (SELECT c0, f, sum(x) AS x");
    say(to, "%s FROM (SELECT ", p->guarded ? ", CASE WHEN count(*) = count(ok) THEN 0 END AS ok" : "");
    say_carried(to, c, p), say(to, "unnest(range(len(x))) AS f, unnest(x) AS x FROM ");
}

/* What stands before the rows that a call of the kernel takes from a stage on. */
static void open_kernel(text *to, const call *c, const plan *p, int64_t at) {
    say(to, "(SELECT "), say_carried(to, c, p);
    say(to, "sqlrp_kernel_"), say_type(to, p->held[end_of_kernel(p, at)]);
    say(to, "("), say_program(to, c, p, at);
    say(to, ", CAST('1' AS DOUBLE), '%.*s', x) AS x FROM ", (int)p->nulls.length, p->nulls.at);
}

/* What stands before the rows that a stage takes. */
static void open_stage(text *to, const call *c, const plan *p, int64_t at) {
    const stage *s = p->stages + at;
    const char *after = p->held[at + 1];
    if (s->kind < MAP) {
        if (is_again(p, at)) open_kernel(to, c, p, at);
        return;
    }
    if (s->kind == GROUP) {
        open_group(to, c, p, after);
        return;
    }
    say(to, "(SELECT "), say_carried(to, c, p);
    say(to, "list_transform(x, lambda e: ");
    if (s->kind == MAP) {
        say_formula(to, s->formula), say(to, ") AS x FROM ");
    } else {
        say(to, "e / CASE WHEN y = 0 THEN 1 ELSE y END) AS x FROM (SELECT ");
        say_carried(to, c, p), say(to, "x, sqrt(list_dot_product(x, x)) AS y FROM ");
    }
    if (strcmp(p->held[at], after) != 0) say(to, "(SELECT "), say_carried(to, c, p), say(to, "CAST(x AS %s[]) AS x FROM ", after);
}

static void close_stage(text *to, const plan *p, int64_t at) {
    if (p->stages[at].kind < MAP) {
        say(to, is_again(p, at) ? ") s" : "");
        return;
    }
    if (p->stages[at].kind == GROUP) {
        say(to, ") s GROUP BY c0, f) s GROUP BY c0%s) s", p->guarded ? ", ok" : "");
        return;
    }
    if (strcmp(p->held[at], p->held[at + 1]) != 0) say(to, ") s");
    say(to, p->stages[at].kind == NORM ? ") s) s" : ") s");
}

/* -- the results ---------------------------------------------------------------------------------------------------------------- */

/* Whether the statement multiplies the entries: the kernel does if its stages are all. */
static int multiplies(const plan *p) { return p->times && p->native < p->count; }

/* A whole number in units of 10^-digits, as the decimal that it stands for. */
static void say_decimal(text *to, const plan *p, const char *entry, long long at) {
    int digits = (int)p->digits;
    say(to, "CAST(CAST("), say(to, entry, at), say(to, " AS DECIMAL(19,0))");
    if (digits) say(to, "*CAST('0.%0*d' AS DECIMAL(%d,%d))", digits, 1, digits + 1, digits);
    say(to, " AS %s)", p->decimal);
}

/* An entry, as the type of the results. */
static void say_entry(text *to, const plan *p, const char *entry, long long at) {
    int decimal = is_decimal(p->entry), cast = strcmp(decimal ? p->decimal : p->entry, p->result) != 0;
    if (decimal && is(p->output, "bits")) cast = decimal = 0;
    say(to, cast ? "CAST(" : "");
    if (multiplies(p)) {
        say(to, "CAST('"), say_real(to, p->factor);
        say(to, "' AS %s)*", strcmp(p->last, "FLOAT") ? "DOUBLE" : "FLOAT");
    }
    if (decimal)
        say_decimal(to, p, entry, at);
    else
        say(to, entry, at);
    if (cast) say(to, " AS %s)", p->result);
}

static void say_columns(text *to, const plan *p) {
    for (int64_t i = 0; i < p->k; i++) {
        say(to, i ? ", " : ""), say_entry(to, p, "x[%lld]", (long long)i + 1);
        say(to, "%s AS z%lld", p->guarded ? "+ok" : "", (long long)i);
    }
}

static void say_bits(text *to, const plan *p) {
    for (int64_t from = 0; from < p->k; from += SQLRP_WORD_BITS) {
        say(to, "%sCAST(list_sum(list_transform(x[%lld:%lld], lambda e, i: CASE WHEN ", from ? ", " : "", (long long)from + 1, (long long)from + SQLRP_WORD_BITS);
        say_entry(to, p, "e", 0);
        say(to, "<=0 THEN 0 WHEN i = 1 THEN " SQLRP_LOWEST_WORD " ELSE CAST(1 AS BIGINT) << (%d - i) END)) AS BIGINT)%s AS b%lld",
            SQLRP_WORD_BITS, p->guarded ? "+ok" : "", (long long)from / SQLRP_WORD_BITS);
    }
}

/* The cast is outside of CASE, which gives no ARRAY in DuckDB 1.4. */
static void say_array(text *to, const plan *p) {
    say(to, "CAST(%s", p->guarded ? "CASE WHEN ok IS NOT NULL THEN " : "");
    if (strcmp(p->entry, p->result) != 0 || multiplies(p))
        say(to, "list_transform(x, lambda e: "), say_entry(to, p, "e", 0), say(to, ")");
    else
        say(to, "x");
    say(to, "%s AS %s[", p->guarded ? " END" : "", p->result);
    if (p->k <= SQLRP_LONGEST_VECTOR) say(to, "%lld", (long long)p->k);
    say(to, "]) AS z");
}

static void say_results(text *to, const plan *p) {
    if (is(p->output, "columns")) {
        say_columns(to, p);
    } else if (is(p->output, "bits")) {
        say_bits(to, p);
    } else if (is(p->output, "long")) {
        say(to, "unnest(range(%lld)) AS component, unnest(list_transform(x, lambda e: ", (long long)p->k), say_entry(to, p, "e", 0);
        say(to, "%s)) AS value", p->guarded ? "+ok" : "");
    } else {
        say_array(to, p);
    }
}

void say_statement(text *to, const call *c, const plan *p) {
    int shown = p->cells && is(p->output, "long");
    say_programs(to, c, p);
    say(to, shown ? "SELECT * FROM (SELECT " : "SELECT ");
    for (int64_t i = 0; i < c->frame.kept_count; i++) {
        say(to, "c%lld AS ", (long long)i), say_quoted(to, c->frame.kept[i]->name, '"');
        say(to, ", ");
    }
    say_results(to, p);
    say(to, " FROM ");
    for (int64_t i = p->count - 1; i >= p->native; i--) open_stage(to, c, p, i);
    say_rows(to, c, p);
    for (int64_t i = p->native; i < p->count; i++) close_stage(to, p, i);
    if (shown) say(to, ") cells WHERE component = 0 OR value IS NULL OR value <> 0");
}
