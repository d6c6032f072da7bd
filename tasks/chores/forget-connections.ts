import { chore } from '#kit'
import type { ChoreDeps } from './deps.ts'

export default chore<ChoreDeps>({
  summary: 'Delete expired codes and tokens of connectors, and clients that nobody has approved.',
  every: '*/10 * * * *',
  async run({ connectors, log }) {
    let forgotten = 0
    for (let batch = 1; batch > 0; ) {
      batch = await connectors.forgetExpired()
      forgotten += batch
    }
    if (forgotten > 0) log({ forgotten }, 'expired tokens of connectors deleted')
  },
})
