/* json_read_fuzz.c - what the reader accepts, the writer writes, and the
 * reader accepts again with the same events */
#include <assert.h>

#include "base/json_read.h"
#include "base/json_write.h"
#include "base/utf8.h"

static void copy_event(struct tn_json_reader *r, enum tn_json_event event,
                       struct tn_json_writer *w)
{
    switch (event) {
    case TN_JSON_OBJECT_BEGIN: tn_json_object_begin(w); break;
    case TN_JSON_OBJECT_END: tn_json_object_end(w); break;
    case TN_JSON_ARRAY_BEGIN: tn_json_array_begin(w); break;
    case TN_JSON_ARRAY_END: tn_json_array_end(w); break;
    case TN_JSON_KEY: tn_json_key_bytes(w, r->text); break;
    case TN_JSON_STRING: tn_json_string(w, r->text); break;
    case TN_JSON_NUMBER: tn_json_raw(w, r->text); break;
    case TN_JSON_TRUE: tn_json_bool(w, true); break;
    case TN_JSON_FALSE: tn_json_bool(w, false); break;
    case TN_JSON_NULL: tn_json_null(w); break;
    case TN_JSON_END: break;
    }
}

static enum tn_status rewrite(struct tn_bytes text, struct tn_memory *memory,
                              struct tn_buffer *out)
{
    struct tn_error       error = TN_ERROR_INIT;
    struct tn_cursor      c     = tn_cursor_bytes(text, 0, &error);
    struct tn_json_reader r;
    struct tn_json_writer w;
    enum tn_json_event    event;

    tn_json_open(&r, &c, memory);
    tn_json_writer_init(&w, &out->sink, false, out->error);
    while ((event = tn_json_next(&r)) != TN_JSON_END) {
        assert(r.offset < text.size);
        assert(tn_utf8_is_valid(r.text));
        copy_event(&r, event, &w);
    }
    assert(error.status == TN_OK || error.offset <= text.size);
    tn_json_close(&r);
    return error.status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tn_memory memory;
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_buffer once, twice;

    tn_memory_init(&memory, NULL, 0);
    tn_buffer_init(&once, &memory, &error);
    tn_buffer_init(&twice, &memory, &error);
    if (rewrite(tn_bytes(data, size), &memory, &once) == TN_OK) {
        assert(rewrite(tn_buffer_bytes(&once), &memory, &twice) == TN_OK);
        assert(tn_bytes_equal(tn_buffer_bytes(&once), tn_buffer_bytes(&twice)));
    }
    tn_buffer_done(&once);
    tn_buffer_done(&twice);
    assert(memory.used == 0);
    return 0;
}
