const ORIENTATION = 0x0112

/** Sets the orientation tag of an EXIF block to upright, in place. */
export function clearOrientation(exif: Buffer): void {
  const tiff = exif.toString('latin1', 0, 4) === 'Exif' ? exif.subarray(6) : exif
  const isLittleEndian = tiff.toString('latin1', 0, 2) === 'II'
  const readUint16 = (offset: number) => (isLittleEndian ? tiff.readUInt16LE(offset) : tiff.readUInt16BE(offset))
  try {
    const start = isLittleEndian ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4)
    for (let entry = start + 2; entry < start + 2 + readUint16(start) * 12; entry += 12) {
      if (readUint16(entry) !== ORIENTATION) continue
      if (isLittleEndian) tiff.writeUInt16LE(1, entry + 8)
      else tiff.writeUInt16BE(1, entry + 8)
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
  }
}

/** The same in a JPEG. */
export function clearJpegOrientation(jpeg: Buffer): void {
  for (let at = 2; at + 4 <= jpeg.length && jpeg[at] === 0xff && jpeg[at + 1] !== 0xda; ) {
    const end = at + 2 + jpeg.readUInt16BE(at + 2)
    const isExif = jpeg[at + 1] === 0xe1 && jpeg.toString('latin1', at + 4, at + 10) === 'Exif\0\0'
    if (isExif) clearOrientation(jpeg.subarray(at + 10, end))
    at = end
  }
}
