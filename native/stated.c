/* What a method's Python says, read as numbers. */
#include "stated.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sqlrp_methods.h" /* sql/extension/build.py writes the methods there */

#define MOST_DEPTH 100
#define PRIME 0x7FFFFFFF
#define MIN_OF(a, b) ((a) < (b) ? (a) : (b))
#define MAX_OF(a, b) ((a) > (b) ? (a) : (b))

reader reading(words said, const parameter *parameters, int64_t count) {
    return (reader){said.at, said.at + said.length, parameters, count, 0, 0, 0, 0};
}

value whole_value(int64_t whole) { return (value){WHOLE, whole, (double)whole, {NULL, 0}}; }
static value real_value(double real) { return (value){REAL, 0, real, {NULL, 0}}; }
static value nothing(void) { return (value){NOTHING, 0, 0, {NULL, 0}}; }
double as_real(value v) { return v.kind == WHOLE ? (double)v.whole : v.real; }

static void skip_spaces(reader *r) {
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\n')) r->at++;
}
static int next_is(reader *r, char wanted) {
    skip_spaces(r);
    return r->at < r->end && *r->at == wanted;
}

words read_word(reader *r) {
    skip_spaces(r);
    const char *from = r->at;
    if (next_is(r, '\'')) { /* a text, which holds no quote */
        const char *closing = memchr(from + 1, '\'', (size_t)(r->end - from - 1));
        if (!closing) return r->failed = 1, (words){NULL, 0};
        r->at = closing + 1;
    }
    while (r->at < r->end && *r->at != ' ' && *r->at != '\n' && *r->at != '(' && *r->at != ')') r->at++;
    return (words){r->at > from ? from : NULL, r->at - from};
}

int read_open(reader *r, words *operation) {
    if (r->failed || !next_is(r, '(')) return 0;
    r->at++;
    if (++r->depth > MOST_DEPTH) r->failed = 1;
    *operation = read_word(r);
    if (!operation->at) r->failed = 1;
    return !r->failed;
}

int read_close(reader *r) {
    if (r->failed || !next_is(r, ')')) return 0;
    r->at++;
    r->depth--;
    return 1;
}

words read_part(reader *r) {
    skip_spaces(r);
    const char *from = r->at;
    int64_t open = 0;
    do {
        int opens = next_is(r, '('), closes = next_is(r, ')');
        open += opens - closes;
        if (r->at >= r->end || open < 0)
            r->failed = 1;
        else if (opens || closes)
            r->at++;
        else
            read_word(r);
    } while (open && !r->failed);
    return (words){from, r->at - from};
}

static int is(words said, const char *wanted) { return same_words(said, of_text(wanted)); }

/* -- values --------------------------------------------------------------------------------------------------------- */

static value number_in(reader *r, words said) {
    char copy[64], *end;
    if (said.length >= (int64_t)sizeof copy) return r->failed = 1, nothing();
    memcpy(copy, said.at, (size_t)said.length);
    copy[said.length] = 0;
    value found = strpbrk(copy, ".enf") ? real_value(strtod(copy, &end)) : whole_value(strtoll(copy, &end, 10));
    if (*end) r->failed = 1;
    return found;
}

static value value_of(reader *r, words said) {
    if (!said.at) return r->failed = 1, nothing();
    if (is(said, "none")) return nothing();
    if (is(said, "true") || is(said, "false")) return whole_value(is(said, "true"));
    if (is(said, "@c")) return whole_value(r->component);
    if (is(said, "@j")) return whole_value(r->product);
    if (*said.at == '\'') return (value){WORDS, 0, 0, {said.at + 1, said.length - 2}};
    for (int64_t i = 0; i < r->count; i++)
        if (same_words(r->parameters[i].name, said)) return r->parameters[i].is;
    return number_in(r, said);
}

static int holds(value v) { return v.kind == REAL ? v.real != 0 : v.kind == WHOLE && v.whole; }

static value compared(reader *r, words operation, value a, value b) {
    int order;
    if (a.kind == NOTHING || b.kind == NOTHING) return nothing();
    if ((a.kind == WORDS) != (b.kind == WORDS)) return r->failed = 1, nothing();
    if (a.kind == WORDS)
        order = !same_words(a.said, b.said);
    else if (a.kind == WHOLE && b.kind == WHOLE)
        order = (a.whole > b.whole) - (a.whole < b.whole);
    else
        order = (as_real(a) > as_real(b)) - (as_real(a) < as_real(b));
    return whole_value(is(operation, "==")   ? !order
                       : is(operation, "!=") ? order != 0
                       : is(operation, "<")  ? order < 0
                       : is(operation, "<=") ? order <= 0
                       : is(operation, ">")  ? order > 0
                                             : order >= 0);
}

/* Quotients and remainders are those of DuckDB, of numbers that are not negative. */
static value computed_whole(reader *r, char operation, int64_t a, int64_t b) {
    int64_t found = 0;
    int wrong = operation == '+'   ? __builtin_add_overflow(a, b, &found)
                : operation == '-' ? __builtin_sub_overflow(a, b, &found)
                : operation == '*' ? __builtin_mul_overflow(a, b, &found)
                                   : a < 0 || b <= 0;
    if (wrong) return r->failed = 1, nothing();
    if (operation == '/') found = a / b;
    if (operation == '%') found = a % b;
    return whole_value(found);
}

static value computed(reader *r, words operation, value a, value b) {
    char first = *operation.at;
    if (a.kind == NOTHING || b.kind == NOTHING) return nothing();
    if (a.kind == WORDS || b.kind == WORDS) return r->failed = 1, nothing();
    if (is(operation, "/")) return real_value(as_real(a) / as_real(b));
    if (a.kind == WHOLE && b.kind == WHOLE) return computed_whole(r, first, a.whole, b.whole);
    if (first == '+') return real_value(as_real(a) + as_real(b));
    if (first == '-') return real_value(as_real(a) - as_real(b));
    if (first == '*') return real_value(as_real(a) * as_real(b));
    return r->failed = 1, nothing();
}

/* The number of monomials of a degree. More than are written out are a failure. */
static value monomials(reader *r, value n, value degree) {
    double found = 1;
    int64_t fewer = MIN_OF(degree.whole, n.whole - 1), more = MAX_OF(degree.whole, n.whole - 1);
    if (n.kind != WHOLE || degree.kind != WHOLE) r->failed = 1;
    for (int64_t i = 1; i <= fewer && !r->failed; i++) {
        found = round(found * (double)(more + i) / (double)i);
        if (found > SQLRP_MOST_MONOMIALS) r->failed = 1;
    }
    return whole_value((int64_t)found);
}

static value of_function(reader *r, words operation, const value *given) {
    value a = given[0], b = given[1];
    int none = a.kind == NOTHING || b.kind == NOTHING;
    if (is(operation, "sqrt")) return a.kind == NOTHING ? a : real_value(sqrt(as_real(a)));
    if (is(operation, "power")) return none ? nothing() : real_value(pow(as_real(a), as_real(b)));
    if (is(operation, "least")) return none ? nothing() : as_real(a) < as_real(b) ? a : b;
    if (is(operation, "greatest")) return none ? nothing() : as_real(a) > as_real(b) ? a : b;
    if (is(operation, "n_monomials")) return monomials(r, a, b);
    if (is(operation, "resolve_s")) {
        if (a.kind == WORDS && b.kind == WHOLE) return real_value(sqrt((double)b.whole));
        if (a.kind == REAL) return a;
    }
    r->failed = 1;
    return nothing();
}

/* The value of an operation, whose name was read. Of a choice, one part is read alone. */
static value applied(reader *r, words operation) {
    value given[3] = {nothing(), nothing(), nothing()};
    if (is(operation, "choose") || is(operation, "where")) {
        if (!holds(read_value(r))) read_part(r);
        given[0] = read_value(r);
        if (!next_is(r, ')')) read_part(r);
        if (!read_close(r)) r->failed = 1;
        return given[0];
    }
    for (int i = 0; i < 3 && !r->failed && !next_is(r, ')'); i++) given[i] = read_value(r);
    if (!read_close(r)) r->failed = 1;
    if (r->failed) return nothing();
    if (is(operation, "not")) return whole_value(!holds(given[0]));
    if (is(operation, "and")) return whole_value(holds(given[0]) && holds(given[1]));
    if (is(operation, "present")) return whole_value(given[0].kind != NOTHING);
    if (strchr("=!<>", *operation.at)) return compared(r, operation, given[0], given[1]);
    if (strchr("+-*/%", *operation.at)) return computed(r, operation, given[0], given[1]);
    return of_function(r, operation, given);
}

value read_value(reader *r) {
    words operation;
    if (read_open(r, &operation)) return applied(r, operation);
    return r->failed ? nothing() : value_of(r, read_word(r));
}

int64_t read_whole(reader *r, int64_t least, int64_t most) {
    value found = read_value(r);
    if (found.kind != WHOLE || found.whole < least || found.whole > most) r->failed = 1;
    return r->failed ? least : found.whole;
}

double read_real(reader *r) {
    value found = read_value(r);
    if (found.kind != WHOLE && found.kind != REAL) r->failed = 1;
    return r->failed ? 1 : as_real(found);
}

/* -- stages with numbers ---------------------------------------------------------------------------------------------- */

static void say_value(text *to, value v) {
    if (v.kind == NOTHING) say(to, "none");
    if (v.kind == WHOLE) say(to, "%lld", (long long)v.whole);
    if (v.kind == REAL) say_real(to, v.real);
    if (v.kind == WORDS) say_quoted(to, v.said, '\'');
}

/* Read one of two parts, by the condition before them. */
static words chosen(reader *r) {
    int first = holds(read_value(r));
    words one = read_part(r), other = read_part(r);
    if (!read_close(r)) r->failed = 1;
    return first ? one : other;
}

static reader within(const reader *r, words said) {
    reader inner = *r;
    inner.at = said.at;
    inner.end = said.at + said.length;
    return inner;
}

words read_chosen(reader *r) {
    words part = read_part(r), operation;
    for (reader inner = within(r, part); read_open(&inner, &operation) && is(operation, "choose"); inner = within(r, part)) {
        part = chosen(&inner);
        r->failed |= inner.failed;
    }
    return part;
}

/* An expression with numbers in the place of names. It stays one where it is over the numbers of sums or products. */
static void fill_value(reader *r, text *to) {
    words part = read_part(r), operation;
    reader inner = within(r, part);
    if (r->failed) return;
    if (!memchr(part.at, '@', (size_t)part.length) || *part.at == '@' || *part.at == '\'') {
        if (*part.at == '@' || *part.at == '\'')
            say_words(to, part);
        else
            say_value(to, read_value(&inner));
    } else if (read_open(&inner, &operation)) {
        say(to, "(%.*s", (int)operation.length, operation.at);
        while (!inner.failed && !next_is(&inner, ')')) say(to, " "), fill_value(&inner, to);
        say(to, ")");
    }
    r->failed |= inner.failed;
}

/* A formula: its text, with DOUBLEs in the place of parameters. */
static void fill_map(reader *r, text *to) {
    say(to, "(map '");
    while (!r->failed && !read_close(r)) {
        value part = read_value(r);
        if (part.kind == WORDS)
            say_words(to, part.said);
        else if (part.kind != NOTHING && isfinite(as_real(part)))
            say(to, "(%.16e)", as_real(part));
        else
            r->failed = 1;
    }
    say(to, "')");
}

static void fill_stage(reader *r, text *to);
static void fill_part(reader *r, words part, text *to) {
    reader inner = within(r, part);
    fill_stage(&inner, to);
    r->failed |= inner.failed;
}

/* The circular convolution of `degree` vectors of k entries: one after another, and those that wait are carried along. */
static void fill_convolutions(reader *r, text *to) {
    int64_t k = read_whole(r, 1, PRIME), degree = read_whole(r, 1, SQLRP_MOST_STATED);
    for (int64_t ahead = degree - 2; ahead >= 0 && !r->failed; ahead--) say(to, "(convolve %lld %lld)", (long long)k, (long long)ahead);
    if (!read_close(r)) r->failed = 1;
}

static void fill_stage(reader *r, text *to) {
    words operation;
    if (!read_open(r, &operation)) {
        r->failed = 1;
    } else if (is(operation, "choose")) {
        fill_part(r, chosen(r), to);
    } else if (is(operation, "list")) {
        while (!r->failed && !read_close(r)) fill_stage(r, to);
    } else if (is(operation, "convolutions")) {
        fill_convolutions(r, to);
    } else if (is(operation, "map")) {
        fill_map(r, to);
    } else {
        int outer = is(operation, "split") || is(operation, "across");
        say(to, "(%.*s", (int)operation.length, operation.at);
        for (int i = 0; !r->failed && !read_close(r); i++) {
            say(to, " ");
            if (outer && !i)
                fill_stage(r, to);
            else
                fill_value(r, to);
        }
        say(to, ")");
    }
}

void fill(reader *r, text *to) {
    while (!r->failed && (skip_spaces(r), r->at < r->end)) fill_stage(r, to);
}
