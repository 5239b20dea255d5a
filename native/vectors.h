/* What DuckDB hands over: vectors, lists and texts. */
#ifndef SQLRP_VECTORS_H
#define SQLRP_VECTORS_H

#include "duckdb_extension.h"
#include "sqlrp.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

DUCKDB_EXTENSION_EXTERN

#define ERROR_SIZE 320

static inline duckdb_vector argument(duckdb_data_chunk input, idx_t i) { return duckdb_data_chunk_get_vector(input, i); }
static inline int known(const uint64_t *valid, idx_t at) { return !valid || valid[at / 64] >> at % 64 & 1; }
static inline int valid_at(duckdb_vector vector, idx_t row) { return known(duckdb_vector_get_validity(vector), row); }

/* A text or a blob; NULL has no bytes. */
static inline const char *text_at(duckdb_vector vector, idx_t row, int64_t *length) {
    *length = 0;
    duckdb_string_t *s = duckdb_vector_get_data(vector);
    if (!s || !valid_at(vector, row)) return "";
    *length = duckdb_string_t_length(s[row]);
    return duckdb_string_t_data(s + row);
}

static inline int is_text(duckdb_vector vector, idx_t row, const char *wanted) {
    int64_t length;
    const char *text = text_at(vector, row, &length);
    return length == (int64_t)strlen(wanted) && !memcmp(text, wanted, length);
}

static inline duckdb_list_entry list_at(duckdb_vector vector, idx_t row) {
    const duckdb_list_entry *entries = duckdb_vector_get_data(vector);
    return entries && valid_at(vector, row) ? entries[row] : (duckdb_list_entry){0, 0};
}

/* Whether two rows have the same text or blob. */
static inline int same_text(duckdb_vector vector, idx_t row, idx_t other) {
    int64_t length, theirs;
    const char *text = text_at(vector, row, &length), *found = text_at(vector, other, &theirs);
    return length == theirs && valid_at(vector, row) == valid_at(vector, other) && (text == found || !memcmp(text, found, length));
}

/* A program, which DuckDB may keep at any address, at a multiple of 8. */
static inline const void *aligned(const void *given, int64_t length, void **copy) {
    *copy = (uintptr_t)given % 8 ? malloc((size_t)length) : NULL;
    return *copy ? memcpy(*copy, given, (size_t)length) : given;
}

static inline void report(duckdb_function_info info, const char *failed) {
    char words[ERROR_SIZE + 8];
    snprintf(words, sizeof words, "sqlrp: %s", failed);
    duckdb_scalar_function_set_error(info, words);
}

#endif
