"""The C API for ctypes: made by tools/make_python_api.py from include/tenon; do not edit."""
import ctypes as c

from tenon import _library

TN_AT_END = 18446744073709551615
TN_HASH_SIZE = 32
TN_NONE = 4294967295
TN_NOWHERE = 18446744073709551615
TN_STATISTICS_BINS = 32
TN_VERSION_MAJOR = 0
TN_VERSION_MINOR = 2
TN_VERSION_PATCH = 0
TN_OK = 0
TN_TRUNCATED = 1
TN_MALFORMED = 2
TN_LIMIT = 3
TN_UNSUPPORTED = 4
TN_NOT_FOUND = 5
TN_IO = 6
TN_NO_MEMORY = 7
TN_EXISTS = 8
TN_BUSY = 9
TN_INVALID = 10
TN_CANCELLED = 11
TN_REASON_NONE = 0
TN_REASON_UNKNOWN_FORMAT = 1
TN_REASON_NOT_A_MODEL = 2
TN_REASON_SEVERAL_MODELS = 3
TN_REASON_UNKNOWN_TARGET_FORMAT = 4
TN_REASON_UNWRITABLE_FORMAT = 5
TN_REASON_TARGET_EXISTS = 6
TN_REASON_TARGET_BUSY = 7
TN_REASON_MISSING_FILE = 8
TN_REASON_MISSING_SHARD = 9
TN_REASON_SYMBOLIC_LINK = 10
TN_REASON_CUT_SHORT = 11
TN_REASON_EXPANSION_LIMIT = 12
TN_REASON_MEMORY_LIMIT = 13
TN_REASON_BAD_OPTION = 14
TN_REASON_BAD_RULES = 15
TN_REASON_INVALID_MODEL = 16
TN_REASON_INVALID_RESULT = 17
TN_REASON_LOSSES = 18
TN_REASON_NO_RULES = 19
TN_REASON_NO_RULE = 20
TN_REASON_RULE_REFUSED = 21
TN_REASON_UNKNOWN_TYPE = 22
TN_REASON_UNKNOWN_SHAPE = 23
TN_REASON_UNKNOWN_VALUE = 24
TN_REASON_UNKNOWN_SIGNATURE = 25
TN_REASON_SEVERAL_SIGNATURES = 26
TN_REASON_NO_SIGNATURE = 27
TN_REASON_UNKNOWN_INPUT = 28
TN_REASON_UNKNOWN_OUTPUT = 29
TN_REASON_MISSING_INPUT = 30
TN_REASON_MISSING_VARIABLE = 31
TN_REASON_NO_RECEIPT = 32
TN_REASON_BAD_SHAPE = 33
TN_REASON_FOREIGN_OPTION = 34
TN_REASON_NO_TRANSPORT = 35
TN_REASON_UNREACHABLE = 36
TN_REASON_SERVER_BUSY = 37
TN_REASON_ACCESS_DENIED = 38
TN_REASON_BAD_ANSWER = 39
TN_REASON_NO_RANGES = 40
TN_REASON_REMOTE_CHANGED = 41
TN_REASON_REMOTE_LIMIT = 42
TN_REASON_URL_IN_FILE = 43
TN_UNDEFINED = 0
TN_FLOAT32 = 1
TN_FLOAT64 = 2
TN_FLOAT16 = 3
TN_BFLOAT16 = 4
TN_FLOAT8E4M3FN = 5
TN_FLOAT8E4M3FNUZ = 6
TN_FLOAT8E4M3B11FNUZ = 7
TN_FLOAT8E5M2 = 8
TN_FLOAT8E5M2FNUZ = 9
TN_FLOAT8E8M0 = 10
TN_FLOAT4E2M1 = 11
TN_INT8 = 12
TN_INT16 = 13
TN_INT32 = 14
TN_INT64 = 15
TN_INT4 = 16
TN_INT2 = 17
TN_UINT8 = 18
TN_UINT16 = 19
TN_UINT32 = 20
TN_UINT64 = 21
TN_UINT4 = 22
TN_UINT2 = 23
TN_BOOL = 24
TN_COMPLEX64 = 25
TN_COMPLEX128 = 26
TN_STRING = 27
TN_QINT8 = 28
TN_QUINT8 = 29
TN_QINT16 = 30
TN_QUINT16 = 31
TN_QINT32 = 32
TN_RESOURCE = 33
TN_VARIANT = 34
TN_DTYPE_COUNT = 35
TN_ROLE_INITIALIZER = 0
TN_ROLE_ATTRIBUTE = 1
TN_ROLE_VARIABLE = 2
TN_ROLE_SPARSE_VALUES = 3
TN_ROLE_SPARSE_INDICES = 4
TN_ROLE_STATE = 5
TN_OPTION_FLAG = 0
TN_OPTION_TEXT = 1
TN_OPTION_FILE = 2
TN_OPTION_SIZE = 3
TN_OPTION_CHOICE = 4
TN_SEVERITY_NOTE = 0
TN_SEVERITY_WARNING = 1
TN_SEVERITY_ERROR = 2
TN_GET_NPY = 0
TN_GET_RAW = 1
TN_GET_TEXT = 2
TN_DUMP_TEXT = 0
TN_DUMP_JSON = 1
TN_SPLIT_CPP = 0
TN_SPLIT_PYTHON = 1
TN_CATALOG_BY_NAME = 0
TN_CATALOG_SQLITE = 1
TN_CATALOG_NDJSON = 2
TN_CATALOG_ARROW = 3
TN_CATALOG_ARROW_STREAM = 4
TN_CHUNK_UNSET = 0
TN_CHUNK_MESSAGE = 1
TN_CHUNK_BYTES = 2
TN_SCALARS_TEXT = 0
TN_SCALARS_BINARY = 1
TN_GRAPH_MAIN = 0
TN_GRAPH_SUBGRAPH = 1
TN_GRAPH_FUNCTION = 2
TN_GRAPH_OTHER = 3
TN_VALUE_UNDEFINED = 0
TN_VALUE_INPUT = 1
TN_VALUE_INITIALIZER = 2
TN_VALUE_OUTPUT = 3
TN_VALUE_OUTER = 4
TN_ATTR_NONE = 0
TN_ATTR_INT = 1
TN_ATTR_FLOAT = 2
TN_ATTR_BOOL = 3
TN_ATTR_STRING = 4
TN_ATTR_DTYPE = 5
TN_ATTR_SHAPE = 6
TN_ATTR_TENSOR = 7
TN_ATTR_GRAPH = 8
TN_ATTR_FUNCTION = 9
TN_ATTR_REFERENCE = 10
TN_ATTR_OTHER = 11
TN_ATTR_DOUBLE = 12
TN_VIEW_AUTO = 0
TN_VIEW_HTML = 1
TN_VIEW_SVG = 2
TN_DIFF_INPUT = 0
TN_DIFF_OUTPUT = 1
TN_DIFF_VERSION = 2
TN_DIFF_SIGNATURE = 3
TN_DIFF_GRAPH = 4
TN_DIFF_OPERATOR = 5
TN_DIFF_TENSOR = 6
TN_DIFF_METADATA = 7
TN_DIFF_PARTS = 8
TN_DIFF_ADDED = 0
TN_DIFF_REMOVED = 1
TN_DIFF_CHANGED = 2
TN_DIFF_RENAMED = 3
TN_DIFF_MOVED = 4
TN_VARIABLE_CONSTANT = 0
TN_VARIABLE_TRAINED = 1
TN_VARIABLE_PLACEHOLDER = 2
TN_ARG_FLOAT = 0
TN_ARG_DOUBLE = 1
TN_ARG_INT32 = 2
TN_ARG_INT64 = 3
TN_ARG_BOOL = 4
TN_ARG_DATA_TYPE = 5
TN_ARG_INPUT_TENSOR = 6
TN_ARG_OUTPUT_TENSOR = 7
TN_ARG_STRING = 8
TN_ARG_TYPE_COUNT = 9
TN_LIST_IN = 0
TN_LIST_OUT = 1
TN_LIST_T = 2
TN_LIST_I = 3
TN_LIST_B = 4
TN_LIST_D = 5
TN_LIST_S = 6
TN_LIST_AXIS = 7
TN_LIST_COUNT = 8
TN_CUSTOM_OP_IMPL = 0
TN_BOOLEAN_OP_IMPL = 1
TN_LIST_OP_IMPL = 2
TN_LOGIC_OP_IMPL = 3
TN_OP_IMPL = 4
TN_DIVERGENT_OP_IMPL = 6
TN_CONFIGURABLE_OP_IMPL = 7
TN_REDUCTION_OP_IMPL = 8
TN_BROADCASTABLE_OP_IMPL = 9
TN_BROADCASTABLE_BOOL_OP_IMPL = 10
TN_LEGACY_XYZ = 11
TN_PLATFORM_IMPL = 12
TN_DESCRIPTOR_BINARY = 0
TN_DESCRIPTOR_TEXT = 1
TN_DESCRIPTOR_JSON = 2
TN_EXPLAIN_RULE = 0
TN_EXPLAIN_READS = 1
TN_EXPLAIN_DROPS = 2
TN_EXPLAIN_GIVES = 3
TN_EXPLAIN_UNSET = 4
TN_EXPLAIN_DEFECT = 5
TN_EXPORT_OPS = 0
TN_EXPORT_RULES = 1
TN_VERDICT_NOTE = 0
TN_VERDICT_UNKNOWN = 1
TN_VERDICT_DANGEROUS = 2
TN_OF_VALUES = 0
TN_OF_MAGNITUDES = 1
TN_OF_LENGTHS = 2
TN_TAG_ONLY_LEFT = 0
TN_TAG_ONLY_RIGHT = 1
TN_TAG_OTHER_TYPE = 2
TN_TAG_OTHER_VALUES = 3
TN_TAG_OTHER_FILE = 4


class tn_allocator(c.Structure):
    pass


class tn_bytes(c.Structure):
    pass


class tn_error(c.Structure):
    pass


class tn_setting(c.Structure):
    pass


class tn_options(c.Structure):
    pass


class tn_folder_model(c.Structure):
    pass


class tn_fact(c.Structure):
    pass


class tn_dim(c.Structure):
    pass


class tn_io(c.Structure):
    pass


class tn_io_list(c.Structure):
    pass


class tn_signature(c.Structure):
    pass


class tn_op_kind(c.Structure):
    pass


class tn_array_options(c.Structure):
    pass


class tn_array_info(c.Structure):
    pass


class tn_format_info(c.Structure):
    pass


class tn_format_option(c.Structure):
    pass


class tn_target(c.Structure):
    pass


class tn_finding(c.Structure):
    pass


class tn_check_options(c.Structure):
    pass


class tn_check_summary(c.Structure):
    pass


class tn_get_options(c.Structure):
    pass


class tn_dump_options(c.Structure):
    pass


class tn_input_shape(c.Structure):
    pass


class tn_map_options(c.Structure):
    pass


class tn_convert_options(c.Structure):
    pass


class tn_convert_summary(c.Structure):
    pass


class tn_plan_row(c.Structure):
    pass


class tn_plan_pass(c.Structure):
    pass


class tn_plan_listener(c.Structure):
    pass


class tn_plan_summary(c.Structure):
    pass


class tn_split_format(c.Structure):
    pass


class tn_split_options(c.Structure):
    pass


class tn_split_summary(c.Structure):
    pass


class tn_strip_options(c.Structure):
    pass


class tn_strip_summary(c.Structure):
    pass


class tn_block_info(c.Structure):
    pass


class tn_catalog_file(c.Structure):
    pass


class tn_catalog_options(c.Structure):
    pass


class tn_catalog_totals(c.Structure):
    pass


class tn_message_part(c.Structure):
    pass


class tn_step(c.Structure):
    pass


class tn_path(c.Structure):
    pass


class tn_split_version(c.Structure):
    pass


class tn_split_rule(c.Structure):
    pass


class tn_graph_info(c.Structure):
    pass


class tn_op_info(c.Structure):
    pass


class tn_value_info(c.Structure):
    pass


class tn_attr_shape(c.Structure):
    pass


class tn_attr_value_of(c.Union):
    pass


class tn_attr_value(c.Structure):
    pass


class tn_view_options(c.Structure):
    pass


class tn_view_summary(c.Structure):
    pass


class tn_diff_options(c.Structure):
    pass


class tn_diff_facet(c.Structure):
    pass


class tn_diff_change(c.Structure):
    pass


class tn_diff_summary(c.Structure):
    pass


class tn_patch_summary(c.Structure):
    pass


class tn_op_spec(c.Structure):
    pass


class tn_edit_action_info(c.Structure):
    pass


class tn_apply_options(c.Structure):
    pass


class tn_native(c.Structure):
    pass


class tn_native_type(c.Structure):
    pass


class tn_native_attr(c.Structure):
    pass


class tn_native_node(c.Structure):
    pass


class tn_arg(c.Structure):
    pass


class tn_args(c.Structure):
    pass


class tn_op_descriptor(c.Structure):
    pass


class tn_custom_function(c.Structure):
    pass


class tn_interpreter_options(c.Structure):
    pass


class tn_interpret_context(c.Structure):
    pass


class tn_mapper_info(c.Structure):
    pass


class tn_texts(c.Structure):
    pass


class tn_tensor_list(c.Structure):
    pass


class tn_op_list(c.Structure):
    pass


class tn_metadata_list(c.Structure):
    pass


class tn_request(c.Structure):
    pass


class tn_remote_options(c.Structure):
    pass


class tn_rule_info(c.Structure):
    pass


class tn_rule_finding(c.Structure):
    pass


class tn_rule_example(c.Structure):
    pass


class tn_rule_examples(c.Structure):
    pass


class tn_scan_finding(c.Structure):
    pass


class tn_scan_totals(c.Structure):
    pass


class tn_statistics(c.Structure):
    pass


class tn_tag_info(c.Structure):
    pass


class tn_tag_change(c.Structure):
    pass


class tn_tag_options(c.Structure):
    pass


class tn_tag_summary(c.Structure):
    pass


class tn_writer(c.Structure):
    pass

tn_allocator._fields_ = [
    ("resize", c.CFUNCTYPE(c.c_void_p, c.c_void_p, c.c_void_p, c.c_size_t, c.c_size_t)),
    ("context", c.c_void_p),
]
tn_bytes._fields_ = [
    ("data", c.c_void_p),
    ("size", c.c_size_t),
]
tn_error._fields_ = [
    ("status", c.c_int),
    ("reason", c.c_int),
    ("offset", c.c_uint64),
    ("file", c.c_char * 120),
    ("where", c.c_char * 120),
    ("what", c.c_char * 768),
]
tn_progress = c.CFUNCTYPE(c.c_int, c.c_void_p, c.c_char_p, c.c_uint64, c.c_uint64)
tn_setting._fields_ = [
    ("name", c.c_char_p),
    ("value", c.c_char_p),
]
tn_options._fields_ = [
    ("size", c.c_size_t),
    ("allocator", c.POINTER(tn_allocator)),
    ("max_memory", c.c_uint64),
    ("max_expand", c.c_uint64),
    ("workers", c.c_uint),
    ("from_", c.c_char_p),
    ("tag", c.c_char_p),
    ("keep_unmapped", c.c_bool),
    ("wants_graph", c.c_bool),
    ("settings", c.POINTER(tn_setting)),
    ("setting_count", c.c_uint32),
    ("progress", tn_progress),
    ("progress_context", c.c_void_p),
    ("temporaries", c.c_void_p),
    ("remote", c.POINTER(tn_remote_options)),
]
tn_read_at = c.CFUNCTYPE(c.c_int, c.c_void_p, c.c_uint64, c.c_void_p, c.c_size_t)
tn_folder_model._fields_ = [
    ("path", c.c_char_p),
    ("format", c.c_char_p),
    ("title", c.c_char_p),
]
tn_on_folder_model = c.CFUNCTYPE(c.c_int, c.c_void_p, c.POINTER(tn_folder_model))
tn_fact._fields_ = [
    ("key", tn_bytes),
    ("value", tn_bytes),
]
tn_dim._fields_ = [
    ("value", c.c_int64),
    ("symbol", tn_bytes),
]
tn_io._fields_ = [
    ("name", tn_bytes),
    ("key", tn_bytes),
    ("dtype", c.c_int),
    ("has_rank", c.c_bool),
    ("has_default", c.c_bool),
    ("is_guessed", c.c_bool),
    ("rank", c.c_uint32),
    ("dims", c.POINTER(tn_dim)),
    ("note", c.c_char_p),
]
tn_io_list._fields_ = [
    ("count", c.c_uint32),
    ("items", c.POINTER(tn_io)),
]
tn_signature._fields_ = [
    ("name", tn_bytes),
    ("method", tn_bytes),
    ("inputs", tn_io_list),
    ("outputs", tn_io_list),
]
tn_op_kind._fields_ = [
    ("type", tn_bytes),
    ("domain", tn_bytes),
    ("count", c.c_uint64),
]
tn_on_string = c.CFUNCTYPE(c.c_int, c.c_void_p, c.c_uint64, tn_bytes)
tn_array_options._fields_ = [
    ("size", c.c_size_t),
    ("slice", c.c_char_p),
    ("allows_unaligned", c.c_bool),
    ("is_copied", c.c_bool),
]
tn_array_info._fields_ = [
    ("data", c.c_void_p),
    ("size", c.c_uint64),
    ("dtype", c.c_int),
    ("rank", c.c_uint32),
    ("dims", c.POINTER(c.c_uint64)),
    ("is_mapped", c.c_bool),
]
tn_format_info._fields_ = [
    ("name", c.c_char_p),
    ("title", c.c_char_p),
    ("dialect", c.c_char_p),
    ("suffixes", c.POINTER(c.c_char_p)),
    ("can_read", c.c_bool),
    ("can_write", c.c_bool),
    ("can_check", c.c_bool),
    ("has_text", c.c_bool),
]
tn_format_option._fields_ = [
    ("name", c.c_char_p),
    ("kind", c.c_int),
    ("letter", c.c_char),
    ("is_for_reading", c.c_bool),
    ("value", c.c_char_p),
    ("standard", c.c_char_p),
    ("help", c.c_char_p),
    ("needs", c.c_char_p),
    ("excludes", c.c_char_p),
]
tn_target._fields_ = [
    ("path", c.c_char_p),
    ("can_replace", c.c_bool),
    ("is_dry_run", c.c_bool),
    ("is_durable", c.c_bool),
]
tn_finding._fields_ = [
    ("severity", c.c_int),
    ("rule", c.c_char_p),
    ("file", c.c_char_p),
    ("offset", c.c_uint64),
    ("where", c.c_char_p),
    ("what", c.c_char_p),
    ("reason", c.c_int),
]
tn_on_finding = c.CFUNCTYPE(c.c_int, c.c_void_p, c.POINTER(tn_finding))
tn_check_options._fields_ = [
    ("size", c.c_size_t),
    ("skip_data", c.c_bool),
    ("max_findings", c.c_uint64),
]
tn_check_summary._fields_ = [
    ("errors", c.c_uint64),
    ("warnings", c.c_uint64),
    ("notes", c.c_uint64),
    ("format", c.c_char * 32),
    ("nodes", c.c_uint64),
    ("tensors", c.c_uint64),
    ("bytes_verified", c.c_uint64),
    ("has_records", c.c_bool),
    ("can_repair", c.c_bool),
]
tn_get_options._fields_ = [
    ("size", c.c_size_t),
    ("form", c.c_int),
    ("slice", c.c_char_p),
]
tn_dump_options._fields_ = [
    ("size", c.c_size_t),
    ("form", c.c_int),
    ("schema", c.c_char_p),
    ("type", c.c_char_p),
    ("is_strict", c.c_bool),
    ("use_json_names", c.c_bool),
]
tn_on_loss = c.CFUNCTYPE(None, c.c_void_p, c.c_uint64, c.c_char_p, c.c_char_p)
tn_input_shape._fields_ = [
    ("name", c.c_char_p),
    ("dims", c.POINTER(c.c_int64)),
    ("rank", c.c_uint32),
    ("symbols", c.POINTER(c.c_char_p)),
]
tn_map_options._fields_ = [
    ("size", c.c_size_t),
    ("inputs", c.POINTER(c.c_char_p)),
    ("outputs", c.POINTER(c.c_char_p)),
    ("input_count", c.c_uint32),
    ("output_count", c.c_uint32),
    ("signature", c.c_char_p),
    ("rules", c.POINTER(c.c_char_p)),
    ("rule_count", c.c_uint32),
    ("allow", c.POINTER(c.c_char_p)),
    ("allow_count", c.c_uint32),
    ("folds_nothing", c.c_bool),
    ("force_invalid", c.c_bool),
    ("receipt", c.c_char_p),
    ("functions", c.POINTER(tn_native)),
    ("function_count", c.c_uint32),
    ("book", c.c_void_p),
    ("only_rules", c.c_bool),
    ("shapes", c.POINTER(tn_input_shape)),
    ("shape_count", c.c_uint32),
    ("simplifies", c.c_bool),
    ("fold_limit", c.c_uint64),
    ("folds_shapes", c.c_bool),
    ("keeps_nodes", c.c_bool),
    ("via", c.c_char_p),
    ("opset", c.c_uint32),
    ("channels_first", c.c_bool),
    ("keeps_quantized", c.c_bool),
]
tn_convert_options._fields_ = [
    ("size", c.c_size_t),
    ("to", c.c_char_p),
    ("settings", c.POINTER(tn_setting)),
    ("setting_count", c.c_uint32),
    ("loss", tn_on_loss),
    ("loss_context", c.c_void_p),
    ("force_invalid", c.c_bool),
    ("finding", tn_on_finding),
    ("finding_context", c.c_void_p),
    ("map", c.POINTER(tn_map_options)),
    ("is_strict", c.c_bool),
    ("note", tn_on_loss),
    ("note_context", c.c_void_p),
]
tn_convert_summary._fields_ = [
    ("bytes_written", c.c_uint64),
    ("tensors_moved", c.c_uint64),
    ("losses", c.c_uint64),
    ("format", c.c_char * 32),
    ("findings", c.c_uint64),
    ("tensors_outside", c.c_uint64),
]
tn_plan_row._fields_ = [
    ("from_", c.c_char_p),
    ("to", c.c_char_p),
    ("op", tn_bytes),
    ("domain", tn_bytes),
    ("count", c.c_uint64),
    ("where", c.c_char_p),
    ("rule", c.c_char_p),
    ("why", c.c_char_p),
    ("stub", c.c_char_p),
    ("is_allowed", c.c_bool),
]
tn_plan_pass._fields_ = [
    ("dialect", c.c_char_p),
    ("name", c.c_char_p),
    ("what", c.c_char_p),
    ("did", c.c_char_p),
    ("nodes", c.c_uint64),
]
tn_plan_listener._fields_ = [
    ("pass_", c.CFUNCTYPE(None, c.c_void_p, c.POINTER(tn_plan_pass))),
    ("op", c.CFUNCTYPE(None, c.c_void_p, c.POINTER(tn_plan_row))),
    ("context", c.c_void_p),
]
tn_plan_summary._fields_ = [
    ("mapped", c.c_uint64),
    ("unmapped", c.c_uint64),
    ("allowed", c.c_uint64),
    ("format", c.c_char * 32),
    ("way", c.c_char * 120),
]
tn_split_format._fields_ = [
    ("version", c.c_uint),
    ("separates_bytes", c.c_bool),
    ("max_bytes", c.c_uint64),
    ("max_metadata", c.c_uint64),
    ("max_file", c.c_uint64),
]
tn_split_options._fields_ = [
    ("size", c.c_size_t),
    ("schema", c.c_char_p),
    ("type", c.c_char_p),
    ("rules", c.c_int),
    ("max_size", c.c_uint64),
    ("records", c.c_char_p),
    ("format", tn_split_format),
]
tn_split_summary._fields_ = [
    ("message_size", c.c_uint64),
    ("chunks", c.c_uint64),
    ("is_chunked", c.c_bool),
    ("is_folder", c.c_bool),
    ("drops_fingerprint", c.c_bool),
    ("warning", c.c_char * 240),
]
tn_strip_options._fields_ = [
    ("size", c.c_size_t),
    ("callstack", c.c_bool),
    ("training", c.c_bool),
    ("loss", tn_on_loss),
    ("loss_context", c.c_void_p),
]
tn_strip_summary._fields_ = [
    ("fields", c.c_uint64),
    ("ops", c.c_uint64),
    ("tensors", c.c_uint64),
    ("bytes", c.c_uint64),
    ("bytes_read", c.c_uint64),
    ("bytes_written", c.c_uint64),
    ("format", c.c_char * 32),
]
tn_block_info._fields_ = [
    ("name", c.c_char_p),
    ("elements", c.c_uint32),
    ("bytes", c.c_uint32),
]
tn_catalog_file._fields_ = [
    ("path", c.c_char_p),
    ("status", c.c_char_p),
    ("error", c.c_char_p),
    ("is_kept", c.c_bool),
]
tn_on_catalog_file = c.CFUNCTYPE(None, c.c_void_p, c.POINTER(tn_catalog_file))
tn_catalog_options._fields_ = [
    ("size", c.c_size_t),
    ("form", c.c_int),
    ("wants_hashes", c.c_bool),
    ("wants_statistics", c.c_bool),
    ("wants_scan", c.c_bool),
    ("only_names", c.c_bool),
    ("jobs", c.c_uint),
    ("on_file", tn_on_catalog_file),
    ("context", c.c_void_p),
]
tn_catalog_totals._fields_ = [
    ("files", c.c_uint64),
    ("models", c.c_uint64),
    ("broken", c.c_uint64),
    ("kept", c.c_uint64),
    ("removed", c.c_uint64),
    ("missing", c.c_uint64),
    ("tensors", c.c_uint64),
    ("bytes", c.c_uint64),
]
tn_message_part._fields_ = [
    ("end", c.c_uint64),
    ("field", c.c_uint32),
    ("wire", c.c_uint32),
    ("body", c.c_uint64),
]
tn_step._fields_ = [
    ("text", c.c_char_p),
    ("number", c.c_int64),
]
tn_path._fields_ = [
    ("steps", c.POINTER(tn_step)),
    ("count", c.c_uint64),
]
tn_split_version._fields_ = [
    ("producer", c.c_int32),
    ("min_consumer", c.c_int32),
    ("bad_consumers", c.POINTER(c.c_int32)),
    ("bad_consumer_count", c.c_uint64),
]
tn_split_rule._fields_ = [
    ("rules", c.c_int),
    ("max_size", c.c_uint64),
]
tn_graph_info._fields_ = [
    ("kind", c.c_int),
    ("name", tn_bytes),
    ("domain", tn_bytes),
    ("path", c.c_char_p),
    ("parent_graph", c.c_uint32),
    ("op_count", c.c_uint64),
    ("first_op", c.c_uint32),
    ("inputs", tn_io_list),
    ("outputs", tn_io_list),
]
tn_op_info._fields_ = [
    ("name", tn_bytes),
    ("type", tn_bytes),
    ("domain", tn_bytes),
    ("graph", c.c_uint32),
    ("input_count", c.c_uint32),
    ("control_count", c.c_uint32),
    ("output_count", c.c_uint32),
]
tn_value_info._fields_ = [
    ("name", tn_bytes),
    ("kind", c.c_int),
    ("graph", c.c_uint32),
    ("producer", c.c_uint32),
    ("output", c.c_uint32),
]
tn_attr_shape._fields_ = [
    ("has_rank", c.c_bool),
    ("rank", c.c_uint32),
    ("dims", c.POINTER(c.c_int64)),
]
tn_attr_value_of._fields_ = [
    ("ints", c.POINTER(c.c_int64)),
    ("floats", c.POINTER(c.c_float)),
    ("doubles", c.POINTER(c.c_double)),
    ("strings", c.POINTER(tn_bytes)),
    ("shapes", c.POINTER(tn_attr_shape)),
    ("tensors", c.POINTER(c.c_void_p)),
]
tn_attr_value._fields_ = [
    ("kind", c.c_int),
    ("is_list", c.c_bool),
    ("count", c.c_uint32),
    ("of", tn_attr_value_of),
]
tn_view_options._fields_ = [
    ("size", c.c_size_t),
    ("form", c.c_int),
    ("stats", c.c_bool),
    ("data", c.c_char_p),
]
tn_view_summary._fields_ = [
    ("bytes_written", c.c_uint64),
    ("nodes", c.c_uint64),
    ("blocks", c.c_uint64),
    ("shown", c.c_uint64),
    ("numbers_used", c.c_uint64),
    ("form", c.c_char * 8),
]
tn_diff_options._fields_ = [
    ("size", c.c_size_t),
    ("tolerance", c.c_double),
    ("skips_values", c.c_bool),
]
tn_diff_facet._fields_ = [
    ("name", tn_bytes),
    ("left", tn_bytes),
    ("right", tn_bytes),
]
tn_diff_change._fields_ = [
    ("part", c.c_int),
    ("kind", c.c_int),
    ("name", tn_bytes),
    ("new_name", tn_bytes),
    ("type", tn_bytes),
    ("left", c.c_uint32),
    ("right", c.c_uint32),
    ("facet_count", c.c_uint32),
    ("facets", c.POINTER(tn_diff_facet)),
    ("group", c.c_uint32),
    ("group_count", c.c_uint32),
    ("element_count", c.c_uint64),
    ("changed_count", c.c_uint64),
    ("max_absolute", c.c_double),
    ("max_relative", c.c_double),
]
tn_diff_summary._fields_ = [
    ("left_ops", c.c_uint64),
    ("right_ops", c.c_uint64),
    ("same_ops", c.c_uint64),
    ("left_tensors", c.c_uint64),
    ("right_tensors", c.c_uint64),
    ("same_tensors", c.c_uint64),
    ("has_ops", c.c_bool),
]
tn_patch_summary._fields_ = [
    ("actions", c.c_uint64),
    ("tensors", c.c_uint64),
    ("is_whole", c.c_bool),
]
tn_op_spec._fields_ = [
    ("name", c.c_char_p),
    ("type", c.c_char_p),
    ("domain", c.c_char_p),
    ("inputs", c.POINTER(c.c_char_p)),
    ("input_count", c.c_uint32),
    ("control_count", c.c_uint32),
    ("outputs", c.POINTER(c.c_char_p)),
    ("output_count", c.c_uint32),
]
tn_edit_action_info._fields_ = [
    ("name", c.c_char_p),
    ("arguments", c.c_char_p),
    ("help", c.c_char_p),
]
tn_apply_options._fields_ = [
    ("size", c.c_size_t),
    ("script", c.c_char_p),
    ("actions", tn_bytes),
    ("convert", c.POINTER(tn_convert_options)),
]
tn_native_run = c.CFUNCTYPE(c.c_int, c.c_void_p, c.c_void_p, c.POINTER(tn_error))
tn_native._fields_ = [
    ("name", c.c_char_p),
    ("run", tn_native_run),
    ("context", c.c_void_p),
]
tn_native_type._fields_ = [
    ("dtype", c.c_int),
    ("has_rank", c.c_bool),
    ("rank", c.c_uint32),
    ("dims", c.POINTER(c.c_int64)),
]
tn_native_attr._fields_ = [
    ("name", c.c_char_p),
    ("value", tn_attr_value),
]
tn_native_node._fields_ = [
    ("op", c.c_char_p),
    ("inputs", c.POINTER(c.c_uint32)),
    ("input_count", c.c_uint32),
    ("attrs", c.POINTER(tn_native_attr)),
    ("attr_count", c.c_uint32),
]
tn_arg._fields_ = [
    ("name", tn_bytes),
    ("type", c.c_int),
    ("index", c.c_int32),
    ("has_value", c.c_bool),
    ("number", c.c_int64),
    ("real", c.c_double),
    ("text", tn_bytes),
    ("tensor", tn_bytes),
    ("is_optional", c.c_bool),
    ("converts_bool", c.c_bool),
    ("is_array", c.c_bool),
]
tn_args._fields_ = [
    ("count", c.c_uint32),
    ("items", c.POINTER(tn_arg)),
]
tn_op_descriptor._fields_ = [
    ("name", tn_bytes),
    ("declaration", c.c_int),
    ("in_count", c.c_int32),
    ("out_count", c.c_int32),
    ("t_count", c.c_int32),
    ("i_count", c.c_int32),
    ("is_inplaceable", c.c_bool),
    ("is_counted", c.c_bool),
    ("args", tn_args),
    ("lists", tn_args * 8),
    ("next", c.POINTER(tn_op_descriptor)),
    ("assumed", tn_bytes),
]
tn_rule_function = c.CFUNCTYPE(c.c_int, c.c_void_p, c.c_void_p, c.POINTER(tn_error))
tn_custom_function._fields_ = [
    ("name", c.c_char_p),
    ("run", tn_rule_function),
    ("context", c.c_void_p),
]
tn_interpreter_options._fields_ = [
    ("size", c.c_size_t),
    ("files", c.POINTER(c.c_char_p)),
    ("file_count", c.c_uint32),
    ("functions", c.POINTER(tn_custom_function)),
    ("function_count", c.c_uint32),
]
tn_interpret_context._fields_ = [
    ("opset", c.c_int64),
    ("is_strict", c.c_bool),
    ("constant", c.CFUNCTYPE(c.c_bool, c.c_void_p, tn_bytes, c.POINTER(tn_bytes))),
    ("context", c.c_void_p),
    ("type", c.CFUNCTYPE(c.c_bool, c.c_void_p, tn_bytes, c.POINTER(tn_native_type))),
    ("inputs", c.c_char_p),
]
tn_mapper_info._fields_ = [
    ("framework", tn_bytes),
    ("op_type", tn_bytes),
    ("name", tn_bytes),
    ("rule_count", c.c_uint32),
    ("defect_count", c.c_uint32),
]
tn_on_explain = c.CFUNCTYPE(None, c.c_void_p, c.c_int, c.c_char_p)
tn_texts._fields_ = [
    ("count", c.c_uint64),
    ("bytes", c.c_char_p),
    ("size", c.c_uint64),
    ("ends", c.POINTER(c.c_uint64)),
    ("has_zeros", c.c_bool),
]
tn_tensor_list._fields_ = [
    ("count", c.c_uint64),
    ("names", tn_texts),
    ("dtypes", c.c_void_p),
    ("roles", c.c_void_p),
    ("ranks", c.POINTER(c.c_uint32)),
    ("dims", c.POINTER(c.c_uint64)),
    ("dim_count", c.c_uint64),
    ("sizes", c.POINTER(c.c_uint64)),
    ("offsets", c.POINTER(c.c_uint64)),
]
tn_op_list._fields_ = [
    ("count", c.c_uint64),
    ("names", tn_texts),
    ("kinds", tn_texts),
    ("domains", tn_texts),
    ("kind_of", c.POINTER(c.c_uint32)),
    ("graphs", c.POINTER(c.c_uint32)),
    ("input_counts", c.POINTER(c.c_uint32)),
    ("control_counts", c.POINTER(c.c_uint32)),
    ("output_counts", c.POINTER(c.c_uint32)),
    ("inputs", c.POINTER(c.c_uint32)),
    ("input_total", c.c_uint64),
    ("outputs", c.POINTER(c.c_uint32)),
    ("output_total", c.c_uint64),
    ("values", tn_texts),
]
tn_metadata_list._fields_ = [
    ("count", c.c_uint64),
    ("keys", tn_texts),
    ("values", tn_texts),
]
tn_request._fields_ = [
    ("url", c.c_char_p),
    ("offset", c.c_uint64),
    ("bytes", c.c_uint64),
    ("status", c.c_uint),
    ("attempt", c.c_uint),
    ("seconds", c.c_double),
]
tn_on_request = c.CFUNCTYPE(None, c.c_void_p, c.POINTER(tn_request))
tn_remote_options._fields_ = [
    ("size", c.c_size_t),
    ("allows_external", c.c_bool),
    ("is_anonymous", c.c_bool),
    ("allows_plain", c.c_bool),
    ("max_bytes", c.c_uint64),
    ("timeout", c.c_uint),
    ("attempts", c.c_uint),
    ("on_request", tn_on_request),
    ("context", c.c_void_p),
]
tn_rule_info._fields_ = [
    ("file", c.c_char_p),
    ("line", c.c_uint32),
    ("from_", tn_bytes),
    ("to", tn_bytes),
    ("op_type", tn_bytes),
    ("domain", tn_bytes),
    ("since", c.c_int64),
    ("until", c.c_int64),
    ("text", tn_bytes),
    ("is_native", c.c_bool),
    ("is_reversed", c.c_bool),
]
tn_rule_finding._fields_ = [
    ("file", c.c_char_p),
    ("line", c.c_uint32),
    ("column", c.c_uint32),
    ("what", c.c_char_p),
]
tn_rule_example._fields_ = [
    ("file", c.c_char_p),
    ("line", c.c_uint32),
    ("text", tn_bytes),
    ("why", c.c_char_p),
]
tn_rule_examples._fields_ = [
    ("count", c.c_uint64),
    ("failed", c.c_uint64),
]
tn_scan_finding._fields_ = [
    ("verdict", c.c_int),
    ("rule", c.c_char_p),
    ("file", c.c_char_p),
    ("member", c.c_char_p),
    ("offset", c.c_uint64),
    ("what", c.c_char_p),
]
tn_on_scan_finding = c.CFUNCTYPE(c.c_int, c.c_void_p, c.POINTER(tn_scan_finding))
tn_scan_totals._fields_ = [
    ("files", c.c_uint64),
    ("pickles", c.c_uint64),
    ("findings", c.c_uint64 * 3),
    ("flagged", c.c_uint64 * 3),
]
tn_statistics._fields_ = [
    ("of", c.c_int),
    ("bin_count", c.c_uint),
    ("count", c.c_uint64),
    ("zeros", c.c_uint64),
    ("nans", c.c_uint64),
    ("infinities", c.c_uint64),
    ("finite", c.c_uint64),
    ("min", c.c_double),
    ("max", c.c_double),
    ("mean", c.c_double),
    ("deviation", c.c_double),
    ("low", c.c_double),
    ("width", c.c_double),
    ("bins", c.c_uint64 * 32),
]
tn_on_statistics = c.CFUNCTYPE(c.c_int, c.c_void_p, c.c_uint64, c.POINTER(tn_statistics))
tn_tag_info._fields_ = [
    ("name", tn_bytes),
    ("is_listed", c.c_bool),
    ("is_newest", c.c_bool),
    ("parameters", c.c_uint64),
    ("states", c.c_uint64),
    ("shared", c.c_uint64),
    ("bytes", c.c_uint64),
    ("updater", tn_bytes),
]
tn_on_tag = c.CFUNCTYPE(c.c_int, c.c_void_p, c.POINTER(tn_tag_info))
tn_tag_change._fields_ = [
    ("kind", c.c_int),
    ("name", tn_bytes),
]
tn_on_tag_change = c.CFUNCTYPE(c.c_int, c.c_void_p, c.POINTER(tn_tag_change))
tn_tag_options._fields_ = [
    ("size", c.c_size_t),
    ("can_replace", c.c_bool),
    ("is_dry_run", c.c_bool),
    ("can_wait", c.c_bool),
    ("loss", tn_on_loss),
    ("loss_context", c.c_void_p),
    ("map", c.POINTER(tn_map_options)),
]
tn_tag_summary._fields_ = [
    ("arrays", c.c_uint64),
    ("shared", c.c_uint64),
    ("copied", c.c_uint64),
    ("new_bytes", c.c_uint64),
    ("size_before", c.c_uint64),
    ("size_after", c.c_uint64),
]
tn_write = c.CFUNCTYPE(c.c_int, c.c_void_p, c.c_void_p, c.c_size_t)
tn_writer._fields_ = [
    ("target", tn_target),
    ("write", tn_write),
    ("context", c.c_void_p),
]

FUNCTIONS = {
    "tn_apply": "c.c_int, [c.c_char_p, c.POINTER(tn_options), c.POINTER(tn_apply_options), c.POINTER(tn_target), c.POINTER(tn_convert_summary), c.POINTER(tn_error)]",
    "tn_arg_list_name": "c.c_char_p, [c.c_int]",
    "tn_arg_type_name": "c.c_char_p, [c.c_int]",
    "tn_array_capsule_done": "None, [c.c_void_p]",
    "tn_array_close": "None, [c.c_void_p]",
    "tn_array_dlpack": "c.c_int, [c.c_void_p, c.POINTER(c.c_void_p), c.POINTER(tn_error)]",
    "tn_array_get": "c.POINTER(tn_array_info), [c.c_void_p]",
    "tn_array_hold": "None, [c.c_void_p]",
    "tn_array_open": "c.c_int, [c.POINTER(c.c_void_p), c.c_void_p, c.POINTER(tn_array_options), c.POINTER(tn_options), c.POINTER(tn_error)]",
    "tn_attr_close": "None, [c.c_void_p]",
    "tn_attr_find": "c.c_int, [c.POINTER(c.c_void_p), c.c_void_p, c.c_uint32, c.c_char_p, c.POINTER(tn_error)]",
    "tn_attr_get": "c.POINTER(tn_attr_value), [c.c_void_p]",
    "tn_attr_name": "tn_bytes, [c.c_void_p]",
    "tn_attr_open": "c.c_int, [c.POINTER(c.c_void_p), c.c_void_p, c.c_uint32, c.c_uint32, c.POINTER(tn_error)]",
    "tn_call_attr": "c.c_bool, [c.c_void_p, tn_bytes, c.POINTER(tn_attr_value)]",
    "tn_call_emit": "c.c_int, [c.c_void_p, c.POINTER(tn_arg), c.POINTER(tn_error)]",
    "tn_call_index": "c.c_int32, [c.c_void_p, tn_bytes, c.c_int]",
    "tn_call_pair_count": "c.c_uint32, [c.c_void_p]",
    "tn_call_pair_framework": "tn_bytes, [c.c_void_p, c.c_uint32]",
    "tn_call_pair_nd4j": "tn_bytes, [c.c_void_p, c.c_uint32]",
    "tn_call_parameter": "c.POINTER(tn_arg), [c.c_void_p, c.c_char_p, c.c_uint32]",
    "tn_catalog": "c.c_int, [c.POINTER(c.c_char_p), c.c_uint64, c.POINTER(tn_catalog_options), c.POINTER(tn_target), c.POINTER(tn_options), c.POINTER(tn_catalog_totals), c.POINTER(tn_error)]",
    "tn_check": "c.c_int, [c.c_char_p, c.POINTER(tn_options), c.POINTER(tn_check_options), tn_on_finding, c.c_void_p, c.POINTER(tn_check_summary), c.POINTER(tn_error)]",
    "tn_convert": "c.c_int, [c.c_void_p, c.POINTER(tn_convert_options), c.POINTER(tn_target), c.POINTER(tn_options), c.POINTER(tn_convert_summary), c.POINTER(tn_error)]",
    "tn_declaration_name": "c.c_char_p, [c.c_int]",
    "tn_diff_change_at": "c.POINTER(tn_diff_change), [c.c_void_p, c.c_uint64]",
    "tn_diff_close": "None, [c.c_void_p]",
    "tn_diff_count": "c.c_uint64, [c.c_void_p]",
    "tn_diff_match_op": "c.c_uint32, [c.c_void_p, c.c_uint32]",
    "tn_diff_open": "c.c_int, [c.POINTER(c.c_void_p), c.c_void_p, c.c_void_p, c.POINTER(tn_diff_options), c.POINTER(tn_options), c.POINTER(tn_error)]",
    "tn_diff_summarize": "tn_diff_summary, [c.c_void_p]",
    "tn_diff_write_patch": "c.c_int, [c.c_void_p, c.POINTER(tn_target), c.POINTER(tn_options), c.POINTER(tn_patch_summary), c.POINTER(tn_error)]",
    "tn_diff_write_view": "c.c_int, [c.c_void_p, c.POINTER(tn_target), c.POINTER(tn_options), c.POINTER(tn_view_summary), c.POINTER(tn_error)]",
    "tn_dtype_bits": "c.c_uint, [c.c_int]",
    "tn_dtype_find": "c.c_int, [c.c_char_p]",
    "tn_dtype_name": "c.c_char_p, [c.c_int]",
    "tn_dtype_size": "c.c_uint, [c.c_int]",
    "tn_dump": "c.c_int, [c.c_char_p, c.POINTER(tn_options), c.POINTER(tn_dump_options), c.POINTER(tn_target), tn_on_loss, c.c_void_p, c.POINTER(tn_error)]",
    "tn_edit_act": "c.c_int, [c.c_void_p, c.c_char_p, c.c_char_p, c.POINTER(tn_error)]",
    "tn_edit_action": "tn_edit_action_info, [c.c_uint32]",
    "tn_edit_action_count": "c.c_uint32, []",
    "tn_edit_add_borrowed": "c.c_int, [c.c_void_p, c.c_uint32, c.c_char_p, c.c_int, c.c_uint32, c.POINTER(c.c_uint64), tn_bytes, c.POINTER(tn_error)]",
    "tn_edit_add_elements": "c.c_int, [c.c_void_p, c.c_uint32, c.c_char_p, c.c_int, c.c_uint32, c.POINTER(c.c_uint64), tn_bytes, c.POINTER(tn_error)]",
    "tn_edit_add_function": "c.c_int, [c.c_void_p, c.c_char_p, c.c_char_p, c.POINTER(c.c_char_p), c.c_uint32, c.POINTER(c.c_char_p), c.c_uint32, c.POINTER(c.c_uint32), c.POINTER(tn_error)]",
    "tn_edit_add_input": "c.c_int, [c.c_void_p, c.c_uint32, c.POINTER(tn_io), c.POINTER(tn_error)]",
    "tn_edit_add_op": "c.c_int, [c.c_void_p, c.c_uint32, c.c_uint32, c.POINTER(tn_op_spec), c.POINTER(c.c_uint32), c.POINTER(tn_error)]",
    "tn_edit_add_output": "c.c_int, [c.c_void_p, c.c_uint32, c.POINTER(tn_io), c.POINTER(tn_error)]",
    "tn_edit_add_source": "c.c_int, [c.c_void_p, c.c_uint32, c.c_char_p, c.c_int, c.c_uint32, c.POINTER(c.c_uint64), tn_read_at, c.c_void_p, c.POINTER(tn_error)]",
    "tn_edit_add_tensor": "c.c_int, [c.c_void_p, c.c_uint32, c.c_char_p, c.c_void_p, c.POINTER(tn_error)]",
    "tn_edit_close": "None, [c.c_void_p]",
    "tn_edit_commit": "c.c_int, [c.c_void_p, c.POINTER(c.c_void_p), c.POINTER(tn_error)]",
    "tn_edit_copy_function": "c.c_int, [c.c_void_p, c.c_void_p, c.c_uint32, c.c_char_p, c.POINTER(c.c_uint32), c.POINTER(tn_error)]",
    "tn_edit_new": "c.c_int, [c.POINTER(c.c_void_p), c.c_char_p, c.POINTER(tn_options), c.POINTER(tn_error)]",
    "tn_edit_note": "c.c_char_p, [c.c_void_p, c.c_uint32]",
    "tn_edit_open": "c.c_int, [c.POINTER(c.c_void_p), c.c_void_p, c.POINTER(tn_options), c.POINTER(tn_error)]",
    "tn_edit_remove_attr": "c.c_int, [c.c_void_p, c.c_uint32, c.c_char_p, c.POINTER(tn_error)]",
    "tn_edit_remove_function": "c.c_int, [c.c_void_p, c.c_uint32, c.POINTER(tn_error)]",
    "tn_edit_remove_op": "c.c_int, [c.c_void_p, c.c_uint32, c.POINTER(tn_error)]",
    "tn_edit_remove_signature": "c.c_int, [c.c_void_p, c.c_char_p, c.POINTER(tn_error)]",
    "tn_edit_remove_states": "c.c_int, [c.c_void_p, c.c_char_p, c.POINTER(tn_error)]",
    "tn_edit_remove_tensor": "c.c_int, [c.c_void_p, c.c_uint32, c.c_char_p, c.POINTER(tn_error)]",
    "tn_edit_rename": "c.c_int, [c.c_void_p, c.c_uint32, c.c_char_p, c.c_char_p, c.POINTER(tn_error)]",
    "tn_edit_rename_op": "c.c_int, [c.c_void_p, c.c_uint32, c.c_char_p, c.POINTER(tn_error)]",
    "tn_edit_replace_elements": "c.c_int, [c.c_void_p, c.c_uint32, c.c_char_p, c.c_int, c.c_uint32, c.POINTER(c.c_uint64), tn_bytes, c.POINTER(tn_error)]",
    "tn_edit_replace_op": "c.c_int, [c.c_void_p, c.c_uint32, c.POINTER(tn_op_spec), c.POINTER(tn_error)]",
    "tn_edit_replace_tensor": "c.c_int, [c.c_void_p, c.c_uint32, c.c_char_p, c.c_void_p, c.POINTER(tn_error)]",
    "tn_edit_run": "c.c_int, [c.c_void_p, tn_bytes, c.POINTER(tn_error)]",
    "tn_edit_run_file": "c.c_int, [c.c_void_p, c.c_char_p, c.POINTER(tn_error)]",
    "tn_edit_run_patch": "c.c_int, [c.c_void_p, c.c_char_p, c.POINTER(tn_error)]",
    "tn_edit_set_attr": "c.c_int, [c.c_void_p, c.c_uint32, c.c_char_p, c.POINTER(tn_attr_value), c.POINTER(tn_error)]",
    "tn_edit_set_input": "c.c_int, [c.c_void_p, c.c_uint32, c.c_uint32, c.c_char_p, c.POINTER(tn_error)]",
    "tn_edit_set_levels": "c.c_int, [c.c_void_p, c.c_uint32, c.c_char_p, c.c_uint64, c.POINTER(c.c_uint64), c.POINTER(c.c_uint64), c.POINTER(tn_error)]",
    "tn_edit_set_losses": "c.c_int, [c.c_void_p, c.POINTER(c.c_char_p), c.c_uint32, c.POINTER(tn_error)]",
    "tn_edit_set_metadata": "c.c_int, [c.c_void_p, c.c_char_p, c.c_char_p, c.POINTER(tn_error)]",
    "tn_edit_set_signature": "c.c_int, [c.c_void_p, c.POINTER(tn_signature), c.POINTER(tn_error)]",
    "tn_edit_set_state": "c.c_int, [c.c_void_p, c.c_char_p, c.c_char_p, c.c_void_p, c.POINTER(tn_error)]",
    "tn_edit_set_state_elements": "c.c_int, [c.c_void_p, c.c_char_p, c.c_char_p, tn_bytes, c.POINTER(tn_error)]",
    "tn_edit_set_training": "c.c_int, [c.c_void_p, c.c_char_p, c.POINTER(tn_error)]",
    "tn_edit_set_variable": "c.c_int, [c.c_void_p, c.c_uint32, c.c_char_p, c.c_int, c.POINTER(tn_error)]",
    "tn_edit_type_io": "c.c_int, [c.c_void_p, c.c_uint32, c.c_char_p, c.c_int, c.POINTER(tn_error)]",
    "tn_edit_write": "c.c_int, [c.c_void_p, c.POINTER(tn_convert_options), c.POINTER(tn_target), c.POINTER(tn_options), c.POINTER(tn_convert_summary), c.POINTER(tn_error)]",
    "tn_folder_models": "c.c_int, [c.c_char_p, c.POINTER(tn_options), tn_on_folder_model, c.c_void_p, c.POINTER(tn_error)]",
    "tn_format_at": "tn_format_info, [c.c_uint32]",
    "tn_format_count": "c.c_uint32, []",
    "tn_format_option": "c.POINTER(tn_format_option), [c.c_uint32, c.c_uint32]",
    "tn_get": "c.c_int, [c.c_void_p, c.POINTER(tn_get_options), c.POINTER(tn_target), c.POINTER(tn_options), c.POINTER(tn_error)]",
    "tn_interpret_model": "c.c_int, [c.POINTER(c.POINTER(tn_op_descriptor)), c.c_void_p, c.c_void_p, c.POINTER(tn_error)]",
    "tn_interpret_node": "c.c_int, [c.POINTER(c.POINTER(tn_op_descriptor)), c.c_void_p, tn_bytes, c.POINTER(tn_interpret_context), c.POINTER(tn_error)]",
    "tn_interpret_onnx": "c.c_int, [c.POINTER(c.POINTER(tn_op_descriptor)), c.c_void_p, tn_bytes, c.POINTER(tn_interpret_context), c.POINTER(tn_error)]",
    "tn_interpret_paddle": "c.c_int, [c.POINTER(c.POINTER(tn_op_descriptor)), c.c_void_p, tn_bytes, c.POINTER(tn_interpret_context), c.POINTER(tn_error)]",
    "tn_interpret_tensorflow": "c.c_int, [c.POINTER(c.POINTER(tn_op_descriptor)), c.c_void_p, tn_bytes, c.POINTER(tn_interpret_context), c.POINTER(tn_error)]",
    "tn_interpreter_close": "None, [c.c_void_p]",
    "tn_interpreter_explain": "c.c_int, [c.c_void_p, c.c_uint32, tn_on_explain, c.c_void_p, c.POINTER(tn_error)]",
    "tn_interpreter_export": "c.c_int, [c.c_void_p, c.c_int, c.c_int, c.POINTER(tn_target), c.POINTER(tn_error)]",
    "tn_interpreter_extract": "c.c_int, [c.POINTER(c.c_void_p), c.POINTER(c.c_char_p), c.c_uint32, c.POINTER(tn_options), c.POINTER(tn_error)]",
    "tn_interpreter_mapper": "tn_mapper_info, [c.c_void_p, c.c_uint32]",
    "tn_interpreter_mapper_count": "c.c_uint32, [c.c_void_p]",
    "tn_interpreter_op": "c.POINTER(tn_op_descriptor), [c.c_void_p, c.c_uint32]",
    "tn_interpreter_op_count": "c.c_uint32, [c.c_void_p]",
    "tn_interpreter_open": "c.c_int, [c.POINTER(c.c_void_p), c.POINTER(tn_interpreter_options), c.POINTER(tn_options), c.POINTER(tn_error)]",
    "tn_loss_kind": "c.c_char_p, [c.c_char_p]",
    "tn_merge": "c.c_int, [c.POINTER(c.c_void_p), c.c_void_p, c.c_char_p, c.POINTER(tn_bytes), c.c_uint64, tn_bytes, c.POINTER(tn_options), c.POINTER(tn_error)]",
    "tn_merge_bytes": "c.c_int, [c.POINTER(c.c_void_p), c.c_void_p, c.c_char_p, tn_bytes, c.POINTER(tn_options), c.POINTER(tn_error)]",
    "tn_merge_file": "c.c_int, [c.c_char_p, c.POINTER(tn_options), c.POINTER(tn_split_options), c.POINTER(tn_target), c.POINTER(tn_split_summary), c.POINTER(tn_error)]",
    "tn_merge_read": "c.c_int, [c.POINTER(c.c_void_p), c.c_void_p, c.c_char_p, c.c_char_p, c.POINTER(tn_path), c.c_uint64, c.POINTER(tn_options), c.POINTER(tn_error)]",
    "tn_merger_close": "None, [c.c_void_p]",
    "tn_merger_get": "c.c_int, [c.POINTER(c.c_void_p), c.c_void_p, c.POINTER(tn_step), c.c_uint64, c.POINTER(tn_error)]",
    "tn_merger_merge": "c.c_int, [c.POINTER(c.c_void_p), c.c_void_p, c.POINTER(tn_path), c.c_uint64, c.POINTER(tn_error)]",
    "tn_merger_open": "c.c_int, [c.POINTER(c.c_void_p), c.c_void_p, c.c_char_p, c.c_char_p, c.POINTER(tn_options), c.POINTER(tn_error)]",
    "tn_merger_open_bytes": "c.c_int, [c.POINTER(c.c_void_p), c.c_void_p, c.c_char_p, tn_bytes, c.POINTER(tn_options), c.POINTER(tn_error)]",
    "tn_merger_open_chunks": "c.c_int, [c.POINTER(c.c_void_p), c.c_void_p, c.c_char_p, c.POINTER(tn_bytes), c.c_uint64, tn_bytes, c.POINTER(tn_options), c.POINTER(tn_error)]",
    "tn_merger_scalars": "None, [c.c_void_p, c.c_int]",
    "tn_merger_sort": "None, [c.c_void_p]",
    "tn_merger_version": "tn_split_version, [c.c_void_p]",
    "tn_message_bytes": "c.c_int, [c.POINTER(c.c_void_p), c.c_void_p, c.c_char_p, tn_bytes, c.POINTER(tn_options), c.POINTER(tn_error)]",
    "tn_message_close": "None, [c.c_void_p]",
    "tn_message_open": "c.c_int, [c.POINTER(c.c_void_p), c.c_void_p, c.c_char_p, c.c_char_p, c.POINTER(tn_options), c.POINTER(tn_error)]",
    "tn_message_part": "c.c_int, [c.c_void_p, c.c_uint64, c.c_uint64, c.c_uint64, c.POINTER(tn_message_part), c.POINTER(tn_error)]",
    "tn_message_read": "c.c_int, [c.c_void_p, c.c_uint64, c.c_void_p, c.c_size_t, c.POINTER(tn_error)]",
    "tn_message_size": "c.c_uint64, [c.c_void_p]",
    "tn_message_warning": "c.c_char_p, [c.c_void_p]",
    "tn_message_write": "c.c_int, [c.c_void_p, c.POINTER(tn_target), c.POINTER(tn_error)]",
    "tn_metadata_list_close": "None, [c.POINTER(tn_metadata_list)]",
    "tn_metadata_list_open": "c.c_int, [c.POINTER(c.POINTER(tn_metadata_list)), c.c_void_p, c.POINTER(tn_options), c.POINTER(tn_error)]",
    "tn_model_close": "None, [c.c_void_p]",
    "tn_model_dialect": "c.c_char_p, [c.c_void_p]",
    "tn_model_fact": "tn_fact, [c.c_void_p, c.c_uint32]",
    "tn_model_fact_count": "c.c_uint32, [c.c_void_p]",
    "tn_model_file_size": "c.c_uint64, [c.c_void_p]",
    "tn_model_find": "c.c_void_p, [c.c_void_p, c.c_char_p]",
    "tn_model_format": "c.c_char_p, [c.c_void_p]",
    "tn_model_function_count": "c.c_uint32, [c.c_void_p]",
    "tn_model_graph": "tn_graph_info, [c.c_void_p, c.c_uint32]",
    "tn_model_graph_count": "c.c_uint32, [c.c_void_p]",
    "tn_model_hash": "c.c_int, [c.c_void_p, c.POINTER(tn_options), c.c_void_p, c.POINTER(tn_error)]",
    "tn_model_hash_decoded": "c.c_int, [c.c_void_p, c.POINTER(tn_options), c.c_void_p, c.POINTER(tn_error)]",
    "tn_model_inputs": "tn_io_list, [c.c_void_p]",
    "tn_model_loss": "tn_bytes, [c.c_void_p, c.c_uint32]",
    "tn_model_loss_count": "c.c_uint32, [c.c_void_p]",
    "tn_model_node_count": "c.c_uint64, [c.c_void_p]",
    "tn_model_op": "tn_op_info, [c.c_void_p, c.c_uint32]",
    "tn_model_op_count": "c.c_uint32, [c.c_void_p]",
    "tn_model_op_kind": "c.POINTER(tn_op_kind), [c.c_void_p, c.c_uint32]",
    "tn_model_op_kind_count": "c.c_uint32, [c.c_void_p]",
    "tn_model_open": "c.c_int, [c.POINTER(c.c_void_p), c.c_char_p, c.POINTER(tn_options), c.POINTER(tn_error)]",
    "tn_model_open_source": "c.c_int, [c.POINTER(c.c_void_p), c.c_char_p, c.c_uint64, tn_read_at, c.c_void_p, c.POINTER(tn_options), c.POINTER(tn_error)]",
    "tn_model_outputs": "tn_io_list, [c.c_void_p]",
    "tn_model_path": "c.c_char_p, [c.c_void_p]",
    "tn_model_signature": "c.POINTER(tn_signature), [c.c_void_p, c.c_uint32]",
    "tn_model_signature_count": "c.c_uint32, [c.c_void_p]",
    "tn_model_subgraph_count": "c.c_uint32, [c.c_void_p]",
    "tn_model_tag": "tn_bytes, [c.c_void_p, c.c_uint32]",
    "tn_model_tag_count": "c.c_uint32, [c.c_void_p]",
    "tn_model_tensor": "c.c_void_p, [c.c_void_p, c.c_uint64]",
    "tn_model_tensor_count": "c.c_uint64, [c.c_void_p]",
    "tn_model_title": "c.c_char_p, [c.c_void_p]",
    "tn_model_training": "tn_bytes, [c.c_void_p]",
    "tn_model_value_count": "c.c_uint32, [c.c_void_p]",
    "tn_model_value_info": "tn_value_info, [c.c_void_p, c.c_uint32]",
    "tn_native_attr": "c.c_bool, [c.c_void_p, c.c_char_p, c.POINTER(tn_attr_value)]",
    "tn_native_bind": "c.c_int, [c.c_void_p, c.c_uint32, c.c_uint32, c.POINTER(tn_error)]",
    "tn_native_constant": "c.c_int, [c.c_void_p, c.c_int, c.POINTER(tn_attr_value), c.POINTER(c.c_uint64), c.c_uint32, c.POINTER(c.c_uint32), c.POINTER(tn_error)]",
    "tn_native_elements": "c.c_bool, [c.c_void_p, c.c_uint32, c.POINTER(tn_attr_value)]",
    "tn_native_input": "c.c_uint32, [c.c_void_p, c.c_uint32]",
    "tn_native_input_count": "c.c_uint32, [c.c_void_p]",
    "tn_native_make": "c.c_int, [c.c_void_p, c.POINTER(tn_native_node), c.POINTER(c.c_uint32), c.c_uint32, c.POINTER(tn_error)]",
    "tn_native_output_count": "c.c_uint32, [c.c_void_p]",
    "tn_native_refuse": "None, [c.c_void_p, c.c_char_p]",
    "tn_native_type": "c.c_bool, [c.c_void_p, c.c_uint32, c.POINTER(tn_native_type)]",
    "tn_op_attr_count": "c.c_uint32, [c.c_void_p, c.c_uint32]",
    "tn_op_descriptor_close": "None, [c.POINTER(tn_op_descriptor)]",
    "tn_op_descriptor_encode": "c.c_int, [c.POINTER(tn_op_descriptor), c.c_int, c.c_bool, c.c_void_p, c.c_size_t, c.POINTER(c.c_size_t), c.POINTER(tn_error)]",
    "tn_op_descriptor_write": "c.c_int, [c.POINTER(tn_op_descriptor), c.c_int, c.c_bool, c.POINTER(tn_target), c.POINTER(tn_error)]",
    "tn_op_input": "c.c_uint32, [c.c_void_p, c.c_uint32, c.c_uint32]",
    "tn_op_list_close": "None, [c.POINTER(tn_op_list)]",
    "tn_op_list_open": "c.c_int, [c.POINTER(c.POINTER(tn_op_list)), c.c_void_p, c.POINTER(tn_options), c.POINTER(tn_error)]",
    "tn_op_output": "c.c_uint32, [c.c_void_p, c.c_uint32, c.c_uint32]",
    "tn_op_path": "c.c_size_t, [c.c_void_p, c.c_uint32, c.c_char_p, c.c_size_t]",
    "tn_parse_size": "c.c_bool, [c.c_char_p, c.POINTER(c.c_uint64)]",
    "tn_plan": "c.c_int, [c.c_void_p, c.POINTER(tn_convert_options), c.c_char_p, c.POINTER(tn_options), c.POINTER(tn_plan_listener), c.POINTER(tn_plan_summary), c.POINTER(tn_error)]",
    "tn_reason_sentence": "c.c_char_p, [c.c_int]",
    "tn_reason_word": "c.c_char_p, [c.c_int]",
    "tn_rulebook_add_functions": "None, [c.c_void_p, c.POINTER(tn_native), c.c_uint32]",
    "tn_rulebook_check": "c.c_uint64, [c.c_void_p, c.CFUNCTYPE(None, c.c_void_p, c.POINTER(tn_rule_finding)), c.c_void_p, c.POINTER(tn_error)]",
    "tn_rulebook_close": "None, [c.c_void_p]",
    "tn_rulebook_count": "c.c_uint32, [c.c_void_p]",
    "tn_rulebook_explain": "c.c_int, [c.c_void_p, c.c_uint32, tn_on_explain, c.c_void_p, c.POINTER(tn_error)]",
    "tn_rulebook_makes": "c.c_int, [c.c_void_p, c.c_uint32, c.CFUNCTYPE(None, c.c_void_p, tn_bytes), c.c_void_p, c.POINTER(tn_error)]",
    "tn_rulebook_open": "c.c_int, [c.POINTER(c.c_void_p), c.POINTER(c.c_char_p), c.c_uint32, c.POINTER(tn_options), c.POINTER(tn_error)]",
    "tn_rulebook_rule": "tn_rule_info, [c.c_void_p, c.c_uint32]",
    "tn_rulebook_test": "c.c_int, [c.c_void_p, c.POINTER(tn_rule_examples), c.CFUNCTYPE(None, c.c_void_p, c.POINTER(tn_rule_example)), c.c_void_p, c.POINTER(tn_error)]",
    "tn_scan": "c.c_int, [c.c_char_p, c.POINTER(tn_options), tn_on_scan_finding, c.c_void_p, c.POINTER(tn_scan_totals), c.POINTER(tn_error)]",
    "tn_schema_builtin": "c.c_int, [c.POINTER(c.c_void_p), c.c_char_p, c.POINTER(tn_options), c.POINTER(tn_error)]",
    "tn_schema_close": "None, [c.c_void_p]",
    "tn_schema_open": "c.c_int, [c.POINTER(c.c_void_p), tn_bytes, c.POINTER(tn_options), c.POINTER(tn_error)]",
    "tn_split": "c.c_int, [c.c_char_p, c.POINTER(tn_options), c.POINTER(tn_split_options), c.POINTER(tn_target), c.POINTER(tn_split_summary), c.POINTER(tn_error)]",
    "tn_splitter_add_chunk": "c.c_int, [c.c_void_p, c.c_int, tn_bytes, c.POINTER(tn_step), c.c_uint64, c.c_uint64, c.POINTER(tn_error)]",
    "tn_splitter_adopt": "c.c_int, [c.c_void_p, c.POINTER(c.c_int), c.POINTER(tn_bytes), c.c_uint64, tn_bytes, c.POINTER(tn_error)]",
    "tn_splitter_by_size": "c.c_int, [c.c_void_p, c.c_uint64, c.POINTER(tn_error)]",
    "tn_splitter_child": "c.c_int, [c.POINTER(c.c_void_p), c.c_void_p, c.POINTER(tn_step), c.c_uint64, c.POINTER(tn_error)]",
    "tn_splitter_chunk_count": "c.c_uint64, [c.c_void_p]",
    "tn_splitter_chunk_read": "c.c_int, [c.c_void_p, c.c_uint64, c.c_uint64, c.c_void_p, c.c_size_t, c.POINTER(tn_error)]",
    "tn_splitter_chunk_size": "c.c_uint64, [c.c_void_p, c.c_uint64]",
    "tn_splitter_chunk_type": "c.c_int, [c.c_void_p, c.c_uint64]",
    "tn_splitter_chunked_message": "tn_bytes, [c.c_void_p]",
    "tn_splitter_clear": "c.c_int, [c.c_void_p, c.POINTER(tn_step), c.c_uint64, c.POINTER(tn_error)]",
    "tn_splitter_close": "None, [c.c_void_p]",
    "tn_splitter_count": "c.c_int, [c.c_void_p, c.POINTER(tn_step), c.c_uint64, c.POINTER(c.c_uint64), c.POINTER(tn_error)]",
    "tn_splitter_format": "c.c_int, [c.c_void_p, c.POINTER(tn_split_format), c.POINTER(tn_error)]",
    "tn_splitter_graph_def": "c.c_int, [c.POINTER(c.c_void_p), c.c_void_p, c.POINTER(tn_split_rule), c.POINTER(tn_error)]",
    "tn_splitter_graph_def_child": "c.c_int, [c.POINTER(c.c_void_p), c.c_void_p, c.POINTER(tn_step), c.c_uint64, c.POINTER(tn_split_rule), c.POINTER(tn_error)]",
    "tn_splitter_hollow": "c.c_int, [c.c_void_p, c.POINTER(tn_step), c.c_uint64, c.c_uint64, c.POINTER(tn_error)]",
    "tn_splitter_keep_base": "c.c_int, [c.c_void_p, c.POINTER(tn_error)]",
    "tn_splitter_model_proto": "c.c_int, [c.POINTER(c.c_void_p), c.c_void_p, c.POINTER(tn_split_rule), c.POINTER(tn_error)]",
    "tn_splitter_model_proto_child": "c.c_int, [c.POINTER(c.c_void_p), c.c_void_p, c.POINTER(tn_step), c.c_uint64, c.POINTER(tn_split_rule), c.POINTER(tn_error)]",
    "tn_splitter_open": "c.c_int, [c.POINTER(c.c_void_p), c.c_void_p, c.POINTER(tn_error)]",
    "tn_splitter_saved_model": "c.c_int, [c.POINTER(c.c_void_p), c.c_void_p, c.POINTER(tn_split_rule), c.POINTER(tn_error)]",
    "tn_splitter_saved_model_child": "c.c_int, [c.POINTER(c.c_void_p), c.c_void_p, c.POINTER(tn_step), c.c_uint64, c.POINTER(tn_split_rule), c.POINTER(tn_error)]",
    "tn_splitter_scalars": "c.c_int, [c.c_void_p, c.c_int, c.POINTER(tn_error)]",
    "tn_splitter_size": "c.c_int, [c.c_void_p, c.POINTER(tn_step), c.c_uint64, c.POINTER(c.c_uint64), c.POINTER(tn_error)]",
    "tn_splitter_slice": "c.c_int, [c.c_void_p, c.POINTER(tn_step), c.c_uint64, c.c_uint64, c.c_uint64, c.c_uint64, c.POINTER(tn_error)]",
    "tn_splitter_split": "c.c_int, [c.c_void_p, c.POINTER(tn_error)]",
    "tn_splitter_tags": "c.c_int, [c.c_void_p, c.POINTER(tn_step), c.c_uint64, c.POINTER(tn_bytes), c.POINTER(tn_error)]",
    "tn_splitter_take": "c.c_int, [c.c_void_p, c.POINTER(tn_step), c.c_uint64, c.c_uint64, c.POINTER(tn_error)]",
    "tn_splitter_version": "c.c_int, [c.c_void_p, c.POINTER(tn_split_version), c.POINTER(tn_error)]",
    "tn_splitter_write": "c.c_int, [c.c_void_p, c.POINTER(tn_target), c.c_char_p, c.POINTER(c.c_char_p), c.POINTER(tn_error)]",
    "tn_splitter_write_memory": "c.c_int, [c.c_void_p, c.c_char_p, c.POINTER(tn_bytes), c.POINTER(c.c_bool), c.POINTER(tn_error)]",
    "tn_statistics_compute": "c.c_int, [c.c_void_p, c.POINTER(c.c_void_p), c.c_uint64, c.POINTER(tn_options), tn_on_statistics, c.c_void_p, c.POINTER(tn_error)]",
    "tn_status_exit_code": "c.c_int, [c.c_int]",
    "tn_status_name": "c.c_char_p, [c.c_int]",
    "tn_status_sentence": "c.c_char_p, [c.c_int]",
    "tn_strip": "c.c_int, [c.c_char_p, c.POINTER(tn_options), c.POINTER(tn_strip_options), c.POINTER(tn_target), c.POINTER(tn_strip_summary), c.POINTER(tn_error)]",
    "tn_tag_add": "c.c_int, [c.c_char_p, c.c_char_p, c.c_void_p, c.POINTER(tn_tag_options), c.POINTER(tn_options), c.POINTER(tn_tag_summary), c.POINTER(tn_error)]",
    "tn_tag_compact": "c.c_int, [c.c_char_p, c.POINTER(tn_tag_options), c.POINTER(tn_options), c.POINTER(tn_tag_summary), c.POINTER(tn_error)]",
    "tn_tag_diff": "c.c_int, [c.c_char_p, c.c_char_p, c.c_char_p, c.POINTER(tn_options), tn_on_tag_change, c.c_void_p, c.POINTER(tn_error)]",
    "tn_tag_is_same": "c.c_bool, [c.c_char_p, c.c_char_p]",
    "tn_tag_list": "c.c_int, [c.c_char_p, c.POINTER(tn_options), c.c_bool, tn_on_tag, c.c_void_p, c.POINTER(tn_error)]",
    "tn_tag_refusal": "c.c_char_p, [c.c_char_p]",
    "tn_tag_remove": "c.c_int, [c.c_char_p, c.c_char_p, c.POINTER(tn_tag_options), c.POINTER(tn_options), c.POINTER(tn_tag_summary), c.POINTER(tn_error)]",
    "tn_tag_repair": "c.c_int, [c.c_char_p, c.POINTER(tn_options), tn_on_finding, c.c_void_p, c.POINTER(c.c_bool), c.POINTER(tn_error)]",
    "tn_temporaries_close": "None, [c.c_void_p]",
    "tn_temporaries_new": "c.c_int, [c.POINTER(c.c_void_p), c.POINTER(tn_allocator), c.POINTER(tn_error)]",
    "tn_temporaries_remove": "None, [c.c_void_p]",
    "tn_tensor_blocks": "c.c_bool, [c.c_void_p, c.POINTER(tn_block_info)]",
    "tn_tensor_count": "c.c_uint64, [c.c_void_p]",
    "tn_tensor_dims": "c.POINTER(c.c_uint64), [c.c_void_p]",
    "tn_tensor_dtype": "c.c_int, [c.c_void_p]",
    "tn_tensor_file": "c.c_char_p, [c.c_void_p]",
    "tn_tensor_hash": "c.c_int, [c.c_void_p, c.POINTER(c.c_uint8), c.POINTER(tn_error)]",
    "tn_tensor_hash_decoded": "c.c_int, [c.c_void_p, c.POINTER(c.c_uint8), c.POINTER(tn_error)]",
    "tn_tensor_level": "c.c_int, [c.c_void_p, c.c_uint64, c.POINTER(c.c_uint64), c.c_uint64, c.POINTER(c.c_uint64), c.POINTER(tn_error)]",
    "tn_tensor_level_count": "c.c_uint64, [c.c_void_p]",
    "tn_tensor_list_close": "None, [c.POINTER(tn_tensor_list)]",
    "tn_tensor_list_open": "c.c_int, [c.POINTER(c.POINTER(tn_tensor_list)), c.c_void_p, c.POINTER(tn_options), c.POINTER(tn_error)]",
    "tn_tensor_name": "tn_bytes, [c.c_void_p]",
    "tn_tensor_offset": "c.c_uint64, [c.c_void_p]",
    "tn_tensor_path": "c.c_size_t, [c.c_void_p, c.c_char_p, c.c_size_t]",
    "tn_tensor_rank": "c.c_uint32, [c.c_void_p]",
    "tn_tensor_read": "c.c_int, [c.c_void_p, c.c_uint64, c.c_void_p, c.c_size_t, c.POINTER(tn_error)]",
    "tn_tensor_role": "c.c_int, [c.c_void_p]",
    "tn_tensor_size": "c.c_uint64, [c.c_void_p]",
    "tn_tensor_state": "c.c_bool, [c.c_void_p, c.POINTER(tn_bytes), c.POINTER(tn_bytes)]",
    "tn_tensor_storage": "c.c_char_p, [c.c_void_p]",
    "tn_tensor_stored_size": "c.c_uint64, [c.c_void_p]",
    "tn_tensor_strings": "c.c_int, [c.c_void_p, c.c_uint64, c.c_uint64, tn_on_string, c.c_void_p, c.POINTER(tn_error)]",
    "tn_text_read": "c.c_int, [c.c_char_p, c.POINTER(tn_options), c.CFUNCTYPE(None, c.c_void_p, tn_bytes), c.c_void_p, c.POINTER(tn_error)]",
    "tn_to_writer": "c.c_char_p, []",
    "tn_undump": "c.c_int, [c.c_char_p, c.POINTER(tn_options), c.POINTER(tn_dump_options), c.POINTER(tn_target), c.POINTER(tn_error)]",
    "tn_verdict_name": "c.c_char_p, [c.c_int]",
    "tn_version": "c.c_char_p, []",
    "tn_view": "c.c_int, [c.c_void_p, c.POINTER(tn_view_options), c.POINTER(tn_target), c.POINTER(tn_options), c.POINTER(tn_view_summary), c.POINTER(tn_error)]",
}


library = _library.Library(FUNCTIONS, globals())
