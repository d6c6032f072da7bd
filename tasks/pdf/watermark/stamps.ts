import { type Static, Type } from 'typebox'
import { Choice, exactlyOne, type InputFile, PageRanges, Problem, type Warning } from '#kit'
import { chooseTextStyle, FONTS } from '../../formats/pdf/fonts.ts'
import { COLOR_PATTERN, ImageInput, PdfInput, selectPages } from '../schema.ts'

const POSITIONS = [
  ...(['center', 'north', 'northeast', 'east', 'southeast', 'south', 'southwest', 'west', 'northwest'] as const),
  'tile',
] as const

export const stampFields = {
  text: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 500,
      description: 'In any script. {page}, {pages}, {date} and {bates} are replaced; a line break starts a new line.',
    }),
  ),
  image: Type.Optional(ImageInput('An image; its transparency is kept.')),
  pdf: Type.Optional(PdfInput('Its first page is the stamp.')),
  pages: PageRanges({ default: 'all' }),
  layer: Choice(['over', 'under'], { default: 'over', description: 'Over the page content, or under it.' }),
  position: Choice(POSITIONS, {
    default: 'center',
    description: 'On the page as displayed; `tile` repeats the stamp over the whole page.',
  }),
  offset: Type.Object(
    { x: Type.Number({ minimum: -14_400, maximum: 14_400 }), y: Type.Number({ minimum: -14_400, maximum: 14_400 }) },
    { default: { x: 0, y: 0 }, description: 'Points to the right and up.' },
  ),
  margin: Type.Number({ default: 24, minimum: 0, maximum: 1000, description: 'Points kept free at the edges.' }),
  rotation: Type.Optional(
    Type.Number({
      minimum: -360,
      maximum: 360,
      description: 'Degrees counterclockwise. Default: 45 for text at `center` or as `tile`, else 0.',
    }),
  ),
  opacity: Type.Number({
    default: 0.3,
    minimum: 0.01,
    maximum: 1,
    description: 'From 0.01, hardly visible, to 1, opaque. Default: 0.3, for text, images and pages.',
  }),
  scale: Type.Optional(
    Type.Number({
      minimum: 0.01,
      maximum: 1,
      description: "Fraction of the page's width. Default: 0.5; text at an edge has a size of its own.",
    }),
  ),
  font: Type.String({ default: 'auto', maxLength: 64, description: `Font of the text: ${FONTS.join(', ')}.` }),
  fontSize: Type.Union([Type.Number({ minimum: 1, maximum: 1000 }), Type.Literal('auto')], {
    default: 'auto',
    description:
      'In points. `auto` makes the text as wide as `scale` says; at an edge, and without `scale`, it is a fiftieth of the ' +
      'shorter side of the page, which is 12 points on A4.',
  }),
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

const MAX_WARNINGS = 20

type StampInput = Partial<Static<typeof Stamp>>

const CONTENT_FIELDS = ['text', 'image', 'pdf'] as const

/** The stamps of a call: those in `stamps`, or the single one in its own fields. */
export function listStamps(input: StampInput & { stamps?: StampInput[] }): StampInput[] {
  const { stamps, ...single } = input
  const contentFields = CONTENT_FIELDS.filter(kind => single[kind] !== undefined)
  if (stamps && contentFields.length > 0)
    throw new Problem('CONFLICTING_OPTIONS', { fields: ['stamps', ...contentFields] })
  const list = stamps ?? [single]
  for (const stamp of list) exactlyOne(stamp, CONTENT_FIELDS)
  return list
}

export function listPagesOfStamp(file: InputFile, { pages = 'all' }: StampInput): number[] {
  return selectPages(file, pages).sort((a, b) => a - b)
}

/** A page with several stamps counts once. */
export function listStampedPages(input: { file: InputFile; stamps?: StampInput[] } & StampInput): number[] {
  const list = input.stamps ?? [input]
  return [...new Set(list.flatMap(stamp => listPagesOfStamp(input.file, stamp)))].sort((a, b) => a - b)
}

interface MissedPage {
  page: number
  /** The index of the stamp. */
  stamp: number
}

/** The pages that have a stamp, and what is said of the others. */
export function checkStamped(
  stamps: readonly { pages: readonly number[] }[],
  missed: readonly MissedPage[],
): { stampedPages: number; warnings: Warning[] } {
  const misses = new Set(missed.map(({ page, stamp }) => `${page} ${stamp}`))
  const hits = stamps.flatMap(({ pages }, stamp) => pages.filter(page => !misses.has(`${page} ${stamp}`)))
  if (hits.length === 0) throw new Problem('INVALID_PARAM', { field: 'offset', reason: 'the stamp is off every page' })
  const warnings = missed.slice(0, MAX_WARNINGS).map(({ page, stamp }) => {
    const message = `Stamp ${stamp + 1} lies outside of this page; change its position, offset or margin.`
    return { code: 'OFF_PAGE', message, page }
  })
  return { stampedPages: new Set(hits).size, warnings }
}

/** Where a text is a watermark; at an edge it is a number, a header or a footer. */
const ACROSS_PAGE = new Set(['center', 'tile'])

/** Applies the defaults to a stamp; `file` is its number among the assets, from 1. */
export function planStamp(stamp: StampInput, pages: number[], file: number | undefined) {
  const { text, layer = 'over', position = 'center', offset = { x: 0, y: 0 }, margin = 24, opacity = 0.3 } = stamp
  const { scale = 0.5, fontSize = 'auto', color = '#808080', bates = {}, font, bold } = stamp
  const kind = text === undefined ? (stamp.image ? 'image' : 'page') : 'text'
  const isAcross = ACROSS_PAGE.has(position)
  return {
    ...{ text, kind: kind as 'text' | 'image' | 'page', file, pages },
    ...{ position, offset, margin, opacity, scale, color },
    isUnder: layer === 'under',
    isSmall: !isAcross && stamp.scale === undefined,
    rotation: stamp.rotation ?? (kind === 'text' && isAcross ? 45 : 0),
    textStyle: chooseTextStyle(font, bold),
    fontSize: fontSize === 'auto' ? undefined : fontSize,
    bates: { prefix: '', start: 1, digits: 6, ...bates },
  }
}

/** JPEG stays JPEG, everything else becomes PNG to keep transparency; SVG gets enough pixels to stay sharp. */
export function buildConvertOptions({ type }: InputFile) {
  const to = type === 'image/jpeg' ? ('jpeg' as const) : ('png' as const)
  const width = type === 'image/svg+xml' ? { width: 2000 } : {}
  const fixedOptions = { lossless: false, animation: 'first', metadata: 'strip', icc: 'srgb', tolerant: false } as const
  const quality = to === 'jpeg' ? 92 : undefined
  return { ...fixedOptions, to, format: to, quality, background: '#ffffff', density: 96, sizes: [], ...width }
}

export function buildHiddenWarning(page: number): Warning {
  const message = 'The stamp is hidden below the content of this page; use layer `over`.'
  return { code: 'HIDDEN_BY_CONTENT', message, page }
}
