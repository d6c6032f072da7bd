import { type Static, Type } from 'typebox'
import { Choice, type InputFile, type Tools } from '#kit'
import { CssColor } from '../../formats/raster/contrast.ts'
import type { ModuleMatrix } from '../../formats/raster/image.ts'
import { parseColors } from '../schema.ts'
import { LOGO_SHAPES, type QrDesign } from './compose.ts'
import { EYE_STYLES, MODULE_STYLES } from './modules.ts'
import { MIN_LOGO_SCALE } from './reading.ts'

const LOGO_SIDE = 512

export const designFields = {
  logoScale: Type.Number({
    default: 0.2,
    minimum: MIN_LOGO_SCALE,
    maximum: 0.3,
    description: 'Of the width of the code.',
  }),
  logoPadding: Type.Number({ default: 1, minimum: 0, maximum: 4, description: 'Modules left out around the logo.' }),
  logoBackground: Type.Optional(CssColor({ description: 'Left out: the light colour.' })),
  logoShape: Choice(LOGO_SHAPES, { default: 'square' }),
  moduleStyle: Choice(MODULE_STYLES, { default: 'square' }),
  eyeStyle: Choice(EYE_STYLES, { default: 'square' }),
  gradient: Type.Optional(
    Type.Object({
      to: CssColor({ description: 'The colour at the end; it begins with the dark colour.' }),
      type: Choice(['linear', 'radial'], { default: 'linear' }),
      angle: Type.Number({ default: 45, minimum: 0, maximum: 360, description: 'In degrees; for linear.' }),
    }),
  ),
  frame: Type.Optional(
    Type.Object({
      text: Type.String({ minLength: 1, maxLength: 60 }),
      position: Choice(['top', 'bottom'], { default: 'bottom' }),
      color: Type.Optional(CssColor({ description: 'Left out: the dark colour.' })),
    }),
  ),
}

const DESIGN = Type.Object(designFields)
type DesignInput = Static<typeof DESIGN> & { dark: string; light: string; margin: number; logo: InputFile }

export async function prepareDesign(
  input: DesignInput,
  matrix: ModuleMatrix,
  { color, fonts, sharp }: Pick<Tools, 'color' | 'fonts' | 'sharp'>,
): Promise<QrDesign> {
  const { gradient, frame, logo, margin, logoPadding, logoShape, moduleStyle, eyeStyle } = input
  const colors = await parseColors(color, {
    dark: input.dark,
    light: input.light,
    logoBackground: input.logoBackground ?? input.light,
    'gradient.to': gradient?.to,
    'frame.color': frame?.color ?? input.dark,
  })
  const [widthInEm = 1] = frame ? await fonts.measure([frame.text], { family: 'sans', bold: true }) : []
  const { dark, light, logoBackground } = colors as Record<'dark' | 'light' | 'logoBackground', QrDesign['dark']>
  return {
    ...{ matrix, margin, dark, light, logoBackground, logoPadding, logoShape, moduleStyle, eyeStyle },
    logo: await sharp.toPng(logo.path, LOGO_SIDE, logo.type === 'image/svg+xml'),
    ...(gradient && { gradient: { ...gradient, to: colors['gradient.to']! } }),
    ...(frame && { frame: { ...frame, widthInEm, color: colors['frame.color']! } }),
  }
}
