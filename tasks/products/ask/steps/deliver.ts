import { Type } from 'typebox'
import { Choice, newId, step } from '#kit'
import type { Notifiers } from '../../../../ops/providers/notify/contract.ts'
import type * as callers from '../../../../sql/ask/steps.ts'
import type { StepDeps } from '../../step-deps.ts'

type Deps = StepDeps<typeof callers> & { openNotifiers(): Promise<Notifiers> }
type Delivery = NonNullable<Awaited<ReturnType<Deps['sql']['readDelivery']>>>

export default step({
  summary: 'Send a question to one of those who are asked, or remind them.',
  payload: Type.Object({ id: Type.String({ format: 'uuid' }), occasion: Choice(['asked', 'reminder']) }),
  async run({ id, occasion }, deps: Deps) {
    const delivery = await deps.sql.readDelivery(id)
    if (!delivery) return
    // A step that runs again after a crash has the same key, by which receivers tell that they had it.
    const key = occasion === 'asked' ? `${id} asked` : `${id} ${delivery.remindedAt}`
    if (delivery.kind === 'email') return sendMail(delivery, { key, isReminder: occasion === 'reminder' }, deps)
    try {
      const reason = await send(delivery, { key, occasion }, deps)
      await deps.sql.noteDelivery(id, reason ?? null)
    } catch (error) {
      await deps.sql.noteFailedAttempt(id, error instanceof Error ? error.message : String(error))
      throw error
    }
  },
})

/** Returns why the receiver will never take it, or nothing. */
async function send(
  delivery: Delivery,
  { key, occasion }: { key: string; occasion: string },
  { sql, openNotifiers, unseal, signal }: Deps,
): Promise<string | null | undefined> {
  const { recipient, kind, address, sealedUrl, question, expiresAt, askId, threadId, urgency } = delivery
  const url = unseal(sealedUrl, recipient)
  const { askKind, options, schema, context, proposal } = delivery
  const body = {
    ...{ type: 'bridge.ask', occasion, askId, threadId, recipient: delivery.name, question, kind: askKind, options },
    ...{ schema, context, proposal, urgency, expiresAt, replyUrl: url },
  }
  if (kind === 'channel') return sql.postToChannel(recipient, { id: newId(), body, key })
  const notifier = (await openNotifiers())[kind as keyof Notifiers]
  if (!notifier) return `No ${kind} is configured here any more.`
  const notice = {
    key,
    title: writeTitle(occasion, urgency),
    isQuiet: urgency === 'low',
    text: question,
    url,
    expiresAt,
    body,
  }
  return notifier.send(address, notice, signal)
}

function writeTitle(occasion: string, urgency: string): string {
  const title = occasion === 'reminder' ? 'Reminder: you are asked' : 'You are asked'
  return urgency === 'high' ? `Urgent: ${title.charAt(0).toLowerCase()}${title.slice(1)}` : title
}

async function sendMail(
  delivery: Delivery,
  { key, isReminder }: { key: string; isReminder: boolean },
  { sql, seal, unseal }: Deps,
): Promise<void> {
  const { accountId, recipient, address, name, question, urgency, expiresAt, sealedUrl } = delivery
  const id = newId()
  await sql.queueMail(recipient, {
    ...{ id, accountId, key, recipient: address },
    data: { question, name, isReminder, isUrgent: urgency === 'high', expiresAt },
    sealed: seal(JSON.stringify({ url: unseal(sealedUrl, recipient) }), id),
  })
}
