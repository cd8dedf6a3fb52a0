/*
 * told.h - one conversion, and what it told as left behind
 *
 * Include after support/little_models.h.
 */
#ifndef TN_TESTS_TOLD_H
#define TN_TESTS_TOLD_H

static inline void tn_keep_told(void *context, uint64_t offset,
                                const char *where, const char *what)
{
    FILE *to = context;

    (void)offset;
    fprintf(to, "%s: %s [%s]\n", where, what, tn_loss_kind(what));
}

/* "where: what [kind]" of each loss, a line each; the caller frees it. */
static inline char *tn_told(const char *from, const char *path,
                            const char *format, bool is_strict,
                            struct tn_error *error)
{
    char                     *told    = NULL;
    size_t                    size    = 0;
    FILE                     *to      = open_memstream(&told, &size);
    struct tn_convert_options convert = { .to           = format,
                                          .loss         = tn_keep_told,
                                          .loss_context = to,
                                          .is_strict    = is_strict };
    struct tn_target          target  = { .path = path, .can_replace = true };
    struct tn_model          *model   = NULL;

    *error = (struct tn_error)TN_ERROR_INIT;
    if (tn_model_open(&model, from, NULL, error) == TN_OK)
        tn_convert(model, &convert, &target, NULL, NULL, error);
    tn_model_close(model);
    fclose(to);
    return told;
}

/* Each of the lines is told, and --strict refuses for it. */
static inline void tn_must_tell(const char *from, const char *path,
                                const char *format, const char *const *lines)
{
    struct tn_error error;
    char           *told = tn_told(from, path, format, false, &error);

    if (error.status != TN_OK)
        fail_msg("%s: %s: %s", from, error.where, error.what);
    for (; *lines; lines++)
        if (!strstr(told, *lines))
            fail_msg("not told: %s\nbut\n%s", *lines, told);
    free(told);
    free(tn_told(from, path, format, true, &error));
    assert_int_equal(error.status, TN_UNSUPPORTED);
}

#endif
