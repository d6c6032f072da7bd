import sharp, { type OverlayOptions } from 'sharp'
import { Problem, type Warning } from '#kit'
import { checkSide, colorOf, type EncodedImage, encode, type OutputOptions, targetFormat } from './sharp-output.ts'
import { asProblem, type ImageSource, MOST_PIXELS, openImage, sourceOf } from './sharp-source.ts'

export interface SheetOptions extends OutputOptions {
  columns: 'auto' | number
  cell: { width: number; height: number }
  fit: 'cover' | 'contain'
  gap: number
  padding: number
  labels?: string[]
  font: string
  skipBroken: boolean
}

const LABEL_HEIGHT = 24
const LABEL_SIZE = 14

/** Pictures one after the other, so that only one of them is in memory. */
export async function contactSheet(files: string[], options: SheetOptions): Promise<EncodedImage> {
  const { cell, gap, padding } = options
  const columns = options.columns === 'auto' ? Math.ceil(Math.sqrt(files.length)) : options.columns
  const across = Math.min(columns, files.length)
  const rowHeight = cell.height + (options.labels ? LABEL_HEIGHT : 0)
  const width = 2 * padding + across * (cell.width + gap) - gap
  const height = 2 * padding + Math.ceil(files.length / columns) * (rowHeight + gap) - gap
  const background = colorOf('background', options.background)
  checkSide(options.format === 'keep' ? 'png' : options.format, width, height, MOST_PIXELS)
  const warnings: Warning[] = []
  const parts: OverlayOptions[] = []
  for (const [index, file] of files.entries()) {
    const left = padding + (index % columns) * (cell.width + gap)
    const top = padding + Math.floor(index / columns) * (rowHeight + gap)
    parts.push({ input: await pictureOf(file, index, options, warnings), left, top })
    const label = options.labels?.[index]
    if (label) parts.push(await labelAt(label, { left, top: top + cell.height }, options))
  }
  const canvas = sharp({ create: { width, height, channels: 4, background } }).composite(parts)
  return finished(await canvas.png({ compressionLevel: 0 }).toBuffer(), options, warnings)
}

async function finished(bytes: Buffer, options: SheetOptions, warnings: Warning[]): Promise<EncodedImage> {
  const metadata = await sharp(bytes).metadata()
  const { width, height } = metadata
  const source: ImageSource = { file: '', format: 'png', width, height, frames: 1, pages: 1, metadata, isCut: false }
  const sheet = sharp(bytes)
  if (targetFormat(source, options) !== 'jpeg' && (await sharp(bytes).stats()).isOpaque) sheet.removeAlpha()
  const made = await encode(sheet, source, options)
  return { ...made, warnings: [...made.warnings, ...warnings] }
}

async function pictureOf(file: string, index: number, options: SheetOptions, warnings: Warning[]): Promise<Buffer> {
  const { cell, fit, skipBroken, tolerant } = options
  try {
    const source = await sourceOf(file)
    const scale = Math.max(cell.width / source.width, cell.height / source.height)
    const background = colorOf('background', options.background)
    return await openImage(source, { tolerant, density: Math.min(2400, Math.max(1, 72 * scale)) })
      .resize({ ...cell, fit, background })
      .toColourspace('srgb')
      .ensureAlpha()
      .png({ compressionLevel: 1 })
      .toBuffer()
  } catch (error) {
    const problem = asProblem(error)
    if (!(problem instanceof Problem)) throw error
    if (!skipBroken) throw new Problem(problem.code, { ...problem.hints, index })
    warnings.push({ code: 'INPUT_SKIPPED', message: `File ${index} cannot be decoded; a placeholder stands for it.` })
    return placeholder(cell)
  }
}

/** A grey field with a cross. */
function placeholder({ width, height }: SheetOptions['cell']): Promise<Buffer> {
  const cross = `M0 0L${width} ${height}M0 ${height}L${width} 0`
  const field = `<rect width="100%" height="100%" fill="#ddd"/><path d="${cross}" stroke="#aaa" stroke-width="2"/>`
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${field}</svg>`
  return sharp(Buffer.from(svg)).png().toBuffer()
}

async function labelAt(
  label: string,
  at: { left: number; top: number },
  { cell, font }: SheetOptions,
): Promise<OverlayOptions> {
  const plain = label.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  const text = {
    text: `<span foreground="#000000">${plain}</span>`,
    font: `${font} ${LABEL_SIZE}`,
    dpi: 72,
    rgba: true,
  }
  const drawn = await sharp({ text }).png().toBuffer()
  const { data, info } = await sharp(drawn)
    .resize({ width: cell.width, height: LABEL_HEIGHT - 4, fit: 'inside', withoutEnlargement: true })
    .png()
    .toBuffer({ resolveWithObject: true })
  return { input: data, left: at.left + ((cell.width - info.width) >> 1), top: at.top + 2 }
}
