import type { ModuleMatrix } from '../raster/image.ts'
import type { LEVELS } from './options.ts'

type Level = (typeof LEVELS)[number]

/** By the two bits of QR codes, and by the three of micro codes, whose smallest only detects errors. */
const QR_LEVELS: readonly Level[] = ['M', 'L', 'H', 'Q']
const MICRO_LEVELS: readonly Level[] = ['L', 'L', 'M', 'L', 'M', 'L', 'M', 'Q']
/** What these bits are combined with, so that no code has an area of one colour. */
const QR_MASK = 0b10
const MICRO_MASK = 0b100

/** Reads the level of a symbol out of it: the engine takes a higher one than asked for where that fits as well. */
export function readLevel(variant: 'qr' | 'micro' | 'rmqr', { width, modules }: ModuleMatrix): Level {
  const readBits = (y: number, ...columns: number[]) =>
    columns.reduce((bits, x) => (bits << 1) | modules[y * width + x]!, 0)
  if (variant === 'qr') return QR_LEVELS[readBits(8, 0, 1) ^ QR_MASK]!
  if (variant === 'micro') return MICRO_LEVELS[readBits(8, 1, 2, 3) ^ MICRO_MASK]!
  return readBits(3, 11) === 1 ? 'H' : 'M'
}
