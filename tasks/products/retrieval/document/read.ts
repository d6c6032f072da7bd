import { type Outcome, Problem, type RunContext, type StepFile, type StepOutcome, type Warning } from '#kit'
import type { PageTable } from '../../../engines/page-tables/present.ts'
import { writeTableWorkbook } from '../../../engines/page-tables/workbook.ts'
import { countDocumentPages } from '../../../formats/ocr/pages.ts'
import { joinPages } from '../ingest/read.ts'
import type { DocumentCall } from './fields.ts'

interface DocumentStep {
  name: 'ocr' | 'tables' | 'text'
  chargeMicros: bigint
  ms: number
  /** Why it failed, where the call goes on without it. */
  problem?: Problem
}

/** What was read of a document, before any of it is stored. */
export interface ReadParts {
  /** Within the folder of the job. */
  pdf: { path: string; pages: number; ocrPages: number }
  workbook?: Uint8Array
  sheets: { name: string; page: number; rows: number; cols: number }[]
  text?: { text: string; pages: { page: number; start: number }[] }
  steps: DocumentStep[]
}

// What the operations take where a call says nothing.
const OCR = { pages: 'all', dpi: 300, autoRotate: true, deskew: true, sidecar: false, allowBreakSignatures: false }
const TABLES = { mode: 'auto', format: 'json', header: 'auto', merge: 'span', numbers: 'keep', minConfidence: 0 }
const TEXT = { pages: 'all', pageBreaks: 'none', keepRunningLines: false }

/** Runs the operations of a call one after another, each page of the tables as one. */
export async function readParts(call: DocumentCall, context: RunContext): Promise<Outcome<ReadParts>> {
  const reader = new DocumentReader(call, context)
  const pdf = await reader.recognise()
  const { workbook, sheets } = (await reader.attempt('tables', () => reader.readTables())) ?? { sheets: [] }
  const text = await reader.attempt('text', () => reader.readText(pdf.file))
  const { steps, warnings } = reader
  const baseMicros = steps.reduce((sum, { chargeMicros }) => sum + chargeMicros, 0n)
  const { pages, ocrPages, path } = pdf
  const result = { pdf: { path, pages, ocrPages }, sheets, steps, ...(workbook && { workbook }), ...(text && { text }) }
  return { result, units: 1, baseMicros, warnings }
}

class DocumentReader {
  readonly steps: DocumentStep[] = []
  readonly warnings: Warning[] = []
  readonly #call: DocumentCall
  readonly #context: RunContext

  constructor(call: DocumentCall, context: RunContext) {
    this.#call = call
    this.#context = context
  }

  async recognise(): Promise<{ path: string; file: StepFile | undefined; pages: number; ocrPages: number }> {
    const { file, ocr, languages } = this.#call
    if (ocr === 'off') return { path: file.path, file: undefined, pages: countDocumentPages(file), ocrPages: 0 }
    const mode = ocr === 'force' ? 'force' : 'skip-text'
    const { files, fields } = await this.#time('ocr', () =>
      this.#run('ocr', 'pdf.ocr-searchable', { ...OCR, languages, mode }),
    )
    const [made] = files
    const { pages, ocrPages } = fields as { pages: number; ocrPages: number }
    return { path: made!.path, file: made, pages, ocrPages }
  }

  /** With `keepPartial`, what fails is left out and costs nothing. */
  async attempt<Part>(name: DocumentStep['name'], read: () => Promise<Part>): Promise<Part | undefined> {
    try {
      return await read()
    } catch (problem) {
      const isKept = this.#call.keepPartial && !this.#context.signal.aborted
      if (!isKept || !(problem instanceof Problem)) throw problem
      Object.assign(this.#step(name), { chargeMicros: 0n, problem })
      return undefined
    }
  }

  async readTables(): Promise<{ workbook?: Uint8Array; sheets: ReadParts['sheets'] }> {
    const { file, tables: isWanted, languages } = this.#call
    if (!isWanted) return { sheets: [] }
    const count = countDocumentPages(file)
    const found: (PageTable & { page: number })[] = []
    for (let page = 1; page <= count; page++) {
      this.#context.progress(page, count, 'page')
      const run = () => this.#run(`tables-${page}`, 'doc.extract-tables', { ...TABLES, page, languages })
      const { fields } = await this.#time('tables', run)
      found.push(...(fields as { tables: (PageTable & { page: number })[] }).tables)
    }
    if (found.length === 0) {
      this.#waive('tables')
      return { sheets: [] }
    }
    const sheets = found.map(({ page, rows, cols }, at) => ({ name: `Table ${at + 1}`, page, rows, cols }))
    return { workbook: await writeTableWorkbook(found), sheets }
  }

  async readText(made: StepFile | undefined): Promise<ReadParts['text']> {
    if (!this.#call.index) return undefined
    const { fields } = await this.#time('text', () => this.#run('text', 'pdf.to-markdown', TEXT, made))
    const text = joinPages((fields as { pages: { page: number; markdown: string }[] }).pages)
    if (text.text.trim() === '') this.#waive('text')
    return text
  }

  #run(id: string, operation: string, options: object, made?: StepFile): Promise<StepOutcome> {
    const { file, password } = this.#call
    const isOpen = made !== undefined || password === undefined
    return this.#context.runStep!({
      ...{ id, operation, input: { ...options, file: made ? { step: 'ocr' } : file, ...(!isOpen && { password }) } },
      resolve: () => (made ? [made] : []),
      approve: () => undefined,
    })
  }

  /** The steps of one name are one for the caller. */
  async #time(name: DocumentStep['name'], run: () => Promise<StepOutcome>): Promise<StepOutcome> {
    const startedMs = performance.now()
    const step = this.#step(name)
    const outcome = await run().finally(() => {
      step.ms += Math.round(performance.now() - startedMs)
    })
    step.chargeMicros += outcome.chargeMicros
    this.warnings.push(...outcome.warnings.filter(({ code }) => !this.warnings.some(one => one.code === code)))
    return outcome
  }

  /** What is not found is not charged. */
  #waive(name: DocumentStep['name']): void {
    this.#step(name).chargeMicros = 0n
  }

  #step(name: DocumentStep['name']): DocumentStep {
    const known = this.steps.find(step => step.name === name)
    if (known) return known
    const step = { name, chargeMicros: 0n, ms: 0 }
    this.steps.push(step)
    return step
  }
}
