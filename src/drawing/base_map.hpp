// What lies under a map of longitude and latitude: land, water, borders and names of places. All of it is public, and
// none of it comes from data.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "drawing/canvas.hpp"
#include "shoal/evidence.hpp"
#include "shoal/grid.hpp"

namespace shoal {

struct BaseMap {
  using Lines = std::vector<std::vector<double>>;  // each x, y, x, y, ... in degrees
  Lines land, lakes;                               // rings, cut a little outside the bounds
  Lines rivers, borders, states;                   // borders: of countries
  struct Place {
    std::string name;
    double longitude = 0, latitude = 0;
    double room = 0;  // width in degrees of a country at its name; 0: a town
  };
  std::vector<Place> places;  // countries, the largest first; then towns, the most populous first
  std::string credits;        // whom to name as the source

  [[nodiscard]] bool empty() const noexcept;
};

// Returns what lies inside the bounds, at a resolution that suits the extent. Empty in a program without the page.
BaseMap base_map(double west, double east, double south, double north);
// The same for the axes of a grid. Empty unless they are longitude and latitude.
BaseMap base_map_of(const Grid& grid);
// Returns the owner's base map if there is one, else that of the program.
BaseMap base_map_of(const Grid& grid, const Publication& publication);

// Reads the owner's base map from GeoJSON in degrees: polygons are land, or water by "kind"; lines are borders, or
// rivers or states by "kind"; points with a "name" are places, and so are polygons with one. It is cut at the bounds of
// the grid, which must be longitude and latitude, and simplified to what a page can show. Throws InputError if there is
// anything that is not such a map, or if nothing lies inside the bounds.
BaseMap own_base_map(const std::string& geojson, const Grid& grid);

// Cut a ring at a line along an axis, or keep the parts of a line that are near the bounds.
struct HalfPlane {
  std::size_t axis;    // 0: x, 1: y
  double limit, sign;  // coordinate * sign <= limit * sign
};
std::vector<double> cut_ring(const std::vector<double>& ring, const HalfPlane& half);
void add_near(BaseMap::Lines& lines, const std::vector<double>& whole, double west, double east, double south,
              double north);

// Writes and reads a base map as JSON, as the page holds it. Reading throws InputError if the text is not such a map.
std::string base_map_json(const BaseMap& map);
BaseMap read_base_map(const std::string& json);

// Returns the name of the nearest town of the map, as a help for reading: "near Brooklyn". Empty if none lies within 5
// km or a twentieth of the longer side of the grid's bounds. at: a coordinate per axis of the grid, which must be a
// map.
std::string near_place(const BaseMap& map, const Grid& grid, const std::vector<double>& at);

// Where a map of the world's degrees lies on a canvas.
class MapFrame {
 public:
  // box: where the bounds of the grid are drawn. The axes must be longitude and latitude.
  MapFrame(const Grid& grid, const Box& box);
  [[nodiscard]] Point place(double longitude, double latitude) const;
  [[nodiscard]] const Box& box() const noexcept { return box_; }

 private:
  const Axis across_, up_;
  Box box_;
};

// Draw what lies below the clusters and what lies above them, but no names.
void draw_ground(Canvas& canvas, const MapFrame& on, const BaseMap& map);
void draw_shores(Canvas& canvas, const MapFrame& on, const BaseMap& map);
// Draws names and dots of the most populous places that do not touch `taken`, to which they are added.
void draw_places(Canvas& canvas, const MapFrame& on, const BaseMap& map, std::vector<Box>& taken);

}  // namespace shoal
