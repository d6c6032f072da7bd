import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { drawPlain } from '../../support/images/plain.ts'
import { openModelPools } from '../../support/models/pools.ts'
import { buildColorModel, buildEndlessModel, MODELS, writeModels } from '../../support/models/tiny.ts'
import { runJob } from '../../support/pools/open.ts'

let own: Awaited<ReturnType<typeof openModelPools>>
beforeAll(async () => {
  own = await openModelPools({ labels: MODELS.labels, faces: { ...MODELS.faces, bytes: 'no model' } })
})
afterAll(() => own[Symbol.asyncDispose]())

const detect = (file: Buffer, body: object = {}, options?: object) =>
  runJob(own.pools, 'vision.detect-labels', { file, ...body }, options)

async function replaceModel(change: { bytes?: Buffer | string; manifest?: object | string }) {
  await writeModels(own.folder, { labels: { ...MODELS.labels, ...change } })
}

test('runs a model of the operator', async () => {
  const { result, chargedMicros } = await detect(await drawPlain('#ff8000'), { minConfidence: 40 })
  expect(result).toEqual({
    labels: [
      { name: 'red', confidence: 100, parents: [], instances: [] },
      { name: 'green', confidence: 50.2, parents: [], instances: [] },
    ],
    ...{ image: { width: 200, height: 100 }, engine: 'onnx', model: 'labels' },
    modelSha256: expect.stringMatching(/^[0-9a-f]{64}$/),
  })
  expect(chargedMicros).toBe(3000n)
  expect((await detect(await drawPlain('#ff8000'), { minConfidence: 40, maxLabels: 1 })).result.labels).toHaveLength(1)
  expect((await detect(await drawPlain('#ff8000'))).result.labels).toHaveLength(1)
  expect((await detect(await drawPlain('#000'))).result.labels).toEqual([])
})

test('reads images as they are displayed, of every kind', async () => {
  const turned = await sharp(await drawPlain('#00f', 200, 100))
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer()
  expect((await detect(turned)).result).toMatchObject({
    image: { width: 100, height: 200 },
    labels: [{ name: 'blue' }],
  })
  const grey = await sharp(await drawPlain('#fff'))
    .greyscale()
    .png()
    .toBuffer()
  expect((await detect(grey)).result.labels).toHaveLength(3)
  const clear = await sharp({ create: { width: 90, height: 90, channels: 4, background: '#0000' } })
    .webp()
    .toBuffer()
  expect((await detect(clear)).result.labels).toHaveLength(3)
})

test.each([
  ['too small', () => drawPlain('#fff', 79, 200), 'IMAGE_TOO_SMALL'],
  ['cut off', async () => (await drawPlain('#123456')).subarray(0, 60), 'IMAGE_DECODE_FAILED'],
  ['too large', () => drawPlain('#fff', 10_001, 10_000), 'TOO_MANY_PIXELS'],
])('refuses an image that is %s', async (_, draw, code) => {
  await expect(detect(await draw())).rejects.toMatchObject({ code })
})

test('a sick model makes its own operation unavailable, with what to correct, until it is well again', async () => {
  const image = await drawPlain('#ff0000')
  const { manifest } = MODELS.labels
  const sick: [change: Parameters<typeof replaceModel>[0], why: string][] = [
    [{ bytes: 'garbage' }, 'labels.onnx failed:Protobuf'],
    [{ bytes: buildColorModel(16) }, '1 x 3 x 16 x 16'],
    [{ manifest: { ...manifest, labels: ['red'] } }, '3 values, and the manifest 1 labels'],
    [{ manifest: { ...manifest, labels: 'none.txt' } }, 'none.txt cannot be read'],
    [{ manifest: { ...manifest, sha256: '0'.repeat(64) } }, 'SHA-256'],
    [{ manifest: { ...manifest, input: { width: 32 } } }, 'input'],
    [{ manifest: { ...manifest, input: { ...manifest.input, type: 'uint8' } } }, 'float32'],
    [{ manifest: { ...manifest, output: { kind: 'embedding' } } }, 'output.kind'],
    [{ manifest: { ...manifest, colour: 1 } }, 'colour'],
    [
      { manifest: { ...manifest, output: { kind: 'classification', tensor: 'other' } } },
      'no output other; it has means',
    ],
    [{ manifest: '{"serves": "detect-labels", ' }, 'not a JSON object'],
  ]
  for (const [change, why] of sick) {
    await replaceModel(change)
    await expect(detect(image)).rejects.toMatchObject({
      code: 'PROVIDER_NOT_CONFIGURED',
      hints: { install: expect.stringContaining(why) },
    })
  }
  await replaceModel({})
  await writeFile(join(own.folder, 'copy.json'), JSON.stringify(manifest))
  await expect(detect(image)).rejects.toMatchObject({ hints: { install: expect.stringContaining('both serve') } })
  await rm(join(own.folder, 'copy.json'))
  await writeFile(join(own.folder, 'unrelated.json'), 'not JSON')
  expect((await detect(image)).result.labels).toHaveLength(1)
})

test('a model that never ends is stopped, and its process replaced', async () => {
  const image = await drawPlain('#ff0000')
  await replaceModel({ bytes: buildEndlessModel(32) })
  await expect(detect(image, {}, { limitSeconds: 2 })).rejects.toMatchObject({ code: 'TIME_LIMIT_EXCEEDED' })
  await replaceModel({ manifest: { ...MODELS.labels.manifest, labels: 'colors.txt' } })
  await writeFile(join(own.folder, 'colors.txt'), 'rouge\nvert\nbleu\n')
  expect((await detect(image)).result.labels).toMatchObject([{ name: 'rouge', confidence: 100 }])
})

test('finds objects with their places', async () => {
  const faces = MODELS.faces.manifest
  await replaceModel({ bytes: MODELS.faces.bytes, manifest: { ...faces, serves: 'detect-labels' } })
  const { result } = await detect(await drawPlain('#00f', 128, 128), { minConfidence: 90 })
  expect(result.labels).toMatchObject([{ name: 'sky', confidence: 100 }])
  const [{ instances }] = result.labels as [{ instances: { box: object }[] }]
  expect(instances.length).toBeGreaterThan(4)
  expect(instances[0]).toMatchObject({ box: { x: 0, y: 0, pixels: { x: 0, y: 0, width: 32, height: 32 } } })
})
