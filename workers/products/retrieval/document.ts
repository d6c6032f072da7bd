import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { computeCharge, type Outcome, Problem, type Tariff } from '#kit'
import { type DocumentPlan, type DocumentTerms, finishDocument } from '../../../sql/retrieval/document.ts'
import { HASH_MODEL } from '../../../tasks/engines/vectors/hash-embedding.ts'
import { startNow } from '../../../tasks/products/baton/index.ts'
import {
  type BatonPart,
  CHUNK_TERMS,
  computeIndexMicros,
  type DocumentCall,
  type ReadParts,
} from '../../../tasks/products/retrieval/index.ts'
import type { DeliveredFile, EndingParts, WorkerContext } from '../../context.ts'
import { storeFile } from '../baton/index.ts'
import { cleanText, cut, describeChunks, embed } from './chunks.ts'
import { openTextEmbedder } from './embedder.ts'

const PDF = 'application/pdf'
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
const INDEXED = { namespace: '', replaceDoc: true } as const

/** Stores what was read of a document in batons that are created with the end of its job: all of them or none. */
export const ingestDocument: EndingParts = {
  async prepare(context, payload, outcome, tariff) {
    const call = payload.input as DocumentCall
    const plan = payload.delivery!.plan as DocumentPlan
    const read = leaveOutLargeWorkbook(call, plan, outcome.result as ReadParts)
    const startedMs = performance.now()
    const batons = await storeParts(context, payload.accountId, plan, read)
    const storeMs = performance.now() - startedMs
    const index = await indexText(context, call, plan, read.text)
    const describe = (indexed: IndexEnd) =>
      describeEnd({ call, plan, read, outcome, tariff, storeMs }, { ...indexed, ms: index.ms })
    const terms: DocumentEnding = {
      batons,
      ...(index.made && { vectors: index.made.terms }),
      ...(index.made && call.keepPartial && { withoutVectors: problem => describe({ problem }) }),
    }
    return { ...describe(index), terms }
  },

  async finish({ db }, ending, success, delivery) {
    const { vectors, withoutVectors, batons } = delivery.terms as DocumentEnding
    try {
      return await finishDocument(db, ending, success, { batons, ...(vectors && { vectors }) })
    } catch (error) {
      if (!withoutVectors || !(error instanceof Problem)) throw error
      return finishDocument(db, ending, { ...success, ...withoutVectors(error) }, { batons })
    }
  },
}

interface DocumentEnding extends DocumentTerms {
  /** The end of a call that keeps its files although the database refused its vectors. */
  withoutVectors?(problem: Problem): DescribedEnd
}

interface DescribedEnd {
  chargeMicros: bigint
  result: string
}

interface ReadDocument {
  call: DocumentCall
  plan: DocumentPlan
  read: ReadParts
  outcome: Outcome<unknown>
  tariff: Tariff
  storeMs: number
}

function describeEnd(document: ReadDocument, index: IndexEnd & { ms: number }): DescribedEnd {
  const { call, plan, read, outcome, tariff, storeMs } = document
  const { made, problem } = index
  const indexMicros = made ? computeIndexMicros(made.bytes) : 0n
  const stored: BatonPart[] = [
    'pdf',
    ...(read.workbook ? (['tables'] as const) : []),
    ...(made ? (['vectors'] as const) : []),
  ]
  const batonMicros = stored.reduce((sum, part) => sum + BigInt(plan[part]!.chargeMicros), 0n)
  const readMicros = read.steps.reduce((sum, step) => sum + step.chargeMicros, 0n)
  const chargeMicros = computeCharge(tariff, { units: 1, baseMicros: readMicros + indexMicros }) + batonMicros
  const result = {
    ...describeParts(call, plan, read, made),
    steps: [
      ...read.steps.map(showStep),
      ...(made || problem ? [showStep({ name: 'index', chargeMicros: indexMicros, ms: index.ms, problem })] : []),
      showStep({ name: 'store', chargeMicros: chargeMicros - readMicros - indexMicros, ms: storeMs }),
    ],
    chargedMicros: String(chargeMicros),
    ...(outcome.warnings && outcome.warnings.length > 0 && { warnings: outcome.warnings }),
  }
  return { chargeMicros, result: JSON.stringify(result) }
}

/** With `keepPartial`, tables that are more than their baton takes are left out and cost nothing. */
function leaveOutLargeWorkbook({ keepPartial }: DocumentCall, { tables }: DocumentPlan, read: ReadParts): ReadParts {
  const { workbook, ...kept } = read
  const maxBytes = tables?.spec.sizeBytes
  if (!keepPartial || !workbook || maxBytes === undefined || BigInt(workbook.length) <= BigInt(maxBytes)) return read
  const problem = new Problem('QUOTA_EXHAUSTED', { quota: 'size', leftBytes: maxBytes, sizeBytes: workbook.length })
  const leaveOut = (step: ReadParts['steps'][number]) =>
    step.name === 'tables' ? { ...step, chargeMicros: 0n, problem } : step
  return { ...kept, sheets: [], steps: kept.steps.map(leaveOut) }
}

/** Puts the files where the batons will have them. */
async function storeParts(context: WorkerContext, accountId: string, plan: DocumentPlan, { pdf, workbook }: ReadParts) {
  const files: [BatonPart, DeliveredFile][] = [
    ['pdf', await openFile(pdf.path)],
    ...(workbook ? [['tables', openBytes(workbook)] as [BatonPart, DeliveredFile]] : []),
  ]
  const batons: DocumentTerms['batons'] = []
  for (const [part, file] of files) {
    const { spec, durationSeconds } = plan[part]!
    const { content, ...written } = await storeFile(context, accountId, file)
    batons.push({ spec: { ...spec, ...startNow(BigInt(durationSeconds)), written }, content })
  }
  return batons
}

type Indexed = NonNullable<Awaited<ReturnType<typeof makeVectors>>>

/** The vectors of a text, why there are none, or neither if it has no text or none were wanted. */
interface IndexEnd {
  made?: Indexed
  problem?: Problem
}

async function indexText(
  context: WorkerContext,
  { keepPartial, index }: DocumentCall,
  plan: DocumentPlan,
  text: ReadParts['text'],
): Promise<IndexEnd & { ms: number }> {
  const startedMs = performance.now()
  const end = (fields: IndexEnd) => ({ ...fields, ms: performance.now() - startedMs })
  if (!index || !text) return end({})
  try {
    const made = await makeVectors(context, plan, text)
    return end(made ? { made } : {})
  } catch (problem) {
    if (!keepPartial || !(problem instanceof Problem)) throw problem
    return end({ problem })
  }
}

function describeParts(
  { tables, index }: DocumentCall,
  plan: DocumentPlan,
  { pdf, workbook, sheets }: ReadParts,
  indexed: Indexed | undefined,
) {
  const tablesId = workbook ? plan.tables!.spec.id : null
  return {
    pdf: { batonId: plan.pdf!.spec.id, pages: pdf.pages, ocrPages: pdf.ocrPages },
    ...(tables && { tables: { batonId: tablesId, tables: sheets.length, sheets } }),
    ...(index && { vectors: describeVectors(plan, indexed) }),
  }
}

async function openFile(path: string): Promise<DeliveredFile> {
  const { size: sizeBytes } = await stat(path)
  return { type: PDF, sizeBytes, read: async () => createReadStream(path) }
}

function openBytes(bytes: Uint8Array): DeliveredFile {
  async function* read(): AsyncGenerator<Uint8Array> {
    yield bytes
  }
  return { type: XLSX, sizeBytes: bytes.length, read: async () => read() }
}

async function makeVectors(context: WorkerContext, plan: DocumentPlan, read: NonNullable<ReadParts['text']>) {
  const { spec, durationSeconds, by, model } = plan.vectors!
  const text = cleanText(read.text)
  const chunks = await cut(CHUNK_TERMS, text)
  if (chunks.length === 0) return undefined
  const embedder = model === HASH_MODEL ? undefined : openTextEmbedder(context)
  const prepared = await embed(chunks, embedder)
  const { docId, batch, floats } = describeChunks(INDEXED, { text, chunks, prepared, pages: read.pages, embedder })
  const terms = { spec: { ...spec, ...startNow(BigInt(durationSeconds)) }, by: by!, batch, floats }
  return { terms, docId, chunks: chunks.length, bytes: Buffer.byteLength(text) }
}

function describeVectors(plan: DocumentPlan, indexed: { docId: string; chunks: number } | undefined) {
  const { spec, model } = plan.vectors!
  const { docId = null, chunks = 0 } = indexed ?? {}
  return { batonId: indexed ? spec.id : null, chunks, docId, model }
}

interface ShownStep {
  name: string
  chargeMicros: bigint
  ms: number
  problem?: Problem | undefined
}

function showStep({ name, chargeMicros, ms, problem }: ShownStep) {
  const status = problem ? 'failed' : 'succeeded'
  const shown = { name, status, chargedMicros: String(chargeMicros), ms: Math.round(ms) }
  return { ...shown, ...(problem && { error: problem.toBody() }) }
}
