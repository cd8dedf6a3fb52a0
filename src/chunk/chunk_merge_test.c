/* chunk_merge_test.c - chunks in memory, merged by every rule */
#include "support/hostile.h"

#include "chunk/the_judge_testing.h"
#include "chunk/chunk_merge.h"
#include "io/rope_source.h"
#include "wire/pb/pb_text_write.h"
#include "wire/pb/pb_write.h"

#define MOST 12

/* Chunks in memory. */
struct cache {
    struct tn_chunk_store store;
    struct tn_source      sources[MOST];
    struct tn_buffer      buffers[MOST];
    uint64_t              reads;
};

static enum tn_status cache_read(struct tn_chunk_store *store, uint64_t index,
                                 struct tn_span *chunk, struct tn_error *error)
{
    struct cache *cache = (struct cache *)store;

    (void)error;
    cache->reads |= 1ull << index;
    *chunk = (struct tn_span){ &cache->sources[index], 0,
                               cache->sources[index].size };
    return TN_OK;
}

/* A chunk: "=bytes" as they are, "Type: text" a message. */
static void cache_add(struct cache *cache, const struct tn_pb_schema *schema,
                      const char *package, const char *chunk)
{
    static struct tn_error error = TN_ERROR_INIT;
    struct tn_buffer      *to    = &cache->buffers[cache->store.count];
    const char            *colon = strchr(chunk, ':');
    char                   type[200];

    if (chunk[0] == '=') {
        tn_buffer_init(to, &judge.memory, &error);
        tn_buffer_text(to, chunk + 1);
    } else {
        snprintf(type, sizeof type, "%s.%.*s", package, (int)(colon - chunk),
                 chunk);
        judge_encode(&judge, schema, type, colon + 1, to);
    }
    tn_source_memory(&cache->sources[cache->store.count++], &judge.memory,
                     tn_buffer_bytes(to));
}

static void cache_done(struct cache *cache)
{
    for (uint64_t i = 0; i < cache->store.count; i++) {
        tn_source_close(&cache->sources[i]);
        tn_buffer_done(&cache->buffers[i]);
    }
}

/* Merges; the text of the result goes to `text`. */
static enum tn_status merge(const struct tn_pb_message *type,
                            struct cache *cache, struct tn_bytes chunked,
                            struct tn_memory *memory, struct tn_buffer *text,
                            struct tn_error *error)
{
    struct tn_source  source, *joined = NULL;
    struct tn_arena   arena;
    struct tn_mosaics all;
    struct tn_chunked message;
    struct tn_rope    rope;

    tn_arena_init(&arena, memory);
    tn_mosaics_init(&all, &arena, error);
    tn_rope_init(&rope, &arena, error);
    tn_source_memory(&source, memory, chunked);
    struct tn_mosaic *m = tn_mosaic_new(&all, type);
    if (m &&
        tn_chunked_read(&message, (struct tn_span){ &source, 0, chunked.size },
                        &arena, error) == TN_OK) {
        if (!cache->store.is_in_order)
            tn_chunked_sort(&message);
        if (tn_chunk_merge(m, &message, &cache->store) == TN_OK)
            tn_mosaic_write(m, &rope);
        if (!tn_failed(error))
            assert_int_equal(rope.length, tn_mosaic_size(m));
    }
    if (!tn_failed(error) &&
        tn_source_rope(&joined, memory, &rope, "", error) == TN_OK && text)
        tn_pb_text_write(type, (struct tn_span){ joined, 0, joined->size },
                         &text->sink, memory, error);
    tn_source_close(joined);
    tn_source_close(&source);
    tn_rope_done(&rope);
    tn_mosaics_done(&all);
    tn_arena_done(&arena);
    return error->status;
}

struct merge_case {
    const char *name;
    const char *type; /* "many:ManyFields", "old:Everything", "new:..."       */
    const char *chunks[MOST];
    const char *message;
    const char *want; /* text; NULL: refused                                  */
    const char *complaint, *where;
};

#define FIELD(tags, message)                                                   \
    "chunked_fields { " tags " message { " message " } }\n"
#define F(n) "field_tag { field: " #n " } "
#define I(n) "field_tag { index: " #n " } "
#define K(k) "field_tag { map_key { " k " } } "
#define C(n) "chunk_index: " #n " "

static const struct merge_case cases[] = {
    { "a whole message",
      "many:ManyFields",
      { "ManyFields: string_field: \"a\"" },
      C(0),
      "string_field: \"a\"\n",
      NULL,
      NULL },
    { "nothing at all", "many:ManyFields", { NULL }, "", "", NULL, NULL },
    { "no base",
      "many:ManyFields",
      { "ManyFields: string_field: \"a\"" },
      FIELD(F(1), C(0)),
      "field_one {\n  string_field: \"a\"\n}\n",
      NULL,
      NULL },
    { "parts of the message itself, by chunk",
      "many:ManyFields",
      { "ManyFields: repeated_string_field: \"a\" string_field: \"x\"",
        "ManyFields: repeated_string_field: \"c\"",
        "ManyFields: repeated_string_field: \"b\" string_field: \"y\"" },
      C(0) FIELD("", C(2)) FIELD("", C(1)),
      "string_field: \"y\"\nrepeated_string_field: \"a\"\n"
      "repeated_string_field: \"c\"\nrepeated_string_field: \"b\"\n",
      NULL,
      NULL },
    { "a message merges into the one that is there",
      "many:ManyFields",
      { "ManyFields: field_one { string_field: \"a\" "
        "repeated_string_field: \"b\" }",
        "ManyFields: string_field: \"c\" repeated_string_field: \"d\"" },
      C(0) FIELD(F(1), C(1)),
      "field_one {\n  string_field: \"c\"\n  repeated_string_field: \"b\"\n"
      "  repeated_string_field: \"d\"\n}\n",
      NULL,
      NULL },
    { "elements in place",
      "many:ManyFields",
      { "ManyFields: repeated_field {} repeated_field { string_field: \"b\" } "
        "repeated_field {}",
        "ManyFields: string_field: \"a\"", "ManyFields: string_field: \"c\"" },
      C(0) FIELD(F(2) I(2), C(2)) FIELD(F(2) I(0), C(1)),
      "repeated_field {\n  string_field: \"a\"\n}\n"
      "repeated_field {\n  string_field: \"b\"\n}\n"
      "repeated_field {\n  string_field: \"c\"\n}\n",
      NULL,
      NULL },
    { "elements one by one",
      "many:ManyFields",
      { "ManyFields: string_field: \"a\"", "ManyFields: string_field: \"b\"" },
      FIELD(F(2) I(1), C(1)) FIELD(F(2) I(0), C(0)),
      "repeated_field {\n  string_field: \"a\"\n}\n"
      "repeated_field {\n  string_field: \"b\"\n}\n",
      NULL,
      NULL },
    { "elements with a gap",
      "many:ManyFields",
      { "ManyFields: string_field: \"a\"" },
      FIELD(F(2) I(1), C(0)),
      NULL,
      "can't access index 1",
      "repeated_field[1]" },
    { "a slice after what is inside it",
      "many:ManyFields",
      { "ManyFields: repeated_field {}", "=x",
        "ManyFields: repeated_field {} repeated_field {}" },
      C(0) FIELD(F(2) I(2) F(3), C(1)) FIELD("", C(2)),
      "repeated_field {\n}\nrepeated_field {\n}\n"
      "repeated_field {\n  string_field: \"x\"\n}\n",
      NULL,
      NULL },
    { "elements of a message in two parts",
      "many:ManyFields",
      { "ManyFields: field_one { repeated_field {} }",
        "ManyFields: field_one { repeated_field {} }", "=x" },
      C(0) FIELD("", C(1)) FIELD(F(1) F(2) I(1) F(3), C(2)),
      "field_one {\n  repeated_field {\n  }\n"
      "  repeated_field {\n    string_field: \"x\"\n  }\n}\n",
      NULL,
      NULL },
    { "strings by index, made or set",
      "many:RepeatedString",
      { "RepeatedString: strings: \"\"", "=one", "=two", "=three" },
      C(0) FIELD(F(1) I(2), C(3)) FIELD(F(1) I(0), C(1)) FIELD(F(1) I(1), C(2)),
      "strings: \"one\"\nstrings: \"two\"\nstrings: \"three\"\n",
      NULL,
      NULL },
    { "a string past the end",
      "many:RepeatedString",
      { "RepeatedString: strings: \"\"", "=one" },
      C(0) FIELD(F(1) I(2), C(1)),
      NULL,
      "field index out of range",
      "strings[2]" },
    { "map values that are scalars",
      "many:ManyFields",
      { "ManyFields: map_field_int64 { key: -1 value: \"old\" }", "=new",
        "=more" },
      C(0) FIELD(F(6) K("i64: -1"), C(1)) FIELD(F(5) K("ui32: 7"), C(2)),
      "map_field_uint32 {\n  key: 7\n  value: \"more\"\n}\n"
      "map_field_int64 {\n  key: -1\n  value: \"new\"\n}\n",
      NULL,
      NULL },
    { "map values that are messages",
      "many:ManyFields",
      { "ManyFields: nested_map_bool { key: true value { string_field: \"a\" "
        "repeated_string_field: \"b\" } }",
        "ManyFields: string_field: \"c\"", "=d" },
      C(0) FIELD(F(7) K("boolean: true"), C(1))
          FIELD(F(7) K("boolean: false") F(3), C(2)),
      "nested_map_bool {\n  key: false\n  value {\n    string_field: \"d\"\n"
      "  }\n}\nnested_map_bool {\n  key: true\n  value {\n"
      "    string_field: \"c\"\n    repeated_string_field: \"b\"\n  }\n}\n",
      NULL,
      NULL },
    { "the same bytes twice: one behind the other, by their chunks",
      "many:ManyFields",
      { "=a", "=b" },
      FIELD(F(3), C(1)) FIELD(F(3), C(0)),
      "string_field: \"ab\"\n",
      NULL,
      NULL },
    { "the same number twice: the later chunk",
      "new:Everything",
      { "=5", "=7" },
      FIELD(F(5), C(1)) FIELD(F(5), C(0)),
      "f_int32: 7\n",
      NULL,
      NULL },
    { "bytes of the base are not among them",
      "many:ManyFields",
      { "ManyFields: string_field: \"base\"", "=a" },
      C(0) FIELD(F(3), C(1)),
      "string_field: \"a\"\n",
      NULL,
      NULL },
    { "a tree",
      "many:StringNode",
      { "StringNode: val: \"0\"", "StringNode: val: \"01\"",
        "StringNode: val: \"02\"", "=03" },
      C(0) FIELD(F(2) I(0),
                 C(1) FIELD(F(2) I(0), C(2) FIELD(F(2) I(0) F(1), C(3)))),
      "val: \"0\"\nchild_nodes {\n  val: \"01\"\n  child_nodes {\n"
      "    val: \"02\"\n    child_nodes {\n      val: \"03\"\n    }\n  }\n}\n",
      NULL,
      NULL },
    { "what is nested in a part of the message itself is not looked at",
      "many:ManyFields",
      { "ManyFields: string_field: \"a\"", "=b" },
      FIELD("", C(0) FIELD(F(3), C(1))),
      "string_field: \"a\"\n",
      NULL,
      NULL },
    { "a part after what is inside: in the order of the tree",
      "many:ManyFields",
      { "ManyFields: repeated_field { string_field: \"a\" }",
        "ManyFields: repeated_field { string_field: \"b\" }", "=x", "=y" },
      FIELD(F(1), C(0) FIELD(F(2) I(1) F(3), C(2)) FIELD(F(2) I(0) F(3), C(3)))
          FIELD(F(1), C(1)),
      "field_one {\n  repeated_field {\n    string_field: \"y\"\n  }\n"
      "  repeated_field {\n    string_field: \"x\"\n  }\n"
      "  repeated_field {\n    string_field: \"b\"\n  }\n}\n",
      NULL,
      NULL },
    { "numbers as text",
      "new:Everything",
      { "=-1.5e3", "=0.25", "=-9000000000", "=18446744073709551615", "=-7",
        "=12", "=true", "=TWO", "=-8", "=nope", "=inf" },
      FIELD(F(1), C(0)) FIELD(F(2), C(1)) FIELD(F(3), C(2)) FIELD(F(4), C(3))
          FIELD(F(5), C(4)) FIELD(F(7), C(5)) FIELD(F(8), C(6)) FIELD(
              F(14), C(7)) FIELD(F(17), C(8)) FIELD(F(45) K("ui32: 3"), C(7)),
      "f_double: -1500\nf_float: 0.25\nf_int64: -9000000000\n"
      "f_uint64: 18446744073709551615\nf_int32: -7\nf_fixed32: 12\n"
      "f_bool: true\nf_enum: TWO\nf_sint32: -8\n"
      "m_enum {\n  key: 3\n  value: TWO\n}\n",
      NULL,
      NULL },
    { "repeated numbers, packed and not",
      "new:Everything",
      { "Everything: r_int32: [1, 300, 3] r_unpacked: [1, 2] "
        "r_float: [0.5, 1.5]",
        "=70000", "=-4", "=2.5" },
      C(0) FIELD(F(21) I(1), C(1)) FIELD(F(21) I(3), C(2)) FIELD(
          F(22) I(1), C(2)) FIELD(F(27) I(0), C(3)) FIELD(F(25) I(0), C(1)),
      NULL,
      "is not a value of r_enum",
      "r_enum[0]" },
    { "repeated numbers in place",
      "new:Everything",
      { "Everything: r_int32: [1, 300, 3] r_unpacked: [1, 2] "
        "r_float: [0.5, 1.5]",
        "=70000", "=-4", "=2.5" },
      C(0) FIELD(F(21) I(1), C(1)) FIELD(F(21) I(3), C(2))
          FIELD(F(22) I(1), C(2)) FIELD(F(27) I(0), C(3)),
      "r_int32: 1\nr_int32: 70000\nr_int32: 3\nr_int32: -4\n"
      "r_unpacked: 1\nr_unpacked: -4\nr_float: 2.5\nr_float: 1.5\n",
      NULL,
      NULL },
    { "no number",
      "new:Everything",
      { "=12x" },
      FIELD(F(5), C(0)),
      NULL,
      "\"12x\" is not a value of f_int32",
      "f_int32" },
    { "too large a number",
      "new:Everything",
      { "=4294967296" },
      FIELD(F(13), C(0)),
      NULL,
      "is not a value of f_uint32",
      "f_uint32" },
    { "a oneof: the member that was set last",
      "new:Everything",
      { "Everything: c_int: 3", "Leaf: a: 1", "=text" },
      C(0) FIELD(F(32), C(1)) FIELD(F(33), C(2)),
      "c_string: \"text\"\n",
      NULL,
      NULL },
    { "a oneof: a message that another member had cleared",
      "new:Everything",
      { "Everything: c_message { a: 1 b: 2 }", "Everything: c_int: 3",
        "Leaf: a: 5" },
      C(0) FIELD("", C(1)) FIELD(F(32), C(2)),
      "c_message {\n  a: 5\n}\n",
      NULL,
      NULL },
    { "groups",
      "old:Everything",
      { "Everything: Pair { left: 1 } Many { text: \"a\" } Many {}",
        "Inner: a: 5", "=b" },
      C(0) FIELD(F(10) F(2), C(1)) FIELD(F(23) I(1) F(1), C(2))
          FIELD(F(23) I(2) F(1), C(2)),
      "Pair {\n  left: 1\n  right {\n    a: 5\n  }\n}\n"
      "Many {\n  text: \"a\"\n}\nMany {\n  text: \"b\"\n}\n"
      "Many {\n  text: \"b\"\n}\n",
      NULL,
      NULL },
    { "an extension",
      "old:Everything",
      { "Inner: a: 5" },
      FIELD(F(150) I(0), C(0)),
      "[old.x_message] {\n  a: 5\n}\n",
      NULL,
      NULL },
    { "no such field",
      "many:ManyFields",
      { "=x" },
      FIELD(F(99999), C(0)),
      NULL,
      "not found in message descriptor",
      "99999" },
    { "into a scalar",
      "many:ManyFields",
      { "=x" },
      FIELD(F(3) F(1), C(0)),
      NULL,
      "not found in message descriptor",
      "string_field.1" },
    { "no such chunk",
      "many:ManyFields",
      { "=x" },
      FIELD(F(3), C(1)),
      NULL,
      "chunk 1 does not exist",
      "string_field" },
    { "no such base chunk",
      "many:ManyFields",
      { NULL },
      C(0),
      NULL,
      "chunk 0 does not exist",
      "" },
    { "a scalar without a chunk",
      "many:ManyFields",
      { "=x" },
      FIELD(F(3), ""),
      NULL,
      "takes exactly one chunk",
      "string_field" },
    { "a part without a chunk",
      "many:ManyFields",
      { "=x" },
      FIELD("", ""),
      NULL,
      "without a chunk",
      "" },
    { "a chunk that is not a message",
      "many:ManyFields",
      { "=\n\177x" },
      C(0),
      NULL,
      "need",
      "chunk[0]" },
    { "a part that is not a message",
      "many:ManyFields",
      { "=\n\177x" },
      FIELD(F(1), C(0)),
      NULL,
      "need",
      "field_one.chunk[0]" },
};

/* As the caller lists them: what TensorFlow's Merge does. */
static const struct merge_case in_order[] = {
    { "parts of one message, in the caller's order",
      "many:ManyFields",
      { "ManyFields: repeated_string_field: \"a\"",
        "ManyFields: repeated_string_field: \"b\"" },
      FIELD("", C(1)) FIELD("", C(0)),
      "repeated_string_field: \"b\"\nrepeated_string_field: \"a\"\n",
      NULL,
      NULL },
    { "an element before the elements of a part",
      "many:ManyFields",
      { "ManyFields: string_field: \"first\"",
        "ManyFields: repeated_field { string_field: \"second\" }" },
      FIELD(F(2) I(0), C(0)) FIELD("", C(1)),
      "repeated_field {\n  string_field: \"first\"\n}\n"
      "repeated_field {\n  string_field: \"second\"\n}\n",
      NULL,
      NULL },
    { "an element that is not there yet",
      "many:ManyFields",
      { "ManyFields: string_field: \"a\"", "ManyFields: string_field: \"b\"" },
      FIELD(F(2) I(1), C(1)) FIELD(F(2) I(0), C(0)),
      NULL,
      "can't access index 1",
      "repeated_field[1]" },
    { "bytes of one field, with another between them",
      "many:ManyFields",
      { "=a", "=b", "=x" },
      FIELD(F(3), C(1)) FIELD(F(4) I(0), C(2)) FIELD(F(3), C(0)),
      "string_field: \"ba\"\nrepeated_string_field: \"x\"\n",
      NULL,
      NULL },
    { "bytes of one value of a map",
      "many:ManyFields",
      { "=a", "=b", "=x" },
      FIELD(F(6) K("i64: 1"), C(1)) FIELD(F(3), C(2))
          FIELD(F(6) K("i64: 1"), C(0)),
      "string_field: \"x\"\nmap_field_int64 {\n  key: 1\n  value: \"ba\"\n}\n",
      NULL,
      NULL },
    { "bytes after a message that has them",
      "many:ManyFields",
      { "=a", "ManyFields: string_field: \"m\"", "=b" },
      FIELD(F(3), C(0)) FIELD("", C(1)) FIELD(F(3), C(2)),
      "string_field: \"b\"\n",
      NULL,
      NULL },
};

static const struct tn_pb_schema *schema_of(const char  *type,
                                            const char **package)
{
    bool is_old = !strncmp(type, "old:", 4), is_new = !strncmp(type, "new:", 4);

    *package = is_old   ? "old"
               : is_new ? "new"
                        : "tensorflow.proto_splitter_testdata";
    return is_old ? &judge.old : is_new ? &judge.new : &judge.testdata;
}

static const struct tn_pb_message *fill(const struct merge_case *c,
                                        struct cache            *cache,
                                        struct tn_buffer        *chunked)
{
    const char                *package;
    char                       name[200];
    const struct tn_pb_schema *schema = schema_of(c->type, &package);

    *cache = (struct cache){ .store = { .read = cache_read } };
    for (int i = 0; i < MOST && c->chunks[i]; i++)
        cache_add(cache, schema, package, c->chunks[i]);
    judge_encode(&judge, &judge.splitter,
                 "tensorflow.proto_splitter.ChunkedMessage", c->message,
                 chunked);
    snprintf(name, sizeof name, "%s.%s", package, strchr(c->type, ':') + 1);
    return tn_pb_schema_find(schema, name);
}

static void assert_cases(const struct merge_case *list, size_t count,
                         bool is_in_order)
{
    for (size_t i = 0; i < count; i++) {
        const struct merge_case *c     = &list[i];
        struct tn_error          error = TN_ERROR_INIT;
        struct cache             cache;
        struct tn_buffer         chunked, text;

        const struct tn_pb_message *type = fill(c, &cache, &chunked);
        cache.store.is_in_order          = is_in_order;
        tn_buffer_init(&text, &judge.memory, &error);
        merge(type, &cache, tn_buffer_bytes(&chunked), &judge.memory, &text,
              &error);
        if ((error.status == TN_OK) != (c->want != NULL))
            print_message("%s: %s\n", c->name, error.what);
        if (c->want) {
            assert_string_equal(error.what, "");
            assert_string_equal(tn_buffer_string(&text), c->want);
        } else {
            assert_true(error.status == TN_MALFORMED ||
                        error.status == TN_TRUNCATED);
            assert_non_null(strstr(error.what, c->complaint));
            assert_string_equal(error.where, c->where);
        }
        tn_buffer_done(&text);
        tn_buffer_done(&chunked);
        cache_done(&cache);
    }
}

static void test_rules(void **state)
{
    (void)state;
    assert_cases(cases, sizeof cases / sizeof *cases, false);
}

static void test_in_order(void **state)
{
    (void)state;
    assert_cases(in_order, sizeof in_order / sizeof *in_order, true);
}

/* ---- hostile ------------------------------------------------------------- */

static const struct merge_case *hostile_case;

static enum tn_status merge_case_again(struct tn_bytes   input,
                                       struct tn_memory *memory,
                                       struct tn_error  *error)
{
    struct cache     cache;
    struct tn_buffer chunked;

    const struct tn_pb_message *type = fill(hostile_case, &cache, &chunked);
    merge(type, &cache, input, memory, NULL, error);
    tn_buffer_done(&chunked);
    cache_done(&cache);
    return error->status;
}

static void test_hostile(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cache     cache;
        struct tn_buffer chunked;

        hostile_case = &cases[i];
        fill(hostile_case, &cache, &chunked);
        tn_survives_every_flip(merge_case_again, tn_buffer_bytes(&chunked));
        if (hostile_case->want)
            tn_survives_no_memory(merge_case_again, tn_buffer_bytes(&chunked));
        tn_buffer_done(&chunked);
        cache_done(&cache);
    }
}

/* Five bytes a time, a chunk of a hundred thousand. */
static void test_reuse(void **state)
{
    static struct tn_error error;
    struct cache           cache = { .store = { .read = cache_read } };
    struct tn_buffer       chunked;

    (void)state;
    error = (struct tn_error)TN_ERROR_INIT;
    tn_buffer_init(&cache.buffers[0], &judge.memory, &error);
    for (int i = 0; i < 50000; i++)
        tn_buffer_text(&cache.buffers[0], "\x1a");
    for (int i = 0; i < 50000; i++)
        cache.buffers[0].data[i] = i % 2 ? 0 : 0x1a;
    tn_source_memory(&cache.sources[0], &judge.memory,
                     tn_buffer_bytes(&cache.buffers[0]));
    cache.store.count = 1;
    tn_buffer_init(&chunked, &judge.memory, &error);
    for (int i = 0; i < 1000; i++) {
        tn_buffer_text(&chunked, "\x12\x04\x1a\x02\x08");
        tn_buffer_byte(&chunked, 0);
        merge(judge.many, &cache, tn_buffer_bytes(&chunked), &judge.memory,
              NULL, &error);
        if (error.status != TN_OK)
            break;
        i += 10 * (i > 20);
    }
    assert_int_equal(error.status, TN_LIMIT);
    tn_buffer_done(&chunked);
    cache_done(&cache);
}

static void test_depth(void **state)
{
    static struct tn_error error;
    struct cache           cache = { .store = { .read = cache_read } };

    (void)state;
    for (int steps = 99; steps < 102; steps++) {
        struct tn_rope   field, chunked, tag, none;
        struct tn_buffer bytes;
        error = (struct tn_error)TN_ERROR_INIT;
        tn_rope_init(&field, &judge.arena, &error);
        tn_rope_init(&chunked, &judge.arena, &error);
        for (int i = 0; i < steps; i++) {
            tn_rope_init(&tag, &judge.arena, &error);
            tn_pb_put_varint(&tag, 1, 1);
            tn_pb_put_message(&field, 1, &tag);
        }
        tn_rope_init(&none, &judge.arena, &error);
        tn_pb_put_message(&field, 3, &none);
        tn_pb_put_message(&chunked, 2, &field);
        tn_buffer_init(&bytes, &judge.memory, &error);
        tn_rope_write(&chunked, &bytes.sink, &error);
        merge(judge.many, &cache, tn_buffer_bytes(&bytes), &judge.memory, NULL,
              &error);
        assert_int_equal(error.status, steps > 100 ? TN_LIMIT : TN_OK);
        tn_rope_done(&chunked);
        tn_buffer_done(&bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules),   cmocka_unit_test(test_in_order),
        cmocka_unit_test(test_hostile), cmocka_unit_test(test_reuse),
        cmocka_unit_test(test_depth),
    };

    return cmocka_run_group_tests(tests, open_judge, close_judge);
}
