import { disturbance } from '../disturbance.ts'

const TIMEOUT_MS = 12_000

/** In order, as at an upgrade. */
export default disturbance({
  weight: 1,
  async disturb({ workers }, random) {
    const role = random.pick(workers)
    const pid = role.pid()
    await role.restart(TIMEOUT_MS)
    return { text: `restarted worker ${pid} in order` }
  },
})
