import { disturbance } from '../disturbance.ts'
import { freeze } from '../signals.ts'

export default disturbance({
  weight: 2,
  async disturb({ apis }, random) {
    const [role, ms] = [random.pick(apis), random.int(500, 8_000)]
    const pid = role.pid()
    if (pid === undefined || !(await freeze(pid, ms))) return undefined
    return { text: `stopped api ${pid} for ${ms} ms` }
  },
})
