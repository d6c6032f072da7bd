import { createRoute } from '../../create-route.ts'

export default createRoute({
  at: 'POST /v1/storage/scratchpad',
  preset: 'scratchpad',
  summary: 'Create a text log that its owner and token holders append to.',
  keywords: 'shared notes, several agents write, collaboration, shared log, common notebook, blackboard',
  example: { tier: 'femto', content: 'First line' },
})
