import { disturbance } from '../disturbance.ts'
import { listChildren, sendSignal } from '../signals.ts'

/** One process of Postgres crashes: the server ends all connections and recovers by itself. */
export default disturbance({
  weight: 1,
  async disturb(service, random) {
    const children = listChildren(service.postgresPid())
    if (children.length === 0) return undefined
    const child = random.pick(children)
    if (!sendSignal(child, 'SIGKILL')) return undefined
    return { text: `killed ${child}, a process of Postgres`, kills: 1 }
  },
})
