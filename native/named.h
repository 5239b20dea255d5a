/* Calls of the functions by their names alone, in databases that have no macros. */
#ifndef SQLRP_NAMED_H
#define SQLRP_NAMED_H

#include "vectors.h"

/* sqlrp(function, arguments STRUCT) → VARCHAR: FROM query(sqlrp('rp_project', {'source': 'docs', 'k': 4})) is what
 * FROM rp_project('docs', k := 4) is. Functions of the extension are found whatever the current database is, and macros are not. */
void write_named(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output);

/* sqlrp_or_macros(statement, plan) → VARCHAR: the statement. If it begins with the macros, and the plan of one of them says that there are none,
 * an error that says how they are found. */
void write_or_macros(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output);

#endif
