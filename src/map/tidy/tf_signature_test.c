/* tf_signature_test.c - the order of a signature's inputs and outputs */
#include "map/net/net_build.h"
#include "map/tidy/tf_tidy.h"

#include <stdio.h>

#include "support/net_bench.h"
#include "support/net_lines.h"

/* The main graph calls `wrap`, which calls `inner`. */
struct net_case {
    const char *name, *io, *call, *wrap_io, *wrap;
    const char *want_in, *want_out;
    bool        is_signature;
};

static const struct net_case rows[] = {
    { "as the inner call has them", "a,b -> y,z", "y,z = wrap a,b",
      "p,q -> u,v", "v,u = inner q,p", "b,a", "z,y", true },
    { "nobody calls by a signature", "a,b -> y,z", "y,z = wrap a,b",
      "p,q -> u,v", "v,u = inner q,p", "a,b", "y,z", false },
    { "no call inside: as the outer one has them", "b,a -> z,y",
      "y,z = wrap a,b", "p,q -> u,v", "u,v = F p,q", "a,b", "y,z", true },
    { "no call at all", "b,a -> z,y", "y,z = F a,b", "p,q -> u,v",
      "v,u = inner q,p", "b,a", "z,y", true },
};

static void fill(struct tn_net *net, const struct net_case *row)
{
    uint32_t wrap =
        tn_net_add_graph(net, TN_GRAPH_FUNCTION, tn_text("wrap"), TN_NONE);
    uint32_t inner =
        tn_net_add_graph(net, TN_GRAPH_FUNCTION, tn_text("inner"), TN_NONE);

    net_add_io(net, 0, row->io);
    net_add_line(net, 0, row->call);
    net_add_io(net, wrap, row->wrap_io);
    net_add_line(net, wrap, row->wrap);
    net_add_io(net, inner, "i,j -> k,l");
    net_add_line(net, inner, "k,l = G i,j");
    net->signature = tn_text(row->is_signature ? "s" : "");
}

static void assert_names(const struct tn_net *net, bool is_input,
                         const char *want)
{
    const struct tn_list *ends     = is_input ? &tn_net_graph(net, 0)->inputs
                                              : &tn_net_graph(net, 0)->outputs;
    char                  text[64] = "";

    for (uint32_t i = 0; i < ends->count; i++) {
        struct tn_bytes name = is_input ? tn_net_input_name(net, 0, i)
                                        : tn_net_output_name(net, 0, i);
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%.*s",
                 i ? "," : "", TN_FMT(name));
    }
    assert_string_equal(text, want);
}

static void ends_are_in_the_order_of_the_call(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bench b;
        printf("%s\n", rows[i].name);
        set_up(&b, "tensorflow");
        fill(&b.net, &rows[i]);
        assert_int_equal(tn_tf_resolve(&b.net, NULL, NULL), TN_OK);
        assert_names(&b.net, true, rows[i].want_in);
        assert_names(&b.net, false, rows[i].want_out);
        tear_down(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_are_in_the_order_of_the_call),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
