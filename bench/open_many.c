/* open_many.c FILE - opens every file of a list, one after the other: what a
 * catalog cannot do without */
#include <stdio.h>
#include <string.h>

#include <tenon/model.h>

int main(int argc, char **argv)
{
    FILE              *list    = argc == 2 ? fopen(argv[1], "r") : NULL;
    struct tn_options  options = TN_OPTIONS_INIT;
    char               path[4096];
    unsigned long long tensors = 0, files = 0;

    if (!list)
        return 2;
    while (fgets(path, sizeof path, list)) {
        struct tn_model *model;
        path[strcspn(path, "\n")] = '\0';
        if (tn_model_open(&model, path, &options, NULL) != TN_OK)
            return 1;
        tensors += tn_model_tensor_count(model);
        files++;
        tn_model_close(model);
    }
    fclose(list);
    printf("%llu files, %llu tensors\n", files, tensors);
    return 0;
}
