import { readHandoff } from '../../../../sql/handoff/claims.ts'
import { route } from '../../../route.ts'
import { OWNER_AUTH, OWNER_ERRORS, parseWireId } from '../../lease/index.ts'
import { Handoff, HandoffId } from '../schema.ts'

export default route({
  at: 'DELETE /api/handoff/{id}',
  summary: 'Revoke a handoff that was not claimed as often as it may be.',
  keywords: 'take back a link, cancel a handoff, stop sharing a file',
  auth: OWNER_AUTH,
  params: HandoffId('The id of the handoff.'),
  reply: { status: 200, schema: Handoff },
  errors: ['FORBIDDEN', 'NOT_FOUND', 'ALREADY_CLAIMED', ...OWNER_ERRORS],
  async handle({ caller, params }, { db }) {
    return readHandoff(db, caller.accountId, parseWireId('hof_', params.id), { revokes: true })
  },
})
