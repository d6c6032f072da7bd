import { open } from 'node:fs/promises'
import { HEAD_BYTES, recogniseTypes } from '../../tasks/formats/file-types/recognise.ts'

/** The types that a file's content may have, the likeliest first. */
export async function recogniseFile(path: string): Promise<string[]> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
    const { size } = await file.stat()
    return await recogniseTypes(buffer.subarray(0, bytesRead), bytesRead === size)
  } finally {
    await file.close()
  }
}
