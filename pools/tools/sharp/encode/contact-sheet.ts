import sharp, { type OverlayOptions } from 'sharp'
import { Problem, type Warning } from '#kit'
import type { Size } from '../../../../tasks/formats/geometry/region.ts'
import { checkDimensions, encode, type ImageResult, type OutputOptions, parseColor } from '../output.ts'
import { type ImageSource, MAX_PIXELS, openImage, readSource, toProblem } from '../source.ts'
import { renderText } from '../text.ts'
import { warnOfOutside } from './outside.ts'

export interface ContactSheetOptions extends OutputOptions {
  columns: 'auto' | number
  cell: Size
  fit: 'cover' | 'contain'
  gap: number
  padding: number
  labels?: string[]
  font: string
  skipBroken: boolean
}

const LABEL_HEIGHT = 24
const LABEL_FONT_SIZE = 14

/** Images are decoded one after the other, so that only one of them is in memory. */
export async function drawContactSheet(files: string[], options: ContactSheetOptions): Promise<ImageResult> {
  const { cell, gap, padding } = options
  const columns = options.columns === 'auto' ? Math.ceil(Math.sqrt(files.length)) : options.columns
  const columnsUsed = Math.min(columns, files.length)
  const rowHeight = cell.height + (options.labels ? LABEL_HEIGHT : 0)
  const width = 2 * padding + columnsUsed * (cell.width + gap) - gap
  const height = 2 * padding + Math.ceil(files.length / columns) * (rowHeight + gap) - gap
  const background = parseColor('background', options.background)
  checkDimensions(options.format === 'keep' ? 'png' : options.format, width, height, MAX_PIXELS)
  const warnings: Warning[] = []
  const parts: OverlayOptions[] = []
  const formats = new Set<string>()
  for (const [index, file] of files.entries()) {
    const left = padding + (index % columns) * (cell.width + gap)
    const top = padding + Math.floor(index / columns) * (rowHeight + gap)
    const { input, format } = await renderCell(file, index, options, warnings)
    formats.add(format)
    parts.push({ input, left, top })
    const label = options.labels?.[index]
    if (label) parts.push(await renderLabel(label, { left, top: top + cell.height }, options))
  }
  const canvas = sharp({ create: { width, height, channels: 4, background } }).composite(parts)
  const kept = formats.size === 1 && formats.has('jpeg') ? 'jpeg' : 'png'
  return encodeSheet(await canvas.png({ compressionLevel: 0 }).toBuffer(), kept, options, warnings)
}

/** Writes the format that all images have if that is asked for, unless it would lose what shows through. */
async function encodeSheet(
  bytes: Buffer,
  kept: 'jpeg' | 'png',
  options: ContactSheetOptions,
  warnings: Warning[],
): Promise<ImageResult> {
  const metadata = await sharp(bytes).metadata()
  const { width, height } = metadata
  const source: ImageSource = {
    file: '',
    format: 'png',
    width,
    height,
    frames: 1,
    pages: 1,
    metadata,
    isTruncated: false,
    unreadFrames: 1,
  }
  const sheet = sharp(bytes)
  const { isOpaque } = await sharp(bytes).stats()
  if (isOpaque) sheet.removeAlpha()
  const format = options.format === 'keep' ? (isOpaque ? kept : 'png') : options.format
  const encoded = await encode(sheet, source, { ...options, format })
  return { ...encoded, warnings: [...encoded.warnings, ...warnings] }
}

async function renderCell(
  file: string,
  index: number,
  options: ContactSheetOptions,
  warnings: Warning[],
): Promise<{ input: Buffer; format: string }> {
  const { cell, fit, skipBroken, tolerant } = options
  try {
    const source = await readSource(file)
    const scale = Math.max(cell.width / source.width, cell.height / source.height)
    const background = parseColor('background', options.background)
    const input = await openImage(source, { tolerant, density: Math.min(2400, Math.max(1, 72 * scale)) })
      .resize({ ...cell, fit, background })
      .toColourspace('srgb')
      .ensureAlpha()
      .png({ compressionLevel: 1 })
      .toBuffer()
    warnings.push(...(await warnOfMissing(source, index)))
    return { input, format: source.format }
  } catch (error) {
    const problem = toProblem(error)
    if (!(problem instanceof Problem)) throw error
    if (!skipBroken) throw new Problem(problem.code, { ...problem.hints, index })
    warnings.push({
      code: 'INPUT_SKIPPED',
      message: `File ${index} cannot be decoded; a placeholder is shown instead.`,
    })
    return { input: await drawPlaceholder(cell), format: 'none' }
  }
}

/** What of an image its cell does not show. */
async function warnOfMissing(source: ImageSource, index: number): Promise<Warning[]> {
  const frames = Math.max(source.frames, source.unreadFrames)
  const warn = (code: string, message: string) => ({ code, message: `File ${index}: ${message}` })
  return [
    ...(frames > 1 ? [warn('ANIMATION_FLATTENED', `Only the first of ${frames} frames is shown.`)] : []),
    ...(source.pages > frames ? [warn('PAGES_DROPPED', `Only the first of ${source.pages} pages is shown.`)] : []),
    ...(await warnOfOutside(source)).map(({ code, message }) => warn(code, message)),
  ]
}

function drawPlaceholder({ width, height }: ContactSheetOptions['cell']): Promise<Buffer> {
  const cross = `M0 0L${width} ${height}M0 ${height}L${width} 0`
  const shapes = `<rect width="100%" height="100%" fill="#ddd"/><path d="${cross}" stroke="#aaa" stroke-width="2"/>`
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${shapes}</svg>`
  return sharp(Buffer.from(svg)).png().toBuffer()
}

async function renderLabel(
  label: string,
  position: { left: number; top: number },
  { cell, font }: ContactSheetOptions,
): Promise<OverlayOptions> {
  const rendered = await renderText(label, { font, fontSize: LABEL_FONT_SIZE, color: '#000000' })
  const { data, info } = await sharp(rendered)
    .resize({ width: cell.width, height: LABEL_HEIGHT - 4, fit: 'inside', withoutEnlargement: true })
    .png()
    .toBuffer({ resolveWithObject: true })
  return { input: data, left: position.left + ((cell.width - info.width) >> 1), top: position.top + 2 }
}
