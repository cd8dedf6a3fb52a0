/* pt_format_test.c - what files of PyTorch hold, and what is refused; torch
 * itself judges in tests/judges */
#define _GNU_SOURCE
#include "format/pytorch/pt.h"

#include <stdlib.h>

#include "format/pytorch/pt_testing.h"
#include "format/registry.h"
#include <tenon/verbs.h>
#include "support/tired.h"
#include "support/little_models.h"

#define P2       "\x80\x02"
#define EIGHT    PT_STORAGE("ByteStorage", "0", "\10")
#define ROW      "K\0K\10\x85K\1\x85"
#define ROW_SIZE (sizeof ROW - 1)

/* A complex number, and marks that are not done to it. */
#define MARKED(marks)                                                          \
    PT_NAME("torch._utils", "_rebuild_tensor_v3")                              \
    "((" PT_TEXT("\7", "storage") PT_NAME("torch.storage", "UntypedStorage")   \
        PT_TEXT("\1", "0")                                                     \
            PT_TEXT("\3", "cpu") "K\10tQ"                                      \
                                 "K\0K\1\x85K\1\x85\x89" PT_DICT PT_NAME(      \
                                     "torch", "complex64") marks "tR."

#define SIX(text) text text text text text text
#define TEN(text) SIX(text) text text text text

/* clang-format off */
static const struct {
    const char    *name;
    const char    *pickle;
    size_t         size;
    enum tn_status status;
    const char    *tensors; /* each "NAME=ELEMENTS;", elements in hex */
} cases[] = {
#define CASE(name, pickle, status, tensors) { name, pickle, sizeof(pickle) - 1, status, tensors }
    CASE("a state dict", P2 PT_DICT "(" PT_TEXT("\1", "w") PT_TENSOR(EIGHT, ROW) "u.", TN_OK, "w=0001020304050607;"),
    CASE("a tensor alone", P2 PT_TENSOR(EIGHT, ROW) ".", TN_OK, "=0001020304050607;"),
    CASE("nested", P2 "}(" PT_TEXT("\1", "a") "](" PT_TENSOR(EIGHT, "K\1K\2\x85K\1\x85") "}" "K\3" PT_TENSOR(EIGHT, "K\2K\1\x85K\1\x85") "seu.", TN_OK, "a.0=0102;a.1.3=02;"),
    CASE("transposed", P2 PT_TENSOR(EIGHT, "K\0K\4K\2\x86K\1K\4\x86") ".", TN_OK, "=0004010502060307;"),
    CASE("expanded", P2 PT_TENSOR(EIGHT, "K\3K\3K\2\x86K\0K\1\x86") ".", TN_OK, "=030403040304;"),
    CASE("overlapping", P2 PT_TENSOR(EIGHT, "K\0K\3K\2\x86K\1K\1\x86") ".", TN_OK, "=000101020203;"),
    CASE("a scalar", P2 PT_TENSOR(EIGHT, "K\5))") ".", TN_OK, "=05;"),
    CASE("empty", P2 PT_TENSOR(EIGHT, "K\0K\0\x85K\1\x85") ".", TN_OK, "=;"),
    CASE("tied", P2 "}(" PT_TEXT("\1", "a") PT_TENSOR(EIGHT, ROW) "q\1" PT_TEXT("\1", "b") "h\1u.", TN_OK, "a=0001020304050607;b=0001020304050607;"),
    CASE("a parameter", P2 PT_NAME("torch._utils", "_rebuild_parameter") "(" PT_TENSOR(EIGHT, ROW) "\x88" PT_DICT "tR.", TN_OK, "=0001020304050607;"),
    CASE("a subclass", P2 PT_NAME("torch._tensor", "_rebuild_from_type_v2") "(" PT_NAME("torch._utils", "_rebuild_tensor_v2") PT_NAME("my", "Tensor") "(" EIGHT ROW "\x89" PT_DICT "t}tR.", TN_OK, "=0001020304050607;"),
    CASE("a storage alone", P2 EIGHT ".", TN_OK, "=0001020304050607;"),
    CASE("float8 over bytes", P2 PT_NAME("torch._utils", "_rebuild_tensor_v3") "((" PT_TEXT("\7", "storage") PT_NAME("torch.storage", "UntypedStorage") PT_TEXT("\1", "0") PT_TEXT("\3", "cpu") "K\10tQ" "K\2K\2\x85K\1\x85\x89" PT_DICT PT_NAME("torch", "float8_e5m2") "tR.", TN_OK, "=0203;"),
    CASE("pairs of float16", P2 PT_NAME("torch._utils", "_rebuild_tensor_v3") "((" PT_TEXT("\7", "storage") PT_NAME("torch.storage", "UntypedStorage") PT_TEXT("\1", "0") PT_TEXT("\3", "cpu") "K\10tQ" "K\1K\1\x85K\1\x85" "\x89" PT_DICT PT_NAME("torch", "complex32") "tR.", TN_OK, "=04050607;"),
    CASE("pairs of float16, every second", P2 PT_NAME("torch._utils", "_rebuild_tensor_v3") "((" PT_TEXT("\7", "storage") PT_NAME("torch.storage", "UntypedStorage") PT_TEXT("\1", "0") PT_TEXT("\3", "cpu") "K\10tQ" "K\0K\1\x85K\2\x85" "\x89" PT_DICT PT_NAME("torch", "complex32") "tR.", TN_OK, "=00010203;"),
    CASE("pairs of float16 beyond the storage", P2 PT_NAME("torch._utils", "_rebuild_tensor_v3") "((" PT_TEXT("\7", "storage") PT_NAME("torch.storage", "UntypedStorage") PT_TEXT("\1", "0") PT_TEXT("\3", "cpu") "K\10tQ" "K\1K\2\x85K\1\x85" "\x89" PT_DICT PT_NAME("torch", "complex32") "tR.", TN_MALFORMED, NULL),
    CASE("uint16 over bytes", P2 PT_NAME("torch._utils", "_rebuild_tensor_v3") "((" PT_TEXT("\7", "storage") PT_NAME("torch.storage", "UntypedStorage") PT_TEXT("\1", "0") PT_TEXT("\3", "cpu") "K\10tQ" "K\1K\3\x85K\1\x85" "\x89" PT_DICT PT_NAME("torch", "uint16") "tR.", TN_OK, "=020304050607;"),
    CASE("four bits in a byte each", P2 PT_NAME("torch._utils", "_rebuild_tensor_v3") "((" PT_TEXT("\7", "storage") PT_NAME("torch.storage", "UntypedStorage") PT_TEXT("\1", "0") PT_TEXT("\3", "cpu") "K\10tQ" "K\1K\3\x85K\1\x85" "\x89" PT_DICT PT_NAME("torch", "uint4") "tR.", TN_OK, "=010203;"),
    CASE("pairs of float4", P2 PT_NAME("torch._utils", "_rebuild_tensor_v3") "((" PT_TEXT("\7", "storage") PT_NAME("torch.storage", "UntypedStorage") PT_TEXT("\1", "0") PT_TEXT("\3", "cpu") "K\10tQ" "K\1K\3\x85K\1\x85" "\x89" PT_DICT PT_NAME("torch", "float4_e2m1fn_x2") "tR.", TN_OK, "=010203;"),
    CASE("a device that takes tensors of the processor", P2 PT_NAME("torch._utils", "_rebuild_device_tensor_from_cpu_tensor") "(" PT_TENSOR(EIGHT, ROW) PT_NAME("torch", "uint8") PT_TEXT("\3", "xpu") "\x89tR.", TN_OK, "=0001020304050607;"),
    CASE("a device that takes arrays of numpy", P2 "}(" PT_TEXT("\1", "a") PT_NAME("torch._utils", "_rebuild_device_tensor_from_numpy") "(" PT_NAME("numpy.core.multiarray", "scalar") PT_NAME("numpy", "dtype") PT_TEXT("\2", "u2") "\x89\x88\x87RC\2ab\x86R" PT_NAME("torch", "uint16") PT_TEXT("\3", "xla") "\x89tR" PT_TEXT("\1", "w") PT_TENSOR(EIGHT, "K\0K\1\x85K\1\x85") "u.", TN_OK, "a=6162;w=00;"),
    CASE("without data", P2 "}(" PT_TEXT("\1", "m") PT_NAME("torch._utils", "_rebuild_meta_tensor_no_storage") "(" PT_NAME("torch", "uint8") "K\3\x85K\1\x85\x89tR" PT_TEXT("\1", "w") PT_TENSOR(EIGHT, "K\0K\1\x85K\1\x85") "u.", TN_OK, "m=000000;w=00;"),
    CASE("a wrapper with a tensor inside", P2 "}" PT_TEXT("\1", "d") PT_NAME("torch._tensor", "_rebuild_from_type_v2") "(" PT_NAME("torch._utils", "_rebuild_wrapper_subclass") PT_NAME("torch.distributed.tensor", "DTensor") "(" PT_NAME("torch.distributed.tensor", "DTensor") PT_NAME("torch", "uint8") "K\2\x85K\1\x85K\0t}" PT_TEXT("\6", "_local") PT_TENSOR(EIGHT, "K\0K\2\x85K\1\x85") "stRs.", TN_OK, "d._local=0001;"),
    CASE("a tensor with a tensor as an attribute", P2 "}" PT_TEXT("\1", "t") PT_NAME("torch._tensor", "_rebuild_from_type_v2") "(" PT_NAME("torch._utils", "_rebuild_tensor_v2") PT_NAME("torch", "Tensor") "(" EIGHT "K\0K\1\x85K\1\x85\x89" PT_DICT "t}" PT_TEXT("\1", "s") PT_TENSOR(EIGHT, "K\1K\1\x85K\1\x85") "stRs.", TN_OK, "t=00;t.s=01;"),
    CASE("nested tensors", P2 "}" PT_TEXT("\1", "n") PT_NAME("torch._utils", "_rebuild_nested_tensor") "(" PT_TENSOR(EIGHT, "K\0K\2\x85K\1\x85") PT_TENSOR(EIGHT, "K\2K\1\x85K\1\x85") PT_TENSOR(EIGHT, "K\3K\1\x85K\1\x85") "](K\0K\1etRs.", TN_OK, "n.buffer=0001;n.sizes=02;n.strides=03;"),
    CASE("blocks of a sparse tensor", P2 "}" PT_TEXT("\1", "s") PT_NAME("torch._utils", "_rebuild_sparse_tensor") PT_NAME("torch.serialization", "_get_layout") PT_TEXT("\x10", "torch.sparse_bsr") "\x85R(" PT_TENSOR(EIGHT, "K\0K\2\x85K\1\x85") PT_TENSOR(EIGHT, "K\2K\1\x85K\1\x85") PT_TENSOR(EIGHT, "K\3K\1\x85K\1\x85") "K\2K\2\x86t\x86Rs.", TN_OK, "s.crow_indices=0001;s.col_indices=02;s.values=03;"),
    CASE("keys of all kinds", P2 "}(G?\xf8\0\0\0\0\0\0" PT_TENSOR(EIGHT, "K\0K\1\x85K\1\x85") "N" PT_TENSOR(EIGHT, "K\1K\1\x85K\1\x85") "K\1K\2\x86" PT_TENSOR(EIGHT, "K\2K\1\x85K\1\x85") "u.", TN_OK, "1.5=00;None=01;(1, 2)=02;"),
    CASE("a key of protocol 0", P2 "}F2.5\n" PT_TENSOR(EIGHT, "K\0K\1\x85K\1\x85") "s.", TN_OK, "2.5=00;"),
    CASE("a module", P2 PT_NAME("my", "Net") ")\x81}(" PT_TEXT("\x0b", "_parameters") "}" PT_TEXT("\1", "w") PT_TENSOR(EIGHT, "K\0K\1\x85K\1\x85") "s" PT_TEXT("\x08", "_modules") "}" PT_TEXT("\1", "0") PT_NAME("my", "Sub") ")\x81}" PT_TEXT("\x08", "_buffers") "}" PT_TEXT("\1", "b") PT_TENSOR(EIGHT, "K\1K\1\x85K\1\x85") "ssbsub.", TN_OK, "w=00;0.b=01;"),
    CASE("a list of parameters beside them", P2 PT_NAME("torch", "LSTM") ")\x81}(" PT_TEXT("\x0d", "_flat_weights") "]" PT_TENSOR(EIGHT, "K\0K\1\x85K\1\x85") "a" PT_TEXT("\x0b", "_parameters") "}" PT_TEXT("\1", "w") PT_TENSOR(EIGHT, "K\0K\1\x85K\1\x85") "sub.", TN_OK, "w=00;"),
    CASE("a list of attributes beside them", P2 PT_NAME("__torch__", "LSTM") ")\x81}(" PT_TEXT("\x0d", "_flat_weights") "]" PT_TENSOR(EIGHT, "K\0K\1\x85K\1\x85") "a" PT_TEXT("\x0c", "weight_ih_l0") PT_TENSOR(EIGHT, "K\0K\1\x85K\1\x85") "ub.", TN_OK, "weight_ih_l0=00;"),
    CASE("the same name in a dict", P2 "}" PT_TEXT("\x0d", "_flat_weights") "]" PT_TENSOR(EIGHT, "K\0K\1\x85K\1\x85") "as.", TN_OK, "_flat_weights.0=00;"),
    CASE("code that is not run", P2 "}(" PT_TEXT("\1", "x") PT_NAME("os", "system") PT_TEXT("\2", "ls") "\x85R" PT_TEXT("\1", "w") PT_TENSOR(EIGHT, ROW) "u.", TN_OK, "w=0001020304050607;"),
    CASE("nested tensors in each other", P2 PT_NAME("torch._utils", "_rebuild_nested_tensor") "q\1" SIX(TEN(TEN("h\1"))) SIX(TEN(TEN("\x85R"))) ".", TN_LIMIT, NULL),
    CASE("a list in itself", P2 "]q\1h\1a.", TN_OK, "data/0=0001020304050607;"),
    CASE("a dict in itself", P2 "}q\1(" PT_TEXT("\1", "s") "h\1" PT_TEXT("\1", "l") "](h\1" PT_TENSOR(EIGHT, "K\0K\1\x85K\1\x85") "eu.", TN_OK, "l.1=00;"),
    CASE("an object and its parent", P2 PT_NAME("my", "Net") ")\x81q\1}(" PT_TEXT("\1", "w") PT_TENSOR(EIGHT, "K\0K\1\x85K\1\x85") PT_TEXT("\1", "c") PT_NAME("my", "Net") ")\x81}(" PT_TEXT("\1", "p") "h\1" PT_TEXT("\1", "v") PT_TENSOR(EIGHT, "K\1K\1\x85K\1\x85") "ubub.", TN_OK, "w=00;c.v=01;"),
    CASE("lists in lists, twice each", P2 "]q\1K\1a" TEN(SIX("]q\2(h\1h\1eq\1")) ".", TN_LIMIT, NULL),
    CASE("a conjugate", P2 MARKED("}" PT_TEXT("\4", "conj") "\x88s"), TN_OK, "=0001020304050687;"),
    CASE("a negative", P2 MARKED("}" PT_TEXT("\3", "neg") "\x88s"), TN_OK, "=0001028304050687;"),
    CASE("a negative conjugate", P2 MARKED("}(" PT_TEXT("\3", "neg") "\x88" PT_TEXT("\4", "conj") "\x88u"), TN_OK, "=0001028304050607;"),
    CASE("no mark", P2 MARKED("}" PT_TEXT("\4", "conj") "\x89s"), TN_OK, "=0001020304050607;"),
    CASE("a conjugate of float16", P2 PT_NAME("torch._utils", "_rebuild_tensor_v3") "((" PT_TEXT("\7", "storage") PT_NAME("torch.storage", "UntypedStorage") PT_TEXT("\1", "0") PT_TEXT("\3", "cpu") "K\10tQ" "K\0K\2\x85K\1\x85" "\x89" PT_DICT PT_NAME("torch", "complex32") "}" PT_TEXT("\4", "conj") "\x88stR.", TN_OK, "=0001028304050687;"),
    CASE("beyond the storage", P2 PT_TENSOR(EIGHT, "K\1K\10\x85K\1\x85") ".", TN_MALFORMED, NULL),
    CASE("strides beyond it", P2 PT_TENSOR(EIGHT, "K\0K\3K\3\x86K\4K\1\x86") ".", TN_MALFORMED, NULL),
    CASE("a storage that is not there", P2 PT_TENSOR(PT_STORAGE("ByteStorage", "7", "\10"), ROW) ".", TN_MALFORMED, NULL),
    CASE("a storage of another size", P2 PT_TENSOR(PT_STORAGE("ByteStorage", "0", "\11"), ROW) ".", TN_MALFORMED, NULL),
    CASE("one storage, two types", P2 "](" PT_TENSOR(EIGHT, ROW) PT_TENSOR(PT_STORAGE("CharStorage", "0", "\10"), ROW) "e.", TN_MALFORMED, NULL),
    CASE("quantised", P2 "}" PT_TEXT("\1", "q") PT_NAME("torch._utils", "_rebuild_qtensor") "(" PT_STORAGE("QInt8Storage", "0", "\10") ROW "(" PT_NAME("torch", "per_tensor_affine") "G?\xf0\0\0\0\0\0\0K\3t\x89" PT_DICT "tRs.", TN_OK, "q=0001020304050607;"),
    CASE("a storage and no tensor", P2 PT_NAME("my", "thing") EIGHT "\x85R.", TN_OK, "data/0=0001020304050607;"),
    CASE("opcodes that nobody knows", P2 EIGHT "\xff.", TN_OK, "data/0=0001020304050607;"),
    CASE("two elements in a byte", P2 "}" PT_TEXT("\1", "q") PT_NAME("torch._utils", "_rebuild_qtensor") "(" PT_STORAGE("QUInt4x2Storage", "0", "\10") "K\0K\4K\4\x86K\4K\1\x86(" PT_NAME("torch", "per_tensor_affine") "G?\xf0\0\0\0\0\0\0K\3t\x89" PT_DICT "tRs.", TN_OK, "q=00000100020003000400050006000700;"),
    CASE("more than two elements in a byte", P2 PT_NAME("torch._utils", "_rebuild_qtensor") "(" PT_STORAGE("QUInt4x2Storage", "0", "\10") "K\0K\x11\x85K\1\x85(" PT_NAME("torch", "per_tensor_affine") "G?\xf0\0\0\0\0\0\0K\3t\x89" PT_DICT "tR.", TN_MALFORMED, NULL),
    CASE("a namedtuple", P2 PT_NAME("my", "Point") "(" PT_TENSOR(EIGHT, "K\0K\1\x85K\1\x85") "}" PT_TEXT("\1", "k") PT_TENSOR(EIGHT, "K\1K\1\x85K\1\x85") "s" PT_TENSOR(EIGHT, "K\2K\1\x85K\1\x85") PT_TENSOR(EIGHT, "K\3K\1\x85K\1\x85") "\x86t\x81.", TN_OK, "0=00;1.k=01;2.0=02;2.1=03;"),
    CASE("a namedtuple of protocol 1", P2 PT_NAME("copy_reg", "_reconstructor") "(" PT_NAME("my", "Point") PT_NAME("__builtin__", "tuple") PT_TENSOR(EIGHT, "K\0K\1\x85K\1\x85") PT_TENSOR(EIGHT, "K\1K\1\x85K\1\x85") "\x86tR.", TN_OK, "0=00;1=01;"),
    CASE("a tuple that a function is given", P2 PT_NAME("my", "make") PT_TENSOR(EIGHT, "K\2K\1\x85K\1\x85") PT_TENSOR(EIGHT, "K\3K\1\x85K\1\x85") "\x86\x85R.", TN_OK, "0.0=02;0.1=03;"),
    CASE("a storage that nobody names", P2 "}.", TN_OK, "data/0=0001020304050607;"),
    CASE("no end", P2 "}", TN_OK, "data/0=0001020304050607;"),
#undef CASE
};
/* clang-format on */

/* A model as in the table. */
static void describe(const struct tn_model *model, char *to, size_t room)
{
    size_t used = 0;

    to[0] = 0;
    for (uint64_t i = 0; i < tn_model_tensor_count(model); i++) {
        const struct tn_tensor *tensor = tn_model_tensor(model, i);
        struct tn_error         error  = TN_ERROR_INIT;
        struct tn_bytes         name =
            tn_model_name(model, tensor->name); /* may be empty */
        uint8_t bytes[64];
        size_t  size = (size_t)tn_tensor_size(tensor);
        assert_true(size <= sizeof bytes);
        assert_int_equal(tn_tensor_read(tensor, 0, bytes, size, &error), TN_OK);
        used += (size_t)snprintf(to + used, room - used, "%.*s=", TN_FMT(name));
        for (size_t k = 0; k < size; k++)
            used += (size_t)snprintf(to + used, room - used, "%02x", bytes[k]);
        used += (size_t)snprintf(to + used, room - used, ";");
    }
}

static void open_case(struct tn_scratch *scratch, const char *file, size_t i)
{
    struct tn_error  error = TN_ERROR_INIT;
    struct tn_model *model;
    char             text[512];

    tn_model_open(&model, tn_in_scratch(scratch, file), NULL, &error);
    if (error.status != cases[i].status)
        fail_msg("%s in %s: status %d: %s", cases[i].name, file, error.status,
                 error.what);
    if (!model)
        return;
    assert_string_equal(tn_model_format(model), "pytorch");
    describe(model, text, sizeof text);
    if (strcmp(text, cases[i].tensors) != 0)
        fail_msg("%s in %s: %s", cases[i].name, file, text);
    tn_model_close(model);
}

static void files_hold_what_the_table_says(void **state)
{
    static const uint64_t sizes[] = { 8 };
    struct tn_scratch     scratch = tn_scratch_open();

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tn_bytes  pickle = tn_bytes(cases[i].pickle, cases[i].size);
        struct tn_error  error  = TN_ERROR_INIT;
        struct tn_memory memory;
        struct tn_buffer zip, stream;
        tn_memory_init(&memory, NULL, 0);
        tn_buffer_init(&zip, &memory, &error);
        tn_buffer_init(&stream, &memory, &error);
        pt_make_zip(&zip, pickle, sizes, 1, NULL);
        pt_make_stream(&stream, pickle, 8, 8);
        assert_int_equal(error.status, TN_OK);
        tn_scratch_put(&scratch, "a.pt", tn_buffer_bytes(&zip));
        tn_scratch_put(&scratch, "b.pt", tn_buffer_bytes(&stream));
        open_case(&scratch, "a.pt", i);
        if (!cases[i].tensors || cases[i].tensors[0] != 'd') /* its names */
            open_case(&scratch, "b.pt", i);
        tn_buffer_done(&zip);
        tn_buffer_done(&stream);
    }
    tn_scratch_close(&scratch);
}

static void byte_order_counts(void **state)
{
    static const char pickle[] = P2 PT_TENSOR(
        PT_STORAGE("ShortStorage", "0", "\2"), "K\0K\2\x85K\1\x85") ".";
    static const uint64_t sizes[] = { 4 };
    static const struct {
        const char    *order, *tensors;
        enum tn_status status;
    } rows[] = {
        { NULL, "=00010203;", TN_OK },
        { "little", "=00010203;", TN_OK },
        { "big", "=01000302;", TN_OK },
        { "middle", NULL, TN_MALFORMED },
    };
    struct tn_scratch scratch = tn_scratch_open();

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct tn_error  error = TN_ERROR_INIT;
        struct tn_memory memory;
        struct tn_buffer zip;
        struct tn_model *model;
        char             text[64];
        tn_memory_init(&memory, NULL, 0);
        tn_buffer_init(&zip, &memory, &error);
        pt_make_zip(&zip, tn_bytes(pickle, sizeof pickle - 1), sizes, 1,
                    rows[i].order);
        tn_scratch_put(&scratch, "a.pt", tn_buffer_bytes(&zip));
        tn_model_open(&model, tn_in_scratch(&scratch, "a.pt"), NULL, &error);
        assert_int_equal(error.status, rows[i].status);
        if (model) {
            describe(model, text, sizeof text);
            assert_string_equal(text, rows[i].tensors);
        }
        tn_model_close(model);
        tn_buffer_done(&zip);
    }
    tn_scratch_close(&scratch);
}

#define MAP "{\"weight_map\":{"

static const struct {
    const char    *name, *index;
    enum tn_status status;
    const char    *rules;
} indices[] = {
    { "the truth", MAP "\"w\":\"1.bin\",\"v\":\"2.bin\"}}", TN_OK, "" },
    { "a file that is not there", MAP "\"w\":\"1.bin\",\"v\":\"3.bin\"}}",
      TN_NOT_FOUND, "missing-shard missing-tensor" },
    { "a file outside", MAP "\"w\":\"1.bin\",\"v\":\"../2.bin\"}}", TN_INVALID,
      "missing-shard missing-tensor" },
    { "a file that is none", MAP "\"w\":\"1.bin\",\"v\":\"bad.bin\"}}",
      TN_TRUNCATED, "bad-shard missing-tensor" },
    { "in the other file", MAP "\"w\":\"2.bin\",\"v\":\"1.bin\"}}",
      TN_MALFORMED,
      "misplaced-tensor misplaced-tensor missing-tensor missing-tensor" },
    { "a tensor too many", MAP "\"w\":\"1.bin\",\"x\":\"1.bin\"}}",
      TN_MALFORMED, "missing-tensor" },
    { "a tensor it does not know", MAP "\"v\":\"2.bin\"}}", TN_OK, "" },
    { "cut", MAP "\"v\":\"2.bin\"", TN_TRUNCATED, "truncated" },
};

static int note_rule(void *context, const struct tn_finding *finding)
{
    char  *rules = context;
    size_t used  = strlen(rules);

    snprintf(rules + used, 200 - used, "%s%s", used ? " " : "", finding->rule);
    return 0;
}

static void put_shard(struct tn_scratch *scratch, const char *file,
                      struct tn_bytes pickle)
{
    static const uint64_t sizes[] = { 8 };
    struct tn_error       error   = TN_ERROR_INIT;
    struct tn_memory      memory;
    struct tn_buffer      zip;

    tn_memory_init(&memory, NULL, 0);
    tn_buffer_init(&zip, &memory, &error);
    pt_make_zip(&zip, pickle, sizes, 1, NULL);
    tn_scratch_put(scratch, file, tn_buffer_bytes(&zip));
    tn_buffer_done(&zip);
}

static void indices_and_files_agree(void **state)
{
    static const char w[] =
        P2            PT_DICT "(" PT_TEXT("\1", "w") PT_TENSOR(EIGHT, ROW) "u.";
    static const char v[] =
        P2            PT_DICT "(" PT_TEXT("\1", "v") PT_TENSOR(EIGHT, ROW) "u.";
    struct tn_scratch scratch = tn_scratch_open();

    (void)state;
    put_shard(&scratch, "1.bin", tn_bytes(w, sizeof w - 1));
    put_shard(&scratch, "2.bin", tn_bytes(v, sizeof v - 1));
    tn_write_text(&scratch, "bad.bin", "nothing");
    for (size_t i = 0; i < sizeof indices / sizeof indices[0]; i++) {
        struct tn_error  error      = TN_ERROR_INIT;
        char             rules[200] = "";
        struct tn_model *model;
        tn_write_text(&scratch, "m.bin.index.json", indices[i].index);
        const char *path = tn_in_scratch(&scratch, "m.bin.index.json");
        tn_model_open(&model, path, NULL, &error);
        if (error.status != indices[i].status)
            fail_msg("%s: status %d: %s", indices[i].name, error.status,
                     error.what);
        tn_model_close(model);
        error = (struct tn_error)TN_ERROR_INIT;
        path  = tn_in_scratch(&scratch, "m.bin.index.json");
        tn_check(path, NULL, NULL, note_rule, rules, NULL, &error);
        if (strcmp(rules, indices[i].rules) != 0)
            fail_msg("%s: %s", indices[i].name, rules);
    }
    tn_scratch_close(&scratch);
}

/* Bytes in a pickle: as they are, as a line of text, and between quotes. */
static void put_bytes(struct tn_buffer *to, struct tn_bytes bytes, char opcode)
{
    if (opcode == 'B') {
        tn_buffer_byte(to, 'B');
        tn_buffer_u32(to, (uint32_t)bytes.size);
        tn_buffer_add(to, bytes);
        return;
    }
    tn_buffer_text(to, opcode == 'V' ? "c_codecs\nencode\n(V" : "S'");
    for (size_t i = 0; i < bytes.size; i++)
        tn_buffer_format(to, opcode == 'V' ? "\\u%04x" : "\\x%02x",
                         bytes.data[i]);
    tn_buffer_text(to, opcode == 'V' ? "\nVlatin1\ntR" : "'\n");
}

/* pickle.dump() of a tensor: its storage is a stream inside of the pickle. */
static void pickles_by_themselves_are_read(void **state)
{
    static const char storage[]              = P2 EIGHT ".";
    static const struct {
        const char *head, *end, *name;
    } forms_of[] = {
        { P2 "}" PT_TEXT("\1", "w"), "s.", "w" },
        { "(dp0\nVw\n", "s.", "w" },
        { "(dp0\nV\xfc\\u20ac\n", "s.", "\xc3\xbc\xe2\x82\xac" },
        { "(dp0\nctorch\nint8\n", "s.", "torch.int8" },
        { "(", "t.", "0" },
        { "cmine\nPair\n(", "tR.", "0" },
        { P2 "cmine\nHolder\n)\x81", "b.", "" },
    };
    static const char                call[] =
        PT_NAME("torch._utils", "_rebuild_tensor_v2") "(" PT_NAME(
            "torch.storage", "_load_from_bytes");
    static const char tail[]  = "tR" ROW "\x89" PT_DICT "tR";
    static const char forms[] = "BVS";
    struct tn_scratch scratch = tn_scratch_open();
    struct tn_error   error   = TN_ERROR_INIT;
    struct tn_memory  memory;
    struct tn_buffer  stream, file;
    struct tn_model  *model;
    char              text[64], expected[64];

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_buffer_init(&stream, &memory, &error);
    pt_make_stream(&stream, tn_bytes(storage, sizeof storage - 1), 8, 8);
    for (size_t i = 0; i < 3 * sizeof forms_of / sizeof forms_of[0]; i++) {
        tn_buffer_init(&file, &memory, &error);
        tn_buffer_text(&file, forms_of[i / 3].head);
        tn_buffer_add(&file, tn_bytes(call, sizeof call - 1));
        tn_buffer_byte(&file, '(');
        put_bytes(&file, tn_buffer_bytes(&stream), forms[i % 3]);
        tn_buffer_add(&file, tn_bytes(tail, sizeof tail - 1));
        tn_buffer_text(&file, forms_of[i / 3].end);
        tn_scratch_put(&scratch, "a.pkl", tn_buffer_bytes(&file));
        tn_model_open(&model, tn_in_scratch(&scratch, "a.pkl"), NULL, &error);
        assert_int_equal(error.status, TN_OK);
        describe(model, text, sizeof text);
        snprintf(expected, sizeof expected, "%s=0001020304050607;",
                 forms_of[i / 3].name);
        assert_string_equal(text, expected);
        /* torch.load() does not read it: it becomes an archive. */
        struct tn_target target = { .path        = tn_in_scratch(&scratch, "b.pt"),
                                    .can_replace = true };
        assert_int_equal(tn_convert(model, NULL, &target, NULL, NULL, &error),
                         TN_OK);
        tn_model_close(model);
        struct tn_bytes written =
            tn_load_file(tn_in_scratch(&scratch, "b.pt"));
        assert_true(tn_bytes_starts_with(written, "PK"));
        free((void *)written.data);
        tn_buffer_done(&file);
    }
    tn_buffer_done(&stream);
    tn_scratch_close(&scratch);
}

/* The pickle is neither the first entry nor near the end of the directory. */
static void archives_of_many_storages_are_known(void **state)
{
    static const char pickle[] = P2 PT_TENSOR(
        PT_STORAGE("ByteStorage", "0", "\1"), "K\0K\1\x85K\1\x85") ".";
    struct tn_scratch    scratch = tn_scratch_open();
    struct tn_error      error   = TN_ERROR_INIT;
    struct tn_memory     memory;
    struct tn_buffer     file;
    struct tn_zip_writer zip;
    struct tn_model     *model;
    char                 text[64];

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_buffer_init(&file, &memory, &error);
    tn_zip_writer_init(&zip, &file.sink, &memory, &error);
    tn_zip_add_bytes(&zip, tn_text("x/extra/a"), tn_text("a"));
    tn_zip_add_bytes(&zip, tn_text("x/data.pkl"),
                     tn_bytes(pickle, sizeof pickle - 1));
    for (unsigned i = 0; i < 200; i++) {
        snprintf(text, sizeof text, "x/data/%u", i);
        tn_zip_add_bytes(&zip, tn_text(text), tn_text("w"));
    }
    tn_zip_add_bytes(&zip, tn_text("x/version"), tn_text("3\n"));
    tn_zip_finish(&zip);
    tn_zip_writer_done(&zip);
    tn_scratch_put(&scratch, "a.pt", tn_buffer_bytes(&file));
    tn_model_open(&model, tn_in_scratch(&scratch, "a.pt"), NULL, &error);
    assert_int_equal(error.status, TN_OK);
    describe(model, text, sizeof text);
    assert_string_equal(text, "=77;");
    tn_model_close(model);
    tn_buffer_done(&file);
    tn_scratch_close(&scratch);
}

static enum tn_status open_source(struct tn_source *source,
                                  struct tn_memory *memory,
                                  struct tn_error  *error)
{
    struct tn_bundle bundle;
    struct tn_model  model;

    TN_TRY(tn_bundle_from_source(&bundle, memory, source, "a.pt", error));
    tn_model_init(&model, memory);
    tn_format_pytorch.open(&bundle, &model, error);
    tn_model_done(&model);
    tn_bundle_close(&bundle);
    return error->status;
}

static enum tn_status open_bytes(struct tn_bytes   input,
                                 struct tn_memory *memory,
                                 struct tn_error  *error)
{
    struct tn_source source;

    tn_source_memory(&source, memory, input);
    source.name = "";
    return open_source(&source, memory, error);
}

static void damaged_files_are_refused(void **state)
{
    static const char pickle[] =
        P2            PT_DICT "(" PT_TEXT("\1", "w") PT_TENSOR(EIGHT, ROW) "u.";
    static const uint64_t sizes[] = { 8 };
    struct tn_error       error   = TN_ERROR_INIT;
    struct tn_memory      memory;
    struct tn_buffer      zip, stream;

    (void)state;
    tn_memory_init(&memory, NULL, 0);
    tn_buffer_init(&zip, &memory, &error);
    tn_buffer_init(&stream, &memory, &error);
    pt_make_zip(&zip, tn_bytes(pickle, sizeof pickle - 1), sizes, 1, "little");
    pt_make_stream(&stream, tn_bytes(pickle, sizeof pickle - 1), 8, 8);
    tn_survives_hostility(open_bytes, tn_buffer_bytes(&zip));
    tn_survives_hostility(open_bytes, tn_buffer_bytes(&stream));
    tn_survives_failing_reads(open_source, tn_buffer_bytes(&zip));
    tn_survives_failing_reads(open_source, tn_buffer_bytes(&stream));
    tn_survives_failing_reads(open_source,
                              tn_bytes(pickle, sizeof pickle - 1));
    tn_buffer_done(&zip);
    tn_buffer_done(&stream);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_hold_what_the_table_says),
        cmocka_unit_test(byte_order_counts),
        cmocka_unit_test(indices_and_files_agree),
        cmocka_unit_test(archives_of_many_storages_are_known),
        cmocka_unit_test(pickles_by_themselves_are_read),
        cmocka_unit_test(damaged_files_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
