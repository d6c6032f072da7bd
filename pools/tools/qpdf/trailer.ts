import { open } from 'node:fs/promises'

/** The trailer that qpdf writes is short, even with an identifier and long keys. */
const MAX_TRAILER_BYTES = 64 * 1024

/**
 * qpdf writes the trailer of its input without checking that it has a size, without which most readers refuse the
 * file. The trailer comes last, so adding to it moves nothing that an offset points to.
 */
export async function addMissingTrailerSize(path: string): Promise<string> {
  const file = await open(path, 'r+')
  try {
    const { size } = await file.stat()
    const start = Math.max(0, size - MAX_TRAILER_BYTES)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - start), 0, size - start, start)
    const end = buffer.toString('latin1', 0, bytesRead)
    const at = end.lastIndexOf('\ntrailer <<')
    if (at < 0 || /\/Size\s/.test(end.slice(at))) return path
    const table = await findTableSize(file, Number(/startxref\s+(\d+)\s+%%EOF\s*$/.exec(end)?.[1]))
    if (table === undefined) return path
    const from = at + '\ntrailer <<'.length
    await file.write(Buffer.from(` /Size ${table}${end.slice(from)}`, 'latin1'), 0, null, start + from)
    return path
  } finally {
    await file.close()
  }
}

/** The number of entries of a table of one section, which begins at object 0. */
async function findTableSize(
  file: { read(buffer: Buffer, at: number, length: number, from: number): Promise<{ buffer: Buffer }> },
  offset: number,
): Promise<string | undefined> {
  if (!Number.isSafeInteger(offset)) return undefined
  const { buffer } = await file.read(Buffer.alloc(40), 0, 40, offset)
  return /^xref\s+0 (\d+)\s/.exec(buffer.toString('latin1'))?.[1]
}
