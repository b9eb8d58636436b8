// Public ranges that a column can have. Facts about the world, rounded outwards; nothing here comes from data.

/** West, east, south, north, in degrees. */
export type Box = readonly [number, number, number, number];

export const places: Record<string, Record<string, Box>> = {
  World: { "The world": [-180, 180, -90, 90] },
  Countries: {
    "Argentina": [-73.6, -53.6, -55.1, -21.7],
    "Australia": [112.9, 153.7, -43.7, -10],
    "Austria": [9.5, 17.2, 46.3, 49.1],
    "Belgium": [2.5, 6.5, 49.4, 51.6],
    "Brazil": [-74, -34.7, -33.8, 5.3],
    "Canada": [-141.1, -52.6, 41.6, 83.2],
    "China": [73.4, 135.1, 18.1, 53.6],
    "Denmark": [8, 15.3, 54.5, 57.8],
    "Egypt": [24.6, 36.9, 21.9, 31.7],
    "Finland": [20.5, 31.6, 59.7, 70.1],
    "France (mainland)": [-5.2, 9.6, 41.3, 51.2],
    "Germany": [5.8, 15.1, 47.2, 55.1],
    "Greece": [19.3, 29.7, 34.7, 41.8],
    "India": [68.1, 97.4, 6.7, 35.6],
    "Ireland": [-10.7, -5.9, 51.4, 55.5],
    "Italy": [6.6, 18.6, 35.4, 47.1],
    "Japan": [122.9, 146, 24, 45.6],
    "Kenya": [33.9, 41.9, -4.7, 5.5],
    "Mexico": [-118.5, -86.7, 14.5, 32.8],
    "Netherlands": [3.3, 7.3, 50.7, 53.6],
    "New Zealand": [166.3, 178.6, -47.4, -34.3],
    "Nigeria": [2.6, 14.7, 4.2, 13.9],
    "Norway": [4.5, 31.2, 57.9, 71.3],
    "Poland": [14.1, 24.2, 49, 54.9],
    "Portugal (mainland)": [-9.6, -6.1, 36.9, 42.2],
    "South Africa": [16.4, 32.9, -34.9, -22.1],
    "South Korea": [124.6, 131, 33, 38.7],
    "Spain (mainland)": [-9.4, 4.4, 35.9, 43.9],
    "Sweden": [10.9, 24.2, 55.3, 69.1],
    "Switzerland": [5.9, 10.5, 45.8, 47.9],
    "Turkey": [25.6, 44.9, 35.8, 42.2],
    "United Kingdom": [-8.7, 1.8, 49.8, 60.9],
    "United States (contiguous)": [-124.8, -66.9, 24.4, 49.4],
  },
  Cities: {
    "Amsterdam": [4.72, 5.08, 52.27, 52.44],
    "Beijing": [116, 116.8, 39.6, 40.3],
    "Berlin": [13.08, 13.77, 52.33, 52.68],
    "Cairo": [31.1, 31.6, 29.9, 30.2],
    "Chicago": [-87.95, -87.52, 41.64, 42.03],
    "Delhi": [76.83, 77.35, 28.4, 28.89],
    "Istanbul": [28.5, 29.5, 40.8, 41.3],
    "Lagos": [3.1, 3.6, 6.4, 6.7],
    "London": [-0.52, 0.34, 51.28, 51.7],
    "Los Angeles": [-118.67, -118.15, 33.7, 34.34],
    "Madrid": [-3.89, -3.51, 40.31, 40.65],
    "Mexico City": [-99.37, -98.94, 19.04, 19.6],
    "Mumbai": [72.77, 72.99, 18.89, 19.28],
    "New York": [-74.27, -73.68, 40.49, 40.92],
    "Paris": [2.22, 2.47, 48.81, 48.91],
    "Rome": [12.2, 12.9, 41.65, 42.15],
    "San Francisco": [-122.53, -122.35, 37.7, 37.84],
    "São Paulo": [-46.83, -46.36, -24.01, -23.35],
    "Seoul": [126.76, 127.19, 37.42, 37.71],
    "Shanghai": [120.85, 122, 30.68, 31.88],
    "Singapore": [103.6, 104.1, 1.15, 1.48],
    "Sydney": [150.5, 151.4, -34.2, -33.55],
    "Tokyo": [139.5, 139.95, 35.5, 35.85],
    "Toronto": [-79.64, -79.11, 43.58, 43.86],
    "Vienna": [16.18, 16.58, 48.11, 48.33],
    "Zurich": [8.44, 8.63, 47.32, 47.44],
  },
};

/** What a column may hold, as its owner says. `low` and `high` are filled in where the world fixes them. */
export interface Kind {
  readonly label: string;
  readonly low?: string;
  readonly high?: string;
  readonly words: string; // behind the range in --bounds
  readonly input: "number" | "date" | "list";
  readonly hint: string;
}

export const kinds: Record<string, Kind> = {
  number: { label: "A number", words: "", input: "number", hint: "Type the smallest and the largest value that can occur at all." },
  whole: { label: "A whole number", words: ":int", input: "number", hint: "Counts, scores, years: no fractions." },
  longitude: { label: "Longitude", words: "", input: "number", hint: "Degrees east. Choose a place, or type the range." },
  latitude: { label: "Latitude", words: "", input: "number", hint: "Degrees north. Choose a place, or type the range." },
  age: { label: "Age in years", low: "0", high: "110", words: ":int", input: "number", hint: "From 0 to 110." },
  hour: { label: "Hour of the day", low: "0", high: "24", words: ":circle", input: "number", hint: "Midnight touches midnight: 23:59 lies beside 0:00." },
  percent: { label: "Percentage", low: "0", high: "100", words: "", input: "number", hint: "From 0 to 100." },
  ratio: { label: "Money, or another quantity of many sizes", words: ":log", input: "number", hint: "Above 0. Cells have equal ratios: 1 to 10 gets as much room as 10 to 100." },
  date: { label: "A date", words: "", input: "date", hint: "The first and the last day that can occur." },
  list: { label: "One of a list of names", words: ":category", input: "list", hint: "Names from a public list, one a line: wards, products, districts." },
};
