import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Pools } from '../../../pools/index.ts'
import { buildPdf, type OutlineNode, type PdfDict, PdfReader, plainPdf, runQpdf } from '../../support/pdf/document.ts'
import { runJob, sharedPools } from '../../support/pools/open.ts'

let pools: Pools & AsyncDisposable
beforeAll(async () => {
  pools = await sharedPools()
})
afterAll(() => pools[Symbol.asyncDispose]())

const merge = (files: (Uint8Array | string)[], options: Record<string, unknown> = {}) =>
  runJob(pools, 'pdf.merge', { files, ...options })

/** Two pages that link to each other with every kind of link, and an outline of three entries. */
function buildLinkedPdf(name: string, width: number): Buffer {
  return buildPdf(
    [
      `<< /Type /Catalog /Pages 2 0 R /Outlines 10 0 R /PageLabels << /Nums [0 << /S /r >>] >>
        /Names << /Dests << /Names [(start) [3 0 R /XYZ 0 700 0] (second) << /D [4 0 R /Fit] >>] >> >> /Dests << /old [4 0 R /FitH 9] >> >>`,
      '<< /Type /Pages /Count 2 /Kids [3 0 R 4 0 R] >>',
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width} 200] /Annots [5 0 R 6 0 R 7 0 R 14 0 R] >>`,
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width + 1} 200] /Annots [8 0 R] >>`,
      '<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /Dest [4 0 R /XYZ 1 2 null] >>',
      '<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /Dest (second) >>',
      '<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /A << /S /GoTo /D [4 0 R /Fit] >> >>',
      '<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /Dest [3 0 R /Fit] >>',
      '<< /Length 0 >>\nstream\n\nendstream',
      '<< /Type /Outlines /First 11 0 R /Last 12 0 R /Count 3 >>',
      `<< /Title (${name} one) /Parent 10 0 R /Next 12 0 R /First 13 0 R /Last 13 0 R /Count 1 /Dest [3 0 R /Fit] >>`,
      `<< /Title <FEFF${Buffer.from(`${name} zwö`, 'utf16le').swap16().toString('hex')}> /Parent 10 0 R /Prev 11 0 R /Dest (second) /F 2 >>`,
      `<< /Title (${name} one.one) /Parent 11 0 R /A << /S /GoTo /D [4 0 R /XYZ 0 100 0] >> >>`,
      '<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /Dest /old >>',
      `<< /Title (${name}) >>`,
    ],
    '/Info 15 0 R',
  )
}

type OutlineTree = (string | number | null | OutlineTree)[]

/** `[title, page, ...kids]` */
function toOutlineTree(outline: OutlineNode[]): OutlineTree {
  return outline.map(({ title, destpageposfrom1, kids }) => [title, destpageposfrom1, ...toOutlineTree(kids)])
}

/** The target page of each link of a page. */
function listLinkTargets(pdf: PdfReader, page: number): number[] {
  const annotations = (pdf.resolve(pdf.pages[page - 1]!['/Annots']) ?? []) as unknown[]
  return annotations.map(item => {
    const annotation = pdf.resolve(item) as PdfDict
    const action = pdf.resolve(annotation['/A']) as PdfDict | undefined
    const target = pdf.resolve(annotation['/Dest'] ?? action?.['/D'])
    return Array.isArray(target) ? pdf.pageNumberOf(target[0]) : -1
  })
}

test('merges plain documents in the order given', async () => {
  const answer = await merge([
    plainPdf(2, { page: '/Resources << >>' }),
    plainPdf(3, { width: 300, page: '/Resources << >>' }),
    plainPdf(1, { width: 500, page: '/Resources << >> /Rotate 90' }),
  ])
  const pdf = new PdfReader(answer.bytes)
  expect(pdf.widths).toEqual([100, 101, 300, 301, 302, 500])
  expect(pdf.pages[5]!['/Rotate']).toBe(90)
  expect(answer.result.pages).toBe(6)
  expect(answer.units).toBe(6)
  expect(answer.warnings).toEqual([])
})

test('takes and charges only the pages of the ranges, in their order', async () => {
  const answer = await merge([plainPdf(5), plainPdf(3, { width: 300 })], { ranges: ['last,1-2', null] })
  expect(new PdfReader(answer.bytes).widths).toEqual([104, 100, 101, 300, 301, 302])
  expect(answer.units).toBe(6)
})

test('keeps the outlines of all files and the link targets of the second file', async () => {
  const answer = await merge([buildLinkedPdf('A', 100), buildLinkedPdf('B', 300)])
  const pdf = new PdfReader(answer.bytes)
  expect(toOutlineTree(pdf.outline)).toEqual([
    ['A one', 1, ['A one.one', 2]],
    ['A zwö', 2],
    ['B one', 3, ['B one.one', 4]],
    ['B zwö', 4],
  ])
  expect(listLinkTargets(pdf, 3)).toEqual([4, 4, 4, 4])
  expect(listLinkTargets(pdf, 4)).toEqual([3])
  expect(listLinkTargets(pdf, 1)).toEqual([2, 2, 2, 2])
})

test('keeps named destinations, with a prefix where two files use the same name', async () => {
  const pdf = new PdfReader((await merge([buildLinkedPdf('A', 100), buildLinkedPdf('B', 300)])).bytes)
  const names = pdf.resolve((pdf.resolve(pdf.catalog['/Names']) as PdfDict)['/Dests']) as PdfDict
  const pairs = pdf.resolve(names['/Names']) as unknown[]
  const places = pairs.flatMap((name, index) => {
    const target = pdf.resolve(pairs[index + 1]) as unknown[]
    return index % 2 === 0 ? [[String(name).slice(2), pdf.pageNumberOf(target[0])]] : []
  })
  expect(Object.fromEntries(places)).toEqual({ '2-old': 4, '2-second': 4, '2-start': 3, old: 2, second: 2, start: 1 })
})

test('leads a link whose page was omitted nowhere, even if another file has a place of that name', async () => {
  const [one, other] = [buildLinkedPdf('A', 100), buildLinkedPdf('B', 300)]
  const first = new PdfReader((await merge([one, other], { ranges: ['1', null] })).bytes)
  expect(listLinkTargets(first, 1)).toEqual([0, 0, 0, 0])
  expect(listLinkTargets(first, 2)).toEqual([3, 3, 3, 3])
  const second = new PdfReader((await merge([one, other], { ranges: [null, '1'] })).bytes)
  expect(listLinkTargets(second, 1)).toEqual([2, 2, 2, 2])
  expect(listLinkTargets(second, 3)).toEqual([0, 0, 0, 0])
})

test('removes bookmarks of omitted pages', async () => {
  const answer = await merge([buildLinkedPdf('A', 100), buildLinkedPdf('B', 300)], { ranges: ['1', '2'] })
  const pdf = new PdfReader(answer.bytes)
  expect(toOutlineTree(pdf.outline)).toEqual([
    ['A one', 1],
    ['B one', null, ['B one.one', 2]],
    ['B zwö', 2],
  ])
  expect(listLinkTargets(pdf, 2)).toEqual([0])
})

test('adds a bookmark per file, named by titles, the document title or a number', async () => {
  const files = [plainPdf(1), buildLinkedPdf('B', 300), plainPdf(1)]
  const answer = await merge(files, { bookmarks: 'per-file', titles: ['First'] })
  expect(toOutlineTree(new PdfReader(answer.bytes).outline)).toEqual([
    ['First', 1],
    ['B', 2, ['B one', 2, ['B one.one', 3]], ['B zwö', 3]],
    ['File 3', 4],
  ])
})

test('omits bookmarks on request', async () => {
  const answer = await merge([buildLinkedPdf('A', 100), buildLinkedPdf('B', 300)], { bookmarks: 'none' })
  const pdf = new PdfReader(answer.bytes)
  expect(pdf.outline).toEqual([])
  expect(answer.bytes.includes('A one')).toBe(false)
  expect(listLinkTargets(pdf, 3)).toEqual([4, 4, 4, 4])
})

test('pads files to an even number of pages and keeps links correct', async () => {
  const answer = await merge([buildLinkedPdf('A', 100), plainPdf(3, { width: 400 }), buildLinkedPdf('B', 300)], {
    padToEven: true,
    ranges: ['1', null, null],
  })
  const pdf = new PdfReader(answer.bytes)
  expect(pdf.widths).toEqual([100, 100, 400, 401, 402, 402, 300, 301])
  expect(answer.units).toBe(8)
  expect(answer.result.pages).toBe(8)
  expect(listLinkTargets(pdf, 7)).toEqual([8, 8, 8, 8])
})

test('takes title and other properties from the first file', async () => {
  const answer = await merge([buildLinkedPdf('A', 100), buildLinkedPdf('B', 300)])
  expect(new PdfReader(answer.bytes).info['/Title']).toBe('u:A')
})

function buildFormPdf(value: string): Buffer {
  return buildPdf([
    '<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [4 0 R] /DA (/Helv 0 Tf 0 g) >> >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] /Annots [4 0 R] >>',
    `<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /V (${value}) /Rect [0 0 50 20] >>`,
  ])
}

test('keeps form fields with equal names apart, with their values', async () => {
  const { fields } = new PdfReader((await merge([buildFormPdf('Ada'), buildFormPdf('Bob')])).bytes)
  expect(fields.map(({ value }) => value)).toEqual(['u:Ada', 'u:Bob'])
  expect(new Set(fields.map(({ fullname }) => fullname)).size).toBe(2)
})

test('keeps attachments and layers of every file', async () => {
  const attach = (bytes: Buffer, name: string) =>
    runQpdf(bytes, ['IN', '--add-attachment', 'package.json', `--key=${name}`, `--filename=${name}`, '--', 'OUT'])
  const attached = await merge([
    attach(plainPdf(1), 'a.json'),
    attach(plainPdf(1), 'b.json'),
    attach(plainPdf(1), 'a.json'),
  ])
  expect(new PdfReader(attached.bytes).attachments).toEqual(['2-b.json', '3-a.json', 'a.json'])
  const layered = await merge([buildLayeredPdf('A'), buildLayeredPdf('B')])
  const pdf = new PdfReader(layered.bytes)
  const layers = pdf.resolve(pdf.catalog['/OCProperties']) as PdfDict
  expect((pdf.resolve(layers['/OCGs']) as unknown[]).map(layer => (pdf.resolve(layer) as PdfDict)['/Name'])).toEqual([
    'u:A',
    'u:B',
  ])
  const off = pdf.resolve((pdf.resolve(layers['/D']) as PdfDict)['/OFF']) as unknown[]
  expect(off.map(layer => (pdf.resolve(layer) as PdfDict)['/Name'])).toEqual(['u:A', 'u:B'])
})

function buildLayeredPdf(name: string): Buffer {
  return buildPdf([
    '<< /Type /Catalog /Pages 2 0 R /OCProperties << /OCGs [4 0 R] /D << /Order [4 0 R] /OFF [4 0 R] >> >> >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] /Resources << /Properties << /L 4 0 R >> >> >>',
    `<< /Type /OCG /Name (${name}) >>`,
  ])
}

test('merges the same file twice, and a hundred files of one page', async () => {
  const twice = new PdfReader((await merge([buildLinkedPdf('A', 100), buildLinkedPdf('A', 100)])).bytes)
  expect(twice.widths).toEqual([100, 101, 100, 101])
  expect(listLinkTargets(twice, 3)).toEqual([4, 4, 4, 4])
  const many = await merge(Array.from({ length: 100 }, (_, index) => plainPdf(1, { width: 50 + index })))
  expect(new PdfReader(many.bytes).widths).toEqual(Array.from({ length: 100 }, (_, index) => 50 + index))
})

const encrypt = (bytes: Buffer, user: string) => runQpdf(bytes, ['--encrypt', user, 'owner', '256', '--', 'IN', 'OUT'])

test('opens each encrypted file with its own password', async () => {
  const files = [plainPdf(1), encrypt(buildLinkedPdf('B', 300), 'b'), encrypt(plainPdf(1, { width: 500 }), 'ç')]
  const answer = await merge(files, { passwords: [null, 'b', 'ç'] })
  const pdf = new PdfReader(answer.bytes)
  expect(pdf.widths).toEqual([100, 300, 301, 500])
  expect(toOutlineTree(pdf.outline)).toEqual([
    ['B one', 2, ['B one.one', 3]],
    ['B zwö', 3],
  ])
  expect(answer.warnings).toEqual(['ENCRYPTION_REMOVED'])
  await expect(merge(files, { passwords: [null, 'b'] })).rejects.toMatchObject({
    code: 'PDF_PASSWORD_REQUIRED',
    hints: { index: 2 },
  })
  await expect(merge(files, { passwords: [null, 'x', 'ç'] })).rejects.toMatchObject({
    code: 'PDF_PASSWORD_INCORRECT',
    hints: { index: 1 },
  })
})

test('merges signed files and removes the signatures', async () => {
  const signed = buildPdf([
    '<< /Type /Catalog /Pages 2 0 R /AcroForm << /SigFlags 3 /Fields [4 0 R] >> >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] /Annots [4 0 R] >>',
    '<< /Type /Annot /Subtype /Widget /FT /Sig /T (Sign) /Rect [0 0 50 20] /V 5 0 R >>',
    '<< /Type /Sig /Filter /Adobe.PPKLite /Contents <00> /ByteRange [0 1 2 3] >>',
  ])
  const answer = await merge([plainPdf(1), signed])
  expect(answer.warnings).toEqual(['SIGNATURES_REMOVED'])
  expect(new PdfReader(answer.bytes).fields).toMatchObject([{ fullname: 'Sign', value: null }])
})

test('names the file that is damaged, of another type, or has a wrong range', async () => {
  const good = plainPdf(2)
  const image = readFileSync('tasks/samples/gradient.png')
  await expect(merge([good, image])).rejects.toMatchObject({
    code: 'PDF_PARSE_FAILED',
    hints: { index: 1, detected: 'image/png' },
  })
  await expect(merge([good, good, good.subarray(0, 60)])).rejects.toMatchObject({
    code: 'PDF_PARSE_FAILED',
    hints: { index: 2 },
  })
  await expect(merge([good, good], { ranges: [null, '3'] })).rejects.toMatchObject({
    code: 'BAD_RANGE',
    hints: { index: 1, segment: '3', pageCount: 2 },
  })
  await expect(merge([good, good], { titles: ['a', 'b', 'c'] })).rejects.toMatchObject({
    code: 'INVALID_PARAM',
    hints: { field: 'titles', max: 2 },
  })
})

test('rejects more than a hundred files', async () => {
  const files = Array.from({ length: 101 }, () => plainPdf(1))
  await expect(merge(files)).rejects.toMatchObject({ code: 'TOO_MANY_INPUTS', hints: { limit: 100, actual: 101 } })
})

test('survives a cyclic outline and a cyclic name tree', async () => {
  const circular = buildPdf([
    '<< /Type /Catalog /Pages 2 0 R /Outlines 4 0 R /Names << /Dests 6 0 R >> >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] >>',
    '<< /First 5 0 R /Last 5 0 R /Count 1 >>',
    '<< /Title (round) /Parent 4 0 R /Next 5 0 R /First 5 0 R /Last 5 0 R /Dest [3 0 R /Fit] >>',
    '<< /Kids [6 0 R 6 0 R] >>',
  ])
  const answer = await merge([plainPdf(1), circular])
  expect(toOutlineTree(new PdfReader(answer.bytes).outline)).toEqual([['round', 2]])
})

test('pages without labels are numbered as in their file, beside those with labels', async () => {
  const labelled = buildLinkedPdf('A', 100)
  const listLabels = (bytes: Uint8Array) => {
    const pdf = new PdfReader(bytes)
    const { '/Nums': nums } = pdf.resolve(pdf.catalog['/PageLabels']) as { '/Nums': unknown[] }
    return nums.map(item => {
      const label = pdf.resolve(item)
      return typeof label === 'number' ? label : [(label as PdfDict)['/S'], (label as PdfDict)['/St']].join('')
    })
  }
  const last = await merge([labelled, plainPdf(3), labelled, plainPdf(2)], { ranges: [null, '3,1-2', null, null] })
  expect(listLabels(last.bytes)).toEqual([0, '/r1', 2, '/D3', 3, '/D1', 5, '/r1', 7, '/D1'])
  const padded = await merge([plainPdf(3), labelled], { padToEven: true })
  expect(listLabels(padded.bytes)).toEqual([0, '/D1', 4, '/r1'])
})
