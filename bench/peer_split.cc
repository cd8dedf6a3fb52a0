/*
 * peer_split.cc - a GraphDef split and merged by way of libprotobuf
 *
 *   peer_split split GRAPH OUT LIMIT
 *   peer_split merge IN GRAPH
 *
 * What TensorFlow does: parse the message, move its nodes into messages of at
 * most LIMIT bytes, serialize each of them; and to merge, parse each, merge it
 * into one message and serialize that.  The chunks go to a file as length and
 * bytes, without hashes and without compression, which is less than it does.
 * Prints what stopwatch.h says.
 */
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "stopwatch.h"
#include "tensorflow_graph.pb.h"

namespace
{

using tensorflow::GraphDef;

constexpr int kElementHead = 5; /* tag and length, as TensorFlow counts them */

bool ReadFile(const char *path, std::string *bytes)
{
    std::ifstream in(path, std::ios::binary | std::ios::ate);

    if (!in)
        return false;
    bytes->resize(static_cast<size_t>(in.tellg()));
    in.seekg(0);
    return static_cast<bool>(
        in.read(&(*bytes)[0], static_cast<std::streamsize>(bytes->size())));
}

bool WriteChunk(std::ofstream *out, const GraphDef &chunk)
{
    std::string bytes;

    if (!chunk.SerializeToString(&bytes))
        return false;
    uint64_t size = bytes.size();
    out->write(reinterpret_cast<const char *>(&size), sizeof size);
    out->write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return static_cast<bool>(*out);
}

std::vector<int> FindCuts(const GraphDef &graph, size_t limit)
{
    std::vector<int> cuts{ 0 };
    size_t           held = 0;

    for (int i = 0; i < graph.node_size(); i++) {
        size_t size = graph.node(i).ByteSizeLong();
        if (held + size > limit) {
            cuts.push_back(i);
            held = 0;
        }
        held += size + kElementHead;
    }
    cuts.push_back(graph.node_size());
    return cuts;
}

int Split(const char *from, const char *to, size_t limit)
{
    std::string   bytes;
    GraphDef      graph;
    std::ofstream out(to, std::ios::binary | std::ios::trunc);

    if (!ReadFile(from, &bytes) || !graph.ParseFromString(bytes))
        return -1;
    int              count = graph.node_size();
    std::vector<int> cuts  = FindCuts(graph, limit);
    google::protobuf::RepeatedPtrField<tensorflow::NodeDef> nodes;
    nodes.Swap(graph.mutable_node());
    if (!WriteChunk(&out, graph))
        return -1;
    for (size_t i = 0; i + 1 < cuts.size(); i++) {
        GraphDef slice;
        for (int k = cuts[i]; k < cuts[i + 1]; k++)
            slice.add_node()->Swap(nodes.Mutable(k));
        if (!WriteChunk(&out, slice))
            return -1;
    }
    return count;
}

int Merge(const char *from, const char *to)
{
    std::ifstream in(from, std::ios::binary);
    std::ofstream out(to, std::ios::binary | std::ios::trunc);
    GraphDef      graph;
    std::string   bytes;
    uint64_t      size;

    while (in.read(reinterpret_cast<char *>(&size), sizeof size)) {
        GraphDef chunk;
        bytes.resize(size);
        if (!in.read(&bytes[0], static_cast<std::streamsize>(size)) ||
            !chunk.ParseFromString(bytes))
            return -1;
        graph.MergeFrom(chunk);
    }
    if (!graph.SerializeToOstream(&out))
        return -1;
    return graph.node_size();
}

} // namespace

int main(int argc, char **argv)
{
    std::string      job   = argc > 1 ? argv[1] : "";
    struct stopwatch watch = stopwatch_start();
    int              nodes = -1;

    if (job == "split" && argc == 5)
        nodes = Split(argv[2], argv[3], std::stoul(argv[4]));
    else if (job == "merge" && argc == 4)
        nodes = Merge(argv[2], argv[3]);
    else
        fprintf(stderr, "usage: peer_split split GRAPH OUT LIMIT\n"
                        "       peer_split merge IN GRAPH\n");
    stopwatch_print(watch, nodes);
    return nodes >= 0 ? 0 : 1;
}
