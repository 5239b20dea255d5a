/* Calls of the functions by their names alone. */
#include "named.h"
#include "entry.h"
#include "source.h"
#include "stated.h"

#define MOST_FIELDS_GIVEN 64

/* The arguments that a call gives: the fields of a struct. */
typedef struct {
    duckdb_vector vector;
    duckdb_logical_type type;
    idx_t count;
    int used[MOST_FIELDS_GIVEN];
} fields;

static idx_t field_named(const fields *f, words name) {
    idx_t found = f->count;
    for (idx_t i = 0; i < f->count; i++) {
        char *said = duckdb_struct_type_child_name(f->type, i);
        if (said && same_name(of_text(said), name)) found = i;
        duckdb_free(said);
    }
    return found;
}

static void say_decimal(text *to, duckdb_logical_type type, const void *data, idx_t row) {
    duckdb_type kept = duckdb_decimal_internal_type(type);
    int scale = duckdb_decimal_scale(type);
    int64_t value = kept == DUCKDB_TYPE_SMALLINT ? ((const int16_t *)data)[row]
                    : kept == DUCKDB_TYPE_INTEGER ? ((const int32_t *)data)[row]
                                                  : ((const int64_t *)data)[row];
    char digits[32];
    snprintf(digits, sizeof digits, "%0*lld", scale + 1 + (value < 0), (long long)value);
    int whole = (int)strlen(digits) - scale;
    say(to, "'DECIMAL(18,%d)', '%.*s%s%s'", scale, whole, digits, scale ? "." : "", digits + whole);
}

/* The type and the text of an argument, as sqlrp_statement takes them; 0 for a type that no argument has. */
static int say_argument(text *to, duckdb_logical_type type, duckdb_vector vector, idx_t row) {
    const void *data = duckdb_vector_get_data(vector);
    duckdb_type id = duckdb_get_type_id(type);
    if (!valid_at(vector, row)) return say(to, "'\"NULL\"', NULL"), 1;
    if (id == DUCKDB_TYPE_VARCHAR) return say(to, "'VARCHAR', "), say_quoted(to, word_at(vector, row), '\''), 1;
    if (id == DUCKDB_TYPE_INTEGER) return say(to, "'INTEGER', '%d'", ((const int32_t *)data)[row]), 1;
    if (id == DUCKDB_TYPE_BIGINT) return say(to, "'BIGINT', '%lld'", (long long)((const int64_t *)data)[row]), 1;
    if (id == DUCKDB_TYPE_BOOLEAN) return say(to, "'BOOLEAN', '%s'", ((const bool *)data)[row] ? "true" : "false"), 1;
    if (id == DUCKDB_TYPE_DOUBLE) return say(to, "'DOUBLE', '"), say_real(to, ((const double *)data)[row]), say(to, "'"), 1;
    if (id != DUCKDB_TYPE_DECIMAL || duckdb_decimal_internal_type(type) == DUCKDB_TYPE_HUGEINT) return 0;
    return say_decimal(to, type, data, row), 1;
}

/* A list of names; an empty one may be of any type. */
static int say_names(text *to, duckdb_logical_type type, duckdb_vector vector, idx_t row) {
    if (duckdb_get_type_id(type) != DUCKDB_TYPE_LIST) return !valid_at(vector, row);
    duckdb_list_entry list = list_at(vector, row);
    duckdb_vector child = duckdb_list_vector_get_child(vector);
    duckdb_logical_type inner = duckdb_list_type_child_type(type);
    int fits = !list.length || duckdb_get_type_id(inner) == DUCKDB_TYPE_VARCHAR;
    duckdb_destroy_logical_type(&inner);
    for (idx_t i = list.offset; i < list.offset + list.length && fits; i++) {
        say(to, i > list.offset ? ", " : "");
        if (valid_at(child, i))
            say_quoted(to, word_at(child, i), '\'');
        else
            say(to, "NULL");
    }
    return fits;
}

/* Write a field by its name, or what stands in its place; 0 with an error. */
static int say_field(text *to, fields *f, words name, idx_t row, int names, const char *otherwise, char *failed) {
    idx_t at = field_named(f, name);
    int done = 1;
    if (at == f->count) return say(to, "%s", otherwise), 1;
    duckdb_logical_type type = duckdb_struct_type_child_type(f->type, at);
    duckdb_vector vector = duckdb_struct_vector_get_child(f->vector, at);
    f->used[at] = 1;
    done = names ? say_names(to, type, vector, row) : say_argument(to, type, vector, row);
    duckdb_destroy_logical_type(&type);
    if (!done) snprintf(failed, ERROR_SIZE, "the argument '%.*s' is of a type that it cannot have", (int)MIN(name.length, 64), name.at);
    return done;
}

static int say_arguments(text *to, const method *of, fields *f, idx_t row, char *failed) {
    reader r = reading(of_text(of->parameters), NULL, 0);
    words name;
    for (int first = 1; read_open(&r, &name); first = 0) {
        text otherwise = {0};
        words type = read_part(&r), said = read_part(&r);
        int none = same_words(type, of_text("none"));
        say(&otherwise, none ? "'\"NULL\"', NULL" : "'%.*s', %.*s", (int)type.length, type.at, (int)said.length, said.at);
        say(to, first ? "[" : ", ");
        int done = say_field(to, f, name, row, 0, otherwise.data ? otherwise.data : "NULL", failed);
        free(otherwise.data);
        while (!read_close(&r) && !r.failed) read_part(&r);
        if (!done) return 0;
    }
    say(to, ", '\"NULL\"', NULL, '\"NULL\"', NULL], CAST([");
    if (!say_field(to, f, of_text("keep"), row, 1, "", failed)) return 0;
    say(to, "] AS VARCHAR[]), CAST([");
    if (!say_field(to, f, of_text("features"), row, 1, "", failed)) return 0;
    say(to, "] AS VARCHAR[])");
    return 1;
}

/* The source of a call as it stands after FROM. */
static int say_described(text *to, fields *f, idx_t row) {
    idx_t at = field_named(f, of_text("source"));
    text relation = {0}, query = {0};
    int done = 0;
    if (at < f->count) {
        duckdb_logical_type type = duckdb_struct_type_child_type(f->type, at);
        duckdb_vector given = duckdb_struct_vector_get_child(f->vector, at);
        done = duckdb_get_type_id(type) == DUCKDB_TYPE_VARCHAR && say_relation(&relation, word_at(given, row));
        duckdb_destroy_logical_type(&type);
    }
    say(&query, "DESCRIBE SELECT * FROM "), say_words(&query, (words){relation.data, relation.length});
    if (done) say_quoted(to, (words){query.data, query.length}, '\'');
    free(relation.data), free(query.data);
    return done;
}

/* Write the call of a row, or why it is none. */
static void say_call(text *to, words function, fields *f, idx_t row, char *failed) {
    const method *of = function.at && function.length ? method_named(function) : NULL;
    int64_t stem = function.length - (int64_t)strlen("_project");
    if (!of) {
        snprintf(failed, ERROR_SIZE, "no function has the name that was given: write sqlrp('rp_project', {'source': 'a table', 'k': 64})");
        return;
    }
    say(to, "FROM query(sqlrp_or_macros(sqlrp_statement('%s', 'sqlrp_%.*s_open', ", of->name, (int)stem, function.at);
    if (!say_arguments(to, of, f, row, failed)) return;
    for (idx_t i = 0; i < f->count; i++) {
        char *name = f->used[i] ? NULL : duckdb_struct_type_child_name(f->type, i);
        if (name) snprintf(failed, ERROR_SIZE, "%s has no argument '%.64s'", of->name, name);
        duckdb_free(name);
    }
    say(to, ", json_serialize_plan(");
    if (!say_described(to, f, row) && !*failed) snprintf(failed, ERROR_SIZE, "'source' must name a table, a view or a file: {'source': 'a table'}");
    say(to, ", skip_null := true, skip_empty := true, skip_default := true), NULL), json_serialize_plan('SELECT sqlrp_late()')))");
}

void write_named(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
    fields f = {argument(input, 1), duckdb_vector_get_column_type(argument(input, 1)), 0, {0}};
    char failed[ERROR_SIZE] = "the arguments must be a struct: sqlrp('rp_project', {'source': 'a table', 'k': 64})";
    if (duckdb_get_type_id(f.type) == DUCKDB_TYPE_STRUCT) f.count = duckdb_struct_type_child_count(f.type);
    if (f.count && f.count <= MOST_FIELDS_GIVEN) *failed = 0;
    for (idx_t row = 0; row < duckdb_data_chunk_get_size(input) && !*failed; row++) {
        text to = {0};
        say_call(&to, word_at(argument(input, 0), row), &f, row, failed);
        if (to.failed && !*failed) snprintf(failed, sizeof failed, "the call is too long");
        if (!*failed) duckdb_vector_assign_string_element_len(output, row, to.data, (idx_t)to.length);
        free(to.data);
    }
    duckdb_destroy_logical_type(&f.type);
    if (*failed) report(info, failed);
}

void write_or_macros(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
    (void)info;
    for (idx_t row = 0; row < duckdb_data_chunk_get_size(input); row++) {
        words said = word_at(argument(input, 0), row), plan = word_at(argument(input, 1), row);
        if (begins_with(said, "FROM query(sqlrp_macros(") && begins_with(plan, "{\"error\":true"))
            said = of_text("SELECT error('sqlrp: the macros do this call, or say what is wrong with it, and they are in another database: "
                           "SET search_path to this one and to the one where the extension was loaded, such as ''a,memory''')");
        duckdb_vector_assign_string_element_len(output, row, said.at ? said.at : "", (idx_t)said.length);
    }
}
