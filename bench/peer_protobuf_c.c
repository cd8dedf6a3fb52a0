/*
 * peer_protobuf_c.c - the same ONNX files, opened by protobuf-c
 *
 *   peer_protobuf_c PATH
 *
 * Prints what stopwatch.h says.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "onnx.pb-c.h"
#include "stopwatch.h"

static long open_model(const char *path)
{
    struct stat about;
    int         file = open(path, O_RDONLY | O_CLOEXEC);

    if (file < 0 || fstat(file, &about) != 0)
        return -1;
    size_t size = (size_t)about.st_size;
    void  *map  = mmap(NULL, size, PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (map == MAP_FAILED)
        return -1;
    Onnx__ModelProto *model = onnx__model_proto__unpack(NULL, size, map);
    long nodes = model && model->graph ? (long)model->graph->n_node : -1;
    if (model)
        onnx__model_proto__free_unpacked(model, NULL);
    munmap(map, size);
    return nodes;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: peer_protobuf_c PATH\n");
        return 2;
    }
    struct stopwatch watch = stopwatch_start();
    long             nodes = open_model(argv[1]);
    stopwatch_print(watch, nodes);
    return nodes >= 0 ? 0 : 1;
}
