// Unpacks gzip by ISA-L, member after member. Blocked gzip (BGZF) is unpacked by several threads.
#pragma once

#include <isa-l/igzip_lib.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace shoal {

inline constexpr std::string_view gzip_magic = "\x1f\x8b";

class Gzip {
 public:
  // Reads packed bytes; returns fewer than were asked for only at the end of the file.
  using ReadPacked = std::function<std::size_t(char* out, std::size_t size)>;

  // name: of the file, for messages.
  Gzip(std::string name, ReadPacked read_packed);

  // Fills `out` as far as there are bytes; returns less than size only at the end. Throws InputError for data that are
  // damaged or truncated, after all bytes before the fault were returned. The bytes do not depend on `threads`.
  std::size_t read(char* out, std::size_t size, unsigned threads);

 private:
  // A member of blocked gzip: at most 64 KiB, packed and unpacked. Its header tells its packed size.
  struct Block {
    std::size_t first = 0, size = 0;  // in packed_
    std::size_t unpacked = 0;         // bytes in its part of unpacked_
    int status = ISAL_DECOMP_OK;
  };

  bool refill(std::size_t size);
  bool take_blocks(unsigned threads);
  std::size_t read_blocks(char* out, std::size_t size);
  std::size_t read_member(char* out, std::size_t size);
  [[noreturn]] void refuse(int status) const;

  std::string name_;
  ReadPacked read_packed_;
  std::vector<char> packed_;
  std::size_t begin_ = 0, end_ = 0;  // packed bytes that are not used yet
  std::unique_ptr<inflate_state> state_;
  bool at_end_ = false;  // of the file: nothing is left but packed_
  bool inside_member_ = false;
  std::vector<Block> blocks_;
  std::vector<char> unpacked_;            // one part of 64 KiB for each block
  std::size_t block_ = 0, in_block_ = 0;  // what read() returns next
};

}  // namespace shoal
