/*
 * scan_names.c - names that pickles may use without harm, and modules of Python
 *
 * The list of what is harmless decides: a name that is not on it is reported,
 * whatever it is.  The list of Python's own modules only says how much is known
 * about the rest.
 */
#include "scan/scan.h"

/* Names of data, as torch.load(weights_only=True) allows them, and a few of
 * numpy and Python that make nothing but data. */
static const struct {
    const char *module, *name;
} harmless[] = {
    { "collections", "OrderedDict" },
    { "collections", "Counter" },
    { "collections", "defaultdict" },
    { "collections", "deque" },
    { "collections", "ChainMap" },
    { "collections", "UserDict" },
    { "collections", "UserList" },
    { "collections", "UserString" },
    { "UserDict", "UserDict" }, /* Python 2 */
    { "UserDict", "IterableUserDict" },
    { "UserList", "UserList" },
    { "UserString", "UserString" },
    { "array", "array" },
    { "array", "_array_reconstructor" },
    { "builtins", "set" },
    { "builtins", "frozenset" },
    { "builtins", "list" },
    { "builtins", "dict" },
    { "builtins", "tuple" },
    { "builtins", "bytes" },
    { "builtins", "bytearray" },
    { "builtins", "complex" },
    { "builtins", "int" },
    { "builtins", "float" },
    { "builtins", "bool" },
    { "builtins", "str" },
    { "builtins", "object" },
    { "builtins", "range" },
    { "builtins", "slice" },
    { "builtins", "long" }, /* Python 2's, which 3 knows by other names */
    { "builtins", "unicode" },
    { "builtins", "xrange" },
    { "builtins", "Ellipsis" },
    { "builtins", "NotImplemented" },
    /* What configurations name as the type of a value. */
    { "typing", "Any" },
    { "typing", "Union" },
    { "typing", "Optional" },
    { "typing", "List" },
    { "typing", "Dict" },
    { "typing", "Tuple" },
    { "_codecs", "encode" },
    { "copyreg", "_reconstructor" }, /* the class it makes is judged */
    { "datetime", "datetime" },
    { "datetime", "date" },
    { "datetime", "time" },
    { "datetime", "timedelta" },
    { "datetime", "timezone" },
    { "decimal", "Decimal" },
    { "fractions", "Fraction" },
    { "uuid", "UUID" },
    { "ipaddress", "IPv4Address" },
    { "ipaddress", "IPv6Address" },
    { "ipaddress", "IPv4Network" },
    { "ipaddress", "IPv6Network" },
    { "re", "_compile" },
    { "pathlib", "Path" },
    { "pathlib", "PosixPath" },
    { "pathlib", "WindowsPath" },
    { "pathlib", "PurePath" },
    { "pathlib", "PurePosixPath" },
    { "pathlib", "PureWindowsPath" },
    { "argparse", "Namespace" },
    { "types", "SimpleNamespace" },
    { "numpy", "dtype" },
    { "numpy", "ndarray" },
    { "numpy.core.multiarray", "_reconstruct" },
    { "numpy.core.multiarray", "scalar" },
    { "numpy._core.multiarray", "_reconstruct" },
    { "numpy._core.multiarray", "scalar" },
    { "numpy.core.numeric", "_frombuffer" },
    { "numpy._core.numeric", "_frombuffer" },
    /* States of generators of random numbers, which training saves. */
    { "numpy.random", "__RandomState_ctor" },
    { "numpy.random._pickle", "__randomstate_ctor" },
    { "numpy.random._pickle", "__generator_ctor" },
    { "numpy.random._pickle", "__bit_generator_ctor" },
    { "numpy.random._mt19937", "MT19937" },
    { "numpy.random._pcg64", "PCG64" },
    { "numpy.random._pcg64", "PCG64DXSM" },
    { "numpy.random._philox", "Philox" },
    { "numpy.random._sfc64", "SFC64" },
    { "numpy.random.bit_generator", "__pyx_unpickle_SeedSequence" },
    { "numpy.random.bit_generator", "SeedSequence" },
    { "torch", "Size" },
    { "torch", "Generator" },
    { "torch", "Tensor" },
    { "torch", "device" },
    { "torch", "contiguous_format" },
    { "torch", "channels_last" },
    { "torch", "channels_last_3d" },
    { "torch", "preserve_format" },
    { "torch.torch_version", "TorchVersion" },
    { "torch", "per_tensor_affine" },
    { "torch", "per_tensor_symmetric" },
    { "torch", "per_channel_affine" },
    { "torch", "per_channel_symmetric" },
    { "torch", "per_channel_affine_float_qparams" },
    { "torch.nn.parameter", "Parameter" },
    { "torch.nn.parameter", "Buffer" },
    { "torch.serialization", "_get_layout" },
    { "torch.storage", "TypedStorage" },
    { "torch.storage", "UntypedStorage" },
    { "torch._utils", "_rebuild_tensor" },
    { "torch._utils", "_rebuild_tensor_v2" },
    { "torch._utils", "_rebuild_tensor_v3" },
    { "torch._utils", "_rebuild_parameter" },
    { "torch._utils", "_rebuild_parameter_with_state" },
    { "torch._utils", "_rebuild_qtensor" },
    { "torch._utils", "_rebuild_sparse_tensor" },
    { "torch._utils", "_rebuild_sparse_csr_tensor" },
    { "torch._utils", "_rebuild_meta_tensor_no_storage" },
    { "torch._utils", "_rebuild_wrapper_subclass" },
    { "torch._utils", "_rebuild_device_tensor_from_numpy" },
    { "torch._utils", "_rebuild_device_tensor_from_cpu_tensor" },
    { "torch._utils", "_rebuild_nested_tensor" },
    { "torch._utils", "_rebuild_xla_tensor" },
    { "torch._utils", "_rebuild_mlc_tensor" },
    { "torch._tensor", "_rebuild_from_type" },
    { "torch._tensor", "_rebuild_from_type_v2" },
    /* TorchScript's */
    { "torch.jit._pickle", "build_intlist" },
    { "torch.jit._pickle", "build_tensorlist" },
    { "torch.jit._pickle", "build_doublelist" },
    { "torch.jit._pickle", "build_boollist" },
    { "torch.jit._pickle", "restore_type_tag" },
};

/* torch.NAME: types of elements. */
static const char *const torch_types[] = {
    "float64", "float32", "float16", "bfloat16", "double", "float", "half",
    "int64", "int32", "int16", "int8", "uint8", "uint16", "uint32", "uint64",
    "long", "int", "short", "bool", "complex32", "complex64", "complex128",
    "cfloat", "cdouble", "chalf", "qint8", "quint8", "qint32", "quint4x2",
    "quint2x4", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz",
    "float8_e5m2fnuz", "float8_e8m0fnu", "float4_e2m1fn_x2", "bits8",
    "bits16", "bits1x8", "bits2x4", "bits4x2", "uint1", "uint2", "uint3",
    "uint4", "uint5", "uint6", "uint7", "int1", "int2", "int3", "int4", "int5",
    "int6", "int7", "strided", "sparse_coo", "sparse_csr",
};

/* numpy.NAME: types of elements. */
static const char *const numpy_types[] = {
    "bool_", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
    "uint64", "float16", "float32", "float64", "longdouble", "complex64",
    "complex128", "str_", "bytes_", "void", "datetime64", "timedelta64",
};

/* Modules whose classes make up whole pickled models, or are what training
 * saves beside the weights. */
static const char *const class_modules[] = {
    "torch.nn.modules.",
    "torch.nn.parallel.",
    "torch.optim.",
    "torchvision.models.",
    "torchvision.ops.",
    "sklearn.",
    "scipy.sparse.",
    "pandas.core.",
    "pandas._libs.",
    "xgboost.",
    "lightgbm.",
    "catboost.",
    "transformers.",
    "accelerate.",
    "tokenizers",
    "sentence_transformers.",
    "peft.",
    "diffusers.",
    "timm.",
    "speechbrain.",
    "pytorch_lightning.",
    "lightning.",
    "lightning_fabric.",
    "omegaconf.",
    "ultralytics.",
    "fairseq.",
    "mmengine.",
    "mmcv.",
    "gensim.",
    "nltk.",
};

/* Functions and classes that only rebuild objects: what their modules and their
 * names are, or begin with. */
static const struct {
    const char *module, *name;
} makers[] = {
    { "numpy.ma.core", "_mareconstruct" },
    { "numpy", "matrix" },
    { "numpy", "recarray" },
    { "numpy", "record" },
    { "numpy", "poly1d" },
    { "pandas._libs.", "_unpickle_" },
    { "pandas._libs.", "__pyx_unpickle_" },
    { "pandas._libs.tslibs.nattype", "_nat_unpickle" },
    { "pandas._libs.tslibs.timedeltas", "_timedelta_unpickle" },
    { "pandas.core.indexes.", "_new_" },
    { "scipy.", "__pyx_unpickle_" },
    { "sklearn.", "__pyx_unpickle_" },
    { "sklearn.neighbors.", "newObj" },
    { "sklearn.metrics._dist_metrics", "newObj" },
    { "random", "Random" },
    { "pytz", "_UTC" },
    { "pytz", "_p" },
};

/* Functions that such models have as attributes.  Calls of them are judged
 * separately. */
static const char *const function_modules[] = {
    "torch.nn.functional",
    "torch._C._nn",
};

/* Top-level modules that come with Python or install packages for it. */
static const char *const python_modules[] = {
    "BaseHTTPServer", "ConfigParser", "Cookie", "HTMLParser", "Queue",
    "SimpleHTTPServer", "SocketServer", "StringIO", "Tkinter", "UserDict",
    "UserList", "UserString", "__builtin__", "__future__", "_abc",
    "_aix_support", "_ast", "_asyncio", "_bisect", "_blake2",
    "_bootsubprocess", "_bz2", "_codecs", "_codecs_cn", "_codecs_hk",
    "_codecs_iso2022", "_codecs_jp", "_codecs_kr", "_codecs_tw",
    "_collections", "_collections_abc", "_compat_pickle", "_compression",
    "_contextvars", "_crypt", "_csv", "_ctypes", "_curses", "_curses_panel",
    "_datetime", "_dbm", "_decimal", "_elementtree", "_frozen_importlib",
    "_frozen_importlib_external", "_functools", "_gdbm", "_hashlib", "_heapq",
    "_imp", "_io", "_json", "_locale", "_lsprof", "_lzma", "_markupbase",
    "_md5", "_msi", "_multibytecodec", "_multiprocessing", "_opcode",
    "_operator", "_osx_support", "_overlapped", "_pickle", "_posixshmem",
    "_posixsubprocess", "_py_abc", "_pydecimal", "_pyio", "_pytest", "_queue",
    "_random", "_scproxy", "_sha1", "_sha256", "_sha3", "_sha512", "_signal",
    "_sitebuiltins", "_socket", "_sqlite3", "_sre", "_ssl", "_stat",
    "_statistics", "_string", "_strptime", "_struct", "_symtable", "_thread",
    "_threading_local", "_tkinter", "_tokenize", "_tracemalloc", "_typing",
    "_uuid", "_warnings", "_weakref", "_weakrefset", "_winapi", "_zoneinfo",
    "abc", "aifc", "antigravity", "anydbm", "argparse", "array", "ast",
    "asynchat", "asyncio", "asyncore", "atexit", "audioop", "base64", "bdb",
    "binascii", "bisect", "builtins", "bz2", "cPickle", "cProfile",
    "cStringIO", "calendar", "cgi", "cgitb", "chunk", "cmath", "cmd", "code",
    "codecs", "codeop", "collections", "colorsys", "commands", "compileall",
    "compiler", "concurrent", "configparser", "contextlib", "contextvars",
    "cookielib", "copy", "copy_reg", "copyreg", "crypt", "csv", "ctypes",
    "curses", "dataclasses", "datetime", "dbhash", "dbm", "decimal",
    "difflib", "dis", "distutils", "doctest", "dumbdbm", "dummy_thread",
    "email", "encodings", "ensurepip", "enum", "errno", "exceptions",
    "faulthandler", "fcntl", "filecmp", "fileinput", "fnmatch", "fractions",
    "ftplib", "functools", "gc", "gdbm", "genericpath", "getopt", "getpass",
    "gettext", "glob", "graphlib", "grp", "gzip", "hashlib", "heapq", "hmac",
    "html", "htmlentitydefs", "http", "httplib", "idlelib", "ihooks",
    "imaplib", "imghdr", "imp", "importlib", "imputil", "inspect", "io",
    "ipaddress", "itertools", "json", "keyword", "lib2to3", "linecache",
    "locale", "logging", "lzma", "mailbox", "mailcap", "marshal", "math",
    "md5", "mimetypes", "mmap", "modulefinder", "msilib", "msvcrt",
    "multiprocessing", "netrc", "new", "nis", "nntplib", "nt", "ntpath",
    "nturl2path", "numbers", "opcode", "operator", "optparse", "os", "os2",
    "ossaudiodev", "pathlib", "pdb", "pickle", "pickletools", "pip", "pipes",
    "pkg_resources", "pkgutil", "platform", "plistlib", "popen2", "poplib",
    "posix", "posixfile", "posixpath", "pprint", "profile", "pstats", "pty",
    "pwd", "py_compile", "pyclbr", "pydoc", "pydoc_data", "pyexpat", "pytest",
    "queue", "quopri", "random", "re", "readline", "reprlib", "resource",
    "rlcompleter", "robotparser", "runpy", "sched", "secrets", "select",
    "selectors", "sets", "setuptools", "sha", "shelve", "shlex", "shutil",
    "signal", "site", "smtpd", "smtplib", "sndhdr", "socket", "socketserver",
    "spwd", "sqlite3", "sre_compile", "sre_constants", "sre_parse", "ssl",
    "stat", "statistics", "string", "stringprep", "struct", "subprocess",
    "sunau", "symtable", "sys", "sysconfig", "syslog", "tabnanny", "tarfile",
    "telnetlib", "tempfile", "termios", "test", "textwrap", "this", "thread",
    "threading", "time", "timeit", "tkinter", "token", "tokenize", "tomllib",
    "trace", "traceback", "tracemalloc", "tty", "turtle", "turtledemo",
    "types", "typing", "unicodedata", "unittest", "urllib", "urllib2",
    "urlparse", "uu", "uuid", "venv", "warnings", "wave", "weakref",
    "webbrowser", "wheel", "whichdb", "winreg", "winsound", "wsgiref",
    "xdrlib", "xml", "xmlrpc", "xmlrpclib", "zipapp", "zipfile", "zipimport",
    "zlib", "zoneinfo",
};

#define COUNT(list) (sizeof(list) / sizeof (list)[0])

static bool is_one_of(struct tn_bytes text, const char *const *list,
                      size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (tn_bytes_is(text, list[i]))
            return true;
    return false;
}

/* Python 2's names of what moved. */
static struct tn_bytes modern(struct tn_bytes module)
{
    if (tn_bytes_is(module, "__builtin__") || tn_bytes_is(module, "exceptions"))
        return tn_text("builtins");
    if (tn_bytes_is(module, "copy_reg"))
        return tn_text("copyreg");
    return module;
}

/* torch.FloatStorage, torch.cuda.FloatStorage, torch.FloatTensor, ... */
static bool is_tensor_class(struct tn_bytes module, struct tn_bytes name)
{
    static const char *const modules[] = { "torch", "torch.cuda",
                                           "torch.sparse",
                                           "torch.cuda.sparse" };
    static const char *const kinds[]   = {
          "Double",  "Float",        "Half",          "BFloat16", "Long",
          "Int",     "Short",        "Char",          "Byte",     "Bool",
          "QInt8",   "QUInt8",       "QInt32",        "QUInt4x2", "QUInt2x4",
          "Untyped", "ComplexFloat", "ComplexDouble",
    };

    if (!is_one_of(module, modules, COUNT(modules)))
        return false;
    for (size_t i = 0; i < COUNT(kinds); i++) {
        size_t size = strlen(kinds[i]);
        if (!tn_bytes_starts_with(name, kinds[i]))
            continue;
        struct tn_bytes rest = tn_bytes(name.data + size, name.size - size);
        if (tn_bytes_is(rest, "Storage") || tn_bytes_is(rest, "Tensor"))
            return true;
    }
    return false;
}

/* Exceptions of Python: making one only keeps its arguments. */
static bool is_exception(struct tn_bytes module, struct tn_bytes name)
{
    return tn_bytes_is(module, "builtins") && tn_scan_is_class(name) &&
           !memchr(name.data, '.', name.size) &&
           (tn_bytes_ends_with(name, "Error") ||
            tn_bytes_ends_with(name, "Exception") ||
            tn_bytes_ends_with(name, "Warning"));
}

static struct tn_bytes root_of(struct tn_bytes module)
{
    const uint8_t *dot =
        module.size ? memchr(module.data, '.', module.size) : NULL;

    return dot ? tn_bytes(module.data, (size_t)(dot - module.data)) : module;
}

/* Classes are written with a capital, functions are not. */
bool tn_scan_is_class(struct tn_bytes name)
{
    size_t at = 0;

    for (size_t i = 0; i < name.size; i++)
        if (name.data[i] == '.')
            at = i + 1;
    for (; at < name.size && name.data[at] == '_'; at++)
        ;
    return at < name.size && name.data[at] >= 'A' && name.data[at] <= 'Z';
}

bool tn_scan_is_python(struct tn_bytes module)
{
    return module.size == 0 ||
           is_one_of(root_of(modern(module)), python_modules,
                     COUNT(python_modules));
}

/* Whether the text is the word; one that ends in `go_on` may be followed by
 * more. */
static bool begins_as(struct tn_bytes text, const char *word, char go_on)
{
    size_t size = strlen(word);

    return word[size - 1] == go_on ? tn_bytes_starts_with(text, word)
                                   : tn_bytes_is(text, word);
}

enum tn_name_kind tn_scan_judge_name(struct tn_bytes module,
                                     struct tn_bytes name)
{
    bool is_plain = name.size && !memchr(name.data, '.', name.size);

    module = modern(module);
    for (size_t i = 0; i < COUNT(harmless); i++)
        if (tn_bytes_is(module, harmless[i].module) &&
            tn_bytes_is(name, harmless[i].name))
            return TN_NAME_HARMLESS;
    if (is_tensor_class(module, name) ||
        (tn_bytes_is(module, "torch") &&
         is_one_of(name, torch_types, COUNT(torch_types))))
        return TN_NAME_HARMLESS;
    if (is_exception(module, name))
        return TN_NAME_HARMLESS;
    if (tn_bytes_is(module, "numpy") &&
        is_one_of(name, numpy_types, COUNT(numpy_types)))
        return TN_NAME_HARMLESS;
    for (size_t i = 0; i < COUNT(makers); i++)
        if (begins_as(module, makers[i].module, '.') &&
            begins_as(name, makers[i].name, '_') && is_plain)
            return TN_NAME_MAKER;
    struct tn_bytes root = root_of(module);
    if (tn_bytes_is(root, "__torch__"))
        return TN_NAME_HARMLESS; /* TorchScript's own: no module of Python */
    for (size_t i = 0; i < COUNT(class_modules); i++)
        if (tn_bytes_starts_with(module, class_modules[i]) && is_plain &&
            tn_scan_is_class(name))
            return TN_NAME_CLASS;
    if (is_plain && is_one_of(module, function_modules, COUNT(function_modules)))
        return TN_NAME_CLASS;
    if (tn_scan_is_python(module))
        return TN_NAME_POWER;
    return tn_bytes_is(root, "torch") || tn_bytes_is(root, "numpy")
               ? TN_NAME_FRAMEWORK
               : TN_NAME_OTHER;
}
