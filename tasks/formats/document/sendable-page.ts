import type { FileContent, InputFile } from '#kit'
import type { Tools } from '../../kit/operation.ts'
import type { Size } from '../geometry/region.ts'
import { makeReadable } from '../pdf/opening.ts'
import { renderPage } from './page.ts'

/** A page as an upright JPEG for a provider. */
export interface SendablePage extends FileContent {
  /** Of the JPEG. */
  input: Size
  /** In points of a PDF, in pixels of an image. */
  original: Size
}

type SendTools = Pick<Tools, 'pageRenderer' | 'qpdf' | 'sharp'> & { out(name: string): string }

/** Every provider takes images of this size. */
const SENT = { kind: 'jpeg', maxSide: 3000, maxBytes: 3_900_000 } as const
const POINTS_PER_PIXEL = 72 / 300

/** The page is decoded in the sandbox, and its metadata stay here. */
export async function makeSendable(
  { file, page, password }: { file: InputFile; page: number; password?: string | undefined },
  tools: SendTools,
): Promise<SendablePage> {
  if (file.type !== 'application/pdf')
    return tools.sharp.prepareVisionInput(file.path, { ...SENT, ...(file.type === 'image/tiff' && { page: page - 1 }) })
  const path = await makeReadable(file, { qpdf: tools.qpdf, password, to: tools.out('sent.pdf') })
  const sent = await tools.sharp.prepareVisionInput(await renderPage(path, page, tools), SENT)
  const points = (pixels: number) => Math.round(pixels * POINTS_PER_PIXEL * 100) / 100
  return { ...sent, original: { width: points(sent.original.width), height: points(sent.original.height) } }
}
