/* Text that grows. */
#include "text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>


words of_text(const char *said) { return (words){said, (int64_t)strlen(said)}; }

int same_words(words one, words other) {
    return one.at && other.at && one.length == other.length && !memcmp(one.at, other.at, (size_t)one.length);
}

int begins_with(words said, const char *start) {
    int64_t length = (int64_t)strlen(start);
    return said.at && said.length > length && !memcmp(said.at, start, (size_t)length);
}

static char folded(char letter) { return letter >= 'A' && letter <= 'Z' ? (char)(letter + 32) : letter; }

int same_name(words one, words other) {
    int64_t i = 0;
    if (!one.at || !other.at || one.length != other.length) return 0;
    while (i < one.length && folded(one.at[i]) == folded(other.at[i])) i++;
    return i == one.length;
}

/* Space for so many more letters, and a zero after them. */
static char *room_for(text *to, int64_t count) {
    int64_t room = 2 * (to->length + count + 1);
    if (!to->failed && to->length + count + 1 > to->room) {
        char *data = room > MOST_TEXT ? NULL : realloc(to->data, (size_t)room);
        if (!data) to->failed = 1;
        to->data = data ? data : to->data;
        to->room = data ? room : to->room;
    }
    return to->failed ? NULL : to->data + to->length;
}

void say_words(text *to, words said) {
    char *at = room_for(to, said.length);
    if (!at || !said.at) return;
    memcpy(at, said.at, (size_t)said.length);
    to->length += said.length;
    to->data[to->length] = 0;
}

void say(text *to, const char *format, ...) {
    va_list given, again;
    va_start(given, format);
    va_copy(again, given);
    int length = vsnprintf(NULL, 0, format, given);
    char *at = length < 0 ? NULL : room_for(to, length);
    if (at) vsnprintf(at, (size_t)length + 1, format, again);
    if (at) to->length += length;
    va_end(again);
    va_end(given);
}

void say_quoted(text *to, words said, char mark) {
    int64_t from = 0;
    say_words(to, (words){&mark, 1});
    for (int64_t i = 0; i < said.length; i++)
        if (said.at[i] == mark) {
            say_words(to, (words){said.at + from, i + 1 - from});
            from = i;
        }
    say_words(to, (words){said.at + from, said.length - from});
    say_words(to, (words){&mark, 1});
}

void say_real(text *to, double number) {
    char written[40];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(written, sizeof written, "%.*g", digits, number);
        if (strtod(written, NULL) == number) break;
    }
    say(to, strpbrk(written, ".en") ? "%s" : "%s.0", written);
}
