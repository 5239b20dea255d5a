/* What is known of stages before they are drawn. sqlrp/_lowering/job.py says the types. */
#include "stage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "source.h"
#include "sqlrp_methods.h"

#define MOST_ENTRIES ((int64_t)1 << 24)
#define MOST_DECIMAL_BITS 126

static int is(words said, const char *wanted) { return same_words(said, of_text(wanted)); }

static int64_t product(reader *r, int64_t a, int64_t b) {
    int64_t found = 0;
    if (__builtin_mul_overflow(a, b, &found) || found < 0 || found > ((int64_t)1 << 40)) r->failed = 1;
    return r->failed ? 0 : found;
}

static const struct {
    int64_t order;
    const char *bits;
} PALEY[] = {SQLRP_PALEY};
#define BLOCKS (sizeof PALEY / sizeof *PALEY)

int64_t transform_length(int64_t n, int least, int64_t *block) {
    int64_t found = 1;
    *block = 1;
    while (found < n) found *= 2;
    for (size_t i = 0; i < BLOCKS && least; i++) {
        int64_t length = PALEY[i].order;
        while (length < n) length *= 2;
        if (length >= found) continue;
        found = length;
        *block = PALEY[i].order;
    }
    return found;
}

int is_minus(int64_t block, int64_t entry) {
    size_t i = 0;
    while (i < BLOCKS && PALEY[i].order != block) i++;
    return i < BLOCKS && entry < block * block && (unsigned char)PALEY[i].bits[entry / 8] >> entry % 8 & 1;
}

/* How many factors a rule of products gives. */
static int64_t factors_of(reader *r) {
    words operation;
    int64_t count = 0;
    if (!read_open(r, &operation)) return r->failed = 1, 0;
    if (is(operation, "run")) {
        read_part(r);
        count = read_whole(r, 1, MOST_ENTRIES);
    }
    while (!r->failed && !read_close(r)) read_part(r), count++;
    return count;
}

/* Read the numbers of a stage whose name was read: `numbers` of them, then whatever else it has. */
static void read_stage(reader *r, words name, stage *s);

static void read_numbers(reader *r, int64_t *numbers, int count) {
    for (int i = 0; i < count; i++) numbers[i] = read_whole(r, 0, (int64_t)1 << 53);
}

static void read_sums(reader *r, words name, stage *s) {
    int64_t given[5];
    words inner;
    if (is(name, "signs")) {
        s->outputs = read_whole(r, 1, MOST_ENTRIES);
        s->drawn = product(r, s->outputs, s->inputs) / 32; /* as many bytes are drawn, and most may be 0 */
        s->weights = (int64_t)((double)product(r, s->outputs, s->inputs) / fmax(read_real(r), 1));
    } else if (is(name, "blocks")) {
        read_numbers(r, given, 4);
        s->outputs = product(r, product(r, given[0], given[1]), given[3]);
        s->drawn = product(r, given[0], s->inputs) + s->outputs;
    } else if (is(name, "split")) {
        if (!read_open(r, &inner)) r->failed = 1;
        read_stage(r, inner, s);
        s->drawn = product(r, s->outputs, s->inputs);
    } else if (is(name, "transform")) {
        int64_t block, length;
        read_numbers(r, given, 3);
        length = transform_length(given[1] < MOST_ENTRIES ? given[1] : MOST_ENTRIES, is(read_part(r), "'least'"), &block);
        s->outputs = given[0];
        s->drawn = block > 1 ? product(r, given[0], given[1]) : length + given[1] + given[0];
        s->weights = product(r, given[0], given[1]);
    } else { /* picks */
        read_numbers(r, given, 5);
        s->outputs = given[0];
        s->drawn = given[1];
        if (given[4]) s->kind = REFLECT;
    }
}

static void read_weights(reader *r, words name, stage *s) {
    int64_t given[2];
    s->kind = WEIGHTS;
    s->exact = is(name, "squares");
    if (!s->exact) {
        s->outputs = read_whole(r, 1, MOST_ENTRIES);
    } else {
        read_numbers(r, given, 2);
        s->outputs = product(r, given[0], given[1] + 1);
        s->largest = given[1] <= 2 || read_real(r) == 1 ? 1 : given[1] / 2;
    }
    s->drawn = product(r, s->outputs, s->inputs);
}

static void read_products(reader *r, words name, stage *s) {
    int64_t given[4];
    words inner;
    s->kind = PRODUCTS;
    if (is(name, "products")) {
        read_numbers(r, given, 2);
        words weight = read_part(r);
        s->outputs = given[0], s->heaviest = given[1], s->factors = factors_of(r);
        s->exact = !memchr(weight.at, '.', (size_t)weight.length);
    } else if (is(name, "convolve")) {
        read_numbers(r, given, 2);
        s->outputs = product(r, given[0], given[1] + 1), s->heaviest = given[0], s->factors = 2;
        return;
    } else if (is(name, "monomials")) {
        read_numbers(r, given, 3);
        s->outputs = given[0], s->factors = given[2], s->exact = 0;
    } else {
        if (is(name, "across") && !read_open(r, &inner)) r->failed = 1;
        read_numbers(r, given, 4);
        s->outputs = given[1], s->heaviest = given[2], s->factors = given[3];
        while (is(name, "across") && !r->failed && !read_close(r)) read_part(r);
    }
    s->drawn = product(r, product(r, s->outputs, s->heaviest), s->factors + 1);
}

static void read_append(reader *r, stage *s) {
    s->kind = APPEND;
    s->constant = read_real(r);
    s->exact = s->constant == floor(s->constant);
    s->outputs = s->inputs + 1;
    if (!isfinite(s->constant)) r->failed = 1;
}

/* A stage whose operation was saved: its kind and its facts. */
static void read_given(reader *r, stage *s) {
    words kind = read_word(r);
    s->given = 1;
    if (is(kind, "append")) {
        read_append(r, s);
        return;
    }
    s->kind = is(kind, "sums") ? SUMS : is(kind, "products") ? PRODUCTS : WEIGHTS;
    int64_t outputs = read_whole(r, 0, MOST_ENTRIES);
    s->outputs = outputs ? outputs : s->inputs;
    s->keeps = !outputs;
    s->exact = (int)read_whole(r, 0, 1);
    s->largest = read_whole(r, 1, INT64_MAX >> 8);
    s->factors = read_whole(r, 1, MOST_ENTRIES);
    s->heaviest = read_whole(r, 1, INT64_MAX >> 8);
}

static void read_stage(reader *r, words name, stage *s) {
    static const char *const sums[] = {"signs", "blocks", "split", "transform", "picks", NULL};
    static const char *const weights[] = {"normals", "fourier", "squares", NULL};
    static const char *const products[] = {"products", "convolve", "monomials", "dealt", "across", NULL};
    if (is_one_of(name, sums)) {
        read_sums(r, name, s);
    } else if (is_one_of(name, weights)) {
        read_weights(r, name, s);
    } else if (is_one_of(name, products)) {
        read_products(r, name, s);
    } else if (is(name, "append")) {
        read_append(r, s);
    } else if (is(name, "given")) {
        read_given(r, s);
    } else {
        s->kind = is(name, "map") ? MAP : is(name, "group") ? GROUP : NORM;
        s->outputs = s->inputs;
        s->exact = s->kind == GROUP;
        if (s->kind == MAP) s->formula = read_part(r);
        if ((s->kind == MAP && s->formula.length < 2) || (s->kind == NORM && !is(name, "norm"))) r->failed = 1;
    }
    while (!r->failed && !read_close(r)) read_part(r);
}

int64_t read_stages(words said, int64_t n, stage *found) {
    reader r = reading(said, NULL, 0);
    words name;
    int64_t count = 0;
    while (r.at < r.end && !r.failed && count < MOST_STAGES) {
        const char *from = r.at;
        found[count] = (stage){.kind = SUMS, .inputs = n, .largest = 1, .factors = 1, .heaviest = 1, .exact = 1};
        if (!read_open(&r, &name)) return 0;
        read_stage(&r, name, found + count);
        if (r.failed || found[count].outputs < 1 || found[count].drawn > MOST_ENTRIES) return 0;
        found[count].said = (words){from, r.at - from};
        if (!found[count].weights) found[count].weights = found[count].drawn;
        n = found[count++].outputs;
    }
    return r.failed || r.at < r.end ? 0 : count;
}

/* -- types --------------------------------------------------------------------------------------------------------------- */

number number_of_type(words type) {
    static const char *const integers[] = {"BOOLEAN", "TINYINT",  "UTINYINT", "SMALLINT", "USMALLINT", "INTEGER",
                                           "UINTEGER", "BIGINT", "UBIGINT",  "HUGEINT",  NULL};
    static const int64_t bits[] = {1, 7, 8, 15, 16, 31, 32, 63, 64, 127};
    if (is(type, "FLOAT")) return (number){FLOATS, 0, 0};
    if (is(type, "DOUBLE") || is(type, "BIGNUM")) return (number){DOUBLES, 0, 0};
    for (int i = 0; integers[i]; i++)
        if (is(type, integers[i])) return (number){INTEGERS, bits[i], 0};
    if (begins_with(type, "DECIMAL(")) {
        long width = strtol(type.at + 8, NULL, 10);
        const char *comma = memchr(type.at, ',', (size_t)type.length);
        return (number){DECIMALS, (int64_t)ceil((double)width * log2(10)), comma ? strtol(comma + 1, NULL, 10) : 0};
    }
    return (number){INTEGERS, 128, 0};
}

static int in_float(number a) { return a.kind == FLOATS || (a.kind == INTEGERS && a.bits <= 24); }

number common_number(number one, number other) {
    if (one.kind >= INTEGERS && other.kind >= INTEGERS) {
        int64_t digits = one.digits > other.digits ? one.digits : other.digits;
        int64_t bits = one.bits + (int64_t)ceil((double)(digits - one.digits) * log2(10));
        int64_t theirs = other.bits + (int64_t)ceil((double)(digits - other.digits) * log2(10));
        kind_of_number kind = one.kind == DECIMALS || other.kind == DECIMALS ? DECIMALS : INTEGERS;
        return (number){kind, bits > theirs ? bits : theirs, digits};
    }
    return (number){in_float(one) && in_float(other) ? FLOATS : DOUBLES, 0, 0};
}

static int64_t bits_of(double terms) { return (int64_t)ceil(log2(terms > 1 ? terms : 1)); }

const char *type_of_number(number a) {
    if (a.kind == FLOATS) return "FLOAT";
    if (a.kind == DOUBLES) return "DOUBLE";
    if (a.bits > 63) return NULL;
    return a.kind == DECIMALS ? "DECIMAL" : a.bits <= 31 ? "INTEGER" : "BIGINT";
}

static number grown(const stage *s, number a, int scaled) {
    number doubles = {DOUBLES, 0, 0};
    double n = (double)s->inputs;
    if (a.kind <= DOUBLES) return (number){a.kind, 0, 0};
    if (s->kind == PRODUCTS && scaled) return doubles;
    if (s->kind == SUMS) a.bits += bits_of(n + 1);
    if (s->kind == WEIGHTS) a.bits += bits_of((n + 1) * (double)s->largest);
    if (s->kind == REFLECT) a.bits += bits_of(3 * n);
    if (s->kind == GROUP) a.bits += 31;
    if (s->kind == PRODUCTS) a.bits = a.bits * s->factors + bits_of((double)s->heaviest);
    if (s->kind == APPEND) {
        double constant = s->constant * pow(10, (double)a.digits);
        int64_t bits = (int64_t)floor(log2(constant > 1 ? constant : 1)) + 1;
        if (bits > a.bits) a.bits = bits;
    }
    int weighted = s->largest != 1 || s->kind == PRODUCTS || s->kind == REFLECT;
    if (a.kind == DECIMALS) return weighted || a.bits > MOST_DECIMAL_BITS ? doubles : a;
    return weighted && a.bits > 127 ? doubles : a;
}

const char *tile_of(const char *type) { return *type == 'I' || is_decimal(type) ? "BIGINT" : type; }

/* The kind that the stages take of features that are whole numbers or decimals. */
static number base_of(const stage *stages, int64_t count, number from, int scaled) {
    number doubles = {DOUBLES, 0, 0};
    if (from.kind <= DOUBLES) return from;
    for (int64_t i = 0; i < count; i++)
        if (!stages[i].exact) return doubles;
    int64_t bits = from.bits + bits_of((double)stages[0].inputs + 1);
    if (scaled && (from.kind == DECIMALS || bits > 63)) return doubles;
    return from.kind == DECIMALS && bits > MOST_DECIMAL_BITS ? doubles : from;
}

int type_stages(const stage *stages, int64_t count, number from, int scaled, const char **held, number *last) {
    number now = base_of(stages, count, from, scaled);
    const char *first = NULL, *known = NULL;
    for (int64_t i = 0; i < count; i++) {
        const char *before = type_of_number(now);
        now = grown(stages + i, now, scaled);
        const char *after = type_of_number(now);
        if (!before || !after) return 0;
        if (stages[i].kind != APPEND) known = after;
        if (!first && stages[i].kind != APPEND) first = stages[i].kind >= MAP || stages[i].kind == PRODUCTS ? before : after;
        held[i + 1] = known;
    }
    *last = now;
    held[0] = first ? first : type_of_number(now);
    for (int64_t i = 1; i <= count; i++)
        if (!held[i]) held[i] = held[0];
    return 1;
}
