/** The EXIF block of a file of a type that libvips reads without its EXIF. */
const EXIF_FINDERS: Record<string, ((file: Buffer) => Uint8Array | undefined) | undefined> = {
  // A TIFF is laid out as an EXIF block is.
  'image/tiff': file => file,
  'image/jp2': findInJp2,
  'image/vnd.adobe.photoshop': findInPsd,
}

export function findForeignExif(bytes: Uint8Array, type: string): Uint8Array | undefined {
  try {
    return EXIF_FINDERS[type]?.(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  } catch (error) {
    // A length points outside the file: as if it had no EXIF.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

const JP2_EXIF = 'JpgTiffExif->JP2'

function findInJp2(file: Buffer): Uint8Array | undefined {
  for (let at = 0; at + 8 <= file.length; ) {
    const short = file.readUInt32BE(at)
    const head = short === 1 ? 16 : 8
    const length = short === 1 ? Number(file.readBigUInt64BE(at + 8)) : short || file.length - at
    const isExif = file.toString('latin1', at + 4, at + 8) === 'uuid'
    if (isExif && file.toString('latin1', at + head, at + head + 16) === JP2_EXIF)
      return file.subarray(at + head + 16, at + length)
    if (length < head) return undefined
    at += length
  }
  return undefined
}

const PSD_HEADER_BYTES = 26
const PSD_EXIF = 1058

function findInPsd(file: Buffer): Uint8Array | undefined {
  const resources = PSD_HEADER_BYTES + 4 + file.readUInt32BE(PSD_HEADER_BYTES)
  const end = resources + 4 + file.readUInt32BE(resources)
  for (let at = resources + 4; at + 12 <= end && file.toString('latin1', at, at + 4) === '8BIM'; ) {
    const id = file.readUInt16BE(at + 4)
    const name = 1 + file.readUInt8(at + 6)
    const sizeAt = at + 6 + name + (name & 1)
    const size = file.readUInt32BE(sizeAt)
    if (id === PSD_EXIF) return file.subarray(sizeAt + 4, sizeAt + 4 + size)
    at = sizeAt + 4 + size + (size & 1)
  }
  return undefined
}
