import { createRoute } from '../../batons/create-route.ts'

export default createRoute({
  at: 'POST /v1/storage/checkpoint',
  preset: 'checkpoint',
  summary: 'Store a text that each write replaces; the latest is kept.',
  example: { tier: 'femto', content: '{"step":1}' },
})
