/*
 * scan_pickles.c - what pickles would import and call
 *
 * Loading a pickle imports every module that it names, so a name is reported
 * even if nothing is done with it.  What comes before an error has been run by
 * then: findings are told as they are met.
 *
 * Pickles of protocols 0 and 1 begin with any opcode that pushes something, so
 * every file is read as one.  Bytes are only called a pickle when they say so,
 * when they end as one, or when they use a name as no other bytes would.
 */
#include "scan/scan.h"

#include "base/arith.h"
#include "base/bisect.h"
#include "base/utf8.h"
#include "wire/pickle/pickle.h"
#include "wire/pickle/pickle_latin1.h"

/* Names of one pickle that are not harmless, until something is done with
 * them.  In the order of their offsets. */
struct pending {
    const struct tn_pickle *name;
    const char             *by;
    enum tn_name_kind       kind;
    bool                    is_used;
};

/* Findings from before it was known that this is a pickle. */
struct oddity {
    uint64_t    offset;
    const char *by, *what;
};

#define ODDITY_LIMIT 16

/* Bytes in the pickle that may be a pickle. */
struct nested {
    struct tn_pickle_string bytes;
    bool                    is_loaded; /* by a call in the pickle            */
};

struct look {
    struct tn_scan *scan;
    struct tn_list  pending; /* struct pending                                */
    struct tn_list  nested;  /* struct nested                                 */
    bool            is_sure; /* this is a pickle                              */
    bool            is_guess; /* only if it ends where the bytes do           */
    bool            is_load_told;
    struct oddity   oddities[ODDITY_LIMIT];
    unsigned        oddity_count;
};

#define NAME_FMT "%.*s.%.*s"
#define NAME_OF(value)                                                         \
    TN_FMT((value)->as.name.module), TN_FMT((value)->as.name.name)

static void tell_odd(struct look *look, const struct oddity *odd)
{
    tn_scan_tell(look->scan, TN_VERDICT_UNKNOWN, "pickle-odd", odd->offset,
                 "%s (%s)", odd->what, odd->by);
}

/* From now on the bytes count as a pickle. */
static void be_sure(struct look *look)
{
    look->is_sure = true;
    for (unsigned i = 0; i < look->oddity_count; i++)
        tell_odd(look, &look->oddities[i]);
    look->oddity_count = 0;
}

static void on_odd(void *context, uint64_t offset, const char *by,
                   const char *what)
{
    struct look  *look = context;
    struct oddity odd  = { offset, by, what };

    if (look->is_sure)
        tell_odd(look, &odd);
    else if (look->oddity_count < ODDITY_LIMIT)
        look->oddities[look->oddity_count++] = odd;
}

/* Whether Python could have something of this name: words and dots. */
static bool is_path(struct tn_bytes text)
{
    for (size_t i = 0; i < text.size; i++) {
        uint8_t c = text.data[i];
        if (!(c == '_' || c == '.' || (c >= '0' && c <= '9') ||
              (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c >= 0x80))
            return false;
    }
    return text.size > 0 && tn_utf8_is_valid(text);
}

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
    if (kind == TN_NAME_POWER && is_path(name->as.name.module) &&
        is_path(name->as.name.name))
        be_sure(look);
}

static struct pending *find(struct look *look, const struct tn_pickle *name)
{
    uint64_t at;

    TN_BISECT(at, 0, look->pending.count,
              tn_list_at(&look->pending, struct pending, at)->name->offset <
                  name->offset);
    if (at == look->pending.count)
        return NULL;
    struct pending *row = tn_list_at(&look->pending, struct pending, at);
    return row->name == name ? row : NULL;
}

static const struct tn_pickle *argument(const struct tn_pickle *args,
                                        uint64_t                index)
{
    return args && args->kind == TN_PICKLE_TUPLE && index < args->as.list.count
               ? args->as.list.items[index]
               : NULL;
}

static bool is_builtin(const struct tn_pickle *callee, const char *name)
{
    return tn_pickle_is_name(callee, "builtins", name) ||
           tn_pickle_is_name(callee, "__builtin__", name);
}

/* eval('data', {'data': array}): how Paddle stores a tensor in an object.  It
 * gives the array. */
static bool is_paddle_tensor(const struct tn_pickle *callee,
                             const struct tn_pickle *args)
{
    const struct tn_pickle *code  = argument(args, 0),
                           *names = argument(args, 1);

    return is_builtin(callee, "eval") && code && names &&
           args->as.list.count == 2 &&
           tn_bytes_is(tn_pickle_text(code), "data") &&
           names->kind == TN_PICKLE_DICT && names->as.list.count == 2 &&
           tn_bytes_is(tn_pickle_text(names->as.list.items[0]), "data") &&
           names->as.list.items[1]->kind == TN_PICKLE_ARRAY;
}

/* Names of an object's own members begin with one '_', Python's with two. */
static bool is_pythons(struct tn_bytes name)
{
    return tn_bytes_starts_with(name, "__");
}

/* getattr(class, 'name') and getattr(object, 'name'): how members of
 * enumerations, methods and classes inside of classes are pickled.  What is
 * taken is a name, too; what is done with it is reported separately. */
static bool is_member(const struct tn_pickle *callee,
                      const struct tn_pickle *args)
{
    const struct tn_pickle *owner = argument(args, 0),
                           *name  = argument(args, 1);

    if (!is_builtin(callee, "getattr") || !owner || !name ||
        args->as.list.count != 2 || name->kind != TN_PICKLE_TEXT)
        return false;
    struct tn_bytes text = tn_pickle_text(name);
    if (is_pythons(text) || !is_path(text) ||
        memchr(text.data, '.', text.size))
        return false;
    if (owner->kind == TN_PICKLE_CALL)
        return owner->as.call.callee->kind == TN_PICKLE_NAME;
    return owner->kind == TN_PICKLE_NAME && text.data[0] != '_' &&
           tn_scan_is_class(owner->as.name.name) &&
           !tn_scan_is_python(owner->as.name.module);
}

/* getattr(class, 'Name'), where the name is written as that of a class. */
static bool is_inner_class(const struct tn_pickle *callee)
{
    const struct tn_pickle *inner = callee->as.call.callee,
                           *args  = callee->as.call.args;

    return is_member(inner, args) &&
           argument(args, 0)->kind == TN_PICKLE_NAME &&
           tn_scan_is_class(tn_pickle_text(argument(args, 1)));
}

/* type(None), functools.partial(), which calls nothing yet, and or_(), which
 * joins flags of an enumeration: what they hold is reported separately. */
static bool is_quiet(const struct tn_pickle *callee,
                     const struct tn_pickle *args)
{
    return (is_builtin(callee, "type") && argument(args, 0) &&
            args->as.list.count == 1 &&
            argument(args, 0)->kind == TN_PICKLE_NONE) ||
           tn_pickle_is_name(callee, "functools", "partial") ||
           (tn_pickle_is_name(callee, "_operator", "or_") && argument(args, 1));
}

/* They are in the order of their offsets. */
static struct nested *find_nested(struct look *look, struct tn_span span)
{
    uint64_t at;

    TN_BISECT(at, 0, look->nested.count,
              tn_list_at(&look->nested, struct nested, at)->bytes.span.offset <
                  span.offset);
    if (at == look->nested.count)
        return NULL;
    struct nested *row = tn_list_at(&look->nested, struct nested, at);
    return row->bytes.span.offset == span.offset &&
                   row->bytes.span.length == span.length
               ? row
               : NULL;
}

/* What they begin with. */
static struct tn_bytes head_of(const struct tn_pickle_string *bytes,
                               uint8_t *head, size_t room)
{
    struct tn_error own  = TN_ERROR_INIT;
    size_t          size = (size_t)tn_min(bytes->span.length, room);

    if (tn_source_read(bytes->span.source, bytes->span.offset, head, size,
                       &own) != TN_OK)
        return tn_bytes(NULL, 0);
    if (tn_pickle_is_encoded(bytes))
        size = tn_pickle_latin1_head(bytes, head, size);
    return tn_bytes(head, size);
}

/* A bytearray can grow after it was made. */
static bool is_fixed(const struct tn_pickle *bytes)
{
    struct tn_error own = TN_ERROR_INIT;
    uint8_t         made_by;

    return tn_pickle_is_encoded(&bytes->as.string) ||
           (tn_source_read(bytes->as.string.span.source, bytes->offset,
                           &made_by, 1, &own) == TN_OK &&
            (made_by == 'B' || made_by == 'C' || made_by == 0x8e));
}

/* torch.storage._load_from_bytes(bytes): how tensors are pickled without
 * torch.save().  It loads a stream of pickles; where the bytes are one, they
 * are looked at as a file would be, and the call adds nothing to that. */
static bool is_nested_stream(struct look *look, const struct tn_pickle *callee,
                             const struct tn_pickle *args)
{
    static const uint8_t    magic[] = "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20"
                                      "\x6a\xa8\x50\x19.";
    const struct tn_pickle *bytes   = argument(args, 0);
    uint8_t                 head[6 * sizeof magic];

    if (!tn_pickle_is_name(callee, "torch.storage", "_load_from_bytes") ||
        !bytes || args->as.list.count != 1 || bytes->kind != TN_PICKLE_BYTES)
        return false;
    struct tn_bytes text = head_of(&bytes->as.string, head, sizeof head);
    if (text.size < sizeof magic - 1 ||
        memcmp(text.data, magic, sizeof magic - 1) != 0)
        return false;
    struct nested *row = find_nested(look, bytes->as.string.span);
    if (!row || !is_fixed(bytes))
        return false;
    row->is_loaded = true;
    return true;
}

static void tell_load(struct look *look, uint64_t offset)
{
    if (!look->is_load_told)
        tn_scan_tell(look->scan, TN_VERDICT_NOTE, "pickle-nested", offset,
                     "loads bytes of the pickle as pickles, which are looked "
                     "at, too");
    look->is_load_told = true;
}

/* Members of enumerations are pickled as a call of their class with a number.
 */
static bool is_number(const struct tn_pickle *args)
{
    return args && args->kind == TN_PICKLE_TUPLE && args->as.list.count == 1 &&
           args->as.list.items[0]->kind == TN_PICKLE_INT;
}

/* Making an object of a class, or calling something. */
static bool makes_object(const char *by)
{
    return strcmp(by, "NEWOBJ") == 0 || strcmp(by, "NEWOBJ_EX") == 0;
}

/* `is_object`: nothing but an object of the class can come of it. */
static void tell_use(struct look *look, uint64_t offset, const char *by,
                     const struct tn_pickle *name, enum tn_name_kind kind,
                     bool is_object)
{
    bool is_class   = tn_scan_is_class(name->as.name.name);
    bool is_unknown = kind == TN_NAME_FRAMEWORK ? is_object && is_class
                      : kind == TN_NAME_CLASS   ? is_object || is_class
                      : kind == TN_NAME_MAKER
                          ? true
                          : kind == TN_NAME_OTHER && is_object;

    if (is_unknown)
        tn_scan_tell(look->scan, TN_VERDICT_UNKNOWN, "pickle-object", offset,
                     "an object of " NAME_FMT
                     " (%s): its class decides what loading does",
                     NAME_OF(name), by);
    else
        tn_scan_tell(look->scan, TN_VERDICT_DANGEROUS, "pickle-call", offset,
                     "calls " NAME_FMT " (%s)", NAME_OF(name), by);
}

/* copyreg._reconstructor(class, base, state) and others that take a callable:
 * the callable is judged. */
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

/* TorchScript marks types of lists and dicts by functions that give back what
 * they get: given a class, a state that follows would change the class. */
static bool is_given_back(const struct tn_pickle *callee,
                          const struct tn_pickle *args)
{
    const struct tn_pickle *value = argument(args, 0);

    return tn_bytes_is(callee->as.name.module, "torch.jit._pickle") &&
           !(value && (value->kind == TN_PICKLE_LIST ||
                       value->kind == TN_PICKLE_DICT ||
                       value->kind == TN_PICKLE_TUPLE));
}

static bool is_called(const char *by)
{
    return strcmp(by, "REDUCE") == 0 || strcmp(by, "OBJ") == 0 ||
           strcmp(by, "INST") == 0 || makes_object(by);
}

static void on_call(void *context, uint64_t offset, const char *by,
                    const struct tn_pickle *callee,
                    const struct tn_pickle *args)
{
    struct look *look = context;

    /* Items or a state for an object: its class was judged. */
    if (!is_called(by))
        return;
    if (callee->kind == TN_PICKLE_CALL) {
        if (look->is_sure && is_number(args) && is_inner_class(callee))
            tn_scan_tell(
                look->scan, TN_VERDICT_UNKNOWN, "pickle-object", offset,
                "an object of a class that is in another one (%s)", by);
        else if (look->is_sure)
            tn_scan_tell(look->scan, TN_VERDICT_DANGEROUS, "pickle-call",
                         offset, "calls what another call returned (%s)", by);
        else
            on_odd(look, offset, by, "calls what another call returned");
        return;
    }
    /* ('module', class, file, source): an old way to name a class. */
    if (callee->kind == TN_PICKLE_PERSISTENT &&
        callee->as.id->kind == TN_PICKLE_TUPLE &&
        callee->as.id->as.list.count >= 2 &&
        tn_bytes_is(tn_pickle_text(callee->as.id->as.list.items[0]), "module"))
        callee = callee->as.id->as.list.items[1];
    if (callee->kind != TN_PICKLE_NAME) {
        on_odd(look, offset, by, "calls something that is not a name");
        return;
    }
    if (!look->is_sure && is_path(callee->as.name.module) &&
        is_path(callee->as.name.name))
        be_sure(look);
    struct pending *row = find(look, callee);
    if (!row) {
        judge_arguments(look, offset, by, args);
        if (is_given_back(callee, args))
            on_odd(look, offset, by,
                   "what is neither a list nor a dict is marked as one");
        return;
    }
    if (!look->is_sure)
        return;
    row->is_used = true;
    if (strcmp(by, "REDUCE") == 0 && is_nested_stream(look, callee, args))
        tell_load(look, offset);
    else if (strcmp(by, "REDUCE") == 0 && is_member(callee, args))
        tn_scan_tell(look->scan, TN_VERDICT_UNKNOWN, "pickle-member", offset,
                     "takes '%.*s' of an object or class (%s)",
                     TN_FMT(tn_pickle_text(argument(args, 1))), by);
    else if (strcmp(by, "REDUCE") == 0 && is_quiet(callee, args))
        tn_scan_tell(look->scan, TN_VERDICT_UNKNOWN, "pickle-object", offset,
                     "makes " NAME_FMT " (%s)", NAME_OF(callee), by);
    else if (!is_paddle_tensor(callee, args))
        tell_use(look, offset, by, callee, row->kind,
                 makes_object(by) || (is_number(args) &&
                                      tn_scan_is_class(callee->as.name.name)));
}

/* Bytes are data, until somebody loads them as a pickle */
static void on_bytes(void *context, const struct tn_pickle_string *bytes)
{
    struct look    *look = context;
    struct nested  *row;
    struct tn_bytes text = bytes->text;
    uint8_t         head[256];

    if (tn_pickle_is_encoded(bytes) || text.size < bytes->span.length)
        text = head_of(bytes, head, sizeof head);
    if (tn_scan_could_nest(text) &&
        (row = tn_list_push(&look->nested, struct nested, look->scan->error)))
        *row = (struct nested){ *bytes, false };
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

/* A pickle that breaks off.  Bytes that are not a pickle break off at once:
 * then only what was seen so far is reported. */
static void tell_broken(struct look *look, const struct tn_error *own,
                        uint64_t begin)
{
    enum { SHORT = 16 };

    if (!look->is_sure && (own->status != TN_LIMIT || !look->oddity_count))
        return;
    /* Elements in an archive, which happen to begin as a pickle does. */
    if (look->scan->depth && !look->pending.count && !look->oddity_count &&
        own->offset - begin < SHORT)
        return;
    be_sure(look);
    tn_scan_tell(look->scan, TN_VERDICT_UNKNOWN, "pickle-broken", own->offset,
                 "the pickle at %" PRIu64 " breaks off: %s", begin, own->what);
}

/* One pickle; whether it was one. */
static bool look_at_pickle(struct look *look, struct tn_cursor *c)
{
    struct tn_pickle_watch  watch = { .context = look,
                                      .name    = on_name,
                                      .call    = on_call,
                                      .bytes   = on_bytes,
                                      .odd     = on_odd };
    struct tn_arena         arena;
    const struct tn_pickle *value;
    uint64_t                begin = c->offset;

    look->oddity_count  = 0;
    look->pending.count = 0;
    look->nested.count  = 0;
    look->is_load_told  = false;
    tn_arena_init(&arena, look->scan->memory);
    tn_pickle_describe(c, &arena, &watch, &value);
    if (!tn_machine_failed(c->error)) {
        if (tn_failed(c->error))
            tell_broken(look, c->error, begin);
        else if (!look->is_sure && !(look->is_guess && tn_more(c)))
            be_sure(look);
        if (look->is_sure)
            tell_names(look);
    }
    tn_arena_done(&arena);
    look->scan->totals->pickles += look->is_sure;
    return look->is_sure;
}

static bool has_protocol(const uint8_t *head)
{
    return head[0] == 0x80 && head[1] <= 5;
}

/* ---- pickles in bytes of pickles ------------------------------------------
 */

static bool scan_span(struct tn_scan *scan, struct tn_span span, bool is_guess);

static void scan_nested_text(struct tn_scan *scan, const struct nested *row)
{
    struct tn_error   own = TN_ERROR_INIT;
    struct tn_source *source;

    if (tn_pickle_latin1_all(&source, &row->bytes, scan->memory, &own) !=
        TN_OK) {
        tn_scan_absorb(scan, &own);
        return;
    }
    source->name = "";
    scan_span(scan, (struct tn_span){ source, 0, source->size },
              !row->is_loaded);
    tn_source_close(source);
}

/* The bytes are named by their offset.  Those that were written as text have
 * offsets of their own. */
static void scan_nested(struct look *look)
{
    struct tn_scan *scan   = look->scan;
    size_t          before = scan->member.size;

    if (look->nested.count && scan->depth >= TN_SCAN_DEPTH_LIMIT) {
        tn_scan_tell(scan, TN_VERDICT_UNKNOWN, "closed", TN_NOWHERE,
                     "bytes that may be pickles, deeper than %d",
                     TN_SCAN_DEPTH_LIMIT);
        look->nested.count = 0;
    }
    scan->depth++;
    for (uint64_t i = 0;
         i < look->nested.count && !scan->is_stopped && !tn_failed(scan->error);
         i++) {
        const struct nested *row = tn_list_at(&look->nested, struct nested, i);
        const struct tn_pickle_string *bytes = &row->bytes;
        tn_buffer_format(&scan->member, "%sbytes at %" PRIu64,
                         before ? "/" : "", bytes->span.offset);
        if (tn_pickle_is_encoded(bytes))
            scan_nested_text(scan, row);
        else
            scan_span(scan, bytes->span, !row->is_loaded);
        scan->member.size = before;
    }
    scan->depth--;
    look->nested.count = 0;
}

/* One pickle that is not harmless at first sight; false at the end. */
static bool scan_one(struct look *look, struct tn_span *span, bool is_first,
                     bool *any)
{
    struct tn_scan  *scan = look->scan;
    struct tn_error  own  = TN_ERROR_INIT;
    struct tn_cursor c    = tn_cursor_span(*span, &own);
    uint64_t         end  = span->offset + span->length;
    uint8_t          head[2];

    if (tn_source_read(span->source, span->offset, head, 2, &own) != TN_OK) {
        tn_scan_absorb(scan, &own);
        return false;
    }
    look->is_sure  = is_first && has_protocol(head);
    bool is_pickle = look_at_pickle(look, &c);
    *any           = *any || is_pickle;
    if (tn_machine_failed(&own))
        *scan->error = own;
    if (is_pickle)
        scan_nested(look);
    span->offset = c.offset;
    span->length = end - c.offset;
    return is_pickle && !tn_failed(&own);
}

/* Pickles of a file, one after the other.  In what follows a pickle, two bytes
 * that look like the beginning of another are not enough: it may be data.  Nor
 * are they where a pickle is only a guess. */
static bool scan_span(struct tn_scan *scan, struct tn_span span, bool is_guess)
{
    struct look              look  = { .scan = scan, .is_guess = is_guess };
    uint64_t                 begin = span.offset;
    bool                     any   = false;
    struct tn_error          own   = TN_ERROR_INIT;
    uint64_t                 length;
    struct tn_scan_follower *quick =
        scan->is_thorough
            ? NULL
            : tn_scan_follower_new(span, scan->memory, scan->error);

    tn_list_init(&look.pending, scan->memory, sizeof(struct pending));
    tn_list_init(&look.nested, scan->memory, sizeof(struct nested));
    while (span.length >= 2 && !tn_failed(scan->error) && !scan->is_stopped) {
        if (quick &&
            tn_scan_is_harmless(quick, span.offset - begin, &length, &own)) {
            any = true;
            scan->totals->pickles++;
            span.offset += length;
            span.length -= length;
        } else if (tn_failed(&own)) {
            tn_scan_absorb(scan, &own);
            break;
        } else if (!scan_one(&look, &span, !any && !is_guess, &any)) {
            break;
        }
    }
    tn_scan_follower_free(quick);
    tn_list_done(&look.pending);
    tn_list_done(&look.nested);
    return any;
}

bool tn_scan_pickles(struct tn_scan *scan, struct tn_span span)
{
    return scan_span(scan, span, false);
}

/* Whether something that is pushed, or a name, could begin here. */
static bool could_begin(const uint8_t *at)
{
    return at[0] == 0x80 ? at[1] <= 5
                         : at[0] == 0x8c || at[0] == 0x8d ||
                               (at[0] && strchr("c(SUTVX", (char)at[0]));
}

void tn_scan_pickles_anywhere(struct tn_scan *scan, struct tn_source *source)
{
    enum { WINDOW = 1 << 16 };
    struct look look = { .scan = scan };
    uint8_t    *window =
        tn_memory_resize(scan->memory, NULL, 0, WINDOW, scan->error);

    tn_list_init(&look.pending, scan->memory, sizeof(struct pending));
    tn_list_init(&look.nested, scan->memory, sizeof(struct nested));
    for (uint64_t at = 0; window && source->size - at >= 2 &&
                          !tn_failed(scan->error) && !scan->is_stopped;) {
        struct tn_error own = TN_ERROR_INIT;
        size_t          n = (size_t)tn_min(source->size - at, WINDOW), i = 0;
        if (tn_source_read(source, at, window, n, &own) != TN_OK) {
            tn_scan_absorb(scan, &own);
            break;
        }
        for (; i + 1 < n && !could_begin(window + i); i++)
            ;
        at += i;
        if (i + 1 >= n)
            continue;
        struct tn_cursor c = tn_cursor_span(
            (struct tn_span){ source, at, source->size - at }, &own);
        look.is_sure   = false;
        bool is_pickle = look_at_pickle(&look, &c);
        if (tn_machine_failed(&own))
            *scan->error = own;
        at = is_pickle && !tn_failed(&own) ? c.offset : at + 1;
    }
    tn_list_done(&look.pending);
    tn_list_done(&look.nested);
    if (window)
        tn_memory_free(scan->memory, window, WINDOW);
}
