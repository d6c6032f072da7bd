import { createRoute } from '../create-route.ts'

export default createRoute({
  at: 'POST /v1/baton',
  summary: 'Create a baton: prepaid storage with quotas, an end, and tokens to share it.',
  keywords: 'share data with another agent, shared memory, store for agents, prepaid storage of any shape',
  example: { preset: 'drop', tier: 'femto', content: 'Hello' },
})
