import { createRoute } from '../../create-route.ts'

export default createRoute({
  at: 'POST /v1/storage/scratchpad',
  preset: 'scratchpad',
  summary: 'Create a text log that its owner and token holders append to.',
  keywords:
    'shared notes, several agents write, collaboration, shared log, common notebook, blackboard, keep a log, make a log to which lines are added, log lines',
  example: { tier: 'femto', content: 'First line' },
})
