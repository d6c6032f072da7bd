import sharp from 'sharp'

const WIDTH = 2_048
const HEIGHT = 1_536
const LINES = 40

/** Three megapixels with as much detail as a photograph has: waves of light under a soft grain. */
export async function photograph(): Promise<Buffer> {
  const pixels = Buffer.alloc(WIDTH * HEIGHT * 3)
  let grain = 1
  for (let at = 0; at < pixels.length; at += 3) {
    const x = (at / 3) % WIDTH
    const y = Math.floor(at / 3 / WIDTH)
    grain = (Math.imul(grain, 1_103_515_245) + 12_345) >>> 0
    const noise = (grain >>> 27) - 16
    pixels[at] = 128 + 100 * Math.sin(x / 90) + noise
    pixels[at + 1] = 128 + 100 * Math.sin(y / 60) + noise
    pixels[at + 2] = 128 + 100 * Math.sin((x + y) / 120) + noise
  }
  return sharp(pixels, { raw: { width: WIDTH, height: HEIGHT, channels: 3 } })
    .jpeg({ quality: 85 })
    .toBuffer()
}

/** A PDF of so many pages of text, each with a content stream of its own. */
export function textPdf(pages: number, title: string): Buffer {
  const objects = ['<< /Type /Catalog /Pages 2 0 R >>', '', '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>']
  const kids: string[] = []
  for (let page = 1; page <= pages; page++) {
    const text = contentOf(title, page)
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents ${objects.length + 2} 0 R >>`,
    )
    kids.push(`${objects.length} 0 R`)
    objects.push(`<< /Length ${text.length} >>\nstream\n${text}\nendstream`)
  }
  objects[1] = `<< /Type /Pages /Count ${pages} /Kids [${kids.join(' ')}] >>`
  return Buffer.from(fileOf(objects), 'latin1')
}

function contentOf(title: string, page: number): string {
  const lines = Array.from({ length: LINES }, (_, line) => `(${title}, page ${page}, line ${line + 1}) Tj 0 -18 Td`)
  return `BT /F1 11 Tf 50 790 Td\n${lines.join('\n')}\nET`
}

function fileOf(objects: readonly string[]): string {
  let file = '%PDF-1.7\n'
  const places = objects.map((object, index) => {
    const place = file.length
    file += `${index + 1} 0 obj\n${object}\nendobj\n`
    return `${String(place).padStart(10, '0')} 00000 n \n`
  })
  const start = file.length
  const size = objects.length + 1
  return `${file}xref\n0 ${size}\n0000000000 65535 f \n${places.join('')}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`
}
