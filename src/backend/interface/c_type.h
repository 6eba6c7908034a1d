// Parses the types of kernel parameters, as a compiler or a source spells them.
#pragma once

#include <string>
#include <string_view>

#include "wattune/backend/image.h"

namespace wattune::inline v0_1::backend {

// Returns a parameter of this type in OpenCL C or CUDA C++, without qualifiers. The element and size of a type that is
// not the language's own, such as that of a typedef, remain unknown.
KernelParameter parameter_of(std::string name, std::string type, Language language);

// Tells whether a kernel may reasonably declare elements of one type as another type. This is so if both are the same,
// or differ only in sign. Bytes may be declared as anything, 16-bit numbers as integers to decode, and small elements
// as an integer that packs several.
bool may_be_read_as(ElementType data, ElementType declared);

// Describes a parameter: "local float2* tile", or by its size if its type is unknown: "8 bytes".
std::string describe(const KernelParameter& parameter);

}  // namespace wattune::backend
