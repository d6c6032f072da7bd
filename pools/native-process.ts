import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { NativeAnswer, NativeCall } from './native-child.ts'
import { confine, environment, nodeFiles, type SandboxLevel } from './sandbox.ts'

const BODY = fileURLToPath(new URL('./native-child.ts', import.meta.url))
const HEAP_MB = 512

export interface NativeEvents {
  ready(): void
  answer(answer: NativeAnswer): void
  end(detail: string): void
}

/** One confined Node process that answers calls. */
export class NativeProcess {
  readonly folder: string
  readonly uid: number
  private readonly child: ChildProcess
  private stderr = ''

  constructor(level: SandboxLevel, folder: string, uid: number, events: NativeEvents) {
    this.folder = folder
    this.uid = uid
    const limits = { fileBytes: 512 * 2 ** 20, processes: 128 }
    const place = { folder, uid, readOnly: [], visible: nodeFiles(), limits }
    const node = ['--disable-warning=ExperimentalWarning', `--max-old-space-size=${HEAP_MB}`, BODY]
    const { file, args, cwd } = confine(level, process.execPath, node, place)
    const env = { ...environment(folder, level), MALLOC_ARENA_MAX: '2', VIPS_WARNING: '1' }
    this.child = spawn(file, args, {
      cwd,
      env,
      detached: true,
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    this.child.unref()
    this.child.channel?.unref()
    this.listen(events)
  }

  private listen(events: NativeEvents): void {
    this.child.stderr!.on('data', (chunk: Buffer) => {
      this.stderr = (this.stderr + chunk).slice(-2000)
    })
    ;(this.child.stderr as unknown as { unref?(): void }).unref?.()
    this.child.on('message', (message: NativeAnswer | { ready: true }) => {
      if ('ready' in message) events.ready()
      else events.answer(message)
    })
    this.child.on('error', error => events.end(error.message))
    this.child.on('exit', (code, signal) => events.end(`${signal ?? `exit code ${code}`} ${this.stderr}`.trim()))
  }

  send(call: NativeCall): void {
    this.child.channel?.ref()
    this.child.send(call)
  }

  rest(): void {
    this.child.channel?.unref()
  }

  kill(): void {
    if (!this.child.pid || this.child.exitCode !== null) return
    try {
      process.kill(-this.child.pid, 'SIGKILL')
    } catch {
      // It ended between the look and the kill.
    }
  }

  /** What the process and all it started hold in memory. Linux only; elsewhere what it last said must do. */
  rssBytes(): number {
    return this.child.pid ? treeRssBytes(this.child.pid) : 0
  }
}

const PAGE_BYTES = 4096

function treeRssBytes(pid: number): number {
  try {
    const own = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * PAGE_BYTES
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
    return children === '' ? own : children.split(' ').reduce((sum, child) => sum + treeRssBytes(Number(child)), own)
  } catch {
    return 0
  }
}
