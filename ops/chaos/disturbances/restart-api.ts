import { disturbance } from '../disturbance.ts'

const TIMEOUT_MS = 12_000

/** In order, as at an upgrade. */
export default disturbance({
  weight: 1,
  async disturb({ apis }, random) {
    const role = random.pick(apis)
    const pid = role.pid()
    await role.restart(TIMEOUT_MS)
    return { text: `restarted api ${pid} in order` }
  },
})
