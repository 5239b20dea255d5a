/* What the Python of a method says of its stages, as text: expressions that stand in parentheses after their operation.
 *
 *     (choose (== vectors 'sign') (signs k (resolve_s s n) seed 0) (normals k seed 7))
 *
 * sqlrp/_store/method_data.py writes it. Names are those of parameters, and `n` is the number of features; @c and @j are the
 * numbers of a sum and of a product. `fill` writes the stages with numbers in the place of names, as sqlrp_program reads them:
 *
 *     (signs 64 1.7320508075688772 7 0)
 */
#ifndef SQLRP_STATED_H
#define SQLRP_STATED_H

#include "text.h"

/* NOTHING is SQL's NULL, and Python's None. A flag is a whole number. */
typedef enum { NOTHING, WHOLE, REAL, WORDS } kind_of_value;

typedef struct {
    kind_of_value kind;
    int64_t whole;
    double real;
    words said;
} value;

typedef struct {
    words name;
    value is;
} parameter;

/* A text that is read, from `at` to `end`. `failed` is set for one that cannot be read, and for numbers that are too large. */
typedef struct {
    const char *at, *end;
    const parameter *parameters;
    int64_t count, component, product;
    int depth, failed;
} reader;

reader reading(words said, const parameter *parameters, int64_t count);

value whole_value(int64_t whole);
double as_real(value v);

/* Read an expression, and its value. */
value read_value(reader *r);
int64_t read_whole(reader *r, int64_t least, int64_t most);
double read_real(reader *r);

/* Read the next word; without an address at the end, or at a parenthesis. */
words read_word(reader *r);

/* Whether a parenthesis opens: then the operation is read. */
int read_open(reader *r, words *operation);
int read_close(reader *r);

/* The text of the next expression, which is passed over. */
words read_part(reader *r);

/* The text of the next expression, where choices between two are made. */
words read_chosen(reader *r);

/* Write the stages up to the end. */
void fill(reader *r, text *to);

/* What a method's Python says: its parameters, when it refuses them, its stages, and the factor of its results. A parameter is
 * (name TYPE default check …), where the default is a text of that type, or none, and the check ends in ? if the argument may be NULL. */
typedef struct {
    const char *name, *parameters, *refused, *stages, *factor;
} method;

/* The method of a function; NULL for an unknown one. A saved projection whose stages were all saved has the function '', the factor and k as
 * parameters. */
const method *method_named(words name);

#endif
