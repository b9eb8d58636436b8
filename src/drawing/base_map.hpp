// What lies under a map of longitude and latitude: land, water, borders and names of places. All of it is public, and
// none of it comes from data.
#pragma once

#include <string>
#include <vector>

#include "drawing/canvas.hpp"
#include "shoal/grid.hpp"

namespace shoal {

struct BaseMap {
  using Lines = std::vector<std::vector<double>>;  // each x, y, x, y, ... in degrees
  Lines land, lakes;                               // rings, cut a little outside the bounds
  Lines rivers, borders, states;                   // borders: of countries
  struct Place {
    std::string name;
    double longitude = 0, latitude = 0;
  };
  std::vector<Place> places;  // the most populous first
  std::string credits;        // whom to name as the source

  [[nodiscard]] bool empty() const noexcept;
};

// Returns what lies inside the bounds, at a resolution that suits the extent. Empty in a program without the page.
BaseMap base_map(double west, double east, double south, double north);
// The same for the axes of a grid. Empty unless they are longitude and latitude.
BaseMap base_map_of(const Grid& grid);

// Writes and reads a base map as JSON, as the page holds it. Reading throws InputError if the text is not such a map.
std::string base_map_json(const BaseMap& map);
BaseMap read_base_map(const std::string& json);

// Returns the name of the nearest place of the map, as a help for reading: "near Brooklyn". Empty if none lies within a
// twentieth of the longer side of the grid's bounds. at: a coordinate per axis of the grid, which must be a map.
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
