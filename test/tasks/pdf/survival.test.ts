import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { freshFolder } from '../../support/machine/folder.ts'
import { type PdfDict, PdfReader, plainPdf, runQpdf } from '../../support/pdf/document.ts'
import { richPdf } from '../../support/pdf/rich-document.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const ADA = richPdf('Ada')
const BEN = richPdf('Ben', 500)

/** Each operation that moves pages, applied to documents with every kind of structure, and the expected pages. */
const CASES: [how: string, make: () => Promise<Buffer>, pages: string[]][] = [
  ['split', () => splitPart({ file: ADA, ranges: '2-3' }), ['Ada 2', 'Ada 3']],
  ['split into many', () => splitPart({ file: ADA, every: 1 }, 3), ['Ada 4']],
  ['delete', () => arrange({ file: ADA, action: 'delete', pages: '1,4' }), ['Ada 2', 'Ada 3']],
  ['reorder', () => arrange({ file: ADA, action: 'reorder', order: [4, 1] }), ['Ada 4', 'Ada 1']],
  [
    'insert',
    () => arrange({ file: ADA, action: 'insert', insert: BEN, at: 2, insertPages: '3' }),
    ['Ada 1', 'Ben 3', 'Ada 2', 'Ada 3', 'Ada 4'],
  ],
  ['merge', () => merge({ files: [ADA, BEN], ranges: ['1-2', '4'] }), ['Ada 1', 'Ada 2', 'Ben 4']],
  [
    'merge after a plain document',
    () => merge({ files: [plainPdf(1), BEN] }),
    ['', 'Ben 1', 'Ben 2', 'Ben 3', 'Ben 4'],
  ],
]

async function splitPart(body: Record<string, unknown>, index = 0): Promise<Buffer> {
  return (await runJob(pools, 'pdf.split', body)).files[index]!.bytes
}
const arrange = async (body: Record<string, unknown>) =>
  (await runJob(pools, 'pdf.pages', { insertPages: 'all', ...body })).bytes
const merge = async (body: Record<string, unknown>) => (await runJob(pools, 'pdf.merge', body)).bytes

/** The source documents of page titles such as `Ada 2`, in order. */
const listDocumentNames = (pages: string[]) => [...new Set(pages.filter(Boolean).map(page => page.split(' ')[0]!))]

describe.each(CASES)('%s keeps', (_, make, pages) => {
  let pdf: PdfReader
  let bytes: Buffer
  beforeAll(async () => {
    bytes = await make()
    pdf = new PdfReader(bytes)
  })
  const ownPages = pages.filter(Boolean)

  test('text in place and layers hidden', async () => {
    const texts = (await runOn('pdftotext', bytes)).split('\f').slice(0, -1)
    expect(texts.map(text => /^text (.*)$/m.exec(text)?.[1] ?? '')).toEqual(pages)
    expect(texts.join('')).not.toContain('hidden')
  })

  test('only the tags of its pages, linked from those pages', () => {
    const root = pdf.resolve(pdf.catalog['/StructTreeRoot']) as PdfDict
    const elements = (root['/K'] as unknown[]).map(kid => pdf.resolve(kid) as PdfDict)
    expect(elements.map(element => element['/Alt']).sort()).toEqual(ownPages.map(page => `u:${page}`).sort())
    const numbers = (pdf.resolve(root['/ParentTree']) as PdfDict)['/Nums'] as unknown[]
    const at = (key: unknown) => pdf.resolve(numbers[numbers.indexOf(key) + 1])
    for (const [index, page] of pages.entries()) {
      const dict = pdf.pages[index]!
      if (!page) expect(dict).not.toHaveProperty('/StructParents')
      if (!page) continue
      const [element] = (at(dict['/StructParents']) as unknown[]).map(item => pdf.resolve(item) as PdfDict)
      expect(element!['/Alt']).toBe(`u:${page}`)
      expect(pdf.pageNumberOf(element!['/Pg'])).toBe(index + 1)
      const [note] = (pdf.resolve(dict['/Annots']) as unknown[]).map(item => pdf.resolve(item) as PdfDict)
      expect((at(note!['/StructParent']) as PdfDict)['/Alt']).toBe(`u:${page}`)
    }
    for (const name of listDocumentNames(pages)) expect(pdf.resolve(root['/RoleMap'])).toHaveProperty(`/${name}`, '/P')
  })

  test('annotations and fields on their pages', () => {
    const found = pdf.pages.map(page =>
      ((pdf.resolve(page['/Annots']) ?? []) as unknown[]).map(item => pdf.resolve(item) as PdfDict),
    )
    expect(found.map(([note]) => note?.['/Contents'])).toEqual(pages.map(page => (page ? `u:note ${page}` : undefined)))
    expect(pdf.fields.map(({ value }) => value).sort()).toEqual(ownPages.map(page => `u:${page}`).sort())
    const isFieldOnPage = found.map(([, field]) => field?.['/V'])
    expect(isFieldOnPage).toEqual(pages.map(page => (page ? `u:${page}` : undefined)))
  })

  test('labels, layers and files', () => {
    for (const name of listDocumentNames(pages))
      expect(pdf.attachments).toContainEqual(expect.stringContaining(`${name}.txt`))
    const layers = pdf.resolve(pdf.catalog['/OCProperties']) as PdfDict
    const nameOf = (item: unknown) => (pdf.resolve(item) as PdfDict)['/Name']
    const groups = (layers['/OCGs'] as unknown[]).map(nameOf)
    const off = ((pdf.resolve(layers['/D']) as PdfDict)['/OFF'] as unknown[]).map(nameOf)
    for (const name of listDocumentNames(pages))
      expect([groups, off]).toMatchObject([
        expect.arrayContaining([`u:${name} on`]),
        expect.arrayContaining([`u:${name} off`]),
      ])
  })

  test('nothing of the removed pages', () => {
    const plain = runQpdf(bytes, ['--qdf', '--object-streams=disable', 'IN', 'OUT']).toString('latin1')
    const all = ['Ada', 'Ben'].flatMap(name => [1, 2, 3, 4].map(page => `${name} ${page}`))
    const left = all.filter(page => plain.includes(`(note ${page})`) || plain.includes(`(${page})`))
    expect(left).toEqual(ownPages.toSorted())
    expect(runQpdf(bytes, ['--check', 'IN']).toString()).toContain('No syntax or stream encoding errors')
  })
})

async function runOn(program: string, bytes: Uint8Array): Promise<string> {
  await using folder = await freshFolder()
  const path = join(folder.path, 'in.pdf')
  await writeFile(path, bytes)
  return execFileSync(program, [path, '-']).toString()
}

test('keeps labels on their pages', async () => {
  const labels = async (bytes: Buffer) => new PdfReader(bytes).json.pages.map(({ label }) => label as PdfDict | null)
  expect(await labels(await splitPart({ file: ADA, ranges: '2-3' }))).toMatchObject([
    { '/S': '/r', '/St': 2 },
    { '/P': 'u:Ada-', '/St': 1 },
  ])
  expect(await labels(await merge({ files: [plainPdf(1), BEN] }))).toMatchObject([
    { '/St': 1 },
    { '/S': '/r' },
    {},
    { '/P': 'u:Ben-' },
    {},
  ])
})
