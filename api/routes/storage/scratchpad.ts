import { createRoute } from '../../batons/create-route.ts'

export default createRoute({
  at: 'POST /v1/storage/scratchpad',
  preset: 'scratchpad',
  summary: 'Create a text log that its owner and token holders append to.',
  example: { tier: 'femto', content: 'First line' },
})
