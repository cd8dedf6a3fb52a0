/* replay.c - run a fuzz target over files and folders given as arguments */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");

    if (!file)
        return 0;
    fseek(file, 0, SEEK_END);
    size_t   size = (size_t)ftell(file);
    uint8_t *data = malloc(size + !size);
    rewind(file);
    if (data && fread(data, 1, size, file) == size)
        LLVMFuzzerTestOneInput(data, size);
    free(data);
    fclose(file);
    return 1;
}

static int replay(const char *path)
{
    struct stat    stat_buffer;
    struct dirent *entry;
    char           child[4096];
    int            count = 0;

    if (stat(path, &stat_buffer) != 0)
        return 0;
    if (!S_ISDIR(stat_buffer.st_mode))
        return replay_file(path);
    DIR *dir = opendir(path);
    while (dir && (entry = readdir(dir)) != NULL) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(child, sizeof child, "%s/%s", path, entry->d_name);
        count += replay(child);
    }
    if (dir)
        closedir(dir);
    return count;
}

int main(int argc, char **argv)
{
    int count = 0;

    LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
    for (int i = 1; i < argc; i++)
        count += replay(argv[i]);
    printf("replayed %d inputs\n", count);
    return count > 0 ? 0 : 1;
}
