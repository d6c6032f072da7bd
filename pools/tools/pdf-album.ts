import { readFile } from 'node:fs/promises'
import { PDF, PdfDict, PdfName, PdfStream } from '@libpdf/core'
import { embedPicture } from './embedded-pictures.ts'
import { figure } from './pdf-lettering.ts'
import { colorOf } from './pdf-stamps.ts'
import { type Matrix, matrixText, multiply, numbers } from './pdf-view.ts'

export interface AlbumPlan {
  pictures: {
    /** As the EXIF tag says, 1 is upright. */
    orientation: number
    dpi: number
  }[]
  /** Points of an upright page; left out: as large as each picture. */
  size?: [width: number, height: number]
  orientation: 'auto' | 'portrait' | 'landscape'
  margin: number
  fit: 'contain' | 'cover' | 'fill' | 'shrink'
  background: string
  title?: string
}

/** A document with a page for each picture. */
export async function album(files: string[], plan: AlbumPlan): Promise<{ bytes: Uint8Array }> {
  const pdf = PDF.create()
  const ground = plan.background === 'transparent' ? undefined : colorOf(plan.background, 'background')
  for (const [index, file] of files.entries()) {
    const { orientation, dpi } = plan.pictures[index]!
    const { ref, width, height } = embedPicture(pdf, await readFile(file))
    const isTurned = orientation >= 5
    const points = (isTurned ? [height, width] : [width, height]).map(side => (side * 72) / dpi) as [number, number]
    const sheet = sheetFor(points, plan)
    const place = placeFor(points, sheet, plan)
    const matrix = multiply(TURNS[orientation] ?? TURNS[1]!, [place.width, 0, 0, place.height, place.x, place.y])
    const { margin } = plan
    const clip = [margin, margin, sheet.width - 2 * margin, sheet.height - 2 * margin].map(figure).join(' ')
    const painted = ground ? `q ${ground} rg 0 0 ${figure(sheet.width)} ${figure(sheet.height)} re f Q\n` : ''
    const content = `${painted}q ${clip} re W n ${matrixText(matrix)} cm /Picture Do Q`
    const page = pdf.addPage({ width: sheet.width, height: sheet.height })
    page.dict.set('MediaBox', numbers(0, 0, sheet.width, sheet.height))
    page.dict.set('Resources', PdfDict.of({ XObject: PdfDict.of({ Picture: ref }) }))
    page.dict.set('Contents', pdf.register(new PdfStream([], Buffer.from(content))))
    page.dict.set('Type', PdfName.of('Page'))
  }
  nameIt(pdf, plan.title)
  return { bytes: await pdf.save() }
}

/** A new document has placeholders for title and author, which say nothing that is true. */
function nameIt(pdf: PDF, title: string | undefined): void {
  const info = pdf.context.info.trailer.getDict('Info', ref => pdf.getObject(ref))
  for (const key of ['Title', 'Author']) info?.delete(key)
  if (title !== undefined) pdf.setTitle(title)
}

/** From the unit square of the picture as it is stored to that of the picture as it is shown. */
const TURNS: Record<number, Matrix> = {
  1: [1, 0, 0, 1, 0, 0],
  2: [-1, 0, 0, 1, 1, 0],
  3: [-1, 0, 0, -1, 1, 1],
  4: [1, 0, 0, -1, 0, 1],
  5: [0, -1, -1, 0, 1, 1],
  6: [0, -1, 1, 0, 0, 1],
  7: [0, 1, 1, 0, 0, 0],
  8: [0, 1, -1, 0, 1, 0],
}

const LARGEST_SIDE = 14_400

function sheetFor(
  [wide, high]: [number, number],
  { size, orientation, margin }: AlbumPlan,
): { width: number; height: number } {
  if (!size) {
    const scale = Math.min(1, (LARGEST_SIDE - 2 * margin) / Math.max(wide, high))
    return { width: Math.max(3, wide * scale) + 2 * margin, height: Math.max(3, high * scale) + 2 * margin }
  }
  const isLying = orientation === 'landscape' || (orientation === 'auto' && wide > high)
  const [short, long] = [...size].sort((a, b) => a - b) as [number, number]
  return isLying ? { width: long, height: short } : { width: short, height: long }
}

function placeFor(
  [wide, high]: [number, number],
  sheet: { width: number; height: number },
  { fit, margin, size }: AlbumPlan,
): { x: number; y: number; width: number; height: number } {
  const [roomWide, roomHigh] = [sheet.width - 2 * margin, sheet.height - 2 * margin]
  if (fit === 'fill' || !size) return { x: margin, y: margin, width: roomWide, height: roomHigh }
  const shares = [roomWide / wide, roomHigh / high] as const
  const scale = fit === 'cover' ? Math.max(...shares) : Math.min(...shares, fit === 'shrink' ? 1 : Infinity)
  const [width, height] = [wide * scale, high * scale]
  return { x: margin + (roomWide - width) / 2, y: margin + (roomHigh - height) / 2, width, height }
}
