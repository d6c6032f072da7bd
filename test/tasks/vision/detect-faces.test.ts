import { afterAll, beforeAll, expect, test } from 'vitest'
import { openVision } from '../../../ops/providers/vision/open.ts'
import { drawPlain, drawSpots } from '../../support/images/plain.ts'
import { openModelPools } from '../../support/models/pools.ts'
import { MODELS } from '../../support/models/tiny.ts'
import { runJob, testPools } from '../../support/pools/open.ts'
import { openFakeVision } from '../../support/servers/vision.ts'

let own: Awaited<ReturnType<typeof openModelPools>>
beforeAll(async () => {
  own = await openModelPools({ faces: MODELS.faces })
})
afterAll(() => own[Symbol.asyncDispose]())

const detect = (file: Buffer, body: object = {}) => runJob(own.pools, 'vision.detect-faces', { file, ...body })

test('places faces in an image that is not square', async () => {
  const image = await drawSpots(256, 128, [
    { color: '#f00', left: 32, top: 32 },
    { color: '#0f0', left: 192, top: 64 },
  ])
  const { result } = await detect(image, { minConfidence: 20 })
  expect(result).toMatchObject({ count: 1, image: { width: 256, height: 128 }, engine: 'onnx' })
  const [{ box }] = result.faces as [{ box: { pixels: Record<string, number> } }]
  const { x, y, width, height } = box.pixels as { x: number; y: number; width: number; height: number }
  expect(x <= 32 && y <= 32 && x + width >= 48 && y + height >= 48).toBe(true)
  expect(x + width < 192).toBe(true)
  expect((await detect(await drawPlain('#0f0'))).result).toMatchObject({ count: 0, faces: [] })
  expect((await detect(await drawPlain('#f00'), { max: 2 })).result.count).toBe(2)
})

test('refuses attributes that the model does not estimate', async () => {
  await expect(detect(await drawPlain('#f00'), { attributes: 'all' })).rejects.toMatchObject({
    code: 'INVALID_PARAM',
    hints: { field: 'attributes', allowed: ['none', 'default'] },
  })
})

test('tells age and gender only where the operator allows it', async () => {
  await using fake = await openFakeVision()
  const engines = openVision(fake.config('rekognition'))
  for (const tellsDemographics of [false, true]) {
    await using pools = await testPools({ vision: { ...engines, tellsDemographics } })
    const call = { file: await drawPlain('#fff'), attributes: 'all' }
    const { result } = await runJob(pools, 'vision.detect-faces', call)
    const [{ attributes }, ...others] = result.faces as [{ attributes: object }]
    expect(attributes).toMatchObject({ smile: { value: true, confidence: 91 } })
    expect(['age' in attributes, 'gender' in attributes]).toEqual([tellsDemographics, tellsDemographics])
    expect(others).toMatchObject([{ confidence: 85, box: { pixels: { x: 0, y: 0, width: 20, height: 20 } } }])
    const plain = await runJob(pools, 'vision.detect-faces', { ...call, attributes: 'none', minConfidence: 90 })
    expect(plain.result.faces).toEqual([{ box: expect.anything(), confidence: 99.9 }])
  }
})
