/* element_test.c - every code of every small type, and rounding between all */
#include "ir/element.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/hostile.h"

static uint64_t load(const uint8_t *p, unsigned size)
{
    uint64_t bits = 0;

    for (unsigned i = size; i-- > 0;)
        bits = bits << 8 | p[i];
    return bits;
}

static void put(uint8_t *p, unsigned size, uint64_t bits)
{
    for (unsigned i = 0; i < size; i++)
        p[i] = (uint8_t)(bits >> 8 * i);
}

/* The inverse of tn_element_text(), by the C library. */
static void parse(enum tn_dtype dtype, const char *text, uint8_t *to)
{
    double real, imaginary;

    switch (tn_element_kind(dtype)) {
    case TN_ELEMENT_NONE: fail();
    case TN_ELEMENT_FLOAT:
        tn_element_from_double(dtype, strtod(text, NULL), to);
        break;
    case TN_ELEMENT_SIGNED:
        tn_element_from_int64(dtype, strtoll(text, NULL, 10), to);
        break;
    case TN_ELEMENT_UNSIGNED:
        put(to, tn_dtype_size(dtype), strtoull(text, NULL, 10));
        break;
    case TN_ELEMENT_BOOL: *to = strcmp(text, "true") == 0; break;
    case TN_ELEMENT_COMPLEX: {
        enum tn_dtype part = dtype == TN_COMPLEX64 ? TN_FLOAT32 : TN_FLOAT64;
        assert_int_equal(sscanf(text, "(%lf%lfj)", &real, &imaginary), 2);
        tn_element_from_double(part, real, to);
        tn_element_from_double(part, imaginary, to + tn_dtype_size(part));
        break;
    }
    }
}

static void types_have_names_and_sizes(void **state)
{
    (void)state;
    assert_string_equal(tn_dtype_name(TN_FLOAT32), "float32");
    assert_string_equal(tn_dtype_name((enum tn_dtype)999), "undefined");
    assert_int_equal(tn_dtype_find("nothing"), TN_UNDEFINED);
    assert_int_equal(tn_dtype_bits(TN_INT4), 4);
    assert_int_equal(tn_dtype_size(TN_INT2), 1);
    assert_int_equal(tn_dtype_size(TN_COMPLEX128), 16);
    assert_int_equal(tn_dtype_size(TN_STRING), 0);
    for (unsigned i = 0; i < TN_DTYPE_COUNT; i++)
        assert_int_equal(tn_dtype_find(tn_dtype_name((enum tn_dtype)i)), i);
}

/* Sign, exponent and mantissa as the formats' own tables have them. */
static const struct small {
    enum tn_dtype dtype;
    int           exponent_bits, mantissa_bits, bias;
    unsigned      infinity;           /* magnitude of the code, 0: none       */
    unsigned      first_nan, one_nan; /* magnitudes from here on; the one code*/
    double        largest, smallest;
} smalls[] = {
    { TN_FLOAT16, 5, 10, 15, 0x7c00, 0x7c01, 0, 65504, 0x1p-24 },
    { TN_BFLOAT16, 8, 7, 127, 0x7f80, 0x7f81, 0, 0x1.fep127, 0x1p-133 },
    { TN_FLOAT8E4M3FN, 4, 3, 7, 0, 0x7f, 0, 448, 0x1p-9 },
    { TN_FLOAT8E4M3FNUZ, 4, 3, 8, 0, 0x100, 0x80, 240, 0x1p-10 },
    { TN_FLOAT8E4M3B11FNUZ, 4, 3, 11, 0, 0x100, 0x80, 30, 0x1p-13 },
    { TN_FLOAT8E5M2, 5, 2, 15, 0x7c, 0x7d, 0, 57344, 0x1p-16 },
    { TN_FLOAT8E5M2FNUZ, 5, 2, 16, 0, 0x100, 0x80, 57344, 0x1p-17 },
    { TN_FLOAT4E2M1, 2, 1, 1, 0, 0x100, 0, 6, 0.5 },
};

#define SMALL_COUNT (sizeof smalls / sizeof smalls[0])

static double formula(const struct small *s, unsigned code)
{
    unsigned sign      = 1u << (s->exponent_bits + s->mantissa_bits);
    unsigned magnitude = code & (sign - 1);
    int      e         = (int)(magnitude >> s->mantissa_bits);
    double   m         = ldexp((double)(magnitude % (1u << s->mantissa_bits)),
                               -s->mantissa_bits);

    if ((s->one_nan && code == s->one_nan) || magnitude >= s->first_nan)
        return NAN;
    double value = e == 0 ? ldexp(m, 1 - s->bias) : ldexp(1 + m, e - s->bias);
    if (s->infinity && magnitude == s->infinity)
        value = INFINITY;
    return code & sign ? -value : value;
}

static void every_small_float_follows_the_formula(void **state)
{
    (void)state;
    for (size_t k = 0; k < SMALL_COUNT; k++) {
        const struct small *s       = &smalls[k];
        unsigned            bits    = tn_dtype_bits(s->dtype);
        double              largest = 0, smallest = INFINITY;
        for (unsigned code = 0; code < 1u << bits; code++) {
            uint8_t  p[2] = { 0 }, back[2] = { 0 };
            unsigned size = tn_dtype_size(s->dtype);
            put(p, size, code);
            double value = tn_element_double(s->dtype, p);
            double want  = formula(s, code);
            if (isnan(want)) {
                assert_true(isnan(value));
            } else {
                assert_true(value == want && !signbit(value) == !signbit(want));
                tn_element_from_double(s->dtype, value, back);
                assert_int_equal(load(back, size), code);
            }
            if (isfinite(value) && value > largest)
                largest = value;
            if (value > 0 && value < smallest)
                smallest = value;
        }
        assert_true(largest == s->largest && smallest == s->smallest);
    }
}

/* Batches of many lengths, every pair of float types: as one by one. */
static void batches_equal_single_elements(void **state)
{
    static const enum tn_dtype floats[] = {
        TN_FLOAT32,        TN_FLOAT64,           TN_FLOAT16,
        TN_BFLOAT16,       TN_FLOAT8E4M3FN,      TN_FLOAT8E4M3FNUZ,
        TN_FLOAT8E5M2FNUZ, TN_FLOAT8E4M3B11FNUZ, TN_FLOAT8E5M2,
        TN_FLOAT8E8M0,     TN_FLOAT4E2M1,
    };
    static const size_t counts[] = { 0, 1, 255, 256, 257, 700 };
    uint8_t             from[700 * 8], to[700 * 8], one[8];

    (void)state;
    for (size_t i = 0; i < 11 * 11 * 6; i++) {
        enum tn_dtype a = floats[i % 11], b = floats[i / 11 % 11];
        size_t        count = counts[i / 121];
        for (size_t k = 0; k < sizeof from; k++)
            from[k] = (uint8_t)(k * 37 + i * 11 + (k >> 8));
        tn_element_convert(b, to, a, from, count);
        for (size_t k = 0; k < count && a != b; k++) {
            unsigned size  = tn_dtype_size(b);
            double   value = tn_element_double(a, from + k * tn_dtype_size(a));
            if (isnan(value)) /* whose sign and payload are nobody's promise */
                continue;
            tn_element_from_double(b, value, one);
            assert_memory_equal(one, to + k * size, size);
        }
    }
}

static void e2m1_has_eight_magnitudes(void **state)
{
    static const double magnitudes[] = { 0, 0.5, 1, 1.5, 2, 3, 4, 6 };

    (void)state;
    for (unsigned code = 0; code < 16; code++) {
        uint8_t p    = (uint8_t)(code | 0xa0); /* high bits are not ours */
        double  want = magnitudes[code & 7];
        assert_true(tn_element_double(TN_FLOAT4E2M1, &p) ==
                    (code & 8 ? -want : want));
    }
}

/* Around the middle between two neighbours: below, on it (to even), above. */
static void small_floats_round_to_nearest_even(void **state)
{
    (void)state;
    for (size_t k = 0; k < SMALL_COUNT; k++) {
        const struct small *s    = &smalls[k];
        unsigned            size = tn_dtype_size(s->dtype);
        for (unsigned code = 0;; code++) {
            double low = formula(s, code), high = formula(s, code + 1);
            if (!isfinite(low) || !isfinite(high) || low == s->largest)
                break;
            double   middle  = low + (high - low) / 2;
            double   tries[] = { middle * (1 - 0x1p-40), middle,
                                 middle * (1 + 0x1p-40) };
            unsigned wants[] = { code, code + (code & 1), code + 1 };
            for (int i = 0; i < 3; i++) {
                uint8_t p[2] = { 0 };
                tn_element_from_double(s->dtype, tries[i], p);
                assert_int_equal(load(p, size), wants[i]);
            }
        }
    }
}

static void small_floats_end_as_documented(void **state)
{
    static const struct {
        enum tn_dtype dtype;
        double        value;
        unsigned      code;
    } cases[] = {
        { TN_FLOAT16, 65519, 0x7bff },
        { TN_FLOAT16, 65520, 0x7c00 },
        { TN_FLOAT16, -INFINITY, 0xfc00 },
        { TN_FLOAT16, 0x1p-25, 0 },
        { TN_FLOAT16, 0x1.001p-25, 1 },
        { TN_FLOAT16, -0.0, 0x8000 },
        { TN_FLOAT16, 0x1p-1074, 0 },
        { TN_BFLOAT16, 3.4e38, 0x7f80 },
        { TN_FLOAT8E4M3FN, 1000, 0x7e },
        { TN_FLOAT8E4M3FN, -INFINITY, 0xfe },
        { TN_FLOAT8E4M3FN, NAN, 0x7f },
        { TN_FLOAT8E4M3FNUZ, -0.0, 0 },
        { TN_FLOAT8E4M3FNUZ, -0x1p-30, 0 },
        { TN_FLOAT8E4M3FNUZ, NAN, 0x80 },
        { TN_FLOAT8E4M3FNUZ, 1e9, 0x7f },
        { TN_FLOAT8E5M2, 61440, 0x7c },
        { TN_FLOAT8E5M2, 61439, 0x7b },
        { TN_FLOAT8E5M2FNUZ, -1e9, 0xff },
        { TN_FLOAT4E2M1, 100, 7 },
        { TN_FLOAT4E2M1, -INFINITY, 15 },
        { TN_FLOAT4E2M1, NAN, 7 },
        { TN_FLOAT8E8M0, 1, 127 },
        { TN_FLOAT8E8M0, 1.49, 127 },
        { TN_FLOAT8E8M0, 1.5, 128 },
        { TN_FLOAT8E8M0, 0, 0 },
        { TN_FLOAT8E8M0, 0x1p-127, 0 },
        { TN_FLOAT8E8M0, 0x1p-200, 0 },
        { TN_FLOAT8E8M0, 0x1p127, 254 },
        { TN_FLOAT8E8M0, 0x1.9p127, 254 },
        { TN_FLOAT8E8M0, INFINITY, 254 },
        { TN_FLOAT8E8M0, -1, 255 },
        { TN_FLOAT8E8M0, NAN, 255 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint8_t p[2] = { 0 };
        tn_element_from_double(cases[i].dtype, cases[i].value, p);
        if (load(p, tn_dtype_size(cases[i].dtype)) != cases[i].code)
            fail_msg("%s of %g: %02x%02x", tn_dtype_name(cases[i].dtype),
                     cases[i].value, p[1], p[0]);
    }
}

static void every_power_of_two_is_itself(void **state)
{
    (void)state;
    for (unsigned code = 0; code < 255; code++) {
        uint8_t p     = (uint8_t)code, back;
        double  value = tn_element_double(TN_FLOAT8E8M0, &p);
        assert_true(value == ldexp(1, (int)code - 127));
        tn_element_from_double(TN_FLOAT8E8M0, value, &back);
        assert_int_equal(back, code);
    }
    assert_true(isnan(tn_element_double(TN_FLOAT8E8M0, (uint8_t[]){ 255 })));
}

/* Texts on both sides: what goes in, what comes out. */
static void conversions_follow_the_rule(void **state)
{
    static const struct {
        enum tn_dtype from;
        const char   *in;
        enum tn_dtype to;
        const char   *out;
    } cases[] = {
        { TN_FLOAT32, "2.9", TN_INT32, "2" },
        { TN_FLOAT32, "-2.9", TN_INT8, "-2" },
        { TN_FLOAT32, "300", TN_INT8, "127" },
        { TN_FLOAT64, "-1e300", TN_INT64, "-9223372036854775808" },
        { TN_FLOAT64, "1e300", TN_INT64, "9223372036854775807" },
        { TN_FLOAT64, "1e300", TN_UINT64, "18446744073709551615" },
        { TN_FLOAT32, "-1", TN_UINT8, "0" },
        { TN_FLOAT32, "nan", TN_INT16, "0" },
        { TN_FLOAT32, "nan", TN_UINT16, "0" },
        { TN_FLOAT32, "inf", TN_UINT4, "15" },
        { TN_FLOAT32, "-inf", TN_INT4, "-8" },
        { TN_FLOAT32, "nan", TN_BOOL, "true" },
        { TN_FLOAT32, "-0", TN_BOOL, "false" },
        { TN_FLOAT32, "0.25", TN_BOOL, "true" },
        { TN_INT32, "300", TN_UINT8, "44" },
        { TN_INT32, "-1", TN_UINT64, "18446744073709551615" },
        { TN_UINT64, "18446744073709551615", TN_INT64, "-1" },
        { TN_INT16, "9", TN_INT4, "-7" },
        { TN_INT16, "5", TN_INT2, "1" },
        { TN_INT16, "7", TN_UINT2, "3" },
        { TN_BOOL, "true", TN_FLOAT16, "1" },
        { TN_BOOL, "true", TN_COMPLEX64, "(1+0j)" },
        { TN_COMPLEX128, "(1.5-2j)", TN_FLOAT32, "1.5" },
        { TN_COMPLEX64, "(0-2j)", TN_BOOL, "true" },
        { TN_COMPLEX64, "(0.5+0.25j)", TN_COMPLEX128, "(0.5+0.25j)" },
        /* Rounded once: by way of a double these would end on a tie. */
        { TN_INT64, "9007199791611905", TN_FLOAT32, "9.0072e+15" },
        { TN_UINT64, "18446743523953737727", TN_FLOAT32, "1.8446743e+19" },
        { TN_INT64, "9223372036854775807", TN_FLOAT64,
          "9.223372036854776e+18" },
        { TN_INT64, "36169534507319297", TN_BFLOAT16, "3.63e+16" },
        { TN_QINT8, "-3", TN_QUINT8, "253" },
        { TN_FLOAT8E5M2, "inf", TN_FLOAT8E4M3FN, "448" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint8_t from[16] = { 0 }, to[16] = { 0 };
        char    text[TN_ELEMENT_TEXT];
        parse(cases[i].from, cases[i].in, from);
        tn_element_convert(cases[i].to, to, cases[i].from, from, 1);
        tn_element_text(cases[i].to, to, text);
        if (strcmp(text, cases[i].out) != 0)
            fail_msg("%s %s as %s: %s, not %s", tn_dtype_name(cases[i].from),
                     cases[i].in, tn_dtype_name(cases[i].to), text,
                     cases[i].out);
    }
}

/* Integers wider than a float's precision against the compiler's own. */
static void integers_round_once(void **state)
{
    uint64_t seed = 1;

    (void)state;
    for (int i = 0; i < 200000; i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963;
        uint64_t value = seed >> (i % 40);
        /* Near ties of a 24-bit significand. */
        if (i % 3 == 0)
            value = (value & ~UINT64_C(0xfff)) | (UINT64_C(1) << (i % 38));
        uint8_t  from[8], to[4];
        float    want = (float)(int64_t)value;
        uint32_t bits;
        put(from, 8, value);
        tn_element_convert(TN_FLOAT32, to, TN_INT64, from, 1);
        memcpy(&bits, &want, 4);
        assert_int_equal(load(to, 4), bits);
        want = (float)value;
        tn_element_convert(TN_FLOAT32, to, TN_UINT64, from, 1);
        memcpy(&bits, &want, 4);
        assert_int_equal(load(to, 4), bits);
    }
}

static void texts_are_the_shortest(void **state)
{
    static const struct {
        enum tn_dtype dtype;
        uint64_t      bits;
        const char   *text;
    } cases[] = {
        { TN_FLOAT32, 0x3dcccccd, "0.1" },
        { TN_FLOAT32, 0x3f800000, "1" },
        { TN_FLOAT32, 0x80000000, "-0" },
        { TN_FLOAT32, 0x00000001, "1e-45" },
        { TN_FLOAT32, 0x7f7fffff, "3.4028235e+38" },
        { TN_FLOAT32, 0x7fc00000, "nan" },
        { TN_FLOAT32, 0xff800000, "-inf" },
        { TN_FLOAT64, UINT64_C(0x3fb999999999999a), "0.1" },
        { TN_FLOAT64, UINT64_C(0x3fd3333333333334), "0.30000000000000004" },
        { TN_FLOAT64, 1, "5e-324" },
        { TN_FLOAT64, UINT64_C(0x7fefffffffffffff), "1.7976931348623157e+308" },
        { TN_FLOAT16, 0x2e66, "0.1" },
        { TN_FLOAT16, 0x7bff, "65504" },
        { TN_FLOAT32, 0x4b800000, "16777216" },
        { TN_FLOAT32, 0x501502f9, "1e+10" },
        { TN_FLOAT64, UINT64_C(0x433fffffffffffff), "9007199254740991" },
        { TN_BFLOAT16, 0x4049, "3.14" },
        { TN_BFLOAT16, 0x7f7f, "3.39e+38" },
        { TN_FLOAT8E4M3FN, 0x7e, "448" },
        { TN_FLOAT8E8M0, 127, "1" },
        { TN_FLOAT4E2M1, 0xf, "-6" },
        { TN_INT8, 0x80, "-128" },
        { TN_INT4, 0xf, "-1" },
        { TN_INT2, 0x2, "-2" },
        { TN_UINT4, 0xff, "15" },
        { TN_UINT64, UINT64_MAX, "18446744073709551615" },
        { TN_INT64, UINT64_C(1) << 63, "-9223372036854775808" },
        { TN_BOOL, 2, "true" },
        { TN_COMPLEX64, UINT64_C(0xc00000003fc00000), "(1.5-2j)" },
        { TN_COMPLEX64, UINT64_C(0x7fc0000000000000), "(0+nanj)" },
        { TN_QUINT16, 65535, "65535" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint8_t p[8];
        char    text[TN_ELEMENT_TEXT];
        put(p, 8, cases[i].bits);
        assert_string_equal(tn_element_text(cases[i].dtype, p, text),
                            cases[i].text);
    }
}

static void reads_back(enum tn_dtype dtype, uint64_t bits)
{
    uint8_t  p[8] = { 0 }, back[8] = { 0 };
    unsigned size = tn_dtype_size(dtype);
    char     text[TN_ELEMENT_TEXT];

    put(p, size, bits);
    tn_element_text(dtype, p, text);
    parse(dtype, text, back);
    if (strcmp(text, "nan") != 0 && load(back, size) != load(p, size))
        fail_msg("%s %s reads back as another", tn_dtype_name(dtype), text);
}

static void texts_read_back(void **state)
{
    uint64_t seed = 7;

    (void)state;
    for (size_t k = 0; k < SMALL_COUNT; k++) {
        for (unsigned code = 0; code < 1u << tn_dtype_bits(smalls[k].dtype);
             code++)
            reads_back(smalls[k].dtype, code);
    }
    for (unsigned code = 0; code < 256; code++) {
        reads_back(TN_FLOAT8E8M0, code);
        reads_back(TN_INT8, code);
        reads_back(TN_UINT8, code);
        reads_back(TN_BOOL, code & 1);
    }
    for (int i = 0; i < 20000; i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
        reads_back(TN_FLOAT64, seed);
        reads_back(TN_FLOAT32, seed >> 32);
        reads_back(TN_INT64, seed);
        reads_back(TN_UINT64, seed);
        reads_back(TN_COMPLEX64, seed & UINT64_C(0xbfffffffbfffffff));
    }
}

static void the_locale_does_not_matter(void **state)
{
    uint8_t p[8];
    char    text[TN_ELEMENT_TEXT];

    (void)state;
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8")) {
        print_message("skipped: no German locale on this machine\n");
        return;
    }
    tn_element_from_double(TN_FLOAT64, 0.5, p);
    assert_string_equal(tn_element_text(TN_FLOAT64, p, text), "0.5");
    setlocale(LC_NUMERIC, "C");
}

static void strings_are_quoted(void **state)
{
    static const struct {
        const char *bytes, *text;
    } cases[] = {
        { "abc", "\"abc\"" },
        { "a\"b\\c\n\t\r", "\"a\\\"b\\\\c\\n\\t\\r\"" },
        { "\x1b[31m", "\"\\x1b[31m\"" },
        { "gr\xc3\xbc\xc3\x9f", "\"gr\xc3\xbc\xc3\x9f\"" },
        { "\xf0\x9f\x98\x80", "\"\xf0\x9f\x98\x80\"" },
        { "\xff\xc3", "\"\\xff\\xc3\"" },
        { "\xed\xa0\x80", "\"\\xed\\xa0\\x80\"" },
        { "\xc0\xaf", "\"\\xc0\\xaf\"" },
        { "\xc2\x9b", "\"\\xc2\\x9b\"" },
        { "\xe2\x80\xae", "\"\\xe2\\x80\\xae\"" },
        { "\xf4\x90\x80\x80", "\"\\xf4\\x90\\x80\\x80\"" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tn_error  error = TN_ERROR_INIT;
        struct tn_memory memory;
        struct tn_buffer buffer;
        tn_memory_init(&memory, NULL, 0);
        tn_buffer_init(&buffer, &memory, &error);
        tn_element_string(&buffer, tn_text(cases[i].bytes));
        assert_string_equal(tn_buffer_string(&buffer), cases[i].text);
        tn_buffer_done(&buffer);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_have_names_and_sizes),
        cmocka_unit_test(every_small_float_follows_the_formula),
        cmocka_unit_test(batches_equal_single_elements),
        cmocka_unit_test(e2m1_has_eight_magnitudes),
        cmocka_unit_test(small_floats_round_to_nearest_even),
        cmocka_unit_test(small_floats_end_as_documented),
        cmocka_unit_test(every_power_of_two_is_itself),
        cmocka_unit_test(conversions_follow_the_rule),
        cmocka_unit_test(integers_round_once),
        cmocka_unit_test(texts_are_the_shortest),
        cmocka_unit_test(texts_read_back),
        cmocka_unit_test(the_locale_does_not_matter),
        cmocka_unit_test(strings_are_quoted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
