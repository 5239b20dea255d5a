/* The functions of the extension that write statements. */
#ifndef SQLRP_ENTRY_H
#define SQLRP_ENTRY_H

#include "text.h"
#include "vectors.h"

static inline words word_at(duckdb_vector vector, idx_t row) {
    words found;
    const char *at = text_at(vector, row, &found.length);
    found.at = valid_at(vector, row) ? at : NULL;
    return found;
}

/* sqlrp_statement(function, opening, arguments VARCHAR[], keep VARCHAR[], features VARCHAR[], plan, saved VARCHAR[]) → VARCHAR: the
 * statement of a call, which runs in the kernel, or that of sqlrp_macros, which begins with the macro `opening`. The arguments are the type and
 * the text of each, in the order of the function's, and the plan is what json_serialize_plan tells of DESCRIBE. `saved` is NULL, or what the
 * macro "sqlrp_call …" has of a saved projection, which is the first argument: its function, its first stages, the number of its arguments with
 * their types, those, and the names of its features. Nothing is refused here: the macros have the words. */
void write_statement(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output);

/* sqlrp_relation(source) → VARCHAR: the source as it stands after FROM; no source at all for a text that is none. */
void write_relation(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output);

#endif
