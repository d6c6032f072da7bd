import { join } from 'node:path'
import { newId } from '#kit'
import { Folders } from './folders.ts'
import type { JobContext } from './job-context.ts'
import { NativeEngines } from './native/engines.ts'
import { LauncherClient } from './programs/launcher-client.ts'
import { findSandboxLevel, type PoolLog } from './programs/sandbox-level.ts'
import type { Embedded } from './tools/embedding/engine.ts'
import type { TextModel } from './tools/embedding/model.ts'

interface EmbedderOptions {
  workRoot: string
  sandbox: 'auto' | 'off'
  production: boolean
  log: PoolLog
  model: TextModel
}

/** One model of texts in a confined process, which is killed when a call takes too long. */
export interface EmbedderProcess {
  /** Loads the model and tries it; throws ModelFault. */
  check(limitSeconds: number): Promise<{ dimensions: number }>
  embed(texts: readonly string[], limits: { limitSeconds: number; signal: AbortSignal }): Promise<Embedded>
  close(): Promise<void>
}

const ENGINE = 'embedding'

export async function openEmbedderProcess({ model, ...options }: EmbedderOptions): Promise<EmbedderProcess> {
  const folders = new Folders(options.workRoot)
  await folders.prepare()
  const launcher = new LauncherClient()
  const level = await findSandboxLevel(options, folders, launcher)
  const codeFolder = join(options.workRoot, '..', 'compile-cache')
  const engines = new NativeEngines(level, folders, 1, { codeFolder, visible: { [ENGINE]: [model.folder] } })

  async function call<Value>(
    method: string,
    args: object,
    limits: { limitSeconds: number; signal: AbortSignal },
  ): Promise<Value> {
    const jobId = newId()
    const folder = await folders.open(jobId)
    const context: JobContext = {
      ...{ jobId, folder, ...limits },
      deadlineMs: performance.now() + limits.limitSeconds * 1000,
      out: name => join(folder, name),
    }
    try {
      return await engines.call<Value>(context, ENGINE, method, [], { ...model, ...args })
    } finally {
      await folders.close(jobId)
    }
  }

  return {
    check: limitSeconds => call('check', {}, { limitSeconds, signal: new AbortController().signal }),
    embed: (texts, limits) => call('embed', { texts }, limits),
    async close() {
      engines.close()
      launcher.close()
      await folders.clear()
    },
  }
}
