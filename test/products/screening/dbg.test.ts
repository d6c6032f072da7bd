import { test } from 'vitest'
import { startStack } from '../../support/stack/start.ts'
test('x', async () => {
  await using stack = await startStack({ worker: false })
  const w = await stack.startWorker({})
  const customer = await stack.customer(50_000_000n)
  const s = await customer.post('/v1/screening/match', { name: 'Zorblatt Quexington', allowSample: true })
  const a = await customer.post('/v1/screening/report', { screeningId: s.body.screeningId }, { prefer: 'wait=60' })
  console.log('LINE', JSON.stringify([s.body.code, a.body]).slice(0, 500))
  const { writeFileSync } = await import('node:fs'); writeFileSync('/tmp/w.log', w.log()); writeFileSync('/tmp/a.log', stack.api.log())
  const errs = (l: string) => l.split('\n').filter(x => !/"level":"info"/.test(x)).join('\n').slice(0, 3000)
  console.log('WORKER', JSON.stringify(errs(w.log())))
}, 170000)
