import sharp from 'sharp'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { SentImage, VisionProvider } from '../../../ops/providers/vision/contract.ts'
import { openVision } from '../../../ops/providers/vision/open.ts'
import { type FakeVision, openFakeVision } from '../../support/servers/vision.ts'

let fake: FakeVision
let image: SentImage
beforeAll(async () => {
  fake = await openFakeVision()
  const bytes = await sharp({ create: { width: 200, height: 100, channels: 3, background: '#080' } })
    .jpeg()
    .toBuffer()
  image = { bytes, width: 200, height: 100 }
})
afterAll(() => fake[Symbol.asyncDispose]())
beforeEach(() => {
  fake.seen.length = 0
  fake.failures.length = 0
})

const NAMES = ['rekognition', 'google', 'azure'] as const
const LIMITS = { maxLabels: 10, minConfidence: 50 }
const signal = new AbortController().signal
const open = (name: VisionProvider['name']) => openVision(fake.config(name)).providers[0]!

test('labels have one form', async () => {
  const labels = await Promise.all(NAMES.map(name => open(name).detectLabels!(image, LIMITS, signal)))
  expect(labels).toEqual([
    [
      {
        name: 'Dog',
        confidence: 98.77,
        parents: ['Animal'],
        instances: [{ box: { x: 0.25, y: 0.5, width: 0.125, height: 0.25 }, confidence: 97 }],
      },
      { name: 'Grass', confidence: 60, parents: [], instances: [] },
    ],
    [
      {
        name: 'Dog',
        confidence: 96,
        parents: [],
        instances: [{ box: { x: 0, y: 0.5, width: 0.5, height: 0.5 }, confidence: 90 }],
      },
      { name: 'Carnivore', confidence: 80, parents: [], instances: [] },
    ],
    [
      {
        name: 'dog',
        confidence: 95,
        parents: [],
        instances: [{ box: { x: 0.1, y: 0.1, width: 0.5, height: 0.5 }, confidence: 90 }],
      },
    ],
  ])
  const asked = fake.seen.find(({ provider }) => provider === 'rekognition')!
  expect(asked.body).toMatchObject({ MaxLabels: 10, MinConfidence: 50 })
  for (const { jpegs } of fake.seen) expect((await sharp(jpegs[0]).metadata()).format).toBe('jpeg')
})

test('faces have what was asked for', async () => {
  const box = { x: 0.25, y: 0.25, width: 0.25, height: 0.25 }
  const all = (name: VisionProvider['name']) => open(name).detectFaces!(image, { attributes: 'all' }, signal)
  expect((await all('rekognition'))[0]!.box).toEqual({ x: 0, y: 0, width: 0.1, height: 0.2 })
  expect((await all('rekognition'))[1]).toMatchObject({
    ...{ confidence: 99.9, landmarks: [{ type: 'eye-left', x: 0.3, y: 0.6 }], pose: { roll: 1, yaw: -2, pitch: 3 } },
    attributes: { smile: { value: true, confidence: 91 }, age: { low: 20 }, emotions: [{ type: 'happy' }] },
  })
  expect(await all('google')).toMatchObject([
    {
      ...{ box, confidence: 99, landmarks: [{ type: 'left-eye', x: 0.3, y: 0.3 }], pose: { roll: 1.5, yaw: 2 } },
      quality: { brightness: 95, sharpness: 95 },
      attributes: { headwear: { value: false, confidence: 95 }, emotions: [{ type: 'joy', confidence: 95 }] },
    },
  ])
  expect(await all('azure')).toMatchObject([
    {
      ...{ box: { ...box, width: 0.5, height: 0.5 }, landmarks: [{ type: 'pupil-left' }] },
      quality: { brightness: 60, sharpness: 90 },
      attributes: { sunglasses: { value: true }, occluded: { value: true }, headwear: { value: true, confidence: 80 } },
    },
  ])
  for (const name of NAMES) {
    const bare = await open(name).detectFaces!(image, { attributes: 'none' }, signal)
    expect(bare.map(face => [face.landmarks, face.pose, face.attributes])).toEqual(
      bare.map(() => [[], undefined, undefined]),
    )
  }
})

test('risks have one taxonomy', async () => {
  const rate = (name: VisionProvider['name']) => open(name).moderate!(image, { minConfidence: 50 }, signal)
  const named = (await rate('rekognition')).map(({ name, category }) => [name, category])
  expect(named).toEqual([
    ['Blood & Gore', 'gore'],
    ['Graphic Violence', 'violence'],
    ['Violence', 'violence'],
    ['Drinking', 'alcohol'],
    ['Alcohol Use', 'alcohol'],
    ['Alcohol', 'alcohol'],
  ])
  expect((await rate('google')).map(({ category, confidence }) => [category, confidence])).toEqual([
    ['explicit', 95],
    ['suggestive', 75],
    ['violence', 50],
  ])
  expect((await rate('azure')).map(({ category, confidence }) => [category, confidence])).toEqual([
    ['explicit', 80],
    ['violence', 50],
  ])
})

const detect = (name: VisionProvider['name'], within = signal) => open(name).detectLabels!(image, LIMITS, within)

test.each(NAMES)('what is wrong with %s, or with the image, is a problem without secrets', async name => {
  const failWith = async (...failures: FakeVision['failures']) => {
    fake.failures.splice(0, Infinity, ...failures)
    const problem = await detect(name).catch((error: unknown) => error)
    expect(JSON.stringify(problem)).not.toContain('tests')
    return problem
  }
  const unavailable = { code: 'PROVIDER_UNAVAILABLE', hints: { provider: name } }
  for (const failure of ['throttled', 'broken', 'cut-off', 'not-json'] as const)
    expect(await failWith(failure, failure)).toMatchObject(unavailable)
  expect(await failWith('denied')).toMatchObject(unavailable)
  expect(await failWith('invalid-image')).toMatchObject({ code: 'IMAGE_DECODE_FAILED', hints: { provider: name } })
})

test.each(NAMES)('%s gets a second chance, and a cancelled call none', async name => {
  fake.failures.push('broken')
  expect(await detect(name)).not.toHaveLength(0)
  expect(fake.seen).toHaveLength(2)
  fake.failures.push('silent')
  const cancelled = new AbortController()
  const waiting = detect(name, cancelled.signal)
  await expect.poll(() => fake.seen.length).toBe(3)
  cancelled.abort(new Error('cancelled'))
  await expect(waiting).rejects.toThrow('cancelled')
})

test('only Rekognition offers everything', () => {
  const offers = NAMES.map(name => Object.values(open(name)).filter(value => typeof value === 'function').length)
  expect(offers).toEqual([6, 3, 3])
})
