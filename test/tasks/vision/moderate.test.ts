import { expect, test } from 'vitest'
import { openVision } from '../../../ops/providers/vision/open.ts'
import { drawPlain } from '../../support/images/plain.ts'
import { openModelPools } from '../../support/models/pools.ts'
import { MODELS } from '../../support/models/tiny.ts'
import { runJob, testPools } from '../../support/pools/open.ts'
import { openFakeVision } from '../../support/servers/vision.ts'

test('rates an image by the policy that is asked for', async () => {
  await using fake = await openFakeVision()
  await using pools = await testPools({ vision: openVision(fake.config('rekognition')) })
  const file = await drawPlain('#fff')
  const rate = async (body: object) => (await runJob(pools, 'vision.moderate', { file, ...body })).result
  const result = await rate({})
  expect(result).toMatchObject({ safe: false, byCategory: { gore: 70, violence: 71, alcohol: 99, explicit: 0 } })
  expect(result.labels).toHaveLength(6)
  expect((result.labels as object[]).at(-1)).toEqual({
    ...{ name: 'Graphic Violence', parent: 'Violence', category: 'violence', confidence: 70 },
  })
  const custom = (thresholds: object, body = {}) => rate({ policy: 'custom', thresholds, ...body })
  expect(await custom({ gore: 80, violence: 80 })).toMatchObject({ safe: true })
  expect(await custom({ alcohol: 99 })).toMatchObject({ safe: false })
  expect(await rate({ policy: 'strict', categories: ['gambling'] })).toMatchObject({
    ...{ safe: true, labels: [], byCategory: { gambling: 0 } },
  })
  expect((await rate({ minConfidence: 90 })).labels).toHaveLength(3)
  expect(fake.seen.at(-1)!.body).toMatchObject({ MinConfidence: 60 })
  await expect(rate({ policy: 'custom' })).rejects.toMatchObject({ code: 'MISSING_FIELD' })
  await expect(rate({ thresholds: { gore: 1 } })).rejects.toMatchObject({ code: 'CONFLICTING_OPTIONS' })
})

test('maps the labels of a model to categories', async () => {
  await using own = await openModelPools({ risks: MODELS.risks })
  const rate = async (color: string) =>
    (await runJob(own.pools, 'vision.moderate', { file: await drawPlain(color) })).result
  expect(await rate('#f00')).toMatchObject({
    safe: false,
    labels: [{ name: 'blood', category: 'gore', confidence: 100 }],
    ...{ byCategory: { gore: 100 }, model: 'risks' },
  })
  expect(await rate('#0f0')).toMatchObject({ safe: true, labels: [] })
})
