import { Type } from 'typebox'
import { define, type Operation, type Price, Problem, type RunContext, type StepOperation } from '#kit'
// What it throws is known once the products are, also in a thread that runs nothing else.
import '../../../index.ts'
import { countDocumentPages } from '../../../../formats/ocr/pages.ts'
import { DOCUMENT_FIELDS, type DocumentCall, DocumentReply, MAX_PAGES } from '../../document/fields.ts'
import { DOCUMENT_PRICE, listStepNames, priceDocument } from '../../document/price.ts'
import { readParts } from '../../document/read.ts'

const STEPS: readonly string[] = ['pdf.ocr-searchable', 'doc.extract-tables', 'pdf.to-markdown']
const PDF = 'application/pdf'
/** What extract-tables takes. */
const MAX_TABLE_BYTES = 5 * 2 ** 20

const declare = (steps: readonly StepOperation[]): Operation =>
  define({
    summary: 'Store a document as a searchable PDF and its tables as a workbook, each in a baton of its own.',
    keywords:
      'ingest a scan, digitise a document, archive a pdf with its tables, searchable pdf and excel in one call, document intake, paperless',
    description:
      'Pages without text are recognised, the tables of all pages become one workbook with a sheet for each, and with `index` the ' +
      'text goes into a vector baton that rag/answer reads. All of it is one job and one charge: nothing is stored or charged of a ' +
      'call that fails, and a document without tables has no baton for them. It takes longer than most: send `async`.',
    price: DOCUMENT_PRICE as Price<never>,
    uses: [],
    limitSeconds: 900,
    input: Type.Object(DOCUMENT_FIELDS),
    output: DocumentReply,
    errors: [
      ...(['INPUT_TOO_LARGE', 'INVALID_PARAM', 'TOO_MANY_PAGES', 'QUOTA_EXHAUSTED', 'INVALID_SHAPE'] as const),
      ...(['PROVIDER_UNAVAILABLE', 'TIME_LIMIT_EXCEEDED', 'MEMORY_LIMIT_EXCEEDED', 'BUSY'] as const),
    ],
    stepErrors: [...new Set(steps.flatMap(({ errors }) => errors))],
    examples: [
      {
        title: 'A price list with tables',
        input: { file: 'sample:price-list.pdf', batons: { pdf: { tier: 'femto' }, tables: { tier: 'femto' } } },
      },
    ],
    run: (input, context) => readParts(input as DocumentCall, context as RunContext) as never,
  })

/** The operation with those that read the document as its steps. */
function compose(steps: readonly StepOperation[]): Operation {
  const declared = declare(steps)
  return {
    ...declared,
    composition: {
      isStep: name => STEPS.includes(name),
      withSteps: compose,
      forCall: input => composeCall(declared, input as DocumentCall, steps),
    },
  }
}

function composeCall(declared: Operation, call: DocumentCall, steps: readonly StepOperation[]): Operation {
  checkFile(call)
  const wanted = listStepNames(call)
  const used = steps.filter(({ name }) => wanted.includes(name))
  const uses = [...new Set(used.flatMap(step => step.uses))]
  const required = new Set(used.flatMap(step => step.uses.filter(tool => !step.optional?.includes(tool))))
  return {
    ...declared,
    price: { ...priceDocument(used), units: checked => countOne(checked) } as Price<never>,
    ...{ uses, optional: uses.filter(tool => !required.has(tool)) },
  }
}

/** What a file is, is known once it was received. */
function checkFile({ file, ocr, tables }: DocumentCall): void {
  if (ocr === 'off' && (file.type ?? PDF) !== PDF)
    throw new Problem('INVALID_PARAM', { field: 'ocr', reason: 'an image has no text to store' })
  if (tables && file.sizeBytes > MAX_TABLE_BYTES)
    throw new Problem('INPUT_TOO_LARGE', {
      ...{ field: 'file', sizeBytes: file.sizeBytes, limitBytes: MAX_TABLE_BYTES },
      try: 'tables: false',
    })
}

/** Pages are known once the document was looked into. */
function countOne({ file }: DocumentCall): number {
  const pages = countDocumentPages(file)
  if (pages > MAX_PAGES) throw new Problem('TOO_MANY_PAGES', { pages, max: MAX_PAGES })
  return 1
}

export default compose([])
