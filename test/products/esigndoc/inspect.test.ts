import { readFile } from 'node:fs/promises'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Problem } from '#kit'
import { PDF_BOMBS } from '../../support/pdf/bombs.ts'
import { buildPdf, plainPdf, runQpdf } from '../../support/pdf/document.ts'
import { orderForm } from '../../support/pdf/forms.ts'
import { richPdf } from '../../support/pdf/rich-document.ts'
import { NEVER, openEngine, sealRequest, sha256 } from '../../support/signing/engine.ts'

let engine: Awaited<ReturnType<typeof openEngine>>
beforeAll(async () => {
  engine = await openEngine()
})
afterAll(() => engine[Symbol.asyncDispose]())

const inspect = async (bytes: Uint8Array) => engine.documents.inspect(await engine.put(bytes), NEVER)

test('describes pages as they are displayed', async () => {
  const page = '/Rotate 90 /CropBox [10 10 90 150]'
  const found = await inspect(plainPdf(2, { page }))
  expect(found).toMatchObject({ formFields: 0, attachments: 0 })
  expect(found.pages).toEqual([
    { number: 1, width: 140, height: 80, rotation: 90, isCropped: true, hasText: false },
    { number: 2, width: 140, height: 80, rotation: 90, isCropped: true, hasText: false },
  ])
  const rich = richPdf('rich', 300)
  expect(await inspect(rich)).toMatchObject({
    formFields: 4,
    attachments: 1,
    sha256: sha256(rich),
    pages: [{ hasText: true }, {}, {}, {}],
  })
})

test('refuses what no seal can keep, before anything is asked of people', async () => {
  const letter = await readFile('tasks/samples/letter.pdf')
  const locked = runQpdf(letter, ['--encrypt', 'secret', 'owner', '256', '--', 'IN', 'OUT'])
  const restricted = runQpdf(letter, ['--encrypt', '', 'owner', '256', '--', 'IN', 'OUT'])
  const xfa = orderForm({ form: '/XFA [(template) 6 0 R]' })
  const certified = buildPdf([
    '<< /Type /Catalog /Pages 2 0 R /Perms << /DocMDP 4 0 R >> >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] >>',
    '<< /Type /Sig >>',
  ])
  const cases: [string, Uint8Array][] = [
    ['PDF_ENCRYPTED', locked],
    ['PDF_ENCRYPTED', restricted],
    ['PDF_XFA_UNSUPPORTED', xfa],
    ['PDF_ALREADY_SIGNED', await readFile('tasks/samples/signed.pdf')],
    ['PDF_ALREADY_SIGNED', certified],
    ['PDF_PARSE_FAILED', Buffer.from('%PDF-1.7\nnothing more')],
    ['PDF_PARSE_FAILED', await readFile('tasks/samples/gradient.png')],
  ]
  for (const [code, bytes] of cases) await expect(inspect(bytes), code).rejects.toMatchObject({ code })
  const file = await engine.put(restricted)
  await expect(engine.documents.seal(sealRequest({ files: [file] }), NEVER)).rejects.toMatchObject({
    code: 'PDF_ENCRYPTED',
  })
})

test('a document of 500 pages is described, and one that explodes is refused', async () => {
  const { pages } = await inspect(plainPdf(500))
  expect(pages.map(({ width }) => width)).toEqual(Array.from({ length: 500 }, (_, index) => 100 + index))
  for (const [name, build] of Object.entries(PDF_BOMBS)) {
    const bomb = await engine.put(build())
    const seal = engine.documents.seal(sealRequest({ files: [bomb] }), NEVER)
    const outcome = await seal.then(
      ({ documents }) => documents.length,
      (error: unknown) => error,
    )
    expect(outcome === 1 || outcome instanceof Problem, `${name}: ${String(outcome)}`).toBe(true)
  }
})

test('opens what is damaged, and renders a page for the signer', async () => {
  const cut = Buffer.from(
    plainPdf(2, { width: 300 })
      .toString('latin1')
      .replace(/startxref\n\d+/, 'startxref\n7'),
  )
  const { pages } = await inspect(cut)
  const image = await engine.documents.renderPage(await engine.put(cut), 1, 800, NEVER)
  const { width, height, format } = await sharp(image.bytes).metadata()
  expect({ width, height, format }).toEqual({ width: 800, height: image.height, format: 'webp' })
  expect(image.height).toBe(Math.round((pages[0]!.height * 800) / pages[0]!.width))
  await expect(engine.documents.renderPage(await engine.put(cut), 99, 800, NEVER)).rejects.toMatchObject({
    code: 'BAD_RANGE',
  })
})
