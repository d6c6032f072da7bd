import { Type } from 'typebox'
import { INCIDENT_IMPACTS, INCIDENT_STATES } from '../../../sql/status/incidents.ts'
import { route } from '../../route.ts'
import { DAYS } from '../../status/board.ts'

const State = Type.Enum(['operational', 'degraded', 'down'])
const Share = Type.Union([Type.Number({ minimum: 0, maximum: 1 }), Type.Null()])

const Component = Type.Object({
  id: Type.String({ description: '`api`, `lane:thread`, `webhooks`, `payments:base`.' }),
  title: Type.String(),
  state: State,
  availability: Share,
  days: Type.Array(Type.Object({ day: Type.String(), availability: Share }), {
    description: `The last ${DAYS} days in UTC, oldest first; null is a day without measurements.`,
  }),
})

const Incident = Type.Object({
  id: Type.String(),
  title: Type.String(),
  impact: Type.Enum([...INCIDENT_IMPACTS]),
  components: Type.Array(Type.String(), { description: 'An empty list is the whole service.' }),
  openedAt: Type.String(),
  updatedAt: Type.String(),
  resolvedAt: Type.Union([Type.String(), Type.Null()]),
  updates: Type.Array(Type.Object({ state: Type.Enum([...INCIDENT_STATES]), text: Type.String(), at: Type.String() })),
})

export default route({
  at: 'GET /v1/status',
  summary: 'Read what works now, what does not, incidents, and how available each component was on the last 90 days.',
  keywords: 'uptime, outage, incident, is it down, availability, degraded, status page',
  description:
    'Availability is measured from outside, once a minute. While the database cannot be reached, `isCurrent` is false and the rest is as it was at `readAt`.',
  tool: false,
  auth: ['none'],
  reply: {
    status: 200,
    schema: Type.Object({
      state: State,
      isCurrent: Type.Boolean(),
      readAt: Type.String(),
      ageSeconds: Type.Integer({ minimum: 0 }),
      components: Type.Array(Component),
      incidents: Type.Array(Incident),
    }),
  },
  errors: [],
  async handle({ reply }, { status }) {
    reply.header('cache-control', 'public, max-age=5').header('access-control-allow-origin', '*')
    const report = await status.read()
    return { ...report, ageSeconds: Math.max(0, Math.floor((Date.now() - Date.parse(report.readAt)) / 1_000)) }
  },
})
