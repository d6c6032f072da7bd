import { disturbance } from '../disturbance.ts'
import { listChildren, sendSignal } from '../signals.ts'

/** The server and all its processes at once, as the kernel does when memory runs out. Its supervisor starts it again. */
export default disturbance({
  weight: 1,
  async disturb(service) {
    const server = service.postgresPid()
    const killed = [server, ...listChildren(server)].filter(pid => sendSignal(pid, 'SIGKILL'))
    if (killed.length === 0) return undefined
    return { text: `killed Postgres (${server}) with ${killed.length - 1} backends and helpers`, kills: killed.length }
  },
})
