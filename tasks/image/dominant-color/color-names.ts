type Rgb = [number, number, number]

export function formatHex(rgb: Rgb): string {
  return `#${rgb.map(part => part.toString(16).padStart(2, '0')).join('')}`
}

/** Hue in degrees, saturation and lightness in percent. */
export function toHsl(rgb: Rgb): Rgb {
  const [red, green, blue] = rgb.map(part => part / 255) as Rgb
  const [max, min] = [Math.max(red, green, blue), Math.min(red, green, blue)]
  const lightness = (max + min) / 2
  const range = max - min
  if (range === 0) return [0, 0, Math.round(lightness * 100)]
  const saturation = range / (1 - Math.abs(2 * lightness - 1))
  const hueSextant =
    max === red
      ? ((green - blue) / range + 6) % 6
      : max === green
        ? (blue - red) / range + 2
        : (red - green) / range + 4
  return [Math.round(hueSextant * 60) % 360, Math.round(saturation * 100), Math.round(lightness * 100)]
}

/** Perceived brightness from 0 to 1. */
export function computeBrightness([red, green, blue]: Rgb): number {
  return (0.299 * red + 0.587 * green + 0.114 * blue) / 255
}

/** Colours of each name: the pure one, and those that designers use. */
const NAMED_COLORS: Record<string, readonly Rgb[]> = {
  black: [[0, 0, 0]],
  white: [[255, 255, 255]],
  gray: [
    [128, 128, 128],
    [158, 158, 158],
    [96, 125, 139],
  ],
  silver: [[192, 192, 192]],
  red: [
    [255, 0, 0],
    [229, 57, 53],
  ],
  maroon: [[128, 0, 0]],
  orange: [
    [255, 165, 0],
    [255, 87, 34],
  ],
  brown: [
    [150, 75, 0],
    [121, 85, 72],
  ],
  yellow: [
    [255, 255, 0],
    [255, 235, 59],
    [255, 193, 7],
  ],
  olive: [[128, 128, 0]],
  lime: [[0, 255, 0]],
  green: [
    [0, 128, 0],
    [76, 175, 80],
    [139, 195, 74],
  ],
  teal: [[0, 128, 128]],
  cyan: [
    [0, 255, 255],
    [0, 188, 212],
  ],
  skyblue: [[135, 206, 235]],
  blue: [
    [0, 0, 255],
    [33, 150, 243],
    [63, 81, 181],
  ],
  navy: [[0, 0, 128]],
  purple: [
    [128, 0, 128],
    [156, 39, 176],
  ],
  violet: [
    [143, 0, 255],
    [103, 58, 183],
  ],
  magenta: [[255, 0, 255]],
  pink: [
    [255, 192, 203],
    [255, 105, 180],
    [233, 30, 99],
    [216, 27, 96],
  ],
  beige: [[245, 245, 220]],
}

const GREYS = ['black', 'gray', 'silver', 'white']
/** Between the strongest and the weakest channel; below it no hue is seen. */
const LEAST_HUE = 8

/** The name of the nearest common colour; channels are weighted as the eye perceives them. */
export function findColorName(rgb: Rgb): string {
  const distanceTo = (other: Rgb) =>
    2 * (rgb[0] - other[0]) ** 2 + 4 * (rgb[1] - other[1]) ** 2 + 3 * (rgb[2] - other[2]) ** 2
  const nearest = (name: string) => Math.min(...NAMED_COLORS[name]!.map(distanceTo))
  const isGrey = Math.max(...rgb) - Math.min(...rgb) < LEAST_HUE
  const names = isGrey ? GREYS : Object.keys(NAMED_COLORS)
  return names.reduce((best, name) => (nearest(name) < nearest(best) ? name : best))
}
