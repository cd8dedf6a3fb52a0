/*
 * scan_pickles.c - what pickles would import and call
 *
 * Loading a pickle imports every module that it names, so a name is reported
 * even if nothing is done with it.  What comes before an error has been run by
 * then: findings are told as they are met.
 */
#include "scan/scan.h"

#include "wire/pickle/pickle.h"

/* Names of one pickle that are not harmless, until something is done with
 * them. */
struct pending {
    const struct tn_pickle *name;
    const char             *by;
    enum tn_name_kind       kind;
    bool                    is_used;
};

struct look {
    struct tn_scan *scan;
    struct tn_list  pending; /* struct pending                                */
    uint64_t        calls;   /* of anything                                   */
    bool            is_sure; /* it begins like a pickle                       */
};

#define NAME_FMT "%.*s.%.*s"
#define NAME_OF(value)                                                         \
    TN_FMT((value)->as.name.module), TN_FMT((value)->as.name.name)

static void on_name(void *context, uint64_t offset, const char *by,
                    const struct tn_pickle *name)
{
    struct look      *look = context;
    enum tn_name_kind kind =
        tn_scan_judge_name(name->as.name.module, name->as.name.name);

    (void)offset;
    if (kind == TN_NAME_HARMLESS || tn_failed(look->scan->error))
        return;
    struct pending *row =
        tn_list_push(&look->pending, struct pending, look->scan->error);
    if (row)
        *row = (struct pending){ name, by, kind, false };
}

static struct pending *find(struct look *look, const struct tn_pickle *name)
{
    for (uint64_t i = look->pending.count; i-- > 0;) {
        struct pending *row = tn_list_at(&look->pending, struct pending, i);
        if (row->name == name)
            return row;
    }
    return NULL;
}

static const struct tn_pickle *argument(const struct tn_pickle *args,
                                        uint64_t                index)
{
    return args && args->kind == TN_PICKLE_TUPLE &&
                   index < args->as.list.count
               ? args->as.list.items[index]
               : NULL;
}

/* eval('data', {'data': array}): how Paddle stores a tensor in an object.  It
 * gives the array. */
static bool is_paddle_tensor(const struct tn_pickle *callee,
                             const struct tn_pickle *args)
{
    const struct tn_pickle *code = argument(args, 0), *names = argument(args, 1);

    return (tn_pickle_is_name(callee, "builtins", "eval") ||
            tn_pickle_is_name(callee, "__builtin__", "eval")) &&
           code && names && args->as.list.count == 2 &&
           tn_bytes_is(tn_pickle_text(code), "data") &&
           names->kind == TN_PICKLE_DICT && names->as.list.count == 2 &&
           tn_bytes_is(tn_pickle_text(names->as.list.items[0]), "data") &&
           names->as.list.items[1]->kind == TN_PICKLE_ARRAY;
}

/* Making an object of a class, or calling something. */
static bool makes_object(const char *by)
{
    return strcmp(by, "NEWOBJ") == 0 || strcmp(by, "NEWOBJ_EX") == 0;
}

static void tell_use(struct look *look, uint64_t offset, const char *by,
                     const struct tn_pickle *name, enum tn_name_kind kind,
                     bool is_object)
{
    if (kind == TN_NAME_CLASS || (kind == TN_NAME_OTHER && is_object))
        tn_scan_tell(look->scan, TN_VERDICT_UNKNOWN, "pickle-object", offset,
                     "an object of " NAME_FMT
                     " (%s): its class decides what loading does",
                     NAME_OF(name), by);
    else
        tn_scan_tell(look->scan, TN_VERDICT_DANGEROUS, "pickle-call", offset,
                     "calls " NAME_FMT " (%s)", NAME_OF(name), by);
}

/* copyreg._reconstructor(class, base, state) and others that are given a
 * callable: that one counts. */
static void judge_arguments(struct look *look, uint64_t offset, const char *by,
                            const struct tn_pickle *args)
{
    for (uint64_t i = 0; argument(args, i); i++) {
        const struct tn_pickle *value = argument(args, i);
        struct pending         *row   = find(look, value);
        if (!row || row->is_used)
            continue;
        row->is_used = true;
        tell_use(look, offset, by, value, row->kind, true);
    }
}

static void on_call(void *context, uint64_t offset, const char *by,
                    const struct tn_pickle *callee,
                    const struct tn_pickle *args)
{
    struct look *look = context;

    if (callee->kind == TN_PICKLE_CALL) {
        /* Items or a state for an object: its class was judged.  Else what a
         * call returned is called. */
        if (strcmp(by, "REDUCE") == 0 || strcmp(by, "OBJ") == 0 ||
            makes_object(by))
            tn_scan_tell(look->scan, TN_VERDICT_DANGEROUS, "pickle-call",
                         offset, "calls what another call returned (%s)", by);
        return;
    }
    look->calls++;
    /* ('module', class, file, source): an old way to name a class. */
    if (callee->kind == TN_PICKLE_PERSISTENT &&
        callee->as.id->kind == TN_PICKLE_TUPLE &&
        callee->as.id->as.list.count >= 2 &&
        tn_bytes_is(tn_pickle_text(callee->as.id->as.list.items[0]), "module"))
        callee = callee->as.id->as.list.items[1];
    if (callee->kind != TN_PICKLE_NAME) {
        tn_scan_tell(look->scan, TN_VERDICT_UNKNOWN, "pickle-odd", offset,
                     "calls something that is not a name (%s)", by);
        return;
    }
    struct pending *row = find(look, callee);
    if (!row) {
        judge_arguments(look, offset, by, args);
        return;
    }
    row->is_used = true;
    if (!is_paddle_tensor(callee, args))
        tell_use(look, offset, by, callee, row->kind, makes_object(by));
}

static void on_odd(void *context, uint64_t offset, const char *by,
                   const char *what)
{
    struct look *look = context;

    if (look->is_sure)
        tn_scan_tell(look->scan, TN_VERDICT_UNKNOWN, "pickle-odd", offset,
                     "%s (%s)", what, by);
}

/* Names with which nothing was done. */
static void tell_names(struct look *look)
{
    for (uint64_t i = 0; i < look->pending.count; i++) {
        const struct pending *row =
            tn_list_at(&look->pending, struct pending, i);
        if (row->is_used)
            continue;
        tn_scan_tell(look->scan,
                     row->kind == TN_NAME_POWER ? TN_VERDICT_DANGEROUS
                                                : TN_VERDICT_UNKNOWN,
                     "pickle-import", row->name->offset,
                     "imports " NAME_FMT " (%s)", NAME_OF(row->name), row->by);
    }
}

/* One pickle; whether it was one. */
static bool look_at_pickle(struct look *look, struct tn_cursor *c)
{
    struct tn_pickle_watch  watch = { .context = look,
                                      .name    = on_name,
                                      .call    = on_call,
                                      .odd     = on_odd };
    struct tn_arena         arena;
    const struct tn_pickle *value;
    uint64_t                begin = c->offset;

    look->calls         = 0;
    look->pending.count = 0;
    tn_arena_init(&arena, look->scan->memory);
    tn_pickle_describe(c, &arena, &watch, &value);
    bool is_pickle = look->is_sure || !tn_failed(c->error) || look->calls > 0;
    if (is_pickle && !tn_machine_failed(c->error))
        tell_names(look);
    if (is_pickle && tn_failed(c->error) && !tn_machine_failed(c->error))
        tn_scan_tell(look->scan, TN_VERDICT_UNKNOWN, "pickle-broken",
                     c->error->offset, "the pickle at %" PRIu64 " breaks off: %s",
                     begin, c->error->what);
    tn_arena_done(&arena);
    look->scan->totals->pickles += is_pickle;
    return is_pickle;
}

/* The first byte of most pickles of protocols 0 and 1. */
static bool could_begin(uint8_t byte)
{
    return byte && strchr("(])}cSVILFKMJGNUTXP\x8a\x8c\x8d", (char)byte);
}

static bool has_protocol(const uint8_t *head)
{
    return head[0] == 0x80 && head[1] >= 1 && head[1] <= 5;
}

bool tn_scan_pickles(struct tn_scan *scan, struct tn_span span)
{
    struct look look = { .scan = scan };
    uint64_t    end  = span.offset + span.length;
    bool        any  = false;

    tn_list_init(&look.pending, scan->memory, sizeof(struct pending));
    while (span.length >= 2 && !tn_failed(scan->error) && !scan->is_stopped) {
        struct tn_error  own = TN_ERROR_INIT;
        struct tn_cursor c;
        uint8_t          head[2];
        if (tn_source_read(span.source, span.offset, head, 2, &own) != TN_OK) {
            tn_scan_absorb(scan, &own);
            break;
        }
        look.is_sure = has_protocol(head);
        if (!look.is_sure && (any || !could_begin(head[0])))
            break;
        c              = tn_cursor_span(span, &own);
        bool is_pickle = look_at_pickle(&look, &c);
        any            = any || is_pickle;
        if (tn_machine_failed(&own))
            *scan->error = own;
        if (!is_pickle || tn_failed(&own))
            break;
        span.offset = c.offset;
        span.length = end - c.offset;
    }
    tn_list_done(&look.pending);
    return any;
}
