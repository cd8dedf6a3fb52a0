/* remote_xml_test.c - elements and text; what is not XML is an error */
#include "io/remote_xml.h"

#include <stdio.h>

#include "support/hostile.h"

/* "a(b=text)" for "<a><b>text</b></a>"; "!" at the end after a failure. */
static const char *events(const char *document, char to[200])
{
    struct tn_memory memory;
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_xml    xml;
    size_t           at = 0;

    tn_memory_init(&memory, NULL, 0);
    tn_xml_init(&xml, &memory, tn_text(document), &error);
    for (enum tn_xml_event e; (e = tn_xml_next(&xml)) != TN_XML_END;)
        at += (size_t)(e == TN_XML_OPEN
                           ? snprintf(to + at, 200 - at, "%.*s(",
                                      (int)xml.name.size, xml.name.data)
                           : snprintf(to + at, 200 - at, "%s)",
                                      tn_buffer_string(&xml.text)));
    snprintf(to + at, 200 - at, "%s", tn_failed(&error) ? "!" : "");
    if (tn_failed(&error))
        assert_int_equal(error.reason, TN_REASON_BAD_ANSWER);
    tn_xml_done(&xml);
    return to;
}

static void test_events(void **state)
{
    static const char *const rows[][2] = {
        { "<a><b>t</b></a>", "a(b(t))" },
        { "<?xml version=\"1.0\"?>\n<a x=\"1\"><!-- <c> --><b/></a>\n",
          "a(b())" },
        { "<a>&lt;&amp;&gt;&quot;&apos;&#65;&#x42;&#xe4;&#x20ac;&#x1f600;</a>",
          "a(<&>\"'AB\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80)" },
        { "<a><b>1</b>2<c>3</c></a>", "a(b(1)c(3))" },
        { "", "" },
        { "text", "" },
        { "<a>", "a(!" },
        { "<a></b>", "a(!" },
        { "</a>", "!" },
        { "<a", "!" },
        { "<>", "!" },
        { "<a>&nbsp;</a>", "a(!" },
        { "<a>&#0;</a>", "a(!" },
        { "<a>&#xd800;</a>", "a(!" },
        { "<a>&#-1;</a>", "a(!" },
        { "<a>&#1114112;</a>", "a(!" },
        { "<a>&amp</a>", "a(!" },
        { "<!DOCTYPE a [<!ENTITY b \"c\">]><a/>", "!" },
        { "<a><![CDATA[x]]></a>", "a(!" },
        { "<!-- never ends", "!" },
        { "<a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a>",
          "a(a(a(a(a(a(a(a(a(a(a(a(a(a(a(a(!" },
    };
    char text[200];

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_string_equal(events(rows[i][0], text), rows[i][1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_events),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
