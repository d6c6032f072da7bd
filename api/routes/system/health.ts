import { Type } from 'typebox'
import { Problem } from '#kit'
import { rows } from '../../../sql/db.ts'
import { readLaneDepths } from '../../../sql/lane.ts'
import { route } from '../../route.ts'

const CHECK_TIMEOUT_MS = 2_000

export default route({
  at: 'GET /health',
  summary: 'Check whether the service can accept work: database, queue, object store and workers.',
  keywords: 'is it up, uptime, status page, liveness, ping',
  tool: false,
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
      runCheck(async () => rows(db, 'select 1').then(() => undefined)),
      runCheck(async () => {
        const depths = await readLaneDepths(db)
        return { waiting: depths.reduce((sum, { waiting }) => sum + Number(waiting), 0) }
      }),
      runCheck(() => store.check().then(() => undefined)),
    ])
    const liveWorkers = availability.workers()
    const lanes = [...new Set(liveWorkers.flatMap(worker => Object.keys(worker.lanes)))].sort()
    const checks = {
      database,
      queue,
      store: objects,
      workers: { ok: liveWorkers.length > 0, alive: liveWorkers.length, lanes },
    }
    const isOk = Object.values(checks).every(({ ok }) => ok)
    const report = { status: isOk ? 'ok' : 'degraded', checks }
    const canServe = database.ok && objects.ok
    reply
      .code(canServe ? 200 : 503)
      .type('application/json; charset=utf-8')
      .send(JSON.stringify(canServe ? report : new Problem('BUSY', report).toBody()))
    return undefined
  },
})

/** Every check has a timeout, so that a database that hangs does not block the response. */
async function runCheck(check: () => Promise<object | undefined>): Promise<{ ok: boolean } & Record<string, unknown>> {
  const startedMs = performance.now()
  try {
    const timeout = new Promise<never>((_, reject) =>
      setTimeout(() => reject(new Error('no answer in time')), CHECK_TIMEOUT_MS).unref(),
    )
    const details = await Promise.race([check(), timeout])
    return { ok: true, ...(details ?? {}), ms: Math.round(performance.now() - startedMs) }
  } catch {
    return { ok: false, ms: Math.round(performance.now() - startedMs) }
  }
}
