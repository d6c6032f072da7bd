/** Containers that libvips does not write: plain ones, laid out here. */

/** Each part is a PNG. */
export function icoFile(parts: readonly { size: number; png: Buffer }[]): Buffer {
  const head = Buffer.alloc(6 + 16 * parts.length)
  head.writeUInt16LE(1, 2)
  head.writeUInt16LE(parts.length, 4)
  let start = head.length
  for (const [index, { size, png }] of parts.entries()) {
    const at = 6 + index * 16
    head.writeUInt8(size % 256, at)
    head.writeUInt8(size % 256, at + 1)
    head.writeUInt16LE(1, at + 4)
    head.writeUInt16LE(32, at + 6)
    head.writeUInt32LE(png.length, at + 8)
    head.writeUInt32LE(start, at + 12)
    start += png.length
  }
  return Buffer.concat([head, ...parts.map(({ png }) => png)])
}

interface Raw {
  data: Buffer
  width: number
  height: number
  channels: number
}

const V4_HEAD_BYTES = 108
const BITFIELDS = 3

/** Three or four channels; the fourth goes by the masks of the fourth version of the format. */
export function bmpFile({ data, width, height, channels }: Raw): Buffer {
  const hasAlpha = channels === 4
  const headBytes = hasAlpha ? V4_HEAD_BYTES : 40
  const rowBytes = Math.ceil((width * channels) / 4) * 4
  const start = 14 + headBytes
  const file = Buffer.alloc(start + rowBytes * height)
  file.write('BM', 'latin1')
  file.writeUInt32LE(file.length, 2)
  file.writeUInt32LE(start, 10)
  file.writeUInt32LE(headBytes, 14)
  file.writeInt32LE(width, 18)
  file.writeInt32LE(height, 22)
  file.writeUInt16LE(1, 26)
  file.writeUInt16LE(channels * 8, 28)
  if (hasAlpha) {
    file.writeUInt32LE(BITFIELDS, 30)
    for (const [place, mask] of [0xff0000, 0xff00, 0xff, 0xff000000].entries()) file.writeUInt32LE(mask, 54 + place * 4)
    file.write('BGRs', 70, 'latin1')
  }
  for (let row = 0; row < height; row++) {
    const to = start + (height - 1 - row) * rowBytes
    const from = row * width * channels
    for (let at = 0; at < width * channels; at += channels) {
      file[to + at] = data[from + at + 2]!
      file[to + at + 1] = data[from + at + 1]!
      file[to + at + 2] = data[from + at]!
      if (hasAlpha) file[to + at + 3] = data[from + at + 3]!
    }
  }
  return file
}

export interface PdfPicture {
  /** JPEG, or deflated rows of RGB. */
  data: Buffer
  filter: 'DCTDecode' | 'FlateDecode'
  width: number
  height: number
  /** Pixels an inch. */
  dpi: number
}

/** A page for each picture, as large as the picture. */
export function pdfFile(pictures: readonly PdfPicture[]): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.5\n%\xe2\xe3\xcf\xd3\n', 'latin1')]
  const places: number[] = []
  let length = parts[0]!.length
  const add = (...chunks: (string | Buffer)[]) => {
    for (const chunk of chunks) {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk, 'latin1') : chunk
      parts.push(bytes)
      length += bytes.length
    }
  }
  const object = (number: number, ...chunks: (string | Buffer)[]) => {
    places[number] = length
    add(`${number} 0 obj\n`, ...chunks, '\nendobj\n')
  }
  const kids = pictures.map((_, index) => `${3 + index * 3} 0 R`).join(' ')
  object(1, '<< /Type /Catalog /Pages 2 0 R >>')
  object(2, `<< /Type /Pages /Kids [${kids}] /Count ${pictures.length} >>`)
  for (const [index, picture] of pictures.entries()) addPage(object, 3 + index * 3, picture)
  const start = length
  const rows = places.slice(1).map(place => `${String(place).padStart(10, '0')} 00000 n \n`)
  add(`xref\n0 ${places.length}\n0000000000 65535 f \n${rows.join('')}`)
  add(`trailer\n<< /Size ${places.length} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`)
  return Buffer.concat(parts)
}

type AddObject = (number: number, ...chunks: (string | Buffer)[]) => void

function addPage(object: AddObject, number: number, { data, filter, width, height, dpi }: PdfPicture): void {
  const points = (pixels: number) => Number(((pixels * 72) / dpi).toFixed(3))
  const box = `${points(width)} ${points(height)}`
  const drawing = `q ${points(width)} 0 0 ${points(height)} 0 0 cm /P Do Q`
  const resources = `<< /XObject << /P ${number + 2} 0 R >> >>`
  object(
    number,
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${box}] /Resources ${resources} /Contents ${number + 1} 0 R >>`,
  )
  object(number + 1, `<< /Length ${drawing.length} >>\nstream\n${drawing}\nendstream`)
  const kind = `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /DeviceRGB`
  const head = `<< ${kind} /BitsPerComponent 8 /Filter /${filter} /Length ${data.length} >>\nstream\n`
  object(number + 2, head, data, '\nendstream')
}
