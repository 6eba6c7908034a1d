#include "dynamic/calls/signature.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/interface/suggest.h"
#include "space/interface/expression.h"

namespace wattune::inline v0_1::dynamic {

namespace {

struct ScalarText {
  std::string name;  // name of a size, if the text is only that
  bool reads_parameters = false;
};

Result<ScalarText> read_scalar(const ExpressionText& text, const KernelSpec& spec) {
  WATTUNE_ASSIGN(const space::Expression parsed, space::Expression::parse(text.text, text.position));
  ScalarText scalar;
  for (const std::string& name : parsed.names()) {
    if (name == parsed.text()) scalar.name = name;
    scalar.reads_parameters |= std::ranges::count(spec.parameters, name, &Parameter::name) > 0;
  }
  return scalar;
}

Result<void> describe(const ScalarArgument& argument, const KernelSpec& spec, PassedArgument& passed) {
  WATTUNE_ASSIGN(const ScalarText text, read_scalar(argument.value, spec));
  passed.type = argument.type;
  passed.bytes = size_in_bytes(argument.type);
  passed.is_computed = text.reads_parameters;
  const auto size = std::ranges::find(spec.problem_size, text.name, &NamedSize::name);
  if (size != spec.problem_size.end()) passed.size = static_cast<std::size_t>(size - spec.problem_size.begin());
  return {};
}

Result<void> describe(const StructArgument& argument, const KernelSpec& spec, PassedArgument& passed) {
  passed.bytes = layout_of(argument).bytes;
  for (const StructField& field : argument.fields) {
    WATTUNE_ASSIGN(const ScalarText text, read_scalar(field.scalar.value, spec));
    passed.is_computed |= text.reads_parameters;
  }
  return {};
}

void describe(const VectorArgument& argument, PassedArgument& passed) {
  passed.is_memory = true;
  if (argument.fields.empty() && argument.vector_width == 1 && !argument.image) passed.type = argument.type;
}

std::int64_t integer_of(const CallArgument& argument, std::optional<ElementType> type) {
  const auto value = static_cast<std::int64_t>(argument.word());
  const bool is_signed = type == ElementType::int8 || type == ElementType::int16 || type == ElementType::int32;
  const auto unused = static_cast<int>(64 - 8 * argument.bytes().size());
  return is_signed ? value << unused >> unused : value;
}

bool is_real(ElementType type) { return type == ElementType::float32 || type == ElementType::float64; }

// True if a scalar may be passed for another. An integer may be signed instead of unsigned, or the reverse. It may also
// be passed for a half-precision number, for which C++ has no type.
bool fits(ElementType wanted, ElementType given) {
  return wanted == given || (!is_real(wanted) && !is_real(given) && size_in_bytes(wanted) == size_in_bytes(given));
}

std::string words_of(const CallArgument& argument) {
  if (argument.is_memory())
    return argument.type() ? fmt::format("memory of {}", to_string(*argument.type())) : "memory";
  return argument.type() ? fmt::format("a scalar of {}", to_string(*argument.type()))
                         : fmt::format("a value of {} bytes", argument.bytes().size());
}

std::string words_of(const PassedArgument& wanted) {
  if (wanted.is_memory) return wanted.type ? fmt::format("memory of {}", to_string(*wanted.type)) : "memory";
  return wanted.type ? fmt::format("a scalar of {}", to_string(*wanted.type))
                     : fmt::format("a value of {} bytes", wanted.bytes);
}

bool suits(const PassedArgument& wanted, const CallArgument& given) {
  if (wanted.is_memory != given.is_memory()) return false;
  if (!wanted.is_memory && wanted.bytes != given.bytes().size()) return false;
  return !wanted.type || !given.type() || fits(*wanted.type, *given.type());
}

}  // namespace

std::size_t CallSizes::hash() const {
  std::uint64_t hash = count;
  for (std::size_t i = 0; i < count; ++i)
    hash = (hash ^ static_cast<std::uint64_t>(numbers[i])) * 0x9E3779B97F4A7C15ULL;
  return static_cast<std::size_t>(hash >> 32);
}

Result<Signature> Signature::make(const KernelSpec& spec) {
  Signature signature;
  signature.kernel_ = spec.name;
  signature.sizes_ = spec.problem_size;
  for (const Parameter& parameter : spec.parameters) signature.parameters_.push_back(parameter.name);
  if (spec.problem_size.size() > CallSizes::kMostSizes / 2)
    return Error(ErrorCode::out_of_range, fmt::format("kernel `{}` has {} sizes, calls tell at most {}", spec.name,
                                                      spec.problem_size.size(), CallSizes::kMostSizes / 2));
  for (std::size_t i = 0; i < spec.arguments.size(); ++i) {
    const Argument& argument = spec.arguments[i];
    if (std::holds_alternative<LocalArgument>(argument.kind) || std::holds_alternative<SamplerArgument>(argument.kind))
      continue;
    PassedArgument passed{.argument = i};
    if (const auto* scalar = std::get_if<ScalarArgument>(&argument.kind)) WATTUNE_TRY(describe(*scalar, spec, passed));
    if (const auto* fields = std::get_if<StructArgument>(&argument.kind)) WATTUNE_TRY(describe(*fields, spec, passed));
    if (const auto* vector = std::get_if<VectorArgument>(&argument.kind)) describe(*vector, passed);
    if (std::holds_alternative<NullArgument>(argument.kind)) passed.is_memory = true;
    if (passed.size) signature.telling_.push_back({signature.passed_.size(), *passed.size, passed.type});
    signature.shapes_.push_back(CallArgument::shape_of(passed.is_memory, passed.bytes, passed.type));
    signature.passed_.push_back(passed);
    signature.argument_names_.push_back(argument.name);
  }
  return signature;
}

Result<void> Signature::check_each(std::span<const CallArgument> arguments) const {
  if (arguments.size() != passed_.size())
    return Error(ErrorCode::invalid_argument, fmt::format("kernel `{}` takes {} arguments, the call passes {}", kernel_,
                                                          passed_.size(), arguments.size()))
        .hint("all of the spec's in its order, without local memory");
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (!suits(passed_[i], arguments[i])) return wrong(i, arguments[i]);
  return {};
}

Error Signature::wrong(std::size_t index, const CallArgument& argument) const {
  return Error(ErrorCode::invalid_argument,
               fmt::format("argument {} of kernel `{}`, `{}`, is {}, not {}", index + 1, kernel_,
                           argument_names_[index], words_of(passed_[index]), words_of(argument)));
}

Result<void> Signature::read_sizes(std::span<const CallArgument> arguments, std::span<const NamedSize> given,
                                   CallSizes& sizes) const {
  sizes.count = sizes_.size();
  for (std::size_t i = 0; i < sizes_.size(); ++i) sizes.numbers[i] = sizes_[i].value;
  for (const NamedSize& size : given) WATTUNE_TRY(give(size, sizes));
  if (arguments.empty()) return {};
  for (const Telling& each : telling_)
    sizes.numbers[each.size] = integer_of(arguments[each.passed], arguments[each.passed].type());
  return {};
}

bool Signature::agrees(std::span<const CallArgument> arguments, const CallSizes& sizes) const {
  return std::ranges::all_of(telling_, [&](const Telling& each) {
    return integer_of(arguments[each.passed], each.type) == sizes.numbers[each.size];
  });
}

// Sets a size or a parameter. Parameters are stored in the spec's order, so that the order in which they are given does
// not matter.
Result<void> Signature::give(const NamedSize& size, CallSizes& sizes) const {
  const auto known = std::ranges::find(sizes_, size.name, &NamedSize::name);
  if (known != sizes_.end()) {
    sizes.numbers[static_cast<std::size_t>(known - sizes_.begin())] = size.value;
    return {};
  }
  const auto parameter = std::ranges::find(parameters_, size.name);
  if (parameter == parameters_.end())
    return Error(ErrorCode::invalid_argument,
                 fmt::format("`{}` is neither a size nor a parameter of kernel `{}`", size.name, kernel_))
        .hint(suggest(size.name, parameters_));
  if (sizes.count + 2 > CallSizes::kMostSizes)
    return Error(ErrorCode::out_of_range, fmt::format("a call of kernel `{}` gives too many sizes", kernel_));
  const std::int64_t position = parameter - parameters_.begin();
  std::size_t place = sizes.count;
  for (; place > sizes_.size() && sizes.numbers[place - 2] > position; place -= 2) {
    sizes.numbers[place] = sizes.numbers[place - 2];
    sizes.numbers[place + 1] = sizes.numbers[place - 1];
  }
  sizes.numbers[place] = position;
  sizes.numbers[place + 1] = size.value;
  sizes.count += 2;
  return {};
}

std::vector<NamedSize> Signature::named(const CallSizes& sizes) const {
  std::vector<NamedSize> named = sizes_;
  for (std::size_t i = 0; i < named.size(); ++i) named[i].value = sizes.numbers[i];
  for (std::size_t i = named.size(); i < sizes.count; i += 2)
    named.push_back({parameters_[static_cast<std::size_t>(sizes.numbers[i])], sizes.numbers[i + 1]});
  return named;
}

}  // namespace wattune::dynamic
