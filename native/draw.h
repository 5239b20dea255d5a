/* Programs that are drawn from the stages of a call, as stated.h writes them. */
#ifndef SQLRP_DRAW_H
#define SQLRP_DRAW_H

#include "program.h"

/* sqlrp_program(text, given) → BLOB. The text is the type of the tile, the number of entries, and the stages, with (cast TYPE) between two of
 * other types: DOUBLE 3 (signs 2 1.7320508075688772 7 0). A stage (given 5 0 2 3) stands for the bytes that are given: over five entries, the two operations after
 * the first 0, which leave three entries. (turned 1 (signs …)) are the weights of the sums for long rows, of entries of which the last one is a constant, and
 * (open (signs …)) is what draws those of any features. */
void write_program(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output);

#endif
