/* show_statistics.c - statistics of tensors as text: cells, columns, JSON */
#include "show_statistics.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "failure.h"
#include "print.h"
#include "show.h"

/* ---- computing ---------------------------------------------------------- */

static int keep(void *context, uint64_t index, const struct tn_statistics *s)
{
    struct cli_statistics *all  = context;
    size_t                 size = offsetof(struct tn_statistics, bins) +
                  s->bin_count * sizeof(s->bins[0]);

    all->items[index] = cli_allocate(size, 1);
    memcpy(all->items[index], s, size);
    all->has_odd |= s->nans > 0 || s->infinities > 0;
    return 0;
}

int cli_statistics_begin(struct cli_statistics         *statistics,
                         struct cli_session            *session,
                         const struct tn_model         *model,
                         const struct tn_tensor *const *tensors, uint64_t count)
{
    struct tn_error error = TN_ERROR_INIT;

    *statistics = (struct cli_statistics){
        .items = cli_allocate((size_t)count, sizeof(struct tn_statistics *)),
        .count = count,
    };
    enum tn_status status = tn_statistics_compute(
        model, tensors, count, &session->options, keep, statistics, &error);
    cli_session_clear(session);
    if (status == TN_OK)
        return 0;
    return cli_fail(session->common, tn_model_path(model), &error);
}

void cli_statistics_done(struct cli_statistics *statistics)
{
    for (uint64_t i = 0; i < statistics->count; i++)
        free(statistics->items[i]);
    free(statistics->items);
    *statistics = (struct cli_statistics){ 0 };
}

/* ---- for people --------------------------------------------------------- */

void cli_show_rounded(struct cli_text *text, double value)
{
    if (isnan(value))
        cli_text_add(text, "-");
    else
        cli_text_addf(text, "%.4g", value);
}

/* Neighbouring bins are joined until they fit.  A bin with few elements is
 * still a low bar; an empty one is a space. */
void cli_show_histogram(struct cli_text *text, const struct tn_statistics *s,
                        unsigned columns)
{
    static const char *const bars[] = {
        "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"
    };
    unsigned each                     = (s->bin_count + columns - 1) / columns;
    uint64_t sums[TN_STATISTICS_BINS] = { 0 }, most = 1;

    for (unsigned i = 0; i < s->bin_count; i++) {
        sums[i / each] += s->bins[i];
        most = sums[i / each] > most ? sums[i / each] : most;
    }
    for (unsigned i = 0; i * each < s->bin_count; i++) {
        double   share = (double)sums[i] / (double)most;
        unsigned level = (unsigned)(share * 7.999);

        cli_text_add(text, sums[i] == 0 ? " " : bars[level]);
    }
}

/* ---- for programs ------------------------------------------------------- */

/* Extremes are elements: as few digits as make the same element. */
static bool is_single(const struct tn_tensor *tensor)
{
    enum tn_dtype dtype = tn_tensor_dtype(tensor);

    return dtype == TN_FLOAT32 || dtype == TN_FLOAT16 || dtype == TN_BFLOAT16;
}

static void add_column(struct cli_text *line, double value, bool is_float)
{
    cli_text_add(line, "\t");
    if (isfinite(value))
        cli_show_real(line, value, is_float);
    else
        cli_text_add(line, "-");
}

void cli_show_statistics_tsv(struct cli_text            *line,
                             const struct tn_tensor     *tensor,
                             const struct tn_statistics *s)
{
    bool is_float = is_single(tensor);

    add_column(line, s->min, is_float);
    add_column(line, s->max, is_float);
    add_column(line, s->mean, false);
    add_column(line, s->deviation, false);
    cli_text_addf(line, "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64, s->zeros,
                  s->nans, s->infinities);
    add_column(line, s->bin_count > 0 ? s->low : (double)NAN, false);
    add_column(line, s->bin_count > 0 ? s->width : (double)NAN, false);
    cli_text_add(line, "\t");
    for (unsigned i = 0; i < s->bin_count; i++)
        cli_text_addf(line, "%s%" PRIu64, i > 0 ? "," : "", s->bins[i]);
}

static void put_real(struct cli_json *json, const char *key, double value,
                     bool is_float)
{
    struct cli_text text = { 0 };

    cli_json_key(json, key);
    cli_show_real(&text, value, is_float);
    if (isfinite(value))
        cli_json_literal(json, cli_text_view(&text));
    else
        cli_json_null(json);
    cli_text_done(&text);
}

void cli_json_statistics(struct cli_json *json, const struct tn_tensor *tensor,
                         const struct tn_statistics *s)
{
    static const char *const subjects[] = {
        [TN_OF_VALUES]     = "values",
        [TN_OF_MAGNITUDES] = "magnitudes",
        [TN_OF_LENGTHS]    = "lengths",
    };
    bool is_float = is_single(tensor);

    cli_json_key(json, "statistics");
    cli_json_open_flat(json, '{');
    cli_json_put_string(json, "of", subjects[s->of]);
    put_real(json, "min", s->min, is_float);
    put_real(json, "max", s->max, is_float);
    put_real(json, "mean", s->mean, false);
    put_real(json, "deviation", s->deviation, false);
    cli_json_put_number(json, "zeros", s->zeros);
    cli_json_put_number(json, "nans", s->nans);
    cli_json_put_number(json, "infinities", s->infinities);
    cli_json_key(json, "histogram");
    cli_json_open_flat(json, '{');
    put_real(json, "low", s->bin_count > 0 ? s->low : (double)NAN, false);
    put_real(json, "width", s->bin_count > 0 ? s->width : (double)NAN, false);
    cli_json_key(json, "counts");
    cli_json_open_flat(json, '[');
    for (unsigned i = 0; i < s->bin_count; i++)
        cli_json_number(json, s->bins[i]);
    cli_json_close(json, ']');
    cli_json_close(json, '}');
    cli_json_close(json, '}');
}
