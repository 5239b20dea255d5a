/* The kernel of sqlrp: the stages of a projection over rows, as a program of bytes.
 *
 * A tile holds one entry of many rows side by side: entry e of row r is at [e * stride + r]. A program maps the entries
 * of a row to others. `sqlrp/_evaluator/code.py` writes programs, and this library reads them:
 *
 *     SQLRP_FORMAT, entries, type, operations           four 64-bit integers
 *     code, parameters …, tables …                      for each operation; all is padded to 8 bytes
 *
 * `sqlrp_check` must accept a program before `sqlrp_run` runs it. It looks at every index, so that any bytes are safe.
 * Memory is the caller's, and nothing is kept between calls: threads may run one program at the same time.
 */
#ifndef SQLRP_H
#define SQLRP_H

#include <stdint.h>

/* The format of programs and of these functions. A caller that expects another one must not call them. */
#define SQLRP_FORMAT 3
#define SQLRP_MOST_DEGREE 256
#define SQLRP_MOST_DIGITS 18
#define LARGEST ((int64_t)INT32_MAX) /* the most entries, terms and operations */
#define MIN(a, b) ((a) < (b) ? (a) : (b))

/* The types of numbers. A tile holds the first two or 64-bit integers, which wrap around; sources hold all of them. */
enum {
    SQLRP_FLOAT64, SQLRP_FLOAT32, SQLRP_INT8, SQLRP_UINT8, SQLRP_INT16, SQLRP_UINT16,
    SQLRP_INT32, SQLRP_UINT32, SQLRP_INT64, SQLRP_UINT64, SQLRP_BITS
};

static inline int64_t width(int64_t type) { return "\10\4\1\1\2\2\4\4\10\10"[type]; } /* in bytes */

/* The operations. T stands for the type of the tile; a single number takes 8 bytes. n is the number of entries before.
 *
 *   SUMS      m, terms, start[m + 1], turn[m], base[T: m], index[int32: terms]
 *             base[c] + the entries index[start[c]] … index[turn[c] - 1] - those from there to index[start[c + 1] - 1]
 *   WEIGHTED  m, terms, start[m + 1], base[T: m], weight[T: terms], index[int32: terms]
 *             base[c] + Σ weight[j]·x[index[j]] over start[c] ≤ j < start[c + 1]
 *   PRODUCTS  degree, weighted, m, terms, start[m + 1], weight[T: terms if weighted], factors[int32: terms · degree]
 *             Σ weight[i]·Π_j x[factors[i, j]]; -1 is the factor 1
 *   BUTTERFLY size, part, places[int32: n], flips[int8: n]
 *             the Walsh-Hadamard transform of every `part` of `size` entries, of which places[f] are ±x[f]
 *   PICK      m, sample[int32: m]
 *   CONVOLVE  size, vectors: the circular convolution of the first two vectors of `size` entries; the others stay
 *   APPEND    value[T]: the entries and a constant
 *   REFLECT   d[T], m, picked[int32: m]: d·x[j] - 2·Σ_f x[f]
 *   RESCALE   offset[T: n], scale[T: n]: (x - offset)·scale
 *   POWER     add[T], degree: (x + add)^degree, of a degree of at most SQLRP_MOST_DEGREE
 *   ROOT      sign(x)·√|x|, of floats
 *   NORM      the row divided by its Euclidean norm, if that is not 0, of floats
 *   CAST      type
 *   UNITS     digits: integers in units of 10^-digits as DOUBLE, of at most SQLRP_MOST_DIGITS digits
 */
enum {
    SQLRP_SUMS = 1, SQLRP_WEIGHTED, SQLRP_PRODUCTS, SQLRP_BUTTERFLY, SQLRP_PICK, SQLRP_CONVOLVE, SQLRP_APPEND,
    SQLRP_REFLECT, SQLRP_RESCALE, SQLRP_POWER, SQLRP_ROOT, SQLRP_NORM, SQLRP_CAST, SQLRP_UNITS
};

/* Where rows are read or written. Entry e of row r is at data[e * entry + r * row]; one of the two steps is 1. With
 * `columns`, which results may have, it is at columns[e][r * row]. */
typedef struct {
    int64_t type;
    void *data;
    int64_t entry, row;
    void **columns;
} sqlrp_matrix;

/* Columns as Arrow and DuckDB keep them. `valid`: addresses of bitmaps, or 0. An entry without a value is read as its
 * `fill`, and its row is marked in `missing`. */
typedef struct {
    const int64_t *addresses, *types, *offsets, *valid;
    const double *fill;
    uint8_t *missing;
} sqlrp_columns;

#if defined(_WIN32)
#define SQLRP_API __declspec(dllexport)
#else
#define SQLRP_API __attribute__((visibility("default")))
#endif

SQLRP_API int64_t sqlrp_format(void);

/* The bytes of memory that the program needs for tiles of so many rows; 0 if it is not a program. */
SQLRP_API int64_t sqlrp_check(const void *program, int64_t length, int64_t tile);

/* What a program takes and gives. `widest`: the most entries between two operations. */
typedef struct {
    int64_t entries, type, outputs, last, widest;
} sqlrp_shape;

/* 1 if the bytes are a program, whose indexes are not looked at; else 0. */
SQLRP_API int64_t sqlrp_shape_of(const void *program, int64_t length, sqlrp_shape *shape);

/* How long the first operations are, of bytes at a multiple of 8 that follow the head of a program of so many entries; -1 if they are none. */
int64_t sqlrp_length_of(const void *operations, int64_t length, int64_t entries, int64_t type, int64_t count);

/* Run a program that was checked over the rows first … first + n - 1 of a matrix, or of columns if `matrix` is NULL.
 * Row r goes to row to + r - first of `out`, times `factor`. `memory`: as many bytes as `sqlrp_check` said for the tile,
 * at an address that is a multiple of 64. */
SQLRP_API void sqlrp_run(const void *program, int64_t length, const sqlrp_matrix *matrix, const sqlrp_columns *columns,
                         int64_t first, int64_t n, const sqlrp_matrix *out, int64_t to, double factor, int64_t tile, void *memory);

/* out[c, j]: the sign of h(c, f[j]), as sqlrp/_core/draw.py describes it. b: shape (8, m). out: shape (m, n). */
SQLRP_API void sqlrp_signs(const int64_t *b, int64_t m, const int64_t *f, int64_t n, int64_t low, int64_t high, int8_t *out);

/* The entry h of a component with these eight coefficients, the lowest power first. */
int64_t sqlrp_entry(const int64_t *b, int64_t x);

/* A normal number, by Box and Muller's transform of the entries h of two components. first, second: shape (8,) */
double sqlrp_normal(const int64_t *first, const int64_t *second, int64_t x);

/* out[groups[r], e] += x[e, r] for entries low ≤ e < high of n rows. Shapes: x (entries, n), out (groups, entries). */
SQLRP_API void sqlrp_add_groups(int64_t type, const void *x, int64_t n, const int64_t *groups, int64_t low,
                                int64_t high, void *out, int64_t entries);

/* The weights of features: those other than 0 in slot s are entry[s] … entry[s + 1] - 1; without `entry` they are a
 * matrix of shape (slots, sums). `type`: INT8 or FLOAT64. With `turn` they are 1 before turn[s] and -1 from there on. */
typedef struct {
    int64_t type, slots;
    const void *weight;
    const int64_t *entry, *turn;
    const int32_t *component;
} sqlrp_weights;

/* The weights that a program of DOUBLE has as its only operation, SUMS or WEIGHTED: its outputs are the features, and its
 * entries the sums. 0 if the bytes are no such program. */
int64_t sqlrp_weights_of(const void *program, int64_t length, sqlrp_weights *weights, int64_t *sums);

/* Add the cells of n rows to their sums. Row r has the cells starts[r] … starts[r + 1] - 1, in slots[cell] or, if there is no
 * such slot, nowhere. out: shape (n, sums), of the type of the values. */
SQLRP_API void sqlrp_add_cells(int64_t type, const int64_t *starts, const int64_t *slots, const void *values, int64_t n,
                               const sqlrp_weights *weights, void *out, int64_t sums);

/* What draws the weights of any features: those of sum c are the signs of h(c, f), whose coefficients are b[8 * c] and the seven after it. Of
 * `blocks`, each of which has `size` sums in every bucket, the last bit of h(c, f) is the sign, and the others are the place; h(blocks, f) is the bucket. */
typedef struct {
    int64_t sums, low, high, blocks, size, buckets;
    const int64_t *b;
} sqlrp_draw;

/* How many vectors of eight coefficients there are. */
static inline int64_t sqlrp_vectors(const sqlrp_draw *draw) { return draw->blocks ? draw->blocks + 1 : draw->sums; }
/* The sum of a feature in block c of its bucket, where h is h(c, f). */
static inline int64_t sqlrp_place(const sqlrp_draw *draw, int64_t h, int64_t bucket, int64_t c) {
    return (bucket * draw->blocks + c) * draw->size + h / 2 % draw->size;
}

/* Read a draw from bytes: SQLRP_DRAWN, sums, low, 1, high, blocks, size, buckets and b. 0 if they are none. */
#define SQLRP_DRAWN (SQLRP_FORMAT + (1 << 20))
int64_t sqlrp_draw_of(const void *given, int64_t length, sqlrp_draw *draw);

/* Add n cells of a row to its sums, of the type of the values. */
void sqlrp_add_drawn(int64_t type, const int64_t *features, const void *values, int64_t n, const sqlrp_draw *draw, void *out);

/* The entries of rows that are shown: entry 0, those other than 0, and all of a row that is gone. Without `row`, ends[r]
 * becomes their number in row r. With it they are written side by side, and those of row r end at ends[r]. */
SQLRP_API void sqlrp_list_shown(int64_t type, const void *z, int64_t k, const uint8_t *gone, int64_t first, int64_t last,
                                int64_t *ends, int64_t *row, int64_t *component, void *value);

#endif
