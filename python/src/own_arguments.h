// Arguments of a call that Python makes: addresses of device memory, and the bytes of scalars.
#pragma once

#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "module.h"
#include "wattune/backend/own_argument.h"
#include "wattune/core/kernel_spec.h"

namespace wattune::python {

template <typename T>
backend::OwnArgument typed(std::span<const std::byte> bytes) {
  T value{};
  std::memcpy(&value, bytes.data(), sizeof value);
  return backend::OwnArgument(value);
}

inline backend::OwnArgument scalar_from(ElementType type, std::span<const std::byte> bytes) {
  switch (type) {
    case ElementType::int8: return typed<std::int8_t>(bytes);
    case ElementType::uint8: return typed<std::uint8_t>(bytes);
    case ElementType::int16: return typed<std::int16_t>(bytes);
    case ElementType::uint16: return typed<std::uint16_t>(bytes);
    case ElementType::int32: return typed<std::int32_t>(bytes);
    case ElementType::uint32: return typed<std::uint32_t>(bytes);
    case ElementType::int64: return typed<std::int64_t>(bytes);
    case ElementType::uint64: return typed<std::uint64_t>(bytes);
    case ElementType::float32: return typed<float>(bytes);
    case ElementType::float64: return typed<double>(bytes);
    case ElementType::float16:
    case ElementType::bfloat16: return typed<std::uint16_t>(bytes);
  }
  return backend::OwnArgument(nullptr);
}

// Returns the scalar at a position of the kernel's arguments. Raises invalid_argument if the size is another.
inline backend::OwnArgument scalar_at(const KernelSpec& spec, std::size_t position, const nb::bytes& bytes) {
  const auto* const argument =
      position < spec.arguments.size() ? std::get_if<ScalarArgument>(&spec.arguments[position].kind) : nullptr;
  const std::span given(reinterpret_cast<const std::byte*>(bytes.data()), bytes.size());
  if (argument == nullptr || given.size() != size_in_bytes(argument->type))
    raise(wrong("a scalar of the call has another type than the kernel's argument")
              .about(position < spec.arguments.size() ? spec.arguments[position].name : std::string("too many")));
  return scalar_from(argument->type, given);
}

// Returns arguments given as addresses, or as bytes of scalars.
inline std::vector<backend::OwnArgument> own_arguments(const KernelSpec& spec, const nb::list& arguments) {
  std::vector<backend::OwnArgument> own;
  for (std::size_t i = 0; i < nb::len(arguments); ++i) {
    const nb::handle each = arguments[i];
    if (nb::isinstance<nb::bytes>(each))
      own.push_back(scalar_at(spec, i, nb::cast<nb::bytes>(each)));
    else
      own.emplace_back(reinterpret_cast<void*>(nb::cast<std::uint64_t>(each)));
  }
  return own;
}

inline std::vector<NamedSize> sizes_from(const nb::dict& given) {
  std::vector<NamedSize> sizes;
  for (const auto& [name, value] : given) sizes.push_back({nb::cast<std::string>(name), nb::cast<std::int64_t>(value)});
  return sizes;
}

}  // namespace wattune::python
