import { createRoute } from '../../create-route.ts'

export default createRoute({
  at: 'POST /v1/storage/ledger',
  preset: 'ledger',
  summary: 'Create a text log whose entries are linked by hashes.',
  keywords:
    'log nobody can change, tamper-evident log, tamper-proof, immutable audit trail, append-only, hash chain, audit log, chained entries',
  example: { tier: 'femto', content: 'First entry' },
})
