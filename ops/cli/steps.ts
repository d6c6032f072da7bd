import { listSteps, retrySteps } from '../../sql/step/queue.ts'
import { formatTable, parseCount } from './print.ts'
import { type Runs, UsageError } from './verb.ts'

const COLUMNS = ['id', 'step', 'key', 'state', 'attempts', 'runs at', 'last error']

export const runs: Runs = {
  async ''({ db }, _args, { limit }) {
    const steps = await listSteps(db, parseCount('--limit', limit, 50))
    const lines = steps.map(
      ({ id, name, key, state, attempts, max_attempts: most, run_at: runAt, last_error: error }) => {
        return [id, name, key, state, `${attempts} of ${most}`, state === 'dead' ? null : runAt, error?.split('\n')[0]]
      },
    )
    return { data: steps, text: formatTable(COLUMNS, lines) }
  },
  async retry({ db }, [id], { all }) {
    if ((id === undefined) === (all === undefined)) throw new UsageError('Name one step by its id, or give --all.')
    if (id !== undefined && !/^\d{1,18}$/.test(id)) throw new UsageError(`"${id}" is not the id of a step.`)
    const retried = await retrySteps(db, id ?? 'all')
    if (id !== undefined && retried === 0) throw new UsageError(`There is no failing or dead step ${id}.`)
    return { data: { retried }, text: `${retried} due now` }
  },
}
