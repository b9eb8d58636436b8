#include "engines/one_schema.hpp"

#include <fmt/format.h>

#include "points/arrow_columns.hpp"
#include "points/csv_layout.hpp"
#include "shoal/error.hpp"

namespace shoal {

namespace {

struct DeclaredColumn {
  std::string name, type;
  friend bool operator==(const DeclaredColumn&, const DeclaredColumn&) = default;
};

struct DeclaredFile {
  std::string name;
  std::vector<DeclaredColumn> columns;
};

constexpr const char* as_written = "; write all files of a pattern with the same columns and types";

[[noreturn]] void refuse(const DeclaredFile& first, const DeclaredFile& other) {
  const std::string files = fmt::format("{} and {}", quoted_excerpt(first.name), quoted_excerpt(other.name));
  for (std::size_t i = 0; i < std::min(first.columns.size(), other.columns.size()); ++i) {
    const auto& [name, type] = first.columns[i];
    const auto& [other_name, other_type] = other.columns[i];
    if (name != other_name) {
      throw InputError(fmt::format("{} differ: column {} is {} in the first and {} in the second{}", files, i + 1,
                                   quoted_excerpt(name), quoted_excerpt(other_name), as_written));
    }
    if (type != other_type) {
      throw InputError(fmt::format("{} differ: column {} is {} in the first and {} in the second{}", files,
                                   quoted_excerpt(name), type, other_type, as_written));
    }
  }
  throw InputError(fmt::format("{} differ: the first has {} columns and the second {}{}", files, first.columns.size(),
                               other.columns.size(), as_written));
}

// Takes the files' columns one by one, file after file.
class Comparison {
 public:
  void add(std::string_view file, std::string_view name, std::string_view type) {
    if (files_ == 0 || current_.name != file) {
      end_file();
      current_ = {std::string(file), {}};
      ++files_;
    }
    current_.columns.push_back({std::string(name), std::string(type)});
  }
  void end_file() {
    if (files_ == 1) first_ = std::move(current_);
    if (files_ > 1 && current_.columns != first_.columns) refuse(first_, current_);
  }

 private:
  std::size_t files_ = 0;
  DeclaredFile first_, current_;
};

}  // namespace

void check_one_schema(EngineSession& session, const EngineInput& input) {
  if (input.kind != EngineInput::Kind::parquet) return;
  const bool several =
      input.remote ? input.place.find_first_of("*?[") != std::string::npos : engine_files(input.place).size() > 1;
  if (!several) return;
  // Row 0 of a file is the table as a whole. A nested column is several rows.
  EngineResult declared(
      session, fmt::format("select file_name, name, "
                           "case when repetition_type = 'REPEATED' then 'list of ' else '' end || "
                           "coalesce(duckdb_type, converted_type, 'nested') || coalesce(' of ' || num_children, '') "
                           "from parquet_schema({}) where column_id > 0 order by file_name, column_id",
                           file_list(input)));
  declared.execute();
  Comparison comparison;
  ArrowArray batch{};
  while (declared.next(batch)) {
    const auto text = [&](std::size_t i, std::int64_t row) {
      const ArrowArray& array = *batch.children[i];
      const ArrowColumn column{*declared.schema().children[i], array, array.offset + batch.offset, batch.length};
      return column.is_null(row) ? std::string_view{} : arrow_text(column, row);
    };
    try {
      for (std::int64_t row = 0; row < batch.length; ++row) comparison.add(text(0, row), text(1, row), text(2, row));
    } catch (...) {
      batch.release(&batch);
      throw;
    }
    batch.release(&batch);
  }
  comparison.end_file();
}

}  // namespace shoal
