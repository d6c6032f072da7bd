import type { InputFile } from '#kit'
import { isReadableAsIs, openPdf } from '../../formats/pdf/opening.ts'
import type { Tools } from '../../kit/operation.ts'

/** An encrypted or damaged PDF is rewritten once for all pages. */
export async function openOnce(
  file: InputFile,
  password: string | undefined,
  { qpdf, out }: Pick<Tools, 'qpdf'> & { out(name: string): string },
): Promise<InputFile> {
  if (file.type !== 'application/pdf' || isReadableAsIs(file)) return file
  const path = await openPdf(file, { qpdf, password, to: out('readable.pdf') })
  return { ...file, path, facts: { ...file.facts, encrypted: false, marks: [] } }
}
