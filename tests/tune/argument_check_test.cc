#include "tune/evaluate/argument_check.h"

#include <gmock/gmock.h>

#include "backend/interface/c_type.h"

namespace wattune::inline v0_1::tune {
namespace {

using backend::AddressSpace;
using backend::KernelParameter;

class DeclaredKernel : public backend::Kernel {
 public:
  explicit DeclaredKernel(std::vector<KernelParameter> parameters) : parameters_(std::move(parameters)) {}
  const std::string& name() const override { return name_; }
  std::size_t argument_count() const override { return parameters_.size(); }
  std::span<const KernelParameter> parameters() const override { return parameters_; }
  std::size_t max_work_group_size() const override { return 1; }

 private:
  std::string name_ = "f";
  std::vector<KernelParameter> parameters_;
};

using Kind = decltype(Argument::kind);

Kind buffer_of(ElementType type) { return VectorArgument{.type = type}; }
Kind scalar_of(ElementType type) { return ScalarArgument{.type = type}; }
Kind local_of(ElementType type) { return LocalArgument{.type = type}; }

PlannedArgument planned(const Kind& kind) {
  if (std::holds_alternative<VectorArgument>(kind)) return PlannedBuffer{1, 4};
  if (const auto* local = std::get_if<LocalArgument>(&kind)) return backend::LocalBytes{size_in_bytes(local->type)};
  const auto* scalar = std::get_if<ScalarArgument>(&kind);
  const std::size_t bytes =
      scalar != nullptr ? size_in_bytes(scalar->type) : layout_of(std::get<StructArgument>(kind)).bytes;
  return backend::ScalarBytes{std::vector<std::byte>(bytes)};
}

// Returns the error about an argument `a` in line 7 that the kernel declares so; empty if there is none.
std::string judged(const Kind& kind, KernelParameter parameter) {
  KernelSpec spec;
  spec.arguments = {{"a", kind, {"spec.toml", 7, 3}}};
  const Launch launch{.steps = {}, .arguments = {planned(kind)}};
  const Result<void> checked = check_arguments(DeclaredKernel({std::move(parameter)}), spec, launch,
                                               {.function = "f", .arguments = {0}, .geometry = {}});
  return checked ? "" : checked.error().to_string();
}

std::string judged(const Kind& kind, const std::string& type) {
  return judged(kind, backend::parameter_of("x", type, Language::opencl));
}

TEST(ArgumentCheck, RefusesAnotherType) {
  EXPECT_EQ(judged(scalar_of(ElementType::float64), "float"),
            "spec.toml:7:3: argument 1 of kernel `f` is declared `float x`, the spec says `double`: `a`");
  EXPECT_EQ(judged(scalar_of(ElementType::int32), "float"),
            "spec.toml:7:3: argument 1 of kernel `f` is declared `float x`, the spec says `int`: `a`");
  EXPECT_EQ(judged(buffer_of(ElementType::float64), "float*"),
            "spec.toml:7:3: argument 1 of kernel `f` is declared `float* x`, the spec says `double*`: `a`");
  EXPECT_NE(judged(buffer_of(ElementType::float32), "int4*"), "");
  EXPECT_NE(judged(scalar_of(ElementType::int32), "long"), "");
}

TEST(ArgumentCheck, RefusesAnotherKind) {
  EXPECT_EQ(judged(buffer_of(ElementType::float32), "float"),
            "spec.toml:7:3: argument 1 of kernel `f` is declared `float x`, the spec says `float*`: `a`");
  EXPECT_NE(judged(scalar_of(ElementType::uint64), "float*"), "");
  KernelParameter local = backend::parameter_of("x", "float*", Language::opencl);
  local.space = AddressSpace::local;
  EXPECT_EQ(judged(buffer_of(ElementType::float32), local),
            "spec.toml:7:3: argument 1 of kernel `f` is declared `local float* x`, the spec says `float*`: `a`");
  EXPECT_EQ(judged(local_of(ElementType::float32), local), "");
  EXPECT_NE(judged(local_of(ElementType::float64), local), "");
  EXPECT_NE(judged(local_of(ElementType::float32), "float*"), "");
  EXPECT_NE(judged(StructArgument{{{"a", {}}, {"b", {}}}}, "int"), "");
}

TEST(ArgumentCheck, TakesOtherNamesOfTheSame) {
  EXPECT_EQ(judged(scalar_of(ElementType::int32), "unsigned int"), "");
  EXPECT_EQ(judged(scalar_of(ElementType::uint64), "size_t"), "");
  EXPECT_EQ(judged(scalar_of(ElementType::float32), "real"), "");
  EXPECT_EQ(judged(buffer_of(ElementType::float32), "float4*"), "");
  EXPECT_EQ(judged(buffer_of(ElementType::float32), "void*"), "");
  EXPECT_EQ(judged(buffer_of(ElementType::float32), "char*"), "");
  EXPECT_EQ(judged(buffer_of(ElementType::float16), "ushort*"), "");
  EXPECT_EQ(judged(buffer_of(ElementType::int32), "real*"), "");
  EXPECT_EQ(judged(StructArgument{{{"a", {}}, {"b", {}}}}, "int2"), "");
  EXPECT_EQ(judged(StructArgument{{{"a", {}}}}, "particle"), "");
  EXPECT_EQ(judged(VectorArgument{.fields = {{.name = "a"}}}, "float2*"), "");
  EXPECT_EQ(judged(buffer_of(ElementType::float32), KernelParameter{}), "");
}

TEST(ArgumentCheck, ComparesSizesWhereNothingElseIsKnown) {
  EXPECT_EQ(judged(scalar_of(ElementType::float64), KernelParameter{.bytes = 4}),
            "spec.toml:7:3: argument 1 of kernel `f` is declared `4 bytes`, the spec says `double`: `a`");
  EXPECT_EQ(judged(scalar_of(ElementType::float32), KernelParameter{.bytes = 4}), "");
}

TEST(ArgumentCheck, TellsWhatTheKernelTakes) {
  KernelSpec spec;
  spec.file = "spec.toml";
  const DeclaredKernel kernel(
      {backend::parameter_of("x", "float*", Language::cuda), backend::parameter_of("n", "int", Language::cuda)});
  EXPECT_EQ(check_arguments(kernel, spec, {}, {.function = "f", .arguments = {}, .geometry = {}}).error().to_string(),
            "spec.toml: kernel `f` takes 2 arguments (float* x, int n), the spec lists 0");
}

}  // namespace
}  // namespace wattune::tune
