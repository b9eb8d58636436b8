// GeoPackage (OGC 12-128r18) by SQLite. The page has no SQLite and writes none.
#include "formats/export.hpp"
#include "formats/map_files.hpp"
#include "shoal/error.hpp"

#ifndef SHOAL_HAS_SQLITE
namespace shoal {
std::string geopackage(std::span<const NamedRelease>, Doubtful) {
  throw InputError("a GeoPackage is written by the program: shoal reshape RELEASE -o clusters.gpkg");
}
}  // namespace shoal
#else
#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <bit>
#include <memory>

#include "base/geographic_axes.hpp"
#include "clusters/clustered_sums.hpp"
#include "drawing/report.hpp"
#include "inference/noisy_segmentation.hpp"
#include "shoal/notices.hpp"

namespace shoal {

namespace {

// A database in memory whose bytes become the file.
class Database {
 public:
  Database() { check(sqlite3_open(":memory:", &handle_)); }
  ~Database() { sqlite3_close(handle_); }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void run(const std::string& sql) { check(sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr)); }
  void check(int code) const {
    if (code != SQLITE_OK && code != SQLITE_DONE && code != SQLITE_ROW) {
      throw Error(ErrorKind::internal, fmt::format("SQLite could not write a GeoPackage: {}", sqlite3_errmsg(handle_)));
    }
  }
  [[nodiscard]] std::string bytes() const {
    sqlite3_int64 size = 0;
    const std::unique_ptr<unsigned char, decltype(&sqlite3_free)> data(sqlite3_serialize(handle_, "main", &size, 0),
                                                                       &sqlite3_free);
    if (!data) throw Error(ErrorKind::internal, "SQLite could not write a GeoPackage: out of memory");
    return {reinterpret_cast<const char*>(data.get()), static_cast<std::size_t>(size)};
  }
  [[nodiscard]] sqlite3* handle() const noexcept { return handle_; }

 private:
  sqlite3* handle_ = nullptr;
};

// An insertion that is run once per row. Values are bound in order.
class Insertion {
 public:
  Insertion(Database& database, const std::string& sql) : database_(database) {
    database.check(sqlite3_prepare_v2(database.handle(), sql.c_str(), -1, &statement_, nullptr));
  }
  ~Insertion() { sqlite3_finalize(statement_); }
  Insertion(const Insertion&) = delete;
  Insertion& operator=(const Insertion&) = delete;

  Insertion& add(std::int64_t value) {
    database_.check(sqlite3_bind_int64(statement_, ++at_, value));
    return *this;
  }
  Insertion& add(double value) {
    database_.check(sqlite3_bind_double(statement_, ++at_, value));
    return *this;
  }
  Insertion& add(const std::string& value) {
    const auto size = static_cast<int>(value.size());
    database_.check(sqlite3_bind_text(statement_, ++at_, value.data(), size, SQLITE_TRANSIENT));
    return *this;
  }
  Insertion& add_bytes(const std::string& value) {
    const auto size = static_cast<int>(value.size());
    database_.check(sqlite3_bind_blob(statement_, ++at_, value.data(), size, SQLITE_TRANSIENT));
    return *this;
  }
  Insertion& add_null() {
    ++at_;
    return *this;
  }
  void done() {
    database_.check(sqlite3_step(statement_));
    database_.check(sqlite3_reset(statement_));
    database_.check(sqlite3_clear_bindings(statement_));
    at_ = 0;
  }

 private:
  Database& database_;
  sqlite3_stmt* statement_ = nullptr;
  int at_ = 0;
};

void append(std::string& bytes, std::uint32_t value) {
  for (int i = 0; i < 4; ++i) bytes += static_cast<char>(value >> (8 * i) & 255);
}
void append(std::string& bytes, double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(bits >> (8 * i) & 255);
}

// Writes geometries in the blobs of GeoPackage: a head, and well-known binary. x comes first.
class Geometry {
 public:
  Geometry(std::int32_t srs, bool swapped) : srs_(srs), swapped_(swapped) {}

  [[nodiscard]] std::string bytes(const std::vector<Polygon>& polygons) const {
    std::string bytes = head();
    begin(bytes, 6);  // MultiPolygon
    append(bytes, static_cast<std::uint32_t>(polygons.size()));
    for (const Polygon& polygon : polygons) {
      begin(bytes, 3);
      append(bytes, static_cast<std::uint32_t>(1 + polygon.holes.size()));
      ring(bytes, polygon.exterior);
      for (const Ring& hole : polygon.holes) ring(bytes, hole);
    }
    return bytes;
  }

 private:
  [[nodiscard]] std::string head() const {
    std::string bytes("GP\0\x01", 4);  // version 1, little-endian, without an envelope
    append(bytes, static_cast<std::uint32_t>(srs_));
    return bytes;
  }
  static void begin(std::string& bytes, std::uint32_t type) {
    bytes += '\x01';
    append(bytes, type);
  }
  void ring(std::string& bytes, const Ring& ring) const {
    append(bytes, static_cast<std::uint32_t>(ring.points.size()));
    const auto add = [&](const std::pair<double, double>& point) {
      append(bytes, swapped_ ? point.second : point.first);
      append(bytes, swapped_ ? point.first : point.second);
    };
    if (swapped_) {  // keeps the direction of rings
      std::for_each(ring.points.rbegin(), ring.points.rend(), add);
    } else {
      std::for_each(ring.points.begin(), ring.points.end(), add);
    }
  }

  std::int32_t srs_;
  bool swapped_;
};

// Fills are taken from the column `fill`; cells are drawn without lines.
std::string qgis_style(bool is_cells) {
  return fmt::format(
      R"(<!DOCTYPE qgis><qgis styleCategories="Symbology"><renderer-v2 type="singleSymbol"><symbols><symbol type="fill" name="0" alpha="{}"><layer class="SimpleFill"><Option type="Map"><Option name="color" type="QString" value="0,114,178,255"/><Option name="outline_color" type="QString" value="29,33,38,255"/><Option name="outline_style" type="QString" value="{}"/><Option name="outline_width" type="QString" value="0.4"/></Option><data_defined_properties><Option type="Map"><Option name="name" type="QString" value=""/><Option name="properties" type="Map"><Option name="fillColor" type="Map"><Option name="active" type="bool" value="true"/><Option name="field" type="QString" value="fill"/><Option name="type" type="int" value="2"/></Option></Option><Option name="type" type="QString" value="collection"/></Option></data_defined_properties></layer></symbol></symbols></renderer-v2></qgis>)",
      is_cells ? 0.8 : 0.5, is_cells ? "no" : "solid");
}

constexpr const char* schema = R"(
PRAGMA application_id = 1196444487;
PRAGMA user_version = 10300;
CREATE TABLE gpkg_spatial_ref_sys (srs_name TEXT NOT NULL, srs_id INTEGER PRIMARY KEY, organization TEXT NOT NULL,
  organization_coordsys_id INTEGER NOT NULL, definition TEXT NOT NULL, description TEXT);
INSERT INTO gpkg_spatial_ref_sys VALUES ('Undefined cartesian', -1, 'NONE', -1, 'undefined', 'plain numbers'),
  ('Undefined geographic', 0, 'NONE', 0, 'undefined', NULL), ('WGS 84 geodetic', 4326, 'EPSG', 4326,
  'GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563,AUTHORITY["EPSG","7030"]],AUTHORITY["EPSG","6326"]],PRIMEM["Greenwich",0,AUTHORITY["EPSG","8901"]],UNIT["degree",0.0174532925199433,AUTHORITY["EPSG","9122"]],AXIS["Latitude",NORTH],AXIS["Longitude",EAST],AUTHORITY["EPSG","4326"]]',
  'longitude and latitude');
CREATE TABLE gpkg_contents (table_name TEXT PRIMARY KEY, data_type TEXT NOT NULL, identifier TEXT UNIQUE,
  description TEXT DEFAULT '', last_change DATETIME NOT NULL DEFAULT '1970-01-01T00:00:00.000Z', min_x DOUBLE, min_y DOUBLE, max_x DOUBLE,
  max_y DOUBLE, srs_id INTEGER REFERENCES gpkg_spatial_ref_sys(srs_id));
CREATE TABLE gpkg_geometry_columns (table_name TEXT NOT NULL REFERENCES gpkg_contents(table_name), column_name TEXT NOT NULL,
  geometry_type_name TEXT NOT NULL, srs_id INTEGER NOT NULL REFERENCES gpkg_spatial_ref_sys(srs_id), z TINYINT NOT NULL,
  m TINYINT NOT NULL, PRIMARY KEY (table_name, column_name));
CREATE TABLE clusters (fid INTEGER PRIMARY KEY AUTOINCREMENT, geom MULTIPOLYGON, part TEXT, cluster INTEGER, cells INTEGER,
  noisy_size INTEGER, lower_95 DOUBLE, upper_95 DOUBLE, real DOUBLE, counted TEXT, fill TEXT);
CREATE TABLE cells (fid INTEGER PRIMARY KEY AUTOINCREMENT, geom MULTIPOLYGON, part TEXT, cluster INTEGER, noisy_count INTEGER, fill TEXT);
CREATE TABLE layer_styles (id INTEGER PRIMARY KEY AUTOINCREMENT, f_table_catalog TEXT, f_table_schema TEXT, f_table_name TEXT,
  f_geometry_column TEXT, styleName TEXT, styleQML TEXT, styleSLD TEXT, useAsDefault BOOLEAN, description TEXT, owner TEXT,
  ui TEXT, update_time DATETIME DEFAULT '1970-01-01T00:00:00.000Z');
)";

struct Extent {
  double min_x, min_y, max_x, max_y;
};

void register_layers(Database& database, const std::string& description, const Extent& extent, std::int32_t srs) {
  Insertion contents(database,
                     "INSERT INTO gpkg_contents (table_name, data_type, identifier, description, min_x, min_y, "
                     "max_x, max_y, srs_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
  Insertion columns(database, "INSERT INTO gpkg_geometry_columns VALUES (?, 'geom', 'MULTIPOLYGON', ?, 0, 0)");
  Insertion styles(database,
                   "INSERT INTO layer_styles (f_table_catalog, f_table_schema, f_table_name, f_geometry_column, "
                   "styleName, styleQML, useAsDefault, description) VALUES ('', '', ?, 'geom', 'Shoal', ?, 1, "
                   "'colours of the clusters')");
  for (const std::string layer : {"clusters", "cells"}) {
    contents.add(layer).add(std::string("features")).add(layer).add(description);
    contents.add(extent.min_x).add(extent.min_y).add(extent.max_x).add(extent.max_y).add(std::int64_t{srs}).done();
    columns.add(layer).add(std::int64_t{srs}).done();
    styles.add(layer).add(qgis_style(layer == "cells")).done();
  }
  database.run(
      "INSERT INTO gpkg_contents (table_name, data_type, identifier) VALUES ('layer_styles', 'attributes', "
      "'layer_styles')");
}

void add_part(Database& database, const NamedRelease& part, Doubtful doubtful, const Geometry& geometry) {
  const Release& release = part.release;
  const std::vector<std::uint32_t> left_out =
      doubtful == Doubtful::keep ? std::vector<std::uint32_t>{} : release.doubtful();
  const auto is_left_out = [&](std::uint32_t id) { return std::binary_search(left_out.begin(), left_out.end(), id); };
  const auto name = [&part](Insertion& row) -> Insertion& {
    return part.name.empty() ? row.add_null() : row.add(part.name);
  };
  const std::vector<std::string> colors = cluster_colors_of(release);
  const std::string counted = counted_noun(release.parts().unit).many;
  Insertion clusters(database,
                     "INSERT INTO clusters (geom, part, cluster, cells, noisy_size, lower_95, upper_95, real, "
                     "counted, fill) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  for (const ReleasedCluster& cluster : release.clusters()) {
    if (is_left_out(cluster.id)) continue;
    name(clusters.add_bytes(geometry.bytes(cluster.outline)));
    clusters.add(std::int64_t{cluster.id}).add(static_cast<std::int64_t>(cluster.cells)).add(cluster.noisy_size);
    if (release.confidence().empty()) {
      clusters.add_null().add_null().add_null();
    } else {
      const ClusterConfidence& confidence = release.confidence()[cluster.id - 1];
      if (confidence.has_interval()) {
        clusters.add(confidence.least_records).add(confidence.most_records);
      } else {
        clusters.add_null().add_null();
      }
      clusters.add(confidence.real);
    }
    clusters.add(counted).add(colors[cluster.id - 1]).done();
  }
  const ClusterMap map = release.map();
  const Clusters& all = map.clusters();
  const bool has_values = release.parts().values() != nullptr;
  const Cells<std::int64_t> records = has_values ? noisy_records(release.parts()) : Cells<std::int64_t>();
  const std::vector<std::int64_t> sums = has_values ? clustered_sums(all, records) : std::vector<std::int64_t>{};
  Insertion cells(database, "INSERT INTO cells (geom, part, cluster, noisy_count, fill) VALUES (?, ?, ?, ?, ?)");
  for (std::size_t i = 0; i < all.cells().size(); ++i) {
    if (is_left_out(all.labels()[i])) continue;
    const std::uint64_t second = all.shape()[1];
    const auto [x0, x1] = map.cell_bounds(0, all.cells()[i] / second);
    const auto [y0, y1] = map.cell_bounds(1, all.cells()[i] % second);
    const Polygon box{{{{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}, {x0, y0}}}, {}};
    name(cells.add_bytes(geometry.bytes({box}))).add(std::int64_t{all.labels()[i]});
    if (has_values) {
      cells.add(sums[i]);
    } else {
      cells.add_null();
    }
    cells.add(colors[all.labels()[i] - 1]).done();
  }
}

}  // namespace

std::string geopackage(std::span<const NamedRelease> parts, Doubtful doubtful) {
  const ReleaseParts& first = parts.front().release.parts();
  for (const NamedRelease& part : parts) require_two_axes(part.release.parts().grid);
  const GeographicAxes geographic = geographic_axes(first.grid);
  const std::int32_t srs = geographic.found ? 4326 : -1;
  const bool swapped = geographic.found && geographic.longitude == 1;
  const Axis& x = first.grid.axis(swapped ? 1 : 0);
  const Axis& y = first.grid.axis(swapped ? 0 : 1);
  Database database;
  database.run(schema);
  database.run("BEGIN");
  register_layers(database,
                  fmt::format("{}, {}, epsilon {}. Sizes and counts are noisy.",
                              first.is_private ? "Private" : "NOT PRIVATE", first.technique, first.epsilon.text()),
                  {x.lo(), y.lo(), x.hi(), y.hi()}, srs);
  const Geometry geometry(srs, swapped);
  for (const NamedRelease& part : parts) add_part(database, part, doubtful, geometry);
  database.run("COMMIT");
  return database.bytes();
}

}  // namespace shoal
#endif
