/* view_class.c - what kind of work an operator does, by its name */
#include "view/view_class.h"

const char *const tn_view_class_names[TN_VIEW_CLASS_COUNT] = {
#define TN_VIEW_CLASS_NAME(name, text) text,
    TN_VIEW_CLASSES(TN_VIEW_CLASS_NAME)
#undef TN_VIEW_CLASS_NAME
};

/* Names without case and underscores.  A row that ends in '*' is a beginning,
 * one that begins with '*' a part anywhere.  The first row that fits counts. */
struct row {
    const char        *name;
    enum tn_view_class is;
};

#define OTHER      TN_VIEW_CLASS_OTHER
#define DATA       TN_VIEW_CLASS_DATA
#define CONSTANT   TN_VIEW_CLASS_CONSTANT
#define PRODUCT    TN_VIEW_CLASS_PRODUCT
#define NORM       TN_VIEW_CLASS_NORM
#define ACTIVATION TN_VIEW_CLASS_ACTIVATION
#define POOL       TN_VIEW_CLASS_POOL
#define SHAPE      TN_VIEW_CLASS_SHAPE
#define MATH       TN_VIEW_CLASS_MATH
#define CONTROL    TN_VIEW_CLASS_CONTROL
#define QUANTIZE   TN_VIEW_CLASS_QUANTIZE

/* clang-format off */
static const struct row rows[] = {
    { "*interp", SHAPE }, { "resize*", SHAPE }, { "random*", OTHER }, { "string*", OTHER }, { "pixelunshuffle", SHAPE },
    { "convert", SHAPE }, { "logistic", ACTIVATION },
    { "*quantize", QUANTIZE }, { "*fakequant", QUANTIZE }, { "qlinear*", QUANTIZE },
    { "placeholder*", DATA }, { "feed", DATA }, { "fetch", DATA }, { "arg", DATA }, { "retval", DATA },
    { "const*", CONSTANT }, { "fillconstant", CONSTANT }, { "varhandleop", CONSTANT }, { "variable*", CONSTANT },
    { "readvariable*", CONSTANT }, { "varhandle", CONSTANT }, { "assignvariable*", CONSTANT }, { "assignvalue", CONSTANT },
    { "full", CONSTANT }, { "hashtable*", CONSTANT },
    { "lookuptable*", SHAPE }, { "variablev2", CONSTANT }, { "builtin.parameter", CONSTANT }, { "pdop.data", DATA },
    { "*conv", PRODUCT }, { "*matmul", PRODUCT }, { "*einsum", PRODUCT }, { "mul*mat*", PRODUCT },
    { "*lstm", PRODUCT }, { "*gru", PRODUCT }, { "*attention", PRODUCT }, { "fc", PRODUCT },
    { "xwplusb", PRODUCT }, { "mmul", PRODUCT }, { "tensormmul", PRODUCT }, { "*linear", PRODUCT },
    { "fullyconnected", PRODUCT }, { "*gemm", PRODUCT }, { "*bmm", PRODUCT }, { "addmm", PRODUCT }, { "dot*", PRODUCT }, { "mv", PRODUCT },
    { "svdf", PRODUCT }, { "*rnn", PRODUCT },
    { "*norm", NORM }, { "lrn", NORM }, { "dropout*", NORM },
    { "*softmax", ACTIVATION }, { "*relu*", ACTIVATION }, { "*sigmoid", ACTIVATION }, { "tanh*", ACTIVATION },
    { "*elu", ACTIVATION }, { "*swish", ACTIVATION }, { "silu*", ACTIVATION }, { "swiglu", ACTIVATION }, { "maxout", ACTIVATION },
    { "scaledtanh", ACTIVATION }, { "softplus", ACTIVATION }, { "softsign", ACTIVATION },
    { "erf", ACTIVATION }, { "mish", ACTIVATION }, { "hardmax", ACTIVATION }, { "*shrink", ACTIVATION }, { "clip*", ACTIVATION },
    { "identity*", SHAPE }, { "*pool", POOL }, { "reduce*", POOL }, { "argmax*", POOL }, { "argmin*", POOL }, { "topk*", POOL },
    { "mean", POOL }, { "sum", POOL }, { "prod", POOL }, { "all", POOL }, { "any", POOL }, { "cumsum", POOL }, { "cumprod", POOL },
    { "segment*", POOL }, { "unsortedsegment*", POOL },
    { "*nonmaxsuppression", POOL }, { "multiclassnms*", POOL }, { "max", MATH }, { "min", MATH },
    { "if", CONTROL }, { "*while", CONTROL }, { "loop", CONTROL }, { "scan", CONTROL }, { "statelessif", CONTROL },
    { "switch*", CONTROL }, { "merge*", CONTROL }, { "enter*", CONTROL }, { "exit", CONTROL }, { "nextiteration", CONTROL },
    { "loopcond", CONTROL }, { "*partitionedcall", CONTROL }, { "conditionalblock*", CONTROL }, { "noop", CONTROL },
    { "assert", CONTROL }, { "selectinput", CONTROL }, { "invoke", CONTROL },
    { "call", CONTROL }, { "callonce", CONTROL }, { "case", CONTROL },
    { "reshape*", SHAPE }, { "transpose*", SHAPE }, { "permute", SHAPE }, { "*squeeze*", SHAPE }, { "*concat*", SHAPE },
    { "*split*", SHAPE }, { "*slice*", SHAPE }, { "*gather*", SHAPE }, { "*scatter*", SHAPE }, { "flatten*", SHAPE },
    { "pad*", SHAPE }, { "mirrorpad", SHAPE }, { "expand*", SHAPE }, { "tile*", SHAPE }, { "shape*", SHAPE }, { "size", SHAPE },
    { "rank", SHAPE }, { "cast", SHAPE }, { "castlike", SHAPE }, { "pack", SHAPE }, { "unpack", SHAPE }, { "stack", SHAPE },
    { "unstack", SHAPE }, { "range", SHAPE }, { "*spacetodepth", SHAPE }, { "*depthtospace", SHAPE }, { "*spacetobatch*", SHAPE },
    { "*batchtospace*", SHAPE }, { "upsample*", SHAPE }, { "onehot*", SHAPE },
    { "*shuffle*", SHAPE }, { "reverse*", SHAPE }, { "broadcast*", SHAPE }, { "fill", SHAPE }, { "where*", SHAPE },
    { "select*", SHAPE }, { "embedding*", SHAPE }, { "lookuptablev2", SHAPE }, { "sequence*", SHAPE }, { "tensorlist*", SHAPE },
    { "tensorarray*", SHAPE }, { "crop*", SHAPE }, { "roi*", SHAPE }, { "linspace", SHAPE }, { "assign", SHAPE }, { "im2col", SHAPE },
    { "col2im", SHAPE }, { "centercroppad", SHAPE }, { "gridsample*", SHAPE }, { "trilu", SHAPE }, { "tril*", SHAPE }, { "eye*", SHAPE },
    { "nonzero", SHAPE }, { "compress", SHAPE }, { "unique*", SHAPE }, { "sort", SHAPE }, { "argsort", SHAPE }, { "optional*", SHAPE }, { "unbind", SHAPE },
    { "flip", SHAPE }, { "roll", SHAPE }, { "meshgrid", SHAPE }, { "unfold", SHAPE }, { "index*", SHAPE }, { "takealongaxis", SHAPE },
    { "putalongaxis", SHAPE }, { "zeroslike", SHAPE }, { "oneslike", SHAPE }, { "fillanylike", SHAPE }, { "fillzeroslike*", SHAPE },
    { "dynamicupdateslice", SHAPE }, { "matrixdiag*", SHAPE }, { "matrixsetdiag*", SHAPE }, { "diag*", SHAPE }, { "iota", SHAPE },
    { "add*", MATH }, { "sub*", MATH }, { "mul*", MATH }, { "div*", MATH }, { "realdiv", MATH }, { "truediv", MATH },
    { "floor*", MATH }, { "ceil", MATH }, { "round", MATH }, { "pow*", MATH }, { "exp*", MATH }, { "log*", MATH },
    { "sqrt", MATH }, { "rsqrt", MATH }, { "square*", MATH }, { "abs", MATH }, { "neg*", MATH }, { "reciprocal", MATH },
    { "maximum", MATH }, { "minimum", MATH }, { "mod", MATH }, { "sin", MATH }, { "cos", MATH }, { "tan", MATH },
    { "sign", MATH }, { "equal*", MATH }, { "notequal", MATH }, { "greater*", MATH }, { "less*", MATH }, { "and", MATH },
    { "or", MATH }, { "not", MATH }, { "elementwise*", MATH }, { "scale", MATH }, { "bias*", MATH },
    { "acos*", MATH }, { "asin*", MATH }, { "atan*", MATH }, { "cosh", MATH }, { "sinh", MATH }, { "cosine", MATH }, { "sine", MATH },
    { "xor", MATH }, { "power", MATH }, { "remainder*", MATH }, { "compare", MATH }, { "clamp", ACTIVATION }, { "trunc", MATH }, { "truncatediv", MATH }, { "truncatemod", MATH }, { "increment", MATH },
    { "cbrt", MATH }, { "shift*", MATH }, { "rightshift", MATH }, { "isfinite*", MATH }, { "isnan*", MATH }, { "rotaryembedding", MATH },
    { "isinf*", MATH }, { "bit*", MATH }, { "complex*", MATH }, { "*fft*", MATH }, { "stft", MATH }, { "dft", MATH },
};
/* clang-format on */

enum { NAME_ROOM = 40 };

/* Lower case, without underscores and without what operators of a dialect begin
 * with. */
static size_t flatten(struct tn_bytes op, char to[NAME_ROOM])
{
    static const char *const starts[] = { "pd_op.", "STABLEHLO_" };
    size_t                   size     = 0;

    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (tn_bytes_starts_with(op, starts[i]))
            op = tn_bytes(op.data + strlen(starts[i]),
                          op.size - strlen(starts[i]));
    for (size_t i = 0; i < op.size && size < NAME_ROOM - 1; i++) {
        uint8_t c = op.data[i];
        if (c == '_')
            continue;
        to[size++] = (char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
    }
    to[size] = '\0';
    return size;
}

static bool fits(const char *name, size_t size, const char *pattern)
{
    size_t length = strlen(pattern);
    bool   ends   = pattern[length - 1] == '*';

    if (pattern[0] == '*') {
        char part[NAME_ROOM] = { 0 };
        memcpy(part, pattern + 1, length - 1 - ends);
        return strstr(name, part) != NULL;
    }
    if (ends)
        return size >= length - 1 && memcmp(name, pattern, length - 1) == 0;
    return strcmp(name, pattern) == 0;
}

enum tn_view_class tn_view_class_of(struct tn_bytes op)
{
    char   name[NAME_ROOM];
    size_t size = flatten(op, name);

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (fits(name, size, rows[i].name))
            return rows[i].is;
    return OTHER;
}

static bool is_one_of(struct tn_bytes op, const char *const *names)
{
    char name[NAME_ROOM];

    flatten(op, name);
    for (; *names; names++)
        if (strcmp(name, *names) == 0)
            return true;
    return false;
}

bool tn_view_is_constant_op(struct tn_bytes op)
{
    static const char *const names[] = {
        "const",       "constant",     "varhandleop",
        "variablev2",  "variable",     "fillconstant",
        "assignvalue", "hashtablev2",  "builtin.parameter",
        "full",        "fullintarray", NULL
    };

    return is_one_of(op, names);
}

bool tn_view_is_shape_op(struct tn_bytes op)
{
    static const char *const names[] = { "shape",   "size",    "rank",
                                         "shapen",  "shapeof", "sizeat",
                                         "shape64", NULL };

    return is_one_of(op, names);
}
