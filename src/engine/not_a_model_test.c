/* not_a_model_test.c - what we say of files that are no models */
#include "engine/opened.h"

#include <stdio.h>
#include <stdlib.h>

#include "support/hostile.h"

#define HEAD(text) text, sizeof(text) - 1

static const struct {
    const char *head;
    size_t      size;
    const char *says; /* a part of the sentence; NULL: no idea */
} cases[] = {
    { HEAD(""), "empty file" },
    { HEAD("version https://git-lfs.github.com/spec/v1\noid sha256:00"),
      "git lfs pull" },
    { HEAD("<!DOCTYPE html><html>"), "HTML page" },
    { HEAD("\n  <html><body>Not found"), "HTML page" },
    { HEAD("\x1f\x8b\x08\x00"), "gzip" },
    { HEAD("\x80\x04\x95\x10"), "pickle" },
    { HEAD("\x80\x02}q\x00"), "pickle" },
    { HEAD("PK\x03\x04"), "zip archive" },
    { HEAD("PK\x03\x04\x14 and 25 bytes of header..configuration.json"),
      "Deeplearning4j" },
    { HEAD("{ \"version\": \"1.0\", \"truncation\": null, "
           "\"added_tokens\": []"),
      "a tokenizer" },
    { HEAD("{\n  \"architectures\": [],\n  \"model_type\": \"bert\""),
      "a configuration" },
    { HEAD("{\"name\": \"x\", \"version\": \"1.0.0\"}"), NULL },
    { HEAD("\x00\x00\x00\x00\x00"), "zeros" },
    { HEAD("\xff\xfe random"), NULL },
};

static void names_what_it_sees(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tn_guarded head =
            tn_guard(tn_bytes(cases[i].head, cases[i].size));
        struct tn_probe probe = { .head = head.bytes,
                                  .tail = head.bytes,
                                  .size = cases[i].size,
                                  .name = "x" };
        const char     *says  = tn_not_a_model(&probe);
        if (!cases[i].says)
            assert_null(says);
        else if (!says || !strstr(says, cases[i].says))
            fail_msg("row %zu: '%s'", i, says ? says : "nothing");
        tn_unguard(&head);
    }
}

static void knows_folders(void **state)
{
    static const char *const names[] = { "notes.txt" };
    struct tn_probe          probe   = { .name = "x", .entries = names };

    (void)state;
    assert_non_null(strstr(tn_not_a_model(&probe), "empty folder"));
    probe.entry_count = 1;
    assert_null(tn_not_a_model(&probe)); /* inside.c says what is in it */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_what_it_sees),
        cmocka_unit_test(knows_folders),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
