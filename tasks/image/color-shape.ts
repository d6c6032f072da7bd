export type Rgb = [number, number, number]

export function hexOf(rgb: Rgb): string {
  return `#${rgb.map(part => part.toString(16).padStart(2, '0')).join('')}`
}

/** Degrees, and shares in percent. */
export function hslOf(rgb: Rgb): Rgb {
  const [red, green, blue] = rgb.map(part => part / 255) as Rgb
  const [most, least] = [Math.max(red, green, blue), Math.min(red, green, blue)]
  const light = (most + least) / 2
  const spread = most - least
  if (spread === 0) return [0, 0, Math.round(light * 100)]
  const full = spread / (1 - Math.abs(2 * light - 1))
  const sixth =
    most === red
      ? ((green - blue) / spread + 6) % 6
      : most === green
        ? (blue - red) / spread + 2
        : (red - green) / spread + 4
  return [Math.round(sixth * 60) % 360, Math.round(full * 100), Math.round(light * 100)]
}

/** As bright as the eye sees it, from 0 to 1. */
export function brightness([red, green, blue]: Rgb): number {
  return (0.299 * red + 0.587 * green + 0.114 * blue) / 255
}

const NAMED: Record<string, Rgb> = {
  black: [0, 0, 0],
  white: [255, 255, 255],
  gray: [128, 128, 128],
  silver: [192, 192, 192],
  red: [255, 0, 0],
  maroon: [128, 0, 0],
  orange: [255, 165, 0],
  brown: [150, 75, 0],
  yellow: [255, 255, 0],
  olive: [128, 128, 0],
  lime: [0, 255, 0],
  green: [0, 128, 0],
  teal: [0, 128, 128],
  cyan: [0, 255, 255],
  skyblue: [135, 206, 235],
  blue: [0, 0, 255],
  navy: [0, 0, 128],
  purple: [128, 0, 128],
  violet: [143, 0, 255],
  magenta: [255, 0, 255],
  pink: [255, 192, 203],
  beige: [245, 245, 220],
}

/** The nearest of the names most people would use. */
export function nameOf(rgb: Rgb): string {
  const distance = (other: Rgb) =>
    2 * (rgb[0] - other[0]) ** 2 + 4 * (rgb[1] - other[1]) ** 2 + 3 * (rgb[2] - other[2]) ** 2
  const [[name]] = Object.entries(NAMED).sort((a, b) => distance(a[1]) - distance(b[1])) as [[string, Rgb]]
  return name
}
