import { readFile } from 'node:fs/promises'
import { PDF, PdfDict, PdfName, PdfStream } from '@libpdf/core'
import { Problem } from '#kit'
import { formatNumber } from '../content/embedded-fonts.ts'
import { embedImage } from '../content/embedded-images.ts'
import { formatMatrix, type Matrix, multiplyMatrices, numberArray } from '../content/page-view.ts'
import { formatColor } from './stamps.ts'

export interface FromImagesPlan {
  images: {
    /** The EXIF orientation; 1 is upright. */
    orientation: number
    dpi: number
  }[]
  /** Points of an upright page. Default: each page is as large as its image. */
  size?: [width: number, height: number]
  orientation: 'auto' | 'portrait' | 'landscape'
  margin: number
  fit: 'contain' | 'cover' | 'fill' | 'shrink'
  background: string
  title?: string
}

/** Creates a document with one page per image. */
export async function createFromImages(files: string[], plan: FromImagesPlan): Promise<{ bytes: Uint8Array }> {
  const pdf = PDF.create()
  const background = plan.background === 'transparent' ? undefined : formatColor(plan.background, 'background')
  for (const [index, file] of files.entries()) {
    const { orientation, dpi } = plan.images[index]!
    const { ref, width, height } = embedWithIndex(pdf, await readFile(file), index)
    const isSideways = orientation >= 5
    const points = (isSideways ? [height, width] : [width, height]).map(side => (side * 72) / dpi) as [number, number]
    const pageSize = choosePageSize(points, plan)
    const area = placeImage(points, pageSize, plan)
    const matrix = multiplyMatrices(ORIENTATIONS[orientation] ?? ORIENTATIONS[1]!, [
      area.width,
      0,
      0,
      area.height,
      area.x,
      area.y,
    ])
    const { margin } = plan
    const clip = [margin, margin, pageSize.width - 2 * margin, pageSize.height - 2 * margin].map(formatNumber).join(' ')
    const backgroundFill = background
      ? `q ${background} rg 0 0 ${formatNumber(pageSize.width)} ${formatNumber(pageSize.height)} re f Q\n`
      : ''
    const content = `${backgroundFill}q ${clip} re W n ${formatMatrix(matrix)} cm /Image Do Q`
    const page = pdf.addPage({ width: pageSize.width, height: pageSize.height })
    page.dict.set('MediaBox', numberArray(0, 0, pageSize.width, pageSize.height))
    page.dict.set('Resources', PdfDict.of({ XObject: PdfDict.of({ Image: ref }) }))
    page.dict.set('Contents', pdf.register(new PdfStream([], Buffer.from(content))))
    page.dict.set('Type', PdfName.of('Page'))
  }
  setTitle(pdf, plan.title)
  return { bytes: await pdf.save() }
}

function embedWithIndex(pdf: PDF, bytes: Buffer, index: number) {
  try {
    return embedImage(pdf, bytes)
  } catch (error) {
    throw error instanceof Problem ? new Problem(error.code, { ...error.hints, index }) : error
  }
}

/** libpdf puts placeholders for title and author into a new document; remove them. */
function setTitle(pdf: PDF, title: string | undefined): void {
  const info = pdf.context.info.trailer.getDict('Info', ref => pdf.getObject(ref))
  for (const key of ['Title', 'Author']) info?.delete(key)
  if (title !== undefined) pdf.setTitle(title)
}

/** Maps the unit square of the stored image to the unit square of the displayed image, by EXIF orientation. */
const ORIENTATIONS: Record<number, Matrix> = {
  1: [1, 0, 0, 1, 0, 0],
  2: [-1, 0, 0, 1, 1, 0],
  3: [-1, 0, 0, -1, 1, 1],
  4: [1, 0, 0, -1, 0, 1],
  5: [0, -1, -1, 0, 1, 1],
  6: [0, -1, 1, 0, 0, 1],
  7: [0, 1, 1, 0, 0, 0],
  8: [0, 1, -1, 0, 1, 0],
}

const MAX_PAGE_SIDE = 14_400

function choosePageSize(
  [imageWidth, imageHeight]: [number, number],
  { size, orientation, margin }: FromImagesPlan,
): { width: number; height: number } {
  if (!size) {
    const scale = Math.min(1, (MAX_PAGE_SIDE - 2 * margin) / Math.max(imageWidth, imageHeight))
    return {
      width: Math.max(3, imageWidth * scale) + 2 * margin,
      height: Math.max(3, imageHeight * scale) + 2 * margin,
    }
  }
  const isLandscape = orientation === 'landscape' || (orientation === 'auto' && imageWidth > imageHeight)
  const [short, long] = [...size].sort((a, b) => a - b) as [number, number]
  return isLandscape ? { width: long, height: short } : { width: short, height: long }
}

function placeImage(
  [imageWidth, imageHeight]: [number, number],
  pageSize: { width: number; height: number },
  { fit, margin, size }: FromImagesPlan,
): { x: number; y: number; width: number; height: number } {
  const [innerWidth, innerHeight] = [pageSize.width - 2 * margin, pageSize.height - 2 * margin]
  if (fit === 'fill' || !size) return { x: margin, y: margin, width: innerWidth, height: innerHeight }
  const ratios = [innerWidth / imageWidth, innerHeight / imageHeight] as const
  const scale = fit === 'cover' ? Math.max(...ratios) : Math.min(...ratios, fit === 'shrink' ? 1 : Infinity)
  const [width, height] = [imageWidth * scale, imageHeight * scale]
  return { x: margin + (innerWidth - width) / 2, y: margin + (innerHeight - height) / 2, width, height }
}
