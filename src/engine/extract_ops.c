/* extract_ops.c - op descriptors out of C++ files */
#include "base/sized.h"
#include "engine/interpreter.h"
#include "engine/read_file.h"
#include "map/dl4j/cpp_extract.h"

/* conv1d of generic/nn/convo/conv1d.cpp */
static struct tn_bytes stem_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name  = slash ? slash + 1 : path;
    const char *dot   = strrchr(name, '.');

    return tn_bytes(name,
                    dot && dot > name ? (size_t)(dot - name) : strlen(name));
}

static enum tn_status extract_file(struct tn_interpreter *i, const char *path,
                                   struct tn_error *error)
{
    struct tn_bytes text = { NULL, 0 };

    TN_TRY(tn_read_file(&i->arena, path, "a vocabulary", &text, error));
    if (tn_cpp_extract(&i->ops, text, stem_of(path), error) != TN_OK)
        tn_error_file(error, path);
    return error->status;
}

enum tn_status tn_interpreter_extract(struct tn_interpreter  **out,
                                      const char *const       *paths,
                                      uint32_t                 path_count,
                                      const struct tn_options *options,
                                      struct tn_error         *error)
{
    TN_ERROR_OR_OWN(error);
    *out = NULL;
    TN_TAKE_OPTIONS(options);
    TN_TRY(tn_interpreter_new(out, options, error));
    for (uint32_t k = 0; k < path_count && !tn_failed(error); k++)
        extract_file(*out, paths[k], error);
    if (!tn_failed(error) && tn_dl4j_ops_commit(&(*out)->ops, error) == TN_OK)
        tn_mappers_commit(&(*out)->mappers, error);
    if (tn_failed(error)) {
        tn_interpreter_close(*out);
        *out = NULL;
    }
    return error->status;
}
