import { LANES } from '#kit'
import {
  INCIDENT_IMPACTS,
  INCIDENT_STATES,
  listIncidents,
  openIncident,
  updateIncident,
} from '../../sql/status/incidents.ts'
import { explainMissing, formatTable, parseCount, parseId } from './print.ts'
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
    for (const name of named) requireComponent(name)
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
  const incidentId = parseId('an incident', id)
  await updateIncident(db, incidentId, { state, text }).catch(
    explainMissing(`There is no open incident ${incidentId}.`),
  )
  return { data: { id, state }, text: state }
}

/** Of those that some installations do not have, such as a network, any may be named. */
const COMPONENTS = ['api', ...LANES.map(lane => `lane:${lane}`), 'webhooks', 'storage', 'providers']

function requireComponent(name: string): void {
  if (COMPONENTS.includes(name) || /^payments:./.test(name)) return
  throw new UsageError(`There is no component "${name}": they are ${COMPONENTS.join(', ')} and payments:NETWORK.`)
}

function requireOneOf(flag: string, given: string, known: readonly string[]): void {
  if (!known.includes(given)) throw new UsageError(`${flag} must be one of ${known.join(', ')}, not "${given}".`)
}
