import { createRoute } from '../../batons/create-route.ts'

export default createRoute({
  at: 'POST /v1/storage/ledger',
  preset: 'ledger',
  summary: 'Create a text log whose entries are linked by hashes.',
  example: { tier: 'femto', content: 'First entry' },
})
