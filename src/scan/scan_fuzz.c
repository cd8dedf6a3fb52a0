/*
 * scan_fuzz.c - whatever the bytes are, a scan ends, and findings have words;
 * nothing dangerous is missed because a pickle looked harmless
 */
#include "scan/scan.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int see(void *context, const struct tn_scan_finding *finding)
{
    (void)context;
    assert(finding->rule[0] && finding->what[0] && finding->member);
    return 0;
}

/* Texts are what their names say: the last byte chooses one. */
static const char *const names[] = { "a", "config.json", "a.jinja", "a.yaml",
                                     "tokenizer_config.json" };

/* The worst verdict. */
static int scan_it(const uint8_t *data, size_t size, bool is_thorough)
{
    struct tn_error       error  = TN_ERROR_INIT;
    struct tn_scan_totals totals = { 0 };
    struct tn_memory      memory;
    struct tn_source      source;
    struct tn_scan        scan = { .memory      = &memory,
                                   .error       = &error,
                                   .each        = see,
                                   .file        = "a",
                                   .is_thorough = is_thorough,
                                   .worst       = -1,
                                   .totals      = &totals };

    tn_memory_init(&memory, NULL, 64 << 20);
    tn_source_memory(&source, &memory, tn_bytes(data, size));
    source.name = "";
    tn_buffer_init(&scan.member, &memory, &error);
    tn_scan_bytes(&scan, &source,
                  tn_text(names[size ? data[size - 1] % 5 : 0]));
    tn_buffer_done(&scan.member);
    assert(error.status == TN_OK || tn_machine_failed(&error) ||
           error.status == TN_LIMIT);
    assert(memory.used == 0);
    return tn_failed(&error) ? -2 : scan.worst;
}

/* A pickle that is harmless at first sight is so to who follows every value; of
 * data alone, values that are left over are not looked for. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int first = scan_it(data, size, false), second = scan_it(data, size, true);

    assert(first == -2 || second == -2 || first >= TN_VERDICT_UNKNOWN ||
           second <= TN_VERDICT_UNKNOWN);
    return 0;
}
