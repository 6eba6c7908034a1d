// Document: a parsed TOML or JSON text. Both give the same tree, in the order of the file. The tree has the place of
// every key and value, so that the code that reads it can point at errors.
//
// Table is typed access to one table of a document; its errors name the table, the key and the place.
//
//   WATTUNE_ASSIGN(Document document, Document::from_toml(text, "gemm.toml"));
//   WATTUNE_ASSIGN(Table kernel, Table::of(document, *document.root().find("kernel"), "[kernel]"));
//   WATTUNE_TRY(kernel.allow_only({"file", "function"}));
//   WATTUNE_ASSIGN(std::string file, kernel.required_string("file"));
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wattune/core/kernel_spec.h"
#include "wattune/core/result.h"
#include "wattune/core/value.h"

namespace wattune::inline v0_1::spec {

// A line and column, counted from 1.
struct Place {
  int line = 1;
  int column = 1;
};

// Returns the position of a place in a file. toml++ gives 0 for a line or column that it does not know.
inline SourcePosition position_at(const std::filesystem::path& file, Place place) {
  return place.line > 0 ? SourcePosition{file.string(), place.line, place.column} : SourcePosition{file.string()};
}

struct Node {
  enum class Kind { null, scalar, list, table };
  struct Member;

  Kind kind = Kind::null;
  Value scalar;
  std::vector<Node> elements;
  std::vector<Member> members;
  Place place;    // place of the first character
  Place content;  // for a string, the place of its first character inside the quotes

  bool is_string() const { return kind == Kind::scalar && scalar.kind() == Value::Kind::string; }
  bool is_integer() const { return kind == Kind::scalar && scalar.kind() == Value::Kind::integer; }
  bool is_number() const { return is_integer() || (kind == Kind::scalar && scalar.kind() == Value::Kind::real); }
  // Returns the value of a key; nullptr if the key is absent.
  const Node* find(std::string_view key) const;
  // Returns a text for messages: that of a scalar, or the kind of any other node ("a table").
  std::string to_string() const;
};

struct Node::Member {
  std::string key;
  Place place;
  Node value;
};

class Document {
 public:
  // Parses a text. Fails with parse_error.
  static Result<Document> from_toml(std::string_view text, const std::filesystem::path& file);
  static Result<Document> from_json(std::string_view text, const std::filesystem::path& file);

  const Node& root() const { return root_; }
  const std::filesystem::path& file() const { return file_; }
  SourcePosition position(Place place) const { return position_at(file_, place); }
  // Returns the error "`message`: `the node`", at the place of the node.
  Error error(const Node& node, std::string message, ErrorCode code = ErrorCode::invalid_argument) const;

  // Converts a node; `what` names it in the error. Fails with invalid_argument.
  Result<std::string> string(const Node& node, const std::string& what) const;
  Result<double> number(const Node& node, const std::string& what) const;  // must be finite
  // Converts a number. Accepts also a number that is not finite, and a number in the form of a text, since JSON has no
  // numbers that are not finite. A number from 2^63 to 2^64 - 1 becomes a text of its digits.
  Result<Value> any_number(const Node& node, const std::string& what) const;
  Result<std::int64_t> integer(const Node& node, const std::string& what) const;
  Result<bool> boolean(const Node& node, const std::string& what) const;
  Result<ExpressionText> expression(const Node& node, const std::string& what) const;  // accepts a string or an integer
  Result<ExpressionText> value_expression(const Node& node, const std::string& what) const;  // accepts any scalar
  Result<std::vector<std::string>> strings(const Node& node, const std::string& what) const;

 private:
  Document(std::filesystem::path file, Node root) : file_(std::move(file)), root_(std::move(root)) {}

  std::filesystem::path file_;
  Node root_;
};

// A view of a table. The document must outlive the view.
class Table {
 public:
  // Makes a view. Fails with invalid_argument if the node is not a table. `name` is for messages: "[kernel]".
  static Result<Table> of(const Document& document, const Node& node, std::string name);

  const Document& document() const { return *document_; }
  const Node& node() const { return *node_; }
  const std::string& name() const { return name_; }
  const Node* find(std::string_view key) const { return node_->find(key); }

  // Checks that the table has no other keys than these. Fails if it has one, and suggests the nearest of these keys.
  Result<void> allow_only(const std::vector<std::string>& keys) const;
  // Checks that no key of the table looks like a misspelt one of `keys`. Fails if one does. Other unknown keys are
  // allowed, because formats may be extended.
  Result<void> refuse_misspelt(const std::vector<std::string>& keys) const;

  Result<const Node*> required(std::string_view key) const;
  Result<std::string> required_string(std::string_view key) const;
  Result<ExpressionText> required_expression(std::string_view key) const;
  // Returns the value of a key that may be absent. If it is absent, strings() returns an empty list, and the others
  // return nullopt.
  Result<std::optional<std::string>> string(std::string_view key) const;
  Result<std::optional<double>> number(std::string_view key) const;
  Result<std::optional<std::int64_t>> integer(std::string_view key) const;
  Result<std::optional<bool>> boolean(std::string_view key) const;
  Result<std::vector<std::string>> strings(std::string_view key) const;
  // Returns a table inside this one; nullopt if it is absent.
  Result<std::optional<Table>> table(std::string_view key, std::string name) const;

  // Returns "`key` of [kernel]".
  std::string describe(std::string_view key) const;

 private:
  Table(const Document& document, const Node& node, std::string name)
      : document_(&document), node_(&node), name_(std::move(name)) {}

  const Document* document_;
  const Node* node_;
  std::string name_;
};

}  // namespace wattune::spec
