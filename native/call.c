/* A call of a function, as it is read before its statement is written. */
#include "call.h"

#include <math.h>

#include "sqlrp_methods.h"

#define MOST_WEIGHTS 16000000
#define MOST_DRAWN 256000000
#define MOST_FEATURES ((int64_t)SQLRP_LAST_FEATURE + 3) /* of an open vocabulary, as macros count them for the types of sums */

static const method METHODS[] = {SQLRP_METHODS};
static const method SAVED = {"", "(source none none words)(factor none none real)(k none none whole 1)" SQLRP_PARAMETERS, "", "", "(* factor 1.0)"};

const method *method_named(words name) {
    if (name.at && !name.length) return &SAVED;
    for (size_t i = 0; i < sizeof METHODS / sizeof *METHODS; i++)
        if (same_words(name, of_text(METHODS[i].name))) return METHODS + i;
    return NULL;
}

/* -- arguments ------------------------------------------------------------------------------------------------------------ */

static int is_number_type(words type) {
    static const char *const numbers[] = {"INTEGER", "BIGINT", "DOUBLE", NULL};
    return is_one_of(type, numbers) || begins_with(type, "DECIMAL(");
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

/* Read the arguments of a call, whose order is that of the method's parameters. */
static int read_arguments(call *c, const words *given, int64_t count) {
    reader r = reading(of_text(c->of->parameters), NULL, 0);
    words name;
    for (int64_t i = 0; read_open(&r, &name); i++) {
        read_part(&r), read_part(&r); /* the default */
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
words word_of(const call *c, const char *name) { return argument_named(c, name).said; }
static int flag_of(const call *c, const char *name) { return argument_named(c, name).whole != 0; }

/* Whether the kernel runs a call with such arguments. */
static int takes(call *c) {
    words output = word_of(c, "output"), lowering = word_of(c, "lowering"), key = word_of(c, "key");
    for (int64_t i = 0; i < c->count; i++)
        if (is(c->parameters[i].name, "group_by") && c->parameters[i].is.kind == WORDS) key = c->parameters[i].is.said;
    c->named.key = key;
    c->named.array_column = word_of(c, "array_column");
    c->named.n_features = argument_named(c, "n_features").whole;
    c->named.feature = word_of(c, "feature");
    c->named.value = word_of(c, "value");
    return (is(lowering, "auto") || is(lowering, "native")) && !(is(output, "bits") && !is(word_of(c, "dtype"), "auto"));
}

/* -- what the source makes of them ------------------------------------------------------------------------------------------- */

/* Whether a column that passes through may have the name of a result. The macros look at it. */
static int is_taken(words name, words output) {
    int bits = is(output, "bits");
    if (is(output, "long")) return same_name(name, of_text("component")) || same_name(name, of_text("value"));
    if (!name.length || !strchr(bits ? "bB" : "zZ", *name.at)) return 0;
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
static number features_of(const call *c) {
    const frame *f = &c->frame;
    number found = number_of_type(c->saved.prepared ? of_text("DOUBLE") : base_type(f->features[0]->type));
    for (int64_t i = 1; i < f->count; i++) found = common_number(found, number_of_type(f->features[i]->type));
    return found;
}

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

/* Find the types of the results, and whether rows with NULL are told apart after the kernel. */
static void read_types(const call *c, plan *p, int scaled) {
    int whole = p->native == p->count, nullable = c->frame.array, single = is(p->output, "vector") || is(word_of(c, "dtype"), "float32");
    int integers = strcmp(p->last, "FLOAT") != 0 && strcmp(p->last, "DOUBLE") != 0;
    for (int64_t i = 0; i < c->frame.count; i++) nullable |= c->frame.features[i]->nullable;
    p->guarded = !whole && nullable && !is(p->nulls, "zero");
    p->listed = whole && p->times && integers ? "DOUBLE" : p->held[p->native];
    p->entry = whole ? p->listed : p->times && integers ? "DOUBLE" : p->last;
    p->result = single ? "FLOAT" : scaled && integers ? "DOUBLE" : p->last;
    if (is_decimal(p->result) && !is(p->output, "bits")) p->result = p->decimal; /* a sign is that of whole numbers, too */
    p->fields = whole ? fields_for(p) : 0;
}

/* Read what was saved of the first stages, in the format of this kernel; 0 for what the macros do. */
static int read_saved(call *c, words said) {
    reader r = reading(said, NULL, 0);
    if (!said.at) return c->of != &SAVED;
    c->saved.name = read_word(&r);
    if (!c->saved.name.at || read_whole(&r, 0, INT64_MAX) != SQLRP_FORMAT) return 0;
    for (int64_t i = 0; i < c->saved.name.length; i++)
        if (!c->saved.name.at[i] || !strchr("0123456789abcdef", c->saved.name.at[i])) return 0;
    c->saved.n = read_whole(&r, 0, SQLRP_LAST_FEATURE);
    c->saved.operations = read_whole(&r, 0, MOST_STAGES);
    c->saved.prepared = (int)read_whole(&r, 0, 1);
    c->saved.stages = (words){r.at, r.end - r.at};
    return !r.failed;
}

/* Find the stages whose operations were saved, of numbers of one type. */
static int read_given(const call *c, plan *p) {
    int64_t all = 0;
    while (p->given < p->count && p->stages[p->given].given) p->given++;
    for (int64_t i = 0; i < p->count; i++) {
        if (!p->stages[i].given) continue;
        if (strcmp(tile_of(p->held[i]), tile_of(p->held[0])) != 0 || strcmp(tile_of(p->held[i]), tile_of(p->held[i + 1])) != 0) return 0;
        all++;
    }
    return all == c->saved.operations && (!c->saved.n || c->saved.n == c->frame.n);
}

/* Find the type of decimals. Constants must be exact in their units, and those that were saved have none. */
static int read_decimals(plan *p, number last, int64_t digits) {
    p->digits = digits;
    if (last.kind == DECIMALS) snprintf(p->decimal, sizeof p->decimal, "DECIMAL(%d,%d)", last.bits <= 59 ? 18 : 38, (int)digits);
    for (int64_t i = 0; i < p->count; i++)
        if (is_decimal(p->held[i + 1]) && ((p->stages[i].given && p->stages[i].kind == APPEND) || p->stages[i].constant * pow(10, (double)digits) > 9007199254740992.0)) return 0;
    return digits <= SQLRP_MOST_DIGITS || !(is_decimal(p->held[0]) || is_decimal(p->last));
}

/* Whether the weights of any features can be drawn, as those of words. */
static int can_be_open(const stage *s) {
    return !s->given && (begins_with(s->said, "(signs ") || begins_with(s->said, "(blocks "));
}

/* Find how many stages take the cells of long rows: the first sums, and a constant before them. Their weights stand in a table, unless there are too
 * many. Whoever names a group has one row of features for each of its rows. */
static int read_cells(const call *c, plan *p) {
    if (!c->frame.place) return 1;
    p->cells = p->stages[0].kind == APPEND ? 2 : 1;
    const stage *s = p->stages + p->cells - 1;
    for (int64_t i = 0; i < p->count; i++)
        if (p->stages[i].kind == GROUP) return 0;
    if (p->native < p->cells || (s->kind != SUMS && s->kind != WEIGHTS) || s->keeps || (p->given && p->given < p->cells)) return 0;
    p->open = c->frame.open || s->weights > MOST_WEIGHTS || s->inputs > MOST_DRAWN / s->outputs;
    return !p->open || (!p->given && can_be_open(s));
}

static int read_plan(call *c, text *filled, plan *p) {
    static const char *const FLOATING[] = {"FLOAT", "DOUBLE", NULL};
    int scaled = flag_of(c, "scale");
    p->output = word_of(c, "output"), p->nulls = word_of(c, "nulls"), p->k = argument_named(c, "k").whole;
    if (is(p->output, "bits")) scaled = 0;
    if (is(p->output, "auto")) p->output = of_text(p->k + c->frame.kept_count <= SQLRP_MOST_COLUMNS ? "columns" : "array");
    if (is(p->output, "columns") && p->k + c->frame.kept_count > SQLRP_MOST_COLUMNS) return 0;
    if (is(p->output, "vector") && p->k > SQLRP_LONGEST_VECTOR) return 0;
    for (int64_t i = 0; i < c->frame.kept_count; i++)
        if (is_taken(c->frame.kept[i]->name, p->output)) return 0;
    reader r = stated_by(c, c->of->stages);
    say_words(filled, c->saved.stages);
    fill(&r, filled);
    if (r.failed || filled->failed || !filled->data) return 0;
    p->count = read_stages((words){filled->data, filled->length}, c->frame.n ? c->frame.n : 1, p->stages);
    for (int64_t i = 0; i < 2 && i < p->count && !c->frame.n && (!i || p->stages[0].kind == APPEND); i++) p->stages[i].inputs = MOST_FEATURES + i;
    if (!p->count || p->stages[p->count - 1].outputs != p->k) return 0;
    number from = features_of(c), last;
    if (!type_stages(p->stages, p->count, from, scaled, p->held, &last)) return 0;
    p->last = type_of_number(last);
    if (!read_decimals(p, last, from.digits) || !read_given(c, p)) return 0;
    p->times = read_factor(c, &p->factor) && scaled;
    if (!isfinite(p->factor)) return 0;
    while (p->native < p->count && p->stages[p->native].kind < MAP) p->native++;
    for (int64_t i = p->native; i < p->count; i++) {
        if (p->stages[i].kind < MAP && (!is_one_of(of_text(p->held[i]), FLOATING) || strcmp(p->held[i], p->held[i + 1]) != 0)) return 0;
        if (p->stages[i].kind == GROUP && (!c->named.key.at || c->frame.kept_count != 1)) return 0;
    }
    if (!p->native || !read_cells(c, p)) return 0;
    read_types(c, p, scaled);
    return own_names(c, p);
}

int read_call(call *c, const words *given, int64_t count, words described, words saved, text *filled, plan *p) {
    if (!read_arguments(c, given, count) || !takes(c) || c->count == MOST_PARAMETERS || !read_saved(c, saved)) return 0;
    if (!read_table(described, &c->source) || !read_frame(&c->source, &c->named, &c->frame)) return 0;
    c->parameters[c->count++] = (parameter){of_text("n"), c->frame.n ? whole_value(c->frame.n) : (value){.kind = NOTHING}};
    return !is_refused(c) && read_plan(c, filled, p);
}
