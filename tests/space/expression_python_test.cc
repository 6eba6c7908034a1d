// Compares evaluate() with Python 3, by the table that data/make_python_semantics.py wrote.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "source_dir.h"
#include "space/interface/expression.h"

namespace wattune::inline v0_1::space {
namespace {

struct Row {
  int line = 0;
  std::string expression;
  std::map<std::string, Value, std::less<>> bindings;
  std::string result;
};

std::vector<std::string> split(const std::string& text, const std::string& separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find(separator, begin)) != std::string::npos; begin = end + separator.size()) {
    parts.push_back(text.substr(begin, end - begin));
  }
  parts.push_back(text.substr(begin));
  return parts;
}

// Parses the output of Python's repr(), without Expression, which is under test.
Value parse_repr(const std::string& text) {
  if (text == "True" || text == "False") return Value(text == "True");
  if (text[0] == '\'' || text[0] == '"') {
    std::string content;
    for (std::size_t i = 1; i + 1 < text.size(); ++i) {
      if (text[i] == '\\') ++i;
      content += text[i];
    }
    return Value(content);
  }
  std::int64_t integer = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), integer);
  if (parsed.ec == std::errc{} && parsed.ptr == text.data() + text.size()) return Value(integer);
  return Value(std::strtod(text.c_str(), nullptr));
}

std::vector<Row> read_table() {
  std::ifstream file(WATTUNE_SOURCE_DIR "/tests/space/data/python_semantics.txt");
  std::vector<Row> rows;
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> fields = split(line, "\t");
    Row row{static_cast<int>(rows.size()) + 1, fields.at(0), {}, fields.at(2)};
    for (const std::string& binding : split(fields[1], "; ")) {
      if (const std::size_t equals = binding.find('='); equals != std::string::npos) {
        row.bindings.emplace(binding.substr(0, equals), parse_repr(binding.substr(equals + 1)));
      }
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

Result<Value> evaluate(const Row& row) {
  WATTUNE_ASSIGN(const Expression expression, Expression::parse(row.expression));
  return expression.evaluate([&](std::string_view name) {
    const auto found = row.bindings.find(name);
    return found == row.bindings.end() ? nullptr : &found->second;
  });
}

// Tells whether type and value agree, bit for bit: 1 is not 1.0 nor True, and 0.0 is not -0.0.
bool identical(const Value& a, const Value& b) {
  if (a.kind() != b.kind()) return false;
  if (a.kind() != Value::Kind::real) return a == b;
  if (std::isnan(a.as_real())) return std::isnan(b.as_real());
  return a.as_real() == b.as_real() && std::signbit(a.as_real()) == std::signbit(b.as_real());
}

std::string outcome(const Result<Value>& result) {
  if (result) return result->to_string();
  switch (result.error().code()) {
    case ErrorCode::out_of_range: return "overflow";
    case ErrorCode::invalid_argument: return "error";
    default: return result.error().to_string();  // no line of the table should lead here
  }
}

TEST(PythonSemantics, EveryExpressionGivesTypeAndValueOfPython) {
  const std::vector<Row> rows = read_table();
  ASSERT_GT(rows.size(), 600U);
  for (const Row& row : rows) {
    const Result<Value> result = evaluate(row);
    SCOPED_TRACE(fmt::format("python_semantics.txt:{}: {}", row.line, row.expression));
    if (!result || row.result == "overflow" || row.result == "error") {
      EXPECT_EQ(outcome(result), row.result);
    } else {
      EXPECT_TRUE(identical(*result, parse_repr(row.result))) << result->to_string() << " is not " << row.result;
    }
  }
}

}  // namespace
}  // namespace wattune::space
