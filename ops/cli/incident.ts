import {
  INCIDENT_IMPACTS,
  INCIDENT_STATES,
  listIncidents,
  openIncident,
  updateIncident,
} from '../../sql/status/incidents.ts'
import { formatTable, parseCount, parseId } from './print.ts'
import { type CliContext, type Runs, UsageError } from './verb.ts'

const DAYS = 365
const OPEN_STATES = INCIDENT_STATES.filter(state => state !== 'resolved')
const COLUMNS = ['id', 'impact', 'opened', 'resolved', 'title', 'last update']

export const runs: Runs = {
  async list({ db }, _args, { limit }) {
    const incidents = await listIncidents(db, DAYS, parseCount('--limit', limit, 50))
    const lines = incidents.map(({ id, impact, openedAt, resolvedAt, title, updates: [last] }) => {
      return [id, impact, openedAt, resolvedAt, title, last && `${last.state}: ${last.text}`]
    })
    return { data: incidents, text: formatTable(COLUMNS, lines) }
  },
  async open({ db }, [title, text], { impact = 'degraded', components = '' }) {
    requireOneOf('--impact', impact, INCIDENT_IMPACTS)
    const named = components.split(',').flatMap(word => word.trim() || [])
    const id = await openIncident(db, { title: title!, impact, components: named, text: text! })
    return { data: { id }, text: id }
  },
  update: (context, [id, text], { state = 'identified' }) => {
    requireOneOf('--state', state, OPEN_STATES)
    return addUpdate(context, id!, state, text!)
  },
  resolve: (context, [id, text]) => addUpdate(context, id!, 'resolved', text!),
}

async function addUpdate({ db }: CliContext, id: string, state: string, text: string) {
  await updateIncident(db, parseId('an incident', id), { state, text })
  return { data: { id, state }, text: state }
}

function requireOneOf(flag: string, given: string, known: readonly string[]): void {
  if (!known.includes(given)) throw new UsageError(`${flag} must be one of ${known.join(', ')}, not "${given}".`)
}
