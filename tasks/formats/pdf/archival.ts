import { Problem } from '#kit'
import type { Tools } from '../../kit/operation.ts'
import { readMetadata } from './properties.ts'

type PdfaLevel = '1b' | '2b' | '3b'

/** Makes PDF/A of a document whose fonts are embedded and whose colours are those of a screen. */
export async function makeArchival(
  path: string,
  level: PdfaLevel,
  { libpdf, qpdf, out, now }: Pick<Tools, 'libpdf' | 'qpdf'> & { out(name: string): string; now(): Date },
  extension?: string,
): Promise<string> {
  const { info, language } = await libpdf.describe(path, path)
  const xmpProperties = { ...readMetadata(info, language), custom: undefined }
  const time = `${now().toISOString().slice(0, 19)}Z`
  const marked = await libpdf.writePdfa(path, {
    ...{ level, xmpProperties, extension, now: time, to: out('marked.pdf') },
  })
  // PDF/A-1 allows no object streams.
  const written = await qpdf.rewrite(marked, { to: out('archival.pdf'), keepsForm: level === '1b' })
  await checkArchival(written, level, { libpdf })
  return written
}

/** Refuses a document in which something is found that the level forbids. What is not looked for stays unknown. */
export async function checkArchival(path: string, level: PdfaLevel, { libpdf }: Pick<Tools, 'libpdf'>): Promise<void> {
  const faults = await libpdf.checkPdfa(path, { level })
  if (faults.length > 0) throw new Problem('PDFA_NOT_REACHED', { faults })
}
