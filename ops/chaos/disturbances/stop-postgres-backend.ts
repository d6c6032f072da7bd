import { disturbance } from '../disturbance.ts'
import { freeze, listChildren } from '../signals.ts'

export default disturbance({
  weight: 2,
  async disturb(service, random) {
    const children = listChildren(service.postgresPid())
    if (children.length === 0) return undefined
    const [child, ms] = [random.pick(children), random.int(500, 6_000)]
    if (!(await freeze(child, ms))) return undefined
    return { text: `stopped ${child}, a process of Postgres, for ${ms} ms` }
  },
})
