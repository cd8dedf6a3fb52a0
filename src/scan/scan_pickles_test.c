/* scan_pickles_test.c - what pickles would do, and bytes that are none */
#include "scan/scan.h"

#include "scan/scan_testing.h"
#include "support/hostile.h"

#define SYSTEM "cos\nsystem\n"
#define CALL   SYSTEM "U\2ls\x85R"

/* A stream of torch.save() in bytes, that a call loads. */
#define LOADS  "\x80\2" "ctorch.storage\n_load_from_bytes\n"
#define STREAM "\x80\2\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.\x80\2M\xe9\3.\x80\2}."

/* clang-format off */
static const struct {
    const char *name, *bytes;
    size_t      size;
    const char *story;
} cases[] = {
#define CASE(name, bytes, story) { name, bytes, sizeof(bytes) - 1, story }
    CASE("data", "\x80\2}(U\1aK\1u.", ""),
    CASE("harmless names", "\x80\2" "ccollections\nOrderedDict\n)R.", ""),
    CASE("a call", "\x80\2" CALL ".", "dangerous pickle-call  18;"),
    CASE("a call and an error", "\x80\2" CALL "\xff", "dangerous pickle-call  18;unknown pickle-broken  19;"),
    CASE("a call of protocol 0", "cos\nsystem\n(S'ls'\ntR.", "dangerous pickle-call  19;"),
    CASE("by INST", "(S'ls'\nios\nsystem\n.", "dangerous pickle-call  7;"),
    CASE("by OBJ", "(" SYSTEM "S'ls'\no.", "dangerous pickle-call  18;"),
    CASE("by keywords", "\x80\4" SYSTEM ")}\x92.", "dangerous pickle-call  15;"),
    CASE("a name alone", "\x80\2" SYSTEM ".", "dangerous pickle-import  2;"),
    CASE("a name that is dropped", "\x80\2" SYSTEM "0N.", "dangerous pickle-import  2;"),
    CASE("a name of two numbers", "\x80\4K\1K\2\x93.", "unknown pickle-odd  6;dangerous pickle-import  6;"),
    CASE("an object of some class", "\x80\2" "cmy\nNet\n)\x81}b.", "unknown pickle-object  11;"),
    CASE("a function of some module", "\x80\2" "cmy\nrun\n)R.", "dangerous pickle-call  11;"),
    CASE("a member of an enumeration", "\x80\2" "cmy\nColor\nK\1\x85R.", "unknown pickle-object  15;"),
    CASE("a member of PyTorch's enumerations", "\x80\2" "ctorch.distributed.checkpoint.metadata\n_MEM_FORMAT_ENCODING\nK\0\x85R.", "unknown pickle-object  65;"),
    CASE("a member of an inner enumeration", "\x80\2" "c__builtin__\ngetattr\ncmy\nNet\nX\5\0\0\0Color\x86RK\1\x85R.", "unknown pickle-member  42;unknown pickle-object  46;unknown pickle-import  23;"),
    CASE("a method of an object", "\x80\2" "c__builtin__\ngetattr\ncmy\nNet\n)\x81X\2\0\0\0_f\x86R.", "unknown pickle-object  32;unknown pickle-member  41;"),
    CASE("what every object has", "\x80\2" "c__builtin__\ngetattr\ncmy\nNet\n)\x81X\3\0\0\0__f\x86R.", "unknown pickle-object  32;dangerous pickle-call  42;"),
    CASE("a private member of a class", "\x80\2" "c__builtin__\ngetattr\ncmy\nNet\nX\2\0\0\0_f\x86R.", "dangerous pickle-call  39;unknown pickle-import  23;"),
    CASE("two flags", "\x80\2" "c_operator\nor_\n(cmy\nColor\nK\1\x85Rcmy\nColor\nK\2\x85RtR.", "unknown pickle-object  31;unknown pickle-object  45;unknown pickle-object  47;"),
    CASE("a class that is called with a text", "\x80\2" "cmy\nNet\nU\2ls\x85R.", "dangerous pickle-call  15;"),
    CASE("a function that is called with a number", "\x80\2" "cmy\nrun\nK\1\x85R.", "dangerous pickle-call  13;"),
    CASE("an exception", "\x80\2" "c__builtin__\nKeyError\nU\1a\x85R.", ""),
    CASE("a module of PyTorch", "\x80\2" "ctorch.nn.modules.linear\nLinear\n)\x81.", "unknown pickle-object  35;"),
    CASE("an old module", "\x80\2(U\6module" "cmy\nNet\nU\1fU\1stQ)\x81.", "unknown pickle-object  28;"),
    CASE("the result is called", "\x80\2" CALL ")R.", "dangerous pickle-call  18;dangerous pickle-call  20;"),
    CASE("a factory", "\x80\2" "ccollections\ndefaultdict\n" SYSTEM "\x85R.", "dangerous pickle-call  39;"),
    CASE("a list of TorchScript", "\x80\2" "ctorch.jit._pickle\nbuild_intlist\n](K\1K\2e\x85R.", ""),
    CASE("a dict of TorchScript", "\x80\2" "ctorch.jit._pickle\nrestore_type_tag\n}X\1\0\0\0x\x86R.", ""),
    CASE("a class that is given back", "\x80\2" "ctorch.jit._pickle\nrestore_type_tag\ncargparse\nNamespace\nX\1\0\0\0x\x86R}b.", "unknown pickle-odd  65;"),
    CASE("an extension", "\x80\2\x82\1.", "unknown pickle-odd  2;"),
    CASE("a second pickle", "\x80\2N.\x80\2" CALL ".", "dangerous pickle-call  22;"),
    CASE("Paddle's way", "\x80\2" "c__builtin__\neval\nU\4data}U\4datacnumpy.core.multiarray\nscalar\ncnumpy\ndtype\nU\2i1\x89\x88\x87RU\1x\x86Rs\x86R.", ""),
    CASE("eval of code", "\x80\2" "c__builtin__\neval\nU\4data}U\4dataU\1xs\x86R.", "dangerous pickle-call  38;"),
    CASE("a second pickle of protocol 0", "\x80\2N." "cos\nsystem\n(S'ls'\ntR.", "dangerous pickle-call  23;"),
    CASE("protocol 0, marked", "\x80\0" CALL ".", "dangerous pickle-call  18;"),
    CASE("a value, then a call", "\x89" "0" CALL ".", "dangerous pickle-call  18;"),
    CASE("values left on the stack", "\x80\2NN.\x80\2" CALL ".", "dangerous pickle-call  23;"),
    CASE("values left after a name", "\x80\2" "ccollections\nOrderedDict\nN.", "unknown pickle-odd  28;"),
    CASE("data of every size", "\x80\4(K\1M\1\1J\1\1\1\1G12345678\x8c\1aX\1\0\0\0aC\1a\x8a\1aI12\nS'a'\nt\x94." CALL ".", "dangerous pickle-call  65;"),
    CASE("data that is cut", "\x80\4X\xff\0\0\0a", "unknown pickle-broken  7;"),
    CASE("a slot far away", "cos\nsystem\np9999999\n0g9999999\n(S'ls'\ntR.", "dangerous pickle-call  38;"),
    CASE("a slot with blanks", "cos\nsystem\np 1_0\n0g+10 \n(S'ls'\ntR.", "dangerous pickle-call  32;"),
    CASE("a slot that ends at a zero", "I1\np1\0\n0" CALL ".", "unknown pickle-odd  3;dangerous pickle-call  24;"),
    CASE("a slot of a large number", "I1\np99999999999999999999\n0" CALL ".", "unknown pickle-odd  3;dangerous pickle-call  42;"),
    CASE("slots that are used again", "\x80\4\x8c\1aq\0q\0\x94\x8c\2os\x94\x8c\6system\x94" "000h\2h\3\x93\x8c\2ls\x85R.", "dangerous pickle-call  37;"),
    CASE("a name with escapes", "\x80\4S'o\\x73'\nV\\u0073ystem\n\x93)R.", "unknown pickle-odd  24;dangerous pickle-call  26;"),
    CASE("a late protocol", "N0\x80\4" SYSTEM ")R.", "unknown pickle-odd  2;dangerous pickle-call  16;"),
    CASE("a function of PyTorch, not called", "\x80\2" "ctorch.nn.functional\nrelu\n.", "unknown pickle-import  2;"),
    CASE("a function of PyTorch, called", "\x80\2" "ctorch.nn.functional\nrelu\n)R.", "dangerous pickle-call  29;"),
    CASE("an object of PyTorch's other classes", "\x80\2" "ctorch.fx\nGraph\n)\x81.", "unknown pickle-object  19;"),
    CASE("a pickle in bytes", "\x80\4" "C\x14\x80\2" CALL "." ".", "dangerous pickle-call bytes at 4 22;"),
    CASE("a pickle in bytes of data", "\x80\4(C\x14\x80\2" CALL ".K\1t.", "dangerous pickle-call bytes at 5 23;"),
    CASE("a pickle in bytes that are text", "\x80\2" "c_codecs\nencode\nX\x16\0\0\0\xc2\x80\2" SYSTEM "(U\2lstR.U\6latin1\x86R.", "dangerous pickle-call bytes at 23 19;"),
    CASE("a pickle in a line of text", "c_codecs\nencode\n(V\x80\2cos\\u000asystem\\u000a(U\2lstR.\nS'latin1'\ntR.", "dangerous pickle-call bytes at 18 19;"),
    CASE("a pickle between quotes", "(S'\\x80\\x02cos\\nsystem\\n(U\\x02lstR.'\ntI1\n0.", "dangerous pickle-call bytes at 3 19;"),
    CASE("a pickle of protocol 0 between quotes", "(S\"cos\\nsystem\\n(U\\002lstR.\"\ntI1\n0.", "dangerous pickle-call bytes at 3 17;"),
    CASE("a storage between quotes", "ctorch.storage\n_load_from_bytes\n(S'\\x80\\x02\\x8a\\nl\\xfc\\x9cF\\xf9 j\\xa8P\\x19.\\x80\\x02N.'\ntR.", "note pickle-nested  88;"),
    CASE("a pickle of protocol 0 in a string", "\x80\2U\x13" "cos\nsystem\n(U\2lstR." ".", "dangerous pickle-call bytes at 4 21;"),
    CASE("a storage in bytes", LOADS "C\x21" STREAM "\x80\2N.\x80\2].\x85R.", "note pickle-nested  70;"),
    CASE("a call in the bytes of a storage", LOADS "C\x2d" STREAM "\x80\2" CALL ".\x85R.", "note pickle-nested  82;dangerous pickle-call bytes at 36 79;"),
    CASE("a storage that breaks off", LOADS "C\x2d" STREAM "\x80\2" CALL "\xff\x85R.", "note pickle-nested  82;dangerous pickle-call bytes at 36 79;unknown pickle-broken bytes at 36 80;"),
    CASE("a storage in bytes that may grow", "\x80\5" "ctorch.storage\n_load_from_bytes\n\x96\x21\0\0\0\0\0\0\0" STREAM "\x80\2N.\x80\2].\x85R.", "dangerous pickle-call  77;"),
    CASE("other bytes that are loaded", LOADS "C\x0aPK\3\4zzzzzz\x85R.", "dangerous pickle-call  47;"),
    CASE("bytes that begin as a pickle", "\x80\4" "C\4\x80\4\0\0.", ""),
    CASE("a text of two lines", "\x80\2U\5c\nos\n.", ""),
    CASE("a harmless pickle in bytes", "\x80\4" "C\4\x80\4N..", ""),
    CASE("a state dict", "\x80\2" "ccollections\nOrderedDict\nq\0)R(X\1\0\0\0wctorch._utils\n_rebuild_tensor_v2\n((X\7\0\0\0storagectorch\nFloatStorage\nX\1\0\0\0000X\3\0\0\0cpuK\1tQK\0K\1\x85K\1\x85\x89h\0)RtRu}X\1\0\0\0ah\0)Rsb.", ""),
    CASE("a call of an object", "\x80\2" "ccollections\nOrderedDict\n)R)R.", "unknown pickle-odd  30;"),
    CASE("a state for a class", "\x80\2" "ccollections\nOrderedDict\n}b.", "unknown pickle-odd  28;"),
    CASE("a name of the memo", "\x80\4\x8c\2os\x94\x8c\6system\x94" "00h\0h\1\x93\x8c\2ls\x85R.", "dangerous pickle-call  28;"),
    CASE("data after a pickle, which begin as one", "\x80\2N.\x80\2\0\0\0\0\0\0", ""),
    CASE("text", "contents of a file\nof two lines\n", ""),
    CASE("numbers", "1 2 3 4\n", ""),
    CASE("zeros", "\0\0\0\0", ""),
#undef CASE
};
/* clang-format on */

static void pickles_are_told(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tn_error   error = TN_ERROR_INIT;
        struct tn_memory  memory;
        struct scan_story story;
        tn_memory_init(&memory, NULL, 0);
        scan_the_bytes(tn_bytes(cases[i].bytes, cases[i].size), "a", &memory,
                       &story, &error);
        assert_int_equal(error.status, TN_OK);
        if (strcmp(story.text, cases[i].story) != 0)
            fail_msg("%s: %s", cases[i].name, story.text);
        assert_int_equal(memory.used, 0);
    }
}

/* Scanning never fails because of the bytes. */
static enum tn_status scan(struct tn_bytes input, struct tn_memory *memory,
                           struct tn_error *error)
{
    struct scan_story story;

    return scan_the_bytes(input, "a", memory, &story, error);
}

static void damaged_pickles_are_scanned(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tn_bytes good = tn_bytes(cases[i].bytes, cases[i].size);
        tn_survives_every_flip(scan, good);
        tn_survives_no_memory(scan, good);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pickles_are_told),
        cmocka_unit_test(damaged_pickles_are_scanned),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
