import { readFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ROOT } from './files.ts'

/** The files of a call, each with those of its functions that ran and that other files of the walk call. */
export type Walk = ReadonlyMap<string, ReadonlySet<string>>

/** How often a call is made, so that what timers do meanwhile is not taken for a part of it. */
const TRIES = 15
const FOLDERS = /^(api|sql|workers)\//

/** The files of api, sql and workers through which a call goes. */
export async function recordWalk(call: () => Promise<unknown>): Promise<Walk> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  const walks: Walk[] = []
  try {
    for (let tried = 0; tried < TRIES; tried++) {
      await session.post('Profiler.takePreciseCoverage')
      await call()
      walks.push(await readWalk(session))
    }
  } finally {
    session.disconnect()
  }
  return intersect(walks)
}

async function readWalk(session: Session): Promise<Walk> {
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const walk = new Map<string, ReadonlySet<string>>()
  for (const { url, functions } of result) {
    const path = relative(ROOT, url.startsWith('file:') ? fileURLToPath(url) : url)
    if (!FOLDERS.test(path)) continue
    const ran = functions.filter(({ ranges }) => ranges[0]!.count > 0)
    if (ran.length > 0) walk.set(path, new Set(ran.map(({ functionName }) => functionName)))
  }
  return walk
}

/** What ran each time, and of the functions those that another file of the walk names. */
function intersect([first = new Map(), ...others]: readonly Walk[]): Walk {
  const paths = [...first.keys()].filter(path => others.every(walk => walk.has(path)))
  const sources = new Map(paths.map(path => [path, readFileSync(`${ROOT}/${path}`, 'utf8')]))
  return new Map(
    paths.map(path => {
      const isUsed = (name: string) =>
        paths.some(other => other !== path && new RegExp(`\\b${name}\\(`).test(sources.get(other)!))
      const names = [...first.get(path)!].filter(name => /^\w+$/.test(name) && isUsed(name))
      return [path, new Set(names.filter(name => others.every(walk => walk.get(path)!.has(name))))]
    }),
  )
}
