import { Type } from 'typebox'
import { Choice, type InputFile } from '#kit'
import type { DocumentFacts, PageBoxes } from '../../formats/pdf/document.ts'
import { formatPageRanges } from '../../formats/pdf/page-ranges.ts'
import { readMetadata } from '../../formats/pdf/properties.ts'
import { isSigned, pageCountOf } from '../schema.ts'

const Flag = Type.Boolean()
const Text = Type.Optional(Type.String())

/** The result of `read`; `write` and `strip` return a file instead. */
export const ReadResult = {
  info: Type.Optional(
    Type.Object({
      title: Text,
      author: Text,
      subject: Text,
      keywords: Type.Optional(Type.Array(Type.String())),
      creator: Text,
      producer: Text,
      creationDate: Type.Optional(Type.String({ description: 'ISO 8601.' })),
      modDate: Text,
      language: Text,
      custom: Type.Optional(
        Type.Unsafe<Record<string, string>>({ type: 'object', additionalProperties: { type: 'string' } }),
      ),
    }),
  ),
  xmp: Type.Optional(
    Type.Unsafe<string | null>({ anyOf: [{ type: 'string' }, { type: 'null' }], description: 'The raw XMP packet.' }),
  ),
  pageCount: Type.Optional(Type.Integer({ minimum: 1 })),
  pdfVersion: Text,
  encrypted: Type.Optional(Flag),
  permissions: Type.Optional(
    Type.Object(
      {
        print: Choice(['none', 'low', 'full']),
        copy: Flag,
        modify: Flag,
        annotate: Flag,
        fillForms: Flag,
        assemble: Flag,
      },
      { description: 'What is allowed without the owner password.' },
    ),
  ),
  linearized: Type.Optional(Flag),
  tagged: Type.Optional(Flag),
  pageSizes: Type.Optional(
    Type.Array(
      Type.Object({
        pages: Type.String({ description: 'Such as 1-3,7.' }),
        widthPt: Type.Number({ description: 'Of the crop box, before rotation.' }),
        heightPt: Type.Number(),
        rotate: Type.Integer(),
      }),
    ),
  ),
  fonts: Type.Optional(
    Type.Array(Type.Object({ name: Type.String(), embedded: Flag, subset: Flag, type: Type.String() })),
  ),
  hasForm: Type.Optional(Flag),
  xfa: Type.Optional(Flag),
  hasSignatures: Type.Optional(Flag),
  hasJavaScript: Type.Optional(Flag),
  attachments: Type.Optional(Type.Integer({ minimum: 0 })),
  bookmarks: Type.Optional(Type.Integer({ minimum: 0 })),
  claims: Type.Optional(Type.Object({ pdfa: Type.Optional(Type.String({ description: 'Such as 2b.' })), pdfua: Text })),
  hasTextLayer: Type.Optional(Flag),
  producer: Text,
}

interface Readers {
  qpdf: { readPermissions(path: string, password: string | undefined): Promise<Record<string, boolean | undefined>> }
  poppler: {
    listFonts(path: string): Promise<{ name: string; embedded: boolean; subset: boolean; type: string }[]>
    extractText(path: string, options: { first: number; last: number; layout: 'raw' }): Promise<string[]>
  }
}

interface OpenedDocument {
  file: InputFile
  /** A decrypted and repaired copy that every reader opens, or the file itself. */
  path: string
  password: string | undefined
}

export async function buildReadResult(
  description: DocumentFacts,
  document: OpenedDocument,
  { qpdf, poppler }: Readers,
) {
  const { file, path, password } = document
  const { claims, attachments, bookmarks } = description
  const encrypted = file.facts.encrypted ?? false
  return {
    info: readMetadata(description.info, description.language),
    xmp: description.xmp ?? null,
    pageCount: pageCountOf(file),
    pdfVersion: description.version,
    encrypted,
    ...(encrypted && { permissions: toPermissions(await qpdf.readPermissions(file.path, password)) }),
    linearized: description.isLinearized,
    tagged: description.isTagged,
    pageSizes: groupPageSizes(description.pageBoxes),
    fonts: await poppler.listFonts(path),
    hasForm: description.fields > 0,
    xfa: description.hasXfa,
    hasSignatures: isSigned(file),
    hasJavaScript: description.hasJavaScript,
    attachments,
    bookmarks,
    claims,
    hasTextLayer: await hasText(path, pageCountOf(file), poppler),
    ...(description.info?.Producer && { producer: description.info.Producer }),
  }
}

/** Most documents with text have it on an early page; the others are read only if these have none. */
const FIRST_PAGES_TO_CHECK = 20

async function hasText(path: string, pages: number, poppler: Readers['poppler']): Promise<boolean> {
  const hasTextBetween = async (first: number, last: number) => {
    const texts = last < first ? [] : await poppler.extractText(path, { first, last, layout: 'raw' })
    return texts.some(page => page.trim() !== '')
  }
  return (
    (await hasTextBetween(1, Math.min(pages, FIRST_PAGES_TO_CHECK))) || hasTextBetween(FIRST_PAGES_TO_CHECK + 1, pages)
  )
}

/** Groups pages of the same size and rotation, in the order of their first page. */
function groupPageSizes(pages: readonly PageBoxes[]) {
  const groups = new Map<string, { widthPt: number; heightPt: number; rotate: number; pages: number[] }>()
  for (const [index, { crop, rotate, userUnit }] of pages.entries()) {
    const [widthPt, heightPt] = [roundPoints(crop[2] * userUnit), roundPoints(crop[3] * userUnit)]
    const key = `${widthPt} ${heightPt} ${rotate}`
    const group = groups.get(key) ?? { widthPt, heightPt, rotate, pages: [] }
    groups.set(key, group)
    group.pages.push(index + 1)
  }
  return [...groups.values()].map(({ pages, ...size }) => ({ pages: formatPageRanges(pages), ...size }))
}

function roundPoints(points: number): number {
  return Math.round(points * 1000) / 1000
}

/** Translates qpdf's capability names to the permission names of pdf.encrypt. */
function toPermissions(allowed: Readonly<Record<string, boolean | undefined>>) {
  const isAllowed = (name: string) => allowed[name] ?? true
  const print = isAllowed('printhigh')
    ? ('full' as const)
    : isAllowed('printlow')
      ? ('low' as const)
      : ('none' as const)
  return {
    print,
    copy: isAllowed('extract'),
    modify: isAllowed('modifyother'),
    annotate: isAllowed('modifyannotations'),
    fillForms: isAllowed('modifyforms'),
    assemble: isAllowed('modifyassembly'),
  }
}
