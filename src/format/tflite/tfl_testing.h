/* tfl_testing.h - little TFLite models, for the tests and the fuzzer */
#ifndef TN_FORMAT_TFL_TESTING_H
#define TN_FORMAT_TFL_TESTING_H

#include "base/buffer.h"
#include "base/rope.h"
#include "format/tflite/tflite.h"
#include "wire/fb/fb_builtin.h"
#include "wire/fb/fb_json_read.h"

/* Two subgraphs, an IF, a quantised CONV_2D, a custom operator; names that are
 * missing or taken; data in all forms. */
#define TFL_SAMPLE                                                             \
    "{'version':3,'description':'little',"                                     \
    "'operator_codes':[{'deprecated_builtin_code':3,'version':2},"             \
    "{'deprecated_builtin_code':32,'custom_code':'Mine'},"                     \
    "{'deprecated_builtin_code':118,'builtin_code':'IF'},"                     \
    "{'deprecated_builtin_code':127,'builtin_code':'GELU'}],'buffers':[{},"    \
    "{'data':[1,2,3,255]},{'data':[0,0,128,63]},{'data':[33,67]},"             \
    "{'data':[2,0,0,0,16,0,0,0,17,0,0,0,19,0,0,0,97,98,99]},{'data':[0,0,0,"   \
    "64,0,0,64,64]},{'data':[49,46,53]}],'subgraphs':[{'name':'main',"         \
    "'tensors':[{'shape':[1,2,2,1],'shape_signature':[-1,2,2,1],"              \
    "'type':'INT8','name':'x','quantization':{'scale':[0.5],"                  \
    "'zero_point':[-3]}},{'shape':[2,1,2,1],'type':'INT8','buffer':1,"         \
    "'name':'w','quantization':{'scale':[0.25,0.125],'zero_point':[0,0]}},"    \
    "{'shape':[1,2,2,2],'type':'INT8','name':'y',"                             \
    "'quantization':{'scale':[1],'zero_point':[0]}},{'shape':[1],"             \
    "'type':'BOOL','name':'c'},{'shape':[1,2,2,2],'type':'INT8',"              \
    "'name':'y'},{'shape':[1,2,2,2],'type':'INT8'},{'shape':[3],"              \
    "'type':'INT4','buffer':3,'name':'nibbles'},{'shape':[2],"                 \
    "'type':'STRING','buffer':4,'name':'words'},{'shape':[2,2],'buffer':5,"    \
    "'name':'sparse','sparsity':{'traversal_order':[0,1],"                     \
    "'dim_metadata':[{'dense_size':2},{'format':'SPARSE_CSR',"                 \
    "'array_segments_type':'Int32Vector','array_segments':{'values':[0,1,"     \
    "2]},'array_indices_type':'Uint8Vector','array_indices':{'values':[1,"     \
    "0]}}]}},{'shape':[4],'name':'state','is_variable':true}],'inputs':[0,"    \
    "3],'outputs':[5],'operators':[{'inputs':[0,1,-1],'outputs':[2],"          \
    "'builtin_options_type':'Conv2DOptions',"                                  \
    "'builtin_options':{'padding':'VALID','stride_w':2,'stride_h':1,"          \
    "'fused_activation_function':'RELU6'}},{'opcode_index':2,'inputs':[3,"     \
    "2],'outputs':[4],'builtin_options_type':'IfOptions',"                     \
    "'builtin_options':{'then_subgraph_index':1,'else_subgraph_index':2}},"    \
    "{'opcode_index':1,'inputs':[4,6,7,8,9],'outputs':[5],"                    \
    "'custom_options':[7,8]}]},{'name':'branch','tensors':[{'shape':[1,2,2,"   \
    "2],'type':'INT8','name':'a'},{'shape':[1,2,2,2],'type':'INT8',"           \
    "'name':'b'}],'inputs':[0],'outputs':[1],"                                 \
    "'operators':[{'opcode_index':3,'inputs':[0],'outputs':[1],"               \
    "'builtin_options_type':'GeluOptions',"                                    \
    "'builtin_options':{'approximate':true}}]},{'name':'branch',"              \
    "'tensors':[{'shape':[1,2,2,2],'type':'INT8','name':'a'}],'inputs':[0],"   \
    "'outputs':[0],'operators':[]}],"                                          \
    "'metadata':[{'name':'min_runtime_version','buffer':6}],"                  \
    "'signature_defs':[{'inputs':[{'name':'picture'},{'name':'which',"         \
    "'tensor_index':3}],'outputs':[{'name':'result','tensor_index':5}],"       \
    "'signature_key':'serving_default'},{'inputs':[{'name':'in'}],"            \
    "'outputs':[{'name':'out','tensor_index':1}],'signature_key':'second',"    \
    "'subgraph_index':1}]}"

/* The file that JSON describes, with ' for "; failures go to `error`. */
static inline void tfl_make(struct tn_buffer *to, const char *text,
                            struct tn_memory *memory, struct tn_error *error)
{
    struct tn_fb_schema schema;
    struct tn_arena     arena;
    struct tn_buffer    json;
    struct tn_rope      rope;
    struct tn_source    source;

    tn_arena_init(&arena, memory);
    tn_buffer_init(&json, memory, error);
    for (const char *at = text; *at; at++)
        tn_buffer_byte(&json, *at == '\'' ? '"' : (uint8_t)*at);
    tn_source_memory(&source, memory, tn_buffer_bytes(&json));
    tn_rope_init(&rope, &arena, error);
    if (tn_fb_schema_load_builtin(&schema, &arena, TN_FB_TFLITE, error) ==
            TN_OK &&
        tn_fb_json_read(&schema, schema.root,
                        (struct tn_span){ &source, 0, source.size }, &rope,
                        error) == TN_OK)
        tn_rope_write(&rope, &to->sink, error);
    tn_rope_done(&rope);
    tn_source_close(&source);
    tn_buffer_done(&json);
    tn_arena_done(&arena);
}

#endif
