/* The statement of a call: sqlrp_statement, which sql/duckdb/calls.sql calls where the extension is loaded. */
#include "statement.h"
#include "source.h"
#include "stage.h"

#include <math.h>

#include "sqlrp_methods.h"

#define MOST_PARAMETERS 40
#define MOST_NAMED 4096

/* What a method's Python says: its parameters, when it refuses them, its stages, and the factor of its results. */
typedef struct {
    const char *name, *parameters, *refused, *stages, *factor;
} method;
static const method METHODS[] = {SQLRP_METHODS};

/* A call, whose texts are DuckDB's. */
typedef struct {
    const method *of;
    parameter parameters[MOST_PARAMETERS];
    int64_t count;
    named_columns named;
    table source;
    frame frame;
} call;

/* What the statement of a call is written from. */
typedef struct {
    stage stages[MOST_STAGES];
    const char *held[MOST_STAGES + 1], *last, *result, *listed;
    int64_t count, k, fields;
    double factor;
    words output, nulls;
    char own[16];
} plan;

/* -- arguments ------------------------------------------------------------------------------------------------------------ */

static int is(words said, const char *wanted) { return same_words(said, of_text(wanted)); }

static int is_number_type(words type) {
    static const char *const numbers[] = {"INTEGER", "BIGINT", "DOUBLE", NULL};
    return is_one_of(type, numbers) || (type.length > 8 && !memcmp(type.at, "DECIMAL(", 8));
}

/* A number as text, up to its end. */
static int to_number(words said, double *found) {
    char copy[64], *end;
    if (said.length < 1 || said.length >= (int64_t)sizeof copy) return 0;
    memcpy(copy, said.at, (size_t)said.length);
    copy[said.length] = 0;
    *found = strtod(copy, &end);
    return !*end;
}

static value whole_between(words type, words said, double least, double most) {
    double found;
    if ((!is(type, "INTEGER") && !is(type, "BIGINT")) || !to_number(said, &found) || found < least || found > most) return (value){.kind = NOTHING};
    return whole_value((int64_t)found);
}

static value real_of(words type, words said) {
    double found;
    if (!is_number_type(type) || !to_number(said, &found)) return (value){.kind = NOTHING};
    return (value){.kind = REAL, .real = found};
}

/* An argument, as its check reads it: NOTHING for one that the macros have to look at. */
static value checked_as(reader *r, words check, words type, words said) {
    int is_text_type = is(type, "VARCHAR");
    if (is(check, "whole")) return whole_between(type, said, (double)read_whole(r, 0, INT64_MAX), (double)SQLRP_LAST_FEATURE);
    if (is(check, "seed")) return whole_between(type, said, 0, 9007199254740991.0);
    if (is(check, "real")) return real_of(type, said);
    if (is(check, "flag") && is(type, "BOOLEAN")) return whole_value(is(said, "true"));
    if (is(check, "words") && is_text_type) return (value){.kind = WORDS, .said = said};
    if (is(check, "s")) {
        value s = real_of(type, said);
        if (is_text_type && is(said, "sqrt")) return (value){.kind = WORDS, .said = said};
        return s.kind == REAL && s.real >= 1 && isfinite(s.real) ? s : (value){.kind = NOTHING};
    }
    while (is(check, "choice") && is_text_type && r->at < r->end && *r->at != ')')
        if (same_words(read_word(r), said)) return (value){.kind = WORDS, .said = said};
    return (value){.kind = NOTHING};
}

/* Read the arguments of a call, whose order is that of the method's parameters: (name check …), or (name check? …) for one that may be NULL. */
static int read_arguments(call *c, const words *given, int64_t count) {
    reader r = reading(of_text(c->of->parameters), NULL, 0);
    words name;
    for (int64_t i = 0; read_open(&r, &name); i++) {
        words check = read_word(&r);
        int optional = check.at[check.length - 1] == '?';
        check.length -= optional;
        if (2 * i + 1 >= count || i == MOST_PARAMETERS || !given[2 * i].at) return 0;
        value found = {.kind = NOTHING};
        if (given[2 * i + 1].at) found = checked_as(&r, check, given[2 * i], given[2 * i + 1]);
        if (found.kind == NOTHING && (!optional || given[2 * i + 1].at)) return 0;
        while (!read_close(&r) && !r.failed) read_part(&r);
        c->parameters[c->count++] = (parameter){name, found};
    }
    return !r.failed && 2 * c->count == count;
}

static value argument_named(const call *c, const char *name) {
    for (int64_t i = 0; i < c->count; i++)
        if (is(c->parameters[i].name, name)) return c->parameters[i].is;
    return (value){.kind = NOTHING};
}
static words word_of(const call *c, const char *name) { return argument_named(c, name).said; }
static int flag_of(const call *c, const char *name) { return argument_named(c, name).whole != 0; }

/* Whether the kernel runs a call with such arguments. */
static int takes(call *c) {
    words output = word_of(c, "output"), lowering = word_of(c, "lowering"), key = word_of(c, "key");
    for (int64_t i = 0; i < c->count; i++)
        if (is(c->parameters[i].name, "group_by") && c->parameters[i].is.kind == WORDS) key = c->parameters[i].is.said;
    c->named.key = key;
    c->named.array_column = word_of(c, "array_column");
    c->named.n_features = argument_named(c, "n_features").whole;
    int cells = word_of(c, "feature").at || word_of(c, "value").at;
    return !cells && (is(lowering, "auto") || is(lowering, "native")) && !(is(output, "bits") && !is(word_of(c, "dtype"), "auto"));
}

/* -- what the source makes of them ------------------------------------------------------------------------------------------- */

/* Whether a column that passes through may have the name of a result. */
static int is_taken(words name) {
    if (same_name(name, of_text("component")) || same_name(name, of_text("value"))) return 1;
    if (!name.length || !strchr("bBzZ", *name.at)) return 0;
    for (int64_t i = 1; i < name.length; i++)
        if (name.at[i] < '0' || name.at[i] > '9') return 0;
    return 1;
}

/* Read an expression with the number of features as `n`. */
static reader stated_by(const call *c, const char *said) { return reading(of_text(said), c->parameters, c->count); }

static int is_refused(const call *c) {
    reader r = stated_by(c, c->of->refused);
    while (r.at < r.end && !r.failed)
        if (read_value(&r).whole) return 1;
    return r.failed;
}

/* The factor of the results, and whether it is any but 1. */
static int read_factor(const call *c, double *factor) {
    reader r = stated_by(c, c->of->factor);
    words part = read_chosen(&r);
    reader inner = stated_by(c, "");
    inner.at = part.at, inner.end = part.at + part.length;
    *factor = r.failed ? NAN : read_real(&inner);
    if (inner.failed) *factor = NAN;
    return !(part.length && *part.at != '(');
}

/* The type of all features. */
static number features_of(const frame *f) {
    number found = number_of_type(base_type(f->features[0]->type));
    for (int64_t i = 1; i < f->count; i++) found = common_number(found, number_of_type(f->features[i]->type));
    return found;
}

/* The type of the list that the kernel makes of such numbers. */
static const char *kernel_type(const char *type) { return is(of_text(type), "INTEGER") ? "INTEGER" : type; }

/* The first size of a result with room for k fields; 0 for a list. */
static int64_t fields_for(const plan *p) {
    int64_t fields = 16;
    while (fields < p->k) fields *= 2;
    return is(p->output, "columns") && fields <= 1024 ? fields : 0;
}

/* Choose names for the statement's own tables that are not the source's. */
static int own_names(const call *c, plan *p) {
    text all = {0};
    int found = 0, room = (int)sizeof p->own - 1;
    int64_t longest = 0;
    say_relation(&all, word_of(c, "source"));
    for (int64_t i = 0, run = 0; i < all.length; i++) {
        run = all.data[i] == '_' ? run + 1 : 0;
        if (run > longest) longest = run;
    }
    for (int64_t i = 0; i + 5 <= all.length; i++) found |= same_name((words){all.data + i, 5}, of_text("sqlrp"));
    free(all.data);
    if (!found) longest = 0;
    if (5 + longest + 1 > room) return 0;
    memset(p->own, 0, sizeof p->own);
    memcpy(p->own, "sqlrp", 5);
    memset(p->own + 5, '_', (size_t)(longest + found));
    return 1;
}

static int read_plan(call *c, text *filled, plan *p) {
    int scaled = flag_of(c, "scale"), single;
    p->output = word_of(c, "output"), p->nulls = word_of(c, "nulls"), p->k = argument_named(c, "k").whole;
    if (is(p->output, "bits")) scaled = 0;
    if (is(p->output, "auto")) p->output = of_text(p->k + c->frame.kept_count <= SQLRP_MOST_COLUMNS ? "columns" : "array");
    if (is(p->output, "columns") && p->k + c->frame.kept_count > SQLRP_MOST_COLUMNS) return 0;
    if (is(p->output, "vector") && p->k > SQLRP_LONGEST_VECTOR) return 0;
    for (int64_t i = 0; i < c->frame.kept_count; i++)
        if (is_taken(c->frame.kept[i]->name)) return 0;
    reader r = stated_by(c, c->of->stages);
    fill(&r, filled);
    if (r.failed || filled->failed || !filled->data) return 0;
    p->count = read_stages((words){filled->data, filled->length}, c->frame.n, p->stages);
    if (!p->count || p->stages[p->count - 1].outputs != p->k) return 0;
    if (!type_stages(p->stages, p->count, features_of(&c->frame), scaled, p->held, &p->last)) return 0;
    int times = read_factor(c, &p->factor) && scaled;
    if (!isfinite(p->factor)) return 0;
    if (!times) p->factor = 1;
    single = is(p->output, "vector") || is(word_of(c, "dtype"), "float32");
    const char *kept = p->held[p->count], *tile = tile_of(kept);
    int whole_numbers = *tile == 'B';
    p->listed = whole_numbers && times ? "DOUBLE" : kernel_type(kept);
    p->result = single ? "FLOAT" : scaled && whole_numbers ? "DOUBLE" : p->last;
    p->fields = fields_for(p);
    return own_names(c, p);
}

/* -- the statement ---------------------------------------------------------------------------------------------------------- */

static void say_type(text *to, const char *type) {
    for (; *type; type++) say(to, "%c", *type >= 'A' && *type <= 'Z' ? *type + 32 : *type);
}

/* The program: the stages, with a cast before one of other numbers. */
static void say_program(text *to, const call *c, const plan *p) {
    text said = {0};
    say(&said, "%s %lld ", tile_of(p->held[0]), (long long)c->frame.n);
    for (int64_t i = 0; i < p->count; i++) {
        if (strcmp(tile_of(p->held[i]), tile_of(p->held[i + 1])) != 0) say(&said, "(cast %s)", tile_of(p->held[i + 1]));
        say_words(&said, p->stages[i].said);
    }
    say(to, "WITH %s_program AS MATERIALIZED (SELECT sqlrp_program(", p->own);
    say_quoted(to, (words){said.data, said.length}, '\'');
    say(to, ") AS sqlrp_p) ");
    to->failed |= said.failed;
    free(said.data);
}

/* Whether the kernel reads numbers of a type. */
static int is_readable(const column *c) {
    static const char *const types[] = {"BOOLEAN", "TINYINT",  "UTINYINT", "SMALLINT", "USMALLINT", "INTEGER",
                                        "UINTEGER", "BIGINT", "UBIGINT",  "FLOAT",    "DOUBLE",    NULL};
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

/* A column as an argument of the kernel, which casts the types that it does not read. */
static void say_feature(text *to, const column *c, const frame *f, const plan *p) {
    int cast = !is_readable(c);
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
    if (cast) say(to, " AS %s%s)", p->held[0], f->array ? "[]" : "");
    to->failed |= quoted.failed;
    free(quoted.data);
}

/* The source, with a condition: the statement fails if the columns are others than those that it was written for. A view reads the table that is in its
 * own schema, and json_serialize_plan tells the columns of the one that the session finds. Two threads would mix up more than 2,048 columns, so
 * they are numbered. `checked`: the kernel does that. */
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

/* The rows of the source after the stages: c0, c1, … and x. */
static void say_rows(text *to, const call *c, const plan *p) {
    say(to, "(SELECT ");
    for (int64_t i = 0; i < c->frame.kept_count; i++) {
        say_quoted(to, c->frame.kept[i]->name, '"');
        say(to, " AS c%lld, ", (long long)i);
    }
    say(to, "sqlrp_kernel_"), say_type(to, p->listed);
    if (p->fields) say(to, "_%lld", (long long)p->fields);
    say(to, "((SELECT sqlrp_p FROM %s_program), CAST('", p->own), say_real(to, p->factor);
    say(to, "' AS DOUBLE), '%.*s'", (int)p->nulls.length, p->nulls.at);
    int all = c->frame.all;
    for (int64_t i = 0; i < c->frame.count; i++) all &= is_readable(c->frame.features[i]);
    for (int64_t i = 0; i < c->frame.count && !all; i++) {
        say(to, ", ");
        say_feature(to, c->frame.features[i], &c->frame, p);
    }
    if (all) say_all(to, c);
    say(to, ") AS x FROM ");
    say_source(to, c, all);
    say(to, ") s");
}

/* An entry, as the type of the results. */
static void say_entry(text *to, const plan *p, const char *entry, long long at) {
    int cast = strcmp(p->listed, p->result) != 0;
    say(to, cast ? "CAST(" : "");
    say(to, entry, at);
    if (cast) say(to, " AS %s)", p->result);
}

static void say_columns(text *to, const plan *p) {
    for (int64_t i = 0; i < p->k; i++) {
        say(to, i ? ", " : ""), say_entry(to, p, "x[%lld]", (long long)i + 1);
        say(to, " AS z%lld", (long long)i);
    }
}

static void say_bits(text *to, const plan *p) {
    for (int64_t from = 0; from < p->k; from += 64) {
        say(to, "%sCAST(list_sum(list_transform(x[%lld:%lld], lambda e, i: CASE WHEN ", from ? ", " : "", (long long)from + 1, (long long)from + 64);
        say_entry(to, p, "e", 0);
        say(to, "<=0 THEN 0 WHEN i = 1 THEN (-9223372036854775807-1) ELSE CAST(1 AS BIGINT) << (64 - i) END)) AS BIGINT) AS b%lld", (long long)from / 64);
    }
}

static void say_results(text *to, const plan *p) {
    if (is(p->output, "columns")) {
        say_columns(to, p);
    } else if (is(p->output, "bits")) {
        say_bits(to, p);
    } else if (is(p->output, "long")) {
        say(to, "unnest(range(%lld)) AS component, unnest(list_transform(x, lambda e: ", (long long)p->k), say_entry(to, p, "e", 0), say(to, ")) AS value");
    } else {
        int cast = strcmp(p->listed, p->result) != 0;
        say(to, cast ? "CAST(list_transform(x, lambda e: " : "CAST(x");
        if (cast) say_entry(to, p, "e", 0), say(to, ")");
        say(to, " AS %s[", p->result);
        if (p->k <= SQLRP_LONGEST_VECTOR) say(to, "%lld", (long long)p->k);
        say(to, "]) AS z");
    }
}

static void say_statement(text *to, const call *c, const plan *p) {
    say_program(to, c, p);
    say(to, "SELECT ");
    for (int64_t i = 0; i < c->frame.kept_count; i++) {
        say(to, "c%lld AS ", (long long)i), say_quoted(to, c->frame.kept[i]->name, '"');
        say(to, ", ");
    }
    say_results(to, p);
    say(to, " FROM ");
    say_rows(to, c, p);
}

/* -- DuckDB's side ------------------------------------------------------------------------------------------------------------ */

static words word_at(duckdb_vector vector, idx_t row) {
    words found;
    const char *at = text_at(vector, row, &found.length);
    found.at = valid_at(vector, row) ? at : NULL;
    return found;
}

/* The texts of a list; -1 for more than there is room for. */
static int64_t words_of(duckdb_vector vector, idx_t row, words *found, int64_t room) {
    duckdb_list_entry list = list_at(vector, row);
    duckdb_vector child = duckdb_list_vector_get_child(vector);
    if ((int64_t)list.length > room) return -1;
    for (idx_t i = 0; i < list.length; i++) found[i] = word_at(child, list.offset + i);
    return (int64_t)list.length;
}

/* What the macros begin with, whose arguments are written as they were given. */
static void say_macros(duckdb_data_chunk input, idx_t row, words *room, text *to) {
    say(to, "FROM query(sqlrp_macros(");
    say_quoted(to, word_at(argument(input, 1), row), '\'');
    for (idx_t list = 2; list < 5; list++) {
        int64_t count = words_of(argument(input, list), row, room, MOST_NAMED);
        say(to, list > 2 ? ", CAST([" : ", [");
        for (int64_t i = 0; i < count; i++) {
            say(to, i ? ", " : "");
            if (room[i].at)
                say_quoted(to, room[i], '\'');
            else
                say(to, "CAST(NULL AS VARCHAR)");
        }
        if (count < 0) to->failed = 1;
        say(to, list > 2 ? "] AS VARCHAR[])" : "]");
    }
    say(to, "))");
}

/* Write the statement of a row of arguments; 0 for what the macros do. `room`: for the texts of three lists. */
static int state(duckdb_data_chunk input, idx_t row, words *room, text *to) {
    call c = {0};
    plan p = {0};
    text filled = {0};
    words name = word_at(argument(input, 0), row), *keep = room + MOST_NAMED, *features = keep + MOST_NAMED;
    for (size_t i = 0; i < sizeof METHODS / sizeof *METHODS; i++)
        if (is(name, METHODS[i].name)) c.of = METHODS + i;
    int64_t given = words_of(argument(input, 2), row, room, MOST_NAMED);
    c.named.keep = keep, c.named.features = features;
    c.named.keep_count = words_of(argument(input, 3), row, keep, MOST_NAMED);
    c.named.features_count = words_of(argument(input, 4), row, features, MOST_NAMED);
    int done = c.of && given >= 0 && c.named.keep_count >= 0 && c.named.features_count >= 0 && read_arguments(&c, room, given) && takes(&c) &&
               c.count < MOST_PARAMETERS && read_table(word_at(argument(input, 5), row), &c.source) && read_frame(&c.source, &c.named, &c.frame);
    if (done) {
        c.parameters[c.count++] = (parameter){of_text("n"), whole_value(c.frame.n)};
        done = !is_refused(&c) && read_plan(&c, &filled, &p);
    }
    if (done) say_statement(to, &c, &p);
    free(filled.data), free(c.source.pool), free(c.source.columns), free(c.frame.features);
    return done && !to->failed;
}

void write_statement(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
    words *room = malloc(3 * MOST_NAMED * sizeof *room);
    if (!room) report(info, "a call does not fit into memory");
    for (idx_t row = 0; row < duckdb_data_chunk_get_size(input) && room; row++) {
        text to = {0};
        if (!state(input, row, room, &to)) {
            to.length = 0, to.failed = 0;
            say_macros(input, row, room, &to);
        }
        if (to.failed)
            report(info, "a call has too many names");
        else
            duckdb_vector_assign_string_element_len(output, row, to.data, (idx_t)to.length);
        free(to.data);
    }
    free(room);
}

void write_relation(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
    (void)info;
    for (idx_t row = 0; row < duckdb_data_chunk_get_size(input); row++) {
        text to = {0};
        int done = say_relation(&to, word_at(argument(input, 0), row)) && !to.failed;
        duckdb_vector_assign_string_element_len(output, row, done ? to.data : "", done ? (idx_t)to.length : 0);
        free(to.data);
    }
}
