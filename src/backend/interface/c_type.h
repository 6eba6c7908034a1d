// The meaning of kernel parameters' types, as a compiler or a source spells them.
#pragma once

#include <string>
#include <string_view>

#include "wattune/backend/image.h"

namespace wattune::inline v0_1::backend {

// Returns a parameter of this type in OpenCL C or CUDA C++, without qualifiers. A type that is not the language's own,
// such as that of a typedef, leaves its element and size unknown.
KernelParameter parameter_of(std::string name, std::string type, Language language);

// Tells whether a kernel may read data of one type as the declared type. It may if both are the same, or differ only in
// sign. Bytes may become anything; a 16-bit number may be decoded by the kernel; small elements may be packed into an
// integer.
bool may_be_read_as(ElementType data, ElementType declared);

// Returns a parameter in words: "local float2* tile", or its size if its type is unknown: "8 bytes".
std::string describe(const KernelParameter& parameter);

}  // namespace wattune::backend
