/* number_test.c - numbers as text, and back to the same bits */
#include "support/hostile.h"

#include <float.h>
#include <locale.h>
#include <math.h>

#include "base/number.h"

static void doubles_print_as_protobuf_prints_them(void **state)
{
    static const struct {
        double      value;
        const char *text;
    } cases[] = {
        { 0, "0" },
        { -0.0, "-0" },
        { 0.1, "0.1" },
        { 1.0 / 3, "0.33333333333333331" },
        { 100000, "100000" },
        { 1e15, "1e+15" },
        { 1e22, "1e+22" },
        { DBL_MAX, "1.7976931348623157e+308" },
        { 5e-324, "4.94065645841247e-324" },
        { (double)NAN, "nan" },
        { (double)INFINITY, "inf" },
        { (double)-INFINITY, "-inf" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char     text[TN_NUMBER_ROOM];
        unsigned size = tn_double_print(text, cases[i].value);
        assert_string_equal(text, cases[i].text);
        assert_int_equal(size, strlen(text));
    }
}

static void floats_print_as_protobuf_prints_them(void **state)
{
    static const struct {
        float       value;
        const char *text;
    } cases[] = {
        { 0, "0" },
        { -0.0f, "-0" },
        { 0.1f, "0.1" },
        { 1.0f / 3, "0.333333343" },
        { 16777216, "16777216" },
        { 1e6f, "1e+06" },
        { FLT_MAX, "3.40282347e+38" },
        { FLT_MIN, "1.17549435e-38" },
        { NAN, "nan" },
        { -INFINITY, "-inf" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[TN_NUMBER_ROOM];
        tn_float_print(text, cases[i].value);
        assert_string_equal(text, cases[i].text);
    }
}

static void short_floats_have_no_digit_too_many(void **state)
{
    char text[TN_NUMBER_ROOM];

    (void)state;
    tn_float_print_short(text, 1.0f / 3);
    assert_string_equal(text, "0.33333334");
    tn_float_print_short(text, 0.1f);
    assert_string_equal(text, "0.1");
    tn_float_print_short(text, FLT_MAX);
    assert_string_equal(text, "3.4028235e+38");
    tn_float_print_short(text, -INFINITY);
    assert_string_equal(text, "-inf");
}

static void what_is_printed_reads_back_to_the_same_bits(void **state)
{
    uint64_t bits = 88172645463325252u;

    (void)state;
    for (int i = 0; i < 20000; i++) {
        char   text[TN_NUMBER_ROOM];
        double back;
        bits ^= bits << 13, bits ^= bits >> 7, bits ^= bits << 17;
        double value = tn_double_of_bits(bits);
        float  small = tn_float_of_bits((uint32_t)bits);
        if (isfinite(value)) {
            unsigned size = tn_double_print(text, value);
            assert_true(tn_double_parse(tn_bytes(text, size), &back));
            assert_int_equal(tn_double_bits(back), bits);
        }
        if (isfinite(small)) {
            unsigned size = tn_float_print(text, small);
            assert_true(tn_double_parse(tn_bytes(text, size), &back));
            assert_int_equal(tn_float_bits(tn_double_to_float(back)),
                             tn_float_bits(small));
        }
    }
}

static void doubles_parse(void **state)
{
    static const struct {
        const char *text;
        bool        is_good;
        double      value;
    } cases[] = {
        { "1", true, 1 },
        { "-1.5e3", true, -1500 },
        { ".5", true, 0.5 },
        { "5.", true, 5 },
        { "1E+2", true, 100 },
        { "0.000000000000000000001", true, 1e-21 },
        { "1e999999999999999999999", true, (double)INFINITY },
        { "-1e999999999999999999999", true, (double)-INFINITY },
        { "1e-999999999999999999999", true, 0 },
        { "0e999999999999999999999", true, 0 },
        { "9007199254740993", true, 9007199254740992 },
        { "", false, 0 },
        { "-", false, 0 },
        { ".", false, 0 },
        { "1e", false, 0 },
        { "1e+", false, 0 },
        { "+1", false, 0 },
        { "1 ", false, 0 },
        { "0x10", false, 0 },
        { "nan", false, 0 },
        { "1,5", false, 0 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value = 0;
        bool   good  = tn_double_parse(tn_text(cases[i].text), &value);
        if (good != cases[i].is_good || value != cases[i].value)
            fail_msg("%s gave %d %g", cases[i].text, good, value);
    }
}

/* Halfway between two doubles, a digit past where any table would stop. */
static void the_last_of_a_thousand_digits_decides(void **state)
{
    char   text[1200] = "9007199254740993.";
    double value;

    (void)state;
    memset(text + 17, '0', 1000);
    assert_true(tn_double_parse(tn_bytes(text, 1017), &value));
    assert_true(value == 9007199254740992);
    text[1016] = '1';
    assert_true(tn_double_parse(tn_bytes(text, 1017), &value));
    assert_true(value == 9007199254740994);
}

static void whole_numbers_are_exact_or_refused(void **state)
{
    static const struct {
        const char *text;
        bool        fits_signed, fits_unsigned;
        uint64_t    bits;
    } cases[] = {
        { "0", true, true, 0 },
        { "-0", true, true, 0 },
        { "1e3", true, true, 1000 },
        { "2.50e1", true, true, 25 },
        { "1.5", false, false, 0 },
        { "1e-1", false, false, 0 },
        { "9223372036854775807", true, true, INT64_MAX },
        { "9223372036854775808", false, true, UINT64_C(1) << 63 },
        { "-9223372036854775808", true, false, UINT64_C(1) << 63 },
        { "-9223372036854775809", false, false, 0 },
        { "18446744073709551615", false, true, UINT64_MAX },
        { "18446744073709551616", false, false, 0 },
        { "1e20", false, false, 0 },
        { "1e999999999999", false, false, 0 },
        { "0.0e999999999999", true, true, 0 },
        { "12x", false, false, 0 },
        { "", false, false, 0 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tn_bytes text = tn_text(cases[i].text);
        int64_t         s    = 0;
        uint64_t        u    = 0;
        if (tn_int64_parse(text, &s) != cases[i].fits_signed ||
            tn_uint64_parse(text, &u) != cases[i].fits_unsigned)
            fail_msg("%s", cases[i].text);
        if (cases[i].fits_signed)
            assert_int_equal((uint64_t)s, cases[i].bits);
        if (cases[i].fits_unsigned)
            assert_int_equal(u, cases[i].bits);
    }
}

static void floats_saturate_where_protobuf_does(void **state)
{
    (void)state;
    assert_true(tn_double_to_float(3.4028235e38) == FLT_MAX);
    assert_true(tn_double_to_float(3.402823567e38) == FLT_MAX);
    assert_true(isinf(tn_double_to_float(3.4028236e38)));
    assert_true(isnan(tn_double_to_float((double)NAN)));
    assert_true(tn_double_to_float(1e-60) == 0);
}

static void the_locale_has_no_say(void **state)
{
    static const char *const names[] = { "de_DE.UTF-8", "de_DE.utf8", "fr_FR",
                                         "de_DE" };
    char                     text[TN_NUMBER_ROOM];
    double                   value;

    (void)state;
    const char *set = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !set; i++)
        set = setlocale(LC_NUMERIC, names[i]);
    if (!set) {
        print_message("skipped: no locale with a decimal comma here\n");
        skip();
    }
    tn_double_print(text, 1.0 / 3);
    assert_string_equal(text, "0.33333333333333331");
    assert_true(tn_double_parse(tn_text("1.5"), &value) && value == 1.5);
    setlocale(LC_NUMERIC, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(doubles_print_as_protobuf_prints_them),
        cmocka_unit_test(floats_print_as_protobuf_prints_them),
        cmocka_unit_test(short_floats_have_no_digit_too_many),
        cmocka_unit_test(what_is_printed_reads_back_to_the_same_bits),
        cmocka_unit_test(doubles_parse),
        cmocka_unit_test(the_last_of_a_thousand_digits_decides),
        cmocka_unit_test(whole_numbers_are_exact_or_refused),
        cmocka_unit_test(floats_saturate_where_protobuf_does),
        cmocka_unit_test(the_locale_has_no_say),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
