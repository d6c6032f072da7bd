import { disturbance } from '../disturbance.ts'
import { listChildren, sendSignal } from '../signals.ts'

/** An engine crashes: one of the processes in which a worker runs what is not ours. */
export default disturbance({
  weight: 6,
  async disturb({ workers }, random) {
    const worker = random.pick(workers).pid()
    const children = worker === undefined ? [] : listChildren(worker)
    if (children.length === 0) return undefined
    const child = random.pick(children)
    if (!sendSignal(child, 'SIGKILL')) return undefined
    return { text: `killed ${child}, a child of worker ${worker}`, kills: 1 }
  },
})
