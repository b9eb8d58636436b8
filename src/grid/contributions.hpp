// What one unit (a person, a device) adds to the counts, so that its influence is bounded. Raw side.
//
// Privacy: what counts of a unit is a function of the key and of that unit's own records in cells, in whatever order
// and blocks they came. The key is drawn before any record is read. So with any key, two datasets that differ by one
// unit's presence have counts that differ by what that unit adds alone: at most its maximum in all. A release
// that is epsilon-private when that much comes or goes is epsilon-private for the unit, for every key and so for a
// random one. Nothing here rests on the hash or on the key's secrecy: they only make the choice even.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/uniform_source.hpp"
#include "grid/point_table.hpp"
#include "grid/xxhash64.hpp"
#include "shoal/counts.hpp"
#include "shoal/grid.hpp"
#include "shoal/points.hpp"

namespace shoal {

// 128 random bits: 32 lower-case hexadecimal digits.
struct ContributionKey {
  std::array<char, 32> digits;
  static ContributionKey draw(UniformSource& random);
};

// Orders the records of a unit. Records of a unit in the same cell are interchangeable: they are copies 1, 2, 3, ...
//   rank(cell, copy, unit) = xxhash64(KEY, unit, cell, copy), as Spark has it: XXH64 of each in turn, seeded with the
//   hash before it, the first with 42; a signed number.
// KEY: its digits; unit: the bytes of its key (unit_key()); cell: the number of the cell in the grid on which the
// points are counted, last axis fastest, from 0; cell and copy as 8 bytes, the lowest first.
class RecordRank {
 public:
  explicit RecordRank(const ContributionKey& key) : seed_(Xxhash64::of({key.digits.data(), key.digits.size()}, 42)) {}

  class OfUnit {
   public:
    std::int64_t operator()(std::uint64_t cell, std::uint64_t copy) const noexcept {
      return static_cast<std::int64_t>(Xxhash64::of(copy, Xxhash64::of(cell, seed_)));
    }

   private:
    friend class RecordRank;
    explicit OfUnit(std::uint64_t seed) : seed_(seed) {}
    std::uint64_t seed_;
  };
  [[nodiscard]] OfUnit of(std::string_view unit) const noexcept { return OfUnit(Xxhash64::of(unit, seed_)); }

 private:
  std::uint64_t seed_;
};

// How many records of a unit lie in a cell, or count there.
struct UnitCell {
  std::uint64_t cell;
  std::uint64_t count;
  friend bool operator==(const UnitCell&, const UnitCell&) = default;
};

// At most `most` records of a unit: all of them, or those of the smallest rank; equal ranks by cell, then by copy.
// Every choice of so many of its records is equally likely.
class KeptRecords {
 public:
  struct Record {
    std::int64_t rank;
    std::uint64_t cell, copy;
    friend auto operator<=>(const Record&, const Record&) = default;
  };

  // Refuses most = 0.
  KeptRecords(std::uint64_t most, const ContributionKey& key);
  // cells: ascending, each once. None: the unit has no more than it may keep.
  std::span<const Record> choose(std::string_view unit, std::span<const UnitCell> cells);
  // The same in place.
  void operator()(std::string_view unit, std::vector<UnitCell>& cells);

 private:
  std::uint64_t most_;
  RecordRank rank_;
  std::vector<Record> kept_;  // a heap, the largest first
};

// All records of a unit share one weight of so many parts: each cell gets its records' share of them, rounded down, and
// the parts that are left go one each to the cells of the largest remainders; of equal remainders to those of the
// smallest rank(cell, 0, unit), then to the first. So a unit adds `parts` in all, whatever it has.
class SharedWeight {
 public:
  SharedWeight(std::uint64_t parts, const ContributionKey& key);
  // In place: from records to parts. cells: ascending, each once.
  void operator()(std::string_view unit, std::vector<UnitCell>& cells);

 private:
  struct Remainder {
    std::uint64_t remainder;
    std::int64_t rank;
    std::uint64_t cell;
    std::size_t place;
  };
  std::uint64_t parts_;
  RecordRank rank_;
  std::vector<Remainder> remainders_;
};

// At most `most` of a unit's groups: those of the smallest rank(group, 2^64 - 1, unit), which no record has; of equal
// ranks the first. Every choice of so many is equally likely, however many records a group holds.
class KeptGroups {
 public:
  // Refuses most = 0.
  KeptGroups(std::uint64_t most, const ContributionKey& key);
  // In place. groups: ascending, each once.
  void operator()(std::string_view unit, std::vector<std::uint64_t>& groups);

 private:
  std::uint64_t most_;
  RecordRank rank_;
  std::vector<std::pair<std::int64_t, std::uint64_t>> ranked_;
};

// What a unit adds: at most so many records, or all of them as shares of one weight. With groups, that much in each of
// at most max_groups of them, and nothing in the others.
struct Contribution {
  std::uint64_t most = 1;
  std::uint64_t parts = 1;        // above 1: of a weight that the records share
  std::uint64_t group_cells = 0;  // above 0: so many cells of the grid, one behind the other, are a group
  std::uint64_t max_groups = 1;
};

// From what a unit has to what it adds.
class BoundedUnit {
 public:
  BoundedUnit(const Contribution& contribution, const ContributionKey& key);
  // In place. cells: ascending, each once.
  void operator()(std::string_view unit, std::vector<UnitCell>& cells);

 private:
  void bound(std::string_view unit, std::vector<UnitCell>& cells);
  Contribution contribution_;
  KeptRecords keep_;
  SharedWeight spread_;
  KeptGroups groups_;
  std::vector<std::uint64_t> chosen_;
  std::vector<UnitCell> part_, all_;
};

// What units add to each cell, in records or in parts of a weight. Points in no cell are nobody's: they take no place.
// Reads the points once. Refuses an empty unit of a point in a cell, and points without units. Memory: 8 bytes for
// every cell that a unit has records in (16 on grids of more than 2^32 cells), at most twice that while points are
// read; 22 to 43 bytes a unit, and the bytes of keys longer than 8. Nothing is written to disk.
Counts bounded_counts(Points& points, const Grid& grid, const QuantizeOptions& options,
                      const Contribution& contribution, const ContributionKey& key);
// Of collect_units(): there a unit's key is its number.
Counts bounded_counts(const PointTable& rows, const Grid& grid, const QuantizeOptions& options,
                      const Contribution& contribution, const ContributionKey& key);

// The same counts in parts, every record a weight of so many.
Counts in_parts(const Counts& counts, std::uint64_t parts);

// The points that are kept, by the same choice: copies in a cell are numbered by their coordinates. In memory.
// Where a weight is shared, each row has its parts: those of its cell, as evenly as whole parts can be, the first
// copies one more; rows without any are left out. Quantized, they give what bounded_counts gives.
PointTable bounded_points(Points& points, const Grid& grid, Outside outside, const Contribution& contribution,
                          const ContributionKey& key);
// Of collect_units(): there a unit's key is its number.
PointTable bounded_points(const PointTable& rows, const Grid& grid, const Contribution& contribution,
                          const ContributionKey& key);

}  // namespace shoal
