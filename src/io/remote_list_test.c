/* remote_list_test.c - lists of files, as stores, hubs and web servers have
 * them; the requests are tried by tests/remote/stores.py */
#include "io/remote_list.h"

#include <inttypes.h>
#include <stdio.h>

#include "support/hostile.h"

enum kind { STORE, HUB, WEB };

struct told {
    char   text[400];
    size_t size;
};

static enum tn_status on_listed(void *context, const struct tn_listed *listed,
                                struct tn_error *error)
{
    struct told *told = context;

    (void)error;
    told->size += (size_t)snprintf(
        told->text + told->size, sizeof told->text - told->size,
        "%s%s:%" PRId64 ":%s", told->size ? "|" : "", listed->name,
        (int64_t)listed->size, listed->etag);
    return TN_OK;
}

/* "name:size:etag|..." and "+token", or "!" for a bad answer. */
static const char *list(enum kind kind, const char *prefix,
                        const char *document, struct told *told)
{
    struct tn_memory    memory;
    struct tn_error     error = TN_ERROR_INIT;
    struct tn_list_page page  = { .prefix    = prefix,
                                  .on_listed = on_listed,
                                  .context   = told };
    struct tn_bytes     bytes = tn_text(document);

    *told = (struct told){ 0 };
    tn_memory_init(&memory, NULL, 0);
    if (kind == STORE)
        tn_list_read_store(&page, &memory, bytes, &error);
    else if (kind == HUB)
        tn_list_read_hub(&page, &memory, bytes, &error);
    else
        tn_list_read_web(&page, &memory, "/m/", bytes, &error);
    if (tn_failed(&error)) {
        assert_int_equal(error.reason, TN_REASON_BAD_ANSWER);
        return "!";
    }
    if (page.next[0])
        snprintf(told->text + told->size, sizeof told->text - told->size, "+%s",
                 page.next);
    return told->text;
}

#define RESULT(inner) "<ListBucketResult>" inner "</ListBucketResult>"
#define CONTENTS(key, size, etag)                                              \
    "<Contents><Key>" key "</Key><ETag>" etag "</ETag><Size>" size             \
    "</Size></Contents>"

static void test_lists(void **state)
{
    static const struct {
        enum kind   kind;
        const char *prefix, *document, *want;
    } rows[] = {
        { STORE, "p/", RESULT(CONTENTS("p/a", "7", "&quot;e&quot;")), "a:7:e" },
        { STORE, "", RESULT("<Prefix>x</Prefix>"), "" },
        { STORE, "p/",
          RESULT("<EncodingType>url</EncodingType>" CONTENTS("p/a+b%2B%C3%A4",
                                                             "1", "e-2")
                     CONTENTS("p/", "0", "e") CONTENTS("p/d/", "0", "e")),
          "a b+\xc3\xa4:1:e-2" },
        { STORE, "p/", RESULT(CONTENTS("p/a+b%2B", "1", "e")), "a+b%2B:1:e" },
        { STORE, "",
          RESULT("<CommonPrefixes><Prefix>d/</Prefix></CommonPrefixes>"
                 "<Owner><Key>z</Key></Owner>"),
          "d/:-1:" },
        { STORE, "",
          RESULT("<IsTruncated>true</IsTruncated>"
                 "<NextContinuationToken>a=&amp;b</NextContinuationToken>"),
          "+a=&b" },
        { STORE, "",
          RESULT("<IsTruncated>false</IsTruncated>"
                 "<NextContinuationToken>a</NextContinuationToken>"),
          "" },
        { STORE, "", RESULT("<IsTruncated>true</IsTruncated>"), "!" },
        { STORE, "p/", RESULT(CONTENTS("q/a", "1", "e")), "!" },
        { STORE, "", RESULT(CONTENTS("a", "-1", "e")), "a:-1:e" },
        { STORE, "",
          RESULT("<EncodingType>url</EncodingType>" CONTENTS("a%0", "1", "e")),
          "!" },
        { STORE, "",
          RESULT("<EncodingType>url</EncodingType>" CONTENTS("a%00b", "1", "")),
          "!" },
        { STORE, "", "<Error><Code>AccessDenied</Code></Error>", "!" },
        { STORE, "", "", "!" },
        { HUB, "",
          "[{\"type\":\"directory\",\"path\":\"d\",\"size\":0,\"oid\":\"t\"},"
          "{\"type\":\"file\",\"path\":\"a.onnx\",\"size\":9,\"oid\":\"g\","
          "\"lfs\":{\"size\":9,\"oid\":\"s\",\"pointerSize\":1}},"
          "{\"lfs\":null,\"type\":\"file\",\"path\":\"b\",\"oid\":\"h\"}]",
          "d/:-1:t|a.onnx:9:s|b:-1:h" },
        { HUB, "d/", "[{\"type\":\"file\",\"path\":\"d/x\",\"size\":1}]",
          "x:1:" },
        { HUB, "d/", "[{\"type\":\"file\",\"path\":\"e/x\",\"size\":1}]", "!" },
        { HUB, "", "[{\"type\":\"file\",\"path\":\"../x\",\"size\":1}]", "!" },
        { HUB, "", "[{\"type\":\"file\",\"path\":\"/x\",\"size\":1}]", "!" },
        { HUB, "", "[{\"type\":\"other\",\"path\":\"x\",\"size\":1}]", "" },
        { HUB, "", "[]", "" },
        { HUB, "", "{}", "!" },
        { HUB, "", "[1]", "!" },
        { HUB, "", "[", "!" },
        { WEB, "",
          "<html><A class='x' href=\"a%20b.onnx\">a</A><a HREF='d/'>d</a>"
          "<a href=\"../\">up</a><a href=\"?C=N\">sort</a><a "
          "href=\"/m/c\">c</a>"
          "<a href=\"/other/\">o</a><a href=\"http://h/x\">x</a>"
          "<a href=\"./e&amp;f\">e</a><a href=\"%2e%2e/\">up</a>"
          "<a href=\"a/b\">n</a><a href=\"%2fetc\">n</a><a name=\"q\">q</a>"
          "<abbr href=\"no\">",
          "a b.onnx:-1:|d/:-1:|c:-1:|e&f:-1:" },
        { WEB, "",
          "[{\"name\":\"a\",\"type\":\"file\",\"mtime\":\"x\",\"size\":5},"
          "{\"name\":\"d\",\"type\":\"directory\"}]",
          "a:5:|d/:-1:" },
        { WEB, "", "<a href=\"", "" },
        { WEB, "", "<a href=\"x", "" },
        { WEB, "", "", "" },
    };
    struct told told;

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_string_equal(
            list(rows[i].kind, rows[i].prefix, rows[i].document, &told),
            rows[i].want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
