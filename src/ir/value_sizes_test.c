/* value_sizes_test.c - sizes of producers and consumers, edge by edge */
#include "ir/value_sizes.h"

#include <stdlib.h>

#include "ir/value_testing.h"

static const char vocabulary[] =
    "vocabulary test 1\n"
    "domain \"\"\n"
    "op Add (A int8[..s], B int8[..s]) -> (C int8[s])\n"
    "op Bend (X int8[r], perm int64) -> (Y int8[r])\n"
    "op Cat (X+ int8[r 1..]) -> (Y int8[r])\n"
    "    axis int\n"
    "op Conv (X int8[r 3..], W int8[r], B? int8[1]) -> (Y int8[r])\n"
    "    pads? list(int)\n"
    "    kernel? list(int)\n"
    "    group int = 1\n"
    "    mode string = \"a\"\n"
    "op Cut (X int8, axes int64) -> (Y int8)\n"
    "op Deal (X int8[r 1..], split? int64[1]) -> (Y+ int8[r])\n"
    "    axis int = 0\n"
    "op Dot (A int8, B int8) -> (Y int8)\n"
    "op Form (X int8, shape int64[1]) -> (Y int8)\n"
    "op Grow (X int8, axes int64) -> (Y int8)\n"
    "op Kind (X int8) -> (Y int8)\n"
    "    to int\n"
    "op Relu (X int8[s]) -> (Y int8[s])\n"
    "op Same (X int8[s], Y int8[s]) -> (Z int8[s])\n"
    "op Scale (X int8[s], by int8) -> (Y int8[s])\n"
    "op Sum (X int8, axes? int64) -> (Y int8)\n"
    "    keep int = 1\n"
    "op Top (X int8[r], k? int64) -> (Y int8[r])\n"
    "    step? list(int)\n"
    "op Turn (X int8[r]) -> (Y int8[r])\n"
    "    perm? list(int)\n"
    "facts Cat\n"
    "    where axis in -r..r - 1\n"
    "    where X alike but axis\n"
    "    makes Y = replace(X[:] axis ?)\n"
    "facts Conv\n"
    "    where len(pads) == 2 * (r - 2)\n"
    "    where kernel == W[2:]\n"
    "    where X[1] == W[1] * group\n"
    "    where W[0] % group == 0\n"
    "    where B[0] == W[0] if mode is \"a\"\n"
    "    makes Y = [X[0] W[0] ...]\n"
    "facts Cut\n"
    "    where X[axes] == 1\n"
    "    makes Y = remove(X[:] axes)\n"
    "facts Deal\n"
    "    where sum(split) == X[axis]\n"
    "    where len(split) == count(Y)\n"
    "    where X[axis] % count(Y) == 0 if given(split) == 0\n"
    "facts Dot\n"
    "    where A[-1] == B[-2] if rank(B) >= 2\n"
    "    where A[:-2] meets B[:-2]\n"
    "    makes Y = [broadcast(A[:-2] B[:-2]) A[-2] B[-1]] if rank(A) >= 2 and "
    "rank(B) >= 2\n"
    "facts Form\n"
    "    where prod(shape) == prod(X[:]) if min(shape) >= 1\n"
    "    where prod(X[:]) % -prod(shape) == 0 if min(shape) == -1\n"
    "    makes Y = shape\n"
    "facts Grow\n"
    "    where axes in -rank(X) - len(axes)..rank(X) + len(axes) - 1 once\n"
    "    makes Y = insert(X[:] axes)\n"
    "facts Kind\n"
    "    where to in 1..9\n"
    "facts Scale\n"
    "    where by[:] fits X[:]\n"
    "facts Sum\n"
    "    where axes in -rank(X)..rank(X) - 1\n"
    "    makes Y = replace(X[:] axes 1) if keep == 1\n"
    "    makes Y = remove(X[:] axes) if keep == 0\n"
    "facts Top\n"
    "    where k <= X[-1]\n"
    "    where step != 0\n"
    "facts Bend Turn\n"
    "    where perm permutes r\n"
    "    makes Y = X[perm]\n"
    "    makes Y = reverse(X[:]) if given(perm) == 0\n";

struct sized_claim {
    struct testing_claim is;
    const char *sizes; /* "a:2,?" has those; "k=1,0" is a constant of these   */
};

#define IN(...)                                                                \
    {                                                                          \
        "", __VA_ARGS__                                                        \
    }

/* clang-format off */
static const struct sized_claim claims[] = {
    /* shapes */
    { { "alike", "", { IN("Add", "ab", "c", "") }, "", "", "" }, "a:2,4 b:2,4" },
    { { "broadcast", "", { IN("Add", "ab", "c", "") }, "", "", "" }, "a:2,1,4 b:3,1" },
    { { "one is not known", "", { IN("Add", "ab", "c", "") }, "", "", "" }, "a:2,?,4 b:3,4" },
    { { "none is known", "", { IN("Add", "ab", "c", "") }, "", "", "" }, "" },
    { { "an empty one", "", { IN("Add", "ab", "c", "") }, "", "", "" }, "a:0,4 b:2,4" },
    { { "they differ", "", { IN("Add", "ab", "c", "") },
        "size-mismatch", "graph.node[0]",
        "dimension 0 of 'b' is 3, and dimension 1 of 'a' is 4; Add takes them equal or 1" }, "a:?,4 b:3" },
    { { "one shape", "", { IN("Same", "ab", "c", "") },
        "size-mismatch", "graph.node[0]",
        "dimension 1 of 'b' is 1, and dimension 1 of 'a' is 4; Same takes them equal" }, "a:?,4 b:?,1" },
    { { "it follows", "", { IN("Relu", "a", "b", ""), IN("Add", "bc", "d", ""), IN("Add", "de", "f", "") },
        "size-mismatch", "graph.node[2]",
        "dimension 0 of 'e' is 5, and dimension 1 of 'd' is 4; Add takes them equal or 1" }, "a:3,1 c:4 e:5" },
    { { "to one of many", "", { IN("Scale", "ab", "c", "") },
        "size-mismatch", "graph.node[0]", "by[:] is [2,1], which Scale cannot broadcast to [3,1]" }, "a:3,1 b:2,1" },
    { { "of a larger rank", "", { IN("Scale", "ab", "c", "") },
        "size-mismatch", "graph.node[0]", "by[:] is [1,1], which Scale cannot broadcast to [4]" }, "a:4 b:1,1" },
    { { "to one", "", { IN("Scale", "ab", "c", "") }, "", "", "" }, "a:2,3,4 b:3,1" },

    /* axes */
    { { "the last axis", "a2", { IN("Cat", "aa", "b", "axis=i1") }, "", "", "" }, "" },
    { { "from the end", "a2", { IN("Cat", "aa", "b", "axis=i-2") }, "", "", "" }, "" },
    { { "behind the last", "a2", { IN("Cat", "aa", "b", "axis=i2") },
        "bad-axis", "graph.node[0]", "'axis' is 2, Cat takes -2 to 1 here" }, "" },
    { { "the least number that there is", "a2", { IN("Cat", "aa", "b", "axis=i-9223372036854775808") },
        "bad-axis", "graph.node[0]", "'axis' is -9223372036854775807, Cat takes -2 to 1 here" }, "" },
    { { "the largest", "", { IN("Sum", "ak", "b", "") },
        "bad-axis", "graph.node[0]", "'axes' is 9223372036854775807, Sum takes -2 to 1 here" }, "a:?,4 k=9223372036854775807" },
    { { "the caller says it", "a2", { IN("Cat", "aa", "b", "axis=?") }, "", "", "" }, "" },
    { { "of an unknown rank", "", { IN("Cat", "aa", "b", "axis=i7") }, "", "", "" }, "" },
    { { "other sizes at the axis", "", { IN("Cat", "abc", "d", "axis=i-1") }, "", "", "" }, "a:2,4 b:2,5 c:?,6" },
    { { "other sizes elsewhere", "", { IN("Cat", "abc", "d", "axis=i1") },
        "size-mismatch", "graph.node[0]", "dimension 0 of 'c' is 3, and of 'a' it is 2; Cat takes them equal" }, "a:2,4 b:?,5 c:3,6" },
    { { "what is made of several", "", { IN("Cat", "aa", "b", "axis=i1"), IN("Add", "bc", "d", "") },
        "size-mismatch", "graph.node[1]", "dimension 0 of 'c' is 3, and dimension 0 of 'b' is 2; Add takes them equal or 1" }, "a:2,4 c:3,1" },
    { { "axes of a constant", "", { IN("Sum", "ak", "b", "") },
        "bad-axis", "graph.node[0]", "'axes' is 2, Sum takes -2 to 1 here" }, "a:?,4 k=0,2" },
    { { "axes that nobody knows", "", { IN("Sum", "ak", "b", "") }, "", "", "" }, "a:?,4 k:2" },
    { { "an axis twice", "", { IN("Grow", "ak", "b", "") },
        "bad-axis", "graph.node[0]", "'axes' is [1,-3], Grow takes no axis twice" }, "a:2,4 k=1,-3" },
    { { "an axis of what is made", "", { IN("Grow", "ak", "b", ""), IN("Add", "bc", "d", "") },
        "size-mismatch", "graph.node[1]", "dimension 0 of 'c' is 3, and dimension 2 of 'b' is 4; Add takes them equal or 1" }, "a:2,4 k=1 c:3" },
    { { "without an axis", "", { IN("Sum", "ak", "b", "keep=i0"), IN("Add", "bc", "d", "") },
        "size-mismatch", "graph.node[1]", "dimension 0 of 'c' is 3, and dimension 0 of 'b' is 4; Add takes them equal or 1" }, "a:2,4 k=0 c:3" },
    { { "reduced", "", { IN("Sum", "ak", "b", ""), IN("Add", "bc", "d", "") }, "", "", "" }, "a:2,4 k=1 c:2,9" },
    { { "what is not one", "", { IN("Cut", "ak", "b", "") },
        "size-mismatch", "graph.node[0]", "dimension 1 of 'a' is 4, Cut takes 1" }, "a:1,4 k=0,1" },
    { { "what is one", "", { IN("Cut", "ak", "b", "") }, "", "", "" }, "a:1,4 k=0" },
    { { "a permutation", "", { IN("Turn", "a", "b", "perm=l1,0"), IN("Dot", "ab", "c", "") }, "", "", "" }, "a:3,4" },
    { { "none", "a2", { IN("Turn", "a", "b", "perm=l0,0") },
        "bad-axis", "graph.node[0]", "'perm' is [0,0], Turn takes each of 0 to 1 once here" }, "" },
    { { "too many", "a2", { IN("Bend", "ak", "b", "") },
        "bad-axis", "graph.node[0]", "'perm' is [0,1,2], Bend takes each of 0 to 1 once here" }, "k=0,1,2" },
    { { "turned round", "", { IN("Turn", "a", "b", ""), IN("Dot", "aa", "c", "") },
        "size-mismatch", "graph.node[1]", "dimension 1 of 'a' is 4, and dimension 0 of 'a' is 3; Dot takes them equal" }, "a:3,4" },

    /* lists and sizes */
    { { "as long as it should be", "a4", { IN("Conv", "ab", "c", "pads=l0,0,0,0") }, "", "", "" }, "" },
    { { "an empty list says nothing", "a4", { IN("Conv", "ab", "c", "pads=e") }, "", "", "" }, "" },
    { { "too short", "a4", { IN("Conv", "ab", "c", "pads=l0,0") },
        "wrong-length", "graph.node[0]", "'pads' has 2 items, Conv takes 4 here" }, "" },
    { { "another kernel", "", { IN("Conv", "ab", "c", "kernel=l3,2") },
        "size-mismatch", "graph.node[0]", "'kernel' is 2, and dimension 3 of 'b' is 3; Conv takes them equal" }, "b:8,3,3,3" },
    { { "other channels", "", { IN("Conv", "ab", "c", "group=i2") },
        "size-mismatch", "graph.node[0]", "dimension 1 of 'a' is 4, and W[1] * group is 6; Conv takes them equal" }, "a:?,4,9,9 b:8,3,3,3" },
    { { "no multiple", "", { IN("Conv", "ab", "c", "group=i3") },
        "size-mismatch", "graph.node[0]", "dimension 0 of 'b' is 8, Conv takes a multiple of 3" }, "a:?,9,9,9 b:8,3,3,3" },
    { { "under a condition", "", { IN("Conv", "abk", "c", "mode=sa") },
        "size-mismatch", "graph.node[0]", "dimension 0 of 'k' is 7, and dimension 0 of 'b' is 8; Conv takes them equal" }, "b:8,3,3,3 k:7" },
    { { "under another", "", { IN("Conv", "abk", "c", "mode=sb") }, "", "", "" }, "b:8,3,3,3 k:7" },
    { { "what it makes, and what it leaves open", "", { IN("Conv", "ab", "c", ""), IN("Conv", "cb", "d", "") },
        "size-mismatch", "graph.node[1]", "dimension 1 of 'c' is 8, and W[1] * group is 3; Conv takes them equal" }, "a:1,3,9,9 b:8,3,3,3" },
    { { "parts", "", { IN("Deal", "ak", "bc", "") }, "", "", "" }, "a:4 k=1,3" },
    { { "parts that are less", "", { IN("Deal", "ak", "bc", "") },
        "size-mismatch", "graph.node[0]", "the sum of 'split' is 3, and dimension 0 of 'a' is 4; Deal takes them equal" }, "a:4 k=1,2" },
    { { "more outputs than parts", "", { IN("Deal", "ak", "bcd", "") },
        "wrong-length", "graph.node[0]", "'split' has 2 items, Deal takes 3 here" }, "k=1,3" },
    { { "equal parts", "", { IN("Deal", "a", "bcd", "") },
        "size-mismatch", "graph.node[0]", "dimension 0 of 'a' is 4, Deal takes a multiple of 3" }, "a:4" },
    { { "as many elements", "", { IN("Form", "ak", "b", "") }, "", "", "" }, "a:3,4 k=2,6" },
    { { "more elements", "", { IN("Form", "ak", "b", "") },
        "size-mismatch", "graph.node[0]", "the product of 'shape' is 10, and the number of elements of 'a' is 12; Form takes them equal" }, "a:3,4 k=5,2" },
    { { "the rest", "", { IN("Form", "ak", "b", "") },
        "size-mismatch", "graph.node[0]", "the number of elements of 'a' is 12, Form takes a multiple of 5" }, "a:3,4 k=5,-1" },
    { { "more than can be counted", "", { IN("Form", "ak", "b", "") }, "", "", "" }, "a:4000000000,4000000000,4000000000 k=5,2" },
    { { "a product of more", "", { IN("Form", "ak", "b", "") }, "", "", "" }, "a:3,4 k=9223372036854775807,-9223372036854775807,-1" },
    { { "sizes that are copied", "", { IN("Form", "ak", "b", "") }, "", "", "" }, "a:3,4 k=0,2,-1" },
    { { "more than there are", "", { IN("Top", "ak", "b", "") },
        "size-mismatch", "graph.node[0]", "'k' is 5, and dimension 1 of 'a' is 4; Top takes at most that" }, "a:3,4 k=5" },
    { { "a step of none", "", { IN("Top", "a", "b", "step=l1,0") },
        "bad-attribute-value", "graph.node[0]", "'step' is 0, which Top cannot take" }, "" },
    { { "no such number", "", { IN("Kind", "a", "b", "to=i10") },
        "bad-attribute-value", "graph.node[0]", "'to' is 10, Kind takes 1 to 9" }, "" },
    { { "products", "", { IN("Dot", "ab", "c", ""), IN("Dot", "cd", "e", "") },
        "size-mismatch", "graph.node[1]", "dimension 2 of 'c' is 5, and dimension 0 of 'd' is 6; Dot takes them equal" }, "a:7,3,4 b:4,5 d:6,1" },
    { { "products of other stacks", "", { IN("Dot", "ab", "c", "") },
        "size-mismatch", "graph.node[0]", "A[:-2] is [7], which Dot cannot broadcast with [2]" }, "a:7,3,4 b:2,4,5" },
    { { "the same again", "", { IN("Dot", "aa", "b", ""), IN("Dot", "bb", "c", ""), IN("Dot", "cd", "e", "") },
        "size-mismatch", "graph.node[2]", "dimension 1 of 'c' is 4, and dimension 0 of 'd' is 5; Dot takes them equal" }, "a:4,4 d:5,5" },
    { { "ranks are told first", "a4b3", { IN("Conv", "ab", "c", "pads=l0") },
        "rank-mismatch", "graph.node[0]", "'b' has rank 3, and 'a' has rank 4; Conv takes them in one rank" }, "" },
};
/* clang-format on */

/* "2,?,4" up to a space, as sizes. */
static uint32_t read_sizes(const char **p, int64_t *sizes)
{
    uint32_t count = 0;

    while (**p && **p != ' ') {
        char *end = NULL;
        if (**p == '?') {
            sizes[count++] = -1;
            end            = (char *)(uintptr_t)*p + 1;
        } else {
            sizes[count++] = strtol(*p, &end, 10);
        }
        *p = *end == ',' ? end + 1 : end;
    }
    return count;
}

static void add_constant(struct testing_scene *s, struct tn_sizing *to,
                         uint32_t value, const int64_t *sizes, uint32_t count)
{
    struct tn_arena  *arena  = &s->model.arena;
    struct tn_tensor *tensor = tn_model_add_tensor(&s->model, to->error);
    int64_t          *bytes  = tn_new(arena, int64_t, count, to->error);
    uint64_t         *dims   = tn_new(arena, uint64_t, 1, to->error);
    struct tn_source *source = tn_new(arena, struct tn_source, 1, to->error);

    if (tn_failed(to->error))
        return;
    memcpy(bytes, sizes, count * sizeof *bytes);
    dims[0]                = count;
    tn_source_memory(source, s->model.memory,
                     tn_bytes(bytes, count * sizeof *bytes));
    tensor->elements.shape = (struct tn_shape){ TN_INT64, 1, dims };
    tensor->elements.payload =
        tn_payload_raw(&tensor->elements.shape,
                       (struct tn_span){ source, 0, count * sizeof *bytes }, 1);
    tn_sizing_tell_constant(to, value, (uint32_t)s->model.tensors.count - 1);
}

static void declare_sizes(void *context, struct tn_sizing *to)
{
    struct testing_scene *s = context;
    const char           *p = ((const struct sized_claim *)s->claim)->sizes;

    while (*p && !tn_failed(to->error)) {
        uint32_t value       = testing_value(&s->model, 0, *p++, to->error);
        bool     is_constant = *p++ == '=';
        int64_t  sizes[8];
        uint32_t count = read_sizes(&p, sizes);
        const struct tn_dims *dims =
            tn_dims_new(&s->model.arena, count, sizes, to->error);
        if (!dims || value == TN_NONE)
            return;
        if (is_constant)
            add_constant(s, to, value, sizes, count);
        else
            tn_sizing_tell(to, value, dims);
        p += *p == ' ';
    }
}

static const struct tn_vocab_use sized = { .declare_sizes = declare_sizes };

static void sizes_are_compared(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++)
        assert_true(testing_hold(&claims[i].is, NULL, &testing_by_values,
                                 vocabulary, sized) <= 1);
}

static enum tn_status judge_one(struct tn_bytes input, struct tn_memory *memory,
                                struct tn_error *error)
{
    struct testing_scene s = { .claim = &claims[input.data[0]].is };

    return testing_judge(&s, memory, &testing_by_values, vocabulary, sized,
                         error);
}

static void survives_no_memory(void **state)
{
    (void)state;
    for (uint8_t i = 0; i < sizeof claims / sizeof *claims; i += 7)
        tn_survives_no_memory(judge_one, tn_bytes(&i, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_compared),
        cmocka_unit_test(survives_no_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
