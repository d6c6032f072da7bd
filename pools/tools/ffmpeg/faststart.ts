import { open } from 'node:fs/promises'

const MAX_BOXES = 64

/** What the order of the boxes tells of an MP4 or QuickTime file: whether its index is there, and before the media. */
export async function readBoxOrder(path: string): Promise<{ hasIndex: boolean; isFaststart: boolean }> {
  const file = await open(path)
  try {
    const kinds: string[] = []
    const header = Buffer.alloc(16)
    const { size: fileSize } = await file.stat()
    for (let at = 0; at + 8 <= fileSize && kinds.length < MAX_BOXES; ) {
      await file.read(header, 0, 16, at)
      kinds.push(header.toString('latin1', 4, 8))
      const size = header.readUInt32BE(0)
      const length = size === 1 ? Number(header.readBigUInt64BE(8)) : size
      if (length < 8) break
      at += length
    }
    const [index, media] = [kinds.indexOf('moov'), kinds.indexOf('mdat')]
    return { hasIndex: index >= 0, isFaststart: index >= 0 && (media < 0 || index < media) }
  } finally {
    await file.close()
  }
}
