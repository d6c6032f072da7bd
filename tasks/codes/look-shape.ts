import type { Rgba } from './raster-shape.ts'
import type { symbolOf } from './symbol-shape.ts'

export const INCH_MM = 25.4

interface Look {
  dpi: number
  scale: number
  rotate: string | number
  padding: number
  height: number
  includeText?: boolean
  checkDigit: 'auto' | 'verify' | 'none'
}

/** In the words of the encoder, which measures in points. */
export function drawOptions(look: Look, symbol: ReturnType<typeof symbolOf>, dark: Rgba, light: Rgba) {
  const { dpi, scale, checkDigit } = look
  const padding = (look.padding * dpi) / INCH_MM / scale
  return {
    scale,
    rotate: TURNS[Number(look.rotate)]!,
    paddingwidth: padding,
    paddingheight: padding,
    barcolor: hexOf(dark),
    textcolor: hexOf(dark),
    ...(light.a > 0 && { backgroundcolor: hexOf(light) }),
    ...(symbol.isLinear && { height: (look.height * dpi) / (72 * scale) }),
    ...((look.includeText ?? symbol.isLinear) && { includetext: true, textxalign: 'center' }),
    ...(symbol.hasCheck && CHECKS[checkDigit]),
    ...symbol.options,
  }
}

const CHECKS = {
  auto: { includecheck: true, includecheckintext: true },
  verify: { validatecheck: true },
  none: {},
}

const TURNS: Record<number, 'N' | 'R' | 'I' | 'L'> = { 0: 'N', 90: 'R', 180: 'I', 270: 'L' }

function hexOf({ r, g, b }: Rgba): string {
  return Buffer.from([r, g, b]).toString('hex')
}
