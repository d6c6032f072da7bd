/** Writes an ICO file whose icons are PNGs. */
export function writeIco(parts: readonly { size: number; png: Buffer }[]): Buffer {
  const header = Buffer.alloc(6 + 16 * parts.length)
  header.writeUInt16LE(1, 2)
  header.writeUInt16LE(parts.length, 4)
  let dataOffset = header.length
  for (const [index, { size, png }] of parts.entries()) {
    const entryOffset = 6 + index * 16
    header.writeUInt8(size % 256, entryOffset)
    header.writeUInt8(size % 256, entryOffset + 1)
    header.writeUInt16LE(1, entryOffset + 4)
    header.writeUInt16LE(32, entryOffset + 6)
    header.writeUInt32LE(png.length, entryOffset + 8)
    header.writeUInt32LE(dataOffset, entryOffset + 12)
    dataOffset += png.length
  }
  return Buffer.concat([header, ...parts.map(({ png }) => png)])
}

interface RawPixels {
  data: Buffer
  width: number
  height: number
  channels: number
}

const V4_HEADER_BYTES = 108
const BITFIELDS = 3

/** Takes three or four channels; an alpha channel needs the channel masks of the BITMAPV4 header. */
export function writeBmp({ data, width, height, channels }: RawPixels): Buffer {
  const hasAlpha = channels === 4
  const headerBytes = hasAlpha ? V4_HEADER_BYTES : 40
  const rowBytes = Math.ceil((width * channels) / 4) * 4
  const dataOffset = 14 + headerBytes
  const file = Buffer.alloc(dataOffset + rowBytes * height)
  file.write('BM', 'latin1')
  file.writeUInt32LE(file.length, 2)
  file.writeUInt32LE(dataOffset, 10)
  file.writeUInt32LE(headerBytes, 14)
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
    const target = dataOffset + (height - 1 - row) * rowBytes
    const source = row * width * channels
    for (let offset = 0; offset < width * channels; offset += channels) {
      file[target + offset] = data[source + offset + 2]!
      file[target + offset + 1] = data[source + offset + 1]!
      file[target + offset + 2] = data[source + offset]!
      if (hasAlpha) file[target + offset + 3] = data[source + offset + 3]!
    }
  }
  return file
}

export interface PdfImage {
  /** JPEG, or deflated rows of RGB. */
  data: Buffer
  filter: 'DCTDecode' | 'FlateDecode'
  width: number
  height: number

  dpi: number
}

/** Writes a PDF with one page for each image, as large as the image. */
export function writeImagePdf(images: readonly PdfImage[]): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.5\n%\xe2\xe3\xcf\xd3\n', 'latin1')]
  const offsets: number[] = []
  let length = parts[0]!.length
  const append = (...chunks: (string | Buffer)[]) => {
    for (const chunk of chunks) {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk, 'latin1') : chunk
      parts.push(bytes)
      length += bytes.length
    }
  }
  const addObject = (number: number, ...chunks: (string | Buffer)[]) => {
    offsets[number] = length
    append(`${number} 0 obj\n`, ...chunks, '\nendobj\n')
  }
  const kids = images.map((_, index) => `${3 + index * 3} 0 R`).join(' ')
  addObject(1, '<< /Type /Catalog /Pages 2 0 R >>')
  addObject(2, `<< /Type /Pages /Kids [${kids}] /Count ${images.length} >>`)
  for (const [index, image] of images.entries()) addPage(addObject, 3 + index * 3, image)
  const tableOffset = length
  const rows = offsets.slice(1).map(offset => `${String(offset).padStart(10, '0')} 00000 n \n`)
  append(`xref\n0 ${offsets.length}\n0000000000 65535 f \n${rows.join('')}`)
  append(`trailer\n<< /Size ${offsets.length} /Root 1 0 R >>\nstartxref\n${tableOffset}\n%%EOF\n`)
  return Buffer.concat(parts)
}

type AddObject = (number: number, ...chunks: (string | Buffer)[]) => void

function addPage(addObject: AddObject, number: number, { data, filter, width, height, dpi }: PdfImage): void {
  const toPoints = (pixels: number) => Number(((pixels * 72) / dpi).toFixed(3))
  const box = `${toPoints(width)} ${toPoints(height)}`
  const content = `q ${toPoints(width)} 0 0 ${toPoints(height)} 0 0 cm /P Do Q`
  const resources = `<< /XObject << /P ${number + 2} 0 R >> >>`
  addObject(
    number,
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${box}] /Resources ${resources} /Contents ${number + 1} 0 R >>`,
  )
  addObject(number + 1, `<< /Length ${content.length} >>\nstream\n${content}\nendstream`)
  const dictionary = `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /DeviceRGB`
  const header = `<< ${dictionary} /BitsPerComponent 8 /Filter /${filter} /Length ${data.length} >>\nstream\n`
  addObject(number + 2, header, data, '\nendstream')
}
