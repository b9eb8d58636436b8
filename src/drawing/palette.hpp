// Colours of pictures and of the clusters in them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "drawing/canvas.hpp"

namespace shoal {

inline constexpr Color ink{34, 38, 43};
inline constexpr Color soft_ink{92, 99, 108};
inline constexpr Color paper{255, 255, 255};
inline constexpr Color frame{150, 156, 164};

// The colours of Okabe and Ito (2008, for colour-blind readers) without black, and two similar dark ones.
inline constexpr std::array<Color, 9> cluster_colors{{{0, 114, 178},
                                                      {230, 159, 0},
                                                      {0, 158, 115},
                                                      {204, 121, 167},
                                                      {213, 94, 0},
                                                      {86, 180, 233},
                                                      {240, 228, 66},
                                                      {136, 34, 85},
                                                      {80, 60, 160}}};

// Returns how different two colours look: the smallest distance in CIELAB for full, red-blind and green-blind sight.
double apart(Color a, Color b);

// neighbors[i]: indices of the clusters that lie next to cluster i + 1. Returns an index into cluster_colors for each
// cluster, such that neighbours look as different as possible and all colours are used about equally often.
std::vector<std::uint8_t> colored(const std::vector<std::vector<std::uint32_t>>& neighbors);

inline constexpr Color ground{250, 250, 248};

// Of base maps, as the page has them on light screens.
inline constexpr Color water_color{220, 231, 238}, land_color{250, 248, 243}, shore_color{154, 167, 176};
inline constexpr Color river_color{176, 203, 219}, state_color{200, 203, 205}, border_color{140, 148, 156};
inline constexpr Color place_color{70, 76, 84};
inline constexpr Color country_color{108, 115, 125};

// Index 0: nothing. 1..15: unclustered. 16 + 16 c + s: colour c at step s. On a map that is mostly empty, even the
// faintest grey must be visible; where noise is everywhere, grey should recede.
std::vector<Color> image_palette(bool mostly_empty);
bool is_mostly_empty(const std::vector<double>& density);

// Adds lines that fall to the right, clipped to the box. They are aligned across the whole picture.
void hatch(const Box& box, std::vector<Segment>& lines);

}  // namespace shoal
