import { disturbance } from '../disturbance.ts'
import { freeze } from '../signals.ts'

export default disturbance({
  weight: 1,
  async disturb({ workers }, random) {
    const [role, ms] = [random.pick(workers), random.int(500, 8_000)]
    const pid = role.pid()
    if (pid === undefined || !(await freeze(pid, ms))) return undefined
    return { text: `stopped worker ${pid} for ${ms} ms` }
  },
})
