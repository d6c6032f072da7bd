import { newId } from '#kit'
import { pause } from '../../../sql/connection.ts'
import { cancelJob, readJob } from '../../../sql/job.ts'
import type { McpExchange } from '../exchange.ts'
import { metaOf } from '../message.ts'

const PROGRESS_MS = 1_000
const RETRY_CANCEL_MS = 100

interface Subject {
  accountId: string
  /** Whether the job is made by this call, and ends with it. */
  isOwn: boolean
}

/** The client has taken its request back, so it gets no response. */
export class CallCancelled extends Error {}

/**
 * A call of a tool while it runs: its client is told of the progress of its job if it asks for that, and can cancel it. In the
 * modern era a client cancels by closing the connection; before, the job goes on then, as it does over REST.
 */
export class ToolRun implements Disposable {
  readonly jobId: string
  readonly #exchange: McpExchange
  readonly #gone = new AbortController()
  readonly #onClose: () => void
  #isOpen = true
  #isCancelled = false
  #subject: Subject | undefined
  #timer: NodeJS.Timeout | undefined
  #listening: Disposable | undefined

  constructor(exchange: McpExchange, jobId = newId()) {
    this.jobId = jobId
    this.#exchange = exchange
    this.#onClose = () => this.#leave()
    exchange.reply.raw.once('close', this.#onClose)
    const { session, message, context } = exchange
    if (session) this.#listening = context.openCalls.open(session, message.id!, () => this.#cancel())
  }

  /** Aborted when nobody waits for the answer any more. */
  get gone(): AbortSignal {
    return this.#gone.signal
  }

  /** From now on there may be a job. Throws if the call has been cancelled. */
  follow(subject: Subject): void {
    this.requireOpen()
    this.#subject = subject
    const { stream, message } = this.#exchange
    const { progressToken } = metaOf(message)
    const isAsked = typeof progressToken === 'string' || typeof progressToken === 'number'
    if (!stream || !isAsked) return
    const startedMs = performance.now()
    let reported = -1
    const tell = async (): Promise<void> => {
      const job = await readJob(this.#exchange.context.db, subject.accountId, this.jobId)
      if (!this.#isOpen || !job) return
      const seconds = (performance.now() - startedMs) / 1_000
      const { status, progress } = job.ticket
      // It must grow for a client to go on waiting, so that a thousandth is added for each second.
      const value = (progress?.done ?? 0) + Math.min(seconds / 1_000, 0.999)
      if (value <= reported) return
      reported = value
      const about = progress ? `${progress.done} of ${progress.total} ${progress.unit}` : `${Math.round(seconds)} s`
      const params = {
        ...{ progressToken, progress: value, ...(progress && { total: Math.max(progress.total, value) }) },
        message: `${status}, ${about}`,
      }
      stream.send({ method: 'notifications/progress', params })
    }
    this.#timer = setInterval(() => void tell().catch(() => undefined), PROGRESS_MS)
  }

  requireOpen(): void {
    if (this.#isCancelled) throw new CallCancelled()
  }

  [Symbol.dispose](): void {
    this.#isOpen = false
    clearInterval(this.#timer)
    this.#listening?.[Symbol.dispose]()
    this.#exchange.reply.raw.off('close', this.#onClose)
  }

  #leave(): void {
    clearInterval(this.#timer)
    this.#gone.abort()
    if (this.#exchange.era.isModern) this.#cancel()
  }

  #cancel(): void {
    if (!this.#isOpen || this.#isCancelled) return
    this.#isCancelled = true
    this.#gone.abort()
    void this.#endJob().catch(error => this.#exchange.request.log.warn({ err: error }, 'a job was not cancelled'))
  }

  /** The job may be booked only now: then it is cancelled once it is there. */
  async #endJob(): Promise<void> {
    if (!this.#subject?.isOwn) return
    const { accountId } = this.#subject
    const { db } = this.#exchange.context
    while ((await cancelJob(db, accountId, this.jobId)) === 'missing' && this.#isOpen) await pause(RETRY_CANCEL_MS)
  }
}
