import { isLane, LANES } from '#kit'
import { readLaneDepths } from '../../sql/lane.ts'
import { openSettings, writeSetting } from '../../sql/setting.ts'
import { listWorkers } from '../../sql/worker.ts'
import { formatTable, parseCount } from './print.ts'
import { type CliContext, type Runs, UsageError } from './verb.ts'

export const runs: Runs = {
  async list(context) {
    const lanes = await readLanes(context)
    const lines = lanes.map(lane => [
      lane.lane,
      lane.setting || 'automatic',
      lane.workers,
      lane.slots,
      lane.running,
      lane.waiting,
    ])
    return { data: lanes, text: formatTable(['lane', 'set to', 'workers', 'slots', 'running', 'waiting'], lines) }
  },
  async set({ db }, [lane, text]) {
    if (!isLane(lane!)) throw new UsageError(`There is no lane ${lane}; there are ${LANES.join(', ')}.`)
    const count = parseCount('<n>', text, 0)
    await writeSetting(db, `lane.${lane}.concurrency`, count)
    return { data: { lane, concurrency: count }, text: `${lane} is ${count || 'automatic'}` }
  },
}

async function readLanes({ db }: CliContext) {
  const [settings, workers, depths] = await Promise.all([openSettings(db), listWorkers(db), readLaneDepths(db)])
  return LANES.map(lane => {
    const laneWorkers = workers.filter(worker => worker.lanes[lane] !== undefined)
    const depth = depths.find(found => found.lane === lane)
    return {
      lane,
      setting: settings.get(`lane.${lane}.concurrency`),
      workers: laneWorkers.length,
      slots: laneWorkers.reduce((sum, worker) => sum + worker.lanes[lane]!, 0),
      running: Number(depth?.running ?? 0),
      waiting: Number(depth?.waiting ?? 0),
    }
  })
}
