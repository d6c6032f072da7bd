import { Type } from 'typebox'
import { route } from '../../../route.ts'
import { BatonRef, EntriesReply, listNew, READER_AUTH, readFilter, showEntries, USE_ERRORS } from '../fields/access.ts'
import { identifyVisitor } from '../visitor.ts'

/** Notifications can be lost, and a baton ends without one. */
const LOOK_AGAIN_MS = 5_000

export default route({
  at: 'GET /v1/baton/{id}/tail',
  summary: 'Wait for the next entries of a baton.',
  keywords: 'long poll, follow a log, subscribe, new entries as they come, stream, watch',
  description:
    'Answers as soon as there are entries after `since`, or with none after `wait` seconds. Pass the `seq` of the last entry that you have.',
  auth: READER_AUTH,
  params: BatonRef,
  query: Type.Object({
    since: Type.Integer({ minimum: 0, default: 0 }),
    limit: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
    wait: Type.Integer({ minimum: 0, maximum: 30, default: 20, description: 'Seconds.' }),
  }),
  reply: { status: 200, schema: EntriesReply },
  errors: [...USE_ERRORS, 'PRESET_MISMATCH', 'QUOTA_EXHAUSTED', 'RATE_LIMITED'],

  async handle({ caller, params, query: { since, limit, wait }, request }, context) {
    const by = identifyVisitor(context, { caller, params, request })
    const filter = { ...readFilter({ limit, offset: 0, since: String(since) }), tailSeconds: wait }
    const endsAt = Date.now() + wait * 1_000
    let page = await listNew(context, by, filter)
    if (wait === 0 || page.entries.length > 0) return showEntries(page)
    using tail = context.tails.follow(page.batonId)
    // An entry may have come between the first look and this.
    page = await listNew(context, by, filter)
    while (page.entries.length === 0 && Date.now() < endsAt && !tail.isEnded && !request.raw.destroyed) {
      await tail.next(Math.min(LOOK_AGAIN_MS, endsAt - Date.now()))
      page = await listNew(context, by, filter)
    }
    return showEntries(page)
  },
})
