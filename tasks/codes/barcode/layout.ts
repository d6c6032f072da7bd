import type { Rgba } from '../../formats/raster/png-svg.ts'
import type { findSymbology } from './symbologies.ts'

export const INCH_MM = 25.4

interface BarcodeOptions {
  dpi: number
  scale: number
  rotate: string | number
  padding: number
  height: number
  includeText?: boolean
  checkDigit: 'auto' | 'add' | 'verify' | 'none'
}

/** Options in the terms of the encoder, which measures in points. */
export function toEncoderOptions(
  options: BarcodeOptions,
  symbol: ReturnType<typeof findSymbology>,
  dark: Rgba,
  light: Rgba,
) {
  const { dpi, scale, checkDigit } = options
  const padding = (options.padding * dpi) / INCH_MM / scale
  return {
    scale,
    rotate: ROTATIONS[Number(options.rotate)]!,
    paddingwidth: padding,
    paddingheight: padding,
    barcolor: toHex(dark),
    textcolor: toHex(dark),
    ...(light.a > 0 && { backgroundcolor: toHex(light) }),
    ...(symbol.isLinear && { height: (options.height * dpi) / (72 * scale) }),
    ...((options.includeText ?? symbol.isLinear) && { includetext: true, textxalign: 'center' }),
    ...(symbol.hasCheck && CHECKS[checkDigit]),
    ...symbol.options,
  }
}

const CHECKS = {
  auto: {},
  add: { includecheck: true, includecheckintext: true },
  verify: { validatecheck: true },
  none: {},
}

const ROTATIONS: Record<number, 'N' | 'R' | 'I' | 'L'> = { 0: 'N', 90: 'R', 180: 'I', 270: 'L' }

function toHex({ r, g, b }: Rgba): string {
  return Buffer.from([r, g, b]).toString('hex')
}
