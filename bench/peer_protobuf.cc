/*
 * peer_protobuf.cc - the same files, opened by libprotobuf
 *
 *   peer_protobuf arena|heap onnx|graph PATH
 *
 * Parses out of a mapping, so that no copy of the file is held against it.
 * Prints what stopwatch.h says.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <string>

#include <google/protobuf/arena.h>

#include "onnx.pb.h"
#include "stopwatch.h"
#include "tensorflow_graph.pb.h"

namespace
{

struct Mapping {
    void  *data = MAP_FAILED;
    size_t size = 0;

    explicit Mapping(const char *path)
    {
        struct stat about;
        int         file = open(path, O_RDONLY | O_CLOEXEC);

        if (file < 0 || fstat(file, &about) != 0)
            return;
        size = static_cast<size_t>(about.st_size);
        data = mmap(nullptr, size, PROT_READ, MAP_SHARED, file, 0);
        close(file);
    }
    ~Mapping()
    {
        if (data != MAP_FAILED)
            munmap(data, size);
    }
};

int CountNodes(const onnx::ModelProto &model)
{
    return model.graph().node_size();
}

int CountNodes(const tensorflow::GraphDef &graph)
{
    return graph.node_size();
}

template <class Message> int Parse(Message *message, const Mapping &from)
{
    if (!message->ParseFromArray(from.data, static_cast<int>(from.size)))
        return -1;
    return CountNodes(*message);
}

template <class Message> int Open(const char *path, bool on_arena)
{
    Mapping from(path);

    if (from.data == MAP_FAILED || from.size > INT32_MAX)
        return -1;
    if (!on_arena) {
        Message message;
        return Parse(&message, from);
    }
    google::protobuf::Arena arena;
    return Parse(google::protobuf::Arena::CreateMessage<Message>(&arena), from);
}

} // namespace

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: peer_protobuf arena|heap onnx|graph PATH\n");
        return 2;
    }
    bool             on_arena = std::string(argv[1]) == "arena";
    bool             is_onnx  = std::string(argv[2]) == "onnx";
    struct stopwatch watch    = stopwatch_start();
    int              nodes = is_onnx ? Open<onnx::ModelProto>(argv[3], on_arena)
                                     : Open<tensorflow::GraphDef>(argv[3], on_arena);
    stopwatch_print(watch, nodes);
    return nodes >= 0 ? 0 : 1;
}
