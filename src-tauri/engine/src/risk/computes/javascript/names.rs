//! The names of JavaScript and Node that a one-liner may use, and those that lead to more than values.

/// What may be called behind a dot.
#[rustfmt::skip]
pub(super) const CALLS: [&str; 146] = [
    "log", "version", "versions", "arch", "platform", "stringify", "parse", "keys", "values", "entries",
    "length", "join", "toISOString", "now", "max", "min", "round", "floor", "ceil", "random", "sqrt", "pow",
    "abs", "PI", "toString", "toFixed", "split", "reverse", "cpus", "totalmem", "freemem", "hostname", "type",
    "release", "uptime", "node", "v8", "name", "dependencies", "devDependencies", "scripts", "engines", "title",
    "pid", "execPath", "getTime", "toUpperCase", "toLowerCase", "includes", "slice", "sort", "MAX_SAFE_INTEGER",
    "isArray", "memoryUsage", "main", "description", "license", "toLocaleString", "trim", "repeat", "padStart",
    "fill", "DateTimeFormat", "resolvedOptions", "timeZone", "filter", "map", "find", "findIndex", "some",
    "every", "reduce", "flat", "flatMap", "concat", "indexOf", "startsWith", "endsWith", "forEach", "error",
    "warn", "info", "table", "group", "groupEnd", "match", "matchAll", "test", "replace", "replaceAll",
    "trimStart", "trimEnd", "padEnd", "charAt", "charCodeAt", "codePointAt", "at", "localeCompare", "substring",
    "substr", "lastIndexOf", "fromEntries", "has", "get", "set", "add", "delete", "clear", "push", "pop",
    "shift", "unshift", "splice", "toSorted", "toReversed", "toPrecision", "isInteger", "isFinite", "isNaN",
    "from", "of", "trunc", "sign", "hypot", "cbrt", "log2", "log10", "getFullYear", "getMonth", "getDate",
    "getDay", "getHours", "getMinutes", "toDateString", "toLocaleDateString", "toLocaleTimeString", "UTC",
    "basename", "extname", "dirname", "relative", "normalize", "format", "inspect", "fromCodePoint", "resolve",
];
/// Those that call what they are given: a function that stands right there, or one of the language.
#[rustfmt::skip]
pub(super) const GIVEN_A_FUNCTION: [&str; 20] = [
    "map", "filter", "forEach", "find", "findIndex", "findLast", "some", "every", "flatMap", "reduce",
    "reduceRight", "sort", "toSorted", "replace", "replaceAll", "from", "on", "parse", "stringify", "group",
];
/// Words that may be called, or that a bracket may follow.
#[rustfmt::skip]
pub(super) const CALLABLE: [&str; 24] = [
    "parseInt", "parseFloat", "Number", "String", "Boolean", "BigInt", "isNaN", "isFinite",
    "encodeURIComponent", "decodeURIComponent", "encodeURI", "decodeURI", "btoa", "atob", "Date", "if", "for",
    "switch", "catch", "return", "of", "in", "typeof", "else",
];
#[rustfmt::skip]
pub(super) const CLASSES: [&str; 14] = [
    "Set", "Map", "Date", "Array", "RegExp", "URL", "URLSearchParams", "Error", "Intl", "Number", "String",
    "Object", "TextDecoder", "TextEncoder",
];
#[rustfmt::skip]
pub(super) const WORDS: [&str; 38] = [
    "console", "JSON", "Math", "Object", "Array", "new", "true", "false", "null", "undefined", "const", "let",
    "var", "Intl", "Set", "Map", "RegExp", "Infinity", "NaN", "function", "break", "continue", "try", "finally",
    "throw", "case", "default", "instanceof", "void", "Symbol", "URL", "URLSearchParams", "Error",
    "TextDecoder", "TextEncoder", "performance", "do", "delete",
];
/// What leads from a value to what made it, and from there to code.
#[rustfmt::skip]
pub(super) const INWARD: [&str; 9] = [
    "constructor", "prototype", "__proto__", "caller", "callee", "arguments", "__defineGetter__", "mainModule",
    "binding",
];
/// What is called by itself when a value is shown.
#[rustfmt::skip]
pub(super) const CALLED_UNSEEN: [&str; 8] = [
    "toString", "valueOf", "toJSON", "then", "get", "set", "inspect", "customInspect",
];
#[rustfmt::skip]
pub(super) const OF_PROCESS: [&str; 14] = [
    "version", "versions", "arch", "platform", "argv", "memoryUsage", "uptime", "cwd", "pid", "title",
    "execPath", "release", "stdin", "stdout",
];
/// Everything else that Node knows by a name of its own.
#[rustfmt::skip]
pub(super) const GLOBAL: [&str; 78] = [
    "Function", "globalThis", "global", "eval", "Proxy", "Reflect", "WebAssembly", "SharedArrayBuffer",
    "Atomics", "Buffer", "Promise", "setTimeout", "setInterval", "setImmediate", "queueMicrotask",
    "structuredClone", "fetch", "WebSocket", "EventSource", "Request", "Response", "Headers", "FormData",
    "File", "Blob", "Worker", "navigator", "localStorage", "sessionStorage", "BroadcastChannel",
    "MessageChannel", "MessagePort", "crypto", "module", "exports", "require", "process", "import", "export",
    "this", "super", "with", "yield", "await", "async", "class", "extends", "static", "enum", "while",
    "debugger", "assert", "async_hooks", "buffer", "child_process", "cluster", "constants", "dgram", "dns",
    "domain", "events", "fs", "http", "http2", "https", "inspector", "net", "os", "path", "repl", "stream",
    "sys", "tls", "tty", "url", "util", "vm", "zlib",
];
/// Modules that come with Node.
#[rustfmt::skip]
pub(super) const REQUIRED: [&str; 4] = [
    "os", "path", "util", "url",
];
