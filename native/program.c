/* Operations of the kernel from lists of numbers. */
#include "program.h"

#include <math.h>

void *add(bytes *to, int64_t count, int64_t size) {
    if (count < 0 || count > MOST_MEMORY) to->failed = "the program does not fit into memory", count = 0;
    int64_t taken = (count * size + 7) / 8 * 8, room = 2 * (to->length + taken);
    if (!to->failed && to->length + taken > to->room) {
        uint8_t *data = room > 8 * MOST_MEMORY ? NULL : realloc(to->data, room);
        if (!data) to->failed = "the program does not fit into memory";
        to->data = data ? data : to->data;
        to->room = data ? room : to->room;
    }
    if (to->failed) return NULL;
    to->length += taken;
    return memset(to->data + to->length - taken, 0, taken);
}

void add_number(bytes *to, int64_t value) {
    int64_t *found = add(to, 1, 8);
    if (found) *found = value;
}
void add_copy(bytes *to, const void *from, int64_t count, int64_t size) {
    void *found = add(to, count, size);
    if (found && from && count) memcpy(found, from, (size_t)(count * size));
}
static void add_two(bytes *to, int64_t first, int64_t second) { add_number(to, first), add_number(to, second); }
static void put(void *to, int64_t type, int64_t i, double value) {
    if (type == SQLRP_FLOAT64)
        ((double *)to)[i] = value;
    else if (type == SQLRP_FLOAT32)
        ((float *)to)[i] = (float)value;
    else
        ((int64_t *)to)[i] = fabs(value) < 9e18 ? (int64_t)value : 0;
}

static int64_t number_of(const arguments *a, int64_t i) { return i < a->given ? a->numbers[i] : 0; }
static const void *list_of(const lists *from, int64_t i, int64_t *length) {
    int there = i < from->count;
    *length = there ? (int64_t)from->entries[i].length : 0;
    return (const int64_t *)from->numbers + (there ? from->entries[i].offset : 0);
}

/* n numbers of the tile's type: those of list i. */
static void add_values(bytes *to, const arguments *a, int64_t i, int64_t n) {
    int64_t length;
    const double *w = list_of(&a->weight, i, &length);
    void *o = add(to, n, width(a->type));
    if (length != n) to->failed = "the weights have another length than the lists";
    for (int64_t j = 0; j < n && !to->failed; j++) put(o, a->type, j, w[j]);
}

/* The head of m sums of so many terms in all. Returns where they start: m + 1 zeros. */
static int64_t *add_starts(bytes *to, int64_t m, int64_t terms) {
    add_two(to, m, terms);
    return add(to, m < LARGEST ? m + 1 : m, 8);
}

/* The tables of m signed sums, without their numbers. Those of the terms are the last. */
static int32_t *add_signed(bytes *to, const arguments *a, int64_t m, int64_t terms) {
    add_starts(to, m, terms);
    add(to, m, 8);
    add(to, m, width(a->type));
    return add(to, terms, 4);
}

/* Positions count from 1, or -1 for those that are subtracted; or from n + 1. numbers: n */
static void add_sums(bytes *to, const arguments *a) {
    int64_t m = a->index.count, n = number_of(a, 0), terms = 0, starts = to->length / 8 + 2, turns = starts + m + 1, length;
    for (int64_t c = 0; c < m; c++) list_of(&a->index, c, &length), terms += length;
    int32_t *index = add_signed(to, a, m, terms);
    for (int64_t c = 0, at = 0; c < m && index; c++) {
        const int64_t *p = list_of(&a->index, c, &length);
        for (int minus = 0; minus < 2; minus++) {
            for (int64_t j = 0; j < length; j++)
                if ((p[j] < 0 || p[j] > n) == minus) index[at++] = (int32_t)((p[j] < 0 ? -p[j] : p[j] - minus * n) - 1);
            ((int64_t *)to->data)[minus ? starts + c + 1 : turns + c] = at;
        }
    }
}

/* Sums with drawn signs. lists: the eight coefficients of each component. numbers: n, low, high, and the number of the last feature
 * if it is no position */
static void add_signs(bytes *to, const arguments *a) {
    int64_t m = a->index.count, n = number_of(a, 0), terms = 0, length;
    int fits = n >= 0 && n <= MOST_MEMORY && m * n <= 8 * MOST_MEMORY;
    int64_t *f = fits ? malloc(n * 8 + 1) : NULL;
    int8_t *signs = fits ? malloc(m * n + 1) : NULL;
    if (!f || !signs) to->failed = "there are too many signs to draw";
    for (int64_t j = 0; j < n && f; j++) f[j] = j == n - 1 && number_of(a, 3) ? number_of(a, 3) : j;
    for (int64_t c = 0; c < m && !to->failed; c++) {
        const int64_t *b = list_of(&a->index, c, &length);
        if (length != 8) to->failed = "a component needs eight coefficients";
        if (length == 8) sqlrp_signs(b, 1, f, n, number_of(a, 1), number_of(a, 2), signs + c * n);
        for (int64_t j = 0; j < n && length == 8; j++) terms += signs[c * n + j] != 0;
    }
    int64_t starts = to->length / 8 + 2, turns = starts + m + 1;
    int32_t *index = add_signed(to, a, m, terms);
    for (int64_t c = 0, at = 0; c < m && index; c++)
        for (int8_t sign = 1; sign >= -1; sign -= 2) {
            for (int64_t j = 0; j < n; j++)
                if (signs[c * n + j] == sign) index[at++] = (int32_t)j;
            ((int64_t *)to->data)[sign == 1 ? turns + c : starts + c + 1] = at;
        }
    free(f), free(signs);
}

/* Sums of products of `degree` factors each. lists: the sum of each product, in their order, and the factors of all; both count from 0, and the
 * factor -1 is 1. numbers: sums, and the degree of products. weights: one list, or none. `based`: sums have bases, which are 0 */
static void add_terms(bytes *to, const arguments *a, int64_t degree, int based) {
    int64_t m = number_of(a, 0), terms, factors, last = 0;
    const int64_t *c = list_of(&a->index, 0, &terms), *f = list_of(&a->index, 1, &factors);
    if (degree < 1 || factors % degree || factors / degree != terms) to->failed = "the products do not fit their factors";
    int64_t *start = add_starts(to, m, terms);
    for (int64_t i = 0; i < terms && !to->failed; last = c[i++])
        if (c[i] < last || c[i] >= m)
            to->failed = "the sums of products are not in their order";
        else
            start[c[i] + 1]++;
    for (int64_t s = 0; s < m && start; s++) start[s + 1] += start[s];
    if (based) add(to, m, width(a->type));
    if (based || a->weight.count) add_values(to, a, 0, terms);
    int32_t *index = add(to, factors, 4);
    for (int64_t i = 0; i < factors && index; i++) index[i] = (int32_t)(f[i] < -1 || f[i] > LARGEST ? INT32_MAX : f[i]);
}

static void add_weighted(bytes *to, const arguments *a) { add_terms(to, a, 1, 1); }
/* Sums of all n entries, with normal weights. lists: the eight coefficients of two components for each sum. numbers: sums, n, and the
 * number of the last feature if it is no position */
static void add_full(bytes *to, const arguments *a) {
    int64_t m = number_of(a, 0), n = number_of(a, 1), first, second;
    if (m < 0 || n < 0 || m > MOST_MEMORY || n > MOST_MEMORY || m * n > MOST_MEMORY) to->failed = "there are too many weights", m = n = 0;
    int64_t *start = add_starts(to, m, m * n);
    for (int64_t c = 0; c <= m && start; c++) start[c] = c * n;
    add(to, m, width(a->type));
    void *drawn = add(to, m * n, width(a->type));
    for (int64_t c = 0; c < m && drawn && !to->failed; c++) {
        const int64_t *b = list_of(&a->index, 2 * c, &first), *other = list_of(&a->index, 2 * c + 1, &second);
        if (first != 8 || second != 8) to->failed = "a component needs eight coefficients";
        for (int64_t f = 0; f < n && !to->failed; f++)
            put(drawn, a->type, c * n + f, sqlrp_normal(b, other, f == n - 1 && number_of(a, 2) ? number_of(a, 2) : f));
    }
    int32_t *index = add(to, m * n, 4);
    for (int64_t i = 0; i < m * n && index; i++) index[i] = (int32_t)(i % n);
}
static void add_products(bytes *to, const arguments *a) {
    add_two(to, number_of(a, 1), a->weight.count > 0);
    add_terms(to, a, number_of(a, 1), 0);
}

/* A list of positions, of which `base` is the first. */
static void add_picked(bytes *to, const arguments *a, int64_t i, int64_t base) {
    int64_t n;
    const int64_t *p = list_of(&a->index, i, &n);
    add_number(to, n);
    int32_t *o = add(to, n, 4);
    for (int64_t j = 0; j < n && o; j++) o[j] = (int32_t)(p[j] - base);
}

/* lists: the signs of the entries, and the sample of the transform. numbers: n and the length of the transform */
static void add_butterfly(bytes *to, const arguments *a) {
    int64_t n, padded = number_of(a, 1);
    const int64_t *flips = list_of(&a->index, 0, &n);
    add_two(to, padded, padded);
    int32_t *places = add(to, n, 4);
    for (int64_t f = 0; f < n && places; f++) places[f] = (int32_t)f;
    int8_t *signs = add(to, n, 1);
    for (int64_t f = 0; f < n && signs; f++) signs[f] = flips[f] < 0 ? -1 : 1;
    add_number(to, SQLRP_PICK);
    add_picked(to, a, 1, 0);
}

/* numbers: the size of a vector, and the number of vectors */
static void add_convolve(bytes *to, const arguments *a) { add_two(to, number_of(a, 0), number_of(a, 1)); }

/* weights: n. lists: one list of positions */
static void add_reflect(bytes *to, const arguments *a) {
    add_values(to, a, 0, 1);
    add_picked(to, a, 0, 1);
}

/* numbers: n and the number of operations */
static void add_head(bytes *to, const arguments *a) {
    add_two(to, SQLRP_FORMAT, number_of(a, 0));
    add_two(to, a->type, number_of(a, 1));
}

static void add_append(bytes *to, const arguments *a) { add_values(to, a, 0, 1); }
static void add_type(bytes *to, const arguments *a) { add_number(to, a->type); }
/* numbers: the digits */
static void add_units(bytes *to, const arguments *a) { add_number(to, number_of(a, 0)); }
static const struct {
    const char *name;
    int64_t code;
    void (*add)(bytes *to, const arguments *a);
} OPERATIONS[] = {
    {"head", 0, add_head},
    {"signs", SQLRP_SUMS, add_signs}, {"sums", SQLRP_SUMS, add_sums},
    {"weighted", SQLRP_WEIGHTED, add_weighted}, {"full", SQLRP_WEIGHTED, add_full},
    {"products", SQLRP_PRODUCTS, add_products}, {"convolve", SQLRP_CONVOLVE, add_convolve},
    {"butterfly", SQLRP_BUTTERFLY, add_butterfly}, {"reflect", SQLRP_REFLECT, add_reflect},
    {"append", SQLRP_APPEND, add_append}, {"cast", SQLRP_CAST, add_type}, {"units", SQLRP_UNITS, add_units},
};

void add_operation(bytes *to, const char *name, const arguments *a) {
    size_t i = 0, known_names = sizeof OPERATIONS / sizeof *OPERATIONS;
    while (i < known_names && strcmp(name, OPERATIONS[i].name) != 0) i++;
    if (i == known_names) to->failed = "no operation of the kernel has this name";
    if (!to->failed && OPERATIONS[i].code) add_number(to, OPERATIONS[i].code);
    if (!to->failed) OPERATIONS[i].add(to, a);
}
