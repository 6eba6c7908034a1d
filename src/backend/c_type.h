// What the types of kernels' parameters mean, as a compiler or a source spells them.
#pragma once

#include <string>
#include <string_view>

#include "wattune/backend/image.h"

namespace wattune::backend {

// A parameter of this type in OpenCL C or CUDA C++, without qualifiers. A type that is none of the language's own, such
// as that of a typedef, leaves unknown what it may mean.
KernelParameter parameter_of(std::string name, std::string type, Language language);

// Whether data of one type may be what a kernel declares as the other: the same, signed for unsigned, bytes for
// anything, 16 bits for a number that the kernel decodes itself, several small elements packed into an integer.
bool may_be_read_as(ElementType data, ElementType declared);

// "local float2* tile"; what it takes where its type is unknown: "8 bytes".
std::string describe(const KernelParameter& parameter);

}  // namespace wattune::backend
