/* scan.c - tenon scan: what in a file could run code, or reach outside of it */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "failure.h"
#include "json.h"
#include "pager.h"
#include "print.h"
#include "session.h"
#include "show.h"
#include "verb_table.h"

struct scan_opts {
    struct cli_common common;
    bool              is_sarif;
};

#define FIELD(f) offsetof(struct scan_opts, f)
/* clang-format off */
static const struct cli_opt options[] = {
    { CLI_FLAG, 0, "sarif", FIELD(is_sarif), NULL, "print findings as SARIF 2.1.0, for other tools" },
    { 0 },
};
/* clang-format on */

enum form { FORM_TEXT, FORM_JSON, FORM_SARIF };

struct run {
    struct cli_session    session;
    enum form             form;
    struct cli_json       json;
    struct tn_scan_totals totals;
    struct cli_text       heading; /* the file of the last finding            */
};

static enum cli_colour verdict_colour(enum tn_verdict verdict)
{
    switch (verdict) {
    case TN_VERDICT_NOTE: return CLI_DIM;
    case TN_VERDICT_UNKNOWN: return CLI_YELLOW;
    case TN_VERDICT_DANGEROUS: return CLI_RED;
    }
    return CLI_RED;
}

/* ---- for people ---------------------------------------------------------- */

static void print_finding(struct run *run, const struct tn_scan_finding *f)
{
    struct cli_text text = { 0 };

    cli_session_clear(&run->session);
    cli_text_safe(&text, cli_bytes(f->file));
    if (run->heading.size != text.size ||
        memcmp(run->heading.data, text.data, text.size) != 0) {
        cli_print(stdout, CLI_BOLD, &text);
        putchar('\n');
        cli_text_clear(&run->heading);
        cli_text_safe(&run->heading, cli_bytes(f->file));
    }
    cli_text_clear(&text);
    cli_text_addf(&text, "  %-9s  ", tn_verdict_name(f->verdict));
    cli_print(stdout, verdict_colour(f->verdict), &text);
    cli_text_clear(&text);
    cli_text_safe(&text, cli_bytes(f->member));
    if (f->offset != TN_NOWHERE)
        cli_text_addf(&text, "%s(byte 0x%" PRIx64 ")",
                      f->member[0] != '\0' ? " " : "", f->offset);
    if (text.size > 0)
        cli_text_add(&text, ": ");
    cli_text_safe(&text, cli_bytes(f->what));
    cli_print(stdout, CLI_PLAIN, &text);
    cli_text_clear(&text);
    cli_text_addf(&text, " [%s]\n", f->rule);
    cli_print(stdout, CLI_DIM, &text);
    cli_text_done(&text);
}

static void print_totals(const struct run *run)
{
    const struct tn_scan_totals *t    = &run->totals;
    struct cli_text              text = { 0 };

    cli_show_plural(&text, t->files, "file", "files");
    cli_text_add(&text, ", ");
    cli_show_plural(&text, t->pickles, "pickle", "pickles");
    cli_text_add(&text, ": ");
    if (t->findings[TN_VERDICT_DANGEROUS] + t->findings[TN_VERDICT_UNKNOWN] ==
        0) {
        cli_text_add(&text, "nothing found that runs code");
    } else {
        cli_text_number(&text, t->flagged[TN_VERDICT_DANGEROUS]);
        cli_text_add(&text, " dangerous, ");
        cli_text_number(&text, t->flagged[TN_VERDICT_UNKNOWN]);
        cli_text_add(&text, " unknown");
    }
    cli_text_add(&text, "\n");
    cli_print(stdout, CLI_PLAIN, &text);
    cli_text_done(&text);
}

/* ---- JSON and SARIF ------------------------------------------------------ */

static void put_finding(struct cli_json *json, const struct tn_scan_finding *f)
{
    cli_json_open_flat(json, '{');
    cli_json_put_string(json, "verdict", tn_verdict_name(f->verdict));
    cli_json_put_string(json, "rule", f->rule);
    cli_json_put_string(json, "file", f->file);
    cli_json_put_string(json, "member", f->member);
    cli_json_put_offset(json, "offset", f->offset);
    cli_json_put_string(json, "what", f->what);
    cli_json_close(json, '}');
}

static const char *sarif_level(enum tn_verdict verdict)
{
    switch (verdict) {
    case TN_VERDICT_NOTE: return "note";
    case TN_VERDICT_UNKNOWN: return "warning";
    case TN_VERDICT_DANGEROUS: return "error";
    }
    return "error";
}

static void put_message(struct cli_json *json, const struct tn_scan_finding *f)
{
    struct cli_text text = { 0 };

    cli_text_add(&text, f->member);
    cli_text_add(&text, f->member[0] != '\0' ? ": " : "");
    cli_text_add(&text, f->what);
    cli_json_key(json, "message");
    cli_json_open_flat(json, '{');
    cli_json_put_bytes(json, "text", cli_text_view(&text));
    cli_json_close(json, '}');
    cli_text_done(&text);
}

/* A path as a reference of RFC 3986; an address is one as it is. */
static void put_uri(struct cli_json *json, const char *file)
{
    static const char hex[] = "0123456789ABCDEF";
    struct cli_text   text  = { 0 };

    if (strstr(file, "://")) {
        cli_json_put_string(json, "uri", file);
        return;
    }
    for (const char *at = file; *at; at++) {
        uint8_t byte = (uint8_t)*at;
        bool    is_letter =
            (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z' && byte < 0x80;
        if (is_letter || (byte >= '0' && byte <= '9') ||
            strchr("-._~/", *at))
            cli_text_add(&text, (char[]){ *at, 0 });
        else
            cli_text_add(&text,
                         (char[]){ '%', hex[byte >> 4], hex[byte & 15], 0 });
    }
    cli_json_put_bytes(json, "uri", cli_text_view(&text));
    cli_text_done(&text);
}

static void put_result(struct cli_json *json, const struct tn_scan_finding *f)
{
    cli_json_open_flat(json, '{');
    cli_json_put_string(json, "ruleId", f->rule);
    cli_json_put_string(json, "level", sarif_level(f->verdict));
    put_message(json, f);
    cli_json_key(json, "locations");
    cli_json_open(json, '[');
    cli_json_open(json, '{');
    cli_json_key(json, "physicalLocation");
    cli_json_open(json, '{');
    cli_json_key(json, "artifactLocation");
    cli_json_open(json, '{');
    put_uri(json, f->file);
    cli_json_close(json, '}');
    if (f->offset != TN_NOWHERE && f->member[0] == '\0') {
        cli_json_key(json, "region");
        cli_json_open(json, '{');
        cli_json_put_number(json, "byteOffset", f->offset);
        cli_json_close(json, '}');
    }
    cli_json_close(json, '}');
    cli_json_close(json, '}');
    cli_json_close(json, ']');
    cli_json_close(json, '}');
}

static void begin_sarif(struct cli_json *json)
{
    *json = (struct cli_json){ 0 };
    cli_json_open(json, '{');
    cli_json_put_string(json, "version", "2.1.0");
    cli_json_put_string(json, "$schema",
                        "https://json.schemastore.org/sarif-2.1.0.json");
    cli_json_key(json, "runs");
    cli_json_open(json, '[');
    cli_json_open(json, '{');
    cli_json_key(json, "tool");
    cli_json_open_flat(json, '{');
    cli_json_key(json, "driver");
    cli_json_open(json, '{');
    cli_json_put_string(json, "name", "tenon");
    cli_json_put_string(json, "version", tn_version());
    cli_json_close(json, '}');
    cli_json_close(json, '}');
    cli_json_key(json, "results");
    cli_json_open(json, '[');
}

static void end_sarif(struct cli_json *json)
{
    cli_json_close(json, ']');
    cli_json_close(json, '}');
    cli_json_close(json, ']');
    cli_json_close(json, '}');
    putchar('\n');
}

static void end_json(struct run *run)
{
    const struct tn_scan_totals *t = &run->totals;

    cli_json_close(&run->json, ']');
    cli_json_put_number(&run->json, "files", t->files);
    cli_json_put_number(&run->json, "pickles", t->pickles);
    cli_json_put_number(&run->json, "dangerous",
                        t->flagged[TN_VERDICT_DANGEROUS]);
    cli_json_put_number(&run->json, "unknown", t->flagged[TN_VERDICT_UNKNOWN]);
    cli_json_put_number(&run->json, "noted", t->flagged[TN_VERDICT_NOTE]);
    cli_json_end(&run->json);
}

/* ---- the verb ------------------------------------------------------------ */

static int on_finding(void *context, const struct tn_scan_finding *finding)
{
    struct run *run = context;

    if (run->session.common->is_quiet && run->form == FORM_TEXT)
        return 0;
    switch (run->form) {
    case FORM_TEXT: print_finding(run, finding); break;
    case FORM_JSON: put_finding(&run->json, finding); break;
    case FORM_SARIF: put_result(&run->json, finding); break;
    }
    return 0;
}

static void add_totals(struct tn_scan_totals       *to,
                       const struct tn_scan_totals *from)
{
    to->files += from->files;
    to->pickles += from->pickles;
    for (int i = 0; i < 3; i++) {
        to->findings[i] += from->findings[i];
        to->flagged[i] += from->flagged[i];
    }
}

static int scan_all(struct run *run, const struct cli_args *args)
{
    int code = 0;

    for (int i = 0; i < args->count; i++) {
        struct tn_error       error  = TN_ERROR_INIT;
        struct tn_scan_totals totals = { 0 };

        tn_scan(args->items[i], &run->session.options, on_finding, run, &totals,
                &error);
        cli_session_clear(&run->session);
        add_totals(&run->totals, &totals);
        if (error.status != TN_OK)
            code = cli_fail(run->session.common, args->items[i], &error);
    }
    return code;
}

static int run_scan(const void *opts, const struct cli_args *args)
{
    const struct scan_opts *o   = opts;
    struct run              run = { 0 };

    if (o->is_sarif && o->common.is_json)
        return cli_usage("scan", "--json and --sarif cannot be used together");
    cli_session_begin(&run.session, opts);
    run.form = o->is_sarif         ? FORM_SARIF
               : o->common.is_json ? FORM_JSON
                                   : FORM_TEXT;
    if (run.form == FORM_SARIF) {
        begin_sarif(&run.json);
    } else if (run.form == FORM_JSON) {
        cli_json_begin(&run.json, "tenon.scan/1");
        cli_json_key(&run.json, "findings");
        cli_json_open(&run.json, '[');
    }
    int code = scan_all(&run, args);
    if (run.form == FORM_SARIF)
        end_sarif(&run.json);
    else if (run.form == FORM_JSON)
        end_json(&run);
    else if (!o->common.is_quiet && (run.totals.files > 0 || code == 0))
        print_totals(&run);
    cli_text_done(&run.heading);
    if (code == 0 && run.totals.findings[TN_VERDICT_DANGEROUS] +
                             run.totals.findings[TN_VERDICT_UNKNOWN] >
                         0)
        code = 1;
    return code;
}

const struct cli_verb cli_scan = {
    .name      = "scan",
    .arguments = "FILE...",
    .summary   = "find what could run code or reach outside of a file",
    .details   = "Looks into pickles, archives and models without loading any "
                 "of them.  A folder\nis scanned with all folders below it.  "
                 "Exits with 0 when there are only notes,\nand with 1 when "
                 "something is dangerous or unknown.",
    .examples  = "tenon scan tiny.onnx\n"
                 "tenon scan --json tiny.onnx",
    .least     = 1,
    .most      = CLI_MANY,
    .groups    = CLI_READS | CLI_REPORTS,
    .opts_size = sizeof(struct scan_opts),
    .options   = options,
    .run       = run_scan,
};
