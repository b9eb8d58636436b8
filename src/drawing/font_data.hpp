// The font of pictures as bytes (src/drawing/font), put into the library by cmake/fonts.cmake.
#pragma once

namespace shoal::font_data {

extern const unsigned char regular[];
extern const unsigned char semibold[];

}  // namespace shoal::font_data
