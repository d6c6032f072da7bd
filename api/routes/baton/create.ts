import { createRoute } from '../../batons/create-route.ts'

export default createRoute({
  at: 'POST /v1/baton',
  summary: 'Create a baton: prepaid storage with quotas, an end, and tokens to share it.',
  example: { preset: 'drop', tier: 'femto', content: 'Hello' },
})
