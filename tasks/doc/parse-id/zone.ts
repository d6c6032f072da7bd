import type { InputFile } from '#kit'
import type { DocumentPage } from '../../formats/document/page.ts'
import type { Rect } from '../../formats/geometry/rect.ts'
import { countValid, findMrz, isValidMrz, type Mrz } from '../../formats/identity/mrz.ts'
import type { Tools } from '../../kit/operation.ts'

export interface FoundZone {
  mrz: Mrz
  box: Rect
}

type ZoneTools = Pick<Tools, 'sharp' | 'tesseract' | 'pageRenderer'>

const CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789<'
/** The zone has two or three lines across the page; others are not looked at. */
const MIN_CHARACTERS = 20

/** The machine readable zone of a page; if its check digits fail, it is read again for the characters it can have. */
export async function findZone(
  file: InputFile,
  { page, path, number }: { page: DocumentPage; path: string; number: number },
  tools: ZoneTools,
): Promise<FoundZone | undefined> {
  const found = findInPage(page)
  if (page.source === 'text-layer' || (found && isValidMrz(found.mrz))) return found
  const again = await readAgain(file, { path, number, rotation: page.rotation as 0 | 90 | 180 | 270 }, tools)
  const other = findMrz(again)
  if (!other || (found && countValid(found.mrz) >= countValid(other.mrz))) return found
  return { mrz: other.mrz, box: found?.box ?? [0, 0, page.width, page.height] }
}

function findInPage(page: DocumentPage): FoundZone | undefined {
  const lines = page.lines.filter(({ text }) => text.replaceAll(' ', '').length >= MIN_CHARACTERS)
  const found = findMrz(lines.map(({ text }) => text))
  if (!found) return undefined
  const boxes = lines.slice(found.first, found.first + found.mrz.lines.length).map(({ box }) => box)
  const box: Rect = [
    Math.min(...boxes.map(([left]) => left)),
    Math.min(...boxes.map(([, top]) => top)),
    Math.max(...boxes.map(([, , right]) => right)),
    Math.max(...boxes.map(([, , , bottom]) => bottom)),
  ]
  return { mrz: found.mrz, box }
}

async function readAgain(
  { type }: InputFile,
  { path, number, rotation }: { path: string; number: number; rotation: 0 | 90 | 180 | 270 },
  { sharp, tesseract, pageRenderer }: ZoneTools,
): Promise<string[]> {
  const options = { enlarge: 2, invert: false, stretch: true, rotation }
  const image =
    type === 'application/pdf'
      ? { path: await pageRenderer.renderGray(path, number) }
      : await sharp.prepareOcrInput(path, { ...options, ...(number > 1 && { page: number - 1 }) })
  const { lines } = await tesseract.recognize(image, { languages: ['eng'], layout: 6, whitelist: CHARACTERS })
  return lines.map(({ text }) => text).filter(text => text.replaceAll(' ', '').length >= MIN_CHARACTERS)
}
