import { type Static, Type } from 'typebox'
import { Choice, exactlyOne, FileInput, type InputFile, PageRanges, Problem, pagesOf } from '#kit'
import { PdfInput, pageCountOf } from './shape.ts'

const PICTURES = [
  ...['jpeg', 'png', 'webp', 'avif', 'gif', 'tiff', 'svg+xml', 'heic', 'heif', 'bmp', 'x-icon', 'jp2', 'jxl'],
  'vnd.adobe.photoshop',
].map(kind => `image/${kind}`)

export function PictureInput(description: string) {
  return FileInput({ accept: PICTURES, refuse: 'IMAGE_DECODE_FAILED', probe: 'image', description })
}

export const COLOR_PATTERN = '^(#([0-9a-fA-F]{3}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})|[a-zA-Z]{3,30})$'

const POSITIONS = [
  ...(['center', 'north', 'northeast', 'east', 'southeast', 'south', 'southwest', 'west', 'northwest'] as const),
  'tile',
] as const

export const FONTS = ['auto', 'sans', 'serif', 'Noto Sans', 'Noto Serif'] as const

/** What can be said of a stamp. */
export const stampFields = {
  text: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 500,
      description: 'Of any script. {page}, {pages}, {date} and {bates} are filled in; a line break begins a line.',
    }),
  ),
  image: Type.Optional(PictureInput('A picture; what shines through stays so.')),
  pdf: Type.Optional(PdfInput('Its first page is the stamp.')),
  pages: PageRanges({ default: 'all' }),
  layer: Choice(['over', 'under'], { default: 'over', description: 'Over what the page holds, or under it.' }),
  position: Choice(POSITIONS, { default: 'center', description: 'On the page as it is seen; `tile` is all over it.' }),
  offset: Type.Object(
    { x: Type.Number({ minimum: -14_400, maximum: 14_400 }), y: Type.Number({ minimum: -14_400, maximum: 14_400 }) },
    { default: { x: 0, y: 0 }, description: 'Points to the right and up.' },
  ),
  margin: Type.Number({ default: 24, minimum: 0, maximum: 1000, description: 'Points kept free at the edges.' }),
  rotation: Type.Optional(
    Type.Number({ minimum: -360, maximum: 360, description: 'Degrees against the clock; 45 for text, 0 otherwise.' }),
  ),
  opacity: Type.Number({ default: 0.3, minimum: 0.01, maximum: 1 }),
  scale: Type.Number({ default: 0.5, minimum: 0.01, maximum: 1, description: "Share of the page's width." }),
  font: Type.String({ default: 'auto', maxLength: 64, description: `Of text: ${FONTS.join(', ')}.` }),
  fontSize: Type.Union([Type.Number({ minimum: 1, maximum: 1000 }), Type.Literal('auto')], { default: 'auto' }),
  color: Type.String({ default: '#808080', pattern: COLOR_PATTERN }),
  bold: Type.Boolean({ default: false }),
  bates: Type.Object(
    {
      prefix: Type.Optional(Type.String({ maxLength: 50 })),
      start: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000_000 })),
      digits: Type.Optional(Type.Integer({ minimum: 1, maximum: 12 })),
    },
    { default: {}, description: 'How {bates} counts the stamped pages: from 1 with 6 digits.' },
  ),
}

const Stamp = Type.Object(stampFields)

export const Stamps = Type.Optional(
  Type.Array(Stamp, { minItems: 1, maxItems: 10, description: 'Several stamps in one call, each with these fields.' }),
)

export type GivenStamp = Partial<Static<typeof Stamp>>

const KINDS = ['text', 'image', 'pdf'] as const

/** The stamps of a call: those listed, or the one its own fields say. */
export function stampsOf(input: GivenStamp & { stamps?: GivenStamp[] }): GivenStamp[] {
  const { stamps, ...single } = input
  const loose = KINDS.filter(kind => single[kind] !== undefined)
  if (stamps && loose.length > 0) throw new Problem('CONFLICTING_OPTIONS', { fields: ['stamps', ...loose] })
  const list = stamps ?? [single]
  for (const stamp of list) exactlyOne(stamp, KINDS)
  return list
}

export function pagesToStamp(file: InputFile, { pages = 'all' }: GivenStamp): number[] {
  return [...new Set(pagesOf(pages, pageCountOf(file)))].sort((a, b) => a - b)
}

/** A page with several stamps counts once. */
export function stampedPages(input: { file: InputFile; stamps?: GivenStamp[] } & GivenStamp): number[] {
  const list = input.stamps ?? [input]
  return [...new Set(list.flatMap(stamp => pagesToStamp(input.file, stamp)))].sort((a, b) => a - b)
}

export function lettersOf(font = 'auto', bold = false): { family: 'sans' | 'serif'; bold: boolean } {
  if (!(FONTS as readonly string[]).includes(font)) throw new Problem('FONT_UNAVAILABLE', { font, available: FONTS })
  return { family: /serif/i.test(font) ? 'serif' : 'sans', bold }
}

/** A stamp with everything said, as the maker takes it; `file` is its place among the files, from 1. */
export function plannedStamp(given: GivenStamp, pages: number[], file: number | undefined) {
  const { text, layer = 'over', position = 'center', offset = { x: 0, y: 0 }, margin = 24, opacity = 0.3 } = given
  const { scale = 0.5, fontSize = 'auto', color = '#808080', bates = {}, font, bold } = given
  const kind = text === undefined ? (given.image ? 'picture' : 'page') : 'text'
  return {
    ...{
      text,
      kind: kind as 'text' | 'picture' | 'page',
      file,
      pages,
      position,
      offset,
      margin,
      opacity,
      scale,
      color,
    },
    isUnder: layer === 'under',
    rotation: given.rotation ?? (kind === 'text' ? 45 : 0),
    letters: lettersOf(font, bold),
    fontSize: fontSize === 'auto' ? undefined : fontSize,
    bates: { prefix: '', start: 1, digits: 6, ...bates },
  }
}
