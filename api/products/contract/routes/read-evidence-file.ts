import { Type } from 'typebox'
import { readEvidenceFile } from '../../../../sql/contract/disputes.ts'
import { sendKeptFile } from '../../../intake/reply/kept-file.ts'
import { route } from '../../../route.ts'
import { findReader } from '../reading.ts'
import { DisputeParams, parseDisputeId, parseEvidenceId, READER_ERRORS } from '../schema.ts'

export default route({
  at: 'GET /v1/contracts/{contract}/disputes/{dispute}/evidence/{evidence}',
  summary: 'Download a file that was handed in as evidence in a dispute.',
  keywords: 'evidence file, attachment of a dispute',
  description: 'For all who can read the contract.',
  auth: ['key', 'wallet', 'none'],
  params: Type.Object({
    ...DisputeParams.properties,
    evidence: Type.String({ maxLength: 20, description: 'The id of the evidence, such as `e1`.' }),
  }),
  reply: { status: 200, contentType: 'application/octet-stream' },
  errors: READER_ERRORS,
  async handle(asked, context) {
    const reader = findReader(context, asked)
    const [id, position] = [parseDisputeId(asked.params.dispute), parseEvidenceId(asked.params.evidence)]
    sendKeptFile(asked.reply, await readEvidenceFile(context.db, reader, id, position))
  },
})
