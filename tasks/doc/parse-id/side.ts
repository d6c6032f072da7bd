import type { InputFile } from '#kit'
import { readGrayPage } from '../../formats/document/gray.ts'
import { type DocumentPage, readPage } from '../../formats/document/page.ts'
import { type AamvaCard, readAamva } from '../../formats/identity/aamva.ts'
import { openPdf } from '../../formats/pdf/opening.ts'
import type { Tools } from '../../kit/operation.ts'
import { type FoundZone, findZone } from './zone.ts'

/** What was found on one side of a document. */
export interface Side {
  page: DocumentPage
  zone?: FoundZone
  card?: AamvaCard
}

type SideTools = Pick<Tools, 'barcodeReader' | 'pageRenderer' | 'poppler' | 'qpdf' | 'sharp' | 'tesseract'> & {
  out(name: string): string
}

const PDF = 'application/pdf'
const CODE_SEARCH = { formats: ['PDF417'], max: 4, tryHarder: true }

export async function readSide(
  { file, number, name }: { file: InputFile; number: number; name: string },
  { languages, password }: { languages: readonly string[]; password: string | undefined },
  tools: SideTools,
): Promise<Side> {
  const out = (file: string) => tools.out(`${name}-${file}`)
  const { qpdf } = tools
  const path = file.type === PDF ? await openPdf(file, { qpdf, password, to: out('readable.pdf') }) : file.path
  const codes = await tools.barcodeReader.read(await readGrayPage({ file, path, page: number }, tools), CODE_SEARCH)
  const card = codes.map(({ text }) => readAamva(text)).find(one => one !== undefined)
  const page = await readPage({ file, page: number, languages, password, minConfidence: 0 }, { ...tools, out })
  const zone = await findZone(file, { page, path, number }, tools)
  return { page, ...(zone && { zone }), ...(card && { card }) }
}
