import { openProviderClient } from '../http/client.ts'
import type { IdentityProvider, NewIdentitySession, ProvidedResult } from './contract.ts'
import { parseMessage, readHeader, requireSigned } from './messages.ts'
import { findDocument, findReasons, findSimilarity, listReports, type Report } from './onfido-reports.ts'
import type { IdentityConfig } from './settings.ts'
import { tolerate } from './values.ts'

interface Run {
  id: string
  applicant_id: string
  status: string
  /** What the operator has chosen for the workflow, such as its reports. */
  output?: unknown
  link?: { url?: string } | null
  tags?: string[] | null
}

interface Task {
  id: string
  task_def_id: string
}

/** A run in error comes to no end, so that it is given up and paid back. */
const STATES: Record<string, ProvidedResult['state']> = {
  ...{ awaiting_input: 'open', processing: 'processing', awaiting_client_input: 'processing', error: 'processing' },
  ...{ approved: 'approved', declined: 'declined', review: 'review', abandoned: 'expired' },
}
const ENDED: readonly ProvidedResult['state'][] = ['approved', 'declined', 'review']
const GONE = [404, 410]
const LANGUAGES: Record<string, string> = { en: 'en_US', de: 'de_DE', fr: 'fr_FR', es: 'es_ES' }
/** Not allowed in a name. */
const REFUSED_IN_NAMES = /[!#$%*=<>;{}"]/g
/** Names are required of an applicant; whether they are compared is up to the workflow. */
const NO_NAME = 'anon'

/** Onfido, now of Entrust: a run of a workflow of its Studio, which also says how often an image is taken again. */
export function openOnfido(config: IdentityConfig): IdentityProvider {
  const { findRun, startRun, readRun, readReports, removeApplicant } = openRuns(config)
  return {
    name: 'onfido',
    types: ['document', 'biometric'],
    async begin(session, signal) {
      const tag = `idverify-${session.id}`
      const { id, link } = (await findRun(tag, signal)) ?? (await startRun(session, tag, signal))
      return { reference: id, url: link!.url! }
    },
    async read(reference, signal) {
      const run = (await readRun(reference, signal))!
      const state = STATES[run.status] ?? 'processing'
      return describe(state, ENDED.includes(state) ? await readReports(run, signal) : [])
    },
    async cancel(reference, signal) {
      const run = await readRun(reference, signal, GONE)
      // A run has no end of its own but that of its applicant.
      if (run && !ENDED.includes(STATES[run.status] ?? 'processing')) await removeApplicant(run.applicant_id, signal)
    },
    async erase(reference, signal) {
      const run = await readRun(reference, signal, GONE)
      if (run) await removeApplicant(run.applicant_id, signal)
    },
    readMessage(body, given) {
      requireSigned(config.webhookSecret, body, [readHeader(given, 'x-sha2-signature')])
      const { payload } = parseMessage(body) as { payload?: Message }
      const { resource_type: kind, object, resource } = payload ?? {}
      if (kind === 'workflow_run') return object?.id ?? resource?.id
      return kind === 'workflow_task' ? (object?.workflow_run_id ?? resource?.workflow_run_id) : undefined
    },
  }
}

/** What is asked of Onfido about runs and their applicants. */
function openRuns({ key, workflow, url = 'https://api.eu.onfido.com' }: IdentityConfig) {
  const headers = { authorization: `Token token=${key}` }
  const call = openProviderClient({ provider: 'onfido', baseUrl: `${url.replace(/\/+$/, '')}/v3.6`, headers })
  const at = (reference: string, verb = '') => `/workflow_runs/${encodeURIComponent(reference)}${verb}`

  async function get(path: string, signal: AbortSignal, expected: readonly number[] = []): Promise<unknown> {
    return tolerate('onfido', call({ path, signal, isRepeatable: true }), expected)
  }

  /** Runs cannot be begun under a key, so one that was begun by a call whose answer was lost is found by its tag. */
  async function findRun(tag: string, signal: AbortSignal): Promise<Run | undefined> {
    const runs = (await get(`/workflow_runs?tags=${tag}&status=awaiting_input`, signal)) as Run[]
    return runs.find(({ tags, link }) => tags?.includes(tag) && link?.url)
  }

  async function startRun(session: NewIdentitySession, tag: string, signal: AbortSignal): Promise<Run> {
    const created = call({ path: '/applicants', json: writeApplicant(session), signal })
    const { id: applicant } = (await tolerate('onfido', created)) as { id: string }
    try {
      const json = { ...writeRun(session, tag), applicant_id: applicant, workflow_id: workflow }
      return (await tolerate('onfido', call({ path: '/workflow_runs', json, signal }))) as Run
    } catch (error) {
      const found = await findRun(tag, signal).catch(() => undefined)
      if (found) return found
      // Nothing here would know of the applicant any more.
      await removeApplicant(applicant, signal).catch(() => undefined)
      throw error
    }
  }

  async function removeApplicant(id: string, signal: AbortSignal): Promise<void> {
    const path = `/applicants/${encodeURIComponent(id)}`
    await tolerate('onfido', call({ method: 'DELETE', path, signal }), GONE)
  }

  /** The reports of a run: in its output if the workflow puts them there, else those of its tasks. */
  async function readReports({ id, output }: Run, signal: AbortSignal): Promise<Report[]> {
    const given = listReports(output)
    if (findDocument(given)) return given
    const tasks = (await get(at(id, '/tasks'), signal)) as Task[]
    const last = new Map(tasks.map(task => [task.task_def_id, task.id]))
    const reports: Report[] = []
    for (const [kind, task] of last) {
      if (!kind.includes('check')) continue
      const { output: found } = (await get(at(id, `/tasks/${encodeURIComponent(task)}`), signal)) as {
        output?: unknown
      }
      reports.push(...listReports(found))
    }
    return reports.length > 0 ? reports : given
  }

  /** Undefined, if that is expected: the run is gone. */
  async function readRun(reference: string, signal: AbortSignal, expected: readonly number[] = []) {
    return (await get(at(reference), signal, expected)) as Run | undefined
  }

  return { findRun, startRun, readRun, readReports, removeApplicant }
}

interface Message {
  resource_type?: string
  object?: { id?: string; workflow_run_id?: string }
  resource?: { id?: string; workflow_run_id?: string }
}

function writeApplicant({ subject }: NewIdentitySession): object {
  const name = (text = '') => text.replaceAll(REFUSED_IN_NAMES, '').trim() || NO_NAME
  const { firstName, lastName, dob } = subject ?? {}
  return { first_name: name(firstName), last_name: name(lastName), ...(dob && { dob }) }
}

function writeRun({ id, locale, returnUrl }: NewIdentitySession, tag: string): object {
  const language = LANGUAGES[locale]
  const link = {
    ...{ completed_redirect_url: returnUrl, expired_redirect_url: returnUrl },
    ...(language && { language }),
  }
  return { customer_user_id: id, tags: [tag], link }
}

/** What is declined for no reason that is known here is left to a person. */
function describe(state: ProvidedResult['state'], reports: readonly Report[]): ProvidedResult {
  const reasonCodes = state === 'approved' ? [] : findReasons(reports)
  return {
    state: state === 'declined' && reasonCodes.length === 0 ? 'review' : state,
    ...{ attempt: null, reasonCodes },
    ...{ document: findDocument(reports), similarity: findSimilarity(reports) },
  }
}
