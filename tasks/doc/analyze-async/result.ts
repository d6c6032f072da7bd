import { Type } from 'typebox'
import { Choice, FileOutput } from '#kit'
import { PAGED_INVOICE_FIELDS } from '../../formats/invoice/result.ts'
import { LanguageUsage } from '../../formats/language/usage.ts'
import { Answer } from '../../formats/page-questions/answers.ts'
import { BlockFields, FieldFields, TableFields } from '../schema.ts'
import { Chunk } from './chunks.ts'
import { DocumentAnswer } from './questions.ts'

export const JSON_TYPE = 'application/json'
export const ZIP_TYPE = 'application/zip'

const Page = Type.Integer({ minimum: 1 })
const Pages = Type.Array(Page)
const Heading = Type.Object({ level: Type.Integer({ minimum: 1, maximum: 6 }), text: Type.String(), page: Page })
const Fault = Type.Object({ code: Type.String(), message: Type.String() })
const { box: _, ...tableFacts } = TableFields

const AnalyzedPage = Type.Object({
  page: Page,
  status: Choice(['ok', 'failed']),
  error: Type.Optional(Fault),
  source: Type.Optional(Choice(['text-layer', 'ocr'])),
  text: Type.Optional(Type.String()),
  blocks: Type.Optional(Type.Array(Type.Object(BlockFields))),
  markdown: Type.Optional(Type.String()),
  headings: Type.Optional(Type.Array(Heading)),
  tables: Type.Optional(Type.Array(Type.Object(TableFields))),
  fields: Type.Optional(Type.Array(Type.Object(FieldFields))),
  answers: Type.Optional(Type.Array(Answer)),
  questionError: Type.Optional(Fault),
})

const DocumentInvoice = Type.Object({
  pages: Pages,
  ...PAGED_INVOICE_FIELDS,
  xml: Type.Optional(Type.Object({ syntax: Choice(['cii', 'ubl']), profile: Type.Optional(Type.String()) })),
})

const DocumentImage = Type.Object({
  name: Type.String({ description: 'In the zip.' }),
  contentType: Type.String(),
  page: Page,
  width: Type.Integer({ minimum: 1 }),
  height: Type.Integer({ minimum: 1 }),
})

export const ANALYSIS = Type.Object({
  pageCount: Page,
  pages: Type.Array(AnalyzedPage),
  markdown: Type.Optional(Type.String()),
  headings: Type.Optional(Type.Array(Heading)),
  tables: Type.Optional(Type.Array(Type.Object({ pages: Pages, ...tableFacts }))),
  invoices: Type.Optional(Type.Array(DocumentInvoice)),
  answers: Type.Optional(
    Type.Array(DocumentAnswer, { description: 'The most certain answer that a page gives to each question.' }),
  ),
  usage: Type.Optional(LanguageUsage),
  chunks: Type.Optional(Type.Array(Chunk)),
  images: Type.Optional(Type.Array(DocumentImage)),
  engine: Choice(['local']),
  output: Type.Optional(FileOutput([JSON_TYPE, ZIP_TYPE])),
})
