/* Programs over the chunks of DuckDB. */
#ifndef SQLRP_RUN_H
#define SQLRP_RUN_H

#include "program.h"

#define MOST_FIELDS 1024

/* sqlrp_kernel_float and its like: see extension.c. Their extra info is the type of the results, and how many fields they have. */
void run_chunk(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output);

#endif
