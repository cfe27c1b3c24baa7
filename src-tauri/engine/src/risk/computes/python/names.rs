//! Every name of Python that a one-liner may use. One that is not here may do anything.

/// What may stand by itself: what prints and works out, and the words of the language.
#[rustfmt::skip]
pub(super) const WORDS: [&str; 83] = [
    "print", "len", "range", "sum", "min", "max", "abs", "round", "sorted", "reversed", "enumerate", "zip",
    "map", "filter", "list", "dict", "set", "tuple", "str", "int", "float", "bool", "ord", "chr", "hex", "oct",
    "bin", "divmod", "repr", "format", "any", "all", "isinstance", "type", "complex", "True", "False", "None",
    "for", "in", "if", "else", "and", "or", "not", "is", "pass", "with", "as", "break", "continue", "elif",
    "lambda", "def", "return", "try", "except", "finally", "while", "assert", "del", "slice", "bytes", "iter",
    "next", "hash", "id", "frozenset", "callable", "pow", "ascii", "Exception", "ValueError", "KeyError",
    "TypeError", "IndexError", "AttributeError", "UnicodeDecodeError", "FileNotFoundError", "OSError",
    "SyntaxError", "StopIteration", "ZeroDivisionError",
];
/// What may be asked of a value or a module behind a dot.
#[rustfmt::skip]
pub(super) const MEMBERS: [&str; 471] = [
    "infolist", "namelist", "file_size", "compress_size", "filename", "date_time", "getnames", "getmembers", "size",
    "requires",
    "b64decode", "b64encode", "urlsafe_b64decode", "urlsafe_b64encode", "b32decode", "b32encode",
    "__version__", "__file__", "__name__", "version", "version_info", "major", "minor", "micro", "executable",
    "platform", "maxsize", "path", "prefix", "byteorder", "implementation", "name", "stdin", "stdout", "stderr",
    "argv", "pi", "e", "tau", "inf", "sqrt", "floor", "ceil", "log", "log2", "log10", "exp", "sin", "cos",
    "tan", "hypot", "gcd", "lcm", "isqrt", "degrees", "radians", "fabs", "prod", "dumps", "loads", "load",
    "now", "today", "utcnow", "isoformat", "strftime", "timestamp", "time", "date", "datetime", "timezone",
    "utc", "timedelta", "fromtimestamp", "random", "randint", "choice", "uniform", "uuid4", "token_hex",
    "token_urlsafe", "mean", "median", "stdev", "python_version", "machine", "release", "node", "processor",
    "join", "split", "splitlines", "strip", "lstrip", "rstrip", "upper", "lower", "title", "replace",
    "startswith", "endswith", "count", "index", "find", "items", "keys", "values", "get", "isdigit", "zfill",
    "ljust", "rjust", "center", "read", "readline", "cuda", "is_available", "device_count", "get_device_name",
    "list_physical_devices", "getsitepackages", "getpreferredencoding", "getdefaultencoding",
    "getfilesystemencoding", "ascii_letters", "digits", "Counter", "most_common", "Decimal", "Fraction",
    "weekday", "year", "month", "day", "hour", "minute", "total_seconds", "bit_length", "hexdigest", "sha256",
    "md5", "sha1", "encode", "get_paths", "parse", "walk", "FunctionDef", "AsyncFunctionDef", "ClassDef",
    "Import", "ImportFrom", "lineno", "DictReader", "reader", "fieldnames", "rglob", "glob", "read_text",
    "stem", "suffix", "exists", "is_file", "is_dir", "stat", "st_size", "search", "findall", "finditer",
    "group", "groups", "execute", "cursor", "fetchall", "fetchone", "write", "append", "extend", "add", "insert", "pop",
    "popleft", "appendleft", "remove", "clear", "update", "setdefault", "sort", "reverse", "copy", "discard",
    "union", "intersection", "difference", "symmetric_difference", "issubset", "issuperset", "defaultdict",
    "OrderedDict", "deque", "namedtuple", "total", "elements", "subtract", "M", "I", "S", "X", "MULTILINE",
    "IGNORECASE", "DOTALL", "VERBOSE", "match", "fullmatch", "sub", "escape", "span", "end", "groupdict",
    "lastindex", "compile", "rfind", "rindex", "rsplit", "partition", "rpartition", "isalpha", "isalnum",
    "isspace", "isupper", "islower", "isnumeric", "isdecimal", "isidentifier", "capitalize", "casefold",
    "swapcase", "expandtabs", "removeprefix", "removesuffix", "format", "format_map", "translate", "maketrans",
    "readlines", "parts", "parent", "parents", "suffixes", "with_suffix", "read_bytes", "relative_to",
    "as_posix", "is_symlink", "st_mtime", "st_mode", "UTC", "astimezone", "utcfromtimestamp", "utcoffset",
    "fromisoformat", "strptime", "combine", "ctime", "asctime", "localtime", "gmtime", "mktime", "days",
    "seconds", "microsecond", "second", "isocalendar", "isoweekday", "toordinal", "monotonic", "perf_counter",
    "isleap", "monthrange", "pstdev", "variance", "pvariance", "fmean", "mode", "multimode", "quantiles",
    "geometric_mean", "harmonic_mean", "chain", "from_iterable", "groupby", "islice", "accumulate",
    "combinations", "permutations", "product", "pairwise", "zip_longest", "starmap", "takewhile", "dropwhile",
    "tee", "reduce", "lru_cache", "cache", "itemgetter", "indent", "dedent", "wrap", "fill", "shorten", "comb",
    "perm", "factorial", "dist", "fsum", "nan", "isnan", "isinf", "isclose", "trunc", "cbrt", "atan", "atan2",
    "asin", "acos", "sha512", "blake2b", "sha3_256", "digest", "hex", "fromhex", "to_bytes", "from_bytes",
    "decode", "bit_count", "as_integer_ratio", "is_integer", "real", "imag", "quantize", "numerator",
    "denominator", "DictWriter", "writer", "writerow", "writerows", "Sniffer", "sniff", "line_num",
    "punctuation", "ascii_lowercase", "ascii_uppercase", "hexdigits", "whitespace", "printable", "Template",
    "substitute", "iter_child_nodes", "get_docstring", "dump", "literal_eval", "body", "names", "args", "arg",
    "id", "func", "attr", "value", "module", "targets", "decorator_list", "level", "Name", "Call", "Attribute",
    "Assign", "Constant", "Expr", "If", "For", "While", "Return", "Try", "ExceptHandler", "Raise", "Lambda",
    "end_lineno", "col_offset", "unparse", "JSONDecodeError", "msg", "pos", "colno", "NAMESPACE_DNS",
    "NAMESPACE_URL", "uuid1", "uuid3", "uuid5", "UUID", "ZoneInfo", "fromordinal", "category", "lookup",
    "normalize", "combining", "east_asian_width", "SequenceMatcher", "ratio", "unified_diff", "ndiff",
    "get_close_matches", "get_matching_blocks", "get_opcodes", "heapify", "heappush", "heappop", "nlargest",
    "nsmallest", "bisect", "bisect_left", "bisect_right", "insort", "dataclass", "field", "asdict", "Optional",
    "List", "Dict", "Enum", "auto", "ip_network", "ip_address", "num_addresses", "hosts", "is_private",
    "network_address", "broadcast_address", "netmask", "prefixlen", "calcsize", "unescape", "fnmatch", "quote",
    "unquote", "urlparse", "urlsplit", "netloc", "scheme", "hostname", "query", "fragment", "params",
    "parse_qs", "pprint", "pformat", "unpack", "unpack_from", "pack", "iter_unpack", "filemode", "st_ino",
    "message_from_bytes", "message_from_string", "get_content_type", "getroot", "iter", "attrib", "tag", "text",
    "returncode",
];
/// Modules that only hold values and sums.
#[rustfmt::skip]
pub(super) const MODULES: [&str; 46] = [
    "sys", "math", "json", "platform", "datetime", "time", "random", "statistics", "decimal", "fractions",
    "itertools", "functools", "collections", "string", "textwrap", "uuid", "calendar", "locale", "sysconfig",
    "site", "secrets", "hashlib", "operator", "tomllib", "ast", "csv", "re", "pathlib", "zoneinfo",
    "unicodedata", "difflib", "heapq", "bisect", "enum", "dataclasses", "typing", "ipaddress", "html",
    "fnmatch", "pprint", "numbers", "cmath", "base64", "struct", "stat", "email",
];
/// Modules of which only some calls are known, each by itself.
#[rustfmt::skip]
pub(super) const PARTLY: [&str; 9] = [
    "os", "glob", "inspect", "keyword", "zipfile", "tarfile", "shutil", "subprocess", "gzip",
];
/// What is built in and does more than print and work out: no name for a value of one's own.
#[rustfmt::skip]
pub(super) const BUILT_IN: [&str; 61] = [
    "aiter", "anext", "breakpoint", "bytearray", "classmethod", "compile", "copyright", "credits", "delattr",
    "dir", "eval", "exec", "exit", "getattr", "globals", "hasattr", "help", "input", "issubclass", "license",
    "locals", "memoryview", "object", "open", "property", "quit", "setattr", "staticmethod", "super", "vars",
    "async", "await", "class", "from", "global", "import", "nonlocal", "raise", "yield", "match",
    "Ellipsis", "NotImplemented", "BaseException", "SystemExit", "KeyboardInterrupt", "GeneratorExit",
    "execfile", "file", "reload", "unicode", "raw_input", "unichr", "xrange", "apply", "buffer", "intern",
    "coerce", "cmp", "basestring", "long", "Path",
];
/// Well-known modules that can do more; they are only asked for `VERSIONS`.
#[rustfmt::skip]
pub(super) const PACKAGES: [&str; 36] = [
    "torch", "numpy", "pandas", "scipy", "sklearn", "tensorflow", "keras", "jax", "matplotlib", "seaborn",
    "django", "flask", "fastapi", "pydantic", "requests", "httpx", "PIL", "cv2", "transformers", "datasets",
    "xgboost", "lightgbm", "polars", "pyarrow", "sqlalchemy", "pytest", "setuptools", "pip", "yaml",
    "torchvision", "torchaudio", "openai", "langchain", "plotly", "sqlite3", "ssl",
];
/// What people call them.
#[rustfmt::skip]
pub(super) const ALIASES: [&str; 8] = [
    "np", "pd", "tf", "plt", "sns", "pl", "pa", "sk",
];
#[rustfmt::skip]
pub(super) const VERSIONS: [&str; 10] = [
    "__version__", "__file__", "version", "VERSION", "get_version", "cuda", "config", "sqlite_version",
    "OPENSSL_VERSION", "show_versions",
];
/// Arguments that are given by name.
#[rustfmt::skip]
pub(super) const NAMED: [&str; 13] = [
    "sep", "end", "key", "reverse", "default", "indent", "sort_keys", "file", "flush", "start", "ensure_ascii",
    "tz", "base",
];
