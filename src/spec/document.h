// Document: a parsed TOML or JSON text. One tree for both, in the order of the file, with the place of every key and
// value, so that the readers above it can point at what is wrong.
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

namespace wattune::spec {

// Line and column, counted from 1.
struct Place {
  int line = 1;
  int column = 1;
};

struct Node {
  enum class Kind { null, scalar, list, table };
  struct Member;

  Kind kind = Kind::null;
  Value scalar;
  std::vector<Node> elements;
  std::vector<Member> members;
  Place place;    // of the first character
  Place content;  // the same, but inside the quotes of a string

  bool is_string() const { return kind == Kind::scalar && scalar.kind() == Value::Kind::string; }
  bool is_integer() const { return kind == Kind::scalar && scalar.kind() == Value::Kind::integer; }
  bool is_number() const { return is_integer() || (kind == Kind::scalar && scalar.kind() == Value::Kind::real); }
  // The value of a key, or nullptr.
  const Node* find(std::string_view key) const;
  // For messages: the scalar itself, otherwise what it is.
  std::string to_string() const;
};

struct Node::Member {
  std::string key;
  Place place;
  Node value;
};

class Document {
 public:
  // parse_error.
  static Result<Document> from_toml(std::string_view text, const std::filesystem::path& file);
  static Result<Document> from_json(std::string_view text, const std::filesystem::path& file);

  const Node& root() const { return root_; }
  const std::filesystem::path& file() const { return file_; }
  SourcePosition position(Place place) const { return {file_.string(), place.line, place.column}; }
  // "`message`: `the node`", at the node.
  Error error(const Node& node, std::string message, ErrorCode code = ErrorCode::invalid_argument) const;

  // Conversions of one node; `what` names it in the error. invalid_argument.
  Result<std::string> string(const Node& node, const std::string& what) const;
  Result<double> number(const Node& node, const std::string& what) const;  // finite
  Result<std::int64_t> integer(const Node& node, const std::string& what) const;
  Result<bool> boolean(const Node& node, const std::string& what) const;
  Result<ExpressionText> expression(const Node& node, const std::string& what) const;        // a string or an integer
  Result<ExpressionText> value_expression(const Node& node, const std::string& what) const;  // any scalar
  Result<std::vector<std::string>> strings(const Node& node, const std::string& what) const;

 private:
  Document(std::filesystem::path file, Node root) : file_(std::move(file)), root_(std::move(root)) {}

  std::filesystem::path file_;
  Node root_;
};

// A view: the document outlives it.
class Table {
 public:
  // invalid_argument when the node is not a table. `name` is for messages: "[kernel]".
  static Result<Table> of(const Document& document, const Node& node, std::string name);

  const Document& document() const { return *document_; }
  const Node& node() const { return *node_; }
  const std::string& name() const { return name_; }
  const Node* find(std::string_view key) const { return node_->find(key); }

  // Refuses every other key, naming the nearest of these.
  Result<void> allow_only(const std::vector<std::string>& keys) const;
  // Refuses keys that look like one of these misspelt; other unknown keys are extensions of the format.
  Result<void> refuse_misspelt(const std::vector<std::string>& keys) const;

  Result<const Node*> required(std::string_view key) const;
  Result<std::string> required_string(std::string_view key) const;
  Result<ExpressionText> required_expression(std::string_view key) const;
  // Nothing when the key is absent; no strings for strings().
  Result<std::optional<std::string>> string(std::string_view key) const;
  Result<std::optional<double>> number(std::string_view key) const;
  Result<std::optional<std::int64_t>> integer(std::string_view key) const;
  Result<std::optional<bool>> boolean(std::string_view key) const;
  Result<std::vector<std::string>> strings(std::string_view key) const;
  // A table inside this one.
  Result<std::optional<Table>> table(std::string_view key, std::string name) const;

  // "`key` of [kernel]".
  std::string describe(std::string_view key) const;

 private:
  Table(const Document& document, const Node& node, std::string name)
      : document_(&document), node_(&node), name_(std::move(name)) {}

  const Document* document_;
  const Node* node_;
  std::string name_;
};

}  // namespace wattune::spec
