import sharp from 'sharp'

const WIDTH = 2_048
const HEIGHT = 1_536
const LINES = 40

/** A JPEG of three megapixels with as much detail as a photograph: waves under a soft grain. */
export async function createPhotograph(): Promise<Buffer> {
  const pixels = Buffer.alloc(WIDTH * HEIGHT * 3)
  let grain = 1
  for (let offset = 0; offset < pixels.length; offset += 3) {
    const x = (offset / 3) % WIDTH
    const y = Math.floor(offset / 3 / WIDTH)
    grain = (Math.imul(grain, 1_103_515_245) + 12_345) >>> 0
    const noise = (grain >>> 27) - 16
    pixels[offset] = 128 + 100 * Math.sin(x / 90) + noise
    pixels[offset + 1] = 128 + 100 * Math.sin(y / 60) + noise
    pixels[offset + 2] = 128 + 100 * Math.sin((x + y) / 120) + noise
  }
  return sharp(pixels, { raw: { width: WIDTH, height: HEIGHT, channels: 3 } })
    .jpeg({ quality: 85 })
    .toBuffer()
}

/** A PDF with `pages` pages of text, each with its own content stream. */
export function createTextPdf(pages: number, title: string): Buffer {
  const objects = ['<< /Type /Catalog /Pages 2 0 R >>', '', '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>']
  const kids: string[] = []
  for (let page = 1; page <= pages; page++) {
    const text = buildContentStream(title, page)
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents ${objects.length + 2} 0 R >>`,
    )
    kids.push(`${objects.length} 0 R`)
    objects.push(`<< /Length ${text.length} >>\nstream\n${text}\nendstream`)
  }
  objects[1] = `<< /Type /Pages /Count ${pages} /Kids [${kids.join(' ')}] >>`
  return Buffer.from(assemblePdf(objects), 'latin1')
}

function buildContentStream(title: string, page: number): string {
  const lines = Array.from({ length: LINES }, (_, line) => `(${title}, page ${page}, line ${line + 1}) Tj 0 -18 Td`)
  return `BT /F1 11 Tf 50 790 Td\n${lines.join('\n')}\nET`
}

function assemblePdf(objects: readonly string[]): string {
  let file = '%PDF-1.7\n'
  const xrefEntries = objects.map((object, index) => {
    const offset = file.length
    file += `${index + 1} 0 obj\n${object}\nendobj\n`
    return `${String(offset).padStart(10, '0')} 00000 n \n`
  })
  const xrefOffset = file.length
  const size = objects.length + 1
  return `${file}xref\n0 ${size}\n0000000000 65535 f \n${xrefEntries.join('')}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${xrefOffset}\n%%EOF\n`
}
