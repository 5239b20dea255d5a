/* The operations on tiles of one type. kernel.c includes this file once for each: T is the type, NAME(f) the name of a
 * function for it, and ADD, SUB and MUL are its arithmetic. The innermost loops run along the rows, for vector units. */

/* o[r] += or -= weight[j]·x[index[j]][r] over begin ≤ j < end, four terms at a time. Without `weight` all are 1. */
INLINE void NAME(add_terms)(T *restrict o, const T *restrict x, int64_t stride, int64_t n, const int32_t *restrict index,
                            const T *restrict weight, int64_t begin, int64_t end, int minus) {
    int64_t j = begin;
    for (; j + 4 <= end; j += 4) {
        const T *p = x + index[j] * stride, *q = x + index[j + 1] * stride;
        const T *u = x + index[j + 2] * stride, *v = x + index[j + 3] * stride;
        T a = weight ? weight[j] : 1, b = weight ? weight[j + 1] : 1;
        T c = weight ? weight[j + 2] : 1, d = weight ? weight[j + 3] : 1;
        for (int64_t r = 0; r < n; r++) {
            T sum = ADD(ADD(MUL(a, p[r]), MUL(b, q[r])), ADD(MUL(c, u[r]), MUL(d, v[r])));
            o[r] = minus ? SUB(o[r], sum) : ADD(o[r], sum);
        }
    }
    for (; j < end; j++) {
        const T *p = x + index[j] * stride;
        T a = weight ? weight[j] : 1;
        for (int64_t r = 0; r < n; r++) o[r] = minus ? SUB(o[r], MUL(a, p[r])) : ADD(o[r], MUL(a, p[r]));
    }
}

/* BLOCK rows of SIDE weighted sums of the same entries, which stay in registers until all terms are added. */
MORE_CLONES static void NAME(add_block)(T *restrict out, int64_t to, const T *restrict x, int64_t stride, const int32_t *restrict index,
                                   const T *restrict base, const T *restrict weight, int64_t terms) {
    T sum[SIDE][BLOCK];
    for (int64_t c = 0; c < SIDE; c++)
        for (int64_t r = 0; r < BLOCK; r++) sum[c][r] = base[c];
    for (int64_t j = 0; j < terms; j++) {
        const T *p = x + index[j] * stride;
#pragma GCC unroll 4
        for (int64_t c = 0; c < SIDE; c++)
            for (int64_t r = 0; r < BLOCK; r++) sum[c][r] = ADD(sum[c][r], MUL(weight[c * terms + j], p[r]));
    }
    for (int64_t c = 0; c < SIDE; c++)
        for (int64_t r = 0; r < BLOCK; r++) out[c * to + r] = sum[c][r];
}

/* A signed or weighted sum. */
CLONES static void NAME(add_sum)(const operation *op, int64_t c, const T *x, int64_t stride, T *o, int64_t n) {
    int64_t end = op->start[c + 1], middle = op->turn ? op->turn[c] : end;
    T base = ((const T *)op->base)[c];
    for (int64_t r = 0; r < n; r++) o[r] = base;
    NAME(add_terms)(o, x, stride, n, op->index, op->weight, op->start[c], middle, 0);
    NAME(add_terms)(o, x, stride, n, op->index, NULL, middle, end, 1);
}

static void NAME(sums)(const operation *op, const T *x, int64_t stride, T *out, int64_t to, int64_t n) {
    const T *base = op->base, *weight = op->weight;
    for (int64_t c = 0, some = 1; c < op->m; c += some) {
        int64_t done = 0, begin = op->start[c], terms = op->start[c + 1] - begin;
        some = weight && alike(op, c) ? SIDE : 1;
        for (; some > 1 && done + BLOCK <= n; done += BLOCK)
            NAME(add_block)(out + c * to + done, to, x + done, stride, op->index + begin, base + c, weight + begin, terms);
        for (int64_t i = c; i < c + some && done < n; i++) NAME(add_sum)(op, i, x + done, stride, out + i * to + done, n - done);
    }
}

/* `product`: memory for a row of the tile. */
CLONES static void NAME(products)(const operation *op, const T *x, int64_t stride, T *out, int64_t to, int64_t n,
                                  T *restrict product) {
    const T *weight = op->weight;
    int64_t degree = op->degree;
    for (int64_t c = 0; c < op->m; c++) {
        T *restrict o = out + c * to;
        for (int64_t r = 0; r < n; r++) o[r] = 0;
        int64_t i = op->start[c], end = op->start[c + 1];
        const int32_t *f = op->index + i * degree;
        if (degree == 2 && !weight)
            for (; i + 2 <= end && f[0] >= 0 && f[1] >= 0 && f[2] >= 0 && f[3] >= 0; i += 2, f += 4) {
                const T *restrict p = x + f[0] * stride, *restrict q = x + f[1] * stride;
                const T *restrict u = x + f[2] * stride, *restrict v = x + f[3] * stride;
                for (int64_t r = 0; r < n; r++) o[r] = ADD(o[r], ADD(MUL(p[r], q[r]), MUL(u[r], v[r])));
            }
        for (; i < end; i++, f += degree) {
            T first = weight ? weight[i] : 1;
            for (int64_t r = 0; r < n; r++) product[r] = first;
            for (int64_t j = 0; j < degree; j++)
                if (f[j] >= 0) {
                    const T *restrict p = x + f[j] * stride;
                    for (int64_t r = 0; r < n; r++) product[r] = MUL(product[r], p[r]);
                }
            for (int64_t r = 0; r < n; r++) o[r] = ADD(o[r], product[r]);
        }
    }
}

/* The sum and the difference of two entries that lie `apart`, times a number, in their place. */
INLINE void NAME(halves)(T *restrict p, int64_t apart, int64_t n, T times) {
    T *restrict q = p + apart;
    for (int64_t r = 0; r < n; r++) {
        T a = p[r], b = q[r];
        p[r] = MUL(times, ADD(a, b));
        q[r] = MUL(times, SUB(a, b));
    }
}

/* Two layers of the transform are done at once, as each pass over the tile takes longer than its additions. */
CLONES static void NAME(butterfly)(const operation *op, const T *x, int64_t stride, T *out, int64_t to, int64_t n) {
    int64_t size = op->m, part = op->part, half = 1;
    for (int64_t e = 0; e < size; e++)
        for (int64_t r = 0; r < n; r++) out[e * to + r] = 0;
    for (int64_t f = 0; f < op->n; f++) {
        int32_t own = (int32_t)f;
        NAME(add_terms)(out + op->index[f] * to, x, stride, n, &own, NULL, 0, 1, op->flips[f] <= 0);
    }
    for (; 4 * half <= part; half *= 4)
        for (int64_t block = 0; block < size; block += 4 * half)
            for (int64_t i = block; i < block + half; i++) {
                T *restrict p = out + i * to, *restrict q = p + half * to;
                T *restrict u = q + half * to, *restrict v = u + half * to;
                for (int64_t r = 0; r < n; r++) {
                    T a = ADD(p[r], q[r]), b = SUB(p[r], q[r]), c = ADD(u[r], v[r]), d = SUB(u[r], v[r]);
                    p[r] = ADD(a, c);
                    q[r] = ADD(b, d);
                    u[r] = SUB(a, c);
                    v[r] = SUB(b, d);
                }
            }
    if (half < part)
        for (int64_t block = 0; block < size; block += 2 * half)
            for (int64_t i = block; i < block + half; i++) NAME(halves)(out + i * to, half * to, n, 1);
}

static void NAME(pick)(const operation *op, const T *x, int64_t stride, T *out, int64_t to, int64_t n) {
    for (int64_t c = 0; c < op->m; c++) memcpy(out + c * to, x + op->index[c] * stride, n * sizeof(T));
}

/* As x^2h - 1 = (x^h - 1)(x^h + 1), the sums of both halves of each vector are convolved, and their differences, with the other
 * sign for powers from h on; and so the sums again. That takes a third of the products. Integers, which must be exact, and numbers
 * whose products may be infinite are multiplied one by one. `sum`: memory for a row of the tile. */
CLONES static void NAME(convolve)(const operation *op, T *x, int64_t stride, T *out, int64_t to, int64_t n, T *restrict sum) {
    int64_t size = op->part, least = size, moderate = (T)0.5 > 0;
    for (int64_t e = 0; e < 2 * size; e++)
        for (int64_t r = 0; r < n; r++) sum[r] = ADD(e ? sum[r] : 0, MUL(x[e * stride + r], x[e * stride + r]));
    for (int64_t r = 0; r < n; r++) moderate &= FINITE(MUL(2 * (T)size, sum[r])); /* a bound on all products and their sums */
    while (moderate && least % 2 == 0 && least > BLOCK) least /= 2;
    for (int64_t h = size / 2; h >= least; h /= 2)
        for (int64_t vector = 0; vector < 2; vector++)
            for (int64_t i = 0; i < h; i++) NAME(halves)(x + (vector * size + i) * stride, h * stride, n, 1);
    for (int64_t first = 0, end = least; first < size; first = end, end *= 2)
        for (int64_t c = first; c < end; c++) {
            T *restrict o = out + c * to;
            for (int64_t r = 0; r < n; r++) o[r] = 0;
            for (int64_t i = first; i < end; i++) {
                int64_t j = first + c - i + (i > c ? end - first : 0);
                const T *restrict p = x + i * stride, *restrict q = x + (size + j) * stride;
                if (first && i > c)
                    for (int64_t r = 0; r < n; r++) o[r] = SUB(o[r], MUL(p[r], q[r]));
                else
                    for (int64_t r = 0; r < n; r++) o[r] = ADD(o[r], MUL(p[r], q[r]));
            }
        }
    for (int64_t h = least; h < size; h *= 2)
        for (int64_t i = 0; i < h; i++) NAME(halves)(out + i * to, h * to, n, (T)0.5);
    for (int64_t e = 2 * size; e < op->n; e++) memcpy(out + (e - size) * to, x + e * stride, n * sizeof(T));
}

static void NAME(append)(const operation *op, const T *x, int64_t stride, T *out, int64_t to, int64_t n) {
    T value = *(const T *)op->value;
    for (int64_t e = 0; e < op->n; e++) memcpy(out + e * to, x + e * stride, n * sizeof(T));
    for (int64_t r = 0; r < n; r++) out[op->n * to + r] = value;
}

/* `sum`: memory for a row of the tile. */
CLONES static void NAME(reflect)(const operation *op, const T *x, int64_t stride, T *out, int64_t to, int64_t n, T *restrict sum) {
    T d = *(const T *)op->value;
    for (int64_t e = 0; e < op->n; e++)
        for (int64_t r = 0; r < n; r++) sum[r] = ADD(e ? sum[r] : 0, x[e * stride + r]);
    for (int64_t c = 0; c < op->m; c++) {
        T *restrict o = out + c * to;
        const T *restrict p = x + op->index[c] * stride;
        for (int64_t r = 0; r < n; r++) o[r] = SUB(MUL(d, p[r]), MUL(2, sum[r]));
    }
}

CLONES static void NAME(rescale)(const operation *op, T *x, int64_t stride, int64_t n) {
    for (int64_t e = 0; e < op->n; e++) {
        T offset = ((const T *)op->base)[e], scale = ((const T *)op->weight)[e];
        for (int64_t r = 0; r < n; r++) x[e * stride + r] = MUL(SUB(x[e * stride + r], offset), scale);
    }
}

/* `base`: memory for a row of the tile. */
CLONES static void NAME(power)(const operation *op, T *x, int64_t stride, int64_t n, T *restrict base) {
    T add = *(const T *)op->value;
    for (int64_t e = 0; e < op->n; e++) {
        T *restrict o = x + e * stride;
        for (int64_t r = 0; r < n; r++) o[r] = base[r] = ADD(o[r], add);
        for (int64_t i = 1; i < op->degree; i++)
            for (int64_t r = 0; r < n; r++) o[r] = MUL(o[r], base[r]);
    }
}

CLONES static void NAME(root)(const operation *op, T *x, int64_t stride, int64_t n) {
    for (int64_t e = 0; e < op->n; e++) {
        T *restrict o = x + e * stride;
        for (int64_t r = 0; r < n; r++) {
            T root = (T)sqrt(o[r] < 0 ? SUB(0, o[r]) : o[r]);
            o[r] = o[r] < 0 ? SUB(0, root) : root; /* -0 stays -0, as √-0 = -0 */
        }
    }
}

/* `norm`: memory for a row of the tile. */
CLONES static void NAME(normalise)(const operation *op, T *x, int64_t stride, int64_t n, T *restrict norm) {
    for (int64_t r = 0; r < n; r++) norm[r] = 0;
    for (int64_t e = 0; e < op->n; e++) {
        const T *restrict p = x + e * stride;
        for (int64_t r = 0; r < n; r++) norm[r] += p[r] * p[r];
    }
    for (int64_t r = 0; r < n; r++) norm[r] = norm[r] == 0 ? 1 : (T)sqrt(norm[r]);
    for (int64_t e = 0; e < op->n; e++)
        for (int64_t r = 0; r < n; r++) x[e * stride + r] /= norm[r];
}

/* One operation from x to out, or in x for those in place. `row`: memory for a row of the tile. */
static void NAME(apply)(const operation *op, T *x, int64_t stride, T *out, int64_t to, int64_t n, T *row) {
    switch (op->code) {
    case SQLRP_SUMS:
    case SQLRP_WEIGHTED: NAME(sums)(op, x, stride, out, to, n); break;
    case SQLRP_PRODUCTS: NAME(products)(op, x, stride, out, to, n, row); break;
    case SQLRP_BUTTERFLY: NAME(butterfly)(op, x, stride, out, to, n); break;
    case SQLRP_PICK: NAME(pick)(op, x, stride, out, to, n); break;
    case SQLRP_CONVOLVE: NAME(convolve)(op, x, stride, out, to, n, row); break;
    case SQLRP_APPEND: NAME(append)(op, x, stride, out, to, n); break;
    case SQLRP_REFLECT: NAME(reflect)(op, x, stride, out, to, n, row); break;
    case SQLRP_RESCALE: NAME(rescale)(op, x, stride, n); break;
    case SQLRP_POWER: NAME(power)(op, x, stride, n, row); break;
    case SQLRP_ROOT: NAME(root)(op, x, stride, n); break;
    case SQLRP_NORM: NAME(normalise)(op, x, stride, n, row); break;
    }
}

/* The numbers of a source as those of a tile. Rows that lie side by side are turned in blocks of the first-level cache. */
#define READ(K, S)                                                                                                     \
    static void NAME(read_##S)(const S *data, int64_t entry, int64_t row, int64_t entries, int64_t n, T *out,          \
                               int64_t to) {                                                                           \
        if (row == 1)                                                                                                  \
            for (int64_t e = 0; e < entries; e++)                                                                      \
                for (int64_t r = 0; r < n; r++) out[e * to + r] = (T)data[e * entry + r];                              \
        for (int64_t r0 = 0; r0 < n && row != 1; r0 += BLOCK)                                                          \
            for (int64_t e0 = 0; e0 < entries; e0 += BLOCK) {                                                          \
                T block[BLOCK][BLOCK];                                                                                 \
                const S *from = data + e0 * entry + r0 * row;                                                          \
                T *o = out + e0 * to + r0;                                                                             \
                if (entry == 1 && r0 + BLOCK <= n && e0 + BLOCK <= entries) {                                          \
                    for (int64_t r = 0; r < BLOCK; r++)                                                                \
                        for (int64_t e = 0; e < BLOCK; e++) block[e][r] = (T)from[e + r * row];                        \
                    for (int64_t e = 0; e < BLOCK; e++) memcpy(o + e * to, block[e], sizeof block[e]);                 \
                } else                                                                                                 \
                    for (int64_t r = 0; r < MIN(BLOCK, n - r0); r++)                                                   \
                        for (int64_t e = 0; e < MIN(BLOCK, entries - e0); e++)                                         \
                            o[e * to + r] = (T)from[e * entry + r * row];                                              \
            }                                                                                                          \
    }
SOURCES(READ)
#undef READ

static void NAME(read)(int64_t type, const void *data, int64_t entry, int64_t row, int64_t entries, int64_t at, int64_t n,
                       T *out, int64_t to) {
#define CASE(K, S)                                                                                                     \
    case SQLRP_##K: NAME(read_##S)((const S *)data + at, entry, row, entries, n, out, to); break;
    switch (type) {
        SOURCES(CASE)
    default:
        for (int64_t r = 0; r < n; r++) out[r] = (T)bit(data, at + r);
    }
#undef CASE
}

/* n rows of a source as a tile. */
static void NAME(load)(const sqlrp_matrix *matrix, const sqlrp_columns *columns, int64_t entries, int64_t first, int64_t n,
                       T *out, int64_t to) {
    if (matrix) {
        NAME(read)(matrix->type, matrix->data, matrix->entry, matrix->row, entries, first * matrix->row, n, out, to);
        return;
    }
    for (int64_t e = 0; e < entries; e++) {
        int64_t at = columns->offsets[e] + first;
        NAME(read)(columns->types[e], address(columns->addresses[e]), 0, 1, 1, at, n, out + e * to, to);
        if (!columns->valid[e]) continue;
        for (int64_t r = 0; r < n; r++)
            if (!bit(address(columns->valid[e]), at + r)) {
                out[e * to + r] = (T)columns->fill[e];
                columns->missing[first + r] = 1;
            }
    }
}

/* A tile as rows or entries of a result. W is the type that holds both, in which the factor is applied. */
#define WRITE(O, W)                                                                                                    \
    CLONES static void NAME(write_##O)(const T *restrict x, int64_t stride, int64_t entries, int64_t n,               \
                                       O *restrict out, int64_t entry, int64_t row, double factor) {                   \
        W times = (W)factor;                                                                                           \
        if (row == 1)                                                                                                  \
            for (int64_t e = 0; e < entries; e++)                                                                      \
                for (int64_t r = 0; r < n; r++) out[e * entry + r] = (O)(times * (W)x[e * stride + r]);                \
        for (int64_t r0 = 0; r0 < n && row != 1; r0 += BLOCK)                                                          \
            for (int64_t e0 = 0; e0 < entries; e0 += BLOCK) {                                                          \
                int64_t rows = MIN(BLOCK, n - r0), some = MIN(BLOCK, entries - e0);                                    \
                const T *from = x + e0 * stride + r0;                                                                  \
                O *o = out + e0 + r0 * row;                                                                            \
                for (int64_t r = 0; r < rows; r++)                                                                     \
                    for (int64_t e = 0; e < some; e++) o[e + r * row] = (O)(times * (W)from[e * stride + r]);          \
            }                                                                                                          \
    }
WRITE(double, double) WRITE(float, WITH_FLOAT) WRITE(int32_t, WITH_INTEGER) WRITE(int64_t, WITH_INTEGER)
#undef WRITE

static void NAME(store)(const T *x, int64_t stride, int64_t entries, int64_t n, const sqlrp_matrix *out, int64_t to, double factor) {
    int64_t at = to * out->row, apart = out->columns != NULL, some = apart ? 1 : entries;
#define CASE(K, O)                                                                                                     \
    case SQLRP_##K:                                                                                                    \
        NAME(write_##O)(x + e * stride, stride, some, n, (O *)data + at, out->entry, out->row, factor);                \
        break;
    for (int64_t e = 0; e < entries; e += some) {
        void *data = apart ? out->columns[e] : out->data;
        switch (out->type) { RESULTS(CASE) }
    }
#undef CASE
}

static void NAME(add_groups)(const T *x, int64_t n, const int64_t *groups, int64_t low, int64_t high, T *out, int64_t entries) {
    for (int64_t r = 0; r < n; r++) {
        T *o = out + groups[r] * entries;
        for (int64_t e = low; e < high; e++) o[e] = ADD(o[e], x[e * n + r]);
    }
}

static void NAME(add_blocks)(const int64_t *features, const T *values, int64_t n, const sqlrp_draw *draw, T *out) {
    for (int64_t i = 0; i < n; i++) {
        int64_t bucket = sqlrp_entry(draw->b + 8 * draw->blocks, features[i]) % draw->buckets;
        for (int64_t c = 0; c < draw->blocks; c++) {
            int64_t h = sqlrp_entry(draw->b + 8 * c, features[i]), place = sqlrp_place(draw, h, bucket, c);
            out[place] = h % 2 ? SUB(out[place], values[i]) : ADD(out[place], values[i]);
        }
    }
}

static void NAME(add_drawn)(const int64_t *features, const T *values, int64_t n, const sqlrp_draw *draw, T *out) {
    int8_t signs[64 * BLOCK];
    for (int64_t at = 0, some; at < n; at += some) {
        some = MIN((int64_t)sizeof signs, n - at);
        for (int64_t c = 0; c < draw->sums; c++) {
            sqlrp_signs(draw->b + 8 * c, 1, features + at, some, draw->low, draw->high, signs);
            for (int64_t i = 0; i < some; i++)
                if (signs[i]) out[c] = signs[i] > 0 ? ADD(out[c], values[at + i]) : SUB(out[c], values[at + i]);
        }
    }
}

#define CELLS(W)                                                                                                       \
    CLONES static void NAME(add_cells_##W)(const int64_t *starts, const int64_t *slots, const T *values, int64_t n,    \
                                           const sqlrp_weights *given, T *out, int64_t sums) {                         \
        const W *restrict weight = given->weight;                                                                      \
        const int64_t *restrict entry = given->entry, *restrict turn = given->turn;                                    \
        const int32_t *restrict component = given->component;                                                          \
        for (int64_t r = 0; r < n; r++) {                                                                              \
            T *restrict o = out + r * sums;                                                                            \
            for (int64_t cell = starts[r]; cell < starts[r + 1]; cell++) {                                             \
                int64_t s = slots[cell];                                                                               \
                T v = values[cell];                                                                                    \
                if (s < 0 || s >= given->slots) continue;                                                              \
                if (entry) {                                                                                           \
                    int64_t j = entry[s], end = entry[s + 1];                                                          \
                    for (; turn && j < turn[s]; j++) o[component[j]] = ADD(o[component[j]], v);                        \
                    for (; turn && j < end; j++) o[component[j]] = SUB(o[component[j]], v);                            \
                    for (; j < end; j++) o[component[j]] = ADD(o[component[j]], MUL((T)weight[j], v));                 \
                    continue;                                                                                          \
                }                                                                                                      \
                const W *restrict w = weight + s * sums;                                                               \
                for (int64_t c = 0; c < sums; c++) o[c] = w[c] != 0 ? ADD(o[c], MUL((T)w[c], v)) : o[c];               \
            }                                                                                                          \
        }                                                                                                              \
    }
CELLS(int8_t) CELLS(double)
#undef CELLS

static void NAME(add_cells)(const int64_t *starts, const int64_t *slots, const T *values, int64_t n,
                            const sqlrp_weights *weights, T *out, int64_t sums) {
    if (weights->type == SQLRP_INT8)
        NAME(add_cells_int8_t)(starts, slots, values, n, weights, out, sums);
    else
        NAME(add_cells_double)(starts, slots, values, n, weights, out, sums);
}
