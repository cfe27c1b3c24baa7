//! Which Debian package has a library, a tool of a build or a part of a language. Only pairs that are certain.

use super::super::case::Case;
use super::super::template::Findings;
use super::packages;

/// pkg-config's names.
const MODULES: [(&str, &str); 70] = [
    ("openssl", "libssl-dev"),
    ("libssl", "libssl-dev"),
    ("libcrypto", "libssl-dev"),
    ("zlib", "zlib1g-dev"),
    ("libcurl", "libcurl4-openssl-dev"),
    ("sqlite3", "libsqlite3-dev"),
    ("libpq", "libpq-dev"),
    ("gtk+-3.0", "libgtk-3-dev"),
    ("gtk+-2.0", "libgtk2.0-dev"),
    ("gtk4", "libgtk-4-dev"),
    ("glib-2.0", "libglib2.0-dev"),
    ("gobject-2.0", "libglib2.0-dev"),
    ("gio-2.0", "libglib2.0-dev"),
    ("gdk-3.0", "libgtk-3-dev"),
    ("gdk-pixbuf-2.0", "libgdk-pixbuf-2.0-dev"),
    ("cairo", "libcairo2-dev"),
    ("pango", "libpango1.0-dev"),
    ("pangocairo", "libpango1.0-dev"),
    ("atk", "libatk1.0-dev"),
    ("webkit2gtk-4.0", "libwebkit2gtk-4.0-dev"),
    ("webkit2gtk-4.1", "libwebkit2gtk-4.1-dev"),
    ("javascriptcoregtk-4.1", "libjavascriptcoregtk-4.1-dev"),
    ("libsoup-3.0", "libsoup-3.0-dev"),
    ("libsoup-2.4", "libsoup2.4-dev"),
    ("alsa", "libasound2-dev"),
    ("libpulse", "libpulse-dev"),
    ("dbus-1", "libdbus-1-dev"),
    ("libudev", "libudev-dev"),
    ("libsystemd", "libsystemd-dev"),
    ("fontconfig", "libfontconfig-dev"),
    ("freetype2", "libfreetype-dev"),
    ("libpng", "libpng-dev"),
    ("libjpeg", "libjpeg-dev"),
    ("libtiff-4", "libtiff-dev"),
    ("libwebp", "libwebp-dev"),
    ("x11", "libx11-dev"),
    ("xcb", "libxcb1-dev"),
    ("xkbcommon", "libxkbcommon-dev"),
    ("wayland-client", "libwayland-dev"),
    ("gl", "libgl-dev"),
    ("egl", "libegl-dev"),
    ("sdl2", "libsdl2-dev"),
    ("libusb-1.0", "libusb-1.0-0-dev"),
    ("libxml-2.0", "libxml2-dev"),
    ("libxslt", "libxslt1-dev"),
    ("libffi", "libffi-dev"),
    ("ncurses", "libncurses-dev"),
    ("ncursesw", "libncurses-dev"),
    ("readline", "libreadline-dev"),
    ("libzstd", "libzstd-dev"),
    ("liblzma", "liblzma-dev"),
    ("bzip2", "libbz2-dev"),
    ("uuid", "uuid-dev"),
    ("libgit2", "libgit2-dev"),
    ("libssh2", "libssh2-1-dev"),
    ("libevent", "libevent-dev"),
    ("libavcodec", "libavcodec-dev"),
    ("libavformat", "libavformat-dev"),
    ("librsvg-2.0", "librsvg2-dev"),
    ("yaml-0.1", "libyaml-dev"),
    ("mysqlclient", "default-libmysqlclient-dev"),
    ("poppler-glib", "libpoppler-glib-dev"),
    ("opencv4", "libopencv-dev"),
    ("libavutil", "libavutil-dev"),
    ("gstreamer-1.0", "libgstreamer1.0-dev"),
    ("libpcre2-8", "libpcre2-dev"),
    ("libsodium", "libsodium-dev"),
    ("jsoncpp", "libjsoncpp-dev"),
    ("fuse3", "libfuse3-dev"),
    ("libpcap", "libpcap-dev"),
];

/// Names that cmake's find_package knows.
const CMAKE: [(&str, &str); 34] = [
    ("OpenSSL", "libssl-dev"),
    ("ZLIB", "zlib1g-dev"),
    ("CURL", "libcurl4-openssl-dev"),
    ("Boost", "libboost-all-dev"),
    ("SQLite3", "libsqlite3-dev"),
    ("PostgreSQL", "libpq-dev"),
    ("PNG", "libpng-dev"),
    ("JPEG", "libjpeg-dev"),
    ("TIFF", "libtiff-dev"),
    ("Freetype", "libfreetype-dev"),
    ("X11", "libx11-dev"),
    ("OpenGL", "libgl-dev"),
    ("GLEW", "libglew-dev"),
    ("glfw3", "libglfw3-dev"),
    ("SDL2", "libsdl2-dev"),
    ("Qt5", "qtbase5-dev"),
    ("Qt6", "qt6-base-dev"),
    ("Qt5Widgets", "qtbase5-dev"),
    ("OpenCV", "libopencv-dev"),
    ("Eigen3", "libeigen3-dev"),
    ("GTest", "libgtest-dev"),
    ("BZip2", "libbz2-dev"),
    ("LibLZMA", "liblzma-dev"),
    ("LibXml2", "libxml2-dev"),
    ("EXPAT", "libexpat1-dev"),
    ("GMP", "libgmp-dev"),
    ("BLAS", "libblas-dev"),
    ("LAPACK", "liblapack-dev"),
    ("MPI", "libopenmpi-dev"),
    ("Doxygen", "doxygen"),
    ("Git", "git"),
    ("BISON", "bison"),
    ("FLEX", "flex"),
    ("fmt", "libfmt-dev"),
];

/// Tools of builds that `packages` does not name.
const TOOLS: [(&str, &str); 46] = [
    ("autoreconf", "autoconf"),
    ("aclocal", "automake"),
    ("automake", "automake"),
    ("autoconf", "autoconf"),
    ("libtoolize", "libtool"),
    ("autopoint", "autopoint"),
    ("gettextize", "gettext"),
    ("intltoolize", "intltool"),
    ("bison", "bison"),
    ("yacc", "bison"),
    ("flex", "flex"),
    ("lex", "flex"),
    ("makeinfo", "texinfo"),
    ("help2man", "help2man"),
    ("gperf", "gperf"),
    ("nasm", "nasm"),
    ("yasm", "yasm"),
    ("m4", "m4"),
    ("swig", "swig"),
    ("doxygen", "doxygen"),
    ("asciidoc", "asciidoc"),
    ("xsltproc", "xsltproc"),
    ("ninja", "ninja-build"),
    ("meson", "meson"),
    ("scons", "scons"),
    ("protoc", "protobuf-compiler"),
    ("patch", "patch"),
    ("gfortran", "gfortran"),
    ("ld", "binutils"),
    ("ar", "binutils"),
    ("as", "binutils"),
    ("rpcgen", "rpcsvc-proto"),
    ("ragel", "ragel"),
    ("re2c", "re2c"),
    ("msgfmt", "gettext"),
    ("xgettext", "gettext"),
    ("gtkdocize", "gtk-doc-tools"),
    ("patchelf", "patchelf"),
    ("chrpath", "chrpath"),
    ("itstool", "itstool"),
    ("valac", "valac"),
    ("glib-compile-resources", "libglib2.0-dev-bin"),
    ("AC_PROG_LIBTOOL", "libtool"),
    ("LT_INIT", "libtool"),
    ("AM_INIT_AUTOMAKE", "automake"),
    ("PKG_CHECK_MODULES", "pkg-config"),
];

/// Modules of Perl that are often missing.
const PERL: [(&str, &str); 16] = [
    ("JSON", "libjson-perl"),
    ("JSON::XS", "libjson-xs-perl"),
    ("YAML", "libyaml-perl"),
    ("YAML::XS", "libyaml-libyaml-perl"),
    ("DBI", "libdbi-perl"),
    ("DBD::SQLite", "libdbd-sqlite3-perl"),
    ("DBD::Pg", "libdbd-pg-perl"),
    ("DBD::mysql", "libdbd-mysql-perl"),
    ("LWP::UserAgent", "libwww-perl"),
    ("LWP", "libwww-perl"),
    ("XML::Simple", "libxml-simple-perl"),
    ("XML::Parser", "libxml-parser-perl"),
    ("XML::LibXML", "libxml-libxml-perl"),
    ("DateTime", "libdatetime-perl"),
    ("Moose", "libmoose-perl"),
    ("Try::Tiny", "libtry-tiny-perl"),
];

fn in_table(table: &[(&str, &'static str)], name: &str) -> Option<&'static str> {
    table.iter().find(|(known, _)| *known == name).map(|(_, package)| *package)
}

fn set(case: &Case<'_>, found: &mut Findings, package: Option<&str>) -> Option<()> {
    let package = package.filter(|_| case.has_program("apt-get"))?.to_owned();
    found.set("package", package);
    Some(())
}

/// `module` → `package`, by the name that pkg-config has for it.
pub(super) fn pkg_config(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let package = in_table(&MODULES, found.get("module")?);
    set(case, found, package)
}

/// `module` → `package`, by the name that cmake has for it.
pub(super) fn cmake(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let package = in_table(&CMAKE, found.get("module")?);
    set(case, found, package)
}

/// `name` (or the `macro` that comes with it) → `package`.
pub(super) fn build_tool(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let name = found.get("name").or_else(|| found.get("macro"))?.to_owned();
    let package = in_table(&TOOLS, &name);
    found.set("name", name);
    set(case, found, package)
}

/// `name` → `package` of a program that another one calls.
pub(super) fn helper(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let package = match found.get("name")? {
        "lzma" => Some("xz-utils"),
        "compress" => Some("ncompress"),
        "lzip" => Some("lzip"),
        "gzip" => Some("gzip"),
        name => packages::of_program(name),
    };
    set(case, found, package)
}

/// `extension` → `package` of PHP.
pub(super) fn php_extension(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let package = match found.get("extension")? {
        "mb" | "mbstring" => "php-mbstring",
        "dom" | "xml" | "simplexml" | "xmlwriter" | "xmlreader" => "php-xml",
        "curl" => "php-curl",
        "gd" => "php-gd",
        "zip" => "php-zip",
        "intl" => "php-intl",
        "mysqli" | "mysql" => "php-mysql",
        "pgsql" => "php-pgsql",
        "sqlite" => "php-sqlite3",
        "bcmath" => "php-bcmath",
        "gmp" => "php-gmp",
        "soap" => "php-soap",
        "imagick" => "php-imagick",
        "redis" => "php-redis",
        _ => return None,
    };
    set(case, found, Some(package))
}

/// `file` → `module` and `package` of Perl.
pub(super) fn perl(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let module = found.get("file")?.replace('/', "::");
    let package = in_table(&PERL, &module);
    found.set("module", module);
    set(case, found, package)
}

/// `kind` → `package` of what mounts it.
pub(super) fn mount(case: &Case<'_>, found: &mut Findings) -> Option<()> {
    let package = match found.get("kind")? {
        "ntfs" | "ntfs3" => "ntfs-3g",
        "exfat" => "exfatprogs",
        "nfs" | "nfs4" => "nfs-common",
        "cifs" | "smbfs" => "cifs-utils",
        "btrfs" => "btrfs-progs",
        "xfs" => "xfsprogs",
        "davfs" => "davfs2",
        _ => return None,
    };
    set(case, found, Some(package))
}
