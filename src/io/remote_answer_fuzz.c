/* remote_answer_fuzz.c - header lines, as a hostile server sends them: what is
 * believed fits what was asked for.  A redirect leads to http or https. */
#include <assert.h>

#include "io/remote_answer.h"
#include "io/remote_url.h"

static void follow(const struct tn_answer *answer)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_memory memory;
    struct tn_arena  arena;
    struct tn_url    base, to, again;

    tn_memory_init(&memory, NULL, 0);
    tn_arena_init(&arena, &memory);
    assert(tn_url_parse(&base, &arena, "https://h/a/b", &error) == TN_OK);
    if (tn_url_follow(&to, &arena, &base, answer->location, &error) == TN_OK) {
        const char *text = tn_url_text(&to, &arena, &error);
        assert(to.path[0] == '/' && to.host[0]);
        assert(tn_url_parse(&again, &arena, text, &error) == TN_OK ||
               strlen(text) > TN_URL_MOST);
    }
    tn_arena_done(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct tn_version version = { "\"v\"", "", 1000 };
    struct tn_answer               answer  = { 0 };
    bool                           goes_on = true;

    tn_answer_begin(&answer);
    for (size_t at = 0, end; at < size && goes_on; at = end) {
        const uint8_t *line = memchr(data + at, '\n', size - at);
        end                 = line ? (size_t)(line - data) + 1 : size;
        goes_on = tn_answer_line(&answer, tn_bytes(data + at, end - at), 0);
    }
    assert(strlen(answer.etag) < sizeof answer.etag);
    for (int i = 0; i < 4; i++) {
        struct tn_error error = TN_ERROR_INIT;
        uint64_t        first, length;
        struct tn_asked asked = { .first     = 100,
                                  .last      = 199,
                                  .is_suffix = i & 1,
                                  .is_first  = i & 2,
                                  .version   = &version };
        if (tn_answer_judge(&answer, &asked, &first, &length, &error) == TN_OK)
            assert(length <= (i & 1 ? 199 : 100) && (i & 1 || first == 100));
        else
            assert(error.reason != TN_REASON_NONE);
    }
    follow(&answer);
    return 0;
}
