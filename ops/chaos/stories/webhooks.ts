import { pollUntil } from '../../back-off.ts'
import { BrokenPromise, must } from '../broken-promise.ts'
import { story } from '../story.ts'

interface Delivery {
  id: string
  subjectId: string
  status: 'PENDING' | 'SUCCESS' | 'FAILED'
}

const ARRIVES_WITHIN_MS = 60_000
const PAGE = 100

/**
 * Each job is told of at least once, always under the same id. What would be tried again in minutes or hours is sent again
 * at once when all is calm, as its owner may ask.
 */
export default story({
  callers: 2,
  async open({ service: { receiver }, customer, newName }) {
    const subject = newName('webhook')
    const created = await customer.insist({
      ...{ subject, path: '/v1/webhooks' },
      body: { url: `${receiver.url}/${subject}`, events: ['job.completed'] },
    })
    must(created.status === 201, 'A webhook is registered.', subject, created.text)
    const path = `/v1/webhooks/${created.body.id}`
    let jobs: string[] = []

    const list = async (): Promise<Delivery[]> => {
      const found: Delivery[] = []
      for (let offset = 0; offset < jobs.length + PAGE; offset += PAGE) {
        const asked = { subject, method: 'GET', path: `${path}/deliveries?limit=${PAGE}&offset=${offset}` } as const
        found.push(...((await customer.insist(asked)).body.data as Delivery[]))
      }
      return found
    }

    const sendAgain = async () => {
      const missing = new Set(listMissing())
      for (const { id, subjectId, status } of await list())
        if (status !== 'SUCCESS' && missing.has(subjectId))
          await customer.insist({ subject, path: `${path}/deliveries/${id}/redeliver` }, ({ status }) => status < 500)
    }

    const listMissing = () => {
      const arrived = new Set(receiver.deliveries.filter(({ state }) => state === 'works').map(({ jobId }) => jobId))
      return jobs.filter(job => !arrived.has(job))
    }

    return {
      async step(random) {
        const isQueued = random.isChance(0.5)
        const call = isQueued ? ['/v1/text/slugify', { text: 'a b' }] : ['/v1/utils/hash', { text: 'abc' }]
        const [calledPath, body] = call as [string, object]
        const answer = await customer.buy({ subject, path: calledPath, body, key: newName('told') })
        must(answer.status === 200, 'A valid call under a key succeeds.', subject, answer.text)
        jobs.push(answer.headers.get('x-service-job-id')!)
      },
      async check() {
        const wasGone = receiver.deliveries.some(({ state }) => state === 'answers 410')
        // It says so itself that nothing is sent to a webhook that answers 410, until it is enabled again.
        if (wasGone) {
          const enabled = await customer.insist({ subject, method: 'PUT', path, body: { active: true } })
          must(enabled.body?.active === true, 'A webhook can be enabled again.', subject, enabled.text)
        } else {
          await sendAgain()
          const areAllThere = () => listMissing().length === 0 || undefined
          if (!(await pollUntil(areAllThere, { withinMs: ARRIVES_WITHIN_MS, everyMs: 200 })))
            throw new BrokenPromise('Each job is told of at least once.', subject, { missing: listMissing() })
        }
        const ids = new Map<string, string>()
        for (const { jobId, webhookId } of receiver.deliveries) {
          const known = ids.get(jobId)
          const isSame = known === undefined || known === webhookId
          must(isSame, 'An event that arrives again has the same id.', subject, { jobId, known, webhookId })
          ids.set(jobId, webhookId)
        }
        const compared = jobs.length
        jobs = []
        receiver.deliveries.length = 0
        return compared
      },
    }
  },
})
