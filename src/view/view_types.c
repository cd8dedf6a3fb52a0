/* view_types.c - the element types of tensors, for the colours of their areas
 */
#include "view/view_types.h"

#include "base/sort.h"

static struct tn_view_type *find(const struct tn_list *types, const char *name)
{
    for (uint64_t i = 0; i < types->count; i++) {
        struct tn_view_type *type = tn_list_at(types, struct tn_view_type, i);
        if (strcmp(type->name, name) == 0)
            return type;
    }
    return NULL;
}

static int by_bytes(const void *left, const void *right, void *context)
{
    const struct tn_view_type *a = left, *b = right;

    (void)context;
    if (a->bytes != b->bytes)
        return a->bytes > b->bytes ? -1 : 1;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return (a->first > b->first) - (a->first < b->first);
}

static void count(struct tn_list *types, const struct tn_tensor *tensor,
                  struct tn_error *error)
{
    const char          *name = tn_picture_type_name(tensor);
    struct tn_view_type *type = find(types, name);

    if (!type) {
        type = tn_list_push(types, struct tn_view_type, error);
        if (!type)
            return;
        *type = (struct tn_view_type){ .name = name, .first = types->count };
    }
    type->count++;
    type->bytes += (double)tn_picture_tensor_bytes(tensor);
}

struct tn_list tn_view_types_of(const struct tn_picture *picture,
                                struct tn_error         *error)
{
    static const enum tn_view_class classes[] = {
        TN_VIEW_CLASS_PRODUCT,    TN_VIEW_CLASS_NORM,
        TN_VIEW_CLASS_POOL,       TN_VIEW_CLASS_DATA,
        TN_VIEW_CLASS_ACTIVATION, TN_VIEW_CLASS_CONTROL,
        TN_VIEW_CLASS_QUANTIZE,   TN_VIEW_CLASS_MATH,
        TN_VIEW_CLASS_CONSTANT,   TN_VIEW_CLASS_SHAPE,
        TN_VIEW_CLASS_OTHER,
    };
    const uint64_t last = sizeof classes / sizeof *classes - 1;
    struct tn_list types;

    tn_list_init(&types, picture->memory, sizeof(struct tn_view_type));
    for (uint64_t i = 0; i < picture->model->tensors.count; i++)
        count(&types, tn_model_tensor(picture->model, i), error);
    tn_sort_items(types.items, types.count, sizeof(struct tn_view_type),
                  by_bytes, NULL);
    for (uint64_t i = 0; i < types.count; i++)
        tn_list_at(&types, struct tn_view_type, i)->class =
            classes[i < last ? i : last];
    return types;
}

enum tn_view_class tn_view_type_class(const struct tn_list   *types,
                                      const struct tn_tensor *tensor)
{
    const struct tn_view_type *type = find(types, tn_picture_type_name(tensor));

    return type ? type->class : TN_VIEW_CLASS_OTHER;
}
