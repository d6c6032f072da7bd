import { type InputFile, Problem } from '#kit'
import type { Tools } from '../../kit/operation.ts'
import type { DocumentPage } from '../document/page.ts'
import { makeReadable } from '../pdf/opening.ts'
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
  { file, page: number, password }: FormRequest,
  { pdfEditor, qpdf, out }: Pick<Tools, 'pdfEditor' | 'qpdf'> & { out(name: string): string },
): Promise<{ fields: FormField[]; source: FormField['source'] }> {
  if (file.type === 'application/pdf') {
    const path = await makeReadable(file, { qpdf, password, to: out('form.pdf') })
    const own = readAcroFields(await listAcroFields(path, pdfEditor), number)
    if (own.length > 0) return { fields: own, source: 'form' }
  }
  return { fields: readFormFields(page), source: page.source }
}

async function listAcroFields(path: string, pdfEditor: Tools['pdfEditor']) {
  try {
    return (await pdfEditor.readForm(path)).fields
  } catch (error) {
    if (error instanceof Problem && error.code === 'NO_FORM') return []
    throw error
  }
}
