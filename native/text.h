/* Text that grows. After a failure nothing is added. */
#ifndef SQLRP_TEXT_H
#define SQLRP_TEXT_H

#include <stdint.h>

#define MOST_TEXT ((int64_t)1 << 28)

typedef struct {
    char *data;
    int64_t length, room;
    int failed;
} text;

/* A part of a text that belongs to others. Without an address it is NULL. */
typedef struct {
    const char *at;
    int64_t length;
} words;

words of_text(const char *said);
int same_words(words one, words other);
/* Whether words begin with others, and go on. */
int begins_with(words said, const char *start);

/* Whether two names are the same to DuckDB, which folds the case of ASCII letters alone. */
int same_name(words one, words other);

void say_words(text *to, words said);
void say(text *to, const char *format, ...);

/* Words between two marks, which are doubled within: "a name", or 'a string'. */
void say_quoted(text *to, words said, char mark);

/* A number that is read as the same one, and as no whole number. */
void say_real(text *to, double number);

#endif
