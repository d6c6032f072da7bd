import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openVision } from '../../../ops/providers/vision/open.ts'
import { drawPlain, drawSpots } from '../../support/images/plain.ts'
import { openModelPools } from '../../support/models/pools.ts'
import { buildSpotModel, MODELS } from '../../support/models/tiny.ts'
import { runJob, testPools } from '../../support/pools/open.ts'
import { openFakeVision } from '../../support/servers/vision.ts'

/** Red, green and blue spots are faces of three persons. */
const FACES = {
  ...MODELS.faces,
  manifest: { ...MODELS.faces.manifest, labels: ['face', 'face', 'face'] },
}

let own: Awaited<ReturnType<typeof openModelPools>>
beforeAll(async () => {
  own = await openModelPools({ faces: { ...FACES, bytes: buildSpotModel() }, embedding: MODELS.embedding })
})
afterAll(() => own[Symbol.asyncDispose]())

const compare = (source: Buffer, target: Buffer, body: object = {}) =>
  runJob(own.pools, 'vision.compare-faces', { source, target, ...body })

const RED = { color: '#f00', left: 32, top: 48 }
const BLUE = { color: '#00f', left: 96, top: 16 }

test('finds the face of the source among those of the target', async () => {
  const source = await drawSpots(128, 128, [RED])
  const target = await drawSpots(128, 128, [
    { ...RED, left: 96 },
    { ...BLUE, left: 32 },
  ])
  const { result, warnings, chargedMicros } = await compare(source, target)
  const [match] = result.matches as [{ similarity: number; box: { pixels: { x: number; width: number } } }]
  expect(match.similarity).toBeGreaterThan(95)
  expect(match.box.pixels.x + match.box.pixels.width / 2).toBeGreaterThan(80)
  expect(result.unmatched).toMatchObject([{ pixels: { y: 0 } }])
  expect(result).toMatchObject({ image: { width: 128 }, sourceFace: { box: { pixels: { width: 48 } } } })
  expect([warnings, chargedMicros]).toEqual([[], 5000n])
  const strict = await compare(source, await drawSpots(128, 128, [BLUE]), { threshold: 1 })
  expect(strict.result).toMatchObject({ matches: [], unmatched: [expect.anything()] })
  const lenient = await compare(source, target, { threshold: 0, max: 1 })
  expect(lenient.result).toMatchObject({ matches: [{ similarity: match.similarity }], unmatched: [] })
})

test('tells of several faces in the source, and of none', async () => {
  const both = await drawSpots(128, 128, [RED, BLUE])
  expect((await compare(both, both)).warnings).toEqual(['MULTIPLE_FACES'])
  await expect(compare(await drawPlain('#000'), both)).rejects.toMatchObject({
    code: 'NO_FACE_FOUND',
    hints: { which: 'source' },
  })
  expect((await compare(both, await drawPlain('#000'))).result).toMatchObject({ matches: [], unmatched: [] })
})

test('compares by Rekognition, and not at all where the operator forbids it', async () => {
  await using fake = await openFakeVision()
  const vision = openVision(fake.config('rekognition'))
  await using pools = await testPools({ vision })
  const image = await drawPlain('#fff')
  const call = { source: image, target: image }
  const { result } = await runJob(pools, 'vision.compare-faces', call)
  expect(result).toMatchObject({
    matches: [{ similarity: 96.5, box: { x: 0.25 } }],
    unmatched: [{ x: 0.7 }],
    sourceFace: { confidence: 99 },
    engine: 'rekognition',
  })
  fake.failures.push('no-face')
  await expect(runJob(pools, 'vision.compare-faces', call)).rejects.toMatchObject({ code: 'NO_FACE_FOUND' })
  await using closed = await testPools({ vision: { ...vision, comparesFaces: false } })
  const asked = fake.seen.length
  await expect(runJob(closed, 'vision.compare-faces', call)).rejects.toMatchObject({
    code: 'PROVIDER_NOT_CONFIGURED',
    hints: { install: 'set VISION_COMPARE_FACES=true' },
  })
  expect(fake.seen).toHaveLength(asked)
})

test('needs a model that finds the faces too', async () => {
  await rm(join(own.folder, 'faces.json'))
  const image = await drawSpots(128, 128, [RED])
  await expect(compare(image, image)).rejects.toMatchObject({
    code: 'PROVIDER_NOT_CONFIGURED',
    hints: { install: expect.stringContaining('detect-faces') },
  })
})
