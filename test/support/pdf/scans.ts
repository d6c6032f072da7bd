import sharp from 'sharp'
import { buildPdf, pdfStream } from './document.ts'

/** Lines of text at the given places of a page of 300 x 200 points, by the baseline, from the top left corner. */
export interface ScannedText {
  text: string
  x: number
  y: number
}

const [WIDTH, HEIGHT, DPI] = [300, 200, 150]

interface ScanOptions {
  /** Clockwise, of the paper on the scanner. */
  degrees?: number
  /** Shade of the letters, from 0. */
  ink?: number
  font?: string
}

/** A scan as an image. */
export function drawScan(
  lines: readonly ScannedText[],
  { degrees = 0, ink = 0, font = 'DejaVu Sans' }: ScanOptions = {},
) {
  const texts = lines.map(({ text, x, y }) => `<text x="${x}" y="${y}" font-size="14">${text}</text>`).join('')
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${(WIDTH * DPI) / 72}" height="${(HEIGHT * DPI) / 72}"><rect width="100%" height="100%" fill="white"/><g font-family="${font}" fill="rgb(${ink},${ink},${ink})" transform="rotate(${degrees} ${WIDTH / 2} ${HEIGHT / 2})">${texts}</g></svg>`
  return sharp(Buffer.from(svg)).grayscale().toColourspace('b-w')
}

/** A page of that image; `page` and `objects` add to it. */
export async function scanPdf(
  lines: readonly ScannedText[],
  {
    page = '',
    content = '',
    objects = [],
    box = [0, 0],
    ...options
  }: ScanOptions & {
    page?: string
    content?: string
    objects?: readonly string[]
    box?: readonly [number, number]
  } = {},
): Promise<Buffer> {
  const { data, info } = await drawScan(lines, options).jpeg({ quality: 80 }).toBuffer({ resolveWithObject: true })
  const head = `/Type /XObject /Subtype /Image /Width ${info.width} /Height ${info.height} /BitsPerComponent 8`
  const [left, bottom] = box
  return buildPdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [${left} ${bottom} ${left + WIDTH} ${bottom + HEIGHT}] /Contents 4 0 R /Resources << /XObject << /I 5 0 R >> /Font << /F 6 0 R >> >> ${page} >>`,
    pdfStream(`q ${WIDTH} 0 0 ${HEIGHT} ${left} ${bottom} cm /I Do Q ${content}`),
    pdfStream(data.toString('latin1'), `${head} /ColorSpace /DeviceGray /Filter /DCTDecode`),
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...objects,
  ])
}
