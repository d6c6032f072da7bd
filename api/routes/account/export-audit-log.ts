import { Readable } from 'node:stream'
import type { Db } from '../../../sql/db.ts'
import { type AuditEntry, type AuditSubject, listAuditEntries } from '../../../sql/product/audit.ts'
import { route } from '../../route.ts'
import { readSubject, SubjectPath } from './schema.ts'

const ENTRIES_AT_ONCE = 500

export default route({
  at: 'GET /v1/audit/{kind}/{id}/export',
  summary: 'Export the whole log of something you own, one JSON object a line, oldest entry first.',
  keywords: 'download an audit trail, export an audit log',
  description: 'Each line is an entry as `GET /v1/audit/{kind}/{id}` has it, which says how a log is checked.',
  auth: ['key', 'wallet'],
  params: SubjectPath,
  reply: { status: 200, contentType: 'application/x-ndjson' },
  errors: ['NOT_FOUND', 'INVALID_PARAM', 'MISSING_AUTH', 'UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'],
  async handle({ caller, params, request, reply }, { readDb: db }) {
    const subject = readSubject(caller.accountId, params)
    const first = await listAuditEntries(db, subject, 0, ENTRIES_AT_ONCE)
    reply.headers({
      'content-type': 'application/x-ndjson; charset=utf-8',
      'content-disposition': `attachment; filename="audit-${subject.kind}-${subject.id}.ndjson"`,
    })
    if (request.method === 'HEAD') reply.send()
    else reply.send(Readable.from(writeLines(db, subject, first)))
  },
})

/** Reads on from where the last portion ended, so that a long log needs little memory. */
async function* writeLines(db: Db, subject: AuditSubject, first: AuditEntry[]): AsyncGenerator<string> {
  for (let entries = first; entries.length > 0; ) {
    yield entries.map(entry => `${JSON.stringify(entry)}\n`).join('')
    entries = await listAuditEntries(db, subject, entries.at(-1)!.seq, ENTRIES_AT_ONCE)
  }
}
