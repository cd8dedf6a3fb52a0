/* remote_list_fuzz.c - lists of files from a hostile server: every name that is
 * told is below the folder, and none of a web server or hub leads elsewhere */
#include <assert.h>

#include "io/remote_list.h"

static enum tn_status on_listed(void *context, const struct tn_listed *listed,
                                struct tn_error *error)
{
    const bool *may_be_any = context;
    size_t      size       = strlen(listed->name);

    (void)error;
    assert(size > 0 && size <= 4096 && strlen(listed->etag) < TN_ANSWER_TAG);
    if (*may_be_any)
        return TN_OK;
    assert(listed->name[0] != '/' && strncmp(listed->name, "../", 3) != 0 &&
           !strstr(listed->name, "/../"));
    return TN_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (int i = 0; i < 3; i++) {
        struct tn_error     error = TN_ERROR_INIT;
        struct tn_memory    memory;
        bool                is_store = i == 0;
        struct tn_list_page page     = { .prefix    = i == 1 ? "d/" : "",
                                         .on_listed = on_listed,
                                         .context   = &is_store };
        tn_memory_init(&memory, NULL, 0);
        if (i == 0)
            tn_list_read_store(&page, &memory, tn_bytes(data, size), &error);
        else if (i == 1)
            tn_list_read_hub(&page, &memory, tn_bytes(data, size), &error);
        else
            tn_list_read_web(&page, &memory, "/m/", tn_bytes(data, size),
                             &error);
        if (tn_failed(&error))
            assert(error.reason == TN_REASON_BAD_ANSWER ||
                   error.status == TN_LIMIT);
        assert(strlen(page.next) < sizeof page.next);
    }
    return 0;
}
