import { setTimeout as sleep } from 'node:timers/promises'
import { must } from '../broken-promise.ts'
import { story } from '../story.ts'

interface Hold {
  fence: number
  acquiredAt: string
  /** From when until when its holder knew that it held the lock. */
  fromMs: number
  untilMs: number
}

/** Fences rise with every acquisition, and no two callers hold a lock at the same time. */
export default story({
  callers: 3,
  async open({ customer, newName }) {
    const name = newName('lock')
    const path = `/v1/bridge/locks/${name}`
    const holds: Hold[] = []

    const isTaken = ({ status, body }: { status: number; body: { code?: string } }) =>
      status === 201 || (status === 409 && body.code === 'LOCK_HELD')

    return {
      async step(random) {
        const asked = { ttlSeconds: random.int(1, 3), waitSec: random.int(0, 3) }
        const answer = await customer.buy({ subject: name, path, body: asked, key: newName('hold') }, isTaken)
        const fromMs = Date.now()
        if (answer.status !== 201) return
        const { fence, acquiredAt, expiresAt, token } = answer.body
        await sleep(random.int(0, 400))
        const untilMs = Math.min(Date.now(), Date.parse(expiresAt))
        holds.push({ fence, acquiredAt, fromMs, untilMs })
        const release = { subject: name, method: 'DELETE', path: `${path}?token=${token}` } as const
        await customer.insist(release, ({ status, body }) => status === 200 || body?.code === 'FENCE_STALE')
      },
      async check() {
        const byTime = holds.toSorted((one, other) => Date.parse(one.acquiredAt) - Date.parse(other.acquiredAt))
        const byFence = holds.toSorted((one, other) => one.fence - other.fence)
        for (const [index, hold] of byFence.entries()) {
          const next = byFence[index + 1]
          must(next?.fence !== hold.fence, 'No two acquisitions of a lock have the same fence.', name, { hold, next })
        }
        const isRising = byTime.every(({ acquiredAt }, index) => acquiredAt === byFence[index]!.acquiredAt)
        must(isRising, 'The fence of a lock rises with every acquisition.', name, byTime.slice(-20))
        const known = holds.filter(({ fromMs, untilMs }) => untilMs > fromMs)
        const inOrder = known.toSorted((one, other) => one.fromMs - other.fromMs)
        for (const [index, hold] of inOrder.entries()) {
          const next = inOrder[index + 1]
          const isAlone = next === undefined || hold.untilMs <= next.fromMs
          must(isAlone, 'No two callers hold a lock at the same time.', name, { hold, next })
        }
        return holds.length
      },
    }
  },
})
