import { readHandoff } from '../../../../sql/handoff/claims.ts'
import { route } from '../../../route.ts'
import { OWNER_ERRORS, OWNER_READS, parseWireId } from '../../lease/index.ts'
import { Handoff, HandoffId } from '../schema.ts'

export default route({
  at: 'GET /api/handoff/{id}',
  summary: 'Tell whether a handoff of yours was claimed.',
  keywords: 'was the file downloaded, did they take it, state of a handoff, claimed, was my file picked up, collected',
  auth: OWNER_READS,
  params: HandoffId('The id of the handoff.'),
  reply: { status: 200, schema: Handoff },
  errors: ['FORBIDDEN', 'NOT_FOUND', ...OWNER_ERRORS],
  async handle({ caller, params }, { db }) {
    return readHandoff(db, caller.accountId, parseWireId('hof_', params.id), { revokes: false })
  },
})
