/*
 * view_data.h - a picture as bytes: what the page of `tenon view` reads
 *
 * The HTML file is the page (viewer/), and between its head and its tail one
 * element per stream:
 *
 *   <script type="application/octet-stream" id="tenon-picture">BASE64</script>
 *
 * BASE64 is a raw deflate stream.  Streams, in this order (an empty one is left
 * out): picture (all that the first drawing needs), nodes, names, values, types,
 * attributes, tensors, overlay.  The page decodes the others when they are
 * first needed.
 *
 * After inflating, every stream is its sections, one after the other, each
 * padded with zeros to a multiple of 4.  The stream "picture" begins with
 *
 *   "TNV1"  u32 header_size  header (UTF-8 JSON), padded to a multiple of 4
 *
 * and its sections follow.  The header describes the sections of all streams:
 *
 *   {"version":1, "generator":"tenon 0.2.0", "title":"bert.onnx",
 *    "format":"onnx", "format_title":"ONNX model", "dialect":"onnx" or "",
 *    "file":{"name":"bert.onnx","size":123},
 *    "summary":[["input","x  float32 [1, 3]"],...],
 *    "counts":{"nodes":N,"ops":N,"blocks":N,"items":N,"edges":N,"values":N,
 *              "tensors":N,"shown":N},
 *    "classes":["other","data",...], "kinds":["graph","scope",...],
 *    "diff":null or {"added":N,"removed":N,"changed":N,
 *                    "changes":[["~ input x","float32 [1] → float32 [2]"],...]},
 *    "overlay":null or {"label":"ms","min":0,"max":1.5,"count":N},
 *    "streams":["picture","nodes",...],
 *    "sections":[{"name":"strings","stream":0,"kind":"text","count":N,
 *                 "bytes":N},...]}
 *
 * Sections are listed in the order of their bytes, stream by stream.  "bytes"
 * is the length without padding.  "count" is the number of items.  Integers are
 * little-endian.  Kinds:
 *
 *   u8, u32, f32, f64   fixed width
 *   varint              LEB128, at most 2^53
 *   delta               zigzag LEB128 of the difference to the item before;
 *                       the first differs from 0
 *   text                strings: `count` varint lengths in bytes, then all
 *                       bytes
 *   front               strings, front coded: for each, varint bytes shared
 *                       with the string before, varint bytes that follow, and
 *                       these bytes.  Shared bytes may end inside a character
 *
 * Strings are always valid UTF-8 and may hold any character, also those of
 * markup and of terminals.  A "string" below is an id in the section `strings`;
 * string 0 is "".
 *
 * Stream "picture"
 *   strings        text
 *   block_kind     u8      index in "kinds"
 *   block_items    varint  number of items; those of block 0 come first
 *   block_edges    varint  number of edges
 *   block_size     varint  nodes of one copy, at all levels
 *   block_lead     u8      1: the block stands for a node, which is the first
 *                          of its copy (an operator with its constants, a
 *                          Loop with its body).  A block of kind "op" also has
 *                          an item for it, its first; others do not.
 *   block_home     varint  0, or the position of its first node + 1: the body
 *                          of a function, which is stored once, however often
 *                          it is called.  Its nodes do not count for the size
 *                          of the block around it
 *   block_caller   varint  for blocks with a home: position + 1 of the first
 *                          node that calls it; 0: none does
 *   block_width, block_height  varint  as laid out, children closed; without
 *                          the frame's header, which the page adds
 *   item_block     varint  0: a node; else the id of a block (block 0, the
 *                          root, is in no block)
 *   item_offset    varint  position of its first node, counted from that of
 *                          the block
 *   item_repeat    varint  1, or n copies: "x 24"
 *   item_x, item_y delta   top left corner, in px, in the block
 *   item_w, item_h delta   of the closed box
 *   item_layer     delta
 *   item_label     varint  string
 *   item_detail    varint  string: second line: the shape of the weights, or ""
 *   item_class     u8      index in "classes": the colour
 *   item_open      u8      1: opened at first
 *   item_state     u8      only in a diff: 0 same, 1 added, 2 removed, 3
 *                          changed, 4 has such nodes inside
 *   edge_from      varint  0: comes from outside the block; else item + 1,
 *                          counted in the block
 *   edge_to        varint  the same; 0: leaves the block
 *   edge_kind      u8      0: a line; 1: stubs at both ends (too long to draw);
 *                          2: control, a dashed line.  Where from or to is 0,
 *                          the line ends in a stub with the label
 *   edge_weight    varint  how many values it stands for
 *   edge_label     varint  string: type and shape of the value, if known; where
 *                          from or to is 0, what is at the other end
 *   edge_lane      varint  0: straight from the lower edge of one box to the
 *                          upper edge of the other.  Else x + 1 of a vertical
 *                          part that passes by the boxes between them
 *   edge_port_from, edge_port_to
 *                  varint  x of its end, relative to the left edge of the box;
 *                          0 where there is no box
 *
 * The items of a block are in the order of their nodes.  A block that begins
 * at position p has the first node of an item at p + item_offset, and copy k of
 * the item at p + item_offset + k * block_size; a block with a home begins
 * there, wherever it is opened.  Block 0 is the root and begins at 0.  Blocks
 * never contain themselves, except through a home.
 *
 * Stream "nodes": all by position
 *   node_kind      u8      0 operator, 1 input, 2 output, 3 weights that
 *                          several nodes share, 4 tensor (of a model without
 *                          a graph)
 *   node_op        varint  string: the operator, or ""
 *   node_domain    varint  string
 *   node_class     u8
 *   node_attrs     varint  attribute list
 *   node_in        varint  number of inputs
 *   node_control   varint  how many of them, the last, are control inputs
 *   node_own       varint  values that are numbered here: constants and others
 *                          that no node makes
 *   node_out       varint  number of outputs
 *   node_inputs    varint  0: left out; else zigzag(first - value) + 1, where
 *                          `first` is the first output of the node
 *   node_state     u8      only in a diff
 *   node_changes   varint  likewise: list of what differs, as of attributes
 * Values are numbered in the order of nodes: first the node's own, then its
 * outputs.  So node i has the outputs first .. first + node_out[i], and the
 * next node begins after them.
 *
 * Stream "names"
 *   node_name      front   by position
 *
 * Stream "values"
 *   value_name     front   by value; "" for the first output of a node that
 *                          has the name of the node
 *
 * Stream "types"
 *   value_type     varint  string: "float32 [1, 3, ?]", or ""
 *   value_tensor   varint  0, or tensor + 1
 *
 * Stream "attributes"
 *   list_count     varint  attributes in each list; list 0 is empty
 *   attr_name      varint  attribute text
 *   attr_text      varint  attribute text
 *   attr_texts     text    0 is ""
 *
 * Stream "tensors"
 *   tensor_name    front
 *   tensor_dtype   varint  word: an id in tensor_words
 *   tensor_shape   varint  word: "[64, 3, 7, 7]"
 *   tensor_bytes   varint
 *   tensor_role    u8      0 constant, 1 attribute, 2 variable, 3, 4 sparse, 5
 *                          state
 *   tensor_file    varint  word: the file, "" for the main one
 *   tensor_offset  varint  0: nowhere; else offset + 1
 *   tensor_words   text    0 is ""
 *   with --stats, by tensor:
 *   tensor_has_stats  u8   0: not numbers, or not read
 *   tensor_min, tensor_max, tensor_mean, tensor_deviation  f64
 *   tensor_zeros, tensor_nans, tensor_infinities  varint
 *   tensor_low, tensor_bin_width  f64  where the histogram begins
 *   tensor_bins    varint  32 for each tensor: the histogram; bins after the
 *                          last one in use are 0
 *
 * Stream "overlay"
 *   node_number    f32     by position; NaN: none
 *
 * A model without a graph is one root block of kind "tensors", whose items are
 * a treemap: areas are bytes.  Items are nodes of kind 4 or blocks of kind
 * "tensors".  Node i of kind 4 has one own value with its tensor, no inputs.
 */
#ifndef TN_VIEW_VIEW_DATA_H
#define TN_VIEW_VIEW_DATA_H

#include "base/sink.h"
#include "view/picture.h"

/* What the page says about the file. */
struct tn_view_about {
    const char *name; /* of the file, without folders                         */
    const char *version;
    unsigned    workers; /* threads to compress with; 0: one per core         */
};

/*
 * The page, with the picture in it.  Most of it depends on no block: for a
 * large picture it is made on other threads while blocks are,
 *
 *   page = tn_view_page_open(&picture, &about, error);
 *   picture.hear = tn_view_page_hear, picture.listener = page;
 *   tn_picture_draw(&picture);
 *   tn_view_page_write(page, sink, error);
 *   tn_view_page_close(page);
 *
 * if nobody changes types or reads statistics after the picture was drawn.  The
 * two in the second line are left out otherwise, and the page is opened when
 * all is there.
 */
struct tn_view_page;

/* NULL on failure.  `about` must live as long as the page. */
struct tn_view_page *tn_view_page_open(const struct tn_picture    *picture,
                                       const struct tn_view_about *about,
                                       struct tn_error            *error);
void                 tn_view_page_hear(void *page, enum tn_picture_step step);
enum tn_status tn_view_page_write(struct tn_view_page *page, struct tn_sink *to,
                                  struct tn_error *error);

/* Waits for the threads.  NULL is fine. */
void tn_view_page_close(struct tn_view_page *page);

/* All of these, of a picture that is complete. */
static inline enum tn_status tn_view_write_html(
    const struct tn_picture *picture, const struct tn_view_about *about,
    struct tn_sink *to, struct tn_error *error)
{
    struct tn_view_page *page = tn_view_page_open(picture, about, error);

    if (page)
        tn_view_page_write(page, to, error);
    tn_view_page_close(page);
    return error->status;
}

#endif
