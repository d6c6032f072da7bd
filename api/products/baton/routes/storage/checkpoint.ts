import { createRoute } from '../../create-route.ts'

export default createRoute({
  at: 'POST /v1/storage/checkpoint',
  preset: 'checkpoint',
  summary: 'Store a text that each write replaces; the latest is kept.',
  keywords: 'key value store, save state, snapshot, remember, latest value, agent memory',
  example: { tier: 'femto', content: '{"step":1}' },
})
