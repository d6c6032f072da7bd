import { Type } from 'typebox'
import { cleanName, ID_PREFIX, isApiKey, keyPrefix } from '#kit'
import { hashApiKey } from '../../../../ops/secrets.ts'
import { type LeakedKey, reportKeys } from '../../../../sql/security/reports.ts'
import type { ApiContext } from '../../../context.ts'
import { requireAddressRate } from '../../../intake/identity/rate-limit.ts'
import { route } from '../../../route.ts'

const MAX_REPORTS = 100
const MAX_PLACE_CHARS = 500
const PREFIX = new RegExp(`^${ID_PREFIX}_(live|test)_[0-9a-f]{8}`)

const Report = Type.Object(
  {
    token: Type.String({ minLength: 1, maxLength: 500, description: 'The key as it was found.' }),
    url: Type.Optional(Type.String({ maxLength: 2_000, description: 'Where it was found; its owner is told.' })),
    type: Type.Optional(Type.String({ maxLength: 200 })),
    source: Type.Optional(Type.String({ maxLength: 200 })),
  },
  { additionalProperties: true },
)

export default route({
  at: 'POST /v1/security/report-key',
  summary:
    'Report API keys of this service that you have found, for example in a public repository: each is revoked at once.',
  keywords: 'leaked key, exposed credential, secret scanning, revoke a key that I found, compromised key',
  description: `Anyone can report, without credentials. A whole key is revoked and its owner is told by mail and by the event \`account.key_revoked\`; of a key that is cut off only the owner is told, and it still works. The answer is the same for every text, also for one that is no key. Keys match \`${ID_PREFIX}_(live|test)_[0-9a-f]{32}\`. An array of reports, as secret scanners send it, is taken too.`,
  auth: ['none'],
  arrayField: 'reports',
  body: Type.Object(
    { reports: Type.Array(Report, { minItems: 1, maxItems: MAX_REPORTS }) },
    { additionalProperties: false },
  ),
  reply: { status: 202, schema: Type.Object({ status: Type.Literal('received') }) },
  errors: ['INVALID_PARAM', 'MISSING_FIELD', 'UNKNOWN_FIELD', 'EMPTY_BODY', 'RATE_LIMITED'],
  examples: [
    {
      title: 'A key in a public file',
      input: {
        reports: [{ token: `${ID_PREFIX}_live_${'0'.repeat(32)}`, url: 'https://example.com/notes.txt' }],
      },
    },
  ],
  async handle({ body: { reports }, request: { ip }, reply }, context) {
    const perAddress = context.settings.get('rate.key_reports_per_minute')
    requireAddressRate(context, { kind: 'key-report', ip, perAddress })
    const leaked = reports.flatMap(report => readReport(context, report))
    if (leaked.length > 0 && (await reportKeys(context.db, leaked)) > 0) {
      context.keys.forget()
      context.log.warn({ ip }, 'leaked keys were reported and revoked')
    }
    reply.code(202)
    return { status: 'received' }
  },
})

function readReport({ config }: ApiContext, { token, url }: { token: string; url?: string }): LeakedKey[] {
  const text = token.trim()
  if (!PREFIX.test(text)) return []
  const hash = isApiKey(text) ? hashApiKey(config.secret, text) : undefined
  return [{ hash, prefix: keyPrefix(text), foundAt: cleanName(url ?? '', MAX_PLACE_CHARS) || undefined }]
}
