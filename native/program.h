/* Programs of the kernel as bytes that grow, operation by operation. native/sqlrp.h says what a program is. */
#ifndef SQLRP_PROGRAM_H
#define SQLRP_PROGRAM_H

#include "vectors.h"

#define MOST_MEMORY ((int64_t)1 << 26)

/* Bytes that grow. After a failure nothing is added. */
typedef struct {
    uint8_t *data;
    int64_t length, room;
    const char *failed;
} bytes;

/* Space for so many numbers of a size, all 0; NULL after a failure. */
void *add(bytes *to, int64_t count, int64_t size);
void add_number(bytes *to, int64_t value);
void add_copy(bytes *to, const void *from, int64_t count, int64_t size);

/* Lists of numbers of 8 bytes. List i is `entries[i]`. */
typedef struct {
    int64_t count;
    const duckdb_list_entry *entries;
    const void *numbers;
} lists;

/* What an operation is made of. A number that is not given is 0. */
typedef struct {
    const int64_t *numbers;
    int64_t given, type;
    lists index, weight;
} arguments;

/* Add the operation of a name. */
void add_operation(bytes *to, const char *name, const arguments *a);

#endif
