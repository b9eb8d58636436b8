// Text in pieces, to a file that appears whole or not at all, or to standard output ("-").
#pragma once

#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include "base/files.hpp"
#include "shoal/error.hpp"

namespace shoal::cli {

class RowWriter {
 public:
  explicit RowWriter(const std::string& path) {
    if (path != "-") file_.emplace(path);
  }

  void write(std::string_view text) {
    if (file_) {
      file_->write(text);
    } else if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) {
      throw InputError("cannot write to standard output; was the reader closed?");
    }
  }

  void finish() {
    if (file_) {
      file_->commit();
    } else if (std::fflush(stdout) != 0) {
      throw InputError("cannot write to standard output; was the reader closed?");
    }
  }

 private:
  std::optional<PendingFile> file_;
};

}  // namespace shoal::cli
