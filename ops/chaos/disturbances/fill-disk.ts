import { setTimeout as sleep } from 'node:timers/promises'
import { disturbance } from '../disturbance.ts'

let isFull = false

export default disturbance({
  weight: 1,
  async disturb({ disk }, random) {
    const ms = random.int(500, 4_000)
    if (!disk || isFull) return undefined
    isFull = true
    try {
      // The service writes meanwhile: what is free cannot always be taken.
      await disk.fill().catch(() => undefined)
      await sleep(ms)
    } finally {
      await disk.drain().catch(() => undefined)
      isFull = false
    }
    return { text: `the disk of the data folder was full for ${ms} ms` }
  },
})
