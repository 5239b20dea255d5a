#include "sqlrp.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One binary serves all processors of a platform: where the compiler can, each loop is there twice, and the loader picks.
 * Most are no faster with AVX-512, as they wait for the second-level cache, and take half as many bytes again. */
#if defined(__x86_64__) && defined(__linux__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(SQLRP_NO_CLONES)
#define CLONES __attribute__((target_clones("avx2", "default")))
#define MORE_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define CLONES
#define MORE_CLONES
#endif
#if defined(__GNUC__)
#define INLINE static inline __attribute__((always_inline))
#else
#define INLINE static inline
#endif

#define BLOCK 16
#define SIDE 4 /* so many sums of BLOCK rows fit into the registers: eight take three times as long */
#define MOST_OPERATIONS 64
#define MOST_ROWS (1 << 20)
#define ALIGNED(size) (((size) + 63) / 64 * 64)

/* An operation of a program, whose tables lie in the program. The header says what they are. */
typedef struct {
    int64_t code, type, n, m, terms, degree, part, indexes, low, high;
    const int64_t *start, *turn;
    const void *base, *weight, *value;
    const int32_t *index;
    const int8_t *flips;
} operation;

static const void *address(int64_t number) { return (const void *)(intptr_t)number; }

/* Whether sum c and the next SIDE - 1 are sums of the same entries. */
static int alike(const operation *op, int64_t c) {
    const int64_t *start = op->start + c, terms = start[1] - start[0];
    int64_t i = c + SIDE <= op->m;
    while (i && i < SIDE && start[i + 1] - start[i] == terms && !memcmp(op->index + start[0], op->index + start[i], terms * 4)) i++;
    return i == SIDE;
}

INLINE int bit(const void *bits, int64_t at) { return ((const uint8_t *)bits)[at >> 3] >> (at & 7) & 1; }

/* The types of sources, and those of results, each with its name in C. */
#define SOURCES(X)                                                                                                     \
    X(FLOAT64, double) X(FLOAT32, float) X(INT8, int8_t) X(UINT8, uint8_t) X(INT16, int16_t) X(UINT16, uint16_t)       \
    X(INT32, int32_t) X(UINT32, uint32_t) X(INT64, int64_t) X(UINT64, uint64_t)
#define RESULTS(X) X(FLOAT64, double) X(FLOAT32, float) X(INT32, int32_t) X(INT64, int64_t)

#define JOIN_(f, t) f##_of_##t
#define JOIN(f, t) JOIN_(f, t)
#define NAME(f) JOIN(f, T)

#define ADD(a, b) ((a) + (b))
#define SUB(a, b) ((a) - (b))
#define MUL(a, b) ((a) * (b))
#define FINITE(v) ((v) - (v) == 0)
#define WITH_INTEGER double
#define WITH_FLOAT T
#define T double
#include "tiles.h"
#undef T

#define T float
#include "tiles.h"
#undef T
#undef ADD
#undef SUB
#undef MUL
#undef WITH_FLOAT
#undef WITH_INTEGER

#define T int64_t
#define ADD(a, b) ((int64_t)((uint64_t)(a) + (uint64_t)(b)))
#define SUB(a, b) ((int64_t)((uint64_t)(a) - (uint64_t)(b)))
#define MUL(a, b) ((int64_t)((uint64_t)(a) * (uint64_t)(b)))
#define WITH_FLOAT double
#define WITH_INTEGER int64_t
#include "tiles.h"

/* -- programs -------------------------------------------------------------------------------------------------- */

typedef struct {
    int64_t type, entries, outputs, last, widest, count;
    operation operations[MOST_OPERATIONS];
} program;

/* What is left of the bytes, and whether something did not fit. */
typedef struct {
    const uint8_t *at, *end;
    int failed;
} bytes;

static const void *table(bytes *from, int64_t count, int64_t size) {
    int64_t left = from->end - from->at;
    if (from->failed || count < 0 || count > left / size) {
        from->failed = 1;
        return NULL;
    }
    const void *found = from->at;
    int64_t taken = (count * size + 7) / 8 * 8;
    from->at += taken;
    from->failed = taken > left;
    return found;
}

/* A whole number from `low` to the largest that counts anything. */
static int64_t number(bytes *from, int64_t low) {
    const int64_t *found = table(from, 1, 8);
    if (!found || *found < low || *found > LARGEST) {
        from->failed = 1;
        return low;
    }
    return *found;
}

/* Indexes of at least `low` and below `high`, which `checked` looks at. */
static void indexes(bytes *from, operation *op, int64_t count, int64_t low, int64_t high) {
    op->index = table(from, count, 4);
    op->indexes = count, op->low = low, op->high = high;
}
static int of_tiles(int64_t type) { return type == SQLRP_FLOAT64 || type == SQLRP_FLOAT32 || type == SQLRP_INT64; }
static void read_operation(bytes *from, operation *op) {
    int64_t size = width(op->type), products = op->code == SQLRP_PRODUCTS;
    op->m = op->n;
    switch (op->code) {
    case SQLRP_SUMS:
    case SQLRP_WEIGHTED:
    case SQLRP_PRODUCTS:
        op->degree = products ? number(from, 1) : 1;
        op->part = products ? number(from, 0) : op->code == SQLRP_WEIGHTED;
        op->m = number(from, 0);
        op->terms = number(from, 0);
        op->start = table(from, op->m + 1, 8);
        if (op->code == SQLRP_SUMS) op->turn = table(from, op->m, 8);
        if (!products) op->base = table(from, op->m, size);
        if (op->part) op->weight = table(from, op->terms, size);
        indexes(from, op, op->terms * op->degree, -products, op->n);
        break;
    case SQLRP_BUTTERFLY:
        op->m = number(from, 1);
        op->part = number(from, 1);
        indexes(from, op, op->n, 0, op->m);
        op->flips = table(from, op->n, 1);
        from->failed |= (op->part & (op->part - 1)) || op->m % op->part;
        break;
    case SQLRP_CONVOLVE:
        op->part = number(from, 1);
        op->m = op->part * (number(from, 2) - 1);
        from->failed |= op->m + op->part != op->n;
        break;
    case SQLRP_APPEND:
        op->m = op->n + 1;
        op->value = table(from, 1, 8);
        from->failed |= op->m > LARGEST;
        break;
    case SQLRP_PICK:
    case SQLRP_REFLECT:
        if (op->code == SQLRP_REFLECT) op->value = table(from, 1, 8);
        op->m = number(from, 0);
        indexes(from, op, op->m, 0, op->n);
        break;
    case SQLRP_RESCALE:
        op->base = table(from, op->n, size);
        op->weight = table(from, op->n, size);
        break;
    case SQLRP_POWER:
        op->value = table(from, 1, 8);
        op->degree = number(from, 1);
        from->failed |= op->degree > SQLRP_MOST_DEGREE; /* no table bounds its work */
        break;
    case SQLRP_ROOT:
    case SQLRP_NORM: from->failed |= op->type == SQLRP_INT64; break;
    case SQLRP_CAST: from->failed |= !of_tiles(op->part = number(from, 0)); break;
    case SQLRP_UNITS: from->failed |= (op->part = number(from, 0)) > SQLRP_MOST_DIGITS || op->type != SQLRP_INT64; break;
    default:
        from->failed = 1;
    }
}

/* Read the next operation over n entries of a type. Both become those after it. */
static void next_operation(bytes *from, operation *op, int64_t *n, int64_t *type) {
    memset(op, 0, sizeof *op);
    op->code = number(from, 1);
    op->n = *n;
    op->type = *type;
    read_operation(from, op);
    *n = op->m;
    if (op->code == SQLRP_CAST) *type = op->part;
    if (op->code == SQLRP_UNITS) *type = SQLRP_FLOAT64;
}

int64_t sqlrp_length_of(const void *operations, int64_t length, int64_t entries, int64_t type, int64_t count) {
    bytes from = {operations, (const uint8_t *)operations + length, 0};
    operation op;
    for (int64_t i = 0; i < count && !from.failed; i++) next_operation(&from, &op, &entries, &type);
    return from.failed ? -1 : from.at - (const uint8_t *)operations;
}

/* Find the operations and their tables within the bytes; 0 if these are no program. */
static int read_program(const void *given, int64_t length, program *p) {
    bytes from = {given, (const uint8_t *)given + length, 0};
    if (length < 32 || (uintptr_t)given % 8 || number(&from, 0) != SQLRP_FORMAT) return 0;
    int64_t n = p->widest = p->entries = number(&from, 0), type = p->type = number(&from, 0);
    p->count = number(&from, 0);
    if (from.failed || !of_tiles(type) || p->count > MOST_OPERATIONS) return 0;
    for (int64_t i = 0; i < p->count && !from.failed; i++) {
        next_operation(&from, p->operations + i, &n, &type);
        if (n > p->widest) p->widest = n;
    }
    p->outputs = n;
    p->last = type;
    return !from.failed && from.at == from.end;
}

/* Whether every index of the tables is one of an entry, and all ranges of terms are. */
static int checked(const operation *op) {
    const int64_t *start = op->start, *turn = op->turn;
    if (start && (start[0] < 0 || start[op->m] > op->terms)) return 0;
    for (int64_t c = 0; start && c < op->m; c++)
        if (start[c] > start[c + 1] || (turn && (turn[c] < start[c] || turn[c] > start[c + 1]))) return 0;
    for (int64_t i = 0; i < op->indexes; i++)
        if (op->index[i] < op->low || op->index[i] >= op->high) return 0;
    return 1;
}
int64_t sqlrp_format(void) { return SQLRP_FORMAT; }

/* Two tiles, and a row of one. */
static int64_t tile_bytes(const program *p, int64_t tile) { return ALIGNED(p->widest * tile * 8); }

int64_t sqlrp_check(const void *given, int64_t length, int64_t tile) {
    program p;
    if (tile < 1 || tile > MOST_ROWS || !read_program(given, length, &p)) return 0;
    for (int64_t i = 0; i < p.count; i++)
        if (!checked(&p.operations[i])) return 0;
    return 2 * tile_bytes(&p, tile) + ALIGNED(tile * 8);
}

int64_t sqlrp_shape_of(const void *given, int64_t length, sqlrp_shape *shape) {
    program p;
    if (!read_program(given, length, &p)) return 0;
    *shape = (sqlrp_shape){p.entries, p.type, p.outputs, p.last, p.widest};
    return 1;
}

#define BY_TYPE(type, f, ...)                                                                                          \
    ((type) == SQLRP_FLOAT64 ? f##_of_double(__VA_ARGS__)                                                              \
                             : (type) == SQLRP_FLOAT32 ? f##_of_float(__VA_ARGS__) : f##_of_int64_t(__VA_ARGS__))

/* v / 10^digits, rounded once. */
static double decimal(int64_t v, double power, int64_t digits) {
    const int64_t exact = (int64_t)1 << 53;
    char written[48];
    if (v >= -exact && v <= exact) return (double)v / power;
    snprintf(written, sizeof written, "%llde-%d", (long long)v, (int)digits);
    return strtod(written, NULL);
}

static void read_units(const operation *op, const int64_t *x, double *out, int64_t n, int64_t tile) {
    double power = 1;
    for (int64_t digit = 0; digit < op->part; digit++) power *= 10;
    for (int64_t e = 0; e < op->n; e++)
        for (int64_t r = 0; r < n; r++) out[e * tile + r] = decimal(x[e * tile + r], power, op->part);
}

static void run_tile(const program *p, const sqlrp_matrix *matrix, const sqlrp_columns *columns, int64_t first, int64_t n,
                     const sqlrp_matrix *out, int64_t to, double factor, int64_t tile, uint8_t *memory) {
    void *x = memory, *y = memory + tile_bytes(p, tile), *row = memory + 2 * tile_bytes(p, tile);
    int64_t type = p->type;
    BY_TYPE(type, load, matrix, columns, p->entries, first, n, x, tile);
    for (int64_t i = 0; i < p->count; i++) {
        const operation *op = &p->operations[i];
        if (op->code == SQLRP_CAST) {
            int64_t next = op->part;
            BY_TYPE(next, read, type, x, tile, 1, op->n, 0, n, y, tile);
            type = next;
        } else if (op->code == SQLRP_UNITS) {
            read_units(op, x, y, n, tile);
            type = SQLRP_FLOAT64;
        } else {
            BY_TYPE(type, apply, op, x, tile, y, tile, n, row);
            if (op->code == SQLRP_RESCALE || op->code == SQLRP_POWER || op->code == SQLRP_ROOT || op->code == SQLRP_NORM) continue;
        }
        void *swapped = x;
        x = y;
        y = swapped;
    }
    BY_TYPE(type, store, x, tile, p->outputs, n, out, to, factor);
}

void sqlrp_run(const void *given, int64_t length, const sqlrp_matrix *matrix, const sqlrp_columns *columns, int64_t first,
               int64_t n, const sqlrp_matrix *out, int64_t to, double factor, int64_t tile, void *memory) {
    program p;
    if (!read_program(given, length, &p)) return;
    for (int64_t at = 0; at < n; at += tile)
        run_tile(&p, matrix, columns, first + at, MIN(tile, n - at), out, to + at, factor, tile, memory);
}

/* -- what is done without a program ------------------------------------------------------------------------------- */

/* h·f + b mod P = 2^31 - 1, up to P + 1, for h of up to P + 1 and f and b below P. */
INLINE uint64_t next(uint64_t h, uint64_t f, uint64_t b) {
    h = h * f + b;
    h = (h >> 31) + (h & 0x7FFFFFFF);
    return (h >> 31) + (h & 0x7FFFFFFF);
}

/* h(c, x), whose coefficients are `step` numbers apart. */
INLINE int64_t entry(const int64_t *restrict b, int64_t step, int64_t x) {
    uint64_t h = (uint64_t)b[7 * step];
    for (int64_t i = 6; i >= 0; i--) h = next(h, (uint64_t)x, (uint64_t)b[i * step]);
    return (int64_t)(h >= 0x7FFFFFFF ? h - 0x7FFFFFFF : h);
}

CLONES void sqlrp_signs(const int64_t *b, int64_t m, const int64_t *f, int64_t n, int64_t low, int64_t high, int8_t *out) {
    for (int64_t c = 0; c < m; c++) {
        int8_t *restrict o = out + c * n;
        for (int64_t j = 0; j < n; j++) {
            int64_t found = entry(b + c, m, f[j]);
            o[j] = (int8_t)((found < low) - (found >= low && found < high));
        }
    }
}

int64_t sqlrp_entry(const int64_t *b, int64_t x) { return entry(b, 1, x); }

double sqlrp_normal(const int64_t *first, const int64_t *second, int64_t x) {
    const double turn = 6.28318530717958647692, prime = 0x7FFFFFFF;
    return sqrt(-2 * log(((double)entry(first, 1, x) + 0.5) / prime)) * cos(turn * (((double)entry(second, 1, x) + 0.5) / prime));
}

void sqlrp_add_groups(int64_t type, const void *x, int64_t n, const int64_t *groups, int64_t low, int64_t high, void *out,
                      int64_t entries) {
    BY_TYPE(type, add_groups, x, n, groups, low, high, out, entries);
}

int64_t sqlrp_weights_of(const void *given, int64_t length, sqlrp_weights *weights, int64_t *sums) {
    program p;
    const operation *op = p.operations;
    if (!read_program(given, length, &p) || p.count != 1 || p.type != SQLRP_FLOAT64 || !checked(op)) return 0;
    *weights = (sqlrp_weights){op->type, op->m, op->weight, op->start, op->turn, op->index};
    *sums = p.entries;
    return op->code == SQLRP_SUMS || op->code == SQLRP_WEIGHTED;
}

int64_t sqlrp_draw_of(const void *given, int64_t length, sqlrp_draw *draw) {
    const int64_t *numbers = given, head = 8;
    if (length < 8 * head || numbers[0] != SQLRP_DRAWN) return 0;
    for (int64_t i = 1; i < head; i++)
        if (numbers[i] < 0 || numbers[i] > LARGEST) return 0;
    *draw = (sqlrp_draw){numbers[1], numbers[2], numbers[4], numbers[5], numbers[6], numbers[7], numbers + head};
    int64_t places = draw->sums;
    if (draw->blocks) places = draw->size && draw->buckets <= LARGEST / draw->size / draw->blocks ? draw->blocks * draw->size * draw->buckets : 0;
    return places == draw->sums && (!draw->blocks || places) && length == 8 * (head + 8 * sqlrp_vectors(draw));
}

void sqlrp_add_drawn(int64_t type, const int64_t *features, const void *values, int64_t n, const sqlrp_draw *draw, void *out) {
    if (draw->blocks)
        BY_TYPE(type, add_blocks, features, values, n, draw, out);
    else
        BY_TYPE(type, add_drawn, features, values, n, draw, out);
}

void sqlrp_add_cells(int64_t type, const int64_t *starts, const int64_t *slots, const void *values, int64_t n,
                     const sqlrp_weights *weights, void *out, int64_t sums) {
    BY_TYPE(type, add_cells, starts, slots, values, n, weights, out, sums);
}

/* An entry is listed before it is known to be shown, and the next one takes its place if it is not: a branch takes longer. */
#define SHOWN(K, Z)                                                                                                    \
    static void list_shown_##Z(const Z *z, int64_t k, const uint8_t *gone, int64_t first, int64_t last, int64_t *ends, \
                               int64_t *row, int64_t *component, Z *value) {                                           \
        for (int64_t r = first; r < last; r++) {                                                                       \
            int64_t at = row && r ? ends[r - 1] : 0;                                                                   \
            for (int64_t c = 0; c < k && (!row || at < ends[r]); c++) {                                          \
                if (row) row[at] = r, component[at] = c, value[at] = z[r * k + c];                                     \
                at += (c == 0) | gone[r] | (z[r * k + c] != 0);                                                        \
            }                                                                                                          \
            if (!row) ends[r] = at;                                                                                    \
        }                                                                                                              \
    }
RESULTS(SHOWN)

void sqlrp_list_shown(int64_t type, const void *z, int64_t k, const uint8_t *gone, int64_t first, int64_t last, int64_t *ends,
                      int64_t *row, int64_t *component, void *value) {
#define CASE(K, Z)                                                                                                     \
    case SQLRP_##K: list_shown_##Z(z, k, gone, first, last, ends, row, component, value); break;
    switch (type) { RESULTS(CASE) }
}
