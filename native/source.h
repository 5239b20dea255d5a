/* The source of a call: its name, its columns, and which of them hold the features. */
#ifndef SQLRP_SOURCE_H
#define SQLRP_SOURCE_H

#include "text.h"

#define MOST_KEPT 64

typedef struct {
    words name, type;
    int nullable;
} column;

typedef struct {
    char *pool;
    column *columns;
    int64_t count;
} table;

/* What a call reads of a table. `features` are columns of numbers, one column of arrays, or the values of long rows, whose features are the numbers in the
 * column `place`, or its words. `n`: how many features there are; 0 if no one knows. `open`: they are no positions. */
typedef struct {
    const column *kept[MOST_KEPT];
    const column **features, *place;
    int64_t kept_count, count, n;
    int array, all, words, open; /* all: no one named them */
} frame;

/* What a call names. A column that is not named has no address. */
typedef struct {
    words key, array_column, feature, value;
    const words *keep, *features;
    int64_t keep_count, features_count, n_features;
} named_columns;

/* Write the source as it stands after FROM: a file's path, or quoted parts; 0 for a text that is neither. */
int say_relation(text *to, words source);

/* The columns that json_serialize_plan tells of DESCRIBE; 0 for an error. */
int read_table(words plan, table *found);

/* Find the columns that a call reads; 0 for what the macros have words for. Only the call's own columns may be named twice in no spelling. */
int read_frame(const table *from, const named_columns *named, frame *found);

/* The type of numbers, or of those in an array, without its length. */
words base_type(words type);
int is_list(words type);
int is_one_of(words type, const char *const *names);

#endif
