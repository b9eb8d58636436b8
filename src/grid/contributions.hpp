// Bounds what one unit (a person, a device) adds to the counts. Raw side.
//
// Privacy: what a unit adds is a function of the key and of that unit's own records in cells, regardless of the order
// and the blocks in which they came. The key is drawn before any record is read. So with any key, the counts of two
// datasets that differ by one unit's presence differ only by what that unit adds: at most its maximum in total. A
// release that is epsilon-private when that much is added or removed is epsilon-private for the unit, for every key and
// so for a random one. This proof relies neither on the hash nor on the secrecy of the key: they only make the choice
// even.
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

// 128 random bits, as 32 lower-case hexadecimal digits.
struct ContributionKey {
  std::array<char, 32> digits;
  static ContributionKey draw(UniformSource& random);
};

// Orders the records of a unit. Records of a unit in the same cell are interchangeable: they are copies 1, 2, 3, ...
//   rank(cell, copy, unit) = xxhash64(KEY, unit, cell, copy), as Spark computes it: XXH64 of each argument in turn,
//   seeded with the hash of the one before, the first with 42. The rank is a signed number.
// KEY: the digits of the key. unit: the bytes of the unit's key (unit_key()). cell: the number of the cell in the grid
// on which the points are counted, last axis fastest, starting at 0. cell and copy are 8 bytes each, the lowest first.
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

// The number of records of a unit that lie in a cell, or that count there.
struct UnitCell {
  std::uint64_t cell;
  std::uint64_t count;
  friend bool operator==(const UnitCell&, const UnitCell&) = default;
};

// Keeps at most `most` records of a unit: all of them, or those with the smallest ranks (equal ranks by cell, then by
// copy). Every subset of `most` of its records is equally likely.
class KeptRecords {
 public:
  struct Record {
    std::int64_t rank;
    std::uint64_t cell, copy;
    friend auto operator<=>(const Record&, const Record&) = default;
  };

  // Throws if `most` is 0.
  KeptRecords(std::uint64_t most, const ContributionKey& key);
  // Returns the records to keep; empty if the unit has no more than `most`, so that all are kept. cells: ascending,
  // each once.
  std::span<const Record> choose(std::string_view unit, std::span<const UnitCell> cells);
  // The same, in place.
  void operator()(std::string_view unit, std::vector<UnitCell>& cells);

 private:
  std::uint64_t most_;
  RecordRank rank_;
  std::vector<Record> kept_;  // a heap with the largest record first
};

// Divides one weight of `parts` parts among all records of a unit. Each cell gets the share of its records, rounded
// down. The remaining parts go, one each, to the cells with the largest remainders; equal remainders are ordered by the
// smallest rank(cell, 0, unit), then by cell. So a unit adds `parts` in total, whatever its records are.
class SharedWeight {
 public:
  SharedWeight(std::uint64_t parts, const ContributionKey& key);
  // Converts records to parts, in place. cells: ascending, each once.
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

// Keeps at most `most` of a unit's groups: those with the smallest rank(group, 2^64 - 1, unit), a rank that no record
// has; equal ranks by group. Every subset of `most` groups is equally likely, however many records a group holds.
class KeptGroups {
 public:
  // Throws if `most` is 0.
  KeptGroups(std::uint64_t most, const ContributionKey& key);
  // In place. groups: ascending, each once.
  void operator()(std::string_view unit, std::vector<std::uint64_t>& groups);

 private:
  std::uint64_t most_;
  RecordRank rank_;
  std::vector<std::pair<std::int64_t, std::uint64_t>> ranked_;
};

// What a unit adds: at most `most` records or, if `parts` is above 1, one weight that all its records share. With
// groups, it adds that much in each of at most max_groups groups, and nothing in the others.
struct Contribution {
  std::uint64_t most = 1;
  std::uint64_t parts = 1;        // above 1: the number of parts of the shared weight
  std::uint64_t group_cells = 0;  // above 0: the number of consecutive cells of the grid that form a group
  std::uint64_t max_groups = 1;
};

// Converts what a unit has to what it adds.
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

// Counts what units add to each cell, in records or in parts of a weight. Points outside all cells are ignored and use
// up no contribution. Reads the points once. Throws if a point in a cell has an empty unit, or if the points have no
// units. Memory: 8 bytes for every cell in which a unit has records (16 on grids of more than 2^32 cells), at most
// twice that while points are read; 22 to 43 bytes per unit, and the bytes of keys longer than 8. Nothing is written to
// disk.
Counts bounded_counts(Points& points, const Grid& grid, const QuantizeOptions& options,
                      const Contribution& contribution, const ContributionKey& key);
// The same for rows from collect_units(), where the key of a unit is its number.
Counts bounded_counts(const PointTable& rows, const Grid& grid, const QuantizeOptions& options,
                      const Contribution& contribution, const ContributionKey& key);

// Converts counts of records to counts of parts: every record has a weight of `parts`.
Counts in_parts(const Counts& counts, std::uint64_t parts);

// Returns the points that are kept, by the same choice, in memory. Copies in a cell are numbered by their coordinates.
// Where units share their weight, the parts of a cell are divided among its rows as evenly as whole parts allow; the
// first copies get one more. Rows without any part are omitted. Quantizing the result gives the counts of
// bounded_counts.
PointTable bounded_points(Points& points, const Grid& grid, Outside outside, const Contribution& contribution,
                          const ContributionKey& key);
// The same for rows from collect_units(), where the key of a unit is its number.
PointTable bounded_points(const PointTable& rows, const Grid& grid, const Contribution& contribution,
                          const ContributionKey& key);

}  // namespace shoal
