import { setTimeout as sleep } from 'node:timers/promises'
import { Problem } from '#kit'
import type { FoundTable } from '../../../tasks/engines/page-tables/table.ts'
import {
  buildCell,
  clipRect,
  type HostedIdentity,
  joinSides,
  keepSoundTables,
} from '../../../tasks/formats/document/hosted.ts'
import type { PageLine, PageWord } from '../../../tasks/formats/document/page.ts'
import type { Rect } from '../../../tasks/formats/geometry/rect.ts'
import { normalizeInvoice } from '../../../tasks/formats/invoice/hosted.ts'
import { type FormField, typeOfValue } from '../../../tasks/formats/page-forms/field.ts'
import type { CallLimits } from '../call-limits.ts'
import { openProviderClient, ProviderRefusal } from '../http/client.ts'
import { type AzureDocument, readAzureIdentity, readAzureInvoice } from './azure-fields.ts'
import type { DocumentAdapter, SentPage } from './contract.ts'

const VERSION = '2024-11-30'
const TIMEOUT_MS = 20_000
const FIRST_POLL_MS = 500
const MAX_POLL_MS = 3_000
const JPEG = { 'content-type': 'image/jpeg' }

interface Region {
  boundingRegions?: { polygon?: number[] }[]
}
interface Span {
  offset: number
  length: number
}
interface Text extends Region {
  content?: string
}
interface Analysis {
  pages?: {
    words?: { content?: string; confidence?: number; polygon?: number[]; span?: Span }[]
    lines?: { content?: string; polygon?: number[]; spans?: Span[] }[]
  }[]
  tables?: (Region & {
    caption?: Text
    cells?: (Text & {
      spans?: Span[]
      rowIndex?: number
      columnIndex?: number
      rowSpan?: number
      columnSpan?: number
    })[]
    rowCount?: number
    columnCount?: number
  })[]
  keyValuePairs?: { key?: Text; value?: Text; confidence?: number }[]
  documents?: AzureDocument[]
}

/** Document Intelligence: a page is sent, and the result is asked for until it is there. */
export function openAzureDocuments({ url, key }: { url: string; key: string }): DocumentAdapter {
  const client = openProviderClient({
    provider: 'azure',
    baseUrl: url,
    headers: { 'ocp-apim-subscription-key': key },
    timeoutMs: TIMEOUT_MS,
  })

  async function analyze(model: string, page: SentPage, limits: CallLimits, features?: string): Promise<Analysis> {
    const { signal } = limits
    // It takes one language as a hint.
    const query = { 'api-version': VERSION, features, locale: page.languages?.[0] }
    const path = `/documentintelligence/documentModels/${model}:analyze`
    const body = new Uint8Array(page.bytes)
    const call = { path, query, body, headers: JPEG, signal, isRepeatable: true, answerHeader: 'operation-location' }
    const location = await client(call).catch(explainRefusal)
    return waitForResult(findResultPath(location, model), limits)
  }

  async function waitForResult(path: string, { signal, deadlineMs }: CallLimits): Promise<Analysis> {
    for (let pauseMs = FIRST_POLL_MS; ; pauseMs = Math.min(MAX_POLL_MS, pauseMs * 1.5)) {
      const reply = await client({ path, query: { 'api-version': VERSION }, signal, isRepeatable: true }).catch(
        explainRefusal,
      )
      const result = readResult((reply ?? {}) as OperationReply)
      if (result) return result
      if (performance.now() + pauseMs >= deadlineMs) throw unavailable({ reason: 'no complete answer in time' })
      await sleep(pauseMs, undefined, { signal })
    }
  }

  return {
    takesLanguages: ['ocr-layout', 'extract-tables', 'extract-form', 'parse-invoice', 'parse-id'],
    async readText(page, limits) {
      return { lines: readLines(await analyze('prebuilt-read', page, limits), page) }
    },
    async readTables(page, limits) {
      const analysis = await analyze('prebuilt-layout', page, limits)
      return { lines: readLines(analysis, page), tables: readTables(analysis, page) }
    },
    async readFields(page, limits) {
      const analysis = await analyze('prebuilt-layout', page, limits, 'keyValuePairs')
      return { lines: readLines(analysis, page), fields: readFields(analysis, page) }
    },
    async readInvoice(page, hints, limits) {
      const analysis = await analyze('prebuilt-invoice', page, limits)
      const lines = readLines(analysis, page)
      const document = analysis.documents?.[0] ?? (await analyze('prebuilt-receipt', page, limits)).documents?.[0]
      const texts = lines.map(({ text }) => text)
      const read = document && readAzureInvoice(document, texts, region => readBox(region, page))
      return { lines, invoice: read && normalizeInvoice(read, hints) }
    },
    async readIdentity(pages, limits) {
      const sides: HostedIdentity[] = []
      for (const page of pages) {
        const { documents: [document] = [] } = await analyze('prebuilt-idDocument', page, limits)
        sides.push(document ? readAzureIdentity(document, region => readBox(region, page)) : { fields: {} })
      }
      return joinSides(sides)
    },
  }
}

interface OperationReply {
  status?: string
  analyzeResult?: Analysis
  error?: { code?: string; innererror?: { code?: string } }
}

/** Undefined while the provider works on it. */
function readResult({ status, analyzeResult, error }: OperationReply): Analysis | undefined {
  if (status === 'succeeded') return analyzeResult ?? {}
  if (status === 'failed') throw explainFailure(error)
  if (status !== 'running' && status !== 'notStarted') throw unavailable({ reason: 'its answer has no status' })
  return undefined
}

/** Of the address, only the name of the result is taken, so that the key goes nowhere else. */
function findResultPath(location: unknown, model: string): string {
  const id = /\/analyzeResults\/([\w-]{1,100})(?:\?|$)/.exec(String(location))?.[1]
  if (!id) throw unavailable({ reason: 'its answer has no result' })
  return `/documentintelligence/documentModels/${model}/analyzeResults/${id}`
}

function explainRefusal(error: unknown): never {
  if (!(error instanceof ProviderRefusal)) throw error
  const { error: details } = error.body as OperationReply
  const problem = explainFailure(details)
  throw problem.code === 'PROVIDER_UNAVAILABLE' ? unavailable({ providerStatus: error.status }) : problem
}

const UNREADABLE = /InvalidContent|UnsupportedContent|CorruptedContent/

function explainFailure({ code = '', innererror }: NonNullable<OperationReply['error']> = {}): Problem {
  const codes = `${code} ${innererror?.code ?? ''}`
  if (UNREADABLE.test(codes)) return new Problem('IMAGE_DECODE_FAILED', { provider: 'azure' })
  return unavailable({ reason: code || 'the analysis has failed' })
}

function unavailable(hints: Record<string, unknown>): Problem {
  return new Problem('PROVIDER_UNAVAILABLE', { provider: 'azure', ...hints })
}

/** Places in an image are pixels of it. */
function toRect(polygon: readonly number[] = [], { width, height }: SentPage): Rect | undefined {
  if (polygon.length < 4) return undefined
  const xs = polygon.filter((_, index) => index % 2 === 0).map(x => x / width)
  const ys = polygon.filter((_, index) => index % 2 === 1).map(y => y / height)
  return clipRect([Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)])
}

function readBox({ boundingRegions: [region] = [] }: Region, page: SentPage): Rect | undefined {
  return toRect(region?.polygon, page)
}

const WHOLE: Rect = [0, 0, 1, 1]

interface PlacedWord {
  word: PageWord
  /** Where it begins in the text of the page. */
  at: number
}

function listWords({ pages: [found] = [] }: Analysis, page: SentPage): PlacedWord[] {
  return (found?.words ?? []).map(({ content = '', confidence = 0, polygon, span }) => ({
    word: { text: content, confidence, box: toRect(polygon, page) ?? WHOLE },
    at: span?.offset ?? -1,
  }))
}

function pickWords(words: readonly PlacedWord[], spans: readonly Span[]): PageWord[] {
  const isIn = (at: number) => spans.some(({ offset, length }) => at >= offset && at < offset + length)
  return words.filter(({ at }) => isIn(at)).map(({ word }) => word)
}

/** Lines and cells have no confidence of their own, so it is that of their words. */
function averageConfidence(words: readonly PageWord[]): number {
  const sum = words.reduce((total, { confidence }) => total + confidence, 0)
  return words.length === 0 ? 1 : Math.round((sum / words.length) * 1000) / 1000
}

function readLines(analysis: Analysis, page: SentPage): PageLine[] {
  const words = listWords(analysis, page)
  return (analysis.pages?.[0]?.lines ?? []).map(({ content = '', polygon, spans = [] }) => {
    const own = pickWords(words, spans)
    const line = { text: content, confidence: averageConfidence(own), box: toRect(polygon, page) ?? WHOLE }
    return { ...line, words: own.length > 0 ? own : [line] }
  })
}

type Cell = NonNullable<NonNullable<Analysis['tables']>[number]['cells']>[number]

function readTables(analysis: Analysis, page: SentPage): FoundTable[] {
  const words = listWords(analysis, page)
  const readCell = ({ rowIndex = 0, columnIndex = 0, rowSpan = 1, columnSpan = 1, ...cell }: Cell, box: Rect) => {
    const place = { r: rowIndex, c: columnIndex, rowSpan, colSpan: columnSpan, box: readBox(cell, page) ?? box }
    const confidence = averageConfidence(pickWords(words, cell.spans ?? []))
    return buildCell({ ...place, text: cleanMarks(cell.content ?? ''), confidence })
  }
  const found = (analysis.tables ?? []).map(({ cells = [], rowCount = 0, columnCount = 0, caption, ...region }) => {
    const box = readBox(region, page) ?? WHOLE
    const table = { method: 'model' as const, box, rows: rowCount, cols: columnCount }
    const ready = cells.map(cell => readCell(cell, box))
    return { ...table, cells: ready, ...(caption?.content && { caption: caption.content }) }
  })
  return keepSoundTables(found)
}

const MARK = /:(un)?selected:/g

function cleanMarks(content: string): string {
  return content.replaceAll(MARK, (_, not?: string) => (not ? '☐' : '☒'))
}

function readFields({ keyValuePairs = [] }: Analysis, page: SentPage): FormField[] {
  return keyValuePairs.map(({ key = {}, value = {}, confidence = 0 }) => {
    const text = (value.content ?? '').trim()
    const mark = /^:(un)?selected:$/.exec(text)
    const isChecked = mark !== null && mark[1] === undefined
    const [keyBox, valueBox] = [readBox(key, page), readBox(value, page)]
    return {
      key: (key.content ?? '').replace(/\s*:$/, ''),
      ...(mark
        ? { value: String(isChecked), type: 'checkbox' as const, checked: isChecked }
        : { value: text, type: typeOfValue(text) }),
      ...(keyBox && { keyBox }),
      ...(valueBox && { valueBox }),
      confidence,
      source: 'model' as const,
    }
  })
}
