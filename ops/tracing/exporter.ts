import { setTimeout as sleep } from 'node:timers/promises'
import type { TraceContext } from './context.ts'
import { encodeSpans, type Resource } from './otlp.ts'
import { createSampler } from './sampler.ts'
import type { TracingConfig } from './settings.ts'
import type { Recorder, Span } from './trace.ts'

/** What waits beyond this is dropped, so that a collector that is away costs no more than this memory. */
const MAX_WAITING = 8_192
const BATCH_SPANS = 1_024
const DELAY_MS = 1_000
const TIMEOUT_MS = 10_000
const MAX_TRIES = 4
const FIRST_PAUSE_MS = 500
const MAX_PAUSE_MS = 30_000
const CLOSE_WITHIN_MS = 2_000
/** With these the protocol asks to send the same again. */
const PASSING_STATUSES = [429, 502, 503, 504]

/** Spans by what became of them. */
interface ExportCounts {
  sent: number
  /** The queue was full. */
  dropped: number
  /** The collector refused them, or could not be reached. */
  failed: number
}

interface ExporterLog {
  warn(facts: object, text: string): void
}

/** Sends spans to a collector in the background. Nothing that is traced ever waits for it. */
export class SpanExporter implements Recorder {
  readonly counts: ExportCounts = { sent: 0, dropped: 0, failed: 0 }
  readonly shouldSample: (traceId: string, parent: TraceContext | undefined) => boolean
  readonly #config: TracingConfig
  readonly #resource: Resource
  readonly #log: ExporterLog
  /** Ends pauses when this closes, and then what is being sent. */
  readonly #closing = new AbortController()
  readonly #closed = new AbortController()
  #waiting: Span[] = []
  #timer: NodeJS.Timeout | undefined
  #sending: Promise<void> | undefined
  #failures = 0

  constructor(config: TracingConfig, resource: Resource, log: ExporterLog) {
    this.#config = config
    this.#resource = resource
    this.#log = log
    this.shouldSample = createSampler(config.sampler)
  }

  get waiting(): number {
    return this.#waiting.length
  }

  record(span: Span): void {
    if (this.#waiting.length >= MAX_WAITING || this.#closed.signal.aborted) {
      this.counts.dropped += 1
      return
    }
    this.#waiting.push(span)
    if (this.#sending === undefined && this.#waiting.length >= BATCH_SPANS && this.#failures === 0) this.#send()
    else this.#timer ??= setTimeout(() => this.#onTimer(), this.#pauseMs()).unref()
  }

  /** Sends what waits, for a moment at most. */
  async close(): Promise<void> {
    clearTimeout(this.#timer)
    this.#closing.abort()
    const deadline = setTimeout(() => this.#closed.abort(), CLOSE_WITHIN_MS)
    await this.#sending
    while (this.#waiting.length > 0 && this.#failures === 0 && !this.#closed.signal.aborted) {
      this.#send()
      await this.#sending
    }
    clearTimeout(deadline)
    this.#closed.abort()
  }

  #onTimer(): void {
    this.#timer = undefined
    if (this.#sending === undefined && this.#waiting.length > 0) this.#send()
  }

  #pauseMs(): number {
    return this.#failures === 0 ? DELAY_MS : Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures)
  }

  #send(): void {
    const batch = this.#waiting.splice(0, BATCH_SPANS)
    this.#sending = this.#sendBatch(batch).finally(() => {
      this.#sending = undefined
      if (this.#waiting.length >= BATCH_SPANS && this.#failures === 0) setImmediate(() => this.#sendIfIdle())
      else if (this.#waiting.length > 0) this.#timer ??= setTimeout(() => this.#onTimer(), this.#pauseMs()).unref()
    })
  }

  #sendIfIdle(): void {
    if (this.#sending === undefined && this.#waiting.length > 0) this.#send()
  }

  async #sendBatch(batch: readonly Span[]): Promise<void> {
    const body = encodeSpans(batch, this.#resource)
    for (let tries = 1; ; tries++) {
      const end = await this.#post(body)
      if (end.isSent) {
        this.counts.sent += batch.length - end.rejected
        this.counts.failed += end.rejected
        this.#failures = 0
        return
      }
      this.#noteFailure(end.reason)
      if (!end.mayPass || tries === MAX_TRIES || this.#closing.signal.aborted) {
        this.counts.failed += batch.length
        return
      }
      await sleep(this.#pauseMs(), undefined, { signal: this.#closing.signal, ref: false }).catch(() => undefined)
    }
  }

  /** Told once until it works again: the log is no place for every batch. */
  #noteFailure(reason: string): void {
    this.#failures += 1
    if (this.#failures === 1)
      this.#log.warn({ reason }, 'traces cannot be sent; they are tried again and dropped in the end')
  }

  async #post(
    body: string,
  ): Promise<{ isSent: true; rejected: number } | { isSent: false; mayPass: boolean; reason: string }> {
    const { endpoint, headers } = this.#config
    try {
      const response = await fetch(endpoint, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'user-agent': 'coinop', ...headers },
        body,
        redirect: 'manual',
        signal: AbortSignal.any([this.#closed.signal, AbortSignal.timeout(TIMEOUT_MS)]),
      })
      const text = await readStart(response)
      if (response.ok) return { isSent: true, rejected: readRejected(text) }
      return { isSent: false, mayPass: PASSING_STATUSES.includes(response.status), reason: `status ${response.status}` }
    } catch (error) {
      const { name, cause } = error as Error
      return { isSent: false, mayPass: true, reason: String((cause as { code?: unknown } | undefined)?.code ?? name) }
    }
  }
}

const MAX_ANSWER_BYTES = 64 * 1_024

async function readStart(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let sizeBytes = 0
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk)
    sizeBytes += chunk.length
    if (sizeBytes > MAX_ANSWER_BYTES) break
  }
  return Buffer.concat(chunks).toString()
}

/** A collector may take a batch in part. */
function readRejected(text: string): number {
  try {
    const { partialSuccess } = JSON.parse(text) as { partialSuccess?: { rejectedSpans?: string | number } }
    return Number(partialSuccess?.rejectedSpans ?? 0) || 0
  } catch {
    return 0
  }
}
