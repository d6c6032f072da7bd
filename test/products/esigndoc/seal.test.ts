import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listSealRoots } from '../../../sql/esigndoc/seal-key.ts'
import {
  type FieldValue,
  type FilledField,
  PLACED_FIELD_TYPES,
  type PlacedFieldType,
  type SealRequest,
} from '../../../tasks/products/esigndoc/document.ts'
import { runPdfsig } from '../../support/pdf/certificates.ts'
import { PdfReader, plainPdf, runQpdf } from '../../support/pdf/document.ts'
import { orderForm } from '../../support/pdf/forms.ts'
import { richPdf } from '../../support/pdf/rich-document.ts'
import { IDA, NEVER, openEngine, sealRequest, sha256 } from '../../support/signing/engine.ts'
import { readSignature } from '../../support/signing/signature.ts'

let engine: Awaited<ReturnType<typeof openEngine>>
beforeAll(async () => {
  engine = await openEngine()
})
afterAll(() => engine[Symbol.asyncDispose]())

const LETTER = await readFile('tasks/samples/letter.pdf')
const NAMES = ['Zoë Çelik-Núñez', '山田 太郎', 'أحمد عبد الله', 'דוד לוי', 'अनिल कुमार', 'Ђорђе Петровић']

const seal = (request: SealRequest) => engine.documents.seal(request, NEVER)
const text = (value: string): FieldValue => ({ kind: 'text', text: value })
const place = (index: number, value: FieldValue, field: Partial<FilledField> = {}): FilledField => ({
  ...{ id: `f${index}`, type: 'text', file: 0, page: 1, x: 10, y: 5 + index * 6, w: 60, h: 4, value },
  ...field,
})

function readText(bytes: Uint8Array, ...options: string[]): string {
  const path = engine.path(`${sha256(bytes).slice(0, 12)}.pdf`)
  writeFileSync(path, bytes)
  return execFileSync('pdftotext', [...options, path, '-'], { encoding: 'utf8' })
}

/** Poppler puts spaces between marks of some scripts, and marks of direction around others. */
const squeeze = (shown: string) => shown.normalize('NFKC').replaceAll(/[\s\u202a-\u202e\u2066-\u2069]/g, '')

/** Whether anything is drawn in the areas of the first page, as Poppler shows it. */
async function findInked(bytes: Uint8Array, areas: readonly FilledField[]): Promise<boolean[]> {
  writeFileSync(engine.path('drawn.pdf'), bytes)
  execFileSync('pdftoppm', ['-r', '144', '-png', '-singlefile', '-cropbox', 'drawn.pdf', 'drawn'], {
    cwd: engine.folder,
  })
  const image = sharp(engine.path('drawn.png')).greyscale()
  const { width, height } = await image.metadata()
  const find = async ({ x, y, w, h }: FilledField) => {
    const [left, top] = [Math.round((x / 100) * width), Math.round((y / 100) * height)]
    const size = {
      width: Math.max(2, Math.round((w / 100) * width)),
      height: Math.max(2, Math.round((h / 100) * height)),
    }
    const { channels } = await sharp(
      await image
        .clone()
        .extract({ left, top, ...size })
        .toBuffer(),
    ).stats()
    return channels[0]!.min < 160
  }
  return Promise.all(areas.map(find))
}

/** The service's own root, by which OpenSSL and Poppler trust the seal. */
async function writeRoot(): Promise<string> {
  const [root] = await listSealRoots(engine.db)
  const path = engine.path('root.pem')
  writeFileSync(path, root!)
  return path
}

/** OpenSSL's own check of the signature over exactly the bytes that it covers. */
async function verifyWithOpenssl(bytes: Uint8Array): Promise<string> {
  const { signed, cms } = readSignature(bytes)
  writeFileSync(engine.path('signed.bin'), signed)
  writeFileSync(engine.path('cms.der'), cms)
  const args = [
    'cms',
    '-verify',
    '-binary',
    '-inform',
    'DER',
    '-in',
    'cms.der',
    '-content',
    'signed.bin',
    '-out',
    'out.bin',
  ]
  const trust = ['-CAfile', await writeRoot(), '-purpose', 'any', '-cades']
  return execFileSync('openssl', [...args, ...trust], { cwd: engine.folder, encoding: 'utf8', stdio: 'pipe' })
}

test('fills in names of every script, seals once, and appends the certificate', async () => {
  const fields = NAMES.map((name, index) => place(index, text(name), { page: 2, y: 50 + index * 6 }))
  const file = await engine.put(LETTER)
  const sealed = await seal(
    sealRequest({ files: [file], fields }, { recipients: NAMES.map(name => ({ ...IDA, name, mark: null })) }),
  )
  const [document] = sealed.documents
  const { bytes, pages } = document!
  expect(sealed).toMatchObject({ level: 'B-B', signer: { commonName: 'Document seal of sign.example.com' } })
  expect(document).toMatchObject({ name: 'Lease of the flat.pdf', sha256: sha256(bytes) })
  expect(Buffer.from(bytes).subarray(0, LETTER.length).equals(LETTER)).toBe(true)

  const certificate = squeeze(readText(bytes, '-f', '3', '-l', `${pages}`))
  for (const name of NAMES) {
    expect(squeeze(readText(bytes, '-f', '2', '-l', '2'))).toContain(squeeze(name))
    expect(certificate).toContain(squeeze(name))
  }
  expect(certificate).toContain('Certificateofsignature')
  expect(pages).toBeGreaterThan(2)

  const report = runPdfsig(engine.folder, bytes)
  expect(report).toContain('Signature is Valid')
  expect(report).toContain('Total document signed')
  expect(report).toContain('ETSI.CAdES.detached')
  await verifyWithOpenssl(bytes)
  expect(runQpdf(bytes, ['--check', 'IN']).toString()).toContain('No syntax or stream encoding errors')
})

test('gives the same document for the same request, as after a worker has died', async () => {
  const request = sealRequest({
    files: [await engine.put(LETTER)],
    fields: [place(1, text('once'))],
    certificatePlace: 'both',
  })
  const [one, other] = [await seal(request), await seal(request)]
  expect(other.documents[0]!.sha256).toBe(one.documents[0]!.sha256)
  expect(other.certificate!.sha256).toBe(one.certificate!.sha256)
})

test('draws signatures as vectors, checks, and images with their transparency', async () => {
  const image = await sharp({ create: { width: 300, height: 100, channels: 4, background: '#00000000' } })
    .composite([
      {
        input: Buffer.from(
          '<svg width="300" height="100"><path d="M10 90 L290 10" stroke="red" stroke-width="12"/></svg>',
        ),
      },
    ])
    .png()
    .toBuffer()
  const upload = await engine.put(image, 'ida.png', 'image/png')
  const strokes: [number, number][][] = [
    [
      [0, 0],
      [100, 50],
      [200, 0],
    ],
    [[50, 25]],
  ]
  const fields = [
    place(0, { kind: 'mark', mark: { mode: 'draw', width: 200, height: 50, strokes } }, { type: 'signature', h: 8 }),
    place(2, { kind: 'mark', mark: { mode: 'upload', image: upload } }, { type: 'signature', h: 8 }),
    place(4, { kind: 'mark', mark: { mode: 'type', text: 'Ida Brandt' } }, { type: 'initials' }),
    place(6, { kind: 'check', isChecked: true }, { type: 'checkbox', w: 3, h: 2 }),
    place(7, { kind: 'check', isChecked: false }, { type: 'radio', w: 3, h: 2 }),
  ]
  const white = await engine.put(plainPdf(1, { width: 400 }))
  const { documents } = await seal(sealRequest({ files: [white], fields, certificatePlace: 'separate' }))
  const { bytes } = documents[0]!
  expect(readText(bytes)).toContain('Ida Brandt')
  expect(await findInked(bytes, fields)).toEqual([true, true, true, true, true])
  expect(await findInked(bytes, [{ ...fields[0]!, x: 75, w: 20 }])).toEqual([false])
  const images = execFileSync('pdfimages', ['-list', engine.path(`${sha256(bytes).slice(0, 12)}.pdf`)], {
    encoding: 'utf8',
  })
  expect(images).toMatch(/smask/)
})

test('keeps bookmarks, attachments, links, layers and properties, and what the form of the document says', async () => {
  const bookmarked = await readFile('tasks/samples/bookmarked.pdf')
  const before = new PdfReader(bookmarked)
  const [kept] = (await seal(sealRequest({ files: [await engine.put(bookmarked)] }))).documents
  expect(new PdfReader(kept!.bytes).outline.map(({ title }) => title)).toEqual(before.outline.map(({ title }) => title))
  expect(new PdfReader(kept!.bytes).info).toEqual(before.info)

  const [rich] = (await seal(sealRequest({ files: [await engine.put(richPdf('rich', 300))] }))).documents
  const read = new PdfReader(rich!.bytes)
  expect(read.attachments).toEqual(['rich.txt'])
  expect(read.catalog['/OCProperties']).toBeDefined()
  expect(readText(rich!.bytes)).toContain('rich 2')
  expect(read.fields).toEqual([])

  const [form] = (await seal(sealRequest({ files: [await engine.put(orderForm({ name: '/V (Ayse)' }))] }))).documents
  expect(readText(form!.bytes, '-f', '1', '-l', '1')).toContain('Ayse')
  expect(JSON.stringify(new PdfReader(form!.bytes).pages[0])).toContain('/Annots')
  expect(runPdfsig(engine.folder, form!.bytes)).toContain('Signature is Valid')
})

test.each([90, 180, 270])(
  'fills fields where they are seen, on a page that is cropped and turned by %i',
  async rotation => {
    const page = `/Rotate ${rotation} /CropBox [50 20 350 180]`
    const file = await engine.put(plainPdf(1, { width: 400, page }))
    const field = place(0, text('here'), { x: 60, y: 70, w: 30, h: 12, font: { size: 12 } })
    const { bytes } = (await seal(sealRequest({ files: [file], fields: [field], certificatePlace: 'separate' })))
      .documents[0]!
    const elsewhere = [
      { ...field, x: 10 },
      { ...field, y: 20 },
    ]
    expect(await findInked(bytes, [field, ...elsewhere])).toEqual([true, false, false])
    expect(readText(bytes)).toContain('here')
  },
)

test('joins several files, keeps what is attached apart, and writes the certificate in four languages', async () => {
  const [letter, other] = [await engine.put(LETTER), await engine.put(plainPdf(1, { width: 400 }), 'annex.pdf')]
  const note = await engine.put(Buffer.from('pay roll'), 'rich.txt', 'text/plain')
  const attachment: FieldValue = { kind: 'attachment', file: note }
  const fields = [place(0, attachment, { file: 1 }), place(1, text('on the annex'), { file: 1 })]
  const joined = await seal(sealRequest({ files: [letter, other], fields, certificatePlace: 'both' }))
  const { bytes, pages } = joined.documents[0]!
  expect(readText(bytes, '-f', '3', '-l', '3')).toMatch(/rich\.txt\s+on the annex/)
  expect(new PdfReader(bytes).attachments).toEqual(['rich.txt'])
  expect(pages).toBe(3 + joined.certificate!.pages)
  expect(runPdfsig(engine.folder, joined.certificate!.bytes)).toContain('Signature is Valid')

  const titles = {
    en: 'Certificate of signature',
    de: 'Signaturzertifikat',
    fr: 'Certificat de signature',
    es: 'Certificado de firma',
  }
  for (const language of ['en', 'de', 'fr', 'es'] as const) {
    const request = sealRequest(
      { files: [letter, other], fields, joins: false, certificatePlace: 'separate' },
      { language },
    )
    const { documents, certificate } = await seal(request)
    expect(documents.map(({ name }) => name)).toEqual(['letter.pdf', 'annex.pdf'])
    expect(readText(documents[1]!.bytes)).toContain('on the annex')
    const printed = readText(certificate!.bytes)
    for (const words of [
      titles[language],
      'Ida Brandt',
      '192.0.2.7',
      'Mozilla/5.0',
      '02'.repeat(32),
      '2026-11-20 09:05:00 UTC',
    ])
      expect(printed).toContain(words)
  }
})

test('writes every type of field, and a heading in bold', async () => {
  const value = (type: PlacedFieldType): FieldValue => {
    if (type === 'checkbox' || type === 'radio') return { kind: 'check', isChecked: true }
    if (type === 'signature' || type === 'initials' || type === 'stamp')
      return { kind: 'mark', mark: { mode: 'type', text: `a ${type}` } }
    return text(`a ${type}`)
  }
  const fields = PLACED_FIELD_TYPES.map((type, index) => place(index, value(type), { type, y: index * 7 }))
  const file = await engine.put(plainPdf(1, { width: 400 }))
  const { bytes } = (await seal(sealRequest({ files: [file], fields, certificatePlace: 'separate' }))).documents[0]!
  expect(await findInked(bytes, fields)).toEqual(fields.map(() => true))
  const written = readText(bytes)
  for (const type of PLACED_FIELD_TYPES) if (value(type).kind !== 'check') expect(written).toContain(`a ${type}`)
  expect(execFileSync('pdffonts', [engine.path('drawn.pdf')], { encoding: 'utf8' })).toContain('NotoSans-Bold')
})

test('seals what no font can write, and what would turn the line', async () => {
  const fields = [place(0, text('Ida \u{1fae8}\u202egnp.exe')), place(1, text('long '.repeat(200)), { h: 10 })]
  const { bytes } = (await seal(sealRequest({ files: [await engine.put(plainPdf(1, { width: 400 }))], fields })))
    .documents[0]!
  expect(readText(bytes, '-f', '1', '-l', '1')).toMatch(/Ida \u25a1 ?gnp\.exe/)
})

test('a changed byte is found by the service, by Poppler and by OpenSSL', async () => {
  const { bytes } = (await seal(sealRequest({ files: [await engine.put(LETTER)] }))).documents[0]!
  const verify = async (file: Uint8Array) => engine.documents.verify(await engine.put(file), NEVER)
  expect(await verify(bytes)).toMatchObject({
    isValid: true,
    sha256: sha256(bytes),
    signatures: [{ integrity: 'valid', trust: 'service', level: 'B-B', coversWholeFile: true, timestamp: null }],
  })
  const { contentsAt } = readSignature(bytes)
  for (const at of [100, contentsAt - 200, bytes.length - 40]) {
    const changed = Buffer.from(bytes)
    changed[at]! ^= 1
    const found = await verify(changed).catch(({ code }: { code: string }) => code)
    if (found !== 'PDF_PARSE_FAILED') expect(found).toMatchObject({ isValid: false })
    expect(runPdfsig(engine.folder, changed)).not.toContain('Signature is Valid')
    await expect(verifyWithOpenssl(changed)).rejects.toThrow()
  }
  const longer = Buffer.concat([bytes, Buffer.from('\n1 0 obj\n<< /Type /Catalog >>\nendobj\n')])
  expect(await verify(longer)).toMatchObject({ signatures: [{ coversWholeFile: false }] })
})
