import { type Static, Type } from 'typebox'
import { Choice, PageRanges } from '#kit'
import { PAGE_SIZES } from '../../formats/pdf/standard-sizes.ts'
import { allowBreakSignatures, PdfInput, password } from '../schema.ts'

const Action = <const Name extends string>(name: Name) => Type.Unsafe<Name>({ type: 'string', const: name })
const Points = (description = 'Points.') => Type.Number({ default: 0, minimum: 0, maximum: 200, description })
const pages = PageRanges({ default: 'all' })
const pageSize = Choice(PAGE_SIZES, { default: 'A4' })
const rest = { password, allowBreakSignatures }

const PagesPerSheet = Type.Object({
  action: Action('n-up'),
  file: PdfInput(),
  perSheet: Type.Unsafe<2 | 4 | 6 | 8 | 9 | 16>({ type: 'integer', enum: [2, 4, 6, 8, 9, 16], default: 2 }),
  pages,
  pageSize,
  orientation: Choice(['auto', 'portrait', 'landscape'], {
    default: 'auto',
    description: 'Of the sheet; `auto`: in which the first page is larger.',
  }),
  order: Choice(['rows', 'columns'], { default: 'rows' }),
  margin: Points(),
  gap: Points('Points between the pages.'),
  border: Type.Boolean({ default: false, description: 'Draw a thin line around each page.' }),
  ...rest,
})

const Booklet = Type.Object({
  action: Action('booklet'),
  file: PdfInput(),
  pages,
  pageSize,
  binding: Choice(['left', 'right'], { default: 'left', description: '`right` for what is read from right to left.' }),
  margin: Points(),
  gap: Points('Points between the two pages.'),
  ...rest,
})

const Resize = Type.Object({
  action: Action('resize'),
  file: PdfInput(),
  pages,
  pageSize,
  orientation: Choice(['auto', 'portrait', 'landscape'], { default: 'auto', description: '`auto` follows each page.' }),
  margin: Points(),
  ...rest,
})

const Side = Type.Number({ default: 0, minimum: 0, maximum: 14_400 })

const Crop = Type.Object({
  action: Action('crop'),
  file: PdfInput(),
  pages,
  cut: Type.Optional(
    Type.Object(
      { top: Side, right: Side, bottom: Side, left: Side },
      { description: 'Points to cut from each side of the page as displayed.' },
    ),
  ),
  box: Type.Optional(
    Type.Object(
      { left: Type.Number(), top: Type.Number(), right: Type.Number(), bottom: Type.Number() },
      { description: 'What to keep, in points from the top left corner of the page as displayed.' },
    ),
  ),
  ...rest,
})

export type LayoutInput =
  | Static<typeof PagesPerSheet>
  | Static<typeof Booklet>
  | Static<typeof Resize>
  | Static<typeof Crop>

export const LayoutInput = Type.Unsafe<LayoutInput>({
  oneOf: [PagesPerSheet, Booklet, Resize, Crop],
  discriminator: { propertyName: 'action' },
})
