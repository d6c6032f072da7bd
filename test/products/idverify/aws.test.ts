import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDocumentProviders } from '../../../ops/providers/document/open.ts'
import { openVision } from '../../../ops/providers/vision/open.ts'
import { drawPlain } from '../../support/images/plain.ts'
import { allowReviews } from '../../support/people/reviews.ts'
import { testPools } from '../../support/pools/open.ts'
import { REKOGNITION } from '../../support/servers/answers/vision.ts'
import { type FakeDocuments, openFakeDocuments } from '../../support/servers/documents.ts'
import { type FakeVision, openFakeVision } from '../../support/servers/vision.ts'
import { type InProcessApi, openInProcessApi } from '../../support/stack/in-process-api.ts'
import { openParts } from './parts.ts'

let api: InProcessApi
let textract: FakeDocuments
let rekognition: FakeVision
let pools: Awaited<ReturnType<typeof testPools>>
let parts: ReturnType<typeof openParts>
beforeAll(async () => {
  ;[api, textract, rekognition] = await Promise.all([
    openInProcessApi({ WEBHOOK_NETWORKS: '127.0.0.0/8' }),
    openFakeDocuments(),
    openFakeVision(),
  ])
  pools = await testPools({
    vision: openVision(rekognition.config('rekognition')),
    documents: openDocumentProviders(textract.config('textract')),
  })
  parts = openParts(api, pools)
  await allowReviews(api)
})
afterAll(async () => {
  for (const one of [pools, rekognition, textract, api]) await one[Symbol.asyncDispose]()
})

/** What comes of a document and a selfie that a caller sends, with what the checks of reading and of faces say. */
async function verify(image: Buffer) {
  const owner = await parts.openOwner()
  const inline = image.toString('base64')
  const made = await owner.begin({ type: 'biometric', documents: { front: { inline } }, selfie: { inline } })
  await parts.read()
  const { body } = await owner.ask('GET', `/${made.id}`)
  const find = (wanted: string) => body.checks.find(({ name }: { name: string }) => name === wanted)
  return { body, read: find('document_read'), faces: find('face_match') }
}

test('Textract reads the document, Rekognition compares the faces, and a person decides', async () => {
  const { body, read, faces } = await verify(await drawPlain('#fff'))
  expect(body).toMatchObject({
    ...{ status: 'manual_review', decision: null, reviewedBy: null, similarity: 96.5 },
    document: { type: 'driving_licence', issuingCountry: 'USA', names: { first: 'ISHMAEL', last: 'COFFIN' } },
  })
  expect([read.result, faces]).toEqual(['pass', { name: 'face_match', result: 'pass', detail: 'similarity 97 of 100' }])
  expect(textract.seen.map(({ action }) => action)).toContain('AnalyzeID')
  expect(rekognition.seen.map(({ action }) => action)).toEqual(['CompareFaces'])
})

test('faces of two persons are a reason, and still nothing that a machine decides', async () => {
  const { FaceMatches } = REKOGNITION.CompareFaces as { FaceMatches: object[] }
  const match = FaceMatches.pop()!
  const { body, faces } = await verify(await drawPlain('#fff')).finally(() => FaceMatches.push(match))
  expect(body).toMatchObject({ status: 'manual_review', similarity: 35 })
  expect(body.reasonCodes).toContain('FACE_MISMATCH')
  expect(faces).toMatchObject({ result: 'review', detail: 'similarity 35 of 100' })
})

test('providers that fail leave the images to a person, with what has failed', async () => {
  // Each call is sent twice, of the document also for its text.
  textract.failures.push('broken', 'broken', 'broken', 'broken')
  rekognition.failures.push('broken', 'broken')
  const { body, read, faces } = await verify(await drawPlain('#fff'))
  expect(body).toMatchObject({ status: 'manual_review', similarity: null, document: null })
  expect(read.detail).toBe('the provider that reads documents could not be asked')
  expect(faces).toEqual({
    ...{ name: 'face_match', result: 'review' },
    detail: 'the provider that compares faces could not be asked',
  })
})

test('a selfie or a document without a face says so', async () => {
  rekognition.failures.push('no-face')
  expect((await verify(await drawPlain('#fff'))).faces.detail).toBe('no face was found in the selfie')
  rekognition.failures.push('invalid-image')
  expect((await verify(await drawPlain('#fff'))).faces.detail).toBe('the images could not be compared')
  const { FaceMatches } = REKOGNITION.CompareFaces as { FaceMatches: object[] }
  const matches = FaceMatches.splice(0)
  const { faces } = await verify(await drawPlain('#fff')).finally(() => FaceMatches.push(...matches))
  expect(faces.detail).toBe('no face was found in the document')
})

test('what check digits prove declines, whatever the faces are like', async () => {
  const { body } = await verify(await readFile('tasks/samples/passport.png'))
  expect(body).toMatchObject({ status: 'completed', decision: 'declined', similarity: 96.5 })
})
