import { Type } from 'typebox'
import { Choice, define, FileOutput, type InputFile, perPage } from '#kit'
import { openPdf } from '../formats/pdf/opening.ts'
import { compressDocument } from './compress/candidates.ts'
import { planQualities } from './compress/levels.ts'
import { chooseRedraw, collectGrayWarnings, describeSaving } from './compress/report.ts'
import {
  allowBreakSignatures,
  collectRewriteWarnings,
  PDF,
  PDF_ERRORS,
  PdfInput,
  pageCountOf,
  password,
  rejectIfSigned,
  removeSignatures,
} from './schema.ts'

const MIN_UNITS = 3

export default define({
  summary: 'Make a PDF smaller; it keeps its look.',
  keywords:
    'shrink, reduce file size, optimise, optimize, too large for email, minify, downsample images, grayscale, greyscale, make a pdf smaller, fit in an email, shrink a pdf below so many kb',
  isFeatured: true,
  description:
    'Images are reduced to the resolution of the level and encoded again, the structure is packed tighter; text, fonts, ' +
    'form fields, links and bookmarks stay. Black-and-white scans stay black and white. The result is never larger: if ' +
    'nothing helps, the input is returned for the lowest price.',
  price: {
    ...perPage('0.001', ({ file }: { file: InputFile }) => Math.max(MIN_UNITS, pageCountOf(file))),
    note: 'At least three pages are charged, and only one if the document cannot be made smaller.',
  },
  uses: ['qpdf', 'libpdf', 'poppler', 'sharp', 'ghostscript'],
  input: Type.Object({
    file: PdfInput(),
    level: Choice(['low', 'recommended', 'extreme'], {
      default: 'recommended',
      description: 'Images of at most 300, 150 or 96 dpi, as JPEG of quality 85, 75 or 55.',
    }),
    imageDpi: Type.Optional(Type.Integer({ minimum: 36, maximum: 600 })),
    jpegQuality: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
    grayscale: Type.Boolean({
      default: false,
      description: 'Draw all pages in shades of grey; notes keep their colours.',
    }),
    targetBytes: Type.Optional(
      Type.Integer({ minimum: 10_240, description: 'Lower the quality further until the file is as small as this.' }),
    ),
    linearize: Type.Boolean({
      default: true,
      description: 'Order the file for display during the download, unless that made it larger than the input.',
    }),
    stripMetadata: Type.Boolean({ default: false }),
    password,
    allowBreakSignatures,
  }),
  output: Type.Object({
    output: FileOutput(PDF),
    originalBytes: Type.Integer({ minimum: 1 }),
    outputBytes: Type.Integer({ minimum: 1 }),
    saved: Type.Number({ minimum: 0, maximum: 1 }),
    unchanged: Type.Boolean({ description: 'Nothing made it smaller; the input is returned.' }),
    method: Type.Array(Choice(['images', 'structure', 'redraw', 'metadata'])),
    imagesTouched: Type.Integer({ minimum: 0 }),
    linearized: Type.Boolean(),
    targetMet: Type.Optional(Type.Boolean()),
  }),
  errors: [...PDF_ERRORS, 'OUTPUT_TOO_LARGE', 'PDF_SIGNED'],
  examples: [
    {
      title: 'A scanned page',
      input: { file: 'sample:scan.pdf' },
      answer: { unchanged: false, imagesTouched: 1, method: ['images', 'structure'] },
    },
    {
      title: 'Small enough for a form that takes 10 kB',
      input: { file: 'sample:scan.pdf', level: 'low', targetBytes: 10_240 },
    },
  ],

  async run(input, { out, ...tools }) {
    const { file, grayscale, stripMetadata, targetBytes } = input
    const { qpdf, libpdf } = tools
    rejectIfSigned(file, input.allowBreakSignatures)
    const pages = pageCountOf(file)
    const readable = await openPdf(file, { qpdf, password: input.password, to: out('opened.pdf') })
    const unsigned = await removeSignatures(file, readable, { libpdf, to: out('unsigned.pdf') })
    const source = stripMetadata ? await libpdf.dropMetadata(unsigned, { to: out('stripped.pdf') }) : unsigned
    const options = {
      ...{ pages, targetBytes, isLinearized: input.linearize, maxBytes: file.sizeBytes },
      qualities: planQualities(input),
      method: stripMetadata ? (['metadata'] as const) : [],
      redraw: chooseRedraw(file, input),
    }
    const best = await compressDocument(source, options, { ...tools, out })
    const mustChange = grayscale || stripMetadata
    const result = best.sizeBytes < file.sizeBytes || mustChange ? best : undefined
    const output = { path: result?.path ?? file.path, contentType: PDF, name: 'compressed.pdf' }
    const warnings = [...collectRewriteWarnings(file), ...(grayscale ? collectGrayWarnings(file) : [])]
    return {
      result: { output, ...describeSaving(file, result, targetBytes) },
      units: result ? Math.max(MIN_UNITS, pages) : 1,
      warnings: result ? warnings : [],
    }
  },
})
