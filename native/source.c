/* The source of a call. */
#include "source.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* -- its name ---------------------------------------------------------------------------------------------------------- */

static int ends_with(words name, const char *ending) {
    int64_t length = (int64_t)strlen(ending);
    return name.length >= length && same_name((words){name.at + name.length - length, length}, of_text(ending));
}

/* The length of the next part: a quoted name, or all up to a dot. */
static int64_t part_of(const char *at, int64_t left) {
    int64_t i = 1;
    if (!left || *at == '.') return 0;
    if (*at != '"') {
        while (i < left && at[i] != '.') i++;
        return i;
    }
    for (; i < left; i++) {
        if (at[i] != '"') continue;
        if (i + 1 == left || at[i + 1] != '"') return i + 1;
        i++;
    }
    return 0;
}

int say_relation(text *to, words source) {
    static const char *const files[] = {".parquet", ".csv", ".tsv", ".csv.gz", ".json", ".jsonl", ".ndjson", ".arrow"};
    int64_t at = 0, blank = 0;
    if (!source.at) return 0;
    while (blank < source.length && source.at[blank] == ' ') blank++;
    if (blank == source.length || memchr(source.at, 0, (size_t)source.length)) return 0;
    for (size_t i = 0; i < sizeof files / sizeof *files && !memchr(source.at, '"', (size_t)source.length); i++)
        if (ends_with(source, files[i])) return say_quoted(to, source, '\''), 1;
    while (at < source.length) {
        int64_t length = part_of(source.at + at, source.length - at);
        if (!length || (at + length < source.length && source.at[at + length] != '.') || at + length + 1 == source.length) return 0;
        if (source.at[at] == '"')
            say_words(to, (words){source.at + at, length});
        else
            say_quoted(to, (words){source.at + at, length}, '"');
        at += length + 1;
        if (at < source.length) say(to, ".");
    }
    return 1;
}

/* -- its columns, in JSON ------------------------------------------------------------------------------------------------- */

/* `to`: where texts are written, whose escapes are read. */
typedef struct {
    const char *at, *end;
    char *to;
    int failed;
} json;

static int next_char(json *j) {
    while (j->at < j->end && strchr(" \n\r\t,:", *j->at) && *j->at) j->at++;
    if (j->at >= j->end || !*j->at) j->failed = 1;
    return j->failed ? 0 : *j->at;
}

static void add_letter(json *j, unsigned letter) {
    if (letter >= 0x10000) *j->to++ = (char)(0xF0 | letter >> 18);
    if (letter >= 0x800) *j->to++ = (char)((letter >= 0x10000 ? 0x80 : 0xE0) | (letter >> 12 & (letter >= 0x10000 ? 0x3F : 0x0F)));
    if (letter >= 0x80) *j->to++ = (char)((letter >= 0x800 ? 0x80 : 0xC0) | (letter >> 6 & (letter >= 0x800 ? 0x3F : 0x1F)));
    *j->to++ = (char)(letter >= 0x80 ? 0x80 | (letter & 0x3F) : letter);
}

static unsigned four_digits(json *j) {
    unsigned found = 0;
    for (int i = 0; i < 4; i++) {
        const char *digits = "0123456789abcdef0123456789ABCDEF", *place = j->at < j->end && *j->at ? strchr(digits, *j->at) : NULL;
        if (!place) return j->failed = 1, 0;
        found = found * 16 + (unsigned)((place - digits) % 16);
        j->at++;
    }
    return found;
}

static void read_escape(json *j) {
    const char *names = "\"\"\\\\//b\bf\fn\nr\rt\t", *place;
    char escaped = j->at < j->end ? *j->at++ : 0;
    for (place = names; *place && *place != escaped; place += 2) continue;
    if (*place) {
        *j->to++ = place[1];
    } else if (escaped == 'u') {
        unsigned letter = four_digits(j);
        if (letter >= 0xD800 && letter < 0xDC00 && j->end - j->at > 6 && j->at[0] == '\\' && j->at[1] == 'u') {
            j->at += 2;
            letter = 0x10000 + ((letter - 0xD800) << 10) + ((four_digits(j) - 0xDC00) & 0x3FF);
        }
        add_letter(j, letter);
    } else
        j->failed = 1;
}

static words read_text(json *j) {
    char *from = j->to;
    if (next_char(j) != '"') return j->failed = 1, (words){NULL, 0};
    for (j->at++; j->at < j->end && *j->at != '"' && !j->failed;) {
        if (*j->at == '\\')
            j->at++, read_escape(j);
        else
            *j->to++ = *j->at++;
    }
    if (j->at++ >= j->end) j->failed = 1;
    return (words){from, j->to - from};
}

static void skip_text(json *j) {
    for (j->at++; j->at < j->end && *j->at != '"'; j->at++)
        if (*j->at == '\\') j->at++;
    if (j->at++ >= j->end) j->at = j->end, j->failed = 1;
}

/* Pass over a value of any kind. */
static void skip_value(json *j) {
    int64_t open = 0;
    do {
        int c = next_char(j);
        if (c == '"')
            skip_text(j);
        else if (c == '{' || c == '[')
            open++, j->at++;
        else if (c == '}' || c == ']')
            open--, j->at++;
        else
            while (j->at < j->end && !strchr(" \n\r\t,:{}[]\"", *j->at)) j->at++;
    } while (open > 0 && !j->failed);
}

/* Go to a value of an object by its name, or to the first of a list if the name is "". */
static int enter(json *j, const char *name) {
    int c = next_char(j);
    if (j->failed || c != (*name ? '{' : '[')) return 0;
    j->at++;
    if (!*name) return next_char(j) != ']' && !j->failed;
    while (next_char(j) == '"' && !j->failed) {
        char *before = j->to;
        int found = same_words(read_text(j), of_text(name));
        j->to = before;
        if (found) return !j->failed;
        skip_value(j);
    }
    return 0;
}

/* The texts of a list of values, each an object: of all its columns, as many as there is room for. */
static int64_t read_values(json *j, words *found, int64_t room) {
    int64_t count = 0;
    if (next_char(j) != '[') j->failed = 1;
    j->at++;
    while (next_char(j) == '{' && !j->failed) {
        json inside = *j;
        words said = enter(&inside, "value") && next_char(&inside) == '"' ? read_text(&inside) : (words){NULL, 0};
        j->to = inside.to;
        j->failed |= inside.failed && said.at;
        if (count < room) found[count] = said;
        count++;
        skip_value(j);
    }
    if (next_char(j) == ']') j->at++;
    return count;
}

int read_table(words plan, table *found) {
    static const char *const path[] = {"plans", "", "children", "", "collection", "values", ""};
    json j = {plan.at, plan.at + plan.length, NULL, 0};
    int there = plan.at != NULL;
    int64_t room = plan.length / 8 + 1;
    found->pool = malloc((size_t)plan.length + 1);
    words *texts = malloc((size_t)room * 3 * sizeof *texts);
    found->columns = malloc((size_t)room * sizeof *found->columns);
    j.to = found->pool;
    if (!found->pool || !texts || !found->columns) there = 0;
    for (size_t i = 0; there && i < sizeof path / sizeof *path; i++) there = enter(&j, path[i]);
    found->count = there ? read_values(&j, texts, room) : 0;
    for (int i = 1; i < 3 && there; i++) there = read_values(&j, texts + i * room, room) == found->count && found->count <= room;
    for (int64_t c = 0; c < found->count && there; c++) {
        there = texts[c].at && texts[room + c].at && !j.failed;
        found->columns[c] = (column){texts[c], texts[room + c], !same_words(texts[2 * room + c], of_text("NO"))};
    }
    free(texts);
    return there && !j.failed && found->count;
}

/* -- its features -------------------------------------------------------------------------------------------------------- */

int is_one_of(words type, const char *const *names) {
    while (*names && !same_words(type, of_text(*names))) names++;
    return *names != NULL;
}

static int is_array(words type) { return type.length && type.at[type.length - 1] == ']'; }
int is_list(words type) { return type.length > 1 && is_array(type) && type.at[type.length - 2] == '['; }

words base_type(words type) {
    int64_t length = type.length - 1;
    if (!is_array(type)) return type;
    while (length > 0 && type.at[length - 1] >= '0' && type.at[length - 1] <= '9') length--;
    return length > 0 && type.at[length - 1] == '[' ? (words){type.at, length - 1} : type;
}

static int is_whole(words type) {
    static const char *const numbers[] = {"BOOLEAN", "TINYINT", "UTINYINT", "SMALLINT", "USMALLINT", "INTEGER", "UINTEGER", "BIGINT",
                                          "UBIGINT", "HUGEINT", "UHUGEINT", NULL};
    return is_one_of(type, numbers);
}

static int is_number(words type) {
    static const char *const floats[] = {"FLOAT", "DOUBLE", "BIGNUM", NULL};
    return is_whole(type) || is_one_of(type, floats) || (begins_with(type, "DECIMAL(") && !is_array(type));
}

/* How many numbers an array has; 0 for a list. */
static int64_t array_length(words type) {
    int64_t found = 0;
    for (int64_t i = base_type(type).length + 1; i < type.length - 1 && found < (1 << 20); i++) found = found * 10 + (type.at[i] - '0');
    return found;
}

/* The column of a name. The search begins at a place, as names often stand in the order of the columns. */
static const column *find_from(const table *from, words name, int64_t place) {
    for (int64_t i = 0; i < from->count; i++) {
        const column *c = from->columns + (place + i) % from->count;
        if (same_name(c->name, name)) return c;
    }
    return NULL;
}
static const column *find(const table *from, words name) { return find_from(from, name, 0); }

static int is_kept(const frame *f, const column *c) {
    int64_t i = 0;
    while (i < f->kept_count && f->kept[i] != c) i++;
    return i < f->kept_count;
}

static int keep_column(const table *from, words name, frame *f) {
    const column *c = find(from, name);
    if (!c || is_kept(f, c) || f->kept_count == MOST_KEPT) return 0;
    f->kept[f->kept_count++] = c;
    return 1;
}

static int add_feature(frame *f, const column *c) {
    for (int64_t i = 0; i < f->count && f->array == 0; i++)
        if (f->features[i] == c) return 0;
    f->features[f->count++] = c;
    return !is_kept(f, c);
}

static int read_array(const table *from, const named_columns *named, frame *f) {
    const column *c = find(from, named->array_column);
    f->array = 1;
    if (!c || !is_array(c->type) || !is_number(base_type(c->type)) || named->features_count || !add_feature(f, c)) return 0;
    f->n = is_list(c->type) ? named->n_features : array_length(c->type);
    return f->n > 0;
}

static int is_enum(words type) { return begins_with(type, "ENUM(") && !is_array(type); }

/* Long rows, whose features are numbers or words. */
static int read_long(const table *from, const named_columns *named, frame *f) {
    f->place = find(from, named->feature.at ? named->feature : of_text("feature"));
    const column *c = find(from, named->value.at ? named->value : of_text("value"));
    if (!f->place || !c || !is_number(c->type) || named->features_count || named->keep_count || !f->kept_count) return 0;
    f->n = named->n_features;
    f->words = same_words(f->place->type, of_text("VARCHAR")) || is_enum(f->place->type);
    f->open = f->words || !f->n;
    return (f->words || is_whole(f->place->type)) && f->place != c && !is_kept(f, f->place) && add_feature(f, c);
}

/* All numeric columns are features. An array with more numbers may be what is meant. */
static int read_all(const table *from, frame *f) {
    int64_t longest = 0;
    f->all = 1;
    for (const column *c = from->columns; c < from->columns + from->count; c++) {
        if (is_kept(f, c)) continue;
        if (is_number(c->type)) f->features[f->count++] = c;
        if (!is_array(c->type) || !is_number(base_type(c->type))) continue;
        int64_t length = is_list(c->type) ? 64 : array_length(c->type);
        if (length > longest) longest = length;
    }
    f->n = f->count;
    return f->n && f->n >= longest;
}

static int read_named(const table *from, const named_columns *named, frame *f) {
    for (int64_t i = 0, place = 0; i < named->features_count; i++) {
        const column *c = find_from(from, named->features[i], place);
        place = c ? c - from->columns + 1 : 0;
        if (!c || !is_number(c->type) || f->count == from->count || !add_feature(f, c)) return 0;
    }
    f->n = f->count;
    return 1;
}

int read_frame(const table *from, const named_columns *named, frame *found) {
    found->features = malloc((size_t)from->count * sizeof *found->features);
    int fits = found->features != NULL;
    if (named->key.at) fits &= keep_column(from, named->key, found);
    for (int64_t i = 0; i < named->keep_count && fits; i++) fits = keep_column(from, named->keep[i], found);
    if (!fits) return 0;
    if (named->feature.at || named->value.at) return !named->array_column.at && read_long(from, named, found);
    if (named->array_column.at) return read_array(from, named, found);
    return named->features_count ? read_named(from, named, found) : read_all(from, found);
}
