import { type FileContent, Problem, type Tools, type Warning } from '#kit'
import type { Size } from '../../formats/geometry/region.ts'
import { createCapacityProblem, isTooLong } from '../../formats/qr/options.ts'
import type { ModuleMatrix } from '../../formats/raster/image.ts'
import { drawDesign, type QrDesign } from './compose.ts'

export const LEVEL = 'H'
export const MIN_LOGO_SCALE = 0.05
/** Pixels per module that are enough for reading the code. */
const READ_SCALE = 8
const REDUCTION = 0.85

export async function encodeOrRefuse(
  text: string,
  version: number | undefined,
  barcode: Tools['barcode'],
): Promise<ModuleMatrix> {
  const encode = (candidate: string, ecc: typeof LEVEL) =>
    barcode.encodeMatrix({ variant: 'qr', text: candidate, ecc, version })
  const matrix = isTooLong(text, 'qr', LEVEL) ? undefined : await encode(text, LEVEL)
  if (matrix) return matrix
  const options = { ecc: LEVEL, variant: 'qr', version } as const
  const problem = await createCapacityProblem(
    text,
    options,
    async shorter => (await encode(shorter, LEVEL)) !== undefined,
  )
  const { suggestEcc: _, ...hints } = problem.hints
  throw new Problem('QR_CAPACITY_EXCEEDED', hints)
}

/** The largest scale of the logo, at most the given one, at which a reader finds the text; undefined if there is none. */
export async function findReadableScale(
  design: QrDesign,
  text: string,
  { logoScale, scale }: { logoScale: number; scale: number },
  tools: Pick<Tools, 'sharp' | 'barcodeReader'>,
): Promise<number | undefined> {
  const pixels = Math.min(scale, READ_SCALE)
  for (let tried = logoScale; tried >= MIN_LOGO_SCALE; tried = Math.round(tried * REDUCTION * 1000) / 1000) {
    if (await canBeRead(drawDesign(design, tried, pixels), text, tools)) return tried
  }
  return undefined
}

async function canBeRead(
  svg: string,
  text: string,
  { sharp, barcodeReader }: Pick<Tools, 'sharp' | 'barcodeReader'>,
): Promise<boolean> {
  const { bytes, path, width, height }: FileContent & Size = await sharp.drawVector(svg, { format: 'grey' })
  const image = bytes ? { grey: bytes, width, height } : { greyPath: path!, width, height }
  const found = await barcodeReader.read(image, { max: 1, tryHarder: true, tryInvert: false })
  const wanted = Buffer.from(text)
  return found.some(code => code.text === text || Buffer.from(code.bytes, 'base64').equals(wanted))
}

export const LOGO_REDUCED: Warning = {
  code: 'LOGO_REDUCED',
  message: 'The code could not be read with a logo of this size, so the logo is smaller.',
}
