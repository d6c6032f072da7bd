import { type InputFile, type Price, type StepOperation, usd } from '#kit'
import { type IngestCall, MAX_TEXT_BYTES, overlapOf } from './fields.ts'

const EMBEDDED_STEP_BYTES = 10_000
const BATCH_VECTORS = 100
const BASE = usd('0.002')
const RATE = usd('0.001')
const PDF = 'application/pdf'
/** More text than a page of a book has. */
export const PAGE_BYTES = 16 * 2 ** 10
/** How much more text a packed document may have than it has bytes. */
const PACKED_FACTOR = 20

/** Chunks are counted by the size of the text, so that the price is known before they are made. */
export function countIngestUnits(bytes: number, sizes: Pick<IngestCall, 'chunkBytes' | 'overlapBytes'>) {
  const chunks = Math.ceil(bytes / Math.max(1, sizes.chunkBytes - overlapOf(sizes)))
  return { embed: Math.ceil(bytes / EMBEDDED_STEP_BYTES), write: Math.ceil(chunks / BATCH_VECTORS) }
}

export const INGEST_PRICE: Price<IngestCall> = {
  unit: `started ${EMBEDDED_STEP_BYTES.toLocaleString('en')} bytes of text and started ${BATCH_VECTORS} chunks`,
  ...{ rateMicros: RATE, baseMicros: BASE, basis: 'content', minUnits: 2 },
  units: call => {
    const { embed, write } = countIngestUnits(limitTextBytes(call), call)
    return embed + write
  },
  note: 'A new baton and the reading of a file cost what they cost alone. Of a file the most is held, and its text charged.',
}

/** The most text that a call can have. */
function limitTextBytes({ text, file }: IngestCall): number {
  if (text !== undefined) return Buffer.byteLength(text)
  return Math.min(MAX_TEXT_BYTES, file ? limitFileBytes(file) : 1)
}

function limitFileBytes({ type, sizeBytes, facts }: InputFile): number {
  if (type === PDF) return PAGE_BYTES * (facts.pages ?? 1)
  return /^text\//.test(type) ? 2 * sizeBytes : PACKED_FACTOR * sizeBytes + PAGE_BYTES
}

/** The operation that reads a file: of a PDF also the pages are known. */
export function readerOf({ type }: Pick<InputFile, 'type'>): string {
  return type === PDF ? 'pdf.to-markdown' : 'doc.to-markdown'
}

/** The price of one call, with that of its reading. */
export function priceCall({ text, file }: IngestCall, reader: StepOperation | undefined): Price<IngestCall> {
  if (text !== undefined || !file || !reader) return { ...INGEST_PRICE, basis: 'body' }
  return { ...INGEST_PRICE, extraMicros: call => computeReadingMicros(reader, call) }
}

function computeReadingMicros({ price }: StepOperation, { file }: IngestCall): bigint {
  const input = { file, pages: 'all' } as never
  const variant = price.variants?.find(({ applies }) => applies(input))
  const units = variant?.units ? variant.units(input) : price.units(input)
  return price.baseMicros + price.rateMicros * BigInt(variant?.factor ?? 1) * BigInt(units)
}
