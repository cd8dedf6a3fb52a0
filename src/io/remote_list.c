/* remote_list.c - what is in a folder on a server */
#define _GNU_SOURCE
#include "io/remote_list.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <strings.h>
#include <time.h>

#include "base/json_read.h"
#include "codec/sha256.h"
#include "io/beneath.h"
#include "io/remote_exchange.h"
#include "io/remote_xml.h"

#define MOST_PAGES   100000 /* of one list */
#define MOST_EMPTY   100  /* pages in a row without an entry                  */
#define MOST_DEPTH   16   /* folders of a web server in folders               */
#define MOST_KEY     4096 /* bytes of a name                                  */
#define DATE_SETTLED 5    /* seconds after which a date names one version     */

static enum tn_status bad(struct tn_error *error, const char *what)
{
    return tn_error_because(error, TN_IO, TN_REASON_BAD_ANSWER, TN_NOWHERE,
                            "the list of files %s", what);
}

#define NOT_A_LIST "is something else; is this the address of a store or hub?"

/* What is known of an entry while its document is read. */
struct entry {
    struct tn_buffer name, etag;
    uint64_t         size;
    bool             is_folder;
};

static void init_entry(struct entry *e, struct tn_memory *memory,
                       struct tn_error *error)
{
    tn_buffer_init(&e->name, memory, error);
    tn_buffer_init(&e->etag, memory, error);
    e->size      = TN_ANSWER_UNKNOWN;
    e->is_folder = false;
}

static void clear_entry(struct entry *e)
{
    tn_buffer_clear(&e->name);
    tn_buffer_clear(&e->etag);
    e->size      = TN_ANSWER_UNKNOWN;
    e->is_folder = false;
}

static void done_entry(struct entry *e)
{
    tn_buffer_done(&e->name);
    tn_buffer_done(&e->etag);
}

/* Without its quotes. */
static void set_etag(struct entry *e, struct tn_bytes etag)
{
    tn_buffer_clear(&e->etag);
    if (etag.size >= 2 && etag.data[0] == '"' &&
        etag.data[etag.size - 1] == '"')
        etag = tn_bytes(etag.data + 1, etag.size - 2);
    if (etag.size < TN_ANSWER_TAG && !tn_bytes_find(etag, 0))
        tn_buffer_add(&e->etag, etag);
}

/* Tells an entry without the prefix. */
static enum tn_status tell(struct tn_list_page *page, struct entry *e,
                           struct tn_error *error)
{
    struct tn_bytes name   = tn_buffer_bytes(&e->name);
    size_t          prefix = strlen(page->prefix);

    if (tn_failed(error))
        return error->status;
    if (tn_bytes_find(name, 0) || name.size > MOST_KEY)
        return bad(error, "has a name with a zero byte, or of more than 4096 "
                          "bytes");
    if (!tn_bytes_starts_with(name, page->prefix))
        return bad(error, "has a name that is not in the folder");
    if (name.size == prefix) /* the folder itself */
        return TN_OK;
    const char      *text   = tn_buffer_string(&e->name);
    struct tn_listed listed = { text + prefix, e->size,
                                tn_buffer_string(&e->etag) };
    if (tn_failed(error))
        return error->status;
    page->count++;
    return page->on_listed(page->context, &listed, error);
}

/* ---- %XX ----------------------------------------------------------------- */

/* Replaces the bytes of the buffer; '+' is a space in lists of stores. */
static bool decode(struct tn_buffer *text, bool has_plus)
{
    size_t to = 0;

    for (size_t i = 0; i < text->size; i++) {
        uint8_t c = text->data[i];
        if (c == '+' && has_plus)
            c = ' ';
        if (c == '%') {
            int high =
                i + 2 < text->size ? tn_hex_digit(text->data[i + 1]) : -1;
            int low = i + 2 < text->size ? tn_hex_digit(text->data[i + 2]) : -1;
            if (high < 0 || low < 0)
                return false;
            c = (uint8_t)(high << 4 | low);
            i += 2;
        }
        text->data[to++] = c;
    }
    text->size = to;
    return true;
}

/* ---- stores -------------------------------------------------------------- */

struct store_reader {
    struct tn_xml        xml;
    struct tn_list_page *page;
    struct entry         entry;
    bool                 is_encoded, is_truncated;
};

static void take_number(struct entry *e, struct tn_bytes text)
{
    uint64_t size = 0;

    if (!text.size || text.size > 19)
        return;
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] < '0' || text.data[i] > '9')
            return;
        size = size * 10 + (uint64_t)(text.data[i] - '0');
    }
    e->size = size;
}

static enum tn_status tell_key(struct store_reader *r, bool is_folder,
                               struct tn_error *error)
{
    struct entry *e = &r->entry;

    if (r->is_encoded && !decode(&e->name, true))
        return bad(error, "has a name that is encoded wrongly");
    bool has_slash = e->name.size && e->name.data[e->name.size - 1] == '/';
    if (has_slash != is_folder) /* objects that stand for folders */
        return is_folder ? bad(error, "has a folder without '/'") : TN_OK;
    TN_TRY(tell(r->page, e, error));
    return TN_OK;
}

/* An element ended; its text is known. */
static enum tn_status take_element(struct store_reader *r,
                                   struct tn_error     *error)
{
    struct tn_xml  *xml  = &r->xml;
    struct tn_bytes name = xml->name, text = tn_buffer_bytes(&xml->text);
    struct entry   *e = &r->entry;

    if (xml->depth == 1) {
        if (tn_bytes_is(name, "Contents"))
            return tell_key(r, false, error);
        if (tn_bytes_is(name, "CommonPrefixes"))
            return tell_key(r, true, error);
        if (tn_bytes_is(name, "IsTruncated"))
            r->is_truncated = tn_bytes_is(text, "true");
        else if (tn_bytes_is(name, "NextContinuationToken") &&
                 text.size < sizeof r->page->next && !tn_bytes_find(text, 0))
            snprintf(r->page->next, sizeof r->page->next, "%.*s",
                     (int)text.size, (const char *)text.data);
        return TN_OK;
    }
    if (xml->depth != 2)
        return TN_OK;
    if (tn_bytes_is(name, "Key") || tn_bytes_is(name, "Prefix")) {
        tn_buffer_clear(&e->name);
        tn_buffer_add(&e->name, text);
    } else if (tn_bytes_is(name, "Size"))
        take_number(e, text);
    else if (tn_bytes_is(name, "ETag"))
        set_etag(e, text);
    return TN_OK;
}

/* Names are encoded if the store says so; it says so at the end. */
static bool says_encoded(struct tn_bytes document)
{
    static const char word[] = "<EncodingType>url</EncodingType>";

    return document.size &&
           memmem(document.data, document.size, word, sizeof word - 1) != NULL;
}

/* A store reports a failure in a document as well. */
static enum tn_status no_list(struct store_reader *r, struct tn_error *error)
{
    char code[64] = "";

    if (tn_xml_is_in(&r->xml, "Error"))
        for (enum tn_xml_event e; (e = tn_xml_next(&r->xml)) != TN_XML_END;)
            if (e == TN_XML_CLOSE && tn_bytes_is(r->xml.name, "Code"))
                snprintf(code, sizeof code, "%.60s",
                         tn_buffer_string(&r->xml.text));
    if (!code[0] || tn_failed(error))
        return tn_failed(error) ? error->status : bad(error, NOT_A_LIST);
    return tn_error_because(error, TN_IO, TN_REASON_BAD_ANSWER, TN_NOWHERE,
                            "the store answers with an error (%s) instead of a "
                            "list of files",
                            code);
}

static enum tn_status read_store(struct store_reader *r, struct tn_error *error)
{
    enum tn_xml_event event = tn_xml_next(&r->xml);

    if (event != TN_XML_OPEN || !tn_xml_is_in(&r->xml, "ListBucketResult"))
        return tn_failed(error) ? error->status : no_list(r, error);
    while ((event = tn_xml_next(&r->xml)) != TN_XML_END) {
        if (event == TN_XML_OPEN && r->xml.depth == 2)
            clear_entry(&r->entry);
        else if (event == TN_XML_CLOSE)
            TN_TRY(take_element(r, error));
    }
    if (!r->is_truncated)
        r->page->next[0] = '\0';
    else if (!r->page->next[0])
        return bad(error, "goes on, but does not say where");
    return error->status;
}

enum tn_status tn_list_read_store(struct tn_list_page *page,
                                  struct tn_memory    *memory,
                                  struct tn_bytes      document,
                                  struct tn_error     *error)
{
    struct store_reader r = { .page       = page,
                              .is_encoded = says_encoded(document) };

    page->next[0] = '\0';
    tn_xml_init(&r.xml, memory, document, error);
    init_entry(&r.entry, memory, error);
    enum tn_status status = read_store(&r, error);
    done_entry(&r.entry);
    tn_xml_done(&r.xml);
    return status;
}

/* ---- JSON: hubs, and nginx ---------------------------------------------- */

struct json_reader {
    struct tn_json_reader json;
    struct tn_list_page  *page;
    struct entry          entry;
    const char           *name_key; /* "path" or "name"                       */
    bool                  is_file;
};

static void take_text(struct json_reader *r, struct tn_buffer *to)
{
    tn_buffer_clear(to);
    tn_buffer_add(to, r->json.text);
}

/* {"oid": "sha256...", "size": ...} */
static void take_large(struct json_reader *r)
{
    enum tn_json_event event;

    while ((event = tn_json_next(&r->json)) == TN_JSON_KEY) {
        bool is_hash = tn_bytes_is(r->json.text, "oid");
        if (!is_hash) {
            tn_json_skip(&r->json);
            continue;
        }
        if (tn_json_next(&r->json) == TN_JSON_STRING)
            set_etag(&r->entry, r->json.text);
        else
            tn_fail(r->json.cursor, TN_MALFORMED, "\"oid\" is not a string");
    }
}

static void take_key(struct json_reader *r, bool *has_hash)
{
    struct tn_json_reader *json = &r->json;

    if (tn_bytes_is(json->text, r->name_key)) {
        if (tn_json_next(json) == TN_JSON_STRING)
            take_text(r, &r->entry.name);
    } else if (tn_bytes_is(json->text, "type")) {
        if (tn_json_next(json) == TN_JSON_STRING) {
            r->is_file         = tn_bytes_is(json->text, "file");
            r->entry.is_folder = tn_bytes_is(json->text, "directory");
        }
    } else if (tn_bytes_is(json->text, "size")) {
        if (tn_json_next(json) == TN_JSON_NUMBER)
            take_number(&r->entry, json->text);
    } else if (tn_bytes_is(json->text, "oid")) {
        if (tn_json_next(json) == TN_JSON_STRING && !*has_hash)
            set_etag(&r->entry, json->text);
    } else if (tn_bytes_is(json->text, "lfs")) {
        enum tn_json_event event = tn_json_next(json);
        if (event == TN_JSON_OBJECT_BEGIN) {
            take_large(r);
            *has_hash = true;
        } else if (event != TN_JSON_NULL)
            tn_fail(json->cursor, TN_MALFORMED, "\"lfs\" is not an object");
    } else
        tn_json_skip(json);
}

static enum tn_status tell_clean(struct json_reader *r, struct tn_error *error)
{
    struct entry   *e = &r->entry;
    struct tn_arena arena;

    tn_arena_init(&arena, e->name.memory);
    const char *clean =
        tn_beneath_name(&arena, tn_buffer_bytes(&e->name), error);
    if (clean && !tn_bytes_is(tn_buffer_bytes(&e->name), clean))
        bad(error, "has a name that is not clean");
    tn_arena_done(&arena);
    if (tn_failed(error))
        return error->status;
    if (e->is_folder)
        tn_buffer_byte(&e->name, '/');
    if (e->is_folder)
        e->size = TN_ANSWER_UNKNOWN;
    return r->is_file || e->is_folder ? tell(r->page, e, error) : TN_OK;
}

static enum tn_status read_json(struct json_reader *r, struct tn_error *error)
{
    enum tn_json_event event;

    if (tn_json_next(&r->json) != TN_JSON_ARRAY_BEGIN)
        return tn_failed(error) ? error->status : bad(error, NOT_A_LIST);
    while ((event = tn_json_next(&r->json)) == TN_JSON_OBJECT_BEGIN) {
        bool has_hash = false;
        clear_entry(&r->entry);
        r->is_file = false;
        while ((event = tn_json_next(&r->json)) == TN_JSON_KEY)
            take_key(r, &has_hash);
        if (tn_failed(error) || event != TN_JSON_OBJECT_END)
            break;
        TN_TRY(tell_clean(r, error));
    }
    if (tn_failed(error))
        return error->status;
    if (event != TN_JSON_ARRAY_END || tn_json_next(&r->json) != TN_JSON_END)
        return bad(error, NOT_A_LIST);
    return error->status;
}

static enum tn_status read_json_list(struct tn_list_page *page,
                                     struct tn_memory    *memory,
                                     struct tn_bytes      document,
                                     const char          *name_key,
                                     struct tn_error     *error)
{
    struct tn_error    own    = TN_ERROR_INIT;
    struct tn_cursor   cursor = tn_cursor_bytes(document, 0, &own);
    struct json_reader r      = { .page = page, .name_key = name_key };

    page->next[0] = '\0';
    tn_json_open(&r.json, &cursor, memory);
    init_entry(&r.entry, memory, &own);
    read_json(&r, &own);
    done_entry(&r.entry);
    tn_json_close(&r.json);
    if (!tn_failed(&own))
        return TN_OK;
    if (own.status == TN_MALFORMED || own.status == TN_TRUNCATED ||
        own.status == TN_INVALID) {
        char what[160];
        snprintf(what, sizeof what, "is malformed: %.130s", own.what);
        return bad(error, what);
    }
    *error = own;
    return error->status;
}

enum tn_status tn_list_read_hub(struct tn_list_page *page,
                                struct tn_memory    *memory,
                                struct tn_bytes      document,
                                struct tn_error     *error)
{
    return read_json_list(page, memory, document, "path", error);
}

/* ---- pages of web servers ----------------------------------------------- */

/* One link: a file or folder right in this folder, or something else. */
static enum tn_status take_link(struct tn_list_page *page, struct entry *e,
                                const char *path, struct tn_bytes link,
                                struct tn_error *error)
{
    struct tn_error own = TN_ERROR_INIT;
    struct tn_arena arena;

    clear_entry(e);
    if (!tn_xml_unescape(&e->name, link) || tn_failed(error) ||
        tn_bytes_find(tn_buffer_bytes(&e->name), '?') ||
        tn_bytes_find(tn_buffer_bytes(&e->name), '#'))
        return error->status;
    struct tn_bytes text = tn_buffer_bytes(&e->name);
    size_t          drop = 0;
    if (tn_bytes_starts_with(text, path))
        drop = strlen(path);
    else if (tn_bytes_starts_with(text, "./"))
        drop = 2;
    memmove(e->name.data, e->name.data + drop, text.size - drop);
    e->name.size -= drop;
    if (!e->name.size || !decode(&e->name, false))
        return TN_OK;
    text                      = tn_buffer_bytes(&e->name);
    bool            is_folder = text.data[text.size - 1] == '/';
    struct tn_bytes bare      = tn_bytes(text.data, text.size - is_folder);
    tn_arena_init(&arena, e->name.memory);
    const char *clean =
        bare.size && !tn_bytes_find(bare, '/') && !tn_bytes_find(bare, ':')
            ? tn_beneath_name(&arena, bare, &own)
            : NULL;
    bool is_ours = clean && tn_bytes_is(bare, clean);
    tn_arena_done(&arena);
    return is_ours ? tell(page, e, error) : TN_OK;
}

/* The value of href in a tag "<a ...>". */
static struct tn_bytes find_href(struct tn_bytes tag)
{
    for (size_t i = 1; i + 6 < tag.size; i++) {
        uint8_t quote = tag.data[i + 5];
        if (!isspace(tag.data[i - 1]) ||
            strncasecmp((const char *)tag.data + i, "href=", 5) != 0 ||
            (quote != '"' && quote != '\''))
            continue;
        struct tn_bytes rest = tn_bytes(tag.data + i + 6, tag.size - i - 6);
        const uint8_t  *end  = tn_bytes_find(rest, quote);
        return tn_bytes(rest.data, end ? (size_t)(end - rest.data) : 0);
    }
    return tn_bytes(NULL, 0);
}

static enum tn_status read_html(struct tn_list_page *page, struct entry *e,
                                const char *path, struct tn_bytes document,
                                struct tn_error *error)
{
    const uint8_t *tag;

    while ((tag = tn_bytes_find(document, '<')) != NULL) {
        size_t size = (size_t)(tag - document.data);
        document    = tn_bytes(tag + 1, document.size - size - 1);
        if (document.size < 2 || (document.data[0] | 0x20) != 'a' ||
            !isspace(document.data[1]))
            continue;
        const uint8_t *end = tn_bytes_find(document, '>');
        if (!end)
            break;
        size                 = (size_t)(end - document.data);
        struct tn_bytes link = find_href(tn_bytes(document.data, size));
        document             = tn_bytes(end, document.size - size);
        if (link.size)
            TN_TRY(take_link(page, e, path, link, error));
    }
    return TN_OK;
}

enum tn_status tn_list_read_web(struct tn_list_page *page,
                                struct tn_memory *memory, const char *path,
                                struct tn_bytes  document,
                                struct tn_error *error)
{
    struct entry e;

    page->next[0] = '\0';
    if (document.size && document.data[0] == '[')
        return read_json_list(page, memory, document, "name", error);
    init_entry(&e, memory, error);
    enum tn_status status = read_html(page, &e, path, document, error);
    done_entry(&e);
    return status;
}

/* ---- requests ------------------------------------------------------------ */

struct listing {
    struct tn_remote   *remote;
    struct tn_arena     arena;
    const char         *folder; /* as it was named                            */
    bool                is_recursive;
    struct tn_list_page page;
    unsigned            pages, empty;
    unsigned marked_at; /* the page that `mark` followed            */
    uint8_t  mark[TN_SHA256_SIZE];
};

/* A list of too many pages is refused. */
static enum tn_status count_page(struct listing *l, uint64_t told,
                                 struct tn_error *error)
{
    l->empty = told ? 0 : l->empty + 1;
    if (++l->pages < MOST_PAGES && l->empty < MOST_EMPTY)
        return TN_OK;
    return tn_error_because(error, TN_LIMIT, TN_REASON_REMOTE_LIMIT, TN_NOWHERE,
                            "the list of files has more than %u pages, or %u "
                            "empty ones in a row",
                            MOST_PAGES, MOST_EMPTY);
}

/* `next` is where the list goes on.  In a ring of pages one of them is met
 * again before twice as many were read: so one is kept, a later and later one.
 */
static enum tn_status check_ring(struct listing *l, const char *next,
                                 struct tn_error *error)
{
    struct tn_sha256 hash;
    uint8_t          digest[TN_SHA256_SIZE];

    tn_sha256_init(&hash);
    tn_sha256_add(&hash, tn_text(next));
    tn_sha256_finish(&hash, digest);
    if (l->marked_at && memcmp(digest, l->mark, sizeof digest) == 0)
        return bad(error, "goes on where it has been");
    if (l->pages < 2 * l->marked_at)
        return TN_OK;
    memcpy(l->mark, digest, sizeof digest);
    l->marked_at = l->pages;
    return TN_OK;
}

static enum tn_status list_store(struct listing *l, struct tn_error *error)
{
    struct tn_exchange e;
    enum tn_status     status = tn_exchange_open_list(
            &e, l->remote, l->folder, l->is_recursive, &l->page.prefix, error);
    const char *query = status == TN_OK ? e.url.query : "";

    while (status == TN_OK) {
        uint64_t before = l->page.count;
        status          = tn_exchange_run(&e, error);
        if (status == TN_OK)
            status = tn_list_read_store(&l->page, l->remote->memory,
                                        tn_buffer_bytes(&e.body), error);
        if (status == TN_OK)
            status = count_page(l, l->page.count - before, error);
        if (status != TN_OK || !l->page.next[0] ||
            check_ring(l, l->page.next, error) != TN_OK)
            break;
        tn_exchange_close(&e);
        struct tn_arena arena;
        tn_arena_init(&arena, l->remote->memory);
        const char *token =
            tn_url_encode(&arena, tn_text(l->page.next), false, error);
        status = tn_exchange_open_list(&e, l->remote, l->folder,
                                       l->is_recursive, &l->page.prefix, error);
        if (token && status == TN_OK)
            e.query = tn_text_format(&l->arena, error,
                                     "continuation-token=%s&%s", token, query);
        if (e.query)
            e.url.query = e.query;
        tn_arena_done(&arena);
        status = error->status;
    }
    tn_exchange_close(&e);
    return error->status;
}

/* {"sha": "..."}: all that is listed is of one commit. */
static enum tn_status take_commit(struct tn_remote *r, struct tn_bytes document,
                                  struct tn_error *error)
{
    struct tn_error       own    = TN_ERROR_INIT;
    struct tn_cursor      cursor = tn_cursor_bytes(document, 0, &own);
    struct tn_json_reader json;

    tn_json_open(&json, &cursor, r->memory);
    if (tn_json_next(&json) == TN_JSON_OBJECT_BEGIN)
        while (tn_json_next(&json) == TN_JSON_KEY) {
            if (!tn_bytes_is(json.text, "sha")) {
                tn_json_skip(&json);
                continue;
            }
            if (tn_json_next(&json) == TN_JSON_STRING && json.text.size == 40)
                snprintf(r->commit, sizeof r->commit, "%.40s",
                         (const char *)json.text.data);
            break;
        }
    tn_json_close(&json);
    if (strspn(r->commit, "0123456789abcdef") == 40)
        return TN_OK;
    r->commit[0] = '\0';
    return tn_error_because(error, TN_IO, TN_REASON_BAD_ANSWER, TN_NOWHERE,
                            "the hub does not tell the commit of a revision");
}

static enum tn_status find_commit(struct listing *l, struct tn_error *error)
{
    struct tn_exchange e   = { 0 };
    const char        *url = tn_place_revision_url(&l->arena, l->folder, error);

    if (l->remote->commit[0])
        return TN_OK;
    if (url &&
        tn_exchange_open_url(&e, l->remote, TN_PLACE_HUB, url, error) ==
            TN_OK &&
        tn_exchange_run(&e, error) == TN_OK)
        take_commit(l->remote, tn_buffer_bytes(&e.body), error);
    tn_exchange_close(&e);
    if (error->status == TN_NOT_FOUND)
        snprintf(error->what, sizeof error->what,
                 "the hub has no such repository or revision");
    return error->status;
}

/* Further pages are found by links, which must not lead to another host. */
static enum tn_status next_page(struct listing *l, struct tn_exchange *e,
                                struct tn_error *error)
{
    struct tn_error own = TN_ERROR_INIT;
    struct tn_url   next;
    const char *text = tn_text_dup(&l->arena, e->transfer.answer.next, error);

    if (!text)
        return error->status;
    if (tn_url_follow(&next, &l->arena, &e->url, text, &own) != TN_OK)
        return bad(error, "goes on at a URL that is not followed");
    if (strcmp(next.origin, e->url.origin) != 0)
        return bad(error, "goes on at another host");
    text = tn_url_text(&next, &l->arena, error);
    tn_exchange_close(e);
    *e = (struct tn_exchange){ 0 };
    return text ? tn_exchange_open_url(e, l->remote, TN_PLACE_HUB, text, error)
                : error->status;
}

static enum tn_status list_hub(struct listing *l, struct tn_error *error)
{
    struct tn_exchange e;

    TN_TRY(find_commit(l, error));
    enum tn_status status = tn_exchange_open_list(
        &e, l->remote, l->folder, l->is_recursive, &l->page.prefix, error);
    while (status == TN_OK) {
        uint64_t before = l->page.count;
        status          = tn_exchange_run(&e, error);
        if (status == TN_OK)
            status = tn_list_read_hub(&l->page, l->remote->memory,
                                      tn_buffer_bytes(&e.body), error);
        if (status == TN_OK)
            status = count_page(l, l->page.count - before, error);
        if (status != TN_OK || !e.transfer.answer.next[0] ||
            check_ring(l, e.transfer.answer.next, error) != TN_OK)
            break;
        status = next_page(l, &e, error);
    }
    tn_exchange_close(&e);
    return error->status;
}

/* Folders of a web server are listed one by one: those that are left. */
struct web_walk {
    struct listing *listing;
    struct tn_list  folders; /* const char *: below the first                 */
    const char     *current;
};

static enum tn_status on_web_entry(void                   *context,
                                   const struct tn_listed *listed,
                                   struct tn_error        *error)
{
    struct web_walk *w = context;
    struct listing  *l = w->listing;
    const char      *name =
        tn_text_format(&l->arena, error, "%s%s", w->current, listed->name);

    if (!name)
        return error->status;
    if (l->is_recursive && tn_text_ends_with(name, "/")) {
        const char **slot = tn_list_push(&w->folders, const char *, error);
        if (slot)
            *slot = name;
        return error->status;
    }
    struct tn_listed whole = { name, listed->size, listed->etag };
    return l->page.on_listed(l->page.context, &whole, error);
}

static unsigned depth_of(const char *name)
{
    unsigned depth = 0;

    for (; *name; name++)
        depth += *name == '/';
    return depth;
}

static enum tn_status list_web_folder(struct web_walk *w,
                                      struct tn_error *error)
{
    struct listing     *l = w->listing;
    struct tn_exchange  e;
    struct tn_list_page page = { .prefix    = "",
                                 .on_listed = on_web_entry,
                                 .context   = w };
    const char         *url =
        w->current[0] ? tn_url_beside(&l->arena, l->folder, w->current, error)
                              : l->folder;

    if (!url)
        return error->status;
    if (depth_of(w->current) > MOST_DEPTH)
        return tn_error_because(error, TN_LIMIT, TN_REASON_REMOTE_LIMIT,
                                TN_NOWHERE, "more than %d folders in folders",
                                MOST_DEPTH);
    enum tn_status status =
        tn_exchange_open_url(&e, l->remote, TN_PLACE_WEB, url, error);
    if (status == TN_OK)
        status = tn_exchange_run(&e, error);
    if (status == TN_OK)
        status = tn_list_read_web(&page, l->remote->memory, e.url.path,
                                  tn_buffer_bytes(&e.body), error);
    if (status == TN_OK)
        status = count_page(l, 1, error); /* empty folders are no matter */
    tn_exchange_close(&e);
    return status;
}

static enum tn_status list_web(struct listing *l, struct tn_error *error)
{
    struct web_walk w = { .listing = l, .current = "" };

    tn_list_init(&w.folders, l->remote->memory, sizeof(const char *));
    enum tn_status status = list_web_folder(&w, error);
    while (status == TN_OK && w.folders.count) {
        w.current = *tn_list_at(&w.folders, const char *, --w.folders.count);
        status    = list_web_folder(&w, error);
    }
    tn_list_done(&w.folders);
    return status;
}

enum tn_status tn_remote_list(struct tn_remote *remote, const char *folder,
                              bool is_recursive, tn_on_listed *on_listed,
                              void *context, struct tn_error *error)
{
    struct listing l = { .remote       = remote,
                         .folder       = folder,
                         .is_recursive = is_recursive,
                         .page         = { .on_listed = on_listed,
                                           .context   = context } };
    enum tn_status status;

    if (!tn_text_ends_with(folder, "/"))
        return tn_error_set(error, TN_INVALID, TN_NOWHERE,
                            "the URL of a folder ends in '/'");
    tn_arena_init(&l.arena, remote->memory);
    switch (tn_place_kind_of(folder)) {
    case TN_PLACE_S3: status = list_store(&l, error); break;
    case TN_PLACE_HUB: status = list_hub(&l, error); break;
    default: status = list_web(&l, error);
    }
    tn_arena_done(&l.arena);
    return status;
}

/* A link that is signed for GET answers HEAD with 403, a program that knows
 * nothing else with 405 or 501: then one byte is asked for. */
static enum tn_status ask_about(struct tn_exchange *e, struct tn_remote *remote,
                                const char *url, struct tn_error *error)
{
    static const unsigned no_head[] = { 403, 405, 501, 400 };

    TN_TRY(tn_exchange_open(e, remote, url, NULL, error));
    e->transfer.method = "HEAD";
    if (tn_place_kind_of(url) != TN_PLACE_S3)
        memcpy(e->accepted, no_head, sizeof no_head);
    if (tn_exchange_run(e, error) != TN_OK ||
        e->transfer.answer.status / 100 == 2)
        return error->status;
    tn_exchange_close(e);
    *e = (struct tn_exchange){ 0 };
    TN_TRY(tn_exchange_open(e, remote, url, NULL, error));
    e->lines[e->line_count++] = "Range: bytes=0-0";
    return tn_exchange_run(e, error);
}

/* Without an ETag the date and the size tell one version from another, as they
 * do while a file is read; but not when it may change once more within the
 * second. */
static void set_date(struct entry *e, const struct tn_answer *answer,
                     uint64_t size)
{
    char    text[TN_ANSWER_TAG];
    int64_t seconds;

    if (size == TN_ANSWER_UNKNOWN || answer->is_bad ||
        !tn_answer_parse_date(tn_text(answer->modified), &seconds) ||
        seconds > (int64_t)time(NULL) - DATE_SETTLED)
        return;
    snprintf(text, sizeof text, "%.40s, %" PRIu64 " bytes", answer->modified,
             size);
    set_etag(e, tn_text(text));
}

enum tn_status tn_remote_stat(struct tn_remote *remote, struct tn_arena *arena,
                              const char *url, struct tn_listed *listed,
                              struct tn_error *error)
{
    struct tn_exchange e = { 0 };
    struct entry       entry;

    *listed = (struct tn_listed){ NULL, TN_ANSWER_UNKNOWN, "" };
    if (ask_about(&e, remote, url, error) == TN_OK) {
        const struct tn_answer *a = &e.transfer.answer;
        init_entry(&entry, remote->memory, error);
        listed->size = a->status == 206 ? a->total : a->length;
        set_etag(&entry, tn_text(e.linked[0] ? e.linked : a->etag));
        if (!entry.etag.size)
            set_date(&entry, a, listed->size);
        listed->etag = tn_text_dup(arena, tn_buffer_string(&entry.etag), error);
        done_entry(&entry);
    }
    tn_exchange_close(&e);
    return error->status;
}
