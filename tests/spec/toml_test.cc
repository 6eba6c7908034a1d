#include <gmock/gmock.h>

#include <string>
#include <variant>
#include <vector>

#include "spec/spec_fixture.h"

namespace wattune::inline v0_1::spec {
namespace {

using testing::ElementsAre;

// The sections of a correct spec, any of which a test may replace.
struct Sections {
  std::string top;
  std::string arguments = R"({ name = "a", type = "float*", length = "n" })";
  std::string problem = "n = 1024";
  std::string launch = "global = \"n\"\nlocal = \"block\"";
  std::string parameters = "block = [32, 64]";
  std::string rest;

  std::string text() const {
    return top + "\n[kernel]\nfile = \"add.cl\"\nfunction = \"add\"\narguments = [" + arguments + "]\n[problem]\n" +
           problem + "\n[launch]\n" + launch + "\n[parameters]\n" + parameters + "\n" + rest;
  }
};

class TomlSpec : public SpecTest {
 protected:
  KernelSpec parse(const Sections& sections) const { return parse_text(sections.text()); }
  KernelSpec parse_text(const std::string& text) const {
    Result<KernelSpec> spec = parse_toml(text, path("spec.toml"));
    EXPECT_TRUE(spec) << spec.error().to_string();
    return spec ? *std::move(spec) : KernelSpec();
  }
};

std::vector<std::string> names(const KernelSpec& spec) {
  std::vector<std::string> result;
  for (const Parameter& parameter : spec.parameters) result.push_back(parameter.name);
  return result;
}

template <typename T>
const T& kind(const KernelSpec& spec, std::size_t argument) {
  return std::get<T>(spec.arguments.at(argument).kind);
}

TEST_F(TomlSpec, ReadsTheKernelBesideIt) {
  const KernelSpec spec = parse({});
  EXPECT_EQ(spec.name, "spec");  // of spec.toml
  EXPECT_EQ(spec.source.function, "add");
  EXPECT_EQ(spec.source.language, Language::opencl);
  EXPECT_EQ(spec.source.file, path("add.cl"));
  EXPECT_EQ(spec.source.text, "__kernel void add() {}");
  EXPECT_EQ(spec.file, path("spec.toml"));
}

TEST_F(TomlSpec, KeepsParametersInTheOrderOfTheFile) {
  EXPECT_THAT(names(parse({.launch = "global = \"n\"\nlocal = 1", .parameters = "zeta = [1]\nalpha = [2]\nmid = [3]"})),
              ElementsAre("zeta", "alpha", "mid"));
}

TEST_F(TomlSpec, ReadsValuesOfEveryKind) {
  const KernelSpec spec = parse({.parameters = R"toml(
block = { values = "range(1, 9)", default = 4 }
real = [0.5, 1.0]
flag = [true, false]
text = ["a", "b"])toml"});
  EXPECT_EQ(spec.parameters[0].values.size(), 8U);
  EXPECT_EQ(spec.parameters[0].default_value, Value(4));
  EXPECT_EQ(spec.parameters[1].values[0].kind(), Value::Kind::real);
  EXPECT_EQ(spec.parameters[1].values[1].kind(), Value::Kind::real);
  EXPECT_EQ(spec.parameters[2].values[0].kind(), Value::Kind::boolean);
  EXPECT_EQ(spec.parameters[3].values[1], Value("b"));
  EXPECT_EQ(spec.parameters[3].default_value, std::nullopt);
}

TEST_F(TomlSpec, ReadsEveryKindOfArgument) {
  const KernelSpec spec = parse({.arguments = R"(
  { name = "a", type = "float4*", length = "n // 4" },
  { name = "b", type = "half *", length = 16, access = "write" },
  { name = "c", type = "double*", length = "n", access = "readwrite", fill = "constant", value = 2 },
  { name = "d", type = "int", value = "n * 2" },
  { name = "e", type = "float", value = 0.5 },
  { name = "f", type = "local float", length = "block" },
)"});
  EXPECT_EQ(kind<VectorArgument>(spec, 0).vector_width, 4U);
  EXPECT_EQ(kind<VectorArgument>(spec, 0).length.text, "n // 4");
  EXPECT_EQ(kind<VectorArgument>(spec, 0).access, ArgumentAccess::read_only);
  EXPECT_TRUE(std::holds_alternative<FillUniform>(kind<VectorArgument>(spec, 0).fill));
  EXPECT_EQ(kind<VectorArgument>(spec, 1).type, ElementType::float16);
  EXPECT_EQ(kind<VectorArgument>(spec, 1).vector_width, 1U);
  EXPECT_EQ(kind<VectorArgument>(spec, 1).length.text, "16");
  EXPECT_EQ(kind<VectorArgument>(spec, 1).access, ArgumentAccess::write_only);
  EXPECT_EQ(std::get<FillConstant>(kind<VectorArgument>(spec, 2).fill).value, 2.0);
  EXPECT_EQ(kind<ScalarArgument>(spec, 3).value.text, "n * 2");
  EXPECT_EQ(kind<ScalarArgument>(spec, 4).value.text, "0.5");
  EXPECT_EQ(kind<ScalarArgument>(spec, 4).type, ElementType::float32);
  EXPECT_EQ(kind<LocalArgument>(spec, 5).length.text, "block");
}

TEST_F(TomlSpec, ReadsStructs) {
  const KernelSpec spec = parse({.arguments = R"({ name = "s", type = "struct", fields = [
    { name = "count", type = "int", value = "n" },
    { name = "scale", type = "half", value = 0.5 },
  ] })"});
  const auto& fields = kind<StructArgument>(spec, 0).fields;
  ASSERT_EQ(fields.size(), 2U);
  EXPECT_EQ(fields[0].name, "count");
  EXPECT_EQ(fields[0].scalar.value.text, "n");
  EXPECT_EQ(fields[1].scalar.type, ElementType::float16);
  EXPECT_EQ(fields[1].scalar.value.text, "0.5");
}

TEST_F(TomlSpec, ReadsBuffersOfStructs) {
  write("bodies.raw", "");
  const KernelSpec spec = parse({.arguments = R"(
  { name = "a", type = "struct*", length = "n", access = "readwrite", compare = "sum", compare_length = "n // 2", fields = [
    { name = "tag", type = "uchar" },
    { name = "mass", type = "double", fill = "normal", mean = 2, deviation = 0.5 },
  ] },
  { name = "b", type = "struct *", length = "n", access = "write", fields = [{ name = "x", type = "int" }] },
  { name = "c", type = "struct*", length = 4, fill = "file", file = "bodies.raw", fields = [{ name = "x", type = "int" }] },
)"});
  const auto& a = kind<VectorArgument>(spec, 0);
  ASSERT_EQ(a.fields.size(), 2U);
  EXPECT_EQ(a.fields[1].name, "mass");
  EXPECT_EQ(a.fields[1].type, ElementType::float64);
  EXPECT_TRUE(std::holds_alternative<FillUniform>(a.fields[0].fill));
  EXPECT_EQ(std::get<FillNormal>(a.fields[1].fill).deviation, 0.5);
  EXPECT_EQ(element_bytes(a), 16U);  // the double is at offset 8
  EXPECT_EQ(a.comparison, OutputComparison::sum);
  EXPECT_EQ(a.compared_length.text, "n // 2");
  EXPECT_EQ(kind<VectorArgument>(spec, 1).fields.size(), 1U);
  EXPECT_TRUE(std::holds_alternative<FillFile>(kind<VectorArgument>(spec, 2).fill));
}

TEST_F(TomlSpec, ReadsWhichArgumentsALaunchTakes) {
  const std::string all = R"({ name = "a", type = "int", value = 1 }, { name = "b", type = "int", value = 2 })";
  const KernelSpec spec = parse({.arguments = all, .launch = "global = \"n\"\nlocal = 1\narguments = [\"b\"]"});
  const std::vector<LaunchStep> launches = launches_of(spec);
  ASSERT_EQ(launches.size(), 1U);
  EXPECT_EQ(launches[0].function, spec.source.function);
  EXPECT_THAT(launches[0].arguments, ElementsAre(1));
  EXPECT_THAT(launches_of(parse({.arguments = all}))[0].arguments, ElementsAre(0, 1));
}

TEST_F(TomlSpec, NamesTypesAsOpenClDoes) {
  const KernelSpec spec = parse({.arguments = R"(
  { name = "a", type = "float16*", length = 1 }, { name = "b", type = "int8*", length = 1 },
  { name = "c", type = "uint64*", length = 1 }, { name = "d", type = "uchar2*", length = 1 })"});
  EXPECT_EQ(kind<VectorArgument>(spec, 0).type, ElementType::float32);
  EXPECT_EQ(kind<VectorArgument>(spec, 0).vector_width, 16U);
  EXPECT_EQ(kind<VectorArgument>(spec, 1).type, ElementType::int32);
  EXPECT_EQ(kind<VectorArgument>(spec, 1).vector_width, 8U);
  EXPECT_EQ(kind<VectorArgument>(spec, 2).type, ElementType::uint64);
  EXPECT_EQ(kind<VectorArgument>(spec, 3).type, ElementType::uint8);
  EXPECT_EQ(kind<VectorArgument>(spec, 3).vector_width, 2U);
}

TEST_F(TomlSpec, ReadsEveryFill) {
  write("data.npy", "");
  const KernelSpec spec = parse({.arguments = R"(
  { name = "a", type = "float*", length = 8, fill = "uniform", low = -1, high = 2.5, seed = 7 },
  { name = "b", type = "float*", length = 8, fill = "iota", start = 3, step = 0.5 },
  { name = "c", type = "int*", length = 8, fill = "expression", expression = "i % n" },
  { name = "d", type = "float*", length = 8, fill = "file", file = "data.npy" })"});
  const auto& uniform = std::get<FillUniform>(kind<VectorArgument>(spec, 0).fill);
  EXPECT_EQ(uniform.low, -1.0);
  EXPECT_EQ(uniform.high, 2.5);
  EXPECT_EQ(uniform.seed, 7U);
  EXPECT_EQ(std::get<FillIota>(kind<VectorArgument>(spec, 1).fill).step, 0.5);
  EXPECT_EQ(std::get<FillExpression>(kind<VectorArgument>(spec, 2).fill).expression.text, "i % n");
  EXPECT_EQ(std::get<FillFile>(kind<VectorArgument>(spec, 3).fill).path, path("data.npy"));
}

TEST_F(TomlSpec, ReadsEveryLaunchConvention) {
  const KernelSpec opencl = parse({.launch = "global = [\"n\", 2]\nlocal = [\"block\"]"});
  EXPECT_EQ(opencl.geometry.convention, GeometryConvention::opencl);
  EXPECT_EQ(opencl.geometry.sizes[1].text, "2");
  EXPECT_EQ(opencl.geometry.sizes[2].text, "");
  EXPECT_EQ(opencl.geometry.work_group[0].text, "block");

  const KernelSpec cuda = parse({.launch = "grid = \"n // block\"\nblock = \"block\""});
  EXPECT_EQ(cuda.geometry.convention, GeometryConvention::cuda);
  EXPECT_EQ(cuda.geometry.sizes[0].text, "n // block");

  const KernelSpec divided = parse({.arguments = "",
                                    .problem = "w = 100\nh = 50",
                                    .launch = "divide = [[\"block_size_x\", 2], \"block_size_y\"]",
                                    .parameters = "block_size_y = [8]\nblock_size_x = [16]"});
  EXPECT_EQ(divided.geometry.convention, GeometryConvention::divided);
  EXPECT_EQ(divided.geometry.sizes[0].text, "w");
  EXPECT_EQ(divided.geometry.divisors[0].size(), 2U);
  EXPECT_EQ(divided.geometry.divisors[1].size(), 1U);
  EXPECT_EQ(divided.geometry.work_group[0].text, "block_size_x");
  EXPECT_EQ(divided.geometry.work_group[1].text, "block_size_y");
}

TEST_F(TomlSpec, KnowsExtentsByAllTheirNames) {
  const KernelSpec spec = parse({.arguments = R"({ name = "a", type = "float*", length = "ProblemSize[1] * height" },
                                  { name = "b", type = "float*", length = "problem_size_x * problem_size_y" })",
                                 .problem = "width = 8\nheight = 4",
                                 .launch = "global = \"width\"\nlocal = \"block\""});
  EXPECT_EQ(spec.problem_size[1].name, "height");
  EXPECT_EQ(spec.problem_size[1].value, 4);
}

TEST_F(TomlSpec, ValuesOfParametersMayReadExtents) {
  const std::string text = Sections{.parameters = "block = \"[n // 4, ProblemSize[0]]\""}.text();
  const KernelSpec spec = parse_toml(text, path("spec.toml"), SourcePolicy::required, {{"n", 64}}).value();
  EXPECT_EQ(spec.parameters[0].values, (std::vector<Value>{16, 64}));
  const std::string misspelt = Sections{.problem = "width = 8", .parameters = "block = \"[widht]\""}.text();
  EXPECT_THAT(parse_toml(misspelt, path("spec.toml")).error().to_string(),
              testing::HasSubstr("values of `block`: unknown name `widht`: `[widht]` (did you mean `width`?)"));
}

TEST_F(TomlSpec, PutsExtentsIntoConstraints) {
  const KernelSpec spec = parse({.rest = "[search]\nconstraints = [\"n % block == 0 or 'n' == 'm'\", "
                                         "\"block <= ProblemSize[0]\"]"});
  EXPECT_EQ(spec.constraints[0].expression, "1024 % block == 0 or 'n' == 'm'");
  EXPECT_EQ(spec.constraints[1].expression, "block <= 1024");
}

TEST_F(TomlSpec, ReplacesExtentsBeforeTheConstraintsReadThem) {
  const std::string text = Sections{.rest = "[search]\nconstraints = [\"n % block == 0\"]"}.text();
  const auto with = [&](const std::string& name, std::int64_t value) {
    return parse_toml(text, path("spec.toml"), SourcePolicy::required, {{name, value}});
  };
  const Result<KernelSpec> spec = with("n", 77);
  ASSERT_TRUE(spec) << spec.error().to_string();
  EXPECT_EQ(spec->constraints[0].expression, "77 % block == 0");
  EXPECT_EQ(spec->problem_size[0].value, 77);
  EXPECT_EQ(with("m", 77).error().to_string(), "the problem has no such size: `m` (did you mean `n`?)");
  EXPECT_EQ(with("n", 0).error().to_string(), "a size of the problem must be positive: `n=0`");
}

TEST_F(TomlSpec, ReadsTheSearch) {
  const KernelSpec spec = parse({.rest = R"(
[search]
strategy = "random"
evaluations = 200
seconds = 1.5
fraction = 0.1)"});
  EXPECT_EQ(spec.strategy, "random");
  EXPECT_EQ(spec.budget.evaluations, 200U);
  EXPECT_EQ(spec.budget.seconds, 1.5);
  EXPECT_EQ(spec.budget.fraction, 0.1);
  EXPECT_TRUE(spec.objectives.empty());
}

TEST_F(TomlSpec, ReadsWhatIsSearchedFor) {
  EXPECT_EQ(parse({.rest = "[search]\nmaximize = \"gflops\""}).objectives, (std::vector{Objective{"gflops", true}}));
  EXPECT_EQ(parse({.rest = "[search]\nminimize = \"energy\""}).objectives, (std::vector{Objective{"energy", false}}));
  EXPECT_EQ(parse({.rest = "[search]\nmaximize = \"gflops\"\nminimize = [\"energy\", \"registers\"]"}).objectives,
            (std::vector<Objective>{{"gflops", true}, {"energy", false}, {"registers", false}}));
  EXPECT_EQ(parse({.rest = "[search]\nminimize = \"energy\"\nslowdown = 5"}).objectives,
            (std::vector<Objective>{{"energy", false, 0.05}}));
}

TEST_F(TomlSpec, ReadsACppReference) {
  write("reference.cc", "");
  const KernelSpec spec =
      parse({.rest = "[reference]\nfile = \"reference.cc\"\nseconds = 30\nabsolute = 1e-3\nrelative = 0"});
  EXPECT_EQ(std::get<ReferenceFunction>(spec.reference).file, path("reference.cc"));
  EXPECT_EQ(std::get<ReferenceFunction>(spec.reference).function, "reference");
  EXPECT_EQ(spec.reference_seconds, 30.0);
  EXPECT_EQ(spec.tolerance.absolute, 1e-3);
  EXPECT_EQ(spec.tolerance.relative, 0.0);
}

TEST_F(TomlSpec, ReadsAReferenceKernelWithOrWithoutALaunchOfItsOwn) {
  write("naive.cl", "naive");
  const std::string reference = "[reference]\nfile = \"naive.cl\"\nfunction = \"naive\"\n";
  const KernelSpec same = parse({.rest = reference});
  EXPECT_EQ(std::get<ReferenceKernel>(same.reference).source.text, "naive");
  EXPECT_EQ(std::get<ReferenceKernel>(same.reference).geometry.work_group[0].text, "block");
  const KernelSpec own = parse({.rest = reference + "global = \"n\"\nlocal = 16"});
  EXPECT_EQ(std::get<ReferenceKernel>(own.reference).geometry.work_group[0].text, "16");
}

TEST_F(TomlSpec, ReadsReferenceData) {
  write("c.npy", "");
  const KernelSpec spec = parse({.arguments = R"({ name = "c", type = "float*", length = "n", access = "write" })",
                                 .rest = "[reference]\noutputs = { c = \"c.npy\" }"});
  const auto& outputs = std::get<ReferenceData>(spec.reference).outputs;
  ASSERT_EQ(outputs.size(), 1U);
  EXPECT_EQ(outputs[0].first, "c");
  EXPECT_EQ(outputs[0].second, path("c.npy"));
}

TEST_F(TomlSpec, ReadsConstraintsOnResources) {
  const KernelSpec spec = parse({.rest = "[search]\nresource_constraints = [\"registers <= 64\",\n  \"spills == 0\"]"});
  ASSERT_EQ(spec.resource_constraints.size(), 2U);
  EXPECT_EQ(spec.resource_constraints[0].text, "registers <= 64");
  EXPECT_EQ(spec.resource_constraints[1].text, "spills == 0");
  EXPECT_EQ(to_string(spec.resource_constraints[1].position), path("spec.toml").string() + ":15:4");
}

TEST_F(TomlSpec, PointsIntoConstraints) {
  const KernelSpec spec = parse({.rest = "[search]\nconstraints = [ \"block > 1\",\n  '''\nblock < 999''' ]"});
  // [search] is line 13.
  EXPECT_EQ(to_string(spec.constraints[0].position), path("spec.toml").string() + ":14:18");
  EXPECT_EQ(to_string(spec.constraints[1].position), path("spec.toml").string() + ":16:1");
}

TEST_F(TomlSpec, AcceptsAByteOrderMarkAndCarriageReturns) {
  std::string text = Sections{.rest = "[search]\nconstraints = [\"block > 1\"]"}.text();
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2) text.insert(at, 1, '\r');
  const KernelSpec spec = parse_text("\xEF\xBB\xBF" + text);
  EXPECT_EQ(spec.constraints[0].position.line, 14);
  EXPECT_EQ(spec.constraints[0].position.column, 17);
}

TEST_F(TomlSpec, LeavesTheTextEmptyWhenTheKernelMayBeMissing) {
  std::filesystem::remove(path("add.cl"));
  const Result<KernelSpec> spec = parse_toml(Sections().text(), path("spec.toml"), SourcePolicy::optional);
  ASSERT_TRUE(spec) << spec.error().to_string();
  EXPECT_EQ(spec->source.text, "");
  EXPECT_EQ(spec->arguments.size(), 1U);
}

TEST_F(TomlSpec, TheStartingPointParsesAndNamesItsKernel) {
  const Template start = starting_point("mine");
  write("mine.cl", start.opencl_kernel);
  write("mine.cu", start.cuda_kernel);
  write("mine_reference.cc", start.reference);
  const Result<KernelSpec> spec = load(write("mine.toml", start.spec));
  ASSERT_TRUE(spec) << spec.error().to_string();
  EXPECT_EQ(spec->name, "mine");
  EXPECT_NE(spec->source.text.find("__kernel void " + spec->source.function), std::string::npos);
  ASSERT_EQ(spec->alternatives.size(), 1u);
  const std::string& cuda = spec->alternatives.front().text;
  EXPECT_NE(cuda.find("__global__ void " + spec->source.function), std::string::npos);
  EXPECT_TRUE(start.reference.ends_with("\n}\n")) << start.reference;
  EXPECT_NE(start.reference.find("\nextern \"C\" void reference("), std::string::npos) << "without stray indents";
  for (const Parameter& parameter : spec->parameters) {
    EXPECT_NE(spec->source.text.find(parameter.name), std::string::npos) << parameter.name;
    EXPECT_NE(cuda.find(parameter.name), std::string::npos) << parameter.name;
  }
}

}  // namespace
}  // namespace wattune::spec
