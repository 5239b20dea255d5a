/* Programs over the chunks of DuckDB. */
#include "run.h"
#include "text.h"

#include <math.h>

#define FITTING_MEMORY ((int64_t)3 << 18)
#define MOST_TILE 256
#define LEAST_TILE 16
#define OF_BYTES -2

/* Rows of a chunk with one program: `rows` from row `first` on, whose results come after `at` others in the list. */
typedef struct {
    duckdb_data_chunk input;
    const void *program;
    int64_t length, tile, type, most; /* type: of the results; most: the fields of the struct, 0 for a list */
    sqlrp_shape shape;
    double factor;
    idx_t first, rows, columns, at, before; /* before: the arguments before the features */
    int cells; /* the arguments are a table, and lists of features and values */
    uint8_t *missing, *out;
    void *memory, **fields;
    char words[ERROR_SIZE];
} job;

static const char NO_MEMORY[] = "a chunk does not fit into memory: lower k, or use lowering := 'indexed'";
static void fail(job *j, const char *words) { snprintf(j->words, sizeof j->words, "%s", words); }

/* The type of numbers, OF_BYTES or -1; and the number of elements of an array, -1 for a list and 0 for a number. Decimals are whole numbers in their
 * units, which only integers stand for. */
static int64_t type_of(duckdb_vector vector, int64_t *elements, int units) {
    static const int8_t known[] = {
        [DUCKDB_TYPE_DOUBLE] = 1 + SQLRP_FLOAT64,  [DUCKDB_TYPE_FLOAT] = 1 + SQLRP_FLOAT32,    [DUCKDB_TYPE_TINYINT] = 1 + SQLRP_INT8,
        [DUCKDB_TYPE_BOOLEAN] = 1 + SQLRP_UINT8,   [DUCKDB_TYPE_UTINYINT] = 1 + SQLRP_UINT8,   [DUCKDB_TYPE_SMALLINT] = 1 + SQLRP_INT16,
        [DUCKDB_TYPE_USMALLINT] = 1 + SQLRP_UINT16, [DUCKDB_TYPE_INTEGER] = 1 + SQLRP_INT32,   [DUCKDB_TYPE_UINTEGER] = 1 + SQLRP_UINT32,
        [DUCKDB_TYPE_BIGINT] = 1 + SQLRP_INT64,    [DUCKDB_TYPE_UBIGINT] = 1 + SQLRP_UINT64,   [DUCKDB_TYPE_BLOB] = 1 + OF_BYTES};
    duckdb_logical_type type = duckdb_vector_get_column_type(vector), child;
    duckdb_type id = duckdb_get_type_id(type);
    *elements = id == DUCKDB_TYPE_LIST ? -1 : id == DUCKDB_TYPE_ARRAY ? (int64_t)duckdb_array_type_array_size(type) : 0;
    if (*elements) {
        child = id == DUCKDB_TYPE_LIST ? duckdb_list_type_child_type(type) : duckdb_array_type_child_type(type);
        id = duckdb_get_type_id(child);
        duckdb_destroy_logical_type(&type);
        type = child;
    }
    if (id == DUCKDB_TYPE_DECIMAL && units) id = duckdb_decimal_internal_type(type);
    duckdb_destroy_logical_type(&type);
    return (size_t)id < sizeof known ? known[id] - 1 : -1;
}
static int has_units(const job *j) { return j->shape.type == SQLRP_INT64; }
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
        duckdb_vector v = argument(j->input, (idx_t)e + j->before);
        table[e] = (int64_t)(intptr_t)duckdb_vector_get_data(v);
        table[n + e] = type_of(v, &elements, has_units(j));
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

/* The weights of features: a table, or what draws them for any number of features. */
typedef struct {
    sqlrp_weights weights;
    sqlrp_draw draw;
    int drawn;
} table_of_cells;

static int read_cells(const void *table, int64_t length, table_of_cells *found, int64_t n) {
    int64_t sums;
    found->drawn = sqlrp_draw_of(table, length, &found->draw) != 0;
    if (found->drawn) return found->draw.sums == n;
    return sqlrp_weights_of(table, length, &found->weights, &sums) && sums == n;
}

/* Add the cells of a row to its sums, as many at a time as have both numbers. A cell without a feature is left out. */
static void add_row(job *j, idx_t row, const table_of_cells *table, void *sums) {
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
        if (table->drawn)
            sqlrp_add_drawn(j->shape.type, slots + i, from + i * (idx_t)width(j->shape.type), (int64_t)(end - i), &table->draw, sums);
        else
            sqlrp_add_cells(j->shape.type, (int64_t[]){(int64_t)i, (int64_t)end}, slots, from, 1, &table->weights, sums, j->shape.entries);
        j->missing[row] |= end < v.length && !known(valued, v.offset + end);
    }
}

/* Rows of cells. The sums are those of as many rows at a time as a tile holds. */
static void run_cells(job *j) {
    int64_t type = j->shape.type, n = j->shape.entries, size = n * width(type), length, lists[2];
    const void *given = text_at(argument(j->input, 3), j->first, &length), *table;
    void *copy = NULL;
    uint8_t *rows = malloc((size_t)(j->tile * size) + 1);
    sqlrp_matrix matrix = {type, rows, 1, n, NULL};
    table_of_cells weights;
    if (type_of(argument(j->input, 4), lists, 0) != SQLRP_INT64 || type_of(argument(j->input, 5), lists + 1, has_units(j)) != type || lists[0] >= 0 || lists[1] >= 0)
        fail(j, "the cells of rows are lists of features of BIGINT and of values of the program's type");
    else if (!read_cells(table = aligned(given, length, &copy), length, &weights, n))
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
        if (j->columns == 1) type = type_of(argument(j->input, j->before), &elements, has_units(j));
        if (elements && readable(j, type)) run_lists(j, argument(j->input, j->before), elements, type);
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

/* A type of numbers; a decimal has a width and digits. */
typedef struct {
    duckdb_type id;
    int width, digits;
} kind_of_column;

static kind_of_column kind_of(duckdb_vector vector) {
    duckdb_logical_type type = duckdb_vector_get_column_type(vector);
    kind_of_column found = {duckdb_get_type_id(type), 0, 0};
    if (found.id == DUCKDB_TYPE_DECIMAL) found.width = duckdb_decimal_width(type), found.digits = duckdb_decimal_scale(type);
    duckdb_destroy_logical_type(&type);
    return found;
}

static void say_kind(text *to, kind_of_column kind) {
    static const char *const names[] = {
        [DUCKDB_TYPE_BOOLEAN] = "BOOLEAN",   [DUCKDB_TYPE_TINYINT] = "TINYINT",   [DUCKDB_TYPE_UTINYINT] = "UTINYINT",
        [DUCKDB_TYPE_SMALLINT] = "SMALLINT", [DUCKDB_TYPE_USMALLINT] = "USMALLINT", [DUCKDB_TYPE_INTEGER] = "INTEGER",
        [DUCKDB_TYPE_UINTEGER] = "UINTEGER", [DUCKDB_TYPE_BIGINT] = "BIGINT",     [DUCKDB_TYPE_UBIGINT] = "UBIGINT",
        [DUCKDB_TYPE_FLOAT] = "FLOAT",       [DUCKDB_TYPE_DOUBLE] = "DOUBLE"};
    const char *name = (size_t)kind.id < sizeof names / sizeof *names ? names[kind.id] : NULL;
    if (kind.id == DUCKDB_TYPE_DECIMAL)
        say(to, "DECIMAL(%d,%d)", kind.width, kind.digits);
    else
        say(to, "%s", name ? name : "other");
}

/* The types of the features: 2 DOUBLE, 1 FLOAT of */
static void say_types(const job *j, text *to) {
    kind_of_column last = {DUCKDB_TYPE_INVALID, 0, 0}, next = last;
    int64_t run = 0;
    for (idx_t e = 0; e <= j->columns; e++) {
        int more = e < j->columns;
        if (more) next = kind_of(argument(j->input, e + j->before));
        if (run && (!more || next.id != last.id || next.width != last.width || next.digits != last.digits)) {
            say(to, "%lld ", (long long)run), say_kind(to, last), say(to, more ? ", " : " of ");
            run = 0;
        }
        last = next;
        run++;
    }
}

/* Where all columns of a table are features, a text before them says what they must be. In another table of the same name, which a view
 * may read, they may be others. */
static void check_types(job *j) {
    text found = {0};
    int64_t length;
    const char *wanted = text_at(argument(j->input, 3), 0, &length);
    j->before++;
    j->columns--;
    say_types(j, &found);
    if (found.failed || length < found.length || memcmp(wanted, found.data, (size_t)found.length) != 0) {
        const char *source = wanted, *end = wanted + length;
        while (source < end && (end - source < 4 || memcmp(source, " of ", 4) != 0)) source++;
        source = MIN(source + 4, end);
        snprintf(j->words, ERROR_SIZE,
                 "the columns of %.*s are not those that this call was written for: a view reads the table in its own schema, and here "
                 "another table has that name; write the database and the schema in the name",
                 (int)MIN(end - source, 60), source);
    }
    free(found.data);
}

/* Make rows NULL. */
static void take_away(duckdb_vector vector, idx_t first, idx_t n) {
    duckdb_vector_ensure_validity_writable(vector);
    uint64_t *valid = duckdb_vector_get_validity(vector);
    for (idx_t r = first; r < first + n; r++) valid[r / 64] &= ~((uint64_t)1 << r % 64);
}

void run_chunk(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
    idx_t size = duckdb_data_chunk_get_size(input);
    const int64_t *own = duckdb_scalar_function_get_extra_info(info);
    void *fields[MOST_FIELDS];
    job j = {.input = input, .type = own[0], .most = own[1], .fields = fields};
    j.columns = duckdb_data_chunk_get_column_count(input) - 3;
    j.before = 3;
    int64_t elements = 0;
    j.cells = j.columns == 3 && type_of(argument(input, 3), &elements, 0) == OF_BYTES && !elements; /* not a list of blobs */
    j.missing = calloc(size + 1, 1);
    if (!j.missing) fail(&j, NO_MEMORY);
    if (j.columns > 1 && kind_of(argument(input, 3)).id == DUCKDB_TYPE_VARCHAR) check_types(&j);
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
