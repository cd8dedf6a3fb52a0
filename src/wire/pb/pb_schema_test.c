/* pb_schema_test.c - what descriptor sets say, and which are refused */
#include "support/hostile.h"

#include "wire/pb/pb_builtin.h"
#include "wire/pb/pb_judge.h"
#include "wire/pb/pb_schema.h"

struct loaded {
    struct tn_memory    memory;
    struct tn_arena     arena;
    struct tn_error     error;
    struct tn_pb_schema schema;
};

static enum tn_status load(struct loaded *l, struct tn_bytes set)
{
    *l = (struct loaded){ .error = TN_ERROR_INIT };
    tn_memory_init(&l->memory, NULL, 0);
    tn_arena_init(&l->arena, &l->memory);
    return tn_pb_schema_load(&l->schema, &l->arena, set, &l->error);
}

static void unload(struct loaded *l)
{
    tn_arena_done(&l->arena);
    assert_int_equal(l->memory.used, 0);
}

/* The set is freed at once: the schema must have its own copy of all names. */
static void load_proto(struct loaded *l, const char *name)
{
    struct tn_bytes set = judge_compile(name);

    load(l, set);
    free((void *)set.data);
    if (l->error.status)
        fail_msg("%s: %s: %s", name, l->error.where, l->error.what);
}

enum { PACKED = 1, PRESENCE = 2, MAP = 4, EXTENSION = 8 };

static const struct {
    const char      *message;
    uint32_t         number;
    const char      *name, *json_name;
    enum tn_pb_type  type;
    enum tn_pb_label label;
    unsigned         flags;
    int32_t          oneof;
    const char      *refers_to;
} fields[] = {
    { "old.Everything", 1, "f_double", "fDouble", TN_PB_DOUBLE, TN_PB_OPTIONAL,
      PRESENCE, -1, NULL },
    { "old.Everything", 10, "pair", "pair", TN_PB_GROUP, TN_PB_OPTIONAL,
      PRESENCE, -1, "old.Everything.Pair" },
    { "old.Everything", 14, "f_enum", "fEnum", TN_PB_ENUM, TN_PB_OPTIONAL,
      PRESENCE, -1, "old.Closed" },
    { "old.Everything", 21, "r_int32", "rInt32", TN_PB_INT32, TN_PB_REPEATED, 0,
      -1, NULL },
    { "old.Everything", 22, "r_packed", "rPacked", TN_PB_INT32, TN_PB_REPEATED,
      PACKED, -1, NULL },
    { "old.Everything", 32, "c_message", "cMessage", TN_PB_MESSAGE,
      TN_PB_OPTIONAL, PRESENCE, 0, "old.Inner" },
    { "old.Everything", 35, "cgroup", "cgroup", TN_PB_GROUP, TN_PB_OPTIONAL,
      PRESENCE, 0, "old.Everything.CGroup" },
    { "old.Everything", 41, "m_text", "mText", TN_PB_MESSAGE, TN_PB_REPEATED,
      MAP, -1, "old.Everything.MTextEntry" },
    { "old.Everything", 44, "f_shared", "fShared", TN_PB_MESSAGE,
      TN_PB_OPTIONAL, PRESENCE, -1, "Shared" },
    { "old.Everything", 100, "old.x_int", "[old.x_int]", TN_PB_INT32,
      TN_PB_OPTIONAL, PRESENCE | EXTENSION, -1, NULL },
    { "old.Everything", 151, "old.x_packed", "[old.x_packed]", TN_PB_INT32,
      TN_PB_REPEATED, PACKED | EXTENSION, -1, NULL },
    { "old.Everything", 1000, "old.Scope.x_text", "[old.Scope.x_text]",
      TN_PB_STRING, TN_PB_OPTIONAL, PRESENCE | EXTENSION, -1, NULL },
    { "old.Needs", 1, "must", "must", TN_PB_INT32, TN_PB_REQUIRED, PRESENCE, -1,
      NULL },
    { "old.Scope", 1, "inner", "inner", TN_PB_MESSAGE, TN_PB_OPTIONAL, PRESENCE,
      -1, "old.Scope.Inner" },
    { ".old.Scope", 2, "outer", "outer", TN_PB_MESSAGE, TN_PB_OPTIONAL,
      PRESENCE, -1, "old.Inner" },
    { "old.Scope.Deep", 1, "again", "again", TN_PB_MESSAGE, TN_PB_OPTIONAL,
      PRESENCE, -1, "old.Scope.Inner" },
    { "old.Defaults", 14, "odd_JSON_name_", "oddJSONName", TN_PB_STRING,
      TN_PB_OPTIONAL, PRESENCE, -1, NULL },
    { "old.Defaults", 15, "named", "@named", TN_PB_STRING, TN_PB_OPTIONAL,
      PRESENCE, -1, NULL },
    { "new.Everything", 5, "f_int32", "fInt32", TN_PB_INT32, TN_PB_OPTIONAL, 0,
      -1, NULL },
    { "new.Everything", 11, "f_message", "fMessage", TN_PB_MESSAGE,
      TN_PB_OPTIONAL, PRESENCE, -1, "new.Leaf" },
    { "new.Everything", 21, "r_int32", "rInt32", TN_PB_INT32, TN_PB_REPEATED,
      PACKED, -1, NULL },
    { "new.Everything", 22, "r_unpacked", "rUnpacked", TN_PB_INT32,
      TN_PB_REPEATED, 0, -1, NULL },
    { "new.Everything", 29, "r_string", "rString", TN_PB_STRING, TN_PB_REPEATED,
      0, -1, NULL },
    { "new.Everything", 31, "c_int", "cInt", TN_PB_INT32, TN_PB_OPTIONAL,
      PRESENCE, 0, NULL },
    { "new.Everything", 36, "o_int", "oInt", TN_PB_INT32, TN_PB_OPTIONAL,
      PRESENCE, -1, NULL },
    { "new.Everything", 45, "m_enum", "mEnum", TN_PB_MESSAGE, TN_PB_REPEATED,
      MAP, -1, "new.Everything.MEnumEntry" },
    { "new.Everything", 536870911, "far", "far", TN_PB_INT32, TN_PB_OPTIONAL, 0,
      -1, NULL },
};

static unsigned flags_of(const struct tn_pb_field_type *field)
{
    return (field->is_packed ? PACKED : 0u) |
           (field->has_presence ? PRESENCE : 0u) | (field->is_map ? MAP : 0u) |
           (field->is_extension ? EXTENSION : 0u);
}

static void check_field(const struct tn_pb_schema *schema, size_t i)
{
    const struct tn_pb_message *message =
        tn_pb_schema_find(schema, fields[i].message);

    if (!message)
        return;
    const struct tn_pb_field_type *field =
        tn_pb_message_field(message, fields[i].number);
    assert_non_null(field);
    assert_string_equal(field->name, fields[i].name);
    assert_string_equal(field->json_name, fields[i].json_name);
    assert_int_equal(field->type, fields[i].type);
    assert_int_equal(field->label, fields[i].label);
    assert_int_equal(flags_of(field), fields[i].flags);
    assert_int_equal(field->oneof, fields[i].oneof);
    const char *refers_to = field->message       ? field->message->full_name
                            : field->enumeration ? field->enumeration->full_name
                                                 : NULL;
    if (fields[i].refers_to)
        assert_string_equal(refers_to, fields[i].refers_to);
    else
        assert_null(refers_to);
    assert_ptr_equal(tn_pb_message_field_named(message, tn_text(field->name)),
                     field);
    assert_ptr_equal(
        tn_pb_message_field_json(message, tn_text(field->json_name)), field);
}

static void fields_are_described(void **state)
{
    struct loaded old, new;

    (void)state;
    load_proto(&old, "old");
    load_proto(&new, "new");
    assert_non_null(tn_pb_schema_find(&old.schema, "old.Everything"));
    assert_non_null(tn_pb_schema_find(&new.schema, "new.Everything"));
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        check_field(&old.schema, i);
        check_field(&new.schema, i);
    }
    unload(&old);
    unload(&new);
}

static void messages_are_described(void **state)
{
    struct loaded old, new;

    (void)state;
    load_proto(&old, "old");
    load_proto(&new, "new");
    const struct tn_pb_message *a =
        tn_pb_schema_find(&old.schema, "old.Everything");
    const struct tn_pb_message *b =
        tn_pb_schema_find(&new.schema, "new.Everything");
    assert_false(a->is_proto3);
    assert_true(b->is_proto3);
    assert_string_equal(a->name, "Everything");
    assert_int_equal(a->range_count, 2);
    assert_int_equal(a->ranges[1].begin, 1000);
    assert_int_equal(a->ranges[1].end, 1u << 29);
    assert_int_equal(a->oneof_count, 1);
    assert_string_equal(a->oneofs[0], "choice");
    assert_int_equal(b->oneof_count, 1); /* those of `optional` do not count */
    assert_true(tn_pb_schema_find(&new.schema, "new.Everything.MIntEntry")
                    ->is_map_entry);
    assert_null(tn_pb_message_field(a, 19));
    assert_null(tn_pb_message_field(a, 999));
    assert_null(tn_pb_message_field(b, 536870910));
    assert_null(tn_pb_message_field_named(a, tn_text("f_doubl")));
    assert_null(tn_pb_message_field_named(a, tn_text("f_double_")));
    assert_null(tn_pb_message_field_named(a, tn_text("x_int")));
    assert_null(tn_pb_schema_find(&old.schema, "Everything"));
    assert_null(tn_pb_schema_find(&old.schema, "old.Closed"));
    assert_null(tn_pb_schema_find(&old.schema, ""));
    unload(&old);
    unload(&new);
}

static void enums_are_described(void **state)
{
    struct loaded l;
    int32_t       number = 0;

    (void)state;
    load_proto(&l, "old");
    const struct tn_pb_message *defaults =
        tn_pb_schema_find(&l.schema, "old.Defaults");
    const struct tn_pb_enum *closed =
        tn_pb_message_field(defaults, 9)->enumeration;
    const struct tn_pb_enum *aliased =
        tn_pb_message_field(defaults, 10)->enumeration;
    assert_false(closed->is_open);
    assert_string_equal(tn_pb_enum_name(closed, -1), "MINUS");
    assert_string_equal(tn_pb_enum_name(closed, INT32_MAX), "FAR");
    assert_null(tn_pb_enum_name(closed, 2));
    assert_null(tn_pb_enum_name(closed, INT32_MIN));
    assert_string_equal(tn_pb_enum_name(aliased, 3), "FIRST");
    assert_true(tn_pb_enum_number(aliased, tn_text("SAME"), &number));
    assert_int_equal(number, 3);
    assert_false(tn_pb_enum_number(aliased, tn_text("SAM"), &number));
    unload(&l);
    load_proto(&l, "new");
    assert_true(l.schema.enums[0].is_open);
    unload(&l);
}

static uint64_t default_of(const struct tn_pb_message *message, uint32_t number)
{
    uint64_t bits = 0;

    assert_true(
        tn_pb_field_default(tn_pb_message_field(message, number), &bits));
    return bits;
}

static void defaults_are_read(void **state)
{
    struct loaded l;
    double        number = -1.5e300;
    uint64_t      bits;

    (void)state;
    memcpy(&bits, &number, sizeof bits);
    load_proto(&l, "old");
    const struct tn_pb_message *m =
        tn_pb_schema_find(&l.schema, "old.Defaults");
    assert_true(default_of(m, 1) == bits);
    assert_true(default_of(m, 2) == 0x7f800000);
    assert_true(default_of(m, 3) == UINT64_C(1) << 63);
    assert_true(default_of(m, 4) == UINT64_MAX);
    assert_true(default_of(m, 5) == (uint64_t)-7);
    assert_true(default_of(m, 6) == 1);
    assert_true(default_of(m, 9) == (uint64_t)-1);
    assert_true(default_of(m, 10) == 3); /* the first value, not zero */
    assert_true((default_of(m, 11) & 0x7fc00000) == 0x7fc00000);
    assert_true(default_of(m, 12) == (uint64_t)-3);
    assert_true(default_of(m, 13) == UINT32_MAX);
    assert_true(
        tn_bytes_is(tn_pb_message_field(m, 7)->default_text, "h\303\244llo\n"));
    assert_true(tn_bytes_is(tn_pb_message_field(m, 8)->default_text,
                            "\\000\\377\\\"q\\\\\\t"));
    unload(&l);
}

static void embedded_sets_load(void **state)
{
    static const char *const onnx[] = { "onnx.ModelProto", "onnx.GraphProto",
                                        "onnx.TensorProto", NULL };
    static const char *const tensorflow[] = {
        "tensorflow.GraphDef", "tensorflow.SavedModel",
        "tensorflow.TensorProto", "tensorflow.BundleHeaderProto", NULL
    };
    struct loaded l;

    (void)state;
    assert_int_equal(load(&l, tn_pb_builtin_set(TN_PB_ONNX)), TN_OK);
    for (size_t i = 0; onnx[i]; i++)
        assert_non_null(tn_pb_schema_find(&l.schema, onnx[i]));
    unload(&l);
    assert_int_equal(load(&l, tn_pb_builtin_set(TN_PB_TENSORFLOW)), TN_OK);
    for (size_t i = 0; tensorflow[i]; i++)
        assert_non_null(tn_pb_schema_find(&l.schema, tensorflow[i]));
    const struct tn_pb_message *node =
        tn_pb_schema_find(&l.schema, "tensorflow.NodeDef");
    assert_true(tn_pb_message_field(node, 5)->is_map);
    unload(&l);
}

/* ---- sets that are wrong ------------------------------------------------ */

#define FILE_(body) "file { name: 'a' " body " }"
#define M(body)     FILE_("message_type { name: 'M' " body " }")
#define F(body)     M("field { name: 'f' " body " }")
#define ENTRY(key, value)                                                      \
    M("field { name: 'f' number: 1 label: 3 type: 11 type_name: 'E' } "        \
      "nested_type { name: 'E' options { map_entry: true } "                   \
      "field { name: 'key' number: 1 label: 1 " key " } "                      \
      "field { name: 'value' number: 2 label: 1 " value " } }")

static const struct {
    const char    *name, *text;
    enum tn_status status;
    uint64_t       offset;
    const char    *where;
} wrong[] = {
    { "a good one", F("number: 1 label: 1 type: 5"), TN_OK, 0, "" },
    { "type by its name alone", F("number: 1 type_name: 'M'"), TN_OK, 0, "" },
    { "relative name", F("number: 1 type: 11 type_name: 'M'"), TN_OK, 0, "" },
    { "a good map", ENTRY("type: 9", "type: 9"), TN_OK, 0, "" },
    { "extension in its range",
      M("extension_range { start: 5 end: 7 } extension { name: 'x' number: 6 "
        "type: 5 extendee: '.M' }"),
      TN_OK, 0, "" },

    { "no files", "", TN_MALFORMED, 0, "" },
    { "editions", FILE_("syntax: 'editions'"), TN_UNSUPPORTED, 5, "a:" },
    { "package of dots", FILE_("package: 'x..y'"), TN_MALFORMED, 5, "a:" },
    { "message without a name", FILE_("message_type {}"), TN_MALFORMED, 7,
      "a:" },
    { "message called 7", FILE_("message_type { name: '7' }"), TN_MALFORMED, 7,
      "a:" },
    { "message twice",
      FILE_("message_type { name: 'M' } enum_type { name: 'M' "
            "value { name: 'V' } }"),
      TN_MALFORMED, 12, "a: M" },
    { "field 0", F("type: 5"), TN_MALFORMED, 12, "a: M.f" },
    { "field -1", F("number: -1 type: 5"), TN_MALFORMED, 12, "a: M.f" },
    { "field 2^29", F("number: 536870912 type: 5"), TN_MALFORMED, 12,
      "a: M.f" },
    { "label 4", F("number: 1 label: 4 type: 5"), TN_MALFORMED, 12, "a: M.f" },
    { "type 19", F("number: 1 type: 19"), TN_MALFORMED, 12, "a: M.f" },
    { "no type", F("number: 1"), TN_MALFORMED, 12, "a: M.f" },
    { "type that is nowhere", F("number: 1 type: 11 type_name: '.N'"),
      TN_MALFORMED, 12, "a: M.f" },
    { "scalar with a type name", F("number: 1 type: 5 type_name: '.M'"),
      TN_MALFORMED, 12, "a: M.f" },
    { "message as an enum", F("number: 1 type: 14 type_name: '.M'"),
      TN_MALFORMED, 12, "a: M.f" },
    { "two fields of a number",
      M("field { name: 'f' number: 1 type: 5 } field { name: 'g' number: 1 "
        "type: 5 }"),
      TN_MALFORMED, 21, "a: M.g" },
    { "two fields of a name",
      M("field { name: 'f' number: 1 type: 5 } field { name: 'f' number: 2 "
        "type: 5 }"),
      TN_MALFORMED, 21, "a: M.f" },
    { "packed text", F("number: 1 label: 3 type: 9 options { packed: true }"),
      TN_MALFORMED, 12, "a: M.f" },
    { "packed and single", F("number: 1 type: 5 options { packed: true }"),
      TN_MALFORMED, 12, "a: M.f" },
    { "default of a list", F("number: 1 label: 3 type: 5 default_value: '1'"),
      TN_MALFORMED, 12, "a: M.f" },
    { "default that is not a number", F("number: 1 type: 5 default_value: 'x'"),
      TN_MALFORMED, 12, "a: M.f" },
    { "default too large", F("number: 1 type: 5 default_value: '2147483648'"),
      TN_MALFORMED, 12, "a: M.f" },
    { "unsigned default below 0", F("number: 1 type: 4 default_value: '-1'"),
      TN_MALFORMED, 12, "a: M.f" },
    { "oneof that is not there", F("number: 1 type: 5 oneof_index: 0"),
      TN_MALFORMED, 12, "a: M" },
    { "repeated in a oneof",
      M("oneof_decl { name: 'o' } field { name: 'f' number: 1 label: 3 type: 5 "
        "oneof_index: 0 }"),
      TN_MALFORMED, 12, "a: M.f" },
    { "enum without values", FILE_("enum_type { name: 'E' }"), TN_MALFORMED, 7,
      "a: E" },
    { "enum value twice",
      FILE_("enum_type { name: 'E' value { name: 'V' } value { name: 'V' "
            "number: 1 } }"),
      TN_MALFORMED, 7, "a: E" },
    { "alias without leave",
      FILE_("enum_type { name: 'E' value { name: 'V' } value { name: 'W' } }"),
      TN_MALFORMED, 7, "a: E" },
    { "map by floats", ENTRY("type: 2", "type: 9"), TN_MALFORMED, 12,
      "a: M.f" },
    { "map by messages", ENTRY("type: 11 type_name: 'M'", "type: 9"),
      TN_MALFORMED, 12, "a: M.f" },
    { "map to groups", ENTRY("type: 9", "type: 10 type_name: 'M'"),
      TN_MALFORMED, 12, "a: M.f" },
    { "map that is not repeated",
      M("field { name: 'f' number: 1 type: 11 type_name: 'E' } nested_type { "
        "name: 'E' options { map_entry: true } field { name: 'key' number: 1 "
        "type: 9 } field { name: 'value' number: 2 type: 9 } }"),
      TN_MALFORMED, 12, "a: M.f" },
    { "map entry without a value",
      M("field { name: 'f' number: 1 label: 3 type: 11 type_name: 'E' } "
        "nested_type { name: 'E' options { map_entry: true } field { name: "
        "'key' number: 1 type: 9 } }"),
      TN_MALFORMED, 12, "a: M.f" },
    { "map entry of another message",
      FILE_("message_type { name: 'E' options { map_entry: true } field { "
            "name: 'key' number: 1 type: 9 } field { name: 'value' number: 2 "
            "type: 9 } } message_type { name: 'M' field { name: 'f' number: 1 "
            "label: 3 type: 11 type_name: 'E' } }"),
      TN_MALFORMED, 45, "a: M.f" },
    { "extension out of range",
      M("extension_range { start: 5 end: 7 } extension { name: 'x' number: 7 "
        "type: 5 extendee: '.M' }"),
      TN_MALFORMED, 18, "a: M.x" },
    { "extension of nothing",
      FILE_("extension { name: 'x' number: 7 type: 5 extendee: '.N' }"),
      TN_MALFORMED, 7, "a: x" },
    { "range that ends first", M("extension_range { start: 5 end: 5 }"),
      TN_MALFORMED, 12, "a: M" },
};

static void wrong_sets_are_refused(void **state)
{
    struct tn_bytes judge = judge_compile("descriptors");

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct tn_bytes set = judge_run(judge, "encode", "descriptors.Set",
                                        tn_text(wrong[i].text));
        struct loaded   l;
        if (!set.data)
            fail_msg("%s: the test itself is wrong", wrong[i].name);
        load(&l, set);
        if (l.error.status != wrong[i].status ||
            (l.error.status && l.error.offset != wrong[i].offset) ||
            strcmp(l.error.where, wrong[i].where) != 0)
            fail_msg("%s: %s at %lld, \"%s\": %s", wrong[i].name,
                     tn_status_name(l.error.status), (long long)l.error.offset,
                     l.error.where, l.error.what);
        unload(&l);
        free((void *)set.data);
    }
    free((void *)judge.data);
}

/* Nested types, innermost first: each level wraps the one before. */
static void depth_is_limited(void **state)
{
    static char     text[8000];
    struct tn_bytes judge = judge_compile("descriptors");

    (void)state;
    for (int depth = 95; depth <= 105; depth += 10) {
        struct loaded l;
        size_t        n = 0;
        n += (size_t)snprintf(text + n, sizeof text - n, "file { ");
        for (int i = 0; i < depth; i++)
            n += (size_t)snprintf(text + n, sizeof text - n, "%s { name: 'M' ",
                                  i ? "nested_type" : "message_type");
        for (int i = 0; i <= depth; i++)
            n += (size_t)snprintf(text + n, sizeof text - n, "} ");
        struct tn_bytes set =
            judge_run(judge, "encode", "descriptors.Set", tn_text(text));
        assert_non_null(set.data);
        assert_int_equal(load(&l, set), depth > 100 ? TN_LIMIT : TN_OK);
        unload(&l);
        free((void *)set.data);
    }
    free((void *)judge.data);
}

/* A long package would be repeated in front of every message. */
static void long_names_are_limited(void **state)
{
    static char     text[3000];
    struct tn_bytes judge = judge_compile("descriptors");
    struct loaded   l;

    (void)state;
    snprintf(text, sizeof text,
             "file { package: 'p%01000d' message_type { name: 'M' } }", 0);
    struct tn_bytes set =
        judge_run(judge, "encode", "descriptors.Set", tn_text(text));
    assert_non_null(set.data);
    assert_int_equal(load(&l, set), TN_LIMIT);
    unload(&l);
    free((void *)set.data);
    free((void *)judge.data);
}

static enum tn_status load_and_ask(struct tn_bytes   input,
                                   struct tn_memory *memory,
                                   struct tn_error  *error)
{
    struct tn_pb_schema schema;
    struct tn_arena     arena;

    tn_arena_init(&arena, memory);
    tn_pb_schema_load(&schema, &arena, input, error);
    for (uint32_t i = 0; !error->status && i < schema.message_count; i++) {
        const struct tn_pb_message *m = &schema.messages[i];
        assert_ptr_equal(tn_pb_schema_find(&schema, m->full_name), m);
        for (uint32_t j = 0; j < m->field_count; j++)
            assert_ptr_equal(tn_pb_message_field(m, m->fields[j].number),
                             &m->fields[j]);
    }
    tn_arena_done(&arena);
    return error->status;
}

static void hostility(void **state)
{
    struct tn_bytes set = judge_compile("new");

    (void)state;
    tn_survives_hostility(load_and_ask, set);
    free((void *)set.data);
    set = judge_compile("old");
    tn_survives_every_flip(load_and_ask, set);
    tn_survives_no_memory(load_and_ask, set);
    free((void *)set.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_are_described),
        cmocka_unit_test(messages_are_described),
        cmocka_unit_test(enums_are_described),
        cmocka_unit_test(defaults_are_read),
        cmocka_unit_test(embedded_sets_load),
        cmocka_unit_test(wrong_sets_are_refused),
        cmocka_unit_test(depth_is_limited),
        cmocka_unit_test(long_names_are_limited),
        cmocka_unit_test(hostility),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
