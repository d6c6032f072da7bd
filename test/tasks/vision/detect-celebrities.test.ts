import { expect, test } from 'vitest'
import { openVision } from '../../../ops/providers/vision/open.ts'
import { drawPlain } from '../../support/images/plain.ts'
import { runJob, testPools } from '../../support/pools/open.ts'
import { openFakeVision } from '../../support/servers/vision.ts'

test('names well-known people, and asks no provider that cannot', async () => {
  await using fake = await openFakeVision()
  const counted: object[] = []
  const config = {
    ...fake.config('rekognition', 'google', 'azure'),
    order: ['azure', 'google', 'rekognition'] as const,
  }
  await using pools = await testPools({ vision: openVision(config, { onCall: call => counted.push(call) }) })
  const call = { file: await drawPlain('#fff', 3000, 2000) }
  const { result, chargedMicros } = await runJob(pools, 'vision.detect-celebrities', call)
  expect(result).toMatchObject({
    celebrities: [
      { name: 'Ada Lovelace', id: 'abc', confidence: 95, urls: ['https://www.example.org/ada'] },
      { name: 'Perhaps', box: { x: 0.25, pixels: { x: 750, y: 1000, width: 375, height: 500 } } },
    ],
    ...{ unrecognized: 1, engine: 'rekognition', image: { width: 3000, height: 2000 } },
  })
  expect(chargedMicros).toBe(5000n)
  const sure = await runJob(pools, 'vision.detect-celebrities', { ...call, minConfidence: 90 })
  expect(sure.result).toMatchObject({ celebrities: [{ name: 'Ada Lovelace' }], unrecognized: 2 })
  expect(fake.seen.map(({ provider }) => provider)).toEqual(['rekognition', 'rekognition'])
  expect(counted).toMatchObject([{ provider: 'rekognition', model: 'vision.detect-celebrities', isOk: true }, {}])
})

test('a provider that is down costs nothing, and is told to the operator', async () => {
  await using fake = await openFakeVision()
  const counted: { isOk: boolean }[] = []
  const vision = openVision(fake.config('rekognition'), { onCall: call => counted.push(call) })
  await using pools = await testPools({ vision })
  fake.failures.push('broken', 'broken')
  const call = { file: await drawPlain('#fff') }
  await expect(runJob(pools, 'vision.detect-celebrities', call)).rejects.toMatchObject({
    code: 'PROVIDER_UNAVAILABLE',
    hints: { provider: 'rekognition', providerStatus: 500 },
  })
  expect(counted).toMatchObject([{ isOk: false }])
})
