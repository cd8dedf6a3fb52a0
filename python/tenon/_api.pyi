# made by tools/make_python_api.py from include/tenon; do not edit.
import ctypes
from typing import Any, Dict, Optional

TN_AT_END: int
TN_HASH_SIZE: int
TN_NONE: int
TN_NOWHERE: int
TN_STATISTICS_BINS: int
TN_VERSION_MAJOR: int
TN_VERSION_MINOR: int
TN_VERSION_PATCH: int
TN_OK: int
TN_TRUNCATED: int
TN_MALFORMED: int
TN_LIMIT: int
TN_UNSUPPORTED: int
TN_NOT_FOUND: int
TN_IO: int
TN_NO_MEMORY: int
TN_EXISTS: int
TN_BUSY: int
TN_INVALID: int
TN_CANCELLED: int
TN_REASON_NONE: int
TN_REASON_UNKNOWN_FORMAT: int
TN_REASON_NOT_A_MODEL: int
TN_REASON_SEVERAL_MODELS: int
TN_REASON_UNKNOWN_TARGET_FORMAT: int
TN_REASON_UNWRITABLE_FORMAT: int
TN_REASON_TARGET_EXISTS: int
TN_REASON_TARGET_BUSY: int
TN_REASON_MISSING_FILE: int
TN_REASON_MISSING_SHARD: int
TN_REASON_SYMBOLIC_LINK: int
TN_REASON_CUT_SHORT: int
TN_REASON_EXPANSION_LIMIT: int
TN_REASON_MEMORY_LIMIT: int
TN_REASON_BAD_OPTION: int
TN_REASON_BAD_RULES: int
TN_REASON_INVALID_MODEL: int
TN_REASON_INVALID_RESULT: int
TN_REASON_LOSSES: int
TN_REASON_NO_RULES: int
TN_REASON_NO_RULE: int
TN_REASON_RULE_REFUSED: int
TN_REASON_UNKNOWN_TYPE: int
TN_REASON_UNKNOWN_SHAPE: int
TN_REASON_UNKNOWN_VALUE: int
TN_REASON_UNKNOWN_SIGNATURE: int
TN_REASON_SEVERAL_SIGNATURES: int
TN_REASON_NO_SIGNATURE: int
TN_REASON_UNKNOWN_INPUT: int
TN_REASON_UNKNOWN_OUTPUT: int
TN_REASON_MISSING_INPUT: int
TN_REASON_MISSING_VARIABLE: int
TN_REASON_NO_RECEIPT: int
TN_REASON_BAD_SHAPE: int
TN_REASON_FOREIGN_OPTION: int
TN_REASON_NO_TRANSPORT: int
TN_REASON_UNREACHABLE: int
TN_REASON_SERVER_BUSY: int
TN_REASON_ACCESS_DENIED: int
TN_REASON_BAD_ANSWER: int
TN_REASON_NO_RANGES: int
TN_REASON_REMOTE_CHANGED: int
TN_REASON_REMOTE_LIMIT: int
TN_REASON_URL_IN_FILE: int
TN_UNDEFINED: int
TN_FLOAT32: int
TN_FLOAT64: int
TN_FLOAT16: int
TN_BFLOAT16: int
TN_FLOAT8E4M3FN: int
TN_FLOAT8E4M3FNUZ: int
TN_FLOAT8E4M3B11FNUZ: int
TN_FLOAT8E5M2: int
TN_FLOAT8E5M2FNUZ: int
TN_FLOAT8E8M0: int
TN_FLOAT4E2M1: int
TN_INT8: int
TN_INT16: int
TN_INT32: int
TN_INT64: int
TN_INT4: int
TN_INT2: int
TN_UINT8: int
TN_UINT16: int
TN_UINT32: int
TN_UINT64: int
TN_UINT4: int
TN_UINT2: int
TN_BOOL: int
TN_COMPLEX64: int
TN_COMPLEX128: int
TN_STRING: int
TN_QINT8: int
TN_QUINT8: int
TN_QINT16: int
TN_QUINT16: int
TN_QINT32: int
TN_RESOURCE: int
TN_VARIANT: int
TN_DTYPE_COUNT: int
TN_ROLE_INITIALIZER: int
TN_ROLE_ATTRIBUTE: int
TN_ROLE_VARIABLE: int
TN_ROLE_SPARSE_VALUES: int
TN_ROLE_SPARSE_INDICES: int
TN_ROLE_STATE: int
TN_OPTION_FLAG: int
TN_OPTION_TEXT: int
TN_OPTION_FILE: int
TN_OPTION_SIZE: int
TN_OPTION_CHOICE: int
TN_SEVERITY_NOTE: int
TN_SEVERITY_WARNING: int
TN_SEVERITY_ERROR: int
TN_GET_NPY: int
TN_GET_RAW: int
TN_GET_TEXT: int
TN_DUMP_TEXT: int
TN_DUMP_JSON: int
TN_SPLIT_CPP: int
TN_SPLIT_PYTHON: int
TN_CATALOG_BY_NAME: int
TN_CATALOG_SQLITE: int
TN_CATALOG_NDJSON: int
TN_CATALOG_ARROW: int
TN_CATALOG_ARROW_STREAM: int
TN_CHUNK_UNSET: int
TN_CHUNK_MESSAGE: int
TN_CHUNK_BYTES: int
TN_SCALARS_TEXT: int
TN_SCALARS_BINARY: int
TN_GRAPH_MAIN: int
TN_GRAPH_SUBGRAPH: int
TN_GRAPH_FUNCTION: int
TN_GRAPH_OTHER: int
TN_VALUE_UNDEFINED: int
TN_VALUE_INPUT: int
TN_VALUE_INITIALIZER: int
TN_VALUE_OUTPUT: int
TN_VALUE_OUTER: int
TN_ATTR_NONE: int
TN_ATTR_INT: int
TN_ATTR_FLOAT: int
TN_ATTR_BOOL: int
TN_ATTR_STRING: int
TN_ATTR_DTYPE: int
TN_ATTR_SHAPE: int
TN_ATTR_TENSOR: int
TN_ATTR_GRAPH: int
TN_ATTR_FUNCTION: int
TN_ATTR_REFERENCE: int
TN_ATTR_OTHER: int
TN_ATTR_DOUBLE: int
TN_VIEW_AUTO: int
TN_VIEW_HTML: int
TN_VIEW_SVG: int
TN_DIFF_INPUT: int
TN_DIFF_OUTPUT: int
TN_DIFF_VERSION: int
TN_DIFF_SIGNATURE: int
TN_DIFF_GRAPH: int
TN_DIFF_OPERATOR: int
TN_DIFF_TENSOR: int
TN_DIFF_METADATA: int
TN_DIFF_PARTS: int
TN_DIFF_ADDED: int
TN_DIFF_REMOVED: int
TN_DIFF_CHANGED: int
TN_DIFF_RENAMED: int
TN_DIFF_MOVED: int
TN_VARIABLE_CONSTANT: int
TN_VARIABLE_TRAINED: int
TN_VARIABLE_PLACEHOLDER: int
TN_ARG_FLOAT: int
TN_ARG_DOUBLE: int
TN_ARG_INT32: int
TN_ARG_INT64: int
TN_ARG_BOOL: int
TN_ARG_DATA_TYPE: int
TN_ARG_INPUT_TENSOR: int
TN_ARG_OUTPUT_TENSOR: int
TN_ARG_STRING: int
TN_ARG_TYPE_COUNT: int
TN_LIST_IN: int
TN_LIST_OUT: int
TN_LIST_T: int
TN_LIST_I: int
TN_LIST_B: int
TN_LIST_D: int
TN_LIST_S: int
TN_LIST_AXIS: int
TN_LIST_COUNT: int
TN_CUSTOM_OP_IMPL: int
TN_BOOLEAN_OP_IMPL: int
TN_LIST_OP_IMPL: int
TN_LOGIC_OP_IMPL: int
TN_OP_IMPL: int
TN_DIVERGENT_OP_IMPL: int
TN_CONFIGURABLE_OP_IMPL: int
TN_REDUCTION_OP_IMPL: int
TN_BROADCASTABLE_OP_IMPL: int
TN_BROADCASTABLE_BOOL_OP_IMPL: int
TN_LEGACY_XYZ: int
TN_PLATFORM_IMPL: int
TN_DESCRIPTOR_BINARY: int
TN_DESCRIPTOR_TEXT: int
TN_DESCRIPTOR_JSON: int
TN_EXPLAIN_RULE: int
TN_EXPLAIN_READS: int
TN_EXPLAIN_DROPS: int
TN_EXPLAIN_GIVES: int
TN_EXPLAIN_UNSET: int
TN_EXPLAIN_DEFECT: int
TN_EXPORT_OPS: int
TN_EXPORT_RULES: int
TN_VERDICT_NOTE: int
TN_VERDICT_UNKNOWN: int
TN_VERDICT_DANGEROUS: int
TN_OF_VALUES: int
TN_OF_MAGNITUDES: int
TN_OF_LENGTHS: int
TN_TAG_ONLY_LEFT: int
TN_TAG_ONLY_RIGHT: int
TN_TAG_OTHER_TYPE: int
TN_TAG_OTHER_VALUES: int
TN_TAG_OTHER_FILE: int

class tn_allocator(ctypes.Structure):
    resize: Any
    context: Any
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_bytes(ctypes.Structure):
    data: Any
    size: int
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_error(ctypes.Structure):
    status: int
    reason: int
    offset: int
    file: Any
    where: Any
    what: Any
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_setting(ctypes.Structure):
    name: Optional[bytes]
    value: Optional[bytes]
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_options(ctypes.Structure):
    size: int
    allocator: Any
    max_memory: int
    max_expand: int
    workers: int
    from_: Optional[bytes]
    tag: Optional[bytes]
    keep_unmapped: bool
    wants_graph: bool
    settings: Any
    setting_count: int
    progress: Any
    progress_context: Any
    temporaries: Any
    remote: Any
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_folder_model(ctypes.Structure):
    path: Optional[bytes]
    format: Optional[bytes]
    title: Optional[bytes]
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_fact(ctypes.Structure):
    key: tn_bytes
    value: tn_bytes
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_dim(ctypes.Structure):
    value: int
    symbol: tn_bytes
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_io(ctypes.Structure):
    name: tn_bytes
    key: tn_bytes
    dtype: int
    has_rank: bool
    has_default: bool
    is_guessed: bool
    rank: int
    dims: Any
    note: Optional[bytes]
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_io_list(ctypes.Structure):
    count: int
    items: Any
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_signature(ctypes.Structure):
    name: tn_bytes
    method: tn_bytes
    inputs: tn_io_list
    outputs: tn_io_list
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_op_kind(ctypes.Structure):
    type: tn_bytes
    domain: tn_bytes
    count: int
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_array_options(ctypes.Structure):
    size: int
    slice: Optional[bytes]
    allows_unaligned: bool
    is_copied: bool
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_array_info(ctypes.Structure):
    data: Any
    size: int
    dtype: int
    rank: int
    dims: Any
    is_mapped: bool
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_format_info(ctypes.Structure):
    name: Optional[bytes]
    title: Optional[bytes]
    dialect: Optional[bytes]
    suffixes: Any
    can_read: bool
    can_write: bool
    can_check: bool
    has_text: bool
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_format_option(ctypes.Structure):
    name: Optional[bytes]
    kind: int
    letter: bytes
    is_for_reading: bool
    value: Optional[bytes]
    standard: Optional[bytes]
    help: Optional[bytes]
    needs: Optional[bytes]
    excludes: Optional[bytes]
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_target(ctypes.Structure):
    path: Optional[bytes]
    can_replace: bool
    is_dry_run: bool
    is_durable: bool
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_finding(ctypes.Structure):
    severity: int
    rule: Optional[bytes]
    file: Optional[bytes]
    offset: int
    where: Optional[bytes]
    what: Optional[bytes]
    reason: int
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_check_options(ctypes.Structure):
    size: int
    skip_data: bool
    max_findings: int
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_check_summary(ctypes.Structure):
    errors: int
    warnings: int
    notes: int
    format: Any
    nodes: int
    tensors: int
    bytes_verified: int
    has_records: bool
    can_repair: bool
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_get_options(ctypes.Structure):
    size: int
    form: int
    slice: Optional[bytes]
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_dump_options(ctypes.Structure):
    size: int
    form: int
    schema: Optional[bytes]
    type: Optional[bytes]
    is_strict: bool
    use_json_names: bool
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_input_shape(ctypes.Structure):
    name: Optional[bytes]
    dims: Any
    rank: int
    symbols: Any
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_map_options(ctypes.Structure):
    size: int
    inputs: Any
    outputs: Any
    input_count: int
    output_count: int
    signature: Optional[bytes]
    rules: Any
    rule_count: int
    allow: Any
    allow_count: int
    folds_nothing: bool
    force_invalid: bool
    receipt: Optional[bytes]
    functions: Any
    function_count: int
    book: Any
    only_rules: bool
    shapes: Any
    shape_count: int
    simplifies: bool
    fold_limit: int
    folds_shapes: bool
    keeps_nodes: bool
    via: Optional[bytes]
    opset: int
    channels_first: bool
    keeps_quantized: bool
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_convert_options(ctypes.Structure):
    size: int
    to: Optional[bytes]
    settings: Any
    setting_count: int
    loss: Any
    loss_context: Any
    force_invalid: bool
    finding: Any
    finding_context: Any
    map: Any
    is_strict: bool
    note: Any
    note_context: Any
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_convert_summary(ctypes.Structure):
    bytes_written: int
    tensors_moved: int
    losses: int
    format: Any
    findings: int
    tensors_outside: int
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_plan_row(ctypes.Structure):
    from_: Optional[bytes]
    to: Optional[bytes]
    op: tn_bytes
    domain: tn_bytes
    count: int
    where: Optional[bytes]
    rule: Optional[bytes]
    why: Optional[bytes]
    stub: Optional[bytes]
    is_allowed: bool
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_plan_pass(ctypes.Structure):
    dialect: Optional[bytes]
    name: Optional[bytes]
    what: Optional[bytes]
    did: Optional[bytes]
    nodes: int
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_plan_listener(ctypes.Structure):
    pass_: Any
    op: Any
    context: Any
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_plan_summary(ctypes.Structure):
    mapped: int
    unmapped: int
    allowed: int
    format: Any
    way: Any
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_split_format(ctypes.Structure):
    version: int
    separates_bytes: bool
    max_bytes: int
    max_metadata: int
    max_file: int
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_split_options(ctypes.Structure):
    size: int
    schema: Optional[bytes]
    type: Optional[bytes]
    rules: int
    max_size: int
    records: Optional[bytes]
    format: tn_split_format
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_split_summary(ctypes.Structure):
    message_size: int
    chunks: int
    is_chunked: bool
    is_folder: bool
    drops_fingerprint: bool
    warning: Any
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_strip_options(ctypes.Structure):
    size: int
    callstack: bool
    training: bool
    loss: Any
    loss_context: Any
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_strip_summary(ctypes.Structure):
    fields: int
    ops: int
    tensors: int
    bytes: int
    bytes_read: int
    bytes_written: int
    format: Any
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_block_info(ctypes.Structure):
    name: Optional[bytes]
    elements: int
    bytes: int
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_catalog_file(ctypes.Structure):
    path: Optional[bytes]
    status: Optional[bytes]
    error: Optional[bytes]
    is_kept: bool
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_catalog_options(ctypes.Structure):
    size: int
    form: int
    wants_hashes: bool
    wants_statistics: bool
    wants_scan: bool
    only_names: bool
    jobs: int
    on_file: Any
    context: Any
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_catalog_totals(ctypes.Structure):
    files: int
    models: int
    broken: int
    kept: int
    removed: int
    missing: int
    tensors: int
    bytes: int
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_message_part(ctypes.Structure):
    end: int
    field: int
    wire: int
    body: int
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_step(ctypes.Structure):
    text: Optional[bytes]
    number: int
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_path(ctypes.Structure):
    steps: Any
    count: int
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_split_version(ctypes.Structure):
    producer: int
    min_consumer: int
    bad_consumers: Any
    bad_consumer_count: int
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_split_rule(ctypes.Structure):
    rules: int
    max_size: int
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_graph_info(ctypes.Structure):
    kind: int
    name: tn_bytes
    domain: tn_bytes
    path: Optional[bytes]
    parent_graph: int
    op_count: int
    first_op: int
    inputs: tn_io_list
    outputs: tn_io_list
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_op_info(ctypes.Structure):
    name: tn_bytes
    type: tn_bytes
    domain: tn_bytes
    graph: int
    input_count: int
    control_count: int
    output_count: int
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_value_info(ctypes.Structure):
    name: tn_bytes
    kind: int
    graph: int
    producer: int
    output: int
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_attr_shape(ctypes.Structure):
    has_rank: bool
    rank: int
    dims: Any
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_attr_value_of(ctypes.Union):
    ints: Any
    floats: Any
    doubles: Any
    strings: Any
    shapes: Any
    tensors: Any
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_attr_value(ctypes.Structure):
    kind: int
    is_list: bool
    count: int
    of: tn_attr_value_of
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_view_options(ctypes.Structure):
    size: int
    form: int
    stats: bool
    data: Optional[bytes]
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_view_summary(ctypes.Structure):
    bytes_written: int
    nodes: int
    blocks: int
    shown: int
    numbers_used: int
    form: Any
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_diff_options(ctypes.Structure):
    size: int
    tolerance: float
    skips_values: bool
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_diff_facet(ctypes.Structure):
    name: tn_bytes
    left: tn_bytes
    right: tn_bytes
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_diff_change(ctypes.Structure):
    part: int
    kind: int
    name: tn_bytes
    new_name: tn_bytes
    type: tn_bytes
    left: int
    right: int
    facet_count: int
    facets: Any
    group: int
    group_count: int
    element_count: int
    changed_count: int
    max_absolute: float
    max_relative: float
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_diff_summary(ctypes.Structure):
    left_ops: int
    right_ops: int
    same_ops: int
    left_tensors: int
    right_tensors: int
    same_tensors: int
    has_ops: bool
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_patch_summary(ctypes.Structure):
    actions: int
    tensors: int
    is_whole: bool
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_op_spec(ctypes.Structure):
    name: Optional[bytes]
    type: Optional[bytes]
    domain: Optional[bytes]
    inputs: Any
    input_count: int
    control_count: int
    outputs: Any
    output_count: int
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_edit_action_info(ctypes.Structure):
    name: Optional[bytes]
    arguments: Optional[bytes]
    help: Optional[bytes]
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_apply_options(ctypes.Structure):
    size: int
    script: Optional[bytes]
    actions: tn_bytes
    convert: Any
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_native(ctypes.Structure):
    name: Optional[bytes]
    run: Any
    context: Any
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_native_type(ctypes.Structure):
    dtype: int
    has_rank: bool
    rank: int
    dims: Any
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_native_attr(ctypes.Structure):
    name: Optional[bytes]
    value: tn_attr_value
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_native_node(ctypes.Structure):
    op: Optional[bytes]
    inputs: Any
    input_count: int
    attrs: Any
    attr_count: int
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_arg(ctypes.Structure):
    name: tn_bytes
    type: int
    index: int
    has_value: bool
    number: int
    real: float
    text: tn_bytes
    tensor: tn_bytes
    is_optional: bool
    converts_bool: bool
    is_array: bool
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_args(ctypes.Structure):
    count: int
    items: Any
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_op_descriptor(ctypes.Structure):
    name: tn_bytes
    declaration: int
    in_count: int
    out_count: int
    t_count: int
    i_count: int
    is_inplaceable: bool
    is_counted: bool
    args: tn_args
    lists: Any
    next: Any
    assumed: tn_bytes
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_custom_function(ctypes.Structure):
    name: Optional[bytes]
    run: Any
    context: Any
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_interpreter_options(ctypes.Structure):
    size: int
    files: Any
    file_count: int
    functions: Any
    function_count: int
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_interpret_context(ctypes.Structure):
    opset: int
    is_strict: bool
    constant: Any
    context: Any
    type: Any
    inputs: Optional[bytes]
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_mapper_info(ctypes.Structure):
    framework: tn_bytes
    op_type: tn_bytes
    name: tn_bytes
    rule_count: int
    defect_count: int
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_texts(ctypes.Structure):
    count: int
    bytes: Optional[bytes]
    size: int
    ends: Any
    has_zeros: bool
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_tensor_list(ctypes.Structure):
    count: int
    names: tn_texts
    dtypes: Any
    roles: Any
    ranks: Any
    dims: Any
    dim_count: int
    sizes: Any
    offsets: Any
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_op_list(ctypes.Structure):
    count: int
    names: tn_texts
    kinds: tn_texts
    domains: tn_texts
    kind_of: Any
    graphs: Any
    input_counts: Any
    control_counts: Any
    output_counts: Any
    inputs: Any
    input_total: int
    outputs: Any
    output_total: int
    values: tn_texts
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_metadata_list(ctypes.Structure):
    count: int
    keys: tn_texts
    values: tn_texts
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_request(ctypes.Structure):
    url: Optional[bytes]
    offset: int
    bytes: int
    status: int
    attempt: int
    seconds: float
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_remote_options(ctypes.Structure):
    size: int
    allows_external: bool
    is_anonymous: bool
    allows_plain: bool
    max_bytes: int
    timeout: int
    attempts: int
    on_request: Any
    context: Any
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_rule_info(ctypes.Structure):
    file: Optional[bytes]
    line: int
    from_: tn_bytes
    to: tn_bytes
    op_type: tn_bytes
    domain: tn_bytes
    since: int
    until: int
    text: tn_bytes
    is_native: bool
    is_reversed: bool
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_rule_finding(ctypes.Structure):
    file: Optional[bytes]
    line: int
    column: int
    what: Optional[bytes]
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_rule_example(ctypes.Structure):
    file: Optional[bytes]
    line: int
    text: tn_bytes
    why: Optional[bytes]
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_rule_examples(ctypes.Structure):
    count: int
    failed: int
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_scan_finding(ctypes.Structure):
    verdict: int
    rule: Optional[bytes]
    file: Optional[bytes]
    member: Optional[bytes]
    offset: int
    what: Optional[bytes]
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_scan_totals(ctypes.Structure):
    files: int
    pickles: int
    findings: Any
    flagged: Any
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_statistics(ctypes.Structure):
    of: int
    bin_count: int
    count: int
    zeros: int
    nans: int
    infinities: int
    finite: int
    min: float
    max: float
    mean: float
    deviation: float
    low: float
    width: float
    bins: Any
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_tag_info(ctypes.Structure):
    name: tn_bytes
    is_listed: bool
    is_newest: bool
    parameters: int
    states: int
    shared: int
    bytes: int
    updater: tn_bytes
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_tag_change(ctypes.Structure):
    kind: int
    name: tn_bytes
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_tag_options(ctypes.Structure):
    size: int
    can_replace: bool
    is_dry_run: bool
    can_wait: bool
    loss: Any
    loss_context: Any
    map: Any
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_tag_summary(ctypes.Structure):
    arrays: int
    shared: int
    copied: int
    new_bytes: int
    size_before: int
    size_after: int
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class tn_writer(ctypes.Structure):
    target: tn_target
    write: Any
    context: Any
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

tn_progress: Any
tn_read_at: Any
tn_on_folder_model: Any
tn_on_string: Any
tn_on_finding: Any
tn_on_loss: Any
tn_on_catalog_file: Any
tn_native_run: Any
tn_rule_function: Any
tn_on_explain: Any
tn_on_request: Any
tn_on_scan_finding: Any
tn_on_statistics: Any
tn_on_tag: Any
tn_on_tag_change: Any
tn_write: Any

class _Library:
    def tn_apply(self, path: Any, options: Any, apply: Any, target: Any, summary: Any, error: Any, /) -> int: ...
    def tn_arg_list_name(self, list: Any, /) -> Optional[bytes]: ...
    def tn_arg_type_name(self, type: Any, /) -> Optional[bytes]: ...
    def tn_array_capsule_done(self, capsule: Any, /) -> None: ...
    def tn_array_close(self, array: Any, /) -> None: ...
    def tn_array_dlpack(self, array: Any, managed: Any, error: Any, /) -> int: ...
    def tn_array_get(self, array: Any, /) -> Any: ...
    def tn_array_hold(self, array: Any, /) -> None: ...
    def tn_array_open(self, out: Any, tensor: Any, array: Any, options: Any, error: Any, /) -> int: ...
    def tn_attr_close(self, attr: Any, /) -> None: ...
    def tn_attr_find(self, out: Any, model: Any, op: Any, name: Any, error: Any, /) -> int: ...
    def tn_attr_get(self, attr: Any, /) -> Any: ...
    def tn_attr_name(self, attr: Any, /) -> tn_bytes: ...
    def tn_attr_open(self, out: Any, model: Any, op: Any, index: Any, error: Any, /) -> int: ...
    def tn_call_attr(self, call: Any, name: Any, value: Any, /) -> bool: ...
    def tn_call_emit(self, call: Any, arg: Any, error: Any, /) -> int: ...
    def tn_call_index(self, call: Any, name: Any, type: Any, /) -> int: ...
    def tn_call_pair_count(self, call: Any, /) -> int: ...
    def tn_call_pair_framework(self, call: Any, pair: Any, /) -> tn_bytes: ...
    def tn_call_pair_nd4j(self, call: Any, pair: Any, /) -> tn_bytes: ...
    def tn_call_parameter(self, call: Any, key: Any, index: Any, /) -> Any: ...
    def tn_catalog(self, paths: Any, count: Any, catalog: Any, target: Any, options: Any, totals: Any, error: Any, /) -> int: ...
    def tn_check(self, path: Any, options: Any, check: Any, on_finding: Any, context: Any, summary: Any, error: Any, /) -> int: ...
    def tn_convert(self, model: Any, convert: Any, target: Any, options: Any, summary: Any, error: Any, /) -> int: ...
    def tn_declaration_name(self, declaration: Any, /) -> Optional[bytes]: ...
    def tn_diff_change_at(self, diff: Any, index: Any, /) -> Any: ...
    def tn_diff_close(self, diff: Any, /) -> None: ...
    def tn_diff_count(self, diff: Any, /) -> int: ...
    def tn_diff_match_op(self, diff: Any, left: Any, /) -> int: ...
    def tn_diff_open(self, out: Any, left: Any, right: Any, diff: Any, options: Any, error: Any, /) -> int: ...
    def tn_diff_summarize(self, diff: Any, /) -> tn_diff_summary: ...
    def tn_diff_write_patch(self, diff: Any, target: Any, options: Any, summary: Any, error: Any, /) -> int: ...
    def tn_diff_write_view(self, diff: Any, target: Any, options: Any, summary: Any, error: Any, /) -> int: ...
    def tn_dtype_bits(self, dtype: Any, /) -> int: ...
    def tn_dtype_find(self, name: Any, /) -> int: ...
    def tn_dtype_name(self, dtype: Any, /) -> Optional[bytes]: ...
    def tn_dtype_size(self, dtype: Any, /) -> int: ...
    def tn_dump(self, path: Any, options: Any, dump: Any, target: Any, loss: Any, context: Any, error: Any, /) -> int: ...
    def tn_edit_act(self, edit: Any, action: Any, value: Any, error: Any, /) -> int: ...
    def tn_edit_action(self, index: Any, /) -> tn_edit_action_info: ...
    def tn_edit_action_count(self) -> int: ...
    def tn_edit_add_borrowed(self, edit: Any, graph: Any, name: Any, dtype: Any, rank: Any, dims: Any, elements: Any, error: Any, /) -> int: ...
    def tn_edit_add_elements(self, edit: Any, graph: Any, name: Any, dtype: Any, rank: Any, dims: Any, elements: Any, error: Any, /) -> int: ...
    def tn_edit_add_function(self, edit: Any, name: Any, domain: Any, inputs: Any, input_count: Any, outputs: Any, output_count: Any, graph: Any, error: Any, /) -> int: ...
    def tn_edit_add_input(self, edit: Any, graph: Any, input: Any, error: Any, /) -> int: ...
    def tn_edit_add_op(self, edit: Any, graph: Any, before: Any, spec: Any, op: Any, error: Any, /) -> int: ...
    def tn_edit_add_output(self, edit: Any, graph: Any, output: Any, error: Any, /) -> int: ...
    def tn_edit_add_source(self, edit: Any, graph: Any, name: Any, dtype: Any, rank: Any, dims: Any, read_at: Any, context: Any, error: Any, /) -> int: ...
    def tn_edit_add_tensor(self, edit: Any, graph: Any, name: Any, from_: Any, error: Any, /) -> int: ...
    def tn_edit_close(self, edit: Any, /) -> None: ...
    def tn_edit_commit(self, edit: Any, out: Any, error: Any, /) -> int: ...
    def tn_edit_copy_function(self, edit: Any, from_: Any, graph: Any, name: Any, new_graph: Any, error: Any, /) -> int: ...
    def tn_edit_new(self, out: Any, format: Any, options: Any, error: Any, /) -> int: ...
    def tn_edit_note(self, edit: Any, index: Any, /) -> Optional[bytes]: ...
    def tn_edit_open(self, out: Any, base: Any, options: Any, error: Any, /) -> int: ...
    def tn_edit_remove_attr(self, edit: Any, op: Any, name: Any, error: Any, /) -> int: ...
    def tn_edit_remove_function(self, edit: Any, graph: Any, error: Any, /) -> int: ...
    def tn_edit_remove_op(self, edit: Any, op: Any, error: Any, /) -> int: ...
    def tn_edit_remove_signature(self, edit: Any, name: Any, error: Any, /) -> int: ...
    def tn_edit_remove_states(self, edit: Any, parameter: Any, error: Any, /) -> int: ...
    def tn_edit_remove_tensor(self, edit: Any, graph: Any, name: Any, error: Any, /) -> int: ...
    def tn_edit_rename(self, edit: Any, graph: Any, old: Any, new_name: Any, error: Any, /) -> int: ...
    def tn_edit_rename_op(self, edit: Any, op: Any, name: Any, error: Any, /) -> int: ...
    def tn_edit_replace_elements(self, edit: Any, graph: Any, name: Any, dtype: Any, rank: Any, dims: Any, elements: Any, error: Any, /) -> int: ...
    def tn_edit_replace_op(self, edit: Any, op: Any, spec: Any, error: Any, /) -> int: ...
    def tn_edit_replace_tensor(self, edit: Any, graph: Any, name: Any, from_: Any, error: Any, /) -> int: ...
    def tn_edit_run(self, edit: Any, script: Any, error: Any, /) -> int: ...
    def tn_edit_run_file(self, edit: Any, path: Any, error: Any, /) -> int: ...
    def tn_edit_run_patch(self, edit: Any, path: Any, error: Any, /) -> int: ...
    def tn_edit_set_attr(self, edit: Any, op: Any, name: Any, value: Any, error: Any, /) -> int: ...
    def tn_edit_set_input(self, edit: Any, op: Any, index: Any, value: Any, error: Any, /) -> int: ...
    def tn_edit_set_levels(self, edit: Any, graph: Any, name: Any, level_count: Any, counts: Any, offsets: Any, error: Any, /) -> int: ...
    def tn_edit_set_losses(self, edit: Any, names: Any, count: Any, error: Any, /) -> int: ...
    def tn_edit_set_metadata(self, edit: Any, key: Any, value: Any, error: Any, /) -> int: ...
    def tn_edit_set_signature(self, edit: Any, signature: Any, error: Any, /) -> int: ...
    def tn_edit_set_state(self, edit: Any, parameter: Any, key: Any, from_: Any, error: Any, /) -> int: ...
    def tn_edit_set_state_elements(self, edit: Any, parameter: Any, key: Any, elements: Any, error: Any, /) -> int: ...
    def tn_edit_set_training(self, edit: Any, json: Any, error: Any, /) -> int: ...
    def tn_edit_set_variable(self, edit: Any, graph: Any, name: Any, kind: Any, error: Any, /) -> int: ...
    def tn_edit_type_io(self, edit: Any, graph: Any, name: Any, dtype: Any, error: Any, /) -> int: ...
    def tn_edit_write(self, model: Any, convert: Any, target: Any, options: Any, summary: Any, error: Any, /) -> int: ...
    def tn_folder_models(self, path: Any, options: Any, each: Any, context: Any, error: Any, /) -> int: ...
    def tn_format_at(self, index: Any, /) -> tn_format_info: ...
    def tn_format_count(self) -> int: ...
    def tn_format_option(self, format: Any, index: Any, /) -> Any: ...
    def tn_get(self, tensor: Any, get: Any, target: Any, options: Any, error: Any, /) -> int: ...
    def tn_interpret_model(self, out: Any, interpreter: Any, model: Any, error: Any, /) -> int: ...
    def tn_interpret_node(self, out: Any, interpreter: Any, node: Any, context: Any, error: Any, /) -> int: ...
    def tn_interpret_onnx(self, out: Any, interpreter: Any, node: Any, context: Any, error: Any, /) -> int: ...
    def tn_interpret_paddle(self, out: Any, interpreter: Any, op: Any, context: Any, error: Any, /) -> int: ...
    def tn_interpret_tensorflow(self, out: Any, interpreter: Any, node: Any, context: Any, error: Any, /) -> int: ...
    def tn_interpreter_close(self, interpreter: Any, /) -> None: ...
    def tn_interpreter_explain(self, i: Any, mapper: Any, on: Any, context: Any, error: Any, /) -> int: ...
    def tn_interpreter_export(self, i: Any, what: Any, form: Any, target: Any, error: Any, /) -> int: ...
    def tn_interpreter_extract(self, out: Any, paths: Any, path_count: Any, options: Any, error: Any, /) -> int: ...
    def tn_interpreter_mapper(self, i: Any, mapper: Any, /) -> tn_mapper_info: ...
    def tn_interpreter_mapper_count(self, i: Any, /) -> int: ...
    def tn_interpreter_op(self, i: Any, index: Any, /) -> Any: ...
    def tn_interpreter_op_count(self, i: Any, /) -> int: ...
    def tn_interpreter_open(self, out: Any, interpreter: Any, options: Any, error: Any, /) -> int: ...
    def tn_loss_kind(self, what: Any, /) -> Optional[bytes]: ...
    def tn_merge(self, out: Any, schema: Any, type: Any, chunks: Any, chunk_count: Any, chunked_message: Any, options: Any, error: Any, /) -> int: ...
    def tn_merge_bytes(self, out: Any, schema: Any, type: Any, bytes: Any, options: Any, error: Any, /) -> int: ...
    def tn_merge_file(self, path: Any, options: Any, merge: Any, target: Any, summary: Any, error: Any, /) -> int: ...
    def tn_merge_read(self, out: Any, schema: Any, type: Any, prefix: Any, paths: Any, path_count: Any, options: Any, error: Any, /) -> int: ...
    def tn_merger_close(self, merger: Any, /) -> None: ...
    def tn_merger_get(self, out: Any, merger: Any, steps: Any, count: Any, error: Any, /) -> int: ...
    def tn_merger_merge(self, out: Any, merger: Any, paths: Any, path_count: Any, error: Any, /) -> int: ...
    def tn_merger_open(self, out: Any, schema: Any, type: Any, prefix: Any, options: Any, error: Any, /) -> int: ...
    def tn_merger_open_bytes(self, out: Any, schema: Any, type: Any, bytes: Any, options: Any, error: Any, /) -> int: ...
    def tn_merger_open_chunks(self, out: Any, schema: Any, type: Any, chunks: Any, chunk_count: Any, chunked_message: Any, options: Any, error: Any, /) -> int: ...
    def tn_merger_scalars(self, merger: Any, form: Any, /) -> None: ...
    def tn_merger_sort(self, merger: Any, /) -> None: ...
    def tn_merger_version(self, merger: Any, /) -> tn_split_version: ...
    def tn_message_bytes(self, out: Any, schema: Any, type: Any, bytes: Any, options: Any, error: Any, /) -> int: ...
    def tn_message_close(self, message: Any, /) -> None: ...
    def tn_message_open(self, out: Any, schema: Any, type: Any, path: Any, options: Any, error: Any, /) -> int: ...
    def tn_message_part(self, message: Any, begin: Any, end: Any, most: Any, part: Any, error: Any, /) -> int: ...
    def tn_message_read(self, message: Any, offset: Any, to: Any, size: Any, error: Any, /) -> int: ...
    def tn_message_size(self, message: Any, /) -> int: ...
    def tn_message_warning(self, message: Any, /) -> Optional[bytes]: ...
    def tn_message_write(self, message: Any, target: Any, error: Any, /) -> int: ...
    def tn_metadata_list_close(self, list: Any, /) -> None: ...
    def tn_metadata_list_open(self, out: Any, model: Any, options: Any, error: Any, /) -> int: ...
    def tn_model_close(self, model: Any, /) -> None: ...
    def tn_model_dialect(self, model: Any, /) -> Optional[bytes]: ...
    def tn_model_fact(self, model: Any, index: Any, /) -> tn_fact: ...
    def tn_model_fact_count(self, model: Any, /) -> int: ...
    def tn_model_file_size(self, model: Any, /) -> int: ...
    def tn_model_find(self, model: Any, name: Any, /) -> Any: ...
    def tn_model_format(self, model: Any, /) -> Optional[bytes]: ...
    def tn_model_function_count(self, model: Any, /) -> int: ...
    def tn_model_graph(self, model: Any, graph: Any, /) -> tn_graph_info: ...
    def tn_model_graph_count(self, model: Any, /) -> int: ...
    def tn_model_hash(self, model: Any, options: Any, digests: Any, error: Any, /) -> int: ...
    def tn_model_hash_decoded(self, model: Any, options: Any, digests: Any, error: Any, /) -> int: ...
    def tn_model_inputs(self, model: Any, /) -> tn_io_list: ...
    def tn_model_loss(self, model: Any, index: Any, /) -> tn_bytes: ...
    def tn_model_loss_count(self, model: Any, /) -> int: ...
    def tn_model_node_count(self, model: Any, /) -> int: ...
    def tn_model_op(self, model: Any, op: Any, /) -> tn_op_info: ...
    def tn_model_op_count(self, model: Any, /) -> int: ...
    def tn_model_op_kind(self, model: Any, index: Any, /) -> Any: ...
    def tn_model_op_kind_count(self, model: Any, /) -> int: ...
    def tn_model_open(self, out: Any, path: Any, options: Any, error: Any, /) -> int: ...
    def tn_model_open_source(self, out: Any, name: Any, size: Any, read_at: Any, context: Any, options: Any, error: Any, /) -> int: ...
    def tn_model_outputs(self, model: Any, /) -> tn_io_list: ...
    def tn_model_path(self, model: Any, /) -> Optional[bytes]: ...
    def tn_model_signature(self, model: Any, index: Any, /) -> Any: ...
    def tn_model_signature_count(self, model: Any, /) -> int: ...
    def tn_model_subgraph_count(self, model: Any, /) -> int: ...
    def tn_model_tag(self, model: Any, index: Any, /) -> tn_bytes: ...
    def tn_model_tag_count(self, model: Any, /) -> int: ...
    def tn_model_tensor(self, model: Any, index: Any, /) -> Any: ...
    def tn_model_tensor_count(self, model: Any, /) -> int: ...
    def tn_model_title(self, model: Any, /) -> Optional[bytes]: ...
    def tn_model_training(self, model: Any, /) -> tn_bytes: ...
    def tn_model_value_count(self, model: Any, /) -> int: ...
    def tn_model_value_info(self, model: Any, value: Any, /) -> tn_value_info: ...
    def tn_native_attr(self, call: Any, name: Any, value: Any, /) -> bool: ...
    def tn_native_bind(self, call: Any, index: Any, value: Any, error: Any, /) -> int: ...
    def tn_native_constant(self, call: Any, dtype: Any, elements: Any, dims: Any, rank: Any, value: Any, error: Any, /) -> int: ...
    def tn_native_elements(self, call: Any, value: Any, elements: Any, /) -> bool: ...
    def tn_native_input(self, call: Any, index: Any, /) -> int: ...
    def tn_native_input_count(self, call: Any, /) -> int: ...
    def tn_native_make(self, call: Any, node: Any, outputs: Any, output_count: Any, error: Any, /) -> int: ...
    def tn_native_output_count(self, call: Any, /) -> int: ...
    def tn_native_refuse(self, call: Any, why: Any, /) -> None: ...
    def tn_native_type(self, call: Any, value: Any, type: Any, /) -> bool: ...
    def tn_op_attr_count(self, model: Any, op: Any, /) -> int: ...
    def tn_op_descriptor_close(self, descriptor: Any, /) -> None: ...
    def tn_op_descriptor_encode(self, descriptor: Any, form: Any, is_list: Any, to: Any, room: Any, size: Any, error: Any, /) -> int: ...
    def tn_op_descriptor_write(self, descriptor: Any, form: Any, is_list: Any, target: Any, error: Any, /) -> int: ...
    def tn_op_input(self, model: Any, op: Any, index: Any, /) -> int: ...
    def tn_op_list_close(self, list: Any, /) -> None: ...
    def tn_op_list_open(self, out: Any, model: Any, options: Any, error: Any, /) -> int: ...
    def tn_op_output(self, model: Any, op: Any, index: Any, /) -> int: ...
    def tn_op_path(self, model: Any, op: Any, to: Any, size: Any, /) -> int: ...
    def tn_parse_size(self, text: Any, size: Any, /) -> bool: ...
    def tn_plan(self, model: Any, convert: Any, path: Any, options: Any, listener: Any, summary: Any, error: Any, /) -> int: ...
    def tn_reason_sentence(self, reason: Any, /) -> Optional[bytes]: ...
    def tn_reason_word(self, reason: Any, /) -> Optional[bytes]: ...
    def tn_rulebook_add_functions(self, book: Any, functions: Any, function_count: Any, /) -> None: ...
    def tn_rulebook_check(self, book: Any, on: Any, context: Any, error: Any, /) -> int: ...
    def tn_rulebook_close(self, book: Any, /) -> None: ...
    def tn_rulebook_count(self, book: Any, /) -> int: ...
    def tn_rulebook_explain(self, book: Any, rule: Any, on: Any, context: Any, error: Any, /) -> int: ...
    def tn_rulebook_makes(self, book: Any, rule: Any, on: Any, context: Any, error: Any, /) -> int: ...
    def tn_rulebook_open(self, out: Any, files: Any, file_count: Any, options: Any, error: Any, /) -> int: ...
    def tn_rulebook_rule(self, book: Any, rule: Any, /) -> tn_rule_info: ...
    def tn_rulebook_test(self, book: Any, sum: Any, on: Any, context: Any, error: Any, /) -> int: ...
    def tn_scan(self, path: Any, options: Any, each: Any, context: Any, totals: Any, error: Any, /) -> int: ...
    def tn_schema_builtin(self, out: Any, name: Any, options: Any, error: Any, /) -> int: ...
    def tn_schema_close(self, schema: Any, /) -> None: ...
    def tn_schema_open(self, out: Any, descriptor_set: Any, options: Any, error: Any, /) -> int: ...
    def tn_split(self, path: Any, options: Any, split: Any, target: Any, summary: Any, error: Any, /) -> int: ...
    def tn_splitter_add_chunk(self, splitter: Any, type: Any, bytes: Any, steps: Any, count: Any, index: Any, error: Any, /) -> int: ...
    def tn_splitter_adopt(self, splitter: Any, types: Any, chunks: Any, chunk_count: Any, chunked_message: Any, error: Any, /) -> int: ...
    def tn_splitter_by_size(self, splitter: Any, max_size: Any, error: Any, /) -> int: ...
    def tn_splitter_child(self, out: Any, parent: Any, steps: Any, count: Any, error: Any, /) -> int: ...
    def tn_splitter_chunk_count(self, splitter: Any, /) -> int: ...
    def tn_splitter_chunk_read(self, splitter: Any, index: Any, offset: Any, to: Any, size: Any, error: Any, /) -> int: ...
    def tn_splitter_chunk_size(self, splitter: Any, index: Any, /) -> int: ...
    def tn_splitter_chunk_type(self, splitter: Any, index: Any, /) -> int: ...
    def tn_splitter_chunked_message(self, splitter: Any, /) -> tn_bytes: ...
    def tn_splitter_clear(self, splitter: Any, steps: Any, count: Any, error: Any, /) -> int: ...
    def tn_splitter_close(self, splitter: Any, /) -> None: ...
    def tn_splitter_count(self, splitter: Any, steps: Any, count: Any, elements: Any, error: Any, /) -> int: ...
    def tn_splitter_format(self, splitter: Any, format: Any, error: Any, /) -> int: ...
    def tn_splitter_graph_def(self, out: Any, message: Any, rule: Any, error: Any, /) -> int: ...
    def tn_splitter_graph_def_child(self, out: Any, parent: Any, steps: Any, count: Any, rule: Any, error: Any, /) -> int: ...
    def tn_splitter_hollow(self, splitter: Any, steps: Any, count: Any, index: Any, error: Any, /) -> int: ...
    def tn_splitter_keep_base(self, splitter: Any, error: Any, /) -> int: ...
    def tn_splitter_model_proto(self, out: Any, message: Any, rule: Any, error: Any, /) -> int: ...
    def tn_splitter_model_proto_child(self, out: Any, parent: Any, steps: Any, count: Any, rule: Any, error: Any, /) -> int: ...
    def tn_splitter_open(self, out: Any, message: Any, error: Any, /) -> int: ...
    def tn_splitter_saved_model(self, out: Any, message: Any, rule: Any, error: Any, /) -> int: ...
    def tn_splitter_saved_model_child(self, out: Any, parent: Any, steps: Any, count: Any, rule: Any, error: Any, /) -> int: ...
    def tn_splitter_scalars(self, splitter: Any, form: Any, error: Any, /) -> int: ...
    def tn_splitter_size(self, splitter: Any, steps: Any, count: Any, size: Any, error: Any, /) -> int: ...
    def tn_splitter_slice(self, splitter: Any, steps: Any, count: Any, begin: Any, end: Any, index: Any, error: Any, /) -> int: ...
    def tn_splitter_split(self, splitter: Any, error: Any, /) -> int: ...
    def tn_splitter_tags(self, splitter: Any, steps: Any, count: Any, field: Any, error: Any, /) -> int: ...
    def tn_splitter_take(self, splitter: Any, steps: Any, count: Any, index: Any, error: Any, /) -> int: ...
    def tn_splitter_version(self, splitter: Any, version: Any, error: Any, /) -> int: ...
    def tn_splitter_write(self, splitter: Any, target: Any, records: Any, written: Any, error: Any, /) -> int: ...
    def tn_splitter_write_memory(self, splitter: Any, records: Any, bytes: Any, is_chunked: Any, error: Any, /) -> int: ...
    def tn_statistics_compute(self, model: Any, tensors: Any, count: Any, options: Any, on_tensor: Any, context: Any, error: Any, /) -> int: ...
    def tn_status_exit_code(self, status: Any, /) -> int: ...
    def tn_status_name(self, status: Any, /) -> Optional[bytes]: ...
    def tn_status_sentence(self, status: Any, /) -> Optional[bytes]: ...
    def tn_strip(self, path: Any, options: Any, strip: Any, target: Any, summary: Any, error: Any, /) -> int: ...
    def tn_tag_add(self, path: Any, tag: Any, model: Any, add: Any, options: Any, summary: Any, error: Any, /) -> int: ...
    def tn_tag_compact(self, path: Any, compact: Any, options: Any, summary: Any, error: Any, /) -> int: ...
    def tn_tag_diff(self, path: Any, left: Any, right: Any, options: Any, each: Any, context: Any, error: Any, /) -> int: ...
    def tn_tag_is_same(self, left: Any, right: Any, /) -> bool: ...
    def tn_tag_list(self, path: Any, options: Any, wants_details: Any, each: Any, context: Any, error: Any, /) -> int: ...
    def tn_tag_refusal(self, tag: Any, /) -> Optional[bytes]: ...
    def tn_tag_remove(self, path: Any, tag: Any, remove: Any, options: Any, summary: Any, error: Any, /) -> int: ...
    def tn_tag_repair(self, path: Any, options: Any, on_finding: Any, context: Any, is_changed: Any, error: Any, /) -> int: ...
    def tn_temporaries_close(self, temporaries: Any, /) -> None: ...
    def tn_temporaries_new(self, out: Any, allocator: Any, error: Any, /) -> int: ...
    def tn_temporaries_remove(self, temporaries: Any, /) -> None: ...
    def tn_tensor_blocks(self, tensor: Any, info: Any, /) -> bool: ...
    def tn_tensor_count(self, tensor: Any, /) -> int: ...
    def tn_tensor_dims(self, tensor: Any, /) -> Any: ...
    def tn_tensor_dtype(self, tensor: Any, /) -> int: ...
    def tn_tensor_file(self, tensor: Any, /) -> Optional[bytes]: ...
    def tn_tensor_hash(self, tensor: Any, digest: Any, error: Any, /) -> int: ...
    def tn_tensor_hash_decoded(self, tensor: Any, digest: Any, error: Any, /) -> int: ...
    def tn_tensor_level(self, tensor: Any, level: Any, to: Any, room: Any, count: Any, error: Any, /) -> int: ...
    def tn_tensor_level_count(self, tensor: Any, /) -> int: ...
    def tn_tensor_list_close(self, list: Any, /) -> None: ...
    def tn_tensor_list_open(self, out: Any, model: Any, options: Any, error: Any, /) -> int: ...
    def tn_tensor_name(self, tensor: Any, /) -> tn_bytes: ...
    def tn_tensor_offset(self, tensor: Any, /) -> int: ...
    def tn_tensor_path(self, tensor: Any, to: Any, size: Any, /) -> int: ...
    def tn_tensor_rank(self, tensor: Any, /) -> int: ...
    def tn_tensor_read(self, tensor: Any, offset: Any, to: Any, size: Any, error: Any, /) -> int: ...
    def tn_tensor_role(self, tensor: Any, /) -> int: ...
    def tn_tensor_size(self, tensor: Any, /) -> int: ...
    def tn_tensor_state(self, tensor: Any, parameter: Any, key: Any, /) -> bool: ...
    def tn_tensor_storage(self, tensor: Any, /) -> Optional[bytes]: ...
    def tn_tensor_stored_size(self, tensor: Any, /) -> int: ...
    def tn_tensor_strings(self, tensor: Any, first: Any, count: Any, each: Any, context: Any, error: Any, /) -> int: ...
    def tn_text_read(self, path: Any, options: Any, on: Any, context: Any, error: Any, /) -> int: ...
    def tn_to_writer(self) -> Optional[bytes]: ...
    def tn_undump(self, path: Any, options: Any, undump: Any, target: Any, error: Any, /) -> int: ...
    def tn_verdict_name(self, verdict: Any, /) -> Optional[bytes]: ...
    def tn_version(self) -> Optional[bytes]: ...
    def tn_view(self, model: Any, view: Any, target: Any, options: Any, summary: Any, error: Any, /) -> int: ...

FUNCTIONS: Dict[str, str]
library: _Library
