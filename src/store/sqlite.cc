// Stores runs in a database of SQLite (docs/formats/sqlite.md). Each run and each Trial is stored twice. Wattune reads
// it as JSON in the form of results.json. People can query it in columns.
#include <fmt/format.h>
#include <sqlite3.h>

#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "core/interface/printable.h"
#include "store/interface/files.h"
#include "store/limits.h"
#include "store/results_json.h"
#include "store/sqlite.h"
#include "wattune/store/formats.h"

namespace wattune::inline v0_1::store {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic("SQLite format 3\0", 16);
constexpr std::int64_t kApplication = 0x57415454;  // the bytes "WATT"
constexpr std::int64_t kSchemaVersion = 1;
constexpr int kLongestWaitMs = 10'000;

constexpr const char* kRunsTable =
    "CREATE TABLE runs(id INTEGER PRIMARY KEY, kernel TEXT NOT NULL, device TEXT NOT NULL, "
    "problem_size TEXT NOT NULL, started_at TEXT NOT NULL, run TEXT NOT NULL UNIQUE)";
constexpr const char* kTrialsTable =
    "CREATE TABLE trials(run INTEGER NOT NULL REFERENCES runs(id), number INTEGER NOT NULL, status TEXT NOT NULL, "
    "time_ns REAL, objective REAL, configuration TEXT NOT NULL, trial TEXT NOT NULL, PRIMARY KEY(run, number))";

ErrorCode code_of(int status) {
  switch (status & 0xFF) {
    case SQLITE_BUSY: return ErrorCode::busy;
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
    case SQLITE_TOOBIG: return ErrorCode::parse_error;
    default: return ErrorCode::io_error;
  }
}

struct Close {
  void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
};
struct Finalize {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};

// An open database. Its errors contain the name of the file and the message of SQLite.
class Database {
 public:
  enum class Mode {
    write = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
    read = SQLITE_OPEN_READWRITE,  // writable if possible, because only writers remove leftovers of the log
    read_unchanging = SQLITE_OPEN_READONLY
  };

  static Result<Database> open(const fs::path& file, Mode mode) {
    Database opened(file);
    const std::string name = uri_of(file, mode == Mode::read_unchanging);
    sqlite3* handle = nullptr;
    const int status = sqlite3_open_v2(name.c_str(), &handle, static_cast<int>(mode) | SQLITE_OPEN_URI, nullptr);
    opened.handle_.reset(handle);
    if (status != SQLITE_OK) return opened.error(status);
    opened.distrust();
    return opened;
  }

  Error error(int status) const {
    return Error(code_of(status), fmt::format("{}: {}", file_.string(), printable(sqlite3_errmsg(handle_.get()))));
  }
  Error refuse(std::string why) const { return Error(ErrorCode::parse_error, std::move(why)).at({file_.string()}); }
  Result<void> execute(const char* sql) const {
    const int status = sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr);
    return status == SQLITE_OK ? Result<void>() : error(status);
  }
  sqlite3* handle() const { return handle_.get(); }
  const fs::path& file() const { return file_; }

 private:
  explicit Database(fs::path file) : file_(std::move(file)) {}

  // Returns the file's path as a URI, with %, ? and # escaped.
  static std::string uri_of(const fs::path& file, bool unchanging) {
    std::string uri = "file:";
    for (const char each : fs::absolute(file).string()) {
      if (each == '%' || each == '?' || each == '#')
        uri += fmt::format("%{:02X}", static_cast<unsigned char>(each));
      else
        uri += each;
    }
    return uri + (unchanging ? "?immutable=1" : "");
  }

  // Restricts the rights of the database, which may come from a stranger. Nothing in it may run code or use all memory.
  void distrust() const {
    sqlite3_busy_timeout(handle(), kLongestWaitMs);
    sqlite3_db_config(handle(), SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(handle(), SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_limit(handle(), SQLITE_LIMIT_LENGTH, static_cast<int>(kMaxLineBytes));
  }

  fs::path file_;
  std::unique_ptr<sqlite3, Close> handle_;
};

// A statement whose values are bound in order.
class Statement {
 public:
  static Result<Statement> prepare(const Database& database, const char* sql) {
    sqlite3_stmt* handle = nullptr;
    const int status = sqlite3_prepare_v2(database.handle(), sql, -1, &handle, nullptr);
    if (status != SQLITE_OK) return database.error(status);
    return Statement(database, handle);
  }

  void bind(std::string_view text) {
    sqlite3_bind_text64(handle_.get(), ++bound_, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  }
  void bind(std::int64_t number) { sqlite3_bind_int64(handle_.get(), ++bound_, number); }
  void bind(std::optional<double> number) {
    if (number)
      sqlite3_bind_double(handle_.get(), ++bound_, *number);
    else
      sqlite3_bind_null(handle_.get(), ++bound_);
  }

  // Steps to the next row. Returns true if there is a next row.
  Result<bool> step() {
    const int status = sqlite3_step(handle_.get());
    if (status == SQLITE_ROW) return true;
    return status == SQLITE_DONE ? Result<bool>(false) : database_->error(status);
  }
  std::int64_t integer(int column) const { return sqlite3_column_int64(handle_.get(), column); }
  std::string_view text(int column) const {
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(handle_.get(), column));
    return bytes == nullptr ? std::string_view() : std::string_view(bytes, length(column));
  }

 private:
  Statement(const Database& database, sqlite3_stmt* handle) : database_(&database), handle_(handle) {}
  std::size_t length(int column) const { return static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column)); }

  const Database* database_;
  std::unique_ptr<sqlite3_stmt, Finalize> handle_;
  int bound_ = 0;
};

// Runs a statement that gives no rows.
template <typename... Values>
Result<void> execute(const Database& database, const char* sql, const Values&... values) {
  WATTUNE_ASSIGN(Statement statement, Statement::prepare(database, sql));
  (statement.bind(values), ...);
  WATTUNE_TRY(statement.step());
  return {};
}

// Returns the number that a statement selects. Returns 0 if the statement gives no row.
template <typename... Values>
Result<std::int64_t> number_from(const Database& database, const char* sql, const Values&... values) {
  WATTUNE_ASSIGN(Statement statement, Statement::prepare(database, sql));
  (statement.bind(values), ...);
  WATTUNE_ASSIGN(const bool has_row, statement.step());
  return has_row ? statement.integer(0) : 0;
}

// Checks that the database's schema is literally that of Wattune. Otherwise a view in place of a table could compute
// for ever, and a trigger could write.
Result<void> check_schema(const Database& database) {
  WATTUNE_ASSIGN(const std::int64_t application, number_from(database, "PRAGMA application_id"));
  WATTUNE_ASSIGN(const std::int64_t version, number_from(database, "PRAGMA user_version"));
  if (application != kApplication) return database.refuse("a database, but none of Wattune's");
  if (version > kSchemaVersion)
    return database
        .refuse(fmt::format("the database has format {}, this Wattune reads up to {}", version, kSchemaVersion))
        .hint("use the Wattune that wrote it, or a newer one");
  WATTUNE_ASSIGN(const std::int64_t ours,
                 number_from(database, "SELECT count(*) FROM sqlite_schema WHERE sql IN (?, ?)",
                             std::string_view(kRunsTable), std::string_view(kTrialsTable)));
  WATTUNE_ASSIGN(const std::int64_t others,
                 number_from(database, "SELECT count(*) FROM sqlite_schema WHERE type IN ('trigger', 'view')"));
  return ours == 2 && others == 0 ? Result<void>() : database.refuse("the database has other tables than Wattune's");
}

Result<void> make_schema(const Database& database) {
  WATTUNE_ASSIGN(const std::int64_t tables, number_from(database, "SELECT count(*) FROM sqlite_schema"));
  WATTUNE_ASSIGN(const std::int64_t application, number_from(database, "PRAGMA application_id"));
  if (tables > 0 || application != 0) return check_schema(database);
  WATTUNE_TRY(database.execute(kRunsTable));
  WATTUNE_TRY(database.execute(kTrialsTable));
  WATTUNE_TRY(database.execute(fmt::format("PRAGMA application_id = {}", kApplication).c_str()));
  return database.execute(fmt::format("PRAGMA user_version = {}", kSchemaVersion).c_str());
}

Result<void> add_trial(const Database& database, std::int64_t run, std::int64_t number, const Trial& trial) {
  const Observation& observation = trial.observation;
  const std::optional<double> time =
      observation.ok() ? std::optional(observation.statistics->median.value()) : std::nullopt;
  const std::optional<double> objective =
      observation.has_objective() ? std::optional(observation.objective()) : std::nullopt;
  return execute(database, "INSERT INTO trials VALUES(?, ?, ?, ?, ?, ?, ?)", run, number, to_string(observation.status),
                 time, objective, configuration_text(trial.configuration), trial_text(trial));
}

// Adds a run. If the database has the run already, replaces the run's Trials, because the run's journal may have grown
// since.
Result<void> add_run(const Database& database, const ResultSet& results) {
  const std::string run = run_text(results.info);
  WATTUNE_ASSIGN(std::int64_t id, number_from(database, "SELECT id FROM runs WHERE run = ?", run));
  if (id == 0) {
    WATTUNE_TRY(execute(database, "INSERT INTO runs VALUES(NULL, ?, ?, ?, ?, ?)", results.info.kernel_name,
                        results.info.device.name, results.info.problem_size, format_timestamp(results.info.started_at),
                        run));
    id = sqlite3_last_insert_rowid(database.handle());
  }
  WATTUNE_TRY(execute(database, "DELETE FROM trials WHERE run = ?", id));
  for (std::size_t i = 0; i < results.trials.size(); ++i)
    WATTUNE_TRY(add_trial(database, id, static_cast<std::int64_t>(i), results.trials[i]));
  return {};
}

Result<void> add_runs(const Database& database, const std::vector<ResultSet>& runs) {
  WATTUNE_TRY(make_schema(database));
  for (const ResultSet& run : runs) WATTUNE_TRY(add_run(database, run));
  return database.execute("COMMIT");
}

// Returns a run of the database as a results.json document, so that the reader and the limits of that format apply.
Result<std::string> document_of(const Database& database, std::int64_t id, std::string_view run) {
  std::string text(run.substr(0, run.rfind('}')));
  text += ",\"trials\":[";
  WATTUNE_ASSIGN(Statement trials,
                 Statement::prepare(database, "SELECT trial FROM trials WHERE run = ? ORDER BY number"));
  trials.bind(id);
  for (const char* separator = "";; separator = ",") {
    WATTUNE_ASSIGN(const bool has_row, trials.step());
    if (!has_row) return text + "]}";
    text.append(separator).append(trials.text(0));
    if (text.size() > kMaxFileBytes) return database.refuse("a run holds more than 1 GiB");
  }
}

Result<std::vector<StoredRun>> read_runs(const Database& database) {
  WATTUNE_TRY(check_schema(database));
  WATTUNE_ASSIGN(Statement runs, Statement::prepare(database, "SELECT id, run FROM runs ORDER BY id"));
  std::vector<StoredRun> found;
  for (;;) {
    WATTUNE_ASSIGN(const bool has_row, runs.step());
    if (!has_row) return found;
    WATTUNE_ASSIGN(const std::string text, document_of(database, runs.integer(0), runs.text(1)));
    WATTUNE_ASSIGN(const Document document, parse_document(text, database.file()));
    WATTUNE_ASSIGN(ResultSet results, read_json(document, database.file()));
    found.push_back({runs.integer(0), std::move(results)});
  }
}

}  // namespace

bool looks_like_database(std::string_view beginning) { return beginning.starts_with(kMagic); }

// Adds runs with write-ahead logging, so that others can read meanwhile. On a file system that does not support such a
// log, SQLite writes without it, which is as safe.
Result<void> add_to_database(const fs::path& file, const std::vector<ResultSet>& runs) {
  WATTUNE_ASSIGN(const Database database, Database::open(file, Database::Mode::write));
  WATTUNE_TRY(number_from(database, "SELECT count(*) FROM sqlite_schema"));
  static_cast<void>(database.execute("PRAGMA journal_mode = WAL"));
  WATTUNE_TRY(database.execute("BEGIN IMMEDIATE"));
  return add_runs(database, runs);
}

// Loads all runs. In a read-only folder, a database cannot be locked, but it cannot be changed either.
Result<std::vector<StoredRun>> load_database(const fs::path& file) {
  WATTUNE_ASSIGN(const Database database, Database::open(file, Database::Mode::read));
  if (number_from(database, "SELECT count(*) FROM sqlite_schema")) return read_runs(database);
  WATTUNE_ASSIGN(const Database unchanging, Database::open(file, Database::Mode::read_unchanging));
  return read_runs(unchanging);
}

}  // namespace wattune::store
