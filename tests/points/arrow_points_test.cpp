// Streams of Arrow's C interface as points: every row once, by name, from several threads; each stream is used up.
#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <cmath>
#include <deque>
#include <map>
#include <mutex>

#include "points/arrow_columns.hpp"
#include "shoal/error.hpp"
#include "shoal/readers.hpp"

namespace shoal {
namespace {

// A stream of tables (who: int32, y: double, x: double) with `batches` of `rows` each; x counts up from 0. The last
// batch fails instead where `fails` is set.
struct Producer {
  std::int64_t batches, rows;
  bool fails = false;
  const char* format_of_x = "g";
  std::int64_t given = 0;
  std::atomic<int> live = 0;  // structures that were handed out and not released
  std::deque<ArrowSchema> schemas = std::deque<ArrowSchema>(3);
  std::vector<ArrowSchema*> schema_children = {};

  struct Batch {
    Producer* producer;
    std::vector<std::int32_t> who;
    std::vector<double> y, x;
    std::array<std::array<const void*, 2>, 3> buffers;
    std::array<const void*, 1> no_buffers{nullptr};
    std::array<ArrowArray, 3> columns{};
    std::array<ArrowArray*, 3> children;
  };

  ArrowArrayStream stream() {
    ++live;
    ArrowArrayStream result{};
    result.private_data = this;
    result.get_schema = [](ArrowArrayStream* self, ArrowSchema* out) {
      auto& producer = *static_cast<Producer*>(self->private_data);
      const std::array<std::pair<const char*, const char*>, 3> columns = {
          {{"who", "i"}, {"y", "g"}, {"x", producer.format_of_x}}};
      producer.schema_children.clear();
      for (std::size_t i = 0; i < columns.size(); ++i) {
        producer.schemas[i] = {};
        producer.schemas[i].name = columns[i].first;
        producer.schemas[i].format = columns[i].second;
        producer.schema_children.push_back(&producer.schemas[i]);
      }
      *out = {};
      out->format = "+s";
      out->n_children = 3;
      out->children = producer.schema_children.data();
      out->private_data = &producer;
      out->release = [](ArrowSchema* schema) {
        --static_cast<Producer*>(schema->private_data)->live;
        schema->release = nullptr;
      };
      ++producer.live;
      return 0;
    };
    result.get_next = [](ArrowArrayStream* self, ArrowArray* out) {
      return static_cast<Producer*>(self->private_data)->next(out);
    };
    result.get_last_error = [](ArrowArrayStream*) { return "the value 4711 is odd"; };
    result.release = [](ArrowArrayStream* self) {
      --static_cast<Producer*>(self->private_data)->live;
      self->release = nullptr;
    };
    return result;
  }

  int next(ArrowArray* out) {
    *out = {};
    if (given == batches) return 0;
    if (fails && given + 1 == batches) return EIO;
    auto* batch = new Batch{this, {}, {}, {}, {}, {}, {}, {}};
    for (std::int64_t i = 0; i < rows; ++i) {
      const std::int64_t row = given * rows + i;
      batch->who.push_back(static_cast<std::int32_t>(row % 7));
      batch->x.push_back(static_cast<double>(row));
      batch->y.push_back(-static_cast<double>(row));
    }
    ++given;
    batch->buffers = {{{nullptr, batch->who.data()}, {nullptr, batch->y.data()}, {nullptr, batch->x.data()}}};
    for (std::size_t i = 0; i < 3; ++i) {
      batch->columns[i].length = rows;
      batch->columns[i].n_buffers = 2;
      batch->columns[i].buffers = batch->buffers[i].data();
      batch->children[i] = &batch->columns[i];
    }
    out->length = rows;
    out->n_buffers = 1;
    out->buffers = batch->no_buffers.data();
    out->n_children = 3;
    out->children = batch->children.data();
    out->private_data = batch;
    out->release = [](ArrowArray* array) {
      auto* const held = static_cast<Batch*>(array->private_data);
      --held->producer->live;
      delete held;
      array->release = nullptr;
    };
    ++live;
    return 0;
  }
};

std::string error_of(Producer& producer, const ArrowOptions& options) {
  ArrowArrayStream stream = producer.stream();
  try {
    arrow_points(&stream, options)->scan(2, [](unsigned, const PointBlock&) {});
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(ArrowPoints, EveryRowComesOnceWithItsUnit) {
  for (const unsigned threads : {1U, 3U}) {
    Producer producer{.batches = 5, .rows = 20'000};
    ArrowArrayStream stream = producer.stream();
    {
      const auto points = arrow_points(&stream, {.columns = {"x", "y"}, .unit_column = "who"});
      EXPECT_EQ(stream.release, nullptr);
      EXPECT_EQ(points->names(), (std::vector<std::string>{"x", "y"}));
      std::mutex mutex;
      std::map<double, std::string> seen;
      points->scan(threads, [&](unsigned worker, const PointBlock& block) {
        EXPECT_LT(worker, threads);
        const std::lock_guard lock(mutex);
        for (std::size_t i = 0; i < block.rows(); ++i) {
          EXPECT_EQ(block.columns[0][i], -block.columns[1][i]);
          EXPECT_TRUE(seen.emplace(block.columns[0][i], block.units[i]).second);
        }
      });
      ASSERT_EQ(seen.size(), 100'000U);
      for (const auto& [x, unit] : seen) ASSERT_EQ(unit, std::to_string(static_cast<int>(x) % 7));
      EXPECT_EQ(points->taken().rows, 100'000U);
      EXPECT_THROW(points->scan(1, [](unsigned, const PointBlock&) {}), InputError);
    }
    EXPECT_EQ(producer.live, 0) << "what the producer handed out was not released";
  }
}

TEST(ArrowPoints, RefusalsReleaseTheStreamAndShowNoValues) {
  Producer fails{.batches = 3, .rows = 10, .fails = true};
  const std::string failed = error_of(fails, {.columns = {"x"}});
  EXPECT_NE(failed.find("cannot be read"), std::string::npos);
  EXPECT_EQ(failed.find("4711"), std::string::npos);
  EXPECT_EQ(fails.live, 0);

  Producer text{.batches = 1, .rows = 0, .format_of_x = "u"};
  EXPECT_NE(error_of(text, {.columns = {"x"}}).find("holds text"), std::string::npos);
  EXPECT_NE(error_of(text, {.columns = {"z"}}).find("no column 'z'"), std::string::npos);
  EXPECT_NE(error_of(text, {.columns = {"y"}, .unit_column = "y"}).find("units apart"), std::string::npos);
  EXPECT_NE(error_of(text, {}).find("at least one column"), std::string::npos);
  EXPECT_EQ(text.live, 0);

  ArrowArrayStream used{};
  EXPECT_THROW(arrow_points(&used, {.columns = {"x"}}), InputError);
}

TEST(ArrowPoints, WhatAVisitorThrowsEndsTheScan) {
  Producer producer{.batches = 50, .rows = 10'000};
  ArrowArrayStream stream = producer.stream();
  EXPECT_THROW(arrow_points(&stream, {.columns = {"x"}})->scan(3, [](unsigned, const PointBlock&) { throw 7; }), int);
  EXPECT_LT(producer.given, 50);
  EXPECT_EQ(producer.live, 0);
}

}  // namespace
}  // namespace shoal
