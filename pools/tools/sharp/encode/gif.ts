import { readFile } from 'node:fs/promises'
import { findFirstBlock, readGifBlocks } from '../../../../tasks/formats/raster/gif-blocks.ts'

/** Whether a GIF ends in the middle of a block. The decoder accepts such files without an error. */
export async function isTruncatedGif(file: string): Promise<boolean> {
  const bytes = await readFile(file)
  return findFirstBlock(bytes) > bytes.length || readGifBlocks(bytes).some(({ end }) => end === undefined)
}
