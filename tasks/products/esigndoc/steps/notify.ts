import { Type } from 'typebox'
import { Choice, newId, step } from '#kit'
import type * as callers from '../../../../sql/esigndoc/steps.ts'
import type { StepDeps } from '../../step-deps.ts'
import { formatMoment } from '../dates.ts'
import { toLanguage } from '../terms.ts'

type Deps = StepDeps<typeof callers> & { writeLink(recipientId: string, nonce: string): string }
type Notice = NonNullable<Awaited<ReturnType<Deps['sql']['readNotice']>>>

const OCCASIONS = ['asked', 'reminder', 'completed', 'rejected', 'cancelled'] as const

export default step({
  summary: 'Write to a recipient of an envelope: what is asked of them, or what came of it.',
  payload: Type.Object({
    recipient: Type.String({ format: 'uuid' }),
    occasion: Choice(OCCASIONS),
    key: Type.Optional(Type.String()),
  }),
  async run({ recipient, occasion, key = occasion }, deps: Deps) {
    const notice = await deps.sql.readNotice(recipient, occasion)
    if (!notice) return
    const id = newId()
    const url = deps.writeLink(recipient, notice.linkNonce)
    await deps.sql.queueMail(recipient, {
      ...{ id, accountId: notice.accountId, email: notice.email, key: `${recipient} ${occasion} ${key}` },
      ...(occasion === 'asked' || occasion === 'reminder'
        ? { name: 'esigndoc.request', data: describeRequest(notice, occasion === 'reminder') }
        : { name: 'esigndoc.ended', data: describeEnd(notice, occasion) }),
      sealed: deps.seal(JSON.stringify({ url }), id),
    })
  },
})

function describe({ envelopeId, language, name, sender, title }: Notice) {
  return { envelopeId, language: toLanguage(language), name, sender, title }
}

function describeRequest(notice: Notice, isReminder: boolean): object {
  const { role, subject, message, expiresAt, timezone } = notice
  const until = `${formatMoment(expiresAt, timezone)} (${timezone})`
  return { ...describe(notice), role, isReminder, subject, message, expiresAt: until }
}

function describeEnd(notice: Notice, outcome: string): object {
  return { ...describe(notice), outcome, reason: outcome === 'rejected' ? notice.reason : null }
}
