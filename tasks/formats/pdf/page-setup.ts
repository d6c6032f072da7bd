import { type Static, Type } from 'typebox'
import { Choice, Problem } from '#kit'

const INCHES_PER_UNIT = { pt: 1 / 72, px: 1 / 96, in: 1, mm: 1 / 25.4, cm: 1 / 2.54 } as const

const Length = (options: Record<string, unknown> = {}) =>
  Type.Union(
    [
      Type.Number({ minimum: 0, maximum: 14_400 }),
      Type.String({ pattern: '^\\d{1,5}(\\.\\d{1,4})?\\s*(pt|px|in|mm|cm)$' }),
    ],
    {
      description: 'Points, or a number with pt, mm, cm, in or px.',
      ...options,
    },
  )

/** Width and height in inches, portrait. */
const PAGE_FORMATS = {
  A0: [33.1102, 46.811],
  A1: [23.3858, 33.1102],
  A2: [16.5354, 23.3858],
  A3: [11.6929, 16.5354],
  A4: [8.2677, 11.6929],
  A5: [5.8268, 8.2677],
  A6: [4.1339, 5.8268],
  Letter: [8.5, 11],
  Legal: [8.5, 14],
  Tabloid: [11, 17],
  Ledger: [17, 11],
} as const

export const PageField = Type.Object(
  {
    format: Choice(Object.keys(PAGE_FORMATS) as (keyof typeof PAGE_FORMATS)[], { default: 'A4' }),
    width: Type.Optional(Length()),
    height: Type.Optional(Length()),
    margin: Type.Union(
      [
        Length(),
        Type.Object({
          top: Type.Optional(Length()),
          right: Type.Optional(Length()),
          bottom: Type.Optional(Length()),
          left: Type.Optional(Length()),
        }),
      ],
      { default: '10mm', description: 'One value for all sides, or one per side; an omitted side has no margin.' },
    ),
    landscape: Type.Boolean({ default: false }),
    scale: Type.Number({ default: 1, minimum: 0.1, maximum: 2 }),
    preferCssPageSize: Type.Boolean({ default: false, description: 'Let @page rules set the size.' }),
    single: Type.Boolean({ default: false, description: 'A single page as tall as needed, at most 200 inches.' }),
    ranges: Type.Optional(
      Type.String({ maxLength: 1000, pattern: '^[\\d,\\s-]+$', description: 'Pages to keep, such as 1-3,5.' }),
    ),
  },
  { default: {} },
)

export type PageField = Static<typeof PageField>

/** Page setup with all lengths in inches. */
export function resolvePageSetup({ format, width, height, margin, ...rest }: PageField) {
  const [formatWidth, formatHeight] = PAGE_FORMATS[format]
  const sides = typeof margin === 'object' ? margin : { top: margin, right: margin, bottom: margin, left: margin }
  const pageSetup = {
    width: width === undefined ? formatWidth : toInches(width),
    height: height === undefined ? formatHeight : toInches(height),
    margin: {
      top: toInches(sides.top ?? 0),
      right: toInches(sides.right ?? 0),
      bottom: toInches(sides.bottom ?? 0),
      left: toInches(sides.left ?? 0),
    },
  }
  const smallest = Math.min(pageSetup.width, pageSetup.height)
  if (smallest < 0.1)
    throw new Problem('INVALID_PARAM', { field: pageSetup.width < 0.1 ? 'page.width' : 'page.height' })
  return { ...pageSetup, ...rest }
}

function toInches(length: number | string): number {
  if (typeof length === 'number') return length * INCHES_PER_UNIT.pt
  const [, amount, unit] = /^([\d.]+)\s*(\w+)$/.exec(length)!
  return Number(amount) * INCHES_PER_UNIT[unit as keyof typeof INCHES_PER_UNIT]
}

/** What stands at the top or the bottom of each page. */
export const PageHtml = Type.Optional(
  Type.String({
    maxLength: 20_000,
    description: 'HTML; elements of class date, title, url, pageNumber or totalPages are filled in.',
  }),
)

export const MetadataField = Type.Optional(
  Type.Object({
    title: Type.Optional(Type.String({ maxLength: 1000 })),
    author: Type.Optional(Type.String({ maxLength: 1000 })),
    subject: Type.Optional(Type.String({ maxLength: 1000 })),
    keywords: Type.Optional(Type.Array(Type.String({ maxLength: 200 }), { maxItems: 100 })),
    creator: Type.Optional(Type.String({ maxLength: 1000 })),
    language: Type.Optional(Type.String({ pattern: '^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$' })),
  }),
)
