import type { Rgba } from '../../formats/raster/png-svg.ts'

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~'
const [ACROSS, DOWN] = [4, 3]
const LEVELS = 19

/** Makes up a hash whose average is this colour. */
export function inventBlurhash({ r, g, b }: Rgba, random: () => number): string {
  const strength = 6 + Math.trunc(random() * 10)
  const parts = Array.from({ length: ACROSS * DOWN - 1 }, () => {
    const [red, green, blue] = [0, 0, 0].map(() => Math.trunc(random() * LEVELS)) as [number, number, number]
    return encode83((red * LEVELS + green) * LEVELS + blue, 2)
  })
  const size = ACROSS - 1 + (DOWN - 1) * 9
  return [encode83(size, 1), encode83(strength, 1), encode83((r << 16) | (g << 8) | b, 4), ...parts].join('')
}

/** Three bytes per pixel of a square with this side. */
export function decodeBlurhash(hash: string, side: number): Uint8Array {
  const average = decode83(hash.slice(2, 6))
  const strength = (decode83(hash[1]!) + 1) / 166
  const waves = [[average >> 16, (average >> 8) & 255, average & 255].map(toLinear)]
  for (let at = 6; at < hash.length; at += 2) {
    const value = decode83(hash.slice(at, at + 2))
    const levels = [Math.trunc(value / LEVELS ** 2), Math.trunc(value / LEVELS) % LEVELS, value % LEVELS]
    waves.push(levels.map(level => Math.sign(level - 9) * ((level - 9) / 9) ** 2 * strength))
  }
  const pixels = new Uint8Array(side * side * 3)
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < side; x++) pixels.set(mixWaves(waves, x / side, y / side), (y * side + x) * 3)
  }
  return pixels
}

function mixWaves(waves: readonly number[][], x: number, y: number): number[] {
  const sums = [0, 0, 0]
  for (const [index, wave] of waves.entries()) {
    const basis = Math.cos(Math.PI * x * (index % ACROSS)) * Math.cos(Math.PI * y * Math.trunc(index / ACROSS))
    for (const channel of [0, 1, 2]) sums[channel]! += wave[channel]! * basis
  }
  return sums.map(toByte)
}

function toLinear(byte: number): number {
  const share = byte / 255
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
}

function toByte(linear: number): number {
  const share = Math.max(0, Math.min(1, linear))
  return Math.round((share <= 0.0031308 ? share * 12.92 : 1.055 * share ** (1 / 2.4) - 0.055) * 255)
}

function encode83(value: number, length: number): string {
  return Array.from({ length }, (_, at) => DIGITS[Math.trunc(value / 83 ** (length - at - 1)) % 83]).join('')
}

function decode83(text: string): number {
  return [...text].reduce((value, digit) => value * 83 + DIGITS.indexOf(digit), 0)
}
