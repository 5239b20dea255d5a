/* The arguments of sqlrp_statement and sqlrp_relation, which sql/duckdb/calls.sql calls where the extension is loaded. */
#include "entry.h"
#include "statement.h"

/* Room for the texts of the longest list of a row, and for the arguments that were saved. */
static int64_t room_for(duckdb_data_chunk input, idx_t row) {
    static const idx_t LISTS[] = {2, 3, 4, 6};
    idx_t longest = 0;
    for (int i = 0; i < 4; i++) {
        idx_t length = list_at(argument(input, LISTS[i]), row).length;
        if (length > longest) longest = length;
    }
    return (int64_t)longest + 2 * MOST_PARAMETERS + 2;
}

/* The texts of a list. */
static int64_t words_of(duckdb_vector vector, idx_t row, words *found) {
    duckdb_list_entry list = list_at(vector, row);
    duckdb_vector child = duckdb_list_vector_get_child(vector);
    for (idx_t i = 0; i < list.length; i++) found[i] = word_at(child, list.offset + i);
    return (int64_t)list.length;
}

/* What the macros begin with, whose arguments are written as they were given. */
static void say_macros(duckdb_data_chunk input, idx_t row, text *to) {
    say(to, "FROM query(sqlrp_macros('', ");
    say_quoted(to, word_at(argument(input, 1), row), '\'');
    for (idx_t list = 2; list < 5; list++) {
        duckdb_list_entry entry = list_at(argument(input, list), row);
        duckdb_vector child = duckdb_list_vector_get_child(argument(input, list));
        say(to, list > 2 ? ", CAST([" : ", [");
        for (idx_t i = 0; i < entry.length; i++) {
            words given = word_at(child, entry.offset + i);
            say(to, i ? ", " : "");
            if (given.at)
                say_quoted(to, given, '\'');
            else
                say(to, "CAST(NULL AS VARCHAR)");
        }
        say(to, list > 2 ? "] AS VARCHAR[])" : "]");
    }
    say(to, ", NULL, NULL))");
}

/* What a call is given. `own`: room for other arguments. */
typedef struct {
    words *arguments, *keep, *features, *saved, *own;
    int64_t count, kept, named, told;
} given_texts;

/* Leave the types and the texts of `keep` and `features` out, which end the arguments. 0 for one that is a text, and no list. */
static int take_names(given_texts *g) {
    g->count -= 4;
    return g->count >= 0 && !is(g->arguments[g->count], "VARCHAR") && !is(g->arguments[g->count + 2], "VARCHAR");
}

/* Make the call of a saved projection one of its own function: behind the source stand the arguments that were saved, in the place of its name, and
 * its features are those that it is for. 0 for what the macros do. */
static int take_saved(given_texts *g, words *function) {
    reader r = reading(g->told > 2 && g->saved[2].at ? g->saved[2] : of_text("none"), NULL, 0);
    int64_t own = read_whole(&r, 0, 2 * MOST_PARAMETERS), names = g->told - 3 - own, others = g->count - 4;
    if (r.failed || names < 0 || others < 0 || (names && g->named)) return 0;
    memcpy(g->own, g->arguments + 2, 2 * sizeof *g->own); /* the source */
    memcpy(g->own + 2, g->saved + 3, (size_t)own * sizeof *g->own);
    memcpy(g->own + 2 + own, g->arguments + 4, (size_t)others * sizeof *g->own);
    *function = g->saved[0];
    g->arguments = g->own, g->count = own + others + 2;
    if (names) g->features = g->saved + 3 + own, g->named = names;
    return 1;
}

/* Write the statement of a row of arguments; 0 for what the macros do. `room`: for five lists of `most` texts. */
static int state(duckdb_data_chunk input, idx_t row, words *room, int64_t most, text *to) {
    given_texts g = {room, room + most, room + 2 * most, room + 3 * most, room + 4 * most, 0, 0, 0, 0};
    words function = word_at(argument(input, 0), row), first = {NULL, 0};
    plan p = {0};
    text filled = {0};
    g.count = words_of(argument(input, 2), row, g.arguments);
    g.kept = words_of(argument(input, 3), row, g.keep);
    g.named = words_of(argument(input, 4), row, g.features);
    g.told = words_of(argument(input, 6), row, g.saved);
    if (!take_names(&g)) return 0;
    if (g.told > 1) first = g.saved[1];
    if (g.told && !take_saved(&g, &function)) return 0;
    call c = {.of = function.at ? method_named(function) : NULL};
    c.named = (named_columns){.keep = g.keep, .features = g.features, .keep_count = g.kept, .features_count = g.named};
    int done = c.of && read_call(&c, g.arguments, g.count, word_at(argument(input, 5), row), first, &filled, &p);
    if (done) say_statement(to, &c, &p);
    free(filled.data), free(c.source.pool), free(c.source.columns), free(c.frame.features);
    return done && !to->failed;
}

void write_statement(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
    for (idx_t row = 0; row < duckdb_data_chunk_get_size(input); row++) {
        int64_t most = room_for(input, row);
        words *room = malloc(5 * (size_t)most * sizeof *room);
        text to = {0};
        if (!room) {
            report(info, "a call does not fit into memory");
            return;
        }
        if (!state(input, row, room, most, &to)) {
            to.length = 0, to.failed = 0;
            say_macros(input, row, &to);
        }
        if (to.failed) {
            char words[ERROR_SIZE];
            snprintf(words, sizeof words, "the statement of a call is longer than %lld bytes, or than the memory: name fewer columns",
                     (long long)MOST_TEXT);
            report(info, words);
        } else
            duckdb_vector_assign_string_element_len(output, row, to.data, (idx_t)to.length);
        free(to.data);
        free(room);
    }
}

void write_relation(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output) {
    (void)info;
    for (idx_t row = 0; row < duckdb_data_chunk_get_size(input); row++) {
        text to = {0};
        int done = say_relation(&to, word_at(argument(input, 0), row)) && !to.failed;
        duckdb_vector_assign_string_element_len(output, row, done ? to.data : "", done ? (idx_t)to.length : 0);
        free(to.data);
    }
}
