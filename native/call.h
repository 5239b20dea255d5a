/* A call of a function, its source, and what its statement is written from. */
#ifndef SQLRP_CALL_H
#define SQLRP_CALL_H

#include "source.h"
#include "stage.h"
#include "vectors.h"

#define MOST_PARAMETERS 40

static inline int is(words said, const char *wanted) { return same_words(said, of_text(wanted)); }

/* The stages of a saved projection: the end of the name of the macro "sqlrp_bytes …" that has their operations, how many they are, for
 * how many features (0 for any number), whether they are of DOUBLE alone, as those of a prepared source are, and the stages as text. Without a
 * name there are none. */
typedef struct {
    words name, stages;
    int64_t n, operations;
    int prepared;
} saved_stages;

/* A call, whose texts are DuckDB's. */
typedef struct {
    const method *of;
    parameter parameters[MOST_PARAMETERS];
    int64_t count;
    named_columns named;
    saved_stages saved;
    table source;
    frame frame;
} call;

/* What the statement of a call is written from. The operations of the first `given` stages were saved. The first `cells` stages are the sums of long
 * rows, whose weights are drawn cell by cell if they are `open`. The kernel does the first `native` stages in one call, whose results are of type
 * `listed`, and others of its stages in calls over the lists after a formula. Those of the last stage are of type `entry`, times `factor` if there are
 * stages after the first call. Decimals have so many `digits`, and `decimal` is the type of those of the last stage. `guarded`: a column ok
 * is 0 for rows without NULL, and NULL for others. `own` begins the names of the statement's own tables. */
typedef struct {
    stage stages[MOST_STAGES];
    const char *held[MOST_STAGES + 1], *last, *result, *listed, *entry;
    int64_t count, given, cells, native, k, fields, digits;
    double factor;
    words output, nulls;
    int times, guarded, open;
    char own[16], decimal[24];
} plan;
/* The text of an argument. */
words word_of(const call *c, const char *name);

/* Read the arguments, the source and the stages of a call; 0 for what the macros do. `filled` becomes the text of the stages. */
int read_call(call *c, const words *given, int64_t count, words described, words saved, text *filled, plan *p);

#endif
