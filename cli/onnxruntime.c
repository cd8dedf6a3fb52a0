/*
 * onnxruntime.c - compares what two ONNX models compute in ONNX Runtime
 *
 * The runtime's C interface is a table of functions that only grows: those of
 * its first version have the same places in every later one.
 */
#include "onnxruntime.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the runtime's interface -------------------------------------------- */

struct ort_base {
    void *const *(*api)(uint32_t version);
    const char *(*version)(void);
};

/* Places in the table. */
enum {
    GET_ERROR_MESSAGE      = 2,
    CREATE_ENV             = 3,
    CREATE_SESSION         = 7,
    RUN                    = 9,
    CREATE_SESSION_OPTIONS = 10,
    SET_OPTIMISATION       = 23,
    SET_THREADS            = 24,
    CREATE_TENSOR          = 49, /* over memory of ours */
    IS_TENSOR              = 50,
    GET_DATA               = 51,
    GET_ELEMENT_TYPE       = 60,
    GET_RANK               = 61,
    GET_DIMS               = 62,
    GET_COUNT              = 64,
    GET_SHAPE              = 65,
    CREATE_MEMORY_INFO     = 69, /* of the CPU */
};

enum { RANK_MAX = 16, IO_MAX = 256, LOG_NOTHING = 4 };

typedef void *ort_status; /* NULL: success */

struct runtime {
    void *const *api;
    const char  *version;
    void        *env, *options, *memory;
    char         why[200];
};

/* Functions of the table have types of their own; these differ in what they
 * take. */
#define ORT(r, place, ...)                                                     \
    (((ort_status(*)(__VA_ARGS__))(uintptr_t)(r)->api[place]))

static bool went_well(struct runtime *r, ort_status status)
{
    if (status == NULL)
        return true;
    const char *(*message)(const void *) =
        (const char *(*)(const void *))(uintptr_t)r->api[GET_ERROR_MESSAGE];
    snprintf(r->why, sizeof r->why, "%s", message(status));
    r->why[strcspn(r->why, "\n")] = '\0';
    return false;
}

static void *open_library(void)
{
    const char *named = getenv("TENON_ONNXRUNTIME");

    if (named != NULL)
        return dlopen(named, RTLD_NOW | RTLD_LOCAL);
    void *library = dlopen("libonnxruntime.so.1", RTLD_NOW | RTLD_LOCAL);
    return library ? library
                   : dlopen("libonnxruntime.so", RTLD_NOW | RTLD_LOCAL);
}

static bool start(struct runtime *r)
{
    void *library = open_library();
    const struct ort_base *(*base)(void) =
        library ? (const struct ort_base *(*)(void))(uintptr_t)dlsym(
                      library, "OrtGetApiBase")
                : NULL;

    snprintf(r->why, sizeof r->why,
             "ONNX Runtime is not installed; $TENON_ONNXRUNTIME can name its "
             "library");
    if (base == NULL || (r->api = base()->api(1)) == NULL)
        return false;
    r->version = base()->version();
    return went_well(r, ORT(r, CREATE_ENV, int, const char *,
                            void **)(LOG_NOTHING, "tenon", &r->env)) &&
           went_well(r, ORT(r, CREATE_SESSION_OPTIONS, void **)(&r->options)) &&
           went_well(r, ORT(r, SET_OPTIMISATION, void *, int)(r->options, 0)) &&
           went_well(r, ORT(r, SET_THREADS, void *, int)(r->options, 1)) &&
           went_well(r, ORT(r, CREATE_MEMORY_INFO, int, int,
                            void **)(0, 0, &r->memory));
}

/* ---- inputs ------------------------------------------------------------- */

/* ONNX's number of an element type; 0: none that is drawn here. */
static int type_number(enum tn_dtype dtype)
{
    static const struct {
        enum tn_dtype dtype;
        int           number;
    } rows[] = {
        { TN_FLOAT32, 1 },  { TN_UINT8, 2 },   { TN_INT8, 3 },
        { TN_UINT16, 4 },   { TN_INT16, 5 },   { TN_INT32, 6 },
        { TN_INT64, 7 },    { TN_BOOL, 9 },    { TN_FLOAT16, 10 },
        { TN_FLOAT64, 11 }, { TN_UINT32, 12 }, { TN_UINT64, 13 },
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].dtype == dtype)
            return rows[i].number;
    return 0;
}

/* The same numbers in every run. */
static uint32_t draw(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)(*seed >> 33);
}

/* Reals below 1; for other types 0 or 1, which are valid indices nearly
 * everywhere. */
static void fill(uint8_t *at, uint64_t count, enum tn_dtype dtype,
                 uint64_t *seed)
{
    unsigned size = tn_dtype_size(dtype);

    memset(at, 0, (size_t)count * size);
    for (uint64_t i = 0; i < count; i++, at += size) {
        double real = draw(seed) / 2147483648.0;
        if (dtype == TN_FLOAT32)
            memcpy(at, &(float){ (float)real }, sizeof(float));
        else if (dtype == TN_FLOAT64)
            memcpy(at, &real, sizeof real);
        else if (dtype == TN_FLOAT16) /* 0.5 to 1 */
            memcpy(at, &(uint16_t){ (uint16_t)(0x3800 | (draw(seed) & 1023)) },
                   2);
        else
            *at = real < 0.5;
    }
}

/* Names and values of one model's inputs. */
struct feed {
    char    *names[IO_MAX];
    void    *values[IO_MAX];
    uint32_t count;
};

static char *copy_name(struct tn_bytes name)
{
    char *copy = calloc(name.size + 1, 1);

    if (copy != NULL && name.size > 0)
        memcpy(copy, name.data, name.size);
    return copy;
}

static bool feed_one(struct runtime *r, const struct tn_io *io, int64_t open,
                     uint64_t *seed, struct feed *to)
{
    int64_t  dims[RANK_MAX];
    uint64_t count = 1;
    int      type  = type_number(io->dtype);

    snprintf(r->why, sizeof r->why,
             "input '%.*s' is of a type or shape that is not drawn at random",
             (int)io->name.size, (const char *)io->name.data);
    if (type == 0 || !io->has_rank || io->rank > RANK_MAX ||
        to->count == IO_MAX || io->note[0] != '\0')
        return false;
    for (uint32_t i = 0; i < io->rank; i++) {
        dims[i] = io->dims[i].value < 0 ? open : io->dims[i].value;
        if (dims[i] > 1 << 28 || (count *= (uint64_t)dims[i]) > 1 << 28)
            return false;
    }
    size_t   bytes = (size_t)count * tn_dtype_size(io->dtype);
    uint8_t *data  = malloc(bytes + 1);
    char    *name  = copy_name(io->name);
    if (data == NULL || name == NULL) {
        free(data);
        free(name);
        return false;
    }
    fill(data, count, io->dtype, seed);
    to->names[to->count] = name;
    return went_well(r, ORT(r, CREATE_TENSOR, const void *, void *, size_t,
                            const int64_t *, size_t, int,
                            void **)(r->memory, data, bytes, dims, io->rank,
                                     type, &to->values[to->count++]));
}

/* All that have no default. */
static bool feed_all(struct runtime *r, const struct tn_model *model,
                     int64_t open, struct feed *to)
{
    struct tn_io_list inputs = tn_model_inputs(model);
    uint64_t          seed   = 20240229;

    to->count = 0;
    for (uint32_t i = 0; i < inputs.count; i++)
        if (!inputs.items[i].has_default &&
            !feed_one(r, &inputs.items[i], open, &seed, to))
            return false;
    return true;
}

/* ---- running ------------------------------------------------------------ */

struct results {
    void    *values[IO_MAX];
    uint32_t count;
};

static bool run(struct runtime *r, void *session, const struct feed *feed,
                char *const *names, uint32_t count, struct results *to)
{
    *to = (struct results){ .count = count };
    return went_well(r, ORT(r, RUN, void *, const void *, char *const *,
                            void *const *, size_t, char *const *, size_t,
                            void **)(session, NULL, feed->names, feed->values,
                                     feed->count, names, count, to->values));
}

/* ---- comparing ---------------------------------------------------------- */

/* A tensor that came out. */
struct tensor {
    int         type;
    size_t      rank, count;
    int64_t     dims[RANK_MAX];
    const void *data;
};

static bool look(struct runtime *r, void *value, struct tensor *t)
{
    void *shape     = NULL;
    int   is_tensor = 0;

    return went_well(
               r, ORT(r, IS_TENSOR, const void *, int *)(value, &is_tensor)) &&
           is_tensor &&
           went_well(r,
                     ORT(r, GET_SHAPE, const void *, void **)(value, &shape)) &&
           went_well(r, ORT(r, GET_ELEMENT_TYPE, const void *,
                            int *)(shape, &t->type)) &&
           went_well(
               r, ORT(r, GET_RANK, const void *, size_t *)(shape, &t->rank)) &&
           t->rank <= RANK_MAX &&
           went_well(r, ORT(r, GET_DIMS, const void *, int64_t *,
                            size_t)(shape, t->dims, t->rank)) &&
           went_well(r, ORT(r, GET_COUNT, const void *, size_t *)(shape,
                                                                  &t->count)) &&
           went_well(r, ORT(r, GET_DATA, void *,
                            void **)(value, (void **)(uintptr_t)&t->data));
}

static double half_to_double(uint16_t half)
{
    int    exponent = half >> 10 & 31, fraction = half & 1023;
    double size = exponent == 31  ? (fraction ? NAN : INFINITY)
                  : exponent == 0 ? ldexp(fraction, -24)
                                  : ldexp(1024 + fraction, exponent - 25);

    return half & 0x8000 ? -size : size;
}

static double element(const struct tensor *t, size_t i)
{
    uint32_t bits;
    float    single;

    switch (t->type) {
    case 1: return ((const float *)t->data)[i];
    case 2: return ((const uint8_t *)t->data)[i];
    case 3: return ((const int8_t *)t->data)[i];
    case 4: return ((const uint16_t *)t->data)[i];
    case 5: return ((const int16_t *)t->data)[i];
    case 6: return ((const int32_t *)t->data)[i];
    case 7: return (double)((const int64_t *)t->data)[i];
    case 9: return ((const uint8_t *)t->data)[i];
    case 10: return half_to_double(((const uint16_t *)t->data)[i]);
    case 11: return ((const double *)t->data)[i];
    case 12: return ((const uint32_t *)t->data)[i];
    case 13: return (double)((const uint64_t *)t->data)[i];
    case 16:
        bits = (uint32_t)((const uint16_t *)t->data)[i] << 16;
        memcpy(&single, &bits, sizeof single);
        return single;
    default: return 0; /* text and complex numbers are not compared */
    }
}

/* What rounding may do to a result, as a share of it and of the largest. */
static double tolerance(int type)
{
    switch (type) {
    case 1: return 2e-4;
    case 11: return 1e-9;
    case 10:
    case 16: return 2e-2;
    default: return 0;
    }
}

static bool is_close(double a, double b, double share, double largest)
{
    if (a == b || (isnan(a) && isnan(b)))
        return true;
    return fabs(a - b) <= share * fabs(b) + share * 0.1 * largest;
}

static bool same(const struct tensor *a, const struct tensor *b)
{
    double largest = 1, share = tolerance(a->type);

    if (a->type != b->type || a->rank != b->rank || a->count != b->count ||
        memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) != 0)
        return false;
    for (size_t i = 0; i < b->count; i++)
        if (isfinite(element(b, i)) && fabs(element(b, i)) > largest)
            largest = fabs(element(b, i));
    for (size_t i = 0; i < b->count; i++)
        if (!is_close(element(a, i), element(b, i), share, largest))
            return false;
    return true;
}

/* Outputs of the original, of the original once more, of the other. */
static enum cli_agreement compare(struct runtime *r, char *const *names,
                                  const struct results *want,
                                  const struct results *again,
                                  const struct results *got)
{
    uint32_t compared = 0;

    for (uint32_t i = 0; i < want->count; i++) {
        struct tensor first, second, other;
        if (!look(r, want->values[i], &first) ||
            !look(r, again->values[i], &second) || !same(&first, &second))
            continue; /* drawn at random in there, or no tensor */
        if (!look(r, got->values[i], &other) || !same(&other, &first)) {
            snprintf(r->why, sizeof r->why, "output '%s'", names[i]);
            return CLI_DIFFER;
        }
        compared++;
    }
    snprintf(r->why, sizeof r->why, "no output gives the same twice");
    return compared > 0 || want->count == 0 ? CLI_AGREE : CLI_NOT_COMPARED;
}

static uint32_t name_outputs(const struct tn_model *model, char **names)
{
    struct tn_io_list outputs = tn_model_outputs(model);
    uint32_t          count   = outputs.count < IO_MAX ? outputs.count : IO_MAX;

    for (uint32_t i = 0; i < count; i++)
        names[i] = copy_name(outputs.items[i].name);
    return count;
}

static void *load(struct runtime *r, const char *path)
{
    void *session = NULL;

    went_well(r,
              ORT(r, CREATE_SESSION, const void *, const char *, const void *,
                  void **)(r->env, path, r->options, &session));
    return session;
}

static enum cli_agreement judge(struct runtime        *r,
                                const struct tn_model *before,
                                const char            *after)
{
    static struct feed    feed;
    static struct results want, again, got;
    static char          *names[IO_MAX];
    uint32_t              count   = name_outputs(before, names);
    void                 *session = NULL;

    if (!start(r) || (session = load(r, tn_model_path(before))) == NULL)
        return CLI_NOT_COMPARED;
    if (!(feed_all(r, before, 2, &feed) &&
          run(r, session, &feed, names, count, &want)) &&
        !(feed_all(r, before, 1, &feed) &&
          run(r, session, &feed, names, count, &want)))
        return CLI_NOT_COMPARED;
    if (!run(r, session, &feed, names, count, &again))
        return CLI_NOT_COMPARED;
    if ((session = load(r, after)) == NULL ||
        !run(r, session, &feed, names, count, &got))
        return CLI_DIFFER;
    return compare(r, names, &want, &again, &got);
}

/* ---- in a process of its own -------------------------------------------- */

static void tell(const struct runtime *r, enum cli_agreement agreement,
                 struct cli_comparison *result)
{
    const char *version = r->version ? r->version : "";

    result->agreement = agreement;
    if (agreement == CLI_AGREE)
        snprintf(result->told, sizeof result->told, "ONNX Runtime %s", version);
    else
        snprintf(result->told, sizeof result->told, "%s%s%s%s",
                 r->version ? "ONNX Runtime " : "", version,
                 r->version ? ": " : "", r->why);
}

/* What the process wrote before it ended. */
static bool hear(int from, pid_t child, struct cli_comparison *result)
{
    size_t  size = 0;
    ssize_t n;
    int     status = 0;

    while (size < sizeof *result &&
           (n = read(from, (char *)result + size, sizeof *result - size)) > 0)
        size += (size_t)n;
    waitpid(child, &status, 0);
    return size == sizeof *result;
}

/* Which only models of ONNX have. */
static bool has_opset(const struct tn_model *model)
{
    static const char opset[] = "opset";

    for (uint32_t i = 0; i < tn_model_fact_count(model); i++) {
        struct tn_bytes key = tn_model_fact(model, i).key;
        if (key.size == sizeof opset - 1 &&
            memcmp(key.data, opset, key.size) == 0)
            return true;
    }
    return false;
}

void cli_compare_outputs(const struct tn_model *before, const char *after,
                         struct cli_comparison *result)
{
    int pipes[2];

    *result = (struct cli_comparison){ .agreement = CLI_NOT_COMPARED,
                                       .told = "ONNX Runtime runs no other "
                                               "graphs than those of ONNX" };
    if (!has_opset(before))
        return;
    snprintf(result->told, sizeof result->told, "no process could be started");
    fflush(NULL);
    if (pipe(pipes) != 0)
        return;
    pid_t child = fork();
    if (child == 0) {
        struct runtime        r    = { 0 };
        struct cli_comparison mine = { 0 };
        tell(&r, judge(&r, before, after), &mine);
        _exit(write(pipes[1], &mine, sizeof mine) == sizeof mine ? 0 : 1);
    }
    close(pipes[1]);
    if (child > 0 && !hear(pipes[0], child, result))
        *result =
            (struct cli_comparison){ .agreement = CLI_NOT_COMPARED,
                                     .told = "ONNX Runtime took its process "
                                             "down" };
    close(pipes[0]);
}
