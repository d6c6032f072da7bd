import { writeFile } from 'node:fs/promises'
import type { HostContext } from '../../host-context.ts'
import { toParseProblem } from '../poppler/run-reader.ts'

type Engine = typeof import('./engine.ts')

/** The host receives a small result as bytes and a large one as a file in the job's folder. */
export interface EngineOutput {
  bytes?: Uint8Array
  path?: string
}

type EngineArgs<Method extends keyof Engine> = Engine[Method] extends (files: string[], args: infer Args) => unknown
  ? Args
  : never

type EngineResult<Method extends keyof Engine> =
  Awaited<ReturnType<Engine[Method]>> extends infer Result
    ? 'bytes' extends keyof Result
      ? Omit<Result, 'bytes'> & EngineOutput
      : Result
    : never

/** Calls a method of the engine in its child process. */
export function createEngineCall(context: HostContext) {
  return async <Method extends keyof Engine>(
    method: Method,
    files: readonly string[],
    args: EngineArgs<Method>,
  ): Promise<EngineResult<Method>> => {
    try {
      return await context.engines.call<EngineResult<Method>>(context, 'libpdf', method, files, args)
    } catch (error) {
      throw toParseProblem(error, '@libpdf/core')
    }
  }
}

export type EngineCall = ReturnType<typeof createEngineCall>

export async function saveOutput({ bytes, path }: EngineOutput, to: string): Promise<string> {
  if (path !== undefined) return path
  await writeFile(to, bytes!, { flag: 'wx' })
  return to
}
