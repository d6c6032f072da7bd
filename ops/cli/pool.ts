import { isLane, LANES } from '#kit'
import { openSettings, writeSetting } from '../../sql/setting.ts'
import { laneDepths, listWorkers } from '../../sql/worker.ts'
import { countOf, table } from './print.ts'
import { Mistake, type Room, type Verbs } from './verb.ts'

export const verbs: Verbs = {
  list: {
    args: [],
    summary: 'Print each lane: what it is set to, what the workers run, what waits.',
    async run(room) {
      const lanes = await readLanes(room)
      const lines = lanes.map(lane => [
        lane.lane,
        lane.setting || 'automatic',
        lane.workers,
        lane.slots,
        lane.running,
        lane.waiting,
      ])
      return { data: lanes, text: table(['lane', 'set to', 'workers', 'slots', 'running', 'waiting'], lines) }
    },
  },
  set: {
    args: ['<lane>', '<n>'],
    summary: 'Say how many jobs of a lane one worker runs at once; it takes hold without a restart.',
    async run({ db }, [lane, text]) {
      if (!isLane(lane!)) throw new Mistake(`There is no lane ${lane}; there are ${LANES.join(', ')}.`)
      const count = countOf('<n>', text, 0)
      await writeSetting(db, `lane.${lane}.concurrency`, count)
      return { data: { lane, concurrency: count }, text: `${lane} is ${count || 'automatic'}` }
    },
  },
}

async function readLanes({ db }: Room) {
  const [settings, workers, depths] = await Promise.all([openSettings(db), listWorkers(db), laneDepths(db)])
  return LANES.map(lane => {
    const crew = workers.filter(worker => worker.lanes[lane] !== undefined)
    const depth = depths.find(found => found.lane === lane)
    return {
      lane,
      setting: settings.get(`lane.${lane}.concurrency`),
      workers: crew.length,
      slots: crew.reduce((sum, worker) => sum + worker.lanes[lane]!, 0),
      running: Number(depth?.running ?? 0),
      waiting: Number(depth?.waiting ?? 0),
    }
  })
}
