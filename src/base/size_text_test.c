/* size_text_test.c - sizes as people write them */
#include <tenon/formats.h>

#include "support/hostile.h"

static const struct {
    const char *text;
    bool        is_size;
    uint64_t    size;
} sizes[] = {
    { "0", true, 0 },
    { "100", true, 100 },
    { "100B", true, 100 },
    { "64K", true, 65536 },
    { "64k", true, 65536 },
    { "64KiB", true, 65536 },
    { "64KB", true, 64000 },
    { "512M", true, UINT64_C(512) << 20 },
    { "2GiB", true, UINT64_C(2) << 30 },
    { "2 GiB", true, UINT64_C(2) << 30 },
    { "1.5G", true, UINT64_C(3) << 29 },
    { "0.5K", true, 512 },
    { "15E", true, UINT64_C(15) << 60 },
    { "18446744073709551615", true, UINT64_MAX },
    { "18446744073709551616", false, 0 },
    { "16E", false, 0 },
    { "", false, 0 },
    { "G", false, 0 },
    { "-1", false, 0 },
    { "1Q", false, 0 },
    { "1KiBs", false, 0 },
    { "1KBs", false, 0 },
    { "0x10", false, 0 },
};

static void sizes_are_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        uint64_t size    = 0;
        bool     is_size = tn_parse_size(sizes[i].text, &size);

        if (is_size != sizes[i].is_size || (is_size && size != sizes[i].size))
            fail_msg("'%s'", sizes[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
