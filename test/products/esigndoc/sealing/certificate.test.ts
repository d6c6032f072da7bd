import { afterAll, beforeAll, expect, test } from 'vitest'
import { plainPdf } from '../../../support/pdf/document.ts'
import { extractText } from '../../../support/pdf/inspect.ts'
import { NEVER, openEngine, sealRequest, sha256 } from '../../../support/signing/engine.ts'

let engine: Awaited<ReturnType<typeof openEngine>>
beforeAll(async () => {
  engine = await openEngine()
})
afterAll(() => engine[Symbol.asyncDispose]())

test('the hash of each entry of the log is on the page of the entry', async () => {
  const entry = (index: number) => ({
    at: '2026-11-20T09:05:00Z',
    text: `Entry ${index}.${' It takes several lines.'.repeat(index % 7)}`,
    actor: '',
    hash: sha256(Buffer.from(`${index}`)),
  })
  const events = Array.from({ length: 100 }, (_, index) => entry(index))
  const files = [await engine.put(plainPdf(1))]
  const request = sealRequest({ files, certificatePlace: 'separate' }, { events })
  const { certificate } = await engine.documents.seal(request, NEVER)
  const pages = extractText(certificate!.bytes).split('\f')
  expect(pages.length).toBeGreaterThan(3)
  const findPage = (words: string) => pages.findIndex(page => page.includes(words))
  const places = events.map(({ hash }, index) => [findPage(`Entry ${index}.`), findPage(hash)])
  expect(places.filter(([ofEntry, ofHash]) => ofEntry === -1 || ofEntry !== ofHash)).toEqual([])
})
