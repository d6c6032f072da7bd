import { Problem, type Tools } from '#kit'
import type { FoundPlace, PageGeometry, PlaceSearch } from '../document.ts'
import { CERTIFICATE_TEXTS } from './certificate-texts.ts'
import { toArea } from './place.ts'
import type { SearchedDocument } from './text-index.ts'

const MARGIN = 56
const ROW = { height: 84, signature: 40 }
const TITLE_HEIGHT = 46
const CAPTION = { height: 12, size: 8 }
const DATE_WIDTH = 110
const GAP = 24

interface BlockLine {
  drawing: { kind: 'text'; text: string; isBold?: boolean } | { kind: 'rule' }
  x: number
  y: number
  w: number
  h: number
  font?: { size: number }
}

/** Adds lines to sign on: below the text of a page if there is room for them and that is wanted, else on a page of their own. */
export async function appendPlaces(
  { path: from, geometries, file, pages }: SearchedDocument,
  { style, page, signers, language }: NonNullable<PlaceSearch['fallback']>,
  { libpdf, out }: Pick<Tools, 'libpdf'> & { out(name: string): string },
): Promise<{ places: FoundPlace[]; changed: { file: number; path: string; pages: PageGeometry[] } }> {
  const last = geometries.at(-1)!
  const { chosen, top } = choosePage({ geometries, file, pages }, page)
  const needed = TITLE_HEIGHT + signers.length * ROW.height
  const isBelow = style === 'block' && chosen.hasText && top + needed + MARGIN <= chosen.height
  const added = { width: last.width, height: last.height, rotation: 0, isCropped: false, hasText: true } as const
  const rowsOfPage = isBelow
    ? signers.length
    : Math.max(1, Math.floor((last.height - 2 * MARGIN - TITLE_HEIGHT) / ROW.height))
  let path = from
  const allPages = [...geometries]
  const places: FoundPlace[] = []
  for (let first = 0; first < signers.length; first += rowsOfPage) {
    const geometry = isBelow ? chosen : { ...added, number: allPages.length + 1 }
    const block = arrangeBlock(
      signers.slice(first, first + rowsOfPage),
      file,
      geometry,
      isBelow ? top : MARGIN,
      language,
    )
    const fields = block.lines.map(({ x, y, w, h, ...line }) => ({
      ...{ ...line, page: geometry.number },
      ...toArea(file, geometry.number, { x, y, w, h }, geometry),
    }))
    const newPage = isBelow ? undefined : { width: geometry.width, height: geometry.height }
    path = await libpdf.drawOnPages(path, { fields, newPage, to: out(`block-${file}-${first}.pdf`) })
    if (!isBelow) allPages.push(geometry)
    places.push(...block.places)
  }
  return { places, changed: { file, path, pages: allPages } }
}

/** The page on which a block is wanted, and where on it the text ends. */
function choosePage(
  { geometries, file, pages }: Omit<SearchedDocument, 'path'>,
  page: NonNullable<PlaceSearch['fallback']>['page'],
) {
  const number = page === 'last' ? geometries.length : page
  const chosen = geometries[number - 1]
  if (!chosen)
    throw new Problem('FIELD_OUT_OF_PAGE', { field: 'autoPlaceSignature', file, page, pages: geometries.length })
  const lowest = Math.max(0, ...(pages[number - 1]?.lines.map(({ box }) => box[3]) ?? []))
  return { chosen, top: lowest + GAP }
}

function arrangeBlock(
  signers: readonly { recipient: number; name: string }[],
  file: number,
  geometry: PageGeometry,
  top: number,
  language: keyof typeof CERTIFICATE_TEXTS,
): { lines: BlockLine[]; places: FoundPlace[] } {
  const texts = CERTIFICATE_TEXTS[language]
  const width = geometry.width - 2 * MARGIN
  const title = { kind: 'text', text: texts.signatures, isBold: true } as const
  const lines: BlockLine[] = [{ drawing: title, x: MARGIN, y: top, w: width, h: 20, font: { size: 13 } }]
  const places: FoundPlace[] = []
  // On a page that is read from right to left, the signature stands at the right.
  const signX = geometry.isRightToLeft ? MARGIN + DATE_WIDTH + GAP : MARGIN
  const dateX = geometry.isRightToLeft ? MARGIN : MARGIN + width - DATE_WIDTH
  for (const [index, { recipient, name }] of signers.entries()) {
    const y = top + TITLE_HEIGHT - 10 + index * ROW.height
    const sign = { x: signX, y, w: width - DATE_WIDTH - GAP, h: ROW.signature }
    const date = { x: dateX, y: y + ROW.signature - 18, w: DATE_WIDTH, h: 18 }
    const captions = { y: y + ROW.signature + 2, h: CAPTION.height, font: { size: CAPTION.size } }
    lines.push(
      { ...sign, drawing: { kind: 'rule' } },
      { ...date, drawing: { kind: 'rule' } },
      { ...captions, x: signX, w: sign.w, drawing: { kind: 'text', text: name } },
      { ...captions, x: dateX, w: DATE_WIDTH, drawing: { kind: 'text', text: texts.date } },
    )
    const place = { from: 'appended', recipient, text: name } as const
    places.push(
      { ...place, type: 'signature', ...toArea(file, geometry.number, sign, geometry) },
      { ...place, type: 'date', ...toArea(file, geometry.number, date, geometry) },
    )
  }
  return { lines, places }
}
