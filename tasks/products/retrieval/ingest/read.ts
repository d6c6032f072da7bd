import { type Outcome, Problem, type RunContext, type Warning } from '#kit'
import { type IngestCall, MAX_TEXT_BYTES } from './fields.ts'
import { readerOf } from './price.ts'

/** What was read: the text, or the file that has it, and where its pages begin. */
export interface ReadDocument {
  text?: string
  /** Within the folder of the job. */
  path?: string
  pages: { page: number; start: number }[]
  /** Undefined if there was nothing to read. */
  reading?: { chargeMicros: bigint; ms: number }
}

/** Reads the document of a call, by the operation for its kind. */
export async function readDocument(
  call: IngestCall,
  { runStep, progress }: RunContext,
): Promise<Outcome<ReadDocument>> {
  if (call.text !== undefined) return { result: { text: call.text, pages: [] } }
  const startedMs = performance.now()
  const file = call.file!
  progress(0, 4, 'step')
  const options = { file, ...(call.password !== undefined && { password: call.password }) }
  const isPdf = readerOf(file) === 'pdf.to-markdown'
  const { files, fields, warnings, chargeMicros } = await runStep!({
    ...{ id: 'read', operation: readerOf(file) },
    input: isPdf ? { ...options, pages: 'all', pageBreaks: 'none', keepRunningLines: false } : options,
    resolve: () => [],
    approve: () => undefined,
  })
  const { needsOcr = [], pages, pageCount } = fields as ReadFields
  const all = [...warnings, ...warnOf(needsOcr)]
  const reading = { chargeMicros, ms: Math.round(performance.now() - startedMs) }
  if (!pages) return { result: { path: files[0]!.path, pages: [], reading }, warnings: all }
  if (needsOcr.length === pageCount)
    throw new Problem('INPUT_EMPTY', { field: 'file', needsOcr, try: '/v1/pdf/ocr-searchable' })
  return { result: { ...joinPages(pages), reading }, warnings: all }
}

interface ReadFields {
  pages?: { page: number; markdown: string }[]
  pageCount?: number
  needsOcr?: number[]
}

export function joinPages(pages: readonly { page: number; markdown: string }[]): {
  text: string
  pages: ReadDocument['pages']
} {
  const starts: ReadDocument['pages'] = []
  let text = ''
  for (const { page, markdown } of pages) {
    if (markdown.trim() === '') continue
    if (text !== '') text += '\n\n'
    starts.push({ page, start: text.length })
    text += markdown
  }
  return { text, pages: starts }
}

function warnOf(needsOcr: readonly number[]): Warning[] {
  if (needsOcr.length === 0) return []
  const message = `Pages ${needsOcr.slice(0, 20).join(', ')} have no text and are not searchable; pdf/ocr-searchable reads them.`
  return [{ code: 'PAGES_WITHOUT_TEXT', message }]
}

/** Refuses a text that is empty or too long, once it is read. */
export function checkRead(text: string): void {
  if (text.trim() === '') throw new Problem('INPUT_EMPTY', { field: 'file' })
  const sizeBytes = Buffer.byteLength(text)
  if (sizeBytes > MAX_TEXT_BYTES)
    throw new Problem('INPUT_TOO_LARGE', { field: 'file', sizeBytes, limitBytes: MAX_TEXT_BYTES })
}
