// A ledger in whose file any bytes are changed: refused, or it tells the entries that it held, but for some off its
// end. The bytes are changes: a place (three bytes), a length (one byte) and new bytes. From a place past the end on,
// the file is cut there.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

#include "shoal/error.hpp"
#include "shoal/ledger.hpp"

namespace {

namespace fs = std::filesystem;

struct Contents {
  std::vector<std::string> accounts, debits;
};

Contents contents_of(const std::string& path) {
  const shoal::Ledger ledger(path);
  Contents contents;
  for (const auto& account : ledger.accounts()) contents.accounts.push_back(account.dataset + ' ' + account.cap.text());
  for (const auto& entry : ledger.history()) {
    contents.debits.push_back(std::to_string(entry.id) + entry.dataset + ' ' + entry.epsilon.text() + ' ' +
                              entry.purpose);
  }
  return contents;
}

// In memory where the system has such a place. A process has a folder of its own, which goes when it ends.
struct Ledgers {
  fs::path folder;
  std::string path;
  std::string bytes;
  Contents contents;

  Ledgers() {
    const fs::path parent = fs::is_directory("/dev/shm") ? fs::path("/dev/shm") : fs::temp_directory_path();
    std::string name = (parent / "shoal_fuzz_XXXXXX").string();
    folder = ::mkdtemp(name.data());
    path = (folder / "ledger").string();
    shoal::Ledger::create(path, "visits", shoal::Epsilon::parse("2"));
    shoal::Ledger::create(path, "b", shoal::Epsilon::parse("0.5"));
    shoal::Ledger ledger(path);
    ledger.debit("visits", shoal::Epsilon::parse("0.25"), "release privwave");
    ledger.debit("b", shoal::Epsilon::parse("0.1"), "synthesize");
    ledger.debit("visits", shoal::Epsilon::parse("1"), "release privqt");
    contents = contents_of(path);
    std::ifstream file(path, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(file), {});
  }
  ~Ledgers() { fs::remove_all(folder); }
  Ledgers(const Ledgers&) = delete;
  Ledgers& operator=(const Ledgers&) = delete;
};

bool starts_with(const std::vector<std::string>& all, const std::vector<std::string>& first) {
  return first.size() <= all.size() && std::equal(first.begin(), first.end(), all.begin());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Ledgers original;
  std::string changed = original.bytes;
  for (std::string_view edits(reinterpret_cast<const char*>(data), size); edits.size() > 4;) {
    const auto byte = [&edits](std::size_t i) { return static_cast<unsigned char>(edits[i]); };
    const std::size_t place = (byte(0) | byte(1) << 8U | byte(2) << 16U) % (original.bytes.size() + 4096);
    const std::string_view text = edits.substr(4, byte(3));
    edits.remove_prefix(4 + text.size());
    if (place >= changed.size()) {
      changed.resize(place % original.bytes.size());
    } else {
      changed.replace(place, std::min(text.size(), changed.size() - place), text, 0, changed.size() - place);
    }
  }
  std::ofstream(original.path, std::ios::binary | std::ios::trunc) << changed;
  for (const char* beside : {"-journal", "-wal", "-shm"}) fs::remove(original.path + beside);
  try {
    const Contents contents = contents_of(original.path);
    if (starts_with(original.contents.accounts, contents.accounts) &&
        starts_with(original.contents.debits, contents.debits))
      return 0;
  } catch (const shoal::Error&) {
    return 0;
  }
  std::fputs("a ledger whose bytes were changed tells other entries\n", stderr);
  std::abort();
}
