/* The extension of DuckDB: the kernel as scalar functions, and the macros of sql/duckdb.sql.
 *
 *     sqlrp_kernel_code(name, type, numbers BIGINT[], lists BIGINT[][], weights DOUBLE[][]) → BLOB
 *         the head of a program, or an operation of it; || joins them. `type`: FLOAT, DOUBLE, or any type of integers
 *     sqlrp_kernel_float(program, factor, nulls, x …) → FLOAT[], and so _double, _integer and _bigint
 *         the program over columns, or over one list or array; or over sums of cells, where x are their weights (a program
 *         from sums to features) and two lists, of features and values. `nulls`: propagate, zero or error, as in the macros
 *     sqlrp_kernel_float_16(…) → STRUCT of 16 FLOAT, and so _32 … _1024: the first entries are the results. DuckDB reads
 *         its fields where they lie, but takes the elements of a list out row by row
 *
 * Any bytes may be given as a program, as the kernel checks them in every chunk: that takes as long as one row.
 */
#include "duckdb_extension.h"
#include "sqlrp.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

DUCKDB_EXTENSION_EXTERN

#include "sqlrp_macros.h" /* sql/extension/build.py writes the statements of sql/duckdb.sql there */

#define MOST_MEMORY ((int64_t)1 << 26)
#define FITTING_MEMORY ((int64_t)3 << 18)
#define MOST_TILE 256
#define LEAST_TILE 16
#define ERROR_SIZE 256
#define MOST_FIELDS 1024
#define OF_BYTES -2

/* -- what DuckDB hands over ---------------------------------------------------------------------------------------- */

static duckdb_vector argument(duckdb_data_chunk input, idx_t i) { return duckdb_data_chunk_get_vector(input, i); }
static int known(const uint64_t *valid, idx_t at) { return !valid || valid[at / 64] >> at % 64 & 1; }
static int valid_at(duckdb_vector vector, idx_t row) { return known(duckdb_vector_get_validity(vector), row); }

/* A text or a blob; NULL has no bytes. */
static const char *text_at(duckdb_vector vector, idx_t row, int64_t *length) {
    *length = 0;
    duckdb_string_t *s = duckdb_vector_get_data(vector);
    if (!s || !valid_at(vector, row)) return "";
    *length = duckdb_string_t_length(s[row]);
    return duckdb_string_t_data(s + row);
}

static int is_text(duckdb_vector vector, idx_t row, const char *wanted) {
    int64_t length;
    const char *text = text_at(vector, row, &length);
    return length == (int64_t)strlen(wanted) && !memcmp(text, wanted, length);
}

static duckdb_list_entry list_at(duckdb_vector vector, idx_t row) {
    const duckdb_list_entry *entries = duckdb_vector_get_data(vector);
    return entries && valid_at(vector, row) ? entries[row] : (duckdb_list_entry){0, 0};
}

/* Whether the elements of a list are all there. What stands in the place of a NULL was never written. */
static int whole(duckdb_vector child, duckdb_list_entry list) {
    const uint64_t *valid = duckdb_vector_get_validity(child);
    idx_t at = list.offset, end = list.offset + list.length;
    while (at < end && known(valid, at)) at++;
    return at == end;
}

/* Whether two rows have the same text or blob. */
static int same_text(duckdb_vector vector, idx_t row, idx_t other) {
    int64_t length, theirs;
    const char *text = text_at(vector, row, &length), *found = text_at(vector, other, &theirs);
    return length == theirs && valid_at(vector, row) == valid_at(vector, other) && (text == found || !memcmp(text, found, length));
}

/* A program, which DuckDB may keep at any address, at a multiple of 8. */
static const void *aligned(const void *given, int64_t length, void **copy) {
    *copy = (uintptr_t)given % 8 ? malloc((size_t)length) : NULL;
    return *copy ? memcpy(*copy, given, (size_t)length) : given;
}

static void report(duckdb_function_info info, const char *failed) {
    char words[ERROR_SIZE + 8];
    snprintf(words, sizeof words, "sqlrp: %s", failed);
    duckdb_scalar_function_set_error(info, words);
}

/* -- operations from lists ------------------------------------------------------------------------------------------ */

/* Bytes that grow. After a failure nothing is added. */
typedef struct {
    uint8_t *data;
    int64_t length, room;
    const char *failed;
} bytes;

static void *add(bytes *to, int64_t count, int64_t size) {
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

static void add_number(bytes *to, int64_t value) {
    int64_t *found = add(to, 1, 8);
    if (found) *found = value;
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

/* Lists of lists of numbers of 8 bytes. A NULL is an empty list. */
typedef struct {
    duckdb_vector inner;
    duckdb_list_entry all;
} lists;

static int all_whole(const lists *from) {
    duckdb_vector numbers = duckdb_list_vector_get_child(from->inner);
    idx_t i = 0;
    while (i < from->all.length && whole(numbers, list_at(from->inner, from->all.offset + i))) i++;
    return i == from->all.length;
}

/* The arguments of sqlrp_kernel_code in a row. A number that is not given is 0. */
typedef struct {
    const int64_t *numbers;
    int64_t given, type;
    lists index, weight;
} arguments;

static int64_t number_of(const arguments *a, int64_t i) { return i < a->given ? a->numbers[i] : 0; }
static const void *list_of(const lists *from, int64_t i, int64_t *length) {
    duckdb_list_entry none = {0, 0}, e = i < (int64_t)from->all.length ? list_at(from->inner, from->all.offset + i) : none;
    *length = (int64_t)e.length;
    return (const int64_t *)duckdb_vector_get_data(duckdb_list_vector_get_child(from->inner)) + e.offset;
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
    int64_t m = (int64_t)a->index.all.length, n = number_of(a, 0), terms = 0, starts = to->length / 8 + 2, turns = starts + m + 1, length;
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

/* Sums with drawn signs. lists: the eight coefficients of each component. numbers: n, low, high, the
 * number of the last feature if it is no position, and 1 if features are the sums, of components */
static void add_signs(bytes *to, const arguments *a) {
    int64_t m = (int64_t)a->index.all.length, n = number_of(a, 0), turned = number_of(a, 4) == 1, terms = 0, length;
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
    int64_t sums = turned ? n : m, starts = to->length / 8 + 2, turns = starts + sums + 1;
    int32_t *index = add_signed(to, a, sums, terms);
    for (int64_t c = 0, at = 0; c < sums && index; c++)
        for (int8_t sign = 1; sign >= -1; sign -= 2) {
            for (int64_t j = 0; j < (turned ? m : n); j++)
                if (signs[turned ? j * n + c : c * n + j] == sign) index[at++] = (int32_t)j;
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
    if (based || a->weight.all.length) add_values(to, a, 0, terms);
    int32_t *index = add(to, factors, 4);
    for (int64_t i = 0; i < factors && index; i++) index[i] = (int32_t)(f[i] < -1 || f[i] > LARGEST ? INT32_MAX : f[i]);
}

static void add_weighted(bytes *to, const arguments *a) { add_terms(to, a, 1, 1); }
/* Sums of all n entries, with normal weights. lists: the eight coefficients of two components for each sum. numbers: sums, n, and the
 * number of the last feature if it is no position. weights: in place of the lists, one list of the weights of each sum in turn */
static void add_full(bytes *to, const arguments *a) {
    int64_t m = number_of(a, 0), n = number_of(a, 1), first, second;
    if (m < 0 || n < 0 || m > MOST_MEMORY || n > MOST_MEMORY || m * n > MOST_MEMORY) to->failed = "there are too many weights", m = n = 0;
    int64_t *start = add_starts(to, m, m * n);
    for (int64_t c = 0; c <= m && start; c++) start[c] = c * n;
    add(to, m, width(a->type));
    if (a->weight.all.length) add_values(to, a, 0, m * n);
    void *drawn = a->weight.all.length ? NULL : add(to, m * n, width(a->type));
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
    add_two(to, number_of(a, 1), a->weight.all.length > 0);
    add_terms(to, a, number_of(a, 1), 0);
}

/* numbers: the degree. weights: what is added */
static void add_power(bytes *to, const arguments *a) {
    add_values(to, a, 0, 1);
    add_number(to, number_of(a, 0));
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

static void add_rescale(bytes *to, const arguments *a) {
    add_values(to, a, 0, number_of(a, 0));
    add_values(to, a, 1, number_of(a, 0));
}
static void add_append(bytes *to, const arguments *a) { add_values(to, a, 0, 1); }
static void add_type(bytes *to, const arguments *a) { add_number(to, a->type); }
static void add_nothing(bytes *to, const arguments *a) { (void)to, (void)a; }
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
    {"append", SQLRP_APPEND, add_append}, {"rescale", SQLRP_RESCALE, add_rescale}, {"power", SQLRP_POWER, add_power},
    {"root", SQLRP_ROOT, add_nothing}, {"norm", SQLRP_NORM, add_nothing}, {"cast", SQLRP_CAST, add_type},
};

static void write_code(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
    duckdb_vector numbers = argument(input, 2), index = argument(input, 3), weight = argument(input, 4);
    size_t known = sizeof OPERATIONS / sizeof *OPERATIONS;
    const char *failed = NULL;
    for (idx_t r = 0; r < duckdb_data_chunk_get_size(input) && !failed; r++) {
        bytes to = {0};
        size_t i = 0;
        duckdb_list_entry e = list_at(numbers, r);
        const int64_t *first = duckdb_vector_get_data(duckdb_list_vector_get_child(numbers));
        arguments a = {first + e.offset, (int64_t)e.length, SQLRP_INT64, {duckdb_list_vector_get_child(index), list_at(index, r)},
                       {duckdb_list_vector_get_child(weight), list_at(weight, r)}};
        if (is_text(argument(input, 1), r, "FLOAT")) a.type = SQLRP_FLOAT32;
        if (is_text(argument(input, 1), r, "DOUBLE")) a.type = SQLRP_FLOAT64;
        if (!whole(duckdb_list_vector_get_child(numbers), e) || !all_whole(&a.index) || !all_whole(&a.weight))
            to.failed = "a list of numbers has a NULL: give every number";
        while (i < known && !is_text(argument(input, 0), r, OPERATIONS[i].name)) i++;
        if (i == known) to.failed = "no operation of the kernel has this name";
        if (!to.failed && OPERATIONS[i].code) add_number(&to, OPERATIONS[i].code);
        if (!to.failed) OPERATIONS[i].add(&to, &a);
        failed = to.failed;
        if (!failed) duckdb_vector_assign_string_element_len(output, r, (const char *)to.data, (idx_t)to.length);
        free(to.data);
    }
    if (failed) report(info, failed);
}

/* -- programs over chunks ------------------------------------------------------------------------------------------- */

/* Rows of a chunk with one program: `rows` from row `first` on, whose results come after `at` others in the list. */
typedef struct {
    duckdb_data_chunk input;
    const void *program;
    int64_t length, tile, type, most; /* type: of the results; most: the fields of the struct, 0 for a list */
    sqlrp_shape shape;
    double factor;
    idx_t first, rows, columns, at;
    int cells; /* the arguments are a table, and lists of features and values */
    uint8_t *missing, *out;
    void *memory, **fields;
    char words[ERROR_SIZE];
} job;

static const char NO_MEMORY[] = "a chunk does not fit into memory: lower k, or use lowering := 'indexed'";
static void fail(job *j, const char *words) { snprintf(j->words, sizeof j->words, "%s", words); }

/* The type of numbers, OF_BYTES or -1; and the number of elements of an array, -1 for a list and 0 for a number. */
static int64_t type_of(duckdb_vector vector, int64_t *elements) {
    static const int8_t known[] = {
        [DUCKDB_TYPE_DOUBLE] = 1 + SQLRP_FLOAT64,  [DUCKDB_TYPE_FLOAT] = 1 + SQLRP_FLOAT32,    [DUCKDB_TYPE_TINYINT] = 1 + SQLRP_INT8,
        [DUCKDB_TYPE_BOOLEAN] = 1 + SQLRP_UINT8,   [DUCKDB_TYPE_UTINYINT] = 1 + SQLRP_UINT8,   [DUCKDB_TYPE_SMALLINT] = 1 + SQLRP_INT16,
        [DUCKDB_TYPE_USMALLINT] = 1 + SQLRP_UINT16, [DUCKDB_TYPE_INTEGER] = 1 + SQLRP_INT32,   [DUCKDB_TYPE_UINTEGER] = 1 + SQLRP_UINT32,
        [DUCKDB_TYPE_BIGINT] = 1 + SQLRP_INT64,    [DUCKDB_TYPE_UBIGINT] = 1 + SQLRP_UINT64,   [DUCKDB_TYPE_BLOB] = 1 + OF_BYTES};
    duckdb_logical_type type = duckdb_vector_get_column_type(vector), child = NULL;
    duckdb_type id = duckdb_get_type_id(type);
    *elements = id == DUCKDB_TYPE_LIST ? -1 : id == DUCKDB_TYPE_ARRAY ? (int64_t)duckdb_array_type_array_size(type) : 0;
    if (*elements) {
        child = id == DUCKDB_TYPE_LIST ? duckdb_list_type_child_type(type) : duckdb_array_type_child_type(type);
        id = duckdb_get_type_id(child);
        duckdb_destroy_logical_type(&child);
    }
    duckdb_destroy_logical_type(&type);
    return (size_t)id < sizeof known ? known[id] - 1 : -1;
}
static int readable(job *j, int64_t type) {
    if (type < 0) fail(j, "the kernel reads FLOAT, DOUBLE and integers of up to 64 bits: cast the others");
    if (j->shape.type == SQLRP_INT64 && (type == SQLRP_FLOAT64 || type == SQLRP_FLOAT32))
        fail(j, "the program is for integers, and a column holds floats: cast it");
    return !*j->words;
}

/* Rows of a source, of which `from` is the first, as results from that of row `row` of the chunk on. */
static void run(job *j, const sqlrp_matrix *matrix, const sqlrp_columns *columns, idx_t from, idx_t n, idx_t row) {
    sqlrp_matrix result = {j->type, j->out, 1, j->most ? 1 : j->shape.outputs, j->most ? j->fields : NULL};
    int64_t to = (int64_t)(j->most ? row : row - j->first);
    sqlrp_run(j->program, j->length, matrix, columns, (int64_t)from, (int64_t)n, &result, to, j->factor, j->tile, j->memory);
}

static void run_columns(job *j) {
    int64_t n = (int64_t)j->columns, elements, *table = calloc(5 * (size_t)n + 1, 8);
    sqlrp_columns columns = {table, table + n, table + 2 * n, table + 3 * n, (double *)(table + 4 * n), j->missing};
    if (!table) fail(j, NO_MEMORY);
    for (int64_t e = 0; e < n && !*j->words; e++) {
        duckdb_vector v = argument(j->input, (idx_t)e + 3);
        table[e] = (int64_t)(intptr_t)duckdb_vector_get_data(v);
        table[n + e] = type_of(v, &elements);
        table[3 * n + e] = (int64_t)(intptr_t)duckdb_vector_get_validity(v);
        if (readable(j, table[n + e]) && elements) fail(j, "give one list or array, or columns of numbers");
    }
    if (!*j->words) run(j, NULL, &columns, j->first, j->rows, j->first);
    free(table);
}

/* Rows that have no NULL and lie side by side are read where they are. Others are copied, as many at a time as a tile holds. */
static void run_lists(job *j, duckdb_vector v, int64_t elements, int64_t type) {
    int64_t n = j->shape.entries, size = width(type), list = elements < 0;
    duckdb_vector child = list ? duckdb_list_vector_get_child(v) : duckdb_array_vector_get_child(v);
    const uint8_t *data = duckdb_vector_get_data(child);
    uint64_t *valid = duckdb_vector_get_validity(child);
    int side = !duckdb_vector_get_validity(v) && !valid;
    idx_t begin = list ? list_at(v, j->first).offset : j->first * (idx_t)n, last = j->first + j->rows;
    for (idx_t r = j->first; r < last; r++) {
        int64_t length = list ? (int64_t)list_at(v, r).length : elements;
        if (list && list_at(v, r).offset != begin + (r - j->first) * (idx_t)n) side = 0;
        if (length == n || !valid_at(v, r)) continue;
        snprintf(j->words, ERROR_SIZE, "a row has %lld features, and the program is for %lld", (long long)length, (long long)n);
        return;
    }
    sqlrp_matrix matrix = {type, (void *)(data + begin * (idx_t)size), 1, n, NULL};
    if (side) {
        run(j, &matrix, NULL, 0, j->rows, j->first);
        return;
    }
    uint8_t *copy = matrix.data = calloc((size_t)(j->tile * n * size) + 1, 1);
    if (!copy) fail(j, NO_MEMORY);
    for (idx_t first = j->first, rows; first < last && copy; first += rows) {
        rows = MIN((idx_t)j->tile, last - first);
        for (idx_t r = first; r < first + rows; r++) {
            uint8_t *row = copy + (int64_t)(r - first) * n * size;
            idx_t offset = list ? list_at(v, r).offset : r * (idx_t)n;
            j->missing[r] = !valid_at(v, r);
            memset(row, 0, (size_t)(n * size));
            for (int64_t e = 0, there = !j->missing[r]; e < n; e++) {
                int filled = there && known(valid, offset + (idx_t)e);
                j->missing[r] |= !filled;
                if (filled) memcpy(row + e * size, data + (offset + (idx_t)e) * (idx_t)size, (size_t)size);
            }
        }
        run(j, &matrix, NULL, 0, rows, first);
    }
    free(copy);
}

/* Add the cells of a row to its sums, as many at a time as have both numbers. A cell without a feature is left out. */
static void add_row(job *j, idx_t row, const sqlrp_weights *weights, void *sums) {
    duckdb_vector features = argument(j->input, 4), values = argument(j->input, 5);
    duckdb_vector all = duckdb_list_vector_get_child(features), theirs = duckdb_list_vector_get_child(values);
    const uint64_t *placed = duckdb_vector_get_validity(all), *valued = duckdb_vector_get_validity(theirs);
    duckdb_list_entry f = list_at(features, row), v = list_at(values, row);
    const int64_t *slots = (const int64_t *)duckdb_vector_get_data(all) + f.offset;
    const uint8_t *from = (const uint8_t *)duckdb_vector_get_data(theirs) + v.offset * (idx_t)width(j->shape.type);
    j->missing[row] = !valid_at(features, row) || !valid_at(values, row);
    if (f.length != v.length && !j->missing[row]) fail(j, "a row has another number of features than of values");
    for (idx_t i = 0, end; i < MIN(f.length, v.length); i = end + 1) {
        for (end = i; end < MIN(f.length, v.length) && known(placed, f.offset + end) && known(valued, v.offset + end);) end++;
        sqlrp_add_cells(j->shape.type, (int64_t[]){(int64_t)i, (int64_t)end}, slots, from, 1, weights, sums, j->shape.entries);
        j->missing[row] |= end < v.length && !known(valued, v.offset + end);
    }
}

/* Rows of cells. The sums are those of as many rows at a time as a tile holds. */
static void run_cells(job *j) {
    int64_t type = j->shape.type, n = j->shape.entries, size = n * width(type), length, sums, lists[2];
    const void *given = text_at(argument(j->input, 3), j->first, &length), *table;
    void *copy = NULL;
    uint8_t *rows = malloc((size_t)(j->tile * size) + 1);
    sqlrp_matrix matrix = {type, rows, 1, n, NULL};
    sqlrp_weights weights;
    if (type_of(argument(j->input, 4), lists) != SQLRP_INT64 || type_of(argument(j->input, 5), lists + 1) != type || lists[0] >= 0 || lists[1] >= 0)
        fail(j, "the cells of rows are lists of features of BIGINT and of values of the program's type");
    else if (!sqlrp_weights_of(table = aligned(given, length, &copy), length, &weights, &sums) || sums != n)
        fail(j, "the table is not one of weights for this program");
    else if (!rows)
        fail(j, NO_MEMORY);
    for (idx_t first = j->first, last = first + j->rows, some; first < last && !*j->words; first += some) {
        some = MIN((idx_t)j->tile, last - first);
        memset(rows, 0, some * (size_t)size);
        for (idx_t r = first; r < first + some && !*j->words; r++) add_row(j, r, &weights, rows + (int64_t)(r - first) * size);
        if (!*j->words) run(j, &matrix, NULL, 0, some, first);
    }
    free(copy), free(rows);
}

/* Find the program of row `first`, and how many rows have the same. */
static int next_job(job *j, idx_t size) {
    duckdb_vector programs = argument(j->input, 0), factors = argument(j->input, 1);
    const double *factor = duckdb_vector_get_data(factors);
    j->program = text_at(programs, j->first, &j->length);
    j->factor = valid_at(factors, j->first) ? factor[j->first] : 1;
    for (j->rows = 1; j->first + j->rows < size; j->rows++) {
        idx_t r = j->first + j->rows;
        if (!same_text(programs, j->first, r) || (j->cells && !same_text(argument(j->input, 3), j->first, r))) break;
        if ((valid_at(factors, r) ? factor[r] : 1) != j->factor) break;
    }
    return valid_at(programs, j->first);
}

/* Whether the program can run. The bytes that it needs are left in `need`. */
static int ready(job *j, int64_t *need) {
    const char *wrong =
        !sqlrp_shape_of(j->program, j->length, &j->shape) ? "the first argument is not a program of this version of the kernel"
        : j->shape.last != SQLRP_INT64 && (j->type == SQLRP_INT32 || j->type == SQLRP_INT64)
            ? "the program gives floats: use sqlrp_kernel_float or sqlrp_kernel_double"
        : !isfinite(j->factor) && j->shape.last == SQLRP_INT64 ? "the factor of integers must be finite"
        : j->most && j->shape.outputs > j->most ? "the program gives more numbers than the function has fields"
        : 16 * j->shape.widest * LEAST_TILE > MOST_MEMORY || j->shape.outputs > LARGEST / (int64_t)j->rows ? NO_MEMORY : NULL;
    if (wrong) return fail(j, wrong), 0;
    for (j->tile = LEAST_TILE; 2 * j->tile <= MOST_TILE && 32 * j->shape.widest * j->tile <= FITTING_MEMORY;) j->tile *= 2;
    *need = sqlrp_check(j->program, j->length, j->tile);
    if (!*need) fail(j, "an index of the program is not one of its entries");
    return !*j->words;
}

static void run_job(job *j, duckdb_vector output) {
    int64_t elements = 0, type = -1, need = 0;
    uint8_t *memory = NULL;
    void *copy;
    j->program = aligned(j->program, j->length, &copy);
    if (ready(j, &need)) {
        idx_t total = j->at + j->rows * (idx_t)j->shape.outputs;
        memory = malloc((size_t)need + 64);
        if (memory) j->memory = memory + (64 - (uintptr_t)memory % 64);
        if (!memory || (!j->most && (duckdb_list_vector_reserve(output, total) != DuckDBSuccess ||
                                     duckdb_list_vector_set_size(output, total) != DuckDBSuccess)))
            fail(j, NO_MEMORY);
    }
    if (!*j->words) {
        if (!j->most) j->out = (uint8_t *)duckdb_vector_get_data(duckdb_list_vector_get_child(output)) + (int64_t)j->at * width(j->type);
        for (int64_t e = 0; e < j->most; e++) j->fields[e] = duckdb_vector_get_data(duckdb_struct_vector_get_child(output, (idx_t)e));
        if (j->columns == 1) type = type_of(argument(j->input, 3), &elements);
        if (elements && readable(j, type)) run_lists(j, argument(j->input, 3), elements, type);
        if (j->cells)
            run_cells(j);
        else if (!elements && (int64_t)j->columns != j->shape.entries)
            snprintf(j->words, ERROR_SIZE, "%lld columns were given to a program for %lld", (long long)j->columns,
                     (long long)j->shape.entries);
        else if (!elements)
            run_columns(j);
    }
    free(copy);
    free(memory);
}

/* Make rows NULL. */
static void take_away(duckdb_vector vector, idx_t first, idx_t n) {
    duckdb_vector_ensure_validity_writable(vector);
    uint64_t *valid = duckdb_vector_get_validity(vector);
    for (idx_t r = first; r < first + n; r++) valid[r / 64] &= ~((uint64_t)1 << r % 64);
}

static void run_chunk(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
    idx_t size = duckdb_data_chunk_get_size(input);
    const int64_t *own = duckdb_scalar_function_get_extra_info(info);
    void *fields[MOST_FIELDS];
    job j = {.input = input, .type = own[0], .most = own[1], .fields = fields};
    j.columns = duckdb_data_chunk_get_column_count(input) - 3;
    int64_t elements = 0;
    j.cells = j.columns == 3 && type_of(argument(input, 3), &elements) == OF_BYTES && !elements; /* not a list of blobs */
    j.missing = calloc(size + 1, 1);
    if (!j.missing) fail(&j, NO_MEMORY);
    for (j.first = 0; j.first < size && !*j.words; j.first += j.rows) {
        int given = next_job(&j, size);
        if (given) run_job(&j, output);
        idx_t m = given ? (idx_t)j.shape.outputs : 0;
        for (idx_t r = j.first; r < j.first + j.rows && !*j.words; r++, j.at += m) {
            if (!j.most) ((duckdb_list_entry *)duckdb_vector_get_data(output))[r] = (duckdb_list_entry){j.at, m};
            if (given && (!j.missing[r] || is_text(argument(input, 2), r, "zero"))) continue;
            if (given && is_text(argument(input, 2), r, "error"))
                fail(&j, "a feature is NULL and nulls = 'error': clean the row, or use nulls = 'zero' or 'propagate'");
            take_away(output, r, 1);
            for (idx_t e = 0; e < (idx_t)j.most && e < m; e++) take_away(duckdb_struct_vector_get_child(output, e), r, 1);
        }
        for (idx_t e = m; e < (idx_t)j.most && !*j.words; e++) take_away(duckdb_struct_vector_get_child(output, e), j.first, j.rows);
    }
    free(j.missing);
    if (*j.words) report(info, j.words);
}

/* -- what loading brings ------------------------------------------------------------------------------------------- */

/* A type of so many levels of lists, or of a struct of so many fields, which have no names. */
static duckdb_logical_type type_with(duckdb_type id, int64_t levels, int64_t fields) {
    const char *names[MOST_FIELDS]; /* several databases may load at once: nothing that is written is shared */
    duckdb_logical_type type = duckdb_create_logical_type(id), members[MOST_FIELDS];
    for (int64_t e = 0; e < fields; e++) members[e] = type, names[e] = "";
    for (int64_t level = fields ? 1 : levels; level; level--) {
        duckdb_logical_type more = fields ? duckdb_create_struct_type(members, names, (idx_t)fields) : duckdb_create_list_type(type);
        duckdb_destroy_logical_type(&type);
        type = more;
    }
    return type;
}

/* A function of parameters with so many levels of lists each, and perhaps of any others. */
static int add_function(duckdb_connection connection, const char *name, const duckdb_type *types, const int *levels, idx_t n,
                        duckdb_type result, const int64_t *own, duckdb_scalar_function_t function) {
    duckdb_scalar_function f = duckdb_create_scalar_function();
    for (idx_t i = 0; i <= n; i++) { /* the last one is the result */
        duckdb_logical_type type = i < n ? type_with(types[i], levels[i], 0) : type_with(result, own != NULL, own ? own[1] : 0);
        if (i < n)
            duckdb_scalar_function_add_parameter(f, type);
        else
            duckdb_scalar_function_set_return_type(f, type);
        duckdb_destroy_logical_type(&type);
    }
    if (own) {
        duckdb_logical_type any = duckdb_create_logical_type(DUCKDB_TYPE_ANY);
        duckdb_scalar_function_set_varargs(f, any);
        duckdb_scalar_function_set_extra_info(f, (void *)own, NULL);
        duckdb_destroy_logical_type(&any);
    }
    duckdb_scalar_function_set_name(f, name);
    duckdb_scalar_function_set_special_handling(f);
    duckdb_scalar_function_set_function(f, function);
    int done = duckdb_register_scalar_function(connection, f) == DuckDBSuccess;
    duckdb_destroy_scalar_function(&f);
    return done;
}

#define RESULT(type) {{type, 0}, {type, 16}, {type, 32}, {type, 64}, {type, 128}, {type, 256}, {type, 512}, {type, 1024}}
static const int64_t OWN[4][8][2] = {RESULT(SQLRP_FLOAT32), RESULT(SQLRP_FLOAT64), RESULT(SQLRP_INT32), RESULT(SQLRP_INT64)};
/* The type of the results of each function, and how many fields they have. */

static int add_functions(duckdb_connection connection) {
    static const duckdb_type code[] = {DUCKDB_TYPE_VARCHAR, DUCKDB_TYPE_VARCHAR, DUCKDB_TYPE_BIGINT, DUCKDB_TYPE_BIGINT, DUCKDB_TYPE_DOUBLE};
    static const duckdb_type of_run[] = {DUCKDB_TYPE_BLOB, DUCKDB_TYPE_DOUBLE, DUCKDB_TYPE_VARCHAR};
    static const char *const names[] = {"float", "double", "integer", "bigint"};
    static const duckdb_type results[] = {DUCKDB_TYPE_FLOAT, DUCKDB_TYPE_DOUBLE, DUCKDB_TYPE_INTEGER, DUCKDB_TYPE_BIGINT};
    int done = add_function(connection, "sqlrp_kernel_code", code, (int[]){0, 0, 1, 2, 2}, 5, DUCKDB_TYPE_BLOB, NULL, write_code);
    for (int i = 0; i < 32; i++) {
        const int64_t *own = OWN[i / 8][i % 8];
        char name[64];
        snprintf(name, sizeof name, own[1] ? "sqlrp_kernel_%s_%d" : "sqlrp_kernel_%s", names[i / 8], (int)own[1]);
        done &= add_function(connection, name, of_run, (int[]){0, 0, 0}, 3, results[i / 8], own, run_chunk);
    }
    return done;
}

/* Whether the first number of the result of a query is not 0; -1 if the query fails, with its words. */
static int64_t asked(duckdb_connection connection, const char *query, char *words) {
    duckdb_result result;
    int64_t found = -1;
    if (duckdb_query(connection, query, &result) == DuckDBSuccess) {
        duckdb_data_chunk chunk = duckdb_fetch_chunk(result);
        found = chunk && duckdb_data_chunk_get_size(chunk) && *(int64_t *)duckdb_vector_get_data(argument(chunk, 0));
        duckdb_destroy_data_chunk(&chunk);
    } else
        snprintf(words, ERROR_SIZE, "sqlrp: %.200s", duckdb_result_error(&result));
    duckdb_destroy_result(&result);
    return found;
}

/* The macros stay in the file: a view over them answers where the extension is not loaded. They are written once. */
static int add_macros(duckdb_connection connection, char *words) {
    int64_t needed = asked(connection, SQLRP_NEEDED, words);
    if (needed <= 0) return !needed;
    if (asked(connection, "BEGIN", words) < 0) return 0;
    for (size_t i = 0; i < sizeof SQLRP_MACROS / sizeof *SQLRP_MACROS; i++)
        if (asked(connection, SQLRP_MACROS[i], words) < 0) {
            char other[ERROR_SIZE];
            asked(connection, "ROLLBACK", other);
            return 0;
        }
    return asked(connection, "COMMIT", words) >= 0;
}

/* The functions of DuckDB, written once. DuckDB's own entry point writes them at every load, while other threads read them. */
DUCKDB_EXTENSION_GLOBAL
static int known_functions(duckdb_extension_info info, struct duckdb_extension_access *access) {
    static atomic_int state;
    const duckdb_ext_api_v1 *given = access->get_api(info, DUCKDB_EXTENSION_API_VERSION_STRING);
    int none = 0;
    if (!given) return 0;
    if (atomic_compare_exchange_strong(&state, &none, 1)) {
        duckdb_ext_api = *given;
        atomic_store(&state, 2);
    }
    while (atomic_load(&state) != 2) continue;
    if (!memcmp(&duckdb_ext_api, given, sizeof duckdb_ext_api)) return 1;
    access->set_error(info, "sqlrp: another DuckDB of this process has loaded this file: give each a copy of its own");
    return 0;
}

DUCKDB_CAPI_ENTRY_VISIBILITY DUCKDB_EXTENSION_API bool sqlrp_init_c_api(duckdb_extension_info info,
                                                                        struct duckdb_extension_access *access) {
    char words[ERROR_SIZE] = "sqlrp: the functions of the kernel cannot be registered";
    duckdb_connection connection;
    if (!known_functions(info, access)) return false;
    if (duckdb_connect(*access->get_database(info), &connection) == DuckDBError) {
        access->set_error(info, "sqlrp: the database cannot be opened for the functions of the kernel");
        return false;
    }
    int done = add_functions(connection) && add_macros(connection, words);
    duckdb_disconnect(&connection);
    if (!done) access->set_error(info, words);
    return done;
}
