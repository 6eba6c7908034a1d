#include "backend/cuda/standard_headers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <sstream>

namespace wattune::inline v0_1::backend::cuda {

namespace {

namespace fs = std::filesystem;

// A header of C. `names` are put into std by the C++ header with the same contents. NVRTC's built-in functions need no
// declaration.
struct CHeader {
  const char* name;
  const char* twin;
  const char* std_names;
  const char* text;
};

// The headers of C. Types and limits are spelt as in libcu++, because both may be included.
constexpr std::array kCHeaders{
    CHeader{"assert.h", "cassert", "", ""},
    CHeader{"float.h", "cfloat", "", R"(
#define FLT_RADIX 2
#define FLT_DIG 6
#define FLT_MANT_DIG 24
#define FLT_MIN_EXP (-125)
#define FLT_MAX_EXP 128
#define FLT_MIN 1.17549435082228750796873653722224568e-38F
#define FLT_MAX 3.40282346638528859811704183484516925e+38F
#define FLT_EPSILON 1.19209289550781250000000000000000000e-7F
#define DBL_DIG 15
#define DBL_MANT_DIG 53
#define DBL_MIN_EXP (-1021)
#define DBL_MAX_EXP 1024
#define DBL_MIN 2.22507385850720138309023271733240406e-308
#define DBL_MAX 1.79769313486231570814527423731704357e+308
#define DBL_EPSILON 2.22044604925031308084726333618164062e-16
)"},
    CHeader{"inttypes.h", "cinttypes", "", "#include <stdint.h>\n"},
    CHeader{"limits.h", "climits", "", R"(
#define CHAR_BIT 8
#define SCHAR_MIN         (-128)
#define SCHAR_MAX         127
#define UCHAR_MAX         255
#define CHAR_MIN SCHAR_MIN
#define CHAR_MAX SCHAR_MAX
#define SHRT_MIN  (-SHRT_MAX - 1)
#define SHRT_MAX  0x7fff
#define USHRT_MAX 0xffff
#define INT_MIN   (-INT_MAX - 1)
#define INT_MAX   0x7fffffff
#define UINT_MAX  0xffffffff
#define LONG_MIN  (-LONG_MAX - 1)
#define LONG_MAX  LLONG_MAX
#define ULONG_MAX ULLONG_MAX
#define LLONG_MIN  (-LLONG_MAX - 1)
#define LLONG_MAX  0x7fffffffffffffffLL
#define ULLONG_MAX 0xffffffffffffffffUL
)"},
    CHeader{
        "math.h", "cmath",
        "abs acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs fdim "
        "floor "
        "fma fmax fmin fmod frexp hypot isfinite isinf isnan ldexp lgamma log log10 log1p log2 modf pow remainder rint "
        "round signbit sin sinh sqrt tan tanh tgamma trunc",
        R"(
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#ifndef INFINITY
#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fffffff)
#endif
#define HUGE_VALF __int_as_float(0x7f800000)
#define HUGE_VAL __longlong_as_double(0x7ff0000000000000LL)
)"},
    CHeader{"stdbool.h", "cstdbool", "", ""},
    CHeader{"stddef.h", "cstddef", "size_t ptrdiff_t nullptr_t", R"(
using nullptr_t = decltype(nullptr);
#ifndef NULL
#define NULL 0
#endif
#ifndef offsetof
#define offsetof(type, member) (::size_t) ((char*) &(((type*) 0)->member) - (char*) 0)
#endif
)"},
    CHeader{"stdint.h", "cstdint",
            "int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t intptr_t uintptr_t intmax_t uintmax_t",
            R"(
#include <limits.h>
using int8_t = signed char;
using int16_t = signed short;
using int32_t = signed int;
using int64_t = signed long long;
using uint8_t = unsigned char;
using uint16_t = unsigned short;
using uint32_t = unsigned int;
using uint64_t = unsigned long long;
using intptr_t = int64_t;
using uintptr_t = uint64_t;
using intmax_t = int64_t;
using uintmax_t = uint64_t;
#define INT8_MIN   SCHAR_MIN
#define INT16_MIN  SHRT_MIN
#define INT32_MIN  INT_MIN
#define INT64_MIN  LLONG_MIN
#define INT8_MAX   SCHAR_MAX
#define INT16_MAX  SHRT_MAX
#define INT32_MAX  INT_MAX
#define INT64_MAX  LLONG_MAX
#define UINT8_MAX  UCHAR_MAX
#define UINT16_MAX USHRT_MAX
#define UINT32_MAX UINT_MAX
#define UINT64_MAX ULLONG_MAX
#define SIZE_MAX UINT64_MAX
)"},
    CHeader{"stdio.h", "cstdio", "printf size_t", "#include <stddef.h>\n"},
    CHeader{"stdlib.h", "cstdlib", "abs labs llabs malloc free size_t", "#include <stddef.h>\n"},
    CHeader{"string.h", "cstring", "memcpy memset size_t", "#include <stddef.h>\n"},
    CHeader{"time.h", "ctime", "clock clock_t", ""},
};

constexpr char kAlgorithm[] = R"(
namespace std {
template <typename T>
__host__ __device__ constexpr const T& min(const T& a, const T& b) { return b < a ? b : a; }
template <typename T>
__host__ __device__ constexpr const T& max(const T& a, const T& b) { return a < b ? b : a; }
}
)";

// The headers of the C++ standard library that libcu++ has, too.
constexpr std::array kCppHeaders{"array",  "bit",     "complex", "concepts", "functional",  "iterator",
                                 "limits", "numeric", "ratio",   "tuple",    "type_traits", "utility"};

std::string once(const std::string& text) { return "#pragma once\n" + text; }

std::string twin_of(const CHeader& header) {
  std::string text = fmt::format("#include <{}>\nnamespace std {{\n", header.name);
  std::istringstream names(header.std_names);
  for (std::string name; names >> name;) text += fmt::format("using ::{};\n", name);
  return once(text + "}\n");
}

std::string in_libcu(const std::string& name) {
  return once(fmt::format("#include <cuda/std/{}>\nnamespace std {{\nusing namespace cuda::std;\n}}\n", name));
}

bool lies_in(const std::vector<std::string>& folders, const std::string& header) {
  return std::ranges::any_of(folders, [&](const std::string& folder) {
    std::error_code failed;
    return fs::is_regular_file(fs::path(folder) / header, failed);
  });
}

}  // namespace

std::vector<StandardHeader> standard_headers(const std::vector<std::string>& folders) {
  std::vector<StandardHeader> headers{{"algorithm", once(kAlgorithm)}};
  for (const CHeader& header : kCHeaders) {
    headers.push_back({header.name, once(header.text)});
    headers.push_back({header.twin, twin_of(header)});
  }
  for (const std::string name : kCppHeaders)
    if (lies_in(folders, "cuda/std/" + name)) headers.push_back({name, in_libcu(name)});
  std::erase_if(headers, [&](const StandardHeader& header) { return lies_in(folders, header.name); });
  return headers;
}

}  // namespace wattune::backend::cuda
