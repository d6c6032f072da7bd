import type { InputFile } from '#kit'
import type { Tools } from '../../kit/operation.ts'

/** A page in grey, as readers of barcodes take it. `path` is of the file as all our readers can open it. */
export async function readGrayPage(
  { file, path, page }: { file: InputFile; path: string; page: number },
  { pageRenderer, sharp }: Pick<Tools, 'pageRenderer' | 'sharp'>,
) {
  if (file.type === 'application/pdf') return { path: await pageRenderer.renderGray(path, page) }
  const { width, height, ...luma } = await sharp.extractLuma(path, { page: page > 1 ? page : undefined })
  return luma.bytes ? { grey: luma.bytes, width, height } : { greyPath: luma.path!, width, height }
}
