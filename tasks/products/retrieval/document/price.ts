import { type Price, type StepOperation, usd } from '#kit'
import { countDocumentPages } from '../../../formats/ocr/pages.ts'
import { countIngestUnits, PAGE_BYTES } from '../ingest/price.ts'
import type { DocumentCall } from './fields.ts'

const RATE = usd('0.01')
const INDEX_RATE = usd('0.001')
const INDEX_BASE = usd('0.002')
/** The chunks of an indexed document, as rag-ingest makes them if nothing else is said. */
export const CHUNK_TERMS = { split: 'sentence', chunkBytes: 1_200, overlapBytes: 150 } as const

export const DOCUMENT_PRICE: Price<DocumentCall> = {
  unit: 'document',
  ...{ rateMicros: RATE, baseMicros: 0n, basis: 'content', minUnits: 1 },
  units: () => 1,
  note: 'Its batons, and reading its pages, tables and text, cost what they cost alone; what is not found is not charged.',
}

/** The operations that a call runs. */
export function listStepNames({ ocr, tables, index }: DocumentCall): string[] {
  return [
    ...(ocr === 'off' ? [] : ['pdf.ocr-searchable']),
    ...(tables ? ['doc.extract-tables'] : []),
    ...(index ? ['pdf.to-markdown'] : []),
  ]
}

/** The most that a call costs, with all that it runs. */
export function priceDocument(steps: readonly StepOperation[]): Price<DocumentCall> {
  return {
    ...DOCUMENT_PRICE,
    extraMicros: call => steps.reduce((sum, step) => sum + limitStep(step, call), limitIndex(call)),
  }
}

function limitStep({ price, name }: StepOperation, { file }: DocumentCall): bigint {
  const pages = countDocumentPages(file)
  const asPdf = { ...file, facts: { ...file.facts, pages } }
  const micros = price.baseMicros + price.rateMicros * BigInt(price.units({ file: asPdf, pages: 'all' } as never))
  return name === 'doc.extract-tables' ? micros * BigInt(pages) : micros
}

function limitIndex({ index, file }: DocumentCall): bigint {
  return index ? computeIndexMicros(PAGE_BYTES * countDocumentPages(file)) : 0n
}

export function computeIndexMicros(textBytes: number): bigint {
  const { embed, write } = countIngestUnits(textBytes, CHUNK_TERMS)
  return INDEX_BASE + INDEX_RATE * BigInt(embed + write)
}
