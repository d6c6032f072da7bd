import { Type } from 'typebox'
import { rows } from '../../../sql/db.ts'
import { laneDepths } from '../../../sql/worker.ts'
import { route } from '../../route.ts'

const LOOK_MS = 2_000

export default route({
  at: 'GET /health',
  summary: 'Whether the service can take work: database, queue, object store and workers.',
  auth: ['none'],
  reply: {
    status: 200,
    schema: Type.Object({
      status: Type.Union([Type.Literal('ok'), Type.Literal('degraded')]),
      checks: Type.Record(Type.String(), Type.Object({ ok: Type.Boolean() })),
    }),
  },
  errors: ['BUSY'],
  async handle({ reply }, { db, store, availability }) {
    const [database, queue, objects] = await Promise.all([
      look(async () => rows(db, 'select 1').then(() => undefined)),
      look(async () => {
        const depths = await laneDepths(db)
        return { waiting: depths.reduce((sum, { waiting }) => sum + Number(waiting), 0) }
      }),
      look(() => store.check().then(() => undefined)),
    ])
    const alive = availability.workers()
    const lanes = [...new Set(alive.flatMap(worker => Object.keys(worker.lanes)))].sort()
    const checks = { database, queue, store: objects, workers: { ok: alive.length > 0, alive: alive.length, lanes } }
    const isOk = Object.values(checks).every(({ ok }) => ok)
    reply.code(database.ok && objects.ok ? 200 : 503)
    await reply
      .type('application/json; charset=utf-8')
      .send(JSON.stringify({ status: isOk ? 'ok' : 'degraded', checks }))
    return undefined
  },
})

/** One check, with an end: a database that hangs must not hang the answer. */
async function look(check: () => Promise<object | undefined>): Promise<{ ok: boolean } & Record<string, unknown>> {
  const begun = performance.now()
  try {
    const late = new Promise<never>((_, reject) =>
      setTimeout(() => reject(new Error('no answer in time')), LOOK_MS).unref(),
    )
    const facts = await Promise.race([check(), late])
    return { ok: true, ...(facts ?? {}), ms: Math.round(performance.now() - begun) }
  } catch {
    return { ok: false, ms: Math.round(performance.now() - begun) }
  }
}
