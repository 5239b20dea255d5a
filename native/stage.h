/* The stages of a call, and the types of their numbers. */
#ifndef SQLRP_STAGE_H
#define SQLRP_STAGE_H

#include "stated.h"

#include <string.h>

#define MOST_STAGES 64

/* The last three are not the kernel's: a formula of each entry, the sums of a group of rows, and a row divided by its norm. */
typedef enum { SUMS, WEIGHTS, PRODUCTS, REFLECT, APPEND, MAP, GROUP, NORM } kind_of_stage;

/* What is known of a stage. `outputs`: the entries that it leaves. `largest`: its largest weight, `factors`: those of a product, `heaviest`: the
 * most products of a sum, `keeps`: it changes each entry alone, and `weights` how many others than 0 sums have. `said` is its text, and `formula` that of a map, as SQL over @. `given`: its operation is among the bytes that were
 * saved. */
typedef struct {
    kind_of_stage kind;
    words said, formula;
    int64_t inputs, outputs, largest, factors, heaviest, drawn, weights;
    int exact, given, keeps;
    double constant;
} stage;

/* Numbers of a type: FLOAT, DOUBLE, integers of so many bits, or decimals in units of 10^-digits. */
typedef enum { FLOATS, DOUBLES, INTEGERS, DECIMALS } kind_of_number;
typedef struct {
    kind_of_number kind;
    int64_t bits, digits;
} number;

/* Read stages, which stated.h says, over n entries. Returns how many they are; 0 for one that is not known. */
int64_t read_stages(words said, int64_t n, stage *found);

/* The length of a Hadamard transform of n entries. `block`: the order of Paley's matrix in it, or 1. `least`: not only powers of two. */
int64_t transform_length(int64_t n, int least, int64_t *block);

/* Whether an entry of Paley's matrix of an order is -1. */
int is_minus(int64_t block, int64_t entry);

/* The type of numbers by its name, and the narrowest that holds both. */
number number_of_type(words type);
number common_number(number one, number other);

/* The name of a type of sums: FLOAT, DOUBLE, INTEGER, BIGINT, or DECIMAL for BIGINT in units of 10^-digits. NULL for what the macros do. */
const char *type_of_number(number a);
static inline int is_decimal(const char *type) { return !strcmp(type, "DECIMAL"); }

/* The types before and after each stage. `held[i]` is that of the entries before stage i, and held[count] of the last. Returns 0 for numbers that
 * the kernel does not compute with. */
int type_stages(const stage *stages, int64_t count, number from, int scaled, const char **held, number *last);

/* The type of a tile of such numbers. */
const char *tile_of(const char *type);

#endif
