import { AS_JSON, QUEUED } from './calls.ts'
import { costInWords } from './cost.ts'
import type { Figure } from './figure.ts'
import type { Call } from './load.ts'
import { ourSide } from './sides.ts'
import { openSlowBucket } from './slow-bucket.ts'
import { checkStack, openStack, type Stack, storeUpload, tryCall } from './stack.ts'
import { versus } from './versus.ts'

const CLIENTS = 16
const ANSWER_MS = 50
const SETTINGS = { 'lane.thread.concurrency': 1 }

/**
 * Two cores that also run the load, the api and Postgres have none to spare, so the lane is bound by waiting: its
 * objects lie in a bucket that takes its time, and each worker takes one job at a time.
 */
export default {
  id: 'P10',
  title: 'two worker processes against one, on a lane that mostly waits',
  async measure(bench) {
    await using bucket = await openSlowBucket(ANSWER_MS)
    const env = {
      S3_BUCKET: 'far',
      S3_ENDPOINT: bucket.url,
      S3_ACCESS_KEY_ID: 'someone',
      S3_SECRET_ACCESS_KEY: 'anything',
      S3_FORCE_PATH_STYLE: 'true',
    }
    await using one = await openStack(bench.home, { workers: 1, settings: SETTINGS, env, accounts: 1 })
    await using two = await openStack(bench.home, { workers: 2, settings: SETTINGS, env, accounts: 1 })
    const sides = {
      ours: ourSide(bench.home, two, await hashOfStored(two)),
      floor: ourSide(bench.home, one, await hashOfStored(one)),
    }
    const { ours, floor } = await versus(bench, sides, CLIENTS)
    for (const stack of [one, two]) await checkStack(stack)
    return [
      {
        of: `two workers over one, each job waits ${ANSWER_MS} ms for its input`,
        unit: 'calls/s',
        ours: ours.perSecond,
        floor: floor.perSecond,
        goal: { atLeast: 1.9 },
        judged: 'ratio',
        limit: costInWords(ours.cost),
        facts: { ours, floor },
      },
    ]
  },
} satisfies Figure

async function hashOfStored(stack: Stack): Promise<Call> {
  const inputKey = await storeUpload(stack, stack.accounts[0]!, Buffer.from('far away'.repeat(1_000)), 'text/plain')
  const call = {
    path: '/v1/utils/hash',
    headers: { ...AS_JSON, ...QUEUED },
    body: JSON.stringify({ file: { inputKey } }),
    keys: stack.keys,
  }
  await tryCall(stack, call)
  return call
}
