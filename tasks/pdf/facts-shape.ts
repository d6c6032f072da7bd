import { Type } from 'typebox'
import { Choice, type InputFile } from '#kit'
import type { DocumentFacts } from '../../pools/tools/pdf-facts.ts'
import { infoOf } from './metadata-shape.ts'
import { isSigned, pageCountOf } from './shape.ts'

const Flag = Type.Boolean()
const Text = Type.Optional(Type.String())

/** What reading gives; writing and stripping give a file instead. */
export const ReadFacts = {
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
    Type.Unsafe<string | null>({ anyOf: [{ type: 'string' }, { type: 'null' }], description: 'The packet as it is.' }),
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
      { description: 'What may be done without the password of the owner.' },
    ),
  ),
  linearized: Type.Optional(Flag),
  tagged: Type.Optional(Flag),
  pageSizes: Type.Optional(
    Type.Array(
      Type.Object({
        pages: Type.String({ description: 'Such as 1-3,7.' }),
        widthPt: Type.Number({ description: 'Of what readers show, before it is turned.' }),
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
  qpdf: { allowed(path: string, password: string | undefined): Promise<Record<string, boolean | undefined>> }
  poppler: {
    fonts(path: string): Promise<{ name: string; embedded: boolean; subset: boolean; type: string }[]>
    text(path: string, options: { first: number; last: number; layout: 'raw' }): Promise<string[]>
  }
}

interface Document {
  file: InputFile
  /** Where it lies so that every reader opens it. */
  path: string
  password: string | undefined
}

/** Everything that reading tells. */
export async function factsOf(known: DocumentFacts, document: Document, { qpdf, poppler }: Readers) {
  const { file, path, password } = document
  const { claims, attachments, bookmarks } = known
  const encrypted = file.facts.encrypted ?? false
  return {
    info: infoOf(known.info, known.language),
    xmp: known.xmp ?? null,
    pageCount: pageCountOf(file),
    pdfVersion: known.version,
    encrypted,
    ...(encrypted && { permissions: permissionsOf(await qpdf.allowed(file.path, password)) }),
    linearized: known.isLinearized,
    tagged: known.isTagged,
    pageSizes: sizesOf(known.sheets),
    fonts: await poppler.fonts(path),
    hasForm: known.fields > 0,
    xfa: known.hasXfa,
    hasSignatures: isSigned(file),
    hasJavaScript: known.hasJavaScript,
    attachments,
    bookmarks,
    claims,
    hasTextLayer: await hasText(path, pageCountOf(file), poppler),
    ...(known.info?.Producer && { producer: known.info.Producer }),
  }
}

/** So many pages are looked at for text before all are. */
const FIRST_PAGES = 20

async function hasText(path: string, pages: number, { text }: Readers['poppler']): Promise<boolean> {
  const find = async (first: number, last: number) => {
    const found = last < first ? [] : await text(path, { first, last, layout: 'raw' })
    return found.some(page => page.trim() !== '')
  }
  return (await find(1, Math.min(pages, FIRST_PAGES))) || find(FIRST_PAGES + 1, pages)
}

type Frame = readonly [left: number, bottom: number, width: number, height: number]

interface Sheet {
  crop: Frame
  rotate: number
  userUnit: number
}

/** Pages of one size and turn together, in the order of their first page. */
function sizesOf(sheets: readonly Sheet[]) {
  const groups = new Map<string, { widthPt: number; heightPt: number; rotate: number; pages: number[] }>()
  for (const [index, { crop, rotate, userUnit }] of sheets.entries()) {
    const [widthPt, heightPt] = [rounded(crop[2] * userUnit), rounded(crop[3] * userUnit)]
    const key = `${widthPt} ${heightPt} ${rotate}`
    const group = groups.get(key) ?? { widthPt, heightPt, rotate, pages: [] }
    groups.set(key, group)
    group.pages.push(index + 1)
  }
  return [...groups.values()].map(({ pages, ...size }) => ({ pages: rangeText(pages), ...size }))
}

function rounded(points: number): number {
  return Math.round(points * 1000) / 1000
}

/** `1,2,3,7` as `1-3,7`. */
function rangeText(pages: readonly number[]): string {
  const spans: [from: number, to: number][] = []
  for (const page of pages) {
    const last = spans.at(-1)
    if (last && page === last[1] + 1) last[1] = page
    else spans.push([page, page])
  }
  return spans.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(',')
}

/** qpdf's words for what a document allows, in the words of encrypt. */
function permissionsOf(allowed: Readonly<Record<string, boolean | undefined>>) {
  const may = (name: string) => allowed[name] ?? true
  const print = may('printhigh') ? ('full' as const) : may('printlow') ? ('low' as const) : ('none' as const)
  return {
    print,
    copy: may('extract'),
    modify: may('modifyother'),
    annotate: may('modifyannotations'),
    fillForms: may('modifyforms'),
    assemble: may('modifyassembly'),
  }
}
