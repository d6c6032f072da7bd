import type { FileContent, InputFile } from '#kit'
import type { Tools } from '../../kit/operation.ts'
import type { Size } from '../geometry/region.ts'
import { listLanguageHints } from '../ocr/languages.ts'
import { openPdf } from '../pdf/opening.ts'
import { renderPage } from './page.ts'

/** A page as an upright JPEG for a provider. */
export interface SendablePage extends FileContent {
  /** Of the JPEG. */
  input: Size
  /** In points of a PDF, in pixels of an image. */
  original: Size
  /** What its text is written in, as far as the caller says (BCP 47). */
  languages: string[]
}

type SendTools = Pick<Tools, 'pageRenderer' | 'qpdf' | 'sharp'> & { out(name: string): string }

/** Every provider takes images of this size. */
const SENT = { kind: 'jpeg', maxSide: 3000, maxBytes: 3_900_000 } as const
const POINTS_PER_PIXEL = 72 / 300

interface Page {
  file: InputFile
  page: number
  password?: string | undefined
  languages: readonly string[]
}

/** The page is decoded in the sandbox, and its metadata stay here. */
export async function makeSendable(
  { file, page, password, languages: given }: Page,
  tools: SendTools,
): Promise<SendablePage> {
  const languages = listLanguageHints(given)
  if (file.type !== 'application/pdf') {
    const frame = file.type === 'image/tiff' && { page: page - 1 }
    return { ...(await tools.sharp.prepareVisionInput(file.path, { ...SENT, ...frame })), languages }
  }
  const path = await openPdf(file, { qpdf: tools.qpdf, password, to: tools.out('sent.pdf') })
  const sent = await tools.sharp.prepareVisionInput(await renderPage(path, page, tools), SENT)
  const points = (pixels: number) => Math.round(pixels * POINTS_PER_PIXEL * 100) / 100
  return { ...sent, languages, original: { width: points(sent.original.width), height: points(sent.original.height) } }
}
