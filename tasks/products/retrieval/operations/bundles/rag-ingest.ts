import { Type } from 'typebox'
import { define, exactlyOne, type Operation, type Price, Problem, type RunContext, type StepOperation } from '#kit'
// What it throws is known once the products are, also in a thread that runs nothing else.
import '../../../index.ts'
import { INGEST_FIELDS, type IngestCall, IngestReply, MAX_TEXT_BYTES } from '../../ingest/fields.ts'
import { INGEST_PRICE, priceCall, readerOf } from '../../ingest/price.ts'
import { readDocument } from '../../ingest/read.ts'

/** The operations that read files. */
const READERS: readonly string[] = ['pdf.to-markdown', 'doc.to-markdown']

const declare = (readers: readonly StepOperation[]): Operation =>
  define({
    summary: 'Make a document searchable: read it, cut it into chunks and write them to a vector baton.',
    keywords:
      'ingest a document into a vector index, RAG, chunking, index pdf, embed document, knowledge base, chat with a pdf, upload documents for search',
    description:
      'One call reads, cuts, embeds and writes, and is charged only if all of it succeeds; a search finds the document as it was ' +
      'or as it is, never neither. Chunks are named docId#0, docId#1 and so on. A scan without text is refused: make its text ' +
      'readable with pdf/ocr-searchable first. The answer of rag/answer comes from what was written here.',
    price: INGEST_PRICE as Price<never> as Price<never>,
    uses: [],
    input: Type.Object(INGEST_FIELDS),
    output: IngestReply,
    errors: [
      ...(['INPUT_EMPTY', 'INPUT_TOO_LARGE', 'INVALID_PARAM', 'MISSING_FIELD', 'CONFLICTING_OPTIONS'] as const),
      ...([
        'NOT_FOUND',
        'GONE',
        'FORBIDDEN',
        'PRESET_MISMATCH',
        'INVALID_SHAPE',
        'QUOTA_EXHAUSTED',
        'BATON_FROZEN',
      ] as const),
      ...(['BATON_NOT_ACTIVE', 'RATE_LIMITED', 'VECTOR_EXISTS', 'VECTOR_INVALID', 'MODEL_MISMATCH'] as const),
      ...([
        'DIMENSION_MISMATCH',
        'PROVIDER_UNAVAILABLE',
        'TIME_LIMIT_EXCEEDED',
        'MEMORY_LIMIT_EXCEEDED',
        'BUSY',
      ] as const),
    ],
    stepErrors: [...new Set(readers.flatMap(({ errors }) => errors))],
    examples: [
      {
        title: 'A text, into a new baton',
        input: {
          text: '# Tides\n\nHigh tide comes twice a day. Low tide is at six.',
          docId: 'tides',
          baton: { tier: 'femto' },
        },
        answer: { docId: 'tides', chunks: 1, created: true },
      },
      {
        title: 'A PDF',
        input: { file: 'sample:letter.pdf', split: 'markdown', baton: { tier: 'femto' } },
        answer: { created: true },
      },
    ],
    run: (input, context) => readDocument(input as IngestCall, context as RunContext) as never,
  })

/** The operation with those that read files as its steps. */
function compose(readers: readonly StepOperation[]): Operation {
  const ingest = declare(readers)
  return {
    ...ingest,
    composition: {
      isStep: name => READERS.includes(name),
      withSteps: compose,
      forCall: input => composeCall(ingest, input as IngestCall, readers),
    },
  }
}

function composeCall(ingest: Operation, call: IngestCall, readers: readonly StepOperation[]): Operation {
  const given = exactlyOne(call, ['text', 'file'])
  checkSizes(call)
  const reader = given === 'file' ? readers.find(({ name }) => name === readerOf(call.file!)) : undefined
  const price = priceCall(call, reader) as Price<never>
  return { ...ingest, price, uses: reader?.uses ?? [], ...(reader?.optional && { optional: reader.optional }) }
}

function checkSizes({ text, chunkBytes, overlapBytes = 0, metadata, batonId, baton }: IngestCall): void {
  if (overlapBytes > chunkBytes / 2)
    throw new Problem('INVALID_PARAM', { field: 'overlapBytes', max: Math.floor(chunkBytes / 2) })
  if (batonId !== undefined && baton) throw new Problem('CONFLICTING_OPTIONS', { fields: ['batonId', 'baton'] })
  if (text !== undefined && text.trim() === '') throw new Problem('INPUT_EMPTY', { field: 'text' })
  const sizeBytes = Buffer.byteLength(text ?? '')
  if (sizeBytes > MAX_TEXT_BYTES)
    throw new Problem('INPUT_TOO_LARGE', { field: 'text', sizeBytes, limitBytes: MAX_TEXT_BYTES })
  if (metadata && Buffer.byteLength(JSON.stringify(metadata)) > MAX_METADATA_BYTES)
    throw new Problem('INVALID_PARAM', { field: 'metadata', maxBytes: MAX_METADATA_BYTES })
}

const MAX_METADATA_BYTES = 4_096

export default compose([])
