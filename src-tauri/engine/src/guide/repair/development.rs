//! What C programs are built against: headers and libraries, and the Debian packages that have them. Only pairs that are certain.

/// Debian's package of a C header.
pub(super) fn of_header(header: &str) -> Option<&'static str> {
    let package = match header {
        "GL/gl.h" => "libgl-dev",
        "GL/glew.h" => "libglew-dev",
        "GL/glu.h" => "libglu1-mesa-dev",
        "GL/glut.h" => "freeglut3-dev",
        "GLFW/glfw3.h" => "libglfw3-dev",
        "Python.h" => "python3-dev",
        "SDL.h" | "SDL2/SDL.h" => "libsdl2-dev",
        "X11/Xutil.h" | "X11/keysym.h" => "libx11-dev",
        "X11/extensions/Xrandr.h" => "libxrandr-dev",
        "alsa/asoundlib.h" => "libasound2-dev",
        "archive.h" => "libarchive-dev",
        "cairo.h" | "cairo/cairo.h" => "libcairo2-dev",
        "dbus/dbus.h" => "libdbus-1-dev",
        "event2/event.h" | "event.h" => "libevent-dev",
        "fftw3.h" => "libfftw3-dev",
        "fmt/core.h" | "fmt/format.h" => "libfmt-dev",
        "ft2build.h" => "libfreetype-dev",
        "fuse.h" => "libfuse-dev",
        "gcrypt.h" => "libgcrypt20-dev",
        "gd.h" => "libgd-dev",
        "glib.h" => "libglib2.0-dev",
        "gnutls/gnutls.h" => "libgnutls28-dev",
        "gsl/gsl_rng.h" | "gsl/gsl_math.h" => "libgsl-dev",
        "gtest/gtest.h" => "libgtest-dev",
        "gtk/gtk.h" => "libgtk-3-dev",
        "hdf5.h" => "libhdf5-dev",
        "jansson.h" => "libjansson-dev",
        "json-c/json.h" => "libjson-c-dev",
        "krb5.h" => "libkrb5-dev",
        "lber.h" | "ldap.h" => "libldap2-dev",
        "libudev.h" => "libudev-dev",
        "libusb-1.0/libusb.h" | "libusb.h" => "libusb-1.0-0-dev",
        "libxslt/xslt.h" => "libxslt1-dev",
        "lua.h" => "liblua5.4-dev",
        "lz4.h" => "liblz4-dev",
        "magic.h" => "libmagic-dev",
        "mosquitto.h" => "libmosquitto-dev",
        "mpfr.h" => "libmpfr-dev",
        "mpi.h" => "libopenmpi-dev",
        "mysql/mysql.h" | "mysql.h" => "libmariadb-dev-compat",
        "netcdf.h" => "libnetcdf-dev",
        "nlohmann/json.hpp" => "nlohmann-json3-dev",
        "ogg/ogg.h" => "libogg-dev",
        "opencv2/opencv.hpp" | "opencv2/core.hpp" => "libopencv-dev",
        "pcap.h" | "pcap/pcap.h" => "libpcap-dev",
        "pcre.h" => "libpcre3-dev",
        "pcre2.h" => "libpcre2-dev",
        "portaudio.h" => "portaudio19-dev",
        "pulse/pulseaudio.h" => "libpulse-dev",
        "sasl/sasl.h" => "libsasl2-dev",
        "seccomp.h" => "libseccomp-dev",
        "security/pam_appl.h" | "security/pam_modules.h" => "libpam0g-dev",
        "selinux/selinux.h" => "libselinux1-dev",
        "sndfile.h" => "libsndfile1-dev",
        "snappy.h" => "libsnappy-dev",
        "sodium.h" => "libsodium-dev",
        "spdlog/spdlog.h" => "libspdlog-dev",
        "sql.h" | "sqlext.h" => "unixodbc-dev",
        "systemd/sd-daemon.h" | "systemd/sd-journal.h" => "libsystemd-dev",
        "tiffio.h" => "libtiff-dev",
        "uv.h" => "libuv1-dev",
        "vorbis/codec.h" => "libvorbis-dev",
        "webp/decode.h" | "webp/encode.h" => "libwebp-dev",
        "zmq.h" => "libzmq3-dev",
        "zstd.h" => "libzstd-dev",
        boost if boost.starts_with("boost/") => "libboost-all-dev",
        eigen if eigen.starts_with("Eigen/") || eigen.starts_with("eigen3/") => "libeigen3-dev",
        ssl if ssl.starts_with("openssl/") => "libssl-dev",
        "X11/Xlib.h" => "libx11-dev",
        "bzlib.h" => "libbz2-dev",
        "curl/curl.h" => "libcurl4-openssl-dev",
        "curses.h" | "ncurses.h" => "libncurses-dev",
        "expat.h" => "libexpat1-dev",
        "ffi.h" => "libffi-dev",
        "gmp.h" => "libgmp-dev",
        "jpeglib.h" => "libjpeg-dev",
        "libpq-fe.h" => "libpq-dev",
        "libxml/parser.h" => "libxml2-dev",
        "lzma.h" => "liblzma-dev",
        "png.h" => "libpng-dev",
        "readline/readline.h" => "libreadline-dev",
        "sqlite3.h" => "libsqlite3-dev",
        "uuid/uuid.h" => "uuid-dev",
        "yaml.h" => "libyaml-dev",
        "zlib.h" => "zlib1g-dev",
        _ => return None,
    };
    Some(package)
}

/// Debian's package of a library that the linker wants.
pub(super) fn of_library(library: &str) -> Option<&'static str> {
    let header = match library {
        "GL" => "GL/gl.h",
        "GLEW" => "GL/glew.h",
        "GLU" => "GL/glu.h",
        "SDL2" => "SDL2/SDL.h",
        "X11" => "X11/Xlib.h",
        "Xrandr" => "X11/extensions/Xrandr.h",
        "archive" => "archive.h",
        "asound" => "alsa/asoundlib.h",
        "bz2" => "bzlib.h",
        "cairo" => "cairo.h",
        "event" => "event2/event.h",
        "fftw3" | "fftw3f" => "fftw3.h",
        "fmt" => "fmt/core.h",
        "freetype" => "ft2build.h",
        "fuse" => "fuse.h",
        "glfw" => "GLFW/glfw3.h",
        "glib-2.0" => "glib.h",
        "glut" => "GL/glut.h",
        "gsl" | "gslcblas" => "gsl/gsl_math.h",
        "gtest" => "gtest/gtest.h",
        "gtk-3" => "gtk/gtk.h",
        "jansson" => "jansson.h",
        "json-c" => "json-c/json.h",
        "ldap" | "lber" => "ldap.h",
        "lz4" => "lz4.h",
        "magic" => "magic.h",
        "mpfr" => "mpfr.h",
        "mysqlclient" | "mariadb" => "mysql.h",
        "pam" => "security/pam_appl.h",
        "pcap" => "pcap.h",
        "pcre" => "pcre.h",
        "pcre2-8" => "pcre2.h",
        "pulse" => "pulse/pulseaudio.h",
        "seccomp" => "seccomp.h",
        "selinux" => "selinux/selinux.h",
        "sndfile" => "sndfile.h",
        "snappy" => "snappy.h",
        "sodium" => "sodium.h",
        "systemd" => "systemd/sd-daemon.h",
        "tiff" => "tiffio.h",
        "udev" => "libudev.h",
        "usb-1.0" => "libusb.h",
        "uv" => "uv.h",
        "webp" => "webp/decode.h",
        "xslt" => "libxslt/xslt.h",
        "zmq" => "zmq.h",
        "zstd" => "zstd.h",
        "boost_atomic"
        | "boost_chrono"
        | "boost_container"
        | "boost_context"
        | "boost_coroutine"
        | "boost_date_time"
        | "boost_filesystem"
        | "boost_graph"
        | "boost_iostreams"
        | "boost_json"
        | "boost_locale"
        | "boost_log"
        | "boost_math_c99"
        | "boost_program_options"
        | "boost_python"
        | "boost_random"
        | "boost_regex"
        | "boost_serialization"
        | "boost_system"
        | "boost_thread"
        | "boost_timer"
        | "boost_unit_test_framework"
        | "boost_url"
        | "boost_wave" => "boost/version.hpp",
        "crypto" | "ssl" => "openssl/ssl.h",
        "curl" => "curl/curl.h",
        "ffi" => "ffi.h",
        "gmp" => "gmp.h",
        "jpeg" => "jpeglib.h",
        "lzma" => "lzma.h",
        "ncurses" => "ncurses.h",
        "png" => "png.h",
        "pq" => "libpq-fe.h",
        "readline" => "readline/readline.h",
        "sqlite3" => "sqlite3.h",
        "uuid" => "uuid/uuid.h",
        "xml2" => "libxml/parser.h",
        "yaml" => "yaml.h",
        "z" => "zlib.h",
        _ => return None,
    };
    of_header(header)
}
