/*
 * native_rule.c - a rule whose body is a function in C
 *
 *   native_rule MODEL.onnx FILE.rules OUT.fb
 *
 * Rules are data, and few need more.  This one does: how many nodes a
 * polynomial becomes depends on how many coefficients it has, and each node
 * uses the one before.  The file of rules has the line
 *
 *   com.example::Polynomial(X; coefficients) => native horner
 *
 * and c0 + c1 x + c2 x^2 becomes (c2 x + c1) x + c0.
 */
#include <stdio.h>

#include <tenon/tenon.h>

/* A number of the type of x. */
static enum tn_status scalar(struct tn_native_call *call, enum tn_dtype dtype,
                             double number, uint32_t *value,
                             struct tn_error *error)
{
    const struct tn_attr_value one = { .kind       = TN_ATTR_DOUBLE,
                                       .count      = 1,
                                       .of.doubles = &number };

    return tn_native_constant(call, dtype, &one, NULL, 0, value, error);
}

/* *value = op(*value, other) */
static enum tn_status step(struct tn_native_call *call, const char *op,
                           uint32_t *value, uint32_t other,
                           struct tn_error *error)
{
    const uint32_t              inputs[] = { *value, other };
    const struct tn_native_node node     = { .op = op, inputs, 2, NULL, 0 };

    return tn_native_make(call, &node, value, 1, error);
}

static enum tn_status horner(void *context, struct tn_native_call *call,
                             struct tn_error *error)
{
    uint32_t              x = tn_native_input(call, 0), sum, number;
    struct tn_native_type type;
    struct tn_attr_value  c;

    (void)context;
    if (!tn_native_type(call, x, &type) || type.dtype == TN_UNDEFINED)
        tn_native_refuse(call, "the type of X is not known");
    else if (!tn_native_attr(call, "coefficients", &c) ||
             c.kind != TN_ATTR_DOUBLE || c.count == 0)
        tn_native_refuse(call, "a polynomial without coefficients");
    else {
        uint32_t       i = c.count - 1;
        enum tn_status status =
            scalar(call, type.dtype, c.of.doubles[i], &sum, error);
        while (status == TN_OK && i-- > 0)
            if ((status = step(call, "multiply", &sum, x, error)) == TN_OK &&
                (status = scalar(call, type.dtype, c.of.doubles[i], &number,
                                 error)) == TN_OK)
                status = step(call, "add", &sum, number, error);
        return status == TN_OK ? tn_native_bind(call, 0, sum, error) : status;
    }
    return TN_OK;
}

static enum tn_status convert(const char *from, const char *rules,
                              const char *to, struct tn_error *error)
{
    const struct tn_native      functions[] = { { "horner", horner, NULL } };
    const struct tn_map_options map         = { .rules          = &rules,
                                                .rule_count     = 1,
                                                .functions      = functions,
                                                .function_count = 1 };
    const struct tn_convert_options how     = { .map = &map };
    const struct tn_target          target  = { .path = to };
    const struct tn_options         options = { .wants_graph = true };
    struct tn_model                *model;

    if (tn_model_open(&model, from, &options, error) == TN_OK)
        tn_convert(model, &how, &target, &options, NULL, error);
    tn_model_close(model);
    return error->status;
}

int main(int argc, char **argv)
{
    struct tn_error error = TN_ERROR_INIT;

    if (argc != 4) {
        fprintf(stderr, "usage: native_rule MODEL.onnx FILE.rules OUT.fb\n");
        return 2;
    }
    if (convert(argv[1], argv[2], argv[3], &error) == TN_OK)
        return 0;
    fprintf(stderr, "native_rule: %s: %s\n", error.where, error.what);
    return 1;
}
