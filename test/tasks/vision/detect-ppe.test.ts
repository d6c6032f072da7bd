import { expect, test } from 'vitest'
import { openVision } from '../../../ops/providers/vision/open.ts'
import { drawPlain, drawSpots } from '../../support/images/plain.ts'
import { openModelPools } from '../../support/models/pools.ts'
import { MODELS } from '../../support/models/tiny.ts'
import { runJob, testPools } from '../../support/pools/open.ts'
import { openFakeVision } from '../../support/servers/vision.ts'

test('a model finds people and what they wear', async () => {
  await using own = await openModelPools({ ppe: MODELS.ppe })
  const check = async (body: object) => {
    const file = await drawSpots(128, 128, [
      { color: '#f00', left: 32, top: 48 },
      { color: '#0f0', left: 32, top: 32 },
      { color: '#f00', left: 96, top: 96 },
    ])
    return (await runJob(own.pools, 'vision.detect-ppe', { file, minConfidence: 40, ...body })).result
  }
  const helmets = await check({ required: ['head'] })
  expect(helmets).toMatchObject({
    persons: [
      { parts: [{ part: 'head', equipment: [{ type: 'head-cover', covers: true }] }], compliant: true },
      { parts: [], compliant: false },
    ],
    summary: { persons: 2, compliant: 1, violating: 1, undetermined: 0 },
  })
  expect((await check({ required: ['head', 'hands'] })).summary).toMatchObject({ compliant: 0, violating: 2 })
  expect((await check({ minConfidence: 99 })).persons).toEqual([])
})

test('Rekognition also tells what is bare, and what cannot be seen', async () => {
  await using fake = await openFakeVision()
  await using pools = await testPools({ vision: openVision(fake.config('rekognition')) })
  const judge = async (required: string[], minConfidence = 80) => {
    const { result } = await runJob(pools, 'vision.detect-ppe', {
      file: await drawPlain('#fff'),
      required,
      minConfidence,
    })
    return (result.persons as { compliant: boolean | null }[]).map(({ compliant }) => compliant)
  }
  expect(await judge(['head'])).toEqual([true])
  expect(await judge(['head'], 98)).toEqual([false])
  expect(await judge(['hands'])).toEqual([false])
  expect(await judge(['face'])).toEqual([null])
  expect(await judge(['face', 'hands'])).toEqual([false])
})
