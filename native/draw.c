/* The portable draw, and the operations that are made from it. sqlrp/_core/draw.py says why it is good. */
#include "draw.h"
#include "stage.h"

#include <math.h>

#include "sqlrp_methods.h"

#define PRIME ((int64_t)0x7FFFFFFF)
#define CONSTANT_FEATURE (PRIME - 1)

/* A program that is being made, and its entries. `constant`: the last one was appended. `summed`: no stage is a butterfly. `memory`: what is freed at the end.
 * `given`: the operations that were saved. */
typedef struct {
    bytes to;
    int64_t type, n, operations;
    int constant, summed, taken;
    void *memory[64];
    words given;
} drawing;

static void *memory_of(drawing *d, int64_t count) {
    void *found = d->taken < 64 && count >= 0 && count <= MOST_MEMORY ? calloc((size_t)count + 1, 8) : NULL;
    if (found)
        d->memory[d->taken++] = found;
    else
        d->to.failed = "the program does not fit into memory";
    return found;
}

static int wrong(drawing *d, const reader *r) {
    if (r->failed && !d->to.failed) d->to.failed = "the text is not one of stages";
    return d->to.failed != NULL;
}

/* -- the draw ------------------------------------------------------------------------------------------------------- */

static int64_t polynomial(const int64_t *a, int64_t step, int64_t x) {
    int64_t h = 0;
    for (int i = 7; i >= 0; i--) h = (h * x + a[i * step]) % PRIME;
    return h;
}

/* The eight coefficients of each component, side by side. */
static const int64_t *components(drawing *d, int64_t seed, int64_t purpose, int64_t count) {
    static const int64_t constants[4][8] = SQLRP_CONSTANTS;
    int64_t a[64], mixed[2], *b = memory_of(d, 8 * count);
    for (int i = 0; i < 2; i++) mixed[i] = polynomial(constants[i], 1, (polynomial(constants[i], 1, seed % PRIME) + seed / PRIME) % PRIME);
    for (int64_t i = 0; i < 64; i++) {
        int64_t at = 64 * purpose + i;
        a[i] = (polynomial(constants[2], 1, (mixed[0] + at) % PRIME) + polynomial(constants[3], 1, (mixed[1] + at) % PRIME)) % PRIME;
    }
    for (int64_t c = 0; c < count && b; c++)
        for (int i = 0; i < 8; i++) b[8 * c + i] = polynomial(a + 8 * i, 1, c % PRIME);
    return b;
}

static int64_t seed_of(reader *r) { return read_whole(r, 0, ((int64_t)1 << 53) - 1); }
static int64_t size_of(reader *r) { return read_whole(r, 0, MOST_MEMORY); }

/* The number of entry f, which draws its weights. */
static int64_t number_at(const drawing *d, int64_t f) { return d->constant && f == d->n - 1 ? CONSTANT_FEATURE : f; }

static int by_size(const void *one, const void *other) {
    int64_t a = *(const int64_t *)one, b = *(const int64_t *)other;
    return (a > b) - (a < b);
}

/* The numbers 0 … n - 1 in random order: sorted by entry and number. */
static int64_t *permutation(drawing *d, const int64_t *b, int64_t n) {
    int64_t *found = b ? memory_of(d, n) : NULL;
    for (int64_t f = 0; f < n && found; f++) found[f] = sqlrp_entry(b, f) * CONSTANT_FEATURE + f;
    if (found) qsort(found, (size_t)n, 8, by_size);
    for (int64_t f = 0; f < n && found; f++) found[f] %= CONSTANT_FEATURE;
    return found;
}

/* -- lists ----------------------------------------------------------------------------------------------------------- */

/* Lists that lie side by side. `ends` are those of `count` lists. */
static lists side_by_side(drawing *d, int64_t count, const int64_t *ends, const void *numbers) {
    duckdb_list_entry *entries = memory_of(d, 2 * count);
    for (int64_t i = 0; i < count && entries; i++) {
        int64_t from = i ? ends[i - 1] : 0;
        entries[i] = (duckdb_list_entry){(uint64_t)from, (uint64_t)(ends[i] - from)};
    }
    return (lists){entries ? count : 0, entries, numbers};
}

static lists one_list(drawing *d, const void *numbers, int64_t length) { return side_by_side(d, 1, &length, numbers); }

/* Two lists of one length, one after the other. */
static lists two_lists(drawing *d, const int64_t *numbers, int64_t first, int64_t second) {
    return side_by_side(d, 2, (int64_t[]){first, first + second}, numbers);
}

static void operation(drawing *d, const char *name, const int64_t *numbers, int64_t given, lists index, lists weight) {
    arguments a = {numbers, given, d->type, index, weight};
    if (!d->to.failed) add_operation(&d->to, name, &a);
    d->operations++;
}

static const lists NONE = {0, NULL, NULL};

/* -- sums of signs --------------------------------------------------------------------------------------------------- */

static sqlrp_draw read_signs(drawing *d, reader *r) {
    sqlrp_draw v = {.sums = size_of(r)};
    double s = read_real(r);
    int64_t seed = seed_of(r), purpose = read_whole(r, 0, 1 << 24);
    v.low = (int64_t)floor((double)PRIME / (2 * s));
    v.high = (int64_t)floor((double)PRIME / s);
    if (!(s >= 1) || !read_close(r)) r->failed = 1;
    if (!wrong(d, r)) v.b = components(d, seed, purpose, v.sums);
    return v;
}

static int sign_of(const sqlrp_draw *v, int64_t c, int64_t number) {
    int64_t h = sqlrp_entry(v->b + 8 * c, number);
    return h < v->low ? 1 : h < v->high ? -1 : 0;
}

static lists eights(drawing *d, const int64_t *b, int64_t count) {
    int64_t *ends = memory_of(d, count);
    for (int64_t c = 0; c < count && ends; c++) ends[c] = 8 * (c + 1);
    return ends ? side_by_side(d, count, ends, b) : NONE;
}

static void draw_signs(drawing *d, reader *r) {
    sqlrp_draw v = read_signs(d, r);
    int64_t numbers[] = {d->n, v.low, v.high, d->constant ? CONSTANT_FEATURE : 0};
    if (!wrong(d, r)) operation(d, "signs", numbers, 4, eights(d, v.b, v.sums), NONE);
    d->n = v.sums;
}

/* Places of features in sums: feature f goes into sum |code| - 1, with the sign of the code; 0 is none. There are `each` codes of a
 * feature. The lists of the sums have the features in their order. */
static void add_codes(drawing *d, const int64_t *codes, int64_t each, int64_t sums) {
    int64_t total = 0, n = d->n, *ends = memory_of(d, sums + 1), *positions;
    for (int64_t i = 0; i < n * each && ends; i++)
        if (codes[i]) ends[llabs(codes[i])]++, total++;
    for (int64_t c = 0; c < sums && ends; c++) ends[c + 1] += ends[c];
    positions = memory_of(d, total);
    for (int64_t i = 0; i < n * each && ends && positions; i++)
        if (codes[i]) positions[ends[llabs(codes[i]) - 1]++] = (i / each + 1) * (codes[i] < 0 ? -1 : 1);
    if (ends && positions) operation(d, "sums", &n, 1, side_by_side(d, sums, ends, positions), NONE);
    d->n = sums;
}

static int64_t *codes_of(drawing *d, int64_t each) {
    if (each * d->n > MOST_MEMORY || each > MOST_MEMORY) d->to.failed = "there are too many signs to draw";
    return d->to.failed ? NULL : memory_of(d, each * d->n);
}

static sqlrp_draw read_blocks(drawing *d, reader *r) {
    sqlrp_draw v = {.blocks = read_whole(r, 1, MOST_MEMORY)};
    v.size = read_whole(r, 1, MOST_MEMORY);
    int64_t seed = seed_of(r);
    v.buckets = read_whole(r, 1, MOST_MEMORY);
    v.sums = v.blocks;
    if (!read_close(r) || __builtin_mul_overflow(v.sums, v.size, &v.sums) || __builtin_mul_overflow(v.sums, v.buckets, &v.sums)) r->failed = 1;
    if (!wrong(d, r)) v.b = components(d, seed, SQLRP_BLOCKS, v.blocks + 1);
    return v;
}

/* The codes of sums in blocks, one for each block. */
static int64_t *block_codes(drawing *d, reader *r, int64_t *blocks, int64_t *sums) {
    sqlrp_draw v = read_blocks(d, r);
    int64_t *codes = v.b ? codes_of(d, v.blocks) : NULL;
    *blocks = v.blocks, *sums = v.sums;
    for (int64_t f = 0; f < d->n && codes; f++) {
        int64_t number = number_at(d, f), bucket = sqlrp_entry(v.b + 8 * v.blocks, number) % v.buckets;
        for (int64_t c = 0; c < v.blocks; c++) {
            int64_t h = sqlrp_entry(v.b + 8 * c, number), place = sqlrp_place(&v, h, bucket, c) + 1;
            codes[f * v.blocks + c] = h % 2 ? -place : place;
        }
    }
    return codes;
}

static void draw_blocks(drawing *d, reader *r) {
    int64_t blocks, sums, *codes = block_codes(d, r, &blocks, &sums);
    if (codes) add_codes(d, codes, blocks, sums);
}

/* Sums of two descriptors: the first half over the features below `split`, and the others over the rest. */
static void draw_split(drawing *d, reader *r) {
    words inner;
    int64_t each = 0, sums = 0, split, *codes = NULL;
    if (!read_open(r, &inner)) r->failed = 1;
    if (!r->failed && same_words(inner, of_text("blocks"))) {
        codes = block_codes(d, r, &each, &sums);
    } else if (!r->failed) {
        sqlrp_draw v = read_signs(d, r);
        each = sums = v.sums;
        codes = v.b ? codes_of(d, each) : NULL;
        for (int64_t i = 0; i < d->n * each && codes; i++) codes[i] = (i % each + 1) * sign_of(&v, i % each, number_at(d, i / each));
    }
    split = read_whole(r, 0, PRIME);
    if (!read_close(r)) r->failed = 1;
    for (int64_t i = 0; i < d->n * each && codes; i++)
        if ((llabs(codes[i]) <= sums / 2) != (i / each < split)) codes[i] = 0;
    if (codes && !wrong(d, r)) add_codes(d, codes, each, sums);
}

/* -- sums of weights ---------------------------------------------------------------------------------------------------- */

static void draw_normals(drawing *d, reader *r) {
    int64_t vectors = size_of(r), seed = seed_of(r), purpose = read_whole(r, 0, 1 << 24);
    int64_t numbers[] = {vectors, d->n, d->constant ? CONSTANT_FEATURE : 0};
    if (!read_close(r) || vectors > MOST_MEMORY / 32) r->failed = 1;
    const int64_t *b = wrong(d, r) ? NULL : components(d, seed, purpose, 2 * vectors);
    if (b) operation(d, "full", numbers, 3, eights(d, b, 2 * vectors), NONE);
    d->n = vectors;
}

/* Terms of sums, in their order: the sums, the features and the weights. `factors` of each. */
typedef struct {
    int64_t count, factors;
    int64_t *index; /* the sums of all, then the factors of all */
    double *weight;
} terms;

static terms terms_of(drawing *d, int64_t count, int64_t factors) {
    int64_t size;
    if (__builtin_mul_overflow(count, factors + 1, &size)) size = -1;
    return (terms){count, factors, memory_of(d, size), memory_of(d, count)};
}

static void add_terms_of(drawing *d, const char *name, const terms *t, int64_t sums, int weighted) {
    int64_t numbers[] = {sums, t->factors};
    if (!d->to.failed)
        operation(d, name, numbers, 2, two_lists(d, t->index, t->count, t->count * t->factors),
                  weighted ? one_list(d, t->weight, t->count) : NONE);
    d->n = sums;
}

/* Normal weights of standard deviation `width`. The weight of a constant is an angle. */
static void draw_fourier(drawing *d, reader *r) {
    int64_t vectors = size_of(r);
    double width = read_real(r);
    int64_t seed = seed_of(r);
    if (!read_close(r) || vectors > MOST_MEMORY / 32 || vectors * d->n > MOST_MEMORY) r->failed = 1;
    if (wrong(d, r)) return;
    const int64_t *b = components(d, seed, SQLRP_NORMALS, 2 * vectors), *phases = components(d, seed, SQLRP_PHASES, vectors);
    terms t = terms_of(d, vectors * d->n, 1);
    for (int64_t i = 0; i < t.count && !d->to.failed; i++) {
        int64_t c = i / d->n, f = i % d->n;
        t.index[i] = c;
        t.index[t.count + i] = f;
        t.weight[i] = number_at(d, f) == CONSTANT_FEATURE ? ((double)phases[8 * c] + 0.5) / (double)PRIME * (2 * 3.14159265358979323846)
                                                          : width * sqlrp_normal(b + 16 * c, b + 16 * c + 8, number_at(d, f));
    }
    add_terms_of(d, "weighted", &t, vectors, 1);
}

/* Signed sums of n features, m for each of k components, and k sums of their squares: minus the weights that they have in the signed
 * squares of the sums. */
static void draw_squares(drawing *d, reader *r) {
    int64_t k = size_of(r), m = read_whole(r, 1, MOST_MEMORY), half = m / 2 > 1 ? m / 2 : 1, n = d->n / 2, at = 0;
    double s = read_real(r);
    int64_t seed = seed_of(r), features = size_of(r);
    if (!read_close(r) || !(s >= 1) || features != n || k * m > MOST_MEMORY / 8 || (k * m + k) * n > MOST_MEMORY) r->failed = 1;
    if (wrong(d, r)) return;
    sqlrp_draw v = {.sums = k * m, .low = (int64_t)floor((double)PRIME / (2 * s)), .high = (int64_t)floor((double)PRIME / s)};
    v.b = components(d, seed, SQLRP_SIGNS, k * m);
    int64_t *index = memory_of(d, 2 * (k * m + k) * n), *squares = memory_of(d, k * n);
    terms t = {0, 1, NULL, memory_of(d, (k * m + k) * n)};
    for (int64_t i = 0; i < k * m * n && !d->to.failed; i++) {
        int64_t c = i / n, f = i % n, sign = sign_of(&v, c, f);
        if (!sign) continue;
        squares[c / m * n + f] += c % m < half ? -1 : 1;
        index[2 * at] = c, index[2 * at + 1] = f, t.weight[at++] = (double)sign;
    }
    for (int64_t i = 0; i < k * n && !d->to.failed; i++)
        if (squares[i]) index[2 * at] = k * m + i / n, index[2 * at + 1] = n + i % n, t.weight[at++] = (double)squares[i];
    t.count = at;
    t.index = memory_of(d, 2 * at);
    for (int64_t i = 0; i < at && !d->to.failed; i++) t.index[i] = index[2 * i], t.index[at + i] = index[2 * i + 1];
    add_terms_of(d, "weighted", &t, k * m + k, 1);
}

/* -- products ------------------------------------------------------------------------------------------------------------ */

/* Append one more permutation to those that are dealt. A component that takes from both gets no vector twice. */
static int64_t deal(int64_t *dealt, int64_t length, const int64_t *next, int64_t p, int64_t size, uint8_t *held) {
    int64_t begun = length % size, missing = begun ? size - begun : 0, from = length;
    for (int64_t i = 0; i < p; i++) held[i] = 0;
    for (int64_t i = length - begun; i < length; i++) held[dealt[i]] = 1;
    for (int64_t i = 0; i < p && length - from < missing; i++)
        if (!held[next[i]]) dealt[length++] = next[i];
    for (int64_t i = 0; i < p; i++) held[i] = 0;
    for (int64_t i = from; i < length; i++) held[dealt[i]] = 1;
    for (int64_t i = 0; i < p; i++)
        if (!held[next[i]]) dealt[length++] = next[i];
    return length;
}

/* The index table: `size` distinct vectors of p for each of k components. */
static int64_t *index_table(drawing *d, int64_t p, int64_t size, int64_t k, int64_t seed, int minimise) {
    int64_t count = minimise && p ? (size * k + p - 1) / p : k, length = 0;
    if (!p || size > p || size * k > MOST_MEMORY || count > MOST_MEMORY / 8) d->to.failed = "there are too many products to draw";
    const int64_t *b = d->to.failed ? NULL : components(d, seed, SQLRP_INDEX, count);
    int64_t *dealt = b ? memory_of(d, minimise ? count * p : size * k) : NULL;
    uint8_t *held = dealt ? memory_of(d, p / 8 + 1) : NULL;
    for (int64_t c = 0; c < count && held; c++) {
        int64_t *next = permutation(d, b + 8 * c, p);
        if (!next) return NULL;
        if (minimise)
            length = deal(dealt, length, next, p, size, held);
        else
            memcpy(dealt + c * size, next, (size_t)size * 8);
        free(d->memory[--d->taken]);
    }
    return held ? dealt : NULL;
}

static void draw_dealt(drawing *d, reader *r, int64_t across) {
    int64_t p = size_of(r), k = size_of(r), t = size_of(r), degree = read_whole(r, 1, MOST_MEMORY), seed = seed_of(r), size;
    int minimise = (int)read_whole(r, 0, 1);
    if (!read_close(r) || __builtin_mul_overflow(degree, t, &size) || size > MOST_MEMORY || (across && degree != 2)) r->failed = 1;
    int64_t *dealt = wrong(d, r) ? NULL : index_table(d, p, size, k, seed, minimise);
    if (!dealt) return;
    terms found = terms_of(d, k * t, degree);
    for (int64_t i = 0; i < k * t && found.index; i++) {
        found.index[i] = i / t;
        for (int64_t j = 0; j < degree; j++) found.index[k * t + i * degree + j] = dealt[i * degree + j] + (j == 1 ? across : 0);
    }
    add_terms_of(d, "products", &found, k, 0);
}

/* The same products, with their second factor from another p sums. */
static void draw_across(drawing *d, reader *r) {
    words inner;
    if (!read_open(r, &inner) || !same_words(inner, of_text("dealt"))) r->failed = 1;
    reader ahead = *r;
    for (int i = 0; i < 6 && !ahead.failed; i++) read_part(&ahead);
    if (!read_close(&ahead)) r->failed = 1;
    int64_t p = read_whole(&ahead, 0, MOST_MEMORY);
    if (ahead.failed) r->failed = 1;
    if (wrong(d, r)) return;
    draw_dealt(d, r, p);
    read_part(r);
    if (!read_close(r)) r->failed = 1;
}

/* The factors of a product by their rule: (of one other …), or (run first length). Returns how many they are. */
static int64_t read_factors(reader *r, int64_t *to, int64_t room) {
    words operation;
    int64_t count = 0;
    if (!read_open(r, &operation)) return r->failed = 1, 0;
    if (same_words(operation, of_text("run"))) {
        int64_t first = read_whole(r, 0, LARGEST), length = read_whole(r, 0, MOST_MEMORY);
        for (; count < length; count++)
            if (count < room && to) to[count] = first + count;
    } else {
        while (!r->failed && count < 64 && (r->at < r->end && *r->at != ')')) {
            int64_t factor = read_whole(r, -1, LARGEST);
            if (count < room && to) to[count] = factor;
            count++;
        }
    }
    if (!read_close(r)) r->failed = 1;
    return count;
}

/* Sums of t products each, by a rule of their numbers. */
static void draw_products(drawing *d, reader *r) {
    int64_t k = size_of(r), t = size_of(r), number;
    words weight = read_part(r), factors = read_part(r);
    int weighted = !same_words(weight, of_text("1"));
    if (!read_close(r) || k * t > MOST_MEMORY) r->failed = 1;
    reader each = *r;
    each.at = factors.at, each.end = factors.at + factors.length;
    number = r->failed ? 0 : read_factors(&each, NULL, 0);
    if (each.failed) r->failed = 1;
    if (wrong(d, r)) return;
    terms found = terms_of(d, k * t, number);
    for (int64_t i = 0; i < k * t && !wrong(d, r) && found.index; i++) {
        each.component = i / t, each.product = i % t;
        each.at = weight.at, each.end = weight.at + weight.length;
        found.weight[i] = read_real(&each);
        each.at = factors.at, each.end = factors.at + factors.length;
        found.index[i] = i / t;
        if (read_factors(&each, found.index + k * t + i * number, number) != number || each.failed) r->failed = 1;
    }
    if (!wrong(d, r)) add_terms_of(d, "products", &found, k, weighted);
}

static void draw_convolve(drawing *d, reader *r) {
    int64_t k = size_of(r), ahead = size_of(r), numbers[] = {k, ahead + 2};
    if (!read_close(r)) r->failed = 1;
    if (!wrong(d, r)) operation(d, "convolve", numbers, 2, NONE, NONE);
    d->n = (ahead + 1) * k;
}

/* All monomials of a degree in the order of their features, each with the square root of its multinomial coefficient, which is built up
 * factor by factor, as j / run. */
static void draw_monomials(drawing *d, reader *r) {
    int64_t count = size_of(r), n = size_of(r), degree = read_whole(r, 1, SQLRP_MOST_STATED);
    if (!read_close(r) || n != d->n || !n) r->failed = 1;
    if (wrong(d, r)) return;
    terms t = terms_of(d, count, degree);
    int64_t *v = memory_of(d, degree);
    for (int64_t i = 0; i < count && !d->to.failed; i++) {
        int64_t ways = 1, run = 0, last = degree - 1;
        for (int64_t j = 0; j < degree; j++) {
            run = j && v[j] == v[j - 1] ? run + 1 : 1;
            if (__builtin_mul_overflow(ways, j + 1, &ways)) d->to.failed = "the coefficients of the monomials are too large";
            ways /= run;
            t.index[count + i * degree + j] = v[j];
        }
        t.index[i] = i;
        t.weight[i] = sqrt((double)ways);
        while (last > 0 && v[last] == n - 1) last--;
        int64_t next = v[last] + 1;
        if (next > n - 1) next = n - 1;
        for (int64_t j = last; j < degree; j++) v[j] = next;
    }
    add_terms_of(d, "products", &t, count, 1);
}

/* -- samples ------------------------------------------------------------------------------------------------------------- */

/* k of n features, drawn without replacement, or one from each of k equal parts, of the row or of its reflection. */
static void draw_picks(drawing *d, reader *r) {
    int64_t k = size_of(r), n = size_of(r), seed = seed_of(r);
    int stratified = (int)read_whole(r, 0, 1), reflected = (int)read_whole(r, 0, 1);
    if (!read_close(r) || n != d->n || k > n) r->failed = 1;
    const int64_t *b = wrong(d, r) ? NULL : components(d, seed, SQLRP_SUBSPACE, 1);
    int64_t *picked = !b ? NULL : stratified ? memory_of(d, k) : permutation(d, b, n), *ends = b ? memory_of(d, k) : NULL;
    double weight = (double)n;
    for (int64_t c = 0; c < k && picked && ends; c++) {
        picked[c] = (stratified ? (c * n + sqlrp_entry(b, c) * n / PRIME) / k : picked[c]) + 1;
        ends[c] = c + 1;
    }
    if (picked && ends && reflected) operation(d, "reflect", NULL, 0, one_list(d, picked, k), one_list(d, &weight, 1));
    if (picked && ends && !reflected) operation(d, "sums", &n, 1, side_by_side(d, k, ends, picked), NONE);
    d->n = k;
}

/* A transform with Paley's matrix as sums of all features: the Kronecker product of that of order `block` and of Walsh's. A sign is that of the
 * feature, of the bits that it shares with the sampled entry within a part, and of the two parts. */
static void add_blocks(drawing *d, const int64_t *flips, const int64_t *sample, int64_t k, int64_t padded, int64_t block) {
    int64_t n = d->n, part = padded / block, *ends = memory_of(d, k), *positions = k <= MOST_MEMORY / n ? memory_of(d, k * n) : NULL;
    if (!ends || !positions) d->to.failed = "there are too many signs to draw";
    for (int64_t i = 0; i < k * n && !d->to.failed; i++) {
        int64_t f = i % n, j = sample[i / n], shared = f & j & (part - 1), minus = flips[f] < 0;
        for (; shared; shared &= shared - 1) minus++;
        minus += is_minus(block, j / part * block + f / part);
        positions[i] = minus % 2 ? -(f + 1) : f + 1;
        ends[i / n] = i + 1;
    }
    if (!d->to.failed) operation(d, "sums", &n, 1, side_by_side(d, k, ends, positions), NONE);
}

/* A sample of k entries of a Hadamard transform of the row, padded with zeros and with drawn signs. */
static void draw_transform(drawing *d, reader *r) {
    int64_t k = size_of(r), n = size_of(r), seed = seed_of(r), block, padded;
    int least = same_words(read_part(r), of_text("'least'")), replacement = (int)read_whole(r, 0, 1);
    if (!read_close(r) || n != d->n || !n) r->failed = 1;
    padded = transform_length(n, least, &block);
    const int64_t *flips = wrong(d, r) ? NULL : components(d, seed, SQLRP_FLIPS, 1);
    const int64_t *b = flips ? components(d, seed, replacement ? SQLRP_SAMPLE : SQLRP_SUBSPACE, 1) : NULL;
    int64_t *numbers = b ? memory_of(d, n + k) : NULL, *order = b && !replacement ? permutation(d, b, padded) : NULL;
    if (!numbers || (!replacement && !order)) return;
    for (int64_t f = 0; f < n; f++) numbers[f] = sqlrp_entry(flips, f) < PRIME / 2 ? 1 : -1;
    for (int64_t c = 0; c < k; c++) numbers[n + c] = replacement ? sqlrp_entry(b, c) % padded : order[c % padded];
    if (block > 1 || d->summed) {
        add_blocks(d, numbers, numbers + n, k, padded, block);
    } else {
        operation(d, "butterfly", (int64_t[]){n, padded}, 2, two_lists(d, numbers, n, k), NONE);
        d->operations++; /* it is the transform and the sample */
    }
    d->n = k;
}

/* -- the others ------------------------------------------------------------------------------------------------------------ */

static void draw_append(drawing *d, reader *r) {
    double constant = read_real(r);
    if (!read_close(r)) r->failed = 1;
    if (!wrong(d, r)) operation(d, "append", NULL, 0, NONE, one_list(d, &constant, 1));
    d->n++;
}

static int64_t read_type(reader *r) {
    words type = read_word(r);
    if (same_words(type, of_text("FLOAT"))) return SQLRP_FLOAT32;
    if (same_words(type, of_text("DOUBLE"))) return SQLRP_FLOAT64;
    if (!same_words(type, of_text("BIGINT"))) r->failed = 1;
    return SQLRP_INT64;
}

static void draw_cast(drawing *d, reader *r) {
    d->type = read_type(r);
    if (!read_close(r)) r->failed = 1;
    if (!wrong(d, r)) operation(d, "cast", NULL, 0, NONE, NONE);
}

/* Integers in units of 10^-digits become floats. */
static void draw_units(drawing *d, reader *r) {
    int64_t digits = read_whole(r, 0, SQLRP_MOST_DIGITS);
    if (!read_close(r) || d->type != SQLRP_INT64) r->failed = 1;
    if (!wrong(d, r)) operation(d, "units", &digits, 1, NONE, NONE);
    d->type = SQLRP_FLOAT64;
}

static void draw_stage(drawing *d, reader *r, words name);

/* The weights of the only operation by its entries: where those of each begin, and of which sums they are. Those that are added stand first. */
static void add_turned(drawing *d, const sqlrp_weights *w, int64_t entries) {
    int64_t terms = w->entry[w->slots], *start = memory_of(d, entries + 1), *turn = memory_of(d, entries + 1);
    int64_t *added = memory_of(d, entries + 1), *taken = memory_of(d, entries + 1);
    for (int64_t c = 0; c < w->slots && taken; c++)
        for (int64_t i = w->entry[c]; i < w->entry[c + 1]; i++) {
            start[w->component[i] + 1]++;
            if (!w->turn || i < w->turn[c]) turn[w->component[i]]++;
        }
    for (int64_t f = 0; f < entries && taken; f++) {
        start[f + 1] += start[f];
        turn[f] += start[f];
        added[f] = start[f], taken[f] = turn[f];
    }
    int32_t *sums = memory_of(d, terms / 2 + 1);
    double *weights = w->turn ? NULL : memory_of(d, terms);
    for (int64_t c = 0; c < w->slots && sums && !d->to.failed; c++)
        for (int64_t i = w->entry[c]; i < w->entry[c + 1]; i++) {
            int64_t f = w->component[i], at = !w->turn || i < w->turn[c] ? added[f]++ : taken[f]++;
            sums[at] = (int32_t)c;
            if (weights) weights[at] = ((const double *)w->weight)[i];
        }
    add_number(&d->to, w->turn ? SQLRP_SUMS : SQLRP_WEIGHTED);
    add_number(&d->to, entries);
    add_number(&d->to, terms);
    add_copy(&d->to, start, entries + 1, 8);
    if (w->turn) add_copy(&d->to, turn, entries, 8);
    add(&d->to, entries, 8);
    if (weights) add_copy(&d->to, weights, terms, 8);
    add_copy(&d->to, sums, terms, 4);
}

/* The table of the cells of long rows: a program from the sums of a stage to its entries. (turned CONSTANT STAGE), where the last entry may be a
 * constant. */
static void draw_turned(drawing *d, reader *r) {
    words name;
    sqlrp_weights w;
    int64_t entries = d->n, sums;
    d->constant = (int)read_whole(r, 0, 1);
    d->summed = 1;
    if (d->operations || d->type != SQLRP_FLOAT64 || !read_open(r, &name) || same_words(name, of_text("turned"))) r->failed = 1;
    if (wrong(d, r)) return;
    draw_stage(d, r, name);
    if (!read_close(r)) r->failed = 1;
    if (wrong(d, r)) return;
    bytes drawn = d->to;
    sums = d->n;
    ((int64_t *)drawn.data)[3] = d->operations;
    d->to = (bytes){0};
    operation(d, "head", &sums, 1, NONE, NONE);
    if (sqlrp_weights_of(drawn.data, drawn.length, &w, &d->n) && d->n == entries && w.slots == sums)
        add_turned(d, &w, entries);
    else
        d->to.failed = "the table of cells is not one of sums";
    d->operations = 1;
    free(drawn.data);
}

/* What draws the weights of long rows for any features, in the place of a program: (open (signs …)) or (open (blocks …)). */
static void draw_open(drawing *d, reader *r) {
    words name;
    sqlrp_draw v = {0};
    if (d->operations || !read_open(r, &name)) r->failed = 1;
    if (!r->failed && same_words(name, of_text("blocks")))
        v = read_blocks(d, r);
    else if (!r->failed && same_words(name, of_text("signs")))
        v = read_signs(d, r);
    else
        r->failed = 1;
    if (!r->failed && !read_close(r)) r->failed = 1;
    if (wrong(d, r)) return;
    int64_t head[] = {SQLRP_DRAWN, v.sums, v.low, 1, v.high, v.blocks, v.size, v.buckets};
    d->to.length = 0;
    d->operations = 1;
    add_copy(&d->to, head, 8, 8);
    add_copy(&d->to, v.b, 8 * sqlrp_vectors(&v), 8);
}

/* Operations that were saved: of those over so many entries, some after the first ones. Whether they fit the others, the kernel finds before it runs
 * them. */
static void draw_given(drawing *d, reader *r) {
    int64_t entries = size_of(r), first = size_of(r), count = size_of(r), outputs = size_of(r);
    void *copy = NULL;
    if (!read_close(r) || !d->given.at || d->given.length % 8 || first + count > MOST_STAGES) r->failed = 1;
    if (wrong(d, r)) return;
    const uint8_t *saved = aligned(d->given.at, d->given.length, &copy);
    int64_t begin = sqlrp_length_of(saved, d->given.length, entries, d->type, first);
    int64_t end = sqlrp_length_of(saved, d->given.length, entries, d->type, first + count), all = end;
    for (int64_t i = first + count + 1; all >= 0 && all < d->given.length; i++) all = sqlrp_length_of(saved, d->given.length, entries, d->type, i);
    if (begin < 0 || all < 0)
        r->failed = 1;
    else
        add_copy(&d->to, saved + begin, end - begin, 1);
    free(copy);
    d->operations += count;
    d->n = outputs;
}

static void draw_dealt_alone(drawing *d, reader *r) { draw_dealt(d, r, 0); }

static const struct {
    const char *name;
    void (*draw)(drawing *d, reader *r);
} STAGES[] = {
    {"signs", draw_signs},       {"blocks", draw_blocks},         {"split", draw_split},         {"normals", draw_normals},
    {"fourier", draw_fourier},   {"squares", draw_squares},       {"dealt", draw_dealt_alone},   {"across", draw_across},
    {"products", draw_products}, {"convolve", draw_convolve},     {"monomials", draw_monomials}, {"picks", draw_picks},
    {"transform", draw_transform}, {"append", draw_append},       {"cast", draw_cast},
    {"units", draw_units},       {"turned", draw_turned},       {"open", draw_open},
    {"given", draw_given},
};

static void draw_stage(drawing *d, reader *r, words name) {
    size_t i = 0;
    while (i < sizeof STAGES / sizeof *STAGES && !same_words(name, of_text(STAGES[i].name))) i++;
    if (i == sizeof STAGES / sizeof *STAGES)
        r->failed = 1;
    else
        STAGES[i].draw(d, r);
    if (!same_words(name, of_text("cast")) && !same_words(name, of_text("units"))) d->constant = same_words(name, of_text("append"));
    wrong(d, r);
}

/* The program of a text. The number of its operations is known at its end. */
static void draw_program(drawing *d, words said) {
    reader r = reading(said, NULL, 0);
    words name;
    d->type = read_type(&r);
    d->n = size_of(&r);
    if (!wrong(d, &r)) operation(d, "head", &d->n, 1, NONE, NONE);
    d->operations = 0;
    while (!wrong(d, &r) && read_open(&r, &name)) draw_stage(d, &r, name);
    while (r.at < r.end && *r.at == ' ') r.at++;
    if (r.at < r.end) r.failed = 1;
    if (!wrong(d, &r)) ((int64_t *)d->to.data)[3] = d->operations;
    while (d->taken) free(d->memory[--d->taken]);
}

void write_program(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
    const char *failed = NULL;
    for (idx_t row = 0; row < duckdb_data_chunk_get_size(input) && !failed; row++) {
        drawing d = {0};
        words said;
        said.at = text_at(argument(input, 0), row, &said.length);
        if (valid_at(argument(input, 1), row)) d.given.at = text_at(argument(input, 1), row, &d.given.length);
        draw_program(&d, said);
        failed = d.to.failed;
        if (!failed) duckdb_vector_assign_string_element_len(output, row, (const char *)d.to.data, (idx_t)d.to.length);
        free(d.to.data);
    }
    if (failed) report(info, failed);
}
