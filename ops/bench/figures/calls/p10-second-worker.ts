import { JSON_HEADERS, QUEUED_HEADERS } from '../../calls.ts'
import { compareWithFloor } from '../../compare.ts'
import { formatCost } from '../../cost.ts'
import type { Figure } from '../../figure.ts'
import type { Call } from '../../load/run.ts'
import { openStack, requireNoFailedJobs, type Stack, storeUpload, verifyCall } from '../../stack.ts'
import { targetService } from '../../targets.ts'
import { openSlowBucket } from './slow-bucket.ts'

const CLIENTS = 16
const ANSWER_MS = 50
const SETTINGS = { 'lane.thread.concurrency': 1 }

/**
 * On a machine of two cores the load, the api and Postgres leave no spare core. The lane is therefore limited by
 * waiting: its objects are in a slow bucket, and each worker takes one job at a time.
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
    await using one = await openStack(bench.environment, { workers: 1, settings: SETTINGS, env, accounts: 1 })
    await using two = await openStack(bench.environment, { workers: 2, settings: SETTINGS, env, accounts: 1 })
    const sides = {
      ours: targetService(bench.environment, two, await buildStoredHashCall(two)),
      floor: targetService(bench.environment, one, await buildStoredHashCall(one)),
    }
    const { ours, floor } = await compareWithFloor(bench, sides, CLIENTS)
    for (const stack of [one, two]) await requireNoFailedJobs(stack)
    return [
      {
        label: `two workers over one, each job waits ${ANSWER_MS} ms for its input`,
        unit: 'calls/s',
        ours: ours.perSecond,
        floor: floor.perSecond,
        goal: { atLeast: 1.9 },
        judgedBy: 'ratio',
        limitedBy: formatCost(ours.cost),
        facts: { ours, floor },
      },
    ]
  },
} satisfies Figure

async function buildStoredHashCall(stack: Stack): Promise<Call> {
  const inputKey = await storeUpload(stack, stack.accounts[0]!, Buffer.from('far away'.repeat(1_000)), 'text/plain')
  const call = {
    path: '/v1/utils/hash',
    headers: { ...JSON_HEADERS, ...QUEUED_HEADERS },
    body: JSON.stringify({ file: { inputKey } }),
    keys: stack.keys,
  }
  await verifyCall(stack, call)
  return call
}
