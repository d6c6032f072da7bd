import { type InputFile, Problem } from '#kit'
import type { Tools } from '../../kit/operation.ts'
import type { DocumentPage } from '../document/page.ts'
import { openPdf } from '../pdf/opening.ts'
import { readAcroFields } from './acro-form.ts'
import type { FormField } from './field.ts'
import { readFormFields } from './layout.ts'

interface FormRequest {
  file: InputFile
  page: number
  password: string | undefined
}

/** The fields of a page: those of the PDF's own form, if the page has any, else what its text and lines show. */
export async function readPageForm(
  page: DocumentPage,
  request: FormRequest,
  tools: FormTools,
): Promise<{ fields: FormField[]; source: FormField['source'] }> {
  const own = await readOwnFields(request, tools)
  return own.length > 0 ? { fields: own, source: 'form' } : { fields: readFormFields(page), source: page.source }
}

type FormTools = Pick<Tools, 'libpdf' | 'qpdf'> & { out(name: string): string }

/** The fields of a PDF's own form on a page. */
export async function readOwnFields(
  { file, page, password }: FormRequest,
  { libpdf, qpdf, out }: FormTools,
): Promise<FormField[]> {
  if (file.type !== 'application/pdf') return []
  const path = await openPdf(file, { qpdf, password, to: out('form.pdf') })
  return readAcroFields(await listAcroFields(path, libpdf), page)
}

async function listAcroFields(path: string, libpdf: Tools['libpdf']) {
  try {
    return (await libpdf.readForm(path)).fields
  } catch (error) {
    if (error instanceof Problem && error.code === 'NO_FORM') return []
    throw error
  }
}
