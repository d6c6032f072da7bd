import { Type } from 'typebox'
import { step } from '#kit'
import type * as callers from '../../../../sql/notification/steps.ts'
import type { StepDeps } from '../../step-deps.ts'
import { renderMessage } from '../render.ts'

export default step({
  summary: 'Send a message of the outbox by mail.',
  payload: Type.Object({ id: Type.String({ format: 'uuid' }) }),
  async run({ id }, { sql, mail, publicUrl, unseal }: StepDeps<typeof callers>) {
    const waiting = await sql.readWaiting(id)
    if (!waiting) return
    const { recipient, sealed } = waiting
    if (!mail.isSending || recipient === null) return sql.settle(id, 'kept', null)
    const secrets = sealed === null ? {} : (JSON.parse(unseal(sealed, id)) as object)
    try {
      const message = renderMessage(waiting, secrets, publicUrl)
      const messageId = `${id}@${new URL(publicUrl).hostname}`
      const refusal = await mail.send({ to: recipient, ...message, messageId })
      await sql.settle(id, refusal === undefined ? 'sent' : 'refused', refusal ?? null)
    } catch (error) {
      await sql.noteFailure(id, error instanceof Error ? error.message : String(error))
      throw error
    }
  },
})
