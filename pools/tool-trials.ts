import { type Lane, mayUse } from '#kit'
import type { HostContext } from './host-context.ts'
import { ToolProbes } from './tool-probes.ts'
import { describeTool, listEngines, type ProbeOutcome, probeEngine, type ToolReport } from './tool-reports.ts'
import type { TOOLS } from './tools/index.ts'

type ToolName = keyof typeof TOOLS

const TRIAL_SECONDS = 10

/** Where tools are tried, each in a folder of its own. */
export interface TrialPlace {
  open(jobId: string): Promise<string>
  close(jobId: string): Promise<void>
  createContext(job: { jobId: string; folder: string; signal: AbortSignal; limitSeconds: number }): HostContext
}

export function watchTools(
  place: TrialPlace,
  onChange: (reports: ToolReport[]) => void,
  watched: readonly ToolName[][],
) {
  const reports = new Map<string, ToolReport>()
  const engines = new Map(watched.map(tools => [tools[0]!, tools]))
  const probes = new ToolProbes([...engines.keys()], {
    probe: engine => tryEngine(place, engine as ToolName),
    onOutcome: (engine, outcome) => {
      for (const tool of engines.get(engine as ToolName)!) reports.set(tool, describeTool(tool, outcome))
      onChange([...reports.values()])
    },
  })
  return { firstRound: probes.firstRound, stop: () => probes.stop() }
}

/** Jobs of the other lanes go to other workers, so what these lack says nothing here. */
export function listEnginesOf(lanes: readonly Lane[]): ToolName[][] {
  return listEngines().filter(tools => tools.some(tool => mayUse(lanes, tool)))
}

export async function tryTools(place: TrialPlace, names?: readonly ToolName[]): Promise<ToolReport[]> {
  let known: ToolReport[] = []
  const watched = listEngines().filter(tools => !names || tools.some(name => names.includes(name)))
  const onChange = (reports: ToolReport[]) => {
    known = reports
  }
  const watch = watchTools(place, onChange, watched)
  await watch.firstRound
  watch.stop()
  return known
}

async function tryEngine(place: TrialPlace, engine: ToolName): Promise<ProbeOutcome> {
  const jobId = `tool-${engine}`
  const { signal } = new AbortController()
  try {
    const folder = await place.open(jobId)
    return await probeEngine(engine, place.createContext({ jobId, folder, signal, limitSeconds: TRIAL_SECONDS }))
  } catch (error) {
    return { kind: 'late', error }
  } finally {
    await place.close(jobId).catch(() => undefined)
  }
}
