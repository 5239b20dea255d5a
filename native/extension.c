/* The extension of DuckDB: the kernel as scalar functions, and the macros of sql/duckdb.sql.
 *
 *     sqlrp_statement(…) → VARCHAR: the statement of a call, which statement.c writes
 *     sqlrp_program(stages, given BLOB) → BLOB: the program that draw.c draws for them
 *     sqlrp(function, arguments) → VARCHAR: a call of a function by its name alone (named.c)
 *     sqlrp_kernel_float(program, factor, nulls, x …) → FLOAT[], and so _double, _integer and _bigint
 *         the program over columns, or over one list or array; or over sums of cells, where x are their weights (a program
 *         from sums to features) and two lists, of features and values. `nulls`: propagate, zero or error, as in the macros.
 *         A text before the columns says what their types must be: 3 DOUBLE of "table"
 *     sqlrp_kernel_float_16(…) → STRUCT of 16 FLOAT, and so _32 … _1024: the first entries are the results. DuckDB reads
 *         its fields where they lie, but takes the elements of a list out row by row
 *
 * Any bytes may be given as a program, as the kernel checks them in every chunk: that takes as long as one row.
 */
#include "draw.h"
#include "entry.h"
#include "named.h"
#include "run.h"

#include <stdatomic.h>

#include "sqlrp_macros.h" /* sql/extension/build.py writes the statements of sql/duckdb.sql there */

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
    static const duckdb_type of_run[] = {DUCKDB_TYPE_BLOB, DUCKDB_TYPE_DOUBLE, DUCKDB_TYPE_VARCHAR};
    static const char *const names[] = {"float", "double", "integer", "bigint"};
    static const duckdb_type results[] = {DUCKDB_TYPE_FLOAT, DUCKDB_TYPE_DOUBLE, DUCKDB_TYPE_INTEGER, DUCKDB_TYPE_BIGINT};
    static const duckdb_type stated[] = {DUCKDB_TYPE_VARCHAR, DUCKDB_TYPE_VARCHAR, DUCKDB_TYPE_VARCHAR,
                                         DUCKDB_TYPE_VARCHAR, DUCKDB_TYPE_VARCHAR, DUCKDB_TYPE_VARCHAR, DUCKDB_TYPE_VARCHAR};
    static const duckdb_type drawn[] = {DUCKDB_TYPE_VARCHAR, DUCKDB_TYPE_BLOB};
    static const duckdb_type named[] = {DUCKDB_TYPE_VARCHAR, DUCKDB_TYPE_ANY};
    int done = add_function(connection, "sqlrp_program", drawn, (int[]){0, 0}, 2, DUCKDB_TYPE_BLOB, NULL, write_program) &
               add_function(connection, "sqlrp_statement", stated, (int[]){0, 0, 1, 1, 1, 0, 1}, 7, DUCKDB_TYPE_VARCHAR, NULL, write_statement) &
               add_function(connection, "sqlrp_relation", stated, (int[]){0}, 1, DUCKDB_TYPE_VARCHAR, NULL, write_relation) &
               add_function(connection, "sqlrp", named, (int[]){0, 0}, 2, DUCKDB_TYPE_VARCHAR, NULL, write_named) &
               add_function(connection, "sqlrp_or_macros", stated, (int[]){0, 0}, 2, DUCKDB_TYPE_VARCHAR, NULL, write_or_macros);
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

