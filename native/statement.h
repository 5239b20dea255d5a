/* The statement of a call. */
#ifndef SQLRP_STATEMENT_H
#define SQLRP_STATEMENT_H

#include "vectors.h"

/* sqlrp_statement(function, opening, arguments VARCHAR[], keep VARCHAR[], features VARCHAR[], plan) → VARCHAR: the statement of a call, which
 * runs in the kernel, or that of sqlrp_macros, which begins with the macro `opening`. The arguments are the type and the text of each, in the
 * order of the function's, and the plan is what json_serialize_plan tells of DESCRIBE. Nothing is refused here: the macros have the words. */
void write_statement(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output);

/* sqlrp_relation(source) → VARCHAR: the source as it stands after FROM; no source at all for a text that is none. */
void write_relation(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output);

#endif
